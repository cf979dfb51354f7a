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

import replies
from ports import connect
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core.questions import Menu
from tablier.games.daemonen.colours import COLOURS
from tablier.log.store import Log
from tablier.play.audience import Watcher
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
        self._number = 0
        self.look_on(terminal)
        self.running.start()

    def look_on(self, terminal: Terminal) -> None:
        line = Line((), LogName(""), io.StringIO(), terminal.out)
        line._at_terminal = lambda: True  # type: ignore[method-assign]
        line._connection = connect(self.running)
        watcher = Watcher((None,), lambda message: line._step("message", message))
        (self.running.welcome if self._number else self.running.await_start)(watcher)

    def pick(self, option: int) -> None:
        self._number += 1
        place = self.running.session.open.waiting[0]
        picked = replies.pick(option, id=self.running.session.id, place=place)
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


def test_each_step_of_a_placement_is_read_out_and_the_same_again_after_going_back(tmp_path: Path) -> None:
    with table(tmp_path) as (at, terminal):
        at.pick(0)
        where = [line for line in terminal.read() if "Anne: where in field " in line]
        at.pick(0)
        question = at.running.session.question
        assert isinstance(question, Menu) and question.secret
        assert any("Anne: which creature in field " in line for line in terminal.read())
        at.pick(len(COLOURS))
        assert isinstance(at.running.session.question, Menu) and not at.running.session.question.secret
        assert len(where) == 1 and where[0] in terminal.read()


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


def test_lines_follow_a_window_whose_size_changes_and_fill_a_huge_one(tmp_path: Path) -> None:
    with table(tmp_path, 60) as (at, terminal):
        assert max(map(len, terminal.read())) <= 60
        terminal.resize(300)
        at.pick(0)
        at.pick(0)
        at.pick(len(COLOURS))
        at.pick(len(at.running.session.question.options) - 1)  # type: ignore[union-attr]
        lines = terminal.read()
        assert max(map(len, lines)) > 120 and not any(line.startswith("   ") for line in lines), "nothing is broken"


def test_who_comes_later_hears_one_paragraph_of_what_happened_then_what_is_asked_now(tmp_path: Path) -> None:
    with table(tmp_path) as (at, terminal):
        while sum(move.verb == "place" for move in at.running.session.position.moves) < 2:
            question = at.running.session.question
            assert isinstance(question, Menu)
            legal, back = set(at.running.session.position.legal_moves), len(question.options) - 1
            open_ = [n for n, leads in enumerate(question.leads[:back]) if legal.intersection(leads)]
            at.pick(back if question.what == "predict" else open_[0])
        terminal.read()
        other = Terminal(400)
        with other.out:
            at.look_on(other)
            heard = other.read()
    assert sum(line.startswith("* So far: ") for line in heard) == 1, heard
    assert [line for line in heard if line.startswith("? ")] == [line for line in heard if line.startswith("? Now: ")]
    assert not any(line.startswith("  1. ") for line in heard)
