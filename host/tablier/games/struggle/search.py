"""The expectation of a seat of Struggle in a position, and its best turn.

Where the pawns stand says how likely each of them is to arrive on each place: of two pawns the one with the shorter way
is ahead the likelier the greater the difference, and a pawn arrives third when two are ahead of it. What an objective
can expect follows. A turn is then solved in full: what each of the 252 hands is worth when it is played best, what each
selection of dice is worth when the rest is thrown once more, and once more again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import erf, exp, sqrt
from typing import NamedTuple

from tablier.games.core import Move
from tablier.games.struggle.rules import (
    CHOOSE,
    NONE,
    OBJECTIVES,
    PAWNS,
    POINTS,
    ROLL,
    THROWS,
    Hand,
    State,
    Struggle,
    ordered,
)

_LUCK = 1.1
"""The deviation of a pawn's way in the time of a space, in spaces."""
_BELIEF = 0.21
"""By how much each point that an objective gains in a seat's turns makes it likelier that it is that seat's (in
logarithms); fitted to 120 games of bots."""
Pawns = tuple[int, ...]
"""The position of each pawn, as in a state."""
Weights = Sequence[Sequence[float]]
"""The worth of each pawn's arrival on a place, pawn by pawn."""


def wanted(objective: str) -> list[list[float]]:
    """Return the points for each pawn on each place, as an objective gives them."""
    order = objective.split("-")
    return [[float(POINTS * (order[place] == pawn)) for place in range(len(PAWNS))] for pawn in PAWNS]


@cache
def _ahead(mine: int, theirs: int) -> float:
    """Return how likely the pawn with the first way still to go arrives before the one with the second."""
    return 0.5 * (1 + erf((theirs - mine) / (_LUCK * sqrt(2 * (mine + theirs)))))


def arrivals(pawns: Pawns, length: int) -> list[list[float]]:
    """Return how likely each pawn arrives on each place."""
    places = len(PAWNS)
    table = []
    under_way = [pawn for pawn in range(places) if pawns[pawn] <= length]
    arrived = places - len(under_way)
    for pawn in range(places):
        row = [0.0] * places
        at = pawns[pawn]
        if at > length:
            row[at - length - 1] = 1.0
        else:
            way = length + 1 - at
            # How many of the others are ahead, one after the other.
            chances = [1.0]
            for other in under_way:
                if other != pawn:
                    p = _ahead(length + 1 - pawns[other], way)
                    q = 1 - p
                    chances = [a * q + b * p for a, b in zip((*chances, 0.0), (0.0, *chances), strict=True)]
            row[arrived:] = chances
        table.append(row)
    return table


def expected(table: Weights, weights: Weights) -> float:
    """Return the sum of the weights, each as likely as the table says."""
    return sum(a * b for row, worths in zip(table, weights, strict=True) for a, b in zip(row, worths, strict=True) if b)


class Beliefs:
    """A seat's beliefs about the objectives of the others: one that has gained much in their turns is likely to be
    held."""

    def __init__(self, rules: Struggle) -> None:
        self._length = rules.length
        self._seats = rules.seats
        self._pawns: Pawns | None = None
        self._gains = dict.fromkeys(OBJECTIVES, 0.0)
        """The points that each objective can expect more through another seat's turns, on average over these seats."""

    def see(self, pawns: Pawns) -> None:
        """Record where the pawns stand when the seat is to move: others have moved them since it last played.

        Of a position that a bot meets in the middle of a game nobody knows who brought it about; each seat counts as
        much as any other.
        """
        if pawns != self._pawns:
            before, movers = (self._pawns, self._seats - 1) if self._pawns else ((0,) * len(PAWNS), self._seats)
            was, now = arrivals(before, self._length), arrivals(pawns, self._length)
            for objective in OBJECTIVES:
                points = wanted(objective)
                self._gains[objective] += (expected(now, points) - expected(was, points)) / movers
            self._pawns = pawns

    def leave(self, pawns: Pawns) -> None:
        """Record where the seat's own play leaves the pawns."""
        self._pawns = pawns

    def weights(self, own: str) -> Weights:
        """Return what another seat can be taken to want, given the objective that it cannot have: the points of the
        other objectives, each as much as it is likely."""
        others = [(exp(_BELIEF * gain), wanted(card)) for card, gain in self._gains.items() if card != own]
        total = sum(size for size, _ in others)
        places = range(len(PAWNS))
        return [[sum(size * points[pawn][k] for size, points in others) / total for k in places] for pawn in places]


