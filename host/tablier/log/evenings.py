"""Fold the entries into evenings: who came and went, series, and the games that belong to each. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Any, NamedTuple, Protocol

from tablier.log.chain import Entry
from tablier.log.people import Names
from tablier.texts import Text, TextError

KINDS = ("evening", "came", "went", "key", "organiser", "door", "series", "closed")
"""The kinds of entries that belong to an evening and to no game."""
ABANDONED = "abandoned"
"""The kind of the entry after which a game counts nowhere and is not resumed."""
FOLDED = (*KINDS, "game", "takeback", "end", ABANDONED)
"""The kinds from which evenings follow."""


GAME_ABANDONED = Text("game {game} was abandoned: it counts nowhere, and cannot be resumed")
GAME_IS_OVER = Text("game {game} is over")


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


class Played(NamedTuple):
    """A game of an evening: what the evening follows from."""

    game: int
    series: int | None
    people: dict[str, str]
    """By seat: the id of the person."""
    bots: dict[str, str]
    """By seat: the name."""
    running: bool = True
    """False for one that is over, and for one that was abandoned."""
    abandoned: bool = False
    won: tuple[str, ...] | None = None
    """The people who have won it; ``None`` for one without a result."""
    bots_won: tuple[str, ...] = ()
    """By name."""


class Standing(NamedTuple):
    """An evening as it stands, with its games: all from which it follows what later entries make of it."""

    evening: Evening
    games: tuple[Played, ...]

    @property
    def is_live(self) -> bool:
        """Return whether the evening is open, or a game of it is not over."""
        return self.evening.ended is None or any(each.running for each in self.games)


class Shelf(Protocol):
    """Evenings that are kept elsewhere, as entries before have left them."""

    last: int
    """The number of the latest; 0 if none has begun."""
    series: int
    """The number of the latest series."""

    def get(self, number: int) -> Standing | None:
        """Return an evening; ``None`` if none of that number has begun."""

    def of_game(self, game: int) -> int | None:
        """Return the number of a game's evening; ``None`` for one that has not begun."""


class _Empty:
    last = series = 0

    def get(self, number: int) -> None:
        return None

    def of_game(self, game: int) -> None:
        return None


