"""Open an archive: one SQLite file, or a database of PostgreSQL, brought up to this program's tables."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from tablier.archive.tables import CLUB, METADATA
from tablier.archive.tally import COUNTING
from tablier.texts import Failure

POSTGRESQL = "postgresql"
_WAIT_S = 600
"""Seconds that a writer of SQLite waits for another, who may be adding a long log."""
_MIGRATING = 7_461_626
"""The key of the lock that one program takes while it brings a database of PostgreSQL up to date."""

# It warns of what a lost connection leaves undone, on standard error; what is wrong is raised as well.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


class ArchiveError(Failure):
    """An archive that cannot be opened, read or written; the text is one line: where, what, why."""


def is_url(where: str) -> bool:
    """Return whether an archive is named by an address, not by a file."""
    return "://" in where


class Archive:
    """An open archive. It can be used by one thread at a time; close it, or use it as a context manager."""

    def __init__(self, where: str, engine: Engine) -> None:
        self.where = where
        """The file or the address, without a password."""
        self._engine = engine

    @classmethod
    def open(cls, where: str | os.PathLike[str], *, create: bool = False) -> Archive:
        """Open the archive at a path, or at an address such as ``postgresql://club@host/tablier``.

        :param create: make the file, or the tables, where there are none, and bring older ones up to date. Without it
            nothing is written.

        Raise :class:`ArchiveError` where that cannot be, or where a newer program has written.
        """
        where = os.fspath(where)
        shown, engine = _engine(where, create)
        archive = cls(shown, engine)
        try:
            with archive.explained():
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
    def on_server(self) -> bool:
        return self._engine.dialect.name == POSTGRESQL

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn a database's error into :class:`ArchiveError`."""
        try:
            yield
        except DBAPIError as error:
            why, *_ = str(error.orig).splitlines() or [""]  # the others say where in the server
            if error.connection_invalidated:
                text = "{where}: the connection was lost ({why}); run the command again"
                raise ArchiveError(text, where=self.where, why=why) from error
            raise ArchiveError("{where}: {why}", where=self.where, why=why) from error

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the archive throughout."""
        with self.explained(), self._engine.connect() as connection:
            if self.on_server:
                connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield connection

    @contextmanager
    def writing(self, club: str) -> Iterator[tuple[Connection, int]]:
        """Give a transaction in which one club's rows are written, and the club's id; commit at the end.

        Nobody else writes to that club meanwhile. Clubs do not wait for each other on a server.
        """
        with self.explained(), self._engine.begin() as connection:
            yield connection, _club(connection, club)

    def _prepare(self, create: bool) -> None:
        if create:
            with self._engine.begin() as connection:
                if self.on_server:  # others may be doing the same
                    connection.execute(text(f"SELECT pg_advisory_xact_lock({_MIGRATING})"))
                if self._is_behind(connection):
                    command.upgrade(_config(connection), "head")
            return
        with self._engine.connect() as connection:
            if self._is_behind(connection):
                raise ArchiveError(
                    "{where}: its tables are those of an older version; 'tablier archive add' brings them up to date",
                    where=self.where,
                )

    def _is_behind(self, connection: Connection) -> bool:
        """Return whether tables are missing or old. Raise :class:`ArchiveError` for a database of something else."""
        versions, known = MigrationContext.configure(connection).get_current_heads(), _scripts()
        others = set(inspect(connection).get_table_names()) - {"alembic_version"}
        if not versions and others & METADATA.tables.keys():
            raise ArchiveError("{where} is no archive: it has tables of something else", where=self.where)
        for version in versions:
            try:
                known.get_revision(version)
            except CommandError:
                raise ArchiveError(
                    "{where} was written by a newer version of Tablier, which knows tables of version {version}",
                    where=self.where,
                    version=version,
                ) from None
        return tuple(versions) != tuple(known.get_heads())


def _engine(where: str, create: bool) -> tuple[str, Engine]:
    """Return how an archive is named to people, and its engine. Raise :class:`ArchiveError`."""
    if not is_url(where):
        return where, _sqlite(Path(where), create)
    try:
        url = make_url(where)
    except ArgumentError:
        raise ArchiveError("{where} is no address; one is postgresql://NAME@HOST/DATABASE", where=where) from None
    shown = url.render_as_string(hide_password=True)
    if url.get_backend_name() != POSTGRESQL:
        raise ArchiveError("{where}: an archive is a file, or postgresql://NAME@HOST/DATABASE", where=shown)
    return shown, create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)


def _sqlite(path: Path, create: bool) -> Engine:
    if path.is_dir():
        raise ArchiveError("{path} is a folder; name a file for the archive", path=path)
    if not path.exists() and not create:
        raise ArchiveError("{path}: there is no archive; 'tablier archive add' makes one", path=path)
    if not path.parent.is_dir():
        raise ArchiveError("{path}: there is no folder {folder}", path=path, folder=path.parent)
    if create:
        with suppress(OSError):  # SQLite says what is wrong
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))  # the names of people are for nobody else
    url = URL.create("sqlite", database=str(path))
    engine = create_engine(url, connect_args={"timeout": _WAIT_S, "isolation_level": None})

    @event.listens_for(engine, "connect")
    def configure(connection: Any, record: Any) -> None:
        if create:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Who writes takes the lock at once: a transaction that has read cannot become a writer beside another.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if create else "BEGIN")

    return engine


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def upsert(connection: Connection, table: Any) -> Any:
    """Return an ``INSERT`` that can say what happens where the row is there already."""
    return (postgresql if connection.dialect.name == POSTGRESQL else sqlite).insert(table)


def _club(connection: Connection, name: str) -> int:
    """Return the id of a club, made for a new one, and keep other writers from it until the transaction ends."""
    new = upsert(connection, CLUB).values(name=name, counting=COUNTING).on_conflict_do_nothing()
    connection.execute(new)
    found = connection.execute(select(CLUB.c.id).where(CLUB.c.name == name).with_for_update()).scalar_one()
    return int(found)


__all__ = ["Archive", "ArchiveError", "is_url", "upsert"]
