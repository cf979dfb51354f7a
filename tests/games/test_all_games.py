"""What holds for every game in the registry, whatever its rules: the laws of :mod:`tablier.games.testing`, and more.

A game that joins the registry is tested by these at once. It has to say two things here: with which options it is
worth playing (:data:`OPTION_SETS`), and which of its moves are secrets, and whose (:data:`SECRETS`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample import THOROUGH, sample
from tablier.games import GAMES, game_class, rules_of, script_of
from tablier.games.core import TABLE, MalformedMove, Move, OptionError, Position, Rules
from tablier.games.core.questions import Conditions, LaterTurn, Played
from tablier.games.core.scripts import attempts_of
from tablier.games.testing import Walk, check_walk
from tablier.record import parse_record, record_of, replay
from tablier.texts import Json

SMALL_D21 = {
    side: {f"{column}{row}": face for row in rows for column, face in zip("bcdef", faces, strict=True)}
    | {f"b{last}": 6, f"f{last}": 6}
    for side, rows, faces, last in [("red", (2, 3), (1, 1, 2, 3, 4), 1), ("green", (5, 6), (5, 5, 4, 3, 2), 7)]
}
OPTION_SETS: dict[str, list[Json]] = {
    "dilemma": [],
    "struggle": [{"board": "YRYBYRYYBRYY"}, {"board": "R" * 10}],
    "dicke-daemonen": [{"layout": "chain"}, {"layout": "tangle"}],
    "roudalon": [],
    "d21": [
        {"max_plies": 40},
        {"max_plies": 41, "adjacent_jumps": False},
        {"max_plies": 60, "size": 7, "setup": SMALL_D21},
    ],
}
"""Besides no options at all, and another ``first`` where there is that option."""
SHORT = {"d21"}
"""Games that bots at random hardly end without an option: ten times as long as with one."""
SEEDS = st.integers(0, sample(5, 2**32 - 1))


def no_secret(rules: Rules[Any], before: Any, move: Move) -> int | None:
    return None


def first_choice_of_a_duel(rules: Rules[Any], before: Any, move: Move) -> int | None:
    return move.actor if move.verb == "duel" and len(rules.to_move(before)) == 2 else None


def dealt(rules: Rules[Any], before: Any, move: Move) -> int | None:
    """``table deal p2 …``, ``table draw p2 …``: the secret of seat 2."""
    return int(str(move).split()[2][1:]) if move.verb in ("deal", "draw") else None


SECRETS = {
    "dilemma": first_choice_of_a_duel,
    "struggle": dealt,
    "dicke-daemonen": dealt,
    "roudalon": no_secret,
    "d21": no_secret,
}
"""The seat whose secret a move is when it is made, or ``None``."""
CASES = sample(
    [("dicke-daemonen", 1), *((name, game_class(name).seat_counts[-1]) for name in GAMES)],
    [(name, seats) for name in GAMES for seats in game_class(name).seat_counts],
)
every_game = pytest.mark.parametrize(("name", "seats"), CASES, ids=[f"{name}-{seats}" for name, seats in CASES])


def option_sets(name: str, seats: int) -> list[Json]:
    sets: list[Json] = [{}, *OPTION_SETS[name]]
    if "first" in game_class(name).OPTIONS:
        sets.append({"first": f"p{seats}"})
    return sets


@cache
def rules_for(name: str, seats: int, number: int) -> Rules[Any]:
    return rules_of(name, seats, option_sets(name, seats)[number])


def walks(test: Callable[[Walk], None]) -> Callable[..., None]:
    """Run a test of (walk) for every game and number of seats, over option sets and seeds."""

    @every_game
    @settings(max_examples=sample(2, 20), deadline=None)
    @given(data=st.data())
    def run(name: str, seats: int, data: st.DataObject) -> None:
        least = 0 if THOROUGH or name not in SHORT else 1
        number = data.draw(st.integers(least, len(option_sets(name, seats)) - 1), label="option set")
        test(data.draw(SEEDS.map(lambda seed: Walk(rules_for(name, seats, number), seed)), label="game"))

    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    whole: Callable[..., None] = run
    return whole


def position_of(walk: Walk, ply: int) -> Position[Any]:
    position: Position[Any] = Position(walk.rules)
    for move in walk.moves[:ply]:
        position.push(move)
    return position


# -- who says what it is -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_game_says_what_these_laws_need(name: str) -> None:
    assert name in OPTION_SETS, f"which options of {name} are worth playing?"
    assert name in SECRETS, f"which moves of {name} are secrets, and whose?"
    cls = game_class(name)
    assert cls.name == name
    assert cls.title
    assert list(cls.seat_counts) == sorted(set(cls.seat_counts))
    assert all(option.help for option in cls.OPTIONS.values())
    for seats in {0, 1, 2, 3, 4, 5, 6, 7} - set(cls.seat_counts):
        with pytest.raises(OptionError):
            rules_of(name, seats)


@walks
def test_the_laws_hold(walk: Walk) -> None:
    check_walk(walk)


@walks
def test_what_is_secret_is_what_the_rules_say(walk: Walk) -> None:
    rules, now = walk.rules, None
    for before, move, after in walk.steps:
        owner = SECRETS[rules.name](rules, before, move)
        assert rules.secret(before, move, after) == (owner is not None and bool(rules.to_move(after))), str(move)
        if rules.name == "dilemma" and now and move.verb == "duel":  # the second choice opens both
            assert not rules.secret(*now, after)
        now = (before, move) if owner is not None else None


@walks
def test_a_secret_is_what_some_are_told_and_others_not(walk: Walk) -> None:
    """A game that says which moves are secret without looking at what is told of them says the same."""
    if walk.rules.name == "dilemma":  # whose secret has no audience yet
        return
    for before, move, after in walk.steps:
        assert walk.rules.secret(before, move, after) == Rules.secret(walk.rules, before, move, after), str(move)


@walks
def test_rules_that_conduct_a_game_allow_what_they_list(walk: Walk) -> None:
    """Nothing else, even where they make up for a move that an older log lacks."""
    rules = walk.rules.conducted()
    position = Position(rules)
    for move in walk.moves:
        legal = rules.legal(position.state)
        for other in (*legal, *walk.rng.sample(walk.offered, min(20, len(walk.offered))), move):
            assert rules.allows(position.state, other) == (other in legal), str(other)
        if (idle := rules.idle(position.state)) is not None and move != idle:
            position.push(idle)
        position.push(move)


@walks
def test_a_turn_that_is_made_later_opens_what_it_lists(walk: Walk) -> None:
    """Also when the position has gone on meanwhile, and of moves that are not the seat's or none of the game."""
    script, rules = script_of(walk.rules.name)[0], walk.rules.conducted()
    for ply in walk.rng.sample(range(len(walk.moves)), min(12, len(walk.moves))):
        position = position_of(walk, ply).conducted()
        if TABLE in position.to_move and len(position.to_move) == 1:
            continue
        state, twin, course = position.state, position.copy(), script(position, Conditions())
        question = next(course)
        while isinstance(question, LaterTurn):
            (seat,) = question.seats
            legal = [move for move in rules.legal(state) if move.actor == seat]
            position.push(legal[0])
            whole = question.whole
            told = question.what, question.seats, question.may_pass, question.text, question.secret
            assert told == (whole.what, whole.seats, whole.may_pass, whole.text, whole.secret)
            assert question.moves == whole.moves == attempts_of(rules, legal) and question.menus is whole.menus
            odd = Move(seat, "nothing"), legal[0]._replace(verb=legal[0].verb + "s")
            for move in (*rules.legal(state), *walk.offered, *map(rules.attempt, walk.offered), *odd):
                assert question.opens(move) == (move in whole.moves), str(move)
            if not question.may_pass:
                break
            position.pop()
            assert position == twin
            try:
                question = course.send(Played(seat, None))
            except StopIteration:
                break


