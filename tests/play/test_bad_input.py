"""What cannot go well is refused before anything is begun: one line, exit status 2, nothing changed."""

from __future__ import annotations

import os
import pty
import shutil
import sqlite3
import sys
import tempfile
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playing import a_table, begin, meant_game

from kept import kept
from tablier.cli.main import main
from tablier.cli.play import _QUIET_S
from tablier.cli.seats import given_seats
from tablier.cli.showing import PACE_S as HELP_PACE_S
from tablier.course.seats import Seat
from tablier.games import default_part
from tablier.games.core.questions import QUIET_S
from tablier.keeper import starting
from tablier.keeper.desk import PACE_S
from tablier.keeper.detached import launch
from tablier.log.chain import LogError
from tablier.log.store import Log
from tablier.play import beginning
from tablier.simulation.simulated import SimulatedTable
from tablier.table import client
from tablier.table.client import Client
from tablier.table.clock import LifeClock
from tablier.texts import TextError
from tablier_fw import wire
from wording import Wording

PEOPLE = ("--seat", "Anne=table", "--seat", "Bernard=table", "--seat", "Christine=table")
SIMULATED = ("--seat", "Anne=people", "--seat", "Bernard=people", "--seat", "Christine=people")
MEANT = meant_game(3, 5)
BEGUN = 6
"""So many moves of it are in the log."""


class Refused:
    """Runs a command that must be refused; returns what it says."""

    def __init__(self, capsys: pytest.CaptureFixture[str], log: Path) -> None:
        self.log = log
        self._capsys = capsys

    def __call__(self, *argv: object, log: Path | None = None) -> str:
        before = self._state()
        self._capsys.readouterr()
        status = main([*map(str, argv), "--log", str(log or self.log)])
        out, err = self._capsys.readouterr()
        assert (status, out) == (2, "")
        assert err.startswith("tablier: ") and err.endswith("\n") and err.count("\n") == 1
        assert self._state() == before, "something was changed"
        return err.removeprefix("tablier: ")

    def _state(self) -> object:
        if not self.log.exists():
            return None
        with Log.read(self.log) as log:
            return list(log.entries())


