"""Phones that come in: by touch alone, three touches from the scan; many at once; how soon all see the name."""

from __future__ import annotations

import asyncio
import os
import random
import time
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from evenings import Room
from playwright.sync_api import BrowserContext, Page, expect
from starlette.types import ASGIApp, Receive, Scope, Send

from browse.friends import PHONE
from browse.phones import LEAST, opened
from tablier.web import doors, serving
from tablier.web.app import build
from tablier.web.site import Site

expect.set_options(timeout=20_000)
NARROW: dict[str, Any] = {**PHONE, "viewport": {"width": 320, "height": 640}, "color_scheme": "dark"}
JOINS = int(os.environ.get("TABLIER_JOINS", "40"))
"""How many fresh browsers join, with and without SharedWorker together: 'make joins' has 500."""
SCANS = max(16, JOINS // 4)
"""How many come in one after another to see how soon all see the name."""
PEOPLE = 20
"""How many come to an evening; all at once, where it is not asked how soon."""
BUSY = 3
"""The load of a core beyond which a measured time says more of what else runs; phones one by one make less."""
PATIENCE_MS = 120_000
"""For a machine that does much else: how long it takes is another test's."""
SMALL = """() => [...document.querySelectorAll("main button, main select, main input, main a")]
    .filter((each) => each.getClientRects().length)
    .map((each) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 120)])
    .filter(([box]) => Math.min(box.width, box.height) < %s).map(([box, html]) => html)""" % (LEAST - 0.5)


def page_of(context: BrowserContext, faults: list[str]) -> Page:
    page = context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    return page


def check(page: Page, step: str) -> None:
    """Hold what every step has to be: nothing too small for a thumb or beside the page, nothing that axe finds."""
    assert page.evaluate(SMALL) == [], step
    assert not page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), step
    found = Axe().run(page).response["violations"]
    assert not [(each["id"], [node["html"][:200] for node in each["nodes"][:5]]) for each in found], step
    if shots := os.environ.get("TABLIER_SHOTS"):
        width = (page.viewport_size or {"width": 0})["width"]
        page.screenshot(path=f"{shots}/in-{width}-{step}.png")


@pytest.mark.parametrize("size", [PHONE, NARROW], ids=("390 light", "320 dark"))
def test_somebody_comes_in_by_touch_and_plays_whatever_is_played(tmp_path: Path, size: dict[str, Any]) -> None:
    faults: list[str] = []
    with opened(tmp_path) as (pages, room, browser):
        television = page_of(browser.new_context(viewport={"width": 1920, "height": 1080}), faults)
        television.goto(pages.address)
        known = page_of(browser.new_context(**size), faults)
        known.goto(f"{pages.address}/in#{room.code}")  # the first touch: the camera's
        known.get_by_role("button", name="Bernard", exact=True).wait_for()
        assert room.code not in known.url
        check(known, "names")
        known.get_by_role("button", name="Bernard", exact=True).tap()  # the second
        expect(known.locator("#title")).to_have_text("You are here as Bernard.")
        check(known, "between")
        new = page_of(browser.new_context(**size), faults)
        new.goto(f"{pages.address}/in")
        check(new, "code")
        new.locator("#code").press_sequentially(room.code.lower())
        new.locator("#name").fill("Léa-Marie van der Straaten-Dupont")
        check(new, "new-name")
        new.get_by_role("button", name="Come in", exact=True).tap()
        expect(new.locator("#title")).to_contain_text("You are here as Léa-Marie")
        expect(television.locator("body")).to_contain_text("Léa-Marie")
        game = room.play("d21", only=["Bernard", "Léa-Marie van der Straaten-Dupont"]).game
        for phone in (known, new):
            phone.locator("#asked .what").wait_for()
        check(known, "seat")
        room.link.call("stop", {"game": game})
        again = page_of(new.context, faults)  # another tab
        again.goto(f"{pages.address}/in#{room.code}")  # who scans again is simply there
        again.wait_for_url(f"{pages.address}/seat")
        again.goto(f"{pages.address}/in")
        again.get_by_role("link", name="To your seat").wait_for()
        check(again, "is-in")
        assert not faults


def test_a_touch_that_was_meant_for_the_code_page_chooses_no_name(tmp_path: Path) -> None:
    faults: list[str] = []
    with opened(tmp_path) as (pages, room, browser):
        phone = page_of(browser.new_context(**PHONE), faults)
        phone.goto(f"{pages.address}/in")
        phone.locator("#code").wait_for()
        assert phone.locator("#join form button").count() == 0  # the last letter sends the code
        phone.evaluate("""() => new MutationObserver((_, all) => {
            const name = document.querySelector(".names button");
            if (!name) return;
            all.disconnect();
            const {x, y} = name.getBoundingClientRect();
            const hit = document.elementFromPoint(x + 9, y + 9)?.closest("button");
            document.body.dataset.hit = hit?.textContent ?? "nothing";
        }).observe(document.querySelector("#join"), {childList: true, subtree: true})""")
        phone.locator("#code").press_sequentially(room.code.lower())
        expect(phone.locator("body")).to_have_attribute("data-hit", "nothing")
        phone.get_by_role("button", name="Bernard", exact=True).tap()
        expect(phone.locator("#title")).to_have_text("You are here as Bernard.")
        assert not faults


