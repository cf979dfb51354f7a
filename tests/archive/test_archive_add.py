"""What is added to an archive: ended games of whole logs, each once, as the log has them now."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Container, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from adding import add, copied, d21, finish, held, without
from broken_off import cut
from honest import at_screens_only
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from postgres import Postgres
from psycopg import Copy
from sqlalchemy import Connection, select, update

import replies
from at_screens import HandClock, Screens
from forging import stored
from sample import sample
from tablier.archive import engines
from tablier.archive.database import Archive, ArchiveError, write_rows
from tablier.archive.ended import EndedGame
from tablier.archive.facts import FactRow, facts_in
from tablier.archive.keeping import ClubWriter
from tablier.archive.logs import _table, add_log
from tablier.archive.questions import Scope, ask
from tablier.archive.tables import ADDED, FACT, PLAYER
from tablier.cli.main import main
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games.core.parts import PartError
from tablier.games.core.questions import SURE
from tablier.games.d21.rules import D21
from tablier.judge.audit import Report, examine
from tablier.log.chain import Entry, LogError, canonical
from tablier.log.store import Log
from tablier.play.beginning import begin


def ends(path: Path) -> list[int]:
    with Log.read(path) as log:
        return [entry.n for entry in log.entries() if entry.kind == "end"]


def test_a_log_that_grows_is_added_part_by_part_to_what_it_is_as_a_whole(
    where: str, evenings: Path, tmp_path: Path
) -> None:
    for number, n in enumerate(ends(evenings), 1):
        cut(evenings, tmp_path / f"{n}.db", n)
        added = add(where, tmp_path / f"{n}.db")
        assert (added.new, added.same) == ([number], list(range(1, number)))
    add(where, evenings)
    whole = tmp_path / "whole.db"
    add(str(whole), evenings)
    assert held(where) == held(str(whole))
    (games,) = held(where)["games"].values()
    assert [game.number for game in games] == [1, 2, 3, 4, 5, 6]


def reopen(log: Log, game: int) -> None:
    """Take the end of a game of D.21 back."""
    room = Screens(log, game, HandClock(), (1, 2))
    room.command("back", seat=1)
    room.say(2, replies.answer(True))
    room.running.close()


def test_a_copy_in_which_other_games_were_played_is_refused_with_the_entry(
    where: str, evenings: Path, tmp_path: Path
) -> None:
    one, other = (copied(evenings, tmp_path / name) for name in ("one.db", "other.db"))
    with Log.read(evenings) as log:
        last = sum(1 for _ in log.entries())
    for path, moves in ((one, 2), (other, 4)):
        with Log.open(path) as log:
            d21(log, moves=moves)
    assert add(where, one).new == [1, 2, 3, 4, 5, 6, 7]
    before = held(where)
    near = "|".join(str(last + ahead) for ahead in (1, 2, 3))  # a byte is equal by chance once in 256 times
    with pytest.raises(ArchiveError, match=f"other.db: entry ({near}) is not the one that was added before"):
        add(where, other)
    shorter = tmp_path / "shorter.db"
    cut(other, shorter, last + 3)
    with pytest.raises(ArchiveError, match=f"entry ({near}) is not") as refused:
        add(where, shorter)
    with Log.read(one) as log:
        assert f"The archive has the other one, up to entry {log.verify()}, whose head is {log.head};" in str(
            refused.value
        )
    assert held(where) == before


def test_a_fork_is_refused_though_all_that_is_kept_of_its_hashes_is_equal(
    where: str, evenings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a byte is by chance: the whole hash of the last entry tells."""
    monkeypatch.setattr("tablier.archive.logs._SHORT", 0)
    one, other = (copied(evenings, tmp_path / name) for name in ("one.db", "other.db"))
    for path, moves in ((one, 2), (other, 4)):
        with Log.open(path) as log:
            d21(log, moves=moves)
    add(where, one)
    with Log.read(one) as log:
        last = sum(1 for _ in log.entries())
    before = held(where)
    with pytest.raises(ArchiveError, match=f"other.db: entry {last} is not the one that was added before"):
        add(where, other)
    assert held(where) == before


