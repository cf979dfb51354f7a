"""Whole games on phones, played by touching what is drawn and nothing else."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route
from served import served

from browse.phones import LEAST, Ears, Phone, chromium, phones, play, stop
from kept import kept, linked
from tablier.judge.audit import audit
from tablier.keeper.client import Link
from tablier.log.store import Log

NAMES = ("Anne", "Bernard", "Christine", "Daniel")
GAMES: dict[str, tuple[int, dict[str, Any]]] = {
    "d21": (2, {"max_plies": 14}),
    "dicke-daemonen": (3, {}),
    "dilemma": (3, {"first": "p1"}),
    "roudalon": (4, {"first": "p1"}),
    "struggle": (3, {"board": "YYYYYYYYYY", "first": "p1"}),
}
"""By game: seats, and options with which it does not take long."""


def asked(game: str) -> dict[str, Any]:
    count, options = GAMES[game]
    return {"game": game, "options": options, "seats": [{"name": each, "source": "screen"} for each in NAMES[:count]]}


def moves_of(log: Path) -> list[str]:
    """The moves of seats, as the log has them."""
    with Log.read(log) as read:
        assert audit(read.entries()).games == 1
        moves = [entry.body["text"] for entry in read.entries() if entry.kind == "move"]
        assert read.game().result is not None
    return [move for move in moves if not move.startswith("table")]


def agree(moves: list[str], seats: list[Phone]) -> None:
    """Each seat's moves are those that it confirmed; chance has said how a card lands, and a pass is on no button."""
    for phone in seats:
        own = [move.partition(" ")[2] for move in moves if move.startswith(f"p{phone.seat} ")]
        own = [move for move in own if move not in ("pass", "yes", "no") or move in phone.said]
        assert [move[: len(said)] for move, said in zip(own, phone.said, strict=True)] == phone.said


@contextmanager
def playing(log: Path, game: str) -> Iterator[tuple[str, Link, list[Phone]]]:
    """A game on phones: the address of the pages, a connection of the operator, the phones."""
    with kept(log), served(log) as pages, linked(log) as link:
        with phones(pages.address, link.call("play", asked(game))) as seats:
            yield pages.address, link, seats
            assert not [fault for phone in seats for fault in phone.faults]
        stop(link, 1)


class Spy:
    """Looks for what is another's alone in all that each viewer has: its page, and the events it gets."""

    def __init__(self, address: str, seats: list[Phone]) -> None:
        self._seats = seats
        self._ears = {0: Ears(address, None), **{phone.seat: Ears(address, phone) for phone in seats}}
        self._keys = [phone.key for phone in seats]
        self.secrets: dict[int, set[str]] = {phone.seat: set() for phone in seats}
        self.looked = 0

    def look(self) -> None:
        heard = {viewer: ears.now() for viewer, ears in self._ears.items()}
        if not all('"over":null' in each for each in heard.values()):
            return  # at the end nothing is secret
        for seat, own in self.secrets.items():
            own |= set(ORDER.findall(heard[seat]))
        for viewer, events in heard.items():
            seen = events + (self._seats[viewer - 1].html() if viewer else "")
            others = [each for seat, own in self.secrets.items() if seat != viewer for each in own]
            assert not [each for each in (*self._keys, *others) if each in seen], viewer
            self.looked += 1


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_to_its_end_by_touching_alone(tmp_path: Path, game: str) -> None:
    log = tmp_path / "log.db"
    with playing(log, game) as (address, _, seats):
        spy = Spy(address, seats)
        play(seats, random.Random(2), lambda phone: spy.look())
        assert spy.looked > 20
        assert game != "struggle" or all(len(own) == 1 for own in spy.secrets.values())
        assert min(phone.smallest for phone in seats if phone.size[0] == 390) >= LEAST - 0.5
    agree(moves_of(log), seats)


ORDER = re.compile(r"\b(?:[KQJ9]|10)(?:-(?:[KQJ9]|10)){4}\b")
"""A secret objective of Struggle, as it is written in what its own seat gets."""


def to_a_duel(seats: list[Phone]) -> None:
    """Offer a card, and throw at it until one lands flat, and all pass: then two have to choose."""
    rng = random.Random(3)
    for _ in range(200):
        seats[0].page.wait_for_timeout(20)
        for phone in seats:
            if not phone.asked:
                continue
            if any(part.endswith("peace") for part in phone.lit):
                return
            phone.decide(rng)
    raise AssertionError("there is no duel")


def lock(phone: Phone, choice: str) -> list[str]:
    """Choose, and confirm; return what was sent for it. A last choice may be opened at once, which is not of it."""
    before = len(phone.sent)
    phone.touch(f"p{phone.seat} {choice}")
    assert phone.page.locator(".chosen .leads").inner_text()
    phone.confirm()
    phone.page.wait_for_function("() => document.querySelector('#asked').dataset.question === ''")
    return [body for body in phone.sent[before:] if '"opened"' not in body]


