"""The pages for everybody: by keys alone, enlarged, read aloud, and as axe-core finds them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")

from axe_playwright_python.sync_playwright import Axe
from evenings import in_address, key_of
from playwright.sync_api import Browser, Page
from served import served
from tests.heard import by_method

from browse.hall import GAMES, SCENES, Hall, hall
from browse.phones import chromium, stop
from browse.situations import Driven, room
from kept import kept, linked
from tablier.games import rules_of
from tablier.html.boards import read
from tablier.judge.audit import audit
from tablier.log.store import Log

SIZES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "light"},
    "laptop": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
SECRETS = {"dicke-daemonen", "struggle"}
"""Games in which a seat knows more than all see where no choice is open."""
READING = "() => document.querySelector('#board .reading')?.getAttribute('aria-label')"
TWICE = {"viewport": {"width": 640, "height": 400}}
"""A window of 1280 × 800 at 200 %."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def place(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hall, Browser]]:
    with hall(tmp_path_factory.mktemp("hall") / "log.db") as made:
        yield made, browser


def shown(place: tuple[Hall, Browser], scene: str, options: dict[str, Any]) -> Page:
    made, browser = place
    page = browser.new_context(reduced_motion="reduce", **options).new_page()
    SCENES[scene](made, page)
    return page


@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scene", SCENES)
def test_axe_finds_nothing(place: tuple[Hall, Browser], scene: str, size: str) -> None:
    page = shown(place, scene, SIZES[size])
    found = Axe().run(page).response["violations"]
    page.context.close()
    assert not [(each["id"], [node["html"][:200] for node in each["nodes"][:5]]) for each in found]


@pytest.mark.timeout(600)
def test_axe_finds_nothing_in_any_kind_of_question(browser: Browser, tmp_path: Path) -> None:
    """A turn, a duel; then a call and its menu, and the poll of the others."""
    log = tmp_path / "log.db"
    seats = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]
    seats.append({"name": "Christine", "source": "greedy"})
    with kept(log), served(log) as pages, linked(log) as link:
        begun = link.call("play", {"game": "dilemma", "options": {"first": "p1"}, "seats": seats})
        latest: list[Any] = []
        hear = by_method(lambda method, params: latest.append(params) if method == "updates" else None)
        link.listen(begun["game"], hear)
        link.call("watch", {"game": begun["game"], "viewers": [None]})
        people = []
        for number in sorted(begun["people"]):
            page = browser.new_context(reduced_motion="reduce", **SIZES["phone"]).new_page()
            page.goto(f"{pages.address}/seat{in_address(key_of(begun, int(number)))}")
            page.wait_for_selector("#asked .what")
            people.append(Keys(page, random.Random(1)))
        looked: set[str] = set()

        def look(page: Page) -> None:
            kind = latest[-1]["updates"][0]["question"]["kind"]
            if kind not in looked:
                looked.add(kind)
                found = Axe().run(page).response["violations"]
                assert not [(kind, each["id"], each["nodes"][0]["html"][:200]) for each in found]

        anne, bernard = people

        def play_until(holds: Callable[[], object]) -> None:
            deadline = time.monotonic() + 60
            while not holds():
                assert time.monotonic() < deadline
                anne.page.wait_for_timeout(20)
                for each in people:
                    if each.page.locator("#asked").get_attribute("data-question") and not holds():
                        look(each.page)
                        each.decide()

        play_until(lambda: looked >= {"turn", "choice"})
        # After a duel nothing can be corrected, while cards are thrown the offer can.
        play_until(lambda: (latest[-1]["updates"][0]["question"] or {}).get("what") == "window")
        bernard.page.locator("#more summary").click()
        bernard.page.locator("[data-key=call]").click()
        moves = bernard.page.locator("#plain button", has_text="move ")
        moves.first.wait_for()
        look(bernard.page)
        moves.last.click()
        bernard.page.locator("[data-key=confirm]").click()
        bernard.page.wait_for_selector("text=really")
        bernard.page.locator("#plain button").first.click()
        bernard.page.locator("[data-key=confirm]").click()
        anne.page.wait_for_selector("#plain button:has-text('Yes')")
        look(anne.page)
        assert looked >= {"turn", "choice", "menu", "poll"}
        link.call("stop", {"game": begun["game"]})


