"""OpenSpiel's own checks of games: ``python tests/adapters/conformance.py NAME …``.

A process of its own, because what goes wrong inside OpenSpiel ends the process.
"""

# ruff: noqa: E402

from __future__ import annotations

import json
import sys
import unittest
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyspiel

# The checks import OpenSpiel's mean field games to list them among its own; with them comes SciPy, which takes longer
# to load than all the rest. None of ours is such a game.
sys.modules["open_spiel.python.mfg.games"] = ModuleType("open_spiel.python.mfg.games")

from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import get_all_states
from open_spiel.python.tests.games_sim_test import GamesSimTest

from tablier.adapters.openspiel import load
from tablier.games import rules_of
from tablier.games.core import Position, seat_name
from tablier.texts import Json

sys.path.insert(0, str(Path(__file__).parents[1]))

from sample import sample

SHORT_BOARD = "YRYBYRYYBRYY"
GAMES: dict[str, list[tuple[int, dict[str, Any], int]]] = {
    "dilemma": [(3, {}, sample(1, 8)), *sample([], [(5, {"first": "p4"}, 2)])],
    "struggle": [(2, {"board": SHORT_BOARD}, sample(1, 3)), *sample([], [(4, {"board": "R" * 10, "first": "p2"}, 2)])],
    "dicke-daemonen": [
        (3, {}, sample(1, 5)),
        *sample([], [(2, {"layout": "weave"}, 1), (1, {"layout": "tangle"}, 3)]),
    ],
    "roudalon": [(4, {}, sample(2, 20)), (6, {"first": "p3"}, sample(1, 8))],
    "d21": [
        (2, {"max_plies": sample(9, 24)}, sample(1, 3)),
        *sample([], [(2, {"max_plies": 11, "adjacent_jumps": False}, 2)]),
    ],
}
"""For each game the seats, options and number of random games to check it with."""

ENDS: dict[str, tuple[int, dict[str, Any], Json | None]] = {
    "dilemma": (
        3,
        {},
        {
            "phase": "duel",
            "turn": "p1",
            "hands": {"p1": [9], "p2": [10], "p3": []},
            "lives": {"p1": 1, "p2": 1, "p3": 0},
            "gained": {"p1": [], "p2": [], "p3": []},
            "offer": 3,
            "pile": [["p2", 8]],
            "beside": [],
            "fresh": False,
            "choices": {"p1": None, "p2": None},
        },
    ),
    "struggle": (
        2,
        {"board": "R" * 10},
        {
            "phase": "roll",
            "turn": "p2",
            "objectives": {"p1": "K-Q-J-10-9", "p2": "9-10-J-Q-K"},
            "pawns": {"Q": 10, "9": 10 - 1},
            "places": ["10", "K", "J"],
            "throws": 2,
            "hand": ["Q", "9", "9", "A"],
        },
    ),
    "dicke-daemonen": (2, {}, None),  # see end_of_daemonen
    "roudalon": (
        4,
        {},
        {
            "phase": "turn",
            "turn": "p2",
            "pot": 46,
            "dice": {"p1": 0, "p2": 1, "p3": 1, "p4": 0},
            "staked": {"p1": 12, "p2": 12, "p3": 11, "p4": 11},
            "refused": False,
            "allies": ["p2"],
            "rolling": 0,
            "thrown": [],
        },
    ),
    "d21": (2, {"max_plies": sample(1, 2)}, None),
}
"""For each game an end of it that is short enough to be walked through in full: seats, options, where it starts."""
STATES_MAX = 30_000


def end_of_daemonen() -> Json:
    """The last moves of a game, some draws among them: what is drawn is known to one seat alone."""
    rules = rules_of("dicke-daemonen", 2)
    rng = np.random.RandomState(4)
    states = [rules.initial()]
    while legal := rules.legal(states[-1]):
        states.append(rules.apply(states[-1], legal[rng.randint(len(legal))]))
    return rules.describe(states[-8])


