"""Netlists for ngspice: the components of the wiring with their values, and models for what is more than a value.

A node has the name of its net in the wiring, or of a pin on it. Transistors, diodes, the TL431 and the LM393 are
modelled by their junctions, at the table's temperature, the MCP6002 by a macro-model with transistors at its output.
The other chips are modelled by what their data sheets promise (thresholds, currents, speed): ``SIMULATION.md`` lists
those, with what they leave out.
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
        """Add the circuit inside an LM393, its inputs shifted by their offsets."""
        pick, celsius = self.values.pick, self.values.celsius
        supply, at = self.node(name, "8"), name.lower()
        self.line(*comparator_bias(at, supply, celsius))
        for inverting, other, out in COMPARATORS:
            who = f"{name}.{out}"
            comparator = Comparator(
                self.values.bias(who, inverting=True),
                self.values.bias(who, inverting=False),
                pick("LM393", "low_volts", who),
                pick("LM393", "sink_ma", who),
                pick("LM393", "response_us", who),
            )
            minus, plus, low = (self.node(name, pin) for pin in (inverting, other, out))
            here = f"{at}_{out}"
            self.line(
                *comparator.lines(here, at, minus, f"{here}_in", low, supply, celsius),
                f"V{here} {here}_in {plus} {self.values.offset(who):g}",
                f"B{here} {low} 0 I={self.values.output_leak(who):g}*tanh(max(V({low}),0)/0.05)",
                f"C{here} {low} 0 15p ic=0",
            )

    def _mcp6002(self, name: str) -> None:
        """Add both halves of an MCP6002, each a macro-model.

        Diodes at the inputs to both supplies; an input stage by its transconductance and the most that it gives, over
        a capacitor to the output; the output's two transistors, which give the current and reach the supplies as far
        as they do.
        """
        pick, supply, ground = self.values.pick, self.node(name, "8"), self.node(name, "4")
        warm = self.warmth
        self.line(
            f".model M{name}i D(Is=1e-13 Rs=100 Cjo=3p)",
            f"B{name} {supply} {ground} I=40u*tanh(max(V({supply},{ground}),0)/0.5)",
        )
        most, slew = pick("MCP6002", "output_ma", name) * 1e-3, pick("MCP6002", "slew_v_us", name) * 1e6
        siemens = 2 * pi * pick("MCP6002", "gain_bandwidth_mhz", name) * 1e6 * _MILLER_F
        gain = 2 * most / (_LOGIC_VOLTS - _OUTPUT_THRESHOLD) ** 2
        drive = _OUTPUT_THRESHOLD + (2 * _OUTPUT_IDLE_A / gain) ** 0.5
        for kind, sign in (("n", 1), ("p", -1)):
            self.line(
                f".model M{name}{kind} VDMOS({kind}chan Vto={sign * _OUTPUT_THRESHOLD:g} Kp={gain:g} Is=1e-14 "
                "Cgs=1p Cgdmax=0.1p Cgdmin=0.1p Cjo=1p)"
            )
        for inverting, other, out in COMPARATORS:
            at = f"{name}_{out}".lower()
            offset, tilt = self.values.amplifier_offset(f"{name}.{out}")
            minus, plus, end = (self.node(name, pin) for pin in (inverting, other, out))
            apart = f"V({minus})-V({plus})-({offset:g})-({tilt:g})*V({plus},{ground})"
            given = f"{slew * _MILLER_F:g}*tanh({siemens / (slew * _MILLER_F):g}*({apart}))"
            inner, rails = f"V({at}i,{ground})", f"V({supply},{ground})"
            for pin in (minus, plus):
                if pin != ground:
                    self.line(
                        f"D{at}u{pin} {pin} {supply} M{name}i{warm}", f"D{at}d{pin} {ground} {pin} M{name}i{warm}"
                    )
            self.line(
                f"B{at}i {ground} {at}i I={given}-(max({inner}-{rails},0)+min({inner}+{rails},0))",
                f"R{at}i {at}i {ground} {_GAIN / siemens:g}",
                f"C{at}i {at}i {end} {_MILLER_F:g} ic=0",
                f"B{at}n {at}n {ground} V=min(max({drive:g}+{inner},0),max({rails},0))",
                f"B{at}p {at}p {ground} V=min(max({rails}-{drive:g}+{inner},0),max({rails},0))",
                f"M{at}n {end} {at}n {ground} M{name}n{warm}",
                f"M{at}p {end} {at}p {supply} M{name}p{warm}",
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
        saturation = float(re.findall(r"Is=(\S+)", model["diode"])[0])
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


_LOGIC_VOLTS = 3.3
_MILLER_F = 10e-12
_GAIN = 2e4
"""Of the MCP6002's input stage; its output stage has some 20 more: 110 dB."""
_OUTPUT_THRESHOLD, _OUTPUT_IDLE_A = 0.6, 60e-6

