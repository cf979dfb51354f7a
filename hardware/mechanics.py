"""The table's solids: pieces of sheet and bought parts, where they are, and in which order they come together.

Everything follows from ``arena.toml``. Every solid is a *prism*: a polygon that is extruded along x, y or z. That is
exact for pieces of sheet, and close enough for what is bought; it lets overlaps, swept volumes and sight lines be
computed in a second, with shapely. ``solids.py`` makes STEP and STL of the same prisms, ``sheets.py`` the files to cut
the same pieces by, ``steps.py`` the pictures.

Lengths in mm. Two worlds: the arena with its box, and one place.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise, permutations

import numpy as np
from shapely import affinity
from shapely.geometry import MultiPolygon, Point, Polygon, box
from shapely.ops import unary_union

from hardware import HERE
from hardware.arena import HEAD, WOOD_DENSITY, Data, deck_z, light_top, pillar, ring, slot_middle, turned

XY = tuple[float, float]
Vector = tuple[float, float, float]
Way = tuple[int, int, int]
"""Along each axis: to, fro, or not at all."""

X, Y, Z = 0, 1, 2
UP: Vector = (0, 0, 1)
DOWN: Vector = (0, 0, -1)
CLEAR = 1e-3
"""mm of overlap that counts as touching."""


# -- prisms ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Prism:
    """A polygon extruded along an axis. It is given in the other two coordinates, in their order: (y, z) along x,
    (x, z) along y, (x, y) along z."""

    axis: int
    shape: Polygon
    low: float
    high: float

    @cached_property
    def bounds(self) -> tuple[XY, XY, XY]:
        """Return least and greatest x, y and z."""
        a0, b0, a1, b1 = self.shape.bounds
        ranges = [(a0, a1), (b0, b1)]
        ranges.insert(self.axis, (self.low, self.high))
        return ranges[0], ranges[1], ranges[2]

    def moved(self, by: Vector) -> Prism:
        """Return it moved."""
        a, b = (by[axis] for axis in (X, Y, Z) if axis != self.axis)
        return Prism(
            self.axis, affinity.translate(self.shape, a, b), self.low + by[self.axis], self.high + by[self.axis]
        )

    def turned(self, quarters: int) -> Prism:
        """Return it turned clockwise about z: from north to east, and so on."""
        it = self
        for _ in range(quarters % 4):
            if it.axis == Z:
                it = Prism(Z, _mapped(it.shape, lambda x, y: (y, -x)), it.low, it.high)
            elif it.axis == Y:
                it = Prism(X, _mapped(it.shape, lambda x, z: (-x, z)), it.low, it.high)
            else:
                it = Prism(Y, it.shape, -it.high, -it.low)
        return it

    def swept(self, by: Vector) -> Prism:
        """Return the volume that it passes through while it moves along an axis."""
        along = next(axis for axis in (X, Y, Z) if by[axis])
        if along == self.axis:
            return Prism(self.axis, self.shape, self.low + min(0, by[along]), self.high + max(0, by[along]))
        a, b = (by[axis] for axis in (X, Y, Z) if axis != self.axis)
        parts = [self.shape, affinity.translate(self.shape, a, b)]
        for line in (self.shape.exterior, *self.shape.interiors):
            points = list(line.coords)
            for (x1, y1), (x2, y2) in pairwise(points):
                parts.append(Polygon([(x1, y1), (x2, y2), (x2 + a, y2 + b), (x1 + a, y1 + b)]).buffer(0))
        return Prism(self.axis, unary_union(parts), self.low, self.high)

    def overlaps(self, other: Prism) -> bool:
        """Return True when the two share a volume, not only a face."""
        for (low, high), (other_low, other_high) in zip(self.bounds, other.bounds, strict=True):
            if min(high, other_high) - max(low, other_low) < CLEAR:
                return False
        if self.axis == other.axis:
            return bool(self.shape.intersection(other.shape).buffer(-CLEAR / 2).area > 0)
        # Perpendicular: where along the third axis is there something of both?
        mine = _shadow(self, other.axis, (other.low, other.high))
        theirs = _shadow(other, self.axis, (self.low, self.high))
        return any(min(b, d) - max(a, c) >= CLEAR for a, b in mine for c, d in theirs)


def _shadow(prism: Prism, along: int, limits: XY) -> list[XY]:
    """Return where, on the axis that is left, the prism has something within limits of the axis ``along``."""
    first = next(axis for axis in (X, Y, Z) if axis != prism.axis) == along
    a0, b0, a1, b1 = prism.shape.bounds
    clip = box(limits[0], b0 - 1, limits[1], b1 + 1) if first else box(a0 - 1, limits[0], a1 + 1, limits[1])
    found = prism.shape.intersection(clip)
    parts = found.geoms if hasattr(found, "geoms") else [found]
    spans = []
    for part in parts:
        if part.area > 0:
            left, bottom, right, top = part.bounds
            spans.append((bottom, top) if first else (left, right))
    return spans


def _mapped(shape: Polygon, change: Callable[[float, float], XY]) -> Polygon:
    return Polygon(
        [change(*point) for point in shape.exterior.coords],
        [[change(*point) for point in line.coords] for line in shape.interiors],
    )


# -- pieces of sheet ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hole:
    """A round hole: middle and diameter."""

    x: float
    y: float
    diameter: float


Opening = Hole | tuple[XY, ...]


@dataclass(frozen=True)
class Sign:
    """A text that players see: what it says, its middle, and its size."""

    text: str
    at: XY
    size: float


@dataclass(frozen=True)
class Plate:
    """A piece of sheet, in coordinates of its own, seen from the face that is engraved.

    That face carries either its name, and is hidden in the table that is built, or signs for players.
    """

    name: str
    outline: tuple[XY, ...]
    openings: tuple[Opening, ...]
    thickness: float
    marks: tuple[Opening, ...] = ()
    """Lines to draw on it, not to cut."""
    label: str = ""
    """Its label, if that differs from its name."""
    signs: tuple[Sign, ...] = ()
    """The text that players see on it, in place of its name."""
    hidden: tuple[XY, ...] = ()
    """The part of its face where its name is hidden; empty for all of it."""

    @cached_property
    def shape(self) -> Polygon:
        """Return it as a polygon; round holes have 48 corners."""
        return Polygon(self.outline, [ring_of(opening) for opening in self.openings])


def ring_of(opening: Opening) -> list[XY]:
    """Return an opening as corners; a round one has 48."""
    if isinstance(opening, Hole):
        return list(Point(opening.x, opening.y).buffer(opening.diameter / 2, 12).exterior.coords)
    return list(opening)


def mirrored(plate: Plate) -> Plate:
    """Return a piece as it is seen from its other face."""

    def flip(opening: Opening) -> Opening:
        if isinstance(opening, Hole):
            return Hole(-opening.x, opening.y, opening.diameter)
        return tuple((-x, y) for x, y in reversed(opening))

    outline = flip(plate.outline)
    assert not isinstance(outline, Hole)
    return replace(plate, outline=outline, openings=tuple(flip(it) for it in plate.openings))


def rectangle(x: float, y: float, width: float, height: float) -> tuple[XY, ...]:
    """Return the corners of a rectangle around a middle."""
    w, h = width / 2, height / 2
    return (x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)


def _block(x: XY, y: XY, z: XY) -> Prism:
    return Prism(Z, box(x[0], y[0], x[1], y[1]), *z)


def scaled(way: Way, by: float) -> Vector:
    """Return a way, so far along each of its axes."""
    x, y, z = way
    return by * x, by * y, by * z


def _rod(axis: int, at: XY, diameter: float, low: float, high: float, corners: int = 6) -> Prism:
    return Prism(axis, Point(*at).buffer(diameter / 2, corners), low, high)


# -- items and steps -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Item:
    """A piece, or a bought part, where it ends up."""

    name: str
    prisms: tuple[Prism, ...]
    colour: str
    plate: Plate | None = None
    """The piece that it is, if it is cut from sheet."""
    face: int = 1
    """Its engraved face: 1 for the upper end of its prism, -1 for the lower one."""
    tints: tuple[tuple[int, str], ...] = ()
    """Colours of single prisms, by their index."""

    def moved(self, by: Vector) -> Item:
        """Return it elsewhere."""
        return replace(self, prisms=tuple(prism.moved(by) for prism in self.prisms))


@dataclass(frozen=True)
class Bond:
    """Items that are fast to each other: glued, soldered, or screwed by shafts, which are drawn nowhere else."""

    names: tuple[str, ...]
    shafts: tuple[Prism, ...] = ()
    glued: bool = False


@dataclass(frozen=True)
class Move:
    """Items are brought to an assembly, straight, from a direction."""

    names: tuple[str, ...]
    toward: Vector
    """The way that they move."""
    distance: float = 80.0
    joins: str = ""
    """Instead of names: all of this assembly."""

    def back(self, distance: float) -> Vector:
        """Return the way to where they come from, so far."""
        x, y, z = self.toward
        return -x * distance, -y * distance, -z * distance


@dataclass(frozen=True)
class Step:
    """A step of the assembly, as the guide tells it."""

    key: str
    title: str
    assembly: str
    moves: tuple[Move, ...]
    below: bool = False
    """Show it from below."""


@dataclass
class World:
    """Items, and the steps that bring them together."""

    name: str
    items: dict[str, Item] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    bonds: list[Bond] = field(default_factory=list)

    def add(
        self,
        name: str,
        colour: str,
        *prisms: Prism,
        plate: Plate | None = None,
        face: int = 1,
        tints: tuple[tuple[int, str], ...] = (),
    ) -> None:
        """Add an item."""
        assert name not in self.items, name
        self.items[name] = Item(name, prisms, colour, plate, face, tints)

    def glue(self, *names: str) -> None:
        """Glue, tape or stick each of these to the one before it."""
        self.bonds += [Bond(pair, glued=True) for pair in pairwise(names)]

    def join(self, *names: str, shafts: Sequence[Prism] = ()) -> None:
        """Join items by solder, a snap, or a thread with the shafts that it goes through."""
        self.bonds.append(Bond(names, tuple(shafts)))

    def names(self, *beginnings: str) -> tuple[str, ...]:
        """Return the items whose names begin so."""
        return tuple(name for name in self.items if name.startswith(beginnings))

    def step(self, key: str, title: str, assembly: str, *moves: Move, below: bool = False) -> None:
        """Add a step."""
        self.steps.append(Step(key, title, assembly, moves, below))

    def pieces(self) -> dict[Plate, int]:
        """Return the pieces that are cut, and how many of each."""
        found: dict[Plate, int] = {}
        for item in self.items.values():
            if item.plate:
                found[item.plate] = found.get(item.plate, 0) + 1
        return found


WOOD, DARK, BOARD, METAL, BLACK, WHITE, FOAM, LIGHT = (
    "#d9bd8b",
    "#b9965c",
    "#2f7d4f",
    "#a9afb8",
    "#3a3a3e",
    "#f2efe6",
    "#8fb0cc",
    "#c04040",
)
KEYS = (BLACK, BLACK, "#d9772b", WHITE)
"""Key tops of a place, from left to right: minus, plus, a, b."""
OUT = {0: "north", 1: "east", 2: "south", 3: "west"}


# -- the arena ---------------------------------------------------------------------------------------------------


def arena_world(data: Data) -> World:
    """Return the arena on its box, with the hub in it."""
    world = World("arena")
    _tray(world, data)
    _towers(world, data)
    _covers(world, data)
    _deck(world, data)
    _frame(world, data)
    _box(world, data)
    _hub(world, data)
    _arena_steps(world)
    return world


def _tray(world: World, data: Data) -> None:
    tray, tiers, floor = data["tray"], data["tiers"], data["floor"]
    sheet, inner = tray["sheet"], tray["inner"]
    outer = inner + 2 * sheet
    width, height = floor["window"]
    openings: list[Opening] = []
    for name in ("offer", "pile"):
        x, y = floor[name]
        openings.append(rectangle(x, y, *((width, height) if name == "offer" else (height, width))))
    px, py = floor["piezo"]
    card = data["card"]
    plate = Plate(
        "floor of the tray",
        rectangle(0, 0, outer, outer),
        tuple(openings),
        sheet,
        (rectangle(0, 0, card["width"], card["length"]), Hole(px, py, floor["piezo_diameter"])),
        hidden=rectangle(0, -(inner + sheet) / 2, outer, sheet),
    )
    world.add("tray floor", WOOD, Prism(Z, plate.shape, -sheet, 0), plate=plate)
    for name, length in (("north", outer), ("east", inner)):
        holes = tuple(rectangle(s * tiers["across"], slot_middle(data), *tray["slot"]) for s in (-1, 1))
        outline = ((-length / 2, 0), (length / 2, 0), (length / 2, tray["wall"]), (-length / 2, tray["wall"]))
        # Outside, behind the towers: elsewhere it is seen between frame and deck.
        hidden = rectangle(0, tray["wall"] / 2, data["tower"]["width"] - 4, tray["wall"])
        kind = "long" if name == "north" else "short"
        wall = Plate(f"wall of the tray, {kind}", outline, holes, sheet, hidden=hidden)
        for turn in (0, 2) if name == "north" else (1, 3):
            prism = Prism(Y, wall.shape, inner / 2, inner / 2 + sheet).turned(turn)
            world.add(f"tray wall {OUT[turn]}", WOOD, prism, plate=wall, face=_outward(turn))
            world.glue("tray floor", f"tray wall {OUT[turn]}")
    cw, ch = floor["collar"]
    play = 0.2
    sensor = floor["sensor"]
    hole = rectangle(0, 0, sensor[0] + play, sensor[1] + play)
    collar = Plate("collar of a sensor", rectangle(0, 0, cw, ch), (hole,), sheet)
    bx, by = floor["bridge_at"]
    legs = tuple(Hole(x, y, floor["bridge_hole"]) for x in (-bx, bx) for y in (-by, by))
    bridge = Plate("bridge of a sensor", rectangle(0, 0, cw, ch), legs, sheet)
    for name in ("offer", "pile"):
        x, y = floor[name]
        turn = 0 if name == "offer" else 1

        def put(prism: Prism, x: float = x, y: float = y, turn: int = turn) -> Prism:
            return prism.turned(turn).moved((x, y, 0))

        z = -sheet
        for layer in range(floor["collars"]):
            own = f"collar {name} {layer + 1}"
            world.add(own, DARK, put(Prism(Z, collar.shape, z - sheet, z)), plate=collar, face=-1)
            world.glue(f"collar {name} {layer}" if layer else "tray floor", own)
            z -= sheet
        body = box(-sensor[0] / 2, -sensor[1] / 2, sensor[0] / 2, sensor[1] / 2)
        world.add(f"sensor {name}", BLACK, put(Prism(Z, body, z, z + sensor[2])))
        world.add(f"bridge {name}", DARK, put(Prism(Z, bridge.shape, z - sheet, z)), plate=bridge, face=-1)
        world.glue(f"collar {name} {floor['collars']}", f"bridge {name}")
        world.join(f"sensor {name}", f"bridge {name}")  # by the wires on its legs, below the bridge
    world.add("piezo disc", METAL, _rod(Z, (px, py), floor["piezo_diameter"], -sheet - 0.5, -sheet))
    world.glue("tray floor", "piezo disc")
    outside, hole, thick, _ = tray["washer"]
    for number, at in enumerate(tray["washers"], 1):
        disc = Point(*at).buffer(outside / 2, 6).difference(Point(*at).buffer(hole / 2, 6))
        world.add(f"washer {number}", METAL, Prism(Z, disc, -sheet - thick, -sheet))
        world.glue("tray floor", f"washer {number}")


BORNE = 7.5
"""Grams of what the tray carries beside wood and washers: two sensors, the disc, glue, half of its wires."""


def tray_mass(data: Data) -> float:
    """Return what floats on the pads, in grams: the floor and all that is fast to it."""
    world = World("tray")
    _tray(world, data)
    wood = sum(it.prisms[0].shape.area * it.plate.thickness for it in world.items.values() if it.plate)
    return float(WOOD_DENSITY * wood + len(data["tray"]["washers"]) * data["tray"]["washer"][3] + BORNE)


def faults(data: Data) -> list[str]:
    """Return what does not fit together of all solids, in words; not their lettering."""
    both = worlds(data)
    found = sight_faults(data, both[0])
    for world in both:
        found += overlaps(world.items.values()) + blocked(world) + bond_faults(world) + loose(world)
        found += web_faults(data, world.pieces())
    return found + weight_faults(data)


def weight_faults(data: Data) -> list[str]:
    """Return whether the tray is too light or too heavy for its pads."""
    wanted, mass = data["tray"]["mass"], tray_mass(data)
    if abs(mass - wanted) <= 0.05 * wanted:
        return []
    return [f"the tray weighs {mass:.0f} g, and its pads want {wanted:g} g: change tray.washers"]


def _outward(turn: int) -> int:
    """Return which end of a prism looks outwards, of one that was made in the north and turned by quarters."""
    return 1 if turn in (0, 1) else -1


def tower_layer(data: Data, layer: int) -> Plate:
    """Return one layer of a tower, counted from the tray from 1; x and z as seen from the tray."""
    tray, tiers, tower = data["tray"], data["tiers"], data["tower"]
    deck, half = deck_z(data), tower["width"] / 2
    last = layer == tower["layers"]
    round_: list[Hole] = []
    for height, emitter in ((tiers["low"], -1), (tiers["rim"], 1)):
        bore = tiers["body"] if layer <= tower["forward"] else tiers["flange"]
        round_.append(Hole(emitter * tiers["across"], height, bore))
        bore = data["baffle"]["hole"] if layer == 1 else tiers["flange"] if last else tiers["body"]
        round_.append(Hole(-emitter * tiers["across"], height, bore))
    board = data["board"]["side"]
    for x, y in board["holes"]:
        round_.append(Hole(x, y + board["z"], tower["head"] if layer == 1 else board["drill"]))
    # What comes too near to the top is a slot that is open there.
    slots = [it for it in round_ if it.y + it.diameter / 2 + data["sheet"]["web"] > tower["top"]]
    openings: list[Opening] = [it for it in round_ if it not in slots]
    outline: list[XY] = [(half, tower["top"])]
    for it in sorted(slots, key=lambda it: -it.x):
        radius = it.diameter / 2
        outline.append((it.x + radius, tower["top"]))
        outline += [
            (it.x + radius * math.cos(math.radians(angle)), it.y - radius * math.sin(math.radians(angle)))
            for angle in range(0, 181, 10)
        ]
        outline.append((it.x - radius, tower["top"]))
    outline += [(-half, tower["top"]), (-half, deck)]
    if layer in tower["tab_layers"]:
        tab, down = tower["tab"] / 2, deck - tray["sheet"]
        for middle in (-tower["tabs_across"], tower["tabs_across"]):
            outline += [(middle - tab, deck), (middle - tab, down), (middle + tab, down), (middle + tab, deck)]
    outline.append((half, deck))
    if last:
        openings.append(rectangle(0, tower["relief_at"], *tower["relief"]))
    alike = [
        number
        for number in range(1, tower["layers"] + 1)
        if (number == 1, number <= tower["forward"], number == tower["layers"], number in tower["tab_layers"])
        == (layer == 1, layer <= tower["forward"], last, layer in tower["tab_layers"])
    ]
    number = " or ".join(map(str, alike))
    # The front of the first layer is seen above the frame.
    hidden = rectangle(0, (tray["rim"] - tray["sheet"] + deck) / 2, tower["width"], tray["rim"] - tray["sheet"] - deck)
    return Plate(
        f"tower, layer {number}",
        tuple(outline),
        tuple(openings),
        tray["sheet"],
        label=f"tower {number}, this face to the tray",
        hidden=hidden if layer == 1 else (),
    )


def _towers(world: World, data: Data) -> None:
    tiers, tower, sheet = data["tiers"], data["tower"], data["tray"]["sheet"]
    board = data["board"]["side"]
    near = tower["inside"]
    back = near + tower["layers"] * sheet
    stop = near + tower["forward"] * sheet
    length, flange = tiers["emitter"], tiers["rim_of_body"]
    for turn, side in OUT.items():
        for layer in range(1, tower["layers"] + 1):
            plate = tower_layer(data, layer)
            at = near + (layer - 1) * sheet
            world.add(
                f"tower {side} {layer}",
                WOOD if layer % 2 else DARK,
                Prism(Y, plate.shape, at, at + sheet).turned(turn),
                plate=plate,
                face=-_outward(turn),
            )
            if layer > 1:
                world.glue(f"tower {side} {layer - 1}", f"tower {side} {layer}")
            if layer in tower["tab_layers"]:
                world.glue("deck", f"tower {side} {layer}")
        for height, sign in ((tiers["low"], -1), (tiers["rim"], 1)):
            tier = "low" if sign < 0 else "rim"
            seat = stop + flange
            world.add(
                f"emitter {side} {tier}",
                FOAM,
                _rod(Y, (sign * tiers["across"], height), 5.0, seat - length, stop).turned(turn),
                _rod(Y, (sign * tiers["across"], height), 5.8, stop, seat).turned(turn),
                _rod(Y, (sign * tiers["across"], height), 2.0, seat, back).turned(turn),
            )
        shape = affinity.translate(Polygon(rectangle(0, 0, *board["outline"])), 0, board["z"])
        holes = unary_union([Point(x, y + board["z"]).buffer(board["drill"] / 2) for x, y in board["holes"]])
        z = board["z"]
        prisms = [Prism(Y, shape.difference(holes), back, back + 1.6)]
        for height, sign in ((tiers["low"], 1), (tiers["rim"], -1)):
            prisms.append(_rod(Y, (sign * tiers["across"], height), 5.0, back - length, back - flange))
            prisms.append(_rod(Y, (sign * tiers["across"], height), 5.8, back - flange, back))
        prisms.append(Prism(Y, Polygon(rectangle(0, z - 12, 20.3, 9)), back + 1.6, back + 1.6 + board["back"]))
        prisms.append(Prism(Y, Polygon(rectangle(0, z + 3, 10, 7)), back + 1.6, back + 6))
        prisms += [
            Prism(Y, Polygon(rectangle(x, z + y, 4.9, 9.6)), back + 1.6, back + 11.6) for x, y in board["trimmers"]
        ]
        joints = Polygon(rectangle(0, z + board["joint_at"], *board["joint_area"]))
        prisms.append(Prism(Y, joints, back - board["joints"], back))
        world.add(f"side board {side}", BOARD, *(prism.turned(turn) for prism in prisms))
        heads = [_rod(Y, (x, y + z), 5.7, near + sheet - 2.4, near + sheet).turned(turn) for x, y in board["holes"]]
        world.add(f"screws of tower {side}", METAL, *heads)
        nuts = [_rod(Y, (x, y + z), 6.2, back + 1.6, back + 4.0).turned(turn) for x, y in board["holes"]]
        world.add(f"nuts of tower {side}", METAL, *nuts)
        shafts = [_rod(Y, (x, y + z), 3.0, near + sheet, back + 1.6).turned(turn) for x, y in board["holes"]]
        world.join(f"screws of tower {side}", f"nuts of tower {side}", shafts=shafts)
        world.join(f"emitter {side} low", f"emitter {side} rim", f"side board {side}")  # soldered
        top = tower["top"] + 0.15
        tape = box(-tower["width"] / 2, near, tower["width"] / 2, back)
        world.add(f"tape {side}", BLACK, Prism(Z, tape, top, top + tower["tape"]).turned(turn))
        world.join(f"tape {side}", f"tower {side} 4")


def _covers(world: World, data: Data) -> None:
    cover, tower, sheet = data["cover"], data["tower"], data["tray"]["sheet"]
    deck, half = deck_z(data), cover["width"] / 2
    start = tower["inside"] + tower["layers"] * sheet + 1.6 + 0.6
    end = cover["outside"]
    middle = (start + end) / 2
    sx, sy = cover["stand_off"]
    # The uppermost screw of the tower, and its nut, stand in a notch.
    w, front, notch = half, (end - start) / 2, cover["notch"]
    left, right, deep = -notch[0] / 2, notch[0] / 2, notch[1] - front
    outline = ((-w, -front), (left, -front), (left, deep), (right, deep), (right, -front), (w, -front), (w, front),
               (-w, front))  # fmt: skip
    roof = Plate("cover, roof", outline, (Hole(sx, sy - middle, 3.2),), sheet)
    flat = mirrored(roof)  # its name is on its lower face
    back = Plate("cover, back", rectangle(0, 0, 2 * half, cover["top"] - sheet - deck), (), sheet)
    depth, height, tab = end - sheet - start, cover["top"] - sheet - deck, cover["tab"] / 2
    cheek = Plate(
        "cover, cheek",
        (
            (-depth / 2, 0),
            (-tab, 0),
            (-tab, -sheet),
            (tab, -sheet),
            (tab, 0),
            (depth / 2, 0),
            (depth / 2, height),
            (-depth / 2, height),
        ),
        (),
        sheet,
    )
    for turn, side in OUT.items():
        world.add(
            f"cover roof {side}",
            WOOD,
            Prism(Z, affinity.translate(roof.shape, 0, middle), cover["top"] - sheet, cover["top"]).turned(turn),
            plate=flat,
            face=-1,
        )
        shape = affinity.translate(back.shape, 0, (deck + cover["top"] - sheet) / 2)
        prism = Prism(Y, shape, end - sheet, end).turned(turn)
        world.add(f"cover back {side}", DARK, prism, plate=back, face=-_outward(turn))
        for sign in (-1, 1):
            shape = affinity.translate(cheek.shape, start + depth / 2, deck)
            low = half - sheet if sign > 0 else -half
            prism = Prism(X, shape, low, low + sheet).turned(turn)
            own = f"cover cheek {side} {'right' if sign > 0 else 'left'}"
            # Turned from the north, along x: in the east its upper end comes to lie below, in the south once more.
            inner = -sign if turn in (0, 3) else sign
            world.add(own, DARK, prism, plate=cheek, face=inner)
            world.glue(f"cover roof {side}", own)
        world.glue(f"cover roof {side}", f"cover back {side}")
        x, y = turned((sx, sy), turn)
        _pillar(world, (x, y), (deck, cover["top"] - sheet), f"cover stand-off {side}", f"cover screw {side}",
                f"cover screw {side} below", (sheet, sheet))  # fmt: skip


def _pillar(world: World, at: XY, z: XY, rod: str, above: str, below: str, plates: XY) -> None:
    """Add a stand-off between two heights, and the screws that hold plates of two thicknesses, above and below it."""
    low, high = z
    over, under = plates
    world.add(rod, METAL, _rod(Z, at, 6.0, low, high))
    world.add(above, METAL, _rod(Z, at, 5.7, high + over, high + over + HEAD))
    world.add(below, METAL, _rod(Z, at, 5.7, low - under - HEAD, low - under))
    shafts = (_rod(Z, at, 3.0, low - under, low), _rod(Z, at, 3.0, high, high + over))
    world.join(rod, above, below, shafts=shafts)


def _slots(
    size: XY, edge: float, across: Sequence[float], along: Sequence[float], tab: float, play: float, sheet: float
) -> list[Opening]:
    """Return the closed slots for the tabs of four walls, in a plate around the middle: those of the walls along x are
    at ``across``, those of the walls along y at ``along``."""
    found: list[Opening] = []
    for sign in (-1, 1):
        y, x = (sign * (length / 2 - edge - sheet / 2) for length in (size[1], size[0]))
        found += [rectangle(at, y, tab + play, sheet + play) for at in across]
        found += [rectangle(x, at, sheet + play, tab + play) for at in along]
    return found


def _deck(world: World, data: Data) -> None:
    deck, tower, sheet, play = data["deck"], data["tower"], data["tray"]["sheet"], data["sheet"]["play"]
    cover, box_ = data["cover"], data["box"]
    pad = data["pad"]
    near, corner = deck["opening"] / 2, deck["corner"]
    around = [turned(it, turn) for turn in range(4) for it in ((near - corner, near), (near, near - corner))]
    openings: list[Opening] = [tuple(around)]
    marks: list[Opening] = []
    start = tower["inside"] + tower["layers"] * sheet + 2.2
    cheek = (start + cover["outside"] - sheet) / 2
    half = cover["width"] / 2 - sheet / 2
    for turn in range(4):

        def slot(x: float, y: float, width: float, height: float, turn: int = turn) -> tuple[XY, ...]:
            at = turned((x, y), turn)
            return rectangle(*at, *((width, height) if turn % 2 == 0 else (height, width)))

        for layer in tower["tab_layers"]:
            y = tower["inside"] + (layer - 0.5) * sheet
            for sign in (-1, 1):
                openings.append(slot(sign * tower["tabs_across"], y, tower["tab"] + play, sheet + play))
        for sign in (-1, 1):
            openings.append(slot(sign * half, cheek, sheet + play, cover["tab"] + play))
        openings.append(slot(0, deck["ribbon_at"], *deck["ribbon"]))
        edge = data["ring"]["out"] - 6
        openings.append(Hole(*turned((edge, edge), turn), deck["wire_holes"]))
        openings.append(Hole(*turned((deck["screws"],) * 2, turn), 3.2))
        openings.append(Hole(*turned((data["frame"]["stand_off"],) * 2, turn), 3.2))
        openings.append(Hole(*turned(cover["stand_off"], turn), 3.2))
        openings.append(rectangle(*turned((pad["at"],) * 2, turn), pad["pocket"], pad["pocket"]))
    (hub_x, hub_y), (x, y) = hub_middle(data), deck["trimmer"]
    openings.append(Hole(hub_x + x, hub_y + y, deck["trimmer_hole"]))
    pixels = ring(data)
    marks += [rectangle(x, y, 5, 5) for x, y in pixels]
    outer = data["tray"]["inner"] + 2 * sheet
    marks.append(rectangle(0, 0, outer, outer))
    size = (deck["size"], deck["size"])
    openings += _slots(size, box_["edge"], box_["tabs_at"], box_["tabs_at"], box_["tab"], play, sheet)
    plate = Plate(
        "deck",
        rectangle(0, 0, *size),
        tuple(openings),
        sheet,
        tuple(marks),
        "deck, upper face; north is up",
        hidden=rectangle(0, (near + outer / 2) / 2, outer, outer / 2 - near),
    )
    top = deck_z(data)
    world.add("deck", WOOD, Prism(Z, plate.shape, top - sheet, top), plate=plate)
    world.add("rubber plug", BLACK, _rod(Z, (hub_x + x, hub_y + y), deck["trimmer_hole"] + 4, top, top + 1.5),
              _rod(Z, (hub_x + x, hub_y + y), deck["trimmer_hole"] - 0.2, top - sheet, top))  # fmt: skip
    world.join("rubber plug", "deck")
    size, out, width = data["ring"]["side"] * data["ring"]["pitch"], data["ring"]["out"], data["ring"]["strip"]
    for turn, side in OUT.items():
        strip = box(-size / 2, out - width / 2, size / 2, out + width / 2)
        prisms = [Prism(Z, strip, top, top + 0.4).turned(turn)]
        for x, y in pixels[:8]:
            prisms.append(_block((x - 2.5, x + 2.5), (y - 2.5, y + 2.5), (top + 0.4, top + 2)).turned(turn))
        if turn % 2:  # the corners: these two end where the others begin
            cut = max(width / 2 + 0.5 - (out - size / 2), 0.0)
            strip = box(-size / 2 + cut, out - width / 2, size / 2 - cut, out + width / 2)
            prisms[0] = Prism(Z, strip, top, top + 0.4).turned(turn)
        world.add(f"ring {side}", WHITE, *prisms)
        world.glue("deck", f"ring {side}")
    _rails(world, data)
    ledge = Plate("ledge of a pad", rectangle(0, 0, pad["ledge"], pad["ledge"]), (), sheet)
    for number in range(1, 5):
        x, y = turned((pad["at"],) * 2, number - 1)
        shape = affinity.translate(ledge.shape, x, y)
        world.add(f"ledge {number}", DARK, Prism(Z, shape, top - 2 * sheet, top - sheet), plate=ledge, face=-1)
        world.glue("deck", f"ledge {number}")
        half = pad["size"] / 2
        # As high as the tray lets it be: foam gives.
        height = min(top - sheet + pad["height"], -sheet)
        prism = _block((x - half, x + half), (y - half, y + half), (top - sheet, height))
        world.add(f"pad {number}", FOAM, prism)


def _rails(world: World, data: Data) -> None:
    """Add what covers the ring: rails beside the strips, film on the rails, and a cap on each corner."""
    ring_, sheet, top = data["ring"], data["tray"]["sheet"], deck_z(data)
    (inner, outer), rail, at = ring_["rails"], ring_["rail"], data["deck"]["screws"]
    end, cap_at, pack_at = outer + rail, ring_["cap"], ring_["packing"]
    pieces = {
        kind: Plate(f"rail of the ring, {kind}", rectangle(0, 0, ring_[f"{kind}_rail"], rail), (), sheet)
        for kind in ("inner", "outer")
    }

    def corner(name: str, start: float, label: str = "") -> Plate:
        """Return a square from there to the rails' outer edge, with the hole of the deck's screw."""
        hole = at - (start + end) / 2
        return Plate(name, rectangle(0, 0, end - start, end - start), (Hole(hole, hole, 3.2),), sheet, label=label)

    cap, pack = corner("cap of the ring", cap_at), corner("packing of a cap", pack_at, "pack")
    thick, film = ring_["film_thick"], ring_["film"]
    for turn, side in OUT.items():
        for kind, start in (("inner", inner), ("outer", outer)):
            shape = affinity.translate(pieces[kind].shape, 0, start + rail / 2)
            prism = Prism(Z, shape, top, top + sheet).turned(turn)
            world.add(f"rail {kind} {side}", DARK, prism, plate=pieces[kind], face=-1)
            world.glue("deck", f"rail {kind} {side}")
        strip = _block((-film, film), (inner, end), (top + sheet, top + sheet + thick)).turned(turn)
        world.add(f"film {side}", WHITE, strip)
        world.glue(f"rail inner {side}", f"film {side}", f"rail outer {side}")
        for name, plate, start, low in (
            (f"packing {turn + 1}", pack, pack_at, top),
            (f"cap {turn + 1}", cap, cap_at, top + sheet + thick),
        ):
            shape = affinity.translate(plate.shape, (start + end) / 2, (start + end) / 2)
            world.add(name, WOOD, Prism(Z, shape, low, low + sheet).turned(turn), plate=mirrored(plate), face=-1)


def _frame(world: World, data: Data) -> None:
    frame, tower, tray = data["frame"], data["tower"], data["tray"]
    half, notch, deep = frame["outer"] / 2, tower["width"] / 2 + 0.2, tower["inside"] - 0.2
    quarter = [(-half, half), (-notch, half), (-notch, deep), (notch, deep), (notch, half)]
    outline = [turned(point, turn) for turn in range(4) for point in quarter][::-1]
    at = frame["stand_off"]
    holes: tuple[Opening, ...] = (
        rectangle(0, 0, frame["opening"], frame["opening"]),
        *(Hole(x, y, 3.2) for x in (-at, at) for y in (-at, at)),
    )
    plate = Plate("frame", tuple(outline), holes, tray["sheet"])
    world.add("frame", WOOD, Prism(Z, plate.shape, tray["rim"] - tray["sheet"], tray["rim"]), plate=plate, face=-1)
    shape = pillar(data)
    layer = Plate("pillar", tuple(shape), (Hole(at, at, 6.5),), tray["sheet"])
    for turn in range(4):
        _pillar(
            world,
            turned((at, at), turn),
            (deck_z(data), tray["rim"] - tray["sheet"]),
            f"frame stand-off {turn + 1}",
            f"frame screw {turn + 1}",
            f"frame screw {turn + 1} below",
            (tray["sheet"], tray["sheet"]),
        )
        for number in range(data["pillar"]["layers"]):
            low = tray["rim"] + number * tray["sheet"]
            prism = Prism(Z, layer.shape, low, low + tray["sheet"]).turned(turn)
            own = f"pillar {turn + 1} layer {number + 1}"
            world.add(own, DARK if number % 2 else WOOD, prism, plate=layer, face=-1)
            world.glue(f"pillar {turn + 1} layer {number}" if number else "frame", own)


def box_floor(data: Data) -> float:
    """Return how high the upper face of the box's bottom is."""
    return deck_z(data) - float(data["tray"]["sheet"]) - float(data["box"]["height"])


