"""A serial port that is open, and the lines that come there."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import termios

import serial

from tablier import waiting
from tablier.table.clock import Clock
from tablier.table.ports import board_of
from tablier.table.unusable import TableError, unopenable
from tablier_fw import wire

_READ = 4096
_TAKES_S = 1.0
"""How long a port that takes no more is waited for."""


class OpenPort:
    """A port that nobody else has, by exclusive lock."""

    def __init__(self, port: str, clock: Clock) -> None:
        """Open it. Raise :class:`TableError`."""
        try:
            self._serial = serial.Serial(port, 115200, timeout=0, exclusive=True)
        except OSError as error:  # pyserial's are OSErrors too
            raise TableError(unopenable(port, error)) from None
        if board_of(port) is None:
            # The lock asks only those who lock, too; this refuses everybody else. A pseudo-terminal would stay refused
            # after a program that was killed, as long as its table runs.
            fcntl.ioctl(self._serial.fileno(), termios.TIOCEXCL)
        self._clock = clock
        self._splitter = wire.Splitter()
        clock.opened()

    def fileno(self) -> int:
        return int(self._serial.fileno())

    def close(self) -> None:
        with contextlib.suppress(OSError):
            fcntl.ioctl(self._serial.fileno(), termios.TIOCNXCL)
        self._serial.close()

    @property
    def garbage(self) -> bool:
        """Return True if something came that was no line of the wire."""
        return bool(self._splitter.dropped > 1 or self._splitter.overlong)

    def write(self, line: bytes) -> None:
        """Write a line. Raise ``OSError`` when the port is gone, or takes nothing for a second.

        pyserial's own counts the time for which this program did not run, and gives up a line that it has written.
        """
        left = memoryview(line)
        while left:
            try:
                left = left[os.write(self._serial.fileno(), left) :]
            except BlockingIOError:
                if not waiting.wait((), [self._serial], _TAKES_S):
                    raise
        self._clock.wrote(len(line))

    def read(self) -> list[bytes]:
        """Return the lines that have come by now. Raise ``OSError`` when the port is gone."""
        if not waiting.wait([self._serial]):
            return []
        data = os.read(self._serial.fileno(), _READ)
        if not data:  # readable, but nothing there
            raise OSError(errno.EIO, "the port was hung up")
        self._clock.did_read(len(data))
        lines: list[bytes] = []
        self._splitter.feed(data, lines)
        return lines
