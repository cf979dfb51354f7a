"""The wiring: complete, electrically sound, and each pin of the Pico does what the firmware takes it to do."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from pins_of_firmware import firmware_pins
from tracing import PICO, Tracer

from hardware import arena, nets
from sample import each
from tablier_fw import pins, wire

GPIOS = firmware_pins(pins)

SUPPLY = {
    "74HC165": {"16": "3V3", "8": "GND", "15": "GND"},
    "74AHCT125": {"14": "5V", "7": "GND"},
    "MCP6002": {"8": "3V3", "4": "GND"},
    "74HC132": {"14": "3V3", "7": "GND"},
    "LM393": {"4": "GND"},
}
"""By chip: which pin is on which rail. An LM393 takes either 5 V."""
FIVE_VOLTS = ("5V", "5V_RING", "5V_SENS")
DRIVES_NOTHING_ABOVE = ("LM393", "TCRT5000", "button", "74HC165", "74HC132", "box header", "JST", "100 nF", "47 nF")
"""What may be on an input of the Pico: open collectors, contacts, chips that 3.3 V feeds, plugs."""


@pytest.fixture(scope="module")
def traced(wiring: nets.Wiring) -> dict[str, Any]:
    return Tracer(wiring).everything(GPIOS)


def test_every_pin_is_connected_or_free_on_purpose(wiring: nets.Wiring) -> None:
    assert wiring.problems == []


# -- what the firmware takes it to be --------------------------------------------------------------------------


def test_the_pixels_come_in_the_order_of_the_wire(traced: dict[str, Any]) -> None:
    ring, publics, *hoods = wire.GROUPS
    assert sum(count for _, count in traced["ring"]) == ring
    assert traced["places"] == [
        *((f"P{place}_D1", 1) for place in range(1, publics + 1)),
        *((f"P{place}_D2", count) for place, count in enumerate(hoods, 1)),
    ]


def test_the_buttons_come_in_the_order_of_their_bits(traced: dict[str, Any]) -> None:
    buttons = [(place, button) for place in range(1, wire.PLACES + 1) for button in range(len(wire.BUTTONS))]
    assert traced["inputs"][:24] == buttons


def test_the_switches_of_a_place_are_named_as_the_header_says(wiring: nets.Wiring) -> None:
    for place in range(1, wire.PLACES + 1):
        for button, name in enumerate(wire.BUTTONS):
            header = wiring.net(f"J{place}", name.upper())
            assert (f"P{place}_SW{button + 1}", "1") in header.pins


def test_the_spare_inputs_show_the_pattern(traced: dict[str, Any]) -> None:
    assert traced["inputs"][24:] == [bool(pins.PATTERN >> (7 - bit) & 1) for bit in range(8)]


def test_clock_and_load_reach_all_four_chips(traced: dict[str, Any]) -> None:
    assert traced["clock"] == traced["load"] == ["U1", "U2", "U3", "U4"]


def test_each_receiver_faces_an_emitter_of_its_tier(traced: dict[str, Any]) -> None:
    beams = list(arena.beams(arena.read()))
    assert [beam.name for beam in beams if "low" in beam.name] == [f"beam_low_{n}" for n in range(1, 5)]
    by_name = {beam.name: beam for beam in beams}
    names = [f"beam_{tier}_{n}" for tier in ("low", "rim") for n in range(1, 5)]
    for name, (board, _) in zip(names, traced["receivers"], strict=True):
        assert by_name[name].receiver == board
        emitting = {emitter.split("_")[0] for emitter in traced["low" if "low" in name else "rim"]}
        assert by_name[name].emitter in emitting
    assert len(traced["low"]) == len(traced["rim"]) == 4
    assert not set(traced["low"]) & set(traced["rim"])
    assert len({diode for _, diode in traced["receivers"]}) == 8


def test_the_rest_does_what_its_pin_says(traced: dict[str, Any]) -> None:
    assert (traced["latch"], traced["buzzer"], traced["service"]) == ("U8", "BZ1", "SW1")
    assert traced["wave"] == "U6" and traced["power"] == "5V"
    assert (traced["offer"], traced["pile"]) == ("OS1", "OS2")
    assert traced["floor"] == ["OS1", "OS2"]


def test_service_is_high_before_the_pico_looks(wiring: nets.Wiring) -> None:
    """The Pico's pins start pulled down; its own pull-up would take milliseconds to charge the capacitor."""
    assert any(
        value == "10 kΩ" and far is wiring.named("3V3") for value, far in Tracer(wiring).across(wiring.net("SW1", "1"))
    )


