"""Seats that are left, taken again and given away at a keeper, also across its end."""

from __future__ import annotations

import os
import queue
import signal
from pathlib import Path
from typing import Any

import pytest
from seen import Seen

from kept import kept, linked, opened
from tablier.judge.audit import audit
from tablier.keeper import protocol
from tablier.keeper.client import GameLink, KeeperError, Link
from tablier.keeper.starting import join
from tablier.log import Log
from thoughts import Held

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def source(link: Link, seat: int, what: str) -> Any:
    return link.call("source", {"game": 1, "seat": seat, "source": what})


def reply(link: Link, seen: Seen, seat: int) -> None:
    """Make the first move of a seat that is asked."""
    update = seen.wait(
        lambda _: next((up for up in seen.updates if up["viewer"] == seat and "mine" in up["question"]), None)
    )
    move = update["question"]["mine"]["moves"][0]
    link.call(
        "reply", {"game": 1, "reply": {"event": "played", "id": update["question"]["id"], "seat": seat, "move": move}}
    )


def sources(seen: Seen) -> list[str]:
    return [seat["source"] for seat in seen.latest["seats"]]


def test_a_person_leaves_by_key_and_comes_back_to_another_keeper(log: Path) -> None:
    first = join(log)
    game = opened(first, "play", game="d21", seats=SEATS, table={"pace_s": 0})
    seen = Seen(game, 1, 2)
    source(first, 1, "random")
    seen.wait(lambda _: sources(seen) == ["random", "screen"])
    reply(first, seen, 2)
    seen.wait(lambda _: seen.latest["ply"] >= 2)
    os.kill(first.keeper["pid"], signal.SIGKILL)
    game.link._reader.join(20)
    first.close()
    again = join(log)
    later = opened(again, "resume", game=1, table={"pace_s": 0})
    assert later.keys == game.keys, "who has left a seat to a bot can come back to it"
    back = Seen(later, 1, 2)
    back.wait(lambda _: sources(back) == ["random", "screen"])
    with pytest.raises(KeeperError, match="a bot replies for this seat"):
        again.call("reply", {"game": 1, "reply": {"event": "played", "id": 1, "seat": 1, "move": "pass"}})
    assert source(again, 1, "screen") == {}
    back.wait(lambda _: sources(back) == ["screen", "screen"])
    assert any(text.startswith("While you were away") for text in back.texts)
    reply(again, back, back.latest["question"]["seats"][0])
    later.stop()
    again.close()
    with Log.read(log) as read:
        assert audit(read.entries()).games == 1


def test_an_old_key_is_refused_also_by_the_next_keeper(log: Path) -> None:
    with kept(log), linked(log) as link, linked(log, operator=False) as other:
        game = opened(link, "play", game="d21", seats=SEATS)
        seen = Seen(GameLink(other, 1, {2: game.keys[2]}), 2, None)
        Seen(game, 1)
        taker = link.call
        old = game.keys[1]
        taker("rise", {"game": 1, "seat": 1})
        new = source(link, 1, "screen")["key"]
        assert new != old
        seen.wait(lambda _: "{who} plays at another screen from now on." in seen.texts)
        link.call("stop", {"game": 1})
    with kept(log), linked(log) as link:
        keys = link.call("resume", {"game": 1})["keys"]
        assert keys["1"] == new
        with pytest.raises(KeeperError, match="not the key of seat 1"):
            link.call("sit", {"game": 1, "seat": 1, "key": old})
        link.call("sit", {"game": 1, "seat": 1, "key": new})


def test_a_seat_whose_screen_is_gone_is_taken_by_its_key_in_silence_or_by_the_operator_with_a_new_one(
    log: Path,
) -> None:
    """What is suspended may come back: it does not share the seat with a screen that somebody else was given it at."""
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        seen = Seen(GameLink(link, 1), None)
        with linked(log, operator=False) as screen:
            Seen(GameLink(screen, 1, {1: game.keys[1]}), 1)
        link.call("rise", {"game": 1, "seat": 1})
        told = link.call("resume", {"game": 1})
        assert told["already"] and told["keys"]["1"] == game.keys[1]
        with linked(log, operator=False) as screen:
            assert Seen(GameLink(screen, 1, {1: told["keys"]["1"]}), 1).latest["viewer"] == 1
        with Log.read(log) as read:
            assert "sits" not in {entry.kind for entry in read.entries(1)}
        assert source(link, 1, "screen")["key"] != game.keys[1]
        seen.wait(lambda _: "{who} plays at another screen from now on." in seen.texts)
        with linked(log, operator=False) as late, pytest.raises(KeeperError, match="not the key of seat 1"):
            GameLink(late, 1, {1: game.keys[1]})


def test_who_holds_a_seat_names_no_program(log: Path) -> None:
    with kept(log), linked(log) as link, linked(log, operator=False) as other:
        game = opened(link, "play", game="d21", seats=SEATS)
        Seen(game, 1)
        GameLink(other, 1, {2: game.keys[2]})
        with pytest.raises(KeeperError, match="operator") as error:
            source(other, 2, "bot:./any")
        assert error.value.code == protocol.FORBIDDEN
        with pytest.raises(KeeperError, match="does not hold"):
            source(other, 1, "random")
        source(other, 2, "greedy")


def test_a_person_leaves_a_table_and_the_keeper_finds_the_table_again(log: Path) -> None:
    """Nobody sits there any more when the game is resumed; then somebody does again."""
    seats = [
        {"name": "Anne", "source": "table", "place": 1, "simulated": "random"},
        {"name": "Bernard", "source": "screen", "place": 2},
    ]
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=seats, table={"pace_s": 0})
        seen = Seen(game, 2, None)
        seen.wait(lambda _: seen.updates[0]["question"])
        source(link, 1, "random")
        seen.wait(lambda _: sources(seen) == ["random", "screen"])
        link.call("stop", {"game": 1})
    with kept(log), linked(log) as link:
        game = opened(link, "resume", game=1, table={"pace_s": 0, "port": "simulated"})
        seen = Seen(game, 2, None)
        seen.wait(lambda _: seen.updates[0]["question"])
        assert source(link, 1, "table") == {}
        seen.wait(lambda _: sources(seen) == ["table", "screen"])
        if seen.latest["question"]["seats"] == [2]:
            reply(link, seen, 2)
        ply = seen.latest["ply"]
        seen.wait(lambda _: seen.latest["ply"] > ply or seen.latest["question"]["seats"] == [2], 60)
        link.call("stop", {"game": 1})
    with Log.read(log) as read:
        assert audit(read.entries()).games == 1


def test_a_hint_is_not_for_who_has_the_seat_no_longer(log: Path) -> None:
    """Nor is one that is still thought about at the end of the game: both are answered at once."""
    with kept(log) as server, linked(log) as operator, linked(log, operator=False) as player:
        seen = Seen(opened(operator, "play", game="d21", seats=SEATS), 1, 2)
        asked = seen.wait(lambda _: seen.latest["question"])["waiting"][0]
        server._games.analysis._room = Held()
        answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        key = operator.call("resume", {"game": 1})["keys"][str(asked)]
        for why in ("somebody else has the seat now", "the game has ended"):
            player.call("sit", {"game": 1, "seat": asked, "key": key})
            player.send("hint", {"game": 1, "seat": asked}, answers.put)
            player.call("ping")
            if why == "the game has ended":
                operator.call("stop", {"game": 1})
            else:
                operator.call("rise", {"game": 1, "seat": asked})  # who has it gets it back by its key
                key = source(operator, asked, "screen")["key"]
            assert answers.get(timeout=20)["error"]["message"] == why
        assert answers.empty()
