"""Games with scripts made for the table, to their ends: by simulated people in a process of their own, who are given
pixels and a spectator's updates, and who do what a reference game has."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from playing import exported
from test_house import GAMES, NAMES, OPTIONS, play

from tablier.games import game_class, rules_of
from tablier.games.core import TABLE, Position
from tablier.log import Log
from tablier.play.audit import audit
from tablier.play.chance import HostSeed
from tablier.play.session import AT_TABLE, Seat
from tablier.record import Record, record_of

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


def seated(meant: Record, seed: int) -> list[Seat]:
    """Its players at any places, clockwise."""
    places = sorted(random.Random(seed).sample(range(1, 7), len(meant.players)))
    return [Seat(name, place, AT_TABLE, "random") for name, place in zip(meant.players, places, strict=True)]


@pytest.mark.parametrize("number", range(GAMES or 1))
@pytest.mark.parametrize("game", ["d21", "roudalon", "struggle", "dicke-daemonen"])
def test_to_its_end_as_it_was_meant(game: str, number: int, tmp_path: Path) -> None:
    options, seed = SHORT[game] if not number else (OPTIONS.get(game, {}), number)
    counts = game_class(game).seat_counts
    meant = reference(game, options, counts[number % len(counts)], seed)
    play(tmp_path, game, seated(meant, number), 10**6, list(meant.moves), seed, meant.options)
    with Log.read(tmp_path / "log.db") as log:
        assert exported(log, 1) == meant
        assert audit(log.entries()).games == 1
