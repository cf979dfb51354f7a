"""Games bind the names that they were played under: exchanged names show, and forgotten ones are gone."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tablier.archive.database import Archive
from tablier.archive.logs import add_log
from tablier.cli.main import main
from tablier.log.store import Log


@pytest.fixture
def path(evenings: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(evenings, tmp_path / "log.db"))


def run(capsys: pytest.CaptureFixture[str], path: Path, *argv: str, status: int = 0) -> str:
    """Return what a command prints, in one line."""
    assert main([*argv, "--log", str(path)]) == status
    out, err = capsys.readouterr()
    return " ".join((out + err).split())


def exchange(path: Path, *people: str) -> None:
    for old, new in ((people[0], "Tmp"), (people[1], people[0]), ("Tmp", people[1])):
        assert main(["people", "rename", "--yes", old, new, "--log", str(path)]) == 0


def test_exchanged_names_show(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three renames give each of two the results of the other; every list and the verification say so."""
    assert "as" not in run(capsys, path, "log", "verify").split()
    exchange(path, "Anne", "Bernard")
    capsys.readouterr()
    verified = run(capsys, path, "log", "verify")
    assert (
        "Bernard played 4 games as Anne: 1 to 5." in verified and "Anne played 6 games as Bernard: 1 to 6." in verified
    )
    told = "Bernard played as Anne; Anne played as Bernard"
    assert run(capsys, path, "log", "list").count(told) == 4
    words: tuple[str, ...]
    for words in (("show", "1"), ("show", "--evening", "1"), ("show", "--series", "1")):
        assert told in run(capsys, path, "log", *words), words
    for words in (("people",), ("log", "standings")):
        assert "Bernard played 4 games as Anne: 1 to 5." in run(capsys, path, *words)
    assert main(["archive", "add", str(path), "--club", "Beaune", "--to", str(path.with_name("archive.db"))]) == 0
    assert "Bernard played 4 games as Anne: 1 to 5" in capsys.readouterr().out
    exchange(path, "Anne", "Bernard")
    capsys.readouterr()
    assert "as" not in run(capsys, path, "log", "verify").split(), "all are called as they were"


def test_of_a_forgotten_person_nothing_tells_the_names(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchange(path, "Anne", "Bernard")
    for name in ("Anne", "Bernard", "Christine"):
        run(capsys, path, "people", "forget", "--yes", name)
    assert "as" not in run(capsys, path, "log", "verify").split()
    assert "played as" not in run(capsys, path, "log", "list")
    files = b"".join(file.read_bytes() for file in path.parent.glob("log.db*"))
    assert not [name for name in (b"Anne", b"Bernard", b"Christine") if name in files]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM played_as").fetchone() == (0,)


FORGED = {
    "taken out": "DELETE FROM played_as",
    "another name": "UPDATE played_as SET name = 'Eve' WHERE name = 'Anne'",
    "another salt": "UPDATE played_as SET salt = id || id WHERE name = 'Anne'",
    "another person's": "UPDATE played_as SET id = (SELECT id FROM person WHERE name = 'Bernard') WHERE name = 'Anne'",
}


@pytest.mark.parametrize("how", FORGED)
def test_names_that_another_program_made_fit_do_not_verify(
    how: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(FORGED[how])
        db.execute("UPDATE person SET name = 'Eve' WHERE name = 'Anne'")
    said = run(capsys, path, "log", "verify", status=1)
    assert "what says under which name Eve played game 1 is missing" in said and "whole" not in said
    assert "nothing says under which name Eve played" in run(capsys, path, "log", "list")
    with Archive.open(path.with_name("archive.db"), create=True) as archive:
        added = add_log(archive, path, "Beaune")
    assert any("nothing says under which names it was played" in str(why) for why in added.refused)


def test_merged_and_taken_people_are_told_by_the_names_of_their_games(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.db"
    with Log.open(new) as log, Log.read(path) as old:
        log.take(old)
        assert "Anne" in log.names().known.values()
    run(capsys, path, "people", "rename", "--yes", "Christine", "Claire")
    with Log.open(path) as log:
        log.person("Christine")
    run(capsys, path, "people", "merge", "--yes", "Claire", "Christine")
    assert "as" not in run(capsys, path, "log", "verify").split(), "the games were played as Christine's"
    with Log.open(path) as log, Log.read(new) as other:
        log.take(other)
    assert "Games with faults" not in run(capsys, path, "log", "verify")
