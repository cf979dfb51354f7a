"""Listen at a board's port: a table's hellos, its answers about the service mode, the REPL."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import suppress

import serial

from tablier import waiting
from tablier.printable import printable
from tablier.table.greeting import Hello, host_hello, read_hello
from tablier.table.ports import find_board
from tablier.table.unusable import unopenable
from tablier.texts import Failure
from tablier_fw import wire

_PROMPT = b">>> "
_WAKE = b"\r\x03\x02"  # interrupt whatever runs, and leave the raw prompt for the friendly one


class BoardError(Failure):
    """The board cannot be reached, or misbehaves; the text is one line."""


class Listener:
    """An open port of a board, and what comes from it."""

    def __init__(self, port: str) -> None:
        try:
            self._serial = serial.Serial(port, 115200, timeout=0, write_timeout=1.0, exclusive=True)
        except OSError as error:  # pyserial's are OSErrors too
            raise BoardError(unopenable(port, error)) from None
        self._run = os.urandom(8)
        self._splitter = wire.Splitter()
        self.text = b""
        """The end of all that came."""

    def close(self) -> None:
        with suppress(OSError):
            self._serial.close()

    def greet(self) -> None:
        """Send a hello."""
        self._serial.write(host_hello(self._run))

    def ask_for_service(self, table: Hello) -> None:
        self._serial.write(
            wire.frame(wire.SERVICE, bytes.fromhex(table.boot), self._run, wire.SERVICE.encode(table.challenge))
        )

    def wake(self) -> None:
        """Ask for the REPL's prompt. Forget one seen earlier: it may be of another boot."""
        self.text = b""
        self._serial.write(_WAKE)

    def listen(self, seconds: float, *, past_prompt: bool) -> Iterator[Hello | int]:
        """Yield hellos and refusals of the service mode as they come; end early at the prompt unless ``past_prompt``.

        Raise :class:`OSError` when the port is gone.
        """
        end = waiting.now() + seconds
        while (left := end - waiting.now()) > 0 and (past_prompt or not self.prompted):
            if not waiting.wait([self._serial], (), left):
                return
            data = os.read(self._serial.fileno(), 4096)
            if not data:
                raise OSError(errno.EIO, "the port was hung up")
            self.text = (self.text + data)[-1000:]
            lines: list[bytes] = []
            self._splitter.feed(data, lines)
            for line in lines:
                with suppress(wire.WireError):
                    message, boot, _, payload = wire.unframe(line)
                    if message is wire.TABLE_HELLO and (hello := read_hello(boot, payload)):
                        yield hello
                    elif message is wire.SERVING:
                        yield int(message.decode(payload)[0])

    @property
    def prompted(self) -> bool:
        """True if MicroPython's prompt was seen."""
        return _PROMPT in self.text

    def last_words(self) -> str:
        """Return the last line other than frames, the prompt and its banner."""
        lines = self.text.decode("utf-8", "replace").splitlines()
        ours = ("!", ">", "MicroPython v", 'Type "help()"')
        words = [line.strip() for line in lines if line.strip() and not line.startswith(ours)]
        return printable(words[-1]) if words else ""


def reopen(board: str, near: str) -> tuple[str, Listener | None]:
    """Return the port of a board now, and a listener there if it can be opened."""
    port = find_board(board, near)
    if port is not None:
        with suppress(BoardError):  # not ready yet
            return port, Listener(port)
    return near, None
