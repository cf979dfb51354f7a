"""A desk: one game at its place, with the table that it needs, simulated people at it, and a clock."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from tablier import waiting
from tablier.bots.thinking import Thinking
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games.core.questions import QUIET_S
from tablier.keeper.evening_table import EveningTable
from tablier.keeper.playable import NO_SCREEN, ONLY_SIMULATED, SIMULATED
from tablier.keeper.verbs import Take, Verbs
from tablier.log.store import Log
from tablier.play.audience import Watcher
from tablier.play.beginning import Needs
from tablier.play.game import Conductor
from tablier.play.logged import Logged, log_id
from tablier.play.sitting import Sitting
from tablier.service import diagnosis
from tablier.service.diagnosis import Fitness
from tablier.simulation.clock import VirtualClock
from tablier.simulation.crowd import PEOPLE, Crowd
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester, TesterError
from tablier.table.client import Client
from tablier.table.clock import Clock, LifeClock
from tablier.table.incoming import Incoming
from tablier.table.ports import control_of
from tablier.table.settings import Settings, deaf
from tablier.table.unusable import TableError
from tablier.texts import Json, Text

PACE_S = 1.0
"""The seconds that bots take for a decision where people play."""


class Desk:
    """The place of a game: the table at a port, a simulated one of its own, or none.

    First :meth:`set_up`, which waits for a table, then :meth:`begin`, which has the log, then :meth:`step` again and
    again, which never waits, and :meth:`close`.

    ``noted``: a file for what simulated people have decided. ``virtual``: as fast as it can, for games that nobody
    watches. ``stand``: the table of an evening, which stays when this is closed. ``seed`` makes repeatable what bots
    and simulated people leave to chance, and what a table of its own adds to it.
    """

    people: ClassVar[Sequence[str]] = PEOPLE
    """The program that simulated people are, for Python."""

    def __init__(
        self,
        seats: Sequence[Seat],
        port: str | None = None,
        *,
        virtual: bool = False,
        quiet_s: float = QUIET_S,
        pace: float = PACE_S,
        noted: Path | None = None,
        seed: int | None = None,
        now: Sequence[Seat] | None = None,
        stand: EveningTable | None = None,
        needs: Needs | None = None,
        thinking: Thinking | None = None,
    ) -> None:
        """``seats``: those with which the game began; ``now``: those of a game that is resumed, if others have them.

        ``needs``: what the game needs of its table. ``thinking``: where built-in bots think; ``None``: here.
        """
        self.seats = tuple(seats if now is None else now)
        self.clock: Clock = LifeClock()
        self._port = port
        self._at_table = any(seat.at_table for seat in seats)
        self._virtual = virtual
        self._quiet_s = quiet_s
        self._pace = pace
        self._minds = {number: seat.simulated for number, seat in enumerate(seats, 1) if seat.simulated}
        self._noted = noted
        self._seed = seed
        self._stand = stand
        self._needs = needs
        self._thinking = thinking
        self._table: SimulatedTable | None = None
        self.control: Path | None = None
        """Where its table takes a tester's verbs, if that is simulated."""
        self._testers: list[Tester] = []
        self._verbs: list[Verbs] = []
        """At a simulated table: for a tester, and for those who look."""
        self._people: Crowd | None = None
        self._fitness = Fitness()
        self.tested: list[Text] = []
        """Lines about the table's self-test and its findings; empty where it was not run."""
        self._client: Client | None = None
        self._sitting: Sitting | None = None
        self._conductor: Conductor | None = None
        self._settings = Settings()
        self._warning: Text | None = None
        self.table: str | None = None
        """The board of the table, ``simulated`` for one that a keeper has started; ``None`` without one."""
        self.deaf: Text | None = None
        """Why the table cannot be set, if it cannot."""
        self._waits = False
        """True while a wait by the table's own clock is not over."""
        self._woken = False
        """True once such a wait was ended because something is in the inbox."""
        self._answers = False
        """True once the table has answered."""
        self._came: deque[Incoming] = deque()
        """What has come from the table and was not acted on yet."""
        self.midway = False
        """True if the last :meth:`step` has left something to be done at once, or a wait that is not over."""
        self.due = 0.0
        """When there is something to do, by life's clock."""
        self.ended = False
        self.started = False
        """True once the game is asked for its moves: with a table, when that has answered."""

    def set_up(self) -> None:
        """Raise ``TableError`` when there is no table, or none that can be used: before anything is begun."""
        try:
            if self._at_table:
                self._sit_down()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the table, end bots and simulated people, and take a table of its own away. Programs may take seconds
        to end."""
        self.let_go()
        if self._conductor is not None:
            self._conductor.close()
        if self._people is not None:
            self._people.close()
        if self._table is not None and self._stand is None:
            self._table.close()

    def let_go(self) -> None:
        """Leave the table to the next game there, at once. Call :meth:`close` then, in any thread."""
        if self._conductor is not None:
            self._conductor.let_go()
        if self._client is not None:
            self._client.close()
        self.started = False
        if self._people is not None:
            self._people.kill()
        for each in self._verbs:
            each.close()
        for tester in self._testers:
            tester.close()

    def _sit_down(self) -> None:
        if self._port is None:
            stand = self._stand
            self._table = stand.simulated() if stand else SimulatedTable(virtual=self._virtual, seed=self._seed)
            self._port = self._table.port or self._table.first_port
        control = control_of(self._port)
        simulated = control is not None and control.exists()
        if simulated:
            assert control is not None
            self._join(control)
        elif self._minds:
            raise TableError(ONLY_SIMULATED.of(port=self._port))
        self.table = SIMULATED
        if self._table is None:  # one of a keeper's own is whole
            client = Client(self._port, self.clock, lambda boot: 0)
            client.open()
            try:
                self.table, self.deaf = client.board, deaf(client.version, client.minor)
                self._warning = client.warning
                if self._needs is not None:
                    client.require(self._needs.abilities, self._needs.game)
                record, fitness = diagnosis.examine(client)
                self._fitness = replace(fitness, advice=None) if record is None and simulated else fitness
                self.tested = diagnosis.told(record, client.equipment) if record is not None else []
            finally:
                client.close()
            for seat in self.seats:
                if seat.at_table:
                    self.check(seat, seat.source)
        if self._minds:
            assert control is not None
            self._people = Crowd(
                control,
                self._minds,
                program=self.people,
                stands=self.clock.stands,
                seed=self._seed,
                noted=self._noted,
            )

    def check(self, seat: Seat, source: str) -> None:
        """Raise ``TableError`` where a seat cannot have a source at this desk."""
        if source == AT_SCREEN and self._virtual:
            raise TableError(NO_SCREEN)
        if source != AT_TABLE:
            return
        there, fault = self._fitness.places, self._fitness.barred.get(seat.place)
        if seat.place not in there:
            raise TableError(
                "{port}: {name} cannot sit at place {place}, which this table does not have; places: {there}",
                port=self._port,
                name=seat.name,
                place=seat.place,
                there=there,
            )
        if fault is not None:
            taken = {each.place for each in self.seats}
            free = [place for place in there if place not in {*taken, *self._fitness.barred}]
            args = {"port": self._port, "name": seat.name, "place": seat.place, "why": fault.to_text(), "free": free}
            if free:
                raise TableError(
                    "{port}: {name} cannot sit at place {place}: {why}, or take a place that works: {free}", **args
                )
            raise TableError("{port}: {name} cannot sit at place {place}: {why}", **args)

    def _join(self, control: Path) -> None:
        """At a simulated table time may be virtual."""
        self.control = control
        tester = Tester(control)
        self._testers.append(tester)
        self._verbs = [Verbs(control), Verbs(control)]
        said = tester.say("time")
        virtual = bool(said["virtual"])
        if virtual and not self._virtual:
            raise TableError("{port}: the time of this table is virtual; play there with --virtual", port=self._port)
        if virtual:
            tester.join()
            self.clock = VirtualClock(tester)
        elif said["own"]:
            self.clock = VirtualClock(tester, own=True)
        else:
            self._set_pace(said)

    def set_table(self, settings: Settings) -> None:
        """Have the table be as loud and as bright as that from now on."""
        self._settings = settings
        if self._conductor is not None:
            self._conductor.set_table(settings)

    @property
    def hands(self) -> Tester:
        """Return the connection to a simulated table by which people press and see."""
        return self._testers[0]

    @property
    def simulated(self) -> bool:
        """Return whether it has a table that takes a tester's verbs."""
        return bool(self._testers)

    def say(self, verb: str, take: Take) -> None:
        """Say a tester's verb to a simulated table; ``take`` gets the answer in :meth:`hand_out`, or an error when this
        is closed. Raise :class:`tablier.simulation.tester.TesterError`.
        """

        def slow(answer: Json | TesterError) -> None:
            if not isinstance(answer, TesterError):
                self._set_pace(answer)
            take(answer)

        self._verbs[0].say(verb, slow if verb.split()[:1] == ["pace"] else take)

    def _set_pace(self, said: Json) -> None:
        """Have the clock pass as a simulated table has said that its time passes."""
        if isinstance(self.clock, LifeClock) and said.get("pace", self.clock.pace) != self.clock.pace:
            self.clock.set_pace(said["pace"])

    def look(self, take: Take) -> None:
        """Have the pixels of a simulated table taken, as :meth:`say` does."""
        self._verbs[1].say("pixels", take, shared=True)

    def hand_out(self) -> None:
        """Hand out what a simulated table has answered since."""
        for each in self._verbs:
            each.work()

    # -- the game ----------------------------------------------------------------------------------------------------

    @property
    def game(self) -> Conductor:
        """Return the game, once :meth:`begin` was called."""
        assert self._conductor is not None
        return self._conductor

    def watch(self, watcher: Watcher) -> None:
        """Have a connection's viewers watch: from the beginning, or from how it stands now."""
        if self.started:
            self.game.welcome(watcher)
        else:
            self.game.await_start(watcher)

    def begin(
        self, log: Log, game: int, *, linger_s: float = 0.0, another: bool = False, logged: Logged | None = None
    ) -> Conductor:
        """Take up a logged game. Raise ``TableError``.

        ``linger_s``: play on until the end was shown at the table, and for so long after it; ``another``: those who sit
        there are asked then whether the same people play another game. ``logged``: the game's entries, where they
        were read already.
        """
        logged = logged or Logged(log, game)
        self._waits = self._woken = self._answers = False
        self._came.clear()
        if self._at_table:
            assert self._port is not None
            self._client = Client(self._port, self.clock, log.cursor, logged.boot, log=log_id(log))
            self._client.begin()
        self._conductor = Conductor(
            log,
            game,
            self.clock,
            self._client,
            by_claim=self._fitness.by_claim,
            margins=self._fitness.margins,
            advice=self._advice(),
            quiet_s=self._quiet_s,
            pace=0 if self._virtual else self._pace,
            dice=random.Random(self._seed),
            thinking=self._thinking,
            port=None if self._table is not None else self._port,
            settings=self._settings,
            logged=logged,
        )
        if self._people is not None:
            self._conductor.watch((None,), self._people.show)
        self._sitting = Sitting(self._conductor, linger_s, another=another)
        return self._conductor

    def _advice(self) -> list[Text]:
        """Return what people are told of the table before the game."""
        told = [each for each in (self._fitness.advice, self._fitness.missing) if each is not None]
        if self._warning is not None:
            told.append(Text("Of this table: {warning}.", {"warning": self._warning}))
        if self.deaf is not None and self._settings != Settings():
            told.append(self.deaf)
        used = {seat.place for seat in self.seats if seat.at_table}
        for fault in self._fitness.faults:
            finding = fault.finding
            arena = self._needs is not None and self._needs.arena and (finding.senses or finding.floor)
            if arena or used.intersection(finding.shows):
                told.append(Text("The self-test has found: {fault}.", {"fault": fault.to_text()}))
        return told

    def step(self, *, stay: bool = False, soonest: float = 1.0) -> bool:
        """Do one thing that is due; return True if there is more to do at once, else not before :attr:`due` unless one
        of :attr:`files` is readable. With ``stay`` the game does not end.

        By the clock of a table the next thing is due after at most ``soonest``. Raise ``TableError``, ``LogError``
        and ``PartError``.
        """
        assert self._sitting is not None
        self.midway = True
        if self._waits:
            if self.game.inbox.has_more and not self._woken:  # a bot has decided in a process, which wakes no clock
                self._woken = True
                self.clock.wake()
            if not self.clock.go_on_waiting():
                self.due = self.clock.look_at
                return False
            self._waits = self._woken = False
            self._take(None)
            self.midway = bool(self._came) or not self.started
            return True
        until = self.clock.now() + soonest
        if not self.started:
            if not self._virtually:
                self._take(0.0)
            if self._client is not None and not self._answers:
                return self._rest(min(until, self._client.ready_by))
            if self.game.recall():
                return True
            self.started = True
            self.game.start()
            self.midway = False
            return True
        if self._people is not None and self._people.gone:
            raise self._people.failure() or TableError("the simulated people are gone")
        if self._came:
            self.game.take(self._came.popleft())
            self.midway = bool(self._came)
            return True
        if self._sitting.step(stay=stay):
            return True
        if self._sitting.ended:
            self.ended = True
            return False
        until = min(self._sitting.due, until)
        if self.game.hold_time:
            self.clock.take_wake()
            self.due = self._in_life(until)
            return self.game.inbox.has_more
        if not self._virtually:
            self._take(0.0)
            if self._came or self.game.inbox.has_more:  # whose sign to look there may just have been taken
                return True
        self.midway = self._virtually
        return self._rest(until)

    def _take(self, seconds: float | None) -> None:
        """Take what has come from the table, to be acted on; ``None``: in the wait that is over."""
        if self._client is None:
            self.clock.take_wake()
            return
        if self.started:
            self._came += self._client.poll(seconds)
        else:
            self._answers = self._client.ready(seconds)

    @property
    def _virtually(self) -> bool:
        """Return whether the table's time is not life's: then it passes only while the clock waits."""
        return not isinstance(self.clock, LifeClock)

    def interrupt(self) -> None:
        """End a wait by the table's clock: something has been done from outside."""
        if self._waits:
            self.clock.wake()

    @property
    def files(self) -> list[int]:
        """Return the descriptors that are readable when there is something to do."""
        port = None if self._virtually or self._client is None else self._client.fileno()
        verbs = [file for each in self._verbs for file in each.files]
        return [*self.clock.files, *([] if port is None else [port]), *verbs]

    def _rest(self, until: float) -> bool:
        """Have nothing to do until a time of the game's clock; begin to wait by a table's. Return True if that is
        over."""
        client = self._client
        if not isinstance(self.clock, LifeClock):
            if self.started and client is not None and client.has_incoming:
                self._take(0.0)
                return True
            wait = until - self.clock.now()
            self.clock.begin_wait(*((wait, None) if client is None else client.prepare(wait)))
            self._waits = True
            self.due = waiting.now() if self.clock.go_on_waiting() else self.clock.look_at
            return False
        self.due = self._in_life(until if client is None else min(until, client.due))
        return False

    def _in_life(self, at: float) -> float:
        """Return when it is that time of the game's clock, by life's."""
        pace = self.clock.pace if isinstance(self.clock, LifeClock) else 1.0
        return waiting.now() + max(0.0, at - self.clock.now()) / pace
