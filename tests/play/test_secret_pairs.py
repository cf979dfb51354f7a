"""Two runs that differ in nothing but a secret: nobody else can tell them apart.

For each kind of secret: an objective, a fist, a choice that is not opened, and the chance to come. What is compared is
every update of every other viewer, everything that a bot is asked, and every entry of the log, but for the salted
bodies that hold the secret and for what is bound to it.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec import to_builtins
from parts import same_people

import replies
from at_screens import HandClock, Screens
from positions import then
from sample import sample
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games import rules_of
from tablier.games.core import Move, Position
from tablier.games.core.questions import Choice, Turn, bare
from tablier.log.store import Log
from tablier.play import chairs
from tablier.play.beginning import begin
from tablier.texts import Json

OWNER, BOT = 1, 3
"""The seat whose secret it is, and one that a bot has; seat 2 is at a screen too."""
COUNTS = {"dilemma": 4, "struggle": 3, "dicke-daemonen": 3, "roudalon": 4, "d21": 2}


class Asked(NamedTuple):
    """The observations of one run."""

    updates: dict[int | None, list[str]]
    bot: list[str]
    log: list[Any]


class Recorder:
    """A bot that keeps what it is asked, and takes the first move."""

    asked: list[str] = []

    def decide(self, view: Json, moves: Sequence[Move], may_pass: bool) -> Move | None:
        Recorder.asked.append(json.dumps([view, [bare(move) for move in moves], may_pass], sort_keys=True))
        return moves[0]


_RANDOM = ("id", "commitment", "run", "seed", "heading", "bind", "named")


def _neutral(value: Any) -> Any:
    """A value without the ids of questions, which are random, and without what hides or binds a secret."""
    if isinstance(value, dict):
        if "salt" in value:
            return "salted"
        return {key: _neutral(each) for key, each in value.items() if key not in _RANDOM}
    return [_neutral(each) for each in value] if isinstance(value, list) else value


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(chairs, "bot_for", lambda *args: Recorder())

    def run(
        game: str,
        position: Position[Any],
        seed: int = 1,
        choice: int | None = None,
        steps: int = 12,
        secret: Sequence[str] = (),
    ) -> Asked:
        """Play on until the owner would have to show its ``secret``. ``choice``: what it is bound to."""
        Recorder.asked = []
        count = COUNTS[game]
        seats = [Seat("ABCD"[n], 0, "random" if n + 1 == BOT else AT_SCREEN) for n in range(count)]
        people = tuple(n for n in range(1, count + 1) if n != BOT)
        number = len(list(tmp_path.iterdir()))
        with same_people(), Log.open(tmp_path / f"{number}.db") as log:
            began = begin(log, game, {}, seats, seed=f"{seed:064x}")
            screens = Screens(log, began, HandClock(), people, position=position.copy())
            session, seen = screens.running.session, screens.seen
            for _ in range(steps):
                question = session.question
                if isinstance(question, Turn):
                    moves = [move for move in map(bare, question.moves) if not any(word in move for word in secret)]
                    if not moves:
                        break
                    screens.say(question.seats[0], replies.play(moves[0]))
                elif isinstance(question, Choice):
                    asked = [seat for seat in question.seats if seat in session.open.waiting]
                    if OWNER in asked and choice is not None:
                        screens.lock(OWNER, choice)
                    break
            screens.running.close()
            entries = [[entry.kind, _neutral(entry.body)] for entry in log.entries() if entry.kind != "ids"]
        return Asked(
            {
                who: [json.dumps(_neutral(to_builtins(each)), sort_keys=True) for each in all]
                for who, all in seen.items()
            },
            Recorder.asked,
            entries,
        )

    return run


def alike(one: Asked, two: Asked, hidden_from: Sequence[int | None]) -> None:
    for viewer in hidden_from:
        assert one.updates[viewer] == two.updates[viewer] and one.updates[viewer]
    assert one.bot == two.bot
    assert one.log == two.log and len(one.log) > 3


def dealt(game: str, seed: int) -> tuple[Position[Any], Position[Any], list[str]]:
    """Positions after all was dealt, in which the owner alone holds another card or creature, and which these are."""
    dice, rules = random.Random(seed), rules_of(game, COUNTS[game])
    pair = Position(rules), Position(rules)
    differ: list[str] = []
    while pair[0].to_move == (0,) == pair[1].to_move and pair[0].ply < 16:
        outcomes = [[move for move, _ in rules.chance(position.state)] for position in pair]
        both = [move for move in outcomes[0] if move in outcomes[1]]
        moves = [dice.choice(both)] * 2 if differ else dice.sample(both, 2)
        differ = differ or [str(move.args[-1]) for move in moves]
        for position, move in zip(pair, moves, strict=True):
            position.push(move)
        if game == "struggle" and pair[0].ply == COUNTS[game] + 1:
            break
    return *pair, differ


@pytest.mark.parametrize("seed", range(sample(2, 6)))
@pytest.mark.parametrize("game", ["struggle", "dicke-daemonen"])
def test_an_objective_and_a_fist_show_to_nobody_else(game: str, seed: int, runs: Any) -> None:
    *pair, secret = dealt(game, seed)
    one, two = (runs(game, position, secret=secret) for position in pair)
    assert one.updates[OWNER] != two.updates[OWNER]
    assert one.bot or game == "dicke-daemonen"  # where it may be that the owner can do nothing else
    alike(one, two, (2, None))


@pytest.mark.parametrize("game", ["struggle", "dicke-daemonen"])
def test_what_is_dealt_is_salted_in_the_log(game: str, runs: Any) -> None:
    """So two logs whose deals differ are equal but for the salted bodies."""
    one, two = (runs(game, Position(rules_of(game, COUNTS[game])), seed=seed, steps=0) for seed in (1, 2))
    secret = [entry for entry in one.log if entry == ["move", "salted"]]
    assert len(secret) == (COUNTS[game] if game == "struggle" else 4 * COUNTS[game])
    rolled = [n for n, (kind, body) in enumerate(one.log) if kind == "move" and body != "salted"]
    end = rolled[0] if rolled else len(one.log)
    assert one.log[:end] == two.log[:end]


TO_A_DUEL = ("p1 offer 8", "p2 throw 3 flat", "table close")


@pytest.mark.parametrize("choices", [(0, 1), (1, 0)])
def test_a_choice_in_a_duel_shows_to_nobody_not_even_where_it_was_made(choices: tuple[int, int], runs: Any) -> None:
    """A screen keeps it to itself."""
    position: Position[Any] = Position(rules_of("dilemma", COUNTS["dilemma"]))
    then(position, *TO_A_DUEL)
    one, two = (runs("dilemma", position, choice=choice) for choice in choices)
    assert any(kind == "commitment" for kind, _ in one.log)
    alike(one, two, (OWNER, 2, 4, None))


@pytest.mark.parametrize("game", COUNTS)
def test_chance_to_come_shows_to_nobody(game: str, runs: Any) -> None:
    """Games with other seeds are alike until something is drawn."""
    position: Position[Any] = Position(rules_of(game, COUNTS[game]))
    dice = random.Random(1)
    while position.to_move == (0,):
        position.push(dice.choice(position.legal_moves))
    one, two = (runs(game, position, seed=seed, steps=0) for seed in (1, 2))
    alike(one, two, (None, *(seat for seat in range(1, COUNTS[game] + 1) if seat != BOT)))
