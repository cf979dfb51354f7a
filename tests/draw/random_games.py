"""Positions that drawings are tried with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from typing import Any

from tablier.games import rules_of
from tablier.games.core import Position

NAMES = ["Anne", "Bernard", "Christine", "Daniel", "Éric", "Fanny"]


def positions(game: str, seed: int) -> Iterator[Position[Any]]:
    """Positions of a random game, its last one too."""
    rng = random.Random(seed)
    position = Position(rules_of(game, rng.choice([n for n in range(1, 7) if _played_by(game, n)]), {}))
    for ply in count():
        if ply % 5 == 0 or position.is_over:
            yield position
        if position.is_over or ply == 400:
            return
        moves = list(position.legal_moves)
        actor = rng.choice(sorted({move.actor for move in moves}))
        position.push(rng.choice([move for move in moves if move.actor == actor]))


def _played_by(game: str, seats: int) -> bool:
    try:
        rules_of(game, seats, {})
    except ValueError:
        return False
    return True
