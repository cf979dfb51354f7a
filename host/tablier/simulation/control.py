"""The control socket of a simulated table and its connections: lines of text in, lines of JSON out."""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tablier.simulation.events import Events
from tablier.simulation.timeline import Timeline
from tablier.texts import Text, TextError

Answer = dict[str, Any]


def refused(why: Text) -> Answer:
    """Return the answer to a verb that is refused: in words, and as a text for who reads another language."""
    return {"ok": False, "error": str(why), "text": why.to_json()}


class VerbError(TextError):
    """A refused verb; the text says why."""


class Stream(Protocol):
    """The part of a socket that a connection needs."""

    def fileno(self) -> int: ...

    def recv(self, size: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class Wait:
    """A wait for the first of several conditions; ``None`` is not one."""

    until: int | None
    """The time, in µs."""
    written: int | None
    """Keep waiting until that many bytes have come from the host."""
    read: int | None
    """More bytes than these are sent to the host."""
    pictures: int | None
    """The count of pictures is another."""


@dataclass(frozen=True)
class Watch:
    """A wait for a pixel to have a colour."""

    start: int
    """The pixel's first byte in the picture."""
    colour: bytes
    until: int
    """The time, in µs, at which it is given up."""


@dataclass(frozen=True)
class Feel:
    """A wait for the board to feel what was done to a button."""

    is_felt: Callable[[], bool]
    until: int
    """The time, in µs, at which it is given up."""


AnyWait = Wait | Watch | Feel


class Connection:
    """A tester, or a host in virtual time."""

    def __init__(self, stream: Stream, *, scripted: bool = False) -> None:
        """``scripted``: obey all it has said even after it has hung up."""
        self.stream = stream
        self.scripted = scripted
        self.buffer = b""
        self.ended = False
        self.joined = False
        self.waiting: AnyWait | None = None

    def answer(self, body: Answer) -> None:
        try:
            self.stream.sendall(json.dumps(body).encode() + b"\n")
        except OSError:
            pass  # it is gone; the next read says so


class Obedient(Protocol):
    """The interface of what obeys verbs."""

    def obey(self, connection: Connection, words: list[str]) -> Answer | None:
        """Return the answer, or ``None`` if it comes later. Raise :class:`VerbError`."""

    def clock(self) -> Answer:
        """Return the state that waits depend on."""


class Control:
    """All connections, and the socket that accepts them."""

    def __init__(self, path: Path, events: Events, timeline: Timeline, verbs: Obedient) -> None:
        self._path = path
        self._events = events
        self._timeline = timeline
        self._verbs = verbs
        self._connections: list[Connection] = []
        self._listener = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.setblocking(False)
        events.watch(self._listener, lambda: self._welcome(Connection(self._listener.accept()[0])))

    @property
    def waiting(self) -> list[Connection]:
        """Return the connections that wait, in order of arrival."""
        return [connection for connection in self._connections if connection.waiting is not None]

    @property
    def waits(self) -> list[AnyWait]:
        """Return what connections wait for, in order of arrival."""
        return [connection.waiting for connection in self._connections if connection.waiting is not None]

    @property
    def works(self) -> bool:
        """True if a participant of virtual time does not wait."""
        return any(connection.joined and connection.waiting is None for connection in self._connections)

    def take_stdin(self) -> None:
        """Take verbs on standard input too, answer them on standard output, and end the table when the input ends.

        A device that is not a terminal, such as ``/dev/null``, is ignored.
        """
        if stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode) and not sys.stdin.isatty():
            return
        self._welcome(Connection(_StandardStreams(), scripted=True))

    def answer(self, connection: Connection, body: Answer) -> None:
        """End a connection's wait with this answer, then obey its further verbs."""
        connection.waiting = None
        connection.answer(body)
        self._obey_next(connection)

    def close(self) -> None:
        for connection in self._connections:
            connection.stream.close()
        self._listener.close()
        self._path.unlink(missing_ok=True)

    def _welcome(self, connection: Connection) -> None:
        self._connections.append(connection)
        try:
            self._events.watch(connection.stream, lambda: self._hear(connection))
        except PermissionError:  # standard input is a file: it is there already, and no selector takes it
            while data := connection.stream.recv(65536):
                connection.buffer += data
            connection.ended = True
            self._timeline.at(0, lambda: self._obey_next(connection))

    def _hear(self, connection: Connection) -> None:
        try:
            data = connection.stream.recv(65536)
        except OSError:
            data = b""
        connection.buffer += data
        if not data:
            connection.ended = True
            self._events.forget(connection.stream)
        self._obey_next(connection)

    def _obey_next(self, connection: Connection) -> None:
        """Obey a connection's verbs up to its next wait. If it has hung up, drop it afterwards."""
        while b"\n" in connection.buffer:
            if connection.waiting is not None:
                if not isinstance(connection.waiting, Wait) or not connection.buffer.startswith(b"wake\n"):
                    break
                connection.waiting = None
                connection.answer(self._verbs.clock())
            line, _, connection.buffer = connection.buffer.partition(b"\n")
            words = line.decode("utf-8", "replace").split()
            if words:
                self._obey(connection, words)
        if connection.ended and not (connection.scripted and connection.waiting is not None):
            self._connections.remove(connection)
            connection.stream.close()
            if connection.scripted:
                self._verbs.obey(connection, ["quit"])

    def _obey(self, connection: Connection, words: list[str]) -> None:
        body: Answer | None
        try:
            body = self._verbs.obey(connection, words)
        except VerbError as error:
            body = refused(error.text)
        if body is not None:
            connection.answer(body)


class _StandardStreams:
    """Standard input and output in the place of a tester's socket."""

    @staticmethod
    def fileno() -> int:
        return sys.stdin.fileno()

    @staticmethod
    def recv(size: int, /) -> bytes:
        return os.read(sys.stdin.fileno(), size)

    @staticmethod
    def sendall(data: bytes, /) -> None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()

    @staticmethod
    def close() -> None:
        """Do nothing: standard streams stay open."""
