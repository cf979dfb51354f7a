"""The lights of Dilemma: lives, the offer, the card that is asked about; after a duel what was chosen."""

from __future__ import annotations

from tablier.games.core import lights as core
from tablier.games.core import seat_name
from tablier.games.core.lights import CHOICE_COLOURS, Look, Pixel
from tablier.games.dilemma.rules import CHOICES
from tablier_fw import colours, wire

LIFE: Pixel = (colours.ROSE, 90, wire.STEADY)
OFFER: Pixel = (colours.WARM, 70, wire.STEADY)
ASKED_CARD: Pixel = (colours.WHITE, 90, wire.BLINK)

_SECTOR = 5  # pixels of the ring in front of each place


def ring(look: Look) -> list[Pixel]:
    """Lives in front of each place; the rank on offer, counted from the end; the landing that is asked about."""
    pixels, view = core.dark(), look.view
    if view["phase"] == "window":
        for number in range(view["offer"]):
            pixels[-1 - number] = OFFER
        if look.subject is not None:
            pixels[look.subject % len(pixels)] = ASKED_CARD
        return pixels
    for seat, place in enumerate(look.places, 1):
        for life in range(view["lives"][seat_name(seat)] if place else 0):
            pixels[(place - 1) * _SECTOR + life] = LIFE
    return pixels


def public(look: Look) -> list[Pixel]:
    """Who has the initiative; after a duel, until the next offer, what was chosen."""
    pixels = [core.DARK] * wire.PLACES
    duel = _last_duel(look)
    for seat, place in enumerate(look.places, 1):
        if not place:
            continue
        pixel = core.INITIATIVE if look.view["turn"] == seat_name(seat) else core.SEATED
        if seat in duel and look.view["phase"] in ("offer", "over"):
            pixel = (CHOICE_COLOURS[duel[seat]], colours.OPTION_LEVEL, wire.STEADY)
        pixels[place - 1] = pixel
    return pixels


def _last_duel(look: Look) -> dict[int, int]:
    """Return what was chosen in a duel that has just been settled: seat → option."""
    moves = [move.split() for move in look.moves[-2:]]
    if len(moves) == 2 and all(verb == "duel" for _, verb, *_ in moves):
        return {int(actor[1:]): CHOICES.index(choice) for actor, _, choice in moves}
    return {}
