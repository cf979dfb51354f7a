"""A keeper that can be killed at any point of an input's way: ``keeper.py LOG``.

It says ``ready`` when screens can connect. A line ``POINT ORIGIN COUNT`` on standard input kills it when so many inputs
of this origin have come so far. Screens may sit at its virtual tables: the tests let no time pass before they have
replied.
What it sends is sent at once, so that no pixels are newer than what clients know.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
import time
from functools import partialmethod
from typing import Any

from tablier.course.seats import AT_SCREEN, Seat
from tablier.keeper import games, playable
from tablier.keeper.desk import Desk
from tablier.keeper.peer import Peer
from tablier.keeper.server import keep
from tablier.log.store import Log
from tablier.messages import Updates
from tablier.play.change import Change
from tablier.play.game import Conductor
from tablier.play.table_side import TableSide
from tablier.table.client import Client

RECEIVED, COMMITTED, ACKNOWLEDGED, SENT, ASKED = POINTS = ("received", "committed", "acknowledged", "sent", "asked")
TABLE, SCREEN, BOT = ORIGINS = ("table", "screen", "bot")
ALL = [(point, origin) for point in POINTS for origin in ORIGINS if point != ACKNOWLEDGED or origin == TABLE]
"""A screen's reply and a bot's are acknowledged by what is sent."""
SOONEST_S = 0.05
"""The table time after which the keeper looks at its socket again."""


class Points:
    """Where the input at hand is on its way, and where the keeper is to die."""

    def __init__(self) -> None:
        self._armed: tuple[str, str] | None = None
        self._left = 0
        self.origin = ""

    def arm(self) -> None:
        for line in sys.stdin:
            point, origin, count = line.split()
            self._left, self._armed = int(count), (point, origin)

    def reach(self, point: str) -> None:
        if self._armed != (point, self.origin):
            return
        self._left -= 1
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
            signal.pause()


def origin_of(conductor: Conductor, change: Change) -> str:
    """Return who has said what a change comes from; ``""`` for anything else."""
    kind, body = change.items[0] if change.items else ("", {})
    if kind == "table":
        return TABLE
    if kind not in ("reply", "commitment", "opening"):
        return ""
    return SCREEN if conductor.session.seats[body["seat"] - 1].at_screen else BOT


def watched(points: Points) -> None:
    """Have the points of each input's way noticed."""
    commit, append_all = Conductor.commit, Log.append_all
    acknowledge, update, ask = Client.acknowledge, Peer.update, TableSide.ask

    def committing(self: Conductor, change: Change, *args: Any) -> None:
        outer, points.origin = points.origin, origin_of(self, change)
        points.reach(RECEIVED)
        try:
            commit(self, change, *args)
        finally:
            points.origin = outer

    def appending(self: Log, *args: Any, **more: Any) -> list[int]:
        numbers = append_all(self, *args, **more)
        points.reach(COMMITTED)
        return numbers

    def acknowledging(self: Client, event: Any) -> None:
        acknowledge(self, event)
        points.reach(ACKNOWLEDGED)

    def updating(self: Peer, message: Updates) -> None:
        update(self, message)
        self.flush(time.monotonic())
        points.reach(SENT)

    def asking(self: TableSide, *args: Any) -> None:
        ask(self, *args)
        points.reach(ASKED)

    Conductor.commit = committing  # type: ignore[method-assign]
    Log.append_all = appending  # type: ignore[method-assign]
    Client.acknowledge = acknowledging  # type: ignore[method-assign]
    Peer.update = updating  # type: ignore[method-assign]
    TableSide.ask = asking  # type: ignore[method-assign,assignment]


def main() -> None:
    faulthandler.register(signal.SIGUSR1)
    points = Points()
    watched(points)

    def check(*args: Any, virtual: bool) -> None:
        playable.check(*args, virtual=False)

    source = Desk.check

    def may_be(self: Desk, seat: Seat, wanted: str) -> None:
        if wanted != AT_SCREEN:
            source(self, seat, wanted)

    Desk.check = may_be  # type: ignore[method-assign,assignment]

    games.check = check  # type: ignore[attr-defined,assignment]
    Desk.step = partialmethod(Desk.step, soonest=SOONEST_S)  # type: ignore[method-assign,assignment]
    threading.Thread(target=points.arm, daemon=True).start()
    keep(sys.argv[1], ready=lambda: print("ready", flush=True), stays=True)


if __name__ == "__main__":
    main()
