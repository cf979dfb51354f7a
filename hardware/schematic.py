"""Schematics: one sheet a function, drawn from the nets.

``schematics.toml`` says which parts a sheet shows and where; every wire is drawn from the wiring by a search on a grid.
A net that leaves a sheet carries its name. Nothing here knows a connection of its own, so a sheet cannot contradict the
wiring: a part that is placed badly gives an ugly sheet, or none.

A line of a sheet is ``NAME X Y [OPTION …]``. X and Y count squares of the grid from the upper left corner, to the
middle of the part. ``NAME/UNIT`` is one gate or amplifier of several, ``NAME/P`` its supply. ``@NET X Y SIDE`` is the
tag with a net's name; it stands to that side of the point, and the wire leaves to the other. Options: ``r``, ``d``,
``l``, ``u``: where the second pin of a part with two is; ``west``: its name is at the left; ``mirror``, ``flip``:
left for right, top for bottom; ``pins=3-6,8``: show these alone; ``right``: a connector's pins are at its right.
``tags`` are nets with a tag at each leg in place of wires.
"""

from __future__ import annotations

import heapq
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from xml.sax.saxutils import escape

from hardware import HERE
from hardware.nets import Cable, Component, Net, Pin, Wiring
from hardware.tools import Broken

SQUARE = 10
"""Pixels a square of the grid."""
RAILS = ("GND", "3V3", "5V", "5V_RING", "5V_SENS", "VBIAS")
"""Nets that are drawn as a sign at each pin."""
DIRECTIONS = {"r": (1, 0), "d": (0, 1), "l": (-1, 0), "u": (0, -1)}
COPIES = {"place": "P1", "side": "B1"}
"""Sheets that show one of several alike."""

Cell = tuple[int, int]
Stroke = Sequence[tuple[float, float]]


class Fault(Broken):
    """A sheet cannot be drawn; the message says which part or net is in the way."""


@dataclass
class Leg:
    pin: Pin
    at: Cell
    out: Cell
    """The direction away from the body."""
    text: str = ""
    """Written inside the body, beside the leg."""
    note: str = ""
    """Written along the leg, as a wire's colour."""
    number: bool = True


@dataclass
class Symbol:
    legs: list[Leg]
    body: tuple[float, float, float, float]
    """Left, top, right, bottom: no wire runs through it."""
    art: list[str]


@dataclass
class Flag:
    net: str
    at: Cell
    out: Cell


class Rail(NamedTuple):
    """The sign of a rail at a leg."""

    net: str
    leg: Leg


class Tag(NamedTuple):
    """A net's name, and where it leads."""

    flag: Flag
    where: str


@dataclass
class Layout:
    """What a sheet has besides its parts."""

    free: list[Leg]
    """Legs that are left open."""
    signs: list[Rail | Tag] = field(default_factory=list)
    wires: list[list[Cell]] = field(default_factory=list)
    """Each from cell to cell."""
    dots: list[Cell] = field(default_factory=list)


@dataclass
class Drawing:
    name: str
    title: str
    symbols: list[Symbol] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    pins: set[Pin] = field(default_factory=set)


def read() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "schematics.toml").read_text(encoding="utf-8"))


def draw(name: str, sheets: Mapping[str, Mapping[str, str]], wiring: Wiring) -> str:
    """Return a sheet as SVG. Raise `Fault` for what cannot be placed or wired."""
    return Schematic(name, sheets, wiring).svg()


def faults(sheets: Mapping[str, Mapping[str, str]], wiring: Wiring, loose: Iterable[str]) -> list[str]:
    """Return which pins no sheet shows, and which one is shown twice."""
    shown: dict[Pin, list[str]] = defaultdict(list)
    for name in sheets:
        for pin in Schematic(name, sheets, wiring).drawing.pins:
            shown[pin].append(name)
    found = []
    for component in wiring.components.values():
        prefix = component.name.rpartition("_")[0]
        # What hangs on a cable stands beside the connector at its other end.
        if component.name in loose or (prefix and prefix not in COPIES.values()):
            continue
        for number in component.pins:
            where = shown.get((component.name, number), [])
            if len(where) != 1:
                found.append(f"pin {number} of {component.name} is on {' and '.join(where) or 'no sheet'}")
    return found


# -- symbols ---------------------------------------------------------------------------------------------------


UNITS = {
    "74HC132": {
        "A": ("nand", ["1", "2"], "3"),
        "B": ("nand", ["4", "5"], "6"),
        "C": ("nand", ["9", "10"], "8"),
        "D": ("nand", ["12", "13"], "11"),
        "P": ("power", ["14"], "7"),
    },
    "74AHCT125": {
        "A": ("buffer", ["2", "1"], "3"),
        "B": ("buffer", ["5", "4"], "6"),
        "C": ("buffer", ["9", "10"], "8"),
        "D": ("buffer", ["12", "13"], "11"),
        "P": ("power", ["14"], "7"),
    },
    "LM393": {
        "A": ("amplifier", ["3", "2"], "1"),
        "B": ("amplifier", ["5", "6"], "7"),
        "P": ("power", ["8"], "4"),
    },
    "MCP6002": {
        "A": ("amplifier", ["3", "2"], "1"),
        "B": ("amplifier", ["5", "6"], "7"),
        "P": ("power", ["8"], "4"),
    },
}
BOXES = {
    "74HC165": (["6", "5", "4", "3", "14", "13", "12", "11", "10", "1", "2", "15"], ["9", "7", "16", "8"]),
    "8 × 10 kΩ": (["1"], ["2", "3", "4", "5", "6", "7", "8", "9"]),
    "8 × 4.7 kΩ": ([str(n) for n in range(1, 9)], [str(n) for n in range(16, 8, -1)]),
    "Raspberry Pi Pico": ([str(n) for n in range(1, 21)], [str(n) for n in range(40, 20, -1)]),
    "TCRT5000": (["A", "K"], ["C", "E"]),
    "DC jack": ([], ["centre", "sleeve", "switch"]),
    "5 V 5 A adapter": ([], ["+", "-"]),
}


