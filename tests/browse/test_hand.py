"""A seat on a phone: everything is read and touched where it is seen, without scrolling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from evenings import in_address
from playwright.sync_api import Browser, Page
from served import Served

from browse.phones import LEAST, chromium
from browse.situations import END, SITUATIONS, Driven, bring, room
from tablier.web.states import NewsState

LETTER = 13.0
"""The least size of a letter, in pixels."""
SCREENS: Mapping[str, tuple[int, int, int]] = {
    "phone": (390, 844, 100),
    "landscape": (844, 390, 100),
    "small": (320, 568, 100),
    "large letters": (390, 844, 200),
    "small with large letters": (320, 700, 200),
}
"""By name: width, height, and the reader's size of text in percent."""

SMALL = """(least) => {
    const found = [];
    const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const at = walk.currentNode.parentElement;
        const text = walk.currentNode.textContent.trim();
        if (!text || at.closest("title, .reading, [hidden]")) continue;
        if (!at.checkVisibility({ visibilityProperty: true })) continue;
        let size = parseFloat(getComputedStyle(at).fontSize);
        if (at instanceof SVGGraphicsElement) {
            const { a, b } = at.getScreenCTM();
            size *= Math.hypot(a, b);
        }
        if (size < least - 0.05) found.push([text, Math.round(size * 10) / 10]);
    }
    return found;
}"""
"""What is written smaller than that."""

NEEDED = "#board .offered, #hand .offered, #hand .touched, #beside .offered, #choose button, .hold"
BELOW = "#hand .offered, #hand .touched, #beside .offered, #plain button, #choose button"
"""What is needed on a phone of today; what is touched below the board, and does it."""

HIDDEN = """(needed) => {
    const found = [];
    const box = (each) => each.getBoundingClientRect();
    const room = (each) => each?.closest("section, #own");
    const within = ([low, high], [from, to]) => low >= from - 1 && high <= to + 1;
    const meet = (one, other) => one.top < other.bottom - 3 && one.bottom > other.top + 3
        && one.left < other.right - 3 && one.right > other.left + 3;
    const over = [...document.querySelectorAll("#choose, #own .hold")].filter((each) => each.checkVisibility());
    for (const each of document.querySelectorAll(needed)) {
        if (!each.checkVisibility({ visibilityProperty: true })) continue;
        const name = each.dataset.part ?? each.textContent;
        const { left, right, top, bottom } = box(each);
        const drawn = each.closest("#board"); // what is brought nearer is cut there
        const seen = drawn ? box(drawn) : { left, right, top, bottom };
        if (!within([seen.left, seen.right], [0, innerWidth]) || !within([seen.top, seen.bottom], [0, innerHeight])) {
            found.push([name, "out of sight"]);
            continue;
        }
        const below = !drawn && !each.closest("#choose");
        const covers = below && over.find((other) => !other.contains(each) && meet(box(other), box(each)));
        const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        if (covers) found.push([name, `under ${covers.id || "the secret's button"}`]);
        else if (room(middle) !== room(each)) found.push([name, `under ${middle?.outerHTML.slice(0, 60)}`]);
    }
    return found;
}"""
"""What is needed and cannot be seen or touched as a whole where the page stands now: by what it is hidden."""

HELP = """() => [...document.querySelectorAll("#more > button")].every((each) =>
    each.getBoundingClientRect().bottom <= innerHeight + 1)"""
"""Whether a hint and the rules are in sight."""

SECRET = """() => {
    const box = (each) => each.getBoundingClientRect();
    const [thumb, hand] = ["#own .hold", "#hand"].map((each) => box(document.querySelector(each)));
    const parts = [...document.querySelectorAll("#hand .secret > *:not(title)")].map(box);
    const seen = parts.every(({ left, right, top, bottom }) => left >= hand.left && right <= hand.right && top >= 0
        && bottom <= innerHeight && (right <= thumb.left || bottom <= thumb.top));
    return { count: parts.length, seen };
}"""
"""What is held in secret: how much, and whether all of it is seen beside or above the button that shows it."""

REACHED = """(which) => {
    const part = document.querySelectorAll("#board .offered, #hand .offered, #beside .offered")[which];
    part.scrollIntoView({ block: "center" });
    const box = part.getBoundingClientRect();
    const drawn = part.closest("svg")?.getBoundingClientRect() ?? box; // what is brought nearer is cut there
    const [left, right] = [Math.max(box.left, drawn.left), Math.min(box.right, drawn.right)];
    const [top, bottom] = [Math.max(box.top, drawn.top), Math.min(box.bottom, drawn.bottom)];
    const middle = [left + (right - left) / 2, top + (bottom - top) / 2];
    const room = (each) => each?.closest("section, #own");
    const button = document.querySelector(".needs, [data-key=confirm]").getBoundingClientRect();
    return {
        name: part.dataset.part,
        sideways: left < -1 || right > innerWidth + 1,
        hidden: room(document.elementFromPoint(...middle)) !== room(part),
        confirm: button.top >= 0 && button.bottom <= innerHeight + 1,
        bar: document.querySelector("#choose").getBoundingClientRect().height / innerHeight,
    };
}"""
"""A part that can be touched, scrolled into view: whether it is, and the button that confirms with it."""

