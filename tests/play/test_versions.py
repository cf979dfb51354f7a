"""Versions, and whatever else a log may hold: an audit cannot be talked out of looking."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from driving import AT, driven
from msgspec.structs import replace

from at_screens import HandClock, Screens
from forging import headed, stored
from sample import sample
from tablier.cli.main import main
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.judge.audit import examine
from tablier.log.chain import Entry, LogError
from tablier.log.store import Log
from tablier.play.beginning import begin, heading
from tablier.play.game import Conductor

Body = dict[str, Any]
MOVES = ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel conflict", "p2 duel peace", "p2 offer 1"]


def seated(count: int, source: str = AT_SCREEN) -> list[Seat]:
    return [Seat("ABCD"[n], n + 1 if source == AT_TABLE else 0, source) for n in range(count)]


def played(game: str, seats: list[Seat], until: int, sources: Sources | None = None, **options: Any) -> list[Entry]:
    moves = MOVES if game == "dilemma" else None
    return driven(game, seats, moves, until=until, sources=sources or Sources(), **options).entries(sources, **options)


def verify(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Return the exit status of ``log verify`` and all that it said."""
    status = main(["log", "verify", "--log", str(path)])
    told = capsys.readouterr()
    assert ("whole and in order" in told.out) == (status == 0)
    return status, told.out + told.err


def with_schema(schema: object, head: Body) -> Body:
    return {**head, "schema": schema}


def with_version(what: str, version: object, head: Body) -> Body:
    return {**head, "versions": {**head["versions"], what: version}}


