"""An evening with all kinds of screens: two people at places of a table, one at a terminal, one with a phone."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from browse.friends import Friend, Organiser, spent, standings
from browse.hands import Players
from browse.phones import chromium
from cli.term import Term
from kept import linked
from tablier.games.core import TABLE
from tablier.games.core.questions import bare
from tablier.judge.audit import audit
from tablier.keeper.access import read_token
from tablier.keeper.address import complaints_of
from tablier.log.store import Log
from tablier.play import logged
from tablier.web.cookies import operator_key

ANNE, BERNARD, CHRISTINE, DAVID = "Anne", "Bernard", "Christine", "David"
EVERYBODY = (ANNE, BERNARD, CHRISTINE, DAVID)
KINDS = ("dilemma", "roudalon", "struggle", "dicke-daemonen", "d21")
MOVES = 8
"""How many moves people make in a game before bots play it to its end."""


class Terminal:
    """Somebody who types at the prompt of 'tablier evening', at which the evening began."""

    def __init__(self, log: Path, name: str, rng: random.Random) -> None:
        self._log, self._name, self._rng = log, name, rng

    def switch_on(self, *options: str) -> Term:
        self.term = Term("evening", "--plain", "--log", self._log, *options, web=True)
        return self.term

    def is_asked(self) -> bool:
        self.term.catch_up()
        return self.term.text.rstrip().endswith(f"{self._name}>")

    def decide(self) -> None:
        """Type a move that is possible, or pass."""
        with Log.read(self._log) as reader:
            game = reader.game()
            position = logged.position_of(reader, game)
        seat = game.names.index(self._name) + 1
        moves = [move for move in position.legal_moves if move.actor == seat]
        passes = not moves or (TABLE in position.to_move and self._rng.random() < 0.5)
        before = len(self.term.output)
        self.term.type("pass" if passes else bare(position.rules.attempt(self._rng.choice(moves))))
        self.term.until(lambda: len(self.term.output) > before)


class House:
    """Where they all are: a computer with a terminal and the pages, a table, a phone, a television."""

    def __init__(self, log: Path, browser: Browser, rng: random.Random) -> None:
        self.log, self.rng, self.browser = log, rng, browser
        self.terminal, self._terminals = Terminal(log, CHRISTINE, rng), ExitStack()
        self.address = ""
        self._replied: dict[str, tuple[str, float]] = {}
        """By who has a phone: to what they have replied last, and when."""
        self.seats: list[Any] = []
        """Of the game that was played last, as its people came to it."""
        with socket.socket() as free:  # where its pages were is noted beside a log: they come back there
            free.bind(("127.0.0.1", 0))
            Path(f"{log}-web").write_text(f"{free.getsockname()[1]}\n")

    def __enter__(self) -> House:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._terminals.close()
        complaints = [complaints_of(self.log, of) for of in (".err", ".web-err")]
        said = "".join(each.read_text() for each in complaints if each.exists())
        print(said)
        assert kind or "Traceback" not in said, said

    def switch_on(self, *options: str) -> str:
        """Begin, or go on; return the code by which others come in."""
        self._terminals.enter_context(self.terminal.switch_on(*options))
        term = self.terminal.term
        if not options:
            term.shows("Enter resumes evening 1")
            term.type("")
            term.shows(f"Enter: 1 {CHRISTINE}.")
            term.type("")
        term.until(lambda: re.search(r"http://127\S+/in", term.text), "where others come in")
        found = re.search(r"(http://127\S+)/in\D*? ([A-Z]{4})\b", term.text)
        assert found and self.address in ("", found[1]), term.text
        self.address = found[1]
        return found[2]

    @property
    def by_key(self) -> str:
        token = read_token(self.log)
        assert token is not None
        return f"#operator={operator_key(token)}"

    def kill_keeper(self) -> None:
        with linked(self.log, operator=False) as link:
            os.kill(link.keeper["pid"], signal.SIGKILL)

    def switch_off(self) -> None:
        """Cut the power: nothing is told that it ends."""
        with linked(self.log, operator=False) as link:
            keeper = link.keeper["pid"]
        (pages,) = re.findall(r"yields (\d+)", Path(f"{self.log}-web").read_text())
        for process in (keeper, int(pages)):
            os.kill(process, signal.SIGKILL)
        self.terminal.term.process.kill()

    @contextmanager
    def players(self, table: Page) -> Iterator[Players]:
        """The people at the places in the game that is open: they have the mouse of the table page, and no more."""
        with linked(self.log) as link:
            until = time.monotonic() + 60
            while not (games := link.call("list")["games"]):  # another keeper is only about to resume it
                self.terminal.term.catch_up()
                assert time.monotonic() < until, self.terminal.term.text
                table.wait_for_timeout(100)
            (game,) = games
            seats = dict(enumerate(game["seats"], 1))
            at_table = {seat: each["place"] for seat, each in seats.items() if each["source"] == "table"}
            players = Players(table, link, game["game"], at_table)
            self.seats = game["seats"]
            players.hands.places = {seat: each["place"] for seat, each in seats.items()}  # they lay others' cards, too
            while players.latest is None:
                table.wait_for_timeout(20)
            yield players

    def spend(self, table: Page, organiser: Organiser, friends: Sequence[Friend], names: Sequence[str]) -> None:
        """Have them play a few moves, and then bots; where cards are thrown, somebody stays to lay those of bots."""
        with self.players(table) as players:
            self.play(players, friends, MOVES)
            with Log.read(self.log) as reader:
                throws = reader.game().game == "dilemma"
            left = {[seat["name"] for seat in self.seats if seat["source"] == "table"][-1]} if throws else set()

            def leave() -> bool:
                """Leave to a bot who can be: nobody does as long as cards lie there, or a secret choice is open."""
                for name in set(names) - left:
                    organiser.tap_if_there(f"A bot takes over for {name}")
                    if organiser.has(f"Give back to {name}") and organiser.tap_if_there("Bots decide at once"):
                        left.add(name)
                self._others(friends)
                return False

            players.play(600, leave)

    def play(self, players: Players, friends: Sequence[Friend], moves: int) -> None:
        """Have all play a few moves."""
        least = players.moves + moves

        def others() -> bool:
            self._others(friends)
            return players.moves >= least

        players.play(400, others)

    def _others(self, friends: Sequence[Friend]) -> None:
        """Have those who are not at the table decide, who are asked."""
        for friend in friends:
            # A card that is thrown is to be laid by others first.
            question, at = self._replied.get(friend.name, ("", 0.0))
            if friend.is_asked() and (friend.asked != question or time.monotonic() > at + 3):
                self._replied[friend.name] = friend.asked, time.monotonic()
                friend.page.set_default_timeout(4000)
                with suppress(TimeoutError):  # a window may close under a thumb
                    friend.reply(self.rng)
        if self.terminal.is_asked():
            self.terminal.decide()


@pytest.mark.timeout(2400)
def test_places_a_terminal_and_a_phone_through_an_evening(tmp_path: Path) -> None:
    log, rng = tmp_path / "log.db", random.Random(7)
    with chromium() as browser, House(log, browser, rng) as house:
        code = house.switch_on("--port", "simulated", "--with", "Anne@1", "--with", "Bernard@3", "--with", CHRISTINE)
        david = Friend(browser, lambda: house.address, DAVID, code)
        term = house.terminal.term
        term.shows("David is here.")
        term.type(":organiser David")
        term.shows("David is an organiser now.")
        television = browser.new_page(viewport={"width": 1920, "height": 1080})
        television.goto(f"{house.address}/{house.by_key}")
        table = browser.new_page(viewport={"width": 1280, "height": 900})
        table.goto(f"{house.address}/table{house.by_key}")
        organiser = Organiser(david.context.new_page(), f"{house.address}/host")

        organiser.begin("dilemma", "Dilemma", EVERYBODY)  # the keeper is killed in it
        with house.players(table) as players:
            house.play(players, [david], MOVES)
        house.kill_keeper()
        david.page.wait_for_selector("#notice:not([hidden])")
        david.page.wait_for_selector("#notice[hidden]", state="attached", timeout=60_000)
        house.spend(table, organiser, [david], EVERYBODY)

        organiser.begin("roudalon", "Le Roudalon", EVERYBODY)
        house.spend(table, organiser, [david], EVERYBODY)

        three = (ANNE, CHRISTINE, DAVID)
        organiser.begin("struggle", "Struggle", three)  # David's battery dies in it
        with house.players(table) as players:
            house.play(players, [david], MOVES)
        david.die()
        laptop = Organiser(browser.new_page(), f"{house.address}/host{house.by_key}")
        laptop.tap("A bot takes over for David")
        with house.players(table) as players:
            house.play(players, [], MOVES)
        david.wake(browser)
        expect(laptop.page.locator("#people li", has_text="David")).to_contain_text("phone", timeout=30_000)
        laptop.tap("Give back to David")
        laptop.page.close()
        organiser = Organiser(david.context.new_page(), f"{house.address}/host")
        house.spend(table, organiser, [david], three)

        three = (ANNE, BERNARD, DAVID)
        organiser.sit(DAVID, 5)  # at the table, from his phone
        organiser.begin("dicke-daemonen", "Dicke Dämonen", three)
        with house.players(table) as players:
            assert sorted(players.hands.places.values()) == [1, 3, 5]
            house.play(players, [], MOVES)
        house.switch_off()
        house.switch_on()  # the next day
        for page in (table, television, david.page, organiser.page):
            page.wait_for_selector("#notice[hidden]", state="attached", timeout=60_000)
        house.spend(table, organiser, [], three)

        organiser.begin_series("d21", 1)
        two = (BERNARD, CHRISTINE)
        organiser.begin("d21", "D.21", two)
        house.spend(table, organiser, [], two)
        shown = standings(television)
        organiser.tap("End the evening")
        organiser.tap("Yes", "dialog")
        expect(television.locator("#interlude")).to_contain_text("over", timeout=20_000)
        assert not david.faults
        house.terminal.term.shows("Evening 1 is over.")
    evening, _, won = spent(log, 1, KINDS)
    assert evening.ended is not None and evening.series[0].complete
    assert shown == won


@pytest.mark.timeout(900)
def test_three_at_places_and_one_with_a_phone_who_sits_down_between_two_games(tmp_path: Path) -> None:
    """The phone shows its person alone what a hood shows the others; at a place, that does."""
    log, rng = tmp_path / "log.db", random.Random(3)
    with chromium() as browser, House(log, browser, rng) as house:
        at = [f"{name}@{place}" for place, name in ((1, ANNE), (3, BERNARD), (5, CHRISTINE))]
        code = house.switch_on("--port", "simulated", *(word for each in at for word in ("--with", each)))
        david = Friend(browser, lambda: house.address, DAVID, code)
        house.terminal.term.type(":organiser David")
        house.terminal.term.shows("David is an organiser now.")
        organiser = Organiser(david.context.new_page(), f"{house.address}/host")
        table = browser.new_page(viewport={"width": 1280, "height": 900})
        table.goto(f"{house.address}/table{house.by_key}")

        organiser.begin("dilemma", "Dilemma", EVERYBODY)
        with house.players(table) as players:
            assert sorted(players.hands.places.values()) == [1, 3, 5, 6], "who is at no place has one, for cards"
            house.play(players, [david], 2 * MOVES)
        assert david.page.locator("#hand svg").count(), "his cards"
        organiser.tap("Stop the game")
        organiser.tap("Yes", "dialog")
        organiser.sit(DAVID, 2)
        organiser.begin("dilemma", "Dilemma", EVERYBODY)
        with house.players(table) as players:
            assert sorted(players.hands.places.values()) == [1, 2, 3, 5]
            assert {seat["source"] for seat in house.seats} == {"table"}
            house.play(players, [], MOVES)
        assert not david.is_asked() and not david.faults
        organiser.tap("End the evening")
        organiser.tap("Yes", "dialog")
        house.terminal.term.shows("Evening 1 is over.")
    with Log.read(log) as read:
        first, second = ([(seat["name"], seat["place"]) for seat in read.game(game).seats] for game in (1, 2))
        audit(read.entries())
    assert first == [(ANNE, 1), (BERNARD, 3), (CHRISTINE, 5), (DAVID, 6)]
    assert second == [(ANNE, 1), (DAVID, 2), (BERNARD, 3), (CHRISTINE, 5)]
