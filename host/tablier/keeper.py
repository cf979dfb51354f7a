"""The keeper: sets up what a game needs (a table, simulated people at it, a clock), and conducts it in a thread of its
own beside the screens."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar

from tablier.games.core.questions import QUIET_S
from tablier.log import Log
from tablier.play.conductor import Conductor, Stopped, run
from tablier.play.connections import Port
from tablier.play.inbox import Inbox
from tablier.play.logged import last_boot, log_id, seats_of
from tablier.play.seats import Seat
from tablier.service import diagnosis
from tablier.service.diagnosis import Fitness
from tablier.simulation.clock import VirtualClock
from tablier.simulation.crowd import PEOPLE, Crowd
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.clock import Clock, LifeClock
from tablier.table.ports import control_of
from tablier.table.unusable import TableError

PACE_S = 0.5
"""The seconds that bots take for a decision where people play."""


class Keeper:
    """The place of a game: the table at a port, a simulated one of its own, or none. Use as a context manager.

    ``noted``: a file for what simulated people have decided. ``virtual``: as fast as it can, for games that nobody
    watches. ``seed`` makes repeatable what bots and simulated people leave to chance, and what a table of its own adds
    to it.
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
    ) -> None:
        self.seats = tuple(seats)
        self.clock: Clock = LifeClock()
        self._port = port
        self._at_table = any(seat.at_table for seat in seats)
        self._virtual = virtual
        self._quiet_s = quiet_s
        self._pace = pace
        self._minds = {number: seat.simulated for number, seat in enumerate(seats, 1) if seat.simulated}
        self._noted = noted
        self._seed = seed
        self._table: SimulatedTable | None = None
        self._testers: list[Tester] = []
        self._people: Crowd | None = None
        self._fitness = Fitness()
        self._inbox: Inbox | None = None

    def __enter__(self) -> Keeper:
        """Raise ``TableError`` when there is no table, or none that can be used: before anything is begun."""
        try:
            if self._at_table:
                self._sit_down()
            self._inbox = Inbox(self.clock)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the table, and take one of its own away."""
        if self._people is not None:
            self._people.close()
        for tester in self._testers:
            tester.close()
        if self._table is not None:
            self._table.close()

    def _sit_down(self) -> None:
        if self._port is None:
            self._table = SimulatedTable(virtual=self._virtual, seed=self._seed)
            self._port = self._table.first_port
        control = control_of(self._port)
        simulated = control is not None and control.exists()
        if simulated:
            assert control is not None
            self._join(control)
        elif self._minds:
            raise TableError("{port}: simulated people sit at a simulated table only", port=self._port)
        if self._table is None:
            client = Client(self._port, self.clock, lambda boot: 0)
            client.open()
            try:
                record = diagnosis.fetch(client)
                if record is not None or not simulated:
                    self._fitness = diagnosis.fitness(record, client.board or "", client.version)
            finally:
                client.close()
            for seat in self.seats:
                why = self._fitness.barred.get(seat.place)
                if why and seat.at_table:
                    raise TableError(
                        "{port}: {name} cannot sit at place {place}: {why}",
                        port=self._port,
                        name=seat.name,
                        place=seat.place,
                        why=why,
                    )
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

    def _join(self, control: Path) -> None:
        """At a simulated table time may be virtual."""
        tester = Tester(control)
        self._testers.append(tester)
        said = tester.say("time")
        virtual = bool(said["virtual"])
        if virtual and not self._virtual:
            raise TableError("{port}: the time of this table is virtual; play there with --virtual", port=self._port)
        if virtual:
            tester.join()
            self.clock = VirtualClock(tester)
        elif said["own"]:
            self.clock = VirtualClock(tester, own=True)

    def _look_after(self, wait: float) -> float:
        if self._people is not None and self._people.gone:
            raise self._people.failure() or TableError("the simulated people are gone")
        return wait

    @property
    def hands(self) -> Tester:
        """Return the connection to a simulated table by which people press and see."""
        return self._testers[0]

    @property
    def port(self) -> Port:
        """Return what screens speak to; a game need not have begun."""
        assert self._inbox is not None
        return self._inbox

    def play(
        self,
        log: Log,
        game: int,
        *,
        stay: bool = False,
        linger_s: float = 0.0,
        hook: Callable[[Conductor], float] = lambda conductor: 1.0,
    ) -> Conductor:
        """Conduct a logged game to its end; with ``stay``, until somebody stops; with ``linger_s``, until the end was
        shown, and for so long after it. Raise ``TableError``, ``LogError``, ``PartError`` and :class:`Stopped`."""
        client = None
        if self._at_table:
            assert self._port is not None
            client = Client(self._port, self.clock, log.cursor, last_boot(log, game), log=log_id(log))
            client.open()
        conductor = Conductor(
            log,
            game,
            self.clock,
            client,
            inbox=self._inbox,
            by_claim=self._fitness.by_claim,
            advice=self._fitness.advice,
            quiet_s=self._quiet_s,
            pace=0 if self._virtual else self._pace,
            dice=random.Random(self._seed),
            port=None if self._table is not None else self._port,
        )
        if self._people is not None:
            conductor.watch((None,), self._people.show)
        try:
            run(conductor, stay=stay, linger_s=linger_s, hook=lambda: self._look_after(hook(conductor)))
        finally:
            conductor.close()
            if client is not None:
                client.close()
        return conductor

    def beside(
        self, open_log: Callable[[], Log], game_of: Callable[[Log], int], *, stay: bool, linger_s: float = 0.0
    ) -> Beside:
        """Return the game as a thread, to be started beside a screen."""
        return Beside(self, open_log, game_of, stay, linger_s)


class Beside(threading.Thread):
    """A game in a thread of its own. After :meth:`finish` what ended it is raised."""

    def __init__(
        self,
        keeper: Keeper,
        open_log: Callable[[], Log],
        game_of: Callable[[Log], int],
        stay: bool,
        linger_s: float,
    ) -> None:
        super().__init__(name="game", daemon=True)
        self._keeper = keeper
        self._open_log = open_log
        self._game_of = game_of
        self._stay = stay
        self._linger_s = linger_s
        self.failure: BaseException | None = None
        self.game: int | None = None
        """The number of the game, as soon as it has begun."""
        self.on_end: Callable[[], None] = lambda: None
        """Called in this thread when the game has ended, for whatever reason."""

    def run(self) -> None:
        try:
            with self._open_log() as log:
                self.game = self._game_of(log)
                self._keeper.play(log, self.game, stay=self._stay, linger_s=self._linger_s)
        except BaseException as error:
            self.failure = error
        finally:
            self.on_end()

    def finish(self) -> None:
        """Wait for the end; raise what ended it, but for :class:`Stopped`."""
        if self.ident is not None:  # else it was interrupted before it began
            self.join()
        if self.failure is not None and not isinstance(self.failure, Stopped):
            raise self.failure


__all__ = ["Beside", "Keeper", "Stopped", "seats_of"]
