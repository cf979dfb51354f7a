"""Dicke Dämonen: the cords with their knots, demons in the corners, ghosts in the fields; the seats beside them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import cos, dist, inf, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rich.text import Text as Styled

from tablier.games.core import Move, Rules, points_text, seat_name
from tablier.games.core.drawing import (
    CANVAS,
    DARK,
    FREE,
    HAND,
    HOT,
    INK,
    LAST,
    LETTERS,
    LINE,
    MOVES,
    PAPER,
    SECRET,
    SOFT,
    WON,
    Canvas,
    Drawing,
    Note,
    Surface,
    Svg,
    column,
    seat_part,
    secret_row,
    short,
)
from tablier.games.daemonen.colours import COLOURS, NAMES, WHITE, initial
from tablier.games.daemonen.layout import OUTER, Layout, corner_name, field_text
from tablier.games.daemonen.planar import Plan, Point, middle, plan_of
from tablier.games.daemonen.rules import EMPTY, PREDICTS, Daemonen, creatures_text
from tablier.games.daemonen.state import DEAL, DRAW, OVER, PLACE, PREDICT
from tablier.games.daemonen.terminal import CORD, CREATURE, Map, map_of, paint, untold
from tablier.games.daemonen.words import field_part
from tablier.texts import Json, Text, Typed, all_of, any_of, counted, spelled

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAME = 18  # columns for a player's name


def status(view: Json, names: Sequence[str]) -> Text:
    """Return what the game waits for, in one line."""
    who, phase = {"who": names[int(view["turn"][1:]) - 1]}, view["phase"]
    if phase == DEAL:
        return Text("{who} draws four creatures", who)
    if phase == DRAW:
        return Text("{who} draws a creature", who)
    if phase == PLACE:
        return Text("{who} places a creature", who)
    if phase == OVER:
        about = {**who, "outcome": _outcome(view, names)}
        if view["ending"] == EMPTY:
            return Text("{who} holds nothing more. {outcome}", about)
        return Text("{who} can place nothing. {outcome}", about)
    return Text("{who} may predict, or passes", who)


def _outcome(view: Json, names: Sequence[str]) -> Text:
    winners = [name for name, seat in zip(names, view["scores"], strict=True) if seat in view["winners"]]
    if len(names) == 1:
        won = counted(int(view["scores"]["p1"]), "Won with {count} point", "Won with {count} points")
        return won if winners else Text("Lost")
    if not winners:
        return Text("Everybody loses")
    return counted(len(winners), "{winners} wins", "{winners} win", winners=all_of(winners))


# -- terminal --------------------------------------------------------------------------------------------

_PANEL_COLUMNS = 24
"""Columns beside the map."""
_TANGLED = 2
"""The number of fields, of which the map does not say all, from which on the cords are told beside it."""


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal: a map with points and players beside it.

    A layout that does not say how it lies is a table of its fields, with points and players below; so is every layout
    where dots of braille are unwanted.
    """
    layout = cast(Daemonen, rules).layout
    names = [short(name, _NAME) for name in names]
    waits = short(str(status(view, names)), canvas.columns - 15)
    title = Styled.assemble((f"{rules.shown_title()}  ", "bold"), waits)
    marks = _marks(rules, view, canvas)
    columns = canvas.columns - _PANEL_COLUMNS - 1
    has_map = canvas.dots or canvas.ascii
    drawn = map_of(layout, columns, canvas.lines - 1, ascii=canvas.ascii) if has_map else None
    if drawn is None:
        lines = _table(layout, view, names, marks, canvas)
    else:
        panel = _panel(drawn, layout, view, names, canvas)
        board = paint(drawn, layout, view, marks, ascii=canvas.ascii)
        beside = [*panel, *[Styled()] * (len(board) - len(panel))]
        lines = [Styled.assemble(left, " ", right) for left, right in zip(board, beside, strict=True)]
    picture = Styled("\n").join([title, *lines])
    picture.no_wrap = True
    return picture


def _marks(rules: Rules[Any], view: Json, canvas: Canvas) -> dict[str, str]:
    """Return the sign of each spot that is marked: where the last creature was placed, and what is lit."""
    marks = dict.fromkeys(last(rules, view, canvas.last) if canvas.last else (), LAST)
    return marks | dict.fromkeys(canvas.lit, FREE)


# The map has what lies where; beside it stand the colours' points, the players, and what the map has no room for.


def _panel(drawn: Map, layout: Layout, view: Json, names: Sequence[str], canvas: Canvas) -> list[Styled]:
    lines = [Styled(str(Text("Points", context="heading")), "bold")]
    for colour, points in view["points"].items():
        best = colour in view["leading"]
        line = Styled.assemble((f" {initial(colour)} ", CREATURE[colour]), f" {column(str(NAMES[colour]), 8)}")
        lines.append(line.append(f"{points:>3}", "bold" if best else "").append(" ★" if best else "", "bold"))
    lines.append(_bag_line(view))
    lines += [_short_seat_line(view, names, seat) for seat in view["scores"]]
    room = canvas.lines - 1 - len(lines)
    fields = _untold_lines(drawn, layout, view)
    lines += fields[:room]
    room -= len(fields)
    cords = _cord_lines(layout) if len(untold(drawn, layout, view)) >= _TANGLED else []
    if cords and len(cords := [*cords, *_panel_lines(_CORDS)]) <= room:
        lines += cords
        room -= len(cords)
    placed = canvas.last is not None and canvas.last.verb == "place"
    first = [Text("{sign}: {what}", {"sign": f"{LAST}R", "what": _PLACED_LAST})] if placed else []
    keys = [*first, *_MAP_KEYS, _CROSSING_IN_ASCII if canvas.ascii else _CROSSING]
    for key in map(_panel_lines, keys):
        if len(key) > room:
            break
        lines += key
        room -= len(key)
    return lines


