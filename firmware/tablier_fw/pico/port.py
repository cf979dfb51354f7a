"""The serial port over USB. Nothing here blocks.

Wires: the Pico's own USB socket.

``kbd_intr(-1)`` first of all: otherwise a byte 0x03 on the line would stop the firmware and empty the input. The way
back to the interpreter is the service button (see ``pico/start``).
"""

import io
import os
import select
import sys
from time import ticks_ms

import micropython
from machine import mem32
from micropython import const

from tablier_fw.pico.frames import COUNT, Frames

_READ = const(16)
"""Bytes read at once, and how often at most in one go: more would make a long tick."""
_READS = const(8)
_LINE_MAX = const(512)
_PIECE = const(64)
"""Bytes handed over at once. MicroPython keeps a multiple of it for the USB, which takes whole packets of this size.

Written in nothing but whole pieces, filled up with newlines, the port has room for a piece whenever it has any. Else a
host that has opened the port and does not read would hold up the firmware for a second, until MicroPython gives up.
"""

_WRITE_MAX = const(2 * _PIECE)
"""Bytes taken in one go."""
_SOF_RD = const(0x50110048)
"""The number of the frame that the computer has begun last."""
_FILL = b"\n" * _PIECE
_NOTHING = b"\0"
"""Never on the line: frames are text."""


class _Filler(io.IOBase):
    """A second terminal that always has input.

    MicroPython's standard input blocks until it has all bytes asked for, and cannot tell how many there are; polling
    before each byte is too slow for a tick. This terminal fills up what has not come.
    """

    used = False

    def readinto(self, buffer: bytearray) -> int:
        self.used = True
        buffer[0] = 0
        return 1

    def write(self, buffer: bytes) -> int:
        return len(buffer)

    def ioctl(self, request: int, argument: int) -> int:
        return 0


class Port:
    """The port, and whether anybody is at the other end of the cable.

    The Pico does not sense the voltage of the USB: a cable that is pulled out, and a computer that sleeps, are a
    suspend, and DTR stays set. Then MicroPython says that there is room, and tries for 500 ms to write into a full
    buffer. So nothing is written unless the computer begins frames. When they begin again, what is in the buffer may
    wait for a write that starts it, although there is no room for one: one piece is written without a look.
    """

    def __init__(self) -> None:
        micropython.kbd_intr(-1)
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(self._in, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._out, select.POLLOUT)
        self._filler = _Filler()
        self._lines: list = []
        self._rest = b""
        self._data = bytearray(_READ * _READS)
        self._view = memoryview(self._data)
        self._views = [self._view[start : start + _READ] for start in range(0, len(self._data), _READ)]
        self._frames = Frames(ticks_ms())  # type: ignore[arg-type]

    def arrived(self, ms: int) -> bool:
        """Sleep at most ``ms``; return True if there is something to read. Do not allocate."""
        if self._lines:
            return True
        for _ in self._readable.ipoll(ms):
            return True
        return False

    def read(self) -> bytes:
        """Return a line that has come in, or what looks like one. Call only after :meth:`arrived` returned True.

        A line is returned one call after its end was read from the USB: both take long, and a tick has time for one.
        """
        if self._lines:
            return self._lines.pop(0)
        self._take()
        return b""

    def _take(self) -> None:
        filler, count = self._filler, 0
        filler.used = False
        os.dupterm(filler)
        for view in self._views:
            self._in.readinto(view)  # type: ignore[union-attr]
            count += _READ
            if filler.used:
                break
        os.dupterm(None)
        if filler.used:
            self._cut(bytes(self._view[:count]).replace(_NOTHING, b""))
        else:
            self._cut(bytes(self._view[:count]))

    def _cut(self, data: bytes) -> None:
        """Split the input into lines. A line that is too long comes in pieces."""
        data = self._rest + data
        start = 0
        while True:
            end = data.find(b"\n", start) + 1
            if not end:
                break
            if end - start > 1:
                self._lines.append(data[start:end])
            start = end
        rest = data[start:]
        if len(rest) > _LINE_MAX:
            self._lines.append(rest)
            rest = b""
        self._rest = rest

    def write(self, data: "bytes | memoryview") -> int:
        """Write as much as there is room for; return the number of bytes. Do not wait for a host that does not read."""
        if not self._frames.come(mem32[_SOF_RD] & COUNT - 1, ticks_ms()):  # type: ignore[arg-type]
            return 0
        done = 0
        while done < _WRITE_MAX:
            piece = data[done : done + _PIECE]
            count = len(piece)
            if not count:
                break
            if self._frames.stood:  # without a look, once: a host that comes back and does not read costs 500 ms
                self._frames.stood = False
            else:
                for _ in self._writable.ipoll(0):
                    break
                else:
                    break
            if count < _PIECE:
                piece = bytes(piece) + _FILL[count:]
            if self._out.write(piece) != _PIECE:
                break  # this cannot be; if it was, the frame is broken, and what matters is sent again
            done += count
        return done