class Shadow:
    """Follows a random game of OpenSpiel and plays it again by the rules, move for move, in the notation of records."""

    def __init__(self, game: pyspiel.Game, name: str, seats: int, options: dict[str, Any]) -> None:
        self.game, self.name, self.rules = game, name, rules_of(name, seats, options)
        self.before: pyspiel.State | None = None
        self.position = Position(self.rules)
        self.asked: int | None = None
        self.passes = 0
        self.thrown: int | None = None
        self.checked = 0

    def __call__(self, state: pyspiel.State) -> None:
        if self.before is None or not state.history():
            self.position = Position(self.rules)
            self.asked, self.passes, self.thrown = None, 0, None
        else:
            self.follow(self.before, state.full_history()[len(self.before.full_history()) :])
        self.before = state.clone()
        self.compare(state)
        self.checked += 1

    def follow(self, before: pyspiel.State, actions: Sequence[Any]) -> None:
        if before.is_simultaneous_node():
            for one in actions:
                if before.legal_actions(one.player):
                    self.position.parse_push(before.action_to_string(one.player, one.action))
            return
        (one,) = actions
        text = before.action_to_string(one.player, one.action)
        if self.name == "dilemma" and one.player == pyspiel.PlayerId.CHANCE:
            assert text.split()[0] == "lands" and self.asked is not None
            self.position.parse_push(f"{seat_name(self.asked)} throw {self.thrown} {text.split()[1]}")
            self.passes, self.thrown = 0, None
            self.ask_next()
        elif self.name == "dilemma" and " throw " in text:
            assert self.asked is not None and text.split()[0] == seat_name(self.asked)
            self.thrown = int(text.split()[2])
        elif text == f"{seat_name(self.asked or 0)} pass" and self.name == "dilemma":
            self.passes += 1
            self.ask_next()
        else:
            self.position.parse_push(text)
            self.asked = None
            self.ask_next()

    def ask_next(self) -> None:
        """Dilemma's window as the adapter's page tells it: clockwise, until all have passed in a row."""
        while self.name == "dilemma" and "table" in map(seat_name, self.position.to_move):
            throwers = [seat for seat in self.position.to_move if seat]
            if self.passes < len(throwers):
                start = self.asked or self.position.state.turn
                seats = self.rules.seats
                self.asked = next(s for n in range(1, seats + 1) if (s := (start + n - 1) % seats + 1) in throwers)
                return
            self.position.parse_push("table close")
            self.asked, self.passes = None, 0
        self.asked = None

    def compare(self, state: pyspiel.State) -> None:
        position, rules = self.position, self.rules
        lines = dict(line.split(": ", 1) for line in str(state).splitlines())
        told = {key: json.loads(value) for key, value in lines.items()}
        described = rules.describe(position.state)
        assert {key: told[key] for key in described} == described
        assert all(ord(letter) < 128 or letter.isalpha() for letter in str(state))
        seats = [seat_name(seat) for seat in range(1, rules.seats + 1)]
        scores = rules.scores(position.state) if position.is_over else (0,) * rules.seats
        assert tuple(state.returns()) == tuple(scores), (state.returns(), scores)
        assert state.is_terminal() == position.is_over
        if position.is_over:
            return
        if self.asked:
            assert told["asked"] == seat_name(self.asked) and told["passes"] == self.passes
        if self.thrown:
            assert state.is_chance_node() and told["thrown"] == self.thrown
            return
        texts = {str(move) for move in position.legal_moves}
        if state.is_chance_node():
            shares = dict(state.chance_outcomes())
            assert {state.action_to_string(-1, outcome) for outcome in shares} == texts
            ours = {str(move): weight for move, weight in rules.chance(position.state)}
            for outcome, share in shares.items():
                assert abs(ours[state.action_to_string(-1, outcome)] / sum(ours.values()) - share) < 1e-12
            return
        for player, seat in enumerate(seats):
            listed = {state.action_to_string(player, action) for action in state.legal_actions(player)}
            if self.asked:
                own = {text.rsplit(" ", 1)[0] for text in texts if text.startswith(f"{seat} throw ")}
                own = own | {f"{seat} pass"} if player == self.asked - 1 else set()
            else:
                own = {text for text in texts if text.startswith(seat + " ")}
            assert listed == own, (seat, listed ^ own)


def check_random_games(name: str) -> None:
    for seats, options, games in GAMES[name]:
        game = load(name, seats, options)
        shadow = Shadow(game, name, seats, options)
        pyspiel.random_sim_test(
            game, num_sims=games, serialize=True, verbose=False, mask_test=True, state_checker_fn=shadow
        )
        assert shadow.checked > 8 * games
        np.random.seed(1)
        tester = GamesSimTest("test_pig")
        tester.sim_game(game)
        if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
            tester.sim_game(pyspiel.convert_to_turn_based(game))


def check_interface(name: str) -> None:
    seats, options, _ = GAMES[name][0]

    class Enforce(api_test.EnforceAPIOnPartialTreeBase):  # type: ignore[misc]  # OpenSpiel has no types
        game = load(name, seats, options)
        game_name = name

    class EnforceInTurn(api_test.EnforceAPIOnPartialTreeBase):  # type: ignore[misc]
        game = pyspiel.load_game_as_turn_based(str(Enforce.game))
        game_name = name

    suite = unittest.TestSuite()
    for case in (Enforce, EnforceInTurn)[: 1 + (name == "dilemma")]:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    assert suite.countTestCases() >= 5
    result = unittest.TextTestRunner(stream=sys.stdout).run(suite)
    assert result.wasSuccessful() and not result.skipped


def check_recall(name: str) -> None:
    seats, options, start = ENDS[name]
    if name == "dicke-daemonen":
        start = end_of_daemonen()
    game = load(name, seats, options, start)
    if name == "dilemma":
        game = pyspiel.convert_to_turn_based(game)
    states = get_all_states.get_all_states(game, depth_limit=-1, include_terminals=True, include_chance_states=True)
    assert 20 < len(states) < STATES_MAX, len(states)
    found = api_test._assert_is_perfect_recall(game)
    assert found
    print(f"{name}: {len(states)} states, {len(found)} information states")


if __name__ == "__main__":
    for game in sys.argv[1:]:
        check_random_games(game)
        check_interface(game)
        check_recall(game)
