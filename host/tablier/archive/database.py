"""Open an archive: one SQLite file, or a database of PostgreSQL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, insert, inspect, select, text, update
from sqlalchemy.exc import DBAPIError

from tablier.archive.engines import NONE_YET, POSTGRESQL, WRITES, empty_wal, engine_of, share
from tablier.archive.errors import ArchiveError
from tablier.archive.tables import ADDED, ARCHIVE, CLUB, METADATA, READABLE, VERSION, index_as_on_server
from tablier.log.errors import BY_SQLITE, access_problem, primary_code
from tablier.texts import Failure, Text

_MAKING = 7_461_626
"""The key of the lock that one program takes while it makes the tables in a database of PostgreSQL."""
_SHUTDOWN = "57P"
"""The beginning of PostgreSQL's codes for errors of a server that stops or ends a connection."""
_PORT = 5432
_EARLIER = {"alembic_version", "club", "source", "game", "seat", "tally"}
"""Tables of archives that had no version yet."""
_MEANINGS = {
    sqlite3.SQLITE_NOTADB: Text("not an archive: not a database of SQLite"),
    sqlite3.SQLITE_CORRUPT: Text("damaged; add the logs to a new archive"),
}
_FOREIGN = "SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR rootpage = 0 LIMIT 1"
"""Find a view, a trigger or a virtual table: reading or writing a file that has one runs somebody else's statements."""
_IMPOSSIBLE = (ArithmeticError, LookupError, TypeError, ValueError)
"""Errors that rows raise which no program of ours has written."""


class Archive:
    """An open archive. It can be used by one thread at a time; close it, or use it as a context manager."""

    def __init__(self, where: str, engine: Engine) -> None:
        self.where = where
        """The file or the address, without a password."""
        self._engine = engine
        self.version = VERSION
        """That of its tables: one that was only read may have an earlier one."""

    @classmethod
    def open(cls, where: str | os.PathLike[str], *, create: bool = False) -> Archive:
        """Open the archive at a path, or at an address such as ``postgresql://club@host/tablier``.

        :param create: make the file, or the tables, where there are none. Without it nothing is written.

        Raise :class:`ArchiveError` where that cannot be, or where another version of this program has written.
        """
        shown, engine = engine_of(os.fspath(where), create=create)
        archive = cls(shown, engine)
        try:
            with archive._explained():
                archive._prepare(create)
        except BaseException:
            archive.close()
            raise
        return archive

    def close(self) -> None:
        """Let the database go. Closing twice does nothing."""
        self._engine.dispose()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def _on_server(self) -> bool:
        return self._engine.dialect.name == POSTGRESQL

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn a database's error into :class:`ArchiveError`."""
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise self._refusal(error) from error

    def _refusal(self, error: DBAPIError | sqlite3.Error) -> ArchiveError:
        said = error.orig if isinstance(error, DBAPIError) else error
        why, *_ = str(said).splitlines() or [""]  # the others say where in the server
        if self._on_server and _is_unreached(said):
            host, port = _address(said, self._engine.url)
            return ArchiveError(
                "{where}: no connection to {host}, port {port} ({why}); look whether the server runs there",
                where=self.where,
                host=host,
                port=port,
                why=why.rpartition("failed: ")[2],
            )
        if isinstance(error, DBAPIError) and (error.connection_invalidated or (self._on_server and _is_lost(said))):
            text = "{where}: the connection was lost ({why}); run the command again"
            return ArchiveError(text, where=self.where, why=why)
        meaning = None
        if isinstance(said, sqlite3.Error):
            meaning = access_problem(Path(self.where), said) or _MEANINGS.get(primary_code(said))
        if meaning is None:
            return ArchiveError("{where}: {why}", where=self.where, why=why)
        return ArchiveError(BY_SQLITE.of(path=self.where, meaning=meaning, says=why))

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the archive throughout.

        Raise :class:`ArchiveError` for rows that no program of ours has written.
        """
        try:
            with self._explained(), self._engine.connect() as connection:
                if self._on_server:
                    connection = connection.execution_options(
                        isolation_level="REPEATABLE READ", postgresql_readonly=True
                    )
                yield connection
        except Failure:
            raise
        except _IMPOSSIBLE as error:
            why = f"{type(error).__name__}: {error}"
            raise ArchiveError("{where}: damaged ({why})", where=self.where, why=why) from error

    @contextmanager
    def writing(self, club: str) -> Iterator[tuple[Connection, int]]:
        """Give a transaction in which one club's rows are written, and the club's id; commit at the end.

        Nobody else writes to that club meanwhile. Clubs do not wait for each other on a server.
        """
        with self._explained(), self._writing() as connection:
            yield connection, _club(connection, club)

    @contextmanager
    def correcting(self) -> Iterator[Connection]:
        """Give a transaction in which clubs that are there are changed; commit at the end.

        No club is locked yet: lock one before its rows are read.
        """
        with self._explained(), self._writing() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.connect().execution_options(**{WRITES: True}) as connection, connection.begin():
            yield connection

    def empty_wal(self) -> bool:
        """Clear the ``-wal`` of a file of names that were changed or forgotten.

        Return False if another program that reads the archive keeps them there.
        """
        if self._on_server:
            return True
        with self._explained(), self._engine.connect() as connection:
            return empty_wal(connection)

    def _prepare(self, create: bool) -> None:
        """Raise :class:`ArchiveError` unless this is an archive that can be read. With ``create``, make it one of this
        version."""
        with self._engine.connect() as connection:
            made = self._is_made(connection)
            if create and not self._on_server:  # only once the file is known not to be another program's
                connection.rollback()
                share(connection)
        if made and (made == VERSION or not create):
            self.version = made
            return
        if not create:
            raise ArchiveError("{where}: {none}", where=self.where, none=NONE_YET)
        with self._writing() as connection:
            if self._on_server:  # others may be doing the same
                connection.execute(text(f"SELECT pg_advisory_xact_lock({_MAKING})"))
            if (made := self._is_made(connection)) == VERSION:
                return
            if self._on_server:
                index_as_on_server()
            METADATA.create_all(connection)  # those that are missing
            new = update(ARCHIVE) if made else insert(ARCHIVE)
            connection.execute(new.values(version=VERSION))

    def _is_made(self, connection: Connection) -> int:
        """Return the version of the tables of an archive, 0 if there are none.

        Raise :class:`ArchiveError` for a database of something else, and for tables of a version that is not read.
        """
        if not self._on_server:
            foreign = connection.execute(text(_FOREIGN)).first()
            if foreign:
                raise ArchiveError(
                    "{where}: {kind} {name} is in it, which no archive has; drop it, or add the logs to a new archive",
                    where=self.where,
                    kind=foreign.type,
                    name=foreign.name,
                )
        tables = set(inspect(connection).get_table_names())
        if not tables:
            return 0
        version = 0
        if tables >= METADATA.tables.keys() - {ADDED.name}:
            version = connection.scalar(select(ARCHIVE.c.version)) or 0
        elif not tables >= _EARLIER:
            raise ArchiveError("{where} is not an archive: it has tables of something else", where=self.where)
        if version > VERSION:
            raise ArchiveError("{where} was written by a newer version of Tablier; update Tablier", where=self.where)
        if version < READABLE or (version == VERSION and ADDED.name not in tables):
            raise ArchiveError(
                "{where} was written by an earlier version of Tablier; add the logs to a new archive", where=self.where
            )
        return version


def _is_unreached(error: object) -> bool:
    """Return whether no connection to a server came about, and not because the server refused it."""
    from psycopg import OperationalError

    if not isinstance(error, OperationalError):
        return False
    if error.pgconn is None:
        return str(error).startswith("failed to resolve host")
    return error.sqlstate is None and "FATAL" not in str(error)


def _address(error: Any, url: URL) -> tuple[str, str]:
    """Return the host, or the folder of the socket, and the port of a server that was not reached."""
    if error.pgconn is None:
        return url.host or "", str(url.port or _PORT)
    return error.pgconn.host.decode(), error.pgconn.port.decode()


def _is_lost(error: object) -> bool:
    """Return whether a connection to a server was lost while SQLAlchemy was still preparing it."""
    from psycopg import OperationalError

    if not isinstance(error, OperationalError) or error.pgconn is not None:  # the latter: there was no connection yet
        return False
    return error.sqlstate is None or error.sqlstate.startswith(_SHUTDOWN)


def upsert(connection: Connection, table: Any) -> Any:
    """Return an ``INSERT`` that can say what happens where the row is there already."""
    return import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert(table)


def write_rows(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write many rows, given by the values of their columns, in one statement.

    SQLAlchemy would take most of the time of adding a game for what it does with each row.
    """
    if not rows:
        return
    names = ", ".join(table.columns.keys())
    if connection.dialect.name == POSTGRESQL:
        _copy(connection, f"COPY {table.name} ({names}) FROM STDIN", rows)
        return
    marks = ", ".join("?" * len(table.columns))
    connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", list(rows))


