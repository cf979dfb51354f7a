"""``python -m tests.soak``: the soak, a number of frames long. Exit status 1 when the claim does not hold."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from harness import TIMES, Broken, arguments, runs, verdict

from .campaign import DEEDS, FAULTS, OPENINGS, Leg, Told

_LEG = 50_000  # frames of one table


def main() -> int:
    args = arguments(
        "soak", __doc__, frames=(1_000_000, "how many frames"), times=TIMES, jobs=(2, "tables at the same time")
    )
    return verdict(lambda: soak(args.seed, args.frames, args.times, args.jobs))


def soak(seed: int, frames: int, times: int, jobs: int) -> str:
    """Soak tables. Raise :class:`Broken`; the logs are kept then."""
    count = max(1, min(times, frames // _LEG))
    print(f"Seed {seed}: {frames:,} frames at {count} tables, {jobs} at a time.", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="tablier-soak-"))
    legs = []
    for n in range(count):
        path = folder / str(n)
        path.mkdir()
        share = times * (n + 1) // count - times * n // count
        legs.append(Leg(path, seed * 1000 + n, frames // count, share))
    board = Board(legs, frames)

    def run(leg: Leg) -> None:
        try:
            leg.run(board.tell)
        except Broken as error:
            raise Broken(f"table {leg.seed} (in {folder}): {error}") from None

    try:
        list(runs(run, [(leg,) for leg in legs], jobs))
    finally:
        board.end()
        _print(board.sum())
    shutil.rmtree(folder)
    return f"Seed {seed}: nothing shown as taken was lost, doubled or out of order."


def _print(told: Told) -> None:
    done = told.deeds
    kills = done["kill"] + done["deaf"] + done["reopen"]
    print(f"{told.frames:,} frames: {words(told.faults, FAULTS)}")
    print(f"Cable pulled {done['cable']} times, table reset {done['reset']} times, host killed {kills} times")
    print(f"Port open without being read {done['deaf']} times, opened and closed {OPENINGS * done['reopen']} times")
    print(f"{told.events:,} events, {told.presses:,} presses; {told.lost:,} presses not taken, and made again")
    print(f"Dates at most {told.early_us / 1e3:.1f} ms before the press and {told.late_us / 1e3:.1f} ms after it")
    print(f"{told.games:,} games; {told.gaps} gaps, named in the logs")


def words(counts: Counter[str], names: Iterable[str]) -> str:
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
