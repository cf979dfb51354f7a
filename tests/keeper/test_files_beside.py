"""The files beside a log count only where nobody else can have written them, and nobody waits for one."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

import pytest

from installed import needs
from kept import kept
from tablier.cli.main import main
from tablier.keeper.access import read_token
from tablier.keeper.server import Server
from tablier.log.chain import START, LogError
from tablier.log.lock import has_writer, read_note
from tablier.log.store import Log
from tablier.log.unchecked import read_checked
from tablier.web.noted import WebError, noted, served_at

STRANGER = 4711


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.db"
    Log.open(path).close()
    return path


def beside(log: Path, suffix: str) -> Path:
    return log.with_name(log.name + suffix)


def test_a_keeper_takes_no_token_of_another_user(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One run by root did: then that user, who knows it, was the operator of what root runs."""
    token = read_token(log, make=True)
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    with (
        pytest.raises(
            LogError, match=rf"it belongs to user {os.getuid()}, not to you; play as the user whose log it is"
        ),
        Log.open(log) as opened,
    ):
        Server(opened)
    monkeypatch.undo()
    assert read_token(log) == token


@pytest.mark.parametrize("mode", [0o640, 0o602])
def test_a_token_that_others_can_read_proves_nothing(log: Path, mode: int) -> None:
    read_token(log, make=True)
    beside(log, "-token").chmod(mode)
    with pytest.raises(LogError, match="others can read it"):
        read_token(log)


@pytest.mark.parametrize(
    "words", [["people", "rename", "Anne", "Bea", "--yes"], ["web"], ["attach"], ["evening", "--play", "d21"]]
)
def test_a_command_says_in_one_line_that_others_can_read_the_token(
    words: list[str], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with kept(log), noted(log, ["http://127.0.0.1:8080/"]):
        beside(log, "-token").chmod(0o644)
        assert main([*words, "--log", str(log)]) == 2
    assert capsys.readouterr().err.startswith(f"tablier: {log}-token: not your token: others can read it; ")


def test_two_who_look_at_once_do_not_take_each_other_for_a_server(log: Path) -> None:
    """Else the operator's key would go to an address of a server that was killed."""
    beside(log, "-web").write_text("http://127.0.0.1:8080/")
    beside(log, "-web").chmod(0o600)
    with beside(log, "-web").open() as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        assert served_at(log) == []


def test_a_note_that_somebody_else_can_have_written_says_nothing(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside(log, "-checked").write_text(json.dumps({"entry": 1, "hash": "00" * 32, "damaged": True}))
    assert read_checked(log).damaged
    with noted(log, ["http://127.0.0.1:8080/"]):
        assert served_at(log) == ["http://127.0.0.1:8080/"]
        monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
        assert served_at(log) == []
    assert not read_checked(log).damaged and read_checked(log).point == START
    with pytest.raises(WebError, match="it belongs to user"), noted(log, []):
        pass
    monkeypatch.undo()
    for suffix in ("-checked", "-web"):
        beside(log, suffix).chmod(0o666)
    assert not read_checked(log).damaged
    with pytest.raises(WebError, match="others can write to it"), noted(log, []):
        pass


def test_nobody_waits_for_a_pipe_beside_a_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for suffix in ("-token", "-lock", "-checked", "-web"):
        beside(log, suffix).unlink(missing_ok=True)
        os.mkfifo(beside(log, suffix))
    with pytest.raises(LogError, match="it is not a plain file"):
        read_token(log)
    assert served_at(log) == [] and read_note(log) is None and read_checked(log).point == START
    assert main(["log", "list", "--log", str(log)]) == 0
    assert main(["people", "rename", "Anne", "Bea", "--log", str(log)]) == 2
    assert capsys.readouterr().err == f"tablier: {log}: not writable: log.db-lock is not a plain file\n"
    with pytest.raises(OSError, match="not a plain file"):
        has_writer(log)


def test_a_lock_that_another_user_has_left_is_named(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside(log, "-lock").unlink()
    os.mkfifo(beside(log, "-lock"))  # nor can that be opened
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    with pytest.raises(LogError, match=rf"log.db-lock belongs to user {os.getuid()}, who wrote to it last"):
        Log.open(log)


@needs("openssl")
def test_a_certificate_whose_key_everybody_can_read_is_refused(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    subprocess.run([*made, "-subj", "/CN=x", "-keyout", key, "-out", cert], check=True, capture_output=True)
    key.chmod(0o644)
    assert main(["web", "--log", str(log), "--cert", str(cert), "--key", str(key)]) == 2
    assert f"{key}: everybody on this computer can read" in capsys.readouterr().err
