"""The probes of the build guide, run against a Pico that is none: they show what the guide says they show."""

from __future__ import annotations

import math
import re
import runpy
import sys
import time
import types
from collections.abc import Callable

import pytest

from hardware import HERE
from tablier_fw import pins, wire

READING_US = 31
GUIDE = (HERE / "BUILD.md").read_text(encoding="utf-8")
STARTER = (HERE / "STARTER.md").read_text(encoding="utf-8")

Run = Callable[..., list[str]]
Colour = tuple[int, int, int]


class Table:
    """The pins of a table, and what is wired to them."""

    def __init__(self) -> None:
        self.levels: dict[int, int] = {}
        self.pressed = 0
        self.broken = 0
        self.latched = True  # as it may come up
        self.shifted = 0
        self.dark, self.lit = 60_000, (59_000, 20_000)
        self.written: list[tuple[int, list[Colour]]] = []
        self.tones: list[int] = []
        self.readings = 500

    def value(self, number: int) -> int:
        if number == pins.BUTTONS_DATA:
            if self.shifted < 24:
                return int(not self.pressed >> self.shifted & 1)
            return pins.PATTERN >> (31 - self.shifted) & 1 if self.shifted < 32 else 0
        if pins.BEAM_LOW_1 <= number < pins.BEAM_LOW_1 + 8:
            line = number - pins.BEAM_LOW_1
            on = self.levels.get(pins.EMIT_LOW if line < 4 else pins.EMIT_RIM)
            return int(not on or bool(self.broken >> line & 1))
        if number == pins.IMPACT:
            return int(self.latched)
        return self.levels.get(number, 1)

    def set(self, number: int, level: int) -> None:
        before = self.levels.get(number)
        self.levels[number] = level
        if number == pins.BUTTONS_LOAD and not level:
            self.shifted = 0
        if number == pins.BUTTONS_CLOCK and level and not before:
            self.shifted += 1
        if number == pins.IMPACT_CLEAR and level:
            self.latched = False

    def read(self, number: int) -> int:
        """A converter; the piezo rests at half, and every 3000th reading something strikes: 0.5 V that die away."""
        if number == pins.IMPACT_WAVE:
            self.readings += 1
            since = self.readings % 3000 * READING_US / 1000
            return round(32768 + 9930 * math.exp(-since / 2.0) * math.sin(2 * math.pi * 4.6 * since))
        return self.lit[number - pins.FLOOR_OFFER] if self.levels.get(pins.EMIT_FLOOR) else self.dark


@pytest.fixture
def table() -> Table:
    return Table()


