"""A television while games run: readable from across a room, nothing cut, all codes seen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from browse.phones import chromium
from browse.stage import Stage, positions, stage, update_of
from tablier.games import GAMES, game_class

LEAST = 28
SEEN = """() => {
    const said = (node) => [...node.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
    const shown = (node) => node.getClientRects().length && !node.closest(".reading");
    const all = [...document.querySelectorAll("main *")].filter(shown);
    const size = (node) => parseFloat(getComputedStyle(node).fontSize) * (node.closest("svg")?.getScreenCTM().a ?? 1);
    const cut = all.filter((each) => {
        const box = each.getBoundingClientRect();
        const out = box.width
            && (box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || Math.min(box.top, box.left) < -1);
        return out || (!each.closest("svg") && each.scrollWidth > each.clientWidth + 1 && each.clientWidth);
    });
    const board = document.querySelector("#board svg").getBoundingClientRect();
    const box = (each) => each?.getBoundingClientRect() ?? { left: 0, right: 0, top: 0, bottom: 0 };
    const along = (one, other, begin, end) => one[begin] < other[end] && other[begin] < one[end];
    const over = (one, other) => along(one, other, "left", "right") && along(one, other, "top", "bottom");
    const width = (each) => box(each).right - box(each).left;
    const codes = all.filter((each) => each.matches(".door"));
    const told = document.querySelector(".story .latest");
    return {
        letters: Math.min(...all.filter((each) => said(each) && !each.closest("svg")).map(size)),
        drawn: Math.min(...all.filter((each) => said(each) && each.closest("svg")).map(size)),
        cut: cut.map((each) => each.outerHTML.slice(0, 150)),
        share: (board.width * board.height) / (innerWidth * innerHeight),
        high: board.height / innerHeight,
        wide: board.width / innerWidth,
        codes: codes.map((each) => [each.querySelector("code")?.textContent, width(each.querySelector("img")) > 80]),
        hidden: codes.some((each) => over(box(each), box(told)) || over(box(each), board)),
        scrolls: Math.max(...["Height", "Width"].map((each) =>
            document.documentElement[`scroll${each}`] - window[`inner${each}`])) > 1,
    };
}"""
"""What somebody sees who sits across the room."""

SHOWN = """([ply, over]) => document.querySelector(".moment") !== null === over
    && (over || document.querySelector("#side h1")?.textContent.endsWith(`move ${ply}`))"""
"""Whether a position is shown."""


@contextmanager
def television(log: Path) -> Iterator[tuple[Stage, Page]]:
    with chromium() as browser, stage(log) as made:
        page = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
        page.clock.install()
        page.goto(made.address)
        yield made, page


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_read_from_across_a_room(tmp_path: Path, game: str) -> None:
    """With as many players as can be, of long names, and the codes of two evenings; with one, its picture, too."""
    with television(tmp_path / "log.db") as (made, page):
        codes = ["BKTR", "WXYZ"]
        made.open(*codes)
        page.get_by_role("heading", name=f"Evening {len(codes)}", exact=True).wait_for()  # both have come
        page.clock.fast_forward(7000)  # nobody touches it
        for position, told in positions(game, max(game_class(game).seat_counts), 5):
            if position.ply % 17 and not position.is_over:
                continue
            made.show(update_of(position, told))
            shown = "() => document.querySelector('#side h1')?.textContent"
            page.wait_for_function(
                f"([ply, over]) => over ? document.body.matches('.moment') : ({shown})()?.endsWith(`move ${{ply}}`)",
                arg=[position.ply, position.is_over],
            )
            seen = page.evaluate(SEEN)
            letters = min(seen["letters"], round(seen["drawn"], 2))
            assert letters >= LEAST and seen["cut"] == [] and not seen["scrolls"], (position.ply, seen)
            assert seen["share"] > 0.45 and (seen["high"] > 0.97 or seen["wide"] >= 0.6), (position.ply, seen)
            assert [code for code, _ in seen["codes"]] == codes and not seen["hidden"], (position.ply, seen)
            if position.ply > 80:
                break
        found = Axe().run(page).response["violations"]
        assert not [(each["id"], [node["html"][:200] for node in each["nodes"][:5]]) for each in found]
        made.put("public", "evening-2", None)
        page.wait_for_function("() => document.querySelectorAll('#side .door').length === 1")
        assert page.evaluate(SEEN)["codes"] == [["BKTR", True]]


def test_links_and_buttons_go_while_nobody_touches_anything(tmp_path: Path) -> None:
    with television(tmp_path / "log.db") as (_, page):
        top = page.locator(".top")
        assert top.evaluate("(each) => getComputedStyle(each).opacity") == "1"
        below = """(each) => each.getBoundingClientRect().bottom
            <= document.querySelector("main").getBoundingClientRect().top"""
        assert top.evaluate(below), "nothing is covered"
        page.clock.fast_forward(7000)
        assert top.evaluate("(each) => each.matches('.still .top') && getComputedStyle(each).opacity") == "0"
        assert page.locator("main").bounding_box() == {"x": 0, "y": 0, "width": 1920, "height": 1080}
        page.mouse.move(100, 100)
        assert top.evaluate(below)
        assert page.locator(".still").count() == 0
        page.get_by_role("button", name="Sound").click()
        page.clock.fast_forward(7000)
        assert top.evaluate("(each) => getComputedStyle(each).opacity") == "1"  # who is there by keys sees where
