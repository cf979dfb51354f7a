"""``python -m tests.clubs``: clubs that add to one archive at once while everything breaks. Exit status 1 when it loses
or doubles something, 2 where PostgreSQL's server is missing."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from postgres import MISSING, Postgres, programs, server

from .campaign import ALL, Broken, Goal, Season, begin_together, correction_points, kill_points

_BEGINNINGS = 5
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clubs", description=__doc__)
    parser.add_argument("--clubs", type=int, default=20, help="clubs that add at once (20)")
    parser.add_argument(
        "--times", type=int, default=100, help="how often clients are killed, and connections cut (100)"
    )
    parser.add_argument("--jobs", type=int, default=40, help="clients at a time (40)")
    parser.add_argument("--seed", type=int, help="which logs and moments (drawn, and told)")
    args = parser.parse_args()
    if programs() is None:
        print(f"python -m tests.clubs: {MISSING}", file=sys.stderr)
        return 2
    if args.jobs < 1 or args.clubs < 1:
        parser.error("there is at least one club, and one client at a time")
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    print(f"Seed {seed}: {args.clubs} clubs at a server of PostgreSQL, then a quarter of them at a file.", flush=True)
    broken = False
    with tempfile.TemporaryDirectory(prefix="tablier-clubs-") as name, server() as running:
        folder = Path(name)
        for where, elsewhere in (
            (str(folder / "points.db"), str(folder / "corrections.db")),
            (running.make("points"), running.make("corrections")),
        ):
            broken |= _kill(folder, where, elsewhere, seed)
            for number in range(_BEGINNINGS):
                place = f"{where}-{number}" if _kind(where) == SQLITE else running.make(f"beginning{number}")
                broken |= _begin(folder, place, seed, min(args.clubs, args.jobs))
        print(
            f"Begun by {min(args.clubs, args.jobs)} clients at once: {_BEGINNINGS} archives of each kind.", flush=True
        )
        goal = Goal(args.times, args.times, -(-args.times // 10))
        broken |= _spend(folder, running.make("clubs"), args.clubs, goal, seed, running, args.jobs)
        goal = Goal(-(-args.times // 4))
        broken |= _spend(folder, str(folder / "archive.db"), -(-args.clubs // 4), goal, seed, None, args.jobs)
    print(
        "Something was lost, doubled or refused." if broken else "The archives hold what the logs hold, each game once."
    )
    return broken


def _kind(where: str) -> str:
    return POSTGRESQL if "://" in where else SQLITE


def _begin(folder: Path, where: str, seed: int, clients: int) -> bool:
    """Have clients begin an archive; return True if something is broken."""
    try:
        begin_together(folder, where, seed, clients)
    except Broken as error:
        print(f"BROKEN: {error}", flush=True)
        return True
    return False


def _kill(folder: Path, where: str, elsewhere: str, seed: int) -> bool:
    """Kill clients at each statement, and say what came of it; return True if something is broken."""
    kind = _kind(where)
    own = folder / kind
    own.mkdir()
    try:
        print(f"{kind}: killed before each of {kill_points(own, where, seed)} statements of an add.", flush=True)
        killed = correction_points(own, elsewhere, seed)
        print(f"{kind}: killed before each of {killed} statements by which an archive is corrected.", flush=True)
    except Broken as error:
        print(f"BROKEN: {error}", flush=True)
        return True
    return False


def _spend(folder: Path, where: str, clubs: int, goal: Goal, seed: int, server: Postgres | None, jobs: int) -> bool:
    """Spend a season and say what came of it; return True if something is broken."""
    began = time.monotonic()
    kind = _kind(where)
    own = folder / f"{kind}-season"
    own.mkdir()
    told = Season(own, where, clubs, goal, seed, server, jobs).spend()
    for each in told.broken:
        print(f"BROKEN: {each}", flush=True)
    parts = ", ".join(f"{told.deeds[what]} {what}" for what in ALL)
    seconds = time.monotonic() - began
    print(f"{kind}, {clubs} clubs: {parts}; {told.games} games in the end; {seconds:.0f} s.", flush=True)
    return bool(told.broken)


if __name__ == "__main__":
    sys.exit(main())
