"""Hands and eyes at the table page: what simulated people do at a simulated table, done with a browser's mouse."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from playwright.sync_api import Error, FloatRect, Page, TimeoutError

from tablier import messages
from tablier.keeper.client import Link
from tablier.simulation.people import People

_SEEN = """(group) => [...document.querySelectorAll(`#whole [data-group="${group}"]`)]
    .map((pixel) => pixel.dataset.colour ?? "000000")"""
_LYING = """() => [...document.querySelectorAll("#cards .lies")].map((card) => [card.dataset.key, card.dataset.how])"""
_AT = """(point) => {
    const at = new DOMPoint(...point).matrixTransform(document.querySelector("#whole").getScreenCTM());
    return [at.x, at.y];
}"""
WHERE = {"flat": (4, -6), "leaning": (0, -44), "rim": (0, -88), "outside": (-132, -132)}
"""Where on the table a card is let go of, in mm from the middle, that is to land so."""
_LIES = "(key) => document.querySelector(`#cards [data-key^='${key} ']`)"
_LATER = 1 << 60
_SOON_MS = 4000


class Pixels(dict[str, Any]):
    """What is seen of the pixels; who looks for a hood leans over it."""

    def __init__(self, hands: Hands) -> None:
        super().__init__({group: hands.page.evaluate(_SEEN, group) for group in ("ring", "public")})
        self._hands = hands

    def __missing__(self, group: str) -> Any:
        return self._hands.lean(int(group.removeprefix("hood")))


class Hands:
    """The mouse of a browser whose page shows a table, in the place of a tester's verbs."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def pixels(self) -> dict[str, Any]:
        return Pixels(self)

    def choose(self, place: int) -> None:
        """Have a place before the reader."""
        chosen = self.page.locator(f'[data-choose="{place}"]')
        if chosen.get_attribute("aria-pressed") != "true":
            chosen.click()

    def lean(self, place: int) -> list[str]:
        """Lean over a hood, if that is not done yet, and return what lies under it."""
        self.choose(place)
        hood = self.page.locator(f'#own .hood[data-hood="{place}"]')
        if hood.get_attribute("aria-pressed") != "true":
            hood.click()
            self.page.wait_for_selector(f'#own .hood[data-hood="{place}"].open')
        seen: list[str] = self.page.evaluate(_SEEN, f"hood{place}")
        return seen

    def press(self, place: int, button: str, ms: int = 80) -> None:
        key = self.page.locator(f'#own .button[data-place="{place}"][data-button="{button}"] .key')
        for last in (False, False, True):  # the page goes to the place that is asked, also between two movements
            self.choose(place)
            try:
                key.click(delay=ms, timeout=None if last else _SOON_MS)
                return
            except TimeoutError:
                if last:
                    raise

    def land(self, how: str, tag: str) -> None:
        """Drag a card into the arena; it is printed as ``tag`` says, on the hand of its seat. Where another's card
        comes between, it is dragged again; one whose window is over stays in the hand."""
        seat, _, rank = tag.removeprefix("p").partition("@")[0].partition(":")
        self.choose(self.places[int(seat)])
        card = self.page.locator(f'#hand .card.seat{seat}[data-rank="{rank}"]:enabled')  # the hand is drawn by and by
        for _ in range(3):
            try:
                card.scroll_into_view_if_needed(timeout=_SOON_MS)
                if (box := card.bounding_box(timeout=_SOON_MS)) is not None:
                    self._drag(box, self.page.evaluate(_AT, WHERE[how]))
                self.page.wait_for_function(_LIES, arg=tag, timeout=_SOON_MS)
                return
            except Error:  # the hand is drawn anew whenever a card comes to lie
                continue

    def _drag(self, box: FloatRect, to: Sequence[float]) -> None:
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        mouse = self.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move((x + to[0]) / 2, (y + to[1]) / 2, steps=4)
        mouse.move(*to, steps=4)
        self.page.wait_for_timeout(100)  # it is held still: no swing
        mouse.up()

    places: Mapping[int, int] = {}
    """By seat: its place."""

    def say(self, verb: str) -> dict[str, Any]:
        name, *args = verb.split()
        if name == "pile":
            cards = [(*key.split(), how) for key, how in self.page.evaluate(_LYING)]
            return {"now": _LATER, "cards": [{"tag": tag, "time": int(at), "how": how} for tag, at, how in cards]}
        if name == "clear" and self.page.locator("#cards .lies").count():
            self.page.locator("#hand [data-clear]").click()
        elif name == "take":
            self.page.locator(f'#hand [data-take="{args[0]}"]').click()
        if name in ("clear", "take"):
            gone = "#cards .lies" if name == "clear" else f"#cards [data-key^='{args[0]} ']"
            self.page.wait_for_function("(gone) => !document.querySelector(gone)", arg=gone)
        return {}


class Players:
    """Simulated people who have the page alone to act by, and a spectator's updates to know what is asked."""

    def __init__(self, page: Page, link: Link, game: int, places: Mapping[int, int], source: str = "easy") -> None:
        self.hands = Hands(page)
        self.hands.places = places
        self._people = People(self.hands, dict.fromkeys(places, source), pace=0.1, seed=1)  # type: ignore[arg-type]
        self.latest: messages.Update | None = None
        self.over = threading.Event()
        self.moves = 0
        link.listen(game, self._hear)
        link.call("watch", {"game": game, "viewers": [None]})

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.Updates):
            self.latest = notice.updates[0]
            self.moves = self.latest.ply
            if self.latest.over:
                self.over.set()
        elif isinstance(notice, messages.Ended):
            self.over.set()

    def play(self, seconds: float, until: Callable[[], bool] = lambda: False) -> None:
        """Play until the game is over, or something holds."""
        deadline = time.monotonic() + seconds
        while not self.over.is_set() and not until():
            assert time.monotonic() < deadline, (self.latest, self.hands.say("pile"))
            self.hands.page.wait_for_timeout(1000 * self._people.act(time.monotonic(), lambda: self.latest))


__all__ = ["WHERE", "Hands", "Players"]
