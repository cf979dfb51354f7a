"""The cable of an emulated Pico: pulled out while the adapter stays, in again; a computer that sleeps and wakes.

To the Pico both are a suspend of the USB, and DTR stays set. What was pressed meanwhile must come, and soon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from awaiting import await_pico
from pico_image import chip_of, needs_image
from tablier_fw import wire

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image

SOON_MS = 2000


@pytest.fixture(params=["rp2040py", "rp2040js"])
def desk(request: pytest.FixtureRequest) -> PicoDesk:
    chip = chip_of(request.param)
    from pico_desk import PicoDesk

    it = PicoDesk(chip=chip)
    it.start()
    it.say(wire.WATCH, 1, 0, 0b111111)
    it.run(100)
    it.forget()
    return it


def press(desk: PicoDesk, count: int, each_ms: int = 400) -> None:
    for place in range(count):
        desk.wiring.buttons = 1 << 4 * place
        desk.run(60)
        desk.wiring.buttons = 0
        desk.run(each_ms - 60)


@pytest.mark.parametrize("back", ["wake", "plug"])
def test_what_is_pressed_while_nobody_is_at_the_other_end_comes_later(desk: PicoDesk, back: str) -> None:
    desk.pico.sleep()
    # On the fast emulator until the table is alone, three seconds after it has heard its host.
    press(desk, 6, 1100 if type(desk.pico).__name__ == "ScriptedPico" else 400)
    assert not desk.frames, "the computer asks for nothing"
    getattr(desk.pico, back)()
    begun = desk.pico.now
    desk.until(wire.STATUS, 1, SOON_MS / 1000)
    await_pico(desk.pico, lambda: len({it["number"] for it in desk.of(wire.PRESSED)}) == 6, 4, "six presses")
    assert (desk.frames[0][2] - begun) / 1000 < SOON_MS
    assert {(it["number"], it["place"]) for it in desk.of(wire.PRESSED)} == {(n, n) for n in range(1, 7)}
    assert not desk.pico.resets_us, "the table was held up until the watchdog bit"


def test_the_table_keeps_its_pace_while_nobody_is_at_the_other_end(desk: PicoDesk) -> None:
    desk.say(wire.SCENE, wire.RING, bytes((1, 255, wire.CHASE)) * wire.GROUPS[wire.RING])
    pictures = []
    desk.wiring.on_picture = lambda *_: pictures.append(desk.pico.now)
    desk.run(1000)
    shown = len(pictures)
    desk.pico.sleep()
    desk.run(200)
    pictures.clear()
    desk.run(1000)
    assert shown > 20
    assert len(pictures) > shown / 2, "each write waits for half a second"
