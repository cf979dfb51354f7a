"""What a log keeps of games that are over: it is what follows from their entries, and nothing is lost with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from forging import assert_refused, edit
from tablier.log.chain import LogError
from tablier.log.fold import GameInfo
from tablier.log.store import Log

SEATS = [{"name": name, "place": 0, "source": "random"} for name in "AB"]
END = {"scores": {"p1": 1, "p2": 0}, "winners": ["p1"]}


def rows(path: Path) -> list[int]:
    with closing(sqlite3.connect(path)) as db:
        return [game for (game,) in db.execute("SELECT game FROM ended ORDER BY game")]


def listed(path: Path) -> list[GameInfo]:
    with Log.read(path) as log:
        infos = log.games()
        assert infos == [log.game(info.id) for info in infos]
        return infos


def test_lists_say_the_same_with_and_without_rows(path: Path) -> None:
    infos = listed(path)
    assert rows(path) == [info.id for info in infos if info.ended is not None] != []
    edit(path, "DELETE FROM ended WHERE game = 2")
    assert listed(path) == infos
    edit(path, "DELETE FROM ended")
    assert listed(path) == infos
    with Log.open(path) as log:
        assert log.games() == infos
    assert rows(path) == [info.id for info in infos if info.ended is not None], "they are kept again"


def test_names_are_those_that_stand_beside_the_chain(path: Path) -> None:
    before = listed(path)[0].names
    with Log.open(path) as log:
        log.rename(log.person(before[0]), "Zoe")
        assert log.games()[0].names == ("Zoe", *before[1:])
    assert listed(path)[0].renamed == [("Zoe", before[0])]


def test_a_takeback_after_the_end_reopens_a_game(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Log.open(path) as log:
        for _ in range(2):
            game = log.begin_game("dilemma", {}, SEATS)
            log.append(game, "move", {"text": "p1 offer 3", "by": "random"})
            log.append_all([(game, "move", {"text": "p2 pass", "by": "random"}), (game, "end", END)])
        assert [(info.moves, info.result) for info in log.games()] == [(2, END)] * 2 and rows(path) == [1, 2]
        log.append(1, "takeback", {"to": 1, "by": 0, "agreed": []})
        assert rows(path) == [2]
        assert [(info.moves, info.result) for info in log.games()] == [(1, None), (2, END)]
        log.append_all([(1, "move", {"text": "p2 pass", "by": "random"}), (1, "end", END), (1, "shown", {})])
        assert [(info.moves, info.result) for info in log.games()] == [(2, END)] * 2 and rows(path) == [1, 2]
        log.append(2, "move", {"text": "p1 pass", "by": "random"})
        assert [(info.moves, info.result) for info in log.games()] == [(2, END), (3, None)] and rows(path) == [1]
        log.verify()


def test_a_row_goes_with_the_end_that_could_not_be_written(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        game = log.begin_game("dilemma", {}, SEATS)
        (pages,) = log._db.execute("PRAGMA page_count").fetchone()
        log._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogError, match="disk is full"):
            log.append_all([(game, "end", END), *((game, "note", {"n": n, "long": "x" * 999}) for n in range(50))])
        log._db.execute(f"PRAGMA max_page_count = {pages + 100}")
        assert log.games()[0].ended is None and log.game(1).ended is None and rows(log.path) == []
        log.append(game, "end", END)
        assert log.games()[0].result == END and log.verify() == log.last_entry == 2


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("UPDATE ended SET info = replace(info, 'd21', 'dilemma') WHERE game = 1", "of game 1 does not follow"),
        ("UPDATE ended SET seats = '[]' WHERE game = 2", "of game 2 does not follow"),
        ("INSERT INTO ended SELECT 99, info, seats FROM ended WHERE game = 1", "of game 99 does not follow"),
    ],
)
def test_a_row_that_does_not_follow_is_refused(path: Path, change: str, says: str) -> None:
    edit(path, change)
    assert_refused(path, says)


@pytest.mark.parametrize("info", ["", "[]", "{}", '["d21",{},"","",1,{},true,[]]'])
def test_a_row_that_says_nothing_is_damage(path: Path, info: str) -> None:
    edit(path, f"UPDATE ended SET info = '{info}' WHERE game = 1")
    with Log.read(path) as log:
        with pytest.raises(LogError, match="of game 1 is damaged"):
            log.games()
        with pytest.raises(LogError, match="of game 1 does not follow"):
            log.verify()
