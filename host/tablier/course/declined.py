"""The error of an input that a session does not take."""

from __future__ import annotations

from tablier.texts import TextError


class Declined(TextError):
    """An input that the session does not take; nothing has changed. The text says why."""

    void = False
    """After such a fault of the table nothing that the open question has gathered can be used."""
