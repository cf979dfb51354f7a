"""Bots for Struggle: a simple one that moves the pawns towards the order of its own objective, and some that work out
what dice are worth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, cast

from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.bots import Bot, Careless
from tablier.games.struggle.rules import CHOOSE, FACES, PAWNS, POINTS, THROWS, State, Struggle
from tablier.games.struggle.search import Beliefs, Turn, arrivals, expected, wanted
from tablier.texts import Json, Text

_REACH = 5
"""The distance between two pawns from which more makes no difference: one throw does not make up for them."""
_GOOD = 2.5
"""A hand that improves the position by this much is played without a look at another throw."""


class Greedy(Bot):
    """Plays the hand that serves its objective best; before that keeps the dice that serve it, and the aces."""

    WHY = Text("It serves your objective best")

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        now = self._worth(view, self._state(view))
        plays = [move for move in moves if move.verb == "play"]
        worths = [self._worth(view, self.rules.apply(self._state(view), move)) for move in plays]
        best = max(worths)
        keeps = [move for move in moves if move.verb == "keep"]
        if keeps and best - now < _GOOD:
            kept = self._useful(view, now)
            if len(kept) < len(view["hand"]):
                return Move(self.seat, "keep", tuple(kept) or ("none",))
        return self.dice.choice([move for move, worth in zip(plays, worths, strict=True) if worth == best])

    def _useful(self, view: Json, now: float) -> list[str]:
        """Return the dice of the hand that would help if they were played alone, and the aces beside them."""
        hand = view["hand"]
        good = [
            figure
            for figure in PAWNS
            if figure in hand and self._worth(view, self._moved(view, figure, hand.count(figure))) > now
        ]
        return [face for face in hand if face in good or (face not in PAWNS and good)]

    def _moved(self, view: Json, figure: str, steps: int) -> State:
        """Return where things would stand if that figure alone moved."""
        state = self._state(view)
        if figure not in view["pawns"]:
            return state  # it has arrived
        return cast(State, self.rules.apply(state, Move(self.seat, "play", (f"{figure}+{steps}",))))

    def _state(self, view: Json) -> State:
        """Return the state as this seat sees it. Of other objectives it knows nothing, and moves do not ask for
        them."""
        rules = cast(Struggle, self.rules)
        at = {**view["pawns"], **{pawn: rules.length + n for n, pawn in enumerate(view["places"], 1)}}
        return State(
            phase=CHOOSE,
            turn=self.seat,
            objectives=(view["objectives"][seat_name(self.seat)],) * rules.seats,
            pawns=tuple(at[pawn] for pawn in PAWNS),
            throws=view["throws"],
            hand=tuple(sorted(view["hand"], key=FACES.index)),
        )

    def _worth(self, view: Json, state: State) -> float:
        """Return how well the pawns stand for this seat's objective: points that are certain, and order on the
        track."""
        rules = cast(Struggle, self.rules)
        wanted = view["objectives"][seat_name(self.seat)].split("-")
        order = rules.arrived(state)
        worth = float(POINTS * sum(a == b for a, b in zip(wanted, order, strict=False)))
        # An arrived pawn is ahead of all others, and the earlier the farther.
        ahead = {pawn: rules.length + _REACH * (len(PAWNS) - n) for n, pawn in enumerate(order)}
        at = {pawn: ahead.get(pawn, space) for pawn, space in zip(PAWNS, state.pawns, strict=True)}
        for number, first in enumerate(wanted):
            for second in wanted[number + 1 :]:
                worth += max(-1.0, min(1.0, (at[first] - at[second]) / _REACH))
        return worth


class Easy(Careless):
    KIND = Greedy


class Good(Greedy):
    """Values positions as the simple one does, but works out what each selection of dice can bring in one throw."""

    WORTH = Text("the points that its objective has for certain, and up to 1 for each two pawns that are in its order")

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if len(moves) == 1:
            return moves[0]
        state = self._state(view)
        turn = Turn(cast(Struggle, self.rules), state, lambda pawns: self._worth(view, state._replace(pawns=pawns)))
        self.worths = turn.worths(moves, 1)
        return max(moves, key=self.worths.__getitem__)


class Strong(Greedy):
    """Works the turn out in full, and values positions by the points that its objective can expect, and others'.

    It remembers what others did with the pawns, and infers from that what they want. In some hundred games against the
    good one it won 79 % when it did, and 64 % when it looked at the position alone.
    """

    WORTH = Text("the points that it can expect, less half of what others can")
    RIVALRY: ClassVar[float] = 0.5
    """The worth of a point that somebody else can expect beside one of its own."""

    def __init__(self, rules: Rules[Any], seat: int, dice: random.Random) -> None:
        super().__init__(rules, seat, dice)
        self._beliefs = Beliefs(cast(Struggle, rules))

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        rules, state = cast(Struggle, self.rules), self._state(view)
        self._beliefs.see(state.pawns)
        move = moves[0] if len(moves) == 1 else self._best(view, state, moves)
        if move.verb == "play":
            self._beliefs.leave(rules.apply(state, move).pawns)
        return move

    def _best(self, view: Json, state: State, moves: Sequence[Move]) -> Move:
        rules, own = cast(Struggle, self.rules), view["objectives"][seat_name(self.seat)]
        weights = [
            [mine - self.RIVALRY * theirs for mine, theirs in zip(*rows, strict=True)]
            for rows in zip(wanted(own), self._beliefs.weights(own), strict=True)
        ]
        turn = Turn(rules, state, lambda pawns: expected(arrivals(pawns, rules.length), weights))
        left = THROWS - view["throws"]
        self.worths = turn.worths(moves, left)
        return max(moves, key=self.worths.__getitem__)


BOTS = {"easy": Easy, "greedy": Greedy, "good": Good, "strong": Strong}
