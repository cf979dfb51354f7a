"""``python -m tests.chance``: a million outcomes for each side and each kind of roll."""

from __future__ import annotations

import argparse
import sys

from .fairness import BAG, DICE, LIMIT, WIDE, judge


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chance", description=__doc__)
    parser.add_argument("--outcomes", type=int, default=1_000_000)
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
    return 1 if unfair else 0


if __name__ == "__main__":
    sys.exit(main())
