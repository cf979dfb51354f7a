"""The cookie: joining and entering alone give one, it says whose streams a browser gets, and nobody can plant one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from evenings import Room, cookie_of, enter, key_of, private
from served import Served, Stream, served
from starlette.responses import Response

from kept import kept, linked
from tablier.keeper.client import Link
from tablier.texts import Json
from tablier.web.cookies import KEPT, Browser, Cookies

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


@pytest.fixture
def game(link: Link) -> Json:
    """A game whose seats are played at screens, for whoever wants it."""
    begun = link.call("play", {"game": "dilemma", "seats": SEATS})
    link.call("watch", {"game": begun["game"], "viewers": [None]})
    return begun


def mine(game: Json, *seats: int) -> set[str]:
    """Return the private channels of those who have some seats of a game."""
    return {f"evening-{game['evening']}", *(f"{game['game']}-{seat}" for seat in seats)}


def settled(browser: httpx.Client, game: Json, *seats: int) -> bool:
    """Wait until a browser has been told of its seats; return whether it has heard of nothing else that is private."""
    with Stream(browser, "mine") as stream:
        for seat in seats:
            stream.wait(f"{game['game']}-{seat}")
    return private(browser) == mine(game, *seats)


@pytest.mark.parametrize("visited", [False, True], ids=("fresh", "with a seat"))
def test_nothing_but_joining_and_entering_gives_a_cookie(pages: Served, game: Json, visited: bool) -> None:
    with pages.browser() as browser:
        if visited:
            enter(browser, key_of(game, 1))
        paths = ("/", "/in", "/seat", "/host", "/table", "/log", "/pages/page.css", "/nothing")
        answers = [browser.get(path) for path in paths]
        asked = {"method": "hint", "params": {"game": game["game"], "seat": 2}}
        answers += [browser.post(path, json=asked) for path in ("/do", "/known", "/join", "/enter", "/table", "/here")]
        answers += [
            browser.post("/known", json={"code": "BBBB"}),
            browser.post("/join", json={"code": "BBBB", "name": "Anne"}),
            browser.post("/join", json={"wish": "0" * 32}),
            browser.post("/join", json={"screen": "television"}),
        ]
        for topics in ("public", "mine", "public,mine,table,host"):
            with Stream(browser, topics) as stream:
                answers.append(stream.response)
        assert [answer.url.path for answer in answers if "set-cookie" in answer.headers] == []


def test_what_joining_gives_outlives_the_other_requests_of_a_fresh_phone(pages: Served, link: Link) -> None:
    """A fresh browser asks for several things at once, all without a cookie. Here all of them are asked before joining
    is answered, and every other answer arrives after that."""
    with ExitStack() as stack:
        room, phone = Room(link), stack.enter_context(pages.browser())
        others = {path: stack.enter_context(pages.browser()).get(path) for path in ("/in", "/pages/joining.js", "/log")}
        stream = stack.enter_context(Stream(stack.enter_context(pages.browser()), "mine"))
        room.join(phone, "Léa")
        for answer in (*others.values(), stream.response):
            phone.cookies.update(answer.cookies)
        assert private(phone) == {f"evening-{room.number}"}
        room.close()


def test_a_number_alone_opens_no_stream(pages: Served, game: Json) -> None:
    with pages.browser() as phone, pages.browser() as stranger:
        enter(phone, key_of(game, 1))
        name, value = cookie_of(phone)
        assert settled(phone, game, 1)
        number, _, keys = value.partition(".")
        evening, person, key = keys.split("-")
        other = key_of(game, 2)
        for guess in (
            number,
            f"{number}.{evening}-{person}-{'0' * 32}",
            f"{number}.{evening}-{other['person']}-{key}",
            f"{number}.{int(evening) + 1}-{person}-{key}",
            f"{number}.sc-{evening}-{key}",
            f"{number}.{evening}-{other['person']}-{other['key']}",
        ):
            stranger.cookies.clear()
            stranger.cookies.set(name, guess)
            assert f"{game['game']}-1" not in private(stranger)


def test_a_number_that_somebody_has_planted_is_worth_nothing_after_entering(pages: Served, game: Json) -> None:
    with pages.browser() as attacker, pages.browser() as phone:
        enter(attacker, key_of(game, 3))
        name, planted = cookie_of(attacker)
        phone.cookies.set(name, planted, domain="127.0.0.1", path="/")
        enter(phone, key_of(game, 1))
        (now,) = {value for _, value in phone.cookies.items()}
        assert now.partition(".")[0] != planted.partition(".")[0]
        with Stream(phone, "mine") as stream:
            stream.wait(f"{game['game']}-1")
            assert f"{game['game']}-1" not in private(attacker)


def test_each_entering_gives_another_number(pages: Served, game: Json) -> None:
    with pages.browser() as browser:
        values = []
        for seat in (1, 2, 1):
            enter(browser, key_of(game, seat))
            values.append(cookie_of(browser)[1])
        assert len({value.partition(".")[0] for value in values}) == 3
        assert settled(browser, game, 1, 2)


def test_of_many_evenings_a_browser_keeps_the_keys_of_the_latest() -> None:
    cookies = Cookies("12" * 32)
    keys = {(evening, "ab" * 8): f"{evening:032x}" for evening in range(1, KEPT + 3)}
    now = cookies.give(Response(), Browser("", keys, {evening: key for (evening, _), key in keys.items()}))
    assert [evening for evening, _ in now.people] == list(now.screens) == list(range(3, KEPT + 3))


def test_two_servers_on_one_computer_leave_each_other_their_cookies(
    pages: Served, link: Link, game: Json, tmp_path: Path
) -> None:
    """Browsers send the cookies of a host to all its ports."""
    log = tmp_path / "other.db"
    with kept(log), served(log) as others, linked(log) as other_link, pages.browser() as browser:
        other = other_link.call("play", {"game": "dilemma", "seats": SEATS})
        enter(browser, key_of(game, 1))
        with others.browser() as there:
            there.cookies = browser.cookies
            enter(there, key_of(other, 2))
            browser.cookies = there.cookies
            assert there.post("/enter", json=key_of(game, 1)).status_code == 403  # a key of another log
        assert len(browser.cookies) == 2
        assert settled(browser, game, 1)
        other_link.call("stop", {"game": other["game"]})


def test_two_cookies_of_one_name_are_none(pages: Served, game: Json) -> None:
    """Who can set a cookie for one path of this host cannot have it taken for the one that this server gave."""
    with pages.browser() as phone, pages.browser() as attacker:
        enter(phone, key_of(game, 1))
        enter(attacker, key_of(game, 3))
        name, value = cookie_of(phone)
        for first, second in ((value, cookie_of(attacker)[1]), (cookie_of(attacker)[1], value)):
            with httpx.Client(base_url=pages.address, timeout=20) as shadowed:
                shadowed.headers["cookie"] = f"{name}={first}; {name}={second}"
                assert private(shadowed) == set()
