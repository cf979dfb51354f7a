"""The firmware on an emulated Pico, in the Pico's own time: a press, a turn of the loop, a card, the line.

``tests/tools/bench/PICO.md`` says what the figures mean and how far the emulator's clock is to be trusted.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from tests.firmware import traces

from tablier.simulation.arena import BEAMS, IMPACT
from tablier.simulation.chip import PicoError
from tablier_fw import wire

sys.path.append(str(Path(__file__).parents[2]))  # where pytest finds it too

from pico_desk import PicoDesk, PicoShell, changed

PRESSES = 60
PAIRS = 96
BURSTS = 3
PINGS = 30
SEED = 1
AWAKE, COLLECTING = 20, 21
"""Pins that are not wired: high while the loop has work, and while garbage is collected."""

_LOOP = """        if table.collection_due:
            table.note_collection(board.collect())
        board.wait(table.pause())
        table.tick()
"""
_MARKED = """        if table.collection_due:
            collecting(1)
            us = board.collect()
            collecting(0)
            table.note_collection(us)
        pause = table.pause()
        awake(0)
        board.wait(pause)
        awake(1)
        table.tick()
"""
_MARKS = f"""    awake = Pin({AWAKE}, Pin.OUT, value=0).value
    collecting = Pin({COLLECTING}, Pin.OUT, value=0).value
    while True:
