"""The log: nothing acknowledged is lost, nothing is there twice, nothing changes unnoticed."""

from __future__ import annotations

import gc
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import astuple, replace

from forging import edit, stored
from of_kind import of_kind
from sample import THOROUGH
from tablier.cli.main import main
from tablier.course.seats import Seat
from tablier.log import connection, files, migrations, store
from tablier.log.bodies import EVENTS, HELLO, KINDS, Shape, check, misfit
from tablier.log.chain import Entry, LogError, Row, link, read_body, read_canonical
from tablier.log.connection import connect, snapshot, transaction
from tablier.log.fold import GameInfo
from tablier.log.lock import Locked
from tablier.log.people import Taken
from tablier.log.store import Log
from tablier.log.storing import read_entry
from tablier.play.beginning import begin
from tablier.screens.evenings import series_text
from unprivileged import NOBODY, unprivileged

SEATS = [
    {"name": name, "place": place, "source": "table"} for place, name in enumerate(("Anne", "Bob", "Christine"), 1)
]
BOOT = "00ff00ff00ff00ff"
PERSON = "0123456789abcdef"
COLUMNS = ("n", "game", "at", "kind", "body", "boot", "number", "hash")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def fill(path: Path) -> None:
    """Some of everything."""
    with Log.open(path) as log:
        game = log.begin_game("dilemma", {"first": "p2"}, SEATS)
        log.append_all(
            [(game, "table", {"message": "picked"}), (game, "move", {"text": "p2 offer 8", "by": "table"})], (BOOT, 1)
        )
        log.append(game, "takeback", {"to": 0})
        log.append(game, "move", {"text": "p2 offer 7", "by": "keyboard"}, (BOOT, 2))
        log.append(None, "gap", {"boot": BOOT, "after": 2})
        log.append(game, "note", {"é": ["\ud800", None, 1.5, {"deep": True}]}, ("ab", 1))
        log.next_id()
        log.append(game, "end", {"scores": {"p1": 1, "p2": 2, "p3": 3}, "winners": ["p3"]})


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log at rest, never to be changed."""
    path = tmp_path_factory.mktemp("sample") / "log.db"
    fill(path)
    return path


# -- what goes in comes out ------------------------------------------------------------------------


def test_entries_come_back_as_they_were(path: Path) -> None:
    with Log.open(path) as log:
        assert log.head == "00" * 32
        assert log.begin_game("struggle", {"board": "Y" * 10}, SEATS) == 1
        assert log.append(1, "move", {"text": "table roll K", "by": "table"}) == 2
        assert log.append_all([(1, "note", {}), (None, "gap", {"boot": "ab", "after": 3})]) == [3, 4]
        assert log.append_all([]) == []
    with Log.read(path) as log:
        entries = list(log.entries())
        assert [(e.n, e.game, e.kind, e.body) for e in entries] == [
            (1, 1, "game", {"game": "struggle", "options": {"board": "Y" * 10}, "seats": SEATS}),
            (2, 1, "move", {"text": "table roll K", "by": "table"}),
            (3, 1, "note", {}),
            (4, None, "gap", {"boot": "ab", "after": 3}),
        ]
        assert [e.n for e in log.entries(1)] == [1, 2, 3]
        assert log.head == entries[-1].hash
        assert log.verify() == 4
        ages = [datetime.now(UTC) - datetime.fromisoformat(e.at) for e in entries]
        assert timedelta() <= min(ages) and max(ages) < timedelta(minutes=1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(
    max_examples=30 if THOROUGH else 5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(bodies=st.lists(st.dictionaries(st.text(), json_values, max_size=3), min_size=1, max_size=4))
def test_any_json_is_kept(path: Path, bodies: list[dict[str, object]]) -> None:
    with Log.open(path) as log:
        numbers = log.append_all([(None, "note", body) for body in bodies])
        assert [entry.body for entry in log.entries() if entry.n in numbers] == bodies
        log.verify()


@pytest.mark.parametrize(
    "text",
    [
        '{"a":1e5}',
        '{"a":1e16}',
        '{"a":1E+16}',
        '{"a":1.0e3}',
        '{"a":1.50}',
        '{"a":0.00001}',
        '{"a":12345678901234567000.0}',
        '{"a":"é"}',
        '{"a":"\x7f"}',
        '{"a":"\\u00E9"}',
        '{"a":"\\u0041"}',
        '{"a":"\\/"}',
        '{"a":1, "b":2}',
        '{"b":1,"a":2}',
        '{"a":1,"a":1}',
        '{"a":-0}',
        '{"a":1} ',
    ],
)
def test_a_body_that_is_spelt_otherwise_is_found(path: Path, text: str) -> None:
    """A chain that is sound says nothing of how a body is written; a log writes it in one way."""
    value = json.loads(text)
    same = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert read_canonical(same) == read_body(text) == value
    if text != same:
        with pytest.raises(ValueError, match="is not written as a log writes it"):
            read_canonical(text)


@given(value=st.dictionaries(st.text(), json_values, max_size=3))
def test_one_text_alone_is_canonical(value: dict[str, object]) -> None:
    same = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert read_canonical(same) == value
    for other in (json.dumps(value), json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)):
        if other != same:
            with pytest.raises(ValueError):
                read_canonical(other)


_ODD: list[Any] = [None, True, -1, 0, 1, 7, 1 << 40, 1.5, "", "x", "p1", "host", "0" * 16, "A" * 32, [], [1], [9], {}]


@given(data=st.data())
def test_a_shape_finds_what_is_wrong_with_an_object(data: st.DataObject) -> None:
    """It takes what :func:`misfit` has nothing against, and nothing else."""
    fields = data.draw(st.sampled_from([*KINDS.values(), *EVENTS.values(), HELLO]))
    odd = st.sampled_from(_ODD)
    value: dict[str, Any] = {}
    for name, type_ in fields.items():
        good = [each for each in (*_ODD, "0" * 32, "0" * 64) if type_.allows(each)]
        wanted = st.sampled_from(good) if good and data.draw(st.integers(0, 9)) > 0 else odd
        if not name.endswith("?") or data.draw(st.booleans()):
            value[name.rstrip("?")] = data.draw(wanted)
    if not data.draw(st.integers(0, 4)):
        value[data.draw(st.sampled_from(["id", "more", "salt", "text?"]))] = data.draw(odd)
    if value and not data.draw(st.integers(0, 4)):
        value.pop(data.draw(st.sampled_from(sorted(value))))
    assert Shape.of(fields).fits(value) == (not misfit(value, fields))


@pytest.mark.parametrize("kind", KINDS)
def test_a_shape_asks_of_each_field_what_it_can_be(kind: str) -> None:
    fields = KINDS[kind]
    values = [*_ODD, "judge", "0" * 32, "0" * 64, [{}], *({name: each} for name in ("p1", "rules") for each in _ODD)]
    values += [{"rules": 1, "script": 1}, {"dice": [], "bag": "host", "version": 1}, {"text": "x", "args": {}}]
    good = {name: [each for each in values if type_.allows(each)] for name, type_ in fields.items()}
    assert all(good.values()), "more values are needed here"
    needed = {name: each[-1] for name, each in good.items() if not name.endswith("?")}
    assert Shape.of(fields).fits(needed)
    for name, type_ in fields.items():
        for each in values:
            value = {**needed, name.rstrip("?"): each}
            assert Shape.of(fields).fits(value) == type_.allows(each) == (not misfit(value, fields)), value


_AT_TABLE = "2026-01-31T20:15:00.000+00:00"


@pytest.mark.parametrize(
    ("kind", "body", "comes"),
    [
        ("table", {"event": "called", "id": 1, "place": 1, "time": _AT_TABLE}, True),
        ("table", {"event": "hello", "board": "ab" * 8, "boot": BOOT, "version": "1"}, False),
        ("fault", {"what": "", "why": {"text": "x", "args": {}}, "code": 1, "payload": ""}, True),
        ("since", {}, True),
        ("pause", {"seat": 1}, False),
        ("reply", {"event": "done", "id": 1, "seat": 1}, False),
    ],
)
def test_what_a_table_says_has_the_number_of_an_event_and_nothing_else_has(
    kind: str, body: dict[str, object], comes: bool
) -> None:
    def entry(boot: str | None) -> Entry:
        return Entry(1, 1, "2026-01-31T20:15:00.000000Z", kind, body, "", boot, None if boot is None else 1)

    check(entry(BOOT if comes else None))
    with pytest.raises(ValueError, match="has no number of an event" if comes else "has the number of an event"):
        check(entry(None if comes else BOOT))
    for boot in (BOOT.upper(), BOOT[:-1], "xy" * 8) if comes else ():
        with pytest.raises(ValueError, match="comes from boot"):
            check(entry(boot))


def test_the_chain_is_what_the_documentation_says(sample: Path) -> None:
    previous = bytes(32)
    with Log.read(sample) as log:
        for n, game, at, kind, body, digest, boot, number in map(astuple, log.checked(0, log.last_entry)):
            parts = [json.dumps(value) for value in (n, game, at, kind)]
            parts.append(json.dumps(body, sort_keys=True, separators=(",", ":")))
            if boot is not None:
                parts.append(f'["{boot}",{number}]')
            assert digest == sha256(previous + f"[{','.join(parts)}]".encode()).hexdigest()
            previous = bytes.fromhex(digest)


def test_only_its_owner_can_read_it(path: Path) -> None:
    with Log.open(path) as log:
        log.append(None, "note", {})
        assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


def test_a_commit_is_on_the_disk(path: Path) -> None:
    with Log.open(path) as log:
        pragmas = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync")
        values = [log._db.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in pragmas]
        assert values == ["wal", 2, 1, 1]


# -- what must not be appended ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "cursor"),
    [
        ([(2, "note", {})], None),
        ([(0, "note", {})], None),
        ([(True, "note", {})], None),
        ([(None, "", {})], None),
        ([(None, "game", {})], None),
        ([(None, "note", [])], None),
        ([(None, "note", {}), (None, "note", {"x": object()})], None),
        ([(None, "note", {}), (None, "note", {"x": float("nan")})], None),
        ([], (BOOT, 3)),
        ([(None, "note", {})], (BOOT, 2)),
        ([(None, "note", {})], (BOOT, 4)),
        ([(None, "note", {})], (BOOT, 0)),
        ([(None, "note", {})], ("ab", 0)),
        ([(None, "note", {})], ("AB", 1)),
        ([(None, "note", {})], ("", 1)),
        ([(None, "note", {})], (BOOT, True)),
        ([(None, "note", {})], ("ab", 2)),
        ([(None, "note", {}), (None, "since", {})], ("ab", 2)),
        ([(None, "since", {})], (BOOT, 2)),
        ([(None, "since", {})], (BOOT, 1)),
    ],
)
def test_what_cannot_be_changes_nothing(path: Path, items: list[object], cursor: object) -> None:
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        log.append(1, "move", {"text": "p1 offer 1"}, (BOOT, 1))
        log.append(1, "move", {"text": "p2 throw 1 flat"}, (BOOT, 2))
        before = list(log.entries())
        with pytest.raises(ValueError):
            log.append_all(items, cursor)  # type: ignore[arg-type]
        assert list(log.entries()) == before
        assert (log.cursor(BOOT), log.cursor("ab")) == (2, 0)
        log.append(1, "note", {}, (BOOT, 3))
        log.append(1, "note", {}, ("ab", 1))
        assert log.verify() == 5


def test_each_event_is_logged_once_even_by_a_log_that_forgot(path: Path) -> None:
    fill(path)
    with Log.open(path, create=False) as log:
        log._cursor = (BOOT, 0)
        with pytest.raises(LogError, match="changed by another program"):
            log.append(1, "note", {}, (BOOT, 1))
        assert log.cursor(BOOT) == 2
        assert log.append(1, "note", {}, (BOOT, 3))
        log.verify()


def test_cursors_survive(path: Path) -> None:
    fill(path)
    with Log.read(path) as log:
        assert [log.cursor(boot) for boot in (BOOT, "ab", "cd")] == [2, 1, 0]


# -- games, evenings, people -----------------------------------------------------------------------


def test_moves_and_takebacks(path: Path) -> None:
    with Log.open(path) as log:
        game, other = log.begin_game("dilemma", {}, SEATS), log.begin_game("roudalon", {}, SEATS)
        for text in ("a", "b", "c"):
            log.append(game, "move", {"text": text})
        log.append(other, "move", {"text": "x"})
        log.append(game, "takeback", {"to": 1})
        log.append(game, "note", {"text": "n"})
        log.append(game, "move", {"text": "d"})
        assert log.moves(game) == ["a", "d"]
        assert log.moves(other) == ["x"]
        assert [info.moves for info in log.games()] == [2, 1]
        log.append(game, "takeback", {"to": 3})
        with pytest.raises(LogError, match="entry 10 takes back to move 3 of 2"):
            log.moves(game)
        with pytest.raises(LogError, match="entry 10"):
            log.games()


def test_games(path: Path) -> None:
    fill(path)
    with Log.open(path) as log:
        (info,) = log.games()
        assert info[:4] == (1, "dilemma", {"first": "p2"}, SEATS)
        assert (info.moves, info.result) == (1, {"scores": {"p1": 1, "p2": 2, "p3": 3}, "winners": ["p3"]})
        entries = list(log.entries())
        assert (info.started, info.ended) == (entries[0].at, entries[-1].at)
        assert info.winners == ("Christine",)
        log.append(1, "takeback", {"to": 0})  # the end is taken back with the move that made it
        (info,) = log.games()
        assert (info.moves, info.ended, info.result, info.winners) == (0, None, None, ())
        assert log.game() == log.game(1) == info
        for wrong in (0, 2):
            with pytest.raises(LogError, match=f"there is no game {wrong}; the games are 1 to 1"):
                log.game(wrong)


NAMED = "00" * 32
"""Stands for the name under which somebody plays."""


def at(place: int, person: str) -> dict[str, object]:
    return {"person": person, "named": NAMED, "place": place, "source": "table"}


BOT: dict[str, object] = {"name": "Zoe", "place": 0, "source": "greedy"}


def won_by(*winners: str) -> dict[str, object]:
    return {"scores": dict.fromkeys(("p1", "p2", "p3"), 0), "winners": list(winners)}


def test_evenings_and_people(path: Path) -> None:
    with Log.open(path) as log:
        assert (log.games(), log.evenings(), log.people()) == ([], [], [])
        anne, bob, zoe = (log.person(name) for name in ("Anne", " Bob ", "Zoé"))
        assert log.person(" aNNE") == anne and log.person("ZOE\u0301") == zoe, "spellings of one name"
        log.begin_game("dilemma", {}, [at(1, anne), at(2, bob), BOT])
        log.append(1, "end", won_by("p2", "p3"))
        assert log.begin_evening("simulated", [(anne, 2), (zoe, 5)]) == 2
        assert [len(each.hash) for each in log.evenings()] == [64, 64], "keys follow from all of it"
        log.begin_game("d21", {}, [at(6, zoe)])
        assert [info.evening for info in log.games()] == [1, 3]
        assert [info.names for info in log.games()] == [("Anne", "Bob", "Zoe"), ("Zoé",)]
        log.come(2, anne, 4)
        log.go(2, zoe)
        (first, second, third) = log.evenings()
        assert (first.games, first.alone, first.ended is None, first.people) == ((1,), True, False, (anne, bob))
        assert (second.table, second.present, second.people) == ("simulated", {anne: 4}, (anne, zoe))
        assert (third.games, third.ended) == ((2,), None)
        assert [tuple(person)[1:] for person in log.people()] == [
            ("Anne", 1, 0, 4, 0),
            ("Bob", 1, 1, 2, 0),
            ("Zoé", 0, 0, 6, 0),
        ]
        log.close_evening(2)
        with pytest.raises(ValueError, match="evening 2 is over"):
            log.come(2, zoe, 1)
        log.verify()


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("evening", {"evening": 3, "table": ""}),
        ("evening", {"to": 0}),
        ("came", {"evening": 1, "person": PERSON, "place": 6}),
        ("went", {"evening": 1, "person": PERSON}),
        ("key", {"evening": 1, "person": PERSON}),
        ("organiser", {"evening": 1, "person": PERSON, "on": True}),
        ("door", {"evening": 1, "open": False}),
        ("series", {"evening": 1, "series": 1, "games": ["d21"], "wins": 0, "count": 2}),
        ("closed", {"evening": 1}),
    ],
)
def test_what_is_of_a_game_changes_no_evening(
    kind: str, body: dict[str, Any], few: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_FEW", few)
    with Log.open(tmp_path / "whole.db") as log:
        anne = log.person("Anne")
        evening = log.begin_evening("", [(anne, 1)])
        log.begin_game("d21", {}, [at(1, anne), BOT], evening=evening)
        log.append(1, "move", {"text": "p1 c2-b2", "by": "screen"})
        log.begin_game("d21", {}, [at(2, anne), BOT])
        log.append(2, "end", won_by("p1"))
        log.begin_game("d21", {}, [at(1, anne), BOT], evening=evening)
        entries = [*log.entries()]
        moved, infos = log.moved(evening), log.games()
    forged = replace(entries[3], kind=kind, body=json.loads(json.dumps(body).replace(PERSON, anne)))
    path = stored(tmp_path / "forged.db", [*entries[:4], forged, *entries[4:]])
    edit(path, "INSERT INTO person (id, name) VALUES (?, 'Anne')", anne)
    with Log.read(path) as log:
        assert [(each.id, each.evening) for each in log.games({1})] == [(info.id, info.evening) for info in infos[1:]]
        assert [(each.kind, each.body) for each in log.moved(evening)] == [(each.kind, each.body) for each in moved]
        with pytest.raises(LogError, match="entry 5 cannot follow: it is of game 1"):
            log.evenings()
        if kind == "evening":
            with pytest.raises(LogError, match="entry 5 is evening of game 1"):
                log.games()
            with pytest.raises(LogError, match="entry 5 is evening of game 1"):
                log.game(1)
        else:
            assert [person.place for person in log.people()] == [1]


def test_what_is_of_a_game_takes_no_ids(tmp_path: Path) -> None:
    with Log.open(tmp_path / "whole.db") as log:
        log.begin_game("d21", {}, [BOT])
        log.next_id()
        entries = [*log.entries()]
    path = stored(tmp_path / "forged.db", [*entries, replace(entries[1], game=1, body={"to": 10**9})])
    with Log.read(path) as log:
        latest = log.latest("ids", log.last_entry)
        assert latest is not None and latest.n == 2


def test_a_change_of_an_evening_reads_nothing_twice(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the log: a keeper tells of its evenings at each change of one."""
    read: list[int] = []
    with Log.open(path) as log:
        anne, bob = map(log.person, ("Anne", "Bob"))
        evening = log.begin_evening("", [(anne, 1), (bob, 2)])
        seats = [at(1, anne), at(2, bob)]
        for winner in ("p1", "p2") * 20:
            game = log.begin_game("d21", {}, seats, evening=evening)
            log.append_all([(game, "move", {"text": "p1 a-b"})] * 3)
            log.append(game, "end", won_by(winner))

        def noted(row: Sequence[Any]) -> Entry:
            read.append(row[0])
            return read_entry(row)

        monkeypatch.setattr(store, "read_entry", noted)
        log.evening(evening)
        game = log.begin_game("d21", {}, seats, evening=evening)
        read.clear()
        log.go(evening, bob)
        log.come(evening, bob, 3)
        now, info = log.evening(evening), log.game(game)
        assert now.present == {anne: 1, bob: 3} and len(now.games) == 41 and info.evening == evening
        assert log.open_games() == [game]
        assert len(read) < 8, read
        with Log.read(path) as reader:
            assert (reader.evenings(), reader.game(game), reader.games()[-1]) == (log.evenings(), info, info)


