"""Struggle: the track as a ring of coloured spaces, the places and the dice inside it, the seats in the corners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, cos, pi, sin
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from rich.text import Text as Styled

from tablier.games.core import Move, Rules, points_text, seat_name
from tablier.games.core.drawing import (
    CANVAS,
    DARK,
    FREE,
    GROUND,
    HAND,
    HOT,
    INK,
    LAST,
    LETTERS,
    LIT,
    MOVES,
    PAPER,
    SECRET,
    SOFT,
    WHO_BEGINS,
    WON,
    Canvas,
    Drawing,
    Note,
    Surface,
    Svg,
    button,
    column,
    seat_part,
    secret_row,
    short,
    won_with,
)
from tablier.games.struggle.lot import BEGIN
from tablier.games.struggle.rules import (
    ACE,
    BLACK,
    CHOOSE,
    DEAL,
    DICE,
    INITIALS,
    NAMES,
    NONE,
    OVER,
    PAWNS,
    PLACES,
    RED,
    SECRET_OBJECTIVE,
    THROWS,
    YELLOW,
    Struggle,
    faces_text,
    points,
)
from tablier.games.struggle.words import NOTHING, die_part
from tablier.texts import Json, Text, all_of, counted, spelled, word_list

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


_NAME = 16  # columns for a name
_UNDEALT = Text("no objective yet")
_WANTED = Text("the order you want")
_DIE = Text("die {face}")


def status(view: Json, names: Sequence[str]) -> Text:
    """Return what the game waits for, in one line."""
    if view["phase"] == BEGIN:
        if not view["turn"]:
            return Text("Lots are drawn for who begins")
        return WHO_BEGINS.of(who=names[int(view["turn"][1:]) - 1])
    throws, phase = view["throws"], view["phase"]
    about = {"who": names[int(view["turn"][1:]) - 1], "throw": throws, "most": THROWS}
    if phase == DEAL:
        return Text("The objectives are dealt")
    if phase == OVER:
        scores = _scores(view)
        winners = [name for name, score in zip(names, scores.values(), strict=True) if score == max(scores.values())]
        return won_with(winners, max(scores.values()))
    if phase == CHOOSE:
        keeps = Text("{who} keeps or plays (throw {throw} of {most})", about)
        return Text("{who} plays (throw {throw} of {most})", about) if throws == THROWS else keeps
    one, many = (
        "{who} throws {count} die (throw {throw} of {most})",
        "{who} throws {count} dice (throw {throw} of {most})",
    )
    return counted(DICE - len(view["hand"]), one, many, **{**about, "throw": throws + 1})


def _scores(view: Json) -> dict[str, int]:
    """Return the points of the seats whose objectives the view shows."""
    cards: dict[str, str | None] = view["objectives"]
    return {seat: points(card, view["places"]) for seat, card in cards.items() if card and card != "hidden"}


# -- terminal --------------------------------------------------------------------------------------------

_LONG_LINE = 18  # spaces in a line of a board that is too long for a ring
_NUMBERED = 8  # lines for such a board, beside what else is shown
_INSIDE = (30, 6)  # columns and lines within the ring, at least
_CELLS = range(8, 3, -1)  # columns of a space, the best first
_CELL = {YELLOW: "grey30 on yellow3", RED: "grey89 on red3", BLACK: "grey62 on grey15"}
_TAKEN = {YELLOW: "bold black on yellow3", RED: "bold white on red3", BLACK: "bold white on grey15"}
_SIGNS = {LAST: Text("played last"), FREE: Text("goes there, if it can")}
_HOME = Text("{first} to {last}: in the order of arrival", {"first": PLACES[0], "last": PLACES[-1]})
_LEGEND = {
    YELLOW: Text("{letter} yellow: stop if it is free"),
    RED: Text("{letter} red: swap with a pawn there"),
    BLACK: Text("{letter} black: nobody stops here"),
}


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal: the track as a ring, clockwise from its upper left, or in lines if it is long."""
    names = [short(name, _NAME) for name in names]
    board = cast(Struggle, rules).board
    picture = Styled(no_wrap=True)
    picture.append(f"{rules.shown_title()}  ", "bold")
    picture.append(short(str(status(view, names)), 66) + "\n")
    marks = _marks(rules, view, canvas)
    ring = _ring_of(len(board), canvas, len(names))
    if ring is None:
        for line in _track(board, view["pawns"], marks):
            picture.append_text(line).append("\n")
        picture.append_text(_start_line(board, view, marks)).append("    ")
        picture.append_text(_places_line(board, view, marks))
        if dice := _dice_line(view, marks):
            picture.append("    ").append_text(dice)
    else:
        picture.append_text(Styled("\n").join(_ring(board, view, marks, ring)))
    scores = _scores(view)
    for name, (seat, card) in zip(names, view["objectives"].items(), strict=True):
        turn = seat == view["turn"] and view["phase"] not in (DEAL, OVER)
        won = view["phase"] == OVER and scores[seat] == max(scores.values())
        mark = "▶" if turn else "★" if won else " "
        picture.append(f"\n{mark} {column(name, _NAME)} ", "bold" if turn or won else "")
        if card is None:
            picture.append(str(_UNDEALT), "dim")
        elif seat in scores:
            picture.append(f"{spelled(card):13} {points_text(scores[seat])!s:>9}")
        else:
            picture.append(str(SECRET_OBJECTIVE), "dim")
    return picture


