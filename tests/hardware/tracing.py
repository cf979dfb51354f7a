"""Find the function of each pin of the Pico by following wires through the chips, not by the names of signals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hardware import nets

PICO, SHIFTER, CHIP, PIXELS = "A1", "74AHCT125", "74HC165", "WS2812B"
GATES = {"2": ("1", "3"), "5": ("4", "6"), "9": ("10", "8"), "12": ("13", "11")}
"""Of a 74AHCT125: input → output enable, output."""
INPUTS = ("6", "5", "4", "3", "14", "13", "12", "11")
"""Of a 74HC165: H to A, as they are shifted out."""
COMPARATORS = {"1": ("2", "3"), "7": ("6", "5")}
"""Of an LM393: output → inverting input, other input."""


class Tracer:
    def __init__(self, wiring: nets.Wiring) -> None:
        self.wiring = wiring

    def kind(self, component: str) -> str:
        return self.wiring.components[component].kind

    def net(self, component: str, pin: str | int) -> nets.Net:
        return self.wiring.net(component, pin)

    def on(self, net: nets.Net, kind: str, pin: str | None = None) -> list[nets.Pin]:
        """The (component, pin) of that kind on a net."""
        return sorted(
            (name, at) for name, at in net.pins if self.kind(name).startswith(kind) and (pin is None or at == pin)
        )

    def the(self, net: nets.Net, kind: str, pin: str | None = None) -> nets.Pin:
        """The only one."""
        found = self.on(net, kind, pin)
        assert len(found) == 1, f"{found} instead of one {kind} on a net with {sorted(net.pins)[:6]}"
        return found[0]

    def is_rail(self, net: nets.Net, rail: str) -> bool:
        return net is self.wiring.named(rail)

    def across(self, net: nets.Net) -> Iterator[tuple[str, nets.Net]]:
        """The nets at the other ends of the resistors of a net, with the resistors' values."""
        for name, pin in sorted(net.pins):
            if self.kind(name).endswith("Ω") and len(self.wiring.components[name].pins) == 2:
                other = next(it for it in self.wiring.components[name].pins if it != pin)
                yield self.kind(name), self.net(name, other)

    def grounded(self, net: nets.Net, kind: str) -> bool:
        """Return True if a capacitor of this kind leads from a net to ground."""
        ends = [(name, "2" if pin == "1" else "1") for name, pin in self.on(net, kind)]
        return any(self.is_rail(self.net(name, far), "GND") for name, far in ends)

    # -- pixels ------------------------------------------------------------------------------------------------

    def chain(self, gpio: int) -> list[tuple[str, int]]:
        """The strips of pixels behind a pin, as (component, how many), in order."""
        start = self.net(PICO, f"GP{gpio}")
        name, pin = self.the(start, SHIFTER)
        enable, output = GATES[pin]
        assert self.is_rail(self.net(name, enable), "GND"), "the gate of the level shifter is off"
        assert any(self.is_rail(far, "GND") for _, far in self.across(start)), "nothing keeps the pixels dark"
        strips = []
        strip = self._next(self.net(name, output))
        while strip:
            strips.append((strip, int(self.wiring.components[strip].subtype.split()[0])))
            assert len(strips) <= 20, "the chain of pixels is a circle"
            strip = self._next(self.net(strip, "DOUT"))
        return strips

    def _next(self, net: nets.Net) -> str | None:
        assert not any(self.is_rail(net, rail) for rail in ("GND", "3V3", "5V", "5V_RING")), "data lie on a rail"
        nets = [net] + [far for _, far in self.across(net)]
        found = [name for it in nets for name, pin in self.on(it, PIXELS) if self._label(name, pin) == "DIN"]
        assert len(found) <= 1, f"one output feeds {found}"
        return found[0] if found else None

    def _label(self, component: str, pin: str) -> str:
        return self.wiring.components[component].label(pin)

    # -- buttons -----------------------------------------------------------------------------------------------

    def inputs(self, gpio: int) -> list[tuple[int, int] | bool]:
        """Return the inputs shifted in from a pin, in order: (place, button from 0), or a bool for a fixed level."""
        first, pin = self.the(self.net(PICO, f"GP{gpio}"), CHIP)
        assert pin == "9"
        chip: str | None = first
        seen: list[tuple[int, int] | bool] = []
        while chip:
            seen += [self._input(chip, it) for it in INPUTS]
            before = self.on(self.net(chip, "10"), CHIP, "9")
            chip = before[0][0] if before else None
        return seen

    def _input(self, chip: str, pin: str) -> tuple[int, int] | bool:
        net = self.net(chip, pin)
        if self.is_rail(net, "3V3") or self.is_rail(net, "GND"):
            return self.is_rail(net, "3V3")
        assert len(net.pins) == 2, "something is between the chip and its series resistor"
        network, end = self.the(net, "8 × 4.7 kΩ")
        net = self.net(network, str(17 - int(end)))
        assert any(self.is_rail(self.net(name, 1), "3V3") for name, _ in self.on(net, "8 × 10 kΩ")), "no pull-up"
        name, contact = self.the(net, "button")
        assert self.is_rail(self.net(name, "2" if contact == "1" else "1"), "GND")
        assert self.grounded(net, "10 nF"), "nothing takes a spark"
        place, switch = name.split("_SW")
        return int(place.removeprefix("P")), int(switch) - 1

    def chips(self, gpio: int, pin: str) -> list[str]:
        """The 74HC165 that have this pin on a pin of the Pico."""
        return [name for name, _ in self.on(self.net(PICO, f"GP{gpio}"), CHIP, pin)]

    # -- arena -------------------------------------------------------------------------------------------------

    def receiver(self, gpio: int) -> tuple[str, str]:
        """(board, photodiode) behind an input. High is broken: the light is at the inverting input."""
        net = self.net(PICO, f"GP{gpio}")
        name, pin = self.the(net, "LM393")
        inverting, other = COMPARATORS[pin]
        assert any(value == "4.7 kΩ" and self.is_rail(far, "3V3") for value, far in self.across(net)), "no pull-up"
        assert any(far is self.net(name, other) for value, far in self.across(net)), "no hysteresis"
        diode, end = self.the(self.net(name, inverting), "BPV10NF")
        assert end == "A" and self.is_rail(self.net(diode, "K"), "3V3"), "the photodiode is the wrong way round"
        assert any(self.is_rail(far, "GND") for _, far in self.across(self.net(diode, "A"))), "no load"
        return diode.split("_")[0], diode

    def switch(self, gpio: int) -> nets.Net:
        """The net that an output pulls down through its transistor while it is high; off while the Pico starts."""
        net = self.net(PICO, f"GP{gpio}")
        name, pin = self.the(net, "TN0702N3")
        assert pin == "G" and self.is_rail(self.net(name, "S"), "GND")
        assert any(self.is_rail(far, "GND") for _, far in self.across(net)), "the gate floats"
        return self.net(name, "D")

    def emitters(self, gpio: int) -> list[str]:
        """The infrared emitters that an output switches."""
        found = self.on(self.switch(gpio), "TSAL6100", "K")
        for name, _ in found:
            assert any(self.is_rail(far, "5V_SENS") for _, far in self.across(self.net(name, "A"))), "no resistor"
        return [name for name, _ in found]

    def floor(self, gpio: int) -> str:
        """The sensor in the floor behind an analogue input: lower, the more it sees."""
        net = self.net(PICO, f"GP{gpio}")
        name, pin = self.the(net, "TCRT5000")
        assert pin == "C" and self.net(name, "E") is self.net(PICO, "AGND")
        assert any(self.is_rail(far, "3V3") for _, far in self.across(net)), "no load"
        return name

    def floor_emitters(self, gpio: int) -> list[str]:
        return [name for name, _ in self.on(self.switch(gpio), "TCRT5000", "K")]

    def latch(self, gpio: int, clear: int) -> str:
        """The chip that is the latch: two gates in a circle, set by the comparators, cleared through a third."""
        name, _ = self.the(self.net(PICO, f"GP{gpio}"), "74HC132", "3")
        assert self.net(name, "4") is self.net(name, "3"), "the second gate does not see the first"
        assert self.net(name, "2") is self.net(name, "6"), "the first gate does not see the second"
        assert self.net(name, "5") is self.net(name, "8"), "the clear line does not reach the second gate"
        assert self.net(name, "9") is self.net(name, "10") is self.net(PICO, f"GP{clear}")
        assert any(self.is_rail(far, "GND") for _, far in self.across(self.net(PICO, f"GP{clear}"))), "clear floats"
        hit = self.net(name, "1")
        assert self.on(hit, "47 nF") and any(self.is_rail(far, "3V3") for _, far in self.across(hit)), "no stretch"
        window = [far for value, far in self.across(hit) if value == "220 Ω"]
        assert [pin for far in window for _, pin in self.on(far, "LM393")] == ["1", "7"], "no window"
        return name

    def buzzer(self, gpio: int) -> str:
        (base,) = [far for _, far in self.across(self.net(PICO, f"GP{gpio}"))]
        name, pin = self.the(base, "2N3904")
        assert pin == "B" and self.is_rail(self.net(name, "E"), "GND")
        buzzer, end = self.the(self.net(name, "C"), "passive buzzer")
        assert end == "-" and self.is_rail(self.net(buzzer, "+"), "5V")
        assert any(self.is_rail(far, "5V") for _, far in self.across(self.net(name, "C"))), "nothing discharges it"
        return buzzer

    def wave(self, gpio: int) -> str:
        """The amplifier whose output an analogue input sees through a resistor."""
        (output,) = [far for value, far in self.across(self.net(PICO, f"GP{gpio}")) if value == "1 kΩ"]
        name, pin = self.the(output, "MCP6002")
        assert pin == "1"
        assert sorted(pin for _, pin in self.on(output, "LM393")) == ["2", "5"], "not what the window sees"
        return name

    def to_ground(self, net: nets.Net) -> str:
        """The button that connects a pin of the Pico to ground, through the resistor that a spark must pass."""
        (wire,) = [far for value, far in self.across(net) if value == "1 kΩ"]
        assert self.grounded(wire, "100 nF"), "nothing takes a spark"
        name, contact = self.the(wire, "button")
        assert self.is_rail(self.net(name, "2" if contact == "1" else "1"), "GND")
        return name

    def halved(self, net: nets.Net) -> str:
        """The rail of which a pin of the Pico sees half."""
        (one, rail), (other, ground) = sorted(self.across(net), key=lambda end: self.is_rail(end[1], "GND"))
        assert self.is_rail(ground, "GND") and one == other
        (name,) = [name for name in ("5V", "5V_RING", "5V_SENS") if self.is_rail(rail, name)]
        return name

    # -- everything --------------------------------------------------------------------------------------------

    def everything(self, gpios: Mapping[str, int]) -> dict[str, Any]:
        """By signal: what its pin does. ``gpios`` are the firmware's."""
        return {
            "ring": self.chain(gpios["ring_data"]),
            "places": self.chain(gpios["places_data"]),
            "inputs": self.inputs(gpios["buttons_data"]),
            "clock": self.chips(gpios["buttons_clock"], "2"),
            "load": self.chips(gpios["buttons_load"], "1"),
            "receivers": [self.receiver(gpios[f"beam_{tier}_{n}"]) for tier in ("low", "rim") for n in range(1, 5)],
            "low": self.emitters(gpios["emit_low"]),
            "rim": self.emitters(gpios["emit_rim"]),
            "latch": self.latch(gpios["impact"], gpios["impact_clear"]),
            "offer": self.floor(gpios["floor_offer"]),
            "pile": self.floor(gpios["floor_pile"]),
            "wave": self.wave(gpios["impact_wave"]),
            "floor": self.floor_emitters(gpios["emit_floor"]),
            "buzzer": self.buzzer(gpios["buzzer"]),
            "service": self.to_ground(self.net(PICO, f"GP{gpios['service']}")),
            "power": self.halved(self.net(PICO, f"GP{gpios['power']}")),
        }
