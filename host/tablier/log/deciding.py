"""Who decided for a seat: what bots decided for a person, and others for a bot. Pure functions.

Every move of the log says what it came from, and ``sits`` what decides for a seat from then on. A result belongs to
who has a seat as far as nobody else has decided there: this is the one place that says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tablier.log.bodies import BY_PEOPLE
from tablier.log.chain import Entry
from tablier.texts import Text, TextError, all_of, counted, source_text

KINDS = ("sits", "move", "takeback", "reply")
"""The kinds of entries from which it follows."""
_DECIDED = Text("{bot}", context="a bot that has decided")
_CORRECTED = "correction"
"""The source of a move that was corrected, or follows one that was: who decided it before has decided it."""


class StandIn(NamedTuple):
    """What others decided at a seat, of all that stands."""

    seat: int
    by: tuple[str, ...]
    """Their sources, in the order of their first decisions."""
    first: int
    """The number of the move that they decided first, or before which they passed."""
    decisions: int
    """Their moves and passes."""
    total: int
    """The seat's own, and those that others decided for it."""
    to_the_end: bool
    """Return True where all that the seat decided from ``first`` on is theirs."""

    def text(self, names: Sequence[str]) -> Text:
        """Return a clause that says so. ``names``: the players, first seat first."""
        who = [Text("a person") if source in BY_PEOPLE else _DECIDED.of(bot=source_text(source)) for source in self.by]
        about = {"who": all_of(who), "name": names[self.seat - 1], "first": self.first, "total": self.total}
        if self.to_the_end:
            return Text("{who} played for {name} from move {first}", about)
        one, many = "{who} decided {count} of {name}'s {total} moves", "{who} decided {count} of {name}'s {total} moves"
        return counted(self.decisions, one, many, **about)


class Decisions:
    """The decisions of one game that stand, of the entries that were taken."""

    def __init__(self, seats: Sequence[Mapping[str, Any]]) -> None:
        """``seats``: those with which the game began."""
        self._seats = seats
        self._sources = [str(seat["source"]) for seat in seats]
        self._moves: list[tuple[int, str]] = []
        """Of each move that stands: its seat, 0 for the table, and what decided it."""
        self._passes: list[tuple[int, int, str]] = []
        """How many moves stood; the seat; what decided."""
        self._replaced: dict[int, tuple[int, str]] = {}
        """The moves that the last takeback has taken back, by how many stood before each."""

    def take(self, entry: Entry) -> None:
        """Take the next entry of :data:`KINDS`. Raise ``ValueError`` for one that cannot be."""
        try:
            self._take(entry)
        except (AttributeError, LookupError, TypeError) as error:
            text = "entry {n} is not what this program writes ({error})"
            raise TextError(text, n=entry.n, error=repr(error)) from None

    def _take(self, entry: Entry) -> None:
        kind, body, ply = entry.kind, entry.body, len(self._moves)
        if kind == "sits":
            if 1 <= (seat := body["seat"]) <= len(self._sources):
                self._sources[seat - 1] = body["source"]
        elif kind == "move":
            actor, by = _actor(body["text"], len(self._sources)), body["by"]
            if actor and by == _CORRECTED:
                before = self._replaced.get(ply, (0, ""))
                by = before[1] if before[0] == actor else self._sources[actor - 1]
            self._moves.append((actor, by))
        elif kind == "takeback":
            to = body["to"]
            self._replaced = dict(enumerate(self._moves[to:], to))
            del self._moves[to:]
            self._passes = [each for each in self._passes if each[0] < to]
        elif _is_pass(body) and 1 <= (seat := body["seat"]) <= len(self._sources):
            self._passes.append((ply, seat, self._sources[seat - 1]))

    @property
    def stand_ins(self) -> tuple[StandIn, ...]:
        """Return what others than those who have the seats decided there."""
        made = [(at, seat, by) for at, (seat, by) in enumerate(self._moves) if seat]
        decided = sorted([*made, *self._passes], key=lambda each: each[0])
        found = (_stand_in(number, seat, decided) for number, seat in enumerate(self._seats, 1))
        return tuple(each for each in found if each is not None)


def _stand_in(number: int, seat: Mapping[str, Any], decided: Sequence[tuple[int, int, str]]) -> StandIn | None:
    own = [(at, by, not _is_own(seat, by)) for at, who, by in decided if who == number]
    others = [(at, by) for at, by, other in own if other]
    if not others:
        return None
    first = others[0][0]
    by = tuple(dict.fromkeys(source for _, source in others))
    to_the_end = all(other for at, _, other in own if at >= first)
    return StandIn(number, by, first + 1, len(others), len(own), to_the_end)


def _is_own(seat: Mapping[str, Any], source: str) -> bool:
    """Return whether a source is who has the seat."""
    if "person" in seat:
        return source in BY_PEOPLE
    return bool(source == seat["source"])


def _actor(text: str, seats: int) -> int:
    """Return the seat that a move is of, 0 for the table."""
    actor = text.partition(" ")[0]
    return next((seat for seat in range(1, seats + 1) if actor == f"p{seat}"), 0)


def _is_pass(body: Mapping[str, Any]) -> bool:
    return body.get("event") == "done" or (body.get("event") == "played" and body.get("move", "") is None)


__all__ = ["KINDS", "Decisions", "StandIn"]
