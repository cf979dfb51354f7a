"""A map of a layout for a terminal: the cords in dots of braille, and a place for each thing that has a name.

A layout is drawn in cells of a terminal, of which a crossing with its four corners takes several, so it is warped: its
crossings move apart, left stays left and up stays up. A map is made once for a layout and a size, and kept.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, pairwise, product
from math import cos, hypot, sin
from typing import NamedTuple

from rich.text import Span
from rich.text import Text as Styled

from tablier.games.core.drawing import FREE, Dots, stroke_of
from tablier.games.daemonen.colours import initial
from tablier.games.daemonen.layout import Layout, corner_name
from tablier.games.daemonen.planar import Plan, Point, cuts, plan_of
from tablier.games.daemonen.words import field_part
from tablier.texts import Json, Language, language, spelled

Cell = tuple[int, int]
"""Line and column of a map."""

_MARGIN = (4, 1)  # columns and lines around the cords, for the corners of the outer field
_APART = (6, 3)  # columns and lines that crossings should lie apart
_BLENDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # how far coordinates are spread evenly
_REACH = (5, 2)  # columns and lines from a crossing in which its corners are placed
_WIDEST = 2.2  # how much wider than high a map is drawn at most
_FAR, _FEW = (11, 4), 6  # the same where there are few places
_WARPS = 5  # to be tried
_TRIES = 3  # to find names a place
_NEAR = 0.02  # of the extent: coordinates that close are one when they are spread


class Spot(NamedTuple):
    """Cells beside each other."""

    line: int
    column: int
    width: int

    @property
    def middle(self) -> tuple[int, float]:
        return self.line, self.column + (self.width - 1) / 2

    @property
    def cells(self) -> list[Cell]:
        return [(self.line, self.column + n) for n in range(self.width)]


@dataclass(frozen=True, eq=False)
class Map:
    """The cells of a map, and which of them are for what. What found no place is missing."""

    columns: int
    lines: int
    rows: tuple[str, ...]
    """The cords, as braille."""
    cords: dict[Cell, str]
    """The line that runs through a cell."""
    areas: dict[str, list[Cell]]
    """By field: the cells whose middle lies in it."""
    crossings: dict[str, Spot]
    corners: dict[tuple[str, str], Spot]
    """By field and crossing; two cells, or one where there is no room."""
    labels: dict[str, Spot]
    """For the names of fields, with all that is said of them, their points alone, or neither: :func:`label_widths`."""
    knots: dict[str, Cell]
    letters: dict[Cell, str]
    """Cells of cords in which their initials stand."""

    @property
    def worth(self) -> tuple[int, int]:
        """Return how many corners and fields have found a place."""
        return len(self.corners), len(self.labels)


def label_widths(name: str, points: int) -> tuple[int, int, int]:
    """Return the cells that a field's name takes with its ghost, its points and the colour that has the majority; with
    its points; alone."""
    some = len(name) + 1 + len(str(points))
    return some + 2, some, len(name)


def crossing_name(name: str, *, ascii: bool) -> str:
    """Return a crossing's name as it stands on a map; in ASCII nothing but brackets tells it from a cord's initial."""
    return f"({name})" if ascii else name


def map_of(layout: Layout, columns: int, lines: int, *, ascii: bool = False) -> Map | None:
    """Return the map of a layout, ``columns`` wide and ``lines`` high; ``None`` for a layout without geometry, or if a
    corner finds no place."""
    if plan_of(layout) is None:
        return None
    found = _map_of(layout, json.dumps(layout.geometry), columns, lines, ascii)
    return found if len(found.corners) == _worth(layout)[0] else None


@lru_cache(maxsize=16)
def _map_of(layout: Layout, geometry: str, columns: int, lines: int, ascii: bool) -> Map:
    # Layouts are equal whatever their geometry is, so that comes as a text of its own.
    plan = plan_of(layout)
    assert plan is not None
    columns = min(columns, round(_WIDEST * 2 * lines))
    best: Map | None = None
    for warp in islice(_warps(plan, columns, lines), _WARPS):
        found = _drawn(layout, plan, warp, columns, lines, ascii=ascii)
        if best is None or found.worth > best.worth:
            best = found
        if best.worth == _worth(layout):
            break
    assert best is not None
    return best


def _worth(layout: Layout) -> tuple[int, int]:
    """Return the corners and the fields of a layout."""
    return sum(len(corners) for _, corners, _ in layout.fields), len(layout.fields)


def _drawn(layout: Layout, plan: Plan, warp: Warp, columns: int, lines: int, *, ascii: bool) -> Map:
    """Return the map that a warp gives."""
    loops = {line: _thin(warp(point) for point in loop.points) for line, loop in plan.loops.items()}
    paths = {line: list(_dots(points)) for line, points in loops.items()}
    dots, cords = _draw(paths, columns, lines)
    fields = _fields(
        layout, {name: _thin(map(warp, outline)) for name, outline in plan.outlines.items()}, columns, lines
    )
    crossings = {}
    for name, point in plan.crossings.items():
        (line, column), width = _cell(warp(point)), len(crossing_name(name, ascii=ascii))
        crossings[name] = Spot(line, column - width // 2, width)
    taken = {cell for spot in crossings.values() for cell in spot.cells}
    knots = {}
    for line_, loop in plan.loops.items():
        at = _cell(warp(loop.knot))
        near = (cell for cell, of in cords.items() if of == line_ and cell not in taken)
        knots[line_] = min(near, key=lambda cell: (cell[0] - at[0]) ** 2 * 4 + (cell[1] - at[1]) ** 2, default=at)
        taken.add(knots[line_])
    corners = {
        (name, crossing): _choices(plan, warp, name, crossing, crossings, fields, cords)
        for name, names, _ in layout.fields
        for crossing in names
    }
    tries: list[tuple[dict[tuple[str, str], Spot], dict[str, Spot], set[Cell]]] = []
    cramped: list[str] = []
    for _ in range(_TRIES):
        used = set(taken)
        tries.append((*_place(layout, corners, cramped, fields, cords, used), used))
        without = [name for name, _, _ in layout.fields if name not in tries[-1][1] and name not in cramped]
        if not without:
            break
        cramped += without
    placed, labels, used = max(tries, key=lambda each: (len(each[0]), len(each[1])))
    return Map(
        columns=columns,
        lines=lines,
        rows=tuple(dots.rows()),
        cords=cords,
        areas=_areas(fields),
        crossings=crossings,
        corners=placed,
        labels=labels,
        knots=knots,
        letters=_letters(paths, cords, used),
    )


# -- the warp ----------------------------------------------------------------------------------------------------


Warp = Callable[[Point], Point]
"""From a layout's coordinates, in which ``y`` grows upwards, to columns and lines."""


