"""The open games of a keeper: their desks, who watches them, who has their seats."""

from __future__ import annotations

import contextlib
import gc
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any

from msgspec import Meta, structs

from tablier import messages, waiting
from tablier.bots.bots import BotError
from tablier.bots.thinking import Processes
from tablier.course.chance import Sources
from tablier.course.declined import NO_SEAT, Declined
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games import rules_of
from tablier.games.core import Rules
from tablier.games.core.parts import PartError, left_by
from tablier.keeper.access import OPERATING, ORGANISING, VIEWING, person_key, screen_key
from tablier.keeper.analysis import Analysis
from tablier.keeper.desk import PACE_S, Desk
from tablier.keeper.evening_table import EveningTable
from tablier.keeper.lights import Lights
from tablier.keeper.methods import Asker, method
from tablier.keeper.peer import Peer
from tablier.keeper.playable import SIMULATED, check, check_bag, check_one_seat_each, port_at, port_now
from tablier.keeper.protocol import (
    FORBIDDEN,
    REFUSED,
    Chance,
    GameNumber,
    NewSeat,
    OfGame,
    Params,
    Refusal,
    SeatNumber,
    Table,
)
from tablier.keeper.verbs import GAME_ENDED
from tablier.log.chain import LogError
from tablier.log.evenings import ABANDONED, GAME_ABANDONED, GAME_IS_OVER, Evening
from tablier.log.fold import bot_called
from tablier.log.people import Names
from tablier.log.replies import Words
from tablier.log.store import Log
from tablier.names import same_name
from tablier.play import beginning
from tablier.play.audience import Delivered, Watcher
from tablier.play.game import Conductor
from tablier.play.logged import Logged, Unfinished, holders, position_after, seats_of
from tablier.play.views import seats_sent
from tablier.record import RecordError
from tablier.simulation.tester import TesterError
from tablier.table.clock import Waker
from tablier.table.settings import Settings
from tablier.table.unusable import TableError
from tablier.texts import Failure, Json, Text, suggest, text_of
from tablier.waiting import Beside, WakeUp, WakeUps

IDLE_S = 1.0
END_S, LOOK_S = 60.0, 3.0
"""The seconds that the end of a game stands on a table where people sit, and where nobody does."""
_DESK_FAILURES = (BotError, LogError, PartError, RecordError, TableError, TesterError)

GIVEN_AWAY = Text("somebody else has the seat now")

KnownNews = Annotated[int, Meta(ge=0, le=1 << 31, description="a number from 0 to 2147483648")]
Viewer = Annotated[SeatNumber | None, Meta(description="a seat from 1 to 6, or null for a spectator")]


class Play(Params, frozen=True, kw_only=True):
    """A game that is to begin."""

    game: Words
    seats: Annotated[list[NewSeat], Meta(min_length=1, max_length=6, description="1 to 6 seats")]
    options: dict[str, Any] = {}
    chance: Chance | None = None
    practice: bool = False
    table: Table = Table()


class Resume(Params, frozen=True, kw_only=True):
    """A game that is to go on."""

    game: GameNumber
    table: Table = Table()


class Watch(OfGame, frozen=True, kw_only=True):
    """The viewers for whom a game is watched: seats, and ``null`` for a spectator."""

    viewers: Annotated[list[Viewer], Meta(min_length=1, max_length=7, description="1 to 7 viewers")]
    since: Annotated[list[KnownNews], Meta(min_length=1, max_length=7, description="1 to 7 numbers")] | None = None
    """The number of the last news that each viewer knows; ``None`` for one that begins to watch."""


