"""A layout in the plane: the fields that four closed curves make, and how to read them off ``geometry``.

``geometry`` holds ``crossing_xy`` (the place of each crossing) and either ``circles`` (of each colour ``x``, ``y``,
``r`` and ``knot_deg``, the direction of the knot from the middle) or ``loops`` (of each colour ``points``, the corners
of a closed polygon, and ``knot_xy``). ``y`` grows upwards. Plain Python: pictures need nothing more.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from math import atan2, ceil, cos, dist, inf, isfinite, radians, sin, tau
from typing import Any, NamedTuple

from tablier.games.daemonen.colours import DEMONS
from tablier.games.daemonen.layout import Layout

Point = tuple[float, float]

_CIRCLE_POINTS = 240
_SMALLEST, _LARGEST = 1e-3, 1e6  # sizes and coordinates beyond are a mistake
_POINTS_MAX = 2_000
_LABEL_GRID = 24


class Crossing(NamedTuple):
    lines: tuple[str, str]
    xy: Point


class Corner(NamedTuple):
    crossing: str
    direction: float
    """From the crossing into the middle of the corner."""
    width: float
    """The width of the corner there, as an angle."""


@dataclass(frozen=True)
class Loop:
    """A closed polygon, its first point not repeated, with its knot."""

    points: tuple[Point, ...]
    knot: Point

    @staticmethod
    def circle(x: float, y: float, r: float, knot_deg: float) -> Loop:
        def at(angle: float) -> Point:
            return x + r * cos(angle), y + r * sin(angle)

        return Loop(tuple(at(tau * n / _CIRCLE_POINTS) for n in range(_CIRCLE_POINTS)), at(radians(knot_deg)))


@dataclass(frozen=True)
class Face:
    """A field in the plane."""

    corners: tuple[Corner, ...]
    knots: tuple[str, ...]
    outline: tuple[Point, ...]
    outer: bool

    @property
    def key(self) -> tuple[frozenset[str], frozenset[str], bool]:
        """Return what makes it one field of the layout and not another, or one that plays the same."""
        return frozenset(corner.crossing for corner in self.corners), frozenset(self.knots), self.outer


class _Way(NamedTuple):
    """A piece of a loop between two crossings, in one direction."""

    start: str
    end: str
    points: tuple[Point, ...]
    line: str
    span: tuple[float, float]
    """The stretch of its loop on which it lies, in the loop's own direction."""

    @property
    def reach(self) -> float:
        """Return how far from its start it comes."""
        return max(dist(self.points[0], point) for point in self.points)

    def direction(self, radius: float) -> float:
        """In which direction from its start it leaves the circle of that radius around its start."""
        x, y = self.points[0]
        for a, b in pairwise(self.points):
            if dist(b, (x, y)) < radius:
                continue
            dx, dy, from_x, from_y = b[0] - a[0], b[1] - a[1], a[0] - x, a[1] - y
            square, along = dx * dx + dy * dy, dx * from_x + dy * from_y
            if square == 0:
                continue
            short = radius * radius - from_x * from_x - from_y * from_y
            share = (max(0.0, along * along + square * short) ** 0.5 - along) / square
            return atan2(from_y + share * dy, from_x + share * dx)
        return 0.0  # all points are one


