"""``python -m tests.evening``: evenings while everything breaks. Exit status 1 when one loses something."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from .campaign import BOT, CABLE, DEEDS, KEEPER, PAUSE, PROGRAM, SCREEN, TABLE, Told
from .keeper import ALL
from .plans import plans, spend


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.evening", description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="how often each deed is done (100)")
    parser.add_argument("--jobs", type=int, default=2, help="evenings at a time (2)")
    parser.add_argument("--seed", type=int, help="which evenings (drawn, and told)")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    evenings = plans(seed, args.times)
    print(f"Seed {seed}: {len(evenings)} evenings, {args.jobs} at a time.", flush=True)
    began, told, failures = time.monotonic(), Told(), []
    # Not forked: a campaign has threads and SQLite in it.
    with ProcessPoolExecutor(args.jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for future in as_completed([pool.submit(spend, plan) for plan in evenings]):
            try:
                told += future.result()
            except Exception as error:
                failures.append(str(error))
                print(f"BROKEN: {error}", flush=True)
            else:
                print(", ".join(f"{told.deeds[deed]} {deed}" for deed in DEEDS) + f", {told.moves:,} moves", flush=True)
    print(f"\n{sum(told.games.values())} games in {(time.monotonic() - began) / 60:.1f} minutes:", end=" ")
    print(", ".join(f"{count} of {game}" for game, count in told.games.items()))
    print(f"Cable pulled {told.deeds[CABLE]} times, table reset {told.deeds[TABLE]} times,", end=" ")
    print(f"keeper killed {told.deeds[KEEPER]} times, bots' programs {told.deeds[PROGRAM]},", end=" ")
    print(f"screens {told.deeds[SCREEN]}; {told.deeds[PAUSE]} pauses;", end=" ")
    print(f"seats left to a bot {told.deeds[BOT]}, taken again {told.returned}")
    print("Keeper killed on an input's way: " + ", ".join(f"{p} ({o}) {told.points[p, o]}" for p, o in ALL))
    print(
        f"{told.moves:,} moves, {told.replies:,} replies taken, {told.views:,} views shown, {told.entries:,} entries;"
    )
    print(f"{told.table_s / 3600:.1f} hours at the table")
    print("NOT as it should be." if failures else "Nothing shown as taken was lost; every result is that of its moves.")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
