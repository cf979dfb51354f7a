"""``python -m tests.crash``: every campaign, whole. Exit status 1 when a log does not hold what it must."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from harness import arguments, runs, verdict

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
        tasks += [(campaigns.failing_closings, (kind, seed)) for seed in _SEEDS]
        tasks += [(campaigns.readers, (kind, _SEEDS[0])), (campaigns.read_only_folders, (kind, _SEEDS[0]))]
        tasks += [(campaigns.copies, (kind, _SEEDS[0], _COPIES))]
    return tasks


def crash(jobs: int) -> str:
    """Carry out all campaigns. Raise :class:`Broken`."""
    totals: Counter[str] = Counter()
    try:
        for done in runs(campaigns.carry_out, _tasks(), jobs, apart=True):
            totals += done
    finally:
        print(f"\nWith SQLite {campaigns.sqlite_versions()}:")
        for name, count in totals.items():
            print(f"{count:>8,}  {name}")
    return "Every log held what it had to hold."


def main() -> int:
    jobs = arguments("crash", __doc__, seeded=False, jobs=(2, "campaigns at a time")).jobs
    return verdict(lambda: crash(jobs))


if __name__ == "__main__":
    sys.exit(main())
