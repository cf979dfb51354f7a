"""The bill of materials: everything that is wired is in it, with enough of it, and a price that says what it is."""

from __future__ import annotations

import copy
import dataclasses
import re
from typing import Any

import pytest

from hardware import HERE, bill, nets
from sample import each

BILL = bill.read()
WIRED = [part for part in BILL.parts if part.designators or part.fits]


def changed(part: bill.Part, **fields: Any) -> bill.Bill:
    """The bill with one part changed."""
    parts = [dataclasses.replace(it, **fields) if it is part else it for it in BILL.parts]
    return dataclasses.replace(BILL, parts=tuple(parts))


def test_it_agrees_with_the_wiring(wiring: nets.Wiring) -> None:
    assert bill.faults(BILL, wiring) == []


@pytest.mark.parametrize("part", each(12, WIRED), ids=lambda part: part.name)
def test_too_few_are_noticed(part: bill.Part, wiring: nets.Wiring) -> None:
    less = part.quantity / 2 if part.unit == "m" else 0 if part.name == "fuse T 4 A" else part.quantity - 1
    if part.name == "hook-up wire":
        less = 1
    assert bill.faults(changed(part, quantity=less), wiring)


@pytest.mark.parametrize(
    "part", each(12, [part for part in BILL.parts if part.designators]), ids=lambda part: part.name
)
def test_a_part_that_is_left_out_or_is_another_is_noticed(part: bill.Part, wiring: nets.Wiring) -> None:
    without = dataclasses.replace(BILL, parts=tuple(it for it in BILL.parts if it is not part))
    assert any(part.places[0] in fault for fault in bill.faults(without, wiring))
    assert any(part.places[0] in fault for fault in bill.faults(changed(part, name="something else"), wiring))


def test_a_designator_that_is_not_wired_or_listed_twice_is_noticed(wiring: nets.Wiring) -> None:
    part = BILL.parts[0]
    assert any("R99" in it for it in bill.faults(changed(part, designators=("A1", "R99")), wiring))
    assert any("2 times" in it for it in bill.faults(changed(part, designators=("A1", "U1"), quantity=2), wiring))


def test_a_component_that_the_wiring_gains_is_noticed(sheets: dict[str, nets.Sheet]) -> None:
    more = copy.deepcopy(sheets)
    more["shifter"]["parts"]["R98"] = {"type": "10 kΩ", "pincount": 2}
    more["shifter"]["connections"] += [["GND", {"R98": 1}], ["5V", {"R98": 2}]]
    assert any("R98" in fault for fault in bill.faults(BILL, nets.Wiring(more)))


def test_each_part_can_be_ordered() -> None:
    for part in BILL.parts:
        assert part.number and part.use and part.alternates and part.price > 0, part
        assert part.maker or part.number == "generic", part
        assert part.items * part.pack >= part.quantity > 0, part
        if part.number == "generic":
            assert part.unit == "m" or not part.designators, f"an electronic part needs a number: {part}"


def test_prices_say_that_they_are_estimates(wiring: nets.Wiring) -> None:
    assert re.search(r"\bestimates\b", BILL.note)
    assert re.fullmatch(r"20\d\d-[01]\d", BILL.date) and BILL.currency == "EUR"
    assert BILL.note in bill.table(BILL, wiring)


def test_patterns_of_designators() -> None:
    assert list(bill.expanded("P{1-2}_R{3-4}")) == ["P1_R3", "P1_R4", "P2_R3", "P2_R4"]
    assert list(bill.expanded("U5")) == ["U5"]


def test_the_page_lists_every_cable(wiring: nets.Wiring) -> None:
    page = bill.table(BILL, wiring)
    for cable in wiring.cables.values():
        assert f"| {cable.name} | {cable.kind} | {cable.length:g} |" in page
        assert set(cable.colours) <= set(bill.COLOURS)
    assert "| W12 | hook-up wire | 0.45 | J12 | OS1 and OS2 | RD OG VT YE GN BK |" in page


def experiments() -> dict[str, dict[str, int]]:
    """The experiments' parts: title → how many of each part."""
    page = (HERE / "EXPERIMENTS.md").read_text(encoding="utf-8")
    chapters = {it.split("\n")[0]: it for it in page.split("\n## ")[1:]}
    return {
        title: {name: int(count) for name, count in re.findall(r"(?m)^\| ([^|]+?) \| (\d+) \|$", text)}
        for title, text in chapters.items()
    }


@pytest.mark.parametrize("title", experiments())
def test_an_experiment_costs_less_than_fifty_and_its_parts_are_the_tables(title: str) -> None:
    """With a breadboard and wires for 8."""
    parts = {part.name: part for part in bill.read().parts}
    needed = experiments()[title]
    assert len(needed) > 8 and not set(needed) - set(parts)
    assert sum(parts[name].price * count for name, count in needed.items()) + 8 < 50


def test_each_experiment_says_what_it_must_show_and_what_to_do_if_not() -> None:
    page = (HERE / "EXPERIMENTS.md").read_text(encoding="utf-8")
    for chapter in page.split("\n## ")[1:]:
        assert all(it in chapter for it in ("*The question:*", "must show", "*If it does not:*")), chapter[:40]


@pytest.mark.parametrize("name", ["SUP53P06-20", "TN0702N3"])
def test_transistors_that_are_hard_to_get_have_two_alternates_with_legs(name: str) -> None:
    (part,) = (part for part in bill.read().parts if part.name == name)
    assert sum("adapter" not in it and "any " not in it for it in part.alternates) >= 2