def hub_middle(data: Data) -> XY:
    """Return where the middle of the hub lies."""
    board = data["board"]["hub"]
    return 0.0, -(box_inside(data) - board["gap"] - board["outline"][1] / 2)


def box_inside(data: Data) -> float:
    """Return how far from the middle the inner faces of the box's walls are."""
    return float(data["deck"]["size"] / 2 - data["box"]["edge"] - data["tray"]["sheet"])


def _box(world: World, data: Data) -> None:
    box_, deck, sheet, play = data["box"], data["deck"], data["tray"]["sheet"], data["sheet"]["play"]
    top, floor, size = deck_z(data) - sheet, box_floor(data), deck["size"]
    at = deck["screws"]
    hx, hy = hub_middle(data)
    board = data["board"]["hub"]
    openings: list[Opening] = [Hole(x, y, 3.2) for x in (-at, at) for y in (-at, at)]
    openings += [Hole(hx + x, hy + y, 3.2) for x, y in board["holes"]]
    width, height = box_["vent"]
    openings += [rectangle(x, y, width, height) for x in (-60, 0, 60) for y in (30, 45, 60)]
    openings += _slots((size, size), box_["edge"], box_["tabs_at"], box_["tabs_at"], box_["tab"], play, sheet)
    feet = box_["feet"]
    marks: tuple[Opening, ...] = (
        *(Hole(x, y, box_["foot"][0]) for x in (-feet, feet) for y in (-feet, feet)),
        rectangle(hx, hy, *board["outline"]),
    )
    plate = Plate(
        "bottom of the box",
        rectangle(0, 0, size, size),
        tuple(openings),
        sheet,
        marks,
        "bottom of the box; the hub lies south",
    )
    world.add("box bottom", WOOD, Prism(Z, plate.shape, floor - sheet, floor), plate=plate)
    inner = box_inside(data)
    for turn, side in OUT.items():
        long = 2 * inner + (2 * sheet if turn % 2 == 0 else 0)
        signs: list[Sign] = []
        low, high = floor, top - box_["slack"]
        points: list[XY] = [(-long / 2, low)]
        for middle in box_["tabs_at"]:
            a, b = middle - box_["tab"] / 2, middle + box_["tab"] / 2
            points += [(a, low), (a, low - sheet), (b, low - sheet), (b, low)]
        points += [(long / 2, low)]
        upper: list[tuple[float, float, float, float]] = []
        for middle in box_["tabs_at"]:
            upper.append((middle - box_["tab"] / 2, middle + box_["tab"] / 2, high, top + sheet))
        for ribbon in box_["ribbon"]:
            if ribbon["wall"] == side:
                middle = _along(side, ribbon["at"])
                nw, nh = box_["notch"]
                upper.append((middle - nw / 2, middle + nw / 2, high, high - nh))
                signs.append(Sign(str(ribbon["place"]), (middle, high - nh - 9), 8.0))
        points.append((long / 2, high))
        for a, b, base, peak in sorted(upper, reverse=True):
            points += [(b, base), (b, peak), (a, peak), (a, base)]
        points.append((-long / 2, high))
        cuts: list[Opening] = []
        for ribbon in box_["ribbon"]:
            if ribbon["wall"] == side:
                middle, across = _along(side, ribbon["at"]), data["clamp"]["across"]
                cuts += [Hole(middle + sign * across, high - data["clamp"]["below"], 3.2) for sign in (-1, 1)]
        if side == "south":
            face = floor + board["stand_off"] + 1.6
            for opening in box_["opening"]:
                bottom, peak = (face + it for it in opening["above"])
                middle = _along(side, hx + opening["x"])
                cuts.append(rectangle(middle, (bottom + peak) / 2, opening["width"], peak - bottom))
                signs.append(Sign(opening["label"], (middle, peak + 3.5), 3.2))
        wall = Plate(f"wall of the box, {side}", tuple(points), tuple(cuts), sheet, signs=tuple(signs))
        # The plate is drawn as seen from outside: x runs to the left of who looks out.
        shape = _mapped(wall.shape, lambda x, z: (-x, z))
        prism = Prism(Y, shape, inner, inner + sheet).turned(turn)
        world.add(f"box wall {side}", DARK, prism, plate=wall, face=_outward(turn))
        # The deck's screws go through the caps of the ring and their packing, too.
        _pillar(world, turned((at, at), turn), (floor, top), f"box stand-off {turn + 1}", f"deck screw {turn + 1}",
                f"bottom screw {turn + 1}", (3 * sheet + data["ring"]["film_thick"], sheet))  # fmt: skip
        x, y = turned((feet, feet), turn)
        world.add(
            f"foot {turn + 1}", BLACK, _rod(Z, (x, y), box_["foot"][0], floor - sheet - box_["foot"][1], floor - sheet)
        )
        world.glue("box bottom", f"foot {turn + 1}")
    _box_clamps(world, data)
    (rocker,) = (it for it in box_["opening"] if it["name"] == "switch")
    x, (bottom, peak) = hx + rocker["x"], (floor + board["stand_off"] + 1.6 + it for it in rocker["above"])
    half = rocker["width"] / 2 - 0.1
    body = _block((x - half, x + half), (-inner - sheet, -inner + 22), (bottom + 0.1, peak - 0.1))
    bezel = _block((x - half - 1, x + half + 1), (-inner - sheet - 2, -inner - sheet), (bottom - 1, peak + 1))
    world.add("power switch", BLACK, body, bezel)
    world.join("power switch", "box wall south")  # it snaps in