class _Ruler:
    """Distances along a loop."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = (*points, points[0])
        self.marks = [0.0, *accumulate(dist(a, b) for a, b in pairwise(self.points))]

    def locate(self, xy: Point) -> float:
        """Return how far along the loop its point nearest to ``xy`` is."""
        best, at = inf, 0.0
        for (a, b), mark in zip(pairwise(self.points), self.marks, strict=False):
            dx, dy = b[0] - a[0], b[1] - a[1]
            square = dx * dx + dy * dy
            share = 0.0 if square == 0 else ((xy[0] - a[0]) * dx + (xy[1] - a[1]) * dy) / square
            share = min(1.0, max(0.0, share))
            away = dist(xy, (a[0] + share * dx, a[1] + share * dy))
            if away < best:
                best, at = away, mark + share * square**0.5
        return at

    def between(self, start: float, end: float) -> Iterator[Point]:
        """Return the points of the loop after one mark and before another, over the seam if need be."""
        number = bisect_right(self.marks, start)
        last = len(self.points) - 1
        if end <= start:
            yield from self.points[number:last]
            start, number = -1.0, 0
        while number < last and self.marks[number] < end:
            yield self.points[number]
            number += 1


def faces(loops: Mapping[str, Loop], crossings: Mapping[str, Crossing]) -> list[Face]:
    """Return the fields that loops make which hang together and cross at these places."""
    ways: list[_Way] = []
    places: dict[str, float] = {}
    for line, loop in loops.items():
        ruler = _Ruler(loop.points)
        places[line] = ruler.locate(loop.knot)
        on_line = _on_line(line, ruler, crossings)
        for (start, a), (end, b) in zip(on_line, on_line[1:] + on_line[:1], strict=True):
            points = (crossings[a].xy, *ruler.between(start, end), crossings[b].xy)
            ways += [_Way(a, b, points, line, (start, end)), _Way(b, a, points[::-1], line, (start, end))]
    # All ways from a crossing are seen where they leave the same circle: within it none meets another, so there they
    # lie in their order around the crossing, at however small an angle two of them set out.
    radius: dict[str, float] = {}
    for way in ways:
        radius[way.start] = min(radius.get(way.start, inf), way.reach / 2)
    directions = [way.direction(radius[way.start]) for way in ways]
    leaving: dict[str, list[int]] = {name: [] for name in crossings}
    for number in sorted(range(len(ways)), key=directions.__getitem__):
        leaving[ways[number].start].append(number)
    found = []
    left = set(range(len(ways)))
    while left:
        number = first = min(left)
        walk: list[int] = []
        corners = []
        while True:  # with the field on the left hand: at each crossing the sharpest turn to the left
            left.discard(number)
            walk.append(number)
            back = number ^ 1
            around = leaving[ways[number].end]
            number = around[around.index(back) - 1]
            wide = (directions[back] - directions[number]) % tau
            corners.append(Corner(ways[number].start, directions[number] + wide / 2, wide))
            if number == first:
                break
        outline = tuple(point for n in walk for point in ways[n].points[:-1])
        knots = [
            line for line in loops if any(ways[n].line == line and _spans(ways[n].span, places[line]) for n in walk)
        ]
        found.append(Face(tuple(corners), tuple(knots), outline, _area(outline) < 0))
    return found


def _on_line(line: str, ruler: _Ruler, crossings: Mapping[str, Crossing]) -> list[tuple[float, str]]:
    """Return the crossings of a loop in their order along it, each with how far along it is."""
    return sorted((ruler.locate(c.xy), name) for name, c in crossings.items() if line in c.lines)


def _spans(span: tuple[float, float], at: float) -> bool:
    start, end = span
    return start <= at < end if start < end else at >= start or at < end


def _area(outline: Sequence[Point]) -> float:
    """Twice the area, negative where the outline runs clockwise."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise((*outline, outline[0])))


# -- the middle of a field ------------------------------------------------------------------------------------


def middle(outline: Sequence[Point], avoid: Iterable[Point] = ()) -> tuple[Point, float]:
    """Return a point within the outline far from it and from what is to be avoided, and how far: good for a label."""
    edges = list(pairwise((*outline, outline[0])))
    left, right = min(x for x, _ in outline), max(x for x, _ in outline)
    bottom, top = min(y for _, y in outline), max(y for _, y in outline)
    step = max(right - left, top - bottom) / _LABEL_GRID
    border = [*_dense(edges, step / 2), *avoid]
    best, at = -inf, outline[0]
    for row in range(_LABEL_GRID):
        y = bottom + (row + 0.5) * step
        for start, end in cuts(edges, y):
            x = start + step / 4
            while x < end:
                away = _clearance(border, (x, y), best)
                if away > best:
                    best, at = away, (x, y)
                x += step
    return at, max(best, 0.0)


