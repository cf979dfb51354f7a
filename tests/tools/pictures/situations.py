"""Screenshots of what a person meets in each game, on each screen: to be looked at, one by one.

make pictures SCREENS=1                   takes them all, into build/screens
python -m tests.tools.pictures.situations struggle d21 --only phone --light
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evenings import in_address
from playwright.sync_api import Browser, Page
from served import Served

from browse.phones import chromium
from browse.situations import END, NAMES, SITUATIONS, Driven, bring, room
from tablier.keeper.client import Link

ROOT = Path(__file__).parents[3]
SCREENS: Mapping[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "landscape": {"viewport": {"width": 844, "height": 390}, "has_touch": True},
    "small": {"viewport": {"width": 320, "height": 568}, "has_touch": True},
    "large-letters": {"viewport": {"width": 390, "height": 844}, "has_touch": True},
    "television": {"viewport": {"width": 1920, "height": 1080}},
}
TWICE = "addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '200%')"
ASKED = """(name) => document.querySelector("#ask .question")?.textContent.includes(name)
    && document.querySelector("#own .pixel.lit")"""
"""Whether the table page says that somebody is asked, and the hood shows it."""
AT_TABLE: Mapping[str, dict[str, Any]] = {
    "table": {"viewport": {"width": 1280, "height": 800}},
    "low-table": {"viewport": {"width": 1024, "height": 768}},
}
"""The table page: where nobody has a seat and all sit at a simulated table."""


def seat_page(page: Page, pages: Served, game: Driven, seat: int) -> None:
    page.goto(f"{pages.address}/seat{in_address(game.keys[seat])}")
    page.wait_for_selector("#asked .what")
    page.wait_for_selector("#board svg")


def touch(page: Page) -> None:
    """Touch the first part that can be touched, in the hand if there is one."""
    for where in ("#hand", "#board"):
        part = page.locator(f"{where} .offered").first
        if box := part.count() and part.bounding_box():
            for _ in range(2):  # of a small one, the first touch brings it nearer
                if not page.locator(f"{where} .touched").count():
                    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
                    page.wait_for_timeout(50)
            return


def _looks(screen: Mapping[str, Any], scheme: str) -> dict[str, Any]:
    """Return the options of a browser's window that shows a screen in a colour scheme."""
    return {**screen, "color_scheme": scheme, "reduced_motion": "reduce"}


class Camera:
    """A browser whose windows are photographed."""

    def __init__(self, browser: Browser, pages: Served, to: Path) -> None:
        self._browser, self._pages, self._to = browser, pages, to

    def open(self, game: Driven, screen: str, scheme: str, seat: int) -> Page:
        """Open what a screen shows of a game; a television has no seat."""
        page = self._browser.new_context(**_looks(SCREENS[screen], scheme)).new_page()
        if screen == "large-letters":
            page.add_init_script(TWICE)
        if screen == "television":
            page.goto(self._pages.address)
            page.wait_for_selector("#board svg, #interlude h1")
        else:
            seat_page(page, self._pages, game, seat)
        return page

    def shoot(self, page: Page, *name: str) -> None:
        page.wait_for_timeout(150)
        page.screenshot(path=self._to / f"{'-'.join(name)}.png")

    def take(self, game: Driven, situation: str, screens: Sequence[tuple[str, str]]) -> None:
        """Take the pictures of a situation that is there."""
        for screen, scheme in screens:
            page = self.open(game, screen, scheme, SITUATIONS[game.name][2][situation].seat)
            self.shoot(page, game.name, screen, situation, scheme)
            if screen != "television":
                touch(page)
                self.shoot(page, game.name, screen, f"{situation}-choosing", scheme)
            page.context.close()
            if situation == "turn" and screen != "television":
                page = self.open(game, screen, scheme, 2)
                self.shoot(page, game.name, screen, "waiting", scheme)
                page.context.close()

    def take_end(self, game: Driven, screens: Sequence[tuple[str, str]]) -> None:
        """Take the pictures of the end of a game that has not begun."""
        opened = [(self.open(game, screen, scheme, 1), screen, scheme) for screen, scheme in screens]
        game.play()
        for page, screen, scheme in opened:
            if screen != "television":
                page.wait_for_selector("#ending .how")
            self.shoot(page, game.name, screen, "end", scheme)
            page.context.close()


def take_tables(
    browser: Browser, pages: Served, link: Link, name: str, screens: Sequence[tuple[str, str]], to: Path
) -> None:
    """Take the pictures of the table page when the first of a game's people is asked; the others are simulated."""
    count, options, _ = SITUATIONS[name]
    seats = [
        {"name": each, "source": "table", "place": place} | ({"simulated": "good"} if place > 1 else {})
        for place, each in enumerate(NAMES[:count], 1)
    ]
    begun = link.call("play", {"game": name, "seats": seats, "options": dict(options), "table": {"port": "simulated"}})
    link.call("watch", {"game": begun["game"], "viewers": [None]})  # it begins when somebody looks
    for screen, scheme in screens:
        page = browser.new_context(**_looks(AT_TABLE[screen], scheme)).new_page()
        page.goto(f"{pages.address}/table#operator={pages.site.browsers.operator}")
        page.wait_for_function(ASKED, arg=NAMES[0], timeout=300_000)  # the table has to boot
        page.screenshot(path=to / f"{name}-{screen}-turn-{scheme}.png")
        page.context.close()
    link.call("stop", {"game": begun["game"]})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", help="the games; without any, all")
    parser.add_argument("--only", action="append", choices=[*SCREENS, *AT_TABLE])
    parser.add_argument("--light", action="store_true", help="not in the dark, too")
    parser.add_argument("--to", type=Path, default=ROOT / "build" / "screens")
    asked = parser.parse_args()
    asked.to.mkdir(parents=True, exist_ok=True)
    wanted = [
        (each, scheme)
        for each in asked.only or (*SCREENS, *AT_TABLE)
        for scheme in ("light", "dark")[: 2 - asked.light]
    ]
    screens, tables = ([each for each in wanted if each[0] in group] for group in (SCREENS, AT_TABLE))
    with chromium() as browser:
        for name in asked.games or SITUATIONS:
            with tempfile.TemporaryDirectory() as folder, room(Path(folder) / "log.db") as (pages, link):
                if tables:
                    take_tables(browser, pages, link, name, tables, asked.to)
            for situation in (*SITUATIONS[name][2], END) if screens else ():
                with tempfile.TemporaryDirectory() as folder, room(Path(folder) / "log.db") as (pages, link):
                    camera, game = Camera(browser, pages, asked.to), bring(link, name, situation)
                    (camera.take_end(game, screens) if situation == END else camera.take(game, situation, screens))
                    game.stop()
                print(name, situation, flush=True)


if __name__ == "__main__":
    main()
