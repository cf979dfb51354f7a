"""The archive: games a second into SQLite and PostgreSQL beside a bare copy of the same rows, bytes a game, memory, and
the time that each question of ``tablier stats`` takes, of one club's season and of all.

Twenty thousand games of Le Roudalon, of which two hundred are played and the others are the same again. ``ARCHIVE=``
names an archive whose games are taken instead, such as one of a million that ``tablier simulate --club`` has made.
"""

from __future__ import annotations

import os
import pickle
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, BinaryIO

import psycopg

sys.path.append(str(Path(__file__).parents[2] / "archive"))

from postgres import MISSING, Postgres, programs, server
from sqlalchemy import select

from tablier.archive.campaigns import keep_one
from tablier.archive.database import Archive
from tablier.archive.ended import EndedGame
from tablier.archive.facts import FactRow, facts_in
from tablier.archive.keeping import ClubWriter, read_games, source_of
from tablier.archive.listing import clubs
from tablier.archive.months import month_of
from tablier.archive.questions import QUESTIONS, Scope, ask
from tablier.archive.tables import CLUB, FACT, GAME, SEAT, SOURCE
from tablier.bots.campaigns import Campaign

from . import verdict

CLUBS, GAMES, PLAYED = 5, 4000, 200
AT_ONCE = 2000
TIMES = 20
LEAST = 5000
"""The least games that an archive takes in a second of processor, that of a server included."""
SEASON_S, ALL_S = 1.0, 5.0
"""The limits for the 95th percentile of a question."""
Batch = tuple[str, bytes, list[tuple[EndedGame, list[FactRow]]]]
"""A club, the name of a source, and its games with their facts."""
_ROW = [column.name for column in GAME.columns]
_SEAT = [column.name for column in SEAT.columns]
_FACT = [column.name for column in FACT.columns]


def main() -> None:
    given = os.environ.get("ARCHIVE")
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        kept = Path(folder) / "games"
        games, seconds = keep(kept, of_archive(given) if given else of_campaigns())
        print(f"An archive of {games:,} games; finding their facts takes {seconds / games * 1e6:.0f} µs a game")
        measure(
            "SQLite", str(Path(folder) / "archive.db"), kept, games, lambda: bare_sqlite(Path(folder) / "bare.db", kept)
        )
        if programs() is None:
            print(f"  PostgreSQL: {MISSING}")
            return
        with server() as running:
            measure("PostgreSQL", running.make("archive"), kept, games, lambda: bare_copy(running, kept), running)


# -- the games -------------------------------------------------------------------------------------------


def of_campaigns() -> Iterator[Batch]:
    """Yield the same games again and again, under other numbers."""
    campaign = Campaign("roudalon", {}, ("greedy", "random", "easy", "random"), tuple("ABCD"), 1)
    played = [keep_one(campaign, 1_790_000_000_000_000, number) for number in range(1, PLAYED + 1)]
    for club in range(1, CLUBS + 1):
        for first in range(0, GAMES, AT_ONCE):
            numbers = range(first + 1, first + 1 + AT_ONCE)
            part = [(number, played[number % PLAYED]) for number in numbers]
            again = [(replace(kept.game, number=number), kept.facts) for number, kept in part]
            yield f"club {club}", club.to_bytes(32, "big"), again


def of_archive(where: str) -> Iterator[Batch]:
    """Yield the games of an archive, their facts found anew."""
    with Archive.open(where) as archive, archive.reading() as connection:
        found = select(SOURCE.c.id, SOURCE.c.origin, CLUB.c.name).join(CLUB, CLUB.c.id == SOURCE.c.club)
        for id, origin, club in connection.execute(found.order_by(SOURCE.c.id)).all():
            every = read_games(connection, GAME.c.source == id)
            while part := [(game, facts_in(game)) for game in islice(every, AT_ONCE)]:
                yield club, origin, part


def keep(path: Path, batches: Iterator[Batch]) -> tuple[int, float]:
    """Write batches to a file, so that all that is measured gets the same; return how many games, and seconds."""
    games, begun = 0, perf_counter()
    with path.open("wb") as file:
        for batch in batches:
            pickle.dump(batch, file)
            games += len(batch[2])
    return games, perf_counter() - begun


def kept_in(file: BinaryIO) -> Iterator[Batch]:
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return


# -- into the archive ------------------------------------------------------------------------------------


