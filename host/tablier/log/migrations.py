"""The format of a log, and the changes that bring an older file up to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from struct import Struct

from tablier.log.chain import LogError, LogUnsound
from tablier.log.connection import snapshot, transaction
from tablier.log.errors import DAMAGED, NO_LOG

APPLICATION_ID = 0x5461_626C  # "Tabl", at byte 68 of the file

_MAGIC = b"SQLite format 3\0"
_HEADER = Struct(">60xi4xI")  # of the file: user_version at byte 60, application_id at byte 68
_SIZE = Struct(">16xH6xII60xI")  # bytes of a page, a counter of changes, pages, and the counter when these were counted
HEADER_BYTES = _SIZE.size
_NAME_MAX = 40

_HEADINGS_WITHOUT_ROOMS = (
    "kind IN ('begins', 'came', 'closed', 'end', 'evening', 'game', 'series', 'sits', 'takeback', 'went')"
)
_HEADINGS_WITHOUT_ABANDONED = (
    "kind IN ('begins', 'came', 'closed', 'door', 'end', 'evening', 'game', 'key', 'organiser', 'series', 'sits',"
    " 'takeback', 'went')"
)
_HEADINGS_LISTED = (
    "kind IN ('abandoned', 'begins', 'came', 'closed', 'door', 'end', 'evening', 'game', 'key', 'organiser', 'series',"
    " 'sits', 'takeback', 'went')"
)
_KINDS_OF_HEADINGS = (
    *("game", "end", "abandoned", "begins", "came", "closed", "door", "evening", "key", "organiser", "series", "sits"),
    *("takeback", "went"),
)
HEADINGS = "(" + " OR ".join(f"kind = '{kind}'" for kind in _KINDS_OF_HEADINGS) + ")"
"""What SQLite has to be told of the entries that say what games and evenings there are, to find them by their index."""

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
    (
        "people",
        # Beside the chain: entries name people by id, so that a name can change and the log still verifies. No index
        # on names: one copy of each is enough to forget.
        (
            "CREATE TABLE person (id TEXT PRIMARY KEY, name TEXT, into_id TEXT) STRICT",
            # What opens the hashes with which games bind the names of their people.
            "CREATE TABLE played_as (id TEXT NOT NULL, name TEXT NOT NULL, salt TEXT NOT NULL,"
            " PRIMARY KEY (id, name)) STRICT",
        ),
    ),
    (
        "games",
        # A season is half a million entries, and what is asked for is one game, or how many moves each has.
        ("CREATE INDEX games ON entry (game, kind)",),
    ),
    (
        "settings",
        # Beside the chain: how loud and how bright a table is belongs to no game.
        (
            "CREATE TABLE setting (board TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL,"
            " PRIMARY KEY (board, name)) STRICT",
        ),
    ),
    (
        "writers",
        # Beside the chain: a row without a number while somebody writes (tablier.log.writing).
        ("CREATE TABLE unclosed (after INTEGER) STRICT",),
    ),
    (
        "headings",
        # Lists need a few entries of each game and the number of its moves; an index by games is enough for one game.
        (
            "DROP INDEX games",
            "CREATE INDEX games ON entry (game)",
            "CREATE INDEX moves ON entry (game) WHERE kind = 'move'",
            f"CREATE INDEX headings ON entry (kind) WHERE {_HEADINGS_WITHOUT_ROOMS}",
        ),
    ),
    (
        "rooms",
        # Keys, organisers and doors of evenings.
        (
            "DROP INDEX headings",
            f"CREATE INDEX headings ON entry (kind) WHERE {_HEADINGS_WITHOUT_ABANDONED}",
        ),
    ),
    (
        "languages",
        # In which somebody reads, as a tag; kept with the name, and forgotten with it.
        ("ALTER TABLE person ADD COLUMN language TEXT",),
    ),
    (
        "short",
        # New entries are stored in a short form (tablier.log.storing), which older programs cannot read.
        (),
    ),
    (
        "ended",
        # Beside the chain: what lists say of games that are over (tablier.log.ended). Headings are read in order, and
        # the moves are counted of single games alone.
        (
            "CREATE TABLE ended (game INTEGER PRIMARY KEY, info TEXT NOT NULL, seats TEXT NOT NULL) STRICT",
            "DROP INDEX moves",
            "DROP INDEX headings",
            f"CREATE INDEX headings ON entry (n) WHERE {_HEADINGS_WITHOUT_ABANDONED}",
        ),
    ),
    (
        "abandoned",
        # Games that were begun by mistake.
        (
            "DROP INDEX headings",
            f"CREATE INDEX headings ON entry (n) WHERE {_HEADINGS_LISTED}",
        ),
    ),
    (
        "changes",
        # Beside the chain, for what stands there: which of two copies with the same entries is the later one.
        ("CREATE TABLE change (n INTEGER PRIMARY KEY, id BLOB NOT NULL) STRICT",),
    ),
    (
        "evenings",
        # Beside the chain: every evening as it stands, and up to which entry (tablier.log.evening_rows).
        (
            "CREATE TABLE evening (number INTEGER PRIMARY KEY, begun INTEGER NOT NULL, changed INTEGER NOT NULL,"
            " live INTEGER NOT NULL, said TEXT NOT NULL, games TEXT NOT NULL) STRICT",
            "CREATE UNIQUE INDEX begun ON evening (begun)",
            "CREATE INDEX live ON evening (number) WHERE live",
            "CREATE TABLE evenings (entry INTEGER NOT NULL, series INTEGER NOT NULL) STRICT",
        ),
    ),
    (
        "compared",
        # Of a list after IN, SQLite makes a table anew for each entry that is written, and for each that is checked.
        (
            "DROP INDEX headings",
            f"CREATE INDEX headings ON entry (n) WHERE {HEADINGS}",
        ),
    ),
)
"""Name and statements of every change of the format, oldest first. One that was released is never edited."""

FORMAT = len(MIGRATIONS)
"""The format that this program reads and writes, kept in the file as ``user_version``."""


def migrate(db: sqlite3.Connection) -> None:
    """Bring the format up to :data:`FORMAT`: each change in the transaction that records its name."""
    _migrate(db, MIGRATIONS)


def make_tables(db: sqlite3.Connection) -> None:
    """Make the tables of a new log, in one transaction: nothing can be in it before all are there."""
    with transaction(db):
        for number, (name, statements) in enumerate(MIGRATIONS, 1):
            _change(db, number, name, statements)


def _migrate(db: sqlite3.Connection, migrations: Sequence[tuple[str, tuple[str, ...]]]) -> None:
    version = _version(db)
    for number, (name, statements) in enumerate(migrations[version:], version + 1):
        with transaction(db):
            _change(db, number, name, statements)


def _change(db: sqlite3.Connection, number: int, name: str, statements: Sequence[str]) -> None:
    if number == 1:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT")
    for statement in statements:
        db.execute(statement)
    db.execute("INSERT INTO migration VALUES (?, ?)", (number, name))
    db.execute(f"PRAGMA user_version = {number}")


_Tables = dict[tuple[str, str], tuple[str, str | None]]
_Changes = list[tuple[int, str]]


def check_tables(path: Path, db: sqlite3.Connection) -> None:
    """Raise :class:`LogError` unless a log of a format that is known has its tables and indices, and nothing else.

    Read nothing else of a file before: a view in the place of a table may have no end, and a trigger does whatever its
    author wanted.
    """
    with snapshot(db):
        check_version(path, db)
        tables, changes = _made_by(MIGRATIONS[: _version(db)])
        found = _tables(db, len(tables) + 1)
        differs = [each for each in (*found, *tables) if found.get(each) != tables.get(each)]
        if not differs and _changes(db, len(changes) + 1) != changes:
            differs = [("table", "migration")]
    if differs:
        raise LogUnsound(
            "{path}: its tables are not those of a log: {first} was added, changed or removed; undo that with the"
            " program that did it, or go back to a copy made by 'tablier log backup'",
            path=path,
            first=" ".join(str(word)[:_NAME_MAX] for word in differs[0]),
        )


@cache
def _made_by(migrations: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[_Tables, _Changes]:
    """Return what :func:`_tables` and :func:`_changes` find in a log that these changes have made."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        _migrate(db, migrations)
        return _tables(db), _changes(db)


