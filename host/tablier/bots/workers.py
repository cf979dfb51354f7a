"""Numbered calls shared out to workers, with their results in the order of the numbers.

A call depends on its number alone. A part (a run of numbers) that is lost with its worker is done again: it gives the
same results, and each of them is handed over once. ``cluster.py`` has the workers of other machines.
"""

from __future__ import annotations

import os
import signal
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import thread_time
from typing import Any, Generic, Self, TypeVar

from tablier.bots.fingerprint import OldCode, fingerprint, has_changed
from tablier.texts import Failure

R = TypeVar("R")
Call = Callable[[int], R]

LOSSES = 3
"""Workers that may die one after another without a part being finished."""
_PART_S = 0.5
"""The processor time aimed at for a part: little is lost with a worker, and little is spent on passing parts on."""
_MOST = 256
"""Calls in a part, so that its results take little memory."""
_AHEAD = 3
"""Parts for each worker that are begun and not handed over yet."""


class WorkersError(Failure):
    """The workers cannot be reached, or do not last."""


@dataclass(eq=False)
class Part(Generic[R]):
    """A part that was begun; ``future`` is set by those workers that have one."""

    call: Call[R]
    numbers: range
    future: Any = None


class Workers(ABC):
    """Workers that take parts. As a context manager, give up at the end what is still running."""

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of parts that are worked on at the same time."""

    @abstractmethod
    def begin(self, call: Call[R], numbers: range) -> Part[R]:
        """Begin a part."""

    @abstractmethod
    def finish(self, part: Part[R]) -> tuple[list[R], float]:
        """Wait for a part; return its results and the processor time it took, in seconds.

        Raise what the call raises, and :class:`WorkersError` if the workers do not last.
        """

    @abstractmethod
    def drop(self, part: Part[Any]) -> None:
        """Forget a part that nobody will ask for; it may be done in vain."""

    def close(self) -> None:
        """Give up what is still running."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def work(call: Call[R], numbers: range) -> tuple[list[R], float]:
    """Do a part; return as :meth:`Workers.finish`."""
    begun = thread_time()
    return [call(number) for number in numbers], thread_time() - begun


def in_order(call: Call[R], count: int, workers: Workers, first: int = 1) -> Iterator[R]:
    """Return the results of the calls ``first`` to ``count``, in this order.

    How long a part is follows from the time that finished ones took; towards the end parts become short, so that all
    workers are busy until then.
    """
    begun: deque[Part[R]] = deque()
    following, done, seconds = first, 0, 0.0
    try:
        while done <= count - first:
            size = workers.size
            while following <= count and len(begun) < _AHEAD * size:
                even = (count - following + 1) // (2 * size)
                apt = round(_PART_S * done / seconds) if seconds else 1
                numbers = range(following, following + max(1, min(even, apt, _MOST)))
                begun.append(workers.begin(call, numbers))
                following = numbers.stop
            results, took = workers.finish(begun.popleft())
            done, seconds = done + len(results), seconds + took
            yield from results
    finally:
        for part in begun:
            workers.drop(part)


class Alone(Workers):
    """This process: a part is done when its results are asked for."""

    @property
    def size(self) -> int:
        return 1

    def begin(self, call: Call[R], numbers: range) -> Part[R]:
        return Part(call, numbers)

    def finish(self, part: Part[R]) -> tuple[list[R], float]:
        return work(part.call, part.numbers)

    def drop(self, part: Part[Any]) -> None:
        pass


class Processes(Workers):
    """Processes of this machine. When one dies, all are started anew with the parts that were not done."""

    def __init__(self, jobs: int) -> None:
        """Take the number of processes; they start with the first parts."""
        self._jobs = jobs
        self._context = get_context("spawn")  # not forked: the parent has threads
        self._open: list[Part[Any]] = []
        self._deaths = 0
        fingerprint()
        self._start()

    @property
    def size(self) -> int:
        return self._jobs

    def begin(self, call: Call[R], numbers: range) -> Part[R]:
        part = Part(call, numbers)
        self._submit(part)
        self._open.append(part)
        return part

    def finish(self, part: Part[R]) -> tuple[list[R], float]:
        while True:
            future: Future[tuple[list[R], float]] = part.future
            try:
                done = future.result()
            except BrokenProcessPool:
                self._start_again(part.numbers)
            else:
                self._open.remove(part)
                self._deaths = 0
                return done

    def drop(self, part: Part[Any]) -> None:
        # Not cancelled: the pool's own thread fails at a cancelled part when its processes end.
        self._open.remove(part)

    def close(self) -> None:
        self._leash.close()  # what is still running ends at once
        self._pool.shutdown(cancel_futures=True)

    def _start(self) -> None:
        held, self._leash = self._context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self._jobs, self._context, initializer=_serve, initargs=(held,))

    def _start_again(self, numbers: range) -> None:
        self._deaths += 1
        self.close()
        if has_changed():
            raise WorkersError(OldCode().text)
        if self._deaths > LOSSES:
            raise WorkersError(
                "processes end again and again, the last one at game {number}: is memory short? Try fewer --jobs",
                number=numbers.start,
            )
        self._start()
        for part in self._open:
            if part.future.cancelled() or part.future.exception() is not None:
                self._submit(part)

    def _submit(self, part: Part[Any]) -> None:
        # The processes inherit the mask: an interrupt from the keyboard is for the parent alone.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            part.future = self._pool.submit(work, part.call, part.numbers)
        except BrokenProcessPool as error:  # the pool is started again when this part is asked for
            part.future = Future()
            part.future.set_exception(error)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(leash: Connection) -> None:
    """End when the parent process ends or lets go of the leash. Called first in each worker."""

    def watch() -> None:
        leash.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