def _box_clamps(world: World, data: Data) -> None:
    """Add the bars that press the ribbons of the places on the box's walls."""
    clamp, sheet = data["clamp"], data["tray"]["sheet"]
    bar = clamp_bar(data)
    inner = box_inside(data)
    z = deck_z(data) - sheet - data["box"]["slack"] - clamp["below"]
    for ribbon in data["box"]["ribbon"]:
        turn = next(turn for turn, side in OUT.items() if side == ribbon["wall"])
        # On the wall as it is made, in the north, seen from inside.
        x = -_along(ribbon["wall"], ribbon["at"])
        near = inner - clamp["ribbon"]
        number = ribbon["place"]
        shape = affinity.translate(bar.shape, x, z)
        world.add(
            f"box clamp {number}",
            WOOD,
            Prism(Y, shape, near - sheet, near).turned(turn),
            plate=bar,
            face=-_outward(turn),
        )
        flat = affinity.translate(Polygon(rectangle(0, 0, clamp["wide"], 2 * clamp["below"])), x, z)
        world.add(f"ribbon {number}", METAL, Prism(Y, flat, near, inner).turned(turn))
        ends = [(x + sign * clamp["across"], z) for sign in (-1, 1)]
        heads = [_rod(Y, at, 5.7, inner + sheet, inner + sheet + 2.4).turned(turn) for at in ends]
        nuts = [_rod(Y, at, 6.2, near - sheet - 2.4, near - sheet).turned(turn) for at in ends]
        world.add(f"box clamp screws {number}", METAL, *heads)
        world.add(f"box clamp nuts {number}", METAL, *nuts)
        shafts = [_rod(Y, at, 3.0, near - sheet, inner + sheet).turned(turn) for at in ends]
        world.join(f"box clamp screws {number}", f"box clamp nuts {number}", shafts=shafts)
        world.join(f"ribbon {number}", f"box clamp {number}")  # pressed


