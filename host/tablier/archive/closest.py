"""The games of an archive that were decided by the least, from which some are chosen to be shown."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import and_, case, func, select

from tablier.archive.database import Archive
from tablier.archive.ended import EndedGame
from tablier.archive.keeping import read_games
from tablier.archive.listing import is_person
from tablier.archive.questions import Scope
from tablier.archive.tables import CLUB, GAME, PLAYER, SEAT, SOURCE


class Close(NamedTuple):
    """A game, and where it came from."""

    game: EndedGame
    club: str
    log: str | None
    """The hash of its log's first entry, in hexadecimal; ``None`` for a game of a campaign."""
    margin: float
    """By how many points the best seat was ahead of the next one."""


def closest(archive: Archive, scope: Scope, most: int) -> list[Close]:
    """Return at most ``most`` games of at least two seats, the one with the smallest margin first.

    They are games of people for whom no bot has decided, and won by somebody, where there are such. Of games with the
    same margin the one with more moves comes first, then the one that ended first.
    """
    place = func.row_number().over(partition_by=(SEAT.c.source, SEAT.c.number), order_by=SEAT.c.points.desc())
    seats = (
        select(
            *(SEAT.c.source, SEAT.c.number, SEAT.c.points, SEAT.c.won),
            and_(is_person(), SEAT.c.own).label("person"),
            place.label("place"),
        )
        .join(PLAYER, PLAYER.c.id == SEAT.c.player)
        .join(GAME, and_(GAME.c.source == SEAT.c.source, GAME.c.number == SEAT.c.number))
        .where(scope.of_games)
        .subquery()
    )
    points = [func.max(case((seats.c.place == at, seats.c.points))) for at in (1, 2)]
    games = (
        select(
            *(seats.c.source, seats.c.number, (points[0] - points[1]).label("margin")),
            func.max(case((seats.c.person, 1), else_=0)).label("person"),
            func.max(case((seats.c.won, 1), else_=0)).label("won"),
        )
        .group_by(seats.c.source, seats.c.number)
        .having(func.count() > 1)
        .subquery()
    )
    order = (games.c.person.desc(), games.c.won.desc(), games.c.margin, GAME.c.moves.desc(), GAME.c.ended)
    found = (
        select(
            GAME.c.source,
            GAME.c.number,
            games.c.margin,
            games.c.person,
            games.c.won,
            SOURCE.c.origin,
            SOURCE.c.campaign,
            CLUB.c.name,
        )
        .join(games, and_(games.c.source == GAME.c.source, games.c.number == GAME.c.number))
        .join(SOURCE, SOURCE.c.id == GAME.c.source)
        .join(CLUB, CLUB.c.id == GAME.c.club)
        .order_by(*order, SOURCE.c.origin, GAME.c.number)
        .limit(most)
    )
    with archive.reading() as connection:
        rows = connection.execute(found).all()
        return [
            Close(game, row.name, row.origin.hex() if row.campaign is None else None, float(row.margin))
            for row in rows
            if (row.person, row.won) == (rows[0].person, rows[0].won)
            for game in read_games(connection, and_(GAME.c.source == row.source, GAME.c.number == row.number))
        ]


__all__ = ["Close", "closest"]
