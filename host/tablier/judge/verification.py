"""Verify a whole log: its chain, what stands between its entries, and every game, run again.

A process a core takes games, each read from the log by itself, so that a season takes neither long nor much memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from tablier.judge.audit import Between, GameReport, Report, examine_game
from tablier.log import Log, LogError

_ALONE = 20_000
"""Up to this number of entries one process is as fast as several."""
_TOGETHER = 32
"""Games that a process takes at a time."""

Step = Callable[[int], object]
"""Called with how many more entries, or games, are done."""


class Verified(NamedTuple):
    """What was found in a log."""

    head: str
    """Of the last entry that was looked at: somebody may have written more meanwhile."""
    entries: int
    report: Report


def verify(log: Log, head: str | None = None, *, jobs: int = 0, step: Step = lambda more: None) -> Verified:
    """Verify a log. Raise :class:`LogError` where its chain is broken, or does not hold an entry with a head.

    :param jobs: at most this number of processes; 0: one a core.
    :param step: is called for each game that was run again. There are :attr:`Log.last_game`.
    """
    last, seen = log.last_entry, log.head
    jobs = jobs or os.cpu_count() or 1
    if jobs == 1 or last <= _ALONE:
        log.verify(head)
        report = _examine(log, last, lambda games: _alone(log, last, games, step))
    else:
        report = _with_processes(log, head, last, jobs, step)
    report.missing += log.losses
    if not report.wrong:  # else nothing can be said of all games
        report.check_names(log.games())
    return Verified(seen, last, report)


def _with_processes(log: Log, head: str | None, last: int, jobs: int, step: Step) -> Report:
    # A forked process would share the connection of its parent, which SQLite does not allow.
    with ProcessPoolExecutor(jobs, mp_context=get_context("forkserver")) as pool:
        chain = pool.submit(_verify_chain, log.path, head)
        try:
            return _examine(log, last, lambda games: _shared_out(pool, chain, log.path, last, games, step))
        except LogError:
            chain.result()  # which says more of what is damaged
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _examine(log: Log, last: int, run: Callable[[list[int]], Iterator[GameReport]]) -> Report:
    """Return what is found in the entries up to one. ``run``: yields what is found in games, in order."""
    games = run(list(range(1, log.last_game + 1)))
    between = Between()
    for entry in log.entries():
        if entry.n > last:
            break
        between.take(entry)
    found = []
    for report in games:
        if report.game in between.games:
            found.append(
                GameReport(report.game, between.wrong[report.game]) if report.game in between.wrong else report
            )
    return between.report(found)


def _game(log: Log, last: int, number: int) -> GameReport:
    """Return what is found in a game up to an entry."""
    entries = [entry for entry in log.entries(number) if entry.n <= last]
    report = examine_game(entries) if entries else GameReport(number)
    report.summary.pop("moves", None)  # most of it, which nobody asks for here
    return report


def _alone(log: Log, last: int, games: list[int], step: Step) -> Iterator[GameReport]:
    for number in games:
        yield _game(log, last, number)
        step(1)


def _shared_out(
    pool: ProcessPoolExecutor, chain: Future[None], path: Path, last: int, games: list[int], step: Step
) -> Iterator[GameReport]:
    """Have processes run games at once; return what they find, in order. This raises what the check of the chain
    does."""
    parts = []
    for at in range(0, len(games), _TOGETHER):
        numbers = games[at : at + _TOGETHER]
        part = pool.submit(_games, path, last, numbers)
        part.add_done_callback(partial(_count, step, len(numbers)))
        parts.append(part)

    def found() -> Iterator[GameReport]:
        for part in parts:
            if chain.done():
                chain.result()
            yield from part.result()
        chain.result()

    return found()


def _count(step: Step, more: int, done: Future[list[GameReport]]) -> None:
    if not done.cancelled():
        step(more)


def _games(path: Path, last: int, numbers: list[int]) -> list[GameReport]:
    with Log.read(path) as log:
        return [_game(log, last, number) for number in numbers]


def _verify_chain(path: Path, head: str | None) -> None:
    with Log.read(path) as log:
        log.verify(head)


__all__ = ["Verified", "verify"]
