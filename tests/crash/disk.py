"""A disk that remembers in which order it was written, and can be had as a crash leaves it.

Three ways in which a crash leaves what was not synced: ``kept`` (the process died), ``dropped`` (the power failed, and
nothing that was not synced had been written), ``torn`` (the power failed, and any sectors of it had been written, with
those of the operation at which it failed).
"""

from __future__ import annotations

import errno
import os
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import apsw

WAYS = ("kept", "dropped", "torn")
SECTOR = 512
CHECKPOINT_PAGES = 12
"""So few that a short game has several checkpoints."""


class Op(NamedTuple):
    """An operation on the disk."""

    kind: str
    """``create``, ``write``, ``truncate``, ``sync``, ``delete``, ``rename``, ``link`` or ``folder``, its sync."""
    name: str = ""
    at: int = 0
    """The offset of a ``write``, the new size of a ``truncate``."""
    data: bytes = b""
    to: str = ""
    """The new name of a ``rename`` or a ``link``."""


class Image(NamedTuple):
    """A disk after a crash, and the entries that a log on it must have."""

    files: dict[str, bytes]
    least: int
    """The number of entries that were durable."""
    most: int
    """The number of entries that were durable or being written."""
    made: bool
    """The log had been opened: it must be there."""


class Disk:
    """A folder on a disk. ``connect`` opens SQLite files in it for :class:`tablier.log.store.Log`.

    ``before`` is called before every operation with its number and may raise what the disk answers instead;
    ``reading`` before every read.
    """

    _count = 0

    def __init__(
        self,
        folder: Path,
        before: Callable[[int, Op], None] = lambda number, op: None,
        reading: Callable[[], None] = lambda: None,
    ) -> None:
        Disk._count += 1
        self.folder = folder
        self.reading = reading
        self.ops: list[Op] = []
        self.states: list[tuple[int, int, bool]] = []
        """For each operation: the ``least``, ``most`` and ``made`` of an image from before it."""
        self.durable = self.attempted = 0
        self.made = False
        self.closing = False
        """Whether a connection is being closed: what fails there SQLite keeps to itself."""
        self._before = before
        self._vfs = _Vfs(self, f"disk{Disk._count}")

    def opened(self) -> None:
        """Note that the log was opened: it must be there from now on."""
        self.made = True

    def connect(self, real: Path, query: str) -> Any:
        """Open a file with ``apsw``'s SQLite on this disk."""
        flags = apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        with _as_sqlite3():
            db = apsw.Connection(f"{real.as_uri()}?{query}", flags, self._vfs.vfs_name)
            return _Connection(self, db)

    def do(self, op: Op) -> None:
        """Record an operation that is about to be done."""
        self.states.append((self.durable, self.attempted, self.made))
        self.ops.append(op)
        self._before(len(self.ops) - 1, op)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record what Python itself does in the folder."""
        done = _PythonsOwn(self)
        functions: dict[str, Any] = done.functions()
        with patch.multiple(os, **functions), patch.multiple(sys, excepthook=_unheard, unraisablehook=_unheard):
            yield

    # -- what is on it after a crash -------------------------------------------------------------------------------

    def image(self, point: int, way: str) -> Image:
        """Return what a crash just before an operation leaves."""
        return next(image for _, _, image in self.images([point], (way,)))

    def images(self, points: Sequence[int], ways: Sequence[str] = WAYS) -> Iterator[tuple[int, str, Image]]:
        """Yield point, way and image for each of these points, in order; the point ``len(ops)`` is the end."""
        platter = _Platter()
        done = 0
        end = (self.durable, self.attempted, self.made)
        for point in points:
            while done < point:
                platter.do(self.ops[done])
                done += 1
            state = self.states[point] if point < len(self.ops) else end
            at_work = self.ops[point] if point < len(self.ops) else None
            for way in ways:
                yield point, way, Image(getattr(platter, way)(point, at_work), *state)


class _File:
    """A file of a :class:`_Platter`."""

    def __init__(self) -> None:
        self.now = bytearray()
        self.synced = b""
        self.unsynced: list[Op] = []


class _Platter:
    """The written bytes, and the synced ones among them."""

    def __init__(self) -> None:
        self._now: dict[str, _File] = {}
        self._synced: dict[str, _File] = {}
        self._unsynced: list[dict[str, _File]] = []  # the names after each change since then

    def do(self, op: Op) -> None:
        names = dict(self._now)
        if op.kind == "create":
            names[op.name] = _File()
        elif op.kind == "delete":
            del names[op.name]
        elif op.kind == "rename":
            names[op.to] = names.pop(op.name)
        elif op.kind == "link":
            names[op.to] = names[op.name]
        elif op.kind == "folder":
            self._synced, self._unsynced = names, []
        elif op.kind == "sync":
            file = names[op.name]
            file.synced, file.unsynced = bytes(file.now), []
        else:
            file = names[op.name]
            _apply(file.now, op)
            file.unsynced.append(op)
        if names.keys() != self._now.keys() or op.kind in ("create", "rename", "link"):
            self._now = names
            self._unsynced.append(names)

    def kept(self, point: int, at_work: Op | None) -> dict[str, bytes]:
        return {name: bytes(file.now) for name, file in self._now.items()}

    def dropped(self, point: int, at_work: Op | None) -> dict[str, bytes]:
        return {name: file.synced for name, file in self._synced.items()}

    def torn(self, point: int, at_work: Op | None) -> dict[str, bytes]:
        dice = random.Random(point)
        names = dice.choice([self._synced, *self._unsynced])
        contents: dict[int, bytes] = {}
        for file in names.values():
            if id(file) in contents:
                continue
            raw = bytearray(file.synced)
            mine = at_work is not None and at_work.kind in ("write", "truncate") and self._now.get(at_work.name) is file
            for op in [*file.unsynced, at_work] if mine and at_work else file.unsynced:
                for sector in _sectors(op):
                    if dice.random() < 0.5:
                        _apply(raw, sector)
            contents[id(file)] = bytes(raw)
        return {name: contents[id(file)] for name, file in names.items()}


def _apply(raw: bytearray, op: Op) -> None:
    if op.kind == "truncate":
        del raw[op.at :]
        raw.extend(bytes(op.at - len(raw)))
    else:
        raw.extend(bytes(max(0, op.at - len(raw))))
        raw[op.at : op.at + len(op.data)] = op.data


def _sectors(op: Op) -> Iterator[Op]:
    """Yield an operation cut at the sectors of the disk."""
    if op.kind == "truncate":
        yield op
        return
    at, end = op.at, op.at + len(op.data)
    while at < end:
        to = min(end, (at // SECTOR + 1) * SECTOR)
        yield op._replace(at=at, data=op.data[at - op.at : to - op.at])
        at = to


# -- SQLite's part -------------------------------------------------------------------------------------------------


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk, name: str) -> None:
        self.vfs_name = name
        self._disk = disk
        super().__init__(name, "")

    def excepthook(self, kind: Any, error: Any, trace: Any) -> bool:
        """Print nothing: an error that the disk answers is part of the plan."""
        return True

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        return _VfsFile(self._disk, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        if Path(name).exists():
            self._disk.do(Op("delete", Path(name).name))
        super().xDelete(name, sync)
        if sync:
            self._disk.do(Op("folder"))


class _VfsFile(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        path = Path(name.filename() if isinstance(name, apsw.URIFilename) else name)
        self._disk = disk
        self._name = path.name
        self._new = not path.exists()  # SQLite syncs the folder with such a file
        if self._new and flags[0] & apsw.SQLITE_OPEN_CREATE:
            disk.do(Op("create", self._name))
        super().__init__("", name, flags)

    def excepthook(self, kind: Any, error: Any, trace: Any) -> bool:
        """Print nothing, as :class:`_Vfs` does."""
        return True

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        try:
            self._disk.reading()
        except apsw.IOError as error:
            if getattr(error, "extendedresult", None) != apsw.SQLITE_IOERR_SHORT_READ:
                raise
            return b""  # the rest is zeros then, as SQLite wants it
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        try:
            self._disk.do(Op("write", self._name, offset, bytes(data)))
        except apsw.FullError:
            super().xWrite(data[: len(data) // 2], offset)  # what there was room for
            raise
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._disk.do(Op("truncate", self._name, size))
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.do(Op("sync", self._name))
        super().xSync(flags)
        if self._new:
            self._disk.do(Op("folder"))
            self._new = False


@contextmanager
def _as_sqlite3() -> Iterator[None]:
    """Turn errors of ``apsw`` into those of ``sqlite3``."""
    try:
        yield
    except apsw.Error as error:
        code = getattr(error, "extendedresult", 0) or apsw.SQLITE_ERROR
        kind = sqlite3.DatabaseError if code & 0xFF in (apsw.SQLITE_CORRUPT, apsw.SQLITE_NOTADB) else None
        raised = (kind or sqlite3.OperationalError)(str(error) or apsw.mapping_result_codes[code & 0xFF])
        raised.sqlite_errorcode = code
        raise raised from error


class _Cursor:
    """A statement's result, as ``sqlite3`` returns it."""

    def __init__(self, cursor: apsw.Cursor) -> None:
        self._cursor = cursor

    def fetchone(self) -> Any:
        with _as_sqlite3():
            return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        with _as_sqlite3():
            return self._cursor.fetchall()

    def __iter__(self) -> Iterator[Any]:
        while (row := self.fetchone()) is not None:
            yield row


