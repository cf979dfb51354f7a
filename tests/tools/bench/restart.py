"""From the start of the host to the question, in a game of many moves that was interrupted."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from at_screens import Screens
from ports import each
from replying import by_chance
from tablier import messages
from tablier.course.seats import AT_SCREEN, Seat
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock

from . import verdict

RUNS = 9
MOVES = 400
LIMIT_MS = 60.0


def interrupted(path: Path) -> None:
    """Log a game of D.21, the longest game there is, up to a number of moves."""
    seats = [Seat(name, 0, AT_SCREEN) for name in "AB"]
    with Log.open(path) as log:
        room = Screens(log, begin(log, "d21", {"max_plies": 2 * MOVES}, seats), LifeClock(), (1, 2))
        room.play_until(MOVES, by_chance(random.Random(1)))


def restart(path: Path) -> tuple[float, float, float]:
    """Return how many milliseconds it takes to open the log, and until there is an update with the question; and how
    many of these the processor takes."""
    updates: list[messages.Update] = []
    begun, busy = perf_counter(), process_time()
    with Log.open(path, create=False) as log:
        opened = perf_counter()
        running = Conductor(log, 1, LifeClock())
        running.watch((1,), each(updates.append))
        running.start()
        asked, busy = perf_counter(), process_time() - busy
    last = updates[-1]
    assert isinstance(last.question, messages.Turn) and last.question.mine is not None
    assert last.question.mine.moves and last.ply == MOVES
    return (opened - begun) * 1000, (asked - begun) * 1000, busy * 1000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        interrupted(path)
        opened, asked, busy = map(median, zip(*(restart(path) for _ in range(RUNS)), strict=True))
    print(f"Restart to question of a game with {MOVES} moves, median of {RUNS} runs")
    met = verdict(asked <= LIMIT_MS)
    print(
        f"  {asked:6.1f} ms, {opened:.1f} ms of them to open the log; {busy:.1f} ms of CPU (limit: {LIMIT_MS:.0f} ms:"
        f" {met})"
    )
