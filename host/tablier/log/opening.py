"""Open a log, for its one writer or for a reader."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from tablier.log import files
from tablier.log.chain import START, LogError, LogUnsound, Point
from tablier.log.checking import check_chain, check_entries, check_last, check_pages, holds
from tablier.log.connection import Connect, configure, hold_back, let_through, prepare_to_write
from tablier.log.errors import DAMAGED, explain_errors, primary_code
from tablier.log.files import NO_FOLDER, beside, identity_of, is_mounted, other_names, size_of
from tablier.log.lock import Locked, is_marked, lock, mark, not_writable, shut_out_writers, unmark, write_note
from tablier.log.making import make
from tablier.log.migrations import HEADER_BYTES, check_header, check_tables, is_current, least_size, migrate
from tablier.log.unchecked import Checked, note_checked, read_checked
from tablier.log.wal import belongs
from tablier.log.writing import closed, is_noted, losses, note_writer
from tablier.texts import Text
from tablier.usual import log_option

_OLDEST_SQLITE = (3, 37)  # STRICT tables

_guard = threading.RLock()
_here: Counter[tuple[int, int]] = Counter()
"""The logs that this process has open, by :func:`identity_of`; guarded by ``_guard``."""
_idle: dict[tuple[int, int], list[int]] = {}
"""Descriptors of these that nobody needs. To close one drops the locks that SQLite has on the file in this process, so
they are closed with the last connection."""


def _release(file: int) -> None:
    """Close a descriptor of a log as soon as that does no harm. The caller holds ``_guard``."""
    status = os.fstat(file)
    identity = status.st_dev, status.st_ino
    _idle.setdefault(identity, []).append(file)
    _close_idle(identity)


def _close_idle(identity: tuple[int, int]) -> None:
    if not _here[identity]:
        for each in _idle.pop(identity, []):
            os.close(each)


class Opened:
    """The open file of a log: a connection, and what has to be released with it."""

    def __init__(
        self,
        db: sqlite3.Connection,
        real: Path,
        held: int | None,
        *,
        marked: int | None = None,
        reader: sqlite3.Connection | None = None,
        unchecked: bool = False,
    ) -> None:
        """``held``: a descriptor to close at the end; ``marked``: that of a log which its writer has locked by it;
        ``reader``: a writer's own; ``unchecked``: the log is still to be checked. The caller holds ``_guard`` since
        it looked at the file."""
        self.db = db
        self.real = real
        self._reader = reader
        self.unchecked = unchecked
        """True until each entry was checked to be what was written: nothing is moved from the ``-wal``
        into the file before."""
        self._marked = marked
        self.writable = writable = marked is not None
        self.alone = False
        """True for a reader whose log lacks its ``-wal``."""
        self._held = held
        self._file = identity_of(real)
        self._identities = {real: self._file, (wal := beside(real, "-wal")): identity_of(wal)} if writable else {}
        held_files = [files.hold(each) for each in self._identities] if files.FOLLOWS else []
        self._places = {each: files.place_of(each) for each in held_files}
        if self._file is not None:
            _here[self._file] += 1

    def in_place(self) -> bool:
        """Return False when the file or its ``-wal`` was moved or deleted: what is written then is lost."""
        # Linux writes the times of a file with its next change once somebody has asked for them: a commit then takes a
        # fifth longer. So the files are asked only where the kernel does not find them at their places.
        if self._places and all(files.place_of(each) == place for each, place in self._places.items()):
            return True
        return all(identity_of(each) == was for each, was in self._identities.items())

    def note_listener(self, address: Path | None) -> os.stat_result:
        """Note in the lock where the log's keeper listens, and return what the lock is. For its writer."""
        assert self._held is not None
        write_note(self._held, address)
        return os.fstat(self._held)

    def trust(self) -> None:
        """Take the log for checked, and note that somebody writes before anything is moved into the file."""
        with _guard:
            if self.unchecked:
                note_writer(self.db, lost=False)
                let_through(self.db)
                self.unchecked = False

    def close(self) -> None:
        """Release everything. Closing twice does nothing."""
        with _guard:
            # SQLite moves what is in the -wal into the file, and deletes it, when the last connection that may write
            # is closed and no other one is left. That must not be while the file says that somebody writes.
            complete = self._marked is not None and closed(self.db) and not self.unchecked
            readers = [] if self._reader is None else [self._reader]
            _close([*readers, self.db] if complete else [self.db, *readers])
            self._reader = None
            if self._file is not None:
                _here[self._file] -= 1
                _close_idle(self._file)
                self._file = None
            if self._marked is not None:
                unmark(self._marked)
                _release(self._marked)
                self._marked = None
            while self._places:
                os.close(self._places.popitem()[0])
            if self._held is not None:
                os.close(self._held)
                self._held = None