def clamp_bar(data: Data) -> Plate:
    """Return the bar that presses a ribbon."""
    clamp = data["clamp"]
    holes = tuple(Hole(sign * clamp["across"], 0, 3.2) for sign in (-1, 1))
    return Plate("bar over a ribbon", rectangle(0, 0, *clamp["bar"]), holes, data["tray"]["sheet"])


def _along(side: str, at: float) -> float:
    """Return x on a wall as it is seen from outside, of a place given by its x or y in the table."""
    return {"north": -at, "south": at, "east": at, "west": -at}[side]


def _hub(world: World, data: Data) -> None:
    board = data["board"]["hub"]
    floor = box_floor(data)
    x0, y0 = hub_middle(data)
    low = floor + board["stand_off"]
    face = low + 1.6
    w, h = (it / 2 for it in board["outline"])
    shape = box(x0 - w, y0 - h, x0 + w, y0 + h)
    holes = unary_union([Point(x0 + x, y0 + y).buffer(board["drill"] / 2) for x, y in board["holes"]])
    south = y0 - h
    prisms = [Prism(Z, shape.difference(holes), low, face)]
    prisms.append(_block((-10.5, 10.5), (south, south + 51), (face + 8.5, face + 12)))
    prisms.append(_block((-4, 4), (south - 1.3, south + 5), (face + 12, face + 14.8)))
    prisms.append(_block((-10.5, -7.5), (south + 1, south + 50), (face, face + 8.5)))
    prisms.append(_block((7.5, 10.5), (south + 1, south + 50), (face, face + 8.5)))
    prisms.append(_block((-64.5, -55.5), (south, south + 14.4), (face, face + 11)))
    for x in (30.0, 45.0):
        prisms.append(_block((x - 3, x + 3), (south + 0.5, south + 5), (face, face + 7)))
        prisms.append(_block((x - 1.7, x + 1.7), (south - 3.5, south + 0.5), (face + 2.5, face + 5.9)))
    for number in range(6):
        x = x0 - 73.03 + 29.21 * number
        prisms.append(_block((x - 14, x + 14), (y0 + h - 12, y0 + h - 3), (face, face + 17)))
    for along in (28.58, 6.99, -14.61, -36.2):
        y = y0 + along
        prisms.append(_block((x0 + w - 12, x0 + w - 3), (y - 10, y + 10), (face, face + 17)))
    joints = box(x0 - w + 8, y0 - h + 8, x0 + w - 8, y0 + h - 8)
    prisms.append(Prism(Z, joints, low - board["joints"], low))
    world.add("hub", BOARD, *prisms)
    for number, (x, y) in enumerate(board["holes"], 1):
        _pillar(world, (x0 + x, y0 + y), (floor, low), f"hub stand-off {number}", f"hub screw {number}",
                f"hub screw {number} below", (1.6, data["tray"]["sheet"]))  # fmt: skip