def _dense(edges: Iterable[tuple[Point, Point]], step: float) -> Iterator[Point]:
    """Points on the edges, none farther from the next than a step."""
    for a, b in edges:
        pieces = max(1, ceil(dist(a, b) / step))
        for n in range(pieces):
            yield a[0] + (b[0] - a[0]) * n / pieces, a[1] + (b[1] - a[1]) * n / pieces


def cuts(edges: Iterable[tuple[Point, Point]], y: float) -> Iterator[tuple[float, float]]:
    """Return where a level line runs inside the outline."""
    found = sorted(a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) for a, b in edges if (a[1] <= y) != (b[1] <= y))
    return zip(found[::2], found[1::2], strict=False)


def _clearance(border: Iterable[Point], at: Point, enough: float) -> float:
    """Return the distance to the nearest point of a border; something less than ``enough`` where it is less."""
    nearest = inf
    for point in border:
        away = dist(point, at)
        if away < nearest:
            nearest = away
            if nearest < enough:
                break
    return nearest


# -- the drawing of a layout ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """The positions of all parts of a layout."""

    loops: dict[str, Loop]
    circles: dict[str, tuple[float, float, float]]
    """Middle and radius of each loop that is a circle."""
    crossings: dict[str, Point]
    cords: dict[str, tuple[str, ...]]
    """The crossings of each loop in their order along it."""
    corners: dict[str, dict[str, Corner]]
    """The corners of each field by their crossings."""
    outlines: dict[str, tuple[Point, ...]]
    """The outline of each field; of the outer one, of all the others together."""


def plan_of(layout: Layout) -> Plan | None:
    """Return where a layout lies, from its ``geometry``; ``None`` if that is missing, unreadable or of another
    layout."""
    try:
        text = json.dumps(layout.geometry)
    except (TypeError, ValueError):
        return None
    return _plan_of(layout, text)


@lru_cache(maxsize=16)
def _plan_of(layout: Layout, text: str) -> Plan | None:
    # Layouts are equal whatever their geometry is, so that comes as a text of its own.
    try:
        geometry = json.loads(text)
        loops, circles = _loops(geometry)
        crossings = {name: Crossing(lines, _point(geometry["crossing_xy"][name])) for name, lines in layout.crossings}
        found = faces(loops, crossings)
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    by_key: dict[Any, list[str]] = {}
    for name, corners, knots in layout.fields:
        by_key.setdefault((frozenset(corners), frozenset(knots), name == layout.outer), []).append(name)
    at: dict[str, Face] = {}
    for face in found:
        names = by_key.get(face.key)
        if not names:
            return None
        at[names.pop()] = face
    if any(by_key.values()):
        return None
    return Plan(
        loops=loops,
        circles=circles,
        crossings={name: crossing.xy for name, crossing in crossings.items()},
        cords={
            line: tuple(name for _, name in _on_line(line, _Ruler(loop.points), crossings))
            for line, loop in loops.items()
        },
        corners={name: {corner.crossing: corner for corner in face.corners} for name, face in at.items()},
        outlines={name: face.outline for name, face in at.items()},
    )


def _loops(geometry: Any) -> tuple[dict[str, Loop], dict[str, tuple[float, float, float]]]:
    if "circles" in geometry:
        circles = {}
        loops = {}
        for line in DEMONS:
            x, y, r, knot_deg = (_number(geometry["circles"][line][key]) for key in ("x", "y", "r", "knot_deg"))
            if r < _SMALLEST:
                raise ValueError("a circle without a radius")
            circles[line] = (x, y, r)
            loops[line] = Loop.circle(x, y, r, knot_deg)
        return loops, circles
    loops = {}
    for line in DEMONS:
        points = tuple(map(_point, geometry["loops"][line]["points"]))
        if not 3 <= len(points) <= _POINTS_MAX:
            raise ValueError("too few or too many points")
        if max(x for x, _ in points) - min(x for x, _ in points) < _SMALLEST:
            raise ValueError("a loop without a size")
        loops[line] = Loop(points, _point(geometry["loops"][line]["knot_xy"]))
    return loops, {}


def _point(value: Any) -> Point:
    x, y = value
    return _number(x), _number(y)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value) or abs(value) > _LARGEST:
        raise ValueError("no number")
    return float(value)
