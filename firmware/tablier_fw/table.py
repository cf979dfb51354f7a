"""The scheduler: owns the board and gives each service its turn. The main loop is in ``main_sim`` and ``pico/start``.

No service blocks or touches hardware: all time, entropy, inputs and outputs come from the board.
"""

from time import ticks_diff

from tablier_fw.asked import Asked
from tablier_fw.parts import Parts
from tablier_fw.questions import Idle
from tablier_fw.questions.window import Window
from tablier_fw.scene import FRAME_MS
from tablier_fw.session import LEAVING_MS, Session
from tablier_fw.status import Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board

_TALKS = 3  # steps of the line that may follow one another
_PATIENCE = 12  # steps for which status and pixels may wait for other work
_EDGES = 2  # edges read in one step: on a Pico each takes up to half a millisecond to read and work out
_READING_MS = 120  # nobody answers a question sooner


class Table:
    def __init__(self, board: "Board") -> None:
        # What every tick needs comes first: of many attributes, the later ones are found later.
        self.board = board
        self._unshown = 0  # steps for which status and pixels have waited for other work
        self._unread = 0  # steps for which landings have waited for edges
        self._talks = 0  # the latest steps in a row that were the line's; -1 if there was nothing to do
        self._behind = False  # this step may have left edges unread
        self._frames: list = []  # decoded, not yet taken
        self.collection_due = True
        """True when this is a good moment to collect garbage: nothing came in or went out, or memory is short."""
        parts = self.parts = Parts(board)
        # What a tick needs again and again is at hand.
        self.link = parts.link
        self.journal = parts.journal
        self.scene = parts.scene
        self.buttons = parts.buttons
        self.landings = parts.landings
        self.tone = parts.tone
        self.ledger = parts.ledger
        self.measures = parts.measures
        self.asked = Asked(parts)
        self.session = Session(parts, self.asked)
        self.status = Status(parts, self.asked, self.session)
        self._serviced = False  # the service button counts as pressed

    # -- the loop ------------------------------------------------------------------------------------

    def pause(self) -> int:
        """Return the ms until something is due, unless input comes first."""
        link = self.link
        if not link.stuck and self.journal.has_unsent():
            return 0
        if not self.buttons.settled:
            return 1
        if self._frames or (link.waiting and not link.stuck):
            return 0
        if self.scene.stale:
            return 1
        if self.tone.sounding or self.landings.is_settling():
            return 1
        if self.parts.changed and self.session.greeted and not link.stuck:
            return 1
        if self.scene.animated() or self.asked.question.timed or self.session.leaving:
            return FRAME_MS
        return 50

    # A function whose variables and operands take more than eleven words has them on the heap, and to find room there
    # takes up to a third of a millisecond: what every tick, and what a press, goes through is cut into functions that
    # are small enough. A call costs as much as five steps inside a function: what has nothing to do is not called.

    def tick(self) -> None:
        """Take as many steps as the board has time for in one turn of the main loop, or until nothing is left to do."""
        board = self.board
        now = board.now_ms()
        begun = board.ticks_us()
        busy = self._step(now)
        if busy and board.budget > 1:
            self._step_on(now)
        self.collection_due = board.must_collect(busy, 0 if busy else self._calm(now))
        self.measures.note_turn(ticks_diff(board.ticks_us(), begun))

    def _step_on(self, now: int) -> None:
        """Take further steps, until the budget is spent or nothing is left to do."""
        steps = self.board.budget
        while steps > 1 and self._step(now):
            steps -= 1

    def _calm(self, now: int) -> int:
        """Return 0 while a contact bounces, 1 while a place may press, else 2: a stop of 10 ms harms nobody.

        No place presses while none is asked, or while the question is too new to have been read.
        """
        if not self.buttons.settled:
            return 0
        asked = self.asked
        if asked.question.waiting and ticks_diff(now, asked.asked_ms) >= _READING_MS:
            return 1
        return 2

    def _step(self, now: int) -> bool:
        """Do one kind of work, so that none waits long for another; return True if there was any.

        The line and the people at the table take turns. Status and pixels come when neither has work and no contact
        bounces, but at the latest after :data:`_PATIENCE` steps.
        """
        if self._unshown > _PATIENCE:
            self._unshown = 0
            self._present(now)
            return True
        waits = self._line_waits(now)
        if waits and not self._people_wait():
            self._talks = self._talks + 1 if self._talks > 0 else 1
            busy = self._talk(now)
            if self.link.stuck and not busy:
                busy = self._serve_all(now)  # a port that takes nothing takes no turn either
        else:
            busy = self._serve_all(now) or waits
            self._talks = 0 if busy else -1
        if busy or not self.buttons.settled or self.journal.has_unsent():
            self._unshown += 1
            return busy
        self._unshown = 0
        return self._present(now)

    def _line_waits(self, now: int) -> bool:
        """Return True if an event is to be sent, or, unless a contact bounces, if anything else goes in or out."""
        if self.journal.entries and self.journal.is_due(now):
            return True
        if self._unshown < _PATIENCE - 1 and not self.buttons.settled:  # one step is the people's, one the line's
            return False
        return self.link.waiting > 0 or self.board.heard or bool(self._frames)

    def _people_wait(self) -> bool:
        """Return True if it is the turn of the buttons and sensors."""
        if self._talks == _TALKS:
            return True
        return self._talks != 0 and (self.board.touched or not self.landings.still)

    def _talk(self, now: int) -> bool:
        """Send an event, else take input. Events first: they end, while a host may talk without end."""
        if self.journal.entries and self.journal.tick(now):
            pass
        elif self._frames:
            message, payload, run = self._frames.pop(0)
            self.session.take(message, payload, run, now)
        elif self.board.heard:
            self._frames = self.link.receive()
        elif not self.link.waiting:
            return False
        else:
            self.link.flush()
            return not self.link.stuck
        if self.link.waiting:
            self.link.flush()
        return True

    def _serve_all(self, now: int) -> bool:
        """Serve the people at the table; return True if anything was pressed, thrown or reported as landed."""
        self._behind = False
        busy = self._read_inputs() if self.board.touched else False
        if not self.landings.still and not self._behind:  # else what is told may be wrong
            busy = self._read_landings(now, busy) or busy
        asked = self.asked
        asked.question.tick(now)
        if asked.void:
            asked.drop()
        if asked.calls:
            asked.tell_calls()
        if self.scene.peeked:
            self.parts.peeks.end(now)
        if self.tone.sounding:
            self.tone.tick(now)
        return busy

    def _present(self, now: int) -> bool:
        """Send a hello or a status, or else show the pixels, if due. Return True if anything was sent."""
        told = self.status.report(now)
        session = self.session
        if session.leaving and not self.link.waiting and ticks_diff(now, session.leaving_ms) >= LEAVING_MS:
            self.board.enter_service()
        pressed = self.board.service_pressed()
        if pressed != self._serviced:
            self._serviced = pressed
            if pressed and isinstance(self.asked.question, Idle):
                self.ledger.show_seal()
        if self.ledger.sealing:
            self.ledger.end_seal(now)
        if not told:
            if self.asked.question.undrawn:
                self.asked.question.draw()
            if self.scene.render(now):
                self.board.show(self.scene.frame)
        return told

    def note_collection(self, us: int) -> None:
        """Note that the main loop has collected garbage, as :attr:`collection_due` asked; ``us``: the time it took."""
        self.measures.note_collection(us)

    def _read_inputs(self) -> bool:
        board = self.board
        felt = False
        while board.next_sample():
            pressed = self.buttons.sample(board.buttons)
            if pressed:
                self.asked.press(pressed)
                felt = True
        edges = _EDGES
        while edges and board.next_edge():
            self.landings.edge(board.edge_ms, board.edge_line, board.edge_level, board.edge_us)
            felt = True
            edges -= 1
        self._behind = not edges
        return felt

    def _read_landings(self, now: int, felt: bool) -> bool:
        """Report landings; wait for a step without edges, but at most :data:`_PATIENCE` steps."""
        if felt and self._unread < _PATIENCE:
            self._unread += 1
            return False
        self._unread = 0
        landing = self.landings.next_landing(now)
        if landing and isinstance(self.asked.question, Window):
            landing.us = self.board.long_us(landing.us)
            self.asked.question.take_landing(landing)
        moved = self.landings.next_moved(now)
        if moved and isinstance(self.asked.question, Window):
            self.asked.question.take_moved(moved)
        return landing is not None
