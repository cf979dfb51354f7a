"""``python -m tests.tools.bench.levels``: whether ratings find the order of the bots, and only as far as it is there.

In every game the seats are shared out anew among ``strong``, ``good``, ``greedy``, ``easy`` and ``random``, no two to
one level. First it is counted in some games how often each is ahead of its neighbour in that list; the interval is that
of a tournament. Then others, with other seeds, go into an archive, whose ratings are read. Of neighbours of whom the
first games have shown that one is better the ratings have to name that one as the better; others they must not tell
apart the wrong way round.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice, pairwise
from pathlib import Path

from sqlalchemy import select

sys.path.append(str(Path(__file__).parents[2]))  # where pytest finds what tests share, too

from apart import told_apart
from tablier.archive.campaigns import Kept, keep_one
from tablier.archive.database import Archive
from tablier.archive.keeping import ClubWriter, source_of
from tablier.archive.ratings import Rating, places
from tablier.archive.tables import PLAYER, RATING
from tablier.bots.campaigns import Campaign
from tablier.bots.workers import Workers, WorkersError, in_order
from tablier.cli.common import CommandError
from tablier.cli.workers import add_worker_options, workers_of

from .tournament import interval

LEVELS = ("strong", "good", "greedy", "easy", "random")
SEATS = {"roudalon": 4, "dilemma": 4, "struggle": 3, "dicke-daemonen": 3, "d21": 2}
"""By game, the fastest first."""
AT_ONCE = 100


def shared_out(game: str, seed: int, number: int) -> Kept:
    """Play a game in which no two seats are of one level."""
    sources = tuple(random.Random(f"{game} {seed} {number}").sample(LEVELS, SEATS[game]))
    return keep_one(Campaign(game, {}, sources, sources, seed), number, number)


def ahead(game: str, seed: int, games: int, workers: Workers) -> Iterator[tuple[str, str, int, int]]:
    """Play games; yield two neighbours each with how often the first was ahead of the second, and behind."""
    counts = {pair: [0, 0] for pair in pairwise(LEVELS)}
    for kept in in_order(partial(shared_out, game, seed), games, workers):
        seats = kept.game.seats
        ranks = places(
            [seat.player.key for seat in seats], [seat.won for seat in seats], [seat.points for seat in seats]
        )
        by_level = {place.player.removeprefix("bot "): place.rank for place in ranks}
        for (one, other), pair in counts.items():
            if one in by_level and other in by_level and by_level[one] != by_level[other]:
                pair[by_level[one] > by_level[other]] += 1
    for (one, other), (before, behind) in counts.items():
        yield one, other, before, behind


def rate(game: str, seed: int, games: int, workers: Workers) -> dict[str, Rating]:
    """Play games into an archive and return the ratings that it keeps."""
    with tempfile.TemporaryDirectory() as folder, Archive.open(Path(folder) / "archive.db", create=True) as archive:
        every = in_order(partial(shared_out, game, seed), games, workers)
        while part := list(islice(every, AT_ONCE)):
            with archive.writing("levels") as (connection, club):
                keeping = ClubWriter(connection, club)
                keeping.add(source_of(connection, club, bytes(32)).id, [(kept.game, kept.facts) for kept in part])
                keeping.finish()
        with archive.reading() as connection:
            found = select(PLAYER.c.name, RATING.c.mu, RATING.c.sigma).join(PLAYER, PLAYER.c.id == RATING.c.player)
            return {name: Rating(mu, sigma) for name, mu, sigma in connection.execute(found)}


def try_game(game: str, seed: int, rated: int, compared: int, workers: Workers) -> bool:
    """Try one game, say what was found, and return whether all is as it should be."""
    print(f"{game}: {compared} games to compare, then {rated} rated games", flush=True)
    shown = {}
    for one, other, before, behind in ahead(game, seed, compared, workers):
        low, high = interval(before, behind)
        shown[one, other] = low > 0.5
        print(f"  {one:6} ahead of {other:6} {before}:{behind}, {low:.0%} to {high:.0%}", flush=True)
    found = rate(game, seed + 1, rated, workers)
    print("  " + ", ".join(f"{level} {found[level].mu:.1f} ± {found[level].uncertainty:.1f}" for level in LEVELS))
    right = True
    for (one, other), better in shown.items():
        above = found[one].mu > found[other].mu
        apart = "told apart" if told_apart(found[one], found[other]) else "not told apart"
        fits = above or not (better or apart == "told apart")
        said = f"{one} above {other}" if above else f"{other} above {one}"
        print(
            f"  {'shown' if better else 'not shown'}; by the ratings {said}, {apart}{'' if fits else '  WRONG'}",
            flush=True,
        )
        right &= fits
    return right


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.bench.levels", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--games", nargs="+", choices=SEATS, default=list(SEATS), metavar="GAME")
    parser.add_argument("--rated", type=int, default=2000, help="rated games of each (2000)")
    parser.add_argument("--compared", type=int, default=1000, help="games of each to compare before (1000)")
    parser.add_argument("--seed", type=int, default=27)
    add_worker_options(parser)
    args = parser.parse_args()
    try:
        with workers_of(args) as workers:
            right = [try_game(game, args.seed, args.rated, args.compared, workers) for game in args.games]
            return int(not all(right))
    except (CommandError, WorkersError) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
