"""The dice of Le Roudalon: each player has two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import combinations_with_replacement, permutations

FACES = range(1, 7)
MOST_DICE = 2
REACH = 12
"""The highest throw of one player."""


@cache
def falls(dice: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Return every throw of this number of dice, faces ascending, each with the number of orders that give it."""
    return tuple((faces, len(set(permutations(faces)))) for faces in combinations_with_replacement(FACES, dice))


@cache
def sums(dice: int) -> Mapping[int, float]:
    """Return the probability of each sum of this number of dice, sums ascending."""
    weights: Counter[int] = Counter()
    for faces, weight in falls(dice):
        weights[sum(faces)] += weight
    return {total: weights[total] / len(FACES) ** dice for total in sorted(weights)}


__all__ = ["FACES", "MOST_DICE", "REACH", "falls", "sums"]
