"""The starter: what its page says, wire by wire, is what the firmware reads, within what USB gives."""

from __future__ import annotations

import ast
import copy
import json

import pytest
from wokwi_parts import PINS_OF

from hardware import HERE, check, starter
from sample import each
from tablier_fw import equipment, pins, wire

DATA = starter.read()
PINS = check.read_pins()
WIRES = [laid for step in starter.wires(DATA) for laid in step]
DIAGRAM = json.loads((HERE / "wokwi/diagram.json").read_text(encoding="utf-8"))


def test_its_nets_are_those_of_the_pins() -> None:
    assert starter.faults(DATA, PINS) == []
    assert DATA["places"] == equipment.STARTER_PLACES.bit_count() and DATA["ring"] == equipment.STARTER_RING


@pytest.mark.parametrize("number", each(6, [laid.number for laid in WIRES]))
def test_a_wire_that_is_left_out_or_one_row_off_is_noticed(number: int) -> None:
    for end in (1, 2, None):
        changed = copy.deepcopy(DATA)
        count = 0
        for step in changed["step"]:
            for at, text in enumerate(step["wires"]):
                count += 1
                if count == number:
                    words = text.split()
                    if end is None:
                        del step["wires"][at]
                        break
                    if words[end][0] == "-":
                        words[end] = "+" + words[end][1:]
                    else:
                        words[end] = f"{words[end][0]}{int(words[end][1:]) + 1}"
                    step["wires"][at] = " ".join(words)
        assert starter.faults(changed, PINS), (number, end)


def test_a_diode_the_wrong_way_round_is_noticed() -> None:
    changed = copy.deepcopy(DATA)
    (diode,) = [part for part in changed["part"] if part["name"] == "D1"]
    diode["legs"] = {"A": diode["legs"]["K"], "K": diode["legs"]["A"]}
    assert starter.faults(changed, PINS)


def test_two_things_in_one_hole_are_noticed() -> None:
    changed = copy.deepcopy(DATA)
    changed["step"][1]["wires"].append("red j1 i23")
    assert any("takes" in fault for fault in starter.faults(changed, PINS))


def test_the_firmware_allows_what_usb_gives() -> None:
    text = (HERE.parent / "firmware/tablier_fw/pico/pixels.py").read_text(encoding="utf-8")
    caps: dict[str, int] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            names = [target.id for target in node.targets[0].elts if isinstance(target, ast.Name)]
            caps |= dict(zip(names, ast.literal_eval(node.value), strict=True))
    places = DATA["places"]
    lit = caps["STARTER_RING_MA"] + places * (caps["STARTER_PUBLIC_MA"] + caps["STARTER_HOOD_MA"])
    assert lit == DATA["usb"]["lit"]
    assert DATA["usb"]["pico"] + lit + 60 * DATA["usb"]["dark_pixel"] <= DATA["usb"]["gives"] == 500


def test_it_costs_about_35_euros() -> None:
    assert 25 < sum(part["count"] * part["price"] for part in DATA["bill"]) < 38


def test_the_page_has_its_tables_of_today_and_a_check_after_each_step() -> None:
    text = starter.PAGE.read_text(encoding="utf-8")
    assert starter.page(text, DATA) == text, "run: python -m hardware.draw"
    for number, step in enumerate(DATA["step"], 1):
        title = step["title"].replace("The Pico, alone", "The Pico alone")
        assert f"## {number}. {title}" in text
        assert text.partition(f"## {number}. {title}")[2].count(f"wires-{number} -->") == bool(step["wires"])


def test_the_project_for_wokwi_is_the_starter() -> None:
    kinds = {part["id"]: part["type"] for part in DIAGRAM["parts"]}
    joined: dict[str, set[str]] = {}
    for one, other, *_ in DIAGRAM["connections"]:
        for end in (one, other):
            part, _, pin = end.partition(":")
            assert pin in PINS_OF[kinds[part]], end
        joined.setdefault(one, set()).add(other)
    (strip,) = [part for part in DIAGRAM["parts"] if part["id"] == "strip"]
    assert int(strip["attrs"]["pixels"]) == 36 and joined["pico:VBUS"] == {"strip:VDD"}
    for place in (1, 2):
        for number, button in enumerate(wire.BUTTONS):
            gpio = pins.STARTER_BUTTONS + 4 * (place - 1) + number
            assert joined[f"pico:GP{gpio}"] == {f"{button}{place}:1.l"}
            assert f"{button}{place}:2.l" in joined["pico:GND.8"]
    assert joined["pico:GP0"] == {"R1:1"} and {"R1:2", "strip:DIN"} in [{one, *more} for one, more in joined.items()]
    assert "strip:VSS" in joined["pico:GND.8"] and joined["pico:GP19"] == {"service:1.l"}
