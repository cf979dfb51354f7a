"""The table's time, in the seconds of the host's clock."""

from __future__ import annotations

from collections import deque

from tablier.table.clock import Clock

_ROUGH_S = 1.0  # how far a status may be off as a clock, until a ping is answered
_PINGS = 64  # pings whose answers may be on their way
_OFFSETS = 8


class TableTime:
    """Learns from pings and statuses by how much the clock of one boot of the table differs from the host's."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pings: deque[int] = deque(maxlen=_PINGS)  # the host times of the latest pings
        self._offsets: deque[tuple[float, float]] = deque(maxlen=_OFFSETS)  # (round trip, clock − table time)

    def begin_boot(self) -> None:
        """Forget the clock of the boot before."""
        self._pings.clear()
        self._offsets.clear()

    @property
    def known(self) -> bool:
        """Return True when the table has told its time."""
        return bool(self._offsets)

    def expect_pong(self, asked: int) -> None:
        """Remember the host time, in microseconds, that a ping carries."""
        self._pings.append(asked)

    def take_pong(self, asked: int, time: int) -> bool:
        """Learn from the answer to a ping; return False if there was no such ping."""
        if asked not in self._pings:
            return False
        now = self._clock.now()
        trip = now - asked / 1e6
        self._offsets.append((trip, now - trip / 2 - time / 1e6))
        return True

    def take_status(self, time: int) -> None:
        """Learn roughly from the time of a status, where no better is known."""
        if not self._offsets:
            self._offsets.append((_ROUGH_S, self._clock.now() - time / 1e6))

    def to_clock(self, time: int) -> float:
        """Return a time of the table in the clock's seconds, by the ping with the shortest round trip."""
        return time / 1e6 + min(self._offsets)[1]
