"""The files to cut by: every piece of ``mechanics.py`` on sheets, as SVG and DXF, and a coupon to try the fit with.

Lines to cut are red (layer CUT), lines and words to draw are blue (layer MARK, layer TEXT). The width of the cut is
allowed for when ``kerf`` says how wide it is: outlines grow and openings shrink by half of it. Most cutting services
do that themselves and want it 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import shapely
from shapely import affinity
from shapely.geometry import LinearRing, Polygon, box
from shapely.ops import unary_union

from hardware.arena import Data
from hardware.mechanics import (
    XY,
    Hole,
    Item,
    Opening,
    Plate,
    Prism,
    Sign,
    World,
    Y,
    arena_world,
    place_world,
    rectangle,
    ring_of,
    worlds,
)
from hardware.plan import CUT, MARK, Drawing, number


@dataclass(frozen=True)
class Placed:
    """A piece on a sheet: where its lower left corner is, and whether it is turned by a quarter."""

    plate: Plate
    x: float
    y: float
    turned: bool

    def point(self, point: XY) -> XY:
        """Return where a point of the piece is on the sheet."""
        left, bottom, _, top = self.plate.shape.bounds
        if self.turned:
            return self.x + top - point[1], self.y + point[0] - left
        return self.x + point[0] - left, self.y + point[1] - bottom


PLACES = 6
WHOLE, REMAINDER, COUPON = "whole", "remainder", "coupon"
"""Kinds of sheets: of the usual size; only as large as the last pieces need; the coupon."""


@dataclass
class Sheet:
    """A sheet and what lies on it."""

    name: str
    size: XY
    pieces: list[Placed]
    kind: str = WHOLE


def _extent(plate: Plate) -> XY:
    left, bottom, right, top = plate.shape.bounds
    return right - left, top - bottom


def nest(name: str, plates: Sequence[Plate], size: XY, gap: float) -> list[Sheet]:
    """Return sheets on which the plates lie side by side; the largest first, each where it fits best.

    Raise ValueError for a piece that is larger than a sheet.
    """
    sheets: list[Sheet] = []
    free: list[list[tuple[float, float, float, float]]] = []
    for plate in sorted(plates, key=lambda it: (-max(_extent(it)), -min(_extent(it)), it.name)):
        width, height = (it + gap for it in _extent(plate))
        best: tuple[float, float, int, float, float, bool] | None = None
        while best is None:
            for index, spaces in enumerate(free):
                for x, y, w, h in spaces:
                    for turned in (False, True):
                        a, b = (height, width) if turned else (width, height)
                        if a <= w + 1e-9 and b <= h + 1e-9:
                            score = (index, min(w - a, h - b))
                            if best is None or (score[0], score[1]) < (best[2], best[0]):
                                best = (score[1], 0.0, index, x, y, turned)
            if best is None:
                if max(width, height) > max(size) - gap or min(width, height) > min(size) - gap:
                    raise ValueError(f"{plate.name} is larger than a sheet of {size[0]:g} × {size[1]:g} mm")
                sheets.append(Sheet(f"{name}-{len(sheets) + 1}", size, []))
                free.append([(gap, gap, size[0] - gap, size[1] - gap)])
        _, _, index, x, y, turned = best
        sheets[index].pieces.append(Placed(plate, x, y, turned))
        used = (x, y, *((height, width) if turned else (width, height)))
        free[index] = _without(free[index], used)
    return sheets


def _without(
    spaces: list[tuple[float, float, float, float]], used: tuple[float, float, float, float]
) -> list[tuple[float, float, float, float]]:
    """Return the largest free rectangles once one is used."""
    ux, uy, uw, uh = used
    cut: list[tuple[float, float, float, float]] = []
    for x, y, w, h in spaces:
        if ux >= x + w or ux + uw <= x or uy >= y + h or uy + uh <= y:
            cut.append((x, y, w, h))
            continue
        cut += [
            (x, y, ux - x, h),
            (ux + uw, y, x + w - ux - uw, h),
            (x, y, w, uy - y),
            (x, uy + uh, w, y + h - uy - uh),
        ]
    cut = [it for it in cut if it[2] > 1 and it[3] > 1]

    def inside(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
        return (
            one[0] >= other[0]
            and one[1] >= other[1]
            and one[0] + one[2] <= other[0] + other[2]
            and one[1] + one[3] <= other[1] + other[3]
        )

    unique = list(dict.fromkeys(cut))
    return [it for it in unique if not any(other != it and inside(it, other) for other in unique)]


def sheets(data: Data) -> list[Sheet]:
    """Return all sheets: arena with its box, six places, and the coupon."""
    size, gap = tuple(data["sheet"]["size"]), data["sheet"]["gap"]
    every = [arena_world(data), *(place_world(data, seat) for seat in range(1, PLACES + 1))]
    plates = [plate for world in every for plate, count in world.pieces().items() for _ in range(count)]
    found = nest("sheet", plates, size, gap)
    _trim(found[-1], gap)
    return [*found, coupon(data)]


def _trim(sheet: Sheet, gap: float) -> None:
    """Make a sheet that is less than half full as small as its pieces allow, in steps of 5 mm."""
    corners = [placed.point(point) for placed in sheet.pieces for point in placed.plate.outline]
    wide, high = (5.0 * math.ceil((max(values) + gap) / 5) for values in zip(*corners, strict=True))
    if wide * high < sheet.size[0] * sheet.size[1] / 2:
        sheet.size, sheet.kind = (wide, high), REMAINDER


SCREWS = (8, 12, 16, 25)
"""Lengths of the screws, under their heads: lay one on the coupon to know it. The four of 6 mm are shorter than all."""
TRIED = 7
"""Sizes of the key's window that are tried, from 12.4 to 13.0 mm."""


