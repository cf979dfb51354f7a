"""Figures computed without a simulator, beside some of its own; quick enough for every test run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import log
from typing import Any

from hardware.bill import Bill
from hardware.nets import Wiring
from hardware.spice import optics
from hardware.spice.values import Off, Values, corner

Data = dict[str, Any]

LOGIC_VOLTS = 3.3
_COMPARATOR_VOLTS = 0.035
"""At the output of an LM393 that carries next to nothing."""


@dataclass(frozen=True)
class Tier:
    """The designators of one receiver of a side."""

    name: str
    emitter: str
    resistor: str
    receiver: str
    load: str
    series: str
    feedback: str
    pull_up: str
    top: str
    trimmer: str
    chip: str
    pins: tuple[str, str, str]
    """Of the chip: inverting input, other input, output."""

    @property
    def offset(self) -> str:
        return f"{self.chip}.{self.pins[2]}.offset"

    @property
    def bias(self) -> str:
        return f"{self.chip}.{self.pins[2]}.bias_na"

    @property
    def bias_apart(self) -> str:
        return f"{self.chip}.{self.pins[2]}.bias_apart_na"


LOW = Tier(
    "low", "B1_D1", "B1_R1", "B1_D3", "B1_R3", "B1_R5", "B1_R7", "B1_R9", "B1_R11", "B1_RV1", "B1_U1", ("2", "3", "1")
)
RIM = Tier(
    "rim", "B1_D2", "B1_R2", "B1_D4", "B1_R4", "B1_R6", "B1_R8", "B1_R10", "B1_R12", "B1_RV2", "B1_U1", ("6", "5", "7")
)


def emitter_amperes(values: Values, tier: Tier, rail: float) -> float:
    """Return the current through an emitter while all four of its tier shine."""
    volts = values.pick("TSAL6100", "volts", tier.emitter) - 0.05 * 1.0
    shared = 4 * values.pick("TN0702N3", "on_ohm", "Q1" if tier is LOW else "Q2")
    return (rail - volts) / (values.value(tier.resistor) + shared)


def wiper_share(values: Values, tier: Tier, volts: float) -> float:
    """Return how far a trimmer is turned up, from 0 to 1, for this voltage at its wiper; 1 where it cannot reach it."""
    track = values.value(tier.trimmer)
    return min(1.0, volts * (track + values.value(tier.top)) / (LOGIC_VOLTS * track))


def threshold(values: Values, tier: Tier, share: float, lit: bool) -> float:
    """Return the volts at the comparator's other input: while it is ``lit``, its output is low and pulls them down."""
    track = values.value(tier.trimmer)
    above, below = (1 - share) * track + values.value(tier.top), share * track
    open_volts, ohms = (
        LOGIC_VOLTS * below / (above + below),
        above * below / (above + below) + values.value(tier.series),
    )
    bias = values.bias(f"{tier.chip}.{tier.pins[2]}", inverting=False)
    far = values.pick("LM393", "low_volts", f"{tier.chip}.{tier.pins[2]}") * 0.1 if lit else LOGIC_VOLTS
    back = values.value(tier.feedback) + (0 if lit else values.value(tier.pull_up))
    return (open_volts / ohms + far / back + bias) / (1 / ohms + 1 / back)


def light_at(values: Values, tier: Tier, volts: float) -> float:
    """Return the µA of light that bring a receiver to the point where its comparator turns, at that threshold."""
    who = f"{tier.chip}.{tier.pins[2]}"
    offset, bias = values.offset(who), values.bias(who, inverting=True)
    dark = values.model("BPV10NF")["dark_na"] * 1e-9
    return float(((volts + offset) / values.value(tier.load) - bias - dark) * 1e6)


def goal(values: Values, tier: Tier, signal_ua: float) -> float:
    """Return the volts that the guide sets a wiper to: half of what a voltmeter shows at the receiver."""
    bias = values.bias(f"{tier.chip}.{tier.pins[2]}", inverting=True)
    return min(LOGIC_VOLTS, (signal_ua * 1e-6 + bias) * values.value(tier.load)) / 2


