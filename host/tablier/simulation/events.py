"""The files that a simulated table reads: its port, its control socket, testers' connections."""

from __future__ import annotations

import os
import selectors
from collections.abc import Callable
from typing import Any


class Quit(Exception):
    """The table was told to end."""


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

    def end(self) -> None:
        """Make the next :meth:`wait` raise :class:`Quit`.

        May be called from a signal's handler, where nothing may be raised: the signal may have come in the middle of
        the bridge to the VM.
        """
        os.write(self._end, b"!")

    @staticmethod
    def _quit() -> None:
        raise Quit
