"""Duels on two phones: the lengths and times of the messages that others get, by what was chosen.

A choice is bound, so nothing of it can be read before it is opened; this looks for what could be *weighed*: whether
a message about the first choice is longer, or comes later, when it is the one and not the other. Times are compared
by the test of Mann and Whitney (1947, "On a test of whether one of two random variables is stochastically larger
than the other"): of two choices that are treated alike, one run in a hundred shows a p below 0.01.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from unittest.mock import patch

from scipy.stats import mannwhitneyu

sys.path.append(str(Path(__file__).parents[2] / "web"))

from onlookers import Game
from served import served

from kept import kept, linked
from tablier.course.chance import HostSeed

DUELS = 60


def length_and_ms(game: Game, choice: int) -> tuple[int, float]:
    """Play to a duel and have its first seat choose. Return the length of the message that a spectator then gets, and
    how many milliseconds after the choice was sent it came."""
    game.to_a_choice()
    game.settle()
    lines = game.readers[None].raw
    before = len(lines)
    begun = perf_counter()
    game.choose(game.updates[None]["question"]["seats"][0], choice)
    game.readers[None].until_more(before)
    took = (perf_counter() - begun) * 1000
    own = f'"name":"game-{game.number}"'
    return next(len(line.replace(own, "")) for line in lines[before:] if own in line), took


def main() -> None:
    rng = random.Random(1)
    choices = [choice for choice in (0, 1) for _ in range(DUELS)]
    rng.shuffle(choices)
    lengths: dict[int, Counter[int]] = {0: Counter(), 1: Counter()}
    times: dict[int, list[float]] = {0: [], 1: []}
    seed = HostSeed.new()  # one deck, so that all that differs between two games is the choice
    with tempfile.TemporaryDirectory() as folder, patch.object(HostSeed, "new", return_value=seed):
        log = Path(folder) / "log.db"
        with kept(log), linked(log) as link, served(log) as pages:
            for choice in choices:
                with ExitStack() as stack:
                    game = Game(pages, link, stack, "dilemma")
                    length, took = length_and_ms(game, choice)
                    game.link.stop()
                lengths[choice][length] += 1
                times[choice].append(took)
    print(f"A duel on two phones, seen by a third: {DUELS} of each choice")
    for choice, name in enumerate(("conflict", "peace")):
        print(f"  {name:8}  message after {median(times[choice]):6.2f} ms (median); of {sorted(lengths[choice])} bytes")
    p = mannwhitneyu(times[0], times[1]).pvalue
    print(f"  times differ with p = {p:.2f}: {'alike' if p > 0.01 else 'NOT ALIKE (p <= 0.01)'}")
    print(f"  lengths: {'equal' if set(lengths[0]) == set(lengths[1]) else 'NOT EQUAL'}")


if __name__ == "__main__":
    main()
