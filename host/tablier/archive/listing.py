"""List the clubs of an archive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Connection, cast, func, null, select

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.summary import LENGTH
from tablier.archive.tables import ADDED, CLUB, PLAYER, SOURCE, SUMMARY, VERSION
from tablier.log.store import Log
from tablier.texts import Text, suggest

_GAMES = select(cast(func.coalesce(func.sum(SUMMARY.c.n), 0), BigInteger))  # PostgreSQL adds up to a Decimal


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


class HeldLog(NamedTuple):
    """A log that an archive holds."""

    club: str
    log: str
    """The hash that names it, in hexadecimal."""
    file: str | None
    """The name of the file that was added last; ``None`` if an earlier version of this program has added it."""
    added: int | None
    """When that was, in microseconds since 1970."""
    entries: int
    games: int
    copy_of: str | None
    """The log of which it is a copy that was used on its own: its games are those that the other does not have."""


def logs(archive: Archive) -> list[HeldLog]:
    """Return the logs of an archive, club by club, those that were added last at the end."""
    games = _GAMES.where(SUMMARY.c.source == SOURCE.c.id, SUMMARY.c.what == LENGTH).scalar_subquery()
    noted = archive.version >= VERSION
    about = (ADDED.c.file, ADDED.c.at, ADDED.c.root, ADDED.c.since) if noted else (null(), null(), null(), null())
    found = select(CLUB.c.name, SOURCE.c.origin, SOURCE.c.entries, games, *about).join(CLUB, CLUB.c.id == SOURCE.c.club)
    if noted:
        found = found.outerjoin(ADDED, ADDED.c.source == SOURCE.c.id)
    found = found.where(SOURCE.c.campaign.is_(None), SOURCE.c.head.is_not(None)).order_by(CLUB.c.name, SOURCE.c.id)
    with archive.reading() as connection:
        held = [
            HeldLog(club, origin.hex(), file, at, entries, here, root.hex() if root and since > 1 else None)
            for club, origin, entries, here, file, at, root, since in connection.execute(found)
        ]
    return sorted(held, key=lambda each: (each.club, each.added or 0))


def clubs(archive: Archive) -> list[Club]:
    """Return the clubs of an archive by their names."""
    with archive.reading() as connection:
        return clubs_in(connection)


def clubs_in(connection: Connection, id: int | None = None) -> list[Club]:
    """Return the clubs of an archive by their names, or the one with an id, as a transaction sees them."""
    sources = select(func.count()).where(SOURCE.c.club == CLUB.c.id)
    logs = sources.where(SOURCE.c.campaign.is_(None)).scalar_subquery()
    campaigns = sources.where(SOURCE.c.campaign.is_not(None)).scalar_subquery()
    games = _GAMES.where(SUMMARY.c.club == CLUB.c.id, SUMMARY.c.what == LENGTH)
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
