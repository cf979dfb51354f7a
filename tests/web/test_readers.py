"""Each browser reads its own language: that of its switch, else the one it prefers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from evenings import Room, enter, key_of
from served import Served, Stream

from keeper.seen import Seen
from kept import opened
from marked import MARKED, english, with_languages
from tablier.games import game_class
from tablier.keeper.client import Link

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine", "David")]
NAMES = ("Anne", "Bernard", "Christine", "David", "Tablier")


@pytest.fixture(autouse=True)
def languages(pages: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with with_languages(monkeypatch, MARKED):
        yield


def shown(page: str) -> str:
    """Return what a page shows or says: its text and its labels, and the words of its script."""
    page = re.sub(r'<form [^>]*class="languages".*?</form>', "", page)  # each by its own name
    labels = re.findall(r'(?:aria-label|alt|title|placeholder)="([^"]*)"', page)
    words = re.findall(r'<meta name="words" content="([^"]*)"', page)
    text = re.sub(r"<(style|script)\b.*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL)
    return unescape(" ".join([text, *labels, *(" ".join(json.loads(unescape(each)).values()) for each in words)]))


def test_a_page_is_in_the_language_that_its_browser_prefers_or_was_switched_to(pages: Served) -> None:
    with pages.browser(**{"accept-language": "xx, qaa;q=0.8, en;q=0.5"}) as browser:
        page = browser.get("/seat").text
        assert '<html lang="qaa">' in page and "⟦" in page
        switched = browser.post("/language", data={"to": "en", "back": "/seat?x=1"})
        assert (switched.status_code, switched.headers["location"]) == (303, "/seat?x=1")
        page = browser.get("/seat").text
        assert '<html lang="en">' in page and 'value="qaa"' in page
        assert browser.post("/language", data={"to": "tlh", "back": "/"}).status_code == 400
        assert browser.post("/language", data={"to": "en", "back": "//elsewhere"}).status_code == 400


def test_the_rules_to_read_while_one_waits_are_called_as_each_browser_reads(pages: Served) -> None:
    for tag in ("en", "qaa"):
        with pages.browser(**{"accept-language": tag}) as browser:
            (known,) = re.findall(r'data-known="([^"]*)"', browser.get("/seat").text)
            assert ["⟦" in title for _, title, _ in json.loads(unescape(known))] == [tag == "qaa"] * 5


def test_two_phones_in_one_game_each_read_their_own(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "dilemma", "seats": SEATS[:3]})
    number = begun["game"]
    with pages.browser() as one, pages.browser(**{"accept-language": "qaa"}) as other:
        for browser in (one, other):
            enter(browser, key_of(begun, 1))
        said = []
        for browser in (one, other):
            with Stream(browser, "mine") as stream:
                said.append(stream.wait(f"{number}-1", lambda state: state["question"])["state"]["question"]["said"])
        assert english(said[0]) and not english(said[1], *NAMES)
    link.call("stop", {"game": number})


def test_a_stream_is_in_the_language_of_its_page(pages: Served, link: Link) -> None:
    """Not in that of the worker that asks for it, which tabs in other languages may have begun."""
    begun = link.call("play", {"game": "dilemma", "seats": SEATS[:3]})
    number = begun["game"]
    with pages.browser(**{"accept-language": "en"}) as browser:
        enter(browser, key_of(begun, 1))
        with Stream(browser, "mine", language="qaa") as stream:
            said = stream.wait(f"{number}-1", lambda state: state["question"])["state"]["question"]["said"]
        assert not english(said, *NAMES)
        refused = browser.get("/events", params={"topics": "mine", "language": "tlh"})
        assert (refused.status_code, refused.text) == (400, "There is no such language.\n")
    link.call("stop", {"game": number})


def test_a_game_is_looked_back_at_in_the_language_of_each_reader(pages: Served, link: Link) -> None:
    begun = opened(link, "play", game="dilemma", seats=[{**seat, "source": "greedy"} for seat in SEATS[:3]])
    Seen(begun).wait(lambda seen: seen and seen[-1].get("updates", [{}])[0].get("over"), 60)
    address = f"/log/game/{begun.game}"
    said = []
    with pages.browser(**{"accept-language": "qaa, en"}) as one, pages.browser() as other:
        for browser in (one, other, one):
            story = browser.get(address).text.partition("<ol ")[2]
            said.append((shown(f"<ol {story}"), browser.get(f"{address}/board", params={"move": 3}).json()["reading"]))
    assert said[0] == said[2]
    for words, marked in zip(said[1], said[0], strict=True):
        assert "⟦" not in words and "⟦" in marked
        assert english(words, *NAMES) and english(marked, *NAMES) == []


def test_a_language_is_kept_with_the_name_of_who_reads_it(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "dilemma", "seats": SEATS[:3]})
    with pages.browser() as phone, pages.browser() as another, pages.browser() as switched:
        enter(phone, key_of(begun, 2))
        assert '<html lang="en">' in phone.get("/seat").text
        phone.post("/language", data={"to": "qaa", "back": "/seat"})
        enter(another, key_of(begun, 2))
        assert '<html lang="qaa">' in another.get("/seat").text
        switched.post("/language", data={"to": "en", "back": "/seat"})
        enter(switched, key_of(begun, 2))
        assert '<html lang="en">' in switched.get("/seat").text
    link.call("stop", {"game": begun["game"]})


@pytest.mark.parametrize("address", ["/", "/in", "/seat", "/host", "/table", "/log", "/nowhere"])
def test_nothing_on_a_page_is_past_the_catalogue(pages: Served, address: str) -> None:
    with pages.browser(**{"accept-language": "qaa", "accept": "text/html"}) as browser:
        browser.post("/enter", json={"operator": pages.site.browsers.operator})
        assert english(shown(browser.get(address).text), *NAMES) == []


IDS = frozenset(("kind", "what", "rules", "source", "part", "move", "person", "by", "event", "reply", "drops", "whose"))
"""The fields of a state that programs read."""


def spoken(value: Any) -> Iterator[str]:
    """Yield what people read of a state."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from spoken(each)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in ("board", "hand") and isinstance(each, str):
                yield shown(each)
            elif key not in IDS:
                yield from spoken(each)


