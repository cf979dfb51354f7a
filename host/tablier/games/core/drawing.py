"""The parts that all drawings share: SVG, words that fit, and a drawing for games that have none of their own.

A drawing is made from a *view* (``Rules.view``), never from a state: what a view does not hold cannot be drawn, so a
drawing for a seat or a spectator cannot show another's secret.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from textwrap import wrap
from typing import Any, Protocol
from xml.etree import ElementTree as ET

from rich.cells import cell_len, set_cell_size
from rich.text import Text as Styled

from tablier.games.core import Move, Rules, points_text, seat_name
from tablier.games.core.parts import Part
from tablier.printable import ascii_only, masked
from tablier.texts import Json, Text, all_of, counted

FONT = "DejaVu Sans, Verdana, sans-serif"
WIDTH, HEIGHT = 78, 16
"""Columns and lines that a board in a terminal has in any case; see :class:`Canvas`."""
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
SEATS = ("#1763b5", "#c0392b", "#1f7a3d", "#a05f00", "#6a3d9a", "#3d4a57")
"""The colour of each seat, on boards, curves, plots and pages alike."""
SEATS_DARK: Mapping[str, str] = dict(
    zip(SEATS, ("#7db8f5", "#ff9a8c", "#7fcf97", "#f0b04f", "#c9a9f0", "#c3ccd6"), strict=True)
)
"""By colour of a seat: what it is in the dark."""
HAND = 390.0
"""The width of what a seat has before it, and of its board: about a unit a pixel on a small phone. What is touched
there is 57 at least."""
SECRET = 56.0
"""The height of what only its seat may see, at the top of a hand."""
LETTERS = 18.0
"""The least size of letters there: 13 pixels where a phone has 320."""


_SQUEEZED = 1.4
"""By how much a name is squeezed at most before it is cut."""


class Surface(StrEnum):
    """The kinds of places where a picture is seen."""

    PAPER = "paper"
    """A document, or a page that is read at a desk: one picture has all that the view holds."""
    PHONE = "phone"
    """A seat's own screen, and a television across a room: the board alone, :data:`HAND` wide, in letters of
    :data:`LETTERS`; what else there is to see stands beside it as text (:attr:`Drawing.beside`)."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """A line of text beside a board."""

    text: Text
    seat: int = 0
    """Whose line it is; 0: nobody's."""
    part: str = ""
    """The part of the game that it is, where it can be touched."""
    sign: str = ""
    """:data:`MOVES` before who is to move, :data:`WON` before who has won."""


MOVES, WON = "▶", "★"


# -- terminals -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Canvas:
    """The room for a board in a terminal, and what it shows besides the view."""

    columns: int = WIDTH
    lines: int = HEIGHT
    """The board may fill them and is larger where there is more room. Never less than the defaults."""
    ascii: bool = False
    """True where the terminal shows ASCII alone. :meth:`Drawing.board` replaces single signs (:data:`ASCII_SIGNS`);
    what looks otherwise there, such as curves and faces of dice, the drawing sees to."""
    dots: bool = True
    """False where a board has no dots of braille, which a line of braille and a voice read as letters."""
    last: Move | None = None
    """The last move of a seat, to be marked …"""
    fell: Sequence[Move] = ()
    """… and those of chance since then, such as a throw."""
    lit: Collection[str] = ()
    """Parts that the move being typed or chosen names, or may name next, as ``Words.parts`` has them."""
    thrown: Collection[tuple[int, int]] = ()
    """Cards, as (seat, card), that were thrown in the open window, and have not come into the view yet."""

    @classmethod
    def of_terminal(cls, columns: int, lines: int = HEIGHT, **shown: Any) -> Canvas:
        """Return the canvas that a terminal of some columns has for a board of some lines; ``shown``: what else it
        shows. A board is cut where a terminal has less room than every board takes."""
        return cls(columns=max(columns, WIDTH), lines=max(lines, HEIGHT), ascii=ascii_only(), **shown)


CANVAS = Canvas()
LAST, LIT, FREE = "▸", "◆", "◇"
"""Before what shows the last move; before what is lit, and where that is free."""
ASCII_SIGNS = str.maketrans("▶▸◀★·○◇◆●■□♥∞–−…→", ">!<*.o+*o#-v&--~>")
"""By sign of a board: the one that stands for it on a :class:`Canvas` of ASCII."""


