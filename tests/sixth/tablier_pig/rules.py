"""The rules of Pig.

In turn each player throws a die as often as they like. What it shows is added to the pot; a 1 loses the pot and ends
the turn. Holding banks the pot and ends the turn. The first to bank the goal wins; after the last round, most wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier.games.core import (
    TABLE,
    Event,
    MalformedMove,
    Move,
    Option,
    Rules,
    left_of,
    parse_number,
    seat_name,
)
from tablier.texts import Json, Text, TextError, Typed, Who

FACES = range(1, 7)
TURN, DIE, OVER = "turn", "die", "over"


class State(NamedTuple):
    phase: str
    turn: int
    pot: int
    banked: tuple[int, ...]
    round: int


def number_option(allowed: range) -> Any:
    """Return the check of an option that is a whole number."""

    def check(value: Any, seats: int) -> int:
        if type(value) is int and value in allowed:
            return value
        raise TextError("a whole number from {least} to {most}", least=allowed[0], most=allowed[-1])

    return check


class Pig(Rules[State]):
    name = "pig"
    title = "Pig"
    seat_counts = (2, 3, 4)
    OPTIONS = {
        "goal": Option(30, number_option(range(10, 101)), Text("points that win")),
        "rounds": Option(20, number_option(range(1, 101)), Text("rounds until the game ends anyway")),
    }
    most_legal = len(FACES)

    def __init__(self, seats: int, options: Json | None = None) -> None:
        super().__init__(seats, options)
        self.goal: int = self.options["goal"]
        # A turn has a throw and its die for each 2 points at least, and a last move.
        self.longest = self.options["rounds"] * seats * (self.goal + 3)

    def initial(self) -> State:
        return State(TURN, 1, 0, (0,) * self.seats, 1)

    def legal(self, state: State) -> Sequence[Move]:
        if state.phase == DIE:
            return [Move(TABLE, "die", (face,)) for face in FACES]
        if state.phase == OVER:
            return []
        verbs = ["roll"] if self._has(state) < self.goal else []
        return [Move(state.turn, verb) for verb in (*verbs, *(["hold"] if state.pot else []))]

    def chance(self, state: State) -> Sequence[tuple[Move, int]]:
        return [(move, 1) for move in self.legal(state)] if state.phase == DIE else ()

    def apply(self, state: State, move: Move) -> State:
        if move.verb == "roll":
            return state._replace(phase=DIE)
        if move.verb == "die":
            face = move.args[0]
            return self._next(state, 0) if face == 1 else state._replace(phase=TURN, pot=state.pot + face)
        return self._next(state, state.pot)

    def _has(self, state: State) -> int:
        return state.banked[state.turn - 1] + state.pot

    def _next(self, state: State, gained: int) -> State:
        banked = tuple(has + gained * (seat == state.turn) for seat, has in enumerate(state.banked, 1))
        turn = left_of(state.turn, self.seats)
        number = state.round + (turn == 1)
        if max(banked) >= self.goal or number > self.options["rounds"]:
            return State(OVER, state.turn, 0, banked, state.round)
        return State(TURN, turn, 0, banked, number)

    def scores(self, state: State) -> tuple[float, ...]:
        return state.banked

    def view(self, state: State, seat: int | None) -> Json:
        banked = {seat_name(seat): has for seat, has in enumerate(state.banked, 1)}
        return {**self.describe(state), "turn": seat_name(state.turn), "banked": banked}

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        who = Who(before.turn)
        if move.verb == "roll":
            return [Event("roll", Text("{who} throws.", {"who": who}))]
        if move.verb == "hold":
            return [Event("hold", Text("{who} banks {pot}.", {"who": who, "pot": before.pot}))]
        about = {"who": who, "face": move.args[0]}
        if move.args[0] == 1:
            return [Event("die", Text("The die of {who} shows {face} and the pot is lost.", about))]
        return [Event("die", Text("The die of {who} shows {face}.", about))]

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor == TABLE:
            if verb != "die":
                raise self.wrong_verb(verb, ["die"])
            if len(args) != 1 or parse_number(args[0]) not in FACES:
                raise MalformedMove("the form is: table die FACE, with a face from 1 to 6")
            return Move(TABLE, verb, (int(args[0]),))
        if verb not in ("roll", "hold"):
            raise self.wrong_verb(verb, ["roll", "hold"])
        if args:
            raise MalformedMove("'{move}' takes nothing more", move=Typed("pN", verb))
        return Move(actor, verb)