def _panel_lines(text: Text) -> list[Styled]:
    """Return a text in the columns beside a map."""
    return [Styled(line, "dim") for line in textwrap.wrap(str(text), _PANEL_COLUMNS, subsequent_indent="   ")]


_MAP_KEYS = (
    Text("ry: free for red, yellow"),
    Text("r: red cord, R: demon"),
    Text("f1 5R: 5 points, red's"),
    Text("W: a ghost, frozen"),
)
_PLACED_LAST = Text("placed last")
_CORDS = Text("r ab: b follows a on red")
_CROSSING, _CROSSING_IN_ASCII = Text("a, reversed: a crossing"), Text("(a): a crossing")


def _bag_line(view: Json) -> Styled:
    line = Styled(str(Text("bag {count}", {"count": view["bag"]})), "dim", no_wrap=True)
    if view["gone"]:
        gone = view["gone"] if isinstance(view["gone"], int) else len(view["gone"])
        line.append(f"  {Text('gone {count}', {'count': gone})}", "dim")
    return line


def _short_seat_line(view: Json, names: Sequence[str], seat: str) -> Styled:
    """Return a player in one narrow line: the fist, as far as it can be seen, and what was predicted."""
    fist, named = view["fists"][seat], view["predictions"][seat]
    turn = seat == view["turn"] and view["phase"] != OVER
    mark = "▶" if turn else "★" if seat in view["winners"] else " "
    shown = Styled()
    for colour in () if isinstance(fist, int) else fist:
        shown.append(initial(colour), CREATURE[colour]).append(" ")
    if isinstance(fist, int):
        shown.append("? " * fist, "dim")
    if named:
        shown.append("→", "bold")
        for colour in named:
            shown.append(initial(colour), CREATURE[colour])
    shown.rstrip()
    name = column(names[int(seat[1:]) - 1], _PANEL_COLUMNS - 3 - shown.cell_len)
    return Styled.assemble((f"{mark} {name} ", "bold" if turn or mark == "★" else "")).append_text(shown)


def _untold_lines(drawn: Map, layout: Layout, view: Json) -> list[Styled]:
    """Return the fields of which the map does not say all: their points, or where they lie, too."""
    points = {name: len(corners) + len(knots) for name, corners, knots in layout.fields}
    lines: list[Styled] = []
    for name, corners, named in untold(drawn, layout, view):
        majority = view["majorities"][name]
        cell = Styled(f"{spelled(name)} {points[name]}", no_wrap=True)
        if majority:
            cell.append(initial(majority), CREATURE[majority])
        if not named:
            cell.append(f" {Text('at {corners}', {'corners': ' '.join(corners)}, context='field')}", "dim")
        cell.truncate(_PANEL_COLUMNS, overflow="ellipsis")
        if lines and lines[-1].cell_len + 2 + cell.cell_len <= _PANEL_COLUMNS:
            lines[-1].append("  ").append_text(cell)
        else:
            lines.append(cell)
    return lines


def _cord_lines(layout: Layout) -> list[Styled]:
    """Return which crossings follow each other along each cord, and around to the first one again: what crosses, and
    what lies next to what, can be read there where the map is too tangled."""
    plan = plan_of(layout)
    lines: list[Styled] = []
    for colour, names in plan.cords.items() if plan is not None else ():
        glue = "" if all(len(name) == 1 for name in names) else " "
        cell = Styled.assemble((initial(colour).lower(), CORD[colour]), f" {glue.join(names)}")
        if lines and lines[-1].cell_len + 2 + cell.cell_len <= _PANEL_COLUMNS:
            lines[-1].append("  ").append_text(cell)
        else:
            lines.append(cell)
    return lines if all(line.cell_len <= _PANEL_COLUMNS for line in lines) else []


# Without a map: the fields with their points and corners. A free corner shows its crossing and the initials of the two
# colours that may go there, a taken one its crossing and the demon. A frozen field shows its demons alone.


def _table(layout: Layout, view: Json, names: Sequence[str], marks: Mapping[str, str], canvas: Canvas) -> list[Styled]:
    footer = [_points_line(view), *(_seat_line(view, names, seat) for seat in view["scores"])]
    room = canvas.lines - 1 - len(footer)
    fields = _field_lines(layout, view, dict(layout.crossings), marks, canvas.columns)
    if len(fields) > room:
        fields = _field_lines(layout, view, {}, marks, canvas.columns)
    if len(fields) > room:
        fields[room - 1 :] = [Styled(str(_more(len(fields) - room + 1)), "dim")]
    elif len(fields) < room:
        fields.append(Styled(str(_KEY), "dim"))
    return [*fields, *footer]


_KEY = Text("f1 5: field f1, 5 points   a·ry: corner a takes red or yellow   a=R: red demon")


def _more(count: int) -> Text:
    return counted(count, "… and {count} more line of fields", "… and {count} more lines of fields")


def _field_lines(
    layout: Layout, view: Json, crossings: dict[str, tuple[str, str]], marks: Mapping[str, str], columns: int
) -> list[Styled]:
    """Return the fields, two in a line where they are short enough."""
    half = columns // 2
    wide = min(max(len(name) for name, _, _ in layout.fields), 12)
    lines: list[Styled] = []
    for field in layout.fields:
        cell = _field(view, crossings, field, wide, marks)
        last = lines[-1] if lines else None
        if last is not None and max(last.cell_len, cell.cell_len) < half:
            last.pad_right(half - last.cell_len)
            last.append_text(cell)
        else:
            lines.append(cell)
    for line in lines:
        line.truncate(columns, overflow="ellipsis")
    return lines


