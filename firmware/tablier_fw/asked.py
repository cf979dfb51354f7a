"""The open question, which replaces the one before and gets all presses."""

from tablier_fw import wire
from tablier_fw.questions import Idle, Question
from tablier_fw.questions.choice import Choice
from tablier_fw.questions.menu import Menu
from tablier_fw.questions.poll import Poll
from tablier_fw.questions.roll import Roll
from tablier_fw.questions.tally import Tally
from tablier_fw.questions.watch import Watch
from tablier_fw.questions.window import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.parts import Parts

_KINDS = {
    wire.IDLE.code: Idle,
    wire.CHOICE.code: Choice,
    wire.WINDOW.code: Window,
    wire.POLL.code: Poll,
    wire.MENU.code: Menu,
    wire.TALLY.code: Tally,
    wire.WATCH.code: Watch,
    wire.ROLL.code: Roll,
}


def _check() -> type:
    """Return the class of checks. Its module is dropped, so that it takes memory only while one is open."""
    import sys

    import tablier_fw.questions.check as module

    del sys.modules["tablier_fw.questions.check"]
    return module.Check


class Asked:
    def __init__(self, parts: "Parts") -> None:
        self._parts = parts
        self.question: Question = Idle(parts, b"")
        self.asked_ms = 0
        """Time of asking."""
        self.calls = 0
        """Bits of the places whose call is not journalled yet."""
        self.void = False
        """True if the question is to be dropped once its outcome has stood."""

    def put(self, message: wire.Message, payload: bytes) -> None:
        """Replace the open question."""
        parts = self._parts
        kind = _check() if message is wire.CHECK else _KINDS[message.code]
        self.question.end()
        if parts.ledger.sealing:
            parts.ledger.drop_seal()
        self.void = False
        self.asked_ms = parts.board.now_ms()
        parts.scene.clear_over(self.asked_ms)
        self.calls = 0
        parts.measures.hold()
        self.question = kind(parts, payload)
        self.question.flags = payload[4] if payload else 0

    def drop(self) -> None:
        """Drop the question, at once or as soon as its outcome has stood."""
        if self.question.stands():
            self.void = True
        else:
            self.put(wire.IDLE, b"")

    def press(self, pressed: int) -> None:
        """Pass on the presses of a sample, four bits a place."""
        bit = 0
        while pressed:
            if not pressed & 0xF:
                pressed >>= 4
                bit += 4
                continue
            if pressed & 1:
                self._press_one(bit // 4 + 1, bit & 3)
            pressed >>= 1
            bit += 1

    def _press_one(self, place: int, button: int) -> None:
        parts = self._parts
        question = self.question
        if parts.ledger.marked:
            parts.ledger.unmark()
            return  # who pressed may have meant something else, and sees that nothing came of it
        if button == wire.PLUS and parts.buttons.stable >> (place - 1) * 4 + wire.MINUS & 1 and question.may_call():
            question.undo(place)
            self.calls |= (question.flags & wire.CALL) << (place - 1)
            return
        if parts.scene.peeked >> (place - 1) & 1 and question.waits(place):
            parts.scene.peek(place, False)
            if button == wire.A or button == wire.B:
                return  # what the press would confirm was not visible
        elif question.may_peek(place, button):
            parts.peeks.begin(place)
        question.press(place, button)

    def tell_calls(self) -> None:
        """Journal the calls, except while the question or a full journal makes them wait."""
        if self.question.withholds():
            return
        journal = self._parts.journal
        for place in range(1, wire.PLACES + 1):
            if self.calls >> (place - 1) & 1 and journal.has_room():
                self.calls &= ~(1 << (place - 1))
                journal.add(wire.CALLED, self.question.id, place)
