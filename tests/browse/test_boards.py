"""The drawings of all games as a browser shows them, in the light and in the dark."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import pytest
from playwright.sync_api import Page

from browse.phones import chromium
from draw.random_games import NAMES, positions
from tablier.games import GAMES, rules_of
from tablier.games.core import Move, Position
from tablier.html.boards import draw, draw_hand, style
from tablier.html.document import style as shared_style
from tablier.web.layout import PAGES

FAINT = """() => {
    const parse = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
    const over = (top, share, below) => below.map((each, at) => top[at] * share + each * (1 - share));
    const light = (colour) => {
        const [r, g, b] = colour.map((each) => (each <= 10 ? each / 3294 : ((each / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const shown = (each) => {
        let share = 1;
        for (let at = each; at.tagName !== "svg"; at = at.parentElement) share *= Number(getComputedStyle(at).opacity);
        return share;
    };
    const found = [];
    const texts = [...document.querySelectorAll("svg text")];
    for (const each of texts) each.style.pointerEvents = "none";
    for (const text of texts) {
        if (text.hasAttribute("stroke") || !text.textContent.trim() || shown(text) < 0.5) continue;
        const box = text.getBoundingClientRect();
        const style = getComputedStyle(text);
        const under = document.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2)
            .filter((each) => each.closest("svg") === text.closest("svg") && each.tagName !== "svg").reverse();
        // What a hand says there is covered while its secret is held.
        if (!text.closest(".secret") && under.some((each) => each.closest(".secret"))) continue;
        let ground = [255, 255, 255];
        for (const each of under) {
            const fill = getComputedStyle(each).fill;
            const { fillOpacity } = getComputedStyle(each);
            if (fill.startsWith("rgb")) ground = over(parse(fill), shown(each) * Number(fillOpacity), ground);
        }
        const halo = text.previousElementSibling;
        if (halo?.hasAttribute("stroke") && halo.textContent === text.textContent) {
            ground = over(parse(getComputedStyle(halo).stroke), 0.8, ground);
        }
        const ink = over(parse(style.fill), shown(text), ground);
        const [one, other] = [light(ink), light(ground)].sort((a, b) => b - a);
        const contrast = (one + 0.05) / (other + 0.05);
        const colours = [ink, ground].map((each) => each.map(Math.round).join());
        found.push([Math.round(contrast * 100) / 100, text.textContent, ...colours]);
    }
    const ground = parse(getComputedStyle(document.querySelector("svg > rect")).fill);
    return { found, ground: light(ground) };
}"""
"""The contrast of every text with what lies under it; how light the ground is."""


@contextmanager
def shown(scheme: str) -> Iterator[Page]:
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1000, "height": 1600}, color_scheme=scheme).new_page()  # type: ignore[arg-type]
        yield page


def lay(page: Page, *drawn: str | None) -> None:
    """Show drawings with the pages' styles."""
    styles = [shared_style("page.css"), (PAGES / "seat.css").read_text(encoding="utf-8")]
    head = "".join(f"<style>{each}</style>" for each in (*styles, style()))
    board, hand = (each or "" for each in drawn)
    page.set_content(f'<!doctype html>{head}<div class="board">{board}</div><div class="hand held">{hand}</div>')


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_on_a_board_is_readable(scheme: str) -> None:
    with shown(scheme) as page:
        for game in GAMES:
            for position in islice(positions(game, 1), 0, 50, 12):
                rules = position.rules
                names = NAMES[: rules.seats]
                seat = random.Random(position.ply).randint(1, rules.seats)
                board = draw(rules, rules.view(position.state, None), names, _last(position.moves))
                lay(page, board, draw_hand(rules, rules.view(position.state, seat), names, seat))
                seen = page.evaluate(FAINT)
                assert (seen["ground"] < 0.05) == (scheme == "dark")
                assert seen["found"]
                faint = [each for each in seen["found"] if each[0] < 4.5]
                assert not faint, game


ORIGIN = "http://pages.test/"
CHANGE = """async ([before, after]) => {
    const { change } = await import("/changing.js");
    const room = document.querySelector(".board");
    const parse = (text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    const svg = (text) => document.importNode(parse(text), true);
    const boxes = () => [...room.querySelectorAll("[data-thing]")].map((each) => {
        const { x, y, width } = each.getBoundingClientRect();
        return [each.dataset.thing, ...[x, y, width].map(Math.round)];
    });
    const sorted = (all) => all.map(String).sort();
    room.replaceChildren(svg(after));
    const end = sorted(boxes());
    room.replaceChildren(svg(before));
    const begin = sorted(boxes());
    change(room, svg(after));
    const moving = document.getAnimations();
    for (const each of moving) { each.pause(); each.currentTime = 0; }
    const start = sorted(boxes());
    const glide = (each) => each.effect.getKeyframes()[0].transform;
    const gliding = moving.filter(glide).map((each) => each.effect.target.dataset.thing);
    const appearing = moving.length - gliding.length;
    for (const each of moving) each.finish();
    return { begin, start, end, ended: sorted(boxes()), gliding, appearing };
}"""
"""What glides and what appears as a board changes, and where things lie before, as it begins, and after."""


@contextmanager
def moving(motion: str) -> Iterator[Page]:
    """A page of its own, with the pages' scripts and styles."""
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 1000, "height": 1600}, reduced_motion=motion).new_page()  # type: ignore[arg-type]
        page.route(f"{ORIGIN}*.js", lambda route: route.fulfill(path=PAGES / route.request.url.removeprefix(ORIGIN)))
        page.route(ORIGIN, lambda route: route.fulfill(content_type="text/html", body="<!doctype html>"))
        page.goto(ORIGIN)
        yield page


STRUGGLE = ["table deal p1 K-J-9-Q-10", "table deal p2 9-10-J-Q-K", "table roll J J J 10 10"]
CHANGES: dict[str, tuple[int, list[str], list[str]]] = {
    "d21": (2, ["p1 c2-c4"], ["red"]),
    "struggle": (2, [*STRUGGLE, "p1 play J+3 10+2"], ["pawn 10", "pawn J"]),
    "roudalon": (4, ["p1 bet 2"], ["coin 1", "coin 2"]),
    "dilemma": (3, ["p1 offer 5"], ["p1 5"]),
}
"""By game: seats, moves, and the beginnings of the names of what the last one moves."""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_what_has_moved_glides_from_where_it_was(motion: str) -> None:
    with moving(motion) as page:
        for game, (seats, moves, things) in CHANGES.items():
            position = Position(rules_of(game, seats, {} if game == "d21" else {"first": "p1"}))
            boards = []
            for text in moves:
                before, last = position.state, position.parse_push(text)
            for state, move in ((before, None), (position.state, last)):
                boards.append(draw(position.rules, position.rules.view(state, None), NAMES[:seats], move))
            lay(page, "", "")
            seen = page.evaluate(CHANGE, boards)
            assert seen["ended"] == seen["end"], game
            if motion == "reduce":
                assert not seen["gliding"] and not seen["appearing"]
                continue
            glided = sorted(seen["gliding"])
            assert len(glided) == len(things) and all(map(str.startswith, glided, things)), (game, glided)
            if game != "roudalon":  # its coins were nowhere before
                still = [each for each in seen["begin"] if each in seen["end"]]
                gone = [each for each in seen["begin"] if each not in still]
                assert len(set(seen["start"]) & set(gone)) >= len(things) - (game == "dilemma"), game


def _last(moves: list[Move]) -> Move | None:
    return next((move for move in reversed(moves) if move.actor), None)
