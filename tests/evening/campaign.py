"""An evening while everything breaks: one table in virtual time, a real keeper, people, screens, bots, and programs.

People see pixels and cards, screens what the socket says. What was shown, and what was shown as taken, is kept; in the
end the log must tell all of that (:mod:`tests.evening.verdict`).
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import convert

from harness import AWAY_S, Breaking, Broken, Counts
from tablier.bots.sources import default_bot
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.messages import Update
from tablier.simulation.people import People
from tablier.simulation.simulated import SimulatedTable
from tablier.web.noted import make_room
from tablier.web.starting import start
from tablier_fw.version import __version__
from taken import Durable

from . import keeper as keepers
from .clients import Client, Gone, Screen
from .phones import Device, Phone

CABLE, TABLE, KEEPER, PROGRAM, SCREEN, BOT, PAUSE = DEEDS = (
    "cable",
    "table",
    "keeper",
    "program",
    "screen",
    "bot",
    "pause",
)
"""The cable is pulled and comes back under another name, the table is reset, the next three are killed; a bot plays for
somebody at a screen, who comes back; the game is paused until somebody says that it goes on."""
NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
GAMES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "d21": ((2,), {"max_plies": 12}),
    "dilemma": ((3, 4), {}),
    "struggle": ((2, 3), {"board": "Y" * 14}),
    "dicke-daemonen": ((2, 3), {"layout": "ring"}),
    "roudalon": ((4,), {"first": "p1"}),
}
"""How many play a game, and the options with which it is short."""
RENAMED = "Fanny"
"""The name of somebody from the middle of the evening on."""
EXTRA = 30
"""The most games that follow those that were planned, until everything has been done."""
PROGRAM_CODE = """
import json, sys
json.loads(sys.stdin.readline())
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"move": None if asked["may_pass"] else asked["moves"][-1]}), flush=True)
"""
_KEEPER = "keeper"
_STEP_S = 0.05
_STUCK_S = 400.0
_REAL_S = 60.0
_REPLY_S = 60.0
"""The seconds of life's time within which a phone hears what it is asked, and its reply is taken."""


@dataclass(frozen=True)
class Plan:
    """What an evening is to be."""

    seed: int
    games: Sequence[str]
    deeds: Sequence[str]
    """What is done at random points, in this order."""
    points: Sequence[tuple[str, str]] = ()
    """Where the keeper is killed besides: the point, and whose input is there."""
    apart_s: float = 3.0
    """The most table time from one deed to the next."""


@dataclass
class Told(Counts):
    """What was done."""

    deeds: Counter[str] = field(default_factory=Counter)
    points: Counter[tuple[str, str]] = field(default_factory=Counter)
    games: Counter[str] = field(default_factory=Counter)
    places: Counter[int] = field(default_factory=Counter)
    returned: int = 0
    """How often somebody has come back whom a bot had replaced."""
    moves: int = 0
    replies: int = 0
    by_phone: int = 0
    """Replies that phones have said, of these."""
    views: int = 0
    entries: int = 0
    table_s: float = 0.0


