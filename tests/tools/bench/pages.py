"""Pages in browsers: the first one after 'tablier web', a move on its way to twenty of them, and how large they are."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple
from unittest.mock import patch

from replying import PlayedGame, begin, by_chance, game_of
from tablier.keeper.access import read_token
from tablier.keeper.client import Link
from tablier.keeper.starting import join
from tablier.log.store import Log
from tablier.web.cookies import operator_key

from . import verdict
from .streams import streams

sys.path.append(str(Path(__file__).parents[2] / "web"))

from evenings import key_of

STARTS, PAGES, MOVES, REQUESTS = 9, 20, 40, 50
FIRST_S, MOVE_MS, MOVE_KB, PAGE_KB, LATER_MS = 1.0, 60.0, 10.0, 250.0, 10.0
GAMES = {"dicke-daemonen": 3, "d21": 2, "roudalon": 4}
"""By game: its players. They are asked one after the other, whatever was played."""


@contextmanager
def served() -> Iterator[tuple[Path, str, int, float]]:
    """Serve a new log; yield it with the address, the server's process, and the seconds until the first page came."""
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
                yield log, address, program.pid, first
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


def spent(program: int) -> float:
    """Return the milliseconds of processor that a program has taken."""
    fields = Path(f"/proc/{program}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


class Played(NamedTuple):
    """A game, as far as it was played."""

    moves: int
    late: list[float]
    """The milliseconds from the time of a move's entry until a page has it, for each page and move."""
    kilobytes: float
    """Of a move, at the page that got most."""
    spent: float
    """The milliseconds of processor that a move took the pages' server."""


def play(log: Path, link: Link, address: str, program: int, game: str, *, seen: bool) -> Played:
    """Play a game before twenty pages: a phone of each seat and displays; ``seen``: else before none."""
    seats = range(1, 1 + GAMES[game])
    begun = begin(link, game, "ABCD"[: len(seats)], **({"first": "p1"} if len(seats) == 3 else {}))
    played = PlayedGame(game_of(link, begun), seats, pick=by_chance(random.Random(1)))
    number = played.number
    pages = [("public,mine,phone", cookie(address, key_of(begun, seat))) for seat in seats]
    pages += [("public,phone", "")] * (PAGES - len(seats))
    channels = [(page, f"game-{number}") for page in range(PAGES)]
    channels += [(seat - 1, f"{number}-{seat}") for seat in seats]
    late: list[float] = []
    with streams(address, pages if seen else []) as opened:
        if seen:
            for page, channel in channels:
                opened.had(page, channel, played.seen.latest["ply"])
        before, sizes, moves = spent(program), opened.bytes(), 0
        while moves < MOVES and not played.seen.latest["over"]:
            ply = played.seen.latest["ply"]
            played.step()
            now = played.seen.latest["ply"]
            if now != ply:
                moves += 1
                if seen:
                    times = [opened.had(page, channel, now) for page, channel in channels]
                    with Log.read(log) as read:
                        (*_, move) = (entry for entry in read.entries(number) if entry.kind == "move")
                    late += [(at - datetime.fromisoformat(move.at).timestamp()) * 1000 for at in times]
        after, took = opened.bytes(), spent(program) - before
    played.link.stop()
    grown = [more - less for less, more in zip(sizes, after, strict=True)]
    return Played(moves, late, max(grown, default=0) / moves / 1000, took / moves)


def cookie(address: str, key: Any) -> str:
    """Come in by the key of a person; return the cookie."""
    headers = {"Content-Type": "application/json", "Origin": address.rstrip("/")}
    request = urllib.request.Request(f"{address}enter", json.dumps(key).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        given: str = answer.headers["Set-Cookie"]
        return given.partition(";")[0]


def size(address: str, page: str) -> float:
    """Return the kilobytes of a page with all that it loads."""
    asked, sizes = [page], {}
    while asked:
        name = asked.pop()
        if name in sizes:
            continue
        data = get(f"{address}{name}")
        sizes[name] = len(data)
        # Comments import types, which nobody loads.
        text = re.sub(r"/\*.*?\*/", "", data.decode(errors="replace"), flags=re.DOTALL)
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
        with served() as (*_, first):
            took.append(first)
    print(f"'tablier web' to its first page, median of {STARTS} starts")
    print(f"  {median(took):6.2f} s (limit: {FIRST_S:.1f} s: {verdict(median(took) <= FIRST_S)})")
    with served() as (log, address, program, _):
        link = join(log)
        took = later(address)
        print(f"A later request of a connection, median of {REQUESTS}")
        print(f"  {median(took):6.2f} ms (limit: {LATER_MS:.0f} ms: {verdict(median(took) <= LATER_MS)})")
        print(f"A move to {PAGES} pages, after its entry; the most that a page gets of it; the server's processor")
        for game in GAMES:
            alone, before = (play(log, link, address, program, game, seen=seen) for seen in (False, True))
            cut = quantiles(before.late, n=100, method="inclusive")
            met = verdict(cut[94] <= MOVE_MS and before.kilobytes <= MOVE_KB)
            print(f"  {game:16} p50 {cut[49]:6.1f} ms, p95 {cut[94]:6.1f}; {before.kilobytes:5.1f} kB", end="; ")
            print(f"{before.spent:5.1f} ms of processor a move, {alone.spent:.1f} with nobody there", end=" ")
            print(f"(limits: {MOVE_MS:.0f} ms, {MOVE_KB:.0f} kB: {met})")
        link.close()
        print("Pages, with all that they load, without boards")
        enter(address, log)
        for page in ("", "seat", "table", "log"):
            large = size(address, page)
            print(f"  /{page:15} {large:6.1f} kB (limit: {PAGE_KB:.0f} kB: {verdict(large <= PAGE_KB)})")


__all__ = ["main"]
