"""Games at a simulated table, played on the table page with nothing but the mouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")

from playwright.sync_api import Page, sync_playwright
from served import Served, served

from browse.hands import Hands, Players
from kept import kept, linked
from tablier.judge.audit import audit
from tablier.keeper.client import Link
from tablier.log.store import Log
from tablier.texts import Json

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if Path(path).exists()), None)
NAMES = ("Anne", "Player 2", "Bernard", "Player 4", "Christine", "Player 6")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 2}
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@contextmanager
def opened(pages: Served, *, phone: bool = False) -> Iterator[Page]:
    """The operator's table page; nothing may be said on its console, and nothing refused."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        sizes: dict[str, Any] = PHONE if phone else {"viewport": {"width": 1280, "height": 900}}
        page = browser.new_context(**sizes).new_page()
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(f"{pages.address}/table#operator={pages.site.browsers.operator}")
        page.wait_for_selector("#own .at")
        yield page
        assert not said
        browser.close()


@contextmanager
def begun(
    tmp_path: Path, name: str = "dilemma", seats: int = 3, options: Json | None = None, *, phone: bool = False
) -> Iterator[tuple[Page, Link, Json]]:
    """A game all of whose places are the reader's; without ``options`` at places with room between them."""
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, opened(pages, phone=phone) as page:
        places = range(1, seats + 1) if options is not None else (1, 3, 5)
        sitting = [{"name": NAMES[place - 1], "source": "table", "place": place} for place in places]
        begun = link.call("play", {"game": name, "seats": sitting, "options": options or {}})
        link.call("watch", {"game": begun["game"], "viewers": [None]})
        page.wait_for_selector("#whole .pixel.lit")
        (game,) = link.call("list")["games"]
        yield page, link, {**game, "address": pages.address, "operator": pages.site.browsers.operator}
        link.call("stop", {"game": game["game"]})


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("name", "seats", "options"),
    [
        ("dilemma", 3, None),
        ("d21", 2, {"max_plies": 14}),
        ("struggle", 2, {"board": "YYYYYYYYYY", "first": "p1"}),
        ("roudalon", 4, {"first": "p1"}),
        ("dicke-daemonen", 2, {}),
    ],
)
def test_a_game_is_played_to_its_end(tmp_path: Path, name: str, seats: int, options: Json | None) -> None:
    with begun(tmp_path, name, seats, options) as (page, link, game):
        players = Players(page, link, game["game"], {seat: each["place"] for seat, each in enumerate(game["seats"], 1)})
        players.play(1100)
        assert page.locator("#ask .question").inner_text()
    with Log.read(tmp_path / "log.db") as read:
        assert read.game().result is not None
        assert audit(read.entries()).games == 1


def test_a_card_of_who_is_not_at_the_table_is_laid_by_somebody_there(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    people = (("Anne", "greedy", 1), ("Bernard", "table", 3), ("Carl", "greedy", 4))
    seats = [{"name": name, "source": source, "place": place} for name, source, place in people]
    with kept(log), served(log) as pages, linked(log) as link, opened(pages) as page:
        game = link.call("play", {"game": "dilemma", "seats": seats, "options": {"first": "p2"}})["game"]
        link.call("watch", {"game": game, "viewers": [None]})
        page.wait_for_selector("#places .awaited")
        players = Players(page, link, game, {2: 3})
        players.hands.places = {1: 1, 2: 3, 3: 4}
        laid = set[str]()

        def others() -> bool:
            keys = page.evaluate("() => [...document.querySelectorAll('#cards .lies')].map((each) => each.dataset.key)")
            laid.update(key for key in keys if not key.startswith("p2:"))
            return bool(laid)

        players.play(300, others)
        assert laid and not players.over.is_set()
        link.call("stop", {"game": game})


def test_keys_alone_do(tmp_path: Path) -> None:
    with begun(tmp_path) as (page, _, _):
        keys = page.keyboard
        page.wait_for_selector("#places .awaited")
        keys.press("1")
        keys.press("l")
        page.wait_for_selector('#own .hood[data-hood="1"].open .lit')
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.post_data or ""))
        for _ in range(3):  # a key that is held repeats itself
            keys.down("ArrowRight")
        keys.up("ArrowRight")
        page.wait_for_selector('#own [data-group="hood1"][data-index="1"].lit')
        keys.press("b", delay=100)
        page.wait_for_selector("#hand .card")
        assert [verb for each in asked for verb in ("hold 1 plus", "release 1 plus") if verb in each] == [
            "hold 1 plus",
            "release 1 plus",
        ]
        keys.press("3")
        page.wait_for_function('() => document.querySelector("#hand h2").textContent.includes("Bernard")')
        page.locator('#hand .card[data-rank="7"]').focus()
        keys.press("Enter")
        page.locator('#hand [data-how="flat"]').focus()
        keys.press("Enter")
        page.wait_for_selector("#cards .lies[data-how='flat']", state="attached")
        for place in ("3", "5"):
            keys.press(place)
            page.locator(f'#own .button[data-place="{place}"][data-button="a"]').focus()
            keys.press("Space", delay=100)
        page.wait_for_function(
            '() => /throws|claim|whose|threw/i.test(document.querySelector("#ask .question").textContent)'
        )


