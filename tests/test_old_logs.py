"""Logs of earlier formats: they are read, verified and played on as if this program had written them."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from at_screens import Screens
from replying import by_chance
from tablier.cli.main import main
from tablier.judge.verification import verify
from tablier.log.chain import LogError
from tablier.log.store import Log
from tablier.table.clock import LifeClock

HEAD = "8f1377fc37d7312dfebe03d5311e9b893ce30f32d52709702b11c0bff1e503b1"
ENTRIES = 182
STOOD = ["p1 f2-f1", "p2 c8-g4", "p1 c3-c4", "p2 f8-i5", "p1 d3-b1", "p2 i5-f2"]
"""The moves of its second game, which was interrupted."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A log of format 8, in which every entry was stored in full."""
    path = tmp_path / "log.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript((Path(__file__).parent / "old" / "format_8.sql").read_text())
    return path


def test_what_only_reads_reads_it_and_leaves_it_as_it_is(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = old.read_bytes()
    copy, archive = old.with_name("copy.db"), old.with_name("archive.db")
    for words in (
        "log list",
        "log show",
        "log show 1",
        "log export 1",
        "log standings",
        "log verify",
        f"log backup {copy}",
    ):
        assert main([*words.split(), "--log", str(old)]) == 0, words
    assert main(["archive", "add", str(old), "--to", str(archive), "--club", "Beaune"]) == 0
    out, err = capsys.readouterr()
    assert not err and HEAD in out and "1  " in out
    assert old.read_bytes() == before
    assert main(["log", "restore", str(old), "--yes", "--log", str(old.with_name("restored.db"))]) == 0
    for each in ("copy.db", "restored.db"):
        with Log.read(old.with_name(each)) as log:
            assert log.verify(HEAD) == ENTRIES == log.last_entry


def test_who_brings_it_up_to_date_is_told_once(old: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        Log.open(old, told=lambda text: told.append(str(text))).close()
    assert len(told) == 1 and "was of an older tablier and is brought up to date" in told[0]


def test_it_verifies_resumes_and_verifies_again(old: Path) -> None:
    with Log.open(old) as log:
        assert (log.head, log.last_entry) == (HEAD, ENTRIES)
        assert [(info.game, info.moves, info.ended is not None) for info in log.games()] == [
            ("dilemma", 44, True),
            ("d21", 6, False),
        ]
        assert log.moves(2) == STOOD
        assert not verify(log).report.wrong
        room = Screens(log, 2, LifeClock(), (1, 2))
        room.play_until(len(STOOD) + 4, by_chance(random.Random(1)))
        assert log.moves(2)[: len(STOOD)] == STOOD and len(log.moves(2)) == len(STOOD) + 4
    with Log.read(old) as log:
        verified = verify(log, HEAD)
        assert not verified.report.wrong and verified.report.games == 2
        assert log.entry_with(HEAD) == ENTRIES


@pytest.mark.parametrize("n", [3, ENTRIES - 1, ENTRIES])
def test_a_change_in_what_was_stored_in_full_is_found(old: Path, n: int) -> None:
    Log.open(old).close()
    with closing(sqlite3.connect(old)) as db, db:
        db.execute("UPDATE entry SET at = replace(at, '2026', '2025') WHERE n = ?", (n,))
    with Log.read(old) as log, pytest.raises(LogError, match=f"entry {n} is not what was written"):
        log.verify()