def _field(
    view: Json,
    crossings: dict[str, tuple[str, str]],
    field: tuple[str, tuple[str, ...], tuple[str, ...]],
    wide: int,
    marks: Mapping[str, str],
) -> Styled:
    name, corners, knots = field
    majority = view["majorities"][name]
    line = Styled(no_wrap=True)
    line.append(column(spelled(name), wide), "bold" if majority is None else CREATURE[majority])
    line.append(f"{len(corners) + len(knots):>3} ", "dim")
    frozen = name in view["ghosts"]
    if frozen:
        line.append(marks.get(name, "")).append(str(Text("ghost", context="field")), CREATURE[WHITE]).append(" ")
    for crossing in corners:
        line.append(marks.get(corner_name(name, crossing), ""), "bold")
        demon = view["demons"].get(corner_name(name, crossing))
        if demon:
            line.append(f"{crossing}={initial(demon)}", CREATURE[demon]).append(" ")
        elif not frozen:
            line.append(crossing)
            if crossing in crossings:
                line.append("·", "dim")
            for colour in crossings.get(crossing, ()):
                line.append(initial(colour).lower(), CORD[colour])
            line.append(" ")
    line.rstrip()
    return line


_EMPTY_FIST = Text("empty fist")


def _points_line(view: Json) -> Styled:
    line = Styled(no_wrap=True)
    for colour, points in view["points"].items():
        best = colour in view["leading"]
        line.append(f"{NAMES[colour]} {points}", f"bold {CORD[colour]}" if best else CORD[colour]).append("  ")
    line.append(" ").append_text(_bag_line(view))
    return line


def _seat_line(view: Json, names: Sequence[str], seat: str) -> Styled:
    name, fist, named = names[int(seat[1:]) - 1], view["fists"][seat], view["predictions"][seat]
    turn = seat == view["turn"] and view["phase"] != OVER
    mark = "▶" if turn else "★" if seat in view["winners"] else " "
    line = Styled(f"{mark} {column(name, _NAME)} ", "bold" if turn or mark == "★" else "", no_wrap=True)
    if not fist:
        line.append(str(_EMPTY_FIST), "dim")
    elif isinstance(fist, int):
        line.append(str(Text("fist of {count}", {"count": fist})), "dim")
    else:
        line.append(str(Text("fist: ")), "dim")
        for colour in fist:
            line.append(str(NAMES[colour]), CORD[colour]).append(" ")
    if named:
        line.append(f"  {Text('predicts: ')}", "dim")
        for colour in named:
            line.append(str(NAMES[colour]), CREATURE[colour]).append(" ")
    line.rstrip()
    return line


# -- read aloud ----------------------------------------------------------------------------------------


def _middle(name: str) -> Text:
    """Return what stands for a field itself in the drawing."""
    return Text("the middle of field {field}", {"field": Typed("", name)})


def spoken(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Text]:
    """Return the board in sentences: each field with its corners, then points and players."""
    layout = cast(Daemonen, rules).layout
    crossings = dict(layout.crossings)
    said = [Text("{status}.", {"status": status(view, names)})]
    for name, corners, knots in layout.fields:
        worth = points_text(len(corners) + len(knots))
        field = {"field": Typed("", name), "points": worth}
        said.append(
            Text("The outer field, {points}.", field) if name == OUTER else Text("Field {field}, {points}.", field)
        )
        if name in view["ghosts"]:
            said.append(Text("Field {field} is frozen by a ghost.", field))
        for crossing in corners:
            demon = view["demons"].get(corner_name(name, crossing))
            about = {"field": field_text(name), "corner": crossing}
            if demon:
                said.append(Text("Corner {corner} of {field}: a {colour} demon.", {**about, "colour": NAMES[demon]}))
            elif name not in view["ghosts"]:
                colours = any_of([NAMES[colour] for colour in crossings.get(crossing, ())])
                said.append(Text("Corner {corner} of {field} is free for {colours}.", {**about, "colours": colours}))
    points = [Text("{colour} {points}", {"colour": NAMES[each], "points": n}) for each, n in view["points"].items()]
    said.append(Text("Points: {points}. In the bag: {bag}.", {"points": all_of(points), "bag": view["bag"]}))
    for seat in view["scores"]:
        fist, named = view["fists"][seat], view["predictions"][seat]
        count = fist if isinstance(fist, int) else len(fist)
        about = {"who": names[int(seat[1:]) - 1], "fist": creatures_text(count)}
        said.append(Text("{who} holds {fist}.", about))
        if fist and not isinstance(fist, int):
            said.append(Text("{who}: {held}.", {**about, "held": all_of([NAMES[colour] for colour in fist])}))
        if named:
            said.append(PREDICTS.of(**about, colours=all_of([NAMES[each] for each in named])))
    return said


# -- SVG -------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 980.0, 720.0
_Box = tuple[float, float, float, float]
_BOX: _Box = (20.0, 60.0, 650.0, 640.0)  # of the board: x, y, width, height
_PANEL = 700.0  # where the seats stand
_FILL = {"white": "#ffffff", "red": "#c93a2e", "blue": "#2f66c4", "green": "#2f8f43", "yellow": "#e3b112"}
_DARK = {"white": "#8a8f9c", "red": "#7d1a13", "blue": "#163a7d", "green": "#145425", "yellow": "#8a6800"}
_FRAME, _CARD_EDGE, _HATCH, _HORN, _STAR = "#d8d0c0", "#b5ad9d", "#9fb4cc", "#fff8ea", "#b07a00"
_CREATURE = 11.0  # beside the board
_FREE = 5.5  # the radius of a free corner, at most
_BODY = {
    "red": "M0 -10 A10 10 0 0 1 0 10 A10 10 0 0 1 0 -10 Z",
    "blue": "M-6 -9.5 H6 Q9.5 -9.5 9.5 -6 V6 Q9.5 9.5 6 9.5 H-6 Q-9.5 9.5 -9.5 6 V-6 Q-9.5 -9.5 -6 -9.5 Z",
    "green": "M-3 -8.5 Q0 -12 3 -8.5 L10.5 6 Q12 10 8 10 H-8 Q-12 10 -10.5 6 Z",
    "yellow": "M-3 -10.5 Q0 -13 3 -10.5 L10.5 -3 Q13 0 10.5 3 L3 10.5 Q0 13 -3 10.5 L-10.5 3 Q-13 0 -10.5 -3 Z",
}
"""By colour: the shape of a demon, of a radius of ten units, and of the knot of its cord: a second sign."""
_TWIST = {"red": "3 6", "blue": "12 6", "green": "0.1 6", "yellow": "none"}
"""By colour: the dashes on a cord."""


