"""The circuits, computed: margins, what comes back from a card, stretch and cut-off. Needs no simulator."""

from __future__ import annotations

import copy
import dataclasses
import math
import re
from collections.abc import Callable

import pytest
from hardware.spice import analysis, checks, limits, make, netlist, optics, rest, turn_on
from hardware.spice.analysis import LOW, RIM
from hardware.spice.netlist import Netlist
from hardware.spice.values import Values, corner, drawn, nominal, value

from hardware import HERE, arena, bill, nets, supply
from sample import each, sample, thorough
from tablier.table import beams

BILL = bill.read()
GEOMETRY = arena.read()
FIRMWARE = HERE.parent / "firmware"


def values(wiring: nets.Wiring, off: Callable[[str], float] = nominal, **kinds: str) -> Values:
    """The values of a table, with some components replaced by other parts."""
    if kinds:
        wiring = copy.deepcopy(wiring)
        for name, kind in kinds.items():
            wiring.components[name].kind = kind
    return Values(wiring, BILL, off)


def worst(wiring: nets.Wiring, tier: analysis.Tier, geometry: arena.Data = GEOMETRY, **kinds: str) -> float:
    return analysis.worst_margin(values(wiring, nominal, **kinds).wiring, BILL, tier, geometry, 4.6)[0]


@pytest.mark.parametrize(
    "kind, expected",
    [("4.7 kΩ", 4700), ("2.2 MΩ", 2.2e6), ("68 Ω", 68), ("100 pF", 1e-10), ("1000 µF", 1e-3), ("8 × 10 kΩ", 1e4),
     ("trimmer 50 kΩ", 5e4)],
)  # fmt: skip
def test_a_part_is_worth_what_its_name_says(kind: str, expected: float) -> None:
    assert math.isclose(value(kind), expected)


def test_a_part_without_a_value_is_refused() -> None:
    with pytest.raises(ValueError, match="LM393"):
        value("LM393")


def test_every_resistor_and_capacitor_of_the_wiring_has_a_value(wiring: nets.Wiring) -> None:
    for name, component in wiring.components.items():
        if re.search(r"[Ω]$|[pnµ]F$", component.kind):
            assert Values(wiring, BILL, corner({name: 1.0})).value(name) > value(component.kind)


def test_what_is_drawn_stays_within_its_limits(wiring: nets.Wiring) -> None:
    off = drawn(7)
    assert all(-1 <= off(name) <= 1 for name in wiring.components)
    assert off("B1_R3") == off("B1_R3") != off("B1_R4")


# -- receivers -------------------------------------------------------------------------------------------------


def test_the_limits_are_those_of_the_self_test() -> None:
    assert (checks.MARGIN_LEAST, checks.MARGIN_MOST) == (beams.MARGIN_LEAST, beams.MARGIN_MOST)


@pytest.mark.parametrize("tier", (LOW, RIM), ids=lambda tier: tier.name)
def test_the_weakest_documented_parts_leave_margin_enough(tier: analysis.Tier, wiring: nets.Wiring) -> None:
    assert checks.MARGIN_LEAST < worst(wiring, tier) < checks.MARGIN_MOST


def test_the_trimmer_reaches_half_of_what_a_receiver_can_show(wiring: nets.Wiring) -> None:
    for tier in (LOW, RIM):
        assert analysis.wiper_share(values(wiring), tier, analysis.LOGIC_VOLTS / 2) < 1


@pytest.mark.parametrize("tier", (LOW, RIM), ids=lambda tier: tier.name)
def test_the_designators_of_a_tier_are_where_the_wiring_has_them(tier: analysis.Tier, wiring: nets.Wiring) -> None:
    inverting, other, out = (wiring.net(tier.chip, pin) for pin in tier.pins)
    assert (tier.receiver, "A") in inverting.pins and (tier.load, "2") in inverting.pins
    assert (tier.series, "2") in other.pins and (tier.feedback, "2") in other.pins
    assert (tier.feedback, "1") in out.pins and (tier.pull_up, "2") in out.pins
    assert wiring.net(tier.trimmer, "wiper") is wiring.net(tier.series, "1")
    assert wiring.net(tier.trimmer, "top") is wiring.net(tier.top, "2")
    assert wiring.net(tier.emitter, "A") is wiring.net(tier.resistor, "2")