"""


@dataclass
class Turn:
    """A turn of the main loop, from the end of its sleep to the next."""

    at: float
    us: float


class MarkedDesk(PicoDesk):
    """Tells the turns of the main loop from each other; otherwise the firmware is what is deployed."""

    def __init__(self) -> None:
        super().__init__(SEED, changed("tablier_fw/pico/start.py", (_LOOP, _MARKED), ("    while True:\n", _MARKS)))
        self.turns: list[Turn] = []
        self.collections: list[float] = []
        self.pictures: list[float] = []
        self._woken = self._began = self._collected = 0.0
        self.pico.watch(AWAKE, self._turn)
        self.pico.watch(COLLECTING, self._collect)
        self.wiring.on_picture = lambda pixels: self.pictures.append(self.pico.now)

    def _turn(self, awake: bool) -> None:
        if awake:
            self._woken, self._collected = self.pico.now, 0.0
        else:
            self.turns.append(Turn(self._woken, self.pico.now - self._woken - self._collected))

    def _collect(self, begins: bool) -> None:
        if begins:
            self._began = self.pico.now
        else:
            self._collected = self.pico.now - self._began
            self.collections.append(self._collected)

    def forget(self) -> None:
        super().forget()
        self.turns.clear()
        self.collections.clear()
        self.pictures.clear()

    def ask(self, message: wire.Message, *values: object) -> None:
        self.question += 1
        self.say(message, self.question, *values)
        self.run(60)

    def times(self, message: wire.Message) -> list[float]:
        return [at for it, _, at in self.frames if it is message]


# -- what is measured ----------------------------------------------------------------------------------------------


def ms(us: float) -> str:
    return f"{us / 1000:.2f} ms"


def p99(values: Sequence[float]) -> float:
    return sorted(values)[round(0.99 * (len(values) - 1))]


def spread(values: Sequence[float]) -> str:
    return f"median {ms(median(values))}, p99 {ms(p99(values))}, longest {ms(max(values))} of {len(values)}"


def aim(values: Sequence[float], most_p99: float, most: float) -> tuple[str, bool]:
    """The target in ms, and whether these µs meet it."""
    met = p99(values) <= 1000 * most_p99 and max(values) <= 1000 * most
    return f"p99 {most_p99:g} ms, longest {most:g} ms", met


def say(what: str, value: str, target: str = "", met: bool = True) -> None:
    print(f"  {what:38} {value}" + (f"   [{'met' if met else 'NOT MET'}: {target}]" if target else ""), flush=True)


def start(desk: MarkedDesk) -> None:
    desk.until(wire.TABLE_HELLO)
    hello = desk.frames[0][2]
    desk.greet()
    desk.until(wire.STATUS)
    say("power-up to hello", f"{hello / 1e6:.2f} s", "1.5 s", hello <= 1.5e6)


def play(desk: MarkedDesk) -> None:
    """Presses at random times while all pixels pulse; the host acknowledges, and pings now and then."""
    chance = random.Random(SEED)
    desk.ask(wire.WATCH, 0, 0b111111)
    for group, count in enumerate(wire.GROUPS):
        desk.say(wire.SCENE, group, bytes((5, 90, wire.PULSE)) * count)
    desk.run(400)
    desk.forget()
    begun = desk.pico.now
    latencies: list[float] = []
    while len(latencies) < PRESSES:
        desk.run(chance.uniform(20, 140))
        if len(latencies) % 8 == 0:
            desk.say(wire.PING, 0)
        before, pressed = len(desk.of(wire.PRESSED)), desk.pico.now
        desk.wiring.buttons = 1 << chance.randrange(24)
        desk.until(wire.PRESSED, before + 1)
        latencies.append(desk.times(wire.PRESSED)[-1] - pressed)
        desk.run(12)
        desk.wiring.buttons = 0
        desk.run(12)
    desk.run(210)  # the last status
    passed = desk.pico.now - begun
    turns = [turn.us for turn in desk.turns]
    statuses = desk.of(wire.STATUS)
    told_at = desk.times(wire.PRESSED)
    rate = len(desk.pictures) / passed * 1e6
    quiet = [turn.us for turn in desk.turns if not any(turn.at < at < turn.at + 4000 for at in told_at)]
    free = min(it["heap_free"] for it in statuses)
    say("press to frame at the USB", spread(latencies), *aim(latencies, 5, 6))
    say("turn of the loop", spread(turns), *aim(turns, 1.5, 2.5))
    say("  but those around a press", spread(quiet))
    say("pictures of 68 animated pixels", f"{rate:.1f} a second", "50", rate >= 50)
    say("heap free", f"{free / 1000:.0f} kB", "100 kB", free >= 100_000)
    say("collections of garbage, apart", spread(desk.collections) + f" in {passed / 1e6:.1f} s")
    told = sum(it["collections"] for it in statuses), max(it["collect_us"] for it in statuses)
    say("as statuses tell them", f"{told[0]}, the longest {ms(told[1])}", "all told", told[0] == len(desk.collections))


def cards(desk: MarkedDesk) -> None:
    """Cards, as fast as people throw together, while all pixels pulse and a window is open."""
    told = expected = 0
    turns: list[float] = []
    for seed in range(BURSTS):
        trace = traces.burst(seed)
        edges = [edge for edge in trace.edges() if edge[1] <= IMPACT]
        desk.ask(wire.WINDOW, 0, 0b111111, 0, 60_000, 1000, 0)
        desk.forget()
        begin = desk.pico.now + 5000 - edges[0][0]
        for us, line, level in edges:
            if line < BEAMS:
                desk.pico.at(begin + us, partial(desk.wiring.block, line, bool(level)))
            elif level:
                desk.pico.at(begin + us, desk.wiring.impact)
        desk.pico.run_until(begin + edges[-1][0])
        desk.run(500)
        found = [it["landing"] for it in desk.of(wire.LANDED)]
        told += len(found) if found in _answers(edges) else 0
        expected += len(found)
        turns += [turn.us for turn in desk.turns]
        for line in range(BEAMS):
            desk.wiring.block(line, False)
        desk.run(250)
    say("turn of the loop, while cards fall", spread(turns), *aim(turns, 1.5, 2.5))
    say("cards told as by the same code here", f"{told} of {expected}", "all", told == expected)


def _answers(edges: Sequence[tuple[int, int, int]]) -> list[list[int]]:
    """What the same code tells here, wherever in its millisecond the first edge comes: where two impacts are as far
    apart as the classifier has a limit, that decides."""
    shifted = ([(us + phase, line, level) for us, line, level in edges] for phase in range(0, 1000, 50))
    return [[it.landing.kind for it in traces.classify(them)[0]] for them in shifted]


def line(desk: MarkedDesk) -> None:
    """The line, both ways."""
    chance = random.Random(SEED)
    trips: list[float] = []
    for number in range(PINGS):
        desk.run(chance.uniform(5, 40))
        sent = desk.pico.now
        desk.say(wire.PING, number)
        desk.until(wire.PONG, len(desk.of(wire.PONG)) + 1)
        trips.append(desk.times(wire.PONG)[-1] - sent)
    say("ping to pong, pixels animated", spread(trips))
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.forget()
    frames, size, begun = 24, 0, desk.pico.now
    for number in range(frames):
        values = (wire.RING, bytes((5, number, wire.STEADY)) * 32)
        size += len(wire.frame(wire.SCENE, desk.boot, desk.boot, wire.SCENE.encode(*values)))
        desk.say(wire.SCENE, *values)
    desk.say(wire.PING, 99)
    desk.until(wire.PONG)
    seconds = (desk.times(wire.PONG)[-1] - begun) / 1e6
    say("host to Pico, whole rings", f"{frames / seconds:.0f} frames a second, {size / seconds / 1000:.1f} kB/s")
    desk.acking = False
    for _ in range(6):  # eight presses at once
        desk.wiring.buttons = 0b000000_1111_0000_1111
        desk.run(12)
        desk.wiring.buttons = 0
        desk.run(12)
    desk.forget()
    desk.run(600)
    times = desk.times(wire.PRESSED)  # all that is not acknowledged comes again and again
    desk.acking = True
    rounds = [times[i : i + 48] for i in range(0, len(times) - 47, 48)]
    rate = max(47 / (it[-1] - it[0]) * 1e6 for it in rounds) if rounds else 0.0
    say("Pico to host, events of a full journal", f"{rate:.0f} frames a second")
    desk.say(wire.ACK, desk.of(wire.PRESSED)[-1]["number"])
    desk.run(50)


def impacts() -> None:
    """Pairs of impacts 200 µs apart, wherever in its round the state machine is, while the Pico stalls for 20 ms."""
    shell = PicoShell()
    shell.run("from time import *\nfrom tablier_fw.pico.sensors import Sensors\nsensors = Sensors()\nsleep_ms(1)")
    chance = random.Random(SEED)
    seen = pairs = 0
    while pairs < PAIRS:
        shell.begin(
            "print('from', ticks_us())\nbegun = ticks_us()\nwhile ticks_diff(ticks_us(), begun) < 20000: pass\n"
            "while sensors.next():\n    if sensors.level: print(sensors.ticks)"
        )
        shell.printed("from")
        begin = shell.pico.now
        hits = [1500 + 2100 * number + chance.uniform(0, 80) for number in range(8)]
        for hit in hits:
            shell.pico.at(begin + hit, shell.wiring.impact)
            shell.pico.at(begin + hit + 200, shell.wiring.impact)
        _, *ticks = map(int, shell.end().removeprefix("from ").split("\n"))
        apart = [later - sooner for sooner, later in zip(ticks[::2], ticks[1::2], strict=False)]
        if len(ticks) == 2 * len(hits):
            seen += sum(abs(us - 200) <= 80 for us in apart)
        pairs += len(hits)
    say("two impacts 200 µs apart, both in order", f"{seen} of {pairs}", "every time", seen == pairs)
    edges(shell)


def edges(shell: PicoShell) -> None:
    """Measure the classifier alone: an edge, and a tick in which a card settles."""
    shell.run("import gc\nfrom tablier_fw.landing import Landings\ngc.collect()")
    taken: list[int] = []
    settled: list[int] = []
    for seed in range(BURSTS):
        run = [(us // 1000, line, level) for us, line, level in traces.burst(seed).edges()]
        found = shell.run(_EDGES.format(run=run), 30).split("\n")
        taken += map(int, found[0].split())
        settled += map(int, found[1].split())
    print(f"  {'a landing: an edge':38} {spread(taken)}")
    print(f"  {'  a tick, until it is told':38} {spread(settled)}", flush=True)


_EDGES = """
gc.collect()
landings, taken, settled = Landings(), [], []
def run(edges):
    now = edges[0][0]
    def settle():
        begun = ticks_us()
        landings.next_landing(now)
        landings.next_moved(now)
        settled.append(ticks_diff(ticks_us(), begun))
    for ms, line, level in edges:
        while now < ms:
            now = min(ms, now + 5)
            if not landings.still:
                settle()
        begun = ticks_us()
        landings.edge(ms, line, level, 0)
        taken.append(ticks_diff(ticks_us(), begun))
    while not landings.still:
        now += 5
        settle()
