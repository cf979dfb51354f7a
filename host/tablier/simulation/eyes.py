"""Simulated people's reading of a table's pixels and of the cards in its arena."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core import seat_name
from tablier_fw import colours

DARK, ASKED, PENDING, TAKEN, REFUSED = "dark", "asked", "pending", "taken", "refused"
_ABANDONED = bytes(colours.ROLLING).hex()


def state_of(colour: str) -> str:
    """Return the state that a public pixel shows, at any brightness of its animation."""
    red, green, blue = bytes.fromhex(colour)
    if not (red or green or blue):
        return DARK
    if red == green == blue:
        return ASKED
    if blue == 0 and red > green > 0:
        return PENDING
    if red == 0 and green > blue:
        return TAKEN
    if green == blue == 0:
        return REFUSED
    return DARK  # the host's own colours


def number_on(hood: Sequence[str]) -> int:
    """Return the number that a hood shows: one for each lit pixel, plus 5 if amber, plus 10 if blue."""
    lit = [bytes.fromhex(colour) for colour in hood if colour != "000000"]
    if not lit:
        return 0
    red, green, blue = lit[0]
    return len(lit) + (0 if red == green == blue else 5 if red else 10)


def is_marked(ring: Sequence[str]) -> bool:
    """Return whether the ring shows the sign of an abandoned roll, whatever the pixels between show."""
    return set(ring[2::4]) == {_ABANDONED}


def alike(colour: str, wanted: tuple[int, int, int]) -> bool:
    """Return whether a pixel under the hood is on the same side of red and blue as a colour."""
    red, _, blue = bytes.fromhex(colour)
    return (blue > red) == (wanted[2] > wanted[0])


def tag_of(seat: int, rank: int, ply: int) -> str:
    """Return what is printed on a simulated card: whose it is, its rank, and the window in which it was thrown."""
    return f"{seat_name(seat)}:{rank}@{ply}"
