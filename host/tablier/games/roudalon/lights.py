"""The lights of Le Roudalon. The ring tells a number in Roman numerals, on each of its sides, from the left of the
player who sits there: a pot of up to 78 has at most seven signs, and a side has eight pixels.

=============================== =====================================================================================
I, V, X, L                      white, azure, orange, magenta, brighter the more it is worth
the pot                         steady
what is staked, while picked    the pot as it would be, swelling
an alliance that throws         what is still lacking, swelling; it counts down as dice fall
the end                         in front of each place what it took; a pot that nobody takes blinks
public pixels                   no die: dim lavender; one: pink; two: azure, brighter. Who has joined blinks, whose
                                turn it is swells; who is asked, or is about to be, blinks magenta
who begins                      in front of each place what it threw last; it swells where it is tied and thrown again,
                                and at the end where it begins. Public pixels: who may still begin has two dice, who
                                throws swells
hoods                           the dice in hand, one pixel each
=============================== =====================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

from tablier.games.core import Move, seat_name
from tablier.games.core.lights import DARK, HOOD, SEATED, WINNER, Lights, Look, Pixel, before, dark
from tablier.games.roudalon.dice import MOST_DICE
from tablier.games.roudalon.rolloff import BEGIN
from tablier.games.roudalon.rules import ASKED, CHAIN, DICE, OVER, THROW
from tablier.texts import Json
from tablier_fw import colours, wire

SIGNS = {
    "I": (colours.WHITE, 50),
    "V": (colours.AZURE, 120),
    "X": (colours.ORANGE, 160),
    "L": (colours.MAGENTA, 220),
}
ONE_DIE = (colours.PINK, 80)
TWO_DICE = (colours.AZURE, 180)
TO_ASK: Pixel = (colours.MAGENTA, 120, wire.BLINK)
_THROWN, _BEGINS = 5, 10
"""For how many rings of a walk a throw for who begins stands, and in the end the highest."""
_VALUES = ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))


def roman(number: int) -> str:
    """Return a number up to 89 in Roman numerals; 0 is empty."""
    signs = ""
    for value, sign in _VALUES:
        while number >= value:
            signs, number = signs + sign, number - value
    return signs


def _on(pixels: list[Pixel], where: list[int], number: int, effect: int) -> None:
    for pixel, sign in zip(where, roman(number), strict=False):
        pixels[pixel] = (*SIGNS[sign], effect)


def _all_around(number: int, effect: int = wire.STEADY) -> list[Pixel]:
    pixels = dark()
    for where in (before(1), before(3) + before(2), before(4), before(6) + before(5)):
        _on(pixels, where, number, effect)
    return pixels


def ring(look: Look) -> list[Pixel]:
    """Show the pot, what is lacking, what each seat took, or the throws for who begins."""
    view = look.view
    if view["phase"] == BEGIN:
        return _throws(look, view["among"], view["waited"])
    if look.over:
        taken = _taken(look)
        if not taken:
            return _all_around(view["pot"], wire.BLINK)
        pixels = dark()
        for place, units in taken.items():
            _on(pixels, before(place), units, wire.STEADY)
        return pixels
    if "stake" in look.hint:
        return _all_around(view["pot"] + look.hint["stake"], wire.PULSE)
    if view["phase"] in (THROW, DICE):
        return _all_around(_lacking(view), wire.PULSE)
    return _all_around(view["pot"])


def _throws(look: Look, among: Sequence[str], swelling: Sequence[str]) -> list[Pixel]:
    """Return what these seats threw last for who begins, each sum in front of its place."""
    pixels = dark()
    for seat in among:
        if place := look.places[int(seat[1:]) - 1]:
            effect = wire.PULSE if seat in swelling else wire.STEADY
            _on(pixels, before(place), sum(look.view["throws"][seat]), effect)
    return pixels


def _lacking(view: Json) -> int:
    return int(view["pot"]) - sum(map(sum, view["thrown"]))


def _taken(look: Look) -> dict[int, int]:
    """Return what was taken at each place."""
    seats = look.view["allies"] if look.view["thrown"] else []
    shares = zip(seats, look.view["thrown"], strict=False)
    return {place: sum(faces) for seat, faces in shares if (place := look.places[int(seat[1:]) - 1])}


def walk(look: Look, move: Move, before: Json) -> list[list[Pixel]]:
    """Show a stake count up, and dice count down what is lacking, to nothing at most. A throw for who begins stands a
    while, and so does the highest in the end."""
    if move.verb == "throw":
        waited = [seat for seat in before["waited"] if seat != move.args[0]]
        first = [_throws(look, look.view["among"], look.view["among"])] * (0 if look.view["waited"] else _BEGINS)
        return [_throws(look, before["among"], waited)] * _THROWN + first
    if move.verb == "bet":
        return [_all_around(pot, wire.PULSE) for pot in range(before["pot"] + 1, look.view["pot"] + 1)]
    if move.verb != "dice":
        return []
    lacking = _lacking(before)
    return [_all_around(left, wire.PULSE) for left in range(lacking - 1, max(0, lacking - sum(move.args)) - 1, -1)]


def public(look: Look) -> list[Pixel]:
    """Return what shows the dice in hand, and who does what."""
    pixels, view = [DARK] * wire.PLACES, look.view
    in_chain = view["allies"] if len(view["allies"]) > 1 and view["phase"] in (ASKED, CHAIN, THROW, DICE) else []
    for seat, place in enumerate(look.places, 1):
        if not place:
            continue
        name = seat_name(seat)
        dice = view["dice"][name]
        if view["phase"] == BEGIN:
            dice = MOST_DICE if name in view["among"] else 0
        effect = wire.PULSE if view["turn"] == name else wire.BLINK if name in in_chain else wire.STEADY
        pixel: Pixel = (*(SEATED[:2], ONE_DIE, TWO_DICE)[dice], wire.STEADY if look.over else effect)
        if view["phase"] == OVER and seat in look.winners:
            pixel = WINNER
        elif look.hint.get("ally") == seat:
            pixel = TO_ASK
        pixels[place - 1] = pixel
    return pixels


def hood(look: Look, seat: int, view: Json) -> list[Pixel]:
    """Return the dice in hand."""
    dice = view["dice"][seat_name(seat)]
    pixel: Pixel = (*(ONE_DIE if dice == 1 else TWO_DICE), wire.STEADY)
    return [pixel] * dice + [DARK] * (HOOD - dice)


LIGHTS = Lights(ring=ring, public=public, hood=hood, walk=walk)
