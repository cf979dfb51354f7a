"""A hostile page and a hostile neighbour: refused with a reason, and nobody else notices."""

from __future__ import annotations

import asyncio
import hashlib
import re
import socket
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from evenings import enter, key_of
from msgspec import Struct
from served import Served, Stream, served

import replies
from kept import kept, opened
from sample import sample
from tablier.keeper.client import Link
from tablier.texts import Json
from tablier.web import doors, history_pages, hub, saying, serving
from tablier.web.doors import BODY_MAX, POLICY, TARGET_MAX
from tablier.web.hosts import Hosts
from tablier.web.link import KeeperLink

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard", "Christine")]


@pytest.fixture(scope="module")
def pages(log: Path) -> Iterator[Served]:
    with kept(log), served(log, hosts=Hosts(("localhost", "tablier.example", "*.games.example"))) as pages:
        yield pages


def raw(pages: Served, text: str, *, timeout: float = 10.0) -> bytes:
    """Return what comes back for these bytes, until the connection ends."""
    with socket.create_connection(("127.0.0.1", pages.port), timeout) as connection:
        connection.sendall(text.encode())
        came = b""
        try:
            while data := connection.recv(65536):
                came += data
        except ConnectionResetError:
            pass
        return came


def asked(pages: Served, *lines: str, first: str = "GET / HTTP/1.1", body: str = "") -> int:
    """Send a request of these headers; return the status."""
    answer = raw(pages, "\r\n".join([first, *lines, "Connection: close", "", ""]) + body)
    return int(answer.split(b" ", 2)[1])


def test_only_this_servers_own_names_are_answered(pages: Served) -> None:
    port = pages.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"tablier.example:{port}"):
        assert asked(pages, f"Host: {host}") == 200, host
    assert asked(pages, f"Host: one.games.example:{port}") == 200
    for host in (
        *(f"games.example:{port}", f"a.one.games.example:{port}", f"[::1]:{port}", f"[::ffff:7f00:2]:{port}"),
        *("evil.example", f"evil.example:{port}", "localhost", f"localhost:{port + 1}", f"127.0.0.2:{port}"),
        *(f"10.0.0.1:{port}", f"127.0.0.1:{port}@evil.example", f"user@127.0.0.1:{port}", f"[::1]:{port}", ""),
    ):
        assert asked(pages, f"Host: {host}") == 421, host
    assert asked(pages) == 400  # HTTP/1.1 names a host


def test_a_page_of_another_origin_neither_asks_nor_listens(pages: Served) -> None:
    own = {"Host": f"127.0.0.1:{pages.port}"}
    with httpx.Client(base_url=pages.address) as stranger:
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{pages.port}", "http://127.0.0.1:1"):
            for method, address in (("POST", "/enter"), ("POST", "/do"), ("GET", "/events"), ("GET", "/log")):
                headers = {**own, "Origin": origin, "Content-Type": "application/json"}
                refused = stranger.request(method, address, headers=headers)
                assert refused.status_code == 403 and "may not ask" in refused.text, (method, address, origin)
        nowhere = stranger.post("/do", json={"method": "stop", "params": {}})
        assert nowhere.status_code == 403 and "Origin" in nowhere.text
        for mode in ("no-cors", "cors", "same-origin"):
            seen = stranger.get("/events", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode})
            assert seen.status_code == 403
        linked_to = stranger.get("/log", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"})
        assert linked_to.status_code == 200  # an address can be shared


def test_every_answer_says_what_a_page_may_load(pages: Served) -> None:
    with pages.browser() as browser:
        for address in ("/", "/log", "/pages/page.css", "/pages/missing.js", "/nothing", "/log/game/99"):
            headers = browser.get(address).headers
            assert headers["content-security-policy"] == POLICY
            assert (headers["referrer-policy"], headers["x-content-type-options"]) == ("no-referrer", "nosniff")
        assert "unsafe" not in POLICY and "*" not in POLICY and "http" not in POLICY
        page = browser.get("/").text
        (within,) = re.findall("<script>(.*?)</script>", page, re.DOTALL)  # the policy names it by what it is
        digest = b64encode(hashlib.sha256(within.encode()).digest()).decode()
        assert f"script-src 'self' 'sha256-{digest}';" in POLICY
        assert " style=" not in page and "<style" not in page
        for name in ("..%2fapp.py", "%2e%2e/app.py", ".hidden", "page.css%00.js", "app.py"):
            assert browser.get(f"/pages/{name}").status_code == 404


def test_what_is_too_large_is_refused(pages: Served) -> None:
    host = f"Host: 127.0.0.1:{pages.port}"
    post = "POST /do HTTP/1.1"
    headers = (host, f"Origin: {pages.address}", "Content-Type: application/json")
    assert asked(pages, *headers, "Content-Length: 1000000", first=post, body="x" * 1000) == 413
    assert asked(pages, *headers, f"Content-Length: {'9' * 5000}", first=post) in (400, 413)
    chunk = f"{BODY_MAX + 1:x}\r\n{'x' * (BODY_MAX + 1)}\r\n0\r\n\r\n"
    assert asked(pages, *headers, "Transfer-Encoding: chunked", first=post, body=chunk) == 413
    assert asked(pages, host, first=f"GET /{'x' * TARGET_MAX} HTTP/1.1") == 414
    assert asked(pages, host, f"X: {'x' * 1_000_000}") in (400, 431)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"[]", 400),
        (b'{"method":"reply"}', 400),
        (b'{"method":"reply","method":"reply","params":{}}', 400),
        (b'{"method":"reply","params":[]}', 400),
        (b'{"method":"reply","params":{},"more":1}', 400),
        (b'{"method":["reply"],"params":{}}', 400),
        (b'{"method":"quit","params":{}}', 403),
        (b"\xff", 400),
        (b"[" * 10000, 400),
    ],
)
def test_a_request_that_is_none_is_refused_with_a_reason(pages: Served, body: bytes, status: int) -> None:
    with pages.browser(**{"content-type": "application/json"}) as browser:
        answer = browser.post("/do", content=body)
        assert answer.status_code == status and answer.json()["error"]
        assert browser.post("/enter", content=body).status_code in (400, 403)


