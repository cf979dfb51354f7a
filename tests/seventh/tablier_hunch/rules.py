"""The rules of Hunch.

In each round all guess in secret, low (1 to 3) or high (4 to 6). When all have guessed, the guesses are opened and a
die is thrown: who is right has a point, who alone is right has two. Most points win. The first round's die is thrown by
p1, the next one's by the next player to the left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier.games.core import TABLE, Draw, Event, MalformedMove, Move, Option, Rules, parse_number, seat_name
from tablier.texts import Json, Text, TextError, Typed, Who

FACES = range(1, 7)
GUESSES = ("low", "high")
GUESS, DIE, OVER = "guess", "die", "over"


class State(NamedTuple):
    phase: str
    round: int
    guesses: tuple[str, ...]
    """Seat by seat; empty for a seat that has not guessed."""
    points: tuple[int, ...]


def rounds_option(value: Any, seats: int) -> int:
    if type(value) is int and 1 <= value <= 50:
        return value
    raise TextError("a whole number from 1 to 50")


class Hunch(Rules[State]):
    name = "hunch"
    title = "Hunch"
    seat_counts = (2, 3, 4)
    OPTIONS = {"rounds": Option(3, rounds_option, Text("rounds until the game ends"))}
    most_legal = len(FACES)

    def __init__(self, seats: int, options: Json | None = None) -> None:
        super().__init__(seats, options)
        self.longest = self.options["rounds"] * (seats + 1)

    def initial(self) -> State:
        return State(GUESS, 1, ("",) * self.seats, (0,) * self.seats)

    def thrower(self, state: State) -> int:
        return (state.round - 1) % self.seats + 1

    def legal(self, state: State) -> Sequence[Move]:
        if state.phase == GUESS:
            waited = [seat for seat, guess in enumerate(state.guesses, 1) if not guess]
            return [Move(seat, "guess", (guess,)) for seat in waited for guess in GUESSES]
        return [Move(TABLE, "die", (face,)) for face in FACES] if state.phase == DIE else []

    def chance(self, state: State) -> Sequence[tuple[Move, int]]:
        return [(move, 1) for move in self.legal(state)] if state.phase == DIE else ()

    def draw(self, state: State) -> Draw:
        return Draw(
            (len(FACES),), lambda numbers: Move(TABLE, "die", (FACES[numbers[0]],)), self.thrower(state), dice=True
        )

    def apply(self, state: State, move: Move) -> State:
        if move.verb == "guess":
            guesses = (*state.guesses[: move.actor - 1], move.args[0], *state.guesses[move.actor :])
            return state._replace(guesses=guesses, phase=DIE if all(guesses) else GUESS)
        right = [guess == GUESSES[move.args[0] > 3] for guess in state.guesses]
        gain = 2 if sum(right) == 1 else 1
        points = tuple(has + gain * hit for has, hit in zip(state.points, right, strict=True))
        if state.round == self.options["rounds"]:
            return State(OVER, state.round, ("",) * self.seats, points)
        return State(GUESS, state.round + 1, ("",) * self.seats, points)

    def scores(self, state: State) -> tuple[float, ...]:
        return state.points

    def view(self, state: State, seat: int | None) -> Json:
        """All lies open but the guesses of others, until all have guessed."""
        shown = [
            guess if who == seat or not guess or state.phase == DIE else "made"
            for who, guess in enumerate(state.guesses, 1)
        ]
        names = [seat_name(who) for who in range(1, self.seats + 1)]
        return {
            "round": state.round,
            "turn": seat_name(self.thrower(state)),
            "guesses": dict(zip(names, shown, strict=True)),
            "points": dict(zip(names, state.points, strict=True)),
        }

    def secret(self, before: State, move: Move, now: State) -> bool:
        """A guess is secret until all have guessed."""
        return move.verb == "guess" and now.phase == GUESS and now.round == before.round

    def events(self, before: State, move: Move, after: State) -> list[Event]:
        if move.verb == "die":
            about = {"who": Who(self.thrower(before)), "face": move.args[0]}
            return [Event("die", Text("{who} throws a {face}.", about))]
        events = [Event("guess", Text("{who} has guessed.", {"who": Who(move.actor)}))]
        if after.phase == DIE:
            each = [
                Text("{who} {guess}", {"who": Who(seat), "guess": Text(guess)})
                for seat, guess in enumerate(after.guesses, 1)
            ]
            events.append(Event("opened", Text("The guesses: {guesses}.", {"guesses": each})))
        return events

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        own = "guess" if actor else "die"
        if verb != own:
            raise self.wrong_verb(verb, [own])
        if actor and args in ([guess] for guess in GUESSES):
            return Move(actor, verb, tuple(args))
        if not actor and len(args) == 1 and parse_number(args[0]) in FACES:
            return Move(actor, verb, (int(args[0]),))
        form = Typed("pN", "guess low|high") if actor else Typed("table", "die FACE")
        raise MalformedMove("the form is: {form}", form=form)
