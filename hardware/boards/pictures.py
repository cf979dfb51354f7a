"""A picture of a board for each step that solders on it: what comes is coloured and named, what was there is grey.

Outlines and legs are those of the board's file, which sides show what those of ``boards.toml``, and the steps those of
``guide.toml``: no program of KiCad's is needed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import shapely
from shapely.geometry import MultiPoint

from hardware.boards.kicad import MIDDLE
from hardware.boards.model import Board, Part
from hardware.guide import Step

_WIDTH = 760
"""Pixels; a face of a small board takes no more than half of them."""
_EDGE, _HEAD, _GAP = 3.0, 7.0, 8.0
"""Millimetres around a face, above it for its name, and between two."""
_STYLE = (
    "text{font-family:DejaVu Sans,Arial,sans-serif;fill:#202020}.board{fill:#e9f2e6;stroke:#406040;stroke-width:.4}"
    ".later{fill:none;stroke:#b8c8b4;stroke-width:.2}.there{fill:#cfd4d8;stroke:#8a9096;stroke-width:.2}"
    ".now{fill:#f6a860;stroke:#a04000;stroke-width:.3}.leg{fill:#fff;stroke:#808080;stroke-width:.2}"
    ".hole{fill:#fff;stroke:#406040;stroke-width:.3}.face{font-size:3.4px;font-weight:bold}"
    ".name{font-weight:bold;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:.5}"
)
Tree = list[Any]


@dataclass(frozen=True)
class Outline:
    """A part as its board's file draws it, from the middle of the board, y upwards, seen from the front."""

    shape: shapely.Geometry
    legs: tuple[tuple[str, float, float, float], ...]
    """Pad, place and width."""


def files(boards: Sequence[Board], steps: Sequence[Step]) -> dict[str, str]:
    """Return the pictures by name: of each sitting that solders anything on a board."""
    found = {}
    there: set[str] = set()
    for step in steps:
        for sitting, names in step.sittings():
            for board in boards:
                now = {part.ref for part in board.parts if part.component in names}
                if now:
                    before = {part.ref for part in board.parts if part.component in there} - now
                    found[f"step-{sitting}.svg"] = draw(board, now, before)
            there |= set(names)
    return found


def draw(board: Board, now: set[str], there: set[str]) -> str:
    """Return the faces of a board on which parts come, with those ``now``, and those that are ``there`` already."""
    outlines = read(board.file)
    faces = [back for back in (True, False) if any(it.ref in now and it.back == back for it in board.parts)]
    wide, high = board.size[0] + 2 * _EDGE, board.size[1] + 2 * _EDGE + _HEAD
    across = len(faces) * wide + (len(faces) - 1) * _GAP
    pixels = min(_WIDTH, round(across * 8))
    art = []
    for number, back in enumerate(faces):
        left = number * (wide + _GAP) + wide / 2
        middle = f"{left:g} {_HEAD + high / 2 - _HEAD / 2:g}"
        name = f"{board.name}, {'back' if back else 'front'}"
        art.append(f'<text class="face" x="{left - wide / 2 + _EDGE:g}" y="{_HEAD - 2:g}">{name}</text>')
        art.append(f'<g transform="translate({middle})">')
        art += _face(board, outlines, back, now, there)
        art.append("</g>")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{pixels}" height="{round(pixels * high / across)}"'
        f' viewBox="0 0 {across:g} {high:g}">\n<style>{_STYLE}</style>\n'
        f'<rect width="{across:g}" height="{high:g}" fill="#fff"/>\n' + "\n".join(art) + "\n</svg>\n"
    )


def _face(board: Board, outlines: Mapping[str, Outline], back: bool, now: set[str], there: set[str]) -> Iterator[str]:
    mirror = -1 if back else 1
    x, y = board.size
    yield f'<rect class="board" x="{-x / 2:g}" y="{-y / 2:g}" width="{x:g}" height="{y:g}" rx="{board.corner:g}"/>'
    for hole in board.holes:
        yield f'<circle class="hole" cx="{mirror * hole[0]:g}" cy="{-hole[1]:g}" r="1.6"/>'
    here = [part for part in board.parts if part.back == back]
    order = {"later": 0, "there": 1, "now": 2}
    kinds = {part.ref: "now" if part.ref in now else "there" if part.ref in there else "later" for part in board.parts}
    for part in sorted(here, key=lambda it: order[kinds[it.ref]]):
        outline, kind = outlines[part.ref], kinds[part.ref]
        points = " ".join(f"{mirror * px:.2f},{-py:.2f}" for px, py in outline.shape.exterior.coords[:-1])
        yield f'<polygon class="{kind}" data-part="{escape(part.ref)}" points="{points}"/>'
        if kind == "later":
            continue
        for pad, px, py, width in outline.legs:
            px, py, half = mirror * px, -py, width / 2
            yield (
                f'<rect class="leg" x="{px - half:.2f}" y="{py - half:.2f}" width="{width:g}" height="{width:g}"/>'
                if pad in ("1", "K", "+")
                else f'<circle class="leg" cx="{px:.2f}" cy="{py:.2f}" r="{half:g}"/>'
            )
    for part in here:
        if kinds[part.ref] == "now":
            yield _name(part, outlines[part.ref], mirror)


