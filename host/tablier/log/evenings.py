"""Fold the entries into evenings: who came and went, series, and the games that belong to each. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Any, NamedTuple

from tablier.log.chain import Entry
from tablier.log.people import Names
from tablier.texts import TextError

KINDS = ("evening", "came", "went", "key", "organiser", "door", "series", "closed")
"""The kinds of entries that belong to an evening and to no game."""
ABANDONED = "abandoned"
"""The kind of the entry after which a game counts nowhere and is not resumed."""
FOLDED = (*KINDS, "game", "takeback", "end", ABANDONED)
"""The kinds from which evenings follow."""


class NotDueError(TextError):
    """It is not the turn of a game in its series, which depends on the games before."""


class Series(NamedTuple):
    """Several games of an evening that are counted together."""

    number: int
    """Series are numbered from 1 within the log."""
    games: tuple[str, ...]
    """The names of their rules, in turn."""
    wins: int
    """The number of games that wins it; 0 where that does not count."""
    count: int  # type: ignore[assignment]
    """The number of its games; 0 where it ends otherwise."""
    played: tuple[int, ...]
    """Its games that are over."""
    standings: dict[str, int]
    """By person: the games won."""
    bots: dict[str, int]
    """By the name of a bot or of a simulated person: the games won."""
    over: bool

    @property
    def complete(self) -> bool:
        """Return whether it was played to its end: it is over, and no later series or the end of the evening is why."""
        if self.count:
            return len(self.played) >= self.count
        return max((0, *self.standings.values(), *self.bots.values())) >= self.wins


class Evening(NamedTuple):
    """The games that people played in one go. A game that was begun outside every evening begins one."""

    number: int
    hash: str
    """Of the entry that began it, in hexadecimal."""
    began: str
    ended: str | None
    table: str
    """The port of its table, as it was named; empty for none."""
    present: dict[str, int]
    """Who is there now, with the place of each, 0 for none."""
    people: tuple[str, ...]
    """Everybody who was there or played."""
    games: tuple[int, ...]
    series: tuple[Series, ...]
    keys: dict[str, int]
    """By person: how often the key was given anew, or ended."""
    by_game: bool = False
    """True where a game began it that was begun outside every evening."""
    alone: bool = False
    """True for such a one as long as nothing but games is in it, and for one that was reopened: it is over with its
    games."""
    organisers: frozenset[str] = frozenset()
    door: bool = True
    """True while people can come in by the code."""
    opened: int = 0
    """How often the door was opened again: each time there is another code."""
    quiet_s: float | None = None
    """How long its windows stay open after a landing; ``None`` for as long as usual."""
    pace_s: float | None = None
    """How long its bots take for a decision; ``None`` for as long as usual."""
    reopened: bool = False
    """True where it was ended, and one of its games was resumed afterwards: it is over with its games again."""

    @property
    def by_itself(self) -> bool:
        """Return whether there was nothing in it but games that were begun outside every evening."""
        return self.alone and not self.reopened

    def is_listed(self, played: Callable[[int], bool]) -> bool:
        """Return False for an evening that is nothing but a game in which nothing was ``played``."""
        return not self.by_itself or played(self.games[0])


class _Game(NamedTuple):
    """Where a game belongs, and who has its seats."""

    evening: int
    series: int | None
    people: dict[str, str]
    bots: dict[str, str]
    """By seat: the name."""


class _Numbers:
    """Numbers from 1 without gaps. After one that is wrong, the next may follow it, or what should have stood there."""

    def __init__(self) -> None:
        self._right = self._claimed = 0

    def next(self) -> int:
        """Return the number of something that claims none."""
        self._right += 1
        self._claimed += 1
        return self._right

    def follows(self, number: int) -> bool:
        """Return whether a number follows the one before."""
        right = number in (self._right + 1, self._claimed + 1)
        self._right = number if right else self._right + 1
        self._claimed = number
        return right


class Evenings:
    """The evenings of the entries that were taken, in order. People have the ids that the entries name."""

    def __init__(self) -> None:
        self._evenings: dict[int, Evening] = {}
        self._numbers, self._series = _Numbers(), _Numbers()
        self._of: dict[int | None, _Game] = {}
        """By game."""
        self._over: dict[int | None, tuple[list[str], list[str]]] = {}
        """By game that is over: the people who have won it, and the bots, by name."""
        self._running: set[int] = set()
        """The games that are not over."""
        self._abandoned: set[int] = set()

    def copy(self) -> Evenings:
        """Return evenings that stand as these do, to which entries can be tried."""
        twin = Evenings()
        twin._evenings, twin._of, twin._over = dict(self._evenings), dict(self._of), dict(self._over)
        twin._running, twin._abandoned = set(self._running), set(self._abandoned)
        twin._numbers, twin._series = copy(self._numbers), copy(self._series)
        return twin

    @property
    def all(self) -> list[Evening]:
        return list(self._evenings.values())

    @property
    def last(self) -> int:
        """Return the number of the latest evening; 0 if none has begun."""
        return next(reversed(self._evenings), 0)

    def get(self, number: int) -> Evening | None:
        return self._evenings.get(number)

    def of_game(self, game: int) -> int:
        """Return the number of a game's evening."""
        return self._of[game].evening

    @property
    def open_games(self) -> list[int]:
        """Return the games that have not ended, in the order in which they began."""
        return sorted(self._running)

    def take(self, entry: Entry) -> None:
        """Take an entry of :data:`FOLDED`. Raise :class:`TextError` for one that cannot be, which leaves other evenings
        as they are; its text says that by itself: people may be told it."""
        kind, body = entry.kind, entry.body
        if kind == "game":
            self._begin_game(entry)
        elif kind in ("end", "takeback", ABANDONED):
            self._end_game(entry)
        elif kind == "evening":
            self._begin_evening(entry)
        elif kind == "came":
            self._come(self._open(body["evening"]), body["person"], body["place"])
        elif kind == "went":
            self._go(self._open(body["evening"]), body["person"])
        elif kind == "key":
            evening = self._open(body["evening"])
            _check_present(evening, body["person"])
            self._put(_end_key(evening, body["person"]))
        elif kind == "organiser":
            self._name(self._open(body["evening"]), body["person"], on=body["on"])
        elif kind == "door":
            self._set_door(self._open(body["evening"]), opens=body["open"])
        elif kind == "series":
            self._begin_series(entry)
        elif body.get("ends"):
            self._reopen(body["evening"])
        else:
            evening = self._open(body["evening"])
            before = tuple(each._replace(over=True) for each in evening.series)
            self._put(evening._replace(alone=False, ended=entry.at, series=before))

    def _begin_evening(self, entry: Entry) -> None:
        number = entry.body["evening"]
        follows = self._numbers.follows(number)
        if number in self._evenings:
            raise TextError("evening {evening} has begun already", evening=number)
        begun = Evening(number, entry.hash, entry.at, None, entry.body["table"], {}, (), (), (), {})
        self._put(begun._replace(quiet_s=entry.body.get("quiet_s"), pace_s=entry.body.get("pace_s")))
        if not follows:
            raise TextError("evening {evening} is not the next one", evening=number)

    def _come(self, evening: Evening, person: str, place: int) -> None:
        if place and any(taken == place for other, taken in evening.present.items() if other != person):
            raise TextError("somebody else sits at place {place}", place=place)
        self._meet(_kept_open(evening)._replace(present={**evening.present, person: place}), [person])

    def _go(self, evening: Evening, person: str) -> None:
        _check_present(evening, person)
        present = {one: at for one, at in evening.present.items() if one != person}
        self._put(_end_key(evening._replace(present=present, organisers=evening.organisers - {person}), person))

    def _name(self, evening: Evening, person: str, *, on: bool) -> None:
        _check_present(evening, person)
        if on == (person in evening.organisers):
            raise TextError("somebody is an organiser already, or is none")
        named = evening.organisers | {person} if on else evening.organisers - {person}
        self._put(evening._replace(organisers=named))

    def _set_door(self, evening: Evening, *, opens: bool) -> None:
        if opens == evening.door:
            raise (
                TextError("the door of evening {evening} is open already", evening=evening.number)
                if opens
                else (TextError("the door of evening {evening} is closed already", evening=evening.number))
            )
        self._put(_kept_open(evening)._replace(door=opens, opened=evening.opened + opens))

    def _reopen(self, number: int) -> None:
        """Have an evening that was ended be open until its games are over."""
        evening = self._evenings.get(number)
        if evening is None or evening.ended is None or evening.alone:
            raise TextError("evening {evening} was not ended", evening=number)
        last = tuple(each._replace(over=each.complete) for each in evening.series[-1:])
        series = (*evening.series[:-1], *last)
        # Those who play the games that are not over are there again, also who had gone before the evening was ended.
        left = [self._of[game].people.values() for game in evening.games if game in self._running]
        present = dict.fromkeys(chain.from_iterable(left), 0) | evening.present
        self._put(evening._replace(alone=True, ended=None, reopened=True, series=series, present=present))

    def _meet(self, evening: Evening, people: Iterable[str]) -> None:
        """Keep who was at an evening."""
        self._put(evening._replace(people=tuple(dict.fromkeys((*evening.people, *people)))))

    def _begin_series(self, entry: Entry) -> None:
        body = entry.body
        number = body["series"]
        if not self._series.follows(number):
            raise TextError("series {series} is not the next one", series=number)
        if bool(body["wins"]) == bool(body["count"]):
            raise TextError("a series has either wins or count")
        if not body["games"]:
            raise TextError("a series has games")
        evening = _kept_open(self._open(body["evening"]))
        new = Series(number, tuple(body["games"]), body["wins"], body["count"], (), {}, {}, False)
        before = tuple(each._replace(over=True) for each in evening.series)
        self._put(evening._replace(series=(*before, new)))

    def _begin_game(self, entry: Entry) -> None:
        body = entry.body
        number, series = body.get("evening"), body.get("series")
        people = {f"p{at}": seat["person"] for at, seat in enumerate(body["seats"], 1) if "person" in seat}
        if number is None:
            if (number := self._numbers.next()) in self._evenings:
                raise TextError("evening {evening} has begun already", evening=number)
            evening = Evening(number, entry.hash, entry.at, None, "", {}, (), (), (), {}, by_game=True, alone=True)
            if series is not None:
                raise TextError("a game of a series belongs to its evening")
        else:
            evening = self._open(number)
        if evening.alone:
            here = {each["person"]: _place_of(each) for each in body["seats"] if "person" in each}
            evening = evening._replace(present={**evening.present, **here}, ended=None)
        elif absent := set(people.values()) - evening.present.keys():
            raise TextError("somebody who is to play is not there ({person})", person=min(absent))
        if len(set(people.values())) < len(people):
            raise TextError("somebody has two seats of a game")
        if series is not None:
            self._check_due(evening, series, body["game"])
        if entry.game is None:
            raise TextError("a game has a number")
        met = tuple(dict.fromkeys((*evening.people, *people.values())))
        self._put(evening._replace(games=(*evening.games, entry.game), people=met))
        bots = {f"p{at}": seat["name"] for at, seat in enumerate(body["seats"], 1) if "person" not in seat}
        self._of[entry.game] = _Game(number, series, people, bots)
        self._running.add(entry.game)

    def _check_due(self, evening: Evening, number: int, game: str) -> None:
        series = running(evening)
        if series is None or series.number != number:
            raise NotDueError("series {series} is not running", series=number)
        if game != due(series):
            raise NotDueError("{due} is due in series {series}, not {game}", game=game, series=number, due=due(series))

    def _end_game(self, entry: Entry) -> None:
        game = entry.game
        if game is None or game not in self._of:
            raise TextError("game {game} has not begun", game=game)
        if game in self._abandoned:
            raise TextError("game {game} was abandoned", game=game)
        number, series, people, bots = self._of[game]
        evening = self._evenings[number]
        if entry.kind == ABANDONED:
            if game not in self._running:
                raise TextError("game {game} is over", game=game)
            self._abandoned.add(game)
            self._running.discard(game)
        elif entry.kind == "end":
            winners = entry.body["winners"]
            self._over[game] = (
                [people[seat] for seat in winners if seat in people],
                [bots[seat] for seat in winners if seat in bots],
            )
            self._running.discard(game)
        else:
            self._over.pop(game, None)
            self._running.add(game)
        if evening.alone:
            evening = evening._replace(ended=entry.at if self._running.isdisjoint(evening.games) else None)
        counted = tuple(
            self._count(each, game, ended=evening.ended is not None or each is not evening.series[-1])
            if each.number == series
            else each
            for each in evening.series
        )
        if counted or evening.alone:
            self._put(evening._replace(series=counted))

    def _count(self, series: Series, game: int, *, ended: bool) -> Series:
        """Return a series after one of its games has ended or was reopened. ``ended``: it is over in any case."""
        played = tuple(each for each in series.played if each != game or game in self._over)
        if game in self._over and game not in played:
            played = (*played, game)
        people, bots = (Counter(chain.from_iterable(self._over[each][kind] for each in played)) for kind in (0, 1))
        counted = series._replace(played=played, standings=dict(people), bots=dict(bots))
        return counted._replace(over=ended or counted.complete)

    def _open(self, number: int) -> Evening:
        if number not in self._evenings:
            raise TextError("evening {evening} has not begun", evening=number)
        evening = self._evenings[number]
        if evening.ended is not None and not evening.alone:
            raise TextError("evening {evening} is over", evening=number)
        return evening

    def _put(self, evening: Evening) -> None:
        self._evenings[evening.number] = evening


