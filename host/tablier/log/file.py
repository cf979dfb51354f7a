"""The file under the log: making, opening, locking and migrating it, and the one place that commits."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from struct import Struct
from typing import NoReturn

from tablier.log.chain import LogError

APPLICATION_ID = 0x5461_626C  # "Tabl", at byte 68 of the file

_MAGIC = b"SQLite format 3\0"
_HEADER = Struct(">60xi4xI")  # of the file: user_version at byte 60, application_id at byte 68

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
FOLLOWS = hasattr(os, "O_PATH") and Path("/proc/self/fd").is_dir()
"""True on Linux, where ``/proc`` names the file of a descriptor. An ``O_PATH`` descriptor leaves the locks of SQLite
alone."""
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
    """Bring the format up to :data:`FORMAT`: each change in the transaction that records its name."""
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
    """Return all that is fixed about a log: its tables and indices, and which changes made them."""
    schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
    return [_version(db), schema, db.execute("SELECT number, name FROM migration ORDER BY number").fetchall()]


def fresh_shape() -> list[object]:
    """Return the :func:`shape` that every log has."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(db)
        return shape(db)
    finally:
        db.close()


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


# -- opening ---------------------------------------------------------------------------------------

Connect = Callable[[Path, str], sqlite3.Connection]
"""Opens a file with the query of an SQLite URI; raises ``sqlite3.Error``."""

Check = Callable[[sqlite3.Connection], tuple[int, bytes]]
"""Returns the number of entries and the hash of the last; raises :class:`LogError` unless the log is whole."""

_guard = threading.RLock()
_here: Counter[tuple[int, int]] = Counter()
"""The logs that this process has open, by :func:`_identity`; guarded by ``_guard``."""


def connect(real: Path, query: str) -> sqlite3.Connection:
    """Open a file with Python's own SQLite."""
    db = sqlite3.connect(f"{real.as_uri()}?{query}", uri=True, isolation_level=None, timeout=_WAIT_S)
    # Bytes that are no text any more must be seen as they are.
    db.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return db


class Opened:
    """The open file of a log: a connection, and what has to be released with it."""

    def __init__(self, db: sqlite3.Connection, real: Path, lock: int | None, *, writable: bool) -> None:
        """``lock``: a descriptor to close at the end. The caller holds ``_guard`` since it looked at the file."""
        self.db = db
        self.writable = writable
        self._lock = lock
        self._file = _identity(real)
        self._identities = {real: self._file, (wal := _beside(real, "-wal")): _identity(wal)} if writable else {}
        held = [os.open(each, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) for each in self._identities] if FOLLOWS else []
        self._places = {each: _place(each) for each in held}
        if self._file is not None:
            _here[self._file] += 1

    def in_place(self) -> bool:
        """Return False when the file or its ``-wal`` was moved or deleted: what is written then is lost."""
        # Linux writes the times of a file with its next change once somebody has asked for them: a commit then takes a
        # fifth longer. So the files are asked only when the kernel does not find them where they were.
        if self._places and all(_place(held) == place for held, place in self._places.items()):
            return True
        return all(_identity(each) == was for each, was in self._identities.items())

    def close(self) -> None:
        """Release everything. Closing twice does nothing."""
        with _guard:
            self.db.close()
            if self._file is not None:
                _here[self._file] -= 1
                self._file = None
            while self._places:
                os.close(self._places.popitem()[0])
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None


def open_writer(path: Path, create: bool, check: Check, connect: Connect) -> Opened:
    """Open a log for writing; nobody else can until it is closed.

    A log whose ``-wal`` holds anything was not closed, and is checked first. Raise :class:`LogError`; every file is
    then as it was before.
    """
    real = Path(os.path.realpath(path))
    with explained(path), _guard:
        if not _look(path, real, create):
            _identify(path, real)
        lock = _lock(path, real)
        try:
            if _look(path, real, create):
                _make(path, real, connect)
            elif _size(_beside(real, "-wal")):
                _check_unclosed(path, real, check, connect)
            db = _configured(connect(real, "mode=rw"))
            try:
                _check_version(path, db)
                _prepare(path, db)
                migrate(db)
                return Opened(db, real, lock, writable=True)
            except BaseException:
                db.close()
                raise
        except BaseException:
            os.close(lock)
            raise


