"""What all bots share, and the one that plays every game.

A bot knows the rules, as everybody does. Of the game it gets its seat's view and its seat's moves, nothing else: its
rules are a copy of its own, which has met no position but those that the bot made up itself.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from tablier.games.core import Json, Move, Rules


class Bot(ABC):
    """Decides for one seat. All that it leaves to chance comes from its dice, so that a seed repeats a game."""

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        self.rules = rules
        self.seat = seat
        self.dice = dice

    @abstractmethod
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        """Return one of the moves, or ``None`` to pass where that is allowed."""


class RandomBot(Bot):
    """Takes any kind of move as often as any other, and of that kind any move."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if may_pass and self.dice.random() < 0.5:
            return None
        verb = self.dice.choice(sorted({move.verb for move in moves}))
        return self.dice.choice([move for move in moves if move.verb == verb])
