"""The seats of a game, and who has them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablier.texts import Json

AT_TABLE, AT_SCREEN = "table", "screen"
"""Sources: a person at a place of the table, a person at a screen. Every other source is a bot."""


@dataclass(frozen=True)
class Seat:
    """A role in a game: who has it, at which place, and what decides for it."""

    name: str
    place: int
    """0 where it has none."""
    source: str
    simulated: str = ""
    """At a simulated table: the bot that decides for a simulated person."""

    @staticmethod
    def read(body: Json) -> Seat:
        """Return a seat as the log has it."""
        return Seat(body["name"], body["place"], body["source"], body.get("simulated", ""))

    def to_json(self) -> Json:
        """Return the seat without what is only of interest to the log."""
        return {"name": self.name, "place": self.place, "source": self.source}

    @property
    def at_table(self) -> bool:
        return self.source == AT_TABLE

    @property
    def at_screen(self) -> bool:
        return self.source == AT_SCREEN

    @property
    def is_bot(self) -> bool:
        return not (self.at_table or self.at_screen)

    @property
    def is_person(self) -> bool:
        """Return whether somebody of flesh and blood has it: a simulated person does not count."""
        return not (self.is_bot or self.simulated)


def may_practise(seats: Iterable[Seat]) -> bool:
    """Return whether a game with these seats may be practice: one person has a seat, nobody else but bots and
    simulated people."""
    return sum(seat.is_person for seat in seats) == 1
