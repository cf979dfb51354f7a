"""Clients that ask for too much, or read too little: what they send is bounded, and nobody else waits for it."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.heard import as_json, by_method

from kept import kept, linked, opened
from tablier import messages
from tablier.bots import bots
from tablier.keeper import peer, protocol, server
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link
from tablier.keeper.games import Games
from tablier.keeper.methods import decode
from tablier.keeper.protocol import Refusal
from tablier.keeper.server import METHODS
from tablier_fw.version import __version__
from thoughts import BESIDE

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]


@contextmanager
def raw(log: Path) -> Iterator[Any]:
    """A connection that has said hello, as a stream of lines."""
    with closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.settimeout(20)
        connection.connect(str(address_of(log)))
        with connection.makefile("rwb") as stream:
            stream.write(line(1, "hello", protocol.hello(None)))
            stream.flush()
            assert b'"result"' in stream.readline()
            yield stream


def line(id: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    return protocol.line_of(protocol.request(id, method, params or {}))


def refused(method: str, **params: Any) -> str:
    with pytest.raises(Refusal) as told:
        decode(line(1, method, params), METHODS)
    return str(told.value)


def test_requests_wait_while_their_sender_leaves_64_answers_unread() -> None:
    here, there = socket.socketpair()
    with closing(here), closing(there):
        there.sendall(b"\n" * 60_000)
        one, taken = peer.Peer(here), 0
        one.read()
        while one.asks:
            one.next_line()
            one.answer({"id": None})
            taken += 1
        assert taken == 64 and not one.listens
        one.flush(0.0)
        assert one.asks and not one.listens


def test_one_that_reads_slowly_is_stuck_too() -> None:
    here, there = socket.socketpair()
    with closing(here), closing(there):
        one = peer.Peer(here)
        one.answer({"id": 1, "result": "x" * 2_000_000})
        for now in range(4):
            one.flush(float(now))
            assert there.recv(150_000) and not one.is_stuck(now)
        one.flush(4.9)
        assert one.is_stuck(5.0)


def test_how_a_game_stood_at_last_is_sent_before_its_end() -> None:
    here, there = socket.socketpair()
    with closing(here), closing(there), there.makefile("rb") as stream:
        one = peer.Peer(here)
        for game in (1, 2):
            one.update(messages.Updates(game=game, updates=[]))
        one.tell_next(messages.Ended(game=2, why=None, part=False))
        one.flush(0.0)
        told = [json.loads(stream.readline()) for _ in range(3)]
        assert [each["method"] for each in told if each["params"]["game"] == 2] == ["updates", "ended"]


def test_a_flood_of_requests_delays_no_other_connection(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[None] = []

    def lists(games: Games) -> Any:
        threading.Event().wait(0.005)
        listed.append(None)
        return {}

    monkeypatch.setattr(Games, "overview", lists)
    with kept(log), raw(log) as flood, raw(log) as other:
        flood.write(b"".join(line(n, "list") for n in range(2, 1002)))
        flood.flush()
        assert json.loads(flood.readline())["id"] == 2
        other.write(line(2, "table", {"game": 1}))
        other.flush()
        answers: list[bytes] = []
        waiting = threading.Thread(target=lambda: answers.append(other.readline()))
        waiting.start()
        for _ in range(900):  # one that left them unread would be kept waiting
            if answers:
                break
            flood.readline()
        waiting.join()
        assert json.loads(answers[0])["error"]["code"] == protocol.REFUSED
        assert len(listed) < 500


def test_one_that_does_not_say_hello_makes_room_for_others(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HELLO_S", 0.3)
    with kept(log), raw(log) as greeted, closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.settimeout(20)
        connection.connect(str(address_of(log)))
        with connection.makefile("rb") as stream:
            assert json.loads(stream.readline())["error"]["message"] == "say hello within 0.3 s"
            assert stream.readline() == b""
        greeted.write(line(2, "list"))
        greeted.flush()
        assert b'"result"' in greeted.readline()


@pytest.mark.usefixtures("from_nothing")  # the bots below are only here
def test_each_hint_answers_the_request_that_asked_for_it(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    think, hint = BESIDE.Event(), bots.hint

    def slowly(*args: Any) -> Any:
        think.wait(20)
        return hint(*args)

    monkeypatch.setattr(bots, "hint", slowly)
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        game.watch((1, 2), as_json(heard.put))
        (seat,) = heard.get(timeout=20)["updates"][0]["question"]["seats"]
        answers: dict[int, Any] = {}
        came = threading.Condition()

        def take(n: int, answer: Any) -> None:
            with came:
                answers[n] = answer
                came.notify()

        for n in (1, 2, 3):
            link.send("hint", {"game": 1, "seat": seat}, lambda answer, n=n: take(n, answer))  # type: ignore[misc]
        with came:
            assert came.wait_for(lambda: answers, 20)
        assert list(answers) == [2] and answers[2]["result"]["why"], "of those that wait the latest is next"
        think.set()
        with came:
            assert came.wait_for(lambda: len(answers) == 3, 20)
        assert answers[1]["result"]["move"] and answers[3]["result"]["move"]


@pytest.mark.usefixtures("from_nothing")  # the bots below are only here
def test_one_bot_at_a_time_thinks_of_hints_whoever_asks(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait for their turn, but for those that have gone."""
    began, think, hint = BESIDE.Semaphore(0), BESIDE.Event(), bots.hint

    def slowly(*args: Any) -> Any:
        began.release()
        think.wait(20)
        return hint(*args)

    monkeypatch.setattr(bots, "hint", slowly)
    with kept(log), linked(log) as link, ExitStack() as others:
        game = opened(link, "play", game="d21", seats=SEATS)
        heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        game.watch((1, 2), as_json(heard.put))
        (seat,) = heard.get(timeout=20)["updates"][0]["question"]["seats"]
        answers: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        links = [others.enter_context(linked(log, operator=False)) for _ in range(5)]
        for n, other in enumerate(links):
            GameLink(other, 1, {seat: game.keys[seat]})
            other.call("watch", {"game": 1, "viewers": [seat]})
            other.send("hint", {"game": 1, "seat": seat}, lambda answer, n=n: answers.put((n, answer)))  # type: ignore[misc]
        assert began.acquire(timeout=20)
        links[2].close()
        link.call("list")
        assert not began.acquire(False), "one thinks"
        think.set()
        told = dict(answers.get(timeout=20) for _ in range(5))
        assert "error" in told.pop(2) and all(answer["result"]["move"] for answer in told.values())
        assert all(began.acquire(timeout=20) for _ in range(3))
        assert not began.acquire(False), "nobody thinks for whoever has gone"