TARGETS = """(least) => [...document.querySelectorAll("main button, #hand .offered, #beside .offered")]
    .filter((each) => each.checkVisibility())
    .map((each) => [each.dataset.part ?? each.textContent, each.getBoundingClientRect()])
    .filter(([, box]) => Math.min(box.width, box.height) < least - 0.5)
    .map(([name, box]) => [name, box.width, box.height])"""
"""What is touched and is smaller than that, but for the board."""

BOARD = """() => {
    const box = (each) => document.querySelector(each).getBoundingClientRect();
    const { left, right, top, bottom } = box("#board > svg");
    const seen = left >= 0 && right <= innerWidth + 1 && top >= 0 && bottom <= innerHeight + 1;
    const away = box("#board > .away");
    const { width, height } = box("#board");
    return { seen, clear: !away.height || away.top >= bottom, width: Math.round(width), height: Math.round(height) };
}"""
"""``seen``: all of the drawing is in the window. ``clear``: the button to the whole board covers none of it. Besides
the width and height of its room."""

HEAD = """() => {
    const { left, right, top, bottom } = document.querySelector("#asked .what").getBoundingClientRect();
    const middle = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && middle?.closest("#asked") !== null;
}"""
"""True while the player whose turn it is can be read."""

CENTRES = """() => [...document.querySelectorAll("#board .offered:not(.seems)")].map((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return [each.dataset.part, left + width / 2, top + height / 2];
})"""
SEEN = """(name) => {
    const part = document.querySelector(`#board [data-part="${CSS.escape(name)}"]`);
    const { left, top, width, height } = part.getBoundingClientRect();
    const middle = { x: left + width / 2, y: top + height / 2 };
    return { ...middle, lit: part.matches(".offered:not(.seems)"), least: Math.min(width, height) };
}"""


def open_seat(
    browser: Browser, pages: Served, game: Driven, seat: int, screen: str = "phone", language: str = "en"
) -> Page:
    width, height, percent = SCREENS[screen]
    size: Any = {"width": width, "height": height}
    page = browser.new_context(viewport=size, has_touch=True, reduced_motion="reduce", locale=language).new_page()
    if percent != 100:
        page.add_init_script(
            f"addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '{percent}%')"
        )
    page.goto(f"{pages.address}/seat{in_address(game.keys[seat])}")
    page.wait_for_selector("#asked .what")
    page.wait_for_selector("#board svg")
    page.wait_for_selector(".settling", state="detached")
    return page


@contextmanager
def met(log: Path, name: str, situation: str) -> Iterator[tuple[Browser, Served, Driven, int]]:
    """A browser, the pages, a game in a situation, and whose page shows it."""
    with room(log) as (pages, link), chromium() as browser:
        game = bring(link, name, situation)
        yield browser, pages, game, SITUATIONS[name][2][situation].seat
        game.stop()


VERBS = ("Choose", "Do", "Join", "Jump", "Keep", "Move", "Offer", "Place", "Predict", "Slide", "Stake", "Throw")

ALL = [(name, situation) for name, (_, _, situations) in SITUATIONS.items() for situation in situations]


@pytest.mark.parametrize("which", ["first", "last"])
@pytest.mark.parametrize(("name", "situation"), ALL)
def test_a_turn_needs_no_scrolling(tmp_path: Path, name: str, situation: str, which: str) -> None:
    """At 390 × 844 all is in view, uncovered, large enough to be read and to be hit, before and after each touch."""
    with met(tmp_path / "log.db", name, situation) as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat)
        sizes = [page.evaluate(BOARD)]
        page.wait_for_function(HELP)
        if situation != "duel" and page.locator("#own").is_visible():
            assert not page.locator("[data-key=confirm]").count(), "it says what the hand hides"
        for _ in range(6):
            assert not page.evaluate(SMALL, LETTER)
            assert not page.evaluate(HIDDEN, NEEDED)
            assert not page.evaluate(TARGETS, LEAST)
            if page.locator("[data-key=confirm]:enabled").count():
                break
            touch_next(page, which)
            sizes.append(page.evaluate(BOARD))
        assert page.locator("[data-key=confirm]:enabled").count()
        says = page.locator("[data-key=confirm]").inner_text()
        if says == "Confirm":  # it is too long for the button
            says = page.locator("#choose .path").inner_text()
        assert says.split()[0] in VERBS, f"{says!r} does not say what is done"
        assert page.evaluate("() => scrollY") == 0
        other = open_seat(browser, pages, game, seat % len(game.keys) + 1)
        sizes.append(other.evaluate(BOARD))
        assert all(each["seen"] and each["clear"] for each in sizes), sizes
        assert len({(each["width"], each["height"]) for each in sizes}) == 1, "it is as large whoever's turn it is"


