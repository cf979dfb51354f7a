"""The pictures of Dicke Dämonen: they fit, they are sound, moves can be read off them, and they tell no secret."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len
from rich.console import Console

from positions import layout_data, then
from sample import each, sample
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.games.core.drawing import CANVAS, Canvas, stroke_of
from tablier.games.daemonen import drawing as daemonen
from tablier.games.daemonen.layout import layout_names
from tablier.games.daemonen.planar import plan_of
from tablier.games.daemonen.rules import Daemonen
from tablier.games.daemonen.terminal import Map, Spot, map_of
from tablier.languages import find_language
from tablier.texts import ENGLISH, reading

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
STRANGE = ["<&>\"'", "a\nb\x1b[31m\x00\ud800", "x" * 500, "漢字" * 30]
COLOURS = ("white", "red", "blue", "green", "yellow")
LARGE = Canvas(columns=118, lines=36)
SVG = "{http://www.w3.org/2000/svg}"


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
    return [word.strip() for element in root.iter(f"{SVG}text") for word in element.itertext() if word.strip()]


def lines(
    position: Position[Any], seat: int | None = None, names: list[str] = NAMES, canvas: Canvas = CANVAS
) -> list[str]:
    view = position.rules.view(position.state, seat)
    plain: str = daemonen.DRAWING.board(position.rules, view, names[: position.rules.seats], canvas).plain
    return plain.split("\n")


def chart(position: Position[Any], canvas: Canvas = CANVAS) -> tuple[Map, Callable[[Spot], str]]:
    """The map of a layout, and what stands in cells of it on the board."""
    columns = canvas.columns - daemonen._PANEL_COLUMNS - 1
    rules = position.rules
    assert isinstance(rules, Daemonen)
    found = map_of(rules.layout, columns, canvas.lines - 1, ascii=canvas.ascii)
    assert found is not None
    board = lines(position, canvas=canvas)[1:]
    return found, lambda spot: board[spot.line][spot.column : spot.column + spot.width]


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


@pytest.mark.parametrize("names", sample([STRANGE], [NAMES, STRANGE]))
@pytest.mark.parametrize("seats", each(2, [4, 3, 2, 1]))
def test_every_position_has_a_sound_picture_that_fits(seats: int, names: list[str]) -> None:
    for position, seat in some_positions(seats):
        for canvas in (CANVAS, LARGE):
            board = lines(position, seat, names, canvas)
            assert len(board) <= canvas.lines
            assert max(map(cell_len, board)) <= canvas.columns
        root = svg(position, seat, names)
        numbers = [
            float(n) for e in root.iter() for n in re.findall(r"-?[\d.]+", e.get("x", "") + " " + e.get("cx", ""))
        ]
        assert all(-20 <= number <= 1000 for number in numbers)


@pytest.mark.parametrize("name", each(3, layout_names()))
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
    for field, content in data["fields"].items() if not drawn else ():
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
    if drawn:
        found, at = chart(position)
        demons = {corner: at(spot) for corner, spot in found.corners.items() if at(spot) in (" R", " B", " G", " Y")}
        assert demons == {("f9", "e"): " R", ("f8", "c"): " G"}
        assert at(found.labels["f9"]) == "Wf9 5R" and at(found.labels["f8"]) == " f8 5G"
        free = at(found.corners["f9", "g"])
        assert not free.isalpha(), "what can no longer be placed there is left out"
        return
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

    def anne(position: Position[Any], seat: int) -> str:
        return next(line for line in lines(position, seat)[1:] if " Anne " in line)

    assert anne(one, 1).endswith("W R R B")
    assert anne(two, 2).endswith("? ? ? ?")
    table = game(2, deal("white red red blue", "red red green green"), layout=without_geometry("ring"))
    assert "fist: white red red blue" in "\n".join(lines(table, 1))
    assert "fist of 4" in "\n".join(lines(table, 2))


def test_the_status_says_what_is_due() -> None:
    position = game(2)
    said = [lines(position)[0]]
    for moves in (
        deal("white red red blue", "red red green green"),
        "p1 place white f5",
        "p1 predict red",
        "table draw p1 green",
    ):
        then(position, *moves.split(";"))
        said.append(lines(position)[0])
    assert [line.removeprefix("Dicke Dämonen  ") for line in said] == [
        "Anne draws four creatures",
        "Anne places a creature",
        "Anne may predict, or passes",
        "Anne draws a creature",
        "Bernard places a creature",
    ]
    assert "predicts" in words(svg(position))
    assert next(line for line in lines(position)[1:] if " Anne " in line).endswith("→R")


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
        marked = [name for name in NAMES[:seats] if any(f"★ {name} " in line for line in lines(position))]
        assert marked == [NAMES[seat - 1] for seat in winners]
        score = position.rules.scores(position.state)[0]
        lost = "Everybody loses" if seats > 1 else "Lost"
        won = " win" if seats > 1 else f"Won with {score} points"
        assert (won if winners else lost) in status
        seen.add(bool(winners))
        assert any(status.removeprefix("Dicke Dämonen  ").startswith(word) for word in words(svg(position)))
        if seen == {True, False} and seed >= sample(5, 29):
            break
    assert seen == {True, False}


@pytest.mark.parametrize("name", sample(["tangle", "weave"], layout_names()))
@pytest.mark.parametrize("canvas", each(2, [CANVAS, Canvas(ascii=True), Canvas(columns=78, lines=26), LARGE]))
def test_the_map_has_a_place_for_everything_that_a_move_names(name: str, canvas: Canvas) -> None:
    position, data = game(2, layout=name), layout_data(name)
    found, at = chart(position, canvas)
    board = "\n".join(lines(position, canvas=canvas))
    for crossing in data["crossings"]:
        assert at(found.crossings[crossing]) == (f"({crossing})" if canvas.ascii else crossing)
    for field, content in data["fields"].items():
        points = len(content["corners"]) + len(content["knots"])
        assert f"{field} {points}" in board
        if field not in found.labels:
            assert f"{field} {points} at {' '.join(content['corners'])}" in board, "no room for its name"
        for crossing in content["corners"]:
            initials = "".join(line[0] for line in data["crossings"][crossing])
            spot, centre = found.corners[field, crossing], found.crossings[crossing]
            assert at(spot) in (initials, "o" if canvas.ascii else "○")
            assert abs(spot.line - centre.line) <= 4 and abs(spot.middle[1] - centre.middle[1]) <= 12
            assert all(cell in found.areas[field] for cell in spot.cells)
    taken = [*found.crossings.values(), *found.corners.values(), *found.labels.values()]
    cells = [cell for spot in taken for cell in spot.cells] + [*found.knots.values()]
    assert len(cells) == len(set(cells)), "nothing stands on something else"
    assert board.isascii() or not canvas.ascii or ("ä" in board and board.replace("ä", "").isascii())
    if canvas is LARGE:
        assert sum(spot.width == 1 for spot in found.corners.values()) <= 1


@pytest.mark.parametrize("name", each(3, layout_names()))
def test_a_cord_leads_from_crossing_to_crossing_along_fields(name: str) -> None:
    layout = game(layout=name).rules.layout  # type: ignore[attr-defined]
    plan = plan_of(layout)
    assert plan is not None
    for crossing, colours in layout.crossings:
        assert sorted(colours) == sorted(colour for colour, along in plan.cords.items() if crossing in along)
    corners = [set(names) for _, names, _ in layout.fields]
    for along in plan.cords.values():
        for pair in zip(along, (*along[1:], along[0]), strict=True):
            assert sum(set(pair) <= around for around in corners) >= 2, "a field on each side of the cord"


def test_what_follows_what_stands_beside_a_tangled_map_that_leaves_room_for_it() -> None:
    def panel(layout: str, lines: int, seats: int = 2, columns: int = 78) -> list[str]:
        canvas = Canvas(columns=columns, lines=lines)
        position = game(seats, layout=layout)
        drawn = daemonen.text(position.rules, position.rules.view(position.state, None), NAMES[:seats], canvas)
        return [line[columns - 24 :].rstrip() for line in drawn.plain.splitlines()]

    roomy = panel("weave", 16)
    assert {"r cbadeghf  b gadelmoj", "g kijlmopn  y fcbhipnk", "r ab: b follows a on red"} <= set(roomy)
    assert not any(line.startswith("r cb") or "follows" in line for line in panel("weave", 16, 4))
    assert not any("follows" in line for line in panel("ring", 36, columns=118)), "it is not tangled"


def test_long_names_are_cut_and_leave_the_map_whole() -> None:
    data = json.loads(
        json.dumps(layout_data("ring")).replace('"a"', '"crossing-of-two"').replace('"f1"', '"the-largest-field"')
    )
    board = lines(game(2, layout=data))
    assert len(board) <= 16 and max(map(cell_len, board)) <= 78
    assert any("crossing-of-two" in line for line in board) and any("the-largest-field 5" in line for line in board)


def test_cords_have_their_initials_and_knots_their_shapes() -> None:
    found, at = chart(game(2))
    for line, cell in found.knots.items():
        assert at(Spot(*cell, 1)) == {"red": "●", "blue": "■", "green": "▲", "yellow": "◆"}[line]
        assert found.cords[cell] == line
    for colour in COLOURS[1:]:
        letters = [cell for cell, line in found.letters.items() if line == colour]
        assert letters and all(at(Spot(*cell, 1)) == colour[0] for cell in letters)


def test_letters_and_the_outer_field_are_those_of_the_readers_language() -> None:
    english = "\n".join(lines(game(2)))
    with reading(find_language("fr") or ENGLISH):
        french = "\n".join(lines(game(2)))
    assert {"W  white", "G  green", "outer ", "ry", "gy"} <= set(re.findall(r"[A-Z]  [a-z]+|outer |ry|gy", english))
    assert {"F  blanc", "V  vert", "ext ", "rj", "vj"} <= set(re.findall(r"[A-Z]  [a-z]+|ext |[a-z]j", french))
    assert not re.search("outer|ry|gy", french) and "\n".join(lines(game(2))) == english
    assert list(map(len, french.splitlines()[1:12])) == list(map(len, english.splitlines()[1:12]))


@pytest.mark.parametrize("canvas", [Canvas(ascii=True), Canvas(columns=78, lines=34, ascii=True)])
def test_cords_in_ascii_are_strokes_and_letters_of_corners_stand_apart_from_them(canvas: Canvas) -> None:
    found, at = chart(game(2), canvas)
    elsewhere = [*found.crossings.values(), *found.corners.values(), *found.labels.values()]
    taken = {cell for spot in elsewhere for cell in spot.cells} | {*found.knots.values()}
    drawn = {cell: at(Spot(*cell, 1)) for cell in found.cords if cell not in taken}
    initials = {cell: sign for cell, sign in drawn.items() if sign.isalpha()}
    assert initials == {cell: line[0] for cell, line in found.letters.items()}
    assert {*drawn.values()} - {*initials.values()} <= {*"-|/\\ "}
    assert not any({(y, x - 1), (y, x + 1)} & taken for y, x in initials), "no corner's letters beside them"


@pytest.mark.parametrize(
    ("dots", "stroke"),
    [("⠒", "-"), ("⠤", "-"), ("⡇", "|"), ("⢸", "|"), ("⠣", "\\"), ("⡠", "-"), ("⡜", "/"), ("⠁", "."), ("⣿", "|")],
)
def test_a_stroke_runs_like_its_dots(dots: str, stroke: str) -> None:
    assert stroke_of(dots) == stroke


def test_the_last_creature_and_what_is_lit_are_marked() -> None:
    moves = deal("white red red blue", "red red green green") + ";p1 place red f9:e"
    position = game(2, moves)
    found, at = chart(position, Canvas(last=position.lately()[0], lit=["f8:c", "field f1", "f8"]))
    assert at(found.corners["f9", "e"]) == "▸R"
    assert at(found.labels["f1"]).startswith("◇f1") and at(found.labels["f8"]).startswith("◇f8")
    view = position.rules.view(position.state, None)
    drawn = daemonen.DRAWING.board(position.rules, view, NAMES[:2], Canvas(lit=["f8:c"]))
    spot = found.corners["f8", "c"]
    start = sum(len(line) + 1 for line in lines(position)[: spot.line + 1]) + spot.column
    assert all("reverse" in str(drawn.get_style_at_offset(Console(), start + n)) for n in range(2))
    position = game(2, moves.replace("red f9:e", "white f9"))
    found, at = chart(position, Canvas(last=position.lately()[0]))
    assert at(found.labels["f9"]) == "Wf9▸5 "


def test_a_map_is_drawn_at_once() -> None:
    """Screens draw at each key: only the first time may take longer."""
    position = game(4, deal(*["white red red blue"] * 4), layout="weave")
    lines(position, canvas=LARGE)
    begun = time.process_time()
    for _ in range(5):
        lines(position, canvas=LARGE)
    assert (time.process_time() - begun) / 5 < 0.1  # 20 ms on a quiet computer


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
