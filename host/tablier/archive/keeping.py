"""Put games into an archive, change their players, and take them out again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, case, delete, func, or_, select, update

from tablier.archive.club_ratings import ClubRatings
from tablier.archive.database import upsert, write_rows
from tablier.archive.ended import EndedGame, Player, Result, read_body
from tablier.archive.facts import FactRow
from tablier.archive.months import month_of
from tablier.archive.summary import count_anew
from tablier.archive.tables import ADDED, CHAIN, CLUB, FACT, GAME, PLAYER, SEAT, SOURCE, SUMMARY
from tablier.names import same_name


class ClubWriter:
    """A transaction in which games of one club come, change and go. What they add up to, and the ratings, are written
    by :meth:`finish`."""

    def __init__(self, connection: Connection, club: int) -> None:
        self._connection = connection
        self._club = club
        self._touched: dict[int, set[int]] = defaultdict(set)  # by source: the numbers of games
        self._ids: dict[str, int] = {}
        self._names: dict[str, str | None] = {}
        self._read_players()
        self.renamed: set[str] = set()
        """The keys of those who have another name by now."""
        self.forgotten: set[str] = set()
        """Those whose names were forgotten."""
        self._gone = 0
        self._left = False  # somebody may have no game any more
        self._ratings = ClubRatings(connection, club)

    @property
    def names_went(self) -> bool:
        """Return True if a name was in the archive before and is not in it now."""
        return bool(self.renamed or self.forgotten or self._gone)

    def namesakes(self, keys: Iterable[str]) -> list[str]:
        """Return the names of some people that others of the club have, too. After :meth:`finish`."""
        self._read_players()
        people = {key: same_name(name) for key, name in self._names.items() if name is not None and " " not in key}
        others = Counter(people.values())
        doubled = {key for key in keys if others.get(people.get(key, ""), 0) > 1}
        return sorted({str(self._names[key]) for key in doubled})

    # -- players ---------------------------------------------------------------------------------------

    def name(self, players: Iterable[Player]) -> None:
        """Make players known, under the names that they have now. A name that was forgotten stays so."""
        names = {player.key: player.name for player in players}
        if not names:
            return
        others = {key: name for key, name in names.items() if self._names.get(key) not in (None, name)}
        self.renamed |= {key for key, name in others.items() if name is not None}
        self.forgotten |= {key for key, name in others.items() if name is None}
        new = upsert(self._connection, PLAYER)
        # An older copy of a log, to which nothing was added since, still has names that were forgotten.
        kept = case((PLAYER.c.name.is_(None), None), else_=new.excluded.name)
        new = new.on_conflict_do_update(index_elements=["club", "key"], set_={"name": kept})
        rows = [{"club": self._club, "key": key, "name": name} for key, name in sorted(names.items())]
        self._connection.execute(new, rows)
        self._read_players()

    def _read_players(self) -> None:
        rows = self._connection.execute(select(PLAYER).where(PLAYER.c.club == self._club)).all()
        self._ids = {row.key: row.id for row in rows}
        self._names = {row.key: row.name for row in rows}

    # -- games -----------------------------------------------------------------------------------------

    def states(self, source: int) -> dict[int, bytes]:
        """Return the digest of each game of a source, by its number."""
        found = select(GAME.c.number, GAME.c.state).where(GAME.c.source == source)
        return {row.number: row.state for row in self._connection.execute(found)}

    def seated(self, source: int) -> dict[int, list[str]]:
        """Return the keys of the players of each game of a source, seat by seat."""
        rows = self._connection.execute(
            select(SEAT.c.number, PLAYER.c.key)
            .join(PLAYER, PLAYER.c.id == SEAT.c.player)
            .where(SEAT.c.source == source)
            .order_by(SEAT.c.number, SEAT.c.seat)
        )
        found: dict[int, list[str]] = {}
        for number, key in rows:
            found.setdefault(number, []).append(key)
        return found

    def add(self, source: int, games: Sequence[tuple[EndedGame, Sequence[FactRow]]]) -> None:
        """Put games of a source in, each with its facts (:func:`~tablier.archive.facts.facts_in`)."""
        if not games:
            return
        self._know(seat.player for game, _ in games for seat in game.seats)
        write_rows(self._connection, GAME, [self._row(source, game) for game, _ in games])
        write_rows(self._connection, SEAT, [row for game, _ in games for row in self._seat_rows(source, game)])
        write_rows(self._connection, FACT, [(source, game.number, *fact) for game, facts in games for fact in facts])
        for game, _ in games:
            self._touched[source].add(game.number)
            self._ratings.came(source, game)

    def _know(self, players: Iterable[Player]) -> None:
        self.name(player for player in players if player.key not in self._ids)

    def _row(self, source: int, game: EndedGame) -> tuple[Any, ...]:
        return (
            *(source, game.number, self._club, game.kind, month_of(game.ended), len(game.seats)),
            *(game.began, game.ended, game.evening, game.series, game.practice),
            *(len(game.moves), game.ending, game.state, game.body),
        )

    def _seat_rows(self, source: int, game: EndedGame) -> Iterator[tuple[Any, ...]]:
        for at, seat in enumerate(game.seats, 1):
            player = self._ids[seat.player.key]
            yield source, game.number, at, player, float(seat.points), seat.won, game.is_own(at)

    def reseat(self, source: int, seats: Mapping[int, Sequence[Player]]) -> None:
        """Give games of a source other players, seat by seat: people were merged."""
        if not seats:
            return
        self._know(player for players in seats.values() for player in players)
        change = update(SEAT).where(
            SEAT.c.source == source, SEAT.c.number == bindparam("game"), SEAT.c.seat == bindparam("at")
        )
        rows = [
            {"game": number, "at": at, "player": self._ids[player.key]}
            for number, players in seats.items()
            for at, player in enumerate(players, 1)
        ]
        self._change(source, seats.keys())
        self._connection.execute(change.values(player=bindparam("player")), rows)

    def remove(self, source: int, numbers: Collection[int]) -> None:
        """Take games of a source out."""
        if not numbers:
            return
        self._change(source, numbers)
        for table in (FACT, SEAT, GAME):
            gone = delete(table).where(table.c.source == source, table.c.number == bindparam("game"))
            self._connection.execute(gone, [{"game": number} for number in numbers])

    def remove_source(self, source: int) -> None:
        """Take a source out with all its games."""
        kinds = select(GAME.c.kind).where(GAME.c.source == source).distinct()
        self._ratings.changed(self._connection.scalars(kinds))
        self._left = True
        remove_sources(self._connection, SOURCE.c.id == source)

    def _change(self, source: int, numbers: Collection[int]) -> None:
        """Note that games change or go. Ratings, which depend on the order of games, are computed anew."""
        self._touched[source].update(numbers)
        kinds = self._connection.execute(select(GAME.c.number, GAME.c.kind).where(GAME.c.source == source))
        self._ratings.changed({kind for number, kind in kinds if number in self._touched[source]})
        self._left = True

    def finish(self) -> None:
        """Write what games add up to now."""
        for source, numbers in self._touched.items():
            count_anew(self._connection, source, numbers)
        self._ratings.finish(self._ids)
        if self._left:  # who was merged into somebody else has no game any more
            plays = select(SEAT.c.player).where(SEAT.c.player == PLAYER.c.id).exists()
            self._gone = self._connection.execute(delete(PLAYER).where(PLAYER.c.club == self._club, ~plays)).rowcount


def remove_sources(connection: Connection, which: ColumnElement[bool]) -> None:
    """Delete the sources that a condition names, and all their rows."""
    sources = select(SOURCE.c.id).where(which)
    for table in (FACT, SEAT, GAME, SUMMARY, CHAIN, ADDED):
        connection.execute(delete(table).where(table.c.source.in_(sources)))
    connection.execute(delete(SOURCE).where(which))


def read_games(connection: Connection, where: Any) -> Iterator[EndedGame]:
    """Yield the games of an archive that a condition on the table ``game`` allows, in the order of their ends."""
    order = (GAME.c.ended, GAME.c.source, GAME.c.number)
    rows = connection.execute(
        select(GAME, PLAYER.c.key, PLAYER.c.name, SEAT.c.points, SEAT.c.won)
        .join(SEAT, (SEAT.c.source == GAME.c.source) & (SEAT.c.number == GAME.c.number))
        .join(PLAYER, SEAT.c.player == PLAYER.c.id)
        .where(where)
        .order_by(*order, SEAT.c.seat)
        .execution_options(yield_per=1000)
    )
    for _, seats in groupby(rows, key=lambda row: (row.source, row.number)):
        game, *others = seats
        results = tuple(Result(Player(each.key, each.name), each.points, each.won) for each in (game, *others))
        body = read_body(game.body)
        yield EndedGame(
            number=game.number,
            kind=game.kind,
            options=body.options,
            moves=body.moves,
            seats=results,
            ending=game.ending,
            began=game.began,
            ended=game.ended,
            evening=game.evening,
            series=game.series,
            practice=game.practice,
            sources=body.sources,
            table=body.table,
            margins=body.margins,
            stand_ins=body.stand_ins,
        )


def owner_of(connection: Connection, source: Any) -> str:
    """Return the name of the club that has added a source, which is given by its row."""
    return str(connection.scalar(select(CLUB.c.name).where(CLUB.c.id == source.club)))


def sources_of(connection: Connection, root: bytes) -> list[Any]:
    """Return the rows of a log and of its copies that were used on their own, which all begin with the entry of that
    hash, each with what :data:`ADDED` says of it; the one that parts last from the others first."""
    since = func.coalesce(ADDED.c.since, 1).label("since")
    found = select(SOURCE, since, ADDED.c.changes, ADDED.c.change).outerjoin(ADDED, ADDED.c.source == SOURCE.c.id)
    of_root = or_(SOURCE.c.origin == root, ADDED.c.root == root)
    return list(connection.execute(found.where(of_root).order_by(since.desc(), SOURCE.c.id)))


def source_of(connection: Connection, club: int, origin: bytes, campaign: str | None = None) -> Any:
    """Return the row of a source, made for a new one: ``id``, ``club``, ``entries``, ``head``."""
    new = upsert(connection, SOURCE).values(club=club, origin=origin, campaign=campaign, entries=0)
    known = select(SOURCE).where(SOURCE.c.origin == origin)
    while True:
        connection.execute(new.on_conflict_do_nothing())
        found = connection.execute(known).first()
        if found is not None:  # else it was another club's, and PostgreSQL has waited for who took it out
            return found
