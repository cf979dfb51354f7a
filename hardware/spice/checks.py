"""The studies that are simulated: each gives figures with their limits, and curves."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hardware import arena, bill, nets, supply
from hardware.spice import analysis, bench, limits, optics, rest, turn_on
from hardware.spice.analysis import LOW, RIM, Tier
from hardware.spice.netlist import Netlist
from hardware.spice.ngspice import SimulationError, Waves, run
from hardware.spice.plot import Curve, Plot
from hardware.spice.values import CELSIUS, Off, Values, corner, drawn, nominal

HALF_US = 36.0
"""How long the emitters are on, and as long off."""
READ_US = 32.0
"""From their switching to the reading of a receiver."""
CLEAR_US, ROUND_US = 8.0, 80.0
"""The firmware clears the latch for so long, and looks again so much later."""
MARGIN_LEAST, MARGIN_MOST = 25.0, 65.0
"""Percent: what the self-test accepts (``host/tablier/service/diagnosis.py``; a test holds the two together)."""
STRETCH_LEAST_MS, STRETCH_MOST_MS = 3.8, 15.0
"""Two impacts that are closer than the upper one, and the ringing of the disc, are one (``firmware/LANDINGS.md``)."""
RAIL_MOST = 6.0
"""Volts that nothing behind the input guard may ever see: the Pico's regulator and the pixels stand no more."""
START_MS = 18.0
"""The time of the first impact: by then the stretch that begins with the supply has run out."""
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
        """Return what is wrong with it, in words; empty when nothing is."""
        if self.least is not None and not self.value >= self.least:
            return f"{self.name}: {self.value:.4g} {self.unit}, at least {self.least:g} allowed"
        if self.most is not None and not self.value <= self.most:
            return f"{self.name}: {self.value:.4g} {self.unit}, at most {self.most:g} allowed"
        return ""


@dataclass
class Study:
    title: str
    text: str
    figures: list[Figure] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    """A table in words, its head first."""


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
        return [name for sheet in sheets for name in read[sheet]["parts"]]

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
    netlist = _side(
        table, netlist_values, {LOW.trimmer: share, RIM.trimmer: share}, {tier.receiver: "V(light)"}, table.rail
    )
    netlist.line(f"Vlight light 0 {ramp}")
    out = f"v({netlist.node(tier.chip, tier.pins[2])})"
    seen = f"v({netlist.node(tier.chip, tier.pins[0])})"
    waves = run(netlist.text(), 10e-3, 5e-6, [out, seen])
    lit = waves.first(out, 1.65, rising=False, after=50e-6)
    lost = waves.first(out, 1.65, rising=True, after=lit)
    return peak * lit / 5e-3 * 1e6, peak * (10e-3 - lost) / 5e-3 * 1e6, waves


def _signal(table: Table, values: Values, tier: Tier, rail: float) -> float:
    amperes = analysis.emitter_amperes(values, tier, rail)
    return optics.microamperes(values, table.geometry, tier.name, tier.emitter, tier.receiver, amperes)


