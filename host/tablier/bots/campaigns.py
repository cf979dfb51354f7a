"""Many games between player programs: each from a seed of its own, so that any number of workers plays the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import count
from typing import Any, NamedTuple

from tablier.bots.bots import BotError, BotSeat, bot_for
from tablier.bots.workers import Workers, in_order
from tablier.course.chance import SEED_BYTES, HostSeed
from tablier.games import rules_of, script_of
from tablier.games.core import TABLE, Move, Position
from tablier.games.core.questions import Answered, Choice, Conditions, Done, Played, Question, Reply, ScriptOf
from tablier.record import Record, record_of
from tablier.texts import Text


@dataclass(frozen=True)
class Campaign:
    """One kind of game of a campaign: its options, who plays, and the seed from which all else follows."""

    game: str
    options: dict[str, Any]
    sources: tuple[str, ...]
    names: tuple[str, ...]
    seed: int


class Outcome(NamedTuple):
    """The course of one game."""

    record: Record
    ending: str
    scores: tuple[float, ...]
    winners: tuple[int, ...]


def seed_of(campaign: Campaign, number: int) -> int:
    """Return the seed of one game: that of the campaign and the game's number, from 1, well mixed."""
    return int.from_bytes(sha256(f"{campaign.seed} {number}".encode()).digest()[:8], "big")


def play_out(
    position: Position[Any],
    script_of: ScriptOf,
    chance: HostSeed,
    ask: Callable[[int, Question, int], Reply],
) -> None:
    """Play a game of bots to its end by the game's script, as a session does, but nothing is logged or committed to.

    ``ask``: returns what a seat replies to a question, which has a number of its own.
    """
    numbers = count(1)
    while not position.is_over:
        if position.to_move == (TABLE,):
            position.push(chance.draw(position))
            continue
        script = script_of(position, Conditions())
        try:
            question, number = next(script), next(numbers)
            waiting = list(question.seats)
            while True:
                if isinstance(question, Choice):  # all choose before the first is opened
                    *others, last = [ask(seat, question, number) for seat in question.seats]
                    for each in others:
                        script.send(each)
                else:
                    last = ask(waiting[0], question, number)
                if isinstance(last, Played) and last.move is not None:
                    last = Played(last.seat, chance.complete(position, last.move))
                following = script.send(last)
                if following is not question:
                    question, number, waiting = following, next(numbers), list(following.seats)
                elif isinstance(last, Answered | Done):
                    waiting.remove(last.seat)
        except StopIteration as end:
            moves: list[Move] = end.value
        for move in moves:
            position.push(move)


def played(campaign: Campaign, number: int) -> Position[Any]:
    """Play one game of a campaign and return its last position."""
    seed = seed_of(campaign, number)
    dice = random.Random(seed)
    game, options, seats = campaign.game, campaign.options, len(campaign.sources)
    position = Position(rules_of(game, seats, options)).conducted()
    chairs: dict[int, BotSeat] = {}

    def ask(seat: int, question: Question, count: int) -> Reply:
        try:
            return chairs[seat].reply(question, count, position)
        except BotError as error:
            raise _blamed(campaign, number, seat, error) from error

    try:
        for seat, source in enumerate(campaign.sources, 1):
            try:
                chairs[seat] = BotSeat(seat, bot_for(game, seats, options, seat, source, dice))
            except BotError as error:
                raise _blamed(campaign, number, seat, error) from error
        play_out(position, script_of(game)[0], HostSeed(seed.to_bytes(SEED_BYTES, "big")), ask)
    finally:
        for chair in chairs.values():
            chair.close()
    return position


def _blamed(campaign: Campaign, number: int, seat: int, error: BotError) -> BotError:
    """Return the error of a program with its name, and the game of its campaign."""
    name, source = campaign.names[seat - 1], campaign.sources[seat - 1]
    about = {"name": name, "source": source, "game": number, "why": error.text}
    named = BotError(Text("{name} ({source}) {why}, in game {game} of the campaign", about))
    named.last_lines = error.last_lines
    return named


def outcome_of(campaign: Campaign, position: Position[Any]) -> Outcome:
    """Return the course of a game of a campaign from its last position."""
    rules, state = position.rules, position.state
    ending = rules.ending(state)
    assert ending is not None
    return Outcome(record_of(position, campaign.names), ending, rules.scores(state), rules.winners(state))


def play_one(campaign: Campaign, number: int) -> Outcome:
    """Play one game of a campaign."""
    return outcome_of(campaign, played(campaign, number))


class Tally:
    """Counts over the games of a campaign."""

    def __init__(self, seats: int) -> None:
        self.lengths: list[int] = []
        self.endings: dict[str, int] = {}
        self.alone = [0] * seats
        self.shared = [0] * seats
        self.scores = [0.0] * seats
        self.nobody = 0
        """Games without a winner."""
        self.several = 0
        """Games with more than one."""

    def add(self, outcome: Outcome) -> None:
        self.lengths.append(len(outcome.record.moves))
        self.endings[outcome.ending] = self.endings.get(outcome.ending, 0) + 1
        won = self.alone if len(outcome.winners) == 1 else self.shared
        for seat in outcome.winners:
            won[seat - 1] += 1
        self.nobody += not outcome.winners
        self.several += len(outcome.winners) > 1
        for index, score in enumerate(outcome.scores):
            self.scores[index] += score


def run(
    campaign: Campaign, games: int, workers: Workers, done: Callable[[Outcome], None] = lambda outcome: None
) -> Tally:
    """Play games 1 to ``games`` of a campaign and count; ``done`` gets every game, in order."""
    tally = Tally(len(campaign.sources))
    for outcome in in_order(partial(play_one, campaign), games, workers):
        tally.add(outcome)
        done(outcome)
    return tally
