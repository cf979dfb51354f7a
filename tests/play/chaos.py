"""Accidents in the tests of crashes, and the rules that must hold whatever happens."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from pathlib import Path
from typing import Any

from playing import bodies, exported

from tablier.cli.main import main
from tablier.log import Log
from tablier.play.conductor import Conductor
from tablier.record import Record
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import colours

TAKEN = bytes(colours.TAKEN).hex()
ROLLED = bytes(colours.ROLLING).hex()
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

    def work(self, conductor: Conductor) -> float:
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


class Durable:
    """The durable entries of a log in use, as far as pixels can show them."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None)
        self._last = 0
        self._what = ""
        self._asked: list[int] = []
        self._put_in: set[tuple[int, int]] = set()  # (place, question)
        self._revealed: set[int] = set()  # questions
        self._landed: dict[int, int] = defaultdict(int)  # by question: landings of its window up to then

    def close(self) -> None:
        self._db.close()

    def _read(self) -> None:
        rows = self._db.execute("SELECT n, kind, body FROM entry WHERE n > ? ORDER BY n", (self._last,))
        for n, kind, text in rows:
            body = json.loads(text)
            self._last = n
            if kind == "ask":
                asked_again = bool(self._asked) and body["what"] == "window" == self._what
                self._landed[body["id"]] = self._landed[self._asked[-1]] if asked_again else 0
                self._asked.append(body["id"])
                self._what = body["what"]
            elif kind == "move":
                self._what = ""
            elif kind == "table" and body["event"] == "landed":
                self._landed[body["id"]] += 1
            elif kind == "table" and body["event"] == "revealed":
                self._revealed.add(body["id"])
            if kind == "table" and "place" in body:
                self._put_in.add((body["place"], body["id"]))

    def check(self, pixels: dict[str, Any]) -> None:
        """Check that all that the pixels show as taken is in the log."""
        self._read()
        asked = self._asked[-3:]  # the table may not have the latest question yet
        for place, colour in enumerate(pixels["public"], 1):
            if colour == TAKEN:
                assert any((place, id) in self._put_in for id in asked), f"place {place}: taken, but not in the log"
        green = pixels["ring"].count(TAKEN)
        if ROLLED in pixels["ring"]:
            assert not green or self._revealed.intersection(asked), "an outcome is shown as taken, but not in the log"
            return
        most = max((self._landed[id] for id in asked), default=0)
        assert green <= most, f"{green} landings are shown as taken, {most} are in the log"


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
