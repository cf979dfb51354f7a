"""A client of the control socket of a simulated or emulated table.

It says a tester's verbs, which are listed in :mod:`tablier.simulation.verbs`; virtual time and simulated people need
them.
"""

from __future__ import annotations

import json
import math
import socket
from pathlib import Path
from typing import Any, Protocol

from tablier import waiting
from tablier.texts import Failure, text_from


class TesterError(Failure):
    """The simulated table refused a verb, or is :class:`Gone`."""


class Gone(TesterError):
    """The simulated table has ended."""


class Line(Protocol):
    """What a tester needs of a socket; a jig's serial port has it, too."""

    def fileno(self) -> int: ...

    def sendall(self, data: bytes, /) -> None: ...

    def recv(self, size: int, flags: int, /) -> bytes: ...

    def close(self) -> None: ...


class Tester:
    """A connection to a simulated table's control socket."""

    def __init__(self, control: Path | Line) -> None:
        """``control``: where the socket is, or a connection to it."""
        self._socket: Line = _connected(control) if isinstance(control, Path) else control
        self._buffer = b""
        self._verb = ""

    def say(self, verb: str) -> dict[str, Any]:
        """Say a verb and return the answer. Raise :class:`TesterError` if it is refused or unanswered."""
        self.ask(verb)
        return self.answer()

    def ask(self, verb: str) -> None:
        """Say a verb without waiting for its :meth:`answer`."""
        self._verb = verb
        try:
            self._socket.sendall(verb.encode() + b"\n")
        except OSError as error:
            raise Gone("the simulated table is gone ({strerror})", strerror=error.strerror) from None

    def fileno(self) -> int:
        """Return the descriptor that is readable when there is an answer."""
        return self._socket.fileno()

    def answer(self) -> dict[str, Any]:
        """Wait for the answer to the oldest unanswered verb."""
        while (body := self.answered()) is None:
            waiting.wait([self._socket], (), math.inf)
        return body

    def answered(self) -> dict[str, Any] | None:
        """Return the answer to the oldest unanswered verb; ``None`` while it has not come."""
        while b"\n" not in self._buffer:
            try:
                data = self._socket.recv(65536, socket.MSG_DONTWAIT)
            except BlockingIOError:
                return None
            except OSError:
                data = b""
            if not data:
                raise Gone("the simulated table is gone")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        body: dict[str, Any] = json.loads(line)
        if "error" in body:
            raise TesterError("{verb}: {error}", verb=self._verb, error=text_from(body.get("text", body["error"])))
        return body

    def close(self) -> None:
        self._socket.close()

    # The verbs, for Python.

    def join(self) -> bool:
        """Take part in virtual time; return whether the table's time is virtual."""
        return bool(self.say("join")["virtual"])

    def time(self) -> float:
        """Return the table's time in seconds."""
        return int(self.say("time")["now"]) / 1e6

    def wait(self, seconds: float, pictures: int | None = None) -> dict[str, Any]:
        """Let table time pass; return early if the picture is no longer the given one."""
        until = int(self.say("time")["now"] + seconds * 1e6)
        return self.say(f"wait {until} - - {'-' if pictures is None else pictures}")

    def press(self, place: int, button: str, ms: int | None = None) -> None:
        self.say(f"press {place} {button}" + (f" {ms}" if ms is not None else ""))

    def land(self, how: str, tag: str = "") -> None:
        self.say(f"land {how} {tag}".rstrip())

    def pixels(self) -> dict[str, Any]:
        """Return all pixels by group (``ring``, ``public``, ``hood1``…) as ``rrggbb``, and the picture's number."""
        return self.say("pixels")


def _connected(control: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(control))
    except OSError as error:
        connection.close()
        raise TesterError(
            "{control}: no simulated table answers there ({strerror})", control=control, strerror=error.strerror
        ) from None
    return connection
