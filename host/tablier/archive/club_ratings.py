"""The ratings of a club's players, kept up to date as games come and go.

A rating depends on the order of the games: it is that of their ends. Games that ended after all that were rated are
rated on; for any other, and for one that went, the ratings of that game are computed anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, delete, false, insert, select, true, tuple_

from tablier.archive.ended import EndedGame, Player
from tablier.archive.ratings import Places, Rating, places, rated
from tablier.archive.tables import GAME, RATED, RATING, SEAT

_ORDER = (GAME.c.ended, GAME.c.source, GAME.c.number)


class ClubRatings:
    """The ratings of one club in a transaction."""

    def __init__(self, connection: Connection, club: int) -> None:
        self._connection = connection
        self._club = club
        self._first: dict[str, tuple[int, int, int]] = {}  # by kind of game: the first one that came
        self._anew: set[str] = set()

    def came(self, source: int, game: EndedGame) -> None:
        """Note that a game came in."""
        at = (game.ended, source, game.number)
        self._first[game.kind] = min(at, self._first.get(game.kind, at))

    def changed(self, kinds: Iterable[str]) -> None:
        """Note that games of some kinds went, or changed."""
        self._anew.update(kinds)

    def finish(self, ids: Mapping[str, int]) -> None:
        """Bring the ratings up to date. ``ids``: of the club's players, by key."""
        for kind in sorted({*self._first, *self._anew}):
            last = self._last(kind)
            if kind in self._anew or (last is not None and self._first[kind] < last):
                self._clear(kind)
                last = None
            self._rate_on(kind, last, ids)
        self._first, self._anew = {}, set()

    def _clear(self, kind: str) -> None:
        for table in (RATED, RATING):
            self._connection.execute(delete(table).where(table.c.club == self._club, table.c.kind == kind))

    def _last(self, kind: str) -> tuple[int, int, int] | None:
        found = select(RATED.c.ended, RATED.c.source, RATED.c.number)
        row = self._connection.execute(found.where(RATED.c.club == self._club, RATED.c.kind == kind)).first()
        return None if row is None else (row.ended, row.source, row.number)

    def _rate_on(self, kind: str, last: tuple[int, int, int] | None, ids: Mapping[str, int]) -> None:
        """Rate the games after the last one that was rated."""
        keys = {id: key for key, id in ids.items()}
        stored = select(RATING).where(RATING.c.club == self._club, RATING.c.kind == kind)
        before = self._connection.execute(stored).all()
        state = {keys[row.player]: Rating(row.mu, row.sigma) for row in before}
        played = Counter({keys[row.player]: row.games for row in before})
        marks: list[tuple[int, int, int]] = []

        def counted() -> Iterator[Places]:
            for mark, game in self._games_after(kind, last, keys):
                players = {place.player for place in game}
                played.update(players if len(players) > 1 else ())
                marks.append(mark)
                del marks[:-1]
                yield game

        state = rated(counted(), state, learns=lambda key: Player(key, None).is_person)
        if not marks:
            return
        self._clear(kind)
        rows = [
            {"club": self._club, "kind": kind, "player": ids[key], "mu": it.mu, "sigma": it.sigma, "games": played[key]}
            for key, it in sorted(state.items())
        ]
        if rows:
            self._connection.execute(insert(RATING), rows)
        mark = dict(zip(("ended", "source", "number"), marks[-1], strict=True))
        self._connection.execute(insert(RATED).values(club=self._club, kind=kind, **mark))

    def _games_after(
        self, kind: str, last: tuple[int, int, int] | None, keys: Mapping[int, str]
    ) -> Iterator[tuple[Any, Places]]:
        """Yield each game with what it is ordered by, and the places of its seats. Neither practice is rated nor what
        somebody else decided for a player."""
        found = (
            select(*_ORDER, SEAT.c.player, SEAT.c.won, SEAT.c.points)
            .join(SEAT, (SEAT.c.source == GAME.c.source) & (SEAT.c.number == GAME.c.number))
            .where(GAME.c.club == self._club, GAME.c.kind == kind, GAME.c.practice == false(), SEAT.c.own == true())
            .order_by(*_ORDER, SEAT.c.seat)
            .execution_options(yield_per=5000)
        )
        if last is not None:
            found = found.where(GAME.c.ended >= last[0], tuple_(*_ORDER) > last)
        for mark, seats in groupby(self._connection.execute(found), key=lambda row: tuple(row[:3])):
            players, won, points = zip(*(row[3:] for row in seats), strict=True)
            yield mark, places([keys[player] for player in players], won, points)
