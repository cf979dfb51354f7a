"""The port believes nobody: what a screen sends is typed exactly, within its rights, and refused to it alone."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving import FLAT
from tests.heard import as_json

import replies
from at_screens import TO_A_DUEL, Screens, at_screens
from ports import Sender, Stopped, connect
from tablier.course.asides import CONSENT
from tablier.course.seats import Seat
from tablier.games.core.questions import Choice, Turn, bare
from tablier.judge.audit import audit
from tablier.keeper.protocol import Refusal
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier.texts import Json, render

NAMES = ("Anne", "Bernard", "Christine", "Robot")


class Desk:
    """One connection, with a screen for each of its seats, or a spectator's."""

    def __init__(self, running: Conductor, *seats: int, operator: bool = False) -> None:
        self.running = running
        self.connection: Sender = connect(running, seats, operator=operator)
        self.messages: list[Json] = []
        self.connection.watch(seats or (None,), as_json(self.messages.append))
        running.work()

    @property
    def news(self) -> list[Json]:
        return [news for message in self.messages for update in message.get("updates", ()) for news in update["news"]]

    @property
    def refusals(self) -> list[str]:
        return [render(message["refused"], NAMES) for message in self.messages if "refused" in message]

    def reply(self, body: Any, **fields: Any) -> None:
        self.connection.reply({"id": self.running.session.id, **body, **fields} if isinstance(body, dict) else body)
        self.running.work()

    def command(self, body: Any, **fields: Any) -> None:
        self.connection.command({**body, **fields} if isinstance(body, dict) else body)
        self.running.work()


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[list[Desk]]:
    """A spectator, three people at screens of their own, beside a bot; a game of Le Roudalon."""
    seats = [*at_screens(3), Seat("Robot", 0, "random")]
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "roudalon", {"first": "p1"}, seats), LifeClock(), dice=random.Random(1))
        running.start()
        yield [Desk(running), *(Desk(running, seat) for seat in (1, 2, 3))]
        assert audit(log.entries()).games == 1


def first_move(running: Conductor) -> Json:
    question = running.session.question
    assert isinstance(question, Turn)
    return replies.play(bare(question.moves[0]), seat=question.seats[0])


def test_each_field_has_its_type_and_a_refusal_names_it(desks: list[Desk]) -> None:
    spectator, anne, *others = desks
    running, move = anne.running, first_move(anne.running)
    assert move["seat"] == 1
    infinity = json.loads("1e999")
    for changed, field in (
        ({"seat": "1"}, "seat"),
        ({"seat": True}, "seat"),
        ({"seat": 1.0}, "seat"),
        ({"seat": infinity}, "seat"),
        ({"seat": None}, "seat"),
        ({"seat": -1}, "seat"),
        ({"seat": 10**30}, "seat"),
        ({"id": str(running.session.id)}, "id"),
        ({"id": infinity}, "id"),
        ({"id": [1]}, "id"),
        ({"move": 7}, "move"),
        ({"move": "x" * 10**6}, "move"),
        ({"move": "a\x1b[2J"}, "move"),
        ({"move": "\ud800"}, "move"),
        ({"event": "resigned"}, "event"),
        ({"event": None}, "event"),
        ({"event": [replies.PLAYED]}, "event"),
        ({"salt": "00" * 16}, "salt"),
        ({"yes": True}, "yes"),
    ):
        before = running.log.head, len(anne.refusals)
        anne.reply(move, **changed)
        assert running.log.head == before[0] and len(anne.refusals) == before[1] + 1, changed
        assert field in anne.refusals[-1] and "\n" not in anne.refusals[-1] and len(anne.refusals[-1]) < 400
    body: Any
    for body in (None, 7, [], replies.PLAYED, {}):
        anne.reply(body)
        anne.command(body)
    for command, field in (
        ({"command": "back", "seat": 1, "count": "2"}, "count"),
        ({"command": "back", "seat": 1, "count": 0}, "count"),
        ({"command": "back"}, "seat"),
        ({"command": "correct", "seat": 1, "at": True, "move": "take 1"}, "at"),
        ({"command": "correct", "seat": 1, "at": 1, "move": None}, "move"),
        ({"command": "dispute", "seat": 1, "at": 1, "text": {"x": 1}}, "text"),
        ({"command": "stop", "now": 1}, "now"),
        ({"command": "exec"}, "command"),
    ):
        anne.command(command)
        assert field in anne.refusals[-1]
    assert not any(desk.refusals for desk in (spectator, *others)), "a refusal is for its sender alone"
    anne.reply(move)
    assert running.log.moves(1)[0] == f"p1 {move['move']}"


@pytest.mark.parametrize("commitment", ["zz", "ZZ" * 32, "AB" * 32, "ab" * 31, "ab" * 33, 12, None, "ab" * 31 + "é"])
def test_what_cannot_be_a_commitment_binds_nobody(commitment: Any, tmp_path: Path) -> None:
    """Once it was refused to the screen, bound its seat, and the game stood still."""
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "dilemma", {}, at_screens(3), seed=FLAT), LifeClock(), (1, 2, 3))
        running = screens.running
        screens.play(*TO_A_DUEL)
        assert isinstance(running.session.question, Choice)
        before = log.head
        screens.say(1, replies.lock(commitment))
        assert [refused.seat for refused in screens.refused] == [1]
        assert log.head == before and not running.session.open.locked
        screens.play_until()
        assert audit(log.entries()).games == 1


