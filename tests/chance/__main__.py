"""``python -m tests.chance``: a million outcomes for each side and each kind of roll, and a bent row at a table."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from harness import Broken, arguments, verdict

from .at_table import bend
from .fairness import BAG, DICE, LIMIT, WIDE, judge


def main() -> int:
    outcomes = (1_000_000, "outcomes of each kind of roll")
    rolls = (300, "rolls at the table, with a host that drops what it dislikes")
    args = arguments("chance", __doc__, seeded=False, outcomes=outcomes, rolls=rolls, seed=(1, "which outcomes"))
    return verdict(lambda: judge_all(args.outcomes, args.rolls, args.seed))


def judge_all(outcomes: int, rolls: int, seed: int) -> str:
    """Roll, and judge what is found. Raise :class:`Broken` where it is unfair."""
    unfair = 0
    for side in ("table", "host"):
        for ranges in (DICE, BAG, WIDE):
            for it in judge(side, ranges, outcomes, seed):
                unfair += it.probability < LIMIT
                print(
                    f"{it.what}: {it.outcomes} outcomes, chi-square {it.chi_square:.1f} with {it.freedom} degrees of"
                    f" freedom, p = {it.probability:.4f}{'  UNFAIR' if it.probability < LIMIT else ''}"
                )
    seen = bend(rolls, seed)
    everything, kept = seen.verdicts()
    unfair += everything.probability < LIMIT or len(seen.shown) != rolls
    print(
        f"a host that keeps {len(seen.kept)} of {rolls} rolls and drops {seen.abandoned}: {everything.what}:"
        f" {everything.outcomes} outcomes, p = {everything.probability:.4f}; {kept.what}: p = {kept.probability:.1e}"
    )
    if unfair:
        raise Broken(f"{unfair} are unfair")
    return "All of it is fair."


if __name__ == "__main__":
    sys.exit(main())
