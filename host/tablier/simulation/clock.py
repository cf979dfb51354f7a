"""The time of a simulated or emulated table, for the host and for other participants."""

from __future__ import annotations

import fcntl
import math
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

from tablier import waiting
from tablier.simulation.tester import Tester
from tablier.table.clock import Clock, LifeClock, Waker
from tablier.table.ports import control_of

_MOMENT_S = 0.0002


class VirtualClock(Clock):
    """The time of a table whose time is not real. Bytes are counted, so that none is in transit when time moves.

    ``own``: the table's time runs at its own pace, and dates are those of today.
    """

    _GUARD_S = 2.0

    def __init__(self, tester: Tester, *, own: bool = False) -> None:
        self.stands = not own
        self._tester = tester
        self._waker = Waker()
        self._now_us = round(tester.time() * 1e6)
        self._began = waiting.date() - self.now() if own else 0.0
        self._written = self._read = 0
        self._file: int | None = None
        self._waits = False
        self._missing = 0
        """The bytes that the table has sent in the last wait, and before."""
        self._deadline = 0.0
        self.pictures: int | None = None
        """The last picture seen, for those who also wait for the pixels to change."""

    def now(self) -> float:
        return self._now_us / 1e6

    def date(self, at: float) -> str:
        return super().date(self._began + at)

    def wake(self) -> None:
        self._waker.wake()

    def take_wake(self) -> None:
        self._waker.drain()

    def hold(self) -> None:
        waiting.wait([self._waker], (), math.inf)
        self._waker.drain()

    def opened(self) -> None:
        self._tester.say("opened")
        self._written = self._read = 0

    def wrote(self, count: int) -> None:
        self._written += count

    def did_read(self, count: int) -> None:
        self._read += count

    def wait(self, seconds: float, file: int | None) -> None:
        self.begin_wait(seconds, file)
        while not self.go_on_waiting():
            waiting.wait(self.files, (), max(0.0, self.look_at - waiting.now()))

    def begin_wait(self, seconds: float, file: int | None) -> None:
        # At least one µs, so that a remainder of rounding never makes time stand still.
        until = self._now_us + (max(1, round(seconds * 1e6)) if seconds > 0 else 0)
        port = "- -" if file is None else f"{self._written} {self._read}"
        self._tester.ask(f"wait {until} {port} {'-' if self.pictures is None else self.pictures}")
        self._file, self._waits, self._missing = file, True, 0

    @property
    def files(self) -> list[int]:
        return [self._waker.fileno(), *([self._tester.fileno()] if self._waits else [])]

    def go_on_waiting(self) -> bool:
        now = waiting.now()
        if self._waits:
            if waiting.wait([self._waker]):
                self._waker.drain()
                self._tester.ask("wake")
            answer = self._tester.answered()
            if answer is None:
                self.look_at = math.inf
                return False
            self._waits = False
            self._now_us = answer["now"]
            self._missing = 0 if self._file is None else answer["sent"] - self._read
            self._deadline = now + self._GUARD_S
        self.look_at = now + _MOMENT_S
        return not (self._is_coming() and now < self._deadline)

    def _is_coming(self) -> bool:
        """Return whether bytes that have left the table are still in the kernel: without them runs would differ."""
        if self._missing <= 0 or self._file is None:
            return False
        there = bytearray(4)
        try:
            fcntl.ioctl(self._file, termios.FIONREAD, there)
        except OSError:
            return False  # hung up: the reader will notice
        if not any(there):
            return not waiting.wait([self._file])  # readable, but nothing there: hung up
        return int.from_bytes(there, sys.byteorder) < self._missing


@contextmanager
def clock_at(port: str) -> Iterator[Clock]:
    """Return the clock for a port: the table's own unless that is real time.

    Raise :class:`~tablier.simulation.tester.TesterError` if the table there is gone.
    """
    control = control_of(port)
    if control is None or not control.exists():
        yield LifeClock()
        return
    tester = Tester(control)
    try:
        said = tester.say("time")
        if said["virtual"]:
            tester.join()
        yield VirtualClock(tester, own=said["own"]) if said["virtual"] or said["own"] else LifeClock()
    finally:
        tester.close()
