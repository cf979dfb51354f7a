"""The arena's geometry: what follows from ``arena.toml``, whether it works, and the drawings to cut and to read."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree as ET

from hardware import HERE

Point = tuple[float, float]
Data = dict[str, Any]


def read() -> Data:
    return tomllib.loads((HERE / "arena.toml").read_text(encoding="utf-8"))


# -- what follows ------------------------------------------------------------------------------------------------


def pile_height(data: Data) -> float:
    """How high the tallest pile stands above the floor."""
    height: float = data["pile"]["cards"] * data["card"]["thickness"] * data["pile"]["looseness"]
    return height


def overlap(data: Data) -> float:
    """By how much two flat cards overlap at least, wherever and however they lie in the tray, in mm.

    Two rectangles are apart only if they are along the normal of one of their edges. For each pair of orientations the
    centres can be as far from each other as the tray lets their bounding boxes move.
    """
    inner, width, length = data["tray"]["inner"], data["card"]["width"], data["card"]["length"]
    placings = []
    for degree in range(180):
        angle = math.radians(degree)
        cos, sin = abs(math.cos(angle)), abs(math.sin(angle))
        play = inner - length * cos - width * sin, inner - length * sin - width * cos
        if min(play) >= 0:
            placings.append((angle, *play))
    least = math.inf
    for angle, x_play, y_play in placings:
        for axis, half in ((angle, length / 2), (angle + math.pi / 2, width / 2)):
            x, y = abs(math.cos(axis)), abs(math.sin(axis))
            for other, x_other, y_other in placings:
                turn = other - axis
                both = half + (length * abs(math.cos(turn)) + width * abs(math.sin(turn))) / 2
                least = min(least, both - (x * (x_play + x_other) + y * (y_play + y_other)) / 2)
    return least


def covered(data: Data) -> float:
    """How far from the middle every flat card covers the floor, in mm; negative if not even the middle."""
    inner, width, length = data["tray"]["inner"], data["card"]["width"], data["card"]["length"]
    least = math.inf
    for degree in range(180):
        angle = math.radians(degree)
        cos, sin = abs(math.cos(angle)), abs(math.sin(angle))
        play = (inner - length * cos - width * sin) / 2, (inner - length * sin - width * cos) / 2
        if min(play) >= 0:
            least = min(least, length / 2 - cos * play[0] - sin * play[1], width / 2 - sin * play[0] - cos * play[1])
    return least


def blind_lean(data: Data, edge: float) -> float:
    """A card that leans with this edge upwards is seen from this angle on, in degrees, on an empty floor."""
    return math.degrees(math.asin((data["tiers"]["low"]) / edge))


@dataclass(frozen=True)
class Beam:
    """One beam: where it begins and ends, and the boards there."""

    name: str
    emitter: str
    receiver: str
    start: Point
    end: Point
    height: float


def beams(data: Data) -> Iterator[Beam]:
    """All eight, named as their receivers' pins are."""
    sides, across, distance = data["side"], data["tiers"]["across"], data["tower"]["inside"] + data["tray"]["sheet"]
    for index, side in enumerate(sides):
        facing = sides[(index + 2) % 4]
        for tier, sign in (("low", 1), ("rim", -1)):
            # Seen from the tray, the low receiver is at the right of its side and the rim receiver at the left.
            end = _turned((sign * across, distance), index)
            start = _turned((sign * across, -distance), index)
            yield Beam(f"beam_{tier}_{side['beam']}", facing["board"], side["board"], start, end, data["tiers"][tier])


def _turned(point: Point, quarters: int) -> Point:
    """Turned clockwise: from north to east, and so on."""
    x, y = point
    for _ in range(quarters):
        x, y = y, -x
    return x, y


def ring(data: Data) -> list[Point]:
    """Where the pixels of the ring are, in their order."""
    count, pitch = data["ring"]["side"], data["ring"]["pitch"]
    along = [(index - (count - 1) / 2) * pitch for index in range(count)]
    return [_turned((x, count * pitch / 2), quarter) for quarter in range(4) for x in along]


