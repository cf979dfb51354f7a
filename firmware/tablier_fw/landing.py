"""Turn what beams, impact and floor sense into landings: time, proposed class, confidence and doubts.

A *visitor* is something that broke a beam or was felt; it counts as a card until shown otherwise. Each edge is assigned
to a visitor, and a landing is reported once its visitor has come to rest. The beams still broken then give the class:
the low tier *leaning*, the rim tier alone *rim*, none *flat*. ``firmware/LANDINGS.md`` explains the reasons, the source
of the numbers, and what cannot be told apart.

This module knows no clock and no hardware: edges carry their times, in ms that wrap as MicroPython's do. It allocates
nothing while nothing happens.
"""

from tablier_fw import wire

IMPACT = 8
"""The line of the impact latch; lines 0–3 are the low tier of beams, 4–7 the rim tier."""
FLOOR = 9
"""Lines 9 and 10 are the floor sensors, offer and pile: 1 is occupied. Unknown before their first edge."""
LIGHT = 16
"""Lines 16–23: stray light shines on the receiver of a beam, which is blind meanwhile. Comes before the edge that it
causes on the beam."""

SETTLE_MS = 120
"""Time from an impact to the report of its landing, at the least, …"""
CALM_MS = 60
"""… and after this much time without a change, …"""
LIMIT_MS = 240
"""… but no later than this: then it is reported as it lies."""
FLIGHT_MS = 150
"""Time from the first beam to the impact: what takes longer is not a card."""
TOGETHER_MS = 40
"""Time within which one card on its way in begins to break all its beams of the rim tier."""
FLICKER_MS = 2
"""A beam clear for no longer than this counts as never clear."""
SLAP_MS = 40
"""Time from a card's first touch until it is down, …"""
TOPPLE_MS = 90
"""… or if it stood above the rim. After that it may be felt again, …"""
FALL_OVER_MS = 130
"""… unless something else has come, until this long after its first touch …"""
BOUNCE_MS = 75
"""… or this long after its latest."""
PASS_MS = 70
"""A card that passes a beam breaks it for less than this; a hand does not."""
AT_ONCE_MS = 5
"""What breaks a beam of the rim tier this soon after an impact is the card; later it may be a hand."""
FALL_MS = 150
"""Time within which something that lay in a beam and falls, or slides flat, is felt."""
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
"""The percentage of the confidence that each doubt leaves."""


def elapsed(now: int, then: int) -> int:
    """Return the ms from then to now; both wrap. Use small integers only, which are not allocated."""
    ms = now - then & _WRAP
    return ms if ms <= _WRAP >> 1 else ms - _WRAP - 1


def _may_repeat(ms: int, first: int, latest: int) -> bool:
    """Return True if a card felt at these times may be felt once more."""
    return elapsed(ms, first) <= FALL_OVER_MS or elapsed(ms, latest) <= BOUNCE_MS


class Visitor:
    """Something that broke a beam or was felt."""

    def __init__(self, ms: int, us: int) -> None:
        self.ms = ms  # its first beam, or its impact where it broke none
        self.us = us  # its impact; until then its latest beam
        self.low = 0  # beams that it broke on its way
        self.rim = 0
        self.holds = 0  # beams that it breaks now, of both tiers
        self.impacts = 0
        self.felt_ms = 0  # its first impact, …
        self.again_ms = 0  # … and its latest
        self.changed_ms = ms  # the latest edge of any kind
        self.before: Visitor | None = None  # may be the same card: had just touched, or stood above the rim
        self.topples = False  # True if ``before`` stood above the rim
        self.near = False  # True if another impact was felt while this was flying
        self.slow = False  # True if it broke a beam for longer than a passing card does
        self.doubts = 0


