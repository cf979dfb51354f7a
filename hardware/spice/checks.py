"""What is simulated, and what must come out: each study gives figures with their limits, and curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hardware import arena, bill, nets, supply
from hardware.spice import analysis, optics
from hardware.spice.analysis import LOW, RIM, Tier
from hardware.spice.netlist import Netlist
from hardware.spice.ngspice import SimulationError, Waves, run
from hardware.spice.plot import Curve, Plot
from hardware.spice.values import Off, Values, corner, drawn, nominal

HALF_US = 36.0
"""So long the emitters are on, and so long off."""
READ_US = 32.0
"""So long after they were switched a receiver is read."""
CLEAR_US, ROUND_US = 8.0, 80.0
"""The firmware clears the latch for so long, and looks again so much later."""
MARGIN_LEAST, MARGIN_MOST = 25.0, 65.0
"""Percent: what the self-test accepts (``host/tablier/table/checkup.py``; a test holds the two together)."""
STRETCH_LEAST_MS, STRETCH_MOST_MS = 4.0, 15.0
"""Two impacts that are closer than the upper one, and the ringing of the disc, are one (``firmware/LANDINGS.md``)."""
RAIL_MOST = 6.0
"""Volts that nothing behind the input guard may ever see: the Pico's regulator and the pixels stand no more."""
DRAWS = 40
"""Tables drawn at random, for each study that draws them."""


@dataclass(frozen=True)
class Figure:
    """Something that was simulated, with what it may be."""

    name: str
    value: float
    unit: str
    least: float | None = None
    most: float | None = None

    @property
    def fault(self) -> str:
        """What is wrong with it, in words; empty when nothing is."""
        if self.least is not None and self.value < self.least:
            return f"{self.name}: {self.value:.4g} {self.unit}, at least {self.least:g} allowed"
        if self.most is not None and self.value > self.most:
            return f"{self.name}: {self.value:.4g} {self.unit}, at most {self.most:g} allowed"
        return ""


@dataclass
class Study:
    title: str
    text: str
    figures: list[Figure] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)


class Table:
    """The data that all studies are made of."""

    def __init__(self, wiring: nets.Wiring | None = None, draws: int = DRAWS) -> None:
        self.wiring = wiring or nets.Wiring(nets.read())
        self.bill = bill.read()
        self.geometry = arena.read()
        self.supply = supply.read()
        self.draws = draws
        lowest = next(lead for lead in self.supply["lead"] if lead["cable"] == "W41")
        self.low_rail = self.supply["adapter"]["volts"] * (1 - self.supply["adapter"]["tolerance"])
        self.low_rail -= supply.drop(self.supply, lowest, self.wiring) + supply._main_drop(self.supply)
        self.rail = self.supply["adapter"]["volts"] - supply._main_drop(self.supply)

    def values(self, off: Off = nominal) -> Values:
        return Values(self.wiring, self.bill, off)

    def of_sheet(self, *sheets: str) -> list[str]:
        """Return the components of some sheets of the wiring that are drawn there in full."""
        read = nets.read()
        return [name for sheet in sheets for name, it in read[sheet]["connectors"].items() if it.get("style") != "simple"]

    def pico(self, key: str) -> float:
        return float(self.values().model("Raspberry Pi Pico")[key])

    def ribbon(self, key: str) -> float:
        return float(self.values().model("ribbon cable 1.27 mm")[key])


# -- receivers -------------------------------------------------------------------------------------------------

_SIDE = ("R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12", "RV1", "RV2", "U1", "D3", "D4", "C3")


def _side(table: Table, values: Values, shares: Mapping[str, float], light: Mapping[str, str], rail: float) -> Netlist:
    """A side with its cable and the Pico's inputs, between ideal rails."""
    netlist = Netlist(values, trimmers=shares, light=light)
    netlist.add(*(f"B1_{it}" for it in _SIDE))
    metres = table.wiring.cables["W41"].length
    farads = table.pico("pin_pf") * 1e-12 + metres * table.ribbon("ns_per_metre") * 1e-9 / table.ribbon("impedance_ohm")
    netlist.line(f"V3 {netlist.rail('3V3')} 0 3.3", f"V5 {netlist.rail('5V_SENS')} 0 {rail:g}")
    for tier in (LOW, RIM):
        netlist.line(f"C{tier.name} {netlist.node(tier.chip, tier.pins[2])} 0 {farads:g} ic=0")
    return netlist


