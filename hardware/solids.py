"""STEP and STL of the solids, made of the same prisms as everything else. Needs build123d."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shapely.geometry import LinearRing

from hardware.arena import Data
from hardware.mechanics import Item, Plate, Prism, World, worlds
from hardware.tools import Missing


def load() -> Any:
    """Return build123d, or raise Missing."""
    try:
        import build123d as module
    except ImportError:
        raise Missing("solids need build123d: .venv/bin/pip install -e '.[hardware]' (about 1 GB)") from None
    return module


def _wire(ring: Sequence[tuple[float, ...]]) -> Any:
    """Return a ring as a wire; what was a circle is one again."""
    b = load()
    points = [tuple(point) for point in ring][:-1]
    x, y = (sum(it) / len(points) for it in list(zip(*points, strict=True))[:2])
    radii = [math.hypot(px - x, py - y) for px, py in points]
    if len(points) >= 20 and max(radii) - min(radii) < 1e-6:
        return b.Wire([b.Edge.make_circle(radii[0], b.Plane((x, y, 0)))])
    return b.Wire.make_polygon([(px, py, 0) for px, py in points], close=True)


def solid(prism: Prism) -> Any:
    """Return a prism as a solid of build123d."""
    b = load()
    shape = prism.shape
    outline = list(shape.exterior.coords)
    if not LinearRing(outline).is_ccw:
        outline.reverse()
    face = b.Face(_wire(outline), [_wire(list(ring.coords)) for ring in shape.interiors])
    made = b.Solid.extrude(face, b.Vector(0, 0, prism.high - prism.low))
    # The polygon's plane, from the two coordinates that it is given in.
    if prism.axis == 2:
        return made.moved(b.Location((0, 0, prism.low)))
    if prism.axis == 1:  # (x, z) becomes x, z; what is extruded goes to -y and is brought back
        plane = b.Plane(origin=(0, prism.high, 0), x_dir=(1, 0, 0), z_dir=(0, -1, 0))
    else:
        plane = b.Plane(origin=(prism.low, 0, 0), x_dir=(0, 1, 0), z_dir=(1, 0, 0))
    return made.moved(b.Location(plane))


def assembly(world: World) -> Any:
    """Return a world as a compound, each item a child with its name.

    It has no colours: those would be written in another order each time.
    """
    b = load()
    children = []
    for item in world.items.values():
        children.append(_item(item))
    return b.Compound(label=world.name, children=children)


def _item(item: Item) -> Any:
    b = load()
    parts = [solid(prism) for prism in item.prisms]
    made = parts[0] if len(parts) == 1 else b.Compound(parts)
    made.label = item.name
    return made


def piece(plate: Plate) -> Any:
    """Return a piece of sheet, lying flat."""
    return solid(Prism(2, plate.shape, 0, plate.thickness))


def make(data: Data, out: Path) -> None:
    """Write STEP of both worlds, and STL of each piece, into a folder."""
    b = load()
    out.mkdir(parents=True, exist_ok=True)
    for world in worlds(data):
        # A piece is exported before it becomes a child of the assembly.
        for plate in world.pieces():
            name = re.sub(r"[^a-z0-9]+", "-", plate.name.lower()).strip("-")
            b.export_stl(piece(plate), str(out / f"{name}.stl"), tolerance=0.02, angular_tolerance=0.3)
        path = out / f"{world.name}.step"
        b.export_step(assembly(world), str(path), timestamp="2026-11-01T00:00:00")
