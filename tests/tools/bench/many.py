"""A log with ten thousand games: what lists, shows and serves of it, and whether that grows with their number.

The games are made up of one game between bots, with people at their seats, so that the log is there within a minute:
its chain is whole, but nothing would follow from its seeds.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, run
from time import perf_counter
from typing import Any, NamedTuple

from tablier.course.seats import Seat
from tablier.log.chain import COLUMNS, Entry, Point, Row, link
from tablier.log.store import Log
from tablier.log.storing import pack_body, pack_hash, pack_time
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock

from . import verdict, waits

RUNS = 5
GAMES, FEW, AN_EVENING = 10_000, 100, 5
PEOPLE = [f"Person {number}" for number in range(1, 25)]
SEATS = 4
CHANGES, PAGE = 10, 20
LIST_S = 0.5
GROWS = 1.5
"""What may be spent on one game among many, as a multiple of what is among few."""


def written(path: Path, games: int) -> None:
    """Write a log of games of :data:`PEOPLE` in evenings."""
    with Log.open(path) as log:
        dice = random.Random(1)
        seats = [Seat(name, 0, "random") for name in "ABCD"]
        conductor = Conductor(log, begin(log, "roudalon", {"first": "p1"}, seats), LifeClock(), dice=dice)
        conductor.start()
        while not conductor.session.over:
            conductor.work()
        model = list(log.entries(1))
        people = [log.person(name) for name in PEOPLE]
        named = {person: log.bind(person) for person in people}
        last = list(log.entries())[-1]
        point, ids = Point(last.n, bytes.fromhex(last.hash)), log.next_id() + 1000
        with log._beside_the_chain():
            for item in _entries(games, model, people, named, ids):
                game, kind, body, minute = item
                at = f"{2000 + minute // 500_000}-{1 + minute // 40_000 % 12:02}-{1 + minute // 1440 % 28:02}"
                at += f"T{minute // 60 % 24:02}:{minute % 60:02}:00.000000Z"
                text, short = pack_body(body)
                row = Row(point.n + 1, game, at, kind, text, None, None)
                point = Point(row.n, link(point.hash, row))
                part = pack_hash(row.n, kind, point.hash, last=kind == "ask")
                values = (row.n, game, pack_time(at), kind, short, None, None, part)
                log._db.execute(f"INSERT INTO entry ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            log._db.execute("DELETE FROM ended")
    Log.open(path).close()  # which keeps anew what lists say of games that have ended


def _entries(
    games: int, model: list[Entry], people: list[str], named: dict[str, str], ids: int
) -> Iterator[tuple[int | None, str, dict[str, Any], int]]:
    dice, minute = random.Random(2), 0
    for number in range(games):
        if number % AN_EVENING == 0:
            evening = 2 + number // AN_EVENING
            if number:
                yield None, "closed", {"evening": evening - 1}, minute
            sit = dice.sample(people, SEATS)
            yield None, "evening", {"evening": evening, "table": "none"}, minute
            for person in sit:
                yield None, "came", {"evening": evening, "person": person, "place": 0}, minute
        game, asks = 2 + number, sum(each.kind == "ask" for each in model)
        yield None, "ids", {"to": ids + asks}, minute
        for entry in model:
            body, minute = dict(entry.body), minute + (entry.kind == "ask")
            if entry.kind == "game":
                seats = [{"person": one, "named": named[one], "place": 0, "source": "screen"} for one in sit]
                body |= {"seats": seats, "evening": evening}
            elif entry.kind == "ask":
                ids += 1
            if "id" in body:
                body["id"] = ids
            yield game, entry.kind, body, minute


COMMANDS = ("log list", "log list --last 10", "log list --json", "log list --csv", "log standings", "people")
ONE = ("log show {game}", "log export {game}", "log show --evening {evening}")


def spent(path: Path, command: str) -> float:
    """Return the seconds of processor that a command of ``tablier`` takes."""
    took = []
    for _ in range(RUNS):
        before = os.times()
        program = [sys.executable, "-c", "from tablier.cli.start import main; raise SystemExit(main())"]
        run([*program, *command.split(), "--log", str(path)], check=True, stdout=DEVNULL)
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return median(took)


_KEEPER = """
import sys
from time import process_time
from tablier.log.store import Log
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4.096
before, begun = resident(), process_time()
with Log.open(sys.argv[1]) as log:
    log.open_games(), log.last_evening, log.open_evenings()
    print(process_time() - begun, resident() - before)
