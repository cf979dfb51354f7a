"""Copies of programs that are loaded: each is the program that a start from nothing gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from term import Term

from sample import sample
from warm import Commands, CopyingPopen, Popen

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are copied on Linux only")
TABLIER = [sys.executable, "-m", "tablier.cli.main"]
BOTS = ("--no-table", "--plain", "--pace", "0", "--seat", "Anne=random", "--seat", "Bob=random")


@pytest.mark.parametrize("words", sample([["play", "--colour"]], [["play", "--colour"], ["play", "--log", "log.db"]]))
def test_a_copy_does_what_a_program_that_started_from_nothing_does(
    words: list[str], commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log.db").write_bytes(b"no log" * 100)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(CopyingPopen, "commands", commands)
    told = []
    for popen in (CopyingPopen, Popen):
        monkeypatch.setattr(subprocess, "Popen", popen)
        with Term(*words) as term:
            term.resize(70, 200)
            told.append(term.ends())
        ran = subprocess.run([*TABLIER, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        told.append((ran.returncode, ran.stdout, ran.stderr))
    assert told[:2] == told[2:]


def test_a_game_of_copies_is_that_of_programs_that_started_from_nothing(
    commands: Commands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CopyingPopen, "commands", commands)
    for name, popen in (("copies", CopyingPopen), ("nothing", Popen)):
        monkeypatch.setattr(subprocess, "Popen", popen)
        words = [*TABLIER, "play", "struggle", *BOTS, "--log", str(tmp_path / f"{name}.db")]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
            out, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and "Struggle is over after" in out
        assert (getattr(process, "_ended", None) is not None) == (popen is CopyingPopen)


def test_each_copy_has_its_own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "two.db").write_bytes(b"no log" * 100)
    for name, said in (("one", "there is no such file"), ("two", "not a log")):
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        with Term("log", "list", TABLIER_LOG=f"{name}.db") as term:
            status, printed = term.ends()
        assert status == 2 and f"{name}.db: {said}" in printed
