"""The throwing window: what is reported, when it closes and when not, what the ring shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.firmware.desk import DARK, PENDING, TAKEN, Desk

from sample import each
from tablier_fw import colours, wire

QUIET, GUARD = 5.0, 1.0
FLAT, LEANING, RIM = 0, 1, 2
SETTLE = 0.12


def open_window(
    desk: Desk,
    places: int = 0b111111,
    *,
    outside: int = 0,
    quiet: float = QUIET,
    guard: float = GUARD,
    seen: int = 0,
    first: int = 0,
) -> int:
    return desk.ask(wire.WINDOW, 0, places, outside, round(quiet * 1000), round(guard * 1000), seen, first)


def land(desk: Desk, how: str = "flat", seconds: float = 0.3) -> float:
    """A card lands; returns when it struck, by the host's clock."""
    desk.tester.land(how)
    struck: float = desk.tester.say("pile")["cards"][-1]["time"] / 1e6
    desk.run(seconds)
    return struck


def closed_at(desk: Desk) -> float:
    (closed,) = desk.events("closed")
    return closed.time


# -- landings ------------------------------------------------------------------------------------------------


def test_a_landing_is_reported_with_its_time_and_class(desk: Desk) -> None:
    id = open_window(desk)
    struck = [land(desk, how) for how in ("flat", "leaning", "rim", "flat")]
    landed = desk.events("landed")
    assert [it.values["index"] for it in landed] == [0, 1, 2, 3]
    assert [it.values["landing"] for it in landed] == [FLAT, LEANING, RIM, FLAT]
    assert {it.values["id"] for it in landed} == {id} and {it.values["impacts"] for it in landed} == {1}
    for it, time in zip(landed, struck, strict=True):
        assert it.time == pytest.approx(time, abs=1e-4)
    assert [(it.values["low"], it.values["rim"]) for it in landed] == [(0, 0), (0b0010, 0), (0, 0b0100), (0, 0)]


def test_cards_that_are_dropped_together_land_one_after_another(desk: Desk) -> None:
    open_window(desk)
    for how in ("flat", "leaning", "flat"):
        desk.tester.land(how)
    desk.run(0.5)
    landed = desk.events("landed")
    assert [it.values["landing"] for it in landed] == [FLAT, LEANING, FLAT]
    assert [it["time"] / 1e6 for it in desk.tester.say("pile")["cards"]] == pytest.approx([it.time for it in landed])


def test_cards_that_hold_beams_broken_say_nothing_of_the_next(desk: Desk) -> None:
    open_window(desk, quiet=60)
    for how in ("leaning", "rim", "leaning", "rim"):  # beams 0–3
        land(desk, how)
    for how in ("flat", "flat", "flat", "flat"):  # past the same beams
        land(desk, how)
    landed = desk.values("landed")
    assert [it["landing"] for it in landed] == [LEANING, RIM, LEANING, RIM, FLAT, FLAT, FLAT, FLAT]
    assert [(it["low"], it["rim"]) for it in landed[4:]] == [(0, 0)] * 4
    for how in ("leaning", "rim", "leaning", "rim"):
        land(desk, how)
    # Nothing new is broken by a card that leans into a beam that is broken already: the claim will tell.
    assert [it["landing"] for it in desk.values("landed")[8:]] == [FLAT] * 4


def test_a_beam_that_is_free_again_counts_again(desk: Desk) -> None:
    open_window(desk, quiet=60)
    for _ in range(2):
        land(desk, "leaning")
        desk.tester.say("clear")
        desk.run(0.1)
        for _ in range(3):  # on to the same beam
            land(desk, "flat")
    assert [it["landing"] for it in desk.values("landed")] == [LEANING, FLAT, FLAT, FLAT] * 2


@pytest.mark.parametrize("apart", each(3, [0.05, 0.06, 0.1, 0.13]))
@pytest.mark.parametrize(
    "hows",
    [("flat", "leaning"), ("leaning", "rim"), ("rim", "flat")],
    ids=" ".join,
)
def test_two_quick_landings_keep_their_order_and_their_classes(
    make_desk_once: Desk, hows: tuple[str, str], apart: float
) -> None:
    desk = make_desk_once
    desk.tester.say("clear")
    desk.run(0.2)
    open_window(desk)
    before = len(desk.events("landed"))
    first = land(desk, hows[0], apart)
    second = land(desk, hows[1], 0.5)
    landed = desk.events("landed")[before:]
    assert [wire.LANDINGS[it.values["landing"]] for it in landed] == list(hows)
    assert [it.time for it in landed] == pytest.approx([first, second], abs=1e-4)


@pytest.fixture(scope="module")
def make_desk_once() -> Iterator[Desk]:
    it = Desk()
    yield it
    it.close()


def test_landings_before_and_after_the_window_are_none_of_its(desk: Desk) -> None:
    land(desk)
    desk.tester.land("flat")
    desk.run(0.1)  # struck, not settled yet
    open_window(desk, 0b1)
    desk.run(1)
    assert desk.events() == []
    desk.press(1, "a")
    desk.run(0.3)
    assert desk.values("closed")[0]["landings"] == 0
    land(desk)
    assert desk.events("landed") == []