def resident_kb() -> int:
    """Return the memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def fill(where: str, path: Path) -> tuple[float, float, list[int]]:
    """Put all games into an archive; return the seconds, those of the processor, and the memory after each batch."""
    seconds, busy, memory = 0.0, 0.0, []
    with Archive.open(where, create=True) as archive, path.open("rb") as file:
        for club, origin, games in kept_in(file):
            begun, busy = perf_counter(), busy - process_time()
            with archive.writing(club) as (connection, number):
                keeping = ClubWriter(connection, number)
                keeping.add(source_of(connection, number, origin).id, games)
                keeping.finish()
            seconds, busy = seconds + perf_counter() - begun, busy + process_time()
            memory.append(resident_kb())
    return seconds, busy, memory


def rows_of(
    source: int, games: Sequence[tuple[EndedGame, list[FactRow]]]
) -> Iterator[tuple[str, list[str], list[Any]]]:
    """Yield tables with the rows of games, seats and facts as the archive has them, with players by numbers."""
    rows, seats = [], []
    for game, _ in games:
        rows.append(
            (
                *(source, game.number, 1, game.kind, month_of(game.ended), len(game.seats)),
                *(game.began, game.ended, game.evening, game.series),
                *(game.practice, len(game.moves), game.ending, game.state, game.body),
            )
        )
        seats += [(source, game.number, at, at, seat.points, seat.won, True) for at, seat in enumerate(game.seats, 1)]
    yield "game", _ROW, rows
    yield "seat", _SEAT, seats
    yield "fact", _FACT, [(source, game.number, *fact) for game, facts in games for fact in facts]


def bare_copy(running: Postgres, path: Path) -> float:
    """Copy the same rows into tables of the same shape by ``COPY``; return the seconds."""
    where = running.make("bare")
    Archive.open(where, create=True).close()
    seconds, number = 0.0, 0
    with psycopg.connect(where) as connection, path.open("rb") as file:
        for own in (SEAT, GAME):  # no row of another table is there to refer to
            for key in own.foreign_key_constraints:
                connection.execute(f'ALTER TABLE {own.name} DROP CONSTRAINT "{key.name}"')
        connection.commit()
        for number, (_, _, games) in enumerate(kept_in(file), 1):
            tables = list(rows_of(number, games))
            begun = perf_counter()
            for table, names, given in tables:
                with connection.cursor().copy(f"COPY {table} ({', '.join(names)}) FROM STDIN") as copy:
                    for row in given:
                        copy.write_row(row)
            connection.commit()
            seconds += perf_counter() - begun
    return seconds


def bare_sqlite(bare: Path, path: Path) -> float:
    """Insert the same rows by the module sqlite3 alone; return the seconds."""
    Archive.open(bare, create=True).close()
    seconds = 0.0
    db = sqlite3.connect(bare)
    db.execute("PRAGMA synchronous = FULL")
    with path.open("rb") as file:
        for number, (_, _, games) in enumerate(kept_in(file), 1):
            tables = list(rows_of(number, games))
            begun = perf_counter()
            for table, names, given in tables:
                db.executemany(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", given
                )
            db.commit()
            seconds += perf_counter() - begun
    db.close()
    return seconds


# -- what it says ----------------------------------------------------------------------------------------


def measure(
    name: str, where: str, path: Path, games: int, bare: Callable[[], float], running: Postgres | None = None
) -> None:
    before = running.busy() if running else 0.0
    seconds, busy, memory = fill(where, path)
    if running:
        busy += running.busy() - before
    copied = bare()
    if running is None:
        size = sum(each.stat().st_size for each in Path(where).parent.glob(f"{Path(where).name}*"))
    else:
        size = int(str(running.sql("SELECT pg_database_size('archive') - pg_database_size('template0')")[0][0]))
    rate, peer = games / seconds, games / copied
    early, last = memory[len(memory) // 10], memory[-1]
    print(f"  {name}: {rate:,.0f} games a second; the same rows bare {peer:,.0f} ({rate / peer:.2f} of it)")
    met = verdict(games / busy >= LEAST)
    print(f"    {games / busy:,.0f} games a second of processor (target {LEAST:,}: {met})")
    print(f"    {size / games:.0f} bytes a game; memory {early:,} kB after a tenth, {last:,} at the end")
    with Archive.open(where) as archive:
        one = clubs(archive)[0].name
        for scope, limit in ((Scope(club=one), SEASON_S), (Scope(), ALL_S)):
            for question in QUESTIONS:
                times = sorted(_seconds(partial(ask, archive, question, scope)) for _ in range(TIMES))
                p95 = times[int(0.95 * (TIMES - 1))]
                of = "one club" if scope.club else "all     "
                met = verdict(p95 <= limit)
                print(f"    {question:9} of {of}  p95 {p95 * 1000:7.1f} ms (limit {limit * 1000:.0f}: {met})")


def _seconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


if __name__ == "__main__":
    main()
