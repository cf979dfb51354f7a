"""The host of the soak, a process that is killed: the product's client, conductor and log, at a table in virtual time.

``python -m tests.soak.host PORT LOG SEED``: plays one game after another, and takes up where it was killed. It says
``ready`` when time stands still for it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from positions import then
from tablier.games.core import Position
from tablier.log.store import Log
from tablier.play.game import Conductor
from tablier.play.logged import Logged, log_id
from tablier.simulation.clock import VirtualClock
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.ports import control_of, find_board
from tablier.table.unusable import TableError

from .rounds import SEATS, Rounds, script

_SEED = None, "seed", {"seed": "5e" * 32}
_PLACES = [
    {"person": f"{place:016x}", "named": "00" * 32, "place": place, "source": "table"} for place in range(1, SEATS + 1)
]


def play(log: Log, game: int, port: str, clock: Clock, seed: int) -> str:
    """Play a logged game to its end; return the port where the table is by then."""
    position = Position(Rounds(SEATS))
    then(position, *log.moves(game))
    client = Client(port, clock, log.cursor, Logged(log, game).boot, log=log_id(log))
    try:
        client.open()
        conductor = Conductor(log, game, clock, client, position=position, script=script(seed, game))
        conductor.start()
        while not conductor.over:
            for incoming in client.poll(1.0):
                conductor.take(incoming)
        return client.port
    finally:
        client.close()


def main() -> None:
    port, path, seed = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    control = control_of(port)
    assert control is not None
    with Log.open(path) as log:
        tester = Tester(control)
        board = control.stem
        tester.join()
        print("ready", flush=True)
        clock = VirtualClock(tester)
        while True:
            running = [info.id for info in log.games() if info.ended is None]
            game = running[-1] if running else log.begin_game("soak", {}, _PLACES, items=[_SEED])
            try:
                port = play(log, game, port, clock, seed)
            except TableError as error:
                if "went away" not in str(error) and "no such port" not in str(error):
                    raise
                while (found := find_board(board, port)) is None:  # its cable is out
                    clock.wait(0.2, None)
                port = found


if __name__ == "__main__":
    main()
