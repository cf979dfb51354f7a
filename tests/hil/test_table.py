"""A table of any kind, as a person meets it: duel, window, tally, menu, tune, animations, every pixel and button."""

from __future__ import annotations

import struct
from itertools import pairwise

import pytest

from hil.rig import Rig, alike
from tablier.games.core.lights import Pixel
from tablier_fw import colours, rolls, wire
from tablier_fw.colours import BLUE, GREEN, PALETTE, RED

PEACE, CONFLICT = colours.AZURE, colours.ORANGE
CHOICES = {"peace": PALETTE[PEACE], "conflict": PALETTE[CONFLICT]}
DARK: Pixel = (colours.DARK, 0, wire.STEADY)
LEVEL = 120


def steady(colour: int) -> Pixel:
    return (colour, LEVEL, wire.STEADY)


def bits(*places: int) -> int:
    return sum(1 << place - 1 for place in set(places))


# -- every pixel, every button ------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", range(len(wire.GROUPS)))
def test_every_pixel_lights_in_every_colour(rig: Rig, group: int) -> None:
    name = ["ring", "public", *(f"hood{place}" for place in range(1, 7))][group]
    first = 1 if name == "public" else 0
    count = wire.GROUPS[group]
    there = [at for at in range(count) if sum(wire.GROUPS[:group]) + at in rig.there.pixels()]
    if not there:
        pytest.skip("this place is not there")
    for shift in range(3):
        wanted = [(RED, GREEN, BLUE)[(pixel + shift) % 3] for pixel in range(count)]
        rig.show(group, [steady(colour) for colour in wanted])
        if group >= wire.HOOD:
            rig.press(group - wire.HOOD + 1, "a")  # it is shown to a place that peeks, for five seconds
        if rig.kind == "real":
            assert rig.hands.confirm(f"Does every pixel of {name} shine, red, green and blue in turn?")
            continue
        for pixel, colour in enumerate(wanted):
            seen = PALETTE[colour] if pixel in there else (0, 0, 0)
            assert alike(rig.hands.colour(name, pixel + first), seen), f"{name} {pixel + first}"


def test_every_button_of_every_place_is_heard_once(rig: Rig) -> None:
    rig.ask(wire.WATCH, 0, rig.there.places)
    for place in rig.places:
        for number, button in enumerate(wire.BUTTONS):
            rig.press(place, button)
            pressed = rig.event("pressed")
            assert (pressed["place"], pressed["button"]) == (place, number)
    assert rig.silent("pressed")


AWAY_S = 20.0


def test_what_is_pressed_while_the_cable_is_out_comes_when_it_is_back(rig: Rig) -> None:
    """Each place presses two buttons: while a `watch` is open each press is an event of its own, pending or not."""
    rig.ask(wire.WATCH, 0, rig.there.places)
    presses = [(place, button) for button in ("a", "b") for place in rig.places]
    rig.hands.plug(into=False)
    for place, button in presses:
        rig.press(place, button)
        rig.run(AWAY_S / len(presses))
    assert not rig.client.connected and rig.silent("pressed")
    boot = rig.client.boot
    rig.hands.plug(into=True)
    for place, button in presses:
        pressed = rig.event("pressed")
        assert (pressed["place"], wire.BUTTONS[pressed["button"]]) == (place, button)
    assert rig.silent("pressed") and rig.client.boot == boot


def test_each_hood_belongs_to_its_place(rig: Rig) -> None:
    """Before a secret is ever shown: only the place that is asked has something under its hood."""
    for place in rig.places:
        rig.ask(wire.MENU, 0, place, 0, 0b1, bytes([3]))
        rig.sees("white", f"hood{place}", 2)
        for other in rig.places:
            if other != place:
                rig.sees("dark", f"hood{other}", 2)
        rig.press(place, "b")
        assert rig.event("picked")["place"] == place


# -- animations and sound -------------------------------------------------------------------------------------------


def test_a_blinking_pixel_is_lit_and_dark_in_turn(rig: Rig) -> None:
    rig.show(wire.RING, [(RED, LEVEL, wire.BLINK)] + [DARK] * 31)
    if rig.kind == "real":
        assert rig.hands.confirm("Does the ring's first pixel blink red, about once a second?")
        return
    for _ in range(2):
        rig.until(lambda: any(rig.hands.colour("ring", 0) or ()), "it is lit", 2.0)
        rig.until(lambda: not any(rig.hands.colour("ring", 0) or ()), "it is dark", 2.0)


