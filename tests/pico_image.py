"""Tests at an emulated Pico are skipped where there is no MicroPython image to run on it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pico_desk import PicoDesk
    from tablier.simulation.chip import Chip

NO_IMAGE = "TABLIER_PICO_IMAGE names no MicroPython image of the Pico (RPI_PICO, UF2)"
IMAGE = os.environ.get("TABLIER_PICO_IMAGE")
needs_image = pytest.mark.skipif(not IMAGE, reason=NO_IMAGE)


def started_pico() -> PicoDesk:
    """Return a desk at an emulated Pico that has started; skip the test where there is no emulator."""
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from pico_desk import PicoDesk

    desk = PicoDesk()
    desk.start()
    return desk


def skip_without_rp2040js() -> None:
    """Skip a test where npm's emulator, Node or the image is missing."""
    if not IMAGE:
        pytest.skip(NO_IMAGE)
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.chip import PicoError
    from tablier.simulation.rp2040js import package

    try:
        package()
    except PicoError as error:
        pytest.skip(str(error))


def chip_of(emulator: str) -> Callable[..., Chip]:
    """Return what makes a Pico on ``rp2040py`` or ``rp2040js``; skip the test where that is missing."""
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    if emulator == "rp2040js":
        skip_without_rp2040js()
        from tablier.simulation.rp2040js import ScriptedPico

        return ScriptedPico
    from tablier.simulation.pico import Pico

    return Pico