@dataclass(eq=False)
class OpenGame:
    """An open game."""

    desk: Desk
    turn: WakeUp
    """Its next turn in the loop."""
    table: Table
    """As it was asked for, with the pace that bots have now: the keeper after this one is asked for the same."""
    asker: Peer | None
    """The connection that has asked for it, as long as nobody has watched it: so long it waits with its beginning, and
    the connection that asked misses nothing."""
    watchers: dict[Peer, Watcher] = field(default_factory=dict)
    evening: int = 0
    """The evening that it belongs to."""
    in_turn: bool = False
    """True where that has a table of its own, or was begun without a game: people at the table are asked for another
    game then."""
    holders: dict[int, str] = field(default_factory=dict)
    """By seat: the person whose key opens it."""
    told_over: bool = False
    """True once its evening knows of its end."""
    lights: Lights | None = None
    """Those who follow the lights of its table; ``None`` where it has none."""

    @property
    def seats(self) -> Sequence[Seat]:
        """Return the seats with their present sources."""
        return self.desk.game.session.seats

    @property
    def times(self) -> messages.Times:
        """Return what ``resume`` needs to play on as now; the table itself is found by the log."""
        table = self.table
        return messages.Times(virtual=table.virtual, quiet_s=table.quiet_s, pace_s=table.pace_s)

    @property
    def over(self) -> bool:
        return self.desk.started and self.desk.game.over


@dataclass(frozen=True)
class Plan:
    """A game that is to begin."""

    game: str
    options: Mapping[str, Any]
    seats: Sequence[Seat]
    practice: bool = False
    sources: Sources | None = None
    evening: int | None = None
    series: int | None = None


