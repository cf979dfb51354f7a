"""Reach the database of an archive: by the name of a file, or by an address of PostgreSQL."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, OperationalError

from tablier import waiting
from tablier.archive.errors import ArchiveError
from tablier.log.connection import configure
from tablier.log.errors import primary_code
from tablier.log.files import beside, size_of
from tablier.texts import Text

POSTGRESQL = "postgresql"
WRITES = "tablier_writes"
"""The execution option of a connection whose transactions write."""
NONE_YET = Text("there is no archive; 'tablier archive add' makes one")
_WAIT_S = 600
"""Seconds that a writer of SQLite waits for another, who may be adding a long log."""
_PAUSE_S = 0.05
_LOCK_S = 1.0
"""Seconds that SQLite itself waits for a lock, which no signal can interrupt."""
_FORM = Text("an archive is a file, or postgresql://NAME@HOST/DATABASE")

for _library in ("psycopg", "sqlalchemy"):
    # Of what a lost connection leaves undone they tell on standard error. What is wrong they raise as well.
    logging.getLogger(_library).addHandler(logging.NullHandler())

Result = TypeVar("Result")


def engine_of(where: str, *, create: bool) -> tuple[str, Engine]:
    """Return the name of an archive as people may read it, and its engine.

    Raise :class:`ArchiveError` for an address or a file that cannot be one.
    """
    if "://" not in where:
        return where, _sqlite(Path(where), create)
    # What is wrong is not quoted: a password may be anywhere in it.
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise ArchiveError("that is not an address; {form}", form=_FORM) from None
    if "@" in (url.host or ""):
        raise ArchiveError("an address has one '@'; in a password it is written %40")
    shown = _shown(url)
    if url.get_backend_name() != POSTGRESQL:
        raise ArchiveError("{where}: {form}", where=shown, form=_FORM)
    return shown, create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)


def _shown(url: URL) -> str:
    """Return an address without its password, and without parameters, which may be a password, except for the host."""
    host = {"host": url.query["host"]} if "host" in url.query else {}
    return url.set(drivername=url.get_backend_name(), query=host)._replace(password=None).render_as_string()


def _sqlite(path: Path, create: bool) -> Engine:
    if path.is_dir():
        raise ArchiveError("{path} is a folder; name a file for the archive", path=path)
    if not path.exists() and not create:
        raise ArchiveError("{path}: {none}", path=path, none=NONE_YET)
    if path.exists() and not path.is_file():
        raise ArchiveError("{path} is not a plain file; name one for the archive", path=path)
    if not path.parent.is_dir():
        raise ArchiveError("{path}: there is no folder {folder}", path=path, folder=path.parent)
    if create:
        with suppress(OSError):  # SQLite says what is wrong
            _make_private(path)

    def connected() -> sqlite3.Connection:
        db = configure(_connect(path, "mode=rw") if create else _reader(path))
        db.execute("PRAGMA foreign_keys = ON")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")  # a name that is changed or forgotten leaves no trace in the file
        return db

    engine = create_engine(URL.create("sqlite", database=str(path)), creator=connected)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Who writes takes the lock at once: a transaction that has read cannot become a writer beside another.
        writes = connection.get_execution_options().get(WRITES)
        patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN"))

    return engine


def _make_private(path: Path) -> None:
    """Make an archive's file, unless it is there. The names of people are for its owner alone."""
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        if not os.fstat(file).st_size:  # somebody has made an empty one
            os.fchmod(file, 0o600)
    finally:
        os.close(file)


def _connect(path: Path, query: str) -> sqlite3.Connection:
    where = f"{path.absolute().as_uri()}?{query}"
    return sqlite3.connect(where, uri=True, timeout=_LOCK_S, isolation_level=None, check_same_thread=False)


def _reader(path: Path) -> sqlite3.Connection:
    """Open a file for reading, also in a folder in which nothing can be written."""
    db = _connect(path, "mode=rw")  # one that was opened with "ro" would leave files beside it
    try:
        db.execute("PRAGMA query_only = ON")
        db.execute("SELECT count(*) FROM sqlite_schema")
    except sqlite3.Error as error:
        db.close()
        if primary_code(error) not in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
            raise
        if size_of(beside(path, "-wal")):
            raise
        # SQLite shares a file by another one beside it, which it cannot make here.
        return _connect(path, "mode=ro&immutable=1")
    return db


def share(connection: Connection) -> None:
    """Have a file of SQLite be read while somebody writes to it. No transaction may be open."""
    db: Any = connection.connection.driver_connection
    patiently(lambda: db.execute("PRAGMA journal_mode = WAL"))


def empty_wal(connection: Connection) -> bool:
    """Move all that is in the ``-wal`` of a file into it. Return False while a reader is in the way."""
    db: Any = connection.connection.driver_connection
    return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


def patiently(work: Callable[[], Result]) -> Result:
    """Return what some work gives, tried again while another program holds the lock of SQLite.

    Signals are heard meanwhile, as they are not while SQLite itself waits.
    """
    until = waiting.now() + _WAIT_S
    while True:
        try:
            return work()
        except (OperationalError, sqlite3.OperationalError) as error:
            said = error.orig if isinstance(error, OperationalError) else error
            if not isinstance(said, sqlite3.Error) or primary_code(said) != sqlite3.SQLITE_BUSY:
                raise
            if waiting.now() > until:
                raise
        waiting.sleep(_PAUSE_S)
