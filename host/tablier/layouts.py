"""Layouts from drawings: four closed curves, a knot on each, become crossings, fields, corners and knots.

A drawing comes as an SVG document, as circles, or as closed polygons; its faults are named with their places, in the
drawing's own coordinates. This needs the packages of the optional dependency group ``layout``; playing and drawing do
not.
"""

from __future__ import annotations

import io
import json
import math
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier.extras import command_to_add
from tablier.games.daemonen.colours import DEMONS
from tablier.games.daemonen.layout import LINES_TO_CROSS, LayoutError, parse_layout
from tablier.games.daemonen.planar import Crossing, Face, Loop, Point, faces, middle
from tablier.texts import Failure, Json, Text, all_of

if TYPE_CHECKING:
    from types import ModuleType

SIZE = 10.0
"""The longer side, in its own units, of a layout that comes from an SVG document or from chance."""

_TOLERANCE = 1 / 400
# Of the drawing's longer side. Nearer things touch: on a table of half a metre that is little more than a millimetre.
_ALONG = 4  # of these: what runs together for longer does not just touch
_DECIMALS = 3
_SMOOTH = 1 / 4000  # of the longer side: how far a polygon may run from the curve that it stands for
_SAMPLES = 720  # points on a curve before it is thinned out


class MissingPackage(Failure):
    """A package that this part needs is not installed; the text says how to get it."""


def _missing() -> MissingPackage:
    return MissingPackage(
        "layouts from drawings need shapely and svgelements: {command}", command=command_to_add("layout")
    )


def _shapely() -> ModuleType:
    try:
        import shapely
    except ImportError:
        raise _missing() from None
    module: ModuleType = shapely
    return module


# -- the check ---------------------------------------------------------------------------------------------


def check(loops: Mapping[str, Loop], knots: Iterable[str] = DEMONS) -> list[Text]:
    """Return all that keeps four loops from being a layout, each fault with its place; empty for a sound drawing.

    ``knots``: the lines whose knots are checked.

    The four lines are there, none crosses itself, they cross and never touch or run together, no three go through one
    point, each crosses at least two others (*Préparation* in the rulebook), and each knot lies on its own line and not
    on a crossing.
    """
    return _survey(loops, knots).faults


def _survey(loops: Mapping[str, Loop], knots: Iterable[str] = DEMONS) -> _Survey:
    survey = _Survey(loops)
    for line in survey.loops:
        if line in knots:
            survey.check_knot(line)
    return survey


