"""The facts of a game: what an ended one shows of how its players play, for tables over many games.

Facts follow from the moves that everybody may know when the game is over, and from nothing else: not from who played,
when, or at which table. A number counts something and adds up over games; a word is one of a few and is tallied.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tablier.games.core import TABLE, Move, Position, Rules, shown
from tablier.games.core.parts import Part, called
from tablier.texts import Text

FIRST_MOVE = "first_move"
"""The fact that every game has: the first move that a seat makes, as it types it."""

_KEY = re.compile("[a-z][a-z_]{0,29}")
_new = tuple.__new__  # of steps and facts, whose own is written in Python: half the time


class Step(NamedTuple):
    """A move of an ended game, between the states before and after it."""

    before: Any
    move: Move
    after: Any


class Fact(NamedTuple):
    """One thing that an ended game shows. A game has at most one of a seat and a key."""

    seat: int
    """The seat that it is about; 0 for the game as a whole."""
    what: str
    """Its key in :attr:`Facts.seats` or, for the game as a whole, in :attr:`Facts.game`."""
    value: str | int
    """A count, at least 1; or a word, in notation or one of :attr:`Facts.values`."""


@dataclass(frozen=True, kw_only=True)
class Facts(Part):
    """A game's ``FACTS``, in its ``facts.py``."""

    game: Mapping[str, Text] = field(default_factory=dict)
    """The facts about the game as a whole, by key: what a table of them is headed with, as "duels that ended in
    peace". Its numbers all count the same kind of thing, such as duels: they are drawn on one axis. No fact here or in
    :attr:`seats` is another one told again, as the sum of all seats."""
    seats: Mapping[str, Text] = field(default_factory=dict)
    """The same for the facts about a seat; :data:`FIRST_MOVE` need not be named."""
    values: Mapping[str, Text] = field(default_factory=dict)
    """By value: its name, where a value is a word that is not notation."""
    tell: Callable[[Rules[Any], Sequence[Step], Any], Iterable[Fact]] | None = None
    """``tell(rules, steps, last)``: Return the facts of an ended game but for its first move. ``steps`` are its moves
    that everybody may know by now, first to last, those of the table included; ``last`` is its last state. A number
    that is 0 is left out.

    A state also holds what nobody was shown. Use what the moves tell and what ``rules.view(last, None)`` shows. Do not
    ask for legal moves: archives do this for a million games."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for key, text in (*self.game.items(), *self.seats.items(), *self.values.items()):
            if not isinstance(text, Text):
                raise TypeError(f"{shown(key)} must have a text, not {shown(text)}")
        for key in (*self.game, *self.seats):
            if not _KEY.fullmatch(key):
                raise TypeError(f"{shown(key)} is no key: at most 30 small letters and _")
        if twice := sorted(self.game.keys() & {FIRST_MOVE, *self.seats}):
            raise TypeError(f"{twice[0]} is a fact about the game or about a seat, not both")

    @property
    def names(self) -> dict[str, Text]:
        """Return the name of each fact by its key, those about the game first."""
        return {**self.game, FIRST_MOVE: _FIRST_MOVE, **self.seats}

    def of(self, position: Position[Any]) -> list[Fact]:
        """Return the facts of an ended game by seat and key. Raise ``ValueError`` while it runs, and
        :class:`tablier.games.core.parts.PartError` if the game's function fails.

        They are the same for the position of a record and for that of a session.
        """
        rules, last = position.rules, position.state
        if rules.to_move(last):
            raise ValueError("a game that is not over has no facts")
        steps = _public_steps(position)
        told = called(rules.name, "facts", "tell", lambda: self._told(rules, steps, last))
        return sorted((*_first_move(steps), *told))

    def _told(self, rules: Rules[Any], steps: Sequence[Step], last: Any) -> list[Fact]:
        if self.tell is None:
            return []
        facts = [fact for fact in self.tell(rules, steps, last) if fact.value != 0]
        for seat, what, value in facts:
            if not (what in self.seats and 1 <= seat <= rules.seats) and not (what in self.game and seat == TABLE):
                raise ValueError(f"{shown(what)} of seat {shown(seat)} is no fact of this game")
            if type(value) not in (int, str):
                raise TypeError(f"{what} is {shown(value)}, neither a whole number nor a word")
        if len({fact[:2] for fact in facts}) < len(facts):
            raise ValueError("a fact of a seat is told twice")
        return facts


def facts_from(counts: Mapping[tuple[int, str], int]) -> Iterator[Fact]:
    """Return counts by seat and key as facts."""
    for (seat, what), count in counts.items():
        yield _new(Fact, (seat, what, count))


def _public_steps(position: Position[Any]) -> list[Step]:
    """Return the moves of an ended game that everybody may know, without those that a session asked idly."""
    rules, last, history = position.rules, position.state, position.history()
    afters = [before for before, _ in history[1:]] + [last]
    steps = [_new(Step, (before, move, after)) for (before, move), after in zip(history, afters, strict=True)]
    # By default no move is idle and none is secret at the end: asking all the same would take half of this time.
    if type(rules).idle is not Rules.idle:
        steps = [step for step in steps if step.move != rules.idle(step.before)]
    if type(rules).secret is not Rules.secret:
        steps = [step for step in steps if not rules.secret(step.before, step.move, last)]
    return steps


def _first_move(steps: Iterable[Step]) -> Iterator[Fact]:
    for _, move, _ in steps:
        if move.actor != TABLE:
            yield Fact(move.actor, FIRST_MOVE, move.typed.rest)
            return


_FIRST_MOVE = Text("first move of the game")

FACTS = Facts()

__all__ = ["FACTS", "FIRST_MOVE", "Fact", "Facts", "Step", "facts_from"]
