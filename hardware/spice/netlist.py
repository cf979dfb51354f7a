"""Netlists for ngspice: the components of the wiring with their values, and models for what is more than a value.

A node has the name of its net in the wiring, or of a pin on it. Transistors, diodes and the TL431 are modelled by their
junctions, at the table's temperature; the other chips by what their data sheets promise (thresholds, offsets, currents,
speed): ``SIMULATION.md`` lists those, with what they leave out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import exp, pi

from hardware.bill import expanded
from hardware.nets import Pin
from hardware.spice.direct import Circuits
from hardware.spice.values import Values

VT = 0.02585
"""Thermal voltage at 27 °C."""
GATES_132 = (("1", "2", "3"), ("4", "5", "6"), ("9", "10", "8"), ("12", "13", "11"))
GATES_125 = (("1", "2", "3"), ("4", "5", "6"), ("10", "9", "8"), ("13", "12", "11"))
COMPARATORS = (("2", "3", "1"), ("6", "5", "7"))
"""Inverting input, other input, output; of an MCP6002 too."""


class Netlist:
    """Collects elements. ``trimmers`` says by name how far each stands from its bottom, from 0 to 1; ``light`` is by
    name of a photodiode the current that it draws, as a source of ngspice; ``fuses`` are ohms by name; ``aliases`` put
    a pin on a node of its own, so that something can be put between."""

    def __init__(
        self,
        values: Values,
        trimmers: Mapping[str, float] | None = None,
        light: Mapping[str, str] | None = None,
        fuses: Iterable[Mapping[str, object]] = (),
        aliases: Mapping[Pin, str] | None = None,
    ) -> None:
        self.values, self.wiring = values, values.wiring
        self.lines = ["* made from the wiring and the bill"]
        self._trimmers, self._light, self._aliases = trimmers or {}, light or {}, aliases or {}
        self._fuses = {name: float(str(it["ohms"])) for it in fuses for name in expanded(str(it["designator"]))}
        self._known: set[str] = set()

    def text(self) -> str:
        return "\n".join(self.lines)

    def line(self, *lines: str) -> None:
        self.lines += lines

    def node(self, component: str, pin: str | int) -> str:
        """Return the node of a pin."""
        number = self.wiring.pin(component, str(pin))
        if (component, number) in self._aliases:
            return self._aliases[component, number]
        net = self.wiring.net(component, number)
        if "GND" in net.names:
            return "0"
        if net.names:
            name = min(net.names, key=lambda name: (name.count("_"), name))
            # To ngspice EMIT_LOW and emit_low are one name: the drain of a switch and its gate.
            return _clean(f"{'signal' if name.islower() else 'net'}_{name}")
        return _clean("_".join(min(net.pins or {(component, number)})))

    def rail(self, name: str) -> str:
        """Return the node of a named net."""
        return self.node(*min(self.wiring.named(name).pins))

    def add(self, *names: str) -> None:
        """Add components, each once."""
        for name in names:
            if name not in self._known:
                self._known.add(name)
                self._model(name)(name)

    # -- by kind -----------------------------------------------------------------------------------------------

    def _model(self, name: str) -> Callable[[str], None]:
        kind = self.values.kind(name)
        if kind in _CHIPS:
            return lambda it: _CHIPS[kind](self, it)
        if kind.startswith(("PTC", "fuse")):
            return self._fuse
        if kind.startswith("trimmer"):
            return self._trimmer
        if " × " in kind:
            return self._network
        return self._capacitor if kind.endswith("F") else self._resistor

    def _resistor(self, name: str) -> None:
        self.line(f"R{name} {self.node(name, 1)} {self.node(name, 2)} {self.values.value(name):g}")

    def _fuse(self, name: str) -> None:
        self.line(f"R{name} {self.node(name, 1)} {self.node(name, 2)} {self._fuses[name]:g}")

    def _capacitor(self, name: str) -> None:
        one, other = self.wiring.components[name].pins
        series = self.values.model(self.values.kind(name)).get("esr_ohm", 0.005)
        self.line(
            f"R{name} {self.node(name, one)} {name}_x {series:g}",
            f"C{name} {name}_x {self.node(name, other)} {self.values.value(name):g} ic=0",
        )

    def _trimmer(self, name: str) -> None:
        share, ohms = self._trimmers[name], self.values.value(name)
        top, wiper, bottom = (self.node(name, pin) for pin in ("top", "wiper", "bottom"))
        self.line(f"R{name}t {top} {wiper} {max((1 - share) * ohms, 0.1):g}")
        self.line(f"R{name}b {wiper} {bottom} {max(share * ohms, 0.1):g}")

    def _network(self, name: str) -> None:
        pins = self.wiring.components[name].pins
        pairs = (
            [(pin, pins[0]) for pin in pins[1:]]
            if len(pins) % 2
            else [(pin, pins[-1 - index]) for index, pin in enumerate(pins[: len(pins) // 2])]
        )
        for one, other in pairs:
            self.line(f"R{name}_{one} {self.node(name, one)} {self.node(name, other)} {self.values.value(name):g}")

    def diode(self, name: str, anode: str, cathode: str, model: str) -> None:
        self.line(f"D{name} {anode} {cathode} M{name}{self.warmth}", f".model M{name} D({model})")

    @property
    def warmth(self) -> str:
        """Return what tells ngspice how warm a junction is."""
        return f" temp={self.values.celsius:g}"

    def _lm393(self, name: str) -> None:
        pick = self.values.pick
        for inverting, other, out in COMPARATORS:
            who = f"{name}.{out}"
            offset = self.values.offset(who)
            ohms = pick("LM393", "low_volts", who) / 4e-3
            minus, plus, low = (self.node(name, pin) for pin in (inverting, other, out))
            at = f"{name}_{out}"
            self.line(
                f"I{at}m 0 {minus} {self.values.bias(who, inverting=True):g}",
                f"I{at}p 0 {plus} {self.values.bias(who, inverting=False):g}",
                f"B{at}d {at}d 0 V=0.5+0.5*tanh((V({minus})-V({plus})-({offset:g}))/0.5m)",
                f"R{at}d {at}d {at}f 1k",
                f"C{at}d {at}f 0 {pick('LM393', 'response_us', who) * 1e-9:g} ic=0",
                f"C{at}o {low} 0 15p ic=0",
                f"B{at}o {low} 0 I=(0.5+0.5*tanh((V({at}f)-0.5)/0.04))*16m*tanh(V({low})/{16e-3 * ohms:g})",
            )

    def _mcp6002(self, name: str) -> None:
        model = self.values.model("MCP6002")
        supply = self.node(name, "8")
        farads, slew = 1e-9, model["slew_v_us"] * 1e6
        siemens = 2 * pi * model["gain_bandwidth_mhz"] * 1e6 * farads
        for inverting, other, out in COMPARATORS:
            at = f"{name}_{out}"
            offset = model["offset_mv"] * self.values.off(f"{name}.{out}.offset") * 1e-3
            minus, plus, end = (self.node(name, pin) for pin in (inverting, other, out))
            drive = f"{slew * farads:g}*tanh({siemens / (slew * farads):g}*(V({plus})-V({minus})+({offset:g})))"
            clamp = f"1*(max(V({at}i)-V({supply})+0.02,0)+min(V({at}i)-0.02,0))"
            self.line(
                f"B{at} {at}i 0 I={clamp}-{drive}",
                f"C{at} {at}i 0 {farads:g} ic=0",
                f"R{at} {at}i 0 {1e5 / siemens:g}",
                f"E{at} {at}e 0 {at}i 0 1",
                f"R{at}e {at}e {end} 50",
            )

    def schmitt(self, name: str) -> tuple[float, float]:
        """Return the rising and the falling threshold of a 74HC132 at 3.3 V, in volts.

        Each is on its own between its limits, but they are as far apart as the data sheet says at least.
        """
        model = self.values.model("74HC132")
        low, high = model["supply_volts"]
        share = (3.3 - low) / (high - low)
        found = []
        for edge in ("rising", "falling"):
            ends = [self.values.of(model[f"{edge}_{end}_volts"], f"{name}.{edge}") for end in ("low", "high")]
            found.append(ends[0] + share * (ends[1] - ends[0]))
        apart = [model[f"apart_{end}_volts"] for end in ("low", "high")]
        return found[0], min(found[1], found[0] - apart[0] - share * (apart[1] - apart[0]))

    def _hc132(self, name: str) -> None:
        supply = self.node(name, "14")
        rises, falls = self.schmitt(name)
        for one, other, out in GATES_132:
            states = []
            for pin in (one, other):
                at, node = f"{name}_{pin}s", self.node(name, pin)
                states.append(f"V({at})")
                feels = "0" if node == "0" else f"V({node})"
                self.line(
                    f"B{at} {at}b 0 V=0.5+0.5*tanh(({feels}-({rises:g}-{rises - falls:g}*V({at})))/5m)",
                    f"R{at} {at}b {at} 1k",
                    f"C{at} {at} 0 10p ic=0",
                )
            end = self.node(name, out)
            self.line(
                f"B{name}_{out} {name}_{out}b 0 V=V({supply})*(1-{states[0]}*{states[1]})",
                f"R{name}_{out} {name}_{out}b {end} 80",
                f"C{name}_{out} {end} 0 10p ic=0",
            )

    def _ahct125(self, name: str) -> None:
        supply, model = self.node(name, "14"), self.values.model("74AHCT125")
        ohms = self.values.pick("74AHCT125", "output_ohm", name)
        for enable, pin, out in GATES_125:
            if self.node(name, enable) != "0":
                continue
            at, node = f"{name}_{out}", self.node(name, pin)
            self.line(
                f"B{at} {at}b 0 V=V({supply})*(0.5+0.5*tanh((V({node})-1.5)/50m))",
                f"R{at}b {at}b {at}f 100",
                f"C{at}b {at}f 0 {model['edge_ns'] * 1e-11 / 2.2:g} ic=0",
                f"E{at} {at}e 0 {at}f 0 1",
                f"R{at} {at}e {self.node(name, out)} {ohms:g}",
            )

    def _photodiode(self, name: str) -> None:
        anode, cathode = self.node(name, "A"), self.node(name, "K")
        model = self.values.model("BPV10NF")
        self.diode(name, anode, cathode, f"Is=1n N=1.1 Cjo={model['pin_pf'] * 1e-12:g}")
        self.line(f"B{name} {cathode} {anode} I={self._light.get(name, '0')}+{model['dark_na'] * 1e-9:g}")

    def _emitter(self, name: str) -> None:
        volts = self.values.pick("TSAL6100", "volts", name)
        saturation = 0.1 / exp((volts - 0.1 * 1.0) / (1.7 * VT))
        self.diode(name, self.node(name, "A"), self.node(name, "K"), f"Is={saturation:g} N=1.7 Rs=1.0 Cjo=25p")

    def _small_diode(self, name: str) -> None:
        anode, cathode = self.node(name, "A"), self.node(name, "K")
        model = self.values.model(self.values.kind(name))
        # Its equation leaks as well, and a diode may leak less: what the data sheet's figure has beyond that.
        saturation = float(re.search(r"Is=(\S+)", model["diode"])[1])  # type: ignore[index]
        leak = self.values.leak(name) - saturation
        self.diode(name, anode, cathode, model["diode"])
        self.line(f"B{name} {cathode} {anode} I={leak:g}*tanh(max(V({cathode},{anode}),0)/0.05)")

    def _schottky(self, name: str) -> None:
        self.diode(name, self.node(name, "A"), self.node(name, "K"), "Is=3e-5 N=1.05 Rs=0.05 Cjo=190p")

    def _suppressor(self, name: str) -> None:
        volts = self.values.pick("1.5KE6.8A", "breakdown_volts", name)
        self.diode(name, self.node(name, "A"), self.node(name, "K"), f"Is=1e-9 Rs=0.02 Bv={volts:g} Ibv=10m Cjo=8n")

    def _switch(self, name: str) -> None:
        threshold = self.values.pick("TN0702N3", "threshold_volts", name)
        ohms = self.values.pick("TN0702N3", "on_ohm", name)
        gain = 1 / (ohms * 0.7 * (3.0 - threshold))
        drain, gate, source = (self.node(name, pin) for pin in ("D", "G", "S"))
        self.line(
            f"M{name} {drain} {gate} {source} M{name}{self.warmth}",
            f".model M{name} VDMOS(nchan Vto={threshold:g} Kp={gain:g} Rd={0.3 * ohms:g} "
            "Cgs=80p Cgdmax=60p Cgdmin=10p Cjo=80p Is=1e-12)",
        )

    def _guard(self, name: str) -> None:
        threshold = self.values.pick("SUP53P06-20", "threshold_volts", name)
        model = self.values.model("SUP53P06-20")
        ohms = model["on_mohm"] * 1e-3
        gain = 1 / (0.4 * ohms * (4.5 - threshold))
        drain, gate, source = (self.node(name, pin) for pin in ("D", "G", "S"))
        self.line(
            f"M{name} {name}_d {gate} {source} M{name}{self.warmth}",
            f"R{name}d {drain} {name}_d {0.6 * ohms:g}",
            f".model M{name} VDMOS(pchan Vto={-threshold:g} Kp={gain:g} "
            f"Cgs={model['gate_nf'] * 1e-9:g} Cgdmax=1n Cgdmin=300p Cjo=800p Is=1e-11)",
        )

    def _pnp(self, name: str) -> None:
        collector, base, emitter = (self.node(name, pin) for pin in ("C", "B", "E"))
        gain = self.values.pick("2N3906", "gain", name)
        saturation = self.values.pick("2N3906", "saturation_fa", name) * 1e-15
        self.line(
            f"Q{name} {collector} {base} {emitter} M{name}{self.warmth}",
            f".model M{name} PNP(Is={saturation:g} Bf={gain:g} Vaf=20 Cje=8p Cjc=9p Tf=0.2n Tr=30n Xtb=1.5)",
        )

    def _tl431(self, name: str) -> None:
        """Add the circuit inside a TL431, its input shifted by as much as that circuit's reference is off.

        What a data sheet does not promise, the current just below the reference above all, comes from the transistors.
        """
        model, values = self.values.model("TL431B"), self.values
        volts = model["reference_volts"] * (1 + model["reference_tolerance"] / 100 * values.off(f"{name}.reference"))
        volts += model["deviation_mv"] * 1e-3 * values.off(f"{name}.deviation")
        die = self.die(values, name)
        ref, anode, cathode = (self.node(name, pin) for pin in ("REF", "A", "K"))
        at = name.lower()
        self.line(
            *die.lines(at, f"{at}_in", anode, cathode, values.celsius),
            f"D{at} {anode} {cathode} {at}s temp={values.celsius:g}",
            f"C{at}1 {at}_two {at}_gain 20p ic=0",
            f"C{at}2 {at}_out {cathode} 20p ic=0",
            f"V{at}t {at}_in {ref} {die.reference() - volts:g}",
            *die.models(at),
        )

    @staticmethod
    def die(values: Values, name: str) -> Die:
        return Die(values.pick("TL431B", "minimum_ma", name), values.pick("TL431B", "reference_ua", name))


SHEET_CELSIUS = 25.0
_MINIMUM_MA, _REFERENCE_UA = 0.56, 220.0
"""What a die whose resistors are those of the drawing needs to regulate, and the current of its first transistor."""


@dataclass(frozen=True)
class Die:
    """The circuit in a TL431, written from the equivalent schematic of its data sheet: a follower at the reference pin,
    a cell of two currents 3 : 1 whose voltages cross at the reference, a mirror, and a Darlington pair as the output.

    All resistors are scaled so that it needs ``minimum_ma`` to regulate; its transistors' gain gives ``reference_ua``.
    """

    minimum_ma: float
    reference_ua: float

    def models(self, at: str) -> list[str]:
        scale = _MINIMUM_MA / self.minimum_ma
        gain = min(max(_REFERENCE_UA / scale / self.reference_ua, 50.0), 400.0)
        kinds = f"NPN(Is=2e-15 Bf={gain:g} Vaf=80 Xtb=1.5", "PNP(Is=1e-16 Bf=60 Vaf=60 Xtb=1.5"
        return [
            f".model {at}n {kinds[0]} Tf=0.3n Cje=1p Cjc=0.5p)",
            f".model {at}p {kinds[1]} Tf=20n Cje=1p Cjc=1p)",
            f".model {at}s D(Is=1e-14)",
        ]

    def reference(self) -> float:
        """Return the volts at which it regulates 10 mA at 25 °C, before it is trimmed."""
        if self not in _REFERENCES:
            regulate([self])
        return _REFERENCES[self]

    def lines(self, at: str, ref: str, anode: str, cathode: str, celsius: float) -> list[str]:
        scale, warm = _MINIMUM_MA / self.minimum_ma, f"temp={celsius:g}"
        x = {it: f"{at}_{it}" for it in ("follow", "top", "cell", "one", "two", "tail", "step", "gain", "copy", "left",
                                         "right", "out", "drive", "end")}  # fmt: skip
        transistors = (
            (cathode, ref, x["follow"], "n", 1.0),
            (x["copy"], x["follow"], x["step"], "n", 1.0),
            (x["one"], x["one"], anode, "n", 1.0),
            (x["two"], x["one"], x["tail"], "n", 1.92),
            (x["gain"], x["two"], anode, "n", 1.0),
            (x["out"], x["top"], anode, "n", 1.0),
            (x["copy"], x["copy"], x["left"], "p", 1.0),
            (x["out"], x["copy"], x["right"], "p", 1.0),
            (cathode, x["out"], x["drive"], "n", 2.0),
            (cathode, x["end"], anode, "n", 20.0),
        )
        resistors = (
            (x["step"], x["gain"], 4000.0),
            (x["follow"], x["cell"], 3280.0),
            (x["cell"], x["one"], 2400.0),
            (x["cell"], x["two"], 7200.0),
            (x["tail"], anode, 800.0),
            (x["one"], x["top"], 1000.0),
            (cathode, x["left"], 800.0),
            (cathode, x["right"], 800.0),
            (x["drive"], x["end"], 150.0),
            (x["end"], anode, 10000.0),
        )
        lines = [
            f"Q{at}{i} {collector} {base} {emitter} {at}{sort} {area:g} {warm}"
            for i, (collector, base, emitter, sort, area) in enumerate(transistors)
        ]
        lines += [f"R{at}{i} {one} {other} {ohms * scale:g}" for i, (one, other, ohms) in enumerate(resistors)]
        return lines


_REFERENCES: dict[Die, float] = {}


def regulate(dies: Iterable[Die]) -> None:
    """Find the references of many at once: one by one they take long."""
    new = sorted({it for it in dies if it not in _REFERENCES}, key=lambda it: (it.minimum_ma, it.reference_ua))
    if new:
        netlists = [
            [*it.lines("u", "k", "0", "k", SHEET_CELSIUS), *it.models("u"), "Vfeed feed 0 3", "Rfeed feed k 50.5"]
            for it in new
        ]
        circuits = Circuits(netlists, "Vfeed")
        volts = circuits.volts(circuits.solve(3.0), "k")
        _REFERENCES.update(zip(new, map(float, volts), strict=True))


_CHIPS: dict[str, Callable[[Netlist, str], None]] = {
    "LM393": Netlist._lm393,
    "MCP6002": Netlist._mcp6002,
    "74HC132": Netlist._hc132,
    "74AHCT125": Netlist._ahct125,
    "BPV10NF": Netlist._photodiode,
    "TSAL6100": Netlist._emitter,
    "BAT42": Netlist._small_diode,
    "1N4148": Netlist._small_diode,
    "1N5817": Netlist._schottky,
    "1.5KE6.8A": Netlist._suppressor,
    "TN0702N3": Netlist._switch,
    "SUP53P06-20": Netlist._guard,
    "2N3906": Netlist._pnp,
    "TL431B": Netlist._tl431,
}


def _clean(name: str) -> str:
    """A name that ngspice takes for nothing else."""
    text = name.replace("+", "plus").replace("/", "not_").replace("-", "minus")
    return re.sub(r"\W", "_", text).lower()
