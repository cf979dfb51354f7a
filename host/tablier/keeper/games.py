"""The open games of a keeper: their desks, who watches them, who has their seats."""

from __future__ import annotations

import contextlib
import gc
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hmac import compare_digest
from itertools import count
from typing import Any

from msgspec import structs

from tablier.bots.bots import COMMAND, BotError
from tablier.bots.thinking import Processes
from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games import rules_of
from tablier.games.core import Rules
from tablier.games.core.parts import PartError, left_by
from tablier.keeper.access import seat_key
from tablier.keeper.desk import PACE_S, Desk
from tablier.keeper.lights import Lights
from tablier.keeper.looking import Looking
from tablier.keeper.peer import Peer
from tablier.keeper.playable import SIMULATED, check, check_bag, port_now, port_of
from tablier.keeper.protocol import (
    FORBIDDEN,
    REFUSED,
    Chance,
    Lean,
    Look,
    OfGame,
    OfSeat,
    Order,
    Play,
    Refusal,
    Reply,
    Resume,
    Say,
    Set,
    Sit,
    Table,
    Watch,
    notice,
    refusal,
    result,
)
from tablier.keeper.stand import Stand
from tablier.keeper.verbs import Take
from tablier.log import Log, LogError
from tablier.play import beginning
from tablier.play.audience import Watcher
from tablier.play.conductor import Conductor, Stopped
from tablier.play.logged import Unfinished, given, position_after, seats_after, seats_of
from tablier.play.requests import Command, Pace, SeatReply, Source, Stop
from tablier.record import RecordError
from tablier.simulation.tester import TesterError
from tablier.table.clock import Waker
from tablier.table.settings import Settings
from tablier.table.unusable import TableError
from tablier.texts import Failure, Json, Text, text_of

IDLE_S = 1.0
STEP_S = 0.005
"""The seconds for which games have their turns before requests are carried out again."""
END_S, LOOK_S = 60.0, 3.0
"""The seconds that the end of a game stands on a table where people sit, and where nobody does."""
_DESK_FAILURES = (BotError, LogError, PartError, RecordError, TableError, TesterError)


@dataclass(eq=False)
class Open:
    """An open game."""

    desk: Desk
    table: Table
    """As it was asked for, with the pace that bots have now: the keeper after this one is asked for the same."""
    asker: Peer | None
    """The connection that has asked for it, as long as nobody has watched it: so long it waits with its beginning, and
    whoever asked for it misses nothing."""
    watchers: dict[Peer, Watcher] = field(default_factory=dict)
    hints: dict[Peer, dict[int, tuple[int, int]]] = field(default_factory=dict)
    """The requests for hints that are not answered yet: by the hint's number the seat and the request's number."""
    asked: Iterator[int] = field(default_factory=lambda: count(1))
    """The numbers of hints."""
    taken: dict[int, int] = field(default_factory=dict)
    """By seat: how often the operator has given it to a screen. It is kept because anybody may try keys."""
    evening: int | None = None
    """The evening that it belongs to."""
    told_over: bool = False
    """True once its evening knows of its end."""
    lights: Lights | None = None
    """Those who follow the lights of its table; ``None`` where it has none."""

    @property
    def seats(self) -> Sequence[Seat]:
        """Return the seats with their present sources."""
        return self.desk.game.session.seats

    @property
    def times(self) -> Json:
        """Return what ``resume`` needs to play on as now; the table itself is found by the log."""
        return {"virtual": self.table.virtual, "quiet_s": self.table.quiet_s, "pace_s": self.table.pace_s}

    @property
    def over(self) -> bool:
        return self.desk.started and self.desk.game.over


Askers = list[tuple[Peer, int]]
"""Connections with the numbers of their requests."""


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


class _Sitter:
    """A connection as the conductor of one game sees it."""

    def __init__(self, peer: Peer, game: int) -> None:
        self.peer = peer
        self._game = game

    @property
    def operator(self) -> bool:
        return self.peer.rights.operator

    def holds(self, seat: int) -> bool:
        return self.peer.rights.holds(self._game, seat)


