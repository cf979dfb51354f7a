"""Clients that come and go, do not read, or say anything: a keeper and its games go on."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec import convert
from tests.heard import an_update, by_method

import replies
from keeper.seen import Seen
from kept import kept, linked, opened
from sample import sample
from tablier import messages
from tablier.cli.main import main
from tablier.judge.audit import audit
from tablier.keeper import peer, protocol, server
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.methods import decode
from tablier.keeper.server import METHODS
from tablier.keeper.starting import find, join, rejoin
from tablier.log.store import Log
from tablier.messages import Opened
from tablier.simulation.simulated import SimulatedTable
from tablier.texts import Text

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("half \ud800"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def raw(log: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(address_of(log)))
    connection.settimeout(20)
    return connection


def hello(connection: socket.socket) -> None:
    connection.sendall(protocol.line_of(protocol.request(1, "hello", protocol.hello(None))))
    assert b"result" in connection.recv(1 << 16)


def plays(seen: Seen, seat: int) -> None:
    """Play the first move that a seat has, and wait until it is shown."""
    update = next(each for each in seen.updates if each["viewer"] == seat)
    move = update["question"]["mine"]["moves"][0]
    seen.game.reply(replies.play(move, id=update["question"]["id"], seat=seat))
    seen.wait(lambda messages: any(up["ply"] > update["ply"] for m in messages for up in m.get("updates", ())))


# -- anything --------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=sample(10, 2000))
@given(st.lists(st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=60)), max_size=6))
@example([b'{"": "\\n"}'])
@example([b'{"a\\nb": 1}'])
def test_whatever_a_line_holds_it_is_a_request_or_a_refusal(lines: list[bytes]) -> None:
    for line in lines:
        try:
            decode(line.replace(b"\n", b" "), METHODS)
        except protocol.Refusal as error:
            told = protocol.line_of(protocol.refusal(error))
            assert "\n" not in str(error) and len(told) < 2000


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Link]]:
    path = tmp_path_factory.mktemp("keeper") / "log.db"
    with kept(path), linked(path) as link:
        opened(link, "play", game="d21", seats=SEATS).watch((1, 2), lambda message: None)
        yield path, link


@settings(deadline=None, max_examples=sample(10, 2000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from([name for name in METHODS if name not in ("hello", "list", "table")]),
    params=st.dictionaries(
        st.sampled_from(["game", "seat", "key", "reply", "viewers", "move", "verb", "count", "seats"]),
        st.one_of(JSON, st.integers(0, 3), st.just(replies.finish(id=1, seat=1))),
        max_size=5,
    ),
)
def test_a_stranger_harms_no_game(running: tuple[Path, Link], method: str, params: dict[str, Any]) -> None:
    path, link = running
    with closing(raw(path)) as connection:
        hello(connection)
        body = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}
        connection.sendall(json.dumps(body).encode() + b"\n")
        answer = json.loads(connection.makefile("rb").readline())
        if method == "ask_screen" and "result" in answer:  # a stranger's screen may ask to be let in
            assert answer["result"].keys() == {"evening", "wish"}
        elif method != "watch":
            assert "error" in answer or answer.get("result") == {}
    assert [game["game"] for game in link.call("list")["games"]] == [1]
    with Log.read(path) as log:
        assert log.moves(1) == []


def test_an_unended_line_ends_its_connection_at_64_kb(log: Path) -> None:
    with kept(log), closing(raw(log)) as connection:
        hello(connection)
        with pytest.raises((BrokenPipeError, ConnectionResetError, AssertionError)):
            for _ in range(64):
                connection.sendall(b"x" * 4096)
            assert b"65536 bytes" not in connection.makefile("rb").readline()
        with linked(log) as link:
            assert link.call("list")["games"] == []


def test_connections_are_capped_with_a_text_and_the_operator_has_room(log: Path) -> None:
    with kept(log), ExitStack() as stack:
        for _ in range(server.CONNECTIONS - server.OPERATORS):
            hello(stack.enter_context(closing(raw(log))))
        with pytest.raises(KeeperError, match="close one"), linked(log, operator=False):
            pass
        for _ in range(server.OPERATORS):
            assert stack.enter_context(linked(log)).call("list")["games"] == []
        with pytest.raises(KeeperError, match="close one"), linked(log):
            pass


def test_silent_connections_shut_nobody_out(log: Path) -> None:
    with kept(log), ExitStack() as stack:
        many = [stack.enter_context(closing(raw(log))) for _ in range(300)]
        with linked(log) as link, linked(log, operator=False) as spectator:
            assert link.call("list")["games"] == spectator.call("list")["games"] == []
        said = many[0].recv(1 << 16)  # it was there first, and has said nothing
        assert b"say hello" in said and many[0].recv(1) == b""


# -- slow, and gone --------------------------------------------------------------------------------------------------


def test_one_that_does_not_read_delays_nobody_and_is_closed(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "PATIENCE_S", 1.0)
    with kept(log), linked(log) as link, closing(raw(log)) as deaf:
        game = opened(link, "play", game="d21", seats=SEATS, table={"pace_s": 0})
        seen = Seen(game, 1, 2)
        hello(deaf)
        deaf.sendall(protocol.line_of(protocol.request(2, "watch", {"game": 1, "viewers": [None]})))
        many = b"".join(protocol.line_of(protocol.request(n, "list", {})) for n in range(3, 3000))
        deaf.setblocking(False)
        ends = time.monotonic() + 20
        played = False
        try:
            while time.monotonic() < ends:
                if select.select([], [deaf], [], 0.3)[1]:
                    deaf.send(many)
                elif not played:  # it is not read from any more, since it does not read
                    plays(seen, seen.latest["question"]["seats"][0])
                    played = True
            raise AssertionError("it was not closed")
        except ConnectionError:
            assert played


def test_a_hundred_that_vanish_in_mid_line(log: Path) -> None:
    with kept(log), linked(log) as link:
        seen = Seen(opened(link, "play", game="d21", seats=SEATS), 1, 2)
        for _ in range(100):
            with closing(raw(log)) as connection:
                connection.sendall(b'{"jsonrpc":"2.0","id":1,"met')
        plays(seen, seen.latest["question"]["seats"][0])


def test_news_that_were_not_sent_come_with_the_next_update() -> None:
    here, there = socket.socketpair()
    one = peer.Peer(here)
    for n in (1, 2, 3):
        news = [messages.News(n=n, kind="said", text=Text("said"), turn=None)]
        update = an_update(game=7, ply=n, news=news)
        one.update(messages.Updates(game=7, updates=[update]))
    one.flush(0.0)
    told = json.loads(there.recv(1 << 16))["params"]
    (update,) = told["updates"]
    assert told["game"] == 7 and update["ply"] == 3 and [each["n"] for each in update["news"]] == [1, 2, 3]
    here.close()
    there.close()


# -- screens, attached twice, killed, back -----------------------------------------------------------------------------


def test_two_screens_of_a_seat_see_the_same_and_a_third_watches(log: Path) -> None:
    with kept(log), linked(log) as link, linked(log, operator=False) as other, linked(log, operator=False) as third:
        game = opened(link, "play", game="d21", seats=SEATS)
        first, second = Seen(game, 1), Seen(GameLink(other, 1, game.keys), 1)
        spectator = Seen(GameLink(third, 1))
        seat = first.latest["question"]["seats"][0]
        if seat == 1:
            plays(second, 1)
            first.wait(lambda messages: messages[-1]["updates"][0]["ply"] == second.latest["ply"])
        assert "mine" not in spectator.latest["question"]


def test_a_screen_that_is_gone_comes_back_with_its_key(log: Path) -> None:
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        Seen(game, 1, 2)
        with linked(log, operator=False) as gone:
            Seen(GameLink(gone, 1, game.keys), 1, 2)
        with linked(log, operator=False) as back:
            seen = Seen(GameLink(back, 1, game.keys), 1, 2)
            plays(seen, seen.latest["question"]["seats"][0])


# -- starting, ending ------------------------------------------------------------------------------------------------

PLAY = [sys.executable, "-m", "tablier.cli.main", "play", "d21", "--seat", "A=greedy", "--seat", "B=random"]


def test_several_at_once_leave_one_keeper_and_each_its_game(log: Path) -> None:
    count = sample(3, 10)
    programs = [
        subprocess.Popen([*PLAY, "--log", str(log)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    for program in programs:
        out, err = program.communicate(timeout=120)
        assert (program.returncode, err) == (0, "") and "D.21 is over" in out
    assert find(log) is None
    with Log.read(log) as read:
        assert len(read.games()) == count and all(info.ended for info in read.games())
        assert audit(read.entries()).games == count


def test_a_keeper_that_is_killed_is_started_again_and_the_game_goes_on(log: Path) -> None:
    first = join(log)
    game = opened(first, "play", game="d21", seats=SEATS)
    seen = Seen(game, 1, 2)
    plays(seen, seen.latest["question"]["seats"][0])
    ply = seen.latest["ply"]
    os.kill(first.keeper["pid"], signal.SIGKILL)
    seen.game.link._reader.join(20)
    first.close()
    again = join(log)
    assert again.keeper["pid"] != first.keeper["pid"]
    later = opened(again, "resume", game=1)
    assert later.keys == game.keys, "whoever holds a key goes on with it"
    back = Seen(later, 1, 2)
    assert back.wait(lambda messages: messages and messages[-1]["updates"][0]["question"]) and back.latest["ply"] == ply
    later.stop()
    again.close()


def test_who_watches_again_is_told_only_what_it_does_not_know(log: Path) -> None:
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        seen = Seen(game, 1, 2)
        for _ in range(3):
            plays(seen, seen.latest["question"]["seats"][0])
        heard = [each for message in seen.messages for update in message["updates"][:1] for each in update["news"]]
        last = heard[-1]["n"]
        for since, told in ((0, last), (last - 1, 1), (last, 0), (last + 5, 0)):
            count = len(seen.messages)
            link.call("watch", {"game": 1, "viewers": [1, 2], "since": [since, last]})
            first, second = seen.wait(itemgetter(slice(count, None)))[0]["updates"]
            assert [news["n"] for news in first["news"]] == list(range(last - told + 1, last + 1))
            assert second["news"] == []
        plays(seen, seen.latest["question"]["seats"][0])
        assert any(news["n"] == last + 1 for news in seen.latest["news"]), (
            "who knew of too many misses none that follow"
        )
        refused: tuple[tuple[list[Any], str], ...] = (
            ([1], "since has 1"),
            ([-1, 0], r"since\[0\]"),
            ([], "since"),
            (["1", 0], r"since\[0\]"),
        )
        for wrong, field in refused:
            with pytest.raises(KeeperError, match=field):
                link.call("watch", {"game": 1, "viewers": [1, 2], "since": wrong})


def test_one_of_another_version_says_so_and_how_to_end_it(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with kept(log):
        monkeypatch.setattr(protocol, "hello", lambda token: {"protocol": 1, "version": "9.9", "token": token})
        with pytest.raises(KeeperError, match=r"process \d+\) is .*, older than what speaks to it: 9\.9") as told:
            find(log)
        assert told.value.code == protocol.STALE and "tablier keeper --end" in str(told.value)
        assert main(["keeper", "--end", "--log", str(log)]) == 0
        monkeypatch.undo()
        assert find(log) is None


def test_a_screen_goes_on_when_its_keeper_is_killed(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``tablier play`` does: it starts another, whose game is the same one."""
    first = join(log)
    opening = first.call("play", {"game": "d21", "seats": SEATS})

    asked: list[Any] = []

    def again() -> Link:
        new = join(log)
        call = new.call

        def noted(method: str, params: Any = None) -> Any:
            asked.append(params)
            return call(method, params)

        monkeypatch.setattr(new, "call", noted)
        new.call("resume", {"game": 1})
        return new

    game = GameLink(first, 1, entries_of(convert(opening, Opened)), again=again)
    seen = Seen(game, 1, 2)
    plays(seen, seen.latest["question"]["seats"][0])
    ply, heard = seen.latest["ply"], len(seen.messages)
    last = [max(news["n"] or 0 for message in seen.messages for news in message["updates"][n]["news"]) for n in (0, 1)]
    os.kill(first.keeper["pid"], signal.SIGKILL)
    seen.wait(lambda messages: messages[heard:] and messages[-1].get("updates", [{}])[0].get("question"))
    assert seen.latest["ply"] == ply and game.why is None
    assert asked[-1] == {"game": 1, "viewers": [1, 2], "since": last}
    plays(seen, seen.latest["question"]["seats"][0])
    for viewer in (1, 2):
        updates = [each for message in seen.messages for each in message.get("updates", ()) if each["viewer"] == viewer]
        numbers = [news["n"] for update in updates for news in update["news"] if news["n"]]
        assert numbers == list(range(1, len(numbers) + 1)) != [], "nothing is told twice, and nothing is missed"
    game.stop()
    game.link.close()
    with Log.read(log) as read:
        assert audit(read.entries()).games == 1