class _Style(NamedTuple):
    """The sizes of what is drawn on the board, by surface."""

    letters: float
    """Of fields."""
    label: float
    """Of crossings."""
    creature: float
    """The radius of one in a corner, at most."""
    cord: float
    margin: float
    """Around the cords, for knots and demons."""

    @property
    def share(self) -> float:
        """Return how large signs are, of those on paper."""
        return self.creature / _ON_PAPER.creature


_ON_PAPER = _Style(letters=17.0, label=12.5, creature=11.0, cord=7.0, margin=46.0)
_ON_PHONE = _Style(letters=LETTERS, label=LETTERS, creature=9.5, cord=5.0, margin=32.0)
_APART, _LEAST_LABEL = 2.4, 9.0  # crossings nearer than this many times their names have small ones
_PHONE_HEIGHTS = (300.0, 400.0)


class _Scale(NamedTuple):
    """From a layout's own coordinates, in which y grows upwards, to those of the document."""

    factor: float
    x: float
    y: float

    def at(self, point: Point) -> Point:
        return self.x + point[0] * self.factor, self.y - point[1] * self.factor


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document; on a phone the board alone."""
    layout = cast(Daemonen, rules).layout
    drawing = plan_of(layout)
    if surface == Surface.PHONE:
        box, style = (1.0, 1.0, HAND - 2, _phone_height(layout, drawing)), _ON_PHONE
        picture = Svg(HAND, box[3] + 2)
        picture.leave(_HAND_HEIGHT)
    else:
        box, style = _BOX, _ON_PAPER
        names = [short(name, _NAME) for name in names]
        picture = Svg(_WIDTH, _HEIGHT)
        picture.text(20, 38, rules.shown_title(), size=24, font_weight="bold", fill=INK)
        picture.text(250, 37, short(str(status(view, names)), 72), size=17, fill=INK)
    x, y, width, height = box
    picture.add("rect", x=x, y=y, width=width, height=height, rx=14, fill=PAPER, stroke=_FRAME)
    if drawing is None:
        _draw_cards(picture, layout, view, box)
    else:
        _draw_cords(picture, layout, drawing, view, box, style)
    if surface != Surface.PHONE:
        _draw_seats(picture, view, names)
    return picture.dumps()


def _phone_height(layout: Layout, drawing: Plan | None) -> float:
    """Return the height of a board as wide as a phone: as it lies; of cards, one under the other."""
    if drawing is None:
        heights = _card_heights(layout)
        stacks, scale = _stacks(heights, _CARD, (HAND - 22, 3 * HAND))
        return max(top + height for (_, top), height in zip(stacks, heights, strict=True)) * scale + 20
    points = [point for loop in drawing.loops.values() for point in loop.points]
    (left, right), (low, high) = ((min(each), max(each)) for each in zip(*points, strict=True))
    margin = 2 * _ON_PHONE.margin
    height: float = (high - low) / (right - left) * (HAND - 2 - margin) + margin
    return min(max(height, _PHONE_HEIGHTS[0]), _PHONE_HEIGHTS[1])


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Note]:
    """Return what stands beside the board: the points of the colours, the bag, and each seat's fist and prediction."""
    points = [Text("{colour} {points}", {"colour": NAMES[each], "points": n}) for each, n in view["points"].items()]
    lines = []
    if view["phase"] == PREDICT:
        lines.append(Note(text=Text("After a prediction the rest of your creatures goes back into the bag")))
    else:
        lines.append(Note(text=Text("Two-coloured disc: a free place, for either colour. Letter: a crossing")))
    lines.append(Note(text=Text("Points: {points}", {"points": all_of(points)})))
    lines.append(Note(text=Text("Number in a field: points for the colour with most creatures there")))
    lines.append(Note(text=_bag(view)))
    for number, (name, seat) in enumerate(zip(names, view["scores"], strict=True), 1):
        fist, named = view["fists"][seat], view["predictions"][seat]
        held = creatures_text(fist if isinstance(fist, int) else len(fist))
        about = {"who": name, "held": held, "colours": all_of([NAMES[colour] for colour in named or ()])}
        text = Text("{who}: {held}, predicts {colours}", about) if named else Text("{who}: {held}", about)
        lines.append(Note(text=text, seat=number, part=seat_part(number), sign=_sign(view, seat)))
    return lines


def _sign(view: Json, seat: str) -> str:
    """Return the sign of who is to move, or has won; empty for others."""
    return MOVES if seat == view["turn"] and view["phase"] != OVER else WON if seat in view["winners"] else ""


def _bag(view: Json) -> Text:
    """Return what is in the bag, and what is out of the game."""
    gone = view["gone"] if isinstance(view["gone"], int) else len(view["gone"])
    about = {"bag": view["bag"], "gone": gone}
    return Text("In the bag: {bag}, out of the game: {gone}", about) if gone else Text("In the bag: {bag}", about)


def last(rules: Rules[Any], view: Json, move: Move) -> Sequence[str]:
    """Return the spot on which a creature was placed; of a prediction, the seat."""
    return (move.args[1] if move.verb == "place" else seat_part(move.actor),)