def open_writer(
    path: Path,
    create: bool,
    connect: Connect,
    *,
    later: bool = False,
    told: Callable[[Text], object] = lambda text: None,
) -> Opened:
    """Open a log for writing; nobody else can until it is closed.

    A log whose ``-wal`` holds anything was not closed, and is checked first; with ``later`` only as far as is quick,
    where that finds nothing. ``told`` is called with what people wait for. Raise :class:`LogError`; every file is then
    as it was before.
    """
    real = Path(os.path.realpath(path))
    with explain_errors(path), _guard, ExitStack() as failed:
        if not _look(path, real, create):
            _identify(path, real)
        held = lock(path, real)
        failed.callback(os.close, held)
        made = _look(path, real, create)
        if made:
            make(path, real, connect)
        try:
            marked = os.open(real, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise not_writable(path, error) from None
        failed.callback(_release, marked)
        mark(path, marked)
        alone = not size_of(beside(real, "-wal"))
        reader = None if alone else _check_unclosed(path, real, connect, told, later=later)
        unchecked = reader is not None
        connections = [reader] if reader is not None else []
        failed.callback(_close, connections)
        db = configure(connect(real, "mode=rw"))
        connections.insert(0, db)  # closed first: see Opened.close
        check_tables(path, db)
        prepare_to_write(path, db)
        if unchecked:
            hold_back(db)
        if not is_current(db):
            migrate(db)
            told(
                Text(
                    "{path} was of an older tablier and is brought up to date; that one cannot open it any more",
                    {"path": path},
                )
            )
        if reader is None:
            reader = _open_readable(connect(real, "mode=ro"))
            connections.append(reader)
        lost = alone and is_noted(db)
        if not unchecked:
            note_writer(db, lost=lost)
        if lost:
            for each in losses(db, now=False):
                told(Text("{path}: {sentence}", {"path": path, "sentence": each}))
        opened = Opened(db, real, held, marked=marked, reader=reader, unchecked=unchecked)
        failed.pop_all()
        return opened


def _close(connections: Iterable[sqlite3.Connection]) -> None:
    for each in connections:
        each.close()


def _check_unclosed(
    path: Path, real: Path, connect: Connect, told: Callable[[Text], object], *, later: bool
) -> sqlite3.Connection | None:
    """Raise unless a log that was not closed is whole, and its ``-wal`` its own; change neither.

    Opened for writing, SQLite moves what is in the ``-wal`` into the log, at the latest when it is closed. With
    ``later`` return a connection where the rest can be checked while the log is used: as long as that one is open, no
    closing moves anything.
    """
    with ExitStack() as stack:
        db = stack.enter_context(closing(configure(connect(real, "mode=ro"))))
        check_tables(path, db)
        wal = beside(real, "-wal")
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        if not belongs(wal, pages):
            raise _of_another_state(path, wal)
        if later and _seems_whole(path, real, db, connect):
            stack.pop_all()
            return db
        count = db.execute("SELECT max(n) FROM entry").fetchone()[0]
        if type(count) is int and count >= _MANY:
            told(Text(_WAITS, {"path": path, "count": count}))
        end = check_entries(path, db)
        head = _head_alone(path, real, connect)
        if head is not None and not holds(db, head):
            raise _of_another_state(path, wal)
        if end.n >= _MANY or read_checked(real).damaged:
            note_checked(real, Checked(end))
        return None


def _of_another_state(path: Path, wal: Path) -> LogUnsound:
    return LogUnsound(
        "{path}: {name} belongs to another state of the log and would overwrite it; if this is a copy, make it "
        "again with 'tablier log backup', else move that file away",
        path=path,
        name=wal.name,
    )


_MANY = 20_000
"""The number of entries from which on people see a line while a log is checked."""
_WAITS = "{path} was not closed by its last writer; its {count} entries are checked before it is used …"


def _seems_whole(path: Path, real: Path, db: sqlite3.Connection, connect: Connect) -> bool:
    """Return whether the pages of a log that was not closed fit together, and what its ``-wal`` holds follows on from
    what the file holds without it. What a writer has written that was killed is checked then.

    False where that cannot be said quickly, and where the log was found damaged before.
    """
    if read_checked(real).damaged:
        return False
    try:
        if not is_current(db):
            return False
        alone = _end_alone(path, real, connect)
        if alone is None or not (alone == START or holds(db, alone)):
            return False
        check_pages(path, db)
        check_chain(path, db, alone)
    except (sqlite3.Error, LogError, MemoryError, UnicodeDecodeError):
        return False
    return True


def _end_alone(path: Path, real: Path, connect: Connect) -> Point | None:
    """Return the last entry in a log without its ``-wal``, as far as that entry itself shows; ``None`` where it is not
    whole, as when a checkpoint was cut short."""
    with closing(configure(connect(real, "mode=ro&immutable=1"))) as db:
        check_tables(path, db)
        return check_last(db)


def _head_alone(path: Path, real: Path, connect: Connect) -> Point | None:
    """Return the last entry in a log without its ``-wal``; ``None`` when that is not whole, or empty.

    An incomplete one is no fault: a checkpoint may have been cut short.
    """
    try:
        with closing(configure(connect(real, "mode=ro&immutable=1"))) as db:
            check_tables(path, db)
            end = check_entries(path, db)
    except (sqlite3.Error, LogError, MemoryError, UnicodeDecodeError):
        return None
    return end if end.n else None


def open_reader(path: Path, connect: Connect) -> Opened:
    """Open a log for reading, whether somebody writes to it or not. Raise :class:`LogError`."""
    real = Path(os.path.realpath(path))
    with explain_errors(path), _guard:
        _look(path, real, create=False)
        _identify(path, real)
        try:
            db, held = _open_readable(connect(real, "mode=ro")), None
        except sqlite3.Error as error:
            if primary_code(error) not in _UNSHARED:
                raise
            # SQLite shares a log by a file beside it, which it cannot make here.
            held = shut_out_writers(real)
            if held is None:
                raise
            try:
                db = _open_readable(_connect_alone(real, connect))
            except BaseException:
                os.close(held)
                raise
        opened = Opened(db, real, held)
        try:
            check_tables(path, db)
            if not is_current(db):
                opened.db = _up_to_date(real, db, connect)
                db.close()
            opened.alone = _is_alone(real, opened.db)
        except BaseException:
            opened.close()
            raise
        return opened


def _up_to_date(real: Path, db: sqlite3.Connection, connect: Connect) -> sqlite3.Connection:
    """Return a copy in memory of a log of an older format, brought up to date. Only its writer changes the file."""
    copy = configure(connect(real, "mode=memory"))
    try:
        db.backup(copy)
        migrate(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _is_alone(real: Path, db: sqlite3.Connection) -> bool:
    """Return whether a log lacks the ``-wal`` that belongs to it: somebody has written, and nobody does."""
    if not is_noted(db) or size_of(beside(real, "-wal")):
        return False
    with suppress(LogError, OSError):
        held = shut_out_writers(real)
        if held is not None:
            os.close(held)
            return is_noted(db)  # still: nobody has closed it meanwhile
    return False


_UNSHARED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
"""The errors with which a log cannot be read in a folder that is read-only or on a disk that is full."""


def _open_readable(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return the connection, configured, when it can read; close it otherwise."""
    try:
        configure(db).execute("SELECT 1 FROM sqlite_schema LIMIT 1")
    except BaseException:
        db.close()
        raise
    return db


def _connect_alone(real: Path, connect: Connect) -> sqlite3.Connection:
    """Open a log that nobody writes to for reading, with nothing beside it but its ``-wal``."""
    if not size_of(beside(real, "-wal")):
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
        status = real.stat()
        empty = status.st_size == 0
    except FileNotFoundError:
        if not create:
            if log_option(path):
                raise LogError("{path}: there is no such file", path=path) from None
            raise LogError("{path}: there is no such file; the first game creates the log", path=path) from None
        if not real.parent.is_dir():
            raise LogError(NO_FOLDER.of(path=path, parent=real.parent)) from None
        empty = True
    except OSError as error:
        raise LogError("{path}: {strerror}", path=path, strerror=error.strerror) from None
    else:
        if not real.is_file():
            raise LogError(
                "{path}: not a log but {what}",
                path=path,
                what=Text("a folder") if real.is_dir() else Text("no plain file"),
            )
        if empty and not create:
            raise LogError("{path}: not a log: the file is empty", path=path)
        _check_name(path, real, status)
    # SQLite would play it into whatever is made here; beside a log, too, which leaves no journal of this kind.
    for stray in ("-wal", "-journal") if empty else ("-journal",):
        if size_of(beside(real, stray)):
            name = beside(real, stray).name
            raise LogError(
                "{path}: {name} is here without its log; bring the log back, or move that file away",
                path=path,
                name=name,
            )
    return empty


def _is_written_elsewhere(real: Path, log: int) -> bool:
    """Return True when a log has a writer who knows it by another name."""
    for _ in range(3):  # one who begins or ends meanwhile is not meant
        if not is_marked(log):
            return False
        held = shut_out_writers(real)
        if held is None:
            return False
        os.close(held)
    return True


def _check_name(path: Path, real: Path, status: os.stat_result) -> None:
    """Raise unless the file of a log has one name: what is in its ``-wal`` goes by the name, and is missing under any
    other one."""
    if is_mounted(real):
        raise LogError(
            "{path}: the file alone is mounted here, and its -wal would be left behind; mount its folder", path=path
        )
    if status.st_nlink > 1:
        others = other_names(real)
        raise LogError(
            "{path}: the file has {count} names (hard links{others}), and what is in the -wal of one of them is missing"
            " under the others; end every program that uses it, keep the name with a -wal, remove the others",
            path=path,
            count=status.st_nlink,
            others=f": {', '.join([real.name, *others])}" if others else " elsewhere",
        )


def _identify(path: Path, real: Path) -> None:
    """Raise unless the header of the file says that it is a log of a format that is known; leave no trace beside it.

    Whatever else the file holds may be out of date or half-written, as long as the rest is in the ``-wal``. The caller
    holds ``_guard``.
    """
    if _here[identity_of(real) or (0, 0)]:
        # A log, then. To close any descriptor of it would drop the locks that SQLite has on it in this process.
        return
    try:
        descriptor = os.open(real, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise LogError("{path}: cannot be opened: {strerror}", path=path, strerror=error.strerror) from None
    try:
        header = os.pread(descriptor, HEADER_BYTES, 0)
        if _is_written_elsewhere(real, descriptor):
            raise Locked(
                "{path}: another program is writing to it under another name; use it by that one, or end that program",
                path=path,
            )
    finally:
        os.close(descriptor)
    check_header(path, header)
    # Asked in this order: where the -wal is empty after the header was read, the file is as long as that says.
    if not size_of(beside(real, "-wal")) and size_of(real) < least_size(header):
        raise LogUnsound("{path}: {damaged}", path=path, damaged=DAMAGED)