class Landing:
    """The report of a card."""

    def __init__(self, us: int, kind: int, low: int, rim: int, impacts: int, confidence: int, doubts: int, number: int):
        self.us = us
        """Time of the impact, by the board's clock of the edges; of passing the low tier if it was not felt."""
        self.kind = kind
        self.low = low
        """The beams that it still breaks, tier by tier."""
        self.rim = rim
        self.impacts = impacts
        self.confidence = confidence
        """Probability, in percent, that this is one card and lies as reported."""
        self.doubts = doubts
        """Bits, named by :data:`tablier_fw.words.DOUBTS`."""
        self.number = number
        """Number of the landing, from 1; :meth:`Landings.next_moved` returns it."""


class Landings:
    """Take edges; return landings, in order, and which of them have moved since."""

    def __init__(self) -> None:
        self.number = 0
        self.still = True
        """True if nothing can be reported before the next edge: neither a landing nor a move."""
        self.impacts = 0
        """Number of impacts, of whatever kind."""
        self._broken = 0
        self._dim = 0  # beams whose receiver sees light from elsewhere
        self._since = [0] * IMPACT  # by beam: when it changed last
        self._of: list = [None] * IMPACT  # by beam: the visitor that broke it last, until that is reported
        self._lying = [0] * IMPACT  # by beam: the number of the landing that lies in it, or 0
        self._lain_in = 0  # the beams of these
        self._visitors: list = []  # oldest first
        self._floor = 0
        self._floor_known = False
        self._felt = False  # True while the latest landing may be felt again
        self._felt_ms = 0
        self._again_ms = 0
        self._freed = False  # True while something that lay in a beam may be falling
        self._freed_ms = 0

    # -- edges ---------------------------------------------------------------------------------------------

    def edge(self, ms: int, line: int, level: int, us: int) -> None:
        """Take an edge: a beam broken (1) or clear (0), an impact (1), a change of the floor or of the light."""
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
        """Return the visitor that has just begun to come in, or a new one."""
        if self._visitors:
            newest = self._visitors[-1]
            if not newest.impacts and not newest.rim & bit and elapsed(ms, newest.ms) <= TOGETHER_MS:
                return newest
        return self._new(ms, us)

    def _visitor_in_low(self, ms: int, us: int, bit: int) -> "Visitor | None":
        """Return the first visitor on its way in, or the one that has just come down, or a new one.

        Return None if the edge belongs to a card that lies there already.
        """
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
        if self._may_be_falling(ms) or self._may_echo(ms):
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
            return  # the light only outshines what is there
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
            if self._may_be_falling(ms) or self._may_echo(ms):
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
        if self._strange_beams():
            visitor.doubts |= wire.HAND
        for other in self._visitors:
            if not other.impacts:
                other.near = True

    def _struck_by(self, ms: int) -> "Visitor | None":
        """Return the visitor that caused an impact: one past both tiers, else coming down, else on its way in."""
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
            if coming is None and _may_repeat(ms, landed.felt_ms, landed.again_ms):
                return landed
        return passed or coming

    def _rest_of(self, visitor: Visitor) -> "Visitor | None":
        """Return the card that touched just before, if this visitor is only its far side coming down over other beams.

        It is if they share no broken beam, and this one has not passed while the other stays in its beams.
        """
        before = visitor.before
        if before is None or before not in self._visitors or visitor.rim & before.rim or visitor.low & before.low:
            return None
        if before.holds and not visitor.holds:
            return None
        return before

    def _join(self, visitor: Visitor, before: Visitor) -> None:
        """Merge a visitor into the card that touched just before."""
        before.rim |= visitor.rim
        before.low |= visitor.low
        before.slow = before.slow or visitor.slow
        before.holds |= visitor.holds
        before.changed_ms = visitor.changed_ms
        for line in range(IMPACT):
            if self._of[line] is visitor:
                self._of[line] = before
        self._visitors.remove(visitor)

    # -- interpretation ------------------------------------------------------------------------------------

    def _strange_beams(self) -> int:
        """Return the beams broken by something that is not a card."""
        beams = self._broken & ~self._lain_in
        for visitor in self._visitors:
            beams &= ~visitor.holds
        return beams

    def _may_be_falling(self, ms: int) -> bool:
        """Return True if something has just left a beam in which it lay."""
        return self._freed and elapsed(ms, self._freed_ms) <= FALL_MS

    def _may_echo(self, ms: int) -> bool:
        """Return True if the latest reported landing may be felt again."""
        return self._felt and _may_repeat(ms, self._felt_ms, self._again_ms)

    # -- reports -------------------------------------------------------------------------------------------

    def broken(self) -> int:
        """Return the beams broken now, a bit each."""
        return self._broken

    def is_coming(self) -> bool:
        """Return True while something that broke a beam is on its way in or has not settled."""
        for visitor in self._visitors:
            if visitor.rim or visitor.low:
                return True
        return False

    def is_settling(self) -> bool:
        """Return True while anything is on its way in or has not settled: a landing may follow."""
        return bool(self._visitors)

    # The variables of a larger function are on the heap, so what is called in every tick is small.

    def next_landing(self, now: int) -> "Landing | None":
        """Return the next :class:`Landing`, or None."""
        if self._freed or self._felt:
            self._freed = self._may_be_falling(now)
            self._felt = self._may_echo(now)
        return self._settle(now) if self._visitors else None

    def _settle(self, now: int) -> "Landing | None":
        while self._visitors and self._rests(self._visitors[0], now):
            visitor = self._visitors.pop(0)
            landing = self._classify(visitor)
            for line in range(IMPACT):
                if self._of[line] is visitor:
                    self._of[line] = None
            if landing is not None:
                return landing
        return None

    def _rests(self, visitor: Visitor, now: int) -> bool:
        """Return True if a visitor has come to rest."""
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
        """Return True once it is known if the next visitor was its own far side, which was not felt."""
        if after.before is not visitor or after.impacts:
            return True
        if elapsed(now, after.ms) < FLIGHT_MS:
            return False
        if self._rest_of(after):
            whole = visitor.low and visitor.rim and not after.topples
            if after.low or not whole or elapsed(after.ms, visitor.felt_ms) <= AT_ONCE_MS:
                self._join(after, visitor)
            else:
                after.near = False  # seen by the rim tier alone: a hand
        return True

    def _classify(self, visitor: Visitor) -> "Landing | None":
        """Return the landing of a visitor at rest, or None if it was not a card."""
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
        masked = (self._broken & self._lain_in) | self._dim | (self._strange_beams() & ~visitor.holds)
        if masked:
            doubts |= wire.MASKED
        if not visitor.low and not visitor.rim:
            doubts |= wire.UNSEEN
        elif (not visitor.low and kind != RIM and not _are_several(masked & _LOW)) or (
            not visitor.rim and not _are_several(masked & _RIM)
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

    def next_moved(self, now: int) -> int:
        """Return the number of the next landing whose beams are all clear again, or 0; after :meth:`next_landing`."""
        if self._lain_in & ~self._broken & ~self._dim:
            return self._next_moved(now)
        self.still = not (self._visitors or self._felt or self._freed)
        return 0

    def _next_moved(self, now: int) -> int:
        loose = self._lain_in & ~self._broken & ~self._dim
        for line in range(IMPACT):
            if loose >> line & 1 and elapsed(now, self._since[line]) >= FREE_MS:
                number = self._lying[line]
                self._lying[line] = 0
                self._lain_in &= ~(1 << line)
                if number not in self._lying:
                    return number
        return 0


def _are_several(beams: int) -> bool:
    """Return True if more than one bit is set."""
    return bool(beams & (beams - 1))


def _confidence(doubts: int) -> int:
    confidence = _SURE
    for doubt, share in _SHARE.items():
        if doubts & doubt:
            confidence = confidence * share // 100
    return confidence
