"""Dicke Dämonen played on many times over by players of middling sense, on a table that costs little to change.

They have a favourite colour, look at a few places at random, take the one that helps it most, and predict it when it
leads or room runs out. What lies in other fists and in the bag is dealt anew each time, as it may be by what a seat
has seen.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import exp

from tablier.games.core import Move, seat_name
from tablier.games.daemonen.board import Board, board_of
from tablier.games.daemonen.colours import COLOURS, WHITE
from tablier.games.daemonen.layout import Layout
from tablier.texts import Json

_LOOKED_AT = 3
"""Places that a player of middling sense looks at."""
_EARLY, _LATE = 26, 16
"""Open slots: with more than the first a player of middling sense predicts nothing yet; with the second at most it
predicts what it can. In whatever layout some ten more creatures are placed when 26 slots are open, and six at 16."""
_HELD = 1.5
"""The worth of a creature in the fist to its colour, in points."""
_SAFE = 3.0
"""A lead of this many points when a game has been played on counts as three quarters of a win: luck decides much of
such a game, and how far ahead a colour is says more than that it is ahead."""
_NUMBERS = {colour: number for number, colour in enumerate(COLOURS)}
_ALL = range(len(COLOURS))
_NOBODY = -1
_NONE = -(1 << 30)
"""Fewer points than any colour can have."""


def numbers(colours: Iterable[str]) -> list[int]:
    """Return the numbers of colours."""
    return [_NUMBERS[colour] for colour in colours]


class Plan:
    """The tables of a layout by numbers. A slot is the number of a bit of :class:`Board`, a colour one of COLOURS."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.slots = {slot: number for number, slot in enumerate(board.slots)}
        """The number of each slot."""
        self.colours = [_NUMBERS[colour] for colour, _ in board.slots]
        """For each slot its colour."""
        fields = {name: number for number, name in enumerate(board.field_names)}
        self.fields = [fields[board.field_of(spot)] for _, spot in board.slots]
        """For each slot its field."""
        self.keeps = [board.effects[slot].keeps for slot in board.slots]
        self.worths = [field.points for field in board.fields]
        self.of_colour = [board.of_colour[colour] for colour in COLOURS]


@cache
def plan_of(layout: Layout) -> Plan:
    """Return the tables of a layout, kept."""
    return Plan(board_of(layout))