def _arena_steps(world: World) -> None:
    """The order of the guide. Each side is shown once; what is checked is all four."""
    names = world.names
    outward: dict[str, Vector] = {"north": (0, 1, 0), "east": (1, 0, 0), "south": (0, -1, 0), "west": (-1, 0, 0)}

    def inward(side: str) -> Vector:
        x, y, z = outward[side]
        return -x, -y, z

    sides = list(outward)
    world.step(
        "tower",
        "A tower: glue seven layers, in this order",
        "tower",
        *(
            Move((f"tower {side} {layer}",), inward(side), 26.0)
            for side in sides
            for layer in range(1, len(names(f"tower {side} ")) + 1)
        ),
    )
    world.step(
        "screws",
        "Three screws through each tower, heads sunk in the first layer",
        "tower",
        *(Move(names(f"screws of tower {side}"), outward[side], 30.0) for side in sides),
    )
    world.step(
        "cover",
        "A cover: glue cheeks, back and roof",
        "cover",
        *(Move(names(f"cover cheek {side}"), UP, 40.0) for side in sides),
        *(Move(names(f"cover back {side}"), inward(side), 30.0) for side in sides),
        *(Move(names(f"cover roof {side}"), DOWN, 30.0) for side in sides),
    )
    world.step(
        "deck",
        "Glue the towers into the deck",
        "deck",
        Move(("deck",), UP, 1.0),
        Move((), DOWN, 60.0, joins="tower"),
    )
    world.step(
        "ledges",
        "Glue the ledges under the deck, over its square holes",
        "deck",
        Move(names("ledge"), UP, 25.0),
        below=True,
    )
    world.step(
        "side",
        "Emitters into their bores, then the side boards behind the towers",
        "deck",
        *(Move(names(f"emitter {side}"), inward(side), 30.0) for side in sides),
        *(Move(names(f"side board {side}"), inward(side), 40.0) for side in sides),
        *(Move(names(f"nuts of tower {side}"), inward(side), 55.0) for side in sides),
        Move(names("tape "), DOWN, 25.0),
    )
    world.step("ring", "Stick the ring's strips on the deck", "deck", Move(names("ring "), DOWN, 60.0))
    world.step(
        "rails",
        "Rails beside the strips, diffuser film on the rails",
        "deck",
        Move(names("rail "), DOWN, 30.0),
        Move(names("film "), DOWN, 55.0),
        Move(("rubber plug",), DOWN, 30.0),
    )
    world.step(
        "tray",
        "The tray: walls on the floor",
        "tray",
        Move(("tray floor",), UP, 60.0),
        Move(names("tray wall"), DOWN, 45.0),
    )
    world.step(
        "sensors",
        "Below the tray: collars, sensors, bridges, piezo disc, washers",
        "tray",
        Move(names("collar"), UP, 15.0),
        Move(names("sensor"), UP, 30.0),
        Move(names("bridge"), UP, 45.0),
        Move(("piezo disc",), UP, 20.0),
        Move(names("washer"), UP, 20.0),
        below=True,
    )
    world.step(
        "float",
        "Stand-offs, four pads of foam into their pockets, the tray on the pads",
        "deck",
        Move((*names("frame stand-off"), *names("cover stand-off")), DOWN, 40.0),
        Move(tuple(f"frame screw {n} below" for n in range(1, 5)), UP, 40.0),
        Move(tuple(f"cover screw {side} below" for side in sides), UP, 40.0),
        Move(names("pad "), DOWN, 40.0),
        Move((), DOWN, 80.0, joins="tray"),
    )
    world.step(
        "frame",
        "Frame, screws, pillars",
        "deck",
        Move(("frame",), DOWN, 70.0),
        Move(tuple(f"frame screw {n}" for n in range(1, 5)), DOWN, 80.0),
        Move(names("pillar"), DOWN, 95.0),
    )
    world.step(
        "bottom",
        "The hub on the bottom of the box",
        "box",
        Move(("box bottom",), UP, 1.0),
        Move(names("foot"), UP, 90.0),
        Move(names("hub stand-off"), DOWN, 20.0),
        Move(names("hub screw 1 below", "hub screw 2 below", "hub screw 3 below", "hub screw 4 below"), UP, 60.0),
        Move(("hub",), DOWN, 50.0),
        Move(tuple(f"hub screw {n}" for n in range(1, 5)), DOWN, 70.0),
    )
    world.step(
        "walls",
        "Stand-offs, and the walls into the bottom's slots",
        "box",
        Move(names("box stand-off"), DOWN, 30.0),
        Move(names("bottom screw"), UP, 20.0),
        Move(names("box wall"), DOWN, 60.0),
        Move(("power switch",), (0, 1, 0), 40.0),
    )
    world.step(
        "ribbons",
        "The places' ribbons under their bars, inside the walls",
        "box",
        *(
            Move(names(*(f"{kind} {it}" for it in numbers)), way, distance)
            for side, numbers in _ribbons(world).items()
            for kind, way, distance in (
                ("ribbon", outward[side], 15.0),
                ("box clamp", outward[side], 25.0),
                ("box clamp screws", inward(side), 30.0),
                ("box clamp nuts", outward[side], 40.0),
            )
        ),
    )
    world.step(
        "close", "Prop the deck on the south wall, plug in, fold it down", "box", Move((), DOWN, 90.0, joins="deck")
    )
    world.step(
        "caps",
        "A packing, a cap and a long screw at each corner",
        "box",
        Move(names("packing"), DOWN, 25.0),
        Move(names("cap "), DOWN, 40.0),
        Move(names("deck screw"), DOWN, 55.0),
    )
    world.step(
        "covers",
        "The covers, each with a screw",
        "box",
        Move((), DOWN, 60.0, joins="cover"),
        Move(tuple(f"cover screw {side}" for side in sides), DOWN, 75.0),
    )


