"""Accidents in the tests of crashes, and the rules that must hold whatever happens."""

from __future__ import annotations

import random
import sqlite3
from collections import defaultdict
from pathlib import Path

from playing import bodies, exported

from tablier.cli.main import main
from tablier.log.store import Log
from tablier.play.game import Conductor
from tablier.record import Record
from tablier.simulation.simulated import SimulatedTable
from taken import Durable

FAULTS = "faults drop=0.05 double=0.05 flip=0.05 cut=0.05"
UNSETTLED_US = 110_000
"""A landing is told after it has settled; a reset so soon after its impact loses it."""


class Chaos:
    """Pulls the cable or presses the reset button, in an order and at times of its own.

    ``deeds`` says how often each is done: ``unplug``, ``reset``, or ``lose``, a reset just after a card has landed.
    Between two deeds up to ``pause`` seconds of table time pass. What the pixels show is checked all the time.
    """

    def __init__(self, table: SimulatedTable, log: Path, seed: int, deeds: dict[str, int], pause: float) -> None:
        self.done: dict[str, int] = defaultdict(int)
        self._random = random.Random(seed)
        self._table = table
        self._durable = Durable(log)
        self._pause = pause
        self._left = [deed for deed, count in deeds.items() for _ in range(count)]
        self._random.shuffle(self._left)
        self._due = 0.0
        self._plug_at: float | None = None

    def __call__(self, conductor: Conductor) -> float:
        assert conductor.client is not None
        now = conductor.client.clock.now()
        self._durable.check(self._table.tester.pixels())
        if now < (self._plug_at or self._due):
            return (self._plug_at or self._due) - now
        if self._plug_at is not None:
            self._table.say("plug")
            self._plug_at = None
        elif not conductor.client.connected or not self._left:
            return 0.1
        elif not self._do(self._left[-1], now):
            return 0.02
        else:
            self.done[self._left.pop()] += 1
        self._due = now + self._random.uniform(0, self._pause)
        return max(0.001, self._due - now)

    def _do(self, deed: str, now: float) -> bool:
        """Do a deed, unless it has to wait for its moment; not too long."""
        if deed == "lose" and now < self._due + 3 and not self._just_landed():
            return False
        if deed == "unplug":
            self._table.say("unplug")
            self._plug_at = now + self._random.choice((0.01, 0.2, 1.0, 4.0))
        else:
            self._table.say("reset")
        return True

    def _just_landed(self) -> bool:
        pile = self._table.say("pile")
        ages = [pile["now"] - card["time"] for card in pile["cards"] if card["how"] != "outside"]
        return any(0 < age < UNSETTLED_US for age in ages)


def check_log(path: Path, meant: Record, *, boots: int | None = None) -> None:
    """A game's log is whole, tells the game that was meant, and says of every restart of the table what was lost.

    ``boots``: how many boots of the table it must have seen.
    """
    assert main(["log", "verify", "--log", str(path)]) == 0
    with Log.read(path) as log:
        assert exported(log, log.game().id) == meant
        entries = list(log.entries(log.game().id))
    numbers = events_by_boot(path)
    hellos = [body["boot"] for body in bodies(entries, "table", "hello")]
    assert len(set(hellos)) == len(hellos)
    gaps = [(gap["boot"], gap["after"]) for gap in bodies(entries, "gap")]
    ended = [(boot, max(numbers[boot], default=0)) for boot in hellos[:-1]]
    assert gaps == ended, "each boot of the table that has ended is in the log with its last durable event"
    assert set(numbers) <= set(hellos)
    for boot, seen in numbers.items():
        assert seen == list(range(1, len(seen) + 1)), f"events of boot {boot}: {seen}"
    if boots is not None:
        assert len(hellos) == boots


def events_by_boot(path: Path) -> dict[str, list[int]]:
    """The numbers of the table's events in a log, in its order."""
    numbers: dict[str, list[int]] = defaultdict(list)
    db = sqlite3.connect(path)
    for boot, number in db.execute("SELECT boot, number FROM entry WHERE boot IS NOT NULL ORDER BY n"):
        numbers[boot].append(number)
    db.close()
    return numbers
