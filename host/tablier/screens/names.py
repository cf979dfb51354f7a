"""Players' names: as a screen shows them, and which of them a typed text means."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tablier.games.core.drawing import short
from tablier.names import same_name
from tablier.printable import printable

WIDTH = 20
"""The most columns of a name in a sentence."""


def fit_names(names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return the names in at most ``width`` columns each, printable and different from each other. Names that only
    differ in what is cut get their seat."""
    shown = [short(printable(name), width) for name in names]
    return [
        f"{short(name, width - 4)} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown, 1)
    ]


def seats_called(typed: str, names: Sequence[str]) -> list[int]:
    """Return the seats whose whole name a text is, as players write it or else as screens show it."""
    wanted = same_name(typed)
    for spelled in (names, fit_names(names)):
        if fits := [seat for seat, name in enumerate(spelled, 1) if same_name(name) == wanted]:
            return fits
    return []


def seats_meant(typed: str, names: Sequence[str], among: Collection[int]) -> list[int]:
    """Return which of some seats a text may mean: the one that is called so, or else all whose names begin so.

    The whole name of a seat means no other one, whether it is among them or not: Ann is not taken for Anne.
    """
    if called := seats_called(typed, names):
        return [seat for seat in called if seat in among]
    wanted = same_name(typed)
    spelled = zip(names, fit_names(names), strict=True)
    return [
        seat
        for seat, both in enumerate(spelled, 1)
        if wanted and seat in among and any(same_name(name).startswith(wanted) for name in both)
    ]


__all__ = ["WIDTH", "fit_names", "seats_called", "seats_meant"]