def test_a_phone_that_is_loaded_anew_in_a_duel_loses_nothing_and_tells_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with playing(log, "dilemma") as (address, _, seats):
        to_a_duel(seats)
        one, two = (phone for phone in seats if phone.asked)
        for phone in (one, two):
            assert not phone.page.locator("details.listed").count(), "it shows what the hand hides"
        first = lock(one, "peace")
        nonce = json.loads(one.page.evaluate(f"() => sessionStorage.getItem('bound 1-{one.seat}')"))["nonce"]
        heard = [Ears(address, viewer).now() for viewer in (None, one, two)]
        for seen in (*heard, *first, one.html(), two.html()):
            assert nonce not in seen
        one.page.reload()
        one.page.wait_for_selector(".kept")
        kept = one.page.locator(".kept")
        assert kept.inner_text() == "• • •"
        one.page.locator(".chosen .hold").dispatch_event("pointerdown")
        assert kept.inner_text().endswith("peace")
        one.page.evaluate("dispatchEvent(new Event('blur'))")
        assert kept.inner_text() == "• • •", "it stays open to see in a window without the focus"
        assert two.asked
        before = len(one.sent)
        second = lock(two, "conflict")
        one.page.wait_for_selector("#story p:has-text('conflict')")
        opened = [body for body in one.sent[before:] + two.sent if '"opened"' in body]
        assert [len(body) for body in first] == [len(body) for body in second]
        assert len(opened) == 2 and len(set(map(len, opened))) == 1
        choices = {one.seat: "peace", two.seat: "conflict"}
    with Log.read(log) as read:
        made = {entry.body["text"] for entry in read.entries() if entry.kind == "move"}
    assert {f"p{seat} duel {choice}" for seat, choice in choices.items()} <= made


def test_a_phone_that_sleeps_through_the_opening_voids_the_choice_and_all_are_told(tmp_path: Path) -> None:
    """While it sleeps none of its scripts runs. Awake again it is asked anew, like the other."""
    log = tmp_path / "log.db"
    with playing(log, "dilemma") as (_, _, seats):
        to_a_duel(seats)
        one, two = (phone for phone in seats if phone.asked)
        void = f"{NAMES[one.seat - 1]} did not open a choice"
        lock(one, "peace")
        system = one.context.new_cdp_session(one.page)
        system.send("Debugger.enable")
        system.send("Debugger.pause")
        lock(two, "conflict")
        for phone in seats:
            if phone is not one:
                phone.page.wait_for_selector(f"#story p:has-text('{void}')", timeout=60_000)
        system.send("Debugger.disable")
        one.page.wait_for_selector(f"#story p:has-text('{void}')")
        for phone, choice in ((one, "conflict"), (two, "peace")):
            phone.page.wait_for_function("() => document.querySelector('#asked').dataset.question !== ''")
            lock(phone, choice)
        seats[0].page.wait_for_selector(f"#story p:has-text('{NAMES[one.seat - 1]}: conflict')")
        (late,) = one.faults  # it opened what was void: the browser notes the refusal, and nobody else does
        assert "409" in late
        one.faults.clear()
    with Log.read(log) as read:
        made = {entry.body["text"] for entry in read.entries() if entry.kind == "move"}
    assert {f"p{one.seat} duel conflict", f"p{two.seat} duel peace"} <= made


@pytest.mark.parametrize("answered", [False, True], ids=["lost on its way", "turned away"])
def test_an_opening_that_does_not_come_in_is_sent_again(tmp_path: Path, answered: bool) -> None:
    """Lost, it is by the phone alone: nothing else may happen that it would be told of. Turned away, at the next
    update. Who has opened opens no second time, whatever is loaded anew."""
    log = tmp_path / "log.db"
    with playing(log, "dilemma") as (_, _, seats):
        to_a_duel(seats)
        one, two = (phone for phone in seats if phone.asked)
        held: dict[Phone, Route] = {}

        def hold(route: Route, phone: Phone) -> None:
            if phone in held or '"opened"' not in (route.request.post_data or ""):
                route.continue_()
            else:
                held[phone] = route

        def fail() -> None:
            if answered:
                held[one].fulfill(status=503, json={"error": "not now"})
                one.page.wait_for_selector("#choose [role=alert]:has-text('not now')")
            else:
                held[one].abort()

        one.page.route("**/do", lambda route: hold(route, one))
        two.page.route("**/do", lambda route: hold(route, two))
        lock(one, "peace")
        lock(two, "conflict")
        while len(held) < 2:
            two.page.wait_for_timeout(20)
        if answered:
            fail()
        with two.page.expect_response("**/do"):
            held[two].continue_()
        if not answered:
            before = len(two.sent)
            two.page.reload()
            two.page.wait_for_selector(".kept")
            assert not [body for body in two.sent[before:] if '"opened"' in body], "it has opened already"
            fail()
        for phone in seats:
            phone.page.wait_for_selector(f"#story p:has-text('{NAMES[one.seat - 1]}: peace')")
        (failed,) = one.faults
        assert ("503" if answered else "ERR_FAILED") in failed
        one.faults.clear()


