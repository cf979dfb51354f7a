"""Table time for the host: life's, or a simulated or emulated table's own. Every timeout of the host uses it."""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tablier.table.ports import control_of
from tablier.table.tester import Tester


class Clock(ABC):
    """Tells the time and waits. One clock serves one link."""

    stands = False
    """Whether time stands still while nobody waits by this clock."""

    @abstractmethod
    def now(self) -> float:
        """Seconds; only differences mean anything."""

    @abstractmethod
    def wait(self, seconds: float, file: int | None) -> None:
        """Wait until ``file`` can be read, something else wants attention, or so many seconds have passed."""

    def wake(self) -> None:
        """End the wait that is going on, or the next; from any thread. A clock that never waits for long need not."""

    def date(self, at: float) -> str:
        """When that was, as people date things: UTC, ISO 8601. Virtual time begins in 1970."""
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")

    def opened(self) -> None:
        """Count bytes from here: the port was opened (again)."""

    def wrote(self, count: int) -> None:
        """So many bytes were handed to the port."""

    def did_read(self, count: int) -> None:
        """So many bytes came from the port."""


class _Waker:
    """A pipe that ends a wait from another thread."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        weakref.finalize(self, _close, self._read, self._write)  # nobody says when a clock is not needed any more

    def fileno(self) -> int:
        return self._read

    def wake(self) -> None:
        os.write(self._write, b"!")

    def drain(self) -> None:
        os.read(self._read, 4096)


def _close(*files: int) -> None:
    for file in files:
        os.close(file)


class LifeClock(Clock):
    """Life's time."""

    def __init__(self) -> None:
        self._waker = _Waker()

    def now(self) -> float:
        return time.monotonic()

    def date(self, at: float) -> str:
        return super().date(time.time() - time.monotonic() + at)

    def wake(self) -> None:
        self._waker.wake()

    def wait(self, seconds: float, file: int | None) -> None:
        files = [self._waker.fileno(), *([] if file is None else [file])]
        ready, _, _ = select.select(files, [], [], max(0.0, seconds))
        if self._waker.fileno() in ready:
            self._waker.drain()


class VirtualClock(Clock):
    """The time of a simulated or emulated table, where that is not life's. Bytes are counted, so that none is still on
    its way when time moves.

    ``own``: the table's time goes on by itself, at a pace of its own; its dates are those of today.
    """

    _GUARD_S = 2.0

    def __init__(self, tester: Tester, *, own: bool = False) -> None:
        self.stands = not own
        self._tester = tester
        self._waker = _Waker()
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
        """Wait for bytes that have left the table and that the kernel is bringing: all of them, or it would matter
        how many are there first."""
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
    """The clock for whoever opens that port: the table's own where that is not life's.

    Raises :class:`~tablier.table.tester.TesterError` when the table there is gone.
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
