"""The waits of a connection that only asks `list`, by what a keeper does meanwhile, with a log of 200,000 entries.

It knows nothing of the keeper but its protocol, so that another checkout, older or newer, can be measured: ``TREE=``
names its folder. ``ENTRIES=`` makes another log, ``ONLY=`` names kinds of work by
their beginnings.
"""

from __future__ import annotations

import json
import os
import random
import select
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

TREE = Path(os.environ.get("TREE", Path(__file__).parents[3]))
ENTRIES = int(os.environ.get("ENTRIES", "200_000"))
ONLY = tuple(os.environ.get("ONLY", "").split(",")) if os.environ.get("ONLY") else ()
USUAL_MS, LONGEST_MS = 50.0, 150.0
"""The limits for the 99.9th percentile and the longest wait."""
OPENED_S = 1.0
"""How much longer a keeper may take to answer after it was killed than after it was ended."""
EVERY_S = 0.002
WORK_S = 8.0
"""The most seconds of each kind of work that can be stopped."""
CHECK_S = 90.0
PLIES, PAGES, GAMES = 400, 20, 20
PLAYERS = {"d21": 2, "dilemma": 5, "struggle": 4}

Json = dict[str, Any]


class Refused(Exception):
    """An answer that is an error."""


# -- a connection ----------------------------------------------------------------------------------------------------


class Wire:
    """A connection to a keeper, in the words of its protocol."""

    def __init__(self, address: str, hello: Json) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(address)
        self._numbers = count(1)
        self._buffer = b""
        self.news: list[Json] = []
        self.call("hello", hello)

    def close(self) -> None:
        self._socket.close()

    def call(self, method: str, params: Json | None = None, *, wait_s: float = 120.0) -> Json:
        """Return the answer to a request. Raise :class:`Refused`."""
        number = next(self._numbers)
        line = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        self._socket.sendall(line.encode() + b"\n")
        while True:
            message = self._read(wait_s)
            if message is None:
                raise TimeoutError(f"{method}: no answer")
            if "method" in message:
                self.news.append(message)
            elif message.get("id") == number:
                if "error" in message:
                    raise Refused(message["error"]["message"])
                answer: Json = message["result"]
                return answer

    def until(self, met: Callable[[Json], bool], wait_s: float) -> Json | None:
        """Return the first news for which that is so, or ``None`` when none has come in time."""
        ends = time.monotonic() + wait_s
        while True:
            while self.news:
                if met(news := self.news.pop(0)):
                    return news
            message = self._read(ends - time.monotonic())
            if message is None:
                return None
            if "method" in message:
                self.news.append(message)

    def _read(self, wait_s: float) -> Json | None:
        while b"\n" not in self._buffer:
            if wait_s <= 0 or not select.select([self._socket], [], [], wait_s)[0]:
                return None
            data = self._socket.recv(1 << 20)
            if not data:
                raise ConnectionError("the keeper has gone")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: Json = json.loads(line)
        return message


def probe(address: str, hello: str) -> None:
    """Ask `list` all the time; for each line read from standard input print the waits since the last, in ms."""
    wire, waits = Wire(address, json.loads(hello)), list[float]()
    print(flush=True)
    while True:
        if select.select([sys.stdin], [], [], EVERY_S)[0]:
            if not sys.stdin.readline():
                return
            print(json.dumps(waits), flush=True)
            waits = []
        begun = time.perf_counter()
        try:
            wire.call("list")
        except ConnectionError:  # the keeper was killed
            return
        waits.append((time.perf_counter() - begun) * 1000)


class Prober:
    """A process of its own that asks `list`."""

    def __init__(self, keeper: Keeper, stack: ExitStack) -> None:
        words = [sys.executable, __file__, keeper.address, json.dumps(keeper.hello | {"passive": True})]
        program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._program = stack.enter_context(program)
        stack.callback(program.terminate)
        assert program.stdout is not None
        program.stdout.readline()

    def waits(self) -> list[float]:
        """Return the waits since this was called last."""
        assert self._program.stdin is not None and self._program.stdout is not None
        self._program.stdin.write("\n")
        self._program.stdin.flush()
        found: list[float] = json.loads(self._program.stdout.readline())
        return found


# -- a keeper of the checkout ----------------------------------------------------------------------------------------