run({run})
print(*taken)
print(*settled)
"""

PUBLISHED = "github.com/shaoziyang/micropython_benchmarks, README.md, row RP2040, MicroPython 1.23.0, 125 MHz"
STANDARD = (
    ("add two integers, 10,000 times", "+ 12345678 56781234", 80),
    ("multiply two integers, 10,000 times", "* 12345678 56781234", 276),
    ("add two floats, 10,000 times", "+ 12345678.1234 56781234.5678", 129),
    ("divide two floats, 10,000 times", "/ 99999991.2345 45481.1357", 134),
)
PI_DIGITS, PI_MS = 1000, 868


def loops() -> None:
    """Standard loops whose times on a real Pico are published; with a heap in which nothing else is."""
    shell = PicoShell()
    shell.run("import gc\nfrom time import *")
    print(f"  Standard loops beside a real Pico's: {PUBLISHED}")
    for what, operation, real in STANDARD:
        sign, left, right = operation.split()
        answer = shell.run(_REPEAT.format(sign=sign, left=left, right=right), 30)
        here = int(answer) / 1000 * 10_000 / _TIMES
        print(f"    {what:36} here {here:6.0f} ms   real {real:6.0f} ms   {here / real:.2f}", flush=True)
    here = int(shell.run(_PI, 30)) / 1000
    print(f"    {f'pi to {PI_DIGITS} digits':36} here {here:6.0f} ms   real {PI_MS:6.0f} ms   {here / PI_MS:.2f}")


_TIMES = 2000
_REPEAT = f"""
def repeat(given):
    for _ in range(given[0]):
        found = given[1] {{sign}} given[2]
gc.collect()
begun = ticks_us()
repeat([{_TIMES}, {{left}}, {{right}}])
print(ticks_diff(ticks_us(), begun))
"""
_PI = f"""
def pi(digits):
    one = 10 ** (digits + 8)
    term = total = 3 * one
    n, grow, d, step = 1, 0, 0, 24
    while term > 1:
        n, grow, d, step = n + grow, grow + 8, d + step, step + 32
        term = term * n // d
        total += term
    return total // 10 ** 8
gc.collect()
begun = ticks_us()
pi({PI_DIGITS})
print(ticks_diff(ticks_us(), begun))
"""


def main() -> None:
    print("The firmware on an emulated Pico, in the Pico's time (tests/tools/bench/PICO.md says what that is worth)")
    try:
        desk = MarkedDesk()
    except PicoError as error:
        print(f"  not measured: {error}")
        return
    start(desk)
    play(desk)
    cards(desk)
    line(desk)
    impacts()
    loops()
