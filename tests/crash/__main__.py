"""``python -m tests.crash``: every campaign, whole. Exit status 1 when a log does not hold what it must."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from . import campaigns
from .games import KINDS

_SEEDS = (2, 7)
_COPIES = 1000
_PARTS = 4
"""A campaign of a game is done in so many parts, for the sake of several jobs."""

Task = tuple[Callable[..., Counter[str]], tuple[object, ...]]


def _tasks() -> list[Task]:
    # Not in parts: at a table no two runs have the same operations. First, because it takes longest.
    tasks: list[Task] = [(campaigns.stop_points_at_table, (_SEEDS[0],))]
    for seed in _SEEDS:
        for kind in KINDS:
            tasks += [(campaigns.stop_points, (kind, seed, _PARTS, part)) for part in range(_PARTS)]
    for kind in KINDS:
        tasks += [(campaigns.full_disks, (kind, _SEEDS[0])), (campaigns.failing_disks, (kind, _SEEDS[0]))]
        tasks += [(campaigns.readers, (kind, _SEEDS[0])), (campaigns.read_only_folders, (kind, _SEEDS[0]))]
        tasks += [(campaigns.copies, (kind, _SEEDS[0], _COPIES))]
    return tasks


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="campaigns at a time (2)")
    jobs = parser.parse_args().jobs
    began = time.monotonic()
    totals: Counter[str] = Counter()
    failures = []
    # Not forked: a campaign has threads and SQLite in it.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        running = {pool.submit(work, *given): (work, given) for work, given in _tasks()}
        for future in as_completed(running):
            work, given = running[future]
            try:
                done = future.result()
            except Exception as error:
                failures.append(f"{work.__name__}: {error}")
                print(f"FAILED {failures[-1]}", flush=True)
                continue
            totals += done
            what = ", ".join(f"{count} {name}" for name, count in done.items())
            print(f"{work.__name__} {' '.join(map(str, given))}: {what}", flush=True)
    print(f"\nIn {time.monotonic() - began:.0f} s, with SQLite {campaigns.sqlite_versions()}:")
    for name, count in totals.items():
        print(f"{count:>8,}  {name}")
    print(f"{len(failures)} campaigns failed." if failures else "Every log held what it had to hold.")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
