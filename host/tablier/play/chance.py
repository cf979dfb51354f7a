"""Where chance comes from.

:class:`HostSeed`: the host draws from a seed that the log holds from the start of the game. An outcome is a function of
the seed and of how many moves stand before it: taking a move back and deciding again throws the same dice. Whoever has
the log derives every outcome again.
"""

from __future__ import annotations

import hmac
import os
from itertools import accumulate
from typing import Any, Protocol

from tablier.games.core import Move, Position

SEED_BYTES = 32


class Chance(Protocol):
    """A source of chance for a whole game."""

    name: str
    """As the log names it."""

    def draw(self, position: Position[Any]) -> Move:
        """Return the table's move where the table alone can move."""


class HostSeed:
    name = "host"

    def __init__(self, seed: bytes) -> None:
        self._seed = seed

    @staticmethod
    def new() -> str:
        """Return a seed for a new game, in hexadecimal."""
        return os.urandom(SEED_BYTES).hex()

    def draw(self, position: Position[Any]) -> Move:
        outcomes = position.rules.chance(position.state)
        if not outcomes:
            (move,) = position.legal_moves
            return move
        digest = hmac.digest(self._seed, f"{position.rules.name} {position.ply}".encode(), "sha256")
        at = int.from_bytes(digest[:8], "big") / (1 << 64)
        total = sum(odds for _, odds in outcomes)
        for (move, _), upto in zip(outcomes, accumulate(odds / total for _, odds in outcomes), strict=True):
            if at < upto:
                return move
        return outcomes[-1][0]
