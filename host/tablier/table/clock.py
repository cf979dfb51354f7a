"""Table time for the host. Every timeout of the host uses it."""

from __future__ import annotations

import math
import os
import weakref
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import UTC, datetime

from tablier import waiting


class Clock(ABC):
    """Tells the time and waits. One clock serves one link."""

    stands = False
    """True if time stands still while nobody waits by this clock."""

    @abstractmethod
    def now(self) -> float:
        """Seconds; only differences mean anything."""

    @abstractmethod
    def wait(self, seconds: float, file: int | None) -> None:
        """Wait until ``file`` can be read, something else wants attention, or the seconds have passed."""

    def wake(self) -> None:
        """End the wait that is going on, or the next; from any thread. A clock that never waits for long need not."""

    def take_wake(self) -> None:
        """Take what :meth:`wake` has left since the last wait: :attr:`files` are not readable because of it then."""

    def begin_wait(self, seconds: float, file: int | None) -> None:
        """Begin to :meth:`wait`: call :meth:`go_on_waiting` then, until it is over. A clock that cannot waits here."""
        self.wait(seconds, file)

    look_at = math.inf
    """When, by life's clock, to look again whether the wait that has begun is over."""

    def go_on_waiting(self) -> bool:
        """Return True when the wait that has begun is over; else look again at :attr:`look_at`, or when one of
        :attr:`files` is readable."""
        return True

    @property
    def files(self) -> list[int]:
        """Return the descriptors that are readable when the wait that has begun may be over, or :meth:`wake` was
        called."""
        return []

    def hold(self) -> None:
        """Wait for :meth:`wake`, by a clock that stands while nobody waits: no time passes."""
        raise NotImplementedError

    def date(self, at: float) -> str:
        """Return a clock's reading as a date: UTC, ISO 8601. Virtual time begins in 1970."""
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")

    def opened(self) -> None:
        """Count bytes from here: the port was opened (again)."""

    def wrote(self, count: int) -> None:
        """Count bytes written to the port."""

    def did_read(self, count: int) -> None:
        """Count bytes read from the port."""


class Waker:
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
        with suppress(BlockingIOError):
            os.read(self._read, 4096)


def _close(*files: int) -> None:
    for file in files:
        os.close(file)


class LifeClock(Clock):
    """Life's time, or that of a simulated table which passes more slowly at an even pace."""

    def __init__(self) -> None:
        self._waker = Waker()
        self._since = self._from = waiting.now()
        self.pace = 1.0
        """The seconds that pass by this clock in one of life's."""

    def now(self) -> float:
        return self._from + (waiting.now() - self._since) * self.pace

    def set_pace(self, pace: float) -> None:
        """Have time pass at another pace from now on."""
        now = waiting.now()
        self._from += (now - self._since) * self.pace
        self._since, self.pace = now, pace

    def date(self, at: float) -> str:
        return super().date(waiting.date() - (self.now() - at) / self.pace)

    def wake(self) -> None:
        self._waker.wake()

    def take_wake(self) -> None:
        self._waker.drain()

    @property
    def files(self) -> list[int]:
        return [self._waker.fileno()]

    def wait(self, seconds: float, file: int | None) -> None:
        files = [self._waker.fileno(), *([] if file is None else [file])]
        if self._waker.fileno() in waiting.wait(files, (), max(0.0, seconds) / self.pace):
            self._waker.drain()