# -- a turn ---------------------------------------------------------------------------------------------------------


class _Dice(NamedTuple):
    """The hands that dice can show, whatever the position."""

    hands: tuple[Hand, ...]
    keeps: tuple[tuple[Hand, ...], ...]
    """For each hand the arguments of every ``keep``."""
    throws: dict[Hand, tuple[tuple[int, float], ...]]
    """For the arguments of each ``keep`` the hands that can follow, by their number, with their probability."""


@cache
def _dice() -> _Dice:
    rules = Struggle(2)
    start = State(ROLL, 1, OBJECTIVES[:2], (0,) * len(PAWNS), 0, ())
    hands = tuple(move.args for move in rules.legal(start))
    numbers = {hand: number for number, hand in enumerate(hands)}
    keeps = tuple(
        tuple(
            move.args for move in rules.legal(start._replace(phase=CHOOSE, throws=1, hand=hand)) if move.verb == "keep"
        )
        for hand in hands
    )
    throws = {}
    for args in dict.fromkeys(args for some in keeps for args in some):
        outcomes = rules.chance(start._replace(hand=() if args == NONE else args))
        total = sum(weight for _, weight in outcomes)
        kept = () if args == NONE else args
        throws[args] = tuple((numbers[ordered(kept + move.args)], weight / total) for move, weight in outcomes)
    return _Dice(hands, keeps, throws)


class Turn:
    """A turn of one seat: what every play is worth, and every selection of dice to keep."""

    def __init__(self, rules: Struggle, state: State, worth: Callable[[Pawns], float]) -> None:
        """``worth`` says how good it is for the seat when the pawns stand so after its turn."""
        self._rules = rules
        self._state = state._replace(phase=CHOOSE, throws=THROWS)
        self._worth = worth
        self._worths: dict[Pawns, float] = {}
        self._stages: list[list[float]] = []

    def of_play(self, move: Move) -> float:
        """Return what a play is worth."""
        after = self._rules.apply(self._state, move).pawns
        worth = self._worths.get(after)
        if worth is None:
            worth = self._worths[after] = self._worth(after)
        return worth

    def of_keep(self, move: Move, throws: int) -> float:
        """Return what keeping dice is worth when others are thrown ``throws`` more times at most."""
        stage = self._stage(throws - 1)
        return sum(chance * stage[hand] for hand, chance in _dice().throws[move.args])

    def worths(self, moves: Sequence[Move], throws: int) -> dict[Move, float]:
        """Return what each of the moves is worth, when dice may be thrown `throws` more times."""
        return {move: self.of_play(move) if move.verb == "play" else self.of_keep(move, throws) for move in moves}

    def _stage(self, throws: int) -> list[float]:
        """Return what each hand is worth when dice may be thrown `throws` more times."""
        dice = _dice()
        if not self._stages:
            rules, state = self._rules, self._state
            legal = (rules.legal(state._replace(hand=hand)) for hand in dice.hands)
            self._stages.append([max(map(self.of_play, plays)) for plays in legal])
        while len(self._stages) <= throws:
            last = self._stages[-1]
            kept = {args: sum(chance * last[hand] for hand, chance in then) for args, then in dice.throws.items()}
            best = [max(map(kept.__getitem__, some)) for some in dice.keeps]
            self._stages.append(list(map(max, self._stages[0], best)))
        return self._stages[throws]