def _check_unclosed(path: Path, real: Path, check: Check, connect: Connect) -> None:
    """Raise unless a log that was not closed is whole, and its ``-wal`` its own; change neither.

    Opened for writing, SQLite moves what is in the ``-wal`` into the log, at the latest when it is closed.
    """
    with closing(_configured(connect(real, "mode=ro"))) as db:
        _check_version(path, db)
        check(db)
        head = _head_alone(real, check, connect)
        if head and not db.execute("SELECT count(*) FROM entry WHERE hash = ?", (head,)).fetchone()[0]:
            name = _beside(real, "-wal").name
            raise LogError(
                "{path}: {name} does not fit it and would replace what is in it; if it is a copy, make it again with "
                "'tablier log backup', else move that file away",
                path=path,
                name=name,
            )


def _head_alone(real: Path, check: Check, connect: Connect) -> bytes | None:
    """Return the hash of the last entry in a log without its ``-wal``; ``None`` when that is not whole, or empty.

    That it is not whole says nothing: a checkpoint may have been cut short. But such a log is no whole log of others.
    """
    try:
        with closing(_configured(connect(real, "mode=ro&immutable=1"))) as db:
            count, head = check(db)
    except (sqlite3.Error, LogError, MemoryError, UnicodeDecodeError):
        return None
    return head if count else None


def open_reader(path: Path, connect: Connect) -> Opened:
    """Open a log for reading, whether somebody writes to it or not. Raise :class:`LogError`."""
    real = Path(os.path.realpath(path))
    with explained(path), _guard:
        _look(path, real, create=False)
        _identify(path, real)
        try:
            db, lock = _open_readable(connect(real, "mode=ro")), None
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _UNSHARED:
                raise
            # SQLite shares a log by a file beside it, which it cannot make here.
            lock = _shut_out_writers(real)
            if lock is None:
                raise
            try:
                db = _open_readable(_connect_alone(real, connect))
            except BaseException:
                os.close(lock)
                raise
        opened = Opened(db, real, lock, writable=False)
        try:
            _check_version(path, db)
            if _version(db) < FORMAT:
                raise LogError(
                    "{path}: format {version} of an older tablier; playing with it brings it up to date",
                    path=path,
                    version=_version(db),
                )
        except BaseException:
            opened.close()
            raise
        return opened


_UNSHARED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
"""The errors with which a log cannot be read in a folder that is read-only or on a disk that is full."""


