"""What an ended game shows of how its players play: the facts of each game, and what holds for all of them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tablier.games.core import Position
from tablier.games.core.facts import FACTS, Fact, Facts
from tablier.games.core.parts import PartError
from tablier.texts import Text

sys.path.append(str(Path(__file__).parents[1] / "seventh"))
Hunch: Any = import_module("tablier_hunch.rules").Hunch
HUNCH: Facts = import_module("tablier_hunch.facts").FACTS
GUESSED = ("p2 guess low", "p1 guess high", "table die 2")


def played(*moves: str, rules: Any = Hunch) -> Position[Any]:
    position: Position[Any] = Position(rules(2, {"rounds": 1}))
    for move in moves:
        position.parse_push(move)
    return position


def test_a_game_without_facts_of_its_own_tells_its_first_move() -> None:
    assert FACTS.of(played(*GUESSED)) == [(2, "first_move", "guess low")]
    assert [str(name) for name in FACTS.names.values()] == ["first move of the game"]


def test_facts_are_in_the_order_of_seats_and_keys_and_none_is_zero() -> None:
    facts = HUNCH.of(played(*GUESSED))
    assert facts == [(1, "high", 1), (1, "threw", 1), (2, "first_move", "guess low"), (2, "low", 1)]
    silent = Facts(seats=HUNCH.seats, tell=lambda *_: [Fact(1, "low", 0), Fact(2, "low", 3)])
    assert silent.of(played(*GUESSED))[1:] == [(2, "low", 3)]


def test_a_running_game_has_no_facts() -> None:
    with pytest.raises(ValueError, match="not over"):
        HUNCH.of(played(*GUESSED[:2]))


def test_a_move_that_is_withheld_for_good_is_no_fact() -> None:
    sealed = type("Sealed", (Hunch,), {"secret": lambda rules, before, move, now: move.actor == 2})
    assert HUNCH.of(played(*GUESSED, rules=sealed)) == [
        (1, "first_move", "guess high"),
        (1, "high", 1),
        (1, "threw", 1),
    ]


@pytest.mark.parametrize(
    ("tell", "said"),
    [
        (lambda *_: [Fact(1, "luck", 1)], "tell raised ValueError: 'luck' of seat 1 is no fact of this game"),
        (lambda *_: [Fact(3, "low", 1)], "tell raised ValueError: 'low' of seat 3 is no fact of this game"),
        (lambda *_: [Fact(0, "low", 1)], "tell raised ValueError: 'low' of seat 0 is no fact of this game"),
        (lambda *_: [Fact(1, "all", 1)], "tell raised ValueError: 'all' of seat 1 is no fact of this game"),
        (lambda *_: [Fact(1, "low", True)], "tell raised TypeError: low is True, neither a whole number nor a word"),
        (lambda *_: [Fact(1, "low", 1), Fact(1, "low", 2)], "tell raised ValueError: a fact of a seat is told twice"),
        (lambda *_: [Fact(1, "first_move", "x")], "'first_move' of seat 1 is no fact of this game"),
    ],
)
def test_a_fact_that_the_game_does_not_name_is_refused(tell: Callable[..., Any], said: str) -> None:
    facts = Facts(game={"all": Text("all guesses")}, seats={"low": Text("low guesses")}, tell=tell)
    with pytest.raises(PartError) as failed:
        facts.of(played(*GUESSED))
    assert str(failed.value).startswith("hunch, facts.py: tell raised ") and said in str(failed.value)
