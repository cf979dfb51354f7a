"""Many tabs of one browser: all are kept up to date by one stream, and none waits for another's."""

from __future__ import annotations

from pathlib import Path

import pytest
from evenings import in_address, key_of
from playwright.sync_api import Page
from served import served

from browse.phones import chromium
from kept import kept, linked
from tablier.web import app

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]
BETWEEN = "body.between"
"""How a display looks after a game."""
TABS = 8
"""A browser opens six connections to a server by HTTP/1.1."""


def test_eight_tabs_of_one_browser_share_one_stream(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        begun = link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": SEATS})
        game, key = begun["game"], in_address(key_of(begun, 1))
        context = browser.new_context()
        tabs = [context.new_page() for _ in range(TABS)]
        for nth, tab in enumerate(tabs):
            tab.goto(pages.address + (f"/seat{key}" if nth == 0 else "/" if nth % 2 else "/seat"))
            tab.wait_for_selector("#board svg")
        while len(pages.site.hub.outlets) > 1:  # those of fewer topics end
            tabs[0].wait_for_timeout(20)
        assert len(pages.server.server_state.connections) <= 6
        seat = tabs[2]  # it has the seat of the first one
        seat.bring_to_front()
        seat.wait_for_selector("#asked[data-question]:not([data-question=''])")
        seat.locator(".offered").first.click()
        seat.locator("[data-key=confirm]:enabled").click()
        for tab in tabs:
            tab.wait_for_selector("text=Anne offers the >> visible=true")
        for tab in tabs[:-1]:
            tab.close()
        link.call("stop", {"game": game})
        tabs[-1].wait_for_selector(BETWEEN)
        assert len(pages.site.hub.outlets) == 1


def test_a_page_whose_shared_worker_does_not_come_has_a_stream_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a network drops just the request for its script: nobody would say that nothing comes."""
    files = {name: file for name, file in app._files().items() if name != "shared.js"}
    monkeypatch.setattr(app, "_files", lambda: files)
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        key = in_address(key_of(link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": SEATS}), 1))
        page = browser.new_page()
        page.goto(f"{pages.address}/seat{key}")
        page.wait_for_selector("#asked[data-question]:not([data-question=''])")


_HIDDEN = """() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
_SEEN = """() => {
    delete document.visibilityState;
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_where_tabs_share_no_worker_the_one_seen_last_has_the_stream(tmp_path: Path) -> None:
    """As on phones whose browser has no shared workers."""
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        game = link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": SEATS})["game"]
        link.call("watch", {"game": game, "viewers": [None]})
        context = browser.new_context()
        context.add_init_script("delete window.SharedWorker")
        tabs: list[Page] = []
        for _ in range(TABS):
            if tabs:
                tabs[-1].evaluate(_HIDDEN)
            tabs.append(context.new_page())
            tabs[-1].goto(pages.address)
            tabs[-1].wait_for_selector("#board svg")
        while len(pages.site.hub.outlets) > 1:  # those of tabs that nobody sees end
            tabs[0].wait_for_timeout(20)
        link.call("stop", {"game": game})
        tabs[-1].wait_for_selector(BETWEEN)
        assert not tabs[0].locator(BETWEEN).count()
        tabs[-1].evaluate(_HIDDEN)
        tabs[0].evaluate(_SEEN)
        tabs[0].wait_for_selector(BETWEEN)
        while len(pages.site.hub.outlets) > 1:
            tabs[0].wait_for_timeout(20)
