"""``python -m tests.terminals``: end the program in its first seconds, in every way. Exit status 1 where it leaves
something behind."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # where pytest finds what tests share, too

from harness import TIMES, Broken, arguments, runs, verdict

from .campaign import DEEDS, Case, cases, run


def main() -> int:
    args = arguments("terminals", __doc__, times=TIMES, jobs=(2, "programs at a time"))
    return verdict(lambda: end_all(args.seed, args.times, args.jobs))


def end_all(seed: int, times: int, jobs: int) -> str:
    """Start programs and end them. Raise :class:`Broken`."""
    print(f"Seed {seed}: {', '.join(DEEDS)}, each {times} times.", flush=True)
    ended = runs(_end, [(case,) for case in cases(seed, times)], jobs)
    return f"{len(list(ended))} programs ended as they should."


def _end(case: Case) -> None:
    if wrong := run(case):
        raise Broken("\n".join(wrong))


if __name__ == "__main__":
    sys.exit(main())
