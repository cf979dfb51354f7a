"""The files to cut by: every piece of ``mechanics.py`` on sheets, as SVG and DXF, and a coupon to try the fit with.

Lines to cut are red (layer CUT), lines and words to draw are blue (layer MARK, layer TEXT). The width of the cut is
allowed for when ``kerf`` says how wide it is: outlines grow and openings shrink by half of it. Most cutting services
do that themselves and want it 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from shapely import prepared
from shapely.geometry import Polygon, box

from hardware.arena import Data
from hardware.mechanics import XY, Hole, Opening, Plate, rectangle, worlds
from hardware.plan import CUT, GREY, MARK, Drawing, number


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


@dataclass
class Sheet:
    """A sheet and what lies on it."""

    name: str
    size: XY
    pieces: list[Placed]


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
    arena, place = worlds(data)
    one = [plate for plate, count in arena.pieces().items() for _ in range(count)]
    six = [plate for plate, count in place.pieces().items() for _ in range(6 * count)]
    return [*nest("sheet", [*one, *six], size, gap), coupon(data)]


def coupon(data: Data) -> Sheet:
    """Return a piece with slots and bores from tight to loose, and a tab to try them with. Cut it first."""
    thick, tiers, place = data["tray"]["sheet"], data["tiers"], data["place"]
    tab = data["tower"]["tab"]
    openings: list[Opening] = []
    for index in range(8):
        openings.append(rectangle(-77 + 22 * index, 22, tab + data["sheet"]["play"], thick - 0.3 + 0.1 * index))
    for row, nominal in enumerate((tiers["body"], tiers["flange"], 3.2)):
        for index in range(5):
            openings.append(Hole(-77 + 12 * index, 6 - 12 * row, nominal - 0.2 + 0.1 * index))
    for index in range(4):
        openings.append(rectangle(12 + 20 * index, 0, *(2 * [place["button"] - 0.2 + 0.1 * index])))
    plate = Plate(
        "coupon",
        rectangle(0, 0, 180, 64),
        tuple(openings),
        thick,
    )
    half = tab / 2
    outline = ((-20, 0), (20, 0), (20, 20), (half, 20), (half, 26), (-half, 26), (-half, 20), (-20, 20))
    key = Plate(
        "tab",
        outline,
        (),
        thick,
    )
    return Sheet("coupon", (200, 110), [Placed(plate, 10, 6, False), Placed(key, 10, 76, False)])


def _coupon_words(data: Data) -> list[tuple[float, float, str]]:
    thick, tiers, place = data["tray"]["sheet"], data["tiers"], data["place"]
    words: list[tuple[float, float, str]] = [(23 + 22 * i, 65.5, f"{thick - 0.3 + 0.1 * i:.1f}") for i in range(8)]
    for row, nominal in enumerate((tiers["body"], tiers["flange"], 3.2)):
        words += [(23 + 12 * i, 37.6 - 12 * row, f"{nominal - 0.2 + 0.1 * i:.1f}") for i in range(5)]
    words += [(112 + 20 * i, 26, f"{place['button'] - 0.2 + 0.1 * i:.1f}") for i in range(4)]
    return words


CAPITAL, LETTER = 0.75, 0.66
"""Of a text's size: how high its capitals are, and how wide a letter is, on average and a little more."""


@dataclass(frozen=True)
class Words:
    """A label on a piece: position in the piece's coordinates, size and rotation."""

    text: str
    at: XY
    size: float
    turn: int


@cache
def lettering(plate: Plate) -> Words:
    """Return where a piece carries its name: as large as it fits between edges and openings, low rather than high.

    Raise ValueError for a piece that is too small.
    """
    text = plate.label or plate.name
    left, bottom, right, top = plate.shape.bounds
    room = prepared.prep(plate.shape.buffer(-0.8))
    for size in (3.5, 3.0, 2.5, 2.0, 1.6, 1.3):
        for turn in (0, 90):
            width, height = len(text) * LETTER * size, CAPITAL * size
            # Letters such as p reach below the line.
            below = 0.25 * size
            y = bottom
            while y < top:
                x = left
                while x < right:
                    corners = (x, y - below, x + width, y + height)
                    if turn:
                        corners = (x - height, y, x + below, y + width)
                    if room.contains(box(*corners)):
                        return Words(text, (x, y), size, turn)
                    x += 1.0
                y += 1.0
    raise ValueError(f"there is no room for a name on {plate.name}")


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
    drawing.path([(0, 0), (width, 0), (width, height), (0, height)], GREY, 0.1)
    for placed in sheet.pieces:
        for mark in placed.plate.marks:
            if isinstance(mark, Hole):
                x, y = placed.point((mark.x, mark.y))
                drawing.circle(x, height - y, mark.diameter, MARK)
            else:
                drawing.path([(x, height - y) for x, y in map(placed.point, mark)], MARK)
        words = lettering(placed.plate)
        x, y = placed.point(words.at)
        drawing.text(x, height - y, words.text, words.size, anchor="start", turn=words.turn + 90 * placed.turned)
        for contour in contours(placed, kerf):
            if isinstance(contour, Hole):
                drawing.circle(contour.x, height - contour.y, contour.diameter, CUT)
            else:
                drawing.path([(x, height - y) for x, y in contour], CUT)
    if sheet.name == "coupon":
        for x, y, text in _coupon_words(data):
            drawing.text(x, height - y, text, 3)
        drawing.scale(80, 20)
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

    def write(at: XY, text: str, height: float, turn: int = 0) -> None:
        lines.extend([(0, "TEXT"), (8, "TEXT"), *_at(at), (40, f"{height:g}"), (1, text), (50, str(turn))])

    for placed in sheet.pieces:
        for contour in contours(placed, kerf):
            draw(contour, "CUT")
        for mark in placed.plate.marks:
            if isinstance(mark, Hole):
                draw(Hole(*placed.point((mark.x, mark.y)), mark.diameter), "MARK")
            else:
                draw([placed.point(it) for it in mark], "MARK")
        words = lettering(placed.plate)
        turn = words.turn + 90 * placed.turned
        write(placed.point(words.at), words.text, CAPITAL * words.size, turn)
    if sheet.name == "coupon":
        for x, y, text in _coupon_words(data):
            write((x - 3, y), text, 2.5)
    lines += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in lines)


def _at(point: XY) -> list[tuple[int, str]]:
    return [(10, f"{point[0]:.4f}"), (20, f"{point[1]:.4f}"), (30, "0")]


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
