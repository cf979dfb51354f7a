"""A picture for each step of the assembly: what comes is coloured and stands off, what was there is pale.

The prisms of ``mechanics.py`` are drawn with a depth buffer, so nothing shines through. A picture is an SVG: the drawn
solids as an image, names with leaders over them. Needs numpy and shapely, nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry import Point, Polygon

from hardware.arena import Data, ring
from hardware.mechanics import Hole, Item, Move, Prism, Step, World, leads, propped, walk, worlds
from hardware.sheets import laid, texts
from hardware.tools import Broken

Array = NDArray[np.float64]

WIDTH, HEIGHT = 760, 620
"""Pixels of a picture."""
MARGIN = 220
"""Pixels at the right for the names."""
FINE = 2
"""Each pixel is drawn so many times in each direction, and averaged."""
SUN = np.array([-0.35, -0.55, 0.76])


@dataclass(frozen=True)
class Scene:
    """The content of a picture."""

    name: str
    world: World
    step: Step
    before: tuple[Item, ...]
    coming: tuple[tuple[Item, Move], ...]

    def stamp(self) -> str:
        """Return what the picture says of what it was drawn of; the same data give the same."""
        digest = hashlib.sha256(_VERSION)
        for item in (*self.before, *(item for item, _ in self.coming)):
            digest.update(f"{item.name} {item.colour} {item.tints}".encode())
            if item.plate and not self.coming:
                digest.update(repr(item.plate.signs).encode())
            for prism in item.prisms:
                ends = [[round(it, 2) + 0.0 for it in pair] for pair in prism.bounds]
                digest.update(repr((ends, round(prism.shape.area, 1))).encode())
        digest.update(repr((self.step, [move for _, move in self.coming])).encode())
        return f"drawn of {self.name}, SHA-256 {digest.hexdigest()}"


_VERSION = b"10"
"""Raised when the pictures look otherwise though the table is the same."""


def scenes(data: Data) -> Iterator[Scene]:
    """Yield what is to be drawn: each step, and both worlds when they are done."""
    for world in worlds(data):
        for step, before, coming in walk(world):
            # Where the four sides are alike, one is enough to show how a tower or a cover is made.
            if step.assembly in ("tower", "cover"):
                before = [it for it in before if "south" in it.name]
                coming = [(it, move) for it, move in coming if "south" in it.name]
            yield Scene(step.key, world, step, tuple(before), tuple(coming))
        title = "The arena" if world.name == "arena" else "A place"
        yield Scene(world.name, world, Step(world.name, title, "", ()), tuple(world.items.values()), ())


@dataclass(frozen=True)
class Label:
    """A name beside a picture: how many there are, of what, and the point at which its leader ends."""

    count: int
    kind: str
    spot: tuple[float, float]

    @property
    def text(self) -> str:
        times = f"{self.count} × " if self.count > 1 and not self.kind.startswith("the ") else ""
        return times + self.kind


@dataclass(frozen=True)
class View:
    """A scene as it is seen."""

    image: bytes
    place: Callable[[Array], tuple[float, float]]
    """Returns where a point in space is on the picture."""
    owners: NDArray[np.int64]
    """The item seen at each point, by its number; 0 where there is none."""
    numbers: dict[str, list[int]]
    """The numbers of the items of each kind that comes."""
    labels: tuple[Label, ...]


def off(move: Move) -> float:
    """Return how far what comes stands off in the picture, in mm."""
    return move.distance if not move.joins else 70.0


def view(scene: Scene, data: Data) -> View:
    """Return a scene as it is seen. Raise `Hidden` if the picture does not show what it names."""
    step, before, coming = scene.step, scene.before, scene.coming
    faces: list[tuple[Array, Array, tuple[int, int, int], int]] = []
    anchors: dict[str, list[tuple[Array, int]]] = {}
    camera = _camera(step)
    counts: dict[str, int] = {}
    number = 0
    for item in before:
        number += 1
        tints = dict(item.tints)
        for index, prism in enumerate(item.prisms):
            colour = _rgb(tints.get(index, item.colour), pale=bool(coming))
            faces += [(points, normal, colour, number * 1000 + face) for points, normal, face in _faces(prism)]
    layered: dict[str, int] = {}
    for item, move in coming:
        number += 1
        far = off(move)
        if step.assembly in ("tower", "cover") and not move.joins:
            kind = _kind(item.name)
            layered[kind] = layered.get(kind, 0) + 1
            if kind.startswith("tower"):
                far = 20.0 * layered[kind] - 20.0
        shown = propped(data, item) if step.key == "close" else item.moved(move.back(far))
        if "screw" in item.name and not move.joins:
            shafts = [_shaft(it, move, _screw_length(data, item.name)) for it in shown.prisms]
            shown = replace(shown, prisms=(*shown.prisms, *shafts))
        middles = []
        tints = dict(item.tints)
        for index, prism in enumerate(shown.prisms):
            colour = _rgb(tints.get(index, item.colour))
            faces += [(points, normal, colour, number * 1000 + face) for points, normal, face in _faces(prism)]
            middles.append([(a + b) / 2 for a, b in prism.bounds])
        kind = _kind(item.name) if not move.joins else f"the {move.joins}, as made before"
        if "screw" in kind:
            kind += f", M3 × {_screw_length(data, item.name):g}"
        if step.assembly == "tower" and kind.startswith("tower"):
            kind = item.name.replace(" south", ", layer")
        # Screws and nuts of a joint are one item.
        several = len(item.prisms) if re.search(r"(screws|nuts)( |$)", item.name) and not move.joins else 1
        counts[kind] = counts.get(kind, 0) + several
        if step.assembly == "tower":  # the layers hide each other's middles: name them at their right edges
            middles[0][0] = shown.prisms[0].bounds[0][1]
        anchors.setdefault(kind, []).append((np.array(middles[0]), number))
    image, place, owners = _draw(faces, camera)
    labels = [
        Label(
            counts[kind],
            kind,
            _spot([(place(point), number) for point, number in found], owners, f"{step.key}: {kind}"),
        )
        for kind, found in anchors.items()
    ]
    numbers = {kind: [number for _, number in found] for kind, found in anchors.items()}
    return View(image, place, owners, numbers, tuple(sorted(labels, key=lambda it: it.spot[1])))


class Hidden(Broken):
    """A picture names something that it does not show; the message says what."""


def _spot(
    found: Sequence[tuple[tuple[float, float], int]], owners: NDArray[np.int64], what: str
) -> tuple[float, float]:
    """Return where a leader ends: on something of its kind that is seen, the nearest to the names on the right."""
    for (x, y), number in sorted(found, key=lambda it: (-it[0][0], it[0][1])):
        row, column = math.floor(y * FINE), math.floor(x * FINE)
        if (owners[row - 2 : row + 3, column - 2 : column + 3] == number).any():
            return x, y
    # Their middles are hidden, or in a hole: the widest part of one that is seen.
    seen = [owners == number for _, number in found]
    sizes = [int(mask.sum()) for mask in seen]
    if max(sizes) < LEAST:
        raise Hidden(f"{what} is hidden")
    inner = max((mask for mask, size in zip(seen, sizes, strict=True) if 3 * size >= max(sizes)), key=_rightmost)
    for _ in range(6 * FINE):
        smaller = inner.copy()
        for axis in (0, 1):
            smaller &= np.roll(inner, 1, axis) & np.roll(inner, -1, axis)
        if not smaller.any():
            break
        inner = smaller
    rows, columns = np.nonzero(inner)
    nearest = np.argmin((rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2)
    return (float(columns[nearest]) + 0.5) / FINE, (float(rows[nearest]) + 0.5) / FINE


LEAST = 40 * FINE**2
"""Points of a thing that have to be seen if a picture names it."""


def _rightmost(mask: NDArray[np.bool_]) -> float:
    return float(np.nonzero(mask)[1].mean())


def picture(scene: Scene, data: Data) -> str:
    """Return a step as SVG. Raise `Hidden` if the picture does not show what it names."""
    step = scene.step
    seen = view(scene, data)
    image = base64.b64encode(seen.image).decode()
    svg = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + MARGIN} {HEIGHT}" '
        f'width="{WIDTH + MARGIN}" height="{HEIGHT}" font-family="DejaVu Sans, sans-serif">',
        f"<!-- {scene.stamp()} -->",
        f"<title>{escape(step.title)}</title>",
        f'<rect width="{WIDTH + MARGIN}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<image width="{WIDTH}" height="{HEIGHT}" href="data:image/png;base64,{image}"/>',
    ]
    gap = min(30.0, (HEIGHT - 60) / max(1, len(seen.labels)))
    rows = _spread([label.spot[1] for label in seen.labels], gap)
    for label, y in zip(seen.labels, rows, strict=True):
        spot = label.spot
        svg.append(
            f'<path d="M{spot[0]:.0f},{spot[1]:.0f} L{WIDTH - 4},{y:.0f}" stroke="#1058a8" fill="none"/>'
            f'<circle cx="{spot[0]:.0f}" cy="{spot[1]:.0f}" r="2.4" fill="#1058a8"/>'
            f'<text x="{WIDTH}" y="{y + 4.5:.0f}" font-size="13" fill="#103a6a">{escape(label.text)}</text>'
        )
    if not scene.coming:
        svg += _engraved(scene, seen)
    if step.key == "ring":
        svg += _ring_signs(data, scene.coming[0][1].distance, seen.place)
    if step.key == "close":
        svg += _leads(data, seen.place)
    if step.key == "lid":
        svg += _lid_signs(scene, seen.place)
    svg.append(f'<text x="12" y="24" font-size="16" fill="#222222">{escape(step.title)}</text>')
    if step.below:
        svg.append('<text x="12" y="44" font-size="12" fill="#666666">seen from below</text>')
    svg.append("</svg>\n")
    return "\n".join(svg)


def _engraved(scene: Scene, seen: View) -> list[str]:
    """Return what players read on the finished thing, as it lies on the faces that are seen."""
    out = []
    for number, item in enumerate(scene.before, 1):
        if item.plate is None or not item.plate.signs:
            continue
        (prism,) = item.prisms
        lay = laid(item)[0]

        def at(
            x: float, y: float, prism: Prism = prism, lay: Callable[[Point], Point] = lay, end: int = item.face
        ) -> Array:
            point = lay(Point(x, y))
            return np.array(seen.place(_solid((point.x, point.y), prism.high if end > 0 else prism.low, prism.axis)))

        for words in texts(item.plate):
            (x, y), long, high = words.at, words.length, words.size
            corners = [at(*it) for it in ((x, y), (x + long, y), (x, y + high), (x + long, y + high))]
            hidden = [seen.owners[int(it[1] * FINE), int(it[0] * FINE)] != number for it in corners]
            if sum(hidden) > 1:  # one may be behind a screw's head
                continue
            (a, b), (c, d) = (corners[1] - corners[0]) / long, (corners[0] - corners[2]) / high
            e, f = corners[0]
            out.append(
                f'<text transform="matrix({a:.3f} {b:.3f} {c:.3f} {d:.3f} {e:.1f} {f:.1f})" font-size="{words.size:g}" '
                f'textLength="{long:.1f}" fill="#5a3a10">{escape(words.text)}</text>'
            )
    return out


def _screw_length(data: Data, name: str) -> float:
    """Return how long a screw is under its head; the solids are heads only, because the shafts are in holes."""
    if "clamp" in name:
        return 12.0
    if name.startswith("hub"):
        below, above = data["board"]["hub"]["screws"]
        return float(below if name.endswith("below") else above)
    return 25.0 if "tower" in name else 16.0 if name.startswith(("lid", "board", "deck")) else 8.0


def _shaft(head: Prism, move: Move, length: float) -> Prism:
    """Return the shaft of a screw under its head."""
    centre = head.shape.centroid.buffer(1.5, 6)
    if move.toward[head.axis] > 0:
        return Prism(head.axis, centre, head.high, head.high + length)
    return Prism(head.axis, centre, head.low - length, head.low)


def _ring_signs(data: Data, lift: float, place: Callable[[Array], tuple[float, float]]) -> list[str]:
    """Return arrows along the strips, from the first pixel of each to its last, and the wires at the corners."""
    pixels, count = ring(data), int(data["ring"]["side"])
    joints = ("W7: 5V, data, GND", "W21", "W22 and W17: 5V, GND", "W23")
    out = []
    for side, joint in enumerate(joints):
        first, last = (np.array(place(np.array([*pixels[side * count + index], lift]))) for index in (0, count - 1))
        way = (last - first) / np.linalg.norm(last - first)
        across = np.array([-way[1], way[0]])
        head = [last, last - 14 * way + 6 * across, last - 14 * way - 6 * across]
        points = " ".join(f"{x:.0f},{y:.0f}" for x, y in head)
        out.append(
            f'<path d="M{first[0]:.0f},{first[1]:.0f} L{last[0]:.0f},{last[1]:.0f}" stroke="#c02020" stroke-width="2"/>'
            f'<polygon points="{points}" fill="#c02020"/>'
            f'<circle cx="{first[0]:.0f}" cy="{first[1]:.0f}" r="5" fill="#c02020"/>'
        )
        dx, dy, anchor = ((0, -12, "start"), (0, -12, "start"), (0, 24, "middle"), (-10, 5, "end"))[side]
        x, y = first[0] + dx, first[1] + dy
        halo = 'stroke="#ffffff" stroke-width="3" paint-order="stroke"'
        out.append(
            f'<text x="{x:.0f}" y="{y:.0f}" font-size="13" fill="#c02020" {halo} text-anchor="{anchor}">{joint}</text>'
        )
    return out


def _leads(data: Data, place: Callable[[Array], tuple[float, float]]) -> list[str]:
    """Return the cables from the deck, propped up, to the hub."""
    out = []
    for number, lead in enumerate(leads(data)):
        start, end = (np.array(place(np.array(it))) for it in (lead.start, lead.end))
        middle = (start + end) / 2 + np.array([14.0 * (number - 3.5), 30.0])
        colour = LEADS[number]
        out.append(
            f'<path d="M{start[0]:.0f},{start[1]:.0f} Q{middle[0]:.0f},{middle[1]:.0f} {end[0]:.0f},{end[1]:.0f}" '
            f'stroke="{colour}" stroke-width="2.5" fill="none"/>'
            f'<circle cx="{end[0]:.0f}" cy="{end[1]:.0f}" r="4" fill="{colour}"/>'
        )
        text = f"{lead.cable} to {lead.header}"
        out.append(
            f'<text x="12" y="{60 + 17 * number}" font-size="13" fill="{colour}">{text}: {LED_FROM[lead.cable]}</text>'
        )
    return out


LEADS = ("#c02020", "#e07020", "#208020", "#806000", "#1058a8", "#7030a0", "#008080", "#505050")
LED_FROM = {
    "W7": "ring, north-west corner",
    "W17": "ring, south-east corner",
    "W12": "floor",
    "W13": "disc",
    "W41": "north side",
    "W42": "east side",
    "W43": "south side",
    "W44": "west side",
}


ARROW = "#7030a0"
"""The arrows on the lid: no wire there has this colour."""


def _lid_signs(scene: Scene, place: Callable[[Array], tuple[float, float]]) -> list[str]:
    """Return the rectangles that are engraved on the lid, arrows along the strips, and the wires through the holes."""
    out = []
    (lid, come), *strips = scene.coming
    assert lid.plate is not None
    (prism,) = lid.prisms
    middle, face = prism.shape.centroid.y, prism.high - come.distance
    for mark in lid.plate.marks:
        assert not isinstance(mark, Hole)
        points = " ".join("{:.0f},{:.0f}".format(*place(np.array([x, middle + y, face]))) for x, y in mark)
        out.append(f'<polygon points="{points}" fill="none" stroke="#0060c0" stroke-dasharray="5 3"/>')
    holes = [(it.x, middle + it.y) for it in lid.plate.openings if isinstance(it, Hole)]
    for item, move in strips:
        (left, right), (front, back), (_, top) = item.prisms[0].bounds
        y, z = (front + back) / 2, top + move.distance
        start, end = (np.array(place(np.array([x, y, z]))) for x in (left + 4, right - 4))
        way = (end - start) / np.linalg.norm(end - start)
        across = np.array([-way[1], way[0]])
        head = " ".join(f"{x:.0f},{y:.0f}" for x, y in (end, end - 14 * way + 6 * across, end - 14 * way - 6 * across))
        out.append(
            f'<path d="M{start[0]:.0f},{start[1]:.0f} L{end[0]:.0f},{end[1]:.0f}" stroke="{ARROW}" stroke-width="2"/>'
            f'<polygon points="{head}" fill="{ARROW}"/>'
        )
        for x, colours in ((left, ("#d02020", "#20a020", "#101010")), (right, ("#d8b000",))):
            # The wires of an end go through the hole that is nearest to it.
            _, *nearest = min((math.dist(it, (x, y)), *it) for it in holes)
            hole = place(np.array([*nearest, face]))
            for index, colour in enumerate(colours):
                at = y + 3 * (index - (len(colours) - 1) / 2)
                pad = place(np.array([x, at, z]))
                out.append(
                    f'<path d="M{pad[0]:.0f},{pad[1]:.0f} L{hole[0]:.0f},{hole[1]:.0f}" stroke="{colour}" '
                    'stroke-width="2" fill="none"/>'
                )
    out.append(
        f'<text x="12" y="46" font-size="13" fill="{ARROW}">arrows from DIN to DOUT; '
        "left end: red 5V, green DIN, black GND; right end: yellow DOUT</text>"
    )
    return out


def _kind(name: str) -> str:
    """Return an item's name without what tells it from its likes."""
    if name.startswith("ring "):
        return "strip of the ring"
    name = re.sub(r"^(box|place) clamp", "bar", name)
    name = re.sub(r" (north|east|south|west|left|right|offer|pile|low|rim|below)\b", "", name)
    return re.sub(r"( (layer )?\d+)+$", "", name)


