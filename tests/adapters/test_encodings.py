"""The games in turn order, with numbered actions: they are still the games of the rules."""

from __future__ import annotations

import copy
import math
import pickle
import random
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tablier.adapters
from sample import sample
from tablier.games import GAMES, encoding_of, game_class
from tablier.games.core import TABLE, IllegalMove, OptionError, RulesError
from tablier.games.core.encoding import Encoding, Step
from tablier.games.struggle import encoding as struggle
from tablier.record import Record, replay

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "d21": [{"max_plies": 40}, {"max_plies": 41, "adjacent_jumps": False}],
    "dicke-daemonen": [{}, {"layout": "weave"}],
    "struggle": [{}, {"board": "YRYBYRYYBRYY", "first": "p2"}],
}
CASES = [
    (name, counts[at], OPTIONS.get(name, [{}, {"first": "p3"}])[at])
    for name in GAMES
    for counts in [game_class(name).seat_counts]
    for at in (0, -1)
]
"""Every game with the fewest and with the most seats."""
CASES = sample([case for n, case in enumerate(CASES) if n % 4 in (0, 3)], CASES)
every_case = pytest.mark.parametrize(("name", "seats", "options"), CASES, ids=[f"{n}-{s}-{o}" for n, s, o in CASES])
README = (Path(tablier.adapters.__file__).parent / "README.md").read_text(encoding="utf-8")


def choose(step: Step[Any], rng: random.Random) -> tuple[int, int]:
    """An actor and its number, chance by its probabilities."""
    encoding = step.encoding
    actor = rng.choice(step.actors)
    if actor == TABLE:
        outcomes, shares = zip(*encoding.chance(step.node), strict=True)
        return actor, rng.choices(outcomes, shares)[0]
    return actor, rng.choice(encoding.legal(step.node, actor))


def steps_of(encoding: Encoding[Any], seed: int) -> list[Step[Any]]:
    """A random game, step by step."""
    rng = random.Random(seed)
    step = Step.first(encoding)
    steps = [step]
    while step.actors:
        step = step.play(*choose(step, rng))
        steps.append(step)
    return steps


def numbers(encoding: Encoding[Any], node: Any, seat: int | None, private: bool | None = None) -> list[list[float]]:
    """An observation: the parts for a seat, or those that are private or not."""
    chosen = [part for part in encoding.parts if private is None or part.private == private]
    return [list(part.values(encoding.view(node, seat if part.private else None))) for part in chosen]


def games(test: Callable[[list[Step[Any]], random.Random], None]) -> Callable[..., None]:
    """Run a test of (steps, rng) for every game and number of seats on random games."""

    @every_case
    @settings(max_examples=sample(2, 3), deadline=None)
    @given(seed=st.integers(0, 2**32 - 1))
    def run(name: str, seats: int, options: dict[str, Any], seed: int) -> None:
        test(steps_of(encoding_of(name, seats, options), seed), random.Random(seed))

    run.__name__ = test.__name__
    cases: Callable[..., None] = run
    return cases


# -- the course of a game ----------------------------------------------------------------------------------------


@games
def test_what_was_played_is_a_record_of_the_same_game(steps: list[Step[Any]], rng: random.Random) -> None:
    end, encoding = steps[-1], steps[-1].encoding
    rules = encoding.rules
    moves = tuple(map(str, end.moves()))
    position = replay(Record(rules.name, tuple("ABCDEF"[: rules.seats]), moves, rules.given))
    assert position.state == encoding.state(end.node)
    assert position.is_over
    assert encoding.returns(end.node) == tuple(rules.scores(position.state))


