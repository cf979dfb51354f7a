"""An evening of four phones and a television, from one computer: by touch alone, through everything that can happen."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from browse.phones import Phone, chromium
from kept import linked
from tablier.judge.audit import audit
from tablier.keeper.access import read_token
from tablier.log import Log
from tablier.web.cookies import operator_key

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "reduced_motion": "reduce"}
NAMES = ("Léa", "Anne-Marie Dupont", "Bernard", "Zoé")
TOUCHES = 6
"""How often people decide in a game before bots play it to its end."""
PLAYED = ("Dilemma", "Le Roudalon", "Struggle", "Dicke Dämonen", "D.21")
KINDS = ("dilemma", "roudalon", "struggle", "dicke-daemonen", "d21")


class Computer:
    """The computer at which 'tablier web' runs, with its keeper; it can be switched off."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.address = ""
        self.switch_on()

    def switch_on(self) -> None:
        command = [Path(sys.executable).with_name("tablier"), "web", "--log", self.log]
        self._pages = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._pages.stdout is not None
        address = self._pages.stdout.readline().split()[0].rstrip("/")
        assert self.address in ("", address), "a log keeps its port"
        self.address = address

    def kill_keeper(self) -> None:
        with linked(self.log, operator=False) as link:
            os.kill(link.keeper["pid"], signal.SIGKILL)

    def switch_off(self) -> None:
        self._pages.kill()
        self._pages.wait(20)
        assert self._pages.stdout is not None
        self._pages.stdout.close()
        self.kill_keeper()

    def shut_down(self) -> None:
        self._pages.send_signal(signal.SIGINT)
        self._pages.wait(20)
        assert self._pages.stdout is not None
        self._pages.stdout.close()


class Friend(Phone):
    """Somebody with a phone, who has come in by the code."""

    def __init__(self, browser: Browser, computer: Computer, name: str, code: str) -> None:
        self.name, self.computer = name, computer
        self.said, self.sent, self.faults = [], [], []
        self.size, self.smallest = (390, 844), float("inf")
        self._adopt(browser.new_context(**PHONE))
        self.page.goto(f"{computer.address}/in#{code}")
        self.page.locator("#name").fill(name)
        self.page.get_by_role("button", name="Come in", exact=True).tap()
        expect(self.page.locator("#title")).to_have_text(f"You are here as {name}.")

    def _adopt(self, context: BrowserContext) -> None:
        self.context, self.page = context, context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def die(self) -> None:
        """Be without a battery."""
        self._kept = self.context.storage_state()
        self.context.close()

    def wake(self, browser: Browser) -> None:
        self._adopt(browser.new_context(**PHONE, storage_state=self._kept))
        self.page.goto(f"{self.computer.address}/seat")

    def is_asked(self) -> bool:
        return bool(self.asked) and self.page.locator("#choose").is_visible()  # not of a game that was stopped