CLAIMS: dict[str, Callable[[Body], Body]] = {
    "no schema": lambda head: {key: value for key, value in head.items() if key != "schema"},
    **{f"schema {schema}": partial(with_schema, schema) for schema in (0, 1, 3, 99, "4", None, True)},
    **{
        f"version {version!r} of the {what}": partial(with_version, what, version)
        for what in ("rules", "script")
        for version in (0, 999, "x", None, 10**30)
    },
    "no versions": lambda head: {**head, "versions": {}},
    "version 3 of chance": lambda head: {**head, "chance": {**head["chance"], "version": 3}},
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_game_of_another_version_is_refused(claim: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the winner is forged: a claim switches nothing off."""
    entries = played("struggle", seated(2, AT_TABLE), 12, Sources(("roll", "roll"), "host"))
    status, told = verify(stored(tmp_path / "log.db", headed(entries, CLAIMS[claim])), capsys)
    assert status == 1 and "entry 2" in told
    assert verify(stored(tmp_path / "sound.db", entries), capsys)[0] == 0


def test_a_game_of_three_entries_with_a_winner_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = heading("d21", {}, seated(2))
    end = {"scores": {"p1": 9, "p2": 0}, "winners": ["p1"]}
    for start in (0, 1):
        body = head if start else {key: head[key] for key in ("game", "options", "seats")}
        entries = [Entry(1, 1, AT, "game", body, ""), Entry(2, 1, AT, "end", end, "")]
        status, told = verify(stored(tmp_path / f"log{start}.db", entries), capsys)
        assert status == 1 and "entry" in told


def at(entries: list[Entry], kind: str, **values: Any) -> int:
    return next(n for n, entry in enumerate(entries) if entry.kind == kind and values.items() <= entry.body.items())


def changed(entries: list[Entry], n: int, **values: Any) -> list[Entry]:
    return [replace(entry, body={**entry.body, **values}) if at == n else entry for at, entry in enumerate(entries)]


def test_a_game_of_a_schema_that_was_never_released_is_not_resumed(tmp_path: Path) -> None:
    older = headed(played("dilemma", seated(3), 3), lambda head: {**head, "schema": 3})
    with Log.open(stored(tmp_path / "log.db", older)) as log, pytest.raises(LogError, match="schema 3"):
        Conductor(log, 1, HandClock())


@pytest.mark.parametrize("what", ["rules", "script"])
def test_a_game_of_another_version_is_not_resumed(what: str, tmp_path: Path) -> None:
    older = headed(played("dilemma", seated(3), 3), lambda head: {**head, "versions": {**head["versions"], what: 0}})
    with Log.open(stored(tmp_path / "log.db", older)) as log, pytest.raises(LogError, match="another version"):
        Conductor(log, 1, HandClock())


# -- whatever a log holds --------------------------------------------------------------------------------------------


def two_games(tmp_path: Path) -> list[Entry]:
    """A game of Dilemma that goes on, and one of D.21 after it."""
    with Log.open(tmp_path / "two.db") as log:
        for game, count in (("dilemma", 3), ("d21", 2)):
            room = Screens(log, begin(log, game, {}, seated(count)), HandClock(), tuple(range(1, count + 1)))
            for _ in range(4):
                room.play_first()
        return list(log.entries())


def test_a_game_that_does_not_follow_leaves_the_others_standing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = two_games(tmp_path)
    n = at(entries, "move")
    bent = changed(entries, n, text="p1 offer 9" if entries[n].body["text"] != "p1 offer 9" else "p1 offer 8")
    status, told = verify(stored(tmp_path / "log.db", bent), capsys)
    assert status == 1 and f"entry {entries[n].n}" in told and "Games with faults: 1. Games without: 1." in told
    report = examine(bent)
    assert [game.whole for game in report.by_game] == [False, True] and report.games == 1


def test_a_game_that_is_not_installed_is_not_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = headed(two_games(tmp_path), lambda head: {**head, "game": "tarot"})
    path = stored(tmp_path / "log.db", entries)
    status, told = verify(path, capsys)
    assert status == 3 and "Not checked: game 1 is of 'tarot', which is not installed" in told
    for command in (["log", "list"], ["log", "show", "1"], ["log", "export", "1"], ["resume", "1"]):
        assert main([*command, "--log", str(path)]) in (0, 1, 2)
        assert capsys.readouterr().err.count("\n") <= 1


def _everywhere(value: Any, bad: Any) -> list[Any]:
    """Return a JSON value once with each of its parts replaced, and once without each key."""
    found = [bad]
    if isinstance(value, dict):
        for key, each in value.items():
            found += [{**value, key: it} for it in _everywhere(each, bad)]
            found.append({other: it for other, it in value.items() if other != key})
    elif isinstance(value, list):
        for n, each in enumerate(value):
            found += [[*value[:n], it, *value[n + 1 :]] for it in _everywhere(each, bad)]
    return found


BAD = [None, "banana", 10**30, -1, 1.5, True, [], {}, [[1]], {"text": 1}]


def nasty(entries: list[Entry]) -> list[list[Entry]]:
    """Logs of which one entry is not what any program writes."""
    logs = []
    for n, entry in enumerate(entries):
        bodies = {str(body): body for bad in BAD for body in _everywhere(entry.body, bad) if isinstance(body, dict)}
        changes = [replace(entry, body=body) for body in bodies.values()]
        changes += [replace(entry, at=time) for time in ("banana", "", "9999-99-99", "0001-01-01T00:00:00.000000Z")]
        changes += [replace(entry, kind=kind) for kind in ("zz", "schema", "move", "end", "takeback", "void", "game")]
        changes += [replace(entry, game=game) for game in (None, 0, 3, 10**15)]
        changes += [replace(entry, body="[]"), replace(entry, body='{"a": 1, "a": 2}'), replace(entry, body="{}")]
        changes += [replace(entry, body=text) for text in ('{"to":NaN}', '{"to":1e999}', "null", "\x00", "9" * 5000)]
        logs += [[*entries[:n], change, *entries[n + 1 :]] for change in changes]
    return logs


@pytest.mark.parametrize("part", range(sample(1, 4)))
def test_no_command_ends_in_a_traceback_whatever_a_log_holds(
    part: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    everything = nasty(two_games(tmp_path))
    logs = everything[part :: 4 * sample(60, 3)]
    assert len(logs) >= 10
    for number, entries in enumerate(logs):
        path = stored(tmp_path / f"{number}.db", entries)
        for command in (
            ["log", "list"],
            ["log", "show", "1", "--all"],
            ["log", "export"],
            ["log", "verify"],
            ["resume"],
        ):
            status = main([*command, "--log", str(path)])
            told = capsys.readouterr()
            assert status in (0, 1, 2, 3) and told.err.count("\n") <= (1 if command[1:] != ["verify"] else 4), command
        path.unlink()
