"""Whether two ratings differ, for tests and measurements of the ratings themselves."""

from __future__ import annotations

from math import hypot

from tablier.archive.ratings import Rating


def told_apart(one: Rating, other: Rating) -> bool:
    """Return True if two ratings differ by more than their uncertainty allows.

    That is, if the interval of the difference, with the confidence of an interval and the standard deviation
    √(sigma₁² + sigma₂²), leaves out zero. Ratings whose own intervals do not overlap are always told apart; those whose
    intervals overlap a little may be, too. Of two equally strong players this is wrong in less than one case of twenty.
    """
    return abs(one.mu - other.mu) > Rating(0.0, hypot(one.sigma, other.sigma)).uncertainty
