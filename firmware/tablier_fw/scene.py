"""The pixels: the host's scene, and over it the signs of the open question. Animated here.

A pixel is four bytes: effect, red, green, blue. The pixels of all groups stand one after another: ring, public pixels,
hoods. On the ring and the public pixels an overlay hides the host's pixel while its effect is not :data:`NONE`. A hood
shows the overlay, which may be dark, unless its place peeks: then it shows what the host painted. All that a group
shows, overlay and signs included, is at the light that the host has given the group.

Whatever the host sends, a group's pixels change at most every :data:`CHANGE_MS`, and hoods stay dark while
questions follow one another faster: colours that alternate fast look like one, and that could be the mark of a choice.
"""

from array import array
from time import ticks_diff

from tablier_fw import colours, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

COUNT = sum(wire.GROUPS)
FRAME_MS = 16
CHANGE_MS = 100
"""Least time between two scenes of a group that are shown. An eye tells ten colours a second apart."""
_QUICK = 4  # this number of questions may follow one another faster
NONE = 0xFF
STEADY, BLINK, PULSE, CHASE = wire.STEADY, wire.BLINK, wire.PULSE, wire.CHASE
_PERIOD_MS = 1024  # of blink, pulse and one round of a chase: a power of two, so that the phase needs no division
# Where things stand in what ``paint`` is told:
_PHASE, _SIGNS, _PEEKED, _COLOURS, _GROUPS, _LIGHTS, _RING = 0, 1, 2, 3, 9, 17, 25
_ALONE, _ABANDONED = 1, 2  # the signs
_OFFSETS = [sum(wire.GROUPS[:group]) for group in range(len(wire.GROUPS))]
_PALETTE = bytes([channel for colour in colours.PALETTE for channel in colour])


_FULL = [wire.BRIGHT + 1] * len(wire.GROUPS)
_DARK = (0, 0, 0)
_HOODS = 3 * _OFFSETS[wire.HOOD]  # where they begin in a frame
_DARK_HOODS = bytes(3 * COUNT - _HOODS)
_CLEAR = bytes([NONE, 0, 0, 0]) * _OFFSETS[wire.HOOD] + bytes(4 * (COUNT - _OFFSETS[wire.HOOD]))


def at(group: int, pixel: int) -> int:
    """Return the index of a group's pixel among all pixels."""
    return _OFFSETS[group] + pixel


def paint(base: "Any", over: "Any", frame: "Any", look: "Any") -> int:
    """Compute a frame from the base and the overlay; return True if any pixel is animated.

    ``look``: the phase of the animations in ms, the signs that lie over everything, the set of places that peek, red,
    green and blue of each sign, the number of pixels of each group, the light of each, 256 where it is full, and the
    number of the ring's pixels that are there. Sign 0, the lonely table, takes the pixels 0, 4, 8 … of the ring where
    the question shows nothing; sign 1, the abandoned roll, blinks on 2, 6, 10 …. A board may have a faster twin. Does
    not allocate.
    """
    phase = look[_PHASE]
    signs = look[_SIGNS]
    peeked = look[_PEEKED] << _GROUPS + wire.HOOD  # bit n: the group that stands at n in ``look``
    swell = phase if phase < _PERIOD_MS // 2 else _PERIOD_MS - phase
    animated = signs >> 1
    if phase >= _PERIOD_MS // 2:
        signs &= _ALONE
    source = target = 0
    for group in range(_GROUPS, _LIGHTS):
        count = look[group]
        light = look[group + _LIGHTS - _GROUPS]
        around = count if group > _GROUPS else look[_RING]
        for pixel in range(count):
            pixels = base if over[source] == NONE or peeked >> group & 1 else over
            effect = pixels[source]
            level = 256
            if effect:
                animated = 1
                if effect == BLINK:
                    level = 256 if phase < _PERIOD_MS // 2 else 0
                elif effect == PULSE:
                    level = 32 + (swell >> 1) * 224 // 256
                else:  # a comet that runs around the group
                    behind = ((phase * around >> 10) - pixel) % around
                    level = 256 >> behind if behind < 4 else 0
            level = level * light >> 8
            sign = (pixel & 2) >> 1
            if group == _GROUPS and not pixel & 1 and signs >> sign & 1 and (sign or over[source] == NONE):
                frame[target] = look[_COLOURS + 3 * sign] * light >> 8
                frame[target + 1] = look[_COLOURS + 3 * sign + 1] * light >> 8
                frame[target + 2] = look[_COLOURS + 3 * sign + 2] * light >> 8
            else:
                frame[target] = pixels[source + 1] * level >> 8
                frame[target + 1] = pixels[source + 2] * level >> 8
                frame[target + 2] = pixels[source + 3] * level >> 8
            target += 3
            source += 4
    return animated


