"""Games at the simulated table by simulated people in a process of their own, and games that are short."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

from following import follow
from ports import Stopped, open_desk, play_at
from tablier.course.chance import HostSeed
from tablier.course.seats import Seat
from tablier.games import rules_of
from tablier.games.core import TABLE, Position
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.record import Record, record_of
from tablier.texts import Json

NAMES = ("Anne", "Bernard", "Christine", "Daniel")


GAMES = int(os.environ.get("TABLIER_GAMES", "0"))
"""How many whole games of each kind are played; 0 is one that is broken off early."""


COUNTS = {"dilemma": 3, "roudalon": 4, "struggle": 2, "d21": 2, "dicke-daemonen": 3}
"""How many people play each game."""


OPTIONS = {"d21": {"max_plies": 40}}
"""Random games of D.21 last their 400 moves otherwise, an hour of buttons for the last of the people."""


def play(
    path: Path,
    game: str,
    seated: list[Seat],
    most: int,
    followed: Record | None = None,
    seed: int = 0,
    options: Json | None = None,
) -> list[tuple[int, str]]:
    """Play at a simulated table, at most so many moves; return what the people have decided."""
    noted = path / "noted"

    def stop(running: Conductor) -> float:
        if running.session.position.ply >= most:
            raise Stopped
        return 1.0

    with Log.open(path / "log.db") as log:
        given = OPTIONS.get(game, {}) if options is None else options
        number = begin(log, game, given, seated, seed=f"{seed + 1:064x}")
        keeper = Desk(seated, virtual=True, noted=noted, seed=seed)
        if followed:
            (path / "meant.json").write_text(followed.dumps() + "\n", encoding="utf-8")
            keeper.people = follow(path / "meant.json")  # type: ignore[misc]
        with open_desk(keeper):
            try:
                play_at(keeper, log, number, hook=stop)
            except Stopped:
                pass
    return [(ply, move) for ply, move in map(json.loads, noted.read_text().splitlines())]


RED = {"c3": 1, "d3": 2, "e3": 3, "f3": 4, "g3": 5, "c2": 1, "d2": 1, "e2": 2, "f2": 3, "g2": 4, "c4": 5, "e4": 6}


GREEN = {"c6": 1, "d6": 2, "e6": 3, "f6": 1, "g6": 4, "c7": 3, "d7": 2, "e7": 5, "f7": 4, "g7": 1, "h4": 3, "h5": 2}


_ALL = ["a", "b", "c", "d"]


TINY = {
    "outer": "out",
    "crossings": {"a": ["red", "blue"], "b": ["blue", "green"], "c": ["green", "yellow"], "d": ["yellow", "red"]},
    "fields": {
        "out": {"corners": _ALL, "knots": ["red", "blue"]},
        "f1": {"corners": _ALL, "knots": ["red", "green"]},
        "f2": {"corners": _ALL, "knots": ["blue", "yellow"]},
        "f3": {"corners": _ALL, "knots": ["green", "yellow"]},
    },
}


SHORT: dict[str, tuple[dict[str, Any], int]] = {
    "d21": ({"setup": {"red": RED, "green": GREEN}}, 2716),
    "struggle": ({"board": "YRYRYBRYRY", "first": "p2"}, 595),
    "roudalon": ({"first": "p2"}, 86),
    "dicke-daemonen": ({"layout": TINY}, 1795),
}
"""Options and the seed of a reference game that is short."""


def reference(game: str, options: dict[str, Any], seats: int, seed: int) -> Record:
    """A game at random, with the dice that the host throws by this seed."""
    names = (*NAMES, "Éric", "Françoise")[:seats]
    rules = rules_of(game, seats, Record(game, names, (), options).settled)
    position, dice = Position(rules).conducted(), random.Random(seed)
    chance = HostSeed(bytes.fromhex(f"{seed + 1:064x}"))
    while not position.is_over:
        by_chance = position.to_move == (TABLE,)
        position.push(chance.draw(position) if by_chance else dice.choice(position.legal_moves))
    return record_of(position, names)