def thresholds(table: Table, values: Values, tier: Tier, share: float) -> tuple[float, float, Waves]:
    """Return the µA of light at which a receiver begins to see it, and at which it loses it, and the curves."""
    netlist_values = values
    peak = 1.6 * analysis.light_at(values, tier, analysis.threshold(values, tier, share, lit=False)) * 1e-6
    ramp = f"PWL(0 0 5m {peak:g} 10m 0)"
    netlist = _side(table, netlist_values, {LOW.trimmer: share, RIM.trimmer: share}, {tier.receiver: "V(light)"}, table.rail)
    netlist.line(f"Vlight light 0 {ramp}")
    out = f"v({netlist.node(tier.chip, tier.pins[2])})"
    seen = f"v({netlist.node(tier.chip, tier.pins[0])})"
    waves = run(netlist.text(), 10e-3, 5e-6, [out, seen])
    lit = waves.first(out, 1.65, rising=False, after=50e-6)
    lost = waves.first(out, 1.65, rising=True, after=lit)
    return peak * lit / 5e-3 * 1e6, peak * (10e-3 - lost) / 5e-3 * 1e6, waves


def _signal(table: Table, values: Values, tier: Tier, rail: float) -> float:
    amperes = analysis.emitter_amperes(values, tier, rail)
    return optics.microamperes(values, table.geometry, tier.emitter, tier.receiver, amperes)


def receivers(table: Table) -> Study:
    study = Study(
        "Receivers: thresholds and margins",
        "A beam's trimmer is set by the guide, to half of what a voltmeter shows at the receiver. The margin is the"
        " share of its light that the beam can then do without. The emitters are dark half of the time, so a clear beam"
        " must pass the upper threshold each time it is lit; held on, it would only have to stay above the lower one."
        " *Weakest documented parts*: emitter and receiver at the least of their data sheets, the supply low.",
    )

    def margins(values: Values, tier: Tier, rail: float, set_by: float = 1.0) -> tuple[float, float, float]:
        signal = _signal(table, values, tier, rail)
        share = analysis.wiper_share(values, tier, analysis.goal(values, tier, signal) * set_by)
        rise, fall, _ = thresholds(table, values, tier, share)
        return 100 * (1 - rise / signal), 100 * (1 - fall / signal), signal

    for name, off in (("typical parts", nominal), ("weakest documented parts", analysis.weakest(nominal))):
        chopped, steady, signal = margins(table.values(off), LOW, table.rail if off is nominal else table.low_rail)
        study.figures += [
            Figure(f"light, {name}", signal, "µA"),
            Figure(f"margin, {name}, chopped", chopped, "%", MARGIN_LEAST, MARGIN_MOST),
            Figure(f"margin, {name}, held on", steady, "%"),
        ]
    for tier in (LOW, RIM):
        guess, offs = analysis.worst_margin(table.wiring, table.bill, tier, table.geometry, table.low_rail)
        values = table.values(analysis.weakest(corner(offs)))
        chopped = min(margins(values, tier, table.low_rail, by)[0] for by in (0.97, 1.03))
        study.figures.append(
            Figure(f"margin, {tier.name}, worst corner of all tolerances", chopped, "%", MARGIN_LEAST, MARGIN_MOST)
        )
        study.figures.append(Figure("the same, computed without a simulator: difference", abs(chopped - guess), "%", most=2.0))
    found = []
    for seed in range(table.draws):
        values = table.values(drawn(seed))
        found.append(margins(values, (LOW, RIM)[seed % 2], table.rail, 0.97 if seed % 4 < 2 else 1.03)[0])
    study.figures += [
        Figure(f"margin, least of {table.draws} tables drawn at random", min(found), "%", MARGIN_LEAST, MARGIN_MOST),
        Figure("margin, most of them", max(found), "%", MARGIN_LEAST, MARGIN_MOST),
    ]
    study.figures += _afterwards(table)
    values = table.values()
    share = analysis.wiper_share(values, LOW, analysis.goal(values, LOW, _signal(table, values, LOW, table.rail)))
    rise, fall, waves = thresholds(table, values, LOW, share)
    names = list(waves.curves)
    study.figures.append(Figure("hysteresis, typical", (rise - fall) * values.value(LOW.load) * 1e-3, "mV", 8.0, 40.0))
    study.plots.append(
        Plot(
            "receiver-threshold",
            "Light rises and falls: receiver and output",
            "time (ms)",
            "V",
            [
                Curve("receiver", [1e3 * t for t in waves.times], waves.curves[names[1]]),
                Curve("output: high is broken", [1e3 * t for t in waves.times], waves.curves[names[0]]),
            ],
        )
    )
    return study


