"""The table's solids: pieces of sheet and bought parts, where they are, and in which order they come together.

Everything follows from ``arena.toml``. Every solid is a *prism*: a polygon that is extruded along x, y or z. That is
exact for pieces of sheet, and close enough for what is bought; it lets overlaps, swept volumes and sight lines be
computed in a second, with shapely. ``solids.py`` makes STEP and STL of the same prisms, ``sheets.py`` the files to cut
the same pieces by, ``steps.py`` the pictures.

Lengths in mm. Two worlds: the arena with its box, and one place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise

from shapely import affinity
from shapely.geometry import MultiPolygon, Point, Polygon, box
from shapely.ops import unary_union

from hardware.arena import Data, pillar, ring, turned

XY = tuple[float, float]
Vector = tuple[float, float, float]

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
class Plate:
    """A piece of sheet, in coordinates of its own."""

    name: str
    outline: tuple[XY, ...]
    openings: tuple[Opening, ...]
    thickness: float
    marks: tuple[Opening, ...] = ()
    """Lines to draw on it, not to cut."""
    label: str = ""
    """Its label, if that differs from its name."""

    @cached_property
    def shape(self) -> Polygon:
        """Return it as a polygon; round holes have 48 corners."""
        return Polygon(self.outline, [_ring(opening) for opening in self.openings])


def _ring(opening: Opening) -> list[XY]:
    if isinstance(opening, Hole):
        return list(Point(opening.x, opening.y).buffer(opening.diameter / 2, 12).exterior.coords)
    return list(opening)


def rectangle(x: float, y: float, width: float, height: float) -> tuple[XY, ...]:
    """Return the corners of a rectangle around a middle."""
    w, h = width / 2, height / 2
    return (x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)


def _block(x: XY, y: XY, z: XY) -> Prism:
    return Prism(Z, box(x[0], y[0], x[1], y[1]), *z)


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

    def moved(self, by: Vector) -> Item:
        """Return it elsewhere."""
        return replace(self, prisms=tuple(prism.moved(by) for prism in self.prisms))


@dataclass(frozen=True)
class Move:
    """Items are brought to an assembly, straight, from a direction."""

    names: tuple[str, ...]
    toward: Vector
    """The way that they move."""
    distance: float = 80.0
    joins: str = ""
    """Instead of names: all of this assembly."""


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

    def add(self, name: str, colour: str, *prisms: Prism, plate: Plate | None = None) -> None:
        """Add an item."""
        assert name not in self.items, name
        self.items[name] = Item(name, prisms, colour, plate)

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
OUT = {0: "north", 1: "east", 2: "south", 3: "west"}


def _deck_z(data: Data) -> float:
    """Return how high the deck's upper face is."""
    return -float(data["tray"]["sheet"] + data["tray"]["foam"])


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
    )
    world.add("tray floor", WOOD, Prism(Z, plate.shape, -sheet, 0), plate=plate)
    for name, length in (("north", outer), ("east", inner)):
        holes = tuple(rectangle(s * tiers["across"], tiers["low"], *tray["slot"]) for s in (-1, 1))
        outline = ((-length / 2, 0), (length / 2, 0), (length / 2, tray["wall"]), (-length / 2, tray["wall"]))
        wall = Plate(f"wall of the tray, {'long' if name == 'north' else 'short'}", outline, holes, sheet)
        for turn in (0, 2) if name == "north" else (1, 3):
            prism = Prism(Y, wall.shape, inner / 2, inner / 2 + sheet).turned(turn)
            world.add(f"tray wall {OUT[turn]}", WOOD, prism, plate=wall)
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
            world.add(f"collar {name} {layer + 1}", DARK, put(Prism(Z, collar.shape, z - sheet, z)), plate=collar)
            z -= sheet
        body = box(-sensor[0] / 2, -sensor[1] / 2, sensor[0] / 2, sensor[1] / 2)
        world.add(f"sensor {name}", BLACK, put(Prism(Z, body, z, z + sensor[2])))
        world.add(f"bridge {name}", DARK, put(Prism(Z, bridge.shape, z - sheet, z)), plate=bridge)
    world.add("piezo disc", METAL, _rod(Z, (px, py), floor["piezo_diameter"], -sheet - 0.5, -sheet))


