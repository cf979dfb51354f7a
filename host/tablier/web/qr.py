"""Addresses as QR codes: as a picture, and in a terminal."""

from __future__ import annotations

import segno

_LIGHT, _LIGHT_IN_TERMINAL = 4, 2
"""The light modules around a code: as the standard has it, and as few as cameras take, for a screen of 24 lines."""
_BLOCKS = {(0, 0): " ", (1, 0): "▀", (0, 1): "▄", (1, 1): "█"}
"""By whether the upper and the lower module are dark."""
_COLOURS, _PLAIN = "\x1b[38;5;16;48;5;231m", "\x1b[0m"
"""Black on white: cameras may not know a code whose dark modules are light, as a dark terminal would show it."""


def picture(address: str) -> str:
    """Return an image for pages, as an address that holds its data."""
    uri: str = segno.make(address, error="m").svg_data_uri(scale=8, border=_LIGHT, dark="#000", light="#fff")
    return uri


def blocks(address: str) -> list[str]:
    """Return lines of half blocks, two rows of modules each, all of the same width."""
    code = segno.make(address, error="l")
    rows = [[int(bool(module)) for module in row] for row in code.matrix_iter(border=_LIGHT_IN_TERMINAL)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    return ["".join(map(_BLOCKS.__getitem__, zip(*pair, strict=True))) for pair in zip(*[iter(rows)] * 2, strict=True)]


def in_colours(line: str) -> str:
    """Return a line of :func:`blocks` for a terminal, in the colours that it needs."""
    return f"{_COLOURS}{line}{_PLAIN}"


__all__ = ["blocks", "in_colours", "picture"]
