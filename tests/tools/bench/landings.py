"""Measure how often the arena's classifier is right on 3,000 traces of the model, and the cost of a landing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from statistics import median
from time import perf_counter

from tests.firmware import traces
from tests.firmware.traces import Told, Trace

from tablier.simulation.arena import RIM, Fall
from tablier.simulation.vm import Vm

CLASSES = ("flat", "leaning", "rim")
KINDS: tuple[tuple[str, Callable[[int], Trace], int], ...] = (
    *((f"{how}, clean", lambda seed, how=how: traces.clean(seed, how), 250) for how in CLASSES),
    *((f"{how}, any", lambda seed, how=how: traces.single(seed, how), 250) for how in CLASSES),
    ("bursts of 2 to 6", traces.burst, 500),
    ("under a hand", traces.under_a_hand, 100),
    ("in light from elsewhere", traces.in_light, 100),
    ("flat after one that slid", lambda seed: traces.slide(seed, "leaning"), 100),
    ("flat after one taken out", traces.take, 100),
    ("rim, then outside", traces.glance, 200),
    ("a knock", traces.bump, 150),
    ("a hand", traces.hand, 150),
    ("a hand that knocks", lambda seed: traces.hand(seed, knocking=True), 100),
)
APART = (0.2, 5.0, 10.0, 20.0, 30.0, 40.0, 60.0, 80.0, 120.0)
RUNS = 5
_PAIRS = 100
_IN_VM = """
from time import ticks_us
from tablier_fw.buttons import Buttons
from tablier_fw.landing import Landings
def edges(run):
    landings, told = Landings(), 0
    begun = ticks_us()
    for ms, line, level in run:
        landings.edge(ms, line, level, ms * 1000)
        if landings.next_landing(ms):
            told += 1
    for ms in range(run[-1][0], run[-1][0] + 400, 10):
        if landings.next_landing(ms):
            told += 1
    return ticks_us() - begun, told
def idle():
    landings = Landings()
    begun = ticks_us()
    for ms in range(1000):
        landings.next_landing(ms)
        landings.next_moved(ms)
    return ticks_us() - begun
def samples():
    buttons = Buttons()
    begun = ticks_us()
    for ms in range(1000):
        buttons.sample(0)
    return ticks_us() - begun
for run in RUNS:
    us, told = edges(run)
    print("landings", us, told, len(run))
print("idle", idle())
print("samples", samples())
"""


@dataclass
class Row:
    """The reports about cards of one kind that lie in one way."""

    told: Counter[str] = field(default_factory=Counter)
    doubles: int = 0
    """Landings that are no card."""


@dataclass
class Result:
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    said: list[tuple[int, bool]] = field(default_factory=list)
    """(confidence, whether it was right) of each landing."""
    traces: int = 0

    def row(self, kind: str, lies: str) -> Row:
        return self.rows.setdefault((kind, lies), Row())


def lies(card: Fall) -> str:
    """Return a card's way of lying, and if the beams show it."""
    if not card.shown:
        return f"{card.how}, hidden"
    hangs = card.how == "rim" and any(line < RIM for line in card.stays)
    return "rim, hangs in" if hangs else card.how


def measure() -> Result:
    result = Result()
    for kind, trace_of, count in KINDS:
        for seed in range(count):
            _judge(result, kind, trace_of(seed))
    return result


def _judge(result: Result, kind: str, trace: Trace) -> None:
    told, _ = traces.classify(trace.edges())
    found, left = traces.paired(trace, told)
    right: set[int] = set()
    for card, by in found:
        row = result.row(kind, lies(card))
        row.told[by.how if by else traces.NONE] += 1
        if by and by.how == card.how:
            right.add(id(by))
    if trace.cards:
        result.row(kind, lies(trace.cards[0])).doubles += len(left)
    else:
        row = result.row(kind, "no card")
        row.told[left[0].how if left else traces.NONE] += 1
        row.doubles += max(0, len(left) - 1)
    result.said += [(it.landing.confidence, id(it) in right) for it in told]
    result.traces += 1


