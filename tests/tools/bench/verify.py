"""The moves a second of ``tablier log verify`` on one core, in a log of games of bots of every kind."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from statistics import median
from time import process_time

from tablier.course.seats import Seat
from tablier.judge.verification import verify
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock

from . import verdict

RUNS = 5
GAMES = {"dilemma": (4, 30), "roudalon": (4, 30), "dicke-daemonen": (3, 20), "struggle": (3, 8), "d21": (2, 4)}
"""The seats of each game, and how often it is played."""
LEAST = 30_000
LARGEST_KB = 20.0


def written(path: Path) -> int:
    """Write a log; return how many moves it has."""
    dice, moves = random.Random(1), 0
    with Log.open(path) as log:
        for game, (seats, times) in GAMES.items():
            options = {"first": "p1"} if game == "roudalon" else {}
            sitting = [Seat(name, 0, "random") for name in "ABCD"[:seats]]
            for _ in range(times):
                conductor = Conductor(log, begin(log, game, options, sitting), LifeClock(), dice=dice)
                conductor.start()
                while not conductor.session.over:
                    conductor.work()
                moves += conductor.session.ply
    return moves


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        moves = written(path)
        games = sum(times for _, times in GAMES.values())
        size = path.stat().st_size / games / 1000
        speeds = []
        with Log.read(path) as log:
            for _ in range(RUNS):
                begun = process_time()
                report = verify(log).report
                speeds.append(moves / (process_time() - begun))
                assert report.games == games and not report.wrong
    speed = median(speeds)
    print(f"A log of {games} games verified on one core, medians of {RUNS} runs")
    print(f"  {speed:8,.0f} moves a second (target {LEAST:,}: {verdict(speed >= LEAST)})")
    print(f"  {size:8.1f} kB a game (limit {LARGEST_KB:.0f}: {verdict(size <= LARGEST_KB)})")
