"""A whole log is verified by one process or by several, and both find the same."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tablier.bots.workers import in_order
from tablier.cli.main import main
from tablier.cli.workers import processes
from tablier.judge.verification import Verified, verify
from tablier.log.chain import LogError
from tablier.log.store import Log

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
def path(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "log.db"))


def verified(
    log: Log, jobs: int, head: str | None = None, step: Callable[[int], object] = lambda more: None
) -> Verified:
    with processes(jobs) as workers:
        return verify(log, head, run=partial(in_order, workers=workers), step=step)


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_game_is_run_again_and_counted(path: Path, jobs: int) -> None:
    steps: list[int] = []
    with Log.read(path) as log:
        found = verified(log, jobs, step=steps.append)
        assert (found.head, found.entries) == (log.head, log.last_entry)
    assert not found.report.wrong and found.report.games == GAMES == sum(steps)


@pytest.mark.parametrize("jobs", [1, 2])
def test_games_that_do_not_follow_are_found_and_no_other(path: Path, jobs: int) -> None:
    with Log.open(path) as log:
        log.append(2, "move", {"text": "p1 roll 6", "by": "random"})
    with Log.read(path) as log:
        report = verified(log, jobs).report
        assert [each.game for each in report.by_game if each.problem] == [2]
        assert str(report.wrong[0]).startswith(f"entry {log.last_entry}: ")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_broken_chain_is_told_before_anything_else(path: Path, jobs: int) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE entry SET body = '[]' WHERE n = 9")
    db.close()
    with Log.read(path) as log, pytest.raises(LogError, match="entry 9 is not what was written"):
        verified(log, jobs)
    with Log.read(path) as log, pytest.raises(LogError):
        verified(log, jobs, "0" * 64)


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_a_log_is_read_in_stretches_of_any_length(path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """Games that begin in one and go on in others are run to their ends, and nothing of them is left out."""
    with Log.open(path) as log:
        log.append(3, "move", {"text": "p1 roll 6", "by": "random"})
    with Log.read(path) as log:
        whole = verify(log)
        monkeypatch.setattr("tablier.judge.verification._AT_ONCE", at_once)
        assert verify(log) == whole
    assert [each.game for each in whole.report.by_game if each.problem] == [3]
    assert sum(len(each.summary["results"]) for each in whole.report.by_game) == GAMES
