"""What a keeper adds: other tables and screens beside a game, news on their way to a screen, the start of a game."""

from __future__ import annotations

import os
import queue
import select
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from unittest.mock import patch

from awaiting import await_pixels
from cli.term import Term
from tablier import messages
from tablier.judge.audit import examine
from tablier.keeper import protocol
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, Link
from tablier.keeper.protocol import line_of
from tablier.keeper.starting import find, join
from tablier.log.store import Log
from tablier.play.connections import Message
from tablier.simulation.eyes import ASKED, state_of
from tablier.simulation.tester import Tester
from tablier.texts import Json

from . import verdict

RUNS, PRESSES = 3, 50
STARTS = 9
SCREENS, TABLES = 10, 3
FIRST_S, UPDATE_MS = 1.0, 50.0
TABLES_FACTOR, SCREENS_FACTOR = 2.0, 1.1
ONE = [
    {"name": name, "place": place, "source": "greedy" if place > 1 else "table"} for place, name in enumerate("ABC", 1)
]
BOTS = [{**ONE[0], "simulated": "good"}, *({**seat, "source": "good"} for seat in ONE[1:])]


@contextmanager
def keeper() -> Iterator[tuple[Path, Link]]:
    """Start a keeper of a new log; check its log at the end."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, TABLIER_PORTS=f"{folder}/ports"):
        log = Path(folder) / "log.db"
        link = join(log)
        try:
            yield log, link
        finally:
            with ExitStack() as stack:
                stack.callback(link.close)
                link.call("quit")
        with Log.read(log) as read:
            report = examine(read.entries())
            assert read.verify() and not report.wrong and not report.missing, report


def keep_busy(log: Path) -> None:
    """Have simulated people and bots play at a table of their own, game after game."""
    link = join(log)

    def again() -> None:
        def opened(answer: Json) -> None:
            if "result" in answer:
                game = answer["result"]["game"]
                link.listen(game, lambda notice: again() if isinstance(notice, messages.Ended) else None)
                link.send("watch", {"game": game, "viewers": [None]}, lambda answer: None)

        link.send("play", {"game": "dilemma", "seats": BOTS}, opened)

    again()


def attach(log: Path, count: int, stack: ExitStack) -> None:
    """Attach screens that read all that comes."""
    sockets = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(count)]
    for each in sockets:
        each.connect(str(address_of(log)))
        each.sendall(line_of(protocol.request(1, "hello", protocol.hello(None))))
        each.sendall(line_of(protocol.request(2, "watch", {"game": 1, "viewers": [None]})))

    def read() -> None:
        while sockets and all(each.fileno() >= 0 for each in sockets):
            for each in select.select(sockets, [], [], 0.1)[0]:
                if not each.recv(1 << 16):
                    return

    reader = threading.Thread(target=read, daemon=True)
    stack.callback(reader.join)
    stack.callback(sockets.clear)
    reader.start()


def presses(tables: int, screens: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds from a press to the move on a screen, and those from the time of its entry."""
    pressed, late = [], []
    heard: queue.SimpleQueue[tuple[float, int]] = queue.SimpleQueue()

    def hear(message: Message) -> None:
        for update in message.updates if isinstance(message, messages.Updates) else ():
            heard.put((time.time(), update.ply))

    def until(ply: int) -> float:
        while True:
            at, seen = heard.get(timeout=30)
            if seen == ply:
                return at

    with keeper() as (log, link), ExitStack() as stack:
        link.call("play", {"game": "dilemma", "seats": ONE, "practice": True, "table": {"pace_s": 60}})
        GameLink(link, 1).watch((None,), hear)
        attach(log, screens, stack)
        for _ in range(tables - 1):
            keep_busy(log)
        until(0)
        board = link.call("table", {"game": 1})["board"]
        tester = Tester(address_of(log).with_name(f"{board}.control"))
        stack.callback(tester.close)
        for _ in range(PRESSES):
            await_pixels(tester, lambda pixels: state_of(pixels["public"][0]) == ASKED)
            begun = time.time()
            tester.press(1, "b")
            at = until(1)
            pressed.append((at - begun) * 1000)
            with Log.read(log) as read:
                (*_, move) = (entry for entry in read.entries(1) if entry.kind == "move")
            late.append((at - datetime.fromisoformat(move.at).timestamp()) * 1000)
            link.call("back", {"game": 1, "seat": 1})
            until(0)
            time.sleep(0.12)  # it is released, and its bounces are over
    return pressed, late


def start() -> float:
    """Return the seconds from 'tablier play' to the first question on the screen."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {"TABLIER_PORTS": f"{folder}/ports", "TABLIER_LOG": f"{folder}/log.db"}
        with patch.dict(os.environ, environment):
            begun = time.perf_counter()
            with Term("play") as term:
                term.shows("which card is on offer?")
                took = time.perf_counter() - begun
            link = find(f"{folder}/log.db")
            if link is not None:
                link.call("quit")
                link.close()
    return took


def main() -> None:
    ways = {"one table": (1, 0), f"{TABLES} tables": (TABLES, 0), f"{SCREENS} screens": (1, SCREENS)}
    cuts: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
    for _ in range(RUNS):
        for name, (tables, screens) in ways.items():
            pressed, late = presses(tables, screens)
            cut = quantiles(pressed, n=100, method="inclusive")
            cuts[name].append((cut[49], cut[98], quantiles(late, n=100, method="inclusive")[94]))
    found = {name: tuple(map(median, zip(*runs, strict=True))) for name, runs in cuts.items()}
    alone = found["one table"]
    print(f"Press at a simulated table to its move on a screen of the keeper, {PRESSES} presses a run, {RUNS} runs")
    for name, (p50, p99, update) in found.items():
        print(
            f"  {name:12} p50 {p50:6.1f} ms    p99 {p99:6.1f} ms    update p95 {update:5.1f} ms after its entry"
            f" (limit: {UPDATE_MS:.0f} ms: {verdict(update <= UPDATE_MS)})"
        )
    beside, watched = found[f"{TABLES} tables"], found[f"{SCREENS} screens"]
    slower = beside[1] / alone[1]
    met = verdict(slower <= TABLES_FACTOR)
    print(f"  p99 of {TABLES} tables beside one: {slower:.2f} (limit {TABLES_FACTOR:.1f}: {met})")
    slower = watched[0] / alone[0]
    met = verdict(slower <= SCREENS_FACTOR)
    print(f"  p50 with {SCREENS} screens attached: {slower:.2f} (limit {SCREENS_FACTOR:.1f}: {met})")
    took = median(start() for _ in range(STARTS))
    print(f"'tablier play' to the first question, median of {STARTS} starts")
    print(f"  {took:6.2f} s (limit: {FIRST_S:.1f} s: {verdict(took <= FIRST_S)})")
