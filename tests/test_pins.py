"""One table of pins: the firmware's numbers are those of hardware/pins.toml."""

import tomllib
from pathlib import Path

from tablier_fw import pins, wire

TABLE = tomllib.loads((Path(__file__).parent.parent / "hardware/pins.toml").read_text(encoding="utf-8"))["pin"]
LISTS = ("OUT", "ANALOGUE", "PATTERN", "STARTER_BUTTONS")
FIRMWARE = {name.lower(): number for name, number in vars(pins).items() if name.isupper() and name not in LISTS}


def test_the_firmware_uses_the_pins_of_the_table() -> None:
    assert {pin["name"]: pin["gpio"] for pin in TABLE} == FIRMWARE


def test_each_pin_is_used_once() -> None:
    numbers = [pin["gpio"] for pin in TABLE]
    assert len(numbers) == len(set(numbers)), "a GPIO has two uses in hardware/pins.toml"
    names = [pin["name"] for pin in TABLE]
    assert len(names) == len(set(names)), "a name stands twice in hardware/pins.toml"


def test_directions_agree() -> None:
    directions = {pin["gpio"]: pin["direction"] for pin in TABLE}
    expected = {
        number: "out" if number in pins.OUT else "analogue" if number in pins.ANALOGUE else "in"
        for number in FIRMWARE.values()
    }
    assert directions == expected


def test_pins_exist_on_the_board() -> None:
    # GP24 and GP29 are inputs of the Pico's own board: whether USB gives power, and the voltage of the supply.
    for pin in TABLE:
        assert 0 <= pin["gpio"] <= 28 and pin["gpio"] != 24, pin
        assert pin["direction"] != "analogue" or pin["gpio"] in (26, 27, 28), pin


def test_the_lines_of_the_sensors_are_neighbours() -> None:
    # One state machine samples them with one instruction, lowest first, and drives its outputs with another.
    low = [pins.BEAM_LOW_1 + line for line in range(9)]
    names = [f"beam_low_{n}" for n in range(1, 5)] + [f"beam_rim_{n}" for n in range(1, 5)] + ["impact"]
    assert low == [FIRMWARE[name] for name in names]
    assert (pins.IMPACT_CLEAR + 1, pins.IMPACT_CLEAR + 2) == (pins.EMIT_LOW, pins.EMIT_RIM)


def test_the_pattern_is_the_one_that_the_wiring_names() -> None:
    (use,) = [pin["use"] for pin in TABLE if pin["name"] == "buttons_data"]
    assert f"{pins.PATTERN:08b}" in use


def test_the_buttons_of_a_starter_are_neighbours_in_their_order() -> None:
    uses = {pin["gpio"] - pins.STARTER_BUTTONS: pin["starter"] for pin in TABLE if "button" in pin.get("starter", "")}
    assert uses == {
        4 * place + number: f"button {button} of place {place + 1}, low while pressed, internal pull-up"
        for place in range(2)
        for number, button in enumerate(wire.BUTTONS)
    }
