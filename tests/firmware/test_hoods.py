"""Under the hoods: who sees what the host painted, calls, secret menus, and that no host can imitate a choice."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.firmware.desk import DARK, Desk, lit
from tests.firmware.tints import tint

from sample import each
from tablier.table.incoming import TableEvent
from tablier.texts import Json
from tablier_fw import colours, wire

ROSE = (colours.ROSE, 200, wire.STEADY)
PAINTED = [bytes(colours.dim(*ROSE[:2])).hex()] * 5
GENUINE = bytes(colours.GENUINE).hex()
FACES = bytes((colours.RED, colours.GREEN, colours.BLUE))
QUESTIONS = {
    "idle": (wire.IDLE, ()),
    "choice": (wire.CHOICE, (1, 0, b"\3" + bytes(5), bytes(6), bytes((colours.AZURE, colours.ORANGE)))),
    "window": (wire.WINDOW, (1, 0, 5000, 1000, 0)),
    "poll": (wire.POLL, (1,)),
    "menu": (wire.MENU, (1, 0, 0b111, bytes([1, 2, 3]))),
    "tally": (wire.TALLY, (1, 3, FACES, b"")),
    "watch": (wire.WATCH, (1,)),
    "check": (wire.CHECK, ()),
    "roll": (wire.ROLL, (1, wire.EVERYBODY, b"\6\0")),
}


def paint(desk: Desk, pixel: tuple[int, int, int] = ROSE) -> None:
    for place in range(1, 7):
        desk.client.want(wire.SCENE, wire.HOOD + place - 1, bytes(pixel) * 5)
    desk.run(0.1)


def hold(desk: Desk, *presses: str) -> list[tuple[str, Json]]:
    """Presses buttons of place 1 one after another and holds them, then lets go of all; returns what came of it."""
    seen = len(desk.seen)
    for button in presses:
        desk.tester.say(f"hold 1 {button}")
        desk.run(0.1)
    for button in presses:
        desk.tester.say(f"release 1 {button}")
    desk.run(0.2)
    return [(it.message.name, it.values) for it in desk.seen[seen:] if isinstance(it, TableEvent)]


# -- peek ------------------------------------------------------------------------------------------------------


def test_a_painted_hood_is_dark_until_its_place_peeks_for_five_seconds(desk: Desk) -> None:
    desk.ask(wire.POLL, 0, 0b10)
    paint(desk)
    assert not any(lit(colour) for place in range(1, 7) for colour in desk.pixels(f"hood{place}"))
    assert desk.press(1, "plus") == []
    assert desk.pixels("hood1") == PAINTED and not any(map(lit, desk.pixels("hood3")))
    desk.run(4.6)
    assert desk.pixels("hood1") == PAINTED
    desk.run(0.4)
    assert desk.pixels("hood1") == [DARK] * 5


@pytest.mark.parametrize("name", each(4, QUESTIONS))
def test_while_a_place_is_asked_its_hood_belongs_to_the_question(desk: Desk, name: str) -> None:
    """A choice may be imitated neither by paint nor by the buttons that are read meanwhile."""
    message, values = QUESTIONS[name]
    paint(desk)
    desk.ask(message, 0, *values)
    for button in wire.BUTTONS:
        desk.press(1, button)
        peeks = name == "idle" or (name == "menu" and button == "a")
        assert (desk.pixels("hood1") == PAINTED) == peeks, button
        if name in ("poll", "window") and button == "a":
            break  # it has answered, and is not asked any more
    assert not any(map(lit, desk.pixels("hood2")))
    desk.press(2, "b")
    assert (desk.pixels("hood2") == PAINTED) == (name != "check")


def test_in_a_menu_a_peeks_and_what_cannot_be_seen_is_not_confirmed(desk: Desk) -> None:
    paint(desk)
    desk.ask(wire.MENU, 0, 1, 0, 0b111, bytes([1, 2, 3]))
    number = desk.pixels("hood1")
    assert desk.press(1, "a") == [] and desk.pixels("hood1") == PAINTED
    assert desk.press(1, "b") == [] and desk.pixels("hood1") == number
    assert [it.message.name for it in desk.press(1, "b")] == ["picked"]


def test_a_held_while_dice_are_marked_peeks_and_marks_nothing(desk: Desk) -> None:
    paint(desk)
    desk.ask(wire.TALLY, wire.MARK, 1, 1, FACES, b"")
    desk.press(1, "b")
    desk.tester.say("hold 1 a")
    desk.run(0.9)
    assert desk.pixels("hood1") != PAINTED
    desk.run(0.2)
    assert desk.pixels("hood1") == PAINTED
    desk.tester.say("release 1 a")
    desk.run(0.1)
    desk.press(1, "a")  # ends it
    assert desk.pixels("hood1") != PAINTED
    (tallied,) = desk.press(1, "b")
    assert tallied.values["kept"] == 0


# -- call ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", each(4, [name for name in QUESTIONS if name not in ("choice", "watch")]))
def test_a_call_is_one_event_and_nothing_else(desk: Desk, name: str) -> None:
    message, values = QUESTIONS[name]
    id = desk.ask(message, wire.CALL, *values)
    before = desk.pixels("hood1")
    assert hold(desk, "minus", "plus") == [("called", {"id": id, "place": 1})]
    assert desk.pixels("hood1") == before
    desk.tester.say("hold 5 minus")
    desk.run(0.05)
    desk.press(5, "plus")
    assert desk.values("called") == [{"id": id, "place": place} for place in (1, 5)]


@pytest.mark.parametrize("name", each(4, [name for name in QUESTIONS if name != "watch"]))
def test_without_leave_the_gesture_does_nothing(desk: Desk, name: str) -> None:
    message, values = QUESTIONS[name]
    desk.ask(message, 0, *values)
    before = desk.pixels("hood1")
    assert hold(desk, "minus", "plus") == []
    assert name == "idle" or desk.pixels("hood1") == before


def test_in_a_choice_a_call_never_locks_and_waits_until_all_is_open(desk: Desk) -> None:
    three = bytes((colours.AZURE, colours.ORANGE, colours.GREEN))
    id = desk.ask(wire.CHOICE, wire.CALL, 0b11, 0, b"\7\3" + bytes(4), bytes(6), three)
    before = desk.pixels("hood1")
    assert hold(desk, "minus", "plus") == []
    assert desk.pixels("hood1") == before, "what minus selected is taken back"
    assert [it.message.name for it in desk.press(1, "minus", "plus")] == ["locked"]
    hood = desk.pixels("hood2")
    button = next(button for button, pixel in (("minus", 0), ("a", 1), ("b", 3)) if lit(hood[pixel]))
    desk.press(2, button, "plus")
    desk.run(0.3)
    assert [it.message.name for it in desk.events()] == ["locked", "locked", "opened", "opened", "called"]
    assert desk.values("called") == [{"id": id, "place": 1}]


# -- secret menus ----------------------------------------------------------------------------------------------


def test_a_secret_menu_begins_anywhere_and_tells_nothing_but_the_option(make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    labels = bytes((colours.RED, colours.GREEN, colours.BLUE, colours.WHITE))
    full = [bytes(colours.option_look(label)).hex() for label in labels]
    begins = set()
    for _ in range(12):
        desk.ask(wire.MENU, wire.SECRET, 1, 0, 0b0110, labels)
        seen = desk.trace()
        for _ in range(4):
            hood = desk.pixels("hood1")
            assert hood == [hood[0], hood[0], DARK, hood[0], hood[0]], "no number has a gap"
            if hood[0] in full:
                assert full.index(hood[0]) in (1, 2)
            begins.add(hood[0])
            desk.press(1, "plus")
        assert wire.CURSOR not in [message for _, message, _ in seen]
        while desk.pixels("hood1")[0] in full:
            desk.press(1, "minus")
        assert desk.press(1, "b") == [], "what is not open is passed over"
        while desk.pixels("hood1")[0] != full[2]:
            desk.press(1, "plus")
        (picked,) = desk.press(1, "b")
        assert picked.values["option"] == 2
    assert len(begins) == 4


def test_a_hood_numbers_twelve_options(desk: Desk) -> None:
    white, amber, blue = (bytes(colour).hex() for colour in colours.NUMBERS)
    for number in range(1, 13):
        desk.ask(wire.MENU, 0, 1, 0, 1, bytes([number]))
        desk.run(0.15)  # a hood changes at most ten times a second
        colour, count = ((white, number), (amber, number - 5), (blue, number - 10))[(number - 1) // 5]
        assert desk.pixels("hood1") == [colour] * count + [DARK] * (5 - count)


@pytest.mark.parametrize("flags", [0, wire.SECRET, wire.QUIET])
def test_after_the_answer_a_menus_hood_is_dark(desk: Desk, flags: int) -> None:
    desk.ask(wire.MENU, flags, 1, 0, 0b111, bytes([1, 2, 3]))
    (picked,) = desk.press(1, "b")
    assert picked.message is wire.PICKED
    assert desk.pixels("hood1") == [DARK] * 5


# -- how fast a hood changes ---------------------------------------------------------------------------------------

BOTH = [(colours.GREEN, 120, wire.STEADY), (colours.AZURE, 255, wire.STEADY)]
"""Two colours that look like the mark where they alternate fast."""


def changes(film: list[str]) -> int:
    return sum(one != other for one, other in pairwise(film))


@pytest.mark.parametrize(
    ("group", "name"), each(3, [(wire.HOOD, "hood1"), (wire.RING, "ring"), (wire.PUBLIC, "public")])
)
def test_scenes_change_what_is_seen_at_most_ten_times_a_second(desk: Desk, group: int, name: str) -> None:
    paint(desk)
    desk.press(1, "a")  # peeks
    film, coin = [], random.Random(1)
    for _ in range(200):
        desk.client.want(wire.SCENE, group, bytes(coin.choice(BOTH)) * wire.GROUPS[group])
        desk.run(0.01)
        film.append(desk.pixels(name)[2])
    assert 3 <= changes(film) <= 20
    desk.client.want(wire.SCENE, group, bytes(ROSE) * wire.GROUPS[group])
    desk.run(0.12)
    assert desk.pixels(name)[2] == PAINTED[0], "the latest is shown"


def test_hoods_stay_dark_while_questions_follow_one_another_faster(desk: Desk) -> None:
    film = []
    for turn in range(200):
        label = BOTH[turn % 2][0]
        desk.client.want(wire.MENU, desk.new_id(), wire.SECRET, 1, 0, 1, bytes([label]))
        desk.run(0.01)
        film.append(desk.pixels("hood1")[1])
    assert changes(film) <= 20 and film.count(DARK) >= 180
    desk.run(0.12)
    assert lit(desk.pixels("hood1")[1])


# -- the mark of a genuine choice ------------------------------------------------------------------------------


def test_no_field_of_any_message_reaches_the_mark() -> None:
    """The fields that colour a hood, found by their names; a new one must be named here."""
    found = {}
    for message in wire.MESSAGES:
        for name, _, _, high, *_ in message.fields:
            if message.way is wire.TO_TABLE and name in ("pixels", "colours", "labels"):
                found[message.name, name] = high[0] if isinstance(high, tuple) else high
    assert set(found) == {
        ("scene", "pixels"),
        ("choice", "colours"),
        ("menu", "labels"),
        ("tally", "colours"),
    }
    assert all(high < colours.MARK for high in found.values()), found


def test_what_names_the_mark_is_refused_and_never_shown(desk: Desk) -> None:
    cases = (
        (wire.SCENE, (wire.HOOD, bytes((colours.MARK, 255, 0)) * 5, 255)),
        (wire.MENU, (500, 0, 1, 0, 1, bytes([colours.MARK]))),
        (wire.MENU, (501, wire.SECRET, 1, 0, 1, bytes([colours.MARK]))),
        (wire.TALLY, (502, 0, 1, 1, bytes([colours.MARK]), b"")),
        (wire.CHOICE, (503, 0, 1, 0, b"\1" + bytes(5), bytes(6), bytes([colours.MARK]))),
    )
    for message, values in cases:
        with pytest.raises(wire.WireError):
            message.encode(*values)
        seen = desk.trace()
        port = desk.client._open_port
        assert port is not None
        port.write(wire.frame(message, desk.ids()[1], desk.client._greeting.run, message.pack(*values)))
        desk.run(0.2)
        assert [it for _, it, _ in seen].count(wire.REFUSED) == 1
        desk.press(1, "a")
        assert GENUINE not in desk.pixels("hood1")


def test_nothing_but_a_choice_shows_the_mark(desk: Desk) -> None:
    for name, (message, values) in QUESTIONS.items():
        desk.ask(message, 0, *values)
        assert (GENUINE in desk.pixels("hood1")) == (name == "choice")
    assert not any(GENUINE in desk.pixels(f"hood{place}") for place in range(2, 7))


@pytest.mark.parametrize("gamma", [1, 2.2], ids=["light of a pixel", "picture on a screen"])
@pytest.mark.parametrize("mark", [colours.MARK, colours.ROLL], ids=["choice", "roll"])
def test_a_mark_stays_apart_from_all_that_a_host_can_bring_about(mark: int, gamma: float) -> None:
    """By 0.17 in hue and saturation, because a host is free in how bright it paints."""
    others = [*colours.PALETTE[1 : wire.COLOURS], *colours.NUMBERS]
    if mark == colours.ROLL:  # stands beside all that is shown openly
        others += [colours.GENUINE, colours.ASKED, colours.PENDING, colours.TAKEN, colours.REFUSED, colours.ALONE]
    for other in others:
        assert math.dist(tint(colours.PALETTE[mark], gamma), tint(other, gamma)) >= 0.17, other


def test_no_message_can_name_a_mark() -> None:
    assert {colours.MARK, colours.ROLL} == set(range(wire.COLOURS, len(colours.PALETTE)))
