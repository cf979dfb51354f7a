"""Friends with phones, an organiser's page and a television, at pages that a command of the program serves."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, TimeoutError, expect

from browse.phones import Phone
from tablier.judge.audit import audit
from tablier.log.evenings import Evening
from tablier.log.fold import GameInfo
from tablier.log.store import Log

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "reduced_motion": "reduce"}


class Friend(Phone):
    """Somebody with a phone, who has come in by the code. ``address`` returns where the pages are now."""

    def __init__(self, browser: Browser, address: Callable[[], str], name: str, code: str) -> None:
        self.name, self._address = name, address
        self.said, self.sent, self.faults = [], [], []
        self.size, self.smallest = (390, 844), float("inf")
        self._adopt(browser.new_context(**PHONE))
        self.page.goto(f"{address()}/in#{code}")
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
        self.page.goto(f"{self._address()}/seat")

    def is_asked(self) -> bool:
        return bool(self.asked) and self.page.locator("#choose").is_visible()  # not of a game that was stopped


class Organiser:
    """The organiser's page, in a second tab of a phone or on a laptop."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)

    def tap(self, name: str | re.Pattern[str], within: str = "main") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=isinstance(name, str)).first.click()

    def has(self, name: str) -> bool:
        return bool(self.page.get_by_role("button", name=name, exact=True).count())

    def tap_if_there(self, name: str) -> bool:
        """Tap a button that may be there, or go while a thumb is on its way; return whether it was tapped."""
        if not self.has(name):
            return False
        try:
            self.page.get_by_role("button", name=name, exact=True).click(timeout=2000)
        except TimeoutError:
            return False
        return True

    def choose(self, names: Sequence[str]) -> None:
        for box in self.page.locator("[data-plays]").all():
            box.set_checked(box.get_attribute("data-plays") in names)

    def begin(self, kind: str, title: str, names: Sequence[str]) -> None:
        self.choose(names)
        self.page.locator(f"[data-game={kind}]").click()
        self.tap(f"Begin {title}")
        expect(self.page.locator("#play .seats li").first).to_be_visible(timeout=20_000)

    def begin_series(self, kind: str, wins: int) -> None:
        self.unfold("#series details")
        self.page.locator(f"[data-series={kind}]").check()
        self.page.locator("#series input[name=most]").fill(str(wins))
        self.tap("Begin the series", "#series")

    def sit(self, name: str, place: int) -> None:
        """Have somebody sit down at a place of the table."""
        row = self.page.locator("#people li", has_text=name)
        row.locator("summary").click()
        row.locator("select").select_option(str(place))
        expect(row).to_contain_text(f"place {place}")

    def leave_to_bots(self, names: Sequence[str]) -> None:
        """Have bots play a game to its end."""
        for name in names:
            button = self.page.get_by_role("button", name=f"A bot takes over for {name}")
            if button.count():
                button.click()
                expect(self.page.get_by_role("button", name=f"Give back to {name}")).to_be_visible()
        self.tap("Bots decide at once")

    def unfold(self, selector: str) -> None:
        details = self.page.locator(selector)
        if details.get_attribute("open") is None:
            details.locator("summary").click()

    def is_over(self, title: str, timeout: int = 60_000) -> None:
        """Wait for the end of a game, after which it can be played again."""
        expect(self.page.locator("#again")).to_have_text(re.compile(title), timeout=timeout)


def decide(friends: Sequence[Friend], rng: random.Random, times: int) -> None:
    """Have those who are asked decide by touching what is lit, ``times`` decisions in all."""
    made, until = 0, time.monotonic() + 60
    while made < times and not any(friend.over for friend in friends):
        assert time.monotonic() < until, [friend.page.locator("main").inner_text()[:300] for friend in friends]
        friends[0].page.wait_for_timeout(30)
        for friend in friends:
            if friend.is_asked():
                friend.decide(rng)
                made += 1


def standings(television: Page) -> dict[str, int]:
    """Return the games won as the television shows them, of the evening."""
    rows = television.locator(".evening .standings").first.locator("li")
    rows.first.wait_for()
    told = [(row.locator(".name").inner_text(), row.locator(".figure").inner_text()) for row in rows.all()]
    return {name: int(wins) for name, wins in told}


def spent(log: Path, number: int, kinds: Sequence[str]) -> tuple[Evening, list[GameInfo], dict[str, int]]:
    """Check that an evening's games are whole, by running them again; return it, its games, and the wins of each name,
    counted from what their logs end with."""
    with Log.read(log) as read:
        assert audit(read.entries()).games == len(read.games())
        evening = read.evening(number)
        games = [read.game(game) for game in evening.games]
    won = Counter[str]()
    for game in games:
        assert game.result is not None
        won.update(dict.fromkeys(game.names, 0))
        won.update(game.names[int(seat[1:]) - 1] for seat in game.result["winners"])
    assert [game.game for game in games] == list(kinds)
    return evening, games, dict(won)


__all__ = ["PHONE", "Friend", "Organiser", "decide", "spent", "standings"]