class Games:
    """The open games of a log, conducted in one loop, and what connections ask of them."""

    def __init__(
        self, log: Log, token: str, peers: Callable[[], Sequence[Peer]], waker: Waker, thinking: Processes
    ) -> None:
        """``peers``: the connections that are open; ``waker``: ends the loop's wait; ``thinking``: where bots do."""
        self._log = log
        self._token = token
        self._peers = peers
        self._waker = waker
        self._thinking = thinking
        self._games: dict[int, Open] = {}
        self._sitters: dict[tuple[Peer, int], _Sitter] = {}
        self._resuming: dict[int, list[tuple[Peer, int]]] = {}
        """The games whose tables are being set up, and who waits for that."""
        self._pending: list[Callable[[], None]] = []
        """What threads have left to be done here."""
        self._lock = threading.Lock()
        self._setting_up = 0
        self._stepped = 0
        """The game that had its turn last."""
        self._closing: list[threading.Thread] = []
        self._looking = Looking(log, thinking.advice)
        self._unfinished = Unfinished(log)
        self.stand_of: Callable[[int], Stand | None] = lambda evening: None
        """Returns the table of an open evening."""
        self.on_change: Callable[[int], None] = lambda evening: None
        """Called when a game of an evening has begun, is over, or was closed."""
        self.on_list: Callable[[], None] = lambda: None
        """Called when :meth:`overview` may have changed."""
        self.on_another: Callable[[int], None] = lambda evening: None
        """Called when somebody at the table wants another game with the same people."""
        self.methods: dict[str, Callable[[Peer, int, Any], Json | None]] = {
            "play": self._play,
            "resume": self._resume,
            "sit": self._sit,
            "rise": self._rise,
            "watch": self._watch,
            "reply": self._reply,
            "again": self._looking.again,
            "table": self._table,
            "settings": self._set,
            "tester": self._say,
            "lights": self._follow_lights,
            "lean": self._lean,
        }

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
        return [*desks, *lights, *self._thinking.files]

    @property
    def writing(self) -> list[int]:
        """Return the descriptors to which something is to be written."""
        return self._thinking.writing

    def step(self) -> float:
        """Do what is due, one thing in each game in turn, for a while; return after how many seconds to be called
        again."""
        self._thinking.work()
        ends, wait = time.monotonic() + STEP_S, IDLE_S
        turns = sorted(self._games)
        first = next((at for at, game in enumerate(turns) if game > self._stepped), 0)
        for game in (*turns[first:], *turns[:first]):
            if time.monotonic() >= ends:
                return 0.0
            if game in self._games:
                wait = min(wait, self._step(game))
                self._stepped = game
        return wait

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
        self._looking.forget(peer)
        for game, open in self._games.items():
            self._stop_watching(open, peer)
            open.hints.pop(peer, None)
            if open.lights is not None:
                open.lights.leave(peer, open.desk.game)
            sitter = self._sitters.pop((peer, game), None)
            if sitter is not None:
                open.desk.game.forget(sitter)  # type: ignore[arg-type]

    def close(self, why: Text) -> None:
        """Close all games; they can be resumed."""
        for game in list(self._games):
            self._finish(game, why)
        self._thinking.close()
        for thread in self._closing:
            thread.join()

    def close_beside(self, close: Callable[[], None]) -> None:
        """Have something closed in a thread of its own: a program may take seconds to end, and other games go on."""
        thread = threading.Thread(target=close, name="closing", daemon=True)
        self._closing = [*(each for each in self._closing if each.is_alive()), thread]
        thread.start()

    def _leave(self, desk: Desk) -> None:
        """Leave a desk at once; what takes time to end does so in a thread of its own."""
        desk.let_go()

        def close() -> None:
            desk.close()
            gc.collect()  # a game is full of references to itself; until many are over nothing else would free it

        self.close_beside(close)

    def _step(self, game: int) -> float:
        open = self._games[game]
        open.desk.hand_out()
        if open.asker is not None and open.asker.open:
            return IDLE_S
        wait: float | None = None
        with self._guarded(game):
            wait = open.desk.step(stay=self._is_attended(game))
            if open.over and not open.told_over:
                open.told_over = True
                self._changed(open.evening)
            if wait is None:
                another = open.desk.game.session.another
                self._finish(game, None)
                if another and open.evening is not None:
                    self.on_another(open.evening)
        if game in self._games and open.lights is not None:
            wait = min(open.lights.work(open.desk.game), 0.0 if wait is None else wait)
        return 0.0 if wait is None else wait

    @contextlib.contextmanager
    def _guarded(self, game: int) -> Iterator[None]:
        """Close a game that fails here: the others go on."""
        try:
            yield
        except Stopped:
            self._finish(game, None)
        except _DESK_FAILURES as error:
            self._finish(game, text_of(error), part=isinstance(error, PartError | BotError))
        except SystemExit as error:
            self._finish(game, left_by(error))
        except Exception as error:
            traceback.print_exc()
            self._finish(game, Text("the game failed ({why}); it can be resumed", {"why": repr(error)}))

    def _changed(self, evening: int | None) -> None:
        self.on_list()
        if evening is not None:
            self.on_change(evening)

    def _is_attended(self, game: int) -> bool:
        """Return whether somebody is at a screen of a game: then its end stays there, unless people at the table of an
        evening are asked for another game."""
        if self._games[game].evening is not None and any(seat.at_table for seat in self._games[game].seats):
            return False
        return any((game, seat) in peer.rights.seats for peer in self._peers() for seat in range(1, 7))

    def _stop_watching(self, open: Open, peer: Peer) -> None:
        watcher = open.watchers.pop(peer, None)
        if watcher is not None:
            open.desk.game.leave(watcher)

    # -- games of an evening -----------------------------------------------------------------------------------------

    def of_evening(self, evening: int) -> int | None:
        """Return the open game of an evening."""
        return next((game for game, open in self._games.items() if open.evening == evening), None)

    def clear(self, evening: int) -> None:
        """Close the game of an evening whose end stands there still. Raise :class:`Refusal` while one runs."""
        game = self.of_evening(evening)
        if game is None:
            return
        if not self._games[game].over:
            raise Refusal(REFUSED, "game {game} of this evening runs; play it to its end, or stop it", game=game)
        self._finish(game, None)

    def show(self, peer: Peer, evening: int) -> None:
        """Have a connection watch the open game of an evening as a spectator, if it does not watch it already."""
        game = self.of_evening(evening)
        if game is not None and peer not in self._games[game].watchers:
            self._admit(peer, game, (None,))

    # -- methods -----------------------------------------------------------------------------------------------------

    def overview(self) -> Json:
        """Return what runs, and what can be resumed."""
        games = [
            {
                "game": game,
                "rules": open.desk.game.info.game,
                "seats": [seat.to_json() for seat in open.seats],
                "simulated": open.desk.simulated,
                "table": open.desk.table,
                "times": open.times,
                "held": sorted({seat for peer in self._peers() for of, seat in peer.rights.seats if of == game}),
            }
            for game, open in self._games.items()
        ]
        return {"games": games, "unfinished": [game for game in self._unfinished.games() if game not in self._games]}

    def _play(self, peer: Peer, id: int, params: Play) -> None:
        seats = tuple(each.seat() for each in params.seats)
        plan = Plan(params.game, params.options, seats, params.practice, sources_of(params.chance))
        self.play(plan, params.table, [(peer, id)], awaits=peer)

    def play(
        self,
        plan: Plan,
        table: Table,
        askers: Askers,
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

    def _resume(self, peer: Peer, id: int, params: Resume) -> Json | None:
        info = self._log.game(params.game)
        if info.id in self._games:
            return self._opened(info.id, already=True)
        if info.id in self._resuming:
            self._resuming[info.id].append((peer, id))
            return None
        if info.id not in self._unfinished.games():
            raise Refusal(REFUSED, "game {game} is over", game=info.id)
        rules, seats = position_after(info, ()).rules, seats_of(info)
        now = seats_after(info, self._log.entries(info.id, "sits"))
        stand = self.stand_of(info.evening)
        table = params.table if stand is None else stand.table
        port = _named(table)
        if stand is not None and port is not None:
            port = port_now(self._log, self._log.evening(info.evening).games, port)
        elif table.port is None and any(seat.at_table for seat in seats):
            port = port_of(self._log, info.id)
        self._check(rules, now, table, port)
        needs = beginning.needs_of(info.game, Sources.read(next(self._log.entries(info.id, "game")).body))
        askers = self._resuming[info.id] = [(peer, id)]
        evening = None if stand is None else info.evening

        def over() -> None:
            self._resuming.pop(info.id)

        self._set_up(askers, seats, table, port, needs, lambda: info.id, over, awaits=peer, evening=evening, now=now)
        return None

    def _check(self, rules: Rules[Any], seats: Sequence[Seat], table: Table, port: str | None) -> None:
        check(rules, seats, self._log.path, port, virtual=table.virtual)

    def _opened(self, game: int, *, already: bool) -> Json:
        """Return what the operator is told of an open game: the keys of the seats that are played at screens, and of
        those that were left to a bot there.

        ``already``: it was open before.
        """
        open = self._games[game]
        first, taken = seats_of(open.desk.game.info), open.taken
        keys = {
            str(number): self._key(game, number)
            for number, (seat, before) in enumerate(zip(open.seats, first, strict=True), 1)
            if seat.at_screen or (seat.is_bot and (before.at_screen or number in taken))
        }
        return {"game": game, "keys": keys, "already": already, "times": open.times}

    def _set_up(
        self,
        askers: Askers,
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
        now: Sequence[Seat] | None = None,
    ) -> None:
        """Set up a desk beside the loop, then begin its game in the loop.

        ``needs``: what the game needs of its table. ``askers``: the requests that are answered then; ``before``: called
        before that, whatever came of it; ``refused``: called where it cannot be. ``seats``: those with which the game
        began; ``now``: those of a game that is resumed.
        """
        now = seats if now is None else now
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
        another = evening is not None and not alone
        self._setting_up += 1

        def finish(failure: Exception | None) -> None:
            self._setting_up -= 1
            before()
            try:
                if failure is not None:
                    raise failure
                if desk.table is not None:
                    desk.set_table(self._settings(desk.table))
                game = game_of()
                desk.begin(self._log, game, linger_s=linger_s, another=another)
            except Exception as error:
                self._leave(desk)
                if not isinstance(error, (Failure, OSError)):
                    traceback.print_exc()
                text = text_of(error) if isinstance(error, Failure) else Text("{why}", {"why": repr(error)})
                for peer, id in askers:
                    peer.answer(refusal(Refusal(REFUSED, text, id=id)))
                refused(text)
            else:
                opened = Open(desk, table, awaits, evening=evening, taken=self._taken(desk))
                self._games[game] = opened
                if desk.game.client is not None:
                    opened.lights = Lights(game, desk.control, partial(self._tell_all, opened))
                for at, (peer, id) in enumerate(askers):
                    peer.answer(result(id, self._opened(game, already=at > 0)))
                self._changed(evening)

        def set_up() -> None:
            failure: Exception | None = None
            try:
                desk.set_up()
            except Exception as error:
                failure = error
            self._later(lambda: finish(failure))

        threading.Thread(target=set_up, name="setting up", daemon=True).start()

    def _finish(self, game: int, why: Text | None, *, part: bool = False) -> None:
        """Close a game that has ended, was stopped or has failed; say so to all who watch it.

        ``part``: a part of the game or a bot has failed, not its table or its log.
        """
        open = self._games.pop(game)
        if open.lights is not None:
            open.lights.close()
        self._leave(open.desk)
        told = {"game": game, "why": None if why is None else why.to_json(), "part": part}
        for peer in open.watchers:
            peer.tell_next(game, notice("ended", told))
        for peer in list(open.hints):
            self._refuse_hints(open, peer, Text("the game has ended"))
        for peer in self._peers():
            self._sitters.pop((peer, game), None)
        self._changed(open.evening)

    @staticmethod
    def _refuse_hints(open: Open, peer: Peer, why: Text, seat: int | None = None) -> None:
        """Refuse the hints that a connection still waits for, or those for one seat."""
        waiting = open.hints.pop(peer, {})
        for of, id in waiting.values():
            if seat in (None, of):
                peer.answer(refusal(Refusal(REFUSED, why, id=id)))
        if left := {number: asked for number, asked in waiting.items() if seat not in (None, asked[0])}:
            open.hints[peer] = left

    def _taken(self, desk: Desk) -> dict[int, int]:
        info = desk.game.info
        return given(info, self._log.entries(info.id, "sits"))

    def _key(self, game: int, seat: int) -> str:
        return seat_key(self._token, game, seat, self._games[game].taken.get(seat, 0))

    def _open(self, game: int) -> Open:
        if game not in self._games:
            raise Refusal(REFUSED, "game {game} is not open here; open: {games}", game=game, games=list(self._games))
        return self._games[game]

    def _seat(self, game: int, seat: int) -> Open:
        open = self._open(game)
        if seat > len(open.seats):
            raise Refusal(REFUSED, "there is no seat {seat}", seat=seat)
        return open

    def _sit(self, peer: Peer, id: int, params: Sit) -> Json:
        self._seat(params.game, params.seat)
        if not compare_digest(params.key, self._key(params.game, params.seat)):
            raise Refusal(REFUSED, "this is not the key of seat {seat}", seat=params.seat)
        peer.rights.seats.add((params.game, params.seat))
        return {}

    def _rise(self, peer: Peer, id: int, params: OfSeat) -> Json:
        peer.rights.seats.discard((params.game, params.seat))
        return {}

    def _source(self, peer: Peer, game: int, command: Source) -> Json:
        """Have something else decide for a seat. One that the operator gives to a screen gets a new key: who held it
        sees and says nothing more for it."""
        seat, own = command.seat, peer.rights.holds(game, command.seat)
        open = self._seat(game, seat)
        if command.source.startswith(COMMAND) and not peer.rights.operator:
            raise Refusal(FORBIDDEN, "a program is for the operator to name, who shows the token of this log")
        open.desk.check(open.seats[seat - 1], command.source)
        self._tell(peer, game, command)
        self.on_list()
        if own or command.source != AT_SCREEN:
            return {}
        open.taken = self._taken(open.desk)
        for other in self._peers():
            if (game, seat) in other.rights.seats:
                self._take_from(other, game, seat)
        return {"key": self._key(game, seat)}

    def _take_from(self, peer: Peer, game: int, seat: int) -> None:
        """Have a connection hold a seat no longer, and tell it so. It watches on for all others that it watches for."""
        open, why = self._games[game], Text("somebody else has the seat now")
        peer.rights.seats.discard((game, seat))
        self._refuse_hints(open, peer, why, seat)
        watcher = open.watchers.get(peer)
        if watcher is not None:
            watcher.leave_out(seat)
            if not watcher.viewers:
                self._stop_watching(open, peer)
        peer.tell_next(game, notice("taken", {"game": game, "seat": seat, "why": why.to_json()}))

    def _watch(self, peer: Peer, id: int, params: Watch) -> Json:
        open = self._open(params.game)
        for viewer in params.viewers:
            if params.viewers.count(viewer) > 1:
                raise Refusal(REFUSED, "viewers names {viewer} twice", viewer=viewer)
        if params.since is not None and len(params.since) != len(params.viewers):
            text = "since has {count} numbers; allowed: one for each of the {viewers} in viewers, or none"
            raise Refusal(REFUSED, text, count=len(params.since), viewers=len(params.viewers))
        self._stop_watching(open, peer)
        self._admit(peer, params.game, params.viewers, params.since)
        if not peer.beside or params.viewers != [None]:
            open.asker = None
        return {}

    def _admit(self, peer: Peer, game: int, viewers: Sequence[int | None], since: Sequence[int] | None = None) -> None:
        """Have a connection watch a game; ``since``: the number of the last news that each viewer knows."""
        open = self._games[game]

        def deliver(message: Json) -> None:
            if "updates" in message:
                peer.update(game, message)
            elif "hint" in message:
                told = dict(message["hint"])
                asked = open.hints.get(peer, {}).pop(told.pop("n"), None)
                if asked is not None:
                    peer.answer(result(asked[1], told))
            elif "program" in message:
                told = message["program"]
                name = open.seats[told["seat"] - 1].name
                peer.tell_next(game, notice("program", {"game": game, "name": name, **told}))

        watcher = Watcher(tuple(viewers), deliver, self._sitter(peer, game), since)  # type: ignore[arg-type]
        open.watchers[peer] = watcher
        open.desk.watch(watcher)
        leaning = None if open.lights is None else open.lights.greet()
        if leaning is not None:
            peer.tell(("leaning", game), leaning)

    def _sitter(self, peer: Peer, game: int) -> _Sitter:
        return self._sitters.setdefault((peer, game), _Sitter(peer, game))

    def _reply(self, peer: Peer, id: int, params: Reply) -> Json:
        self._tell(peer, params.game, params.reply)
        return {}

    def order(self, peer: Peer, id: int, params: Order) -> Json | None:
        """Carry out a command to a game; return the answer, ``None`` where that comes later."""
        if params.command.command == "hint":
            open = self._open(params.game)
            if peer not in open.watchers:
                raise Refusal(REFUSED, "hint: watch the game first")
            number = next(open.asked)
            open.hints.setdefault(peer, {})[number] = (params.command.by, id)
            try:
                self._tell(peer, params.game, structs.replace(params.command, n=number))
            except Failure:
                open.hints.get(peer, {}).pop(number, None)
                raise
            return None
        if isinstance(params.command, Source):
            return self._source(peer, params.game, params.command)
        self._tell(peer, params.game, params.command)
        if isinstance(params.command, Pace):
            open = self._open(params.game)
            open.table = structs.replace(open.table, pace_s=params.command.seconds)
            self._changed(open.evening)
        return {}

    def _tell(self, peer: Peer, game: int, request: SeatReply | Command) -> None:
        desk = self._open(game).desk
        if not desk.started:
            if isinstance(request, Stop):
                self._finish(game, None)
                return
            raise Refusal(REFUSED, "game {game} has not begun yet; watch it first", game=game)
        declined: Text | None = None
        with self._guarded(game):
            try:
                desk.game.obey(self._sitter(peer, game), request)  # type: ignore[arg-type]
                desk.interrupt()
            except Declined as error:
                declined = error.text
        if declined is not None:
            raise Refusal(REFUSED, declined)
        if game not in self._games and not isinstance(request, Stop):
            raise Refusal(REFUSED, "the game has ended")

    def _table(self, peer: Peer, id: int, params: OfGame) -> Json | None:
        desk = self._open(params.game).desk
        client = desk.game.client
        if client is None:
            raise Refusal(REFUSED, "game {game} is played without a table", game=params.game)

        status = {key: value.hex() if isinstance(value, bytes) else value for key, value in client.status.items()}
        told: Json = {"connected": client.connected, "board": client.board, "status": status}
        told["tested"] = [text.to_json() for text in desk.tested]
        if not desk.simulated:
            return told
        desk.look(_answered(peer, id, lambda seen: {**told, "pixels": {key: seen[key] for key in ("ring", "public")}}))
        return None

    def _settings(self, table: str) -> Settings:
        return Settings.read(self._log.settings(table))

    def _set(self, peer: Peer, id: int, params: Set) -> Json:
        """Set a table: for games to come, and for the one that runs there."""
        wanted = {name: getattr(params, name) for name in ("volume", "mute", "light")}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        if wanted:
            self._log.keep_settings(params.table, wanted)
        settings = self._settings(params.table)
        why: Text | None = None
        for open in self._games.values():
            if open.desk.table == params.table:
                open.desk.set_table(settings)
                why = why or open.desk.deaf
        return {"table": params.table, **settings.to_json(), "why": None if why is None else why.to_json()}

    def _lights(self, game: int) -> tuple[Conductor, Lights]:
        open = self._open(game)
        if open.lights is None:
            raise Refusal(REFUSED, "game {game} is played without a table", game=game)
        return open.desk.game, open.lights

    def _follow_lights(self, peer: Peer, id: int, params: Look) -> Json:
        conductor, lights = self._lights(params.game)
        if params.on:
            lights.follow(peer, conductor, line=params.line)
        else:
            lights.leave(peer, conductor)
        return {}

    def _lean(self, peer: Peer, id: int, params: Lean) -> Json:
        conductor, lights = self._lights(params.game)
        lights.lean(peer, params, conductor)
        return {}

    @staticmethod
    def _tell_all(open: Open, message: Json) -> None:
        """Tell all who watch a game who leans over a hood."""
        for peer in open.watchers:
            peer.tell(("leaning", message["params"]["game"]), message)

    def _say(self, peer: Peer, id: int, params: Say) -> None:
        desk = self._open(params.game).desk
        if not desk.simulated:
            raise Refusal(REFUSED, "game {game} is not played at a simulated table", game=params.game)
        desk.say(params.verb, _answered(peer, id, lambda answer: answer))


def _answered(peer: Peer, id: int, tell: Callable[[Json], Json]) -> Take:
    """Return what answers a request when a simulated table has answered."""

    def take(answer: Json | TesterError) -> None:
        if isinstance(answer, TesterError):
            peer.answer(refusal(Refusal(REFUSED, answer.text, id=id)))
        else:
            peer.answer(result(id, tell(answer)))

    return take


def sources_of(chance: Chance | None) -> Sources | None:
    """Return the sources of chance that were asked for; ``None`` for none."""
    return None if chance is None else Sources(tuple(chance.dice), chance.bag)


def _named(table: Table) -> str | None:
    """Return the port that was named; ``None`` for a simulated table of the game's own."""
    return None if table.port == SIMULATED else table.port
