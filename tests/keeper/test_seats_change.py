"""Seats that are left, taken again and given away at a keeper, also across its end."""

from __future__ import annotations

import os
import queue
import signal
from pathlib import Path
from typing import Any

import pytest

import replies
from keeper.seen import Seen
from kept import kept, linked, opened
from tablier.judge.audit import audit
from tablier.keeper import protocol
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.starting import join
from tablier.log.store import Log
from tablier.messages import Entry, Opened
from thoughts import Held

SEATS = [{"name": name, "source": "screen"} for name in ("Anne", "Bernard")]


def source(link: Link, seat: int, what: str) -> Any:
    return link.call("source", {"game": 1, "seat": seat, "source": what})


def reply(link: Link, seen: Seen, seat: int) -> None:
    """Make the first move of a seat that is asked."""
    update = seen.wait(
        lambda _: next((up for up in seen.updates if up["viewer"] == seat and "mine" in up["question"]), None)
    )
    move = update["question"]["mine"]["moves"][0]
    link.call("reply", {"game": 1, "reply": replies.play(move, id=update["question"]["id"], seat=seat)})


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
        again.call("reply", {"game": 1, "reply": replies.play("pass", id=1, seat=1)})
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
        Seen(GameLink(other, 1, {2: game.keys[2]}), 2, None)
        Seen(game, 1)
        old = game.keys[1]
        new = link.ask(Entry, "anew", {"evening": 1, "name": "Anne"})
        assert new.key != old.key
        link.call("stop", {"game": 1})
    with kept(log), linked(log) as link:
        assert entries_of(link.ask(Opened, "resume", {"game": 1}))[1] == new
        with pytest.raises(KeeperError, match="no longer valid"):
            GameLink(link, 1, {1: old})
        GameLink(link, 1, {1: new})


def test_a_seat_whose_screen_is_gone_is_taken_by_its_key_in_silence_or_by_a_new_one(log: Path) -> None:
    """What is suspended may come back: it does not share the seat with a device that was given it anew."""
    with kept(log), linked(log) as link:
        game = opened(link, "play", game="d21", seats=SEATS)
        old = game.keys[1]
        with linked(log, operator=False) as screen:
            Seen(GameLink(screen, 1, {1: old}), 1)
        told = link.ask(Opened, "resume", {"game": 1})
        assert told.already and entries_of(told) == game.keys
        with linked(log, operator=False) as screen:
            assert Seen(GameLink(screen, 1, {1: entries_of(told)[1]}), 1).latest["viewer"] == 1
        with Log.read(log) as read:
            assert {"sits", "key"}.isdisjoint(entry.kind for entry in read.entries())
        assert link.ask(Entry, "anew", {"evening": 1, "name": "Anne"}).key != old.key
        with linked(log, operator=False) as late, pytest.raises(KeeperError, match="no longer valid"):
            GameLink(late, 1, {1: old})


def test_somebody_of_the_evening_takes_the_seat_of_a_bot_and_of_a_person_and_leaves_it(log: Path) -> None:
    seats = [{"name": "Anne", "source": "screen"}, {"name": "Zoe", "source": "greedy"}]
    with kept(log), linked(log) as link, linked(log, operator=False) as phone:
        Seen(opened(link, "play", game="d21", seats=seats), 1)
        entry = link.ask(Entry, "come", {"evening": 1, "name": "Léa"})
        with pytest.raises(KeeperError, match="nobody has the seat of Zoe; say by person"):
            source(link, 2, "screen")
        with pytest.raises(KeeperError, match="Lea is not at this evening; those who are: Anne, Léa"):
            link.call("source", {"game": 1, "seat": 2, "source": "screen", "person": "Lea"})
        link.call("source", {"game": 1, "seat": 2, "source": "screen", "person": "Léa"})
        seen = Seen(GameLink(phone, 1, {2: entry}), 2)
        source(phone, 2, "greedy")
        source(phone, 2, "screen")  # who has left it comes back to it
        assert seen.latest["viewer"] == 2
        link.call("source", {"game": 1, "seat": 1, "source": "screen", "person": "Léa"})
        link.call("stop", {"game": 1})
        assert entries_of(link.ask(Opened, "resume", {"game": 1})) == {1: entry, 2: entry}
    with Log.read(log) as read:
        read.verify()
        assert audit(read.entries()).games == 1


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
        entry, name = entries_of(operator.ask(Opened, "resume", {"game": 1}))[asked], SEATS[asked - 1]["name"]
        for why in (f"another device is {name} now", "the game has ended"):
            GameLink(player, 1, {asked: entry})
            player.send("hint", {"game": 1, "seat": asked}, answers.put)
            player.call("ping")
            if why == "the game has ended":
                operator.call("stop", {"game": 1})
            else:
                entry = operator.ask(Entry, "anew", {"evening": 1, "name": name})
            assert answers.get(timeout=20)["error"]["message"] == why
        assert answers.empty()
