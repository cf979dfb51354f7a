"""What the table is not sure of is said to those who claim and review, until they have said how it is."""

from __future__ import annotations

from typing import Any

import pytest

from tablier.games.core import Position
from tablier.games.core.questions import (
    Answered,
    Closed,
    Conditions,
    Done,
    Landed,
    Moved,
    Picked,
    Question,
    Reply,
    Script,
)
from tablier.games.dilemma.rules import Dilemma
from tablier.games.dilemma.script import script
from tablier.texts import Text, render
from tablier_fw import wire, words

FLAT, LEANING, RIM = 0, 1, 2
NAMES = ("Anne", "Bernard", "Christine")


def told(index: int, landing: int, confidence: int = 97, doubts: int = 0) -> Reply:
    return Landed(0, index, landing, confidence, doubts)


def read(text: Text) -> str:
    return render(text.to_json(), NAMES)


def window(*replies: Reply) -> tuple[Script, str]:
    """The script of a window at seat 1's offer, and what it asks after these replies. Both others say "no more", so
    nobody is asked for a card that missed."""
    position: Position[Any] = Position(Dilemma(3))
    position.parse_push("p1 offer 8")
    running = script(position, Conditions(arena=frozenset((1, 2, 3))))
    question = next(running)
    for reply in (*replies, Done(2, False), Done(3, False), Closed()):
        question = running.send(reply)
    return running, read(question.text)


def claimed(running: Script, seat: int = 2, option: int = 0) -> str:
    """The landing that is asked about is this seat's; returns what is asked next."""
    running.send(Answered(seat, True))
    question: Question = running.send(Picked(seat, option))
    return read(question.text)


def test_a_sure_landing_is_told_without_a_word_of_doubt() -> None:
    running, text = window(told(0, LEANING, 84, wire.BOTH))
    assert text == "The first card above the offer: who threw it?"
    assert "Bernard's 1 leaning. Does" in claimed(running)


@pytest.mark.parametrize(
    ("doubts", "words"),
    [
        (wire.UNSEEN, "unsure: no beam saw it come"),
        (wire.HALF, "unsure: it may have gone outside"),
        (wire.CROWDED | wire.BOTH, "unsure: another came at the same time, it may lean, or lie on the rim"),
        (0, "unsure"),
    ],
)
def test_an_unsure_landing_says_why(doubts: int, words: str) -> None:
    running, text = window(told(0, LEANING, 35, doubts))
    assert text == f"The first card above the offer ({words}): who threw it?"
    assert "Bernard's 1 leaning (unsure). Does" in claimed(running)


def test_a_landing_that_moved_says_so() -> None:
    running, _ = window(told(0, RIM), Moved(0, 0), Moved(0, 3))
    assert "Bernard's 1 on the rim (moved since). Does" in claimed(running)


def test_what_people_have_said_is_sure() -> None:
    running, _ = window(told(0, FLAT, 35, wire.HALF), Moved(0, 0))
    assert "(unsure, moved since)" in claimed(running)
    running.send(Answered(3, False))  # something is wrong …
    running.send(Picked(3, 0))  # … with the first card
    running.send(Answered(2, True))
    running.send(Picked(2, 0))
    text = read(running.send(Picked(2, 1)).text)
    assert "from the bottom: Bernard's 1 leaning. Does" in text


def test_a_knock_is_listed_as_no_card() -> None:
    running, text = window(told(0, FLAT, 14, wire.UNSEEN))
    running.send(Answered(2, False))
    text = read(running.send(Answered(3, False)).text)
    assert "from the bottom: no card. Does" in text


def test_every_doubt_has_its_words() -> None:
    for bit in range(len(words.DOUBTS)):
        _, text = window(told(0, FLAT, 10, 1 << bit))
        assert "(unsure: " in text
