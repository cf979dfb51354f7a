"""Keep all tests apart from the tables and logs of the user and of other runs."""

from __future__ import annotations

import gc
import os
import random
import re
import shutil
import signal
import socket
import struct
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from durable import witnessed
from sample import THOROUGH
from tablier.bots.thinking import Forker
from tablier.simulation.simulated import SimulatedTable
from warm import Commands, CopyingPopen, Popen, Stock
from wording import Wording

# `make test` sees the same examples each time; `make thorough` looks for others at random.
settings.register_profile("same", derandomize=True, deadline=None, print_blob=True, max_examples=20)
settings.register_profile("random", deadline=None, print_blob=True)
if not THOROUGH:
    # Nor do examples hold the numbers and words of whatever modules a worker has loaded by then: they would be others
    # in each, and to look for these words in all sources takes a worker a second or two.
    vars(providers)["is_local_module_file"] = lambda path: False


# A shell without job control ignores SIGINT in what runs beside it (`make test &` in a script), and nohup SIGHUP;
# children inherit that.
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

os.environ["LANGUAGE"] = "en"  # what is said is compared

MEMORY, ROOM = Path("/dev/shm"), 2 << 30
"""A folder in memory, and how many bytes have to be free there; a run takes some hundred million."""
if not THOROUGH and "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    # A log waits for the disk at each commit, which is most of the time of a game that is played at once.
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None


gc.disable()  # while thousands of tests are collected: a quarter of the time that takes


def pytest_configure(config: pytest.Config) -> None:
    """Have each worker begin to collect elsewhere: the first to read a file leaves it to the others as bytecode. In a
    new clone this is half of what collecting takes."""
    if config.args_source is config.ArgsSource.TESTPATHS and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
        every = sorted(str(path) for folder in config.args for path in Path(folder).iterdir() if _has_tests(path))
        first = len(every) * int(worker.removeprefix("gw")) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args[:] = every[first:] + every[:first]


def _has_tests(path: Path) -> bool:
    """Folders are named, not their files: what is named itself is collected also where its folder leaves it out."""
    return any(path.rglob("test_*.py")) if path.is_dir() else path.match("test_*.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only ``make thorough`` runs. Have those that wait first, one after another in one worker, while
    the others have the processors."""
    if not THOROUGH and (left := [item for item in items if item.get_closest_marker("thorough")]):
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    items.sort(key=lambda item: (item.get_closest_marker("long") is None, item.path))


def pytest_collection_finish() -> None:
    """Leave thousands of tests out of each search for garbage, and search less often: a sixth of the time of tests that
    compute."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="module", autouse=True)
def kept_for_good() -> Iterator[None]:
    """Leave what a file of tests has kept, such as tables of games, out of all later searches for garbage: by a keeper
    after each of its games, by pytest and by Python as they end. In a worker that has run many files each took a
    second."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_folder() -> Iterator[None]:
    """Simulated tables, logs and settings of this run (of each worker) are in a folder of their own; its name is short,
    because a socket's path may have only some hundred bytes."""
    folder = tempfile.mkdtemp(prefix="tablier-test-")
    os.environ["TABLIER_PORTS"] = f"{folder}/ports"
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    os.environ["XDG_CONFIG_HOME"] = f"{folder}/config"
    os.environ.pop("TABLIER_LOG", None)
    yield
    end_keepers(Path(folder) / "ports")
    shutil.rmtree(folder, ignore_errors=True)


def end_keepers(ports: Path) -> None:
    """End keepers whose screens were killed: they would wait for others."""
    for address in ports.glob("keeper-*"):
        with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
            connection.connect(str(address))
            if sys.platform == "linux":
                pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def stock(own_folder: None) -> Iterator[Stock]:
    """Return the tables that simulated tables are copied from."""
    it = Stock(Path(os.environ["TABLIER_PORTS"]).with_name("stock"))
    yield it
    it.close()


@pytest.fixture(scope="session")
def commands(own_folder: None, stock: Stock) -> Iterator[Commands]:
    """Return the program that commands, keepers and servers of pages are copied from."""
    it = Commands(Path(os.environ["TABLIER_PORTS"]).with_name("commands"), stock)
    yield it
    it.close()


@pytest.fixture(scope="session", autouse=True)
def warm_tables(stock: Stock, commands: Commands) -> Iterator[None]:
    """Simulated tables and programs start as copies; in ``make thorough``, and where there are none, each from
    nothing."""
    with pytest.MonkeyPatch.context() as patch:
        if sys.platform == "linux" and not THOROUGH:
            patch.setattr(SimulatedTable, "launch", staticmethod(stock.launch))
            patch.setattr(CopyingPopen, "commands", commands, raising=False)
            patch.setattr("subprocess.Popen", CopyingPopen)
            patch.setattr("tablier.bots.thinking.Forker", commands.forker)
        yield


@pytest.fixture
def from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs start from nothing in this test, and bots think in copies of its own process."""
    monkeypatch.setattr("subprocess.Popen", Popen)
    monkeypatch.setattr("tablier.bots.thinking.Forker", Forker)


@pytest.fixture(autouse=True)
def same_chance(request: pytest.FixtureRequest, warm_tables: None) -> Iterator[None]:
    """The chance that a test meets, here and in its tables, is its own and the same in each run of ``make test``, so
    that what it finds can be looked at again; ``make thorough`` looks for another each time."""
    with pytest.MonkeyPatch.context() as patch:
        if not THOROUGH:
            chance = random.Random(request.node.nodeid)
            launch = SimulatedTable.launch

            def seeded(program: str, arguments: Sequence[str]) -> Any:
                own = {"--seed": str(chance.getrandbits(32)), "--board": chance.randbytes(8).hex()}
                added = [word for option, value in own.items() if option not in arguments for word in (option, value)]
                return launch(program, [*arguments, *added])

            patch.setattr(SimulatedTable, "launch", staticmethod(seeded))
            patch.setattr("os.urandom", chance.randbytes)
            patch.setattr("secrets.randbelow", chance.randrange)
        yield


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return the path of a log that is not there yet."""
    return tmp_path / "log.db"


@pytest.fixture
def wording(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wording]:
    """Return what compares texts with those in ``golden/said``."""
    name, failed = request.node.originalname, request.session.testsfailed
    held = Wording(request.node.path, name, alone=request.node.name == name)
    held.hide(rf"{re.escape(str(tmp_path_factory.getbasetemp()))}/[^/\s]+", "FOLDER")
    yield held
    if request.session.testsfailed == failed:
        held.close()


@pytest.fixture(autouse=True)
def durable_first() -> Iterator[None]:
    """Nothing is acknowledged, shown or asked before it is durable, in whatever test conducts a game."""
    with pytest.MonkeyPatch.context() as patch, witnessed(patch):
        yield
