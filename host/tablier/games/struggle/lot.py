"""The lot that decides who begins Struggle (*Préparation du jeu*).

Moves: ``table lot pN``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tablier.games.core import SETTLED, TABLE, Event, MalformedMove, Move, Prelude, parse_seat, seat_name
from tablier.texts import Json, Text, Who

BEGIN = "begin"
"""The phase of the view while the lot is drawn."""


class Drawn(NamedTuple):
    """The seat that the lot has fallen on; 0 before it is drawn."""

    first: int = 0


class Lot(Prelude[Drawn]):
    name = "struggle"
    title = "Struggle"
    seat_counts = (2, 3, 4)
    SETTLES = ("first",)
    TEXT = Text("Who begins? The table draws lots.")

    def initial(self) -> Drawn:
        return Drawn()

    def settled(self, state: Drawn) -> Json:
        return {"first": seat_name(state.first)}

    def chance(self, state: Drawn) -> Sequence[tuple[Move, int]]:
        if state.first:
            return ()
        return [(Move(TABLE, "lot", (seat_name(seat),)), 1) for seat in range(1, self.seats + 1)]

    def refuse(self, state: Drawn, move: Move) -> Text | None:
        return SETTLED if state.first else None

    def apply(self, state: Drawn, move: Move) -> Drawn:
        return Drawn(parse_seat(move.args[0], self.seats))

    def view(self, state: Drawn, seat: int | None) -> Json:
        """Return the view as the game begins. Nobody has the turn before the lot is drawn."""
        turn = seat_name(state.first) if state.first else None
        return {**self.game.view(self.game.initial(), seat), "phase": BEGIN, "turn": turn}

    def events(self, before: Drawn, move: Move, after: Drawn) -> list[Event]:
        return [Event("begins", Text("The lot falls on {who}, who begins.", {"who": Who(after.first)}))]

    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        if actor != TABLE or verb != "lot":
            raise self.wrong_verb(verb, ["lot"] if actor == TABLE else [])
        seat = parse_seat(args[0], self.seats) if len(args) == 1 else TABLE
        if seat == TABLE:
            raise MalformedMove("the form is: table lot pN")
        return Move(TABLE, verb, (seat_name(seat),))


__all__ = ["BEGIN", "Drawn", "Lot"]
