"""The evenings of a keeper: who is there, what is played next, and who follows. All of it stands in the log."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from msgspec import Meta, structs

from tablier import messages
from tablier.bots.bots import COMMAND, default_bot
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat, may_practise
from tablier.games import bots_of, game_of
from tablier.keeper.access import OPERATING, WATCHING
from tablier.keeper.evening_table import EveningTable
from tablier.keeper.games import Games, Plan, sources_of
from tablier.keeper.methods import Asker, method
from tablier.keeper.peer import Peer
from tablier.keeper.playable import port_now
from tablier.keeper.protocol import REFUSED, Chance, NewSeat, Params, Place, Refusal, Table
from tablier.log import Evening, GameInfo, Log, Names, Series
from tablier.log.evenings import due, running
from tablier.log.replies import Words, check_printable
from tablier.names import same_name
from tablier.play.logged import seats_of
from tablier.play.rotation import rotated
from tablier.texts import Failure, Json, Text, suggest, text_of
from tablier_fw import wire

TABLES = 3
"""The most evenings that are open at a time: a keeper has so many tables."""
PEOPLE = 20
"""The most people of an evening."""

EveningNumber = Annotated[int, Meta(ge=1, le=1 << 31, description="the number of an evening")]


class Someone(Params, frozen=True, kw_only=True):
    """Somebody who is there, at a place of the table, or at none."""

    name: Words
    place: Place = 0

    def __post_init__(self) -> None:
        check_printable(self, "name")


class Begin(Params, frozen=True, kw_only=True):
    """An evening that is to begin. The port of ``table`` is ``null`` where it has none."""

    people: Annotated[list[Someone], Meta(max_length=PEOPLE, description="at most 20 people")] = []
    table: Table = Table()


class OfEvening(Params, frozen=True, kw_only=True):
    """An evening that is open."""

    evening: EveningNumber


class Come(OfEvening, frozen=True, kw_only=True):
    """Somebody who comes, or changes the place."""

    name: Words
    place: Place = 0

    def __post_init__(self) -> None:
        check_printable(self, "name")


class Go(OfEvening, frozen=True, kw_only=True):
    """Somebody who goes."""

    name: Words


class BeginSeries(OfEvening, frozen=True, kw_only=True):
    """A series: ``wins``: the first to win this many games has won it; ``count``: this many games are played."""

    games: Annotated[list[Words], Meta(min_length=1, max_length=20, description="1 to 20 names of games")]
    wins: Annotated[int, Meta(ge=0, le=99, description="0 to 99")] = 0
    count: Annotated[int, Meta(ge=0, le=99, description="0 to 99")] = 0


class Next(OfEvening, frozen=True, kw_only=True):
    """The next game with the people who are there. ``game``: its name; without one, that of the series."""

    game: Words | None = None
    options: dict[str, Any] = {}
    others: Annotated[list[NewSeat], Meta(max_length=6, description="at most 6 seats")] = []
    without: Annotated[list[Words], Meta(max_length=PEOPLE, description="at most 20 names")] = []
    chance: Chance | None = None
    practice: bool = False


class Follow(OfEvening, frozen=True, kw_only=True):
    """An evening that is followed; ``games``: its games, too, as a spectator."""

    games: bool = True


@dataclass(eq=False)
class Sitting:
    """An open evening at its keeper."""

    stand: EveningTable
    followers: dict[Peer, bool] = field(default_factory=dict)
    """Who is told of it, and whether its games are shown there, too."""
    beginning: bool = False
    """True while the table of its next game is set up."""
    why: Text | None = None
    """What has kept the game from beginning that was asked for at the table."""


class Evenings:
    """The open evenings of a log, each at its own table."""

    def __init__(self, log: Log, games: Games) -> None:
        self._log = log
        self._games = games
        self._open = {each.number: Sitting(EveningTable.read(each)) for each in log.evenings() if _is_open(each)}
        games.stand_of = lambda evening: self._open[evening].stand if evening in self._open else None
        games.on_change = self._tell
        games.on_another = self._at_table
        self.on_list: Callable[[], None] = lambda: None
        """Called when :meth:`overview` may have changed."""

    def overview(self) -> list[messages.Evening]:
        """Return every open evening, as :meth:`_shown` tells it."""
        names = self._log.names()
        return [self._shown(self._log.evening(number), names) for number in self._open]

    def forget(self, peer: Peer) -> None:
        """Let go of a connection that is closed."""
        for sitting in self._open.values():
            sitting.followers.pop(peer, None)

    def close(self) -> None:
        """Take the tables away; the evenings stay open in the log."""
        for sitting in self._open.values():
            sitting.stand.close()

    # -- who is there ------------------------------------------------------------------------------------------------

    @method(
        "evening",
        Begin,
        OPERATING,
        takes="`people`?: each `name`, `place`? (0: none); `table`?",
        gives="`NewEvening`, see below",
    )
    def _begin(self, asker: Asker, params: Begin) -> messages.NewEvening:
        if len(self._open) >= TABLES:
            text = "too many evenings are open ({count}): {evenings}; end one of them first"
            raise Refusal(REFUSED, text, count=TABLES, evenings=list(self._open))
        stand = EveningTable(params.table)
        for number, sitting in self._open.items():
            if stand.port is not None and sitting.stand.port == stand.port:
                raise Refusal(
                    REFUSED, "evening {evening} is at {port}; end that first", evening=number, port=stand.port
                )
        for at, each in enumerate(params.people):
            _check_free(each, params.people[:at])
        present = [(self._log.person(each.name), each.place) for each in params.people]
        number = self._log.begin_evening(stand.name, present, **stand.paces)
        self._open[number] = Sitting(stand)
        self.on_list()
        return messages.NewEvening(evening=number)

    @method(
        "come",
        Come,
        OPERATING,
        takes="`evening`, `name`, `place`?",
        gives="who is there already changes the place",
    )
    def _come(self, asker: Asker, params: Come) -> Json:
        evening, names = self._evening(params), self._log.names()
        one = names.find(params.name)
        others = [(names.of(other), place) for other, place in evening.present.items() if other != one]
        _check_free(params, [Someone(name=name, place=place) for name, place in others])
        self._log.come(params.evening, self._log.person(params.name), params.place)
        self._tell(params.evening)
        return {}

    @method(
        "go",
        Go,
        OPERATING,
        takes="`evening`, `name`",
    )
    def _go(self, asker: Asker, params: Go) -> Json:
        self._settled(params.evening)
        evening, names = self._evening(params), self._log.names()
        one = names.find(params.name)
        if one not in evening.present:
            here = [names.of(other) for other in evening.present]
            absent = Text("name is {name}, who is not there; there: {here}", {"name": params.name, "here": here})
            raise Refusal(REFUSED, suggest(absent, params.name, here))
        self._log.go(params.evening, one)
        self._tell(params.evening)
        return {}

    @method(
        "close",
        OfEvening,
        OPERATING,
        takes="`evening`",
        gives="it is over",
    )
    def _close(self, asker: Asker, params: OfEvening) -> Json:
        sitting = self._settled(params.evening)
        self._games.clear(params.evening)
        self._log.close_evening(params.evening)
        self._tell(params.evening)
        del self._open[params.evening]
        self._games.close_beside(sitting.stand.close)
        self.on_list()
        return {}

    # -- what is played ----------------------------------------------------------------------------------------------

    @method(
        "series",
        BeginSeries,
        OPERATING,
        takes="`evening`, `games` (names, in turn), `wins` or `count`",
        gives="`NewSeries`, see below. The first to win `wins` games wins it, person or bot, or it has `count` games",
    )
    def _series(self, asker: Asker, params: BeginSeries) -> messages.NewSeries:
        self._settled(params.evening)
        before = running(self._evening(params))
        if bool(params.wins) == bool(params.count):
            raise Refusal(REFUSED, "a series has wins or count: how many wins win it, or how many games it has")
        for name in params.games:
            game_of(name).check()
        series = self._log.begin_series(params.evening, params.games, wins=params.wins, count=params.count)
        self._tell(params.evening)
        return messages.NewSeries(series=series, ended=_number(before))

    @method(
        "next",
        Next,
        OPERATING,
        takes="`evening`, `game`? (its name; without it that of the series, else the last one), `options`?,"
        " `others`?: seats of bots, as in `play`, `without`?: names of people who do not play, `chance`?,"
        " `practice`?",
        gives="as `play`. People sit clockwise by their places: those with a place at the table, if there is one,"
        " the others at screens",
    )
    def _next(self, asker: Asker, params: Next) -> None:
        evening = self._evening(params)
        series = running(evening)
        game = params.game or due(series) or self._last_of(evening).game
        if series is not None and game != due(series):
            series = None  # a game in between, which does not count
        stand = self._sitting(params.evening).stand
        without = set(map(same_name, params.without))
        people = {name: place for name, place in self._present(evening).items() if same_name(name) not in without}
        others = [each.seat() for each in params.others]
        seats = _round(people, others, at_table=stand.table.port is not None)
        chance, number = sources_of(params.chance), _number(series)
        plan = Plan(game, params.options, seats, params.practice, chance, params.evening, number)
        self._play(evening, plan, [asker])

    @method(
        "another",
        OfEvening,
        OPERATING,
        takes="`evening`",
        gives="as `play`: the next game of the series, or the last one again, with those of the last one who are"
        " still there; then the seat begins that comes after the one that began last, unless lots or dice decide it",
    )
    def _another(self, asker: Asker, params: OfEvening) -> None:
        self._play_again(self._evening(params), [asker])

    def _at_table(self, number: int) -> None:
        """Begin the next game because somebody at the table wants it; where it cannot be, followers are told why."""
        sitting = self._open.get(number)
        if sitting is None:
            return
        try:
            self._play_again(self._evening(OfEvening(evening=number)), [])
        except Failure as error:
            self._cannot(number, text_of(error))

    def _cannot(self, number: int, why: Text) -> None:
        """Tell followers why the game cannot begin that was asked for at the table."""
        if number in self._open:
            self._open[number].why = why
            self._tell(number)

    def _play_again(self, evening: Evening, askers: Sequence[Asker]) -> None:
        """Begin another game with those of the last one who are still there: the next of a series, or the same."""
        series, last = running(evening), self._last_of(evening)
        game = due(series) or last.game
        begun = next(self._log.entries(last.id, "game")).body
        present = self._present(evening)
        people = {seat.name: present[seat.name] for seat in seats_of(last) if seat.is_person and seat.name in present}
        others = [_fit(seat, game, people.values()) for seat in seats_of(last) if not seat.is_person]
        stand = self._sitting(evening.number).stand
        seats = _round(people, others, at_table=stand.table.port is not None)
        same = game == last.game
        kept = same and len(seats) == len(last.seats) and "chance" in begun
        sources = Sources.read(begun) if kept else None
        options: Json = {}
        if same:
            sat = [seat.name for seat in seats_of(last)]
            if not any(seat.place for seat in seats):
                seats = tuple(sorted(seats, key=lambda seat: sat.index(seat.name)))
            options, order = rotated(game, begun["options"], sat, seats)
            seats = tuple(seats[number] for number in order)
            if sources is not None and sources.dice:
                sources = replace(sources, dice=tuple(sources.dice[number] for number in order))
        practice = begun["practice"] and may_practise(seats)
        self._play(evening, Plan(game, options, seats, practice, sources, evening.number, _number(series)), askers)

    def _play(self, evening: Evening, plan: Plan, askers: Sequence[Asker]) -> None:
        sitting = self._settled(evening.number)
        self._games.clear(evening.number)

        def begun() -> None:
            sitting.beginning = False

        sitting.why = None
        awaits = next((each.peer for each in askers if sitting.followers.get(each.peer) is False), None)

        def refused(why: Text) -> None:
            if not askers:  # else they are answered
                self._cannot(evening.number, why)

        self._games.play(plan, self._table(evening), askers, awaits=awaits, before=begun, refused=refused)
        sitting.beginning = True

    def _table(self, evening: Evening) -> Table:
        """Return the table of an evening where it is now: a cable that was pulled brings it back under another name."""
        stand = self._open[evening.number].stand
        if stand.port is None:
            return stand.table
        return structs.replace(stand.table, port=port_now(self._log, evening.games, stand.port))

    def _last_of(self, evening: Evening) -> GameInfo:
        if not evening.games:
            raise Refusal(REFUSED, "game is missing: evening {evening} has had none yet", evening=evening.number)
        return self._log.game(evening.games[-1])

    # -- who follows -------------------------------------------------------------------------------------------------

    @method(
        "follow",
        Follow,
        WATCHING,
        takes="`evening`, `games`? (true)",
        gives="`evening` messages follow; with `games` the updates of its games, too, as for a spectator",
    )
    def _follow(self, asker: Asker, params: Follow) -> Json:
        self._sitting(params.evening).followers[asker.peer] = params.games
        self._tell(params.evening, [asker.peer])
        return {}

    def _tell(self, number: int, peers: Sequence[Peer] | None = None) -> None:
        """Tell followers how an evening stands, and show them its game where they want that."""
        self.on_list()
        sitting = self._open.get(number)
        if sitting is None or not sitting.followers:
            return
        told = self._shown(self._log.evening(number), self._log.names())
        for peer in sitting.followers if peers is None else peers:
            peer.tell(("evening", number), told)
            if sitting.followers[peer]:
                self._games.show(peer, number)

    def _shown(self, evening: Evening, names: Names) -> messages.Evening:
        """Return how an evening stands."""
        sitting = self._open[evening.number]
        series = running(evening)
        played = [self._log.game(game) for game in evening.games]
        return messages.Evening(
            evening=evening.number,
            table=sitting.stand.table.port,
            here=[messages.Person(name=names.of(one), place=place) for one, place in evening.present.items()],
            games=[_played(info) for info in played],
            series=[_series(each, names) for each in evening.series],
            next=due(series) or (played[-1].game if played else None),
            game=self._games.of_evening(evening.number),
            ended=evening.ended is not None,
            why=sitting.why,
        )

    # -- looking up --------------------------------------------------------------------------------------------------

    def _present(self, evening: Evening) -> dict[str, int]:
        """Return the places of those who are there, by name."""
        names = self._log.names()
        return {names.of(one): place for one, place in evening.present.items()}

    def _sitting(self, number: int) -> Sitting:
        if number not in self._open:
            raise Refusal(
                REFUSED, "evening {evening} is not open; open: {evenings}", evening=number, evenings=list(self._open)
            )
        return self._open[number]

    def _settled(self, number: int) -> Sitting:
        """Return an open evening. Raise :class:`Refusal` while a game of it is being set up, which is to be begun as
        things stand."""
        sitting = self._sitting(number)
        if sitting.beginning:
            raise Refusal(REFUSED, "evening {evening} is about to begin a game", evening=number)
        return sitting

    def _evening(self, params: OfEvening) -> Evening:
        self._sitting(params.evening)
        return self._log.evening(params.evening)


def _is_open(evening: Evening) -> bool:
    return evening.ended is None and not evening.alone


def _check_free(one: Someone | Come, others: Sequence[Someone]) -> None:
    """Refuse somebody with another's name or place."""
    for other in others:
        if same_name(other.name) == same_name(one.name):
            raise Refusal(REFUSED, "people names {name} twice", name=one.name)
        if one.place and other.place == one.place:
            raise Refusal(REFUSED, "place {place} is {name}'s; name a free one", place=one.place, name=other.name)