class _Connection:
    """A connection of ``apsw`` with the methods of ``sqlite3`` that the log uses. It tells its disk what is durable."""

    def __init__(self, disk: Disk, db: apsw.Connection) -> None:
        self._disk = disk
        self._db = db
        self._pending = 0
        db.set_busy_timeout(5000)
        db.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")

    @property
    def in_transaction(self) -> bool:
        return bool(self._db.in_transaction)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> _Cursor:
        if sql == "COMMIT" and self._pending:
            self._commit()
            return _Cursor(self._db.cursor())
        if sql.startswith("BEGIN"):  # what was pending before was rolled back, by SQLite itself after some errors
            self._pending = 0
        with _as_sqlite3():
            return _Cursor(self._db.execute(sql, values))

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        with _as_sqlite3():
            self._db.executemany(sql, rows)
        if "INTO entry" in sql:
            self._pending = len(rows)

    def _commit(self) -> None:
        disk, pending, self._pending = self._disk, self._pending, 0
        disk.attempted = disk.durable + pending
        try:
            with _as_sqlite3():
                self._db.execute("COMMIT")
        except sqlite3.Error:
            # SQLite keeps to itself that the checkpoint after a commit failed, apsw does not.
            if self._db.in_transaction or self._entries() != disk.attempted:
                raise
        disk.durable = disk.attempted

    def _entries(self) -> int:
        try:
            ((count,),) = self._db.execute("SELECT count(*) FROM entry")
            return int(count)
        except apsw.Error:
            return -1

    def backup(self, target: _Connection) -> None:
        with _as_sqlite3():
            backup = target._db.backup("main", self._db, "main")
            try:
                backup.step()
            finally:
                with suppress(apsw.Error, SystemError):  # what failed before is said twice
                    backup.finish()

    def close(self) -> None:
        self._disk.closing = True
        with suppress(apsw.Error):  # of the checkpoint, which SQLite keeps to itself
            self._db.close()
        self._disk.closing = False