"""
"""What a keeper reads of a log before anybody watches."""


def opened(path: Path) -> tuple[float, float]:
    """Return the seconds of processor until a writer knows the open games and evenings, and the kB that takes."""
    return started(_KEEPER, path)


def started(code: str, *words: object) -> tuple[float, float]:
    """Return the two figures that a program prints, medians of several starts."""
    program = [sys.executable, "-c", code, *map(str, words)]
    found = [run(program, check=True, capture_output=True, text=True).stdout.split() for _ in range(RUNS)]
    seconds, memory = zip(*((float(one), float(two)) for one, two in found), strict=True)
    return median(seconds), median(memory)


_PAGE = """
import sys
from time import process_time
from tablier.web.reading import Reading
from tablier.web.shares import Turns
from pathlib import Path
reading, begun = Reading(Path(sys.argv[1]), Turns()), process_time()
assert len(reading._evenings(None, int(sys.argv[2])).evenings) == int(sys.argv[2])
print(process_time() - begun, 0)
"""
"""What the web server reads for a page of evenings."""


class Kept(NamedTuple):
    """A keeper of a log, as its screens and its computer have it."""

    memory: float
    """In kB, after all that is done here."""
    watched: float
    """The ms until a new connection has the evening that it follows."""
    longest: float
    """The longest wait in ms of a connection that has nothing to do with what happens."""


def kept(path: Path) -> Kept:
    """Have a keeper do what an evening has it do. A copy is kept: the log stays as it is."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, ExitStack() as stack:
        copy = Path(folder) / "log.db"
        shutil.copy(path, copy)
        keeper = waits.Keeper(copy)
        keeper.start()
        stack.callback(keeper.end)
        begun = perf_counter()
        wire = keeper.connect()
        stack.callback(wire.close)
        evening = wire.call("list")["evenings"][-1]["evening"]
        wire.call("follow", {"evening": evening})
        watched = (perf_counter() - begun) * 1000
        prober = waits.Prober(keeper, stack)
        prober.waits()
        for turn in range(CHANGES):
            wire.call("come", {"evening": evening, "name": f"Guest {turn}"})
            waits.play(wire, {"game": "roudalon"}, others=[waits.bot("B", "random")], evening=evening, plies=1)
            wire.call("go", {"evening": evening, "name": f"Guest {turn}"})
        longest = max(prober.waits())
        memory = int(Path(f"/proc/{keeper.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1000
        return Kept(memory, watched, longest)


def compare(what: str, unit: str, few: float, many: float, *, form: str = ",.0f") -> None:
    """Print a figure of many games beside that of few."""
    print(f"  {what:<26} {many:{form}} {unit}; of {FEW} games {few:{form}} ({verdict(many <= GROWS * few)})")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.db", Path(folder) / "many.db"
        written(few, FEW)
        written(many, GAMES)
        size = many.stat().st_size / 1e6
        print(f"A log of {GAMES:,} games ({size:,.0f} MB): seconds of processor, medians of {RUNS} starts")
        for command in COMMANDS:
            took = spent(many, command)
            print(f"  {command:<26} {took:6.2f} s (limit: {LIST_S}: {verdict(took <= LIST_S)})")
        for command in ONE:
            each = [
                spent(path, command.format(game=games // 2, evening=games // 2 // AN_EVENING))
                for path, games in ((few, FEW), (many, GAMES))
            ]
            met = verdict(each[1] <= GROWS * each[0])
            print(f"  {command:<26} {each[1]:6.2f} s; of {FEW} games {each[0]:.2f} s ({met})")
        (less, small), (more, large) = opened(few), opened(many)
        compare("a keeper opens it", "ms", less * 1000, more * 1000, form=".1f")
        compare("… which takes", "kB", small, large)
        (less, _), (more, _) = (started(_PAGE, path, str(PAGE)) for path in (few, many))
        compare(f"/log: {PAGE} evenings read", "ms", less * 1000, more * 1000, form=".1f")
        pairs = [(kept(few), kept(many)) for _ in range(RUNS)]  # in turns, so that a load is on both
        for name, unit in (("memory", "kB"), ("watched", "ms"), ("longest", "ms")):
            one, other = (median(getattr(pair[at], name) for pair in pairs) for at in (0, 1))
            compare({"memory": "a keeper's memory", "watched": "first watch", "longest": "longest wait"}[name],
                    unit, one, other, form=",.0f" if unit == "kB" else ".1f")  # fmt: skip


if __name__ == "__main__":
    main()
