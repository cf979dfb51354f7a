"""Positions that drawings are tried with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from typing import Any

from positions import at_random
from tablier.games import rules_of
from tablier.games.core import Position

NAMES = ["Anne", "Bernard", "Christine", "Daniel", "Éric", "Fanny"]


def positions(game: str, seed: int) -> Iterator[Position[Any]]:
    """Positions of a random game, its last one too."""
    rng = random.Random(seed)
    position = Position(rules_of(game, rng.choice([n for n in range(1, 7) if _played_by(game, n)]), {}))
    yield position
    for ply, _ in enumerate(islice(at_random(position, rng), 400), 1):
        if ply % 5 == 0 or position.is_over:
            yield position


def _played_by(game: str, seats: int) -> bool:
    try:
        rules_of(game, seats, {})
    except ValueError:
        return False
    return True
