"""Whose turn it is: the same words on every screen, and for a page the replies with them."""

from __future__ import annotations

from typing import Any

import pytest
from full_screen import Port
from msgspec import convert, structs

from tablier.messages import Update, Window
from tablier.screens.turn import Aloud, asked_text, question_text, whose_turn
from tablier.texts import Text, render
from tablier.web.saying import say

NAMES = ["Anne", "Bernard"]
BIND = {"board": "00" * 8, "boot": "00" * 8, "place": 1}
TEXT = {"text": "Who bids?", "args": {}}
CHOICE = {"id": 1, "kind": "choice", "what": "duel", "seats": [1, 2], "text": TEXT, "options": ["bid 1", "bid 2"]}
MY_CHOICE = {"moves": ["bid 1", "bid 2"], "bind": BIND}
OVER = {"scores": [1, 0], "winners": [1], "head": "", "remarks": []}


def update(viewer: int | None, question: dict[str, Any] | None, **more: Any) -> Update:
    return convert({**Port().update(viewer), "question": question, **more}, Update)


def choice(waiting: list[int], to_open: list[int], *, mine: bool | None) -> dict[str, Any]:
    own = {} if mine is None else {"mine": {**MY_CHOICE, "waits": mine}}
    return {**CHOICE, "waiting": waiting, "open": bool(to_open), "to_open": to_open, **own}


@pytest.mark.parametrize(
    ("told", "whose", "said", "asked"),
    [
        (update(1, choice([1], [], mine=True)), "yours", "Your turn", "Who bids?"),
        (update(1, choice([1, 2], [], mine=True)), "yours", "Your turn, together with Bernard", "Who bids?"),
        (
            update(1, choice([2], [], mine=False)),
            "others",
            "You have chosen. Waiting for Bernard …",
            "Who bids? You have chosen. Waiting for Bernard …",
        ),
        (
            update(None, choice([1, 2], [], mine=None)),
            "others",
            "Waiting for Anne and Bernard …",
            "Who bids? Waiting for Anne and Bernard …",
        ),
        (
            update(None, choice([], [1, 2], mine=None)),
            "opening",
            "All have chosen; waiting for Anne and Bernard …",
            "Who bids? All have chosen; waiting for Anne and Bernard …",
        ),
        (update(None, None), "", "Nothing is asked now.", ""),
        (update(None, None, over=OVER), "over", "The game is over.", ""),
    ],
)
def test_a_page_says_it_as_the_other_screens_do(told: Update, whose: str, said: str, asked: str) -> None:
    yours = whose == "yours"
    turn = whose_turn(told, NAMES, yours=yours)
    assert (turn.whose, str(turn.text)) == (whose, said)
    assert str(question_text(told, NAMES, yours=yours) or "") == asked
    page = say(told).state().turn
    assert (page.whose, page.said) == (whose, said)


def test_a_page_gets_each_answer_with_its_reply() -> None:
    poll = {"id": 1, "kind": "poll", "what": "landing", "seats": [1], "text": TEXT, "waiting": [1]}
    question = say(update(1, {**poll, "mine": {"waits": True}})).state().question
    assert question is not None and question.mine is not None
    assert [(each.deed, each.reply["yes"]) for each in question.mine.can] == [("No", False), ("Yes", True)]
    paused = say(update(1, {**poll, "what": "paused", "mine": {"waits": True}})).state()
    assert paused.question is not None and paused.question.mine is not None
    assert [each.deed for each in paused.question.mine.can] == ["Yes"]  # a no would change nothing
    assert paused.turn.said == "You are asked"
    question = say(update(1, choice([1, 2], [], mine=True))).state().question
    assert question is not None and question.mine is not None
    assert [(each.move, each.reply) for each in question.mine.can] == [
        ("bid 1", {"event": "locked", "option": 0}),
        ("bid 2", {"event": "locked", "option": 1}),
    ]


def test_the_card_that_is_to_be_laid_for_somebody_elsewhere_is_said_once() -> None:
    text, aloud = Text("Anne offers the 8: throw!"), Aloud()
    window = Window(id=7, what="window", seats=[1, 2], waiting=[1, 2], text=text, secret=False, thrown=[], to_lay=[])
    assert aloud.hear(window, NAMES) == ["Anne and Bernard: Anne offers the 8: throw!"]
    window = structs.replace(window, thrown=[(2, 5)], to_lay=[(2, 5)])
    assert render(asked_text(window, NAMES), NAMES) == "Anne offers the 8: throw! Lay Bernard's 5 in the arena."
    assert aloud.hear(window, NAMES) == ["Anne offers the 8: throw! Lay Bernard's 5 in the arena."]
    assert aloud.hear(window, NAMES) == []
