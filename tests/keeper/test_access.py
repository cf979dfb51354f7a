"""Who may do what at a keeper: every method by everybody, and the document's table of it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from msgspec import structs
from tests.heard import as_json, by_method
from tests.keeper_tables import ROLES, may_use

import replies
from kept import kept, linked
from tablier.keeper import protocol
from tablier.keeper.access import Right
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.server import METHODS
from tablier.messages import Entry, Opened

PLAYING = ("Anne", "Bernard", "Christine")
WATCHERS, SCREEN, ORGANISER_ELSEWHERE = "who watches", "a screen that was let in", "an organiser of another evening"
INSIDE, PERSON, SEAT, ANOTHER, ORGANISER, OPERATOR = (role for role in ROLES if role != WATCHERS)
METHOD_NAMES = [name for name in METHODS if name not in ("quit", "hint")]

LOOKING = {"analyse", "ask_screen", "enter", "follow", "hello", "join", "known", "list", "ping", "table"}
OF_ALL_SEATS = {"hurry", "pace", "wait"}
SPELLED_OUT = {
    WATCHERS: LOOKING,
    SCREEN: LOOKING,
    ORGANISER_ELSEWHERE: LOOKING,
    INSIDE: LOOKING | {"another"},
    PERSON: LOOKING | {"another", "leave", "speak"},
    ANOTHER: LOOKING | {"another", "leave", "speak"} | OF_ALL_SEATS,
    SEAT: LOOKING
    | {"another", "leave", "speak"}
    | OF_ALL_SEATS
    | {"watch", "reply", "back", "mistake", "correct", "dispute", "pause", "call", "source"},
    ORGANISER: LOOKING
    | {"leave", "speak"}
    | OF_ALL_SEATS
    | {"resume", "stop", "source", "pause", "settings", "come", "go", "rename", "close", "series", "next", "another"}
    | {"abandon", "door", "decide", "anew"},
    OPERATOR: {*METHOD_NAMES} - {"watch", "reply", "leave", "speak"},
}
"""What each may do, written out here: the document's table is taken from where the methods are declared."""


class House:
    """A keeper with a game of Dilemma in an evening, and a connection of each role."""

    def __init__(self, log: Path, stack: ExitStack) -> None:
        self.log = log
        self.stack = stack
        self.operator = stack.enter_context(linked(log))
        here = [{"name": name} for name in (*PLAYING, "David", "Olga")]
        begun = self.operator.call("evening", {"people": here})
        self.people = {one["name"]: each for one, each in zip(here, begun["people"], strict=True)}
        self.opened = self.operator.ask(Opened, "next", {"evening": 1, "game": "dilemma", "only": list(PLAYING)})
        self.operator.call("watch", {"game": 1, "viewers": [None]})
        self.entries = entries_of(self.opened)
        self.operator.call("organiser", {"evening": 1, "name": "Olga", "on": True})
        (zoe,) = self.operator.call("evening", {"people": [{"name": "Zoe"}]})["people"]
        self.operator.call("organiser", {"evening": 2, "name": "Zoe", "on": True})
        self.who: dict[str, tuple[Link, str]] = {OPERATOR: (self.operator, self.person("David"))}
        seated = self.entries[1].person
        for role, entry in (
            (WATCHERS, None),
            (ORGANISER_ELSEWHERE, zoe),
            (PERSON, self.people["David"]),
            (SEAT, self.entries[1]),
            (ORGANISER, self.people["Olga"]),
        ):
            link = self.stranger()
            if entry is not None:
                enter(link, entry)
            person = seated if role == SEAT else self.person({PERSON: "David", ORGANISER: "Olga"}.get(role, "David"))
            self.who[role] = link, person
        self.who[ANOTHER] = self.who[SEAT]
        self.who[INSIDE] = self.who[PERSON][0], seated
        self.who[SCREEN] = self.stranger(), self.person("David")
        wish = self.who[SCREEN][0].call("ask_screen", {"evening": 1})["wish"]
        keys: SimpleQueue[str] = SimpleQueue()
        self.who[SCREEN][0].on_notice = by_method(
            lambda method, params: keys.put(params["screen"]) if method == "let_in" else None
        )
        self.operator.call("decide", {"evening": 1, "wish": wish, "yes": True})
        self.who[SCREEN][0].call("enter", {"evening": 1, "screen": keys.get(timeout=20)})

    def person(self, name: str) -> str:
        return str(self.people[name]["person"])

    def stranger(self) -> Link:
        return self.stack.enter_context(linked(self.log, operator=False))


