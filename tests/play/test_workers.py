"""Calls shared out to processes: the results of one process, in order, whatever dies."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from sample import thorough
from tablier.bots.workers import Alone, Call, Part, Processes, R, Workers, WorkersError, in_order


def square(number: int) -> int:
    return number * number


def die_once(mark: Path, at: int, number: int) -> int:
    """Kill the process that works on a number, the first time."""
    if number == at and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_always(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def fail(number: int) -> int:
    if number == 3:
        raise WorkersError("game {number} fails", number=number)
    return number


class Crowd(Alone):
    """Many workers that take any time; keeps which parts were begun and dropped."""

    def __init__(self, size: int, seconds: float) -> None:
        self._size, self._seconds = size, seconds
        self.begun: list[range] = []
        self.dropped: list[range] = []

    @property
    def size(self) -> int:
        return self._size

    def begin(self, call: Call[R], numbers: range) -> Part[R]:
        self.begun.append(numbers)
        return super().begin(call, numbers)

    def finish(self, part: Part[R]) -> tuple[list[R], float]:
        return super().finish(part)[0], self._seconds * len(part.numbers)

    def drop(self, part: Part[R]) -> None:
        self.dropped.append(part.numbers)


@pytest.mark.parametrize("count", [1, 2, 7, 5000])
@pytest.mark.parametrize("size", [1, 2, 40])
@pytest.mark.parametrize("seconds", [0.0, 1e-4, 3.0])
def test_every_number_is_called_once_and_in_order(count: int, size: int, seconds: float) -> None:
    crowd = Crowd(size, seconds)
    assert list(in_order(square, count, crowd)) == [square(number) for number in range(1, count + 1)]
    assert [number for part in crowd.begun for number in part] == list(range(1, count + 1))
    if seconds == 3.0:
        assert {len(part) for part in crowd.begun} == {1}, "long calls are shared out one by one"
    if seconds == 1e-4 and count == 5000 and size == 2:
        assert max(map(len, crowd.begun)) > 100 and len(crowd.begun[-1]) < 10, "short ones in parts that get shorter"


def test_what_nobody_asks_for_any_more_is_dropped() -> None:
    crowd = Crowd(4, 1.0)
    in_turn = in_order(square, 100, crowd)
    assert isinstance(in_turn, Generator)
    with closing(in_turn) as results:
        assert next(results) == 1
    assert len(crowd.begun) == 12 and crowd.dropped == crowd.begun[1:]


def test_a_process_that_is_killed_costs_no_result(tmp_path: Path) -> None:
    with Processes(2) as workers:
        assert list(in_order(partial(die_once, tmp_path / "mark", 5), 20, workers)) == list(range(1, 21))
        assert (tmp_path / "mark").exists()
        # The same workers take what comes next; what is raised there reaches the caller.
        with pytest.raises(WorkersError, match="game 3 fails"):
            list(in_order(fail, 9, workers))


@thorough
def test_processes_that_do_not_last_are_given_up() -> None:
    workers: Workers = Processes(1)
    with workers, pytest.raises(WorkersError, match="the last one at game 1: is memory short"):
        list(in_order(die_always, 3, workers))
