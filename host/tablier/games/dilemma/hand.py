"""How a thrown card lands: no mind decides that, but a practised hand."""

from __future__ import annotations

import random

from tablier.games.dilemma.rules import LANDINGS

_IN_A_HUNDRED = {"flat": 85, "leaning": 5, "rim": 4, "outside": 6}
FLAT = _IN_A_HUNDRED["flat"] / 100
"""How likely it is that a card lands flat."""


def land(dice: random.Random) -> str:
    """Return how a card lands."""
    return dice.choices(list(_IN_A_HUNDRED), list(_IN_A_HUNDRED.values()))[0]


assert set(_IN_A_HUNDRED) == set(LANDINGS)
