"""An LM393 and an MCP6002 by themselves, measured as their data sheets measure them, by ngspice.

The models are held by this: each figure that a sheet gives comes out of them, at both ends of what it allows.
"""

from __future__ import annotations

from dataclasses import dataclass

from hardware.spice.netlist import Netlist
from hardware.spice.ngspice import SimulationError, operating_point, run, sweep
from hardware.spice.values import Values

COMPARATOR, AMPLIFIER = "U7", "U6"
_SHEET_VOLTS = 5.0
_NEAR_V = 0.02
"""Between the inputs, while a sweep looks for where the comparator stops comparing."""


@dataclass(frozen=True)
class Compared:
    """Half of an LM393 at 5 V."""

    bias_na: float
    """Out of the inverting input, both inputs alike."""
    own_mv: float
    """The circuit's own offset, beside the one that is given."""
    low_v: float
    """Its output at 4 mA."""
    sinks_ma: float
    """Its output at 1.5 V."""
    high_us: float
    low_us: float
    """From a step of 100 mV, 5 mV beyond the threshold, to the output's half."""
    inputs_to_v: float
    """Up to where it compares."""
    supply_ma: float


@dataclass(frozen=True)
class Amplified:
    """Half of an MCP6002 at 3.3 V."""

    bandwidth_mhz: float
    slews_v_us: float
    low_mv: float
    high_mv: float
    """From either supply, 10 kΩ to its half."""
    gives_ma: float
    takes_ma: float
    """Into a short circuit to its half."""
    input_most_v: float
    """Its input at 1 mA from beyond the supply."""


def _chip(values: Values, name: str, pins: dict[str, str]) -> Netlist:
    """Return one chip with its pins on nodes of their own; those not named are grounded."""
    known = values.wiring.components[name].pins
    netlist = Netlist(values, aliases={(name, pin): pins.get(pin, "0") for pin in known})
    netlist.add(name)
    return netlist


def comparator(values: Values) -> Compared:
    """Measure U7's first comparator."""
    # The second one's output is held low, its inputs together: it takes part in what the supply gives.
    pins = {"8": "vcc", "2": "minus", "3": "plus", "1": "out"}

    def netlist(*lines: str) -> str:
        chip = _chip(values, COMPARATOR, pins)
        chip.line(f"Vcc vcc 0 {_SHEET_VOLTS:g}", *lines)
        return chip.text()

    offset = values.offset(f"{COMPARATOR}.1")
    pulled = "Rpull vcc out 5.1k", "Cpull out 0 15p"
    alike = operating_point(
        netlist("Vm minus 0 1.4", f"Vp plus 0 {1.4 - offset:g}", *pulled), ["i(vm)", "i(vcc)", "v(out)"]
    )
    low, high = -5e-3, 5e-3
    for _ in range(24):
        middle = (low + high) / 2
        text = netlist("Vm minus 0 1.4", f"Vp plus 0 {1.4 - offset + middle:.9g}", *pulled)
        low, high = (low, middle) if operating_point(text, ["v(out)"])["v(out)"] > _SHEET_VOLTS / 2 else (middle, high)
    driven = "Vm minus 0 1.4", "Vp plus 0 1.3"
    low_v = operating_point(netlist(*driven, "Iout 0 out 4m"), ["v(out)"])["v(out)"]
    sinks = operating_point(netlist(*driven, "Vout out 0 1.5"), ["i(vout)"])["i(vout)"]
    times = []
    for sign in (1, -1):
        before, after = 1.4 - offset - sign * 0.095, 1.4 - offset + sign * 0.005
        step = f"Vp plus 0 PULSE({before:g} {after:g} 20u 10n 10n 40u 80u)"
        waves = run(netlist("Vm minus 0 1.4", step, *pulled), 40e-6, 20e-9, ["v(out)"])
        times.append(1e6 * (waves.first("v(out)", _SHEET_VOLTS / 2, sign > 0, after=20e-6) - 20e-6))
    both = [
        netlist("Vm minus 0 0", f"Ep plus minus x 0 {1 if sign > 0 else -1}", f"Vx x 0 {_NEAR_V:g}", *pulled)
        for sign in (1, -1)
    ]
    steps = [0.05 * it for it in range(101)]
    found = [sweep(it, "Vm", steps, ["v(out)"]) for it in both]
    compares = [
        up["v(out)"] > _SHEET_VOLTS * 0.9 and down["v(out)"] < 0.9 for up, down in zip(found[0], found[1], strict=True)
    ]
    first = compares.index(False) if False in compares else len(compares)
    if not first:
        raise SimulationError("the comparator does not compare at its lower supply")
    return Compared(
        1e9 * alike["i(vm)"],
        1e3 * high,
        low_v,
        -1e3 * sinks,
        times[0],
        times[1],
        steps[first - 1],
        -1e3 * (alike["i(vcc)"] + (_SHEET_VOLTS - alike["v(out)"]) / 5100),
    )


