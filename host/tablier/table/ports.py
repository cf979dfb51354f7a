"""Finding tables: names of ports, and the boards behind them.

A board is known by its id, not by the name of its port, which changes when it is plugged in again. A simulated table
puts its port into a directory of this user as ``sim-<board id>-<n>``, beside ``<board id>.control``, a socket on which
it takes a tester's verbs; so does an emulated one, as ``emu-<board id>-<n>``. A real one is found by the serial number
that its USB descriptor gives.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tablier.texts import NOT_YOURS, Text

SIMULATED, EMULATED = "sim", "emu"
_SOCKET_MAX = 103 if sys.platform == "darwin" else 107
"""The most bytes that the path of a Unix socket can have."""
_NAME_MAX = len("/0123456789abcdef.control")
"""The bytes that the longest name of a socket adds to that of its folder."""
_RUN, _TEMPORARY = Path("/run/user"), Path("/tmp")
_BY_PREFIX = {SIMULATED: "simulated", EMULATED: "emulated"}
"""Kinds of tables by the words with which the names of their ports begin."""
KINDS = {
    "micropython": Text("MicroPython board"),
    "simulated": Text("simulated table"),
    "emulated": Text("emulated table"),
}
"""What may be at a port: a word for programs, and the words for people."""


class UnsafeDirectory(PermissionError):
    """A directory in which somebody else could put a port of theirs in the place of a table's, or whose path leaves no
    room for a socket's."""

    def __init__(self, directory: Path, why: Text) -> None:
        text = Text("{why}; name another place for ports in TABLIER_PORTS", {"why": why})
        super().__init__(errno.EPERM, str(text), str(directory))


def simulated_dir() -> Path:
    """Return the directory in which simulated tables of this user are found, which need not exist.

    ``TABLIER_PORTS`` names it; otherwise it is in ``XDG_RUNTIME_DIR``, which lacks in what cron and su start, or where
    temporary files are.
    """
    if named := os.environ.get("TABLIER_PORTS"):
        return Path(named)
    user = os.getuid()
    for runtime in (Path(os.environ.get("XDG_RUNTIME_DIR", "")), _RUN / str(user)):
        if runtime.is_absolute() and _is_private(runtime) and _has_room(runtime / "tablier"):
            return runtime / "tablier"
    directory = Path(tempfile.gettempdir()) / f"tablier-{user}"
    return directory if _has_room(directory) else _TEMPORARY / directory.name


def _has_room(directory: Path) -> bool:
    """Return whether a socket's path in a directory is short enough."""
    return len(os.fsencode(directory)) + _NAME_MAX <= _SOCKET_MAX


def _is_private(directory: Path) -> bool:
    try:
        found = directory.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def make_simulated_dir() -> Path:
    """Return :func:`simulated_dir`, made if it is missing, for this user alone. Raise :class:`UnsafeDirectory`."""
    directory = simulated_dir()
    check_dir(directory)
    directory.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    check_dir(directory)
    return directory


def check_dir(directory: Path) -> None:
    """Raise :class:`UnsafeDirectory` where others than this user can replace what is in a directory, or its path is too
    long for a socket's."""
    if not _has_room(directory):
        most = _SOCKET_MAX - _NAME_MAX
        raise UnsafeDirectory(
            directory, Text("its path has more than the {most} bytes that a socket allows", {"most": most})
        )
    try:
        found = directory.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(found.st_mode):
        raise UnsafeDirectory(directory, Text("it is not a directory"))
    if found.st_uid != os.getuid():
        raise UnsafeDirectory(directory, NOT_YOURS.of(user=found.st_uid))
    if found.st_mode & 0o022:
        raise UnsafeDirectory(
            directory, Text("others can write there (mode {mode})", {"mode": f"{stat.S_IMODE(found.st_mode):o}"})
        )


def board_of(port: str) -> str | None:
    """Return the board id in the name of a simulated or emulated table's port, or ``None`` for any other port."""
    parts = Path(port).name.split("-")
    return parts[1] if len(parts) == 3 and parts[0] in _BY_PREFIX else None


def board_at(port: str) -> str | None:
    """Return the id of the board that is plugged in at a port, as far as that is known without asking it."""
    if board_of(port):
        return board_of(port) if Path(port).exists() else None
    from serial.tools.list_ports import comports

    found = {info.device: (info.serial_number or "").lower() for info in comports()}
    return found.get(port) or None


def control_of(port: str) -> Path | None:
    """Return the control socket of a simulated or emulated table's port, or ``None`` for any other port."""
    board = board_of(port)
    return Path(port).parent / f"{board}.control" if board else None


def simulated_ports(directory: Path | None = None) -> Iterator[tuple[str, str]]:
    """(board id, port) of every simulated or emulated table that is alive and plugged in.

    Raises :class:`UnsafeDirectory`.
    """
    directory = directory or simulated_dir()
    check_dir(directory)
    for path in sorted(directory.glob("*-*-*")):
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
    """Return the port behind which a board now is; ``near`` is the port where it was last. ``None`` while it is away.

    Raises :class:`UnsafeDirectory`.
    """
    if board_of(near):
        return next((port for found, port in simulated_ports(Path(near).parent) if found == board), None)
    from serial.tools.list_ports import comports

    for info in comports():
        if (info.serial_number or "").lower() == board:
            return str(info.device)
    return None


_MICROPYTHON = (0x2E8A, 0x0005)  # USB vendor and product of a Pico that runs MicroPython


def candidates() -> Iterator[tuple[str, str, str]]:
    """Yield port, board id and kind (:data:`KINDS`) wherever a table may be, real ones first. Raise
    :class:`UnsafeDirectory`."""
    from serial.tools.list_ports import comports

    for info in sorted(comports()):
        if (info.vid, info.pid) == _MICROPYTHON:
            yield str(info.device), (info.serial_number or "?").lower(), "micropython"
    for board, port in simulated_ports():
        yield port, board, _BY_PREFIX[Path(port).name.split("-")[0]]
