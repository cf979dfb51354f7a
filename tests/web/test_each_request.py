"""Each role by each request: what it is answered, and of what its streams tell. The keeper's methods, for which pages
ask by ``/do``, have such a table of their own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import httpx
import pytest
from evenings import Room, cookie_of, enter
from served import Served, Stream
from starlette.routing import Route

from kept import linked
from tablier.keeper.client import Link
from tablier.texts import Json
from tablier.web import app

WATCHER, FORGER, GONE, PERSON, SCREEN, ORGANISER, OPERATOR = ROLES = (
    "who watches",
    "who has made up a cookie",
    "who was shown out",
    "a person",
    "a screen that was let in",
    "an organiser",
    "the operator",
)
EVERYBODY = set(ROLES)
ORGANISERS = {ORGANISER, OPERATOR}
FILES = ("/log/verify", "/log/evening/1/page")
PAGES = ("/", "/in", "/seat", "/host", "/table", "/log", "/pages/page.css", "/rules?game=d21", "/log/evening/1")
NONE = (
    "/nothing",
    "/archive",
    "/log/game/99",
    "/log/game/99/board?move=0",
    "/log/game/99/course",
    "/log/game/99/record",
)
"""What there is not here."""


class House:
    """An evening with a browser of each role, and somebody who waits to be let in."""

    def __init__(self, pages: Served, link: Link, stack: ExitStack) -> None:
        self.pages, self.stack = pages, stack
        self.room = Room(link, ["Anne", "Bernard", "Gone", "Olga"])
        self.who = {role: self.browser() for role in ROLES}
        enter(self.who[PERSON], self.room.keys["Bernard"])
        enter(self.who[ORGANISER], self.room.keys["Olga"])
        self.room.call("organiser", name="Olga", on=True)
        enter(self.who[GONE], self.room.keys["Gone"])
        self.room.call("go", name="Gone")
        enter(self.who[OPERATOR], {"operator": pages.site.browsers.operator})
        wish = self.ask(SCREEN, "/join", {"screen": "television"}).json()["wish"]
        self.room.decide(yes=True)
        assert self.ask(SCREEN, "/join", {"wish": wish}).json() == {"evening": self.room.number}
        name, value = cookie_of(self.who[ORGANISER])
        number, _, keys = value.partition(".")
        evening, person, key = keys.split("-")
        self.who[FORGER].cookies.set(name, f"{number}.op-{'0' * 32}.{evening}-{person}-{key[::-1]}")

    def browser(self) -> httpx.Client:
        return self.stack.enter_context(self.pages.browser())

    def ask(self, role: str, path: str, body: object) -> httpx.Response:
        return self.who[role].post(path, json=body)


@pytest.fixture(scope="module")
def house(pages: Served) -> Iterator[House]:
    with ExitStack() as stack:
        house = House(pages, stack.enter_context(linked(pages.site.log)), stack)
        yield house
        house.room.close()


REQUESTS: dict[str, tuple[Callable[[House], Json], int, set[str], int]] = {
    "/known": (lambda house: {"code": house.room.code}, 200, EVERYBODY, 0),
    "/join": (lambda house: {"wish": "0" * 32}, 409, EVERYBODY, 0),
    "/here": (lambda house: {"stream": "0" * 16}, 200, EVERYBODY, 0),
    "/enter": (lambda house: {**house.room.keys["Anne"], "key": house.room.keys["Bernard"]["key"]}, 403, EVERYBODY, 0),
    "/enter operator": (lambda house: {"operator": house.room.keys["Olga"]["key"]}, 403, EVERYBODY, 0),
    "/enter screen": (lambda house: {"evening": house.room.number, "screen": "0" * 32}, 403, EVERYBODY, 0),
    "/enter out": (lambda house: house.room.keys["Gone"], 403, EVERYBODY, 0),
    "/table": (lambda house: {"game": 99, "lean": 1}, 409, {OPERATOR}, 403),
    "/do operator": (lambda house: do(house, "settings", table="simulated") | {"as": "operator"}, 200, {OPERATOR}, 403),
    "/do organiser": (lambda house: do(house, "door", open=True), 200, {ORGANISER}, 403),
    "/do person": (lambda house: do(house, "another"), 409, {PERSON, ORGANISER}, 403),
    "/do quit": (lambda house: do(house, "quit"), 403, EVERYBODY, 0),
    "/do quit operator": (lambda house: do(house, "quit") | {"as": "operator"}, 403, EVERYBODY, 0),
}
"""By address: what is asked, how it is answered to whom, and how to all others."""
LANGUAGE = "/language"
"""It keeps a language, which is no secret."""


def do(house: House, method: str, **params: object) -> Json:
    return {"method": method, "params": {"evening": house.room.number, **params}}


def secrets_of(house: House) -> list[str]:
    """Return what no page and no answer but the one that grants it may hold."""
    return [house.room.code, house.pages.site.browsers.operator, *(key["key"] for key in house.room.keys.values())]


def test_every_address_has_its_place_here(pages: Served) -> None:
    with_numbers = re.compile(r"\{\w+:count\}")
    routes = {
        (method, with_numbers.sub("1", path).replace("{name}", "page.css"))
        for path, methods in [
            (each.path, each.methods or set()) for each in app.build(pages.site).routes if isinstance(each, Route)
        ]
        for method in methods - {"HEAD"}
    }
    asked = {("GET", path.partition("?")[0].replace("99", "1")) for path in (*PAGES, *NONE, *FILES, "/events")}
    asked |= {("POST", path.partition(" ")[0]) for path in (*REQUESTS, LANGUAGE)}
    assert routes - asked == set()


@pytest.mark.parametrize("role", ROLES)
def test_pages_tell_nobody_a_secret_and_the_operator_alone_of_tables(house: House, role: str) -> None:
    browser = house.who[role]
    for path in (*PAGES, *FILES):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert not [secret for secret in secrets_of(house) if secret in answer.text], path
        assert ("data-group" in answer.text) == (path == "/table" and role == OPERATOR), path
        assert "set-cookie" not in answer.headers
    for path in NONE:
        assert browser.get(path).status_code == 404, path


@pytest.mark.parametrize("role", ROLES)
def test_each_request_is_answered_to_those_who_may_make_it(house: House, role: str) -> None:
    before = house.room.told()
    for address, (body, status, allowed, refused) in REQUESTS.items():
        answer = house.ask(role, address.partition(" ")[0], body(house))
        if role in allowed:
            assert answer.status_code == status, (address, answer.text)
        else:
            assert answer.status_code == refused or "is not in an evening" in answer.text, (address, answer.text)
        assert "set-cookie" not in answer.headers
        assert not [secret for secret in secrets_of(house) if secret in answer.text], address
    assert house.room.told() == before


@pytest.mark.parametrize("role", ROLES)
def test_each_stream_has_what_its_cookie_proves(house: House, role: str) -> None:
    if role in ORGANISERS:
        assert "wish" in house.browser().post("/join", json={"code": house.room.code, "name": "Bernard"}).json()
    with Stream(house.who[role], "public,mine,table,host,phone,paper") as stream:
        stream.wait("keeper")
        if role in (PERSON, SCREEN, ORGANISER, OPERATOR):
            # What was wished a moment ago comes when the keeper's word of it has come to the pages.
            wished = {"Bernard"} if role in ORGANISERS else set()
            inside = stream.wait(
                f"evening-{house.room.number}",
                lambda state: state.get("inside") and {wish["name"] for wish in state["inside"]["wishes"]} >= wished,
            )["state"]["inside"]
            assert inside["code"] == house.room.code
            assert {wish["name"] for wish in inside["wishes"]} == wished
        stream.beat()
        private = {name for topic, name in stream.names if topic == "mine"}
        own = {f"evening-{house.room.number}"} if role in (PERSON, SCREEN, ORGANISER) else set()
        assert {name for name in private if not name.startswith("out-")} == own
        assert role == OPERATOR or not {topic for topic, _ in stream.names} & {"table", "host"}
        assert (house.room.code in "".join(stream.raw)) == (role in (PERSON, SCREEN, ORGANISER, OPERATOR))
        keys = [secret for secret in secrets_of(house) if secret != house.room.code]
        assert not [key for key in keys if key in "".join(stream.raw)]
