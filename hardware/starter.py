"""The starter: a Pico, a strip and nine buttons on a breadboard. Its nets, drawing, tables and project for Wokwi.

All of it is made of ``starter.toml``, in which each leg has its hole and each wire two. What a row or a rail joins is
one net; the nets are held against ``pins.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hardware import HERE
from hardware.plan import Drawing

Data = dict[str, Any]
Node = tuple[str, int]
"""What is joined: ``left`` or ``right`` and a row, or a rail and 0."""

PAGE = HERE / "STARTER.md"
START, END = "<!-- generated: {} -->\n", "<!-- end -->"
ROWS = 63
_COLUMNS = "abcdefghij"
_PITCH = 2.54
_GAP = 2 * _PITCH  # more between e and f than between two columns
_PICO_PINS = 40
BUTTONS = ("minus", "plus", "a", "b")
_GPIOS = {
    **{
        f"GP{n}": pin
        for n, pin in zip(range(16), (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20), strict=True)
    },
    **{
        f"GP{n}": pin
        for n, pin in zip((*range(16, 23), 26, 27, 28), (21, 22, 24, 25, 26, 27, 29, 31, 32, 34), strict=True)
    },
}
LABELS = {pin: name for name, pin in _GPIOS.items()} | {
    **dict.fromkeys((3, 8, 13, 18, 23, 28, 33, 38), "GND"),
    **dict(zip((30, 35, 36, 37, 39, 40), ("RUN", "VREF", "3V3", "3V3_EN", "VSYS", "VBUS"), strict=True)),
}
COLOURS = {
    "black": "#202020", "red": "#d02020", "green": "#209040", "white": "#b0b0b0", "grey": "#707070",
    "orange": "#e08020", "yellow": "#c8b000", "blue": "#2060c0",
}  # fmt: skip


@dataclass(frozen=True)
class Wire:
    number: int
    colour: str
    one: str
    other: str


def read() -> Data:
    return tomllib.loads((HERE / "starter.toml").read_text(encoding="utf-8"))


def wires(data: Data) -> list[list[Wire]]:
    """Return the wires of each step, numbered in order."""
    steps, number = [], 0
    for step in data["step"]:
        laid = []
        for text in step["wires"]:
            number += 1
            laid.append(Wire(number, *text.split()))
        steps.append(laid)
    return steps


def legs(data: Data) -> dict[str, dict[str, str]]:
    """Return the hole of each leg, by part and pin."""
    found: dict[str, dict[str, str]] = {}
    for part in [*data["part"], data["strip"]]:
        if "at" in part:
            first = int(part["at"][1:])
            half = _PICO_PINS // 2
            pins = {str(pin): f"c{first + pin - 1}" for pin in range(1, half + 1)}
            pins |= {str(pin): f"h{first + _PICO_PINS - pin}" for pin in range(half + 1, _PICO_PINS + 1)}
            found[part["name"]] = pins
        else:
            found[part["name"]] = dict(part["legs"])
    for button in data["button"]:
        row = button["row"]
        found[button["name"]] = {"1.l": f"e{row}", "1.r": f"f{row}", "2.l": f"e{row + 2}", "2.r": f"f{row + 2}"}
    return found


def node(hole: str) -> Node:
    """Return what a hole is joined to by the board itself. Raise :class:`ValueError` for one that is not there."""
    kind, row = hole[0], int(hole[1:])
    if not 1 <= row <= ROWS or kind not in "+-" + _COLUMNS:
        raise ValueError(f"there is no hole {hole}")
    if kind in "+-":
        return kind, 0
    return ("left" if kind in "abcde" else "right"), row


def nets(data: Data) -> list[set[tuple[str, str]]]:
    """Return the nets: sets of (part, pin). A button joins its upper legs, and its lower ones, at all times."""
    joined: dict[Node, Node] = {}

    def root(one: Node) -> Node:
        while joined.get(one, one) != one:
            one = joined[one]
        return one

    def join(one: str, other: str) -> None:
        joined[root(node(one))] = root(node(other))

    for step in wires(data):
        for wire in step:
            join(wire.one, wire.other)
    placed = legs(data)
    for button in data["button"]:
        pins = placed[button["name"]]
        join(pins["1.l"], pins["1.r"])
        join(pins["2.l"], pins["2.r"])
    found: dict[Node, set[tuple[str, str]]] = {}
    for part, pins in placed.items():
        for pin, hole in pins.items():
            found.setdefault(root(node(hole)), set()).add((part, pin))
    return list(found.values())


def faults(data: Data, pins: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what does not fit together: holes that are taken twice, nets that are not those of ``pins.toml``."""
    holes: dict[str, str] = {}
    found = []
    ends = [(f"wire {wire.number}", hole) for step in wires(data) for wire in step for hole in (wire.one, wire.other)]
    ends += [(part, hole) for part, at in legs(data).items() for hole in at.values()]
    for what, hole in ends:
        if hole in holes:
            found.append(f"{hole} takes {holes[hole]} and {what}")
        holes[hole] = what
    actual = {frozenset(net) for net in map(_without_joined, nets(data)) if len(net) > 1}
    wanted = {frozenset(net) for net in _wanted(pins)}
    found += [f"not to be joined: {_named(net)}" for net in actual - wanted]
    found += [f"to be joined: {_named(net)}" for net in wanted - actual]
    pixels = data["ring"] + 6 * data["places"]
    usb = data["usb"]
    drawn = usb["pico"] + usb["lit"] + usb["dark_pixel"] * 60
    if drawn > usb["gives"]:
        found.append(f"{drawn} mA are more than USB gives, with {pixels} pixels of 60 in use")
    return found