_HAND_HEIGHT = SECRET + 26 + 84
"""The height of a hand from which a colour is predicted."""


def hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str:
    """Return an SVG document of a seat's fist, and in its turn of all that it might place or predict."""
    key, fist = seat_name(seat), view["fists"][seat_name(seat)]
    decides = view["turn"] == key and view["phase"] in (PLACE, PREDICT)
    held = [] if isinstance(fist, int) else list(fist)
    predicts = decides and view["phase"] == PREDICT
    top = SECRET + 26 * predicts
    picture = Svg(HAND, top + 84 * decides)
    yours = Text("You hold {count}:" if predicts or not decides else "You hold {count} of these:", {"count": len(held)})
    secret = secret_row(picture, yours, Text("your fist"))
    if not held:
        picture.text(10, SECRET / 2 + 5, str(_EMPTY_FIST), secret, size=LETTERS, fill=SOFT)
    for number, creature in enumerate(held):
        _draw_creature(picture, secret, 30 + number * 44.0, SECRET / 2 + 1, creature, 18)
    if predicts:
        picture.text(10, top - 9, str(Text("Predict a colour, for all to see:")), size=LETTERS)
    for number, colour in enumerate(COLOURS if decides else ()):
        x = 8 + number * 76.0
        group = picture.part(colour, NAMES[colour])
        picture.add("rect", group, x=x, y=top, width=70, height=76, rx=12, fill=PAPER, stroke=LINE, stroke_width=2)
        _draw_creature(picture, group, x + 35, top + 30, colour, 19)
        picture.text(x + 35, top + 70, str(NAMES[colour]), group, anchor="middle", size=LETTERS, fill=INK)
        if predicts:
            picture.text(x + 16, top + 24, "★", group, anchor="middle", size=22, fill=_STAR, font_weight="bold")
    return picture.dumps()


class _Places(NamedTuple):
    """Where the parts of a layout stand in the document."""

    labels: dict[str, float]
    """By crossing, the size of its name: small where crossings are close together."""

    scale: _Scale
    radius: float
    """Of a creature in a corner."""
    corners: dict[str, dict[str, Point]]
    """The middle of each corner, by field and crossing."""
    middles: dict[str, tuple[Point, float]]
    """By field, but for the outer one: a point far from its edges and corners, and how far."""


@lru_cache(maxsize=16)
def _places(layout: Layout, geometry: str, box: _Box, style: _Style) -> _Places:
    """Return where the parts of a layout stand: most of the time of a drawing, and the same for each.

    ``geometry``: the layout's own, as JSON, by which layouts differ that are equal otherwise.
    """
    drawing = plan_of(layout)
    assert drawing is not None
    scale = _fit([point for loop in drawing.loops.values() for point in loop.points], box, style.margin)
    apart = _nearest(list(drawing.crossings.values())) * scale.factor
    share, crossings = style.share, {name: scale.at(at) for name, at in drawing.crossings.items()}
    labels = {
        name: style.label
        if min((dist(at, other) for each, other in crossings.items() if each != name), default=inf)
        > _APART * style.label
        else _LEAST_LABEL
        for name, at in crossings.items()
    }
    out = min(27.0 * share, max(17.0 * share, apart * 0.36))  # from a crossing to the middle of its corners
    radius = style.creature * min(1.0, out / (24 * share))
    outs = {name: max(out, 0.75 * label + radius) for name, label in labels.items()}
    corners = _spots(drawing, scale, outs, radius, style.cord)
    middles = {}
    for name, _, _ in layout.fields:
        if name != layout.outer:
            around = [spot for centre in corners[name].values() for spot in _circle(centre, radius)]
            middles[name] = middle([scale.at(point) for point in drawing.outlines[name]], around)
    return _Places(labels, scale, radius, corners, middles)


def _draw_cords(picture: Svg, layout: Layout, drawing: Plan, view: Json, box: _Box, style: _Style) -> None:
    labels, scale, radius, spots, middles = _places(layout, json.dumps(layout.geometry), box, style)
    crossings, cord = dict(layout.crossings), style.cord
    _draw_fields(picture, layout, drawing, scale, view, box)
    for line, loop in drawing.loops.items():
        _draw_cord(picture, line, drawing.circles.get(line), loop.points, scale, cord)
    for line, loop in drawing.loops.items():
        _draw_knot(picture, *scale.at(loop.knot), line, style.share)
    for name, corners, knots in layout.fields:
        ring = min(radius * 1.15, _nearest(list(spots[name].values())) / 2)  # none covers another of its field
        for crossing in corners:
            demon = view["demons"].get(corner_name(name, crossing))
            group = _corner_part(picture, picture.root, name, crossing)
            x, y = spots[name][crossing]
            picture.reach(group, "circle", cx=x, cy=y, r=ring)
            if demon:
                _draw_demon(picture, group, x, y, demon, radius)
            elif name not in view["ghosts"]:
                _draw_free(picture, group, x, y, crossings[crossing], min(_FREE, 0.8 * ring))
        points = len(corners) + len(knots)
        if name == layout.outer:
            _draw_name(
                picture, picture.root, box[0] + 10, box[1] + 1.4 * style.letters, name, points, style.letters, "start"
            )
        else:
            at, room = middles[name]
            group = picture.part(name, _middle(name))
            left = min(dist(at, spot) for spot in spots[name].values()) - ring
            room = min(max(room - cord / 2, 12.0), left)
            picture.reach(group, "circle", cx=at[0], cy=at[1], r=room)
            _draw_middle(picture, group, at, room, name, points, name in view["ghosts"], style.letters)
    for crossing, at in drawing.crossings.items():
        _draw_label(picture, picture.root, *scale.at(at), crossing, labels[crossing])