# -- light -----------------------------------------------------------------------------------------------------


def test_no_accepted_margin_takes_a_card_for_clear(wiring: nets.Wiring) -> None:
    assert optics.most_margin(values(wiring), GEOMETRY) > checks.MARGIN_MOST


def test_more_room_between_emitter_and_receiver_means_less_light(wiring: nets.Wiring) -> None:
    farther = copy.deepcopy(GEOMETRY)
    farther["tower"]["inside"] += 10
    near, far = (
        optics.microamperes(values(wiring), it, RIM.name, RIM.emitter, RIM.receiver, 0.05) for it in (GEOMETRY, farther)
    )
    assert far / near == pytest.approx((optics.air(GEOMETRY) / optics.air(farther)) ** 2, rel=0.02)


def test_a_hole_shades_a_lens_by_their_areas() -> None:
    assert math.isclose(optics.share(GEOMETRY), (GEOMETRY["baffle"]["hole"] / 5) ** 2)
    shares = [optics.share(GEOMETRY, offset / 10) for offset in range(60)]
    assert shares == sorted(shares, reverse=True) and shares[-1] == 0


@thorough
@pytest.mark.parametrize("worst", (False, True), ids=("typical", "worst"))
def test_wherever_the_tray_moves_its_beams_keep_the_margin_that_the_self_test_asks(
    worst: bool, wiring: nets.Wiring
) -> None:
    for tier in (LOW, RIM):
        assert analysis.moved_margin(wiring, BILL, tier, GEOMETRY, 4.6, worst) >= beams.MARGIN_LEAST


@thorough
def test_slots_of_the_walls_are_as_high_as_the_foam_is_soft(wiring: nets.Wiring) -> None:
    sunk = copy.deepcopy(GEOMETRY)
    sunk["tray"]["sinks"] = 2.2
    assert analysis.moved_margin(wiring, BILL, LOW, sunk, 4.6, worst=True) < beams.MARGIN_LEAST


# -- impact, supply --------------------------------------------------------------------------------------------


def worst_rest(circuit: rest.Circuit) -> rest.Rest:
    return circuit.rest(circuit.worst(BILL))


def amplifier(wiring: nets.Wiring, sheets: dict[str, nets.Sheet]) -> rest.Circuit:
    return rest.Circuit(wiring, list(sheets["impact"]["parts"]))


def test_the_amplifier_rests_inside_its_window_from_cold_to_warm(
    wiring: nets.Wiring, sheets: dict[str, nets.Sheet]
) -> None:
    found = list(rest.rests(amplifier(wiring, sheets), BILL, sample(1000, rest.DRAWS)))
    assert min(it.spare for it in found) > 0.02
    assert worst_rest(amplifier(wiring, sheets)).spare > 0.02
    assert max(it.wave for it in found) - min(it.wave for it in found) > 0.05, "hardly anything varies"


def test_the_amplifier_rests_the_same_in_whatever_order_its_parts_are_listed(
    wiring: nets.Wiring, sheets: dict[str, nets.Sheet]
) -> None:
    """A trimmer after the amplifier was turned to where no trimmer turns."""
    listed = amplifier(wiring, sheets)
    turned = rest.Circuit(wiring, listed.names[::-1])
    one, other = (it.rest(values(wiring, corner({}))) for it in (listed, turned))
    assert dataclasses.astuple(other) == pytest.approx(dataclasses.astuple(one))


def test_a_diodes_leakage_doubles_every_ten_kelvin_and_is_its_own(wiring: nets.Wiring) -> None:
    at = {celsius: values(wiring, corner({"celsius": (celsius - 20) / 30, "D3.leak": 1.0})) for celsius in (25, 35, 45)}
    assert at[25].leak("D3") == pytest.approx(25e-9)
    assert at[35].leak("D3") == pytest.approx(50e-9) and at[45].leak("D3") == pytest.approx(100e-9)
    assert at[25].leak("D4") == pytest.approx(12.5e-9)
    some = values(wiring, drawn(3))
    assert some.leak("D3") != some.leak("D4")


# -- foam ------------------------------------------------------------------------------------------------------