def pillar(data: Data) -> list[Point]:
    """The outline of the north-east pillar: a triangle over the corner, cut off before the beams."""
    outer, clear = data["frame"]["outer"] / 2, data["pillar"]["clear"]
    line = data["tray"]["inner"] + 2 * data["tray"]["sheet"] - data["pillar"]["legs"]  # x + y on the long edge
    return [(outer, outer), (clear, outer), (clear, line - clear), (line - clear, clear), (outer, clear)]


def faults(data: Data) -> list[str]:
    """What does not fit, in words; empty when all does."""
    found = []

    def demand(fits: bool, text: str) -> None:
        if not fits:
            found.append(text)

    card, tray, tiers, tower, frame = (data[name] for name in ("card", "tray", "tiers", "tower", "frame"))
    outside = tray["inner"] / 2 + tray["sheet"]
    low = tiers["low"] - tiers["hole"] / 2
    demand(
        low >= pile_height(data), f"the tallest pile, {pile_height(data):.1f} mm, reaches the low beams, {low:.1f} mm"
    )
    demand(tiers["low"] + tiers["hole"] / 2 < tray["wall"], "the low beams do not pass through the tray's walls")
    demand(tiers["rim"] - tiers["body"] / 2 > tray["rim"], "the rim cuts into the upper beams")
    demand(tower["top"] >= tiers["rim"] + tiers["body"] / 2 + 2, "the towers are too low for the upper emitters")
    demand(overlap(data) > 1, "two flat cards can lie side by side: the order of the pile is not that of landing")
    demand(covered(data) > 1, "a flat card can leave the sensor in the middle uncovered")
    demand((card["width"] + card["length"]) / math.sqrt(2) < tray["inner"], "a card does not lie flat slantwise")
    demand(2 * tiers["across"] < card["width"], "a card fits between two parallel beams")
    demand(tower["width"] / 2 >= tiers["across"] + tiers["body"] / 2 + 1.5, "the towers are too narrow")
    demand(data["pillar"]["clear"] > tiers["across"] + tiers["body"] / 2, "the pillars stand in the beams")
    demand(data["pillar"]["clear"] >= tower["width"] / 2, "pillars and towers stand in each other's way")
    demand(frame["opening"] / 2 > outside, "the frame touches the tray")
    demand(tray["wall"] < tray["rim"], "the pillars touch the tray")
    demand(frame["outer"] / 2 == tower["inside"] + tray["sheet"], "the towers do not sit in the frame's notches")
    demand(data["deck"]["opening"] / 2 + 10 <= outside, "there is no room for the foam on the deck")
    demand(4 * data["ring"]["side"] == data["ring"]["pixels"], "the sides of the ring do not make its pixels")
    demand(
        data["ring"]["side"] * data["ring"]["pitch"] + data["ring"]["strip"] <= data["deck"]["size"],
        "the ring does not fit on the deck",
    )
    window = data["floor"]["window"][0]
    x = data["floor"]["pile"][0]
    demand(x - window / 2 > card["width"] / 2, "an offer that is laid in its place covers the sensor beside it")
    demand(x + window / 2 < tray["inner"] / 2, "the sensor beside the offer is under the wall")
    return found


# -- drawing -----------------------------------------------------------------------------------------------------

CUT, MARK, GREY = "#e00000", "#0060c0", "#666666"


