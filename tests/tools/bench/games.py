"""Measure the speed of the games, beside python-chess and games of OpenSpiel, all driven from Python in the same run.

Everybody plays whole games at random, with the full list of legal moves (of chance: of outcomes) at every step. Ours
are played as any program would: ``position.legal_moves`` and ``position.push``, which checks each move. The others
check nothing, so ours are also played by ``position.push_unchecked``.

OpenSpiel's games are driven in two ways. The loop of OpenSpiel's own example asks each node whether it is chance, and
draws chance from its outcomes with their probabilities, by NumPy: that is how programs drive a game they do not know,
and what the targets are held against. The barest loop takes chance for one more player with equal moves, which is right
in a game here and there only; nothing that drives OpenSpiel from Python is faster. Both are printed.

How far ours are from OpenSpiel's games in C++ in the barest loop, and why: a step of theirs costs about 1 µs, most of
it the two calls from Python and the random choice (0.2 µs), hardly any of it the game. A step of ours costs the same
choice, the property and the method of the position (0.3 µs), and what the last columns of the output show: to list
the moves, to check one, to play it, each of them some dozens of the interpreter's steps. What can be had without
leaving Python is used up: ready lists of moves are joined instead of moves being made, a text or a move is looked up
once, and states share all that a move does not change. What is left is taking a tuple of ten or so values apart and
building the next one (0.3 µs), and copying lists of moves: 170 of them a step at D.21, 82 at Struggle, 34 at Dilemma,
3 at Leduc poker. In the barest loop Dilemma stays below half of Leduc poker's steps when each move is checked, and near
it unchecked. By legal moves a second, Dilemma and Struggle are ahead of all of them.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterable
from functools import partial
from statistics import median
from time import process_time
from typing import Any, NamedTuple

import chess
import chess.pgn
import numpy as np
import pyspiel
from open_spiel.python import games as _python_games  # noqa: F401  (registers them)

from tablier.games import rules_of
from tablier.games.core import Move, Position
from tablier.record import parse_record, record_of, replay

from . import verdict

RUNS = 7
SECONDS = 0.2  # of each run of each game
CHESS_PLIES = 200  # after which a random game of chess is left: bare kings would never end it

OURS = {"D.21": ("d21", 2), "Dilemma": ("dilemma", 3), "Le Roudalon": ("roudalon", 4), "Struggle": ("struggle", 3)}
OURS["Dicke Dämonen"] = ("dicke-daemonen", 3)
UNCHECKED = ", unchecked"
BARE = ", bare"
CHESS = "python-chess"
IN_CPP = ("leduc_poker", "tic_tac_toe", "connect_four", "backgammon")
OPEN_SPIEL = ("python_kuhn_poker", "python_block_dominoes", "python_liars_poker", *IN_CPP)

TARGETS = (
    ("D.21", CHESS, 1.5, "listed"),
    ("Dilemma", "python_kuhn_poker", 2.0, "steps"),
    ("Dilemma", "leduc_poker", 0.5, "steps"),
    (f"Dilemma{UNCHECKED}", "leduc_poker", 0.5, "steps"),
    ("Le Roudalon", "python_kuhn_poker", 2.0, "steps"),
    ("Le Roudalon", "leduc_poker", 0.5, "steps"),
    (f"Le Roudalon{UNCHECKED}", "leduc_poker", 0.5, "steps"),
    ("Struggle", "python_block_dominoes", 2.0, "steps"),
    ("Dicke Dämonen", "python_liars_poker", 2.0, "steps"),
)
"""Who, beside whom, at least how many times as fast, in which of the rates below."""
COPY_LIMIT_US = 2.0


class Rates(NamedTuple):
    """A second's worth of random play."""

    steps: float
    """Moves played, chance included."""
    listed: float
    """Legal moves listed."""


Play = Callable[[random.Random, bool], tuple[int, int]]
"""One random game, with the notation of every legal move or without: (steps, legal moves listed)."""


def play_ours(
    push: Callable[[Position[Any], Move], None], rules: Any, rng: random.Random, strings: bool
) -> tuple[int, int]:
    position = Position(rules)
    listed = 0
    while legal := position.legal_moves:
        if strings:
            [str(move) for move in legal]
        push(position, rng.choice(legal))
        listed += len(legal)
    return position.ply, listed


def play_open_spiel(game: Any, rng: random.Random, strings: bool) -> tuple[int, int]:
    """As OpenSpiel's example does."""
    state = game.new_initial_state()
    steps = listed = 0
    while not state.is_terminal():
        player = state.current_player()
        if state.is_chance_node():
            legal, shares = zip(*state.chance_outcomes(), strict=True)
            action = np.random.choice(legal, p=shares)
        else:
            legal = state.legal_actions(player)
            action = rng.choice(legal)
        if strings:
            [state.action_to_string(player, action) for action in legal]
        state.apply_action(action)
        listed += len(legal)
        steps += 1
    return steps, listed