PIPS: Mapping[int, Sequence[tuple[int, int]]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""By face of a die: its pips, each as steps to the right and down from the middle."""


def die_sign(face: int, *, ascii: bool) -> str:
    """Return a die in a line: its face, where a terminal shows it, and its number."""
    return f"{face}" if ascii else f"{chr(ord('⚀') + face - 1)}{face}"


def die_lines(face: int | None) -> list[str]:
    """Return the three lines of a die, five columns wide; ``None``: it has not fallen yet."""
    rows = [[" "] * 5 for _ in range(3)]
    for right, down in PIPS.get(face or 0, ()):
        rows[1 + down][2 + 2 * right] = "●"
    if face is None:
        rows[1][2] = "?"
    return ["".join(row) for row in rows]


class Dots:
    """A raster of dots, drawn in braille: 2 × 4 of them in a cell of a terminal."""

    def __init__(self, columns: int, lines: int) -> None:
        self.width, self.height = 2 * columns, 4 * lines
        self._cells = [[0] * columns for _ in range(lines)]

    def add(self, x: int, y: int) -> None:
        """Add a dot, ``y`` counted downwards; one beyond the raster is left out."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self._cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]

    def rows(self) -> list[str]:
        """Return the lines; a cell without a dot is a space."""
        return ["".join(chr(_BRAILLE + cell) if cell else " " for cell in line) for line in self._cells]


def stroke_of(cell: str) -> str:
    """Return the stroke of ASCII that runs like the dots of a cell of braille; a dot for a dot."""
    dots = [(x, y) for y, row in enumerate(_DOTS) for x, dot in enumerate(row) if (ord(cell) - _BRAILLE) & dot]
    left, right = ([y for x, y in dots if x == side] for side in (0, 1))
    if len(dots) < 2:
        return "."
    if not left or not right:
        return "|"
    if max(left + right) - min(left + right) < 2:
        return "-"
    fall = sum(right) / len(right) - sum(left) / len(left)
    return "|" if abs(fall) < 0.5 else "\\" if fall > 0 else "/"


_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))


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

    def turn_for(self, *seats: int) -> None:
        """Say which seats see the drawing from the other side, as they sit: their pages turn it, its texts stay
        upright."""
        self.root.set("data-turned", " ".join(map(str, seats)))

    def leave(self, height: float) -> None:
        """Say how high a hand is at most that a phone shows below the drawing, so that this takes the rest."""
        self.root.set("data-below", _number(height))

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

    def near(self, parent: ET.Element, /) -> ET.Element:
        """Add a group for what is too small to be read where all is seen: a phone shows it where it is brought
        nearer. On paper it is part of the picture."""
        return self.add("g", parent, class_="near")

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
    picture: Svg, name: str, label: Text, box: tuple[float, float, float, float], size: float = LETTERS
) -> ET.Element:
    """Add a part that is touched for what it says; ``box``: x, y, width and height."""
    x, y, width, height = box
    group = picture.part(name, label)
    picture.add("rect", group, x=x, y=y, width=width, height=height, rx=12, fill=PAPER, stroke=LINE, stroke_width=2)
    middle = {"x": x + width / 2, "y": y + height / 2 + size * 0.36}
    picture.text(middle["x"], middle["y"], plain(str(label)), group, anchor="middle", size=size, fill=INK)
    return group


def secret_row(picture: Svg, said: Text, title: Text) -> ET.Element:
    """Add the top row of a hand, :data:`SECRET` high, and return the group that covers what the row says while its seat
    looks."""
    picture.text(10, SECRET / 2 + 5, str(said), size=LETTERS)
    secret = picture.add("g", class_="secret")
    picture.add("title", secret).text = str(title)
    picture.add("rect", secret, x=4, y=4, width=HAND - 154, height=SECRET - 8, rx=8, fill=GROUND)
    return secret


WHO_BEGINS = Text("{who} begins")


def won_with(winners: Sequence[str], points: int) -> Text:
    """Return who has won, and with how many points."""
    one, many = "{winners} wins with {points}", "{winners} win with {points}"
    return counted(len(winners), one, many, winners=all_of(winners), points=points_text(points))


def seat_part(seat: int) -> str:
    """Return the part that is where a seat stands."""
    return f"seat {seat_name(seat)}"


# -- words: players' names come from outside, may be of any length and hold any character ----------------------------


def plain(text: str) -> str:
    """Return the text without characters that steer a terminal, break a line or may not stand in XML."""
    return masked(text, lambda character: "�")


def short(text: str, most: int) -> str:
    """Return the text, plain, cut with an ellipsis to the given number of columns of a terminal."""
    text = plain(text)
    return text if cell_len(text) <= most else set_cell_size(text, most - 1).rstrip() + "…"


def fitted(name: str, room: float, size: float) -> tuple[str, dict[str, float | str]]:
    """Return a name as it fits a width in a drawing, and the attributes of its text: squeezed, and only then cut."""
    letter = 0.6 * size
    name = short(name, int(room * _SQUEEZED / letter))
    wide = letter * cell_len(name) > room
    return name, {"size": size, **({"textLength": room, "lengthAdjust": "spacingAndGlyphs"} if wide else {})}


