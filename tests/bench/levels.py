"""``python -m tests.bench.levels``: whether ratings find the order of the bots, and only as far as it is there.

Two neighbours in ``strong``, ``good``, ``greedy``, ``easy``, ``random`` are first matched against each other, until the
interval of the share of wins (as in a tournament) leaves out one half, or the games are used up. Then other games, with
other seeds, in which seats are shared out anew each time, go into an archive, and its ratings are read. Neighbours of
whom a match has shown that one is better have to be told apart in that order; others must not be told apart the other
way round.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

from tests.bench.tournament import Match, scores

from tablier.archive.campaigns import Kept, keep_one
from tablier.archive.database import Archive
from tablier.archive.keeping import Keeping, source_of
from tablier.archive.questions import Scope, ask
from tablier.archive.ratings import Rating, told_apart
from tablier.cli.common import CommandError
from tablier.cli.workers import add_worker_options, workers_of
from tablier.play.campaigns import Campaign
from tablier.play.workers import Workers, WorkersError, in_order

LEVELS = ("strong", "good", "greedy", "easy", "random")
SEATS = {"roudalon": 4, "dilemma": 4, "struggle": 3, "dicke-daemonen": 3, "d21": 2}
"""By game, the fastest first."""
AT_ONCE = 100


def shared_out(game: str, seed: int, number: int) -> Kept:
    """Play a game in which no two seats are of one level."""
    sources = tuple(random.Random(f"{game} {seed} {number}").sample(LEVELS, SEATS[game]))
    return keep_one(Campaign(game, {}, sources, sources, seed), number, number)


def is_shown(game: str, sides: tuple[str, str], seed: int, most: int, workers: Workers) -> bool:
    """Return whether a match shows that the first side wins more often than the second."""
    for score in scores(Match(game, sides, seed), most, workers):
        low, high = score.interval
        if low > 0.5 or high < 0.5:
            break
    low, _ = score.interval
    print(
        f"  {sides[0]:6} against {sides[1]:6} {score.wins}:{score.losses}:{score.neither}  {score.interval[0]:.0%} to"
        f" {score.interval[1]:.0%} of the wins",
        flush=True,
    )
    return low > 0.5


def rate(game: str, seed: int, games: int, workers: Workers) -> dict[str, Rating]:
    """Play games into an archive and return the ratings that it tells."""
    with tempfile.TemporaryDirectory() as folder, Archive.open(Path(folder) / "archive.db", create=True) as archive:
        every = in_order(partial(shared_out, game, seed), games, workers)
        while part := list(islice(every, AT_ONCE)):
            with archive.writing("levels") as (connection, club):
                keeping = Keeping(connection, club)
                keeping.add(source_of(connection, club, bytes(32)).id, [(kept.game, kept.counts) for kept in part])
                keeping.finish()
        (answer,) = ask(archive, "ratings", Scope(game=game))
    rows = [dict(zip((column.key for column in answer.columns), row, strict=True)) for row in answer.rows]
    return {
        str(row["name"]): Rating(float(row["rating"] or 0), float(row["uncertainty"] or 0) / 1.959964) for row in rows
    }


def try_game(game: str, seed: int, games: int, most: int, workers: Workers) -> bool:
    """Try one game, say what was found, and return whether all is as it should be."""
    print(f"{game}: matches of at most {most} games, then {games} rated games", flush=True)
    shown = {sides: is_shown(game, sides, seed, most, workers) for sides in pairwise(LEVELS)}
    found = rate(game, seed + 1, games, workers)
    print("  " + ", ".join(f"{level} {found[level].mu:.1f} ± {found[level].uncertainty:.1f}" for level in LEVELS))
    right = True
    for (one, other), better in shown.items():
        apart = told_apart(found[one], found[other])
        above = found[one].mu > found[other].mu
        fits = (apart and above) if better else (above or not apart)
        said = "told apart" if apart and above else "the other way round" if apart else "not told apart"
        print(
            f"  {one} and {other}: {'shown' if better else 'not shown'} by the match, {said} by the ratings"
            f"{'' if fits else '  WRONG'}",
            flush=True,
        )
        right &= fits
    return right


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.levels", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--games", nargs="+", choices=SEATS, default=list(SEATS), metavar="GAME")
    parser.add_argument("--rated", type=int, default=2000, help="rated games of each (2000)")
    parser.add_argument("--most", type=int, default=400, help="games of a match (400)")
    parser.add_argument("--seed", type=int, default=27)
    add_worker_options(parser)
    args = parser.parse_args()
    try:
        with workers_of(args) as workers:
            right = [try_game(game, args.seed, args.rated, args.most, workers) for game in args.games]
            return int(not all(right))
    except (CommandError, WorkersError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
