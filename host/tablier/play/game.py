"""Setting up a game: a table to play at, people for its player programs, and the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

from tablier.games.core import Position
from tablier.games.dilemma.players import PLAYERS, Follower, Player
from tablier.log import Log
from tablier.play import session
from tablier.play.conductor import Conductor, seats_of
from tablier.play.course import Seat
from tablier.play.desk import Desk, Hands, Prompt
from tablier.play.people import People, Person
from tablier.play.screen import Screen
from tablier.service import diagnosis
from tablier.service.diagnosis import Fitness
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client, TableError
from tablier.table.clock import Clock, LifeClock, VirtualClock
from tablier.table.ports import control_of
from tablier.table.tester import Tester

_LIFE_PACE, _LIFE_THINK = 0.3, 0.9  # seconds that simulated people take for a press, and to make up their minds
_QUICK_PACE = 0.12


class Stopped(Exception):
    """Somebody has asked to stop; the game can be resumed."""


class Setting:
    """Where a game is played: the table at a port, or a simulated one of its own. Use as a context manager.

    ``virtual``: as fast as it can, for games that nobody watches. ``followed``: moves that player programs play.
    """

    def __init__(self, port: str | None, virtual: bool, quiet_s: float, followed: Sequence[str] | None) -> None:
        self._port = port
        self._virtual = virtual
        self._quiet_s = quiet_s
        self._followed = followed
        self._table: SimulatedTable | None = None
        self._tester: Tester | None = None
        self._ticker: Tester | None = None
        self._slow = False
        self.clock: Clock = LifeClock()
        self._stopped = False
        self._fitness = Fitness()

    def __enter__(self) -> Setting:
        """Raises ``TableError`` when there is no table, or none that can be used: before anything is begun."""
        try:
            if self._port is None:
                self._table = SimulatedTable(virtual=self._virtual)
                self._port = self._table.first_port
            self._sit_down(self._port)
            if self._table is None:
                client = Client(self._port, self.clock, lambda boot: 0)
                client.open()
                try:
                    self._fitness = self._fit(client)
                finally:
                    client.close()
        except BaseException:
            self.close()
            raise
        return self

    def _fit(self, client: Client) -> Fitness:
        """What the table's self-test has found. A simulated table that was not tested is as it should be."""
        record = diagnosis.fetch(client)
        if record is None and self._tester is not None:
            return Fitness()
        return diagnosis.fitness(record, client.board or "", client.version)

    def check(self, seats: Sequence[Seat]) -> None:
        """Raises ``TableError`` when a seat's person would sit at a place that does not work: before anything is
        begun."""
        for seat in seats:
            why = self._fitness.barred.get(seat.place)
            if why and not seat.at_keyboard:
                raise TableError(f"{self._port}: {seat.name} cannot sit at place {seat.place}: {why}")

    def _sit_down(self, port: str) -> None:
        """At a simulated table there are hands, and perhaps virtual time."""
        control = control_of(port)
        if control is None or not control.exists():
            return
        self._tester = Tester(control)
        said = self._tester.say("time")
        virtual = bool(said["virtual"])
        if virtual and not self._virtual:
            raise TableError(f"{port}: the time of this table is virtual; play there with --virtual")
        self._virtual = virtual
        if virtual:
            self._tester.join()
            self.clock = VirtualClock(self._tester)
        elif said["own"]:
            self._slow = True
            self._ticker = Tester(control)
            self.clock = VirtualClock(self._ticker, own=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leaves the table, and takes one of its own away."""
        for tester in (self._tester, self._ticker):
            if tester is not None:
                tester.close()
        if self._table is not None:
            self._table.close()

    def stop(self) -> None:
        """Ends the game from another thread; :meth:`play` raises :class:`Stopped`."""
        self._stopped = True
        self.wake()

    def wake(self) -> None:
        """Lets the loop look at the desk at once."""
        self.clock.wake()

    def desk(self, show: Callable[[list[Prompt]], None]) -> Desk:
        """The desk for the seats at the keyboard, with hands where the table is simulated."""
        if self._tester is None:
            return _Desk(self, show)
        people = People(self._tester, ())
        return _Desk(self, show, Hands(self._tester, people.look))

    def play(self, log: Log, game: int, screen: Screen, desk: Desk | None) -> Position[Any]:
        """Plays a logged game to its end. Raises ``TableError``, ``LogError``, and :class:`Stopped`."""
        assert self._port is not None
        self.check(seats_of(log, game))
        return session.run(
            log,
            game,
            self._port,
            self.clock,
            screen=screen,
            keyboard=desk,
            people=self._people(seats_of(log, game), game),
            quiet_s=self._quiet_s,
            fitness=self._fitness,
        )

    def _people(self, seats: Sequence[Seat], game: int) -> People | None:
        if self._tester is None:
            return None
        people = [
            Person(number, seat.place, self._player(number, seat.source))
            for number, seat in enumerate(seats, 1)
            if seat.source in PLAYERS
        ]
        if self._virtual or self._slow:
            return People(self._tester, people, _QUICK_PACE)
        return People(self._tester, people, _LIFE_PACE, _LIFE_THINK)

    def _player(self, seat: int, source: str) -> Player:
        player = PLAYERS[source](seat)
        return player if self._followed is None else Follower(seat, self._followed, player)


class _Desk(Desk):
    """A desk whose people can stop the game."""

    def __init__(self, setting: Setting, show: Callable[[list[Prompt]], None], hands: Hands | None = None) -> None:
        super().__init__(show, hands)
        self._setting = setting

    def work(self, conductor: Conductor) -> float:
        if self._setting._stopped:
            raise Stopped
        return super().work(conductor)