def tower_layer(data: Data, layer: int) -> Plate:
    """Return one layer of a tower, counted from the tray from 1; x and z as seen from the tray."""
    tray, tiers, tower = data["tray"], data["tiers"], data["tower"]
    deck, half = _deck_z(data), tower["width"] / 2
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
    kind = ("first" if layer == 1 else "last" if last else "forward" if layer <= tower["forward"] else "middle") + (
        " with tabs" if layer in tower["tab_layers"] else ""
    )
    alike = [
        number
        for number in range(1, tower["layers"] + 1)
        if (number == 1, number <= tower["forward"], number == tower["layers"], number in tower["tab_layers"])
        == (layer == 1, layer <= tower["forward"], last, layer in tower["tab_layers"])
    ]
    label = f"tower {' or '.join(map(str, alike))}, this face to the tray"
    return Plate(f"tower, {kind} layer", tuple(outline), tuple(openings), tray["sheet"], label=label)


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
            )
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
        prisms += [Prism(Y, Polygon(rectangle(x, z + 14, 9.6, 4.9)), back + 1.6, back + 11.6) for x in (-14, 14)]
        joints = Polygon(rectangle(0, z + board["joint_at"], *board["joint_area"]))
        prisms.append(Prism(Y, joints, back - board["joints"], back))
        world.add(f"side board {side}", BOARD, *(prism.turned(turn) for prism in prisms))
        heads = [_rod(Y, (x, y + z), 5.7, near + sheet - 2.4, near + sheet).turned(turn) for x, y in board["holes"]]
        world.add(f"screws of tower {side}", METAL, *heads)
        top = tower["top"] + 0.15
        tape = box(-tower["width"] / 2, near, tower["width"] / 2, back)
        world.add(f"tape {side}", BLACK, Prism(Z, tape, top, top + tower["tape"]).turned(turn))


def _covers(world: World, data: Data) -> None:
    cover, tower, sheet = data["cover"], data["tower"], data["tray"]["sheet"]
    deck, half = _deck_z(data), cover["width"] / 2
    start = tower["inside"] + tower["layers"] * sheet + 1.6 + 0.6
    end = cover["outside"]
    roof = Plate("cover, roof", rectangle(0, 0, 2 * half, end - start), (), sheet)
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
    middle = (start + end) / 2
    for turn, side in OUT.items():
        world.add(
            f"cover roof {side}",
            WOOD,
            Prism(Z, affinity.translate(roof.shape, 0, middle), cover["top"] - sheet, cover["top"]).turned(turn),
            plate=roof,
        )
        shape = affinity.translate(back.shape, 0, (deck + cover["top"] - sheet) / 2)
        world.add(f"cover back {side}", DARK, Prism(Y, shape, end - sheet, end).turned(turn), plate=back)
        for sign in (-1, 1):
            shape = affinity.translate(cheek.shape, start + depth / 2, deck)
            low = half - sheet if sign > 0 else -half
            prism = Prism(X, shape, low, low + sheet).turned(turn)
            world.add(f"cover cheek {side} {'right' if sign > 0 else 'left'}", DARK, prism, plate=cheek)


def _notches(
    size: float,
    depth: float,
    tabs: Sequence[float],
    tab: float,
    other: Sequence[float],
    other_size: float,
    sheet: float,
) -> tuple[XY, ...]:
    """Return a plate with notches in its edges: ``tabs`` in those along x, ``other`` in those along y; anticlockwise
    from the lower left."""
    w, h = size / 2, depth / 2

    def side(length: float, places: Sequence[float], wide: float) -> list[XY]:
        found: list[XY] = [(-length / 2, 0)]
        for at in sorted(places):
            found += [(at - wide / 2, 0), (at - wide / 2, sheet), (at + wide / 2, sheet), (at + wide / 2, 0)]
        return found

    points: list[XY] = [(x, y - h) for x, y in side(size, tabs, tab)]
    points += [(w - y, x) for x, y in side(depth, other, other_size)]
    points += [(-x, h - y) for x, y in side(size, [-at for at in tabs], tab)]
    points += [(y - w, -x) for x, y in side(depth, [-at for at in other], other_size)]
    return tuple(points)


