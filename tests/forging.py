"""Logs that no program wrote: entries of one's own, in a chain of hashes that is sound; and files that were changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tablier.judge.verification import verify
from tablier.log.chain import GENESIS, Entry, LogError, Row, canonical, digest_of, link
from tablier.log.store import Log


def stored(path: Path, entries: Iterable[Entry]) -> Path:
    """Write a log that holds these entries, numbered anew. A body may be a string, stored as it is."""
    Log.open(path).close()
    db = sqlite3.connect(path)
    head = GENESIS
    for n, entry in enumerate(entries, 1):
        text = entry.body if isinstance(entry.body, str) else canonical(entry.body)
        row = Row(n, entry.game, entry.at, entry.kind, text, entry.boot, entry.number)
        head = link(head, row)
        db.execute(
            "INSERT INTO entry (n, game, at, kind, body, boot, number, hash) VALUES (?,?,?,?,?,?,?,?)",
            (*row, head),
        )
    db.commit()
    db.close()
    return path


def edit(path: Path, sql: str, *values: object) -> None:
    """Change the file of a log behind its back."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(sql, values)


def assert_refused(path: Path, says: str) -> None:
    """Assert that a log is refused where it is verified, by itself and with its games, with these words."""
    with Log.read(path) as log:
        with pytest.raises(LogError, match=says):
            log.verify()
        with pytest.raises(LogError, match=says):
            verify(log)


def headed(
    entries: Sequence[Entry], change: Callable[[dict[str, Any]], dict[str, Any]], game: int | None = 1
) -> list[Entry]:
    """Return a log in which a game has another heading, and a seed that was drawn for it."""
    head, *_ = [entry.body for entry in entries if entry.kind == "game" and entry.game == game]
    body = change(dict(head))

    def bent(entry: Entry) -> Entry:
        if entry.game != game or entry.kind not in ("game", "seed"):
            return entry
        if entry.kind == "game":
            return replace(entry, body=body)
        try:
            digest = digest_of(body, entry.body["seed"])
        except (TypeError, ValueError):  # an earlier edit has left no seed
            return entry
        return replace(entry, body={**entry.body, "heading": digest})

    return [bent(entry) for entry in entries]
