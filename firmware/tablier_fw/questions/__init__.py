"""Questions to the places. One is open at a time; each kind has a module here.

A question is desired state. It is asked when its content arrives, and dropped, with all it has gathered, when other
content replaces it. An entry is *pending* until the host calls it durable, then *taken*; the place's public pixel shows
which.
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
    """The base of all kinds: the asked places and the state of each."""

    timed = False
    """True if :meth:`tick` must be called at every frame."""
    secret = False
    """True while nothing that the table reports of itself may depend on the answers."""
    flags = 0
    """The field of that name in its message."""
    undrawn = 0
    """Bits of the places whose entry is in the journal, but does not show as pending yet."""

    def __init__(self, parts: "Parts", id: int, places: int) -> None:
        self.parts = parts
        self.id = id
        self.waiting = 0
        """Bits of the places whose answer is missing."""
        self._state = bytearray(wire.PLACES + 1)  # by place; index 0 is unused
        self._numbers = [0] * (wire.PLACES + 1)  # the event that must be durable, by place
        for place in range(1, wire.PLACES + 1):
            if places >> (place - 1) & 1:
                self.set(place, ASKED)

    def set(self, place: int, state: int) -> None:
        self._state[place] = state
        if state == ASKED or state == REFUSED:
            self.waiting |= 1 << (place - 1)
        else:
            self.waiting &= ~(1 << (place - 1))
        colour, effect = self.look(state)
        self.parts.scene.overlay(wire.PUBLIC, place - 1, colour, effect)
        self.show(place)

    def look(self, state: int) -> tuple:
        """Return colour and effect of the public pixel for a state."""
        return _LOOK[state]

    def get(self, place: int) -> int:
        return self._state[place]

    def waits(self, place: int) -> bool:
        """Return True if this place's answer is missing."""
        return self._state[place] == ASKED or self._state[place] == REFUSED

    def report(self, place: int, message: wire.Message, *values: "int | bytes") -> bool:
        """Journal an entry of a place (the fields after id and place); without room show it and return False."""
        if not self.parts.journal.has_room():
            self.set(place, REFUSED)
            return False
        self._numbers[place] = self.parts.journal.add(message, self.id, place, *values)
        self._state[place] = PENDING
        self.waiting &= ~(1 << (place - 1))
        self.undrawn |= 1 << (place - 1)
        self.parts.scene.stale = True
        return True

    def draw(self) -> None:
        """Show what :meth:`report` has left undrawn. Call it before a frame is computed: events go out first."""
        undrawn = self.undrawn
        self.undrawn = 0
        for place in range(1, wire.PLACES + 1):
            if undrawn >> (place - 1) & 1:
                self.set(place, self._state[place])

    def take_ack(self, number: int) -> None:
        """Note that all events up to this number are durable."""
        for place in range(1, wire.PLACES + 1):
            state = self._state[place]
            if state == PENDING and self._numbers[place] <= number:
                self.set(place, TAKEN)
            elif state == REFUSED:
                self.set(place, ASKED)

    def taken_places(self) -> int:
        """Return the bits of the places whose entry is durable."""
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
        """Undo the latest press of ``minus``: it began a call."""

    def may_call(self) -> bool:
        """Return True if ``plus`` while ``minus`` is held is never a press here, but a call or nothing."""
        return True

    def withholds(self) -> bool:
        """Return True while a call must wait."""
        return False

    def stands(self) -> bool:
        """Return True while an outcome must stay visible and other questions wait."""
        return False

    def may_peek(self, place: int, button: int) -> bool:
        """Return True if this press lets a place peek."""
        return not self.waits(place)

    def contribute(self, id: int, commitment: bytes, contribution: bytes) -> bool:
        """Take the host's contribution to a roll; return False, changing nothing, if no roll waits for it."""
        return False

    def tick(self, now: int) -> None:
        """Do what is due. Do not allocate while nothing happens."""

    def count_landings(self) -> int:
        """Return the number of durable landings."""
        return 0

    def is_over(self) -> bool:
        """Return True once every place has answered and the answers are durable."""
        for state in self._state:
            if state == ASKED or state == REFUSED or state == PENDING:
                return False
        return True

    def end(self) -> None:
        """Stop: another question takes its place."""


class Idle(Question):
    """No question. ``game``: true while a game is open."""

    def __init__(self, parts: "Parts", payload: bytes) -> None:
        id, _, self.game = wire.IDLE.unpack(payload) if payload else (0, 0, 0)
        super().__init__(parts, id, 0)
