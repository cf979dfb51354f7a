"""The equipment of a table: its places, the pixels of its ring, its arena, and whether it is a starter.

A table keeps it in one file, as a line such as ``places=1,2 ring=24 arena=no starter=yes``; without the file everything
is there. Both sides import this: ``tablier table deploy`` writes the file.

A *starter* stands on a breadboard: the buttons of places 1 and 2 at pins of their own, one strip of pixels, all of it
powered by the computer's USB port. It has no arena.
"""

from tablier_fw import wire

FILE = "tablier.table"
STARTER_PLACES, STARTER_RING = 0b11, 24
_RING = wire.GROUPS[wire.RING]


class Equipment:
    def __init__(
        self, places: int = wire.ALL_PLACES, ring: int = _RING, arena: bool = True, starter: bool = False
    ) -> None:
        """Raise :class:`ValueError` for what cannot be."""
        self.places = places
        """Bits of the places."""
        self.ring = ring
        """Pixels of the ring; the host paints 32, and those behind it are nowhere."""
        self.arena = arena
        self.starter = starter
        if not 0 < places <= wire.ALL_PLACES:
            raise ValueError("a table has places from 1 to 6")
        if not wire.RING_LEAST <= ring <= _RING:
            raise ValueError("a ring has %d to %d pixels" % (wire.RING_LEAST, _RING))
        if starter and (arena or places & ~STARTER_PLACES):
            raise ValueError("a starter has places 1 and 2 at most, and no arena")

    @property
    def whole(self) -> bool:
        """True if everything is there."""
        return self.places == wire.ALL_PLACES and self.ring == _RING and self.arena

    def buttons(self) -> int:
        """Return the bits of the buttons that are there."""
        bits = 0
        for place in range(wire.PLACES):
            if self.places >> place & 1:
                bits |= 0xF << 4 * place
        return bits

    def pixels(self) -> list:
        """Return the pixels that are there, by their place among all, in the order of the chains."""
        there = list(range(self.ring))
        start = _RING
        for group in range(wire.PUBLIC, len(wire.GROUPS)):
            for pixel in range(wire.GROUPS[group]):
                place = pixel if group == wire.PUBLIC else group - wire.HOOD
                if self.places >> place & 1:
                    there.append(start + pixel)
            start += wire.GROUPS[group]
        return there

    def text(self) -> str:
        """Return the line that :func:`read` reads."""
        numbers = [str(place + 1) for place in range(wire.PLACES) if self.places >> place & 1]
        values = ",".join(numbers), self.ring, _NO_YES[self.arena], _NO_YES[self.starter]
        return "places=%s ring=%d arena=%s starter=%s" % values


_NO_YES = ("no", "yes")


def places_of(text: str) -> int:
    """Return the bits of places that are written as ``1,2,5``. Raise :class:`ValueError`."""
    bits = 0
    for number in text.split(","):
        if number not in ("1", "2", "3", "4", "5", "6"):
            raise ValueError("places are written as 1,2,5, from 1 to 6")
        bits |= 1 << int(number) - 1
    return bits


def read(text: str) -> Equipment:
    """Return the equipment that a line says; what it does not say is there. Raise :class:`ValueError`.

    A list that cannot be read must not count as none: a starter would take more current than USB gives.
    """
    values = {"places": "1,2,3,4,5,6", "ring": str(_RING), "arena": "yes", "starter": "no"}
    for word in text.split():
        name, _, value = word.partition("=")
        if name not in values:
            raise ValueError("unknown equipment: " + word)
        values[name] = value
    for name in ("arena", "starter"):
        if values[name] not in _NO_YES:
            raise ValueError(name + " is yes or no")
    return Equipment(
        places_of(values["places"]), int(values["ring"]), values["arena"] == "yes", values["starter"] == "yes"
    )
