"""The schematics show the wiring: what is joined on a sheet is joined in the nets, and what leaves it has its name."""

from __future__ import annotations

import copy
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hardware.boards import model
from shapely import STRtree, affinity
from shapely.geometry import LineString, box

from hardware import nets, schematic

WIRING = nets.Wiring(nets.read())
SHEETS = schematic.read()
SVG = "{http://www.w3.org/2000/svg}"
LOOSE = model.read()["loose"]


@cache
def drawn(name: str) -> ET.Element:
    return ET.fromstring(schematic.draw(name, SHEETS, WIRING))


@cache
def shown(name: str) -> schematic.Schematic:
    return schematic.Schematic(name, SHEETS, WIRING)


def elements(name: str, kind: str, style: str) -> list[ET.Element]:
    return [it for it in drawn(name).iter(f"{SVG}{kind}") if it.get("class") == style]


def points(polyline: ET.Element) -> list[tuple[float, float]]:
    pairs = (pair.split(",") for pair in polyline.attrib["points"].split())
    return [(float(x) / schematic.SQUARE, float(y) / schematic.SQUARE) for x, y in pairs]


def cells(path: list[tuple[float, float]]) -> list[tuple[int, int]]:
    """The squares through which a wire runs, bends and ends included."""
    found = [path[0]]
    for (x, y), (to_x, to_y) in pairwise(path):
        steps = round(max(abs(to_x - x), abs(to_y - y)))
        found += [(x + (to_x - x) * n / steps, y + (to_y - y) * n / steps) for n in range(1, steps + 1)]
    return [(round(x), round(y)) for x, y in found]


@cache
def joined(name: str) -> list[set[nets.Pin]]:
    """Groups of legs that wires join, as an eye would follow them: at ends and dots, not at crossings."""
    wires = []
    for polyline in elements(name, "polyline", "wire-line"):
        path = points(polyline)
        if path[0] == path[-1]:
            continue  # The tag of a name.
        wires.append((cells(path), path))
    ends = defaultdict(set)
    for number, (_, path) in enumerate(wires):
        for end in (path[0], path[-1]):
            ends[round(end[0]), round(end[1])].add(number)
    dots = {
        (round(float(dot.attrib["cx"]) / schematic.SQUARE), round(float(dot.attrib["cy"]) / schematic.SQUARE))
        for dot in elements(name, "circle", "dot")
    }
    parent = list(range(len(wires)))

    def root(number: int) -> int:
        while parent[number] != number:
            number = parent[number]
        return number

    runs = defaultdict(set)
    for number, (through, _) in enumerate(wires):
        for cell in through:
            runs[cell].add(number)
    for cell, numbers in runs.items():
        together = numbers if cell in dots else ends[cell]
        for other in together:
            parent[root(min(together))] = root(other)
    groups = defaultdict(set)
    for symbol in shown(name).drawing.symbols:
        for leg in symbol.legs:
            for number in ends[leg.at]:
                groups[root(number)].add(leg.pin)
    return list(groups.values())


def names(name: str) -> set[str]:
    """The names on a sheet's tags and rails."""
    return {"".join(it.itertext()) for style in ("net", "railname") for it in elements(name, "text", style)}


def test_each_pin_is_on_one_sheet() -> None:
    assert schematic.faults(SHEETS, WIRING, LOOSE) == []


def test_a_part_left_out_is_noticed() -> None:
    sheets = copy.deepcopy(SHEETS)
    sheets["latch"]["parts"] = sheets["latch"]["parts"].replace("R24 16 30 u west", "")
    assert schematic.faults(sheets, WIRING, LOOSE) == ["pin 1 of R24 is on no sheet", "pin 2 of R24 is on no sheet"]


@pytest.mark.parametrize("name", SHEETS)
def test_what_a_sheet_joins_is_one_net(name: str) -> None:
    """Each group of legs that wires join is one net, whole as far as the sheet shows it."""
    sheet = shown(name)
    for group in joined(name):
        found = {id(WIRING.net(*pin)) for pin in group}
        assert len(found) == 1, group
        net = WIRING.net(*next(iter(group)))
        assert group == net.pins & sheet.drawing.pins


@pytest.mark.parametrize("name", SHEETS)
def test_every_net_is_drawn_or_named(name: str) -> None:
    """A leg that no wire joins carries the name of its net, or is crossed out."""
    sheet = shown(name)
    wired = set().union(*joined(name))
    named = names(name) | {"GND"}
    for pin in sheet.drawing.pins - wired:
        net = WIRING.net(*pin)
        if len(net.pins) + len(net.names) > 1 and sheet.leaves(net):
            assert sheet.net_name(net) in named, pin


