"""Figures of the firmware on two emulators that share no code, beside each other.

    python -m tests.tools.emulators [--emulator rp2040js] [--sleeps 200] [presses sleeps floor …]

``presses``: twelve presses around 20 s in which the computer sleeps, and how many arrive. ``sleeps``: sleeps and pulled
cables at random moments, and for how long the table is mute afterwards. ``floor``: the time between two steps of the
floor's sensors, with nobody speaking and in a flood of pings. ``speed``: from power to hello, and from a contact to its
event. ``timing``: how long the pixels' line is high for each bit, and how often the buttons are read.

Times are the Pico's. It needs MicroPython's image (``TABLIER_PICO_IMAGE``), and for ``rp2040js`` the package that
``make hil TABLE=rp2040js`` installs.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]  # where pytest finds what tests share, too

from pico_desk import PicoDesk  # noqa: E402
from tablier.simulation.chip import Chip  # noqa: E402
from tablier.simulation.pico import Pico  # noqa: E402
from tablier.simulation.rp2040js import PACKAGE, ScriptedPico  # noqa: E402
from tablier_fw import pins, wire  # noqa: E402

CHIPS: dict[str, Callable[..., Chip]] = {"rp2040py": Pico, "rp2040js": ScriptedPico}
EVERY_PLACE = wire.ALL_PLACES
ASLEEP_MS = 20_000
MUTE_MAX_MS = 2_000
"""The longest silence after a sleep that a host forgives."""


def table(chip: Callable[..., Chip]) -> PicoDesk:
    """Return a table whose places are watched, with a host."""
    desk = PicoDesk(chip=chip)
    desk.until(wire.TABLE_HELLO)
    desk.greet()
    desk.until(wire.STATUS)
    desk.say(wire.WATCH, 1, 0, EVERY_PLACE)
    desk.run(100)
    return desk


def press(desk: PicoDesk, place: int, button: int, hold_ms: float = 60, gap_ms: float = 340) -> None:
    desk.wiring.buttons = 1 << (4 * place + button)
    desk.run(hold_ms)
    desk.wiring.buttons = 0
    desk.run(gap_ms)


def speed(chip: Callable[..., Chip], sleeps: int) -> Iterator[str]:
    desk = PicoDesk(chip=chip)
    desk.until(wire.TABLE_HELLO)
    yield f"hello after {desk.frames[0][2] / 1e6:.2f} s"
    desk.greet()
    desk.until(wire.STATUS)
    desk.say(wire.WATCH, 1, 0, EVERY_PLACE)
    desk.run(100)
    times = []
    for number in range(12):
        desk.forget()
        begun = desk.pico.now
        press(desk, number % 6, number // 6)
        times += [(at - begun) / 1000 for message, _, at in desk.frames if message is wire.PRESSED]
    yield f"press to event: median {median(times):.1f} ms, longest {max(times):.1f} ms, {len(times)} of 12"


def presses(chip: Callable[..., Chip], sleeps: int) -> Iterator[str]:
    """Each place presses two of its buttons: a watched place reports every press, which then waits in the journal."""
    desk = table(chip)
    desk.forget()
    desk.pico.sleep()
    for number in range(12):
        press(desk, number % 6, number // 6, 60, ASLEEP_MS / 12 - 60)
    spoke_asleep = len(desk.frames)
    desk.pico.wake()
    woken = desk.pico.now
    arrived: set[int] = set()
    while len(arrived) < 12 and desk.pico.now < woken + 5e6:
        desk.run(20)
        arrived = {each["number"] for each in desk.of(wire.PRESSED)}
    waited = (desk.pico.now - woken) / 1e6
    first = f"{(desk.frames[0][2] - woken) / 1000:.0f} ms" if desk.frames else "never"
    yield (
        f"{len(arrived)} of 12 presses of 20 s asleep after {waited:.1f} s; first frame {first} after waking,"
        f" {spoke_asleep} while asleep"
    )


def sleep_and_wake(desk: PicoDesk, chance: random.Random, number: int) -> tuple[float, float]:
    """Return the ms after which the table speaks again, and those after which it answers."""
    desk.run(chance.uniform(0, 150) + chance.random())
    if chance.random() < 0.5:  # asleep while a frame is on its way
        desk.say(wire.PING, number)
        desk.run(chance.uniform(0, 8))
    if chance.random() < 0.7:
        desk.wiring.buttons = 1 << 4 * chance.randrange(6)
    desk.run(chance.uniform(0, 6))
    desk.pico.sleep()
    desk.run(chance.choice([chance.uniform(0, 5), chance.uniform(5, 60), chance.uniform(60, 900)]))
    desk.wiring.buttons = 0
    desk.forget()
    woken = desk.pico.now
    chance.choice([desk.pico.wake, desk.pico.wake, desk.pico.plug])()
    asked = 0
    while not desk.of(wire.PONG) and desk.pico.now < woken + 10e6:
        if asked % 10 == 0:
            desk.say(wire.PING, 1000 + number)
        asked += 1
        desk.run(20)
    spoke = [(at - woken) / 1000 for _, _, at in desk.frames]
    answered = [(at - woken) / 1000 for message, _, at in desk.frames if message is wire.PONG]
    return min(spoke, default=1e9), min(answered, default=1e9)


def sleeps(chip: Callable[..., Chip], sleeps: int) -> Iterator[str]:
    desk, chance = table(chip), random.Random(7)
    desk.say(wire.SCENE, wire.RING, bytes((1, 255, wire.CHASE)) * wire.GROUPS[wire.RING])
    desk.run(200)
    found = [sleep_and_wake(desk, chance, number) for number in range(sleeps)]
    for what, times in zip(("first frame", "answer"), zip(*found, strict=True), strict=True):
        verdict = "met" if max(times) <= MUTE_MAX_MS else "MISSED"
        yield f"{sleeps} sleeps: {what} after {median(times):.0f} ms (median), {max(times):.0f} ms at most: {verdict}"
    yield f"{len(desk.pico.resets_us)} resets"


def floor(chip: Callable[..., Chip], sleeps: int) -> Iterator[str]:
    desk = table(chip)
    lit: list[float] = []
    desk.pico.watch(pins.EMIT_FLOOR, lambda on: lit.append(desk.pico.now) if on else None)
    desk.run(1000)
    yield f"a step of the floor each {_step(lit)}"
    lit.clear()
    asked, end = 0, desk.pico.now + 3e6
    while desk.pico.now < end:
        while desk.pico.pending < 256:
            desk.say(wire.PING, asked)
            asked += 1
        desk.run(1)
    yield f"in a flood of {asked} pings each {_step(lit)}"


def _step(lit: list[float]) -> str:
    gaps = [(later - sooner) / 1000 for sooner, later in pairwise(lit)]
    return f"{median(gaps):.1f} ms (median), {max(gaps):.1f} ms at most" if gaps else "-: none"


def timing(chip: Callable[..., Chip], sleeps: int) -> Iterator[str]:
    desk = table(chip)
    edges: list[tuple[float, bool]] = []
    loads: list[float] = []
    desk.pico.watch(pins.RING_DATA, lambda high: edges.append((desk.pico.now * 1000, high)))
    desk.pico.watch(pins.BUTTONS_LOAD, lambda high: None if high else loads.append(desk.pico.now / 1000))
    desk.say(wire.SCENE, wire.RING, bytes((1, 255, wire.STEADY)) * wire.GROUPS[wire.RING])
    desk.run(200)
    pulses = [later - sooner for (sooner, high), (later, _) in pairwise(edges) if high]
    short, long = ([ns for ns in pulses if (ns > 500) == ones] for ones in (False, True))
    yield f"pixels: high for {_range(short, 0)} ns (0) and {_range(long, 0)} ns (1), {len(pulses)} bits"
    yield f"buttons: a sample each {_range([later - sooner for sooner, later in pairwise(loads)], 3)} ms"


def _range(values: list[float], digits: int) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}" if values else "-"


EXPERIMENTS = {"speed": speed, "timing": timing, "presses": presses, "sleeps": sleeps, "floor": floor}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="EXPERIMENT", help=", ".join(EXPERIMENTS))
    parser.add_argument("--emulator", choices=CHIPS, action="append")
    parser.add_argument("--sleeps", type=int, default=20)
    options = parser.parse_args()
    if wrong := [each for each in options.what if each not in EXPERIMENTS]:
        parser.error(f"{wrong[0]}: there are {', '.join(EXPERIMENTS)}")
    os.environ.setdefault(PACKAGE, str(ROOT / ".venv" / "npm" / "node_modules" / "rp2040js"))
    for what in options.what or EXPERIMENTS:
        for name in options.emulator or CHIPS:
            for line in EXPERIMENTS[what](CHIPS[name], options.sleeps):
                print(f"{what:8} {name:9} {line}", flush=True)


if __name__ == "__main__":
    main()
