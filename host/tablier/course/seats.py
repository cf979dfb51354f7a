"""The seats of a game, and who has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tablier.texts import Json, Text, Who

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
        """Return a seat as the log has it. In an entry a person has no name, but an id."""
        return Seat(
            body["name"] if "name" in body else body["person"], body["place"], body["source"], body.get("simulated", "")
        )

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


def seated(seats: Sequence[Seat], first: Sequence[Seat], seat: int, source: str) -> tuple[Seat, ...]:
    """Return seats of which one has another source. ``first``: those with which the game began; a simulated person is
    one at the table alone."""
    simulated = first[seat - 1].simulated if source == AT_TABLE else ""
    new = replace(seats[seat - 1], source=source, simulated=simulated)
    return (*seats[: seat - 1], new, *seats[seat:])


def sits(kind: str, body: Json, seats: int) -> bool:
    """Return whether an entry says what decides for one of the ``seats`` from now on."""
    seat = body.get("seat")
    return kind == "sits" and type(seat) is int and 1 <= seat <= seats and {"source", "by"} <= body.keys()


def seated_text(
    before: Seat, source: str, seat: int, by: int, why: Text | None = None, *, failed: bool = False
) -> Text:
    """Return what people are told when a seat gets another source. ``by``: the seat itself, or 0.

    ``failed``: it is a built-in bot in place of one that failed, for the reason ``why`` where that may be told.
    """
    about = {"who": Who(seat)}
    if why is not None:
        return Text("{who}'s bot is out: it {why}. A built-in bot takes over.", {**about, "why": why})
    if failed:
        return Text("{who}'s bot is out. A built-in bot takes over.", about)
    if source == AT_TABLE:
        return Text("{who} plays at the table from now on.", about)
    if source == AT_SCREEN and before.at_screen:
        return Text("{who} plays at another screen from now on.", about)
    if source == AT_SCREEN:
        return Text("{who} plays at a screen from now on.", about)
    if by and not before.is_bot:
        return Text("{who} leaves; a bot takes over.", about)
    return Text("A bot plays for {who} from now on.", about)


def may_practise(seats: Iterable[Seat]) -> bool:
    """Return whether a game with these seats may be practice: one person has a seat, nobody else but bots and
    simulated people."""
    return sum(seat.is_person for seat in seats) == 1
