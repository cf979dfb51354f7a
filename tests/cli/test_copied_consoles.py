"""Copies of a program that is loaded, in terminals: each is the program that a start from nothing gives."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from term import Term

import started
from warm import Consoles, launch_from_nothing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs are copied on Linux only")


@pytest.mark.parametrize("words", [["--version"], ["play", "--colour"], ["play", "--log", "log.db"], ["help", "play"]])
def test_a_copy_does_what_a_program_that_started_from_nothing_does(
    words: list[str], consoles: Consoles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log.db").write_bytes(b"no log" * 100)
    monkeypatch.chdir(tmp_path)
    told = []
    for launch in (consoles.launch, launch_from_nothing):
        monkeypatch.setattr(started, "launch", launch)
        with Term(*words) as term:
            term.resize(70, 200)
            told.append(term.ends())
    assert told[0] == told[1]


def test_each_copy_has_its_own_surroundings(
    consoles: Consoles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(started, "launch", consoles.launch)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "two.db").write_bytes(b"no log" * 100)
    for name, said in (("one", "there is no such file"), ("two", "not a log")):
        (tmp_path / name).mkdir(exist_ok=True)
        monkeypatch.chdir(tmp_path / name)
        with Term("log", "list", TABLIER_LOG=f"{name}.db") as term:
            status, printed = term.ends()
        assert status == 2 and f"{name}.db: {said}" in printed