def test_nothing_is_logged_of_an_evening_that_cannot_be(path: Path) -> None:
    with Log.open(path) as log:
        anne, bob = log.person("Anne"), log.person("Bob")
        with pytest.raises(ValueError, match="somebody else sits at place 3"):
            log.begin_evening("", [(anne, 3), (bob, 3)])
        log.begin_evening("", [(anne, 3)])
        head = log.head
        for wrong, why in (
            (lambda: log.come(1, bob, 3), "somebody else sits at place 3"),
            (lambda: log.come(2, bob, 1), "evening 2 has not begun"),
            (lambda: log.go(1, bob), "somebody is named who is not there"),
            (lambda: log.begin_series(1, [], wins=1), "a series has games"),
            (lambda: log.begin_series(1, ["d21"], wins=1, count=1), "a series has either wins or count"),
            (lambda: log.begin_game("d21", {}, [at(1, bob)], evening=1), "somebody who is to play is not there"),
            (lambda: log.begin_game("d21", {}, [at(1, anne), at(2, anne)], evening=1), "somebody has two seats"),
            (lambda: log.begin_game("d21", {}, [at(1, anne)], evening=1, series=1), "series 1 is not running"),
        ):
            with pytest.raises(ValueError, match=why):
                wrong()
        assert log.head == head


