"""The jig drives every input of the table once, at the pins that its page names."""

from __future__ import annotations

import copy
import runpy
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from hardware import HERE, check, jigs, nets
from sample import each
from tablier.simulation import words as tester_words
from tablier.simulation.arena import Model
from tablier.simulation.control import VerbError

words = SimpleNamespace(**runpy.run_path(str(HERE / "jig/words.py")))
"""What the jig takes; its folder is no package."""

JIG = jigs.read()
PINS = check.read_pins()
LINES = range(len(JIG["line"]))
BUTTONS = range(len(JIG["button"]))


def test_all_agree(wiring: nets.Wiring) -> None:
    assert jigs.faults(JIG, PINS, wiring) == []


def test_the_page_is_up_to_date() -> None:
    text = (HERE / "JIG.md").read_text(encoding="utf-8")
    assert text == jigs.page(text, JIG)


@pytest.mark.parametrize("number", each(7, LINES))
def test_a_line_on_another_gpio_is_noticed(number: int, wiring: nets.Wiring) -> None:
    changed = copy.deepcopy(JIG)
    changed["line"][number]["gpio"] = 28
    assert jigs.faults(changed, PINS, wiring)


@pytest.mark.parametrize("number", each(7, [it for it in LINES if {"drives", "reads"} & JIG["line"][it].keys()]))
def test_a_line_that_leads_elsewhere_is_noticed(number: int, wiring: nets.Wiring) -> None:
    changed = copy.deepcopy(JIG)
    changed["line"][number]["end"] = "J2 15"
    assert jigs.faults(changed, PINS, wiring)


@pytest.mark.parametrize("number", each(8, BUTTONS))
def test_two_buttons_that_change_places_are_noticed(number: int, wiring: nets.Wiring) -> None:
    changed = copy.deepcopy(JIG)
    one, other = changed["button"][number], changed["button"][(number + 1) % 24]
    one["end"], other["end"] = other["end"], one["end"]
    assert len(jigs.faults(changed, PINS, wiring)) >= 2


@pytest.mark.parametrize("name", each(5, [pin["name"] for pin in PINS if pin["direction"] != "out"]))
def test_an_input_that_is_not_driven_is_noticed(name: str, wiring: nets.Wiring) -> None:
    changed = copy.deepcopy(JIG)
    changed["line"] = [line for line in changed["line"] if line.get("drives") != name]
    changed["undriven"].pop(name, None)
    if name == jigs.CHAIN:
        changed["button"] = []
    assert f"{name} is driven 0 times" in jigs.faults(changed, PINS, wiring)


def test_an_input_that_is_driven_twice_is_noticed(wiring: nets.Wiring) -> None:
    changed = copy.deepcopy(JIG)
    changed["undriven"]["service"] = "both"
    assert "service is driven 2 times" in jigs.faults(changed, PINS, wiring)


# -- the words of the jig's firmware are those of the simulated table's tester ---------------------------------------

GROUPS = {"ring": range(34), "public": range(9), **{f"hood{place}": range(7) for place in range(8)}}


PIXELS = [[group, str(number)] for group in GROUPS for number in GROUPS[group]]


def test_pixels_and_buttons_have_the_same_names() -> None:
    for args in [*PIXELS, ["ring"], []]:
        pixel = _told(lambda args: tester_words.pixel_of(args) // 3, args, VerbError)
        assert _told(words.pixel, args, words.Refused) == pixel, args
    for args in ([p, b] for p in ("0", "1", "6", "7", "x") for b in ("minus", "plus", "a", "b", "c")):
        assert _told(words.button, args, words.Refused) == _told(tester_words.button_of, args, VerbError), args


@pytest.mark.parametrize("how", ["flat", "leaning", "rim"])
@pytest.mark.parametrize("column", range(4))
def test_cards_fall_in_the_same_way(how: str, column: int) -> None:
    plain = [(ms, line, change > 0) for ms, line, change in Model().plain(how, 0, column).happenings]
    assert sorted(words.fall(how, column)) == sorted(plain)


def _told(parse: Callable[[list[str]], object], args: list[str], refused: type[Exception]) -> object:
    try:
        return parse(args)
    except refused:
        return None