def test_the_reset_button_pulls_run_down(wiring: nets.Wiring) -> None:
    assert Tracer(wiring).to_ground(wiring.net(PICO, "RUN")) == "SW2"


@pytest.mark.parametrize("name", each(6, sorted(GPIOS.keys() - {"power_mode", "led"})))
def test_a_signal_that_leads_elsewhere_is_noticed(
    name: str, sheets: dict[str, nets.Sheet], traced: dict[str, Any]
) -> None:
    """The names still agree with the table then; only what the wires lead to tells."""
    changed = copy.deepcopy(sheets)
    entries = [it for it in changed["pico"]["connections"] if it[1] in GPIOS]
    (entry,) = [it for it in entries if it[1] == name]
    others = [it for it in entries if list(it[2]) != list(entry[2])]
    entry[2] = others[entries.index(entry) % len(others)][2]
    wiring = nets.Wiring(changed)
    assert len(wiring.named(name).pins) > 1, "the wire was not moved but cut"
    try:
        found = Tracer(wiring).everything(GPIOS)
    except (AssertionError, KeyError, ValueError, StopIteration):
        found = None
    assert found != traced


# -- electrically ----------------------------------------------------------------------------------------------


def test_every_chip_has_its_supply(wiring: nets.Wiring) -> None:
    for name, component in wiring.components.items():
        for pin, rail in SUPPLY.get(component.kind, {}).items():
            assert wiring.net(name, pin) is wiring.named(rail), (
                f"pin {pin} of {name}, {component.kind}, is not on {rail}"
            )
        if component.kind == "LM393":
            assert any(wiring.net(name, "8") is wiring.named(rail) for rail in FIVE_VOLTS), name


def test_every_strip_of_pixels_has_its_supply(wiring: nets.Wiring) -> None:
    strips = [name for name, component in wiring.components.items() if component.kind.startswith("WS2812B")]
    assert len(strips) == 4 + 12
    for name in strips:
        place = name.split("_")[0]
        supply = wiring.named("5V_RING") if name.startswith("K") else wiring.named(f"{place}_5V")
        assert wiring.net(name, "5V") is supply, name
        assert wiring.net(name, "GND") is wiring.named("GND"), name


def test_nothing_above_three_volts_reaches_an_input_of_the_pico(wiring: nets.Wiring) -> None:
    tracer = Tracer(wiring)
    five = [wiring.named(rail) for rail in FIVE_VOLTS]
    for signal, gpio in GPIOS.items():
        if gpio in pins.OUT:
            continue
        net = wiring.net(PICO, f"GP{gpio}")
        assert all(net is not rail for rail in five), signal
        if signal == "power":
            assert tracer.halved(net) == "5V"
            continue
        for value, far in tracer.across(net):
            assert all(far is not rail for rail in five), f"{value} pulls {signal} to 5 V"
        for name, pin in net.pins:
            kind = tracer.kind(name)
            assert kind.startswith(("Raspberry Pi Pico", *DRIVES_NOTHING_ABOVE)) or kind.endswith("Ω"), (signal, name)
            if kind in SUPPLY and kind != "LM393":
                assert "3V3" in SUPPLY[kind].values(), (signal, name, pin)


def test_the_supply_reaches_the_pico_only_through_its_diode(wiring: nets.Wiring) -> None:
    vsys = wiring.net(PICO, "VSYS")
    assert {name for name, _ in vsys.pins} == {PICO, "D2", "C3"}
    assert ("D2", "K") in vsys.pins and wiring.net("D2", "A") is wiring.named("5V")
    assert wiring.net(PICO, "VBUS").pins <= {(PICO, "40")}, "what is fed into VBUS reaches the computer"
    assert not [pin for rail in FIVE_VOLTS for pin in wiring.named(rail).pins if pin[0] == PICO]


def test_everything_behind_the_jack_is_behind_the_fuse(wiring: nets.Wiring) -> None:
    assert wiring.net("J16", "centre").pins == {("G1", "+"), ("J16", "centre"), ("F1", "1")}
    assert wiring.net("F1", "2") is wiring.named("5V_IN")
    assert wiring.net("G1", "-") is wiring.named("GND")
    for place in range(1, 7):
        fuses = [name for name, _ in wiring.named(f"P{place}_5V").pins if name.startswith("F")]
        assert len(fuses) == 1, f"place {place} is behind {fuses}"


