"""Games without a table, without a screen: who is asked, what is logged, what player programs get and do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tablier.play.course import Seat
from tablier.play.screen import Screen
from tablier.play.tableless import Play, Tableless, at_no_table, play_out

from tablier.games import GAMES, bots_of, game_class, rules_of
from tablier.games.core import Event, Json, Move, Position, Rules
from tablier.games.core.bots import Bot
from tablier.log import Log
from tablier.play import session, tableless
from tablier.play.bots import bot_for

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")


def played(game: str, sources: Sequence[str], seed: int, options: Json | None = None) -> Position[Any]:
    """A whole game of player programs; every move was checked by the rules."""
    dice = random.Random(seed)
    seats = len(sources)
    programs = {n: bot_for(game, seats, options or {}, n, source, dice) for n, source in enumerate(sources, 1)}
    position: Position[Any] = Position(rules_of(game, seats, options))
    for _ in play_out(Play(position), programs, dice):
        assert position.ply < 5_000
    return position


# -- who is asked ---------------------------------------------------------------------------------------------------


def dilemma(*moves: str, seats: int = 4) -> Play:
    """After these moves; ``pass`` passes."""
    play = Play(Position(rules_of("dilemma", seats)))
    for text in moves:
        play.step(None if text == "pass" else play.position.rules.parse(text))
    return play


@pytest.mark.parametrize(
    ("moves", "asked"),
    [
        ((), 1),
        (("p1 offer 8",), 2),
        (("p1 offer 8", "pass"), 3),
        (("p1 offer 8", "pass", "pass"), 4),
        (("p1 offer 8", "pass", "pass", "pass"), 0),  # all have passed in a row: the window closes
        (("p1 offer 8", "pass", "p3 throw 8 flat"), 4),
        (("p1 offer 8", "pass", "p3 throw 8 flat", "pass"), 2),  # not the one that made the offer
        (("p1 offer 8", "pass", "p3 throw 8 flat", "pass", "pass"), 3),  # may throw again
        (("p1 offer 8", "pass", "p3 throw 8 flat", "pass", "pass", "pass"), 0),
        (("p1 offer 8", "pass", "p3 throw 8 flat", *["pass"] * 3, "table close"), 4),  # open again, from where it was
        (("p1 offer 8", "p2 throw 3 flat", *["pass"] * 3, "table close"), 1),  # a duel: one after the other
        (("p1 offer 8", "p2 throw 3 flat", *["pass"] * 3, "table close", "p1 duel peace"), 2),
    ],
)
def test_the_window_goes_round_until_all_have_passed_in_a_row(moves: tuple[str, ...], asked: int) -> None:
    play = dilemma(*moves)
    assert play.decision is not None
    assert play.decision.seat == asked
    assert {move.actor for move in play.decision.moves} == {asked}
    assert play.decision.may_pass == (play.position.state.phase == "window" and asked > 0)


def test_only_in_a_window_nobody_has_to_move() -> None:
    for game in GAMES:
        play = Play(Position(rules_of(game, game_class(game).seat_counts[-1])))
        while play.decision is not None and play.decision.seat == 0:
            play.step(play.draw(random.Random(1)))
        with pytest.raises(ValueError, match="nobody can pass"):
            play.step(None)


def test_a_seat_without_cards_is_not_asked() -> None:
    throws = [text for rank in range(1, 11) for text in (f"p2 throw {rank} rim", "pass", "pass")]
    play = dilemma("p1 offer 8", *throws)
    assert play.decision is not None and play.decision.seat == 0
    play.step(play.draw(random.Random(1)))
    assert play.decision is not None and play.decision.seat == 3


class Dice(random.Random):
    """Takes the outcome that it is told to, and remembers what it was offered."""

    offered: list[tuple[Any, Any]]

    def choices(self, population: Any, weights: Any = None, **_: Any) -> list[Any]:  # type: ignore[override]
        self.offered.append((population, weights))
        return [population[-1]]


@pytest.mark.parametrize("game", ["struggle", "dicke-daemonen", "roudalon"])
def test_chance_has_the_odds_of_the_rules(game: str) -> None:
    dice = Dice()
    dice.offered = []
    play = Play(Position(rules_of(game, 4)))
    for _ in range(60):
        if play.decision is None:
            break
        if play.decision.seat:
            play.step(play.decision.moves[-1])
            continue
        outcomes = play.position.rules.chance(play.position.state)
        move = play.draw(dice)
        assert dice.offered[-1] == ([move for move, _ in outcomes], [odds for _, odds in outcomes])
        assert move == outcomes[-1][0]
        play.step(move)
    assert dice.offered


# -- what is logged, and what is shown --------------------------------------------------------------------------------


class Heard(Screen):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.head = ""

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        self.events += events

    def over(self, position: Position[Any], head: str) -> None:
        self.head = head


def begun(log: Log, game: str, sources: Sequence[str], options: Json | None = None) -> int:
    seats = [Seat(name, 0, source) for name, source in zip(NAMES, sources, strict=False)]
    return session.begin(log, game, options or {}, seats)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_logged_as_it_is_told(game: str, tmp_path: Path) -> None:
    heard = Heard()
    with Log.open(tmp_path / "log.db") as log:
        sources = ["greedy", "random", "random", "random"][: game_class(game).seat_counts[-1]]
        number = begun(log, game, sources, {"max_plies": 30} if game == "d21" else {})
        assert at_no_table(log.game(number))
        conducted = Tableless.take_up(log, number, heard, random.Random(3))
        conducted.start()
        while conducted.advance() is not None:
            assert conducted.asked is None
        assert conducted.over and conducted.deciding == 0
        entries = list(log.entries(number))
        assert heard.head == log.head == entries[-1].hash
        assert [entry.kind for entry in entries if entry.kind != "note"][:2] == ["game", "move"]
        assert {entry.kind for entry in entries[1:-1]} <= {"move", "note"} and entries[-1].kind == "end"
        assert [entry.body["text"] for entry in entries if entry.kind == "move"] == log.moves(number)
        assert log.game(number).result is not None
        notes = [event.text for event in heard.events if event.kind == "judge"]
        assert [entry.body["text"] for entry in entries if entry.kind == "note"] == notes
        log.verify()
        # Taken up again, it is over at once, and nothing more is logged.
        again = Heard()
        over = Tableless.take_up(log, number, again, random.Random(3))
        over.start()
        assert over.advance() is None and again.head == heard.head == log.head


def test_an_end_that_was_not_logged_any_more_is_logged_when_the_game_is_taken_up(tmp_path: Path) -> None:
    position = played("roudalon", ["random"] * 4, 5)
    with Log.open(tmp_path / "log.db") as log:
        number = begun(log, "roudalon", ["random"] * 4)
        log.append_all([(number, "move", {"text": str(move), "by": "random"}) for move in position.moves])
        Tableless.take_up(log, number, Screen(), random.Random(1)).start()
        assert log.game(number).ended is not None


def test_people_take_back_their_decisions_passes_among_them(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        number = begun(log, "dilemma", ["keyboard", "keyboard", "greedy"])
        game = Tableless.take_up(log, number, Screen(), random.Random(1))

        def type(text: str) -> None:
            while game.asked is None:
                game.advance()
            game.decide(None if text == "pass" else game.position.rules.parse(text))

        for text in ("p1 offer 8", "pass"):
            type(text)
        while game.asked is None:
            game.advance()
        with pytest.raises(ValueError, match="2 decisions were made at the keyboard so far; 3 cannot be taken back"):
            game.take_back(3)
        assert game.take_back(1) >= 0
        assert log.moves(number) == ["p1 offer 8"]
        assert game.asked is not None and game.asked.seat == 2
        entries = [entry.kind for entry in log.entries(number)]
        assert game.take_back(1) == 1
        assert [entry.kind for entry in log.entries(number)] == [*entries, "takeback"]
        assert log.moves(number) == [] and game.asked is not None and game.asked.seat == 1
        with pytest.raises(ValueError, match="it is p1 that provokes"):
            game.decide(game.position.rules.parse("p2 offer 1"))
        assert log.moves(number) == []
        log.verify()


# -- player programs -------------------------------------------------------------------------------------------------


class Spy(Bot):
    """Takes the first move, and remembers what it was given."""

    given: list[tuple[int, Json, Sequence[Move], Rules[Any]]] = []

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        self.given.append((self.seat, view, moves, self.rules))
        return moves[0]


def test_a_program_gets_its_view_its_moves_and_rules_that_know_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Spy, "given", [])
    monkeypatch.setattr(
        tableless,
        "bot_for",
        lambda game, seats, options, seat, source, dice: Spy(rules_of(game, seats, options), seat, dice),
    )
    for game in ("struggle", "dicke-daemonen"):
        Spy.given.clear()
        with Log.open(tmp_path / f"{game}.db") as log:
            conducted = Tableless.take_up(log, begun(log, game, ["random"] * 3), Screen(), random.Random(2))
            rules = conducted.position.rules
            for _ in range(80):
                state, count = conducted.position.state, len(Spy.given)
                if conducted.advance() and len(Spy.given) > count:
                    seat, view, moves, own = Spy.given[-1]
                    assert view == rules.view(state, seat)
                    assert list(moves) == [move for move in rules.legal(state) if move.actor == seat]
                    assert own is not rules and not own.known
        assert len(Spy.given) > 10


@pytest.mark.parametrize("game", GAMES)
def test_programs_play_every_game_with_every_number_of_seats(game: str) -> None:
    for seats in game_class(game).seat_counts:
        for source in bots_of(game):
            options = {"max_plies": 30} if game == "d21" else {}
            position = played(game, [source] * seats, 11, options)
            assert position.is_over
            assert played(game, [source] * seats, 11, options).moves == position.moves  # a seed repeats it


OPTIONS: dict[str, list[Json]] = {
    "struggle": [{"board": "YRYBYRYYBRYY"}, {"board": "R" * 10}],
    "dicke-daemonen": [{"layout": "weave"}],
    "d21": [{"max_plies": 20, "adjacent_jumps": False}],
}


@pytest.mark.parametrize("game", OPTIONS)
def test_programs_heed_the_options(game: str) -> None:
    for options in OPTIONS[game]:
        assert played(game, ["greedy", "random"], 4, options).is_over


@pytest.mark.parametrize(
    ("game", "seats", "games", "at_least"),
    [
        ("dilemma", 4, 40, 0.45),
        ("struggle", 4, 30, 0.45),
        ("dicke-daemonen", 4, 40, 0.26),
        ("roudalon", 4, 60, 0.45),
        ("d21", 2, 2, 1.0),
    ],
)
def test_greedy_plays_better_than_random(game: str, seats: int, games: int, at_least: float) -> None:
    won = 0
    for number in range(games):
        position = played(game, ["greedy", *["random"] * (seats - 1)], number)
        won += 1 in position.rules.winners(position.state)
    assert won / games >= at_least
