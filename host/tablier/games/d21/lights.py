"""The lights of D.21. The ring names a space by its column, on two sides, and its row, on the two others.

The eight pixels of a side stand for the inner columns or rows of a board of ten spaces; on a larger or smaller board
each stands for some of them, or lies between them. An outer column or row is the pixel at the end, which blinks. The
board lies with row 1 towards red's place.

=============================== =====================================================================================
a die, while it is picked       steady, warm
a direction                     besides, two neighbouring pixels in azure in that direction, swelling
where a die would come to lie   azure, swelling; the die itself dim
the last move                   the die walks from space to space; then where it lies, dim lavender, until the next
                                die is picked
a row of six                    the columns and rows of its spaces, magenta, swelling
two sets                        twice six pixels, in front of the winner and opposite, magenta, swelling
a draw                          the corners, lavender
=============================== =====================================================================================
"""

from __future__ import annotations

from tablier.games.core import Move
from tablier.games.core.lights import RING, SIDE, Lights, Look, Pixel, dark, quarter, turned
from tablier.games.d21.rules import D21, PASS
from tablier.texts import Json
from tablier_fw import colours, wire

FROM = (colours.WARM, 120)
FROM_DIM = (colours.WARM, 30)
TO = (colours.AZURE, 200)
WAY: Pixel = (colours.AZURE, 200, wire.PULSE)
LAST = (colours.LAVENDER, 40)
GOAL = (colours.MAGENTA, 160)
DRAW: Pixel = (colours.LAVENDER, 90, wire.STEADY)
_SIX = range(2 * SIDE + 1, 3 * SIDE - 1)
"""The pixels of a set, on the south side."""


def ring(look: Look) -> list[Pixel]:
    """Return what is picked; else the goal that was reached; else the last move."""
    pixels, hint, view = dark(), look.hint, look.view
    if "to" in hint:
        _cross(pixels, look, hint["from"], FROM_DIM)
        _cross(pixels, look, hint["to"], TO, wire.PULSE)
    elif "from" in hint:
        _cross(pixels, look, hint["from"], FROM)
        if "way" not in hint:
            _last(pixels, look)
        else:
            for pixel in (SIDE * hint["way"] // 2 + 3, SIDE * hint["way"] // 2 + 4):
                pixels[turned(pixel % RING, _turn(look))] = WAY
    elif view["ending"] == "row":
        for space in view["row"]:
            _cross(pixels, look, space, GOAL, wire.PULSE)
    elif view["ending"] == "sets":
        for pixel in _SIX:
            front = turned(pixel, quarter(look.places[look.winners[0] - 1] or 1))
            pixels[front] = pixels[turned(front, 2)] = (*GOAL, wire.PULSE)
    elif view["ending"]:
        for corner in range(0, RING, SIDE):
            pixels[corner] = pixels[corner - 1] = DRAW
    else:
        _last(pixels, look)
    return pixels


def _last(pixels: list[Pixel], look: Look) -> None:
    if look.moves and PASS not in look.moves[-1]:
        _cross(pixels, look, look.moves[-1].rpartition("-")[2], LAST)


def walk(look: Look, move: Move, view: Json) -> list[list[Pixel]]:
    """Return the pictures of the die on its way from space to space."""
    rules = look.rules
    assert isinstance(rules, D21)
    if move.verb == PASS:
        return []
    path = rules.grid.paths[move.verb]
    way = [path.origin, *_between(rules, path.origin, path.target), path.target]
    rings = []
    for space in way:
        pixels = dark()
        _cross(pixels, look, rules.grid.names[space], FROM)
        rings.append(pixels)
    return rings


def _between(rules: D21, origin: int, target: int) -> list[int]:
    for ray in rules.grid.rays[origin]:
        if target in ray:
            return list(ray[: ray.index(target)])
    raise AssertionError("a move is a straight line")


def _turn(look: Look) -> int:
    """Return how far the board is turned: row 1 lies towards red's place."""
    return quarter(look.places[0] or 1)


def _cross(pixels: list[Pixel], look: Look, space: str, light: tuple[int, int], effect: int = wire.STEADY) -> None:
    """Light the column and the row of a space."""
    rules = look.rules
    assert isinstance(rules, D21)
    row, column = divmod(rules.grid.index[space], rules.grid.size)
    for at, first, step in (
        (column, 0, 1),
        (column, 3 * SIDE - 1, -1),
        (row, 2 * SIDE - 1, -1),
        (row, 3 * SIDE, 1),
    ):
        along, outer = _scaled(at, rules.grid.size)
        where = turned(first + step * along, _turn(look))
        if pixels[where][1] < light[1]:
            pixels[where] = (*light, wire.BLINK if outer else effect)


def _scaled(number: int, size: int) -> tuple[int, bool]:
    """Return the pixel of a side for a column or row, and whether that is an outer one."""
    if number in (0, size - 1):
        return 0 if number == 0 else SIDE - 1, True
    return (number - 1) * SIDE // (size - 2), False


LIGHTS = Lights(ring=ring, walk=walk)
