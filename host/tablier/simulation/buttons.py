"""The buttons of a simulated table and the fingers on them. A button is a bit: ``(place - 1) * 4 + button``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tablier.simulation.faults import Defects
from tablier.simulation.timeline import Timeline

BOUNCE_US = (400, 900, 1300, 1900)
"""The times after the first contact at which a simulated button opens and closes again."""
_SERVICE_BIT, _LOOSE_BIT, _STILL_BIT, _UNFED_BIT = 24, 25, 26, 27
_ALL = (1 << _SERVICE_BIT) - 1
Felt = Callable[[], bool]
_DEBOUNCED_US = BOUNCE_US[-1] + 10_000
"""More than a board with a time of its own takes to feel that a contact is open."""


class _Move(NamedTuple):
    """What a finger is to do: close or open a contact at a time (µs), and open it again after some µs."""

    at: int
    closed: bool
    us: int | None = None


class _Finger:
    """A finger on one button in real time, which passes also while the board is not running.

    Each contact lasts until the board has sampled it often enough to count: on a busy computer presses get longer, and
    none is lost.
    """

    LOOKS = 6
    """One more than the board's debouncing needs."""

    def __init__(self) -> None:
        self.moves: list[_Move] = []
        self.rests = 0
        """The time in µs from which the contact no longer bounces."""
        self.looks = self.LOOKS
        """The number of times the board has read the contact since."""

    @property
    def is_felt(self) -> bool:
        """True if it has nothing more to do, and the board has felt what it did."""
        return not self.moves and self.looks >= self.LOOKS


class Buttons:
    """All buttons: bouncing contacts, with defects.

    What presses or lets go of one returns a function that says whether the board has felt it.
    """

    def __init__(self, timeline: Timeline, defects: Defects) -> None:
        self._timeline = timeline
        self._defects = defects
        self._pressed = 0
        self._seen = 0
        self._fingers: dict[int, _Finger] = {}
        self._looked_ms = -1
        self.service = False
        """True while the service button is pressed, which has a pin of its own."""

    @property
    def closed(self) -> int:
        """Return the contacts that the board's chain reported last as closed."""
        return self._seen & _ALL if self._defects.still else self._defects.buttons(self._pressed)

    @property
    def changed(self) -> bool:
        """True if the contacts have changed since the board looked."""
        return self._word != self._seen

    @property
    def _word(self) -> int:
        defects = self._defects
        faults = defects.loose << _LOOSE_BIT | defects.still << _STILL_BIT | defects.unfed << _UNFED_BIT
        return self.closed | self.service << _SERVICE_BIT | faults

    def look(self) -> int:
        """Return the closed contacts to the board, above them the service button and the board's defects.

        In real time a finger counts one look a millisecond.
        """
        now = self._timeline.now()
        if now // 1000 != self._looked_ms:
            self._looked_ms = now // 1000
            for finger in self._fingers.values():
                finger.looks += now >= finger.rests
        self._seen = self._word
        return self._seen

    def press(self, bit: int, us: int) -> Felt:
        """Press a button and let go of it after some µs; in real time later if the board needs it."""
        return self._do(bit, _Move(self._timeline.now(), True, us))

    def hold(self, bit: int) -> Felt:
        """Press a button."""
        return self._do(bit, _Move(self._timeline.now(), True))

    def release(self, bit: int) -> Felt:
        """Let go of a button."""
        return self._do(bit, _Move(self._timeline.now(), False))

    def press_service(self, pressed: bool) -> Felt:
        """Press the service button, or let go of it."""
        now, self.service = self._timeline.now(), pressed
        if self._timeline.virtual or self._timeline.own:
            return lambda: self._timeline.now() >= now + _DEBOUNCED_US
        finger = self._fingers.setdefault(_SERVICE_BIT, _Finger())
        finger.looks, finger.rests = 0, now
        return lambda: finger.is_felt

    def _do(self, bit: int, move: _Move) -> Felt:
        if not (self._timeline.virtual or self._timeline.own):
            finger = self._fingers.setdefault(bit, _Finger())
            finger.moves.append(move)
            return lambda: finger.is_felt
        self._contact(bit, move.closed)
        end = move.at + (move.us or 0)
        if move.us is not None:
            self._timeline.at(end, lambda: self._contact(bit, False))
        return lambda: self._timeline.now() >= end + _DEBOUNCED_US

    def move_fingers(self) -> None:
        """Move the fingers of real time that are due."""
        for bit, finger in self._fingers.items():
            self._move(bit, finger)

    def _move(self, bit: int, finger: _Finger) -> None:
        now = self._timeline.now()
        if not finger.moves or finger.looks < finger.LOOKS or finger.moves[0].at > now:
            return
        move = finger.moves.pop(0)
        self._contact(bit, move.closed)
        finger.looks, finger.rests = 0, now + BOUNCE_US[-1]
        if move.us is not None:
            finger.moves.insert(0, _Move(now + move.us, False))
            self._timeline.at(now + move.us, lambda: None)  # so that it is not slept through

    def _contact(self, bit: int, closed: bool) -> None:
        """Close or open a contact, with bouncing."""
        bit = self._defects.contact(bit)
        self._set(bit, closed)
        for count, us in enumerate(BOUNCE_US):
            level = closed if count % 2 else not closed
            self._timeline.at(self._timeline.now() + us, lambda level=level: self._set(bit, level))  # type: ignore[misc]

    def _set(self, bit: int, closed: bool) -> None:
        self._pressed = self._pressed | 1 << bit if closed else self._pressed & ~(1 << bit)
