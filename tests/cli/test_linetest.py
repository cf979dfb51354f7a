"""``tablier table linetest`` at simulated tables: all is well, a press is lost, a restart, somebody at a terminal."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from golden.linetest import GOLDEN, printed
from sample import thorough
from tablier.cli.main import main
from tablier.service.linetest import FAILED, PASSED, SKIPPED, TRIALS, Line, Person, Trial
from tablier.service.selftest import Dialog
from tablier.simulation import tester as testers
from tablier.simulation.clock import clock_at
from tablier.simulation.line_hands import SimulatedHands
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.texts import Text
from tablier_fw import wire

PRESSES = 5


@pytest.fixture
def table() -> Iterator[SimulatedTable]:
    with SimulatedTable(virtual=True, seed=7) as table:
        yield table


def run(capsys: pytest.CaptureFixture[str], table: SimulatedTable, *words: str) -> tuple[int, dict[str, Any]]:
    """Run the command; return its exit status and its JSON."""
    fixed = ["table", "linetest", "--port", table.first_port, "--seconds", "2", "--presses", str(PRESSES), "--json"]
    status = main([*fixed, *words])
    return status, json.loads(capsys.readouterr().out)


@thorough
def test_a_good_table_passes_every_step() -> None:
    assert printed() == (0, GOLDEN.read_text())


def test_a_lost_press_fails_its_step(
    table: SimulatedTable, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    press, made = SimulatedHands.press, 0

    def press_badly(self: SimulatedHands) -> None:
        nonlocal made
        made += 1
        table.say("defect button 1 b open" if made == 2 else "mend")
        press(self)

    monkeypatch.setattr(SimulatedHands, "press", press_badly)
    status, told = run(capsys, table, "--only", "cable,reset")
    cable, reset = told["steps"]
    assert status == 1 and not told["passed"]
    assert (cable["verdict"], reset["verdict"]) == ("failed", "passed")
    assert (cable["pressed"], cable["felt"], cable["arrived"]) == (PRESSES, PRESSES - 1, PRESSES - 1)
    assert cable["faults"] == ["felt"]
    assert cable["mute_s"] < 2


def test_a_restart_that_nobody_asked_for_fails_its_step(
    table: SimulatedTable, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimulatedHands, "agree", lambda self, line: table.say("reset"))
    status, told = run(capsys, table, "--only", "port")
    (port,) = told["steps"]
    assert status == 1
    assert "restarted" in port["faults"] and port["cause"] == "reset"


def test_a_table_that_stays_mute_ends_the_test(
    table: SimulatedTable, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SimulatedHands, "pull", lambda self, line: table.say("unplug"))
    status, told = run(capsys, table, "--only", "cable,reset")
    cable, reset = told["steps"]
    assert status == 1
    assert cable["faults"] == ["no_answer"]
    assert reset == {"step": "reset", "verdict": "skipped"}


def test_a_game_that_waits_for_its_log_is_not_disturbed(
    table: SimulatedTable, capsys: pytest.CaptureFixture[str]
) -> None:
    with clock_at(table.first_port) as clock:
        client = Client(table.first_port, clock, lambda boot: 0)
        client.open()
        client.want(wire.WATCH, 1, 0, 1)
        client.poll(0.5)
        table.say("press 1 b")
        end = clock.now() + 1
        while clock.now() < end:
            client.poll(0.2)
        client.close()
    assert main(["table", "linetest", "--port", table.first_port]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "1 event of a game waits in the table" in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("--only cabel", "did you mean cable?"),
        ("--only cable --skip cable", "leave no step"),
        ("--skip ,", "no such step"),
        ("--seconds 1", "allowed: 2 to 300"),
        ("--presses 41", "allowed: 1 to 40"),
        ("--jsn", "did you mean --json?"),
    ],
)
def test_what_it_does_not_know_is_one_line(words: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "linetest", "--port", "simulated", *words.split()]) == 2
    out, err = capsys.readouterr()
    assert out == "" and why in err and err.count("\n") == 1


def test_a_real_table_needs_somebody(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tablier.cli.main", "table", "linetest", "--port", str(tmp_path / "ttyACM0")]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "somebody must press buttons" in done.stderr and done.stderr.count("\n") == 1


class Guest(Dialog):
    """Somebody at a table and at its computer: does what is asked, by a tester's verbs."""

    def __init__(self, tester: testers.Tester, sleeps: Callable[[], None]) -> None:
        self.said: list[str] = []
        self.presses = PRESSES
        """The presses made when some are asked for."""
        self._tester = tester
        self._sleeps = sleeps
        self._made = 0
        self._then: list[Callable[[], object]] = []
        self._types: list[str] = []

    def tell(self, text: Text) -> None:
        self.said.append(str(text))

    def ask(self, text: Text) -> None:
        self.said.append(asked := str(text))
        if "after you have typed Enter" in asked:
            self._types.append("")
            self._press(self.presses)
        elif "How many did you make" in asked:
            self._types += ["many", str(self.presses)]
        elif asked.startswith("Pull the USB cable out"):
            self._tester.say("unplug")
        elif asked.startswith("It is out"):
            self._press(self.presses)
        elif asked.startswith("Plug the cable in"):
            self._tester.say("plug")
        elif asked.startswith("Put the computer to sleep"):
            self._press(self.presses)
            self._then.append(self._sleeps)
        elif asked.startswith("Press the reset button"):
            self._tester.say("reset")
        elif asked.startswith("Pull out the adapter"):
            self._tester.say("unplug")
            self._then += [lambda: self._tester.say("power"), lambda: self._tester.say("plug")]
        elif asked.startswith("Press a button of any place"):
            self._press(int(asked.split(" times")[0].split()[-1]))

    def _press(self, many: int) -> None:
        for number in range(self._made, self._made + many):  # at once: each a button of its own
            self._tester.press(number % 6 + 1, wire.BUTTONS[number // 6 % 4])
        self._made += many

    def typed(self) -> str | None:
        for act in self._then:
            act()
        self._then.clear()
        return self._types.pop(0) if self._types else None


@pytest.fixture
def guest(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> Guest:
    clock, slept = time.time, 0.0

    def sleep() -> None:
        nonlocal slept
        slept += 60.0

    monkeypatch.setattr(time, "time", lambda: clock() + slept)
    return Guest(table.tester, sleep)


def tried(table: SimulatedTable, guest: Guest, *keys: str) -> list[Trial]:
    with clock_at(table.first_port) as clock:
        durable: dict[str, int] = {}
        client = Client(table.first_port, clock, lambda boot: durable.get(boot, 0))
        client.open()
        line = Line(client, durable, Person(guest), seconds=2, presses=PRESSES, typed=guest.typed)
        line.begin()
        trials = [trial for trial in line.run(keys) if trial.verdict]
        line.end()
        client.close()
    return trials


def test_somebody_is_led_through_every_step(table: SimulatedTable, guest: Guest) -> None:
    trials = tried(table, guest, *TRIALS)
    assert {trial.key: trial.verdict for trial in trials} == dict.fromkeys(TRIALS, PASSED), trials


def test_somebody_says_how_often_they_pressed(table: SimulatedTable, guest: Guest) -> None:
    guest.presses = PRESSES - 1
    (trial,) = tried(table, guest, "port")
    assert (trial.verdict, trial.pressed, trial.arrived) == (PASSED, PRESSES - 1, PRESSES - 1)
    assert "'many' is not a number of presses." in guest.said


def test_somebody_skips_a_step(table: SimulatedTable, guest: Guest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, "typed", lambda: "s" if "Pull" in guest.said[-1] else None)
    monkeypatch.setattr(guest, "ask", guest.tell)
    assert [trial.verdict for trial in tried(table, guest, "cable")] == [SKIPPED]
    assert FAILED not in {trial.verdict for trial in tried(table, guest, "cable", "power")}
