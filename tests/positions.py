"""Positions of games after some moves."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest

from tablier.games import rules_of
from tablier.games.core import IllegalMove, Move, Position


def then(position: Position[Any], *moves: str) -> Position[Any]:
    """Make some moves; return the position."""
    for move in moves:
        position.parse_push(move)
    return position


def refusal(position: Position[Any], text: str) -> str:
    """Return why a move cannot be made; hold that nothing has changed."""
    before = position.state
    with pytest.raises(IllegalMove) as caught:
        position.parse_push(text)
    assert position.state == before
    return str(caught.value)


def at_random(position: Position[Any], rng: random.Random) -> Iterator[Move]:
    """Make moves of any seat, or of the table, until a game is over; yield each once it was made."""
    while not position.is_over:
        moves = list(position.legal_moves)
        actor = rng.choice(sorted({move.actor for move in moves}))
        move = rng.choice([move for move in moves if move.actor == actor])
        position.push(move)
        yield move


def played(game: str, *moves: str, seats: int, **options: Any) -> Position[Any]:
    """Return the position after the first moves of a game."""
    return then(Position(rules_of(game, seats, options)), *moves)


def layout_data(name: str) -> dict[str, Any]:
    """Return a layout of Dicke Dämonen as its file has it."""
    text = (resources.files("tablier.games.daemonen") / "layouts" / f"{name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data
