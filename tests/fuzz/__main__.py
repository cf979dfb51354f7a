"""``python -m tests.fuzz``: so many frames at the firmware and at the host. Exit status 1 when one breaks a promise."""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from .at_host import at_client, at_conductor
from .at_keeper import at_keeper
from .at_port import at_port
from .at_table import fuzz
from .between import between


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--frames", type=int, default=500_000, help="how many frames each way (500,000)")
    parser.add_argument("--seed", type=int, help="which frames (drawn, and told)")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    games = max(500, args.frames // 5)
    print(
        f"Seed {seed}: {args.frames:,} frames at the host, {games:,} of them at games; as many requests of screens, and"
        f" {2 * args.frames:,} at a keeper's socket; as many frames between a host and a table, with lies both ways;"
        " then at the firmware.",
        flush=True,
    )
    legs = (
        ("client", lambda: at_client(seed, args.frames - games)),
        ("games", lambda: at_conductor(seed, games)),
        ("port", lambda: at_port(seed, games)),
        ("keeper", lambda: at_keeper(seed, 2 * args.frames)),
        ("between", lambda: between(seed, games)),
        ("firmware", lambda: fuzz(seed, args.frames)),
    )
    for name, leg in legs:
        begun = time.monotonic()
        try:
            told = leg()
        except AssertionError as error:
            print(f"{name}: broken: {error}")
            return 1
        counts = ", ".join(f"{what} {count:,}" for what, count in sorted(told.items()))
        print(f"{name:9} {time.monotonic() - begun:6.0f} s  {counts}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
