"""From beams, impacts and the floor to landings: when, a proposed class, how sure that is, and what speaks against it.

A *visitor* is something that has broken a beam or was felt: a card, until it turns out to be none. Beams and impacts
are given to visitors as they come, and a landing is told when its visitor has come to rest. What stays broken then
tells the class: both tiers or the low tier *leaning*, the rim tier alone *rim*, none *flat*. ``firmware/LANDINGS.md``
says why, where the numbers come from, and what cannot be told apart.

Knows no clock and no hardware: edges carry their times, in ms that wrap as MicroPython's do. Nothing is allocated
while nothing happens.
"""

from tablier_fw import wire

IMPACT = 8
"""The line of the impact latch; lines 0–3 are the low tier of beams, 4–7 the rim tier."""
FLOOR = 9
"""Lines 9 and 10 are the floor sensors, offer and pile: 1 is occupied. Without any edge they are not known."""
LIGHT = 16
"""Lines 16–23: light from elsewhere shines on the receiver of a beam, so that it cannot tell. Told before what it makes
of the beam."""

SETTLE_MS = 120
"""A landing is told so long after its impact, at the earliest."""
CALM_MS = 60
"""And when nothing has changed for so long, …"""
LIMIT_MS = 240
"""… but not later than this: it is told as it lies then."""
FLIGHT_MS = 150
"""From its first beam to its impact, a card takes less than this. What does not is none."""
TOGETHER_MS = 40
"""The beams of the rim tier that one card breaks on its way in, it begins to break within this time."""
FLICKER_MS = 2
"""A beam that is clear for no longer than this was never clear."""
SLAP_MS = 40
"""After its first touch a card comes down within this, …"""
TOPPLE_MS = 90
"""… or within this if it stood above the rim. Then it may be felt again, …"""
FALL_OVER_MS = 130
"""… if nothing else has come, within this after its first touch, …"""
BOUNCE_MS = 75
"""… or within this after its latest."""
PASS_MS = 70
"""A card that passes a beam breaks it for less than this; a hand does not."""
AT_ONCE_MS = 5
"""What breaks a beam of the rim tier so soon after an impact is the card; later it may be a hand."""
FALL_MS = 150
"""What lay in a beam and falls, or slides flat, is felt within this."""
FREE_MS = 100
"""A beam that a card lies in may flicker for less than this."""

_LOW, _RIM = 0x0F, 0xF0
_WRAP = 0x3FFFFFFF
FLAT, LEANING, RIM = 0, 1, 2

_SURE = 97
_SHARE = {
    wire.UNSEEN: 15,
    wire.UNFELT: 85,
    wire.HALF: 26,
    wire.BOTH: 87,
    wire.MASKED: 95,
    wire.CROWDED: 92,
    wire.HAND: 90,
    wire.RESTLESS: 94,
    wire.EMPTY: 10,
}
"""What is left of the confidence, in percent, for each doubt."""


def elapsed(now: int, then: int) -> int:
    """ms from then to now; both wrap. In small numbers only, which are not allocated."""
    ms = now - then & _WRAP
    return ms if ms <= _WRAP >> 1 else ms - _WRAP - 1


def _again(ms: int, first: int, latest: int) -> bool:
    """Whether a card that was felt then may be felt again."""
    return elapsed(ms, first) <= FALL_OVER_MS or elapsed(ms, latest) <= BOUNCE_MS


class Visitor:
    """Something that came in."""

    def __init__(self, ms: int, us: int) -> None:
        self.ms = ms  # its first beam, or its impact where it broke none
        self.us = us  # its impact; until then its latest beam
        self.low = 0  # beams that it broke on its way
        self.rim = 0
        self.holds = 0  # those that it breaks now, of both tiers
        self.impacts = 0
        self.felt_ms = 0  # its first impact, …
        self.again_ms = 0  # … and its latest
        self.changed_ms = ms  # whatever was felt of it last
        self.before: Visitor | None = None  # one that had just touched when this came, or stood above the rim: it may
        self.topples = False  # be the same card; whether it stood so
        self.near = False  # whether another one's impact was felt while it was flying
        self.slow = False  # whether it broke a beam for longer than a card that passes
        self.doubts = 0