def test_what_is_too_large_or_not_printable_is_refused_by_its_name() -> None:
    assert refused("tester", game=1, verb="time\nunplug").startswith("verb is 'time\\nunplug'; allowed: 1 to 200 print")
    seats = [{"name": "A\x1b[31m", "source": "screen"}]
    assert refused("play", game="d21", seats=seats).startswith("seats[0].name is ")
    assert refused("next", evening=1, game=5) == "game is 5; allowed: 1 to 200 printable characters or null"
    assert refused("play", game="dilemma", seats=[]) == "seats is empty; allowed: 1 to 6 seats"
    assert len(refused("x" * 60_000)) < 500
    with pytest.raises(Refusal, match="1e999 is too large a number"):
        decode(
            b'{"jsonrpc":"2.0","id":1,"method":"play","params":{"game":"d21","seats":[],"options":{"a":1e999}}}',
            METHODS,
        )


@pytest.mark.parametrize(
    ("version", "stale"),
    [("9.9", f"is {__version__}, older than"), ("0.0.9", "what speaks to it is older"), ("?", "is older")],
)
def test_one_of_another_version_hears_which_side_is_older(log: Path, version: str, stale: str) -> None:
    with kept(log), linked(log) as link, pytest.raises(KeeperError) as told:
        link.call("hello", {"protocol": 1, "version": version})
    assert stale in str(told.value) and told.value.code == protocol.STALE


# -- a simulated table -------------------------------------------------------------------------------------------------


@pytest.fixture
def at_table(log: Path) -> Iterator[tuple[Path, Link]]:
    """A keeper with a game at a simulated table, and the operator's connection to it."""
    seats = [{"name": name, "source": "table", "place": place} for place, name in enumerate("ABC", 1)]
    with kept(log), linked(log) as link:
        link.call("play", {"game": "dilemma", "seats": seats})
        yield log, link


def test_a_verb_that_the_table_answers_later_delays_nobody(at_table: tuple[Path, Link]) -> None:
    path, link = at_table
    until: queue.SimpleQueue[Any] = queue.SimpleQueue()
    link.send("tester", {"game": 1, "verb": "until ring 0 123456 300"}, until.put)
    link.send("tester", {"game": 1, "verb": "time"}, until.put)
    with raw(path) as spectator:
        for n in range(2, 202):
            spectator.write(line(n, "table", {"game": 1}))
        spectator.flush()
        for n in range(2, 202):
            answer = json.loads(spectator.readline())
            assert answer["id"] == n and sorted(answer["result"]["pixels"]) == ["public", "ring"]
    assert until.empty()
    link.call("stop", {"game": 1})
    assert "has ended" in until.get(timeout=20)["error"]["message"]


def test_the_status_of_a_table_is_told(at_table: tuple[Path, Link]) -> None:
    _, link = at_table
    heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
    link.listen(1, by_method(lambda *news: heard.put(news)))
    link.call("watch", {"game": 1, "viewers": [None]})
    method, params = heard.get(timeout=20)
    assert method == "updates", params
    status = link.call("table", {"game": 1})["status"]
    assert len(bytes.fromhex(status["held"])) == 64


def test_verbs_that_take_part_in_the_tables_time_are_refused(at_table: tuple[Path, Link]) -> None:
    for verb in ("join", "wait 99999999999999 - - -", "wake", "opened"):
        with pytest.raises(KeeperError, match="verb is"):
            at_table[1].call("tester", {"game": 1, "verb": verb})
