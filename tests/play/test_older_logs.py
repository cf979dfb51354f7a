"""A log that is older than its table: a backup that was put back, or a ``-wal`` that is damaged and so shorter.

Nothing in such a log shows it. The table, as long as it runs, knows how far it was told that this log is durable.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playing import PLACES, a_table, bodies

import replies
from crowd import crowd_at
from ports import Stopped, open_desk, play_at, until
from sample import sample, thorough
from tablier.cli.main import main
from tablier.course.asides import RESUME
from tablier.course.chance import Sources
from tablier.course.seats import AT_TABLE, Seat
from tablier.judge.audit import examine
from tablier.keeper.desk import Desk
from tablier.log.bodies import check
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import seats_of
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.texts import render

NAMES = ("Anne", "Bernard")
SEATED = [Seat(name, place, AT_TABLE) for name, place in zip(NAMES, PLACES, strict=False)]
MOVES = 7
"""So many are in a log before it is damaged."""
ROLLS = Sources(("roll", "roll"), "host")


class Evening:
    """Games at one table that is never restarted, until a test says so."""

    def __init__(self, path: Path, table: SimulatedTable) -> None:
        self.path = path
        self.table = table
        self.updates: list[Update] = []

    @property
    def told(self) -> list[str]:
        return [render(news.text, NAMES) for update in self.updates for news in update.news]

    def play(self, moves: int, hook: Callable[[Conductor, Desk], float] | None = None, people: bool = True) -> None:
        """Resume game 1 until it has this many moves, or is over; ``hook`` may do something else in each round."""
        self.updates.clear()
        with (
            Log.open(self.path) as log,
            open_desk(seats_of(log.game(1)), self.table.port, virtual=True, seed=7) as keeper,
        ):
            act = crowd_at(keeper, dict.fromkeys((1, 2), "random"), watch=self.updates.append)

            def work(running: Conductor) -> float:
                wait = hook(running, keeper) if hook else 1.0
                return min(wait, act()) if people else wait

            with suppress(Stopped):
                play_at(keeper, log, 1, hook=until(moves, work))


def started(path: Path, game: str, sources: Sources | None = None) -> None:
    options = {"max_plies": 30} if game == "d21" else {}
    with Log.open(path) as log:
        begin(log, game, options, SEATED, seed="5e" * 32, sources=sources)


@pytest.mark.parametrize(("game", "sources"), sample([("d21", None)], [("d21", None), ("struggle", ROLLS)]))
def test_a_backup_that_is_put_back_says_what_is_missing_and_asks_before_it_goes_on(
    game: str, sources: Sources | None, tmp_path: Path
) -> None:
    path, backup = tmp_path / "log.db", tmp_path / "backup.db"
    started(path, game, sources)
    with a_table(seed=5) as table:
        evening = Evening(path, table)
        evening.play(6 if sources else 3)
        with Log.read(path) as log:
            log.backup(backup)
            kept = log.moves(1)
        evening.play(12 if sources else 7)
        with Log.read(path) as log:
            taken = list(log.entries(1))
            boot = bodies(taken, "table", "hello")[0]["boot"]
            last = log.cursor(boot)
            rolls = len(bodies(taken, "table", replies.COMMITTED))
            ids = [body["id"] for body in bodies(taken, "ask")]
            assert len(log.moves(1)) > len(kept)
        path.unlink()
        shutil.copy(backup, path)
        with Log.read(path) as log:
            known = log.cursor(boot)
            rolls -= len(bodies(list(log.entries(1)), "table", replies.COMMITTED))
        # Nobody has said a word yet: the game stands where it was kept, whatever time passes.
        asked: list[str] = []

        def first_no(running: Conductor, keeper: Desk) -> float:
            question = running.session.question
            assert question is not None
            asked.append(question.what)
            assert running.session.ply == len(kept)
            if len(asked) in (20, 40):
                keeper.hands.press(PLACES[0], "ab"[len(asked) == 40])
            if len(asked) == 60:
                raise Stopped
            return 0.1

        evening.play(99, first_no, people=False)
        assert set(asked) == {RESUME}
        (said,) = {text for text in evening.told if "older than the table" in text}
        assert f"ends at event {known}" in said and f"{last - known} event" in said
        assert (f"{rolls} roll" if rolls else "no roll") in said
        # And is asked again when the host has died meanwhile. Then they agree.
        evening.play(len(kept) + sample(3, 99))
    with Log.read(path) as log:
        entries = list(log.entries())
        assert len(log.moves(1)) > len(kept) and log.moves(1)[: len(kept)] == kept
        (since,) = [entry for entry in entries if entry.kind == "since"]
        assert (since.boot, since.number, since.body) == (boot, last, {"lost": last - known, "rolls": rolls})
        assert [body.get("rolls", 1) for body in bodies(entries, "aborted")] == ([rolls] if rolls else [])
        assert min(body["id"] for body in bodies(entries, "ask")[-5:]) > max(ids), "no question has an id of a lost one"
        for entry in entries:
            check(entry)
        report = examine(entries)
        assert not report.wrong and report.aborted == rolls
        assert report.by_game[0].summary["elsewhere"] == [[boot, last, since.body]]


@thorough
def test_a_damaged_wal_is_only_shorter_and_the_table_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SQLite drops what comes after a flipped bit without a word; the log that is left is whole."""
    path, damaged = tmp_path / "log.db", tmp_path / "copy" / "log.db"
    damaged.parent.mkdir()
    started(path, "d21")
    with a_table(seed=5) as table:
        evening = Evening(path, table)

        def copy(running: Conductor, keeper: Desk) -> float:
            if running.session.ply == MOVES and not damaged.exists():
                shutil.copy(path, damaged)
                shutil.copy(f"{path}-wal", f"{damaged}-wal")
                raise Stopped
            return 0.1

        evening.play(99, copy)
        wal = Path(f"{damaged}-wal")
        data = bytearray(wal.read_bytes())
        data[len(data) * 2 // 3] ^= 0x10
        wal.write_bytes(data)
        with Log.open(damaged) as log:  # accepted: it is whole, only shorter
            assert log.verify() and len(log.moves(1)) < MOVES
            assert not examine(log.entries()).wrong
        older = Evening(damaged, table)
        older.play(MOVES)
        assert any("older than the table" in text for text in older.told)
    assert main(["log", "verify", "--log", str(damaged)]) == 3
    told = capsys.readouterr().out
    assert re.match(r"\d+ entries, in order; missing: \d+ events? of a table; head ", told), told
    assert "it was older than the table" in told


@thorough
def test_another_log_at_the_same_table_is_no_older_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    started(one, "d21")
    started(two, "d21")
    with a_table(seed=5) as table:
        for path, moves in ((one, 3), (two, 3), (one, 5), (two, 5)):
            evening = Evening(path, table)
            evening.play(moves)
            assert not any("older" in text for text in evening.told)
    for path in (one, two):
        with Log.read(path) as log:
            assert len(log.moves(1)) >= 5 and not examine(log.entries()).wrong
        assert main(["log", "verify", "--log", str(path)]) == 3
        told = capsys.readouterr().out
        assert re.match(r"\d+ entries, in order; missing: \d+ events of a table; head ", told), told


def test_a_table_cannot_say_that_a_log_has_lost_more_than_was_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = Client._take_status

    def lie(self: Client, status: dict[str, Any]) -> None:
        taken(self, status | {"told": 99})

    monkeypatch.setattr(Client, "_take_status", lie)
    path = tmp_path / "log.db"
    started(path, "d21")
    with a_table(seed=5) as table:
        evening = Evening(path, table)
        evening.play(2)
        evening.play(3)
    with Log.read(path) as log:
        assert len(log.moves(1)) >= 3 and not bodies(list(log.entries()), "since")
        assert not examine(log.entries()).wrong
