"""The file under the log: making, opening, locking and migrating it, and the one place that commits."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from tablier.log.chain import LogError

APPLICATION_ID = 0x5461_626C  # "Tabl", at byte 68 of the file

MIGRATIONS = (
    (
        "entries",
        (
            "CREATE TABLE entry ("
            " n INTEGER PRIMARY KEY, game INTEGER, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,"
            " boot TEXT, number INTEGER, hash BLOB NOT NULL, CHECK ((boot IS NULL) = (number IS NULL))) STRICT",
            # An event of the table is in the log once, whatever anybody does.
            "CREATE UNIQUE INDEX cursor ON entry (boot, number) WHERE boot IS NOT NULL",
        ),
    ),
)
"""Name and statements of every change of the format, oldest first. One that was released is never edited."""

FORMAT = len(MIGRATIONS)
"""The format that this program reads and writes, kept in the file as ``user_version``."""

_OLDEST_SQLITE = (3, 37)  # STRICT tables
_WAIT_S = 5.0  # for a reader's short locks; other writers never get as far as that


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of the block, durably, or nothing of it. The only place that commits."""
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


@contextmanager
def snapshot(db: sqlite3.Connection) -> Iterator[None]:
    """Every read in the block sees the same moment of the log."""
    db.execute("BEGIN")
    try:
        yield
    finally:
        with suppress(sqlite3.Error):  # the block's own error says more
            db.execute("ROLLBACK")


def migrate(db: sqlite3.Connection) -> None:
    """Brings the format up to :data:`FORMAT`: each change in the transaction that records its name."""
    version = _version(db)
    for number, (name, statements) in enumerate(MIGRATIONS[version:], version + 1):
        with transaction(db):
            if number == 1:
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
            for statement in statements:
                db.execute(statement)
            db.execute("INSERT INTO migration VALUES (?, ?)", (number, name))
            db.execute(f"PRAGMA user_version = {number}")


def shape(db: sqlite3.Connection) -> list[object]:
    """All that is fixed about a log: its tables and indices, and which changes made them."""
    schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
    return [_version(db), schema, db.execute("SELECT number, name FROM migration ORDER BY number").fetchall()]


def fresh_shape() -> list[object]:
    """The :func:`shape` that every log has."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(db)
        return shape(db)
    finally:
        db.close()


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


# -- opening ---------------------------------------------------------------------------------------


def open_writer(path: Path, create: bool) -> tuple[sqlite3.Connection, int]:
    """A connection that may write, and the lock (a file descriptor) that makes it the only one.

    Raises :class:`LogError`; a file that is no log is then as it was before.
    """
    real = Path(os.path.realpath(path))
    with explained(path):
        missing = _look(path, real, create)
        if not missing:
            _identify(path, real)
        lock = _lock(path, real)
        try:
            if _look(path, real, create):
                _make(path, real)
            db = _connect(real, "mode=rw")
            try:
                _check_version(path, db)
                _prepare(path, db)
            except BaseException:
                db.close()
                raise
        except BaseException:
            os.close(lock)
            raise
    return db, lock


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write. Raises :class:`LogError`."""
    real = Path(os.path.realpath(path))
    with explained(path):
        _look(path, real, create=False)
        _identify(path, real)
        db = _connect(real, "mode=ro")
        try:
            try:
                db.execute("SELECT count(*) FROM migration")
            except sqlite3.OperationalError as error:
                # In a folder that nobody may write to, SQLite cannot share a file; a log at rest needs no sharing.
                if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
                    raise
                if _beside(real, "-wal").exists():
                    raise
                db.close()
                db = _connect(real, "mode=ro&immutable=1")
            _check_version(path, db)
            if _version(db) < FORMAT:
                raise LogError(
                    f"{path}: format {_version(db)} of an older tablier; playing with it brings it up to date"
                )
        except BaseException:
            db.close()
            raise
    return db


