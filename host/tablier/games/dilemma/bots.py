"""Dilemma without a table: what the players at a table decide, said as moves.

How a card lands is decided by a practised hand, as at a table.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar

from tablier.games.core import Json, Move, Rules
from tablier.games.core.bots import Bot
from tablier.games.dilemma.players import GreedyPlayer, Player, RandomPlayer
from tablier.games.dilemma.rules import OFFER, WINDOW


class _ByPlayer(Bot):
    kind: ClassVar[type[RandomPlayer]]

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        super().__init__(rules, seat, dice)
        self.player: Player = self.kind(seat, dice.getrandbits(64))

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if view["phase"] == WINDOW:
            throw = self.player.throw(view, ())  # what was thrown before is in the view
            return None if throw is None else Move(self.seat, "throw", throw)
        if view["phase"] == OFFER:
            return Move(self.seat, "offer", (self.player.offer(view),))
        return Move(self.seat, "duel", (self.player.duel(view),))


class RandomDilemma(_ByPlayer):
    """Offers and chooses at random; throws about every other time that it is asked."""

    kind = RandomPlayer


class GreedyDilemma(_ByPlayer):
    """Offers low, answers high offers with its lowest other card, and fights for what is worth a life."""

    kind = GreedyPlayer


BOTS = {"random": RandomDilemma, "greedy": GreedyDilemma}