def play_open_spiel_bare(game: Any, rng: random.Random, strings: bool) -> tuple[int, int]:
    """With as few calls as there can be: chance is a player like any other, all its outcomes equally likely."""
    state = game.new_initial_state()
    steps = listed = 0
    while not state.is_terminal():
        legal = state.legal_actions()
        if strings:
            player = state.current_player()
            [state.action_to_string(player, action) for action in legal]
        state.apply_action(rng.choice(legal))
        listed += len(legal)
        steps += 1
    return steps, listed


def play_chess(rng: random.Random, strings: bool) -> tuple[int, int]:
    board = chess.Board()
    listed = 0
    while (legal := list(board.legal_moves)) and len(board.move_stack) < CHESS_PLIES:
        if strings:
            [move.uci() for move in legal]
        board.push(rng.choice(legal))
        listed += len(legal)
    return len(board.move_stack), listed


def contestants() -> dict[str, Play]:
    ours = {title: partial(play_ours, Position.push, rules_of(name, seats)) for title, (name, seats) in OURS.items()}
    others = {name: partial(play_open_spiel, pyspiel.load_game(name)) for name in OPEN_SPIEL}
    bare = {f"{name}{BARE}": partial(play_open_spiel_bare, pyspiel.load_game(name)) for name in OPEN_SPIEL}
    unchecked = {
        f"{title}{UNCHECKED}": partial(play_ours, Position.push_unchecked, rules_of(name, seats))
        for title, (name, seats) in OURS.items()
    }
    return {**ours, **unchecked, CHESS: play_chess, **others, **bare}


def one_run(play: Play, games: int, seed: int, strings: bool) -> Rates:
    """Play a number of games in a row without reading the clock: some games end after few steps."""
    rng = random.Random(seed)
    np.random.seed(seed)
    steps = listed = 0
    begun = process_time()
    for _ in range(games):
        played, seen = play(rng, strings)
        steps += played
        listed += seen
    seconds = process_time() - begun
    return Rates(steps / seconds, listed / seconds)


def enough(play: Play, strings: bool) -> int:
    """Return the number of games that fill a run; this also warms up caches."""
    games = 0
    rng = random.Random(0)
    begun = process_time()
    while process_time() < begun + SECONDS:
        play(rng, strings)
        games += 1
    return games


def rates(strings: bool = False, runs: int = RUNS) -> dict[str, Rates]:
    """Everybody's medians of runs taken in turns."""
    everybody = {name: (play, enough(play, strings)) for name, play in contestants().items()}
    taken: dict[str, list[Rates]] = {name: [] for name in everybody}
    for run in range(1, runs + 1):
        for name, (play, games) in everybody.items():
            taken[name].append(one_run(play, games, run, strings))
    return {name: Rates(*map(median, zip(*figures, strict=True))) for name, figures in taken.items()}


# -- records ------------------------------------------------------------------------------------------------


def our_records(name: str, seats: int, moves: int = 2_000) -> list[str]:
    """Records of random games with so many moves in all, one a line."""
    rng = random.Random(1)
    rules = rules_of(name, seats)
    lines = []
    while moves > 0:
        position = Position(rules)
        while legal := position.legal_moves:
            position.push(rng.choice(legal))
        moves -= position.ply
        lines.append(record_of(position, tuple("ABCDEF"[:seats])).dumps())
    return lines


def chess_records(games: int = 4) -> list[str]:
    """Random games of chess as PGN."""
    rng = random.Random(1)
    texts = []
    for _ in range(games):
        board = chess.Board()
        while (legal := list(board.legal_moves)) and len(board.move_stack) < CHESS_PLIES:
            board.push(rng.choice(legal))
        texts.append(str(chess.pgn.Game.from_board(board)))
    return texts


def replay_ours(lines: Iterable[str]) -> int:
    return sum(replay(parse_record(json.loads(line))).ply for line in lines)


def replay_chess(texts: Iterable[str]) -> int:
    plies = 0
    for text in texts:
        game = chess.pgn.read_game(io.StringIO(text))
        assert game is not None and not game.errors
        plies += game.end().ply()
    return plies


def replay_rates(runs: int = RUNS) -> dict[str, float]:
    """Checked moves a second from the text of a record, medians of runs taken in turns."""
    jobs: dict[str, Callable[[], int]] = {
        title: partial(replay_ours, our_records(name, seats)) for title, (name, seats) in OURS.items()
    }
    jobs[CHESS] = partial(replay_chess, chess_records())
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(runs):
        for name, job in jobs.items():
            begun = process_time()
            moves = job()
            taken[name].append(moves / (process_time() - begun))
    return {name: median(figures) for name, figures in taken.items()}