def _named(net: frozenset[tuple[str, str]]) -> str:
    return ", ".join(f"{part} {pin}" for part, pin in sorted(net))


def _without_joined(net: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return a net with one leg of each pair that a button joins."""
    return {(part, pin.partition(".")[0] if "." in pin else pin) for part, pin in net}


def _wanted(pins: Sequence[Mapping[str, Any]]) -> Iterator[set[tuple[str, str]]]:
    """Yield the nets of a starter by what ``pins.toml`` says of its pins."""
    ground = {("Pico", str(pin)) for pin, name in LABELS.items() if name == "GND" and pin == 38}
    ground |= {("C1", "-"), ("strip", "GND")}
    for pin in pins:
        use = pin.get("starter", "")
        words = use.split()
        at = ("Pico", str(_GPIOS.get(f"GP{pin['gpio']}", 0)))
        if use.startswith("button"):
            name = f"{words[1]} {words[4].rstrip(',')}"
            ground.add((name, "2"))
            yield {at, (name, "1")}
        elif pin["name"] == "service":
            ground.add(("service", "2"))
            yield {at, ("service", "1")}
        elif use.startswith("WS2812"):
            yield {at, ("R1", "1")}
    yield {("R1", "2"), ("strip", "DIN")}
    yield {("Pico", "40"), ("D1", "A")}
    yield {("D1", "K"), ("C1", "+"), ("strip", "5V")}
    yield ground


# -- tables ----------------------------------------------------------------------------------------------------------


def tables(data: Data) -> dict[str, str]:
    """Return the generated parts of the page, by name."""
    made = {"bill": _bill(data), "holes": _holes(data), "current": _current(data)}
    for number, laid in enumerate(wires(data), 1):
        if laid:
            made[f"wires-{number}"] = _wires(data, laid)
    return made


def _table(head: str, rows: Sequence[Sequence[object]]) -> str:
    lines = [head, "|" + " --- |" * (head.count("|") - 1)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def _bill(data: Data) -> str:
    rows: list[Sequence[object]] = [
        (part["count"], part["name"], f"{part['count'] * part['price']:.2f}", part["use"]) for part in data["bill"]
    ]
    cost = sum(part["count"] * part["price"] for part in data["bill"])
    return _table("| count | part | about, EUR | what for |", [*rows, ("", "in all", f"**{cost:.2f}**", "")])


def _holes(data: Data) -> str:
    rows = [
        (
            part["name"],
            part["kind"],
            ", ".join(f"{pin} in {hole}" for pin, hole in part["legs"].items()),
            part.get("text", ""),
        )
        for part in data["part"]
        if "legs" in part
    ]
    return _table("| part | what | legs | |", rows)


def _wires(data: Data, laid: Sequence[Wire]) -> str:
    return _table(
        "| wire | colour | from | to | joins |",
        [(wire.number, wire.colour, f"`{wire.one}`", f"`{wire.other}`", _joins(data, wire)) for wire in laid],
    )


def _joins(data: Data, wire: Wire) -> str:
    """Return what stands at the two ends of a wire."""
    ends = []
    for hole in (wire.one, wire.other):
        if hole[0] in "+-":
            ends.append("the − rail")
            continue
        at = [
            f"{part} {LABELS[int(pin)]}" if part == "Pico" else part if "." in pin else f"{part} {pin}"
            for part, pins in legs(data).items()
            for pin, other in pins.items()
            if node(other) == node(hole)
        ]
        ends.append(at[0])
    return " – ".join(ends)


def _current(data: Data) -> str:
    usb = data["usb"]
    rows = [
        ("the Pico", usb["pico"]),
        ("60 pixels of the strip, dark", 60 * usb["dark_pixel"]),
        ("light, at most: the firmware's limit", usb["lit"]),
    ]
    return _table(
        "| what | mA |",
        [*rows, ("in all", f"**{sum(row[1] for row in rows)}**"), ("a USB 2 port gives", usb["gives"])],
    )


def page(text: str, data: Data) -> str:
    """Return the page with its tables made anew."""
    for name, table in tables(data).items():
        start = START.format(name)
        before, found, rest = text.partition(start)
        if not found:
            raise ValueError(f"STARTER.md has no place for {name}")
        text = before + start + "\n" + table + "\n" + END + rest.partition(END)[2]
    return text


# -- the drawing -----------------------------------------------------------------------------------------------------

_X, _Y = 40.0, 14.0  # of column a, row 1
_SCALE = 2.0
"""Twice as large as life, so that each hole can be told."""


def _at(hole: str) -> tuple[float, float]:
    """Return where a hole is, in mm from the drawing's corner."""
    kind, row = hole[0], int(hole[1:])
    if kind in "+-":
        x = _X + 9 * _PITCH + _GAP + (4 if kind == "+" else 5.2) * _PITCH * 0.9
    else:
        column = _COLUMNS.index(kind)
        x = _X + column * _PITCH + (_GAP if column > 4 else 0)
    return x * _SCALE, (_Y + (row - 1) * _PITCH) * _SCALE


def drawing(data: Data, width: float = 250.0) -> Drawing:
    """Return the breadboard with all that stands on it, each wire with its number at both ends."""
    height = (_Y + ROWS * _PITCH + 8) * _SCALE
    paper = Drawing(width, height, "The starter on its breadboard")
    left, right = _at("a1")[0] - 9, _at("+1")[0] + 12
    paper.path(_box(left, _at("a1")[1] - 9, right, _at("a63")[1] + 9), "#b8b0a0", 0.6, fill="#faf7ef")
    x = (_at("e1")[0] + _at("f1")[0]) / 2
    paper.path(_box(x - 4, _at("a1")[1] - 7, x + 4, _at("a63")[1] + 7), "#e0d8c8", 0.3, fill="#efe9da")
    for column in _COLUMNS:
        # At both ends, beside the board: the Pico's socket hides what is printed on it.
        paper.text(_at(f"{column}1")[0], _at("a1")[1] - 10.2, column, 4, "#666666")
        paper.text(_at(f"{column}1")[0], _at("a63")[1] + 12.6, column, 4, "#666666")
    for sign, colour in (("-", "#2060c0"), ("+", "#d02020")):
        paper.line(
            _at(f"{sign}1")[0], _at("a1")[1] - 3, _at(f"{sign}1")[0], _at("a63")[1] + 3, colour, stroke_width=0.5
        )
        for y in (_at("a1")[1] - 10.2, _at("a63")[1] + 12.6):
            paper.text(_at(f"{sign}1")[0], y, "−" if sign == "-" else "+", 5, colour)
    for row in range(1, ROWS + 1):
        for column in _COLUMNS + "-+":
            paper.circle(*_at(f"{column}{row}"), 1.2, "#c8c0b0", fill="#d8d0c0")
    covered = {
        row
        for part in data["part"]
        if "legs" in part and all(hole[0] == "b" for hole in part["legs"].values())
        for row in range(*sorted(int(hole[1:]) for hole in part["legs"].values()))
    }
    for row in (1, *range(5, ROWS + 1, 5)):
        taken = {
            hole[0] for laid in wires(data) for wire in laid for hole in (wire.one, wire.other) if hole[1:] == str(row)
        }
        (x, y), (left, _) = _at(f"j{row}"), _at(f"a{row}")
        # Above the wire, where one runs along the row.
        paper.text(x + 3, y + (-1.7 if "j" in taken and row > 1 else 1.2), str(row), 3.2, "#666666", "start")
        if row in covered:
            paper.text(left - 1.6, y + 1.0, str(row), 2.6, "#666666", "end")
        else:
            paper.text(left + 2.3, y + 1.0, str(row), 2.6, "#666666", "start")
    _draw_pico(paper)
    _draw_parts(paper, data)
    for laid in wires(data):
        for wire in laid:
            _draw_wire(paper, wire)
    _draw_strip(paper, data)
    _draw_capacitor(paper, data)
    for laid in wires(data):
        for wire in laid:
            for hole in (wire.one, wire.other):
                x, y = _at(hole)
                paper.circle(x, y, 4.2, COLOURS[wire.colour], fill="#ffffff")
                paper.text(x, y + 1.05, str(wire.number), 2.9, "#202020")
    return paper


def _box(x1: float, y1: float, x2: float, y2: float) -> list[tuple[float, float]]:
    return [(x1, y1), (x2, y1), (x2, y2), (x1, y2)]


def _draw_pico(paper: Drawing) -> None:
    (x1, y1), (x2, y2) = _at("c1"), _at("h20")
    paper.path(_box(x1 - 4, y1 - 4, x2 + 4, y2 + 4), "#0a5030", 0.5, fill="#d5ead9")
    middle = (x1 + x2) / 2
    paper.path(_box(middle - 8, y1 - 9, middle + 8, y1 + 3), "#606060", 0.5, fill="#d8d8d8")
    paper.text(middle, y1 - 2, "USB", 4, "#404040")
    paper.circle(middle - 7, y1 + 13, 6, "#606060", fill="#f4f4f4")
    paper.text(middle, y1 + 21, "BOOTSEL", 2.6, "#0a5030")
    paper.text(middle, (y1 + y2) / 2, "Pico", 7, "#0a5030")
    for pin in range(1, _PICO_PINS + 1):
        hole = f"c{pin}" if pin <= 20 else f"h{41 - pin}"
        x, y = _at(hole)
        paper.circle(x, y, 1.8, "#806010", fill="#e0c060")
        anchor, away = ("start", 2.2) if pin <= 20 else ("end", -2.2)
        paper.text(x + away, y + 1.1, LABELS[pin], 2.9, "#0a5030", anchor)


def _draw_parts(paper: Drawing, data: Data) -> None:
    for part in data["part"]:
        if "legs" not in part:
            continue
        (x1, y1), (x2, y2) = map(_at, part["legs"].values())
        paper.line(x1, y1, x2, y2, "#707070", stroke_width=1.0)
        middle = (y1 + y2) / 2
        reach = min(5.5, abs(y2 - y1) / 2 - 1)
        if part["name"] != "C1":
            colour, fill = ("#202020", "#505050") if part["name"] == "D1" else ("#806030", "#e8d0a0")
            paper.path(_box(x1 - 2.4, middle - reach, x1 + 2.4, middle + reach), colour, 0.4, fill=fill)
            if part["name"] == "D1":
                paper.path(
                    _box(x1 - 2.4, middle + reach - 2, x1 + 2.4, middle + reach - 0.6), "#f0f0f0", 0.1, fill="#f0f0f0"
                )
            text = "#ffffff" if part["name"] == "D1" else "#603000"
            paper.text(x1, middle + 1.0, part["name"], 3.2, text)
    for button in data["button"]:
        row = button["row"]
        (x1, y1), (x2, y2) = _at(f"e{row}"), _at(f"f{row + 2}")
        paper.path(_box(x1 - 1.5, y1 - 1.5, x2 + 1.5, y2 + 1.5), "#303030", 0.5, fill="#d0d0d0")
        paper.circle((x1 + x2) / 2, (y1 + y2) / 2, 6.4, "#303030", fill="#f4f4f4")
        word, _, place = button["name"].partition(" ")
        sign = {"minus": "−", "plus": "+", "service": "s"}.get(word, word)
        paper.text((x1 + x2) / 2, (y1 + y2) / 2 + 1.4, sign, 4.4, "#202020")
        for hole in legs(data)[button["name"]].values():
            paper.circle(*_at(hole), 1.8, "#606060", fill="#a0a0a0")
    for place, (first, last) in {1: (31, 42), 2: (45, 56)}.items():
        x, y = _at(f"a{first}")[0] - 34, (_at(f"a{first}")[1] + _at(f"a{last}")[1]) / 2
        paper.text(x, y, f"place {place}", 5, "#202020", turn=90)


def _draw_capacitor(paper: Drawing, data: Data) -> None:
    """Draw C1 over the strip's wires, which pass beneath it."""
    (legs_of,) = (part["legs"] for part in data["part"] if part["name"] == "C1")
    (x, y1), (_, y2) = map(_at, legs_of.values())
    paper.circle(x, (y1 + y2) / 2, 11, "#203060", fill="#c8d4ec")
    paper.path(_box(x - 3.4, (y1 + y2) / 2 + 3.0, x + 3.4, (y1 + y2) / 2 + 4.4), "none", 0.1, fill="#203060")
    paper.text(x, (y1 + y2) / 2 + 1.7, "C1", 3.6, "#203060")
    paper.text(x, (y1 + y2) / 2 - 1.8, "+", 4.0, "#203060")


def _draw_strip(paper: Drawing, data: Data) -> None:
    strip = data["strip"]["legs"]
    colours = {"5V": "#d02020", "GND": "#202020", "DIN": "#209040"}
    x, top, high = _at("+1")[0] + 34, _at("a1")[1], 8.8
    parts = [("ring", data["ring"], "#dfe8f6"), ("public", data["places"], "#f6e8c8")]
    parts += [(f"hood {place}", 5, "#e6dcf2") for place in range(1, data["places"] + 1)]
    number = 0
    for name, count, fill in parts:
        for _ in range(count):
            y = top + high * number
            paper.path(_box(x, y, x + high, y + high), "#606060", 0.3, fill=fill)
            paper.circle(x + high / 2, y + high / 2, 4.6, "#606060", fill="#ffffff")
            paper.text(x + high / 2, y + high / 2 + 1.1, str(number), 3, "#404040")
            number += 1
        y = top + high * (number - count / 2)
        paper.text(x + high + 2, y + 1.2, name if name != "public" else "places 1, 2", 4, "#202020", "start")
    for pin, to_y, at in (("5V", -10.0, x + high), ("GND", -6.0, x + high / 2)):
        x1, y1 = _at(strip[pin])
        points = (
            f"M {x1:g} {y1:g} C {x1 + 55:g} {y1:g} {x - 22:g} {top + to_y:g} {at:g} {top + to_y:g} L {at:g} {top:g}"
        )
        paper.add("path", d=points, fill="none", stroke=colours[pin], stroke_width=1.3)
        paper.circle(x1, y1, 2.4, colours[pin], fill=colours[pin])
        paper.text(x - 4, top + to_y - 1.2, pin, 3.6, colours[pin], "end")
    x1, y1 = _at(strip["DIN"])
    paper.add("path", d=f"M {x1:g} {y1:g} L {x1 - 30:g} {y1:g}", fill="none", stroke=colours["DIN"], stroke_width=1.3)
    paper.circle(x1, y1, 2.4, colours["DIN"], fill=colours["DIN"])
    paper.text(x1 - 31, y1 + 1.2, "to the strip's DIN", 3.6, colours["DIN"], "end")
    paper.text(x + high + 2, top + high / 2 + 1.2, "DIN", 3.6, colours["DIN"], "start")


def _draw_wire(paper: Drawing, wire: Wire) -> None:
    """Draw a wire beside the board's columns: long ones bow outwards, each a little further than the one before."""
    (x1, y1), (x2, y2) = _at(wire.one), _at(wire.other)
    colour, thick = COLOURS[wire.colour], 1.3
    if abs(y1 - y2) < 1:
        paper.line(x1, y1, x2, y2, colour, stroke_width=thick)
        return
    if wire.one[0] != wire.other[0]:
        # Down between the two columns: nothing that stands in either is touched.
        x = x1 + 0.6 * (x2 - x1)
        path = f"M {x1:g} {y1:g} L {x:g} {y1 + 4:g} L {x:g} {y2 - 4:g} L {x2:g} {y2:g}"
        paper.add("path", d=path, fill="none", stroke=colour, stroke_width=thick)
        return
    outwards = -1 if wire.one[0] == "a" else 1
    bow = outwards * (4 + (0.13 if outwards < 0 else 0.07) * abs(y2 - y1))
    middle = f"C {x1 + bow:g} {y1 + abs(bow) / 2:g} {x2 + bow:g} {y2 - abs(bow) / 2:g} {x2:g} {y2:g}"
    paper.add("path", d=f"M {x1:g} {y1:g} {middle}", fill="none", stroke=colour, stroke_width=thick)


def desk(data: Data) -> Drawing:
    """Return the desk from above, in tenths of life: strip, hoods, board, and where the two players sit."""
    first, five = data["ring"] + data["places"], 5
    paper = Drawing(100.0, 58.0, "The starter on a desk, from above")
    x0, y0, pitch = 8.0, 8.0, 100 / 60
    groups = [(0, data["ring"], "#dfe8f6"), (data["ring"], data["places"], "#f6e8c8")]
    groups += [(first + five * at, five, "#e6dcf2") for at in range(data["places"])]
    for begin, count, fill in groups:
        for number in range(begin, begin + count):
            x = x0 + pitch * number
            paper.path(_box(x, y0, x + pitch, y0 + 1.2), "#606060", 0.1, fill=fill)
    paper.text(x0, y0 - 1.2, "0", 1.8, "#202020", "start")
    paper.text(x0 + pitch * data["ring"] / 2, y0 - 1.2, "the ring", 1.8, "#202020")
    paper.text(x0 + pitch * first - 1.2, y0 + 3.4, f"{data['ring']}, {data['ring'] + 1}", 1.8, "#202020", "end")
    middle, back, cheek = x0 + pitch * (first + five), y0 - 0.8, 16.0
    for at, side in enumerate((-1, 1)):
        x = middle + 0.3 * side
        hood = f"M {x + side * 8:g} {back:g} H {x:g} V {back + cheek:g}"
        paper.add("path", d=hood, fill="none", stroke="#303030", stroke_width=0.4)
        paper.text(middle + side * five * pitch / 2, back - 1.2, f"hood {at + 1}", 1.8, "#202020")
        paper.circle(middle + side * 23, 50, 10, "#909090", fill="#eeeeee")
        paper.text(middle + side * 23, 50.6, f"player {at + 1}", 1.6, "#202020")
    paper.text(middle + 1.6, back + cheek - 0.2, "cheeks", 1.6, "#202020", "start")
    x, y, long, wide = x0 + 22, y0 + 8, 16.5, 5.5
    paper.path(_box(x, y, x + long, y + wide), "#b8b0a0", 0.3, fill="#faf7ef")
    paper.path(_box(x - 0.6, y + 1.6, x + 4.8, y + 3.9), "#0a5030", 0.2, fill="#d5ead9")
    for button in data["button"]:
        key = x + (button["row"] + 1) * 0.254
        paper.path(_box(key - 0.25, y + 2.4, key + 0.25, y + 3.1), "#303030", 0.1, fill="#d0d0d0")
    paper.text(x + 11.5, y + wide + 2.2, "keys of places 1 and 2", 1.6, "#202020")
    paper.line(x - 0.6, y + 2.7, x - 10, y + 2.7, "#404040", stroke_width=0.4)
    paper.text(x - 10.6, y + 3.3, "to the computer", 1.6, "#202020", "end")
    bend = f"M {x + 7:g} {y + 0.6:g} C {x + 7:g} {y - 5:g} {x0 - 6:g} {y - 2:g} {x0:g} {y0 + 0.6:g}"
    paper.add("path", d=bend, fill="none", stroke="#209040", stroke_width=0.3)
    paper.text(x0 + 5, y - 0.6, "5V, GND, DIN", 1.6, "#209040", "start")
    return paper


# -- Wokwi -----------------------------------------------------------------------------------------------------------


def wokwi(data: Data) -> str:
    """Return the project for Wokwi: the same nets, without the diode and the capacitor, which do nothing there."""
    from hardware.wokwi import dumps

    ids = {name: name.replace(" ", "") for name in legs(data)}
    pixels = data["ring"] + 6 * data["places"]

    def end(part: str, pin: str) -> str:
        if part == "Pico":
            label = LABELS[int(pin)]
            return f"pico:{'GND.8' if label == 'GND' else label}"
        if part == "strip":
            return "strip:" + {"5V": "VDD", "GND": "VSS", "DIN": "DIN"}[pin]
        return f"{ids[part]}:{pin}"

    parts = [
        {"type": "wokwi-pi-pico", "id": "pico", "top": 0, "left": 0, "attrs": {}},
        {"type": "wokwi-led-strip", "id": "strip", "top": -90, "left": -40, "attrs": {"pixels": str(pixels)}},
        {"type": "wokwi-resistor", "id": "R1", "top": -40, "left": -90, "attrs": {"value": "330"}},
    ]
    caps = {"minus": "white", "plus": "grey", "a": "orange", "b": "yellow", "service": "blue"}
    for index, button in enumerate(data["button"]):
        word, _, place = button["name"].partition(" ")
        at = {"top": 250 + 90 * (index // 4), "left": -120 + 85 * (index % 4)}
        attrs = {"color": caps[word], "label": f"{place} {word}".strip()}
        parts.append({"type": "wokwi-pushbutton", "id": ids[button["name"]], **at, "attrs": attrs})
    connections = []
    plain = [[each for each in net if each[0] not in ("C1", "D1")] for net in nets(data)]
    supplied = [
        each
        for net, whole in zip(plain, nets(data), strict=True)
        if any(part == "D1" for part, _ in whole)
        for each in net
    ]
    kept = [net for net, whole in zip(plain, nets(data), strict=True) if all(part != "D1" for part, _ in whole)]
    for net in [*kept, supplied]:
        ends = sorted({end(part, pin) for part, pin in net if not (part not in ids or pin in ("1.r", "2.r"))})
        ends = sorted(ends, key=lambda each: (not each.startswith("pico:"), each))
        first = ends[0] if ends else ""
        colour = {"pico:GND.8": "black", "pico:VBUS": "red"}.get(first, "green")
        connections += [[first, other, colour, []] for other in ends[1:]]
    content = {"version": 1, "author": "Tablier", "editor": "wokwi", "parts": parts, "connections": sorted(connections)}
    return dumps(content | {"dependencies": {}})


def documents() -> dict[Path, str]:
    """Return what is made of ``starter.toml``: path → content."""
    data = read()
    return {
        PAGE: page(PAGE.read_text(encoding="utf-8"), data),
        HERE / "drawings/starter.svg": drawing(data).dumps(),
        HERE / "drawings/starter-desk.svg": desk(data).dumps(),
        HERE / "wokwi/diagram.json": wokwi(data),
    }


__all__ = ["LABELS", "Data", "Wire", "documents", "faults", "legs", "nets", "page", "read", "tables", "wires", "wokwi"]
