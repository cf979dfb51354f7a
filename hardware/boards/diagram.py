"""The boards' circuits as KiCad's schematics: parts and wires where ``schematics.toml`` has them, nets of the wiring.

A file shows all sheets of its board, each in a frame of its own. References, values, footprints, pads and the names of
nets are those of the board's file, so that KiCad holds the two against each other. KiCad 6 and later open it.
"""

from __future__ import annotations

import re
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from xml.etree import ElementTree

from hardware import schematic
from hardware.boards.model import Board, Part
from hardware.nets import Wiring
from hardware.schematic import SQUARE, Cell, Leg, Rail, Schematic, Symbol

_MM = 1.27
"""A square of the grid; KiCad's pins and wires meet on it."""
_GAP = 6
"""Squares between the blocks."""
_MARGIN = 12
"""Squares from the edge of the page to the first block: KiCad's frame is within."""
_FLAGS, _TITLE = 12, 38
"""Squares below the blocks: the row of flags, and KiCad's block with the title."""
_COLUMNS = 3
_FORMAT = 20211123
_ROOM = uuid.UUID("0e5bd5a7-8a5c-4c5e-9f0f-6d7e0f0e7a31")
_CLASSES = {"name": 10, "value": 9, "label": 9, "pin": 8, "wire": 8, "sign": 12, "railname": 8, "note": 10, "title": 18}
"""How high each kind of text is drawn, in pixels."""

PINS: Mapping[str, Mapping[str, str]] = {
    "74HC132": {"input": "1 2 4 5 9 10 12 13", "output": "3 6 8 11", "power_in": "7 14"},
    "74HC165": {"input": "1 2 3 4 5 6 10 11 12 13 14 15", "output": "7 9", "power_in": "8 16"},
    "74AHCT125": {"input": "1 2 4 5 9 10 12 13", "tri_state": "3 6 8 11", "power_in": "7 14"},
    "LM393": {"input": "2 3 5 6", "open_collector": "1 7", "power_in": "4 8"},
    "MCP6002": {"input": "2 3 5 6", "output": "1 7", "power_in": "4 8"},
    "TN0702N3": {"input": "G", "open_collector": "D"},
    "SUP53P06-20": {"input": "G"},
    "2N3904": {"input": "B", "open_collector": "C"},
    "2N3906": {"input": "B"},
    "Raspberry Pi Pico": {
        "bidirectional": "1 2 4 5 6 7 9 10 11 12 14 15 16 17 19 20 21 22 24 25 26 27 29 31 32 34",
        "input": "30 37",
        "power_in": "3 8 13 18 23 28 33 38 39",
        "power_out": "36",
    },
}
"""By kind of part: the electrical type of its legs, for KiCad's rules; others are passive."""


def draw(board: Board, wiring: Wiring) -> str:
    """Return a board's schematic."""
    return _File(board, wiring).text()


def sheets(board: Board) -> list[str]:
    """Return the sheets that show a board's parts."""
    own = {name for name, copy in schematic.COPIES.items() if copy == board.copies[0]}
    return [name for name in schematic.read() if name in own or (not own and name not in schematic.COPIES)]


@dataclass
class _Unit:
    """One occurrence of a part."""

    symbol: Symbol
    origin: Cell
    """The corner of its block."""


@dataclass
class _Kind:
    """A symbol of KiCad's library: the pictures and pins of its units."""

    units: list[list[str]] = field(default_factory=list)
    numbers: bool = False
    power: bool = False


