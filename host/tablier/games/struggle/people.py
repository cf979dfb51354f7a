"""Simulated people who play Struggle: they mark the dice that they keep."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core.people import Mind
from tablier.games.struggle.rules import FACES


class StruggleMind(Mind):
    """Plays Struggle as a bot does."""

    def marks(self, given: Sequence[int], move: str | None) -> list[bool]:
        verb, *kept = (move or "").split()
        wanted = []
        for face in (FACES[number] for number in given):
            wanted.append(verb != "keep" or face in kept)
            if wanted[-1] and verb == "keep":
                kept.remove(face)
        return wanted


MIND = StruggleMind