@dataclass
class Played:
    """A game as the campaign knows it."""

    kind: str
    seats: list[dict[str, Any]] = field(default_factory=list)
    number: int = 0
    shown: dict[tuple[int | None, int], str] = field(default_factory=dict)
    """By viewer and number of moves: the view that was shown."""
    over: Any = None
    meant: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By number of moves: what people at the table meant to play."""
    screens: list[Screen] = field(default_factory=list)
    again: bool = False
    """True where the people of the game before wanted another one."""
    pauses: int = 0
    """The pauses that the keeper has granted."""
    pauses_asked: int = 0
    """Those that it was asked for; it may have been killed before it answered."""

    def note(self, ply: int, move: str) -> None:
        self.meant[ply].add(move)


class Evening(Breaking):
    """A plan carried out. :meth:`run` raises :class:`Broken`, or ``AssertionError``."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        super().__init__(folder, plan.seed)
        self.plan = plan
        self.told = Told()
        self.played: list[Played] = []
        self._deeds, self._points = list(plan.deeds)[::-1], list(plan.points)[::-1]
        self._process: subprocess.Popen[str] | None = None
        self._operator: Client | None = None
        self._clients: dict[Client, Screen | None] = {}
        self._devices: dict[int, Device] = {}
        """By place: the phones of those who have one, which come in once an evening has their people."""
        self._code = ""
        """By which people come in."""
        self._doomed = False
        self._armed: tuple[str, str] | None = None
        self._moved = self._due = 0.0
        self._latest: Any = None
        self._asked: Any = None
        """The question of the latest update, since this keeper has the game."""
        self._late: tuple[str, str] | None = None
        """The last request of a screen that was refused, and why."""
        self._open = self._stopping = False
        self._seated = False
        """True if this keeper has the game open, in which people at screens can sit down."""
        self.number = self.series = 0
        """Of the evening, and of its series."""
        self.names = list(NAMES)
        """By place: who sits there."""
        self.here: dict[str, int] = {}
        """Who is there, and where."""
        self.went: list[tuple[str, str, int]] = []
        """Who came and went, in order: the kind of the entry, the name, the place."""
        self._people: People | None = None
        (folder / "program").mkdir()
        self._program = folder / "program" / "bot.py"
        self._program.write_text(PROGRAM_CODE)

    def run(self) -> Told:
        with SimulatedTable(virtual=True, seed=self.plan.seed) as self.table:
            self._tester = self.table.tester
            self._tester.join()
            try:
                self.start()
                with closing(Durable(self.log)) as self._durable:
                    self._play_all()
                self._quit()
            finally:
                for device in self._devices.values():
                    device.close()
                make_room(self.log)
                if self._process is not None:
                    self._process.kill()
                    self._release(self._process)
        self.told.table_s = self.now
        return self.told

    def _play_all(self) -> None:
        kinds = list(self.plan.games)
        self.number = self._ask("evening", {"table": {"port": self.table.port, "virtual": True}})["evening"]
        self._ask("follow", {"evening": self.number, "games": False})
        series = {"evening": self.number, "games": kinds, "count": len(kinds)}
        self.series = self._ask("series", series)["series"]
        for number, kind in enumerate(kinds):
            if number == len(kinds) // 2:
                self._rename()
            self._play(kind, named=False)
        self._play(kinds[-1], named=False, again=True)
        for more in range(EXTRA):
            if not self._deeds and not self._points:
                self._settle()
                self._ask("close", {"evening": self.number})
                return
            self._play(kinds[more % len(kinds)], named=True)
        raise Broken(f"left to be done: {self._deeds} {self._points}")

    # -- a game ------------------------------------------------------------------------------------------------------

    def _ask(self, method: str, params: Any) -> Any:
        """Ask the keeper for something between games, and return the result."""
        results: list[Any] = []
        assert self._operator is not None
        self._operator.ask(method, params, results.append)
        while not results:
            if not select.select([self._operator], [], [], _REAL_S)[0]:
                raise Broken(f"{method} is not answered; {self._state()}")
            self._read()
        return results[0]

    def _settle(self) -> None:
        """Wait until all that was pulled or killed is back."""
        while self.agenda or self._process is None:
            self.pass_time(_STEP_S)

    def _rename(self) -> None:
        """Give somebody who has played another name, while no keeper runs; everybody knows it from then on."""
        self._quit()
        old = self.played[-1].seats[0]["name"]
        old = next((name for name in self.here if name in self.names), old)
        command = [sys.executable, "-m", "tablier.cli.main", "people", "rename", old, RENAMED, "--yes"]
        command += ["--log", str(self.log)]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            raise Broken(f"{old} cannot be renamed: {run.stderr}")
        self.names[self.names.index(old)] = RENAMED
        self.here = {RENAMED if name == old else name: place for name, place in self.here.items()}
        self.went = [(kind, RENAMED if name == old else name, place) for kind, name, place in self.went]
        for seat in (seat for played in self.played for seat in played.seats if seat["name"] == old):
            seat["name"] = RENAMED
        self.start()

    def _play(self, kind: str, *, named: bool, again: bool = False) -> None:
        """Play a game: that of the series, one that is ``named``, or the same ``again`` with the same people."""
        self._settle()
        self._tester.say("clear")
        played = Played(kind, again=again)
        others = [] if again else self._gather(kind)
        self.played.append(played)
        self._latest, self._asked, self._stopping, self._due = None, None, False, self.now + self.dice.uniform(0, 1)
        self._people, seed = None, self.dice.randrange(10**6)
        act_at = self.now
        params = {"evening": self.number, "options": GAMES[kind][1], "others": others}
        self._open = True
        assert self._operator is not None
        if again:
            self._operator.ask("another", {"evening": self.number}, self._begun)
        else:
            self._operator.ask("next", params | ({"game": kind} if named else {}), self._begun)
        self._await(lambda: played.number)
        while self._open:
            self.pass_time(max(0.001, min(_STEP_S, act_at - self.now)))
            if self._people is None and self._latest is not None:
                minds = {n: default_bot(kind) for n, seat in enumerate(played.seats, 1) if seat["source"] == "table"}
                self._people = People(self._tester, minds, seed=seed, noted=played.note)
            if self._people is not None and self.now >= act_at:
                self._durable.check(self._tester.pixels())
                act_at = self.now + self._people.act(self.now, self._typed)
            if self.now >= self._due and (self._points or self._deeds) and self._latest and not self._stopping:
                self._do_next()
            if self.now - self._moved > _STUCK_S:
                raise Broken(f"nothing moves any more: {self._state()}")
        for screen in played.screens:
            if isinstance(screen, Phone):
                screen.client = None  # its page stays open
            elif screen.client is not None:
                self._clients.pop(screen.client)
                screen.leave(half=False)
        self.told.games[kind] += 1
        self.told.places.update(seat["place"] for seat in played.seats if seat["source"] == "table")

    def _gather(self, kind: str) -> list[dict[str, Any]]:
        """Have those come and go who play next, at the places whose turn it is; return the seats of bots."""
        number = len(self.played)
        count = GAMES[kind][0][number // len(GAMES) % len(GAMES[kind][0])]
        program = f"bot:{sys.executable} {self._program}"
        others = [program, "screen", default_bot(kind)]
        sources = ["table", others[number % 2]] if count == 2 else ["table", *others, "table"][:count]
        self.dice.shuffle(sources)
        places = sorted((number + n) % 6 + 1 for n in range(count))
        wanted, bots = dict[str, int](), list[dict[str, Any]]()
        for place, source in zip(places, sources, strict=True):
            if source in ("table", "screen"):
                wanted[self.names[place - 1]] = place if source == "table" else 0
            else:
                bots.append({"name": f"Bot {place}", "source": source, "place": place})
        for name in [name for name in self.here if name not in wanted]:
            self._ask("go", {"evening": self.number, "name": name})
            if device := self._devices.get(self.names.index(name) + 1):
                device.person = ""  # its key has ended
            self.went.append(("went", name, 0))
            del self.here[name]
        for name, place in wanted.items():
            device = None if place else self._device(name)
            if self.here.get(name) != place:
                if device is None or name in self.here:
                    self._ask("come", {"evening": self.number, "name": name, "place": place})
                else:
                    device.join(self._code, name)
                self.went.append(("came", name, place))
                self.here[name] = place
            if device is not None and not device.person:
                device.join(self._code, name)
        return bots

    def _device(self, name: str) -> Device | None:
        """Return the phone of somebody who has one, as two of three have."""
        place = self.names.index(name) + 1
        if place % 3 == 0:
            return None
        if place not in self._devices:
            self._devices[place] = Device(start(self.log)[0].rstrip("/"))
        return self._devices[place]

    def _begun(self, opened: Any) -> None:
        """Sit down and watch, in a game that was begun or resumed."""
        played = self.played[-1]
        played.number = opened["game"]
        self._seated = True
        for seat, person in opened["people"].items():
            key = {"evening": self.number, "person": person, "key": opened["enter"][person]}
            screen = next((each for each in played.screens if each.seat == int(seat)), None)
            if screen is None:
                dice = random.Random(self.dice.random())
                device = next((each for each in self._devices.values() if each.person == person), None)
                if device is None:
                    screen = Screen(int(seat), key, dice)
                else:
                    screen = Phone(int(seat), key, dice, device, played.number)
                played.screens.append(screen)
            if screen.key != key:
                raise Broken(f"seat {seat} of game {played.number} has another key than before")
            if screen.client is None:
                self._connect(screen)
        assert self._operator is not None
        self._operator.ask("watch", {"game": played.number, "viewers": [None]})

    def _connect(self, screen: Screen) -> None:
        gone = not self._seated or not self._open  # a game that is over would end with the next one's beginning
        if gone or screen.client is not None or screen not in self.played[-1].screens:
            return
        if isinstance(screen, Phone):
            screen.come_back()
            return
        client = Client(address_of(self.log), __version__, None, self._hear)
        self._clients[client] = screen
        screen.connect(client, self.played[-1].number)

    def _hear(self, method: str, params: Any) -> None:
        if method in ("evening", "told", "taken"):
            self._moved = self.now
            if method == "evening" and params.get("inside"):
                self._code = params["inside"]["code"]
            return
        *before, played = self.played
        if method == "ended" and params["game"] in [each.number for each in before]:
            return  # each connection is told: another one has heard it first
        if params["game"] != played.number:
            raise Broken(f"{method} of game {params['game']} while game {played.number} is played")
        if method == "ended":
            if params["why"] is not None or params["part"]:
                raise Broken(f"game {played.number} has ended: {params}; {self._state()}")
            self._open = False
            return
        for update in params["updates"]:
            self._moved = self.now
            self._note(played, update)
            if update["viewer"] is None:
                self._latest, self._asked = update, update["question"]
                played.seats = played.seats or update["seats"]  # a game may be over before anybody at the table acts
                if update["over"] and not self._stopping and self._operator is not None:
                    self._stopping = True
                    played.over = update["over"]
                    self._operator.ask("stop", {"game": played.number})
            else:
                next(each for each in played.screens if each.seat == update["viewer"]).look(update)

    def _note(self, played: Played, update: Any) -> None:
        """Keep what is shown; nothing that was shown once may be another thing later."""
        ply = update["ply"]
        if not ply:
            return
        where, view = (update["viewer"], ply), json.dumps(update["view"], sort_keys=True)
        if played.shown.setdefault(where, view) != view:
            raise Broken(f"after {ply} moves of game {played.number} viewer {update['viewer']} was shown another view")

    def _typed(self) -> Update | None:
        newest = self._newest()
        return None if newest is None else convert(newest, Update)

    def _newest(self) -> Any:
        self._read()
        return self._latest

    # -- time, and what comes ----------------------------------------------------------------------------------------

    def pass_time(self, seconds: float) -> None:
        """Let table time pass, hand out what comes meanwhile, and do what falls due."""
        self._await_phones()
        self._tester.ask(f"wait {round((self.now + seconds) * 1e6) + 1} - - -")
        while True:
            waited: list[Any] = [self._tester, *self._clients, *self._devices.values()]
            ready = select.select(waited, [], [], _REAL_S)[0]
            if not ready:
                if self._process is not None:
                    self._process.send_signal(signal.SIGUSR1)  # it says where it is
                    time.sleep(1.0)
                raise Broken(f"time stands still: open {self._open}, stopping {self._stopping}; {self._state()}")
            self._read()
            if self._tester in ready:
                break
        self.now = int(self._tester.answer()["now"]) / 1e6
        self.do_due()

    def _await_phones(self) -> None:
        """Let no table time pass before people with phones have replied: what they hear and say takes life's."""
        ends = time.monotonic() + _REPLY_S
        while self._process is not None and self._open and time.monotonic() < ends:
            question = self._asked
            phones = [each for each in self.played[-1].screens if isinstance(each, Phone)] if self.played else []
            if question is None or not any(each.owes(question) for each in phones):
                return
            waited: list[Any] = [*self._clients, *self._devices.values()]
            select.select(waited, [], [], 0.05)
            self._read()
            for each in phones:
                each.reply()  # again, where it was not taken
        if self._process is not None and self._open:
            raise Broken(f"a phone has not heard what it is asked, or its reply is not taken; {self._state()}")

    def _await(self, holds: Callable[[], Any]) -> None:
        """Wait in life's time; what is asked for is set up beside the keeper's loop."""
        ends = _REAL_S * 50
        while not holds():
            if (ends := ends - 1) < 0 or (self._operator is not None and self._operator.refused):
                raise Broken(f"refused: {self._operator and self._operator.refused}; {self._state()}")
            self.pass_time(0.02)

    def _read(self) -> None:
        for client in list(self._clients):
            if client not in self._clients:
                continue
            try:
                client.read()
            except Gone:
                self._lost(client)
                continue
            for method, why in client.refused:
                if client is not self._operator and method in ("reply", "watch", "enter", "source"):
                    self._late = method, why
                    continue  # it was late, or is not at home any more
                self._refused(method, why)
            client.refused.clear()

        for device in self._devices.values():
            for event in device.read():
                for screen in self.played[-1].screens if self.played else ():
                    if isinstance(screen, Phone) and screen.device is device and screen.client is not None:
                        screen.hear(event)
            for method, why in device.refused:
                self._late = method, why
            device.refused.clear()

    def _refused(self, method: str, why: str) -> None:
        over = self._latest is not None and self._latest["over"]
        if method == "resume" and "is over" in why:
            self._open = False
        elif method == "resume" and ("no such port" in why or "plug it in" in why):
            self.later(0.1, self._resume)
        elif method != "pause" and not (method == "stop" and over):
            raise Broken(f"{method} was refused: {why}; {self._state()}")

    def _lost(self, client: Client) -> None:
        screen = self._clients.pop(client)
        client.drop()
        if screen is not None:
            screen.client = None
        if self._process is None:
            return
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            raise Broken(f"the keeper has closed a connection; {self._state()}") from None
        self._fell()

    # -- the keeper --------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._process = self.popen([str(keepers.__file__), str(self.log)], _KEEPER, stdin=subprocess.PIPE)
        if self._process is None:
            return
        self._doomed, self._armed = False, None
        self._operator = Client(address_of(self.log), __version__, read_token(self.log), self._hear)
        self._clients[self._operator] = None
        if self._devices:
            start(self.log)  # the pages wait a few seconds for another keeper, and come back at their port
        if self.number:
            self._operator.ask("follow", {"evening": self.number, "games": False})
        if self._open:
            self._resume()

    def _resume(self) -> None:
        if self._operator is not None:
            table = {"virtual": True, "pace_s": 0}
            self._operator.ask("resume", {"game": self.played[-1].number, "table": table}, self._begun)

    def _fell(self) -> None:
        """The keeper is dead; another is started after a while."""
        process, self._process, self._operator, self._asked = self._process, None, None, None
        assert process is not None
        if process.returncode != -signal.SIGKILL or not (self._doomed or self._armed):
            raise Broken(f"the keeper has ended by itself ({process.returncode}); {self._state()}")
        self._release(process)
        for screen in self.played[-1].screens if self.played else ():
            if isinstance(screen, Phone):
                screen.forget()
        self.told.deeds[KEEPER] += 1
        if self._armed is not None and not self._doomed:
            self.told.points[self._armed] += 1
            if self._armed in self._points:
                self._points.remove(self._armed)
        if self._doomed or self._armed is None or KEEPER in self._deeds:
            self._forget(KEEPER)
        self._stopping = False
        self._due = self.now + self.dice.uniform(0, self.plan.apart_s)
        self.later(self.dice.choice(AWAY_S), self.start)

    def _release(self, process: subprocess.Popen[str]) -> None:
        """Let go of a keeper that has ended, and of all connections to it."""
        process.wait()
        self._seated = False
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        for client, screen in self._clients.items():
            client.drop()
            if screen is not None:
                screen.client = None
        self._clients.clear()

    def _forget(self, deed: str) -> None:
        if deed in self._deeds:
            self._deeds.remove(deed)

    def _quit(self) -> None:
        self._settle()
        process = self._process
        assert self._operator is not None and process is not None and process.stdin is not None
        self._operator.ask("quit", {})
        if process.wait(30) != 0:
            raise Broken(f"the keeper has ended with status {process.returncode}; {self._state()}")
        self._process = None
        self._release(process)
        if said := self.complaints(_KEEPER):
            raise Broken(f"the keeper said: {said}")

    def _state(self) -> str:
        latest = self._latest or {}
        played = self.played[-1] if self.played else None
        where = f"game {played.number} ({played.kind}), {latest.get('ply')} moves" if played else "no game"
        question = {key: value for key, value in (latest.get("question") or {}).items() if key != "mine"}
        public = self._tester.pixels()["public"] if self._process is None else "?"
        screens = [screen.state for screen in played.screens] if played else []
        where = f"{where}, plugged {self.plugged}, screens {screens}, refused last {self._late}"
        return f"{where}, question {question}, pixels {public}; it said: {self.complaints(_KEEPER)}"

    # -- what befalls them -------------------------------------------------------------------------------------------

    def _do_next(self) -> None:
        """Do the next deed that can be done now."""
        if self._process is None or self._doomed:
            return
        if self._points and self._armed is None:
            sources = {seat["source"] for seat in self.played[-1].seats}
            known = {keepers.TABLE: "table" in sources, keepers.SCREEN: "screen" in sources}
            known[keepers.BOT] = bool(sources - {"table", "screen"})
            point = next((each for each in reversed(self._points) if known[each[1]]), None)
            if point is not None:
                self._arm(point, 1)
        for deed in dict.fromkeys(reversed(self._deeds)):
            if self._do(deed):
                if deed not in (KEEPER, BOT, PAUSE):
                    self._forget(deed)
                    self.told.deeds[deed] += 1
                break
        self._due = self.now + self.dice.uniform(0, self.plan.apart_s)

    def _arm(self, point: tuple[str, str], count: int) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._armed = point
        self._process.stdin.write(f"{point[0]} {point[1]} {count}\n")
        self._process.stdin.flush()

    def _do(self, deed: str) -> bool:
        dice = self.dice
        if deed == CABLE:
            if not self.unplug():
                return False
        elif deed == TABLE:
            self.table.say("reset")
        elif deed == KEEPER:
            if self._process is None:
                return False
            self._doomed = True
            process = self._process
            self.kill_soon(process, (0.005, 0.02, 0.2))
            if self._process is process:
                self._fell()
        elif deed == PAUSE:
            if self._operator is None:
                return False
            played = self.played[-1]
            played.pauses_asked += 1
            self._operator.ask("pause", {"game": played.number, "seat": 0}, lambda result: self._paused(played))
        elif deed == PROGRAM:
            assert self._process is not None
            programs = descendants(self._process.pid, str(self._program))
            if not programs:
                return False
            os.kill(dice.choice(programs), signal.SIGKILL)
        else:
            screens = [each for each in self.played[-1].screens if each.client is not None and not each.away]
            if not screens:
                return False
            screen = dice.choice(screens)
            assert screen.client is not None
            if deed == BOT:
                self._source(screen, default_bot(self.played[-1].kind), lambda result: self._left(screen))
                return True
            self._clients.pop(screen.client, None)
            screen.leave(half=dice.random() < 0.5)
            self.later(dice.choice((0.0, 0.3, 2.0, 5.0)), lambda: self._connect(screen))
        return True

    def _source(self, screen: Screen, source: str, take: Callable[[Any], None]) -> None:
        """Have something else decide for a seat; it is refused where that cannot be just now."""
        assert screen.client is not None
        params = {"game": self.played[-1].number, "seat": screen.seat, "source": source}
        screen.client.ask("source", params, take)

    def _paused(self, played: Played) -> None:
        played.pauses += 1
        self._forget(PAUSE)
        self.told.deeds[PAUSE] += 1

    def _left(self, screen: Screen) -> None:
        if not screen.away:
            screen.away = screen.left = True
            self._forget(BOT)
            self.told.deeds[BOT] += 1
            self.later(self.dice.choice((0.3, 2.0, 5.0)), lambda: self._return(screen))

    def _return(self, screen: Screen) -> None:
        """Come back to a seat, as soon as that can be."""
        if not screen.away or not self._open or screen not in self.played[-1].screens:
            return
        if screen.client is not None:
            self._source(screen, "screen", lambda result: self._back(screen))
        self.later(0.5, lambda: self._return(screen))

    def _back(self, screen: Screen) -> None:
        if screen.away:
            screen.away = False
            screen.look_again(self.played[-1].number)
            self.told.returned += 1


def descendants(pid: int, command: str) -> list[int]:
    """Return the processes below one whose command line names a file, the innermost ones."""
    listed = subprocess.run(
        ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    children: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for own, parent, *words in rows:
        children[int(parent)].append((int(own), words[0] if words else ""))
    found, below = [], [pid]
    while below:
        for child, args in children[below.pop()]:
            below.append(child)
            if command in args:
                found.append(child)
    return [each for each in found if not any(command in args for _, args in children[each])]
