"""Compare the boards' files with the wiring, without KiCad: kiutils reads the files."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from hardware.boards.kicad import MIDDLE
from hardware.boards.model import Board
from hardware.nets import Wiring


@dataclass(frozen=True)
class File:
    """A board as its file describes it."""

    pads: dict[tuple[str, str], str]
    """Net by part and pad; empty for a pad that is on none."""
    places: dict[str, tuple[float, float, float]]
    """The middle of a part's legs, and its rotation; from the board's middle, y upwards."""
    footprints: dict[str, str]
    faces: dict[str, str]
    """The copper layer that a part sits on: F.Cu or B.Cu."""
    holes: frozenset[tuple[float, float]]


def read(path: Path) -> File:
    """Read a board's file. Two pads of one number (a button's) must be on one net: ValueError if they are not."""
    from kiutils.board import Board as KiCadBoard

    pads: dict[tuple[str, str], str] = {}
    places, footprints, faces, holes = {}, {}, {}, set()
    for it in KiCadBoard.from_file(str(path)).footprints:
        ref = next(item.text for item in it.graphicItems if getattr(item, "type", "") == "reference")
        angle = math.radians(it.position.angle or 0)
        at = it.position.X - MIDDLE[0], MIDDLE[1] - it.position.Y
        if it.entryName.startswith("MountingHole"):
            holes.add((round(at[0], 3), round(at[1], 3)))
            continue
        xs, ys = [], []
        for pad in it.pads:
            if not pad.number:
                continue
            net = pad.net.name if pad.net else ""
            if pads.setdefault((ref, pad.number), net) != net:
                raise ValueError(f"{path.name}: pad {pad.number} of {ref} is on {net!r} and {pads[ref, pad.number]!r}")
            x, y = pad.position.X, -pad.position.Y
            xs.append(at[0] + x * math.cos(angle) - y * math.sin(angle))
            ys.append(at[1] + x * math.sin(angle) + y * math.cos(angle))
        places[ref] = (
            round((min(xs) + max(xs)) / 2, 3),
            round((min(ys) + max(ys)) / 2, 3),
            (it.position.angle or 0) % 360,
        )
        footprints[ref] = f"{it.libraryNickname}:{it.entryName}"
        faces[ref] = it.layer
    return File(pads, places, footprints, faces, frozenset(holes))


def faults(board: Board, wiring: Wiring, file: File) -> list[str]:
    """Return every difference between a board's file on the one hand, wiring and ``boards.toml`` on the other."""
    found = []
    expected = {(part.ref, pad): net for part in board.parts for pad, net in part.pads.items()}
    for key in sorted(expected.keys() | file.pads.keys()):
        want, have = expected.get(key), file.pads.get(key)
        if want != have:
            found.append(f"{board.name}: pad {key[1]} of {key[0]} is on {_net(have)}, wired to {_net(want)}")
    found += _joined(board, wiring, file)
    for part in board.parts:
        if part.ref not in file.places:
            continue
        x, y, turn = file.places[part.ref]
        if max(abs(x - part.at[0]), abs(y - part.at[1])) > 0.01 or abs(turn - part.turn % 360) > 0.01:
            found.append(f"{board.name}: {part.ref} is at {x}, {y}, turned {turn:g}; boards.toml says {part.at}")
        if file.footprints[part.ref] != part.footprint:
            found.append(f"{board.name}: {part.ref} is a {file.footprints[part.ref]}, not a {part.footprint}")
        if (file.faces[part.ref] == "B.Cu") != part.back:
            found.append(f"{board.name}: {part.ref} sits on the wrong face")
    if file.holes != {(round(x, 3), round(y, 3)) for x, y in board.holes}:
        found.append(f"{board.name}: the screws' holes are at {sorted(file.holes)}")
    return found


def _joined(board: Board, wiring: Wiring, file: File) -> list[str]:
    """Names apart: two pads share a net on the board exactly if the wiring joins their pins, on each of the copies."""
    found = []
    for copy in board.copies:
        by_wire: dict[int, set[str]] = defaultdict(set)
        by_net: dict[str, set[int]] = defaultdict(set)
        for part in board.parts:
            component = f"{copy}_{part.ref}" if copy else part.ref
            if component not in wiring.components:
                found.append(f"{board.name}: the wiring has no {component}")
                continue
            for pad, pin in part.pins.items():
                net = wiring.net(component, pin)
                name = file.pads.get((part.ref, pad), "")
                lonely = len(net.pins) + len(net.names) < 2
                if lonely != (name == ""):
                    found.append(
                        f"{board.name}: pad {pad} of {part.ref} is {'on' if name else 'off'} a net, {component}"
                    )
                if name:
                    by_wire[id(net)].add(name)
                    by_net[name].add(id(net))
        found += [
            f"{board.name}: {copy} has one net of the wiring on {sorted(names)}"
            for names in by_wire.values()
            if len(names) > 1
        ]
        found += [
            f"{board.name}: {copy} joins two nets of the wiring in {name}"
            for name, ids in by_net.items()
            if len(ids) > 1
        ]
    return found


def _net(name: str | None) -> str:
    return "no such pad" if name is None else name or "no net"
