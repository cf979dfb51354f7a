"""The table page, without a browser: the drawing, the lights, hoods, and what a page may do at a table."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, Stream, served

from installed import needs
from kept import kept, linked
from tablier.keeper.client import Link
from tablier.web import tabletop, words
from tablier.web.layout import PAGES
from tablier_fw import wire

SEATS = [
    {"name": "Anne", "source": "table", "place": 1},
    {"name": "Bernard", "source": "table", "place": 3},
    {"name": "Christine", "source": "screen", "place": 5},
]
PIXELS = [("ring", at) for at in range(32)] + [("public", at) for at in range(6)]
PIXELS += [(f"hood{place}", at) for place in range(1, 7) for at in range(5)]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("table") / "log.db"
    with kept(log), served(log) as pages:
        pages.log = log  # type: ignore[attr-defined]
        yield pages


@pytest.fixture
def operator(pages: Served) -> Iterator[httpx.Client]:
    with pages.browser() as browser:
        enter(pages, browser)
        yield browser


@pytest.fixture
def game(pages: Served) -> Iterator[tuple[Link, int]]:
    """A game of Dilemma at a simulated table in life's time."""
    with linked(pages.log) as link:  # type: ignore[attr-defined]
        number = link.call("play", {"game": "dilemma", "seats": SEATS})["game"]
        link.call("watch", {"game": number, "viewers": [None]})
        yield link, number
        link.call("stop", {"game": number})


def enter(pages: Served, browser: httpx.Client) -> None:
    assert browser.post("/enter", json={"operator": pages.site.browsers.operator}).json() == {"operator": True}


def at(browser: httpx.Client, game: int, **what: Any) -> Any:
    answer = browser.post("/table", json={"game": game, **what})
    return answer.json() if answer.status_code == 200 else (answer.status_code, answer.json()["error"])


# -- the drawing -------------------------------------------------------------------------------------------------------


def pixels_of(svg: str) -> list[tuple[str, int]]:
    return [(group, int(index)) for group, index in re.findall(r'data-group="(\w+)" data-index="(\d+)"', svg)]


def test_all_68_pixels_and_24_buttons_are_drawn_once() -> None:
    whole = tabletop.whole()
    assert sorted(pixels_of(whole)) == sorted(PIXELS) and len(PIXELS) == sum(wire.GROUPS)
    buttons = re.findall(r'data-place="(\d)" data-button="(\w+)"', whole)
    assert sorted(buttons) == sorted((str(place), each) for place in range(1, 7) for each in wire.BUTTONS)
    for place in range(1, wire.PLACES + 1):
        own = tabletop.place(place)
        assert sorted(pixels_of(own)) == [(f"hood{place}", each) for each in range(5)] + [("public", place - 1)]
        assert own.count('role="button" tabindex="0"') == 5, "four buttons and the hood can be reached by keys"


def test_keys_are_named_as_their_panel_has_them() -> None:
    """The panel of a place has the letters a and b cut below two keys; the sheets on the table use them too."""
    for number in range(1, wire.PLACES + 1):
        signs = re.findall(r'<text [^>]*class="sign">([^<]+)<', tabletop.place(number))
        assert signs == ["a", "b"]
    said = " ".join(text.template for text in words.TABLE.values())
    assert not re.search(r"press(es)? (yes|no)\b|(yes|no) button", said)


def test_a_button_is_large_enough_to_be_touched_on_a_phone() -> None:
    width = float(tabletop.place(1).split('viewBox="')[1].split()[2])
    reach = re.search(r'height="([\d.]+)" class="reach"', tabletop.place(1))
    assert reach is not None and float(reach[1]) / width * 350 >= 44


def test_the_arena_of_the_drawing_is_that_of_the_simulated_one() -> None:
    from tablier.simulation.arena import Arena

    measures, arena = tabletop.measures(), Arena()
    assert measures["tray"] == 2 * arena.half and measures["tower"][1] == arena.towers
    assert measures["card"] == [arena.width, arena.length]


# -- who may look ------------------------------------------------------------------------------------------------------


def test_the_page_is_drawn_for_the_operator_alone(pages: Served, operator: httpx.Client) -> None:
    with pages.browser() as stranger:
        page = stranger.get("/table")
        assert page.status_code == 200 and "data-group" not in page.text and "operator&#x27;s key" in page.text
        assert at(stranger, 1, verb="press 1 b") == (403, "This needs the operator's key.")
    page = operator.get("/table")
    assert sorted(set(pixels_of(page.text))) == sorted(PIXELS)
    assert not re.search(
        r"<script(?! type=.module. src=|>// A page comes to life)|style=|<style|javascript:| on\w+=", page.text
    )
    assert len(page.content) < 100_000


def test_a_hood_goes_to_the_browser_that_leans_and_all_are_told(
    pages: Served, operator: httpx.Client, game: tuple[Link, int]
) -> None:
    _, number = game
    with pages.browser() as other, pages.browser() as spectator:
        enter(pages, other)
        with (
            Stream(operator, "public,table") as own,
            Stream(other, "table") as theirs,
            Stream(spectator, "public,table") as public,
        ):
            lit = own.wait(f"{number}", lambda state: state["public"][0] != "000000" and state["asked"] == [1])["state"]
            assert (lit["simulated"], lit["leaning"], lit["hood"]) == (True, 0, None)
            assert at(operator, number, lean=1) == {"result": {}}
            own.wait(f"{number}", lambda state: state["hood"] and state["hood"][0] != "000000")
            assert theirs.wait(f"{number}", lambda state: state["leaning"] == 1)["state"]["hood"] is None
            assert public.wait(f"leaning-{number}")["state"] == {"place": 1}
            assert at(other, number, lean=3) == (409, "somebody leans over the hood of place 1; one at a time")
            assert at(operator, number, lean=5)[0] == 409, "that seat is at a screen"
            assert at(operator, number, verb="press 1 plus") == {"result": {}}
            own.wait(f"{number}", lambda state: state["hood"] and state["hood"][1] != "000000")
            assert at(operator, number, lean=0) == {"result": {}}
            theirs.wait(f"{number}", lambda state: state["leaning"] == 0)
        for stream in (theirs, public):
            for event in stream.events:
                assert not (event["state"] or {}).get("hood"), event
        assert not any('"topic":"table"' in line for line in public.raw)


