"""A host written from ``firmware/PROTOCOL.md`` and ``firmware/protocol.json`` alone; nothing of Tablier is imported.

It plays at ``tablier table sim --virtual``, whose tester it is, too: verbs on the table's standard input press buttons,
read pixels and let its time pass. Where this host has to guess, the document is mended.
"""

from __future__ import annotations

import json
import os
import subprocess
import tty
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

from tests.wire.clients.interpreter import Codec, Frame, Stream

Json = dict[str, Any]
ZEROS = bytes(8)


class Host:
    """A table, its tester, and a host at its port. Time passes in :meth:`listen` only."""

    def __init__(self, command: list[str], document: Json, log: bytes) -> None:
        self.codec, self.document, self.log = Codec(document), document, log
        self.table = subprocess.Popen([*command, "--virtual"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.table.stdout is not None
        self.port = self.table.stdout.readline().strip()
        self._now = self.say("join")["now"]
        self._file = os.open(self.port, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._file)
        self.say("opened")
        self._written = self._read = 0
        self._stream = Stream(self.codec, document["constants"])
        self.run, self.boot, self.challenge, self.board = os.urandom(8), ZEROS, ZEROS, ""
        self.text = b""
        self.acked = 0
        """The number of the last event that was taken."""
        self.events: list[tuple[str, Json]] = []
        """All that was taken in this boot."""
        self.status: Json = {}
        self.adopted = False
        self.abilities = 0

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        os.close(self._file)
        assert self.table.stdin is not None
        self.table.stdin.close()
        self.table.wait(30)
        assert self.table.stdout is not None
        self.table.stdout.close()

    # -- the tester ------------------------------------------------------------------------------------------------

    def say(self, verb: str) -> Json:
        """Say a tester's verb, and return the answer."""
        assert self.table.stdin is not None and self.table.stdout is not None
        self.table.stdin.write(verb + "\n")
        self.table.stdin.flush()
        answer: Json = json.loads(self.table.stdout.readline())
        assert answer["ok"], (verb, answer)
        return answer

    def press(self, place: int, *buttons: str) -> list[tuple[str, Json]]:
        """Press buttons one after the other; return what the table says meanwhile."""
        said = []
        for button in buttons:
            self.say(f"press {place} {button}")
            said += self.listen(0.2)
        return said

    # -- the line --------------------------------------------------------------------------------------------------

    def write(self, data: bytes) -> None:
        while data:
            count = os.write(self._file, data)
            self._written += count
            data = data[count:]

    def send(self, name: str, values: Json, *, boot: bytes | None = None, run: bytes | None = None) -> None:
        message = self.codec.messages[name]
        ids = self.boot if boot is None else boot, self.run if run is None else run
        self.write(self.codec.frame(message.code, *ids, message.encode(values)))

    def frames(self, seconds: float) -> Iterator[Frame]:
        """Let time pass; yield all frames that come."""
        until = self._now + round(seconds * 1e6)
        while True:
            clock = self.say(f"wait {until} {self._written} {self._read} -")
            self._now = clock["now"]
            while self._read < clock["sent"]:
                data = os.read(self._file, 4096)
                self._read += len(data)
                self.text += data
                yield from self._stream.take(data)
            if self._now >= until:
                return

    def listen(self, seconds: float) -> list[tuple[str, Json]]:
        """Let time pass, with a ping a second; return what this host hears. Events are taken in order, and acknowledged
        at once.
        """
        heard: list[tuple[str, Json]] = []
        while seconds > 1:
            self.send("ping", {"host_time": str(self._now)})
            heard, seconds = [*heard, *self.listen(1)], seconds - 1
        for frame in self.frames(seconds):
            message = self.codec.by_code[frame.code]
            values = message.decode(frame.payload)
            if message.name == "table_hello":
                self.challenge, self.board = bytes.fromhex(values["challenge"]), values["board"]
                if frame.run == self.run:
                    self.boot, self.adopted = frame.boot, True
                heard.append((message.name, values | {"run": frame.run, "boot": frame.boot}))
            elif (frame.boot, frame.run) == (self.boot, self.run):
                if message.kind == "event":
                    if values["number"] != self.acked + 1:
                        continue
                    self.acked += 1
                    self.events.append((message.name, values))
                    self.send("ack", {"number": self.acked})
                elif message.name == "status":
                    self.status = values
                heard.append((message.name, values))
        return heard

    # -- the session -----------------------------------------------------------------------------------------------

    def hello(self, **changes: Any) -> list[tuple[str, Json]]:
        """Say hello once; return what comes in the next 50 ms."""
        version = self.document["version"]
        values = {
            "challenge": self.challenge.hex(),
            "log": self.log.hex(),
            "entropy": os.urandom(16).hex(),
            "version": [],
        }
        run = changes.pop("run", self.run)
        self.send("host_hello", {**version, **values, **changes}, boot=ZEROS, run=run)
        return self.listen(0.05)

    def greet(self) -> Json:
        """Be adopted; return the hello that says so."""
        for _ in range(3):
            for name, values in self.hello():
                if name == "table_hello" and values["run"] == self.run:
                    self.acked, self.abilities = values["acked"], values["abilities"]
                    return values
        raise AssertionError("not adopted")

    def want(self, name: str, **values: Any) -> list[tuple[str, Json]]:
        """Fill a slot, and send it again every 150 ms until the table holds it; return what was heard."""
        message, heard = self.codec.messages[name], []
        revision, slot = message.revision(message.encode(values)), message.slot(values)
        for _ in range(40):
            self.send(name, values)
            for pause in (0.02, 0.13):
                heard += self.listen(pause)
                if self.status and self.held(slot) == revision:
                    return heard
        raise AssertionError((name, values, heard))

    def held(self, slot: int) -> int:
        return int.from_bytes(bytes.fromhex(self.status["held"])[4 * slot : 4 * slot + 4], "little")

    def pixels(self, group: str) -> list[str]:
        """Return the colours of a group of pixels."""
        colours: list[str] = self.say("pixels")[group]
        return colours

    def until(self, name: str, seconds: float = 5.0, found: Callable[[Json], bool] = lambda _: True) -> Json:
        """Listen until a message comes."""
        for _ in range(round(seconds / 0.05)):
            for each, values in self.listen(0.05):
                if each == name and found(values):
                    return values
        raise AssertionError(f"no {name}")