def test_a_series_is_over_when_somebody_has_won_it(path: Path) -> None:
    with Log.open(path) as log:
        anne, bob = log.person("Anne"), log.person("Bob")
        evening = log.begin_evening("", [(anne, 0), (bob, 0)])
        series = log.begin_series(evening, ["d21", "struggle"], wins=2)
        for name, winner in (("d21", "p1"), ("struggle", "p2"), ("d21", "p1")):
            assert not log.evenings()[0].series[0].over
            other = {"d21": "struggle", "struggle": "d21"}[name]
            with pytest.raises(ValueError, match=f"{name} is due in series 1, not {other}"):
                log.begin_game(other, {}, [at(1, anne), at(2, bob)], evening=evening, series=series)
            game = log.begin_game(name, {}, [at(1, anne), at(2, bob)], evening=evening, series=series)
            log.append(game, "end", won_by(winner))
        (won,) = log.evenings()[0].series
        assert (won.over, won.played, won.standings) == (True, (1, 2, 3), {anne: 2, bob: 1})
        log.append(3, "takeback", {"to": 0, "by": 0})
        assert not log.evenings()[0].series[0].over, "the end was taken back"
        log.append(3, "end", won_by("p1"))
        with pytest.raises(ValueError, match="series 1 is not running"):
            log.begin_game("struggle", {}, [at(1, anne), at(2, bob)], evening=evening, series=series)


def by_number(log: Log) -> dict[int, GameInfo]:
    return {info.id: info for info in log.games()}


def test_a_bot_counts_in_a_series_and_can_win_it(path: Path) -> None:
    with Log.open(path) as log:
        anne = log.person("Anne")
        evening = log.begin_evening("", [(anne, 0)])
        series = log.begin_series(evening, ["d21"], wins=2)
        seats = [at(1, anne), {"name": "Zoe", "place": 0, "source": "greedy"}]
        for winner in ("p2", "p1", "p2"):
            game = log.begin_game("d21", {}, seats, evening=evening, series=series)
            log.append(game, "end", won_by(winner))
        (won,) = log.evenings()[0].series
        assert (won.standings, won.bots, won.over, won.complete) == ({anne: 1}, {"Zoe": 2}, True, True)
        assert (
            str(series_text(won, log.names(), by_number(log))) == "Series 1, D.21, first to 2 wins, over: Zoe 2, Anne 1"
        )
        with pytest.raises(ValueError, match="series 1 is not running"):
            log.begin_game("d21", {}, seats, evening=evening, series=series)


def test_a_series_that_another_one_ends_is_over_and_not_complete(path: Path) -> None:
    with Log.open(path) as log:
        anne, bob = log.person("Anne"), log.person("Bob")
        evening = log.begin_evening("", [(anne, 0), (bob, 0)])
        first = log.begin_series(evening, ["d21"], wins=2)
        game = log.begin_game("d21", {}, [at(1, anne), at(2, bob)], evening=evening, series=first)
        log.append(game, "end", won_by("p1"))
        log.begin_series(evening, ["struggle"], count=5)
        for _ in range(2):
            said = [str(series_text(each, log.names(), by_number(log))) for each in log.evenings()[0].series]
            assert said == [
                "Series 1, D.21, first to 2 wins, ended early: Anne 1",
                "Series 2, Struggle, of 5 games: nobody has won yet",
            ]
            log.append(game, "takeback", {"to": 0, "by": 0})
            assert log.evenings()[0].series[0].over, "its game is open again, and it is not"
            log.append(game, "end", won_by("p1"))


def test_names_that_look_alike_are_one_person(path: Path) -> None:
    with Log.open(path) as log:
        anne, family = log.person("Anne Marie"), log.person("👩\u200d👩\u200d👧")
        for twin in (
            "anne  marie",
            "An\u3164ne Marie",
            "An\u200dne Marie",
            "Anne\ufe00 Marie\u2800",
            "Anne\u034f\u00a0Marie",
        ):
            assert log.person(twin) == anne
        assert log.person("👩👩👧") == family != anne
        assert {person.name for person in log.people()} == {"Anne Marie", "👩\u200d👩\u200d👧"}


def test_a_renamed_person_has_the_new_name_in_every_game(path: Path) -> None:
    with Log.open(path) as log:
        anne, bob = log.person("Anne"), log.person("Bob")
        log.begin_game("d21", {}, [at(1, anne), at(2, bob)])
        head = log.head
        assert log.game(1).names == ("Anne", "Bob")
        log.rename(anne, " Annette ")
        assert log.game(1).names == ("Annette", "Bob")
        with Log.read(path) as reader:
            assert (reader.game(1).names, reader.verify(head)) == (("Annette", "Bob"), 1)
        for name, why in (("BOB", "somebody else's name"), (" ", "the name of a person is empty")):
            with pytest.raises(ValueError, match=why):
                log.rename(anne, name)
        log.rename(anne, "ANNETTE")
        assert log.person("annette") == anne and log.person("Anne") != anne, "the old name is free"


def test_merged_people_are_one(path: Path) -> None:
    with Log.open(path) as log:
        anna, anne, bob, ann = (log.person(name) for name in ("Anna", "Anne", "Bob", "Ann"))
        log.begin_game("d21", {}, [at(1, anna), at(2, bob)])
        log.append(1, "end", won_by("p1"))
        evening = log.begin_evening("", [(anne, 1), (bob, 2)])
        series = log.begin_series(evening, ["d21"], count=3)
        log.begin_game("d21", {}, [at(1, anne), at(2, bob)], evening=evening, series=series)
        log.append(2, "end", won_by("p1"))
        log.come(evening, anna, 3)
        log.go(evening, anna)
        for _ in range(2):
            log.give_key(evening, anne)
        head = log.head
        with pytest.raises(ValueError, match="Anne is at evening 2; end it first"):
            log.merge(anna, anne)
        log.close_evening(evening)
        log.begin_game("d21", {}, [at(2, ann), at(1, anna)])  # by mistake, without a move
        log.merge(ann, anna)
        log.merge(anna, anne)
        assert log.verify(head) == 14
        assert log.evening(evening).keys == {anne: 3}, "none that has ended holds again"
        assert [tuple(person)[1:] for person in log.people()] == [("Anne", 2, 2, 1, 0), ("Bob", 2, 0, 2, 0)]
        assert [info.names for info in log.games()][:2] == [("Anne", "Bob")] * 2
        assert log.evenings()[0].people == (anne, bob) and log.evenings()[1].series[0].standings == {anne: 1}
        assert log.names().one(ann) == anne, "merged twice"
        for merged, into, why in (
            (anne, anne, "Anne cannot be merged into the same person"),
            (anne, anna, "there is no person"),
            (anna, bob, "there is no person"),
            ("00" * 8, bob, "there is no person"),
            (bob, anne, "Bob and Anne are two: both have played game 1"),
        ):
            with pytest.raises(ValueError, match=why):
                log.merge(merged, into)
        assert log.person("Anna") != anne, "the name is free"


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Log, Log]]:
    """A log, and a newer one of the same club: Anne and Bob have an id in each."""
    with Log.open(tmp_path / "new.db") as new, Log.open(tmp_path / "old.db") as old:
        for log in (old, new):
            log.begin_game("d21", {}, [at(1, log.person("Anne")), at(2, log.person("Bob"))])
            log.append(1, "end", won_by("p1"))
        yield old, new


def table(log: Log) -> list[tuple[str, str | None, str | None]]:
    """Return the rows of the table of names."""
    return sorted(log._db.execute("SELECT id, name, into_id FROM person"))


def test_people_of_another_log_are_known_by_the_ids_that_they_have_there(two: tuple[Log, Log]) -> None:
    old, new = two
    eve, zoe, ann = old.person("Eve"), new.person("Zoe"), new.person("Ann")
    anne, bob = (old.names().find(name) for name in ("Anne", "Bob"))
    here = new.names().find("Anne")
    assert anne and bob and here
    new.merge(ann, here)
    new.rename(here, "ANNE")
    there, head = table(old), new.head
    assert new.take(old, [anne]) == [Taken("Anne", "ANNE", True)]
    assert (new.names().known[anne], new.names().one(here), new.names().one(ann)) == ("ANNE", anne, anne)
    assert new.names().find("Bob") != bob
    assert new.take(old) == [Taken("Anne", "ANNE", False), Taken("Bob", "Bob", True), Taken("Eve", None, True)]
    assert {id: new.names().of(id) for id in (anne, bob, eve, zoe)} == dict(
        zip((anne, bob, eve, zoe), ("ANNE", "Bob", "Eve", "Zoe"), strict=True)
    )
    assert [tuple(person)[1:4] for person in new.people()] == [
        ("Zoe", 0, 0),
        ("ANNE", 1, 1),
        ("Bob", 1, 0),
        ("Eve", 0, 0),
    ]
    assert (new.verify(head), table(old)) == (2, there)
    now = table(new)
    again = new.take(old)
    assert [(each.name, each.changed) for each in again] == [("Anne", False), ("Bob", False), ("Eve", False)]
    assert table(new) == now
    assert old.take(new) and [row for row in table(old) if row[0] != zoe] == there, "the other way round: Zoe alone"


def test_whoever_is_known_by_that_id_stays_as_named_or_forgotten_here(two: tuple[Log, Log]) -> None:
    old, new = two
    eve, fay = old.person("Eve"), old.person("Fay")
    new.take(old)
    anne, bob = (old.names().find(name) for name in ("Anne", "Bob"))
    assert anne and bob
    new.rename(anne, "Annette")
    new.forget(bob)
    new.merge(eve, anne)
    new.keep_language(fay, "fr")
    new.merge(fay, new.person("Gil"))
    new.forget(new.person("Gil"))
    assert new.language_of(fay) == "", "also of who was found to be the same"
    again = new.person("Bob")
    now = table(new)
    assert new.take(old) == [
        Taken("Anne", "Annette", False),
        Taken("Bob", None, False),
        Taken("Eve", "Annette", False, apart=True),
        Taken("Fay", None, False),
    ]
    assert table(new) == now and new.names().of(again) == "Bob"
    assert (again in new.names(), "00" * 8 in new.names()) == (True, False)


def test_nobody_is_taken_where_somebody_cannot_be(two: tuple[Log, Log], tmp_path: Path) -> None:
    old, new = two
    eve, bob = old.person("Eve"), new.names().find("Bob")
    theirs = old.names().find("Bob")
    assert bob and theirs
    evening = new.begin_evening("", [(bob, 1)])
    before = table(new)
    with pytest.raises(ValueError, match="Bob is at evening 2; end it first"):
        new.take(old)
    assert table(new) == before, "not Anne alone"
    new.close_evening(evening)
    for id in ("00" * 8, bob):
        with pytest.raises(ValueError, match="there is no person"):
            new.take(old, [eve, id])
    assert table(new) == before
    old.backup(tmp_path / "copy.db")
    with Log.open(tmp_path / "copy.db") as copy, Log.open(tmp_path / "empty.db") as empty:
        for log, other in ((old, old), (copy, old), (empty, empty)):
            with pytest.raises(ValueError, match="is this log, or a copy of it"):
                log.take(other)
        assert len(empty.take(old)) == 3
    with Log.open(tmp_path / "one.db") as one, Log.open(tmp_path / "another.db") as another:
        one.person("Hal")
        assert another.take(one) == [Taken("Hal", None, True)], "a log without entries is not any other one"
    with Log.read(tmp_path / "new.db") as reader, pytest.raises(LogError, match="opened for reading only"):
        reader.take(old, [eve])


