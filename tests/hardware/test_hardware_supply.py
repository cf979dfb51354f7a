"""The power budget: the firmware's caps, and a supply that carries them."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any

import pytest

from hardware import HERE, nets, supply
from tablier_fw import wire

DATA = supply.read()
PIXELS = HERE.parent / "firmware/tablier_fw/pico/pixels.py"


def firmware_caps() -> dict[str, int]:
    """The constants of the module that caps the current; it needs a Pico, so it is read and not run."""
    caps: dict[str, int] = {}
    for node in ast.parse(PIXELS.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign):
            continue
        (target,) = node.targets
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        for name, value in zip(names, values, strict=True):
            if isinstance(value, ast.Constant) and isinstance(value.value, int):
                assert isinstance(name, ast.Name)
                caps[name.id] = value.value
    return caps


CAPS = firmware_caps()


def test_the_caps_are_those_of_the_firmware() -> None:
    assert DATA["pixel"]["channel"] == CAPS["CHANNEL_MA"]
    assert DATA["pixel"]["white"] == 3 * CAPS["CHANNEL_MA"]
    budget = {group["group"]: group["cap"] for group in DATA["pixels"]}
    assert budget == {"ring": CAPS["RING_MA"], "public pixel": CAPS["PUBLIC_MA"], "hood": CAPS["HOOD_MA"]}


def test_the_groups_are_those_of_the_wire() -> None:
    ring, publics, *hoods = wire.GROUPS
    groups = [(group["count"], group["each"]) for group in DATA["pixels"]]
    assert groups == [(1, ring), (publics, 1), (len(hoods), hoods[0])]
    assert len(set(hoods)) == 1


def test_everything_carries_what_it_has_to(wiring: nets.Wiring) -> None:
    assert supply.faults(DATA, wiring) == []


def test_sums_by_hand() -> None:
    """1000 + 6 × 60 + 6 × 150 of the caps, 68 idle; 8 × 48 + 2 × 20 + 4 of the sensors; 120 + 5 + 8 of the rest."""
    assert supply.through(DATA, "F1", capped=True) == 2260 + 68 + 428 + 133
    assert supply.through(DATA, "F1", capped=False) == 68 * 61 + 428 + 133
    assert supply.through(DATA, "F2", capped=True) == 1032
    assert supply.through(DATA, "F{3-8}", capped=True) == 60 + 1 + 150 + 5
    assert supply.through(DATA, "F9", capped=True) == 428


@pytest.mark.parametrize(
    "change, fault",
    [
        (lambda data: data["pixels"][0].update(cap=1900), "F2 carries"),
        (lambda data: data["fuse"][2].update(holds=200), "F{3-8} carries"),
        (lambda data: data["load"][0].update(each=100), "F9 carries"),
        (lambda data: data["adapter"].update(milliamps=3000), "four fifths"),
        (lambda data: data["adapter"].update(milliamps=6000), "G1 is"),
        (lambda data: data["fuse"][0].update(holds=5000), "F1 is"),
        (lambda data: data["lead"][1].update(ohms_per_metre=20.0), "one place gets"),
        (lambda data: data["pixels"][0].update(each=31), "67 pixels"),
        (lambda data: data["low_volts"][0].update(milliamps=400), "3.3 V"),
    ],
)
def test_what_does_not_carry_it_is_noticed(change: Callable[[Any], object], fault: str, wiring: nets.Wiring) -> None:
    data = copy.deepcopy(DATA)
    change(data)
    assert any(fault in it for it in supply.faults(data, wiring)), supply.faults(data, wiring)


def test_the_page_has_the_sums(wiring: nets.Wiring) -> None:
    page = supply.table(DATA, wiring)
    assert "**2889**" in page and "**2328**" in page