def _look(path: Path, real: Path, create: bool) -> bool:
    """Whether there is nothing yet at this path, and something may be made there."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        oldest = ".".join(map(str, _OLDEST_SQLITE))
        raise LogError(f"{path}: this Python has SQLite {sqlite3.sqlite_version}; a log needs {oldest} or newer")
    try:
        empty = real.stat().st_size == 0
    except FileNotFoundError:
        if not create:
            raise LogError(f"{path}: there is no such file; a log is made by the first game that is played") from None
        if not real.parent.is_dir():
            raise LogError(f"{path}: there is no folder {real.parent}; make it first") from None
    except OSError as error:
        raise LogError(f"{path}: {error.strerror}") from None
    else:
        if not real.is_file():
            raise LogError(f"{path}: not a log but {'a folder' if real.is_dir() else 'no plain file'}")
        if not empty:
            return False
        if not create:
            raise LogError(f"{path}: not a log: the file is empty")
    wal = _beside(real, "-wal")
    if wal.exists() and wal.stat().st_size:
        # SQLite would play it into whatever is made here.
        raise LogError(f"{path}: {wal.name} lies here without its log; bring the log back, or move that file away")
    return True


def _identify(path: Path, real: Path) -> None:
    """Raises unless the file says that it is a log; leaves no trace beside it."""
    db = _connect(real, "mode=ro&immutable=1")
    try:
        if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise LogError(f"{path}: not a log of tablier but another SQLite file")
    finally:
        db.close()


def _check_version(path: Path, db: sqlite3.Connection) -> None:
    version = _version(db)
    if version > FORMAT:
        raise LogError(
            f"{path}: written by a newer tablier (format {version}; this one knows up to {FORMAT}); update tablier"
        )
    if version < 1:
        raise LogError(f"{path}: damaged: it claims format {version}; go back to a copy")


def _lock(path: Path, real: Path) -> int:
    # Beside the log, not on it: closing any descriptor of the log itself would drop SQLite's own locks.
    try:
        lock = os.open(_beside(real, "-lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LogError(f"{path}: not writable: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
    except OSError as error:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "?"
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise LogError(f"{path}: locked: process {holder} is writing to it; end that one first") from None
        raise LogError(f"{path}: cannot be locked: {error.strerror}") from None
    return lock


def _make(path: Path, real: Path) -> None:
    """A new log, there completely or not at all."""
    new = _beside(real, "-new")
    for suffix in ("", "-journal", "-wal", "-shm"):  # of one that was killed while making it
        _beside(new, suffix).unlink(missing_ok=True)
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise LogError(f"{path}: not writable: {error.strerror}") from None
    try:
        db = _connect(new, "mode=rw")
        try:
            migrate(db)
            _prepare(path, db)
        finally:
            db.close()
        new.replace(real)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    folder = os.open(real.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _prepare(path: Path, db: sqlite3.Connection) -> None:
    """What a writer sets: a commit is on the disk when it returns, and readers are not in the way."""
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise LogError(f"{path}: SQLite cannot keep a write-ahead log here (mode {mode}); use a folder on a local disk")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")  # macOS: to the platter, not only to the drive
    db.execute("PRAGMA checkpoint_fullfsync = ON")
    migrate(db)


def _connect(real: Path, query: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"{real.as_uri()}?{query}", uri=True, isolation_level=None, timeout=_WAIT_S)
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    # Bytes that are no text any more must be seen as they are.
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return db


def files_of(path: Path) -> list[Path]:
    """Every file that belongs to the log of this path, there or not."""
    real = Path(os.path.realpath(path))
    return [_beside(real, suffix) for suffix in ("", "-wal", "-shm", "-journal", "-lock", "-new")]


def _beside(real: Path, suffix: str) -> Path:
    return real.with_name(real.name + suffix)


# -- errors ----------------------------------------------------------------------------------------

_DAMAGED = "damaged; go back to a copy, or save what 'tablier log export' still reads"
_MEANINGS = {
    sqlite3.SQLITE_NOTADB: "not a log of tablier (or damaged at its beginning)",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_READONLY: "not writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
    sqlite3.SQLITE_FULL: "the disk is full; nothing was written",
    sqlite3.SQLITE_CONSTRAINT: "changed by another program while it was open; open it again",
    sqlite3.SQLITE_BUSY: "locked by another program; end that one first",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what SQLite and the disk say into :class:`LogError`. A wrong use of the log stays what it is."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        refuse(path, error)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror or error}") from error
    except (MemoryError, UnicodeDecodeError) as error:  # an impossible length; an error that quotes what is no text
        raise LogError(f"{path}: {_DAMAGED}") from error


def refuse(path: Path, error: sqlite3.Error) -> NoReturn:
    """Raises the :class:`LogError` for an error of SQLite."""
    meaning = _MEANINGS.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _DAMAGED)
    raise LogError(f"{path}: {meaning} (SQLite: {' '.join(str(error).split())})") from error
