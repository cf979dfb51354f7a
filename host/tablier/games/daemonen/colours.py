"""The creatures' colours, and handfuls of creatures packed into one number.

A *handful* (a fist, the bag) is a whole number with four bits a colour, :data:`COLOURS` [0] lowest: ten at most.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablier.texts import Language, render, word_list

WHITE = "white"
DEMONS = ("red", "blue", "green", "yellow")
"""The colours of the demons, and of the four lines."""
COLOURS = (WHITE, *DEMONS)
"""All colours of creatures in their canonical order."""
NAMES = {each.template: each for each in word_list("white", "red", "blue", "green", "yellow", context="colour")}
"""By colour: its name."""
_INITIALS = dict(zip(COLOURS, word_list("W", "R", "B", "G", "Y", context="initial"), strict=True))

EACH = 10
"""Creatures of each colour (R-G5)."""
FIST = 4
"""Creatures that a player holds at the start."""

ONE = {colour: 1 << 4 * number for number, colour in enumerate(COLOURS)}
"""The handful that is one creature of a colour."""


def initial(colour: str, read: Language | None = None) -> str:
    """Return the letter of a colour on boards of text, where it has one column."""
    return render(_INITIALS[colour], read=read)[:1]


def pack(colours: Iterable[str]) -> int:
    """Return the handful of these creatures; at most 15 of a colour."""
    return sum(ONE[colour] for colour in colours)


def counts(handful: int) -> dict[str, int]:
    """Return how many of each colour, every colour named."""
    return {colour: handful >> 4 * number & 15 for number, colour in enumerate(COLOURS)}


def creatures(handful: int) -> list[str]:
    """Return the creatures of a handful one by one, in canonical order."""
    return [colour for colour, count in counts(handful).items() for _ in range(count)]


def size(handful: int) -> int:
    """Return how many creatures a handful has."""
    total = 0
    while handful:
        total += handful & 15
        handful >>= 4
    return total


def held(handful: int) -> tuple[str, ...]:
    """Return the different colours in a handful, in canonical order."""
    return tuple(colour for colour, count in counts(handful).items() if count)


FULL_BAG = sum(EACH * one for one in ONE.values())


def _fists(creature: int, room: int) -> Iterable[int]:
    if creature == len(COLOURS):
        yield 0
        return
    for count in range(room + 1):
        for rest in _fists(creature + 1, room - count):
            yield rest + (count << 4 * creature)


FISTS = {fist: held(fist) for fist in _fists(0, FIST)}
"""Every fist of at most four creatures, with the colours in it."""
