"""Algorithms of OpenSpiel, as they are, play and solve our games: ``make algorithms``.

Its exit status is 1, and it says what is wrong, when the search does not beat random play, when what was found about a
duel is no equilibrium, or when the page about the adapters does not show the very lines that are printed here.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, mcts

import tablier.adapters
from tablier.adapters.openspiel import load

# -- Monte Carlo tree search against random play --------------------------------------------------------------

GAMES = 20
RED = {"b2": 1, "c2": 6, "d2": 2, "e2": 3, "f2": 4, "b3": 5, "c3": 5, "d3": 2, "e3": 3, "f3": 4, "c1": 1, "e1": 1}
GREEN = {"f6": 1, "e6": 6, "d6": 2, "c6": 3, "b6": 4, "f5": 5, "e5": 5, "d5": 2, "c5": 3, "b5": 4, "e7": 1, "c7": 1}
"""The same turned by half a turn: an open game in which nobody wins at once, and random play seldom at all."""
SEARCHES: dict[str, tuple[str, int, dict[str, Any], int]] = {
    "D.21, 7 × 7, 30 moves": ("d21", 2, {"size": 7, "setup": {"red": RED, "green": GREEN}, "max_plies": 30}, 200),
    "Le Roudalon": ("roudalon", 4, {}, 100),
}
"""Game, seats, options, and how many simulations the search makes for each of its moves."""


class Match(NamedTuple):
    mine: float
    """What the searching seat got, on average."""
    theirs: float
    """What each other seat got, on average."""
    won: int
    """In how many games nobody got more than the searching seat, and somebody less."""


def match(game: Any, simulations: int, games: int, seed: int = 1) -> Match:
    """Search plays against random play, sitting in each seat in turn."""
    mine, theirs, won = [], [], 0
    for number in range(games):
        rng = np.random.RandomState(seed + number)
        evaluator = mcts.RandomRolloutEvaluator(1, rng)
        bot = mcts.MCTSBot(game, 2.0 * game.max_utility(), simulations, evaluator, random_state=rng)
        player = number % game.num_players()
        returns = play(game, bot, player, random.Random(seed + number))
        others = [result for other, result in enumerate(returns) if other != player]
        mine.append(returns[player])
        theirs += others
        won += returns[player] >= max(others) and returns[player] > min(others)
    return Match(float(np.mean(mine)), float(np.mean(theirs)), won)


def play(game: Any, bot: Any, player: int, rng: random.Random) -> list[float]:
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, shares = zip(*state.chance_outcomes(), strict=True)
            (action,) = rng.choices(outcomes, shares)
        elif state.current_player() == player:
            action = bot.step(state)
        else:
            action = rng.choice(state.legal_actions())
        state.apply_action(action)
    result: list[float] = state.returns()
    return result


# -- equilibria of a duel -------------------------------------------------------------------------------------

ITERATIONS = 500
DUELS = {
    "the last duel: an 8 is offered, a 3 answers": (8, 3, [], []),
    "the same, and each has one card for one more turn, a 9 and a 2": (8, 3, [9], [2]),
    "a 3 is offered, an 8 answers, and a 9 and a 10 are left": (3, 8, [9], [10]),
}
"""Offer, answer, and what provocateur and contractor hold besides. Both have one life."""


def duel(offer: int, card: int, mine: list[int], theirs: list[int]) -> dict[str, Any]:
    """The description of a duel between p1, who offers, and p2. The third seat has no cards left."""
    return {
        "phase": "duel",
        "turn": "p1",
        "hands": {"p1": mine, "p2": theirs, "p3": []},
        "lives": {"p1": 1, "p2": 1, "p3": 1},
        "gained": {"p1": [], "p2": [], "p3": []},
        "offer": offer,
        "pile": [["p2", card]],
        "beside": [],
        "fresh": False,
        "choices": {"p1": None, "p2": None},
    }


class Equilibrium(NamedTuple):
    conflict: tuple[float, float]
    """How often provocateur and contractor choose conflict."""
    values: tuple[float, float]
    """The points that they can expect from here on."""
    distance: float
    """What they could gain together by turning away from it alone, each for itself."""
    table: dict[tuple[str, str], tuple[float, float]]
    """The points that they can expect by the choices, when they go on as in the equilibrium."""


def equilibrium(offer: int, card: int, mine: list[int], theirs: list[int], iterations: int = ITERATIONS) -> Equilibrium:
    """Found by counterfactual regret minimisation (CFR+)."""
    game = pyspiel.convert_to_turn_based(load("dilemma", 3, start=duel(offer, card, mine, theirs)))
    solver = cfr.CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    root = game.new_initial_state()
    conflict, table = [], {}
    for mine_first in root.legal_actions():
        middle = root.child(mine_first)
        for theirs_then in middle.legal_actions():
            choices = (
                root.action_to_string(mine_first).split()[-1],
                middle.action_to_string(theirs_then).split()[-1],
            )
            table[choices] = tuple(expected_game_score.policy_value(middle.child(theirs_then), [policy] * 3)[:2])
    for state in (root, root.child(root.legal_actions()[0])):
        chances = policy.action_probabilities(state)
        conflict.append(sum(p for a, p in chances.items() if state.action_to_string(a).endswith("conflict")))
    values = expected_game_score.policy_value(root, [policy] * 3)
    return Equilibrium(
        (float(conflict[0]), float(conflict[1])),
        (float(values[0]), float(values[1])),
        float(exploitability.nash_conv(game, policy)),
        table,
    )


# -- what is claimed of them -----------------------------------------------------------------------------------

DISTANCE_MAX = 0.01
"""Points that may be left to gain for what is called an equilibrium."""
PAGE = Path(tablier.adapters.__file__).parent / "README.md"


def lines_of_match(title: str, simulations: int, found: Match, games: int = GAMES) -> list[str]:
    return [
        f"{title}, {simulations} simulations a move: search {found.mine:.2f}, random play {found.theirs:.2f} a game; "
        f"won {found.won} of {games}"
    ]


def lines_of_duel(title: str, found: Equilibrium) -> list[str]:
    lines = [title, f"  {'p1 | p2':10}{'peace':>16}{'conflict':>16}"]
    for first in ("peace", "conflict"):
        cells = [found.table[first, second] for second in ("peace", "conflict")]
        lines.append(f"  {first:10}" + "".join(f"{f'{a:.1f} / {b:.1f}':>16}" for a, b in cells))
    lines.append(f"  conflict: p1 {found.conflict[0]:.0%}, p2 {found.conflict[1]:.0%}")
    lines.append(f"  points: p1 {found.values[0]:.1f}, p2 {found.values[1]:.1f}; NashConv {found.distance:.3f}")
    return lines


def faults_of_match(title: str, found: Match, games: int = GAMES) -> list[str]:
    if found.mine > found.theirs and found.won > games / 2:
        return []
    return [f"{title}: search does not beat random play"]


def faults_of_duel(title: str, found: Equilibrium) -> list[str]:
    if found.distance <= DISTANCE_MAX:
        return []
    return [f"{title}: no equilibrium, {found.distance:.3f} points can still be gained by choosing otherwise"]


def faults_of_page(lines: Sequence[str], page: str) -> list[str]:
    """Return the faults of a page that must show lines, indented as a block and one after another."""
    if "".join(f"    {line}\n" for line in lines) in page:
        return []
    return [f"{PAGE.name} of the adapters does not show what was found: {lines[0]} …"]


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    faults = []
    print(f"Monte Carlo tree search against random play, {GAMES} games each, searching in each seat in turn")
    for title, (name, seats, options, simulations) in SEARCHES.items():
        begun = perf_counter()
        result = match(load(name, seats, options), simulations, GAMES)
        lines = lines_of_match(title, simulations, result)
        faults += faults_of_match(title, result) + faults_of_page(lines, page)
        print("\n".join(f"  {line}" for line in lines), f"({perf_counter() - begun:.0f} s)")
    print()
    print(f"Duels of Dilemma, CFR+ with {ITERATIONS} iterations, in points from here on (p1 / p2)")
    for title, situation in DUELS.items():
        found = equilibrium(*situation)
        lines = lines_of_duel(title, found)
        faults += faults_of_duel(title, found) + faults_of_page(lines, page)
        print("\n".join(f"  {line}" for line in lines))
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