def _tables(db: sqlite3.Connection, limit: int = -1) -> _Tables:
    """Return the tables of each name and all else in the schema of a file: at most ``limit`` of them."""
    schema = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema LIMIT ?", (limit,))
    return {(type, name): (of, sql) for type, name, of, sql in schema}


def _changes(db: sqlite3.Connection, limit: int = -1) -> _Changes:
    """Return which changes have made a log: at most ``limit`` of them."""
    return db.execute("SELECT number, name FROM migration ORDER BY number LIMIT ?", (limit,)).fetchall()


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def check_version(path: Path, db: sqlite3.Connection) -> None:
    """Raise :class:`LogError` for a log of a format that this program does not know."""
    _check_format(path, _version(db), least=1)


def is_current(db: sqlite3.Connection) -> bool:
    """Return whether a log, whose tables were checked, has the format of this program."""
    return _version(db) == FORMAT


def check_header(path: Path, header: bytes) -> None:
    """Raise :class:`LogError` unless the first bytes of a file say that it is a log of a format that is known.

    Only what a checkpoint that was cut short cannot have made wrong is looked at: the application id, the same in every
    version of the first page, and the format, which never falls.
    """
    if len(header) < HEADER_BYTES or not header.startswith(_MAGIC):
        raise LogError("{path}: {why}", path=path, why=NO_LOG)
    version, application = _HEADER.unpack_from(header)
    if application != APPLICATION_ID:
        raise LogError("{path}: not a log of tablier but another SQLite file", path=path)
    _check_format(path, version, least=0)


def least_size(header: bytes) -> int:
    """Return the size in bytes that the first ones of a file say it has, if its ``-wal`` is empty; 0 for unknown."""
    page, changes, pages, counted = _SIZE.unpack(header)
    return (page if page > 1 else 1 << 16) * pages if changes == counted else 0


def _check_format(path: Path, version: int, least: int) -> None:
    if version > FORMAT:
        raise LogError(
            "{path}: written by a newer tablier (format {version}; this one knows up to {known}); update tablier",
            path=path,
            version=version,
            known=FORMAT,
        )
    if version < least:
        raise LogUnsound("{path}: {damaged} (it claims format {version})", path=path, damaged=DAMAGED, version=version)
