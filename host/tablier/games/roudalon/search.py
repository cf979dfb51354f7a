"""The chances of each seat of Le Roudalon, worked out in full for pots that one player can throw.

A stake makes the pot larger, a throw that fails takes dice away: no position comes back, so that all of them can be
worked out from the last one on. These tables leave alliances out; an alliance that is to be judged now is gone through
throw by throw, and where it fails the tables say what follows.

A pot that one player cannot throw any more grows, as a rule, until nobody at all can reach it, and then the player who
has staked least wins. Until then a turn costs a die or a unit: a die in hand is worth a unit.

Seats are counted from the one whose turn it is, 0, to the left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import exp, inf
from typing import NamedTuple

from tablier.games.roudalon.dice import MOST_DICE, REACH, sums
from tablier.games.roudalon.rules import UNITS

_THRIFT = 1.5
"""The units staked more that make it less likely by a factor e to have staked least in the end."""

Dice = tuple[int, ...]
"""The number of dice that each seat holds, or of units that it has staked."""


class Prospects(NamedTuple):
    """The possible ends of a game."""

    takes: tuple[float, ...]
    """The probability of each seat to win by taking the pot; those who tie share a win."""
    beyond: float
    """The probability that the pot grows beyond what one player can throw."""
    paid: tuple[float, ...]
    """The expected payment of each seat until then, less the worth of its dice then, times that probability."""

    def wins(self, seat: int, staked: Dice) -> float:
        """Return how likely a seat is to win, given what was staked before."""
        beyond = self.beyond
        if not beyond:
            return self.takes[seat]
        all_in = [before + paid / beyond for before, paid in zip(staked, self.paid, strict=True)]
        least = min(all_in)
        sizes = [exp((least - paid) / _THRIFT) for paid in all_in]
        return self.takes[seat] + beyond * sizes[seat] / sum(sizes)


def _mixed(parts: Iterable[tuple[float, Prospects]]) -> Prospects:
    """Return the prospects when each of these comes about with a probability."""
    takes: list[float] = []
    paid: list[float] = []
    beyond = 0.0
    for share, found in parts:
        beyond += share * found.beyond
        if not takes:
            takes, paid = [share * x for x in found.takes], [share * x for x in found.paid]
        else:
            takes = [so_far + share * x for so_far, x in zip(takes, found.takes, strict=True)]
            paid = [so_far + share * x for so_far, x in zip(paid, found.paid, strict=True)]
    return Prospects(tuple(takes), beyond, tuple(paid))


def _next_turn(pot: int, dice: Dice, mine: int, units: int = 0) -> Prospects:
    """Return the prospects after a turn that leaves its seat with `mine` dice and costs it `units`."""
    takes, beyond, paid = prospects(pot, (*dice[1:], mine))
    return Prospects((takes[-1], *takes[:-1]), beyond, (paid[-1] + units * beyond, *paid[:-1]))


@cache
def prospects(pot: int, dice: Dice) -> Prospects:
    """Return the prospects when everybody plays to win, alone, and has staked as much as the others."""
    if pot > REACH:
        return Prospects((0.0,) * len(dice), 1.0, tuple(float(-held) for held in dice))
    return best(alone(pot, dice).values(), 0, (0,) * len(dice))


def best(options: Iterable[Prospects], seat: int, staked: Dice) -> Prospects:
    """Return what a seat likes best."""
    return max(options, key=lambda found: found.wins(seat, staked))


def alone(pot: int, dice: Dice) -> dict[tuple[str, int], Prospects]:
    """Return the prospects after each throw and stake of the seat whose turn it is."""
    mine = dice[0]
    found = {}
    if pot:
        for count in range(1, mine + 1):
            hit = sums(count).get(pot, 0.0)
            taken = Prospects((1.0, *[0.0] * (len(dice) - 1)), 0.0, (0.0,) * len(dice))
            found["roll", count] = _mixed([(1 - hit, _next_turn(pot, dice, mine - count)), (hit, taken)])
    for units in UNITS:
        found["bet", units] = _next_turn(pot + units, dice, min(MOST_DICE, mine + 1), units)
    return found


class Fallen(NamedTuple):
    """The throws of an alliance for the pot so far, as far as they matter."""

    throws: int
    total: int
    best: float
    """The highest score of those who have thrown, should the pot be taken now."""
    leaders: Dice
    """The seats that would have it."""


_NOTHING = Fallen(0, 0, -inf, ())


class Alliance:
    """An alliance that is formed or throws, gone through to its end. Everybody says and throws what it likes best."""

    def __init__(self, pot: int, dice: Dice, staked: Dice) -> None:
        self.pot = pot
        self.dice = dice
        self.staked = staked
        self._thrown: dict[tuple[int, Fallen], Prospects] = {}
        self._failed: dict[tuple[int, int], Prospects] = {}

    def _best(self, options: Iterable[Prospects], seat: int) -> Prospects:
        return best(options, seat, self.staked)

    def asked(self, allies: int) -> Prospects:
        """Return the prospects when the neighbour behind `allies` allies is asked now."""
        return self._best([self.answered(allies, True), self.answered(allies, False)], allies)

    def answered(self, allies: int, yes: bool) -> Prospects:
        """Return the prospects when that neighbour says yes, or no."""
        if yes:
            return self.chain(allies + 1)
        if allies == 1:  # the one whose turn it is throws alone
            return self._best(alone(self.pot, self.dice).values(), 0)
        return self.throws(allies)

    def chain(self, allies: int) -> Prospects:
        """Return the prospects when `allies` are allied, and the last of them may ask another neighbour."""
        done = self.throws(allies)
        if allies == len(self.dice) or not self.dice[allies]:
            return done
        return self._best([self.asked(allies), done], allies - 1)

    def thrown(self, faces: Sequence[Sequence[int]]) -> Fallen:
        """Return what these throws, the first of the alliance, amount to."""
        fallen = _NOTHING
        for thrower, shown in enumerate(faces):
            fallen = self._fall(fallen, thrower, sum(shown))
        return fallen

    def _fall(self, before: Fallen, thrower: int, total: int) -> Fallen:
        score = total - self.staked[thrower]
        if score == before.best:
            leaders = (*before.leaders, thrower)
        else:
            leaders = (thrower,) if score > before.best else before.leaders
        return Fallen(before.throws + 1, before.total + total, max(score, before.best), leaders)

    def throws(self, allies: int, fallen: Fallen = _NOTHING) -> Prospects:
        """Return the prospects when `allies` are allied, and the first of them have thrown `fallen`."""
        key = allies, fallen
        if key not in self._thrown:
            thrower = fallen.throws
            options = [self.rolls(allies, fallen, count) for count in range(1, self.dice[thrower] + 1)]
            self._thrown[key] = self._best(options, thrower)
        return self._thrown[key]

    def rolls(self, allies: int, fallen: Fallen, count: int) -> Prospects:
        """Return the prospects when the next ally throws `count` dice."""
        parts = []
        failed = 0.0
        for total, share in sums(count).items():
            now = self._fall(fallen, fallen.throws, total)
            if now.total == self.pot:
                parts.append((share, self._taken(now)))
            elif now.total < self.pot and now.throws < allies:
                parts.append((share, self.throws(allies, now)))
            else:
                failed += share
        if failed:
            parts.append((failed, self._lost(fallen.throws, count)))
        return _mixed(parts)

    def _taken(self, fallen: Fallen) -> Prospects:
        scores = [float(-paid) for paid in self.staked]
        for thrower in range(fallen.throws):  # who of them does not lead has taken something too, but less
            scores[thrower] = fallen.best if thrower in fallen.leaders else -inf
        most = max(scores)
        takes = tuple((score == most) / scores.count(most) for score in scores)
        return Prospects(takes, 0.0, (0.0,) * len(takes))

    def _lost(self, thrower: int, count: int) -> Prospects:
        """Return the prospects when the pot is missed, and `thrower` loses `count` dice."""
        key = thrower, count
        if key not in self._failed:
            dice = (*self.dice[:thrower], self.dice[thrower] - count, *self.dice[thrower + 1 :])
            self._failed[key] = _next_turn(self.pot, dice, dice[0])
        return self._failed[key]


__all__ = ["Alliance", "Prospects", "alone", "prospects"]
