"""The lights of Dilemma.

=================== ================================================================================================
lives               rose, in front of each place
a duel's end        the ring in front of both in the colours of what they chose; then the lives that it cost flash
the offer           warm, one pixel a point of its rank, counted back from the north-west corner
an open window      azure in between: all of it waits; after a card has landed it runs out clockwise towards the
                    offer, begins anew with the next card, and blinks at last
the window's end    the whole ring flashes white
cards that landed   clockwise from the north-west corner: green lies flat, pink is out of play, orange and swelling
                    is unsure; the one that is asked about blinks, white, or orange where it is unsure
a call              the cards that lie flat, and the one that is looked at again, which blinks: white if it lay flat,
                    pink if it was out of play
the end             the ring in front of the winners swells in yellow
=================== ================================================================================================
"""

from __future__ import annotations

from math import ceil

from tablier.games.core import Move, seat_name
from tablier.games.core import lights as core
from tablier.games.core.lights import CHOICE_COLOURS, Lights, Look, Pixel
from tablier.games.dilemma.rules import CHOICES, OVER, RANKS, WINDOW
from tablier.texts import Json
from tablier_fw import colours, wire

LIFE: Pixel = (colours.ROSE, 90, wire.STEADY)
LOST: Pixel = (colours.WHITE, 200, wire.STEADY)
OFFER: Pixel = (colours.WARM, 160, wire.STEADY)
OPEN: Pixel = (colours.AZURE, 90, wire.STEADY)
ENDING: Pixel = (colours.AZURE, 160, wire.BLINK)
FLASH: Pixel = (colours.WHITE, 160, wire.STEADY)
CARDS: dict[str, Pixel] = {
    "flat": (colours.JADE, 200, wire.STEADY),
    "out": (colours.PINK, 90, wire.STEADY),
    "doubt": (colours.ORANGE, 160, wire.PULSE),
    "": core.DARK,
}
ASKED: Pixel = (colours.WHITE, 120, wire.BLINK)
ASKED_IN_DOUBT: Pixel = (colours.ORANGE, 200, wire.BLINK)

_FIELD = core.RING - RANKS[-1]  # the pixels that the offer leaves to the window
_LAST = 0.2  # of the window's time, which blinks
_FLASHES = 3
_LIVES = 3
_SHOWN = 12
"""For how many rings what was chosen in a duel is shown."""


def ring(look: Look) -> list[Pixel]:
    """Show the window, its cards and the offer; else the lives; in the end who has won."""
    view = look.view
    if view["phase"] == OVER:
        pixels = core.dark()
        for seat in look.winners:
            for at in _side(look, seat):
                pixels[at] = core.WINNER
        return pixels
    if view["phase"] != WINDOW:
        return _lives(look, view)
    pixels = core.dark()
    for number in range(view["offer"]):
        pixels[-1 - number] = OFFER
    if look.what == WINDOW:
        for at in range(_FIELD - ceil(_FIELD * look.left), _FIELD):
            pixels[at] = OPEN if look.left > _LAST else ENDING
        for number in range(len(view["pile"])):  # of a window that is open again: what lies there already
            pixels[number % len(pixels)] = CARDS["flat"]
        return pixels
    if look.what == core.CALLED:
        return _landed(look, pixels)
    asked = look.hint.get("subject", look.subject)
    for number, looks in enumerate(look.hint.get("pile", ())):
        pixel = CARDS[looks]
        if number == asked:
            pixel = ASKED_IN_DOUBT if looks == "doubt" else ASKED
        pixels[number % len(pixels)] = pixel
    if asked is not None and asked >= len(look.hint.get("pile", ())):
        pixels[asked % len(pixels)] = ASKED
    return pixels


def _landed(look: Look, pixels: list[Pixel]) -> list[Pixel]:
    """Add the cards that lie flat, and the one that was thrown last, which blinks."""
    flat = len(look.view["pile"])
    for number in range(flat):
        pixels[number % len(pixels)] = CARDS["flat"]
    _, verb, *thrown = look.moves[-1].split() if look.moves else ("", "")
    if verb == "throw":
        landed = thrown[-1] == "flat"
        colour, level, _ = ASKED if landed else CARDS["out"]
        pixels[(flat - landed) % len(pixels)] = (colour, level, wire.BLINK)
    return pixels


def closed(look: Look) -> list[list[Pixel]]:
    """Show a window's end."""
    return [[FLASH] * core.RING, core.dark()] * _FLASHES


def walk(look: Look, move: Move, before: Json) -> list[list[Pixel]]:
    """Show what was chosen in a duel; then the lives that it costs flash."""
    chosen, duel = core.dark(), _last_duel(look)
    for seat, choice in duel.items():
        for at in _side(look, seat):
            chosen[at] = (CHOICE_COLOURS[choice], colours.OPTION_LEVEL, wire.STEADY)
    rings = [chosen] * _SHOWN if duel else []
    lost = [seat for seat, lives in before["lives"].items() if look.view["lives"][seat] < lives]
    if lost:
        rest, flash = _lives(look, look.view), _lives(look, look.view)
        for own in lost:
            place = look.places[int(own[1:]) - 1]
            if place:
                flash[_in_front(place)[look.view["lives"][own]]] = LOST
        rings += [flash, rest] * _FLASHES
    return rings


def _lives(look: Look, view: Json) -> list[Pixel]:
    pixels = core.dark()
    for seat, place in enumerate(look.places, 1):
        for life in range(view["lives"][seat_name(seat)] if place else 0):
            pixels[_in_front(place)[life]] = LIFE
    return pixels


def _side(look: Look, seat: int) -> list[int]:
    place = look.places[seat - 1]
    return core.before(place) if place else []


def _in_front(place: int) -> list[int]:
    """Return the pixels for the lives of a place, in the middle of its side."""
    side = core.before(place)
    start = (len(side) - _LIVES) // 2
    return side[start : start + _LIVES]


def public(look: Look) -> list[Pixel]:
    """Show who has the initiative; after a duel, until the next offer, what was chosen; in the end who has won."""
    pixels = core.public(look)
    if look.view["phase"] == "offer":
        for seat, choice in _last_duel(look).items():
            place = look.places[seat - 1]
            if place:
                pixels[place - 1] = (CHOICE_COLOURS[choice], colours.OPTION_LEVEL, wire.STEADY)
    return pixels


def _last_duel(look: Look) -> dict[int, int]:
    """Return what was chosen in a duel that has just been settled: seat → option."""
    moves = [move.split() for move in look.moves[-2:]]
    if len(moves) == 2 and all(verb == "duel" for _, verb, *_ in moves):
        return {int(actor[1:]): CHOICES.index(choice) for actor, _, choice in moves}
    return {}


LIGHTS = Lights(ring=ring, public=public, walk=walk, closed=closed)