def test_the_ring_shows_each_landing_as_pending_then_safe(desk: Desk) -> None:
    open_window(desk)
    land(desk)
    desk.acking = False
    land(desk)
    film = {pixel: set(desk.film("ring", pixel, 1.1, 0.05)) for pixel in range(3)}
    assert film == {0: {TAKEN}, 1: {PENDING, DARK}, 2: {DARK}}
    assert desk.client.status["landings"] == 1
    desk.ack_all()
    desk.run(0.3)
    assert desk.pixels("ring")[:3] == [TAKEN, TAKEN, DARK]
    assert desk.client.status["landings"] == 2


@pytest.mark.parametrize(("first", "seen", "pixels"), [(5, 2, [5, 6, 7]), (31, 1, [31, 0])])
def test_the_lights_of_landings_begin_where_the_host_says(desk: Desk, first: int, seen: int, pixels: list[int]) -> None:
    open_window(desk, seen=seen, first=first)
    assert lit(desk) == sorted(pixels[:-1])
    land(desk)
    assert desk.values("landed")[0]["index"] == seen
    desk.run(0.3)
    assert lit(desk) == sorted(pixels)
    assert {desk.pixels("ring")[pixel] for pixel in pixels} == {TAKEN}


def lit(desk: Desk) -> list[int]:
    return [pixel for pixel, colour in enumerate(desk.pixels("ring")) if colour != DARK]


def test_the_blue_of_a_lonely_table_does_not_cover_a_landing(desk: Desk) -> None:
    open_window(desk)
    desk.client.close()
    desk.clock.wait(6, None)
    alone = bytes(colours.ALONE).hex()
    assert desk.pixels("ring")[::4] == [alone] * 8
    for _ in range(5):
        desk.tester.land("flat")
        desk.clock.wait(0.3, None)
    film = []
    for _ in range(50):
        film.append(desk.pixels("ring"))
        desk.clock.wait(0.02, None)
    assert {ring[0] for ring in film} == {ring[4] for ring in film} == {PENDING, DARK}
    assert {ring[8] for ring in film} == {alone}


def test_after_a_restart_the_landings_that_were_logged_are_counted_on(desk: Desk) -> None:
    open_window(desk)
    land(desk)
    land(desk)
    desk.tester.say("reset")
    desk.run(1)
    open_window(desk, seen=2)
    assert desk.pixels("ring")[:3] == [TAKEN, TAKEN, DARK]
    assert desk.status()["landings"] == 2
    land(desk)
    assert desk.values("landed")[-1]["index"] == 2
    desk.run(QUIET + 1)
    assert desk.values("closed")[0]["landings"] == 3


def test_when_the_journal_is_full_landings_wait_for_room(desk: Desk) -> None:
    desk.acking = False
    open_window(desk, quiet=60)
    for _ in range(51):
        land(desk, "flat", 0.06)
    desk.run(0.5)
    assert len(desk.events("landed")) == 48
    assert desk.status()["flags"] & wire.FLAG_FULL
    desk.press(1, "a")
    desk.acking = True
    desk.ack_all()
    desk.run(1)
    assert [it["index"] for it in desk.values("landed")] == list(range(51))
    assert desk.status()["landings"] == 51
    assert desk.events("done") == []  # it was refused, and pressed again it is taken
    assert [it.message.name for it in desk.press(1, "a")] == ["done"]


# -- closing ---------------------------------------------------------------------------------------------------


def test_it_closes_when_every_place_throws_no_more(desk: Desk) -> None:
    open_window(desk, 0b000111)
    desk.press(1, "a")
    desk.press(2, "a")
    desk.run(30)
    assert desk.events("closed") == []  # without a landing it waits for the third as long as that takes
    desk.press(3, "a")
    desk.run(0.1)
    assert [(it["place"], it["missed"]) for it in desk.values("done")] == [(1, 0), (2, 0), (3, 0)]
    assert [(it["reason"], it["landings"]) for it in desk.values("closed")] == [(wire.CLOSE_DONE, 0)]


def test_b_says_that_a_card_missed(desk: Desk) -> None:
    open_window(desk, 0b000011)
    desk.press(1, "b")
    desk.press(2, "a")
    assert [(it["place"], it["missed"]) for it in desk.values("done")] == [(1, 1), (2, 0)]


def test_it_closes_so_long_after_the_last_landing(desk: Desk) -> None:
    open_window(desk, quiet=3)
    land(desk, "flat", 2.5)
    last = land(desk, "flat", 6)
    assert desk.values("closed")[0]["reason"] == wire.CLOSE_QUIET
    assert last + 3 <= closed_at(desk) <= last + 3 + SETTLE + 0.05


def test_it_never_closes_within_the_guard_of_a_landing(desk: Desk) -> None:
    open_window(desk, 0b1)
    last = land(desk, "flat", 0.05)
    desk.press(1, "a")
    desk.run(3)
    assert last + GUARD <= closed_at(desk) <= last + GUARD + SETTLE + 0.05
    assert desk.values("closed")[0]["reason"] == wire.CLOSE_DONE


