"""The session with the host: adopt it, check and apply its messages, keep the state of its slots."""

from time import ticks_diff

from tablier_fw import colours, wire
from tablier_fw.questions import Idle
from tablier_fw.questions.roll import Roll

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.asked import Asked
    from tablier_fw.parts import Parts

LEAVING_MS = 2000
"""For so long all at the table see that it will leave for the service mode."""
_UNKNOWN = wire.NO_FIELD << 8 | wire.UNKNOWN
SILENT_MS = 3000  # a host silent for this long counts as gone, and the ring shows it


class Session:
    def __init__(self, parts: "Parts", asked: "Asked") -> None:
        self._parts = parts
        self._asked = asked
        self._board = parts.board
        self._link = parts.link
        self._journal = parts.journal
        self.greeted = False
        """True once a host was adopted."""
        self.leaving = False
        """True while it leaves for the service mode, as soon as the answer is out and all have seen it."""
        self.leaving_ms = 0
        """Since when it does."""
        self.held_bytes = bytearray(4 * wire.SLOTS)
        """The revisions of the slots, as a status gives them."""
        self._held = [wire.NO_REVISION] * wire.SLOTS
        self._heard_ms = parts.board.now_ms()
        self._newest = 0  # the highest question this host has asked: an older one is a late copy
        self._logs: list = []  # (log, the last event that it was told is durable), the latest log last
        self._host = wire.NO_ID  # whose ids the host's questions carry: its log's, or its own
        self._owner = wire.NO_ID  # and whose all state is that the slots hold

    def has_host(self, now: int) -> bool:
        """Return True if a host was adopted and was heard recently."""
        return self.greeted and ticks_diff(now, self._heard_ms) < SILENT_MS

    def mark_silent(self, now: int) -> None:
        """Keep the silent host silent: without this the clock, which wraps in a week, would make it recent again."""
        self._heard_ms = now - SILENT_MS & 0x3FFFFFFF

    # -- messages from the host ------------------------------------------------------------------------

    # A payload is checked, every field against its range, before anything changes.

    def take(self, message: wire.Message, payload: bytes, run: bytes, now: int) -> None:
        if self.leaving:
            return
        if message is wire.HOST_HELLO:
            self._greet(run, payload, now)
            return
        if message is wire.SERVICE:
            self._serve(payload, run, now)
            return
        self._heard_ms = now
        if not message.name:
            self._link.unknown += 1
            if message.group is wire.STATE:
                self._refuse(message, payload, _UNKNOWN)
            return
        fault = message.fault(payload, self._board.within)
        if fault >= 0:
            self._refuse(message, payload, fault)
        elif message.group is wire.STATE:
            self._take_state(message, payload, now)
        elif message is wire.ACK:
            self._take_ack(wire.ACK.unpack(payload)[0])
        elif message is wire.PING:
            self._answer(wire.PING.unpack(payload)[0])
        elif message is wire.KEEP:
            self._keep(wire.KEEP.unpack(payload)[0])

    def _answer(self, host_time: int) -> None:
        self._link.send(wire.PONG, wire.PONG.pack(host_time, self._board.now_us()))

    def _refuse(self, message: wire.Message, payload: bytes, fault: int) -> None:
        """Refuse a message. ``fault``: 256 times the field, plus the reason."""
        slot = wire.slot_of(message, payload)
        answer = wire.REFUSED.pack(message.code, slot, wire.revision(message, payload), fault >> 8, fault & 0xFF)
        self._link.send(wire.REFUSED, answer)

    def _greet(self, run: bytes, payload: bytes, now: int) -> None:
        """Adopt a host that has heard this table's hello and has the same major version; answer any with a hello."""
        if wire.HOST_HELLO.fault(payload) < 0:
            major, _, challenge, log, entropy, _ = wire.HOST_HELLO.unpack(payload)
            if major == wire.MAJOR and challenge == self._link.challenge:
                self._board.stir(entropy)
                self._adopt(run, log)
                self.greeted = True
                self._heard_ms = now
                self._parts.changed = True
        self.say_hello()

    def _adopt(self, run: bytes, log: bytes) -> None:
        """Listen to a host from now on.

        Another run with the same log continues where the last one was. With another log everything that was painted
        and asked is void: its ids mean something else, and a hood may hold somebody's secret. A host without a log may
        look on, but does not own what is there.
        """
        self._link.challenge = self._board.entropy(8)
        if run == self._link.run:
            return
        self._link.run = run
        self._journal.rewind()
        self._newest = 0
        self._host = run if log == wire.NO_ID else log
        if log != wire.NO_ID and log != self._owner:
            self._journal.drop()
            self._own()
        elif self._asked.question.is_over() and not self._journal.entries:
            self._forget()  # a host that asks it again has not got its answer
        self._tell_held()

    def _own(self) -> None:
        """Make the present host the owner of all state; void what another one painted and asked."""
        self._owner = self._host
        self._held = [wire.NO_REVISION] * wire.SLOTS
        self._forget()
        self._parts.scene.clear()
        self._asked.drop()
        self._tell_held()

    def _forget(self) -> None:
        """Forget the state of the question's slots, so that the same content asks anew."""
        for slot in range(wire.QUESTION_SLOT, wire.TONE_SLOT):
            self._held[slot] = wire.NO_REVISION
        self._parts.outside = [0] * (wire.PLACES + 1)

    def _tell_held(self) -> None:
        """Write the slots' revisions for a status: none for a host that does not own them."""
        for slot in range(wire.SLOTS):
            told = self._held[slot] if self._host == self._owner else wire.NO_REVISION
            self.held_bytes[4 * slot : 4 * slot + 4] = told.to_bytes(4, "little")

    def say_hello(self) -> None:
        """Send a hello."""
        journal = self._journal
        self._link.hello(self._board.cause, journal.lost, journal.number, journal.acked)

    def _serve(self, payload: bytes, run: bytes, now: int) -> None:
        """Answer a request for the service mode. During a game somebody must hold the service button."""
        fault = wire.SERVICE.fault(payload)
        if fault >= 0 or wire.SERVICE.unpack(payload)[0] != self._link.challenge:
            refusal = wire.STRANGER
        elif run != self._link.run and self.has_host(now):
            refusal = wire.STRANGER
        elif not self._board.abilities & wire.CAN_SERVE:
            refusal = wire.CANNOT_SERVE
        elif isinstance(self._asked.question, Roll) or self._parts.ledger.marked:
            refusal = wire.QUESTION_OPEN
        elif self._board.service_pressed() or (
            isinstance(self._asked.question, Idle) and not self._asked.question.game
        ):
            refusal = wire.WILL_SERVE
        else:
            refusal = wire.QUESTION_OPEN
        if self._link.send(wire.SERVING, wire.SERVING.pack(refusal), run) and refusal == wire.WILL_SERVE:
            self.leaving = True
            self.leaving_ms = now
            self._parts.ledger.drop_seal()
            for group in (wire.RING, wire.PUBLIC):
                self._parts.scene.fill(group, colours.SERVICE)

    def _keep(self, result: bytes) -> None:
        """Store a result of the self-test, unless it is empty, and answer with the stored one.

        Writing flash stops everything, so it is refused while a question is open.
        """
        refusal = wire.KEEPS
        if result:
            if not isinstance(self._asked.question, Idle):
                refusal = wire.ASKS_STILL
            elif not self._board.save_result(result):
                refusal = wire.CANNOT_KEEP
        self._link.send(wire.KEPT, wire.KEPT.pack(refusal, self._board.load_result()))

    # -- what is durable -------------------------------------------------------------------------------------------

    def last_durable(self) -> int:
        """Return the last event that this host's log has called durable: newer than the log if that is a backup."""
        for log, number in self._logs:
            if log == self._host:
                return number
        return 0

    def _note_durable(self, number: int) -> None:
        last = self.last_durable()
        if last < number <= self._journal.number:
            logs = [known for known in self._logs if known[0] != self._host]
            self._logs = logs[-3:] + [(self._host, number)]

    def _take_ack(self, number: int) -> None:
        if self._host != self._link.run:
            self._journal.mark_told()
            self._note_durable(number)
        before = self._journal.acked
        self._journal.ack(number)
        if self._journal.acked != before:
            self._asked.question.take_ack(number)
            self._parts.changed = True

    def _take_state(self, message: wire.Message, payload: bytes, now: int) -> None:
        slot = wire.slot_of(message, payload)
        revision = wire.revision(message, payload)
        if self._host != self._owner and message is not wire.CONTRIBUTION:  # which is due to nobody else's roll
            self._own()
        if slot == wire.QUESTION_SLOT and self._asked.question.stands():
            if int.from_bytes(payload[:4], "little") < self._newest:
                self._refuse(message, payload, wire.OLD)
            return  # the table does not hold it yet, so it comes again
        if self._held[slot] == revision and self._host == self._owner:
            return
        if message is wire.SCENE:
            _, pixels, light = wire.SCENE.unpack(payload)
            self._parts.scene.set_group(slot, pixels, light, now)
        elif message is wire.TONE:
            self._parts.tone.play(*wire.TONE.unpack(payload)[1:])
        elif message is wire.OUTSIDE:
            question, place, _, _ = wire.OUTSIDE.unpack(payload)
            self._parts.outside[place] = question
        elif message is wire.CONTRIBUTION:
            if self._host != self._owner or not self._asked.question.contribute(*wire.CONTRIBUTION.unpack(payload)):
                self._refuse(message, payload, wire.NO_FIELD << 8 | wire.UNDUE)
                return
        elif not self._ask(message, payload):
            self._refuse(message, payload, wire.OLD)
            return
        self._hold(slot, revision)
        self._parts.changed = True

    def _ask(self, message: wire.Message, payload: bytes) -> bool:
        """Replace the open question; return False, changing nothing, if the new one is older."""
        id = int.from_bytes(payload[:4], "little")
        if id < self._newest:
            return False
        self._newest = id
        self._asked.put(message, payload)
        return True

    def _hold(self, slot: int, revision: int) -> None:
        self._held[slot] = revision
        self.held_bytes[4 * slot : 4 * slot + 4] = revision.to_bytes(4, "little")
