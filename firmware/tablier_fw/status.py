"""Regular messages: a hello while no host is adopted, a status to the host."""

import struct
from time import ticks_diff

from tablier_fw import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.asked import Asked
    from tablier_fw.parts import Parts
    from tablier_fw.session import Session

STATUS_MS = 200
HELLO_MS = 1000


class Status:
    def __init__(self, parts: "Parts", asked: "Asked", session: "Session") -> None:
        self._parts = parts
        self._asked = asked
        self._session = session
        self._payload = bytearray(struct.calcsize(wire.STATUS.form))  # of the latest
        now = parts.board.now_ms()
        self._status_ms = now
        self._hello_ms = now
        self._alone = False
        session.say_hello()
        self._set_alone(True)

    def report(self, now: int) -> bool:
        """Send a hello or a status if due; return True if one was sent."""
        session = self._session
        if session.has_host(now):
            self._hello_ms = now
            self._set_alone(False)
        else:
            session.mark_silent(now)
            self._set_alone(True)
            if ticks_diff(now, self._hello_ms) >= HELLO_MS and not self._parts.link.waiting:
                self._hello_ms = now
                session.say_hello()
                return True
            if not session.greeted:
                return False
        if self._parts.changed or ticks_diff(now, self._status_ms) >= STATUS_MS:
            self._parts.changed = False
            self._status_ms = now
            self._send()
            return True
        return False

    def _send(self) -> None:
        parts = self._parts
        journal, ledger, question = parts.journal, parts.ledger, self._asked.question
        flags = parts.board.faults() << wire.FAULTS_SHIFT
        if not journal.has_room():
            flags |= wire.FLAG_FULL
        hushed = question.secret and not question.is_over()
        measures = parts.measures
        used, free, loop_us, loops, collect_us, collections = measures.recall() if hushed else measures.now()
        # Written in place: as the only arguments of a message these would take five objects, each to be found room for.
        struct.pack_into(
            wire.STATUS.form,
            self._payload,
            0,
            parts.board.now_us(),
            self._session.held_bytes,
            journal.number,
            journal.acked,
            flags,
            question.taken_places(),
            question.count_landings(),
            used,
            free,
            loop_us,
            loops,
            collect_us,
            collections,
            parts.link.errors(),
            parts.link.unknown,
            journal.resent,
            ledger.begun,
            ledger.revealed,
            ledger.acknowledged,
            ledger.abandoned,
            self._session.last_durable(),
            parts.board.equipment.places,
            parts.board.equipment.ring,
            parts.board.equipment.arena,
            parts.board.equipment.starter,
        )
        parts.link.send(wire.STATUS, self._payload)
        if not hushed:
            measures.forget()

    def _set_alone(self, alone: bool) -> None:
        """Show on the ring that there is no host, or stop showing it."""
        if alone != self._alone:
            self._alone = alone
            self._parts.scene.set_alone(alone)