def _field_part(picture: Svg, parent: Element, name: str) -> Element:
    return picture.part(field_part(name), field_text(name), parent)


def _corner_part(picture: Svg, parent: Element, field: str, crossing: str) -> Element:
    about = {"crossing": crossing, "field": field_text(field)}
    return picture.part(corner_name(field, crossing), Text("crossing {crossing} in {field}", about), parent)


def _spots(
    drawing: Plan, scale: _Scale, outs: Mapping[str, float], radius: float, cord: float
) -> dict[str, dict[str, Point]]:
    """Return the middle of each corner in the document, by field and crossing: farther from the crossing in a narrow
    one."""
    spots: dict[str, dict[str, Point]] = {}
    for name, corners in drawing.corners.items():
        spots[name] = {}
        for crossing, corner in corners.items():
            x, y = scale.at(drawing.crossings[crossing])
            narrow = max(sin(min(corner.width, pi) / 2), 0.1)
            out = outs[crossing]
            away = min(1.45 * out, max(out, (radius + cord / 2 + 1) / narrow))
            spots[name][crossing] = (x + away * cos(corner.direction), y - away * sin(corner.direction))
    return spots


def _circle(centre: Point, radius: float) -> list[Point]:
    return [(centre[0] + radius * cos(n * pi / 4), centre[1] + radius * sin(n * pi / 4)) for n in range(8)]


def _fit(points: Sequence[Point], box: _Box, margin: float) -> _Scale:
    """Return the scale that puts the points into the box, with a margin for knots and demons."""
    x, y, width, height = box
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, high = min(y for _, y in points), max(y for _, y in points)
    factor = min((width - 2 * margin) / (right - left), (height - 2 * margin) / (high - low))
    return _Scale(factor, x + width / 2 - factor * (left + right) / 2, y + height / 2 + factor * (low + high) / 2)


def _nearest(points: Sequence[Point]) -> float:
    return min((dist(a, b) for n, a in enumerate(points) for b in points[:n]), default=inf)


def _draw_fields(picture: Svg, layout: Layout, drawing: Plan, scale: _Scale, view: Json, box: _Box) -> None:
    """Each field tinted by its majority, and hatched where it is frozen."""
    hatch = picture.add("pattern", id="frozen", width=9, height=9, patternUnits="userSpaceOnUse")
    picture.add("path", hatch, d="M-2 11 L11 -2 M-2 2 L2 -2 M7 11 L11 7", stroke=_HATCH, stroke_width=2)
    x, y, width, height = box
    majority = view["majorities"][layout.outer]
    outer = {"x": x + 1, "y": y + 1, "width": width - 2, "height": height - 2, "rx": 13.0}
    group = _field_part(picture, picture.root, layout.outer)
    picture.add("rect", group, fill=_FILL[majority] if majority else PAPER, fill_opacity=0.22, **outer)
    for name, outline in drawing.outlines.items():
        if name == layout.outer:
            continue
        path = _path(map(scale.at, outline))
        majority = view["majorities"][name]
        group = _field_part(picture, picture.root, name)
        picture.add("path", group, d=path, fill=PAPER)
        if majority:
            picture.add("path", group, d=path, fill=_FILL[majority], opacity=0.26)
        if name in view["ghosts"]:
            picture.add("path", group, d=path, fill="url(#frozen)")


def _draw_middle(
    picture: Svg, parent: Element, at: Point, room: float, name: str, points: int, frozen: bool, letters: float
) -> None:
    """A field's name with its points, under its ghost if it has one, within the room around a place."""
    x, y = at
    if frozen:
        room = max(room, 12.0)
        _draw_ghost(picture, parent, x, y - 0.4 * min(room, 40), min(0.94 * letters, 0.42 * room))
        size = min(letters, 0.5 * room)
        where = picture.near(parent) if size < letters else picture.root
        _draw_name(picture, where, x, y + 0.3 * min(room, 40) + size * 0.8, name, points, size, "middle")
        return
    size = min(letters, max(0.59 * letters, 0.62 * room))
    fits = _name_width(name, points, size) / 2 <= room
    where = picture.near(parent) if not fits or size < letters else picture.root
    if fits:
        _draw_name(picture, where, x, y + size * 0.36, name, points, size, "middle")
    elif room < 1.2 * size:  # its points are the corners and knots around it
        _draw_name(picture, where, x, y + size * 0.36, name, None, size, "middle")
    else:  # one under the other
        _draw_name(picture, where, x, y, name, points, size, "middle", under=True)


def _name_width(name: str, points: int | None, size: float) -> float:
    """About as wide as a field's name is drawn with its points."""
    letters = 0.68 * len(short(spelled(name), 14))
    return size * (letters if points is None else letters + 0.3 + 0.64 * len(str(points)))


def _draw_name(
    picture: Svg,
    parent: Element,
    x: float,
    y: float,
    name: str,
    points: int | None,
    size: float,
    anchor: str,
    under: bool = False,
) -> None:
    """A field's name with its points beside or ``under`` it, legible on any ground. They are one text: a television
    enlarges it, and they stay apart."""
    halo: dict[str, float | str] = {
        "stroke": PAPER,
        "stroke_width": min(4.0, 0.25 * size),
        "stroke_linejoin": "round",
        "opacity": 0.8,
    }
    place: dict[str, float | str] = {"x": x, "dy": "0.9em"} if under else {"dx": "0.3em"}
    said: dict[str, float | str] = {"size": size, "anchor": anchor, "class_": "field-name", "font_weight": "bold"}
    for look in (said | halo, said):
        text = picture.text(x, y, short(spelled(name), 14), parent, **look)
        if points is not None:
            picture.add("tspan", text, fill=SOFT, font_weight="normal", **place).text = str(points)


def _path(points: Iterable[Point]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points) + " Z"


