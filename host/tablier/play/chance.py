"""Where chance comes from.

:class:`HostSeed`: the host draws from a seed that the log holds from the start of the game. An outcome is a function of
the seed and of how many moves stand before it: taking a move back and deciding again throws the same dice. Whoever has
the log derives every outcome again.
"""

from __future__ import annotations

import hmac
import os
from itertools import count
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
        at = self._below(sum(weight for _, weight in outcomes), f"{position.rules.name} {position.ply}")
        for move, weight in outcomes:
            at -= weight
            if at < 0:
                return move
        raise AssertionError("weights are whole numbers from 1")

    def _below(self, total: int, point: str) -> int:
        """Return a number below ``total``, every one as likely as any other."""
        limit = (1 << 256) // total * total
        for turn in count():
            drawn = int.from_bytes(hmac.digest(self._seed, f"{point} {turn}".encode(), "sha256"), "big")
            if drawn < limit:
                return drawn % total
        raise AssertionError
