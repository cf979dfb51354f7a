"""A whole log is verified by one process or by several, and both find the same."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from tablier.cli.main import main
from tablier.judge import verification
from tablier.judge.verification import verify
from tablier.log import Log, LogError

GAMES = 3


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of three games between bots."""
    path = tmp_path_factory.mktemp("verified") / "log.db"
    seats = [word for name in ("Anne", "Bob", "Carl", "Dora") for word in ("--seat", f"{name}=random")]
    for _ in range(GAMES):
        assert main(["play", "roudalon", "--no-table", "--plain", "--pace", "0", *seats, "--log", str(path)]) == 0
    return path


@pytest.fixture
def path(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(verification, "_ALONE", 0)
    monkeypatch.setattr(verification, "_TOGETHER", 1)
    return Path(shutil.copy(played, tmp_path / "log.db"))


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_game_is_run_again_and_counted(path: Path, jobs: int) -> None:
    steps: list[int] = []
    with Log.read(path) as log:
        found = verify(log, jobs=jobs, step=steps.append)
        assert (found.head, found.entries) == (log.head, log.last_entry)
    assert not found.report.wrong and found.report.games == GAMES == sum(steps)


@pytest.mark.parametrize("jobs", [1, 2])
def test_games_that_do_not_follow_are_found_and_no_other(path: Path, jobs: int) -> None:
    with Log.open(path) as log:
        log.append(2, "move", {"text": "p1 roll 6", "by": "random"})
    with Log.read(path) as log:
        report = verify(log, jobs=jobs).report
        assert [each.game for each in report.by_game if each.problem] == [2]
        assert str(report.wrong[0]).startswith(f"entry {log.last_entry}: ")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_chain_is_told_before_anything_else(path: Path, jobs: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE entry SET body = '[]' WHERE n = 9")
    db.close()
    with Log.read(path) as log, pytest.raises(LogError, match="entry 9 is not what was written"):
        verify(log, jobs=jobs)
    with Log.read(path) as log, pytest.raises(LogError):
        verify(log, "0" * 64, jobs=jobs)
