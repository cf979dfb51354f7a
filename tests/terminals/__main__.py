"""``python -m tests.terminals``: end the program in its first seconds, in every way. Exit status 1 where it leaves
something behind."""

from __future__ import annotations

import argparse
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from .campaign import DEEDS, cases, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.terminals", description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="how often each deed is done (100)")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time (2)")
    parser.add_argument("--seed", type=int, help="which moments (drawn, and told)")
    args = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if args.seed is None else args.seed
    print(f"Seed {seed}: {', '.join(DEEDS)}, each {args.times} times.", flush=True)
    began, done, broken = time.monotonic(), 0, 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for future in as_completed([pool.submit(run, case) for case in cases(seed, args.times)]):
            done += 1
            for each in (wrong := future.result()):
                print(f"BROKEN: {each}", flush=True)
            broken += bool(wrong)
    print(f"{done} starts in {(time.monotonic() - began) / 60:.1f} minutes; {broken} did not end as they should.")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
