"""The lock of a log: one writer, and nobody else.

A writer locks a file beside the log, which goes by the log's name as its ``-wal`` does, and a byte of the log itself:
by that it is also found under another name. The file beside it says who wrote to the log last: a process and, in a
second line, the socket at which it listens if it is the log's keeper. A client that knows the log finds its
keeper there, whatever environment either was started in.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tablier.log.chain import LogError
from tablier.log.files import beside
from tablier.texts import Text
from tablier.usual import log_option

_NOTE_MAX = 4096


class Locked(LogError):
    """Somebody else writes to the log."""


class Note(NamedTuple):
    """What a lock says of the log's last writer."""

    process: str
    listens_at: Path | None
    """The socket of a keeper. Only :func:`tablier.keeper.address.address_of` knows whether it is this log's."""
    lock: os.stat_result


def lock(path: Path, real: Path) -> int:
    """Return a descriptor that keeps other writers away until it is closed. Raise :class:`LogError`,
    :class:`Locked` while there is another writer."""
    from tablier.log.errors import NO_SPACE  # it loads SQLite, which asking for a keeper does not need

    # Beside the log, not on it: closing any descriptor of the log itself would drop SQLite's own locks.
    try:
        file = _open(beside(real, "-lock"), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        if error.errno in NO_SPACE:
            raise
        if error.errno == errno.ELOOP:
            name = beside(real, "-lock").name
            raise LogError("{path}: {name} is a link, not its lock; move it away", path=path, name=name) from None
        if (owner := _other_owner(beside(real, "-lock"))) is not None:
            raise LogError(
                "{path}: not writable: {name} belongs to user {owner}, who wrote to it last; have it deleted when"
                " nobody does any more",
                path=path,
                name=beside(real, "-lock").name,
                owner=owner,
            ) from None
        raise not_writable(path, error) from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        note = _read(file)
        os.close(file)
        if isinstance(error, BlockingIOError):
            raise Locked(explain(path, note)) from None
        raise _cannot_lock(path, error) from None
    with suppress(OSError):  # only for the message to the next one who finds it locked
        write_note(file, None)
    return file


def _open(lock: Path, flags: int) -> int:
    """Open a lock, whichever program made it. Raise ``OSError``; a pipe in its place would be waited for."""
    file = os.open(lock, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, f"{lock.name} is not a plain file")
    return file


def _other_owner(file: Path) -> int | None:
    """Return whose a file is, ``None`` where that is this user or nobody."""
    try:
        owner = file.lstat().st_uid
    except OSError:
        return None
    return None if owner == os.geteuid() else owner


_MARK = 1 << 62
"""A byte that only its writer locks in a log, far behind those that SQLite locks and behind the end of any file."""
_FLOCK = struct.Struct("@hhqqi4x")
_NO_MARKS = (errno.EINVAL, errno.EOVERFLOW, errno.ENOSYS, errno.EOPNOTSUPP)


def mark(path: Path, log: int) -> None:
    """Lock a log itself, by a descriptor that can write; that is released with it, or by :func:`unmark`.

    Raise :class:`Locked` while there is another writer, who knows it by another name. Without locks of this kind (only
    Linux has them) do nothing.
    """
    try:
        _lock_mark(log, "F_OFD_SETLK", fcntl.F_WRLCK)
    except (BlockingIOError, PermissionError):
        raise Locked(
            "{path}: locked: another program is writing to it, under another name; end that one first", path=path
        ) from None
    except OSError as error:
        if error.errno not in _NO_MARKS:
            raise _cannot_lock(path, error) from None


def unmark(log: int) -> None:
    """Release what :func:`mark` has locked."""
    with suppress(OSError):
        _lock_mark(log, "F_OFD_SETLK", fcntl.F_UNLCK)


def is_marked(log: int) -> bool:
    """Return True while somebody writes to a log, under whatever name."""
    try:
        return _lock_mark(log, "F_OFD_GETLK", fcntl.F_WRLCK) != fcntl.F_UNLCK
    except OSError:
        return False


def _lock_mark(log: int, command: str, kind: int) -> int:
    """Lock or ask; return what the kernel says of the lock."""
    number: int | None = getattr(fcntl, command, None)
    if number is None:
        return fcntl.F_UNLCK
    answer = fcntl.fcntl(log, number, _FLOCK.pack(kind, os.SEEK_SET, _MARK, 1, 0))
    return int(_FLOCK.unpack(answer)[0])


def not_writable(path: Path, error: OSError) -> LogError:
    """Return the error of a log that cannot be opened for writing."""
    return LogError("{path}: not writable: {strerror}", path=path, strerror=error.strerror)


def _cannot_lock(path: Path, error: OSError) -> LogError:
    from tablier.log.errors import NO_LOCKS

    return LogError("{path}: {no_locks} ({strerror})", path=path, no_locks=NO_LOCKS, strerror=error.strerror)


def explain(path: str | os.PathLike[str], note: Note) -> Text:
    """Return who holds the lock of a log, and what to do."""
    args = {"path": path, "process": note.process or "?", "user": note.lock.st_uid, "log": log_option(path)}
    if note.listens_at is None:
        return Text("{path}: locked: process {process} is writing to it; end that one first", args)
    if note.lock.st_uid == os.getuid():
        return Text(
            "{path}: locked: its keeper (process {process}) is writing to it; 'tablier keeper --end{log}' ends that",
            args,
        )
    return Text(
        "{path}: locked: its keeper (process {process}) is writing to it, and serves user {user} alone: play as that"
        " user, who can also end it with 'tablier keeper --end{log}'",
        args,
    )


def write_note(file: int, listens_at: Path | None) -> None:
    """Note in a lock that this process holds it, and where it listens as the log's keeper."""
    lines = f"{os.getpid()}\n".encode() + (b"" if listens_at is None else os.fsencode(listens_at) + b"\n")
    os.ftruncate(file, 0)
    os.pwrite(file, lines, 0)


def read_note(path: str | os.PathLike[str]) -> Note | None:
    """Return what the lock of a log says, which may be of a writer that has ended; ``None`` where it cannot be read."""
    try:
        file = _open(beside(Path(os.path.realpath(path)), "-lock"), os.O_RDONLY)
    except OSError:
        return None
    try:
        return _read(file)
    finally:
        os.close(file)


def _read(file: int) -> Note:
    process, _, rest = os.fsdecode(os.pread(file, _NOTE_MAX, 0)).partition("\n")
    address, newline, _ = rest.rpartition("\n")  # one without an end is being written
    return Note(process, Path(address) if newline else None, os.fstat(file))


def shut_out_writers(real: Path) -> int | None:
    """Return a descriptor that keeps writers away until it is closed, or ``None`` when there is a writer.

    Raise :class:`LogError` where nothing can be locked.
    """
    try:
        file = _open(beside(real, "-lock"), os.O_RDONLY)
    except FileNotFoundError:  # a copy
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        if isinstance(error, BlockingIOError):
            return None
        raise _cannot_lock(real, error) from None
    return file


def has_writer(path: str | os.PathLike[str]) -> bool:
    """Return True while somebody writes to a log."""
    file = shut_out_writers(Path(os.path.realpath(path)))
    if file is None:
        return True
    os.close(file)
    return False