def _rgb(colour: str, pale: bool = False) -> tuple[int, int, int]:
    parts = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    if pale:
        grey = sum(parts) / 3
        parts = [round(232 - 0.16 * (255 - (0.5 * it + 0.5 * grey))) for it in parts]
    return parts[0], parts[1], parts[2]


def _spread(wanted: Sequence[float], gap: float) -> list[float]:
    """Return heights at least a gap apart, near to those wanted, within the picture."""
    rows: list[float] = []
    for y in wanted:
        rows.append(max(y, rows[-1] + gap if rows else 40.0))
    over = rows[-1] - (HEIGHT - 20) if rows else 0.0
    if over > 0:
        rows = [y - over for y in rows]
        for index in range(len(rows) - 2, -1, -1):
            rows[index] = min(rows[index], rows[index + 1] - gap)
        for index, y in enumerate(rows):
            rows[index] = max(y, 40.0 + gap * index)
    return rows


def _camera(step: Step) -> Array:
    """Return the rows right, up and towards the eye."""
    # The screws come from the tray: look at the south tower from there. The deck is closed from the north.
    turn, tilt = math.radians(208 if step.key in ("screws", "close") else 28), math.radians(-38 if step.below else 36)
    right = np.array([math.cos(turn), math.sin(turn), 0.0])
    eye = np.array([math.sin(turn) * math.cos(tilt), -math.cos(turn) * math.cos(tilt), math.sin(tilt)])
    return np.array([right, np.cross(eye, right), eye])


