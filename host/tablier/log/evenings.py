"""Fold the entries into evenings: who came and went, series, and the games that belong to each. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tablier.log.chain import Entry

KINDS = ("evening", "came", "went", "series", "closed")
"""The kinds of entries that belong to an evening and to no game."""
FOLDED = (*KINDS, "game", "takeback", "end")
"""The kinds from which evenings follow."""


class Series(NamedTuple):
    """Several games of an evening that are counted together."""

    number: int
    """Series are numbered from 1 within the log."""
    games: tuple[str, ...]
    """The names of their rules, in turn."""
    wins: int
    """Whoever has won so many games has won it; 0 where that does not count."""
    count: int  # type: ignore[assignment]
    """It has so many games; 0 where it ends otherwise."""
    played: tuple[int, ...]
    """Its games that are over."""
    standings: dict[str, int]
    """By person: the games won."""
    over: bool


class Evening(NamedTuple):
    """The games that people played in one go. A game that was begun outside every evening is one of its own."""

    number: int
    began: str
    ended: str | None
    table: str
    """The port of its table, as it was named; empty for none."""
    present: dict[str, int]
    """Who is there now, with the place of each, 0 for none."""
    people: tuple[str, ...]
    """Everybody who was there."""
    games: tuple[int, ...]
    series: tuple[Series, ...]
    alone: bool = False
    """True for a game that was begun outside every evening."""


class Evenings:
    """The evenings of the entries that were taken, in order."""

    def __init__(self) -> None:
        self.all: list[Evening] = []
        self._series = 0
        self._of: dict[int | None, tuple[int, int | None, dict[str, str]]] = {}
        """By game: its evening, its series, and the people at its seats."""
        self._over: dict[int | None, list[str]] = {}
        """By game that is over: the people who have won it."""

    def take(self, entry: Entry) -> None:
        """Take an entry of :data:`FOLDED`. Raise ``ValueError`` for one that cannot be."""
        kind, body = entry.kind, entry.body
        if kind == "game":
            self._begin_game(entry)
        elif kind in ("end", "takeback"):
            self._end_game(entry)
        elif kind == "evening":
            if body["evening"] != len(self.all) + 1:
                raise ValueError(f"begins evening {body['evening']} after evening {len(self.all)}")
            self.all.append(Evening(len(self.all) + 1, entry.at, None, body["table"], {}, (), (), ()))
        else:
            self._change(entry, self._open(body["evening"]))

    def _change(self, entry: Entry, evening: Evening) -> None:
        kind, body = entry.kind, entry.body
        if kind == "came":
            evening.present[body["person"]] = body["place"]
            if body["person"] not in evening.people:
                self._put(evening._replace(people=(*evening.people, body["person"])))
        elif kind == "went":
            if body["person"] not in evening.present:
                raise ValueError("says that somebody went who was not there")
            del evening.present[body["person"]]
        elif kind == "series":
            self._series += 1
            if body["series"] != self._series or bool(body["wins"]) == bool(body["count"]) or not body["games"]:
                raise ValueError("begins a series that cannot be")
            new = Series(self._series, tuple(body["games"]), body["wins"], body["count"], (), {}, False)
            before = tuple(each._replace(over=True) for each in evening.series)
            self._put(evening._replace(series=(*before, new)))
        else:
            before = tuple(each._replace(over=True) for each in evening.series)
            self._put(evening._replace(ended=entry.at, series=before))

    def _begin_game(self, entry: Entry) -> None:
        body = entry.body
        number, series = body.get("evening"), body.get("series")
        if number is None:
            number = len(self.all) + 1
            self.all.append(Evening(number, entry.at, None, "", {}, (), (), (), alone=True))
        evening = self.all[number - 1] if body.get("evening") is None else self._open(number)
        running = evening.series[-1] if evening.series else None
        if series is not None and (running is None or running.over or running.number != series):
            raise ValueError(f"begins a game of series {series}, which does not run")
        assert entry.game is not None
        self._put(evening._replace(games=(*evening.games, entry.game)))
        here = {f"p{at}": seat["person"] for at, seat in enumerate(body["seats"], 1) if "person" in seat}
        self._of[entry.game] = number, series, here

    def _end_game(self, entry: Entry) -> None:
        if entry.game not in self._of:
            raise ValueError(f"is of game {entry.game}, which has not begun")
        number, series, people = self._of[entry.game]
        evening = self.all[number - 1]
        if entry.kind == "end":
            self._over[entry.game] = [people[seat] for seat in entry.body["winners"] if seat in people]
        else:
            self._over.pop(entry.game, None)
        if evening.alone:
            evening = evening._replace(ended=entry.at if entry.kind == "end" else None)
        counted = tuple(self._count(each) if each.number == series else each for each in evening.series)
        self._put(evening._replace(series=counted))

    def _count(self, series: Series) -> Series:
        played = tuple(game for game in self._over if game is not None and self._of[game][1] == series.number)
        standings: dict[str, int] = {}
        for game in played:
            for person in self._over[game]:
                standings[person] = standings.get(person, 0) + 1
        won = bool(series.wins) and max(standings.values(), default=0) >= series.wins
        over = won or bool(series.count and len(played) >= series.count)
        return series._replace(played=played, standings=standings, over=over)

    def _open(self, number: Any) -> Evening:
        if type(number) is not int or not 1 <= number <= len(self.all):
            raise ValueError(f"is of evening {number}, which has not begun")
        evening = self.all[number - 1]
        if evening.ended is not None or evening.alone:
            raise ValueError(f"is of evening {number}, which is over")
        return evening

    def _put(self, evening: Evening) -> None:
        self.all[evening.number - 1] = evening


def evenings_of(entries: Iterable[Entry]) -> list[Evening]:
    """Return the evenings, in order. Raise ``ValueError`` naming an entry that cannot be."""
    found = Evenings()
    for entry in entries:
        try:
            found.take(entry)
        except ValueError as error:
            raise ValueError(f"entry {entry.n} {error}") from None
    return found.all


def running(evening: Evening) -> Series | None:
    """Return the series of an evening that is not over."""
    last: Sequence[Series] = evening.series[-1:]
    return last[0] if last and not last[0].over else None
