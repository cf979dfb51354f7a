"""What the table is not sure of is said to those who claim and review, until they have said how it is."""

from __future__ import annotations

from typing import Any

import pytest

from tablier.games.core import Position
from tablier.games.dilemma import Dilemma
from tablier.play.asking import Ask, Flow, Input
from tablier.play.dilemma import flow
from tablier_fw import wire, words

FLAT, LEANING, RIM = 0, 1, 2


def told(index: int, landing: int, confidence: int = 97, doubts: int = 0) -> Input:
    return Input("landed", {"index": index, "landing": landing, "confidence": confidence, "doubts": doubts})


def answered(seat: int, yes: bool) -> Input:
    return Input("answered", {"seat": seat, "yes": yes})


def picked(seat: int, option: int) -> Input:
    return Input("picked", {"seat": seat, "option": option})


def window(*inputs: Input) -> tuple[Flow, Ask]:
    """The flow of a window at seat 1's offer, and what it asks after these inputs."""
    position: Position[Any] = Position(Dilemma(3))
    position.parse_push("p1 offer 8")
    running = flow(position)
    ask = next(running)
    for input in (*inputs, Input("closed", {})):
        ask = running.send(input)
    return running, ask


def claimed(running: Flow, seat: int = 2, option: int = 0) -> Ask:
    """The landing that is asked about is this seat's; returns what is asked next."""
    running.send(answered(seat, True))
    return running.send(picked(seat, option))


def test_a_sure_landing_is_told_without_a_word_of_doubt() -> None:
    running, ask = window(told(0, LEANING, 84, wire.BOTH))
    assert ask.text == "First card from below: whose is it?"
    assert "1 of {p2} leaning. Does" in claimed(running).text


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
    running, ask = window(told(0, LEANING, 35, doubts))
    assert ask.text == f"First card from below ({words}): whose is it?"
    assert "1 of {p2} leaning (unsure). Does" in claimed(running).text


def test_a_landing_that_moved_says_so() -> None:
    running, _ = window(told(0, RIM), Input("moved", {"index": 0}), Input("moved", {"index": 3}))
    assert "1 of {p2} rim (moved since). Does" in claimed(running).text


def test_what_people_have_said_is_sure() -> None:
    running, _ = window(told(0, FLAT, 35, wire.HALF), Input("moved", {"index": 0}))
    assert "(unsure, moved since)" in claimed(running).text
    running.send(answered(3, False))  # something is wrong …
    running.send(picked(3, 0))  # … with the first card
    running.send(answered(2, True))
    running.send(picked(2, 0))
    ask = running.send(picked(2, 1))
    assert "From below: 1 of {p2} leaning. Does" in ask.text


def test_a_knock_can_be_nobody_s() -> None:
    running, ask = window(told(0, FLAT, 14, wire.UNSEEN))
    running.send(answered(2, False))
    ask = running.send(answered(3, False))
    assert "From below: nobody's. Does" in ask.text


def test_an_older_log_that_knows_no_confidence_is_as_sure_as_ever() -> None:
    _, ask = window(Input("landed", {"index": 0, "landing": FLAT}))
    assert "unsure" not in ask.text


def test_every_doubt_has_its_words() -> None:
    for bit in range(len(words.DOUBTS)):
        _, ask = window(told(0, FLAT, 10, 1 << bit))
        assert "(unsure: " in ask.text
