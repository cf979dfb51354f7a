"""Both ends of the wire without the other's code: a host that says what a test says, and a table that does."""

from __future__ import annotations

import os
import pty
import select
import tty
from collections.abc import Callable
from typing import Any

from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.incoming import Incoming
from tablier.texts import Json
from tablier_fw import wire, words

RUN = b"a run of"

Frame = tuple[float, str, bytes, Json]
"""When it came, its message, its run, its values."""

WHOLE = wire.ALL_PLACES, wire.GROUPS[wire.RING], 1, 0
"""Of a whole table: the last fields of a status."""


class RawHost:
    """Writes whatever it is told to a simulated table's port, in virtual time, and keeps what comes back."""

    def __init__(self, table: SimulatedTable, run: bytes = RUN) -> None:
        self._tester = Tester(table.control)
        self._tester.join()
        self.clock = VirtualClock(self._tester)
        port = table.port
        assert port is not None
        self._file = os.open(port, os.O_RDWR | os.O_NOCTTY)
        self.clock.opened()
        self.run = run
        self.boot = wire.NO_ID
        self.challenge = wire.NO_ID
        self.raw = b""
        self.frames: list[Frame] = []
        """All that came."""
        self._splitter = wire.Splitter()

    def close(self) -> None:
        os.close(self._file)
        self._tester.close()

    def pause(self, seconds: float) -> None:
        """Let time pass without a port."""
        end = self.clock.now() + seconds
        while self.clock.now() < end - 1e-6:
            self.clock.wait(end - self.clock.now(), None)

    def reopen(self, port: str) -> None:
        """Go on at another port."""
        os.close(self._file)
        self._file = os.open(port, os.O_RDWR | os.O_NOCTTY)
        self.clock.opened()
        self._splitter = wire.Splitter()

    def write(self, data: bytes) -> None:
        while data:
            count = os.write(self._file, data[:1024])
            self.clock.wrote(count)
            data = data[count:]

    def send(self, message: wire.Message, *values: object, boot: bytes | None = None, run: bytes | None = None) -> None:
        ids = self.boot if boot is None else boot, self.run if run is None else run
        self.write(wire.frame(message, *ids, message.encode(*values)))

    def hello(self, major: int = wire.MAJOR, *, log: bytes = wire.NO_ID, challenge: bytes | None = None) -> None:
        """Say hello with the latest challenge that was heard, or another one. Who has heard none asks for it first."""
        if challenge is None and self.challenge == wire.NO_ID:
            self.hello(major, log=log, challenge=wire.NO_ID)
            self.listen(0.02)
        challenge = self.challenge if challenge is None else challenge
        self.send(wire.HOST_HELLO, major, wire.MINOR, challenge, log, bytes(16), b"test", boot=wire.NO_ID)

    def listen(self, seconds: float = 0.3, *, read: bool = True) -> list[Frame]:
        """Let time pass and return the frames that came; a boot id that a hello tells is taken over."""
        start, end = len(self.frames), self.clock.now() + seconds
        while self.clock.now() < end - 1e-6:
            if not read:
                self.clock.wait(end - self.clock.now(), None)
                continue
            self.clock.wait(end - self.clock.now(), self._file)
            while select.select([self._file], [], [], 0)[0]:
                data = os.read(self._file, 4096)
                self.clock.did_read(len(data))
                self._take(data)
        return self.frames[start:]

    def _take(self, data: bytes) -> None:
        self.raw += data
        lines: list[bytes] = []
        self._splitter.feed(data, lines)
        for line in lines:
            message, boot, run, payload = wire.unframe(line)
            values = dict(zip(message.names, message.decode(payload), strict=True))
            if message is wire.TABLE_HELLO:
                self.boot, self.challenge = boot, values["challenge"]
            self.frames.append((self.clock.now(), message.name, run, values))

    def refusals(self, seconds: float = 0.1) -> list[tuple[str, str, str]]:
        """Return the refusals that come within a time, as (message, field, reason)."""
        told = []
        for _, name, _, values in self.listen(seconds):
            if name == "refused":
                message = wire.BY_CODE.get(values["code"])
                field = message.names[values["field"]] if message and values["field"] != wire.NO_FIELD else ""
                told.append((message.name if message else "", field, words.REASONS[values["reason"]][0]))
        return told

    def status(self) -> Json:
        """A fresh status."""
        return [values for _, name, _, values in self.listen(0.3) if name == "status"][-1]