class _File:
    def __init__(self, board: Board, wiring: Wiring) -> None:
        self.board, self.wiring = board, wiring
        self.parts = {part.component: part for part in board.parts}
        self.kinds: dict[str, _Kind] = {}
        self.lines: list[str] = []
        self.instances: list[str] = []
        self.signs = 0
        names = {(part.component, part.pins[pad]): net for part in board.parts for pad, net in part.pads.items() if net}
        self.names = {id(net): names[pin] for net in wiring.nets() for pin in sorted(net.pins) if pin in names}
        self.driven: dict[str, str] = {}
        for part in board.parts:
            kinds = _types(part, wiring)
            self.driven |= {net: kinds[pad] for pad, net in part.pads.items() if kinds[pad] in ("power_out", "output")}
        read = schematic.read()
        drawings = [Schematic(name, read, wiring) for name in sheets(board)]
        self.units: dict[str, list[_Unit]] = defaultdict(list)
        self.size = self._place(drawings)

    def text(self) -> str:
        for component, units in self.units.items():
            self._part(component, units)
        self._flags()
        width, height = (round(it * _MM, 2) for it in self.size)
        rules = self.board.rules
        library = [line for name in self.kinds for line in self._library(name)]
        return "\n".join(
            [
                f"(kicad_sch (version {_FORMAT}) (generator tablier)",
                f"  (uuid {self._id('file')})",
                f'  (paper "User" {width:g} {height:g})',
                f"  (title_block (title {_quoted(self.board.title)}) (date {_quoted(rules['date'])})"
                f" (rev {_quoted(rules['revision'])}))",
                "  (lib_symbols",
                *library,
                "  )",
                *self.lines,
                '  (sheet_instances (path "/" (page "1")))',
                "  (symbol_instances",
                *sorted(self.instances),
                "  )",
                ")",
                "",
            ]
        )

    # -- blocks ------------------------------------------------------------------------------------------------

    def _place(self, drawings: Sequence[Schematic]) -> Cell:
        """Add all sheets, each to the shortest column; return the size of the page."""
        columns = min(_COLUMNS, len(drawings))
        wide = max(it.wide for it in drawings) + _GAP
        heights = [_MARGIN] * columns
        for drawing in sorted(drawings, key=lambda it: -it.high):
            column = heights.index(min(heights))
            self._block(drawing, (_MARGIN + column * wide, heights[column]))
            heights[column] += drawing.high + _GAP
        # Below are the flags, and at the right KiCad's block with the title.
        return 2 * _MARGIN - _GAP + columns * wide, max(heights) + _FLAGS + _TITLE

    def _block(self, drawing: Schematic, origin: Cell) -> None:
        layout = drawing.layout()
        corners = [(0, 0), (drawing.wide, 0), (drawing.wide, drawing.high), (0, drawing.high), (0, 0)]
        self._add(
            f"polyline (pts {' '.join(self._at(origin, it, 'xy') for it in corners)})"
            f" (stroke (width 0.1) (type dash) (color 0 0 0 0))"
        )
        self._note(origin, (2, 2.2), drawing.drawing.title, 18)
        for row, note in enumerate(drawing.notes):
            self._note(origin, (2, drawing.high - 1.4 - 1.4 * (len(drawing.notes) - 1 - row)), note, 10)
        for symbol in drawing.drawing.symbols:
            self.units[symbol.legs[0].pin[0]].append(_Unit(symbol, origin))
        for leg in layout.free:
            self._add(f"no_connect {self._at(origin, leg.at)}")
        named: set[str] = set()
        for sign in layout.signs:
            if isinstance(sign, Rail):
                self._rail(origin, sign)
                named.add(sign.net)
            else:
                at, out = sign.flag.at, sign.flag.out
                name = self._name(drawing, sign.flag.net)
                self._label(origin, at, (-out[0], -out[1]), name, sign.where)
                named.add(sign.flag.net)
        # A wire ends where another or a leg meets it: to KiCad one that passes by is not connected.
        ends = {leg.at for symbol in drawing.drawing.symbols for leg in symbol.legs} | set(layout.dots)
        for path in layout.wires:
            bends = set(schematic.corners(path))
            for one, other in pairwise(cell for cell in path if cell in bends or cell in ends):
                self._add(
                    f"wire (pts {self._at(origin, one, 'xy')} {self._at(origin, other, 'xy')})"
                    f" (stroke (width 0) (type default) (color 0 0 0 0))"
                )
        for dot in layout.dots:
            self._add(f"junction {self._at(origin, dot)} (diameter 0) (color 0 0 0 0)")
        # A net that has no sign keeps the board's name all the same.
        for name, net, legs in drawing.nets():
            if name not in named and id(net) in self.names:
                self._label(origin, legs[0].at, legs[0].out, self.names[id(net)], pixels=5)

    def _name(self, drawing: Schematic, shown: str) -> str:
        net = next(net for name, net, _ in drawing.nets() if name == shown)
        return self.names[id(net)]

    # -- what is drawn -----------------------------------------------------------------------------------------

    def _id(self, what: str) -> str:
        """Return an id that stays as it is while other things change."""
        return str(uuid.uuid5(_ROOM, f"{self.board.name} {what}"))

    def _add(self, element: str) -> None:
        self.lines.append(f"  ({element} (uuid {self._id(element)}))")

    def _at(self, origin: Cell, cell: tuple[float, float], word: str = "at") -> str:
        x, y = (origin[0] + cell[0]) * _MM, (origin[1] + cell[1]) * _MM
        return f"({word} {round(x, 4):g} {round(y, 4):g})"

    def _note(self, origin: Cell, cell: tuple[float, float], text: str, pixels: int) -> None:
        place = self._at(origin, cell).removesuffix(")")
        self._add(f"text {_quoted(text)} {place} 0) (effects {_font(pixels)} (justify left))")

    def _label(self, origin: Cell, cell: Cell, out: Cell, name: str, where: str = "", pixels: int = 8) -> None:
        """Add the name of a net at an end that points ``out`` of a part."""
        turn, side = {(1, 0): (0, "left"), (-1, 0): (180, "right"), (0, -1): (90, "left"), (0, 1): (270, "right")}[out]
        place = self._at(origin, cell).removesuffix(")")
        self._add(
            f"global_label {_quoted(_escaped(name))} (shape passive) {place} {turn}) (fields_autoplaced)"
            f" (effects {_font(pixels)} (justify {side}))"
        )
        if where and out[0]:
            far = cell[0] + out[0] * (0.5 * len(name) + 2.5), cell[1]
            place = self._at(origin, far).removesuffix(")")
            self._add(f"text {_quoted('→ ' + where)} {place} 0) (effects {_font(7)} (justify {side}))")

    def _rail(self, origin: Cell, sign: Rail) -> None:
        name = self.names[id(self.wiring.net(*sign.leg.pin))]
        if self.driven.get(name) == "output":
            # KiCad takes the sign of a supply to ask for one.
            self._label(origin, sign.leg.at, sign.leg.out, name)
            return
        way = {(1, 0): "right", (-1, 0): "left", (0, -1): "up", (0, 1): "down"}[sign.leg.out]
        kind = f"{name} {way}"
        if kind not in self.kinds:
            art = schematic.rail(name, sign.leg)
            self.kinds[kind] = _Kind([[*_graphics(art, sign.leg.at, keep=("railname",)), *_rail_pin(name)]], power=True)
        self._sign(kind, name, origin, sign.leg.at)

    def _sign(self, kind: str, name: str, origin: Cell, cell: Cell) -> None:
        self.signs += 1
        self._instance(f"#PWR{self.signs:03}", name, "", kind, 1, origin, cell, [("1", None)], {})

    def _flags(self) -> None:
        """Tell KiCad's rules that what comes in by a plug or through a fuse is a supply."""
        taken = {
            net
            for part in self.board.parts
            for pad, net in part.pads.items()
            if net and (_types(part, self.wiring)[pad] == "power_in" or net in schematic.RAILS)
        }
        self.kinds["PWR_FLAG"] = _Kind([_flag_art()], power=True)
        row = self.size[1] - _FLAGS - _TITLE + 5
        for column, net in enumerate(sorted(taken - self.driven.keys())):
            cell = (_MARGIN + 6 + 10 * column, row)
            self._label((0, 0), cell, (0, 1), net)
            self.signs += 1
            self._instance(f"#FLG{self.signs:03}", "PWR_FLAG", "", "PWR_FLAG", 1, (0, 0), cell, [("1", None)], {})

    # -- parts -------------------------------------------------------------------------------------------------

    def _part(self, component: str, units: Sequence[_Unit]) -> None:
        part, wired = self.parts.get(component), self.wiring.components[component]
        pads = {pin: pad for pad, pin in part.pins.items()} if part else {pin: pin for pin in wired.pins}
        types = _types(part, self.wiring) if part else {}
        kind = _Kind(numbers=any(leg.number for unit in units for leg in unit.symbol.legs))
        for unit in units:
            legs = unit.symbol.legs
            drawn = _graphics(unit.symbol.art, legs[0].at, keep=("label", "pin", "wire", "sign"))
            for leg in legs:
                pad = pads[leg.pin[1]]
                drawn.append(_pin(leg, legs[0].at, pad, types.get(pad, "passive"), wired.label(leg.pin[1])))
            kind.units.append(drawn)
        base = re.sub(r"[^\w.+ -]", "_", wired.kind.replace("Ω", "Ohm").replace("µ", "u").replace("×", "x"))
        name = next((known for known, it in self.kinds.items() if it == kind), "")
        if not name:
            alike = sum(known == base or known.startswith(f"{base} #") for known in self.kinds)
            name = f"{base} #{alike + 1}" if alike else base
            self.kinds[name] = kind
        ref = part.ref if part else component
        value = part.value if part else wired.kind
        footprint = part.footprint if part else ""
        for number, unit in enumerate(units, 1):
            texts = {
                style: (x, y, anchor) for style, x, y, anchor in _texts(unit.symbol.art) if style in ("name", "value")
            }
            ends = [(pads[leg.pin[1]], leg) for leg in unit.symbol.legs]
            self._instance(ref, value, footprint, name, number, unit.origin, unit.symbol.legs[0].at, ends, texts)

    def _instance(
        self,
        ref: str,
        value: str,
        footprint: str,
        kind: str,
        unit: int,
        origin: Cell,
        cell: Cell,
        ends: Iterable[tuple[str, Leg | None]],
        texts: Mapping[str, tuple[float, float, str]],
    ) -> None:
        own = self._id(f"{kind} {self._at(origin, cell)}" if ref[0] == "#" else f"{ref} {unit}")
        place, on_board = self._at(origin, cell).removesuffix(")"), "yes" if footprint or ref[0] == "#" else "no"
        in_bom = "no" if ref[0] == "#" else "yes"

        def field(number: int, name: str, content: str, style: str) -> str:
            x, y, anchor = texts.get(style, (float(cell[0]), float(cell[1]), "middle"))
            hide = "" if style in texts else " hide"
            side = {"start": " (justify left)", "end": " (justify right)", "middle": ""}[anchor]
            at = self._at(origin, (x, y)).removesuffix(")")
            return (
                f"    (property {_quoted(name)} {_quoted(content)} (id {number}) {at} 0)"
                f" (effects {_font(_CLASSES.get(style, 8))}{side}{hide}))"
            )

        self.lines += [
            f"  (symbol (lib_id {_quoted('tablier:' + kind)}) {place} 0) (unit {unit})"
            f" (in_bom {in_bom}) (on_board {on_board}) (uuid {own})",
            field(0, "Reference", ref, "name"),
            field(1, "Value", value, "value"),
            field(2, "Footprint", footprint, ""),
            field(3, "Datasheet", "~", ""),
            *(f"    (pin {_quoted(pad)} (uuid {uuid.uuid5(_ROOM, f'{own} {pad}')}))" for pad, _ in ends),
            "  )",
        ]
        self.instances.append(
            f"    (path {_quoted('/' + own)} (reference {_quoted(ref)}) (unit {unit}) (value {_quoted(value)})"
            f" (footprint {_quoted(footprint)}))"
        )

    def _library(self, name: str) -> list[str]:
        kind = self.kinds[name]
        numbers = "" if kind.numbers else " (pin_numbers hide)"
        head = f"    (symbol {_quoted('tablier:' + name)}{' (power)' if kind.power else ''}{numbers} (pin_names hide)"
        prefix = "#PWR" if kind.power else "U"
        lines = [
            f"{head} (in_bom {'no' if kind.power else 'yes'}) (on_board yes)",
            f'      (property "Reference" {_quoted(prefix)} (id 0) (at 0 0 0) (effects {_font(8)} hide))',
            f'      (property "Value" {_quoted(name)} (id 1) (at 0 0 0) (effects {_font(8)} hide))',
            f'      (property "Footprint" "" (id 2) (at 0 0 0) (effects {_font(8)} hide))',
            f'      (property "Datasheet" "~" (id 3) (at 0 0 0) (effects {_font(8)} hide))',
        ]
        for number, unit in enumerate(kind.units, 1):
            lines += [f"      (symbol {_quoted(f'{name}_{number}_1')}", *(f"        {it}" for it in unit), "      )"]
        return [*lines, "    )"]