def _name(part: Part, outline: Outline, mirror: int) -> str:
    """Return a part's name along its longer side, and its value where there is room."""
    left, bottom, right, top = outline.shape.bounds
    wide, high = right - left, top - bottom
    long: float = max(wide, high)
    upright = high > 1.3 * wide
    value = f" {part.value}" if re.fullmatch(r"[\d.]+[kMRµnp]?\d*", part.value) else ""

    def size(text: str) -> float:
        return min(1.8, (long - 0.4) / (0.62 * len(text)))

    text = part.ref + value if size(part.ref + value) > 1.4 else part.ref
    high_mm = max(size(text), 1.4)
    # Beside the legs, where a part is high enough.
    middle, shares = (bottom + top) / 2, (0.0, 0.3, -0.3) if high > 6 and not upright else (0.0,)
    rows = [middle + share * high for share in shares]
    row = max(rows, key=lambda it: round(min(abs(it - leg[2]) for leg in outline.legs), 1))
    x, y = mirror * (left + right) / 2, -row
    turn = f' transform="rotate(-90 {x:.2f} {y:.2f})"' if upright else ""
    place = f'x="{x:.2f}" y="{y + 0.35 * high_mm:.2f}"{turn}'
    return f'<text class="name" font-size="{high_mm:.2g}" {place}>{escape(text)}</text>'


# -- the board's file ----------------------------------------------------------------------------------------------


@cache
def read(path: Path) -> dict[str, Outline]:
    """Return the parts of a board's file by reference."""
    found = {}
    for item in _tree(path.read_text(encoding="utf-8")):
        if isinstance(item, list) and item[0] == "footprint":
            ref = next(it[2] for it in item if it[0] == "fp_text" and it[1] == "reference")
            if pads := [it for it in item if it[0] == "pad" and it[1]]:
                found[ref] = _outline(item, pads)
    return found


def _outline(item: Tree, pads: Sequence[Tree]) -> Outline:
    at = [float(it) for it in _of(item, "at")]
    angle = math.radians(at[2]) if len(at) > 2 else 0.0

    def place(x: float, y: float) -> tuple[float, float]:
        across = x * math.cos(angle) + y * math.sin(angle)
        down = y * math.cos(angle) - x * math.sin(angle)
        return at[0] + across - MIDDLE[0], MIDDLE[1] - at[1] - down

    points = []
    for it in item:
        if isinstance(it, list) and it[0].startswith("fp_") and _of(it, "layer")[:1] in (["F.SilkS"], ["B.SilkS"]):
            points += [place(*spot) for spot in _spots(it)]
    legs = []
    for pad in pads:
        x, y = (float(it) for it in _of(pad, "at")[:2])
        width = min(float(it) for it in _of(pad, "size"))
        legs.append((pad[1], *place(x, y), width))
        points += [place(x + dx, y + dy) for dx in (-width / 2, width / 2) for dy in (-width / 2, width / 2)]
    return Outline(MultiPoint(points).convex_hull, tuple(legs))


def _spots(item: Tree) -> list[tuple[float, float]]:
    """Return points of a line, an arc or a circle that its hull goes through."""

    def spot(name: str) -> tuple[float, float]:
        x, y = _of(item, name)[:2]
        return float(x), float(y)

    if item[0] == "fp_line":
        return [spot("start"), spot("end")]
    if item[0] == "fp_arc":
        return [spot("start"), spot("mid"), spot("end")]
    if item[0] == "fp_circle":
        (x, y), end = spot("center"), spot("end")
        radius = math.dist((x, y), end)
        return [
            (x + radius * math.cos(it * math.pi / 18), y + radius * math.sin(it * math.pi / 18)) for it in range(36)
        ]
    return []


def _of(item: Tree, name: str) -> Tree:
    return next((it[1:] for it in item if isinstance(it, list) and it[0] == name), [])


def _tree(text: str) -> Tree:
    """Return a file of KiCad's as nested lists of words."""
    stack: list[Tree] = [[]]
    for match in re.finditer(r'\(|\)|"((?:[^"\\]|\\.)*)"|[^\s()"]+', text):
        if match[0] == "(":
            stack.append([])
        elif match[0] == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(match[0] if match[1] is None else match[1])
    (whole,) = stack[0]
    return list(whole)
