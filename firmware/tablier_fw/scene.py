"""What the pixels show: what the host wants, and over it what the open question says. Animated here.

A pixel is four bytes: effect, red, green, blue. The pixels of all groups stand one after another: ring, public pixels,
hoods. An overlay hides the host's pixel while its effect is not :data:`NONE`.
"""

from array import array
from time import ticks_diff

from tablier_fw import colours, wire

COUNT = sum(wire.GROUPS)
FRAME_MS = 16
NONE = 0xFF
STEADY, BLINK, PULSE, CHASE = wire.STEADY, wire.BLINK, wire.PULSE, wire.CHASE
_PERIOD_MS = 1024  # of blink, pulse and one round of a chase: a power of two, so that the phase needs no division
_PHASE, _ALONE, _GROUPS = 0, 1, 5  # where things stand in what ``paint`` is told
_OFFSETS = [sum(wire.GROUPS[:group]) for group in range(len(wire.GROUPS))]


def at(group: int, pixel: int) -> int:
    """Where a pixel of a group stands among all pixels."""
    return _OFFSETS[group] + pixel


def paint(base, over, frame, look) -> int:  # type: ignore[no-untyped-def]
    """Computes a frame from what lies below and what lies over it; returns whether any pixel is animated.

    ``look``: the phase of the animations in ms, whether the table is alone, red, green and blue of that, and the
    number of pixels of each group. A board may have a faster twin of this function. Does not allocate.
    """
    phase = look[_PHASE]
    alone = look[_ALONE]
    red, green, blue = look[2], look[3], look[4]  # four at once would make a tuple
    swell = phase if phase < _PERIOD_MS // 2 else _PERIOD_MS - phase
    animated = 0
    source = target = 0
    for group in range(_GROUPS, len(look)):
        count = look[group]
        for pixel in range(count):
            pixels = base if over[source] == NONE else over
            effect = pixels[source]
            level = 256
            if effect:
                animated = 1
                if effect == BLINK:
                    level = 256 if phase < _PERIOD_MS // 2 else 0
                elif effect == PULSE:
                    level = 32 + (swell >> 1) * 224 // 256
                else:  # a comet that runs around the group
                    behind = ((phase * count >> 10) - pixel) % count
                    level = 256 >> behind if behind < 4 else 0
            if alone and group == _GROUPS and not pixel & 3:
                frame[target], frame[target + 1], frame[target + 2] = red, green, blue
            else:
                frame[target] = pixels[source + 1] * level >> 8
                frame[target + 1] = pixels[source + 2] * level >> 8
                frame[target + 2] = pixels[source + 3] * level >> 8
            target += 3
            source += 4
    return animated


class Scene:
    def __init__(self, paint=paint) -> None:  # type: ignore[no-untyped-def]
        self._paint = paint
        self._look = array("H", [0, 0] + list(colours.ALONE) + list(wire.GROUPS))
        self._base = bytearray(COUNT * 4)
        self._over = bytearray([NONE, 0, 0, 0] * COUNT)
        self.frame = bytearray(COUNT * 3)
        """What is to be lit: red, green, blue of each pixel."""
        self.stale = True
        """Whether something is to be shown that is not shown yet."""
        self._animated = False
        self._alone = False
        self._shown_ms = 0

    def set_group(self, group: int, pixels: bytes) -> None:
        """Takes the host's pixels of a group: for each colour, brightness, effect."""
        base = self._base
        to = at(group, 0) * 4
        for pixel in range(0, len(pixels), 3):
            base[to] = pixels[pixel + 2]
            base[to + 1], base[to + 2], base[to + 3] = colours.lit(pixels[pixel], pixels[pixel + 1])
            to += 4
        self.stale = True

    def over(self, group: int, pixel: int, colour, effect: int = STEADY) -> None:  # type: ignore[no-untyped-def]
        """Lays a colour over a pixel; ``None`` takes it away."""
        start = (_OFFSETS[group] + pixel) * 4
        over = self._over
        if colour is None:
            over[start] = NONE
        else:
            over[start] = effect
            over[start + 1], over[start + 2], over[start + 3] = colour
        self.stale = True

    def clear_over(self) -> None:
        for start in range(0, len(self._over), 4):
            self._over[start] = NONE
        self.stale = True

    def set_alone(self, alone: bool) -> None:
        """Whether every fourth pixel of the ring says that there is no host."""
        self._alone = alone
        self.stale = True

    def number(self, group: int, value: int) -> None:
        """Shows a number from 0 to 10 on the five pixels of a hood."""
        high = value > 5
        for pixel in range(5):
            lit = pixel < (value - 5 if high else value)
            colour = colours.HIGH_NUMBER if high else colours.LOW_NUMBER
            self.over(group, pixel, colour if lit else (0, 0, 0))

    def render(self, now: int) -> bool:
        """Computes the frame if it is due. Returns whether it is to be shown. Does not allocate."""
        if not self.stale:
            if not self._animated or ticks_diff(now, self._shown_ms) < FRAME_MS:
                return False
        self._shown_ms = now
        self.stale = False
        self._look[_PHASE] = now & (_PERIOD_MS - 1)
        self._look[_ALONE] = self._alone
        self._animated = bool(self._paint(self._base, self._over, self.frame, self._look))
        return True

    def animated(self) -> bool:
        return self._animated or self.stale
