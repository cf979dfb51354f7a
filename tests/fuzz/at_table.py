"""Any frames at the firmware, in the MicroPython VM: what it refuses and why, and that nothing else changes."""

from __future__ import annotations

import random
import struct
from binascii import hexlify
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tablier.simulation.vm import Vm
from tablier_fw import wire, words

from .fit import Fit
from .frames import Dice, line_of, payload_of

RUN = b"a run of"
LOG = b"the log!"
_BATCH = 7000  # bytes that one call may carry, or fewer
_PARTS = Path(__file__).parents[1] / "firmware" / "vm_parts.py"

IN_VM = """
import host
from binascii import hexlify

class Examiner:
    def begin(self): pass
    def end(self): pass
    def dark(self, lit): return 1, 0
    def broken(self, percent): return 0
    def floor(self): return 0, 0
    def faults(self): return 0

class FuzzBoard(Board):
    result = b""
    def examiner(self): return Examiner()
    def load_result(self): return self.result
    def save_result(self, result): return False
    def entropy(self, count):
        self._draws += 1
        return self._draws.to_bytes(8, "little")[:count] + bytes(max(0, count - 8))

board = FuzzBoard()
table = Table(board)

def settle():
    for _ in range(24):
        board.ms += 1
        table.tick()
        if not (board.received or table._frames or table.link.waiting or table.journal.has_unsent()):
            break

def treat(line):
    if line[0] == "@":
        board.buttons = int(line[1:])
        for _ in range(7):
            board.ms += 1
            table.tick()
        board.buttons = 0
        for _ in range(12):
            board.ms += 1
            table.tick()
    else:
        board.received = line.encode() + b"\\n"
    settle()
    said = b" ".join(b"".join(board.taken).split(b"\\n")).decode().strip()
    board.taken.clear()
    held = hexlify(table.session.held_bytes).decode()
    return "|".join((said, held, str(table.link.bad), str(table.link.unknown)))

settle()
host.call("said", hexlify(table.link.boot).decode() + " " + hexlify(table.link.challenge).decode())
board.taken.clear()
def turn():
    batch = host.call("frames", "")
    for line in batch.split(" "):
        host.call("said", treat(line))
    return True

# The collector must not run inside this frame, which is large; nobody comes back to it.
exec("while turn(): gc.collect()")
"""


class _End(Exception):
    """The frames have run out."""


class Broken(AssertionError):
    """The firmware did what the declarations do not allow; the text says after which frame."""


