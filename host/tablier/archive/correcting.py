"""Correct an archive: rename a club, take out logs and clubs."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.exc import IntegrityError

from tablier.archive.database import Archive, ArchiveError, check_club
from tablier.archive.ended import Player
from tablier.archive.keeping import ClubWriter, remove_sources, sources_of
from tablier.archive.listing import Club, clubs_in, no_club
from tablier.archive.tables import CLUB, PLAYER, RATED, RATING, SOURCE
from tablier.log.store import Log


class Removed(NamedTuple):
    """The result of taking a log out of an archive."""

    club: str
    games: int
    club_went: bool
    """True if the club had no other log; it is unknown now."""
    copies: int
    """The copies of the log that went with it: their games are those that it does not have."""
    shared: int
    """The people who have games in other logs of the club; they keep their names."""
    names_stay: bool
    """True if names of people are still in the archive's files, since another program reads them."""


def rename_club(archive: Archive, club: str, new: str) -> None:
    """Give a club another name. Raise :class:`ArchiveError` for an unknown club, and for a name that another has."""
    if club == new:
        raise ArchiveError("{club} is its name already; nothing was changed", club=club)
    with archive.correcting() as connection:
        check_club(connection, new, club)
        change = update(CLUB).where(CLUB.c.name == club).values(name=new)
        try:
            found = connection.execute(change).rowcount
        except IntegrityError as error:
            raise ArchiveError(
                "there is a club {new} already; take the logs of {club} out ('tablier archive remove') and add them to"
                " {new}",
                club=club,
                new=new,
            ) from error
        if not found:
            raise _no_club(connection, club)


def remove_log(archive: Archive, path: str | os.PathLike[str]) -> Removed:
    """Take the games of a log out of an archive, in one transaction, with all that they count for.

    The log, or any copy of it, is only read. A copy that was added as one goes alone; any other log takes such copies
    with it. Raise :class:`ArchiveError` if it is not in the archive.
    """
    with Log.read(path) as log, archive.correcting() as connection:
        root = bytes.fromhex(log.origin)
        source = _locked(connection, root)
        if source is None:
            raise ArchiveError("{path}: this log is not in the archive {where}", path=path, where=archive.where)
        club = connection.execute(select(CLUB).where(CLUB.c.id == source.club)).one()
        going = sources_of(connection, root)
        if copy := next((each for each in going if each.since > 1 and _is_of(log, each)), None):
            going = [copy]
        gone = [each.id for each in going]
        others = select(SOURCE.c.id).where(SOURCE.c.club == club.id, SOURCE.c.id.not_in(gone))
        alone = connection.execute(others).first() is None
        if alone:
            ((*_, games, _),) = clubs_in(connection, club.id)
            _remove_club(connection, club.id)
            names_went, shared = True, 0
        else:
            keeping = ClubWriter(connection, club.id)
            seats = [keys for each in gone for keys in keeping.seated(each).values()]
            people = {key for keys in seats for key in keys if Player(key, None).is_person}
            games = len(seats)
            for each in gone:
                keeping.remove_source(each)
            keeping.finish()
            names_went = keeping.names_went
            left = set(connection.scalars(select(PLAYER.c.key).where(PLAYER.c.club == club.id)))
            shared = len(people & left)
    return Removed(club.name, games, alone, len(gone) - 1, shared, names_went and not archive.empty_wal())


def _is_of(log: Log, source: Any) -> bool:
    """Return True if a log holds the entry that names a source."""
    return bool(log.entry_with(source.origin.hex()) == source.since)


def remove_club(archive: Archive, name: str) -> tuple[Club, bool]:
    """Take a club out of an archive, with all its logs and simulated campaigns, in one transaction.

    Return what there was of it, and True if names of people are still in the archive's files, since another program
    reads them. Raise :class:`ArchiveError` for an unknown club.
    """
    with archive.correcting() as connection:
        id = connection.scalar(select(CLUB.c.id).where(CLUB.c.name == name).with_for_update())
        if id is None:
            raise _no_club(connection, name)
        (club,) = clubs_in(connection, id)
        _remove_club(connection, id)
    return club, not archive.empty_wal()


def _locked(connection: Connection, origin: bytes) -> Any:
    """Return the row of a source, and keep other writers from its club until the transaction ends; ``None`` if the
    archive does not have it."""
    known = select(CLUB.c.id).join(SOURCE).where(SOURCE.c.origin == origin).with_for_update(of=CLUB)
    while True:
        club = connection.scalar(known)
        source = connection.execute(select(SOURCE).where(SOURCE.c.origin == origin)).first()
        if source is None or source.club == club:  # the writer who was waited for may have added it to another club
            return source


def _remove_club(connection: Connection, club: int) -> None:
    """Delete all rows of a club."""
    for table in (RATED, RATING):
        connection.execute(delete(table).where(table.c.club == club))
    remove_sources(connection, SOURCE.c.club == club)
    connection.execute(delete(PLAYER).where(PLAYER.c.club == club))
    connection.execute(delete(CLUB).where(CLUB.c.id == club))


def _no_club(connection: Connection, club: str) -> ArchiveError:
    return no_club(club, connection.scalars(select(CLUB.c.name)))
