"""D.21 at the table: menus of what is legal, in three steps, and lights that name a space."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import walked

from of_kind import of_kind
from sample import sample, thorough
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core.lights import DARK, Look, Pixel
from tablier.games.core.menus import MOST
from tablier.games.core.questions import Menu
from tablier.games.d21 import lights
from tablier.games.d21.rules import D21, PASS
from tablier.texts import Json
from tablier_fw import wire


def played(plies: int, seed: int, options: Json | None = None) -> Position[Any]:
    position, dice = Position(rules_of("d21", 2, options)), random.Random(seed)
    while position.ply < plies and not position.is_over:
        position.push(dice.choice(position.legal_moves))
    return position


@settings(max_examples=sample(6, 15), deadline=None)
@given(st.integers(0, 60), st.integers(0, 1000))
def test_the_menus_lead_to_each_legal_move_once_and_to_nothing_else(plies: int, seed: int) -> None:
    position = played(plies, seed)
    if position.is_over:
        return
    found = []
    for menus, path, move in walked(position):
        found.append(move)
        assert len(menus) <= 3
        for menu, option in zip(menus, path, strict=True):
            assert isinstance(menu, Menu)
            assert len(menu.options) <= MOST and len(set(menu.labels)) == len(menu.labels)
            assert min(menu.labels) >= 1 and max(menu.labels) <= MOST
            assert move in map(str, menu.leads[option])
            if menu.hints[option]:
                assert menu.hints[option]["from"] == move.split()[1].split("-")[0]
        if PASS not in move:
            assert of_kind(Menu, menus[-1]).hints[path[-1]]["to"] == move.split("-")[1]
    assert sorted(found) == sorted(str(move) for move in position.legal_moves)


def test_the_number_of_a_distance_is_the_distance_and_that_of_a_way_its_place_on_the_clock() -> None:
    position = Position(rules_of("d21", 2))
    for menus, path, move in walked(position):
        if not move.startswith("p1 c3-c") or move == "p1 c3-c1":
            continue
        _, way, far = (of_kind(Menu, menu) for menu in menus)
        assert way.labels[path[1]] == 1  # up
        assert far.labels[path[2]] == int(move.rpartition("c")[2]) - 3
        assert far.labels[-1] == MOST and str(far.options[-1]) == "back"
    assert {str(text) for text in of_kind(Menu, next(iter(walked(position)))[0][0]).options} == {
        f"{column}{row}, showing 1" for column in "cdefgh" for row in (2, 3)
    }


@thorough
def test_on_a_large_board_distances_are_split_and_all_are_reached() -> None:
    red = {f"{chr(98 + n)}2": 1 for n in range(12)}
    green = {f"{chr(98 + n)}25": 1 for n in range(12)}
    position = Position(rules_of("d21", 2, {"size": 26, "setup": {"red": red, "green": green}}))
    found = [move for _, _, move in walked(position)]
    assert sorted(found) == sorted(str(move) for move in position.legal_moves)


def look(position: Position[Any], places: tuple[int, int] = (1, 4), hint: Json | None = None) -> Look:
    state = position.state
    winners = position.rules.winners(state)
    view = position.rules.view(state, None)
    moves = [str(move) for move in position.moves]
    return Look(position.rules, view, places, hint=hint or {}, moves=moves, over=position.is_over, winners=winners)


def lit(pixels: list[Pixel]) -> dict[int, Pixel]:
    return {number: pixel for number, pixel in enumerate(pixels) if pixel != DARK}


@pytest.mark.parametrize("red", range(1, 7))
def test_each_space_of_the_board_is_lit_otherwise_than_every_other(red: int) -> None:
    position = Position(rules_of("d21", 2))
    names = D21(2).grid.names
    for hint in ({}, {"from": "e5"}):
        key = "to" if hint else "from"
        shown = {name: tuple(lights.ring(look(position, (red, red % 6 + 1), {**hint, key: name}))) for name in names}
        assert len(set(shown.values())) == len(names) == 100


def test_a_space_is_where_its_column_and_its_row_are() -> None:
    """Red in the south: b is the west end of the north and south sides, row 2 the south end of the others."""
    position = Position(rules_of("d21", 2))
    assert set(lit(lights.ring(look(position, hint={"from": "b2"})))) == {0, 23, 24, 15}
    assert set(lit(lights.ring(look(position, (4, 1), {"from": "b2"})))) == {16, 7, 8, 31}  # red in the north
    outer = lit(lights.ring(look(position, hint={"from": "a5"})))
    assert {number for number, pixel in outer.items() if pixel[2] == wire.BLINK} == {0, 23}


def test_a_way_is_lit_on_the_side_to_which_it_leads() -> None:
    position = Position(rules_of("d21", 2))
    for way, pixels in enumerate(({3, 4}, {7, 8}, {11, 12}, {15, 16}, {19, 20}, {23, 24}, {27, 28}, {31, 0})):
        ring = lights.ring(look(position, hint={"from": "e5", "way": way}))
        assert {number for number, pixel in enumerate(ring) if pixel == lights.WAY} == pixels
        east = lights.ring(look(position, (6, 1), {"from": "e5", "way": way}))  # red in the east looks west: a quarter
        assert {number for number, pixel in enumerate(east) if pixel == lights.WAY} == {(n - 8) % 32 for n in pixels}


def setup(red: str, green: str) -> Json:
    """A setup from pieces such as ``c3=1``."""
    sides = {"red": red, "green": green}
    dice = {side: dict(piece.split("=") for piece in text.split()) for side, text in sides.items()}
    return {"setup": {side: {space: int(face) for space, face in each.items()} for side, each in dice.items()}}


GREEN = "c8=1 d8=1 e8=1 f8=1 g8=1 h8=1 c9=1 d9=1 e9=1 f9=1 g9=1 h9=1"
ROW = setup("c3=1 d3=2 e3=3 f3=4 g2=5 h3=6 b2=1 c2=1 d2=1 e2=1 f2=1 h2=1", GREEN)
SETS = setup(
    "b2=1 d2=1 f2=2 h2=2 b4=3 d4=3 f4=4 h4=4 b6=5 d6=5 f6=6 h7=1", GREEN.replace("h8=1", "h8=5").replace("h9", "i9")
)


def test_the_goal_that_was_reached_is_shown() -> None:
    position = Position(rules_of("d21", 2, ROW))
    position.parse_push("p1 g2-g3")
    row = lit(lights.ring(look(position)))
    assert position.state.ending == "row" and {17, 18, 19, 20, 21} <= set(row)  # columns d to h, from the east
    assert {pixel[2] for pixel in row.values()} == {wire.PULSE}
    position = Position(rules_of("d21", 2, SETS))
    position.parse_push("p1 h7-h9")
    assert position.state.ending == "sets"
    assert sorted(lit(lights.ring(look(position)))) == [*range(1, 7), *range(17, 23)]
    assert sorted(lit(lights.ring(look(position, (6, 2))))) == [*range(9, 15), *range(25, 31)]


def test_a_draw_is_shown() -> None:
    position = played(3, 1, {"max_plies": 3})
    assert position.state.ending == "max_plies"
    assert sorted(lit(lights.ring(look(position)))) == [0, 7, 8, 15, 16, 23, 24, 31]
