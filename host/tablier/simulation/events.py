"""The files that a simulated table reads: its port, its control socket, testers' connections."""

from __future__ import annotations

import os
import selectors
import signal
from collections.abc import Callable
from typing import Any


class Quit(Exception):
    """The table must end."""


class Events:
    """Waits until a file can be read, and calls its reader."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        told_to_end, self._end = os.pipe()
        self.watch(told_to_end, self._quit)

    def watch(self, file: Any, reader: Callable[[], None]) -> None:
        """Call ``reader`` whenever the file can be read. Raise :class:`PermissionError` for a file on a disk."""
        self._selector.register(file, selectors.EVENT_READ, reader)

    def forget(self, file: Any) -> None:
        self._selector.unregister(file)

    def wait(self, timeout: float | None) -> None:
        """Wait at most ``timeout`` seconds (``None``: forever) and call the readers of what has come by then."""
        for key, _ in self._selector.select(timeout):
            if self._selector.get_map().get(key.fd) is key:  # else an earlier reader has closed it
                key.data()

    def end_at(self, *numbers: int) -> None:
        """Make signals end the present or next :meth:`wait` with :class:`Quit`. Call it in the main thread.

        A signal handler would not do: it runs between two of Python's instructions, so a signal just before a wait, or
        in another thread, would not end it. Nor may a handler raise inside the bridge to the VM.
        """
        os.set_blocking(self._end, False)
        signal.set_wakeup_fd(self._end)
        for number in numbers:
            signal.signal(number, lambda *_: None)

    @staticmethod
    def _quit() -> None:
        raise Quit