def test_somebody_who_is_another_in_the_other_log_is_not_merged(two: tuple[Log, Log]) -> None:
    old, new = two
    new.take(old)
    bob = old.names().find("Bob")
    assert bob
    renamed = r"Bob here is Robert in .*old\.db, who is not Bob there; rename one of them first"
    forgotten = (
        r"the name of Bob here was forgotten in .*old\.db, where somebody else is called BOB; rename Bob here first"
    )
    ways: list[tuple[Callable[[], object], str]] = [
        (lambda: old.rename(bob, "Robert"), renamed),
        (lambda: old.forget(bob), forgotten),
    ]
    for become, why in ways:
        become()
        other = old.person("BOB")
        before = table(new)
        with pytest.raises(ValueError, match=why):
            new.take(old, [other])
        assert table(new) == before
        old.rename(other, f"No longer Bob {len(before)} {why[:4]}")
    second = old.person("Bob")
    with pytest.raises(ValueError, match="there is no person"):
        old.merge(bob, second)
    anne, ann = old.names().find("Anne"), old.person("Ann")
    assert anne
    old.merge(anne, ann)
    old.rename(ann, "Anne")
    assert new.take(old, [ann]) == [Taken("Anne", "Anne", True)], "merged there, too"
    assert new.names().one(anne) == ann


def test_of_three_logs_the_older_ones_take_the_newest_one_again(two: tuple[Log, Log], tmp_path: Path) -> None:
    old, new = two
    anne = old.names().find("Anne")
    assert anne
    old.rename(anne, "ANNE")
    with Log.open(tmp_path / "older.db") as older:
        older.begin_game("d21", {}, [at(1, older.person("anne")), at(2, older.person("Bob"))])
        for log in (old, older):
            new.take(log)
        new.rename(new.names().one(anne), "Annette")  # names are no help any more
        assert [each.apart for each in new.take(old)] == [True, True]
        for log in (old, older):
            log.take(new)
        assert [sorted(log.names().known) for log in (old, older)] == [sorted(new.names().known)] * 2
        assert [log.names().of(anne) for log in (old, new, older)] == ["ANNE", "Annette", "somebody"]
        assert older.names().find("anne") == old.names().one(anne) == new.names().one(anne)
        for log in (old, new, older):
            before = [table(each) for each in (old, new, older)]
            for other in (old, new, older):
                assert other is log or not any(each.changed or each.apart for each in log.take(other))
            assert [table(each) for each in (old, new, older)] == before


def test_those_whom_the_other_log_merged_are_one_here_too(two: tuple[Log, Log]) -> None:
    old, new = two
    helene, heleine = old.person("Hélène"), old.person("Heleine")
    new.take(old)
    chloe = new.person("Chloé")
    for id in (helene, heleine):
        new.merge(id, chloe)
    assert new.take(old, [helene]) == [Taken("Hélène", "Chloé", False, apart=True)]
    eleine = old.person("Eleine")
    old.merge(eleine, heleine)
    assert old.take(new, [chloe]) == [Taken("Chloé", "Hélène", True), Taken("Chloé", "Heleine", True)]
    assert {old.names().one(id) for id in (helene, heleine, eleine)} == {chloe}
    assert old.names().known[chloe] == "Hélène", "as she is called here"
    # Somebody who is known here by that id stays so, and others become that person.
    ann = old.person("Ann")
    new.take(old, [ann])
    new.merge(ann, chloe)
    assert old.take(new, [chloe]) == [Taken("Chloé", "Ann", True)]
    assert (old.names().one(ann), old.names().known[chloe]) == (chloe, "Hélène")


def test_two_who_were_merged_into_each_other_are_one_by_the_id_of_the_log_that_is_taken(two: tuple[Log, Log]) -> None:
    old, new = two
    eve, fay = old.person("Eve"), old.person("Fay")
    gil = old.person("Gil")
    new.take(old)
    old.merge(fay, eve)
    new.merge(gil, fay)
    new.merge(eve, fay)
    assert new.take(old, [eve]) == [Taken("Eve", "Fay", True)]
    assert {new.names().one(id) for id in (eve, fay, gil)} == {eve} and new.names().known[eve] == "Fay"
    assert not any(each.changed for each in old.take(new, [eve]) if each.here != "Gil")
    assert {old.names().one(id) for id in (eve, fay, gil)} == {eve}


def test_whom_both_logs_merged_makes_one_of_those_whom_they_became(two: tuple[Log, Log]) -> None:
    old, new = two
    eve = old.person("Eve")
    new.take(old)
    gil, hal = new.person("Gil"), old.person("Hal")
    new.merge(eve, gil)
    old.merge(eve, hal)
    assert new.take(old, [hal]) == [Taken("Hal", "Gil", True)]
    assert (new.names().one(eve), new.names().one(gil), new.names().known[hal]) == (hal, hal, "Gil")


def test_merges_of_one_take_follow_each_other(two: tuple[Log, Log]) -> None:
    """Here Eve and Gil are Fay, there Fay is Hal, and Ian is Eve: whoever was somebody else is the last one."""
    old, new = two
    eve, fay, gil, hal, ian = (old.person(name) for name in ("Eve", "Fay", "Gil", "Hal", "Ian"))
    new.take(old, [eve, fay, gil, ian])
    new.merge(eve, fay)
    new.merge(gil, fay)
    old.merge(fay, hal)
    old.merge(ian, eve)
    for order in ([eve, hal], [hal, eve]):
        with Log.open(new.path.with_name(f"{order[0]}.db")) as log:
            log._db.executemany("INSERT INTO person (id, name, into_id) VALUES (?, ?, ?)", table(new))
            log.take(old, order)
            assert {log.names().one(id) for id in (eve, fay, gil, ian)} == {hal}
            assert log.names().known[hal] == "Fay"


def test_whom_the_other_log_merged_stay_two_where_they_cannot_be_one(two: tuple[Log, Log]) -> None:
    old, new = two
    eve, fay = old.person("Eve"), old.person("Fay")
    new.take(old)
    new.append(new.begin_game("d21", {}, [at(1, eve), at(2, fay)]), "end", won_by("p1"))
    old.merge(fay, eve)
    gil = old.person("Gil")
    why = r"Fay and Eve cannot both be Eve of .*old\.db: both have played game 2"
    before = table(new)
    with pytest.raises(ValueError, match=why):
        new.take(old, [gil, eve])
    assert table(new) == before, "not Gil alone"
    # An id that is new here, for two who are merged there
    old.merge(eve, gil)
    with pytest.raises(ValueError, match=r"cannot both be Gil of .*old\.db: both have played game 2"):
        new.take(old, [gil])
    bob, ben = old.names().find("Bob"), old.person("Ben")
    assert bob
    old.merge(bob, ben)
    new.begin_evening("", [(bob, 1)])
    with pytest.raises(ValueError, match="Bob is at evening 3; end it first"):
        new.take(old, [ben])
    assert table(new) == before


def test_a_name_that_was_forgotten_here_does_not_come_back_with_another(two: tuple[Log, Log]) -> None:
    old, new = two
    new.take(old)
    bob, bobby = old.names().find("Bob"), new.person("Bobby")
    assert bob
    new.forget(bob)
    old.take(new, [bobby])
    old.merge(bobby, bob)
    now = table(new)
    assert new.take(old, [bob]) == [Taken("Bob", None, False)]
    assert table(new) == now and new.names().known[bobby] == "Bobby"


def test_of_a_forgotten_name_no_byte_is_left(path: Path) -> None:
    """Neither in the log nor beside it, whether it was changed, merged or forgotten, among many others."""

    def held() -> bytes:
        return b"".join(file.read_bytes() for file in path.parent.iterdir())

    with Log.open(path) as log:
        people = [log.person(f"Guest-{number:04}") for number in range(400)]
        for number, one in enumerate(people[:8]):
            log.rename(one, f"Guest-{number:04}-the-second-of-that-name")
        for one in (people[0], people[11]):
            log.bind(one)
        log.begin_game("d21", {}, [at(1, people[0]), at(2, people[300])])
        head = log.head
        log.merge(people[7], people[8])
        log.merge(people[11], people[12])
        assert b"Guest-0000" in held() and b"Guest-0300" in held()
        for number, one in enumerate(people):
            if number % 3 == 0:
                log.forget(one)
        left = held()
        gone = [number for number in range(400) if number % 3 == 0 or number in (7, 11)]
        assert [number for number in gone if b"Guest-%04d" % number in left] == []
        assert all(b"Guest-%04d" % number in left for number in range(400) if number not in gone)
        assert (log.game(1).names, log.verify(head)) == (("somebody", "somebody"), 1)
        assert len(log.people()) == 400 - len(gone)
        with pytest.raises(ValueError, match="or the name was forgotten"):
            log.forget(people[0])
    assert b"Guest-0000" not in held() and b"Guest-0001" in held()


def test_nothing_is_forgotten_while_a_reader_keeps_the_name_in_the_wal(path: Path) -> None:
    with Log.open(path, connect=hasty) as log:
        anne = log.person("Anne")
        with Log.read(path) as reader:
            with snapshot(reader._db):
                assert reader.names().of(anne) == "Anne"
                log.person("Bob")
                with pytest.raises(LogError, match=r"another program reads it, so that names stay in .*-wal; end that"):
                    log.forget(anne)
            assert log.names().of(anne) == "Anne"
        log.forget(anne)
        assert log.names().of(anne) == "somebody"


def hasty(real: Path, query: str) -> sqlite3.Connection:
    """Open a file without patience for others."""
    db = connect(real, query)
    db.execute("PRAGMA busy_timeout = 0")
    return db


def test_a_copy_carries_the_names(path: Path) -> None:
    out = path.parent / "copy.db"
    with Log.open(path) as log:
        log.begin_game("d21", {}, [at(1, log.person("Anne")), BOT])
        log.backup(out)
    with Log.read(out) as copy:
        assert copy.game(1).names == ("Anne", "Zoe")


def test_interaction_ids_never_come_again(path: Path) -> None:
    given: list[int] = []
    for count in (3, 0, 250, 1):
        with Log.open(path) as log:
            given += [log.next_id() for _ in range(count)]
            log.append(None, "note", {})
            log.verify()
    assert given == sorted(set(given))
    assert given[-1] < 1 << 31


def test_two_logs_do_not_begin_with_the_same_interaction(tmp_path: Path) -> None:
    """An answer that a table still holds for another log must fit no question of this one."""
    firsts = set()
    for number in range(5):
        with Log.open(tmp_path / f"{number}.db") as log:
            firsts.add(log.next_id())
    assert len(firsts) == 5


