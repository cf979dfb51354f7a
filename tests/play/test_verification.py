"""A whole log is verified by one process or by several, and both find the same."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from forging import stored
from tablier.bots.workers import in_order
from tablier.cli.main import main
from tablier.cli.workers import processes
from tablier.judge.audit import examine
from tablier.judge.verification import Verified, verify
from tablier.log.chain import Entry, LogError
from tablier.log.store import Log

GAMES = 3
AT = "2026-01-01T00:00:00.000000Z"


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


@pytest.mark.parametrize(
    ("kind", "body", "why"),
    [
        ("came", {"evening": 1, "person": "cd" * 8, "place": 7}, "is not what this program writes"),
        ("game", {"evening": 1}, "cannot follow"),
        ("gap", {"boot": "ab" * 8, "after": 3, "lost": None}, "is a gap after event 3"),
    ],
)
def test_what_stands_between_entries_is_found_as_by_the_audit(
    tmp_path: Path, kind: str, body: dict[str, object], why: str
) -> None:
    """Only some entries are looked at again where stretches come together, by their kinds: one that is wrong is."""
    seats = [{"person": "ab" * 8, "named": "0" * 64, "place": 1, "source": "table"}]
    head = {"game": "d21", "options": {}, "seats": seats, "schema": 4, "versions": {"rules": 1, "script": 1}}
    head["practice"] = False
    entries = [
        Entry(1, None, AT, "evening", {"evening": 1, "table": "simulated"}, ""),
        Entry(2, 1, AT, "game", head, ""),
        Entry(3, None, AT, "came", body, "") if kind == "came" else Entry(3, 1, AT, kind, body, ""),
    ]
    if kind == "game":
        entries[2:] = [Entry(3, 2, AT, kind, {**head, **body}, "")]
    with Log.read(stored(tmp_path / "log.db", entries)) as log:
        found = [str(wrong) for wrong in verify(log).report.wrong]
    assert any(said.startswith(f"entry 3 {why}") for said in found)
    assert found == list(map(str, examine(entries).wrong))
