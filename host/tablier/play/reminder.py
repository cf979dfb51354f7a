"""Who is awaited at the table: said by a soft tone and a light when nothing has happened for a minute.

It says no more than the public pixels do: which places have not answered. When it is due follows from what all can see
alone: from when the question was asked, and from what was answered, landed or reported since.
"""

from __future__ import annotations

from collections.abc import Collection

from tablier.waiting import WakeUps

WAIT_S = 60.0
"""The seconds without anything new after which people are reminded."""
AGAIN_S = 180.0
"""The seconds from one reminder to the next."""


class Reminder:
    """Says when those who are awaited at the table are to be reminded. People at screens read it there."""

    def __init__(self, wake_ups: WakeUps) -> None:
        self._due = 0.0
        self._next = wake_ups.add()

    def postpone(self, now: float) -> None:
        """Begin the minute again: something has happened."""
        self._due = now + WAIT_S

    def is_due(self, now: float, awaited: Collection[int]) -> bool:
        """Return whether the places that are awaited are to be reminded now; the next time is set then."""
        if not awaited:
            self.postpone(now)
            self._next.set(None)
            return False
        due = now >= self._due
        if due:
            self._due = now + AGAIN_S
        self._next.set(self._due)
        return due
