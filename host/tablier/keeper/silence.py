"""Noticing the other side of a connection that is open though nobody is there: stopped, hanging, or asleep.

Where nothing has come for a while, a client asks the keeper for an answer (``ping``), and tells when none comes. It
asks now and then in any case: by that the keeper knows that it is there.
"""

from __future__ import annotations

from tablier.texts import Text

QUIET_S = 2.0
"""The seconds without a message after which a client asks for one."""
SILENT_S = 5.0
"""The seconds without a message, though one was asked for, after which people are told."""
GIVEN_UP_S = 8.0
"""The seconds of silence after which a request fails."""
HERE_S = 10.0
"""The most seconds until a client asks again."""
ABSENT_S = 30.0
"""The seconds without a request after which the keeper lets go of a connection that somebody has come in by."""


class Silence:
    """How long a keeper has said nothing. It is asked before it is blamed: a client that stood still itself has heard
    nothing either."""

    def __init__(self, now: float) -> None:
        self._heard_at = self._here_at = now
        self._asked_at: float | None = None
        self._told = False

    def hear(self, now: float) -> bool:
        """Take note of a message; return True when people were told of the silence before it."""
        self._heard_at, self._asked_at = now, None
        told, self._told = self._told, False
        return told

    def asks(self, now: float) -> bool:
        """Return True when the keeper is to be asked for an answer now, once in a silence."""
        if self._asked_at is not None or now < self._asks_at:
            return False
        self._asked_at = self._here_at = now
        return True

    @property
    def _asks_at(self) -> float:
        return min(self._heard_at + QUIET_S, self._here_at + HERE_S)

    def tells(self, now: float) -> bool:
        """Return True when people are to be told of the silence now, once."""
        if self._told or self.seconds(now) < SILENT_S:
            return False
        self._told = True
        return True

    def seconds(self, now: float) -> float:
        """Return how long the keeper has kept silent, as far as it is to blame."""
        asked_at = self._asked_at  # a thread that reads may take note of a message meanwhile
        return 0.0 if asked_at is None else now - max(self._heard_at, asked_at - QUIET_S)

    def wait(self, now: float) -> float:
        """Return the seconds until something is due."""
        if self._asked_at is None:
            return max(0.0, self._asks_at - now)
        left = (GIVEN_UP_S if self._told else SILENT_S) - self.seconds(now)
        return QUIET_S if self._told and left <= 0 else max(0.0, left)


ANSWERS_AGAIN = Text("The keeper answers again.")


def silent_text(pid: int | None, seconds: float) -> Text:
    """Return what people are told of a silence, and what they can do. ``pid``: the keeper's process, where known."""
    about = {"pid": pid, "seconds": f"{seconds:.0f}"}
    if pid is None:
        return Text("The keeper has not answered for {seconds} s. It was stopped, or it hangs.", about)
    return Text(
        "The keeper (process {pid}) has not answered for {seconds} s. If it was stopped, 'kill -CONT {pid}' continues"
        " it; if it hangs, 'kill -KILL {pid}' ends it, and its games can be resumed.",
        about,
    )


__all__ = ["ABSENT_S", "ANSWERS_AGAIN", "GIVEN_UP_S", "HERE_S", "QUIET_S", "SILENT_S", "Silence", "silent_text"]