BEYOND = """() => {
    const beyond = document.documentElement.scrollWidth > innerWidth ? ["the page is wider than its window"] : [];
    for (const each of document.querySelectorAll("h1, h2, p, li, td, a, button, input, select, summary, label, svg")) {
        const box = each.getBoundingClientRect();
        if (!box.width || !box.height || each.closest(".skip, .reading, [hidden]")) continue;
        let room = each.parentElement;
        while (room && !["auto", "scroll"].includes(getComputedStyle(room).overflowX)) room = room.parentElement;
        if (!room && (box.left < -1 || box.right > innerWidth + 1)) beyond.push(each.outerHTML.slice(0, 100));
    }
    return beyond;
}"""
"""What lies beside the page, where nobody can scroll to it."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scene", SCENES)
def test_nothing_is_lost_at_twice_the_size(place: tuple[Hall, Browser], scene: str) -> None:
    page = shown(place, scene, TWICE)
    assert page.evaluate(BEYOND) == []
    if scene.startswith("seat-"):  # nothing lies over the board for good
        board = page.locator("#board").bounding_box()
        choose = page.locator("#choose").bounding_box()
        assert board and choose
        assert choose["y"] >= board["y"] + board["height"] or choose["x"] >= board["x"] + board["width"]
    page.context.close()


@pytest.mark.parametrize("game", GAMES)
def test_each_board_is_read_as_its_viewer_may_know_it(place: tuple[Hall, Browser], game: str) -> None:
    made, _ = place
    update = made.latest[made.games[game][0]]
    names = [each["name"] for each in update["seats"]]
    rules = rules_of(game, len(names), update["options"])
    reading = read(rules, update["view"], names)
    assert len(reading.splitlines()) > 2 and not set(reading) & set("·▶★♥■□[]")
    for scene in (f"display-{game}", f"seat-{game}"):
        page = shown(place, scene, SIZES["laptop"])
        heard = page.locator("#board .reading").get_attribute("aria-label") or ""
        assert heard.partition("\n")[2] == reading
        assert all(name in heard for name in names)
        # What alone this seat knows is read while its button is held, and then no more.
        hold = page.locator("[data-key=hold]")
        if scene.startswith("seat"):
            assert hold.is_visible() == (game in SECRETS)
        if scene.startswith("seat") and game in SECRETS:
            hold.focus()
            page.keyboard.down("Space")
            own = page.locator(".own[role=status]").inner_text()
            page.keyboard.up("Space")
            assert own and own not in page.locator("body").inner_text()
        page.context.close()


def test_a_reading_follows_where_the_picture_of_a_board_stays(browser: Browser, tmp_path: Path) -> None:
    """What is predicted stands beside a board of Dicke Dämonen, not on it."""
    with room(tmp_path / "log.db") as (pages, link):
        game = Driven(link, "dicke-daemonen", 2, {})
        display, seat, fresh = (browser.new_context(reduced_motion="reduce").new_page() for _ in range(3))
        display.goto(pages.address)
        seat.goto(f"{pages.address}/seat{in_address(game.keys[1])}")
        for each in (display, seat):
            each.wait_for_selector("#board .reading", state="attached")
        for ply in range(1, 15):

            def reached(update: Any, ply: int = ply) -> Any:
                return update["ply"] >= ply and update["question"]

            game.play(reached)
            fresh.goto(pages.address)
            at = f"move {game.update['ply']}"
            fresh.wait_for_function("(at) => document.querySelector('.now h1')?.textContent.endsWith(at)", arg=at)
            heard = fresh.evaluate(READING)
            for each in (display, seat):
                each.wait_for_function(f"(heard) => ({READING})() === heard", arg=heard)
        for each in (display, seat, fresh):
            each.context.close()
        game.stop()


# -- keys --------------------------------------------------------------------------------------------------------------

FOCUS = """() => {
    const at = document.activeElement;
    const part = at.closest("[data-part]");
    const can = !part || part.matches(".offered:not(.seems)");
    return { part: part?.dataset.part ?? "", key: at.dataset?.key ?? "", can, text: at.textContent };
}"""


class Keys:
    """A reader who has Tab, Enter and Space."""

    def __init__(self, page: Page, rng: random.Random) -> None:
        self.page, self._rng = page, rng
        self.pressed = 0

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.pressed += 1

    def to(self, holds: Any, most: int = 300) -> bool:
        """Go on from stop to stop until one is wanted."""
        for _ in range(most):
            if holds(self.page.evaluate(FOCUS)):
                return True
            self.press("Tab")
        return False

    def decide(self) -> None:
        """Reply to the question that waits."""
        asked = self.page.locator("#asked").get_attribute("data-question")
        if self.page.locator("#plain button", has_text="Yes").count():
            assert self.to(lambda at: at["text"] == "Yes")
            self.press("Enter")
            assert self.to(lambda at: at["key"] == "confirm")
            self.press("Enter")
        else:
            for _ in range(30):
                if self.page.locator("[data-key=confirm]:enabled").count():
                    break
                for _ in range(self._rng.randrange(4)):
                    self.press("Tab")
                assert self.to(lambda at: at["part"] and at["can"])
                self.press("Enter")
            assert self.to(lambda at: at["key"] == "confirm")
            self.press("Enter")
        self.page.wait_for_function("(old) => document.querySelector('#asked').dataset.question !== old", arg=asked)
        assert self.page.evaluate("document.activeElement !== document.body"), "the reader is sent to the page's top"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("game", "count", "options"),
    [
        ("d21", 2, {"max_plies": 16}),
        ("dicke-daemonen", 2, {}),
        ("dilemma", 3, {"first": "p1"}),
        ("roudalon", 4, {"first": "p1"}),
        ("struggle", 2, {"board": "YYYYYYYYYY", "first": "p1"}),
    ],
)
def test_a_whole_game_is_played_by_keys_alone(
    browser: Browser, tmp_path: Path, game: str, count: int, options: dict[str, Any]
) -> None:
    log = tmp_path / "log.db"
    seats = [{"name": f"Player {n}", "source": "screen" if n == 1 else "greedy"} for n in range(1, count + 1)]
    with kept(log), served(log) as pages, linked(log) as link:
        begun = link.call("play", {"game": game, "options": options, "seats": seats, "table": {"pace_s": 0}})
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.goto(f"{pages.address}/seat{in_address(key_of(begun, 1))}")
        keys = Keys(page, random.Random(1))
        moves = 0
        while True:
            page.wait_for_selector("#asked[data-question]:not([data-question='']), #asked ul")
            if page.locator("#asked ul").count():
                break
            keys.decide()
            moves += 1
        page.context.close()
        stop(link, begun["game"])
    assert keys.pressed <= (60 if game == "dicke-daemonen" else 40) * moves  # its board alone has dozens of fields
    with Log.read(log) as read:
        assert read.game().result is not None
        assert audit(read.entries()).games == 1


def test_a_game_is_looked_back_at_by_arrow_keys(place: tuple[Hall, Browser]) -> None:
    page = shown(place, "log-game", SIZES["laptop"])
    where = page.locator("#where")
    last = int(where.inner_text().split()[-1])
    reading = "() => document.querySelector('#shown .reading').getAttribute('aria-label')"
    seen = page.evaluate(reading)
    for key, at in (("ArrowLeft", last - 1), ("ArrowLeft", last - 2), ("ArrowRight", last - 1), ("Home", 0)):
        page.keyboard.press(key)
        assert where.inner_text() == f"{at} of {last}"
    page.wait_for_function(
        "(old) => document.querySelector('#shown .reading').getAttribute('aria-label') !== old", arg=seen
    )
    page.keyboard.press("End")
    assert where.inner_text() == f"{last} of {last}"
    page.locator("#slider").focus()
    page.keyboard.press("ArrowLeft")
    assert where.inner_text() == f"{last - 1} of {last}"
    page.wait_for_function(
        "(at) => document.querySelector('#story [aria-current]')?.dataset.at === at", arg=str(last - 1)
    )
    page.context.close()
