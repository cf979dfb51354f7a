"""Many tabs of one browser: all are kept up to date by one stream, and none waits for another's."""

from __future__ import annotations

from pathlib import Path

from served import served

from browse.phones import chromium
from kept import kept, linked
from tablier.texts import render
from tablier.web.words import DISPLAY

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]
STOPPED = render(DISPLAY["stopped"])
TABS = 8
"""A browser opens six connections to a server by HTTP/1.1."""


def test_eight_tabs_of_one_browser_share_one_stream(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        begun = link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": SEATS})
        game, key = begun["game"], begun["keys"]["1"]
        context = browser.new_context()
        tabs = [context.new_page() for _ in range(TABS)]
        for nth, tab in enumerate(tabs):
            tab.goto(pages.address + (f"/seat#seat={game}-1-{key}" if nth == 0 else "/" if nth % 2 else "/seat"))
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
            tab.wait_for_selector("text=Anne offers the")
        for tab in tabs[:-1]:
            tab.close()
        link.call("stop", {"game": game})
        tabs[-1].wait_for_selector(f"text={STOPPED}")
        assert len(pages.site.hub.outlets) == 1
