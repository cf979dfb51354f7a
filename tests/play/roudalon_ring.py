"""The ring of Le Roudalon, as somebody reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablier.games.core import Position
from tablier.games.core.lights import DARK, Look, Pixel
from tablier.games.roudalon import lights
from tablier.texts import Json

SIDES = (range(23, 15, -1), range(31, 23, -1), range(7, -1, -1), range(15, 7, -1))
"""South, west, north, east: the pixels of each side from the left of whoever sits there."""


def look(position: Position[Any], places: tuple[int, ...] = (1, 2, 4, 5), hint: Json | None = None) -> Look:
    rules, state = position.rules, position.state
    view = rules.view(state, None)
    return Look(rules, view, places, hint=hint or {}, over=position.is_over, winners=rules.winners(state))


def read(ring: list[Pixel], side: Sequence[int]) -> int:
    """Read a number off a side, as somebody does who knows Roman numerals and the colours."""
    signs = {light: sign for sign, light in lights.SIGNS.items()}
    values = [{"I": 1, "V": 5, "X": 10, "L": 50}[signs[ring[n][:2]]] for n in side if ring[n] != DARK]
    return sum(-a if a < b else a for a, b in zip(values, [*values, 0][1:], strict=True))