def _line(*points: tuple[float, float], style: str = "part") -> str:
    path = " ".join(f"{x * SQUARE:g},{y * SQUARE:g}" for x, y in points)
    return f'<polyline class="{style}" points="{path}"/>'


def _text(x: float, y: float, text: str, style: str = "name", anchor: str = "middle", turn: bool = False) -> str:
    x, y = x * SQUARE, y * SQUARE
    rotate = f' transform="rotate(-90 {x:g} {y:g})"' if turn else ""
    return f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}"{rotate}>{escape(text)}</text>'


def _circle(x: float, y: float, radius: float, style: str = "part") -> str:
    return f'<circle class="{style}" cx="{x * SQUARE:g}" cy="{y * SQUARE:g}" r="{radius * SQUARE:g}"/>'


def _two_legs(kind: str) -> list[Stroke]:
    """Return the strokes of a part with two legs, lying from -2 to 2, its first pin at the left."""
    leads: list[Stroke] = [[(-2, 0), (-1, 0)], [(1, 0), (2, 0)]]
    box: Stroke = [(-1, -0.4), (1, -0.4), (1, 0.4), (-1, 0.4), (-1, -0.4)]
    close: list[Stroke] = [[(-2, 0), (-0.2, 0)], [(0.2, 0), (2, 0)]]
    if re.search("Ω$", kind):
        return [*leads, box]
    if re.search(" µF$", kind) and not kind.startswith("1 "):
        return [
            *close, [(-0.2, -0.9), (-0.2, 0.9)], [(0.2, -0.9), (0.45, -0.4), (0.45, 0.4), (0.2, 0.9)],
            [(0.45, 0), (1, 0)], [(-0.9, -0.9), (-0.9, -0.4)], [(-1.15, -0.65), (-0.65, -0.65)],
        ]  # fmt: skip
    if re.search(" [nµp]F$", kind):
        return [*close, [(-0.2, -0.9), (-0.2, 0.9)], [(0.2, -0.9), (0.2, 0.9)]]
    if kind.startswith(("PTC", "fuse")):
        return [[(-2, 0), (2, 0)], box] + ([[(-1, 0.8), (-0.5, 0.8), (0.6, -0.8)]] if kind.startswith("PTC") else [])
    if kind.startswith("button"):
        return [
            [(-2, 0), (-0.8, 0)], [(0.8, 0), (2, 0)], [(-0.9, -0.5), (0.9, -0.5)], [(0, -0.5), (0, -1)],
            [(-0.3, -1), (0.3, -1)],
        ]  # fmt: skip
    if kind in ("passive buzzer", "piezo disc"):
        return [
            [(-2, 0), (-0.6, 0)], [(0.6, 0), (2, 0)], [(-0.6, -0.8), (-0.6, 0.8)], [(0.6, -0.8), (0.6, 0.8)],
            [(-0.3, -0.7), (0.3, -0.7), (0.3, 0.7), (-0.3, 0.7), (-0.3, -0.7)],
        ]  # fmt: skip
    strokes: list[Stroke] = [
        *leads,
        [(-0.6, -0.7), (-0.6, 0.7), (0.6, 0), (-0.6, -0.7)],
        [(-1, 0), (-0.6, 0)],
        [(0.6, 0), (1, 0)],
    ]
    bar: Stroke = [(0.6, -0.7), (0.6, 0.7)]
    if kind.startswith(("1N58", "BAT")):
        bar = [(0.35, -0.5), (0.35, -0.7), (0.6, -0.7), (0.6, 0.7), (0.85, 0.7), (0.85, 0.5)]
    elif kind.startswith("1.5KE"):
        bar = [(0.35, -0.9), (0.6, -0.7), (0.6, 0.7), (0.85, 0.9)]
    strokes.append(bar)
    if kind in ("TSAL6100", "BPV10NF"):
        # Two arrows: away from an emitter, towards a receiver.
        for shift in (-0.3, 0.4):
            near, far = (shift - 0.1, -0.9), (shift + 0.4, -1.6)
            if kind == "TSAL6100":
                strokes.append([near, far])
                strokes.append([(far[0] - 0.25, far[1] + 0.08), far, (far[0], far[1] + 0.28)])
            else:
                strokes.append([far, near])
                strokes.append([(near[0] + 0.03, near[1] - 0.28), near, (near[0] + 0.27, near[1] - 0.1)])
    return strokes


_TURNS = {"r": (1, 0, 0, 1), "d": (0, -1, 1, 0), "l": (-1, 0, 0, -1), "u": (0, 1, -1, 0)}


def _turned(point: tuple[float, float], way: str) -> tuple[float, float]:
    a, b, c, d = _TURNS[way]
    return a * point[0] + b * point[1], c * point[0] + d * point[1]


