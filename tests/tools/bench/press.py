"""From a press at the simulated table to the move in the log, in life's time; beside it what the disk alone takes."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter

from awaiting import await_pixels
from ports import console
from tablier.course.seats import AT_TABLE, Seat
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.simulation.buttons import BOUNCE_US
from tablier.simulation.eyes import ASKED, state_of
from tablier.simulation.simulated import SimulatedTable
from tablier.table.client import Client
from tablier.table.clock import LifeClock

from . import verdict

RUNS = 5
PRESSES = 100
DEBOUNCE_MS = 5 + BOUNCE_US[-1] / 1000
"""What the simulated contact bounces, and then five equal samples."""


def latencies(folder: Path) -> tuple[list[float], list[float]]:
    """Milliseconds from the press to the durable move, of each press of one run; and to make a page of a file durable,
    once after each press."""
    seats = [Seat(name, place, AT_TABLE) for place, name in enumerate("ABC", 1)]
    clock = LifeClock()
    times, disk = [], []
    with SimulatedTable() as table, Log.open(folder / "log.db") as log, (folder / "page").open("wb") as page:
        game = begin(log, "dilemma", {}, seats, practice=True)
        client = Client(table.first_port, clock, log.cursor, log=log_id(log))
        client.open()
        conductor = Conductor(log, game, clock, client)
        position = conductor.session.position
        conductor.start()
        for _ in range(PRESSES):
            await_pixels(table.tester, lambda pixels: state_of(pixels["public"][0]) == ASKED)
            begun = perf_counter()
            table.tester.ask("press 1 b")
            while not position.ply:
                for incoming in client.poll(1.0):
                    conductor.take(incoming)
            times.append((perf_counter() - begun) * 1000)
            console(conductor).command({"command": "back", "seat": 1})
            conductor.work()
            begun = perf_counter()
            page.write(bytes(4096))
            page.flush()
            os.fsync(page.fileno())
            disk.append((perf_counter() - begun) * 1000)
            released = clock.now() + 0.12
            while (left := released - clock.now()) > 0:
                for incoming in client.poll(left):
                    conductor.take(incoming)
            table.tester.answer()
        client.close()
    return times, disk


def main() -> None:
    cuts: list[list[float]] = [[], [], [], []]
    for _ in range(RUNS):
        with tempfile.TemporaryDirectory() as folder:
            for number, times in enumerate(latencies(Path(folder))):
                run = quantiles(times, n=100, method="inclusive")
                cuts[2 * number].append(run[49])
                cuts[2 * number + 1].append(run[98])
    limit = 30 + DEBOUNCE_MS
    p50, p99, disk50, disk99 = map(median, cuts)
    print(f"Press to logged move at the simulated table, {PRESSES} presses a run, medians of {RUNS} runs")
    print(f"  p50 {p50:6.1f} ms    p99 {p99:6.1f} ms    (limit of p99: {limit:.1f} ms: {verdict(p99 <= limit)};")
    print(f"  that is 30 ms beyond the {DEBOUNCE_MS:.1f} ms that a contact bounces and is debounced)")
    print(f"  the disk alone, a page made durable after each: p50 {disk50:.1f} ms, p99 {disk99:.1f} ms")
