"""A simple player of D.21: wins when it can, works towards two sets of its own, and opens no win to the other."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core import Json, Move
from tablier.games.d21 import COLOURS, D21, State
from tablier.play.programs import Program

_LOOKED_AT = 24
"""Of its best moves so many are looked at one move deeper."""
_TRIED = 8
"""So many slides it tries out for the jumps that they open."""


class Greedy(Program):
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if len(moves) == 1:
            return moves[0]
        mine, theirs = COLOURS[self.seat - 1], COLOURS[2 - self.seat]
        # To itself it is always red, and just beginning: one side's game is the other's with the colours changed.
        options = {key: self.rules.options[key] for key in ("size", "adjacent_jumps")}
        rules = D21(2, options | {"setup": {"red": view[mine], "green": view[theirs]}})
        start = rules.initial()
        moves = self.dice.sample(list(moves), len(moves))  # of equal moves, any
        after = {move: rules.apply(start, move._replace(actor=1)) for move in moves}
        for move in moves:
            if rules.winners(after[move]):
                return move
        now = self._worth(start)
        worths = {move: self._worth(after[move]) for move in moves}
        quiet = [move for move in moves if worths[move] == now][:_TRIED]
        for move in quiet:
            worths[move] += self._opens(rules, after[move])
        best = sorted(moves, key=lambda move: -worths[move])[:_LOOKED_AT]
        return next((move for move in best if not self._loses(rules, after[move])), best[0])

    @staticmethod
    def _worth(state: State) -> float:
        """How far red is on the way to two sets, and how far green is not."""

        def sets(faces: int) -> int:
            return sum(min(2, faces >> 4 * face & 15) for face in range(1, 7))

        return 2.0 * sets(state.faces[0]) - sets(state.faces[1])

    def _opens(self, rules: D21, state: State) -> float:
        """Half of what red's best move would bring if it came next."""
        if state.ending:
            return 0.0
        again = state._replace(turn=1)
        worths = [self._worth(rules.apply(again, move)) for move in rules.legal(again)]
        return max(0.0, (max(worths, default=0.0) - self._worth(state)) / 2)

    @staticmethod
    def _loses(rules: D21, state: State) -> bool:
        """Whether green could win with its next move."""
        return any(2 in rules.winners(rules.apply(state, reply)) for reply in rules.legal(state))


PROGRAMS = {"greedy": Greedy}