def _copy(connection: Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write rows by ``COPY``, which SQLAlchemy does not know; raise errors as it does.

    Rows go as text: in binary, psycopg would cut an integer that is too large for its column.
    """
    import psycopg

    driver: Any = connection.connection.driver_connection
    dialect: Any = connection.dialect
    try:
        with driver.cursor() as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except psycopg.Error as error:
        lost = dialect.is_disconnect(error, driver, None)
        if lost:
            connection.invalidate(error)
        raise DBAPIError.instance(statement, None, error, psycopg.Error, connection_invalidated=lost) from error


def _club(connection: Connection, name: str) -> int:
    """Return the id of a club, made for a new one, and keep other writers from it until the transaction ends."""
    check_club(connection, name)
    new = upsert(connection, CLUB).values(name=name).on_conflict_do_nothing()
    known = select(CLUB.c.id).where(CLUB.c.name == name).with_for_update()
    while True:
        connection.execute(new)
        found = connection.execute(known).scalar_one_or_none()
        if found is not None:  # PostgreSQL has waited for a writer who may have removed or renamed the club
            return int(found)


def check_club(connection: Connection, name: str, other: str = "") -> None:
    """Refuse a name that differs from a club's only in case or blanks. ``other``: the club that is to have it."""
    for club in connection.scalars(select(CLUB.c.name)):
        if club not in (name, other) and club.casefold().split() == name.casefold().split():
            raise ArchiveError("there is a club {club} already; spell it so: --club={club}", club=club)


__all__ = ["Archive", "ArchiveError", "check_club", "upsert", "write_rows"]