def test_people_are_in_the_archive_as_they_are_in_the_log(where: str, evenings: Path, tmp_path: Path) -> None:
    path = copied(evenings, tmp_path / "log.db")
    add(where, path)
    with Log.open(path) as log:
        anne, bernard, christine = (log.names().find(name) for name in ("Anne", "Bernard", "Christine"))
        assert anne and bernard and christine
        log.rename(anne, "Annette")
        log.forget(bernard)
    added = add(where, path)
    assert (added.same, added.renamed, added.merged, added.forgotten) == ([1, 2, 3, 4, 5, 6], 1, 0, 1)
    assert held(where)["players"] == {
        ("Beaune", anne, "Annette"),
        ("Beaune", bernard, None),
        ("Beaune", christine, "Christine"),
    }
    with Log.open(path) as log:
        daniel = log.person("Daniel")
        log.merge(christine, daniel)
    added = add(where, path)
    assert added.changed
    assert (added.renamed, added.merged, added.forgotten) == (0, 1, 0)
    added = add(where, path)
    assert (added.renamed, added.merged, added.forgotten) == (0, 0, 0)
    now = held(where)
    assert not any(christine in key for key in now["summary"]), "what was Christine's is Daniel's"
    fresh = tmp_path / "fresh.db"
    add(str(fresh), path)
    assert now["summary"] == held(str(fresh))["summary"]
    assert now["games"] == held(str(fresh))["games"]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """The logs of a club on an old computer and on a new one: Anne and Bernard have other ids there."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    for path, moves in ((old, (2, 4)), (new, (4, 2, 6))):
        with Log.open(path) as log:
            for each in moves:
                d21(log, moves=each)
    return old, new


def results(where: str, question: str = "results") -> list[dict[str, Any]]:
    with Archive.open(where) as archive:
        return ask(archive, question, Scope(club="Beaune"))[0].by_key


def test_people_of_two_logs_are_the_same_once_they_were_taken(
    where: str, two: tuple[Path, Path], tmp_path: Path
) -> None:
    old, new = two
    add(where, old)
    add(where, new)
    assert [row["name"] for row in results(where)].count("Anne") == 2
    with Log.read(old) as theirs, Log.open(new) as log:
        log.take(theirs)
    added = add(where, new)
    assert (added.changed, added.merged) == ([1, 2, 3], 2)
    assert {row["name"]: row["games"] for row in results(where)} == {"Anne": 5, "Bernard": 5}
    assert [row["games"] for row in results(where, "against")] == [5]
    assert {row["name"]: row["games"] for row in results(where, "ratings")} == {"Anne": 5, "Bernard": 5}
    for number, logs in enumerate(((old, new), (new, old))):
        fresh = str(tmp_path / f"{number}.db")
        for path in logs:
            add(fresh, path)
        assert held(where) == held(fresh)
    assert add(where, new).merged == 0
    before = held(where)
    add(where, old)
    assert held(where) == before


def test_a_name_that_is_forgotten_in_one_of_two_logs_does_not_come_back_with_the_other(
    where: str, two: tuple[Path, Path]
) -> None:
    old, new = two
    with Log.read(old) as theirs, Log.open(new) as log:
        anne, bernard = (theirs.names().find(name) for name in ("Anne", "Bernard"))
        assert anne and bernard
        log.take(theirs)
    add(where, new)
    with Log.open(old) as log:
        log.forget(anne)
        log.rename(bernard, "Benoît")
    assert add(where, old).forgotten == 1
    assert held(where)["players"] == {("Beaune", anne, None), ("Beaune", bernard, "Benoît")}
    added = add(where, new)
    assert (added.forgotten, added.renamed) == (0, 1)
    assert held(where)["players"] == {("Beaune", anne, None), ("Beaune", bernard, "Bernard")}, "the last one counts"


def test_a_game_whose_end_is_taken_back_goes_and_comes_again(where: str, tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        d21(log)
        game = d21(log)
    assert add(where, path).new == [1, 2]
    with Log.open(path) as log:
        reopen(log, game)
    assert add(where, path).removed == [2]
    (games,) = held(where)["games"].values()
    assert [game.number for game in games] == [1]
    with Log.open(path) as log:
        finish(log, game)
    assert add(where, path).new == [2]
    fresh = tmp_path / "fresh.db"
    add(str(fresh), path)
    now, anew = held(where), held(str(fresh))
    assert (now["games"], now["summary"], now["players"]) == (anew["games"], anew["summary"], anew["players"])


def forged(entries: list[Entry], game: int) -> list[Entry]:
    """Have the second of a game win that nobody has won."""
    return [
        replace(entry, body={**entry.body, "winners": ["p2"]}) if (entry.game, entry.kind) == (game, "end") else entry
        for entry in entries
    ]


def test_a_game_that_does_not_verify_is_named_and_the_others_go_in(where: str, evenings: Path, tmp_path: Path) -> None:
    with Log.read(evenings) as log:
        entries = list(log.entries())
    path = stored(tmp_path / "forged.db", forged(entries, 3))
    added = add(where, path)
    assert added.new == [1, 2, 4, 5, 6]
    (why,) = added.refused
    assert re.fullmatch(r"game 3 \(D.21\) was left out: entry \d+: .*p2.*", str(why))


_ODD: tuple[Any, ...] = (None, -1, 0, 3, 999, 1 << 70, 1.5, "x", "", [], {}, True, ["p9"], ["p1"], {"1": 999})
_OTHER_KINDS = ("move", "end", "takeback", "begins", "ids", "evening", "game", "odd")


def forge(entry: Entry, **body: Any) -> Entry:
    """Return an entry that says something else."""
    return replace(entry, body={**entry.body, **body})


def damaged(entry: Entry) -> list[list[Entry]]:
    """Return what may stand in a log in the place of an entry of a game, by mistake or by somebody's hand."""

    def having(**body: Any) -> list[Entry]:
        return [forge(entry, **body)]

    keys = entry.body.keys() - {"evening"}  # a game without it is an evening of its own, and those after it are others
    return [
        *([], [entry, entry], having(odd=1)),
        *([replace(entry, at=at)] for at in ("2200-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z")),
        *([replace(entry, kind=kind)] for kind in _OTHER_KINDS),
        *([replace(entry, body={other: entry.body[other] for other in entry.body if other != key})] for key in keys),
        *(having(**{key: odd}) for key in entry.body for odd in _ODD),
        *(having(id=entry.body["id"] + more) for more in (1, 20) if "id" in entry.body),
    ]


