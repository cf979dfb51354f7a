"""The serial port over USB. Nothing here blocks, as long as whoever opened the port reads it.

Wires: the Pico's own USB socket.

``kbd_intr(-1)`` first of all: otherwise a byte 0x03 on the line would stop the firmware and empty the input. The way
back to the interpreter is the service button (see ``main_rp2``).
"""

import select
import sys

import micropython

_RX_MAX = 128
"""Bytes taken in one go: more would make a long tick."""
_PIECE = 64
"""Bytes handed over at once: one packet. There is room for at least one byte when the port says so; whoever reads
makes room for the rest within the millisecond, and for whoever does not, nothing is written."""


class Port:
    def __init__(self) -> None:
        micropython.kbd_intr(-1)
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._readable = select.poll()
        self._readable.register(self._in, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._out, select.POLLOUT)
        self._one = bytearray(1)
        self._data = bytearray(_RX_MAX)

    def wait(self, ms: int) -> bool:
        """Sleeps at most so long, and returns whether something has come in. Does not allocate."""
        for _ in self._readable.ipoll(ms):
            return True
        return False

    def read(self) -> bytes:
        """What has come in, at most :data:`_RX_MAX` bytes. Allocates only when there is something."""
        data, one, count = self._data, self._one, 0
        # Byte by byte: reading more than there is would block.
        while count < _RX_MAX and self.wait(0):
            self._in.readinto(one)  # type: ignore[union-attr]
            data[count] = one[0]
            count += 1
        return bytes(memoryview(data)[:count]) if count else b""

    def write(self, data: bytes) -> int:
        """Writes what there is room for, and returns how much that was."""
        done = 0
        view = memoryview(data)
        while done < len(data):
            for _ in self._writable.ipoll(0):
                break
            else:
                break
            taken = self._out.write(view[done : done + _PIECE])
            if not taken:
                break
            done += taken
        return done
