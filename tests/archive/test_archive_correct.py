"""A club's name and the club of a log can be corrected, and leave nothing behind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any
from unittest.mock import Mock

import pytest
from adding import CAMPAIGN, add, copied, d21, held, without
from postgres import Postgres
from psycopg.errors import LockNotAvailable
from sqlalchemy import Connection, Insert, Table, insert, select, update

from sample import each, thorough
from tablier.archive import engines
from tablier.archive.campaigns import add_campaign
from tablier.archive.correcting import _locked, _remove_club, remove_club, remove_log, rename_club
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.logs import add_log
from tablier.archive.questions import Scope, ask
from tablier.archive.tables import CLUB, PLAYER, SOURCE
from tablier.bots.workers import Alone
from tablier.cli.main import main
from tablier.log.store import Log
from wording import Wording


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """Another log, of two games of two people."""
    with Log.open(tmp_path / "other.db") as log:
        d21(log)
        d21(log, moves=4)
    return tmp_path / "other.db"


def remove(where: str, path: Path) -> Any:
    with Archive.open(where, create=True) as archive:
        return remove_log(archive, path)


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return what runs a command and returns its output, or its one line of complaint."""

    def run(*words: object, status: int = 0) -> str:
        assert main(list(map(str, words))) == status
        out, err = capsys.readouterr()
        assert (out if status else err) == "" and (not status or err.count("\n") == 1), err
        return str(err if status else out)

    return run


# -- what is left ------------------------------------------------------------------------------------------------------


def test_a_log_that_is_taken_out_leaves_what_was_there_without_it(
    where: str, evenings: Path, other: Path, tmp_path: Path
) -> None:
    alone, right = str(tmp_path / "alone.db"), str(tmp_path / "right.db")
    add(alone, other)
    add(where, evenings)
    add(where, other)
    assert remove(where, evenings)[:3] == ("Beaune", 6, False)
    assert held(where) == held(alone)
    assert add(where, evenings, "Dijon").new == [1, 2, 3, 4, 5, 6]
    add(right, other)
    add(right, evenings, "Dijon")
    assert held(where) == held(right)


def test_a_copy_of_a_log_names_it_however_much_of_it_was_added(where: str, evenings: Path, tmp_path: Path) -> None:
    add(where, evenings)
    path = copied(evenings, tmp_path / "copy.db")
    with Log.open(path) as log:
        d21(log)
    assert remove(where, path)[:3] == ("Beaune", 6, True)
    assert not any(held(where).values())
    with Log.read(path) as log:
        assert log.verify() and log.last_game == 7


def test_a_club_of_which_nothing_is_left_is_unknown(
    wording: Wording, where: str, evenings: Path, other: Path, said: Callable[..., str]
) -> None:
    said("archive", "add", evenings, "--club", "Baune", "--to", where)
    said("archive", "add", other, "--club", "Dijon", "--to", where)
    slip = said("archive", "add", other, "--club", "dijon", "--to", where, status=2)
    slip += said("archive", "rename", "Baune", "DIJON", "--archive", where, status=2)
    assert slip.count("there is a club Dijon already") == 2
    unasked = said("archive", "remove", "--club", "Dijon", "--archive", where, status=2)
    assert "nothing was changed; --yes does it" in unasked
    out = said("archive", "remove", evenings, "--archive", where)
    wording(out)
    wording(re.sub(r"\d{4}-.*", "DAY", said("archive", "list", "--archive", where)))
    wording(said("stats", "--club", "Baune", "--archive", where, status=2))
    said("archive", "remove", other, "--archive", where)
    line = said("archive", "remove", "--club", "Dijon", "--archive", where, status=2)
    wording(line)
    with Archive.open(where) as archive, archive.reading() as connection:
        assert connection.execute(select(CLUB)).all() == []


def test_a_club_goes_with_its_logs_and_campaigns(
    wording: Wording, where: str, evenings: Path, other: Path, tmp_path: Path, said: Callable[..., str]
) -> None:
    add(where, other, "Dijon")
    before = held(where)
    add(where, evenings)
    with Archive.open(where, create=True) as archive:
        add_campaign(archive, "Beaune", CAMPAIGN, 3, Alone())
    with without("d21"):  # what a club counts for goes as a whole
        out = said("archive", "remove", "--club", "Beaune", "--yes", "--archive", where)
    wording(out)
    assert held(where) == before
    with Archive.open(where, create=True) as archive:
        assert add_campaign(archive, "Sim", CAMPAIGN, 2, Alone())[1] == 0
    add(where, evenings)
    listed = said("archive", "list", "--archive", where)
    assert [line for line in listed.splitlines() if not line.startswith(" ")] == [
        "Beaune: 1 log, 6 games and 3 people",
        "Dijon: 1 log, 2 games and 2 people",
        "Sim: 1 simulated campaign, 2 games and 0 people",
    ]