class Schematic:
    def __init__(self, name: str, sheets: Mapping[str, Mapping[str, str]], wiring: Wiring) -> None:
        self.name, self.wiring = name, wiring
        self.copy = COPIES.get(name, "")
        self.drawing = Drawing(name, sheets[name]["title"])
        self.wide, self.high = (int(it) for it in sheets[name]["size"].split())
        self.tags = sheets[name].get("tags", "").split("|")
        self.notes = sheets[name].get("notes", "").strip().splitlines()
        for line in sheets[name]["parts"].strip().splitlines():
            if line.strip():
                self._add(line.split())

    # -- reading the lines -------------------------------------------------------------------------------------

    def _add(self, words: list[str]) -> None:
        if words[0].startswith("@"):
            *net, x, y, side = words
            out = DIRECTIONS[side]
            self.drawing.flags.append(Flag(" ".join(net)[1:], (int(x), int(y)), (-out[0], -out[1])))
            return
        ref, _, unit = words[0].partition("/")
        component = self.wiring.components.get(
            f"{self.copy}_{ref}" if self.copy else ref
        ) or self.wiring.components.get(ref)
        if component is None:
            raise Fault(f"{self.name}: the wiring has no {ref}")
        at, options = (int(words[1]), int(words[2])), words[3:]
        pins = list(component.pins)
        for option in options:
            if option.startswith("pins="):
                pins = [pin for part in option[5:].split(",") for pin in _span(part)]
        symbol = self._symbol(component, ref, unit, at, options, pins)
        for leg in symbol.legs:
            if leg.pin in self.drawing.pins:
                raise Fault(f"{self.name}: pin {leg.pin[1]} of {leg.pin[0]} twice")
            self.drawing.pins.add(leg.pin)
        self.drawing.symbols.append(symbol)

    def _symbol(
        self, component: Component, ref: str, unit: str, at: Cell, options: list[str], pins: list[str]
    ) -> Symbol:
        kind = component.kind
        if unit:
            return self._unit(component, ref, unit, at, options)
        if kind.startswith(("box header", "JST", "WS2812B")):
            return self._connector(component, ref, at, options, pins)
        if kind in BOXES:
            left, right = ([pin for pin in side if pin in pins] for side in BOXES[kind])
            if "swap" in options:
                left, right = right, left
            return self._box(component, ref, at, left, right)
        if len(component.pins) == 2:
            return self._two(component, ref, at, options)
        return self._three(component, ref, at, options)

    def _two(self, component: Component, ref: str, at: Cell, options: list[str]) -> Symbol:
        way = next((option for option in options if option in DIRECTIONS), "r")
        upright = way in "du"
        art = [
            _line(*((at[0] + x, at[1] + y) for x, y in (_turned(point, way) for point in stroke)))
            for stroke in _two_legs(component.kind)
        ]
        value = component.kind.replace("button, right angle", "button")
        if upright:
            right = "west" not in options
            aside = 2.0 if component.kind in ("TSAL6100", "BPV10NF") else 1.3
            x, anchor = (at[0] + aside, "start") if right else (at[0] - aside, "end")
            art += [_text(x, at[1] - 0.1, ref, anchor=anchor), _text(x, at[1] + 1, value, "value", anchor)]
        else:
            up = 1.9 if component.kind in ("TSAL6100", "BPV10NF") else 1.2
            art += [_text(at[0], at[1] - up, ref), _text(at[0], at[1] + 1.9, value, "value")]
        legs = []
        for pin, x in zip(component.pins, (-2, 2), strict=True):
            dx, dy = _turned((x, 0), way)
            legs.append(
                Leg(
                    (component.name, pin),
                    (at[0] + int(dx), at[1] + int(dy)),
                    (int(dx) // 2, int(dy) // 2),
                    number=False,
                )
            )
        body = (at[0] - 1, at[1] - 1, at[0] + 1, at[1] + 1)
        if not upright:
            body = (at[0] - 1, at[1] - (2 if component.kind in ("TSAL6100", "BPV10NF") else 1), at[0] + 1, at[1] + 1)
        return Symbol(legs, body, art)

    def _three(self, component: Component, ref: str, at: Cell, options: list[str]) -> Symbol:
        """Transistors, trimmers, the reference: control at the left, the others above and below."""
        mx, my = (-1 if "mirror" in options else 1), (-1 if "flip" in options else 1)

        def place(x: float, y: float) -> tuple[float, float]:
            return at[0] + mx * x, at[1] + my * y

        pins = set(component.pins)
        art: list[str] = []
        strokes: list[Stroke]
        order: dict[str, tuple[int, int]]
        if pins == {"G", "D", "S"}:
            order = {"G": (-2, 0), "D": (1, -2), "S": (1, 2)}
            strokes = [
                [(-2, 0), (-0.4, 0)], [(-0.4, -0.8), (-0.4, 0.8)], [(0, -1), (0, -0.4)], [(0, -0.3), (0, 0.3)],
                [(0, 0.4), (0, 1)], [(0, -0.7), (1, -0.7), (1, -2)], [(0, 0.7), (1, 0.7), (1, 2)],
                [(0, 0), (1, 0), (1, 0.7)],
            ]  # fmt: skip
            p_type = component.kind.startswith("SUP")
            strokes.append([(0.4, -0.25), (0.9, 0), (0.4, 0.25)] if p_type else [(0.6, -0.25), (0.1, 0), (0.6, 0.25)])
            art.append(_circle(*place(0.2, 0), 1.35))
        elif pins == {"E", "B", "C"}:
            order = {"B": (-2, 0), "C": (1, -2), "E": (1, 2)}
            strokes = [
                [(-2, 0), (-0.3, 0)], [(-0.3, -0.8), (-0.3, 0.8)], [(-0.3, -0.3), (1, -1), (1, -2)],
                [(-0.3, 0.3), (1, 1), (1, 2)],
            ]  # fmt: skip
            p_type = component.kind == "2N3906"
            strokes.append(
                [(0.5, 0.4), (0.15, 0.55), (0.3, 0.95)] if p_type else [(0.75, 0.5), (0.75, 0.87), (0.35, 0.85)]
            )
            art.append(_circle(*place(0.2, 0), 1.35))
        elif pins == {"REF", "A", "K"}:
            order = {"REF": (-2, 0), "K": (0, -2), "A": (0, 2)}
            strokes = [
                [(0, -2), (0, -0.5)], [(0, 0.6), (0, 2)], [(-0.7, 0.6), (0.7, 0.6), (0, -0.5), (-0.7, 0.6)],
                [(-0.9, -0.2), (-0.7, -0.5), (0.7, -0.5), (0.9, -0.8)], [(-2, 0), (-0.3, 0)],
            ]  # fmt: skip
        elif pins == {"top", "wiper", "bottom"}:
            order = {"top": (0, -2), "bottom": (0, 2), "wiper": (2, 0)}
            strokes = [
                [(0, -2), (0, -1)], [(0, 1), (0, 2)], [(-0.4, -1), (0.4, -1), (0.4, 1), (-0.4, 1), (-0.4, -1)],
                [(2, 0), (0.4, 0)], [(0.8, -0.3), (0.4, 0), (0.8, 0.3)],
            ]  # fmt: skip
        else:
            raise Fault(f"{self.name}: there is no symbol for {ref}, a {component.kind}")
        art += [_line(*(place(*point) for point in stroke)) for stroke in strokes]
        side = -1.0 if pins == {"top", "wiper", "bottom"} else 1.9
        x, y = place(side, -0.3)
        anchor = "start" if x > at[0] else "end"
        lift = -0.4 if pins != {"G", "D", "S"} else 0
        art += [
            _text(x, at[1] - 0.1 + lift, ref, anchor=anchor),
            _text(x, at[1] + 1 + lift, component.kind.removeprefix("trimmer "), "value", anchor),
        ]
        legs = []
        for pin in component.pins:
            x, y = order[pin]
            cell = place(x, y)
            out = (mx * (1 if x > 1 else -1 if x < -1 else 0), my * (1 if y > 1 else -1 if y < -1 else 0))
            legs.append(Leg((component.name, pin), (int(cell[0]), int(cell[1])), out, number=False))
            if pins != {"top", "wiper", "bottom"}:
                shift = (0.15, -0.25) if out[0] else (0.25, 0.35)
                art.append(
                    _text(
                        cell[0] - out[0] * 0.2 + (shift[0] if not out[0] else out[0] * (0.25 * len(pin) - 0.55)),
                        cell[1] - out[1] * 0.3 + (shift[1] if out[1] else -0.25),
                        pin,
                        "pin",
                        "start" if not out[0] else "middle",
                    )
                )
        return Symbol(legs, (at[0] - 1, at[1] - 1, at[0] + 1, at[1] + 1), art)

    def _unit(self, component: Component, ref: str, unit: str, at: Cell, options: list[str]) -> Symbol:
        shape, inputs, output = UNITS[component.kind][unit]
        mx = -1 if "mirror" in options else 1
        my = -1 if "flip" in options else 1

        def leg(pin: str, x: float, y: float, out: Cell) -> Leg:
            return Leg((component.name, pin), (int(at[0] + mx * x), int(at[1] + my * y)), (mx * out[0], my * out[1]))

        def stroke(*points: tuple[float, float]) -> str:
            return _line(*((at[0] + mx * x, at[1] + my * y) for x, y in points))

        name = f"{ref}{unit}" if shape != "power" else ref
        if shape == "power":
            legs = [leg(inputs[0], 0, -2, (0, -1)), leg(output, 0, 2, (0, 1))]
            art = [
                stroke((0, -2), (0, -1)),
                stroke((0, 2), (0, 1)),
                stroke((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)),
            ]
            art += [
                _text(at[0] + 1.4, at[1] - 0.1, ref, anchor="start"),
                _text(at[0] + 1.4, at[1] + 1, component.kind, "value", "start"),
            ]
            return Symbol(legs, (at[0] - 1, at[1] - 1, at[0] + 1, at[1] + 1), art)
        if shape == "amplifier":
            legs = [leg(inputs[0], -4, -1, (-1, 0)), leg(inputs[1], -4, 1, (-1, 0)), leg(output, 4, 0, (1, 0))]
            art = [stroke((-2.5, -2.5), (-2.5, 2.5), (2.5, 0), (-2.5, -2.5))]
            art += [stroke((-4, y), (-2.5, y)) for y in (-1, 1)] + [stroke((2.5, 0), (4, 0))]
            art += [
                _text(at[0] - mx * 2, at[1] - my + 0.35, "+", "sign"),
                _text(at[0] - mx * 2, at[1] + my + 0.3, "−", "sign"),
            ]
            art += [_text(at[0] - mx * 0.6, at[1] + 0.35, name)]
            body = (at[0] - 3, at[1] - 3, at[0] + 3, at[1] + 3)
        elif shape == "nand":
            legs = [leg(inputs[0], -4, -1, (-1, 0)), leg(inputs[1], -4, 1, (-1, 0)), leg(output, 4, 0, (1, 0))]
            left, top, radius = at[0] - mx * 2, at[1] - 2, 2 * SQUARE
            bow = f"a {radius} {radius} 0 0 {int(mx > 0)} 0 {2 * radius}"
            arc = f"M {left * SQUARE:g} {top * SQUARE:g} h {mx * 1.5 * SQUARE:g} {bow} h {-mx * 1.5 * SQUARE:g} z"
            art = [f'<path class="part" d="{arc}"/>', _circle(at[0] + mx * 1.8, at[1], 0.3)]
            art += [stroke((-4, y), (-2, y)) for y in (-1, 1)] + [stroke((2.1, 0), (4, 0))]
            art += [
                _text(at[0] - mx * 0.6, at[1] + 0.35, name),
                stroke((-1.6, -0.8), (-1, -0.8), (-0.8, -1.4), (-0.4, -1.4)),
                stroke((-1.2, -0.8), (-1, -1.4), (-0.8, -1.4)),
            ]
            body = (at[0] - 2, at[1] - 2, at[0] + 2, at[1] + 2)
        else:
            legs = [leg(inputs[0], -4, 0, (-1, 0)), leg(inputs[1], 0, 3, (0, 1)), leg(output, 4, 0, (1, 0))]
            art = [stroke((-2, -2), (-2, 2), (2, 0), (-2, -2)), stroke((-4, 0), (-2, 0)), stroke((2, 0), (4, 0))]
            art += [
                stroke((0, 3), (0, 1.6)),
                _circle(at[0], at[1] + my * 1.3, 0.3),
                _text(at[0] - mx * 0.6, at[1] + 0.35, name),
            ]
            body = (at[0] - 2, at[1] - 2, at[0] + 2, at[1] + 2)
        return Symbol(legs, body, art)

    def _box(self, component: Component, ref: str, at: Cell, left: list[str], right: list[str]) -> Symbol:
        rows = max(len(left), len(right))
        half = 5 if component.kind not in ("8 × 10 kΩ", "8 × 4.7 kΩ") else 4
        top = at[1] - rows
        legs, art = [], []
        for side, pins in ((-1, left), (1, right)):
            for row, pin in enumerate(pins):
                y = top + 1 + 2 * row
                label = component.label(pin)
                art.append(_line((at[0] + side * half, y), (at[0] + side * (half + 1), y)))
                if component.kind != "8 × 10 kΩ" and (label != pin or not component.labels):
                    text = label if label != pin else ("" if pin.isdigit() else pin)
                    anchor = "end" if side > 0 else "start"
                    art += [_text(at[0] + side * (half - 0.3), y + 0.35, text, "label", anchor)] if text else []
                legs.append(Leg((component.name, pin), (at[0] + side * (half + 1), y), (side, 0), number=pin.isdigit()))
                if component.kind == "8 × 4.7 kΩ" and side < 0:
                    art.append(_line((at[0] - half, y), (at[0] - 1, y)))
                    art.append(
                        _line(
                            (at[0] - 1, y - 0.4),
                            (at[0] + 1, y - 0.4),
                            (at[0] + 1, y + 0.4),
                            (at[0] - 1, y + 0.4),
                            (at[0] - 1, y - 0.4),
                        )
                    )
                    art.append(_line((at[0] + 1, y), (at[0] + half, y)))
                if component.kind == "8 × 10 kΩ" and side > 0:
                    art.append(_line((at[0] - 1.8, y), (at[0] - 1, y)))
                    art.append(
                        _line(
                            (at[0] - 1, y - 0.4),
                            (at[0] + 1, y - 0.4),
                            (at[0] + 1, y + 0.4),
                            (at[0] - 1, y + 0.4),
                            (at[0] - 1, y - 0.4),
                        )
                    )
                    art.append(_line((at[0] + 1, y), (at[0] + half, y)))
        if component.kind == "8 × 10 kΩ":
            art.append(
                _line((at[0] - half, top + 1), (at[0] - 1.8, top + 1), (at[0] - 1.8, top + 1 + 2 * (len(right) - 1)))
            )
        box = (at[0] - half, top, at[0] + half, top + 2 * rows)
        art.append(_line((box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]), (box[0], box[1])))
        art += [_text(at[0], top - 1.4, ref), _text(at[0], top - 0.4, component.kind, "value")]
        return Symbol(legs, (box[0], box[1] - 2, box[2], box[3]), art)

    def _connector(self, component: Component, ref: str, at: Cell, options: list[str], pins: list[str]) -> Symbol:
        """A connector, each pin with its wire's number and colour where a cable is plugged in."""
        side = 1 if "right" in options else -1
        top = at[1] - len(pins)
        legs, art = [], []
        for row, pin in enumerate(pins):
            y = top + 1 + 2 * row
            wire = self._wire((component.name, pin))
            label = component.label(pin)
            art.append(_line((at[0] + side * 5, y), (at[0] + side * 6, y)))
            art.append(_text(at[0] + side * 4.7, y + 0.35, label, "label", "end" if side > 0 else "start"))
            if wire:
                art.append(_text(at[0] - side * 5.3, y + 0.35, wire, "wire", "end" if side > 0 else "start"))
            legs.append(Leg((component.name, pin), (at[0] + side * 6, y), (side, 0), number=pin.isdigit()))
        box = (at[0] - 5, top, at[0] + 5, top + 2 * len(pins))
        art.append(
            _line(
                (box[0], box[1]), (box[2], box[1]), (box[2], box[3]), (box[0], box[3]), (box[0], box[1]), style="plug"
            )
        )
        art += [_text(at[0], top - 1.4, ref), _text(at[0], top - 0.4, component.kind, "value")]
        return Symbol(legs, (box[0], box[1] - 2, box[2], box[3]), art)

    def _wire(self, pin: Pin) -> str:
        """Return which wire of which cable ends at a pin, its colour, and where it leads."""
        found = []
        for cable in self.wiring.cables.values():
            for wire, ends in cable.ends.items():
                if pin in ends:
                    other = ends[1 - ends.index(pin)]
                    component = self.wiring.components[other[0]]
                    end = f"{other[0].removeprefix(self.copy + '_')} {component.label(other[1])}"
                    found.append(f"{cable.name}.{wire} {_colour(cable, wire)} → {end}")
        return ", ".join(found)

    # -- nets --------------------------------------------------------------------------------------------------

    def net_name(self, net: Net) -> str:
        """Return the name of a net on this sheet: its own, or that of a leg."""
        prefix = self.copy + "_"
        if self.copy:
            signs = [name.removeprefix(prefix) for name in net.names if name.startswith(prefix)]
        else:
            signs = [name for name in net.names if not re.match(r"[PB]\d+_", name)]
        if signs:
            return min(signs)
        for component, pin in sorted(net.pins):
            if component.startswith(prefix if self.copy else "J") and re.fullmatch(
                r"J\d+", component.rpartition("_")[2]
            ):
                label = self.wiring.components[component].label(pin)
                return label if self.copy else f"{component} {label}"
        # A chip's leg says more than a resistor's.
        for component, pin in sorted(net.pins, key=lambda pin: (not self.wiring.components[pin[0]].labels, pin)):
            if component.startswith(prefix) or not self.copy:
                return f"{component.removeprefix(prefix)}.{self.wiring.components[component].label(pin)}"
        raise Fault(f"{self.name}: a net without a name")

    def leaves(self, net: Net) -> bool:
        """Return True if a net reaches pins of this board that this sheet does not show."""
        return bool(self._beyond(net))

    def _beyond(self, net: Net) -> set[Pin]:
        """Return the pins of a net that are on this board and not on this sheet; not what hangs on a cable."""
        return {
            pin
            for pin in net.pins - self.drawing.pins
            if pin[0].rpartition("_")[0] == self.copy and pin[0] not in self._hanging
        }

    @cached_property
    def _hanging(self) -> set[str]:
        """The parts at the other ends of the cables that are plugged in on this sheet, and of theirs."""
        shown = {component for component, _ in self.drawing.pins}
        cables = self.wiring.cables.values()
        pairs = [{component for component, _ in ends} for cable in cables for ends in cable.ends.values()]
        hanging: set[str] = set()
        for _ in range(3):
            hanging = hanging.union(*(pair - shown for pair in pairs if pair & (shown | hanging)))
        return hanging

    def nets(self) -> Iterator[tuple[str, Net, list[Leg]]]:
        legs: dict[int, list[Leg]] = defaultdict(list)
        nets: dict[int, Net] = {}
        for symbol in self.drawing.symbols:
            for leg in symbol.legs:
                net = self.wiring.net(*leg.pin)
                nets[id(net)] = net
                legs[id(net)].append(leg)
        for key, net in nets.items():
            if len(net.pins) + len(net.names) > 1:
                yield self.net_name(net), net, legs[key]

    # -- drawing -----------------------------------------------------------------------------------------------

    def layout(self) -> Layout:
        """Return where wires, signs and tags go. Raise `Fault` for a wire that finds no way."""
        blocked: set[Cell] = set()
        for symbol in self.drawing.symbols:
            left, top, right, bottom = symbol.body
            blocked |= {
                (x, y) for x in range(round(left), round(right) + 1) for y in range(round(top), round(bottom) + 1)
            }
        owner: dict[Cell, str] = {}
        nets = list(self.nets())
        for name, _, legs in nets:
            for leg in legs:
                if leg.at in owner and owner[leg.at] != name:
                    raise Fault(f"{self.name}: {leg.pin[0]} touches another leg")
                owner[leg.at] = name
                blocked.discard(leg.at)
        for symbol in self.drawing.symbols:
            for leg in symbol.legs:
                owner.setdefault(leg.at, "")
        for flag in self.drawing.flags:
            owner[flag.at] = flag.net
        names = {name for name, _, _ in nets}
        for flag in self.drawing.flags:
            if flag.net not in names:
                raise Fault(f"{self.name}: there is no net {flag.net}; there are {', '.join(sorted(names))}")
        wires = _Wires(self.wide, self.high, blocked, owner)
        found = Layout([leg for symbol in self.drawing.symbols for leg in symbol.legs if self._open(leg)])
        todo = []
        for name, net, legs in nets:
            flags = [flag for flag in self.drawing.flags if flag.net == name]
            if name in RAILS and not flags:
                for leg in legs:
                    found.signs.append(Rail(name, leg))
                    wires.taken[leg.at[0] + leg.out[0], leg.at[1] + leg.out[1]] = name
                continue
            if not flags and (len(legs) == 1 or name in self.tags):
                if self.leaves(net) or name in self.tags:
                    for leg in legs:
                        where = self._where(net, leg if name in self.tags else None)
                        found.signs.append(Tag(Flag(name, leg.at, (-leg.out[0], -leg.out[1])), where))
                        for step in range(1, 4 + len(name) * 2 // 3 + len(where) // 2):
                            blocked.add((leg.at[0] + leg.out[0] * step, leg.at[1] + leg.out[1] * step))
                continue
            if self.leaves(net) and not flags:
                raise Fault(f"{self.name}: {name} leaves the sheet, and no line @{name} X Y SIDE says where")
            ends = [(leg.at, leg.out) for leg in legs] + [(flag.at, flag.out) for flag in flags]
            todo.append((_spread(ends), name, ends))
            found.signs += [Tag(flag, self._where(net)) for flag in flags]
        for _, name, ends in sorted(todo):
            found.wires += wires.connect(name, ends)
        found.dots = wires.dots()
        return found

    def svg(self) -> str:
        found = self.layout()
        art = [line for symbol in self.drawing.symbols for line in symbol.art]
        for symbol in self.drawing.symbols:
            for leg in symbol.legs:
                if leg.number:
                    # From the body outwards, above the leg; beside one that stands upright.
                    x, y = leg.at[0] - leg.out[0] * 0.85, leg.at[1] - leg.out[1] * 0.5
                    if leg.out[0]:
                        art.append(_text(x, y - 0.2, leg.pin[1], "pin", "start" if leg.out[0] > 0 else "end"))
                    else:
                        art.append(_text(x + 0.25, y + 0.3, leg.pin[1], "pin", "start"))
        for leg in found.free:
            art += _cross(leg)
        for sign in found.signs:
            art += rail(*sign) if isinstance(sign, Rail) else _flag(*sign)
        art += [_line(*corners(path), style="wire-line") for path in found.wires]
        art += [_circle(x, y, 0.3, "dot") for x, y in found.dots]
        for row, note in enumerate(self.notes):
            art.append(_text(2, self.high - 1 - 1.4 * (len(self.notes) - 1 - row), note, "note", "start"))
        width, height = self.wide * SQUARE, self.high * SQUARE
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">\n'
            f"<style>{_STYLE}</style>\n"
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
            + _text(2, 2.6, self.drawing.title, "title", "start")
        )
        return "\n".join([head, *art, "</svg>"]) + "\n"

    def _open(self, leg: Leg) -> bool:
        net = self.wiring.net(*leg.pin)
        return len(net.pins) + len(net.names) < 2

    def _where(self, net: Net, leg: Leg | None = None) -> str:
        """Return where a net leads beyond this sheet; from a tag at one of its legs, where else it leads."""
        beyond = self._beyond(net)
        places = sorted(
            {
                component.removeprefix(self.copy + "_") if self.copy else component
                for component, pin in net.pins
                if (leg is None and (component, pin) in beyond)
                or (leg is not None and component.rpartition("_")[0] == self.copy and component != leg.pin[0])
            },
            key=lambda ref: (re.sub(r"\d", "", ref), int(re.sub(r"\D", "", ref) or 0)),
        )
        return " ".join(places[:5]) + (" …" if len(places) > 5 else "")