def _afterwards(table: Table) -> list[Figure]:
    """What is left when the trimmer stays where it is: 15 K warmer, old, and both."""
    values = table.values(analysis.weakest(nominal))
    warm_values = table.values(analysis.weakest(corner({LOW.offset: 1.0, LOW.bias: 1.0})))
    signal = _signal(table, values, LOW, table.low_rail)
    share = analysis.wiper_share(values, LOW, analysis.goal(values, LOW, signal))
    emitter = values.model("TSAL6100")
    rise, _, _ = thresholds(table, warm_values, LOW, share)
    left = {
        "15 K warmer": 1 + 15 * emitter["per_kelvin"],
        "at the end of its emitter's life": 1 - emitter["ageing"],
        "both": (1 + 15 * emitter["per_kelvin"]) * (1 - emitter["ageing"]),
    }
    return [
        Figure(f"margin, weakest parts, {name}, trimmer untouched", 100 * (1 - rise / (signal * share_left)), "%", 5.0)
        for name, share_left in left.items()
    ]


def chopped(table: Table) -> Study:
    """The emitters go on and off; what each reading sees."""
    study = Study(
        "Chopped light",
        f"The emitters of a tier are on for {HALF_US:g} µs and off for {HALF_US:g} µs, and each receiver is read"
        f" {READ_US:g} µs after either. *Light from elsewhere* is the steady light beside the beam's own at which the"
        " dark reading shows light, so that the beam counts as blinded: as long as it is less, the beam tells the truth.",
    )
    for name, off, rail in (
        ("typical parts", nominal, table.rail),
        ("weakest documented parts", analysis.weakest(nominal), table.low_rail),
        ("strongest parts", lambda it: 1.0 if it.endswith((".intensity_mw_sr", ".light_ua")) else 0.0, table.rail),
    ):
        values = table.values(off)
        waves, out, signal = _chopped(table, values, rail, ambient="0", stop=6 * 2 * HALF_US * 1e-6)
        turned, settled = 4 * 2 * HALF_US * 1e-6, READ_US * 1e-6
        lit = waves.first(out, table.pico("low_volts"), rising=False, after=turned) - turned
        dark = waves.first(out, table.pico("high_volts"), rising=True, after=turned + HALF_US * 1e-6)
        study.figures += [
            Figure(f"from light to low, {name}", lit * 1e6, "µs", 0.0, READ_US / 2),
            Figure(f"from dark to high, {name}", (dark - turned) * 1e6 - HALF_US, "µs", 0.0, READ_US / 2),
        ]
        if off is nominal:
            study.plots.append(_chopped_plot(waves, out, table, values))
        del settled
        if name == "strongest parts":
            continue
        ambient, stop = 1.2 * signal, 15e-3
        waves, out, _ = _chopped(table, values, rail, ambient=f"{ambient * 1e-6:g}*time/{stop:g}", stop=stop)
        blinded = _blinded(waves, out, table.pico("low_volts"), stop)
        study.figures.append(
            Figure(f"light from elsewhere, {name}", 100 * ambient * blinded / stop / signal, "% of its own", 30.0)
        )
        held, out, _ = _chopped(table, values, rail, ambient=f"{ambient * 1e-6:g}*time/{stop:g}", stop=stop, card=True)
        seen = _blinded(held, out, table.pico("low_volts"), stop)
        study.figures.append(
            Figure(f"the same, a card in the beam, {name}", 100 * ambient * seen / stop / signal, "% of its own", 30.0)
        )
    return study


