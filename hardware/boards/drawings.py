"""Hold the boards' holes against what makers' drawings say of the parts, as ``drawings.toml`` has it."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from hardware.boards.model import FOLDER, Board
from hardware.nets import Wiring

Spot = tuple[str, float, float]
"""The number of a leg, and where it is."""
_NEAR = 0.06
"""So far a hole may be off the drawing."""
_WIDER = 0.1, 0.75
"""A hole is so much wider than its leg, at least and at most."""


def read() -> list[dict[str, Any]]:
    return list(tomllib.loads((FOLDER / "drawings.toml").read_text(encoding="utf-8"))["part"])


def entry(parts: list[dict[str, Any]], kind: str) -> dict[str, Any] | None:
    """Return what the file has of a kind of part."""
    return next((part for part in parts if any(re.fullmatch(it, kind) for it in part["kinds"])), None)


def legs(part: Mapping[str, Any]) -> list[Spot]:
    """Return where the drawing has each leg."""
    if "legs" in part:
        spots = [(float(x), float(y)) for x, y in part["legs"]]
    elif "line" in part:
        count, pitch = part["line"]
        spots = [(it * pitch, 0.0) for it in range(count)]
    elif "zigzag" in part:
        count, pitch = part["zigzag"]
        spots = [(it % 2 * pitch, it // 2 * pitch) for it in range(count)]
    else:
        count, pitch, across = part["dip"]
        half = count // 2
        spots = [(0.0, it * pitch) for it in range(half)] + [(across, (half - 1 - it) * pitch) for it in range(half)]
    numbers = part.get("numbers") or [str(it) for it in range(1, len(spots) + 1)]
    return [(number, x, y) for number, (x, y) in zip(numbers, spots, strict=True)]


def faults(board: Board, wiring: Wiring, path: Path, parts: list[dict[str, Any]] | None = None) -> list[str]:
    """Return where the holes of a board's file are not those of the drawings."""
    parts = read() if parts is None else parts
    components = {part.ref: part.component for part in board.parts}
    found = []
    for ref, holes in _holes(path, path.stat().st_mtime_ns):
        if ref not in components:
            continue
        kind = wiring.components[components[ref]].kind
        part = entry(parts, kind)
        if part is None:
            found.append(f"{board.name}: {ref}: drawings.toml has no {kind}")
            continue
        found += [f"{board.name}: {ref}: {fault} ({part['drawing']})" for fault in _compare(part, holes)]
    return found


@cache
def _holes(path: Path, _: int) -> list[tuple[str, list[tuple[str, float, float, float]]]]:
    """Return the holes of each part of a file: number, x, y, diameter."""
    from kiutils.board import Board as KiCadBoard

    found = []
    for it in KiCadBoard.from_file(str(path)).footprints:
        ref = next(item.text for item in it.graphicItems if getattr(item, "type", "") == "reference")
        holes = [(pad.number, pad.position.X, pad.position.Y, pad.drill.diameter) for pad in it.pads if pad.drill]
        found.append((ref, holes))
    return found


def _compare(part: Mapping[str, Any], holes: list[tuple[str, float, float, float]]) -> Iterator[str]:
    drawn, there = legs(part), [hole for hole in holes if hole[0]]
    if sorted(number for number, _, _ in drawn) != sorted(hole[0] for hole in there):
        yield f"{len(there)} holes for {len(drawn)} legs"
        return
    apart = _distances([(number, x, y) for number, x, y, _ in there])
    for pair, wanted in _distances(drawn):
        found = [distance for name, distance in apart if name == pair]
        near = [it for it in found if abs(it - wanted) < _NEAR or (part.get("bent") and it > wanted)]
        if not near:
            yield f"legs {pair} are {wanted:.2f} mm apart in the drawing, and {found[0]:.2f} mm on the board"
            return
    for number, _, _, drill in there:
        if not _WIDER[0] - 0.001 <= drill - part["lead"] <= _WIDER[1]:
            yield f"a hole of {drill:g} mm for leg {number} of {part['lead']:g} mm"
            return
    yield from _peg_faults(part, there, [hole for hole in holes if not hole[0]])


def _distances(spots: list[Spot]) -> list[tuple[str, float]]:
    """Return the distance of every two legs, by their numbers: the same however the part is turned."""
    return [
        ("-".join(sorted((one, other))), math.hypot(x2 - x1, y2 - y1))
        for (one, x1, y1), (other, x2, y2) in combinations(spots, 2)
    ]


def _peg_faults(
    part: Mapping[str, Any], there: list[tuple[str, float, float, float]], free: list[Any]
) -> Iterator[str]:
    pegs = part.get("pegs", [])
    if len(pegs) != len(free):
        yield f"{len(free)} holes for {len(pegs)} pegs"
        return

    def around(spots: list[tuple[float, float]], x: float, y: float) -> list[float]:
        return sorted(math.hypot(x - a, y - b) for a, b in spots)

    drawn = [(x, y) for _, x, y in legs(part)]
    middle = [(min(axis) + max(axis)) / 2 for axis in zip(*drawn, strict=True)]
    for x, y, diameter in pegs:
        wanted = around(drawn, middle[0] + x, middle[1] + y)
        if not any(
            abs(hole[3] - diameter) < 0.11
            and all(
                abs(a - b) < _NEAR
                for a, b in zip(around([it[1:3] for it in there], hole[1], hole[2]), wanted, strict=True)
            )
            for hole in free
        ):
            yield f"no hole of {diameter:g} mm for the peg at {x:g}, {y:g}"
