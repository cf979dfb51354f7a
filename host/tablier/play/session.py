"""One game from its first question to its end, or from where it broke off: the loop around a conductor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tablier.games.core import Position
from tablier.log import GameInfo, Log
from tablier.play import dilemma
from tablier.play.asking import Flow
from tablier.play.conductor import Conductor, last_boot, log_id
from tablier.play.course import Seat
from tablier.play.people import People
from tablier.play.screen import Screen
from tablier.record import Record, replay
from tablier.table.checkup import Fitness
from tablier.table.client import Client
from tablier.table.clock import Clock

IDLE_S = 1.0


class Keyboard:
    """The people at the screen. A console overrides it; without one nobody sits there."""

    def work(self, conductor: Conductor) -> float:
        """Hands over what was answered meanwhile; returns after how many seconds it wants to be called again."""
        return IDLE_S


def begin(log: Log, game: str, options: dict[str, Any], seats: Sequence[Seat]) -> int:
    """Logs that a game begins and returns its id."""
    return log.begin_game(
        game, options, [{"name": seat.name, "place": seat.place, "source": seat.source} for seat in seats]
    )


def flow_for(game: str, quiet_s: float) -> Callable[[Position[Any], str], Flow]:
    """How a game goes at the table, from a position on, and with a reason not to trust landings, if there is one."""
    if game != "dilemma":
        raise LookupError(f"{game} is not played at the table yet")
    return lambda position, by_claim: dilemma.flow(position, quiet_s, by_claim)


def position_of(log: Log, info: GameInfo) -> Position[Any]:
    """Where the moves of a logged game have led."""
    return replay(Record(info.game, tuple(info.names), tuple(log.moves(info.id)), info.options))


def run(
    log: Log,
    game: int,
    port: str,
    clock: Clock,
    *,
    screen: Screen,
    keyboard: Keyboard | None = None,
    people: People | None = None,
    quiet_s: float = 5.0,
    fitness: Fitness = Fitness(),  # noqa: B008  (it cannot be changed)
) -> Position[Any]:
    """Plays a logged game from where it stands to its end, at the table at ``port``. Raises ``TableError``."""
    info = log.game(game)
    client = Client(port, clock, log.cursor, last_boot(log, game), log=log_id(log))
    client.open()
    try:
        flow_of = flow_for(info.game, quiet_s)
        conductor = Conductor(log, game, position_of(log, info), client, flow_of, screen, fitness.by_claim)
        if fitness.advice:
            screen.noted(fitness.advice)
        conductor.start()
        while not conductor.over:
            wait = keyboard.work(conductor) if keyboard else IDLE_S
            if people:
                wait = min(wait, people.act(clock.now(), conductor.course))
            for incoming in client.poll(wait):
                conductor.take(incoming)
        return conductor.course.position
    finally:
        client.close()
