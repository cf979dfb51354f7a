"""D.21: the board with its dice, and for each side how often its dice show each number.

Red and green are hard to tell apart for many eyes, so the sides differ in more than colour: brackets or shades of
text, corners and brightness of the dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product, zip_longest
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rich.text import Text as Styled

from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.drawing import (
    CANVAS,
    DARK,
    FREE,
    HAND,
    HOT,
    INK,
    LAST,
    LETTERS,
    LIT,
    MOVES,
    PIPS,
    SOFT,
    WON,
    Canvas,
    Dots,
    Drawing,
    Note,
    Surface,
    Svg,
    die_lines,
    die_sign,
    seat_part,
    short,
)
from tablier.games.d21.rules import (
    COLOURS,
    D21,
    DRAW_AT,
    FACES,
    MAX_PLIES,
    OUTER_MAX,
    PASS,
    PASSES,
    REPETITION,
    ROW,
    SETS,
    SIDES,
    WINS,
)
from tablier.texts import Json, Text, all_of, counted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAME = 16  # columns for a name
_PER_FACE = 2  # of each number in two sets


def status(rules: Rules[Any], view: Json, names: Sequence[str]) -> Text:
    """Return what the game waits for, or how it ended, in one line."""
    mover, other = (names[0], names[1]) if view["turn"] == seat_name(1) else (names[1], names[0])
    about = {"mover": mover, "other": other}
    if view["ending"] == MAX_PLIES:
        one, many = "A draw: {count} move without a winner", "A draw: {count} moves without a winner"
        return counted(view["ply"], one, many)
    endings = {
        ROW: Text("{other} wins: 1 to 6 in a row", about),
        SETS: Text("{other} wins: two sets of 1 to 6", about),
        REPETITION: Text("A draw: the same position for the third time"),
        PASSES: Text("A draw: neither player can move"),
    }
    if view["ending"]:
        return endings[view["ending"]]
    return Text("{other} passes, {mover} moves", about) if view["passed"] else Text("{mover} moves", about)


def _dice(view: Json) -> dict[str, tuple[str, int]]:
    """Space → colour and number of the die on it."""
    return {space: (colour, face) for colour in COLOURS for space, face in view[colour].items()}


def _moves(rules: Rules[Any], view: Json) -> Text:
    return Text("{played} of {most} moves", {"played": view["ply"], "most": rules.options["max_plies"]})


def _outer(rules: Rules[Any], view: Json, colour: str) -> int:
    grid = cast(D21, rules).grid
    return sum(grid.index[space] in grid.outer for space in view[colour])


# -- terminal --------------------------------------------------------------------------------------------

_PANEL_WIDTH = 18  # what a board of 26 leaves
_DIE = {
    "red": ("bold white on red3", "bold white on dark_red"),
    "green": ("bold grey0 on green3", "bold grey0 on green4"),
}
_IN_ROW = {"red": ("bold red3 on gold1",) * 2, "green": ("bold dark_green on gold1",) * 2}
"""By side: dice on spaces of two shades, so that those which touch are told apart."""
_MARKS = {"red": ("[", "]"), "green": ("(", ")")}
_INNER, _OUTER = "grey58 on grey19", "grey58 on grey30"
_LIT = "bold black on bright_white"
_RAISED, _LOWERED = "˙¹²³⁴⁵⁶", ".₁₂₃₄₅₆"
_FROM, _ROW = "○", "★"
"""Where the die stood that has moved last; before a die of the winning row."""


class _Size(NamedTuple):
    """The columns and lines of a space on the board."""

    columns: int
    lines: int
    ascii: bool
    """True if a die of that size can be drawn in ASCII."""


_PIPPED, _DOTTED = _Size(7, 3, True), _Size(5, 2, False)
_SIZES = (_PIPPED, _DOTTED, _Size(4, 1, False), _Size(3, 1, True))
"""The first one that fits is drawn: pips in three lines, dots of braille and a number in two, a face and its number, a
number."""


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal; of a large one in a small terminal a line holds two rows, raised and lowered."""
    names = [short(name, _PANEL_WIDTH - 6) for name in names]
    picture = Styled(no_wrap=True)
    picture.append(f"{rules.shown_title()}  ", "bold")
    picture.append(short(str(status(rules, view, names)), 70))
    size = _size(rules.options["size"], canvas)
    board = _dense_board(rules, view, canvas) if size is None else _plain_board(rules, view, canvas, size)
    width = board[0].cell_len
    for left, right in zip_longest(board, _beside(rules, view, names, canvas)):
        line = left or Styled()
        if right:
            line = line + Styled(" " * (width + 2 - line.cell_len)) + right
        picture.append("\n").append_text(line)
    return picture


