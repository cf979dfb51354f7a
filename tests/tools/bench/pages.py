"""Pages in browsers: the first one after 'tablier web', a move on its way to twenty of them, and how large they are."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from unittest.mock import patch

from tests.replying import PlayedGame, begin, game_of
from tests.tools.bench import verdict

from tablier.keeper.access import read_token
from tablier.keeper.client import Link
from tablier.keeper.starting import join
from tablier.log import Log
from tablier.web.cookies import operator_key

STARTS, PAGES, MOVES, REQUESTS = 9, 20, 40, 50
FIRST_S, MOVE_MS, PAGE_KB, LATER_MS = 1.0, 100.0, 250.0, 10.0
GAMES = {"dicke-daemonen": 3, "d21": 2, "roudalon": 4}
"""By game: its players. They are asked one after the other, whatever was played."""


@contextmanager
def served() -> Iterator[tuple[Path, str, float]]:
    """Serve a new log; yield it with the address and the seconds until the first page was there."""
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, TABLIER_PORTS=f"{folder}/ports"):
        log = Path(folder) / "log.db"
        begun = time.perf_counter()
        words = [sys.executable, "-m", "tablier.cli.main", "web", "--log", str(log)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            address = program.stdout.readline().split()[0]
            get(address)
            first = time.perf_counter() - begun
            try:
                yield log, address, first
            finally:
                program.terminate()


_OPERATOR = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
"""A browser that keeps its cookie."""


def get(address: str) -> bytes:
    with _OPERATOR.open(address) as answer:
        data: bytes = answer.read()
        return data


def enter(address: str, log: Path) -> None:
    """Make that browser the operator's: others have no table page."""
    token = read_token(log)
    assert token is not None
    body = json.dumps({"operator": operator_key(token)}).encode()
    headers = {"Content-Type": "application/json", "Origin": address.rstrip("/")}
    with _OPERATOR.open(urllib.request.Request(f"{address}enter", body, headers)):
        pass


class Pages:
    """Twenty pages that follow what everybody may see, and when each has had each move."""

    def __init__(self, address: str) -> None:
        self._port = int(address.rstrip("/").rpartition(":")[2])
        self._had: dict[tuple[str, int], list[float]] = {}
        self._complete = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def all_had(self, game: int, ply: int) -> list[float]:
        """Wait until all pages have had a move; return when each has."""
        key = (f"game-{game}", ply)
        with self._complete:
            assert self._complete.wait_for(lambda: len(self._had.get(key, ())) == PAGES, 20), key
            return self._had[key]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self) -> None:
        tasks = [self._loop.create_task(self._follow()) for _ in range(PAGES)]
        self._loop.run_forever()
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))

    async def _follow(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 24)
        writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n\r\n".encode())
        while line := await reader.readline():
            at = time.time()
            named = re.search(rb'"name":"(game-[0-9]+)".*?"ply":([0-9]+)', line[:2000])
            if named is None:
                continue
            with self._complete:
                times = self._had.setdefault((named[1].decode(), int(named[2])), [])
                if len(times) < PAGES:
                    times.append(at)
                self._complete.notify_all()


def moves(log: Path, link: Link, pages: Pages, game: str, seats: int) -> list[float]:
    """Return the milliseconds from the time of a move's entry until a page has it, for each page and move."""
    late: list[float] = []
    begun = begin(link, game, "ABCD"[:seats], **({"first": "p1"} if seats == 3 else {}))
    played = PlayedGame(game_of(link, begun), range(1, seats + 1))
    for _ in range(MOVES):
        before = played.seen.latest
        if before["over"]:
            break
        ply = before["ply"]
        played.step()
        if played.seen.latest["ply"] == ply + 1:
            times = pages.all_had(played.number, ply + 1)
            with Log.read(log) as read:
                (*_, move) = (entry for entry in read.entries(played.number) if entry.kind == "move")
            late += [(at - datetime.fromisoformat(move.at).timestamp()) * 1000 for at in times]
    played.link.stop()
    return late


def size(address: str, page: str) -> float:
    """Return the kilobytes of a page with all that it loads."""
    asked, sizes = [page], {}
    while asked:
        name = asked.pop()
        if name in sizes:
            continue
        data = get(f"{address}{name}")
        sizes[name] = len(data)
        text = re.sub(r"/\*.*?\*/", "", data.decode(), flags=re.DOTALL)  # there types are imported, which nobody loads
        asked += re.findall(r'(?:src|href)="/(pages/[^"]+)"', text)
        asked += [f"pages/{each}" for each in re.findall(r'(?:from|import\() ?"\./([\w.]+)"', text)]
        asked += re.findall(r'SharedWorker\("/(pages/[^"]+)"', text)
    return sum(sizes.values()) / 1000


def later(address: str) -> list[float]:
    """Return the milliseconds that each later request of a connection takes."""
    connection = http.client.HTTPConnection(address.removeprefix("http://").rstrip("/"))
    took = []
    for _ in range(1 + REQUESTS):
        begun = time.perf_counter()
        connection.request("GET", "/pages/page.css")
        connection.getresponse().read()
        took.append((time.perf_counter() - begun) * 1000)
    connection.close()
    return took[1:]


def main() -> None:
    took = []
    for _ in range(STARTS):
        with served() as (_, _, first):
            took.append(first)
    print(f"'tablier web' to its first page, median of {STARTS} starts")
    print(f"  {median(took):6.2f} s (limit: {FIRST_S:.1f} s: {verdict(median(took) <= FIRST_S)})")
    with served() as (log, address, _):
        link, pages = join(log), Pages(address)
        took = later(address)
        print(f"A later request of a connection, median of {REQUESTS}")
        print(f"  {median(took):6.2f} ms (limit: {LATER_MS:.0f} ms: {verdict(median(took) <= LATER_MS)})")
        print(f"A move to {PAGES} pages, after its entry")
        for game, seats in GAMES.items():
            late = moves(log, link, pages, game, seats)
            cut = quantiles(late, n=100, method="inclusive")
            met = verdict(cut[94] <= MOVE_MS)
            print(f"  {game:16} p50 {cut[49]:6.1f} ms    p95 {cut[94]:6.1f} ms (limit: {MOVE_MS:.0f} ms: {met})")
        pages.close()
        link.close()
        print("Pages, with all that they load, without boards")
        enter(address, log)
        for page in ("", "seat", "table", "log"):
            large = size(address, page)
            print(f"  /{page:15} {large:6.1f} kB (limit: {PAGE_KB:.0f} kB: {verdict(large <= PAGE_KB)})")


__all__ = ["main"]
