"""The note in a log that somebody is writing to it, and what follows from one that is found without a ``-wal``.

SQLite moves what was logged from the ``-wal`` into the file now and then. A file that was copied by itself meanwhile,
or whose ``-wal`` was deleted after a crash, is whole as far as it goes, and nothing in it says that more was confirmed.
So a writer notes that it writes, in the file itself, before it logs anything, and removes the note when it closes;
while the note stands the ``-wal`` is never empty.
"""

from __future__ import annotations

import sqlite3

from tablier.log.connection import transaction
from tablier.texts import Text


def is_noted(db: sqlite3.Connection) -> bool:
    """Return whether somebody writes to a log, or was killed while writing."""
    return db.execute("SELECT 1 FROM unclosed WHERE after IS NULL").fetchone() is not None


def note_writer(db: sqlite3.Connection, *, lost: bool) -> None:
    """Note that this process writes. ``lost``: an earlier note was found without its ``-wal``, which is kept."""
    if lost:
        note_loss(db)
    elif is_noted(db):  # of one that was killed
        return
    with transaction(db):
        db.execute("INSERT INTO unclosed VALUES (NULL)")
    db.execute("PRAGMA wal_checkpoint(PASSIVE)")  # into the file; the -wal keeps it too


def note_loss(db: sqlite3.Connection) -> None:
    """Turn the note of a writer into one of what may be lost."""
    with transaction(db):
        db.execute("UPDATE unclosed SET after = (SELECT coalesce(max(n), 0) FROM entry) WHERE after IS NULL")


def remove_note(db: sqlite3.Connection) -> None:
    """Remove the note of a writer: everything that it wrote is there."""
    with transaction(db):
        db.execute("DELETE FROM unclosed WHERE after IS NULL")


def closed(db: sqlite3.Connection) -> bool:
    """:func:`remove_note`; return False where that cannot be, so that the ``-wal`` must stay."""
    try:
        remove_note(db)
    except sqlite3.Error:
        return False
    return True


def losses(db: sqlite3.Connection, *, now: bool) -> list[Text]:
    """Return what may be missing in a log, a sentence without its full stop each. ``now``: its ``-wal`` is."""
    found = db.execute("SELECT after FROM unclosed WHERE after IS NOT NULL ORDER BY after").fetchall()
    if now:
        found += db.execute("SELECT coalesce(max(n), 0) FROM entry").fetchall()
    text = (
        "entries after entry {after} may be missing: the file was taken without its -wal while somebody was writing to"
        " it; 'tablier log backup' copies both"
    )
    return [Text(text, {"after": after}) for (after,) in found]