def _faces(prism: Prism) -> Iterator[tuple[Array, Array, int]]:
    """Yield triangles, their normals, and the number of the face that each belongs to."""
    shapes = prism.shape.geoms if hasattr(prism.shape, "geoms") else [prism.shape]
    for shape in shapes:
        for end, sign in ((prism.low, -1.0), (prism.high, 1.0)):
            normal = _solid((0.0, 0.0), sign, prism.axis)
            for triangle in shapely.constrained_delaunay_triangles(shape).geoms:
                points = np.array([_solid(point, end, prism.axis) for point in list(triangle.exterior.coords)[:3]])
                yield points, normal, 0 if sign < 0 else 1
        yield from _walls(prism, shape)


def _walls(prism: Prism, shape: Polygon) -> Iterator[tuple[Array, Array, int]]:
    face = 2
    for line in (shape.exterior, *shape.interiors):
        points = list(line.coords)
        sign = 1.0 if line.is_ccw else -1.0
        outward = 1.0 if line is shape.exterior or line == shape.exterior else -1.0
        last: tuple[float, float] | None = None
        for (x1, y1), (x2, y2) in pairwise(points):
            length = math.hypot(x2 - x1, y2 - y1)
            if length < 1e-9:
                continue
            flat = ((y2 - y1) / length * sign * outward, (x1 - x2) / length * sign * outward)
            if last is not None and flat[0] * last[0] + flat[1] * last[1] < 0.8:
                face += 1
            last = flat
            normal = _solid(flat, 0.0, prism.axis)
            a, b = _solid((x1, y1), prism.low, prism.axis), _solid((x2, y2), prism.low, prism.axis)
            c, d = _solid((x2, y2), prism.high, prism.axis), _solid((x1, y1), prism.high, prism.axis)
            yield np.array([a, b, c]), normal, face
            yield np.array([a, c, d]), normal, face
        face += 1


