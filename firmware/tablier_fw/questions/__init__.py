"""Questions: what the table can ask its places. One is open at a time; each kind has a module here.

A question is desired state. It is asked when its content arrives, and dropped, with all it has gathered, when other
content takes its place. What a place has entered is *pending* until the host calls it durable, then *taken*; its public
pixel shows which.
"""

from tablier_fw import colours, wire
from tablier_fw.scene import BLINK, PULSE, STEADY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

NOT_ASKED, ASKED, REFUSED, PENDING, TAKEN = 0, 1, 2, 3, 4
_LOOK = (
    (None, STEADY),
    (colours.ASKED, PULSE),
    (colours.REFUSED, BLINK),
    (colours.PENDING, BLINK),
    (colours.TAKEN, STEADY),
)


class Question:
    """The common part: the places that are asked, and the state of each."""

    timed = False
    """True if time alone makes something happen."""
    secret = False
    """True if it keeps a secret: nothing that the table reports of itself may depend on it."""
    flags = 0
    """The field of that name in its message."""

    def __init__(self, parts: "Parts", id: int, places: int) -> None:
        self.parts = parts
        self.id = id
        self.waiting = 0
        """The places, by bit, whose answer is still missing."""
        self._state = bytearray(wire.PLACES + 1)  # by place; index 0 is unused
        self._numbers = [0] * (wire.PLACES + 1)  # the event that must be durable, by place
        for place in range(1, wire.PLACES + 1):
            if places >> (place - 1) & 1:
                self.set(place, ASKED)

    def set(self, place: int, state: int) -> None:
        self._state[place] = state
        bit = 1 << (place - 1)
        self.waiting = self.waiting | bit if state == ASKED or state == REFUSED else self.waiting & ~bit
        colour, effect = self.look(state)
        self.parts.scene.over(wire.PUBLIC, place - 1, colour, effect)
        self.show(place)

    def look(self, state: int) -> tuple:
        """Return colour and effect of the public pixel of a place in this state."""
        return _LOOK[state]

    def get(self, place: int) -> int:
        return self._state[place]

    def waits(self, place: int) -> bool:
        """Return True if this place's answer is still missing."""
        return self._state[place] == ASKED or self._state[place] == REFUSED

    def event(self, place: int, message: wire.Message, *values: "int | bytes") -> bool:
        """Journal what a place has entered (the fields after id and place); without room show it and return False."""
        parts = self.parts
        journal = parts.journal
        if not journal.room():
            self.set(place, REFUSED)
            return False
        self._numbers[place] = journal.add_at(parts.board.now_us(), message, self.id, place, *values)
        self.set(place, PENDING)
        return True

    def acked(self, number: int) -> None:
        """Note that everything up to this event is durable."""
        for place in range(1, wire.PLACES + 1):
            state = self._state[place]
            if state == PENDING and self._numbers[place] <= number:
                self.set(place, TAKEN)
            elif state == REFUSED:
                self.set(place, ASKED)

    def taken(self) -> int:
        """Return the places, by bit, whose input is durable."""
        places = 0
        for place in range(1, wire.PLACES + 1):
            if self._state[place] == TAKEN:
                places |= 1 << (place - 1)
        return places

    # What a kind of question overrides.

    def show(self, place: int) -> None:
        """Draw the hood of a place after its state has changed."""

    def press(self, place: int, button: int) -> None:
        """Take a press of a button at a place."""

    def undo(self, place: int) -> None:
        """Take back what the latest press of ``minus`` did: it was the beginning of a call."""

    def calls(self) -> bool:
        """Return True where ``plus`` pressed while ``minus`` is held is a call, or nothing: never a press."""
        return True

    def withholds(self) -> bool:
        """Return True while a call must wait."""
        return False

    def stands(self) -> bool:
        """Return True while what it shows must be seen: any other question waits."""
        return False

    def may_peek(self, place: int, button: int) -> bool:
        """Return True if this press shows a place what the host painted under its hood."""
        return not self.waits(place)

    def contribute(self, id: int, commitment: bytes, contribution: bytes) -> bool:
        """Take what the host adds to a roll; return False, changing nothing, if no roll waits for it."""
        return False

    def tick(self, now: int) -> None:
        """Do what is due. Does not allocate while nothing happens."""

    def landings(self) -> int:
        return 0

    def over(self) -> bool:
        """Return True once the question is finished: every place has answered, and that is durable."""
        for state in self._state:
            if state == ASKED or state == REFUSED or state == PENDING:
                return False
        return True

    def end(self) -> None:
        """Stop: another question takes its place."""


class Idle(Question):
    """No question. ``game``: a game is open nevertheless."""

    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, self.game = wire.IDLE.unpack(payload) if payload else (0, 0, 0)
        super().__init__(parts, id, 0)
