"""Measure how long a board takes in a terminal: a screen draws it at each key."""

from __future__ import annotations

import gc
import random
from statistics import median
from time import process_time
from typing import Any

from tablier.games import GAMES, drawing_of, game_class, rules_of
from tablier.games.core import Position
from tablier.games.core.drawing import Canvas
from tablier.screens.paper import board

from . import verdict

RUNS = 30
PLIES = 60
CANVASES = (Canvas(), Canvas(columns=118, lines=36))
LIMIT_MS = 20.0
NAMES = ["Anne", "Bernard", "Christine", "Daniel", "Éric", "Fanny"]


def position_of(game: str) -> Position[Any]:
    """A position in the middle of a random game of as many as can play."""
    rng = random.Random(1)
    position = Position(rules_of(game, max(game_class(game).seat_counts), {}))
    while not position.is_over and position.ply < PLIES:
        position.push(rng.choice(position.legal_moves))
    return position


def times(game: str, canvas: Canvas) -> list[float]:
    """The milliseconds that drawing takes, the first time and then."""
    position = position_of(game)
    rules, view = position.rules, position.rules.view(position.state, None)
    drawing_of(game)
    taken = []
    for _ in range(RUNS):
        begun = process_time()
        board(rules, view, NAMES[: rules.seats], canvas.columns, canvas)
        taken.append(1000 * (process_time() - begun))
    return taken


def main() -> None:
    gc.collect()
    gc.freeze()  # a screen has not measured other things before
    print(f"drawing a board in a terminal, the median of {RUNS}, and the first one (at most {LIMIT_MS:g} ms each)")
    for canvas in CANVASES:
        for game in GAMES:
            first, *later = times(game, canvas)
            met = verdict(max(first, median(later)) <= LIMIT_MS)
            print(f"  {game:15} {canvas.columns:>3} x {canvas.lines} {median(later):7.1f} ms {first:7.1f} ms  {met}")


__all__ = ["main"]