def reliability(said: list[tuple[int, bool]]) -> Iterator[tuple[str, int, float, float]]:
    """(range of confidence, landings, what was said in the mean, how often it was right)."""
    for low, high in ((0, 20), (20, 50), (50, 70), (70, 80), (80, 90), (90, 101)):
        these = [(confidence, right) for confidence, right in said if low <= confidence < high]
        if these:
            mean = sum(confidence for confidence, _ in these) / len(these)
            yield f"{low}–{min(high, 101) - 1}", len(these), mean, 100 * sum(right for _, right in these) / len(these)


def pairs() -> Iterator[tuple[float, Counter[int]]]:
    """For two flat cards so many ms apart: how often each number of landings was reported."""
    for apart in APART:
        counts: Counter[int] = Counter()
        for seed in range(_PAIRS):
            told: list[Told] = traces.classify(traces.pair(seed, apart).edges())[0]
            counts[min(3, len(told))] += 1
        yield apart, counts


def in_cpython(bursts: list[list[tuple[int, int, int]]]) -> float:
    """µs a landing, its edges and all ticks in which it is waited for."""
    times = []
    for _ in range(RUNS):
        landings = 0
        begun = perf_counter()
        for edges in bursts:
            landings += len(traces.classify(edges)[0])
        times.append((perf_counter() - begun) * 1e6 / landings)
    return median(times)


def in_vm(bursts: list[list[tuple[int, int, int]]]) -> tuple[float, float, float, float]:
    """µs in the MicroPython VM: a landing, an edge of it, an idle tick, and a debounce step of the buttons."""
    runs = [[(us // 1000, line, level) for us, line, level in edges] for edges in bursts]
    values: dict[str, list[tuple[int, ...]]] = {}
    for _ in range(RUNS):
        for printed in Vm({}, heap="8000k").run(f"RUNS = {runs!r}\n{_IN_VM}").splitlines():
            name, *numbers = printed.split()
            values.setdefault(name, []).append(tuple(map(int, numbers)))
    us, told, edges = (sum(numbers) for numbers in zip(*values["landings"], strict=True))
    return (
        us / told,
        us / edges,
        median(it[0] for it in values["idle"]) / 1000,
        median(it[0] for it in values["samples"]) / 1000,
    )


def main() -> None:
    result = measure()
    columns = (*CLASSES, traces.NONE)
    print(f"Landings: {result.traces:,} traces of the model. Hidden: no beam shows how the card lies at last.")
    print("  Hangs in: from the rim into the low tier.")
    print(f"  {'what happens':26} {'lies':16}" + "".join(f"{column:>9}" for column in columns) + f"{'too many':>10}")
    for (kind, lies_), row in result.rows.items():
        counts = "".join(f"{row.told[column] or '·':>9}" for column in columns)
        print(f"  {kind:26} {lies_:16}{counts}{row.doubles or '·':>10}")
    print("  Confidence  landings    said   right")
    for span, count, said, right in reliability(result.said):
        print(f"  {span:>10} {count:9,} {said:6.0f} % {right:5.0f} %")
    print(f"  Two flat cards so many ms apart are told as one, two, three landings ({_PAIRS} pairs each)")
    for apart, landings in pairs():
        print(f"  {apart:>10.1f}  {landings[1]:8} {landings[2]:8} {landings[3]:8}")
    bursts = [traces.burst(seed).edges() for seed in range(40)]
    landing, edge, idle, step = in_vm(bursts)
    print(f"  A landing costs {in_cpython(bursts):,.0f} µs in CPython with all ticks in which it is waited for.")
    print(f"  In the MicroPython VM {landing:,.0f} µs, an edge of it {edge:.1f};", end=" ")
    print(f"a tick in which nothing happens {idle:.2f}.")
    print(f"  Beside it, a debounce step of the buttons: {step:.2f} µs in that VM.")
