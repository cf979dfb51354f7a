"""The table under test is named by ``--table``: simulated (default), emulated, or the port of a real one."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from rig import Rig, rig_at


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", default="simulated", help="simulated, emulated, or a port")


@pytest.fixture(scope="session")
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    table = request.config.getoption("--table", "simulated")  # no such option when all tests are run
    if table == "emulated" and not os.environ.get("TABLIER_PICO_IMAGE"):
        pytest.skip("TABLIER_PICO_IMAGE names no MicroPython image of the Pico (RPI_PICO, UF2)")
    with rig_at(table) as it:
        yield it


@pytest.fixture(autouse=True)
def idle_after(rig: Rig) -> Iterator[None]:
    """Nothing is asked and nothing lies in the arena when the next test begins."""
    from tablier_fw import wire

    yield
    rig.ask(wire.IDLE, 0)
    for group, count in enumerate(wire.GROUPS):
        rig.show(group, [(0, 0, wire.STEADY)] * count)
