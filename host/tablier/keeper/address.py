"""Where a log's keeper is found: a socket in a folder of this user alone, which the keeper notes in the log's lock."""

from __future__ import annotations

import errno
import os
import socket
import struct
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from tablier.log.lock import read_note
from tablier.table.ports import check_dir, make_simulated_dir

if TYPE_CHECKING:
    from tablier.log.store import Log

_DIGITS = 16
READY, LOCKED, FAILED = "ready", "locked", "failed"
"""The words with which a keeper reports to its starter that it listens, or, with the reason, that somebody else has
the log, or that it cannot be kept."""
WAITS = "waits"
"""The word with which it says before, at any time, what it waits for."""


def address_of(log: str | os.PathLike[str]) -> Path:
    """Return the socket at which the keeper of a log listens or, if it was killed, has listened.

    Raise ``FileNotFoundError`` where none is noted, or one of another log or user, and
    :class:`tablier.table.ports.UnsafeDirectory` where others could put a socket there.
    """
    note = read_note(log)
    # The note goes with a copy or a backup of all files, whose keeper this is not.
    if (
        note is None
        or note.listens_at is None
        or note.lock.st_uid != os.getuid()
        or note.listens_at.name != _name(note.lock)
    ):
        raise FileNotFoundError(errno.ENOENT, "no keeper is noted", os.fspath(log))
    check_dir(note.listens_at.parent)
    return note.listens_at


def choose_address(log: Log) -> Path:
    """Return where the keeper of a log is to listen, in a folder that is made. Raise ``OSError`` and ``LogError``."""
    return make_simulated_dir() / _name(log.note_listener(None))


def _name(lock: os.stat_result) -> str:
    """Return the name of a keeper's socket: short enough for one, and only this lock's, wherever the log is moved."""
    return f"keeper-{sha256(f'{lock.st_dev} {lock.st_ino}'.encode()).hexdigest()[:_DIGITS]}"


def complaints_of(log: str | os.PathLike[str], suffix: str) -> Path:
    """Return the file that takes the standard error of a program beside a log, in a folder that is made. Raise
    ``OSError``."""
    name = sha256(os.fsencode(os.path.realpath(log))).hexdigest()[:_DIGITS]
    return make_simulated_dir() / f"log-{name}{suffix}"


def process_of(peer: socket.socket) -> int | None:
    """Return the process that listens at the other end of a Unix socket; ``None`` where the system does not say."""
    if sys.platform == "linux":
        process, _, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(process) or None
    if sys.platform == "darwin":  # LOCAL_PEERPID
        return int(peer.getsockopt(0, 2)) or None
    return None


def user_of(peer: socket.socket) -> int | None:
    """Return the user at the other end of a Unix socket; ``None`` where the system does not say."""
    if sys.platform == "linux":
        _, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(user)
    if sys.platform == "darwin":  # LOCAL_PEERCRED: a version, the user, groups
        _, user = struct.unpack("2I", peer.getsockopt(0, 1, 8))
        return int(user)
    return None
