"""One table of pins: whatever names a pin agrees with it, and a change in one place only is noticed."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from pins_of_firmware import firmware_pins

from hardware import HERE, check, nets
from sample import each
from tablier_fw import pins

TABLE = check.read_pins()
FIRMWARE = firmware_pins(pins)
DIAGRAM = json.loads((HERE / "wokwi/table/diagram.json").read_text(encoding="utf-8"))
NAMES = [pin["name"] for pin in TABLE]
WIRED = [pin["name"] for pin in TABLE if pin["gpio"] not in check.ON_BOARD]
SPARE = 21
"""A GPIO that nothing is wired to."""
SPARE_PIN = 27
"""Where that is on the Pico's header."""


def noticed(
    name: str,
    *,
    wiring: nets.Wiring,
    table: list[dict[str, Any]] = TABLE,
    firmware: dict[str, int] = FIRMWARE,
    diagram: dict[str, Any] = DIAGRAM,
) -> list[str]:
    """The faults that name this pin."""
    return [fault for fault in check.faults(table, firmware, wiring, diagram) if name in fault]


def test_all_agree(wiring: nets.Wiring) -> None:
    assert check.faults(TABLE, FIRMWARE, wiring, DIAGRAM) == []


@pytest.mark.parametrize("name", each(6, NAMES))
def test_a_change_in_the_table_only_is_noticed(name: str, wiring: nets.Wiring) -> None:
    changed = [dict(pin, gpio=SPARE) if pin["name"] == name else pin for pin in TABLE]
    assert noticed(name, wiring=wiring, table=changed)


@pytest.mark.parametrize("name", each(6, NAMES))
def test_a_change_in_the_firmware_only_is_noticed(name: str, wiring: nets.Wiring) -> None:
    assert noticed(name, wiring=wiring, firmware=FIRMWARE | {name: SPARE})


@pytest.mark.parametrize("name", each(6, WIRED))
def test_a_change_in_the_wiring_only_is_noticed(name: str, sheets: dict[str, nets.Sheet]) -> None:
    changed = copy.deepcopy(sheets)
    (entry,) = [it for it in changed["pico"]["connections"] if it[1] == name]
    entry[0]["A1"] = SPARE_PIN
    assert noticed(name, wiring=nets.Wiring(changed))


@pytest.mark.parametrize("name", each(6, WIRED))
def test_a_change_in_the_diagram_only_is_noticed(name: str, wiring: nets.Wiring) -> None:
    gpio = f"pico:GP{FIRMWARE[name]}"
    changed = copy.deepcopy(DIAGRAM)
    connection = next(it for it in changed["connections"] if it[0] == gpio)
    connection[0] = f"pico:GP{SPARE}"
    assert noticed(name, wiring=wiring, diagram=changed)


@pytest.mark.parametrize("name", each(6, WIRED))
def test_a_signal_that_is_left_out_is_noticed(name: str, wiring: nets.Wiring, sheets: dict[str, nets.Sheet]) -> None:
    assert noticed(name, wiring=wiring, table=[pin for pin in TABLE if pin["name"] != name])
    assert noticed(name, wiring=wiring, firmware={key: it for key, it in FIRMWARE.items() if key != name})
    undrawn = [it for it in DIAGRAM["connections"] if it[0] != f"pico:GP{FIRMWARE[name]}"]
    assert noticed(name, wiring=wiring, diagram=DIAGRAM | {"connections": undrawn})


def test_two_signals_that_change_places_are_noticed(wiring: nets.Wiring, sheets: dict[str, nets.Sheet]) -> None:
    changed = copy.deepcopy(sheets)
    one, other = changed["pico"]["connections"][:2]
    one[1], other[1] = other[1], one[1]
    assert noticed("ring_data", wiring=nets.Wiring(changed))
    assert noticed("places_data", wiring=nets.Wiring(changed))


def test_a_pin_whose_net_has_no_name_is_noticed(sheets: dict[str, nets.Sheet]) -> None:
    changed = copy.deepcopy(sheets)
    changed["pico"]["free"]["A1"].remove(SPARE_PIN)
    changed["panel"]["parts"]["A1"] = changed["pico"]["parts"]["A1"]
    changed["panel"]["connections"].append([{"A1": SPARE_PIN}, {"Q3": "D"}])
    assert any(f"GP{SPARE}" in fault for fault in check.faults(TABLE, FIRMWARE, nets.Wiring(changed), DIAGRAM))
