"""A log with ten thousand games: what lists, shows and serves of it, and whether that grows with their number.

The games are made up of one game between bots, with people at their seats, so that the log is there within a minute:
its chain is whole, but nothing would follow from its seeds.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from subprocess import DEVNULL, run
from typing import Any

from tests.tools.bench import verdict

from tablier.course.seats import Seat
from tablier.log import Entry, Log
from tablier.log.chain import COLUMNS, Point, Row, link
from tablier.log.storing import pack_body, pack_hash, pack_time
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock

RUNS = 5
GAMES, FEW, AN_EVENING = 10_000, 100, 5
PEOPLE = [f"Person {number}" for number in range(1, 25)]
SEATS = 4
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
                row = Row(point.n + 1, game, at, kind, text, None, None, b"")
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


COMMANDS = (("list",), ("list", "--last", "10"), ("standings",))
ONE = (("show", "{game}"), ("export", "{game}"), ("show", "--evening", "{evening}"))


def spent(path: Path, words: tuple[str, ...]) -> float:
    """Return the seconds of processor that a command of ``tablier log`` takes."""
    took = []
    for _ in range(RUNS):
        before = os.times()
        program = [sys.executable, "-c", "from tablier.cli.start import main; raise SystemExit(main())"]
        run([*program, "log", *words, "--log", str(path)], check=True, stdout=DEVNULL)
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return median(took)


_KEEPER = """
import sys
from time import process_time
from tablier.log import Log
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4.096
before, begun = resident(), process_time()
with Log.open(sys.argv[1]) as log:
    log.open_games(), log.last_evening
    print(process_time() - begun, resident() - before)
"""
"""What a keeper reads of a log before anybody watches."""


def opened(path: Path) -> tuple[float, float]:
    """Return the seconds of processor until a writer knows the open games and evenings, and the kB that takes."""
    program = [sys.executable, "-c", _KEEPER, str(path)]
    found = [run(program, check=True, capture_output=True, text=True).stdout.split() for _ in range(RUNS)]
    seconds, memory = zip(*((float(one), float(two)) for one, two in found), strict=True)
    return median(seconds), median(memory)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.db", Path(folder) / "many.db"
        written(few, FEW)
        written(many, GAMES)
        size = many.stat().st_size / 1e6
        print(f"A log of {GAMES:,} games ({size:,.0f} MB): seconds of processor, medians of {RUNS} starts")
        for words in COMMANDS:
            took = spent(many, words)
            print(f"  log {' '.join(words):<22} {took:6.2f} s (limit: {LIST_S}: {verdict(took <= LIST_S)})")
        for words in ONE:
            each = [
                spent(path, tuple(word.format(game=games // 2, evening=games // 2 // AN_EVENING) for word in words))
                for path, games in ((few, FEW), (many, GAMES))
            ]
            met = verdict(each[1] <= GROWS * each[0])
            print(f"  log {' '.join(words):<22} {each[1]:6.2f} s; of {FEW} games {each[0]:.2f} s ({met})")
        (less, small), (more, large) = opened(few), opened(many)
        met = verdict(more <= GROWS * less and large <= GROWS * small)
        print(
            f"  a keeper opens it in {more:.3f} s and {large:,.0f} kB; of {FEW} games {less:.3f}, {small:,.0f} ({met})"
        )


if __name__ == "__main__":
    main()
