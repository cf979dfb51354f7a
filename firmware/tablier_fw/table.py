"""The table: owns the board and gives each service its turn, once a tick. The main loop is in ``main_…``.

No service blocks or touches hardware: all time, entropy, inputs and outputs come from the board.
"""

import struct
from time import ticks_diff

from tablier_fw import colours, wire
from tablier_fw.buttons import Buttons
from tablier_fw.journal import Journal
from tablier_fw.landing import Landings
from tablier_fw.ledger import Ledger
from tablier_fw.link import Link
from tablier_fw.questions import Idle, Question
from tablier_fw.questions.choice import Choice
from tablier_fw.questions.menu import Menu
from tablier_fw.questions.poll import Poll
from tablier_fw.questions.roll import Roll
from tablier_fw.questions.tally import Tally
from tablier_fw.questions.watch import Watch
from tablier_fw.questions.window import Window
from tablier_fw.scene import FRAME_MS, Scene
from tablier_fw.tone import Tone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Board

STATUS_MS = 200
HELLO_MS = 1000
_TALKS = 3  # steps of the line that may follow one another
_PATIENCE = 12  # steps for which status and pixels may wait for other work
_EDGES = 2  # edges read in one step: on a Pico each takes up to half a millisecond to read and work out
_READING_MS = 120  # nobody answers a question sooner
PEEK_MS = 5000
"""Length of a peek."""
LEAVING_MS = 2000
"""For so long all at the table see that it will leave for the service mode."""
SILENT_MS = 3000  # a host silent for this long counts as gone, and the ring shows it

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
    """Return the kind that no game needs: it takes memory only while it is open."""
    import sys

    import tablier_fw.questions.check as module

    del sys.modules["tablier_fw.questions.check"]
    return module.Check