def _warps(plan: Plan, columns: int, lines: int) -> Iterator[Warp]:
    """Return warps, first those that keep the crossings farthest apart and spread coordinates least."""
    points = [point for loop in plan.loops.values() for point in loop.points]
    crossings = list(plan.crossings.values())
    across = [_spread([x for x, _ in points], [x for x, _ in crossings], blend) for blend in _BLENDS]
    down = [_spread([-y for _, y in points], [-y for _, y in crossings], blend) for blend in _BLENDS]
    left, top = _MARGIN
    wide, high = columns - 2 * left - 1, lines - 2 * top - 1

    def crowded(ways: tuple[int, ...]) -> tuple[float, int]:
        places = [(across[ways[0]](x) * wide, down[ways[1]](-y) * high) for x, y in crossings]
        near = 0.0
        for (x, y), (u, v) in combinations(places, 2):
            near += max(0.0, 1 - max(abs(x - u) / _APART[0], abs(y - v) / _APART[1]))
        return round(near, 1), sum(ways)

    def warp(to_column: Callable[[float], float], to_line: Callable[[float], float]) -> Warp:
        return lambda point: (left + 0.5 + wide * to_column(point[0]), top + 0.5 + high * to_line(-point[1]))

    for ways in sorted(product(range(len(_BLENDS)), repeat=2), key=crowded):
        yield warp(across[ways[0]], down[ways[1]])


