"""The landing of a thrown card, which is up to the hand and not to the mind."""

from __future__ import annotations

import random

from tablier.games.dilemma.rules import LANDINGS

_IN_A_HUNDRED = {"flat": 85, "leaning": 5, "rim": 4, "outside": 6}
FLAT = _IN_A_HUNDRED["flat"] / 100
"""The probability that a card lands flat."""


def land(dice: random.Random) -> str:
    """Return how a card lands."""
    return dice.choices(list(_IN_A_HUNDRED), list(_IN_A_HUNDRED.values()))[0]


assert set(_IN_A_HUNDRED) == set(LANDINGS)