@games
def test_actions_are_ascending_numbers_with_texts_of_their_own(steps: list[Step[Any]], rng: random.Random) -> None:
    for step in rng.sample(steps, min(20, len(steps))):
        encoding, node = step.encoding, step.node
        for seat in encoding.seats:
            legal = encoding.legal(node, seat)
            assert legal == sorted(set(legal))
            assert bool(legal) == (seat in step.actors)
            assert all(0 <= number < encoding.actions for number in legal)
            assert len({encoding.text(node, seat, number) for number in legal}) == len(legal)
        outcomes = encoding.chance(node)
        assert bool(outcomes) == (step.actors == (TABLE,))
        assert [number for number, _ in outcomes] == sorted({number for number, _ in outcomes})
        if outcomes:
            assert all(0 <= number < encoding.outcomes and share > 0 for number, share in outcomes)
            assert math.isclose(sum(share for _, share in outcomes), 1)
            assert len({encoding.text(node, TABLE, number) for number, _ in outcomes}) == len(outcomes)


@games
def test_a_number_that_is_not_legal_is_refused_and_changes_nothing(steps: list[Step[Any]], rng: random.Random) -> None:
    for step in rng.sample(steps, min(6, len(steps))):
        encoding = step.encoding
        for seat in encoding.seats:
            for number in {-1, encoding.actions, 10**6, *(rng.randrange(encoding.actions) for _ in range(4))}:
                if number not in encoding.legal(step.node, seat):
                    with pytest.raises(IllegalMove):
                        step.play(seat, number)
        for number in {-1, encoding.outcomes, *(range(min(encoding.outcomes, 3)))}:
            if number not in dict(encoding.chance(step.node)):
                with pytest.raises(IllegalMove):
                    step.play(TABLE, number)
        with pytest.raises(IllegalMove):
            step.play(len(encoding.seats) + 1, 0)


@games
def test_a_number_means_the_same_in_every_position(steps: list[Step[Any]], rng: random.Random) -> None:
    meant: dict[int, str] = {}
    for before, step in pairwise(steps):
        if step.actor == TABLE:
            continue
        text = step.encoding.text(before.node, step.actor, step.number).split(" ", 1)[1]
        assert meant.setdefault(step.number, text) == text


@games
def test_a_game_stays_within_the_bounds_that_are_promised(steps: list[Step[Any]], rng: random.Random) -> None:
    encoding = steps[0].encoding
    acted = sum(step.actor != TABLE for step in steps[1:])
    assert acted <= encoding.most_actions
    assert len(steps) - 1 - acted <= encoding.most_outcomes
    for step in steps[:-1]:
        assert set(encoding.returns(step.node)) == {0.0}
    returns = encoding.returns(steps[-1].node)
    assert all(encoding.returns_from <= result <= encoding.returns_to for result in returns)
    if encoding.returns_sum is not None:
        assert sum(returns) == encoding.returns_sum


@games
def test_copies_and_pickles_are_the_same_game(steps: list[Step[Any]], rng: random.Random) -> None:
    for step in (steps[0], rng.choice(steps), steps[-1]):
        assert copy.deepcopy(step) is step
        again = pickle.loads(pickle.dumps(step))
        assert again.node == step.node
        assert again.encoding is step.encoding
        assert (again.course(), str(again)) == (step.course(), str(step))
        assert again.told(1) == step.told(1)


@games
def test_the_text_of_a_position_leaves_nothing_out(steps: list[Step[Any]], rng: random.Random) -> None:
    texts: dict[str, Any] = {}
    for step in steps:
        node = step.node._replace(acted=0) if hasattr(step.node, "acted") else step.node
        assert texts.setdefault(str(step), node) == node


def test_equal_arguments_give_the_same_form() -> None:
    assert encoding_of("d21", 2, {"max_plies": 9}) is encoding_of("d21", 2, {"max_plies": 9})
    assert encoding_of("d21", 2, {"max_plies": 9}) is not encoding_of("d21", 2, {"max_plies": 8})


