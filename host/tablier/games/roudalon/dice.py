"""The dice of Le Roudalon: each player has two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, permutations

FACES = range(1, 7)
MOST_DICE = 2
REACH = 12
"""What one player can throw at most."""


@cache
def falls(dice: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return every way in which so many dice can fall, rising, with its weight: in how many orders it comes about."""
    return tuple((faces, len(set(permutations(faces)))) for faces in combinations_with_replacement(FACES, dice))


@cache
def sums(dice: int) -> Mapping[int, float]:
    """Return the probability of each sum of so many dice, from the least on."""
    weights: Counter[int] = Counter()
    for faces, weight in falls(dice):
        weights[sum(faces)] += weight
    return {total: weights[total] / len(FACES) ** dice for total in sorted(weights)}


__all__ = ["FACES", "MOST_DICE", "REACH", "falls", "sums"]
