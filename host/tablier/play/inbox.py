"""What other threads and processes leave to be done in a conductor's loop: what bots have decided."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from tablier.table.clock import Clock

Act = Callable[[], object]


class Inbox:
    """Keeps what was handed in, from any thread, until the conductor does it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._queue: queue.SimpleQueue[Act] = queue.SimpleQueue()
        self.home: int | None = None
        """The conductor's thread."""

    def post(self, act: Act) -> None:
        """Have something done in the conductor's thread."""
        self._queue.put(act)
        if threading.get_ident() != self.home:  # else it is taken before the conductor waits again
            self._clock.wake()

    @property
    def has_more(self) -> bool:
        """Return whether something was handed in that nobody has done yet."""
        return not self._queue.empty()

    def take(self) -> Act | None:
        """Return what came next, if anything did."""
        try:
            return self._queue.get_nowait()
        except queue.Empty:
            return None