@pytest.mark.parametrize("own", sample([True], [False, True]), ids=lambda own: "of-the-keeper" if own else "at-a-port")
def test_a_game_in_virtual_time_plays_on_in_it_when_its_keeper_is_killed(log: Path, own: bool) -> None:
    crowd = [
        {"name": name, "source": "table", "place": at, "simulated": "greedy"} for at, name in enumerate(("A", "B"), 1)
    ]
    with SimulatedTable(virtual=True) as table:
        first = join(log)
        asked = {"port": "simulated" if own else table.first_port, "virtual": True, "quiet_s": 1.5, "pace_s": None}
        opening = first.call("play", {"game": "d21", "options": {"max_plies": 8}, "seats": crowd, "table": asked})
        times = opening["times"]
        assert times == {key: asked[key] for key in ("virtual", "quiet_s", "pace_s")}
        assert first.call("list")["games"][0]["times"] == times
        game = GameLink(first, 1, again=partial(rejoin, log, 1, times), times=times)
        seen = Seen(game)
        seen.wait(lambda messages: any(up["ply"] for each in messages for up in each.get("updates", ())))
        os.kill(first.keeper["pid"], signal.SIGKILL)
        seen.wait(lambda messages: {"again": True} in messages)
        (listed,) = game.link.call("list")["games"]
        assert listed["times"] == times
        seen.wait(lambda messages: any(up["over"] for each in messages for up in each.get("updates", ())), 60)
        assert game.why is None
        game.stop()
        game.link.close()
    with Log.read(log) as read:
        assert read.game(1).ended and audit(read.entries()).games == 1


