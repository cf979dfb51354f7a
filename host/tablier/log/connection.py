"""A connection to the file of a log: how it is set, and its transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tablier.interrupts import called_by_c
from tablier.log.chain import LogError

Connect = Callable[[Path, str], sqlite3.Connection]
"""Opens a file with the query of an SQLite URI; raises ``sqlite3.Error``."""

_CACHE_KB = 1024  # of pages that a writer keeps: the system caches the file, too
_CHECKPOINT_PAGES = 1000  # as SQLite itself has it
_WAIT_S = 5.0  # for a reader's short locks; other writers never get as far as that


_STEPS_AT_ONCE = 1_000_000  # of SQLite's machine, some milliseconds: how often it is looked
_STEPS_LEAST = 20_000_000
_STEPS_PER_BYTE = 20  # a log of 26 MB takes 0.3 at most, when all of it is read and put in order


class _Bound:
    """Ends a statement that takes more steps than any about a file of this size.

    The pages of a file that somebody made can lead to each other in circles, or so that a small one has more rows than
    anybody can read.
    """

    def __init__(self, real: Path) -> None:
        self._files = real, real.with_name(f"{real.name}-wal")
        self._steps = 0

    @called_by_c
    def begin(self, statement: str) -> None:
        self._steps = 0

    @called_by_c
    def ends(self) -> bool:
        self._steps += _STEPS_AT_ONCE
        if self._steps <= _STEPS_LEAST:
            return False
        size = 0
        for file in self._files:
            with suppress(OSError):
                size += file.stat().st_size
        return self._steps > size * _STEPS_PER_BYTE


def connect(real: Path, query: str) -> sqlite3.Connection:
    """Open a file with Python's own SQLite. A statement that has no end is one about a damaged file."""
    db = sqlite3.connect(f"{real.as_uri()}?{query}", uri=True, isolation_level=None, timeout=_WAIT_S)
    bound = _Bound(real)
    db.set_trace_callback(bound.begin)
    db.set_progress_handler(bound.ends, _STEPS_AT_ONCE)
    return db


def configure(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, set to distrust what is in the file."""
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def prepare_to_write(path: Path, db: sqlite3.Connection) -> None:
    """Have a commit be on the disk when it returns, and readers not be in the way."""
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise LogError(
            "{path}: SQLite cannot keep a write-ahead log here (mode {mode}); use a folder on a local disk",
            path=path,
            mode=mode,
        )
    make_durable(db)
    db.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
    db.execute("PRAGMA secure_delete = ON")  # a name that is changed or forgotten leaves no trace in the file


def make_durable(db: sqlite3.Connection) -> None:
    """Have a commit be on the disk when it returns."""
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")  # macOS: to the platter, not only to the drive
    db.execute("PRAGMA checkpoint_fullfsync = ON")


def hold_back(db: sqlite3.Connection) -> None:
    """Leave all that is written in the ``-wal``, until :func:`let_through`."""
    db.execute("PRAGMA wal_autocheckpoint = 0")


def let_through(db: sqlite3.Connection) -> None:
    """Have what is in the ``-wal`` moved into the file now and then."""
    db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit all of the block, durably, or nothing of it. The only place that commits."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def empty_wal(db: sqlite3.Connection) -> bool:
    """Move all that is in the ``-wal`` into the file, and empty it. Return False while a reader is in the way."""
    return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Have every read in the block see the same moment of the log: within another such block, the moment of that."""
    if db.in_transaction:
        yield
        return
    db.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # the block's own error says more
            db.execute("ROLLBACK")