@pytest.mark.parametrize("game", ["d21", "dicke-daemonen", "dilemma", "roudalon", "struggle"])
def test_nothing_of_a_game_is_past_the_catalogue(pages: Served, link: Link, game: str) -> None:
    begun = opened(link, "play", game=game, seats=SEATS[: game_class(game).seat_counts[0]])
    with pages.browser(**{"accept-language": "qaa"}) as browser, Stream(browser, "public,phone") as stream:
        begun.watch([1], lambda message: None)
        state = stream.wait(f"game-{begun.game}", lambda state: state["question"])["state"]
        assert [word for said in spoken(state) for word in english(said, *NAMES)] == []
    begun.stop()


def test_a_refusal_is_in_the_language_of_who_asks(pages: Served) -> None:
    with pages.browser(**{"accept-language": "qaa"}) as browser:
        asked: Any
        for asked in ({"method": "stop", "params": {}}, {"method": 1, "params": {}}, [], {}):
            said = browser.post("/do", json=asked).json()["error"]
            assert not english(said, "stop", "method", "params"), said


def test_a_device_that_is_let_in_reads_as_its_person_does(pages: Served, room: Room) -> None:
    with pages.browser() as first, pages.browser() as second, pages.browser() as switched:
        room.join(first, "Léa")
        first.post("/language", data={"to": "qaa", "back": "/seat"})
        switched.post("/language", data={"to": "en", "back": "/seat"})
        for browser, tag in ((second, "qaa"), (switched, "en")):
            asked = room.join(browser, "Léa")
            assert "wish" in asked
            room.decide(yes=True)
            assert browser.post("/join", json=asked).status_code == 200
            assert f'<html lang="{tag}">' in browser.get("/seat").text


def test_a_television_that_is_let_in_stays_in_the_language_that_was_set_at_it(pages: Served, room: Room) -> None:
    with pages.browser() as television:
        television.post("/language", data={"to": "qaa", "back": "/"})
        asked = television.post("/join", json={"screen": "Salon"}).json()
        room.decide(yes=True)
        assert television.post("/join", json=asked).json() == {"evening": room.number}
        page = television.get("/").text
        assert '<html lang="qaa">' in page and english(shown(page), *NAMES) == []
