"""The evenings of a keeper: who is there, what is played next, and who follows. All of it stands in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, structs

from tablier import messages
from tablier.bots.sources import COMMAND, default_bot
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat, may_practise
from tablier.games import bots_of, game_of
from tablier.keeper.access import AGAIN, NAMES_PROGRAMS, OPERATING, ORGANISING, WATCHING, door_code
from tablier.keeper.evening_table import EveningTable
from tablier.keeper.games import Games, Plan, present, sources_of
from tablier.keeper.methods import Asker, method
from tablier.keeper.peer import Peer
from tablier.keeper.playable import port_at, port_now
from tablier.keeper.protocol import (
    FORBIDDEN,
    NOT_OPEN,
    REFUSED,
    Chance,
    EveningNumber,
    NewSeat,
    OfEvening,
    Params,
    Place,
    Refusal,
    Table,
)
from tablier.log.evenings import Evening, Series, due, running
from tablier.log.fold import GameInfo, bot_called
from tablier.log.people import Names
from tablier.log.replies import Words, check_printable
from tablier.log.store import Log
from tablier.names import free_names, same_name
from tablier.play.logged import Logged, seats_of
from tablier.play.rotation import rotated
from tablier.texts import Failure, Json, Text, text_of
from tablier_fw import wire

TABLES = 3
"""The most evenings that are open at a time, as many as a keeper's tables."""
PEOPLE = 20
"""The most people of an evening."""


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


IS_HERE = Text("{name} is here.")


class Come(OfEvening, frozen=True, kw_only=True):
    """Somebody who comes, or changes the place; without ``place`` who is there stays where that is."""

    name: Words
    place: Annotated[Place | None, Meta(description="a place from 1 to 6, 0 for none, or null")] = None

    def __post_init__(self) -> None:
        check_printable(self, "name")


class OfPerson(OfEvening, frozen=True, kw_only=True):
    """Somebody who is there, by name."""

    name: Words


class Rename(Params, frozen=True, kw_only=True):
    """Somebody who is there, or for the operator anybody, and another name."""

    evening: EveningNumber | None = None
    name: Words
    to: Words

    def __post_init__(self) -> None:
        check_printable(self, "to")


class Organise(OfPerson, frozen=True, kw_only=True):
    """Somebody who is an organiser from now on, or no longer."""

    on: bool


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
    only: Annotated[list[Words], Meta(max_length=PEOPLE, description="at most 20 names")] | None = None
    chance: Chance | None = None
    practice: bool = False


class Follow(OfEvening, frozen=True, kw_only=True):
    """An evening that is followed; ``games``: its games, too, as a spectator."""

    games: bool = True


@dataclass(frozen=True)
class Wish:
    """Somebody who waits to be let in."""

    asker: Peer
    name: str
    person: str = ""
    """Whom another connection is already; empty for a screen."""
    by: str = ""

    def shown(self, number: int) -> messages.Wish:
        return messages.Wish(wish=number, kind="device" if self.person else "screen", name=self.name)


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
    wishes: dict[int, Wish] = field(default_factory=dict)
    """Those who wait to be let in, by number."""
    wished: int = 0
    """The number of the latest of them."""

    @property
    def is_used(self) -> bool:
        """Return whether somebody follows it or waits to be let in, or its next game is set up."""
        return bool(self.followers or self.wishes or self.beginning)


