"""What the pixels show of a position of Dilemma, beyond what the firmware shows of an open question.

Only from what everybody may see. The hoods are left to the firmware.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablier.games.core import seat_name
from tablier.play.asking import Ask
from tablier_fw import colours, wire

Pixel = tuple[int, int, int]
"""Colour of the palette, brightness, effect."""

DARK: Pixel = (colours.DARK, 0, wire.STEADY)
LIFE: Pixel = (colours.ROSE, 90, wire.STEADY)
OFFER: Pixel = (colours.WARM, 70, wire.STEADY)
ASKED_CARD: Pixel = (colours.WHITE, 90, wire.BLINK)
INITIATIVE: Pixel = (colours.MAGENTA, 60, wire.STEADY)
SEATED: Pixel = (colours.LAVENDER, 16, wire.STEADY)
CHOICE_COLOURS = bytes((colours.AZURE, colours.ORANGE))
"""Peace is blue, conflict is orange: far apart for every kind of eye."""

_SECTOR = 5  # pixels of the ring in front of each place


def ring(view: dict[str, Any], places: Sequence[int], ask: Ask | None) -> list[Pixel]:
    """Lives in front of each place; the rank on offer, counted from the end; the card that is asked about."""
    pixels = [DARK] * wire.GROUPS[wire.RING]
    if view["phase"] == "window":
        for number in range(view["offer"]):
            pixels[-1 - number] = OFFER
        if ask is not None and ask.subject is not None:
            pixels[ask.subject % len(pixels)] = ASKED_CARD
        return pixels
    for seat, place in enumerate(places, 1):
        for life in range(view["lives"][seat_name(seat)]):
            pixels[(place - 1) * _SECTOR + life] = LIFE
    return pixels


def public(view: dict[str, Any], places: Sequence[int], last_duel: dict[int, int]) -> list[Pixel]:
    """Who has the initiative; after a duel, until the next offer, what was chosen."""
    pixels = [DARK] * wire.PLACES
    for seat, place in enumerate(places, 1):
        pixel = INITIATIVE if view["turn"] == seat_name(seat) else SEATED
        if seat in last_duel and view["phase"] in ("offer", "over"):
            pixel = (CHOICE_COLOURS[last_duel[seat]], 160, wire.STEADY)
        pixels[place - 1] = pixel
    return pixels


def packed(pixels: Sequence[Pixel]) -> bytes:
    """As the wire carries them."""
    return b"".join(map(bytes, pixels))