def test_a_pulsing_pixel_grows_brighter_and_darker(rig: Rig) -> None:
    place = rig.places[0]
    rig.show(wire.PUBLIC, [(GREEN, LEVEL, wire.PULSE) if at == place else DARK for at in range(1, wire.PLACES + 1)])
    if rig.kind == "real":
        assert rig.hands.confirm(f"Does the public pixel of place {place} pulse green, without going dark?")
        return
    seen = set()
    for _ in range(30):
        rig.run(0.04)
        seen.add((rig.hands.colour("public", place) or (0, 0, 0))[1])
    assert len(seen) > 5 and min(seen) > 0


def test_a_comet_runs_around_the_ring(rig: Rig) -> None:
    rig.show(wire.RING, [(BLUE, LEVEL, wire.CHASE)] * 32)
    if rig.kind == "real":
        assert rig.hands.confirm("Does a blue comet run around the ring, about once a second?")
        return
    heads = []
    for _ in range(24):
        rig.run(0.02)
        heads.append(max(range(rig.there.ring), key=lambda pixel: (rig.hands.colour("ring", pixel) or (0, 0, 0))[2]))
    steps = [(after - before) % rig.there.ring for before, after in pairwise(heads)]
    assert all(step <= 4 for step in steps) and sum(steps) >= 8


def test_a_tune_sounds_once(rig: Rig) -> None:
    notes = (440, 60, 0, 30, 880, 60)
    payload = b"".join(value.to_bytes(2, "little") for value in notes)
    before = rig.hands.sounds()
    rig.ask(wire.TONE, payload)
    rig.run(0.4)
    after = rig.hands.sounds()
    if before is None or after is None:
        assert rig.hands.confirm("Were there two notes, the second an octave higher?")
        return
    assert [round(hertz, -1) for hertz in after[len(before) :]] == [440, 880]


# -- questions ---------------------------------------------------------------------------------------------


def choose(rig: Rig, place: int, choice: str) -> None:
    """Read the hood, press what means the choice there, and lock."""
    meaning = {"a": rig.under_hood(place, 1, CHOICES), "b": rig.under_hood(place, 3, CHOICES)}
    assert set(meaning.values()) == {"peace", "conflict"}
    rig.press(place, next(button for button in meaning if meaning[button] == choice), "plus")


