"""The journal: events that the host has not acknowledged yet. Bounded; it refuses, and never forgets silently.

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
        self._sent = 0  # so many of them were handed to the link
        self._sent_ms = 0
        self.number = 0
        """The latest event."""
        self.acked = 0
        """Every event up to here is durable."""
        self.resent = 0
        self.lost: int = board.lost
        """How many events of boots before this one no host has called durable; ``LOST_UNKNOWN`` where nobody knows."""
        self._untold: int = board.lost  # so many of them no host with a log has been told of

    def room(self, count: int = 1) -> bool:
        return len(self.entries) + count <= CAPACITY

    def add(self, message: "Message", *values: "int | bytes") -> int:
        """Take an event of now (its fields after number and time); see :meth:`add_at`."""
        return self.add_at(self._board.now_us(), message, *values)

    def add_at(self, time_us: int, message: "Message", *values: "int | bytes") -> int:
        """Take an event that happened then, and return its number. The caller has asked for room."""
        self.number += 1
        self.entries.append((message, message.pack(self.number, time_us, *values)))
        self._remember()
        return self.number

    def _remember(self) -> None:
        if self._untold != LOST_UNKNOWN:
            self._board.remember(min(self._untold + len(self.entries), _MOST_LOST))

    def told(self) -> None:
        """A host that keeps a log has heard how many events were lost."""
        if self._untold:
            self._untold = 0
            self._remember()

    def ack(self, number: int) -> None:
        """Drop what is durable. A number that was never given out is ignored."""
        if self.acked < number <= self.number:
            count = number - self.acked
            self.entries = self.entries[count:]
            self._sent = max(0, self._sent - count)
            self.acked = number
            self._sent_ms = self._board.now_ms()
            self._remember()

    def drop(self) -> None:
        """Forget what is not durable, because nobody is there any more who could make it so."""
        self.ack(self.number)

    def rewind(self) -> None:
        """Send everything again: the host is a new one."""
        self._sent = 0

    def unsent(self) -> bool:
        """Whether events wait for their turn."""
        return self._sent < len(self.entries)

    def due(self, now: int) -> bool:
        """Whether an event is to be sent, or sent again. Does not allocate."""
        sent = self._sent
        return sent < len(self.entries) or (sent > 0 and ticks_diff(now, self._sent_ms) >= RESEND_MS)

    def tick(self, now: int) -> bool:
        """Send one event that is due: to build more frames in one go would hold up the buttons.

        Return whether one was sent. Do not allocate when none was.
        """
        sent = self._sent
        if sent and ticks_diff(now, self._sent_ms) >= RESEND_MS:
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