def receivers(table: Table) -> Study:
    study = Study(
        "Receivers: thresholds and margins",
        "A beam's trimmer is set by the guide, to half of what a voltmeter shows at the receiver. The margin is the"
        " share of its light that the beam can then do without. The emitters are dark half of the time, so a clear"
        " beam must pass the upper threshold each time it is lit; held on, it would only have to stay above the lower"
        " one. *Weakest documented parts*: emitter and receiver at the least of their data sheets, the supply low.",
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
        study.figures.append(
            Figure("the same, computed without a simulator: difference", abs(chopped - guess), "%", most=2.0)
        )
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
    highest = max(waves.between(names[0], 50e-6, 10e-3))
    study.figures += [
        Figure("hysteresis, typical", (rise - fall) * values.value(LOW.load) * 1e-3, "mV", 8.0, 40.0),
        # Only resistors pull the output up, to 3.3 V: a higher peak would be the solver's.
        Figure("output, highest", highest, "V", 3.29, 3.31),
    ]
    # The simulator begins with all capacitors empty: what it takes to fill them is not drawn.
    inside = [i for i, t in enumerate(waves.times) if t > 50e-6]
    study.plots.append(
        Plot(
            "receiver-threshold",
            "Light rises and falls: receiver and output",
            "time (ms)",
            "V",
            [
                Curve(name, [1e3 * waves.times[i] for i in inside], [waves.curves[key][i] for i in inside])
                for name, key in (("receiver", names[1]), ("output: high is broken", names[0]))
            ],
        )
    )
    return study


def _afterwards(table: Table) -> list[Figure]:
    """Study the margins that remain when the trimmer stays where it is: 15 K warmer, old, and both."""
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


def play(table: Table) -> Study:
    """Study the light that holes and slots leave, wherever parts stand; computed, because no circuit takes part."""
    study = Study(
        "Holes, slots and play",
        "Light of a whole emitter's lens on a whole receiver's, through the slots of the tray's walls (low beams) and"
        " the hole before the receiver. The tray floats: it moves in its frame and sinks into its foam after the"
        " trimmers were set. Emitters, receivers and towers stand anywhere in their bores and slots. *Worst corner*:"
        " the weakest documented parts, all tolerances, and every part at the worst end of its play. Computed, not"
        " simulated.",
    )
    values = table.values()
    for tier in (LOW, RIM):
        _, most, left = optics.least_left(values, table.geometry, tier.name)
        study.figures += [
            Figure(
                f"{tier.name}: light that passes", 100 * optics.passed(values, table.geometry, tier.name), "%", 50.0
            ),
            Figure(f"{tier.name}: at the worst ends of all plays", 100 * most * left, "%"),
        ]
        for name, worst, rail in (("typical parts", False, table.rail), ("worst corner", True, table.low_rail)):
            found = analysis.moved_margin(table.wiring, table.bill, tier, table.geometry, rail, worst)
            study.figures.append(
                Figure(f"{tier.name}: margin when the tray has moved, {name}", found, "%", MARGIN_LEAST, MARGIN_MOST)
            )
    return study


def chopped(table: Table) -> Study:
    """The emitters go on and off; what each reading sees."""
    study = Study(
        "Chopped light",
        f"The emitters of a tier are on for {HALF_US:g} µs and off for {HALF_US:g} µs, and each receiver is read"
        f" {READ_US:g} µs after either. *Light from elsewhere* is the steady light beside the beam's own at which"
        " the dark reading shows light, and the beam counts as blinded: while it is less, the beam tells the truth.",
    )
    for name, off, rail in (
        ("typical parts", nominal, table.rail),
        ("weakest documented parts", analysis.weakest(nominal), table.low_rail),
        ("slowest comparator", corner({f"{LOW.chip}.{LOW.pins[2]}.response_us": 1.0}), table.rail),
        ("strongest parts", lambda it: 1.0 if it.endswith((".intensity_mw_sr", ".light_ua")) else 0.0, table.rail),
    ):
        values = table.values(off)
        waves, out, signal = _chopped(table, values, rail, ambient="0", stop=6 * 2 * HALF_US * 1e-6)
        turned = 4 * 2 * HALF_US * 1e-6
        lit = waves.first(out, table.pico("low_volts"), rising=False, after=turned) - turned
        dark = waves.first(out, table.pico("high_volts"), rising=True, after=turned + HALF_US * 1e-6)
        study.figures += [
            Figure(f"from light to low, {name}", lit * 1e6, "µs", 0.0, READ_US / 2),
            Figure(f"from dark to high, {name}", (dark - turned) * 1e6 - HALF_US, "µs", 0.0, READ_US / 2),
        ]
        if off is nominal:
            study.plots.append(_chopped_plot(waves, out, table, values))
        if name in ("strongest parts", "slowest comparator"):
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
        "Both tiers are lit together. A white, glossy card upright before a side sends light of the low emitter back"
        " into the rim receiver above it. If that is light enough for it, a card that breaks its beam does not show."
        " Computed, not simulated: scattered light twice over, as a doubt; a glossy mirror tilted as is worst;"
        " through the holes of tray wall and baffle. The self-test refuses margins above"
        f" {MARGIN_MOST:g} %. *Bare*: lenses that no hole shades, the upper tier at 34.7 mm: what baffles are for.",
    )
    bare = copy.deepcopy(table.geometry)
    bare["baffle"] = {"hole": optics.LENS, "length": 0.1}
    bare["tiers"].update(rim=34.7)
    bare["tray"]["slot"] = [20.0, 20.0]
    study.figures = [
        Figure("light that comes back, at worst, of emitters alike", max(back), "%", most=100 - MARGIN_MOST),
        Figure(
            "margin that is safe with the most unlike emitters",
            optics.most_margin(values, table.geometry),
            "%",
            MARGIN_MOST,
        ),
        *(
            Figure(f"bare, a card {distance} mm away", 100 * optics.returned(values, bare, distance), "%")
            for distance in (60, 80)
        ),
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
    """A blow on the disc, which rings at its resonance and dies away."""

    at_ms: float
    """After the start."""
    volts: float
    ring_ms: float


def _impact(
    table: Table, values: Values, strikes: Sequence[Strike], share: float, stop: float, clearing: bool = False
) -> tuple[Waves, dict[str, str]]:
    netlist = Netlist(values, trimmers={"RV1": share})
    names = [name for name in table.of_sheet("impact", "latch") if name not in _NOT_ON_BOARD]
    netlist.add(*names, "C16", "C18")
    disc = values.model("piezo disc")
    bias = netlist.rail("VBIAS")
    clears = f"PULSE(0 3.3 0 50n 50n {CLEAR_US}u {ROUND_US}u)"
    netlist.line(
        f"V3 {netlist.rail('3V3')} 0 PWL(0 0 20u 3.3)",
        f"V5 {netlist.rail('5V')} 0 {table.rail:g}",
        *(
            f"Vpiezo{i} piezo{i + 1} {f'piezo{i}' if i else bias}"
            f" SIN(0 {it.volts:g} {disc['resonance_hz']:g}  {START_MS + it.at_ms:g}m {1e3 / it.ring_ms:g})"
            for i, it in enumerate(strikes)
        ),
        f"Cpiezo piezo{len(strikes)} {netlist.node('J13', 1)} {disc['nf']}n ic=0",
        f"Vclear {netlist.node('U8', 9)} 0 {clears if clearing else 'DC 0'}",
        f"Cwave {netlist.node('A1', 'GP28')} 0 {table.pico('pin_pf')}p ic=0",
    )
    # Half the supply has long settled when a card falls; what else starts has done so before the first strike.
    netlist.lines = [line.replace("ic=0", "ic=1.65") if line.startswith("CC5 ") else line for line in netlist.lines]
    nodes = {
        "wave": f"v({netlist.node('A1', 'GP28')})",
        "input": f"v({netlist.node('U6', 3)})",
        "hit": f"v({netlist.node('C6', 1)})",
        "impact": f"v({netlist.node('U8', 3)})",
        "upper": f"v({netlist.node('U7', 3)})",
        "lower": f"v({netlist.node('U7', 6)})",
    }
    return run(netlist.text(), stop, 10e-6, list(nodes.values())), nodes


def impact(table: Table) -> Study:
    study = Study(
        "Impact: amplifier, window, stretch and latch",
        "A card strikes: the disc rings and dies away. While it swings out of the window the stretch is held; then it"
        " runs out, and only then the firmware's clearing takes effect. *Stretch* is the time from the last swing out"
        " of the window to the end of the latch's hold; what strikes before it is the same impact. *At rest*: a"
        " linear network, solved; each diode leaks anything up to its data sheet's most, which doubles every 10 K,"
        " whatever the other does.",
    )

    def stretch(values: Values) -> float:
        waves, nodes = _impact(
            table, values, [Strike(0.0, 1.0, 0.6)], amplifier(table).window_share(values, 0.3), 40e-3
        )
        last = _last_swing(waves, nodes)
        return 1e3 * (waves.first(nodes["hit"], Netlist(values).schmitt("U8")[0], rising=True, after=last) - last)

    typical = stretch(table.values())
    study.figures.append(Figure("stretch, typical", typical, "ms", STRETCH_LEAST_MS, STRETCH_MOST_MS))
    for name, sign in (("shortest", -1.0), ("longest", 1.0)):
        leaks = dict.fromkeys(("U7.1.output_leak_na", "U7.7.output_leak_na", "celsius"), sign)
        values = table.values(corner({"U8.rising": sign, "R23": sign, "C6": sign} | leaks))
        found = stretch(values)
        guess = analysis.stretch_ms(values, Netlist(values).schmitt("U8")[0])
        study.figures += [
            Figure(f"stretch, {name} by all tolerances", found, "ms", STRETCH_LEAST_MS, STRETCH_MOST_MS),
            Figure("the same, computed without a simulator: difference", abs(found - guess), "ms", most=0.5),
        ]
    drawn_at_random = [stretch(table.values(drawn(seed))) for seed in range(table.draws // 2)]
    waves, nodes = _impact(
        table,
        table.values(),
        [Strike(0.0, 1.0, 0.6)],
        amplifier(table).window_share(table.values(), 0.3),
        34e-3,
        clearing=True,
    )
    cleared = waves.first(nodes["impact"], 1.65, rising=False, after=START_MS * 1e-3) - _last_swing(waves, nodes)
    set_after = waves.first(nodes["impact"], 1.65, rising=True, after=START_MS * 1e-3) - START_MS * 1e-3
    ends = {f"U7.{out}.response_us": 1.0 for out in ("1", "7")} | {f"U7.{out}.low_volts": 1.0 for out in ("1", "7")}
    slowest = corner(ends | dict.fromkeys(("U6.slew_v_us", "U6.gain_bandwidth_mhz", "U6.output_ma"), -1.0))
    study.figures += [
        Figure(
            f"stretch, shortest of {len(drawn_at_random)} drawn at random", min(drawn_at_random), "ms", STRETCH_LEAST_MS
        ),
        Figure("stretch, longest of them", max(drawn_at_random), "ms", most=STRETCH_MOST_MS),
        Figure("latch: from the strike to high", 1e6 * set_after, "µs", 0.0, 200.0),
        Figure("the same, slowest comparators and amplifier", 1e6 * _set_after(table, slowest), "µs", 0.0, 200.0),
        Figure(
            "latch: from the end of the stretch to cleared",
            1e6 * cleared - 1e3 * typical,
            "µs",
            -2 * ROUND_US,
            2 * ROUND_US,
        ),
    ]
    study.figures += _rest(table) + _hard(table) + _two(table)
    to = [i for i, t in enumerate(waves.times) if (START_MS - 1) * 1e-3 < t < (START_MS + 15) * 1e-3]
    study.plots.append(
        Plot(
            "impact",
            "One impact: waveform at GP28, stretch, latch",
            "time (ms)",
            "V",
            [
                Curve(name, [1e3 * waves.times[i] - START_MS for i in to], [waves.curves[nodes[key]][i] for i in to])
                for name, key in (("waveform at GP28", "wave"), ("stretch (/HIT)", "hit"), ("latch", "impact"))
            ],
        )
    )
    return study


def _set_after(table: Table, off: Off) -> float:
    """Return the seconds from a strike to the latch's rise."""
    values = table.values(off)
    share = amplifier(table).window_share(values, 0.3)
    waves, nodes = _impact(table, values, [Strike(0.0, 1.0, 0.6)], share, 22e-3, clearing=True)
    return waves.first(nodes["impact"], 1.65, rising=True, after=START_MS * 1e-3) - START_MS * 1e-3


def _last_swing(waves: Waves, nodes: Mapping[str, str]) -> float:
    """Return when the waveform left the window for the last time and came back into it."""
    return max(
        time
        for rising, side in ((False, "upper"), (True, "lower"))
        for time in _after_start(waves, nodes["wave"], waves.at(nodes[side], waves.times[-1]), rising)
    )


def _after_start(waves: Waves, name: str, level: float, rising: bool) -> Iterator[float]:
    return (time for time in waves.crossings(name, level, rising) if time >= START_MS * 1e-3)


_COMPARED = 20
"""Tables whose rest is asked of ngspice as well."""


def amplifier(table: Table) -> rest.Circuit:
    """Return the circuit of the impact amplifier, to be solved at rest."""
    return rest.Circuit(table.wiring, [name for name in table.of_sheet("impact") if name in table.wiring.components])


def _rest(table: Table) -> list[Figure]:
    """Study the distance of the resting amplifier from either end of its window, every value apart, cold to warm."""
    circuit, draws = amplifier(table), rest.DRAWS * table.draws // DRAWS
    spare = [it.spare for it in rest.rests(circuit, table.bill, draws)]
    apart = []
    for seed in range(_COMPARED * table.draws // DRAWS):
        values = Values(table.wiring, table.bill, drawn(seed), warm=True)
        apart.append(abs(circuit.rest(values).spare - circuit.simulated(values).spare))
    worst = circuit.worst(table.bill)
    of = f"{draws} tables from {CELSIUS[0]:g} to {CELSIUS[-1]:g} °C"
    return [
        Figure(f"at rest, {of}: outside of their window", sum(it <= 0 for it in spare), "", 0, 0),
        Figure("the same, least to the window's edge, 0.3 V across RV1", 1e3 * min(spare), "mV", 20.0),
        Figure("the same, worst corner of all figures", 1e3 * circuit.rest(worst).spare, "mV", 20.0),
        Figure("the same corner, simulated", 1e3 * circuit.simulated(worst).spare, "mV", 20.0),
        Figure(f"solved and simulated, {len(apart)} of them: most difference", 1e3 * max(apart), "mV", most=2.0),
    ]


def _hard(table: Table) -> list[Figure]:
    """A blow of 40 V at the disc: what reaches the amplifier and the Pico's converter."""
    waves, nodes = _impact(table, table.values(), [Strike(0.0, 40.0, 1.0)], 0.85, 26e-3)
    wave = waves.between(nodes["wave"], START_MS * 0.9e-3, 26e-3)
    kept = waves.between(nodes["input"], START_MS * 0.9e-3, 26e-3)
    return [
        Figure("input of the amplifier, a blow of 40 V at the disc: highest", max(kept), "V", most=4.3),
        Figure("the same, lowest", min(kept), "V", -1.0),
        Figure("waveform at GP28, a blow of 40 V at the disc: highest", max(wave), "V", most=3.4),
        Figure("the same, lowest", min(wave), "V", -0.1),
    ]


def _two(table: Table) -> list[Figure]:
    """Two strikes, as often as the latch goes up."""
    found = []
    slow = table.values(corner({"U8.rising": 1.0}))
    for apart, expected in ((3.0, 1), (16.5, 2)):
        strikes = [Strike(at, 1.0, 0.25) for at in (0.0, apart)]
        waves, nodes = _impact(table, slow, strikes, amplifier(table).window_share(slow, 0.3), 50e-3, clearing=True)
        counted = len(list(_after_start(waves, nodes["impact"], 1.65, rising=True)))
        found.append(Figure(f"two strikes {apart:g} ms apart, slowest gate: counted", counted, "", expected, expected))
    return found


# -- knocks ----------------------------------------------------------------------------------------------------

_KNOCK_MS = 3.0
"""How long a knuckle presses on wood: half a sine."""


def resonance_hz(geometry: optics.Geometry, kilopascal: float) -> float:
    """Return at which frequency the tray bounces on its pads, their foam as stiff as that."""
    tray, pad = geometry["tray"], geometry["pad"]
    area = pad["number"] * (pad["size"] * 1e-3) ** 2
    newton_per_metre = kilopascal * 1e3 * area / (pad["height"] * 1e-3)
    return math.sqrt(newton_per_metre / (tray["mass"] * 1e-3)) / (2 * math.pi)


def knocks(table: Table) -> Study:
    """A knock on the deck, through foam, tray and disc to the amplifier."""
    pad = table.geometry["pad"]
    study = Study(
        "Knocks: the foam under the tray",
        f"The tray, {table.geometry['tray']['mass']:g} g, on {pad['number']} pads of {pad['size'] ** 2 / 100:g} cm² and"
        f" {pad['height']:g} mm; mass, spring and damping as a circuit before the amplifier's. A knuckle on the deck:"
        f" half a sine of {_KNOCK_MS:g} ms. *Passes*: the highest swing at the amplifier, of what a tray that stood on"
        " the deck would give. The foam's stiffness is assumed, from soft to firm. The card that lands strikes the"
        " tray itself and is not weakened.",
    )
    rigid = _knock(table, None)
    curves = [Curve("tray on the deck", *_shown(rigid))]
    highest = _swing(rigid)
    for name, stiff in zip(("soft", "usual", "firm"), pad["modulus"], strict=True):
        hertz = resonance_hz(table.geometry, stiff)
        waves = _knock(table, hertz)
        curves.append(Curve(f"{name} foam, {hertz:.0f} Hz", *_shown(waves)))
        study.figures += [
            Figure(f"{name} foam: resonance", hertz, "Hz", most=60.0),
            Figure(f"{name} foam: of a knock passes", 100 * _swing(waves) / highest, "%", most=50.0),
        ]
    study.plots.append(Plot("knock", "A knock on the deck, at the amplifier", "time (ms)", "V", curves))
    return study


def _knock(table: Table, hertz: float | None) -> Waves:
    """Return the amplifier's output after a knock, the tray on foam of that resonance, or hard on the deck."""
    values = table.values()
    netlist = Netlist(values, trimmers={"RV1": 0.5})
    netlist.add(*(name for name in table.of_sheet("impact") if name not in _NOT_ON_BOARD), "R23", "C6")
    start, length, damping = START_MS * 1e-3, _KNOCK_MS * 1e-3, table.geometry["pad"]["damping"]
    netlist.line(
        f"V3 {netlist.rail('3V3')} 0 PWL(0 0 20u 3.3)",
        f"V5 {netlist.rail('5V')} 0 {table.rail:g}",
        f"Bdeck deck 0 V=time>{start:g} && time<{start + length:g} ? sin({math.pi / length:g}*(time-{start:g})) : 0",
        f"Epiezo piezo {netlist.rail('VBIAS')} {'tray' if hertz else 'deck'} 0 0.02",
        f"Cpiezo piezo {netlist.node('J13', 1)} {values.model('piezo disc')['nf']}n ic=0",
    )
    if hertz:
        omega = 2 * math.pi * hertz
        # A mass of 1 H, the spring a capacitor: the voltage is the acceleration.
        netlist.line(
            "Lmass deck tray 1 ic=0", f"Rfoam tray foam {2 * damping * omega:g}", f"Cfoam foam 0 {omega**-2:g} ic=0"
        )
    netlist.lines = [line.replace("ic=0", "ic=1.65") if line.startswith("CC5 ") else line for line in netlist.lines]
    return run(netlist.text(), 80e-3, 20e-6, [f"v({netlist.node('U6', 1)})"])


def _swing(waves: Waves) -> float:
    (name,) = waves.curves
    rest = waves.at(name, START_MS * 0.99e-3)
    return max(abs(it - rest) for it in waves.between(name, START_MS * 1e-3, waves.times[-1]))


def _shown(waves: Waves) -> tuple[list[float], list[float]]:
    (name,) = waves.curves
    rest = waves.at(name, START_MS * 0.99e-3)
    to = [i for i, t in enumerate(waves.times) if t > (START_MS - 2) * 1e-3]
    return [1e3 * waves.times[i] - START_MS for i in to], [waves.curves[name][i] - rest for i in to]


# -- pixels ----------------------------------------------------------------------------------------------------

_BIT_NS, _HIGH_OF_0_NS, _HIGH_OF_1_NS = 1250.0, 312.5, 781.25
"""As the firmware's state machine makes them (``firmware/tablier_fw/pico/programs.py``)."""


def _line(table: Table, metres: float) -> str:
    return f"Z0={table.ribbon('impedance_ohm'):g} TD={metres * table.ribbon('ns_per_metre'):g}n"


def pixels(table: Table) -> Study:
    study = Study(
        "Level shifter and data lines",
        "The Pico's 3.3 V, lifted to 5 V, over cable to the first pixel of each chain; and from pixel to pixel over"
        " two ribbons. A pixel takes 0.7 of its supply for high. Cables are lossless lines with reflections.",
    )
    pixel = table.values().model("WS2812B 30/m")
    cables = table.wiring.cables
    ring, ribbon = cables["W7"].length, cables["W31"].length

    def shifted(values: Values, gate: str, resistor: str, metres: float, rail: float) -> Waves:
        far = next(
            pin
            for pin in table.wiring.net(resistor, "2").pins
            if table.wiring.components[pin[0]].kind.startswith("WS2812B")
        )
        netlist = Netlist(values, aliases={far: "far"})
        netlist.add("U5", resistor, "R3", "R4")
        netlist.line(
            f"V5 {netlist.rail('5V')} 0 {rail:g}",
            f"Vpico pico 0 PULSE(0 3.3 0.1u 3n 3n {_HIGH_OF_0_NS}n {_BIT_NS}n)",
            f"Rpico pico {netlist.node('U5', gate)} 40",
            f"T1 {netlist.node(resistor, 2)} 0 far 0 {_line(table, metres)}",
            f"Cfar far 0 {pixel['pin_pf']}p ic=0",
            "Rfar far 0 1meg",
        )
        return run(netlist.text(), 4e-6, 1e-9, ["v(far)", "v(pico)"])

    def chained(values: Values, rail: float) -> Waves:
        """From the public pixel of place 1 to that of place 2: out of one, over two ribbons, into the other."""
        netlist = Netlist(values)
        netlist.add("P1_R1")
        near = netlist.node("P1_R1", 2)
        netlist.line(
            f"Vout pixel 0 PULSE(0 {rail:g} 0.1u 10n 10n {_HIGH_OF_0_NS}n {_BIT_NS}n)",
            f"Rout pixel {netlist.node('P1_R1', 1)} 30",
            f"T1 {near} 0 far 0 {_line(table, 2 * ribbon)}",
            f"Cfar far 0 {pixel['pin_pf']}p ic=0",
            "Rfar far 0 1meg",
            "Epico picos 0 pixel 0 1",
            "Rpicos pico picos 1",
        )
        return run(netlist.text(), 4e-6, 1e-9, ["v(far)", "v(pico)"])

    least, _, most = pixel["high_of_0_ns"]
    shown: list[Curve] = []
    for name, simulate in (
        ("ring", lambda values, rail: shifted(values, "2", "R1", ring, rail)),
        ("first place", lambda values, rail: shifted(values, "5", "R2", ribbon, rail)),
        ("place to place", chained),
    ):
        for which, off, rail in (("typical", nominal, table.rail), ("weak driver, rail high", lambda _: 1.0, 5.25)):
            waves = simulate(table.values(off), rail)
            high, low = pixel["high_share"] * rail, pixel["low_share"] * rail
            up = waves.first("v(far)", high, rising=True, after=1.3e-6)
            down = waves.first("v(far)", high, rising=False, after=up)
            begun = waves.first("v(far)", low, rising=True, after=1.3e-6)
            width = (waves.first("v(far)", low, rising=False, after=down) - up) * 1e9
            after = waves.between("v(far)", up + 60e-9, up + 200e-9)
            study.figures += [
                Figure(f"{name}, {which}: edge from low to high", (up - begun) * 1e9, "ns", most=100.0),
                Figure(f"{name}, {which}: a 0 is high for", width, "ns", least, most),
                Figure(
                    f"{name}, {which}: lowest while high, of the supply", min(after) / rail, "", pixel["high_share"]
                ),
                Figure(f"{name}, {which}: highest above the supply", max(waves.curves["v(far)"]) - rail, "V", most=0.7),
            ]
            if which == "typical":
                inside = [i for i, t in enumerate(waves.times) if 1.3e-6 < t < 2.0e-6]
                shown.append(
                    Curve(
                        name, [1e9 * waves.times[i] - 1300 for i in inside], [waves.curves["v(far)"][i] for i in inside]
                    )
                )
    study.plots.append(Plot("pixels", "A 0 bit as it arrives", "time (ns)", "V", shown))
    return study


# -- supply ----------------------------------------------------------------------------------------------------

_GUARD = ("F1", "Q5", "Q6", "Q7", "U9", "D1", "D5", "R28", "R29", "R30", "R31", "R32", "C10", "C19")


def _plugged(
    table: Table,
    values: Values,
    source: str,
    stop: float,
    amperes: float = 0.15,
    switch: str = "0",
    limit: float = 40.0,
) -> tuple[Waves, dict[str, str]]:
    """The hub with all that hangs on its rails, at an adapter: its voltage as a source, its current limited.

    ``switch`` is a source too, 1 while the table is switched off.
    """
    netlist = Netlist(values, fuses=table.supply["fuse"])
    bulk = [
        name
        for name, it in table.wiring.components.items()
        if it.kind.endswith("µF") and "+" in it.pins and name not in ("C4", "C5")
    ]
    netlist.add(*_GUARD, "D2", "F2", "F9", *(f"F{it}" for it in range(3, 9)), *bulk)
    adapter = values.model("5 V 5 A adapter")
    # Above its limit the adapter gives no more current, whatever that does to its voltage.
    netlist.line(
        f"Vadapter adapter 0 {source}",
        f"Badapter adapter lead I={limit:g}*tanh(V(adapter,lead)/{limit * adapter['lead_ohm']:g})",
        f"Ladapter lead jack {adapter['lead_uh']}u ic=0",
        "Clead lead 0 1n ic=0",
        f"Vjack jack {netlist.node('F1', 1)} 0",
        f"Sswitch {netlist.node('J14', 1)} 0 finger 0 Mswitch",
        ".model Mswitch SW(Vt=0.5 Vh=0.1 Ron=0.2 Roff=100meg)",
        f"Vfinger finger 0 {switch}",
        f"Bload {netlist.rail('5V')} 0 I={amperes:g}*tanh(max(V({netlist.rail('5V')})-2.5,0))",
    )
    nodes = {
        "rail": f"v({netlist.rail('5V')})",
        "in": f"v({netlist.rail('5V_IN')})",
        "guard": f"v({netlist.rail('GUARD')})",
        "gate": f"v({netlist.node('Q6', 'G')})",
        "vsys": f"v({netlist.node('A1', 'VSYS')})",
        "current": "i(vjack)",
    }
    return run(netlist.text(), stop, 50e-6, list(nodes.values())), nodes


def guard(table: Table) -> Study:
    study = Study(
        "The input guard: plugging in, a wrong adapter",
        "What is plugged in reaches the rails through two transistors that open slowly, and only while the adapter"
        " gives less than about 5.5 V the right way round. Here nothing but its lead limits the adapter's current."
        " All capacitors of hub, ring, places and sides hang on the rails.",
    )
    values = table.values()
    waves, nodes = _plugged(table, values, "PWL(0 0 1u 5)", 250e-3)
    study.figures += [
        Figure("5 V plugged in: highest current", max(waves.curves[nodes["current"]]), "A", most=4.0),
        Figure("5 V plugged in: rail after a quarter of a second", waves.at(nodes["rail"], 0.249), "V", 4.8, 5.1),
        Figure(
            "5 V plugged in: rail at 4.5 V after", 1e3 * waves.first(nodes["rail"], 4.5, rising=True), "ms", 5.0, 250.0
        ),
    ]
    study.plots.append(
        Plot("inrush", "5 V plugged in", "time (ms)", "V, A",
             [Curve(name, [1e3 * t for t in waves.times], waves.curves[nodes[key]]) for name, key in
              (("rail (V)", "rail"), ("current (A)", "current"), ("gate (V)", "gate"))])
    )  # fmt: skip
    eager = corner({"Q5.threshold_volts": -1.0, "Q6.threshold_volts": -1.0})
    late = corner({"Q5.threshold_volts": 1.0, "Q6.threshold_volts": 1.0})
    early, names = _plugged(table, table.values(eager), "PWL(0 0 1u 5)", 250e-3)
    study.figures.append(
        Figure(
            "the same, transistors that open early: highest current", max(early.curves[names["current"]]), "A", most=4.0
        )
    )
    full, names = _plugged(table, table.values(late), "PWL(0 0 1u 4.75)", 250e-3)
    study.figures.append(
        Figure("4.75 V plugged in, transistors that open late: rail", full.at(names["rail"], 0.249), "V", 4.6, 4.75)
    )
    full, names = _plugged(
        table, values, "PWL(0 0 1u 5)", 400e-3, amperes=supply.through(table.supply, "F1", capped=True) / 1e3
    )
    lost = 5.0 - full.at(names["rail"], 0.399)
    study.figures.append(Figure("full load: lost before the rail", lost, "V", most=0.45))
    shown = []
    for volts in (6.5, 9.0, 12.0, 24.0):
        for label, off in (("", nominal), (", transistors that open early", eager)):
            waves, nodes = _plugged(table, table.values(off), f"PWL(0 0 1u {volts:g})", 200e-3)
            study.figures += [
                Figure(
                    f"{volts:g} V plugged in{label}: highest on the rail",
                    max(waves.curves[nodes["rail"]]),
                    "V",
                    most=1.0,
                )
            ]
            if not label:
                between = [
                    g - s for g, s in zip(waves.curves[nodes["gate"]], waves.curves[nodes["guard"]], strict=True)
                ]
                study.figures.append(
                    Figure(f"{volts:g} V plugged in: gate to source", max(map(abs, between)), "V", most=18.0)
                )
                if volts in (9.0, 12.0):
                    shown.append(
                        Curve(
                            f"rail, {volts:g} V plugged in", [1e3 * t for t in waves.times], waves.curves[nodes["rail"]]
                        )
                    )
    for volts in (-5.0, -9.0, -12.0):
        waves, nodes = _plugged(table, values, f"PWL(0 0 1u {volts:g})", 100e-3)
        study.figures += [
            Figure(f"{volts:g} V (reversed): lowest on the rail", min(waves.curves[nodes["rail"]]), "V", -0.3),
            Figure(
                f"{volts:g} V (reversed): current",
                1e3 * max(map(abs, waves.between(nodes["current"], 1e-3, 0.1))),
                "mA",
                most=5.0,
            ),
        ]
    waves, nodes = _plugged(table, values, "PWL(0 0 1u 5 250m 5 260m 12)", 400e-3, amperes=1.0)
    study.figures += [
        Figure(
            "from 5 to 12 V within 10 ms, while it plays: highest on the rail",
            max(waves.curves[nodes["rail"]]),
            "V",
            most=RAIL_MOST,
        ),
        Figure("the same: highest at VSYS", max(waves.curves[nodes["vsys"]]), "V", most=RAIL_MOST),
        Figure("the same: rail a tenth of a second later", waves.at(nodes["rail"], 0.39), "V", most=3.0),
    ]
    shown.append(Curve("rail, 5 V that rise to 12 V", [1e3 * t for t in waves.times], waves.curves[nodes["rail"]]))
    study.plots.append(Plot("wrong-adapter", "A wrong adapter", "time (ms)", "V", shown))
    study.figures += _cut_off(table) + _switched(table)
    return study


def _switched(table: Table) -> list[Figure]:
    """The switch, turned off for half a second while the table plays, and on again."""
    waves, nodes = _plugged(
        table, table.values(), "PWL(0 0 1u 5)", 1.2, amperes=1.0, switch="PWL(0 0 300m 0 300.01m 1 800m 1 800.01m 0)"
    )
    gap = 300e-3, 790e-3
    return [
        Figure(
            "switched off: 5V below 3 V after",
            1e3 * (waves.first(nodes["rail"], 3.0, False, gap[0]) - gap[0]),
            "ms",
            most=50.0,
        ),
        Figure("switched off: from the adapter", 1e3 * waves.at(nodes["current"], gap[1]), "mA", most=8.0),
        Figure("switched on again: highest current", max(waves.between(nodes["current"], 0.8, 1.2)), "A", most=4.0),
        Figure("switched on again: rail", waves.at(nodes["rail"], 1.19), "V", 4.8, 5.1),
    ]


def _cut_off(table: Table) -> list[Figure]:
    """A slow rise, as far as the guard lets it."""
    found = []
    for name, sign in (("lowest", -1.0), ("highest", 1.0)):
        values = table.values(
            corner(
                {
                    "U9.reference": sign,
                    "U9.reference_ua": sign,
                    "U9.deviation": sign,
                    "R28": sign,
                    "R29": -sign,
                    "D5.leak": sign,
                    "celsius": 1.0,
                }
            )
        )
        waves, nodes = _plugged(table, values, "PWL(0 0 1u 5 200m 5 1 6.2)", 1.0)
        rail = waves.curves[nodes["rail"]]
        most = max(range(len(waves.times)), key=rail.__getitem__)
        closes = waves.curves[nodes["in"]][most]
        guess = analysis.cut_off_volts(values)
        found += [
            Figure(f"a slow rise: closed at, {name} by all tolerances", closes, "V", 5.25, 5.6),
            Figure("the same, computed without a simulator: difference", abs(closes - guess), "V", most=0.06),
        ]
    return found


def switching_on(table: Table) -> Study:
    """Study whether each table turns on, and keeps out what is more than it takes."""
    count = turn_on.DRAWS * table.draws // DRAWS
    study = Study(
        "Switching on",
        "The input guard of many tables, drawn at random: every value, every figure of the transistors and of the"
        f" TL431, from {CELSIUS[0]:g} to {CELSIUS[-1]:g} °C; and every corner of what matters. The TL431 is the circuit"
        " of its data sheet, written anew (`Die` in `spice/netlist.py`): just below its reference it draws nearly as"
        " much as it needs to regulate, 0.25 to 1 mA. On: the rail has nine tenths of what the adapter gives, with"
        " hardly any load, at which the guard closes most easily. Solved without a simulator; ngspice is asked for some"
        " of them.",
    )
    guard = turn_on.Guard(table.wiring, table.bill, table.supply)
    offs = turn_on.draws(count)
    corners = turn_on.corners()[:: max(1, DRAWS // table.draws)]
    for name, found in ((f"{count} tables", guard.solved(offs)), (f"{len(corners)} corners", guard.solved(corners))):
        study.figures += [Figure(f"{name}, {it:g} V plugged in: not on", found.off(it), "", 0, 0) for it in turn_on.ON]
        study.figures += [
            Figure(f"{name}, {it:g} V plugged in: let anything in", found.on(it), "", 0, 0) for it in turn_on.OFF
        ]
        least = min(it.min() / volts for volts, it in found.loaded.items())
        study.figures.append(Figure(f"{name}, full load: least on the rail, of the adapter's", least, "", 0.91))
    compared = offs[: max(2, _SIMULATED * table.draws // DRAWS)]
    solved, apart = guard.solved(compared), []
    for index, off in enumerate(compared):
        apart += [abs(rail - solved.rails[volts][index]) for volts, rail in guard.simulated(off).items()]
    study.figures.append(
        Figure(f"solved and simulated, {len(compared)} of them: most difference", 1e3 * max(apart), "mV", most=5.0)
    )
    return study


_SIMULATED = 300
"""Tables whose guard is asked of ngspice as well."""


# -- chips by themselves ---------------------------------------------------------------------------------------


def chips(table: Table) -> Study:
    """Measure the models of the comparators and of the amplifier as their data sheets measure them."""
    study = Study(
        "Comparator and amplifier on the bench",
        "The circuit inside an LM393 and the macro-model of an MCP6002 (`Comparator` and `Netlist._mcp6002` in"
        " `spice/netlist.py`), each alone, measured as its data sheet measures it. *Least*, *most*: every figure that"
        " is given to them at that end, coldest and warmest. Limits are the sheet's; what it gives as typical alone is"
        " allowed half and twice. *Without supply*: the Pico is fed by its cable, and the adapter is out.",
    )
    given = ("bias_na", "low_volts", "sink_ma", "response_us", "output_leak_na")
    ends = [("typical", 0.0, 0.0)] + [
        (f"{which}, {CELSIUS[0 if cold < 0 else -1]:g} °C", sign, cold)
        for which, sign in (("least", -1.0), ("most", 1.0))
        for cold in (-1.0, 1.0)
    ]
    for name, sign, warmth in ends:
        it = bench.comparator(table.values(corner({f"U7.1.{key}": sign for key in given} | {"celsius": warmth})))
        study.figures += [
            Figure(f"LM393, {name}: current out of an input", it.bias_na, "nA", 9.5, 260.0),
            Figure(f"LM393, {name}: off by itself", abs(it.own_mv), "mV", most=0.1),
            Figure(f"LM393, {name}: output at 4 mA", it.low_v, "V", most=0.45),
            Figure(f"LM393, {name}: output carries at 1.5 V", it.sinks_ma, "mA", 6.0),
            Figure(f"LM393, {name}: to high, 5 mV beyond the threshold", it.high_us, "µs", 0.6, 2.8),
            Figure(f"LM393, {name}: to low", it.low_us, "µs", 0.4, 2.8),
            Figure(f"LM393, {name}: compares at 5 V up to", it.inputs_to_v, "V", 3.0),
            Figure(f"LM393, {name}: supply", it.supply_ma, "mA", most=1.0),
        ]
    into, out = bench.without_supply(
        table.values(corner({"U7.1.output_leak_na": 1.0, "celsius": 1.0})), limits.LOGIC[2]
    )
    study.figures += [
        Figure("LM393 without supply: into an input", into, "µA", most=1.0),
        Figure("LM393 without supply: into its output", out, "µA", most=1.1),
    ]
    for name, sign in (("typical", 0.0), ("least", -1.0), ("most", 1.0)):
        offs = dict.fromkeys(("U6.output_ma", "U6.slew_v_us", "U6.gain_bandwidth_mhz"), sign)
        half = bench.amplifier(table.values(corner(offs)))
        study.figures += [
            Figure(f"MCP6002, {name}: bandwidth", half.bandwidth_mhz, "MHz", 0.5, 2.0),
            Figure(f"MCP6002, {name}: slope", half.slews_v_us, "V/µs", 0.29, 1.2),
            Figure(f"MCP6002, {name}: from its lower supply, 10 kΩ", half.low_mv, "mV", most=50.0),
            Figure(f"MCP6002, {name}: from its upper supply, 10 kΩ", half.high_mv, "mV", most=50.0),
            Figure(f"MCP6002, {name}: gives into a short circuit", half.gives_ma, "mA", 5.0, 23.0),
            Figure(f"MCP6002, {name}: takes", half.takes_ma, "mA", 5.0, 23.0),
            Figure(f"MCP6002, {name}: input at 1 mA from beyond its supply", half.input_most_v, "V", most=4.3),
        ]
    return study


# -- every part ------------------------------------------------------------------------------------------------


def parts(table: Table) -> Study:
    study = Study(
        "Active parts at their worst corner",
        "Computed: what each part carries or needs with all around it at its worst, and what its data sheet allows.",
    )
    for use in limits.uses(table.values, table.supply, table.low_rail):
        end = {"most": use.limit} if use.most else {"least": use.limit}
        name = f"{use.part}: {use.what} ({use.spare:.0f} % to spare)"
        study.figures.append(Figure(name, use.value, use.unit, **end))
    return study


def models(table: Table) -> Study:
    """List what the figures rest on: how each part is modelled."""
    study = Study(
        "What is modelled, and what stays ideal",
        "No maker's model is used: those that were found carry no licence by which they could be passed on here. Models"
        " of a part's insides are written anew from its data sheet. An ideal element is listed with its data sheet's"
        " worst on both sides, which the draws and corners above take, and with what the simulation leaves out.",
    )
    study.rows = [("part", "modelled as", "the sheet's worst, both sides", "not seen")]
    study.rows += [(name, how, "", "") for name, how in limits.INSIDES.items()]
    study.rows += [(f"**ideal**: {name}", *row) for name, row in limits.IDEAL.items()]
    return study


# -- sparks ----------------------------------------------------------------------------------------------------

_SPARK_VOLTS, _SPARK_PF, _SPARK_OHM = 8000.0, 150.0, 330.0
"""A finger with a key: IEC 61000-4-2, level 4 by contact."""


def sparks(table: Table) -> Study:
    study = Study(
        "A spark at a button",
        f"{_SPARK_VOLTS / 1000:g} kV from {_SPARK_PF:g} pF through {_SPARK_OHM:g} Ω (IEC 61000-4-2) into a button's"
        " contact: what reaches the input of its 74HC165, and the Pico's RUN and service inputs. Inductance of leads"
        " and flash-over are left out: what the capacitor leaves does no harm; a wrong press is not excluded.",
    )
    values = table.values()
    source = [
        f"Cspark spark 0 {_SPARK_PF}p ic={_SPARK_VOLTS}",
        f"Rspark spark finger {_SPARK_OHM}",
    ]

    def clamped(netlist: Netlist, node: str, farads: float) -> list[str]:
        return [
            f"Vpin {node} pin 0",
            f"Cpin pin 0 {farads}p ic=3.3",
            f"Dhigh pin {netlist.rail('3V3')} Mclamp",
            "Dlow 0 pin Mclamp",
            ".model Mclamp D(Is=1e-12 Rs=5)",
            f"V3 v3 0 3.3\nR3 v3 {netlist.rail('3V3')} 0.2\nC3 {netlist.rail('3V3')} 0 10u ic=3.3",
        ]

    chip = values.model("74HC165")
    network, end = next(
        pin for pin in table.wiring.net("U4", "6").pins if table.wiring.components[pin[0]].kind == "8 × 4.7 kΩ"
    )
    far = str(17 - int(end))
    netlist = Netlist(values, aliases={(network, far): "hub", ("RN1", "2"): "hub"})
    netlist.add("P1_C2", "RN1", network)
    ribbon = table.wiring.cables["W31"].length * table.ribbon("ns_per_metre")
    netlist.line(
        *source,
        f"Rfinger finger {netlist.node('P1_SW1', 1)} 0.1",
        f"Lribbon {netlist.node('P1_SW1', 1)} hub {ribbon * table.ribbon('impedance_ohm')}n ic=0",
        f"Cribbon hub 0 {1e3 * ribbon / table.ribbon('impedance_ohm')}p ic=0",
        *clamped(netlist, netlist.node("U4", 6), chip["pin_pf"]),
    )
    waves = run(netlist.text(), 20e-6, 20e-9, ["i(vpin)", "v(hub)", "v(pin)"])
    study.figures += [
        Figure("at the header of the hub, highest", max(waves.curves["v(hub)"]), "V", most=200.0),
        Figure(
            "into the 74HC165, highest",
            1e3 * max(map(abs, waves.curves["i(vpin)"])),
            "mA",
            most=chip["latch_up_ma"] / 2,
        ),
    ]
    pull = table.values().model("Raspberry Pi Pico")["pull_kohm"][1]
    for name, pin, resistor in (("RUN", "RUN", "R26"), ("service", "GP19", "R25")):
        netlist = Netlist(values)
        netlist.add(*_near(table, pin))
        netlist.line(
            *source,
            f"Rfinger finger {netlist.node(resistor, 2)} 0.1",
            f"Rpull {netlist.rail('3V3')} {netlist.node('A1', pin)} {pull}k",
            *clamped(netlist, netlist.node("A1", pin), table.pico("pin_pf")),
        )
        netlist.lines = [line.replace("ic=0", "ic=3.3") for line in netlist.lines]
        waves = run(netlist.text(), 20e-6, 20e-9, ["i(vpin)", "v(pin)"])
        study.figures += [
            Figure(f"{name}: into the Pico, highest", 1e3 * max(map(abs, waves.curves["i(vpin)"])), "mA", most=100.0),
            Figure(f"{name}: lowest while the spark lasts", min(waves.curves["v(pin)"]), "V", table.pico("high_volts")),
        ]
    return study


def _near(table: Table, pin: str) -> list[str]:
    """Return the resistor at a pin of the Pico, and what is at the button behind it."""
    (resistor,) = (name for name, _ in table.wiring.net("A1", pin).pins if name.startswith("R"))
    return sorted({name for name, _ in table.wiring.net(resistor, "2").pins if name[0] in "RC"} | {resistor})


def start(table: Table) -> Study:
    """Study the two lines of the hub's own buttons when the supply comes on, and while they are pressed."""
    study = Study(
        "Service and reset",
        "The Pico's pins start pulled down. The firmware turns on a pull-up and looks at once: the line must be high"
        " by then without it. RUN has only the Pico's own pull-up.",
    )
    least, _, most = table.values().model("Raspberry Pi Pico")["pull_kohm"]
    for name, pin, pull, pulled_to in (("service, at the start", "GP19", least, "0"), ("RUN", "RUN", most, "3V3")):
        netlist = Netlist(table.values())
        netlist.add(*_near(table, pin))
        rail = netlist.rail("3V3")
        netlist.line(
            f"V3 {rail} 0 PWL(0 0 1m 3.3)",
            f"Rpull {netlist.node('A1', pin)} {rail if pulled_to == '3V3' else 0} {pull}k",
            f"Spressed {netlist.node('R25' if pin == 'GP19' else 'R26', 2)} 0 finger 0 Mcontact",
            ".model Mcontact SW(Vt=0.5 Vh=0.1 Ron=0.5 Roff=100meg)",
            "Vfinger finger 0 PWL(0 0 150m 0 150.01m 1)",
        )
        node = f"v({netlist.node('A1', pin)})"
        waves = run(netlist.text(), 0.2, 50e-6, [node])
        up = waves.first(node, table.pico("high_volts"), rising=True)
        study.figures += [
            Figure(f"{name}: high after", 1e3 * up, "ms", most=30.0),
            Figure(f"{name}: level while not pressed", waves.at(node, 0.149), "V", table.pico("high_volts")),
            Figure(f"{name}: level while pressed", waves.at(node, 0.199), "V", most=table.pico("low_volts")),
        ]
    return study


STUDIES: Sequence[Callable[[Table], Study]] = (
    receivers,
    play,
    chopped,
    reflections,
    impact,
    knocks,
    pixels,
    guard,
    switching_on,
    sparks,
    start,
    chips,
    parts,
    models,
)
