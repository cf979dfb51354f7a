"""Search algorithms for the bots of any game.

* :class:`Budget` limits a decision, in units of work and in seconds.
* :func:`alpha_beta` searches a game of two in which everything lies open, on a board that is changed and changed back.
* :func:`race` ranks options by samples, and spends most of them on those that do best.
* :func:`equilibrium` mixes the choices of a duel so that neither side can be read (regret matching).

All of them are functions of their arguments alone, as long as the seconds last: the clock only cuts a search short on
a machine that is slower than the one on which the work was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from math import inf
from time import thread_time
from typing import Generic, Protocol, TypeVar

WON = 1_000_000.0
"""The value of a game that is won; one that is won later is worth less by 1 for each move until then."""


class OutOfBudget(Exception):
    """A decision has cost what it may cost."""


class Budget:
    """The limits of a decision: units of work, as its search counts them, and seconds of CPU time."""

    CHECKED_EVERY = 8
    """Units of work between two looks at the clock."""

    def __init__(self, work: int, seconds: float = inf, clock: Callable[[], float] = thread_time) -> None:
        self.left = work
        self._clock = clock
        self._deadline = clock() + seconds

    def spend(self) -> None:
        """Count a unit of work. Raise :class:`OutOfBudget` when none is left, or no time."""
        self.left -= 1
        if self.left < 0 or (self.left % self.CHECKED_EVERY == 0 and self.late):
            raise OutOfBudget

    @property
    def late(self) -> bool:
        """Return whether the time is over."""
        return self._clock() >= self._deadline


# -- games of two, all open -----------------------------------------------------------------------------------------

M = TypeVar("M", bound=Hashable)


class Board(Protocol[M]):
    """A position that is changed by each move and changed back. Two sides move in turns."""

    def moves(self) -> Sequence[M]:
        """Return what the side to move can do, what looks best first; never empty while the game runs."""

    def push(self, move: M) -> None:
        """Play a move."""

    def pop(self) -> None:
        """Take the last move back."""

    def result(self) -> int | None:
        """Return how the game has ended for the side to move, -1 (lost), 0 or 1; ``None`` while it runs."""

    def value(self) -> float:
        """Return how good things look for the side to move, well between -:data:`WON` and :data:`WON`."""

    def allows(self, move: M) -> bool:
        """Return whether a move that was legal in another position of the game is legal now."""

    def outlook(self) -> Callable[[M, float], bool]:
        """Return a function of a legal move and a value: False if the side to move neither wins by the move nor reaches
        a position that it values higher. In doubt it is True. It serves this position alone."""


def alpha_beta(board: Board[M], moves: Sequence[M], depth: int, budget: Budget) -> tuple[M, float]:
    """Return the best of the moves and its value, by iterative deepening to ``depth`` moves ahead.

    ``moves`` are legal, and are searched in this order. A position is a unit of work. When the budget is spent, the
    result is that of the last complete depth, or a move that has turned out better since.
    """
    search = _Search(board, budget)
    order = list(moves)
    best, value = order[0], -inf
    try:
        for ahead in range(1, depth + 1):
            reached = -inf
            worths = {}
            for move in order:
                board.push(move)
                try:
                    worth = worths[move] = -search.negamax(ahead - 1, -inf, -reached, 1)
                finally:
                    board.pop()
                if worth > reached:
                    reached = worth
                    if ahead == 1 or move != order[0]:  # of the best so far it is known only that it is worse now
                        best, value = move, worth
            order.sort(key=worths.__getitem__, reverse=True)  # of the others a bound is known
            best, value = order[0], reached
            if abs(value) > WON / 2:
                break  # it is decided
    except OutOfBudget:
        pass
    return best, value


class _Search(Generic[M]):
    def __init__(self, board: Board[M], budget: Budget) -> None:
        self.board = board
        self.budget = budget
        self._answers: dict[int, M] = {}
        """By the number of moves ahead, the one that refuted another last: it may refute the next one too."""

    def negamax(self, depth: int, alpha: float, beta: float, ahead: int) -> float:
        """Return the value for the side to move; exact between alpha and beta, else a bound."""
        board = self.board
        self.budget.spend()
        result = board.result()
        if result is not None:
            return result * (WON - ahead)
        if depth == 0:
            return board.value()
        best = -inf
        may_exceed = None
        for move in self._moves(ahead):
            if depth == 1 and best > -inf:  # most moves need not be played to see that they are no better
                if may_exceed is None:
                    may_exceed = board.outlook()
                if not may_exceed(move, best):
                    self.budget.spend()
                    continue
            board.push(move)
            try:
                worth = -self.negamax(depth - 1, -beta, -alpha, ahead + 1)
            finally:
                board.pop()
            if worth > best:
                best = worth
                if worth > alpha:
                    alpha = worth
                    if alpha >= beta:
                        self._answers[ahead] = move
                        break
        return best

    def _moves(self, ahead: int) -> Iterator[M]:
        """Yield the moves, first the one that refuted another last: where it does so again, no others are listed."""
        board, answer = self.board, self._answers.get(ahead)
        if answer is None or not board.allows(answer):
            yield from board.moves()
        else:
            yield answer
            for move in board.moves():
                if move is not answer:
                    yield move


# -- options that are compared by samples ---------------------------------------------------------------------------

Option = TypeVar("Option", bound=Hashable)


def race(options: Sequence[Option], sample: Callable[[Option, int], float], budget: Budget) -> dict[Option, float]:
    """Return the options with what they are worth, the best first: found by halving the field again and again.

    ``sample`` gets an option and a number; for equal numbers it is to meet the options with the same luck, so that they
    are compared under like conditions. A sample is a unit of work. When the budget is spent, the means so far decide.

    The best option is worth its mean sample; an option that was left behind, so much less as it was behind the best
    one then. Without samples, as of an option alone, or where the budget is less than one for each, that is -infinity.
    """
    sums = [0.0] * len(options)
    counts = [0] * len(options)
    alive = list(range(len(options)))
    behind: dict[int, list[float]] = {}
    """By option that was left behind: the means of all options at that time."""
    rounds = max(1, (len(alive) - 1).bit_length())
    share = budget.left // rounds

    def mean(n: int) -> float:
        return sums[n] / counts[n] if counts[n] else -inf

    try:
        while len(alive) > 1:
            for _ in range(max(1, share // len(alive))):
                found = []
                for n in alive:
                    budget.spend()
                    found.append(sample(options[n], counts[n]))
                for n, worth in zip(alive, found, strict=True):  # only whole passes: all had the same luck
                    sums[n] += worth
                    counts[n] += 1
            alive.sort(key=mean, reverse=True)
            means = list(map(mean, range(len(options))))
            behind = {**dict.fromkeys(alive[(len(alive) + 1) // 2 :], means), **behind}
            del alive[(len(alive) + 1) // 2 :]
    except OutOfBudget:
        alive.sort(key=mean, reverse=True)
    best = alive[0]
    worths = {options[n]: mean(n) for n in alive}
    for n, means in behind.items():
        worths[options[n]] = mean(best) - (means[best] - means[n])
    return worths


# -- duels ----------------------------------------------------------------------------------------------------------

Mix = list[float]
"""The probability of each choice."""


def equilibrium(
    mine: Sequence[Sequence[float]], theirs: Sequence[Sequence[float]], rounds: int = 1000
) -> tuple[Mix, Mix]:
    """Return how two who choose at the same time are to mix their choices, by regret matching.

    ``mine[i][j]`` and ``theirs[i][j]`` are what the first and the second get when they choose ``i`` and ``j``. Each
    plays again and again, and every choice as often as it would have been better so far. In a zero-sum duel the
    averages tend to an equilibrium; in others neither side can gain much by always choosing something else.
    """
    rows, columns = range(len(mine)), range(len(mine[0]))
    regrets = [[0.0] * len(rows), [0.0] * len(columns)]
    totals = [[0.0] * len(rows), [0.0] * len(columns)]
    mixes = [_matched(regret) for regret in regrets]
    for number in range(1, rounds + 1):
        for side in (0, 1):
            row, column = mixes
            if side == 0:
                worths = [sum(column[j] * mine[i][j] for j in columns) for i in rows]
            else:
                worths = [sum(row[i] * theirs[i][j] for i in rows) for j in columns]
            mean = sum(share * worth for share, worth in zip(mixes[side], worths, strict=True))
            # Regrets below 0 are forgotten and later rounds count more: that converges soonest.
            regrets[side] = [
                max(0.0, regret + worth - mean) for regret, worth in zip(regrets[side], worths, strict=True)
            ]
            mixes[side] = _matched(regrets[side])
            totals[side] = [total + number * share for total, share in zip(totals[side], mixes[side], strict=True)]
    first, second = ([total / sum(side) for total in side] for side in totals)
    return first, second


def _matched(regrets: Sequence[float]) -> Mix:
    total = sum(regrets)
    return [regret / total for regret in regrets] if total else [1 / len(regrets)] * len(regrets)
