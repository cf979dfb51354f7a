"""A world in one thread and on one clock: a keeper, its log, a table that runs the firmware's modules, a phone, a hand.

Nobody waits in it (``tablier.waiting``). What comes next is one step of one of them, which a test chooses; time passes
when that is chosen, or when nobody else has anything to do. The keeper can be killed between any two steps: another one
takes up what was durable then.
"""

from __future__ import annotations

import json
import os
import random
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec import convert
from table_of_world import Board, Port, firmware

import replies
from tablier import waiting
from tablier.bots.fingerprint import fingerprint
from tablier.course.binding import Binder
from tablier.games import GAMES, GROUP, Game
from tablier.keeper import protocol
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.server import Server
from tablier.log.store import Log
from tablier.messages import Bind
from tablier.table import client
from tablier.texts import Json
from tablier.waiting import Act, File
from tablier_fw import wire

sys.path.append(str(Path(__file__).parents[1] / "seventh"))

STEP_S = 0.01
"""How much time passes in a step."""
PLACE, PHONE = 1, 2
"""The seats of the two: one at a place of the table, one at a phone."""
SEATS = [
    {"name": "Anne", "source": "table", "place": 1},
    {"name": "Bernard", "source": "screen", "place": 4},
]
GUESSES = {PLACE: "low", PHONE: "high"}
KEEPER, BESIDE, TABLE, HAND, SCREEN, TIME = "keeper", "beside", "table", "hand", "phone", "time"
Choose = Callable[[Sequence[str]], str]
"""Returns one of the steps that can be next."""


class _Done:
    """Something beside a loop, done when that is chosen."""

    def __init__(self, act: Act) -> None:
        self.act: Act | None = act

    def run(self) -> None:
        """Do it now."""
        act, self.act = self.act, None
        if act is not None:
            act()

    def join(self, timeout: float | None = None) -> None:
        self.run()

    def is_alive(self) -> bool:
        return self.act is not None


class Phone:
    """Bernard's phone, which is the operator's, too: it begins the game, or resumes it, sits and guesses."""

    def __init__(self, log: Path, port: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(address_of(log)))
        self._socket.setblocking(False)
        self._buffer = b""
        self._port = port
        self._binder = Binder()
        self._answered: tuple[int, bool] | None = None
        self.sent = 0
        self._call("hello", protocol.hello(read_token(log)))

    def close(self) -> None:
        self._socket.close()

    def _call(self, method: str, params: Json) -> None:
        self.sent += 1
        self._socket.sendall(protocol.line_of(protocol.request(self.sent, method, params)))
        self._asked = method

    @property
    def hears(self) -> bool:
        return bool(waiting.wait([self._socket]))

    def step(self) -> list[str]:
        """Take what has come; return what it says of the game."""
        self._buffer += self._socket.recv(1 << 16)
        *lines, self._buffer = self._buffer.split(b"\n")
        told: list[str] = []
        for message in map(json.loads, lines):
            if message.get("method") == "updates":
                told += self._look(message["params"]["updates"][0])
            elif "result" in message:
                self._go_on(message["result"])
            elif "error" in message:
                told.append(f"refused: {message['error']['message']}")
        return told

    def _go_on(self, result: Json) -> None:
        if self._asked == "hello":
            self._call("list", {})
        elif self._asked == "list" and result["unfinished"]:
            self._call("resume", {"game": 1, "table": {"port": self._port}})
        elif self._asked == "list":
            table = {"port": self._port}
            self._call("play", {"game": "hunch", "seats": SEATS, "options": {"rounds": 1}, "table": table})
        elif self._asked in ("play", "resume"):
            person = result["people"][str(PHONE)]
            self._call("enter", {"evening": 1, "person": person, "key": result["enter"][person]})
        elif self._asked == "enter":
            self._call("watch", {"game": 1, "viewers": [PHONE]})

    def _look(self, update: Json) -> list[str]:
        question = update["question"]
        if question is not None and "mine" in question:
            head = {"id": question["id"], "seat": PHONE}
            opens = PHONE in question.get("to_open", ())
            if self._answered != (question["id"], opens) and (opens or question["mine"]["waits"]):
                self._answered = question["id"], opens
                if opens:
                    self._reply(self._binder.open(question["id"], PHONE))
                elif question["kind"] == "choice":
                    option = question["options"].index(f"guess {GUESSES[PHONE]}")
                    bind = convert(question["mine"]["bind"], Bind)
                    self._reply(self._binder.lock(bind, question["id"], PHONE, option))
                elif question["kind"] == "poll":
                    self._reply(replies.answer(True, **head))
        return [each["text"]["text"] for each in update["news"]]

    def _reply(self, reply: Json | None) -> None:
        if reply is not None:
            self._call("reply", {"game": 1, "reply": reply})


