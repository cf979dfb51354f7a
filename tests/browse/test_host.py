"""An evening that is run from the organiser's page, by touch, on a phone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from served import Served, served

from browse.phones import LEAST, chromium
from kept import kept, linked
from tablier.keeper.client import Link
from tablier.log.store import Log
from tablier.texts import Json
from tablier.web.serving import Door

SMALL = """() => [...document.querySelectorAll("main button, main select, main input, main summary, main a")]
    .filter((each) => each.getClientRects().length && !each.closest("label"))
    .map((each) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 120)])
    .filter(([box]) => Math.min(box.width, box.height) < 43.5).map(([box, html]) => html)"""
"""What is too small for a thumb."""
OVERLAPS = """() => [...document.querySelectorAll("main .row")].flatMap((row) => {
    const boxes = [...row.children].map((each) => [each.getBoundingClientRect(), each.outerHTML.slice(0, 80)]);
    const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 1 && other.top < one.bottom - 1;
    return boxes.flatMap(([one, html], at) =>
        boxes.slice(at + 1).filter(([other]) => meet(one, other)).map((each) => [html, each[1]]));
})"""
"""What lies over something else of its row."""
WIDE = "() => document.documentElement.scrollWidth > innerWidth"


class Organiser:
    """A phone of the operator's with the organiser's page, touched by what its buttons are called."""

    def __init__(self, page: Page, pages: Served) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        page.goto(f"{pages.address}/host#operator={pages.site.browsers.operator}")

    def tap(self, name: str, within: str = "main") -> None:
        self.page.locator(within).get_by_role("button", name=name, exact=True).tap()

    def unfold(self, selector: str) -> None:
        details = self.page.locator(selector)
        if details.get_attribute("open") is None:
            details.locator("summary").tap()

    def come(self, name: str, place: int = 0) -> None:
        self.unfold("#people [data-id=new]")
        self.page.locator("#people input[name=new]").fill(name)
        if place:
            self.page.locator("#people [data-id=new] select").select_option(str(place))
        self.tap("Is here")
        expect(self.page.locator("#people .name", has_text=name)).to_be_visible()

    def plays(self, *names: str) -> None:
        for box in self.page.locator("[data-plays]").all():
            box.set_checked(box.get_attribute("data-plays") in names)

    def offered(self) -> list[str]:
        return self.page.locator("[data-game]").all_inner_texts()

    def check(self) -> None:
        assert self.page.evaluate(SMALL) == []
        assert not self.page.evaluate(WIDE)
        assert self.page.evaluate(OVERLAPS) == []
        assert not self.faults
        assert self.page.locator("#wrong").inner_text() == ""


@contextmanager
def hosting(log: Path, **more: Any) -> Iterator[tuple[Organiser, Link, Served]]:
    with kept(log), served(log, **more) as pages, linked(log) as link, chromium() as browser:
        context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
        yield Organiser(context.new_page(), pages), link, pages


def wait(read: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (found := read()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def of(link: Link) -> Json:
    """Return the evening that is open."""
    (evening,) = link.call("list")["evenings"]
    return dict(evening)


def sources(link: Link) -> list[tuple[str, str]]:
    return [(seat["name"], seat["source"]) for seat in link.call("list")["games"][0]["seats"]]


def test_what_cannot_be_is_not_offered(tmp_path: Path) -> None:
    """Nobody: nothing. One: any game, with bots. Two of four: a game for two. Five: what five can play."""
    with hosting(tmp_path / "log.db") as (organiser, link, _):
        organiser.tap("Begin the evening")
        for name in ("Zoé", "Léa", "Anne", "Bernard", "Christine-Marie Dupont"):
            organiser.come(name)
        assert organiser.offered() == []
        organiser.plays("Zoé")
        assert "D.21" in organiser.offered()
        organiser.page.locator("[data-game=d21]").tap()
        assert organiser.page.locator("#play option").first.inner_text().startswith("2: Zoé and ")
        organiser.plays("Zoé", "Léa", "Anne", "Bernard", "Christine-Marie Dupont")
        assert organiser.offered() == ["Dilemma", "Le Roudalon"]
        organiser.plays("Léa", "Anne")
        organiser.page.locator("[data-game=d21]").tap()
        organiser.check()
        organiser.tap("Begin D.21")
        expect(organiser.page.locator("#play .seats li")).to_have_count(2)
        assert sources(link) == [("Léa", "screen"), ("Anne", "screen")]


def test_an_evening_is_run_by_touch_alone(tmp_path: Path) -> None:
    """Begin, leave a seat to a bot, give it back, pause, stop, go on, a series, another game, the end."""
    log = tmp_path / "log.db"
    with hosting(log) as (organiser, link, _):
        page = organiser.page
        organiser.tap("Begin the evening")
        for name in ("Zoé", "Léa"):
            organiser.come(name)
        organiser.plays("Zoé", "Léa")
        page.locator("[data-game=struggle]").tap()
        page.locator("#play .grow select").select_option("3")
        organiser.tap("Begin Struggle")
        expect(page.locator("#play .seats li")).to_have_count(3)
        organiser.tap("A bot takes over for Zoé")
        wait(lambda: ("Zoé", "greedy") in sources(link))
        organiser.tap("Give back to Zoé")
        wait(lambda: ("Zoé", "screen") in sources(link))
        organiser.tap("Pause")
        expect(page.locator("#play p").first).to_contain_text("paused")
        organiser.check()
        organiser.tap("Resume")
        expect(page.locator("#play p").first).not_to_contain_text("paused")
        organiser.tap("Stop the game")
        organiser.tap("Yes", "dialog")
        wait(lambda: not link.call("list")["games"])
        organiser.tap("Resume Struggle, game 1")
        expect(page.locator("#play .seats li")).to_have_count(3)
        for name in ("Zoé", "Léa"):
            organiser.tap(f"A bot takes over for {name}")
        organiser.tap("Bots decide at once")
        expect(page.locator("#again")).to_have_text("Begin Struggle again now, for all", timeout=60_000)
        organiser.unfold("#series details")
        page.locator("[data-series=d21]").check()
        page.locator("#series input[name=most]").fill("2")
        organiser.tap("Begin the series", "#series")
        wait(lambda: of(link)["series"])
        (series,) = of(link)["series"]
        assert (series["games"], series["wins"]) == (["d21"], 2)
        expect(page.locator("#again")).to_have_count(0)  # three have played, and it is for two
        expect(page.locator("[data-game=d21]")).to_have_attribute("aria-pressed", "true")
        organiser.check()
        organiser.tap("Begin D.21")
        wait(lambda: link.call("list")["games"])
        for name in ("Zoé", "Léa"):
            organiser.tap(f"A bot takes over for {name}")
        organiser.tap("Bots decide at once")
        expect(page.locator("#again")).to_have_text("Next of the series: D.21", timeout=60_000)
        organiser.tap("Next of the series: D.21")
        wait(lambda: len(of(link)["series"][0]["played"]) == 1 and link.call("list")["games"])
        organiser.tap("End the evening")
        organiser.tap("Yes", "dialog")
        page.locator("#begin button").wait_for()
        organiser.check()
    with Log.read(log) as read:
        (evening,) = read.evenings()
        assert evening.ended is not None and [read.game(number).game for number in evening.games] == [
            "struggle",
            "d21",
            "d21",
        ]


def test_people_are_renamed_placed_named_organisers_and_shown_out(tmp_path: Path) -> None:
    with hosting(tmp_path / "log.db") as (organiser, link, _):
        page = organiser.page
        page.locator("#begin select").select_option("simulated")
        organiser.tap("Begin the evening")
        organiser.come("Zoe")
        organiser.come("Anne", 2)
        organiser.unfold("#people li:has-text('Zoe') details")
        row = page.locator("#people li").first
        row.locator("input[name^=name]").fill("Zoé")
        row.get_by_role("button", name="Rename").tap()
        expect(row.locator(".name")).to_have_text("Zoé")
        row.locator("select").select_option("5")
        expect(row.locator(".soft").first).to_contain_text("place 5")
        row.get_by_role("button", name="Make an organiser").tap()
        expect(row.locator(".soft").first).to_contain_text("organiser")
        organiser.check()
        assert [(each["name"], each["place"], each.get("organiser")) for each in of(link)["here"]] == [
            ("Zoé", 5, True),
            ("Anne", 2, False),
        ]
        row.get_by_role("button", name="Show out").tap()
        organiser.tap("Yes", "dialog")
        expect(page.locator("#people li")).to_have_count(1)
        assert [each["name"] for each in of(link)["here"]] == ["Anne"]


def test_one_at_a_simulated_table_plays_with_simulated_people(tmp_path: Path) -> None:
    """Games that would show a hand there are not offered; light and sound of the table are set."""
    with hosting(tmp_path / "log.db") as (organiser, link, _):
        page = organiser.page
        page.locator("#begin select").select_option("simulated")
        organiser.tap("Begin the evening")
        organiser.come("Anne", 1)
        page.locator("[data-game=dilemma]").tap()
        organiser.tap("Begin Dilemma")
        expect(page.locator("#play .seats li")).to_have_count(3)
        (game,) = link.call("list")["games"]
        assert {seat["source"] for seat in game["seats"]} == {"table"}
        assert game["seats"][0]["place"] == 1 and game["simulated"]
        page.locator("#table select").first.select_option("0")
        wait(lambda: link.call("settings", {"table": "simulated"})["mute"])
        page.locator("#table select").nth(1).select_option("50")
        wait(lambda: link.call("settings", {"table": "simulated"})["light"] == 50)
        organiser.check()
        link.call("stop", {"game": game["game"]})


def test_the_door_is_closed_and_opened_and_wishes_are_decided(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with hosting(log) as (organiser, _, _), linked(log, operator=False) as one, linked(log, operator=False) as other:
        page = organiser.page
        organiser.tap("Begin the evening")
        code = page.locator("#door .code").inner_text()
        came = one.call("join", {"code": code, "name": "Léa", "by": "phone"})
        one.call("enter", {**{key: came[key] for key in ("evening", "person", "key")}, "by": "phone"})
        expect(page.locator("#people .who")).to_contain_text("phone")
        assert page.locator("[data-plays=Léa]").is_checked()
        asked = other.call("join", {"code": code, "name": "Léa", "by": "phone"})
        assert asked["key"] is None
        expect(page.locator("#wishes")).to_contain_text("Léa asks to come in by another device.")
        organiser.tap("Let in")
        expect(page.locator("#wishes")).to_be_hidden()
        organiser.tap("Close the door")
        expect(page.locator("#door .code")).to_have_count(0)
        organiser.tap("Open the door")
        expect(page.locator("#door .code")).to_be_visible()
        assert page.locator("#door .code").inner_text() != code
        organiser.check()


def test_who_only_watches_is_offered_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        number = link.call("evening", {"people": [{"name": "Anne"}]})["evening"]
        page = browser.new_page()
        page.goto(f"{pages.address}/host")
        page.wait_for_selector("#which p")
        assert page.locator("main button:visible").count() == 0
        with pages.browser() as stranger:
            asked = {"method": "close", "params": {"evening": number}}
            assert stranger.post("/do", json=asked).status_code == 403
            assert stranger.post("/do", json={**asked, "as": "operator"}).status_code == 403
            with stranger.stream("GET", "/events", params={"topics": "public,host"}) as stream:
                assert '"host"' not in next(line for line in stream.iter_lines() if "names" in line)


@pytest.mark.parametrize(
    "name", ["2001:db8:85a3:8d3:1319:8a2e:370:7348", "tablier-in-the-living-room.home.example.org"]
)
@pytest.mark.parametrize("size", [(390, 844), (320, 640), (844, 390), (1280, 800)])
def test_the_page_has_room_on_phones_and_laptops(tmp_path: Path, size: tuple[int, int], name: str) -> None:
    """Also for an address that is long."""
    with hosting(tmp_path / "log.db", door=Door(port=0, names=(name,))) as (organiser, _, _):
        organiser.page.set_viewport_size({"width": size[0], "height": size[1]})
        organiser.tap("Begin the evening")
        organiser.come("Christine-Marie Dupont-de-la-Tour")
        organiser.unfold("#people li details")
        organiser.unfold("#series details")
        organiser.check()
        expect(organiser.page.locator("#door")).to_contain_text(name)
        assert LEAST == 44