def test_a_wrong_adapter_reaches_only_the_guard(wiring: nets.Wiring) -> None:
    """Two transistors source to source: each blocks one way. Before the second is only what watches and switches."""
    assert {name for name, _ in wiring.named("5V_IN").pins} == {"F1", "Q5", "R28"}
    assert {name for name, _ in wiring.named("GUARD").pins} == {"Q5", "Q6", "Q7", "R31", "C10"}
    for name, drain in (("Q5", "5V_IN"), ("Q6", "5V")):
        assert wiring.components[name].kind == "SUP53P06-20"
        assert wiring.net(name, "D") is wiring.named(drain) and wiring.net(name, "S") is wiring.named("GUARD")
        assert wiring.net(name, "G") is wiring.net("Q7", "C")
    assert wiring.net("Q7", "E") is wiring.named("GUARD")
    assert wiring.net("U9", "A") is wiring.net("D5", "A") is wiring.named("GND")
    assert wiring.net("D5", "K") is wiring.net("U9", "REF")


def test_no_two_plugs_with_other_wires_fit_one_header(wiring: nets.Wiring) -> None:
    """What is crimped fits each header of its size; ribbons differ in width, and those of one width are alike."""
    sizes: dict[str, list[str]] = {}
    for name, component in wiring.components.items():
        if component.kind.startswith("JST"):
            sizes.setdefault(component.kind, []).append(name)
    assert all(len(names) == 1 for names in sizes.values()), sizes


def test_polarised_parts_are_the_right_way_round(wiring: nets.Wiring) -> None:
    positive = [wiring.named(rail) for rail in (*FIVE_VOLTS, "3V3")]
    positive += [wiring.net(f"P{place}_J1", "1") for place in range(1, 7)]
    positive += [wiring.net(PICO, "VSYS"), wiring.net("U6", "5")]
    for name, component in wiring.components.items():
        if component.kind.endswith("µF") and "+" in component.pins:
            assert wiring.net(name, "-") is wiring.named("GND"), name
            assert any(wiring.net(name, "+") is net for net in positive), name
        if component.kind in ("TSAL6100", "1.5KE6.8A", "BAT42", "1N4148"):
            assert wiring.net(name, "A") is not wiring.net(name, "K"), name
    assert wiring.net("D1", "K") is wiring.named("5V"), "the suppressor shorts the supply"
    assert wiring.net("D1", "A") is wiring.named("GND"), "the suppressor shorts the supply"
    assert wiring.net("D5", "A") is wiring.named("GND"), "the guard's sense is shorted"
    assert wiring.net("D3", "K") is wiring.named("3V3") and wiring.net("D4", "A") is wiring.named("GND")


def test_the_grounds_and_rails_of_places_and_sides_come_through_their_cables(wiring: nets.Wiring) -> None:
    for place in range(1, 7):
        assert wiring.named(f"P{place}_GND") is wiring.named("GND")
    for side in range(1, 5):
        assert wiring.named(f"B{side}_GND") is wiring.named("GND")
        assert wiring.named(f"B{side}_3V3") is wiring.named("3V3")
        assert wiring.named(f"B{side}_5V") is wiring.named("5V_SENS")


def test_rails_are_apart(wiring: nets.Wiring) -> None:
    rails = ("GND", "3V3", "VBIAS", "5V_IN", "GUARD", *FIVE_VOLTS, *(f"P{place}_5V" for place in range(1, 7)))
    assert len({id(wiring.named(rail)) for rail in rails}) == len(rails)


def test_a_cable_that_is_left_out_is_noticed(sheets: dict[str, nets.Sheet]) -> None:
    changed = copy.deepcopy(sheets)
    changed["side"]["connections"] = [it for it in changed["side"]["connections"] if "W41" not in str(it)]
    assert any("W41" in problem for problem in nets.Wiring(changed).problems)


@pytest.mark.parametrize(
    "connection, problem",
    [
        ([{"U4": 17}, "GND"], "no pin '17'"),
        ([{"U99": 1}, "GND"], "no U99"),
        ([{"U4": [1, 2]}, {"RN1": [2, 3, 4]}], "not equally long"),
        ([{"U4": 7}, "GND"], "is to be free"),
        ([{"U4": 1}, "GMD"], "no GMD"),
    ],
)
def test_connections_that_cannot_be_are_noticed(
    connection: list[Any], problem: str, sheets: dict[str, nets.Sheet]
) -> None:
    changed = copy.deepcopy(sheets)
    changed["buttons"]["connections"].append(connection)
    assert any(problem in it for it in nets.Wiring(changed).problems)