def _draw_cord(
    picture: Svg,
    line: str,
    circle: tuple[float, float, float] | None,
    points: Sequence[Point],
    scale: _Scale,
    cord: float,
) -> None:
    """A twisted cord."""
    strokes: tuple[dict[str, float | str], ...] = (
        {"stroke": _DARK[line], "stroke_width": cord + 2},
        {"stroke": _FILL[line], "stroke_width": cord},
        {
            "stroke": _DARK[line] if line == "yellow" else "#ffffff",
            "stroke_width": 1.6 if line == "yellow" else cord - 4,
            "stroke_dasharray": _TWIST[line],
            "stroke_linecap": "round" if line == "green" else "butt",
            "opacity": 0.75,
        },
    )
    for stroke in strokes:
        if circle:
            x, y = scale.at(circle[:2])
            picture.add("circle", cx=x, cy=y, r=circle[2] * scale.factor, fill="none", **stroke)
        else:
            picture.add("path", d=_path(map(scale.at, points)), fill="none", stroke_linejoin="round", **stroke)


def _draw_knot(picture: Svg, x: float, y: float, line: str, share: float) -> None:
    colours: dict[str, float | str] = {"fill": _FILL[line], "stroke": _DARK[line], "stroke_width": 2}
    for turn in (40, 140):
        size = {"rx": 12 * share, "ry": 5.5 * share}
        picture.add("ellipse", cx=x, cy=y, transform=f"rotate({turn} {x:.1f} {y:.1f})", **size, **colours)
    shape = picture.add("g", transform=f"translate({x:.1f} {y:.1f}) scale({0.62 * share:.3f})")
    picture.add("path", shape, d=_BODY[line], **{**colours, "stroke_width": 3.0})


def _draw_label(picture: Svg, parent: Element, x: float, y: float, name: str, size: float) -> None:
    """A crossing's name."""
    name = short(name, 8)
    high = 0.72 * size
    half = max(high, 0.34 * size * len(name) + 4)
    box = {"x": x - half, "y": y - high, "width": 2 * half, "height": 2 * high, "rx": high}
    picture.add("rect", parent, fill=PAPER, stroke=INK, stroke_width=1.2, **box)
    where = picture.near(parent) if size < _ON_PAPER.label else parent
    picture.text(x, y + 0.35 * size, name, where, anchor="middle", size=size, fill=INK, font_weight="bold")


def _draw_free(picture: Svg, parent: Element, x: float, y: float, lines: tuple[str, str], r: float) -> None:
    """A free corner, in the colours that may go there."""
    for line, sweep in zip(lines, (0, 1), strict=True):
        arc = f"M{x:.1f} {y - r:.1f} A{r} {r} 0 0 {sweep} {x:.1f} {y + r:.1f} Z"
        picture.add("path", parent, d=arc, fill=_FILL[line], stroke="#ffffff", stroke_width=0.8)


def _draw_demon(picture: Svg, parent: Element, x: float, y: float, colour: str, r: float) -> None:
    """A fat demon with two horns."""
    group = picture.add("g", parent, transform=f"translate({x:.1f} {y:.1f}) scale({r / 10:.3f})")
    dark = _DARK[colour]
    picture.add("ellipse", group, cx=0.8, cy=2, rx=10.5, ry=10, fill="#000000", opacity=0.22)
    for side in (-1, 1):
        horn = f"M{4 * side} -7 Q{5 * side} -13 {9.5 * side} -13 Q{10.5 * side} -8 {8 * side} -4 Z"
        picture.add("path", group, d=horn, fill=_HORN, stroke=dark, stroke_width=1.4)
    picture.add("path", group, d=_BODY[colour], fill=_FILL[colour], stroke=dark, stroke_width=1.6)
    for side in (-1, 1):
        picture.add("circle", group, cx=3.6 * side, cy=-2, r=2.7, fill="#ffffff")
        picture.add("circle", group, cx=3.2 * side, cy=-1.6, r=1.3, fill="#1b1b1b")
    picture.add("path", group, d="M-5 4 Q0 8.5 5 4", fill="none", stroke=dark, stroke_width=1.8, stroke_linecap="round")


def _draw_ghost(picture: Svg, parent: Element, x: float, y: float, r: float) -> None:
    group = picture.add("g", parent, transform=f"translate({x:.1f} {y:.1f}) scale({r / 10:.3f})")
    body = "M-9 10 V-1 A9 9 0 0 1 9 -1 V10 L6 7.5 L3 10 L0 7.5 L-3 10 L-6 7.5 Z"
    picture.add("path", group, d=body, fill="#ffffff", stroke="#5d6b80", stroke_width=1.6, stroke_linejoin="round")
    for side in (-1, 1):
        picture.add("ellipse", group, cx=3.2 * side, cy=-1.5, rx=1.7, ry=2.4, fill="#3d4757")


def _draw_creature(picture: Svg, parent: Element, x: float, y: float, colour: str, r: float) -> None:
    (_draw_ghost(picture, parent, x, y, r) if colour == WHITE else _draw_demon(picture, parent, x, y, colour, r))


# The seats, the bag and the points.