def tint(base: "Any", where: int, pixels: "Any", palette: "Any") -> int:
    """Write the host's pixels (colour, brightness, effect) to ``base`` from the byte ``where`` on; return their end.

    ``palette``: red, green, blue of each colour. A board may have a faster twin. Does not allocate.
    """
    for pixel in range(0, len(pixels), 3):
        colour = 3 * pixels[pixel]
        level = pixels[pixel + 1]
        base[where] = pixels[pixel + 2]
        base[where + 1] = palette[colour] * level // 255
        base[where + 2] = palette[colour + 1] * level // 255
        base[where + 3] = palette[colour + 2] * level // 255
        where += 4
    return where


def _since(then: "int | None", now: int, ms: int) -> bool:
    """Return True if fewer than ``ms`` have passed since then."""
    return then is not None and 0 <= ticks_diff(now, then) < ms


class Scene:
    def __init__(self, paint: "Callable" = paint, tint: "Callable" = tint, ring: int = wire.GROUPS[wire.RING]) -> None:
        """``ring``: the number of its pixels that are there."""
        self._paint = paint
        self._tint = tint
        self.ring = ring
        self._look = array(
            "H", [0, 0, 0] + list(colours.ALONE) + list(colours.ROLLING) + list(wire.GROUPS) + _FULL + [ring]
        )
        self._base = bytearray(COUNT * 4)
        self._over = bytearray(4 * COUNT)
        self.peeked = 0
        """Bits of the places whose hood shows what the host painted."""
        self.frame = bytearray(COUNT * 3)
        """The frame to show: red, green, blue of each pixel."""
        self.stale = True
        """True if a change is not shown yet."""
        self._animated = False
        self._signs = 0
        self._hidden = False
        self._shown_ms = 0
        self._later: list = [None] * len(wire.GROUPS)  # by group: pixels and light that came too soon after the last
        self._waiting = 0  # the groups, by bit, that have such pixels
        self._changed_ms: list = [None] * len(wire.GROUPS)  # by group
        self._asked_ms: list = [None] * _QUICK  # the latest questions, the latest last
        self._veiled = False  # the hoods are dark: questions follow one another too fast
        self._over[:] = _CLEAR

    def set_group(self, group: int, pixels: bytes, light: int, now: int) -> None:
        """Take the host's pixels of a group: for each colour, brightness, effect; and the light of all that the group
        shows. Delay those that come too fast."""
        if _since(self._changed_ms[group], now, CHANGE_MS):
            self._later[group] = pixels, light
            self._waiting |= 1 << group
            return
        self._tint(self._base, at(group, 0) * 4, pixels, _PALETTE)
        self._look[_LIGHTS + group] = light + 1
        self._later[group] = None
        self._waiting &= ~(1 << group)
        self._changed_ms[group] = now
        self.stale = True

    def clear(self) -> None:
        """Forget what the host painted."""
        self._base[:] = bytes(len(self._base))
        for group in range(len(wire.GROUPS)):
            self._look[_LIGHTS + group] = wire.BRIGHT + 1
        self._waiting = 0
        self.stale = True

    def peek(self, place: int, peeks: bool) -> None:
        """Show under a hood what the host painted, or (``peeks`` false) what the question shows."""
        bit = 1 << (place - 1)
        self.peeked = self.peeked | bit if peeks else self.peeked & ~bit
        self.stale = True

    def overlay(self, group: int, pixel: int, colour: "tuple | None", effect: int = STEADY) -> None:
        """Lay a colour over a pixel; ``None`` removes it. A hood's pixel without an overlay is dark."""
        self.stale = True
        start = (_OFFSETS[group] + pixel) * 4
        if colour is None:
            self._uncover(start)
            return
        over = self._over
        over[start] = effect
        over[start + 1] = colour[0]
        over[start + 2] = colour[1]
        over[start + 3] = colour[2]

    def _uncover(self, start: int) -> None:
        self._over[start : start + 4] = _CLEAR[start : start + 4]

    def fill(self, group: int, colour: "tuple | None", effect: int = STEADY) -> None:
        """Lay a colour over all pixels of a group; ``None`` removes it. Much faster than one by one."""
        start = _OFFSETS[group] * 4
        end = start + 4 * wire.GROUPS[group]
        look = _CLEAR[start:end] if colour is None else bytes((effect,) + colour) * wire.GROUPS[group]
        self._over[start:end] = look
        self.stale = True

    def clear_over(self, now: int) -> None:
        """Remove all overlays and end all peeks, for another question."""
        self._veiled = _since(self._asked_ms.pop(0), now, _QUICK * CHANGE_MS)
        self._asked_ms.append(now)
        over = self._over
        over[:] = _CLEAR
        self.peeked = 0
        self.stale = True

    def set_alone(self, alone: bool) -> None:
        """Show on every fourth pixel of the ring that there is no host, or stop showing it."""
        self._sign(_ALONE, alone)

    def set_abandoned(self, abandoned: bool) -> None:
        """Show on other pixels of the ring that a roll was abandoned, or stop showing it."""
        self._sign(_ABANDONED, abandoned)

    def _sign(self, sign: int, stands: bool) -> None:
        self._signs = self._signs | sign if stands else self._signs & ~sign
        self.stale = True

    def hide_signs(self, hidden: bool) -> None:
        """Hide the signs behind the ring's overlay, or show them again."""
        self._hidden = hidden
        self.stale = True

    def number(self, group: int, value: int, dim: bool = False) -> None:
        """Show a number from 1 to 12 on the five pixels of a hood; 0 is dark."""
        fives = (value - 1) // 5 if value else 0
        red, green, blue = colours.NUMBERS[fives]
        if dim:
            red, green, blue = red >> 3, green >> 3, blue >> 3
        for pixel in range(5):
            self.overlay(group, pixel, (red, green, blue) if pixel < value - 5 * fives else _DARK)

    def render(self, now: int) -> bool:
        """Compute the frame if due; return True if it must be shown. Do not allocate, unless pixels waited."""
        if self._waiting or self._veiled:
            self._catch_up(now)
        if not self.stale:
            if not self._animated or ticks_diff(now, self._shown_ms) < FRAME_MS:
                return False
        self._shown_ms = now
        self.stale = False
        self._look[_PHASE] = now & (_PERIOD_MS - 1)
        self._look[_SIGNS] = 0 if self._hidden else self._signs
        self._look[_PEEKED] = self.peeked
        self._animated = bool(self._paint(self._base, self._over, self.frame, self._look))
        if self._veiled:
            self.frame[_HOODS:] = _DARK_HOODS
        return True

    def _catch_up(self, now: int) -> None:
        """Take the pixels that have waited long enough."""
        for group in range(len(wire.GROUPS)):
            if self._waiting >> group & 1:
                pixels, light = self._later[group]
                self.set_group(group, pixels, light, now)
        if self._veiled and not _since(self._asked_ms[-1], now, CHANGE_MS):
            self._veiled = False
            self.stale = True

    def animated(self) -> bool:
        """Return True if the frame may change without a call."""
        return self._animated or self.stale or self._waiting > 0 or self._veiled
