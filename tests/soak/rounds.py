"""Rounds for the soak, in which the table asks every kind of question, as densely as it can.

The product's own conductor conducts them. What each seat means to answer follows from the seed, the game and the round,
so the record that a game must end with is known before it begins.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from tablier.games.core import TABLE, Event, MalformedMove, Move, Position, Rules, seat_name
from tablier.games.core.questions import (
    Answered,
    Choice,
    Closed,
    Conditions,
    Done,
    Landed,
    Menu,
    Opened,
    Picked,
    Poll,
    Question,
    Restarted,
    Script,
    ScriptOf,
    Window,
)
from tablier.texts import Json, Text

SEATS = 6
ROUNDS = 25
"""The rounds of a game: few, so that a killed host has little to read again."""
CHOICE, MENU, POLL, WINDOW = Choice.kind, Menu.kind, Poll.kind, Window.kind
LABELS = (1, 2, 3, 4, 5)
QUIET_S = 30.0
_KINDS = (POLL, CHOICE, MENU, WINDOW)
_OFTEN = (60, 25, 13, 2)  # a window takes more than a second of table time, a poll less than a tenth


@dataclass(frozen=True)
class Round:
    """A round: its questions, and the intended answers."""

    kind: str
    seats: tuple[int, ...]
    """Who is asked."""
    answers: tuple[int, ...]
    """By seat, 0 where it is not asked: yes or no; the option; in a window, how many cards it throws."""
    throws: tuple[int, ...] = ()
    """A window's: whose card comes first, second, …"""

    @property
    def move(self) -> str:
        return "table round " + " ".join(map(str, self.answers))


@lru_cache(4096)
def meant(seed: int, game: int, number: int) -> Round:
    """The round of that number (from 0) of a game."""
    dice = random.Random(f"{seed} {game} {number}")
    kind = dice.choices(_KINDS, _OFTEN)[0]
    everybody = tuple(range(1, SEATS + 1))
    if kind == MENU:
        seat = dice.choice(everybody)
        return Round(kind, (seat,), tuple(dice.randrange(len(LABELS)) * (other == seat) for other in everybody))
    if kind == CHOICE:
        seats = tuple(sorted(dice.sample(everybody, dice.randint(2, SEATS))))
        return Round(kind, seats, tuple(dice.randrange(2) * (seat in seats) for seat in everybody))
    if kind == WINDOW:
        throws = tuple(dice.choice(everybody) for _ in range(dice.randint(1, 4)))
        return Round(kind, everybody, tuple(throws.count(seat) for seat in everybody), throws)
    return Round(kind, everybody, tuple(dice.randrange(2) for _ in everybody))


def record(seed: int, game: int) -> list[str]:
    """The moves that a game must end with."""
    return [meant(seed, game, number).move for number in range(ROUNDS)]


class State(NamedTuple):
    done: int


class Rounds(Rules[State]):
    """Just enough of a game for the conductor."""

    name = "soak"
    title = "Soak"
    seat_counts = (SEATS,)
    OPTIONS = {}

    def initial(self) -> State:
        return State(0)

    def to_move(self, state: State) -> tuple[int, ...]:
        return (*range(1, SEATS + 1), TABLE) if state.done < ROUNDS else ()

    def legal(self, state: State) -> Sequence[Move]:
        return ()

    def refuse(self, state: State, move: Move) -> Text | None:
        return None if state.done < ROUNDS else Text("all rounds were played")

    def apply(self, state: State, move: Move) -> State:
        return State(state.done + 1)

    def scores(self, state: State) -> tuple[float, ...]:
        return (0.0,) * SEATS

    def winners(self, state: State) -> tuple[int, ...]:
        return ()

    def ending(self, state: State) -> str | None:
        return "done" if state.done == ROUNDS else None

    def view(self, state: State, seat: int | None) -> Json:
        """Return a view that lights something else in each round."""
        lives = {seat_name(seat): (state.done + seat) % 5 for seat in range(1, SEATS + 1)}
        return {"phase": "offer", "turn": seat_name(state.done % SEATS + 1), "lives": lives}

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        return []

    def describe(self, state: State) -> Json:
        return {"done": state.done}

    def read(self, description: Json) -> State:
        return State(description["done"])

    def faults(self, state: State) -> list[str]:
        return []

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor != TABLE or verb != "round" or len(args) != SEATS or not all(arg.isdigit() for arg in args):
            raise MalformedMove(f"a round has {SEATS} numbers, not {args}")
        return Move(actor, verb, tuple(map(int, args)))


def script(seed: int, game: int) -> ScriptOf:
    """Run a round at the table. After a restart of the table whoever is not in the log is asked again."""

    def script_of(position: Position[Any], conditions: Conditions) -> Script:
        return _round(meant(seed, game, position.state.done))

    return script_of


def _round(this: Round) -> Script:
    question = _question(this, this.seats, 0)
    said: dict[int, int] = {}
    landed, done, closed = 0, set[int](), False
    while not closed if this.kind == WINDOW else len(said) < len(this.seats):
        reply = yield question
        if isinstance(reply, Answered):
            said[reply.seat] = int(reply.yes)
        elif isinstance(reply, Picked):
            said[reply.seat] = reply.option
        elif isinstance(reply, Opened):
            said[reply.seat] = reply.choice
        elif isinstance(reply, Landed):
            landed += 1
        elif isinstance(reply, Done):
            done.add(reply.seat)
        elif isinstance(reply, Closed):
            closed = True
        elif isinstance(reply, Restarted):
            if this.kind == CHOICE:
                said.clear()  # what was locked was bound to the boot that has ended
            left = tuple(seat for seat in this.seats if seat not in said and seat not in done)
            if not left:
                break
            question = _question(this, left, landed)
    if this.kind == WINDOW:
        # Nothing tells whose a card is: they are counted for those who meant to throw, in that order.
        throwers = (*this.throws, *[1] * landed)[:landed]
        said = {seat: throwers.count(seat) for seat in range(1, SEATS + 1)}
    return [Move(TABLE, "round", tuple(said.get(seat, 0) for seat in range(1, SEATS + 1)))]


def _question(this: Round, seats: tuple[int, ...], landed: int) -> Question:
    text = Text("")
    if this.kind == CHOICE:
        options = ("no", "yes")
        moves = {seat: tuple(Move(seat, option) for option in options) for seat in seats}
        return Choice(CHOICE, seats, text, options=options, moves=moves)
    if this.kind == MENU:
        return Menu(MENU, seats, text, options=tuple(Text(str(label)) for label in LABELS), labels=LABELS)
    if this.kind == POLL:
        return Poll(POLL, seats, text)
    return Window(WINDOW, seats, text, quiet_s=QUIET_S, seen=landed)
