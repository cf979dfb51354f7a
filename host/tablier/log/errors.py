"""Turn errors of the disk and of SQLite into :class:`LogError`, with advice."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from tablier.log.chain import LogError

ADVICE = (
    "if it is a copy, make it again with 'tablier log backup'; else go back to such a copy, with no -wal beside it,"
    " or save what 'tablier log export' still reads"
)
"""The advice about a log that is not what was written."""

DAMAGED = f"damaged; {ADVICE}"

_FULL = "the disk is full: make room"
_MEANINGS = {
    sqlite3.SQLITE_NOTADB: "not a log of tablier (or damaged at its beginning)",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_CONSTRAINT: "changed by another program while it was open; open it again",
}
_ACCESS = {
    sqlite3.SQLITE_READONLY: "not writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened, or its folder is not writable",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: "locked by another program; end that one first",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}
"""The errors that say nothing of what is in a file."""
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
    except (MemoryError, UnicodeDecodeError) as error:  # an impossible length; an error that quotes what is no text
        raise LogError("{path}: {damaged}", path=path, damaged=DAMAGED) from error


def refuse(path: Path, error: sqlite3.Error) -> NoReturn:
    """Raise the :class:`LogError` for an error of SQLite."""
    meaning = access_problem(path, error) or _MEANINGS.get(primary_code(error), DAMAGED)
    raise LogError(
        "{path}: {meaning} (SQLite: {says})", path=path, meaning=meaning, says=" ".join(str(error).split())
    ) from error


def access_problem(path: Path, error: sqlite3.Error) -> str | None:
    """Return why SQLite could not read or write a file; ``None`` if the error is about what is in the file."""
    code = primary_code(error)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path):
        return _FULL  # SQLite says so of the file and its -wal only, not of what else it needs beside them
    return _ACCESS.get(code)


def primary_code(error: sqlite3.Error) -> int:
    """Return the primary result code of an error of SQLite; 0 for one of Python's own."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_full(path: Path) -> bool:
    try:
        disk = os.statvfs(Path(os.path.realpath(path)).parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LEAST_SPACE
