"""Every active part at its worst corner, computed: what it carries or needs, beside what its data sheet allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hardware import supply
from hardware.spice.turn_on import OFF, ON
from hardware.spice.values import Values, corner

LOGIC = (3.2, 3.3, 3.4)
"""Volts of the Pico's 3V3."""
_HOT_OHMS = 1.5
"""Resistance of a hot MOSFET, as a multiple of that at 25 °C."""


@dataclass(frozen=True)
class Use:
    """One figure of a part at its worst corner, with the limit of its data sheet."""

    part: str
    what: str
    value: float
    unit: str
    limit: float
    most: bool = True
    """The limit is the most that is allowed; else the least."""

    @property
    def spare(self) -> float:
        """Return how much of the limit is left, in percent."""
        return 100 * (1 - self.value / self.limit if self.most else 1 - self.limit / self.value)


def uses(of: Callable[..., Values], budget: supply.Data, low_rail: float) -> list[Use]:
    """Return the worst of every active part; ``of`` makes values of deviations."""

    def at(name: str, sign: float) -> float:
        return of(corner({name: sign})).value(name)

    def model(kind: str) -> Any:
        return of().model(kind)

    volts, high = OFF[-1], ON[-1]
    tl, fet, small = model("TL431B"), model("SUP53P06-20"), model("TN0702N3")
    led, comparator, opamp = model("TSAL6100"), model("LM393"), model("MCP6002")
    pnp, npn, floor = model("2N3906"), model("2N3904"), model("TCRT5000")
    full = supply.through(budget, "F1", capped=True) / 1e3
    drop = full * (next(it for it in budget["fuse"] if it["designator"] == "F1")["ohms"] + fet["on_mohm"] * 1e-3)
    cathode = 1e3 * (volts - 0.6 - 1.9) / at("R30", -1)
    base = 1e3 * (volts - 0.6 - 1.9) / at("R30", -1) - 1e3 * 0.5 / at("R31", 1)
    # Just above the reference: the least voltage that closes the guard, a cathode that goes no lower than 2.5 V.
    spare_base = 1e3 * ((5.25 - 0.9 - 2.5) / at("R30", 1) - 0.9 / at("R31", -1))
    emitter = 1e3 * (high - led["volts"][0]) / at("B1_R1", -1)
    floor_led = 1e3 * (high - 1.1) / at("R10", -1)
    reference = LOGIC[2] / 2
    buzzer = 1e3 * (LOGIC[0] - 0.2 - 0.9) / at("R8", 1)
    return [
        Use("U9", f"cathode current, {volts:g} V plugged in", cathode, "mA", tl["cathode_ma"]),
        Use(
            "U9",
            f"into its reference pin, {volts:g} V plugged in",
            1e3 * (volts - 2.7) / at("R28", -1),
            "mA",
            tl["reference_ma"],
        ),
        Use(
            "U9, R31", "volts at Q7 while U9 draws 1 mA for itself", tl["minimum_ma"][2] * at("R31", 1) / 1e3, "V", 0.5
        ),
        Use("R30", f"{volts:g} V plugged in", (volts - 0.6 - 1.9) ** 2 / at("R30", -1), "W", model("820 Ω")["watts"]),
        Use("Q7", f"base current, {volts:g} V plugged in", base, "mA", pnp["collector_ma"]),
        Use(
            "Q7",
            "base current when the guard closes, of what the gates need",
            spare_base,
            "mA",
            1e3 * 6 / at("R32", -1) / pnp["gain"][0],
            most=False,
        ),
        Use("Q5, Q6", "each, full load, hot", full**2 * fet["on_mohm"] * 1e-3 * _HOT_OHMS, "W", fet["watts"]),
        Use(
            "Q5, Q6",
            f"gate drive, {ON[0]:g} V at the plug, full load",
            ON[0] - drop,
            "V",
            fet["on_at_volts"],
            most=False,
        ),
        Use("Q1, Q2", "four emitters at once", 4 * emitter, "mA", small["most_ma"]),
        Use("Q1, Q2", "held on, hot", (4e-3 * emitter) ** 2 * small["on_ohm"][2] * _HOT_OHMS, "W", small["watts"]),
        Use("Q1 to Q3", "gate drive by the Pico", LOGIC[0] - 0.1, "V", small["on_at_volts"], most=False),
        Use("Q3", "two emitters of the floor", 2 * floor_led, "mA", small["most_ma"]),
        Use("B1_D1 …", "current of an emitter, held on", emitter, "mA", led["most_ma"]),
        Use("B1_R1 …", "held on, as in step 16", (1e-3 * emitter) ** 2 * at("B1_R1", -1), "W", 0.25),
        Use("B1_D3 …", "reverse voltage of a receiver", LOGIC[2], "V", model("BPV10NF")["most_volts"]),
        Use(
            "B1_U1 …",
            "threshold, of what its inputs take, warm, rail low",
            reference,
            "V",
            low_rail - comparator["common_mode_below_volts"],
        ),
        Use(
            "B1_U1 …",
            "current into its output while low",
            1e3 * LOGIC[2] / at("B1_R9", -1) + 1e3 * LOGIC[2] / at("B1_R7", -1),
            "mA",
            comparator["sink_ma"][0],
        ),
        Use(
            "B1_U1 …",
            "high, its output leaking, of what the Pico needs",
            LOGIC[0] - comparator["output_leak_na"][2] * 1e-9 * 8 * at("B1_R9", 1),
            "V",
            model("Raspberry Pi Pico")["high_volts"],
            most=False,
        ),
        Use(
            "U7",
            "window's upper end, of what its inputs take, warm, rail low",
            LOGIC[2] / 2 + 0.3,
            "V",
            low_rail - comparator["common_mode_below_volts"],
        ),
        Use(
            "U7",
            "to empty C6, of the shortest stretch",
            1e3 * of(corner({"C6": 1.0})).value("C6") * LOGIC[2] / (comparator["sink_ma"][0] * 1e-3),
            "ms",
            4.0,
        ),
        Use(
            "U6",
            "bandwidth at a gain of 11, of the disc's resonance",
            1e3 * opamp["gain_bandwidth_mhz"][0] / 11,
            "kHz",
            1e-3 * model("piezo disc")["resonance_hz"],
            most=False,
        ),
        Use(
            "U6",
            "slope of a full swing at the disc's resonance",
            6.28 * model("piezo disc")["resonance_hz"] * LOGIC[1] / 2 * 1e-6,
            "V/µs",
            opamp["slew_v_us"][0],
        ),
        Use(
            "U6",
            "output current: VBIAS, a blow that is clamped",
            1e3 * 1.7 / at("R15", -1) + 1e3 * 1.7 / at("R16", -1),
            "mA",
            opamp["output_ma"][0],
        ),
        Use(
            "U5",
            "high at its inputs, of what it needs",
            LOGIC[0] - 0.4,
            "V",
            model("74AHCT125")["high_volts"],
            most=False,
        ),
        Use(
            "Q4",
            "collector current it is able to, of R9's",
            buzzer * npn["gain"],
            "mA",
            1e3 * high / at("R9", -1),
            most=False,
        ),
        Use("D2", "the Pico and all that its 3.3 V feeds", 0.12 + 0.3, "A", model("1N5817")["most_a"]),
        Use("D1", "the rail, below where it begins to conduct", OFF[0], "V", model("1.5KE6.8A")["breakdown_volts"][0]),
        Use("OS1, OS2", "current of an emitter", floor_led, "mA", floor["most_ma"]),
        Use(
            "OS1, OS2",
            "collector current, white paper 12 mm away, of what R12 feeds",
            floor["collector_ma"][0] * floor_led * 0.85 / 10,
            "mA",
            1e3 * LOGIC[2] / at("R12", -1),
            most=False,
        ),
        Use(
            "A1",
            "from its 3.3 V",
            sum(it["milliamps"] for it in budget["low_volts"]),
            "mA",
            budget["low_volts_limit"]["milliamps"],
        ),
    ]


