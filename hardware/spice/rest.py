"""The impact amplifier at rest: its direct voltages, solved for any wiring; quick enough for thousands of tables.

Capacitors carry no direct current. Each diode leaks as much as it may, each comparator's inputs give their own
currents, and a half of the MCP6002 holds its inputs together, its offset apart. ngspice, with the circuits inside those
chips, is asked for some of the tables and for the worst corner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from hardware import bill
from hardware.nets import Wiring
from hardware.spice import ngspice
from hardware.spice.netlist import COMPARATORS, Netlist
from hardware.spice.values import Values, corner, drawn

DRAWS = 10_000
WINDOW_VOLTS = 0.3
"""Across RV1, as the guide sets it; with a voltmeter and a hand that may be so far off:"""
SET_BY = 0.03
_GMIN = 1e-13
"""From each node to ground, in siemens: what hangs on nothing but a capacitor has a voltage all the same."""
_NOT_ON_BOARD = ("BZ2", "J13")


@dataclass(frozen=True)
class Rest:
    """The direct voltages at the window."""

    wave: float
    """The amplifier's output."""
    upper: float
    lower: float
    upper_spare: float
    """To where the window's upper comparator turns; negative outside of the window: /HIT is then low for ever."""
    lower_spare: float

    @property
    def spare(self) -> float:
        """The volts to the nearer end."""
        return min(self.upper_spare, self.lower_spare)


