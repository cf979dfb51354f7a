"""The time of a simulated or emulated table, for the host and for other participants."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tablier.simulation.tester import Tester
from tablier.table.clock import Clock, LifeClock, Waker
from tablier.table.ports import control_of


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
        self._began = time.time() - self.now() if own else 0.0
        self._written = self._read = 0
        self.pictures: int | None = None
        """The last picture seen, for whoever also waits for the pixels to change."""

    def now(self) -> float:
        return self._now_us / 1e6

    def date(self, at: float) -> str:
        return super().date(self._began + at)

    def wake(self) -> None:
        self._waker.wake()

    def opened(self) -> None:
        self._tester.say("opened")
        self._written = self._read = 0

    def wrote(self, count: int) -> None:
        self._written += count

    def did_read(self, count: int) -> None:
        self._read += count

    def wait(self, seconds: float, file: int | None) -> None:
        # At least one µs, so that a remainder of rounding never makes time stand still.
        until = self._now_us + (max(1, round(seconds * 1e6)) if seconds > 0 else 0)
        port = "- -" if file is None else f"{self._written} {self._read}"
        self._tester.ask(f"wait {until} {port} {'-' if self.pictures is None else self.pictures}")
        if self._waker.fileno() in select.select([self._tester.fileno(), self._waker.fileno()], [], [])[0]:
            self._waker.drain()
            self._tester.ask("wake")
        answer = self._tester.answer()
        self._now_us = answer["now"]
        if file is not None:
            self._await_bytes(file, answer["sent"] - self._read)

    def _await_bytes(self, file: int, count: int) -> None:
        """Wait for all bytes that have left the table and are still in the kernel: else runs would differ."""
        deadline = time.monotonic() + self._GUARD_S
        while count > 0 and time.monotonic() < deadline:
            ready, _, _ = select.select([file], [], [], self._GUARD_S)
            there = bytearray(4)
            try:
                fcntl.ioctl(file, termios.FIONREAD, there)
            except OSError:
                return  # hung up: whoever reads will notice
            if not ready or not any(there) or int.from_bytes(there, sys.byteorder) >= count:
                return
            time.sleep(0.0002)


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
