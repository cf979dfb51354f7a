"""Put games into an archive and take them out again, with all that they count for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, case, delete, insert, select, update

from tablier.archive.club_ratings import ClubRatings
from tablier.archive.database import upsert
from tablier.archive.ended import EndedGame, Player, Result, read_body
from tablier.archive.errors import ArchiveError
from tablier.archive.tables import CLUB, GAME, PLAYER, SEAT, SOURCE, TALLY
from tablier.archive.tally import AGAINST, COUNTING, Counts, Key, counts_of, merge
from tablier.texts import Failure

_COLUMNS = ("number", "kind", "began", "ended", "evening", "series", "practice", "ending", "state", "body")


class ClubWriter:
    """A transaction in which games of one club come and go. What they count for, and the
    ratings, are written by :meth:`finish`."""

    def __init__(self, connection: Connection, club: int) -> None:
        self._connection = connection
        self._club = club
        self._counts: Counts = {}
        self._ids: dict[str, int] = {}
        self._names: dict[str, str | None] = {}
        self._read_players()
        self.renamed: set[str] = set()
        """The keys of those who have another name by now."""
        self.forgotten: set[str] = set()
        """Those whose names were forgotten."""
        self._gone = 0
        self._removed = False
        self._ratings = ClubRatings(connection, club)
        if connection.scalar(select(CLUB.c.counting).where(CLUB.c.id == club)) != COUNTING:
            self._count_anew()

    @property
    def names_went(self) -> bool:
        """Return True if a name was in the archive before and is not in it now."""
        return bool(self.renamed or self.forgotten or self._gone)

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

    def games(self, source: int, numbers: Iterable[int]) -> list[EndedGame]:
        """Return some games of a source."""
        wanted = GAME.c.number.in_(list(numbers))
        return list(read_games(self._connection, (GAME.c.source == source) & wanted))

    def add(self, source: int, games: Sequence[tuple[EndedGame, Counts]]) -> None:
        """Put games of a source in, each with what it counts for (:func:`counts_of`)."""
        if not games:
            return
        self.name(seat.player for game, _ in games for seat in game.seats if seat.player.key not in self._ids)
        self._connection.execute(insert(GAME), [self._row(source, game) for game, _ in games])
        self._connection.execute(insert(SEAT), [row for game, _ in games for row in self._seat_rows(source, game)])
        for game, counts in games:
            merge(self._counts, counts)
            self._ratings.came(source, game)

    def _row(self, source: int, game: EndedGame) -> dict[str, Any]:
        row = {column: getattr(game, column) for column in _COLUMNS}
        return {**row, "source": source, "club": self._club, "moves": len(game.moves)}

    def _seat_rows(self, source: int, game: EndedGame) -> list[dict[str, Any]]:
        about = {"source": source, "number": game.number}
        return [
            {
                **about,
                "seat": at,
                "player": self._ids[seat.player.key],
                "points": seat.points,
                "won": seat.won,
                "own": game.is_own(at),
            }
            for at, seat in enumerate(game.seats, 1)
        ]

    def remove(self, source: int, numbers: Iterable[int]) -> None:
        """Take games of a source out, and off the counts. Ratings, which depend on the order, are computed anew."""
        for game in self.games(source, numbers):
            merge(self._counts, self._counted(game), -1)
            self._ratings.went(game)
            self._removed = True
            here = {"source": source, "number": game.number}
            self._connection.execute(delete(SEAT).filter_by(**here))
            self._connection.execute(delete(GAME).filter_by(**here))

    # -- counts ----------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Write what the games that came and went count for."""
        self._write_counts()
        self._ratings.finish(self._ids)
        if self._removed:  # who was merged into somebody else has no game any more
            plays = select(SEAT.c.player).where(SEAT.c.player == PLAYER.c.id).exists()
            self._gone = self._connection.execute(delete(PLAYER).where(PLAYER.c.club == self._club, ~plays)).rowcount

    def _write_counts(self) -> None:
        rows = [self._tally_row(key, n, total) for key, (n, total) in sorted(self._counts.items())]
        self._counts = {}
        if not rows:
            return
        new = upsert(self._connection, TALLY)
        sums = {"n": TALLY.c.n + new.excluded.n, "total": TALLY.c.total + new.excluded.total}
        new = new.on_conflict_do_update(index_elements=list(TALLY.primary_key), set_=sums)
        self._connection.execute(new, rows)
        if self._removed:
            gone = (TALLY.c.n == 0) & (TALLY.c.total.between(-1e-6, 1e-6))
            self._connection.execute(delete(TALLY).where(TALLY.c.club == self._club, gone))

    def _tally_row(self, key: Key, n: int, total: float) -> dict[str, Any]:
        row = {**key._asdict(), "club": self._club, "n": n, "total": total}
        row["player"] = self._ids[key.player] if key.player else 0
        if key.what == AGAINST:
            row["value"] = str(self._ids[key.value])
        return row

    def _count_anew(self) -> None:
        """Count all games of the club as this version counts."""
        self._connection.execute(delete(TALLY).where(TALLY.c.club == self._club))
        for game in read_games(self._connection, GAME.c.club == self._club):
            merge(self._counts, self._counted(game))
        self._write_counts()
        self._connection.execute(update(CLUB).where(CLUB.c.id == self._club).values(counting=COUNTING))

    def _counted(self, game: EndedGame) -> Counts:
        """Return what a game of the archive counts for. Raise :class:`ArchiveError` where that cannot be told here."""
        try:
            return counts_of(game)
        except Failure as error:
            raise ArchiveError(
                "game {number}, of {kind}, cannot be counted here, and nothing was changed: {why}; install its rules"
                " first",
                number=game.number,
                kind=game.kind,
                why=error.text,
            ) from error


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


def source_of(connection: Connection, club: int, origin: bytes, campaign: str | None = None) -> Any:
    """Return the row of a source, made for a new one: ``id``, ``club``, ``entries``, ``head``."""
    new = upsert(connection, SOURCE).values(club=club, origin=origin, campaign=campaign, entries=0)
    known = select(SOURCE).where(SOURCE.c.origin == origin)
    while True:
        connection.execute(new.on_conflict_do_nothing())
        found = connection.execute(known).first()
        if found is not None:  # else it was another club's, and PostgreSQL has waited for who took it out
            return found
