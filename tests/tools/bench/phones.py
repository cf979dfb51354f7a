"""From a press on a phone to what is seen on it, on another phone and on a television; and the bytes of a move.

python -m tests.tools.bench phones          D.21, Struggle, Dicke Dämonen
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from playwright.sync_api import Page

sys.path.append(str(Path(__file__).parents[2] / "web"))

from evenings import key_of
from served import served

from browse.phones import Phone, chromium
from kept import kept, linked

PRESSES = 12
GAMES = {"d21": 2, "struggle": 4, "dicke-daemonen": 4}
PAUSE_MS = 400

WATCH = """() => {
    window.changed = 0;
    const seen = () => (window.changed ||= performance.timeOrigin + performance.now());
    window.watching?.disconnect();
    window.watching = new MutationObserver(() => requestAnimationFrame(seen));
    const all = { subtree: true, childList: true, characterData: true, attributes: true };
    window.watching.observe(document.querySelector("main"), all);
}"""
"""Note when the next change is drawn, in milliseconds of the computer's clock."""
PRESS = """() => {
    const at = performance.timeOrigin + performance.now();
    document.querySelector("[data-key=confirm]").click();
    return at;
}"""


class Stream:
    """All that a browser's stream of events brings, counted beside the test."""

    def __init__(self, address: str, phone: Phone) -> None:
        self._cookies = {each["name"]: each["value"] for each in phone.context.cookies()}
        self._address, self.count = address, 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        topics = {"topics": "public,mine,phone"}
        with httpx.stream("GET", f"{self._address}/events", params=topics, cookies=self._cookies, timeout=None) as told:
            for each in told.iter_raw():
                self.count += len(each)


def presses(phones: list[Phone], television: Page, stream: Stream) -> dict[str, list[float]]:
    """Play, and return the milliseconds of each press by the screen on which it is seen, and the bytes of each move."""
    rng, found = random.Random(1), dict[str, list[float]](own=[], other=[], television=[], bytes=[])
    page = television
    for _ in range(PRESSES):
        while not (asked := [phone for phone in phones if phone.asked]):
            page.wait_for_timeout(20)
        one = asked[0]
        while not one.move:
            part = rng.choice(one.lit)
            one.touch(part, rng.randrange(one.lit.count(part)))
        page.wait_for_timeout(PAUSE_MS)
        other = next(phone for phone in phones if phone is not one)
        screens = {"own": one.page, "other": other.page, "television": television}
        for each in screens.values():
            each.evaluate(WATCH)
        before = stream.count
        at = one.page.evaluate(PRESS)
        for name, each in screens.items():
            each.wait_for_function("() => window.changed")
            found[name].append(each.evaluate("() => window.changed") - at)
        page.wait_for_timeout(PAUSE_MS)
        found["bytes"].append(stream.count - before)
    return found


def main() -> None:
    print(f"From a press to the frame that shows it, medians of {PRESSES}; load {os.getloadavg()[0]:.1f}")
    for game, seats in GAMES.items():
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.db"
            with kept(log), linked(log) as link, served(log) as pages, chromium() as browser:
                people: list[Any] = [{"name": name, "source": "screen"} for name in "ABCD"[:seats]]
                begun = link.call("play", {"game": game, "seats": people})
                phones = [
                    Phone(browser, pages.address, key_of(begun, seat), seat, (390, 844)) for seat in range(1, seats + 1)
                ]
                television = browser.new_page(viewport={"width": 1920, "height": 1080}, reduced_motion="reduce")
                television.goto(pages.address)
                television.wait_for_selector("#board svg")
                found = presses(phones, television, Stream(pages.address, phones[1]))
                link.call("stop", {"game": begun["game"]})
        own, other, wall, size = (median(found[name]) for name in ("own", "other", "television", "bytes"))
        seen = f"own phone {own:.0f} ms, another {other:.0f}, television {wall:.0f}"
        print(f"  {game:15} {seen}; {size / 1000:.0f} kB a move")


if __name__ == "__main__":
    main()
