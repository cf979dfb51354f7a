"""The ring shows the points, each player's on the side in front of it; a hood shows its own guess."""

from __future__ import annotations

from tablier.games.core import seat_name
from tablier.games.core.lights import DARK, HOOD, Lights, Look, Pixel, before, dark
from tablier.texts import Json
from tablier_fw import colours, wire

COLOURS = {"low": colours.AZURE, "high": colours.ORANGE}


def ring(look: Look) -> list[Pixel]:
    pixels = dark()
    for seat, place in enumerate(look.places, 1):
        if place:
            for pixel in before(place)[: look.view["points"][seat_name(seat)]]:
                pixels[pixel] = (colours.YELLOW, 80, wire.STEADY)
    return pixels


def hood(look: Look, seat: int, view: Json) -> list[Pixel]:
    guess = view["guesses"][seat_name(seat)]
    return [(COLOURS[guess], 80, wire.STEADY)] * HOOD if guess else [DARK] * HOOD


LIGHTS = Lights(ring=ring, hood=hood)
