"""Hellos: a run of the host introduces itself, and a table says who it is."""

from __future__ import annotations

import os
from typing import NamedTuple

from tablier.printable import printable
from tablier_fw import wire
from tablier_fw.version import __version__

HELLO_S = 0.3
"""The seconds after which a hello is said again."""


class Hello(NamedTuple):
    """A table's description of itself."""

    boot: str
    major: int
    minor: int
    challenge: bytes
    board: str
    abilities: int
    """As bits."""
    cause: int
    """The cause of its last start, one of ``CAUSES`` in :mod:`tablier.table.health`."""
    lost: int | None
    """The number of events of earlier boots that no host has called durable; ``None`` if it cannot know."""
    acked: int
    """The last event of this boot that a host has called durable."""
    version: str

    @property
    def fits(self) -> bool:
        """Return True when this host can play at it."""
        return self.major == wire.MAJOR


def read_hello(boot: bytes, payload: bytes) -> Hello | None:
    """Return a table's hello, of whatever version; ``None`` where a field of it is out of its range."""
    if wire.TABLE_HELLO.fault(payload) >= 0:
        return None
    major, minor, challenge, board, abilities, cause, lost, _, acked, version = wire.TABLE_HELLO.unpack(payload)
    named = printable(version.decode("utf-8", "replace"))
    told = None if lost == wire.LOST_UNKNOWN else lost
    return Hello(boot.hex(), major, minor, challenge, board.hex(), abilities, cause, told, acked, named)


def host_hello(run: bytes, *, challenge: bytes = wire.NO_ID, log: bytes = wire.NO_ID) -> bytes:
    """Return the frame with which a run of the host says hello."""
    version = f"tablier {__version__}".encode()
    payload = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, challenge, log, os.urandom(16), version)
    return wire.frame(wire.HOST_HELLO, wire.NO_ID, run, payload)


class Greeting:
    """Says hello for one run of the host until a table listens to it."""

    def __init__(self, log: bytes) -> None:
        self.run = os.urandom(8)
        self.due = 0.0
        """The time at which the next hello is to be said."""
        self._log = log
        self.challenge = wire.NO_ID
        """The one of the latest hello that was heard."""
        self._again_at = 0.0  # when a hello may be answered at once again

    def say(self, now: float) -> bytes:
        """Return the frame that says hello now."""
        self.due = now + HELLO_S
        return host_hello(self.run, challenge=self.challenge, log=self._log)

    def hear(self, challenge: bytes) -> bool:
        """Keep the challenge of a table's hello for the next one of ours; return True if it is another than before."""
        fresh, self.challenge = challenge != self.challenge, challenge
        return fresh

    def answer(self, now: float) -> bytes | None:
        """Return the frame that answers a new challenge at once; ``None`` so soon after another such answer."""
        if now < self._again_at:
            return None
        self._again_at = now + HELLO_S
        return self.say(now)
