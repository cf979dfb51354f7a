"""The facts of D.21: slides and jumps, their directions and distances, and the row that won."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

from tablier.games.core import Rules
from tablier.games.core.facts import Fact, Facts, Step, facts_from
from tablier.games.d21.rules import D21, PASS, ROW, State
from tablier.texts import Text

STRAIGHT, DIAGONAL, ANGLE = "straight", "diagonal", "angle"


def tell(rules: Rules[Any], steps: Sequence[Step], last: State) -> Iterator[Fact]:
    """Return the counts of a game, and the shape of the row that ended it."""
    d21 = cast(D21, rules)
    counts: defaultdict[tuple[int, str], int] = defaultdict(int)
    for before, (actor, verb, _), _ in steps:
        if verb == PASS:
            counts[actor, "passes"] += 1
        else:
            _count_move(counts, d21, before.board, actor, verb)
    if last.ending == ROW:
        row = d21.row(last.board)
        counts[0, "row_opposing"] = sum(last.board[space] >> 3 == last.turn - 1 for space in row)
        yield Fact(0, "row", _shape(row, d21.grid.size))
    yield from facts_from(counts)


def _count_move(counts: defaultdict[tuple[int, str], int], d21: D21, board: bytes, seat: int, verb: str) -> None:
    """Count a move of a seat, from the board before it."""
    path = d21.grid.paths[verb]
    die, over = board[path.origin], board[path.over]
    if path.over == path.origin or not over:
        kind = "slides"
    else:
        kind = "own_jumps" if over >> 3 == die >> 3 else "opposing_jumps"
    counts[seat, kind] += 1
    size = d21.grid.size
    (row, column), (to_row, to_column) = divmod(path.origin, size), divmod(path.target, size)
    up, right = to_row - row, to_column - column
    ahead = up if seat == 1 else -up
    counts[seat, "forward" if ahead > 0 else "back" if ahead else "sideways"] += 1
    counts[seat, "diagonal"] += bool(up and right)
    counts[seat, "spaces"] += max(abs(up), abs(right))


def _shape(row: Sequence[int], size: int) -> str:
    """Return the shape of a row of six."""
    steps = {abs(there - here) for here, there in pairwise(row)}
    if len(steps) > 1:
        return ANGLE
    return STRAIGHT if steps <= {1, size} else DIAGONAL


FACTS = Facts(
    game={
        "row": Text("shape of the row that won"),
        "row_opposing": Text("dice of the other side in the row that won"),
    },
    seats={
        "slides": Text("slides"),
        "own_jumps": Text("jumps over an own die"),
        "opposing_jumps": Text("jumps over an opposing die"),
        "forward": Text("moves towards the other side"),
        "sideways": Text("moves along a row of the board"),
        "back": Text("moves back"),
        "diagonal": Text("moves on a diagonal"),
        "spaces": Text("spaces moved"),
        "passes": Text("passes"),
    },
    values={
        STRAIGHT: Text("along a line of the board", context="row"),
        DIAGONAL: Text("on a diagonal", context="row"),
        ANGLE: Text("with a right angle", context="row"),
    },
    tell=tell,
)
