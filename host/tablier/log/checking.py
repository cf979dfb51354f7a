"""Check that a log is whole: its chain, its pages, its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from tablier.log.chain import COLUMNS, START, Entry, LogUnsound, Order, Point, Row, is_canonical, link
from tablier.log.errors import ADVICE, DAMAGED, access_problem
from tablier.log.migrations import check_current

_AT_ONCE = 4096


def verify(path: Path, db: sqlite3.Connection) -> Point:
    """Return the last entry of a whole log. Raise :class:`LogError` for any other."""
    check_current(path, db)
    return check_entries(path, db)


def check_entries(path: Path, db: sqlite3.Connection) -> Point:
    """Return the last entry of a log of any format. Raise :class:`LogError` when entries or pages are damaged."""
    end = check_chain(path, db)
    check_pages(path, db)
    return end


def check_pages(path: Path, db: sqlite3.Connection) -> None:
    """Raise :class:`LogError` unless all pages fit together: each entry is in each index, and nothing else is."""
    for (problem,) in db.execute("PRAGMA integrity_check(1)"):
        if problem != "ok":
            raise LogUnsound(
                "{path}: damaged: {problem}; the entries themselves are whole; {advice}",
                path=path,
                problem=" ".join(problem.split()),
                advice=ADVICE,
            )


def check_chain(
    path: Path, db: sqlite3.Connection, after: Point = START, told: Callable[[], None] = lambda: None
) -> Point:
    """Return the last entry of the chain, which is checked from ``after`` on.

    ``told`` is called now and then: nothing of the log is held at these moments. Raise :class:`LogError` naming the
    first entry that is missing, changed or out of place.
    """
    order = order_after(db, after.n)
    while True:
        before = after
        for row, _ in checked(path, db, order, before, _AT_ONCE):
            after = Point(row.n, row.hash)
        if after == before:
            return after
        told()


def checked(path: Path, db: sqlite3.Connection, order: Order, after: Point, most: int) -> Iterator[tuple[Row, Entry]]:
    """Yield ``most`` entries or fewer that follow on ``after`` in the chain, each as stored and as read, and checked.

    Raise :class:`LogError` naming the first that is missing, changed or out of place.
    """
    count, previous = after
    # Entries with numbers below 1 are none that a log writes: they come first, and are in place of it.
    least = count + 1 if count else -(1 << 63)
    rows: sqlite3.Cursor | None = None
    while True:
        try:
            if rows is None:
                rows = db.execute(f"SELECT {COLUMNS} FROM entry WHERE n >= ? ORDER BY n LIMIT ?", (least, most))
            values = rows.fetchone()
        except sqlite3.DatabaseError as error:
            if access_problem(path, error) is not None:
                raise
            raise bad_entry(path, count + 1, f"cannot be read ({error})") from None
        if values is None:
            return
        row = Row(*values)
        count += 1
        if row.n != count:
            raise bad_entry(path, count, f"is missing (entry {row.n} stands in its place)")
        if not follows(row, previous):
            raise bad_entry(path, count, "is not what was written")
        previous = row.hash
        try:
            order.check(row)
            entry = row.entry()
            if not is_canonical(row.body, entry.body):  # a key that stands there twice, say
                raise ValueError("is not written as a log writes it")
        except ValueError as error:
            raise bad_entry(path, count, str(error)) from None
        yield row, entry


def order_after(db: sqlite3.Connection, n: int) -> Order:
    """Return the order of the entries after a number."""
    if not n:
        return Order()
    latest = "SELECT {} FROM entry WHERE {} AND n <= ? ORDER BY {} DESC LIMIT 1"
    games = db.execute(latest.format("game", "kind = 'game'", "n"), (n,)).fetchone()

    def last_of(boot: str | None) -> int:
        found = db.execute(latest.format("number", "boot = ?", "number"), (boot, n)).fetchone()
        return int(found[0]) if found else 0

    return Order(int(games[0]) if games else 0, last_of)


def holds(db: sqlite3.Connection, point: Point) -> bool:
    """Return whether a log holds an entry of that number and hash."""
    found: object = db.execute("SELECT hash FROM entry WHERE n = ?", (point.n,)).fetchone()
    return found == (point.hash,)


def bad_entry(path: Path, n: object, what: str) -> LogUnsound:
    """Return the error that names a damaged entry."""
    return LogUnsound("{path}: entry {n} {what}; the log is {damaged}", path=path, n=n, what=what, damaged=DAMAGED)


def follows(row: Row, previous: bytes) -> bool:
    """Return True if the row is the next link of the chain after that hash."""
    try:
        return row.hash == link(previous, row)
    except (TypeError, ValueError):
        return False
