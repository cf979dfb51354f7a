"""A bot for Hunch."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core import Move
from tablier.games.core.bots import Bot
from tablier.texts import Json


class Greedy(Bot):
    """Guesses high while it leads, else low."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        points = list(view["points"].values())
        return moves[points[self.seat - 1] == max(points)]


BOTS = {"greedy": Greedy}
