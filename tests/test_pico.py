"""The firmware on an emulated Pico: MicroPython's own image, the drivers, what is wired to the pins.

The emulator's clock is exact, but it is slow: one table is started and serves all tests of this file, in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from awaiting import await_pico
from pico_image import needs_image, started_pico
from tablier_fw import colours, wire

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image


@pytest.fixture(scope="module")
def desk() -> PicoDesk:
    return started_pico()


def ask(desk: PicoDesk, message: wire.Message, *values: Any) -> None:
    desk.question += 1
    desk.say(message, desk.question, *values)
    desk.until(wire.STATUS, len(desk.of(wire.STATUS)) + 1)
    desk.forget()


def test_it_starts_and_says_hello(desk: PicoDesk) -> None:
    hello = desk.of(wire.TABLE_HELLO)[0]
    assert hello["board"] == b"PICO0001"
    assert (hello["major"], hello["minor"]) == (wire.MAJOR, wire.MINOR)
    assert b"MicroPython" in hello["version"]
    assert hello["cause"] == 1, "the cause of the first boot is the power"
    assert desk.noise == 0, "something that is no frame came out of the port"


def test_a_press_is_reported_once(desk: PicoDesk) -> None:
    ask(desk, wire.WATCH, 0, 0b111111)
    for place, button in ((1, wire.MINUS), (3, wire.A), (6, wire.B)):
        desk.wiring.buttons = 1 << ((place - 1) * 4 + button)
        desk.run(30)
        desk.wiring.buttons = 0
        desk.run(30)
        assert [(it["place"], it["button"]) for it in desk.of(wire.PRESSED)] == [(place, button)]
        desk.forget()


def test_a_contact_that_bounces_is_one_press(desk: PicoDesk) -> None:
    for closed, ms in ((1, 0.4), (0, 0.5), (1, 0.9), (0, 0.3), (1, 20), (0, 1), (1, 1), (0, 30)):
        desk.wiring.buttons = closed
        desk.run(ms)
    assert len(desk.of(wire.PRESSED)) == 1
    desk.forget()


def test_pixels_show_what_the_host_paints_and_a_hood_only_to_who_peeks(desk: PicoDesk) -> None:
    ask(desk, wire.IDLE, 0)
    groups = {}
    for group in (wire.RING, wire.PUBLIC, wire.HOOD + 5):
        pixels = [(number % wire.COLOURS, 200 - number) for number in range(wire.GROUPS[group])]
        groups[group] = b"".join(bytes(colours.dim(*pixel)) for pixel in pixels)
        desk.say(wire.SCENE, group, b"".join(bytes((*pixel, wire.STEADY)) for pixel in pixels))
    desk.run(150)
    first = {group: 3 * sum(wire.GROUPS[:group]) for group in range(len(wire.GROUPS))}
    hood = groups.pop(wire.HOOD + 5)
    for group, shown in groups.items():
        assert desk.wiring.pixels[first[group] : first[group] + len(shown)] == shown
    assert desk.wiring.pixels[first[wire.HOOD] :] == bytes(90), "nobody peeks"
    desk.wiring.buttons = 1 << 20
    desk.run(30)
    desk.wiring.buttons = 0
    desk.run(60)
    assert desk.wiring.pixels[first[wire.HOOD] :] == bytes(75) + hood, "place 6 peeks, and nobody else"


def test_collections_are_told_apart_from_the_turns_of_the_loop(desk: PicoDesk) -> None:
    ask(desk, wire.WATCH, 0, 0b111111)
    for _ in range(12):
        desk.wiring.buttons = 1
        desk.run(12)
        desk.wiring.buttons = 0
        desk.run(40)
    desk.run(250)
    statuses = desk.of(wire.STATUS)
    assert any(it["collections"] for it in statuses)
    assert all(it["collections"] == 0 or 5_000 < it["collect_us"] < 40_000 for it in statuses)
    assert max(it["loop_us"] for it in statuses) < 5_000


def test_two_boots_have_two_ids(desk: PicoDesk) -> None:
    before = desk.boot
    desk.forget()
    desk.pico.reset()
    desk.until(wire.TABLE_HELLO)
    assert desk.boot != before
    assert desk.of(wire.TABLE_HELLO)[0]["board"] == b"PICO0001"


def test_a_host_may_ask_for_the_prompt_but_not_while_a_question_is_open(desk: PicoDesk) -> None:
    """The last of this file: the firmware is not running after it."""
    desk.greet()
    desk.until(wire.STATUS)
    ask(desk, wire.WATCH, 0, 1)
    desk.say(wire.SERVICE, desk.challenge)
    assert desk.until(wire.SERVING)["refusal"] == wire.QUESTION_OPEN
    desk.say(wire.SCENE, wire.RING, bytes((colours.WHITE, 20, wire.STEADY)) * 32)
    ask(desk, wire.IDLE, 0)
    desk.run(50)
    assert any(desk.wiring.pixels)
    desk.say(wire.SERVICE, desk.challenge)
    assert desk.until(wire.SERVING)["refusal"] == wire.WILL_SERVE
    said, resets = bytearray(), len(desk.pico.resets_us)
    desk.pico.on_data = said.extend
    desk.run(500)
    assert all(desk.wiring.pixels[: 3 * 38]), "all at the table see that it will leave"
    await_pico(desk.pico, lambda: b">>> " in said, 7, "the prompt")
    assert b"tablier: service mode" in said
    assert len(desk.pico.resets_us) == resets + 1
    assert not any(desk.wiring.pixels), "a table in service mode is dark"

    said.clear()
    desk.pico.write(b"exec('while True: pass')\r")
    desk.run(50)
    desk.pico.write(b"\x03")
    await_pico(desk.pico, lambda: b"KeyboardInterrupt" in said, 1, "an interrupt")
    desk.run(5000)
    assert len(desk.pico.resets_us) == resets + 1, "the watchdog runs in service mode"
