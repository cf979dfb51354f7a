"""A log's keeper and its pages are found beside the log, whatever environment each program was started in."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

from kept import kept, linked
from tablier.cli.main import main
from tablier.keeper import server
from tablier.keeper.client import KeeperError
from tablier.keeper.starting import find
from tablier.log import opening
from tablier.log.chain import LogError
from tablier.log.lock import write_note
from tablier.log.store import Log
from tablier.table import ports
from tablier.web.noted import WebError, noted, served_at


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A login's folder, which is the only thing that says where programs meet."""
    folder = Path(f"{os.environ['TABLIER_PORTS']}-run")
    folder.mkdir(mode=0o700, exist_ok=True)
    monkeypatch.delenv("TABLIER_PORTS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setattr(ports, "_RUN", tmp_path / "nowhere")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(folder.parent))
    return folder


def leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go on as what cron or su has started."""
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert not ports.simulated_dir().exists()


def test_a_keeper_is_found_from_another_environment(
    run: Path, log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with kept(log):
        leave(monkeypatch)
        link = find(log)
        assert link is not None
        link.close()
        assert main(["attach", "--log", str(log)]) == 2
        assert "no game runs" in capsys.readouterr().err
        with pytest.raises(LogError, match=r"its keeper \(process \d+\) is writing to it; 'tablier keeper --end"):
            Log.open(log)
        assert main(["keeper", "--end", "--log", str(log)]) == 0
    assert find(log) is None


def test_pages_are_found_from_another_environment(run: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with noted(log, ["http://127.0.0.1:1/"]):
        leave(monkeypatch)
        assert served_at(log) == ["http://127.0.0.1:1/"]
        with pytest.raises(WebError, match="are served already"), noted(log, ["http://127.0.0.1:2/"]):
            pass
        log.with_name("log.db-web").chmod(0o666)
        assert served_at(log) == [], "others may have written where the operator's key is to go"
    assert served_at(log) == []


def test_a_simulated_table_is_found_by_what_cron_has_started(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_RUN", run.parent)
    run.with_name(str(os.getuid())).mkdir(mode=0o700, exist_ok=True)
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    assert ports.simulated_dir() == run.with_name(str(os.getuid())) / "tablier"


def test_a_copy_of_all_files_has_no_keeper(tmp_path: Path) -> None:
    """As a backup of the folder is, put back beside the log or in its place."""
    log = tmp_path / "log.db"
    with kept(log), linked(log):
        there = tmp_path / "backup"
        there.mkdir()
        for file in tmp_path.glob("log.db*"):
            shutil.copy2(file, there)
        copy = there / "log.db"
        note = copy.with_name("log.db-lock").read_text()
        assert note == log.with_name("log.db-lock").read_text() and note.startswith(f"{os.getpid()}\n/")
        assert find(copy) is None


def test_a_log_that_was_moved_takes_its_keeper_along(tmp_path: Path) -> None:
    """No other log that gets its name, with a keeper of its own, is taken for it."""
    log, moved = tmp_path / "log.db", tmp_path / "moved.db"
    with kept(log) as first:
        for file in tmp_path.glob("log.db*"):
            file.rename(tmp_path / file.name.replace("log", "moved"))
        with linked(moved) as link, kept(log), linked(log) as other:
            assert link.keeper["log"] == str(log)
            other.call("quit")
        first.end()
    assert find(moved) is None


def test_a_note_that_was_left_leads_nowhere(log: Path) -> None:
    with kept(log):
        left = log.with_name("log.db-lock").read_text()
    assert log.with_name("log.db-lock").read_text() == f"{os.getpid()}\n"
    log.with_name("log.db-lock").write_text(left)  # as after a kill
    assert find(log) is None
    log.with_name("log.db-lock").write_text(left.rstrip("\n"))  # as while it is written
    assert find(log) is None
    with kept(log), linked(log):
        pass


def test_a_keeper_of_another_user_is_not_spoken_to(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = os.getuid()
    with kept(log):
        monkeypatch.setattr("os.getuid", lambda: owner + 1)
        alone = f"serves user {owner} alone: play as that user"
        with pytest.raises(LogError, match=alone):
            Log.open(log)
        with pytest.raises(KeeperError, match=alone):
            find(log)
        monkeypatch.undo()
    monkeypatch.setattr("os.getuid", lambda: owner + 1)
    assert find(log) is None


def remove(folder: Path) -> None:
    """Remove a folder at once, whatever is put in it meanwhile."""
    shutil.rmtree(folder.rename(folder.with_name(f"{folder.name}-removed")))


def test_a_keeper_whose_folder_is_removed_listens_anew(run: Path, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is with a user's last login."""
    monkeypatch.setattr(server, "_LOOK_S", 0.0)
    with kept(log), linked(log) as link:
        remove(run)
        link.call("list")
        link.call("list")
        with linked(log) as found:
            assert found.keeper["pid"] == link.keeper["pid"]
        assert ports.simulated_dir() == run.parent / f"tablier-{os.getuid()}"
        assert [each.name for each in ports.simulated_dir().glob("keeper-*")] != []
    shutil.rmtree(ports.simulated_dir())


def test_a_keeper_that_cannot_note_where_it_listens_anew_tries_again(
    run: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a disk that is full: games go on."""
    monkeypatch.setattr(server, "_LOOK_S", 0.0)
    failures = [OSError(errno.ENOSPC, "No space left on device")] * 3

    def write(file: int, listens_at: Path | None) -> None:
        if failures and not run.exists():
            raise failures.pop()
        write_note(file, listens_at)

    with kept(log), linked(log) as link:
        monkeypatch.setattr(opening, "write_note", write)
        remove(run)
        for _ in range(8):
            link.call("list")
        assert not failures
        with linked(log) as found:
            assert found.keeper["pid"] == link.keeper["pid"]
    shutil.rmtree(ports.simulated_dir())


def test_a_path_too_long_for_a_socket_is_gone_round_or_named(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    long = tmp_path / ("x" * 100)
    long.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    assert ports.simulated_dir() == run.parent / f"tablier-{os.getuid()}"
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(long))
    assert ports.simulated_dir() == Path(f"/tmp/tablier-{os.getuid()}")
    monkeypatch.setenv("TABLIER_PORTS", str(long))
    bots = ["--seat", "A=greedy", "--seat", "B=random"]
    assert main(["play", "d21", *bots, "--no-table", "--no-web", "--log", str(tmp_path / "log.db")]) == 2
    most = 78 if sys.platform == "darwin" else 82
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(
        f"tablier: {long}: its path has more than the {most} bytes that a socket allows; name another"
    )