def test_the_hood_is_seen_in_one_browser_and_said_in_all(tmp_path: Path) -> None:
    with begun(tmp_path) as (page, _, game):
        browser = page.context.browser
        assert browser is not None
        other, display = browser.new_context().new_page(), browser.new_context().new_page()
        other.goto(f"{game['address']}/table#operator={game['operator']}")
        other.wait_for_selector("#whole .pixel.lit")
        display.goto(game["address"])
        page.keyboard.press("l")
        page.wait_for_selector('#own .hood[data-hood="1"].open .lit')
        for each in (other, display):
            each.wait_for_function('() => document.querySelector("#leaning")?.textContent.includes("hood of place 1")')
        assert other.locator('[data-group="hood1"].lit').count() == 0
        other.keyboard.press("l")
        other.wait_for_function('() => document.querySelector("#ask .hot").textContent.includes("one at a time")')
        page.keyboard.press("Escape")
        for each in (other, display):
            each.wait_for_function('() => document.querySelector("#leaning").hidden')


def test_who_plays_at_a_screen_comes_to_the_table(tmp_path: Path) -> None:
    """As 'tablier play' begins a game, and its address leads here."""
    log = tmp_path / "log.db"
    people = [{"name": name, "source": "table", "place": place} for name, place in (("Bernard", 3), ("Christine", 5))]
    seats = [{"name": "Anne", "source": "screen", "place": 1}, *people]
    with kept(log), served(log) as pages, linked(log) as link, opened(pages) as page:
        asked = {"game": "dilemma", "seats": seats, "options": {"first": "p1"}, "table": {"port": "simulated"}}
        game = link.call("play", asked)["game"]
        link.call("watch", {"game": game, "viewers": [None]})
        page.wait_for_selector("#ask .hint:has-text('Anne is asked at a screen')")
        page.locator("[data-sit='1']").click()
        page.wait_for_selector("#doing:has-text('Lean over the hood')")
        Hands(page).press(1, "b")
        page.wait_for_selector("#hand .card")
        assert not page.locator("[data-sit]").count()
        link.call("stop", {"game": game})


def test_the_cable_is_pulled_and_time_slowed_at_the_workbench(tmp_path: Path) -> None:
    with begun(tmp_path) as (page, _, _):
        page.locator("#workbench summary").click()
        page.get_by_text("Pull the cable").click()
        page.wait_for_function('() => document.querySelector("#ask .hint").textContent.includes("does not answer")')
        page.get_by_text("Plug it in again").click()
        page.wait_for_function('() => !document.querySelector("#ask .hint").textContent.includes("does not answer")')
        page.locator("#workbench select").first.select_option("50")
        page.get_by_label("Watch the line").check()
        page.wait_for_selector(".frames li")
        page.keyboard.press("b", delay=200)
        page.wait_for_selector("#hand .card")


def test_a_card_below_the_fold_is_dragged_to_an_arena_in_sight(tmp_path: Path) -> None:
    with begun(tmp_path) as (page, _, _):
        page.set_viewport_size({"width": 1280, "height": 640})
        hands = Hands(page)
        hands.press(1, "b")
        page.wait_for_selector("#hand .card")
        hands.choose(3)
        page.wait_for_function('() => document.querySelector("#hand h2").textContent.includes("Bernard")')
        card = page.locator('#hand .card[data-rank="7"]')
        card.scroll_into_view_if_needed()
        assert page.evaluate("() => scrollY") > 0
        box, tray = card.bounding_box(), page.locator("#whole .tray").bounding_box()
        assert box is not None and tray is not None and 0 < tray["y"] < tray["y"] + tray["height"] < 640
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(tray["x"] + tray["width"] / 2, tray["y"] + tray["height"] / 2, steps=8)
        page.wait_for_timeout(100)  # it is held still: no swing
        page.mouse.up()
        page.wait_for_selector("#cards .lies[data-how='flat']", state="attached")


def test_on_a_phone_a_finger_reaches_all_buttons_and_throws_a_card(tmp_path: Path) -> None:
    with begun(tmp_path, phone=True) as (page, _, _):
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        for reach in page.locator('#own .at[data-at="1"] .reach').all():
            box = reach.bounding_box()
            assert box is not None and min(box["width"], box["height"]) >= 44
        page.wait_for_selector("#places .awaited")
        page.locator('#own .button[data-place="1"][data-button="b"] .reach').tap()
        page.wait_for_selector("#hand .card")
        hands = Hands(page)
        hands.places = {1: 1, 2: 3, 3: 5}
        hands.land("flat", "p2:7@1")
        assert page.locator("#cards .lies").get_attribute("data-how") == "flat"


