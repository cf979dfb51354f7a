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


def shuffle(creatures: list[int], dice: random.Random) -> None:
    """Shuffle creatures as ``dice.shuffle`` does, but sooner."""
    draw = dice.getrandbits
    for last in range(len(creatures) - 1, 0, -1):
        bits = (last + 1).bit_length()
        while (other := draw(bits)) > last:
            pass
        creatures[last], creatures[other] = creatures[other], creatures[last]


def taken_by(predictions: Iterable[tuple[int, ...]]) -> frozenset[int]:
    """Return the colours that somebody has predicted; none when it is all of them, since then all are open again."""
    taken = frozenset(colour for named in predictions for colour in named)
    return taken if len(taken) < len(COLOURS) else frozenset()


class Plan:
    """The tables of a layout by numbers. A colour is one of COLOURS; a slot is its number in an order of the slots of
    :class:`Board`, theirs if none is given."""

    def __init__(self, board: Board, order: Iterable[int] | None = None) -> None:
        self.board = board
        slots = board.slots if order is None else [board.slots[number] for number in order]
        self.slots = {slot: number for number, slot in enumerate(slots)}
        """The number of each slot."""
        self.colours = [_NUMBERS[colour] for colour, _ in slots]
        """For each slot its colour."""
        fields = {name: number for number, name in enumerate(board.field_names)}
        self.fields = [fields[board.field_of(spot)] for _, spot in slots]
        """For each slot its field."""
        self.stands = [field * len(COLOURS) + colour for field, colour in zip(self.fields, self.colours, strict=True)]
        """For each slot where its creature is counted."""
        at = dict.fromkeys([*board.corners, *board.field_names], 0)
        for (_, spot), number in self.slots.items():
            at[spot] |= 1 << number
            if spot in board.corners:
                at[board.field_of(spot)] |= 1 << number
        self.keeps = [board.all & ~at[spot] for _, spot in slots]
        """For each slot those that it does not close: a ghost closes its field, a demon its corner."""
        self.worths = [field.points for field in board.fields]
        self.of_colour = [0] * len(COLOURS)
        for number, colour in enumerate(self.colours):
            self.of_colour[colour] |= 1 << number
        self.twice = 2 * list(zip(self.colours, self.fields, self.stands, self.keeps, strict=True))
        """For each slot, and then for each once more, all of that."""


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
    counts: list[int]
    """For each field, and in it for each colour, how many demons stand in it; white stays 0."""
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
    taken: frozenset[int]
    """The colours that somebody has predicted; none of them when it is all."""

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
            [0] * (len(COLOURS) * len(plan.worths)),
            [0] * len(COLOURS),
            [_NOBODY] * len(plan.worths),
            [0] * len(plan.worths),
            [fist if name == names[seat - 1] else [] for name in names],
            [],
            predictions := [tuple(numbers(view["predictions"][name])) for name in names],
            taken_by(predictions),
        )
        for slot in slots:
            table.fill(plan.slots[slot])
        return table

    def copy(self) -> Table:
        return Table(
            self.plan,
            self.turn,
            self.open,
            self.counts.copy(),
            self.points.copy(),
            self.leaders.copy(),
            self.most.copy(),
            [fist.copy() for fist in self.fists],
            self.bag.copy(),
            self.predictions.copy(),
            self.taken,
        )

    def deal(self, unseen: list[int], sizes: list[int], dice: random.Random) -> None:
        """Deal what a seat has not seen to the other fists, as many as they hold, and put the rest into the bag."""
        unseen = unseen.copy()
        shuffle(unseen, dice)
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
        stands = plan.stands[slot]
        self.counts[stands] = count = self.counts[stands] + 1
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
        ahead = self.counts[plan.stands[slot]] + 1 - self.most[field]
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

    def favourite(self, seat: int) -> int:
        """Return the colour that a seat has predicted, or of those that it still could the one with the best
        prospects."""
        if self.predictions[seat]:
            return self.predictions[seat][0]
        worths: list[float] = [*self.points]
        for colour in self.fists[seat]:
            worths[colour] += _HELD
        for colour in self.taken:
            worths[colour] = _NONE
        return worths.index(max(worths))

    def predict(self, seat: int, colours: tuple[int, ...], dice: random.Random) -> None:
        """Lay creatures of a fist down; the rest goes back into the bag, or out of the game where a seat is alone."""
        fist = self.fists[seat]
        for colour in colours:
            fist.remove(colour)
        if len(self.fists) > 1:
            self.bag += fist
            shuffle(self.bag, dice)
        fist.clear()
        self.predictions[seat] = colours
        self.taken = taken_by(self.predictions)

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
        points = self.points
        free = set(self.fists[seat]).difference(*self.predictions)
        if not free:
            return
        best = max(free, key=points.__getitem__)
        if slots <= _LATE or points[best] == max(points):
            named: tuple[int, ...] = (best,)
            if len(self.fists) == 1:
                ranked = sorted(range(len(COLOURS)), key=points.__getitem__, reverse=True)
                if ranked[0] in free and ranked[1] in free:
                    named = (ranked[0], ranked[1])
            self.predict(seat, named, dice)

    def play_on(self, dice: random.Random) -> None:
        """Play from the turn on to the end; of equal places the first in the order of the plan is taken.

        What :meth:`favourite`, :meth:`gain`, :meth:`fill` and :meth:`finish_turn` do is written out here: a decision
        plays twenty thousand turns, in which calls of them took a third of the time.
        """
        plan, fists, predictions, taken = self.plan, self.fists, self.predictions, self.taken
        points, counts, leaders, most, bag = self.points, self.counts, self.leaders, self.most, self.bag
        slots, worths, of_colour, count = plan.twice, plan.worths, plan.of_colour, len(plan.colours)
        draw, seats, turn, still_open = dice.random, len(fists), self.turn, self.open
        while True:
            fist = fists[turn]
            choices = 0
            for colour in fist:
                choices |= of_colour[colour]
            choices &= still_open
            if not choices:
                break
            if predictions[turn]:
                favourite = predictions[turn][0]
            else:
                hopes: list[float] = [*points]
                for colour in fist:
                    hopes[colour] += _HELD
                for colour in taken:
                    hopes[colour] = _NONE
                favourite = hopes.index(max(hopes))
            start = int(draw() * count)
            choices = (choices | choices << count) >> start
            best, top, rival = -1, -1e9, _NONE
            for _ in range(_LOOKED_AT):
                bit = choices & -choices
                slot = start + bit.bit_length() - 1
                colour, field, stands, _ = slots[slot]
                if not colour:
                    worth = 2.0 if favourite == 0 else -0.5
                elif (leader := leaders[field]) == colour:
                    worth = 0.4 if colour == favourite else -0.4
                elif counts[stands] + 1 - most[field] < (leader == _NOBODY):
                    worth = 0.4 if colour == favourite else 0.0
                elif colour == favourite and leader == _NOBODY:
                    worth = 2.0 * worths[field]
                elif leader == favourite:
                    worth = -2.0 * worths[field]
                else:
                    if rival == _NONE:
                        own, points[favourite] = points[favourite], _NONE
                        rival = max(points)
                        points[favourite] = own
                    if leader == _NOBODY:
                        ahead = points[colour] + worths[field] - rival
                        worth = -ahead if ahead > 0 else 0.0
                    elif points[leader] < rival:
                        worth = 0.0
                    else:
                        own, points[favourite] = points[favourite], _NONE
                        points[leader] -= worths[field]
                        worth = rival - max(points)
                        points[leader] += worths[field]
                        points[favourite] = own
                if worth > top:
                    best, top = slot, worth
                choices ^= bit
                if not choices:
                    break
            colour, field, stands, keeps = slots[best]
            fist.remove(colour)
            still_open &= keeps
            if not colour:
                points[0] += 1
            else:
                counts[stands] = there = counts[stands] + 1
                leader = leaders[field]
                if leader == colour:
                    most[field] = there
                elif leader == _NOBODY:
                    if there > most[field]:
                        most[field] = there
                        leaders[field] = colour
                        points[colour] += worths[field]
                elif there == most[field]:
                    leaders[field] = _NOBODY
                    points[leader] -= worths[field]
            if not predictions[turn] and still_open.bit_count() <= _EARLY:
                self.turn, self.open = turn, still_open
                self.consider(dice)
                taken = self.taken
            if bag:
                fist.append(bag.pop())
            turn = turn + 1 if turn + 1 < seats else 0
        self.turn, self.open = turn, still_open

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