class _Survey:
    """The crossings and faults that shapely finds in a drawing; those of the knots on demand."""

    def __init__(self, loops: Mapping[str, Loop]) -> None:
        self.shapely = _shapely()
        self.loops = {line: loops[line] for line in DEMONS if line in loops}
        self.faults = [Text("there is no {line} loop", {"line": line}) for line in DEMONS if line not in loops]
        self.crossings: list[Crossing] = []
        usable = {line for line, loop in self.loops.items() if self._is_usable(line, loop)}
        self.loops = {line: loop for line, loop in self.loops.items() if line in usable}
        self.tolerance = _TOLERANCE * _extent(point for loop in self.loops.values() for point in loop.points)
        self.rings = {line: self.shapely.LinearRing(loop.points) for line, loop in self.loops.items()}
        for line in self.loops:
            self._check_itself(line)
        for pair in combinations(self.loops, 2):
            self._cross(pair)
        self._check_distances()
        for line in self.loops:
            others = {other for c in self.crossings if line in c.lines for other in c.lines} - {line}
            if len(others) < LINES_TO_CROSS and len(self.loops) == len(DEMONS):
                about = {
                    "line": line,
                    "where": _at(self.rings[line].centroid.coords[0]),
                    "others": all_of(sorted(others)),
                }
                few = Text("the {line} loop around {where} crosses only {others}; it must cross at least two", about)
                none = Text("the {line} loop around {where} crosses no other; it must cross at least two", about)
                self.faults.append(few if others else none)

    def _is_usable(self, line: str, loop: Loop) -> bool:
        numbers = [number for point in (*loop.points, loop.knot) for number in point]
        if not all(map(math.isfinite, numbers)):
            self.faults.append(Text("the {line} loop has a coordinate that is not a number", {"line": line}))
        elif len(set(loop.points)) < 3:
            fewer = Text("the {line} loop has fewer than three different points", {"line": line})
            if loop.points:
                about = {"line": line, "where": _at(loop.points[0])}
                fewer = Text("the {line} loop at {where} has fewer than three different points", about)
            self.faults.append(fewer)
        else:
            return True
        return False

    def _check_itself(self, line: str) -> None:
        ring = self.rings[line]
        if ring.is_simple:
            return
        pieces = _parts(self.shapely.unary_union(ring))
        ends = [end for piece in pieces for end in (piece.coords[0], piece.coords[-1])]
        for where in sorted({end for end in ends if ends.count(end) > 2} or {ring.coords[0]}):
            self.faults.append(
                Text("the {line} loop crosses or touches itself at {where}", {"line": line, "where": _at(where)})
            )

    def _cross(self, pair: tuple[str, str]) -> None:
        """Find where two loops cross.

        Each stretch of one that is near the other must lead over it, once: then they cross there and do not touch.
        """
        one, other = (self.rings[line] for line in pair)
        names = " and ".join(pair)
        stretches = _joined(self.shapely, one.intersection(other.buffer(self.tolerance)))
        inside = self.shapely.Polygon(other)
        for stretch in stretches:
            where = stretch.interpolate(0.5, normalized=True).coords[0]
            common = stretch.intersection(other)
            points = [part for part in _parts(common) if not part.length]
            sides = [inside.contains(self.shapely.Point(stretch.coords[end])) for end in (0, -1)]
            if stretch.is_ring or common.length > _ALONG * self.tolerance:
                self.faults.append(
                    Text("the loops {names} run together near {where}", {"names": names, "where": _at(where)})
                )
            elif sides[0] == sides[1]:
                self.faults.append(
                    Text(
                        "the loops {names} touch near {where} without really crossing",
                        {"names": names, "where": _at(where)},
                    )
                )
            elif common.length or len(points) != 1:
                self.faults.append(
                    Text("the loops {names} cross more than once near {where}", {"names": names, "where": _at(where)})
                )
            else:
                x, y = points[0].coords[0]
                self.crossings.append(Crossing(pair, (x, y)))

    def _check_distances(self) -> None:
        for one, other in combinations(self.crossings, 2):
            if math.dist(one.xy, other.xy) > 2 * self.tolerance:
                continue
            lines = [line for line in DEMONS if line in one.lines + other.lines]
            if len(lines) > 2:
                self.faults.append(
                    Text("the loops {lines} go through one point near {xy}", {"lines": lines, "xy": _at(one.xy)})
                )
            else:
                self.faults.append(
                    Text("the loops {lines} cross twice near {xy}", {"lines": " and ".join(lines), "xy": _at(one.xy)})
                )

    def check_knot(self, line: str) -> None:
        knot = self.loops[line].knot
        away = self.rings[line].distance(self.shapely.Point(knot))
        if away > 2 * self.tolerance:
            self.faults.append(
                Text("the {line} knot at {knot} does not lie on the {line} loop", {"line": line, "knot": _at(knot)})
            )
        for crossing in self.crossings:
            if math.dist(knot, crossing.xy) <= 2 * self.tolerance and line in crossing.lines:
                lines = " and ".join(crossing.lines)
                self.faults.append(
                    Text(
                        "the {line} knot at {knot} lies on the crossing of {lines}",
                        {"line": line, "knot": _at(knot), "lines": lines},
                    )
                )


def _parts(geometry: Any) -> list[Any]:
    parts = getattr(geometry, "geoms", None)
    if parts is None:
        return [] if geometry.is_empty else [geometry]
    return [piece for part in parts for piece in _parts(part)]


def _joined(shapely: ModuleType, geometry: Any) -> list[Any]:
    """Return the lines of a geometry, those that meet at their ends made one (a ring is cut at its seam)."""
    lines = [part for part in _parts(geometry) if part.length]
    return _parts(shapely.line_merge(shapely.MultiLineString(lines))) if lines else []


def _extent(points: Iterable[Point]) -> float:
    """Return the longer side of the box around points."""
    box = list(points) or [(0.0, 0.0)]
    return max(max(at[axis] for at in box) - min(at[axis] for at in box) for axis in (0, 1))


def _at(point: Sequence[float]) -> str:
    x, y = (round(value, 6) + 0.0 for value in point[:2])  # no -0
    return f"({x:.4g}, {y:.4g})"


# -- the layout -----------------------------------------------------------------------------------------------