def _ribbons(world: World) -> dict[str, list[int]]:
    """Return the numbers of the ribbons that leave through each wall."""
    found: dict[str, list[int]] = {}
    for name, item in world.items.items():
        if name.startswith("ribbon "):
            (x0, x1), (y0, y1), _ = item.prisms[0].bounds
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            side = ("north" if y > 0 else "south") if y1 - y0 < x1 - x0 else ("east" if x > 0 else "west")
            found.setdefault(side, []).append(int(name.split()[1]))
    return found


# -- a place -----------------------------------------------------------------------------------------------------


def place_world(data: Data, seat: int = 1) -> World:
    """Return one place, engraved with its number."""
    world = World("place")
    place, sheet, play = data["place"], data["tray"]["sheet"], data["sheet"]["play"]
    width, depth = place["panel"]
    middle = depth / 2
    board = data["board"]["place"]
    front = -sheet - place["spacer"]
    back = front - 1.6
    floor = back - place["height"]
    hood_w, hood_d, hood_h = place["hood"]
    hood_y = place["hood_y"]

    def up(points: Iterable[XY]) -> tuple[XY, ...]:
        return tuple((x, y + middle) for x, y in points)

    rim = place["edge"]
    edge = up(rectangle(0, 0, width, depth))
    slots = _slots((width, depth), rim, place["tabs_x"], place["tabs_y"], place["tab"], play, sheet)
    slots = [up(it) for it in slots if not isinstance(it, Hole)]
    by = place["buttons_y"]
    board_holes = [(x, y + by) for x, y in board["holes"]]
    lx, ly = place["lid_screws"]
    lid_holes = [(x, place["well_y"] + y) for x in (-lx, lx) for y in (-ly, ly)]
    tab = place["hood_tab"]
    cheek_y = hood_y + (hood_d - sheet) / 2
    openings: list[Opening] = [rectangle(x, by, place["button"], place["button"]) for x in place["buttons_x"]]
    openings.append(rectangle(0, place["window_y"], *place["window"]))
    openings.append(Hole(0, place["public_y"], place["public"]))
    openings += [Hole(x, y, 3.2) for x, y in (*board_holes, *lid_holes)]
    cheek_x = hood_w / 2 - sheet / 2
    openings += [rectangle(sign * cheek_x, cheek_y, sheet + play, tab + play) for sign in (-1, 1)]
    back_y = hood_y + hood_d - sheet / 2
    openings += [rectangle(sign * 25, back_y, tab + play, sheet + play) for sign in (-1, 1)]
    marks = (rectangle(0, hood_y + hood_d / 2, hood_w, hood_d),)
    # The signs of the keys are felt: they are cut through.
    (minus_x, plus_x, a_x, b_x), sign_y, (long, wide) = place["buttons_x"], place["sign_y"], place["sign"]
    openings += [rectangle(minus_x, sign_y, long, wide), cross(plus_x, sign_y, long, wide)]
    openings += [*stencil("a", a_x, sign_y), *stencil("b", b_x + place["b_aside"], sign_y)]
    signs = [Sign(str(seat), tuple(place["number"]), 10.0)]
    panel = Plate("panel", edge, (*openings, *slots), sheet, marks, signs=tuple(signs))
    world.add("panel", WOOD, Prism(Z, panel.shape, -sheet, 0), plate=panel)

    for sign in (-1, 1):
        h = (hood_d - sheet) / 2
        outline: tuple[XY, ...] = (
            (-h, 0),
            (-tab / 2, 0),
            (-tab / 2, -sheet),
            (tab / 2, -sheet),
            (tab / 2, 0),
            (h, 0),
            (h, hood_h),
            (-h, hood_h),
        )
        cheek = Plate("hood, cheek", outline, (), sheet, hidden=rectangle(0, -sheet / 2, tab, sheet))
        low = cheek_x - sheet / 2 if sign > 0 else -cheek_x - sheet / 2
        world.add(
            f"hood cheek {'right' if sign > 0 else 'left'}",
            DARK,
            Prism(X, affinity.translate(cheek.shape, cheek_y, 0), low, low + sheet),
            plate=cheek,
            face=-sign,
        )
        world.glue("hood roof", f"hood cheek {'right' if sign > 0 else 'left'}")
    w = hood_w / 2
    outline = ((-w, 0), (-25 - tab / 2, 0), (-25 - tab / 2, -sheet), (-25 + tab / 2, -sheet), (-25 + tab / 2, 0),
               (25 - tab / 2, 0), (25 - tab / 2, -sheet), (25 + tab / 2, -sheet), (25 + tab / 2, 0), (w, 0),
               (w, hood_h), (-w, hood_h))  # fmt: skip
    hood_back = Plate("hood, back", outline, (), sheet, hidden=rectangle(25, -sheet / 2, tab, sheet))
    prism = Prism(Y, hood_back.shape, back_y - sheet / 2, back_y + sheet / 2)
    world.add("hood back", DARK, prism, plate=hood_back, face=-1)
    world.glue("hood roof", "hood back", "panel")
    ear_w, ear_d = place["hood_ear"]
    half_w, half_d = hood_w / 2, hood_d / 2
    e, end = ear_w / 2, half_d + ear_d
    outline = ((-half_w, -half_d), (half_w, -half_d), (half_w, half_d), (e, half_d), (e, end), (-e, end), (-e, half_d),
               (-half_w, half_d))  # fmt: skip
    rod_y = place["public_y"] - hood_y - half_d
    roof = Plate("hood, roof", outline, (Hole(0, rod_y, place["public"]),), sheet)
    shape = affinity.translate(roof.shape, 0, hood_y + hood_d / 2)
    world.add("hood roof", WOOD, Prism(Z, shape, hood_h, hood_h + sheet), plate=roof, face=-1)

    ww, wd = place["well"]
    wy = place["well_y"]
    wells: tuple[Opening, ...] = (
        rectangle(0, place["window_y"] - wy, *place["hood_well"]),
        rectangle(0, place["public_y"] - wy, *place["public_well"]),
        *(Hole(x, y - wy, 3.2) for x, y in lid_holes),
    )
    well = Plate("wells", rectangle(0, 0, ww, wd), wells, sheet)
    ends = [(s * (place["hood_well"][0] / 2 - 2.5), place["window_y"] - wy) for s in (-1, 1)]
    ends += [(s * (place["public_well"][0] / 2 - 2.9), place["public_y"] - wy) for s in (-1, 1)]
    lid = Plate(
        "lid of the wells",
        rectangle(0, 0, ww, wd),
        (*(Hole(x, y, place["wire_holes"]) for x, y in ends), *(Hole(x, y - wy, 3.2) for x, y in lid_holes)),
        sheet,
        wells[:2],
        "lid of the wells, the strips on this face",
    )
    z = -sheet
    for layer in range(place["well_layers"]):
        prism = Prism(Z, affinity.translate(well.shape, 0, wy), z - sheet, z)
        world.add(f"wells {layer + 1}", DARK if layer % 2 else WOOD, prism, plate=well)
        world.glue(f"wells {layer}" if layer else "panel", f"wells {layer + 1}")
        z -= sheet
    lid_z = z
    world.add("lid", WOOD, Prism(Z, affinity.translate(lid.shape, 0, wy), lid_z - sheet, lid_z), plate=lid)
    for name, count, pitch, y in (
        ("strip of the hood", place["pixels"], place["pitch"], place["window_y"]),
        ("strip of the public pixel", 1, data["ring"]["pitch"], place["public_y"]),
    ):
        half = count * pitch / 2
        prisms = [_block((-half, half), (y - 5, y + 5), (lid_z, lid_z + 0.4))]
        for n in range(count):
            x = (n - (count - 1) / 2) * pitch
            prisms.append(_block((x - 2.5, x + 2.5), (y - 2.5, y + 2.5), (lid_z + 0.4, lid_z + 2)))
        world.add(name, WHITE, *prisms)
        world.glue("lid", name)
    low = lid_z + 2 + place["rod_gap"]
    world.add("light rod", WHITE, _rod(Z, (0, place["public_y"]), place["rod"], low, light_top(data)))
    world.join("panel", "light rod")  # a drop of epoxy in both holes
    for number, (x, y) in enumerate(lid_holes, 1):
        world.add(f"lid screw {number}", METAL, _rod(Z, (x, y), 5.7, 0, 2.4))
        world.add(f"lid nut {number}", METAL, _rod(Z, (x, y), 6.2, lid_z - sheet - 2.4, lid_z - sheet))
        shaft = _rod(Z, (x, y), 3.0, lid_z - sheet, 0)
        world.join(f"lid screw {number}", f"lid nut {number}", shafts=(shaft,))

    bw, bd = (it / 2 for it in board["outline"])
    shape = box(-bw, by - bd, bw, by + bd)
    holes = unary_union([Point(x, y).buffer(board["drill"] / 2) for x, y in board_holes])
    prisms = [Prism(Z, shape.difference(holes), back, front)]
    tints = []
    for x, colour in zip(place["buttons_x"], KEYS, strict=True):
        prisms.append(_block((x - 6, x + 6), (by - 6, by + 6), (front, front + place["body"])))
        tints += [(len(prisms) - 1, BLACK), (len(prisms), colour)]
        prisms.append(_block((x - 6, x + 6), (by - 6, by + 6), (front + place["body"] + 0.7, front + place["key"])))
    header = by + board["header_y"]
    prisms.append(_block((-14, 14), (header - 4.5, header + 4.5), (back - board["back"], back)))
    world.add("place board", BOARD, *prisms, tints=tuple(tints))
    for number, (x, y) in enumerate(board_holes, 1):
        world.add(f"spacer {number}", WHITE, _rod(Z, (x, y), 7.0, front, -sheet))
        world.add(f"board screw {number}", METAL, _rod(Z, (x, y), 5.7, 0, 2.4))
        world.add(f"place stand-off {number}", METAL, _rod(Z, (x, y), 6.0, floor, back))
        world.add(f"place bottom screw {number}", METAL, _rod(Z, (x, y), 5.7, floor - sheet - 2.4, floor - sheet))
        shafts = [_rod(Z, (x, y), 3.0, back, 0), _rod(Z, (x, y), 3.0, floor - sheet, floor)]
        screwed = [f"board screw {number}", f"place stand-off {number}", f"place bottom screw {number}"]
        world.join(*screwed, shafts=shafts)
    foot_d, foot_h = place["foot"]
    for number, (x, y) in enumerate(place["feet"], 1):
        world.add(f"place foot {number}", BLACK, _rod(Z, (x, y), foot_d, floor - sheet - foot_h, floor - sheet))
        world.glue("place bottom", f"place foot {number}")

    clamp = data["clamp"]
    clamp_y, clamp_x = depth - rim - sheet - clamp["inside"], (-clamp["across"], clamp["across"])
    bottom = Plate(
        "bottom of a place",
        edge,
        (*(Hole(x, y, 3.2) for x, y in board_holes), *slots, *(Hole(x, clamp_y, 3.2) for x in clamp_x)),
        sheet,
    )
    world.add("place bottom", WOOD, Prism(Z, bottom.shape, floor - sheet, floor), plate=bottom)
    bar, pressed = clamp_bar(data), floor + clamp["ribbon"]
    shape = affinity.translate(bar.shape, 0, clamp_y)
    world.add("place clamp", WOOD, Prism(Z, shape, pressed, pressed + sheet), plate=bar)
    half = clamp["wide"] / 2
    world.add("ribbon", METAL, _block((-half, half), (clamp_y - 6, depth - rim + 4), (floor, pressed)))
    top = pressed + sheet
    heads = [_rod(Z, (x, clamp_y), 5.7, floor - sheet - 2.4, floor - sheet) for x in clamp_x]
    nuts = [_rod(Z, (x, clamp_y), 6.2, top, top + 2.4) for x in clamp_x]
    world.add("place clamp screws", METAL, *heads)
    world.add("place clamp nuts", METAL, *nuts)
    shafts = [_rod(Z, (x, clamp_y), 3.0, floor - sheet, top) for x in clamp_x]
    world.join("place clamp screws", "place clamp nuts", shafts=shafts)
    world.join("ribbon", "place clamp")  # pressed
    low, high = floor, -sheet - place["slack"]

    def wall(name: str, long: float, tabs: Sequence[float], tab: float, notch: bool) -> Plate:
        points: list[XY] = [(-long / 2, low)]
        lower = [(at - tab / 2, at + tab / 2, low - sheet) for at in tabs]
        if notch:
            nw, nh = place["notch"]
            lower.append((-nw / 2, nw / 2, low + nh))
        for a, b, peak in sorted(lower):
            points += [(a, low), (a, peak), (b, peak), (b, low)]
        points += [(long / 2, low), (long / 2, high)]
        for at in sorted(tabs, reverse=True):
            points += [(at + tab / 2, high), (at + tab / 2, 0), (at - tab / 2, 0), (at - tab / 2, high)]
        points.append((-long / 2, high))
        return Plate(name, tuple(points), (), sheet)

    outer, inner = width - 2 * rim, depth - 2 * (rim + sheet)
    front_wall = wall("wall of a place, front", outer, place["tabs_x"], place["tab"], notch=False)
    back_wall = wall("wall of a place, back", outer, place["tabs_x"], place["tab"], notch=True)
    side_wall = wall("wall of a place, side", inner, place["tabs_y"], place["tab"], notch=False)
    world.add("place wall front", DARK, Prism(Y, front_wall.shape, rim, rim + sheet), plate=front_wall)
    prism = Prism(Y, back_wall.shape, depth - rim - sheet, depth - rim)
    world.add("place wall back", DARK, prism, plate=back_wall, face=-1)
    for sign, name in ((-1, "left"), (1, "right")):
        at = -outer / 2 if sign < 0 else outer / 2 - sheet
        shape = affinity.translate(side_wall.shape, middle, 0)
        world.add(f"place wall {name}", DARK, Prism(X, shape, at, at + sheet), plate=side_wall, face=-sign)

    names = world.names
    world.step(
        "hood",
        "The hood: cheeks and back into the panel, the roof on them",
        "place",
        Move(("panel",), UP),
        Move(names("hood cheek"), DOWN, 40.0),
        Move(("hood back",), DOWN, 40.0),
        Move(("hood roof",), DOWN, 40.0),
    )
    world.step(
        "rod",
        "The rod of the public light, through roof and panel: its sanded end stays above",
        "place",
        Move(("light rod",), DOWN, 70.0),
    )
    world.step(
        "lid",
        "The lid of the wells: stick the strips on its upper face",
        "lid",
        Move(("lid",), UP, 5.0),
        Move(names("strip of"), DOWN, 40.0),
    )
    world.step(
        "wells",
        "Below the panel: two layers of wells, the lid with its strips, four screws",
        "place",
        Move(("wells 1",), UP, 14.0),
        Move(("wells 2",), UP, 28.0),
        Move((), UP, 46.0, joins="lid"),
        Move(names("lid nut"), UP, 84.0),
        Move(names("lid screw"), DOWN, 25.0),
        below=True,
    )
    world.step(
        "placewalls",
        "Glue the four walls into the panel's slots",
        "place",
        Move(names("place wall"), UP, 40.0),
        below=True,
    )
    world.step(
        "keys",
        "Spacers, the board with its keys, stand-offs",
        "place",
        Move(names("board screw"), DOWN, 20.0),
        Move(names("spacer"), UP, 30.0),
        Move(("place board",), UP, 50.0),
        Move(names("place stand-off"), UP, 75.0),
        below=True,
    )
    world.step(
        "placeclamp",
        "The bottom: feet, and the ribbon under its bar",
        "bottom",
        Move(("place bottom",), UP, 1.0),
        Move(names("place foot"), UP, 30.0),
        Move(("ribbon",), DOWN, 20.0),
        Move(("place clamp",), DOWN, 35.0),
        Move(("place clamp screws",), UP, 90.0),
        Move(("place clamp nuts",), DOWN, 50.0),
    )
    world.step(
        "placebottom",
        "Plug the ribbon in, the bottom on, four screws",
        "place",
        Move((), UP, 45.0, joins="bottom"),
        Move(names("place bottom screw"), UP, 95.0),
        below=True,
    )
    return world


