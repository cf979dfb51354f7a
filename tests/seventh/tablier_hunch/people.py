"""Simulated people who play Hunch."""

from __future__ import annotations

from tablier.games.core.people import Mind
from tablier.texts import Json


class Stubborn(Mind):
    """Guesses low, always."""

    def choose(self, update: Json) -> str:
        return "guess low"


MIND = Stubborn
