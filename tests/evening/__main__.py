"""``python -m tests.evening``: evenings while everything breaks. Exit status 1 when one loses something."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from harness import TIMES, arguments, runs, verdict

from .campaign import BOT, CABLE, DEEDS, KEEPER, PAUSE, PROGRAM, SCREEN, TABLE, Told
from .keeper import ALL
from .plans import plans, spend


def main() -> int:
    args = arguments("evening", __doc__, times=TIMES, jobs=(2, "evenings at a time"))
    return verdict(lambda: spend_all(args.seed, args.times, args.jobs))


def spend_all(seed: int, times: int, jobs: int) -> str:
    """Spend evenings, and judge them. Raise :class:`Broken`."""
    evenings = plans(seed, times)
    print(f"Seed {seed}: {len(evenings)} evenings, {jobs} at a time.", flush=True)
    told = Told()
    try:
        for each in runs(spend, [(plan,) for plan in evenings], jobs, apart=True):
            told += each
            print(", ".join(f"{told.deeds[deed]} {deed}" for deed in DEEDS) + f", {told.moves:,} moves", flush=True)
    finally:
        _print(told)
    return "Nothing shown as taken was lost; every result is that of its moves."


def _print(told: Told) -> None:
    deeds = told.deeds
    print(
        f"\n{sum(told.games.values())} games: {', '.join(f'{count} of {game}' for game, count in told.games.items())}"
    )
    print(f"Cable pulled {deeds[CABLE]} times, table reset {deeds[TABLE]} times,", end=" ")
    print(f"keeper killed {deeds[KEEPER]} times, bots' programs {deeds[PROGRAM]}, screens {deeds[SCREEN]};", end=" ")
    print(f"{deeds[PAUSE]} pauses; seats left to a bot {deeds[BOT]}, taken again {told.returned}")
    print("Keeper killed on an input's way: " + ", ".join(f"{p} ({o}) {told.points[p, o]}" for p, o in ALL))
    print(
        f"{told.moves:,} moves, {told.replies:,} replies taken ({told.by_phone:,} of phones), {told.views:,} views"
        f" shown, {told.entries:,} entries;"
        f" {told.table_s / 3600:.1f} hours at the table"
    )


if __name__ == "__main__":
    sys.exit(main())