def _deck(world: World, data: Data) -> None:
    deck, tower, sheet, play = data["deck"], data["tower"], data["tray"]["sheet"], data["sheet"]["play"]
    cover, box_ = data["cover"], data["box"]
    openings: list[Opening] = [rectangle(0, 0, deck["opening"], deck["opening"])]
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
        edge = data["ring"]["side"] * data["ring"]["pitch"] / 2 - 6
        openings.append(Hole(*turned((edge, edge), turn), deck["wire_holes"]))
        openings.append(Hole(*turned((deck["screws"],) * 2, turn), 3.2))
        openings.append(Hole(*turned((data["frame"]["stand_off"],) * 2, turn), 3.2))
    (hub_x, hub_y), (x, y) = hub_middle(data), deck["trimmer"]
    openings.append(Hole(hub_x + x, hub_y + y, deck["trimmer_hole"]))
    pixels = ring(data)
    marks += [rectangle(x, y, 5, 5) for x, y in pixels]
    outer = data["tray"]["inner"] + 2 * sheet
    marks.append(rectangle(0, 0, outer, outer))
    outline = _notches(
        deck["size"], deck["size"], box_["tabs_at"], box_["tab"] + play, box_["tabs_at"], box_["tab"] + play, sheet
    )
    plate = Plate("deck", outline, tuple(openings), sheet, tuple(marks), "deck, upper face; north is up")
    top = _deck_z(data)
    world.add("deck", WOOD, Prism(Z, plate.shape, top - sheet, top), plate=plate)
    size, width = data["ring"]["side"] * data["ring"]["pitch"], data["ring"]["strip"]
    for turn, side in OUT.items():
        strip = box(-size / 2, size / 2 - width / 2, size / 2, size / 2 + width / 2)
        prisms = [Prism(Z, strip, top, top + 0.4).turned(turn)]
        for x, y in pixels[:8]:
            prisms.append(_block((x - 2.5, x + 2.5), (y - 2.5, y + 2.5), (top + 0.4, top + 2)).turned(turn))
        if turn % 2:  # the corners: these two end where the others begin
            strip = box(
                -size / 2 + width / 2 + 0.5, size / 2 - width / 2, size / 2 - width / 2 - 0.5, size / 2 + width / 2
            )
            prisms[0] = Prism(Z, strip, top, top + 0.4).turned(turn)
        world.add(f"ring {side}", WHITE, *prisms)
    near = deck["opening"] / 2
    for turn, side in OUT.items():
        long = near + 10 if turn % 2 == 0 else near
        world.add(f"foam {side}", FOAM, _block((-long, long), (near, near + 10), (top, -sheet)).turned(turn))


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
    world.add("frame", WOOD, Prism(Z, plate.shape, tray["rim"] - tray["sheet"], tray["rim"]), plate=plate)
    shape = pillar(data)
    layer = Plate("pillar", tuple(shape), (Hole(at, at, 6.5),), tray["sheet"])
    for turn in range(4):
        x, y = turned((at, at), turn)
        rod = _rod(Z, (x, y), 6.0, _deck_z(data), tray["rim"] - tray["sheet"])
        world.add(f"frame stand-off {turn + 1}", METAL, rod)
        head = _rod(Z, (x, y), 5.7, tray["rim"], tray["rim"] + 2.4)
        world.add(f"frame screw {turn + 1}", METAL, head)
        for number in range(data["pillar"]["layers"]):
            low = tray["rim"] + number * tray["sheet"]
            prism = Prism(Z, layer.shape, low, low + tray["sheet"]).turned(turn)
            world.add(f"pillar {turn + 1} layer {number + 1}", DARK if number % 2 else WOOD, prism, plate=layer)


def box_floor(data: Data) -> float:
    """Return how high the upper face of the box's bottom is."""
    return _deck_z(data) - float(data["tray"]["sheet"]) - float(data["box"]["height"])


def hub_middle(data: Data) -> XY:
    """Return where the middle of the hub lies."""
    board = data["board"]["hub"]
    inside = data["deck"]["size"] / 2 - data["tray"]["sheet"]
    return 0.0, -(inside - board["gap"] - board["outline"][1] / 2)


