"""``:hint`` at a screen: what the strongest bot would do, for the seat that is asked and no other eyes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread, main_thread
from threading import current_thread as this_thread
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from room import SHORT, Room

from tablier.games import bots_of, rules_of, script_of
from tablier.games.core import TABLE, Position
from tablier.games.core.bots import Searching
from tablier.games.core.menus import at_places
from tablier.games.core.questions import Answered, Conditions, Menu, Picked, Poll
from tablier.play import bots
from tablier.screens.full import Full
from tablier.screens.model import THINKING, Model, beside
from tablier.screens.summary import LogName
from tablier.texts import Json, render

NAMES = ["Anne", "Bernard", "Christine", "Daniel"]
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


@pytest.mark.parametrize("game", SHORT)
def test_a_hint_can_be_typed_as_it_stands(game: str, rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", game, NAMES[: COUNTS.get(game, 3)], [[1]], practice=True)
    rooms.append(room)
    model = room.models[0]
    for _ in range(3):
        if model.asked is None:
            break
        room.type(":hint")
        assert not model.error
        (line,) = model.hint("", 78)
        assert line[1].startswith("Hint: ")
        ply = room.conductor.session.position.ply
        key = model.key
        room.type(line[1].removeprefix("Hint: "))
        assert not model.error and (model.key != key or room.conductor.session.position.ply > ply)
        assert not model.advice, "the hint belongs to the question"


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
    assert room.models[idle].error.startswith(f"{NAMES[1 - idle]} is asked elsewhere")


# -- at the table, step by step ----------------------------------------------------------------------------------------


def told(position: Position[Any], number: int, question: Json) -> Json:
    """What a screen beside a table at which all seats sit is told while a question is open."""
    rules = position.rules
    seats = [{"name": name, "place": n, "source": "table"} for n, name in enumerate(NAMES[: rules.seats], 1)]
    return {
        "game": 1,
        "rules": rules.name,
        "options": rules.given,
        "seats": seats,
        "viewer": None,
        "ply": position.ply,
        "to_move": list(position.to_move),
        "view": rules.view(position.state, None),
        "question": {"id": number, **question, "waiting": question["seats"]},
        "news": [],
        "practice": False,
        "over": None,
        "now": 0.0,
    }


def composed(position: Position[Any], advice: Callable[[int, Json], str]) -> str:
    """Compose a move at a table as the advice for each step says."""
    running = at_places(script_of(position.rules.name)[0](position, Conditions()), lambda seat: True)
    number, wholes = 0, list[str]()
    try:
        question = next(running)
        while True:
            assert isinstance(question, Menu | Poll)
            number += 1
            whole, _, step = advice(number, question.public()).removeprefix("Hint: ").partition("; now ")
            wholes.append(whole)
            polls = isinstance(question, Poll)
            steps = ["no", "yes"] if polls else [render(text, NAMES) for text in question.public()["options"]]
            option = steps.index(step or whole)
            assert whole in question.leads[option], "the step leads to the move"
            question = running.send(Answered(0, bool(option)) if polls else Picked(0, option))
    except StopIteration as end:
        (move,) = end.value
        assert str(move).endswith(wholes[-1])
        return str(move)


@pytest.mark.parametrize(("game", "seats"), [("d21", 2), ("roudalon", 4), ("dilemma", 3)])
def test_a_hint_beside_a_table_tells_the_move_and_its_next_step(game: str, seats: int) -> None:
    dice = random.Random(game)
    position: Position[Any] = Position(rules_of(game, seats))
    advised = 0
    while advised < 6 and not position.is_over:
        secret = {move.verb for move in position.legal_moves} == {"duel"}
        if secret or TABLE in position.to_move or len(position.legal_moves) == 1:
            position.push(dice.choice(position.legal_moves))
            continue
        model = Model([], LogName("the log"))

        def advice(number: int, question: Json, model: Model = model) -> str:
            model.take({"updates": [told(position, number, question)]})
            assert not model.advice, "it belongs to the step before"
            model.accept(":hint")
            assert not model.error and [("hint", model.advice)] == model.hint("", 78)
            return model.advice

        move = composed(position, advice)
        assert move in map(str, position.legal_moves)
        position.parse_push(move)
        advised += 1
    assert advised


@pytest.mark.parametrize(("game", "seats"), [("struggle", 2), ("dicke-daemonen", 2)])
def test_what_only_a_seat_knows_is_no_matter_for_a_screen_beside_the_table(game: str, seats: int) -> None:
    position: Position[Any] = Position(rules_of(game, seats))
    dice = random.Random(2)
    while TABLE in position.to_move:
        position.push(dice.choice(position.legal_moves))
    model = Model([], LogName("the log"))
    question = next(at_places(script_of(game)[0](position, Conditions()), lambda seat: True)).public()
    assert question["leads"], "it is a step of a move"
    model.take({"updates": [told(position, 1, question)]})
    model.accept(":hint")
    assert model.error and not model.advice


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


def test_a_hint_in_a_window_goes_with_the_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that was thrown is not named, neither by the hint that led to it nor by the next one."""
    rules = rules_of("dilemma", 3)
    position = Position(rules)
    position.parse_push("p1 offer 8")
    seen: list[list[str]] = []

    def highest(rules: Any, seat: int, view: Json, moves: Any, may_pass: bool) -> Any:
        seen.append([str(move) for move in moves])
        return max(moves, key=lambda move: move.args[0])

    monkeypatch.setattr(bots, "hint", highest)
    model = Model([1], LogName("the log"))
    question = {"kind": "window", "what": "window", "seats": [1], "text": {"text": "throw!", "args": {}}}
    for cards, advised in (([1, 5, 9], 9), ([1, 5], 5), ([1], 1)):
        update = told(position, 7, {**question, "mine": {"cards": cards, "waits": True}})
        update["seats"][0]["source"] = "screen"
        model.take({"updates": [{**update, "viewer": 1}]})
        assert not model.advice
        model.accept(":hint")
        assert model.advice == f"Hint: throw {advised}" and not model.error
    assert seen[1] == ["p1 throw 1 flat", "p1 throw 5 flat"]


