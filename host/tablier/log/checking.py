"""Check that a log is whole: its chain, its pages, its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tablier.log.chain import (
    COLUMNS,
    GENESIS,
    START,
    Columns,
    Entry,
    LogUnsound,
    Order,
    Point,
    damaged_by,
    link,
    read_canonical,
)
from tablier.log.errors import ADVICE, DAMAGED, access_problem, said_by
from tablier.log.migrations import check_tables
from tablier.log.storing import CHANGED, PART_BYTES, WHOLE_AMONG, is_whole, unpack_body, unpack_time
from tablier.texts import Text, TextError, text_of

_AT_ONCE = 4096


def verify(path: Path, db: sqlite3.Connection) -> Point:
    """Return the last entry of a whole log. Raise :class:`LogError` for any other."""
    check_tables(path, db)
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
        for entry in checked(path, db, order, before, _AT_ONCE):
            after = Point(entry.n, bytes.fromhex(entry.hash))
        if after == before:
            return after
        told()


def checked(path: Path, db: sqlite3.Connection, order: Order, after: Point, most: int) -> Iterator[Entry]:
    """Yield ``most`` entries or fewer that follow on ``after`` in the chain, each checked and with its whole hash.

    Raise :class:`LogError` naming the first that is missing, changed or out of place.
    """
    # Entries with numbers below 1 are none that a log writes: they come first, and are in place of it.
    least = after.n + 1 if after.n else -(1 << 63)
    count, previous = after
    try:
        for values in db.execute(f"SELECT {COLUMNS} FROM entry WHERE n >= ? ORDER BY n LIMIT ?", (least, most)):
            count += 1
            if values[0] != count:
                what = Text("is missing (entry {other} stands in its place)", {"other": values[0]})
                raise bad_entry(path, count, what)
            try:
                (n, game, at, kind, text, boot, number), previous = follower(values, previous)
                order.check(kind, game, boot, number)
                body = read_canonical(text)
            except (AttributeError, TypeError) as error:
                raise bad_entry(path, count, damaged_by(error), values[1]) from None
            except ValueError as error:
                raise bad_entry(path, count, text_of(error), values[1]) from None
            yield Entry(n, game, at, kind, body, previous.hex(), boot, number)
    except sqlite3.DatabaseError as error:
        if access_problem(path, error) is not None:
            raise
        what = Text("cannot be read ({says})", {"says": said_by(error)})
        raise bad_entry(path, count + 1, what) from None


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
    return hash_of(db, point.n) == point.hash


def hash_of(db: sqlite3.Connection, n: int) -> bytes | None:
    """Return the whole hash of an entry, which follows from the entries before where only a part is stored; ``None`` if
    there is no such entry, or it does not follow."""
    rows: list[tuple[Any, ...]] = []
    latest = f"SELECT {COLUMNS} FROM entry WHERE n <= ? ORDER BY n DESC LIMIT ?"
    for values in db.execute(latest, (n, WHOLE_AMONG)):
        rows.append(values)
        if is_whole(values[-1]):
            break
    if not rows or rows[0][0] != n or not is_whole(digest := rows.pop()[-1]):
        return None
    for values in reversed(rows):
        try:
            _, digest = follower(values, digest)
        except ValueError:
            return None
    return bytes(digest)


def bad_entry(path: Path, n: object, what: Text, game: object = None) -> LogUnsound:
    """Return the error that names a damaged entry, and the game that it says it is of."""
    if type(game) is int:
        text = "{path}: entry {n} {what}, in game {game}; the log is {damaged}"
        return LogUnsound(text, path=path, n=n, game=game, what=what, damaged=DAMAGED)
    return LogUnsound("{path}: entry {n} {what}; the log is {damaged}", path=path, n=n, what=what, damaged=DAMAGED)


def follower(values: Sequence[Any], previous: bytes) -> tuple[Columns, bytes]:
    """Return the columns of the row that is stored, and its whole hash. Raise ``ValueError`` unless it is the next link
    of the chain after the hash ``previous``."""
    n, game, at, kind, body, boot, number, stored = values
    try:
        row = n, game, unpack_time(at), kind, unpack_body(body), boot, number
        digest = link(previous, row)
    except (AttributeError, TypeError, ValueError):  # of a file that somebody made
        raise TextError(CHANGED) from None
    if stored != digest and stored != digest[:PART_BYTES]:
        raise TextError(CHANGED)
    return row, digest


def check_last(db: sqlite3.Connection) -> Point | None:
    """Return the last entry, as far as it shows by itself; ``None`` where it is not whole: nothing is to be built on
    one that is not."""
    rows = db.execute(f"SELECT {COLUMNS} FROM entry ORDER BY n DESC LIMIT 2").fetchall()
    if not rows:
        return START
    previous = hash_of(db, rows[1][0]) if len(rows) > 1 else GENESIS
    if previous is None:
        return None
    try:
        return Point(rows[0][0], follower(rows[0], previous)[1])
    except ValueError:
        return None
