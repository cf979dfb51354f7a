"""Where tables are found: names of ports, and boards behind them.

A board is known by its id, not by the name of its port, which changes when it is plugged in again. A simulated table
puts its port into a directory of this user as ``sim-<board id>-<n>``, beside ``<board id>.control``, a socket on which
it takes a tester's verbs; so does an emulated one, as ``emu-<board id>-<n>``. A real one is found by the serial number
that its USB descriptor gives.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

SIMULATED, EMULATED = "sim", "emu"
_KINDS = {SIMULATED: "simulated table", EMULATED: "emulated table"}


def simulated_dir() -> Path:
    """The directory in which simulated tables of this user are found; ``TABLIER_PORTS`` names another."""
    named = os.environ.get("TABLIER_PORTS")
    return Path(named) if named else Path(tempfile.gettempdir()) / f"tablier-{os.getuid()}"


def board_of(port: str) -> str | None:
    """The board id in the name of a simulated or emulated table's port, or ``None`` for any other port."""
    parts = Path(port).name.split("-")
    return parts[1] if len(parts) == 3 and parts[0] in _KINDS else None


def control_of(port: str) -> Path | None:
    """The control socket of a simulated or emulated table's port, or ``None`` for any other port."""
    board = board_of(port)
    return Path(port).parent / f"{board}.control" if board else None


def simulated_ports(directory: Path | None = None) -> Iterator[tuple[str, str]]:
    """(board id, port) of every simulated or emulated table that is alive and plugged in."""
    for path in sorted((directory or simulated_dir()).glob("*-*-*")):
        board, control = board_of(path.name), control_of(str(path))
        if board and control and _answers(control):
            yield board, str(path)


def _answers(control: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(control))
        except OSError:
            return False
    return True


def find_board(board: str, near: str) -> str | None:
    """The port behind which a board now is; ``near`` is the port where it was last. ``None`` while it is away."""
    directory = Path(near).parent if board_of(near) else None
    for found, port in simulated_ports(directory):
        if found == board:
            return port
    if board_of(near):
        return None
    from serial.tools.list_ports import comports

    for info in comports():
        if (info.serial_number or "").lower() == board:
            return str(info.device)
    return None


_MICROPYTHON = (0x2E8A, 0x0005)  # USB vendor and product of a Pico that runs MicroPython


def candidates() -> Iterator[tuple[str, str, str]]:
    """(port, board id, what it is) wherever a table may be."""
    for board, port in simulated_ports():
        yield port, board, _KINDS[Path(port).name.split("-")[0]]
    from serial.tools.list_ports import comports

    for info in sorted(comports()):
        if (info.vid, info.pid) == _MICROPYTHON:
            yield str(info.device), (info.serial_number or "?").lower(), "MicroPython board"
