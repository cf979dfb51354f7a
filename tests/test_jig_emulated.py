"""The jig's firmware at a table: two emulated Picos whose pins are joined, from a line at one to a frame of the other.

They are slow: both are started once, for all tests of this file, and only in ``make thorough``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pico_image import needs_image
from sample import THOROUGH
from tablier.simulation.words import pixels_by_group
from tablier_fw import wire
from tablier_fw.colours import BLUE, GREEN, RED

pytestmark = [
    needs_image,
    pytest.mark.skipif(not THOROUGH, reason="two emulated Picos take minutes; make thorough runs them"),
]
SLICE_US = 500


class Bench:
    """A desk at the table's Pico, and the port of the jig's."""

    def __init__(self) -> None:
        pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
        from joined import Jig
        from pico_desk import PicoDesk
        from tablier.simulation.pico import Pico

        self.desk = PicoDesk()
        assert isinstance(self.desk.pico, Pico)
        self.pico = self.desk.pico
        self.resets = 0
        self.jig = Jig(self.pico, self.desk.wiring, self._reset)
        self._said = bytearray()
        self.jig.pico.on_data = self._said.extend
        self.until(lambda: self.desk.of(wire.TABLE_HELLO), "a hello")
        self.desk.greet()
        self.until(lambda: self.desk.of(wire.STATUS), "a status")

    def _reset(self) -> None:
        self.resets += 1

    def run(self, ms: float) -> None:
        """Let time pass for both."""
        pico = self.desk.pico
        end = pico.now + ms * 1000
        while pico.now < end:
            pico.run_until(min(end, pico.now + SLICE_US))
            self.jig.follow()

    def until(self, so: Callable[[], object], what: str, seconds: float = 5.0) -> None:
        end = self.desk.pico.now + seconds * 1e6
        while not so():
            assert self.desk.pico.now < end, f"waited {seconds} s of the table's time for {what}"
            self.run(1)

    def say(self, line: str) -> dict[str, Any]:
        """Say a line to the jig, and return its answer."""
        self._said.clear()
        self.jig.pico.write(line.encode() + b"\n")
        self.until(lambda: b"\n" in self._said, f"an answer to {line}")
        answer, rest = bytes(self._said).split(b"\r\n")
        assert not rest, "one line is answered by one line"
        said: dict[str, Any] = json.loads(answer)
        return said

    def ask(self, message: wire.Message, *values: object) -> None:
        self.desk.question += 1
        self.desk.say(message, self.desk.question, *values)
        count = len(self.desk.of(wire.STATUS))
        self.until(lambda: len(self.desk.of(wire.STATUS)) > count, "a status")
        self.desk.forget()


@pytest.fixture(scope="module")
def bench() -> Bench:
    return Bench()


def test_what_the_jig_does_not_know_is_refused_with_one_line(bench: Bench) -> None:
    for line, why in (
        ("fly 3", "there is no verb 'fly'; verbs: block bump"),
        ("press 7 a", "which button? a place from 1 to 6 and one of minus plus a b"),
        ("land upright", "land takes one of flat leaning rim outside"),
        ("pixel ring 32", "ring has pixels 0 to 31, not 32"),
        ("block 8", "not a number from 0 to 7: 8"),
        ("p" * 90, "a line has at most 80 characters"),
    ):
        answer = bench.say(line)
        assert answer["ok"] is False and answer["error"].startswith(why)


def test_a_press_of_the_jig_is_the_tables_event(bench: Bench) -> None:
    bench.ask(wire.WATCH, 0, 0b111111)
    for place, button in ((1, wire.MINUS), (3, wire.A), (6, wire.B)):
        assert bench.say(f"press {place} {wire.BUTTONS[button]}")["ok"]
        bench.run(150)
        assert [(it["place"], it["button"]) for it in bench.desk.of(wire.PRESSED)] == [(place, button)]
        bench.desk.forget()
    assert bench.jig.buttons == 0, "it has let go of all"


def test_the_jig_reads_the_pixels_back(bench: Bench) -> None:
    bench.ask(wire.IDLE, 0)
    for shift in range(2):
        wanted = [(RED, GREEN, BLUE)[(pixel + shift) % 3] for pixel in range(32)]
        bench.desk.say(wire.SCENE, wire.RING, b"".join(bytes((colour, 120, wire.STEADY)) for colour in wanted))
        bench.run(170)
        shown = pixels_by_group(bench.desk.wiring.pixels)
        assert len(set(shown["ring"])) == 3
        answer = bench.say("pixels")
        assert {group: answer[group] for group in shown} == shown
    assert bench.say("pixel ring 3")["colour"] == shown["ring"][3]


def test_a_card_of_the_jig_lands(bench: Bench) -> None:
    bench.ask(wire.WINDOW, 0, 0b111111, 0, 5000, 1000, 0)
    for how in ("flat", "leaning"):
        assert bench.say(f"land {how}")["ok"]
        bench.until(lambda: bench.desk.of(wire.LANDED), "a landing")
        assert [wire.LANDINGS[it["landing"]] for it in bench.desk.of(wire.LANDED)] == [how]
        bench.desk.forget()
        bench.run(100)
    assert bench.say("clear")["ok"]


def test_reset_and_service_reach_their_pins(bench: Bench) -> None:
    assert bench.say("service on")["ok"]
    bench.run(1)
    assert not bench.pico.chip.gpio[19].input_value
    assert bench.say("service off")["ok"]
    bench.run(1)
    assert bench.pico.chip.gpio[19].input_value
    assert bench.say("reset")["ok"]
    bench.run(30)
    assert bench.resets == 1
    assert bench.say("supply")["volts"] == pytest.approx(3.3, abs=0.02)
