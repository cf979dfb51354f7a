"""The table under test is named by ``--table``: simulated (default), emulated, rp2040js (the second emulator), or the
port of a real one. ``--jig`` names the jig that is wired to it: emulated, where the table is, or a port.

A simulated table has the Pico's budget of work a turn; ``make thorough`` runs it with its own as well, which it has in
all other tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from hil.rig import Rig, rig_at
from pico_image import IMAGE, NO_IMAGE, skip_without_rp2040js
from sample import sample
from tablier.simulation.simulator import BUDGET
from tablier_fw.equipment import Equipment

BUILT = {
    "whole": Equipment(),
    "four": Equipment(0b101011),
    "two": Equipment(0b010010, 24, arena=False),
    "starter": Equipment(0b000011, 24, arena=False, starter=True),
}
"""Tables that are built in part; a real one says itself what there is of it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--table", default="simulated", help="simulated, emulated, rp2040js, or a port")
    parser.addoption("--built", default="whole", help=f"how much of it there is: {', '.join(BUILT)}; or all of these")
    parser.addoption("--jig", help="the jig at that table: emulated, where the table is, or a port")


def pytest_configure(config: pytest.Config) -> None:
    jig, table = config.getoption("--jig", None), _table(config)
    if jig and (table in ("simulated", "rp2040js") or (jig == "emulated") != (table == "emulated")):
        raise pytest.UsageError(
            f"--jig {jig} --table {table}: both are emulated, or both are ports, as in"
            " --table /dev/ttyACM0 --jig /dev/ttyACM1"
        )


def _table(config: pytest.Config) -> str:
    table: str = config.getoption("--table", "simulated")  # no such option when all tests are run
    return table


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "rig" in metafunc.fixturenames:
        budgets = sample([1], [BUDGET, 1]) if _table(metafunc.config) == "simulated" else [1]
        built = metafunc.config.getoption("--built", "whole")
        rigs = [(budget, name) for name in (BUILT if built == "all" else [built]) for budget in budgets]
        ids = [f"{'' if name == 'whole' else name + '-'}budget{budget}" for budget, name in rigs]
        metafunc.parametrize("rig", rigs, indirect=True, scope="session", ids=ids)


@pytest.fixture(scope="session")
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    table = _table(request.config)
    if table in ("emulated", "rp2040js") and not IMAGE:
        pytest.skip(NO_IMAGE)
    if table == "rp2040js":
        skip_without_rp2040js()
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            budget, built = request.param
            patch.setenv("TABLIER_BUDGET", str(budget))  # a table takes it from there when it starts
            rig = stack.enter_context(rig_at(table, request.config.getoption("--jig", None), BUILT[built]))
        yield rig


@pytest.fixture(autouse=True)
def idle_after(rig: Rig) -> Iterator[None]:
    """Nothing is asked and nothing is shown when the next test begins."""
    yield
    rig.rest()
