"""An evening of two short games at an emulated Pico: in the first its cable is pulled, in the second it is reset.

Two people sit at places, see its pixels and press its buttons. They know what they want to play, so both results are
known beforehand. One press begins the second game.
"""

from __future__ import annotations

import re
import select
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert

from following import following
from pico_image import needs_image
from tablier.course.asides import ANOTHER
from tablier.judge.redaction import record
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.log.store import Log
from tablier.messages import Update
from tablier.record import replay
from tablier.simulation.eyes import ASKED, PENDING, state_of
from tablier.simulation.people import People
from tablier.simulation.simulated import SimulatedTable
from tablier.waiting import File
from tablier_fw.version import __version__
from taken import Durable

from . import keeper as keepers
from .clients import Client

pytestmark = [needs_image, pytest.mark.timeout(3600)]

PLACES = {"Anne": 2, "Bernard": 5}
GAME = "d21"
SETUP = {
    "red": "c2:1 d2:3 e2:5 f2:2 h2:6 c3:1 d3:3 e3:5 f3:2 g3:4 h3:2 h8:4",
    "green": "h4:4 b8:6 c8:1 d8:3 e8:5 f8:2 g8:4 c9:1 d9:3 e9:5 f9:2 h9:2",
}
"""Each side is a jump of its 2 over the other's 4 away from two sets, and wins by it."""
OPTIONS = {
    "setup": {side: {die[:2]: int(die[3:]) for die in dice.split()} for side, dice in SETUP.items()},
}
MOVES = [["p1 c2-c1", "p2 b8-b9", "p1 h3-h5"], ["p1 c2-c1", "p2 h9-h7"]]
SCORES = [{"p1": 1, "p2": 0}, {"p1": 0, "p2": 1}]
MIDDLE = 1
"""The number of moves after which something befalls the table."""
STUCK_S, STILL_S = 30.0, 600.0
"""The seconds for which nothing may come, at the table and in life; an emulated table is fifty times slower."""