def _round(people: dict[str, int], others: Sequence[Seat], *, at_table: bool) -> tuple[Seat, ...]:
    """Return the seats of a game, clockwise. Where somebody sits at a table, each seat gets a place: cards are laid and
    choices bound by places. Without a table whoever has none comes last."""
    taken = {place: name for name, place in people.items() if place}
    for seat in others:
        if seat.place in taken:
            text = "place {place} is {name}'s; {other} needs another one"
            raise Refusal(REFUSED, text, place=seat.place, name=taken[seat.place], other=seat.name)
    seats = [Seat(name, place, AT_TABLE if at_table and place else AT_SCREEN) for name, place in people.items()]
    seats += others
    if any(seat.at_table for seat in seats):
        used = {seat.place for seat in seats}
        last = max(used)
        clockwise = (*range(last + 1, wire.PLACES + 1), *range(1, last))
        free = (place for place in clockwise if place not in used)
        seats = [seat if seat.place else replace(seat, place=next(free, 0)) for seat in seats]
    return tuple(sorted(seats, key=lambda seat: seat.place or wire.PLACES + 1))


def _fit(seat: Seat, game: str, taken: Collection[int]) -> Seat:
    """Return a bot's or a simulated person's seat in another game: with that game's bots, and not at a place that
    somebody has taken meanwhile."""
    bots, bot = bots_of(game), default_bot(game)
    simulated = seat.simulated if seat.simulated in ("", *bots) else bot
    known = seat.at_table or seat.source in bots or seat.source.startswith(COMMAND)
    place = 0 if seat.place in taken and seat.is_bot else seat.place
    return Seat(seat.name, place, seat.source if known else bot, simulated)


def _number(series: Series | None) -> int | None:
    return None if series is None else series.number


def _played(info: GameInfo) -> messages.GamePlayed:
    result = None if info.result is None else messages.Result.read(info.result)
    return messages.GamePlayed(
        game=info.id, rules=info.game, seats=list(info.names), result=result, remarks=list(info.remarks)
    )


def _series(series: Series, names: Names) -> messages.Series:
    people = [messages.Standing(name=names.of(one), wins=wins, bot=False) for one, wins in series.standings.items()]
    bots = [messages.Standing(name=name, wins=wins, bot=True) for name, wins in series.bots.items()]
    return messages.Series(
        series=series.number,
        games=list(series.games),
        wins=series.wins,
        count=series.count,
        played=list(series.played),
        standings=[*people, *bots],
        over=series.over,
        complete=series.complete,
    )