class Drawing:
    """An SVG in millimetres at 1:1."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        self.pieces: list[Piece] = []
        self.root = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            width=f"{_number(width)}mm",
            height=f"{_number(height)}mm",
            viewBox=f"0 0 {_number(width)} {_number(height)}",
        )
        ET.SubElement(self.root, "title").text = title

    def add(self, tag: str, **attributes: float | str) -> ET.Element:
        element = ET.SubElement(self.root, tag)
        for name, value in attributes.items():
            element.set(name.replace("_", "-"), value if isinstance(value, str) else _number(value))
        return element

    def path(self, points: Iterable[Point], colour: str = CUT, width: float = 0.2, **more: float | str) -> None:
        text = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self.add("polygon", points=text, fill=str(more.pop("fill", "none")), stroke=colour, stroke_width=width, **more)

    def circle(self, x: float, y: float, diameter: float, colour: str = CUT, **more: float | str) -> None:
        fill = str(more.pop("fill", "none"))
        self.add("circle", cx=x, cy=y, r=diameter / 2, fill=fill, stroke=colour, stroke_width=0.2, **more)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = GREY, **more: float | str) -> None:
        more.setdefault("stroke_width", 0.2)
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, **more)

    def text(self, x: float, y: float, text: str, size: float = 4, colour: str = MARK, anchor: str = "middle") -> None:
        element = self.add(
            "text", x=x, y=y, font_size=size, fill=colour, text_anchor=anchor, font_family="DejaVu Sans, sans-serif"
        )
        element.text = text

    def scale(self, x: float, y: float) -> None:
        """A line to measure after printing or cutting."""
        self.line(x, y, x + 100, y, MARK)
        for tick in range(0, 101, 10):
            self.line(x + tick, y - (3 if tick % 50 == 0 else 1.5), x + tick, y, MARK)
        self.text(x + 50, y + 5, "100 mm: measure this before you cut")

    def collisions(self) -> list[str]:
        """Pieces that lie on one another or over the edge of the sheet."""
        boxes = []
        for piece in self.pieces:
            xs, ys = [x for x, _ in piece.corners], [y for _, y in piece.corners]
            boxes.append((min(xs), min(ys), max(xs), max(ys)))
        found = [
            f"{box} is over the edge" for box in boxes if min(box) < 0 or box[2] > self.width or box[3] > self.height
        ]
        for index, one in enumerate(boxes):
            for other in boxes[:index]:
                if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]:
                    found.append(f"{one} lies on {other}")
        return found

    def dumps(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Piece:
    """A piece of sheet at a place of the drawing; its own x and y are measured from its middle, y upwards."""

    def __init__(self, drawing: Drawing, x: float, y: float) -> None:
        self.drawing, self.x, self.y = drawing, x, y
        self.corners: list[Point] = []
        """Of what is cut, on the drawing."""
        drawing.pieces.append(self)

    def _at(self, x: float, y: float) -> Point:
        return self.x + x, self.y - y

    def outline(self, points: Iterable[Point], colour: str = CUT) -> None:
        placed = [self._at(*point) for point in points]
        self.drawing.path(placed, colour)
        if colour == CUT:
            self.corners += placed

    def rectangle(self, x: float, y: float, width: float, height: float, colour: str = CUT) -> None:
        right, top = width / 2, height / 2
        self.outline([(x - right, y - top), (x + right, y - top), (x + right, y + top), (x - right, y + top)], colour)

    def hole(self, x: float, y: float, diameter: float, colour: str = CUT) -> None:
        self.drawing.circle(*self._at(x, y), diameter, colour)

    def label(self, text: str, x: float = 0, y: float = 0, size: float = 4) -> None:
        self.drawing.text(*self._at(x, y), text, size)


def cut(data: Data) -> Drawing:
    """All pieces of the arena on a sheet of 600 × 400 mm: red is cut through, blue is drawn on."""
    drawing = Drawing(600, 400, "Arena, pieces to cut, 1:1")
    drawing.path([(0, 0), (600, 0), (600, 400), (0, 400)], GREY, 0.1)
    tray, tiers, tower, frame = data["tray"], data["tiers"], data["tower"], data["frame"]
    sheet, inner = tray["sheet"], tray["inner"]
    outer = inner + 2 * sheet
    _deck(Piece(drawing, 150, 150), data)

    piece = Piece(drawing, 377, 79)  # frame
    half, notch = frame["outer"] / 2, tower["width"] / 2 + 0.2
    quarter = [(-half, half), (-notch, half), (-notch, half - sheet), (notch, half - sheet), (notch, half)]
    piece.outline([_turned(point, turn) for turn in range(4) for point in quarter])
    piece.rectangle(0, 0, frame["opening"], frame["opening"])
    for x in (-1, 1):
        for y in (-1, 1):
            piece.hole(x * frame["stand_off"], y * frame["stand_off"], 3.2)
    piece.label("frame")

    piece = Piece(drawing, 520, 64)  # floor of the tray
    piece.rectangle(0, 0, outer, outer)
    for name in ("offer", "pile"):
        piece.rectangle(*data["floor"][name], *data["floor"]["window"])
        piece.label(name, data["floor"][name][0], data["floor"][name][1] + 5)
    piece.rectangle(0, 0, data["card"]["width"], data["card"]["length"], MARK)
    x, y = data["floor"]["piezo"]
    piece.hole(x, y, data["floor"]["piezo_diameter"], MARK)
    piece.label("piezo, below", x, y, 3.5)
    piece.label("floor of the tray", 0, 52)

    for index, length in enumerate((outer, outer, inner, inner)):  # walls of the tray
        piece = Piece(drawing, 362 if index % 2 == 0 else 486, 178 + 36 * (index // 2))
        piece.rectangle(0, 0, length, tray["wall"])
        for x in (-1, 1):
            piece.hole(x * tiers["across"], tiers["low"] - tray["wall"] / 2, tiers["hole"])
        piece.label("wall, " + ("north and south" if length == outer else "east and west"), 0, -12)

    for index in range(4):  # towers
        piece = Piece(drawing, 335 + 64 * index, 275)
        _tower(piece, data)

    shape = pillar(data)
    for index in range(4 * data["pillar"]["layers"]):
        piece = Piece(drawing, 275 + 48 * (index % 6), 364 + 48 * (index // 6))
        piece.outline(shape)
        piece.hole(frame["stand_off"], frame["stand_off"], 6.5)
    drawing.text(449, 390, f"pillars: {data['pillar']['layers']} layers on each corner of the frame", 3.5)
    drawing.scale(20, 330)
    drawing.text(
        20,
        350,
        "Arena, 3 mm sheet, 1:1. Red: cut through. Blue: draw on. No allowance for the width of the cut.",
        4,
        MARK,
        "start",
    )
    drawing.text(
        20,
        358,
        f"For cards of {_number(data['card']['width'])} × {_number(data['card']['length'])} mm: measure yours first.",
        4,
        MARK,
        "start",
    )
    return drawing


def _deck(piece: Piece, data: Data) -> None:
    deck, tower, sheet = data["deck"], data["tower"], data["tray"]["sheet"]
    piece.rectangle(0, 0, deck["size"], deck["size"])
    piece.rectangle(0, 0, deck["opening"], deck["opening"])
    outer = data["tray"]["inner"] + 2 * sheet
    piece.rectangle(0, 0, outer, outer, MARK)
    middle = tower["inside"] + sheet / 2
    for turn in range(4):
        for sign in (-1, 1):
            x, y = _turned((sign * tower["tabs_across"], middle), turn)
            size = (tower["tab"] + 0.2, sheet + 0.2)
            piece.rectangle(x, y, *(size if turn % 2 == 0 else size[::-1]))
        x, y = _turned((0, deck["ribbon_at"]), turn)
        piece.rectangle(x, y, *(deck["ribbon"] if turn % 2 == 0 else deck["ribbon"][::-1]))
        edge = data["ring"]["side"] * data["ring"]["pitch"] / 2 - 6
        piece.hole(*_turned((edge, edge), turn), deck["wire_holes"])
        piece.hole(*_turned((deck["screws"], deck["screws"]), turn), 3.2)
        piece.hole(*_turned((data["frame"]["stand_off"],) * 2, turn), 3.2)
    for index, (x, y) in enumerate(ring(data)):
        piece.rectangle(x, y, 5, 5, MARK)
        inward = (data["ring"]["side"] * data["ring"]["pitch"] / 2 - 9) / (
            data["ring"]["side"] * data["ring"]["pitch"] / 2
        )
        if index % data["ring"]["side"] in (0, data["ring"]["side"] - 1):
            along = abs(x) > abs(y)
            piece.label(str(index), x * inward if along else x, y - 1.3 if along else y * inward - 1.3, 3.5)
    piece.label("deck", 0, 0, 5)
    for turn, side in enumerate(data["side"]):
        x, y = _turned((0, 84), turn)
        piece.label(f"{side['name']}: {side['board']}", x, y - 1.5)


def _tower(piece: Piece, data: Data) -> None:
    tray, tiers, tower = data["tray"], data["tiers"], data["tower"]
    deck = -tray["sheet"] - tray["foam"]
    half, tab, at = tower["width"] / 2, tower["tab"] / 2, tower["tabs_across"]
    bottom = [(half, deck)]
    for sign in (1, -1):
        for x, z in ((tab, deck), (tab, deck - tray["sheet"]), (-tab, deck - tray["sheet"]), (-tab, deck)):
            bottom.append((sign * at + x, z))
    piece.outline([(-half, tower["top"]), (half, tower["top"]), *bottom, (-half, deck)])
    for height in (tiers["low"], tiers["rim"]):
        for sign in (-1, 1):
            piece.hole(sign * tiers["across"], height, tiers["body"])
    piece.label("tower", 0, 12)


def cut_place(data: Data) -> Drawing:
    """The pieces of six places on a sheet of 600 × 400 mm."""
    drawing = Drawing(600, 400, "Places, pieces to cut, 1:1")
    drawing.path([(0, 0), (600, 0), (600, 400), (0, 400)], GREY, 0.1)
    place, sheet = data["place"], data["tray"]["sheet"]
    width, depth = place["panel"]
    hood_width, hood_depth, hood_height = place["hood"]
    for index in range(6):
        piece = Piece(drawing, 70 + (width + 5) * (index % 4), 55 + (depth + 5) * (index // 4))
        piece.rectangle(0, 0, width, depth)
        for x, name in zip(place["buttons_x"], ("minus", "plus", "a", "b"), strict=True):
            piece.rectangle(x, place["buttons_y"] - depth / 2, place["button"], place["button"])
            piece.label(name, x, place["buttons_y"] - depth / 2 - 14)
        piece.rectangle(0, place["window_y"] - depth / 2, *place["window"])
        middle = place["hood_y"] + hood_depth / 2 - depth / 2
        piece.rectangle(0, middle, hood_width, hood_depth, MARK)
        piece.hole(0, place["public_y"] - depth / 2, place["public"])
        piece.label("public", 20, place["public_y"] - depth / 2 - 1.5)
        piece.label("hood stands here", 0, middle + 10)
    top = 225
    for index in range(6):
        x = 51 + (hood_width + 3) * index
        for name, w, h, dx, dy in (
            ("roof", hood_width, hood_depth, 0, hood_depth / 2),
            ("back", hood_width - 2 * sheet, hood_height, 0, hood_depth + 3 + hood_height / 2),
            ("cheek", hood_depth, hood_height, -hood_depth / 2 - 1.5, hood_depth + 6 + 1.5 * hood_height),
            ("cheek", hood_depth, hood_height, hood_depth / 2 + 1.5, hood_depth + 6 + 1.5 * hood_height),
        ):
            piece = Piece(drawing, x + dx, top + dy)
            piece.rectangle(0, 0, w, h)
            piece.label(name, 0, -1.5)
    drawing.scale(300, 140)
    drawing.text(300, 160, "Six places, 3 mm sheet, 1:1. Red: cut through. Blue: draw on.", 4, MARK, "start")
    drawing.text(300, 168, "Paint the hoods black inside: light on their walls would tell.", 4, MARK, "start")
    return drawing


def plan(data: Data) -> Drawing:
    """The arena as it stands: from above, and cut through the middle. To read, not to cut."""
    drawing = Drawing(420, 480, "Arena, plan and section")
    drawing.add("rect", x=0, y=0, width=420, height=480, fill="#ffffff")
    _plan(drawing, data, 160, 165)
    _legend(drawing, data, 318, 30)
    _section(drawing, data, 160, 440)
    return drawing


def _plan(drawing: Drawing, data: Data, x0: float, y0: float) -> None:
    piece = Piece(drawing, x0, y0)  # for its labels
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
        corner = [_turned(point, turn) for point in pillar(data)]
        drawing.path([(x0 + x, y0 - y) for x, y in corner], dark, 0.3, fill="#a8926a")
        near, far, half = tower["inside"], tower["inside"] + tray["sheet"], tower["width"] / 2
        box = [_turned(point, turn) for point in ((-half, near), (half, near), (half, far), (-half, far))]
        drawing.path([(x0 + x, y0 - y) for x, y in box], dark, 0.3, fill="#6b7a8f")
        x, y = _turned((0, 88), turn)
        piece.label(f"{data['side'][turn]['name']}, {data['side'][turn]['board']}", x, y - 1.5, 4.5)
    w, h = data["card"]["width"] / 2, data["card"]["length"] / 2
    drawing.path(
        [(x0 - w, y0 - h), (x0 + w, y0 - h), (x0 + w, y0 + h), (x0 - w, y0 + h)], GREY, 0.3, stroke_dasharray="2 1.5"
    )
    drawing.text(x0, y0 + 41, "the offer", 4, GREY)
    px, py = data["floor"]["piezo"]
    drawing.circle(x0 + px, y0 - py, data["floor"]["piezo_diameter"], "#b06000", stroke_dasharray="1.5 1")
    drawing.text(x0 + px, y0 - py + 1.5, "piezo", 4, "#b06000")
    for name in ("offer", "pile"):
        x, y = data["floor"][name]
        fw, fh = data["floor"]["window"]
        drawing.add("rect", x=x0 + x - fw / 2, y=y0 - y - fh / 2, width=fw, height=fh, fill="#333333")
        drawing.text(x0 + x, y0 - y + 8, f"floor_{name}", 3.4, dark)
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
        if abs(ux) > 0.5:
            drawing.text(tip[0] + ux * 13, tip[1] + 1.3, beam.name.removeprefix("beam_"), 3.6, colour)
        else:
            drawing.text(tip[0], tip[1] - uy * 3 + (0 if uy > 0 else 2.5), beam.name.removeprefix("beam_"), 3.6, colour)
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
        (f"cards assumed: {_number(data['card']['width'])} × {_number(data['card']['length'])}", 3.6, "#b00000"),
        ("measure yours", 3.6, "#b00000"),
        ("", 4, GREY),
        (f"deck {_number(data['deck']['size'])}, frame {_number(data['frame']['outer'])},", 3.6, GREY),
        (f"tray inside {_number(data['tray']['inner'])}", 3.6, GREY),
        (f"beams {_number(data['tiers']['across'])} from the middle", 3.6, GREY),
        (f"pixels every {_number(data['ring']['pitch'])}", 3.6, GREY),
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
    box(opening, deck - sheet, 110, deck, "#f3efe6")
    box(opening + 0.5, deck, opening + 10.5, -sheet, "#b8d0b8")
    box(0, -sheet, out, 0, "#c9b891")
    box(half, 0, out, tray["wall"], "#c9b891")
    box(frame["opening"] / 2, tray["rim"] - sheet, tower["inside"], tray["rim"], "#e3d8c0")
    box(tower["inside"], deck - sheet, tower["inside"] + sheet, tower["top"], "#6b7a8f")
    box(0, 0, data["card"]["width"] / 2, pile_height(data), "#eeeeee")
    drawing.text(x0 + scale * 14, y0 - scale * 8, f"{data['pile']['cards']} cards", 4, GREY)
    for tier, colour in (("low", "#c00040"), ("rim", "#7030c0")):
        z = y0 - scale * tiers[tier]
        drawing.line(x0, z, x0 + scale * (tower["inside"] + 6), z, colour, stroke_width=0.5, stroke_dasharray="4 2")
    right = x0 + scale * 118
    marks = (
        (0, "floor of the tray 0"),
        (pile_height(data), f"tallest pile {pile_height(data):.1f}"),
        (tiers["low"], f"low tier {_number(tiers['low'])}"),
        (tray["rim"], f"rim {_number(tray['rim'])}"),
        (tiers["rim"], f"rim tier {_number(tiers['rim'])}"),
        (tower["top"], f"top of the towers {_number(tower['top'])}"),
        (deck, f"deck {_number(deck)}"),
    )
    last = math.inf
    for z, text in sorted(marks):
        y = min(y0 - scale * z + 1.3, last - 5)
        drawing.line(x0 + scale * 76, y0 - scale * z, right, y - 1.3, GREY, stroke_width=0.15)
        drawing.text(right + 2, y, text, 4, "#333333", "start")
        last = y
    names = (
        (52, -14, "deck"),
        (53.5, -4.4, "foam"),
        (20, -1.9, "floor"),
        (51, 27, "wall"),
        (66, 26, "frame"),
        (84, 6, "tower"),
    )
    for x, z, text in names:
        drawing.text(x0 + scale * x, y0 - scale * z, text, 4, "#333333")
