"""Ratings of players by OpenSkill, in games of any number of players, with ties.

The model is Plackett–Luce, algorithm 4 of R. C. Weng and C.-J. Lin (2011): A Bayesian approximation method for online
ranking. Journal of Machine Learning Research 12, 267–300; with the constants of OpenSkill (V. Joshy 2024: OpenSkill: A
faster asymmetric multi-team, multiplayer rating system. Journal of Open Source Software 9, 5901). That library computes
the same numbers, and takes five times as long: it copies every player, and draws an id for every rating.

A rating says how strong a player is believed to be (``mu``) and how sure that is (``sigma``). Only the order of the
places of a game counts, not by how much one is ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp, hypot, sqrt
from statistics import NormalDist
from typing import NamedTuple

from tablier.record import ranks

CONFIDENCE = 0.95
"""The chance that a strength lies within its interval."""
_WIDTH = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""The standard deviations to each side that hold :data:`CONFIDENCE` of a normal distribution."""
_MU = 25.0
_SIGMA = _MU / 3
_BETA = _MU / 6
"""The standard deviation of how a player of a strength performs in a game."""
_KAPPA = 0.0001
"""The least share of its variance that a strength keeps in a game."""
_LEARNT = _MU / 300
"""The standard deviation by which a strength may change from one game to the next."""


class Rating(NamedTuple):
    """A belief about a player's strength: a normal distribution."""

    mu: float
    """The mean."""
    sigma: float
    """The standard deviation."""

    @property
    def ordinal(self) -> float:
        """Return mu - 3 sigma, the number that tables are sorted by: the strength is almost surely above it."""
        return self.mu - 3 * self.sigma

    @property
    def uncertainty(self) -> float:
        """Return the number after ± for people: half the width of the interval around ``mu`` that holds the
        strength with :data:`CONFIDENCE`."""
        return _WIDTH * self.sigma


START = Rating(_MU, _SIGMA)
"""The belief about a player before the first game."""


class Place(NamedTuple):
    """The place that one seat has come to in a game."""

    player: str
    """The player's id."""
    rank: float
    """1 for the first; who has the same rank has tied. Only the order of ranks counts."""


Places = Sequence[Place]
"""One game, a place a seat, in any order."""
State = Mapping[str, Rating]
"""By the player's id. Who is not in it has :data:`START`."""


def places(players: Sequence[str], won: Sequence[bool], points: Sequence[float] | None = None) -> tuple[Place, ...]:
    """Return the places of a game: the winners share the first, the others follow by points.

    :param players: the id of each seat's player.
    :param won: which seats have won; none, one or several.
    :param points: each seat's points, more being better; without them all that have not won tie.
    """
    return tuple(Place(*each) for each in zip(players, ranks(won, points), strict=True))


def rated(
    games: Iterable[Places], state: State | None = None, *, learns: Callable[[str], bool] = lambda player: True
) -> dict[str, Rating]:
    """Return the ratings of all players after games, in the order in which they were played.

    :param state: the ratings before; left as it is.
    :param learns: returns whether a player may become better or worse. A bot does not: each game makes its rating
        surer, while a person's stays unsure enough to follow.

    A player with several seats, such as a bot, plays as that many players of its strength, and its new rating is the
    mean of theirs: what its seats win from each other cancels out, and the game moves it about as far as any other. A
    game with fewer than two different players changes no rating, and gives none to who had none.
    """
    known = dict(state or {})
    for game in games:
        _play(known, game, learns)
    return known


def _play(known: dict[str, Rating], game: Places, learns: Callable[[str], bool]) -> None:
    """Rate one game."""
    players = dict.fromkeys(place.player for place in game)
    if len(players) < 2:
        return
    before = {player: known.get(player, START) for player in players}
    for player in filter(learns, before):
        it = before[player]
        before[player] = Rating(it.mu, hypot(it.sigma, _LEARNT))
    order = sorted(game, key=lambda place: place.rank)
    after = _rate([before[place.player] for place in order], [place.rank for place in order])
    if len(players) == len(game):
        known.update((place.player, rating) for place, rating in zip(order, after, strict=True))
        return
    for player in players:
        own = [rating for place, rating in zip(order, after, strict=True) if place.player == player]
        known[player] = Rating(sum(it.mu for it in own) / len(own), sum(it.sigma for it in own) / len(own))


def _rate(before: Sequence[Rating], ranks: Sequence[float]) -> list[Rating]:
    """Return the ratings of seats after a game, given those before and their ranks, the best first.

    Algorithm 4 of Weng and Lin: a game is a row of choices, of the best of those who are left each time. Those with an
    equal rank share a choice.
    """
    c = sqrt(sum([it.sigma**2 + _BETA**2 for it in before]))
    odds = [exp(it.mu / c) for it in before]
    left, inverse, square, at = sum(odds), 0.0, 0.0, 0  # inverse, square: sums over the choices so far of 1 / left
    after = []
    while at < len(ranks):
        tied = ranks.count(ranks[at])
        inverse += 1 / left
        square += 1 / left**2
        for it, odd in zip(before[at : at + tied], odds[at : at + tied], strict=True):
            chance, share = odd * inverse, it.sigma / c
            kept = 1 - (chance - odd * odd * square) * share**3
            mu = it.mu + (1 / tied - chance) * share * it.sigma
            after.append(Rating(mu, it.sigma * sqrt(max(kept, _KAPPA))))
            left -= odd
        at += tied
    return after
