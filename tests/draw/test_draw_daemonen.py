"""The pictures of Dicke Dämonen: they fit, they are sound, moves can be read off them, and they tell no secret."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from importlib import resources
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from sample import sample
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.daemonen import drawing as daemonen
from tablier.games.daemonen.layout import layout_names

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
STRANGE = ["<&>\"'", "a\nb\x1b[31m\x00\ud800", "x" * 500, "漢字" * 30]
COLOURS = ("white", "red", "blue", "green", "yellow")
SVG = "{http://www.w3.org/2000/svg}"


def layout_data(name: str) -> dict[str, Any]:
    text = (resources.files("tablier.games.daemonen") / "layouts" / f"{name}.json").read_text(encoding="utf-8")
    data: dict[str, Any] = json.loads(text)
    return data


def without_geometry(name: str) -> dict[str, Any]:
    return {key: value for key, value in layout_data(name).items() if key != "geometry"}


def game(seats: int = 2, moves: str = "", **options: Any) -> Position[Any]:
    position = Position(rules_of("dicke-daemonen", seats, options))
    for move in filter(None, moves.split(";")):
        position.parse_push(move.strip())
    return position


def deal(*fists: str) -> str:
    return ";".join(f"table draw p{seat} {colour}" for seat, fist in enumerate(fists, 1) for colour in fist.split())


def svg(position: Position[Any], seat: int | None = None, names: list[str] = NAMES) -> ET.Element:
    view = position.rules.view(position.state, seat)
    return ET.fromstring(daemonen.svg(position.rules, view, names[: position.rules.seats]))


def words(root: ET.Element) -> list[str]:
    return [element.text.strip() for element in root.iter(f"{SVG}text") if element.text]


def lines(position: Position[Any], seat: int | None = None, names: list[str] = NAMES) -> list[str]:
    view = position.rules.view(position.state, seat)
    plain: str = daemonen.text(position.rules, view, names[: position.rules.seats]).plain
    return plain.split("\n")


def bodies(root: ET.Element, colour: str) -> int:
    """Count the demons of a colour on the drawn board."""
    fill = daemonen._FILL[colour]
    groups = [group for group in root.iter(f"{SVG}g") if group.get("transform", "").startswith("translate(")]
    on_board = [group for group in groups if float(re.findall(r"[\d.]+", group.get("transform", ""))[0]) < 690]
    parts = [part for group in on_board for part in group.iterfind(f"{SVG}path")]
    return sum(part.get("fill") == fill and part.get("stroke-width") == "1.6" for part in parts)


@cache
def some_positions(seats: int) -> list[tuple[Position[Any], int | None]]:
    """A position on each layout, and who looks at it; in a sample each layout with two numbers of seats."""
    found = []
    for seed, layout in enumerate([*layout_names(), without_geometry("weave")]):
        if seed % sample(3, 1) != seats % sample(3, 1):
            continue
        rng = random.Random(seed)
        position = game(seats, layout=layout)
        for _ in range(rng.randint(0, 110)):
            moves = position.legal_moves
            if not moves:
                break
            position.push(rng.choice(moves))
        found.append((position, rng.choice([None, *range(1, seats + 1)])))
    return found


@pytest.mark.parametrize("names", [NAMES, STRANGE])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_position_has_a_sound_picture_that_fits(seats: int, names: list[str]) -> None:
    for position, seat in some_positions(seats):
        board = lines(position, seat, names)
        assert len(board) <= 16
        assert max(map(cell_len, board)) <= 78
        root = svg(position, seat, names)
        numbers = [
            float(n) for e in root.iter() for n in re.findall(r"-?[\d.]+", e.get("x", "") + " " + e.get("cx", ""))
        ]
        assert all(-20 <= number <= 1000 for number in numbers)


@pytest.mark.parametrize("name", layout_names())
@pytest.mark.parametrize("drawn", [True, False])
def test_every_field_and_crossing_has_its_name(name: str, drawn: bool) -> None:
    data = layout_data(name) if drawn else without_geometry(name)
    position = game(2, layout=data)
    seen = words(svg(position))
    for field, content in data["fields"].items():
        assert field in seen
        assert str(len(content["corners"]) + len(content["knots"])) in seen
    for crossing in data["crossings"]:
        assert crossing in seen
    board = " ".join(lines(position))
    for field, content in data["fields"].items():
        after = board.split(f"{field} ", 1)[1]
        for crossing in content["corners"]:
            initials = "".join(line[0] for line in data["crossings"][crossing])
            assert f"{crossing}·{initials}" in after


@pytest.mark.parametrize("drawn", [True, False])
def test_creatures_stand_where_they_were_placed(drawn: bool) -> None:
    layout = "ring" if drawn else without_geometry("ring")
    position = game(
        2,
        deal("white red red blue", "red red green green")
        + ";p1 place red f9:e;p1 pass;table draw p1 red;p2 place green f8:c;p2 pass;table draw p2 red"
        + ";p1 place white f9",
        layout=layout,
    )
    root = svg(position)
    assert {colour: bodies(root, colour) for colour in COLOURS[1:]} == {"red": 1, "blue": 0, "green": 1, "yellow": 0}
    board = "\n".join(lines(position))
    assert re.search(r"f9 +5 ghost e=R$", board, re.M)  # what can no longer be placed there is left out
    assert re.search(r"f8 +5 c=G d·bg g·rb h·rb ", board + " ")
    assert "white 1  red 5  blue 0  green 5  yellow 0" in board


def test_a_demon_stands_beside_its_crossing_inside_its_field() -> None:
    circle = layout_data("ring")["geometry"]["circles"]["green"]
    for field, inside in (("f1", True), ("f3", True), ("f2", False), ("outer", False)):
        position = game(
            2, deal("green green green green", "red red red red") + f";p1 place green {field}:a", layout="ring"
        )
        root = svg(position)
        cord = next(e for e in root.iter(f"{SVG}circle") if e.get("stroke") == daemonen._FILL["green"])
        x, y, r = (float(cord.get(key, "")) for key in ("cx", "cy", "r"))
        demon = next(
            g
            for g in root.iter(f"{SVG}g")
            if any(
                part.get("fill") == daemonen._FILL["green"] and part.get("stroke-width") == "1.6"
                for part in g.iterfind(f"{SVG}path")
            )
        )
        at_x, at_y = map(float, re.findall(r"[\d.]+", demon.get("transform", ""))[:2])
        assert (((at_x - x) ** 2 + (at_y - y) ** 2) ** 0.5 < r) == inside
        # The crossing is at the upper left of the green circle: the picture is not upside down.
        assert at_y < y
        assert circle["y"] > 0


def test_the_fist_of_another_is_a_number() -> None:
    one = game(2, deal("white red red blue", "red red green green"))
    two = game(2, deal("yellow yellow red blue", "red red green green"))
    for seat in (2, None):
        assert ET.tostring(svg(one, seat)) == ET.tostring(svg(two, seat))
        assert lines(one, seat) == lines(two, seat)
    assert "fist: white red red blue" in "\n".join(lines(one, 1))
    assert "fist: yellow" not in "\n".join(lines(two, 2))
    assert "fist of 4" in "\n".join(lines(two, 2))


def test_the_status_says_what_is_due() -> None:
    position = game(2)
    said = [lines(position)[0]]
    for moves in (
        deal("white red red blue", "red red green green"),
        "p1 place white f5",
        "p1 predict red",
        "table draw p1 green",
    ):
        for move in moves.split(";"):
            position.parse_push(move)
        said.append(lines(position)[0])
    assert [line.removeprefix("Dicke Dämonen  ") for line in said] == [
        "Anne draws four creatures",
        "Anne places a creature",
        "Anne may predict, or passes",
        "Anne draws a creature",
        "Bernard places a creature",
    ]
    assert "predicts" in words(svg(position))
    assert "predicts: red" in "\n".join(lines(position))


@pytest.mark.parametrize("seats", [1, 2])
def test_the_end_is_shown(seats: int) -> None:
    seen = set()
    for seed in range(30):
        rng = random.Random(seed)
        position = game(seats)
        while moves := position.legal_moves:
            position.push(rng.choice(moves))
        status = lines(position)[0]
        assert "can place nothing" in status or "holds nothing more" in status
        winners = position.rules.winners(position.state)
        assert sum(line.startswith("★") for line in lines(position)) == len(winners)
        score = position.rules.scores(position.state)[0]
        lost = "Everybody loses" if seats > 1 else "Lost"
        won = " win" if seats > 1 else f"Won with {score} points"
        assert (won if winners else lost) in status
        seen.add(bool(winners))
        assert any(status.removeprefix("Dicke Dämonen  ").startswith(word) for word in words(svg(position)))
        if seen == {True, False} and seed >= sample(5, 29):
            break
    assert seen == {True, False}


def test_a_layout_that_is_too_large_for_the_terminal_says_so() -> None:
    """Sixty fields of long names: what is left out is counted."""
    pairs = [["red", "blue"], ["blue", "green"], ["green", "yellow"], ["red", "yellow"]]
    crossings = {f"crossing-{n}": pairs[n % 4] for n in range(60)}
    fields: dict[str, Any] = {f"field-{n}": {"corners": [], "knots": []} for n in range(60)}
    for n in range(60):
        for k in range(4):
            fields[f"field-{(n + 7 * k) % 60}"]["corners"].append(f"crossing-{n}")
    for n, line in enumerate(COLOURS[1:]):
        fields[f"field-{n}"]["knots"].append(line)
        fields[f"field-{n + 1}"]["knots"].append(line)
    position = game(4, layout={"crossings": crossings, "fields": fields, "outer": "field-0"})
    board = lines(position)
    assert len(board) == 16
    assert max(map(cell_len, board)) <= 78
    shown = sum(line.startswith("field-") for line in board)
    assert any(f"and {60 - shown} more lines of fields" in line for line in board)
    seen = words(svg(position))
    assert all(name in seen for name in fields)


def test_colours_are_told_apart_without_their_colour() -> None:
    """Demons by their shape, cords by their twist and by their knots."""
    colours = [colour for colour in daemonen._FILL if colour != "white"]
    root = svg(game(2, deal("green green green green", "red red red red"), layout=layout_names()[0]))
    shapes = {
        colour: {path.get("d") for path in root.iter(f"{SVG}path") if path.get("fill") == daemonen._FILL[colour]}
        for colour in colours
    }
    assert all(daemonen._BODY[colour] in shapes[colour] for colour in colours)
    assert len({daemonen._BODY[colour] for colour in colours}) == len({*daemonen._TWIST.values()}) == len(colours)