def test_cards_and_the_line_are_seen(operator: httpx.Client, game: tuple[Link, int]) -> None:
    _, number = game
    with Stream(operator, "table") as stream:
        stream.wait(f"{number}", lambda state: state["asked"] == [1])
        assert at(operator, number, line=True) == {"result": {}}
        assert at(operator, number, verb="land flat p2:7@1") == {"result": {}}
        (card,) = stream.wait(f"pile-{number}", lambda state: state["cards"])["state"]["cards"]
        assert (card["how"], card["tag"]) == ("flat", "p2:7@1")
        frames = stream.wait(f"line-{number}")["state"]["frames"]
        assert {tuple(sorted(frame)) for frame in frames} == {("from", "name")}
        assert at(operator, number, verb="clear") == {"result": {}}
        stream.wait(f"pile-{number}", lambda state: not state["cards"])


@pytest.mark.parametrize(
    "verb",
    ["pixels", "pixel hood1 0", "until hood1 0 ffffff", "quit", "help", "press 1 b\nquit", "", "press 1 \x1b", 5],
)
def test_a_page_says_no_verb_that_shows_a_hood_or_ends_the_table(operator: httpx.Client, verb: Any) -> None:
    status, why = at(operator, 1, verb=verb)
    assert status == 403 and "pages may say: bump" in why


def test_a_request_that_is_none_is_refused(operator: httpx.Client, game: tuple[Link, int]) -> None:
    _, number = game
    assert at(operator, number) == (400, "A request at a table has a game, and one of verb, lean and line.")
    assert at(operator, number, lean=1, verb="bump")[0] == 400
    assert at(operator, number, lean="1") == (400, "lean is of the wrong type.")
    assert at(operator, number, lean=7)[0] == 400
    assert at(operator, 99, verb="bump")[0] == 409
    assert at(operator, number, verb="press 9 b") == (
        409,
        "press 9 b: which button? a place from 1 to 6 and one of minus plus a b",
    )


def test_a_game_that_a_page_begins_is_played(operator: httpx.Client) -> None:
    """In an evening, by the organiser's page: one at the table, the others simulated people; it is resumed, too."""

    def do(method: str, **params: Any) -> Any:
        answer = operator.post("/do", json={"method": method, "as": "operator", "params": params})
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]

    people = [{"name": "Léa", "place": 1}]
    evening = do("evening", people=people, table={"port": "simulated"})["evening"]
    others = [{**seat, "source": "table", "simulated": "easy"} for seat in SEATS[1:]]
    with Stream(operator, "public,table") as stream:
        number = do("next", evening=evening, game="dilemma", others=others)["game"]
        stream.wait(f"{number}", lambda state: state["asked"] == [1] and state["public"][0] != "000000")
        do("stop", game=number)
        do("resume", game=number)
        stream.wait(f"{number}", lambda state: state["asked"] == [1])
        do("stop", game=number)
        do("close", evening=evening)
    refused = operator.post("/do", json={"method": "play", "as": "operator", "params": {"game": "d21", "seats": []}})
    assert refused.status_code == 403, "a page begins games in an evening"


# -- how a card falls --------------------------------------------------------------------------------------------------


@needs("node")
def test_a_card_lands_by_how_it_is_thrown() -> None:
    code = """
        import { fall, landing, pose } from "MODULE";
        const sizes = { tray: 112, deck: 295, cover: 121, card: [59, 92] };
        const throws = [[[0, 0], [0, 0]], [[0, 200], [0, -1250]], [[0, 40], [0, -100]], [[0, 250], [0, -1700]],
          [[70, 0], [0, 0]], [[0, 200], [0, -700]], [[0, 0], [1200, 0]], [[200, 200], [0, 0]]];
        const told = throws.map(([at, speed]) => fall(at, speed, sizes));
        const poses = ["flat", "leaning", "rim", "outside"].map((how) => pose(how, [3, -50], "p1:5@1 7", sizes));
        const again = pose("flat", undefined, "p1:5@1 7", sizes);
        console.log(JSON.stringify([told, poses, [again, pose("flat", undefined, "p1:5@1 7", sizes)]]));
    """.replace("MODULE", f"{Path(str(PAGES / 'throwing.js')).as_uri()}")
    run = subprocess.run(
        ["node", "--input-type=module", "-e", code], capture_output=True, text=True, check=True, timeout=60
    )
    told, poses, (one, other) = json.loads(run.stdout)
    assert told == ["flat", "flat", "flat", "leaning", "rim", "rim", "outside", "outside"]
    flat, leaning, rim, outside = ((pose["x"], pose["y"]) for pose in poses)
    assert max(map(abs, flat)) < 56 and 30 < -leaning[1] < 56 and 56 < -rim[1] < 100 and 100 < -outside[1] < 147
    assert one == other, "a card lies alike in all browsers"
