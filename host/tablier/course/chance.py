"""Sources of chance. A game's log names them, by seat for dice, once for a bag or a deck: :class:`Sources`.

*A roll of the table* and *physical dice* entered in a tally are questions: :func:`script` asks them.

:class:`HostSeed`: the host draws from a seed that the log holds from the start of the game. An outcome is a function of
the seed and of how many moves stand before it, in the prelude or in the game: taking a move back and deciding again
throws the same dice. Every outcome follows from the log.

Chance may also complete a seat's move: it decides how a card lands without an arena. That is a function of the seed,
the number of moves and the seat. It comes from the host's seed whatever the other sources are, since a table that could
roll for it has an arena.
"""

from __future__ import annotations

import hmac
import os
from bisect import bisect_right
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, count
from operator import itemgetter
from typing import Any

from tablier.games.core import JUDGE, TABLE, Draw, Event, Move, OptionError, Position, Rules, seat_name, shown
from tablier.games.core.questions import Question, Reply, Restarted, Roll, Rolled, Script, Tallied, Tally
from tablier.texts import Json, Text, Who
from tablier_fw import wire

SEED_BYTES = 32
HOST, ROLL, TALLY = "host", "roll", "tally"
"""Sources of chance: the host's bound seed, a roll of the table, physical dice or creatures entered in a tally."""
SOURCES = (HOST, ROLL, TALLY)
VERSION = 2
"""Raised whenever the same entries of a roll or a tally lead to another draw, or a draw asks otherwise than before."""
_ABILITIES = {HOST: 0, ROLL: wire.CAN_ROLL | wire.CAN_TUMBLE, TALLY: wire.CAN_TALLY | wire.CAN_GIVE}


@dataclass(frozen=True)
class Sources:
    """The sources of chance of one game. Without any, all chance is the host's."""

    dice: tuple[str, ...] = ()
    """Seat by seat."""
    bag: str = HOST
    """Of a bag or a deck: one for the whole game."""

    @staticmethod
    def read(heading: Json) -> Sources:
        """Return the sources that the entry with which a game begins names."""
        body = heading.get("chance")
        return Sources() if body is None else Sources(tuple(body["dice"]), body["bag"])

    def to_json(self) -> Json:
        return {"dice": list(self.dice), "bag": self.bag}

    def check(self, rules: Rules[Any], at_table: Sequence[bool]) -> None:
        """Raise :class:`OptionError` where a source cannot be. ``at_table``: which seats sit at places of a table."""
        for source in (*self.dice, self.bag):
            if source not in SOURCES:
                raise OptionError(
                    "there is no source of chance {source}; there are: {known}",
                    source=shown(source),
                    known=list(SOURCES),
                )
        if self.dice and len(self.dice) != len(at_table):
            raise OptionError(
                "{given} sources of dice for {seats} seats; name one for each",
                given=len(self.dice),
                seats=len(at_table),
            )
        for seat, (source, sits) in enumerate(zip(self.dice, at_table, strict=False), 1):
            if source == TALLY and not sits:
                raise OptionError("{who} has no place to enter dice at; use roll or host", who=Who(seat))
        if self.bag == TALLY and not all(at_table):
            raise OptionError("a bag that a screen or a bot draws from is electronic; use roll or host")
        if ROLL in (*self.dice, self.bag) and not any(at_table):
            raise OptionError("nobody sits at a table that could roll; use host")
        if self.bag == TALLY and rules.chance(rules.initial()) and len(kinds(rules)) > wire.MAX_FACES:
            raise OptionError(
                "{count} different draws cannot be told apart in a tally (at most {most}); use roll or host",
                count=len(kinds(rules)),
                most=wire.MAX_FACES,
            )

    def of(self, draw: Draw) -> str:
        """Return the source of a draw."""
        if not draw.dice:
            return self.bag
        return self.dice[draw.seat - 1] if self.dice else HOST

    @property
    def host_alone(self) -> bool:
        """Return whether all chance is the host's."""
        return self.bag == HOST and all(source == HOST for source in self.dice)

    @property
    def abilities(self) -> int:
        """Return what the table must be able to do, as bits."""
        bits = 0
        for source in (*self.dice, self.bag):
            bits |= _ABILITIES[source]
        return bits


ALL_HOST = Sources()


def is_completed(rules: Rules[Any], move: Move, *, arena: bool) -> bool:
    """Return whether chance has decided a part of a seat's move; with an arena, what happens there decides it.

    A game has an arena from its beginning to its end, or never: the last person to throw there has to stay.
    """
    return not arena and bool(move.actor) and rules.attempt(move) != move


_SEAT_NAMES = frozenset(seat_name(seat) for seat in range(1, wire.PLACES + 1))


def kinds(rules: Rules[Any]) -> list[tuple[Any, ...]]:
    """Return what can be drawn from a bag, as a tally lists it: the same list however much of it is left, or it would
    tell what others hold."""
    return list(dict.fromkeys(kind_of(move) for move, _ in rules.chance(rules.initial())))


def kind_of(move: Move) -> tuple[Any, ...]:
    """Return what is drawn, without for whom; of a lot, on whom it falls."""
    return move.args[1:] or move.args if move.args[0] in _SEAT_NAMES else move.args