class Games:
    """The open games of a log, conducted in one loop, and what connections ask of them."""

    def __init__(
        self,
        log: Log,
        token: str,
        peers: Callable[[], Sequence[Peer]],
        waker: Waker,
        wake_ups: WakeUps,
        thinking: Processes,
    ) -> None:
        """``peers``: the connections that are open; ``waker``: ends the loop's wait; ``wake_ups``: the loop's;
        ``thinking``: where bots do."""
        self._log = log
        self._token = token
        self._peers = peers
        self._waker = waker
        self._wake_ups = wake_ups
        self._thinking = thinking
        self._games: dict[int, OpenGame] = {}
        self._resuming: dict[int, list[Asker]] = {}
        """The games whose tables are being set up, and who waits for that."""
        self._pending: list[Callable[[], None]] = []
        """What threads have left to be done here."""
        self._lock = threading.Lock()
        self._setting_up = 0
        self._closing: list[Beside] = []
        self._tables: dict[int, Table] = {}
        """By evening: the table that was asked for with its last game."""
        self.analysis = Analysis(log, self, thinking.advice)
        self._unfinished = Unfinished(log)
        self.stand_of: Callable[[int], EveningTable | None] = lambda evening: None
        """Returns the table of an open evening."""
        self.on_change: Callable[[int], None] = lambda evening: None
        """Called when a game of an evening has begun, is over, or was closed."""
        self.on_list: Callable[[], None] = lambda: None
        """Called when :meth:`overview` may have changed."""
        self.on_another: Callable[[int], None] = lambda evening: None
        """Called when somebody at the table wants another game with the same people."""

    # -- the loop ----------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Return whether a game is open, or about to be."""
        return bool(self._games or self._setting_up)

    @property
    def pending(self) -> bool:
        """Return whether there is something to do at once."""
        return bool(self._pending)

    @property
    def files(self) -> list[int]:
        """Return the descriptors that are readable when there is something to do."""
        desks = [file for open in self._games.values() for file in open.desk.files]
        lights = [file for open in self._games.values() if open.lights is not None for file in open.lights.files]
        return [*desks, *lights]

    def wake(self) -> None:
        """Have every game look whether something has come."""
        now = waiting.now()
        for open in self._games.values():
            open.turn.set(min(open.turn.at, now))

    def catch_up(self) -> None:
        """Do what threads have left to be done in the loop."""
        with self._lock:
            pending, self._pending = self._pending, []
        for act in pending:
            act()

    def _later(self, act: Callable[[], None]) -> None:
        """Have something done in the loop, from any thread."""
        with self._lock:
            self._pending.append(act)
        self._waker.wake()

    def forget(self, peer: Peer) -> None:
        """Let go of a connection that is closed."""
        self.analysis.forget(peer)
        for open in self._games.values():
            self._stop_watching(open, peer)
            if open.lights is not None:
                open.lights.leave(peer, open.desk.game)

    def close(self, why: Text) -> None:
        """Close all games; they can be resumed."""
        for game in list(self._games):
            self._finish(game, why)
        self._thinking.close()
        for closing in self._closing:
            closing.join()

    def close_beside(self, close: Callable[[], None]) -> None:
        """Have something closed in a thread of its own: a program may take seconds to end, and other games go on."""
        closing = waiting.beside(close, "closing")
        self._closing = [*(each for each in self._closing if each.is_alive()), closing]

    def _leave(self, desk: Desk) -> None:
        """Leave a desk at once; what takes time to end does so in a thread of its own."""
        desk.let_go()

        def close() -> None:
            desk.close()
            gc.collect()  # a game is full of references to itself; until many are over nothing else would free it

        self.close_beside(close)

    def _step(self, game: int) -> None:
        """Do one thing in a game, and have it woken when there is more to do."""
        open = self._games.get(game)
        if open is None:
            return
        open.desk.hand_out()
        if open.asker is not None and open.asker.open:
            open.turn.set(waiting.now() + IDLE_S)
            return
        more = True
        with self._guarded(game):
            more = open.desk.step(stay=self._is_attended(game))
            if open.over and not open.told_over:
                open.told_over = True
                self._changed(open.evening)
            if open.desk.ended:
                another = open.desk.game.session.another
                self._finish(game, None)
                if another:
                    self.on_another(open.evening)
        if game in self._games:
            open.turn.set(waiting.now() if more else open.desk.due)
            if open.lights is not None:
                open.lights.work(open.desk.game)

    @contextlib.contextmanager
    def _guarded(self, game: int) -> Iterator[None]:
        """Close a game that fails here: the others go on."""
        try:
            yield
        except _DESK_FAILURES as error:
            self._finish(game, text_of(error), part=isinstance(error, PartError | BotError))
        except SystemExit as error:
            self._finish(game, left_by(error))
        except Exception as error:
            traceback.print_exc()
            self._finish(game, Text("the game failed ({why}); it can be resumed", {"why": repr(error)}))

    def _changed(self, evening: int) -> None:
        self.on_list()
        self.on_change(evening)

    def _is_attended(self, game: int) -> bool:
        """Return whether somebody is at a screen of a game: then its end stays there, unless people at the table of an
        evening are asked for another game."""
        if self._games[game].in_turn and any(seat.at_table for seat in self._games[game].seats):
            return False
        return any((game, seat) in peer.rights.seats for peer in self._peers() for seat in range(1, 7))

    def _stop_watching(self, open: OpenGame, peer: Peer) -> None:
        watcher = open.watchers.pop(peer, None)
        if watcher is not None:
            open.desk.game.leave(watcher)

    # -- games of an evening -----------------------------------------------------------------------------------------

    def of_evening(self, evening: int) -> int | None:
        """Return the open game of an evening."""
        return next((game for game, open in self._games.items() if open.evening == evening), None)

    def clear(self, evening: int) -> None:
        """Close the game of an evening whose end stands there still. Raise :class:`Refusal` while one runs."""
        self.check_over(evening)
        game = self.of_evening(evening)
        if game is not None:
            self._finish(game, None)

    def check_over(self, evening: int) -> None:
        """Raise :class:`Refusal` while a game of an evening runs."""
        game = self.of_evening(evening)
        if game is not None and not self._games[game].over:
            raise Refusal(REFUSED, "game {game} of this evening runs; play it to its end, or stop it", game=game)

    def table_of(self, evening: int) -> Table | None:
        """Return the table that was asked for with the last game of an evening; ``None`` where this keeper had none."""
        return self._tables.get(evening)

    def forget_table_of(self, evening: int) -> None:
        """Forget which table an evening had that is over here."""
        self._tables.pop(evening, None)

    def holders_of(self, evening: int) -> list[str]:
        """Return the person whose key opens each seat of the open game of an evening; empty where none does."""
        game = self.of_evening(evening)
        if game is None:
            return []
        open = self._games[game]
        return [open.holders.get(seat, "") for seat in range(1, len(open.seats) + 1)]

    def seat_people(self, evening: int, why: Text = GIVEN_AWAY) -> None:
        """Have each connection hold the seats of those who have come in by it, and no others; ``why``: what it is told
        of those that it holds no longer."""
        for game, open in self._games.items():
            if open.evening != evening:
                continue
            for peer in self._peers():
                rights = peer.rights
                own = {seat for seat, person in open.holders.items() if (evening, person) in rights.people}
                held = {seat for of, seat in rights.seats if of == game}
                for seat in sorted(held - own):
                    self._take_from(peer, game, seat, why)
                rights.seats.update((game, seat) for seat in own)

    def show(self, peer: Peer, evening: int) -> None:
        """Have a connection watch the open game of an evening as a spectator, if it does not watch it already."""
        game = self.of_evening(evening)
        if game is not None and peer not in self._games[game].watchers:
            self._admit(peer, game, (None,))

    # -- methods -----------------------------------------------------------------------------------------------------

    def overview(self) -> list[messages.GameOpen]:
        """Return what runs."""
        return [
            messages.GameOpen(
                game=game,
                rules=open.desk.game.info.game,
                seats=seats_sent(open.seats),
                simulated=open.desk.simulated,
                table=open.desk.table,
                times=open.times,
                held=sorted({seat for peer in self._peers() for of, seat in peer.rights.seats if of == game}),
                evening=open.evening,
            )
            for game, open in self._games.items()
        ]

    def unfinished(self) -> list[int]:
        """Return the games that are not open and can be resumed."""
        return [game for game in self._unfinished.games() if game not in self._games]

    @method(
        "play",
        Play,
        OPERATING,
        takes="`game` (its name), `seats`: each `name`, `source`, `place`?, `simulated`?; `options`?, `chance`?"
        " (`dice`, `bag`), `practice`?, `table`?",
        gives="`Opened`, see below. It begins when somebody watches it, or at once for a connection that is `passive`",
    )
    def _play(self, asker: Asker, params: Play) -> None:
        seats = tuple(each.seat() for each in params.seats)
        plan = Plan(params.game, params.options, seats, params.practice, sources_of(params.chance))
        self.play(plan, params.table, [asker], awaits=_attendant(asker.peer))

    def play(
        self,
        plan: Plan,
        table: Table,
        askers: Sequence[Asker],
        *,
        awaits: Peer | None = None,
        before: Callable[[], object] = lambda: None,
        refused: Callable[[Text], object] = lambda why: None,
    ) -> None:
        """Begin a game, once its table is there; raise :class:`Failure` for one that cannot be.

        ``askers``: the requests that are answered then; ``awaits``: whom the game's beginning waits for, until it is
        watched; ``before``: called before that, whatever came of it; ``refused``: called where its table cannot be
        played at.
        """
        port, seats, sources = _named(table), plan.seats, plan.sources
        rules = rules_of(plan.game, len(seats), plan.options)
        self._check(rules, seats, table, port)
        if sources is not None:
            check_bag(rules, sources)
        # What it cannot begin is refused here, before a table is set up.
        beginning.heading(plan.game, plan.options, seats, practice=plan.practice, sources=sources)
        begin = partial(
            beginning.begin,
            self._log,
            plan.game,
            plan.options,
            seats,
            practice=plan.practice,
            sources=sources,
            evening=plan.evening,
            series=plan.series,
        )
        needs = beginning.needs_of(plan.game, sources)
        evening = plan.evening
        self._set_up(askers, seats, table, port, needs, begin, before, refused, awaits=awaits, evening=evening)

    @method(
        "resume",
        Resume,
        ORGANISING,
        takes="`game` (its number), `table`?",
        gives="the same. A game that is open already stays at the table where it is",
    )
    def _resume(self, asker: Asker, params: Resume) -> messages.Opened | None:
        info = self._log.game(params.game)
        if not asker.peer.rights.operator and params.table.port not in (None, SIMULATED):
            raise Refusal(FORBIDDEN, "a table's port is for the operator to name")
        if info.id in self._games:
            return self._opened(asker, info.id, already=True)
        if info.id in self._resuming:
            self._resuming[info.id].append(asker)
            return None
        if info.abandoned:
            raise Refusal(REFUSED, GAME_ABANDONED.of(game=info.id))
        if info.id not in self._unfinished.games():
            raise Refusal(REFUSED, GAME_IS_OVER.of(game=info.id))
        logged = Logged(self._log, info.id)
        check_one_seat_each(self._log.path, info)
        rules, seats, now = position_after(info, ()).rules, seats_of(info), logged.seats
        stand = self.stand_of(info.evening)
        table = params.table if stand is None else stand.table
        port = _named(table)
        if stand is not None and port is not None:
            port = port_now(self._log, self._log.evening(info.evening).games, port)
        elif table.port is None and any(seat.at_table for seat in seats):
            port = port_at(info.id, logged.hello)
        self._check(rules, now, table, port)
        needs = beginning.needs_of(info.game, logged.sources)
        askers = self._resuming[info.id] = [asker]
        evening = None if stand is None else info.evening

        def over() -> None:
            self._resuming.pop(info.id)

        def reopened() -> int:
            of = self._log.evening(info.evening)
            if of.ended is not None and not of.alone:
                self._log.reopen_evening(of.number)
            elif not of.alone:
                for person in holders(info, logged.entries, self._log.names()).values():
                    if person not in of.present:  # who went in the middle is there again
                        self._log.come(of.number, person, 0)
            return info.id

        self._set_up(
            askers,
            seats,
            table,
            port,
            needs,
            reopened,
            over,
            awaits=_attendant(asker.peer),
            evening=evening,
            logged=logged,
        )
        return None

    @method(
        "abandon",
        OfGame,
        ORGANISING,
        takes="`game`",
        gives="it is stopped, counts nowhere from now on, and cannot be resumed; a game that is over is refused",
    )
    def _abandon(self, asker: Asker, params: OfGame) -> messages.Done:
        info = self._log.game(params.game)
        if info.abandoned:
            raise Refusal(REFUSED, GAME_ABANDONED.of(game=info.id))
        if info.ended is not None:
            raise Refusal(REFUSED, "game {game} is over; its result stays", game=info.id)
        if info.id in self._resuming:
            raise Refusal(REFUSED, "game {game} is about to be resumed", game=info.id)
        if info.id in self._games:
            self._games[info.id].desk.game.abandon()
            self._finish(info.id, GAME_ABANDONED.of(game=info.id))
        else:
            self._abandon_unopened(info.id)
        self._changed(info.evening)
        return messages.DONE

    def _abandon_unopened(self, game: int) -> None:
        self._log.append(game, ABANDONED, {})

    def _check(self, rules: Rules[Any], seats: Sequence[Seat], table: Table, port: str | None) -> None:
        check(rules, seats, self._log.path, port, virtual=table.virtual)

    def _opened(self, asker: Asker, game: int, *, already: bool) -> messages.Opened:
        """Return what those are told of an open game who wanted it; the operator with the keys of its people.

        ``already``: it was open before.
        """
        open = self._games[game]
        evening = self._log.evening(open.evening)
        people = {str(seat): person for seat, person in sorted(open.holders.items())}
        enter = {person: self.key_of(evening, person) for person in people.values() if person in evening.present}
        operates = asker.peer.rights.operator
        return messages.Opened(
            game=game,
            already=already,
            times=open.times,
            evening=open.evening,
            people=people,
            enter=enter if operates else {},
        )

    def key_of(self, evening: Evening, person: str) -> str:
        """Return the key of somebody of an evening."""
        return person_key(self._token, evening.hash, person, evening.keys.get(person, 0))

    def _set_up(
        self,
        askers: Sequence[Asker],
        seats: Sequence[Seat],
        table: Table,
        port: str | None,
        needs: beginning.Needs,
        game_of: Callable[[], int],
        before: Callable[[], object],
        refused: Callable[[Text], object] = lambda why: None,
        *,
        awaits: Peer | None,
        evening: int | None,
        logged: Logged | None = None,
    ) -> None:
        """Set up a desk beside the loop, then begin its game in the loop.

        ``needs``: what the game needs of its table. ``askers``: the requests that are answered then; ``before``: called
        before that, whatever came of it; ``refused``: called where it cannot be. ``seats``: those with which the game
        began; ``logged``: a game that is resumed.
        """
        now = seats if logged is None else logged.seats
        more: dict[str, Any] = {} if table.quiet_s is None else {"quiet_s": table.quiet_s}
        here = any(seat.at_screen for seat in now)
        pace = table.pace_s if table.pace_s is not None else PACE_S if here else 0.0
        stand = None if evening is None else self.stand_of(evening)
        desk = Desk(
            seats,
            port,
            virtual=table.virtual,
            pace=pace,
            now=now,
            stand=stand,
            needs=needs,
            thinking=self._thinking,
            **more,
        )
        at_table, alone = any(seat.at_table for seat in seats), all(seat.is_bot or seat.simulated for seat in now)
        linger_s = (LOOK_S if alone else END_S) if at_table else 0.0
        another = stand is not None and not alone
        self._setting_up += 1

        def finish(failure: Exception | None) -> None:
            self._setting_up -= 1
            before()
            try:
                if failure is not None:
                    raise failure
                if desk.table is not None:
                    desk.set_table(settings_of(self._log, desk.table))
                game = game_of()
                desk.begin(self._log, game, linger_s=linger_s, another=another, logged=logged)
            except Exception as error:
                self._leave(desk)
                if not isinstance(error, (Failure, OSError)):
                    traceback.print_exc()
                text = text_of(error) if isinstance(error, Failure) else Text("{why}", {"why": repr(error)})
                for asker in askers:
                    asker.refuse(text)
                refused(text)
            else:
                turn = self._wake_ups.add(partial(self._step, game))
                info = self._log.game(game)
                opened = OpenGame(desk, turn, table, awaits, evening=info.evening, in_turn=stand is not None)
                opened.holders = holders(info, () if logged is None else logged.entries, self._log.names())
                self._games[game], self._tables[info.evening] = opened, table
                turn.set(waiting.now())
                if desk.game.client is not None:
                    wake_up = self._wake_ups.add(lambda: turn.set(waiting.now()))
                    opened.lights = Lights(game, desk.control, partial(self._tell_all, opened), wake_up)
                self.seat_people(info.evening)
                for at, asker in enumerate(askers):
                    asker.answer(self._opened(asker, game, already=at > 0))
                self._changed(info.evening)

        def set_up() -> None:
            failure: Exception | None = None
            try:
                desk.set_up()
            except Exception as error:
                failure = error
            self._later(lambda: finish(failure))

        waiting.beside(set_up, "setting up")

    def _finish(self, game: int, why: Text | None, *, part: bool = False) -> None:
        """Close a game that has ended, was stopped or has failed; say so to all who watch it.

        ``part``: a part of the game or a bot has failed, not its table or its log.
        """
        open = self._games.pop(game)
        open.turn.set(None)
        if open.lights is not None:
            open.lights.close()
        self._leave(open.desk)
        for peer in self._peers():
            peer.rights.seats = {held for held in peer.rights.seats if held[0] != game}
        ended = messages.Ended(game=game, why=why, part=part)
        for peer in open.watchers:
            peer.tell_next(ended)
        self.analysis.refuse_hints(GAME_ENDED, game)
        self._changed(open.evening)

    def screen_key_of(self, evening: Evening) -> str:
        """Return the key of the screens that were let into an evening."""
        return screen_key(self._token, evening.hash)

    def rename(self, person: str, name: str) -> None:
        """Have open games say another name for somebody who plays there."""
        for open in self.all():
            for seat, body in enumerate(open.desk.game.info.seats, 1):
                if not open.desk.started:
                    continue
                if body.get("person") == person:
                    open.desk.game.rename(seat, name)
                elif "person" not in body and same_name(body["name"]) == same_name(name):
                    open.desk.game.rename(seat, str(bot_called(name)))

    def all(self) -> Sequence[OpenGame]:
        """Return all open games."""
        return list(self._games.values())

    def open(self, game: int) -> OpenGame:
        """Return an open game. Raise :class:`Refusal`."""
        if game not in self._games:
            raise Refusal(REFUSED, "game {game} is not open here; open: {games}", game=game, games=list(self._games))
        return self._games[game]

    def _seat(self, game: int, seat: int) -> OpenGame:
        open = self.open(game)
        if seat > len(open.seats):
            raise Refusal(REFUSED, NO_SEAT.of(seat=seat))
        return open

    # -- what orders need --------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def playing(self, number: int) -> Iterator[Conductor]:
        """Return a game that has begun, to do something to. Raise :class:`Refusal`, also for what the game declines."""
        desk = self.open(number).desk
        if not desk.started:
            raise Refusal(REFUSED, "game {game} has not begun yet; watch it first", game=number)
        declined: Text | None = None
        with self._guarded(number):
            try:
                yield desk.game
                desk.interrupt()
            except Declined as error:
                declined = error.text
        if declined is not None:
            raise Refusal(REFUSED, declined)
        if number not in self._games:
            raise Refusal(REFUSED, GAME_ENDED)

    def organises(self, peer: Peer, params: Params) -> bool:
        """Return whether a connection has come in as an organiser of the evening that parameters name."""
        evening, game = getattr(params, "evening", None), getattr(params, "game", None)
        if evening is None and isinstance(game, int) and 1 <= game <= self._log.last_game:
            evening = self._log.game(game).evening
        mine = {person for of, person in peer.rights.people if of == evening}
        return bool(mine) and not mine.isdisjoint(self._log.evening(evening or 0).organisers)

    def check_source(self, number: int, seat: int, source: str, person: str | None) -> None:
        """Raise :class:`Refusal` or ``TableError`` where a seat cannot have a source at its table, or at the screen of
        a person; ``None``: of who had it."""
        open = self._seat(number, seat)
        own = open.holders.get(seat) or open.desk.game.info.seats[seat - 1].get("person")
        if source == AT_SCREEN and person is None and own is None:
            who = open.seats[seat - 1].name
            raise Refusal(REFUSED, "nobody has the seat of {name}; say by person who plays there at a screen", name=who)
        open.desk.check(open.seats[seat - 1], source)

    def person_of(self, number: int, name: str) -> str:
        """Return somebody of a game's evening. Raise :class:`Refusal`."""
        return present(self._log.evening(self.open(number).evening), self._log.names(), name)

    def seat_was_given(self, number: int) -> None:
        """Take note that something else decides for a seat of a game: who held it may not any longer."""
        open = self.open(number)
        open.holders = holders(open.desk.game.info, self._log.entries(number, "sits"), self._log.names())
        self.seat_people(open.evening)
        self._changed(open.evening)

    def set_pace(self, number: int, seconds: float) -> None:
        """Take note of the pace that bots have from now on."""
        open = self.open(number)
        open.table = structs.replace(open.table, pace_s=seconds)
        self._changed(open.evening)

    def stop(self, number: int) -> None:
        """Close a game, which can be resumed."""
        self.open(number)
        self._finish(number, None)

    def _take_from(self, peer: Peer, game: int, seat: int, why: Text) -> None:
        """Have a connection hold a seat no longer, and tell it so. It watches on for all others that it watches for."""
        open = self._games[game]
        peer.rights.seats.discard((game, seat))
        self.analysis.refuse_hints(why, game, seat, peer)
        watcher = open.watchers.get(peer)
        if watcher is not None:
            watcher.leave_out(seat)
            if not watcher.viewers:
                self._stop_watching(open, peer)
        peer.tell_next(messages.Taken(game=game, seat=seat, why=why))

    # -- who watches -------------------------------------------------------------------------------------------------

    @method(
        "watch",
        Watch,
        VIEWING,
        takes="`game`, `viewers`: seats that this connection holds, `null` for a spectator; `since`?: for each of"
        " them, in turn, the `n` of the last news that it knows, 0 for none",
        gives="updates follow",
    )
    def _watch(self, asker: Asker, params: Watch) -> messages.Done:
        open, peer = self.open(params.game), asker.peer
        for viewer in params.viewers:
            if params.viewers.count(viewer) > 1:
                raise Refusal(REFUSED, "viewers names {viewer} twice", viewer=viewer)
        if params.since is not None and len(params.since) != len(params.viewers):
            text = "since has {count} numbers; allowed: one for each of the {viewers} in viewers, or none"
            raise Refusal(REFUSED, text, count=len(params.since), viewers=len(params.viewers))
        self._stop_watching(open, peer)
        self._admit(peer, params.game, params.viewers, params.since)
        if not peer.passive or params.viewers != [None]:
            open.asker = None
        return messages.DONE

    def _admit(self, peer: Peer, game: int, viewers: Sequence[int | None], since: Sequence[int] | None = None) -> None:
        """Have a connection watch a game; ``since``: the number of the last news that each viewer knows."""
        open = self._games[game]

        def deliver(message: Delivered) -> None:
            if isinstance(message, messages.Updates):
                peer.update(message)
            else:
                peer.tell_next(message)

        watcher = Watcher(tuple(viewers), deliver, peer.rights.operator, since)
        open.watchers[peer] = watcher
        open.desk.watch(watcher)
        leaning = None if open.lights is None else open.lights.greet()
        if leaning is not None:
            peer.tell(("leaning", game), leaning)

    @staticmethod
    def _tell_all(open: OpenGame, leaning: messages.Leaning) -> None:
        """Tell all who watch a game who leans over a hood."""
        for peer in open.watchers:
            peer.tell(("leaning", leaning.game), leaning)


def present(evening: Evening, names: Names, name: str) -> str:
    """Return the person of a name who is at an evening. Raise :class:`Refusal`."""
    person = names.find(name)
    if person is not None and person in evening.present:
        return person
    here = [names.of(other) for other in evening.present]
    about: Json = {"name": name, "here": here}
    if not here:
        raise Refusal(REFUSED, Text("{name} is not at this evening; nobody is", about))
    raise Refusal(REFUSED, suggest(Text("{name} is not at this evening; those who are: {here}", about), name, here))


def _attendant(peer: Peer) -> Peer | None:
    """Return the connection that a new game waits for until it watches: none that only passes on what happens."""
    return None if peer.passive else peer


def settings_of(log: Log, table: str) -> Settings:
    """Return how loud and how bright a table is to be."""
    return Settings.read(log.settings(table))


def sources_of(chance: Chance | None) -> Sources | None:
    """Return the sources of chance that were asked for; ``None`` for none."""
    return None if chance is None else Sources(tuple(chance.dice), chance.bag)


def _named(table: Table) -> str | None:
    """Return the port that was named; ``None`` for a simulated table of the game's own."""
    return None if table.port == SIMULATED else table.port
