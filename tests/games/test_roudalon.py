"""Le Roudalon: every ruling R-R1 to R-R11, and an oracle written from the rulings alone."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from positions import played, refusal, then
from sample import each, sample
from tablier.games import rules_of
from tablier.games.core import MalformedMove, OptionError, Position, RulesError
from tablier.games.roudalon import rules as roudalon

play = partial(played, "roudalon", seats=4)


def set_up(dice: Sequence[int], pot: int, turn: str = "p1", **changes: Any) -> Position[Any]:
    """A position in which the seat ``turn`` has its turn; ``dice`` by seat, first seat first; the first paid it all."""
    seats = len(dice)
    names = [f"p{seat}" for seat in range(1, seats + 1)]
    staked = [pot - sum(2 for held in dice[1:] if held == 2), *(2 if held == 2 else 0 for held in dice[1:])]
    description = {
        "phase": "turn",
        "turn": turn,
        "pot": pot,
        "dice": dict(zip(names, dice, strict=True)),
        "staked": dict(zip(names, staked, strict=True)),
        "refused": False,
        "allies": [turn],
        "rolling": 0,
        "thrown": [],
    }
    rules = rules_of("roudalon", seats)
    return Position(rules, rules.restore(description | changes))


def legal(position: Position[Any]) -> set[str]:
    return {str(move) for move in position.legal_moves}


def bets(seat: str) -> set[str]:
    return {f"{seat} bet {units}" for units in range(1, 7)}


def dice(position: Position[Any]) -> Any:
    return position.state.dice


# -- the course of the game ------------------------------------------------------------------------------


def test_the_first_turn_is_a_stake(refused: Callable[..., None]) -> None:
    position = play()
    assert position.state.dice == (1, 1, 1, 1)
    assert position.state.pot == 0
    assert legal(position) == bets("p1")
    refused(position, "p1 roll 1", "p1 ally")


def test_the_option_first_says_who_begins() -> None:
    assert play(seats=6, first="p6").to_move == (6,)
    assert play("p6 bet 1", seats=6, first="p6").to_move == (1,)
    with pytest.raises(OptionError):
        play(first="p5")
    with pytest.raises(OptionError, match="4 or 6 players, not 5"):
        play(seats=5)


def test_a_stake_goes_into_the_pot_and_gains_a_die() -> None:
    position = play("p1 bet 5")
    assert position.state.pot == 5
    assert dice(position) == (2, 1, 1, 1)
    assert legal(position) == bets("p2") | {"p2 roll 1", "p2 ally"}


def test_a_throw_that_equals_the_pot_takes_it(refused: Callable[..., None]) -> None:
    position = play("p1 bet 6", "p2 roll 1", "table dice 6")
    assert position.is_over
    assert position.legal_moves == ()
    assert position.rules.ending(position.state) == "taken"
    assert position.rules.scores(position.state) == (-6, 6, 0, 0)
    assert position.rules.winners(position.state) == (2,)
    refused(position, "p3 bet 1")


# -- the rulings -----------------------------------------------------------------------------------------


def test_r_r1_a_stake_with_two_dice_gains_none() -> None:
    position = then(set_up([2, 1, 1, 1], 8), "p1 bet 6")
    assert dice(position) == (2, 1, 1, 1)
    assert position.state.pot == 14
    assert position.state.staked == (14, 0, 0, 0)


@pytest.mark.parametrize("units", ["0", "7", "-1", "01", "1.0", "", "1 1", "six"])
def test_r_r1_a_stake_is_one_to_six_units(units: str) -> None:
    with pytest.raises(MalformedMove):
        rules_of("roudalon", 4).parse(f"p1 bet {units}".strip())


def test_r_r2_without_a_die_there_is_only_the_stake(refused: Callable[..., None]) -> None:
    position = set_up([0, 1, 1, 1], 8)
    assert legal(position) == bets("p1")
    refused(position, "p1 ally", "p1 roll 1")
    assert dice(then(position, "p1 bet 1")) == (1, 1, 1, 1)


def test_r_r3_the_neighbour_must_hold_a_die(refused: Callable[..., None]) -> None:
    position = set_up([1, 0, 2, 2], 8)
    assert legal(position) == bets("p1") | {"p1 roll 1"}
    refused(position, "p1 ally")


def test_r_r3_the_chain_goes_on_until_an_ally_is_done(refused: Callable[..., None]) -> None:
    position = then(set_up([1, 1, 1, 1], 8), "p1 ally")
    assert legal(position) == {"p2 yes", "p2 no"}
    refused(position, "p1 roll 1")
    then(position, "p2 yes")
    assert legal(position) == {"p2 ally", "p2 done"}
    refused(position, "p2 roll 1")
    assert legal(then(position, "p2 ally")) == {"p3 yes", "p3 no"}
    then(position, "p3 yes", "p3 done")
    assert legal(position) == {"p1 roll 1"}


def test_r_r3_the_chain_is_complete_where_nobody_can_be_asked() -> None:
    """No ``done`` then: because the next neighbour holds no die, or is the one whose turn it is."""
    position = then(set_up([1, 1, 0, 1], 8), "p1 ally", "p2 yes")
    assert legal(position) == {"p1 roll 1"}
    position = then(set_up([1, 1, 1, 1], 8, turn="p3"), "p3 ally", "p4 yes", "p4 ally", "p1 yes", "p1 ally")
    assert legal(then(position, "p2 yes")) == {"p3 roll 1"}
    assert position.state.allies == 4


def test_r_r4_after_a_refusal_the_player_is_alone(refused: Callable[..., None]) -> None:
    position = then(set_up([2, 1, 1, 1], 8), "p1 ally", "p2 no")
    assert legal(position) == bets("p1") | {"p1 roll 1", "p1 roll 2"}
    refused(position, "p1 ally")
    alone = then(position.copy(), "p1 roll 2", "table dice 2 6")
    assert alone.rules.ending(alone.state) == "taken"
    staked = then(position, "p1 bet 1")
    assert "p2 ally" in legal(staked), "the next turn may ask again"
    then(staked, "p2 bet 1", "p3 bet 1", "p4 bet 1")
    assert "p1 ally" in legal(staked), "and so may this seat in its next turn"


def test_r_r5_allies_throw_clockwise_and_choose_how_many(refused: Callable[..., None]) -> None:
    position = then(set_up([2, 1, 2, 1], 20, turn="p2"), "p2 ally", "p3 yes", "p3 ally", "p4 yes", "p4 done")
    assert legal(position) == {"p2 roll 1"}
    then(position, "p2 roll 1", "table dice 6")
    assert legal(position) == {"p3 roll 1", "p3 roll 2"}
    refused(position, "p4 roll 1")
    assert "cannot throw" not in refusal(position, "p3 bet 1")
    then(position, "p3 roll 2", "table dice 1 2")
    assert legal(position) == {"p4 roll 1"}
    refused(position, "p4 roll 2")


def test_r_r6_an_alliance_shares_the_pot_by_what_its_dice_show() -> None:
    position = then(set_up([2, 1, 2, 1], 20, turn="p2"), "p2 ally", "p3 yes", "p3 ally", "p4 yes", "p4 done")
    then(position, "p2 roll 1", "table dice 6", "p3 roll 2", "table dice 3 6", "p4 roll 1", "table dice 5")
    assert position.is_over
    assert position.rules.ending(position.state) == "shared"
    rules: Any = position.rules
    assert rules.taken(position.state) == (0, 6, 9, 5)
    assert position.rules.scores(position.state) == (-18, 6, 7, 5)
    assert position.rules.winners(position.state) == (3,)


def test_r_r7_who_goes_over_loses_the_dice_just_thrown() -> None:
    position = then(set_up([2, 1, 2, 1], 8, turn="p2"), "p2 ally", "p3 yes", "p3 ally", "p4 yes", "p4 done")
    then(position, "p2 roll 1", "table dice 4", "p3 roll 1", "table dice 5")
    assert dice(position) == (2, 1, 1, 1)
    assert position.state.pot == 8
    assert position.to_move == (3,)
    two = then(
        set_up([2, 1, 2, 1], 8, turn="p2"), "p2 ally", "p3 yes", "p3 done", "p2 roll 1", "table dice 4", "p3 roll 2"
    )
    assert dice(then(two, "table dice 3 2")) == (2, 1, 0, 1)


def test_r_r8_who_throws_last_loses_the_dice_when_all_fall_short() -> None:
    position = then(set_up([2, 1, 2, 1], 20, turn="p2"), "p2 ally", "p3 yes", "p3 done")
    then(position, "p2 roll 1", "table dice 4", "p3 roll 2", "table dice 5 5")
    assert dice(position) == (2, 1, 0, 1)
    assert position.rules.scores(position.state) == (-18, 0, -2, 0)


def test_r_r9_the_turn_goes_to_the_left_of_the_one_whose_turn_it_was() -> None:
    position = then(set_up([1, 1, 1, 1], 8, turn="p4"), "p4 ally", "p1 yes", "p1 done", "p4 roll 1", "table dice 1")
    assert position.to_move == (1,)
    assert then(position, "p1 roll 1", "table dice 1").to_move == (1,)
    assert then(set_up([1, 1, 1, 1], 8, turn="p4"), "p4 bet 1").to_move == (1,)
    assert then(set_up([1, 1, 1, 1], 8, turn="p4"), "p4 roll 1", "table dice 1").to_move == (1,)


@pytest.mark.parametrize("seats", [4, 6])
def test_r_r10_a_pot_that_nobody_can_reach_ends_the_game(seats: int) -> None:
    position = set_up([1] * seats, 12 * seats - 1)
    assert not then(position, "p1 bet 1").is_over
    then(position, "p2 bet 1")
    assert position.is_over
    assert position.rules.ending(position.state) == "unreachable"
    assert position.rules.scores(position.state) == (-12 * seats, -1, *[0] * (seats - 2))
    assert position.rules.winners(position.state) == tuple(range(3, seats + 1))
    assert str(position.last_events()[-1].text).startswith(f"Nobody can reach {12 * seats + 1}")


def test_r_r11_running_scores_are_minus_the_units_staked() -> None:
    position = play("p1 bet 5", "p2 bet 6", "p3 ally", "p4 yes", "p4 done", "p3 roll 1", "table dice 6")
    assert position.rules.scores(position.state) == (-5, -6, 0, 0)
    assert position.rules.winners(position.state) == ()


# -- notation, chance, what is told ------------------------------------------------------------------------


def test_the_players_page_states_every_ruling_and_option() -> None:
    page = (Path(roudalon.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert [f"**R-R{number}, " in page for number in range(1, 12)] == [True] * 11
    assert "option `first`" in page


@pytest.mark.parametrize(
    "text",
    [
        *("", "table", "table dice", "table dice 0", "table dice 7", "table dice 1 2 3", "table dice x"),
        *("p1 roll", "p1 roll 0", "p1 roll 3", "p1 roll 1 1", "p5 roll 1", "p1 ally p2", "p1 yes 1", "p1 done 0"),
        *("table roll 1", "p1 no no"),
        *("p1 dice 1", "p1 maybe", "table yes", "p1 bet 1 ", "P1 bet 1"),
    ],
)  # fmt: skip
def test_malformed_moves(text: str) -> None:
    with pytest.raises(MalformedMove):
        rules_of("roudalon", 4).parse(text)


def test_a_move_of_another_moment_is_refused_with_a_reason(refused: Callable[..., None]) -> None:
    position = set_up([1, 1, 1, 1], 8)
    refused(position, "p2 bet 1", "table dice 1", "p1 yes", "p1 done")


@pytest.mark.parametrize("count", [1, 2])
def test_the_chances_of_a_throw_are_those_of_its_dice(count: int) -> None:
    position = then(set_up([2, 1, 1, 1], 8), f"p1 roll {count}")
    ways = Counter(" ".join(map(str, sorted(faces))) for faces in itertools.product(range(1, 7), repeat=count))
    expected = {f"table dice {faces}": number for faces, number in ways.items()}
    assert {str(move): chance for move, chance in position.rules.chance(position.state)} == expected
    assert position.rules.chance(play().state) == ()


def test_what_happens_is_told_to_all() -> None:
    position = Position(rules_of("roudalon", 4))
    told = []
    for move in (
        *(
            "p1 bet 5",
            "p2 ally",
            "p3 yes",
            "p3 ally",
            "p4 no",
            "p2 roll 1",
            "table dice 2",
            "p3 roll 1",
            "table dice 6",
        ),
        *("p3 bet 1", "p4 ally", "p1 yes", "p1 done", "p4 roll 1", "table dice 1", "p1 roll 2", "table dice 2 3"),
    ):
        then(position, move)
        told += position.last_events()
    assert {event.audience for event in told} == {None}
    assert [str(event.text) for event in told] == [
        "p1 stakes 5 units: 5 in the pot, and one more die in hand.",
        "p2 asks p3 for an alliance.",
        "p3 says yes.",
        "p3 asks p4 for an alliance.",
        "p4 says no.",
        "p2 and p3 throw together for the 5 in the pot.",
        "p2 throws 1 die.",
        "p2 throws 2 with one die; the pot is 5.",
        "p3 throws 1 die.",
        "p3 throws 6 with one die; together 8, and the pot is 5.",
        "That is over the pot: p3 loses 1 die.",
        "p3 stakes 1 unit: 6 in the pot, and one more die in hand.",
        "p4 asks p1 for an alliance.",
        "p1 says yes.",
        "p1 asks nobody else.",
        "p4 and p1 throw together for the 6 in the pot.",
        "p4 throws 1 die.",
        "p4 throws 1 with one die; the pot is 6.",
        "p1 throws 2 dice.",
        "p1 throws 2 and 3 with two dice; together 6, and the pot is 6.",
        "That is the pot: p4 takes 1, p1 takes 5. The game is over.",
    ]


# -- positions that are set up -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"allies": ["p1", "p3"]}, "without a gap"),
        ({"turn": "table"}, "without a gap"),
        ({"refused": 1}, "refused is true or false"),
        ({"thrown": None}, "not a position of Le Roudalon"),
    ],
)
def test_what_describes_no_position_is_refused(change: dict[str, Any], fault: str) -> None:
    rules = rules_of("roudalon", 4)
    sound = rules.describe(play("p1 bet 4", "p2 ally", "p3 no", "p2 roll 1", "table dice 1").state)
    sound |= {"turn": "p1", "allies": ["p1"], "pot": 10, "staked": {"p1": 10, "p2": 0, "p3": 0, "p4": 0}}
    sound["dice"]["p2"] = 1
    assert rules.restore(sound)
    with pytest.raises(RulesError) as caught:
        rules.restore(sound | change)
    assert fault in str(caught.value)


# -- an oracle, written naively from the rulings -----------------------------------------------------------


def naive(seats: int, turn: int) -> Generator[tuple[set[str], dict[str, Any]], str, dict[str, Any]]:
    """A game as a conversation: yields the legal texts and a picture of the game, is sent the move that was made."""
    hand, paid = [1] * seats, [0] * seats
    gains = [0] * seats

    def left(seat: int) -> int:
        return seat % seats + 1

    def picture() -> dict[str, Any]:
        return {"pot": sum(paid), "dice": list(hand), "scores": [g - p for g, p in zip(gains, paid, strict=True)]}

    def ask(options: set[str]) -> tuple[set[str], dict[str, Any]]:
        return options, picture()

    while True:
        alone = False
        while True:
            options = {f"p{turn} bet {units}" for units in range(1, 7)}
            if sum(paid) and hand[turn - 1]:
                options |= {f"p{turn} roll {count}" for count in range(1, hand[turn - 1] + 1)}
                if hand[left(turn) - 1] and not alone:
                    options.add(f"p{turn} ally")
            words = (yield ask(options)).split()
            allies = [turn]
            if words[1] != "ally":
                break
            while True:
                asked = left(allies[-1])
                if (yield ask({f"p{asked} yes", f"p{asked} no"})).endswith("no"):
                    break
                allies.append(asked)
                if left(asked) == turn or not hand[left(asked) - 1]:
                    break
                if (yield ask({f"p{asked} ally", f"p{asked} done"})).endswith("done"):
                    break
            if len(allies) > 1:
                break
            alone = True
        if words[1] == "bet":
            paid[turn - 1] += int(words[2])
            hand[turn - 1] = min(hand[turn - 1] + 1, 2)
            if sum(paid) > 12 * seats:
                return picture()
            turn = left(turn)
            continue
        total = 0
        shown = {}
        for ally in allies:
            if len(allies) > 1:
                words = (yield ask({f"p{ally} roll {count}" for count in range(1, hand[ally - 1] + 1)})).split()
            count = int(words[2])
            falls = itertools.product(range(1, 7), repeat=count)
            fall = yield ask({"table dice " + " ".join(map(str, sorted(faces))) for faces in falls})
            shown[ally] = sum(map(int, fall.split()[2:]))
            total += shown[ally]
            if total == sum(paid):
                for seat, units in shown.items():
                    gains[seat - 1] = units
                return picture()
            if total > sum(paid) or ally == allies[-1]:
                hand[ally - 1] -= count
                break
        turn = left(turn)


@pytest.mark.parametrize("seats", [4, 6])
@pytest.mark.parametrize("seed", each(6, range(25)))
def test_the_oracle_agrees_at_every_step(seats: int, seed: int) -> None:
    rng = random.Random(f"{seats} {seed}")
    first = rng.randint(1, seats)
    position = play(seats=seats, first=f"p{first}")
    game = naive(seats, first)
    options, picture = next(game)
    shy = seed % 2
    while options:
        texts = list(map(str, position.legal_moves))
        assert len(set(texts)) == len(texts)
        assert set(texts) == options
        actors = {text.split()[0] for text in options}
        assert {f"p{actor}" if actor else "table" for actor in position.to_move} == actors
        state = position.state
        assert (state.pot, list(state.dice)) == (picture["pot"], picture["dice"])
        assert list(position.rules.scores(state)) == picture["scores"]
        # Half of the games are played for alliances, so that long chains occur.
        wanted = [text for text in texts if text.split()[1] in ("ally", "yes") or text.endswith(" bet 1")]
        text = rng.choice(texts if shy or not wanted else wanted)
        position.parse_push(text)
        try:
            options, picture = game.send(text)
        except StopIteration as end:
            options, picture = set(), end.value
    assert position.is_over
    scores = list(position.rules.scores(position.state))
    assert scores == picture["scores"]
    assert position.rules.winners(position.state) == tuple(n for n, s in enumerate(scores, 1) if s == max(scores))


# -- laws --------------------------------------------------------------------------------------------------


@st.composite
def games(draw: st.DrawFn) -> Position[Any]:
    """A game of random moves, stopped anywhere; alliances are more likely than by chance."""
    seats = draw(st.sampled_from([4, 6]))
    rng = random.Random(draw(st.integers(0, 10**6)))
    position = play(seats=seats, first=f"p{draw(st.integers(1, seats))}")
    for _ in range(draw(st.integers(0, 60))):
        moves = position.legal_moves
        if not moves:
            break
        friendly = [move for move in moves if move.verb in ("ally", "yes")]
        position.push_unchecked(rng.choice(friendly if friendly and rng.random() < 0.5 else moves))
    return position


@settings(max_examples=sample(30, 100), deadline=None)
@given(games())
def test_units_and_dice_are_conserved(position: Position[Any]) -> None:
    rules: Any = position.rules
    state = position.state
    assert state.pot == sum(state.staked)
    assert all(0 <= held <= 2 for held in state.dice)
    assert sum(rules.taken(state)) in ((state.pot, 0) if position.is_over else (0,))
    assert sum(rules.scores(state)) == sum(rules.taken(state)) - state.pot
    assert rules.restore(json.loads(json.dumps(rules.describe(state)))) == state
    assert rules.view(state, None) == rules.view(state, 1)


@settings(max_examples=sample(20, 60), deadline=None)
@given(games())
def test_a_move_is_refused_exactly_when_it_is_not_legal(position: Position[Any]) -> None:
    rules, state = position.rules, position.state
    texts = [f"table dice {faces}" for faces in ("1", "6", "1 1", "3 4")]
    for seat in range(1, rules.seats + 1):
        texts += [f"p{seat} {move}" for move in ("bet 1", "bet 6", "roll 1", "roll 2", "ally", "yes", "no", "done")]
    allowed = set(position.legal_moves)
    for move in {*map(rules.parse, texts), *allowed}:
        reason = rules.refuse(state, move)
        assert (reason is None) == (move in allowed), (str(move), reason)