class Organiser:
    """The organiser's page, in a second tab of a phone or on a laptop."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)

    def tap(self, name: str | re.Pattern[str], within: str = "main") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=isinstance(name, str)).first.click()

    def choose(self, names: Sequence[str]) -> None:
        for box in self.page.locator("[data-plays]").all():
            box.set_checked(box.get_attribute("data-plays") in names)

    def begin(self, kind: str, title: str, names: Sequence[str]) -> None:
        self.choose(names)
        self.page.locator(f"[data-game={kind}]").click()
        self.tap(f"Begin {title}")
        expect(self.page.locator("#play .seats li").first).to_be_visible(timeout=20_000)

    def leave_to_bots(self, names: Sequence[str]) -> None:
        """Have bots play a game to its end."""
        for name in names:
            button = self.page.get_by_role("button", name=f"A bot takes over for {name}")
            if button.count():
                button.click()
                expect(self.page.get_by_role("button", name=f"Give back to {name}")).to_be_visible()
        self.tap("Bots decide at once")


def decide(friends: Sequence[Friend], rng: random.Random, times: int) -> None:
    """Have whoever is asked decide by touching what is lit, so many times."""
    made, until = 0, time.monotonic() + 60
    while made < times and not any(friend.over for friend in friends):
        assert time.monotonic() < until, [friend.page.locator("main").inner_text()[:300] for friend in friends]
        friends[0].page.wait_for_timeout(30)
        for friend in friends:
            if friend.is_asked():
                friend.decide(rng)
                made += 1


@contextmanager
def at_home(log: Path) -> Iterator[tuple[Computer, Browser]]:
    computer = Computer(log)
    try:
        with chromium() as browser:
            yield computer, browser
    finally:
        computer.shut_down()


def standings(television: Page) -> dict[str, int]:
    """Return the games won as the television shows them, of the evening."""
    rows = television.locator(".evening .standings").first.locator("li")
    rows.first.wait_for()
    told = [(row.locator(".name").inner_text(), row.locator(".figure").inner_text()) for row in rows.all()]
    return {name: int(wins) for name, wins in told}


@pytest.mark.timeout(900)
def test_four_phones_and_a_television_through_an_evening(tmp_path: Path) -> None:
    """Five games, a series, somebody who leaves, a dead phone, a killed keeper, a computer that is switched off."""
    log, rng = tmp_path / "log.db", random.Random(4)
    with at_home(log) as (computer, browser):
        token = read_token(log)
        assert token is not None
        by_key = f"#operator={operator_key(token)}"
        laptop = Organiser(browser.new_page(), f"{computer.address}/host{by_key}")
        laptop.tap("Begin the evening")
        television = browser.new_page(viewport={"width": 1920, "height": 1080})
        television.goto(f"{computer.address}/{by_key}")
        code = television.locator("#interlude .door code").inner_text()

        friends = []
        for name in NAMES:
            friends.append(Friend(browser, computer, name, code))
            expect(television.locator("body")).to_contain_text(name)
        lea, anne, bernard, zoe = friends
        row = laptop.page.locator("#people li", has_text="Léa")
        row.locator("summary").click()
        row.get_by_role("button", name="Make an organiser").click()
        expect(row).to_contain_text("organiser")
        laptop.page.close()
        organiser = Organiser(lea.context.new_page(), f"{computer.address}/host")

        organiser.begin("dilemma", "Dilemma", NAMES)
        decide(friends, rng, TOUCHES)
        organiser.leave_to_bots([friend.name for friend in friends])
        expect(organiser.page.locator("#again")).to_have_text("Again: Dilemma", timeout=60_000)

        organiser.begin("roudalon", "Le Roudalon", NAMES)  # the keeper is killed in it
        decide(friends, rng, TOUCHES)
        computer.kill_keeper()
        lea.page.wait_for_selector("#notice:not([hidden])")
        for friend in friends:
            friend.page.wait_for_selector("#notice[hidden]", state="attached", timeout=30_000)
        decide(friends, rng, 2)
        organiser.leave_to_bots([friend.name for friend in friends])
        expect(organiser.page.locator("#again")).to_have_text("Again: Le Roudalon", timeout=60_000)

        three = [lea, anne, zoe]
        organiser.begin("struggle", "Struggle", [friend.name for friend in three])  # Zoé's battery dies in it
        decide(three, rng, 3)
        zoe.die()
        organiser.leave_to_bots(["Zoé"])
        decide([lea, anne], rng, 3)
        zoe.wake(browser)
        organiser.tap("Give back to Zoé")
        decide(three, rng, 3)
        organiser.leave_to_bots([friend.name for friend in three])
        expect(organiser.page.locator("#again")).to_have_text("Again: Struggle", timeout=60_000)

        three = [anne, bernard, zoe]
        organiser.begin("dicke-daemonen", "Dicke Dämonen", [friend.name for friend in three])
        decide(three, rng, TOUCHES)
        computer.switch_off()
        computer.switch_on()  # the next day
        for friend in friends:
            friend.page.wait_for_selector("#notice[hidden]", state="attached", timeout=60_000)
        button = organiser.page.get_by_role("button", name=re.compile("Go on with Dicke Dämonen"))
        button.click(timeout=30_000)
        decide(three, rng, 2)
        organiser.leave_to_bots([friend.name for friend in three])
        expect(organiser.page.locator("#again")).to_have_text("Again: Dicke Dämonen", timeout=60_000)

        details = organiser.page.locator("#series details")
        if details.get_attribute("open") is None:
            details.locator("summary").click()
        organiser.page.locator("[data-series=d21]").check()
        organiser.page.locator("#series input[name=most]").fill("1")
        organiser.tap("Begin the series", "#series")
        organiser.begin("d21", "D.21", ["Bernard", "Zoé"])
        decide([bernard, zoe], rng, TOUCHES)
        organiser.leave_to_bots(["Bernard", "Zoé"])
        expect(organiser.page.locator("#again")).to_have_text(re.compile("D.21"), timeout=120_000)
        shown = standings(television)
        organiser.tap("End the evening")
        organiser.tap("Yes", "dialog")
        expect(television.locator("#interlude")).to_contain_text("over", timeout=20_000)
        assert not [fault for friend in friends for fault in friend.faults]

    with Log.read(log) as read:
        assert audit(read.entries()).games == 5
        (evening,) = read.evenings()
        games = [read.game(number) for number in evening.games]
        won = Counter[str]()
        for game in games:  # by what their logs end with, which the audit has run again
            assert game.result is not None
            won.update(game.names[int(seat[1:]) - 1] for seat in game.result["winners"])
        names = {name for game in games for name in game.names}
        series = evening.series[0]
    assert [game.game for game in games] == list(KINDS)
    assert evening.ended is not None and series.complete
    assert shown == {name: won[name] for name in names}