def column(text: str, width: int) -> str:
    """Return the text, plain, cut or filled up to the given number of columns of a terminal."""
    return set_cell_size(short(text, width), width)


# -- games without a drawing of their own ----------------------------------------------------------------------------


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal: what the view says, a line for each thing."""
    return Styled("\n".join(_lines(view, names, canvas.columns)[: canvas.lines]))


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document with the lines of :func:`text`, broken for a phone."""
    lines, width, size = _lines(view, names), 800.0, 16.0
    if surface == Surface.PHONE:
        width, size = HAND, LETTERS
        columns = int((width - 20) / (0.61 * size))
        lines = [part for line in _lines(view, names, 10 * columns) for part in wrap(line, columns)]
    picture = Svg(width, 60 + 1.5 * size * len(lines))
    picture.text(20 if width > HAND else 10, 34, rules.shown_title(), None, size=20)
    for number, line in enumerate(lines):
        y = 66 + 1.5 * size * number
        picture.text(20 if width > HAND else 10, y, line, None, size=size, font_family="DejaVu Sans Mono, monospace")
    return picture.dumps()


class Draws(Protocol):
    """A function that draws a view for a surface."""

    def __call__(
        self, rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER, /
    ) -> str: ...


def _lines(view: Json, names: Sequence[str], columns: int = WIDTH) -> list[str]:
    """Return the players, and the view, each thing in a line; what is nested stands as JSON."""
    seats = "  ".join(f"p{seat} {plain(name)}" for seat, name in enumerate(names, 1))
    items = [(key.replace("_", " "), _said(value)) for key, value in view.items()]
    width = min(20, max((cell_len(key) for key, _ in items), default=0))
    return [short(line, columns) for line in (seats, *(f"{column(key, width)}  {value}" for key, value in items))]


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, kw_only=True)
class Drawing(Part):
    """A game's ``DRAWING``, in its ``drawing.py``: functions of the rules, a view, and the players' names by seat;
    that of a terminal also gets its :class:`Canvas`."""

    text: Callable[[Rules[Any], Json, Sequence[str], Canvas], Styled] = text
    """``text(rules, view, names, canvas)``: Return a board for a terminal that fits the canvas. What it shows by a
    colour it shows by a sign, too. Screens draw at each key: it takes 20 ms at most."""
    spoken: Callable[[Rules[Any], Json, Sequence[str]], Sequence[Text]] | None = None
    """Return the board in sentences, for who hears it: all that the picture shows, without signs. ``None``: the lines
    of ``text`` are read."""
    svg: Draws = svg
    """Return an SVG document for a :class:`Surface`. Parts that moves name are marked with :meth:`Svg.part`."""
    beside: Callable[[Rules[Any], Json, Sequence[str]], Sequence[Note]] | None = None
    """Return what stands beside a board that is drawn for a phone: players, points, what is out of play.
    ``None``: the picture has it all. A part that moves name is in the one or in the other."""
    last: Callable[[Rules[Any], Json, Move], Sequence[str]] | None = None
    """``last(rules, view, move)``: Return the parts of the board in ``view`` that show a seat's last move.
    ``None``: those that the move names (``Words.parts``)."""
    hand: Callable[[Rules[Any], Json, Sequence[str], int], str] | None = None
    """``hand(rules, view, names, seat)``: Return an SVG document, :data:`HAND` wide, of what a seat has before it and
    plays with; ``view`` is its own. What others may not see is of the class ``secret``; it lies in the top
    row (:func:`secret_row`), whose last 150 units are free for the button that shows it. A part that is a whole move,
    and is drawn neither here nor on the board, is a button below. ``None``: nothing, the board has it all."""

    cards: Callable[[Json, int], Sequence[int]] | None = None
    """``cards(view, seat)``: Return the cards that a seat holds as all may know, for a page that has them thrown.
    ``None``: there are none to throw."""
    seats: Sequence[int] = (1, 2, 3, 4, 5, 6)
    """By seat, which of :data:`SEATS` a curve has for it, from 1: that which is most like its colour on the board."""
    dark: Mapping[str, str] = field(default_factory=dict)
    """By colour, as the drawing writes it: what a page has in its place in the dark. ``text #rrggbb`` is that of texts
    alone, ``edge #rrggbb`` that of strokes. Empty: the drawing is as light there as elsewhere."""

    def board(self, rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
        """Return :attr:`text` for a canvas, in signs that its terminal shows."""
        drawn = self.text(rules, view, names, canvas)
        if canvas.ascii:
            drawn.plain = drawn.plain.translate(ASCII_SIGNS)
        return drawn


DRAWING = Drawing(dark=DARK)