def _draw_seats(picture: Svg, view: Json, names: Sequence[str]) -> None:
    """Each seat with its fist and its prediction, then the bag and the points of the colours."""
    y = _BOX[1] + 20
    for name, seat in zip(names, view["scores"], strict=True):
        sign = _sign(view, seat)
        group = picture.part(seat_part(int(seat[1:])), Text("{name}", {"name": name}))
        picture.reach(group, "rect", x=_PANEL - 8, y=y - 24, width=_WIDTH - _PANEL, height=74, rx=12)
        shown, weight = (f"{sign} {name}", "bold") if sign else (name, "normal")
        picture.text(_PANEL, y, shown, group, size=18, fill=HOT if sign else INK, font_weight=weight)
        fist = view["fists"][seat]
        for number in range(fist) if isinstance(fist, int) else ():
            picture.add("circle", cx=_PANEL + 14 + 30 * number, cy=y + 26, r=11, fill="#cfc7b8", stroke="#a79e8d")
        for number, creature in enumerate(() if isinstance(fist, int) else fist):
            _draw_creature(picture, picture.root, _PANEL + 14 + 30 * number, y + 27, creature, _CREATURE)
        if not fist:
            picture.text(_PANEL + 2, y + 31, str(_EMPTY_FIST), size=14, fill=SOFT)
        named = view["predictions"][seat]
        if named:
            x = _PANEL + 124
            picture.text(x, y + 31, str(Text("predicts", context="seat")), size=14, fill=SOFT)
            for number, creature in enumerate(named):
                _draw_creature(picture, picture.root, x + 78 + 28 * number, y + 27, creature, _CREATURE)
        y += 84
    y = max(y, _BOX[1] + 360)
    picture.text(_PANEL, y, str(_bag(view)), size=16, fill=INK)
    picture.text(_PANEL, y + 40, str(Text("Points", context="heading")), size=16, fill=INK, font_weight="bold")
    for number, (colour, points) in enumerate(view["points"].items()):
        best = colour in view["leading"]
        at = y + 66 + 34 * number
        _draw_creature(picture, picture.root, _PANEL + 14, at, colour, _CREATURE)
        weight = "bold" if best else "normal"
        picture.text(_PANEL + 40, at + 6, str(NAMES[colour]), size=16, fill=INK, font_weight=weight)
        picture.text(_PANEL + 150, at + 6, str(points), anchor="end", size=16, fill=INK, font_weight=weight)


# Without a drawing.


_CARD, _CARD_COLUMNS = 224.0, 4


def _card_heights(layout: Layout) -> list[int]:
    return [54 + 40 * -(-len(corners) // _CARD_COLUMNS) for _, corners, _ in layout.fields]


def _draw_cards(picture: Svg, layout: Layout, view: Json, box: _Box) -> None:
    """The fields as cards, for a layout that does not say where its lines lie."""
    crossings = dict(layout.crossings)
    width, step, columns = _CARD, 54.0, _CARD_COLUMNS
    heights = _card_heights(layout)
    x, y, box_width, box_height = box
    stacks, scale = _stacks(heights, width, (box_width - 20, box_height - 20))
    group = picture.add("g", transform=f"translate({x + 10:.1f} {y + 10:.1f}) scale({scale:.3f})")
    for (name, corners, knots), height, (column_number, top) in zip(layout.fields, heights, stacks, strict=True):
        majority, frozen = view["majorities"][name], name in view["ghosts"]
        moved = picture.add("g", group, transform=f"translate({column_number * (width + 10):.1f} {top:.1f})")
        card = _field_part(picture, moved, name)
        edge: dict[str, float | str] = {"width": width, "height": float(height - 8), "rx": 8.0}
        picture.add("rect", card, fill=PAPER, stroke=_CARD_EDGE, stroke_width=1.2, **edge)
        if majority:
            picture.add("rect", card, fill=_FILL[majority], opacity=0.26, **edge)
        if name != layout.outer:
            centre = picture.part(name, _middle(name), card)
            picture.reach(centre, "rect", x=2, y=2, width=width - 4, height=28)
        picture.text(10, 22, short(spelled(name), 12), card, size=16, font_weight="bold", fill=INK)
        picture.text(width - 10, 22, str(len(corners) + len(knots)), card, size=15, anchor="end", fill=SOFT)
        if frozen:
            _draw_ghost(picture, card, width - 46, 17, 10)
        for number, line in enumerate(knots):
            picture.add("circle", card, cx=width - 72 - 15 * number, cy=17, r=6, fill=_FILL[line], stroke=_DARK[line])
        for number, crossing in enumerate(corners):
            at_x, at_y = 22 + step * (number % columns), 52.0 + 40 * (number // columns)
            demon = view["demons"].get(corner_name(name, crossing))
            corner = _corner_part(picture, card, name, crossing)
            picture.reach(corner, "rect", x=at_x - 12, y=at_y - 18, width=step - 2, height=36)
            _draw_label(picture, corner, at_x, at_y, crossing, _ON_PAPER.label)
            if demon:
                _draw_demon(picture, corner, at_x + 26, at_y, demon, _CREATURE)
            elif not frozen:
                _draw_free(picture, corner, at_x + 22, at_y, crossings[crossing], _FREE)


def _stacks(heights: Sequence[float], width: float, room: tuple[float, float]) -> tuple[list[tuple[int, float]], float]:
    """Column and height of each card, and the scale at which all fit into the room; as large as can be."""
    best: tuple[list[tuple[int, float]], float] = ([], 0.0)
    for columns in range(1, len(heights) + 1):
        limit = max(max(heights), sum(heights) / columns)
        stacks: list[tuple[int, float]] = []
        column_number, top, tallest = 0, 0.0, 0.0
        for height in heights:
            if top and top + height > limit * 1.15:
                column_number, top = column_number + 1, 0.0
            stacks.append((column_number, top))
            top += height
            tallest = max(tallest, top)
        scale = min(1.2, room[0] / ((column_number + 1) * (width + 10)), room[1] / tallest)
        if scale > best[1]:
            best = (stacks, scale)
    return best


_IN_THE_DARK = {
    **DARK,
    _FRAME: "#4a443b",
    _CARD_EDGE: "#6b645a",
    _FILL["red"]: "#e2604f",
    _FILL["blue"]: "#5f92ec",
    _FILL["green"]: "#45ac5c",
    _HATCH: "#56687e",
}
DRAWING = Drawing(text=text, spoken=spoken, svg=svg, beside=beside, hand=hand, last=last, dark=_IN_THE_DARK)