@pytest.fixture(scope="module")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log in which a game is over and another goes on."""
    path = tmp_path_factory.mktemp("games") / "log.db"
    with Log.open(path) as log:
        begin(log, MEANT, len(MEANT.moves))
        begin(log, MEANT, BEGUN)
    return path


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], tmp_path: Path, two_games: Path) -> Refused:
    """With a copy of that log."""
    return Refused(capsys, Path(shutil.copy(two_games, tmp_path)))


# -- options and seats ----------------------------------------------------------------------------------------------

OPTIONS = [
    (("--option", "colour=red"), "no option 'colour'"),
    (("--option", "first=p4"), "p1 to p3"),
    (("--option", "first"), "KEY=VALUE"),
    (("--option", "first=p1", "--option", "first=p2"), "twice"),
    (("--quiet", "0.9"), "1 to 60"),
    (("--quiet", "61"), "1 to 60"),
    (("--quiet", "nan"), "1 to 60"),
    (("--quiet", "soon"), "1 to 60"),
    (("--pace", "61"), "0 to 60"),
    (("--colour",), "--colour"),
]


@pytest.mark.parametrize(("options", "said"), OPTIONS)
def test_options(options: tuple[str, ...], said: str, refused: Refused) -> None:
    assert said in refused("play", "--virtual", *SIMULATED, *options)


SEATS = [
    (("Anne",), "NAME=SOURCE"),
    (("Anne=robot",), "robot"),
    (("=table",), "NAME=SOURCE"),
    (("@2=table",), "NAME=SOURCE"),
    (("Anne@0=table",), "1 to 6"),
    (("Anne@7=table",), "1 to 6"),
    (("Anne@-1=table",), "1 to 6"),
    (("Anne@=table",), "1 to 6"),
    (("Anne@²=table",), "1 to 6"),
    (("Anne@2=table", "Bernard@2=table"), "clockwise"),
    (("Anne@2=table", "Bernard@1=table"), "clockwise"),
    (("Anne@6=table", "Bernard=table"), "clockwise"),
    (("Anne=greedy", "Bernard=greedy"), "3, 4 or 5 players, not 2"),
    (tuple(f"{name}=greedy" for name in "ABCDEF"), "3, 4 or 5 players, not 6"),
    (("Anne=screen", "Bernard=greedy", "Christine=greedy"), "standard input is closed"),
    (("Anne=bot:", "Bernard=greedy", "Christine=greedy"), "NAME=SOURCE"),
    (("Anne=people:chess", "Bernard=greedy", "Christine=greedy"), "NAME=SOURCE"),
    (("Anne=greedy", "Anne=greedy", "Christine=greedy"), "two seats are called Anne"),
    ((" =greedy", "Bernard=greedy", "Christine=greedy"), "NAME=SOURCE"),
    (("Anne@1=greedy", "Bernard=greedy", "Christine=greedy"), "nobody sits at a table"),
]


@pytest.mark.parametrize(("seats", "said"), SEATS)
def test_seats(seats: tuple[str, ...], said: str, refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert said in refused("play", *(word for seat in seats for word in ("--seat", seat)))


def test_the_help_says_the_defaults() -> None:
    assert (_QUIET_S, HELP_PACE_S) == (QUIET_S, PACE_S)


def test_a_seat_without_a_place_has_the_next_one() -> None:
    seats = given_seats("dilemma", ("A=screen", "B@2=people", "C@4=easy", "D=screen"), terminal=True)
    assert [seat.place for seat in seats] == [1, 2, 4, 5]


@pytest.mark.parametrize(("game", "said"), [("chess", "no game 'chess'"), ("", "name a game: d21")])
def test_games(game: str, said: str, refused: Refused) -> None:
    assert said in refused("play", game, "--port", "/dev/null", *PEOPLE)


def test_a_game_of_hidden_moves_without_a_script_of_its_own(
    wording: Wording, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablier.games.Game.part", lambda game, module: default_part(module))
    said = refused("play", "dicke-daemonen", "--port", "/dev/null", *PEOPLE)
    wording(said)


# -- ports --------------------------------------------------------------------------------------------------------


@pytest.fixture
def one_keeper(refused: Refused) -> Iterator[None]:
    """Have one keeper refuse, instead of starting one for each command."""
    with kept(refused.log):
        yield


def test_ports_that_are_none(refused: Refused, one_keeper: None, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for port, said in (
        ("/dev/nothing", "no such port"),
        (tmp_path / "sim-0123456789abcdef-1", "no such port"),
        (file, "not a serial port"),
        (tmp_path, "not a serial port"),
        ("/dev/null", "not a serial port"),
        ("", "the name is empty"),
    ):
        for command in (("play", *PEOPLE), ("resume",)):
            assert said in refused(*command, "--port", port)


@contextmanager
def a_port(answer: Callable[[bytes], bytes] | None = None) -> Iterator[str]:
    """A port at which something answers each line with other bytes."""
    master, slave = pty.openpty()
    tty.setraw(slave)

    def talk() -> None:
        heard = b""
        while True:
            try:
                heard += os.read(master, 4096)
            except OSError:
                return
            *lines, heard = heard.split(b"\n")
            for line in lines:
                if line == b"end":
                    return
                if answer is not None:
                    os.write(master, answer(line))

    thread = threading.Thread(target=talk)
    thread.start()
    yield os.ttyname(slave)
    os.write(slave, b"end\n")
    thread.join()
    os.close(slave)
    os.close(master)


def hello(major: int) -> Callable[[bytes], bytes]:
    def answer(line: bytes) -> bytes:
        _, _, run, _ = wire.unframe(line)
        values = {"major": major, "challenge": bytes(8), "board": bytes(8), "version": b"9.9.9"}
        fixed = [values.get(name, 0) for name in wire.TABLE_HELLO.names]
        return wire.frame(wire.TABLE_HELLO, bytes(range(8)), run, wire.TABLE_HELLO.encode(*fixed))

    return answer


ANSWERS = [
    (None, "no answer within"),
    (lambda line: line + b"\n", "no answer within"),  # an echo: a port whose two lines are joined
    (lambda line: b"login: \r\n" * 9, "not a table"),
    (lambda line: bytes(range(256)), "not a table"),
    (hello(wire.MAJOR + 1), "the host is stale"),
    (hello(wire.MAJOR - 1), "the firmware is stale"),
]


@pytest.mark.parametrize(("answer", "said"), ANSWERS)
def test_what_answers_is_no_table_to_play_at(
    answer: Callable[[bytes], bytes] | None, said: str, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "GREETING_S", 1.0)
    with Log.open(refused.log) as log:
        beginning.begin(log, "dilemma", {}, [Seat(name, place, "table") for place, name in enumerate("ABC", 1)])
    with a_port(answer) as port, kept(refused.log):
        assert said in refused("play", *PEOPLE, "--port", port)
        assert said in refused("resume", "--port", port)


def test_a_port_that_is_taken(refused: Refused, one_keeper: None) -> None:
    with SimulatedTable() as table:
        other = Client(table.first_port, LifeClock(), lambda boot: 0)
        other.open()
        assert "another program holds this port" in refused("play", *PEOPLE, "--port", table.first_port)
        other.close()
        table.say("unplug")
        assert "no such port" in refused("play", *PEOPLE, "--port", table.first_port)


def test_a_port_fit_for_something_else(wording: Wording, refused: Refused, one_keeper: None) -> None:
    wording(refused("play", *SIMULATED, "--port", "/dev/null"))
    wording(refused("play", *PEOPLE, "--port", "/dev/null", "--virtual"))
    with a_table() as table:
        assert "play there with --virtual" in refused("play", *SIMULATED, "--port", table.first_port)


# -- the log --------------------------------------------------------------------------------------------------------


def test_logs_that_are_none(wording: Wording, refused: Refused, tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_text("This is no log. " * 100)
    other = tmp_path / "other.db"
    db = sqlite3.connect(other)
    db.execute("CREATE TABLE t (x)")
    db.commit()
    db.close()
    for log, said in (
        (text, "not a log"),
        (other, "not a log"),
        (tmp_path, "not a log but a folder"),
        (tmp_path / "missing" / "log.db", "no folder"),
    ):
        before = log.read_bytes() if log.is_file() else None
        for command in (("play", *SIMULATED), ("resume",)):
            heard = refused(*command, "--virtual", log=log)
            assert said in heard or (command[0] == "resume" and "no such file" in heard)
        assert (log.read_bytes() if log.is_file() else None) == before
    empty = tmp_path / "empty.db"
    empty.write_bytes(b"")
    assert "empty" in refused("resume", log=empty)
    wording(refused("resume", log=tmp_path / "none.db"))
    assert not (tmp_path / "none.db").exists()


def test_logs_that_are_damaged_or_of_another_version(refused: Refused, tmp_path: Path) -> None:
    for name, statement, said in (
        ("tail", "UPDATE entry SET body = '{}' WHERE n = (SELECT max(n) FROM entry)", "is not what was written"),
        ("newer", "PRAGMA user_version = 99", "newer tablier"),
        ("moves", None, "it is p1's turn to provoke"),
    ):
        log = tmp_path / f"{name}.db"
        if statement is None:
            with Log.open(log) as made:
                begin(made, meant_game(3, 5))
                made.append(1, "move", {"text": "p2 offer 1", "by": "greedy"})
        else:
            shutil.copy(refused.log, log)
            db = sqlite3.connect(log)
            db.execute(statement)
            db.commit()
            db.close()
        assert said in refused("resume", "--virtual", log=log)
        if statement is not None:
            assert said in refused("play", "--virtual", *SIMULATED, log=log)


def test_logs_that_cannot_be_written(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    def noted(*args: Any) -> Any:
        started.append(args)
        return launch(*args)

    monkeypatch.setattr(starting, "launch", noted)
    monkeypatch.setattr(starting, "_LOCKED_S", 0.3)
    with Log.open(refused.log):
        for command in (("play", *SIMULATED), ("resume",)):
            assert "is writing to it" in refused(*command, "--virtual")
            assert len(started) <= 2, "no keeper is started only to look"
            started.clear()
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), os.geteuid() == 0
        shutil.copy(refused.log, folder / "log.db")
        if root:  # who may write everywhere
            for file in (folder, folder / "log.db"):
                os.chown(file, 65534, -1)
            os.seteuid(65534)
        folder.chmod(0o500)
        try:
            with pytest.raises(LogError, match="not writable"):
                Log.open(folder / "log.db")
        finally:
            folder.chmod(0o700)
            if root:
                os.seteuid(0)


def test_games_that_cannot_be_taken_up(wording: Wording, refused: Refused, tmp_path: Path) -> None:
    for number, said in ((1, "is over"), (3, "the games are 1 to 2"), (0, "1 to 2"), ("two", "NUMBER")):
        assert said in refused("resume", number)
    with Log.open(refused.log) as log:
        log.append(2, "end", {"scores": {}, "winners": []})
    wording(refused("resume"))
    with Log.open(tmp_path / "new.db"):
        pass
    wording(refused("resume", log=tmp_path / "new.db"))


def test_a_game_is_logged_without_the_names_of_people(tmp_path: Path) -> None:
    """And with those of bots and simulated people, whom nobody has to forget."""
    seats = [Seat("Anne", 1, "table"), Seat("Bernard", 2, "screen"), Seat("Christine", 3, "table", "greedy")]
    with Log.open(tmp_path / "log.db") as log:
        beginning.begin(log, "dilemma", {}, [*seats, Seat("Zoe", 4, "greedy")])
        entries = list(log.entries())
        assert [seat.get("name") for seat in entries[0].body["seats"]] == [None, None, "Christine", "Zoe"]
        assert not any(name in str(entries) for name in ("Anne", "Bernard"))
        assert log.game(1).names == ("Anne", "Bernard", "Christine", "Zoe")
        with pytest.raises(TextError, match="Anne and ANNE are one person, who cannot have two seats"):
            beginning.begin(log, "dilemma", {}, [*seats, Seat("ANNE", 4, "table")])
        assert len(list(log.entries())) == len(entries) and len(log.people()) == 2
