"""The lock of a log: one writer, and nobody else."""

from __future__ import annotations

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from tablier.log.chain import LogError
from tablier.log.errors import NO_SPACE
from tablier.log.files import beside


class Locked(LogError):
    """Somebody else writes to the log."""


def lock(path: Path, real: Path) -> int:
    """Return a descriptor that keeps other writers away until it is closed. Raise :class:`LogError`,
    :class:`Locked` while there is another writer."""
    # Beside the log, not on it: closing any descriptor of the log itself would drop SQLite's own locks.
    try:
        file = os.open(beside(real, "-lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        if error.errno == errno.ELOOP:
            name = beside(real, "-lock").name
            raise LogError("{path}: {name} is a link, not its lock; move it away", path=path, name=name) from None
        raise LogError("{path}: not writable: {strerror}", path=path, strerror=error.strerror) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(file, 20, 0).decode("ascii", "replace").strip() or "?"
        os.close(file)
        if isinstance(error, BlockingIOError):
            raise Locked(
                "{path}: locked: process {holder} is writing to it; end that one first", path=path, holder=holder
            ) from None
        raise LogError("{path}: cannot be locked: {strerror}", path=path, strerror=error.strerror) from None
    with suppress(OSError):  # only for the message to the next one who finds it locked
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
    return file


def shut_out_writers(real: Path) -> int | None:
    """Return a descriptor that keeps writers away until it is closed, or ``None`` when there is a writer."""
    try:
        file = os.open(beside(real, "-lock"), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:  # a copy
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        return None
    return file


def has_writer(path: str | os.PathLike[str]) -> bool:
    """Return True while somebody writes to a log."""
    file = shut_out_writers(Path(os.path.realpath(path)))
    if file is None:
        return True
    os.close(file)
    return False
