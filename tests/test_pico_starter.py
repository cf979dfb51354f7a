"""A starter on an emulated Pico: eight buttons at its pins, one strip of 36 pixels, and no other part of a table.

A duel, a roll and a secret objective are played by buttons and seen in the pixels.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from pico_image import chip_of, needs_image
from tablier_fw import colours, rolls, wire
from tablier_fw.equipment import Equipment

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image

STARTER = Equipment(0b11, 24, arena=False, starter=True)
DICE = struct.pack("<5H", *[6] * 5)
ADDED = bytes(range(0x40, 0x50))
BLUE, RED = 9, 3
PUBLIC, HOODS = 32, 38
USB_MA = 500
ELSE_MA = 120 + 60
"""The Pico, and the dark pixels of a whole metre."""
CHANNEL_MA = 20


@pytest.fixture(scope="module", params=["rp2040js", "rp2040py"])
def desk(request: pytest.FixtureRequest) -> PicoDesk:
    chip = chip_of(request.param)
    from pico_desk import PicoDesk

    desk = PicoDesk(chip=chip, equipment=STARTER)
    desk.start()
    return desk


def press(desk: PicoDesk, place: int, *buttons: str) -> None:
    for button in buttons:
        desk.wiring.buttons = 1 << 4 * (place - 1) + wire.BUTTONS.index(button)
        desk.run(40)
        desk.wiring.buttons = 0
        desk.run(60)


def ask(desk: PicoDesk, message: wire.Message, *values: object) -> None:
    desk.question += 1
    desk.say(message, desk.question, *values)
    desk.run(150)  # a status may be on its way that is from before
    desk.forget()


def pixels(desk: PicoDesk, first: int, count: int = 1) -> list[tuple[int, ...]]:
    return [tuple(desk.wiring.pixels[3 * at : 3 * at + 3]) for at in range(first, first + count)]


def hood(desk: PicoDesk, place: int) -> list[tuple[int, ...]]:
    return pixels(desk, HOODS + 5 * (place - 1), 5)


def is_like(seen: Sequence[int], colour: Sequence[int]) -> bool:
    """Return True if a pixel has this colour, perhaps dimmed: what USB gives has to be enough for a whole hood."""
    return max(seen) > max(colour) / 4 and all(
        abs(one * max(colour) - other * max(seen)) <= 3 * 255 for one, other in zip(seen, colour, strict=True)
    )


def test_it_says_what_is_there_and_that_nothing_is_wrong(desk: PicoDesk) -> None:
    status = desk.until(wire.STATUS)
    assert (status["places"], status["ring"], status["arena"], status["flags"]) == (0b11, 24, 0, 0)


def test_each_button_is_heard_as_itself(desk: PicoDesk) -> None:
    ask(desk, wire.WATCH, 0, 0b11)
    for place in (1, 2):
        press(desk, place, *wire.BUTTONS)
    heard = [(it["place"], wire.BUTTONS[it["button"]]) for it in desk.of(wire.PRESSED)]
    assert heard == [(place, button) for place in (1, 2) for button in wire.BUTTONS]


def test_a_duel(desk: PicoDesk) -> None:
    """Each place finds under its own hood which button means what, chooses, and locks; both open at once."""
    ask(desk, wire.CHOICE, 0, 0b11, 0, bytes([3, 3, 0, 0, 0, 0]), bytes([1, 2, 0, 0, 0, 0]), bytes([BLUE, RED]))
    desk.run(100)
    for place in (1, 2):
        assert is_like(hood(desk, place)[2], colours.GENUINE), "the mark of a genuine choice"
        press(desk, place, "b")
        desk.run(400)
        press(desk, place, "plus")
    desk.until(wire.OPENED, 2)
    locked = {it["place"]: it["commitment"] for it in desk.of(wire.LOCKED)}
    for opened in desk.of(wire.OPENED):
        place = opened["place"]
        bound = wire.commitment(b"PICO0001", desk.boot, desk.question, place, place, opened["nonce"], opened["choice"])
        assert locked[place] == bound
    desk.run(200)
    assert pixels(desk, PUBLIC, 2) == [colours.TAKEN] * 2
    assert pixels(desk, PUBLIC + 2, 4) == [(0, 0, 0)] * 4 and not any(map(any, hood(desk, 3)))


def test_a_roll(desk: PicoDesk) -> None:
    ask(desk, wire.ROLL, 0, 2, wire.EVERYBODY, DICE)
    press(desk, 2, "b")
    desk.run(500)
    marks = [*pixels(desk, 4), *pixels(desk, 10)]
    assert all(is_like(mark, colours.ROLLING) for mark in marks), pixels(desk, 0, 24)
    commitment = desk.until(wire.COMMITTED)["commitment"]
    desk.say(wire.CONTRIBUTION, desk.question, commitment, ADDED)
    nonce = desk.until(wire.REVEALED)["nonce"]
    rolled = rolls.outcomes(b"PICO0001", desk.boot, desk.question, 2, DICE, nonce, ADDED)
    desk.run(250)
    faces = [colours.FACE_LOOKS[outcome] for outcome in rolled]
    assert all(map(is_like, pixels(desk, 5, 5), faces)), (pixels(desk, 5, 5), faces)
    desk.run(2000)


def test_an_objective(desk: PicoDesk) -> None:
    """A secret menu: the walk is seen under one's own hood alone, and the pick is what the hood showed."""
    labels = bytes([3, 7, 9])
    ask(desk, wire.MENU, wire.SECRET | wire.QUIET, 1, 0, 0b111, labels)
    press(desk, 1, "plus")
    desk.run(200)
    shown = [at for at, label in enumerate(labels) if is_like(hood(desk, 1)[0], colours.option_look(label))]
    assert len(shown) == 1 and not any(map(any, hood(desk, 2)))
    look = hood(desk, 1)[0]
    assert hood(desk, 1) == [look, look, (0, 0, 0), look, look]  # an option; five alike would be a number
    press(desk, 1, "b")
    assert shown == [desk.until(wire.PICKED)["option"]]
    assert desk.of(wire.CURSOR) == []


def test_whatever_the_host_paints_usb_gives_enough(desk: PicoDesk) -> None:
    ask(desk, wire.IDLE, 0, 0)
    for group, count in enumerate(wire.GROUPS):
        desk.say(wire.SCENE, group, bytes([1, 255, 0]) * count, 255)
    desk.run(300)
    press(desk, 1, "b")
    press(desk, 2, "b")  # both peek: their hoods show what is painted
    desk.run(200)
    assert all(map(any, hood(desk, 1))) and all(map(any, hood(desk, 2))) and all(map(any, pixels(desk, 0, 24)))
    drawn = sum(desk.wiring.pixels) / 255 * CHANNEL_MA
    assert drawn > 250 and drawn + ELSE_MA <= USB_MA, drawn
