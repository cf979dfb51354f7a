"""Values of components: what their names in the bill say, how far they may be off, and what their data sheets give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from hardware.bill import Bill
from hardware.nets import Wiring

Off = Callable[[str], float]
"""Deviations by name: from -1, as low as a value may be, over 0 to 1."""

_UNITS = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "": 1.0, "k": 1e3, "M": 1e6}
_VALUE = re.compile(r"(?:\d+ × |trimmer )?([\d.]+) ([pnµkM]?)(Ω|F)")


def value(kind: str) -> float:
    """Return the ohms or farads that a part is named after. Raise ValueError for a part without a value."""
    match = _VALUE.fullmatch(kind)
    if not match:
        raise ValueError(f"{kind} does not say its value")
    return float(match[1]) * _UNITS[match[2]]


def nominal(_: str) -> float:
    """Leave everything as its name says."""
    return 0.0


def corner(offs: Mapping[str, float]) -> Off:
    """Put what is named where it is told: ``{"B1_R3": 1}`` is as high as it may be. All else is nominal."""
    return lambda name: offs.get(name, 0.0)


def drawn(seed: int) -> Off:
    """Draw for each name once, evenly between its limits."""
    random, known = Random(seed), dict[str, float]()

    def off(name: str) -> float:
        if name not in known:
            known[name] = random.uniform(-1, 1)
        return known[name]

    return off


CELSIUS = (-10.0, 20.0, 50.0)
"""The temperatures of a table's room: coldest, usual, warmest."""
_SHEET_CELSIUS = 25.0


class Values:
    """The values of the components in one table of many, at one temperature of many.

    ``warm`` takes what data sheets promise over the whole range of temperature, where they tell both.
    """

    def __init__(self, wiring: Wiring, bill: Bill, off: Off = nominal, warm: bool = False) -> None:
        self.wiring, self.off, self.warm = wiring, off, warm
        self._parts = {part.name: part for part in bill.parts}
        self._tolerance, self._drift = bill.tolerance, bill.drift
        self.celsius = float(self.of(CELSIUS, "celsius"))

    def kind(self, name: str) -> str:
        return self.wiring.components[name].kind

    def value(self, name: str) -> float:
        """Return the ohms or farads of a component."""
        kind = self.kind(name)
        unit = kind[-1] if kind.endswith("Ω") else kind[-2:]
        own = self._parts[kind].tolerance if kind in self._parts else None
        tolerance = own if own is not None else self._tolerance[unit]
        drift = self._drift.get(unit, 0.0) * 1e-6 * (self.celsius - _SHEET_CELSIUS) * self.off(f"{name}.drift")
        return value(kind) * (1 + tolerance / 100 * self.off(name)) * (1 + drift)

    def model(self, kind: str) -> Mapping[str, Any]:
        """Return what the data sheet of a part gives. Raise KeyError where the bill has nothing of it."""
        return self._parts[kind].model

    def pick(self, kind: str, key: str, name: str) -> float:
        """Return a figure of a data sheet for one component, as far off as ``name.key`` is."""
        return self.of(self.model(kind)[key], f"{name}.{key}")

    def of(self, figure: float | Sequence[float], name: str) -> float:
        """Return, of least, typical and most, what is as far off as ``name`` is."""
        if not isinstance(figure, Sequence):
            return float(figure)
        least, typical, most = figure
        off = self.off(name)
        return float(typical + off * (most - typical if off > 0 else typical - least))

    def leak(self, name: str) -> float:
        """Return the amperes that a diode lets through backwards: from none to its data sheet's most, which doubles
        every 10 K. Each diode's is its own; nominal is half of the most."""
        return float(self.model(self.kind(name))["leak_na"] * self._warmer() * (1 + self.off(f"{name}.leak")) / 2)

    def output_leak(self, who: str) -> float:
        """Return the amperes into the output of an LM393 while it is high, by chip and output."""
        return float(self.pick("LM393", "output_leak_na", who) * self._warmer())

    def _warmer(self) -> float:
        """Return what a leak in nA at 25 °C is multiplied by, for amperes at the table's temperature."""
        return float(1e-9 * 2 ** ((self.celsius - _SHEET_CELSIUS) / 10))

    def offset(self, who: str) -> float:
        """Return the volts that one comparator of an LM393 is off, by chip and output."""
        model = self.model("LM393")
        return float(model["offset_warm_mv" if self.warm else "offset_mv"] * self.off(f"{who}.offset") * 1e-3)

    def bias(self, who: str, inverting: bool) -> float:
        """Return the amperes out of an input of an LM393, by chip and output: the other input gives a little less or
        more."""
        model = self.model("LM393")
        both = self.of(model["bias_warm_na" if self.warm else "bias_na"], f"{who}.bias_na")
        apart: float = (
            model["bias_apart_warm_na" if self.warm else "bias_apart_na"] * self.off(f"{who}.bias_apart_na") / 2
        )
        return max(both + (apart if inverting else -apart), 0.0) * 1e-9

    def amplifier_offset(self, who: str) -> tuple[float, float]:
        """Return the volts that one half of an MCP6002 is off, and what is added for each volt at its inputs."""
        model = self.model("MCP6002")
        tilt = 10 ** (-model["common_mode_db"] / 20) * self.off(f"{who}.common_mode")
        return float(model["offset_mv"] * self.off(f"{who}.offset") * 1e-3), float(tilt)