def _types(part: Part, wiring: Wiring) -> dict[str, str]:
    """Return what each pad of a part does."""
    table = PINS.get(wiring.components[part.component].kind, {})
    kinds = {pin: kind for kind, pins in table.items() for pin in pins.split()}
    return {pad: kinds.get(pin, "passive") for pad, pin in part.pins.items()}


# -- KiCad's words -------------------------------------------------------------------------------------------------


def _quoted(text: str) -> str:
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _escaped(net: str) -> str:
    """Return a net's name as a label has it: a slash there leads into a sheet."""
    return net.replace("/", "{slash}")


def _font(pixels: float) -> str:
    size = round(pixels / SQUARE * _MM * 0.75, 3)
    return f"(font (size {size:g} {size:g}))"


def _point(x: float, y: float, origin: Cell) -> str:
    """Return a place in a symbol, from its first leg, y upwards."""
    return f"{round((x / SQUARE - origin[0]) * _MM, 4):g} {round((origin[1] - y / SQUARE) * _MM, 4) + 0:g}"


_STROKE = "(stroke (width 0.15) (type default) (color 0 0 0 0)) (fill (type none))"


def _graphics(art: Iterable[str], origin: Cell, keep: Sequence[str]) -> list[str]:
    """Return a part's picture, and those of its texts that are to be kept, in KiCad's words."""
    found = []
    for line in art:
        item = ElementTree.fromstring(line)
        style = item.get("class", "")
        if item.tag == "polyline":
            points = [it.split(",") for it in item.attrib["points"].split()]
            pts = " ".join(f"(xy {_point(float(x), float(y), origin)})" for x, y in points)
            found.append(f"(polyline (pts {pts}) {_STROKE})")
        elif item.tag == "circle":
            x, y, radius = (float(item.attrib[key]) for key in ("cx", "cy", "r"))
            found.append(
                f"(circle (center {_point(x, y, origin)}) (radius {round(radius / SQUARE * _MM, 4):g}) {_STROKE})"
            )
        elif item.tag == "path":
            found += _gate(item.attrib["d"], origin)
        elif style in keep:
            x, y, pixels = float(item.attrib["x"]), float(item.attrib["y"]), _CLASSES[style]
            side = {"start": " (justify left)", "end": " (justify right)", "middle": ""}[item.attrib["text-anchor"]]
            place = _point(x, y - 0.35 * pixels, origin)
            found.append(f"(text {_quoted(item.text or '')} (at {place} 0) (effects {_font(pixels)}{side}))")
    return found