def layout_from_loops(loops: Mapping[str, Loop], name: str = "") -> Json:
    """Return the layout object of a drawing. Raise :class:`LayoutError` with all faults of :func:`check`."""
    rounded = {line: Loop(tuple(map(_rounded, loop.points)), _rounded(loop.knot)) for line, loop in loops.items()}
    data = _layout(rounded, name)
    data["geometry"] = {
        "loops": {
            line: {"points": list(map(list, rounded[line].points)), "knot_xy": list(rounded[line].knot)}
            for line in DEMONS
        },
        **data["geometry"],
    }
    return data


def layout_from_circles(circles: Mapping[str, Mapping[str, float]], name: str = "") -> Json:
    """Return the layout object of four circles, each with ``x``, ``y``, ``r`` and ``knot_deg``. Raise
    :class:`LayoutError`.

    ``knot_deg`` is the direction of the knot from the middle, in degrees against the clock.
    """
    loops = {line: Loop.circle(**{key: circle[key] for key in _CIRCLE}) for line, circle in circles.items()}
    data = _layout(loops, name)
    data["geometry"] = {
        "circles": {line: {key: circles[line][key] for key in _CIRCLE} for line in DEMONS},
        **data["geometry"],
    }
    return data


_CIRCLE = ("x", "y", "r", "knot_deg")


def dumps(layout: Json) -> str:
    """Return a layout object as the text of a file, each list on one line."""

    def lines(value: Any, indent: str) -> str:
        if not isinstance(value, dict) or not value:
            return json.dumps(value, ensure_ascii=False)
        inner = indent + " "
        items = (f"{inner}{json.dumps(key, ensure_ascii=False)}: {lines(item, inner)}" for key, item in value.items())
        return "{\n" + ",\n".join(items) + "\n" + indent + "}"

    return lines(layout, "") + "\n"


def _layout(loops: Mapping[str, Loop], name: str) -> Json:
    survey = _survey(loops)
    if survey.faults:
        raise LayoutError(survey.faults)
    in_order = sorted(survey.crossings, key=lambda crossing: (-round(crossing.xy[1], _DECIMALS), crossing.xy[0]))
    crossings = {_letters(number): crossing for number, crossing in enumerate(in_order)}
    found = faces({line: loops[line] for line in DEMONS}, crossings)
    inner = sorted((face for face in found if not face.outer), key=_reading_order)
    fields = {"outer": next(face for face in found if face.outer)}
    fields |= {f"f{number}": face for number, face in enumerate(inner, 1)}
    data = {
        "name": name,
        "lines": list(DEMONS),
        "outer": "outer",
        "crossings": {key: list(crossing.lines) for key, crossing in crossings.items()},
        "fields": {
            key: {
                "corners": sorted((corner.crossing for corner in face.corners), key=list(crossings).index),
                "knots": list(face.knots),
            }
            for key, face in fields.items()
        },
        "geometry": {"crossing_xy": {key: list(_rounded(crossing.xy)) for key, crossing in crossings.items()}},
    }
    parse_layout(data)  # what a drawing alone does not show: a field that comes twice to one crossing
    return data


def _reading_order(face: Face) -> tuple[float, float]:
    (x, y), _ = middle(face.outline)
    return -y, x


def _letters(number: int) -> str:
    """a, b, …, z, aa, ab, …"""
    head, last = divmod(number, 26)
    return (_letters(head - 1) if head else "") + chr(ord("a") + last)


def _rounded(point: Point) -> Point:
    return round(point[0], _DECIMALS), round(point[1], _DECIMALS)


def _fitted(curves: Mapping[str, Loop], flip: bool) -> dict[str, Loop]:
    """Return the loops at their usual size, thinned out to the points that matter; ``flip`` where y grew downwards."""
    shapely = _shapely()
    points = [point for loop in curves.values() for point in loop.points]
    factor = SIZE / _extent(points)
    left = min(x for x, _ in points)
    low = max(y for _, y in points) if flip else min(y for _, y in points)

    def fit(point: Point) -> Point:
        return (point[0] - left) * factor, (low - point[1] if flip else point[1] - low) * factor

    fitted = {}
    for line, loop in curves.items():
        ring = shapely.LinearRing(list(map(fit, loop.points))).simplify(_SMOOTH * SIZE)
        thin = [(x, y) for x, y in ring.coords[:-1]]
        knot = ring.interpolate(ring.project(shapely.Point(fit(loop.knot)))).coords[0]
        fitted[line] = Loop(tuple(thin), (knot[0], knot[1]))
    return fitted