def test_who_waits_reads_rules_and_goes_home_while_a_bot_plays_on(tmp_path: Path) -> None:
    faults: list[str] = []
    with opened(tmp_path) as (pages, room, browser):
        phone = page_of(browser.new_context(**PHONE), faults)
        phone.add_init_script("""addEventListener("DOMContentLoaded", () => {
            const {width, height} = document.body.getBoundingClientRect();
            document.documentElement.dataset.hit = document.elementFromPoint(width / 2, height / 2)?.localName ?? "";
        })""")
        phone.goto(f"{pages.address}/in#{room.code}")
        phone.get_by_role("button", name="Bernard", exact=True).tap()
        expect(phone.locator("#title")).to_have_text("You are here as Bernard.")
        assert phone.locator("html").get_attribute("data-hit") == "html", "a touch for the page before does nothing"
        phone.get_by_text("Rules of the games").tap()
        check(phone, "rules")
        phone.get_by_role("button", name="Struggle", exact=True).tap()
        expect(phone.locator("dialog")).to_contain_text("pawn")
        phone.get_by_role("button", name="Close").tap()
        first = room.play("d21", only=["Anne", "Bernard"]).game
        phone.locator("#asked .what").wait_for()
        room.link.call("stop", {"game": first})
        expect(phone.locator("#asked .what")).to_contain_text("can be resumed")
        expect(phone.locator("#choose button")).to_have_count(0)
        expect(phone.locator("#asked p:not(.you)")).to_have_count(1)
        second = room.play("d21", only=["Anne", "Bernard"])
        expect(phone.locator("#asked .what")).not_to_contain_text("can be resumed")
        expect(phone.locator("#which select")).to_have_count(0)
        phone.locator("#more summary").tap()
        phone.get_by_role("button", name="I leave the evening").tap()
        check(phone, "home")
        phone.locator("[data-key=sure]").tap()
        expect(phone.locator("#title")).to_have_text("You are no longer here: you have gone home.")
        assert "Bernard" not in [each.name for each in room.told().here]
        (game,) = room.link.call("list")["games"]
        assert game["game"] == second.game
        assert [seat["source"] for seat in game["seats"] if seat["name"] == "Bernard"] == ["good"]
        check(phone, "gone")
        assert not faults


def test_of_two_on_one_phone_one_goes_home_and_the_other_plays_on(tmp_path: Path) -> None:
    faults: list[str] = []
    with opened(tmp_path) as (pages, room, browser):
        phone = page_of(browser.new_context(**PHONE), faults)
        phone.goto(f"{pages.address}/in#{room.code}")
        phone.get_by_role("button", name="Anne", exact=True).tap()
        expect(phone.locator("#title")).to_have_text("You are here as Anne.")
        phone.goto(f"{pages.address}/in")
        phone.get_by_role("button", name="Somebody else plays here, too").tap()
        phone.locator("#code").press_sequentially(room.code.lower())
        phone.get_by_role("button", name="Bernard", exact=True).tap()
        expect(phone.locator("#title")).to_have_text("You are here as Anne and Bernard.")
        room.play("d21", only=["Anne", "Bernard"])
        phone.locator("#asked .what").wait_for()
        phone.locator("#more summary").tap()
        phone.get_by_role("button", name="Bernard leaves the evening").tap()
        phone.locator("[data-key=sure]").tap()
        expect(phone.get_by_role("button", name="Bernard leaves the evening")).to_have_count(0)
        assert [each.name for each in room.told().here if each.by == "phone"] == ["Anne"]
        (game,) = room.link.call("list")["games"]
        assert {seat["name"]: seat["source"] for seat in game["seats"]} == {"Anne": "screen", "Bernard": "good"}
        assert not faults