def script(position: Position[Any], source: str, at_table: Sequence[bool]) -> Script:
    """Ask for the table's next move by a roll or a tally."""
    rules, state = position.rules, position.state
    draw = rules.draw(state)
    sits = draw.seat != TABLE and at_table[draw.seat - 1]
    if source == ROLL:
        starts = (draw.seat,) if draw.dice and sits else ()
        who = {"who": Who(draw.seat)}
        text = Text("{who} rolls.", who, you="You roll.") if draw.seat else Text("The table rolls.")
        viewer = draw.seat if sits else 0
        question: Question = Roll("roll", starts, text, ranges=draw.ranges, secret=draw.secret, viewer=viewer)
    else:
        seat = draw.seat or at_table.index(True) + 1
        if draw.dice:
            you = "Throw the dice and enter them."
            text = Text("{who}, throw the dice and enter them.", {"who": Who(seat)}, you=you)
            if draw.given:
                you = "Throw the others and enter them; what you kept is on the left."
                others = "{who}, throw the others and enter them; what you kept is on the left."
                text = Text(others, {"who": Who(seat)}, you=you)
            count = len(draw.given) + len(draw.ranges)
            question = Tally("dice", (seat,), text, dice=count, faces=draw.ranges[0], given=draw.given)
        else:
            you = "Draw and enter what you drew."
            text = Text("{who}, draw and enter what you drew.", {"who": Who(seat)}, you=you)
            question = Tally("draw", (seat,), text, faces=len(kinds(rules)), secret=draw.secret)
    while True:
        reply = yield question
        if isinstance(reply, Rolled):
            return [draw.move(reply.numbers)]
        if isinstance(reply, Tallied) and isinstance(question, Tally):
            right = yield from confirmed(question, reply.faces)
            if right and draw.dice:
                return [draw.move(reply.faces[len(draw.given) :])]
            if right:
                entered = kinds(rules)[reply.faces[0]]
                for move, _ in rules.chance(state):
                    if kind_of(move) == entered:
                        return [move]
            # The same words for a slip and for what cannot be drawn any more: the others may not know which it was.
            you = "Enter once more what you drew."
            again = Text("{who}, enter once more what you drew.", {"who": Who(question.seats[0])}, you=you)
            question = replace(question, text=question.text if draw.dice else again)


def confirmed(entry: Tally, faces: tuple[int, ...], what: str = "check") -> Generator[Question, Reply, bool]:
    """Show a seat what it has entered; return whether it lets that stand. What it marks is wrong."""
    you = "Is that right? Mark what is wrong."
    text = Text("{who}: is that right? Mark what is wrong.", {"who": Who(entry.seats[0])}, you=you)
    shown = replace(entry, what=what, text=text, given=faces, mark=True)
    while True:
        reply = yield shown
        if isinstance(reply, Tallied):
            return not reply.kept
        if isinstance(reply, Restarted):
            shown = replace(shown)  # another object is asked again


def told_of(events: Iterable[Event], *, completed: bool) -> list[Event]:
    """Return what people are told of a move. What chance has decided is nobody's to judge."""
    return [event for event in events if not (completed and event.kind == JUDGE)]


class HostSeed:
    """The host's source of chance for a whole game."""

    def __init__(self, seed: bytes) -> None:
        self._keyed = hmac.new(seed, digestmod="sha256")

    @staticmethod
    def new() -> str:
        """Return a seed for a new game, in hexadecimal."""
        return os.urandom(SEED_BYTES).hex()

    def draw(self, position: Position[Any]) -> Move:
        """Return the table's move where the table alone can move."""
        outcomes = position.rules.chance(position.state)
        if not outcomes:
            (move,) = position.legal_moves
            return move
        rules = position.rules
        point = f"{rules.name} prelude {position.ply}" if rules.IN_PRELUDE else f"{rules.name} {position.ply}"
        return self._one_of(outcomes, point)

    def complete(self, position: Position[Any], move: Move) -> Move:
        """Return what a seat's attempt comes to; a move of which it decides all is what it is.

        Which card it is does not matter, only whose and when: nobody finds by taking back the one that lands well.
        """
        outcomes = position.rules.outcomes(move)
        if not outcomes:
            return move
        return self._one_of(outcomes, f"{position.rules.name} {position.ply} {seat_name(move.actor)}")

    def _one_of(self, outcomes: Sequence[tuple[Move, int]], point: str) -> Move:
        """Return one of the moves, by their weights."""
        reach = list(accumulate(map(itemgetter(1), outcomes)))
        return outcomes[bisect_right(reach, self._below(reach[-1], point))][0]

    def _below(self, total: int, point: str) -> int:
        """Return a number below ``total``, every one as likely as any other."""
        for turn in count():
            draw = self._keyed.copy()
            draw.update(f"{point} {turn}".encode())
            drawn = int.from_bytes(draw.digest(), "big")
            number = drawn % total
            if drawn - number <= (1 << 256) - total:  # else not all numbers could come from here on
                return number
        raise AssertionError