def touch_next(page: Page, which: str = "first") -> None:
    """Touch the first or the last part that is lit. On a board a finger is brought nearer once at most, and then hits
    what measures 44 pixels or has no other beside it."""
    lit = page.locator("#hand .offered").or_(page.locator("#beside .offered"))
    if lit.count():
        (lit.first if which == "first" else lit.last).tap(force=True)
        return
    name = page.evaluate(CENTRES)[0 if which == "first" else -1][0]
    for _ in range(2):
        now = page.evaluate(SEEN, name)
        x, y = now["x"], now["y"]
        beside = [each for each in page.evaluate(CENTRES) if abs(each[1] - x) < LEAST and abs(each[2] - y) < LEAST]
        page.touchscreen.tap(x, y)
        page.wait_for_timeout(50)
        if not page.evaluate(SEEN, name)["lit"]:
            assert len(beside) == 1 or now["least"] >= LEAST - 0.5, (name, now)
            return
    raise AssertionError(f"{name} is not hit")


def test_a_board_takes_the_room_that_its_own_hand_leaves(tmp_path: Path) -> None:
    """Other games have taller hands; as wide as they leave it, that of Dicke Dämonen would be 288 pixels wide."""
    drawn = "(svg) => svg.viewBox.baseVal.width * svg.getScreenCTM().a"
    with met(tmp_path / "log.db", "dicke-daemonen", "predict") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat)
        assert page.locator("#board > svg").evaluate(drawn) > 340