def _moved(rules: Rules[Any], view: Json, canvas: Canvas) -> Sequence[str]:
    """Return the spaces of the last move."""
    return last(rules, view, canvas.last) if canvas.last and canvas.last.verb != PASS else ()


def _size(side: int, canvas: Canvas) -> _Size | None:
    """Return how large a space is drawn on a board with that many spaces a side; ``None``: smaller than a line."""
    columns, lines = canvas.columns - 3 - 2 - _PANEL_WIDTH, canvas.lines - 2
    for size in _SIZES:
        drawable = (size.ascii or not canvas.ascii) and (canvas.dots or size is not _DOTTED)
        if drawable and side * size.columns <= columns and side * size.lines <= lines:
            return size
    return None


def _plain_board(rules: Rules[Any], view: Json, canvas: Canvas, size: _Size) -> list[Styled]:
    grid = cast(D21, rules).grid
    dice, row_of_six, moved = _dice(view), set(view["row"]), _moved(rules, view, canvas)
    lines = []
    for row in reversed(range(grid.size)):
        band = [Styled(f"{row + 1:>2} " if number == size.lines // 2 else "   ") for number in range(size.lines)]
        for space in range(row * grid.size, (row + 1) * grid.size):
            name = grid.names[space]
            mark = LIT if name in canvas.lit else LAST if name in moved else ""
            if name in dice:
                colour, face = dice[name]
                styles, mark = (_IN_ROW, mark or _ROW) if name in row_of_six else (_DIE, mark)
                style = styles[colour][(row + space % grid.size) % 2]
                drawn = _drawn_die(size, colour, face, mark)
            else:
                style, drawn = _OUTER if space in grid.outer else _INNER, [" " * size.columns] * size.lines
                sign = "·"
                if name in canvas.lit:
                    sign, style = FREE, _LIT
                elif name in moved:
                    sign, style = _FROM, style.replace("grey58", "bold bright_white")
                drawn[size.lines // 2] = f"{sign:^{size.columns}}"
            for line, part in zip(band, drawn, strict=True):
                line.append(part, style)
        lines += band
    lines.append(Styled("   " + "".join(f"{name[0]:^{size.columns}}" for name in grid.names[: grid.size]), "dim"))
    return lines


@cache
def _drawn_die(size: _Size, colour: str, face: int, mark: str) -> list[str]:
    """Return the lines of a die. Its brackets tell the side; a mark or the number stands in the place of one."""
    left, right = _MARKS[colour]
    if size.lines == 1:
        return [f"{mark or left}{die_sign(face, ascii=size.ascii)}{right}"]
    if size == _DOTTED:
        dots = Dots(size.columns - 2, size.lines)
        for aside, down in PIPS[face]:
            for x, y in product((2 + 2 * aside, 3 + 2 * aside), (3 + 3 * down, 4 + 3 * down)):
                dots.add(x, y)
        upper, lower = dots.rows()
        return [f"{mark or left}{upper}{right}", f"{left}{lower}{face}"]  # pips so small are hard to count
    return [f"{mark if mark and row == 1 else left}{line}{right}" for row, line in enumerate(die_lines(face))]


def _dense_board(rules: Rules[Any], view: Json, canvas: Canvas) -> list[Styled]:
    grid = cast(D21, rules).grid
    dice, row_of_six = _dice(view), set(view["row"])
    marked = {*canvas.lit, *_moved(rules, view, canvas)}
    lines = []
    for upper in reversed(range(grid.size - 1, -1, -2)):
        lower = upper - 1
        line = Styled(f"{upper + 1:>2} {lower + 1 or '':>2} ")
        for column in range(grid.size):
            for row, digits in ((upper, _RAISED), (lower, _LOWERED)):
                if row < 0:
                    line.append(" ")
                    continue
                name = grid.names[row * grid.size + column]
                mark = " reverse" if name in marked else ""
                if name in dice:
                    colour, face = dice[name]
                    style = (_IN_ROW if name in row_of_six else _DIE)[colour][0]
                    line.append(digits[face], f"{style} underline{mark}" if colour == "green" else style + mark)
                else:
                    style = _OUTER if row * grid.size + column in grid.outer else _INNER
                    line.append(digits[0], style + mark)
        lines.append(line)
    lines.reverse()
    lines.append(Styled("      " + "".join(f"{name[0]} " for name in grid.names[: grid.size]), "dim"))
    return lines


def _beside(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas) -> list[Styled]:
    """Return who plays what, and how far each is from two sets."""
    lines = []
    for seat in (2, 1):  # as they sit at the board
        name, colour = names[seat - 1], COLOURS[seat - 1]
        turn = seat_name(seat) == view["turn"] and not view["ending"]
        won = view["ending"] in WINS and seat_name(seat) != view["turn"]
        line = Styled("▶ " if turn else "★ " if won else "  ").append(f"{name} ", "bold" if turn else "")
        lines.append(line.append(" ".join(_MARKS[colour]), _DIE[colour][0]))
        lines.append(Styled("".join(f"{face:>3}" for face in FACES), "dim"))
        counts = Styled()
        for face in FACES:
            count = list(view[colour].values()).count(face)
            counts.append(f"{count or '·':>3}", "bold" if count == _PER_FACE else "")
        lines.append(counts)
        outer = _outer(rules, view, colour)
        text = Text("{outer} of {most} outer", {"outer": outer, "most": OUTER_MAX})
        lines.append(Styled(f"  {text}", "bold" if outer == OUTER_MAX else "dim"))
        lines.append(Styled())
    lines.append(Styled("  " + short(str(_moves(rules, view)), _PANEL_WIDTH - 2), "dim"))
    if view["times"] == DRAW_AT - 1 and not view["ending"]:
        text = Text("repeated: {times} of {most}", {"times": view["times"], "most": DRAW_AT})
        lines.append(Styled(f"  {text}", "bold"))
    if _moved(rules, view, canvas):
        lines.append(Styled(f"{LAST} {Text('last move, from {sign}', {'sign': _FROM})}", "dim"))
    if canvas.lit:
        lines.append(Styled(f"{FREE} {Text('can go there')}", "dim"))
    return lines


# -- read aloud ----------------------------------------------------------------------------------------


def spoken(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Text]:
    """Return the board in sentences: each side's dice by their spaces."""
    said = [Text("{status}.", {"status": status(rules, view, names)})]
    for seat, colour in enumerate(COLOURS):
        dice = sorted(view[colour].items(), key=lambda each: (-each[1], each[0]))
        placed = all_of([Text("{face} on {space}", {"face": face, "space": space}) for space, face in dice])
        about = {"who": names[seat], "colour": _COLOUR_NAMES[colour], "dice": placed}
        outer = {"outer": _outer(rules, view, colour), "most": OUTER_MAX}
        said.append(Text("{who} has the {colour} dice: {dice}; {outer} of {most} on outer spaces.", {**about, **outer}))
    said.append(Text("{moves}.", {"moves": _moves(rules, view)}))
    return said


_COLOUR_NAMES = {"red": Text("red"), "green": Text("green")}


# -- SVG -------------------------------------------------------------------------------------------------

_BOARD, _SPACE = 560.0, 36.0  # width of the board, and of a space, at least
_LEFT, _TOP, _MARGIN, _PANEL = 44.0, 132.0, 24.0, 64.0
_EDGE_WIDTH = 26.5  # on a phone: of what is left and below of the board for its names
_LINE, _INNER_FILL, _OUTER_FILL, _GOLD = "#cbbf9f", "#fbf6e6", "#e3d7b8", "#f2b90f"
_INNER_EDGE, _EDGE_OF_ALL = "#9c8d63", "#6b5f3f"
_FILL = {"red": "#b3261e", "green": "#8ccf7c"}
_EDGE = {"red": "#7c150f", "green": "#3f7d35"}
_PIP = {"red": "#fff6ef", "green": "#16340f"}
_CORNER = {"red": 0.14, "green": 0.36}  # radius, in widths of the die


class _Frame(NamedTuple):
    """Where the board lies in the document."""

    left: float
    top: float
    space: float
    size: int

    @property
    def side(self) -> float:
        return self.space * self.size

    def middle(self, space: int) -> tuple[float, float]:
        """Return the middle of a space."""
        row, column = divmod(space, self.size)
        return self.left + (column + 0.5) * self.space, self.top + (self.size - row - 0.5) * self.space


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document; on a phone the board alone, from each player's own side."""
    names = [short(name, _NAME) for name in names]
    size = cast(D21, rules).grid.size
    if surface == Surface.PHONE:
        frame = _Frame(_EDGE_WIDTH, 3.0, (HAND - _EDGE_WIDTH - 3) / size, size)
        picture = Svg(HAND, frame.side + 3 + _EDGE_WIDTH)
        picture.turn_for(2)
        _board(picture, frame, LETTERS, right=False)
        _spaces(picture, rules, view, frame)
        return picture.dumps()
    frame = _Frame(_LEFT, _TOP, max(_BOARD / size, _SPACE), size)
    side, width = frame.side, frame.side + 2 * _LEFT
    picture = Svg(width, _TOP + side + 34 + _PANEL + _MARGIN)
    picture.text(_LEFT, 42, rules.shown_title(), size=24, font_weight="bold", letter_spacing="3", fill=INK)
    picture.text(width - _LEFT, 42, short(str(status(rules, view, names)), 48), anchor="end", size=16, fill=INK)
    _side(picture, rules, view, names, 2, _LEFT, 58, side)
    _side(picture, rules, view, names, 1, _LEFT, _TOP + side + 30, side)
    _board(picture, frame, 14.0)
    _spaces(picture, rules, view, frame)
    note = str(_note(rules, view))
    picture.text(width - _LEFT, _TOP + side + 30 + _PANEL + 8, note, anchor="end", size=13, fill=SOFT)
    return picture.dumps()


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Note]:
    """Return what stands beside the board: each player's dice by their numbers, and the moves."""
    lines = []
    for seat in (2, 1):  # as they sit at the board
        colour = COLOURS[seat - 1]
        faces = list(view[colour].values())
        counts = [(face, faces.count(face)) for face in FACES if face in faces]
        dice = [Text("{die} × {count}", {"die": chr(ord("⚀") + face - 1), "count": count}) for face, count in counts]
        about = {"who": names[seat - 1], "colour": SIDES[colour], "dice": all_of(dice)}
        outer = {"outer": _outer(rules, view, colour), "most": OUTER_MAX}
        text = Text("{who}, {colour}: {dice}; {outer} on the edge (at most {most})", {**about, **outer})
        lines.append(Note(text=text, seat=seat, part=seat_part(seat), sign=_sign(view, seat)))
    moves = (
        [Note(text=Text("A die slides, or jumps over one die; over a rival's, it turns to their sum"))]
        if not view["ending"]
        else []
    )
    return [*moves, *lines, Note(text=_note(rules, view))]


def _sign(view: Json, seat: int) -> str:
    """Return the sign of who is to move, or has won; empty for others."""
    turn = seat_name(seat) == view["turn"]
    if turn and not view["ending"]:
        return MOVES
    return WON if view["ending"] in WINS and not turn else ""


def _note(rules: Rules[Any], view: Json) -> Text:
    """Return how many moves were made, and whether this position was there before."""
    moves = _moves(rules, view)
    if view["times"] < 2:
        return moves
    third = Text("{moves} · this position for the third time", {"moves": moves})
    second = Text("{moves} · this position for the second time", {"moves": moves})
    return second if view["times"] == DRAW_AT - 1 else third


def _spaces(picture: Svg, rules: Rules[Any], view: Json, frame: _Frame) -> None:
    """The dice on their spaces, each a part, and the row that has won."""
    grid, space = cast(D21, rules).grid, frame.space

    def middle(name: str) -> tuple[float, float]:
        return frame.middle(grid.index[name])

    if view["row"]:
        points = " ".join(f"{x:.2f},{y:.2f}" for x, y in map(middle, view["row"]))
        picture.add(
            "polyline",
            points=points,
            fill="none",
            stroke=_GOLD,
            stroke_width=space * 0.98,
            stroke_linejoin="round",
            stroke_linecap="round",
            opacity=0.75,
        )
    dice = _dice(view)
    for name in grid.names:
        x, y = middle(name)
        label = Text("{space}", {"space": name})
        if name in dice:
            about = {"space": name, "colour": SIDES[dice[name][0]], "face": dice[name][1]}
            label = Text("the {colour} {face} on {space}", about)
        group = picture.part(name, label)
        corner = {"x": x - space / 2, "y": y - space / 2, "width": space, "height": space}
        picture.reach(group, "rect", **corner)
        if name in dice:
            colour, face = dice[name]
            _die(picture, picture.thing(f"{colour} {face}", group), x, y, space * 0.76, colour, face)


def last(rules: Rules[Any], view: Json, move: Move) -> Sequence[str]:
    """Return the spaces from which and to which a die has gone; of a pass, the seat."""
    return (seat_part(move.actor),) if move.verb == PASS else tuple(move.verb.split("-"))


def _board(picture: Svg, frame: _Frame, letters: float, right: bool = True) -> None:
    """The spaces, the outer ones shaded, and their names around them. ``right``: numbers stand there, too."""
    left, top, space, size = frame
    side, inner = frame.side, (size - 2) * space
    picture.add("rect", x=left, y=top, width=side, height=side, fill=_OUTER_FILL)
    inside = {"x": left + space, "y": top + space, "width": inner, "height": inner}
    picture.add("rect", fill=_INNER_FILL, **inside)
    for number in range(size + 1):
        at = number * space
        picture.add("line", x1=left + at, y1=top, x2=left + at, y2=top + side, stroke=_LINE)
        picture.add("line", x1=left, y1=top + at, x2=left + side, y2=top + at, stroke=_LINE)
    picture.add("rect", fill="none", stroke=_INNER_EDGE, stroke_width=2.5, **inside)
    picture.add("rect", x=left, y=top, width=side, height=side, fill="none", stroke=_EDGE_OF_ALL, stroke_width=2.5)
    for number in range(0, size, ceil(letters * 1.4 / space)):
        at = (number + 0.5) * space
        letter = chr(ord("a") + number)
        picture.text(left + at, top + side + letters * 1.05 + 3, letter, anchor="middle", size=letters, fill=SOFT)
        y = top + side - at + letters * 0.36
        picture.text(left - (8 if right else 3), y, str(number + 1), anchor="end", size=letters, fill=SOFT)
        if right:
            picture.text(left + side + 8, y, str(number + 1), size=letters, fill=SOFT)


def _side(
    picture: Svg, rules: Rules[Any], view: Json, names: Sequence[str], seat: int, x: float, y: float, width: float
) -> None:
    """A player's line: name, and how often the dice show each number; two of each are a goal."""
    colour = COLOURS[seat - 1]
    sign = _sign(view, seat)
    weight = "bold" if sign else "normal"
    group = picture.part(seat_part(seat), Text("{name}", {"name": names[seat - 1]}))
    picture.reach(group, "rect", x=x - 8, y=y + 4, width=170, height=50, rx=10)
    name = f"{sign} {names[seat - 1]}" if sign else names[seat - 1]
    picture.text(x, y + 26, name, group, size=17, fill=HOT if sign else INK, font_weight=weight)
    outer = _outer(rules, view, colour)
    about = {"colour": SIDES[colour], "outer": outer, "most": OUTER_MAX}
    picture.text(x, y + 46, str(Text("{colour} · {outer} of {most} on outer spaces", about)), size=12, fill=SOFT)
    step = min(58.0, (width - 170) / len(FACES))
    for face in FACES:
        count = list(view[colour].values()).count(face)
        left = x + width - (len(FACES) + 1 - face) * step
        group = picture.add("g", opacity=1.0 if count else 0.3)
        _die(picture, group, left + 14, y + 30, 26, colour, face)
        full = count == _PER_FACE
        picture.text(left + 31, y + 36, str(count), group, size=15, fill=INK, font_weight="bold" if full else "normal")


def _die(picture: Svg, parent: Element, x: float, y: float, width: float, colour: str, face: int) -> None:
    """A die seen from above, its middle at a point."""
    group = picture.add("g", parent)
    corner, half = {"rx": width * _CORNER[colour]}, width / 2
    picture.add(
        "rect", group, x=x - half + 1, y=y - half + 2, width=width, height=width, fill="#000", opacity=0.2, **corner
    )
    picture.add(
        "rect",
        group,
        x=x - half,
        y=y - half,
        width=width,
        height=width,
        fill=_FILL[colour],
        stroke=_EDGE[colour],
        stroke_width=width / 26,
        **corner,
    )
    for right, down in PIPS[face]:
        picture.add(
            "circle", group, cx=x + right * width * 0.26, cy=y + down * width * 0.26, r=width * 0.092, fill=_PIP[colour]
        )


_DARK = {
    **DARK,
    _INNER_FILL: "#2b271f",
    _OUTER_FILL: "#40382a",
    _LINE: "#5f5644",
    _INNER_EDGE: "#8d8163",
    _EDGE_OF_ALL: "#a3946c",
}
DRAWING = Drawing(text=text, spoken=spoken, svg=svg, beside=beside, last=last, seats=(2, 3), dark=_DARK)