# -- is it whole? ----------------------------------------------------------------------------------


def _entries(sample: Path) -> list[tuple[object, ...]]:
    db = sqlite3.connect(sample)
    rows = db.execute(f"SELECT {', '.join(COLUMNS)} FROM entry ORDER BY n").fetchall()
    db.close()
    return rows


@settings(
    max_examples=100 if THOROUGH else 30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_changed_byte_is_found_and_its_entry_named(sample: Path, path: Path, data: st.DataObject) -> None:
    rows = _entries(sample)
    n = data.draw(st.integers(1, len(rows)), "entry")
    column = data.draw(st.sampled_from(COLUMNS), "column")
    value = rows[n - 1][COLUMNS.index(column)]
    shutil.copy(sample, path)
    if isinstance(value, str | bytes):
        raw = bytearray(value.encode() if isinstance(value, str) else value)
        raw[data.draw(st.integers(0, len(raw) - 1), "byte")] ^= data.draw(st.integers(1, 255), "flip")
        kind = "TEXT" if isinstance(value, str) else "BLOB"
        sql = f"UPDATE entry SET {column} = CAST(? AS {kind}) WHERE n = ?"
        edit(path, sql, bytes(raw), n)
    else:
        new = data.draw((st.integers(-300, 300) | st.none()).filter(lambda new: new != value), "new value")
        if column == "n" and (new is None or 1 <= new <= len(rows)):
            new = 77
        if column in ("boot", "number"):  # they come and go together
            edit(path, "UPDATE entry SET boot = ?, number = ? WHERE n = ?", *((None, None) if value else ("cd", 1)), n)
        else:
            edit(path, f"UPDATE entry SET {column} = ? WHERE n = ?", new, n)
    to_front = column == "n" and of_kind(int, new) < n
    first = 1 if to_front else n  # what stands in its place
    with Log.read(path) as log, pytest.raises(LogError, match=f"^{path}: entry {first} "):
        log.verify()


@pytest.mark.parametrize(
    ("changes", "first"),
    [
        (["DELETE FROM entry WHERE n = 3"], 3),
        (["DELETE FROM entry WHERE n = 1"], 1),
        (["DELETE FROM entry WHERE n = 3", "UPDATE entry SET n = n - 1 WHERE n > 3"], 3),
        ([f"UPDATE entry SET n = {to} WHERE n = {n}" for n, to in ((4, -4), (5, 4), (-4, 5))], 4),
        (["INSERT INTO entry SELECT 10, game, at, kind, body, NULL, NULL, hash FROM entry WHERE n = 9"], 10),
        (["INSERT INTO entry SELECT 0, game, at, kind, body, NULL, NULL, hash FROM entry WHERE n = 1"], 1),
        (["UPDATE entry SET boot = NULL, number = NULL WHERE n = 2"], 2),
    ],
)  # fmt: skip
def test_missing_added_and_swapped_entries_are_found(sample: Path, path: Path, changes: list[str], first: int) -> None:
    shutil.copy(sample, path)
    for change in changes:
        edit(path, change)
    with Log.read(path) as log, pytest.raises(LogError, match=f"entry {first} "):
        log.verify()


def test_a_type_is_no_way_round(sample: Path, path: Path) -> None:
    """A number that became a text reads the same, but is not what was written."""
    shutil.copy(sample, path)
    db = sqlite3.connect(path)
    schema = db.execute("SELECT sql, name FROM sqlite_schema").fetchall()
    db.execute("PRAGMA writable_schema = ON")
    db.execute("UPDATE sqlite_schema SET sql = replace(replace(sql, ') STRICT', ')'), 'game INTEGER', 'game')")
    db.commit()
    db.close()
    edit(path, "UPDATE entry SET game = '1' WHERE n = 4")
    db = sqlite3.connect(path)
    db.execute("PRAGMA writable_schema = ON")
    db.executemany("UPDATE sqlite_schema SET sql = ? WHERE name = ?", schema)
    db.commit()
    db.close()
    with Log.read(path) as log, pytest.raises(LogError, match="entry 4 is not what was written"):
        log.verify()


@settings(
    max_examples=100 if THOROUGH else 40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 2**32))
def test_a_flipped_byte_of_the_file_is_found_or_says_nothing(sample: Path, path: Path, seed: int) -> None:
    draw = random.Random(seed)
    raw = bytearray(sample.read_bytes())
    raw[draw.randrange(len(raw))] ^= draw.randint(1, 255)
    path.write_bytes(raw)
    with Log.read(sample) as log:
        good = list(log.entries()), log.games(), log.cursor(BOOT)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    try:
        with Log.read(path) as log:
            log.verify()
            assert (list(log.entries()), log.games(), log.cursor(BOOT)) == good
    except LogError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
    for use in (lambda log: list(log.entries()), Log.games, lambda log: log.moves(1), lambda log: log.head):
        with suppress(LogError), Log.read(path) as log:
            use(log)
    with suppress(LogError), Log.open(path) as log:
        log.append(None, "note", {})
        log.next_id()


def test_a_cut_tail_shows_against_the_head(sample: Path, path: Path) -> None:
    shutil.copy(sample, path)
    with Log.read(sample) as log:
        heads = [entry.hash for entry in log.checked(0, log.last_entry)]
        assert log.verify(log.head) == len(heads)
        assert log.verify(heads[3].upper()) == len(heads)  # the log may have grown since
        assert [log.entry_with(head) for head in ("00" * 32, heads[3], "11" * 32)] == [0, 4, None]
        for wrong in ("", "12", "zz" * 32, heads[0] + "0"):
            with pytest.raises(LogError, match="64 hexadecimal digits"):
                log.verify(wrong)
    for left in range(len(heads) - 1, -1, -1):
        edit(path, "DELETE FROM entry WHERE n > ?", left)
        edit(path, "DELETE FROM ended WHERE ? < 9", left)  # else what it says of a game that ended would not follow
        for kept in ("evening", "evenings"):
            edit(path, f"DELETE FROM {kept}")
        with Log.read(path) as log:
            assert log.verify() == left
            assert log.verify("00" * 32) == left
            for head in heads[left:]:
                with pytest.raises(LogError, match="no entry has the head"):
                    log.verify(head)


def test_a_forged_chain_still_has_to_be_a_log(path: Path) -> None:
    """Whoever rewrites everything after a change leaves a sound chain; what no log holds is refused all the same."""
    at = "2026-01-01T00:00:00.000000Z"
    for bad, why in (
        ((1, at, "game", "{}", None, None), "is of game 1, but 2 have begun"),
        ((None, at, "note", "[]", None, None), r"is damaged \(its body is no object\)"),
        ((None, at, "note", f'{{"a":{"[" * 3000}{"]" * 3000}}}', None, None), r"is damaged \(maximum recursion depth"),
        ((None, at, "note", "{}", "ab", 2), "is event 2 of boot ab, out of order"),
        ((5, at, "note", "{}", None, None), "is of game 5, but 1 have begun"),
        ((None, at, "note", '{"a":1,"a":1}', None, None), "is not written as a log writes it"),
        ((None, at, "note", '{"b":1,"a":1}', None, None), "is not written as a log writes it"),
        ((None, at, "note", '{"a":NaN}', None, None), "is not written as a log writes it"),
    ):
        path.unlink(missing_ok=True)
        with Log.open(path) as log:
            log.begin_game("dilemma", {}, SEATS)
            head = bytes.fromhex(log.head)
        row = Row(2, *bad)
        edit(path, f"INSERT INTO entry VALUES ({', '.join('?' * 8)})", *row, link(head, row))
        with Log.read(path) as log, pytest.raises(LogError, match=f"entry 2 {why}"):
            log.verify()


ENDLESS = "WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a)"
FOREIGN = {
    "index cursor": "DROP INDEX cursor",
    "table extra": "CREATE TABLE extra (x)",
    "table migration": "UPDATE migration SET name = 'x'",
    "view entry": f"""DROP TABLE entry; CREATE VIEW entry AS {ENDLESS}
        SELECT n, 1 AS game, '2026' AS at, 'note' AS kind, '{{}}' AS body, NULL AS boot, NULL AS number, x'' AS hash
        FROM a""",
    "view migration": f"DROP TABLE migration; CREATE VIEW migration AS {ENDLESS} SELECT n AS number, '' AS name FROM a",
    "trigger change": "CREATE TRIGGER change AFTER UPDATE ON person BEGIN DELETE FROM entry; END",
    "table sqlite_stat1": "ANALYZE",
}