def enter(link: Link, entry: Entry | dict[str, Any]) -> None:
    said = structs.asdict(entry) if isinstance(entry, Entry) else entry
    link.call("enter", {name: said[name] for name in ("evening", "person", "key")})


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    log = tmp_path / "log.db"
    with kept(log), ExitStack() as stack:
        yield House(log, stack)


def asked(method: str, seat: int, person: str) -> dict[str, Any]:
    """Parameters with which a method can be carried out, or is refused by the game or the evening alone."""
    params: dict[str, Any] = {
        "hello": protocol.hello(None),
        "play": {"game": "nothing", "seats": [{"name": "Eve", "source": "screen"}]},
        "reply": {"game": 1, "reply": replies.finish(id=1, seat=seat)},
        "evening": {"table": {"port": "nowhere", "virtual": True}},
        "series": {"evening": 1, "games": ["d21"]},
        "rename": {"evening": 1, "name": "David", "to": "Anne"},
        "door": {"evening": 1, "open": True},
        "come": {"evening": 1, "name": "David"},
        "settings": {"evening": 1, "table": "simulated"},
    }
    usual: dict[str, Any] = {"game": 1, "seat": seat, "viewers": [seat], "evening": 1, "table": "simulated"}
    usual |= {"source": "screen", "verb": "time", "person": person, "code": "AEIO", "wish": 99, "name": "Nobody"}
    usual["language"] = "fr"
    by_type = {"int": 1, "str": "no", "bool": False, "float": 2.0}
    fields = [each for each in structs.fields(METHODS[method].params) if each.required]
    default = {each.name: usual.get(each.name, by_type.get(_plain(each.type))) for each in fields}
    found: dict[str, Any] = params.get(method, default)
    return found


def _plain(kind: Any) -> str:
    """Return the name of the type of which a declaration says more."""
    return str(getattr(getattr(kind, "__origin__", kind), "__name__", ""))


def may(link: Link, method: str, seat: int, person: str) -> bool:
    """Whether a connection has the right to a method, whatever the game says to it."""
    try:
        link.call(method, asked(method, seat, person))
    except KeeperError as error:
        return error.code != protocol.FORBIDDEN
    return True


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_each_method_by_everybody(house: House, method: str) -> None:
    for role, allowed in SPELLED_OUT.items():
        link, person = house.who[role]
        nameless = method in ("correct", "dispute", "pause") and role in (ORGANISER, OPERATOR)
        seat = 0 if nameless else 2 if role == ANOTHER else 1
        if method == "leave" and role in (ORGANISER, SEAT):
            continue  # they would be nobody for what follows; who is somebody may leave, as the person shows
        assert may(link, method, seat, person) == (method in allowed), role


def test_the_documents_table_says_the_same() -> None:
    for name in METHOD_NAMES:
        right: Right = METHODS[name].right
        for role in ROLES:
            told = may_use(right, role)
            if name == "watch":
                assert told in ("yes", "as a spectator")
            elif name not in ("leave", "speak") or role == PERSON:
                assert (told != "–") == (name in SPELLED_OUT[role]), (name, role)


def test_only_the_operator_ends_the_keeper(house: House) -> None:
    for role, (link, _) in house.who.items():
        if role != OPERATOR:
            with pytest.raises(KeeperError, match="operator"):
                link.call("quit")


def test_who_has_no_seat_speaks_in_nobodys_name(house: House) -> None:
    for method in ("correct", "dispute", "pause"):
        assert not may(house.operator, method, 1, "")
    assert not may(house.who[ORGANISER][0], "pause", 1, "")


def test_before_its_hello_nobody_is_answered(house: House) -> None:
    bare = socket.socket(socket.AF_UNIX)
    bare.connect(str(address_of(house.log)))
    for method in METHOD_NAMES:
        if method != "hello":
            bare.sendall(protocol.line_of(protocol.request(1, method, asked(method, 1, "ab" * 8))))
            answer = bare.recv(1 << 16)
            assert b'"say hello first"' in answer, (method, answer)
    bare.close()