def _check_present(evening: Evening, person: str) -> None:
    if person not in evening.present:
        raise TextError("somebody is named who is not there ({person})", person=person)


def _end_key(evening: Evening, person: str) -> Evening:
    """Return an evening in which the key that a person had holds no longer."""
    return evening._replace(keys={**evening.keys, person: evening.keys.get(person, 0) + 1})


def _kept_open(evening: Evening) -> Evening:
    """Return an evening that ends when somebody says so, also one that a game began; not one that was ended before and
    reopened for a game."""
    return evening._replace(alone=False, ended=None) if evening.alone and not evening.reopened else evening


def _place_of(seat: Mapping[str, Any]) -> int:
    """Return where somebody sits at the table who has a seat of a game; 0 for a screen."""
    return int(seat["place"]) if seat["source"] == "table" else 0


def known(evening: Evening, names: Names) -> Evening:
    """Return an evening with merged people resolved."""
    keys = Counter[str]()
    for person, given in evening.keys.items():
        keys[names.one(person)] += given
    return evening._replace(
        keys=keys,
        organisers=frozenset(map(names.one, evening.organisers)),
        present={names.one(person): place for person, place in evening.present.items()},
        people=tuple(dict.fromkeys(map(names.one, evening.people))),
        series=tuple(_known_series(each, names) for each in evening.series),
    )


def _known_series(series: Series, names: Names) -> Series:
    standings: dict[str, int] = {}
    for person, won in series.standings.items():
        standings[names.one(person)] = standings.get(names.one(person), 0) + won
    return series._replace(standings=standings)


def running(evening: Evening) -> Series | None:
    """Return the series of an evening that is not over."""
    last: Sequence[Series] = evening.series[-1:]
    return last[0] if last and not last[0].over else None


def due(series: Series | None) -> str | None:
    """Return the game whose turn it is in a series."""
    return None if series is None else series.games[len(series.played) % len(series.games)]
