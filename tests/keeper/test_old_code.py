"""Files that are replaced under programs that run: what these go on with, and what they tell those that come."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tablier
import tablier_fw
from kept import kept, linked
from sample import thorough
from tablier.bots import fingerprint, workers
from tablier.bots.fingerprint import OldCode
from tablier.bots.workers import Processes, WorkersError, in_order
from tablier.cli.main import main
from tablier.games import GAMES, game_class
from tablier.keeper import protocol, server
from tablier.keeper.client import KeeperError
from tablier.keeper.starting import find
from tablier.simulation.crowd import Crowd
from tablier.web.noted import served_at

STAYS = """
import sys
from tablier.keeper import server
server._LOAD_S = server._BETWEEN_S = 0.0
load = server.Server._load
def watch(self):
    load(self)
    if self._loads.at == float("inf"):
        print("loaded", flush=True)
server.Server._load = watch
server.keep(sys.argv[1], stays=True, ready=lambda: None)
"""
"""A keeper that says when it has loaded what it needs."""


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs that are started find their code."""
    there = tmp_path / "installed"
    for package in (tablier, tablier_fw):
        (folder,) = package.__path__
        shutil.copytree(folder, there / Path(folder).name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(there), *filter(None, [os.environ.get("PYTHONPATH")])]))
    return there


@contextmanager
def run(*words: str) -> Iterator[subprocess.Popen[str]]:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, *words], stdout=pipe, stderr=pipe, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


@thorough
def test_a_keeper_plays_all_games_after_its_files_were_replaced(
    copied: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with run("-c", STAYS, str(log)) as keeper:
        assert keeper.stdout is not None and keeper.stdout.readline() == "loaded\n"
        with linked(log) as link:  # a screen from before
            for file in copied.rglob("*.py"):
                file.write_text("raise SystemExit('this is another version')\n", encoding="utf-8")
            for number, game in enumerate(GAMES, 1):
                seats = [{"name": f"S{n}", "source": "random"} for n in range(game_class(game).seat_counts[0])]
                assert link.call("play", {"game": game, "seats": seats})["game"] == number
                said = f"S1 in {game}"
                assert link.call("list")["games"][-1]["rules"].startswith(game), said
                link.call("stop", {"game": number})
            crowd = [
                {"name": name, "source": "table", "place": at, "simulated": "random"}
                for at, name in ((1, "A"), (2, "B"))
            ]
            with pytest.raises(KeeperError, match=r"files were changed after this program \(process \d+\) had started"):
                link.call("play", {"game": "d21", "seats": crowd})  # its table would be of the newer code
            with pytest.raises(KeeperError, match=r"keeper \(process \d+\) is of older code: .* '.* keeper --end"):
                monkeypatch.setattr(protocol, "fingerprint", lambda: "0" * 32)
                find(log)
        assert main(["attach", "--log", str(log)]) == 2
        assert "is of older code" in capsys.readouterr().err
        assert main(["keeper", "--end", "--log", str(log)]) == 0
        assert keeper.wait(20) == 0 and keeper.stderr is not None and keeper.stderr.read() == ""


def test_who_is_of_other_code_than_the_keeper_is_told_which_is_older(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with kept(log), monkeypatch.context() as patch:
        with linked(log):
            pass
        patch.setattr(protocol, "fingerprint", lambda: "0" * 32)
        with pytest.raises(
            KeeperError, match=r"what speaks to this keeper .* is older, or another installation"
        ) as other:
            find(log)
        assert other.value.code == protocol.STALE
        patch.setattr(server, "_LOOK_S", 0.0)
        patch.setattr(server, "has_changed", lambda: True)
        with pytest.raises(KeeperError, match="is of older code"):
            find(log)


def test_a_fingerprint_changes_with_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    for name in ("rules.py", "inside/board.json", "page.css"):
        (tmp_path / name).write_text("1 + 1\n", encoding="utf-8")
    monkeypatch.setattr(fingerprint, "_folders", lambda package: [str(tmp_path)])
    for compute in (fingerprint._look, fingerprint._read):
        before = fingerprint._digest(compute)
        assert fingerprint._digest(compute) == before
        (tmp_path / "page.css").write_text("other\n", encoding="utf-8")
        assert fingerprint._digest(compute) == before
        seen = {before}
        for change in (
            lambda: (tmp_path / "inside/board.json").write_text("1 + 2\n", encoding="utf-8"),
            lambda: (tmp_path / "rules.py").rename(tmp_path / "rule.py"),
            lambda: (tmp_path / "inside/board.json").unlink(),
            lambda: (tmp_path / "rule.py").rename(tmp_path / "rules.py"),
        ):
            time.sleep(0.001)  # a file's time may have coarse steps
            change()
            seen.add(fingerprint._digest(compute))
        assert len(seen) == 5
        (tmp_path / "inside/board.json").write_text("1 + 1\n", encoding="utf-8")


def test_other_installed_games_are_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint._digest(fingerprint._look)
    monkeypatch.setattr(fingerprint, "_packages", lambda: ["tablier", "tablier_fw", "hypothesis"])
    assert fingerprint._digest(fingerprint._look) != before


def test_pages_of_older_code_end_when_a_keeper_of_newer_code_comes(copied: Path, log: Path) -> None:
    with run("-m", "tablier.cli.main", "web", "--log", str(log)) as pages:
        assert pages.stdout is not None and pages.stderr is not None
        while "Ctrl-C" not in pages.stdout.readline():
            pass
        assert served_at(log)
        os.utime(copied / "tablier" / "texts.py")
        assert main(["keeper", "--end", "--log", str(log)]) == 0
        said = pages.stderr.read()
        assert pages.wait(20) == 2
        assert said.startswith(f"tablier: {log}: its pages are not served any more: what speaks to this keeper (proc")
        assert said.count("\n") == 1 and not served_at(log)


def die(number: int) -> int:
    os._exit(1)


def test_processes_of_newer_code_are_not_started_for_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "has_changed", lambda: True)
    with (
        Processes(1) as processes,
        pytest.raises(WorkersError, match=r"files were changed after this program \(process \d+\) had started"),
    ):
        list(in_order(die, 3, processes))


def test_simulated_people_of_newer_code_are_not_started_for_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "has_changed", lambda: True)
    with pytest.raises(OldCode):
        Crowd(Path("nowhere"), {1: "random"})
