"""The time and the agenda of a simulated table. All times are in µs since its start."""

from __future__ import annotations

import heapq
import time
from abc import ABC, abstractmethod
from collections.abc import Callable


class Timeline(ABC):
    """A clock and an agenda."""

    virtual = False
    """True when time stands still while a participant is at work."""
    own = False
    """True when time passes unasked, at a pace that is not life's."""

    def __init__(self) -> None:
        self._agenda: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0

    @abstractmethod
    def now(self) -> int:
        """Return the time."""

    def at(self, us: int, action: Callable[[], None]) -> None:
        """Put an action on the agenda. Actions of the same time run in the order of these calls."""
        self._count += 1
        heapq.heappush(self._agenda, (us, self._count, action))

    def due(self) -> tuple[int, ...]:
        """Return the time of the next action, or nothing when the agenda is empty."""
        return tuple(us for us, _, _ in self._agenda[:1])

    def act(self) -> None:
        """Run every action that is due. Raise what an action raises."""
        while self._agenda and self._agenda[0][0] <= self.now():
            heapq.heappop(self._agenda)[2]()


class LifeTime(Timeline):
    """Real time, or time that passes more slowly at an even pace."""

    def __init__(self) -> None:
        super().__init__()
        self._since = time.monotonic()
        self._from = 0.0
        self.pace = 1.0
        """The seconds that pass here in one of life's."""

    def now(self) -> int:
        return int(self._from + (time.monotonic() - self._since) * 1e6 * self.pace)

    def set_pace(self, pace: float) -> None:
        """Have time pass at another pace from now on."""
        now = time.monotonic()
        self._from += (now - self._since) * 1e6 * self.pace
        self._since, self.pace = now, pace


class VirtualTime(Timeline):
    """Time that moves only when it is advanced."""

    virtual = True

    def __init__(self) -> None:
        super().__init__()
        self._now = 0

    def now(self) -> int:
        return self._now

    def advance(self, us: int) -> None:
        """Move to a time; one that is past changes nothing."""
        self._now = max(self._now, us)
