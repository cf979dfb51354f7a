"""List the clubs of an archive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, select

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.summary import LENGTH
from tablier.archive.tables import CLUB, PLAYER, SOURCE, SUMMARY
from tablier.log import Log
from tablier.texts import Text, suggest


class Club(NamedTuple):
    """A club, and how much of it there is."""

    id: int
    name: str
    logs: int
    campaigns: int
    """Campaigns of simulated games."""
    games: int
    people: int
    """Those whom a log knows or knew by name."""


def clubs(archive: Archive) -> list[Club]:
    """Return the clubs of an archive by their names."""
    with archive.reading() as connection:
        return clubs_in(connection)


def clubs_in(connection: Connection, id: int | None = None) -> list[Club]:
    """Return the clubs of an archive by their names, or the one with an id, as a transaction sees them."""
    sources = select(func.count()).where(SOURCE.c.club == CLUB.c.id)
    logs = sources.where(SOURCE.c.campaign.is_(None)).scalar_subquery()
    campaigns = sources.where(SOURCE.c.campaign.is_not(None)).scalar_subquery()
    games = select(func.coalesce(func.sum(SUMMARY.c.n), 0)).where(SUMMARY.c.club == CLUB.c.id, SUMMARY.c.what == LENGTH)
    people = select(func.count()).where(PLAYER.c.club == CLUB.c.id, is_person()).scalar_subquery()
    found = select(CLUB.c.id, CLUB.c.name, logs, campaigns, games.scalar_subquery(), people).order_by(CLUB.c.name)
    return [Club(*row) for row in connection.execute(found if id is None else found.where(CLUB.c.id == id))]


def club_of_log(archive: Archive, path: str | os.PathLike[str]) -> str | None:
    """Return the club whose log this is in an archive; ``None`` for one that was not added. Raise ``LogError``."""
    with Log.read(path) as log, archive.reading() as connection:
        found = select(CLUB.c.name).join(SOURCE, SOURCE.c.club == CLUB.c.id)
        return connection.execute(found.where(SOURCE.c.origin == bytes.fromhex(log.origin))).scalar()


def no_club(club: str, clubs: Iterable[str]) -> ArchiveError:
    """Return the error for a club that an archive does not have, with the one that may be meant."""
    known = sorted(clubs)
    if not known:
        return ArchiveError("there is no club {club}; no club has added a log yet", club=club)
    return ArchiveError(
        suggest(Text("there is no club {club}; clubs: {clubs}", {"club": club, "clubs": known}), club, known)
    )


def is_person() -> ColumnElement[bool]:
    """Return the condition for players who are neither bots nor simulated."""
    return PLAYER.c.key.not_like("% %")
