"""Verify a whole log: its chain, what stands between its entries, and every game, run again.

A stretch of entries is checked by a call of its own that reads it once: processes can share the stretches, and little
memory is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tablier.judge.audit import Between, Each, GameReport, Report, concerns_others, examine_game
from tablier.log.chain import Entry
from tablier.log.store import Log, uncollected

_AT_ONCE = 8192
"""The entries of a stretch."""

Run = Callable[[Callable[[int], Any], int], Iterable[Any]]
"""Returns what a call returns for the numbers from 1 to another one, in order."""
Step = Callable[[int], object]
"""Called with how many more games are done."""


class Stretch(NamedTuple):
    """The findings in a stretch of a log whose chain is whole."""

    between: list[tuple[Entry, ValueError | None]]
    """The entries that have a fault or matter to what comes after."""
    games: list[GameReport]
    """Of the games that begin here, run to the end of the log."""


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
    between, games = Between(), []
    for stretch in run(partial(_examine, log.path, last, head), -(-last // _AT_ONCE) + 1):
        for entry, fault in stretch.between:
            between.take(entry, fault)
        games += stretch.games
        step(len(stretch.games))
    report = between.report(
        GameReport(game.game, between.wrong[game.game]) if game.game in between.wrong else game for game in games
    )
    report.missing += log.losses
    if not report.wrong:  # else nothing can be said of all games
        report.check_names(log.games())
    return Verified(seen, last, report)


def _examine(path: Path, last: int, head: str | None, number: int) -> Stretch:
    """Check a stretch of a log up to an entry; after the last one, its pages and whether it holds a head."""
    after = (number - 1) * _AT_ONCE
    with Log.read(path) as log:
        if after >= last:
            log.verify_pages(head)
            return Stretch([], [])
        with uncollected():
            return _examine_stretch(log, after, last)


def _examine_stretch(log: Log, after: int, last: int) -> Stretch:
    """Check a stretch of a log. A game is run again as soon as it has ended, and its entries are left to be forgotten:
    what has just been read is still at hand, and a new entry takes the memory of an old one."""
    until = min(after + _AT_ONCE, last)
    each = Each(log.latest("ids", after), log.latest("ask", after)) if after else Each()
    found: list[tuple[Entry, ValueError | None]] = []
    games: dict[int | None, list[Entry]] = {}
    reports: list[GameReport] = []
    for entry in log.checked(after, until - after):
        fault = each.fault(entry)
        if fault is not None or concerns_others(entry):
            found.append((entry, fault))
        game, kind = entry.game, entry.kind
        if kind == "game":
            games[game] = []
        if (group := games.get(game)) is not None:
            group.append(entry)
            if kind == "end" and not log.with_more([game], entry.n):
                reports.append(examine_game(games.pop(game), moves=False))
    for game, group in games.items():
        group += [entry for entry in log.entries(game, after=until) if entry.n <= last]
        reports.append(examine_game(group, moves=False))  # moves are most of a summary, which nobody asks for here
    return Stretch(found, sorted(reports, key=lambda report: report.game or 0))


__all__ = ["Run", "Verified", "verify"]
