"""Simulated games straight into an archive, many in a transaction.

A campaign is known by what its games follow from: the game, its options, the bots, the seed, the version of the rules.
So it can be stopped and resumed, and made longer.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from time import monotonic, time
from typing import NamedTuple

from sqlalchemy import Connection, func, select

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.ended import EndedGame, Player, Result
from tablier.archive.facts import FactRow, facts_in
from tablier.archive.keeping import ClubWriter, owner_of, source_of
from tablier.archive.tables import GAME, SOURCE
from tablier.bots.campaigns import Campaign, Outcome, Tally, outcome_of, played
from tablier.bots.workers import Workers, in_order
from tablier.games import game_class
from tablier.log.chain import canonical

_AT_ONCE = 2000
"""The most games in a transaction."""
_SECONDS = 10.0
"""The time between two transactions: a program that is killed loses about as much."""


class Kept(NamedTuple):
    """A game of a campaign with what an archive keeps of it."""

    outcome: Outcome
    game: EndedGame
    facts: list[FactRow]


def add_campaign(
    archive: Archive,
    club: str,
    campaign: Campaign,
    games: int,
    workers: Workers,
    done: Callable[[Outcome], object] = lambda outcome: None,
    stopping: Callable[[], object] = lambda: None,
) -> tuple[Tally, int]:
    """Play games 1 to ``games`` of a campaign that the archive does not have yet, and put them in as a club's.

    Return the counts over these, and how many the archive had before. ``done`` gets each, in order. An exception, such
    as an interrupt, calls ``stopping`` and puts in what has been played before it is passed on.

    Raise :class:`ArchiveError` for a campaign of another club, and for one that is taken out meanwhile.
    """
    origin, said = _origin(campaign)
    with archive.writing(club) as (connection, number):
        _source(connection, number, origin, said)
    before = games_of(archive, campaign)
    tally = Tally(len(campaign.sources))
    waiting: list[tuple[EndedGame, list[FactRow]]] = []

    def write() -> None:
        with archive.writing(club) as (connection, number):
            source = _source(connection, number, origin, said)
            there = _last(connection, origin)  # another program may play the same campaign
            if waiting and waiting[0][0].number > there + 1:
                raise ArchiveError("the games before were taken out of the archive meanwhile; run the command again")
            keeping = ClubWriter(connection, number)
            keeping.add(source, [kept for kept in waiting if kept[0].number > there])
            keeping.finish()
        waiting.clear()

    call = partial(keep_one, campaign, round(time() * 1e6))
    written = monotonic()
    try:
        for kept in in_order(call, games, workers, before + 1):
            waiting.append((kept.game, kept.facts))
            tally.add(kept.outcome)
            done(kept.outcome)
            if len(waiting) >= _AT_ONCE or monotonic() >= written + _SECONDS:
                write()
                written = monotonic()
    except ArchiveError:
        raise
    except BaseException:
        stopping()
        write()
        raise
    write()
    return tally, min(before, games)


def games_of(archive: Archive, campaign: Campaign) -> int:
    """Return how many games of a campaign an archive has: those from 1 up to this number."""
    origin, _ = _origin(campaign)
    with archive.reading() as connection:
        return _last(connection, origin)


def _origin(campaign: Campaign) -> tuple[bytes, str]:
    """Return the hash by which an archive knows a campaign, and the text that it is of."""
    said = canonical({**asdict(campaign), "names": [], "version": game_class(campaign.game).VERSION})
    return sha256(said.encode()).digest(), said


def _source(connection: Connection, club: int, origin: bytes, said: str) -> int:
    """Return the id of a campaign in the archive. Raise :class:`ArchiveError` for one that is another club's."""
    source = source_of(connection, club, origin, said)
    if source.club != club:
        theirs = owner_of(connection, source)
        raise ArchiveError(
            "these games are in the archive as those of {club}; continue with --club={word}, or choose another --seed",
            club=theirs,
            word=shlex.quote(theirs),
        )
    return int(source.id)


def _last(connection: Connection, origin: bytes) -> int:
    found = select(func.coalesce(func.max(GAME.c.number), 0)).join(SOURCE, SOURCE.c.id == GAME.c.source)
    return int(connection.execute(found.where(SOURCE.c.origin == origin)).scalar_one())


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
    return Kept(outcome, game, facts_in(game, position))