def _box(world: World, data: Data) -> None:
    box_, deck, sheet, play = data["box"], data["deck"], data["tray"]["sheet"], data["sheet"]["play"]
    top, floor, size = _deck_z(data) - sheet, box_floor(data), deck["size"]
    at = deck["screws"]
    hx, hy = hub_middle(data)
    board = data["board"]["hub"]
    openings: list[Opening] = [Hole(x, y, 3.2) for x in (-at, at) for y in (-at, at)]
    openings += [Hole(hx + x, hy + y, 3.2) for x, y in board["holes"]]
    width, height = box_["vent"]
    openings += [rectangle(x, y, width, height) for x in (-60, 0, 60) for y in (30, 45, 60)]
    outline = _notches(size, size, box_["tabs_at"], box_["tab"] + play, box_["tabs_at"], box_["tab"] + play, sheet)
    feet = box_["feet"]
    marks: tuple[Opening, ...] = (
        *(Hole(x, y, box_["foot"][0]) for x in (-feet, feet) for y in (-feet, feet)),
        rectangle(hx, hy, *board["outline"]),
    )
    plate = Plate("bottom of the box", outline, tuple(openings), sheet, marks, "bottom of the box; the hub lies south")
    world.add("box bottom", WOOD, Prism(Z, plate.shape, floor - sheet, floor), plate=plate)
    for turn, side in OUT.items():
        long = size if turn % 2 == 0 else size - 2 * sheet
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
        points.append((long / 2, high))
        for a, b, base, peak in sorted(upper, reverse=True):
            points += [(b, base), (b, peak), (a, peak), (a, base)]
        points.append((-long / 2, high))
        cuts: list[Opening] = []
        if side == "south":
            face = floor + board["stand_off"] + 1.6
            for opening in box_["opening"]:
                bottom, peak = (face + it for it in opening["above"])
                cuts.append(
                    rectangle(_along(side, hx + opening["x"]), (bottom + peak) / 2, opening["width"], peak - bottom)
                )
        wall = Plate(f"wall of the box, {side}", tuple(points), tuple(cuts), sheet)
        wall = replace(wall, label=f"{wall.name}, outer face")
        inner = size / 2 - sheet
        # The plate is drawn as seen from outside: x runs to the left of who looks out.
        shape = _mapped(wall.shape, lambda x, z: (-x, z))
        world.add(f"box wall {side}", DARK, Prism(Y, shape, inner, inner + sheet).turned(turn), plate=wall)
        x, y = turned((at, at), turn)
        world.add(f"box stand-off {turn + 1}", METAL, _rod(Z, (x, y), 6.0, floor, top))
        world.add(f"deck screw {turn + 1}", METAL, _rod(Z, (x, y), 5.7, top + sheet, top + sheet + 2.4))
        world.add(f"bottom screw {turn + 1}", METAL, _rod(Z, (x, y), 5.7, floor - sheet - 2.4, floor - sheet))
        x, y = turned((feet, feet), turn)
        world.add(
            f"foot {turn + 1}", BLACK, _rod(Z, (x, y), box_["foot"][0], floor - sheet - box_["foot"][1], floor - sheet)
        )


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
        world.add(f"hub stand-off {number}", METAL, _rod(Z, (x0 + x, y0 + y), 6.0, floor, low))
        world.add(f"hub screw {number}", METAL, _rod(Z, (x0 + x, y0 + y), 5.7, face, face + 2.4))
        world.add(
            f"hub screw {number} below",
            METAL,
            _rod(Z, (x0 + x, y0 + y), 5.7, floor - data["tray"]["sheet"] - 2.4, floor - data["tray"]["sheet"]),
        )


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
        "deck", "Glue the towers into the deck", "deck", Move(("deck",), UP), Move((), DOWN, 60.0, joins="tower")
    )
    world.step(
        "side",
        "Emitters into their bores, then the side boards behind the towers",
        "deck",
        *(Move(names(f"emitter {side}"), inward(side), 30.0) for side in sides),
        *(Move(names(f"side board {side}"), inward(side), 40.0) for side in sides),
        Move(names("tape "), DOWN, 25.0),
    )
    world.step("ring", "Stick the ring's strips on the deck", "deck", Move(names("ring "), DOWN, 60.0))
    world.step(
        "tray",
        "The tray: walls on the floor",
        "tray",
        Move(("tray floor",), UP, 60.0),
        Move(names("tray wall"), DOWN, 45.0),
    )
    world.step(
        "sensors",
        "Below the tray: collars, sensors, bridges, piezo disc",
        "tray",
        Move(names("collar"), UP, 15.0),
        Move(names("sensor"), UP, 30.0),
        Move(names("bridge"), UP, 45.0),
        Move(("piezo disc",), UP, 20.0),
        below=True,
    )
    world.step(
        "float",
        "Foam on the deck, and the tray on the foam",
        "deck",
        Move(names("foam"), DOWN, 60.0),
        Move((), DOWN, 80.0, joins="tray"),
    )
    world.step(
        "frame",
        "Stand-offs, frame, screws, pillars",
        "deck",
        Move(names("frame stand-off"), DOWN, 60.0),
        Move(("frame",), DOWN, 70.0),
        Move(names("frame screw"), DOWN, 80.0),
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
        "Stand-offs, and the walls from outside",
        "box",
        Move(names("box stand-off"), DOWN, 30.0),
        Move(names("bottom screw"), UP, 20.0),
        *(Move((f"box wall {side}",), inward(side), 60.0) for side in ("east", "west", "north", "south")),
    )
    world.step(
        "close", "The deck on the box", "box", Move((), DOWN, 90.0, joins="deck"), Move(names("deck screw"), DOWN, 40.0)
    )
    world.step("covers", "The covers, which stay loose", "box", Move((), DOWN, 60.0, joins="cover"))