# -- from an SVG document ---------------------------------------------------------------------------------------


_MARK = 1 / 8  # of the largest shape: smaller ones are marks, not loops


class _Shape(NamedTuple):
    words: frozenset[str]
    """Of its id and classes."""
    colour: str | None
    """One of the four, from its words or its paint."""
    points: list[Point]
    ends: tuple[Point, Point]
    pieces: int

    @property
    def is_knot(self) -> bool:
        return "knot" in self.words

    @property
    def centre(self) -> Point:
        xs, ys = zip(*self.points, strict=True)
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def layout_from_svg(text: str, name: str = "") -> Json:
    """Return the layout object of an SVG drawing. Raise :class:`LayoutError` with all its faults.

    A loop is a closed shape (path, circle, ellipse, polygon, rectangle) whose id, class or stroke names one of the
    four colours. A knot is a small shape through which a loop runs, or any shape with the word ``knot`` in its id or
    class; its colour, if it has one, says which loop it belongs to, else the nearest. Everything else is ignored.
    """
    shapes = _shapes(text)
    largest = max((_extent(shape.points) for shape in shapes), default=0.0)
    marks = [shape for shape in shapes if shape.is_knot or _extent(shape.points) <= _MARK * largest]
    faults = []
    curves: dict[str, _Shape] = {}
    for shape in shapes:
        if shape in marks or shape.colour is None:
            continue
        if shape.colour in curves:
            places = " and ".join(_at(each.centre) for each in (curves[shape.colour], shape))
            faults.append(
                Text("there are two {colour} loops, around {places}", {"colour": shape.colour, "places": places})
            )
            continue
        curves[shape.colour] = shape
        if shape.pieces > 1:
            faults.append(
                Text(
                    "the {colour} loop around {centre} is in {pieces} pieces",
                    {"colour": shape.colour, "centre": _at(shape.centre), "pieces": shape.pieces},
                )
            )
        elif math.dist(*shape.ends) > _TOLERANCE * largest:
            ends = " and ".join(map(_at, shape.ends))
            faults.append(
                Text("the {colour} loop is not closed: its ends are at {ends}", {"colour": shape.colour, "ends": ends})
            )
    knots = _knots(marks, curves, faults)
    loops = {line: Loop(tuple(shape.points), knots.get(line, shape.points[0])) for line, shape in curves.items()}
    unknotted = [line for line in curves if line not in knots]
    faults += [
        Text("the {line} loop around {centre} has no knot", {"line": line, "centre": _at(curves[line].centre)})
        for line in unknotted
    ]
    found = check(loops, knots)
    if faults or found:
        raise LayoutError([*faults, *found])
    return layout_from_loops(_fitted(loops, flip=True), name)


def _knots(marks: list[_Shape], curves: Mapping[str, _Shape], faults: list[Text]) -> dict[str, Point]:
    """Return the place of each loop's knot; faults of marks go to the list."""
    shapely = _shapely()
    rings = {line: shapely.LinearRing(shape.points) for line, shape in curves.items() if len(shape.points) > 2}
    knots: dict[str, Point] = {}
    for mark in marks:
        centre = shapely.Point(mark.centre)
        line = (
            mark.colour if mark.colour in rings else min(rings, key=lambda c: rings[c].distance(centre), default=None)
        )
        if line is None:
            continue
        # A mark is drawn by hand: it is on its loop if the loop runs through it.
        on_loop = rings[line].distance(centre) <= _extent(mark.points) / 2
        if not on_loop and not mark.is_knot:
            continue
        if line in knots:
            faults.append(
                Text(
                    "the {line} loop has two knots, at {knots} and {centre}",
                    {"line": line, "knots": _at(knots[line]), "centre": _at(mark.centre)},
                )
            )
            continue
        nearest = rings[line].interpolate(rings[line].project(centre)).coords[0]
        knots[line] = (nearest[0], nearest[1]) if on_loop else mark.centre
    return knots


