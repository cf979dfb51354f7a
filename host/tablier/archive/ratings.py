"""Ratings of players by OpenSkill, in games of any number of players, with ties.

The model is Plackett–Luce, algorithm 4 of R. C. Weng and C.-J. Lin (2011): A Bayesian approximation method for online
ranking. Journal of Machine Learning Research 12, 267–300; implemented by the library ``openskill``
(V. Joshy 2024: OpenSkill: A faster asymmetric multi-team, multiplayer rating system. Journal of Open Source Software 9,
5901).

A rating says how strong a player is believed to be (``mu``) and how sure that is (``sigma``). Only the order of the
places of a game counts, not by how much one is ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import hypot
from statistics import NormalDist
from typing import NamedTuple

from openskill.models import PlackettLuce, PlackettLuceRating

from tablier.record import ranks

CONFIDENCE = 0.95
"""The chance that a strength lies within its interval."""
_WIDTH = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""The standard deviations to each side that hold :data:`CONFIDENCE` of a normal distribution."""
_LEARNT = 25 / 300
"""The standard deviation by which a strength may change from one game to the next: that of OpenSkill."""
_MODEL = PlackettLuce(tau=0.0)  # it would have all players learn, see :func:`rated`


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


START = Rating(_MODEL.mu, _MODEL.sigma)
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
    known = {player: _to_openskill(rating) for player, rating in (state or {}).items()}
    for game in games:
        _play(known, game, learns)
    return {player: Rating(it.mu, it.sigma) for player, it in known.items()}


def told_apart(one: Rating, other: Rating) -> bool:
    """Return True if two ratings differ by more than their uncertainty allows.

    That is, if the interval of the difference, with :data:`CONFIDENCE` and the standard deviation
    √(sigma₁² + sigma₂²), leaves out zero. Ratings whose own intervals do not overlap are always told apart; those whose
    intervals overlap a little may be, too. Of two equally strong players this is wrong in less than one case of twenty.
    """
    return abs(one.mu - other.mu) > _WIDTH * hypot(one.sigma, other.sigma)


def _to_openskill(rating: Rating) -> PlackettLuceRating:
    return _MODEL.rating(*rating)


def _play(known: dict[str, PlackettLuceRating], game: Places, learns: Callable[[str], bool]) -> None:
    """Rate one game."""
    players = dict.fromkeys(place.player for place in game)
    if len(players) < 2:
        return
    before = {player: known.get(player) or _to_openskill(START) for player in players}
    for player in filter(learns, before):
        it = before[player]
        before[player] = _MODEL.rating(it.mu, hypot(it.sigma, _LEARNT))
    ranks = [place.rank for place in game]
    if len(players) == len(game):
        after = _MODEL.rate([[it] for it in before.values()], ranks)
        known.update((player, team[0]) for player, team in zip(before, after, strict=True))
        return
    # OpenSkill takes one object in two seats for one: what it adds to the first it would add to both.
    entered = [before[place.player] for place in game]
    after = _MODEL.rate([[_MODEL.rating(it.mu, it.sigma)] for it in entered], ranks)
    for player in players:
        own = [team[0] for place, team in zip(game, after, strict=True) if place.player == player]
        known[player] = _MODEL.rating(sum(it.mu for it in own) / len(own), sum(it.sigma for it in own) / len(own))