_STYLE = (
    ".part,.plug,.wire-line{fill:none;stroke:#203040;stroke-width:1.3;stroke-linecap:round;stroke-linejoin:round}"
    ".plug{stroke-width:2}.wire-line{stroke:#1560a8}.dot{fill:#1560a8}.rail{fill:none;stroke:#a02020;stroke-width:1.3}"
    "text{font-family:DejaVu Sans,Arial,sans-serif;fill:#203040}"
    ".name{font-size:10px;font-weight:bold}.value{font-size:9px;fill:#506070}.label{font-size:9px}"
    ".pin{font-size:8px;fill:#606870}.wire{font-size:8px;fill:#8a5a00}.sign{font-size:12px}"
    ".net{font-size:9px;fill:#1560a8;font-weight:bold}.where{font-size:8px;fill:#606870}"
    ".railname{font-size:8px;fill:#a02020}.title{font-size:18px;font-weight:bold}.note{font-size:10px}"
)


def _span(text: str) -> list[str]:
    match = re.fullmatch(r"(\d+)-(\d+)", text)
    if not match:
        return [text]
    first, last = int(match[1]), int(match[2])
    return [str(n) for n in (range(first, last + 1) if first <= last else range(first, last - 1, -1))]


def _colour(cable: Cable, wire: int) -> str:
    return cable.colours[wire - 1] if cable.colours else ""


