"""Duels on two phones: the lengths and times of the messages that others get, by what was chosen.

A choice is bound, so nothing of it can be read before it is opened; this looks for what could be *weighed*: whether
a message about the first choice is longer, or comes later, when it is the one and not the other. What a page is sent of
a state depends on the states that it took before, and so on time; lengths and times are compared by the test of Mann
and Whitney (1947, "On a test of whether one of two random variables is stochastically larger than the other"): of two
choices that are treated alike, one run in a hundred shows a p below 0.01. The states themselves have the same lengths.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple
from unittest.mock import patch

from scipy.stats import mannwhitneyu

from . import verdict

sys.path.append(str(Path(__file__).parents[2] / "web"))

from onlookers import Game
from served import served

from kept import kept, linked
from tablier.course.chance import HostSeed

DUELS = 60
AT_ONCE = 12
"""The games of a server: their browsers are in for a while."""


class Seen(NamedTuple):
    """What a spectator gets after a choice."""

    state: int
    """The length of the state, as JSON."""
    message: int
    """The bytes that say so."""
    ms: float
    """The milliseconds after the choice was sent."""


def seen(game: Game, choice: int) -> Seen:
    """Play to a duel and have its first seat choose; return what a spectator then gets."""
    game.to_a_choice()
    game.settle()
    reader, own = game.readers[None], f"game-{game.number}"
    before, lines = len(reader.events), len(reader.raw)
    begun = perf_counter()
    game.choose(game.updates[None]["question"]["seats"][0], choice)
    reader.until_event(own, before)
    took = (perf_counter() - begun) * 1000
    state = next(each["state"] for each in reader.events[before:] if each["name"] == own)
    line = next(line for line in reader.raw[lines:] if f'"name":"{own}"' in line)
    return Seen(len(json.dumps({**state, "game": 0})), len(line.replace(str(game.number), "")), took)


def main() -> None:
    rng = random.Random(1)
    choices = [choice for choice in (0, 1) for _ in range(DUELS)]
    rng.shuffle(choices)
    found: dict[int, list[Seen]] = {0: [], 1: []}
    seed = HostSeed.new()  # one deck, so that all that differs between two games is the choice
    with patch.object(HostSeed, "new", return_value=seed):
        for at in range(0, len(choices), AT_ONCE):
            with tempfile.TemporaryDirectory() as folder:
                log = Path(folder) / "log.db"
                with kept(log), linked(log) as link, served(log) as pages:
                    for choice in choices[at : at + AT_ONCE]:
                        with ExitStack() as stack:
                            game = Game(pages, link, stack, "dilemma")
                            found[choice].append(seen(game, choice))
                            game.link.stop()
    print(f"A duel on two phones, seen by a third: {DUELS} of each choice")
    for choice, name in enumerate(("conflict", "peace")):
        states, messages, times = zip(*found[choice], strict=True)
        print(f"  {name:8}  state of {sorted(set(states))} bytes, in {median(messages):.0f} (median)", end="")
        print(f"; after {median(times):6.2f} ms (median)")
    for what in ("message", "ms"):
        p = mannwhitneyu(*([getattr(each, what) for each in found[choice]] for choice in (0, 1))).pvalue
        print(f"  {what}: differ with p = {p:.2f} (limit: 0.01: {verdict(p > 0.01)})")
    one, other = ({each.state for each in found[choice]} for choice in (0, 1))
    print(f"  states of the same lengths: {verdict(one == other)}")


if __name__ == "__main__":
    main()