def test_bots_keep_their_pace_when_the_keeper_is_killed(log: Path) -> None:
    with kept(log), linked(log) as link:
        begun = link.call("play", {"game": "d21", "seats": SEATS, "table": {"pace_s": 0.5}})
        times = begun["times"]
        assert times["pace_s"] == 0.5
        game = GameLink(link, 1, entries_of(convert(begun, Opened)), times=times)
        Seen(game, 1, 2)
        game.command({"command": "pace", "seconds": 0.25})
        assert link.call("list")["games"][0]["times"] == times == {"virtual": False, "quiet_s": None, "pace_s": 0.25}
        game.stop()
        resumed = link.call("resume", {"game": 1, "table": times})
        assert resumed["times"] == times


def test_a_seat_without_a_place_is_refused_at_a_table(log: Path) -> None:
    """A window of Dilemma asks by places."""
    seats = [{"name": "Anne", "source": "table", "place": 1}, *[{"name": name, "source": "screen"} for name in "BC"]]
    with kept(log), linked(log) as link, pytest.raises(KeeperError, match="at a table each seat has one"):
        opened(link, "play", game="dilemma", seats=seats)


def test_what_is_open_is_told_to_whoever_follows_it(log: Path) -> None:
    told: queue.SimpleQueue[Any] = queue.SimpleQueue()
    with kept(log), linked(log) as link, linked(log, operator=False) as follower:
        follower.on_notice = by_method(lambda method, params: told.put(params) if method == "list" else None)
        assert follower.call("list", {"follow": True})["games"] == []
        game = opened(link, "play", game="d21", seats=SEATS)
        assert [each["game"] for each in told.get(timeout=20)["games"]] == [game.game]
        game.watch([1], lambda message: None)
        link.call("source", {"game": game.game, "seat": 1, "source": "greedy"})
        while told.get(timeout=20)["games"][0]["seats"][0]["source"] != "greedy":
            pass
        evening = link.call("evening")["evening"]
        while evening not in [each["evening"] for each in told.get(timeout=20)["evenings"]]:
            pass
        game.stop()
        while told.get(timeout=20)["games"]:
            pass


def test_the_keeper_stays_for_nobody_who_only_passes_things_on(log: Path) -> None:
    link = join(log)
    beside = raw(log)
    said = protocol.hello(None, passive=True)
    beside.sendall(protocol.line_of(protocol.request(1, "hello", said)))
    assert b"result" in beside.recv(1 << 16)
    game = link.call("play", {"game": "d21", "seats": SEATS})["game"]
    beside.sendall(protocol.line_of(protocol.request(2, "watch", {"game": game, "viewers": [None]})))
    assert b"result" in beside.recv(1 << 16)
    with pytest.raises(KeeperError, match="has not begun yet"):  # a spectator there begins no game
        link.call("pause", {"game": game, "seat": 0})
    link.call("stop", {"game": game})
    link.close()
    beside.settimeout(20)
    while beside.recv(1 << 16):
        pass
    beside.close()
    assert find(log) is None
