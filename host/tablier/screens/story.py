"""The news as paragraphs, one a turn, without sentences that later ones make superfluous."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

KEPT = 400
"""The most sayings that a story remembers of earlier messages."""


class Saying(NamedTuple):
    """One sentence of a turn; a note has no turn.

    ``number`` rises; a screen's own sentences lie between two of the game's.
    """

    number: float
    kind: str
    text: str
    turn: str | None
    style: str = ""
    key: object = None
    """The same for viewers that were told the same: each numbers what it may see."""
    at: int = 0
    """The number of the move that it tells of, 0 for none."""


class Turn(NamedTuple):
    """A paragraph."""

    style: str
    moves: tuple[str, ...]
    """The sentences of each of its moves."""


@dataclass
class Story:
    """The sayings for one viewer.

    ``overtaken``: by kind of saying, the kinds that make it superfluous if they follow in the same turn; ``untold``:
    kinds left out, because they happen in every turn and show on the board.
    """

    overtaken: Mapping[str, Sequence[str]] = field(default_factory=dict)
    untold: Sequence[str] = ()
    sayings: list[Saying] = field(default_factory=list)
    _decisions: list[float] = field(default_factory=list)
    """The number of the newest saying at each decision that was made here: a new paragraph begins after it."""

    _numbered: int = 0
    """The number of the move that was told last."""

    @property
    def newest(self) -> float:
        return self.sayings[-1].number if self.sayings else 0

    @property
    def next(self) -> float:
        """Return a number for what has none: after the newest saying, before the game's next one."""
        return self.newest + 1 / 1024

    def say(self, saying: Saying) -> None:
        """Take a saying; put the move's number before its first one."""
        if saying.kind in self.untold:
            return
        if saying.at and saying.at != self._numbered:
            saying = saying._replace(text=f"{saying.at}. {saying.text}")
        if saying.at or saying.kind == "takeback":
            self._numbered = saying.at
        self.sayings.append(saying)

    def trim(self) -> None:
        """Forget what is old. Done before a message and not within one: all that it brings can be printed, however
        many moves it tells of."""
        del self.sayings[:-KEPT]

    def note(self, text: str, key: object) -> None:
        """Add a sentence that is not news of the game. ``key``: that of the :class:`Saying`."""
        self.say(Saying(self.next, "note", text, None, "note", key))

    def decided(self) -> None:
        """Mark all sayings as read: somebody here has decided."""
        self._decisions.append(self.newest)

    def paragraphs(self) -> list[tuple[str, str]]:
        """Return style and text of each paragraph, the oldest first; style ``old`` if it was read."""
        return [(each.style, " ".join(each.moves)) for each in self.turns()]

    def turns(self) -> list[Turn]:
        """Return the paragraphs, each with its moves apart."""
        read = self._decisions[-1] if self._decisions else 0
        found: list[list[Saying]] = []
        for saying in self.sayings:
            if found and self._continues(found[-1], saying):
                found[-1] = [each for each in found[-1] if saying.kind not in self.overtaken.get(each.kind, ())]
                found[-1].append(saying)
            else:
                found.append([saying])
        return [
            Turn(part[-1].style or ("old" if part[-1].number <= read else ""), tuple(_by_move(part))) for part in found
        ]

    def _continues(self, part: Sequence[Saying], saying: Saying) -> bool:
        last = part[-1]
        if saying.turn is None or last.turn != saying.turn:
            return False
        at = bisect_left(self._decisions, last.number)
        return not (at < len(self._decisions) and self._decisions[at] < saying.number)


def _by_move(part: Sequence[Saying]) -> list[str]:
    """Return the sentences of a paragraph, those of a move together."""
    found: list[str] = []
    numbered = 0
    for saying in part:
        if found and saying.at in (0, numbered):
            found[-1] += f" {saying.text}"
        else:
            found.append(saying.text)
        numbered = saying.at or numbered
    return found


__all__ = ["KEPT", "Saying", "Story", "Turn"]