@pytest.mark.parametrize("screen", ["landscape", "small"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_what_is_touched_and_what_confirms_it_are_seen_together(tmp_path: Path, name: str, screen: str) -> None:
    """At 320 pixels and lying down: no part lies beside the page or under the bar, which takes half of it at most."""
    with met(tmp_path / "log.db", name, "turn") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat, screen)
        for touched in range(2):
            lit = page.locator("#board .offered, #hand .offered, #beside .offered").count()
            for which in range(0, lit, max(1, lit // 8)):
                seen = page.evaluate(REACHED, which)
                assert not seen["sideways"] and not seen["hidden"] and seen["confirm"] and seen["bar"] <= 0.5, seen
            if touched == 0:
                part = page.locator("#hand .offered").or_(page.locator("#board .offered")).first
                part.scroll_into_view_if_needed()
                part.tap(force=True)


@pytest.mark.parametrize("screen", [screen for screen in SCREENS if screen != "phone"])
@pytest.mark.parametrize(("name", "situation"), ALL)
def test_what_is_touched_next_comes_into_sight(tmp_path: Path, name: str, situation: str, screen: str) -> None:
    """Where a window is too low for all, nobody scrolls for what is touched next: neither the bar covers it, nor what
    says whose turn it is."""
    with met(tmp_path / "log.db", name, situation) as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat, screen)
        for _ in range(4):
            assert screen == "landscape" or page.evaluate(HEAD)
            if page.locator("#board .offered").count():
                assert not page.evaluate(HIDDEN, "#choose button")
                board = page.evaluate(BOARD)
                assert board["seen"] and board["clear"], board
            else:
                assert not page.evaluate(HIDDEN, BELOW)
            if page.locator("[data-key=confirm]:enabled").count():
                break
            touch_next(page)
        assert page.locator("[data-key=confirm]:enabled").count()


@pytest.mark.parametrize("screen", ["phone", "landscape", "small"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_the_end_is_read_at_its_top(tmp_path: Path, name: str, screen: str) -> None:
    """How a game has ended stands at the top, with what comes next; the board on which it ended is no smaller."""
    with room(tmp_path / "log.db") as (pages, link), chromium() as browser:
        game = bring(link, name, END)
        page = open_seat(browser, pages, game, 1, screen)
        before = page.evaluate(BOARD)
        game.play()
        page.wait_for_selector("#ending .how")
        assert page.evaluate("() => scrollY") == 0
        assert not page.evaluate(SMALL, LETTER)
        assert page.evaluate(BOARD)["width"] >= before["width"]
        assert page.locator("[data-key=another]").evaluate(
            "(each) => each.getBoundingClientRect().bottom <= innerHeight"
        )
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        game.stop()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", SITUATIONS)
def test_looking_back_is_read_in_a_hand(tmp_path: Path, name: str, screen: str) -> None:
    """Each move of a game that is over has a board as in play, with what stands beside it; a seat has what it held."""
    with room(tmp_path / "log.db") as (pages, link), chromium() as browser:
        game = bring(link, name, END)
        page = open_seat(browser, pages, game, 1, screen)
        game.play()
        page.goto(f"{pages.address}/log/game/{game.number}?move=9")
        for seat in ("", "1"):
            page.locator("#seat").select_option(seat)
            page.wait_for_selector("#notes p", state="attached")
            if seat and name != "d21":  # its board has all
                page.wait_for_selector("#notes .board svg", state="attached")
            assert not page.evaluate(SMALL, LETTER)
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        game.stop()


def test_what_was_touched_does_not_tell_what_could_be(tmp_path: Path) -> None:
    """Who looks over a shoulder sees a colour predicted, and of the others nothing: they stay alike."""
    alike = """() => [...document.querySelectorAll("#hand [data-part]:not(.touched)")].map((each) =>
        [each.firstElementChild, each].map((one) => getComputedStyle(one)).map(({ stroke, strokeWidth, opacity }) =>
            [stroke, strokeWidth, opacity].join()).join())"""
    with met(tmp_path / "log.db", "dicke-daemonen", "predict") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat)
        assert len(set(page.evaluate(alike))) == 1
        page.locator("#hand .offered").first.tap()
        assert page.locator("#hand .touched").count() == 1
        assert len(set(page.evaluate(alike))) == 1


def test_where_a_creature_goes_is_marked_whatever_the_fist_holds(tmp_path: Path) -> None:
    """Every free place of a field, also one that no creature of this fist can take: that is said when it is touched."""
    names = "(parts) => parts.map((each) => each.dataset.part)"

    def press(part: str) -> str:
        page.locator(f"#board [data-part='{part}']").focus()
        page.keyboard.press("Enter")
        return page.locator("#choose").inner_text()

    with met(tmp_path / "log.db", "dicke-daemonen", "turn") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat)
        press("field f5")
        free = page.eval_on_selector_all("#board [data-part^='f5']", names)
        assert {*free} <= {*page.eval_on_selector_all("#board .offered", names)}
        said = [press(spot) for spot in free]
        assert any("Place" in each for each in said) and any("not possible" in each for each in said), said


@pytest.mark.parametrize("screen", [screen for screen in SCREENS if screen != "phone"])
@pytest.mark.parametrize("name", SITUATIONS)
def test_nothing_is_lost_on_another_screen(tmp_path: Path, name: str, screen: str) -> None:
    """Low, narrow, or with letters twice as large: nothing lies beside the page, the board is seen as a whole."""
    with met(tmp_path / "log.db", name, "turn") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat, screen)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.locator("#board").scroll_into_view_if_needed()
        page.evaluate("() => document.querySelector('#board').scrollIntoView({ block: 'start' })")
        board = page.evaluate(BOARD)
        assert board["seen"], board
        assert not page.evaluate(SMALL, LETTER)
        assert not page.evaluate(TARGETS, LEAST)
        confirm = page.locator(".needs, [data-key=confirm]")
        top = confirm.evaluate("(each) => each.getBoundingClientRect().bottom")
        assert top <= 3 * page.evaluate("() => innerHeight"), "three screens away"
        confirm.scroll_into_view_if_needed()


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("name", [name for name in SITUATIONS if name in ("dicke-daemonen", "struggle")])
def test_a_secret_is_seen_beside_the_thumb_that_shows_it(tmp_path: Path, name: str, screen: str) -> None:
    for language in ("en", "fr"):
        with met(tmp_path / f"{language}.db", name, "turn") as (browser, pages, game, seat):
            page = open_seat(browser, pages, game, seat, screen, language)
            hold = page.locator("#own .hold")
            hold.scroll_into_view_if_needed()
            hold.dispatch_event("pointerdown")
            seen = page.evaluate(SECRET)
            assert seen["count"] >= 4 and seen["seen"], (language, seen)


def test_what_a_seat_was_told_alone_stays_though_all_were_told_the_same(tmp_path: Path) -> None:
    with met(tmp_path / "log.db", "struggle", "turn") as (browser, pages, game, seat):
        page = open_seat(browser, pages, game, seat)

        def own() -> list[str]:
            page.locator("#own .hold").dispatch_event("pointerdown")
            said: list[str] = page.locator(".own.card p").all_inner_texts()
            page.locator("#own .hold").dispatch_event("pointerup")
            return said

        before = own()
        assert before, "nothing was told this seat alone"
        told = [
            partial(NewsState, n=None, kind="told", turn=None, at=0, said=said, own=False, drops=[])
            for said in (*before, "All is told.")
        ]
        channel = pages.site.hub.channel("public", f"game-{game.number}")
        pages.loop.call_soon_threadsafe(lambda: channel.put(channel._state, told))
        page.get_by_text("All is told.").wait_for(state="attached")
        assert own() == before
