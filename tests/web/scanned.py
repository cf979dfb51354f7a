"""QR codes as a camera before a terminal has them."""

from __future__ import annotations

import segno

from cli.term import Term


def modules(term: Term) -> list[list[bool]]:
    """Return which modules on a terminal are dark: black, on white."""
    rows: list[list[bool]] = []
    for y in range(term.screen.lines):
        cells = [term.screen.buffer[y][x] for x in range(term.screen.columns)]
        cells = [cell for cell in cells if (cell.fg, cell.bg) == ("000000", "ffffff")]
        if cells:
            rows.append([cell.data in "▀█" for cell in cells])
            rows.append([cell.data in "▄█" for cell in cells])
    return rows


def shows_code(term: Term, address: str) -> bool:
    """Return whether a terminal shows the code of an address, with light modules around."""
    expected = [list(map(bool, row)) for row in segno.make(address, error="l").matrix_iter(border=2)]
    seen = modules(term)
    return seen[: len(expected)] == expected and not any(map(any, seen[len(expected) :]))


__all__ = ["shows_code"]