def test_an_entry_that_is_odd_leaves_out_its_game_alone(evenings: Path, tmp_path: Path) -> None:
    with Log.read(evenings) as log:
        whole = list(log.entries())
    add(str(tmp_path / "whole.db"), evenings)
    (games_,) = held(str(tmp_path / "whole.db"))["games"].values()
    sound = [(each.number, each.state) for each in games_]
    of_games = [at for at, entry in enumerate(whole) if entry.game is not None]
    result = next(at for at in of_games if whole[at].kind == "end" and whole[at].game == 2)
    wrong_score = damaged(whole[result]).index([forge(whole[result], scores={"1": 999})])
    question = next(at for at in of_games if whole[at].kind == "ask" and whole[at].game == 2)
    other_id = damaged(whole[question]).index([forge(whole[question], id=whole[question].body["id"] + 20)])

    @settings(max_examples=sample(6, 100), deadline=None)
    @given(at=st.sampled_from(of_games), which=st.integers(0, 200))
    @example(at=result, which=wrong_score)
    @example(at=question, which=other_id)
    def check(at: int, which: int) -> None:
        kinds, game = damaged(whole[at]), whole[at].game
        entries = [*whole[:at], *kinds[which % len(kinds)], *whole[at + 1 :]]
        with TemporaryDirectory(dir=tmp_path) as folder:
            where, path = f"{folder}/archive.db", stored(Path(folder) / "log.db", entries)
            try:
                added = add(where, path)
            except LogError as error:
                assert "is of game" in str(error), "a game that begins twice, or never, is in the chain of no log"
                return
            (games,) = held(where)["games"].values()
        assert [each.state for each in games if each.number != game] == [state for n, state in sound if n != game]
        named = [str(why).startswith(f"game {game} ") and " was left out: " in str(why) for why in added.refused]
        assert named == ([] if game in (*added.new, *added.running) else [True])

    check()