@pytest.mark.parametrize(("name", "seats"), CASES)
def test_what_is_no_move_at_all_is_malformed(name: str, seats: int) -> None:
    position = Position(rules_for(name, seats, 0))
    (actor, verb, _), *_ = position.legal_moves
    odd: list[Any] = [Move._make([actor, verb, 5]), (actor,), f"{actor} {verb}", None]
    for other in odd:
        with pytest.raises(MalformedMove):
            position.push(other)
        assert (position.ply, position.state) == (0, position.rules.initial())


# -- positions and records -----------------------------------------------------------------------------------------


@walks
def test_a_copy_is_equal_and_independent(walk: Walk) -> None:
    ply = walk.rng.randrange(len(walk.moves))
    position = position_of(walk, ply)
    twin = position.copy()
    assert twin == position
    assert twin.moves == position.moves
    twin.push(walk.moves[ply])
    assert (position.state, position.ply, position.moves) == (walk.states[ply], ply, walk.moves[:ply])
    assert twin.state == walk.states[ply + 1]
    assert twin != position or walk.states[ply] == walk.states[ply + 1]
    twin.pop()
    assert twin == position


@walks
def test_a_record_replays_to_the_same_position(walk: Walk) -> None:
    for ply in (walk.rng.randrange(len(walk.moves)), len(walk.moves)):
        position = position_of(walk, ply)
        record = record_of(position, tuple(f"Player {n}" for n in range(walk.rules.seats)))
        assert (record.result is not None) == position.is_over
        again = parse_record(json.loads(record.dumps()))
        assert again == record
        assert replay(again) == position
        assert replay(again).moves == position.moves


# -- options -------------------------------------------------------------------------------------------------------

ODD: list[object] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    2,
    7,
    99,
    10**20,
    1.5,
    "",
    "p1",
    "p9",
    "table",
    "red",
    "A",
    "é",
    [],
    {},
    [[]],
    [1, 2],
]

JSON = st.recursive(
    st.sampled_from(ODD) | st.text(max_size=4) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@every_game
@settings(max_examples=sample(5, 25), deadline=None)
@given(data=st.data())
def test_an_option_of_any_value_is_an_option_error_or_fine(name: str, seats: int, data: st.DataObject) -> None:
    for key in [*game_class(name).OPTIONS, "nonsense"]:
        try:
            rules = rules_of(name, seats, {key: data.draw(JSON, label=key)})
        except OptionError as error:
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < 1000
        else:
            assert key != "nonsense"
            assert rules.to_move(rules.initial())


@every_game
def test_rules_do_not_share_their_options_with_the_giver(name: str, seats: int) -> None:
    for options in option_sets(name, seats):
        given_options = json.loads(json.dumps(options))
        rules = rules_of(name, seats, given_options)
        assert rules.given == options
        given_options["nonsense"] = 1
        assert rules.given == options
