"""The journal: events that the host has not acknowledged yet. Bounded: when full it refuses, and it never drops an
event silently.

Events are numbered from 1 within a boot and sent in order. Without an acknowledgement the whole backlog is sent again
(go back N): the host takes them strictly in order, so it needs no memory but the last number.
"""

from time import ticks_diff

from tablier_fw.wire import LOST_UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board
    from tablier_fw.link import Link
    from tablier_fw.wire import Message

CAPACITY = 48
RESEND_MS = 150
_MOST_LOST = 0xFFFF  # as many as a board remembers


class Journal:
    def __init__(self, board: "Board", link: "Link") -> None:
        self._board = board
        self._link = link
        self.entries: list = []
        """(message, payload) of the events that are not acknowledged, oldest first."""
        self._sent = 0  # number of entries handed to the link
        self._sent_ms = 0
        self.number = 0
        """Number of the latest event."""
        self.acked = 0
        """Number of the latest durable event."""
        self.resent = 0
        self.lost: int = board.lost
        """Number of events of earlier boots that no host has called durable; ``LOST_UNKNOWN`` if unknown."""
        self._untold: int = board.lost  # as ``lost``, until a host with a log has been told

    def has_room(self, count: int = 1) -> bool:
        """Return True if this many events can be taken."""
        return len(self.entries) + count <= CAPACITY

    def add(self, message: "Message", *values: "int | bytes") -> int:
        """Add an event that happens now, given its fields after number and time; see :meth:`add_at`."""
        payload = message.pack(self.number + 1, self._board.now_us(), *values)
        return self._keep(message, payload)

    def add_at(self, time_us: int, message: "Message", *values: "int | bytes") -> int:
        """Add an event that happened at a given time and return its number. The caller has checked for room."""
        payload = message.pack(self.number + 1, time_us, *values)
        return self._keep(message, payload)

    def _keep(self, message: "Message", payload: bytes) -> int:
        """Keep the next event until it is acknowledged; return its number."""
        self.number += 1
        self.entries.append((message, payload))
        self._remember()
        return self.number

    def _remember(self) -> None:
        if self._untold != LOST_UNKNOWN:
            self._board.remember(min(self._untold + len(self.entries), _MOST_LOST))

    def mark_told(self) -> None:
        """Note that a host with a log has been told how many events were lost."""
        if self._untold:
            self._untold = 0
            self._remember()

    def ack(self, number: int) -> None:
        """Drop the events up to a number, which are durable. Ignore a number never given out."""
        if self.acked < number <= self.number:
            count = number - self.acked
            self.entries = self.entries[count:]
            self._sent = max(0, self._sent - count)
            self.acked = number
            self._sent_ms = self._board.now_ms()
            self._remember()

    def drop(self) -> None:
        """Drop all events: no host is left to make them durable."""
        self.ack(self.number)

    def rewind(self) -> None:
        """Send everything again, to a new host."""
        self._sent = 0

    def has_unsent(self) -> bool:
        """Return True if an event has not been sent yet."""
        return self._sent < len(self.entries)

    def is_due(self, now: int) -> bool:
        """Return True if an event must be sent, or sent again. Do not allocate."""
        sent = self._sent
        return sent < len(self.entries) or (sent > 0 and self._is_overdue(now))

    def _is_overdue(self, now: int) -> bool:
        """Return True if an acknowledgement should have come. What the port has not taken yet waits for none."""
        return not self._link.stuck and ticks_diff(now, self._sent_ms) >= RESEND_MS

    def tick(self, now: int) -> bool:
        """Send one event if it is due; return True if one was sent. Do not allocate when none was.

        Only one: building more frames at once would hold up the buttons.
        """
        sent = self._sent
        if sent and self._is_overdue(now):
            self.resent += sent
            sent = self._sent = 0
        if sent == len(self.entries):
            return False
        message, payload = self.entries[sent]
        if not self._link.send(message, payload):
            return False
        self._sent = sent + 1
        self._sent_ms = now
        return True
