"""Sessions without a table, a screen or a clock: every game, played to its end, logged, and audited from its log."""

from __future__ import annotations

from typing import Any

import pytest
from driving import Driver, Supply, entries_of

from sample import sample
from tablier.games import rules_of
from tablier.games.core import Move, Position
from tablier.play.audit import audit
from tablier.play.conductor import heading
from tablier.play.questions import Choice, Turn
from tablier.play.scripts import script_of
from tablier.play.session import AT_SCREEN, AT_TABLE, CONSENT, Declined, Seat, Session
from tablier.record import Record, replay
from tablier.texts import render

GAMES = {"dilemma": (3, 4, 5), "struggle": (2, 3), "dicke-daemonen": (1, 2, 4), "roudalon": (4, 6), "d21": (2,)}
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
SESSIONS = sample(32, 200)
PLIES = {"d21": 3}
FINISHED = sample(1, 2)
"""How many of them are played to the end."""


def seated(count: int, seed: int, *, at_table: bool) -> list[Seat]:
    """Seats of every mixture; ``at_table``: places are allowed."""
    sources = (AT_TABLE, AT_SCREEN) if at_table else (AT_SCREEN,)
    mixed = [sources[(seed >> number) % len(sources)] for number in range(count)]
    if AT_TABLE in mixed:
        return [Seat(NAMES[n], n + 1, source) for n, source in enumerate(mixed)]
    return [Seat(NAMES[n], 0, source) for n, source in enumerate(mixed)]


def session(game: str, seats: list[Seat], options: dict[str, Any] | None = None, *, practice: bool = False) -> Session:
    position = Position(rules_of(game, len(seats), options or {}))
    return Session(position, seats, script_of(game)[0], Supply(), practice=practice)


@pytest.mark.parametrize("game", GAMES)
def test_sessions_of_every_mixture_end_and_run_again(game: str) -> None:
    rules, finished = rules_of(game, GAMES[game][0]), 0
    for seed in range(SESSIONS):
        count = GAMES[game][seed % len(GAMES[game])]
        seats = seated(count, seed, at_table=rules.OPEN_MOVES)
        run = session(game, seats)
        driver = Driver(run, seed=seed)
        driver.begin(f"{seed:064x}")
        driver.play(until=None if seed < FINISHED else PLIES.get(game, 16))
        finished += run.over
        assert audit(entries_of(heading(game, {}, seats), driver.items)).games == 1
        assert replay(Record(game, NAMES[:count], tuple(map(str, run.position.moves)))) == run.position
    assert finished >= FINISHED


@pytest.mark.parametrize(
    ("typed", "at_a_screen", "recorded"),
    [
        ("c9-c5", "the die on c9 is Bernard's", "the die on c9 is p2's"),
        ("pass", "Anne passes only when no die can move; 144 moves are legal, such as c2-b2", "such as p1 c2-b2"),
        (
            "hello",
            "'hello' is not a move; the form is: FROM-TO (such as c3-c6), or pass",
            "pN FROM-TO (such as p1 c3-c6)",
        ),
    ],
)
def test_a_refusal_is_a_text(typed: str, at_a_screen: str, recorded: str) -> None:
    """Without seats and actors where people read it, with both in one line for records."""
    with pytest.raises(Declined) as refused:
        reply(alone("d21", 2), 1, event="played", move=typed)
    assert render(refused.value.text.to_json(), NAMES) == at_a_screen
    assert recorded in str(refused.value)


# -- questions and replies --------------------------------------------------------------------------------------------


def alone(game: str, count: int, *, practice: bool = False) -> Session:
    run = session(game, [Seat(NAMES[n], 0, AT_SCREEN) for n in range(count)], practice=practice)
    run.feed("seed", {"seed": "5e" * 32})
    run.feed("run", {"run": "c0" * 8})
    run.begin()
    return run


def reply(run: Session, seat: int, **values: Any) -> list[Any]:
    return run.feed("reply", {"id": run.id, "seat": seat, **values})