class Evenings:
    """The open evenings of a log, each at its own table."""

    def __init__(self, log: Log, games: Games, token: str, peers: Callable[[], Sequence[Peer]]) -> None:
        """``token``: the operator's; ``peers``: the connections that are open."""
        self._log = log
        self._games = games
        self._token = token
        self._peers = peers
        self._open = {each.number: Sitting(EveningTable.read(each)) for each in log.open_evenings()}
        games.stand_of = self._stand_of
        games.on_change = self.tell
        games.on_another = self._at_table
        self.on_list: Callable[[], None] = lambda: None
        """Called when :meth:`overview` may have changed."""

    def overview(self) -> list[messages.Evening]:
        """Return every open evening, as :meth:`_shown` tells it."""
        names = self._log.names()
        return [self._shown(self._log.evening(number), names) for number in self._numbers()]

    def forget(self, peer: Peer) -> None:
        """Let go of a connection that is closed."""
        for number, sitting in list(self._open.items()):
            wished = [wish for wish, each in sitting.wishes.items() if each.asker is peer]
            for wish in wished:
                del sitting.wishes[wish]
            sitting.followers.pop(peer, None)
            if wished or any(of == number for of, _ in peer.rights.people):
                self.tell(number)

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
        kept = [number for number in self._numbers() if not self._log.evening(number).alone]
        if len(kept) >= TABLES:
            text = "too many evenings are open ({count}): {evenings}; end one of them first"
            raise Refusal(REFUSED, text, count=TABLES, evenings=kept)
        stand = EveningTable(params.table)
        for number, sitting in self._open.items():
            if stand.port is not None and sitting.stand.port == stand.port:
                raise Refusal(
                    REFUSED, "evening {evening} is at {port}; end that first", evening=number, port=stand.port
                )
        for at, each in enumerate(params.people):
            _check_free(each, params.people[:at])
        here = [(self._log.person(each.name), each.place) for each in params.people]
        number = self._log.begin_evening(stand.name, here, **stand.paces)
        self._open[number] = Sitting(stand)
        self.on_list()
        evening = self._log.evening(number)
        entries = [messages.Entry(evening=number, person=one, key=self._games.key_of(evening, one)) for one, _ in here]
        return messages.NewEvening(evening=number, people=entries)

    @method(
        "come",
        Come,
        ORGANISING,
        takes="`evening`, `name`, `place`? (0: none; without it who is there already stays where that is)",
        gives="`Entry`, see below, the operator with the key",
    )
    def _come(self, asker: Asker, params: Come) -> messages.Entry:
        evening, names = self.evening(params.evening), self._log.names()
        one = names.find(params.name)
        place = evening.present.get(one or "", 0) if params.place is None else params.place
        new = one not in evening.present
        if new or place != evening.present[one or ""]:
            others = [(names.of(other), at) for other, at in evening.present.items() if other != one]
            check_room(evening, new=new)
            _check_free(Someone(name=params.name, place=place), [Someone(name=name, place=at) for name, at in others])
            self._log.come(params.evening, self._log.person(params.name), place)
            if new:
                self.say(params.evening, IS_HERE.of(name=params.name))
            self.tell(params.evening)
        evening, person = self.evening(params.evening), self._log.person(params.name)
        key = self._games.key_of(evening, person) if asker.peer.rights.operator else None
        return messages.Entry(evening=evening.number, person=person, key=key)

    @method(
        "go",
        OfPerson,
        ORGANISING,
        takes="`evening`, `name`",
        gives="who has come in as this person is out, and the key holds no longer",
    )
    def _go(self, asker: Asker, params: OfPerson) -> messages.Done:
        person = present(self.evening(params.evening), self._log.names(), params.name)
        self.see_off(params.evening, person, Text("you were shown out"))
        return messages.DONE

    @method(
        "rename",
        Rename,
        ORGANISING,
        takes="`evening`? (without it, for the operator: of anybody whom the log knows), `name`, `to`: another name for"
        " somebody who is there",
    )
    def _rename(self, asker: Asker, params: Rename) -> messages.Done:
        names = self._log.names()
        if params.evening is not None:
            person = present(self.evening(params.evening), names, params.name)
        elif (found := names.find(params.name)) is not None:
            person = found
        else:
            raise Refusal(REFUSED, "nobody is called {name}", name=params.name)
        self._log.rename(person, params.to)
        about = {"name": names.of(person), "new": self._log.names().of(person)}
        self._games.rename(person, about["new"])
        for number in self._numbers():
            if person in self._log.evening(number).present:
                self.say(number, Text("{name} is called {new} now.", about))
            self.tell(number)
        return messages.DONE

    @method(
        "organiser",
        Organise,
        OPERATING,
        takes="`evening`, `name`, `on`: whether somebody who is there is an organiser of the evening",
    )
    def _organise(self, asker: Asker, params: Organise) -> messages.Done:
        evening, names = self.evening(params.evening), self._log.names()
        person = present(evening, names, params.name)
        if params.on != (person in evening.organisers):
            self._log.set_organiser(params.evening, person, on=params.on)
            about = {"name": names.of(person)}
            organises = Text("{name} is an organiser now.", about)
            self.say(params.evening, organises if params.on else Text("{name} is not an organiser any more.", about))
            self.tell(params.evening)
        return messages.DONE

    @method(
        "close",
        OfEvening,
        ORGANISING,
        takes="`evening`",
        gives="it is over, and all keys of it with it",
    )
    def _close(self, asker: Asker, params: OfEvening) -> messages.Done:
        sitting = self._settled(params.evening)
        self._games.check_over(params.evening)
        self._log.close_evening(params.evening)  # first: one that a game began would be forgotten with that
        self._games.clear(params.evening)
        _turn_away(params.evening, sitting)
        self.tell(params.evening)
        self._forget(params.evening)
        self._games.close_beside(sitting.stand.close)
        self.on_list()
        return messages.DONE

    # -- what is played ----------------------------------------------------------------------------------------------

    @method(
        "series",
        BeginSeries,
        ORGANISING,
        takes="`evening`, `games` (names, in turn), `wins` or `count`",
        gives="`NewSeries`, see below. The first to win `wins` games wins it, person or bot, or it has `count` games",
    )
    def _series(self, asker: Asker, params: BeginSeries) -> messages.NewSeries:
        self._settled(params.evening)
        before = running(self.evening(params.evening))
        if bool(params.wins) == bool(params.count):
            raise Refusal(REFUSED, "a series has wins or count: how many wins win it, or how many games it has")
        for name in params.games:
            game_of(name).check()
        series = self._log.begin_series(params.evening, params.games, wins=params.wins, count=params.count)
        self.tell(params.evening)
        return messages.NewSeries(series=series, ended=_number(before))

    @method(
        "next",
        Next,
        ORGANISING,
        takes="`evening`, `game`? (its name; without it that of the series, else the last one), `options`?,"
        " `others`?: seats of bots, as in `play`; `without`?: names of people who do not play, or `only`?: of those who"
        " do; `chance`?, `practice`?",
        gives="as `play`. People sit clockwise by their places: those with a place at the table, if there is one,"
        " the others at screens",
    )
    def _next(self, asker: Asker, params: Next) -> None:
        evening = self.evening(params.evening)
        series = running(evening)
        game = params.game or due(series) or self._last_of(evening).game
        if series is not None and game != due(series):
            series = None  # a game in between, which does not count
        without, only = set(map(same_name, params.without)), params.only
        people = {name: place for name, place in self._present(evening).items() if same_name(name) not in without}
        if only is not None:
            names = self._log.names()
            playing = [names.of(present(evening, names, name)) for name in only]
            people = {name: place for name, place in people.items() if name in playing}
        if not asker.peer.rights.operator and any(each.source.startswith(COMMAND) for each in params.others):
            raise Refusal(FORBIDDEN, NAMES_PROGRAMS)
        others = _apart([each.seat() for each in params.others], self._present(evening))
        seats = _round(people, others, at_table=self._is_at_table(evening))
        chance, number = sources_of(params.chance), _number(series)
        plan = Plan(game, params.options, seats, params.practice, chance, params.evening, number)
        self._play(evening, plan, [asker])

    @method(
        "another",
        OfEvening,
        AGAIN,
        takes="`evening`",
        gives="as `play`: the next game of the series, or the last one again, with those of the last one who are"
        " still there; then the seat begins that comes after the one that began last, unless lots or dice decide it",
    )
    def _another(self, asker: Asker, params: OfEvening) -> None:
        self._play_again(self.evening(params.evening), [asker])

    def _at_table(self, number: int) -> None:
        """Begin the next game because somebody at the table wants it; where it cannot be, followers are told why."""
        sitting = self._open.get(number)
        if sitting is None:
            return
        try:
            self._play_again(self.evening(number), [])
        except Failure as error:
            self._cannot(number, text_of(error))

    def _cannot(self, number: int, why: Text) -> None:
        """Tell followers why the game cannot begin that was asked for at the table."""
        if number in self._open:
            self._open[number].why = why
            self.tell(number)

    def _play_again(self, evening: Evening, askers: Sequence[Asker]) -> None:
        """Begin another game with those of the last one who are still there: the next of a series, or the same."""
        series, last = running(evening), self._last_of(evening)
        game = due(series) or last.game
        begun = next(self._log.entries(last.id, "game")).body
        present = self._present(evening)
        people = {seat.name: present[seat.name] for seat in seats_of(last) if seat.is_person and seat.name in present}
        others = [_fit(seat, game, people.values()) for seat in seats_of(last) if not seat.is_person]
        seats = _round(people, others, at_table=self._is_at_table(evening))
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
        seats = tuple(_apart(seats, present))
        practice = begun["practice"] and may_practise(seats)
        self._play(evening, Plan(game, options, seats, practice, sources, evening.number, _number(series)), askers)

    def _play(self, evening: Evening, plan: Plan, askers: Sequence[Asker]) -> None:
        sitting = self._settled(evening.number)

        def begun() -> None:
            sitting.beginning = False

        # A game by itself begins when it is watched, as by play.
        late = (False,) if self._has_table(evening) else (False, None)
        awaits = next((each.peer for each in askers if sitting.followers.get(each.peer) in late), None)

        def refused(why: Text) -> None:
            if not askers:  # else they are answered
                self._cannot(evening.number, why)

        sitting.beginning, sitting.why = True, None
        try:
            self._games.clear(evening.number)
            self._games.play(plan, self._table(evening), askers, awaits=awaits, before=begun, refused=refused)
        except BaseException:
            begun()
            raise

    @staticmethod
    def _has_table(evening: Evening) -> bool:
        """Return whether an evening has a table of its own; else its games say which."""
        return not (evening.by_game or evening.reopened)

    def _is_at_table(self, evening: Evening) -> bool:
        """Return whether people with a place sit at a table. Where a game began the evening, they do as in the last
        one."""
        if not self._has_table(evening):
            return any(seat.at_table for seat in seats_of(self._last_of(evening)))
        return self._open[evening.number].stand.table.port is not None

    def _table(self, evening: Evening) -> Table:
        """Return the table of an evening where it is now: a cable that was pulled brings it back under another name."""
        if not self._has_table(evening):
            return self._games.table_of(evening.number) or self._table_of_last(evening)
        stand = self._open[evening.number].stand
        if stand.port is None:
            return stand.table
        return structs.replace(stand.table, port=port_now(self._log, evening.games, stand.port))

    def _table_of_last(self, evening: Evening) -> Table:
        if not self._is_at_table(evening):
            return Table()
        last = self._last_of(evening).id
        return Table(port=port_at(last, Logged(self._log, last).hello))

    def _last_of(self, evening: Evening) -> GameInfo:
        if not evening.games:
            raise Refusal(REFUSED, "evening {evening} has had no game yet; name one", evening=evening.number)
        infos = [self._log.game(game) for game in evening.games]
        return next((info for info in reversed(infos) if not info.abandoned), infos[-1])

    # -- who follows -------------------------------------------------------------------------------------------------

    @method(
        "follow",
        Follow,
        WATCHING,
        takes="`evening`, `games`? (true)",
        gives="`evening` messages follow; with `games` the updates of its games, too, as for a spectator",
    )
    def _follow(self, asker: Asker, params: Follow) -> messages.Done:
        self.sitting(params.evening).followers[asker.peer] = params.games
        self.tell(params.evening, [asker.peer])
        return messages.DONE

    def tell(self, number: int, peers: Sequence[Peer] | None = None) -> None:
        """Tell followers how an evening stands, and show them its game where they want that."""
        self.on_list()
        if number not in self._numbers():
            return
        sitting = self._open[number]
        if not sitting.followers:
            return
        evening = self._log.evening(number)
        told = self._shown(evening, self._log.names())
        for peer in sitting.followers if peers is None else peers:
            inside = self._inside(evening, peer)
            peer.tell(("evening", number), told if inside is None else structs.replace(told, inside=inside))
            if sitting.followers[peer]:
                self._games.show(peer, number)

    def say(self, number: int, text: Text) -> None:
        """Tell followers what has happened at an evening."""
        told = messages.Told(evening=number, text=text)
        for peer in self._open[number].followers:
            peer.say(told)

    def see_off(self, number: int, person: str, why: Text) -> None:
        """Have somebody gone from an evening; ``why``: what the person's own screens are told."""
        self._settled(number)
        self._log.go(number, person)
        self.say(number, Text("{name} has gone.", {"name": self._log.names().of(person)}))
        self.put_out(number, person, why)

    def put_out(self, number: int, person: str, why: Text) -> None:
        """Have nobody be a person any longer who has come in as that; tell who was why, and all how things stand."""
        for peer in self._peers():
            if peer.rights.people.pop((number, person), None) is not None:
                peer.say(messages.Taken(why=why, evening=number, person=person))
        self._games.seat_people(number, why)
        self.tell(number)

    def holders(self, number: int, person: str) -> list[Peer]:
        """Return the connections that have come in as a person."""
        return [peer for peer in self._peers() if peer.open and (number, person) in peer.rights.people]

    def code_of(self, evening: Evening) -> str | None:
        """Return the code by which people come in; ``None`` while the door is closed."""
        if not evening.door or (evening.ended is not None and not evening.alone):
            return None
        return door_code(self._token, evening.hash, evening.opened)

    def _inside(self, evening: Evening, peer: Peer) -> messages.Inside | None:
        """Return what a connection may know of an evening that others may not."""
        rights, wishes = peer.rights, self._open[evening.number].wishes
        people = {person for number, person in rights.people if number == evening.number}
        organises = rights.operator or not people.isdisjoint(evening.organisers)
        if not (organises or people or evening.number in rights.screens):
            return None
        waiting = [wish.shown(number) for number, wish in wishes.items()] if organises else []
        return messages.Inside(code=self.code_of(evening), wishes=waiting)

    def _shown(self, evening: Evening, names: Names) -> messages.Evening:
        """Return how an evening stands, as everybody may know it."""
        sitting = self._open[evening.number]
        series = running(evening)
        played = [info for info in map(self._log.game, evening.games) if not info.abandoned]
        return messages.Evening(
            evening=evening.number,
            alone=evening.alone,
            begun=int(datetime.fromisoformat(evening.began).timestamp()),
            table=sitting.stand.table.port,
            here=[self._person(evening, one, names) for one in evening.present],
            games=[_played(info) for info in played],
            series=[_series(each, names) for each in evening.series],
            standings=_standings(played),
            next=due(series) or (played[-1].game if played else None),
            game=self._games.of_evening(evening.number),
            seats=self._games.holders_of(evening.number),
            door=evening.door,
            inside=None,
            ended=evening.ended is not None,
            why=sitting.why,
        )

    def _person(self, evening: Evening, person: str, names: Names) -> messages.Person:
        """Return how somebody who is there plays."""
        place = evening.present[person]
        by = next((peer.rights.people[evening.number, person] for peer in self.holders(evening.number, person)), "")
        if place and self._is_at_table(evening):
            by = "place"
        organises = person in evening.organisers
        return messages.Person(person=person, name=names.of(person), place=place, by=by, organiser=organises)

    # -- looking up --------------------------------------------------------------------------------------------------

    def _present(self, evening: Evening) -> dict[str, int]:
        """Return the places of those who are there, by name."""
        names = self._log.names()
        return {names.of(one): place for one, place in evening.present.items()}

    def _stand_of(self, number: int) -> EveningTable | None:
        """Return the table that an evening has of its own, not by its games."""
        if number not in self._open or not self._has_table(self._log.evening(number)):
            return None
        return self._open[number].stand

    def _numbers(self) -> list[int]:
        """Return the open evenings. One that a game began by itself is as long as that is open, somebody has come in,
        or follows it, and nothing has begun since it was over."""
        games = {each.evening for each in self._games.all()}
        attended = {number for peer in self._peers() for number, _ in peer.rights.people}
        alone = {number for number in self._open if self._log.evening(number).alone}
        for number in alone:
            if not self._is_live(number):
                _turn_away(number, self._open[number])
                self._forget(number)
            elif not (number in games or number in attended or self._open[number].is_used):
                del self._open[number]  # games that were left are many in time, and sitting() has it again
        for number in games - self._open.keys():
            self._open[number] = Sitting(EveningTable(Table()))
        return [
            number
            for number, sitting in sorted(self._open.items())
            if number in games or number not in alone or sitting.followers or number in attended
        ]

    def _forget(self, number: int) -> None:
        """Forget an evening that is over, and its table."""
        self._games.forget_table_of(number)
        del self._open[number]

    def _is_live(self, number: int) -> bool:
        """Return whether something is played in an evening of the log, or can be."""
        last = self._log.last_evening
        if not 1 <= number <= last:
            return False
        evening = self._log.evening(number)
        # An older one of which a game was resumed, or is about to begin.
        shown = self._games.of_evening(number) is not None or (number in self._open and self._open[number].beginning)
        return evening.ended is None or (evening.alone and (number == last or shown))

    def sitting(self, number: int) -> Sitting:
        """Return an open evening. Raise :class:`Refusal`."""
        if number not in self._open and self._is_live(number):
            self._open[number] = Sitting(EveningTable.read(self._log.evening(number)))
        if number not in self._open or not self._is_live(number):
            raise Refusal(REFUSED, NOT_OPEN.of(evening=number, evenings=self._numbers()))
        return self._open[number]

    def all(self) -> list[Evening]:
        """Return the open evenings as the log has them."""
        return [self._log.evening(number) for number in self._numbers()]

    def evening(self, number: int) -> Evening:
        """Return an open evening as the log has it. Raise :class:`Refusal`."""
        self.sitting(number)
        return self._log.evening(number)

    def _settled(self, number: int) -> Sitting:
        """Return an open evening. Raise :class:`Refusal` while a game of it is being set up, which is to be begun as
        things stand."""
        sitting = self.sitting(number)
        if sitting.beginning:
            raise Refusal(REFUSED, "evening {evening} is about to begin a game", evening=number)
        return sitting