@pytest.fixture
def run(table: Table, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a probe; at its n-th rest of some milliseconds what is due then happens, and at the last it is stopped."""

    class Pin:
        IN, OUT, PULL_UP, PULL_DOWN = range(4)

        def __init__(self, number: int, mode: object = None, pull: object = None, value: int | None = None) -> None:
            self.number = number
            if value is not None:
                table.set(number, value)

        def value(self, level: int | None = None) -> int | None:
            if level is None:
                return table.value(self.number)
            table.set(self.number, level)
            return None

    class Adc:
        def __init__(self, pin: Pin) -> None:
            self.pin = pin

        def read_u16(self) -> int:
            return table.read(self.pin.number)

    class Pwm:
        def __init__(self, pin: Pin, freq: int, duty_u16: int) -> None:
            self.hertz = freq

        def freq(self, hertz: int) -> None:
            self.hertz = hertz

        def duty_u16(self, duty: int) -> None:
            table.tones.append(self.hertz if duty else 0)

    class NeoPixel(list[Colour]):
        def __init__(self, pin: Pin, count: int) -> None:
            super().__init__([(0, 0, 0)] * count)
            self.pin = pin

        def fill(self, colour: Colour) -> None:
            self[:] = [colour] * len(self)

        def write(self) -> None:
            table.written.append((self.pin.number, list(self)))

    def probe(name: str, *happenings: Callable[[], object]) -> list[str]:
        rests = iter(happenings)

        def sleep_ms(ms: int) -> None:
            happening = next(rests, None)
            if happening is None:
                raise KeyboardInterrupt
            happening()

        machine = types.SimpleNamespace(Pin=Pin, ADC=Adc, PWM=Pwm)
        monkeypatch.setitem(sys.modules, "machine", machine)
        monkeypatch.setitem(sys.modules, "neopixel", types.SimpleNamespace(NeoPixel=NeoPixel))
        for module in ("floor", "buzzer"):  # they are to find this machine, and nobody else is to find them
            monkeypatch.delitem(sys.modules, f"tablier_fw.pico.{module}", raising=False)
        monkeypatch.setattr(time, "sleep_ms", sleep_ms, raising=False)
        monkeypatch.setattr(time, "sleep_us", lambda us: None, raising=False)
        monkeypatch.setattr(time, "ticks_us", lambda: table.readings * READING_US, raising=False)
        monkeypatch.setattr(time, "ticks_diff", lambda later, earlier: later - earlier, raising=False)
        try:
            runpy.run_path(str(HERE / f"probe/{name}.py"))
        except KeyboardInterrupt:
            pass
        finally:
            for module in ("floor", "buzzer"):
                sys.modules.pop(f"tablier_fw.pico.{module}", None)
        return capsys.readouterr().out.splitlines()

    return probe


def nothing() -> None:
    pass


def test_the_buttons_come_in_their_order(run: Run, table: Table) -> None:
    def press() -> None:
        table.pressed = 1 << (4 * 2 + wire.B)

    lines = run("buttons", nothing, press, nothing)
    assert lines[1] == "1111 1111 1111 1111 1111 1111 1010 0110  service 1"
    assert lines[1] in GUIDE
    assert lines[2].split("  ")[0].split()[2] == "1110", "b of place 3"
    assert len(lines) == 3, "a line came though nothing had changed"


def test_the_buttons_of_a_starter_are_named(run: Run, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def press(number: int) -> Callable[[], object]:
        return lambda: table.levels.update({number: 0})

    monkeypatch.setattr(table, "value", lambda number: table.levels.get(number, 1))  # no beams at these pins
    last = pins.STARTER_BUTTONS + 7
    lines = run("starter", nothing, nothing, press(pins.STARTER_BUTTONS), press(last), press(pins.SERVICE), nothing)
    assert lines[:2] == ["nothing is pressed", "minus of place 1"]
    assert lines[2:] == ["minus of place 1, b of place 2", "minus of place 1, b of place 2, service"]
    assert "`nothing is pressed`" in STARTER and "`b of place 1`" in STARTER


def test_the_beams_are_lit_and_dark(run: Run, table: Table) -> None:
    def break_rim_2() -> None:
        table.broken = 1 << 5

    lines = run("beams", nothing, nothing, break_rim_2, nothing, nothing, nothing)
    assert lines[1] == "lit 0000 0000  dark 1111 1111" and lines[1] in GUIDE
    assert lines[2] == "lit 0000 0100  dark 1111 1111"


def test_the_emitters_go_off_in_the_end(run: Run, table: Table) -> None:
    assert run("emitters", nothing) == ["on", "off"]
    assert [table.levels[pin] for pin in (pins.EMIT_LOW, pins.EMIT_RIM, pins.EMIT_FLOOR)] == [0, 0, 0]


def test_impacts_are_counted(run: Run, table: Table) -> None:
    def hit() -> None:
        table.latched = True

    lines = run("impact", nothing, hit, nothing, nothing, hit, nothing, nothing)
    assert lines == ["latch 0", "impact 1", "impact 2"]
    assert "`latch 0`" in GUIDE


def test_the_waveform_of_an_impact_is_measured(run: Run, table: Table) -> None:
    """0.5 V that die away with 2 ms are at 60 mV after 4.2 ms; the disc swings every tenth of a millisecond."""
    first, second = run("wave", nothing)[1:]
    for line in (first, second):
        swing, lasts, pause = (float(word.split()[0]) for word in line.split(", "))
        assert 400 < swing < 500 and 3.8 < lasts < 4.4 and pause <= 0.2, line
        assert line.split(", ")[0].endswith(" mV") and line.count(" ms") == 2


def test_the_floor_tells_empty_from_occupied(run: Run) -> None:
    (line,) = run("floor")[:1]
    assert re.fullmatch(r"offer 1000 False  pile 40000 True", line)


def test_each_pixel_is_lit(run: Run, table: Table) -> None:
    lines = run("pixels", *[nothing] * 3 * 68)
    assert lines[0] == "ring 0" and lines[31:33] == ["ring 31", "places 0"] and lines[67] == "places 35"
    lit = {(pin, index) for pin, frame in table.written for index, colour in enumerate(frame) if any(colour)}
    assert len(lit) == sum(wire.GROUPS)
    assert all(sum(map(sum, frame)) <= 36 for _, frame in table.written), "brighter than a probe needs to be"


@pytest.mark.parametrize("rests", (1, 3 * 40 + 1), ids=("in the ring", "at a place"))
def test_no_pixel_stays_lit_when_the_probe_is_stopped(run: Run, table: Table, rests: int) -> None:
    run("pixels", *[nothing] * rests)
    for number in (pins.RING_DATA, pins.PLACES_DATA):
        last = [frame for pin, frame in table.written if pin == number][-1]
        assert not any(any(colour) for colour in last)


def test_the_scale_ends_in_silence(run: Run, table: Table) -> None:
    assert run("buzzer", *[nothing] * 5)[0] == "250 Hz"
    assert table.tones == [250, 500, 1000, 2000, 4000, 0]


def test_the_guide_or_the_starters_page_uses_every_probe() -> None:
    for path in (HERE / "probe").glob("*.py"):
        assert f"hardware/probe/{path.name}" in (STARTER if path.stem == "starter" else GUIDE), path.name