class World(waiting.World):
    """The world, and the story of what has happened in it."""

    def __init__(self, folder: Path, choose: Choose) -> None:
        self.time = 100.0
        self.story: list[str] = []
        self._choose = choose
        self._beside: list[_Done] = []
        self._folder = folder
        self._port = folder / "port"
        self._dice = random.Random(7)
        self._kills = 0
        self._turns = False  # in a turn of the keeper's loop, which is not to wait
        self._released_at = 0.0
        self._table: Any = None
        self.board: Board
        self._phone: Phone | None = None
        self._steps: dict[str, Callable[[], list[str] | None]] = {
            KEEPER: self._turn,
            BESIDE: self._do_beside,
            TABLE: self._move_table,
            HAND: self._press,
            SCREEN: self._look_at_phone,
            TIME: self._pass_time,
        }

    # -- what is behind the door ---------------------------------------------------------------------------------------

    def now(self) -> float:
        return self.time

    def date(self) -> float:
        return 1_800_000_000 + self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds

    def wait(self, reading: Collection[File], writing: Collection[File], seconds: float) -> set[File]:
        """Return what is ready. Who waits beside the keeper's loop has the table go on meanwhile."""
        ready, until = super().wait(reading, writing, 0.0), self.time + seconds
        while not (ready or self._turns) and self.time < until:
            self._move_table()
            self.time += STEP_S
            ready = super().wait(reading, writing, 0.0)
        return ready

    def beside(self, act: Act, name: str) -> _Done:
        done = _Done(act)
        self._beside.append(done)
        return done

    # -- its steps -----------------------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Return True when the game has ended, and that is durable."""
        return any(info.ended is not None for info in self.log.games())

    def step(self) -> None:
        """Have somebody do something."""
        can = [KEEPER, TABLE, TIME]
        if self._beside:
            can.append(BESIDE)
        if self._phone is None or self._phone.hears:
            can.append(SCREEN)
        if self._can_press():
            can.append(HAND)
        step = self._choose(can)
        told = self._steps[step]()
        self.story.append(f"{step}: {' | '.join(told)}" if told else step)

    def _turn(self) -> None:
        self._turns = True
        try:
            self.server.turn()
        finally:
            self._turns = False

    def _do_beside(self) -> None:
        self._beside.pop(0).run()

    def _pass_time(self) -> None:
        self.time += STEP_S

    def _look_at_phone(self) -> list[str]:
        if self._phone is None:
            self._phone = Phone(self.log_path, str(self._port))
            return []
        return self._phone.step()

    def _move_table(self) -> None:
        self.board.wait(self._table.pause())
        self._table.tick()

    def _can_press(self) -> bool:
        if self.time < self._released_at:
            return False
        return bool(self.board.buttons) or self._button() is not None

    def _button(self) -> int | None:
        """Return what Anne presses next: in a choice her guess, as her hood shows where it is, then the lock."""
        question = self._table.asked.question
        if not question.waits(PLACE) or not hasattr(question, "_meaning"):
            return wire.B if question.waits(PLACE) else None
        if question._selected[PLACE] is None:
            option = ("low", "high").index(GUESSES[PLACE])
            return next(int(button) for button, meant in question._meaning[PLACE].items() if meant == option)
        return int(wire.PLUS)

    def _press(self) -> None:
        button = self._button()
        if self.board.buttons or button is None:
            self.board.buttons = 0
        else:
            self.board.buttons = 1 << ((PLACE - 1) * 4 + button)
        self._released_at = self.time + 4 * STEP_S  # a contact is held, or open, for a moment

    # -- how it begins, and what befalls it ----------------------------------------------------------------------------

    def begin(self) -> None:
        self.board = Board(self.now, random.Random(3))
        self._port.touch()
        self._table = firmware().Table(self.board)
        self._start(self._folder / "0")

    def _start(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.log_path = folder / "log.db"
        self.log = Log.open(self.log_path)
        self.server = Server(self.log, stays=True)

    def kill_keeper(self) -> None:
        """End the keeper as if by SIGKILL: nothing of it is left but what was durable, and another one is started."""
        self._kills += 1
        before, folder = self.log_path.parent, self._folder / str(self._kills)
        folder.mkdir()
        for file in before.iterdir():
            if not file.name.endswith(("-lock", "-shm")):
                shutil.copy(file, folder / file.name)
        self._let_go()
        self.story.append("killed")
        self._start(folder)

    def _let_go(self) -> None:
        """Close what the system would close at the end of the process; what was to come of it does not."""
        for peer in self.server._peers:
            peer.hang_up()
        self.server._listener.close()
        for open in self.server._games.all():
            port = open.desk._client and open.desk._client._open_port
            if port is not None:
                port.close()
        self._beside.clear()
        if self._phone is not None:
            self._phone.close()
            self._phone = None
        self.log.close()

    def cut_power(self) -> None:
        """Have the table start anew: nothing of what it knew is left."""
        self.board.buttons = 0
        self._table = firmware().Table(self.board)
        self.story.append("power cut")

    def close(self) -> None:
        self._let_go()
        self.board.unplug()


@contextmanager
def world(folder: Path, choose: Choose) -> Iterator[World]:
    """Enter a world in which the same choices lead to the same story, and begin."""
    dice = random.Random(5)
    assert len(GAMES) and fingerprint(), "both are kept from here on: other tests know no game of this world"
    hunch = Game("hunch", [EntryPoint("hunch", "tablier_hunch.rules:Hunch", GROUP)])
    with ExitStack() as stack:
        stack.enter_context(patch.object(os, "urandom", dice.randbytes))
        stack.enter_context(patch.object(secrets, "token_hex", lambda count: dice.randbytes(count).hex()))
        stack.enter_context(patch.object(secrets, "randbelow", dice.randrange))
        stack.enter_context(patch.dict(vars(GAMES)["_games"], {"hunch": hunch}))
        import_module("tablier_hunch.rules")
        made = World(folder, choose)
        stack.enter_context(waiting.enter(made))
        stack.enter_context(patch.object(client, "OpenPort", lambda _, clock: Port(made.board, clock)))
        made.begin()
        stack.callback(made.close)
        yield made