def rail(name: str, leg: Leg) -> list[str]:
    """Draw the sign of a rail: bars for ground, a bar and the name for a supply."""
    x, y = leg.at
    dx, dy = leg.out
    end = x + dx, y + dy
    out = [_line((x, y), end, style="rail")]
    if name == "GND":
        for step, half in ((0, 0.7), (0.3, 0.45), (0.6, 0.2)):
            cx, cy = end[0] + dx * step, end[1] + dy * step
            out.append(
                _line(
                    (cx - half * abs(dy), cy - half * abs(dx)), (cx + half * abs(dy), cy + half * abs(dx)), style="rail"
                )
            )
        return out
    out.append(
        _line(
            (end[0] - 0.6 * abs(dy), end[1] - 0.6 * abs(dx)),
            (end[0] + 0.6 * abs(dy), end[1] + 0.6 * abs(dx)),
            style="rail",
        )
    )
    if dx:
        out.append(_text(end[0] + dx * 0.3, end[1] + 0.3, name, "railname", "start" if dx > 0 else "end"))
    else:
        out.append(_text(end[0], end[1] + (-0.3 if dy < 0 else 1), name, "railname"))
    return out


def _cross(leg: Leg) -> list[str]:
    """Draw the cross of a leg that is left free: at its end, clear of its number."""
    x, y = leg.at[0] + 0.6 * leg.out[0], leg.at[1] + 0.6 * leg.out[1]
    return [
        _line(leg.at, (x, y)),
        _line((x - 0.35, y - 0.35), (x + 0.35, y + 0.35)),
        _line((x - 0.35, y + 0.35), (x + 0.35, y - 0.35)),
    ]


