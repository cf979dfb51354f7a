"""How fast moves become durable, beside SQLite alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from tablier.log import Log

MOVES = 400  # of each kind in each round
ROUNDS = 3
BOOT = "0123456789abcdef"


def durable_moves_per_second(path: Path) -> tuple[float, float]:
    """Ours, and those of a bare loop that commits the same rows; the best round of each, taken in turns.

    ``path`` is an empty folder on the disk that is to be measured; two files are left there.
    """
    path.mkdir(parents=True, exist_ok=True)
    bare = sqlite3.connect(path / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE entry (n INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    text = "x" * 150  # about what an entry of ours has

    def commit_bare(_: int) -> None:
        bare.execute("BEGIN IMMEDIATE")
        bare.execute("INSERT INTO entry (text) VALUES (?)", (text,))
        bare.execute("COMMIT")

    with Log.open(path / "log.db") as log:
        game = log.begin_game("dilemma", {}, [{"name": name, "place": 1, "source": "table"} for name in "ABC"])

        def commit_ours(number: int) -> None:
            log.append(game, "move", {"text": "p2 throw 3 flat", "by": "table"}, (BOOT, number))

        ours = bares = 0.0
        for number in range(ROUNDS):
            ours = max(ours, _rate(commit_ours, number))
            bares = max(bares, _rate(commit_bare, number))
    bare.close()
    return ours, bares


def _rate(commit: Callable[[int], None], number: int) -> float:
    start = perf_counter()
    for move in range(number * MOVES + 1, (number + 1) * MOVES + 1):
        commit(move)
    return MOVES / (perf_counter() - start)
