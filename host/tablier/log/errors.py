"""Turn errors of the disk and of SQLite into :class:`LogError`, with advice."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from tablier.log.chain import LogError, LogUnsound
from tablier.texts import Text

ADVICE = Text(
    "if it is a copy, make it again with 'tablier log backup'; else go back to such a copy, with no -wal beside it,"
    " or save what 'tablier log export --log FILE' still reads"
)
"""The advice about a log that is not what was written."""

DAMAGED = Text("damaged; {advice}", {"advice": ADVICE})

_FULL = Text("the disk is full: make room")
NO_LOCKS = Text(
    "its folder does not lock files as a log needs it, as on network shares and in synchronised folders; the log is not"
    " damaged: end every program that uses it, and move it, with its -wal if there is one, to a folder of a local disk"
)
"""The advice about a folder in which no log can be shared."""
_DISK = Text("the disk reports an error: copy the log, with its -wal if there is one, to another disk")
_QUOTA = Text("{disk}, or make room if your quota there is used up", {"disk": _DISK})
_BUSY = Text("locked by another program; end that one first")
_CHANGED = Text("changed by another program while it was open; open it again")
_REFUSED = Text("not readable or not writable by you, or its folder is not")
_MEMORY = Text("there is not enough memory; end other programs")
_ITSELF = Text("SQLite failed by itself, nothing is wrong with the log; try again, or with another version of Python")
_ENDLESS = Text("reading it has no end: {damaged}", {"damaged": DAMAGED})
BY_SQLITE = Text("{path}: {meaning} (SQLite: {says})")
NO_LOG = Text("not a log of tablier (or damaged at its beginning)")
_NO_TEMPORARY = Text("there is no folder for temporary files; set TMPDIR to one")

_IN_THE_FILE = {
    sqlite3.SQLITE_NOTADB: NO_LOG,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_FORMAT: DAMAGED,
    sqlite3.SQLITE_EMPTY: DAMAGED,
    sqlite3.SQLITE_ERROR: DAMAGED,  # a header of a format to come, say; our statements are right
    sqlite3.SQLITE_TOOBIG: DAMAGED,
    sqlite3.SQLITE_MISMATCH: DAMAGED,
    sqlite3.SQLITE_INTERRUPT: _ENDLESS,  # by tablier.log.connection alone
    0: DAMAGED,  # Python's own
}
"""By primary code: the errors that are about what is in a file."""
_ELSEWHERE = {
    sqlite3.SQLITE_PROTOCOL: NO_LOCKS,
    sqlite3.SQLITE_NOLFS: NO_LOCKS,
    sqlite3.SQLITE_IOERR: _DISK,
    **dict.fromkeys(
        (
            sqlite3.SQLITE_IOERR_LOCK,
            sqlite3.SQLITE_IOERR_RDLOCK,
            sqlite3.SQLITE_IOERR_UNLOCK,
            sqlite3.SQLITE_IOERR_CHECKRESERVEDLOCK,
            sqlite3.SQLITE_IOERR_BLOCKED,
            sqlite3.SQLITE_IOERR_SHMOPEN,
            sqlite3.SQLITE_IOERR_SHMLOCK,
            sqlite3.SQLITE_IOERR_SHMMAP,
            sqlite3.SQLITE_IOERR_MMAP,
            sqlite3.SQLITE_READONLY_CANTLOCK,
        ),
        NO_LOCKS,
    ),
    sqlite3.SQLITE_IOERR_WRITE: _QUOTA,
    sqlite3.SQLITE_IOERR_TRUNCATE: _QUOTA,
    sqlite3.SQLITE_IOERR_SHMSIZE: _QUOTA,
    sqlite3.SQLITE_IOERR_NOMEM: _MEMORY,
    sqlite3.SQLITE_IOERR_GETTEMPPATH: _NO_TEMPORARY,
    sqlite3.SQLITE_IOERR_CORRUPTFS: Text(
        "the file system is damaged: copy the log to another, and have this one checked"
    ),
    sqlite3.SQLITE_IOERR_VNODE: _CHANGED,
    sqlite3.SQLITE_READONLY: Text("not writable"),
    sqlite3.SQLITE_READONLY_DBMOVED: Text("moved or deleted while it was open; open it where it is now"),
    sqlite3.SQLITE_CANTOPEN: Text("cannot be opened, or its folder is not writable"),
    sqlite3.SQLITE_CANTOPEN_NOTEMPDIR: _NO_TEMPORARY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_NOMEM: _MEMORY,
    sqlite3.SQLITE_CONSTRAINT: _CHANGED,
    sqlite3.SQLITE_SCHEMA: _CHANGED,
    sqlite3.SQLITE_PERM: _REFUSED,
    sqlite3.SQLITE_AUTH: _REFUSED,
    sqlite3.SQLITE_ABORT: Text("interrupted; try again"),
}
"""By extended or else primary code: the errors that say nothing of what is in a file."""
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_LEAST_SPACE = 1 << 16  # bytes; what SQLite needs beside a log to open it


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the disk say into :class:`LogError`. A wrong use of the log stays what it is."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        refuse(path, error)
    except OSError as error:
        what = _FULL if error.errno in NO_SPACE else error.strerror or str(error)
        raise LogError("{path}: {what}", path=path, what=what) from error
    except MemoryError as error:
        text = "{path}: {memory}; if that does not help, it is {damaged}"
        raise LogError(text, path=path, memory=_MEMORY, damaged=DAMAGED) from error
    except UnicodeDecodeError as error:  # an error of SQLite that quotes what is no text
        raise LogUnsound("{path}: {damaged}", path=path, damaged=DAMAGED) from error


def refuse(path: Path, error: sqlite3.Error) -> NoReturn:
    """Raise the :class:`LogError` for an error of SQLite."""
    raise told_of(path, error) from error


def told_of(path: Path, error: sqlite3.Error) -> LogError:
    """Return the :class:`LogError` for an error of SQLite."""
    meaning = access_problem(path, error) or _IN_THE_FILE[primary_code(error)]
    text = BY_SQLITE.of(path=path, meaning=meaning, says=said_by(error))
    return LogUnsound(text) if meaning in (DAMAGED, _ENDLESS) else LogError(text)


def said_by(error: sqlite3.Error) -> str:
    """Return what SQLite says, on one line, without the text of a column."""
    return " ".join(str(error).partition(" with text ")[0].split())


def access_problem(path: Path, error: sqlite3.Error) -> Text | None:
    """Return why SQLite could not read or write a file; ``None`` if the error is about what is in the file."""
    code, primary = getattr(error, "sqlite_errorcode", 0), primary_code(error)
    if primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path):
        return _FULL  # SQLite says so of the file and its -wal only, not of what else it needs beside them
    if primary in _IN_THE_FILE:
        return None
    return _ELSEWHERE.get(code, _ELSEWHERE.get(primary, _ITSELF))


def primary_code(error: sqlite3.Error) -> int:
    """Return the primary result code of an error of SQLite; 0 for one of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_full(path: Path) -> bool:
    try:
        disk = os.statvfs(Path(os.path.realpath(path)).parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LEAST_SPACE
