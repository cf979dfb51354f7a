"""From beams and impacts to landings: when, and a proposed class.

An impact is a landing, unless no beam was broken since the one before: then the same card has bounced. After
:data:`SETTLE_MS` the beams that this card has broken and that are still broken tell its class: the rim tier *rim*, the
low tier *leaning*, none *flat*. Beams that earlier cards hold broken tell nothing new, and neither do beams that the
next card breaks on its way in. Nothing senses a card that falls outside.
"""

from time import ticks_diff

SETTLE_MS = 120
IMPACT = 8
"""The line of the impact latch; lines 0–3 are the low tier of beams, 4–7 the rim tier."""
LOW_FLIGHT_MS, RIM_FLIGHT_MS = 30, 60
"""From a beam of each tier to the impact, a falling card takes less than this."""
_LOW, _RIM = 0x0F, 0xF0
FLAT, LEANING, RIM = 0, 1, 2


class Landings:
    def __init__(self) -> None:
        self._broken = 0
        self._before = 0  # beams that earlier cards hold broken
        self._since = [0] * IMPACT  # by beam: when it was broken last, in ms
        self._passed = False  # whether a beam was broken since the last impact
        self._flying = False  # whether that was so recently that the impact may follow
        self._flying_ms = 0
        self._waiting: list = []  # [ms of impact, µs of impact on the board's long clock, impacts], oldest first

    def edge(self, ms: int, line: int, level: int, us: int) -> None:
        """Takes an edge: a beam broken (1) or clear (0), or an impact (1)."""
        if line == IMPACT:
            if level:
                self._impact(ms, us)
        elif level:
            self._broken |= 1 << line
            self._since[line] = ms
            self._passed = self._flying = True
            self._flying_ms = ms
        else:
            self._broken &= ~(1 << line)
            self._before &= ~(1 << line)

    def _impact(self, ms: int, us: int) -> None:
        if self._waiting and not self._passed:
            self._waiting[-1][2] += 1
        else:
            self._waiting.append([ms, us, 1])
        self._passed = self._flying = False

    def settling(self) -> bool:
        """Whether a landing is about to be told: a card is on its way in, or has not settled."""
        return self._flying or bool(self._waiting)

    def settled(self, now: int):  # type: ignore[no-untyped-def]
        """(time of impact in µs, class, low beams, rim beams, impacts felt) of the next landing, or None."""
        if self._flying and ticks_diff(now, self._flying_ms) >= RIM_FLIGHT_MS:
            self._flying = False
        return self._settle(now) if self._waiting else None

    def _settle(self, now: int):  # type: ignore[no-untyped-def]
        age = ticks_diff(now, self._waiting[0][0])
        if age < SETTLE_MS:
            return None
        new = self._broken & ~self._before
        for line in range(IMPACT):
            if not new >> line & 1:
                continue
            since = self._since[line]
            flight = RIM_FLIGHT_MS if line >= 4 else LOW_FLIGHT_MS
            if len(self._waiting) > 1 and ticks_diff(self._waiting[1][0], since) < flight:
                new &= ~(1 << line)  # the next card did that
            elif ticks_diff(now, since) < flight:
                if age < 2 * SETTLE_MS:
                    return None  # perhaps a card on its way in: a moment will tell
                new &= ~(1 << line)
        self._before |= new
        _, us, impacts = self._waiting.pop(0)
        kind = RIM if new & _RIM else LEANING if new & _LOW else FLAT
        return us, kind, new & _LOW, new >> 4, impacts
