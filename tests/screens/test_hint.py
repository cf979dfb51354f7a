"""``:hint`` at a screen: what the strongest bot would do, for the seat that is asked and no other eyes."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from room import SHORT, Room
from tests.asked import public
from tests.heard import as_json

import replies
from ports import connect, work
from tablier.bots import bots
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import bots_of, rules_of
from tablier.games.core import TABLE, Position
from tablier.games.core.bots import Searching
from tablier.games.core.questions import Menu, Poll, bare
from tablier.games.core.scripts import attempts_of
from tablier.languages import find_language
from tablier.log.store import Log
from tablier.messages import MyWindow
from tablier.play.beginning import begin
from tablier.play.change import Change
from tablier.play.connections import Message
from tablier.play.game import Conductor
from tablier.screens.model import Model, send
from tablier.screens.phrases import THINKING
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock
from tablier.texts import Json, Text, reading, render
from thoughts import Held

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
SOURCES = [("Anne", AT_SCREEN), ("Bernard", AT_TABLE), ("Christine", AT_SCREEN)]
COUNTS = {"d21": 2, "roudalon": 4}


@pytest.fixture(autouse=True)
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    for game in SHORT:
        if issubclass(bots_of(game)["strong"], Searching):
            monkeypatch.setattr(bots_of(game)["strong"], "WORK", 12)


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[list[Room]]:
    rooms: list[Room] = []
    yield rooms
    for room in rooms:
        room.close()


@pytest.mark.parametrize("enter", ["typed", "alone"])
@pytest.mark.parametrize("game", SHORT)
def test_a_hint_says_why_and_can_be_typed_or_entered(game: str, enter: str, rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", game, NAMES[: COUNTS.get(game, 3)], [[1]], practice=True)
    rooms.append(room)
    model = room.models[0]
    for _ in range(3):
        if model.asked is None:
            break
        room.type(":hint")
        assert not model.error
        ((_, line),) = model.hint("", 78)
        assert re.fullmatch(f"Hint: {re.escape(model.advised_line)} .Enter plays it.[.] [A-Z].{{8,}}[.]", line)
        ply = room.conductor.session.position.ply
        key = model.question_key
        room.type(model.advised_line if enter == "typed" else "")
        assert not model.error and not model.confirmation
        assert model.question_key != key or room.conductor.session.position.ply > ply
        assert not model.advice and not model.advised_line, "the hint belongs to the question"


def test_enter_plays_no_hint_that_an_error_hides(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "roudalon", NAMES, [[1]], practice=True)
    rooms.append(room)
    model = room.models[0]
    room.type(":hint")
    room.type("nonsense")
    assert model.error
    room.type("")
    assert not room.conductor.session.position.ply and not model.error
    room.type(":hint")
    room.type("")
    assert room.conductor.session.position.ply


def test_a_hint_at_a_shared_screen_waits_until_others_look_away(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "struggle", NAMES[:2], [[1, 2]])
    rooms.append(room)
    model = room.models[0]
    assert model.must_confirm
    room.type(":hint")
    assert model.error and not model.advice
    room.type("Anne")
    room.type(":hint")
    assert model.advice and not model.error


def test_a_hint_needs_a_question(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1], [2]])
    rooms.append(room)
    idle = next(number for number, model in enumerate(room.models) if model.asked is None)
    room.type(":hint", idle)
    assert room.models[idle].error == f"Hints are for your own turn; it is up to {NAMES[1 - idle]} now."


REASON_MAX = 120
"""The characters that a player reads beside a hint: a line and a half of a small terminal."""


@pytest.mark.parametrize("game", SHORT)
def test_each_hint_has_a_short_reason_for_players(game: str) -> None:
    dice = random.Random(game)
    position: Position[Any] = Position(rules_of(game, COUNTS.get(game, 3), SHORT[game]))
    asked: set[Any] = set()
    while not position.is_over and len(asked) < 12:
        state, rules = position.state, position.rules
        for seat in position.to_move:
            moves = attempts_of(rules, (move for move in position.legal_moves if move.actor == seat))
            if seat == TABLE or dice.random() < 0.5:
                continue
            decision = bots.Decision(rules, seat, rules.view(state, seat), moves, TABLE in position.to_move)
            because = bots.hint(decision).because
            assert because is not None
            said = render(because.to_json(), NAMES)
            assert 10 < len(said) <= REASON_MAX and said.endswith("."), said
            assert not re.search("Worth|others|[−-]0[.]|less ", said), said
            asked.add(position.ply)
        position.push(dice.choice(position.legal_moves))
    assert asked


def test_a_hint_for_a_hopeless_throw_says_what_it_costs() -> None:
    rules = rules_of("roudalon", 4, SHORT["roudalon"])
    state = rules.initial()._replace(pot=14, dice=(2, 1, 1, 1), staked=(3, 4, 4, 3), refused=True)
    moves = tuple(move for move in rules.legal(state) if move.verb == "roll" or move.args == (1,))
    decision = bots.Decision(rules, 1, rules.view(state, 1), moves, False)
    _, bot = decision.ask(bots_of("roudalon")["strong"], random.Random(0))
    roll, bet = (next(move for move in moves if str(move) == f"p1 {text}") for text in ("roll 1", "bet 1"))
    assert bot.worths[roll] == pytest.approx(bot.worths[bet]), "a die is worth a unit"
    said = bots._because(decision, roll, bot)
    assert str(said) == (
        "Then: one die cannot take the pot: you lose the die, but no stake. Chance to win: 33%, with bet 1 33%."
    )


# -- at the table, step by step ----------------------------------------------------------------------------------------


class Console:
    """A game from some position, all seats at a table that nobody has plugged in, and the console beside it."""

    def __init__(self, log: Log, position: Position[Any]) -> None:
        game, names = position.rules.name, NAMES[: position.rules.seats]
        seats = [Seat(name, place, AT_TABLE) for place, name in enumerate(names, 1)]
        number = begin(log, game, {**position.rules.given}, seats)
        self.running = Conductor(log, number, LifeClock(), position=position)
        self.model = Model([], LogName("the log"))
        self._connection = connect(self.running, operator=True)
        self._connection.watch(self.model.viewers, self._take)
        self.running.start()
        self.running.work()

    def _take(self, message: Message) -> None:
        self.model.take(message)

    def ask(self) -> None:
        send(self.model.accept(":hint"), self._connection)
        wait = work(self.running)
        while self.model.thinking:
            self.running.clock.wait(wait, None)
            wait = work(self.running)

    def answer(self, option: int) -> None:
        """Answer the open question at its place."""
        session = self.running.session
        question = session.question
        assert isinstance(question, Menu | Poll)
        place = session.seats[question.seats[0] - 1].place
        what = replies.answer(option) if isinstance(question, Poll) else replies.pick(option)
        change = Change(session)
        change.feed("table", {**what, "id": session.id, "place": place})
        self.running.commit(change)


@pytest.mark.parametrize(("game", "seats"), [("d21", 2), ("roudalon", 4), ("dilemma", 3)])
def test_a_hint_beside_a_table_tells_the_move_and_its_next_step(game: str, seats: int, tmp_path: Path) -> None:
    dice = random.Random(game)
    position: Position[Any] = Position(rules_of(game, seats))
    advised = 0
    with Log.open(tmp_path / "log.db") as log:
        while advised < 6 and not position.is_over:
            secret = {move.verb for move in position.legal_moves} == {"duel"}
            if secret or TABLE in position.to_move or len(position.legal_moves) == 1:
                position.push(dice.choice(position.legal_moves))
                continue
            console = Console(log, position.copy())
            session, model, ply = console.running.session, console.model, position.ply
            while session.ply == ply:
                console.ask()
                assert not model.error and model.hint("", 78)[0][1].startswith(model.advice)
                assert not model.advised_line, "nobody plays here"
                whole, _, step = model.advice.removeprefix("Hint: ").partition("; now ")
                question = session.question
                assert isinstance(question, Menu | Poll)
                polls = isinstance(question, Poll)
                steps = ["no", "yes"] if polls else [render(text, NAMES) for text in public(question)["options"]]
                option = steps.index(step or whole)
                assert whole in map(bare, question.leads[option]), "the step leads to the move"
                console.answer(option)
                assert not model.advice, "it belongs to the step before"
            move = str(session.position.moves[ply])
            assert move.endswith(whole) and move in map(str, position.legal_moves)
            console.running.close()
            position.parse_push(move)
            advised += 1
    assert advised


@pytest.mark.parametrize(("game", "seats"), [("struggle", 2), ("dicke-daemonen", 2)])
def test_what_only_a_seat_knows_is_no_matter_for_a_screen_beside_the_table(
    game: str, seats: int, tmp_path: Path
) -> None:
    position: Position[Any] = Position(rules_of(game, seats))
    dice = random.Random(2)
    while TABLE in position.to_move:
        position.push(dice.choice(position.legal_moves))
    with Log.open(tmp_path / "log.db") as log:
        console = Console(log, position)
        assert getattr(console.running.session.question, "leads", ()), "it is a step of a move"
        console.ask()
        assert console.model.advice.startswith("No hint: it would tell what only ")
        console.running.close()


@pytest.mark.parametrize("game", SHORT)
def test_a_view_is_open_where_the_rules_say_so(game: str) -> None:
    dice = random.Random(game)
    position: Position[Any] = Position(rules_of(game, COUNTS.get(game, 3), SHORT[game]))
    for _ in range(60):
        for seat in position.to_move:
            if seat != TABLE and position.rules.OPEN_VIEWS:
                waits = {move.verb for move in position.legal_moves if move.actor == seat}
                assert waits, "it is to move"
                assert position.rules.view(position.state, seat) == position.rules.view(position.state, None)
        if position.is_over:
            break
        position.push(dice.choice(position.legal_moves))


def test_a_hint_in_a_window_goes_with_the_cards(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A card that was thrown is not named, neither by the hint that led to it nor by the next one."""

    def highest(decision: bots.Decision) -> Any:
        assert decision.may_pass
        return bots.Advice(max(decision.moves, key=lambda move: move.args[0]))

    monkeypatch.setattr(bots, "hint", highest)
    seats = [Seat(name, 0 if at == AT_SCREEN else n, at) for n, (name, at) in enumerate(SOURCES, 1)]
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "dilemma", {}, seats), LifeClock())
        running.start()
        connection = connect(running, [1, 3])
        cards: list[int] = []
        connection.reply(replies.play("offer 8", id=running.session.id, seat=1))
        running.work()
        laid = Change(running.session)  # Bernard has laid the offer on the table
        laid.feed("table", replies.answer(1, id=running.session.id, place=2))
        running.commit(laid)
        model = Model([3], LogName("the log"))

        def take(message: Message) -> None:
            send(model.take(message), connection)

        connection.watch(model.viewers, take)
        running.work()
        window = running.session.id
        while len(cards) < 3:
            send(model.accept(":hint"), connection)
            while model.thinking:
                running.clock.wait(work(running), None)
            assert not model.error
            cards.append(int(model.advised_line.removeprefix("throw ")))
            send(model.accept(f"throw {cards[-1]}"), connection)
            running.work()
            assert not model.advice and running.session.id == window
        assert cards == sorted(set(cards), reverse=True)
        # Nor is one that has left the hand while the bot thinks.
        mine = model.mine[3]
        assert isinstance(mine, MyWindow)
        send(model.accept(f"throw {min(mine.cards)}"), connection)
        send(model.accept(":hint"), connection)
        running.work()
        assert model.advised_line and model.advised_line in model.lines()
        running.close()