@pytest.mark.parametrize("before", [0.03, 0.005])
def test_it_does_not_close_while_a_card_flies_or_settles(desk: Desk, before: float) -> None:
    open_window(desk, quiet=3)
    land(desk, "flat", 0.5)
    first = desk.events("landed")[0].time
    due = first + SETTLE + 3
    desk.run(due - before - desk.clock.now())  # the card breaks its first beam just before the window would close
    last = land(desk, "flat", 5)
    assert last > due
    assert [it["index"] for it in desk.values("landed")] == [0, 1]
    assert closed_at(desk) >= last + 3


def test_places_whose_source_is_elsewhere_are_done_when_the_host_says_so(desk: Desk) -> None:
    id = open_window(desk, 0b000001, outside=0b000110)
    desk.press(1, "a")
    desk.client.want(wire.OUTSIDE, id, 2, 0, bytes(32))
    desk.run(1)
    assert desk.events("closed") == []
    desk.client.want(wire.OUTSIDE, id, 3, 0, bytes(32))
    desk.run(0.3)
    assert desk.values("closed")[0]["reason"] == wire.CLOSE_DONE


def test_a_closed_window_is_over_for_all(desk: Desk) -> None:
    open_window(desk, 0b11, quiet=1)
    land(desk, "flat", 2)
    assert len(desk.events("closed")) == 1
    assert desk.pixels("public") == [DARK] * 6
    desk.press(1, "a")
    desk.press(2, "b")
    desk.run(10)
    assert desk.events("done") == [] and len(desk.events("closed")) == 1


# -- doubts, and what happens later ------------------------------------------------------------------------------


def test_a_landing_says_how_sure_it_is_and_why_not(desk: Desk) -> None:
    open_window(desk, quiet=60)
    land(desk)
    desk.tester.say("bump")
    desk.run(0.6)
    sure, knock = desk.values("landed")
    assert sure["confidence"] > 90 and not sure["doubts"]
    assert knock["confidence"] < 20 and knock["doubts"] & wire.UNSEEN


def test_a_landing_that_slides_or_is_taken_out_has_moved(desk: Desk) -> None:
    id = open_window(desk, quiet=60)
    for how, tag in (("leaning", "3"), ("flat", "4"), ("rim", "5")):
        desk.tester.land(how, tag)
        desk.run(0.4)
    assert desk.events("moved") == []
    desk.tester.say("slide 5")
    desk.run(0.5)
    desk.tester.say("take 4")  # it lay in no beam
    desk.tester.say("take 3")
    desk.run(0.5)
    assert [(it["id"], it["index"]) for it in desk.values("moved")] == [(id, 2), (id, 0)]
    assert len(desk.events("landed")) == 3  # what slid was felt, and is no new card


def test_what_lay_there_before_the_window_is_none_of_its(desk: Desk) -> None:
    land(desk, "leaning")
    open_window(desk, quiet=60)
    desk.tester.say("clear")
    desk.run(0.5)
    assert desk.events() == []


def test_a_hand_and_light_are_no_landings(desk: Desk) -> None:
    open_window(desk, 0b1, quiet=60)
    for verb in ("hand", "shine 35", "hand", "shine 0"):
        desk.tester.say(verb)
        desk.run(3)
    assert desk.events() == []
    desk.press(1, "a")
    desk.run(0.3)
    assert desk.values("closed")[0]["landings"] == 0


def test_cards_as_people_throw_them_are_landings_too(desk: Desk) -> None:
    open_window(desk, quiet=60)
    for number in range(20):
        desk.tester.say(f"throw flat {number}")
        desk.run(0.5)
    assert len(desk.tester.say("pile")["cards"]) == 20
    assert [it["landing"] for it in desk.values("landed")].count(FLAT) >= 19


# -- knocks ----------------------------------------------------------------------------------------------------


def test_knocks_keep_no_window_open_when_all_are_done(desk: Desk) -> None:
    desk.ask(wire.WINDOW, 0, 0b1, 0, 5000, 1000, 0)
    desk.tester.land("flat")
    desk.run(0.4)
    knock_until(desk, 1.2)
    desk.press(1, "a")
    knock_until(desk, 0.4)
    assert [it["reason"] for it in desk.values("closed")] == [wire.CLOSE_DONE]


def test_a_landing_keeps_it_open_for_the_guard_time(desk: Desk) -> None:
    desk.ask(wire.WINDOW, 0, 0b1, 0, 5000, 1000, 0)
    desk.tester.land("flat")
    desk.run_until(lambda: bool(desk.events("landed")))
    desk.press(1, "a")
    desk.run(0.5)
    assert desk.events("closed") == []
    desk.run(0.5)
    assert len(desk.events("closed")) == 1


def knock_until(desk: Desk, seconds: float) -> None:
    """Knock against the table five times a second, for so long."""
    for _ in range(round(5 * seconds)):
        desk.tester.say("bump")
        desk.run(0.2)