def test_an_entry_of_one_game_begins_no_evening_of_others(evenings: Path, tmp_path: Path) -> None:
    with Log.read(evenings) as log:
        whole = list(log.entries())
    at = next(at for at, entry in enumerate(whole) if entry.game == 1) + 1
    forged = replace(whole[at], kind="evening", body={"evening": 9, "table": ""}, boot=None, number=None)
    where = str(tmp_path / "archive.db")
    added = add(where, stored(tmp_path / "log.db", [*whole[:at], forged, *whole[at:]]))
    assert [str(why) for why in added.refused] == [f"game 1 (D.21) was left out: entry {at + 1} is evening of game 1"]
    (games,) = held(where)["games"].values()
    assert [(each.number, each.evening) for each in games] == [(2, 1), (3, 3), (4, 2), (5, 1), (6, 2)]


@pytest.mark.parametrize(
    "at", ["9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00.000000Z", "2200-01-01T00:00:00.000000Z"]
)
def test_a_game_of_a_year_that_no_clock_says_is_left_out(
    where: str, evenings: Path, tmp_path: Path, at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Log.read(evenings) as log:
        entries = [replace(entry, at=at) if entry.game == 2 else entry for entry in log.entries()]
    path = stored(tmp_path / "late.db", entries)
    added = add(where, path)
    (why,) = added.refused
    assert str(why).startswith("game 2 ") and f"is dated '{at}'" in str(why) and "of 1970 to 2199" in str(why)
    assert 2 not in added.new and len(added.new) >= 1
    for zone in ("Etc/GMT+12", "Etc/GMT-14"):  # what is left out can still be looked at
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TZ", zone)
            time.tzset()
            for words in (["list"], ["show", "2"], ["show", "--evening", "1"]):
                assert main(["log", "--log", str(path), *words]) == 0, capsys.readouterr().err
    time.tzset()


def test_what_a_table_went_through_is_counted() -> None:
    """A table that was lost twice, and reset once, whose landings are certain or not."""
    landed = replies.land(0, 0)
    found: list[tuple[str, dict[str, Any]]] = [
        *(("table", {"event": "hello", "boot": boot}) for boot in ("one", "one", "two")),
        *(("table", {**landed, "confidence": confidence}) for confidence in (SURE, SURE - 1, SURE - 2)),
        *((kind, {}) for kind in ("gap", "aborted", "void", "fault", "warning", "dispute", "dispute", "move")),
        ("table", replies.pick(0)),
    ]
    entries = [Entry(n, 1, "", kind, body, "") for n, (kind, body) in enumerate(found, 1)]
    assert _table(entries) == {
        **dict.fromkeys(("gap", "aborted", "void", "fault", "warning"), 1),
        "dispute": 2,
        "hello": 3,
        "reset": 1,
        "landed": 3,
        "doubtful": 2,
    }


def test_practice_with_a_bot_is_added_as_practice(where: str, tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        seats = [Seat("Anne", 0, AT_SCREEN), Seat("Bot", 0, "random")]
        for practice in (True, False):
            room = Screens(log, begin(log, "d21", {"max_plies": 2}, seats, practice=practice), HandClock(), (1,))
            room.play_until()
            room.running.close()
        log.append(1, "warning", {"what": "table", "why": {"text": "warm", "args": {}}})
    add(where, tmp_path / "log.db")
    ((one, other),) = held(where)["games"].values()
    assert (one.practice, other.practice) == (True, False)
    assert (one.table, other.table) == ({"warning": 1}, {})
    assert [seat.player.is_person for seat in one.seats] == [True, False]
    assert one.seats[1].player == ("bot random", "random")


def test_a_log_that_was_changed_afterwards_is_refused(where: str, evenings: Path, tmp_path: Path) -> None:
    path = copied(evenings, tmp_path / "log.db")
    add(where, evenings)
    before = held(where)
    with sqlite3.connect(path) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE entry SET at = '2025-11-28T22:44:34.172518Z' WHERE n = 9")
    db.close()
    with pytest.raises(LogError, match="entry 9 is not what was written"):
        add(where, path)
    assert held(where) == before


def test_only_games_to_which_something_was_added_are_run_again(
    where: str, evenings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(evenings, tmp_path / "log.db")
    add(where, path)
    again: list[int | None] = []

    def examined(entries: Sequence[Entry], but: Container[int | None]) -> Report:
        report = examine(entries, but)
        again.extend(found.game for found in report.by_game)
        return report

    monkeypatch.setattr("tablier.archive.logs.examine", examined)
    with Log.open(path) as log:
        d21(log)
        log.append(2, "reveal", {"by": "somebody"})
    added = add(where, path)
    assert (added.new, added.same, again) == ([7], [1, 2, 3, 4, 5, 6], [2, 7])
    again.clear()
    assert (add(where, path).same, again) == ([1, 2, 3, 4, 5, 6, 7], [])


def test_nothing_of_a_running_game_is_added(where: str, tmp_path: Path) -> None:
    at_screens_only(tmp_path)
    added = add(where, tmp_path / "log.db")
    assert len(added.running) == 2
    (games,) = held(where)["games"].values()
    assert [game.kind for game in games] == ["d21"]
    assert {key[4] for key in held(where)["summary"]} == {"d21"}


def test_moves_that_stay_secret_are_in_no_column_count_or_fact(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a game that never lays open what the last seats did."""
    monkeypatch.setattr(D21, "secret", lambda rules, before, move, now: move.actor == 2)
    with Log.open(tmp_path / "log.db") as log:
        d21(log, moves=3)
        moves = log.moves(1)
    added = add(where, tmp_path / "log.db")
    assert (added.new, list(map(str, added.refused))) == ([1], [])
    now = held(where)
    ((game,),) = now["games"].values()
    assert game.moves == (moves[0],)
    assert b"p2" not in canonical([game.moves, game.options, dict(game.table)]).encode()
    assert now["facts"] == set(), "facts are those of a game that everybody has seen end"


def test_a_log_that_grows_while_it_is_added_comes_in_as_it_stood_and_with_the_newest_names(
    where: str, evenings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied(evenings, tmp_path / "log.db")
    writing = Archive.writing

    def examined(entries: Sequence[Entry], but: Container[int | None]) -> Report:
        with Log.open(path) as log:
            d21(log)
        return examine(entries, but)

    def waited(archive: Archive, club: str) -> AbstractContextManager[tuple[Connection, int]]:
        with Log.open(path) as log:
            anne, bernard, christine = (log.names().find(name) for name in ("Anne", "Bernard", "Christine"))
            assert anne and bernard and christine
            log.forget(anne)
            log.rename(bernard, "Benoît")
            log.merge(christine, log.person("Daniel"))
        return writing(archive, club)

    with monkeypatch.context() as patch:
        patch.setattr("tablier.archive.logs.examine", examined)
        patch.setattr(Archive, "writing", waited)
        added = add(where, path)
    assert (added.new, added.running) == ([1, 2, 3, 4, 5, 6], [])
    assert {name for _, _, name in held(where)["players"]} == {None, "Benoît", "Daniel"}
    assert (add(where, path).new, added.changed) == ([7], [])


def test_a_name_that_was_forgotten_does_not_come_back_with_an_older_copy(
    where: str, evenings: Path, tmp_path: Path
) -> None:
    path = copied(evenings, tmp_path / "log.db")
    add(where, path)
    with Log.open(path) as log:
        bernard = log.names().find("Bernard")
        assert bernard
        log.forget(bernard)
    add(where, path)
    before = held(where)
    assert ("Beaune", bernard, None) in before["players"]
    assert add(where, evenings).older, "it has a change less"
    assert held(where) == before
    with Archive.open(where, create=True) as archive, archive.correcting() as connection:
        connection.execute(
            update(ADDED).values(changes=0, change=None)
        )  # as of a log that an earlier version has added
    assert not add(where, evenings).older, "nothing tells that a name was forgotten"
    assert held(where) == before


def test_no_byte_of_a_name_that_was_forgotten_is_left_in_the_file(
    evenings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, where = copied(evenings, tmp_path / "log.db"), tmp_path / "archive.db"
    with Log.open(path) as log:
        bernard, christine = (log.names().find(name) for name in ("Bernard", "Christine"))
        assert bernard and christine
        log.rename(bernard, "Bartholomew")
        log.rename(christine, "Clementine")
    connected = engines._connect

    def careless(*words: Any) -> sqlite3.Connection:
        db = connected(*words)
        db.execute("PRAGMA secure_delete = OFF")  # as SQLite has it where nobody chose otherwise
        return db

    monkeypatch.setattr(engines, "_connect", careless)
    monkeypatch.setattr(engines, "_LOCK_S", 0)

    def bytes_of() -> bytes:
        return b"".join(each.read_bytes() for each in tmp_path.glob("archive.db*"))

    with Archive.open(where, create=True) as archive:  # which keeps the -wal meanwhile
        assert not add_log(archive, path, "Beaune").names_stay
        assert b"Bartholomew" in bytes_of() and b"Clementine" in bytes_of()
        with Log.open(path) as log:
            log.forget(bernard)
        with Archive.open(where) as other, other.reading() as connection:
            connection.execute(select(PLAYER)).all()
            assert add_log(archive, path, "Beaune").names_stay
        with Log.open(path) as log:
            log.merge(christine, log.person("Daniel"))
        assert not add_log(archive, path, "Beaune").names_stay
        assert b"Bartholomew" not in bytes_of() and b"Clementine" not in bytes_of()
        assert b"Daniel" in bytes_of()


def test_games_that_are_not_installed_here_stay_as_they_are(
    where: str, evenings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another machine has added them; people who were renamed, merged or forgotten are so all the same."""
    path = copied(evenings, tmp_path / "log.db")
    add(where, path)
    with Log.open(path) as log:
        anne, bernard, christine = (log.names().find(name) for name in ("Anne", "Bernard", "Christine"))
        assert anne and bernard and christine
        log.rename(anne, "Annette")
        log.forget(bernard)
        log.merge(christine, log.person("Daniel"))
        reopen(log, 2)
        finish(log, 2)
    with without("d21"):
        added = add(where, path)
        assert (added.same, added.changed, added.removed) == ([1, 3, 5], [4, 6], [])
        assert [str(why) for why in added.refused] == ["game 2 (d21) was left out: its rules are not installed"]
        names = {key: name for _, key, name in held(where)["players"]}
        assert (names[anne], names[bernard]) == ("Annette", None)
        assert main(["stats", "--archive", where]) == 0
        assert "d21" in capsys.readouterr().out
    with Log.open(path) as log:
        reopen(log, 6)
    with without("d21"):
        assert add(where, path).removed == [6]
    assert add(where, path).changed == [2]
    fresh = tmp_path / "fresh.db"
    add(str(fresh), path)
    assert held(where) == held(str(fresh))


def test_a_game_whose_part_fails_is_named_and_the_others_go_in(
    where: str, evenings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(game: EndedGame) -> list[FactRow]:
        if game.number == 3:
            raise PartError("facts.py: no")
        return facts_in(game)

    monkeypatch.setattr("tablier.archive.logs.facts_in", found)
    added = add(where, evenings)
    assert added.new == [1, 2, 4, 5, 6]
    assert [str(why) for why in added.refused] == ["game 3 (D.21) was left out: facts.py: no"]


# -- the database ----------------------------------------------------------------------------------


def test_names_in_an_archive_are_for_its_owner_alone(evenings: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch(0o644)
    for name in ("a.db", "empty.db"):
        add(str(tmp_path / name), evenings)
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize("club", ["", "  ", "a\nb", "x" * 81, "\udcff"])
def test_a_club_has_a_name_that_can_be_read(club: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["archive", "add", "log.db", "--club", club, "--to", str(tmp_path / "a.db")]) == 2
    assert "the name of a club has 1 to 80 characters" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_logs_that_cannot_be_added_make_no_archive(
    evenings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, where = tmp_path / "bad.db", tmp_path / "a.db"
    with Log.read(evenings) as log:
        stored(bad, [entry for entry in log.entries() if entry.kind != "evening"])
    for logs in ([tmp_path / "none.db"], [bad], [tmp_path / "none.db", bad]):
        assert main(["archive", "add", *map(str, logs), "--to", str(where)]) == (1 if bad in logs else 2)
        said = capsys.readouterr().err.splitlines()
        assert [line.startswith(f"tablier: {path}: ") for line, path in zip(said, logs, strict=False)] == [True] * len(
            logs
        )
        assert len(said) == (1 if len(logs) == 1 else 3), "and one line that says so"
        assert not where.exists()
    assert main(["archive", "add", str(bad), str(evenings), "--club", "Beaune", "--to", str(where)]) == 1
    out, err = capsys.readouterr()
    assert "6 new games" in out and len(err.splitlines()) == 2


@pytest.mark.parametrize(("owner", "method"), [(ClubWriter, "add"), (Copy, "write_row"), (ClubWriter, "finish")])
def test_a_connection_that_is_lost_is_told_in_one_line_and_nothing_is_added(
    owner: type,
    method: str,
    postgres: Postgres,
    evenings: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    database = f"lost_{method}"
    where = postgres.make(database)
    words = ["archive", "add", str(evenings), "--club", "Beaune", "--to", where]
    work = getattr(owner, method)

    def cut_off(*args: Any) -> None:
        postgres.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'")
        work(*args)

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, cut_off)
        assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tablier: postgresql://club@/{database}")
    assert ": the connection was lost (" in line and line.endswith("); run the command again")
    assert not any(held(where).values())
    assert main(words) == 0
    assert "6 new games" in capsys.readouterr().out


_ODD_FACT = (1, 2, "fact \\t", "a\tb\n\\N\r'é\"{}", 2**31 - 1, 0.1)


def test_rows_are_read_as_they_were_written(where: str) -> None:
    rows = [_ODD_FACT, (1, 2, "", "", -1, 1e-320), (1, 2, "die host 6", "6" * 80, 3, float("inf"))]
    with Archive.open(where, create=True) as archive, archive.writing("Beaune") as (connection, _):
        write_rows(connection, FACT, rows)
        assert [tuple(row) for row in connection.execute(select(FACT))] == rows


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((1, 2, "x" * 41, "", 1, 0.0), "value too long"),
        ((1, 2, "", "\0", 1, 0.0), "0x00"),
        ((1, 2**31, "", "", 1, 0.0), "out of range"),
    ],
)
def test_rows_that_a_server_refuses_leave_nothing_behind(postgres: Postgres, row: tuple[Any, ...], why: str) -> None:
    where = postgres.make(f"refused {why}")
    with Archive.open(where, create=True) as archive:
        with pytest.raises(ArchiveError, match=why), archive.writing("Beaune") as (connection, _):
            write_rows(connection, FACT, [_ODD_FACT, row])
        assert not any(held(where).values())
        with archive.writing("Beaune") as (connection, _):
            write_rows(connection, FACT, [_ODD_FACT])


@pytest.mark.parametrize(
    ("where", "host", "why"),
    [
        ("postgresql://club:open-sesame@127.0.0.1:1/none", "127.0.0.1, port 1", "Connection refused"),
        ("postgresql://club@/none?host={tmp_path}&port=17", "{tmp_path}, port 17", "No such file or directory"),
    ],
)
def test_a_server_that_is_not_reached_is_named(
    where: str, host: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = host.format(tmp_path=tmp_path)
    assert main(["stats", "--archive", where.format(tmp_path=tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(f": no connection to {host} ({why}); look whether the server runs there")
    assert "open-sesame" not in line


def test_logs_and_campaigns_are_listed(evenings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = str(tmp_path / "a.db")
    add(where, evenings)
    simulated = ["simulate", "roudalon", "--games", "1", "--jobs", "1", "--archive", where]
    assert main([*simulated, "--seed", "1", "--club", "Beaune"]) == 0
    assert main([*simulated, "--seed", "2", "--club", "Sim"]) == 0
    capsys.readouterr()
    assert main(["archive", "list", "--archive", where]) == 0
    out = capsys.readouterr().out
    assert [line for line in out.splitlines() if not line.startswith(" ")] == [
        "Beaune: 1 log, 1 simulated campaign, 7 games and 3 people",
        "Sim: 1 simulated campaign, 1 game and 0 people",
    ]


def test_a_log_is_added_as_that_of_a_club_which_is_named_once(
    evenings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where, copy = tmp_path / "a.db", copied(evenings, tmp_path / "copy.db")
    words = ["archive", "add", str(evenings), "--to", str(where)]
    assert main(words) == 2
    assert capsys.readouterr().err == (
        f"tablier: {evenings}: of which club? Name it with --club CLUB; clubs of the archive: none yet\n"
    )
    assert not where.exists()
    assert main([*words, "--club", "Beaune"]) == main(words) == 0
    assert main(["archive", "add", str(copy), "--to", str(where)]) == 0, "it is known whose it is"
    assert "6 as before" in capsys.readouterr().out
    assert main(["archive", "list", "--archive", str(where)]) == 0
    assert capsys.readouterr().out.startswith("Beaune: 1 log, 6 games")
