"""Who may do what at a keeper: every method by everybody, and the document's table of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from msgspec import structs
from tests.heard import as_json, by_method
from tests.keeper_tables import allows

from kept import kept, linked
from tablier.keeper import protocol
from tablier.keeper.access import OPERATOR, PLAYER, SEAT
from tablier.keeper.client import GameLink, KeeperError, Link
from tablier.keeper.server import METHODS

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[tuple[Link, Link, dict[str, str]]]:
    """The operator of a game of Dilemma at three screens, a stranger, and the keys of the seats."""
    log = tmp_path / "log.db"
    with kept(log), linked(log) as operator, linked(log, operator=False) as stranger:
        keys = operator.call("play", {"game": "dilemma", "seats": SEATS})["keys"]
        operator.call("watch", {"game": 1, "viewers": [None]})
        yield operator, stranger, keys


def asked(method: str, seat: int, other: str) -> dict[str, Any]:
    """Parameters with which a method can be carried out, or is refused by the game alone."""
    params: dict[str, Any] = {
        "hello": protocol.hello(None),
        "play": {"game": "nothing", "seats": SEATS},
        "resume": {"game": 99},
        "sit": {"game": 1, "seat": 2, "key": other},
        "reply": {"game": 1, "reply": {"event": "done", "id": 1, "seat": seat}},
        "evening": {"table": {"port": "nowhere", "virtual": True}},
        "series": {"evening": 99, "games": ["d21"], "count": 1},
        "stop": {"game": 99},
    }
    usual: dict[str, Any] = {"game": 1, "seat": seat, "viewers": [seat], "evening": 99, "table": "simulated"}
    usual |= {"source": "screen", "verb": "time"}
    usual |= {"person": "ab" * 8, "code": "WXYZ"}
    by_type = {"int": 1, "str": "no", "bool": False, "float": 2.0}
    fields = [each for each in structs.fields(METHODS[method].params) if each.required]
    default = {each.name: usual.get(each.name, by_type.get(_plain(each.type))) for each in fields}
    found: dict[str, Any] = params.get(method, default)
    return found


def _plain(kind: Any) -> str:
    """Return the name of the type of which a declaration says more."""
    return str(getattr(getattr(kind, "__origin__", kind), "__name__", ""))


def may(link: Link, method: str, seat: int, other: str) -> bool:
    """Whether a connection has the right to a method, whatever the game says to it."""
    try:
        link.call(method, asked(method, seat, other))
    except KeeperError as error:
        return error.code != protocol.FORBIDDEN
    return True


NAMES = [name for name in METHODS if name not in ("quit", "hint")]


def allowed(method: str, *roles: str) -> bool:
    return allows(METHODS[method].right, *roles)


@pytest.mark.parametrize("method", NAMES)
def test_each_method_by_everybody(keeper: tuple[Link, Link, dict[str, str]], method: str) -> None:
    operator, stranger, keys = keeper
    assert may(stranger, method, 1, keys["2"]) == allowed(method), "a stranger"
    stranger.call("sit", {"game": 1, "seat": 1, "key": keys["1"]})
    assert may(stranger, method, 2, keys["2"]) == (allowed(method, PLAYER) or method == "sit"), "another seat"
    if method not in ("sit", "rise"):
        assert may(stranger, method, 1, keys["2"]) == allowed(method, PLAYER, SEAT), "the seat"
    own = OPERATOR in METHODS[method].right.roles or allowed(method)
    assert may(operator, method, 0 if method in ("correct", "dispute", "pause") else 1, keys["2"]) == own, (
        "the operator"
    )


def test_who_has_no_seat_and_no_token_only_looks_and_sits_down() -> None:
    """Spelled out here: the tests above take the rights from where the methods are declared."""
    assert {method for method in METHODS if allowed(method)} == {
        *("again", "ask_screen", "enter", "follow", "hello", "join", "known", "list", "ping", "sit", "table"),
    }
    assert {method for method in METHODS if allowed(method, PLAYER) and not allowed(method)} == {
        "hurry",
        "pace",
        "wait",
    }


def test_the_operator_corrects_in_nobodys_name(keeper: tuple[Link, Link, dict[str, str]]) -> None:
    operator, _, keys = keeper
    assert not may(operator, "correct", 1, keys["2"])


def test_before_its_hello_nobody_is_answered(tmp_path: Path, keeper: tuple[Link, Link, dict[str, str]]) -> None:
    import socket

    from tablier.keeper.address import address_of

    bare = socket.socket(socket.AF_UNIX)
    bare.connect(str(address_of(tmp_path / "log.db")))
    for method in NAMES:
        if method != "hello":
            bare.sendall(protocol.line_of(protocol.request(1, method, asked(method, 1, "ab" * 16))))
            answer = bare.recv(1 << 16)
            assert b'"say hello first"' in answer, (method, answer)
    bare.close()


def test_a_key_is_needed_and_is_of_its_seat(keeper: tuple[Link, Link, dict[str, str]]) -> None:
    _, stranger, keys = keeper
    for seat, key in ((1, keys["2"]), (2, "00" * 16), (3, keys["3"][:-1] + "0" * (keys["3"][-1] != "0") or "1")):
        if key != keys[str(seat)]:
            with pytest.raises(KeeperError, match="key"):
                stranger.call("sit", {"game": 1, "seat": seat, "key": key})


def test_a_seat_that_was_given_away_is_gone(keeper: tuple[Link, Link, dict[str, str]]) -> None:
    operator, stranger, keys = keeper
    stranger.call("sit", {"game": 1, "seat": 1, "key": keys["1"]})
    stranger.call("watch", {"game": 1, "viewers": [1]})
    told: list[Any] = []
    stranger.listen(1, by_method(lambda method, params: told.append((method, params))))
    new = operator.call("source", {"game": 1, "seat": 1, "source": "screen"})["key"]
    assert not may(stranger, "reply", 1, "")
    assert [(method, params["seat"]) for method, params in told if method != "updates"] == [("taken", 1)]
    with pytest.raises(KeeperError, match="key"):
        stranger.call("sit", {"game": 1, "seat": 1, "key": keys["1"]})
    stranger.call("sit", {"game": 1, "seat": 1, "key": new})


def test_who_holds_another_seat_keeps_it_and_watches_on_for_it(keeper: tuple[Link, Link, dict[str, str]]) -> None:
    operator, two, keys = keeper
    for seat in (1, 2):
        two.call("sit", {"game": 1, "seat": seat, "key": keys[str(seat)]})
    told: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    two.listen(1, by_method(lambda method, params: told.put((method, params))))
    two.call("watch", {"game": 1, "viewers": [1, 2, None]})
    hints: SimpleQueue[Any] = SimpleQueue()
    two.send("hint", {"game": 1, "seat": 2}, hints.put)
    operator.call("source", {"game": 1, "seat": 1, "source": "screen"})

    def viewers_after(method: str) -> list[int | None]:
        """Of the first updates after the next message of that kind."""
        while told.get(timeout=10)[0] != method:
            pass
        while (heard := told.get(timeout=10))[0] != "updates":
            pass
        return [update["viewer"] for update in heard[1]["updates"]]

    operator.call("pace", {"game": 1, "seconds": 1})
    assert viewers_after("taken") == [2, None]
    assert may(two, "reply", 2, "") and not may(two, "reply", 1, "")
    assert "has the seat now" not in str(hints.get(timeout=10))


def test_a_seat_that_is_taken_while_a_screen_looks_for_another_keeper_does_not_end_the_screen(
    tmp_path: Path, keeper: tuple[Link, Link, dict[str, str]]
) -> None:
    operator, first, keys = keeper
    with linked(tmp_path / "log.db", operator=False) as second:

        def again() -> Link:
            operator.call("source", {"game": 1, "seat": 1, "source": "screen"})
            return second

        game = GameLink(first, 1, {1: keys["1"], 2: keys["2"]}, again=again)
        told: SimpleQueue[Any] = SimpleQueue()
        game.watch((1, 2, None), as_json(told.put))
        first.close()
        first.on_lost()
        heard = [told.get(timeout=10) for _ in range(4)]
        assert [each for each in heard if "updates" not in each] == [{"taken": 1}, {"again": True}]
        assert [update["viewer"] for update in heard[-1]["updates"]] == [2, None]
        assert game.why is None
