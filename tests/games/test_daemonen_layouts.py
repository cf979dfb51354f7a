"""Layouts of Dicke Dämonen from drawings: circles, SVG documents, chance; and the gallery that comes with the game."""

from __future__ import annotations

import json
import math
import re
import sys
from importlib import resources
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from positions import layout_data
from sample import each, sample
from tablier import layouts
from tablier.extras import command_to_add
from tablier.games.daemonen.layout import LayoutError, layout_names, named_layout, parse_layout
from tablier.games.daemonen.planar import Crossing, Loop, faces, middle, plan_of
from tablier.layouts import (
    check,
    dumps,
    layout_from_circles,
    layout_from_loops,
    layout_from_svg,
    random_layout,
)

LINES = ("red", "blue", "green", "yellow")
GALLERY = layout_names()


def loops_of(data: dict[str, Any]) -> dict[str, Loop]:
    shape = data["geometry"]
    if "circles" in shape:
        return {line: Loop.circle(**circle) for line, circle in shape["circles"].items()}
    return {
        line: Loop(tuple(map(tuple, loop["points"])), tuple(loop["knot_xy"])) for line, loop in shape["loops"].items()
    }


def assert_isomorphic(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The layouts are the same up to the names of fields and crossings, and their crossings lie at the same places.

    The places give the pairs of crossings: then colours, fields and knots must agree.
    """
    there = other["geometry"]["crossing_xy"]
    assert len(one["crossings"]) == len(there)
    pairs = {
        name: min(there, key=lambda crossing: math.dist(there[crossing], xy))
        for name, xy in one["geometry"]["crossing_xy"].items()
    }
    assert len(set(pairs.values())) == len(pairs)
    for name, twin in pairs.items():
        assert math.dist(one["geometry"]["crossing_xy"][name], there[twin]) < 0.02
        assert set(one["crossings"][name]) == set(other["crossings"][twin])

    def fields(data: dict[str, Any], names: dict[str, str]) -> list[Any]:
        return sorted(
            (name == data["outer"], sorted(names[c] for c in field["corners"]), sorted(field["knots"]))
            for name, field in data["fields"].items()
        )

    assert fields(one, pairs) == fields(other, {name: name for name in there})


# -- the gallery ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ring", "chain", "tangle"])
def test_the_layouts_of_the_rulings_come_out_of_their_own_circles(name: str) -> None:
    data = layout_data(name)
    made = layout_from_circles(data["geometry"]["circles"], name)
    assert_isomorphic(made, data)
    assert made["geometry"]["circles"] == data["geometry"]["circles"]


@pytest.mark.parametrize("name", [name for name in GALLERY if name not in ("ring", "chain", "tangle")])
def test_the_other_layouts_are_what_their_loops_make(name: str) -> None:
    data = layout_data(name)
    assert layout_from_loops(loops_of(data), name) == data
    text = (resources.files("tablier.games.daemonen") / "layouts" / f"{name}.json").read_text(encoding="utf-8")
    assert dumps(data) == text


def test_the_gallery_has_eight_layouts_or_more_that_are_sound_and_can_be_drawn() -> None:
    assert len(GALLERY) >= 8
    seen = set()
    for name in GALLERY:
        data = layout_data(name)
        assert check(loops_of(data)) == []
        drawing = plan_of(named_layout(name))
        assert drawing is not None
        assert len(data["fields"]) == len(data["crossings"]) + 2  # Euler, for loops that hang together
        for field, content in data["fields"].items():
            assert set(drawing.corners[field]) == set(content["corners"])
        seen.add(
            json.dumps(sorted(map(len, (f["corners"] for f in data["fields"].values())))) + str(len(data["crossings"]))
        )
    assert len(seen) >= 5  # they differ


def test_a_layout_without_drawing_or_with_a_bad_one_cannot_be_drawn() -> None:
    data = layout_data("ring")
    shape = data.pop("geometry")
    assert plan_of(parse_layout(data)) is None
    assert plan_of(parse_layout({**data, "geometry": shape})) is not None
    other = layout_data("tangle")["geometry"]
    without_place = {**shape, "crossing_xy": {k: v for k, v in shape["crossing_xy"].items() if k != "a"}}
    flat = {"red": {"points": [[0, 0], [0, 1], [0, 2]], "knot_xy": [0, 0]}}
    bad: list[Any] = [None, 3, "circles", [], {}, {"circles": {}}, {"circles": None}, other, without_place]
    bad += [{**shape, "crossing_xy": []}, {"loops": {}, "crossing_xy": shape["crossing_xy"]}]
    bad += [{"loops": dict.fromkeys(LINES, flat["red"]), "crossing_xy": shape["crossing_xy"]}]
    for number in (math.nan, math.inf, 1e300, "3", None, True, 0, -1, 1e-9):
        bad.append({**shape, "circles": {**shape["circles"], "red": {**shape["circles"]["red"], "r": number}}})
    for geometry_ in bad:
        assert plan_of(parse_layout({**data, "geometry": geometry_})) is None


# -- the check -----------------------------------------------------------------------------------------------


def circles(**changes: tuple[float, float, float, float]) -> dict[str, Loop]:
    """The loops of the ring, with changes."""
    return loops_of(layout_data("ring")) | {line: Loop.circle(*circle) for line, circle in changes.items()}


def polygon(*points: tuple[float, float], knot: tuple[float, float] | None = None) -> Loop:
    return Loop(points, knot or points[0])


def ring_but(**changes: Any) -> dict[str, Loop]:
    return {line: loop for line, loop in (circles() | changes).items() if loop}


SQUARE = [(-1.0, 2.0), (7.0, 2.0), (7.0, 4.0), (-1.0, 4.0)]


@pytest.mark.parametrize(
    ("loops", "faults"),
    [
        (ring_but(red=None), ["there is no red loop"]),
        ({}, [f"there is no {line} loop" for line in LINES]),
        (ring_but(red=polygon((0, 0), (3, 3))), ["the red loop at (0, 0) has fewer than three different points"]),
        (ring_but(red=polygon((0, 0), (3, 3), (math.nan, 2))), ["the red loop has a coordinate that is not a number"]),
        # A figure of eight, and one that touches itself.
        (
            ring_but(red=polygon((-3, -2), (4, 2), (4, -2), (-3, 3))),
            ["the red loop crosses or touches itself at (0.8889, 0.2222)"],
        ),
        # Away from all others, and across one alone.
        (ring_but(red=Loop.circle(-20, 0, 3, 0)), ["the red loop around (-20, 0) crosses no other; it must cross"]),
        (ring_but(red=Loop.circle(6, -3, 2, 0)), ["the red loop around (6, -3) crosses only blue; it must cross"]),
        # Touching from outside, from inside, and not quite.
        (ring_but(red=Loop.circle(5.1, -4.8, 2, 0)), ["the loops red and blue touch near (5.1, -2.8)"]),
        (ring_but(red=Loop.circle(5.1, -1.3, 1.5, 0)), ["the loops red and blue touch near (5.1, -2.8)"]),
        (ring_but(red=Loop.circle(5.1, -4.81, 2, 0)), ["the loops red and blue touch near (5.1, -2.8"]),
        # Along each other.
        (ring_but(red=Loop.circle(5.1, 0.2, 3, 0)), ["the loops red and blue run together near"]),
        (
            {
                "red": polygon(*SQUARE, knot=(-1, 3)),
                "blue": polygon((1, 2), (3, 2), (3, 6), (1, 6), knot=(2, 6)),
                "green": polygon((2, 1), (6, 1), (6, 5), (2, 5), knot=(5, 1)),
                "yellow": polygon((4, 3), (8, 3), (8, 7), (4, 7), knot=(8, 6)),
            },
            ["the loops red and blue run together near (2, 2)"],
        ),
        # Three through one point: the first crossing of red and yellow lies on blue.
        (
            ring_but(blue=Loop.circle(1.629 + 3, 2.519, 3, 270)),
            ["the loops red, blue, yellow go through one point near (1.6"],
        ),
        # Knots.
        (
            ring_but(red=Loop(Loop.circle(0, 0, 3, 0).points, (0.0, 0.0))),
            ["the red knot at (0, 0) does not lie on the red loop"],
        ),
        (
            ring_but(red=Loop(Loop.circle(0, 0, 3, 0).points, (2.488, 1.676))),
            ["the red knot at (2.488, 1.676) lies on the crossing of red and blue"],
        ),
    ],
)
def test_each_fault_is_named_with_its_place(loops: dict[str, Loop], faults: list[str]) -> None:
    found = list(map(str, check(loops)))
    for fault in faults:
        assert any(line.startswith(fault) for line in found), found
    with pytest.raises(LayoutError):
        layout_from_loops(loops)


def test_sound_drawings_have_no_fault_and_polygons_are_drawings_too() -> None:
    assert check(circles()) == []
    boxes = {
        "red": polygon((0, 0), (4, 0), (4, 4), (0, 4), knot=(0, 1)),
        "blue": polygon((3, 1), (7, 1), (7, 5), (3, 5), knot=(7, 1)),
        "green": polygon((2, 3), (6, 3), (6, 7), (2, 7), knot=(6, 6)),
        "yellow": polygon((-1, 2), (1, 2), (1, 6), (5, 6), (5, 8), (-1, 8), knot=(-1, 8)),
    }
    assert check(boxes) == []
    layout = layout_from_loops(boxes)
    assert layout["fields"]["outer"]["knots"] == ["red", "blue", "green", "yellow"]
    assert len(layout["crossings"]) == 10


def test_all_faults_are_found_at_once() -> None:
    loops = ring_but(
        red=Loop(Loop.circle(-20, 0, 3, 0).points, (0.0, 0.0)),
        blue=polygon((3, -2), (10, 2), (10, -2), (3, 3)),
        green=None,
    )
    faults = " ".join(map(str, check(loops)))
    for part in ("no green loop", "blue loop crosses or touches itself", "red knot at (0, 0) does not lie"):
        assert part in faults


@settings(max_examples=sample(6, 15))
@given(
    st.lists(
        st.tuples(st.floats(-3, 3), st.floats(-3, 3), st.floats(1, 4), st.floats(-180, 180)), min_size=4, max_size=4
    )
)
# Two circles set out from their crossing at a small angle, and one bends away long before the other meets anything.
@example(
    [
        (-0.618, -0.046, 1.3, -112.8),
        (-2.668, 0.585, 3.667, -102.0),
        (-2.792, 1.224, 3.445, 167.1),
        (-2.704, 3.132, 2.84, 40.8),
    ]
)
@example(
    [
        (1.555, 0.531, 3.18, 127.3),
        (2.55, 1.994, 1.638, 21.3),
        (-0.252, -0.817, 2.901, 11.2),
        (2.378, -0.11, 3.932, 42.8),
    ]
)
def test_what_passes_the_check_is_a_layout(shapes: list[tuple[float, float, float, float]]) -> None:
    loops = {line: Loop.circle(*shape) for line, shape in zip(LINES, shapes, strict=True)}
    named = {
        line: dict(zip(("x", "y", "r", "knot_deg"), shape, strict=True))
        for line, shape in zip(LINES, shapes, strict=True)
    }
    if faults := check(loops):
        with pytest.raises(LayoutError) as caught:
            layout_from_circles(named)
        assert caught.value.faults == tuple(faults)
        return
    data = layout_from_circles(named)
    assert parse_layout(data)
    assert len(data["fields"]) == len(data["crossings"]) + 2
    assert plan_of(parse_layout(json.loads(dumps(data)))) is not None


# -- from SVG documents --------------------------------------------------------------------------------------


def svg(*shapes: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{"".join(shapes)}</svg>'


RED = '<circle cx="35" cy="65" r="20" fill="none" stroke="red"/>'
BLUE = '<path id="blue-loop" d="M45 65 a20 20 0 1 0 40 0 a20 20 0 1 0 -40 0 Z" fill="none" stroke="#333"/>'
GREEN = '<ellipse cx="65" cy="35" rx="21" ry="19" fill="none" stroke="#2a8a2a"/>'
YELLOW = '<path class="cord yellow" d="M15 35 C15 5 55 5 55 35 S15 65 15 35 Z" transform="translate(1 2)"/>'
KNOTS = [
    '<circle cx="15" cy="65" r="2"/>',
    '<rect x="84" y="64" width="2" height="2"/>',
    '<circle cx="65" cy="16" r="1.5" fill="green"/>',
    '<path class="knot" d="M15 36 h2 v2 h-2 z"/>',
]
SOUND = [RED, BLUE, GREEN, YELLOW, *KNOTS]


def test_a_layout_comes_from_an_svg_drawing() -> None:
    ground = (
        '<rect width="100" height="100" fill="#eee"/><text x="2" y="9">a drawing</text><circle r="3" cx="92" cy="92"/>'
    )
    layout = layout_from_svg(svg(ground, *SOUND), "mine")
    assert layout["name"] == "mine"
    # Red and blue lie below green and yellow: y grows downwards in a drawing and upwards in a layout.
    pairs = [set(pair) for pair in layout["crossings"].values()]
    assert pairs[0] == {"green", "yellow"}
    assert pairs[-1] == {"red", "blue"}
    names = list(layout["crossings"])
    heights = [layout["geometry"]["crossing_xy"][name][1] for name in names]
    assert heights == sorted(heights, reverse=True)
    assert len(layout["crossings"]) == 10
    assert layout["fields"]["outer"]["knots"] == ["red", "blue", "green", "yellow"]
    points = [point for loop in layout["geometry"]["loops"].values() for point in loop["points"]]
    assert max(max(point) for point in points) == pytest.approx(10)
    assert min(min(point) for point in points) == pytest.approx(0)
    assert plan_of(parse_layout(layout)) is not None


@pytest.mark.parametrize("name", each(3, GALLERY))
def test_a_layout_drawn_as_svg_comes_back(name: str) -> None:
    data = layout_data(name)
    shapes = []
    for line, loop in loops_of(data).items():
        points = " ".join(f"{x:.4f},{-y:.4f}" for x, y in loop.points)
        shapes.append(f'<polygon class="{line}" points="{points}"/>')
        shapes.append(f'<circle class="{line} knot" cx="{loop.knot[0]:.4f}" cy="{-loop.knot[1]:.4f}" r="0.1"/>')
    made = layout_from_svg(svg(*shapes), name)
    corners = [point for loop in loops_of(data).values() for point in loop.points]
    left, low = min(x for x, _ in corners), min(y for _, y in corners)
    size = max(max(x for x, _ in corners) - left, max(y for _, y in corners) - low)
    for xy in (places := data["geometry"]["crossing_xy"]).values():
        xy[:] = [(xy[0] - left) * 10 / size, (xy[1] - low) * 10 / size]
    assert places
    assert_isomorphic(made, data)


@pytest.mark.parametrize(
    ("shapes", "faults"),
    [
        ([], ["there is no red loop", "there is no blue loop", "there is no green loop", "there is no yellow loop"]),
        ([*SOUND, RED], ["there are two red loops, around (35, 65) and (35, 65)"]),
        ([*SOUND, '<circle cx="35" cy="85" r="2"/>'], ["the red loop has two knots, at (15, 65) and (35, 85)"]),
        (
            [*SOUND[1:], '<path stroke="red" fill="none" d="M15 65 A20 20 0 1 1 35 85"/>'],
            ["the red loop is not closed: its ends are at (15, 65) and (35, 85)"],
        ),
    ],
)
def test_faults_of_an_svg_drawing(shapes: list[str], faults: list[str]) -> None:
    with pytest.raises(LayoutError) as caught:
        layout_from_svg(svg(*shapes))
    for fault in faults:
        assert fault in map(str, caught.value.faults)


@pytest.mark.parametrize("text", ["", "nothing", "<svg", "<html><body/></html>", '{"crossings": {}}'])
def test_what_is_no_svg_document(text: str) -> None:
    with pytest.raises(LayoutError):
        layout_from_svg(text)


@pytest.mark.parametrize(
    ("paint", "colour"),
    [
        ("red", "red"),
        ("crimson", "red"),
        ("#cc9900", "yellow"),
        ("darkgreen", "green"),
        ("deepskyblue", "blue"),
        ("#888", None),
        ("purple", None),
    ],
)
def test_paints_name_colours(paint: str, colour: str | None) -> None:
    shape = f'<circle cx="35" cy="65" r="20" fill="none" stroke="{paint}"/>'
    others = [
        f'<circle cx="{n}" cy="500" r="20" fill="none" id="{line}"/>' for n, line in enumerate(LINES) if line != colour
    ]
    with pytest.raises(LayoutError) as caught:
        layout_from_svg(svg(shape, *others))
    assert [fault for fault in map(str, caught.value.faults) if fault.startswith("there")] == []


# -- by chance -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", sample([0, 12], [0, 4, 12]))
def test_a_random_layout_is_sound_and_always_the_same(seed: int) -> None:
    data = random_layout(seed)
    assert data == random_layout(seed)
    layout = parse_layout(data)
    assert layout.name == f"random-{seed}"
    assert check(loops_of(data)) == []
    drawing = plan_of(layout)
    assert drawing is not None
    inner = [outline for name, outline in drawing.outlines.items() if name != "outer"]
    assert all(middle(outline)[1] > 0.25 for outline in inner)  # of 10: nothing is too narrow
    if seed:
        other = random_layout(0)
        assert data["crossings"] != other["crossings"] or data["geometry"] != other["geometry"]


# -- small parts ---------------------------------------------------------------------------------------------


def test_fields_tell_their_corners_knots_and_directions() -> None:
    found = faces(circles(), {
        name: Crossing(tuple(lines), tuple(layout_data("ring")["geometry"]["crossing_xy"][name]))
        for name, lines in layout_data("ring")["crossings"].items()
    })  # fmt: skip
    lens = next(face for face in found if {corner.crossing for corner in face.corners} == {"a", "b"})
    assert (lens.knots, lens.outer) == ((), False)
    directions = {corner.crossing: corner.direction % math.tau for corner in lens.corners}
    assert directions["a"] == pytest.approx(3 * math.pi / 2, abs=0.2)  # a lies above b: down, and up
    assert directions["b"] == pytest.approx(math.pi / 2, abs=0.2)
    for name in layout_data("ring")["crossings"]:
        widths = [corner.width for face in found for corner in face.corners if corner.crossing == name]
        assert sum(widths) == pytest.approx(math.tau)
    assert [face.outer for face in found].count(True) == 1


def test_the_middle_keeps_off_the_outline_and_what_is_to_be_avoided() -> None:
    box = [(0.0, 0.0), (6.0, 0.0), (6.0, 2.0), (0.0, 2.0)]
    at, room = middle(box)
    assert 0.8 <= at[1] <= 1.2 and room == pytest.approx(1, abs=0.2)
    at, _ = middle(box, [(x / 10, 1.0) for x in range(45)])
    assert at[0] > 4.4


@pytest.mark.parametrize("package", ["shapely", "svgelements"])
def test_a_missing_package_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(layouts.MissingPackage, match=re.escape(command_to_add("layout"))):
        layout_from_svg(svg(*SOUND))