class Circuit:
    """The impact sheet of a wiring, ready to be solved with many values."""

    def __init__(self, wiring: Wiring, sheet: Sequence[str]) -> None:
        self.wiring = wiring
        listed = bill.read()
        named = Netlist(Values(wiring, listed))
        self.supply, self.five = named.rail("3V3"), named.rail("5V")
        self.names = [name for name in sheet if name not in _NOT_ON_BOARD]
        self.wave = named.node("U6", 1)
        self.upper, self.lower = named.node("U7", 3), named.node("U7", 6)
        self.lines = [(name, wiring.components[name].kind, self._nodes(named, name)) for name in self.names]
        fixed = {"0", self.supply, self.five}
        nodes = sorted({node for _, _, nodes in self.lines for node in nodes.values()} - fixed)
        self.index = {node: i for i, node in enumerate(nodes)}

    def _nodes(self, named: Netlist, name: str) -> dict[str, str]:
        component = self.wiring.components[name]
        return {pin: named.node(name, pin) for pin in component.pins}

    def window_share(self, values: Values, volts: float) -> float:
        """Return how far RV1 is opened for these volts across it: from its top to its wiper are so many ohms."""
        supply = float(values.pick("Raspberry Pi Pico", "supply_volts", "A1"))
        ohms = volts * (values.value("R20") + values.value("R21")) / (supply - volts)
        return 1 - ohms / values.value("RV1")

    def rest(self, values: Values) -> Rest:
        """Return where it rests with these values, its window set by the guide."""
        volts = WINDOW_VOLTS * (1 + SET_BY * values.off("RV1.set"))
        found = self.solve(values, self.window_share(values, volts))
        wave, upper, lower = (found[node] for node in (self.wave, self.upper, self.lower))
        return self._against(values, wave, upper, lower)

    def solve(self, values: Values, share: float) -> dict[str, float]:
        """Return the voltage of each node; RV1 is turned up so far."""
        fixed = {"0": 0.0, self.supply: values.pick("Raspberry Pi Pico", "supply_volts", "A1"), self.five: 5.0}
        outputs = [nodes[out] for _, kind, nodes in self.lines if kind == "MCP6002" for _, _, out in COMPARATORS]
        size = len(self.index) + len(outputs)
        rows = [[0.0] * (size + 1) for _ in range(size)]

        def conduct(one: str, other: str, ohms: float) -> None:
            for near, far in ((one, other), (other, one)):
                if near in self.index:
                    row = rows[self.index[near]]
                    row[self.index[near]] += 1 / ohms
                    if far in self.index:
                        row[self.index[far]] -= 1 / ohms
                    else:
                        row[-1] += fixed[far] / ohms

        def feed(node: str, amperes: float) -> None:
            if node in self.index:
                rows[self.index[node]][-1] += amperes

        for node in self.index:
            conduct(node, "0", 1 / _GMIN)
        output = len(self.index)
        for name, kind, nodes in self.lines:
            if kind.startswith("trimmer"):
                ohms = values.value(name)
                conduct(nodes["top"], nodes["wiper"], max((1 - share) * ohms, 0.1))
                conduct(nodes["wiper"], nodes["bottom"], max(share * ohms, 0.1))
            elif kind.endswith("Ω"):
                one, other = nodes.values()
                conduct(one, other, values.value(name))
            elif "leak_na" in values.model(kind):
                feed(nodes["K"], -values.leak(name))
                feed(nodes["A"], values.leak(name))
            elif kind == "LM393":
                for minus, plus, out in COMPARATORS:
                    feed(nodes[minus], values.bias(f"{name}.{out}", inverting=True))
                    feed(nodes[plus], values.bias(f"{name}.{out}", inverting=False))
            elif kind == "MCP6002":
                for minus, plus, out in COMPARATORS:
                    offset, tilt = values.amplifier_offset(f"{name}.{out}")
                    for node, factor in ((plus, 1.0 + tilt), (minus, -1.0)):
                        rows[output][self.index[nodes[node]]] += factor
                    rows[output][-1] -= offset
                    rows[self.index[nodes[out]]][output] += 1.0
                    output += 1
        solution = _solved(rows)
        return fixed | {node: solution[i] for node, i in self.index.items()}

    def worst(self, listed: bill.Bill) -> Values:
        """Return the corner where it has the least to spare: each figure at that of its ends which makes it less, tried
        one by one."""
        names: set[str] = set()

        def asked(name: str) -> float:
            names.add(name)
            return 0.0

        def at(offs: dict[str, float]) -> Values:
            return Values(self.wiring, listed, corner(offs), warm=True)

        self.rest(Values(self.wiring, listed, asked, warm=True))

        def room(end: str, name: str, off: float) -> float:
            rest = self.rest(at({"celsius": 1.0, name: off}))
            return rest.upper_spare if end == "upper" else rest.lower_spare

        found = []
        for end in ("upper", "lower"):
            # Leakage shifts the rest most when one diode leaks and the other does not, and when it is warm.
            offs = {"celsius": 1.0}
            for name in sorted(names - {"celsius"}):
                offs[name] = min((-1.0, 1.0), key=partial(room, end, name))
            found.append(at(offs))
        return min(found, key=lambda it: self.rest(it).spare)

    def simulated(self, values: Values) -> Rest:
        """Return where ngspice has it rest with these values."""
        volts = WINDOW_VOLTS * (1 + SET_BY * values.off("RV1.set"))
        netlist = Netlist(values, trimmers={"RV1": self.window_share(values, volts)})
        netlist.add(*self.names, "R23")
        supply = values.pick("Raspberry Pi Pico", "supply_volts", "A1")
        netlist.line(f"V3 {self.supply} 0 {supply:g}", f"V5 {self.five} 0 5")
        netlist.lines = [line.removesuffix(" ic=0") for line in netlist.lines]
        wave, upper, lower = ngspice.operating_point(
            netlist.text(), [f"v({node})" for node in (self.wave, self.upper, self.lower)]
        ).values()
        return self._against(values, wave, upper, lower)

    def _against(self, values: Values, wave: float, upper: float, lower: float) -> Rest:
        room = upper + values.offset("U7.1") - wave, wave - lower + values.offset("U7.7")
        return Rest(wave, upper, lower, *room)


def _solved(rows: list[list[float]]) -> list[float]:
    """Return the solution of linear equations, each with its right side at the end."""
    size = len(rows)
    for at in range(size):
        best = max(range(at, size), key=lambda row: abs(rows[row][at]))
        rows[at], rows[best] = rows[best], rows[at]
        first = rows[at]
        for row in rows[at + 1 :]:
            if row[at]:
                factor = row[at] / first[at]
                for column in range(at, size + 1):
                    row[column] -= factor * first[column]
    solution = [0.0] * size
    for at in reversed(range(size)):
        known = sum(rows[at][column] * solution[column] for column in range(at + 1, size))
        solution[at] = (rows[at][size] - known) / rows[at][at]
    return solution


def rests(circuit: Circuit, listed: bill.Bill, draws: int = DRAWS) -> Iterator[Rest]:
    """Yield where tables rest that are drawn at random, each figure on its own, at a temperature of its own."""
    for seed in range(draws):
        yield circuit.rest(Values(circuit.wiring, listed, drawn(seed), warm=True))
