"""``make hardware``: what a machine lacks is named and left out, and nothing is made of data that do not fit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hardware.tools import Broken, Missing

from hardware import HERE, draw, make


@pytest.fixture
def fitting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "faults", list)


def write(out: Path) -> None:
    (out / "made.txt").write_text("made")


def lack(out: Path) -> None:
    raise Missing("solids need build123d: .venv/bin/pip install -e '.[hardware]'")


def test_what_is_missing_is_named_and_the_rest_is_made(
    fitting: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "MAKERS", {"solids": lack, "pages": write})
    out = tmp_path / "build"
    out.mkdir()
    (out / "old.txt").write_text("of another table")
    assert make.main([str(out)]) == 0
    said = capsys.readouterr().out
    assert "pages: done" in said and "solids: solids need build123d: .venv/bin/pip install -e '.[hardware]'" in said
    assert [path.name for path in out.iterdir()] == ["made.txt"], "old files are gone"


def test_every_hint_installs_into_the_environment_that_make_sets_up() -> None:
    """Outside of it, pip refuses on most systems, or installs where make does not look."""
    hints = [
        (path.name, before)
        for path in [*HERE.rglob("*.py"), *HERE.glob("*.md")]
        for before in re.findall(r"(\S*)pip install", path.read_text(encoding="utf-8"))
    ]
    assert len(hints) > 6
    assert [hint for hint in hints if not hint[1].endswith(".venv/bin/")] == []


def test_what_is_broken_ends_it(
    fitting: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def break_(out: Path) -> None:
        raise Broken("the hub: pad 5 of U8 is not connected")

    monkeypatch.setattr(make, "MAKERS", {"circuit boards": break_})
    assert make.main([str(tmp_path / "build")]) == 1
    assert capsys.readouterr().err == "circuit boards: the hub: pad 5 of U8 is not connected\n"


def test_nothing_is_made_of_what_does_not_fit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(draw, "faults", lambda: ["the buttons do not fit on the panel"])
    assert make.main([str(tmp_path / "build")]) == 1
    assert capsys.readouterr().err == "nothing is made, because:\n  the buttons do not fit on the panel\n"
    assert not (tmp_path / "build").exists()
