"""What the self-test has found wrong with a table: games go on by claim alone, or are refused with the reason."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from broken_off import LAST_TURNS, Watcher, cut, ending_with, lay, transactions
from playing import a_table, begin, bodies, exported, play, seats

import replies
from ports import open_desk
from sample import sample, thorough
from tablier.cli.main import main
from tablier.games.dilemma.rules import LANDINGS
from tablier.judge.audit import audit
from tablier.keeper.desk import Desk
from tablier.log.store import Log
from tablier.messages import Menu, Poll, Update
from tablier.service import diagnosis
from tablier.service.selftest import Examination
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.table.unusable import TableError
from tablier.texts import render, text_from
from tablier_fw import result


@contextmanager
def at(table: SimulatedTable) -> Iterator[Client]:
    """Somebody speaks to the table, and leaves."""
    tester = testers.Tester(table.control)
    tester.join()
    client = Client(table.port or "", VirtualClock(tester), lambda boot: 0)
    client.open()
    yield client
    client.close()
    tester.close()


def examine(table: SimulatedTable) -> None:
    with at(table) as client:
        examination = Examination(client, {}, count(1).__next__)
        examination.begin()
        examination.measure()
        assert examination.keep()


def has_kept(table: SimulatedTable, **found: Any) -> None:
    """The table has been tested, with that result."""
    with at(table) as client:
        good = {"measured": 1, "margins": bytes([50] * 8), "blinded": bytes(8), "impacts": 0}
        record = {**result.new(bytes.fromhex(client.board or "")), **good, **found}
        record["measured_by"] = diagnosis.version_field(client.version)
        assert diagnosis.store(client, result.pack(record)) == (0, record)


WEAK = {"margins": bytes([50, 50, 10, 50, 50, 50, 50, 50])}
REASON = "beam low 3 (south) fails when it loses 10 % of its light"


class Heard:
    """Keeps what was asked and noted."""

    def __init__(self) -> None:
        self.windows: list[str] = []
        self.first_claims: list[int | None] = []
        """Which landing was claimed first after each window, counted from the bottom."""
        self._before = ""
        self._last = 0
        self.notes: list[str] = []

    def __call__(self, update: Update) -> None:
        names = [seat.name for seat in update.seats]
        self.notes += [render(news.text, names) for news in update.news]
        question = update.question
        if question is None or question.id == self._last:
            return
        self._last = question.id
        if isinstance(question, Menu | Poll) and question.what == "claim" and self._before == "window":
            self.first_claims.append(question.subject)
        self._before = question.what
        if question.what == "window":
            self.windows.append(render(question.text, names))


# -- by claim ---------------------------------------------------------------------------------------------------------


def test_with_a_beam_that_fails_the_cards_are_entered_by_people(tmp_path: Path) -> None:
    """The beam reads broken all the time: what the sensors propose would be wrong for every card."""
    meant, made = ending_with(LAST_TURNS)
    screen = Heard()
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        table.say("defect beam 1 40")
        examine(table)
        play(log, begin(log, meant, made), table, meant.moves, watch=screen)
        assert exported(log, 1) == meant
        entries = list(log.entries())
        audit(entries)
    reason = "beam low 2 (east) reads broken though nothing is in it"
    assert screen.windows and all(f"the cards are entered, because {reason}" in text for text in screen.windows)
    assert any(reason in note for note in screen.notes)
    assert len(screen.first_claims) > 3 and not any(screen.first_claims), "what the sensors tell takes no part"
    assert reason in str(text_from(bodies(entries, "table", "hello")[-1]["by_claim"]))
    felt = [body["landing"] for body in bodies(entries, "table", replies.LANDED)]
    threw = [move.split()[-1] for move in meant.moves[made:] if " throw " in move and "outside" not in move]
    assert felt != list(map(LANDINGS.index, threw)), "the sensors are wrong indeed"


@thorough
def test_a_good_table_is_believed(tmp_path: Path) -> None:
    meant, made = ending_with(LAST_TURNS)
    screen = Heard()
    with a_table(seed=3) as table, Log.open(tmp_path / "log.db") as log:
        examine(table)
        play(log, begin(log, meant, made), table, meant.moves, watch=screen)
        assert exported(log, 1) == meant
        assert all("by_claim" not in body for body in bodies(list(log.entries()), "table", "hello"))
    assert screen.windows and not any("entered" in text for text in screen.windows)
    assert not any("because" in note for note in screen.notes)


@thorough
@pytest.mark.parametrize(("first", "later"), [({}, WEAK), (WEAK, {})])
def test_a_game_goes_on_the_other_way_from_every_entry(
    tmp_path: Path, first: dict[str, Any], later: dict[str, Any]
) -> None:
    """What was begun by claim ends by claim, and the other way round; what is begun next goes by the latest test."""
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    with a_table(seed=7) as table, Log.open(path) as log:
        has_kept(table, **first)
        watcher = Watcher(table)
        begin(log, meant, made)
        before = log.entry_with(log.head) or 0
        play(log, 1, table, meant.moves, hook=watcher)
        assert exported(log, 1) == meant
        entries = list(log.entries())
    ends = [n for n in transactions(entries) if n > before]
    with a_table(seed=8) as table:
        has_kept(table, **later)
        for n in ends[1 :: sample(80, 4)]:
            copy = tmp_path / f"cut{n}.db"
            cut(path, copy, n)
            lay(table, watcher.piles.get(n, []))
            screen = Heard()
            with Log.open(copy) as log:
                play(log, 1, table, meant.moves, watch=screen)
                assert exported(log, 1) == meant, f"taken up after entry {n}"
                log.verify()
                audit(log.entries())
                last = bodies(list(log.entries()), "table", "hello")[-1]
                assert str(text_from(last.get("by_claim", ""))).startswith(REASON) == bool(later)
            assert all((REASON in text) == bool(later) for text in screen.windows[1:])
            table.say("reset")


@thorough
def test_the_same_table_tested_again_between_two_sittings(tmp_path: Path) -> None:
    """The boot is the same, and yet the log says that the game goes on otherwise."""
    meant, made = ending_with(LAST_TURNS)
    path = tmp_path / "log.db"
    with a_table(seed=7) as table:
        with Log.open(path) as log:
            watcher = Watcher(table)
            begin(log, meant, made)
            before = log.entry_with(log.head) or 0
            play(log, 1, table, meant.moves, hook=watcher)
            entries = list(log.entries())
        opened = next(e.n for e in entries if e.kind == "ask" and e.body["what"] == "window" and e.n > before)
        cut(path, tmp_path / "cut.db", opened)
        lay(table, [])
        has_kept(table, **WEAK)
        screen = Heard()
        with Log.open(tmp_path / "cut.db") as log:
            play(log, 1, table, meant.moves, watch=screen)
            assert exported(log, 1) == meant
            hellos = bodies(list(log.entries()), "table", "hello")
    assert len({hello["boot"] for hello in hellos[1:]}) == 1
    assert ["by_claim" in hello for hello in hellos] == [False, False, True]
    assert "entered" not in screen.windows[0] and all("entered" in text for text in screen.windows[1:])


# -- refused ----------------------------------------------------------------------------------------------------------

HOODS = {"guided": 1, "parts": result.HOODS, "hoods": bytes([1, 4, 3, 2, 5, 6])}
STUCK = {"held": 1 << 4}


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (HOODS, "Bernard cannot sit at place 2: hood 2 is seen at place 4: no secret may be shown under it"),
        (STUCK, "Bernard cannot sit at place 2: button minus of place 2 counts as pressed"),
    ],
)
def test_a_place_that_does_not_work_is_refused_before_anything_is_begun(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], found: dict[str, Any], why: str
) -> None:
    words = ["--seat", "Anne@1=people", "--seat", "Bernard@2=people", "--seat", "Christine@3=people"]
    with a_table(seed=1) as table:
        has_kept(table, **found)
        command = ["play", "dilemma", "--port", table.port or "", "--virtual", "--log", str(tmp_path / "log.db")]
        assert main([*command, *words]) == 2
        out, err = capsys.readouterr()
        assert out == "" and why in err and err.count("\n") == 1
        with Log.read(tmp_path / "log.db") as log:
            assert log.games() == []
        with pytest.raises(TableError, match="cannot sit at place 2"):
            Desk(seats(3), table.port, virtual=True).set_up()  # at places 1, 2 and 4
        with open_desk([seat for seat in seats(5) if seat.place not in (2, 4)], table.port, virtual=True):
            pass


def test_nobody_sits_down_in_a_game_that_goes_on_either(tmp_path: Path) -> None:
    meant, made = ending_with(LAST_TURNS)
    with a_table(seed=1) as table, Log.open(tmp_path / "log.db") as log:
        game = begin(log, meant, made)
        has_kept(table, **HOODS)
        with pytest.raises(TableError, match="cannot sit at place 2"):
            play(log, game, table, meant.moves)


# -- a real board -----------------------------------------------------------------------------------------------------


def first_lines(port: Path, folder: Path) -> list[str]:
    """Return the first lines of a game of people at the table of a port."""
    people = [word for name in ("Anne", "Bernard", "Christine") for word in ("--seat", f"{name}=table")]
    command = [sys.executable, "-m", "tablier.cli.main", "play", "dilemma", "--plain", "--port", str(port), *people]
    with subprocess.Popen(
        [*command, "--log", str(folder / "log.db")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as game:
        assert game.stdout is not None
        lines = [game.stdout.readline()]
        while lines[-1] and "The table answers" not in lines[-1]:
            lines.append(game.stdout.readline())
        game.send_signal(signal.SIGINT)
        assert game.wait(20) == 130
    return lines


def test_a_real_board_without_a_result_is_played_at_with_a_line_of_advice(tmp_path: Path) -> None:
    """To the host it is a real one when its port's name is not that of a simulated table."""
    with SimulatedTable() as table:
        port = tmp_path / "ttyACM0"
        port.symlink_to(os.path.realpath(table.first_port))
        lines = first_lines(port, tmp_path)
        assert any(line.startswith("* This table has not been tested: run 'tablier table selftest") for line in lines)
        command = [sys.executable, "-m", "tablier.cli.main", "table", "selftest", "--port", str(port)]
        assert subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
        assert not any("tested" in line for line in first_lines(port, tmp_path))