class Table:
    def __init__(self, board: "Board") -> None:
        # What every tick needs comes first: of many attributes, the later ones are found later.
        self.board = board
        self._unshown = 0  # steps for which status and pixels have waited for other work
        self._unread = 0  # steps for which landings have waited for edges
        self._talks = 0  # the latest steps in a row that were the line's
        self._behind = False  # this step may have left edges unread
        self._frames: list = []  # decoded, not yet taken
        self._loops = 0
        self._loop_us = 0
        self.collection_due = True
        """True when this is a good moment to collect garbage: nothing came in or went out, or memory is short."""
        self.boot = board.entropy(8)
        self.link = Link(board, self.boot)
        self.journal = Journal(board, self.link)
        self.scene = Scene(board.paint, board.tint)
        self.ledger = Ledger(board, self.boot, self.scene)
        self.buttons = Buttons(board.buttons)
        self.landings = Landings()
        self.tone = Tone(board)
        self.question: Question = Idle(self, b"")
        self._calls = 0  # the places, by bit, whose call is not journalled yet
        self._asked_ms = 0  # when the question was asked, in ms
        self._peeks: list = [0] * (wire.PLACES + 1)  # by place: when it began to peek, in ms
        self._still = (0, 0, 0, 0, 0, 0)  # time and memory as a status gives them while something is secret
        self._held = [wire.NO_REVISION] * wire.SLOTS
        self._held_bytes = bytearray(4 * wire.SLOTS)  # the same, as a status gives it
        self._status = bytearray(struct.calcsize(wire.STATUS.form))  # the payload of the latest
        self._outside: list = [0] * (wire.PLACES + 1)  # by place: the question that its host's commitment is for
        now = board.now_ms()
        self._status_ms = now
        self._status_due = True
        self._hello_ms = now
        self._heard_ms = now
        self._heap = board.heap()
        self._collections = 0
        self._collect_us = 0
        self._newest = 0  # the highest question this host has asked: an older one is a late copy
        self._alone = False
        self._greeted = False
        self._leaving = False  # for the service mode, as soon as the answer is out and all have seen it
        self._leaving_ms = 0
        self._void = False  # the question is, as soon as its outcome has stood
        self._serviced = False  # the service button counts as pressed
        self._logs: list = []  # (log, the last event that it was told is durable), the latest log last
        self._host = wire.NO_ID  # whose ids the host's questions carry: its log's, or its own
        self._owner = wire.NO_ID  # and whose all state is that the slots hold
        self._say_hello()
        self._set_alone(True)

    # -- the loop ------------------------------------------------------------------------------------

    def pause(self) -> int:
        """Return the ms for which nothing is due unless something comes in."""
        link = self.link
        if not link.stuck and self.journal.unsent():
            return 0
        if not self.buttons.settled:
            return 1
        if self._frames or (link.waiting and not link.stuck):
            return 0
        if self.scene.stale:
            return 1
        if self.tone.sounding or self.landings.settling():
            return 1
        if self._status_due and self._greeted and not link.stuck:
            return 1
        if self.scene.animated() or self.question.timed or self._leaving:
            return FRAME_MS
        return 50

    # The variables of a larger function are on the heap, and to find room there takes time: what every tick goes
    # through is cut into functions that are small enough. A call costs as much as five steps inside a function: what
    # has nothing to do is not called.

    def tick(self) -> None:
        """Take as many steps as the board has time for in one turn of the main loop, or until nothing is left to do."""
        board = self.board
        now = board.now_ms()
        begun = board.ticks_us()
        busy = more = self._step(now)
        steps = board.budget
        while more and steps > 1:
            steps -= 1
            more = self._step(now)
        self.collection_due = board.littered(busy, 0 if busy else self._calm(now))
        self._loops += 1
        begun = ticks_diff(board.ticks_us(), begun)
        if begun > self._loop_us:
            self._loop_us = begun

    def _calm(self, now: int) -> int:
        """Return whom a stop of 10 ms would keep waiting: 0 a contact that bounces, 1 a place that may press, 2 nobody.

        The last holds while no place is asked, and while the question is too new to have been read.
        """
        if not self.buttons.settled:
            return 0
        if self.question.waiting and ticks_diff(now, self._asked_ms) >= _READING_MS:
            return 1
        return 2

    def _step(self, now: int) -> bool:
        """Do one kind of work, so that none waits long for another; return True if there was any.

        The line and the people at the table take turns. Status and pixels come when neither has work and no contact
        bounces, but neither they nor the input wait for ever.
        """
        if self._unshown > _PATIENCE:
            self._unshown = 0
            self._present(now)
            return True
        waits = self._line_waits(now)
        if waits and not self._people_wait():
            self._talks += 1
            busy = self._talk(now)
        else:
            self._talks = 0
            busy = self._serve_all(now) or waits
        if busy or not self.buttons.settled or self.journal.unsent():
            self._unshown += 1
            return busy
        self._unshown = 0
        return self._present(now)

    def _line_waits(self, now: int) -> bool:
        """Return True if an event is to be sent, or, unless a contact bounces, if anything else goes in or out."""
        if self.journal.entries and self.journal.due(now):
            return True
        if self._unshown and not self.buttons.settled:
            return False
        return self.link.waiting > 0 or self.board.heard or bool(self._frames)

    def _people_wait(self) -> bool:
        """Return True if it is the turn of the people at the table."""
        if self._talks == _TALKS:
            return True
        return self._talks > 0 and (self.board.touched or not self.landings.still)

    def _talk(self, now: int) -> bool:
        """Send an event, else take what came in: events come to an end, and a host that talks need not."""
        busy = True
        if self.journal.entries and self.journal.tick(now):
            pass
        elif self._frames:
            message, payload, run = self._frames.pop(0)
            self._take(message, payload, run, now)
        elif self.board.heard:
            self._frames = self.link.receive()
        else:
            busy = False
        if self.link.waiting:
            self.link.flush()
        return busy

    def _serve_all(self, now: int) -> bool:
        """Serve the people at the table; return True if anything was pressed, thrown or reported as landed."""
        self._behind = False
        busy = self._read_inputs() if self.board.touched else False
        if not self.landings.still and not self._behind:  # else what is told may be wrong
            busy = self._read_landings(now, busy) or busy
        self.question.tick(now)
        if self._calls:
            self._tell_calls()
        if self.scene.peeked:
            self._end_peeks(now)
        if self.tone.sounding:
            self.tone.tick(now)
        return busy

    def _present(self, now: int) -> bool:
        """Send a hello or a status, or else show the pixels, if due. Return True if anything was sent."""
        told = self._report(now)
        if self._leaving and not self.link.waiting and ticks_diff(now, self._leaving_ms) >= LEAVING_MS:
            self.board.serve()
        pressed = self.board.service()
        if pressed != self._serviced:
            self._serviced = pressed
            if pressed and isinstance(self.question, Idle):
                self.ledger.show_seal()
        if self.ledger.sealing:
            self.ledger.end_seal(now)
        if not told and self.scene.render(now):
            self.board.show(self.scene.frame)
        return told

    def collected(self, us: int) -> None:
        """Note that the main loop has collected garbage, as :attr:`collection_due` asked, in this time."""
        self._collections += 1
        if us > self._collect_us:
            self._collect_us = us
        self._heap = self.board.heap()

    def _read_inputs(self) -> bool:
        board = self.board
        felt = False
        while board.next_sample():
            pressed = self.buttons.sample(board.buttons)
            if pressed:
                self._press(pressed)
                felt = True
        edges = _EDGES
        while edges and board.next_edge():
            self.landings.edge(board.edge_ms, board.edge_line, board.edge_level, board.edge_us)
            felt = True
            edges -= 1
        self._behind = not edges
        return felt

    def _read_landings(self, now: int, felt: bool) -> bool:
        """Report landings; after edges in the next step, unless every step has edges."""
        if felt and self._unread < _PATIENCE:
            self._unread += 1
            return False
        self._unread = 0
        landing = self.landings.settled(now)
        if landing and isinstance(self.question, Window):
            landing.us = self.board.long_us(landing.us)
            self.question.landed(landing)
        moved = self.landings.moved(now)
        if moved and isinstance(self.question, Window):
            self.question.moved(moved)
        return landing is not None

    def _press(self, pressed: int) -> None:
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
        question = self.question
        if self.ledger.marked:
            self.ledger.unmark()
            return  # who pressed may have meant something else, and sees that nothing came of it
        if button == wire.PLUS and self.buttons.stable >> (place - 1) * 4 + wire.MINUS & 1 and question.calls():
            question.undo(place)
            self._calls |= (question.flags & wire.CALL) << (place - 1)
            return
        if self.scene.peeked >> (place - 1) & 1 and question.waits(place):
            self.scene.peek(place, False)
            if button == wire.A or button == wire.B:
                return  # what it would confirm was not to be seen
        elif question.may_peek(place, button):
            self.peek(place)
        question.press(place, button)

    # -- peeks and calls -----------------------------------------------------------------------------------

    def peek(self, place: int) -> None:
        """Show a place, for a while, what the host painted under its hood. This is not reported."""
        self._peeks[place] = self.board.now_ms()
        self.scene.peek(place, True)

    def _end_peeks(self, now: int) -> None:
        for place in range(1, wire.PLACES + 1):
            if self.scene.peeked >> (place - 1) & 1 and ticks_diff(now, self._peeks[place]) >= PEEK_MS:
                self.scene.peek(place, False)

    def _tell_calls(self) -> None:
        """Journal the calls, unless they must wait for the end of a choice, or for room."""
        if self.question.withholds():
            return
        for place in range(1, wire.PLACES + 1):
            if self._calls >> (place - 1) & 1 and self.journal.room():
                self._calls &= ~(1 << (place - 1))
                self.journal.add(wire.CALLED, self.question.id, place)

    # -- messages from the host ------------------------------------------------------------------------

    # A payload is checked, every field against its range, before anything changes.

    def _take(self, message: wire.Message, payload: bytes, run: bytes, now: int) -> None:
        if self._leaving:
            return
        if message is wire.HOST_HELLO:
            self._greet(run, payload, now)
            return
        if message is wire.SERVICE:
            self._serve(payload, run, now)
            return
        self._heard_ms = now
        if not message.name:
            self.link.unknown += 1
            if message.group is wire.STATE:
                self._refuse(message, payload, wire.NO_FIELD << 8 | wire.UNKNOWN)
            return
        fault = message.fault(payload, self.board.within)
        if fault >= 0:
            self._refuse(message, payload, fault)
        elif message.group is wire.STATE:
            self._take_state(message, payload, now)
        elif message is wire.ACK:
            self._take_ack(wire.ACK.unpack(payload)[0])
        elif message is wire.PING:
            (host_time,) = wire.PING.unpack(payload)
            self.link.send(wire.PONG, wire.PONG.pack(host_time, self.board.now_us()))
        elif message is wire.KEEP:
            self._keep(wire.KEEP.unpack(payload)[0])

    def _refuse(self, message: wire.Message, payload: bytes, fault: int) -> None:
        """Answer with what was refused and why. ``fault``: the field times 256, and the reason."""
        slot = wire.slot_of(message, payload)
        answer = wire.REFUSED.pack(message.code, slot, wire.revision(message, payload), fault >> 8, fault & 0xFF)
        self.link.send(wire.REFUSED, answer)

    def _greet(self, run: bytes, payload: bytes, now: int) -> None:
        """Adopt a host that has heard this table's hello and has the same major version; answer any with a hello."""
        if wire.HOST_HELLO.fault(payload) < 0:
            major, _, challenge, log, entropy, _ = wire.HOST_HELLO.unpack(payload)
            if major == wire.MAJOR and challenge == self.link.challenge:
                self.board.stir(entropy)
                self._adopt(run, log)
                self._greeted = True
                self._heard_ms = now
                self._status_due = True
        self._say_hello()

    def _adopt(self, run: bytes, log: bytes) -> None:
        """Listen to a host from now on.

        Another run with the same log continues where the last one was. With another log everything that was painted
        and asked is void: its ids mean something else, and a hood may hold somebody's secret. A host without a log may
        look on, but does not own what is there.
        """
        self.link.challenge = self.board.entropy(8)
        if run == self.link.run:
            return
        self.link.run = run
        self.journal.rewind()
        self._newest = 0
        self._host = run if log == wire.NO_ID else log
        if log != wire.NO_ID and log != self._owner:
            self.journal.drop()
            self._own()
        elif self.question.over() and not self.journal.entries:
            self._forget()  # a host that asks it again has not got its answer
        self._tell_held()

    def _own(self) -> None:
        """Let all state be the present host's: what another one painted and asked is void."""
        self._owner = self._host
        self._held = [wire.NO_REVISION] * wire.SLOTS
        self._forget()
        self.scene.clear()
        if self.question.stands():
            self._void = True
        else:
            self._put(Idle, b"")
        self._tell_held()

    def _forget(self) -> None:
        """Forget all that is held with a question: asked again, it is another one."""
        for slot in range(wire.QUESTION_SLOT, wire.TONE_SLOT):
            self._held[slot] = wire.NO_REVISION
        self._outside = [0] * (wire.PLACES + 1)

    def _tell_held(self) -> None:
        """Write what a status says of the slots: nothing to a host whose state that is not."""
        for slot in range(wire.SLOTS):
            told = self._held[slot] if self._host == self._owner else wire.NO_REVISION
            self._held_bytes[4 * slot : 4 * slot + 4] = told.to_bytes(4, "little")

    def _say_hello(self) -> None:
        journal = self.journal
        self.link.hello(self.board.cause, journal.lost, journal.number, journal.acked)

    def _serve(self, payload: bytes, run: bytes, now: int) -> None:
        """Answer a wish for the service mode. In a game it takes a hand: that holds the service button."""
        fault = wire.SERVICE.fault(payload)
        if fault >= 0 or wire.SERVICE.unpack(payload)[0] != self.link.challenge:
            refusal = wire.STRANGER
        elif run != self.link.run and self._has_host(now):
            refusal = wire.STRANGER
        elif not self.board.abilities & wire.CAN_SERVE:
            refusal = wire.CANNOT_SERVE
        elif isinstance(self.question, Roll) or self.ledger.marked:
            refusal = wire.QUESTION_OPEN
        elif self.board.service() or (isinstance(self.question, Idle) and not self.question.game):
            refusal = wire.WILL_SERVE
        else:
            refusal = wire.QUESTION_OPEN
        if self.link.send(wire.SERVING, wire.SERVING.pack(refusal), run) and refusal == wire.WILL_SERVE:
            self._leaving = True
            self._leaving_ms = now
            self.ledger.drop_seal()
            for group in (wire.RING, wire.PUBLIC):
                self.scene.fill(group, colours.SERVICE)

    def _keep(self, result: bytes) -> None:
        """Store a result of the self-test, if there is one, and answer with the stored one. Writing flash stops
        everything: it is refused while a question is open."""
        refusal = wire.KEEPS
        if result:
            if not isinstance(self.question, Idle):
                refusal = wire.ASKS_STILL
            elif not self.board.keep(result):
                refusal = wire.CANNOT_KEEP
        self.link.send(wire.KEPT, wire.KEPT.pack(refusal, self.board.kept()))

    def _told(self) -> int:
        """Return the last event that this host's log has called durable: more than it knows, if it is a backup."""
        for log, number in self._logs:
            if log == self._host:
                return number
        return 0

    def _note_told(self, number: int) -> None:
        last = self._told()
        if last < number <= self.journal.number:
            logs = [known for known in self._logs if known[0] != self._host]
            self._logs = logs[-3:] + [(self._host, number)]

    def _take_ack(self, number: int) -> None:
        if self._host != self.link.run:
            self.journal.told()
            self._note_told(number)
        before = self.journal.acked
        self.journal.ack(number)
        if self.journal.acked != before:
            self.question.acked(number)
            self._status_due = True

    def _take_state(self, message: wire.Message, payload: bytes, now: int) -> None:
        slot = wire.slot_of(message, payload)
        revision = wire.revision(message, payload)
        if self._host != self._owner and message is not wire.CONTRIBUTION:  # which is due to nobody else's roll
            self._own()
        if slot == wire.QUESTION_SLOT and self.question.stands():
            if int.from_bytes(payload[:4], "little") < self._newest:
                self._refuse(message, payload, wire.OLD)
            return  # the table does not hold it yet, so it comes again
        if self._held[slot] == revision and self._host == self._owner:
            return
        if message is wire.SCENE:
            self.scene.set_group(slot, wire.SCENE.unpack(payload)[1], now)
        elif message is wire.TONE:
            self.tone.play(wire.TONE.unpack(payload)[1])
        elif message is wire.OUTSIDE:
            question, place, _, _ = wire.OUTSIDE.unpack(payload)
            self._outside[place] = question
        elif message is wire.CONTRIBUTION:
            if self._host != self._owner or not self.question.contribute(*wire.CONTRIBUTION.unpack(payload)):
                self._refuse(message, payload, wire.NO_FIELD << 8 | wire.UNDUE)
                return
        elif not self._ask(message, payload):
            self._refuse(message, payload, wire.OLD)
            return
        self._hold(slot, revision)
        self._status_due = True

    def _ask(self, message: wire.Message, payload: bytes) -> bool:
        """Replace the open question; return False, changing nothing, if the new one is older."""
        id = int.from_bytes(payload[:4], "little")
        if id < self._newest:
            return False
        self._newest = id
        self._put(_check() if message is wire.CHECK else _KINDS[message.code], payload)
        return True

    def stood(self) -> None:
        """Note that an outcome has stood for long enough: what has waited is asked now."""
        self._status_due = True
        if self._void:
            self._put(Idle, b"")

    def _put(self, kind: type, payload: bytes) -> None:
        """Replace the open question."""
        self.question.end()
        if self.ledger.sealing:
            self.ledger.drop_seal()
        self._void = False
        self._asked_ms = self.board.now_ms()
        self.scene.clear_over(self._asked_ms)
        self._calls = 0
        self._still = self._measures()
        self.question = kind(self, payload)
        self.question.flags = payload[4] if payload else 0

    def _hold(self, slot: int, revision: int) -> None:
        self._held[slot] = revision
        self._held_bytes[4 * slot : 4 * slot + 4] = revision.to_bytes(4, "little")

    def committed_outside(self, place: int, question: int) -> bool:
        """Return True if the host has sent a commitment for this place in this question."""
        return self._outside[place] == question

    # -- hello and status --------------------------------------------------------------------------------

    def _has_host(self, now: int) -> bool:
        """Return True if a host was adopted and has been heard of late."""
        return self._greeted and ticks_diff(now, self._heard_ms) < SILENT_MS

    def _report(self, now: int) -> bool:
        """Send a hello or a status if one is due. Return True if one was."""
        if self._has_host(now):
            self._hello_ms = now
            self._set_alone(False)
        else:
            self._heard_ms = now - SILENT_MS & 0x3FFFFFFF  # stays as long ago: times that are a week apart wrap
            self._set_alone(True)
            if ticks_diff(now, self._hello_ms) >= HELLO_MS and not self.link.waiting:
                self._hello_ms = now
                self._say_hello()
                return True
            if not self._greeted:
                return False
        if self._status_due or ticks_diff(now, self._status_ms) >= STATUS_MS:
            self._status_due = False
            self._status_ms = now
            self._send_status()
            return True
        return False

    def _measures(self) -> tuple:
        """Return memory and time as a status gives them."""
        used, free = self._heap
        return used, free, self._loop_us, self._loops, self._collect_us, self._collections

    def _send_status(self) -> None:
        flags = 0 if self.journal.room() else wire.FLAG_FULL
        hushed = self.question.secret and not self.question.over()
        used, free, loop_us, loops, collect_us, collections = self._still if hushed else self._measures()
        # Written in place: as the only arguments of a message these would take five objects, each to be found room for.
        struct.pack_into(
            wire.STATUS.form,
            self._status,
            0,
            self.board.now_us(),
            self._held_bytes,
            self.journal.number,
            self.journal.acked,
            flags,
            self.question.taken(),
            self.question.landings(),
            used,
            free,
            loop_us,
            loops,
            collect_us,
            collections,
            self.link.errors(),
            self.link.unknown,
            self.journal.resent,
            self.ledger.begun,
            self.ledger.revealed,
            self.ledger.acknowledged,
            self.ledger.abandoned,
            self._told(),
        )
        self.link.send(wire.STATUS, self._status)
        if not hushed:
            self._loop_us = self._loops = 0
            self._collect_us = self._collections = 0

    def _set_alone(self, alone: bool) -> None:
        """Show on the ring whether there is a host; without one the open question waits."""
        if alone != self._alone:
            self._alone = alone
            self.scene.set_alone(alone)
