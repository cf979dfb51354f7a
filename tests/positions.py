"""Positions of games after some moves."""

from __future__ import annotations

from typing import Any

from tablier.games import rules_of
from tablier.games.core import Position
from tablier.texts import Json


def then(position: Position[Any], *moves: str) -> Position[Any]:
    """Make some moves; return the position."""
    for move in moves:
        position.parse_push(move)
    return position


def played(game: str, *moves: str, seats: int, **options: Json) -> Position[Any]:
    """Return the position after the first moves of a game."""
    return then(Position(rules_of(game, seats, options)), *moves)
