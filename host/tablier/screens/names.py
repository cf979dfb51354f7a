"""Players' names as a screen shows them: printable, cut to fit, and different from each other."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core.drawing import short
from tablier.printable import printable

WIDTH = 20
"""The most columns of a name in a sentence."""


def fit_names(names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return the names in at most ``width`` columns each. Names that only differ in what is cut get their seat."""
    shown = [short(printable(name), width) for name in names]
    return [
        f"{short(name, width - 4)} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown, 1)
    ]


__all__ = ["WIDTH", "fit_names"]
