"""What somebody at the table does with their hands for a seat that is not there: lay its cards, move its pieces."""

from __future__ import annotations

from pathlib import Path

import pytest
from dilemma_windows import Course, window
from driving import Driver, driven, session_of

import replies
from of_kind import of_kind
from ports import console, each
from positions import then
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import rules_of
from tablier.games.core.questions import Answered, Conditions, Landed, Poll, Thrown, Turn, Window, bare
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier.texts import Json, render

NAMES = ("Anne", "Bernard", "Christine", "Daniel")
SHORT = {"board": "YRYRYBRYRY"}


@pytest.mark.parametrize(
    ("arena", "seat", "helper"), [((1, 3), 2, 3), ((1, 2), 3, 1), ((2,), 1, 2), ((1, 4), 3, 4), ((), 1, 0)]
)
def test_the_next_one_clockwise_helps(arena: tuple[int, ...], seat: int, helper: int) -> None:
    assert Conditions(arena=frozenset(arena)).helper(seat) == helper


def test_an_offer_is_laid_before_the_window_opens() -> None:
    course = Course(window((1, 2, 3)), arena=(2, 3))
    for _ in range(2):
        assert isinstance(course.question, Poll) and course.question.seats == (2,)
        assert course.text == "Bernard, please lay down Anne's 8 as the offer. Is it there?"
        course.reply(Answered(2, False))
    course.reply(Answered(2, True))
    assert isinstance(course.question, Window)


def test_who_is_at_the_table_lays_the_own_offer_unasked() -> None:
    assert isinstance(Course(window((1, 2, 3)), arena=(1, 2)).question, Window)


def test_a_card_thrown_from_afar_has_left_the_hand_when_it_is_laid_too() -> None:
    course = Course(window((1, 2, 3)), arena=(1, 2))
    course.reply(Thrown(3, 5), Landed(0))
    assert isinstance(course.question, Window)
    assert (course.question.thrown, course.question.cards[3], course.question.to_lay) == ([(3, 5)], [3], [])


def test_a_window_that_is_open_again_has_its_offer() -> None:
    position = window((1, 2, 3))
    then(position, "p2 throw 3 rim", "table close")
    assert isinstance(Course(position, arena=(2, 3)).question, Window)


@pytest.mark.parametrize(
    ("game", "move", "told"),
    [
        ("d21", "c3-c4", "Bernard, please do that on the table for Anne."),
        ("dicke-daemonen", None, "Bernard, please do that on the table for Anne."),
        ("struggle", None, ""),
        ("roudalon", "bet 1", ""),
    ],
)
def test_pieces_are_moved_for_a_screen(game: str, move: str | None, told: str, tmp_path: Path) -> None:
    count = {"roudalon": 4}.get(game, 2)
    seats = [Seat(name, n, AT_TABLE if n else AT_SCREEN) for n, name in enumerate(NAMES[:count])]
    asked: list[str] = []
    options = {"first": "p1"} if game in ("roudalon", "struggle") else {}  # else chance says who begins
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, game, options, seats), LifeClock())
        running.watch((None,), each(lambda update: asked.extend(_lays(update))))
        running.start()
        move = move or bare(of_kind(Turn, running.session.question).moves[0])
        console(running).reply(replies.play(move, id=running.session.id, seat=1))
        running.work()
        assert running.session.position.ply
    assert asked == ([told] if told else [])


def _lays(update: Update) -> list[str]:
    return [render(each.text, NAMES) for each in update.news if each.kind == "lay"]


def test_a_bot_s_offer_goes_through_its_neighbour_in_a_whole_game() -> None:
    seats = [Seat(name, n + 1, "greedy" if n == 1 else AT_TABLE) for n, name in enumerate(NAMES[:3])]
    driver = driven("dilemma", seats, until=None, seed=3)
    offers = [body["text"] for kind, body in driver.items if kind == "move" and " offer " in body["text"]]
    lays = [body["seats"] for kind, body in driver.items if kind == "ask" and body["what"] == "lay"]
    assert lays == [[3]] * sum(offer.startswith("p2 ") for offer in offers) and lays


@pytest.mark.parametrize("game", ["dilemma", "struggle", "dicke-daemonen", "roudalon", "d21"])
def test_a_place_a_screen_and_a_bot_play_together(game: str) -> None:
    """Buttons are asked of those who have some, and everybody has a turn."""
    by_game: dict[str, Json] = {"d21": {"max_plies": 12}, "struggle": SHORT}
    rules = rules_of(game, {"roudalon": 4, "d21": 2}.get(game, 3), by_game.get(game))
    sources = (AT_TABLE, AT_SCREEN, "greedy", AT_TABLE)
    seats = [Seat(name, n + 1, source) for n, (name, source) in enumerate(zip(NAMES, sources, strict=True))]
    driver = Driver(session_of(rules, seats[: rules.seats]), seed=5)
    driver.begin()
    asked: set[int] = set()
    while not driver.session.over and driver.session.position.ply < 80:
        question = driver.session.question
        assert question is not None
        asked.update(question.seats)
        for seat in question.seats:
            with_buttons = question.kind in ("menu", "poll", "tally")
            assert not (with_buttons and not seats[seat - 1].at_table), f"{question.kind} {question.what} of p{seat}"
        driver.step()
    assert asked == set(range(1, rules.seats + 1))