def _chopped(
    table: Table, values: Values, rail: float, ambient: str, stop: float, card: bool = False
) -> tuple[Waves, str, float]:
    """All four sides' emitters on one switch; one receiver. A side's own emitter stands for the one opposite."""
    signal = _signal(table, values, LOW, rail)
    amperes = analysis.emitter_amperes(values, LOW, rail)
    share = analysis.wiper_share(values, LOW, analysis.goal(values, LOW, signal))
    light = f"{ambient}" if card else f"{signal * 1e-6 / amperes:g}*max(I(Vemitter),0)+{ambient}"
    emitter = table.wiring.net(LOW.emitter, "A")
    pin = next(pin for pin in emitter.pins if pin[0] == LOW.resistor)
    netlist = _side(table, values, {LOW.trimmer: share, RIM.trimmer: share}, {LOW.receiver: light}, rail)
    inner = Netlist(values, aliases={pin: "emitter_in"})
    inner.add("Q1", "R5", *(f"B{side}_{it}" for side in range(1, 5) for it in ("R1", "D1")))
    period = 2 * HALF_US
    netlist.line(
        *inner.lines[1:],
        f"Vemitter emitter_in {netlist.node(LOW.emitter, 'A')} 0",
        f"Vgate gate 0 PULSE(0 3.3 0 20n 20n {HALF_US}u {period}u)",
        f"Rgate gate {netlist.node('Q1', 'G')} 30",
    )
    out, seen = (f"v({netlist.node(LOW.chip, pin)})" for pin in (LOW.pins[2], LOW.pins[0]))
    return run(netlist.text(), stop, 1e-6, [out, seen]), out, signal


def _blinded(waves: Waves, out: str, low: float, stop: float) -> float:
    """Return when a dark reading first shows light."""
    period, time = 2 * HALF_US * 1e-6, (HALF_US + READ_US) * 1e-6 + 10 * 2 * HALF_US * 1e-6
    while time < stop:
        if waves.at(out, time) < low:
            return time
        time += period
    raise SimulationError("no light from elsewhere shows in the dark")


def _chopped_plot(waves: Waves, out: str, table: Table, values: Values) -> Plot:
    start, stop = 4 * 2 * HALF_US * 1e-6, 6 * 2 * HALF_US * 1e-6
    inside = [i for i, t in enumerate(waves.times) if start <= t <= stop]
    (seen,) = (name for name in waves.curves if name != out)
    times = [1e6 * (waves.times[i] - start) for i in inside]
    return Plot(
        "receiver-chopped",
        "Two rounds of chopped light, typical parts",
        "time (µs)",
        "V",
        [
            Curve("receiver", times, [waves.curves[seen][i] for i in inside]),
            Curve("output", times, [waves.curves[out][i] for i in inside]),
        ],
        marks=[READ_US, HALF_US + READ_US, 2 * HALF_US + READ_US, 3 * HALF_US + READ_US],
    )


def reflections(table: Table) -> Study:
    """Another tier's light, back from a card; computed, because no circuit takes part."""
    values = table.values()
    distances = list(range(30, 151, 5))
    back = [100 * optics.returned(values, table.geometry, distance) for distance in distances]
    study = Study(
        "Light that comes back from a card",
        "Both tiers are lit together. A white, glossy card upright before a side sends light of the low emitter back into"
        " the rim receiver above it. If that receiver's beam is content with so little, a card that breaks it does not"
        " show. Computed, not simulated: scattered light twice over, as a doubt; a glossy mirror tilted as is worst;"
        " through the holes of tray wall and baffle. The self-test refuses margins above"
        f" {MARGIN_MOST:g} %.",
    )
    study.figures = [
        Figure("light that comes back, at worst, of emitters alike", max(back), "%", most=100 - MARGIN_MOST),
        Figure("margin that is safe with the most unlike emitters", optics.most_margin(values, table.geometry), "%", MARGIN_MOST),
    ]
    study.plots = [
        Plot("reflection", "Light that comes back from a card", "distance of the card (mm)", "% of the beam's own",
             [Curve("emitters alike", [float(it) for it in distances], back)])
    ]  # fmt: skip
    return study


