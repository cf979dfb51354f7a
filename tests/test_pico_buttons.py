"""The sampling of the buttons on an emulated Pico: it never ends, and reports it when it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pico_image import chip_of, needs_image
from tablier.simulation.faults import Defects
from tablier.table.health import faults_of
from tablier_fw import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pico_desk import PicoDesk
    from tablier.simulation.chip import Chip

pytestmark = needs_image

SHORT = "_MOST = 0x13F"
"""Transfers after which a channel ends, in the place of those of 49.7 days: 256, in whole rounds of the ring."""
ALONE = ("count, self._other.channel)", "count, self.channel)")
"""A channel that is to start itself starts nothing."""


@pytest.fixture(params=["rp2040py", "rp2040js"])
def chip(request: pytest.FixtureRequest) -> Callable[..., Chip]:
    return chip_of(request.param)


def started(chip: Callable[..., Chip], *changes: tuple[str, str]) -> PicoDesk:
    from pico_desk import PicoDesk, changed

    desk = PicoDesk(files=changed("tablier_fw/pico/dma.py", *changes) if changes else None, chip=chip)
    desk.start()
    desk.say(wire.WATCH, 1, 0, 0b111111)
    return desk


def presses(desk: PicoDesk, places: Sequence[int] = (1, 3, 6)) -> list[int]:
    """Press once at each place; return the places that the table has reported."""
    desk.forget()
    for place in places:
        desk.wiring.buttons = 1 << 4 * (place - 1)
        desk.run(40)
        desk.wiring.buttons = 0
        desk.run(30 + 10 * place)
    return [it["place"] for it in desk.of(wire.PRESSED)]


def fault(desk: PicoDesk) -> int:
    desk.forget()
    desk.run(250)
    return faults_of(desk.of(wire.STATUS)[-1])


def test_buttons_are_read_for_longer_than_a_channel_counts_and_a_cable_that_is_out_is_told(
    chip: Callable[..., Chip],
) -> None:
    desk = started(chip, ("_MOST = 0xFFFFFFFF", SHORT))
    desk.run(600)  # both channels have ended
    assert presses(desk) == [1, 3, 6]
    assert fault(desk) == 0
    desk.wiring.suffer(Defects(loose=True))
    assert fault(desk) == wire.NO_CHAIN
    desk.wiring.suffer(Defects())
    assert fault(desk) == 0
    assert presses(desk) == [1, 3, 6]


def test_a_channel_that_ends_and_starts_no_other_is_a_fault_that_is_told(chip: Callable[..., Chip]) -> None:
    desk = started(chip, ("_MOST = 0xFFFFFFFF", SHORT), ALONE)
    desk.run(1500)
    assert fault(desk) == wire.NO_SAMPLES
    assert presses(desk, [2]) == []