def without_supply(values: Values, volts: float) -> tuple[float, float]:
    """Return the µA into an input and into the output of a comparator that has no supply, at these volts.

    So it is while the Pico has its supply from the cable, and the adapter is out.
    """
    chip = _chip(values, COMPARATOR, {"8": "vcc", "2": "minus", "3": "plus", "1": "out"})
    chip.line("Vcc vcc 0 0", f"Vm minus 0 {volts / 2:g}", f"Vp plus 0 {volts / 2:g}", f"Vout out 0 {volts:g}")
    found = operating_point(chip.text(), ["i(vm)", "i(vout)"])
    return 1e6 * abs(found["i(vm)"]), 1e6 * abs(found["i(vout)"])


def amplifier(values: Values, volts: float = 3.3) -> Amplified:
    """Measure U6's first half."""
    pins = {"8": "vdd", "2": "minus", "3": "plus", "1": "out"}

    def netlist(*lines: str, joined: bool = False) -> str:
        chip = _chip(values, AMPLIFIER, pins | {"6": "second", "7": "second"} | ({"2": "out"} if joined else {}))
        chip.line(f"Vdd vdd 0 {volts:g}", *lines)
        return chip.text()

    half = volts / 2
    # A follower that is asked for a small sine: it falls to 0.707 at its bandwidth, which is looked for in halves.
    low, high = 0.1, 4.0
    for _ in range(7):
        middle = (low * high) ** 0.5
        sine = netlist(f"Vp plus 0 SIN({half:g} 10m {middle:g}meg)", "Rload out 0 1meg", joined=True)
        waves = run(sine, 12e-6 / middle, 0.02e-6 / middle, ["v(out)"])
        swing = waves.between("v(out)", 8e-6 / middle, 12e-6 / middle)
        low, high = (middle, high) if max(swing) - min(swing) > 20e-3 * 0.707 else (low, middle)
    step = netlist(
        f"Vp plus 0 PULSE({half - 1:g} {half + 1:g} 40u 10n 10n 1 2)",
        "Rload out 0 1meg",
        "Cload out 0 60p",
        joined=True,
    )
    waves = run(step, 80e-6, 50e-9, ["v(out)"])
    rises = [waves.first("v(out)", half + at, True, after=40e-6) for at in (-0.5, 0.5)]

    def driven(sign: int, *load: str) -> dict[str, float]:
        text = netlist(f"Vp plus 0 {half + sign * 0.5:g}", f"Vm minus 0 {half:g}", f"Vhalf half 0 {half:g}", *load)
        return operating_point(text, ["v(out)", "i(vhalf)"])

    swings = [driven(sign, "Rload out half 10k")["v(out)"] for sign in (-1, 1)]
    shorts = [abs(driven(sign, "Rload out half 0.01")["i(vhalf)"]) for sign in (-1, 1)]
    pushed = operating_point(netlist("Ip 0 plus 1m", "Rload out 0 1meg", joined=True), ["v(plus)"])["v(plus)"]
    return Amplified(
        low,
        1 / (1e6 * (rises[1] - rises[0])),
        1e3 * swings[0],
        1e3 * (volts - swings[1]),
        1e3 * shorts[1],
        1e3 * shorts[0],
        pushed,
    )
