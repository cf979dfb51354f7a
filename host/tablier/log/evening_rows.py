"""A row for each evening, beside the chain, so that nobody has to read all entries to know the few that are open.

A row follows from the entries of its evening, and is written in the transaction of those that change it. One more row
says up to which entry they stand for the log; without it, evenings are read from their entries. So nothing is lost with
the tables, and ``verify`` refuses rows that do not follow.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from tablier.log.chain import LogUnsound, decoded
from tablier.log.errors import explain_errors
from tablier.log.evenings import FOLDED, Evening, Evenings, Played, Standing
from tablier.log.migrations import HEADINGS
from tablier.texts import TextError

T = TypeVar("T")
_ASCII = json.JSONEncoder(separators=(",", ":"))  # names in another order would be said in another order
_EVENING = msgspec.json.Decoder(Evening)
_GAMES = msgspec.json.Decoder(tuple[Played, ...])
_CHANGES = f"{HEADINGS} AND kind IN ({', '.join(map(repr, FOLDED))})"
"""The entries from which evenings follow; the first half has SQLite find them by their index."""


class Row(NamedTuple):
    """The row of an evening."""

    number: int
    begun: int
    """The number of the entry that began it."""
    changed: int
    """The number of the last entry that has changed it."""
    live: int
    """1 while it is open, or a game of it is not over."""
    said: str
    games: str


def row_of(standing: Standing, begun: int, changed: int) -> Row:
    """Return the row of an evening, in which people have the ids that entries have. Raise ``ValueError`` for one of
    which a row would not say the same, as of entries that somebody made."""
    evening = standing.evening
    said = _ASCII.encode(evening._replace(organisers=sorted(evening.organisers)))  # type: ignore[arg-type]
    games = _ASCII.encode(standing.games)
    if (decoded(_EVENING, said), decoded(_GAMES, games)) != standing:
        raise ValueError(f"evening {evening.number} cannot be kept")
    return Row(evening.number, begun, changed, int(standing.is_live), said, games)


def is_complete(db: sqlite3.Connection) -> bool:
    """Return whether the rows stand for all entries."""
    kept = db.execute("SELECT entry FROM evenings WHERE entry <= (SELECT max(n) FROM entry)").fetchall()
    if len(kept) != 1:
        return False
    return db.execute(f"SELECT 1 FROM entry WHERE n > ? AND {_CHANGES} LIMIT 1", kept[0]).fetchone() is None


class Rows:
    """The evenings of a log by their rows, which stand for all entries (:class:`tablier.log.evenings.Shelf`).

    Raise :class:`LogError` for a file that cannot be read, and for a row that says nothing.
    """

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self._path = path
        self._db = db
        self.series: int = db.execute("SELECT series FROM evenings").fetchone()[0]
        self.last: int = db.execute("SELECT coalesce(max(number), 0) FROM evening").fetchone()[0]

    def get(self, number: int) -> Standing | None:
        found = self._found("SELECT number, said, games FROM evening WHERE number = ?", number)
        return None if found is None else self._standing(*found)

    def of_game(self, game: int) -> int | None:
        named = "SELECT n, json_extract(body, '$.evening') FROM entry WHERE game = ? ORDER BY n LIMIT 1"
        begun = self._found(named, game)
        if begun is None or type(begun[1]) is int:
            return None if begun is None else begun[1]
        found = self._found("SELECT number FROM evening WHERE begun = ?", begun[0])
        return None if found is None else int(found[0])

    def live(self) -> list[Standing]:
        """Return the evenings that are open or have games that are not over, in the order in which they began."""
        with explain_errors(self._path):
            return [self._standing(*row) for row in self._db.execute(LIVE)]

    def between(self, first: int, last: int) -> list[Evening]:
        """Return the evenings with these numbers, in order."""
        with explain_errors(self._path):
            return [self._read(number, _EVENING, said) for number, said in self._db.execute(BETWEEN, (first, last))]

    def entries(self, number: int) -> tuple[int, int]:
        """Return the numbers of the first and the last entry of an evening that has begun."""
        found = self._found("SELECT begun, changed FROM evening WHERE number = ?", number)
        return found or (1, 0)

    def _found(self, statement: str, value: int) -> tuple[Any, ...] | None:
        with explain_errors(self._path):
            found: tuple[Any, ...] | None = self._db.execute(statement, (value,)).fetchone()
        return found

    def _standing(self, number: int, said: str, games: str) -> Standing:
        return Standing(self._read(number, _EVENING, said), self._read(number, _GAMES, games))

    def _read(self, number: int, decoder: msgspec.json.Decoder[T], text: str) -> T:
        try:
            return decoded(decoder, text)
        except ValueError as error:
            about = {"path": self._path, "evening": number, "error": error}
            raise LogUnsound("{path}: what it says of evening {evening} is damaged ({error})", **about) from None


LIVE = "SELECT number, said, games FROM evening WHERE live ORDER BY number"
BETWEEN = "SELECT number, said FROM evening WHERE number BETWEEN ? AND ? ORDER BY number"


def put(db: sqlite3.Connection, evenings: Evenings, entry: int) -> None:
    """Write the rows of all evenings that entries up to this one have changed. Raise ``ValueError`` where a row would
    not say the same."""
    for number, changed in sorted(evenings.changed.items()):
        begun = evenings.begun.get(number)
        if begun is None:
            (begun,) = db.execute("SELECT begun FROM evening WHERE number = ?", (number,)).fetchone()
        row = row_of(evenings.standing(number), begun, changed)
        db.execute("INSERT OR REPLACE INTO evening VALUES (?, ?, ?, ?, ?, ?)", row)
    db.execute("DELETE FROM evenings")
    db.execute("INSERT INTO evenings VALUES (?, ?)", (entry, evenings.last_series))


def clear(db: sqlite3.Connection) -> None:
    """Remove all rows: evenings are read from their entries."""
    db.execute("DELETE FROM evenings")
    db.execute("DELETE FROM evening")


def check(db: sqlite3.Connection, follow: Callable[[], Evenings]) -> None:
    """Raise ``ValueError`` for rows that do not follow. ``follow`` returns the evenings, read from all entries, or
    raises :class:`LogUnsound`."""
    marks = db.execute("SELECT series FROM evenings").fetchall()
    rows = {row[0]: row for row in db.execute("SELECT * FROM evening")}
    follows: dict[int, tuple[Any, ...]] = {}
    if marks:
        try:
            evenings = follow()
            for number, changed in evenings.changed.items():
                follows[number] = tuple(row_of(evenings.standing(number), evenings.begun[number], changed))
        except (LogUnsound, ValueError):
            follows.clear()
    for number in sorted({*rows, *follows}):
        if rows.get(number) != follows.get(number):
            raise TextError("what it says of evening {evening} does not follow from its entries", evening=number)
    if marks and (not follows or marks != [(evenings.last_series,)] or not is_complete(db)):
        raise TextError("what it says of its evenings does not follow from its entries")


__all__ = ["Row", "Rows", "check", "clear", "is_complete", "put", "row_of"]
