"""Desired state: what each slot of the table is to hold, and what the table refuses of what it was sent."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from tablier.table import refusals
from tablier.table.clock import Clock
from tablier.table.incoming import Refused
from tablier.texts import Text
from tablier_fw import wire

RESEND_S = 0.15


@dataclass
class State:
    """The wanted content of a slot."""

    message: wire.Message
    payload: bytes
    sent: float
    refused: bool = False

    @property
    def revision(self) -> int:
        return int(wire.revision(self.message, self.payload))


class Wanted:
    """The wanted state, slot by slot; send it again until the table holds it or refuses it.

    ``send`` sends a message, or returns why the table cannot take it. ``tell`` hears of each refusal, once.
    """

    def __init__(
        self, clock: Clock, send: Callable[[wire.Message, bytes], Text | None], tell: Callable[[Refused], None]
    ) -> None:
        self.states: dict[int, State] = {}
        """By slot."""
        self._clock = clock
        self._send = send
        self._tell = tell
        self._once: dict[int, bytes] = {}  # code → payload of what was sent last that is no state

    def want(self, message: wire.Message, payload: bytes) -> State | None:
        """Have the message's slot hold it; return the new state, or ``None`` where it is wanted already."""
        slot = wire.slot_of(message, payload)
        current = self.states.get(slot)
        if current is not None and (current.message, current.payload) == (message, payload):
            return None
        state = self.states[slot] = State(message, payload, self._clock.now())
        if slot == wire.QUESTION_SLOT:
            word = self.states.get(wire.OUTSIDE_SLOT)
            if word is not None and word.message is wire.CONTRIBUTION:
                del self.states[wire.OUTSIDE_SLOT]  # to a roll that is over: no other question takes it
        return state

    def begin_boot(self) -> None:
        """Forget what is only for the boot before; what this one refuses is not known yet."""
        for slot in [slot for slot in self.states if slot >= len(wire.GROUPS)]:
            del self.states[slot]
        for state in self.states.values():
            state.refused = False  # it may be other firmware

    def send(self, state: State) -> None:
        """Send a state, unless the table has refused it."""
        if state.refused:
            return
        why = self._send(state.message, state.payload)
        if why is None:
            state.sent = self._clock.now()
        else:
            self._refuse(state, why)

    def send_all(self) -> None:
        """Send every state."""
        for state in self.states.values():
            self.send(state)

    def send_again(self, held: bytes) -> None:
        """Send what the table does not hold; ``held`` is that field of its status."""
        revisions, now = struct.unpack(f"<{wire.SLOTS}I", held), self._clock.now()
        for slot, state in self.states.items():
            if revisions[slot] != state.revision and now - state.sent >= RESEND_S:
                self.send(state)

    def asks(self, held: bytes) -> bool:
        """Return True if a question is wanted and the table holds it; ``held`` is that field of its status."""
        question = self.states.get(wire.QUESTION_SLOT)
        (revision,) = struct.unpack_from("<I", held, 4 * wire.QUESTION_SLOT)
        return question is not None and revision == question.revision

    def keep(self, message: wire.Message, payload: bytes) -> None:
        """Remember what is sent once, to put its refusal into words."""
        self._once[message.code] = payload

    def take_refusal(self, code: int, slot: int, revision: int, field: int, reason: int) -> None:
        """Tell of a refusal by the table, unless it is of what is not wanted any more."""
        state = self.states.get(slot)
        if state is not None and (state.message.code, state.revision) == (code, revision):
            if not state.refused:
                self._refuse(state, refusals.refusal(state.message, state.payload, field, reason))
            return
        message, payload = wire.BY_CODE.get(code), self._once.get(code)
        if message is not None and payload is not None and wire.revision(message, payload) == revision:
            del self._once[code]
            self._tell(Refused(message, refusals.refusal(message, payload, field, reason)))

    def _refuse(self, state: State, why: Text) -> None:
        state.refused = True
        self._tell(Refused(state.message, why))
