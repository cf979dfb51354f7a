"""A sample of the campaigns; ``make crash`` runs all of them, at every point."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sample import each, sample, thorough
from tablier.cli.main import main
from tablier.keeper import starting
from tablier.log.store import Log

from . import campaigns, full_disk
from .disk import Disk
from .games import BACKUP, KINDS, LOG

SEED = 2


@pytest.mark.parametrize(("first", "kind"), each(2, enumerate(KINDS)))
def test_a_log_survives_whatever_the_process_died_of(kind: str, first: int) -> None:
    done = campaigns.stop_points(kind, SEED, sample(362, 61), 60 * first)
    assert done["images"] == 3 * done["stop points"] > sample(2, 8)


@thorough
@pytest.mark.long
def test_a_log_of_a_game_at_a_table_survives_and_its_people_play_on() -> None:
    done = campaigns.stop_points_at_table(SEED, sample(700, 200), 9)
    assert done["images"] == 3 * done["stop points"] > sample(3, 15)
    assert done["games resumed at a table"] > sample(0, 1)


@pytest.mark.parametrize(("kind", "every"), [("dilemma", sample(50, 25)), *sample([], [("dicke-daemonen", 11)])])
def test_a_full_disk_is_told_and_left_behind(kind: str, every: int) -> None:
    done = campaigns.full_disks(kind, SEED, every)
    assert done["refused writes"] > 2


def test_a_failing_disk_is_told_and_nothing_is_lost() -> None:
    done = campaigns.failing_disks("roudalon", SEED, sample(39, 13))
    assert done["refusals"] > sample(3, 5)


def test_what_fails_unheard_while_a_file_is_closed_costs_nothing() -> None:
    campaigns.failing_closings("roudalon", SEED)


def test_readers_are_never_refused() -> None:
    assert campaigns.readers("roudalon", SEED)["readers"] > 25


def test_a_copy_is_whole_or_refused_with_advice() -> None:
    done = campaigns.copies("struggle", SEED, sample(120, 60))
    assert sample(10, 20) < done["copies that are whole"] < done["copies"]


def test_a_copy_that_was_made_is_there_when_the_power_fails(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    with disk.recording(), Log.open(tmp_path / LOG, connect=disk.connect) as log:
        log.person("Anne")
        for entries in (1, 2):
            log.append(None, "note", {})
            assert log.backup(tmp_path / BACKUP, force=entries == 2) == (entries, log.head)
            left = tmp_path / "left.db"
            left.write_bytes(disk.image(len(disk.ops), "dropped").files[BACKUP])
            with Log.read(left) as copy:
                assert (copy.verify(log.head), copy.names().find("Anne") is not None) == (entries, True)


def test_what_a_crash_left_can_be_read_where_nobody_may_write() -> None:
    assert campaigns.read_only_folders("roudalon", SEED, sample(9, 3))["read-only folders"] > sample(20, 60)


def test_the_console_says_how_far_a_game_got_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(starting, "PROGRAM", (full_disk.__file__, "400"))
    log = str(tmp_path / LOG)
    seats = [word for name in ("Anne", "Bob") for word in ("--seat", f"{name}=random")]
    assert main(["play", "struggle", "--no-table", "--plain", "--pace", "0", *seats, "--log", log]) == 2
    complaint = capsys.readouterr().err
    told = re.fullmatch(
        rf"tablier: {log}: the disk is full: make room \(SQLite: .*\); game 1 is kept with (\d+) moves;"
        r" 'tablier resume 1 --log \S+' resumes it\n",
        complaint,
    )
    assert told is not None, complaint
    with Log.read(log) as kept:
        assert len(kept.moves(1)) == int(told[1]) > 3
    monkeypatch.setattr(starting, "PROGRAM", (full_disk.__file__, "1"))
    assert main(["resume", "--plain", "--pace", "0", "--log", log]) == 2  # still full
    assert "the disk is full" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["resume", "--plain", "--pace", "0", "--log", log]) == 0
    assert main(["log", "verify", "--log", log]) == 0
    with Log.read(log) as kept:
        assert kept.game().ended is not None
        assert len(kept.moves(1)) > int(told[1])