@pytest.mark.parametrize(("what", "closed"), [*((what, True) for what in FOREIGN), ("view entry", False)])
def test_a_log_with_other_tables_is_not_used(
    sample: Path, path: Path, what: str, closed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """A view without end hung every reader, and a trigger did what its author wanted when somebody was renamed."""
    shutil.copy(sample, path)
    own = shutil.copy(sample, path.with_name("own.db"))
    with closing(sqlite3.connect(path)) as db:
        db.executescript(FOREIGN[what])
        if not closed:
            copy = path.with_name("unclosed.db")
            shutil.copy(path.with_name("log.db-wal"), path.with_name("unclosed.db-wal"))
            shutil.copy(path, copy)
    used = path if closed else copy
    for words in (
        ["log", "list", "--log", str(used)],
        ["log", "show", "1", "--log", str(used)],
        ["log", "verify", "--log", str(used)],
        ["log", "backup", str(path.with_name("out.db")), "--log", str(used)],
        ["people", "--log", str(used)],
        ["people", "rename", "Anne", "Bea", "--yes", "--log", str(used)],
        ["people", "take", str(used), "--log", str(own)],
        ["archive", "add", str(used), "--to", str(path.with_name("archive.db"))],
        ["resume", "--log", str(used)],
    ):
        assert main(words) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert f"its tables are not those of a log: {what} was" in line
    with pytest.raises(LogError, match="not those of a log"):
        Log.open(used)


def widen(path: Path, table: str, levels: int = 3) -> None:
    """Make pages of a table that have the ones that were there below them, hundreds of times at each level."""
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    raw = bytearray(path.read_bytes())
    at = slice((root - 1) * size, root * size)
    raw += raw[at]
    for _ in range(levels):
        below = len(raw) // size
        page, cells, cell = bytearray(size), (size - 8) // 6 - 1, size - 9
        struct.pack_into(">BHHHBI", page, 0, 5, 0, cells, cell, 0, below)
        for n in range(cells):
            struct.pack_into(">H", page, 12 + 2 * n, cell)
        struct.pack_into(">IB", page, cell, below, 1)
        raw += page
    raw[at] = page
    struct.pack_into(">I", raw, 28, len(raw) // size)
    raw[92:96] = raw[24:28]
    path.write_bytes(raw)


@pytest.mark.parametrize("table", ["entry", "person"])
def test_a_small_file_with_more_rows_than_anybody_can_read_is_refused(
    sample: Path, path: Path, table: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its pages lead to each other: 300 million rows of a table in 80 kB hung list, show and people. What finds
    the entries that it needs by an index does not meet them."""
    monkeypatch.setattr(connection, "_STEPS_LEAST", 0)
    shutil.copy(sample, path)
    with Log.open(path) as log:
        log.person("Anne")
    widen(path, table)
    for words in (
        ["log", "list"],
        ["log", "show", "1"],
        ["log", "verify"],
        ["people"],
        ["people", "rename", "Anne", "B"],
    )[:: 1 if THOROUGH else 2]:
        if table == "person" or words == ["log", "verify"]:
            assert main([*words, "--log", str(path)]) == 1
            (line,) = capsys.readouterr().err.splitlines()
            assert "damaged" in line


def test_a_damaged_index_is_found(sample: Path, path: Path) -> None:
    """The entries are whole then, but where a boot stopped would be read wrongly."""
    shutil.copy(sample, path)
    db = sqlite3.connect(path)
    (page,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'cursor'").fetchone()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    raw = bytearray(path.read_bytes())
    at = raw.index(BOOT.encode(), (page - 1) * size, page * size)
    raw[at] ^= 1
    path.write_bytes(raw)
    with Log.read(path) as log, pytest.raises(LogError, match="the entries themselves are whole"):
        log.verify()


def test_nothing_is_built_on_a_changed_end(sample: Path, path: Path) -> None:
    shutil.copy(sample, path)
    edit(path, "UPDATE entry SET at = '2027' WHERE n = 9")
    with pytest.raises(LogError, match="entry 9 "):
        Log.open(path)
    with Log.read(path) as log:  # but it can be looked at
        assert len(list(log.entries())) == 9


# -- opening ---------------------------------------------------------------------------------------


def _other_database(path: Path) -> None:
    edit(path, "CREATE TABLE entry (n)")


def _newer(path: Path) -> None:
    fill(path)
    edit(path, "PRAGMA user_version = 99")


def _truncated(path: Path) -> None:
    fill(path)
    os.truncate(path, 5000)


def _header_only(path: Path) -> None:
    fill(path)
    os.truncate(path, 100)


def _with_a_journal(path: Path) -> None:
    fill(path)
    path.with_name("log.db-journal").write_bytes(b"x")


def _empty_with_a_wal(path: Path) -> None:
    path.touch()
    path.with_name("log.db-wal").write_bytes(b"x")


@pytest.mark.parametrize("how", ["open", "open existing", "read"])
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Path.mkdir, "a folder"),
        (lambda path: path.write_text("Dear diary, " * 100), "not a log"),
        (_other_database, "another SQLite file"),
        (_newer, "newer tablier"),
        (_truncated, "damaged"),
        (_header_only, "damaged"),
        (_with_a_journal, "log.db-journal is here"),
        (_empty_with_a_wal, "without its log|is empty"),
        (lambda path: path.write_bytes(b"SQLite format 3\0"), "not a log"),
        (lambda path: os.mkfifo(path), "no plain file"),
        (lambda path: path.symlink_to(path), "."),
        (lambda path: path.with_name("log.db-wal").write_bytes(b"x"), "without its log|no such file"),
    ],
)
def test_what_is_no_log_is_left_alone(path: Path, make: object, message: str, how: str) -> None:
    make(path)  # type: ignore[operator]

    def content() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in path.parent.iterdir() if file.is_file()}

    before = content()
    with pytest.raises(LogError, match=message) as error:
        opened = Log.read(path) if how == "read" else Log.open(path, create=how == "open")
        with opened:
            opened.verify()
    assert str(error.value).startswith(f"{path}: ") and "\n" not in str(error.value)
    after = content()
    assert after == before or (make is _with_a_journal and after.items() >= before.items())


def test_where_nothing_is(path: Path) -> None:
    openings: list[Callable[[], object]] = [lambda: Log.read(path), lambda: Log.open(path, create=False)]
    for opening in openings:
        with pytest.raises(LogError, match="no such file"):
            opening()
    with pytest.raises(LogError, match="no folder"):
        Log.open(path.parent / "nowhere" / "log.db")
    assert list(path.parent.iterdir()) == []
    path.touch()
    for opening in openings:
        with pytest.raises(LogError, match="empty"):
            opening()
    Log.open(path).close()
    with Log.read(path) as log:
        assert log.verify() == 0


def test_a_log_that_was_half_made_is_made_again(path: Path) -> None:
    for suffix in ("", "-journal", "-wal"):
        path.with_name("log.db-new" + suffix).write_bytes(b"half")
    fill(path)
    with Log.read(path) as log:
        log.verify()
    assert not list(path.parent.glob("*-new*"))


@pytest.fixture
def locked_folder(sample: Path) -> Iterator[Path]:
    """A folder that this process may read, but not write to, with a log in it."""
    with unprivileged(sample) as copy:
        yield copy.parent


def test_where_nobody_may_write(locked_folder: Path) -> None:
    path = locked_folder / "log.db"
    with Log.read(path) as log:
        assert log.verify() == 9
    for name in ("log.db", "new.db"):
        with pytest.raises(LogError, match="not writable"):
            Log.open(locked_folder / name)
    path.chmod(0)
    for opening in (Log.read, Log.open):
        with pytest.raises(LogError, match="cannot be opened"):
            opening(path)


def test_where_nobody_may_write_lies_a_log_that_was_not_closed(path: Path, locked_folder: Path) -> None:
    left = locked_folder / "left.db"
    os.seteuid(0) if os.getuid() == 0 else None
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        locked_folder.chmod(0o700)
        for suffix in ("", "-wal"):
            shutil.copy(path.with_name(path.name + suffix), left.with_name(left.name + suffix))
            left.with_name(left.name + suffix).chmod(0o444)
        locked_folder.chmod(0o500)
    if os.getuid() == 0:
        os.seteuid(NOBODY)
    files = sorted(locked_folder.iterdir())
    with Log.read(left) as log:
        assert log.verify() == 1
    with pytest.raises(LogError, match="not writable"):
        Log.open(left)
    assert sorted(locked_folder.iterdir()) == files


def test_one_writer_any_number_of_readers(path: Path) -> None:
    with Log.open(path) as log:
        for opening in (Log.open, lambda path: Log.open(path, create=False)):
            with pytest.raises(LogError, match=f"process {os.getpid()} is writing"):
                opening(path)
        with Log.read(path) as one, Log.read(path) as two:
            log.begin_game("dilemma", {}, SEATS)
            assert one.head == two.head == log.head
            writes: list[Callable[[], object]] = [
                lambda: one.append(1, "note", {}),
                lambda: one.begin_game("d21", {}, SEATS),
                one.next_id,
            ]
            for write in writes:
                with pytest.raises(LogError, match="reading only"):
                    write()
            before = one.entries()
            next(before)
            log.append(1, "note", {})
            assert list(before) == []  # a reader sees one moment
            assert (len(list(one.entries())), one.verify(), log.verify()) == (2, 2, 2)
        link = path.with_name("other name")
        link.symlink_to(path)
        with pytest.raises(LogError, match="is writing"):
            Log.open(link)
    log.close()
    Log.open(link).close()


def test_appending_while_reading_ends(path: Path) -> None:
    fill(path)
    with Log.open(path) as log:
        for entry in log.entries():
            log.append(1, "note", {"about": entry.n})
        assert log.verify() == 18


# -- what others leave, and what they take away ------------------------------------------------------


def _frames(wal: bytes) -> dict[int, bytes]:
    """The pages in a -wal, each as it was written last."""
    size = int.from_bytes(wal[8:12], "big")
    pages = {}
    for at in range(32, len(wal) - size - 23, size + 24):
        if wal[at + 8 : at + 16] == wal[16:24]:
            pages[int.from_bytes(wal[at : at + 4], "big")] = wal[at + 24 : at + 24 + size]
    return pages


def test_a_writer_killed_inside_a_checkpoint(path: Path, tmp_path: Path) -> None:
    """However many of its pages had been written: the first one then promises more than the file has."""
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        for n in range(200):
            log.append(1, "note", {"n": n, "long": "x" * 200})
        head, raw = log.head, bytearray(path.read_bytes())
        wal = path.with_name("log.db-wal").read_bytes()
    pages = sorted(_frames(wal).items())
    assert len(pages) > 10
    copy = tmp_path / "killed.db"
    for number, page in pages:
        at = (number - 1) * len(page)
        raw[at : at + len(page)] = page
        copy.write_bytes(raw)
        copy.with_name("killed.db-wal").write_bytes(wal)
        copy.with_name("killed.db-shm").write_bytes(os.urandom(32768))
        with Log.read(copy) as log:
            assert log.verify(head) == 201
        with Log.open(copy) as log:
            assert log.verify(head) == 201
            log.append(1, "note", {})


def test_a_wal_of_another_log_is_not_played_into_a_copy(sample: Path, path: Path) -> None:
    """Somebody goes back to a copy, and leaves the -wal that lies there."""
    with Log.open(path) as log:
        log.begin_game("struggle", {}, SEATS)
        for n in range(30):
            log.append(1, "note", {"n": n, "long": "x" * 400})
        wal = path.with_name("log.db-wal").read_bytes()
    shutil.copy(sample, path)
    path.with_name("log.db-wal").write_bytes(wal)
    for _ in range(2):
        with pytest.raises(LogError, match=r"no -wal beside it|-wal does not fit it"):
            Log.open(path)
    assert path.read_bytes() == sample.read_bytes()
    assert path.with_name("log.db-wal").read_bytes() == wal
    path.with_name("log.db-wal").unlink()
    with Log.open(path) as log:
        assert log.verify() == 9


def test_a_newer_log_that_was_not_closed_is_left_alone(path: Path) -> None:
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        log._db.execute("PRAGMA user_version = 99")
        copy = path.with_name("copy.db")
        for suffix in ("", "-wal"):
            shutil.copy(path.with_name(path.name + suffix), copy.with_name(copy.name + suffix))
    before = [copy.with_name(copy.name + suffix).read_bytes() for suffix in ("", "-wal")]
    for opening in (Log.open, Log.read):
        with pytest.raises(LogError, match="newer tablier"):
            opening(copy)
    assert [copy.with_name(copy.name + suffix).read_bytes() for suffix in ("", "-wal")] == before


def test_reading_does_not_let_go_of_what_the_same_process_writes(path: Path) -> None:
    """To close a file lets go of all locks that the process has on it; another one would take it for closed then."""
    other = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); print(*db.execute('SELECT count(*) FROM entry'))"
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        with Log.read(path) as reader:
            reader.verify()
        with pytest.raises(LogError, match="is writing"):
            Log.open(path)
        subprocess.run([sys.executable, "-c", other, str(path)], check=True, stdout=subprocess.DEVNULL)
        assert path.with_name("log.db-wal").exists()
        log.append(1, "note", {})
    with Log.read(path) as log:
        assert log.verify() == 2


@pytest.mark.parametrize("follows", [True, False], ids=["where the kernel tells", "elsewhere"])
@pytest.mark.parametrize("how", ["folder", "log", "moved", "wal", "replaced", "replaced wal"])
def test_a_log_that_is_taken_away_while_it_is_open(
    tmp_path: Path, how: str, follows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if follows and not files.FOLLOWS:
        pytest.skip("only Linux tells where the file of a descriptor is")
    monkeypatch.setattr(files, "FOLLOWS", follows)
    folder = tmp_path / "folder"
    folder.mkdir()
    with Log.open(folder / "log.db") as log:
        log.begin_game("dilemma", {}, SEATS)
        if how == "folder":
            shutil.rmtree(folder)
        elif how == "moved":
            folder.rename(tmp_path / "elsewhere")
        elif how.startswith("replaced"):
            name = "log.db-wal" if how.endswith("wal") else "log.db"
            copy = tmp_path / name
            copy.write_bytes((folder / name).read_bytes())
            copy.replace(folder / name)
        else:
            (folder / ("log.db" if how == "log" else "log.db-wal")).unlink()
        with pytest.raises(LogError, match="moved or deleted while it was open"):
            log.append(1, "note", {})
    if how == "moved":
        with Log.open(tmp_path / "elsewhere" / "log.db") as log:
            assert log.verify() in (1, 2)


def test_a_log_that_is_still_found_by_its_old_name_is_in_place(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with Log.open(folder / "log.db") as log:
        log.begin_game("dilemma", {}, SEATS)
        folder.rename(tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        log.append(1, "note", {})
        log.append(1, "note", {})
    with Log.open(folder / "log.db") as log:
        assert log.verify() == 3


@pytest.mark.parametrize("how", ["open", "read"])
@pytest.mark.parametrize("where", ["beside", "elsewhere"])
def test_a_log_of_two_names_is_not_used_under_any(sample: Path, path: Path, how: str, where: str) -> None:
    """Each had a -wal and a lock of its own: two wrote, one of two results was lost, and both were whole."""
    shutil.copy(sample, path)
    other = path.with_name("other.db") if where == "beside" else path.parent / "folder" / "log.db"
    other.parent.mkdir(exist_ok=True)
    with Log.open(path) as log:
        other.hardlink_to(path)
        for name in (path, other):
            with pytest.raises(LogError, match="the file has 2 names") as error:
                Log.read(name) if how == "read" else Log.open(name)
            assert ("other.db" in str(error.value)) == (where == "beside")
        log.append(1, "note", {})
    other.unlink()
    with Log.open(path) as log:
        assert log.verify() == 10


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has locks that go by the file and not by the process")
def test_a_log_that_was_moved_has_one_writer_still(sample: Path, path: Path) -> None:
    shutil.copy(sample, path)
    moved = path.with_name("moved.db")
    with Log.open(path):
        path.rename(moved)
        with pytest.raises(Locked, match="another program is writing to it, under another name"):
            Log.open(moved)
        with subprocess.Popen(
            [sys.executable, "-m", "tablier.cli.main", "log", "list", "--log", str(moved)], stderr=subprocess.PIPE
        ) as process:
            assert process.stderr and b"another program is writing to it under another name" in process.stderr.read()
    with Log.open(moved) as log:
        assert log.verify() == 9


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has locks that go by the file and not by the process")
def test_a_writer_that_ends_leaves_the_locks_of_readers_in_its_process(sample: Path, path: Path) -> None:
    """Those of SQLite, which are dropped with any descriptor of the file."""
    shutil.copy(sample, path)
    shared = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+b'), fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)"
    taking = [sys.executable, "-c", shared, str(path)]
    with Log.read(path) as reader:
        Log.open(path).close()
        assert reader.verify() == 9
        assert b"BlockingIOError" in subprocess.run(taking, stderr=subprocess.PIPE, check=False).stderr
    assert subprocess.run(taking, check=False).returncode == 0


def test_a_file_that_is_mounted_alone_is_no_log(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As containers do it: its -wal is another one inside."""
    path = shutil.copy(sample, tmp_path / "a log.db")
    line = f"36 35 98:0 /log.db {str(path).replace(' ', chr(92) + '040')} rw - ext4 /dev/root rw\n".encode()
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda file: line if str(file).endswith("mountinfo") else read(file))
    for opening in (Log.read, Log.open):
        with pytest.raises(LogError, match="the file alone is mounted here"):
            opening(path)


def test_two_processes_that_make_a_log_at_once(path: Path) -> None:
    program = """
import sys
from tablier.log.chain import LogError
from tablier.log.store import Log
sys.stdin.readline()
try:
    with Log.open(sys.argv[1]) as log:
        log.append(None, "note", {})
        print("made", flush=True)
        sys.stdin.readline()
except LogError as error:
    print(error, flush=True)
"""
    command = [sys.executable, "-c", program, str(path)]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = []
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in both:
        assert process.stdout is not None
        said.append(process.stdout.readline())
    for process in both:
        process.communicate("end\n")
    made = [line for line in said if line == "made\n"]
    assert len(made) == 1 and sum("is writing to it" in line for line in said) == 2, said
    with Log.read(path) as log:
        assert log.verify() == 1


def test_a_log_by_a_link_and_its_wal(path: Path, tmp_path: Path) -> None:
    """What a killed writer left beside the log itself is found by a link from elsewhere."""
    with _writer(path) as writer:
        assert writer.stdout is not None
        for _ in range(5):
            writer.stdout.readline()
        writer.kill()
    (tmp_path / "other").mkdir()
    link = tmp_path / "other" / "link.db"
    link.symlink_to(path)
    with Log.read(link) as log:
        assert log.verify() >= 11
    with Log.open(link) as log:
        assert log.cursor("ab") >= 5
    assert [file.name for file in link.parent.iterdir()] == ["link.db"]


# -- copies ----------------------------------------------------------------------------------------


def test_a_backup_beside_a_busy_writer(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with _writer(path) as writer:
        assert writer.stdout is not None and writer.stdout.readline()
        for number in range(8 if THOROUGH else 2):
            out = tmp_path / f"backup {number}.db"
            assert main(["log", "backup", str(out), "--log", str(path)]) == 0
            told = re.fullmatch(
                rf"{out}: (\d+) entries copied, in order; head ([0-9a-f]{{64}})\n", capsys.readouterr().out
            )
            assert told is not None
            assert out.stat().st_mode & 0o777 == 0o600
            with Log.read(out) as log:
                assert (log.verify(), log.head) == (int(told[1]), told[2])
            with Log.read(path) as log:
                log.verify(told[2])
        writer.kill()
    with Log.open(out) as log:  # a copy is a log
        log.append(1, "note", {})
        log.verify()
    assert not list(tmp_path.glob(".*"))


def test_a_backup_overwrites_nothing(sample: Path, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy(sample, path)
    out = path.parent / "out.db"
    (path.parent / "link").symlink_to("nowhere")
    (path.parent / "stray.db-wal").write_bytes(b"x")
    out.write_text("mine")
    for name, message in (
        ("out.db", "out.db is there already; --force overwrites it"),
        ("link", "not a file"),
        ("log.db", "belongs to the log itself"),
        (".", f"a folder; name a file in it, such as {path}"),
        ("log.db-new", "belongs to the log itself"),
        ("nowhere/out.db", "there is no folder"),
        ("stray.db", "stray.db-wal is in this folder"),
    ):
        before = sorted(path.parent.glob("[!l]*"))
        assert main(["log", "backup", str(path.parent / name), "--log", str(path)]) == 2
        complaint = capsys.readouterr().err
        assert message in complaint and complaint.count("\n") == 1
        assert sorted(path.parent.glob("[!l]*")) == before
    assert out.read_text() == "mine"


def test_a_backup_replaces_an_earlier_one_when_it_is_told_to(
    sample: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(sample, path)
    out = path.parent / "out.db"
    words = ["log", "backup", "--force", "--quiet", "--log", str(path)]
    assert main([*words, str(out)]) == 0
    assert main([*words, str(out)]) == 0
    assert capsys.readouterr() == ("", "")
    with Log.open(out) as log:
        log.verify()
        capsys.readouterr()
        assert main([*words, str(out)]) == 2  # somebody plays with it
        assert "out.db: another program is writing to that log" in capsys.readouterr().err
    assert main([*words, str(path)]) == 2
    assert "belongs to the log itself" in capsys.readouterr().err


def test_a_backup_replaces_nothing_that_its_log_does_not_have(
    sample: Path, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A nightly job ran on after the computer broke: the new log was copied over the year."""
    shutil.copy(sample, path)
    year, longer, text = (path.parent / name for name in ("year.db", "longer.db", "text.db"))
    with Log.open(year) as log:
        log.begin_evening("", [])
    shutil.copy(path, longer)
    with Log.open(longer) as log:
        log.begin_evening("", [])
    text.write_text("mine")
    for out, why in (
        (year, "year.db: a copy of another log, with 1 entry"),
        (longer, "longer.db: it has entries that this log does not have ("),
        (text, "not a log of tablier"),
    ):
        before = out.read_bytes()
        assert main(["log", "backup", "--force", str(out), "--log", str(path)]) == 2
        complaint = capsys.readouterr().err
        assert why in complaint and "nothing but an earlier copy of this log" in complaint
        assert complaint.count("\n") == 1 and out.read_bytes() == before
    with Log.open(longer) as log:
        assert main(["log", "backup", "--force", str(path), "--log", str(longer)]) == 0


LOST = "entries after entry {} may be missing: the file was taken without its -wal"


def test_a_file_that_was_copied_without_its_wal_says_that_entries_may_be_missing(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It said "No game was played yet", and verified as whole."""
    copy, backup = tmp_path / "copy.db", tmp_path / "backup.db"
    with Log.open(path) as log:
        game = log.begin_game("dilemma", {}, SEATS)
        log.append(game, "note", {})
        shutil.copy(path, copy)
        log.backup(backup)
        with Log.read(path) as reader, Log.read(backup) as whole:
            assert reader.losses == whole.losses == [], "here nothing is missing"
    for words in (["log", "list"], ["people"], ["log", "verify"]):
        assert main([*words, "--log", str(copy)]) == (3 if "verify" in words else 0)
        out, err = capsys.readouterr()
        assert f"{copy}: {LOST.format(0)}" in err
    assert "Not checked: entries after entry 0 may be missing" in out and "whole" not in out
    with Log.read(copy) as log:
        log.backup(tmp_path / "once.db")
    with Log.open(copy) as log:  # what was lost stays lost
        log.append(None, "note", {})
        log.backup(tmp_path / "again.db")
    for each in (copy, tmp_path / "once.db", tmp_path / "again.db"):
        with Log.read(each) as log:
            assert [str(text).split(";")[0] for text in log.losses] == [
                f"{LOST.format(0)} while somebody was writing to it"
            ]
    with Log.read(path) as log:
        assert log.losses == []


@pytest.mark.parametrize("left", ["-wal", "nothing"])
def test_a_log_whose_writer_was_killed_lacks_nothing_as_long_as_its_wal_is_there(path: Path, left: str) -> None:
    """Neither before anything was written nor after a name was forgotten, which empties the -wal."""
    program = """if True:
        import os, signal, sys
        from tablier.log.store import Log
        log = Log.open(sys.argv[1])
        if sys.argv[2] == "forget":
            log.forget(log.person("Anne"))
        os.kill(os.getpid(), signal.SIGKILL)"""
    for what in ("nothing", "forget", "nothing"):
        subprocess.run([sys.executable, "-c", program, str(path), what], check=False)
        with Log.read(path) as log:
            assert log.losses == []
    if left == "nothing":
        path.with_name("log.db-wal").unlink()
        path.with_name("log.db-shm").unlink()
        with Log.read(path) as log:
            assert str(log.losses[0]).startswith(LOST.format(0))
    with Log.open(path) as log:
        assert bool(log.losses) == (left == "nothing")
    with Log.open(path) as log:
        assert bool(log.losses) == (left == "nothing")


def test_a_damaged_log_is_not_backed_up(sample: Path, path: Path) -> None:
    shutil.copy(sample, path)
    edit(path, "UPDATE entry SET at = '2027' WHERE n = 3")
    with Log.read(path) as log, pytest.raises(LogError, match=f"^{path}: entry 3 "):
        log.backup(path.parent / "out.db")
    assert not list(path.parent.glob("*out*"))


# -- formats ---------------------------------------------------------------------------------------


def test_migrations_are_applied_and_recorded(sample: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(sample, path)
    good, bad = ("good", ("CREATE TABLE more (x TEXT) STRICT",)), ("bad", ("CREATE TABLE t (x)", "?"))
    with Log.read(path) as log:
        before = log.head
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, good, bad))
    monkeypatch.setattr(migrations, "FORMAT", migrations.FORMAT + 2)
    with pytest.raises(LogError):
        Log.open(path)
    monkeypatch.setattr(migrations, "MIGRATIONS", migrations.MIGRATIONS[:-1])
    monkeypatch.setattr(migrations, "FORMAT", migrations.FORMAT - 1)
    with Log.open(path) as log:  # the first of the two was not undone by the failure of the second
        assert log._db.execute("SELECT name FROM migration").fetchall() == [
            ("entries",),
            ("people",),
            ("games",),
            ("settings",),
            ("writers",),
            ("headings",),
            ("rooms",),
            ("languages",),
            ("short",),
            ("ended",),
            ("abandoned",),
            ("changes",),
            ("evenings",),
            ("compared",),
            ("good",),
        ]
        assert log.verify(before) == 9
        log.append(1, "note", {})
    monkeypatch.setattr(migrations, "FORMAT", migrations.FORMAT + 1)
    later = ("later", ("CREATE TABLE later (x TEXT) STRICT",))
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, later))
    with Log.read(path) as log:  # a copy in memory is brought up to date, and nothing of the file
        assert log.verify(before) == 10
    with closing(sqlite3.connect(path)) as db:
        assert not db.execute("SELECT * FROM sqlite_schema WHERE name = 'later'").fetchall()


# -- what fails ------------------------------------------------------------------------------------


def test_a_full_disk_loses_nothing(path: Path) -> None:
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        (pages,) = log._db.execute("PRAGMA page_count").fetchone()
        log._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LogError, match="disk is full"):
            log.append_all([(1, "note", {"n": n, "long": "x" * 999}) for n in range(50)], (BOOT, 1))
        assert (log.verify(), log.cursor(BOOT)) == (1, 0)
        log._db.execute("PRAGMA max_page_count = 10000")
        log.append_all([(1, "note", {"n": n, "long": "x" * 999}) for n in range(50)], (BOOT, 1))
        assert (log.verify(), log.cursor(BOOT)) == (51, 1)


def interrupted(*, after: bool) -> type:
    """A transaction that is interrupted just before or just after its commit."""

    class Interrupted:
        def __init__(self, db: sqlite3.Connection) -> None:
            self.inner = transaction(db)

        def __enter__(self) -> None:
            self.inner.__enter__()

        def __exit__(self, *exc: object) -> None:
            if after:
                self.inner.__exit__(None, None, None)
            else:
                with suppress(KeyboardInterrupt):
                    self.inner.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
            raise KeyboardInterrupt

    return Interrupted


@pytest.mark.parametrize("after", [False, True])
def test_an_interrupt_leaves_all_or_nothing(path: Path, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    with Log.open(path) as log:
        log.begin_game("dilemma", {}, SEATS)
        with monkeypatch.context() as patch:
            patch.setattr(store, "transaction", interrupted(after=after))
            with pytest.raises(KeyboardInterrupt):
                log.append(1, "note", {}, (BOOT, 1))
        assert log.cursor(BOOT) == after
        assert log.verify(log.head) == 1 + after
        log.append(1, "note", {}, (BOOT, 1 + after))
        assert log.verify(log.head) == 2 + after


def test_a_take_back_that_was_interrupted_reopens_its_game_when_it_is_logged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back = {"to": 0, "by": 1, "agreed": []}
    with Log.open(path) as log:
        log.begin_game("d21", {}, SEATS)
        log.append_all([(1, "move", {"text": "p1 c3-c6", "by": "table"}), (1, "end", won_by("p1"))])
        with monkeypatch.context() as patch:
            patch.setattr(store, "transaction", interrupted(after=False))
            with pytest.raises(KeyboardInterrupt):
                log.append(1, "takeback", back)
        assert log.games()[0].ended and log.verify() == 3
        log.append(1, "takeback", back)
        assert (log.games()[0].ended, log.games()[0].moves, log.verify()) == (None, 0, 4)


WRITER = """
import sys
from tablier.log.store import Log
log = Log.open(sys.argv[1])
game = log.game().id if log.games() else log.begin_game("dilemma", {}, [])
while True:
    number = log.cursor("ab") + 1
    log.append_all([(game, "table", {"event": number}), (game, "move", {"text": str(number)})], ("ab", number))
    print(number, flush=True)
"""


def _writer(path: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)


def test_a_killed_writer_loses_and_doubles_nothing(path: Path) -> None:
    draw = random.Random(1)
    acknowledged = 0
    for round_ in range(12 if THOROUGH else 6):
        with _writer(path) as writer:
            assert writer.stdout is not None
            told = "".join(writer.stdout.readline() for _ in range(draw.randrange(2, 20) if round_ % 3 else 0))
            time.sleep(draw.uniform(0, 0.06))
            writer.send_signal(signal.SIGKILL)
            told += writer.stdout.read()
            acknowledged = max([acknowledged, *map(int, told.split())])
        with Log.open(path) as log:
            last = log.cursor("ab")
            assert acknowledged <= last <= acknowledged + 1
            acknowledged = last
            log.verify()
    with Log.read(path) as log:
        assert last > (50 if THOROUGH else 20)
        events = [entry.body["event"] for entry in log.entries() if entry.kind == "table"]
        assert events == list(range(1, last + 1))
        assert log.moves(1) == list(map(str, events))
        assert len(log.games()) == 1


def test_readers_see_whole_transactions_while_another_process_writes(path: Path) -> None:
    with _writer(path) as writer:
        try:
            assert writer.stdout is not None and writer.stdout.readline()
            seen = looks = 0
            least = 20 if THOROUGH else 5
            with pytest.raises(LogError, match=f"process {writer.pid} is writing"):
                Log.open(path)
            with Log.read(path) as log:
                while looks < least or seen <= 3:  # until the writer has written under a reader's eyes
                    looks += 1
                    head, count = log.head, log.verify()
                    assert count >= seen and count % 2 == 1  # the game, and pairs
                    assert log.entry_with(head) is not None
                    events = [entry.body["event"] for entry in log.entries() if entry.kind == "table"]
                    assert events == list(range(1, len(events) + 1))
                    seen = count
        finally:
            writer.kill()


def test_a_boot_whose_first_events_are_in_another_log(path: Path) -> None:
    with Log.open(path) as log:
        log.append(None, "since", {}, ("ab", 17))
        assert log.cursor("ab") == 17
        log.append(None, "note", {}, ("ab", 18))
        with pytest.raises(ValueError, match="cannot follow"):
            log.append(None, "note", {}, ("ab", 20))
        log.append(None, "since", {}, ("ab", 40))
        log.append(None, "note", {}, ("ab", 41))
        log.verify()


@pytest.mark.parametrize("suffix", ["-lock", "-wal", "-shm", "-journal", "-new"])
def test_no_file_beside_a_log_is_opened_by_a_link(tmp_path: Path, suffix: str) -> None:
    """Whoever can write in the folder must not have files elsewhere overwritten."""
    path, theirs, untold = tmp_path / "log.db", tmp_path / "theirs", b"something else\n" * 400
    for there in (False, True):
        if there:
            Log.open(path).close()
        link = path.with_name(path.name + suffix)
        link.unlink(missing_ok=True)
        for content in (untold, b""):
            theirs.write_bytes(content)
            link.unlink(missing_ok=True)
            link.symlink_to(theirs)
            with suppress(LogError), Log.open(path) as log:
                log.begin_game("d21", {}, [{"name": name, "place": 0, "source": "greedy"} for name in "AB"])
            with suppress(LogError), Log.read(path) as log:
                log.verify()
            assert theirs.read_bytes() == content
        link.unlink(missing_ok=True)
        path.unlink(missing_ok=True)


def test_a_lock_that_is_a_link_is_one_line(tmp_path: Path) -> None:
    Log.open(tmp_path / "log.db").close()
    (tmp_path / "log.db-lock").unlink()
    (tmp_path / "log.db-lock").symlink_to(tmp_path / "theirs")
    with pytest.raises(LogError, match=r"log\.db-lock is a link, not its lock; move it away"):
        Log.open(tmp_path / "log.db")
    assert not (tmp_path / "theirs").exists()


def test_a_writer_does_not_grow_with_the_games_that_it_is_asked_for(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        games = [begin(log, "d21", {}, [Seat(name, 0, "screen") for name in ("Anne", "Bernard")]) for _ in range(900)]
        for game in games[:300]:
            log.game(game)
        tracemalloc.start()
        try:
            for game in games[300:]:
                log.game(game)
            gc.collect()
            grown, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert grown < 450 * 1024  # 256 games take 320 kB, 600 take 750