class JumpClock(Clock):
    """A clock that jumps over every wait in which nothing comes; whoever answers is called first."""

    def __init__(self) -> None:
        self.time = 1000.0
        self.act: Callable[[], None] = lambda: None

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float, file: int | None) -> None:
        self.act()
        if file is None or not select.select([file], [], [], 0)[0]:
            self.time += max(seconds, 1e-6)


class FakeTable:
    """The other end of a pseudo-terminal. A test says what it answers: ``on(message name, function of the frame)``."""

    boot, board = b"\x11" * 8, b"\x22" * 8

    def __init__(self) -> None:
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.slave = slave
        self.port = os.ttyname(slave)
        self.clock = JumpClock()
        self.clock.act = self.act
        self.heard: list[tuple[str, bytes, tuple[Any, ...]]] = []
        self._answers: dict[str, Callable[..., object]] = {}
        self._splitter = wire.Splitter()

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)

    def on(self, name: str, answer: Callable[..., object]) -> None:
        self._answers[name] = answer

    def act(self) -> None:
        lines: list[bytes] = []
        try:
            self._splitter.feed(os.read(self.master, 65536), lines)
        except BlockingIOError:
            return
        for line in lines:
            message, boot, self.run, payload = wire.unframe(line)
            self.heard.append((message.name, boot, message.decode(payload)))
            answer = self._answers.get(message.name)
            if answer is not None:
                answer(*message.decode(payload))

    def write(self, data: bytes) -> None:
        os.write(self.master, data)

    def send(self, message: wire.Message, *values: object, boot: bytes | None = None, run: bytes | None = None) -> None:
        self.write(wire.frame(message, boot or self.boot, self.run if run is None else run, message.pack(*values)))

    def hello(
        self,
        major: int = wire.MAJOR,
        minor: int = wire.MINOR,
        version: bytes = b"9.9.9",
        *,
        lost: int = 0,
        last: int = 0,
        acked: int = 0,
        abilities: int = (1 << len(words.ABILITIES)) - 1,
        **ids: bytes,
    ) -> None:
        values = (
            major,
            minor,
            bytes(byte ^ 0xFF for byte in self.boot),
            self.board,
            abilities,
            1,
            lost,
            last,
            acked,
            version,
        )
        self.write(
            wire.frame(
                wire.TABLE_HELLO, ids.get("boot", self.boot), ids.get("run", self.run), wire.TABLE_HELLO.pack(*values)
            )
        )

    def status(self, time: int = 0, held: bytes = bytes(64)) -> None:
        self.send(wire.STATUS, time, held, *[0] * 19, *WHOLE)


Greeted = tuple[FakeTable, Client]
"""A table that a client has greeted."""


class JournalTable(FakeTable):
    """Keeps its events and sends them again at each ping: the host takes what it has not taken before."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.journal: list[tuple[Any, ...]] = []
        self.on("host_hello", lambda *_: self.hello())
        self.on("ping", self.pong)

    def event(self, message: wire.Message, *values: Any) -> None:
        self.number += 1
        self.journal.append((message, self.number, 10**6, *values))
        self.send(*self.journal[-1])

    def pong(self, asked: int) -> None:
        self.send(wire.PONG, asked, 10**9)
        for event in self.journal:
            self.send(*event)


def drain(client: Client, rounds: int = 4) -> list[Incoming]:
    """A few rounds, and what came in."""
    incoming: list[Incoming] = []
    for _ in range(rounds):
        incoming += client.poll(0.01)
    return incoming
