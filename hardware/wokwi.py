"""The table in Wokwi's browser simulator: ``wokwi/table/diagram.json``, laid out here from ``pins.toml``.

It is a stand-in, not the wiring: no level shifter, no comparators, no supply. A beam is a NAND gate (a receiver is
high unless its emitter is on and nothing is in the way) with a slide switch for the card; the latch is a flip-flop
with set and reset; the floor's sensors are potentiometers, which cannot follow the emitters, and so is the piezo disc.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

PATTERN = "10100110"
"""The spare inputs of the chain, as they come out: from D7 of the first chip to D0."""
_BUTTONS = (("minus", "white"), ("plus", "white"), ("a", "orange"), ("b", "green"))

ENDS = {
    "ring_data": ["ring:DIN"],
    "places_data": ["public1:DIN"],
    "buttons_clock": ["u1:CP", "u2:CP", "u3:CP", "u4:CP"],
    "buttons_load": ["u1:PL", "u2:PL", "u3:PL", "u4:PL"],
    "buttons_data": ["u4:Q7"],
    **{f"beam_{tier}_{n}": [f"{tier}{n}:OUT"] for tier in ("low", "rim") for n in range(1, 5)},
    "impact": ["latch:Q"],
    "impact_clear": ["latch:R"],
    "emit_low": [f"low{n}:A" for n in range(1, 5)],
    "emit_rim": [f"rim{n}:A" for n in range(1, 5)],
    "buzzer": ["buzzer:2"],
    "service": ["service:1.l"],
    "power": ["supply:2"],
    "emit_floor": ["floorled:A"],
    "floor_offer": ["offer:SIG"],
    "floor_pile": ["pile:SIG"],
    "impact_wave": ["wave:SIG"],
}
"""By signal: what it leads to. The signals of the Pico's own board (GP23, GP25) lead nowhere."""


def diagram(pins: Mapping[str, int]) -> str:
    """Return the diagram for these pins (signal → GPIO), as Wokwi reads it."""
    parts, connections = list(_parts()), list(_fixed())
    for signal, ends in ENDS.items():
        connections += [[f"pico:GP{pins[signal]}", end, "blue", []] for end in ends]
    content = {"version": 1, "author": "Tablier", "editor": "wokwi", "parts": parts, "connections": connections}
    return dumps(content | {"dependencies": {}})


def signals(diagram: Mapping[str, Any]) -> dict[str, set[int]]:
    """Return the GPIOs of each signal of a diagram, by what they lead to. Unknown ends are signals of their own."""
    of = {end: signal for signal, ends in ENDS.items() for end in ends}
    found: dict[str, set[int]] = {}
    for one, other, *_ in diagram["connections"]:
        for pin, end in ((one, other), (other, one)):
            if pin.startswith("pico:GP"):
                found.setdefault(of.get(end, end), set()).add(int(pin.removeprefix("pico:GP")))
    return found


def _part(kind: str, name: str, x: float, y: float, **attributes: str) -> dict[str, Any]:
    return {"type": f"wokwi-{kind}", "id": name, "top": y, "left": x, "attrs": attributes}


def _parts() -> Iterator[dict[str, Any]]:
    yield _part("pi-pico", "pico", 0, 0)
    yield _part("led-ring", "ring", 190, -160, pixels="32")
    for chip in range(1, 5):
        yield _part("74hc165", f"u{chip}", -380, 60 * chip - 120)
    for place in range(1, 7):
        y = 240 + 90 * place
        yield _part("neopixel", f"public{place}", -60, y)
        yield _part("led-strip", f"hood{place}", 0, y, pixels="5")
        for index, (name, colour) in enumerate(_BUTTONS):
            x = -420 + 85 * index
            yield _part("pushbutton", f"p{place}{name}", x, y, color=colour, label=f"{place} {name}")
            yield _part("resistor", f"p{place}{name}up", x, y - 15, value="10000")
    for tier, x in (("low", 480), ("rim", 720)):
        for n in range(1, 5):
            yield _part("gate-nand-2", f"{tier}{n}", x, 60 * n - 120)
            yield _part("slide-switch", f"card{tier}{n}", x + 120, 60 * n - 115, value="1")
    yield _part("flip-flop-dsr", "latch", 480, 200)
    yield _part("pushbutton", "hit", 620, 200, color="red", label="impact", bounce="0")
    yield _part("resistor", "hitdown", 720, 240, value="10000")
    yield _part("buzzer", "buzzer", 480, 300)
    yield _part("pushbutton", "service", 620, 300, color="black", label="service")
    yield _part("slide-switch", "supply", 720, 300, value="1")
    yield _part("led", "floorled", 480, 420, color="red")
    yield _part("resistor", "floordown", 540, 450, value="180")
    yield _part("potentiometer", "offer", 620, 400)
    yield _part("potentiometer", "pile", 740, 400)
    yield _part("potentiometer", "wave", 620, 500)