@pytest.mark.parametrize(
    ("name", "seats", "more"),
    [
        ("chess", 2, {}),
        ("d21", 3, {}),
        ("d21", 2, {"options": {"nonsense": 1}}),
        ("d21", 2, {"start": {"turn": "p1"}}),
        ("d21", 2, {"landing": [1, 1, 1, 1]}),
        ("dilemma", 3, {"landing": [1, 1, 1]}),
        ("dilemma", 3, {"landing": [0, 0, 0, 0]}),
        ("dilemma", 3, {"landing": [1, -1, 1, 1]}),
        ("dilemma", 3, {"landing": "flat"}),
    ],
)
def test_wrong_arguments_are_refused(name: str, seats: int, more: dict[str, Any]) -> None:
    with pytest.raises(RulesError):
        encoding_of(name, seats, **more)


@every_case
def test_a_game_can_begin_anywhere(name: str, seats: int, options: dict[str, Any]) -> None:
    encoding = encoding_of(name, seats, options)
    steps = steps_of(encoding, 7)
    for step in steps[:: max(1, len(steps) // sample(2, 4))]:
        description = encoding.rules.describe(encoding.state(step.node))
        begun = Step.first(encoding_of(name, seats, options, description))
        rng = random.Random(8)
        while begun.actors:
            begun = begun.play(*choose(begun, rng))
        assert begun.encoding.rules.ending(encoding.state(begun.node))


# -- observations ------------------------------------------------------------------------------------------------


@games
def test_observations_are_numbers_from_0_to_1_of_the_promised_shape(steps: list[Step[Any]], rng: random.Random) -> None:
    for step in rng.sample(steps, min(12, len(steps))):
        encoding = step.encoding
        for seat in encoding.seats:
            for part, values in zip(encoding.parts, numbers(encoding, step.node, seat), strict=True):
                assert len(values) == math.prod(part.shape), part.name
                assert all(type(value) is float and 0 <= value <= 1 for value in values), part.name


@games
def test_an_observation_tells_which_actions_are_legal(steps: list[Step[Any]], rng: random.Random) -> None:
    seen: dict[tuple[int, str], list[int]] = {}
    for step in steps[:-1]:
        for seat in step.actors:
            if seat != TABLE:
                observed = seat, str(numbers(step.encoding, step.node, seat))
                legal = step.encoding.legal(step.node, seat)
                assert seen.setdefault(observed, legal) == legal


def test_observations_in_all_games_have_private_parts_only_where_there_are_secrets() -> None:
    for name, seats, options in CASES:
        encoding = encoding_of(name, seats, options)
        private = [part.name for part in encoding.parts if part.private]
        assert bool(private) == (encoding.secrets or encoding.simultaneous), name
        assert len({part.name for part in encoding.parts}) == len(encoding.parts)


def others_see_the_same(one: Step[Any], other: Step[Any], owner: int) -> None:
    encoding = one.encoding
    for seat in (None, *encoding.seats):
        same = numbers(encoding, one.node, seat) == numbers(encoding, other.node, seat) and one.told(
            seat
        ) == other.told(seat)
        assert same == (seat != owner), seat


@pytest.mark.parametrize("name", ["struggle", "dicke-daemonen"])
def test_what_is_dealt_is_seen_by_its_owner_alone(name: str) -> None:
    encoding = encoding_of(name, 3)
    for steps in (steps_of(encoding, seed) for seed in range(sample(1, 3))):
        dealt = 0
        for step in steps[:-1]:
            before = encoding.state(step.node)
            if step.actors != (TABLE,) or encoding.rules.chance(before)[0][0].verb not in ("deal", "draw"):
                continue
            first, *_, last = encoding.chance(step.node)
            if first == last:
                continue
            one, other = step.play(TABLE, first[0]), step.play(TABLE, last[0])
            if one.actors == other.actors != ():  # else what follows shows it
                owner = int(encoding.text(step.node, TABLE, first[0]).split()[2][1:])
                others_see_the_same(one, other, owner)
                dealt += 1
        assert dealt >= 3


def test_a_choice_in_a_duel_is_seen_by_its_owner_alone() -> None:
    encoding = encoding_of("dilemma", 4)
    duels = 0
    for step in (step for seed in range(6) for step in steps_of(encoding, seed)):
        if len(step.actors) == 2:
            for seat in step.actors:
                legal = encoding.legal(step.node, seat)
                if len(legal) == 2:
                    others_see_the_same(step.play(seat, legal[0]), step.play(seat, legal[1]), seat)
                    duels += 1
    assert duels > 10


@games
def test_who_acts_learns_which_action_it_was(steps: list[Step[Any]], rng: random.Random) -> None:
    for step in rng.sample(steps[:-1], min(8, len(steps) - 1)):
        for seat in step.actors:
            if seat != TABLE:
                legal = step.encoding.legal(step.node, seat)
                told = [str(step.encoding.told(step.node, seat, number, seat)) for number in legal]
                assert len(set(told)) == len(legal)


# -- Dilemma's window, and games that are cut short ---------------------------------------------------------------


def played(encoding: Encoding[Any], *texts: str) -> Step[Any]:
    """The step after actions and outcomes by their texts."""
    step = Step.first(encoding)
    for text in texts:
        if text.startswith("lands"):
            step = step.play(TABLE, [encoding.text(step.node, TABLE, n) for n in range(encoding.outcomes)].index(text))
        else:
            actor = int(text[1])
            (number,) = (n for n in encoding.legal(step.node, actor) if encoding.text(step.node, actor, n) == text)
            step = step.play(actor, number)
    return step


def test_the_window_asks_clockwise_and_closes_when_all_pass_in_a_row() -> None:
    encoding = encoding_of("dilemma", 4, {"first": "p2"})
    step = played(encoding, "p2 offer 8")
    assert step.actors == (3,)
    step = played(encoding, "p2 offer 8", "p3 throw 3")
    assert step.actors == (TABLE,)
    assert encoding.text(step.node, TABLE, 2) == "lands rim"
    course = ["p2 offer 8", "p3 throw 3", "lands rim", "p4 pass", "p1 throw 8", "lands flat", "p3 pass", "p4 pass"]
    step = played(encoding, *course)
    assert step.actors == (1,)  # who has thrown is asked again
    step = played(encoding, *course, "p1 pass")
    assert step.actors == (3,)  # no valid card: it has reopened, and asking begins anew
    assert encoding.view(step.node, None)["fresh"] is False
    step = played(encoding, *course, "p1 pass", "p3 pass", "p4 throw 5", "lands flat", "p1 pass", "p3 pass", "p4 pass")
    assert step.actors == (2, 4)
    assert [str(move) for move in step.moves()] == [
        "p2 offer 8",
        "p3 throw 3 rim",
        "p1 throw 8 flat",
        "table close",
        "p4 throw 5 flat",
        "table close",
    ]


def test_a_window_in_which_nobody_can_throw_is_closed_at_once() -> None:
    hands = {"p1": [4], "p2": [], "p3": [9]}
    start = {
        "phase": "window",
        "turn": "p3",
        "hands": hands,
        "lives": {"p1": 1, "p2": 1, "p3": 1},
        "gained": {"p1": [], "p2": [], "p3": []},
        "offer": 7,
        "pile": [],
        "beside": [],
        "fresh": False,
    }
    encoding = encoding_of("dilemma", 3, start=start)
    step = played(encoding, "p1 throw 4", "lands outside")
    assert [str(move) for move in step.moves()] == ["p1 throw 4 outside", "table close", "table close"]
    assert step.actors == ()
    assert encoding.returns(step.node) == (0.0, 0.0, 7.0)
    hands = {"p1": [], "p2": [], "p3": [9]}
    alone = encoding_of("dilemma", 3, start={**start, "hands": hands, "pile": [["p1", 7]], "fresh": True})
    assert Step.first(alone).actors == ()


def test_cards_land_by_the_weights() -> None:
    step = played(encoding_of("dilemma", 3), "p1 offer 8", "p2 throw 3")
    assert step.encoding.chance(step.node) == [(0, 0.85), (1, 0.05), (2, 0.04), (3, 0.06)]
    step = played(encoding_of("dilemma", 3, landing=[3, 0, 0, 1]), "p1 offer 8", "p2 throw 3")
    assert step.encoding.chance(step.node) == [(0, 0.75), (3, 0.25)]


def test_everybody_sees_who_throws_and_who_passes() -> None:
    step = played(encoding_of("dilemma", 3), "p1 offer 8", "p2 throw 3", "lands flat", "p3 pass")
    for seat in (None, 1, 2, 3):
        assert ["p2 throw 3"] in step.told(seat)
        assert ["p3 pass"] in step.told(seat)


def test_a_game_of_struggle_that_does_not_end_is_cut_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(struggle, "MOST_ACTIONS", 30)
    start = {
        "phase": "roll",
        "turn": "p1",
        "objectives": {"p1": "K-Q-J-10-9", "p2": "9-10-J-Q-K"},
        "pawns": {"Q": 3, "J": 0, "10": 0, "9": 1},
        "places": ["K"],
        "throws": 0,
        "hand": [],
    }
    encoding = encoding_of("struggle", 2, {"board": "Y" * 400}, start)
    steps = steps_of(encoding, 1)
    assert sum(step.actor != TABLE for step in steps) == 30
    assert encoding.cut_short(steps[-1].node)
    assert not any(encoding.cut_short(step.node) for step in steps[:-1])
    assert encoding.returns(steps[-1].node) == (10.0, 0.0)


def test_the_page_counts_actions_and_outcomes_as_they_are() -> None:
    rows = re.findall(r"^\| `([a-z0-9-]+)` \|.*\| (\d+) \|.*\| (\d+) \|$", README, re.MULTILINE)
    assert [name for name, _, _ in rows] == ["dilemma", "struggle", "dicke-daemonen", "roudalon", "d21"]
    for name, actions, outcomes in rows:
        encoding = encoding_of(name, 3 if name == "dicke-daemonen" else min(game_class(name).seat_counts))
        assert (encoding.actions, encoding.outcomes) == (int(actions), int(outcomes)), name
    assert f"makes {encoding_of('dicke-daemonen', 1).actions} actions" in README
    assert f"After {struggle.MOST_ACTIONS:,} actions" in README


def test_numbers_are_those_of_the_page() -> None:
    def text(name: str, seats: int, number: int) -> str:
        encoding = encoding_of(name, seats)
        step = Step.first(encoding)
        return encoding.text(step.node, 1, number)

    assert [text("dilemma", 3, n) for n in (0, 9, 10, 19, 20, 21, 22)] == [
        "p1 offer 1",
        "p1 offer 10",
        "p1 throw 1",
        "p1 throw 10",
        "p1 pass",
        "p1 duel peace",
        "p1 duel conflict",
    ]
    assert [text("roudalon", 4, n) for n in (0, 5, 6, 7, 8, 9, 10, 11)] == [
        "p1 bet 1",
        "p1 bet 6",
        "p1 roll 1",
        "p1 roll 2",
        "p1 ally",
        "p1 yes",
        "p1 no",
        "p1 done",
    ]
    assert [text("struggle", 2, n) for n in (0, 1, 6, 7, 209, 210, 211, 1755)] == [
        "p1 keep none",
        "p1 keep K",
        "p1 keep A",
        "p1 keep K K",
        "p1 keep A A A A",
        "p1 play none",
        "p1 play K+1",
        "p1 play 9+1 10+1 J+1 Q+1 K+1",
    ]
    assert [text("d21", 2, n) for n in (0, 8, 9, 26, 27, 2939, 2940)] == [
        "p1 a1-b1",
        "p1 a1-j1",
        "p1 a1-a2",
        "p1 a1-j10",
        "p1 b1-a1",
        "p1 j10-i10",
        "p1 pass",
    ]


def test_option_errors_name_what_is_allowed() -> None:
    with pytest.raises(OptionError, match="weights for flat, leaning, rim, outside"):
        encoding_of("dilemma", 3, landing=[1])
    with pytest.raises(OptionError, match="its own arguments: none"):
        encoding_of("roudalon", 4, landing=[1, 1, 1, 1])
