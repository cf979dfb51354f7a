"""Who is awaited at the table: said by a soft tone and a light when nothing has happened for a minute.

It says no more than the public pixels do: which places have not answered. When it is due follows from what all can see
alone: from when the question was asked, and from what was answered, landed or reported since.
"""

from __future__ import annotations

from tablier.course.session import Session
from tablier.play.table_side import TableSide
from tablier.table.clock import Clock
from tablier.waiting import WakeUps

WAIT_S = 60.0
"""The seconds without anything new after which people are reminded."""
AGAIN_S = 180.0
"""The seconds from one reminder to the next."""


class Reminder:
    """Reminds people at the table that a question waits for them, and for nobody else there or anywhere.

    Whoever sits at a screen reads it there.
    """

    def __init__(self, session: Session, table: TableSide, clock: Clock, wake_ups: WakeUps) -> None:
        self._session = session
        self._table = table
        self._clock = clock
        self._due = 0.0
        self._next = wake_ups.add()
        """People are to be reminded: :meth:`look` does that."""

    def postpone(self) -> None:
        """Begin the minute again: something has happened."""
        self._due = self._clock.now() + WAIT_S
        self._table.stop_reminding()

    def look(self, deadline: float | None) -> None:
        """Remind people if that is due and somebody is awaited.

        ``deadline``: when the open question ends by itself, if it does.
        """
        places = self._awaited() if deadline is None else []
        if not places:
            self.postpone()
            self._next.set(None)
            return
        now = self._clock.now()
        if now >= self._due:
            self._due = now + AGAIN_S
            self._table.remind(places)
        self._next.set(self._due)

    def _awaited(self) -> list[int]:
        """Return the places of those who are awaited; none in a pause, while a bot decides, or without a table."""
        session, table = self._session, self._table
        if session.finished or session.paused:
            return []
        if table.client is None or not table.client.connected or table.moving:
            return []
        waiting = [session.seats[seat - 1] for seat in session.open.waiting]
        return [] if any(seat.is_bot for seat in waiting) else [seat.place for seat in waiting if seat.at_table]
