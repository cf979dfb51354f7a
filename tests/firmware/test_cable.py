"""The table's cable as a Pico with an adapter knows it: a pulled cable and a computer that sleeps are a suspend.

The same with the cable of an emulated Pico: ``tests/test_pico_cable.py``; at a table of any kind: ``tests/hil``.
"""

from __future__ import annotations

import random

import pytest
from tests.firmware.desk import Desk

from sample import each, sample
from tablier_fw import wire

SOON_S = 2.0
AWAY_S = 20.0
PRESSES = [(place, button) for button in range(2) for place in range(1, wire.PLACES + 1)]
"""Twelve: while a ``watch`` is open each press is an event of its own, pending or not."""
BREAKS = {"resume": ("usb suspend", "usb resume"), "plug": ("unplug", "plug"), "reset": ("usb suspend", "usb reset")}
"""By how it ends: how the break begins, and how it ends."""


def is_told(desk: Desk) -> bool:
    """Return True if the table answers, and what it has told is of now."""
    client = desk.client
    return client.connected and bool(client.status["time"] / 1e6 > desk.tester.time() - 0.5)


@pytest.mark.parametrize("how", each(2, BREAKS))
def test_what_is_pressed_during_a_break_comes_soon_after_it(desk: Desk, how: str) -> None:
    begin, end = BREAKS[how]
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.tester.say(begin)
    for place, button in PRESSES:
        assert desk.press(place, wire.BUTTONS[button]) == [], "nothing passes a cable that is out"
        desk.run(AWAY_S / len(PRESSES) - 0.2)
    desk.tester.say(end)
    desk.run(SOON_S)
    assert [(it["place"], it["button"]) for it in desk.values("pressed")] == PRESSES
    assert desk.client.connected and desk.status()["acked"] == len(PRESSES)


def test_what_a_break_held_up_is_sent_once_or_twice_not_for_each_time_it_was_due(desk: Desk) -> None:
    """In a break that is too short for the host to give the table up: it would not hear what is from before."""
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.acking = False
    frames = desk.trace()
    desk.tester.say("usb suspend")
    desk.press(1, "a")
    desk.run(1.0)
    desk.tester.say("usb resume")
    desk.run(0.1)
    assert desk.client.connected
    assert 1 <= [message for came, message, _ in frames if came].count(wire.PRESSED) <= 2


def test_a_host_hears_nothing_from_a_table_whose_computer_sleeps_and_it_hears_nothing_either(desk: Desk) -> None:
    desk.tester.say("usb suspend")
    before = len(desk.seen), desk.client.status["time"]
    desk.client.want(wire.SCENE, wire.RING, bytes((1, 200, wire.STEADY)) * wire.GROUPS[wire.RING])
    desk.run(1.0)
    assert (len(desk.seen), desk.client.status["time"]) == before
    assert set(desk.tester.pixels()["ring"]) == {"000000"}
    desk.tester.say("usb resume")
    desk.run(0.5)
    assert is_told(desk)
    assert "000000" not in desk.tester.pixels()["ring"]


def test_with_dtr_clear_all_is_lost_but_the_last_bytes(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b111111)
    desk.tester.say("dtr off")
    desk.press(2, "minus")
    desk.run(1.5)
    assert not desk.values("pressed")
    bad = desk.client.bad_frames
    desk.tester.say("dtr on")
    desk.run(0.5)
    assert [it["place"] for it in desk.values("pressed")] == [2] and is_told(desk)
    assert desk.client.bad_frames - bad <= 2, "a stump at each end"


def test_a_table_is_never_mute_for_long_after_the_computer_wakes(desk: Desk) -> None:
    """However often, at whatever moment and for however long it sleeps."""
    dice = random.Random(45)
    desk.ask(wire.WATCH, 0, 0b111111)
    pressed, mute = [], []
    for _ in range(sample(25, 200)):
        begin, end = BREAKS[dice.choice([*BREAKS])]
        desk.run(dice.choice((0, 0.003, 0.05, 1.5)) * dice.random())
        desk.tester.say(begin)
        for _ in range(dice.randrange(3)):
            place, button = dice.choice(PRESSES)
            desk.press(place, wire.BUTTONS[button])
            pressed.append((place, button))
        desk.run(dice.choice((0.001, 0.1, 1.0, 8.0)) * dice.random())
        woken = desk.clock.now()
        desk.tester.say(end)
        desk.run_until(lambda: is_told(desk), 30)
        mute.append(desk.clock.now() - woken)
    desk.run(SOON_S)
    assert max(mute) < SOON_S, sorted(mute)[-5:]
    assert [(it["place"], it["button"]) for it in desk.values("pressed")] == pressed


def test_a_verb_of_the_cable_that_is_none_is_refused(desk: Desk) -> None:
    for verb in ("usb", "usb sleep", "usb suspend now", "dtr", "dtr maybe"):
        with pytest.raises(Exception, match="takes"):
            desk.tester.say(verb)