def test_a_stopped_keeper_is_told_on_the_page_until_it_answers(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with webbed(log) as address, linked(log) as link, chromium() as browser:
        page, process = browser.new_page(), link.keeper["pid"]
        page.goto(address)
        page.wait_for_selector("#notice[hidden]", state="attached")
        page.wait_for_timeout(500)  # its stream is open
        os.kill(process, signal.SIGSTOP)
        try:
            page.wait_for_selector(f"#notice:has-text('process {process}')", timeout=15_000)
        finally:
            os.kill(process, signal.SIGCONT)
        page.wait_for_selector("#notice[hidden]", state="attached", timeout=15_000)


def test_a_keeper_that_is_killed_comes_back_and_the_game_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with webbed(log) as address, linked(log) as link:
        begun = link.call("play", asked("roudalon"))
        with phones(address, begun) as seats:
            rng = random.Random(1)
            while sum(len(phone.said) for phone in seats) < 4:
                seats[0].page.wait_for_timeout(20)
                for phone in seats:
                    if phone.asked:
                        phone.decide(rng)
            os.kill(link.keeper["pid"], signal.SIGKILL)
            seats[0].page.wait_for_selector("#notice:not([hidden])")
            for phone in seats:
                phone.page.wait_for_selector("#notice[hidden]", state="attached", timeout=20_000)
            play(seats, rng)
            with linked(log) as again:
                again.call("quit")
            agree(moves_of(log), seats)


@contextmanager
def webbed(log: Path) -> Iterator[str]:
    """Run 'tablier web'; yield its address."""
    command = [str(Path(sys.executable).with_name("tablier")), "web", "--log", str(log)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        yield running.stdout.readline().split()[0].rstrip("/")
    finally:
        running.send_signal(signal.SIGINT)
        running.wait(20)
        running.stdout.close()


def test_somebody_says_what_was_played_really(tmp_path: Path) -> None:
    """Who stops play names the move and what it was; the others agree."""
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link:
        begun = link.call("play", asked("d21"))
        with phones(pages.address, begun) as (anne, bernard):
            anne.page.wait_for_selector("#asked[data-question]:not([data-question=''])")
            anne.decide(random.Random(1))
            (said,) = anne.said
            bernard.page.locator("#more summary").click()
            bernard.page.locator("[data-key=call]").click()
            bernard.pick(f"move 1, Anne: {said}")
            bernard.page.wait_for_selector("text=what was move 1 really")
            replied = ""
            while not anne.asked:
                bernard.page.wait_for_timeout(20)
                if bernard.asked not in ("", replied):
                    replied = bernard.asked
                    bernard.pick("")
            assert "Bernard says that move 1 was" in anne.page.locator("#asked").inner_text()
            anne.decide(random.Random(1))
            bernard.page.wait_for_selector("#choose .needs")
            link.call("stop", {"game": begun["game"]})
            assert not anne.faults and not bernard.faults
    with Log.read(log) as read:
        first, really = [entry.body["text"] for entry in read.entries() if entry.kind == "move"]
        assert first == f"p1 {said}" != really


@pytest.mark.timeout(120)
def test_a_hint_marks_what_it_means_and_speaks_of_it_in_the_words_of_the_board(tmp_path: Path) -> None:
    with playing(tmp_path / "log.db", "d21") as (_, _, seats):
        page = seats[0].page
        page.get_by_role("button", name="Hint").click()
        page.wait_for_selector(".meant", timeout=60_000)
        meant = page.locator(".meant").evaluate_all("(all) => all.map((each) => each.dataset.part)")
        hint = page.locator(".hint").inner_text()
        assert len(meant) == 2 and all(space in hint for space in meant)
        while not seats[0].move:  # the first touch may bring nearer what a finger could be meant for
            seats[0].touch(page.locator(".meant.offered").first.get_attribute("data-part") or "")
        assert page.locator("[data-key=confirm]").inner_text() in hint, "it is confirmed in the words of the hint"
        seats[0].confirm()
        page.wait_for_function("() => !document.querySelector('.meant')")


@pytest.mark.timeout(120)
def test_each_phone_asks_its_own_seat_alone_and_shows_how_it_ended(tmp_path: Path) -> None:
    """Who is asked is spoken to; others read for whom they wait, and nothing that is asked of somebody else."""
    with playing(tmp_path / "log.db", "d21") as (address, _, seats):
        first, second = (phone.page.locator("#asked").inner_text() for phone in seats)
        assert "You are Anne" in first and "Move a die." in first
        assert "Waiting for Anne …" in second and "Move a die" not in second
        play(seats, random.Random(2))
        page = seats[0].page
        page.wait_for_selector("#ending .how")
        assert page.locator("#ending .how").inner_text().startswith("The game is over: ")
        course = page.request.get(f"{address}/log/game/1/course?for=phone").json()
        assert page.locator("#ending .curve svg").count() == bool(course["curve"])
        assert page.locator("#asked li").count() == 2
        page.get_by_role("link", name="Look back").first.click()
        page.wait_for_url("**/log/game/1")
