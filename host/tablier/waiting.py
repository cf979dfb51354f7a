"""The one door by which this program waits: for files, for time, for what it does beside its loops.

What is to be done later stands in a heap of wake-ups, and a loop waits until the next one. A test can put a world of
its own behind the door (:func:`enter`), in which it decides what comes next.
"""

from __future__ import annotations

import math
import select
import threading
import time as real
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from itertools import count
from typing import Any, Protocol, TypeVar

Act = Callable[[], object]
File = Any
"""A descriptor, or what has one."""


class Beside(Protocol):
    """Something that is done beside a loop."""

    def join(self, timeout: float | None = None) -> None: ...

    def is_alive(self) -> bool: ...


class Signal(Protocol):
    """What one thread waits for and another one sets."""

    def set(self) -> None: ...

    def wait(self, timeout: float) -> bool: ...


class World:
    """The world as it is."""

    now: Callable[[], float] = staticmethod(real.monotonic)
    """Return the seconds since some moment."""

    def date(self) -> float:
        """Return the seconds since 1970."""
        return real.time()

    def sleep(self, seconds: float) -> None:
        """Wait for some seconds."""
        real.sleep(seconds)

    def wait(self, reading: Collection[File], writing: Collection[File], seconds: float) -> set[File]:
        """Wait until one of these files can be read or written, for ``seconds`` at most; return those that can."""
        poll, files, events = select.poll(), dict[int, list[File]](), dict[int, int]()  # select: only to 1023
        for wanted, event in ((reading, select.POLLIN), (writing, select.POLLOUT)):
            for file in wanted:
                number = file if isinstance(file, int) else file.fileno()
                files.setdefault(number, []).append(file)
                events[number] = events.get(number, 0) | event
        for number, event in events.items():
            poll.register(number, event)
        ms = None if seconds == math.inf else 0 if seconds < 0.001 else math.ceil(seconds * 1000)
        return {file for number, _ in poll.poll(ms) for file in files[number]}

    def beside(self, act: Act, name: str) -> Beside:
        """Do something in a thread of its own, which ends with the program."""
        thread = threading.Thread(target=act, name=name, daemon=True)
        thread.start()
        return thread

    def signal(self) -> Signal:
        """Return a signal that is not set."""
        return threading.Event()


W = TypeVar("W", bound=World)

_world = World()
now = _world.now
"""Return the seconds since some moment: the clock itself, for it is asked often."""


@contextmanager
def enter(world: W) -> Iterator[W]:
    """Wait in another world for a while."""
    global _world, now
    before, _world = _world, world
    now = world.now
    try:
        yield world
    finally:
        _world, now = before, before.now


def date() -> float:
    return _world.date()


def sleep(seconds: float) -> None:
    _world.sleep(seconds)


def wait(reading: Iterable[File], writing: Iterable[File] = (), seconds: float = 0.0) -> set[File]:
    return _world.wait(list(reading), list(writing), seconds)


def beside(act: Act, name: str) -> Beside:
    return _world.beside(act, name)


def signal() -> Signal:
    return _world.signal()


# -- wake-ups --------------------------------------------------------------------------------------------------------


def _nothing() -> None:
    pass


class WakeUp:
    """Something that is due at a time, or at none."""

    def __init__(self, heap: WakeUps, act: Act) -> None:
        self._heap = heap
        self.act = act
        self.at = math.inf
        """When it is due."""

    def set(self, at: float | None) -> None:
        """Be due at another time; ``None``: at none."""
        before, self.at = self.at, math.inf if at is None else at
        if self.at not in (before, math.inf):
            self._heap.push(self)


class WakeUps:
    """All that is due by one clock, in one heap. What is due at the same time is done in the order in which it was
    set."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, WakeUp]] = []
        self._numbers = count()

    def add(self, act: Act = _nothing) -> WakeUp:
        """Return a wake-up that does something; without ``act`` it only ends a wait."""
        return WakeUp(self, act)

    def push(self, one: WakeUp) -> None:
        heappush(self._heap, (one.at, next(self._numbers), one))

    @property
    def next(self) -> float:
        """Return when something is due; infinity where nothing is."""
        while self._heap and self._heap[0][2].at != self._heap[0][0]:
            heappop(self._heap)  # it was set to another time since
        return self._heap[0][0] if self._heap else math.inf

    def run(self, now: float, enough: Callable[[], bool] = lambda: False) -> None:
        """Do what is due, each once, until it is ``enough``. What is set meanwhile waits, unless it was due before."""
        while self.next <= now and not enough():
            _, _, one = heappop(self._heap)
            one.at = math.inf
            one.act()
