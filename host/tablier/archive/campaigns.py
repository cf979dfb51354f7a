"""Simulated games straight into an archive, some thousand in a transaction.

A campaign is known by what its games follow from: the game, its options, the bots, the seed, the version of the rules.
So it can be stopped and resumed, and made longer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from time import time
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from tablier.archive.database import Archive
from tablier.archive.ended import EndedGame, Player, Result
from tablier.archive.keeping import Keeping, source_of
from tablier.archive.tables import GAME
from tablier.archive.tally import Counts, counts_of
from tablier.games import game_class
from tablier.log.chain import canonical
from tablier.play.campaigns import Campaign, Outcome, Tally, outcome_of, played
from tablier.play.workers import Workers, in_order

_AT_ONCE = 2000
"""Games in a transaction: at most these are played again after the program was killed."""


class Kept(NamedTuple):
    """A game of a campaign with what an archive keeps of it."""

    outcome: Outcome
    game: EndedGame
    counts: Counts


def add_campaign(
    archive: Archive,
    club: str,
    campaign: Campaign,
    games: int,
    workers: Workers,
    done: Callable[[Outcome], object] = lambda outcome: None,
) -> tuple[Tally, int]:
    """Play games 1 to ``games`` of a campaign that the archive does not have yet, and put them in as a club's.

    Return the counts over these, and how many the archive had before. ``done`` gets each, in order.
    """
    said = canonical({**asdict(campaign), "names": [], "version": game_class(campaign.game).VERSION})
    origin = sha256(said.encode()).digest()
    with archive.writing(club) as (connection, number):
        source = source_of(connection, number, origin, said).id

    def last(connection: Connection) -> int:
        found = select(func.coalesce(func.max(GAME.c.number), 0)).where(GAME.c.source == source)
        return int(connection.execute(found).scalar_one())

    with archive.reading() as connection:
        before = last(connection)
    tally = Tally(len(campaign.sources))
    waiting: list[tuple[EndedGame, Counts]] = []

    def write() -> None:
        with archive.writing(club) as (connection, number):
            there = last(connection)  # another program may play the same campaign
            keeping = Keeping(connection, number)
            keeping.add(source, [(game, counts) for game, counts in waiting if game.number > there])
            keeping.finish()
        waiting.clear()

    call = partial(keep_one, campaign, round(time() * 1e6))
    for kept in in_order(call, games, workers, before + 1):
        tally.add(kept.outcome)
        done(kept.outcome)
        waiting.append((kept.game, kept.counts))
        if len(waiting) == _AT_ONCE:
            write()
    write()
    return tally, min(before, games)


def keep_one(campaign: Campaign, moment: int, number: int) -> Kept:
    """Play one game of a campaign, dated with a time in microseconds since 1970."""
    position = played(campaign, number)
    outcome = outcome_of(campaign, position)
    game = EndedGame(
        number=number,
        kind=campaign.game,
        options=outcome.record.options,
        moves=outcome.record.moves,
        seats=tuple(
            Result(Player.program("bot", source), float(score), seat in outcome.winners)
            for seat, (source, score) in enumerate(zip(campaign.sources, outcome.scores, strict=True), 1)
        ),
        ending=outcome.ending,
        began=moment,
        ended=moment,
    )
    return Kept(outcome, game, counts_of(game, position))
