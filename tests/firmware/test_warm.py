"""Copies of a simulated table: each is the table that a start from nothing gives, and knows nothing of the others."""

from __future__ import annotations

import signal
import sys

import pytest
from transcripts import transcript

import warm
from tablier.simulation.simulated import SimulatedTable

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tables are copied on Linux only")


@pytest.fixture
def copies(stock, monkeypatch):
    """Let all tables be copies, also in ``make thorough``."""
    monkeypatch.setattr(SimulatedTable, "launch", staticmethod(stock.launch))


def test_a_copy_does_what_a_table_that_started_from_nothing_does(copies, monkeypatch):
    copied = transcript()
    monkeypatch.setattr(SimulatedTable, "launch", staticmethod(warm.start_from_nothing))
    assert transcript() == copied


def test_what_is_done_to_a_copy_is_nothing_to_the_next(copies):
    told = []
    for _ in range(2):
        with SimulatedTable(virtual=True, seed=3, board="00112233445566ff") as table:
            told.append((table.say("stats"), table.say("pile"), table.tester.pixels(), table.tester.time()))
            table.tester.join()
            table.tester.land("flat")
            table.tester.press(1, "a")
            table.say("shine 200")
            table.tester.wait(2)
            table.say("reset")
            table.tester.wait(1)
            assert table.say("stats")["boots"] == 2
    assert told[0] == told[1]


def test_a_copy_has_its_own_surroundings(copies, monkeypatch, tmp_path):
    for folder in (tmp_path / "one", tmp_path / "two"):
        monkeypatch.setenv("TABLIER_PORTS", str(folder))
        with SimulatedTable(virtual=True) as one, SimulatedTable(board="00112233445566ff") as other:
            assert one.first_port.startswith(f"{folder}/") and one.board != other.board == "00112233445566ff"
            assert one.say("time")["virtual"] and not other.say("time")["virtual"]


def test_two_that_break_say_each_its_own(stock, monkeypatch, capfd):
    monkeypatch.setattr(warm, "PROGRAMS", ("broken_table",))
    for word in ("Anne", "Bernard"):
        monkeypatch.setenv("BROKEN", word)
        process = stock.launch("broken_table", [])
        assert process.wait(30) == 1
        process.stdin.close()
        process.stdout.close()
        complaint = capfd.readouterr().err
        assert complaint.count("ValueError") == 1, complaint
        assert "board_sim.py" in complaint and complaint.rstrip().endswith(f"'{word}'"), complaint


def test_how_a_copy_ended_is_told(stock):
    for number in (signal.SIGTERM, signal.SIGKILL):
        process = stock.launch(SimulatedTable.program, ["--leash", "--virtual"])
        assert process.stdout.readline() and process.poll() is None
        process.send_signal(number)
        assert process.wait(30) == process.poll() == (0 if number is signal.SIGTERM else -number)
        process.send_signal(number)  # nobody else gets it
        process.stdin.close()
        process.stdout.close()


def test_a_copy_ends_with_whoever_asked_for_it(stock):
    process = stock.launch(SimulatedTable.program, ["--leash", "--virtual"])
    assert process.stdout.readline()
    process.stdin.close()
    assert process.wait(30) == 0
    process.stdout.close()