def test_an_option_that_is_not_open_to_a_seat_is_not_opened(tmp_path: Path) -> None:
    """Its commitment is true, and still nobody may choose what there is not."""
    with Log.open(tmp_path / "log.db") as log:
        screens = Screens(log, begin(log, "dilemma", {}, at_screens(3), seed=FLAT), LifeClock(), (1, 2, 3))
        session = screens.running.session
        screens.play(*TO_A_DUEL)
        choice = session.question
        assert isinstance(choice, Choice)
        cheat, honest = choice.seats
        screens.lock(cheat, len(choice.options))
        screens.lock(honest, 0)
        screens.open(cheat)
        assert [render(each.why, NAMES) for each in screens.refused] == ["a choice that is not open to this seat"]
        assert session.open.opened == {} and session.question is choice


def test_a_connection_replies_for_its_own_seats_and_no_bots(desks: list[Desk]) -> None:
    spectator, anne, bernard, christine = desks
    running = anne.running
    move, before = first_move(running), running.log.head
    for desk in (spectator, bernard, christine):
        desk.reply(move)
        assert "does not hold" in desk.refusals[-1] and running.log.head == before
    console = Desk(running, 1, 2, 3, 4, 6, operator=True)
    anne.reply(move)
    for seat, said in ((4, "bot"), (6, "no seat")):
        console.reply(first_move(running) if not running.over else move, seat=seat)
        assert said in console.refusals[-1]
    with pytest.raises(Refusal, match="seat 2"):
        anne.connection.watch((2,), as_json(anne.messages.append))
    with pytest.raises(Refusal, match="seat 1"):
        spectator.connection.watch((1,), as_json(spectator.messages.append))
    for body in (
        {"command": "back", "seat": 1},
        {"command": "dispute", "seat": 1, "at": 1, "text": "no"},
        {"command": "correct", "seat": 1, "at": 1, "move": "take 1"},
        {"command": "dispute", "seat": 0, "at": 1, "text": "no"},
        {"command": "pause", "seat": 1},
        {"command": "pause", "seat": 0},
    ):
        before = running.log.head
        for desk in (spectator, bernard):
            desk.command(body)
            assert running.log.head == before and ("hold" in desk.refusals[-1] or "operator" in desk.refusals[-1])


def test_only_the_operator_stops_the_game(desks: list[Desk]) -> None:
    spectator, anne, *_ = desks
    for desk in (spectator, anne):
        desk.command({"command": "stop"})
        assert "operator" in desk.refusals[-1]
    spectator.command({"command": "hurry"})
    assert len(spectator.refusals) == 2
    operator = Desk(anne.running, operator=True)
    with pytest.raises(Stopped):
        operator.command({"command": "stop"})


def test_news_are_numbered_by_what_their_viewer_may_see(tmp_path: Path) -> None:
    """Not over the whole game: or a seat could count how often another is refused, or told something in secret."""
    with Log.open(tmp_path / "log.db") as log:
        seats = at_screens(2)
        running = Conductor(log, begin(log, "struggle", {"board": "Y" * 14}, seats, seed="5e" * 32), LifeClock())
        running.start()
        quiet, loud = Desk(running, 1), Desk(running, 2)
        private = [told for told in running._audience.news.all if told.audience is not None]
        assert private, "in this game each seat is told something that the others are not"
        for _ in range(4):
            loud.reply(replies.play("nonsense", seat=2))
        assert len(loud.refusals) == 4
        question = running.session.question
        assert question is not None
        for desk in (quiet, loud):
            if question.seats[0] in {seat for _, seat in desk.connection.rights.seats}:
                desk.reply(replies.play("keep none", seat=question.seats[0]))
        for desk in (quiet, loud, Desk(running)):
            told = [news["n"] for news in desk.news]
            assert told == list(range(1, len(told) + 1)) != []


def test_a_take_back_is_asked_of_all_others_and_a_no_is_told(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "dilemma", {}, at_screens(3)), LifeClock())
        running.start()
        desks = {seat: Desk(running, seat) for seat in (1, 2, 3)}
        desks[1].reply(replies.play("offer 8", seat=1))
        stood, asker, others = log.moves(1), 1, [2, 3]
        assert stood == ["p1 offer 8"]

        def ask() -> None:
            desks[asker].command({"command": "dispute", "seat": asker, "text": "wrong"})
            desks[asker].command({"command": "back", "seat": asker})

        ask()
        question = running.session.question
        if question is None or question.what != CONSENT:
            pytest.fail(str(desks[asker].refusals))
        assert question.seats == tuple(others)
        for seat in others[:-1]:
            desks[seat].reply(replies.answer(True, seat=seat))
            assert log.moves(1) == stood and running.session.question is question, "all others are asked"
        desks[others[-1]].reply(replies.answer(False, seat=others[-1]))
        assert log.moves(1) == stood
        for desk in desks.values():
            (told,) = [render(news["text"], "ABCD") for news in desk.news if news["kind"] == "disagreed"]
            assert told.startswith("ABCD"[others[-1] - 1]) and "does not agree" in told
        ask()
        for seat in others:
            assert log.moves(1) == stood
            desks[seat].reply(replies.answer(True, seat=seat))
        assert log.moves(1) == []
        assert audit(log.entries()).games == 1
