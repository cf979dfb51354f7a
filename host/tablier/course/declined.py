"""The error of an input that a session does not take."""

from __future__ import annotations

from tablier.texts import Text, TextError


class Declined(TextError):
    """An input that the session does not take; nothing has changed. The text says why."""

    void = False
    """After such a fault of the table nothing that the open question has gathered can be used."""


AT_ITS_PLACE = Text("this seat replies at its place")
BOT_PLAYS = Text("a bot plays for {who} now")
NO_SEAT = Text("there is no seat {seat}")


def no_seat(seat: object) -> Declined:
    """Return the error of a seat that the game does not have."""
    return Declined(NO_SEAT.of(seat=str(seat)))