PLAYED_WITH = (
    "#arena svg",
    "#ask",
    "#doing",
    "#own .at:not([hidden]) .hood .inside",
    "#own .at:not([hidden]) .button.b .key",
    "#hand",
)
"""What somebody plays with: it is in view, and stays where it is whatever is asked."""
SIZES = ((1280, 800), (1024, 768))


def places_of(page: Page) -> list[Any]:
    return [page.locator(each).first.bounding_box() for each in PLAYED_WITH]


def test_who_has_never_seen_it_throws_after_one_button_and_reads_what_a_duel_comes_to(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, opened(pages) as page:
        page.set_viewport_size({"width": 1280, "height": 800})
        assert "simulated" in page.locator("#ask .question").inner_text()
        button = page.locator("#ask button")
        assert button.all_inner_texts() == ["Play a game of Dilemma, you and three simulated people"]
        button.click()
        page.wait_for_selector("#hand .card")
        assert "drag a card" in page.locator("#doing").inner_text()
        hands = Hands(page)
        hands.places = {1: 1}
        assert page.locator("#hand .card").count() == 10
        before = {size: stands_at(page, size) for size in SIZES}
        for (_, height), boxes in before.items():
            assert all(box is not None and box["y"] >= 0 and box["y"] + box["height"] <= height for box in boxes)
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate("() => getSelection().selectAllChildren(document.body)")  # as after a double click
        card = next(each for each in "234" if f"the {each}:" not in page.locator("#ask .question").inner_text())
        page.evaluate("() => document.querySelector('#hand').scrollTo(0, 0)")
        drag(page, card)
        assert page.locator(f'#hand .card[data-rank="{card}"]').count() == 0, "a hand shows what is in it"


def test_a_duel_says_what_its_lights_mean_and_its_outcome_stands_until_it_is_read(tmp_path: Path) -> None:
    with begun(tmp_path) as (page, _, _):
        hands = Hands(page)
        hands.places = {1: 1, 2: 3, 3: 5}
        page.set_viewport_size({"width": 1280, "height": 800})
        before = {size: stands_at(page, size) for size in SIZES}
        asks(page, "which card is on offer")
        hands.press(1, "b")
        asks(page, "throw!")
        hands.choose(3)
        drag(page, "2", seat=2)
        for place in (3, 5):
            hands.press(place, "a")
        asks(page, "who threw it?")
        hands.press(5, "a")
        hands.press(3, "b")
        asks(page, "which of Bernard's cards is it?")
        hands.press(3, "plus")
        page.wait_for_timeout(200)
        hands.press(3, "b")
        asks(page, "Does everybody agree?")
        for place in (1, 3, 5):
            hands.press(place, "b")
        asks(page, "Duel: Anne with the 1, Bernard with the 2.")
        for place in (1, 3):
            hands.lean(place)
            assert [each.strip() for each in page.locator("#doing .meant").all_text_contents()] == [
                "○ peace",
                "✕ conflict",
            ]
            meanings = page.locator(f'#own .at[data-at="{place}"] .meaning').all_text_contents()
            assert sorted(filter(None, meanings)) == ["conflict", "peace"]
            for size, boxes in before.items():
                assert stands_at(page, size) == boxes, "nothing moves while what is asked changes"
            hands.press(place, "a")
            page.wait_for_timeout(200)
            hands.press(place, "plus")
        page.wait_for_selector("#outcome:not([hidden])")
        asks(page, "provokes")
        assert "Anne: " in page.locator("#outcome").inner_text()
        page.locator("#outcome button").click()
        assert page.locator("#outcome").is_hidden()


def asks(page: Page, words: str) -> None:
    page.wait_for_function('(words) => document.querySelector("#ask .question").textContent.includes(words)', arg=words)


def stands_at(page: Page, size: tuple[int, int]) -> list[Any]:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(50)
    return places_of(page)


def drag(page: Page, rank: str, seat: int = 1) -> None:
    box, tray = (
        page.locator(f'#hand .card[data-rank="{rank}"]').bounding_box(),
        page.locator("#whole .tray").bounding_box(),
    )
    assert box is not None and tray is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(tray["x"] + tray["width"] / 2, tray["y"] + tray["height"] / 2, steps=8)
    page.wait_for_timeout(100)  # it is held still: no swing
    page.mouse.up()
    page.wait_for_selector(f"#cards [data-key^='p{seat}:{rank}@'][data-how='flat']", state="attached")
