"""Bots for Dicke Dämonen: a simple one that has a favourite colour, helps it along and predicts it when it leads, and
some that try things out."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import ClassVar, cast

from tablier.games.core import Move, seat_name
from tablier.games.core.bots import TRIED_OUT, Bot, Careless, Searching
from tablier.games.core.search import race
from tablier.games.daemonen.colours import COLOURS, WHITE
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.search import Plan, Table, numbers, plan_of
from tablier.texts import Json, Text

_EARLY, _LATE = 22, 10
"""Creatures in the bag: with more than the first it predicts nothing yet, with fewer than the second it has to."""
_HELD = 1.5
"""The worth of a creature in the fist to its colour, in points."""


class Greedy(Bot):
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if moves[0].verb == "place":
            return self._place(view, moves)
        return self._predict(view, moves)

    def _place(self, view: Json, moves: Sequence[Move]) -> Move:
        rules = cast(Daemonen, self.rules)
        board, favourite = rules.board, self._favourite(view)
        placed = sum(board.bits[WHITE, field] for field in view["ghosts"])
        placed += sum(board.bits[colour, corner] for corner, colour in view["demons"].items())
        worths = []
        for move in moves:
            points = board.points(placed | board.effects[move.args].bit)
            best = max(points[colour] for colour in COLOURS if colour != favourite)
            # Its own creatures are kept for later when they bring nothing now.
            worths.append(2 * points[favourite] - best - _HELD * (move.args[0] == favourite))
        most = max(worths)
        return self.dice.choice([move for move, worth in zip(moves, worths, strict=True) if worth == most])

    def _favourite(self, view: Json) -> str:
        """Return the colour that it has predicted, or of those that it still could the one with the best prospects."""
        own = view["predictions"][seat_name(self.seat)]
        if own:
            return str(own[0])
        taken = {colour for named in view["predictions"].values() for colour in named}
        fist = view["fists"][seat_name(self.seat)]
        free = [colour for colour in COLOURS if colour not in taken] or list(COLOURS)
        return max(free, key=lambda colour: view["points"][colour] + _HELD * fist.count(colour))

    def _predict(self, view: Json, moves: Sequence[Move]) -> Move:
        points, bag = view["points"], view["bag"]
        passes = moves[-1]
        if len(moves) == 1:  # it is asked, but holds no colour that is free
            return passes
        single = [move for move in moves if len(move.args) == 1]
        best = max(single, key=lambda move: points[move.args[0]])
        behind = max(points.values()) - points[best.args[0]]
        if bag > _EARLY or (bag > _LATE and behind):
            return passes
        if len(view["fists"]) == 1:  # alone, a second colour that is second brings more
            ranked = sorted(COLOURS, key=lambda colour: -points[colour])[:2]
            both = [move for move in moves if list(move.args) == ranked]
            return both[0] if both else best
        return best


class Easy(Careless):
    KIND = Greedy


class Strong(Searching):
    """Tries each move out in games that are played on to their end, with the creatures that it has not seen dealt anew
    for each. A unit of work is such a game."""

    WORK = 1080
    WORTH = Text("how safely it wins, from 0 to 1, less how safely the others do")
    WHY = TRIED_OUT
    FIELD: ClassVar[int] = 10
    """Moves that are tried out: those that look best."""
    ORDERS: ClassVar[int] = 16
    """Orders of the places that are drawn for a decision. In each game players look at the places in one of them."""

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if len(moves) == 1:
            return moves[0]
        plan, me, seed = plan_of(cast(Daemonen, self.rules).layout), self.seat - 1, self.dice.getrandbits(64)
        table = Table.of(plan, view, self.seat)
        unseen = numbers(colour for colour, count in view["unseen"].items() for _ in range(count))
        sizes = [fist if isinstance(fist, int) else len(fist) for fist in view["fists"].values()]
        orders = [self.dice.sample(range(len(plan.slots)), len(plan.slots)) for _ in range(self.ORDERS)]

        @cache
        def in_order(number: int) -> Table:
            return Table.of(Plan(plan.board, orders[number]), view, self.seat)

        def sample(move: Move, number: int) -> float:
            dice, after = random.Random(seed + number), in_order(number % self.ORDERS).copy()
            after.deal(unseen, sizes, dice)
            after.push(move, dice)
            after.play_on(dice)
            return after.worth(me)

        if moves[0].verb == "place":
            favourite = table.favourite(me)

            def promise(move: Move) -> float:
                slot = plan.slots[move.args]
                # Its own creatures are kept for later when they bring little now.
                return table.gain(slot, favourite) - _HELD * (plan.colours[slot] == favourite)

            moves = self.dice.sample(list(moves), len(moves))  # of equal moves, any
            moves = sorted(moves, key=promise, reverse=True)[: self.FIELD]
        self.worths = race(moves, sample, self.budget())
        best: Move = next(iter(self.worths))
        return best


class Good(Strong):
    WORK = 36
    FIELD = 6


BOTS = {"easy": Easy, "greedy": Greedy, "good": Good, "strong": Strong}
