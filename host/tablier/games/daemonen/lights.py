"""The lights of Dicke Dämonen. The ring tells how the colours stand; while a place is picked, and when a creature is
placed, it points: a column of lights on the north and south sides and a row on the two others meet there.

Each colour has an arc of six pixels, clockwise from the north-west: white, red, blue, green, yellow.

=============================== =====================================================================================
the points                      bright pixels of each arc, the others faint; a pixel stands for one point, or for two or
                                three where the foremost colour has more than six or twelve, a dimmer one for a part
the colours that are foremost   swell
a field, while it is picked     its middle, white, swelling; the outer field: the corners of the ring
a spot, while it is picked      its crossing, the column in the colour of one line and the row in that of the other,
                                swelling; in the middle of a field as above, and brighter
a creature is placed            its spot flashes in its colour
a prediction                    the whole ring flashes in its colour
the end                         field after field, in the colour that takes it, white blinking where none does; the arcs
                                grow from nothing
public pixels                   whose turn it is; of the others, who has predicted: that colour, as a light that runs
                                from place to place: white is not taken for "you are asked", nor green for "taken"
hoods                           the fist
=============================== =====================================================================================

Of a layout without a drawing the ring shows no places; the screen names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from tablier.games.core import Move, seat_name
from tablier.games.core.lights import DARK, HOOD, RING, SIDE, Lights, Look, Pixel, dark
from tablier.games.core.lights import public as seats
from tablier.games.daemonen.colours import COLOURS, WHITE
from tablier.games.daemonen.layout import Layout
from tablier.games.daemonen.planar import Point, middle, plan_of
from tablier.games.daemonen.rules import Daemonen
from tablier.texts import Json
from tablier_fw import colours, wire

DRAWN = bytes((colours.WHITE, colours.RED, colours.AZURE, colours.JADE, colours.YELLOW))
"""Of the palette: the creatures' colours in their canonical order."""
NOTHING = colours.MAGENTA
"""Of the palette: back, and none."""
ARCS = (0, 6, 13, 19, 26)
"""The first pixel of each colour's arc."""
ARC = 6
FAINT, PART, POINT = 6, 40, 130
SPOT, MIDDLE = 200, 110
PREDICTED = 200
NOBODY: Pixel = (colours.WHITE, 60, wire.BLINK)
_FLASHES = 2
_COUNTED, _ADDED = 4, 2
"""For how many rings the count shows a field, and the points with it."""

_COLOUR = dict(zip(COLOURS, DRAWN, strict=True))


def ring(look: Look) -> list[Pixel]:
    """Return what is picked, else how the colours stand."""
    if "spot" in look.hint:
        return _spot(look, look.hint["spot"])
    if "field" in look.hint:
        pixels = dark()
        _point(pixels, look, look.hint["field"], *[(colours.WHITE, MIDDLE, wire.PULSE)] * 2)
        return pixels
    return _standing(look.view["points"], look.view["leading"])