def _open_readable(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, configured, when it can read; close it otherwise."""
    try:
        _configured(db).execute("SELECT count(*) FROM migration")
    except BaseException:
        db.close()
        raise
    return db


def _shut_out_writers(real: Path) -> int | None:
    """Return a descriptor that keeps writers away until it is closed, or ``None`` when there is a writer."""
    try:
        lock = os.open(_beside(real, "-lock"), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:  # a copy
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _connect_alone(real: Path, connect: Connect) -> sqlite3.Connection:
    """Open a log that nobody writes to for reading, with nothing beside it but its ``-wal``."""
    if not _size(_beside(real, "-wal")):
        return connect(real, "mode=ro&immutable=1")
    db = connect(real, "mode=ro&vfs=unix-none")
    db.execute("PRAGMA locking_mode = EXCLUSIVE")  # the index of the -wal is in memory then
    return db


def _look(path: Path, real: Path, create: bool) -> bool:
    """Return True when there is nothing at this path yet, and something may be made there."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        oldest = ".".join(map(str, _OLDEST_SQLITE))
        raise LogError(
            "{path}: this Python has SQLite {sqlite_version}; a log needs {oldest} or newer",
            path=path,
            sqlite_version=sqlite3.sqlite_version,
            oldest=oldest,
        )
    try:
        empty = real.stat().st_size == 0
    except FileNotFoundError:
        if not create:
            raise LogError(
                "{path}: there is no such file; a log is made by the first game that is played", path=path
            ) from None
        if not real.parent.is_dir():
            raise LogError(
                "{path}: there is no folder {parent}; make it first", path=path, parent=real.parent
            ) from None
        empty = True
    except OSError as error:
        raise LogError("{path}: {strerror}", path=path, strerror=error.strerror) from None
    else:
        if not real.is_file():
            raise LogError(
                "{path}: not a log but {what}", path=path, what="a folder" if real.is_dir() else "no plain file"
            )
        if empty and not create:
            raise LogError("{path}: not a log: the file is empty", path=path)
    # SQLite would play it into whatever is made here; beside a log, too, which leaves no journal of this kind.
    for stray in ("-wal", "-journal") if empty else ("-journal",):
        if _size(_beside(real, stray)):
            name = _beside(real, stray).name
            raise LogError(
                "{path}: {name} lies here without its log; bring the log back, or move that file away",
                path=path,
                name=name,
            )
    return empty


def _identify(path: Path, real: Path) -> None:
    """Raise unless the file says that it is a log of a format that is known; leave no trace beside it.

    Only the header is looked at, and in it only what a checkpoint that was cut short cannot have made wrong: the
    application id, the same in every version of the first page, and a format, which never falls. Whatever else the file
    holds may be out of date or half-written, as long as the rest is in the ``-wal``. The caller holds ``_guard``.
    """
    if _here[_identity(real) or (0, 0)]:
        # A log, then. To close any descriptor of it would drop the locks that SQLite has on it in this process.
        return
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LogError("{path}: cannot be opened: {strerror}", path=path, strerror=error.strerror) from None
    try:
        header = os.pread(descriptor, _HEADER.size, 0)
    finally:
        os.close(descriptor)
    if len(header) < _HEADER.size or not header.startswith(_MAGIC):
        raise LogError("{path}: not a log of tablier (or damaged at its beginning)", path=path)
    version, application = _HEADER.unpack(header)
    if application != APPLICATION_ID:
        raise LogError("{path}: not a log of tablier but another SQLite file", path=path)
    _check_format(path, version, least=0)


def _check_version(path: Path, db: sqlite3.Connection) -> None:
    _check_format(path, _version(db), least=1)


def _check_format(path: Path, version: int, least: int) -> None:
    if version > FORMAT:
        raise LogError(
            "{path}: written by a newer tablier (format {version}; this one knows up to {known}); update tablier",
            path=path,
            version=version,
            known=FORMAT,
        )
    if version < least:
        raise LogError("{path}: {damaged} (it claims format {version})", path=path, damaged=DAMAGED, version=version)


def _lock(path: Path, real: Path) -> int:
    # Beside the log, not on it: closing any descriptor of the log itself would drop SQLite's own locks.
    try:
        lock = os.open(_beside(real, "-lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise
        if error.errno == errno.ELOOP:
            name = _beside(real, "-lock").name
            raise LogError("{path}: {name} is a link, not its lock; move it away", path=path, name=name) from None
        raise LogError("{path}: not writable: {strerror}", path=path, strerror=error.strerror) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip() or "?"
        os.close(lock)
        if isinstance(error, BlockingIOError):
            raise LogError(
                "{path}: locked: process {holder} is writing to it; end that one first", path=path, holder=holder
            ) from None
        raise LogError("{path}: cannot be locked: {strerror}", path=path, strerror=error.strerror) from None
    with suppress(OSError):  # it only helps whoever finds the log locked
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
    return lock


def _make(path: Path, real: Path, connect: Connect) -> None:
    """Make a new log, completely or not at all."""
    with built(_beside(real, "-new"), connect) as (new, db):
        migrate(db)
        _prepare(path, db)
    new.replace(real)
    sync_folder(real)


@contextmanager
def built(new: Path, connect: Connect) -> Iterator[tuple[Path, sqlite3.Connection]]:
    """A new file to fill, complete and durable when the block ends, gone when the block raises.

    The caller gives it its name then. Everything is in the one file: no ``-wal`` has to go with it.
    """
    files = [_beside(new, suffix) for suffix in ("", "-journal", "-wal", "-shm")]
    for file in files:  # of a process that was killed here
        file.unlink(missing_ok=True)
    try:
        os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise
        raise LogError("{new}: not writable: {strerror}", new=new, strerror=error.strerror) from None
    try:
        with closing(_configured(connect(new, "mode=rw"))) as db:
            _make_durable(db)
            yield new, db
        for file in files[1:]:
            file.unlink(missing_ok=True)
    except BaseException:
        for file in files:
            file.unlink(missing_ok=True)
        raise


def copy_of(
    path: Path, db: sqlite3.Connection, out: Path, connect: Connect, check: Callable[[sqlite3.Connection], object]
) -> None:
    """Copy a log as it stands at this moment, completely or not at all, beside whoever writes to it.

    ``check`` raises unless the copy is whole; it is called before the copy gets its name. Raise :class:`LogError`.
    """
    if os.path.lexists(out):
        raise LogError("{out}: there is something of that name already; name a new file", out=out)
    if not out.parent.is_dir():
        raise LogError("{out}: there is no folder {parent}; make it first", out=out, parent=out.parent)
    real = Path(os.path.realpath(out))
    if real in files_of(path):
        raise LogError("{out}: a name that belongs to the log itself; name another file", out=out)
    for suffix in ("-wal", "-journal"):
        if _size(_beside(real, suffix)):
            raise LogError(
                "{out}: {name} lies here and would be taken for its; move it away",
                out=out,
                name=_beside(real, suffix).name,
            )
    with explained(out):
        with built(real.with_name(f".{real.name}.{os.getpid()}.part"), connect) as (part, copy):
            db.backup(copy)
            check(copy)
        try:
            try:
                real.hardlink_to(part)  # unlike a renaming, it does not replace what somebody has put there meanwhile
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS):
                    raise
                part.rename(real)
            else:
                part.unlink(missing_ok=True)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        sync_folder(real)


def sync_folder(file: Path) -> None:
    """Make the name of a file durable."""
    folder = os.open(file.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _prepare(path: Path, db: sqlite3.Connection) -> None:
    """Set what a writer needs: a commit is on the disk when it returns, and readers are not in the way."""
    mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise LogError(
            "{path}: SQLite cannot keep a write-ahead log here (mode {mode}); use a folder on a local disk",
            path=path,
            mode=mode,
        )
    _make_durable(db)


def _make_durable(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")  # macOS: to the platter, not only to the drive
    db.execute("PRAGMA checkpoint_fullfsync = ON")


def _configured(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    return db


def files_of(path: Path) -> list[Path]:
    """Return every file that belongs to the log of this path, there or not."""
    real = Path(os.path.realpath(path))
    return [_beside(real, suffix) for suffix in ("", "-wal", "-shm", "-journal", "-lock", "-new")]


def _beside(real: Path, suffix: str) -> Path:
    return real.with_name(real.name + suffix)


def _size(file: Path) -> int:
    """Return the size of a file in bytes, 0 when there is none."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what tells a file from any other whatever its name, or ``None`` when there is none."""
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _place(held: int) -> str:
    """Return where the kernel finds the file of a descriptor."""
    return os.readlink(f"/proc/self/fd/{held}")  # noqa: PTH115  # a Path would cost more, at each commit


# -- errors ----------------------------------------------------------------------------------------

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
    sqlite3.SQLITE_READONLY: "not writable",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened, or its folder is not writable",
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CONSTRAINT: "changed by another program while it was open; open it again",
    sqlite3.SQLITE_BUSY: "locked by another program; end that one first",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
}
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_LEAST_SPACE = 1 << 16  # bytes; what SQLite needs beside a log to open it


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite and the disk say into :class:`LogError`. A wrong use of the log stays what it is."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.Error as error:
        refuse(path, error)
    except OSError as error:
        what = _FULL if error.errno in _NO_SPACE else error.strerror or str(error)
        raise LogError("{path}: {what}", path=path, what=what) from error
    except (MemoryError, UnicodeDecodeError) as error:  # an impossible length; an error that quotes what is no text
        raise LogError("{path}: {damaged}", path=path, damaged=DAMAGED) from error


def refuse(path: Path, error: sqlite3.Error) -> NoReturn:
    """Raise the :class:`LogError` for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    meaning = _MEANINGS.get(code, DAMAGED)
    if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _is_full(path):
        meaning = _FULL  # SQLite says so of the log and its -wal only, not of what else it needs beside them
    raise LogError(
        "{path}: {meaning} (SQLite: {says})", path=path, meaning=meaning, says=" ".join(str(error).split())
    ) from error


def _is_full(path: Path) -> bool:
    try:
        disk = os.statvfs(Path(os.path.realpath(path)).parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < _LEAST_SPACE