# -- a bot that thinks takes nobody's time -----------------------------------------------------------------------------


def test_a_hint_is_void_when_its_question_has_gone(rooms: list[Room], tmp_path: Path) -> None:
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1]], practice=True)
    rooms.append(room)
    model = room.models[0]
    thoughts: list[Callable[[], None]] = []
    model._think = lambda work, done: thoughts.append(lambda: done(work()))
    room.type(":hint")
    assert model.thinking and model.advice == str(THINKING)
    room.type("c3-c4")
    assert not model.thinking and not model.advice
    room.type(":hint")
    late, due = thoughts
    late()
    assert model.advice == str(THINKING), "what was thought about the last question says nothing about this one"
    due()
    assert model.advice.startswith("Hint: ") and not model.thinking


def test_a_bot_that_fails_is_told(rooms: list[Room], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(bots, "hint", fail)
    room = Room(tmp_path / "log.db", "d21", NAMES[:2], [[1]], practice=True)
    rooms.append(room)
    room.type(":hint")
    assert room.models[0].advice == "No hint: the bot failed (ZeroDivisionError())."


def test_thinking_beside_ends_in_the_thread_of_the_screen() -> None:
    handed: SimpleQueue[Callable[[], None]] = SimpleQueue()
    goes_on, found = Event(), list[tuple[bool, Thread]]()

    def work() -> bool:
        return goes_on.wait(10) and this_thread() is not main_thread()

    beside(handed.put)(work, lambda result: found.append((result, this_thread())))
    goes_on.set()  # so it did not wait for the work
    handed.get(timeout=10)()
    assert found == [(True, this_thread())]


class Port:
    """Asks Anne for a move of D.21, and takes what is sent."""

    def watch(self, viewers: Any, deliver: Any) -> Any:
        position: Position[Any] = Position(rules_of("d21", 2))
        moves = [move.verb for move in position.legal_moves]
        question = {"kind": "turn", "what": "turn", "seats": [1], "text": {"text": "Go.", "args": {}}}
        update = told(position, 1, question)
        update["question"]["mine"] = {"moves": moves, "may_pass": False, "waits": True}
        deliver({"updates": [{**update, "viewer": viewer} for viewer in viewers]})
        return lambda: None

    def command(self, body: Json) -> None:
        pass


def test_a_full_screen_goes_on_while_a_hint_is_thought_out(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, seen = Event(), list[Any]()

    def slow(rules: Any, seat: int, view: Json, moves: Any, may_pass: bool) -> Any:
        seen.append(drawn.wait(10))  # until the screen has been drawn while this was going on
        return moves[0]

    monkeypatch.setattr(bots, "hint", slow)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        screen = Full([1], LogName("the log"))

        def look(app: Any) -> None:
            (_, line), *_ = screen._hint("", 78)
            if line == str(THINKING):
                drawn.set()
            elif line.startswith("Hint: "):
                seen.append(line)
                asyncio.get_running_loop().call_soon(screen.leave)

        screen._frame.app.after_render += look
        keys.send_text(":hint\r")
        screen.run(Port())  # type: ignore[arg-type]
    assert seen[0] is True and seen[1].startswith("Hint: c")
