"""What the second emulator adds to npm's rp2040js, where neither the suite nor the tests of the cable would see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pico_image import chip_of, needs_image
from tablier_fw import wire

if TYPE_CHECKING:
    from pico_desk import PicoDesk

pytestmark = needs_image


@pytest.fixture
def desk() -> PicoDesk:
    chip = chip_of("rp2040js")
    from pico_desk import PicoDesk

    it = PicoDesk(chip=chip)
    it.start()
    return it


def test_a_firmware_that_hangs_is_reset_by_its_watchdog_and_starts_again(desk: PicoDesk) -> None:
    boot = desk.boot
    desk.forget()
    desk.pico.stall()
    desk.until(wire.TABLE_HELLO, seconds=8)
    assert len(desk.pico.resets_us) == 1
    assert desk.boot != boot


def test_a_computer_that_finds_the_table_again_begins_frames_only_after_it_has_reset_the_bus(desk: PicoDesk) -> None:
    """Before that, TinyUSB would take a write for an endpoint that it has just closed, and panic."""
    for ms in range(8):
        desk.say(wire.PING, ms)
        desk.run(1 + ms / 8)
        desk.pico.unplug()
        desk.run(3)
        desk.forget()
        desk.pico.plug()
        while not desk.frames:
            desk.run(1)
        assert desk.pico.connected_us[-1] < desk.frames[0][2]
        desk.run(50)
    assert not desk.pico.resets_us