def test_a_whole_duel(rig: Rig) -> None:
    one, other = rig.places[len(rig.places) // 2 - 1], rig.places[-1]
    places = bits(one, other)
    allowed = bytes(3 * (places >> at & 1) for at in range(wire.PLACES))
    question = rig.ask(wire.CHOICE, 0, places, 0, allowed, bytes(6), bytes([PEACE, CONFLICT]))
    rig.sees("white", "public", one)
    choose(rig, one, "conflict")
    first = rig.event("locked")
    rig.sees("amber", "public", one)
    assert rig.silent("opened"), "nothing is opened before all are locked"
    choose(rig, other, "peace")
    second = rig.event("locked")
    for locked, choice in ((first, 1), (second, 0)):
        opened = rig.event("opened")
        assert (opened["place"], opened["choice"]) == (locked["place"], choice)
        assert rig.client.board and rig.client.boot
        bound = wire.commitment(
            bytes.fromhex(rig.client.board),
            bytes.fromhex(rig.client.boot),
            question,
            opened["place"],
            0,
            opened["nonce"],
            choice,
        )
        assert bound == locked["commitment"]


def test_a_place_with_one_option_locks_by_the_same_gesture(rig: Rig) -> None:
    place = rig.places[-1]
    allowed = bytes(bits(place) >> at & 1 for at in range(wire.PLACES))
    rig.ask(wire.CHOICE, 0, bits(place), 0, allowed, bytes(6), bytes([PEACE, CONFLICT]))
    shown = {
        button: rig.under_hood(place, pixel, {**CHOICES, "nothing": (0, 0, 0)})
        for button, pixel in (("a", 1), ("b", 3))
    }
    assert sorted(shown.values()) == ["nothing", "peace"]
    rig.press(place, next(button for button in shown if shown[button] == "peace"), "plus")
    rig.event("locked")
    assert rig.event("opened")["choice"] == 0


def test_a_window_with_landings_of_every_kind(rig: Rig) -> None:
    rig.need_arena()
    one, other, third = rig.places[:3]
    rig.ask(wire.WINDOW, 0, bits(one, other, third), 0, 8000, 300, 0)
    for index, how in enumerate(("flat", "leaning", "rim", "flat")):
        rig.land(how)
        landed = rig.event("landed")
        assert (landed["index"], wire.LANDINGS[landed["landing"]]) == (index, how)
        rig.sees("green", "ring", index)
    rig.land("outside")  # nothing senses it: its thrower says so
    rig.press(one, "a")
    rig.press(other, "b")
    rig.press(third, "a")
    done = [rig.event("done") for _ in range(3)]
    assert [(it["place"], it["missed"]) for it in done] == [(one, 0), (other, 1), (third, 0)]
    closed = rig.event("closed")
    assert (closed["reason"], closed["landings"]) == (wire.CLOSE_DONE, 4)
    assert rig.silent("landed")
    rig.hands.clear()


def test_a_knock_at_an_empty_arena_is_doubted(rig: Rig) -> None:
    rig.need_arena()
    rig.ask(wire.WINDOW, 0, bits(rig.places[0]), 0, 8000, 300, 0)
    rig.land("flat")  # the floor has seen a card: from now on it is known
    assert rig.event("landed")["doubts"] == 0
    rig.bump()
    assert rig.event("landed")["doubts"] == wire.UNSEEN
    rig.hands.clear()
    rig.run(0.3)
    rig.bump()
    assert rig.event("landed")["doubts"] == wire.UNSEEN | wire.EMPTY
    rig.press(rig.places[0], "a")
    assert rig.event("closed")["landings"] == 3


def test_a_window_closes_some_time_after_the_last_landing(rig: Rig) -> None:
    rig.need_arena()
    rig.ask(wire.WINDOW, 0, bits(rig.places[0]), 0, 1500, 300, 0)
    rig.land("flat")
    rig.event("landed")
    assert rig.event("closed")["reason"] == wire.CLOSE_QUIET
    rig.hands.clear()


def test_a_poll_that_ends_with_the_first_yes(rig: Rig) -> None:
    first, *others = rig.places
    last = others[-2] if len(others) > 1 else others[0]
    rig.ask(wire.POLL, wire.FIRST, bits(first, last, others[-1]))
    rig.press(last, "a")
    rig.press(first, "b")
    assert [(it["place"], it["yes"]) for it in (rig.event("answered"), rig.event("answered"))] == [
        (last, 0),
        (first, 1),
    ]
    if last != others[-1]:
        rig.sees("dark", "public", others[-1])


def test_a_menu(rig: Rig) -> None:
    place = rig.places[len(rig.places) // 2]
    rig.ask(wire.MENU, 0, place, 0, 0b111, bytes([2, 5, 9]))
    rig.press(place, "plus", "plus", "minus", "b")
    assert rig.event("picked")["option"] == 1
    rig.sees("green", "public", place)


def test_a_tally_of_dice_with_some_to_keep(rig: Rig) -> None:
    place = rig.places[-1]
    rig.ask(wire.TALLY, wire.MARK, place, 3, bytes([RED, GREEN, BLUE]), b"")
    rig.press(place, "plus", "b")  # first die: the second face
    rig.press(place, "b")  # second die: the first face
    rig.press(place, "minus", "b")  # third die: the last face
    rig.press(place, "plus", "a", "b")  # keep the second
    tallied = rig.event("tallied")
    assert (tallied["faces"], tallied["kept"]) == (bytes([1, 0, 2]), 0b010)


def test_a_roll_of_dice_is_what_both_sides_have_drawn(rig: Rig) -> None:
    ranges = struct.pack("<3H", 2, 2, 2)
    place, ring = rig.places[len(rig.places) // 2 - 1], rig.there.ring
    first = 5 * (place - 1)
    id = rig.ask(wire.ROLL, 0, place, wire.EVERYBODY, ranges)
    rig.press(place, "b")
    for pixel in (first - 1, first + 3):
        rig.sees("violet", "ring", pixel % ring)
    commitment, added = rig.event("committed")["commitment"], bytes(range(16))
    rig.client.want(wire.CONTRIBUTION, id, commitment, added)
    nonce = rig.event("revealed")["nonce"]
    ids = (bytes.fromhex(rig.client.board or ""), bytes.fromhex(rig.client.boot or ""), id, place, ranges, nonce)
    assert rolls.commitment(*ids) == commitment
    for pixel, outcome in enumerate(rolls.outcomes(*ids, added), first):
        rig.sees(("red", "azure")[outcome], "ring", pixel % ring)


def test_the_table_says_how_it_is(rig: Rig) -> None:
    rig.run(0.5)
    status = rig.client.status
    assert status["heap_free"] > 60_000
    assert status["acked"] == status["number"]
    assert status["flags"] == 0
