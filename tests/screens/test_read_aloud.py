"""What a terminal reads out to people who sit at a table: as wide as it is, and nothing that tells a secret."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import struct
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ports import connect
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core.questions import Menu
from tablier.games.daemonen.colours import COLOURS
from tablier.log import Log
from tablier.play.beginning import begin
from tablier.play.change import Change
from tablier.play.game import Conductor
from tablier.screens.line import Line
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock

NAMES = ("Anne", "Bernard", "Christine")


class Terminal:
    """A window of so many columns."""

    def __init__(self, columns: int) -> None:
        self._main, sub = pty.openpty()
        self.resize(columns)
        self.out = os.fdopen(sub, "w")

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._main, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self) -> list[str]:
        """Return the lines that came since it was read last."""
        came = b""
        while select.select([self._main], [], [], 0.05)[0]:
            came += os.read(self._main, 65536)
        return came.decode().splitlines()


class Table:
    """A game of Dicke Dämonen without bots, at a table that is not plugged in, and a terminal that reads it out."""

    def __init__(self, log: Log, terminal: Terminal, seed: str) -> None:
        seats = [Seat(name, n, AT_TABLE) for n, name in enumerate(NAMES, 1)]
        self.running = Conductor(log, begin(log, "dicke-daemonen", {"first": "p1"}, seats, seed=seed), LifeClock())
        self._line = Line((), LogName(""), io.StringIO(), terminal.out)
        self._line._at_terminal = lambda: True  # type: ignore[method-assign]
        self._line._connection = connect(self.running)
        self.running.watch((None,), lambda message: self._line._step("message", message))
        self.running.start()
        self._number = 0

    def pick(self, option: int) -> None:
        self._number += 1
        picked = {"event": "picked", "id": self.running.session.id, "place": 1, "option": option}
        change = Change(self.running.session)
        change.feed("table", picked)
        change.cursor = "c0" * 8, self._number
        self.running.commit(change)


@contextmanager
def table(path: Path, columns: int = 100, seed: str = "5e" * 32) -> Iterator[tuple[Table, Terminal]]:
    terminal = Terminal(columns)
    with Log.open(path / f"{seed[:2]}.db") as log, terminal.out:
        at = Table(log, terminal, seed)
        yield at, terminal
        at.running.close()


def test_who_goes_back_from_what_is_placed_does_so_in_silence(tmp_path: Path) -> None:
    with table(tmp_path) as (at, terminal):
        at.pick(0)
        assert any("Anne: where in field " in line for line in terminal.read())
        at.pick(0)
        question = at.running.session.question
        assert isinstance(question, Menu) and question.secret
        assert not terminal.read()
        at.pick(len(COLOURS))
        assert isinstance(at.running.session.question, Menu) and not at.running.session.question.secret
        assert not terminal.read()


def test_what_is_read_out_while_a_creature_is_placed_is_the_same_whatever_the_fist(tmp_path: Path) -> None:
    told, fists = [], set()
    for seed in ("5e" * 32, "0a" * 32, "77" * 32):
        with table(tmp_path, seed=seed) as (at, terminal):
            fists.add(at.running.session.position.state.fists[0])
            terminal.read()
            for option in (0, 0, len(COLOURS), 1, len(COLOURS), 0, len(COLOURS)):
                at.pick(option)
            told.append(terminal.read())
    assert len(fists) == 3 and told[0] == told[1] == told[2]


@pytest.mark.parametrize("columns", [50, 80, 115])
def test_lines_are_as_long_as_the_window_is_wide(columns: int, tmp_path: Path) -> None:
    with table(tmp_path, columns) as (_, terminal):
        lines = terminal.read()
        assert columns - 20 < max(map(len, lines)) <= columns


def test_lines_follow_a_window_whose_size_changes_and_are_read_with_ease_in_a_huge_one(tmp_path: Path) -> None:
    with table(tmp_path, 60) as (at, terminal):
        assert max(map(len, terminal.read())) <= 60
        terminal.resize(300)
        at.pick(0)
        at.pick(0)
        at.pick(len(COLOURS))
        at.pick(len(at.running.session.question.options) - 1)  # type: ignore[union-attr]
        assert 100 < max(map(len, terminal.read())) <= 120