@contextmanager
def keeping(log: Path) -> Iterator[None]:
    """Have a keeper keep a log, in a process of its own, which is told to end within the block."""
    command = [sys.executable, str(keepers.__file__), str(log)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as keeper:
        try:
            assert keeper.stdout is not None and keeper.stdout.readline() == "ready\n"
            yield
            _, complaints = keeper.communicate(timeout=STILL_S)
            assert (keeper.returncode, complaints) == (0, "")
        finally:
            keeper.kill()


class Guests:
    """Those who sit at the table, and what the keeper tells them."""

    def __init__(self, table: SimulatedTable, log: Path, durable: Durable) -> None:
        self.table = table
        self._client = Client(address_of(log), __version__, read_token(log), self._hear)
        self._durable = durable
        self._tester = table.tester
        self._tester.join()
        self._now = 0.0
        self._people: People | None = None
        self.evening: Any = None
        """The evening, as the keeper tells its followers."""
        self.shown: Any = None
        """The latest update."""
        self.over: dict[int, Any] = {}
        """How each game has ended, as it was shown."""

    def _hear(self, method: str, params: Any) -> None:
        if method == "evening":
            self.evening = params
        elif method == "ended":
            assert (params["why"], params["part"]) == (None, False)
        else:
            (self.shown,) = params["updates"]
            if self.shown["over"]:
                self.over[self.shown["game"]] = self.shown["over"]

    def ask(self, method: str, **params: Any) -> Any:
        """Ask the keeper for something, and return the result."""
        results: list[Any] = []
        self._client.ask(method, params, results.append)
        self.until(lambda: results, f"an answer to {method}")
        return results[0]

    def sit_down(self, game: int) -> None:
        """Have people play a game from now on."""
        self.until(lambda: self.shown and self.shown["game"] == game, f"game {game}")
        self._people = People(self._tester, {1: "greedy", 2: "greedy"}, following(MOVES[game - 1]))

    def lean_back(self) -> None:
        """Press nothing any more but by :meth:`press`."""
        self._people = None

    def press(self, name: str, button: str) -> None:
        self._tester.press(PLACES[name], button)

    def see(self, state: str) -> list[str]:
        """Return the names of those whose public pixels show a state."""
        public = self._tester.pixels()["public"]
        return [name for name, place in PLACES.items() if state_of(public[place - 1]) == state]

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Let time pass, and people do what is theirs, until something is so."""
        ends = self._now + STUCK_S
        pause = 0.0
        while not holds():
            assert self._now < ends, f"{what}: not within {STUCK_S:g} s at the table; shown: {self.shown}"
            self._pass(max(0.01, pause))
            self._durable.check(self._tester.pixels())
            pause = 0.05 if self._people is None else self._people.act(self._now, self._typed)

    @property
    def question(self) -> Any:
        """The open question; empty where there is none."""
        return self.shown["question"] or {}

    def _typed(self) -> Update | None:
        newest = self._newest()
        return None if newest is None else convert(newest, Update)

    def _newest(self) -> Any:
        self._client.read()
        return self.shown

    def _pass(self, seconds: float) -> None:
        """Let table time pass, and hear what comes meanwhile."""
        self._tester.ask(f"wait {round((self._now + seconds) * 1e6) + 1} - - -")
        files: list[File] = [self._tester, self._client]
        while True:
            ready = select.select(files, [], [], STILL_S)[0]
            assert ready, "time stands still"
            self._client.read()
            assert not self._client.refused
            if self._tester in ready:
                break
        self._now = int(self._tester.answer()["now"]) / 1e6

    def quit(self) -> None:
        """Have the keeper end."""
        self._client.ask("quit", {})

    def close(self) -> None:
        self._client.drop()


def test_an_evening_of_two_games_outlives_a_pulled_cable_and_a_reset(log: Path) -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.emulated import EmulatedTable

    with (
        EmulatedTable(virtual=True, seed=1) as table,
        keeping(log),
        closing(Durable(log)) as durable,
        closing(Guests(table, log, durable)) as guests,
    ):
        pressed = spend(guests)
    judge(log, pressed)


def spend(guests: Guests) -> tuple[int, int]:
    """Spend the evening; return the question that was answered while the cable was out, and at which place."""
    here = [{"name": name, "place": place} for name, place in PLACES.items()]
    table = {"port": guests.table.first_port, "virtual": True}
    number = guests.ask("evening", people=here, table=table)["evening"]
    guests.ask("follow", evening=number)
    guests.ask("next", evening=number, game=GAME, options=OPTIONS)
    guests.sit_down(1)
    pressed = pull_the_cable(guests)
    guests.until(lambda: 1 in guests.over, "the end of the first game")
    want_another(guests)
    guests.sit_down(2)
    reset(guests)
    guests.until(lambda: 2 in guests.over, "the end of the second game")
    guests.ask("close", evening=number)
    guests.until(lambda: guests.evening["ended"], "the end of the evening")
    guests.quit()
    return pressed


def pull_the_cable(guests: Guests) -> tuple[int, int]:
    """Pull the cable in the middle of a game, and put it back once somebody has answered meanwhile."""
    guests.until(lambda: guests.shown["ply"] == MIDDLE and guests.see(ASKED), "the middle of the first game")
    guests.table.say("unplug")
    guests.until(lambda: guests.see(PENDING), "an answer while the cable is out")
    (name,), question = guests.see(PENDING), guests.question["id"]
    assert guests.shown["ply"] == MIDDLE
    guests.table.say("plug")
    assert guests.table.port != guests.table.first_port
    return question, PLACES[name]


def reset(guests: Guests) -> None:
    """Press the reset button in the middle of a game, while somebody is asked."""
    guests.until(lambda: guests.shown["ply"] == MIDDLE and guests.see(ASKED), "the middle of the second game")
    asked = guests.question["id"]
    guests.table.say("reset")
    guests.until(lambda: guests.question.get("id", 0) > asked and guests.see(ASKED), "the question, after the reset")
    assert guests.shown["ply"] == MIDDLE


def want_another(guests: Guests) -> None:
    """Wait until people are asked for another game, and have one of them press once."""
    guests.lean_back()
    guests.until(lambda: guests.question.get("what") == ANOTHER and guests.see(ASKED), "another game?")
    guests.press("Bernard", "b")
    guests.until(lambda: guests.evening["game"] == 2, "another game after one press")


def judge(log: Path, pressed: tuple[int, int]) -> None:
    """The log is whole, and tells what was played, in names."""
    tablier("verify", log)
    with Log.read(log) as read:
        (evening,) = read.evenings()
        assert evening.ended is not None and evening.games == (1, 2)
        for info, moves, scores in zip(read.games(), MOVES, SCORES, strict=True):
            assert info.result is not None and info.result["scores"] == scores
            kept, withheld = record(read, info)
            assert (list(kept.moves), withheld, replay(kept).is_over) == (moves, 0, True)
        entries = list(read.entries())
    assert pressed in [(entry.body.get("id"), entry.body.get("place")) for entry in entries if entry.boot is not None]
    numbers = defaultdict[str, list[int]](list)
    for entry in entries:
        if entry.boot is not None and entry.number is not None:
            numbers[entry.boot].append(entry.number)
    before, after = numbers
    assert all(seen == list(range(1, len(seen) + 1)) for seen in numbers.values()), "events are missing"
    (gap,) = (entry for entry in entries if entry.kind == "gap")
    assert (gap.game, gap.body["boot"], gap.body["after"]) == (2, before, len(numbers[before])) and after != before
    told = " ".join(re.sub(r"\d\d:\d\d|\d{4}-\d\d-\d\d", "…", tablier("list", log)).split())
    assert told == (
        "Evening 1, …, … to … with Anne and Bernard"
        " 1 … D.21 Anne 1, Bernard 0: 3 moves, won by Anne"
        " 2 … D.21 Anne 0, Bernard 1: 2 moves, won by Bernard"
    )


def tablier(command: str, log: Path) -> str:
    """Return the output of a command of ``tablier log``, which must succeed."""
    words = [sys.executable, "-m", "tablier.cli.main", "log", command, "--log", str(log)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout
