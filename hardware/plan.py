"""The arena as it stands, from above and in section: a drawing to read, not to cut."""

from __future__ import annotations

import math
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from hardware.arena import Data, Point, beams, pile_height, pillar, ring, turned
from hardware.nets import Pin, Wiring

CUT, MARK, GREY = "#e00000", "#0060c0", "#666666"


class Drawing:
    """An SVG in millimetres at 1:1."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        self.root = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            width=f"{number(width)}mm",
            height=f"{number(height)}mm",
            viewBox=f"0 0 {number(width)} {number(height)}",
        )
        ET.SubElement(self.root, "title").text = title

    def add(self, tag: str, **attributes: float | str) -> ET.Element:
        element = ET.SubElement(self.root, tag)
        for name, value in attributes.items():
            element.set(name.replace("_", "-"), value if isinstance(value, str) else number(value))
        return element

    def path(self, points: Iterable[Point], colour: str = CUT, width: float = 0.2, **more: float | str) -> None:
        text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.add("polygon", points=text, fill=str(more.pop("fill", "none")), stroke=colour, stroke_width=width, **more)

    def circle(self, x: float, y: float, diameter: float, colour: str = CUT, **more: float | str) -> None:
        fill = str(more.pop("fill", "none"))
        self.add("circle", cx=x, cy=y, r=diameter / 2, fill=fill, stroke=colour, stroke_width=0.2, **more)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = GREY, **more: float | str) -> None:
        more.setdefault("stroke_width", 0.2)
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, **more)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 4,
        colour: str = MARK,
        anchor: str = "middle",
        turn: int = 0,
        length: float = 0.0,
    ) -> None:
        """Write a text, turned counter-clockwise by some degrees, and stretched to a length if there is one."""
        element = self.add(
            "text", x=x, y=y, font_size=size, fill=colour, text_anchor=anchor, font_family="DejaVu Sans, sans-serif"
        )
        if turn:
            element.set("transform", f"rotate({-turn} {number(x)} {number(y)})")
        if length:
            element.set("textLength", number(length))
            element.set("lengthAdjust", "spacingAndGlyphs")
        element.text = text

    def scale(self, x: float, y: float) -> None:
        """Draw a line to measure after printing or cutting, from a point downwards as SVG counts."""
        for (x1, y1), (x2, y2) in self.scale_lines(x, -y):
            self.line(x1, -y1, x2, -y2, MARK)
        self.text(x + 50, y + 5, self.SCALE_TEXT)

    SCALE_TEXT = "100 mm: measure this before you cut"

    @staticmethod
    def scale_lines(x: float, y: float) -> list[tuple[Point, Point]]:
        """Return the lines of a scale of 100 mm that begins at a point, y upwards."""
        ticks = [((x + at, y), (x + at, y + (3 if at % 50 == 0 else 1.5))) for at in range(0, 101, 10)]
        return [((x, y), (x + 100, y)), *ticks]

    def dumps(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"


def number(value: float) -> str:
    """Return a length as text, without trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


INKS = {
    "BN": "#7a4a20", "RD": "#d02020", "OG": "#f08000", "YE": "#e0c000", "GN": "#20a020", "BU": "#2050d0",
    "VT": "#8030c0", "GY": "#808080", "WH": "#ffffff", "BK": "#101010",
}  # fmt: skip
"""Colours to draw wires in, by the names of IEC 60757."""


def _end(wiring: Wiring, pin: Pin) -> str:
    """Return where a wire ends: the pin's number at a plug, what is printed beside it at a strip of pixels."""
    name, number = pin
    label = wiring.components[name].label(number)
    return f"{name} {label}" if wiring.components[name].kind.startswith("WS2812B") else f"{name} pin {number}"


def loom(wiring: Wiring) -> Drawing:
    """Return every kind of cable as it is made: its wires in their order, their pins at both ends, its length."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for name, cable in wiring.cables.items():
        pins = tuple(tuple(pin for _, pin in cable.ends[wire]) for wire in range(1, cable.wires + 1))
        # Places and sides are alike; the ring's joints are, too.
        kind = (cable.kind, cable.length, cable.colours, pins)
        groups.setdefault(kind, []).append(name)
    pitch, gap = 4.6, 17.0
    height = 24 + sum(gap + pitch * len(wiring.cables[names[0]].colours) for names in groups.values())
    drawing = Drawing(250, height, "Cables")
    drawing.add("rect", x=0, y=0, width=250, height=height, fill="#ffffff")
    drawing.text(8, 10, "Cables, as they are made", 6, "#333333", "start")
    left, right, y = 52.0, 190.0, 24.0
    for names in groups.values():
        cable = wiring.cables[names[0]]
        times = f"{len(names)} × " if len(names) > 1 else ""
        title = f"{times}{', '.join(names)}: {cable.kind}, {number(1000 * cable.length)} mm"
        drawing.text(8, y, title, 4.2, "#333333", "start")
        y += 6
        first = y
        for wire, colour in enumerate(cable.colours, 1):
            here, there = cable.ends[wire]
            ink = INKS[colour]
            drawing.line(left, y, right, y, "#555555", stroke_width=1.5)
            drawing.line(left, y, right, y, ink, stroke_width=1.1)
            drawing.text(left - 2, y + 1.2, f"{colour}   {_end(wiring, here)}", 3.4, "#333333", "end")
            drawing.text(right + 2, y + 1.2, _end(wiring, there), 3.4, "#333333", "start")
            y += pitch
        for x in (left, right):
            drawing.line(x, first - 2, x, y - pitch + 2, "#333333", stroke_width=0.8)
        y += gap - 6
    return drawing


def plan(data: Data) -> Drawing:
    """Return the arena as it stands: from above, and cut through the middle."""
    drawing = Drawing(420, 480, "Arena, plan and section")
    drawing.add("rect", x=0, y=0, width=420, height=480, fill="#ffffff")
    _plan(drawing, data, 160, 165)
    _legend(drawing, data, 318, 30)
    _section(drawing, data, 160, 440)
    return drawing


def _plan(drawing: Drawing, data: Data, x0: float, y0: float) -> None:
    deck, frame, tray, tower = data["deck"], data["frame"], data["tray"], data["tower"]
    dark, pale = "#333333", "#f3efe6"

    def square(size: float, fill: str, colour: str = dark) -> None:
        h = size / 2
        drawing.path([(x0 - h, y0 - h), (x0 + h, y0 - h), (x0 + h, y0 + h), (x0 - h, y0 + h)], colour, 0.3, fill=fill)

    square(deck["size"], pale)
    square(frame["outer"], "#e3d8c0")
    square(tray["inner"] + 2 * tray["sheet"], "#c9b891")
    square(tray["inner"], "#ffffff")
    for turn in range(4):
        corner = [turned(point, turn) for point in pillar(data)]
        drawing.path([(x0 + x, y0 - y) for x, y in corner], dark, 0.3, fill="#a8926a")
        near, half = tower["inside"], tower["width"] / 2
        far = near + tower["layers"] * tray["sheet"]
        box = [turned(point, turn) for point in ((-half, near), (half, near), (half, far), (-half, far))]
        drawing.path([(x0 + x, y0 - y) for x, y in box], dark, 0.3, fill="#6b7a8f")
        x, y = turned((0, 106), turn)
        drawing.text(x0 + x, y0 - y + 1.5, f"{data['side'][turn]['name']}, {data['side'][turn]['board']}", 4.5)
    w, h = data["card"]["width"] / 2, data["card"]["length"] / 2
    drawing.path(
        [(x0 - w, y0 - h), (x0 + w, y0 - h), (x0 + w, y0 + h), (x0 - w, y0 + h)], GREY, 0.3, stroke_dasharray="2 1.5"
    )
    drawing.text(x0, y0 - 34, "the offer", 4, GREY)
    px, py = data["floor"]["piezo"]
    drawing.circle(x0 + px, y0 - py, data["floor"]["piezo_diameter"], "#b06000", stroke_dasharray="1.5 1")
    drawing.text(x0 + px, y0 - py + 1.5, "piezo", 4, "#b06000")
    for name in ("offer", "pile"):
        x, y = data["floor"][name]
        fw, fh = data["floor"]["window"] if name == "offer" else data["floor"]["window"][::-1]
        drawing.add("rect", x=x0 + x - fw / 2, y=y0 - y - fh / 2, width=fw, height=fh, fill="#333333")
        drawing.text(x0 + x + (5 if name == "pile" else 0), y0 - y + 9, f"floor_{name}", 3.4, dark)
    for beam in beams(data):
        low = "low" in beam.name
        colour = "#c00040" if low else "#7030c0"
        (x1, y1), (x2, y2) = beam.start, beam.end
        drawing.line(x0 + x1, y0 - y1, x0 + x2, y0 - y2, colour, stroke_width=0.5, stroke_dasharray="4 2")
        # The receiver is an arrow's head, beyond the wall; both tiers run in the same plane seen from above.
        length = math.hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        tip = (x0 + x2 + ux * 2, y0 - y2 - uy * 2)
        back = (tip[0] - ux * 5, tip[1] + uy * 5)
        drawing.path(
            [tip, (back[0] - uy * 2, back[1] - ux * 2), (back[0] + uy * 2, back[1] + ux * 2)], colour, 0.2, fill=colour
        )
        # Its name, within the tower.
        out = tower["inside"] + tower["layers"] * tray["sheet"] / 2 + 2
        at = (x0 + ux * out, y0 - y2) if abs(ux) > 0.5 else (x0 + x2, y0 - uy * out)
        drawing.text(at[0], at[1] + 1.3, beam.name.removeprefix("beam_"), 3.6, "#ffffff")
    for index, (x, y) in enumerate(ring(data)):
        drawing.add(
            "rect", x=x0 + x - 2.5, y=y0 - y - 2.5, width=5, height=5, fill="#30a030", stroke=dark, stroke_width=0.2
        )
        outward = 8.5
        ox, oy = (outward * (x > 0) - outward * (x < 0), 0) if abs(x) > abs(y) else (0, outward if y > 0 else -outward)
        drawing.text(x0 + x - ox, y0 - y + oy + 1.3, str(index), 3.6, "#207020")


def _legend(drawing: Drawing, data: Data, x: float, y: float) -> None:
    lines = [
        ("Arena, from above", 6, "#333333"),
        ("", 4, GREY),
        ("red: low tier, violet: rim tier;", 3.6, GREY),
        ("arrows point at the receivers.", 3.6, GREY),
        ("The two tiers of a line run the", 3.6, GREY),
        ("opposite way, one above the other.", 3.6, GREY),
        ("green: pixels of the ring", 3.6, GREY),
        ("blue-grey: towers", 3.6, GREY),
        ("brown: pillars on the corners", 3.6, GREY),
        ("", 4, GREY),
        (f"cards assumed: {number(data['card']['width'])} × {number(data['card']['length'])}", 3.6, "#b00000"),
        ("measure yours", 3.6, "#b00000"),
        ("", 4, GREY),
        (f"deck {number(data['deck']['size'])}, frame {number(data['frame']['outer'])},", 3.6, GREY),
        (f"tray inside {number(data['tray']['inner'])}", 3.6, GREY),
        (f"beams {number(data['tiers']['across'])} from the middle", 3.6, GREY),
        (f"pixels every {number(data['ring']['pitch'])}", 3.6, GREY),
        ("all in millimetres", 3.6, GREY),
    ]
    for text, size, colour in lines:
        drawing.text(x, y, text, size, colour, "start")
        y += size * 1.6


def _section(drawing: Drawing, data: Data, x0: float, y0: float) -> None:
    """A section at twice the size, from the middle to the outside of two sides."""
    tray, tiers, tower, frame = data["tray"], data["tiers"], data["tower"], data["frame"]
    sheet, scale = tray["sheet"], 2.0
    deck = -sheet - tray["foam"]

    def box(x1: float, z1: float, x2: float, z2: float, fill: str) -> None:
        drawing.add(
            "rect",
            x=x0 + scale * x1,
            y=y0 - scale * z2,
            width=scale * (x2 - x1),
            height=scale * (z2 - z1),
            fill=fill,
            stroke="#333333",
            stroke_width=0.25,
        )

    half, out = tray["inner"] / 2, tray["inner"] / 2 + sheet
    drawing.text(20, y0 - scale * 50, "Section across the tray, east half, 2:1", 6, "#333333", "start")
    x0 -= scale * 60  # the middle of the tray is at the left
    opening = data["deck"]["opening"] / 2
    box(opening, deck - sheet, 116, deck, "#f3efe6")
    pad = data["pad"]
    box(pad["at"] - pad["size"] / 2, deck - sheet, pad["at"] + pad["size"] / 2, -sheet, "#b8d0b8")
    box(pad["at"] - pad["ledge"] / 2, deck - 2 * sheet, pad["at"] + pad["ledge"] / 2, deck - sheet, "#e3d8c0")
    box(0, -sheet, out, 0, "#c9b891")
    box(half, 0, out, tray["wall"], "#c9b891")
    box(frame["opening"] / 2, tray["rim"] - sheet, tower["inside"], tray["rim"], "#e3d8c0")
    box(tower["inside"], deck - sheet, tower["inside"] + tower["layers"] * sheet, tower["top"], "#6b7a8f")
    box(0, 0, data["card"]["width"] / 2, pile_height(data), "#eeeeee")
    drawing.text(x0 + scale * 14, y0 - scale * 8, f"{data['pile']['cards']} cards", 4, GREY)
    for tier, colour in (("low", "#c00040"), ("rim", "#7030c0")):
        z = y0 - scale * tiers[tier]
        drawing.line(x0, z, x0 + scale * (tower["inside"] + 12.3), z, colour, stroke_width=0.5, stroke_dasharray="4 2")
    right = x0 + scale * 121
    marks = (
        (0, "floor of the tray 0"),
        (pile_height(data), f"tallest pile {pile_height(data):.1f}"),
        (tiers["low"], f"low tier {number(tiers['low'])}"),
        (tray["rim"], f"rim {number(tray['rim'])}"),
        (tiers["rim"], f"rim tier {number(tiers['rim'])}"),
        (tower["top"], f"top of the towers {number(tower['top'])}"),
        (deck, f"deck {number(deck)}"),
    )
    last = math.inf
    for z, text in sorted(marks):
        y = min(y0 - scale * z + 1.3, last - 5)
        drawing.line(x0 + scale * 76, y0 - scale * z, right, y - 1.3, GREY, stroke_width=0.15)
        drawing.text(right + 2, y, text, 4, "#333333", "start")
        last = y
    names = (
        (100, -12.6, "deck"),
        (51.5, -6.2, "pad"),
        (51.5, -14.5, "ledge"),
        (20, -1.9, "floor"),
        (51, 27, "wall"),
        (66, 26, "frame"),
        (81.5, 6, "tower"),
    )
    for x, z, text in names:
        drawing.text(x0 + scale * x, y0 - scale * z, text, 4, "#ffffff" if text == "tower" else "#333333")