def test_the_tray_bounces_far_below_what_a_knock_has() -> None:
    assert all(checks.resonance_hz(GEOMETRY, stiff) <= 60 for stiff in GEOMETRY["pad"]["modulus"])
    softest = 2 * math.pi * checks.resonance_hz(GEOMETRY, GEOMETRY["pad"]["modulus"][0])
    pile = GEOMETRY["pile"]["cards"] * GEOMETRY["card"]["mass"]
    sinks = 1e3 * 9.81 / softest**2 * (1 + pile / GEOMETRY["tray"]["mass"])
    assert sinks <= GEOMETRY["tray"]["sinks"] < sinks + 0.1


STRETCH = ("R23", "C6", "U7.1.output_leak_na", "U7.7.output_leak_na", "celsius")


def stretches(wiring: nets.Wiring, **kinds: str) -> list[float]:
    found = []
    for sign, volts in ((-1.0, 1.142), (1.0, 2.358)):
        offs = dict.fromkeys(STRETCH, sign)
        found.append(analysis.stretch_ms(values(wiring, corner(offs), **kinds), volts))
    return found


def test_the_stretch_stays_between_its_limits(wiring: nets.Wiring) -> None:
    least, most = stretches(wiring)
    assert least >= checks.STRETCH_LEAST_MS and most <= checks.STRETCH_MOST_MS


def test_outputs_that_leak_held_the_stretch_of_before_too_long(wiring: nets.Wiring) -> None:
    """An ideal comparator does not leak: with it 220 kΩ passed."""
    tight = dict.fromkeys(STRETCH, 1.0) | dict.fromkeys(("U7.1.output_leak_na", "U7.7.output_leak_na"), -1.0)
    without, leaking = (
        analysis.stretch_ms(values(wiring, corner(offs), R23="220 kΩ"), 2.358)
        for offs in (tight, dict.fromkeys(STRETCH, 1.0))
    )
    assert without < checks.STRETCH_MOST_MS < leaking


def test_the_landings_say_how_long_impacts_are_one() -> None:
    page = (FIRMWARE / "LANDINGS.md").read_text(encoding="utf-8")
    assert f"closer than {checks.STRETCH_MOST_MS:g} ms" in page


def test_the_guard_closes_between_a_good_adapter_and_what_the_pico_stands(wiring: nets.Wiring) -> None:
    ends = []
    for sign in (-1.0, 1.0):
        offs = {"U9.reference": sign, "U9.reference_ua": sign, "U9.deviation": sign, "R28": sign, "R29": -sign}
        ends.append(analysis.cut_off_volts(values(wiring, corner(offs))))
    assert turn_on.ON[-1] < ends[0] < ends[1] < turn_on.OFF[0]


BEFORE = {"R28": "12 kΩ", "R29": "10 kΩ", "R30": "2.2 kΩ", "R31": "4.7 kΩ"}
"""The guard's resistors in revision C: what U9 draws just below its reference turned Q7 on."""


def guard(wiring: nets.Wiring, **kinds: str) -> turn_on.Guard:
    changed = copy.deepcopy(wiring)
    for name, kind in kinds.items():
        changed.components[name].kind = kind
    return turn_on.Guard(changed, BILL, supply.read())


def test_a_right_adapter_is_let_in_and_a_wrong_one_is_not(wiring: nets.Wiring) -> None:
    """Some of the tables and corners of which the simulation takes thousands."""
    found = guard(wiring).solved([nominal, *turn_on.draws(sample(10, 30)), *turn_on.corners()[:: sample(393, 131)]])
    assert [found.off(volts) for volts in turn_on.ON] == [0, 0, 0]
    assert [found.on(volts) for volts in turn_on.OFF] == [0] * len(turn_on.OFF)


def test_the_guard_that_never_turned_on_is_noticed(wiring: nets.Wiring) -> None:
    found = guard(wiring, **BEFORE).solved([nominal])
    assert [found.off(volts) for volts in turn_on.ON] == [1, 1, 1]


@thorough
@pytest.mark.parametrize(
    "kinds", each(4, [{"R28": "4.7 kΩ"}, {"R31": "1 kΩ"}, {"R31": "100 Ω", "R30": "4.7 kΩ"}, {"R29": "3.9 kΩ"}])
)
def test_a_guard_with_less_room_is_noticed(wiring: nets.Wiring, kinds: dict[str, str]) -> None:
    found = guard(wiring, **kinds).solved([*turn_on.draws(20), *turn_on.corners()[::131]])
    assert any(found.off(volts) for volts in turn_on.ON) or any(found.on(volts) for volts in turn_on.OFF)


