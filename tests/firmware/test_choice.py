"""The secret choice: what a place sees and does, what leaves the table and when, and that nothing tells."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from unittest.mock import patch

import pytest
from tests.firmware.desk import DARK, PENDING, READY, REFUSED, TAKEN, Desk, lit

from sample import each
from tablier.table.incoming import TableEvent
from tablier.texts import Json
from tablier_fw import colours, wire
from tablier_fw.colours import BLUE, GREEN, ORANGE, PALETTE

TWO, THREE = bytes((BLUE, ORANGE)), bytes((BLUE, ORANGE, GREEN))
PIXEL_OF = {"minus": 0, "a": 1, "b": 3, "plus": 4}
MIDDLE = 2
GENUINE = bytes(colours.GENUINE).hex()
LOCKED = bytes(colours.LOCKED).hex()
SEATS = bytes((3, 1, 0, 2, 5, 4))


def ask(desk: Desk, places: int, *, outside: int = 0, allowed: int | list[int] = 0b11, colours: bytes = TWO) -> int:
    sets = [allowed] * 6 if isinstance(allowed, int) else allowed
    sets = [options if places >> place & 1 else 0 for place, options in enumerate(sets)]
    return desk.ask(wire.CHOICE, 0, places, outside, bytes(sets), SEATS, colours)


def option_of(colour: str, colours: bytes = TWO) -> int:
    """Return the option that a pixel of the hood shows, at any brightness."""
    seen = bytes.fromhex(colour)
    for option, index in enumerate(colours):
        if [byte > 0 for byte in seen] == [byte > 0 for byte in PALETTE[index]]:
            return option
    raise AssertionError(colour)


def mapping(desk: Desk, place: int, colours: bytes = TWO) -> dict[str, int]:
    """Return the option of each button, as the hood shows it."""
    hood = desk.pixels(f"hood{place}")
    seen = {button: hood[PIXEL_OF[button]] for button in ("minus", "a", "b")}
    return {button: option_of(colour, colours) for button, colour in seen.items() if colour != DARK}


def choose(desk: Desk, place: int, option: int, colours: bytes = TWO) -> list[TableEvent]:
    """Select and lock, as a person does who looks under the hood."""
    buttons = {option: button for button, option in mapping(desk, place, colours).items()}
    return desk.press(place, buttons[option], "plus")


def verified(desk: Desk, locked: Json, opened: Json) -> bool:
    board, boot = desk.ids()
    place: int = opened["place"]
    bound = wire.commitment(board, boot, opened["id"], place, SEATS[place - 1], opened["nonce"], opened["choice"])
    return bool(locked["commitment"] == bound)


# -- under the hood --------------------------------------------------------------------------------------------


def test_only_those_who_are_asked_see_anything(desk: Desk) -> None:
    ask(desk, 0b001001)
    shown = desk.tester.pixels()
    for place in range(1, 7):
        asked = place in (1, 4)
        assert any(map(lit, shown[f"hood{place}"])) == asked
        assert lit(shown["public"][place - 1]) == asked
    assert not any(map(lit, shown["ring"]))


def test_the_meaning_of_the_buttons_is_drawn_at_random(desk: Desk) -> None:
    seen: dict[int, list[int]] = {place: [] for place in range(1, 7)}
    for _ in range(40):
        ask(desk, 0b111111)
        desk.run(0.1)  # asked faster, hoods stay dark
        shown = desk.tester.pixels()
        for place in range(1, 7):
            hood = shown[f"hood{place}"]
            assert sorted(option_of(hood[pixel]) for pixel in (1, 3)) == [0, 1]
            assert [hood[0], hood[MIDDLE], hood[4]] == [DARK, GENUINE, DARK]
            seen[place].append(option_of(hood[1]))
    for draws in seen.values():  # each a fair coin: 40 throws, six standard deviations
        assert 1 <= sum(draws) <= 39
        assert len({tuple(draws[i : i + 3]) for i in range(38)}) >= 6
    together = Counter(sum(draws[i] for draws in seen.values()) for i in range(40))
    assert len(together) >= 4  # the places do not share one draw


def test_three_options_take_three_buttons_in_any_order(desk: Desk) -> None:
    orders = set()
    for _ in range(40):
        ask(desk, 0b1, allowed=0b111, colours=THREE)
        desk.run(0.1)
        orders.add(tuple(mapping(desk, 1, THREE).items()))
    assert len(orders) == 6
    for option in range(3):
        ask(desk, 0b1, allowed=0b111, colours=THREE)
        desk.run(0.1)
        choose(desk, 1, option, THREE)
        desk.run(0.2)
        assert desk.values("opened")[-1]["choice"] == option


def test_each_open_option_has_one_button_so_that_no_finger_says_more_than_another(desk: Desk) -> None:
    seen: Counter[tuple[str, int]] = Counter()
    for _ in range(60):
        ask(desk, 0b1, allowed=0b101, colours=THREE)
        desk.run(0.1)
        meaning = mapping(desk, 1, THREE)
        assert sorted(meaning.values()) == [0, 2]
        seen.update(meaning.items())
    assert set(seen) == set(itertools.product(("minus", "a", "b"), (0, 2)))
    assert min(seen.values()) >= 8  # 20 expected of each


def test_a_place_with_a_single_option_makes_the_same_gesture(desk: Desk) -> None:
    ask(desk, 0b11, allowed=[0b10, 0b11, 0, 0, 0, 0])
    assert set(mapping(desk, 1).values()) == {1}
    button = next(iter(mapping(desk, 1)))
    other = "a" if button == "b" else "b"
    if other not in mapping(desk, 1):
        assert desk.press(1, other, "plus") == []  # a dark button selects nothing
    (locked,) = desk.press(1, button, "plus")
    assert (locked.message.name, locked.values["place"]) == ("locked", 1)
    choose(desk, 2, 0)
    desk.run(0.2)
    assert {it["place"]: it["choice"] for it in desk.values("opened")} == {1: 1, 2: 0}


def test_the_selection_pulses_and_can_be_changed(desk: Desk) -> None:
    ask(desk, 0b1)
    meaning = mapping(desk, 1)
    for button in ("a", "b", "a", "a", "b"):
        assert desk.press(1, button) == []
        other = "b" if button == "a" else "a"
        film = {which: set(desk.film("hood1", PIXEL_OF[which], 1.1, 0.1)) for which in (button, other)}
        assert len(film[button]) > 5 and len(film[other]) == 1
        assert mapping(desk, 1) == meaning
        assert desk.pixels("hood1")[PIXEL_OF["plus"]] == READY
    locked, *_ = desk.press(1, "plus")
    desk.run(0.2)
    assert desk.values("opened")[0]["choice"] == meaning["b"]
    assert locked.message is wire.LOCKED


def test_a_lock_is_for_good(desk: Desk) -> None:
    ask(desk, 0b11)
    choose(desk, 1, 0)
    assert desk.press(1, "a", "b", "plus", "minus", "plus") == []
    choose(desk, 2, 0)
    desk.run(0.2)
    assert [it["choice"] for it in desk.values("opened")] == [0, 0]


# -- pending, taken, refused -------------------------------------------------------------------------------------


def test_a_lock_is_pending_until_it_is_durable_then_locked_and_taken_when_the_opening_is_durable(desk: Desk) -> None:
    ask(desk, 0b11)
    desk.acking = False
    choose(desk, 1, 1)
    assert set(desk.film("public", 0, 1.1)) == {PENDING, DARK}
    assert set(desk.film("hood1", MIDDLE, 1.1)) == {PENDING, DARK}
    hood = desk.pixels("hood1")
    assert [hood[i] for i in (0, 1, 3, 4)] == [DARK] * 4
    assert desk.client.status["taken"] == 0
    desk.ack_all()
    desk.run(0.1)
    assert desk.pixels("hood1") == [DARK, DARK, LOCKED, DARK, DARK]
    assert set(desk.film("public", 0, 1.1)) == {LOCKED}, "the log has the lock, but not what was chosen"
    assert desk.client.status["taken"] == 0b1
    choose(desk, 2, 0)
    desk.ack_all()  # the second lock
    desk.run(0.2)
    assert [event.message.name for event in desk.events()][-2:] == ["opened", "opened"]
    assert desk.public(1) == desk.public(2) == LOCKED
    desk.ack_all()
    desk.run(0.1)
    assert desk.public(1) == desk.public(2) == TAKEN
    assert desk.pixels("hood1") == [DARK, DARK, TAKEN, DARK, DARK]


def test_nothing_opens_before_all_are_locked_and_durable(desk: Desk) -> None:
    ask(desk, 0b111)
    choose(desk, 1, 0)
    choose(desk, 3, 1)
    desk.run(2)
    assert desk.events("opened") == []
    desk.acking = False
    choose(desk, 2, 1)
    desk.run(2)
    assert len(desk.events("locked")) == 3 and desk.events("opened") == []
    desk.ack_all()
    desk.acking = True
    desk.run(0.3)
    assert {it["place"]: it["choice"] for it in desk.values("opened")} == {1: 0, 2: 1, 3: 1}
    assert len({it.time for it in desk.events("opened")}) == 1
    desk.run(2)
    assert len(desk.events("opened")) == 3


def test_nothing_opens_before_the_commitments_from_elsewhere_are_there(desk: Desk) -> None:
    ask(desk, 0b1)
    id = ask(desk, 0b1, outside=0b110)
    choose(desk, 1, 0)
    desk.run(1)
    desk.client.want(wire.OUTSIDE, id, 2, 0, b"x" * 32)
    desk.client.want(wire.OUTSIDE, id - 1, 3, 0, b"y" * 32)  # of another question: not this one's
    desk.run(1)
    assert desk.events("opened") == []
    desk.client.want(wire.OUTSIDE, id, 3, 0, b"y" * 32)
    desk.run(0.2)
    assert [it["choice"] for it in desk.values("opened")] == [0]


@pytest.mark.parametrize("seed", each(3, range(3)))
def test_every_commitment_verifies_and_binds(make_desk: Callable[..., Desk], seed: int) -> None:
    desk = make_desk(seed)
    ask(desk, 0b111111)
    chosen = {1: 0, 2: 1, 3: 0, 4: 1, 5: 1, 6: 0}
    for place, option in chosen.items():
        choose(desk, place, option)
    desk.run(0.3)
    locked = {it["place"]: it for it in desk.values("locked")}
    opened = {it["place"]: it for it in desk.values("opened")}
    assert {place: it["choice"] for place, it in opened.items()} == chosen
    for place in chosen:
        assert verified(desk, locked[place], opened[place])
        assert not verified(desk, locked[place], {**opened[place], "choice": 1 - chosen[place]})
        assert not verified(desk, locked[place], {**opened[place], "place": place % 6 + 1})
    assert len({it["nonce"] for it in opened.values()}) == 6


def test_a_full_journal_refuses_visibly_and_recovers(desk: Desk) -> None:
    desk.acking = False
    desk.ask(wire.WATCH, 0, 0b100000)
    fill(desk)
    ask(desk, 0b1)
    meaning = mapping(desk, 1)
    before = len(desk.events())
    desk.press(1, "a", "plus")
    assert set(desk.film("public", 0, 1.1)) == {REFUSED, DARK}
    assert desk.pixels("public")[0] in (REFUSED, DARK)
    assert mapping(desk, 1) == meaning  # the hood still shows what to press
    assert desk.client.status["flags"] & wire.FLAG_FULL
    assert len(desk.events()) == before
    desk.ack_all()
    desk.acking = True
    desk.run(0.3)
    assert not desk.client.status["flags"] & wire.FLAG_FULL
    assert desk.public(1) not in (REFUSED, PENDING, TAKEN)
    (locked, *_) = desk.press(1, "plus")
    assert locked.message is wire.LOCKED
    desk.run(0.2)
    assert desk.values("opened")[0]["choice"] == meaning["a"]


def fill(desk: Desk, limit: int = 60) -> None:
    """Presses at a watched place until the table says that its journal is full."""
    for _ in range(limit):
        for button in wire.BUTTONS:
            desk.tester.press(6, button, 20)
        desk.run(0.1)
        if desk.client.status["flags"] & wire.FLAG_FULL:
            return
    raise AssertionError("the journal is never full")


# -- what nobody may see -------------------------------------------------------------------------------------------


Course = tuple[Desk, list[tuple[float, wire.Message, bytes]], list[list[list[str]]]]
"""A table, the frames that it sent (when, message, payload), and what its ring and its public pixels showed."""


def course_of(make_desk: Callable[..., Desk], option: int) -> Course:
    """All that leaves the table before the opening, at the same times of presses, when place 1 chooses an option."""
    desk = make_desk(5)
    frames: list[tuple[float, wire.Message, bytes]] = []
    take = desk.client._take

    def tap(message: wire.Message, boot: bytes, run: bytes, payload: bytes) -> None:
        frames.append((desk.clock.now(), message, payload))
        take(message, boot, run, payload)

    with patch.object(desk.client, "_take", tap):
        ask(desk, 0b11)
        # Who chooses the other option presses the other button at the same moment.
        public = []
        for button in ({meant: button for button, meant in mapping(desk, 1).items()}[option], "plus"):
            desk.tester.press(1, button)
            for _ in range(12):
                desk.run(0.1)
                public.append([desk.tester.pixels()[group] for group in ("ring", "public")])
    return desk, frames, public


def test_before_the_opening_nothing_depends_on_what_was_chosen(make_desk: Callable[..., Desk]) -> None:
    (one, frames_one, public_one), (two, frames_two, public_two) = (course_of(make_desk, option) for option in (0, 1))
    assert one.client.boot == two.client.boot  # else these are not the same tables
    assert public_one == public_two
    assert wire.LOCKED in [message for _, message, _ in frames_one]
    for (at, message, payload), (other_at, other, other_payload) in zip(frames_one, frames_two, strict=True):
        assert (at, message, len(payload)) == (other_at, other, len(other_payload))
        if message is wire.LOCKED:  # all but the commitment itself
            assert wire.LOCKED.decode(payload)[:-1] == wire.LOCKED.decode(other_payload)[:-1]
        elif message is wire.STATUS:  # what is in use before the choice differs with the id of the host's run
            here, there = (wire.STATUS.decode(it) for it in (payload, other_payload))
            assert here[:7] + here[9:] == there[:7] + there[9:]
        else:
            assert payload == other_payload, message.name
    for frames in (frames_one, frames_two):
        told = [wire.STATUS.decode(it)[7:13] for _, message, it in frames if message is wire.STATUS]
        assert len(set(told[1:])) == 1, "time and memory tell something while a choice is open"