_ASK = """
import json, sys
from tablier.games import bots_of
from tablier.keeper import protocol
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from pathlib import Path
log = Path(sys.argv[1])
bots = {game: list(bots_of(game)) for game in sys.argv[2:]}
try:
    address = str(address_of(log, make=True))  # where keepers did not note it yet
except TypeError:
    address = ""
print(json.dumps([address, protocol.hello(read_token(log, make=True)), bots]))
"""
_GROW = """
import sys
from hashlib import sha256
from tablier.log.store import Log
from tablier.log.chain import canonical
path, wanted, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with Log.open(path) as log:
    first, *rest = log.entries(1)
    items = [(None, each.kind, each.body) for each in rest]
    heading = {key: value for key, value in first.body.items() if key not in ("evening", "series")}
    people = [(seat["person"], 0) for seat in heading["seats"] if "person" in seat]
    def play(evening):
        body = {**heading, "evening": evening}
        ids = {id: log.next_id() for id in sorted({each["id"] for _, _, each in items if "id" in each})}
        for _, kind, each in items:
            if "id" in each:
                each["id"] = ids[each["id"]]
            if kind == "seed":
                each["heading"] = sha256(bytes.fromhex(each["seed"]) + canonical(body).encode()).hexdigest()
        log.begin_game(items=items, **body)
    held = 2 + len(items)
    while held < wanted - (last + 1) * len(items):
        evening = log.begin_evening("", people)
        for _ in range(5):
            play(evening)
        log.close_evening(evening)
        held += 5 * (len(items) + 1) + 4
    evening = log.begin_evening("", people)
    for _ in range(last):
        play(evening)
"""


def program(*words: str) -> list[str]:
    """Return the command line of a program for Python, which finds the checkout by ``PYTHONPATH``."""
    return [sys.executable, *words]


class Keeper:
    """A keeper of the checkout, in a process of its own."""

    def __init__(self, log: Path) -> None:
        self.log = log
        asked = subprocess.run(program("-c", _ASK, str(log), *PLAYERS), capture_output=True, text=True, check=True)
        self._address, self.hello, self.bots = json.loads(asked.stdout)
        self._program: subprocess.Popen[str] | None = None

    def start(self) -> float:
        """Start it; return the seconds until it has answered `list`."""
        begun = time.perf_counter()
        self._program = subprocess.Popen(program("-m", "tablier.cli.main", "keeper", "--log", str(self.log)),
                                         stdout=subprocess.DEVNULL, text=True)  # fmt: skip
        while True:
            with suppress(FileNotFoundError, ConnectionError):
                wire = self.connect()
                wire.call("list")
                wire.close()
                return time.perf_counter() - begun
            assert self._program.poll() is None, "the keeper has ended"
            time.sleep(0.005)

    @property
    def address(self) -> str:
        """Return where it listens: the second line of the log's lock."""
        lines: list[str] = []
        with suppress(FileNotFoundError):
            lines = Path(f"{self.log}-lock").read_text().splitlines()
        return lines[1] if len(lines) > 1 else self._address or "/"

    @property
    def pid(self) -> int:
        assert self._program is not None
        return self._program.pid

    def connect(self) -> Wire:
        return Wire(self.address, self.hello)

    def end(self) -> None:
        assert self._program is not None
        self._program.terminate()
        self._program.wait()

    def kill(self) -> None:
        assert self._program is not None
        self._program.kill()
        self._program.wait()