def _flag(flag: Flag, where: str) -> list[str]:
    """Draw a net's name on a tag that points away from the sheet's parts, and where the net leads."""
    dx, dy = -flag.out[0], -flag.out[1]
    x, y = flag.at
    width = 0.62 * len(flag.net) + 0.9
    if dx:
        far = x + dx * (width + 0.6)
        out = [
            _line(
                (x, y),
                (x + dx * 0.6, y - 0.7),
                (far, y - 0.7),
                (far, y + 0.7),
                (x + dx * 0.6, y + 0.7),
                (x, y),
                style="wire-line",
            )
        ]
        out.append(_text(x + dx * (width / 2 + 0.5), y + 0.33, flag.net, "net"))
        if where:
            out.append(_text(far + dx * 0.4, y + 0.3, where, "where", "start" if dx > 0 else "end"))
        return out
    far = y + dy * (width + 0.6)
    out = [
        _line(
            (x, y),
            (x - 0.7, y + dy * 0.6),
            (x - 0.7, far),
            (x + 0.7, far),
            (x + 0.7, y + dy * 0.6),
            (x, y),
            style="wire-line",
        )
    ]
    out.append(_text(x + 0.33, y + dy * (width / 2 + 0.5), flag.net, "net", turn=True))
    out.append(_text(x + 0.3, far + dy * 0.4, where, "where", "start" if dy < 0 else "end", turn=True))
    return out