# -- impact ----------------------------------------------------------------------------------------------------

_NOT_ON_BOARD = ("BZ2", "J13")


@dataclass(frozen=True)
class Strike:
    """What the disc makes of a blow: it rings at its resonance and dies away."""

    at_ms: float
    volts: float
    ring_ms: float


def _impact(
    table: Table, values: Values, strikes: Sequence[Strike], share: float, stop: float
) -> tuple[Waves, dict[str, str]]:
    netlist = Netlist(values, trimmers={"RV1": share})
    names = [name for name in table.of_sheet("impact", "latch") if name not in _NOT_ON_BOARD]
    netlist.add(*names, "C16", "C18")
    disc = values.model("piezo disc")
    bias = netlist.rail("VBIAS")
    netlist.line(
        f"V3 {netlist.rail('3V3')} 0 PWL(0 0 20u 3.3)",
        f"V5 {netlist.rail('5V')} 0 {table.rail:g}",
        *(
            f"Vpiezo{i} piezo{i + 1} {f'piezo{i}' if i else bias}"
            f" SIN(0 {it.volts:g} {disc['resonance_hz']:g} {it.at_ms:g}m {1e3 / it.ring_ms:g})"
            for i, it in enumerate(strikes)
        ),
        f"Cpiezo piezo{len(strikes)} {netlist.node('J13', 1)} {disc['nf']}n ic=0",
        f"Vclear {netlist.node('U8', 9)} 0 PULSE(0 3.3 0 50n 50n {CLEAR_US}u {ROUND_US}u)",
        f"Cwave {netlist.node('A1', 'GP28')} 0 {table.pico('pin_pf')}p ic=0",
        f".ic V({bias})=1.65 V({netlist.node('U6', 5)})=1.65 V({netlist.node('C6', 1)})=3.3",
    )
    # Half the supply has long settled when a card falls.
    netlist.lines = [
        line.replace("ic=0", "ic=1.65") if line.startswith("CC5 ") else line.replace("ic=0", "ic=3.3")
        if line.startswith("CC6 ") else line
        for line in netlist.lines
    ]  # fmt: skip
    nodes = {
        "wave": f"v({netlist.node('A1', 'GP28')})",
        "hit": f"v({netlist.node('C6', 1)})",
        "impact": f"v({netlist.node('U8', 3)})",
        "upper": f"v({netlist.node('U7', 3)})",
        "lower": f"v({netlist.node('U7', 6)})",
    }
    return run(netlist.text(), stop, 10e-6, list(nodes.values())), nodes


def _window_share(values: Values, volts: float) -> float:
    """Return how far RV1 is opened for these volts across it: from its top to its wiper are so many ohms."""
    ohms = volts * (values.value("R20") + values.value("R21")) / (3.3 - volts)
    return 1 - ohms / values.value("RV1")