IDEAL = {
    "74HC132": (
        "two thresholds a gate, anything that the sheet allows, interpolated between 2 V and 4.5 V; 80 Ω at its output",
        "rising 0.7 to 1.5 V at 2 V, 1.55 to 3.15 V at 4.5 V; falling 0.3 to 1.0 V and 0.9 to 2.45 V",
        "its supply current while an input is between (some mA: less than 300 mA of the Pico's 3.3 V)",
    ),
    "74AHCT125": (
        "a threshold of 1.5 V, 15 to 40 Ω at its output, edges of 3 ns",
        "low below 0.8 V, high above 2.0 V: the Pico gives less than 0.4 V and more than 2.8 V",
        "its delay (8.5 ns at most), alike for both edges of a bit within 1 ns or two",
    ),
    "BPV10NF": (
        "a diode, and a current that follows its light",
        "30 to 90 µA at 1 mW/cm² (the most is assumed), dark 1 to 5 nA, 11 pF",
        "its rise time, 2.5 ns at 50 Ω; the current of a room in the sun, beyond 3.3 V / 100 kΩ",
    ),
    "TSAL6100": (
        "a diode of the sheet's voltage at 100 mA, light in proportion to its current",
        "80 to 400 mW/sr at 100 mA, 1.2 to 1.6 V, a fifth lost over its life, -0.6 % a kelvin",
        "a beam that is not round: the bores hide all but its middle",
    ),
    "TCRT5000": (
        "not simulated",
        "0.5 to 2.1 mA at 10 mA and 12 mm from white paper; nothing is given for other distances but a typical"
        " curve, nothing for backs of cards",
        "whether a black back is seen: the self-test and `tablier table calibrate` measure it",
    ),
    "WS2812B 30/m": (
        "a capacitance, and a threshold of 0.7 of its supply; its output as 25 Ω and 3 ns",
        "makers differ: high above 0.7 of its supply or 2.7 V, low below 0.3 or 0.7 V; 12 to 20 mA a colour",
        "its current's steps on the leads: the capacitors at ring and places are for them",
    ),
    "Raspberry Pi Pico": (
        "levels and a capacitance at its pins, 3.2 to 3.4 V at 3V3",
        "low below 0.8 V, high above 2.0 V; pulls of 50 to 80 kΩ",
        "its converter's ripple; the firmware averages",
    ),
}
"""By part: the ideal element that stands for it, its data sheet's worst on both sides, and what that leaves out."""

INSIDES = {
    "LM393": "twelve transistors a comparator and what both share, by its data sheet's schematic; offset, input"
    " currents, output, response at both ends of the sheet; its output leaks up to"
    " 50 nA, doubled every 10 K",
    "MCP6002": "a macro-model: input diodes, a stage with slew and one pole, two transistors as its output; offset"
    " ±4.5 mV, common mode 60 dB; where the sheet has typical figures alone, half less and half more",
    "TL431B": "ten transistors of its data sheet's schematic, trimmed to its reference; needs 0.25 to 1 mA to regulate",
    "2N3906": "Gummel and Poon's equations; gain 60 to 300, saturation current 0.7 to 10 fA",
    "SUP53P06-20": "VDMOS, threshold 1 to 3 V, 25 mΩ at 4.5 V",
    "TN0702N3": "VDMOS, threshold 0.5 to 1 V, 1 to 2.5 Ω at 3 V",
    "1N4148": "the diode's equation, and a leak of its own up to the sheet's most, doubled every 10 K",
    "BAT42": "the same",
    "1N5817": "the diode's equation",
    "1.5KE6.8A": "the diode's equation, breakdown 6.45 to 7.14 V",
}
"""By part: how its junctions and channels are modelled, at the table's temperature."""