def _turn_away(number: int, sitting: Sitting) -> None:
    """Tell those who wait to be let into an evening that is over that they are not."""
    for wish, each in sitting.wishes.items():
        each.asker.say(messages.TurnedAway(evening=number, wish=wish))
    sitting.wishes.clear()


def check_room(evening: Evening, *, new: bool) -> None:
    """Refuse one more than can be at an evening."""
    if new and len(evening.present) >= PEOPLE:
        raise Refusal(REFUSED, "too many people are here ({count})", count=PEOPLE)


def _check_free(one: Someone, others: Sequence[Someone]) -> None:
    """Refuse somebody with another's name or place."""
    for other in others:
        if same_name(other.name) == same_name(one.name):
            raise Refusal(REFUSED, "people names {name} twice", name=one.name)
        if one.place and other.place == one.place:
            raise Refusal(REFUSED, "place {place} is {name}'s; name a free one", place=one.place, name=other.name)


def _round(people: dict[str, int], others: Sequence[Seat], *, at_table: bool) -> tuple[Seat, ...]:
    """Return the seats of a game, clockwise. Where somebody sits at a table, each seat gets a place: cards are laid and
    choices bound by places. Without a table, seats that have none come last."""
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


def _apart(seats: Sequence[Seat], people: Collection[str]) -> list[Seat]:
    """Return seats of which each bot has a name that nobody of an evening has: people choose theirs."""
    taken = {same_name(name) for each in people for name in (each, str(bot_called(each)))}
    free = free_names([*people, *(seat.name for seat in seats)])
    return [
        seat if seat.is_person or same_name(seat.name) not in taken else replace(seat, name=next(free))
        for seat in seats
    ]


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
    return messages.GamePlayed(
        game=info.id, rules=info.game, seats=list(info.names), result=info.outcome, remarks=list(info.remarks)
    )


def _standings(played: Sequence[GameInfo]) -> list[messages.Standing]:
    """Return how many games each player has won, the most first; people and bots are told apart."""
    wins = Counter[tuple[str, bool]]()
    for info in played:
        outcome = info.outcome
        winners = () if outcome is None else outcome.winners
        for number, seat in enumerate(info.seats, 1):
            wins[seat["name"], "person" not in seat] += number in winners
    return [messages.Standing(name=name, wins=count, bot=bot) for (name, bot), count in wins.most_common()]


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