@pytest.mark.parametrize("name", SHEETS)
def test_every_signal_that_leaves_a_sheet_has_its_name_there(name: str) -> None:
    sheet = shown(name)
    leaving = {sheet.net_name(net) for pin in sheet.drawing.pins if sheet.leaves(net := WIRING.net(*pin))}
    assert leaving - {"GND"} <= names(name)


def test_a_name_left_out_is_refused() -> None:
    sheets = copy.deepcopy(SHEETS)
    sheets["latch"]["parts"] = sheets["latch"]["parts"].replace("@IMPACT 46 11 r", "")
    with pytest.raises(schematic.Fault, match="IMPACT leaves the sheet"):
        schematic.draw("latch", sheets, WIRING)


HEIGHTS = {"name": 10, "value": 9, "pin": 7}


def lettered(name: str) -> Iterator[tuple[str, str, tuple[float, float, float, float]]]:
    """Yield the texts at parts, their class, and roughly the boxes that they fill, in pixels."""
    for text in drawn(name).iter(f"{SVG}text"):
        height = HEIGHTS.get(text.attrib["class"])
        if height is None or text.get("transform"):
            continue
        words = "".join(text.itertext())
        length, x, y = 0.58 * height * len(words), float(text.attrib["x"]), float(text.attrib["y"])
        left = {"start": x, "middle": x - length / 2, "end": x - length}[text.attrib["text-anchor"]]
        yield words, text.attrib["class"], (left, y - 0.72 * height, left + length, y)


@pytest.mark.parametrize("name", SHEETS)
def test_the_cross_of_a_free_leg_covers_no_number(name: str) -> None:
    crosses = [
        [schematic.SQUARE * it for end in path for it in end]
        for path in (points(line) for line in elements(name, "polyline", "part"))
        if len(path) == 2 and abs(path[1][0] - path[0][0]) == pytest.approx(0.7) == abs(path[1][1] - path[0][1])
    ]
    free = [leg for symbol in shown(name).drawing.symbols for leg in symbol.legs if shown(name)._open(leg)]
    assert len(crosses) == 2 * len(free)
    for words, _, (left, top, right, bottom) in lettered(name):
        for x1, y1, x2, y2 in crosses:
            covers = min(x1, x2) < right and max(x1, x2) > left and min(y1, y2) < bottom and max(y1, y2) > top
            assert not covers, words


@pytest.mark.parametrize("name", SHEETS)
def test_no_sheet_is_a_maze(name: str) -> None:
    """On the buttons' wires of different nets crossed 165 times."""
    wires = [path for path in (points(line) for line in elements(name, "polyline", "wire-line")) if path[0] != path[-1]]
    meet = {cell for path in wires for cell in (path[0], path[-1])}
    crossings = set()
    for one, other in combinations([LineString(path) for path in wires], 2):
        met = one.intersection(other)
        crossings |= {(it.x, it.y) for it in getattr(met, "geoms", [met]) if it.geom_type == "Point"} - meet
    assert len(crossings) <= 12


SIZES = {style: float(size) for style, size in re.findall(r"\.([\w-]+)\{font-size:([\d.]+)px", schematic._STYLE)}
BOLD = set(re.findall(r"\.([\w-]+)\{[^}]*bold", schematic._STYLE))


def every_text(name: str) -> Iterator[tuple[str, Any]]:
    """Yield all texts of a sheet and the boxes that they fill, in pixels."""
    for text in drawn(name).iter(f"{SVG}text"):
        words, style, x, y = (
            "".join(text.itertext()),
            text.attrib["class"],
            float(text.attrib["x"]),
            float(text.attrib["y"]),
        )
        size = SIZES[style]
        long = len(words) * size * (0.66 if style in BOLD else 0.58)
        left = {"start": 0.0, "middle": -long / 2, "end": -long}[text.attrib["text-anchor"]]
        shape = box(left, -0.73 * size, left + long, 0)
        if text.get("transform"):
            shape = affinity.rotate(shape, -90, origin=(0, 0))
        yield words, affinity.translate(shape, x, y)


@pytest.mark.parametrize("name", SHEETS)
def test_no_line_runs_through_a_text_and_no_two_texts_overlap(name: str) -> None:
    """Numbers of supply legs stood on their legs, half under the body's edge."""
    lines = STRtree(
        [
            LineString([[schematic.SQUARE * it for it in point] for point in points(line)])
            for line in drawn(name).iter(f"{SVG}polyline")
        ]
    )
    texts = list(every_text(name))
    for words, shape in texts:
        assert words
        assert not len(lines.query(shape.buffer(-0.3), "intersects")), words
    shapes = STRtree([shape for _, shape in texts])
    for one, (words, shape) in enumerate(texts):
        for other in shapes.query(shape):
            assert other == one or shape.intersection(texts[other][1]).area < 2, (words, texts[other][0])
