"""``python -m tests.soak``: the soak, so many frames long. Exit status 1 when the claim does not hold."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .campaign import DEEDS, FAULTS, OPENINGS, Broken, Leg, Told

_LEG = 50_000  # frames of one table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000, help="how many frames (1,000,000)")
    parser.add_argument("--times", type=int, default=100, help="how often each deed is done (100)")
    parser.add_argument("--seed", type=int, help="what befalls when (drawn, and told)")
    parser.add_argument("--jobs", type=int, default=2, help="tables at the same time (2)")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    count = max(1, min(args.times, args.frames // _LEG))
    print(f"Seed {seed}: {args.frames:,} frames at {count} tables, {args.jobs} at a time.", flush=True)
    begun = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="tablier-soak-"))
    legs = []
    for n in range(count):
        path = folder / str(n)
        path.mkdir()
        times = args.times * (n + 1) // count - args.times * n // count
        legs.append(Leg(path, seed * 1000 + n, args.frames // count, times))
    board = Board(legs, args.frames)
    with ThreadPoolExecutor(args.jobs) as pool:
        broken = [text for text in pool.map(lambda leg: run(leg, board.tell), legs) if text]
    if not broken:
        shutil.rmtree(folder)
    told = board.sum()
    board.end()
    minutes = (time.monotonic() - begun) / 60
    print(f"{told.frames:,} frames in {minutes:.1f} minutes: " + words(told.faults, FAULTS))
    done = told.deeds
    kills = done["kill"] + done["deaf"] + done["reopen"]
    print(f"Cable pulled {done['cable']} times, table reset {done['reset']} times, host killed {kills} times")
    print(f"Port open without being read {done['deaf']} times, opened and closed {OPENINGS * done['reopen']} times")
    print(f"{told.events:,} events, {told.presses:,} presses; {told.lost:,} presses not taken, and made again")
    print(f"Dates at most {told.early_us / 1e3:.1f} ms before the press and {told.late_us / 1e3:.1f} ms after it")
    print(f"{told.games:,} games; {told.gaps} gaps, named in the logs")
    for text in broken:
        print(f"BROKEN: {text}")
    if broken:
        print(f"The logs are kept in {folder}.")
    verdict = "NOT as it should be." if broken else "nothing shown as taken was lost, doubled or out of order."
    print(f"Seed {seed}: {verdict}")
    return 1 if broken else 0


def run(leg: Leg, progress) -> str:  # type: ignore[no-untyped-def]
    try:
        leg.run(progress)
    except Broken as error:
        return f"table {leg.seed}: {error}"
    return ""


def words(counts, names) -> str:  # type: ignore[no-untyped-def]
    return ", ".join(f"{counts[name]:,} {name}" for name in names)


class Board:
    """Says how far it is: on a terminal in place, elsewhere now and then."""

    def __init__(self, legs: list[Leg], frames: int) -> None:
        self._legs = legs
        self._frames = frames
        self._live = sys.stdout.isatty()
        self._told_at = 0.0

    def sum(self) -> Told:
        told = Told()
        for leg in self._legs:
            told += leg.told
        return told

    def tell(self) -> None:
        now = time.monotonic()
        if now - self._told_at < (0.5 if self._live else 30):
            return
        self._told_at = now
        told = self.sum()
        line = f"{told.frames:,} of {self._frames:,} frames, {told.events:,} events, " + words(told.deeds, DEEDS)
        print(f"\r\033[K{line}" if self._live else line, end="" if self._live else "\n", flush=True)

    def end(self) -> None:
        if self._live:
            print("\r\033[K", end="")


if __name__ == "__main__":
    sys.exit(main())