# -- a bot that thinks takes nobody's time -----------------------------------------------------------------------------


def test_a_hint_is_void_when_its_question_has_gone(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1]], practice=True, thinking=(thinking := Held()))
    rooms.append(room)
    model = room.models[0]
    room.type(":hint")
    assert model.thinking and model.advice == str(THINKING)
    room.type("c3-c4")
    assert not model.thinking and not model.advice
    room.type(":hint")
    thinking.let()
    room.work()
    assert model.advice == str(THINKING), "what was thought about the last question says nothing about this one"
    thinking.let()
    room.work()
    assert model.advice.startswith("Hint: ") and not model.thinking


def test_of_many_hints_the_latest_is_thought_out(tmp_path: Path) -> None:
    """Nothing that a screen asks for holds up the game: one thought for each connection, and one that waits."""
    thinking = Held()
    with Log.open(tmp_path / "log.db") as log:
        seats = [Seat(name, 0, AT_SCREEN) for name in NAMES[:2]]
        running = Conductor(log, begin(log, "d21", {}, seats), LifeClock(), thinking=thinking)
        running.start()
        messages: list[Json] = []
        connection = connect(running, [1])
        connection.watch([1], as_json(messages.append))
        for n in range(1, 51):
            connection.command({"command": "hint", "seat": 1, "n": n})
        running.work()
        assert len(thinking.asked) == 1
        thinking.let()
        thinking.let()
        running.work()
        hints = [message["hint"] for message in messages if "hint" in message]
        assert len(hints) == 50 and [hint["n"] for hint in hints if "move" in hint] == [1, 50]
        assert not thinking.asked
        running.close()


