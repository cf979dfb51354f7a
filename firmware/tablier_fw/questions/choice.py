"""Choice: places choose in secret and lock; all choices are opened together.

For each place the meaning of the buttons is drawn at random and shown only under its hood, so which finger moves, and
how often, reveals nothing. While a place chooses, the mark in the middle of its hood says that this is a choice: no
host can paint it. ``plus`` locks, for every choice alike. On a lock only a commitment leaves the table. When every
commitment is there, those of places whose source is elsewhere included, and durable in the host's log, all choices of
this table are opened at once.
"""

from tablier_fw import colours, wire
from tablier_fw.questions import PENDING, TAKEN, Question
from tablier_fw.scene import PULSE, STEADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board
    from tablier_fw.parts import Parts

_TWO = (wire.A, wire.B)
_THREE = (wire.MINUS, wire.A, wire.B)
_PIXEL = {wire.MINUS: 0, wire.A: 1, wire.B: 3, wire.PLUS: 4}
"""The pixel of the hood that stands for a button; the one in the middle shows how far the lock has come."""
_MIDDLE = 2
_DARK = (0, 0, 0)


class Choice(Question):
    secret = True

    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, places, self._outside, allowed, self._seats, indexes = wire.CHOICE.unpack(payload)
        count = len(indexes)
        self._colours = [colours.option_look(index) for index in indexes]
        self._meaning: list = [None] * (wire.PLACES + 1)  # by place: {button: option}
        self._selected: list = [None] * (wire.PLACES + 1)  # by place: button
        self._before: list = [None] * (wire.PLACES + 1)  # by place: what was selected before that
        self._locked: list = [None] * (wire.PLACES + 1)  # by place: (nonce, choice)
        self._opened = False
        self._last = 0  # the number of the last opening, whose choices are in the log once it is durable
        self._safe = False
        for place in range(1, wire.PLACES + 1):
            options = [option for option in range(count) if allowed[place - 1] >> option & 1]
            if places >> (place - 1) & 1:
                self._meaning[place] = self._draw(parts.board, options, count)
        super().__init__(parts, id, places)

    @staticmethod
    def _draw(board: "Board", options: list, count: int) -> dict:
        """Return a random option for each button. Buttons left over mean nothing: if some options had more buttons than
        others, the finger would reveal something."""
        buttons = _THREE if count > 2 else _TWO
        row = options + [None] * (len(buttons) - len(options))
        for last in range(len(row) - 1, 0, -1):  # Fisher–Yates; 16 bits make the bias of the remainder negligible
            noise = board.entropy(2)
            other = (noise[0] << 8 | noise[1]) % (last + 1)
            row[last], row[other] = row[other], row[last]
        return {buttons[i]: row[i] for i in range(len(buttons)) if row[i] is not None}

    def show(self, place: int) -> None:
        meaning = self._meaning[place]
        if meaning is None:
            return
        scene, hood, state = self.parts.scene, wire.HOOD + place - 1, self.get(place)
        open_ = self.waits(place)
        selected = self._selected[place]
        for pixel in range(5):
            scene.overlay(hood, pixel, _DARK)
        if open_:
            for button, option in meaning.items():
                effect = PULSE if button == selected else STEADY
                scene.overlay(hood, _PIXEL[button], self._colours[option], effect)
            scene.overlay(hood, _MIDDLE, colours.GENUINE)
            if selected is not None:
                scene.overlay(hood, _PIXEL[wire.PLUS], colours.READY)
        elif state == PENDING or state == TAKEN:
            colour, effect = self.look(state)
            scene.overlay(hood, _MIDDLE, colour, effect)

    def look(self, state: int) -> tuple:
        if state == TAKEN and not self._safe:
            return colours.LOCKED, STEADY
        return super().look(state)

    def take_ack(self, number: int) -> None:
        super().take_ack(number)
        if self._opened and not self._safe and number >= self._last:
            self._safe = True
            for place in range(1, wire.PLACES + 1):
                if self.get(place) == TAKEN:
                    self.set(place, TAKEN)

    def press(self, place: int, button: int) -> None:
        meaning = self._meaning[place]
        if meaning is None or not self.waits(place):
            return
        if button in meaning:
            self._before[place] = self._selected[place]
            self._selected[place] = button
            self.show(place)
        elif button == wire.PLUS and self._selected[place] is not None:
            self._lock(place, meaning[self._selected[place]])

    def undo(self, place: int) -> None:
        if self._selected[place] == wire.MINUS and self.waits(place):
            self._selected[place] = self._before[place]
            self.show(place)

    def withholds(self) -> bool:
        return not self._opened

    def may_peek(self, place: int, button: int) -> bool:
        return self._opened or self._meaning[place] is None

    def _lock(self, place: int, choice: int) -> None:
        parts = self.parts
        nonce = parts.board.entropy(16)
        seat = self._seats[place - 1]
        bound = wire.commitment(parts.board.id, parts.boot, self.id, place, seat, nonce, choice)
        if self.report(place, wire.LOCKED, bound):
            self._locked[place] = (nonce, choice)

    def tick(self, now: int) -> None:
        if self._opened:
            return
        count = 0
        for place in range(1, wire.PLACES + 1):
            if self._meaning[place] is not None:
                if self.get(place) != TAKEN:
                    return
                count += 1
            if self._outside >> (place - 1) & 1 and not self.parts.outside[place] == self.id:
                return
        journal = self.parts.journal
        if not journal.has_room(count):
            return
        self._opened = True
        for place in range(1, wire.PLACES + 1):
            if self._locked[place] is not None:
                nonce, choice = self._locked[place]
                number = journal.add(wire.OPENED, self.id, place, nonce, choice)
                self.parts.ledger.note(wire.OPENED, number, self.id, place, nonce + bytes((choice,)))
                self._last = number

    def is_over(self) -> bool:
        return self._opened