class Landing:
    """What is told of a card."""

    def __init__(self, us: int, kind: int, low: int, rim: int, impacts: int, confidence: int, doubts: int, number: int):
        self.us = us
        """When it was felt, by the board's clock of the edges; when it passed the low tier, where it was not felt."""
        self.kind = kind
        self.low = low
        """The beams that it stays in, tier by tier."""
        self.rim = rim
        self.impacts = impacts
        self.confidence = confidence
        """How likely it is, in percent, that this is one card and lies as it is told."""
        self.doubts = doubts
        """Bits, as :data:`tablier_fw.words.DOUBTS` names them."""
        self.number = number
        """Counts all landings, from 1; :meth:`Landings.moved` speaks of them by it."""


class Landings:
    """Takes edges; tells landings, in order, and which of them have moved since."""

    def __init__(self) -> None:
        self.number = 0
        self.still = True
        """Whether nothing will be told before the next edge: neither a landing nor that one has moved."""
        self.impacts = 0
        """Counts all impacts, whatever they are of."""
        self._broken = 0
        self._dim = 0  # beams whose receiver sees light from elsewhere
        self._since = [0] * IMPACT  # by beam: when it changed last
        self._of: list = [None] * IMPACT  # by beam: the visitor that broke it last, until that is told
        self._lying = [0] * IMPACT  # by beam: the number of the landing that lies in it, or 0
        self._lain_in = 0  # the beams of these
        self._visitors: list = []  # oldest first
        self._floor = 0
        self._floor_known = False
        self._felt = False  # whether the latest landing that was told may still be felt
        self._felt_ms = 0
        self._again_ms = 0
        self._freed = False  # whether something that lay in a beam may be falling
        self._freed_ms = 0

    # -- what comes in -------------------------------------------------------------------------------------

    def edge(self, ms: int, line: int, level: int, us: int) -> None:
        """Take an edge: a beam broken (1) or clear (0), an impact (1), a change on the floor or of the light."""
        self.still = False
        if line < IMPACT:
            if level:
                self._break(ms, line, us)
            else:
                self._clear(ms, line)
        elif line == IMPACT:
            if level:
                self.impacts += 1
                self._impact(ms, us)
        elif line >= LIGHT:
            self._shine(ms, line - LIGHT, level)
        else:
            bit = 1 << (line - FLOOR)
            self._floor = self._floor | bit if level else self._floor & ~bit
            self._floor_known = True

    def _break(self, ms: int, line: int, us: int) -> None:
        bit = 1 << line
        flickers = elapsed(ms, self._since[line]) <= FLICKER_MS
        self._broken |= bit
        self._since[line] = ms
        if self._lying[line]:
            return  # the card that lies in it is back
        visitor = self._of[line]
        if visitor is None or not flickers:
            visitor = self._visitor_in_rim(ms, us, bit) if bit & _RIM else self._visitor_in_low(ms, us, bit)
            self._of[line] = visitor
        if visitor is not None:
            visitor.changed_ms = ms
            visitor.holds |= bit
            if not visitor.impacts:
                visitor.us = us
            if bit & _RIM:
                visitor.rim |= bit
            else:
                visitor.low |= bit

    def _visitor_in_rim(self, ms: int, us: int, bit: int) -> Visitor:
        """The one that has just begun to come in, or a new one."""
        if self._visitors:
            newest = self._visitors[-1]
            if not newest.impacts and not newest.rim & bit and elapsed(ms, newest.ms) <= TOGETHER_MS:
                return newest
        return self._new(ms, us)

    def _visitor_in_low(self, ms: int, us: int, bit: int) -> "Visitor | None":
        """The first of those on their way in, or the one that has just come down, or a new one."""
        passed = None
        for visitor in self._visitors:
            if not visitor.impacts and visitor.rim and elapsed(ms, visitor.ms) < FLIGHT_MS and not visitor.low & bit:
                if not visitor.low or visitor.holds & _LOW:
                    return visitor
                passed = passed or visitor
        if passed:
            return passed
        if self._visitors:
            newest = self._visitors[-1]
            if elapsed(ms, newest.felt_ms if newest.impacts else newest.ms) <= TOPPLE_MS:
                return newest
        if self._falling(ms) or self._echo(ms):
            return None
        return self._new(ms, us)

    def _new(self, ms: int, us: int) -> Visitor:
        visitor = Visitor(ms, us)
        if self._visitors:
            newest = self._visitors[-1]
            if not newest.impacts or elapsed(ms, newest.felt_ms) <= SLAP_MS:
                newest.doubts |= wire.CROWDED
                visitor.doubts |= wire.CROWDED
                stands = newest.low and newest.holds & _RIM
                if stands or newest.impacts:
                    visitor.before = newest
                    visitor.topples = bool(stands)
        self._visitors.append(visitor)
        return visitor

    def _clear(self, ms: int, line: int) -> None:
        bit = 1 << line
        if self._dim & bit:
            return  # so it seems: the light is stronger
        self._broken &= ~bit
        visitor = self._of[line]
        if visitor is not None:
            visitor.changed_ms = ms
            visitor.holds &= ~bit
            if elapsed(ms, self._since[line]) > PASS_MS:
                visitor.slow = True
        elif self._lying[line] or elapsed(ms, self._since[line]) > FLIGHT_MS:
            self._freed = True
            self._freed_ms = ms
        self._since[line] = ms

    def _shine(self, ms: int, line: int, level: int) -> None:
        if level:
            self._dim |= 1 << line
        else:
            self._dim &= ~(1 << line)
            if self._broken >> line & 1:
                self._clear(ms, line)  # if it is broken still, that is told next

    def _impact(self, ms: int, us: int) -> None:
        visitor = self._struck_by(ms)
        if visitor is None:
            if self._falling(ms) or self._echo(ms):
                return
            visitor = self._new(ms, us)
        else:
            before = self._rest_of(visitor)
            limit = TOPPLE_MS if visitor.topples else SLAP_MS
            if before is not None and before.impacts and elapsed(ms, before.felt_ms) <= limit:
                self._join(visitor, before)
                visitor = before
        if not visitor.impacts:
            visitor.felt_ms = ms
            visitor.us = us
        visitor.impacts += 1
        visitor.again_ms = ms
        visitor.changed_ms = ms
        if self._strange():
            visitor.doubts |= wire.HAND
        for other in self._visitors:
            if not other.impacts:
                other.near = True

    def _struck_by(self, ms: int) -> "Visitor | None":
        """Whose impact it is: one that has passed both tiers, one that is just coming down, one that is on its way."""
        coming = landed = passed = None
        for visitor in self._visitors:
            if visitor.impacts:
                landed = visitor
            elif elapsed(ms, visitor.ms) < FLIGHT_MS:
                if visitor.low:
                    return visitor
                if not visitor.holds & _RIM:
                    passed = passed or visitor
                coming = coming or visitor
        if landed is not None:
            if elapsed(ms, landed.felt_ms) <= SLAP_MS:
                return landed
            if coming is None and _again(ms, landed.felt_ms, landed.again_ms):
                return landed
        return passed or coming

    def _rest_of(self, visitor: Visitor) -> "Visitor | None":
        """The card that had touched just before, if this is only its far side that comes down over other beams: both
        have broken none of the same, and this one has not passed while the other stays in its beams."""
        before = visitor.before
        if before is None or before not in self._visitors or visitor.rim & before.rim or visitor.low & before.low:
            return None
        if before.holds and not visitor.holds:
            return None
        return before

    def _join(self, visitor: Visitor, before: Visitor) -> None:
        """Make it one with the card that had touched just before."""
        before.rim |= visitor.rim
        before.low |= visitor.low
        before.slow = before.slow or visitor.slow
        before.holds |= visitor.holds
        before.changed_ms = visitor.changed_ms
        for line in range(IMPACT):
            if self._of[line] is visitor:
                self._of[line] = before
        self._visitors.remove(visitor)

    # -- what that means -----------------------------------------------------------------------------------

    def _strange(self) -> int:
        """The beams that something breaks that is no card."""
        beams = self._broken & ~self._lain_in
        for visitor in self._visitors:
            beams &= ~visitor.holds
        return beams

    def _falling(self, ms: int) -> bool:
        """Whether something has just left a beam in which it lay."""
        return self._freed and elapsed(ms, self._freed_ms) <= FALL_MS

    def _echo(self, ms: int) -> bool:
        """Whether the latest landing that was told may still be felt."""
        return self._felt and _again(ms, self._felt_ms, self._again_ms)

    # -- what is told --------------------------------------------------------------------------------------

    def broken(self) -> int:
        """The beams that are broken now, a bit for each."""
        return self._broken

    def coming(self) -> bool:
        """Return True while a card is on its way in or has not settled: something that broke a beam."""
        for visitor in self._visitors:
            if visitor.rim or visitor.low:
                return True
        return False

    def settling(self) -> bool:
        """Whether a landing may be about to be told: something is on its way in, or has not settled."""
        return bool(self._visitors)

    # The variables of a larger function are on the heap, so what is called in every tick is small.

    def settled(self, now: int) -> "Landing | None":
        """The next :class:`Landing`, or None."""
        if self._freed or self._felt:
            self._freed = self._falling(now)
            self._felt = self._echo(now)
        return self._settle(now) if self._visitors else None

    def _settle(self, now: int) -> "Landing | None":
        while self._visitors and self._rests(self._visitors[0], now):
            visitor = self._visitors.pop(0)
            landing = self._landing(visitor)
            for line in range(IMPACT):
                if self._of[line] is visitor:
                    self._of[line] = None
            if landing is not None:
                return landing
        return None

    def _rests(self, visitor: Visitor, now: int) -> bool:
        """Whether there is nothing more to wait for."""
        if not visitor.impacts:
            return elapsed(now, visitor.ms) >= FLIGHT_MS
        age = elapsed(now, visitor.felt_ms)
        restless = elapsed(now, visitor.changed_ms) < CALM_MS
        if age < SETTLE_MS or (restless and age < LIMIT_MS):
            return False
        if restless:
            visitor.doubts |= wire.RESTLESS
        return len(self._visitors) == 1 or self._has_come_down(visitor, self._visitors[1], now)

    def _has_come_down(self, visitor: Visitor, after: Visitor, now: int) -> bool:
        """Whether it is clear if what came next was its own far side, and was not felt."""
        if after.before is not visitor or after.impacts:
            return True
        if elapsed(now, after.ms) < FLIGHT_MS:
            return False
        if self._rest_of(after):
            whole = visitor.low and visitor.rim and not after.topples
            if after.low or not whole or elapsed(after.ms, visitor.felt_ms) <= AT_ONCE_MS:
                self._join(after, visitor)
            else:
                after.near = False  # what the rim tier alone sees of it is a hand
        return True

    def _landing(self, visitor: Visitor) -> "Landing | None":
        """What a visitor at rest was; None if it was no card."""
        doubts = visitor.doubts
        low, rim = visitor.holds & _LOW, visitor.holds & _RIM
        if visitor.impacts:
            self._felt = True
            self._felt_ms, self._again_ms = visitor.felt_ms, visitor.again_ms
        else:
            passed = visitor.rim and visitor.low and not visitor.slow and not low and not rim
            if not passed and not (visitor.near and (low or rim)):
                return None
            doubts |= wire.UNFELT
        kind = LEANING if low else RIM if rim else FLAT
        if low and rim:
            doubts |= wire.BOTH
        masked = (self._broken & self._lain_in) | self._dim | (self._strange() & ~visitor.holds)
        if masked:
            doubts |= wire.MASKED
        if not visitor.low and not visitor.rim:
            doubts |= wire.UNSEEN
        elif (not visitor.low and kind != RIM and not _several(masked & _LOW)) or (
            not visitor.rim and not _several(masked & _RIM)
        ):
            doubts |= wire.HALF
        if kind == FLAT and self._floor_known and not self._floor:
            doubts |= wire.EMPTY
        self.number += 1
        for line in range(IMPACT):
            if (low | rim) >> line & 1:
                self._lying[line] = self.number
        self._lain_in |= low | rim
        return Landing(visitor.us, kind, low, rim >> 4, visitor.impacts, _confidence(doubts), doubts, self.number)

    def moved(self, now: int) -> int:
        """The number of the next landing whose beams are all clear again, or 0. To be asked after :meth:`settled`."""
        if self._lain_in & ~self._broken & ~self._dim:
            return self._moved(now)
        self.still = not (self._visitors or self._felt or self._freed)
        return 0

    def _moved(self, now: int) -> int:
        loose = self._lain_in & ~self._broken & ~self._dim
        for line in range(IMPACT):
            if loose >> line & 1 and elapsed(now, self._since[line]) >= FREE_MS:
                number = self._lying[line]
                self._lying[line] = 0
                self._lain_in &= ~(1 << line)
                if number not in self._lying:
                    return number
        return 0


def _several(beams: int) -> bool:
    """Whether more than one is set."""
    return bool(beams & (beams - 1))


def _confidence(doubts: int) -> int:
    confidence = _SURE
    for doubt, share in _SHARE.items():
        if doubts & doubt:
            confidence = confidence * share // 100
    return confidence
