"""``python -m tests.tools.bench.tournament``: whether ``strong`` beats ``greedy`` three to one and ``good`` two to one.

Every game has a seed of its own, which follows from the one that is printed; sides are swapped from game to game. Games
that neither side wins alone are told apart and decide nothing. A match ends when its interval decides, that is, lies on
one side of the share of wins that is demanded, or when its games or its time are used up. Time is that of processors,
so that other work on the machine shortens no match.

The interval is a confidence sequence: with 95 % it holds the true share at every moment of the match, so that it may be
looked at after each game, as Wilson's interval may not. It is that of Robbins with a uniform mixture: a share ``p`` is
left out as soon as the wins are 20 times as likely under a share that is drawn evenly from 0 to 1.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from functools import partial
from math import lgamma, log
from time import thread_time
from typing import NamedTuple

from tablier.bots.campaigns import Campaign, play_one
from tablier.bots.workers import Workers, WorkersError, in_order
from tablier.cli.common import CommandError
from tablier.cli.workers import add_worker_options, workers_of
from tablier.games import game_class

SEATS = {"d21": 2, "dicke-daemonen": 2, "dilemma": 4, "roudalon": 4, "struggle": 2}
"""Where there are more than two, every other seat is of the same side."""
DEMANDS = {"greedy": 3, "good": 2}
"""Wins for each win of the other side."""
CONFIDENCE = 0.95
MOST_GAMES = 400
MINUTES = 60.0


class Match(NamedTuple):
    """One side against another at a game."""

    game: str
    sides: tuple[str, str]
    seed: int

    def campaign(self, number: int) -> Campaign:
        """Return the campaign of a game: the first side sits first in every other one."""
        sides = self.sides if number % 2 else self.sides[::-1]
        sources = sides * (SEATS[self.game] // 2)
        return Campaign(self.game, {}, sources, tuple(f"{side} {n}" for n, side in enumerate(sources, 1)), self.seed)


class Score(NamedTuple):
    """The standing of a match."""

    wins: int
    losses: int
    neither: int
    """Games that seats of both sides have won, or none."""
    seconds: float
    """Of processors."""

    @property
    def interval(self) -> tuple[float, float]:
        """Return the bounds of the share of wins among the games that one side has won alone."""
        return interval(self.wins, self.losses)

    def verdict(self, demand: float) -> str:
        """Return ``met``, ``missed`` or ``open``."""
        least = demand / (1 + demand)
        low, high = self.interval
        return "met" if low >= least else "missed" if high < least else "open"


def interval(wins: int, losses: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the confidence sequence of a share after so many wins and losses."""
    mixed = lgamma(wins + 1) + lgamma(losses + 1) - lgamma(wins + losses + 2)

    def left_out(p: float) -> bool:
        likelihood = (wins * log(p) if wins else 0.0) + (losses * log(1 - p) if losses else 0.0)
        return mixed - likelihood > -log(1 - confidence)

    def bound(inside: float, outside: float) -> float:
        for _ in range(40):
            middle = (inside + outside) / 2
            if 0 < middle < 1 and left_out(middle):
                outside = middle
            else:
                inside = middle
        return inside

    mean = wins / (wins + losses) if wins + losses else 0.5
    inner = min(max(mean, 1e-9), 1 - 1e-9)
    return bound(inner, 0.0), bound(inner, 1.0)


def play(match: Match, number: int) -> tuple[bool, bool, float]:
    """Play a game of a match; return whether the first and the second side won, and the seconds that it took."""
    begun = thread_time()
    campaign = match.campaign(number)
    winners = {campaign.sources[seat - 1] for seat in play_one(campaign, number).winners}
    return match.sides[0] in winners, match.sides[1] in winners, thread_time() - begun


def scores(match: Match, games: int, workers: Workers) -> Iterator[Score]:
    """Play a match; hand over how it stands after each game, in the order of their numbers."""
    score = Score(0, 0, 0, 0.0)
    for first, second, seconds in in_order(partial(play, match), games, workers):
        won, lost = first and not second, second and not first
        score = Score(score.wins + won, score.losses + lost, score.neither + (won == lost), score.seconds + seconds)
        yield score


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.bench.tournament", description=__doc__.split("\n")[0])
    parser.add_argument("--games", nargs="+", choices=SEATS, default=list(SEATS), metavar="GAME")
    parser.add_argument("--against", nargs="+", choices=DEMANDS, default=list(DEMANDS), metavar="BOT")
    parser.add_argument("--seed", type=int, help="a whole number (default: one by chance, which is printed)")
    parser.add_argument("--most", type=int, default=MOST_GAMES, help=f"games of a match ({MOST_GAMES})")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help=f"of all processes, for all matches ({MINUTES:g})"
    )
    add_worker_options(parser)
    args = parser.parse_args()
    try:
        with workers_of(args) as workers:
            tournament(args, workers)
    except (CommandError, WorkersError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


def tournament(args: argparse.Namespace, workers: Workers) -> None:
    """Play the matches and print each when it has ended."""
    seed = random.SystemRandom().getrandbits(32) if args.seed is None else args.seed
    left = 60 * args.minutes * workers.size
    matches = [(game, other) for game in args.games for other in args.against]
    print(f"seed {seed}; wins and losses: games that one side has won alone; interval: {CONFIDENCE:.0%}, at any time")
    print(f"  {'game':15}{'against':9}{'wins':>6}{'losses':>8}{'neither':>9}{'share':>7}  {'interval':15}demanded")
    for number, (game, other) in enumerate(matches):
        share = left / (len(matches) - number)  # what a match leaves over goes to those that follow
        score = Score(0, 0, 0, 0.0)
        for score in scores(Match(game, ("strong", other), seed), args.most, workers):
            if score.verdict(DEMANDS[other]) != "open" or score.seconds >= share:
                break
        left -= score.seconds
        decided = score.wins + score.losses
        low, high = score.interval
        print(
            f"  {game_class(game).title:15}{other:9}{score.wins:6}{score.losses:8}{score.neither:9}"
            f"{score.wins / max(1, decided):7.0%}  {f'{low:.0%} to {high:.0%}':15}{DEMANDS[other]} : 1"
            f" ({DEMANDS[other] / (1 + DEMANDS[other]):.0%}) {score.verdict(DEMANDS[other])}"
            f"; {score.seconds / (decided + score.neither):.1f} s a game",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