def cross(x: float, y: float, long: float, wide: float) -> tuple[XY, ...]:
    """Return the corners of a plus sign around a middle."""
    a, b = long / 2, wide / 2
    arm = [(-b, -a), (b, -a), (b, -b)]
    return tuple((x + dx, y + dy) for quarter in range(4) for dx, dy in (turned(it, -quarter % 4) for it in arm))


def stencil(letter: str, x: float, y: float) -> tuple[tuple[XY, ...], ...]:
    """Return an a or a b around a middle, as two cuts out of which nothing falls: a stem, and a bowl open to it.

    To a finger they differ too: the b has its stem at the left, and it is higher.
    """
    stroke, corner, right, low, high = 1.15, 0.8, 3.2, -2.85, 0.95
    bowl = [(-0.4, low), (right - corner, low), (right, low + corner), (right, high - corner), (right - corner, high),
            (-0.4, high), (-0.4, high - stroke), (right - stroke, high - stroke), (right - stroke, low + stroke),
            (-0.4, low + stroke)]  # fmt: skip
    stem = [(-right, low), (-right + 1.3, low), (-right + 1.3, -low), (-right, -low)]
    if letter == "a":
        stem = [(-px, min(py, high)) for px, py in stem]
        bowl = [(-px, py) for px, py in bowl]
    return tuple(tuple((x + px, y + py) for px, py in part) for part in (stem, bowl))


# -- the deck propped up -----------------------------------------------------------------------------------------


def propped(data: Data, item: Item) -> Item:
    """Return a part of the deck as it stands while its cables are plugged in: upright on the south wall, its underside
    towards the north."""
    edge = deck_z(data) - data["tray"]["sheet"]
    back, lift = -box_inside(data) - data["tray"]["sheet"] + edge, edge + data["deck"]["size"] / 2

    def tip(prism: Prism) -> Prism:
        # East stays, up becomes south, north becomes up.
        if prism.axis == Z:
            shape = affinity.translate(prism.shape, 0, lift)
            return Prism(Y, shape, back - prism.high, back - prism.low)
        if prism.axis == Y:
            return Prism(Z, _mapped(prism.shape, lambda x, z: (x, back - z)), prism.low + lift, prism.high + lift)
        return Prism(X, _mapped(prism.shape, lambda y, z: (back - z, y + lift)), prism.low, prism.high)

    return replace(item, prisms=tuple(tip(prism) for prism in item.prisms))


@dataclass(frozen=True)
class Lead:
    """A cable from the deck to the hub: its name, its header, and both ends while the deck is propped up."""

    cable: str
    header: str
    start: Vector
    end: Vector
    beyond: float
    """mm of it that lie above the deck, and are not on the way."""


def leads(data: Data) -> list[Lead]:
    """Return the cables of the deck."""
    path = HERE / "boards" / "boards.toml"
    placed = tomllib.loads(path.read_text(encoding="utf-8"))["board"]["hub"]["part"]
    (hub_x, hub_y), board = hub_middle(data), data["board"]["hub"]
    plug = box_floor(data) + board["stand_off"] + 1.6 + 15
    under = deck_z(data) - data["tray"]["sheet"]
    corner, slot, floor = data["ring"]["out"] - 6, data["deck"]["ribbon_at"], data["floor"]
    from_deck: list[tuple[str, str, XY, float]] = [
        ("W7", "J7", (-corner, corner), 15.0),
        ("W17", "J7", (corner, -corner), 15.0),
        ("W12", "J12", tuple(floor["pile"]), 20.0),
        ("W13", "J13", tuple(floor["piezo"]), 0.0),
    ]
    for number, side in enumerate(data["side"]):
        from_deck.append((f"W{41 + number}", side["header"], turned((0, slot), number), 40.0))
    found = []
    for cable, header, (x, y), beyond in from_deck:
        at = Item("", (_block((x, x), (y, y), (under, under)),), "")
        (east, _), (north, _), (up, _) = propped(data, at).prisms[0].bounds
        ax, ay = placed[header]["at"]
        found.append(Lead(cable, header, (east, north, up), (hub_x + ax, hub_y + ay, plug), beyond))
    return found


