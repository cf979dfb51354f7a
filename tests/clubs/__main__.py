"""``python -m tests.clubs``: clubs that add to one archive at once while everything breaks. Exit status 1 when it loses
or doubles something, 2 where PostgreSQL's server is missing."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from postgres import MISSING, Postgres, programs, server

from harness import TIMES, Broken, arguments, verdict

from .campaign import ALL, Goal, Season, begin_together, correction_points, kill_points

_BEGINNINGS = 5
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"


def main() -> int:
    clubs, jobs = (20, "clubs that add at once"), (40, "clients at a time")
    args = arguments("clubs", __doc__, clubs=clubs, times=TIMES, jobs=jobs)
    if programs() is None:
        print(f"python -m tests.clubs: {MISSING}", file=sys.stderr)
        return 2
    return verdict(lambda: break_all(args.seed, args.clubs, args.times, args.jobs))


def break_all(seed: int, clubs: int, times: int, jobs: int) -> str:
    """Break what clubs do at archives of both kinds. Raise :class:`Broken`."""
    print(f"Seed {seed}: {clubs} clubs at a server of PostgreSQL, then a quarter of them at a file.", flush=True)
    with tempfile.TemporaryDirectory(prefix="tablier-clubs-") as name, server() as running:
        folder, together = Path(name), min(clubs, jobs)
        for kind, where, elsewhere in (
            (SQLITE, str(folder / "points.db"), str(folder / "corrections.db")),
            (POSTGRESQL, running.make("points"), running.make("corrections")),
        ):
            own = folder / kind
            own.mkdir()
            print(f"{kind}: killed before each of {kill_points(own, where, seed)} statements of an add.", flush=True)
            killed = correction_points(own, elsewhere, seed)
            print(f"{kind}: killed before each of {killed} statements by which an archive is corrected.", flush=True)
            for number in range(_BEGINNINGS):
                place = f"{where}-{number}" if kind == SQLITE else running.make(f"beginning{number}")
                begin_together(folder, place, seed, together)
        print(f"Begun by {together} clients at once: {_BEGINNINGS} archives of each kind.", flush=True)
        goal = Goal(times, times, -(-times // 10))
        _spend(folder / POSTGRESQL, running.make("clubs"), clubs, goal, seed, running, jobs)
        _spend(folder / SQLITE, str(folder / "archive.db"), -(-clubs // 4), Goal(-(-times // 4)), seed, None, jobs)
    return "The archives hold what the logs hold, each game once."


def _spend(own: Path, where: str, clubs: int, goal: Goal, seed: int, server: Postgres | None, jobs: int) -> None:
    """Spend a season and print what came of it. Raise :class:`Broken`."""
    began = time.monotonic()
    season = own / "season"
    season.mkdir()
    told = Season(season, where, clubs, goal, seed, server, jobs).spend()
    parts = ", ".join(f"{told.deeds[what]} {what}" for what in ALL)
    seconds = time.monotonic() - began
    print(f"{own.name}, {clubs} clubs: {parts}; {told.games} games in the end; {seconds:.0f} s.", flush=True)
    if told.broken:
        raise Broken("\n".join(told.broken))


if __name__ == "__main__":
    sys.exit(main())