def _fixed() -> Iterator[list[Any]]:
    """Everything but the Pico's signals: supply, ground, chains."""

    def wire(one: str, other: str, colour: str = "green") -> list[Any]:
        return [one, other, colour, []]

    high, ground, five = "pico:3V3", "pico:GND.1", "pico:VBUS"
    yield wire("ring:VCC", five, "red")
    yield wire("ring:GND", ground, "black")
    for chip in range(1, 5):
        yield wire(f"u{chip}:VCC", high, "orange")
        yield wire(f"u{chip}:GND", ground, "black")
        yield wire(f"u{chip}:CE", ground, "black")
        yield wire(f"u{chip}:DS", f"u{chip - 1}:Q7" if chip > 1 else ground, "green" if chip > 1 else "black")
    for index, level in enumerate(PATTERN):
        yield wire(f"u1:D{7 - index}", *((high, "orange") if level == "1" else (ground, "black")))
    chain = [f"public{place}" for place in range(1, 7)] + [f"hood{place}" for place in range(1, 7)]
    for place in range(1, 7):
        for name in (f"public{place}", f"hood{place}"):
            yield wire(f"{name}:VDD", five, "red")
            yield wire(f"{name}:VSS", ground, "black")
        for index, (name, _) in enumerate(_BUTTONS):
            bit = 4 * (place - 1) + index  # as the firmware counts them; the first to come out is D7 of the last chip
            yield wire(f"p{place}{name}:1.l", f"u{4 - bit // 8}:D{7 - bit % 8}")
            yield wire(f"p{place}{name}:2.l", ground, "black")
            yield from _pull_up(f"p{place}{name}", high)
    for one, other in pairwise(chain):
        yield wire(f"{one}:DOUT", f"{other}:DIN")
    for tier in ("low", "rim"):
        for n in range(1, 5):
            yield wire(f"card{tier}{n}:1", ground, "black")
            yield wire(f"card{tier}{n}:2", f"{tier}{n}:B")
            yield wire(f"card{tier}{n}:3", high, "orange")
    yield wire("latch:D", ground, "black")
    yield wire("latch:CLK", ground, "black")
    yield wire("hit:1.l", high, "orange")
    yield wire("hit:2.l", "latch:S")
    yield wire("hitdown:1", "latch:S")
    yield wire("hitdown:2", ground, "black")
    yield wire("buzzer:1", ground, "black")
    yield wire("service:2.l", ground, "black")
    yield wire("supply:1", ground, "black")
    yield wire("supply:3", high, "orange")
    yield wire("floorled:C", "floordown:1")
    yield wire("floordown:2", ground, "black")
    for name in ("offer", "pile", "wave"):
        yield wire(f"{name}:VCC", high, "orange")
        yield wire(f"{name}:GND", ground, "black")


def _pull_up(button: str, high: str) -> Iterator[list[Any]]:
    yield [f"{button}up:1", f"{button}:1.r", "green", []]
    yield [f"{button}up:2", high, "orange", []]


def dumps(content: Mapping[str, Any]) -> str:
    """JSON with one part and one connection a line, so that changes can be read."""
    lines = ["{"]
    for key, value in content.items():
        if isinstance(value, list):
            items = ",\n".join("    " + json.dumps(item) for item in value)
            lines.append(f'  "{key}": [\n{items}\n  ],')
        else:
            lines.append(f'  "{key}": {json.dumps(value)},')
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])