# -- a place -----------------------------------------------------------------------------------------------------


def place_world(data: Data) -> World:
    """Return one place."""
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

    edge = up(_notches(width, depth, place["tabs_x"], place["tab"] + play, place["tabs_y"], place["tab"] + play, sheet))
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
    panel = Plate("panel", edge, tuple(openings), sheet, marks, "panel, upper face")
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
        cheek = Plate("hood, cheek", outline, (), sheet)
        low = cheek_x - sheet / 2 if sign > 0 else -cheek_x - sheet / 2
        world.add(
            f"hood cheek {'right' if sign > 0 else 'left'}",
            DARK,
            Prism(X, affinity.translate(cheek.shape, cheek_y, 0), low, low + sheet),
            plate=cheek,
        )
    w = hood_w / 2
    outline = ((-w, 0), (-25 - tab / 2, 0), (-25 - tab / 2, -sheet), (-25 + tab / 2, -sheet), (-25 + tab / 2, 0),
               (25 - tab / 2, 0), (25 - tab / 2, -sheet), (25 + tab / 2, -sheet), (25 + tab / 2, 0), (w, 0),
               (w, hood_h), (-w, hood_h))  # fmt: skip
    hood_back = Plate("hood, back", outline, (), sheet)
    world.add("hood back", DARK, Prism(Y, hood_back.shape, back_y - sheet / 2, back_y + sheet / 2), plate=hood_back)
    roof = Plate("hood, roof", rectangle(0, 0, hood_w, hood_d), (), sheet)
    shape = affinity.translate(roof.shape, 0, hood_y + hood_d / 2)
    world.add("hood roof", WOOD, Prism(Z, shape, hood_h, hood_h + sheet), plate=roof)

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
    for number, (x, y) in enumerate(lid_holes, 1):
        world.add(f"lid screw {number}", METAL, _rod(Z, (x, y), 5.7, 0, 2.4))
        world.add(f"lid nut {number}", METAL, _rod(Z, (x, y), 6.2, lid_z - sheet - 2.4, lid_z - sheet))

    bw, bd = (it / 2 for it in board["outline"])
    shape = box(-bw, by - bd, bw, by + bd)
    holes = unary_union([Point(x, y).buffer(board["drill"] / 2) for x, y in board_holes])
    prisms = [Prism(Z, shape.difference(holes), back, front)]
    for x in place["buttons_x"]:
        prisms.append(_block((x - 6, x + 6), (by - 6, by + 6), (front, front + place["body"])))
        prisms.append(_block((x - 6, x + 6), (by - 6, by + 6), (front + place["body"] + 0.7, front + place["key"])))
    prisms.append(_block((-14, 14), (by - 4.5, by + 4.5), (back - board["back"], back)))
    world.add("place board", BOARD, *prisms)
    for number, (x, y) in enumerate(board_holes, 1):
        world.add(f"spacer {number}", WHITE, _rod(Z, (x, y), 7.0, front, -sheet))
        world.add(f"board screw {number}", METAL, _rod(Z, (x, y), 5.7, 0, 2.4))
        world.add(f"place stand-off {number}", METAL, _rod(Z, (x, y), 6.0, floor, back))
        world.add(f"place bottom screw {number}", METAL, _rod(Z, (x, y), 5.7, floor - sheet - 2.4, floor - sheet))
    foot_d, foot_h = place["foot"]
    for number, (x, y) in enumerate(((-55, 10), (55, 10), (-55, depth - 10), (55, depth - 10)), 1):
        world.add(f"place foot {number}", BLACK, _rod(Z, (x, y), foot_d, floor - sheet - foot_h, floor - sheet))

    bottom = Plate(
        "bottom of a place",
        edge,
        tuple(Hole(x, y, 3.2) for x, y in board_holes),
        sheet,
    )
    world.add("place bottom", WOOD, Prism(Z, bottom.shape, floor - sheet, floor), plate=bottom)
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

    front_wall = wall("wall of a place, front", width, place["tabs_x"], place["tab"], notch=False)
    back_wall = wall("wall of a place, back", width, place["tabs_x"], place["tab"], notch=True)
    side_wall = wall("wall of a place, side", depth - 2 * sheet, place["tabs_y"], place["tab"], notch=False)
    world.add("place wall front", DARK, Prism(Y, front_wall.shape, 0, sheet), plate=front_wall)
    world.add("place wall back", DARK, Prism(Y, back_wall.shape, depth - sheet, depth), plate=back_wall)
    for sign, name in ((-1, "left"), (1, "right")):
        at = -width / 2 if sign < 0 else width / 2 - sheet
        shape = affinity.translate(side_wall.shape, middle, 0)
        world.add(f"place wall {name}", DARK, Prism(X, shape, at, at + sheet), plate=side_wall)

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
        "Glue the four walls to the panel",
        "place",
        Move(names("place wall front"), (0, 1, 0), 30.0),
        Move(names("place wall back"), (0, -1, 0), 30.0),
        Move(("place wall left",), (1, 0, 0), 30.0),
        Move(("place wall right",), (-1, 0, 0), 30.0),
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
        "placebottom",
        "Cable out at the back, bottom on, four screws, four feet",
        "place",
        Move(("place bottom",), UP, 45.0),
        Move(names("place bottom screw"), UP, 65.0),
        Move(names("place foot"), UP, 55.0),
        below=True,
    )
    return world


def worlds(data: Data) -> tuple[World, World]:
    """Return the arena and a place."""
    return arena_world(data), place_world(data)


# -- checks --------------------------------------------------------------------------------------------------------


def overlaps(items: Iterable[Item]) -> list[str]:
    """Return each pair of items that are in the same place."""
    return [f"{one.name} and {other.name} overlap" for one, other in combinations(items, 2) if _touch(one, other)]


def _touch(one: Item, other: Item) -> bool:
    return any(a.overlaps(b) for a in one.prisms for b in other.prisms)


def blocked(world: World) -> list[str]:
    """Return what stands in the way of what is brought to its place, in the order of the steps."""
    found: list[str] = []
    assemblies: dict[str, list[Item]] = {}
    for step in world.steps:
        for move in step.moves:
            there = assemblies.setdefault(step.assembly, [])
            moving = assemblies.pop(move.joins) if move.joins else [world.items[name] for name in move.names]
            by: Vector = tuple(-it * move.distance for it in move.toward)  # type: ignore[assignment]
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
                if any(beam.overlaps(prism) for prism in item.prisms):
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
