"""The lights of Struggle. The ring is the track: space 1 is its first pixel, in the north-west, and then clockwise.

A shorter board leaves the last pixels dark. Of a longer one the ring shows 32 spaces around the pawn that moves, else
around the foremost; the screen shows all of it.

=============================== =====================================================================================
pawns, dice, objectives         one colour a figure: K red, Q azure, J yellow, 10 green, 9 magenta; an ace is white
spaces                          faint: yellow warm, red red; black is dark
a move, before it is confirmed  the pawn swells where it would stand, and so does one that it sends back; if it cannot
                                stop, it blinks where it stands, and the space in white
a move that is made             the pawn walks; a space where it cannot stop flashes white, and it is back where it was
an arrival                      the whole ring flashes in the pawn's colour
the lot                         the ring in front of the player who begins, yellow
the end                         the places, clockwise: one pixel for the pawn on A, two on B, up to five on E
hoods                           the objective, first to arrive first; what has arrived elsewhere is dim
=============================== =====================================================================================
"""

from __future__ import annotations

from tablier.games.core import Move, seat_name
from tablier.games.core.lights import DARK, HOOD, RING, Lights, Look, Pixel, before, dark
from tablier.games.struggle.rules import PAWNS, RED, YELLOW, Struggle
from tablier.texts import Json
from tablier_fw import colours, wire

PAWN_LEVEL = 200
MISSED_LEVEL = 24
SPACES: dict[str, Pixel] = {YELLOW: (colours.WARM, 8, wire.STEADY), RED: (colours.RED, 12, wire.STEADY)}
NO_STOP: Pixel = (colours.WHITE, 160, wire.BLINK)
FLASH: Pixel = (colours.WHITE, 255, wire.STEADY)
_GAP = 3  # dark pixels between two places, in the end
_FLASHES = 2
_DRAWN: Pixel = (colours.YELLOW, 120, wire.STEADY)
_LOT = 12
"""For how many rings it is shown on whom the lot has fallen."""


def _colour(pawn: str) -> int:
    return colours.FACES[PAWNS.index(pawn)]


def _rules(look: Look) -> Struggle:
    assert isinstance(look.rules, Struggle)
    return look.rules


def _first(rules: Struggle, pawns: dict[str, int], focus: int | None) -> int:
    """Return the space that the first pixel shows."""
    on_track = [at for at in pawns.values() if at <= rules.length]
    focus = max(on_track, default=0) if focus is None else min(focus, rules.length)
    return max(1, min(focus - RING // 2, rules.length - RING + 1))


def _track(rules: Struggle, pawns: dict[str, int], focus: int | None = None) -> tuple[list[Pixel], int]:
    """Return the ring with the spaces and the pawns, and the space that its first pixel shows."""
    first, pixels = _first(rules, pawns, focus), dark()
    for number in range(RING):
        if first + number <= rules.length:
            pixels[number] = SPACES.get(rules.board[first + number - 1], DARK)
    for pawn, at in pawns.items():
        _put(pixels, first, rules, at, (_colour(pawn), PAWN_LEVEL, wire.STEADY))
    return pixels, first


def _put(pixels: list[Pixel], first: int, rules: Struggle, at: int, pixel: Pixel) -> None:
    if first <= at <= rules.length and at < first + RING:
        pixels[at - first] = pixel


def ring(look: Look) -> list[Pixel]:
    """Return the track; in the end the order of arrival."""
    rules, view, hint = look.rules, look.view, look.hint
    if not isinstance(rules, Struggle):  # the lot is drawn
        return dark()
    if look.over:
        pixels, at = dark(), 0
        for place, pawn in enumerate(view["places"], 1):
            pixels[at : at + place] = [(_colour(pawn), PAWN_LEVEL, wire.STEADY)] * place
            at += place + _GAP
        return pixels
    if "pawn" not in hint:
        return _track(rules, view["pawns"])[0]
    pawns, mover = hint["pawns"], hint["pawn"]
    pixels, first = _track(rules, pawns, min(hint["target"], rules.length))
    if pawns[mover] == hint["from"]:
        _put(pixels, first, rules, hint["target"], NO_STOP)
        _put(pixels, first, rules, pawns[mover], (_colour(mover), PAWN_LEVEL, wire.BLINK))
        return pixels
    _put(pixels, first, rules, hint["from"], SPACES[YELLOW])
    for pawn, at in pawns.items():
        if pawn == mover or at == hint["from"] > 0:
            _put(pixels, first, rules, at, (_colour(pawn), PAWN_LEVEL, wire.PULSE))
    if pawns[mover] > rules.length:
        _put(pixels, first, rules, rules.length, (_colour(mover), PAWN_LEVEL, wire.PULSE))
    return pixels


def walk(look: Look, move: Move, then: Json) -> list[list[Pixel]]:
    """Pawn after pawn, space after space; and on whom the lot has fallen."""
    if move.verb == "lot":
        return [_in_front(look, move.args[0])] * _LOT
    if move.verb != "play" or move.args == ("none",):
        return []
    rules, rings = _rules(look), []
    places = {pawn: rules.length + place for place, pawn in enumerate(then["places"], 1)}
    pawns = [{**then["pawns"], **places}[pawn] for pawn in PAWNS]
    was = list(pawns)
    for pawn, steps, _ in rules.carry_out(pawns, move.args):
        mover, origin = PAWNS[pawn], was[pawn]
        passing = dict(zip(PAWNS, was, strict=True))
        for at in range(origin + 1, min(origin + steps, rules.length) + 1):
            rings.append(_passing(rules, passing, mover, at))
        if pawns[pawn] == origin:
            flash = _passing(rules, passing, mover, origin + steps)
            _put(flash, _first(rules, passing, origin + steps), rules, origin + steps, FLASH)
            rings += [flash, _passing(rules, passing, mover, origin)] * _FLASHES
        elif pawns[pawn] > rules.length:
            rings += [[(_colour(mover), PAWN_LEVEL, wire.STEADY)] * RING, dark()] * _FLASHES
        else:
            now = dict(zip(PAWNS, pawns, strict=True))
            rings.append(_track(rules, now, pawns[pawn])[0])
        was = list(pawns)
    return rings


def _in_front(look: Look, seat: str) -> list[Pixel]:
    """Return the ring that shows a seat."""
    pixels, place = dark(), look.places[int(seat[1:]) - 1]
    for pixel in before(place) if place else ():
        pixels[pixel] = _DRAWN
    return pixels


def _passing(rules: Struggle, pawns: dict[str, int], mover: str, at: int) -> list[Pixel]:
    """Return the ring while a pawn passes a space; others that stand there are hidden under it."""
    others = {pawn: where for pawn, where in pawns.items() if pawn != mover}
    pixels, first = _track(rules, others, at)
    _put(pixels, first, rules, at, (_colour(mover), PAWN_LEVEL, wire.STEADY))
    return pixels


def hood(look: Look, seat: int, view: Json) -> list[Pixel]:
    """Return the objective of its seat, first to arrive first; what has arrived elsewhere is dim."""
    objective = view["objectives"][seat_name(seat)]
    if objective is None:
        return [DARK] * HOOD
    pixels: list[Pixel] = []
    for place, pawn in enumerate(objective.split("-")):
        arrived = view["places"]
        missed = pawn in arrived and arrived[place : place + 1] != [pawn]
        pixels.append((_colour(pawn), MISSED_LEVEL if missed else colours.OPTION_LEVEL, wire.STEADY))
    return pixels


LIGHTS = Lights(ring=ring, hood=hood, walk=walk)
