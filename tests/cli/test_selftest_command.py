"""``tablier table selftest`` and ``calibrate``, from a terminal and without one."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from awaiting import await_pixels
from cli.term import Term
from sample import thorough
from tablier.service.selftest import HOODS
from tablier.simulation import tester as testers
from tablier.simulation.simulated import SimulatedTable
from tablier_fw import wire
from tablier_fw.equipment import Equipment

TABLE = [sys.executable, "-m", "tablier.cli.main", "table"]


@pytest.fixture
def table() -> Iterator[SimulatedTable]:
    with SimulatedTable() as table:
        yield table


def run(verb: str, port: str, *options: str) -> tuple[int, str, str]:
    """The command without a terminal."""
    done = subprocess.run(
        [*TABLE, verb, "--port", port, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def test_without_a_terminal_it_tests_what_needs_nobody_and_says_what_it_did_not(table: SimulatedTable) -> None:
    status, out, err = run("selftest", table.first_port)
    assert (status, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines() if line.startswith("ok")] == [
        f"ok    {step}" for step in ("memory", "buttons", "beams", "floor", "impact")
    ]
    assert "FAIL" not in out
    assert "Not checked: pixels, buttons pressed, hoods, beams with a card" in out


def test_a_starter_is_tested_for_what_it_has() -> None:
    with SimulatedTable(equipment=Equipment(0b11, 24, arena=False, starter=True)) as starter:
        status, out, _ = run("selftest", starter.first_port)
    assert status == 0 and "Not checked: pixels, buttons pressed, hoods. " in out


@thorough
@pytest.mark.long
def test_what_fails_is_named_and_info_goes_on_naming_it(table: SimulatedTable) -> None:
    assert "has not been tested" in run("info", table.first_port)[1]
    table.say("defect beam 2 60")
    status, out, err = run("selftest", table.first_port)
    assert (status, err) == (1, "")
    fault = "beam low 3 (south) fails when it loses 16 % of its light"
    assert f"FAIL  beams: {fault}; allowed: 25 % or more (see step 16 of hardware/BUILD.md)" in out
    assert out.count("FAIL") == 1
    status, out, _ = run("info", table.first_port)
    assert status == 0 and f"fault     {fault}" in out
    english, french = (json.loads(run("info", table.first_port, "--json", "--lang", tag)[1]) for tag in ("en", "fr"))
    assert english["test"] == french["test"] and english["consequences"] == french["consequences"]
    (found,) = english["test"]["faults"]
    assert (found["step"], found["senses"], found["fault"]["args"]["margin"]) == ("beams", True, 16)
    assert english["test"]["margins"][2] == 16 and english["test"]["guided"] is None
    assert english["consequences"]["by_claim"] == found["fault"] and english["consequences"]["barred"] == {}
    assert re.search(r"tested    2\d{3}-\d\d-\d\d \d\d:\d\d UTC; with people never; floor calibrated never", out)


@pytest.mark.parametrize("verb", ["selftest", "calibrate"])
def test_no_table_and_no_port_are_one_line(verb: str) -> None:
    for words in ([], ["--port", "/nowhere/port"]):
        done = subprocess.run([*TABLE, verb, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1 or verb == "calibrate"


def test_calibrating_needs_somebody(table: SimulatedTable) -> None:
    status, _, err = run("calibrate", table.first_port)
    assert status == 2 and "needs somebody at the table" in err


def test_a_game_that_waits_for_its_log_is_not_disturbed(table: SimulatedTable) -> None:
    with Term("table", "console", "--port", table.first_port) as console:
        console.until(lambda: b"'help' lists" in console.output)
        console.type("watch id=1 flags=0 places=1")
        await_pixels(table.tester, lambda pixels: pixels["public"][0] != "000000")
        table.tester.press(1, "a")
        console.shows("pressed")
        console.type("quit")
        console.ends()
    status, out, _ = run("selftest", table.first_port)
    assert status == 1 and "FAIL  1 event of a game waits in the table" in out and "This result was not stored" in out


class Guest:
    """Somebody at the table and at the terminal."""

    def __init__(self, term: Term, table: SimulatedTable) -> None:
        self.term = term
        self.tester = table.tester
        self._read = 0

    def reads(self, text: str) -> None:
        """Wait for a text, after what was read before."""

        def there() -> int:
            return self.term.output.find(text.encode(), self._read)

        self.term.until(lambda: there() >= 0, f"it showed {text!r}")
        self._read = there() + len(text.encode())

    def press(self, place: int, button: str) -> None:
        """Presses, and has let go of it before the next thing: a button that is still held cannot be pressed."""
        self.tester.press(place, button, 40)
        self.tester.wait(0.06)

    def press_the_lit_ones(self, place: int) -> None:
        for number, button in enumerate(wire.BUTTONS):
            at = (place - 1) * 5 + number
            await_pixels(self.tester, lambda pixels, at=at: pixels["ring"][at] == "3c3c3c")  # type: ignore[misc]
            self.press(place, button)

    def lays_a_card_and_takes_it(self) -> None:
        self.reads("Lay a card across the empty floor")
        self.tester.land("flat")
        self.tester.wait(0.5)
        self.term.type("")
        self.reads("Take it out again")
        self.tester.say("clear")
        self.term.type("")

    def light_hood(self, place: int) -> None:
        """Press, and once more if the hood stays dark: what it is to show may come late on a loaded machine."""
        for last in (False, False, True):
            self.press(place, "minus")
            try:
                await_pixels(self.tester, lambda pixels: bool(set(pixels[f"hood{place}"]) - {"000000"}))
                return
            except testers.TesterError:
                if last:
                    raise


@pytest.mark.long
def test_the_whole_of_it_with_somebody_at_the_terminal(table: SimulatedTable) -> None:
    table.say("defect pixel ring 30")
    with Term("table", "selftest", "--port", table.first_port) as term:
        guest = Guest(term, table)
        guest.reads("every pixel of the ring")
        term.type("perhaps")
        guest.reads("'perhaps': Enter means yes, n means no.")
        term.type("n")
        guest.reads("Which ones do not?")
        term.type("99")
        guest.reads("'99': not pixels; type numbers, 0 to 31.")
        term.type("30")
        guest.reads("the public pixel of every place")
        term.type("")
        guest.reads("every pixel under every hood")
        for place in range(1, 7):
            guest.light_hood(place)
        term.type("")
        for place in range(1, 7):
            guest.reads(f"Place {place} ")
            guest.press_the_lit_ones(place)
        for hood in HOODS:
            guest.reads(f"Press any button at place {hood}.")
            guest.light_hood(hood)
            term.type("")
        guest.reads("Move a card through each of the eight beams")
        for beam in range(8):
            table.say(f"wave {beam}")
        guest.lays_a_card_and_takes_it()
        guest.reads("Let a card fall flat")
        table.tester.land("flat")
        guest.reads("A card was felt.")
        table.say("clear")
        guest.reads("three rising tones")
        term.type("")
        status, printed = term.ends()
    assert status == 1
    assert "FAIL  pixels: pixel 30 of the ring is dark or wrong" in printed and printed.count("FAIL") == 1
    for step in ("buttons pressed", "hoods", "beams with a card", "floor with a card", "impact of a card", "buzzer"):
        assert f"ok    {step}: " in printed
    out = run("info", table.first_port)[1]
    assert "with people never" not in out and out.count("fault     ") == 1


@pytest.mark.long
def test_calibrating_with_somebody_at_the_terminal(table: SimulatedTable) -> None:
    with Term("table", "calibrate", "--port", table.first_port) as term:
        guest = Guest(term, table)
        guest.lays_a_card_and_takes_it()
        status, printed = term.ends()
    assert status == 0, printed
    text = " ".join(printed.split())
    assert "empty up to 9267 and 9267, occupied from 15556 and 15556" in text
    assert all(len(line) <= 80 for line in printed.splitlines()[1:])
    assert "floor calibrated never" not in run("info", table.first_port)[1]


def test_an_interrupt_leaves_the_table_dark_and_keeps_nothing(table: SimulatedTable) -> None:
    with Term("table", "selftest", "--port", table.first_port) as term:
        Guest(term, table).reads("every pixel of the ring")
        await_pixels(table.tester, lambda pixels: pixels["ring"][0] != "000000")
        term.process.send_signal(signal.SIGINT)
        assert term.ends()[0] == 130
    await_pixels(table.tester, lambda pixels: set(pixels["ring"]) <= {"000000", "000028"})
    assert "has not been tested" in run("info", table.first_port)[1]