_FOLLOWER_A, _TAIL_A = 4.5e-6, 100e-6
_AS_DRAWN_US = 1.42
"""The response of a comparator whose capacitances are those written below."""


def comparator_bias(at: str, supply: str, celsius: float) -> list[str]:
    """Return what both halves of an LM393 share: a junction FET that feeds a mirror."""
    return [
        f"J{at} {at}_ref 0 0 {at}j temp={celsius:g}",
        f".model {at}j NJF(Vto=-0.8 Beta={_TAIL_A / 0.64:g} Lambda=2m)",
        f"Q{at} {at}_ref {at}_ref {supply} {at}m temp={celsius:g}",
        f".model {at}m PNP(Is=1e-15 Bf=80 Vaf=50 Tf=20n Cje=0.5p Cjc=0.5p)",
    ]


@dataclass(frozen=True)
class Comparator:
    """Half of an LM393, written from the schematic of its data sheet: followers, a pair, a mirror, two transistors.

    All four of its inputs' transistors are PNP, so that it works from its lower supply to some 1.2 V below the upper
    one. The followers' gains give the input currents, in amperes; a resistor gives the volts of its output at 4 mA,
    the last transistor's gain the milliamperes that it can carry, all capacitances together the response.
    """

    inverting_a: float
    other_a: float
    low_volts: float
    sink_ma: float
    response_us: float

    def lines(self, at: str, bias: str, minus: str, plus: str, out: str, supply: str, celsius: float) -> list[str]:
        slow, warm, ref = self.response_us / _AS_DRAWN_US, f"temp={celsius:g}", f"{bias}_ref"
        x = {it: f"{at}_{it}" for it in ("left", "right", "tail", "mirror", "step", "gain", "end")}

        def follower(amperes: float) -> float:
            return max(_FOLLOWER_A / max(amperes, 1e-9) - 1, 1.0)

        lateral = f"Is=1e-15 Vaf=50 Tf={20 * slow:g}n Cje={0.5 * slow:g}p Cjc={0.5 * slow:g}p"
        vertical = f"Is=2e-15 Vaf=80 Tf={0.4 * slow:g}n Cje={slow:g}p Cjc={0.7 * slow:g}p"
        power = f"Is=2e-15 Vaf=80 Br=20 Tf={slow:g}n Tr={10 * slow:g}n Cje={5 * slow:g}p Cjc={2 * slow:g}p"
        transistors = (
            (x["tail"], ref, supply, "p", 1.0),
            (x["left"], ref, supply, "p", 0.04),
            (x["right"], ref, supply, "p", 0.04),
            (x["gain"], ref, supply, "p", 1.0),
            ("0", minus, x["left"], "l", 1.0),
            ("0", plus, x["right"], "r", 1.0),
            (x["step"], x["left"], x["tail"], "p", 1.0),
            (x["mirror"], x["right"], x["tail"], "p", 1.0),
            (x["mirror"], x["mirror"], "0", "n", 1.0),
            (x["step"], x["mirror"], "0", "n", 1.0),
            (x["gain"], x["step"], "0", "n", 1.0),
            (x["end"], x["gain"], "0", "o", 4.0),
        )
        return [
            f".model {at}p PNP({lateral} Bf=80)",
            f".model {at}l PNP({lateral} Bf={follower(self.inverting_a):g})",
            f".model {at}r PNP({lateral} Bf={follower(self.other_a):g})",
            f".model {at}n NPN({vertical} Bf=160)",
            f".model {at}o NPN({power} Bf={self.sink_ma * 1e-3 / _TAIL_A:g})",
            *(
                f"Q{at}{i} {collector} {base} {emitter} {at}{sort} {area:g} {warm}"
                for i, (collector, base, emitter, sort, area) in enumerate(transistors)
            ),
            f"R{at} {out} {x['end']} {max(self.low_volts - _SATURATED_VOLTS, 0.01) / 4e-3:g}",
        ]


_SATURATED_VOLTS = 0.06
"""Of the last transistor alone, at 4 mA."""

SHEET_CELSIUS = 25.0
_MINIMUM_MA, _REFERENCE_UA = 0.56, 220.0
"""Of a die with the drawing's resistors: the least to regulate with, and the current of its first transistor."""


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