def _shapes(text: str) -> list[_Shape]:
    try:
        import svgelements
    except ImportError:
        raise _missing() from None
    try:
        document = svgelements.SVG.parse(io.StringIO(text))
        elements = [element for element in document.elements() if isinstance(element, svgelements.Shape)]
    except Exception as error:  # whatever the parser meets in a document that is none
        raise LayoutError([Text("not an SVG document: {error}", {"error": error})]) from None
    shapes = []
    for element in elements:
        path = svgelements.Path(element)
        path.reify()
        pieces = [piece for piece in map(svgelements.Path, path.as_subpaths()) if piece.length(error=1e-3)]
        if not pieces:
            continue
        words = frozenset(re.findall("[a-z]+", f"{element.id or ''} {element.values.get('class') or ''}".lower()))
        points = _points(pieces[0])
        ends = (points[0], points[-1])
        named = [colour for colour in DEMONS if colour in words]
        colour = named[0] if named else _hue(element.stroke) or _hue(element.fill)
        shapes.append(_Shape(words, colour, _without_repeats(points), ends, len(pieces)))
    return shapes


def _points(path: Any) -> list[Point]:
    """Points along a path, its corners among them."""
    points = []
    total = path.length(error=1e-3)
    for segment in path:
        length = segment.length(error=1e-3)
        pieces = 1 if type(segment).__name__ in ("Line", "Close") else max(2, math.ceil(_SAMPLES * length / total))
        if length:
            places = segment.npoint([n / pieces for n in range(pieces + 1)])  # all at once: a point alone takes as long
            points += [(float(x), float(y)) for x, y in places]
    return points


def _without_repeats(points: list[Point]) -> list[Point]:
    kept = [point for number, point in enumerate(points) if number == 0 or math.dist(point, points[number - 1]) > 1e-9]
    return kept[:-1] if len(kept) > 1 and math.dist(kept[0], kept[-1]) < 1e-9 else kept


def _hue(colour: Any) -> str | None:
    """Return which of the four colours a paint is nearest to; ``None`` for none, black, white and grey."""
    if colour is None or colour.value is None or colour.saturation < 0.2 or not 0.1 < colour.lightness < 0.95:
        return None
    hue = colour.hue % 360
    return next(name for name, end in _HUES if hue <= end)


_HUES = (("red", 20), ("yellow", 75), ("green", 170), ("blue", 265), (None, 325), ("red", 360))


# -- by chance -----------------------------------------------------------------------------------------------


def random_layout(seed: int) -> Json:
    """Return a layout of four wavy loops, good to play on and to look at; the same seed gives the same layout."""
    rng = random.Random(seed)
    while True:
        loops = _random_loops(rng)
        survey = _Survey(loops)
        places = [crossing.xy for crossing in survey.crossings]
        if survey.faults or len(places) not in _CROSSINGS:
            continue
        if any(math.dist(a, b) < _APART for a, b in combinations(places, 2)):
            continue
        found = faces(loops, {_letters(number): crossing for number, crossing in enumerate(survey.crossings)})
        if any(not face.outer and middle(face.outline)[1] < _ROOM for face in found):
            continue
        knotted = {}
        for line, loop in loops.items():
            free = [point for point in loop.points if all(math.dist(point, at) >= _APART for at in places)]
            if not free:
                break
            knotted[line] = Loop(loop.points, free[int(rng.random() * len(free))])
        else:
            return layout_from_loops(knotted, f"random-{seed}")


_CROSSINGS = range(8, 17)
# Nothing is too narrow for fingers:
_APART = 0.06 * SIZE  # crossings from each other, and knots from crossings
_ROOM = 0.028 * SIZE  # around the middle of every field


def _random_loops(rng: random.Random) -> dict[str, Loop]:
    """Four waves around as many middles in a ring, in any order of colours; their knots are anywhere."""
    turn = rng.uniform(0, math.tau)
    loops = {}
    for number, line in enumerate(sorted(DEMONS, key=lambda _: rng.random())):
        around = turn + math.tau * (number + rng.uniform(-0.3, 0.3)) / len(DEMONS)
        out = rng.uniform(0.5, 1.1)
        x, y = out * math.cos(around), out * math.sin(around)
        waves = [(n, rng.uniform(0, 0.36 / n), rng.uniform(0, math.tau)) for n in (2, 3, 4)]
        radius = rng.uniform(0.8, 1.3)
        points = []
        for step in range(_WAVE_POINTS):
            angle = math.tau * step / _WAVE_POINTS
            r = radius * (1 + sum(high * math.cos(n * angle + start) for n, high, start in waves))
            points.append((x + r * math.cos(angle), y + r * math.sin(angle)))
        loops[line] = Loop(tuple(points), points[0])
    return _fitted(loops, flip=False)


_WAVE_POINTS = 180
