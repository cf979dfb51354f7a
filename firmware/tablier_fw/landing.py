"""From beams and impacts to landings: when, and a proposed class.

An impact is a landing. After :data:`SETTLE_MS` the beams that stayed broken since then tell its class: the rim tier
*rim*, the low tier *leaning*, none *flat*. Beams that were already broken before tell nothing new. Nothing senses a
card that falls outside.
"""

from time import ticks_diff

SETTLE_MS = 120
IMPACT = 8
"""The line of the impact latch; lines 0–3 are the low tier of beams, 4–7 the rim tier."""
_LOW, _RIM = 0x0F, 0xF0
FLAT, LEANING, RIM = 0, 1, 2


class Landings:
    def __init__(self) -> None:
        self._broken = 0
        self._before = 0  # beams that earlier cards hold broken
        self._waiting: list = []  # (impact ms, impact µs of the host's or board's long clock), oldest first

    def edge(self, ms: int, line: int, level: int, us: int) -> None:
        """Takes an edge: a beam broken (1) or clear (0), or an impact (1)."""
        if line == IMPACT:
            if level:
                self._waiting.append((ms, us))
        elif level:
            self._broken |= 1 << line
        else:
            self._broken &= ~(1 << line)
            self._before &= ~(1 << line)

    def settling(self) -> bool:
        return bool(self._waiting)

    def settled(self, now: int):  # type: ignore[no-untyped-def]
        """(time of impact in µs, class, low beams, rim beams, impacts still settling) of the next landing, or None."""
        if not self._waiting or ticks_diff(now, self._waiting[0][0]) < SETTLE_MS:
            return None
        _, us = self._waiting.pop(0)
        new = self._broken & ~self._before
        self._before = self._broken
        kind = RIM if new & _RIM else LEANING if new & _LOW else FLAT
        return us, kind, new & _LOW, new >> 4, len(self._waiting)
