"""The seal of a table as a log has it, drawn for people.

A photograph of the ring shows whether the log has left out a roll, or made one up (:mod:`tablier.log.boots`).
"""

from __future__ import annotations

from collections.abc import Sequence

from tablier.log.boots import Boot, row
from tablier.printable import printable
from tablier.texts import Text
from tablier_fw import colours, seal

_SIDE = seal.PIXELS // 4
LEGEND = Text(". dark  W white  R red  Y yellow  G green  B blue  M magenta  T turquoise")


def letters() -> list[str]:
    """Return the letters of the eight colours of a seal, from 0, as the legend has them."""
    return [colour[:1] for colour in str(LEGEND).split("  ")]


def drawing(picture: Sequence[int], *, colour: bool = False) -> list[str]:
    """Return lines that draw a seal as the ring shows it, seen from place 1 (which is below), with a letter a pixel."""

    initials = letters()

    def pixel(number: int) -> str:
        letter = initials[picture[number % seal.PIXELS]]
        if not colour:
            return letter
        red, green, blue = colours.PALETTE[colours.SEAL[picture[number % seal.PIXELS]]]
        ink = 30 if red + green + blue > 300 else 97
        return f"\x1b[48;2;{red};{green};{blue};{ink}m{letter}\x1b[0m"

    top = [pixel(n) for n in range(_SIDE)]
    bottom = [pixel(n) for n in range(3 * _SIDE - 1, 2 * _SIDE - 1, -1)]
    lines = ["  " + " ".join(top)]
    lines += [pixel(4 * _SIDE - 1 - n) + " " * (2 * _SIDE + 1) + pixel(_SIDE + n) for n in range(_SIDE)]
    return [*lines, "  " + " ".join(bottom)]


def describe(boot: Boot, *, colour: bool = False) -> list[str]:
    """Return the lines that tell of the seal of a boot: what to compare it with, and what it cannot show."""
    text = "The seal of table {board}, boot {boot}. While nothing is asked its service button shows the same:"
    lines = [
        printable(str(Text(text, {"board": boot.board, "boot": boot.boot}))),
        *(f"  {line}" for line in drawing(boot.picture, colour=colour)),
        f"  {LEGEND}",
    ]
    if boot.missing_events:
        gaps = [
            Text("events {first} to {last}" if last > first else "event {first}", row(first, last))
            for first, last in boot.missing_events
        ]
        text = "Not in this log: {gaps}. If a roll or an opening is among them, the table shows another picture."
        lines.append(f"  {Text(text, {'gaps': gaps})}")
    return lines


__all__ = ["LEGEND", "describe", "drawing", "letters"]