def _gate(path: str, origin: Cell) -> list[str]:
    """Return the outline of a gate: ``M x y h w a r r 0 0 sweep 0 2r h -w z``."""
    words = path.split()
    x, y, wide, radius = (float(words[it]) for it in (1, 2, 4, 6))
    across = 1 if wide > 0 else -1
    corners = [(x + wide, y), (x, y), (x, y + 2 * radius), (x + wide, y + 2 * radius)]
    pts = " ".join(f"(xy {_point(*it, origin)})" for it in corners)
    start, middle, end = corners[0], (x + wide + across * radius, y + radius), corners[3]
    ends = f"(start {_point(*start, origin)}) (mid {_point(*middle, origin)}) (end {_point(*end, origin)})"
    return [f"(polyline (pts {pts}) {_STROKE})", f"(arc {ends} {_STROKE})"]


def _texts(art: Iterable[str]) -> list[tuple[str, float, float, str]]:
    """Return the kind, place in squares and anchor of a picture's texts."""
    found = []
    for line in art:
        item = ElementTree.fromstring(line)
        if item.tag == "text":
            style, pixels = item.attrib["class"], _CLASSES[item.attrib["class"]]
            x, y = float(item.attrib["x"]) / SQUARE, (float(item.attrib["y"]) - 0.35 * pixels) / SQUARE
            found.append((style, x, y, item.attrib["text-anchor"]))
    return found


def _pin(leg: Leg, origin: Cell, pad: str, kind: str, label: str) -> str:
    turn = {(-1, 0): 0, (1, 0): 180, (0, -1): 270, (0, 1): 90}[leg.out]
    place = _point(leg.at[0] * SQUARE, leg.at[1] * SQUARE, origin)
    name = f"(name {_quoted(label)} (effects {_font(8)}))"
    return f"(pin {kind} line (at {place} {turn}) (length {_MM}) {name} (number {_quoted(pad)} (effects {_font(8)})))"


def _rail_pin(name: str) -> list[str]:
    return [
        f"(pin power_in line (at 0 0 0) (length 0) hide (name {_quoted(name)} (effects {_font(8)}))"
        f' (number "1" (effects {_font(8)})))'
    ]


def _flag_art() -> list[str]:
    points = " ".join(f"(xy {x * _MM:g} {y * _MM:g})" for x, y in ((0, 0), (0, 1), (-1, 1.5), (0, 2), (1, 1.5), (0, 1)))
    return [
        f"(polyline (pts {points}) {_STROKE})",
        f'(pin power_out line (at 0 0 90) (length 0) hide (name "pwr" (effects {_font(8)}))'
        f' (number "1" (effects {_font(8)})))',
    ]
