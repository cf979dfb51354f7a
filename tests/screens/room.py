"""A game without a table with screens at it, in one thread: what a screen's model sends reaches the conductor."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from ports import Stopped, connect
from tablier.bots.thinking import Thinking
from tablier.course.seats import Seat
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.connections import Message
from tablier.play.game import Conductor
from tablier.screens.model import COMMAND, LEAVE, REPLY, Action, Model
from tablier.screens.summary import LogName
from tablier.table.clock import LifeClock
from tablier.texts import Json

SHORT: Mapping[str, Json] = {
    "dilemma": {},
    "struggle": {"first": "p1", "board": "R" * 10},
    "dicke-daemonen": {"layout": "ring"},
    "roudalon": {"first": "p1"},
    "d21": {"max_plies": 14},
}
"""Options with which a game is soon over."""


class Room:
    """``screens``: for each screen the seats that sit at it. Others are bots. ``people``: seats at
    screens that come by themselves."""

    def __init__(
        self,
        path: Path,
        game: str,
        seats: Sequence[str],
        screens: Sequence[Sequence[int]],
        *,
        practice: bool = False,
        people: Sequence[int] = (),
        thinking: Thinking | None = None,
    ) -> None:
        here = {seat for screen in screens for seat in screen} | set(people)
        self.names = list(seats)
        sources = ["screen" if number in here else "random" for number in range(1, len(seats) + 1)]
        self.log = Log.open(path, create=True)
        seated = [Seat(name, 0, source) for name, source in zip(seats, sources, strict=True)]
        self.game = begin(self.log, game, SHORT[game], seated, practice=practice, seed="5e" * 32)
        self.conductor = Conductor(self.log, self.game, LifeClock(), dice=random.Random(1), thinking=thinking)
        self.sent = 0
        self.models = [Model(screen, LogName("the log")) for screen in screens]
        self._connections = [connect(self.conductor, screen, operator=True) for screen in screens]
        self.left: set[int] = set()
        self.stopped = False
        for number, model in enumerate(self.models):
            self._connections[number].watch(model.viewers, partial(self._take, number))
        self.conductor.start()
        self.work()

    def close(self) -> None:
        self.conductor.close()
        self.log.close()

    def work(self) -> None:
        """Have everybody do what is theirs."""
        try:
            sent = -1
            while sent != self.sent:
                sent = self.sent
                self.conductor.work()
        except Stopped:
            self.stopped = True

    def type(self, line: str, screen: int = 0) -> None:
        """Enter a line at a screen, and let everybody else do what is theirs."""
        self._do(screen, self.models[screen].accept(line))
        self.work()

    def _take(self, screen: int, message: Message) -> None:
        self._do(screen, self.models[screen].take(message))

    def _do(self, screen: int, actions: Sequence[Action]) -> None:
        for action in actions:
            self.sent += 1
            if action.what == LEAVE:
                self.left.add(screen)
            elif action.what == REPLY:
                self._connections[screen].reply(action.body)
            else:
                assert action.what == COMMAND
                self._connections[screen].command(action.body)


__all__ = ["SHORT", "Room"]
