"""The parts of a game's lights: pixels, and the look of a game that they show.

The ring is a square of four sides of eight pixels: 0 to 7 from west to east on the north side, then clockwise. Place 1
is in the south, 2 and 3 in the west, 4 in the north, 5 and 6 in the east.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablier.games.core import Move, Rules, seat_name, shown
from tablier.games.core.parts import Part, PartError, called
from tablier.texts import Json, Text
from tablier_fw import colours, wire

Pixel = tuple[int, int, int]
"""Colour of the palette, brightness, effect."""

RING = wire.GROUPS[wire.RING]
SIDE = RING // 4
HOOD = wire.GROUPS[wire.HOOD]

DARK: Pixel = (colours.DARK, 0, wire.STEADY)
INITIATIVE: Pixel = (colours.MAGENTA, 60, wire.STEADY)
"""The public pixel of the seat whose turn it is."""
SEATED: Pixel = (colours.LAVENDER, 16, wire.STEADY)
WINNER: Pixel = (colours.YELLOW, 160, wire.PULSE)
CHOICE_COLOURS = bytes((colours.AZURE, colours.ORANGE, colours.WHITE))
"""Of the options of a choice. Peace is blue, conflict is orange: far apart for every kind of eye."""

CALLED = "called"
"""The subject of a look back at what has been played, and of the questions to the person who has stopped play."""

_QUARTERS = (0, 0, 1, 1, 2, 3, 3)


@dataclass(frozen=True)
class Look:
    """All that lights are made from."""

    rules: Rules[Any]
    view: Json
    """A spectator's."""
    places: Sequence[int]
    """Of each seat; 0 where it has none."""
    what: str = ""
    """The subject of the open question, as the script names it."""
    hint: Json = field(default_factory=dict)
    """The script's hint for the open poll, or for the selected option of a menu."""
    subject: int | None = None
    """The landing that is asked about."""
    left: float = 1.0
    """The remaining share of the open window's closing time, from 1 to 0."""
    moves: Sequence[str] = ()
    """The latest moves, two at most."""
    over: bool = False
    winners: Sequence[int] = ()


def quarter(place: int) -> int:
    """Return on which side a place is, in quarter turns clockwise from the south."""
    return _QUARTERS[place]


def turned(pixel: int, quarters: int) -> int:
    """Return where a pixel of the ring comes to lie when the ring is turned clockwise by quarters."""
    return (pixel + SIDE * quarters) % RING


def before(place: int) -> list[int]:
    """Return the pixels of the ring in front of a place, from its left to its right: a side, or half of one where two
    places share it."""
    south = turned(0, 2)
    across = [turned(pixel, _QUARTERS[place]) for pixel in range(south + SIDE - 1, south - 1, -1)]
    return {2: across[4:], 3: across[:4], 5: across[4:], 6: across[:4]}.get(place, across)


def dark() -> list[Pixel]:
    """Return a ring without a light."""
    return [DARK] * RING


def ring(look: Look) -> list[Pixel]:
    """Show nothing."""
    return dark()


def public(look: Look) -> list[Pixel]:
    """Show who sits where, whose turn it is, and in the end who has won."""
    pixels = [DARK] * wire.PLACES
    for seat, place in enumerate(look.places, 1):
        if place:
            turn = look.view.get("turn") == seat_name(seat) and not look.over
            pixels[place - 1] = WINNER if seat in look.winners else INITIATIVE if turn else SEATED
    return pixels


@dataclass(frozen=True, kw_only=True)
class Lights(Part):
    """A game's ``LIGHTS``, in its ``lights.py``: functions of a :class:`Look`."""

    ring: Callable[[Look], list[Pixel]] = ring
    """Return the pixels around the arena."""
    public: Callable[[Look], list[Pixel]] = public
    """Return one pixel for each place."""
    hood: Callable[[Look, int, Json], list[Pixel]] | None = None
    """``hood(look, seat, view)``: Return five pixels that only this seat sees, when it peeks; ``view`` is its own."""
    walk: Callable[[Look, Move, Json], list[list[Pixel]]] | None = None
    """``walk(look, move, before)``: Return rings that are shown one after the other when the move has been made;
    ``before`` is the view as it was."""
    closed: Callable[[Look], list[list[Pixel]]] | None = None
    """Return rings that are shown one after the other when a throwing window has closed."""
    drawn: bytes = colours.FACES
    """The colours of what is drawn from a bag, in the order of the draws; those of the faces of dice, from 0."""


LIGHTS = Lights()


_COUNTS = {"ring": RING, "public": wire.PLACES, "hood": HOOD, "walk": RING, "closed": RING}
"""The number of pixels that each function of :class:`Lights` returns, or that each of its rings has."""


def pixels_of(game: str, lights: Lights, name: str, *args: Any) -> list[Pixel]:
    """Return the pixels that one of a game's lights makes. Raise :class:`PartError` if the table cannot show them."""
    pixels = called(game, "lights", name, lambda: getattr(lights, name)(*args))
    _raise(game, _fault(name, pixels))
    return list(pixels)


def rings_of(game: str, lights: Lights, name: str, *args: Any) -> list[list[Pixel]]:
    """Return the rings that one of a game's lights makes. Raise :class:`PartError` if the table cannot show them."""
    made = called(game, "lights", name, lambda: getattr(lights, name)(*args))
    if not isinstance(made, Iterable):
        _raise(game, Text("{function} returned {made}, not a list of rings", {"function": name, "made": shown(made)}))
    rings = called(game, "lights", name, lambda: list(made))
    for ring in rings:
        _raise(game, _fault(name, ring))
    return [list(ring) for ring in rings]


def _raise(game: str, fault: Text | None) -> None:
    if fault is not None:
        raise PartError("{game}, lights.py: {fault}", game=game, fault=fault)


def _fault(name: str, pixels: Any) -> Text | None:
    """Return what is wrong with pixels that a function has made; ``None`` if the table can show them."""
    if not isinstance(pixels, Sequence):
        return Text("{function} returned {made}, not a list of pixels", {"function": name, "made": shown(pixels)})
    if len(pixels) != _COUNTS[name]:
        args = {"function": name, "count": len(pixels), "allowed": _COUNTS[name]}
        return Text("{function} returned {count} pixels; it has {allowed}", args)
    for pixel in pixels:
        if not _is_pixel(pixel):
            args = {"function": name, "pixel": shown(pixel), "colours": wire.COLOURS - 1, "effects": wire.CHASE}
            return Text(
                "{function} returned the pixel {pixel}; a pixel is a colour from 0 to {colours}, a brightness from 0 to"
                " 255 and an effect from 0 to {effects}",
                args,
            )
    return None


def _is_pixel(pixel: Any) -> bool:
    if not isinstance(pixel, Sequence) or len(pixel) != 3:
        return False
    most = (wire.COLOURS - 1, 255, wire.CHASE)
    return all(isinstance(part, int) and 0 <= part <= top for part, top in zip(pixel, most, strict=True))


def packed(pixels: Sequence[Pixel]) -> bytes:
    """Return pixels as the wire carries them."""
    return b"".join(map(bytes, pixels))


__all__ = [
    "CALLED",
    "CHOICE_COLOURS",
    "DARK",
    "HOOD",
    "INITIATIVE",
    "LIGHTS",
    "RING",
    "SEATED",
    "SIDE",
    "WINNER",
    "Lights",
    "Look",
    "Pixel",
    "before",
    "dark",
    "packed",
    "pixels_of",
    "public",
    "quarter",
    "ring",
    "rings_of",
    "turned",
]