def test_a_key_is_of_its_person_and_evening(house: House) -> None:
    stranger = house.stranger()
    mine, other = house.people["Anne"], house.people["Bernard"]
    for person, key in ((mine["person"], other["key"]), (mine["person"], "00" * 16), ("ab" * 8, mine["key"])):
        with pytest.raises(KeeperError, match="this key is unknown"):
            stranger.call("enter", {"evening": 1, "person": person, "key": key})
    with pytest.raises(KeeperError, match="this key is unknown"):
        stranger.call("enter", {"evening": 2, "person": mine["person"], "key": mine["key"]})
    for key in (mine["key"], "00" * 16):
        with pytest.raises(KeeperError, match="this key is unknown"):
            stranger.call("enter", {"evening": 1, "screen": key})
    for missing in ({"person": mine["person"]}, {"key": mine["key"]}, {**mine, "screen": mine["key"]}):
        said = {name: value for name, value in missing.items() if name != "evening"}
        with pytest.raises(KeeperError, match=r"person or key is missing|leave out person and key"):
            stranger.call("enter", {"evening": 1, **said})


def test_a_seat_that_was_given_away_is_gone(house: House) -> None:
    holder, entry = house.stranger(), house.entries[1]
    enter(holder, entry)
    holder.call("watch", {"game": 1, "viewers": [1]})
    told: SimpleQueue[Any] = SimpleQueue()
    holder.listen(1, by_method(lambda method, params: told.put((method, params))))
    house.operator.call("source", {"game": 1, "seat": 1, "source": "screen", "person": "David"})
    assert not may(holder, "reply", 1, "") and may(house.who[PERSON][0], "reply", 1, "")
    while (heard := told.get(timeout=20))[0] == "updates":
        pass
    assert (heard[0], heard[1]["seat"]) == ("taken", 1)
    house.operator.call("source", {"game": 1, "seat": 1, "source": "screen"})
    assert may(holder, "reply", 1, "") and not may(house.who[PERSON][0], "reply", 1, ""), "it is whose it was"


def test_who_holds_another_seat_keeps_it_and_watches_on_for_it(house: House) -> None:
    two = house.stranger()
    for seat in (1, 2):
        enter(two, house.entries[seat])
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    two.listen(1, by_method(lambda method, params: told.put((method, params))))
    two.call("watch", {"game": 1, "viewers": [1, 2, None]})
    hints: SimpleQueue[Any] = SimpleQueue()
    two.send("hint", {"game": 1, "seat": 2}, hints.put)
    name = house.operator.call("list")["games"][0]["seats"][0]["name"]
    house.operator.call("anew", {"evening": 1, "name": name})

    def viewers_after(method: str) -> list[int | None]:
        """Of the first updates after the next message of that kind."""
        while told.get(timeout=10)[0] != method:
            pass
        while (heard := told.get(timeout=10))[0] != "updates":
            pass
        return [update["viewer"] for update in heard[1]["updates"]]

    house.operator.call("pace", {"game": 1, "seconds": 1})
    assert viewers_after("taken") == [2, None]
    assert may(two, "reply", 2, "") and not may(two, "reply", 1, "")
    assert "another device" not in str(hints.get(timeout=10))


def test_a_seat_that_is_taken_while_a_screen_looks_for_another_keeper_does_not_end_the_screen(house: House) -> None:
    first, second = house.stranger(), house.stranger()
    name = house.operator.call("list")["games"][0]["seats"][0]["name"]

    def again() -> Link:
        house.operator.call("anew", {"evening": 1, "name": name})
        return second

    game = GameLink(first, 1, {seat: house.entries[seat] for seat in (1, 2)}, again=again)
    told: SimpleQueue[Any] = SimpleQueue()
    game.watch((1, 2, None), as_json(told.put))
    first.close()
    first.on_lost()
    heard = [told.get(timeout=10) for _ in range(4)]
    assert [each for each in heard if "updates" not in each] == [{"taken": 1}, {"again": True}]
    assert [update["viewer"] for update in heard[-1]["updates"]] == [2, None]
    assert game.why is None
