"""Player programs for games without a table, for every game: ``random``, and a simple, sensible ``greedy``.

A program knows the rules, as everybody does. Of the game it gets its seat's view and its seat's moves, nothing else:
its rules are a copy of its own, which has met no position but those that the program made up itself.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tablier.games import module_name, rules_of
from tablier.games.core import Json, Move, Rules

SOURCES = ("random", "greedy")
"""What a seat's source may say to name a player program."""


class Program(ABC):
    """Decides for one seat. All that it leaves to chance comes from its dice, so that a seed repeats a game."""

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        self.rules = rules
        self.seat = seat
        self.dice = dice

    @abstractmethod
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        """One of the moves; or ``None``, to pass, where that is allowed."""


class RandomProgram(Program):
    """Takes any kind of move as often as any other, and of that kind any move."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if may_pass and self.dice.random() < 0.5:
            return None
        verb = self.dice.choice(sorted({move.verb for move in moves}))
        return self.dice.choice([move for move in moves if move.verb == verb])


def program_for(game: str, seats: int, options: Json, seat: int, source: str, dice: random.Random) -> Program:
    """The program that a source names, for a seat of a game. Raises ``OptionError`` as the rules do."""
    module = import_module(f"{__name__}.{module_name(game)}")
    kinds: dict[str, type[Program]] = {"random": RandomProgram, **module.PROGRAMS}
    return kinds[source](rules_of(game, seats, options), seat, dice)


__all__ = ["SOURCES", "Program", "RandomProgram", "program_for"]