@contextmanager
def grown() -> Iterator[Keeper]:
    """Make a log of that number of entries, most of them of games of evenings that are over; the last one is open."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        os.environ["TABLIER_PORTS"] = f"{folder}/ports"
        os.environ["PYTHONPATH"] = os.pathsep.join((str(TREE / "host"), str(TREE / "firmware")))
        keeper = Keeper(Path(folder) / "log.db")
        keeper.start()
        wire = keeper.connect()
        wire.call("evening", {"people": [{"name": "Anne"}]})
        play(wire, {"game": "d21", "options": {"max_plies": PLIES // 4}}, others=[bot("B", "random")], evening=1)
        wire.call("close", {"evening": 1})
        wire.close()
        keeper.end()
        subprocess.run(program("-c", _GROW, str(keeper.log), str(ENTRIES), str(GAMES)), check=True)
        yield keeper


# -- games -----------------------------------------------------------------------------------------------------------


def bot(name: str, source: str) -> Json:
    return {"name": name, "source": source}


def person(name: str) -> Json:
    return {"name": name, "source": "screen"}


def begin(wire: Wire, game: Json, seats: Sequence[Json] = (), *, others: Sequence[Json] = (), evening: int = 0) -> Json:
    """Begin a game of its own, or of an evening, and watch it."""
    if evening:
        told = wire.call("next", {"evening": evening, "others": list(others), **game})
    else:
        told = wire.call("play", {"seats": list(seats), "table": {"pace_s": 0}, **game})
    watch(wire, told)
    return told


def watch(wire: Wire, told: Json) -> None:
    for person, key in told["enter"].items():
        wire.call("enter", {"evening": told["evening"], "person": person, "key": key})
    wire.call("watch", {"game": told["game"], "viewers": [int(seat) for seat in told["people"]] or [None]})


def play(wire: Wire, game: Json, seats: Sequence[Json] = (), *, others: Sequence[Json] = (), evening: int = 0,
         plies: int = PLIES, within_s: float = 60.0) -> int:  # fmt: skip
    """Play a game to a move or to its end, people at random; return its number."""
    told = begin(wire, game, seats, others=others, evening=evening)
    number, dice, ends = told["game"], random.Random(1), time.monotonic() + within_s
    answered = 0
    while time.monotonic() < ends:
        news = wire.until(lambda each: each["method"] in ("updates", "ended"), ends - time.monotonic())
        if news is None or news["method"] == "ended":
            break
        updates = news["params"]["updates"]
        if updates[0]["over"] or updates[0]["ply"] >= plies:
            break
        for update in updates:
            question = update["question"]
            mine = question and question.get("mine")
            if not mine or not mine["waits"] or question["id"] == answered or "moves" not in mine:
                continue
            answered = question["id"]
            reply = {"event": "played", "id": answered, "seat": update["viewer"], "move": dice.choice(mine["moves"])}
            with suppress(Refused):
                wire.call("reply", {"game": number, "reply": reply})
            break
    with suppress(Refused):
        wire.call("stop", {"game": number})
    wire.news.clear()
    return int(number)


# -- kinds of work ---------------------------------------------------------------------------------------------------

Work = Callable[[Keeper, Wire], None]


def works(bots: dict[str, list[str]], long_game: list[int]) -> Iterator[tuple[str, Work]]:
    """Yield each kind of work with its name. ``long_game``: filled with the game that is resumed."""

    def idle(keeper: Keeper, wire: Wire) -> None:
        time.sleep(3)

    yield "nothing", idle

    def among(game: str, level: str) -> Work:
        def work(keeper: Keeper, wire: Wire) -> None:
            seats = [bot(name, level) for name in "ABCDE"[: PLAYERS[game]]]
            ends, first = time.monotonic() + WORK_S, True
            while first or time.monotonic() < ends - WORK_S / 2:  # short ones again
                first = False
                play(wire, {"game": game}, seats, plies=1 << 30, within_s=ends - time.monotonic())

        return work

    for game in PLAYERS:
        for level in bots[game]:
            yield f"bots: {game}, {level}", among(game, level)

    def against(keeper: Keeper, wire: Wire) -> None:
        play(wire, {"game": "d21"}, [person("A"), bot("B", "greedy")], within_s=WORK_S)

    yield "a person against greedy, d21", against

    def beginning(keeper: Keeper, wire: Wire) -> None:
        for _ in range(10):
            told = begin(wire, {"game": "d21"}, [person("A"), person("B")])
            wire.until(lambda news: news["method"] == "updates", 10)
            wire.call("stop", {"game": told["game"]})

    yield "games begun and stopped", beginning

    def rolled(keeper: Keeper, wire: Wire) -> None:
        seats = [{"name": name, "place": place, "source": "table"} for place, name in enumerate("AB", 1)]
        chance = {"dice": ["roll", "roll"], "bag": "host"}
        told = begin(wire, {"game": "struggle", "chance": chance, "table": {"pace_s": 0}}, seats)
        wire.until(lambda news: news["method"] == "updates", 60)
        time.sleep(3)  # the counts of rolls are compared when nothing is on its way
        wire.call("stop", {"game": told["game"]})

    yield "a rolled game begun", rolled

    def evening(keeper: Keeper, wire: Wire) -> None:
        number = wire.call("list")["evenings"][-1]["evening"]
        wire.call("follow", {"evening": number})
        for _ in range(3):
            play(wire, {"game": "d21"}, others=[bot("B", "random")], evening=number, plies=20)

    yield f"games of an evening of {GAMES}", evening

    def lengthen(keeper: Keeper, wire: Wire) -> None:
        options = {"max_plies": 2 * PLIES}
        long_game.append(play(wire, {"game": "d21", "options": options}, [person("A"), person("B")]))

    yield f"{PLIES} moves of people", lengthen

    def resume(keeper: Keeper, wire: Wire) -> None:
        if not long_game:
            lengthen(keeper, wire)
        for _ in range(3):
            told = wire.call("resume", {"game": long_game[0]})
            watch(wire, told)
            wire.until(lambda news: news["method"] == "updates", 30)
            wire.call("stop", {"game": told["game"]})
            wire.news.clear()

    yield f"a game resumed at {PLIES} moves", resume

    def command(*words: str) -> Work:
        def work(keeper: Keeper, wire: Wire) -> None:
            line = program("-m", "tablier.cli.main", *words, "--log", str(keeper.log))
            ends = time.monotonic() + WORK_S / 2
            while time.monotonic() < ends:
                with suppress(subprocess.TimeoutExpired):
                    done = subprocess.run(line, capture_output=True, timeout=CHECK_S, text=True, check=False)
                    assert not done.returncode, done.stderr[:200]

        return work

    yield "an export", command("log", "export", "1")
    yield "a verification", command("log", "verify")

    def hints(keeper: Keeper, wire: Wire) -> None:
        for game, seats in (("dilemma", 5), ("d21", 2)):
            told = begin(wire, {"game": game}, [person(name) for name in "ABCDE"[:seats]])
            wire.until(lambda news: news["method"] == "updates", 30)
            for _ in range(3):
                for seat in range(1, seats + 1):
                    with suppress(Refused):
                        wire.call("hint", {"game": told["game"], "seat": seat})
            wire.call("stop", {"game": told["game"]})
            wire.news.clear()

    yield "hints", hints

    def pages(keeper: Keeper, wire: Wire) -> None:
        with served(keeper) as port, ExitStack() as stack:
            readers = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(PAGES)]
            for each in readers:
                each.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            seats = [bot(name, "greedy") for name in "AB"]
            told = begin(wire, {"game": "d21", "table": {"pace_s": 0.1}}, seats)
            ends, had = time.monotonic() + WORK_S, set[socket.socket]()
            while (left := ends - time.monotonic()) > 0:
                for each in select.select(readers, [], [], left)[0]:
                    if b"ply" in each.recv(1 << 16):  # within a text, so its quotes are escaped
                        had.add(each)
            assert len(had) == PAGES, f"{len(had)} pages were shown the game"
            with suppress(Refused):  # it may be over
                wire.call("stop", {"game": told["game"]})

    yield f"{PAGES} pages", pages


@contextmanager
def served(keeper: Keeper) -> Iterator[int]:
    """Serve the log's pages; yield the port."""
    words = program("-m", "tablier.cli.main", "web", "--log", str(keeper.log))
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as web:
        assert web.stdout is not None
        address = web.stdout.readline().split()[0]
        with urllib.request.urlopen(address):
            pass
        try:
            yield int(address.rstrip("/").rpartition(":")[2])
        finally:
            web.terminate()