def test_another_ones_key_and_a_reply_said_again_change_nothing(pages: Served, link: Link) -> None:
    begun = [link.call("play", {"game": "dilemma", "seats": SEATS}) for _ in range(2)]
    game, other = (each["game"] for each in begun)
    keys = [key_of(begun[0], seat) for seat in (1, 2)]
    with pages.browser() as one, pages.browser() as two, pages.browser() as viewer, Stream(viewer) as display:
        others = ({"key": keys[1]["key"]}, {"key": key_of(begun[1], 1)["key"]}, {"key": pages.site.browsers.operator})
        for wrong in (*others, {"person": keys[1]["person"]}, {"evening": begun[1]["evening"]}):
            refused = one.post("/enter", json={**keys[0], **wrong})
            assert refused.status_code == 403 and refused.json()["error"]
        assert not one.cookies
        for browser, key in ((one, keys[0]), (two, keys[1])):
            enter(browser, key)
        with Stream(one, "mine") as own:
            question = own.wait(f"{game}-1", lambda state: state["question"])["state"]["question"]["id"]
            reply = replies.play("offer 5", id=question, seat=1)

            def say(browser: httpx.Client, of: int = game) -> tuple[int, str]:
                answer = browser.post("/do", json={"method": "reply", "params": {"game": of, "reply": reply}})
                return answer.status_code, answer.json().get("error", "")

            assert say(two) == (403, "seat is 1, which this connection does not hold")
            assert say(one, other)[0] == 403
            assert say(one) == (200, "")
            display.wait(f"game-{game}", lambda state: state["ply"] == 1)
            for _ in range(3):
                status, why = say(one)
                assert status == 409 and why
        link.call("anew", {"evening": begun[0]["evening"], "name": "Bernard"})
        assert not [line for line in display.raw if keys[0]["key"] in line or keys[1]["key"] in line]
        assert say(two)[0] in (403, 409)  # the key is an old one now
    for number in (game, other):
        link.call("stop", {"game": number})


