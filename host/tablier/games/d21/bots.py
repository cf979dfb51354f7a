"""Bots for D.21: a simple one that works towards two sets and opens no win to the other, and some that look ahead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, cast

from tablier.games.core import Move
from tablier.games.core.bots import Bot, Careless, Searching
from tablier.games.core.search import WON, alpha_beta
from tablier.games.d21.rules import D21, State, as_red, in_sets, turned
from tablier.games.d21.search import Board
from tablier.texts import Json, Text, counted

_LOOKED_AT = 24
"""How many of its best moves are searched one move deeper."""
_TRIED = 8
"""The number of slides that it tries out for the jumps that they open."""


class Greedy(Bot):
    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if len(moves) == 1:
            return moves[0]
        rules = as_red(cast(D21, self.rules), view, self.seat)
        start = rules.initial()
        # At the start a row may stand already, and each move has the whole board looked through; later none stands.
        start = start._replace(ply=min(view["ply"], 2))
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
        """Return how far red is on the way to two sets, and how far green is not."""
        return 2.0 * in_sets(state.faces[0]) - in_sets(state.faces[1])

    @staticmethod
    def _opens(rules: D21, state: State) -> float:
        """Return what the best jump would bring to red's sets if red came next."""
        if state.ending:
            return 0.0
        board, faces = state.board, state.faces[0]
        best = now = in_sets(faces)
        for move in rules.legal(state._replace(turn=1)):
            path = rules.grid.paths[move.verb]
            die, jumped = board[path.origin], board[path.over]
            if jumped >> 3:  # green
                after = faces - (1 << 4 * die) + (1 << 4 * turned(die, jumped & 7))
                best = max(best, in_sets(after))
        return float(best - now)

    @staticmethod
    def _loses(rules: D21, state: State) -> bool:
        """Return whether green could win with its next move."""
        return any(2 in rules.winners(rules.apply(state, reply)) for reply in rules.legal(state))


class Easy(Careless):
    KIND = Greedy


class Strong(Searching):
    """Looks ahead, move by move. A unit of work is a position."""

    WORK = 8_000
    DEPTH: ClassVar[int] = 4

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        if len(moves) == 1:
            return moves[0]
        rules = cast(D21, self.rules)
        board, names = Board(rules, view, self.seat), rules.grid.names
        by_verb = {move.verb: move for move in moves}
        open_to_it = {step: f"{names[step.origin]}-{names[step.target]}" for step in board.moves()}
        steps = [step for step, verb in open_to_it.items() if verb in by_verb]
        self.dice.shuffle(steps)  # of equal moves, any
        step, value = alpha_beta(board, steps, self.DEPTH, self.budget())
        self.because = self._why(value)
        return by_verb[open_to_it[step]]

    def _why(self, value: float) -> Text:
        """Return what the value of its move says."""
        if value > WON / 2:
            return counted(round(WON - value), "It wins with {count} move.", "It wins within {count} moves.")
        if value < -WON / 2:
            return Text("Every move loses; this one holds out longest.")
        one = "Up to {count} move ahead it has found nothing better."
        many = "Up to {count} moves ahead it has found nothing better."
        return counted(self.DEPTH, one, many)


class Good(Strong):
    WORK = 1_000
    DEPTH = 2


BOTS = {"easy": Easy, "greedy": Greedy, "good": Good, "strong": Strong}
