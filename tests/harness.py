"""What the campaigns share: their arguments and seeds, jobs, how far they are, and the verdict.

Those at a table share what befalls it and the processes at it, too (:class:`Breaking`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from tablier.simulation.simulated import SimulatedTable

T = TypeVar("T")

TIMES: tuple[int, str] = (100, "how often each deed is done")
AWAY_S = (0.0, 0.3, 1.0, 5.0)
"""The seconds from the end of a process at a table to the start of the next one."""
_UNPLUGGED_S = (0.01, 0.2, 1.0, 4.0)
_KILLED_WITHIN_S = 0.006
_LOOK_S = 0.1


class Broken(Exception):
    """A promise does not hold; the text says which, and where."""


@dataclass
class Counts:
    """Counts of what was done, of which those of several runs can be added up."""

    def __iadd__(self, other: Self) -> Self:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)
        return self


def arguments(module: str, about: str | None, *, seeded: bool = True, **numbers: tuple[int, str]) -> argparse.Namespace:
    """Return the arguments of ``python -m tests.MODULE``: numbers by name, each with a default and a help; and the
    seed, drawn where none is named."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.{module}", description=about)
    for name, (default, meaning) in numbers.items():
        parser.add_argument(f"--{name}", type=_positive, default=default, help=f"{meaning} ({default:,})")
    if seeded:
        parser.add_argument("--seed", type=int, help="what happens when (drawn, and printed)")
    args = parser.parse_args()
    if seeded and args.seed is None:
        args.seed = random.SystemRandom().randrange(10**6)
    return args


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def runs(work: Callable[..., T], cases: Sequence[tuple[Any, ...]], jobs: int, *, apart: bool = False) -> Iterator[T]:
    """Do some work for all cases, some at a time, and yield what each returns, as it comes. Print what is broken, and
    raise :class:`Broken` in the end if anything is.

    ``apart``: in processes of their own, which are not forked: a campaign has threads and SQLite in it.
    """
    pool: Executor = ThreadPoolExecutor(jobs)
    if apart:
        pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    broken = 0
    with pool:
        for future in as_completed([pool.submit(work, *case) for case in cases]):
            try:
                found = future.result()
            except Exception as error:
                broken += 1
                print(f"BROKEN: {error}", flush=True)
            else:
                yield found
    if broken:
        raise Broken(f"{broken} of {len(cases)}")


def verdict(campaign: Callable[[], str]) -> int:
    """Carry out a campaign, print what it says in the end, and how long it took; return the exit status."""
    began = time.monotonic()
    try:
        says, status = campaign(), 0
    except Broken as error:
        says, status = f"NOT as it should be: {error}", 1
    print(f"{(time.monotonic() - began) / 60:.1f} minutes. {says}", flush=True)
    return status


# -- at a table ------------------------------------------------------------------------------------------------------


class Breaking:
    """A table in virtual time whose cable is pulled, and a process at it that is killed and started again."""

    PER_S = 1.0
    """In a second, as :attr:`now` counts."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.log = folder / "log.db"
        self.dice = random.Random(seed)
        self.table: SimulatedTable
        self.now = 0.0
        self.plugged = True
        self.agenda: list[tuple[float, Callable[[], Any]]] = []

    def pass_time(self, seconds: float) -> None:
        """Let table time pass."""
        raise NotImplementedError

    def start(self) -> None:
        """Start the process; :meth:`popen` does."""
        raise NotImplementedError

    def later(self, seconds: float, act: Callable[[], Any]) -> None:
        """Have something done at a moment of table time."""
        self.agenda.append((self.now + seconds * self.PER_S, act))
        self.agenda.sort(key=lambda due: due[0])

    def do_due(self) -> None:
        """Do what has fallen due."""
        while self.agenda and self.agenda[0][0] <= self.now:
            self.agenda.pop(0)[1]()

    def unplug(self) -> bool:
        """Pull the cable, which comes back under another name; return False where it is out already."""
        if not self.plugged:
            return False
        self.table.say("unplug")
        self.plugged = False
        self.later(self.dice.choice(_UNPLUGGED_S), self._plug)
        return True

    def _plug(self) -> None:
        self.table.say("plug")
        self.plugged = True

    def popen(self, command: Sequence[str], name: str, **more: Any) -> subprocess.Popen[str] | None:
        """Return a process that says that it is ready; ``None`` while the cable is out: :meth:`start` is called
        again. What it complains of stands in the file NAME.err."""
        if not self.plugged:
            self.later(_LOOK_S, self.start)
            return None
        with (self.folder / f"{name}.err").open("a") as complaints:
            process = subprocess.Popen(
                [sys.executable, *command], stdout=subprocess.PIPE, stderr=complaints, text=True, **more
            )
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise Broken(f"the {name} did not start: {self.complaints(name)}")
        return process

    def complaints(self, name: str) -> str:
        """Return what a process has complained of."""
        file = self.folder / f"{name}.err"
        return file.read_text()[-3000:] if file.exists() else ""

    def kill_soon(self, process: subprocess.Popen[str], meanwhile_s: Sequence[float]) -> None:
        """Kill a process a few milliseconds of life's time after table time goes on, in the middle of its work."""
        timer = threading.Timer(self.dice.uniform(0, _KILLED_WITHIN_S), process.kill)
        timer.start()
        self.pass_time(self.dice.choice(meanwhile_s))
        timer.join()
        process.wait()


def numbers_of_events(log: Path) -> dict[str, list[int]]:
    """Return the numbers of the events in a log, by boot. Raise :class:`Broken` unless they are 1, 2, 3 …"""
    found: dict[str, list[int]] = defaultdict(list)
    with closing(sqlite3.connect(log)) as db:
        for boot, number in db.execute("SELECT boot, number FROM entry WHERE boot IS NOT NULL ORDER BY n"):
            found[boot].append(number)
    for boot, numbers in found.items():
        if numbers != list(range(1, len(numbers) + 1)):
            raise Broken(f"the events of boot {boot} are not 1, 2, 3 …: {numbers[:50]}")
    return found