def _spread(ends: Iterable[tuple[Cell, Cell]]) -> int:
    xs, ys = zip(*(at for at, _ in ends), strict=True)
    return int(max(xs) - min(xs) + max(ys) - min(ys))


class _Wires:
    """Wires on the grid: no two run along one another, and they cross only at right angles."""

    def __init__(self, wide: int, high: int, blocked: set[Cell], owner: Mapping[Cell, str]) -> None:
        self.wide, self.high, self.blocked, self.owner = wide, high, blocked, owner
        self.across: dict[Cell, str] = {}
        """Cells through which a net runs from left to right."""
        self.along: dict[Cell, str] = {}
        self.taken: dict[Cell, str] = {}
        """Cells with a bend, an end or a sign: nothing else may pass."""
        self.branches: dict[Cell, set[Cell]] = defaultdict(set)

    def connect(self, name: str, ends: list[tuple[Cell, Cell]]) -> list[list[Cell]]:
        found = []
        for at, out in ends:
            self.branches[at].add((-out[0], -out[1]))
        reached = {ends[0][0]: ends[0][1]}
        waiting = list(ends[1:])
        while waiting:
            nearest = min(waiting, key=lambda end: min(abs(end[0][0] - x) + abs(end[0][1] - y) for x, y in reached))
            waiting.remove(nearest)
            path = self._path(name, reached, *nearest)
            found.append(path)
            for one, other in pairwise(path):
                self.branches[one].add((other[0] - one[0], other[1] - one[1]))
                self.branches[other].add((one[0] - other[0], one[1] - other[1]))
            for index, cell in enumerate(path):
                reached[cell] = (0, 0)
                steps = {
                    (abs(other[0] - cell[0]), abs(other[1] - cell[1]))
                    for other in path[max(index - 1, 0) : index + 2]
                    if other != cell
                }
                if steps == {(1, 0)} and 0 < index < len(path) - 1:
                    self.across[cell] = name
                elif steps == {(0, 1)} and 0 < index < len(path) - 1:
                    self.along[cell] = name
                else:
                    self.taken[cell] = name
        return found

    def _path(self, name: str, sources: Mapping[Cell, Cell], target: Cell, target_out: Cell) -> list[Cell]:
        heap: list[tuple[float, int, Cell, Cell]] = []
        best: dict[tuple[Cell, Cell], float] = {}
        before: dict[tuple[Cell, Cell], tuple[Cell, Cell] | None] = {}
        done: set[tuple[Cell, Cell]] = set()
        count = 0
        for cell, out in sorted(sources.items()):
            for way in DIRECTIONS.values():
                if out != (0, 0) and way != out:
                    continue
                state = cell, way
                best[state], before[state] = 0, None
                heapq.heappush(heap, (abs(cell[0] - target[0]) + abs(cell[1] - target[1]), count, *state))
                count += 1
        while heap:
            _, _, cell, way = heapq.heappop(heap)
            if (cell, way) in done:
                continue
            done.add((cell, way))
            cost = best[cell, way]
            if cell == target:
                path = [cell]
                step: tuple[Cell, Cell] | None = (cell, way)
                while step is not None and (step := before[step]) is not None:
                    if step[0] != path[-1]:
                        path.append(step[0])
                return path[::-1]
            start = before[cell, way] is None
            for turn in DIRECTIONS.values():
                if turn == (-way[0], -way[1]) or (start and turn != way):
                    continue
                to = cell[0] + turn[0], cell[1] + turn[1]
                if not (1 <= to[0] < self.wide and 3 <= to[1] < self.high):
                    continue
                if to == target and turn != (-target_out[0], -target_out[1]):
                    continue
                price = self._price(name, cell, way, turn, to, target)
                if price is None:
                    continue
                new = cost + price
                if new < best.get((to, turn), 1e9):
                    best[to, turn], before[to, turn] = new, (cell, way)
                    far = abs(to[0] - target[0]) + abs(to[1] - target[1])
                    heapq.heappush(heap, (new + far, count, to, turn))
                    count += 1
        raise Fault(f"no way for the wire {name} to {target}")

    def _price(self, name: str, cell: Cell, way: Cell, turn: Cell, to: Cell, target: Cell) -> float | None:
        """Return what a step costs; None where it is not allowed."""
        bends = turn != way
        if bends and (self.along.get(cell, name) != name or self.across.get(cell, name) != name):
            return None
        if (
            (to in self.blocked and to != target)
            or self.owner.get(to, name) != name
            or self.taken.get(to, name) != name
        ):
            return None
        same = self.across if turn[0] else self.along
        other = self.along if turn[0] else self.across
        if same.get(to, name) != name:
            return None
        if to == target and other.get(to, name) != name:
            return None
        price = 1.0 + (3.0 if bends else 0) + (3.0 if other.get(to, name) != name else 0)
        near = sum((to[0] + x, to[1] + y) in self.blocked for x, y in DIRECTIONS.values())
        return price + 0.6 * near

    def dots(self) -> list[Cell]:
        """Return where three or four wires of one net meet."""
        return [
            (x, y)
            for (x, y), ways in sorted(self.branches.items())
            if len(ways) > 2
            and not (self.across.get((x, y)) and self.along.get((x, y)) and self.across[x, y] != self.along[x, y])
        ]


def corners(path: list[Cell]) -> list[Cell]:
    keep = [path[0]]
    for one, here, other in zip(path, path[1:], path[2:], strict=False):
        if (here[0] - one[0], here[1] - one[1]) != (other[0] - here[0], other[1] - here[1]):
            keep.append(here)
    return [*keep, path[-1]]
