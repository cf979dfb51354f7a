"""Signals that end a command which has opened something: nothing stays open behind it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType

from tablier import interrupts

_PATIENCE_S = 1.0
"""The seconds for which a held signal makes later ones wait, too: Ctrl-C is often pressed twice."""
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class Ended(BaseException):
    """A signal has ended the command."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def fatal_interrupt() -> Iterator[None]:
    """Let SIGINT end the process, as SIGTERM does: while modules are imported, Python may lose an exception for it."""
    catches = threading.current_thread() is threading.main_thread()
    catches = catches and signal.getsignal(signal.SIGINT) is interrupts.interrupt
    if catches:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if catches:
            signal.signal(signal.SIGINT, interrupts.interrupt)


class Signals:
    """SIGTERM, SIGHUP and SIGINT of one command, as exceptions. While they are held, as at first, they wait:
    what is being opened has to be there before it can be closed."""

    def __init__(self) -> None:
        self._held = True
        self._waiting = 0
        self._since = 0.0  # when the one came that waits

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Raise :class:`Ended` for a signal, and ``KeyboardInterrupt`` for SIGINT. What is ignored stays ignored."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [number for number in _ENDING if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self._take) for number in numbers}
        try:
            yield
            self.release()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def hold(self) -> None:
        """Have a signal wait for :meth:`release`, or for the end; one that comes a second later does not wait."""
        self._held = True

    def release(self) -> None:
        """Raise what has waited, and from now on at once."""
        self._held = False
        if self._waiting:
            self._raise(self._waiting)

    @contextmanager
    def released(self) -> Iterator[None]:
        """Let signals through for a while, in which this waits for somebody."""
        try:
            self.release()
            yield
        finally:
            self.hold()

    def _take(self, number: int, frame: FrameType | None) -> None:
        if interrupts.postpone(number, frame):
            return
        if self._held and not self._waiting:
            self._waiting, self._since = number, monotonic()
        elif not self._held or monotonic() >= self._since + _PATIENCE_S:
            self._raise(number)

    def _raise(self, number: int) -> None:
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)


__all__ = ["Ended", "Signals", "fatal_interrupt"]
