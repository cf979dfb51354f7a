"""Many games between player programs: each from a seed of its own, so that any number of workers plays the same."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from tablier.bots.bots import BotError, BotSeat, bot_for
from tablier.bots.workers import Workers, in_order
from tablier.course.seats import Seat
from tablier.course.session import Session
from tablier.games import rules_of, script_of
from tablier.games.core import Position
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


class _Ids:
    """Ids for questions that nobody logs."""

    def __init__(self) -> None:
        self._last = 0

    def question_id(self) -> int:
        self._last += 1
        return self._last

    def salt(self) -> str:
        return ""


def play_out(
    session: Session,
    chairs: Mapping[int, BotSeat],
    asking: Callable[[int], AbstractContextManager[None]] = lambda seat: nullcontext(),
) -> None:
    """Play a game of bots to its end. ``asking``: what surrounds a decision of a seat."""
    session.begin()
    while not session.over:
        if session.open.all_bound:
            seat = next(seat for seat in session.open.locked if seat not in session.open.opened)
            session.feed("opening", chairs[seat].opening(session))
            continue
        seat = session.open.waiting[0]
        with asking(seat):
            reply = chairs[seat].reply(session)
        session.feed("commitment" if reply["event"] == "locked" else "reply", reply)


def played(campaign: Campaign, number: int) -> Position[Any]:
    """Play one game of a campaign and return its last position."""
    seed = seed_of(campaign, number)
    dice = random.Random(seed)
    game, options, count = campaign.game, campaign.options, len(campaign.sources)
    seats = [Seat(name, 0, source) for name, source in zip(campaign.names, campaign.sources, strict=True)]
    session = Session(Position(rules_of(game, count, options)), seats, script_of(game)[0], _Ids())
    session.feed("seed", {"seed": f"{seed:064x}"})
    chairs: dict[int, BotSeat] = {}
    try:
        for n, seat in enumerate(seats, 1):
            with _blaming(number, seat):
                chairs[n] = BotSeat(n, bot_for(game, count, options, n, seat.source, dice))
        play_out(session, chairs, lambda n: _blaming(number, seats[n - 1]))
    finally:
        for chair in chairs.values():
            chair.close()
    return session.position


@contextmanager
def _blaming(number: int, seat: Seat) -> Iterator[None]:
    """Have the error of a program name it, and the game of its campaign."""
    try:
        yield
    except BotError as error:
        about = {"name": seat.name, "source": seat.source, "game": number, "why": error.text}
        named = BotError(Text("{name} ({source}) {why}, in game {game} of the campaign", about))
        named.last_lines = error.last_lines
        raise named from error


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
