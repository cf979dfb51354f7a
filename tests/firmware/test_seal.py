"""The seal that the service button shows, against the chain that a reader of the document makes of the events."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import Any

import pytest
from tests.firmware.desk import DARK, Desk, lit

from tablier_fw import colours, wire

DICE = struct.pack("<3H", 6, 6, 6)
SEAL = [bytes(colours.option_look(index)).hex() for index in colours.SEAL]
CODES = {"committed": 0x1C, "revealed": 0x1D, "opened": 0x12}


def press_service(desk: Desk) -> list[str]:
    desk.tester.say("service on")
    desk.run(0.1)
    desk.tester.say("service off")
    desk.run(0.1)
    return desk.pixels("ring")


def expected(desk: Desk, added: Sequence[bytes] = ()) -> list[str]:
    """Return the picture that the ring must show, hashed event by event. ``added``: the contributions, in order."""
    contributions = iter(added)
    sealed = hashlib.sha256(b"tablier seal\0\0\0\0" + struct.pack("<H", wire.MAJOR) + b"".join(desk.ids())).digest()
    for event in desk.events():
        name, values = event.message.name, event.values
        if event.boot != desk.client.boot or name not in CODES:
            continue
        said = {
            "committed": lambda it: it["commitment"] + struct.pack("<I", it["roll"]),
            "revealed": lambda it: it["nonce"] + next(contributions),
            "opened": lambda it: it["nonce"] + bytes([it["choice"]]),
        }[name](values)
        head = struct.pack("<BIIB", CODES[name], event.number, values["id"], values["place"])
        sealed = hashlib.sha256(sealed + head + said).digest()
    bits = f"{int.from_bytes(sealed, 'big'):0256b}"
    return [SEAL[int(bits[at : at + 3], 2)] for at in range(0, 96, 3)]


def roll(desk: Desk, added: bytes) -> None:
    id = desk.ask(wire.ROLL, 0, 0, wire.EVERYBODY, DICE)
    desk.run(1.1)
    desk.client.want(wire.CONTRIBUTION, id, desk.values("committed")[-1]["commitment"], added)
    desk.run(2.3)


def test_the_seal_is_the_chain_over_all_rolls_and_openings_of_the_boot(desk: Desk) -> None:
    desk.ask(wire.IDLE, 0)
    assert press_service(desk) == expected(desk)
    roll(desk, bytes(16))
    desk.ask(wire.CHOICE, 0, 0b11, 0, b"\3\3" + bytes(4), bytes(6), bytes([1, 2]))
    for place in (1, 2):
        desk.press(place, "a", "plus")
    assert len(desk.events("opened")) == 2
    desk.ask(wire.ROLL, 0, 0, wire.NOBODY, DICE)  # committed to, and dropped
    desk.run(1.1)
    desk.ask(wire.IDLE, 0)
    roll(desk, b"\1" * 16)
    desk.ask(wire.IDLE, 0)
    desk.run(1.1)
    assert len(desk.events("committed")) == 3 and len(desk.events("revealed")) == 2
    assert press_service(desk) == expected(desk, [bytes(16), b"\1" * 16])
    desk.tester.say("reset")
    desk.run(2)
    assert press_service(desk) == expected(desk), "another boot, another chain"


def test_the_seal_is_shown_for_ten_seconds_over_signs_and_scenes(desk: Desk) -> None:
    """Also without a host, and under the sign of an abandoned roll; it is not shown while anything is asked."""
    desk.client.want(wire.SCENE, wire.RING, bytes((colours.WHITE, 200, wire.BLINK)) * 32)
    desk.ask(wire.ROLL, 0, 0, wire.EVERYBODY, DICE)
    desk.run(1.1)
    desk.ask(wire.IDLE, 0)
    desk.run(3)
    seal = press_service(desk)
    assert seal == expected(desk)
    for _ in range(8):
        desk.run(1.1)
        assert desk.pixels("ring") == seal
    desk.run(2)
    assert desk.pixels("ring") != seal
    desk.client.close()
    desk.clock.wait(6, None)
    assert bytes(colours.ALONE).hex() in desk.pixels("ring")
    desk.tester.say("service on")
    desk.clock.wait(0.2, None)
    assert desk.pixels("ring") == seal


@pytest.mark.parametrize("question", [(wire.POLL, 0, 1), (wire.ROLL, 0, 1, 7, DICE), (wire.MENU, 0, 1, 0, 1, b"\1")])
def test_no_seal_is_shown_while_a_question_is_open_and_a_question_ends_it(
    desk: Desk, question: tuple[wire.Message, *tuple[Any, ...]]
) -> None:
    desk.ask(*question)
    assert not any(map(lit, press_service(desk)))
    desk.ask(wire.IDLE, 0)
    assert any(map(lit, press_service(desk)))
    desk.ask(*question)
    assert desk.pixels("ring") == [DARK] * 32


def test_two_boots_have_two_seals() -> None:
    shown = []
    for seed in (1, 2):
        desk = Desk(seed)
        desk.ask(wire.IDLE, 0)
        shown.append(press_service(desk))
        desk.close()
    assert shown[0] != shown[1] and all(len(set(picture)) > 4 for picture in shown)
