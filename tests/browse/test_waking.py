"""Pages whose scripts or styles do not come: each says so, and comes to life once they do."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from evenings import Room, in_address
from playwright.sync_api import Page, Route, expect
from served import Served
from starlette.types import ASGIApp, Receive, Scope, Send

from browse.phones import opened
from tablier.web import serving
from tablier.web.app import build
from tablier.web.site import Site

NOT_WHOLE = "This page is not complete yet."


class Faulty:
    """Lets requests for some files fail, or wait for ever."""

    def __init__(self) -> None:
        self.failing: dict[str, int] = {}
        """By file: how often it fails."""
        self.hanging: set[str] = set()
        self._app: ASGIApp | None = None

    def build(self, site: Site) -> ASGIApp:
        self._app = build(site)
        return self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self._app is not None
        name = scope.get("path", "").rpartition("/")[2]
        if name in self.hanging:
            await asyncio.sleep(3600)
        if self.failing.get(name):
            self.failing[name] -= 1
            await send({"type": "http.response.start", "status": 503, "headers": [(b"content-length", b"0")]})
            await send({"type": "http.response.body"})
        else:
            await self._app(scope, receive, send)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Faulty:
    faulty = Faulty()
    monkeypatch.setattr(serving, "build", faulty.build)
    return faulty


CLEAR = "() => getComputedStyle(document.querySelector('.card')).borderRadius !== '0px'"
"""Whether the styles of a page have come."""


def come_in(page: Page, pages: Served, room: Room) -> None:
    page.goto(f"{pages.address}/in#{room.code}")
    page.get_by_role("button", name="Anne", exact=True).click()


def is_here(page: Page) -> None:
    expect(page.locator("#title")).to_have_text("You are here as Anne.", timeout=20_000)
    expect(page.get_by_text(NOT_WHOLE)).to_be_hidden()


@pytest.mark.parametrize("shared", [True, False], ids=("with SharedWorker", "without"))
@pytest.mark.parametrize("name", ["seat.js", "dom.js", "shared.js", "source.js"])
def test_a_phone_whose_script_does_not_come_is_there_a_moment_later(
    tmp_path: Path, faulty: Faulty, name: str, shared: bool
) -> None:
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        if not shared:
            page.add_init_script("delete window.SharedWorker")
        page.goto(f"{pages.address}/in#{room.code}")
        page.get_by_role("button", name="Anne", exact=True).wait_for()
        faulty.failing[name] = 2
        page.get_by_role("button", name="Anne", exact=True).click()
        is_here(page)


@pytest.mark.parametrize("name", ["page.css", "seat.js", "shared.js"])
def test_a_phone_that_waits_for_a_file_in_vain_asks_for_it_again(tmp_path: Path, faulty: Faulty, name: str) -> None:
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        page.goto(f"{pages.address}/in#{room.code}")
        page.get_by_role("button", name="Anne", exact=True).wait_for()
        faulty.hanging.add(name)
        page.clock.install()
        page.get_by_role("button", name="Anne", exact=True).click()
        page.wait_for_url(f"{pages.address}/seat", wait_until="commit")
        for _ in range(20):
            page.clock.run_for(1000)
        if name != "shared.js":
            expect(page.get_by_text(NOT_WHOLE)).to_be_visible()
        faulty.hanging.clear()
        for _ in range(20):
            page.clock.run_for(1000)
        page.clock.resume()
        is_here(page)


def test_a_page_whose_styles_do_not_come_gets_them_a_moment_later(tmp_path: Path, faulty: Faulty) -> None:
    with opened(tmp_path) as (pages, _, browser):
        page = browser.new_page()
        faulty.failing["page.css"] = 2
        page.goto(f"{pages.address}/in")
        assert not page.evaluate(CLEAR)
        page.locator("#code").fill("BC")  # nothing is lost
        page.wait_for_function(CLEAR)
        assert page.locator("#code").input_value() == "BC"


def test_a_phone_whose_shared_worker_falls_silent_has_a_stream_of_its_own(tmp_path: Path) -> None:
    """As where a phone has ended it to save memory: nobody says so."""
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        page.add_init_script("""{
            const workers = window.workers = [];
            window.SharedWorker = class extends SharedWorker {
                constructor(...of) { super(...of); workers.push(this); }
            };
        }""")
        come_in(page, pages, room)
        is_here(page)
        page.evaluate("for (const worker of workers) worker.port.close()")
        room.call("rename", name="Anne", to="Anna")
        expect(page.locator("#title")).to_have_text("You are here as Anna.", timeout=20_000)


@pytest.mark.parametrize("at", ["/", "/seat", "/host"])
def test_a_page_says_nothing_of_what_it_has_not_been_told(tmp_path: Path, faulty: Faulty, at: str) -> None:
    """As in a network that stalls: a phone whose game runs does not say that there is none."""
    with opened(tmp_path) as (pages, room, browser):
        room.close()
        page = browser.new_page()
        faulty.hanging.add("events")
        page.goto(pages.address + at)
        empty = page.get_by_text(re.compile("evening is over|in no evening|is for the organisers"))
        expect(page.get_by_text("connection is lost")).to_be_visible()
        expect(empty).to_be_hidden()
        faulty.hanging.clear()
        expect(empty).to_be_visible(timeout=20_000)


def test_a_key_is_kept_until_the_server_has_it(tmp_path: Path) -> None:
    """As where a phone scans its key just out of the network's reach."""
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        asked = []

        def lose(route: Route) -> None:
            asked.append(route)
            if len(asked) > 2:
                route.continue_()
            else:
                route.abort()

        page.route("**/enter", lose)
        page.goto(f"{pages.address}/seat{in_address(room.keys['Anne'])}")
        is_here(page)
        assert room.keys["Anne"]["key"] not in page.url


def test_a_phone_whose_answer_is_lost_on_its_way_in_asks_again(tmp_path: Path) -> None:
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        lost: list[Any] = []

        def lose(route: Route) -> None:
            if lost:
                route.continue_()
            else:
                lost.append(route.fetch().status)
                page.context.clear_cookies()  # that of the answer
                route.abort()

        page.route("**/join", lose)
        page.goto(f"{pages.address}/in#{room.code}")
        page.get_by_role("button", name="Anne", exact=True).click()
        is_here(page)
        assert room.by()["Anne"] == "phone"


def test_a_phone_that_has_gone_back_while_its_answer_was_on_its_way_stays_where_it_is(tmp_path: Path) -> None:
    with opened(tmp_path) as (pages, room, browser):
        page = browser.new_page()
        asked: list[Route] = []
        page.route("**/join", lambda route: asked.append(route))
        page.goto(f"{pages.address}/in#{room.code}")
        with page.expect_request("**/join"):
            page.get_by_role("button", name="Anne", exact=True).click()
        page.get_by_role("button", name="Another code").click()
        (join,) = asked
        with page.expect_response("**/join") as answer:
            join.continue_()
        assert answer.value.ok
        page.locator("#code").press_sequentially("BBBB" if room.code != "BBBB" else "CCCC")
        expect(page.locator("#join [role=alert]")).to_have_text("this is the code of no door that is open")
        assert page.url == f"{pages.address}/in"