@pytest.mark.parametrize(
    ("seat", "values", "why"),
    [
        (2, {"event": "played", "move": "offer 8"}, "nothing to answer|provokes"),
        (1, {"event": "played", "move": "offer 11"}, "11"),
        (1, {"event": "played", "move": "throw 8 flat"}, "window"),
        (1, {"event": "played", "move": None}, "nobody can pass"),
        (1, {"event": "picked", "option": 0}, "a turn is open"),
    ],
)
def test_a_reply_that_does_not_fit_changes_nothing(seat: int, values: dict[str, Any], why: str) -> None:
    run = alone("dilemma", 3)
    before = (run.position.state, run.id, run.question)
    with pytest.raises(Declined, match=why):
        reply(run, seat, **values)
    assert (run.position.state, run.id, run.question) == before


def test_a_late_reply_is_declined() -> None:
    run = alone("dilemma", 3)
    with pytest.raises(Declined, match="another question"):
        run.feed("reply", {"id": run.id - 1, "seat": 1, "event": "played", "move": "offer 8"})


def test_without_an_arena_seats_are_asked_in_turn_until_all_pass() -> None:
    run = alone("dilemma", 3)
    reply(run, 1, event="played", move="offer 8")
    asked = []
    for move in (None, "throw 3 flat", None, None):
        question = run.question
        assert isinstance(question, Turn) and question.may_pass
        asked.append(question.seats[0])
        reply(run, asked[-1], event="played", move=move)
    assert asked == [2, 3, 2, 3]
    assert isinstance(run.question, Choice) and set(run.question.seats) == {1, 3}


# -- taking back ------------------------------------------------------------------------------------------------------


def test_chance_is_a_function_of_the_seed_and_the_point_in_the_game() -> None:
    """Whoever takes a move back and decides again throws the same dice."""
    run = alone("struggle", 2, practice=True)
    driver = Driver(run, seed=3)
    driver.play(until=12)
    seat = run.waiting[0]
    before = [str(move) for move in run.position.moves]
    ply = max(n for n, move in enumerate(run.position.moves) if move.actor == seat)
    run.feed("request", {"to": ply, "seat": seat})
    assert run.position.ply == ply
    reply(run, seat, event="played", move=before[ply].split(" ", 1)[1])
    again = [str(move) for move in run.position.moves]
    assert len(again) > ply + 1 and again == before[: len(again)]


def test_no_taking_back_past_chance_unless_in_practice() -> None:
    for practice in (True, False):
        run = alone("struggle", 2, practice=practice)
        seat = run.waiting[0]
        reply(run, seat, event="played", move="keep none")
        if practice:
            assert run.before_last_of(seat) == run.position.ply - 2
        else:
            with pytest.raises(Declined, match="left to chance"):
                run.before_last_of(seat)


@pytest.mark.parametrize("agrees", [True, False])
def test_others_are_asked_before_a_move_is_taken_back(agrees: bool) -> None:
    run = alone("d21", 2)
    assert isinstance(run.question, Turn)
    move: Move = run.question.moves[0]
    reply(run, 1, event="played", move=str(move).split(" ", 1)[1])
    items = run.feed("request", {"to": 0, "seat": 1})
    assert [kind for kind, _ in items] == ["ask"] and run.question.what == CONSENT and run.waiting == (2,)
    items = reply(run, 2, event="answered", yes=int(agrees))
    assert ("takeback" in [kind for kind, _ in items]) == agrees
    assert run.position.ply == (0 if agrees else 1)
    assert run.waiting == ((1,) if agrees else (2,)) and isinstance(run.question, Turn)


def test_of_a_duel_nothing_is_taken_back_alone() -> None:
    run = alone("dilemma", 3, practice=True)
    driver = Driver(run, ["p1 offer 8", "p2 throw 3 flat", "table close", "p1 duel peace", "p2 duel peace"])
    driver.play(until=5)
    assert run.before_last_of(2) == 3
    run.practice = False
    with pytest.raises(Declined):
        run.before_last_of(2)
