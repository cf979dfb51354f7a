"""Verify a whole log: its chain, what stands between its entries, and every game, run again.

Each of these is a numbered call that reads the log by itself: processes can share them, and little memory is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tablier.judge.audit import Between, GameReport, Report, examine_game
from tablier.log import Log

_CHAIN, _BETWEEN = 1, 2
"""The first calls; the others are games."""

Run = Callable[[Callable[[int], Any], int], Iterable[Any]]
"""Returns what a call returns for the numbers from 1 to another one, in order."""
Step = Callable[[int], object]
"""Called with how many more games are done."""


class Verified(NamedTuple):
    """What was found in a log."""

    head: str
    """Of the last entry that was looked at: somebody may have written more meanwhile."""
    entries: int
    report: Report


def _here(call: Callable[[int], Any], count: int) -> Iterable[Any]:
    return map(call, range(1, count + 1))


def verify(log: Log, head: str | None = None, *, run: Run = _here, step: Step = lambda more: None) -> Verified:
    """Verify a log. Raise :class:`LogError` where its chain is broken, or does not hold an entry with a head.

    :param run: where the calls are made; they can be pickled.
    :param step: is called for each game that was run again. There are :attr:`Log.last_game`.
    """
    last, seen = log.last_entry, log.head
    found = iter(run(partial(_examine, log.path, last, head), _BETWEEN + log.last_game))
    next(found)  # raises for a broken chain
    between: Between = next(found)
    games: list[GameReport] = []
    for game in found:
        step(1)
        if game.game in between.games:
            games.append(GameReport(game.game, between.wrong[game.game]) if game.game in between.wrong else game)
    report = between.report(games)
    report.missing += log.losses
    if not report.wrong:  # else nothing can be said of all games
        report.check_names(log.games())
    return Verified(seen, last, report)


def _examine(path: Path, last: int, head: str | None, number: int) -> Between | GameReport | None:
    """Make a call, for what a log holds up to an entry."""
    with Log.read(path) as log:
        if number == _CHAIN:
            log.verify(head)
            return None
        if number == _BETWEEN:
            between = Between()
            for entry in log.entries():
                if entry.n <= last:
                    between.take(entry)
            return between
        game = number - _BETWEEN
        entries = [entry for entry in log.entries(game) if entry.n <= last]
        report = examine_game(entries) if entries else GameReport(game)
        report.summary.pop("moves", None)  # most of it, which nobody asks for here
        return report


__all__ = ["Run", "Verified", "verify"]