def coupon(data: Data) -> Sheet:
    """Return a piece with slots and bores from tight to loose, and a tab to try them with. Cut it first."""
    thick, tiers, place = data["tray"]["sheet"], data["tiers"], data["place"]
    tab = data["tower"]["tab"]
    openings: list[Opening] = []
    signs: list[Sign] = []

    def tried(shape: Opening, at: XY, size: float) -> None:
        openings.append(shape)
        signs.append(Sign(f"{size:.1f}", at, 3.0))

    for index in range(8):
        size = thick - 0.3 + 0.1 * index
        x = -77 + 22 * index
        tried(rectangle(x, 24, tab + data["sheet"]["play"], size), (x, 29.5), size)
    for row, nominal in enumerate((tiers["body"], tiers["flange"], 3.2)):
        for index in range(5):
            x, y, size = -80 + 11 * index, 13 - 14 * row, nominal - 0.2 + 0.1 * index
            tried(Hole(x, y, size), (x, y - 6.2), size)
    for index in range(TRIED):
        size = place["button"] - 0.2 + 0.1 * index
        x, y = -18 + 26 * (index % 4), 10 - 26 * (index // 4)
        tried(rectangle(x, y, size, size), (x, y - 9.5), size)
    gauge: list[Opening] = []
    for row, length in enumerate(SCREWS):
        y = -6 - 7 * row
        gauge.append(rectangle(50 + length / 2, y, length, 3))
        signs.append(Sign(f"× {length:g}", (50 + length + 6, y), 3.0))
    plate = Plate("coupon", rectangle(0, 0, 180, 68), tuple(openings), thick, tuple(gauge), signs=tuple(signs))
    half = tab / 2
    outline = ((-20, 0), (20, 0), (20, 20), (half, 20), (half, 26), (-half, 26), (-half, 20), (-20, 20))
    key = Plate(
        "tab",
        outline,
        (),
        thick,
    )
    return Sheet("coupon", (200, 116), [Placed(plate, 10, 6, False), Placed(key, 10, 82, False)], COUPON)


SCALE = (80.0, 96.0)
"""The start, on the coupon's sheet, of the line of 100 mm that shows whether a cutter has the unit right."""


CAPITAL, LETTER = 0.75, 0.66
"""Of a text's size: how high its capitals are, and how wide a letter is. Texts are set to this width: whichever font a
program or a laser has, they stay within their pieces."""
BELOW = 0.25
"""Of a text's size: how far letters such as p reach below the line."""


@dataclass(frozen=True)
class Words:
    """A text on a piece: where its line begins, in the piece's coordinates, size, and rotation in degrees."""

    text: str
    at: XY
    size: float
    turn: int

    @property
    def length(self) -> float:
        """Return how long it is."""
        return len(self.text) * LETTER * self.size

    @property
    def outline(self) -> Polygon:
        """Return the rectangle that it fills."""
        return box(*self.edges)

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Return the rectangle's left, bottom, right and top."""
        (x, y), high, low = self.at, CAPITAL * self.size, BELOW * self.size
        if self.turn:
            return x - high, y, x + low, y + self.length
        return x, y - low, x + self.length, y + high


def texts(plate: Plate) -> list[Words]:
    """Return all that is engraved on a piece in words: its signs for players, or its name."""
    if not plate.signs:
        return [lettering(plate)]
    found = []
    for sign in plate.signs:
        words = Words(sign.text, (0.0, 0.0), sign.size, 0)
        x, y = sign.at[0] - words.length / 2, sign.at[1] - CAPITAL * sign.size / 2
        found.append(Words(sign.text, (x, y), sign.size, 0))
    return found


@cache
def lettering(plate: Plate) -> Words:
    """Return where a piece carries its name: where it is hidden in the table, as large as it fits between edges and
    openings, low rather than high.

    Raise ValueError for a piece that is too small.
    """
    text = plate.label or plate.name
    shape = plate.shape.intersection(Polygon(plate.hidden)) if plate.hidden else plate.shape
    left, bottom, right, top = shape.bounds
    # A name beside lines that are engraved, not across them.
    lines = [LinearRing(ring_of(mark)).buffer(0.5) for mark in plate.marks]
    room = shape.buffer(-0.6).difference(unary_union(lines))
    shapely.prepare(room)
    columns = np.array(list(_upwards(left, right, 1.0)))
    for size in (3.5, 3.0, 2.5, 2.0, 1.6, 1.3):
        for turn in (0, 90):
            for y in _upwards(bottom, top, 0.1 if top - bottom < 12 else 1.0):
                # In all columns at once.
                near, low, far, high = Words(text, (0.0, y), size, turn).edges
                fits = shapely.contains(room, shapely.box(columns + near, low, columns + far, high))
                if fits.any():
                    return Words(text, (float(columns[fits.argmax()]), y), size, turn)
    raise ValueError(f"there is no room for a name on {plate.name}")


def _upwards(low: float, high: float, step: float) -> Iterator[float]:
    while low < high:
        yield low
        low += step


def text_faults(data: Data) -> list[str]:
    """Return texts that run over an edge or an opening of their piece, or that are hidden though players need them, or
    seen though they are names."""
    found = []
    for plate in {placed.plate for sheet in sheets(data) for placed in sheet.pieces}:
        for words in texts(plate):
            if not plate.shape.buffer(-0.4).contains(words.outline):
                found.append(f"{plate.name}: {words.text!r} runs over an edge")
    for world in worlds(data):
        for item in world.items.values():
            if item.plate:
                for words in texts(item.plate):
                    if item.plate.signs and _covered(item, words, world, any):
                        found.append(f"{item.name}: {words.text!r} is hidden")
                    elif not item.plate.signs and not _covered(item, words, world, all):
                        found.append(f"{item.name}: its name is seen")
    return found


def _covered(item: Item, words: Words, world: World, how: Callable[[Iterable[bool]], bool]) -> bool:
    """Return True when something stands over any or all corners of a text, straight away from the face it is on."""
    (prism,) = item.prisms
    return any(how(_shaded(prism, lay(words.outline), item, world)) for lay in laid(item))


def laid(item: Item) -> list[Callable[[Any], Any]]:
    """Return the ways in which a shape on a piece's engraved face can lie where the piece is, in its prism's plane.

    Raise ValueError for a piece whose engraved face cannot be where it is said to be: the piece would be mirrored.
    """
    plate, (prism,) = item.plate, item.prisms
    assert plate
    # Its coordinates are seen the right way round from the upper end of a prism along x or z, and the lower along y.
    flip = item.face if prism.axis != Y else -item.face
    found: list[Callable[[Any], Any]] = []
    for quarters in range(4):

        def turned(shape: Any, quarters: int = quarters) -> Any:
            return affinity.rotate(affinity.scale(shape, flip, 1, origin=(0, 0)), 90 * quarters, origin=(0, 0))

        there, wanted = turned(plate.shape), prism.shape
        dx, dy = (wanted.bounds[i] - there.bounds[i] for i in (0, 1))

        def lay(shape: Any, turned: Callable[[Any], Any] = turned, dx: float = dx, dy: float = dy) -> Any:
            return affinity.translate(turned(shape), dx, dy)

        if lay(plate.shape).symmetric_difference(wanted).area < 0.5:
            found.append(lay)
    if not found:
        raise ValueError(f"{item.name}: its engraved face is on the other side")
    return found


def _shaded(prism: Prism, spot: Polygon, item: Item, world: World) -> Iterator[bool]:
    """Yield whether each corner of a spot on a piece's engraved face has something before it."""
    far = 400.0
    ends = (prism.high + 0.01, prism.high + far) if item.face > 0 else (prism.low - far, prism.low - 0.01)
    for x, y in list(spot.exterior.coords)[:4]:
        needle = Prism(prism.axis, box(x - 0.05, y - 0.05, x + 0.05, y + 0.05), *ends)
        yield any(it.overlaps(needle) for other in world.items.values() if other is not item for it in other.prisms)


def contours(placed: Placed, kerf: float) -> list[Hole | list[XY]]:
    """Return what is cut of a piece, on the sheet, with half the kerf allowed for: openings first, the outline last."""
    found: list[Hole | list[XY]] = []
    for opening in placed.plate.openings:
        if isinstance(opening, Hole):
            x, y = placed.point((opening.x, opening.y))
            found.append(Hole(x, y, opening.diameter - kerf))
        else:
            found.append(_offset(opening, -kerf / 2, placed))
    found.append(_offset(placed.plate.outline, kerf / 2, placed))
    return found


def _offset(points: Sequence[XY], by: float, placed: Placed) -> list[XY]:
    if by:
        points = list(Polygon(points).buffer(by, join_style="mitre").exterior.coords)[:-1]
    return [placed.point(point) for point in points]


def svg(sheet: Sheet, data: Data) -> str:
    """Return a sheet as SVG, 1:1."""
    kerf = data["sheet"]["kerf"]
    width, height = sheet.size
    drawing = Drawing(width, height, f"{sheet.name}, {data['tray']['sheet']:g} mm sheet, 1:1, kerf {kerf:g} mm")
    for placed in sheet.pieces:
        for mark in placed.plate.marks:
            if isinstance(mark, Hole):
                x, y = placed.point((mark.x, mark.y))
                drawing.circle(x, height - y, mark.diameter, MARK)
            else:
                drawing.path([(x, height - y) for x, y in map(placed.point, mark)], MARK)
        for words in texts(placed.plate):
            x, y = placed.point(words.at)
            turn = words.turn + 90 * placed.turned
            drawing.text(x, height - y, words.text, words.size, anchor="start", turn=turn, length=words.length)
        for contour in contours(placed, kerf):
            if isinstance(contour, Hole):
                drawing.circle(contour.x, height - contour.y, contour.diameter, CUT)
            else:
                drawing.path([(x, height - y) for x, y in contour], CUT)
    if sheet.kind == COUPON:
        drawing.scale(SCALE[0], height - SCALE[1])
    return drawing.dumps()


def dxf(sheet: Sheet, data: Data) -> str:
    """Return a sheet as DXF (release 12, which everything reads), in millimetres."""
    kerf = data["sheet"]["kerf"]
    lines = [(999, f"{sheet.name}: millimetres, kerf {kerf:g}"), (0, "SECTION"), (2, "HEADER"), (9, "$ACADVER")]
    # 4 is the millimetre, 1 the metric system: a reader that knows neither takes the drawing as it is.
    lines += [
        (1, "AC1009"),
        (9, "$INSUNITS"),
        (70, "4"),
        (9, "$MEASUREMENT"),
        (70, "1"),
        (0, "ENDSEC"),
        (0, "SECTION"),
        (2, "TABLES"),
        (0, "TABLE"),
        (2, "LAYER"),
        (70, "3"),
    ]
    for name, colour in (("CUT", 1), ("MARK", 5), ("TEXT", 5)):
        lines += [(0, "LAYER"), (2, name), (70, "0"), (62, str(colour)), (6, "CONTINUOUS")]
    lines += [(0, "ENDTAB"), (0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES")]

    def draw(shape: Hole | Sequence[XY], layer: str) -> None:
        if isinstance(shape, Hole):
            lines.extend([(0, "CIRCLE"), (8, layer), *_at((shape.x, shape.y)), (40, f"{shape.diameter / 2:.4f}")])
            return
        lines.extend([(0, "POLYLINE"), (8, layer), (66, "1"), *_at((0, 0)), (70, "1")])
        for point in shape:
            lines.extend([(0, "VERTEX"), (8, layer), *_at(point)])
        lines.extend([(0, "SEQEND"), (8, layer)])

    def write(at: XY, text: str, height: float, turn: int, length: float) -> None:
        """Write a text that is as long in every font: fitted between two points."""
        angle = math.radians(turn)
        end = at[0] + length * math.cos(angle), at[1] + length * math.sin(angle)
        lines.extend([(0, "TEXT"), (8, "TEXT"), *_at(at), (40, f"{height:g}"), (1, text), (50, str(turn)), (72, "5")])
        lines.extend([(11, f"{end[0]:.4f}"), (21, f"{end[1]:.4f}"), (31, "0")])

    for placed in sheet.pieces:
        for contour in contours(placed, kerf):
            draw(contour, "CUT")
        for mark in placed.plate.marks:
            if isinstance(mark, Hole):
                draw(Hole(*placed.point((mark.x, mark.y)), mark.diameter), "MARK")
            else:
                draw([placed.point(it) for it in mark], "MARK")
        for words in texts(placed.plate):
            turn = words.turn + 90 * placed.turned
            write(placed.point(words.at), words.text, CAPITAL * words.size, turn, words.length)
    if sheet.kind == COUPON:
        for (x1, y1), (x2, y2) in Drawing.scale_lines(*SCALE):
            lines += [(0, "LINE"), (8, "MARK"), *_at((x1, y1)), (11, f"{x2:.4f}"), (21, f"{y2:.4f}"), (31, "0")]
        write((SCALE[0], SCALE[1] - 5), Drawing.SCALE_TEXT, 2.5, 0, 70.0)
    lines += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in lines)


def _at(point: XY) -> list[tuple[int, str]]:
    return [(10, f"{point[0]:.4f}"), (20, f"{point[1]:.4f}"), (30, "0")]


def metres(sheet: Sheet) -> float:
    """Return how far the cutter travels with its beam on, in metres."""
    long = 0.0
    for placed in sheet.pieces:
        for contour in contours(placed, 0.0):
            long += math.pi * contour.diameter if isinstance(contour, Hole) else Polygon(contour).length
    return long / 1000


def cut_list(data: Data) -> str:
    """Return the pieces as a table of Markdown: how many of each, and how large."""
    lines = ["| piece | arena | each place | in all | mm |", "| --- | ---: | ---: | ---: | --- |"]
    arena, place = worlds(data)
    for world, times in ((arena, 1), (place, 6)):
        for plate, count in world.pieces().items():
            width, height = (number(round(it, 1)) for it in _extent(plate))
            one, each = (count, "") if times == 1 else ("", count)
            lines.append(f"| {plate.name} | {one} | {each} | {count * times} | {width} × {height} |")
    return "\n".join(lines) + "\n"


def files(data: Data) -> dict[str, str]:
    """Return every file to cut by: name → content."""
    found = {}
    for sheet in sheets(data):
        found[f"{sheet.name}.svg"] = svg(sheet, data)
        found[f"{sheet.name}.dxf"] = dxf(sheet, data)
    return found
