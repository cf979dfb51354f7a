"""What an ended game shows of how its players play: the facts of each game, and what holds for all of them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from positions import then
from sample import sample
from tablier.bots.campaigns import Campaign, play_one
from tablier.games import GAMES, facts_of, game_class, rules_of
from tablier.games.core import Move, Position
from tablier.games.core.facts import FACTS, Fact, Facts, Step
from tablier.games.core.parts import PartError
from tablier.record import Record, parse_record, read_records, replay
from tablier.texts import Json, Text

sys.path.append(str(Path(__file__).parents[1] / "seventh"))
Hunch: Any = import_module("tablier_hunch.rules").Hunch
HUNCH: Facts = import_module("tablier_hunch.facts").FACTS
RECORDS = Path(__file__).parents[1] / "records"
GUESSED = ("p2 guess low", "p1 guess high", "table die 2")


def played(*moves: str, rules: Any = Hunch) -> Position[Any]:
    return then(Position(rules(2, {"rounds": 1})), *moves)


def test_a_game_without_facts_of_its_own_tells_its_first_move() -> None:
    assert FACTS.of(played(*GUESSED)) == [(2, "first_move", "guess low")]
    assert [str(name) for name in FACTS.names.values()] == ["first move of the game"]


def test_facts_are_in_the_order_of_seats_and_keys_and_none_is_zero() -> None:
    facts = HUNCH.of(played(*GUESSED))
    assert facts == [(1, "high", 1), (1, "threw", 1), (2, "first_move", "guess low"), (2, "low", 1)]
    silent = Facts(seats=HUNCH.seats, tell=lambda *_: [Fact(1, "low", 0), Fact(2, "low", 3)])
    assert silent.of(played(*GUESSED))[1:] == [(2, "low", 3)]


def test_a_running_game_has_no_facts() -> None:
    with pytest.raises(ValueError, match="not over"):
        HUNCH.of(played(*GUESSED[:2]))


def test_a_move_that_is_withheld_for_good_is_no_fact() -> None:
    sealed = type("Sealed", (Hunch,), {"secret": lambda rules, before, move, now: move.actor == 2})
    assert HUNCH.of(played(*GUESSED, rules=sealed)) == [
        (1, "first_move", "guess high"),
        (1, "high", 1),
        (1, "threw", 1),
    ]


def test_a_move_that_a_session_asked_idly_is_no_fact() -> None:
    idle = type("Idle", (Hunch,), {"idle": lambda rules, state: Move(2, "guess", ("low",))})
    assert "low" not in [fact.what for fact in HUNCH.of(played(*GUESSED, rules=idle))]


@pytest.mark.parametrize(
    ("tell", "said"),
    [
        (lambda *_: [Fact(1, "luck", 1)], "tell raised ValueError: 'luck' of seat 1 is no fact of this game"),
        (lambda *_: [Fact(0, "low", 1)], "tell raised ValueError: 'low' of seat 0 is no fact of this game"),
        (lambda *_: [Fact(1, "low", True)], "tell raised TypeError: low is True, neither a whole number nor a word"),
        (lambda *_: [Fact(1, "first_move", "x")], "'first_move' of seat 1 is no fact of this game"),
    ],
)
def test_a_fact_that_the_game_does_not_name_is_refused(tell: Callable[..., Any], said: str) -> None:
    facts = Facts(game={"all": Text("all guesses")}, seats={"low": Text("low guesses")}, tell=tell)
    with pytest.raises(PartError) as failed:
        facts.of(played(*GUESSED))
    assert str(failed.value).startswith("hunch, facts.py: tell raised ") and said in str(failed.value)


# -- each game, by hand ------------------------------------------------------------------------------------------------


def facts_by_seat(name: str, position: Position[Any]) -> dict[int, dict[str, str | int]]:
    """Return the facts of a game that is over, by seat and key."""
    found: dict[int, dict[str, str | int]] = {}
    for seat, what, value in facts_of(name).of(position):
        found.setdefault(seat, {})[what] = value
    return found


def played_from(name: str, seats: int, options: Json, moves: list[str], **start: Any) -> Position[Any]:
    """Play a game from its first state, with other values for some of its fields."""
    rules = rules_of(name, seats, options)
    return then(Position(rules, rules.initial()._replace(**start)), *moves)


def test_dilemma_tells_peace_and_conflict() -> None:
    moves = ["p1 offer 8", "p2 throw 8 flat", "p3 throw 3 flat", "table close", "p1 duel peace", "p3 duel conflict"]
    moves += ["p2 offer 5", "p1 throw 1 flat", "table close", "p1 duel conflict", "p2 duel conflict"]
    moves += ["p3 offer 9", "table close"]
    moves += ["p1 offer 10", "p2 throw 2 rim", "table close", "p3 throw 1 flat"]
    moves += [f"p2 throw {rank} outside" for rank in (1, 3, 4, 6, 7, 9, 10)]
    moves += [f"p3 throw {rank} outside" for rank in (2, 4, 5, 6, 7, 8, 10)]
    moves += ["table close", "p3 duel peace", "p1 duel peace"]
    assert facts_by_seat("dilemma", played_from("dilemma", 3, {}, moves, lives=(1, 3, 3))) == {
        0: {"duels": 3, "duels_mixed": 1, "duels_conflict": 1, "duels_peace": 1},
        1: {"first_move": "offer 8", "offers": 2, "throws": 1, "peace": 2, "conflict": 1} | {"lifeless": 1},
        2: {"offers": 1, "throws": 9, "missed": 8, "conflict": 1},
        3: {"offers": 1, "unanswered": 1, "throws": 9, "missed": 7, "peace": 1, "conflict": 1},
    }


def test_struggle_tells_objectives_and_what_pawns_did() -> None:
    turns = [
        (["K K K K A"], "K+5"),
        (["K K K K A", "K K K K", "9"], "K+4 9+1"),  # the king stays: space 9 is black
        (["K K K K K"], "K+5"),
        (["K 9 9 9 9"], "9+4 K+1"),  # it arrives
        (["Q Q Q Q Q"], "Q+5"),  # it stays: space 5 is yellow and taken
        (["Q Q Q Q 9"], "9+1 Q+4"),
        (["Q Q J J J"], "Q+2 J+3"),  # the queen takes space 6 from the nine
        (["Q Q Q Q Q"], "Q+5"),
        (["K K K K K"], "none"),
        (["J J J J J"], "J+5"),
        (["J J J J J"], "J+5"),
        (["10 10 10 10 9"], "9+1 10+4"),  # the ten moves to space 4, which the nine has left
        (["10 10 10 9 A"], "10+4 9+1"),
        (["10 10 10 10 10"], "10+5"),
    ]
    moves = ["table deal p1 K-Q-J-10-9", "table deal p2 9-10-J-Q-K"]
    for number, (dice, play) in enumerate(turns):
        seat = f"p{number % 2 + 1}"
        verbs = ["table roll", f"{seat} keep", "table roll"]
        moves += [f"{verb} {faces}" for verb, faces in zip(verbs, dice, strict=False)] + [f"{seat} play {play}"]
    position = played_from("struggle", 2, {"board": "YYYYYRYYBY", "first": "p1"}, moves)
    assert facts_by_seat("struggle", position) == {
        0: {"order": "K-Q-J-10-9"},
        1: {"first_move": "play K+5", "objective": "K-Q-J-10-9", "in_place": 5, "reached": 1}
        | {"turns": 7, "throws": 7, "moved": 5, "exchanged": 1, "stayed": 1, "arrived": 1},
        2: {"objective": "9-10-J-Q-K", "in_place": 1, "turns": 7, "throws": 8, "moved": 7, "stayed": 1, "arrived": 3},
    }


def test_le_roudalon_tells_alliances() -> None:
    moves = ["p1 bet 1", "p2 ally", "p3 no", "p2 roll 1", "table dice 3", "p3 bet 6"]
    moves += ["p4 ally", "p1 yes", "p4 roll 1", "table dice 2", "p1 roll 2", "table dice 6 6"]
    moves += ["p1 bet 2", "p2 bet 1", "p3 ally", "p4 yes", "p4 done"]
    moves += ["p3 roll 2", "table dice 2 3", "p4 roll 1", "table dice 5"]
    assert facts_by_seat("roudalon", played_from("roudalon", 4, {"first": "p1"}, moves)) == {
        0: {"alliances": 2, "alliances_won": 1, "alliances_dissolved": 1},
        1: {"first_move": "bet 1", "stakes": 2, "staked": 3, "granted": 1, "joint_throws": 1},
        2: {"stakes": 1, "staked": 1, "asked": 1, "lone_throws": 1},
        3: {"stakes": 1, "staked": 6, "asked": 1, "refused": 1, "joint_throws": 1, "took": 5},
        4: {"asked": 1, "granted": 1, "joint_throws": 2, "took": 5},
    }


def test_units_of_a_pot_are_told_as_staked_and_then_as_taken_or_left() -> None:
    moves = ["p1 bet 2", "p2 bet 2", "p3 bet 1", "p4 bet 1", "p1 roll 1", "table dice 6"]
    taken = facts_by_seat("roudalon", played_from("roudalon", 4, {"first": "p1"}, moves))
    assert taken == {
        1: {"first_move": "bet 2", "stakes": 1, "staked": 2, "lone_throws": 1, "took": 6},
        2: {"stakes": 1, "staked": 2},
        3: {"stakes": 1, "staked": 1},
        4: {"stakes": 1, "staked": 1},
    }
    out_of_reach = [f"p{number % 4 + 1} bet 6" for number in range(9)]
    left = facts_by_seat("roudalon", played_from("roudalon", 4, {"first": "p1"}, out_of_reach))
    assert [(seat["staked"], seat["left"]) for seat in left.values()] == [(18, 18), (12, 12), (12, 12), (12, 12)]
    assert not any("took" in seat for seat in left.values())


POINTS_OF_GHOSTS = "points_white"
"""Beside the points of the other colours, though there is one for each ghost."""


@pytest.mark.parametrize("name", GAMES)
def test_no_fact_of_a_game_is_another_one_told_again(name: str) -> None:
    """Nothing is the same number as, or twice, another one in all of many games of any number of players."""
    told: dict[str, list[int]] = {}
    records = [record for kind, seats in CASES if kind == name for record in games(name, seats)]
    for at, record in enumerate(records):
        for what, n in sums(facts_of(name).of(replay(record))).items():
            told.setdefault(what, [0] * len(records))[at] += n
    series = {what: tuple(numbers) for what, numbers in told.items() if what != POINTS_OF_GHOSTS}
    twice = {tuple(2 * n for n in numbers) for numbers in series.values()}
    assert len(set(series.values())) == len(series) and not twice & set(series.values())


def test_dicke_daemonen_tells_predictions_and_ghosts() -> None:
    (record,) = read_records(str(RECORDS / "dicke-daemonen.json"))
    assert facts_by_seat("dicke-daemonen", replay(record)) == {
        0: {"leading": "several"}
        | {"points_white": 5, "points_red": 2, "points_blue": 5, "points_green": 2, "points_yellow": 5},
        1: {"first_move": "place blue f5:g", "demons": 6, "outer": 1, "ghosts": 2, "caught": 3},
        2: {"predicted": "yellow", "came_true": 1, "before_predicting": 7}
        | {"demons": 6, "outer": 1, "ghosts": 2, "empty_frozen": 2},
        3: {"predicted": "blue", "came_true": 1, "before_predicting": 6, "demons": 6, "ghosts": 1, "caught": 4},
    }
    assert str(facts_of("dicke-daemonen").values["several"]) == "several colours"


D21_SETUP = {
    "red": {"c2": 1, "d2": 2, "e2": 3, "f2": 4, "h4": 6, "b4": 1, "c4": 1, "d4": 1, "e4": 1, "b5": 2, "c5": 1, "d5": 2},
    "green": {"g2": 5, **dict.fromkeys([f"{column}8" for column in "bcdefghi"], 3), "g9": 3, "h9": 3, "i9": 3},
}


def test_d21_tells_slides_and_jumps() -> None:
    moves = ["p1 d5-d9", "p2 g9-g10", "p1 b4-b6", "p2 i8-h7", "p1 c5-f5", "p2 h7-i8", "p1 h4-h2"]
    assert facts_by_seat("d21", played_from("d21", 2, {"setup": D21_SETUP}, moves)) == {
        0: {"row": "straight", "row_opposing": 1},
        1: {"first_move": "d5-d9", "slides": 2, "own_jumps": 1, "opposing_jumps": 1}
        | {"forward": 2, "sideways": 1, "back": 1, "spaces": 11},
        2: {"slides": 3, "forward": 1, "back": 2, "diagonal": 2, "spaces": 3},
    }


@pytest.mark.parametrize(
    ("row", "origin", "shape"),
    [
        ("b2 b3 b4 b5 b6 b7", "b9", "straight"),
        ("b7 b6 b5 b4 b3 b2", "b1", "straight"),
        ("g4 f4 e4 d4 c4 b4", "b9", "straight"),
        ("b2 c3 d4 e5 f6 g7", "g9", "diagonal"),
        ("b7 c6 d5 e4 f3 g2", "g9", "diagonal"),
        ("b2 c2 d2 e2 e3 e4", "e9", "angle"),
        ("c2 b3 c4 d5 e6 f7", "f9", "angle"),
    ],
)
def test_d21_tells_the_shape_of_the_row_that_won(row: str, origin: str, shape: str) -> None:
    spaces = row.split()
    others = [f"{column}{at}" for at in (8, 7, 6, 5, 4, 3) for column in "hi"]
    red = {**dict(zip(spaces, range(1, 6), strict=False)), origin: 6, **dict.fromkeys(others[:6], 1)}
    green = dict.fromkeys([*others[6:], "h9", "i9", "h2", "i2", "d9", "c9"], 2)
    position = played_from("d21", 2, {"setup": {"red": red, "green": green}}, [f"p1 {origin}-{spaces[-1]}"])
    assert facts_by_seat("d21", position)[0] == {"row": shape}
    assert shape in facts_of("d21").values


# -- all games ---------------------------------------------------------------------------------------------------------

OPTIONS: dict[str, Json] = {"d21": {"max_plies": 30}, "struggle": {"board": "YRYBYRYYBRYY"}}
CASES = [(name, seats) for name in GAMES for seats in game_class(name).seat_counts]


@cache
def games(name: str, seats: int) -> list[Record]:
    """Return records of games among random bots."""
    campaign = Campaign(name, OPTIONS.get(name, {}), ("random",) * seats, tuple("ABCDEF"[:seats]), 7)
    return [play_one(campaign, number).record for number in range(1, sample(9, 101))]


every_game = pytest.mark.parametrize(("name", "seats"), CASES, ids=[f"{name}-{seats}" for name, seats in CASES])


@every_game
def test_facts_follow_from_the_public_record_alone(name: str, seats: int) -> None:
    for record in games(name, seats):
        facts = facts_of(name).of(replay(record))
        read = replay(parse_record(json.loads(record.dumps())))
        end = read.state
        assert not any(read.rules.secret(before, move, end) for before, move in read.history())
        assert facts == facts_of(name).of(read)
        assert facts == facts_of(name).of(read.conducted()), "what a session asked idly is no fact"


@every_game
def test_numbers_of_a_game_as_a_whole_count_the_same_kind_of_thing(name: str, seats: int) -> None:
    facts = [fact for record in games(name, seats) for fact in facts_of(name).of(replay(record))]
    assert len({what.partition("_")[0] for seat, what, value in facts if not seat and isinstance(value, int)}) <= 1


@pytest.mark.parametrize("seats", game_class("dicke-daemonen").seat_counts)
def test_facts_of_dicke_daemonen_do_not_look_into_fists(seats: int) -> None:
    for record in games("dicke-daemonen", seats):
        position = replay(record)
        after = [state for state, _ in position.history()[1:]] + [position.state]
        steps = [
            Step(_emptied(before), move, _emptied(state))
            for (before, move), state in zip(position.history(), after, strict=True)
            if move.verb != "draw"
        ]
        tell = facts_of("dicke-daemonen").tell
        assert tell is not None
        told = [fact for fact in tell(position.rules, steps, _emptied(position.state)) if fact.value]
        own = [fact for fact in facts_of("dicke-daemonen").of(position) if fact.what != "first_move"]
        assert sorted(told) == own


def _emptied(state: Any) -> Any:
    return state._replace(fists=(0,) * len(state.fists), bag=0, gone=0)


def sums(facts: list[Fact], *seats: int) -> Counter[str]:
    """Return the numbers of a game by key, added up over these seats, or over the whole game."""
    found: Counter[str] = Counter()
    for seat, what, value in facts:
        if isinstance(value, int) and (not seats or seat in seats):
            found[what] += value
    return found


def dilemma_adds_up(all_: Counter[str], seats: list[Counter[str]], position: Position[Any]) -> None:
    assert all_["duels"] == all_["duels_peace"] + all_["duels_mixed"] + all_["duels_conflict"]
    assert all_["peace"] + all_["conflict"] == 2 * all_["duels"]
    assert all_["conflict"] == all_["duels_mixed"] + 2 * all_["duels_conflict"]
    assert all_["offers"] == all_["duels"] + all_["unanswered"]
    for seat in seats:
        assert seat["lifeless"] <= seat["peace"]
        assert seat["missed"] <= seat["throws"]


def struggle_adds_up(all_: Counter[str], seats: list[Counter[str]], position: Position[Any]) -> None:
    assert all_["arrived"] == 4
    assert all_["throws"] == sum(move.verb == "roll" for move in position.moves)
    assert all_["turns"] == sum(move.verb == "play" for move in position.moves)
    assert [10 * seat["in_place"] for seat in seats] == list(position.rules.scores(position.state))
    assert [seat["reached"] == 1 for seat in seats] == [seat["in_place"] == 5 for seat in seats]


def roudalon_adds_up(all_: Counter[str], seats: list[Counter[str]], position: Position[Any]) -> None:
    assert all_["asked"] == all_["granted"] + all_["refused"]
    assert all_["alliances"] == all_["alliances_won"] + all_["alliances_dissolved"]
    assert all_["alliances"] <= all_["granted"]
    assert all_["joint_throws"] <= all_["alliances"] + all_["granted"]
    assert all_["took"] + all_["left"] == all_["staked"] and 0 in (all_["took"], all_["left"])
    assert [seat["took"] - seat["staked"] for seat in seats] == list(position.rules.scores(position.state))


def daemonen_add_up(all_: Counter[str], seats: list[Counter[str]], position: Position[Any]) -> None:
    assert all_["ghosts"] == all_["points_white"]
    assert all_["ghosts"] + all_["demons"] == sum(move.verb == "place" for move in position.moves)
    assert tuple(n for n, seat in enumerate(seats, 1) if seat["came_true"]) == position.rules.winners(position.state)
    for seat in seats:
        assert seat["outer"] <= seat["demons"] and seat["empty_frozen"] <= seat["ghosts"]
        assert seat["before_predicting"] <= seat["ghosts"] + seat["demons"]
        assert (seat["caught"] > 0) == (seat["ghosts"] > seat["empty_frozen"])


def d21_adds_up(all_: Counter[str], seats: list[Counter[str]], position: Position[Any]) -> None:
    moved = all_["slides"] + all_["own_jumps"] + all_["opposing_jumps"]
    assert moved == all_["forward"] + all_["back"] + all_["sideways"] == position.ply - all_["passes"]
    for seat in seats:
        assert seat["slides"] + 2 * (seat["own_jumps"] + seat["opposing_jumps"]) <= seat["spaces"]


ADD_UP = {
    "dilemma": dilemma_adds_up,
    "struggle": struggle_adds_up,
    "roudalon": roudalon_adds_up,
    "dicke-daemonen": daemonen_add_up,
    "d21": d21_adds_up,
}


@every_game
def test_the_sums_of_facts_agree(name: str, seats: int) -> None:
    for record in games(name, seats):
        position = replay(record)
        facts = facts_of(name).of(position)
        ADD_UP[name](sums(facts), [sums(facts, seat) for seat in range(1, seats + 1)], position)
        assert sum(fact.what == "first_move" for fact in facts) == 1
