"""The parts that all drawings share: SVG, words that fit, and a drawing for games that have none of their own.

A drawing is made from a *view* (``Rules.view``), never from a state: what a view does not hold cannot be drawn, so a
drawing for a seat or a spectator cannot show another's secret.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET

from rich.cells import cell_len, set_cell_size
from rich.text import Text as Styled

from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.parts import Part
from tablier.texts import Json, Text

FONT = "DejaVu Sans, Verdana, sans-serif"
WIDTH, HEIGHT = 78, 16
"""Columns and lines of a board in a terminal, at most."""
GROUND, PAPER, LINE, INK, SOFT, HOT = "#faf7f0", "#fffdf8", "#cfc7b8", "#26231f", "#6c665f", "#b3261e"
"""Of every drawing: what lies behind it, what cards and panels are made of, their edges, what is written, and who is to
move."""
DARK: Mapping[str, str] = {
    GROUND: "#1b1814",
    PAPER: "#2b2721",
    LINE: "#5f574b",
    INK: "#f2ede4",
    SOFT: "#b9b1a4",
    f"text {HOT}": "#ff9b90",
    f"edge {HOT}": "#ff9b90",
}
"""What they are in the dark (:attr:`Drawing.dark`)."""
HAND = 390.0
"""The width of what a seat has before it: about a unit a pixel on a small phone. What is touched is 50 at least."""


# -- SVG -----------------------------------------------------------------------------------------------------------


class Svg:
    """An SVG document under construction. Numbers are user units; attribute names take ``_`` for ``-``."""

    def __init__(self, width: float, height: float, background: str = GROUND) -> None:
        self.root = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_number(width)} {_number(height)}",
            width=_number(width),
            height=_number(height),
        )
        self.add("rect", x=0, y=0, width=width, height=height, fill=background)

    def add(self, tag: str, parent: ET.Element | None = None, /, **attributes: float | str) -> ET.Element:
        """Add an element to ``parent`` (or the document) and return it."""
        element = ET.SubElement(self.root if parent is None else parent, tag)
        for name, value in attributes.items():
            element.set(name.rstrip("_").replace("_", "-"), value if isinstance(value, str) else _number(value))
        return element

    def part(
        self, name: str, label: Text, parent: ET.Element | None = None, /, **attributes: float | str
    ) -> ET.Element:
        """Add a group that can be touched: a part of the game by its name in ``Words.parts``, and what it is called."""
        return self.add("g", parent, data_part=name, aria_label=plain(str(label)), **attributes)

    def thing(self, name: str, parent: ET.Element | None = None, /) -> ET.Element:
        """Add a group that may lie elsewhere after a move: pages let it glide there. Things that are alike may have one
        name. It has no ``transform`` of its own."""
        return self.add("g", parent, data_thing=name)

    def reach(self, parent: ET.Element, tag: str, /, **attributes: float | str) -> ET.Element:
        """Add the first shape of a part, unseen: it is hit by a touch, and shows where the part is lit or marked."""
        return self.add(tag, parent, fill="#fff", opacity=0, **attributes)

    def text(
        self, x: float, y: float, text: str, parent: ET.Element | None = None, /, **attributes: float | str
    ) -> ET.Element:
        """Add a line of text; ``anchor`` (start, middle, end), ``size`` and ``fill`` have defaults."""
        anchor = attributes.pop("anchor", "start")
        size = attributes.pop("size", 16)
        attributes.setdefault("fill", INK)
        family = attributes.pop("font_family", FONT)
        element = self.add(
            "text", parent, x=x, y=y, font_family=family, font_size=size, text_anchor=anchor, **attributes
        )
        element.text = text
        return element

    def dumps(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def button(
    picture: Svg, name: str, label: Text, box: tuple[float, float, float, float], size: float = 17.0
) -> ET.Element:
    """Add a part that is touched for what it says; ``box``: x, y, width and height."""
    x, y, width, height = box
    group = picture.part(name, label)
    picture.add("rect", group, x=x, y=y, width=width, height=height, rx=12, fill=PAPER, stroke=LINE, stroke_width=2)
    middle = {"x": x + width / 2, "y": y + height / 2 + size * 0.36}
    picture.text(middle["x"], middle["y"], plain(str(label)), group, anchor="middle", size=size, fill=INK)
    return group


def seat_part(seat: int) -> str:
    """Return the part that is where a seat stands."""
    return f"seat {seat_name(seat)}"


# -- words: players' names come from outside, may be of any length and hold any character ----------------------------


def plain(text: str) -> str:
    """Return the text without characters that steer a terminal, break a line or may not stand in XML."""
    return "".join(character if character.isprintable() else "�" for character in text)


def short(text: str, most: int) -> str:
    """Return the text, plain, cut with an ellipsis to the given number of columns of a terminal."""
    text = plain(text)
    return text if cell_len(text) <= most else set_cell_size(text, most - 1).rstrip() + "…"


def column(text: str, width: int) -> str:
    """Return the text, plain, cut or filled up to the given number of columns of a terminal."""
    return set_cell_size(short(text, width), width)


# -- games without a drawing of their own ----------------------------------------------------------------------------


def text(rules: Rules[Any], view: Json, names: Sequence[str]) -> Styled:
    """Return a board for a terminal: what the view says, a line for each thing."""
    return Styled("\n".join(_lines(view, names)[:HEIGHT]))


def svg(rules: Rules[Any], view: Json, names: Sequence[str]) -> str:
    """Return an SVG document with the lines of :func:`text`."""
    lines = _lines(view, names)
    picture = Svg(800, 60 + 24 * len(lines))
    picture.text(20, 34, rules.title, None, size=20)
    for number, line in enumerate(lines):
        picture.text(20, 66 + 24 * number, line, None, font_family="DejaVu Sans Mono, monospace")
    return picture.dumps()


def _lines(view: Json, names: Sequence[str]) -> list[str]:
    """Return the players, and the view, each thing in a line; what is nested stands as JSON."""
    seats = "  ".join(f"p{seat} {plain(name)}" for seat, name in enumerate(names, 1))
    items = [(key.replace("_", " "), _said(value)) for key, value in view.items()]
    width = min(20, max((cell_len(key) for key, _ in items), default=0))
    return [short(line, WIDTH) for line in (seats, *(f"{column(key, width)}  {value}" for key, value in items))]


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class Drawing(Part):
    """A game's ``DRAWING``, in its ``drawing.py``: functions of the rules, a view, and the players' names by seat."""

    text: Callable[[Rules[Any], Json, Sequence[str]], Styled] = text
    """Return a board for a terminal, of at most :data:`WIDTH` × :data:`HEIGHT`."""
    spoken: Callable[[Rules[Any], Json, Sequence[str]], Sequence[Text]] | None = None
    """Return the board in sentences, for who hears it: all that the picture shows, without signs. ``None``: the lines
    of ``text`` are read."""
    svg: Callable[[Rules[Any], Json, Sequence[str]], str] = svg
    """Return an SVG document. Parts that moves name are marked with :meth:`Svg.part`."""
    last: Callable[[Rules[Any], Json, Move], Sequence[str]] | None = None
    """``last(rules, view, move)``: Return the parts of the board in ``view`` that show a seat's last move.
    ``None``: those that the move names (``Words.parts``)."""
    hand: Callable[[Rules[Any], Json, Sequence[str], int], str] | None = None
    """``hand(rules, view, names, seat)``: Return an SVG document, :data:`HAND` wide, of what a seat has before it and
    plays with; ``view`` is its own. What others may not see is of the class ``secret``. ``None``: nothing, the board
    has it all."""

    dark: Mapping[str, str] = field(default_factory=dict)
    """By colour, as the drawing writes it: what a page has in its place in the dark. ``text #rrggbb`` is that of texts
    alone, ``edge #rrggbb`` that of strokes. Empty: the drawing is as light there as elsewhere."""


DRAWING = Drawing(dark=DARK)
