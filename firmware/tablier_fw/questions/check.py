"""Check: ask nobody; report the sensors, after measuring them if the message says so.

Nothing else is sensed while they are measured: first with all emitters dark, to find stray light and false impacts;
then with less and less light, until every beam reads broken. A table without an arena reports its buttons alone.

Used only by self-test and calibration: this module is not made small or fast.
"""

from time import ticks_diff

from tablier_fw import wire
from tablier_fw.questions import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Examiner
    from tablier_fw.parts import Parts

BEAMS = 8
TELL_MS = 200
DARK_TURNS = 50
"""So often it is looked for light from elsewhere, for 10 ms each, in about a second."""
STEP = 4
"""In percent of the light: about what the PWM that dims the emitters can tell apart."""
_UNKNOWN = 0xFF


class Check(Question):
    timed = True

    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, flags = wire.CHECK.unpack(payload)
        super().__init__(parts, id, 0)
        self._examiner = parts.board.examiner() if parts.board.equipment.arena else None
        self._margins = bytearray([_UNKNOWN] * BEAMS)
        self._blinded = bytearray([_UNKNOWN] * BEAMS)
        self._lit = [0] * BEAMS
        self._samples = 0
        self._turns = 0
        self._level = 100
        self._seen = 0
        self._hits = 0
        self._floor = (0, 0)
        self._impacts = parts.landings.impacts
        self._told_ms = parts.board.now_ms() - TELL_MS & 0x3FFFFFFF
        self._measures = False
        self._measured = False
        if flags & wire.MEASURE:
            self._measured = self._examiner is None  # without an arena there is nothing to measure
            if self._examiner:
                self._measures = True
                self._examiner.begin()

    def may_peek(self, place: int, button: int) -> bool:
        return False  # the buttons of all places are told

    def end(self) -> None:
        if self._measures and self._examiner:
            self._measures = False
            self._examiner.end()

    def tick(self, now: int) -> None:
        examiner = self._examiner
        if self._measures and examiner:
            self._measure(examiner)
        else:
            self._seen |= self.parts.landings.broken()
        if ticks_diff(now, self._told_ms) >= TELL_MS:
            self._told_ms = now
            if not self._measures and examiner:
                self._floor = examiner.floor()
            self._tell()

    def _measure(self, examiner: "Examiner") -> None:
        if self._turns < DARK_TURNS:
            self._turns += 1
            samples, hit = examiner.dark(self._lit)
            self._samples += samples
            self._hits += hit
        elif self._level >= 0:
            self._dim(examiner)
        else:
            for beam in range(BEAMS):
                self._blinded[beam] = (100 * self._lit[beam] + self._samples - 1) // self._samples  # never down to 0
                if self._margins[beam] == _UNKNOWN:
                    self._margins[beam] = 100  # clear in the dark: it is none of ours that it sees
            self._measured = True
            self._impacts = self.parts.landings.impacts
            self.end()

    def _dim(self, examiner: "Examiner") -> None:
        """Read the beams at this much light, then dim them further."""
        broken = examiner.broken(self._level)
        for beam in range(BEAMS):
            if broken >> beam & 1 and self._margins[beam] == _UNKNOWN:
                # The least light at which it was clear is a step more.
                self._margins[beam] = max(0, 100 - self._level - STEP)
        self._level -= STEP

    def _tell(self) -> None:
        parts = self.parts
        felt = self._hits + parts.landings.impacts - self._impacts
        self.parts.link.send(
            wire.SENSED,
            wire.SENSED.pack(
                self.id,
                self._measured,
                parts.landings.broken(),
                self._seen,
                bytes(self._margins),
                bytes(self._blinded),
                self._floor[0],
                self._floor[1],
                min(felt, 255),
                parts.buttons.stable,
                parts.board.faults(),
            ),
        )