def test_a_second_phone_and_a_television_wait_until_they_are_let_in(tmp_path: Path) -> None:
    faults: list[str] = []
    with opened(tmp_path) as (pages, room, browser):
        first, second = (page_of(browser.new_context(**PHONE), faults) for _ in range(2))
        for phone in (first, second):
            phone.goto(f"{pages.address}/in#{room.code}")
            phone.get_by_role("button", name="Anne", exact=True).tap()
        expect(first.locator("#title")).to_have_text("You are here as Anne.")
        expect(second.locator("#join")).to_contain_text("Anne is here by another device.")
        check(second, "asked")
        room.decide(yes=True)
        expect(second.locator("#title")).to_have_text("You are here as Anne.")
        expect(first.locator("#title")).to_have_text("You are no longer here: another device is Anne now.")
        check(first, "taken")
        screen = page_of(browser.new_context(viewport={"width": 1280, "height": 720}), faults)
        screen.goto(f"{pages.address}/in")
        screen.get_by_role("button", name="This screen is for all").click()
        expect(screen.locator("#join")).to_contain_text("say yes: at the terminal where Tablier runs")
        room.decide(yes=True)
        screen.wait_for_url(f"{pages.address}/")
        expect(screen.locator("body")).to_contain_text(room.code)
        third = page_of(browser.new_context(**PHONE), faults)
        third.goto(f"{pages.address}/in#{room.code}")
        third.get_by_role("button", name="Anne", exact=True).tap()
        third.locator("#leave").wait_for()
        room.decide(yes=False)
        expect(third.locator("#join [role=alert]")).to_have_text("You were not let in.")
        third.get_by_role("button", name="Cancel").tap()
        third.locator("#code").wait_for()
        wrong = "BBBB" if room.code != "BBBB" else "CCCC"
        third.locator("#code").press_sequentially(wrong)
        expect(third.locator("#join [role=alert]")).to_have_text("this is the code of no door that is open")
        check(third, "wrong-code")
        assert [each for each in faults if "status of 4" not in each] == []


@pytest.mark.timeout(1200)
def test_each_of_many_names_is_on_the_television_within_two_seconds_of_the_scan(tmp_path: Path) -> None:
    """The seconds from the moment the camera opens the address, with a touch as soon as there is something to touch."""
    took, loads = [], []
    with opened(tmp_path) as (pages, first, browser):
        first.close()
        television = browser.new_page()
        television.goto(pages.address)
        for number in range(SCANS):
            if number % PEOPLE == 0:
                room = Room(first.link, [])
                code = room.code
            name = f"Guest {number:03}"
            context = browser.new_context(**PHONE)
            page = context.new_page()
            begun = time.monotonic()
            page.goto(f"{pages.address}/in#{code}", wait_until="commit")
            page.locator("#name").fill(name)
            page.get_by_role("button", name="Come in", exact=True).tap()
            television.wait_for_function("(name) => document.body.textContent.includes(name)", arg=name, polling=20)
            took.append(time.monotonic() - begun)
            loads.append(os.getloadavg()[0])
            page.get_by_text("You are here as").wait_for()  # a browser may hang that is closed on its way to a page
            context.close()
            if number % PEOPLE == PEOPLE - 1:
                room.close()
    cuts = quantiles(took, n=20)
    print(f"from the scan to the television, {SCANS} phones: median {cuts[9]:.2f} s, p95 {cuts[-1]:.2f} s;", end=" ")
    print(f"load {min(loads):.1f} to {max(loads):.1f} on {os.cpu_count()} cores")
    if sorted(loads)[SCANS // 2] > BUSY * (os.cpu_count() or 1):
        pytest.skip("this computer does much else, so the figure says little")
    assert cuts[-1] <= 2.0, took


def answer_late(site: Site) -> ASGIApp:
    """Return the application, each answer of which comes after a while."""
    app, rng = build(site), random.Random(47)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await asyncio.sleep(0.3 * rng.random())
        await app(scope, receive, send)

    return answer


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("shared", [True, False], ids=("with SharedWorker", "without"))
def test_each_of_many_fresh_phones_has_its_person(
    tmp_path: Path, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers are delayed at random: those to a fresh browser's first requests, and that to its joining, arrive in any
    order."""
    monkeypatch.setattr(serving, "build", answer_late)
    monkeypatch.setattr(doors, "BURST", 1e6)  # all of them have one address
    wrong: list[tuple[str, str]] = []
    failed: list[tuple[str, str | None]] = []
    with opened(tmp_path) as (pages, first, browser):
        first.close()
        for batch in range(0, JOINS // 2, PEOPLE):
            room = Room(first.link, [])
            code = room.code
            contexts = [browser.new_context(**PHONE) for _ in range(PEOPLE)]
            phones = {f"Guest {batch + at}": context.new_page() for at, context in enumerate(contexts)}
            for page in phones.values():
                page.on("requestfailed", lambda request: failed.append((request.url, request.failure)))
                if not shared:
                    page.add_init_script("delete window.SharedWorker")
                page.goto(f"{pages.address}/in#{code}", wait_until="commit")
            for name, page in phones.items():
                page.locator("#name").fill(name, timeout=PATIENCE_MS)
            for page in phones.values():
                page.locator("#join form button").evaluate("(button) => button.click()")
            for name, page in phones.items():
                try:
                    expect(page.locator("#title")).to_contain_text("You are here as", timeout=PATIENCE_MS)
                except AssertionError:
                    shown = page.locator("body").inner_text()
                    raise AssertionError(f"{name}: {page.url}, {shown!r}; {failed[-40:]}") from None
                if page.locator("#title").inner_text() != f"You are here as {name}.":
                    wrong.append((name, page.locator("#title").inner_text()))
            here = {person.name: person.by for person in room.told().here}
            assert here == dict.fromkeys(phones, "phone")
            for context in contexts:
                context.close()
            room.close()
    assert not wrong
