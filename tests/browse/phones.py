"""Phones at a game: browsers that play a seat each by touching what is drawn, and what they show and get."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any

import httpx
from evenings import Room, in_address, key_of
from playwright.sync_api import Browser, Page, sync_playwright
from served import Served, served
from tests.pieces import Assembly

from kept import kept, linked
from tablier.keeper.client import Link
from tablier.texts import Json

CHROMIUM = next(filter(None, map(which, ("chromium", "chromium-browser", "google-chrome"))), None)
SIZES = ((390, 844), (820, 1180), (1280, 800))
"""A phone, a tablet, a computer."""
LEAST = 44.0
"""The least size in pixels of what can be touched."""

SPOT = """([name, nth]) => {
    const part = [...document.querySelectorAll(`[data-part="${CSS.escape(name)}"]`)]
        .filter((each) => each.matches(".offered"))[nth];
    part.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = part.getBoundingClientRect();
    const room = part.closest("section").getBoundingClientRect();
    for (let step = 0; step < 400; step += 1) {
        const [right, down] = step ? [(step * 0.618034) % 1, (step * 0.754878) % 1] : [0.5, 0.5];
        const [x, y] = [box.left + right * box.width, box.top + down * box.height];
        const under = document.elementsFromPoint(x, y);
        if (!part.closest("section").contains(under[0])) continue;
        const parts = under.map((each) => each.closest?.("[data-part]"));
        const hit = parts.find((each) => each?.matches(".offered, .touched"));
        if (hit !== part) continue;
        const near = [...document.querySelectorAll(".offered")].filter((each) => {
            const other = each.getBoundingClientRect();
            return other.left < x + 22 && other.right > x - 22 && other.top < y + 22 && other.bottom > y - 22;
        });
        return { x, y, width: box.width, height: box.height, alone: near.length === 1 };
    }
    return { x: box.left, y: box.top, width: -1, height: JSON.stringify([box, room]) };
}"""
"""Where a part is touched: a place at which it and no other is hit; whether a thumb there touches no other."""
MARKS = (
    "() => [...document.querySelectorAll('.offered, .touched')].map((each) => `${each.dataset.part} ${each.classList}`)"
)
"""What can be touched now and what was."""


class Phone:
    """One browser with one seat."""

    def __init__(self, browser: Browser, address: str, key: Json, seat: int, size: tuple[int, int]) -> None:
        self.seat = seat
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, has_touch=size[0] < 1000, reduced_motion="reduce"
        )
        self.page: Page = self.context.new_page()
        self.size = size
        self.key: str = key["key"]
        self.faults: list[str] = []
        self.sent: list[str] = []
        """The bodies of its requests."""
        self.said: list[str] = []
        """The moves that it has confirmed, as they stood on the button."""
        self.smallest = float("inf")
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        self.page.on("request", lambda request: self.sent.append(request.post_data or ""))
        self.page.goto(f"{address}/seat{in_address(key)}")
        self.page.wait_for_selector("#asked .what")

    @property
    def asked(self) -> str:
        """Return the question that waits for this seat, empty if none does."""
        return self.page.locator("#asked").get_attribute("data-question") or ""

    @property
    def over(self) -> bool:
        return self.page.locator("#asked ul").count() > 0

    def touch(self, name: str, nth: int = 0) -> None:
        """Touch a part of the drawing that is lit; a finger that could be meant for several is brought nearer first."""
        before = self.page.evaluate(MARKS)
        for _ in range(3):
            at = self.page.evaluate(SPOT, [name, nth])
            whole = self.page.locator(".away:visible")
            if at["width"] < 0 and whole.count():  # a touch before has brought another part nearer
                whole.first.click()
                continue
            assert at["width"] > 0, (name, at)
            if self.size[0] >= 1000:
                self.page.mouse.click(at["x"], at["y"])
                return
            self.page.touchscreen.tap(at["x"], at["y"])
            self.page.wait_for_timeout(20)
            if self.page.evaluate(MARKS) != before:
                self.smallest = min(self.smallest, LEAST if at["alone"] else min(at["width"], at["height"]))
                return
        raise AssertionError(f"{name} is not hit")

    @property
    def lit(self) -> list[str]:
        """Return the parts that can be touched now, each as often as it is lit."""
        parts: list[str] = self.page.evaluate(
            "() => [...document.querySelectorAll('.offered:not(.seems)')].map((each) => each.dataset.part)"
        )
        return parts

    @property
    def move(self) -> str:
        """Return the move that can be confirmed, empty if there is none yet."""
        button = self.page.locator("[data-key=confirm]:enabled")
        return (button.get_attribute("data-move") or "") if button.count() else ""

    def decide(self, rng: random.Random, prefer: Sequence[str] = ()) -> None:
        """Reply to the question by touching alone, and wait until another is asked."""
        question = self.asked
        self.reply(rng, prefer)
        self.page.wait_for_function("(old) => document.querySelector('#asked').dataset.question !== old", arg=question)

    def reply(self, rng: random.Random, prefer: Sequence[str] = ()) -> None:
        """Touch what is lit, then the button that confirms it."""
        question, page = self.asked, self.page
        plain = page.locator("#plain button")
        yes, passes = plain.get_by_text("Yes", exact=True), plain.get_by_text("Pass", exact=True)
        if yes.count():
            self.pick("Yes")
        elif passes.count() and rng.random() < 0.5:
            self.pick("Pass")
        else:
            while not self.move:
                # The board has a channel of its own; and a question may be over, which somebody else has answered.
                page.wait_for_function(
                    """(old) => document.querySelector("#asked").dataset.question !== old
                        || document.querySelector(".offered, [data-key=confirm]:enabled")""",
                    arg=question,
                )
                if self.asked != question or self.move:
                    break
                lit = self.lit
                assert lit, page.locator("main").inner_text()
                part = rng.choice([each for each in lit if each in prefer] or lit)
                self.touch(part, rng.randrange(lit.count(part)))
            if self.asked == question:
                self.confirm()

    def pick(self, said: str) -> None:
        """Choose what is drawn nowhere, and confirm it: the choice alone does nothing."""
        before = len(self.sent)
        self.page.locator("#plain button", has_text=said).first.click()
        self.page.locator("[data-key=confirm]").wait_for()
        assert len(self.sent) == before, "a touch did something"
        self.page.locator("[data-key=confirm]").click()

    def confirm(self) -> None:
        self.said.append(self.move)
        self.page.locator("[data-key=confirm]").click()

    def html(self) -> str:
        """Return all that the page holds."""
        return self.page.content()


class Ears:
    """All that a browser's stream of events brings, as text: read by another client with the same cookie."""

    def __init__(self, address: str, phone: Phone | None) -> None:
        cookies = {} if phone is None else {each["name"]: each["value"] for each in phone.context.cookies()}
        self.client = httpx.Client(base_url=address, cookies=cookies, timeout=20)

    def now(self) -> str:
        """Return all that a new stream brings at once: the state of everything, with all its news."""
        lines: list[str] = []
        kept: dict[str, Assembly] = {}
        expected: set[str] | None = None
        with self.client.stream("GET", "/events", params={"topics": "public,mine,phone"}) as response:
            for line in response.iter_lines():
                lines.append(line)
                if not line.startswith("data: "):
                    continue
                event = json.loads(line.removeprefix("data: "))
                if "names" in event:
                    expected = {" ".join(each) for each in event["names"]}
                elif expected is not None:
                    name = f"{event['topic']} {event['name']}"
                    expected.discard(name)
                    state = kept.setdefault(name, Assembly()).take(event)
                    lines.append(json.dumps(state, ensure_ascii=False, separators=(",", ":")))
                if expected is not None and not expected:
                    break
        return "\n".join(lines)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def opened(tmp_path: Path) -> Iterator[tuple[Served, Room, Browser]]:
    """A log's pages, an evening of it, and a browser."""
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        yield pages, Room(link), browser


@contextmanager
def phones(address: str, begun: dict[str, Any]) -> Iterator[list[Phone]]:
    """A browser for each seat of a game: the first is a phone."""
    with chromium() as browser:
        yield [
            Phone(browser, address, key_of(begun, int(seat)), int(seat), SIZES[number % len(SIZES)])
            for number, seat in enumerate(sorted(begun["people"]))
        ]


def play(seats: Sequence[Phone], rng: random.Random, check: Any = lambda phone: None, most: int = 900) -> None:
    """Play a game to its end."""
    page = seats[0].page
    for _ in range(most):
        page.wait_for_timeout(20)
        if all(phone.over for phone in seats):
            return
        for phone in seats:
            if phone.asked:
                phone.decide(rng)
                check(phone)
    raise AssertionError("the game is not over")


def stop(link: Link, game: int) -> None:
    """Stop a game; one that is over is closed as soon as nobody has a phone at it."""
    if any(each["game"] == game for each in link.call("list")["games"]):
        link.call("stop", {"game": game})


__all__ = ["CHROMIUM", "LEAST", "Ears", "Phone", "chromium", "opened", "phones", "play", "stop"]