def _standing(points: Mapping[str, int], leading: tuple[str, ...] | list[str] = (), most: int = 0) -> list[Pixel]:
    """Show points. ``most``: the most that there will be, where they are counted."""
    pixels = dark()
    each = max(1, -(-max(most, *points.values()) // ARC))
    for colour, first in zip(COLOURS, ARCS, strict=True):
        effect = wire.PULSE if colour in leading and points[colour] else wire.STEADY
        whole, part = divmod(points[colour], each)
        for number in range(ARC):
            level = POINT if number < whole else PART if number == whole and part else FAINT
            pixels[first + number] = (_COLOUR[colour], level, wire.STEADY if level == FAINT else effect)
    return pixels


def _spot(look: Look, spot: str) -> list[Pixel]:
    rules, pixels = _rules(look), dark()
    if spot in rules.board.corners:
        lines = rules.board.crossings[rules.board.corners[spot][1]]
        column, row = (_COLOUR[line] for line in lines)
        _point(pixels, look, spot, (column, SPOT, wire.PULSE), (row, SPOT, wire.PULSE))
    else:
        _point(pixels, look, spot, *[(colours.WHITE, SPOT, wire.PULSE)] * 2)
    return pixels


def walk(look: Look, move: Move, before: Json) -> list[list[Pixel]]:
    """Flash a creature or a prediction; when the game is over, count."""
    rings: list[list[Pixel]] = []
    if move.verb == "place":
        light: Pixel = (_COLOUR[move.args[0]], SPOT, wire.STEADY)
        flash = dark()
        _point(flash, look, move.args[1], light, light)
        rings = [flash, flash, _standing(before["points"], before["leading"])] * _FLASHES
    elif move.verb == "predict":
        rings = [[(_COLOUR[colour], SPOT, wire.STEADY)] * RING for colour in move.args for _ in range(3)]
    return [*rings, *_count(look)] if look.over else rings


def _count(look: Look) -> Iterator[list[Pixel]]:
    """Show field after field with what it brings, then the ghosts."""
    view, points = look.view, dict.fromkeys(COLOURS, 0)
    most = max(view["points"].values())
    for field in _rules(look).board.fields:
        winner = view["majorities"][field.name]
        light: Pixel = NOBODY if winner is None else (_COLOUR[winner], SPOT, wire.STEADY)
        pixels = dark()
        _point(pixels, look, field.name, light, light)
        yield from [pixels] * _COUNTED
        if winner is not None:
            points[winner] += field.points
            yield from [_standing(points, most=most)] * _ADDED
    for ghosts in range(view["points"][WHITE]):
        yield _standing({**points, WHITE: ghosts + 1}, most=most)


def public(look: Look) -> list[Pixel]:
    """Show who has predicted what, whose turn it is, and in the end who has won."""
    pixels = seats(look)
    for seat, place in enumerate(look.places, 1):
        named = look.view["predictions"][seat_name(seat)]
        turn = look.view["turn"] == seat_name(seat) and not look.over
        if place and named and seat not in look.winners and not turn:
            pixels[place - 1] = (_COLOUR[named[0]], PREDICTED, wire.CHASE)
    return pixels


def hood(look: Look, seat: int, view: Json) -> list[Pixel]:
    """Show the fist, a pixel for each creature."""
    held = view["fists"][seat_name(seat)]
    fist: list[Pixel] = [(_COLOUR[colour], colours.OPTION_LEVEL, wire.STEADY) for colour in held]
    return fist + [DARK] * (HOOD - len(fist))


# -- where on the ring ----------------------------------------------------------------------------------------------


def _rules(look: Look) -> Daemonen:
    assert isinstance(look.rules, Daemonen)
    return look.rules


def _point(pixels: list[Pixel], look: Look, spot: str, column: Pixel, row: Pixel) -> None:
    """Point at a field or a corner, on two sides with ``column``, on the two others with ``row``."""
    layout = _rules(look).layout
    if spot == layout.outer:
        for corner in range(0, RING, SIDE):
            pixels[corner], pixels[corner - 1] = column, row
        return
    at = _places(layout, repr(layout.geometry)).get(spot)
    if at is None:
        return
    across, up = at
    for pixel in (across, 3 * SIDE - 1 - across):
        pixels[pixel] = column
    for pixel in (3 * SIDE + up, 2 * SIDE - 1 - up):
        pixels[pixel] = row


@lru_cache(maxsize=16)
def _places(layout: Layout, geometry: str) -> dict[str, tuple[int, int]]:
    """Return the column and the row, from the south-west, of each spot of a layout; empty without a drawing."""
    drawing = plan_of(layout)
    if drawing is None:
        return {}
    points = [point for loop in drawing.loops.values() for point in loop.points]
    least = [min(point[axis] for point in points) for axis in (0, 1)]
    size = max(max(point[axis] for point in points) - least[axis] for axis in (0, 1))

    def place(at: Point) -> tuple[int, int]:
        across, up = (min(SIDE - 1, max(0, int((at[axis] - least[axis]) / size * SIDE))) for axis in (0, 1))
        return across, up

    places = {name: place(middle(outline)[0]) for name, outline in drawing.outlines.items() if name != layout.outer}
    for name, corners in drawing.corners.items():
        places |= {f"{name}:{crossing}": place(drawing.crossings[crossing]) for crossing in corners}
    return places


LIGHTS = Lights(ring=ring, public=public, hood=hood, walk=walk, drawn=DRAWN)
