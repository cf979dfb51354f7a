"""The games as OpenSpiel games: OpenSpiel's own checks, its algorithms, and what they do not look at."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters import wheels
from sample import sample, thorough

wheels.need_open_spiel()

import numpy as np  # noqa: E402
import pyspiel  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

import tablier.adapters  # noqa: E402
from adapters import algorithms  # noqa: E402
from tablier.adapters.openspiel import State, game_string, load, short_name  # noqa: E402
from tablier.games import GAMES  # noqa: E402
from tablier.games.core import IllegalMove, RulesError  # noqa: E402

HERE = Path(__file__).parent
README = (Path(tablier.adapters.__file__).parent / "README.md").read_text(encoding="utf-8")
every_game = pytest.mark.parametrize("name", GAMES)


@thorough
@pytest.mark.parametrize("names", sample([["roudalon"]], [["d21"], sorted(set(GAMES) - {"d21"})]), ids=" ".join)
def test_openspiels_checks_pass(names: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-W", "error", str(HERE / "conformance.py"), *names],
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    # OpenSpiel reports each error that a check provokes on purpose; ours come last.
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-4000:]
    for name in names:
        assert re.search(rf"{name}: \d+ states, \d+ information states", run.stdout)


def test_every_game_is_registered_under_its_name() -> None:
    assert {short_name(name) for name in GAMES} == {
        "tablier_dilemma",
        "tablier_dicke_daemonen",
        "tablier_struggle",
        "tablier_roudalon",
        "tablier_d21",
    }
    for name in GAMES:
        assert pyspiel.load_game(short_name(name)).get_type().short_name == short_name(name)


def test_a_string_names_a_game_with_all_that_it_needs() -> None:
    setup = {"red": algorithms.RED, "green": algorithms.GREEN}
    options = {"size": 7, "setup": setup, "max_plies": 9}
    one, other = load("d21", 2, options), pyspiel.load_game(game_string("d21", 2, options))
    assert one.encoding is other.encoding
    assert one.encoding.rules.options["setup"] == setup
    start = algorithms.duel(8, 3, [9], [2])
    one, other = load("dilemma", 3, start=start), pyspiel.load_game(game_string("dilemma", 3, start=start))
    assert str(one.new_initial_state()) == str(other.new_initial_state())
    assert '"p1": [9]' in str(one.new_initial_state())
    game = pyspiel.load_game(game_string("dilemma", 4, landing=[1, 1, 0, 0]))
    state = game.new_initial_state()
    state.apply_action(7)
    state.apply_action(12)
    assert state.chance_outcomes() == [(0, 0.5), (1, 0.5)]


def test_what_is_wrong_is_said_at_once() -> None:
    with pytest.raises(RulesError, match="there is no game 'chess'"):
        load("chess")
    with pytest.raises(RulesError, match="max_plies"):
        load("d21", 2, {"max_plies": 0})


@every_game
def test_an_illegal_action_raises_and_changes_nothing(name: str) -> None:
    state = random_states(name, 1)[-1]
    before = str(state), state.history()
    legal = state.legal_actions()
    illegal = next(n for n in range(state.get_game().num_distinct_actions()) if n not in legal)
    for action in (illegal, -2, 10**6):
        with pytest.raises(IllegalMove):
            state.apply_action(action)
        assert (str(state), state.history()) == before


def random_states(name: str, games: int, seats: int | None = None) -> list[State]:
    """States of random games at which one player acts."""
    game = load(name, seats, {"max_plies": 20} if name == "d21" else {})
    rng = random.Random(4)
    states = []
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_simultaneous_node():
                players = range(game.num_players())
                state.apply_actions([rng.choice(state.legal_actions(player) or [0]) for player in players])
                continue
            if state.current_player() >= 0:
                states.append(state.clone())
            state.apply_action(rng.choice(state.legal_actions()))
    return states


# -- observers -----------------------------------------------------------------------------------------------------

NONE, OWN, ALL = (
    pyspiel.PrivateInfoType.NONE,
    pyspiel.PrivateInfoType.SINGLE_PLAYER,
    pyspiel.PrivateInfoType.ALL_PLAYERS,
)


def observer(state: State, public: bool, private: pyspiel.PrivateInfoType, recall: bool = False) -> Any:
    kind = pyspiel.IIGObservationType(public_info=public, private_info=private, perfect_recall=recall)
    return make_observation(state.get_game(), kind)


@every_game
def test_an_observation_is_the_view_of_the_rules(name: str) -> None:
    for state in random_states(name, 2)[::5]:
        encoding, node = state.step.encoding, state.step.node
        for player in range(state.num_players()):
            lines = dict(line.split(": ", 1) for line in state.observation_string(player).splitlines())
            public, own = encoding.view(node, None), encoding.view(node, player + 1)
            assert lines.pop("observer") == f"p{player + 1}"
            assert {key: json.loads(lines.pop(key)) for key in public} == public
            secrets = {key: value for key, value in own.items() if public[key] != value}
            assert {key: json.loads(lines.pop(f"p{player + 1} {key}")) for key in secrets} == secrets
            assert not lines
            assert bool(secrets) <= (name in ("struggle", "dicke-daemonen"))


@every_game
def test_a_tensor_is_made_of_named_parts(name: str) -> None:
    for state in random_states(name, 1)[::9]:
        for player in range(state.num_players()):
            seen = observer(state, True, OWN)
            seen.set_from(state, player)
            assert list(seen.tensor) == state.observation_tensor(player)
            assert [value for part in seen.dict.values() for value in part.ravel()] == list(seen.tensor)
            assert list(seen.dict["player"]) == [float(other == player) for other in range(state.num_players())]
            parts = state.step.encoding.parts
            assert [*seen.dict] == ["player", *(part.name for part in parts)]
            for part in parts:
                view = state.step.encoding.view(state.step.node, player + 1 if part.private else None)
                assert np.allclose(seen.dict[part.name].ravel(), list(part.values(view)))
                assert seen.dict[part.name].shape == part.shape


def test_public_and_private_information_stand_apart() -> None:
    state = random_states("struggle", 1, seats=3)[9]
    objectives = [
        seat["objectives"][f"p{n}"] for n in (1, 2, 3) for seat in [state.step.encoding.view(state.step.node, n)]
    ]
    assert len(set(objectives)) == 3
    for recall in (False, True):
        texts = {
            (public, private): observer(state, public, private, recall).string_from(state, 1)
            for public in (False, True)
            for private in (NONE, OWN, ALL)
        }
        held = {key: [card in text for card in objectives] for key, text in texts.items()}
        for public in (False, True):
            assert held[public, NONE] == [False] * 3
            assert held[public, OWN] == [False, True, False]
            assert held[public, ALL] == [True] * 3
        assert texts[False, NONE] == ""
        assert all(("p1" in texts[True, private]) for private in (NONE, OWN, ALL))
    for private, parts in ((NONE, []), (OWN, ["objectives"]), (ALL, [f"objectives p{n}" for n in (1, 2, 3)])):
        seen = observer(state, False, private)
        seen.set_from(state, 1)
        assert [*seen.dict] == ["player", *parts]
        assert seen.tensor.sum() == 1 + len(parts)


def test_with_perfect_recall_the_course_of_the_game_is_told() -> None:
    state = load("roudalon", 4).new_initial_state()
    state.apply_action(3)
    assert state.information_state_string(2) == (
        "observer: p3\np1 stakes 4 units: 4 in the pot, and one more die in hand."
    )
    assert observer(state, True, OWN, recall=True).tensor is None


def test_the_choices_of_a_duel_are_simultaneous() -> None:
    state = load("dilemma", 3).new_initial_state()
    for action in (7, 12, 0, 20, 20):  # offer 8; throw 3, flat; pass, pass
        state.apply_action(action)
    assert state.is_simultaneous_node()
    assert [state.legal_actions(player) for player in range(3)] == [[21, 22], [21, 22], []]
    state.apply_actions([21, 22, 0])
    assert state.step.encoding.view(state.step.node, None)["gained"] == {"p1": [], "p2": [8, 3], "p3": []}


# -- algorithms ----------------------------------------------------------------------------------------------------


@thorough
def test_tree_search_beats_random_play_at_le_roudalon() -> None:
    result = algorithms.match(load("roudalon", 4), 30, 8)
    assert result.mine > result.theirs + 3


def test_the_last_duel_is_solved_as_the_page_tells() -> None:
    (offer, card, mine, theirs) = next(iter(algorithms.DUELS.values()))
    found = algorithms.equilibrium(offer, card, mine, theirs, 100)
    assert found.table == {
        ("peace", "peace"): (3, 8),
        ("peace", "conflict"): (0, 11),
        ("conflict", "peace"): (11, 0),
        ("conflict", "conflict"): (0, 0),
    }
    assert found.conflict[0] > 0.99
    assert found.distance < 0.01


def test_the_page_shows_every_duel_that_is_solved() -> None:
    for title in algorithms.DUELS:
        assert f"    {title}\n" in README
    assert f"CFR+, {algorithms.ITERATIONS} iterations" in README


def test_a_claim_that_does_not_hold_is_a_fault() -> None:
    won, beaten, unlucky = algorithms.Match(1, 0, 20), algorithms.Match(0.4, 0.6, 12), algorithms.Match(3, 0, 10)
    assert [bool(algorithms.faults_of_match("", match)) for match in (won, beaten, unlucky)] == [False, True, True]
    solved = algorithms.equilibrium(8, 3, [], [])
    lines = algorithms.lines_of_duel(next(iter(algorithms.DUELS)), solved)
    assert algorithms.faults_of_duel("", solved) == algorithms.faults_of_page(lines, README) == []
    assert algorithms.faults_of_duel("", solved._replace(distance=0.02))
    other = algorithms.lines_of_duel(lines[0], solved._replace(values=(5.6, 0.0)))
    assert algorithms.faults_of_page(other, README)


def test_the_checks_cover_every_game() -> None:
    from adapters import conformance  # slow to load

    assert set(conformance.GAMES) == set(conformance.ENDS) == set(GAMES)
