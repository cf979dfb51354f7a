"""The cookie: joining and entering alone give one, it says whose streams a browser gets, and nobody can plant one."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from served import Served, Stream, served

from kept import kept, linked
from tablier.keeper.client import Link
from tablier.texts import Json

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


@pytest.fixture
def game(link: Link) -> Json:
    """A game whose seats are played at screens."""
    return link.call("play", {"game": "dilemma", "seats": SEATS})


def enter(browser: httpx.Client, game: Json, seat: int) -> httpx.Response:
    answer = browser.post("/enter", json={"game": game["game"], "seat": seat, "key": game["keys"][str(seat)]})
    assert answer.status_code == 200, answer.text
    return answer


def cookie_of(browser: httpx.Client) -> tuple[str, str]:
    """Return the name and the value of a browser's only cookie."""
    ((name, value),) = browser.cookies.items()
    return name, value


def private(browser: httpx.Client) -> set[str]:
    """Return the private channels of which a browser is told by a stream, at once and after a state of the keeper."""
    with Stream(browser, "mine,public") as stream:
        stream.wait("keeper")
        return {name for topic, name in stream.names if topic == "mine"}


@pytest.mark.parametrize("visited", [False, True], ids=("fresh", "with a seat"))
def test_nothing_but_joining_and_entering_gives_a_cookie(pages: Served, game: Json, visited: bool) -> None:
    with pages.browser() as browser:
        if visited:
            enter(browser, game, 1)
        answers = [browser.get(path) for path in ("/", "/seat", "/table", "/log", "/pages/page.css", "/nothing")]
        asked = {"method": "hint", "params": {"game": game["game"], "seat": 2}}
        answers += [browser.post(path, json=asked) for path in ("/do", "/code", "/join", "/enter", "/table")]
        for topics in ("public", "mine", "public,mine,table"):
            with Stream(browser, topics) as stream:
                answers.append(stream.response)
        assert [answer.url.path for answer in answers if "set-cookie" in answer.headers] == []


def test_what_joining_gives_outlives_the_other_requests_of_a_fresh_phone(pages: Served, link: Link) -> None:
    """A fresh browser asks for several things at once, all without a cookie. Here all of them are asked before joining
    is answered, and every other answer arrives after that."""
    with ExitStack() as stack:
        phone, operator = (stack.enter_context(pages.browser()) for _ in range(2))
        operator.post("/enter", json={"operator": pages.site.browsers.operator})
        begin = {"method": "play", "params": {"game": "dilemma", "seats": SEATS}, "as": "operator"}
        number = operator.post("/do", json=begin).json()["result"]["game"]
        assert operator.post("/table", json={"game": number, "begin": True}).is_success
        code = operator.post("/code", json={"game": number, "seat": 2}).json()["code"]
        others = {path: stack.enter_context(pages.browser()).get(path) for path in ("/seat", "/pages/seat.js", "/log")}
        stream = stack.enter_context(Stream(stack.enter_context(pages.browser()), "mine"))
        assert phone.post("/join", json={"code": code}).status_code == 200
        for answer in (*others.values(), stream.response):
            phone.cookies.update(answer.cookies)
        assert private(phone) == {f"{number}-2"}
    link.call("stop", {"game": number})


def test_a_number_alone_opens_no_stream(pages: Served, game: Json) -> None:
    with pages.browser() as phone, pages.browser() as stranger:
        enter(phone, game, 1)
        name, value = cookie_of(phone)
        assert private(phone) == {f"{game['game']}-1"}
        number, _, keys = value.partition(".")
        assert keys
        for guess in (
            number,
            f"{number}.{game['game']}-1-{'0' * 32}",
            f"{number}.{game['game']}-2-{game['keys']['2']}",
        ):
            stranger.cookies.clear()
            stranger.cookies.set(name, guess)
            assert f"{game['game']}-1" not in private(stranger)


def test_a_number_that_somebody_has_planted_is_worth_nothing_after_entering(pages: Served, game: Json) -> None:
    with pages.browser() as attacker, pages.browser() as phone:
        enter(attacker, game, 3)
        name, planted = cookie_of(attacker)
        phone.cookies.set(name, planted)
        phone.cookies.clear()
        phone.cookies.set(name, planted, domain="127.0.0.1", path="/")
        enter(phone, game, 1)
        (now,) = {value for _, value in phone.cookies.items()}
        assert now.partition(".")[0] != planted.partition(".")[0]
        with Stream(phone, "mine") as stream:
            stream.wait(f"{game['game']}-1")
            assert f"{game['game']}-1" not in private(attacker)


def test_each_entering_gives_another_number(pages: Served, game: Json) -> None:
    with pages.browser() as browser:
        values = []
        for seat in (1, 2, 1):
            enter(browser, game, seat)
            values.append(cookie_of(browser)[1])
        assert len({value.partition(".")[0] for value in values}) == 3
        assert private(browser) == {f"{game['game']}-1", f"{game['game']}-2"}


def test_two_servers_on_one_computer_leave_each_other_their_cookies(
    pages: Served, link: Link, game: Json, tmp_path: Path
) -> None:
    """Browsers send the cookies of a host to all its ports."""
    log = tmp_path / "other.db"
    with kept(log), served(log) as others, linked(log) as other_link, pages.browser() as browser:
        other = other_link.call("play", {"game": "dilemma", "seats": SEATS})
        enter(browser, game, 1)
        with others.browser() as there:
            there.cookies = browser.cookies
            enter(there, other, 2)
            browser.cookies = there.cookies
        assert len(browser.cookies) == 2
        assert private(browser) == {f"{game['game']}-1"}
        other_link.call("stop", {"game": other["game"]})


def test_two_cookies_of_one_name_are_none(pages: Served, game: Json) -> None:
    """Who can set a cookie for one path of this host cannot have it taken for the one that this server gave."""
    with pages.browser() as phone, pages.browser() as attacker:
        enter(phone, game, 1)
        enter(attacker, game, 3)
        name, value = cookie_of(phone)
        for first, second in ((value, cookie_of(attacker)[1]), (cookie_of(attacker)[1], value)):
            with httpx.Client(base_url=pages.address, timeout=20) as shadowed:
                shadowed.headers["cookie"] = f"{name}={first}; {name}={second}"
                assert private(shadowed) == set()