# -- all of it -------------------------------------------------------------------------------------------------------


def report(kind: str, waits: Sequence[float]) -> bool:
    """Print the waits beside one kind of work; return whether they are within the limits."""
    cut = quantiles(waits, n=1000, method="inclusive") if len(waits) > 1 else list(waits) * 999
    met = cut[998] <= USUAL_MS and max(waits) <= LONGEST_MS
    print(
        f"  {kind:32} {len(waits):6} asked   p50 {cut[499]:6.1f}   p99 {cut[989]:7.1f}   p99.9 {cut[998]:7.1f}"
        f"   longest {max(waits):8.1f}   {'met' if met else 'MISSED: slower than allowed'}",
        flush=True,
    )
    return met


def main() -> None:
    print(f"The wait for an answer to 'list' beside what a keeper does, in a log of {ENTRIES:,} entries, ms")
    print(f"  allowed: p99.9 {USUAL_MS:.0f}, longest {LONGEST_MS:.0f}", flush=True)
    missed = []
    with grown() as keeper, ExitStack() as stack:
        clean = keeper.start()
        prober = Prober(keeper, stack)
        stack.callback(keeper.kill)
        for kind, work in works(keeper.bots, []):
            if ONLY and not kind.startswith(ONLY):
                continue
            wire = keeper.connect()
            prober.waits()
            failed: Exception | None = None
            try:
                work(keeper, wire)
            except (Refused, TimeoutError, AssertionError) as error:
                failed = error
            waits = prober.waits()
            if not report(kind, waits):
                missed.append(kind)
            if failed is not None:
                print(f"  {kind:32} FAILED: {failed}")
                missed.append(f"{kind}, which failed")
            wire.close()
        stack.close()
        killed = keeper.start()
        with ExitStack() as after:
            prober = Prober(keeper, after)
            time.sleep(WORK_S)
            if not report("checked after a kill", prober.waits()):
                missed.append("after a kill")
        keeper.end()
    met = "met" if killed <= clean + OPENED_S else "MISSED: slower than allowed"
    print(f"  a keeper has answered {clean:.1f} s after its start, and {killed:.1f} s when it was killed before: {met}")
    if missed:
        print(f"  missed: {'; '.join(missed)}")


if __name__ == "__main__":
    probe(*sys.argv[1:])
