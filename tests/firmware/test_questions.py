"""Poll, menu, tally, watch and tunes: what each button does, and what the places see."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from tests.firmware.desk import DARK, PENDING, REFUSED, TAKEN, Desk, lit, steady

from sample import each, sample
from tablier.table.incoming import Walked
from tablier_fw import colours, wire

AMBER, AZURE = (bytes(colour).hex() for colour in colours.NUMBERS[1:])


# -- poll ------------------------------------------------------------------------------------------------------


def test_a_poll_takes_yes_and_no_from_those_who_are_asked(desk: Desk) -> None:
    id = desk.ask(wire.POLL, 0, 0b001011)
    assert [lit(colour) for colour in desk.pixels("public")] == [True, True, False, True, False, False]
    desk.press(1, "b")
    desk.press(2, "a")
    desk.press(3, "b")
    desk.press(4, "plus", "minus")
    assert desk.values("answered") == [{"id": id, "place": 1, "yes": 1}, {"id": id, "place": 2, "yes": 0}]
    assert desk.pixels("public")[:3] == [TAKEN, TAKEN, DARK]
    desk.press(1, "a")
    desk.press(2, "b")
    assert len(desk.events()) == 2


def test_asked_places_pulse_white(desk: Desk) -> None:
    desk.ask(wire.POLL, 0, 0b1)
    film = desk.film("public", 0, 1.1)
    assert len(set(film)) > 10
    assert all(colour[:2] == colour[2:4] == colour[4:] and colour != DARK for colour in film)


def test_with_first_the_first_yes_ends_it(desk: Desk) -> None:
    desk.ask(wire.POLL, wire.FIRST, 0b111)
    desk.press(2, "a")
    desk.press(3, "b")
    assert desk.pixels("public")[:3] == [DARK, TAKEN, TAKEN]
    desk.press(1, "b")
    assert [(it["place"], it["yes"]) for it in desk.values("answered")] == [(2, 0), (3, 1)]


def test_an_answer_is_pending_until_it_is_durable(desk: Desk) -> None:
    desk.acking = False
    desk.ask(wire.POLL, 0, 0b1)
    desk.press(1, "b")
    assert set(desk.film("public", 0, 1.1)) == {PENDING, DARK}
    desk.ack_all()
    desk.run(0.1)
    assert desk.public(1) == TAKEN


# -- menu -----------------------------------------------------------------------------------------------------


def number(desk: Desk, place: int) -> int:
    """The number that a hood shows."""
    hood = desk.pixels(f"hood{place}")
    count = sum(map(lit, hood))
    assert hood == [hood[0]] * count + [DARK] * (5 - count)
    return 0 if not count else count + (5 if hood[0] == AMBER else 0)


def test_a_menu_shows_the_label_of_each_option(desk: Desk) -> None:
    labels = bytes(range(1, 11))
    desk.ask(wire.MENU, 0, 3, 0, (1 << len(labels)) - 1, labels)
    shown = []
    for _ in labels:
        shown.append(number(desk, 3))
        desk.press(3, "plus")
    assert shown == list(range(1, 11))
    assert number(desk, 3) == 1  # round again


def test_a_menu_is_walked_both_ways_and_round(desk: Desk) -> None:
    id = desk.ask(wire.MENU, 0, 2, 1, 0b111, bytes([4, 7, 9]))
    assert number(desk, 2) == 7
    walk = [("minus", 0, 4), ("minus", 2, 9), ("plus", 0, 4), ("plus", 1, 7), ("plus", 2, 9), ("plus", 0, 4)]
    for button, option, label in walk:
        desk.press(2, button)
        assert number(desk, 2) == label
        assert desk.seen[-1] == Walked(id, 2, option)
    assert desk.press(1, "plus", "b") == []
    desk.press(2, "a", "plus", "b", "plus", "b")
    assert desk.values("picked") == [{"id": id, "place": 2, "option": 1}]
    assert number(desk, 2) == 0 and desk.public(2) == TAKEN


def test_a_quiet_menu_says_only_what_was_picked(desk: Desk) -> None:
    desk.ask(wire.MENU, wire.QUIET, 1, 0, 0b111, bytes([1, 2, 3]))
    before = len(desk.seen)
    desk.press(1, "plus", "plus", "minus")
    assert desk.seen[before:] == []
    desk.press(1, "b")
    assert desk.values("picked")[0]["option"] == 1


def test_an_option_that_is_not_open_is_passed_over(desk: Desk) -> None:
    desk.ask(wire.MENU, 0, 1, 0, 0b110, bytes([1, 2, 3]))
    assert desk.press(1, "b") == [] and number(desk, 1) == 1
    desk.press(1, "plus", "b")
    assert desk.values("picked")[0]["option"] == 1


# -- tally ----------------------------------------------------------------------------------------------------------

FACES = bytes((colours.RED, colours.GREEN, colours.BLUE, colours.YELLOW))
FACE = [bytes(colours.option_look(index)).hex() for index in FACES]


def cursor(desk: Desk, place: int, seconds: float = 1.1) -> list[int]:
    """Return the pixels of a hood that blink."""
    films: list[set[str]] = [set() for _ in range(5)]
    for _ in range(round(seconds / 0.1)):
        desk.run(0.1)
        for film, colour in zip(films, desk.pixels(f"hood{place}"), strict=True):
            film.add(colour)
    return [index for index, film in enumerate(films) if len(film) > 1]


def test_a_tally_is_entered_die_by_die(desk: Desk) -> None:
    id = desk.ask(wire.TALLY, 0, 4, 3, FACES, b"")
    assert steady(desk, 4) == [FACE[0], DARK, DARK, DARK, DARK]
    assert cursor(desk, 4) == [0]
    desk.press(4, "plus", "b", "minus", "b")
    assert steady(desk, 4) == [FACE[1], FACE[3], FACE[0], DARK, DARK]
    assert cursor(desk, 4) == [2]
    desk.press(4, "plus", "plus", "a")
    assert cursor(desk, 4) == [1]
    desk.press(4, "a", "a", "plus")  # back to the first, which becomes 2
    assert cursor(desk, 4) == [0]
    assert desk.events() == []
    desk.press(4, "b", "b")
    assert desk.press(1, "b") == []
    desk.press(4, "b")
    assert desk.values("tallied") == [{"id": id, "place": 4, "kept": 0, "faces": bytes([2, 3, 2])}]
    assert desk.pixels("hood4") == [DARK] * 5 and desk.public(4) == TAKEN
    desk.press(4, "b", "plus", "b")
    assert len(desk.events()) == 1


def test_then_dice_are_marked_to_keep(desk: Desk) -> None:
    dim = [bytes(byte // 4 for byte in bytes.fromhex(colour)).hex() for colour in FACE]
    desk.ask(wire.TALLY, wire.MARK, 1, 3, FACES, b"")
    desk.press(1, "b", "plus", "b", "plus", "plus", "b")
    assert desk.events() == []
    assert steady(desk, 1) == [dim[0], dim[1], dim[2], DARK, DARK]
    assert cursor(desk, 1) == [0]
    desk.press(1, "a", "minus", "a")  # the first, and the last from the other side
    assert steady(desk, 1) == [FACE[0], dim[1], FACE[2], DARK, DARK]  # what is marked is seen at once
    assert cursor(desk, 1) == [2]
    desk.press(1, "plus", "a", "a", "plus", "a")
    assert steady(desk, 1)[:3] == [FACE[0], FACE[1], FACE[2]]
    desk.press(1, "a", "b")
    assert desk.values("tallied")[0] == {"id": 1, "place": 1, "kept": 0b101, "faces": bytes([0, 1, 2])}


# -- watch ----------------------------------------------------------------------------------------------------------


def test_every_watched_press_is_reported_in_order(desk: Desk) -> None:
    id = desk.ask(wire.WATCH, 0, 0b110101)
    pressed = [(place, button) for place in range(1, 7) for button in wire.BUTTONS]
    for place, button in pressed:
        desk.tester.press(place, button, 30)
        desk.run(0.06)
    desk.run(0.3)
    expected = [(place, wire.BUTTONS.index(button)) for place, button in pressed if 0b110101 >> (place - 1) & 1]
    assert [(it["place"], it["button"]) for it in desk.values("pressed")] == expected
    assert {it["id"] for it in desk.values("pressed")} == {id}
    assert desk.public(1) not in (TAKEN, PENDING, DARK)  # still asked


def test_a_held_button_is_one_press_and_a_stutter_is_none(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.tester.say("hold 1 a")
    desk.run(3)
    desk.tester.say("release 1 a")
    desk.run(0.3)
    assert len(desk.events()) == 1
    desk.tester.press(1, "b", 1)  # open again before the contact has come to rest
    desk.run(0.3)
    assert len(desk.events()) == 1


def test_the_time_of_a_press_is_when_it_was_pressed(desk: Desk) -> None:
    desk.ask(wire.WATCH, 0, 0b1)
    desk.run(0.1234)
    now = desk.clock.now()
    (pressed,) = desk.press(1, "a")
    assert now < pressed.time < now + 0.010  # bounces 2 ms, then 5 equal samples


# -- tunes ------------------------------------------------------------------------------------------------------------


def tune(*notes: tuple[int, int]) -> bytes:
    return b"".join(struct.pack("<HH", *note) for note in notes)


def heard(desk: Desk) -> list[tuple[float, int]]:
    return [(round(us / 1e6, 3), hertz) for us, hertz in desk.tester.say("stats")["tunes"]]


def test_a_tune_is_played_once_in_time(desk: Desk) -> None:
    begun = desk.clock.now()
    desk.client.want(wire.TONE, 1, tune((440, 100), (0, 50), (880, 200)))
    desk.run(1)
    assert [hertz for _, hertz in heard(desk)] == [440, 0, 880, 0]
    starts = [time - begun for time, _ in heard(desk)]
    assert starts == pytest.approx([0, 0.1, 0.15, 0.35], abs=0.004)
    desk.run(3)
    assert len(heard(desk)) == 4


@pytest.mark.parametrize("volume", each(2, [1, 2, 3]))
def test_a_tune_is_as_loud_as_the_host_says(desk: Desk, volume: int) -> None:
    desk.client.want(wire.TONE, 1, tune((440, 100), (0, 50)), volume)
    desk.run(1)
    assert [hertz for _, hertz in heard(desk)] == [440, 0]
    assert desk.tester.say("stats")["volume"] == volume


def test_a_new_tune_replaces_the_old_one(desk: Desk) -> None:
    desk.client.want(wire.TONE, 1, tune((440, 10000)))
    desk.run(0.2)
    desk.client.want(wire.TONE, 2, tune((880, 100)))
    desk.run(0.5)
    assert [hertz for _, hertz in heard(desk)] == [440, 880, 0]


def test_a_tune_does_not_sound_again_after_a_restart(desk: Desk) -> None:
    desk.client.want(wire.TONE, 1, tune((440, 50)))
    desk.run(0.5)
    desk.tester.say("reset")
    desk.run(1)
    assert [hertz for _, hertz in heard(desk)] == [440, 0]


# -- what is common to all -----------------------------------------------------------------------------------------

ASKING = [
    ("poll", (wire.POLL, 0, 0b1), ["b"]),
    ("menu", (wire.MENU, 0, 1, 0, 0b11, b"\1\2"), ["b"]),
    ("tally", (wire.TALLY, 0, 1, 1, FACES, b""), ["b"]),
    ("window", (wire.WINDOW, 0, 0b1, 0, 5000, 1000, 0), ["a"]),
    ("watch", (wire.WATCH, 0, 0b1), ["a"]),
]
FILLED = sample(ASKING[::3], ASKING)


@pytest.mark.parametrize(("question", "buttons"), [it[1:] for it in FILLED], ids=[it[0] for it in FILLED])
def test_a_full_journal_refuses_visibly_and_what_is_pressed_again_is_taken(
    desk: Desk, question: tuple[wire.Message, *tuple[Any, ...]], buttons: list[str]
) -> None:
    desk.acking = False
    desk.ask(wire.WATCH, 0, 0b100000)
    while not desk.client.status["flags"] & wire.FLAG_FULL:
        for button in wire.BUTTONS:
            desk.tester.press(6, button, 20)
        desk.run(0.1)
    desk.ask(*question)
    before = desk.status()["number"]
    desk.press(1, *buttons)
    assert set(desk.film("public", 0, 1.1, 0.1)) == {REFUSED, DARK}
    assert desk.status()["number"] == before
    desk.ack_all()
    desk.acking = True
    desk.run(0.3)
    assert desk.public(1) not in (REFUSED, DARK)
    assert len(desk.press(1, *buttons)) >= 1


def test_the_same_question_again_changes_nothing(desk: Desk) -> None:
    id = desk.ask(wire.POLL, 0, 0b11)
    desk.press(1, "b")
    payload = wire.POLL.encode(id, 0, 0b11)
    desk.client._send(wire.POLL, payload)
    desk.run(0.3)
    assert desk.public(1) == TAKEN
    assert desk.press(1, "b") == []