# -- every part ------------------------------------------------------------------------------------------------


def test_every_part_has_something_to_spare(wiring: nets.Wiring) -> None:
    found = checks.parts(checks.Table(wiring))
    assert make.faults([found]) == [] and len(found.figures) >= 25


@pytest.mark.parametrize(
    "kinds, part",
    [
        ({"R31": "4.7 kΩ"}, "U9, R31: volts at Q7"),
        ({"R30": "330 Ω"}, "R30: 24 V plugged in"),
        ({"B1_R1": "33 Ω"}, "an emitter, held on"),
        ({"R8": "47 kΩ"}, "Q4: collector current"),
        ({"R12": "1 kΩ"}, "OS1, OS2: collector current"),
    ],
)
def test_a_part_that_is_asked_too_much_is_noticed(wiring: nets.Wiring, kinds: dict[str, str], part: str) -> None:
    changed = copy.deepcopy(wiring)
    for name, kind in kinds.items():
        changed.components[name].kind = kind
    assert any(part in fault for fault in make.faults([checks.parts(checks.Table(changed))]))


def test_what_is_modelled_stands_in_the_report_as_what_it_is() -> None:
    """By its insides, or as ideal, with the sheet's worst on both sides; nothing is both, and nothing is neither."""
    assert not set(limits.INSIDES) & set(limits.IDEAL)
    assert set(netlist._CHIPS) <= set(limits.INSIDES) | set(limits.IDEAL)
    assert {"TL431B", "LM393", "MCP6002"} <= set(limits.INSIDES)
    page = (HERE / make.REPORT).read_text(encoding="utf-8")
    assert all(f"| **ideal**: {name} |" in page for name in limits.IDEAL)


# -- the report ------------------------------------------------------------------------------------------------


def test_the_report_is_of_the_files_as_they_are() -> None:
    page = (HERE / make.REPORT).read_text(encoding="utf-8")
    assert make.stamp() in page, "python -m hardware.spice.make"


def test_every_study_is_in_the_report() -> None:
    defined = {it for it in vars(checks).values() if getattr(it, "__annotations__", {}).get("return") == "Study"}
    assert defined == set(checks.STUDIES)


def test_the_report_shows_its_curves_and_nothing_else_lies_there() -> None:
    page = (HERE / make.REPORT).read_text(encoding="utf-8")
    shown = set(re.findall(rf"\({make.CURVES}/(.*?)\)", page))
    assert shown == {path.name for path in (HERE / make.CURVES).iterdir()} and len(shown) >= 7


def test_a_figure_outside_its_limits_is_a_fault() -> None:
    assert checks.Figure("margin", 18.0, "%", 25.0, 65.0).fault == "margin: 18 %, at least 25 allowed"
    assert checks.Figure("margin", 90.0, "%", 25.0, 65.0).fault == "margin: 90 %, at most 65 allowed"
    assert not checks.Figure("margin", 40.0, "%", 25.0, 65.0).fault
    assert checks.Figure("margin", math.nan, "%", 25.0).fault
    study = checks.Study("Receivers", "", [checks.Figure("margin", 18.0, "%", 25.0)])
    assert make.faults([study]) == ["Receivers: margin: 18 %, at least 25 allowed"]


def test_the_firmware_chops_and_reads_when_the_simulation_says() -> None:
    programs = (FIRMWARE / "tablier_fw/pico/programs.py").read_text(encoding="utf-8")
    assert "SENSORS_HZ = 1_000_000" in programs and f"each lasts {checks.HALF_US:g} µs" in programs
    assert "set(pins, 6)[31]" in programs and checks.READ_US == 32


def test_a_board_can_be_simulated_from_the_wiring_alone() -> None:
    assert nets.Wiring(nets.read()).problems == []


def test_every_net_has_a_node_of_its_own(wiring: nets.Wiring) -> None:
    """ngspice does not tell capitals from small letters: EMIT_LOW and emit_low were one node."""
    netlist = Netlist(values(wiring))
    nodes = [netlist.node(*min(net.pins)).lower() for net in wiring.nets() if net.pins]
    assert len(nodes) == len(set(nodes))
