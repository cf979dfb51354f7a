"""Copies of one log that were both used: every game counts once. And what an archive tells of its logs."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from adding import add, copied, d21, finish, held
from sqlalchemy import create_engine, text, update

from at_screens import at_screens
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.logs import Added, add_log
from tablier.archive.tables import ADDED
from tablier.cli.main import main
from tablier.log.store import Log
from tablier.play.beginning import begin


@pytest.fixture
def two(evenings: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Two copies of a log of six games, with one and two more games each."""
    one, other = (copied(evenings, tmp_path / name) for name in ("one.db", "other.db"))
    for path, games in ((one, 1), (other, 2)):
        with Log.open(path) as log:
            for moves in range(games):
                d21(log, moves=2 + moves)
    return one, other


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return what runs a command and returns its output."""

    def run(*words: object, status: int = 0) -> str:
        capsys.readouterr()
        assert main(list(map(str, words))) == status
        out, err = capsys.readouterr()
        return str(err if status else out)

    return run


def add_copy(where: str, path: Path) -> Added:
    with Archive.open(where, create=True) as archive:
        return add_log(archive, path, "Beaune", copy=True)


def counted(where: str) -> int:
    return sum(len(games) for games in held(where)["games"].values())


def test_games_of_two_copies_count_once(where: str, two: tuple[Path, Path]) -> None:
    one, other = two
    assert add(where, one).new == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ArchiveError, match=r"each once: 'tablier archive add [^ ]*other\.db --copy'"):
        add(where, other)
    added = add_copy(where, other)
    assert (added.new, added.elsewhere) == ([7, 8], [1, 2, 3, 4, 5, 6])
    assert counted(where) == 9
    before = held(where)
    again = add(where, other)  # it is known by now
    assert (again.new, again.changed, again.removed, again.same) == ([], [], [], [7, 8])
    assert add(where, one).same == [1, 2, 3, 4, 5, 6, 7] and held(where) == before
    for path in two:
        with Log.open(path) as log:
            d21(log, moves=3)
    assert (add(where, one).new, add(where, other).new) == ([8], [9])
    assert counted(where) == 11


def test_in_which_order_copies_are_added_does_not_matter(where: str, two: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = two
    add(where, one)
    add_copy(where, other)
    turned = str(tmp_path / "turned.db")
    add(turned, other)
    add_copy(turned, one)
    assert counted(turned) == counted(where) == 9
    ended = [sorted(game.ended for games in held(each)["games"].values() for game in games) for each in (where, turned)]
    assert ended[0] == ended[1]


def test_a_game_that_both_copies_have_ended_counts_as_in_the_one_added_first(
    where: str, evenings: Path, tmp_path: Path
) -> None:
    path = copied(evenings, tmp_path / "log.db")
    with Log.open(path) as log:
        game = begin(log, "d21", {"max_plies": 3}, at_screens(2))
    one, other = (copied(path, tmp_path / name) for name in ("one.db", "other.db"))
    for each in (one, other):
        with Log.open(each) as log:
            finish(log, game)
            d21(log)
    assert game in add(where, one).new
    added = add_copy(where, other)
    assert game in added.elsewhere and added.new == [game + 1]
    assert add(where, one).same == [*range(1, game + 2)]


def test_a_third_copy_parts_from_the_second(where: str, two: tuple[Path, Path], tmp_path: Path) -> None:
    one, other = two
    third = copied(other, tmp_path / "third.db")
    for path, moves in ((other, 4), (third, 5)):
        with Log.open(path) as log:
            d21(log, moves=moves)
    add(where, one)
    assert add_copy(where, other).new == [7, 8, 9]
    with pytest.raises(ArchiveError, match="is not the one that was added before"):
        add(where, third)
    assert add_copy(where, third).new == [9]
    assert add(where, third).same == [9] and counted(where) == 11


def test_copies_are_taken_out_alone_and_the_first_with_them(
    where: str, two: tuple[Path, Path], said: Callable[..., str]
) -> None:
    one, other = two
    add(where, one)
    before = held(where)
    add_copy(where, other)
    assert "2 games of Beaune taken out" in said("archive", "remove", other, "--archive", where)
    assert held(where) == before
    add_copy(where, other)
    out = said("archive", "remove", one, "--archive", where)
    assert "9 games of Beaune taken out, with those of 1 copy; nothing else was there" in out
    assert add(where, other).new == [*range(1, 9)] and counted(where) == 8


def test_people_who_came_in_both_copies_can_be_one(
    where: str, two: tuple[Path, Path], said: Callable[..., str]
) -> None:
    """The log in use takes those of the copy; those who were there before they parted are one anyway."""
    one, other = two
    for path in two:
        with Log.open(path) as log:
            log.person("Zoe")
    said("people", "take", other, "--yes", "--log", one)
    with Log.read(one) as log, Log.read(other) as copy:
        assert log.names().find("Zoe") == copy.names().find("Zoe")
    assert "its people are known here" in said("people", "take", other, "--yes", "--log", one, status=2)


def test_an_older_copy_with_as_many_entries_turns_no_rename_back(where: str, evenings: Path, tmp_path: Path) -> None:
    path = copied(evenings, tmp_path / "log.db")
    with Log.open(path) as log:
        anne = log.names().find("Anne")
        assert anne
        log.rename(anne, "Annette")
    assert not add(where, path).older
    before = held(where)
    assert add(where, evenings).older and held(where) == before
    with Log.open(path) as log:
        log.rename(anne, "Anna")
    assert add(where, path).renamed == 1


# -- the list ----------------------------------------------------------------------------------------------------------


def test_logs_are_listed_with_when_they_were_added(
    where: str, two: tuple[Path, Path], evenings: Path, said: Callable[..., str], tmp_path: Path
) -> None:
    one, other = two
    new = tmp_path / "new.db"
    with Log.open(new) as log:
        d21(log)
    add(where, one)
    add_copy(where, other)
    add(where, new, "Dijon")
    out = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "DAY", said("archive", "list", "--archive", where))
    assert out.splitlines() == [
        "Beaune: 2 logs, 9 games and 3 people",
        "  one.db: 7 games, added last DAY",
        "  other.db, a copy of one.db: 2 games, added last DAY",
        "Dijon: 1 log, 1 game and 2 people",
        "  new.db: 1 game, added last DAY",
    ]
    beaune, dijon = json.loads(said("archive", "list", "--json", "--archive", where))
    with Log.read(one) as log, Log.read(new) as another:
        assert [each["log"] for each in (*beaune["files"][:1], *dijon["files"])] == [log.origin, another.origin]
        assert beaune["files"][1]["copy_of"] == log.origin and beaune["files"][0]["copy_of"] is None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", dijon["files"][0]["added"])
    rows = list(csv.DictReader(said("archive", "list", "--csv", "--archive", where).splitlines()))
    assert [(row["club"], row["file"], row["games"]) for row in rows] == [
        ("Beaune", "one.db", "7"),
        ("Beaune", "other.db", "2"),
        ("Dijon", "new.db", "1"),
    ]


def test_a_log_that_is_added_again_has_the_later_date_and_name(
    where: str, evenings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Callable[..., str]
) -> None:
    monkeypatch.setattr("tablier.waiting.date", lambda: 1_800_000_000.0)
    add(where, evenings)
    monkeypatch.setattr("tablier.waiting.date", lambda: 1_800_086_400.5)
    add(where, copied(evenings, tmp_path / "monday.db"))
    ((club),) = json.loads(said("archive", "list", "--json", "--archive", where))
    assert [(each["file"], each["added"]) for each in club["files"]] == [("monday.db", "2027-01-16T08:00:00Z")]


# -- an archive of the version before ----------------------------------------------------------------------------------


def execute(where: str, *statements: str) -> None:
    address = where.replace("postgresql:", "postgresql+psycopg:") if "://" in where else f"sqlite:///{where}"
    engine = create_engine(address)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def test_one_of_the_version_before_is_read_and_brought_up_to_date_by_the_next_addition(
    where: str, evenings: Path, said: Callable[..., str]
) -> None:
    add(where, evenings)
    before = held(where)
    execute(where, "DROP TABLE added", "UPDATE archive SET version = 2")
    assert held(where) == before
    with Log.read(evenings) as log:
        out = said("archive", "list", "--archive", where)
        assert out.splitlines() == ["Beaune: 1 log, 6 games and 3 people", f"  log {log.origin[:12]}…: 6 games"]
    assert said("stats", "results", "--archive", where)
    with Archive.open(where) as archive:
        assert archive.version == 2
    assert add(where, evenings).same == [1, 2, 3, 4, 5, 6]
    with Archive.open(where) as archive:
        assert archive.version == 3
    assert held(where) == before
    assert "log.db: 6 games, added last" in said("archive", "list", "--archive", where)
    with Archive.open(where, create=True) as archive, archive.correcting() as connection:
        connection.execute(update(ADDED).values(changes=0, change=None))  # as by a log that knew no changes
    assert not add(where, evenings).older


def test_one_of_the_version_before_with_a_table_less_is_refused(evenings: Path, tmp_path: Path) -> None:
    where = str(tmp_path / "a.db")
    add(where, evenings)
    with sqlite3.connect(where) as db:
        db.execute("DROP TABLE added")
    with pytest.raises(ArchiveError, match="add the logs to a new archive"):
        Archive.open(where)