class _Numbers:
    """Numbers from 1 without gaps. After one that is wrong, the next may follow it, or what should have stood there."""

    def __init__(self, last: int) -> None:
        self._right = self._claimed = last

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

    def __init__(self, shelf: Shelf | None = None) -> None:
        """``shelf``: keeps the evenings of the entries before. Only those that are asked for are fetched."""
        self._shelf: Shelf = _Empty() if shelf is None else shelf
        self._evenings: dict[int, Evening] = {}
        self._numbers, self._series = _Numbers(self._shelf.last), _Numbers(self._shelf.series)
        self._of: dict[int, int] = {}
        """By game: its evening."""
        self._games: dict[int, Played] = {}
        self._running: set[int] = set()
        """The games that are not over."""
        self.last = self._shelf.last
        """The number of the latest evening; 0 if none has begun."""
        self.last_series = self._shelf.series
        """The number of the latest series; 0 if none has begun."""
        self.begun: dict[int, int] = {}
        """By evening: the number of the entry that began it, of those that were taken."""
        self.changed: dict[int, int] = {}
        """By evening: the number of the last entry that has changed it, of those that were taken."""
        self._entry = 0
        """The number of the entry that is being taken."""

    def copy(self) -> Evenings:
        """Return evenings that stand as these do, to which entries can be tried."""
        twin = Evenings(self._shelf)
        twin._evenings, twin._of, twin._games = dict(self._evenings), dict(self._of), dict(self._games)
        twin._running, twin.last, twin.last_series = set(self._running), self.last, self.last_series
        twin._numbers, twin._series = copy(self._numbers), copy(self._series)
        return twin

    @property
    def all(self) -> list[Evening]:
        """Return the evenings that are here: all, without a shelf."""
        return list(self._evenings.values())

    def get(self, number: int) -> Evening | None:
        """Return an evening, which is here from then on; ``None`` if none of that number has begun."""
        if number not in self._evenings and (kept := self._shelf.get(number)) is not None:
            self.put(kept)
        return self._evenings.get(number)

    def look_at(self, number: int) -> Evening | None:
        """Return an evening, which stays where it is kept; ``None`` if none of that number has begun."""
        if number in self._evenings:
            return self._evenings[number]
        kept = self._shelf.get(number)
        return None if kept is None else kept.evening

    def of_game(self, game: int) -> int:
        """Return the number of a game's evening. Raise :class:`KeyError` for one that has not begun."""
        if game not in self._of and (number := self._shelf.of_game(game)) is not None:
            return number
        return self._of[game]

    @property
    def open_games(self) -> list[int]:
        """Return the games that have not ended, in the order in which they began."""
        return sorted(self._running)

    def put(self, standing: Standing) -> None:
        """Have an evening here that is kept elsewhere."""
        number = standing.evening.number
        self._evenings[number] = standing.evening
        for each in standing.games:
            self._of[each.game], self._games[each.game] = number, each
            if each.running:
                self._running.add(each.game)

    def standing(self, number: int) -> Standing:
        """Return all of an evening, to be kept elsewhere."""
        evening = self._evenings[number]
        return Standing(evening, tuple(self._games[game] for game in evening.games))

    def shelve(self, shelf: Shelf) -> None:
        """Have only evenings here that are live: ``shelf`` keeps all of them as they stand."""
        self._shelf = shelf
        self.begun.clear()
        self.changed.clear()
        for number in [number for number in self._evenings if not self.standing(number).is_live]:
            for game in self._evenings.pop(number).games:
                del self._of[game], self._games[game]

    def take(self, entry: Entry) -> None:
        """Take an entry of :data:`FOLDED`. Raise :class:`TextError` for one that cannot be, which leaves other evenings
        as they are; its text says that by itself: people may be told it."""
        kind, body, self._entry = entry.kind, entry.body, entry.n
        if entry.game is not None and kind in KINDS:
            raise TextError("it is of game {game}", game=entry.game)
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
        if self.get(number) is not None:
            raise _begun_already(number)
        self.last, self.begun[number] = number, entry.n
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
        evening = self.get(number)
        if evening is None or evening.ended is None or evening.alone:
            raise TextError("evening {evening} was not ended", evening=number)
        last = tuple(each._replace(over=each.complete) for each in evening.series[-1:])
        series = (*evening.series[:-1], *last)
        # Those who play the games that are not over are there again, also who had gone before the evening was ended.
        left = [self._games[game].people.values() for game in evening.games if game in self._running]
        present = dict.fromkeys(chain.from_iterable(left), 0) | evening.present
        self._put(evening._replace(alone=True, ended=None, reopened=True, series=series, present=present))

    def _meet(self, evening: Evening, people: Iterable[str]) -> None:
        """Keep who was at an evening."""
        self._put(evening._replace(people=tuple(dict.fromkeys((*evening.people, *people)))))

    def _begin_series(self, entry: Entry) -> None:
        body = entry.body
        number = body["series"]
        follows = self._series.follows(number)
        self.last_series += 1
        if not follows:
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
            if self.get(number := self._numbers.next()) is not None:
                raise _begun_already(number)
            self.last, self.begun[number] = number, entry.n
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
        self._of[entry.game], self._games[entry.game] = number, Played(entry.game, series, people, bots)
        self._running.add(entry.game)

    def _check_due(self, evening: Evening, number: int, game: str) -> None:
        series = running(evening)
        if series is None or series.number != number:
            raise NotDueError("series {series} is not running", series=number)
        if game != due(series):
            raise NotDueError("{due} is due in series {series}, not {game}", game=game, series=number, due=due(series))

    def _end_game(self, entry: Entry) -> None:
        game = entry.game
        if game is None or (evening := self._evening_of(game)) is None:
            raise TextError("game {game} has not begun", game=game)
        played = self._games[game]
        if played.abandoned:
            raise TextError(GAME_ABANDONED.of(game=game))
        if entry.kind == ABANDONED:
            if not played.running:
                raise TextError(GAME_IS_OVER.of(game=game))
            played = played._replace(running=False, abandoned=True)
        elif entry.kind == "end":
            winners = entry.body["winners"]
            won, bots = (tuple(who[seat] for seat in winners if seat in who) for who in (played.people, played.bots))
            played = played._replace(running=False, won=won, bots_won=bots)
        else:
            played = played._replace(running=True, won=None, bots_won=())
        self._games[game] = played
        (self._running.add if played.running else self._running.discard)(game)
        self.changed[evening.number] = self._entry
        if evening.alone:
            evening = evening._replace(ended=entry.at if self._running.isdisjoint(evening.games) else None)
        counted = tuple(
            self._count(each, game, ended=evening.ended is not None or each is not evening.series[-1])
            if each.number == played.series
            else each
            for each in evening.series
        )
        if counted or evening.alone:
            self._put(evening._replace(series=counted))

    def _count(self, series: Series, game: int, *, ended: bool) -> Series:
        """Return a series after one of its games has ended or was reopened. ``ended``: it is over in any case."""
        ended_now = self._games[game].won is not None
        played = tuple(each for each in series.played if each != game or ended_now)
        if ended_now and game not in played:
            played = (*played, game)
        people, bots = Counter[str](), Counter[str]()
        for each in (self._games[number] for number in played):
            people.update(each.won or ())
            bots.update(each.bots_won)
        counted = series._replace(played=played, standings=dict(people), bots=dict(bots))
        return counted._replace(over=ended or counted.complete)

    def _evening_of(self, game: int) -> Evening | None:
        """Return the evening of a game, here with all of its games."""
        number = self._of[game] if game in self._of else self._shelf.of_game(game)
        return None if number is None else self.get(number)

    def _open(self, number: int) -> Evening:
        evening = self.get(number)
        if evening is None:
            raise TextError("evening {evening} has not begun", evening=number)
        if evening.ended is not None and not evening.alone:
            raise TextError("evening {evening} is over", evening=number)
        return evening

    def _put(self, evening: Evening) -> None:
        self._evenings[evening.number] = evening
        self.changed[evening.number] = self._entry


def _begun_already(evening: int) -> TextError:
    return TextError("evening {evening} has begun already", evening=evening)


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


def resolve_merges(evening: Evening, names: Names) -> Evening:
    """Return an evening with each person who was merged into another one named as that one."""
    keys = Counter[str]()
    for person, given in evening.keys.items():
        keys[names.one(person)] += given
    return evening._replace(
        keys=keys,
        organisers=frozenset(map(names.one, evening.organisers)),
        present={names.one(person): place for person, place in evening.present.items()},
        people=tuple(dict.fromkeys(map(names.one, evening.people))),
        series=tuple(_resolve_series(each, names) for each in evening.series),
    )


def _resolve_series(series: Series, names: Names) -> Series:
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
