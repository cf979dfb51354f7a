"""What the pixels show of a position, beyond what the firmware shows of an open question.

Only from what everybody may see. The hoods are left to the firmware.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablier.games.core import Position, seat_name
from tablier.games.dilemma.rules import CHOICES
from tablier_fw import colours, wire

Pixel = tuple[int, int, int]
"""Colour of the palette, brightness, effect."""

DARK: Pixel = (colours.DARK, 0, wire.STEADY)
LIFE: Pixel = (colours.ROSE, 90, wire.STEADY)
OFFER: Pixel = (colours.WARM, 70, wire.STEADY)
ASKED_CARD: Pixel = (colours.WHITE, 90, wire.BLINK)
INITIATIVE: Pixel = (colours.MAGENTA, 60, wire.STEADY)
SEATED: Pixel = (colours.LAVENDER, 16, wire.STEADY)
CHOICE_COLOURS = bytes((colours.AZURE, colours.ORANGE, colours.GREEN))
"""Of the options of a choice. Peace is blue, conflict is orange: far apart for every kind of eye."""

FACES = bytes(
    (
        *(colours.RED, colours.AZURE, colours.YELLOW, colours.GREEN, colours.MAGENTA, colours.WHITE),
        *(colours.ORANGE, colours.PINK, colours.PURPLE, colours.WARM, colours.ROSE, colours.LAVENDER),
    )
)
"""Of the faces of dice, from 0, and of what else is drawn."""

_SECTOR = 5  # pixels of the ring in front of each place


def ring(game: str, view: dict[str, Any], places: Sequence[int], subject: int | None) -> list[Pixel]:
    """Lives in front of each place; the rank on offer, counted from the end; the landing that is asked about."""
    pixels = [DARK] * wire.GROUPS[wire.RING]
    if game != "dilemma":
        return pixels
    if view["phase"] == "window":
        for number in range(view["offer"]):
            pixels[-1 - number] = OFFER
        if subject is not None:
            pixels[subject % len(pixels)] = ASKED_CARD
        return pixels
    for seat, place in enumerate(places, 1):
        for life in range(view["lives"][seat_name(seat)] if place else 0):
            pixels[(place - 1) * _SECTOR + life] = LIFE
    return pixels


def last_duel(position: Position[Any]) -> dict[int, int]:
    """Return what was chosen in a duel that has just been settled: seat → option."""
    moves = position.moves[-2:] if position.rules.name == "dilemma" else []
    if len(moves) == 2 and all(move.verb == "duel" for move in moves):
        return {move.actor: CHOICES.index(move.args[0]) for move in moves}
    return {}


def public(view: dict[str, Any], places: Sequence[int], duel: dict[int, int]) -> list[Pixel]:
    """Who has the initiative; after a duel, until the next offer, what was chosen."""
    pixels = [DARK] * wire.PLACES
    for seat, place in enumerate(places, 1):
        if not place:
            continue
        pixel = INITIATIVE if view["turn"] == seat_name(seat) else SEATED
        if seat in duel and view["phase"] in ("offer", "over"):
            pixel = (CHOICE_COLOURS[duel[seat]], colours.OPTION_LEVEL, wire.STEADY)
        pixels[place - 1] = pixel
    return pixels


def packed(pixels: Sequence[Pixel]) -> bytes:
    """As the wire carries them."""
    return b"".join(map(bytes, pixels))
