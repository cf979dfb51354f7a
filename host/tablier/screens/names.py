"""Players' names as a screen shows them: printable, cut to fit, and different from each other."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from tablier.printable import printable

WIDTH = 20
"""The most columns of a name in a sentence."""


def fitting(names: Sequence[str], width: int = WIDTH) -> list[str]:
    """Return the names in at most ``width`` columns each. Names that only differ in what is cut get their seat."""
    shown = [_cut(printable(name), width) for name in names]
    return [
        f"{_cut(name, width - 4)} ({seat})" if shown.count(name) > 1 else name for seat, name in enumerate(shown, 1)
    ]


def _cut(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + "…"


__all__ = ["WIDTH", "fitting"]