def worlds(data: Data) -> tuple[World, World]:
    """Return the arena and a place."""
    return arena_world(data), place_world(data)


# -- checks --------------------------------------------------------------------------------------------------------


def overlaps(items: Iterable[Item]) -> list[str]:
    """Return each pair of items that are in the same place."""
    return [f"{one.name} and {other.name} overlap" for one, other in combinations(items, 2) if _touch(one, other)]


def _touch(one: Item, other: Item) -> bool:
    return any(a.overlaps(b) for a in one.prisms for b in other.prisms)


REACH = 2.0
"""mm that a part may have as play before it counts as loose."""
GLUED = 25.0
"""mm² of two faces that glue or tape needs."""
AXES: tuple[Way, ...] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
WAYS = (*AXES, (1, 1, 0), (1, -1, 0), (1, 0, 1), (1, 0, -1), (0, 1, 1), (0, 1, -1))
"""The ways that are tried, each of them to and fro."""
_NAMES = ({1: "east", -1: "west"}, {1: "north", -1: "south"}, {1: "up", -1: "down"})


def bond_faults(world: World) -> list[str]:
    """Return bonds of what is not there, or does not touch, or touches too little to be glued."""
    found = []
    for bond in world.bonds:
        missing = [name for name in bond.names if name not in world.items]
        if missing:
            found += [f"{name} is bonded and not there" for name in missing]
        elif bond.glued:
            one, other = (world.items[name] for name in bond.names)
            area = max(_contact(one, other, by) for by in (*AXES, *((-x, -y, -z) for x, y, z in AXES)))
            if area < GLUED:
                found.append(f"{one.name} and {other.name} share {area:.0f} mm²: too little to glue")
    return found


def _contact(one: Item, other: Item, way: Way) -> float:
    """Return the area by which one item lies against another, that way; slots leave a little between them."""
    depth = 0.3
    axis = next(axis for axis in (X, Y, Z) if way[axis])
    by = scaled(way, depth)
    area = 0.0
    for mine in one.prisms:
        pushed = mine.moved(by)
        for theirs in other.prisms:
            if pushed.overlaps(theirs) and not mine.overlaps(theirs):
                spans = [min(b, d) - max(a, c) for (a, b), (c, d) in zip(pushed.bounds, theirs.bounds, strict=True)]
                if mine.axis == theirs.axis == axis:
                    area += mine.shape.intersection(theirs.shape).area
                else:
                    area += math.prod(span for at, span in enumerate(spans) if at != axis)
    return area


def loose(world: World, ways: Sequence[Way] = WAYS) -> list[str]:
    """Return what can leave the finished assembly, or rattles by more than `REACH`, with the way that it goes, to and
    fro along those that are tried.

    Bonded items are one body. A body that moves pushes those in its way; a set of bodies that pushes nothing else is
    loose. So two plates that only hold each other are found as well.
    """
    bodies = _bodies(world)
    found = []
    for way in ways:
        pushes = _pushes(bodies, way)
        for sign, edges in ((1, pushes), (-1, [(b, a) for a, b in pushes])):
            onward: dict[int, set[int]] = {}
            for a, b in edges:
                onward.setdefault(a, set()).add(b)
            for index, (names, _) in enumerate(bodies):
                moving, todo = {index}, [index]
                while todo and 2 * len(moving) <= len(bodies):
                    new = onward.get(todo.pop(), set()) - moving
                    moving |= new
                    todo += new
                if 2 * len(moving) <= len(bodies):
                    where = " and ".join(_NAMES[axis][sign * it] for axis, it in enumerate(way) if it)
                    others = f", with {len(moving) - 1} others" if len(moving) > 1 else ""
                    found.append(f"{names[0]} comes out {where}{others}")
    return found


def _bodies(world: World) -> list[tuple[list[str], list[Prism]]]:
    """Return what is fast to each other: the names of its items, and their prisms with the shafts of screws."""
    root = {name: name for name in world.items}

    def find(name: str) -> str:
        while root[name] != name:
            name = root[name]
        return name

    for bond in world.bonds:
        for name in bond.names[1:]:
            root[find(name)] = find(bond.names[0])
    bodies: dict[str, tuple[list[str], list[Prism]]] = {}
    for name, item in world.items.items():
        names, prisms = bodies.setdefault(find(name), ([], []))
        names.append(name)
        prisms += item.prisms
    for bond in world.bonds:
        bodies[find(bond.names[0])][1].extend(bond.shafts)
    return list(bodies.values())


def _pushes(bodies: Sequence[tuple[list[str], list[Prism]]], way: Way) -> list[tuple[int, int]]:
    """Return the pairs of bodies of which the first runs into the second when it moves by `REACH` or less."""
    found = []
    steps = [scaled(way, REACH * share) for share in (0.35, 1.0)]
    moved = [[[prism.moved(by) for prism in prisms] for by in steps] for _, prisms in bodies]
    rows = [_bounds(prisms) for _, prisms in bodies]
    for a, b in permutations(range(len(bodies)), 2):
        if any(
            low - REACH > other_high or other_low - REACH > high
            for (low, high), (other_low, other_high) in zip(rows[a], rows[b], strict=True)
        ):
            continue
        if any(_run_into(prisms, bodies[b][1]) for prisms in moved[a]):
            found.append((a, b))
    return found


def _run_into(some: Sequence[Prism], others: Sequence[Prism]) -> bool:
    """Return True when any of some prisms overlaps any of the others; first looked for among their bounds, at once."""
    mine, theirs = (np.array([prism.bounds for prism in prisms]) for prisms in (some, others))
    spans = np.minimum(mine[:, None, :, 1], theirs[:, :, 1]) - np.maximum(mine[:, None, :, 0], theirs[:, :, 0])
    return any(some[one].overlaps(others[other]) for one, other in np.argwhere((spans >= CLEAR).all(axis=2)))


def _bounds(prisms: Sequence[Prism]) -> list[XY]:
    return [(min(low for low, _ in ends), max(high for _, high in ends))
            for ends in zip(*(prism.bounds for prism in prisms), strict=True)]  # fmt: skip


def blocked(world: World) -> list[str]:
    """Return what stands in the way of what is brought to its place, in the order of the steps."""
    found: list[str] = []
    assemblies: dict[str, list[Item]] = {}
    for step in world.steps:
        for move in step.moves:
            there = assemblies.setdefault(step.assembly, [])
            moving = assemblies.pop(move.joins) if move.joins else [world.items[name] for name in move.names]
            by = move.back(move.distance)
            for item in moving:
                path = replace(item, prisms=tuple(prism.swept(by) for prism in item.prisms))
                found += [
                    f"step {step.key}: {other.name} is in the way of {item.name}"
                    for other in there
                    if _touch(path, other)
                ]
            there += moving
    placed = {item.name for items in assemblies.values() for item in items}
    found += [f"no step brings {name}" for name in world.items if name not in placed]
    found += [f"{name} is never joined" for name in list(assemblies)[:-1] if assemblies[name] and len(assemblies) > 1]
    return found


def sight_faults(data: Data, world: World) -> list[str]:
    """Return what stands in a beam, and which receivers are not shaded."""
    found = []
    tiers, tower, baffle = data["tiers"], data["tower"], data["baffle"]
    sheet = data["tray"]["sheet"]
    emitter = tower["inside"] + tower["forward"] * sheet + tiers["rim_of_body"] - tiers["emitter"]
    receiver = tower["inside"] + tower["layers"] * sheet - tiers["emitter"]
    for turn, side in OUT.items():
        for tier, sign in (("low", 1), ("rim", -1)):
            # The receiver is on this side; its emitter is opposite.
            at = Point(sign * tiers["across"], tiers[tier])
            beam = Prism(Y, at.buffer(baffle["hole"] / 2 - 0.02, 12), -emitter, receiver).turned(turn)
            for item in world.items.values():
                # The tray is drawn as high as it stands unloaded, and is in the way of nothing halfway down.
                sunk = (0, 0, -data["tray"]["sinks"] / 2 if item.name.startswith("tray wall") else 0)
                if any(beam.overlaps(prism.moved(sunk)) for prism in item.prisms):
                    found.append(f"{item.name} stands in the beam of the {tier} receiver {side}")
            # From the hole to its tip a receiver is in the dark: wood or tape on every side.
            shade = [it for name, it in world.items.items() if name.startswith((f"tower {side} ", f"tape {side}"))]
            for direction in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                x, z = at.x + 3.3 * direction[0], at.y + 2.985 * direction[1]
                spot = box(x - 0.05, z - 0.05, x + 0.05, z + 0.05)
                probe = Prism(Y, spot, tower["inside"] + sheet, receiver).turned(turn)
                if not any(probe.overlaps(prism) for it in shade for prism in it.prisms):
                    found.append(f"the {tier} receiver {side} is not shaded")
    if abs(baffle["length"] - (receiver - tower["inside"])) > 0.05:
        found.append(f"the receivers lie {receiver - tower['inside']:.1f} mm deep, not {baffle['length']:g}")
    return found


def web_faults(data: Data, plates: Iterable[Plate]) -> list[str]:
    """Return pieces that are not one closed contour, or are too thin somewhere."""
    found = []
    least = data["sheet"]["web"]
    for plate in plates:
        shape = plate.shape
        if not shape.is_valid or isinstance(shape, MultiPolygon):
            found.append(f"{plate.name}: its contour is not closed, or crosses itself")
            continue
        thin = shape.buffer(-least / 2 + 0.01)
        if isinstance(thin, MultiPolygon) or thin.is_empty or len(thin.interiors) != len(shape.interiors):
            found.append(f"{plate.name}: a web is thinner than {least:g} mm")
    return found


def walk(world: World) -> Iterator[tuple[Step, list[Item], list[tuple[Item, Move]]]]:
    """Yield each step, what was there before, and what comes, each with its move."""
    assemblies: dict[str, list[Item]] = {}
    for step in world.steps:
        before = list(assemblies.setdefault(step.assembly, []))
        coming: list[tuple[Item, Move]] = []
        for move in step.moves:
            items = assemblies.pop(move.joins) if move.joins else [world.items[name] for name in move.names]
            coming += [(item, move) for item in items]
            assemblies[step.assembly] += items
        yield step, before, coming