class AtTable:
    """``count`` frames at one table. :meth:`run` raises :class:`Broken`; ``told`` counts what was done with them."""

    def __init__(self, seed: int, count: int) -> None:
        self.told: Counter[str] = Counter()
        self._dice = Dice(seed)
        self._count = count
        self._left = count
        self._pending: list[tuple[int, bytes]] = []  # what was handed over and not answered yet: (code, payload)
        self._boot = self._challenge = b""
        self._held = [0] * wire.SLOTS
        self._newest = 0
        self._number = 0
        self._id = 1
        self._bad = self._unknown = 0
        self._fit = Fit()
        self._rolled = b""  # id and commitment of the open roll, while it waits for the host's bytes

    def run(self) -> None:
        source = _PARTS.read_text(encoding="utf-8") + IN_VM
        with suppress(_End):
            Vm({"frames": self._frames, "said": self._said}, heap="8m").run(source)
        if self._left or self._pending:
            raise Broken(f"the firmware stopped with {self._left} frames to come")

    # -- what the VM asks for --------------------------------------------------------------------------------------

    def _frames(self, _: str) -> str:
        if not self._left:
            raise _End
        lines: list[str] = []
        size = 0
        if not self._held_any():
            self._pending.append((wire.HOST_HELLO.code, self._hello(True)))
            lines.append(self._line())
        while self._left and size < _BATCH - 300:
            self._left -= 1
            if self._dice.random() < 0.1:
                self._pending.append((-1, b""))
                lines.append(f"@{1 << self._dice.randrange(24)}")
            else:
                self._pending.append(self._frame())
                lines.append(self._line())
            size += len(lines[-1]) + 1
        return " ".join(lines)

    def _held_any(self) -> bool:
        return self._count != self._left

    def _line(self) -> str:
        code, payload = self._pending[-1]
        boot = wire.NO_ID if code == wire.HOST_HELLO.code else self._boot
        return line_of(code, boot, RUN, payload)[:-1].decode()

    def _hello(self, right: bool) -> bytes:
        challenge = self._challenge if right else self._dice.randbytes(8)
        return wire.HOST_HELLO.pack(wire.MAJOR, 0, challenge, LOG, bytes(16), b"fuzz")

    def _frame(self) -> tuple[int, bytes]:
        dice = self._dice
        if dice.random() < 0.03:
            return dice.choice([code for code in range(0x80) if code not in wire.BY_CODE]), dice.randbytes(12)
        message = dice.choice(wire.MESSAGES)
        if dice.random() < 0.7:
            message = dice.choice([it for it in wire.MESSAGES if it.group == wire.STATE])
        if message is wire.HOST_HELLO:
            return message.code, self._hello(False) if dice.random() < 0.9 else payload_of(message, dice)
        fixed: dict[str, int | bytes] = {}
        if message.group == wire.STATE:
            if dice.random() < 0.6:
                self._id += 1
            fixed["id"] = max(1, self._id - (dice.random() < 0.1))
        elif message is wire.ACK:
            fixed["number"] = self._number
        elif message is wire.CONTRIBUTION and self._rolled and dice.random() < 0.8:
            fixed |= {"id": int.from_bytes(self._rolled[:4], "little"), "commitment": self._rolled[4:]}
        payload = payload_of(message, dice, fixed)
        asks = wire.slot_of(message, payload) == wire.QUESTION_SLOT
        if asks and self._id < int.from_bytes(payload[:4], "little") <= wire.MAX_ID:
            payload = self._id.to_bytes(4, "little") + payload[4:]  # else all that comes later is older
        return message.code, payload

    # -- what the VM says --------------------------------------------------------------------------------------------

    def _said(self, text: str) -> str:
        if not self._boot:
            self._boot, self._challenge = map(bytes.fromhex, text.split(" "))
            return ""
        code, payload = self._pending.pop(0)
        said, held, bad, unknown = text.split("|")
        frames = [wire.unframe(line.encode()) for line in said.split(" ") if line]
        self._judge(code, payload, frames, list(struct.unpack("<16I", bytes.fromhex(held))), int(bad), int(unknown))
        return ""

    def _judge(
        self,
        code: int,
        payload: bytes,
        frames: list[tuple[wire.Message, bytes, bytes, bytes]],
        held: list[int],
        bad: int,
        unknown: int,
    ) -> None:
        message = wire.BY_CODE.get(code)
        expected, refused = list(self._held), None
        bads, unknowns = self._bad, self._unknown
        what = "press"
        if code >= 0:
            what, slot, refused = self._expect(message, code, payload)
            if slot is not None:
                assert message is not None
                expected[slot] = wire.revision(message, payload)
            bads += what == "not ours"
            unknowns += what == "unknown"
        self.told[what] += 1
        answers = []
        for answer, _, _, body in frames:
            values = dict(zip(answer.names, answer.decode(body), strict=True))
            if answer is wire.TABLE_HELLO:
                self._challenge = values["challenge"]
            elif answer.group == wire.EVENT:
                if values["number"] > self._number:  # else it is said again, because nobody has acknowledged it
                    self._number = values["number"]
                    if answer is wire.COMMITTED:
                        self._rolled = struct.pack("<I", values["id"]) + values["commitment"]
                    why = self._fit.misfit(self._boot.hex(), answer, values)
                    if why:
                        self._break(code, payload, f"the firmware said {answer.name} {values}: {why}")
            elif answer is wire.REFUSED:
                answers.append(values)
        wanted = [] if refused is None else [refused]
        if answers != wanted:
            self._break(code, payload, f"expected {wanted}, said {answers}")
        if (held, bad, unknown) != (expected, bads, unknowns):
            self._break(code, payload, f"expected {(expected, bads, unknowns)}, holds {(held, bad, unknown)}")
        self._held, self._bad, self._unknown = held, bad, unknown

    def _expect(
        self, message: wire.Message | None, code: int, payload: bytes
    ) -> tuple[str, int | None, dict[str, int] | None]:
        """Return what must follow a frame: a name for it, the slot it fills, the refusal."""
        if message is None:
            state = wire.unknown(code).group == wire.STATE
            return "unknown", None, self._refusal(code, payload, wire.NO_FIELD << 8 | wire.UNKNOWN) if state else None
        if message in (wire.HOST_HELLO, wire.SERVICE):
            return "hello", None, None
        if message.way == wire.TO_HOST:
            return "not ours", None, None
        fault = message.fault(payload)
        if fault >= 0:
            return f"refused: {words.REASONS[fault & 0xFF][0]}", None, self._refusal(code, payload, fault)
        if message.group != wire.STATE:
            return "taken", None, None
        slot = wire.slot_of(message, payload)
        if self._held[slot] == wire.revision(message, payload):
            return "held", None, None
        if message is wire.CONTRIBUTION and payload[:36] != self._rolled:
            return "refused: undue", None, self._refusal(code, payload, wire.NO_FIELD << 8 | wire.UNDUE)
        if message is wire.CONTRIBUTION:
            self._rolled = b""  # it is taken once
        if slot == wire.QUESTION_SLOT:
            id = int.from_bytes(payload[:4], "little")
            if id < self._newest:
                return "refused: old", None, self._refusal(code, payload, wire.OLD)
            self._newest = id
            self._rolled = b""
            self._fit.ask(message, message.unpack(payload))
            self._id = max(self._id, min(id, wire.MAX_ID - 1))
        return "taken", slot, None

    @staticmethod
    def _refusal(code: int, payload: bytes, fault: int) -> dict[str, int]:
        message = wire.BY_CODE.get(code) or wire.unknown(code)
        slot, revision = wire.slot_of(message, payload), wire.revision(message, payload)
        return {"code": code, "slot": slot, "revision": revision, "field": fault >> 8, "reason": fault & 0xFF}

    def _break(self, code: int, payload: bytes, why: str) -> None:
        name = wire.BY_CODE[code].name if code in wire.BY_CODE else f"0x{code:02x}"
        at = self._count - self._left - len(self._pending)
        raise Broken(f"frame {at}, {name} {hexlify(payload).decode()}: {why}")


def fuzz(seed: int, count: int) -> Counter[str]:
    """Run ``count`` frames, at tables of which each has a seed of its own; return what was done with them."""
    told: Counter[str] = Counter()
    dice = random.Random(seed)
    while count > 0:
        leg = AtTable(dice.randrange(2**32), min(count, 50_000))
        leg.run()
        told += leg.told
        count -= 50_000
    return told
