"""The games as PettingZoo environments: PettingZoo's own checks, and what they do not look at."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, render_test, seed_test

from sample import sample
from tablier.adapters.pettingzoo import Environment, env
from tablier.games.core import IllegalMove, RulesError
from tablier.games.struggle import encoding as struggle

CASES: list[tuple[str, dict[str, Any]]] = [
    ("dilemma", {"seats": 3}),
    ("dilemma", {"seats": 5, "landing": [1, 0, 0, 1]}),
    ("struggle", {"seats": 2}),
    ("struggle", {"seats": 4, "options": {"first": "p3"}}),
    ("dicke-daemonen", {"seats": 1}),
    ("dicke-daemonen", {"seats": 4, "options": {"layout": "weave"}}),
    ("roudalon", {"seats": 4}),
    ("roudalon", {"seats": 6}),
    ("d21", {"options": {"max_plies": 60}}),
]
CASES = sample(CASES[::2], CASES)
every_game = pytest.mark.parametrize(("name", "arguments"), CASES, ids=[f"{n}-{a}" for n, a in CASES])
ALLOWED = (
    # An observation with an action mask is a dictionary, which PettingZoo allows to its own games by name.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
)


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in ALLOWED:
            warnings.filterwarnings("ignore", message)
        yield


@every_game
def test_the_interface_is_that_of_pettingzoo(name: str, arguments: dict[str, Any]) -> None:
    api_test(env(name, **arguments), num_cycles=1000)
    api_test(Environment(name, **arguments), num_cycles=1000)


@every_game
def test_a_seed_gives_the_same_game(name: str, arguments: dict[str, Any]) -> None:
    seed_test(lambda: env(name, **arguments), num_cycles=500)


@every_game
def test_a_game_is_drawn_as_text_and_as_a_picture(name: str, arguments: dict[str, Any]) -> None:
    render_test(partial(env, name, **arguments), {"svg": lambda drawn: drawn.startswith("<svg")})


def test_a_render_mode_that_there_is_not_is_named() -> None:
    game = env("roudalon", render_mode="human")
    game.reset()
    with pytest.raises(ValueError, match="'human'; allowed: 'ansi' and 'svg'"):
        game.render()


def play(game: Environment, seed: int) -> tuple[list[tuple[str, Any]], dict[str, float]]:
    """Play a game at random: observations with their agents, and what everybody got."""
    game.reset(seed=seed)
    rng = np.random.default_rng(seed)
    seen, got = [], dict.fromkeys(game.possible_agents, 0.0)
    for agent in game.agent_iter():
        observation, reward, terminated, truncated, _ = game.last()
        got[agent] += reward
        seen.append((agent, observation))
        over = terminated or truncated
        game.step(None if over else rng.choice(np.flatnonzero(observation["action_mask"])))
    return seen, got


def course_of(seen: list[tuple[str, Any]]) -> list[tuple[Any, ...]]:
    """Return all observations of a game in a form that can be compared."""
    return [(agent, *(seen[key].tobytes() for key in sorted(seen))) for agent, seen in seen]


@every_game
def test_rewards_are_the_scores_of_the_rules(name: str, arguments: dict[str, Any]) -> None:
    game = Environment(name, **arguments)
    for seed in range(sample(2, 3)):
        _, got = play(game, seed)
        end = game._step
        assert not end.actors
        assert list(got.values()) == list(end.encoding.rules.scores(end.encoding.state(end.node)))


@pytest.mark.parametrize(("name", "arguments"), [case for case in CASES if case[0] != "d21"])
def test_seeds_decide_chance_and_no_seed_goes_on(name: str, arguments: dict[str, Any]) -> None:
    first, second, third = (Environment(name, **arguments) for _ in range(3))
    games = [course_of(play(game, seed)[0]) for game, seed in ((first, 1), (second, 1), (third, 2))]
    assert games[0] == games[1] != games[2]
    went_on = set()
    for _ in range(4):
        first.reset()
        second.reset()
        rng = np.random.default_rng(1)
        for _ in range(30):
            if first.terminations[first.agent_selection]:
                break
            action = rng.choice(np.flatnonzero(first.observe(first.agent_selection)["action_mask"]))
            first.step(action)
            second.step(action)
        assert first._step.course() == second._step.course()
        went_on.add(str(first._step.course()))
    assert len(went_on) > 1


@every_game
def test_only_who_is_to_act_may_and_only_legally(name: str, arguments: dict[str, Any]) -> None:
    game = Environment(name, **arguments)
    game.reset(seed=3)
    for agent in game.possible_agents:
        mask = game.observe(agent)["action_mask"]
        assert mask.any() == (agent == game.agent_selection)
    agent, before = game.agent_selection, str(game._step)
    mask = game.observe(agent)["action_mask"]
    illegal = [int(np.flatnonzero(mask == 0)[-1])] if not mask.all() else []
    for action in (*illegal, -1, len(mask)):
        with pytest.raises(IllegalMove):
            game.step(action)
        assert (game.agent_selection, str(game._step)) == (agent, before)


def test_the_second_duellist_does_not_see_what_the_first_one_chose() -> None:
    game = Environment("dilemma", seats=3)
    game.reset(seed=0)
    offer, throw, passing, peace, conflict = 7, 12, 20, 21, 22
    for action in (offer, throw):
        game.step(action)
    while game.agent_selection != "seat_1":
        game.step(passing)
    assert game.observe("seat_1")["action_mask"][[peace, conflict]].all()
    assert not game.observe("seat_2")["action_mask"].any()
    other = pickle.loads(pickle.dumps(game))
    game.step(peace)
    other.step(conflict)
    for agent in ("seat_2", "seat_3"):
        assert game.agent_selection == other.agent_selection == "seat_2"
        assert (game.observe(agent)["observation"] == other.observe(agent)["observation"]).all()
    assert (game.observe("seat_1")["observation"] != other.observe("seat_1")["observation"]).any()


def test_a_game_that_is_cut_short_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(struggle, "MOST_ACTIONS", 7)
    game = Environment("struggle", seats=2)
    game.reset(seed=1)
    acted = 0
    while not any(game.truncations.values()):
        game.step(np.flatnonzero(game.observe(game.agent_selection)["action_mask"])[0])
        acted += 1
    assert acted == 7
    assert game.truncations == {"seat_1": True, "seat_2": True}
    assert not any(game.terminations.values())


def test_what_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RulesError, match="there is no game 'chess'"):
        env("chess")
    with pytest.raises(RulesError, match="Struggle is played by 2, 3 or 4 players, not 5"):
        env("struggle", seats=5)