def test_a_request_on_its_way_when_its_key_is_put_out_is_refused(
    pages: Served, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told that the keeper is gone, where the key was put out and the connection ended before it was sent."""
    begun = link.call("play", {"game": "dilemma", "seats": SEATS})
    call = KeeperLink.call

    async def late(self: KeeperLink, method: str, params: Json | None = None) -> Json:
        if method == "reply":
            await asyncio.to_thread(link.call, "anew", {"evening": begun["evening"], "name": "Anne"})
            while not self.lost.is_set():  # as whenever the keeper says something new
                await pages.site.browsers.connect()
                await asyncio.sleep(0)
        return await call(self, method, params)

    monkeypatch.setattr(KeeperLink, "call", late)
    with pages.browser() as browser:
        enter(browser, key_of(begun, 1))
        params = {"game": begun["game"], "reply": replies.finish(id=1, seat=1)}
        answer = browser.post("/do", json={"method": "reply", "params": params})
    link.call("stop", {"game": begun["game"]})
    assert answer.status_code == 409 and "not in an evening" in answer.json()["error"]


def test_whoever_speaks_slowly_is_not_waited_for(pages: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_FIRST_S", 0.3)
    monkeypatch.setattr(doors, "_BODY_S", 0.3)
    for begun in ("", "GET / HT", "GET / HTTP/1.1\r\nHost: "):
        assert raw(pages, begun) == b""  # it is closed
    head = f"Host: 127.0.0.1:{pages.port}\r\nOrigin: {pages.address}\r\nContent-Type: application/json"
    answer = raw(pages, f"POST /do HTTP/1.1\r\n{head}\r\nContent-Length: 100\r\nConnection: close\r\n\r\n{{")
    assert answer.startswith(b"HTTP/1.1 408 ") and b"did not come within 0.3 s" in answer


def test_five_hundred_connections_make_room_for_one_that_asks(pages: Served, link: Link) -> None:
    with ExitStack() as stack, pages.browser() as viewer, Stream(viewer) as stream:
        game = opened(link, "play", game="dilemma", seats=SEATS)
        game.watch([1], lambda message: None)
        state = stream.wait(f"game-{game.game}", lambda state: state["question"])["state"]
        for _ in range(500):
            stack.enter_context(socket.create_connection(("127.0.0.1", pages.port), 10))
        with pages.browser() as newcomer:
            assert newcomer.get("/").status_code == 200
        game.reply(replies.play("offer 5", id=state["question"]["id"], seat=1))
        assert stream.wait(f"game-{game.game}", lambda state: state["ply"] == 1)
        assert len(pages.server.server_state.connections) <= serving.CONNECTIONS
        game.stop()


class Much(Struct):
    """A state that is long."""

    said: int
    much: str


def test_one_that_does_not_read_is_closed_and_holds_nobody_up(pages: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_SLOW_S", 0.5)
    channel = pages.site.hub.channel("public", "much")
    with pages.browser() as viewer, Stream(viewer) as stream, socket.socket() as lazy:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lazy.connect(("127.0.0.1", pages.port))
        lazy.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{pages.port}\r\n\r\n".encode())
        own = lazy.getsockname()
        connections: set[Any] = pages.server.server_state.connections
        until, said = time.monotonic() + 30, 0
        while said < 20 or any(each.client == own for each in list(connections)):
            assert time.monotonic() < until
            said += 1
            pages.loop.call_soon_threadsafe(channel.put, partial(Much, said, "x" * 50_000))
            stream.wait("much", lambda state, said=said: state["said"] == said)  # whoever reads gets each state
        while len([outlet for outlet in list(pages.site.hub.outlets) if channel in outlet._had]) > 1:
            assert time.monotonic() < until
            time.sleep(0.05)
        pages.loop.call_soon_threadsafe(channel.put, None)


def test_the_end_waits_for_nobody_who_does_not_read(log: Path, pages: Served) -> None:
    with socket.socket() as lazy, served(log) as others:
        lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        lazy.connect(("127.0.0.1", others.port))
        lazy.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{others.port}\r\n\r\n".encode())
        until, said = time.monotonic() + 20, 0
        channel, connections = others.site.hub.channel("public", "much"), others.server.server_state.connections
        while not any(each.transport.get_write_buffer_size() for each in list(connections)):
            assert time.monotonic() < until
            said += 1
            others.loop.call_soon_threadsafe(channel.put, partial(Much, said, "x" * 20_000))
            time.sleep(0.005)
        (left,) = connections
    assert left.transport.get_write_buffer_size() == 0  # it is closed


def test_the_tabs_of_one_browser_have_few_streams(pages: Served) -> None:
    with ExitStack() as stack, pages.browser() as browser:
        browser.get("/events", params={"topics": "nothing"})
        browser.cookies.set(pages.site.cookies.name, "0" * 32)
        streams = [stack.enter_context(Stream(browser)) for _ in range(8)]
        streams[-1].next()
        (browser_id,) = {pages.site.cookies.read(f"{name}={value}").id for name, value in browser.cookies.items()}
        own = [outlet for outlet in pages.site.hub.outlets if outlet.browser == browser_id]
        assert len(own) <= 3


def test_a_neighbour_who_asks_too_often_waits(log: Path, pages: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "BURST", 20)
    monkeypatch.setattr(doors, "RATE", 2)
    with served(log) as others, others.browser() as browser:  # a server of its own: here all tests are one neighbour
        statuses = [browser.get("/pages/icon.svg").status_code for _ in range(60)]
        assert set(statuses) == {200, 429} and statuses[:10] == [200] * 10
        until = time.monotonic() + 20
        while browser.get("/pages/icon.svg").status_code == 429:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_keys_that_are_none_cost_the_keeper_no_connection(pages: Served, link: Link) -> None:
    begun = link.call("play", {"game": "d21", "seats": SEATS[:2]})
    game = begun["game"]
    with pages.browser() as viewer, Stream(viewer) as stream:
        stream.wait("list", lambda state: state["games"])

        def connected() -> int:
            return sum(each.connected for each in pages.site.browsers._visits.values())

        before = connected()
        for n in range(20):
            with pages.browser() as stranger:
                key = {"evening": begun["evening"], "person": f"{n:016x}", "key": f"{n:032x}"}
                stranger.cookies.set(pages.site.cookies.name, f"{n:032x}.{key['evening']}-{n:016x}-{n:032x}")
                with Stream(stranger, "mine"):
                    pass
                assert stranger.post("/enter", json=key).status_code == 403
        assert connected() <= before  # a browser of before may just have been let go of
    link.call("stop", {"game": game})


def test_one_client_shuts_nobody_out_of_the_streams(pages: Served, link: Link) -> None:
    with ExitStack() as stack, pages.browser() as operator:
        operator.post("/enter", json={"operator": pages.site.browsers.operator})
        own = stack.enter_context(Stream(operator))
        own.wait("list")
        for _ in range(hub.STREAMS + 20):
            _say(stack, pages, "GET /events HTTP/1.1", source="127.0.0.2")
        with pages.browser() as newcomer, Stream(newcomer) as stream:  # of another address
            stream.wait("list")
            game = opened(link, "play", game="dilemma", seats=SEATS)
            game.watch([1], lambda message: None)
            for each in (own, stream):  # neither is ended for the other's sake
                each.wait(f"game-{game.game}")
            game.stop()
        with Stream(operator) as second:
            second.wait("list")
        assert len(pages.site.hub.outlets) <= hub.STREAMS


def test_one_client_with_slow_bodies_fails_nobody_else_s_requests(pages: Served) -> None:
    slow = (f"Origin: {pages.address}", "Content-Type: application/json", "Content-Length: 100")
    with ExitStack() as stack, pages.browser() as keeps:
        assert keeps.get("/").status_code == 200
        for _ in range(serving.CONNECTIONS + 40):
            _say(stack, pages, "POST /do HTTP/1.1", *slow)
        statuses = []
        for _ in range(10):
            with pages.browser() as newcomer:  # of the same address
                statuses.append(newcomer.get("/").status_code)
        assert statuses == [200] * 10 and keeps.get("/").status_code == 200
        assert len(pages.server.server_state.connections) <= serving.CONNECTIONS


def test_one_client_that_reads_nothing_fails_nobody_else_s_requests(pages: Served) -> None:
    with ExitStack() as stack:
        asked = f"GET /pages/page.css HTTP/1.1\r\nHost: 127.0.0.1:{pages.port}\r\n\r\n"
        for _ in range(serving.CONNECTIONS):
            lazy = stack.enter_context(socket.socket())
            lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            lazy.bind(("127.0.0.2", 0))
            lazy.connect(("127.0.0.1", pages.port))
            lazy.sendall(asked.encode() * 40)
        with pages.browser() as newcomer:
            assert newcomer.get("/").status_code == 200


def _say(stack: ExitStack, pages: Served, first: str, *lines: str, source: str = "127.0.0.1") -> None:
    """Begin a request that stays open until the end of the block."""
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", pages.port), 10, (source, 0)))
    connection.sendall("\r\n".join([first, f"Host: 127.0.0.1:{pages.port}", *lines, "", ""]).encode())


def test_whoever_has_a_right_has_room_of_its_own(
    log: Path, pages: Served, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = link.call("play", {"game": "dilemma", "seats": SEATS})
    monkeypatch.setattr(doors, "BURST", 20)
    monkeypatch.setattr(doors, "RATE", 0.01)
    with served(log) as others, ExitStack() as stack:
        stranger, operator, player = (stack.enter_context(others.browser()) for _ in range(3))
        operator.post("/enter", json={"operator": others.site.browsers.operator})
        enter(player, key_of(begun, 1))
        with Stream(player, "mine") as stream:
            stream.wait(f"{begun['game']}-1")
            while stranger.get("/").status_code != 429:
                pass
            assert operator.get("/").status_code == player.get("/").status_code == 200
        stranger.cookies.set(pages.site.cookies.name, f"{'0' * 32}.op-{'0' * 32}")
        assert stranger.get("/").status_code == 429
        stranger.cookies.set(pages.site.cookies.name, f"{'0' * 32}.{begun['evening']}-{'0' * 16}-{'0' * 32}")
        assert stranger.get("/").status_code == 429
    link.call("stop", {"game": begun["game"]})


def test_later_requests_of_a_connection_do_not_wait_for_acknowledgements(pages: Served) -> None:
    with pages.browser() as browser:
        browser.get("/pages/page.css")
        took = []
        for _ in range(15):
            begun = time.monotonic()
            browser.get("/pages/page.css")
            took.append(time.monotonic() - begun)
    assert min(took) < 0.02  # each takes 40 ms where Nagle's algorithm meets delayed acknowledgements


ODD = (
    *("0", "1", "2", "99", "9" * 20, "9" * 1500, "-1", "1.5", "²", "١", "%00", "%ff", "..", "%2e%2e%2f", "a" * 300),
    *("é" * 200, "<b>", "'", "%0d%0a", "9999-12", "0000-00", "dilemma", "best", "table", "public,,"),
)
PATHS = (
    *("/", "/seat", "/table", "/log", "/log/verify", "/archive", "/rules", "/events/{}", "/pages/{}", "/{}"),
    *("/log/{}", "/log/evening/{}", "/log/evening/{}/page", "/log/game/{}", "/log/game/{}/board"),
    "/log/game/{}/record",
)
QUERIES = ("seat", "move", "before", "game", "source", "ask", "club", "since", "until", "topics", "other")
BODIES = ("method", "params", "as", "operator", "game", "seat", "key", "code", "verb", "line", "lean")
VALUES: tuple[Any, ...] = (
    *(None, 0, 2, -1, 10**30, 1.5, "", "1", "a" * 300, [], {}, [1], {"a": 1}, True),
    *("0" * 32, "dilemma", "\x00"),
)


def test_no_request_fails_whatever_it_asks_for(
    pages: Served, link: Link, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doors.Rate, "take", lambda self, client, now: True)
    struggle = link.call("play", {"game": "struggle", "seats": SEATS})["game"]  # it has not begun
    chance, count = Random(1), sample(30, 5000)
    with pages.browser() as browser:
        browser.post("/enter", json={"operator": pages.site.browsers.operator})
        answers = [browser.get(f"/log/game/{struggle}/{page}") for page in ("", "board", "record")]
        for _ in range(count):
            path = chance.choice(PATHS).format(chance.choice(ODD))
            query = "&".join(f"{chance.choice(QUERIES)}={chance.choice(ODD)}" for _ in range(chance.randrange(3)))
            if not path.startswith("/events?"):
                answers.append(browser.request(chance.choice(("GET", "HEAD", "PUT")), f"{path}?{query}"))
        for _ in range(count):
            body = {chance.choice(BODIES): chance.choice(VALUES) for _ in range(chance.randrange(5))}
            answers.append(browser.post(chance.choice(("/do", "/enter", "/join", "/code", "/table")), json=body))
    for answer in answers:
        assert answer.status_code < 500, (answer.request.method, answer.request.url, answer.text)
        assert answer.headers["content-security-policy"] == POLICY
    link.call("stop", {"game": struggle})
    for first in ("GET /", "nonsense", "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade"):
        raw(pages, f"{first}\r\nHost: 127.0.0.1:{pages.port}\r\n\r\n\x00\r\n\r\n")
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("digits", (9, 19, 20, 1500))
def test_a_number_that_no_log_reaches_is_not_there(pages: Served, digits: int) -> None:
    for what in ("evening", "game"):
        with pages.browser() as browser:
            assert browser.get(f"/log/{what}/{'9' * digits}").status_code == 404


def test_a_failure_has_headers_and_is_reported_once(
    pages: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*asked: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(history_pages, "queries", fail)
    with pages.browser() as browser:
        for _ in range(5):
            answer = browser.get("/log")
            assert answer.status_code == 500 and answer.headers["content-security-policy"] == POLICY
            assert "standard error" in answer.text
    assert capfd.readouterr().err.count("RuntimeError: broken") == 1


def test_a_drawing_that_fails_takes_no_page_away(pages: Served, link: Link, monkeypatch: pytest.MonkeyPatch) -> None:
    with pages.browser() as viewer, Stream(viewer) as stream:
        stream.wait("list")
        with monkeypatch.context() as patch:
            patch.setattr(saying, "_state", lambda update: 1 / 0)
            game = opened(link, "play", game="d21", seats=SEATS[:2])
            game.watch([1], lambda message: None)
            stream.wait("list", lambda state: game.game in [each["game"] for each in state["games"]])
        game.stop()
        other = opened(link, "play", game="dilemma", seats=SEATS)
        other.watch([1], lambda message: None)
        stream.wait(f"game-{other.game}", lambda state: state["question"])
        other.stop()
