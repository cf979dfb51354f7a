"""Measure how fast moves become durable, beside SQLite alone."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from tablier.log.store import Log

from . import verdict

LEAST = 0.5
MOVES = 400  # of each kind in each round
ROUNDS = 5
BOOT = "0123456789abcdef"


def durable_moves_per_second(path: Path) -> tuple[float, float]:
    """Ours, and those of a bare loop that commits the same rows; medians of rounds taken in turns.

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

        ours: list[float] = []
        bares: list[float] = []
        number = 0
        for _ in range(ROUNDS):
            for commit, rates in ((commit_ours, ours), (commit_bare, bares)):
                begun = perf_counter()
                for _ in range(MOVES):
                    number += commit is commit_ours
                    commit(number)
                rates.append(MOVES / (perf_counter() - begun))
    bare.close()
    return median(ours), median(bares)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = durable_moves_per_second(Path(folder))
    print(f"Durable moves a second, one transaction each, {MOVES} a run, medians of {ROUNDS} runs")
    print(
        f"  our log {ours:10,.0f}    bare SQLite loop {bare:10,.0f}    ratio {ours / bare:.2f}"
        f" (limit: {LEAST}: {verdict(ours / bare >= LEAST)})"
    )
