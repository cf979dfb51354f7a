"""Tally: one place enters physical dice, die by die, on its private pixels.

``minus`` and ``plus`` turn the current die, ``b`` moves to the next, ``a`` to the one before. After the last die the
place may mark the dice to keep: ``minus`` and ``plus`` move, ``a`` marks and unmarks, ``b`` confirms; ``a`` held for a
second peeks and marks nothing. Pixel d of the hood is die d; the current die blinks, and unmarked dice are dim. The
first dice may be given, and are not entered. A secret tally starts at random faces, so that the number of presses
reveals nothing.
"""

from time import ticks_diff

from tablier_fw import colours, wire
from tablier_fw.questions import Question
from tablier_fw.scene import BLINK, STEADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

_DARK = (0, 0, 0)
_DIM = 2  # a quarter as bright
HOLD_MS = 1000
"""Time for which ``a`` is held to peek while dice are marked."""


class Tally(Question):
    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, flags, place, dice, indexes, given = wire.TALLY.unpack(payload)
        self._place = place
        self.secret = bool(flags & wire.VEIL)
        self._keep = flags & wire.MARK
        self._colours = [colours.option_look(index) for index in indexes]
        self._faces = bytearray(given)
        for _ in range(dice - len(given)):
            noise = parts.board.entropy(2) if self.secret else b"\0\0"
            self._faces.append((noise[0] << 8 | noise[1]) % len(indexes))  # the bias of the remainder is negligible
        self._kept = 0
        self._first = len(given)  # the first die that is entered
        self._marking = self._first == dice
        self._die = 0 if self._marking else self._first
        self._stepped = False  # whether the latest press was of minus
        self._holds = False  # whether a is held since it marked or unmarked the die at hand
        self._held_ms = 0
        super().__init__(parts, id, 1 << (place - 1))

    def show(self, place: int) -> None:
        scene, hood = self.parts.scene, wire.HOOD + place - 1
        waits = self.waits(place)
        for die in range(5):
            entered = die < len(self._faces) and (self._marking or die <= self._die)
            if not waits or not entered:
                scene.overlay(hood, die, _DARK)
                continue
            red, green, blue = self._colours[self._faces[die]]
            if self._marking and not self._kept >> die & 1:
                red, green, blue = red >> _DIM, green >> _DIM, blue >> _DIM
            scene.overlay(hood, die, (red, green, blue), BLINK if die == self._die else STEADY)

    def press(self, place: int, button: int) -> None:
        if not self.waits(place):
            return
        last = len(self._faces) - 1
        self._stepped = button == wire.MINUS
        self._holds = False
        if self._marking:
            if button == wire.B:
                self.report(place, wire.TALLIED, self._kept, bytes(self._faces))
                return
            if button == wire.A:
                self._kept ^= 1 << self._die
                self._holds = True
                self._held_ms = self.parts.board.now_ms()
            else:
                self._step(1 if button == wire.PLUS else -1)
        elif button == wire.A:
            self._die = max(self._first, self._die - 1)
        elif button == wire.B:
            if self._die < last:
                self._die += 1
            elif self._keep:
                self._marking = True
                self._die = 0
            else:
                self.report(place, wire.TALLIED, 0, bytes(self._faces))
                return
        else:
            self._step(1 if button == wire.PLUS else -1)
        self.show(place)

    def _step(self, step: int) -> None:
        """Move to another die, or turn the current one."""
        if self._marking:
            self._die = (self._die + step) % len(self._faces)
        else:
            self._faces[self._die] = (self._faces[self._die] + step) % len(self._colours)

    def undo(self, place: int) -> None:
        if self._stepped and self.waits(place):
            self._stepped = False
            self._step(1)
            self.show(place)

    def tick(self, now: int) -> None:
        if not self._holds:
            return
        place = self._place
        if not self.parts.buttons.stable >> (place - 1) * 4 + wire.A & 1:
            self._holds = False
        elif ticks_diff(now, self._held_ms) >= HOLD_MS:
            self._holds = False
            self._kept ^= 1 << self._die
            self.show(place)
            self.parts.peeks.begin(place)
