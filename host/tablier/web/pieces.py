"""What a channel says, in pieces: a page is sent those that it has not had, and of which pieces the state is made.

A state is JSON, cut before each object and each line of a text; an element of a drawing stands in a line of its own. A
move changes few pieces. Each channel numbers its own as they first come, so neither a number nor the length of an event
depends on another channel, such as another seat's: an event is made of what its own readers may see, as a whole state
would be. Nothing is compressed.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise

_KEPT, _TIMES = 1 << 16, 4
"""The most that pieces may measure together, in characters, and as a multiple of the state that is made of them."""


class Pieces:
    """The pieces of which the states of a channel were made, in one language."""

    def __init__(self, text: str) -> None:
        self._numbers: dict[tuple[str, int], int] = {}
        """By piece, and how often the state has it before: so what stands in a row keeps its numbers in a row."""
        self._texts: list[str] = []
        self._length = 0
        self.made: list[int] = []
        """Of which the latest state is made: the number of the first piece of a run and how many, in turns."""
        self.used: set[int] = set()
        self.say(text)

    @property
    def full(self) -> bool:
        """Return whether so much has come together that it is better to begin anew."""
        return self._length > _KEPT + _TIMES * sum(len(self._texts[number]) for number in self.used)

    def say(self, text: str) -> None:
        """Make a state of pieces, numbering the new ones."""
        order = []
        met: dict[str, int] = {}
        for piece in _cut(text):
            before = met.get(piece, 0)
            met[piece] = before + 1
            number = self._numbers.setdefault((piece, before), len(self._texts))
            if number == len(self._texts):
                self._texts.append(piece)
                self._length += len(piece)
            order.append(number)
        self.used = set(order)
        starts = [at for at, number in enumerate(order) if not at or number != order[at - 1] + 1]
        self.made = [each for at, end in pairwise([*starts, len(order)]) for each in (order[at], end - at)]

    def texts(self, numbers: Set[int]) -> dict[int, str]:
        """Return pieces by their numbers."""
        return {number: self._texts[number] for number in sorted(numbers)}


def _cut(text: str) -> list[str]:
    """Return the pieces of JSON: together they are the text."""
    return text.replace("{", "\0{").replace(r"\n", "\0" r"\n").split("\0")


__all__ = ["Pieces"]
