"""The buttons of a simulated table and the fingers on them. A button is a bit: ``(place - 1) * 4 + button``."""

from __future__ import annotations

from tablier.simulation.faults import Defects
from tablier.simulation.timeline import Timeline

BOUNCE_US = (400, 900, 1300, 1900)
"""The times after the first contact at which a simulated button opens and closes again."""
_SERVICE_BIT = 24


class _Finger:
    """A finger on one button in real time, which passes also while the board is not running.

    Each contact lasts until the board has sampled it often enough to count: on a busy computer presses get longer, and
    none is lost.
    """

    LOOKS = 6
    """One more than the board's debouncing needs."""

    def __init__(self) -> None:
        self.moves: list[tuple[int, int | None]] = []
        """The actions to come: when (µs), and for a press how long (µs); ``None`` lets go."""
        self.rests = 0
        """The time in µs from which the contact no longer bounces."""
        self.looks = self.LOOKS
        """The number of times the board has read the contact since."""


class Buttons:
    """All buttons: bouncing contacts, with defects."""

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
        """Return the contacts that the board's chain reports as closed."""
        return self._defects.buttons(self._pressed)

    @property
    def changed(self) -> bool:
        """True if the contacts have changed since the board looked."""
        return self.closed | self.service << _SERVICE_BIT != self._seen

    def look(self) -> int:
        """Return the closed contacts to the board, the service button above all others.

        In real time a finger counts one look a millisecond.
        """
        now = self._timeline.now()
        if now // 1000 != self._looked_ms:
            self._looked_ms = now // 1000
            for finger in self._fingers.values():
                finger.looks += now >= finger.rests
        self._seen = self.closed | self.service << _SERVICE_BIT
        return self._seen

    def press(self, bit: int, us: int) -> None:
        """Press a button for some µs; in real time longer if the board needs it."""
        now = self._timeline.now()
        if self._timeline.virtual or self._timeline.own:
            self._contact(bit, True)
            self._timeline.at(now + us, lambda: self._contact(bit, False))
        else:
            self._fingers.setdefault(bit, _Finger()).moves.append((now, us))

    def hold(self, bit: int) -> None:
        self._contact(bit, True)

    def release(self, bit: int) -> None:
        self._contact(bit, False)

    def move_fingers(self) -> None:
        """Move the fingers of real time that are due."""
        for bit, finger in self._fingers.items():
            self._move(bit, finger)

    def _move(self, bit: int, finger: _Finger) -> None:
        now = self._timeline.now()
        if not finger.moves or finger.looks < finger.LOOKS or finger.moves[0][0] > now:
            return
        _, length = finger.moves.pop(0)
        self._contact(bit, length is not None)
        finger.looks, finger.rests = 0, now + BOUNCE_US[-1]
        if length is not None:
            finger.moves.insert(0, (now + length, None))
            self._timeline.at(now + length, lambda: None)  # so that it is not slept through

    def _contact(self, bit: int, closed: bool) -> None:
        """Close or open a contact, with bouncing."""
        bit = self._defects.contact(bit)
        self._set(bit, closed)
        for count, us in enumerate(BOUNCE_US):
            level = closed if count % 2 else not closed
            self._timeline.at(self._timeline.now() + us, lambda level=level: self._set(bit, level))  # type: ignore[misc]

    def _set(self, bit: int, closed: bool) -> None:
        self._pressed = self._pressed | 1 << bit if closed else self._pressed & ~(1 << bit)
