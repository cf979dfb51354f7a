"""The firmware's own modules in this program: a board with a world's time, and the line to it.

The line is a pair of sockets. A pseudo-terminal would pass bytes on when the kernel finds time for it, and the same
choices would tell other stories.
"""

from __future__ import annotations

import random
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from tablier.table.clock import Clock
from tablier.table.open_port import OpenPort
from tablier_fw import wire

_WRAP = 1 << 30


def _ticks_diff(a: int, b: int) -> int:
    return (a - b + _WRAP // 2) % _WRAP - _WRAP // 2


def firmware() -> Any:
    """Return the module of the table, with what only MicroPython has put in the place where it looks for that."""
    vars(time).setdefault("ticks_diff", _ticks_diff)
    vars(time).setdefault("ticks_add", lambda a, b: (a + b) % _WRAP)
    sys.modules.setdefault("micropython", SimpleNamespace(const=lambda value: value))  # type: ignore[arg-type]
    return import_module("tablier_fw.table")


class _End:
    """The host's end of the line."""

    def __init__(self, line: socket.socket) -> None:
        self.fileno, self.write, self.close = line.fileno, line.sendall, line.close


class Port(OpenPort):
    """A port to a board of a world."""

    def __init__(self, board: Board, clock: Clock) -> None:
        self._serial = _End(board.plug_in())  # type: ignore[assignment]
        self._clock = clock
        self._splitter = wire.Splitter()
        clock.opened()


class Board:
    """A board; see ``tablier_fw/board.pyi``. Its buttons are pressed by setting bits of :attr:`buttons`."""

    id = b"\x22" * 8
    system = "a world"
    abilities = 0
    budget = 16
    within = staticmethod(wire.within)

    def __init__(self, now: Callable[[], float], dice: random.Random) -> None:
        firmware()
        scene: Any = import_module("tablier_fw.scene")
        self.equipment = import_module("tablier_fw.equipment").Equipment()
        self.paint, self.tint = scene.paint, scene.tint
        self.equipment = import_module("tablier_fw.equipment").Equipment()
        self.cause, self.lost = 1, wire.LOST_UNKNOWN
        self._line: socket.socket | None = None
        self.touched = True
        self.buttons = 0
        self.edge_us = self.edge_ms = self.edge_line = self.edge_level = 0
        self._now = now
        self._dice = dice
        self._heard = b""
        self._sampled = -1

    def plug_in(self) -> socket.socket:
        """Return the host's end of the line."""
        self.unplug()
        host, self._line = socket.socketpair()
        self._line.setblocking(False)
        return host

    def unplug(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line, self._heard = None, b""

    def now_us(self) -> int:
        return round(self._now() * 1e6)

    def ticks_us(self) -> int:
        return self.now_us() % _WRAP

    def now_ms(self) -> int:
        return self.now_us() // 1000 % _WRAP

    def wait(self, ms: int) -> None:
        """Take what has come; a world passes its time itself."""
        with suppress(OSError):  # nothing has come, or nobody is there
            if self._line is not None:
                self._heard += self._line.recv(1 << 16)

    @property
    def heard(self) -> bool:
        return bool(self._heard)

    def read(self) -> bytes:
        said, self._heard = self._heard, b""
        return said

    def write(self, data: bytes | memoryview) -> int:
        with suppress(OSError):  # nobody is at the other end
            return self._line.send(data) if self._line is not None else 0
        return 0

    def next_sample(self) -> bool:
        before, self._sampled = self._sampled, self.now_ms()
        return before != self._sampled

    def debouncer(self) -> Any:
        return import_module("tablier_fw.buttons").Buttons(self.buttons)

    def next_edge(self) -> bool:
        return False

    def faults(self) -> int:
        return 0

    def service_pressed(self) -> bool:
        return False

    def long_us(self, edge_us: int) -> int:
        return edge_us

    def show(self, frame: bytearray) -> None:
        pass

    def tone(self, hertz: int, volume: int) -> None:
        pass

    def entropy(self, count: int) -> bytes:
        return self._dice.randbytes(count)

    def stir(self, seed: bytes) -> None:
        pass

    def must_collect(self, busy: bool, calm: int) -> bool:
        return False

    def heap(self) -> tuple[int, int]:
        return 0, 1 << 16

    def remember(self, count: int) -> None:
        self.lost = count

    def load_result(self) -> bytes:
        return b""

    def save_result(self, data: bytes) -> bool:
        return False