def _solid(point: Sequence[float], along: float, axis: int) -> Array:
    values = [point[0], point[1]]
    values.insert(axis, along)
    return np.array(values)


def _draw(
    faces: Sequence[tuple[Array, Array, tuple[int, int, int], int]], camera: Array
) -> tuple[bytes, Callable[[Array], tuple[float, float]], NDArray[np.int64]]:
    """Return the picture as PNG, a function from a point in space to one on it, and the item seen at each point."""
    triangles = np.array([points for points, *_ in faces]) @ camera.T
    normals = np.array([normal for _, normal, *_ in faces])
    low, high = triangles[..., :2].min((0, 1)), triangles[..., :2].max((0, 1))
    room = np.array([WIDTH - 40, HEIGHT - 80])
    scale = float((room / (high - low)).min())
    offset = np.array([WIDTH / 2, HEIGHT / 2 + 15]) - scale * np.array([1, -1]) * (low + high) / 2

    def place(point: Array) -> tuple[float, float]:
        x, y, _ = camera @ point
        return float(offset[0] + scale * x), float(offset[1] - scale * y)

    wide, tall = WIDTH * FINE, HEIGHT * FINE
    depth = np.full((tall, wide), -1e9)
    ids = np.zeros((tall, wide), dtype=np.int64)
    colours = np.full((tall, wide, 3), 255.0)
    screen = np.stack(
        [FINE * (offset[0] + scale * triangles[..., 0]), FINE * (offset[1] - scale * triangles[..., 1])], -1
    )
    facing = normals @ camera[2]
    light = 0.62 + 0.38 * np.clip(normals @ (SUN / np.linalg.norm(SUN)) * 0.6 + 0.4, 0, 1)
    light = np.where(facing < 0, 0.8, light)
    for index, (_, _, colour, face) in enumerate(faces):
        if facing[index] <= 1e-6:
            continue
        (x1, y1), (x2, y2), (x3, y3) = screen[index]
        area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)
        if abs(area) < 1e-6:
            continue
        left, right = max(0, math.floor(min(x1, x2, x3))), min(wide - 1, math.ceil(max(x1, x2, x3)))
        top, bottom = max(0, math.floor(min(y1, y2, y3))), min(tall - 1, math.ceil(max(y1, y2, y3)))
        xs = np.arange(left, right + 1)[None, :] + 0.5
        ys = np.arange(top, bottom + 1)[:, None] + 0.5
        b = ((xs - x1) * (y3 - y1) - (x3 - x1) * (ys - y1)) / area
        c = ((x2 - x1) * (ys - y1) - (xs - x1) * (y2 - y1)) / area
        inside = (b >= -1e-9) & (c >= -1e-9) & (b + c <= 1 + 1e-9)
        z1, z2, z3 = triangles[index, :, 2]
        z = z1 + b * (z2 - z1) + c * (z3 - z1)
        window = (slice(top, bottom + 1), slice(left, right + 1))
        nearer = inside & (z > depth[window])
        depth[window][nearer] = z[nearer]
        ids[window][nearer] = face
        colours[window][nearer] = np.array(colour) * light[index]
    edge = np.zeros((tall, wide), dtype=bool)
    edge[:, 1:] |= ids[:, 1:] != ids[:, :-1]
    edge[1:, :] |= ids[1:, :] != ids[:-1, :]
    colours[edge] *= 0.42
    small = colours.reshape(HEIGHT, FINE, WIDTH, FINE, 3).mean((1, 3))
    return _png(small), place, ids // 1000


def _png(pixels: Array) -> bytes:
    """Return an image as PNG with a palette: few colours, so that it stays small."""
    coarse = (np.clip(np.round(pixels / 17), 0, 15) * 17).astype(np.uint8)
    flat = coarse.reshape(-1, 3)
    palette, index = np.unique(flat, axis=0, return_inverse=True)
    if len(palette) > 256:
        coarse = (np.clip(np.round(pixels / 36.4), 0, 7) * 36.4).astype(np.uint8)
        palette, index = np.unique(coarse.reshape(-1, 3), axis=0, return_inverse=True)
        if len(palette) > 256:
            coarse = (np.clip(np.round(pixels / 51), 0, 5) * 51).astype(np.uint8)
            palette, index = np.unique(coarse.reshape(-1, 3), axis=0, return_inverse=True)
    rows = index.reshape(HEIGHT, WIDTH).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"PLTE", palette.tobytes())
        + chunk(b"IDAT", zlib.compress(raw, 9))
        + chunk(b"IEND", b"")
    )
