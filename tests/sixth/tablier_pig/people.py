"""Simulated people who play Pig: they bank what they have at once."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core.people import Mind
from tablier.texts import Json


class Cautious(Mind):
    """Holds whenever that is possible."""

    def play(self, update: Json, moves: Sequence[str], may_pass: bool) -> str | None:
        return "hold" if "hold" in moves else super().play(update, moves, may_pass)


MIND = Cautious
