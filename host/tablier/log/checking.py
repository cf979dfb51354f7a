"""Check that a log is whole: its chain, its pages, its tables."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tablier.log.chain import COLUMNS, GENESIS, LogError, Order, Row, canonical, link
from tablier.log.errors import ADVICE, DAMAGED, access_problem
from tablier.log.migrations import check_current


def verify(path: Path, db: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number of entries of a whole log and the hash of the last. Raise :class:`LogError` for any other."""
    check_current(path, db)
    return check_entries(path, db)


def check_entries(path: Path, db: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the same of a log of any format. Raise :class:`LogError` when entries or pages are damaged."""
    found = _check_chain(path, db)
    for (problem,) in db.execute("PRAGMA integrity_check(1)"):
        if problem != "ok":
            raise LogError(
                "{path}: damaged: {problem}; the entries themselves are whole; {advice}",
                path=path,
                problem=" ".join(problem.split()),
                advice=ADVICE,
            )
    return found


def _check_chain(path: Path, db: sqlite3.Connection) -> tuple[int, bytes]:
    """Return the number of entries and the hash of the last.

    Raise :class:`LogError` naming the first entry that is missing, changed or out of place.
    """
    previous, count, order = GENESIS, 0, Order()
    rows = db.execute(f"SELECT {COLUMNS} FROM entry ORDER BY n")
    while True:
        try:
            values = rows.fetchone()
        except sqlite3.DatabaseError as error:
            if access_problem(path, error) is not None:
                raise
            raise bad_entry(path, count + 1, f"cannot be read ({error})") from None
        if values is None:
            return count, previous
        row = Row(*values)
        count += 1
        if row.n != count:
            raise bad_entry(path, count, f"is missing (entry {row.n} stands in its place)")
        if not follows(row, previous):
            raise bad_entry(path, count, "is not what was written")
        previous = row.hash
        try:
            order.check(row)
            if canonical(row.entry().body) != row.body:  # a key that stands there twice, say
                raise ValueError("is not written as a log writes it")
        except ValueError as error:
            raise bad_entry(path, count, str(error)) from None


def bad_entry(path: Path, n: object, what: str) -> LogError:
    """Return the error that names a damaged entry."""
    return LogError("{path}: entry {n} {what}; the log is {damaged}", path=path, n=n, what=what, damaged=DAMAGED)


def follows(row: Row, previous: bytes) -> bool:
    """Return True if the row is the next link of the chain after that hash."""
    try:
        return row.hash == link(previous, row)
    except (TypeError, ValueError):
        return False