# -- Python's part -------------------------------------------------------------------------------------------------


def _unheard(*what: object) -> None:
    """Print nothing: apsw tells these hooks what the disk answered."""


_CHANGES = ("open", "unlink", "replace", "rename", "link", "fsync", "close", "pwrite", "ftruncate")


class _PythonsOwn:
    """The functions of ``os`` that change a folder, recording what they do there."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._os = {name: getattr(os, name) for name in _CHANGES}
        self._names: dict[int, str] = {}

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return them by their names in ``os``."""
        return {name: getattr(self, name) for name in _CHANGES}

    def _do(self, op: Op) -> None:
        try:
            self._disk.do(op)
        except apsw.Error as error:
            code = errno.ENOSPC if isinstance(error, apsw.FullError) else errno.EIO
            raise OSError(code, os.strerror(code)) from None

    def _name(self, path: Any) -> str | None:
        path = Path(path)
        if path == self._disk.folder:
            return ""
        return path.name if path.parent == self._disk.folder else None

    def open(self, path: Any, flags: int, *rest: Any, **more: Any) -> int:
        name = self._name(path)
        if name and flags & os.O_CREAT and not Path(path).exists():
            self._do(Op("create", name))
        descriptor: int = self._os["open"](path, flags, *rest, **more)
        if name is not None:
            self._names[descriptor] = name
        return descriptor

    def close(self, descriptor: int) -> None:
        self._names.pop(descriptor, None)
        self._os["close"](descriptor)

    def unlink(self, path: Any, **more: Any) -> None:
        name = self._name(path)
        if name and Path(path).exists():
            self._do(Op("delete", name))
        self._os["unlink"](path, **more)

    def replace(self, old: Any, new: Any, **more: Any) -> None:
        name, to = self._name(old), self._name(new)
        if name and to:
            self._do(Op("rename", name, to=to))
        self._os["replace"](old, new, **more)

    rename = replace

    def link(self, old: Any, new: Any, **more: Any) -> None:
        name, to = self._name(old), self._name(new)
        if name and to:
            self._do(Op("link", name, to=to))
        self._os["link"](old, new, **more)

    def fsync(self, descriptor: int) -> None:
        name = self._names.get(descriptor)
        if name is not None:
            self._do(Op("sync", name) if name else Op("folder"))
        self._os["fsync"](descriptor)

    def pwrite(self, descriptor: int, data: bytes, offset: int) -> int:
        if name := self._names.get(descriptor):
            self._do(Op("write", name, offset, data))
        written: int = self._os["pwrite"](descriptor, data, offset)
        return written

    def ftruncate(self, descriptor: int, size: int) -> None:
        if name := self._names.get(descriptor):
            self._do(Op("truncate", name, size))
        self._os["ftruncate"](descriptor, size)