def _spread(values: Sequence[float], marks: Iterable[float], blend: float) -> Callable[[float], float]:
    """Return a rising function from the range of the values to 0 … 1, in which marks lie evenly as far as is asked."""
    least, most = min(values), max(values)
    extent = most - least
    knees = [least]
    for mark in sorted(marks):
        if mark - knees[-1] > _NEAR * extent:
            knees.append(mark)
    if most - knees[-1] > _NEAR * extent:
        knees.append(most)
    knees[-1] = most
    level = [(knee - least) / extent * (1 - blend) + n / (len(knees) - 1) * blend for n, knee in enumerate(knees)]

    def spread(value: float) -> float:
        n = min(max(bisect_left(knees, value), 1), len(knees) - 1)
        share = (value - knees[n - 1]) / (knees[n] - knees[n - 1])
        return level[n - 1] + (level[n] - level[n - 1]) * min(1.0, share)

    return spread


def _cell(point: Point) -> Cell:
    return int(point[1]), int(point[0])


def _thin(points: Iterable[Point]) -> list[Point]:
    """Return the points without those that lie within a dot of the one before."""
    kept: list[Point] = []
    for point in points:
        if not kept or abs(point[0] - kept[-1][0]) > 0.5 or abs(point[1] - kept[-1][1]) > 0.25:
            kept.append(point)
    return kept


# -- cords and fields --------------------------------------------------------------------------------------------


