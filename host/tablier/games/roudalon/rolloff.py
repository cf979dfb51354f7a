"""The roll-off of Le Roudalon: the highest throw of two dice begins (*Déroulement de la partie*).

All throw, clockwise from ``p1``; of those who are tied for the highest throw each throws again, as often as it takes.

Moves: ``table throw pN FACES``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier.games.core import (
    SETTLED,
    TABLE,
    Draw,
    Event,
    MalformedMove,
    Move,
    Prelude,
    parse_number,
    parse_seat,
    seat_name,
)
from tablier.games.roudalon.dice import FACES, MOST_DICE, falls
from tablier.texts import Json, Text, Who, all_of

BEGIN = "begin"
"""The phase of the view while it is thrown for who begins."""


class Throws(NamedTuple):
    """The state of the roll-off."""

    among: tuple[int, ...]
    """The seats that throw in this round; a single one begins the game."""
    thrown: tuple[int, ...] = ()
    """The sums thrown in this round by those of them who have thrown, in their order."""
    latest: tuple[tuple[int, ...], ...] = ()
    """The faces that each seat threw last; none before its first throw."""


class RollOff(Prelude[Throws]):
    name = "roudalon"
    title = "Le Roudalon"
    seat_counts = (4, 6)
    SETTLES = ("first",)
    TEXT = Text("Who begins? Each throws two dice; the highest throw begins, and those tied for it throw again.")

    def initial(self) -> Throws:
        return Throws(tuple(range(1, self.seats + 1)), (), ((),) * self.seats)

    def settled(self, state: Throws) -> Json:
        (first,) = state.among
        return {"first": seat_name(first)}

    def _thrower(self, state: Throws) -> int:
        return state.among[len(state.thrown)]

    def chance(self, state: Throws) -> Sequence[tuple[Move, int]]:
        if len(state.among) == 1:
            return ()
        seat = seat_name(self._thrower(state))
        return [(Move(TABLE, "throw", (seat, *faces)), weight) for faces, weight in falls(MOST_DICE)]

    def draw(self, state: Throws) -> Draw:
        thrower = self._thrower(state)

        def move(numbers: Sequence[int]) -> Move:
            return Move(TABLE, "throw", (seat_name(thrower), *(FACES[number] for number in sorted(numbers))))

        return Draw((len(FACES),) * MOST_DICE, move, thrower, dice=True)

    def refuse(self, state: Throws, move: Move) -> Text | None:
        if len(state.among) == 1:
            return SETTLED
        seat = self._thrower(state)
        return None if move.args[0] == seat_name(seat) else Text("{who} throws next for who begins", {"who": Who(seat)})

    def apply(self, state: Throws, move: Move) -> Throws:
        seat, faces = self._thrower(state), move.args[1:]
        thrown = (*state.thrown, sum(faces))
        latest = (*state.latest[: seat - 1], faces, *state.latest[seat:])
        if len(thrown) < len(state.among):
            return Throws(state.among, thrown, latest)
        among = tuple(seat for seat, own in zip(state.among, thrown, strict=True) if own == max(thrown))
        return Throws(among, (), latest)

    def view(self, state: Throws, seat: int | None) -> Json:
        """Return the view as the game begins, and besides: ``throws``, what each seat threw last; ``among``, who may
        still begin; ``waited``, those of them who have not thrown in this round."""
        turn = state.among[0] if len(state.among) == 1 else self._thrower(state)
        waited = state.among[len(state.thrown) :] if len(state.among) > 1 else ()
        return {
            **self.game.view(self.game.initial(), seat),
            "phase": BEGIN,
            "turn": seat_name(turn),
            "throws": {seat_name(seat): list(faces) for seat, faces in enumerate(state.latest, 1)},
            "among": [seat_name(seat) for seat in state.among],
            "waited": [seat_name(seat) for seat in waited],
        }

    def events(self, before: Throws, move: Move, after: Throws) -> list[Event]:
        faces = move.args[1:]
        about = {"who": Who(self._thrower(before)), "dice": all_of(faces), "sum": sum(faces)}
        events = [Event("throw", Text("{who} throws {dice}: {sum}.", about))]
        if len(after.among) == 1:
            events.append(Event("begins", Text("{who} begins the game.", {"who": Who(after.among[0])})))
        elif not after.thrown:
            tied = all_of([Who(seat) for seat in after.among])
            text = Text("{tied} are tied for the highest throw, and throw again.", {"tied": tied})
            events.append(Event("tied", text))
        return events

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor != TABLE or verb != "throw":
            raise self.wrong_verb(verb, ["throw"] if actor == TABLE else [])
        if len(args) != 3:
            raise MalformedMove("the form is: table throw pN FACES, with two faces")
        seat, faces = parse_seat(args[0], self.seats), sorted(parse_number(word) for word in args[1:])
        if seat == TABLE or not set(faces) <= set(FACES):
            raise MalformedMove("a seat throws, and each of its dice shows 1 to {most}", most=FACES[-1])
        return Move(TABLE, verb, (seat_name(seat), *faces))


__all__ = ["BEGIN", "RollOff", "Throws"]
