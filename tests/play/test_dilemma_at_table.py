"""Dilemma at the table: a window's end and what is in doubt are seen on the ring; misses are judged before the duel."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from dilemma_windows import Course, window
from playing import a_table

from ports import each, work
from positions import then
from tablier.course.seats import AT_TABLE, Seat
from tablier.games.core import Position
from tablier.games.core.lights import CHOICE_COLOURS, Look, Pixel, before
from tablier.games.core.menus import at_places
from tablier.games.core.questions import (
    Answered,
    Closed,
    Conditions,
    Done,
    Landed,
    Menu,
    Picked,
    Poll,
    Turn,
    Window,
)
from tablier.games.dilemma import lights
from tablier.games.dilemma.rules import Dilemma
from tablier.games.dilemma.script import script
from tablier.log.store import Log
from tablier.messages import Update
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.lights import look_of
from tablier.play.logged import log_id
from tablier.simulation import tester as testers
from tablier.simulation.clock import VirtualClock
from tablier.table.client import Client
from tablier.texts import render
from tablier_fw import colours, wire
from wording import Wording

FLAT, LEANING, RIM, OUTSIDE = range(4)
NAMES = ("Anne", "Bernard", "Christine")
PLACES = (1, 2, 4)


# -- a miss with two players left ------------------------------------------------------------------------------------


def test_a_miss_with_two_players_left_is_judged_by_the_others_before_anything_follows(wording: Wording) -> None:
    course = Course(window()).card(2, LEANING).agree()
    assert (course.question.what, course.question.seats) == ("judge", (1, 3))
    wording(course.text)
    assert course.moves is None


def test_one_who_believes_in_bad_luck_is_enough() -> None:
    course = Course(window()).card(2, RIM).agree()
    course.reply(Answered(1, False))
    assert course.moves is None
    course.reply(Answered(3, True))
    assert course.moves == ["p2 throw 3 rim", "table close"]


def test_a_card_that_nobody_lets_stand_was_not_thrown_and_the_window_is_open_again(wording: Wording) -> None:
    course = Course(window()).card(2, RIM).agree()
    course.reply(Answered(1, False), Answered(3, False))
    wording(course.text)
    assert course.question.seats == (2,)
    course.reply(Answered(2, False))  # it is still sought
    assert course.question.what == "returned"
    course.reply(Answered(2, True))
    assert isinstance(course.question, Window) and course.question.seats == (2,) and course.question.seen == 0
    course.card(2, FLAT).agree()  # the same card, thrown well
    assert course.moves == ["p2 throw 3 flat", "table close"]


def test_with_an_answer_on_the_offer_a_card_that_goes_back_opens_nothing_again() -> None:
    course = Course(window())
    course.reply(Landed(0, 0, LEANING, 97), Landed(0, 1, FLAT, 97), Closed(), Answered(2, True), Picked(2, 0))
    course.reply(Answered(2, True), Picked(2, 0)).agree()
    assert course.question.what == "judge"
    course.reply(Answered(1, False), Answered(3, False), Answered(2, True))
    assert course.moves == ["p2 throw 5 flat", "table close"]


def test_what_stands_is_not_judged_again_when_the_window_was_open_again() -> None:
    course = Course(window())
    course.reply(Landed(0, 0, LEANING, 97), Landed(0, 1, RIM, 97), Closed(), Answered(2, True), Picked(2, 0))
    course.reply(Answered(2, True), Picked(2, 0)).agree()
    course.reply(Answered(1, True), Answered(1, False), Answered(3, False))  # the 3 stands, the 5 does not
    course.reply(Answered(2, True))
    assert isinstance(course.question, Window) and course.question.seen == 1
    course.reply(Done(2, False), Closed()).agree()
    assert course.moves == ["p2 throw 3 leaning", "table close"]


def test_a_card_that_missed_the_arena_is_judged_too(wording: Wording) -> None:
    course = Course(window()).reply(Done(2, True), Closed(), Picked(2, 1)).agree()
    wording(course.text)
    course.reply(Answered(1, False), Answered(3, False), Answered(2, True), Done(2, False), Closed()).agree()
    assert course.moves == ["table close"]


def test_whoever_sits_alone_at_the_table_judges_for_themselves() -> None:
    course = Course(window(), arena=(2,)).reply(Answered(2, True)).card(2, LEANING).agree()
    assert (course.question.what, course.question.seats) == ("judge", (2,))


@pytest.mark.parametrize(("holders", "how"), [((1, 2, 3), LEANING), ((1, 2), FLAT)])
def test_nothing_else_is_judged(holders: tuple[int, ...], how: int) -> None:
    course = Course(window(holders)).reply(Landed(0, 0, how, 97), Closed(), Answered(2, True), Picked(2, 0))
    assert course.agree().moves is not None


# -- who has a say, and what can be left or put right ----------------------------------------------------------------


def heard(course: Course) -> dict[int, str]:
    """Return the numbers of the open menu, and what each is."""
    menu = course.question
    assert isinstance(menu, Menu)
    return {label: render(option.to_json(), NAMES) for label, option in zip(menu.labels, menu.options, strict=True)}


def test_the_provocateur_too_says_whether_the_list_is_right(wording: Wording) -> None:
    course = Course(window()).card(2, FLAT).reply(Answered(2, False))
    assert (course.question.what, course.question.seats) == ("review", (1, 2, 3))
    course.reply(Answered(2, True), Answered(1, False))
    wording(course.text)
    assert heard(course) == {1: "The first card above the offer", 2: "a card that is not listed", 12: "nothing"}


def test_a_wrong_yes_to_whose_card_it_is_can_be_left(wording: Wording) -> None:
    course = Course(window((1, 2, 3))).reply(Landed(0, 0, FLAT, 97), Closed(), Answered(2, True))
    assert heard(course) == {3: "3", 5: "5", 12: "not mine"}
    course.reply(Picked(2, 2))
    wording(course.text)
    course.reply(Answered(3, True), Picked(3, 1), Answered(2, False)).agree()
    assert course.moves == ["p3 throw 5 flat", "table close"]


def test_that_something_is_wrong_can_be_taken_back() -> None:
    course = Course(window()).card(2, FLAT).reply(Answered(2, False), Answered(1, False), Picked(1, 2))
    assert course.question.what == "review"


def test_whoever_was_slower_than_the_clock_is_asked_whether_a_card_missed(wording: Wording) -> None:
    course = Course(window((1, 2, 3))).reply(Done(3, False), Landed(0, 0, FLAT, 97), Closed())
    course.reply(Answered(3, True), Picked(3, 0))
    assert (course.question.what, course.question.seats) == ("beside", (2,))
    course.reply(Answered(2, True))
    wording(course.text)
    course.reply(Picked(2, 1))
    assert course.question.what == "beside"  # another one may have
    course.reply(Answered(2, False)).agree()
    assert course.moves == ["p3 throw 3 flat", "p2 throw 5 outside", "table close"]


def test_in_a_window_that_is_open_again_cards_keep_their_numbers_and_lights(wording: Wording) -> None:
    position = Position[Any](Dilemma(3))
    then(position, "p1 offer 8", "p2 throw 8 flat", "p3 throw 8 flat", "table close")
    course = Course(position)
    assert ring(course)[:2] == [lights.CARDS["flat"]] * 2
    course.reply(Landed(0, 0, FLAT, 97), Closed())
    wording(course.text)
    assert ring(course)[:4] == [lights.CARDS["flat"], lights.CARDS["flat"], lights.ASKED, (0, 0, 0)]
    course.reply(Answered(2, True), Picked(2, 2), Answered(2, False), Answered(3, False))
    wording(course.text)
    course.reply(Answered(1, False))
    assert list(heard(course)) == [3, 4, 12]


def test_more_cards_than_a_menu_has_room_for_are_picked_in_two_steps(wording: Wording) -> None:
    course = Course(window((1, 2, 3)))
    course.reply(*(Landed(0, index, FLAT, 97) for index in range(14)), Closed())
    while course.question.what == "claim":
        for seat in course.question.seats:
            course.reply(Answered(seat, False))
            if course.question.what != "claim":
                break
    course.reply(Answered(2, False), Answered(3, False), Answered(1, False))
    wording(heard(course)[1])
    course.reply(Picked(1, 1))
    assert heard(course) == {3: "The third card above the offer", 4: "The fourth card above the offer"}


def test_the_last_card_shows_its_own_rank() -> None:
    rules = Dilemma(3)
    state = rules.initial()._replace(hands=(1 << 7, 6, 6))
    turn = Course(Position(rules, state)).question
    assert isinstance(turn, Turn)
    menu = next(at_places(script(Position(rules, state), Conditions(arena=frozenset((1,)))), lambda seat: True))
    assert isinstance(menu, Menu) and menu.labels == (7,)


# -- what the ring shows ---------------------------------------------------------------------------------------------


def ring(course: Course, option: int | None = None, left: float = 1.0) -> list[Pixel]:
    return lights.ring(look_of(course.position, PLACES, course.question, option, left))


def test_the_azure_of_an_open_window_runs_out_towards_the_offer() -> None:
    course = Course(window(offer=8))
    lit = [
        [pixel for pixel, look in enumerate(ring(course, left=n / 10)) if look[0] == lights.OPEN[0]] for n in range(11)
    ]
    assert lit[10] == list(range(22)) and lit[0] == []
    for fewer, more in pairwise(lit):
        assert set(fewer) < set(more) and (not fewer or fewer[-1] == 21)
    assert {look[2] for look in ring(course, left=0.1) if look[0] == lights.OPEN[0]} == {wire.BLINK}
    assert [pixel for pixel, look in enumerate(ring(course)) if look == lights.OFFER] == list(range(24, 32))


def test_a_landing_in_doubt_is_orange_until_people_have_said_how_it_lies() -> None:
    course = Course(window((1, 2, 3)))
    course.reply(Landed(0, 0, FLAT, 97), Landed(0, 1, FLAT, 40, wire.HALF), Landed(0, 2, RIM, 97), Closed())
    assert ring(course)[:4] == [lights.ASKED, lights.CARDS["doubt"], lights.CARDS["out"], (0, 0, 0)]
    course.reply(Answered(2, True), Picked(2, 0))
    assert ring(course)[:3] == [lights.CARDS["flat"], lights.ASKED_IN_DOUBT, lights.CARDS["out"]]
    course.reply(Answered(3, True), Picked(3, 0), Answered(2, True), Picked(2, 0))
    course.reply(Answered(3, False))  # no other card of hers has missed
    assert course.question.what == "review"
    assert ring(course)[:3] == [lights.CARDS["flat"], lights.CARDS["doubt"], lights.CARDS["out"]]
    course.reply(Answered(3, False))
    assert ring(course, 1)[:3] == [
        lights.CARDS["flat"],
        lights.ASKED_IN_DOUBT,
        lights.CARDS["out"],
    ]  # the menu's second
    course.reply(Picked(3, 1), Answered(3, True), Picked(3, 0), Picked(3, FLAT))
    assert course.question.what == "review"
    assert ring(course)[:3] == [lights.CARDS["flat"], lights.CARDS["flat"], lights.CARDS["out"]]


def test_what_is_nobody_s_is_dark() -> None:
    course = Course(window((1, 2, 3))).reply(Landed(0, 0, FLAT, 20, wire.UNSEEN), Closed())
    course.reply(Answered(2, False), Answered(3, False))
    assert isinstance(course.question, Poll) and ring(course)[0] == (0, 0, 0)


def test_lives_lie_in_front_of_their_place_and_the_lost_ones_flash() -> None:
    position: Position[Any] = Position(Dilemma(3))
    then(position, "p1 offer 8", "p2 throw 3 flat", "table close", "p2 duel peace")
    was = position.rules.view(position.state, None)
    move = position.parse_push("p1 duel conflict")
    look = look_of(position, PLACES)
    lit = [pixel for pixel, each in enumerate(lights.ring(look)) if each == lights.LIFE]
    assert len(lit) == 8
    for place, lives in zip(PLACES, (2, 3, 3), strict=True):
        assert sum(pixel in before(place) for pixel in lit) == lives
    rings = lights.walk(look, move, was)
    conflict, peace = (next(each for each in [rings[0][before(place)[0]]]) for place in (1, 2))
    assert conflict[0] == CHOICE_COLOURS[1] and peace[0] == CHOICE_COLOURS[0]
    rings = [each for each in rings if each != rings[0]]
    flashes = [[pixel for pixel, each in enumerate(each) if each == lights.LOST] for each in rings]
    assert flashes[0] and set(flashes[0]) <= set(before(1)) and flashes[1] == []


def test_the_winners_are_lit_in_the_end() -> None:
    rules = Dilemma(3)
    over = rules.initial()._replace(phase="over", hands=(0, 0, 0), gained=((9,), (10,), ()))
    look = Look(rules, rules.view(over, None), PLACES, over=True, winners=rules.winners(over))
    assert {pixel for pixel, each in enumerate(lights.ring(look)) if each[0]} == set(before(2))
    assert [each[2] == wire.PULSE for each in lights.public(look)] == [False, True, False, False, False, False]


# -- at a table -----------------------------------------------------------------------------------------------------


class Room:
    """A game at a simulated table, and somebody who looks at it."""

    def __init__(self, running: Conductor, clock: VirtualClock, client: Client, tester: testers.Tester) -> None:
        self.running, self.tester = running, tester
        self._clock, self._client = clock, client
        self.news: list[str] = []
        running.watch((None,), each(self._read))

    def _read(self, update: Update) -> None:
        self.news += [render(each.text, NAMES) for each in update.news]

    def wait(self, seconds: float) -> None:
        end = self._clock.now() + seconds
        while (left := end - self._clock.now()) > 0:
            for incoming in self._client.poll(min(work(self.running), left)):
                self.running.take(incoming)

    def colours(self) -> list[str]:
        pixels: list[str] = self.tester.pixels()["ring"]
        return pixels

    def azure(self) -> int:
        """Return how many pixels of the ring tell that the window is open."""
        return sum(int(colour[4:], 16) > 2 * int(colour[:2], 16) + int(colour[2:4], 16) for colour in self.colours())


@contextmanager
def room(path: Path, position: Position[Any]) -> Iterator[Room]:
    with a_table(seed=1) as table, Log.open(path / "log.db") as log:
        tester = testers.Tester(table.control)
        tester.join()
        clock = VirtualClock(tester)
        seats = [Seat(name, place, AT_TABLE) for name, place in zip(NAMES, PLACES, strict=True)]
        number = begin(log, "dilemma", {}, seats, seed="5e" * 32)
        client = Client(table.port or "", clock, log.cursor, None, log=log_id(log))
        client.open()
        running = Conductor(log, number, clock, client, position=position)
        running.start()
        yield Room(running, clock, client, tester)
        client.close()
        tester.close()


def test_the_end_of_a_window_is_seen_on_the_ring(tmp_path: Path) -> None:
    with room(tmp_path, window((1, 2, 3))) as here:
        here.wait(2)
        assert here.azure() == 22  # nothing has landed: it waits, however long
        here.wait(9)
        assert here.azure() == 22
        here.tester.land("flat")
        here.wait(1.2)
        counted = [here.azure()]
        for _ in range(3):
            here.wait(1)
            counted.append(here.azure())
        assert 22 > counted[0] > counted[1] > counted[2] > counted[3] > 0
        here.tester.land("leaning")
        here.wait(1.2)
        assert here.azure() > counted[1]  # another card, and it begins anew
        flashed = 0
        for _ in range(60):
            here.wait(0.1)
            flashed += len(set(here.colours())) == 1 and here.colours()[0] != "000000"
        assert flashed >= 2
        assert here.azure() == 0
        assert "The window is closed." in here.news


def test_in_a_window_that_is_open_again_a_card_lights_the_pixel_after_those_that_lie_there(tmp_path: Path) -> None:
    with room(tmp_path, window((1, 2, 3), pile=[["p2", 8], ["p3", 8]])) as here:
        here.wait(2)
        before = here.colours()
        here.tester.land("flat")
        here.wait(1.2)
        after = here.colours()
        assert after[:2] == before[:2] == [lit(lights.CARDS["flat"])] * 2
        assert after[2] == bytes(colours.TAKEN).hex()


def lit(pixel: Pixel) -> str:
    """Return how a steady pixel shines."""
    index, level, _ = pixel
    return bytes(colours.dim(index, level)).hex()


def test_the_end_of_a_window_is_told_before_what_follows_from_it(tmp_path: Path) -> None:
    with room(tmp_path, window((1, 2, 3))) as here:
        here.wait(2)
        for place in PLACES[1:]:
            here.tester.press(place, "a")
            here.wait(1)
        assert here.news[-2:] == ["The window is closed.", "Nobody answers: Anne gains the offered 8."], here.news
