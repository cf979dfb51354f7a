"""Values of components: what their names in the bill say, how far they may be off, and what their data sheets give."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from hardware.bill import Bill
from hardware.nets import Wiring

Off = Callable[[str], float]
"""How far something is off, by its name: from -1, as low as it may be, over 0 to 1."""

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


class Values:
    """What each component is worth in one table of many."""

    def __init__(self, wiring: Wiring, bill: Bill, off: Off = nominal) -> None:
        self.wiring, self.off = wiring, off
        self._parts = {part.name: part for part in bill.parts}
        self._tolerance = bill.tolerance

    def kind(self, name: str) -> str:
        return self.wiring.components[name].kind

    def value(self, name: str) -> float:
        """Return the ohms or farads of a component."""
        kind = self.kind(name)
        own = self._parts[kind].tolerance
        tolerance = own if own is not None else self._tolerance[kind[-1] if kind.endswith("Ω") else kind[-2:]]
        return value(kind) * (1 + tolerance / 100 * self.off(name))

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
