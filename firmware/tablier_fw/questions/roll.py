"""Roll: chance that neither the table nor the host can bend.

The table commits to a nonce. When that is durable the host contributes bytes of its own, and the table reveals its
nonce: both sides derive the same outcomes from the two. Where the message names a place, its ``b`` starts the roll.

The host knows the outcomes as soon as it has the nonce. To keep it from rolling again unseen, or from painting a roll
that never was, a roll tumbles on the ring before the table commits, shows its outcome at once, between marks that no
message can name, and stands for a while before any other question is asked. A committed roll that is dropped before its
outcome is durable counts as abandoned.
"""

import struct
from time import ticks_diff

from tablier_fw import colours, rolls, wire
from tablier_fw.questions import PENDING, TAKEN, Question
from tablier_fw.rolls import STAND_MS, TUMBLE_MS
from tablier_fw.scene import BLINK, CHASE, STEADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

_SECTOR = 5  # pixels of the ring in front of each place
_HOOD = wire.GROUPS[wire.HOOD]
_TURN = 6  # log2 of the ms for which a tumbling die shows a face
_DARK = (0, 0, 0)
_OPEN, _TUMBLES, _COMMITTED, _STANDS, _STOOD = 0, 1, 2, 3, 4


class Roll(Question):
    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, self._place, self._audience, self._ranges = wire.ROLL.unpack(payload)
        self.secret = self._audience != wire.EVERYBODY
        self._ring = parts.scene.ring
        self._dice = self._sides(self._ring - 4)
        self._first = max(0, self._place - 1) * _SECTOR  # the pixel of the first die
        self._nonce = b""
        self._commitment = b""
        self._contribution = b""
        self._committed = 0  # the numbers of the two events
        self._revealed = 0
        self._acknowledged = False
        self._phase = _OPEN
        self._since_ms = 0
        self._turn = -1
        super().__init__(parts, id, 1 << self._place - 1 if self._place else 0)

    def _sides(self, most: int) -> bytes:
        """Return the number of faces of each die; empty if a number has no face, or there are too many dice."""
        ranges = struct.unpack("<%dH" % (len(self._ranges) // 2), self._ranges)
        return bytes(ranges) if max(ranges) <= len(colours.FACES) and len(ranges) <= most else b""

    def press(self, place: int, button: int) -> None:
        if button == wire.B and self.waits(place):
            self._numbers[place] = wire.MAX_ID  # pending until the table has committed, at least
            self.set(place, PENDING)
            self._tumble()

    def withholds(self) -> bool:
        return self._phase == _TUMBLES or self._phase == _COMMITTED

    def stands(self) -> bool:
        return self._phase == _STANDS

    def tick(self, now: int) -> None:
        phase = self._phase
        if phase == _TUMBLES or phase == _COMMITTED:
            if now >> _TURN != self._turn:
                self._turn = now >> _TURN
                self._turn_dice()
        elif phase == _STOOD:
            return
        journal = self.parts.journal
        if phase == _OPEN:
            if not self._place:
                self._tumble()
        elif phase == _TUMBLES:
            if ticks_diff(now, self._since_ms) >= TUMBLE_MS and (self._place or journal.has_room()):
                self._commit()
        elif phase == _COMMITTED:
            if self._contribution and journal.acked >= self._committed and journal.has_room():
                self._reveal()
        elif ticks_diff(now, self._since_ms) >= STAND_MS:
            self._phase = _STOOD
            self.parts.changed = True

    # -- the course of a roll --------------------------------------------------------------------------------------

    def _tumble(self) -> None:
        self._phase = _TUMBLES
        self._since_ms = self.parts.board.now_ms()
        self.timed = True
        self.parts.scene.fill(wire.RING, colours.ROLLING, CHASE)
        self._mark()

    def _turn_dice(self) -> None:
        """Show the next face of each die. Do not allocate."""
        for die in range(len(self._dice)):
            self._light(self._first + die, colours.FACE_LOOKS[(self._turn + die) % self._dice[die]])

    def _commit(self) -> None:
        parts = self.parts
        place = self._place
        nonce = parts.board.entropy(16)
        bound = rolls.commitment(parts.board.id, parts.boot, self.id, place, self._ranges, nonce)
        roll = parts.ledger.begun + 1
        if not place:
            parts.journal.add(wire.COMMITTED, self.id, place, bound, roll)
        elif not self.report(place, wire.COMMITTED, bound, roll):
            self._stop()  # the place has to press again
            return
        self._nonce, self._commitment = nonce, bound
        self._committed = parts.journal.number
        self._phase = _COMMITTED
        parts.ledger.begun = roll
        parts.ledger.note(wire.COMMITTED, self._committed, self.id, place, bound + struct.pack("<I", roll))

    def _stop(self) -> None:
        self._phase = _OPEN
        self.timed = False
        self.parts.scene.fill(wire.RING, None)

    def contribute(self, id: int, commitment: bytes, contribution: bytes) -> bool:
        """Take the host's bytes, once, if they are for this roll and this commitment."""
        if id != self.id or self._contribution or not self._committed or commitment != self._commitment:
            return False
        self._contribution = contribution
        return True

    def _reveal(self) -> None:
        parts = self.parts
        self._revealed = parts.journal.add(wire.REVEALED, self.id, self._place, self._nonce)
        self._phase = _STANDS
        self._since_ms = parts.board.now_ms()
        parts.ledger.revealed += 1
        parts.ledger.note(wire.REVEALED, self._revealed, self.id, self._place, self._nonce + self._contribution)
        self._show_outcome()

    def take_ack(self, number: int) -> None:
        super().take_ack(number)
        if self._revealed and number >= self._revealed and not self._acknowledged:
            self._acknowledged = True
            self.parts.ledger.acknowledged += 1
            self._show_state()

    def is_over(self) -> bool:
        return self._acknowledged and (not self._place or self.get(self._place) == TAKEN)

    def end(self) -> None:
        if self._committed and not self._acknowledged:
            self.parts.ledger.abandon()

    # -- what is shown ---------------------------------------------------------------------------------------------

    # On the ring: state, mark, dice, mark, state, and nothing else. What cannot be shown, or not to everybody, is a
    # roll without dice.

    def _show_outcome(self) -> None:
        parts = self.parts
        board = parts.board
        rolled = rolls.outcomes(
            board.id, parts.boot, self.id, self._place, self._ranges, self._nonce, self._contribution
        )
        parts.scene.fill(wire.RING, _DARK)
        if self.secret:
            self._dice = b""
        self._mark()
        for die in range(len(self._dice)):
            self._light(self._first + die, colours.FACE_LOOKS[rolled[die]])
        self._show_state()
        if self.secret and self._audience != wire.NOBODY:
            hood, dice = wire.HOOD + self._audience - 1, len(self._sides(_HOOD - 1))
            for die in range(dice):
                parts.scene.overlay(hood, die, colours.FACE_LOOKS[rolled[die]])
            parts.scene.overlay(hood, dice, colours.ROLLING)

    def _mark(self) -> None:
        """Show the mark on both sides of the dice."""
        self._light(self._first - 1, colours.ROLLING)
        self._light(self._first + len(self._dice), colours.ROLLING)

    def _show_state(self) -> None:
        """Show on both sides of the outcome if it is durable."""
        state, effect = (colours.TAKEN, STEADY) if self._acknowledged else (colours.PENDING, BLINK)
        self._light(self._first - 2, state, effect)
        self._light(self._first + len(self._dice) + 1, state, effect)

    def _light(self, pixel: int, colour: tuple, effect: int = STEADY) -> None:
        self.parts.scene.overlay(wire.RING, pixel % self._ring, colour, effect)