# -- copies, and where the time goes ------------------------------------------------------------------------


def copy_us(name: str, seats: int, runs: int = RUNS, copies: int = 20_000) -> tuple[int, float, float]:
    """Plies of a random game, and microseconds for a copy at its start and at its end."""
    rng = random.Random(1)
    fresh = Position(rules_of(name, seats))
    played = fresh.copy()
    while legal := played.legal_moves:
        played.push(rng.choice(legal))
    times: list[list[float]] = [[], []]
    for _ in range(runs):
        for position, figures in zip((fresh, played), times, strict=True):
            begun = process_time()
            for _ in range(copies):
                position.copy()
            figures.append((process_time() - begun) / copies * 1e6)
    return played.ply, median(times[0]), median(times[1])


def parts_us(name: str, seats: int, runs: int = RUNS) -> tuple[float, float, float]:
    """Microseconds a step to list the moves, to check one, to play it."""
    rng = random.Random(1)
    rules = rules_of(name, seats)
    steps: list[tuple[Any, Move]] = []
    while len(steps) < 3_000:
        state = rules.initial()
        while legal := rules.legal(state):
            move = rng.choice(legal)
            steps.append((state, move))
            state = rules.apply(state, move)
    times: list[list[float]] = [[], [], []]
    for _ in range(runs):
        begun = process_time()
        for state, _ in steps:
            rules.legal(state)
        times[0].append(process_time() - begun)
        begun = process_time()
        for state, move in steps:
            rules.refuse(state, rules.canonical(move))
        times[1].append(process_time() - begun)
        begun = process_time()
        for state, move in steps:
            rules.apply(state, move)
        times[2].append(process_time() - begun)
    listing, checking, playing = (median(figures) / len(steps) * 1e6 for figures in times)
    return listing, checking, playing


def main() -> None:
    plain, texts = rates(), rates(strings=True)
    print(f"Random play, {SECONDS} s a run, medians of {RUNS} runs in turns")
    print(f"  {'':30}{'steps a second':>16}{'legal moves a second':>22}{'with their strings':>22}")
    for name, figures in plain.items():
        print(f"  {name:30}{figures.steps:16,.0f}{figures.listed:22,.0f}{texts[name].listed:22,.0f}")
    print()
    print("Targets (steps or legal moves a second, the other game being 1)")
    for name, peer, least, what in TARGETS:
        ratio = getattr(plain[name], what) / getattr(plain[peer], what)
        label = "legal moves" if what == "listed" else what
        bare = f"; {plain[name].steps / plain[peer + BARE].steps:.2f} beside its barest loop" if peer != CHESS else ""
        met = verdict(ratio >= least)
        print(f"  {name:22} beside {peer:22} {ratio:6.2f} {label:12} (target {least:.1f}: {met}{bare})")
    replayed = replay_rates()
    for name, rate in replayed.items():
        if name != CHESS:
            ratio = rate / replayed[CHESS]
            print(
                f"  {name:22} replays {rate:9,.0f} moves a second, chess.pgn.read_game {replayed[CHESS]:7,.0f}: "
                f"{ratio:5.1f} (target 1.0: {verdict(ratio >= 1)})"
            )
    for title, (name, seats) in OURS.items():
        plies, at_start, at_end = copy_us(name, seats)
        met = verdict(max(at_start, at_end) <= COPY_LIMIT_US)
        print(
            f"  {title:22} a copy takes {at_start:.2f} µs at the start, {at_end:.2f} µs after {plies} plies "
            f"(target {COPY_LIMIT_US:.1f}: {met})"
        )
    print()
    print("Towards OpenSpiel's games in C++, driven from Python by the barest loop (their steps a second being 1)")
    print(
        f"  {'':24}"
        + "".join(f"{peer:>13}" for peer in IN_CPP)
        + f"{'list':>8}{'check':>8}{'play':>8}{'all':>8}  µs a step"
    )
    for title, (name, seats) in OURS.items():
        listing, checking, playing = parts_us(name, seats)
        for player, parts in ((title, (listing, checking, playing)), (f"{title}{UNCHECKED}", (listing, 0.0, playing))):
            shares = "".join(f"{plain[player].steps / plain[peer + BARE].steps:13.2f}" for peer in IN_CPP)
            times = (*parts, 1e6 / plain[player].steps)
            print(f"  {player:24}{shares}" + "".join(f"{us:8.2f}" for us in times))