def _marks(rules: Rules[Any], view: Json, canvas: Canvas) -> dict[str, str]:
    """Return the sign of each pawn, die and space that is marked: what the last move has changed, and what is lit."""
    marks = dict.fromkeys(last(rules, view, canvas.last) if canvas.last else (), LAST)
    for part in canvas.lit:
        pawn, _, steps = part.partition("+")
        if steps:
            marks[_pawn_part(pawn)] = LIT
            marks[f"space {view['pawns'][pawn] + int(steps)}"] = FREE
        else:
            marks[part] = LIT
    return marks


class _Ring(NamedTuple):
    """The size of a ring: spaces along its upper and lower edge, spaces between them, columns and lines of a space."""

    along: int
    between: int
    columns: int
    lines: int


def _ring_of(spaces: int, canvas: Canvas, seats: int) -> _Ring | None:
    """Return how a board is drawn as a ring on a canvas; ``None`` if it is too long."""
    room = canvas.lines - 1 - seats - 2  # without the title, the seats, and the numbers above and below
    for lines in (3, 2, 1):
        for columns in _CELLS:
            for between in range(-(-_INSIDE[1] // lines), room // lines - 1):
                along = -(-(spaces - 2 * between) // 2)
                wide = along * columns
                if wide <= canvas.columns and wide - 2 * (columns + 4) >= _INSIDE[0]:
                    return _Ring(along, between, columns, lines)
    return None


def _ring(board: str, view: Json, marks: Mapping[str, str], ring: _Ring) -> list[Styled]:
    """Return the lines of the ring, with places, dice, start and the colours explained inside it."""
    spaces = len(board)
    width = ring.along * ring.columns
    right, low = ring.along + ring.between, 2 * ring.along + ring.between
    upper = range(1, ring.along + 1)
    lower = [space if space <= spaces else 0 for space in range(low, right, -1)]
    inside = _inside_ring(board, view, marks, ring.between * ring.lines)
    lines = [_numbers(upper, ring), *_band(board, view, marks, upper, ring)]
    for row in range(ring.between):
        sides = (low + ring.between - row, ring.along + 1 + row)
        cells = [_band(board, view, marks, [space if space <= spaces else 0], ring) for space in sides]
        for line, (first, second) in enumerate(zip(*cells, strict=True)):
            numbered = line == ring.lines // 2
            texts = [f"{space if numbered and space <= spaces else '':>3}" for space in sides]
            middle = inside.pop(0) if inside else Styled()
            middle.truncate(width - 2 * (ring.columns + 4), pad=True)
            drawn = Styled.assemble(first, (f" {texts[0].strip():<3}", "dim"), middle, (f"{texts[1]} ", "dim"), second)
            lines.append(drawn)
    return [*lines, *_band(board, view, marks, lower, ring), _numbers(lower, ring)]


def _numbers(spaces: Sequence[int], ring: _Ring) -> Styled:
    return Styled("".join(f"{space or '':^{ring.columns}}" for space in spaces).rstrip(), "dim")


def _band(board: str, view: Json, marks: Mapping[str, str], spaces: Sequence[int], ring: _Ring) -> list[Styled]:
    """Return spaces beside each other, in their lines; space 0 is a gap."""
    standing = {at: pawn for pawn, at in view["pawns"].items()}
    lines = [Styled() for _ in range(ring.lines)]
    for space in spaces:
        for number, line in enumerate(lines):
            if not space:
                line.append(" " * ring.columns)
            else:
                shown = number == ring.lines // 2
                _draw_space(line, space if shown else 0, board[space - 1], standing.get(space), marks, ring.columns)
    return lines


def _draw_space(
    line: Styled, space: int, colour: str, pawn: str | None, marks: Mapping[str, str], columns: int
) -> None:
    """Draw a space as a cell; of space 0 only its colour. A pawn has the letter of the colour beside it, and brackets
    where they fit: 9 and 10 stand among the numbers of spaces."""
    shown = str(INITIALS[colour])[:1] if space else ""
    mark = marks.get(f"space {space}", "")
    if pawn and space:
        mark = mark or marks.get(_pawn_part(pawn), "")
        ways = [f"{mark}{name}{gap}{shown}" for name in (f"[{spelled(pawn)}]", spelled(pawn)) for gap in (" ", "")]
        shown = next((way for way in ways if len(way) <= columns), ways[-1])
    else:
        shown = mark + shown
    lit = pawn or mark
    line.append(f"{shown:^{columns}}", (_TAKEN if lit else _CELL)[colour])


def _inside_ring(board: str, view: Json, marks: Mapping[str, str], room: int) -> list[Styled]:
    """Return pawns at the start and on places, dice and the colours explained, in the middle of `room` lines."""
    legend = [
        Styled.assemble(f" {text.of(letter=INITIALS[colour])}", style="dim")
        for colour, text in _LEGEND.items()
        if colour in board
    ]
    lines = [_start_line(board, view, marks), _places_line(board, view, marks), _dice_line(view, marks) or Styled()]
    legend += [
        Styled.assemble(f" {sign} {text}", style="dim") for sign, text in _SIGNS.items() if sign in marks.values()
    ]
    if room > len(lines) + len(legend):
        legend.append(Styled.assemble(f" {_HOME}", style="dim"))
    lines = [Styled(" ") + line for line in lines]
    gap = 1 if room > len(lines) + len(legend) else 0
    if room > 2 * len(lines) + len(legend):
        lines = [each for line in lines for each in (line, Styled())][:-1]
    above = (room - len(lines) - gap - len(legend)) // 2
    return [*[Styled()] * above, *lines, *[Styled()] * gap, *legend]


def _start_line(board: str, view: Json, marks: Mapping[str, str]) -> Styled:
    line = Styled.assemble((f"{Text('start', context='track')} ", "dim"))
    start = [f"{marks.get(_pawn_part(pawn), '')}{spelled(pawn)}" for pawn, at in view["pawns"].items() if not at]
    return line.append(" ".join(start) or "–", "bold")


def _places_line(board: str, view: Json, marks: Mapping[str, str]) -> Styled:
    line = Styled.assemble((f"{Text('home', context='track')}", "dim"))
    for place, pawn in zip(PLACES, [*view["places"], *[""] * len(PLACES)], strict=False):
        line.append(f" {place} ", "dim").append(f"{marks.get(_pawn_part(pawn), '')}{spelled(pawn)}" or "·", "bold")
    return line


def _dice_line(view: Json, marks: Mapping[str, str]) -> Styled | None:
    """Return the dice of the hand, and those that are to be thrown."""
    if view["phase"] in (DEAL, OVER, BEGIN):
        return None
    line = Styled.assemble((f"{Text('dice', context='track')} ", "dim"))
    to_throw = [] if view["phase"] == CHOOSE else ["?"] * (DICE - len(view["hand"]))
    hand, seen = [], dict.fromkeys(view["hand"], -1)
    for face in view["hand"]:
        seen[face] += 1
        hand.append(marks.get(die_part(face), marks.get(_kept_part(face, seen[face]), "")) + spelled(face))
    return line.append(" ".join([*hand, *to_throw]), "bold")


def _track(board: str, pawns: dict[str, int], marks: Mapping[str, str]) -> list[Styled]:
    """Return the spaces in lines; of a board too long for the screen, the lines in which pawns stand."""
    standing = {at: pawn for pawn, at in pawns.items()}
    rows = range(0, len(board), _LONG_LINE)
    numbered = 2 * len(rows) <= _NUMBERED
    if len(rows) > _NUMBERED:
        rows_shown = [first for first in rows if any(first < at <= first + _LONG_LINE for at in standing)] or [0]
    else:
        rows_shown = list(rows)
    lines = []
    for first in rows_shown:
        spaces = range(first + 1, min(first + _LONG_LINE, len(board)) + 1)
        if numbered:
            lines.append(Styled("     " + "".join(f"{space:^4}" for space in spaces).rstrip(), "dim"))
        line = Styled("     ") if numbered else Styled(f"{first + 1:>4} ", "dim")
        for space in spaces:
            _draw_space(line, space, board[space - 1], standing.get(space), marks, 4)
        lines.append(line)
    return lines


# -- read aloud ----------------------------------------------------------------------------------------


_COLOUR_NAMES = {YELLOW: Text("yellow"), RED: Text("red"), BLACK: Text("black")}


def spoken(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Text]:
    """Return the board in sentences: pawns, places, dice, players, and the colours of the spaces last."""
    board = cast(Struggle, rules).board
    said = [Text("{status}.", {"status": status(view, names)})]
    for pawn, at in view["pawns"].items():
        if at and at <= len(board):
            about = {"pawn": faces_text([pawn]), "space": at, "colour": _COLOUR_NAMES[board[at - 1]]}
            said.append(Text("{pawn} stands on space {space}, which is {colour}.", about))
    start = [faces_text([pawn]) for pawn, at in view["pawns"].items() if not at]
    if start:
        said.append(Text("At the start: {pawns}.", {"pawns": all_of(start)}))
    for place, pawn in zip(PLACES, view["places"], strict=False):
        said.append(Text("Place {place}: {pawn}.", {"place": place, "pawn": faces_text([pawn])}))
    if view["hand"] and view["phase"] not in (DEAL, OVER):
        said.append(Text("The dice: {dice}.", {"dice": all_of([faces_text([face]) for face in view["hand"]])}))
    scores = _scores(view)
    for name, (seat, card) in zip(names, view["objectives"].items(), strict=True):
        if seat in scores:
            said.append(
                Text(
                    "{who}: {card}, {points}.",
                    {"who": name, "card": faces_text([card]), "points": points_text(scores[seat])},
                )
            )
        else:
            about = {"who": name, "objective": SECRET_OBJECTIVE if card else _UNDEALT}
            said.append(Text("{who}: {objective}.", about))
    for colour in (RED, BLACK):
        spaces = [space for space, each in enumerate(board, 1) if each == colour]
        if spaces:
            said.append(
                Text("Spaces that are {colour}: {spaces}.", {"colour": _COLOUR_NAMES[colour], "spaces": all_of(spaces)})
            )
    return said


# -- SVG -------------------------------------------------------------------------------------------------

_SPACE = 48.0  # along the ring, at least
_DEPTH = 62.0
_RING = 282.0  # radius of the middle of the ring, at least
_MARGIN = 46.0
_PHONE_DEPTH = 52.0
_START, _UNKNOWN, _PLACE, _PLACE_EDGE, _PALE = "#e4ded2", "#645d51", "#ece6da", "#c9c1b2", "#685f53"
_FILL = {YELLOW: "#f4c638", RED: "#d1413a", BLACK: "#2c2a2e"}
_NUMBER = {YELLOW: "#57450a", RED: "#ffffff", BLACK: "#d6d2db"}
_SIGN = {RED: "⇄", BLACK: "✕"}
"""What tells a space beside its colour: on red pawns change places, on black they stay."""
_MEANS = {RED: Text("{sign} pawns swap places"), BLACK: Text("{sign} nobody stops here")}
_PAWN = {"K": "#5a2d91", "Q": "#c01f7a", "J": "#1763b5", "10": "#1f7a3d", "9": "#0d7d85", "A": "#8a5a00"}


class _Frame(NamedTuple):
    """Where the ring lies in the document: its middle, the radius of its own middle, how deep it is, its slots."""

    centre: float
    ring: float
    depth: float
    slots: int
    letters: float
    pawn: float
    """The radius of one on the ring."""

    def spot(self, slot: float, radius: float) -> tuple[float, float]:
        """Return a point of the ring; slot 0 is the middle of the start, at the bottom, and slots run clockwise."""
        turn = pi / 2 + 2 * pi / self.slots * slot
        return self.centre + radius * cos(turn), self.centre + radius * sin(turn)

    @property
    def slot(self) -> float:
        """Return how long a slot is where numbers stand."""
        return 2 * pi * (self.ring - self.depth / 4) / self.slots


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document; on a phone the ring with dice and places in it alone."""
    names = [short(name, _NAME) for name in names]
    board = cast(Struggle, rules).board
    slots = len(board) + len(PAWNS)  # the start has a slot for each pawn
    if surface == Surface.PHONE:
        ring = (HAND - _PHONE_DEPTH) / 2 - 3
        pawn = min(13.5, pi * ring / slots)
        frame = _Frame(HAND / 2, ring, _PHONE_DEPTH, slots, LETTERS, pawn)
        picture = Svg(HAND, HAND)
        _draw_ring(picture, frame, board, view, small=True)
        inside = picture.add("g", transform=f"translate({frame.centre:g} {frame.centre:g})")
        _dice_and_places(picture, inside, view, _PHONE_ROWS)
        _explain(picture, inside, board)
        return picture.dumps()
    ring = max(_RING, _SPACE * slots / (2 * pi))
    size = 2 * (ring + _DEPTH / 2 + _MARGIN)
    frame = _Frame(size / 2, ring, _DEPTH, slots, 13.0, 18.0)
    picture = Svg(size, size)
    _draw_ring(picture, frame, board, view)
    scale = min(ring / _RING, 2)
    inside = picture.add("g", transform=f"translate({size / 2:.2f} {size / 2:.2f}) scale({scale:.3f})")
    _inside(picture, inside, view, names)
    _corners(picture, size, view, names)
    return picture.dumps()


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Note]:
    """Return what stands beside the board: the seats, and once they are shown their objectives with their points."""
    scores, lines = _scores(view), []
    if view["phase"] == CHOOSE:
        lines.append(
            Note(text=Text("A pawn goes 1 space for each die that shows it, and for each ace (A) you give it."))
        )
    for seat, name in enumerate(names, 1):
        key = seat_name(seat)
        card, text = view["objectives"][key], Text("{who}", {"who": name})
        if key in scores and card not in (None, "hidden"):
            text = Text(
                "{who}: {card}, {points}", {"who": name, "card": faces_text([card]), "points": points_text(scores[key])}
            )
        lines.append(Note(text=text, seat=seat, part=seat_part(seat), sign=_sign(view, seat)))
    return lines


def _sign(view: Json, seat: int) -> str:
    """Return the sign of who is to move, or has won; empty for others."""
    if view["phase"] == OVER:
        scores = _scores(view)
        return WON if scores[seat_name(seat)] == max(scores.values(), default=0) else ""
    return MOVES if seat_name(seat) == view["turn"] and view["phase"] != DEAL else ""


def _draw_ring(picture: Svg, frame: _Frame, board: str, view: Json, small: bool = False) -> None:
    """The spaces with their numbers, and the pawns. ``small``: signs stand where pawns do, not beside the numbers."""
    ring, depth, spot = frame.ring, frame.depth, frame.spot

    def sector(first: float, last: float, **attributes: str | float) -> None:
        inner, outer = ring - depth / 2, ring + depth / 2
        (ax, ay), (bx, by) = spot(first, outer), spot(last, outer)
        (cx, cy), (dx, dy) = spot(last, inner), spot(first, inner)
        path = (
            f"M{ax:.2f} {ay:.2f} A{outer:.2f} {outer:.2f} 0 0 1 {bx:.2f} {by:.2f} "
            f"L{cx:.2f} {cy:.2f} A{inner:.2f} {inner:.2f} 0 0 0 {dx:.2f} {dy:.2f} Z"
        )
        picture.add("path", d=path, stroke=GROUND, stroke_width=2.5, stroke_linejoin="round", **attributes)

    def written(word: str, colour: str, at: tuple[float, float]) -> None:
        size = frame.letters
        picture.text(at[0], at[1] + 0.35 * size, word, anchor="middle", size=size, fill=_NUMBER[colour])

    half = len(PAWNS) / 2
    sector(-half, half, fill=_START)
    inner, out = ring - depth / 2 + 0.85 * frame.letters, depth / 2 - frame.pawn - (1 if small else 3)
    step = ceil(1.4 * frame.letters / frame.slot) if small else 1
    for space, colour in enumerate(board, 1):
        sector(half + space - 1, half + space, fill=_FILL[colour])
        middle, sign = half + space - 0.5, _SIGN.get(colour, "")
        aside = 0.0 if small or not sign else 0.18
        if space % step == 0 or space == 1:
            written(str(space), colour, spot(middle - aside, inner))
        if sign:
            written(sign, colour, spot(middle, ring + out) if small else spot(middle + 0.22, inner))
    for name, at in view["pawns"].items():
        slot = half + at - 0.5 if at else half - 0.5 - PAWNS.index(name)
        x, y = spot(slot, ring + out if at else ring)
        _own_pawn(picture, picture.root, x, y, name, frame.pawn)
    away = -depth / 2 - frame.letters if small else depth / 2 + 18
    x, y = spot(0, ring + away)
    picture.text(x, y + 4, str(Text("◀ START")), anchor="middle", size=frame.letters, fill=SOFT)


def last(rules: Rules[Any], view: Json, move: Move) -> Sequence[str]:
    """Return the pawns that were moved, or the dice that were kept; else the seat that had nothing to play or keep."""
    if move.args == NONE:
        return (seat_part(move.actor),)
    if move.verb == "play":
        return [_pawn_part(step.partition("+")[0]) for step in move.args]
    return [_kept_part(face, move.args[:number].count(face)) for number, face in enumerate(move.args)]


def _pawn_part(name: str) -> str:
    return f"pawn {name}"


def _kept_part(face: str, nth: int) -> str:
    """Return the part that is a die in the middle of the board, one of those that show the same."""
    return f"{face} {nth + 1}"


def hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str:
    """Return an SVG document of a seat's objective and, in its turn, of its dice and of the steps that they give."""
    decides = view["phase"] == CHOOSE and view["turn"] == seat_name(seat)
    steps = [(pawn, count) for pawn, counts in _steps(view).items() for count in counts] if decides else []
    keeps = decides and view["throws"] < THROWS
    objective = view["objectives"][seat_name(seat)]
    shown = objective not in (None, "hidden")
    start = SECRET * shown
    top = start + 4.0 + _SAID * keeps
    low = top + (60 + (_SAID + 2) * bool(steps) if decides else 0)
    end = low + (_STEP * max(1, -(-len(steps) // _ACROSS)) if decides else 0)
    picture = Svg(HAND, end)
    if shown:
        secret = secret_row(picture, Text("Your secret order:"), _WANTED)
        for number, pawn in enumerate(objective.split("-")):
            _pawn(picture, secret, 28 + number * 42.0, SECRET / 2, pawn, 19)
    if keeps:
        picture.text(8, top - 9, str(Text("Keep dice, throw the others again:")), size=LETTERS)
    if steps:
        plays = Text("or move pawns and end your turn:") if keeps else Text("Move pawns and end your turn:")
        picture.text(8, low - 9, str(plays), size=LETTERS)
    for number, face in enumerate(view["hand"] if decides else ()):
        place = 8 + number * 63.0, top
        group = picture.part(die_part(face), _DIE.of(face=faces_text([face]))) if keeps else picture.add("g")
        _face(picture, group, *place, face, 58)
    if keeps:
        button(picture, " ".join(("keep", *NONE)), Text("none", context="dice"), (8 + DICE * 63.0, top, 58.0, 58.0))
    if decides and not steps:
        button(picture, "play none", NOTHING, (8.0, low, HAND - 16, 58.0))
    for number, (pawn, count) in enumerate(steps):
        x, y = 8 + number % _ACROSS * 63.0, low + number // _ACROSS * _STEP
        label = Text(
            "{pawn} by {steps}", {"pawn": NAMES[pawn], "steps": counted(count, "{count} step", "{count} steps")}
        )
        group = picture.part(f"{pawn}+{count}", label)
        edge: dict[str, float | str] = {"stroke": _PAWN[pawn], "stroke_width": 2}
        picture.add("rect", group, x=x, y=y, width=58, height=58, rx=10, fill=PAPER, **edge)
        text: dict[str, float | str] = {"anchor": "middle", "size": LETTERS, "fill": _PAWN[pawn], "font_weight": "bold"}
        _pawn(picture, group, x + 29, y + 18, pawn, 13.5)
        picture.text(x + 29, y + 50, str(Text("by {count}", {"count": count})), group, **text)
    return picture.dumps()


_ACROSS = 6
"""Steps in a row of a hand."""
_STEP = 61.0
"""The distance between rows of steps: two rows and the bar below, with a long move, fit on a phone."""
_SAID = 24.0
"""The height of a line that says what a row of a hand is for."""


def _steps(view: Json) -> dict[str, list[int]]:
    """Return by how many spaces each pawn can move with the hand: by its dice, and as many aces as it gets."""
    dice = [face for face in view["hand"] if face not in view["places"]]
    figures = [pawn for pawn in PAWNS if pawn in dice]
    aces = dice.count(ACE)
    least = aces if len(figures) == 1 else 0
    return {pawn: [dice.count(pawn) + more for more in range(least, aces + 1)] for pawn in figures}


def _inside(picture: Svg, group: Element, view: Json, names: Sequence[str]) -> None:
    """The title, whose turn it is, the dice, the places, and the order that a single seat looks for."""
    picture.text(0, -158, "STRUGGLE", group, anchor="middle", size=24, font_weight="bold", letter_spacing="5")
    picture.text(0, -126, short(str(status(view, names)), 40), group, anchor="middle", size=16, fill=INK)
    _dice_and_places(picture, group, view, _ROWS)
    cards = [card for card in view["objectives"].values() if card not in (None, "hidden")]
    if len(cards) == 1 and view["phase"] != OVER:
        picture.text(0, 82, str(_WANTED), group, anchor="middle", size=13, fill=SOFT)
        for number, pawn in enumerate(cards[0].split("-")):
            x, there = (number - 2) * 68, view["places"][number : number + 1]
            _pawn(picture, group, x, 108, pawn, 16)
            if there:
                mark, colour = ("✓", "#1f7a3d") if there == [pawn] else ("✗", "#d1413a")
                picture.text(x, 145, mark, group, anchor="middle", size=18, fill=colour)


class _Rows(NamedTuple):
    """The dice and the places in the middle of the ring: how large each is, how far apart, and how low."""

    die: float
    die_step: float
    die_y: float
    place: float
    place_step: float
    place_y: float
    pawn: float
    letters: float


_ROWS = _Rows(50.0, 62.0, -102.0, 58.0, 68.0, -12.0, 22.0, 22.0)
_PHONE_ROWS = _Rows(41.0, 44.0, -86.0, 50.0, 53.0, -26.0, 20.0, 19.0)
_RANKS = word_list("1st", "2nd", "3rd", "4th", "5th", context="arrival")
"""The words on the places A to E while they are free; an A would be taken for the ace of the dice."""


def _dice_and_places(picture: Svg, group: Element, view: Json, rows: _Rows) -> None:
    for number in range(DICE) if view["phase"] not in (DEAL, OVER) else ():
        x, face = (number - DICE / 2) * rows.die_step + (rows.die_step - rows.die) / 2, None
        if number < len(view["hand"]):
            face = view["hand"][number]
        if face is None:
            _die(picture, group, x, rows.die_y, face, rows.die)
            continue
        name = _kept_part(face, view["hand"][:number].count(face))
        die = picture.part(name, _DIE.of(face=faces_text([face])), picture.thing(die_part(face), group))
        reach, edge = rows.die + 10, {"x": x - 5, "y": rows.die_y - 5, "rx": 12.0}
        picture.reach(die, "rect", width=reach, height=reach, **edge)
        _die(picture, die, x, rows.die_y, face, rows.die)
    for number in range(len(PLACES)):
        x, y = (number - 2) * rows.place_step, rows.place_y
        box = {"x": x - rows.place / 2, "y": y, "width": rows.place, "height": rows.place, "rx": 10.0}
        picture.add("rect", group, fill=_PLACE, stroke=_PLACE_EDGE, **box)
        middle = y + rows.place / 2
        if number < len(view["places"]):
            _own_pawn(picture, group, x, middle, view["places"][number], rows.pawn)
        else:
            low = middle + 0.35 * rows.letters
            rank = str(_RANKS[number])
            picture.text(x, low, rank, group, anchor="middle", size=rows.letters, fill=_PALE, font_weight="bold")


def _explain(picture: Svg, group: Element, board: str) -> None:
    """Explain the boxes and the signs on the spaces, below the places."""
    lines = [Text("the order of arrival")]
    lines += [text.of(sign=_SIGN[colour]) for colour, text in _MEANS.items() if colour in board]
    for number, line in enumerate(lines):
        picture.text(0, 48 + 1.25 * LETTERS * number, str(line), group, anchor="middle", size=LETTERS, fill=SOFT)


def _corners(picture: Svg, size: float, view: Json, names: Sequence[str]) -> None:
    """The seats, clockwise from the upper left: name, objective if it is shown, points."""
    scores = _scores(view)
    for seat, name in enumerate(names, 1):
        right, low = seat in (2, 3), seat in (3, 4)
        edge, side = (size - 18, -1) if right else (18, 1)
        top = size - 62 if low else 18
        card = view["objectives"][seat_name(seat)]
        sign = _sign(view, seat)
        shown, weight, colour = (f"{sign} {name}", "bold", HOT) if sign else (name, "normal", INK)
        anchor = "end" if right else "start"
        group = picture.part(seat_part(seat), Text("{name}", {"name": name}))
        picture.reach(group, "rect", x=edge - 8 - 164 * right, y=top - 8, width=180, height=62, rx=12)
        picture.text(edge, top + 14, shown, group, anchor=anchor, size=17, fill=colour, font_weight=weight)
        if card is None:
            continue
        pawns = ["?"] * len(PAWNS) if card == "hidden" else card.split("-")
        for number, pawn in enumerate(reversed(pawns) if right else pawns):
            _pawn(picture, picture.root, edge + side * (11 + number * 25), top + 34, pawn, 11)
        if seat_name(seat) in scores:
            x = edge + side * (len(PAWNS) * 25 + 6)
            picture.text(
                x,
                top + 39,
                str(points_text(scores[seat_name(seat)])),
                anchor=anchor,
                size=14,
                fill=INK,
                font_weight="bold",
            )


def _own_pawn(picture: Svg, parent: Element, x: float, y: float, name: str, radius: float) -> None:
    """One of the five pawns of the game."""
    group = picture.part(_pawn_part(name), NAMES[name], picture.thing(_pawn_part(name), parent))
    picture.reach(group, "circle", cx=x, cy=y, r=radius + 6)
    _pawn(picture, group, x, y, name, radius)


def _pawn(picture: Svg, parent: Element, x: float, y: float, name: str, radius: float) -> None:
    """A pawn seen from above; a ``?`` is one that is not known."""
    fill, ink = (_PAWN[name], "#ffffff") if name in _PAWN else (_START, _UNKNOWN)
    group = picture.add("g", parent)
    picture.add("circle", group, cx=x, cy=y + radius / 12, r=radius + 1, fill="#000000", opacity=0.18)
    picture.add("circle", group, cx=x, cy=y, r=radius, fill=fill, stroke="#ffffff", stroke_width=radius / 8)
    size = max(radius * (0.95 if len(name) > 1 else 1.15), min(LETTERS, 1.34 * radius))
    picture.text(x, y + size * 0.36, spelled(name), group, anchor="middle", size=size, fill=ink, font_weight="bold")


def _die(picture: Svg, parent: Element, x: float, y: float, face: str | None, width: float = 50.0) -> None:
    """A poker die; without a face it is still to be thrown."""
    group = picture.add("g", parent)
    edge = {"width": width, "height": width, "rx": 0.18 * width}
    if face is None:
        picture.add("rect", group, x=x, y=y, fill="none", stroke=_PALE, stroke_width=2, stroke_dasharray="5 4", **edge)
        return
    picture.add("rect", group, x=x + 1, y=y + 3, fill="#000000", opacity=0.15, **edge)
    _face(picture, group, x, y, face, width)


def _face(picture: Svg, group: Element, x: float, y: float, face: str, width: float) -> None:
    """The face of a die: what shows that it can be touched, or was, where that is a part."""
    edge = {"width": width, "height": width, "rx": 0.18 * width}
    picture.add("rect", group, x=x, y=y, fill=PAPER, stroke="#8d8577", stroke_width=1.5, **edge)
    text: dict[str, float | str] = {
        "anchor": "middle",
        "size": 0.56 * width,
        "fill": _PAWN[face],
        "font_weight": "bold",
    }
    picture.text(x + width / 2, y + 0.7 * width, spelled(face), group, **text)


_IN_THE_DARK = {"K": "#c9a9f0", "Q": "#ff8fc4", "J": "#7db8f5", "10": "#7fcf97", "9": "#5fd0d8", "A": "#e8b75a"}
_DARK = {
    **DARK,
    _START: "#463f35",
    _UNKNOWN: "#d6cec1",
    _PLACE: "#332d25",
    _PLACE_EDGE: "#5f574b",
    _PALE: "#a79f91",
    _FILL[BLACK]: "#060506",
    f"text {_FILL[RED]}": "#ff9b90",
    **{f"{what} {_PAWN[pawn]}": colour for pawn, colour in _IN_THE_DARK.items() for what in ("text", "edge")},
}
DRAWING = Drawing(text=text, spoken=spoken, svg=svg, beside=beside, hand=hand, last=last, dark=_DARK)
