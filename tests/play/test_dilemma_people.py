"""Simulated people at a window of Dilemma say how the cards lie, whoever of them was there when they fell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from dilemma_windows import Course, window
from hypothesis import given
from hypothesis import strategies as st
from tests.heard import an_update

from tablier import messages
from tablier.games.core.people import Card, Sight
from tablier.games.core.questions import (
    Answered,
    Closed,
    Done,
    Landed,
    Menu,
    Picked,
    Poll,
    Reply,
    Restarted,
    Thrown,
    Window,
)
from tablier.games.dilemma.rules import LANDINGS
from tablier.simulation.people import plain_mind

HOLDERS = (2, 3)
RANKS = (3, 5)
QUESTIONS = 200
CARDS = st.permutations([(seat, rank) for seat in HOLDERS for rank in RANKS])


@st.composite
def piles(draw: st.DrawFn) -> list[tuple[Card, bool]]:
    """Cards as they lie from the bottom, and of each whether its landing was told."""
    cards = draw(CARDS)[: draw(st.integers(0, 4))]
    return [(Card(*card, draw(st.sampled_from(LANDINGS[:3]))), draw(st.booleans())) for card in cards]


def sight_of(course: Course, pile: tuple[Card, ...]) -> Sight:
    """Return what people see who have come just now, and have seen nothing but what lies there."""
    question = course.question
    assert isinstance(question, Poll | Menu)
    asked: Any = {"id": 1, "what": question.what, "seats": list(question.seats), "text": question.text, "waiting": []}
    about: Any = {"subject": question.subject, "listed": list(question.listed)}
    shown = an_update(
        rules="dilemma",
        view={"pile": []},
        seats=[messages.Seat(name="", place=seat, source="table") for seat in (1, 2, 3)],
        question=messages.Menu(**asked, **about, options=list(question.options), labels=list(question.labels), start=0)
        if isinstance(question, Menu)
        else messages.Poll(**asked, **about),
    )
    return Sight(shown, {}, pile, True, (1, 2, 3))


def mind_of(sight: Sight, seat: int) -> Any:
    return plain_mind(sight.update, seat, "greedy", seat)


def replies(course: Course, pile: tuple[Card, ...]) -> Iterator[Reply]:
    """Yield what people reply."""
    question, sight = course.question, sight_of(course, pile)
    for seat in question.seats:
        if isinstance(question, Menu):
            yield Picked(seat, question.labels.index(mind_of(sight, seat).label(sight)))
        elif (yes := mind_of(sight, seat).answers(sight)) is not None:
            yield Answered(seat, yes)


@pytest.mark.parametrize("how", LANDINGS[1:])
def test_a_card_that_others_do_not_let_stand_is_taken_back_before_that_is_said(how: str) -> None:
    """Somebody else judges, with a phone; people would go on to claim a card that still lies there."""
    pile: tuple[Card, ...] = (Card(2, 3, how),)
    course = Course(window())
    if how != "outside":
        course.reply(Landed(0, 0, LANDINGS.index(how), 97))
    for _ in range(QUESTIONS):
        if course.moves is not None:
            break
        asked = course.question
        if isinstance(asked, Window):
            course.reply(Done(2, any(card.how == "outside" for card in pile)), Closed())
            continue
        if asked.what == "judge":
            course.reply(*(Answered(seat, False) for seat in asked.seats))
            continue
        if asked.what == "returned":
            sight = sight_of(course, pile)
            taken = mind_of(sight, 2).takes_back(sight)
            pile = tuple(card for card in pile if card not in taken)
        for reply in replies(course, pile):
            course.reply(reply)
            if course.moves is not None or course.question is not asked:
                break
    assert course.moves == ["table close"], course.text


@given(piles())
def test_people_who_have_just_come_put_right_what_the_table_has_missed(landed: list[tuple[Card, bool]]) -> None:
    pile = tuple(card for card, _ in landed)
    told = [Landed(0, n, LANDINGS.index(card.how), 97) for n, (card, was) in enumerate(landed) if was]
    course = Course(window(HOLDERS)).reply(*told, Restarted(), Closed())
    put_right(course, pile)


def test_what_is_wrong_with_a_long_list_is_found_in_two_steps() -> None:
    """A list of eleven cards and more is asked in ranges. Somebody with a phone has thrown ten cards, and none lies in
    the arena; of two that do, one was not told."""
    away = [Card(3, rank, "outside") for rank in range(1, 11)]
    lying = (Card(2, 3, "flat"), Card(2, 5, "flat"))
    course = Course(window(HOLDERS, {3: tuple(range(1, 11))}), arena=(1, 2))
    course.reply(*(Thrown(card.seat, card.rank) for card in away), Landed(0, 0, LANDINGS.index("flat"), 97), Closed())
    put_right(course, (*lying, *away))


def put_right(course: Course, pile: tuple[Card, ...]) -> None:
    """Have people reply until the moves are those of the pile."""
    for _ in range(QUESTIONS):
        for reply in replies(course, pile):
            asked = course.question
            course.reply(reply)
            if course.moves is not None:
                throws = [f"p{card.seat} throw {card.rank} {card.how}" for card in pile]
                assert course.moves == [*throws, "table close"]
                return
            if course.question is not asked:
                break
    raise AssertionError(f"{QUESTIONS} questions were answered, and now it is {course.text!r}")