def impact(table: Table) -> Study:
    study = Study(
        "Impact: amplifier, window, stretch and latch",
        "A card strikes: the disc rings and dies away. While it swings out of the window the stretch is held; then it runs"
        " out, and only then the firmware's clearing takes effect. *Stretch* is the time from the last swing out of the"
        " window to the end of the latch's hold; what strikes within it, or while the disc still rings, is the same impact.",
    )
    def stretch(values: Values, ring_ms: float = 0.6) -> tuple[float, Waves, dict[str, str]]:
        waves, nodes = _impact(table, values, [Strike(1.0, 1.0, ring_ms)], _window_share(values, 0.3), 30e-3)
        last = max(
            time
            for edge, side in ((True, "upper"), (False, "lower"))
            for time in waves.crossings(nodes["wave"], waves.at(nodes[side], 29e-3), rising=edge)
        )
        end = waves.first(nodes["impact"], 1.65, rising=False, after=last)
        return 1e3 * (end - last), waves, nodes

    typical, waves, nodes = stretch(table.values())
    study.figures.append(Figure("stretch, typical", typical, "ms", STRETCH_LEAST_MS, STRETCH_MOST_MS))
    for name, sign in (("shortest", -1.0), ("longest", 1.0)):
        edges = {f"U8.{edge}_{end}_volts": sign for edge in ("rising", "falling") for end in ("low", "high")}
        values = table.values(corner(edges | {"R23": sign, "C6": sign}))
        found, *_ = stretch(values)
        guess = analysis.stretch_ms(values, Netlist(values).schmitt("U8")[0])
        study.figures += [
            Figure(f"stretch, {name} by all tolerances", found, "ms", STRETCH_LEAST_MS, STRETCH_MOST_MS),
            Figure("the same, computed without a simulator: difference", abs(found - guess), "ms", most=0.5),
        ]
    found = [stretch(table.values(drawn(seed)))[0] for seed in range(table.draws // 2)]
    study.figures += [
        Figure(f"stretch, shortest of {len(found)} drawn at random", min(found), "ms", STRETCH_LEAST_MS),
        Figure("stretch, longest of them", max(found), "ms", most=STRETCH_MOST_MS),
        Figure("latch: from the strike to high", 1e6 * (waves.first(nodes["impact"], 1.65, True, 0.9e-3) - 1e-3), "µs", 0.0, 200.0),
    ]
    study.figures += _rest(table) + _hard(table) + _two(table)
    to = [i for i, t in enumerate(waves.times) if t < 20e-3]
    study.plots.append(
        Plot(
            "impact",
            "One impact: waveform at GP28, stretch, latch",
            "time (ms)",
            "V",
            [
                Curve(name, [1e3 * waves.times[i] for i in to], [waves.curves[nodes[key]][i] for i in to])
                for name, key in (("waveform at GP28", "wave"), ("stretch (/HIT)", "hit"), ("latch", "impact"))
            ],
        )
    )
    return study


def _rest(table: Table) -> list[Figure]:
    """How far the resting amplifier stays from either end of the window, at worst."""
    found = []
    for sign in (-1.0, 1.0):
        offs = {"U6.1.offset": sign, "U6.7.offset": -sign, "R17": sign, "R16": -sign}
        offs |= {"U7.1.offset": -sign, "U7.7.offset": sign, "R20": sign, "R21": -sign, "RV1": 0.0}
        values = table.values(corner(offs))
        waves, nodes = _impact(table, values, [Strike(1.0, 0.0, 1.0)], _window_share(table.values(), 0.3), 8e-3)
        wave, upper, lower = (waves.at(nodes[it], 7.9e-3) for it in ("wave", "upper", "lower"))
        found.append(min(upper - wave, wave - lower) * 1e3 - values.model("LM393")["offset_mv"])
    return [Figure("at rest, from the window's edge, 0.3 V across RV1, at worst", min(found), "mV", 20.0)]


def _hard(table: Table) -> list[Figure]:
    """A blow of 40 V at the disc: what reaches the Pico's converter."""
    waves, nodes = _impact(table, table.values(), [Strike(1.0, 40.0, 1.0)], 0.85, 10e-3)
    wave = waves.between(nodes["wave"], 0.5e-3, 10e-3)
    return [
        Figure("waveform at GP28, a blow of 40 V at the disc: highest", max(wave), "V", most=3.4),
        Figure("the same, lowest", min(wave), "V", -0.1),
    ]


def _two(table: Table) -> list[Figure]:
    """Two strikes, as often as the latch goes up."""
    found = []
    slow = table.values(corner({f"U8.{e}_{n}_volts": 1.0 for e in ("rising", "falling") for n in ("low", "high")}))
    for apart, expected in ((3.0, 1), (16.5, 2)):
        strikes = [Strike(at, 1.0, 0.25) for at in (1.0, 1.0 + apart)]
        waves, nodes = _impact(table, slow, strikes, _window_share(slow, 0.3), 36e-3)
        counted = sum(time > 0.5e-3 for time in waves.crossings(nodes["impact"], 1.65, rising=True))
        found.append(Figure(f"two strikes {apart:g} ms apart, slowest gate: counted", counted, "", expected, expected))
    return found