def _draw(paths: dict[str, list[tuple[int, int]]], columns: int, lines: int) -> tuple[Dots, dict[Cell, str]]:
    """Return the dots of all cords, and which of them has most dots in each cell."""
    dots = Dots(columns, lines)
    count: dict[Cell, Counter[str]] = {}
    for line, path in paths.items():
        for x, y in sorted(set(path)):
            dots.add(x, y)
            count.setdefault((y // 4, x // 2), Counter())[line] += 1
    return dots, {cell: counter.most_common(1)[0][0] for cell, counter in count.items()}


def _dots(points: Sequence[Point]) -> Iterator[tuple[int, int]]:
    """The dots on a closed line."""
    for (a, b), (c, d) in pairwise([*points, points[0]]):
        steps = max(1, int(2 * max(abs(c - a) * 2, abs(d - b) * 4)))
        for n in range(steps):
            yield int(2 * (a + (c - a) * n / steps)), int(4 * (b + (d - b) * n / steps))


def _fields(layout: Layout, outlines: dict[str, list[Point]], columns: int, lines: int) -> dict[Cell, str]:
    """Return the field of each cell, by its middle."""
    fields = {(line, column): layout.outer for line in range(lines) for column in range(columns)}
    for name, outline in outlines.items():
        edges = [] if name == layout.outer else list(pairwise([*outline, outline[0]]))
        for line in range(lines):
            for start, end in cuts(edges, line + 0.5):
                for column in range(int(start + 0.5), min(columns, int(end + 0.5))):
                    fields[line, column] = name
    return fields


# -- places ------------------------------------------------------------------------------------------------------


Choices = list[tuple[float, Spot]]
"""Places for something, with what speaks against each, the best first."""


def _choices(
    plan: Plan,
    warp: Warp,
    field: str,
    crossing: str,
    crossings: dict[str, Spot],
    fields: dict[Cell, str],
    cords: dict[Cell, str],
) -> Choices:
    """Return the places for a corner near its crossing."""
    corner, (x, y) = plan.corners[field][crossing], plan.crossings[crossing]
    step = 1e-3 * max(abs(a) for loop in plan.loops.values() for a in loop.knot)
    u, v = warp((x, y))
    ahead = warp((x + step * cos(corner.direction), y + step * sin(corner.direction)))
    right, down = (ahead[0] - u) / 2, ahead[1] - v
    length = hypot(right, down) or 1.0
    at = crossings[crossing].middle
    others = [crossings[other].middle for other in plan.corners[field] if other != crossing]
    way = right / length, down / length
    found = sorted(_near(at, way, _REACH, field, others, fields, cords))
    return found if len(found) > _FEW else sorted(_near(at, way, _FAR, field, others, fields, cords))


def _place(
    layout: Layout,
    corners: dict[tuple[str, str], Choices],
    cramped: Sequence[str],
    fields: dict[Cell, str],
    cords: dict[Cell, str],
    taken: set[Cell],
) -> tuple[dict[tuple[str, str], Spot], dict[str, Spot]]:
    """Return places for all corners and all names of fields, and take them.

    In cramped fields corners have one cell, and the name comes before all others.
    """
    narrow = {
        corner: [each for each in corners[corner] if each[1].width == 1] for corner in corners if corner[0] in cramped
    }
    placed = _place_corners(narrow, taken)
    first = _place_names(cramped, fields, cords, taken)
    placed |= _place_corners({corner: corners[corner] for corner in corners.keys() - placed.keys()}, taken)
    return placed, {**_place_labels(layout, first, fields, cords, taken), **first}


def _near(
    at: tuple[int, float],
    way: Point,
    reach: tuple[int, int],
    field: str,
    others: Sequence[tuple[int, float]],
    fields: dict[Cell, str],
    cords: dict[Cell, str],
) -> Iterator[tuple[float, Spot]]:
    wide, high = reach
    line, column = at
    for down, right in product(range(-high, high + 1), range(-wide, wide + 1)):
        first = (line + down, int(column) + right)
        if fields.get(first) != field:
            continue
        beside = (first[0], first[1] + 1)
        for width in (2, 1) if fields.get(beside) == field else (1,):
            middle = first[1] + (width - 1) / 2
            aside, far = (middle - column) / 2, hypot((middle - column) / 2, down)
            astray = 1 - (aside * way[0] + down * way[1]) / (far or 1.0)
            nearer = any(hypot((middle - there) / 2, first[0] - row) < far for row, there in others)
            hidden = (first in cords) + (width == 2 and beside in cords)
            yield far + 1.5 * astray + 1.2 * hidden + 3 * nearer + 2 * (width == 1), Spot(*first, width)


def _areas(fields: dict[Cell, str]) -> dict[str, list[Cell]]:
    areas: dict[str, list[Cell]] = {}
    for cell, name in fields.items():
        areas.setdefault(name, []).append(cell)
    return areas


def _place_corners(corners: dict[tuple[str, str], Choices], taken: set[Cell]) -> dict[tuple[str, str], Spot]:
    """Return a place for each corner, those with the least choice first; take them."""
    placed: dict[tuple[str, str], Spot] = {}
    for corner, choices in sorted(corners.items(), key=lambda each: (len(each[1]), each[0])):
        spot = next((spot for _, spot in choices if not taken.intersection(spot.cells)), None)
        if spot is not None:
            placed[corner] = spot
            taken.update(spot.cells)
    return placed


def _place_names(
    names: Sequence[str], fields: dict[Cell, str], cords: dict[Cell, str], taken: set[Cell]
) -> dict[str, Spot]:
    """Return a place for the bare names of some fields; take them."""
    labels = {}
    for name in names:
        cells = {cell for cell, field in fields.items() if field == name} - taken
        spot = _roomiest(cells - cords.keys(), len(name)) or _roomiest(cells, len(name))
        if spot is not None:
            labels[name] = spot
            taken.update(spot.cells)
    return labels


def _place_labels(
    layout: Layout, but: Collection[str], fields: dict[Cell, str], cords: dict[Cell, str], taken: set[Cell]
) -> dict[str, Spot]:
    """Return a place for the name of each field but some, as far from its border as can be; take it."""
    areas, labels = _areas(fields), {}
    for name, corners, knots in sorted(layout.fields, key=lambda field: len(areas.get(field[0], ()))):
        if name in but:
            continue
        cells = set(areas.get(name, ())) - taken
        clear = cells - cords.keys()
        most, some, least = label_widths(name, len(corners) + len(knots))
        for width, room in ((most, clear), (some, clear), (least, clear), (least, cells)):
            spot = Spot(0, 0, width) if name == layout.outer else _roomiest(room, width)
            if spot is not None:
                labels[name] = spot
                taken.update(spot.cells)
                break
    return labels


def _roomiest(room: set[Cell], width: int) -> Spot | None:
    """Return the place of ``width`` cells in a room with the most free cells around it."""
    rows: dict[int, int] = {}
    """The room's columns in each line as bits, column 0 the third of them: two cells before a place count, too."""
    for line, column in room:
        rows[line] = rows.get(line, 0) | 4 << column
    place, wider = (1 << width) - 1, (1 << width + 4) - 1

    def clearance(spot: Spot) -> int:
        near = range(spot.line - 1, spot.line + 2)
        return sum((rows.get(line, 0) >> spot.column & wider).bit_count() for line in near)

    free = [Spot(line, column, width) for line, column in room if rows[line] >> column + 2 & place == place]
    return max(free, key=lambda spot: (clearance(spot), spot), default=None)


def _letters(paths: dict[str, list[tuple[int, int]]], cords: dict[Cell, str], taken: set[Cell]) -> dict[Cell, str]:
    """Return cells along the cords for their initials: now and then, where nothing else is near."""
    letters: dict[Cell, str] = {}
    for line, path in paths.items():
        cells = [cell for cell in dict.fromkeys((y // 4, x // 2) for x, y in path) if cords[cell] == line]
        since = 0
        for line_, column in cells:
            since += 1
            near = {(line_, column - 1), (line_, column), (line_, column + 1)}
            if since >= _APART_LETTERS and not near & taken:
                letters[line_, column] = line
                since = 0
    return letters


_APART_LETTERS = 9
"""Cells of a cord from one initial to the next."""


# -- painting ----------------------------------------------------------------------------------------------------

CORD = {"white": "bright_white", "red": "red1", "blue": "dodger_blue1", "green": "green3", "yellow": "yellow1"}
CREATURE = {
    "white": "black on white",
    "red": "bold white on red3",
    "blue": "bold white on blue3",
    "green": "bold white on dark_green",
    "yellow": "bold black on yellow3",
}
KNOT = {"red": "●", "blue": "■", "green": "▲", "yellow": "◆"}
_TINT = {"red": " on #44110d", "blue": " on #0d2350", "green": " on #0c3317", "yellow": " on #453a00"}
_SNOW = "░"  # here and there in a frozen field


class _Paper:
    """Cells with a sign and a style each, and a ground below."""

    def __init__(self, signs: Iterable[Iterable[str]], styles: Iterable[Iterable[str]]) -> None:
        self.signs = [list(row) for row in signs]
        self.styles = [list(row) for row in styles]

    def put(self, cell: Cell, sign: str, style: str) -> None:
        """Put a sign in a cell; nothing, in one beyond the map."""
        line, column = cell
        if 0 <= line < len(self.signs) and 0 <= column < len(self.signs[line]):
            self.signs[line][column] = sign
            self.styles[line][column] = style

    def write(self, spot: Spot, *parts: tuple[str, str]) -> None:
        """Write texts beside each other, as much as fits."""
        signs = [(sign, style) for text, style in parts for sign in text]
        for cell, (sign, style) in zip(spot.cells, signs, strict=False):
            self.put(cell, sign, style)

    def tint(self, cells: Iterable[Cell], ground: str) -> None:
        """Lay a ground below all signs that have none of their own."""
        for line, column in cells:
            style = self.styles[line][column]
            if " on " not in style and "reverse" not in style:
                self.styles[line][column] = (style or "white") + ground

    def lines(self) -> list[Styled]:
        """Return the lines. A space has the style of what stands before it on the same ground: fewer are faster."""
        lines = []
        for signs, styles in zip(self.signs, self.styles, strict=True):
            spans, start, last, ground = [], 0, "", ""
            for column, (sign, style) in enumerate(zip(signs, styles, strict=True)):
                if style == last or (sign == " " and "reverse" not in last and style.partition(" on ")[2] == ground):
                    continue
                if last:
                    spans.append(Span(start, column, last))
                start, last, ground = column, style, style.partition(" on ")[2]
            if last:
                spans.append(Span(start, len(signs), last))
            lines.append(Styled("".join(signs), spans=spans, no_wrap=True))
        return lines


@lru_cache(maxsize=16)
def _cords_of(map_: Map, read: Language, *, ascii: bool) -> _Paper:
    """Return a map with nothing but its cords, knots and crossings."""
    paper = _Paper(map_.rows, [[""] * map_.columns] * map_.lines)
    for cell, line in map_.cords.items():
        stroke = _stroke(map_, cell) if ascii else map_.rows[cell[0]][cell[1]]
        paper.put(cell, initial(line, read).lower() if cell in map_.letters else stroke, CORD[line])
    for line, cell in map_.knots.items():
        paper.put(cell, "@" if ascii else KNOT[line], f"bold {CORD[line]}")
    for name, spot in map_.crossings.items():
        paper.write(spot, (crossing_name(name, ascii=ascii), "bold reverse"))
    return paper


def _stroke(map_: Map, cell: Cell) -> str:
    """Return the stroke of ASCII for a cell of a cord. A dot beside a steep stroke is left out: the cord would look
    double."""
    line, column = cell
    own, *beside = (
        stroke_of(map_.rows[line][each]) if (line, each) in map_.cords else " "
        for each in (column, column - 1, column + 1)
    )
    if own != ".":
        return own
    return " " if {*beside} & {"|", "/", "\\"} else "-"


def paint(map_: Map, layout: Layout, view: Json, marks: Mapping[str, str], *, ascii: bool = False) -> list[Styled]:
    """Return the lines of a map with all that lies on it; ``marks``: the sign of each spot that is marked.

    A free corner has the initials of the two colours that may go there, or a ring; a taken one its demon's. A field has
    its name and its points, and the initial of the colour that has most demons there.
    """
    cords = _cords_of(map_, language(), ascii=ascii)
    paper = _Paper(cords.signs, cords.styles)
    for field in view["ghosts"]:
        for line, column in map_.areas.get(field, ()):
            if (2 * line + column) % 4 == 0 and paper.signs[line][column] == " ":
                paper.put((line, column), ":" if ascii else _SNOW, "grey62")
    crossings = dict(layout.crossings)
    for (field, crossing), spot in map_.corners.items():
        corner = corner_name(field, crossing)
        mark = marks.get(corner, "")
        if demon := view["demons"].get(corner):
            sign = initial(demon)
            paper.write(spot, (f"{mark or ' '}{sign}" if spot.width > 1 else sign, CREATURE[demon]))
        elif field not in view["ghosts"]:
            paper.write(spot, *_free(crossings[crossing], spot.width, mark, ascii=ascii))
    for name, corners, knots in layout.fields:
        if name in map_.labels:
            points = len(corners) + len(knots)
            mark = marks.get(name) or marks.get(field_part(name), "")
            paper.write(map_.labels[name], *_said(name, points, view, mark, map_.labels[name].width))
        if name != layout.outer and (majority := view["majorities"][name]):
            paper.tint(map_.areas.get(name, ()), _TINT[majority])
    return paper.lines()


def _free(colours: tuple[str, str], width: int, mark: str, *, ascii: bool) -> list[tuple[str, str]]:
    """Return the parts of a free corner."""
    lit = "bold reverse " if mark else ""
    if width == 1 or (mark and ascii):
        return [((mark or "○") * width, f"{lit}bright_white")]
    return [(initial(colour).lower(), f"{lit}{CORD[colour]}") for colour in colours]


def _said(name: str, points: int, view: Json, mark: str, width: int) -> list[tuple[str, str]]:
    """Return the parts of a field's label: its ghost, its name, its points, and the initial of their owner."""
    most, some, _ = label_widths(name, points)
    majority, frozen = view["majorities"][name], name in view["ghosts"]
    before, after = (mark, " ") if not frozen else (initial("white"), mark or " ")
    ghost = (before or " ", CREATURE["white"] if frozen else "bold")
    shown = f"{spelled(name):<{len(name)}}"[: len(name)]
    bold = "bold reverse" if mark == FREE else "bold bright_white" if majority else "bold"
    owner = CREATURE[majority] if majority else ""
    if width == most:
        return [
            ghost,
            (shown, bold),
            (after, "bold"),
            (str(points), ""),
            (initial(majority) if majority else " ", owner),
        ]
    if width == some:
        return [(shown, bold), ghost, (str(points), owner)]
    return [(shown, CREATURE["white"] if frozen else bold)]


def untold(map_: Map, layout: Layout, view: Json) -> list[tuple[str, tuple[str, ...], bool]]:
    """Return the fields of which a map has no room to say all, with their crossings, and whether it has their names."""
    found = []
    for name, corners, knots in layout.fields:
        most, some, _ = label_widths(name, len(corners) + len(knots))
        width = map_.labels[name].width if name in map_.labels else 0
        if width < some or (width < most and view["majorities"][name]):
            found.append((name, corners, bool(width)))
    return found


__all__ = ["CORD", "CREATURE", "KNOT", "Cell", "Map", "Spot", "map_of", "paint", "untold"]
