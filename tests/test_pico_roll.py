"""Rolls on an emulated Pico: MicroPython's own hashes, the true pixels, and a reset in the middle."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from pico_image import needs_image, started_pico
from tablier_fw import colours, rolls, wire

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image

DICE = struct.pack("<5H", *[6] * 5)
ADDED = bytes(range(0x40, 0x50))
B_OF_PLACE_2 = 1 << 4 + wire.B


@pytest.fixture(scope="module")
def desk() -> PicoDesk:
    return started_pico()


def ask(desk: PicoDesk) -> None:
    desk.question += 1
    desk.say(wire.ROLL, desk.question, 0, 2, wire.EVERYBODY, DICE)
    desk.until(wire.STATUS, len(desk.of(wire.STATUS)) + 1)
    desk.forget()


def press(desk: PicoDesk) -> Any:
    desk.wiring.buttons = B_OF_PLACE_2
    desk.run(30)
    desk.wiring.buttons = 0
    desk.run(900)
    assert desk.of(wire.COMMITTED) == [], "it tumbles first"
    assert desk.wiring.pixels[12:15] == desk.wiring.pixels[30:33] == bytes(colours.ROLLING)
    return desk.until(wire.COMMITTED)["commitment"]


def finish(desk: PicoDesk, commitment: bytes) -> list[int]:
    """Contribute; return what both derive when it is what the table has committed to, and shown."""
    desk.say(wire.CONTRIBUTION, desk.question, commitment, ADDED)
    revealed = desk.until(wire.REVEALED)
    ids = (b"PICO0001", desk.boot, desk.question, 2, DICE, revealed["nonce"])
    assert rolls.commitment(*ids) == commitment
    rolled = rolls.outcomes(*ids, ADDED)
    desk.run(250)
    shown = b"".join(bytes(colours.FACE_LOOKS[outcome]) for outcome in rolled)
    assert desk.wiring.pixels[15:30] == shown, "the dice are on the ring in front of place 2"
    assert desk.of(wire.REFUSED) == []
    desk.run(2000)  # it stands: nothing else can be asked
    return rolled


def test_a_roll(desk: PicoDesk) -> None:
    ask(desk)
    finish(desk, press(desk))


def test_a_roll_over_a_reset(desk: PicoDesk) -> None:
    ask(desk)
    before, boot = press(desk), desk.boot
    desk.forget()
    desk.pico.reset()
    desk.until(wire.TABLE_HELLO)
    desk.greet()
    desk.until(wire.STATUS)
    assert desk.boot != boot
    desk.say(wire.CONTRIBUTION, desk.question, before, ADDED)
    assert desk.until(wire.REFUSED)["reason"] == wire.UNDUE, "what was committed to is void with its boot"
    ask(desk)
    commitment = press(desk)
    assert commitment != before
    finish(desk, commitment)
