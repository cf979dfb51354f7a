"""A host that is killed between commit and acknowledgement, and between acknowledgement and showing: at every entry of
a game of each kind, one after the other in the same game. What was taken stands, once, and the game ends the same.

``make test`` kills at four of them; ``make thorough`` at each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from chaos import events_by_boot
from playing import a_table

from following import following
from ports import console
from sample import sample
from tablier import keeper
from tablier.games.core import Json
from tablier.keeper import Keeper
from tablier.log import Log
from tablier.play.audit import audit
from tablier.play.beginning import begin
from tablier.play.bots import default_bot
from tablier.play.chance import Sources
from tablier.play.conductor import Conductor
from tablier.play.session import AT_TABLE, Seat
from tablier.simulation.people import People
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client

GAMES: dict[str, tuple[int, Json]] = {
    "dilemma": (3, {}),
    "struggle": (2, {"board": "Y" * 14}),
    "dicke-daemonen": (2, {"layout": "ring"}),
    "roudalon": (4, {"first": "p1"}),
    "d21": (2, {"max_plies": 16}),
}
"""Seats and options with which a game is short."""
ROLLS = Sources(("roll", "roll"), "host")
SEED = "5e" * 32
FOREIGN = ("gap", "void", "aborted", "since", "fault")
"""What a log does not hold when nothing has happened but that its host was killed."""
COMMITTED, ACKNOWLEDGED = "committed", "acknowledged"


class Killed(BaseException):
    """The host's process ends here."""


class Killer:
    """Kills the host once for each event of the table, or for one in ``every``, at points of an event's way in turn."""

    def __init__(self, points: Sequence[str], every: int) -> None:
        self._points = points
        self.kills = 0
        self._every = every
        self._count = 0
        self._last: tuple[str, int] | None = None
        self._armed = False

    def acknowledge(self, event: Any, go_on: Callable[[], None]) -> None:
        if not event.number or (event.boot, event.number) == self._last:
            go_on()
            return
        self._last = event.boot, event.number
        self._count += 1
        kills = self._count % self._every == 0
        point = self._points[self.kills % len(self._points)]
        if kills and point == COMMITTED:
            self._kill()
        go_on()
        self._armed = kills and point == ACKNOWLEDGED

    def show(self, update: Json) -> None:
        if self._armed:
            self._armed = False
            self._kill()

    def _kill(self) -> None:
        self.kills += 1
        raise Killed


def play(
    log: Log, table: SimulatedTable, seated: list[Seat], followed: list[str] | None, killer: Killer | None = None
) -> None:
    """Play game 1 to its end, or until the host is killed."""
    updates: list[Json] = []

    def deliver(update: Json) -> None:
        if killer:
            killer.show(update)
        updates[:] = [update]

    minds = {number: default_bot(log.game(1).game) for number in range(1, len(seated) + 1)}
    with Keeper(seated, table.port, virtual=True, seed=7) as running:
        crowd = People(running.hands, minds, following(followed), seed=7)
        console(running.port).subscribe(None, deliver)

        def hook(conductor: Conductor) -> float:
            return crowd.act(running.clock.now(), lambda: updates[-1] if updates else None)

        running.play(log, 1, hook=hook)


@pytest.mark.parametrize("points", sample([(COMMITTED, ACKNOWLEDGED)], [(COMMITTED,), (ACKNOWLEDGED,)]), ids="+".join)
@pytest.mark.parametrize(("game", "sources"), [*((game, None) for game in GAMES), ("struggle", ROLLS)])
def test_a_host_killed_on_an_events_way_loses_nothing_and_doubles_nothing(
    game: str, sources: Sources | None, points: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the host's own chance the killed game is move by move the whole one; a table that rolls rolls otherwise."""
    count, options = GAMES[game]
    seated = [Seat(name, place, AT_TABLE) for name, place in zip("ABCD"[:count], (1, 2, 4, 5), strict=False)]
    whole, killed = tmp_path / "whole.db", tmp_path / "killed.db"
    with a_table(seed=3) as table, Log.open(whole) as log:
        begin(log, game, options, seated, seed=SEED, sources=sources)
        play(log, table, seated, None)
        meant, result = log.moves(1), log.game(1).result
        events = sum(entry.number is not None for entry in log.entries(1))
    killer = Killer(points, sample(max(1, events // 4), 1))

    class Mortal(Client):
        def acknowledge(self, event: Any) -> None:
            killer.acknowledge(event, lambda: super(Mortal, self).acknowledge(event))

    monkeypatch.setattr(keeper, "Client", Mortal)
    with a_table(seed=3) as table:
        with Log.open(killed) as log:
            begin(log, game, options, seated, seed=SEED, sources=sources)
        while True:
            try:
                with Log.open(killed) as log:
                    play(log, table, seated, meant, killer)
                break
            except Killed:
                continue
    assert killer.kills > sample(2, events // 2)
    with Log.read(killed) as log:
        assert sources or (log.moves(1), log.game(1).result) == (meant, result)
        assert log.verify() and audit(log.entries()).games == 1
        assert not [
            entry.kind for entry in log.entries(1) if entry.kind in ("gap", "void", "aborted", "since", "fault")
        ]
    ((_, numbers),) = events_by_boot(killed).items()
    assert numbers == list(range(1, len(numbers) + 1))