def margin(
    values: Values, tier: Tier, signal_ua: float, chopped: bool = True, set_by: float = 1.0, left: float = 1.0
) -> float:
    """Return the percent of its light that a beam can do without, its trimmer set by the guide.

    The emitters are dark for half of the time, so a clear beam must pass the upper threshold each time it is lit. Held
    on, it would only have to stay above the lower one. ``set_by`` is the voltmeter's and the hand's error; ``left`` is
    the share of the light that is left of what there was when the trimmer was set.
    """
    share = wiper_share(values, tier, goal(values, tier, signal_ua) * set_by)
    return 100 * (1 - light_at(values, tier, threshold(values, tier, share, lit=not chopped)) / (signal_ua * left))


def weakest(off: Off) -> Off:
    """Make emitter and receiver the weakest that their data sheets allow; the rest is left to ``off``."""
    worst = {"intensity_mw_sr": -1.0, "light_ua": -1.0, "volts": 1.0, "on_ohm": 1.0}
    return lambda name: worst.get(name.rpartition(".")[2], off(name))


def corners(tier: Tier) -> Iterator[dict[str, float]]:
    """Yield every combination of the extremes of what moves a receiver's threshold."""
    names = (tier.offset, tier.bias, tier.bias_apart, tier.feedback, tier.load, tier.pull_up, tier.trimmer)
    for signs in product((-1.0, 1.0), repeat=len(names)):
        yield dict(zip(names, signs, strict=True))


def worst_margin(wiring: Wiring, bill: Bill, tier: Tier, geometry: Data, rail: float) -> tuple[float, dict[str, float]]:
    """Return the least margin of the weakest documented parts, and the corner at which it is."""
    found = []
    for offs in corners(tier):
        values = Values(wiring, bill, weakest(corner(offs)))
        amperes = emitter_amperes(values, tier, rail)
        signal = optics.microamperes(values, geometry, tier.name, tier.emitter, tier.receiver, amperes)
        found.append((min(margin(values, tier, signal, set_by=by) for by in (0.97, 1.03)), offs))
    return min(found, key=lambda it: it[0])


def moved_margin(wiring: Wiring, bill: Bill, tier: Tier, geometry: Data, rail: float, worst: bool) -> float:
    """Return the margin that a moved tray leaves, its trimmer set while the tray stood best.

    With typical parts in the middle of their play, or at the ``worst`` corner of parts, plays and tolerances.
    """
    typical = Values(wiring, bill)
    play, _, left = optics.least_left(typical, geometry, tier.name) if worst else (optics.Play(), 1.0, 1.0)
    if not worst:
        shares = [optics.passed(typical, geometry, tier.name, optics.Play(it)) for it in optics.tray_plays(geometry)]
        left = min(shares) / max(shares)
    found = []
    for offs in corners(tier) if worst else ({},):
        values = Values(wiring, bill, weakest(corner(offs)) if worst else corner(offs))
        amperes = emitter_amperes(values, tier, rail)
        signal = optics.microamperes(values, geometry, tier.name, tier.emitter, tier.receiver, amperes, play)
        for by in (0.97, 1.03) if worst else (1.0,):
            found.append(margin(values, tier, signal, set_by=by, left=left))
    return min(found)


def stretch_ms(values: Values, rising_volts: float) -> float:
    """Return how long an impact is stretched: until the gate's input has risen to that threshold.

    It rises from what the comparators leave, to what their leaks let it.
    """
    seconds = values.value("R23") * values.value("C6")
    top = LOGIC_VOLTS - values.value("R23") * sum(values.output_leak(f"U7.{out}") for out in ("1", "7"))
    return 1e3 * seconds * log((top - _COMPARATOR_VOLTS) / (top - rising_volts))


def cut_off_volts(values: Values) -> float:
    """Return the adapter's voltage above which the input guard closes."""
    model = values.model("TL431B")
    reference = model["reference_volts"] * (1 + model["reference_tolerance"] / 100 * values.off("U9.reference"))
    reference += model["deviation_mv"] * 1e-3 * values.off("U9.deviation")
    needs = values.pick("TL431B", "reference_ua", "U9") * 1e-6
    above, below = values.value("R28"), values.value("R29")
    return float(reference * (1 + above / below) + (needs + values.leak("D5")) * above)
