"""Compare the sources that name pins: ``pins.toml``, the firmware, the wiring, the diagram for Wokwi."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hardware import HERE, wokwi
from hardware.nets import Wiring

PICO = "A1"
"""The Pico in the wiring; the nets that lead from its GPIOs have the names of ``pins.toml``."""
ON_BOARD = (23, 25)
"""GPIOs that end on the Pico's own board: no wire leads there."""


def read_pins() -> list[dict[str, Any]]:
    pins: list[dict[str, Any]] = tomllib.loads((HERE / "pins.toml").read_text(encoding="utf-8"))["pin"]
    return pins


def faults(
    table: Sequence[Mapping[str, Any]], firmware: Mapping[str, int], wiring: Wiring, diagram: Mapping[str, Any]
) -> list[str]:
    """Return every disagreement, in words."""
    found = []
    for what in ("name", "gpio"):
        counted = Counter(pin[what] for pin in table)
        found += [f"{what} {value} stands {times} times in pins.toml" for value, times in counted.items() if times > 1]
    pins = {pin["name"]: pin["gpio"] for pin in table}
    found += _compare(pins, dict(firmware), "the firmware")
    found += _wiring_faults(pins, wiring)
    found += _diagram_faults(pins, diagram)
    return found


def _compare(pins: Mapping[str, int], other: Mapping[str, int], where: str) -> list[str]:
    found = []
    for name in sorted(pins.keys() | other.keys()):
        if name not in other:
            found.append(f"{name} (GP{pins[name]}) is not in {where}")
        elif name not in pins:
            found.append(f"{name} (GP{other[name]}) is in {where} and not in pins.toml")
        elif pins[name] != other[name]:
            found.append(f"{name} is GP{pins[name]} in pins.toml and GP{other[name]} in {where}")
    return found


def _wiring_faults(pins: Mapping[str, int], wiring: Wiring) -> list[str]:
    found, pico = list(wiring.problems), wiring.components[PICO]
    wired: dict[str, int] = {}
    for pin, label in zip(pico.pins, pico.labels, strict=True):
        net = wiring.net(PICO, pin)
        if not label.startswith("GP") or len(net.pins) < 2:
            continue
        names = sorted(net.names & pins.keys())
        if len(names) != 1:
            found.append(f"{label} is wired, and its net has {' and '.join(names) or 'none'} of the names in pins.toml")
        wired |= dict.fromkeys(names, int(label.removeprefix("GP")))
    return found + _compare({name: gpio for name, gpio in pins.items() if gpio not in ON_BOARD}, wired, "the wiring")


def _diagram_faults(pins: Mapping[str, int], diagram: Mapping[str, Any]) -> list[str]:
    found, drawn = [], {}
    for signal, gpios in wokwi.signals(diagram).items():
        if len(gpios) > 1:
            found.append(f"{signal} is on several pins in the diagram for Wokwi: {sorted(gpios)}")
        drawn[signal] = min(gpios)
    complete = {end for signal in wokwi.ENDS for end in wokwi.ENDS[signal]}
    connected = {end for one, other, *_ in diagram["connections"] for end in (one, other)}
    found += [f"{end} is not connected in the diagram for Wokwi" for end in sorted(complete - connected)]
    expected = {name: gpio for name, gpio in pins.items() if gpio not in ON_BOARD}
    return found + _compare(expected, drawn, "the diagram for Wokwi")
