"""The state of a game of Dicke Dämonen, and all that can be impossible about one."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

from tablier.games.core import Move
from tablier.games.daemonen.colours import FISTS

DEAL, PLACE, PREDICT, DRAW, OVER = "deal", "place", "predict", "draw", "over"
PHASES = (DEAL, PLACE, PREDICT, DRAW, OVER)
NAMED = 3
"""Colours that a prediction in solitaire may name (R-G6)."""


class State(NamedTuple):
    """All there is to know of a game. Seat ``n`` is at index ``n - 1``.

    Handfuls of creatures are numbers as in :mod:`tablier.games.daemonen.colours`, sets of slots as in
    :mod:`tablier.games.daemonen.board`.
    """

    phase: str
    turn: int
    """The seat whose turn it is, or that draws; when the game is over, the one that could not place."""
    bag: int
    """The handful in the bag."""
    fists: tuple[int, ...]
    predictions: tuple[tuple[str, ...], ...]
    """The colours that each seat has laid down, in its order; empty while it has predicted nothing."""
    gone: int
    """The handful that left the game with the prediction in solitaire (R-G6)."""
    placed: int
    """The slots that were filled."""
    open: int
    """The slots that are open. It follows from ``placed``, and stands here because every step asks for it."""


_PREDICT_MOVES: dict[tuple[int, int, tuple[tuple[str, ...], ...]], list[Move]] = {}
# (seat, fist, predictions) → the moves; filled as they occur, some ten thousand at most


def predict_moves(seat: int, fist: int, predictions: tuple[tuple[str, ...], ...]) -> list[Move]:
    """Return what a seat may say between placing and drawing; empty where it says nothing (R-G3, R-G6). Not to be
    changed."""
    try:
        return _PREDICT_MOVES[seat, fist, predictions]
    except KeyError:
        pass
    moves = []
    if not predictions[seat - 1]:
        taken = {colour for colours in predictions for colour in colours}
        free = [colour for colour in FISTS[fist] if colour not in taken]
        most = NAMED if len(predictions) == 1 else 1
        moves = [Move(seat, "predict", named) for n in range(1, most + 1) for named in permutations(free, n)]
    if moves:
        moves.append(Move(seat, "pass"))
    _PREDICT_MOVES[seat, fist, predictions] = moves
    return moves
