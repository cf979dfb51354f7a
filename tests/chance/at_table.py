"""Rolls at the firmware itself, with a host that keeps those it likes and drops the others: what people see of all.

The host hears the nonce, derives the outcome, and acknowledges only rolls whose first die is a six; it drops the rest
by asking something else, and asks again. So what it keeps is bent. What stood on the ring is not: the dice are read off
the pixels, of every roll that was revealed, kept or dropped.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from tests.firmware.raw import RawHost

from tablier.simulation.simulated import SimulatedTable
from tablier.texts import Json
from tablier_fw import colours, rolls, wire

from .fairness import Verdict, verdict

DICE = struct.pack("<28H", *[6] * 28)
"""As many as fit between the marks."""
WISH = 5
CONTRIBUTION = bytes(16)
_FACES = {bytes(look).hex(): face for face, look in enumerate(colours.FACE_LOOKS)}
_MARK = bytes(colours.ROLLING).hex()


@dataclass
class Seen:
    """The deeds of a host at a table, and the pictures that people saw of them."""

    shown: list[list[int]] = field(default_factory=list)
    """The dice on the ring, of every roll that was revealed."""
    kept: list[list[int]] = field(default_factory=list)
    abandoned: int = 0
    """What the table's status says in the end."""

    def verdicts(self) -> tuple[Verdict, Verdict]:
        """Return what is found of all dice that were seen, and of the first dice of what was kept."""
        everything, wished = [0] * 6, [0] * 6
        for dice in self.shown:
            for face in dice:
                everything[face] += 1
        for dice in self.kept:
            wished[dice[0]] += 1
        return verdict("all dice that people saw", everything), verdict("the first dice of what it kept", wished)


def bend(count: int, seed: int) -> Seen:
    """Play so many rolls. ``seed``: of the table's nonces; what the host adds is always the same."""
    seen = Seen()
    with SimulatedTable(virtual=True, seed=seed, board="e6614103e7452d2f") as table:
        host = RawHost(table)
        host.hello(log=b"the log!")
        host.listen(0.1)
        heard = 0

        def hear(name: str, seconds: float) -> Json:
            nonlocal heard
            host.listen(seconds)
            found = [values for _, told, _, values in host.frames[heard:] if told == name]
            heard = len(host.frames)
            return found[-1]

        def want(message: wire.Message, *values: object) -> None:
            """Say it until an outcome has stood."""
            for _ in range(12):
                host.send(message, *values)
                status = hear("status", 0.25)
                if status["held"][32:36] == wire.revision(message, message.encode(*values)).to_bytes(4, "little"):
                    return
            raise AssertionError("never asked")

        for turn in range(count):
            id = 2 * turn + 1
            want(wire.ROLL, id, 0, 0, wire.EVERYBODY, DICE)
            committed = hear("committed", 1.2)
            host.send(wire.ACK, committed["number"])
            host.send(wire.CONTRIBUTION, id, committed["commitment"], CONTRIBUTION)
            revealed = hear("revealed", 0.05)
            board = bytes.fromhex(table.board or "")
            rolled = rolls.outcomes(board, host.boot, id, 0, DICE, revealed["nonce"], CONTRIBUTION)
            ring = table.tester.pixels()["ring"]
            assert ring[31] == ring[28] == _MARK
            seen.shown.append([_FACES[colour] for colour in ring[:28]])
            if rolled[0] == WISH:
                seen.kept.append(rolled)
                host.send(wire.ACK, revealed["number"])
            want(wire.IDLE, id + 1, 0)
            host.listen(2.1)
            table.tester.press(1, "a")  # the sign, if there is one
            seen.abandoned = hear("status", 0.4)["abandoned"]
        host.close()
    return seen