def test_people_of_other_logs_keep_their_names_and_that_is_said(
    wording: Wording, where: str, other: Path, tmp_path: Path, said: Callable[..., str]
) -> None:
    with Log.open(tmp_path / "second.db") as second:
        with Log.read(other) as first:
            second.take(first)
        d21(second)
        anne = second.names().find("Anne")
        assert anne
        second.rename(anne, "Annette")
    add(where, other)
    add(where, tmp_path / "second.db")
    out = said("archive", "remove", tmp_path / "second.db", "--archive", where)
    wording(out)
    assert "Annette" in said("stats", "results", "--archive", where)
    add(where, other)
    assert "Annette" not in said("stats", "results", "--archive", where)


def test_a_club_with_another_name_is_the_same(
    wording: Wording, where: str, evenings: Path, other: Path, tmp_path: Path, said: Callable[..., str]
) -> None:
    right = str(tmp_path / "right.db")
    add(right, evenings, "Saint-Jean d'Août")
    add(where, evenings, "Baune")
    out = said("archive", "rename", "Baune", " Saint-Jean d'Août", "--archive", where)
    wording(out)
    assert held(where) == held(right)
    line = said("archive", "add", evenings, "--club", "Baune", "--to", where, status=2)
    wording(line)
    assert said("archive", "add", evenings, "--club", "Saint-Jean d'Août", "--to", where).endswith("6 as before\n")
    add(where, other, "Saint-Jean d'Août")
    add(right, other, "Saint-Jean d'Août")
    assert held(where) == held(right)


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_a_name_that_another_club_has_is_refused_with_what_to_do(
    wording: Wording, where: str, evenings: Path, other: Path, said: Callable[..., str]
) -> None:
    add(where, evenings)
    add(where, other, "Dijon")
    before = held(where)
    line = said("archive", "rename", "Dijon", "Beaune", "--archive", where, status=2)
    wording(line)
    line = said("archive", "rename", "Dijon", "Dijon ", "--archive", where, status=2)
    wording(line)
    line = said("archive", "rename", "Dijn", "Nevers", "--archive", where, status=2)
    wording(line)
    line = said("archive", "remove", "--club", "Baune", "--archive", where, status=2)
    wording(line)
    assert held(where) == before


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("whole", [False, True])
def test_no_byte_of_a_name_is_left(
    wording: Wording,
    whole: bool,
    other: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    where, path = tmp_path / "archive.db", tmp_path / "log.db"
    with Log.open(path) as log:
        d21(log)
        anne = log.names().find("Anne")
        assert anne
        log.rename(anne, "Clementine")
    words = ["archive", "remove", *(["--club", "Beaune", "--yes"] if whole else [str(path)]), "--archive", str(where)]
    monkeypatch.setattr(engines, "_LOCK_S", 0)

    def held() -> bytes:
        return b"".join(each.read_bytes() for each in tmp_path.glob("archive.db*"))

    with Archive.open(where, create=True) as archive:  # which keeps the -wal meanwhile
        for read in (False, True):
            add_log(archive, path, "Beaune")
            add_log(archive, other, "Dijon" if whole else "Beaune")
            assert b"Clementine" in held()
            capsys.readouterr()
            if read:
                with Archive.open(where) as reader, reader.reading() as connection:
                    connection.execute(select(PLAYER)).all()
                    assert main(words) == 0
                wording(capsys.readouterr().err)
            else:
                assert main(words) == 0
                assert capsys.readouterr().err == ""
                assert b"Clementine" not in held() and b"Bernard" in held()


# -- people of several logs --------------------------------------------------------------------------------------------


@pytest.fixture
def three(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Three logs of a club, oldest first, with 1, 2 and 3 games of Anne and Bernard, who have ids of each."""
    paths = tmp_path / "first.db", tmp_path / "second.db", tmp_path / "third.db"
    for number, path in enumerate(paths, 1):
        with Log.open(path) as log:
            for _ in range(number):
                d21(log)
            if number == 1:
                log.rename(log.person("Anne"), "ANNE")
    return paths


def games_of(where: str) -> list[tuple[str, int]]:
    with Archive.open(where) as archive:
        return sorted((row["name"], row["games"]) for row in ask(archive, "results", Scope(club="Beaune"))[0].by_key)


def test_people_of_three_logs_are_there_once(
    where: str, three: tuple[Path, Path, Path], tmp_path: Path, said: Callable[..., str]
) -> None:
    first, second, third = three
    for path in three:
        add(where, path)
    assert games_of(where) == [
        *[("ANNE", 1), ("Anne", 2), ("Anne", 3)],
        *[("Bernard", 1), ("Bernard", 2), ("Bernard", 3)],
    ]
    for path in (first, second):
        said("people", "take", "--yes", path, "--log", third)
    said("people", "rename", "--yes", "ANNE", "Annette", "--log", first)  # names do not tell any more that it is she
    for path in (first, second):
        said("people", "take", "--yes", third, "--log", path)
    for path in three:
        add(where, path)
    assert games_of(where) == [("Anne", 6), ("Bernard", 6)]
    fresh = str(tmp_path / "fresh.db")
    for path in three:
        add(fresh, path)
    assert held(where) == held(fresh)
    before = held(where)
    for path in (first, second):
        for words in ((path, "--log", third), (third, "--log", path)):
            assert " now" not in said("people", "take", "--yes", *words)
        assert add(where, path).merged == add(where, third).merged == 0
    assert held(where)["games"] == before["games"]


def test_people_of_one_name_from_two_logs_are_told_and_numbered_until_they_are_one(
    where: str, three: tuple[Path, Path, Path], said: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, _ = three

    def told(*words: object) -> str:
        assert main([*map(str, words), "--archive", where]) == 0
        return capsys.readouterr().out

    assert "so are people of another log" not in told("archive", "add", first, "--club", "Beaune")
    added = told("archive", "add", second, "--club", "Beaune")
    assert "another log of Beaune called, who are counted apart" in added and "tablier people take" in added
    assert "Bernard (1)" in (asked := told("stats", "results")) and "Bernard (2)" in asked
    assert "people of two logs of one club, who are counted apart" in " ".join(asked.split())
    said("people", "take", "--yes", second, "--log", first)
    assert "counted apart" not in told("archive", "add", first)
    assert "(1)" not in told("stats", "results")


def test_two_whom_one_of_two_logs_has_merged_are_there_once(
    wording: Wording, where: str, three: tuple[Path, Path, Path], said: Callable[..., str]
) -> None:
    old, new, _ = three
    said("people", "take", "--yes", old, "--log", new)
    said("people", "rename", "--yes", "Bernard", "Benoît", "--log", new)
    with Log.open(new) as log:
        log.person("Bernd")
    said("people", "merge", "--yes", "Benoît", "Bernd", "--log", new)
    add(where, old)
    add(where, new)
    assert [name for name, _ in games_of(where)] == ["Anne", "Bernard", "Bernd"]
    out = said("people", "take", "--yes", old, "--log", new)
    wording(out)
    out = said("people", "take", "--yes", new, "Bernd", "--log", old)
    wording(out)
    add(where, old)
    add(where, new)
    assert games_of(where) == [("Anne", 3), ("Bernd", 3)]


# -- others at the same time -------------------------------------------------------------------------------------------


def test_a_log_that_is_taken_out_while_it_is_added_is_said(
    wording: Wording,
    where: str,
    evenings: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: Callable[..., str],
) -> None:
    path = copied(evenings, tmp_path / "log.db")
    add(where, path)
    writing = Archive.writing

    def taken(archive: Archive, club: str) -> AbstractContextManager[tuple[Connection, int]]:
        monkeypatch.setattr(Archive, "writing", writing)
        remove(where, path)
        return writing(archive, club)

    monkeypatch.setattr(Archive, "writing", taken)
    line = said("archive", "add", path, "--club", "Beaune", "--to", where, status=2)
    wording(line)
    assert not any(held(where).values())
    assert add(where, path).new == [1, 2, 3, 4, 5, 6]


def test_a_campaign_that_is_taken_out_while_it_is_played_leaves_no_gap(
    where: str, evenings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablier.archive.campaigns._AT_ONCE", 2)
    done: list[object] = []

    def take_out(outcome: object) -> None:
        done.append(outcome)
        if len(done) == 3:
            with Archive.open(where, create=True) as other:
                remove_club(other, "Sim")
            add(where, evenings)  # whose source may get the number of the one that went

    with Archive.open(where, create=True) as archive:
        with pytest.raises(ArchiveError, match="were taken out of the archive meanwhile; run the command again"):
            add_campaign(archive, "Sim", CAMPAIGN, 6, Alone(), take_out)
        assert add_campaign(archive, "Sim", CAMPAIGN, 6, Alone())[1] == 0
    sizes = sorted(len(games) for games in held(where)["games"].values())
    assert sizes == [6, 6]


@pytest.fixture
def behind(postgres: Postgres) -> Iterator[Callable[..., tuple[str, Callable[[], Any]]]]:
    """Return a function that runs something while another transaction holds what it waits for, on a server."""
    with ThreadPoolExecutor(1) as threads:

        def wait(where: str, first: Callable[[Connection], object], then: Callable[[], Any]) -> Any:
            begun = Event()

            def begin() -> Any:
                begun.set()
                return then()

            with Archive.open(where, create=True) as archive, archive.correcting() as connection:
                first(connection)
                waiting = threads.submit(begin)
                begun.wait()
                name, until = where.rpartition("/")[2].partition("?")[0], monotonic() + 30
                asked = f"SELECT 1 FROM pg_stat_activity WHERE datname = '{name}' AND wait_event_type = 'Lock'"
                while not postgres.sql(asked):
                    assert monotonic() < until and not waiting.done(), waiting
                    sleep(0.02)
            return waiting.result(30)

        yield wait


def lock(connection: Connection, club: str) -> None:
    """Lock a club as a writer does, so that others wait at its row."""
    connection.execute(select(CLUB.c.id).where(CLUB.c.name == club).with_for_update()).one()


@thorough
def test_a_writer_who_waited_for_a_club_that_went_makes_it_anew(
    postgres: Postgres, evenings: Path, other: Path, behind: Callable[..., Any]
) -> None:
    where = postgres.make("went")
    add(where, other)

    def take_out(connection: Connection) -> None:
        lock(connection, "Beaune")
        _remove_club(connection, connection.execute(select(CLUB.c.id)).scalar_one())

    assert behind(where, take_out, lambda: add(where, evenings)).new == [1, 2, 3, 4, 5, 6]
    assert {club for club, *_ in held(where)["sources"]} == {"Beaune"}


def after_insert(patch: pytest.MonkeyPatch, table: Table, work: Callable[[], object]) -> list[Table]:
    """Have something done once by another connection, after the next insert into a table; return where that was."""
    executed, done = Connection.execute, list[Table]()

    def execute(connection: Connection, statement: Any, *words: Any, **more: Any) -> Any:
        result = executed(connection, statement, *words, **more)
        if not done and isinstance(statement, Insert) and statement.table is table:
            done.append(table)
            work()
        return result

    patch.setattr(Connection, "execute", execute)
    return done


@pytest.mark.parametrize("how", each(2, ["goes", "renamed"]))
def test_a_club_that_goes_between_two_statements_of_a_writer_is_made_anew(
    postgres: Postgres, evenings: Path, other: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The row is there when the writer would make it, and is not when it would be locked."""
    where = postgres.make(f"between_{how}")
    add(where, other)

    def change() -> None:
        with Archive.open(where, create=True) as another:
            if how == "goes":
                remove_club(another, "Beaune")
            else:
                rename_club(another, "Beaune", "Dijon")

    changed = after_insert(monkeypatch, CLUB, change)
    assert add(where, evenings).new == [1, 2, 3, 4, 5, 6]
    assert changed
    assert {club for club, *_ in held(where)["sources"]} == ({"Beaune"} if how == "goes" else {"Beaune", "Dijon"})


@thorough
def test_a_log_that_went_to_another_club_meanwhile_is_taken_out_there(
    postgres: Postgres, evenings: Path, other: Path, behind: Callable[..., Any]
) -> None:
    where = postgres.make("moved")
    add(where, evenings)
    add(where, other)
    with Log.read(evenings) as log:
        origin = bytes.fromhex(log.origin)

    def move(connection: Connection) -> None:
        lock(connection, "Beaune")
        new = connection.scalar(insert(CLUB).values(name="Dijon").returning(CLUB.c.id))
        connection.execute(update(SOURCE).where(SOURCE.c.origin == origin).values(club=new))

    def take_out() -> None:
        with Archive.open(where) as archive, archive.correcting() as connection:
            assert _locked(connection, origin).origin == origin
            with pytest.raises(LockNotAvailable):
                postgres.sql("SELECT 1 FROM club WHERE name = 'Dijon' FOR UPDATE NOWAIT", "moved")

    behind(where, move, take_out)


def _take_out(connection: Connection, path: Path) -> None:
    """Do what :func:`remove_log` does, within another transaction."""
    remove_log(Mock(correcting=lambda: nullcontext(connection), empty_wal=lambda: True), path)
