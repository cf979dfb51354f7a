"""Window: report landings while it is open.

It closes when every place in it has pressed ``a`` ("no more") or ``b`` ("no more, and a card of mine missed the
arena"), and the host has said the same for the places whose source is elsewhere; or ``quiet`` ms after the last
landing, never within the guard time after one and never while a card is on its way in or still settling. Without any
landing it waits for the places. What broke no beam may be a knock: it is reported, but keeps no window open.

Each landing lights a pixel of the ring, starting at one that the host names: amber until it is durable, then green. A
landing that moves while the window is open is reported as moved.
"""

from time import ticks_diff

from tablier_fw import colours, wire
from tablier_fw.landing import Landing
from tablier_fw.questions import NOT_ASKED, Question
from tablier_fw.scene import BLINK, STEADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

_MAX_LANDINGS = 255  # an index has one byte; more cards than that are in no game
_MAX_KNOCKS = 127  # from this index on only what broke a beam is reported: knocks leave room for cards


class Window(Question):
    timed = True

    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, places, self._outside, self._quiet, self._guard, seen, self._first = wire.WINDOW.unpack(payload)
        self._count = seen
        self._opened_us = parts.board.now_us()
        self._last_ms = parts.board.now_ms()
        self._durable = seen
        self._events: list = []  # numbers of the landings' events, those that are not durable yet
        self._indexes: dict = {}  # by number of a landing: its index in this window
        self._held: list = []  # (time in µs, message, values) that the journal had no room for
        self._landed = seen > 0  # True if anything but knocks has landed
        self._closed = False
        super().__init__(parts, id, places)
        for index in range(seen):
            self._light(index, True)

    def _light(self, index: int, durable: bool) -> None:
        pixel = (self._first + index) % self.parts.scene.ring
        if durable:
            self.parts.scene.overlay(wire.RING, pixel, colours.TAKEN, STEADY)
        else:
            self.parts.scene.overlay(wire.RING, pixel, colours.PENDING, BLINK)

    def press(self, place: int, button: int) -> None:
        if button in (wire.A, wire.B) and self.waits(place) and not self._closed:
            self.report(place, wire.DONE, button == wire.B)

    def take_landing(self, landing: Landing) -> None:
        """Take a landing. Ignore landings from before the window opened."""
        knock = landing.doubts & wire.UNSEEN
        most = _MAX_KNOCKS if knock else _MAX_LANDINGS
        if self._closed or landing.us < self._opened_us or self._count >= most:
            return
        if not knock:
            self._landed = True
            self._last_ms = self.parts.board.now_ms()
        self._light(self._count, False)
        self._indexes[landing.number] = self._count
        values = (landing.kind, landing.low, landing.rim, min(landing.impacts, 255), landing.confidence, landing.doubts)
        self._held.append((landing.us, wire.LANDED, (self._count,) + values))
        self._count += 1

    def take_moved(self, number: int) -> None:
        """Take the number of a reported landing that has moved."""
        if number in self._indexes and not self._closed:
            self._held.append((self.parts.board.now_us(), wire.MOVED, (self._indexes[number],)))

    def tick(self, now: int) -> None:
        if self._held:
            self._report()
        if self._closed or self.parts.landings.is_coming():
            return  # landings that wait for room need not be asked for: closing has to wait for room too
        since = ticks_diff(now, self._last_ms)
        if self._landed and since < self._guard:
            return
        if self._all_done():
            self._close(wire.CLOSE_DONE)
        elif self._landed and since >= self._quiet:
            self._close(wire.CLOSE_QUIET)

    def _report(self) -> None:
        journal = self.parts.journal
        while self._held and journal.has_room():
            us, message, values = self._held.pop(0)
            number = journal.add_at(us, message, self.id, *values)
            if message is wire.LANDED:
                self._events.append(number)

    def _all_done(self) -> bool:
        for place in range(1, wire.PLACES + 1):
            if self.waits(place):
                return False
            if self._outside >> (place - 1) & 1 and not self.parts.outside[place] == self.id:
                return False
        return True

    def _close(self, reason: int) -> None:
        if self.parts.journal.has_room():
            self.parts.journal.add(wire.CLOSED, self.id, reason, self._count)
            self._closed = True
            for place in range(1, wire.PLACES + 1):
                if self.waits(place):
                    self.set(place, NOT_ASKED)

    def take_ack(self, number: int) -> None:
        super().take_ack(number)
        while self._events and self._events[0] <= number:
            self._events.pop(0)
            self._light(self._durable, True)
            self._durable += 1

    def is_over(self) -> bool:
        return self._closed

    def count_landings(self) -> int:
        return self._durable
