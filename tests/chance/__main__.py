"""``python -m tests.chance``: a million outcomes for each side and each kind of roll, and a bent row at a table."""

from __future__ import annotations

import argparse
import sys

from .at_table import bend
from .fairness import BAG, DICE, LIMIT, WIDE, judge


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chance", description=__doc__)
    parser.add_argument("--outcomes", type=int, default=1_000_000)
    parser.add_argument("--rolls", type=int, default=300, help="at the table, with a host that drops what it dislikes")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    unfair = 0
    for side in ("table", "host"):
        for ranges in (DICE, BAG, WIDE):
            for it in judge(side, ranges, args.outcomes, args.seed):
                unfair += it.probability < LIMIT
                print(
                    f"{it.what}: {it.outcomes} outcomes, chi-square {it.chi_square:.1f} with {it.freedom} degrees of"
                    f" freedom, p = {it.probability:.4f}{'  UNFAIR' if it.probability < LIMIT else ''}"
                )
    seen = bend(args.rolls, args.seed)
    everything, kept = seen.verdicts()
    unfair += everything.probability < LIMIT or len(seen.shown) != args.rolls
    print(
        f"a host that keeps {len(seen.kept)} of {args.rolls} rolls and drops {seen.abandoned}: {everything.what}:"
        f" {everything.outcomes} outcomes, p = {everything.probability:.4f}; {kept.what}: p = {kept.probability:.1e}"
    )
    return 1 if unfair else 0


if __name__ == "__main__":
    sys.exit(main())