@dataclass
class Table:
    """A game in progress. Seats are counted from 0, fists are lists of colours by number."""

    plan: Plan
    turn: int
    open: int
    """The slots that are open."""
    counts: list[list[int]]
    """For each field how many demons of each colour stand in it; white stays 0."""
    points: list[int]
    """The points of each colour."""
    leaders: list[int]
    """For each field the colour that has most demons there."""
    most: list[int]
    """For each field how many a colour has there at most."""
    fists: list[list[int]]
    bag: list[int]
    """Drawn from its end."""
    predictions: list[tuple[int, ...]]

    @classmethod
    def of(cls, plan: Plan, view: Json, seat: int) -> Table:
        """Return the table as a seat sees it; fists of others are empty, and so is the bag."""
        board = plan.board
        names = [seat_name(number) for number in range(1, len(view["fists"]) + 1)]
        slots = [(WHITE, spot) for spot in view["ghosts"]]
        slots += [(colour, spot) for spot, colour in view["demons"].items()]
        fist = numbers(view["fists"][names[seat - 1]])
        table = cls(
            plan,
            names.index(view["turn"]),
            board.all,
            [[0] * len(COLOURS) for _ in plan.worths],
            [0] * len(COLOURS),
            [_NOBODY] * len(plan.worths),
            [0] * len(plan.worths),
            [fist if name == names[seat - 1] else [] for name in names],
            [],
            [tuple(numbers(view["predictions"][name])) for name in names],
        )
        for slot in slots:
            table.fill(plan.slots[slot])
        return table

    def copy(self) -> Table:
        return Table(
            self.plan,
            self.turn,
            self.open,
            [counts.copy() for counts in self.counts],
            self.points.copy(),
            self.leaders.copy(),
            self.most.copy(),
            [fist.copy() for fist in self.fists],
            self.bag.copy(),
            self.predictions.copy(),
        )

    def deal(self, unseen: list[int], sizes: list[int], dice: random.Random) -> None:
        """Deal what a seat has not seen to the other fists, as many as they hold, and put the rest into the bag."""
        unseen = unseen.copy()
        dice.shuffle(unseen)
        for fist, size in zip(self.fists, sizes, strict=True):
            while len(fist) < size:
                fist.append(unseen.pop())
        self.bag = unseen

    def push(self, move: Move, dice: random.Random) -> None:
        """Play a move of the seat whose turn it is, and finish its turn."""
        if move.verb == "place":
            slot = self.plan.slots[move.args]
            self.fists[self.turn].remove(self.plan.colours[slot])
            self.fill(slot)
            self.consider(dice)
        elif move.args:
            self.predict(self.turn, tuple(numbers(move.args)), dice)
        self.finish_turn()

    # -- what is done on it -----------------------------------------------------------------------------------------

    def fill(self, slot: int) -> None:
        """Place a creature in a slot."""
        plan = self.plan
        self.open &= plan.keeps[slot]
        colour = plan.colours[slot]
        if not colour:
            self.points[0] += 1
            return
        field = plan.fields[slot]
        counts = self.counts[field]
        counts[colour] = count = counts[colour] + 1
        leader, most = self.leaders[field], self.most[field]
        if leader == colour:
            self.most[field] = count
        elif leader == _NOBODY:
            if count > most:
                self.most[field] = count
                self.leaders[field] = colour
                self.points[colour] += plan.worths[field]
        elif count == most:
            self.leaders[field] = _NOBODY
            self.points[leader] -= plan.worths[field]

    def gain(self, slot: int, favourite: int) -> float:
        """Return what filling a slot would bring to a colour, beside the best of the others."""
        plan = self.plan
        colour, points = plan.colours[slot], self.points
        if not colour:
            return 2.0 if favourite == 0 else -0.5
        field = plan.fields[slot]
        leader = self.leaders[field]
        if leader == colour:  # it leads by more
            return 0.4 if colour == favourite else -0.4
        ahead = self.counts[field][colour] + 1 - self.most[field]
        if ahead < (leader == _NOBODY):  # it is nearer to leading
            return 0.4 if colour == favourite else 0.0
        now = self._lead(points, favourite)
        changed, worth = (colour, plan.worths[field]) if leader == _NOBODY else (leader, -plan.worths[field])
        points[changed] += worth
        then = self._lead(points, favourite)
        points[changed] -= worth
        return then - now

    @staticmethod
    def _lead(points: list[int], favourite: int) -> float:
        own = points[favourite]
        points[favourite] = _NONE
        others = max(points)
        points[favourite] = own
        return 2.0 * own - others

    def choices(self, fist: list[int]) -> int:
        """Return the open slots for the creatures of a fist."""
        of_colour, reach = self.plan.of_colour, 0
        for colour in fist:
            reach |= of_colour[colour]
        return self.open & reach

    def favourite(self, seat: int) -> int:
        """Return the colour that a seat has predicted, or of those that it still could the one with the best
        prospects."""
        if self.predictions[seat]:
            return self.predictions[seat][0]
        worths: list[float] = [*self.points]
        for colour in self.fists[seat]:
            worths[colour] += _HELD
        taken = {colour for named in self.predictions for colour in named}
        free = [colour for colour in _ALL if colour not in taken] if taken else _ALL
        return max(free or _ALL, key=worths.__getitem__)

    def predict(self, seat: int, colours: tuple[int, ...], dice: random.Random) -> None:
        """Lay creatures of a fist down; the rest goes back into the bag, or out of the game where a seat is alone."""
        fist = self.fists[seat]
        for colour in colours:
            fist.remove(colour)
        if len(self.fists) > 1:
            self.bag += fist
            dice.shuffle(self.bag)
        fist.clear()
        self.predictions[seat] = colours

    # -- the rest of a game -----------------------------------------------------------------------------------------

    def finish_turn(self) -> None:
        """Draw, and pass the turn on."""
        if self.bag:
            self.fists[self.turn].append(self.bag.pop())
        self.turn = (self.turn + 1) % len(self.fists)

    def consider(self, dice: random.Random) -> None:
        """Predict, if a player of middling sense would now."""
        seat = self.turn
        slots = self.open.bit_count()
        if self.predictions[seat] or slots > _EARLY:
            return
        taken = {colour for named in self.predictions for colour in named}
        points = self.points
        free = [colour for colour in set(self.fists[seat]) if colour not in taken]
        if not free:
            return
        best = max(free, key=points.__getitem__)
        if slots <= _LATE or points[best] >= max(points):
            named: tuple[int, ...] = (best,)
            if len(self.fists) == 1:
                ranked = sorted(range(len(COLOURS)), key=points.__getitem__, reverse=True)
                if ranked[0] in free and ranked[1] in free:
                    named = (ranked[0], ranked[1])
            self.predict(seat, named, dice)

    def play_on(self, dice: random.Random, order: list[int]) -> None:
        """Play from the turn on to the end; of equal places the first in the order is taken."""
        colours, count = self.plan.colours, len(order)
        draw, twice = dice.random, [(slot, 1 << slot) for slot in order] * 2
        while choices := self.choices(self.fists[self.turn]):
            favourite = self.favourite(self.turn)
            best, most, seen = -1, -1e9, 0
            at = int(draw() * count)
            for slot, bit in twice[at : at + count]:
                if choices & bit:
                    worth = self.gain(slot, favourite)
                    if worth > most:
                        best, most = slot, worth
                    seen += 1
                    if seen == _LOOKED_AT:
                        break
            self.fists[self.turn].remove(colours[best])
            self.fill(best)
            self.consider(dice)
            self.finish_turn()

    def worth(self, seat: int) -> float:
        """Return what the end of the game is worth to a seat: how safely it has won, less how safely others have."""
        if len(self.fists) == 1:
            return self._alone()
        wins = [self._win(named[0]) if named else 0.0 for named in self.predictions]
        return wins[seat] - (sum(wins) - wins[seat]) / (len(wins) - 1)

    def _win(self, colour: int) -> float:
        """Return how safely a colour has won, from 0 to 1."""
        lead = self._lead(self.points, colour) - self.points[colour]
        return 1 / (1 + exp(-(lead + 0.5) / _SAFE))  # with as many points as another it has won

    def _alone(self) -> float:
        points, named = self.points, self.predictions[0]
        order = [points[colour] for colour in named]
        others = [count for colour, count in enumerate(points) if colour not in named]
        if not named or order != sorted(order, reverse=True) or max(others) > order[-1]:
            return 0.0
        return 0.02 * sum(n * count for n, count in zip((3, 2, 1), order, strict=False))
