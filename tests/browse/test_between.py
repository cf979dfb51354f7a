"""Between two games: what a television shows, read from across a room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from evenings import Room, in_address
from playwright.sync_api import Browser, Page, expect
from served import Served, served

from browse.phones import chromium
from kept import kept, linked
from tablier.keeper.client import Link

NAMES = ("Anne", "Bernard of the long name", "Christine-Marie Dupont", "Daniel", "Emma", "Felix")
QUICK = {"struggle": {"board": "YYYYYYYYYY"}, "d21": {"max_plies": 14}, "roudalon": {}}
"""Options with which games do not take long."""
SMALLEST = """() => {
    const said = (node) => [...node.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
    const shown = (node) => node.getClientRects().length && said(node);
    const size = (node) => parseFloat(getComputedStyle(node).fontSize) * (node.closest("svg")?.getScreenCTM().a ?? 1);
    return Math.min(...[...document.querySelectorAll("#interlude *, #side *")].filter(shown).map(size));
}"""
"""The size of the smallest letters that tell of games and people, in pixels."""
CUT = """() => [...document.querySelectorAll("#interlude *, #side *")].filter((each) => {
    const box = each.getBoundingClientRect();
    const over = box.bottom > innerHeight + 1 || box.right > innerWidth + 1;
    const within = each.closest("svg") || each.scrollWidth <= each.clientWidth + 1;
    return box.width && (over || !within);
}).map((each) => each.outerHTML.slice(0, 200))"""
"""What is not to be seen as a whole."""


class Television:
    """A display of 1920 by 1080 pixels, whose minutes pass at once."""

    def __init__(self, browser: Browser, pages: Served) -> None:
        self.page: Page = browser.new_page(viewport={"width": 1920, "height": 1080})
        self.faults: list[str] = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.clock.install()
        self.page.goto(pages.address)

    def texts(self, selector: str) -> list[str]:
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]

    def check(self) -> None:
        assert self.page.evaluate(SMALLEST) >= 28
        assert self.page.evaluate(CUT) == []


@contextmanager
def evening(log: Path, people: Sequence[str] = ()) -> Iterator[tuple[Link, int, Television]]:
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        number: int = link.call("evening", {"people": [{"name": name} for name in people]})["evening"]
        yield link, number, Television(browser, pages)


def play(link: Link, number: int, game: str, count: int) -> None:
    seats = [{"name": name, "source": "greedy"} for name in NAMES[:count]]
    link.call("next", {"evening": number, "game": game, "options": QUICK[game], "others": seats})


@pytest.mark.timeout(180)
def test_a_game_ends_with_its_winner_and_the_evening_stands_in_large_letters(tmp_path: Path) -> None:
    """First its last board, the winner before the others; then standings, course and what is next. Nothing is cut."""
    log = tmp_path / "log.db"
    with evening(log) as (link, number, television):
        page = television.page
        page.wait_for_selector("#interlude h1")
        link.call("series", {"evening": number, "games": ["struggle", "d21"], "wins": 3})
        for game, count in (("struggle", 4), ("d21", 2), ("roudalon", 6)):
            play(link, number, game, count)
            page.wait_for_selector(".moment .winner", timeout=90_000)
            (headline,) = television.texts(".winner")
            ranks = television.texts("#side .ranks li")
            assert len(ranks) == count and page.locator("#board svg").is_visible()
            assert headline.startswith("Draw:") or (ranks[0].startswith("★") and ranks[0].split()[1] in headline)
            page.wait_for_selector("#side .turns li")
            assert page.evaluate("() => document.documentElement.scrollHeight <= innerHeight + 1")
            page.clock.fast_forward(21_000)
            page.wait_for_selector(".between #interlude .curve svg")
            assert television.texts("#interlude h1") == [headline]
            assert television.texts(".last-game .ranks li") == ranks
            television.check()
        standings = television.texts(".standings:first-child .ranks li")
        assert len(standings) == 6
        assert television.texts(".coming .big") in (["Next: Struggle"], ["Next: D.21"])
        assert not television.faults


@pytest.mark.timeout(120)
def test_an_open_evening_shows_who_is_there_before_its_first_game(tmp_path: Path) -> None:
    with evening(tmp_path / "log.db", NAMES) as (_, _, television):
        television.page.wait_for_selector("#interlude .coming")
        assert "Christine-Marie Dupont" in television.texts(".coming p")[-1]
        television.check()
        assert not television.faults


@pytest.mark.timeout(120)
def test_a_display_that_comes_late_shows_the_last_game_and_no_moment_that_is_past(tmp_path: Path) -> None:
    with evening(tmp_path / "log.db") as (link, number, television):
        play(link, number, "d21", 2)
        television.page.wait_for_selector(".moment .winner", timeout=60_000)
        television.page.reload()
        television.page.wait_for_selector("#interlude .last-game")
        assert television.page.locator(".moment").count() == 0
        assert not television.faults


def test_the_end_of_a_game_sounds_where_that_was_wished(tmp_path: Path) -> None:
    """Nothing sounds before somebody has touched the button, which allows it."""
    with evening(tmp_path / "log.db") as (link, number, television):
        page = television.page
        page.add_init_script(
            "window.tones = []; const start = OscillatorNode.prototype.start;"
            "OscillatorNode.prototype.start = function (at) { tones.push(this.frequency.value); start.call(this, at); }"
        )
        page.reload()
        page.wait_for_selector("#interlude .evening")
        play(link, number, "d21", 2)
        page.wait_for_selector(".moment .winner", timeout=60_000)
        assert page.evaluate("tones") == []
        page.get_by_role("button", name="Sound").click()
        before = len(page.evaluate("tones"))
        page.clock.fast_forward(21_000)
        page.wait_for_selector(".between")
        play(link, number, "d21", 2)
        page.wait_for_selector(".moment .winner", timeout=60_000)
        tones = page.evaluate("tones")[before:]
        assert len(tones) == 3 and tones == sorted(tones)


@contextmanager
def phones(log: Path) -> Iterator[tuple[Link, Room, Page, Page]]:
    """An evening with Anne, an organiser, and Bernard, each with a phone."""
    with kept(log), served(log) as pages, linked(log) as link, chromium() as browser:
        room = Room(link, ("Anne", "Bernard"))
        link.call("organiser", {"evening": room.number, "name": "Anne", "on": True})
        made = []
        for name in ("Anne", "Bernard"):
            phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
            phone.goto(f"{pages.address}/seat{in_address(room.keys[name])}")
            made.append(phone)
        yield link, room, made[0], made[1]


def left_to_bots(link: Link, game: int) -> None:
    for seat in (1, 2):
        link.call("source", {"game": game, "seat": seat, "source": "greedy"})
    link.call("hurry", {"game": game})


@pytest.mark.timeout(120)
def test_each_phone_has_its_rank_and_another_game_and_an_organiser_what_is_next(tmp_path: Path) -> None:
    with phones(tmp_path / "log.db") as (link, room, anne, bernard):
        for said in ("Here: Anne and Bernard", "The games are begun by: Anne.", "Waiting for the next game"):
            expect(bernard.locator("#between")).to_contain_text(said)
        expect(anne.locator("#between a")).to_have_attribute("href", "/host")
        assert bernard.locator("#between a").count() == 0
        bernard.evaluate(
            "() => { localStorage.setItem('tone', 'on'); window.buzz = [];"
            " Object.defineProperty(navigator, 'vibrate', { value: (times) => buzz.push(times.length) }); }"
        )
        begun = link.call("next", {"evening": room.number, "game": "d21", "options": QUICK["d21"]})
        expect(bernard.locator("#between")).to_be_hidden()
        left_to_bots(link, begun["game"])
        again = bernard.locator("#between [data-key=another]")
        expect(again).to_have_text("Begin D.21 again now, for all", timeout=60_000)
        assert bernard.evaluate("buzz").count(6) == 1, "its end is felt once, longer than a question"
        (ended,) = link.call("list")["evenings"][0]["games"]
        won = ended["result"]["winners"]
        expect(bernard.locator("#asked .what")).to_contain_text("D.21")
        assert bernard.locator("#asked li").first.inner_text().endswith("★") == bool(won)
        assert bernard.locator("#between .rank").count() == 0, "the ranks of the only game stand above"
        again.tap()
        expect(anne.locator("#between")).to_be_hidden()
        expect(bernard.locator("#asked .what")).to_be_visible()
        assert [each["game"] for each in link.call("list")["games"]] == [2]


@pytest.mark.timeout(120)
def test_a_phone_pauses_and_leaves_its_seat_to_a_bot_in_words_that_say_so(tmp_path: Path) -> None:
    with phones(tmp_path / "log.db") as (_, room, anne, bernard):
        room.play("d21")
        expect(anne.get_by_role("link", name="Run the evening")).to_be_visible()
        expect(bernard.locator("#more")).to_contain_text("Something was wrong")
        assert bernard.get_by_role("link", name="Run the evening").count() == 0
        bernard.locator("#more summary").tap()
        bernard.get_by_role("button", name="Pause", exact=True).tap()
        for phone in (anne, bernard):
            expect(phone.locator("#asked")).to_contain_text("You are asked")
            assert phone.get_by_role("button", name="No", exact=True).count() == 0
        anne.get_by_role("button", name="Confirm: Yes", exact=True).tap()
        expect(bernard.locator("#asked")).not_to_contain_text("paused")
        bernard.get_by_role("button", name="Let a bot play for me").tap()
        bernard.locator("dialog").get_by_role("button", name="Close").tap()  # nothing has happened
        expect(bernard.get_by_role("button", name="Take my seat back")).to_have_count(0)
        bernard.get_by_role("button", name="Let a bot play for me").tap()
        bernard.locator("dialog [data-key=sure]").tap()
        bernard.get_by_role("button", name="Take my seat back").tap()
        expect(bernard.get_by_role("button", name="Let a bot play for me")).to_be_visible()


@pytest.mark.timeout(120)
def test_an_organiser_runs_the_evening_by_the_phone_that_plays(tmp_path: Path) -> None:
    with phones(tmp_path / "log.db") as (link, _, anne, bernard):
        anne.locator("#between a").tap()
        expect(anne.locator("#door .code")).to_be_visible()
        anne.locator("[data-game=d21]").tap()
        anne.locator("#begin-game").tap()
        expect(anne.locator("#play .seats li")).to_have_count(2)
        expect(bernard.locator("#asked .what")).to_be_visible()
        anne.get_by_role("button", name="A bot takes over for Bernard").tap()
        expect(anne.get_by_role("button", name="Give back to Bernard")).to_be_visible()
        anne.get_by_role("button", name="Give back to Bernard").tap()
        expect(anne.get_by_role("button", name="A bot takes over for Bernard")).to_be_visible()
        assert anne.get_by_role("button", name="Make an organiser").count() == 0
        anne.get_by_role("button", name="Stop the game").tap()
        anne.locator("dialog").get_by_role("button", name="Yes").tap()
        expect(anne.locator("#left button.first")).to_have_text("Resume D.21, game 1")
        assert anne.locator("#play .first").count() == 0
        assert anne.locator("#wrong").inner_text() == "" and not link.call("list")["games"]
        expect(bernard.locator("#between")).to_contain_text("Stopped: D.21. An organiser can resume it.")
        anne.locator("#rooms").evaluate("() => history.back()")
        expect(anne.locator("#between .first")).to_have_text("Resume D.21")
        anne.locator("#between .first").tap()
        expect(bernard.locator("#between")).to_be_hidden()
        assert [each["game"] for each in link.call("list")["games"]] == [1], "no other one was begun"
        bernard.goto(bernard.url.split("/seat")[0] + "/host")
        expect(bernard.locator("#which")).to_contain_text("This page is for the organisers")


COVERED = """() => {
    const told = document.querySelector("#told");
    const box = (each) => each.getBoundingClientRect();
    const over = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 1 && other.top < one.bottom - 1;
    const kept = "#asked, #title, .top a, .top button, main a, main button, .offered, .asked, .players";
    return [...document.querySelectorAll(kept)].filter((each) => each.checkVisibility() && over(box(each), box(told)))
        .map((each) => each.outerHTML.slice(0, 80));
}"""
"""What is covered by who comes and who goes."""


@pytest.mark.timeout(120)
def test_who_comes_and_who_goes_is_told_over_nothing_that_is_needed(tmp_path: Path) -> None:
    """On the waiting page, on a seat whose turn it is, on the organiser's page and on a television."""
    with phones(tmp_path / "log.db") as (link, room, anne, bernard):
        address = anne.url.split("/seat")[0]
        browser = anne.context.browser
        assert browser is not None
        television = browser.new_page(viewport={"width": 1920, "height": 1080})
        television.goto(address)
        expect(television.locator("#interlude .coming")).to_be_visible()
        expect(bernard.locator("#between")).to_contain_text("Waiting for the next game")

        def told(on: bool, *pages: Page) -> None:
            link.call("organiser", {"evening": room.number, "name": "Bernard", "on": on})
            for page in pages:
                expect(page.locator("#told")).to_contain_text("Bernard")
                assert page.evaluate(COVERED) == []

        told(True, bernard, television)
        room.play("d21")
        for page in (anne, bernard):
            expect(page.locator("#asked .what")).to_be_visible()
        anne.goto(f"{address}/host")
        expect(anne.locator("#play .seats li")).to_have_count(2)
        expect(television.locator("#side .players")).to_be_visible()
        told(False, anne, bernard, television)


@pytest.mark.timeout(120)
def test_a_phone_that_opens_the_address_again_is_at_its_seat(tmp_path: Path) -> None:
    with phones(tmp_path / "log.db") as (_, _, anne, _):
        again, address = anne.context.new_page(), anne.url.split("/seat")[0]
        anne.close()
        again.goto(address)
        again.wait_for_url("**/seat")
        expect(again.locator("#title")).to_have_text("You are here as Anne.")
        again.get_by_role("link", name="Display").tap()
        again.wait_for_url("**/")
        again.wait_for_selector("#interlude .coming")
        assert again.url.endswith("/"), "who wants to see the display does"


@pytest.mark.timeout(120)
def test_a_television_that_was_let_in_shows_the_code_and_one_that_was_not_never(tmp_path: Path) -> None:
    """Before the first game, beside a game, and between two; not while the door is closed."""
    with phones(tmp_path / "log.db") as (link, room, anne, bernard):
        address = anne.url.split("/seat")[0]
        browser = anne.context.browser
        assert browser is not None
        screens = [browser.new_page(viewport={"width": 1920, "height": 1080}) for _ in range(2)]
        television, stranger = screens
        asked = "Now say yes: at the terminal where Tablier runs, or on an organiser's phone."
        for page in screens:
            page.goto(address)
            expect(page.locator(".top a[href='/in']")).to_be_visible()
            expect(page.locator("#interlude .coming")).to_be_visible()
        television.get_by_role("button", name="Show the evening here").click()
        expect(television.locator(".showing")).to_contain_text(asked)
        assert television.evaluate(SMALLEST) >= 28 and television.evaluate(CUT) == []
        anne.locator("#wishes").get_by_role("button", name="Let in").tap()  # where she waits, or plays
        expect(television.locator("#interlude .door code")).to_have_text(room.code)
        assert television.evaluate(SMALLEST) >= 28 and television.evaluate(CUT) == []
        begun = link.call("next", {"evening": room.number, "game": "d21", "options": QUICK["d21"]})
        expect(television.locator("#side .door code")).to_have_text(room.code)
        left_to_bots(link, begun["game"])
        expect(television.locator(".moment .winner")).to_be_visible(timeout=60_000)
        anne.goto(f"{address}/host")
        anne.get_by_role("button", name="Close the door").tap()
        link.call("next", {"evening": room.number, "game": "d21"})
        expect(television.locator("#side .players")).to_be_visible()
        expect(television.locator("#side .door")).to_have_count(0)
        for page in (stranger, bernard):
            page.wait_for_selector("#board svg")
        assert stranger.locator(".door").count() == 0 and room.number
        link.call("door", {"evening": room.number, "open": True})
        expect(television.locator("#side .door code")).to_have_text(room.code)
        assert room.code not in stranger.content()