def test_a_hint_at_a_screen_beside_a_table_is_for_whoever_is_asked(tmp_path: Path) -> None:
    """Anne sits at the screen and Bernard at the table; what both see, one may ask for the other."""
    seats = [Seat("Anne", 0, AT_SCREEN), Seat("Bernard", 2, AT_TABLE)]
    with Log.open(tmp_path / "log.db") as log:
        running = Conductor(log, begin(log, "d21", {}, seats), LifeClock())
        running.start()
        connection = connect(running, [1], operator=True)
        model = Model([1], LogName("the log"))

        def take(message: Message) -> None:
            model.take(message)

        connection.watch(model.viewers, take)
        running.work()
        send(model.accept(next(iter(model.lines()))), connection)
        running.work()
        assert model.asked is None
        send(model.accept(":hint"), connection)
        assert model.thinking
        running.work()
        assert model.advice.startswith("Hint: ") and not model.error
        running.close()


def test_a_bot_that_fails_is_told(rooms: list[Room], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "hint", fail)
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1]], practice=True)
    rooms.append(room)
    room.type(":hint")
    assert room.models[0].advice == "No hint: the bot failed (ZeroDivisionError())."


@pytest.mark.parametrize(
    ("worths", "chances", "said"),
    [
        ((0.01, 0.0), False, "It wins most; nearly as good: c3-c4."),
        ((7.99, 7.96), False, "It wins most; nearly as good: c3-c4."),
        ((0.27, 0.23), False, "It wins most; next best: c3-c4."),
        ((0.01,), False, "It wins most."),
        ((0.27, -0.0001), True, "It wins most: 27%, with c3-c4 0%."),
        ((0.27,), True, "It wins most: 27%."),
    ],
)
def test_a_hint_gives_numbers_only_where_they_say_something(
    worths: tuple[float, ...], chances: bool, said: str
) -> None:
    rules = rules_of("d21", 2)
    moves = [rules.parse(f"p1 {move}") for move in ("c2-b2", "c3-c4")]
    words = {"WORTH": Text("wins of 100"), "WHY": Text("It wins most"), "CHANCES": chances}
    kind = type("Weighing", (bots_of("d21")["random"],), words)
    bot = kind(rules, 1, random.Random(0))
    bot.worths = dict(zip(moves, worths, strict=False))
    found = bots._worth(moves[0], bot)
    assert found is not None and str(found) == said


def test_the_next_best_move_is_named_in_the_words_of_the_reader() -> None:
    rules, french = rules_of("struggle", 2), find_language("fr")
    assert french is not None
    kind = type(
        "Weighing", (bots_of("struggle")["random"],), {"WORTH": Text("wins of 100"), "WHY": Text("It wins most")}
    )
    bot = kind(rules, 1, random.Random(0))
    keeps, plays = rules.parse("p1 keep Q"), rules.parse("p1 play Q+1")
    bot.worths = {keeps: 0.5, plays: 0.1}
    with reading(french):
        for move, other in ((keeps, "jouer D+1"), (plays, "garder D")):
            found = bots._worth(move, bot)
            assert found is not None and other in render(found, NAMES)
