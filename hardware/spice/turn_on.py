"""The input guard: thousands of tables and all corners switch on at 5 V, and keep out what is more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hardware import supply
from hardware.bill import Bill
from hardware.nets import Wiring
from hardware.spice import ngspice
from hardware.spice.direct import Circuits, Numbers
from hardware.spice.netlist import Netlist, regulate
from hardware.spice.values import Off, Values, corner, drawn, nominal

DRAWS = 10_000
PARTS = ("F1", "Q5", "Q6", "Q7", "U9", "D5", "R28", "R29", "R30", "R31", "R32")
ON = (4.75, 5.0, 5.25)
"""Volts that an adapter of 5 V may give."""
OFF = (5.6, 6.5, 9.0, 12.0, 24.0)
_ENDS = ("U9.reference", "U9.deviation", "U9.reference_ua", "U9.minimum_ma", "Q7.gain", "Q7.saturation_fa",
         "Q5.threshold_volts", "R28", "R30", "R31", "D5.leak", "celsius")  # fmt: skip
"""Put to each end with each end of the others; R29 goes the other way than R28, Q6 as Q5."""
_LIGHT = 0.1
"""Amperes that the table takes before its firmware lights anything."""
_BATCH = 2500


def corners() -> list[Off]:
    """Return every corner of what matters."""
    found = []
    for signs in product((-1.0, 1.0), repeat=len(_ENDS)):
        offs = dict(zip(_ENDS, signs, strict=True))
        found.append(corner(offs | {"R29": -offs["R28"], "Q6.threshold_volts": offs["Q5.threshold_volts"]}))
    return found


@dataclass
class Found:
    """The rails of some tables, at each voltage of the adapter."""

    rails: dict[float, Numbers]
    """With hardly any load."""
    loaded: dict[float, Numbers]
    """With all that the firmware may light, at the voltages of an adapter that is right."""

    def off(self, volts: float) -> int:
        """Count the tables that are not on."""
        return int((self.rails[volts] < 0.9 * volts).sum())

    def on(self, volts: float) -> int:
        """Count the tables that let anything in."""
        return int((self.rails[volts] > 0.5).sum())


class Guard:
    """The guard of a wiring, at an adapter whose lead has some ohms."""

    def __init__(self, wiring: Wiring, listed: Bill, budget: supply.Data) -> None:
        self.wiring, self.bill, self.budget = wiring, listed, budget
        self._full = supply.through(budget, "F1", capped=True) / 1e3

    def netlist(self, values: Values, amperes: float) -> Netlist:
        """Return the guard with a load behind it; what the adapter gives is the node ``adapter``."""
        netlist = Netlist(values, fuses=self.budget["fuse"])
        netlist.add(*PARTS)
        lead = values.model("5 V 5 A adapter")["lead_ohm"]
        netlist.line(
            f"Rlead adapter {netlist.node('F1', 1)} {lead:g}",
            f"Rload {netlist.rail('5V')} 0 {5 / amperes:g}",
            "Vadapter adapter 0 0",
        )
        return netlist

    def values(self, offs: Sequence[Off]) -> list[Values]:
        return [Values(self.wiring, self.bill, off) for off in offs]

    def solved(self, offs: Sequence[Off]) -> Found:
        """Return what these tables do at all voltages."""
        parts = [self._batch(offs[at : at + _BATCH]) for at in range(0, len(offs), _BATCH)]
        return Found(*({volts: np.concatenate([part[which][volts] for part in parts]) for volts in parts[0][which]}
                       for which in (0, 1)))  # fmt: skip

    def _batch(self, offs: Sequence[Off]) -> tuple[dict[float, Numbers], dict[float, Numbers]]:
        tables, found = self.values(offs), []
        regulate(Netlist.die(values, "U9") for values in tables)
        for amperes, volts in ((_LIGHT, (*ON, *OFF)), (self._full, ON)):
            netlists = [self.netlist(values, amperes) for values in tables]
            # One leads the way from nothing, as the plug goes in, to each voltage; the others begin where it is.
            first = Circuits([self.netlist(self.values([nominal])[0], amperes).lines], "Vadapter")
            circuits = Circuits([netlist.lines for netlist in netlists], "Vadapter")
            rail, rails, state = netlists[0].rail("5V"), {}, first.solve(2.5)
            for it in volts:
                state = first.solve(it, state)
                rails[it] = circuits.volts(circuits.solve(it, np.repeat(state, len(tables), axis=0)), rail)
            found.append(rails)
        return found[0], found[1]

    def simulated(self, off: Off) -> dict[float, float]:
        """Return what ngspice says of one table's rail."""
        netlist = self.netlist(Values(self.wiring, self.bill, off), _LIGHT)
        rail, volts = f"v({netlist.rail('5V')})", (*ON, *OFF)
        found = ngspice.sweep(netlist.text(), "Vadapter", volts, [rail])
        return {it: point[rail] for it, point in zip(volts, found, strict=True)}


def draws(count: int) -> list[Off]:
    return [drawn(seed) for seed in range(count)]
