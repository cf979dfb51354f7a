"""The last move of a seat is seen on the board: the parts that show it are there, and can be marked."""

from __future__ import annotations

import random
from typing import Any
from xml.etree import ElementTree

import pytest

from sample import sample
from tablier.games import GAMES, drawing_of, rules_of
from tablier.games.core import TABLE, Position
from tablier.html.boards import draw

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
SEATS = {"d21": 2, "roudalon": 4}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(sample(1, 3)))
def test_each_move_marks_parts_of_the_board_until_the_next_one(game: str, seed: int) -> None:
    rng, last, before = random.Random(seed), None, None
    position: Position[Any] = Position(rules_of(game, SEATS.get(game, 3), {}))
    rules, names, seen = position.rules, NAMES[: position.rules.seats], set()
    while not position.is_over and position.ply < 200:
        move = rng.choice(list(position.legal_moves))
        if move.actor != TABLE:
            last, before = move, position.state
        position.push(move)
        if last is None or position.ply % 3 or rules.secret(before, last, position.state):
            continue
        view = rules.view(position.state, None)
        svg = draw(rules, view, names, last)
        marked = [part for part in ElementTree.fromstring(svg).iter() if part.get("class") == "last"]
        of = drawing_of(game).last
        assert of is not None
        parts = of(rules, view, last)
        assert parts and {part.get("data-part") for part in marked} == set(parts), str(last)
        for part in marked:
            assert part[0].get("opacity") == "0", "its first shape is what shows the mark"
            assert part.get("aria-label")
        seen.add(last.verb)
    assert seen


@pytest.mark.parametrize(
    ("game", "seats", "moves", "marked"),
    [
        ("roudalon", 4, ["p1 bet 4", "p2 bet 2"], ["coin 5", "coin 6", "seat p2"]),
        (
            "struggle",
            2,
            ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K", "table roll J J J 10 10", "p1 play J+3 10+2"],
            ["pawn 10", "pawn J"],
        ),
        (
            "struggle",
            2,
            ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K", "table roll J J J 10 10", "p1 keep J J"],
            ["J 1", "J 2"],
        ),
    ],
)
def test_what_a_move_has_changed_is_marked(game: str, seats: int, moves: list[str], marked: list[str]) -> None:
    options = {"first": "p1"}
    position: Position[Any] = Position(rules_of(game, seats, options))
    for text in moves:
        last = position.parse_push(text)
    board = draw(position.rules, position.rules.view(position.state, None), NAMES[:seats], last)
    parts = [part for part in ElementTree.fromstring(board).iter() if part.get("class") == "last"]
    assert sorted(str(part.get("data-part")) for part in parts) == marked


def test_what_chance_brought_in_secret_is_not_told_with_the_last_move() -> None:
    rng = random.Random(1)
    for game, told in (("dicke-daemonen", set()), ("struggle", {"roll"}), ("roudalon", {"dice"})):
        position: Position[Any] = Position(rules_of(game, SEATS.get(game, 3), {}))
        verbs = set()
        while not position.is_over and position.ply < 120:
            position.push(rng.choice(list(position.legal_moves)))
            last, fell = position.lately()
            verbs |= set() if position.is_over else {move.verb for move in fell}  # then all lies open
            assert last is None or last.actor
        assert verbs == told, game
