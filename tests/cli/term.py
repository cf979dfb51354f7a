"""A terminal of 80 × 24 in which the real program runs, and somebody who types into it and reads what it shows."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
from collections.abc import Callable
from time import monotonic

import pyte

import started

COLUMNS, ROWS = 80, 24
PATIENCE_S = 60.0
_CAN_SYNC, _BEGINS, _ENDS = b"\x1b[?2026$p", b"\x1b[?2026h", b"\x1b[?2026l"
"""A program asks whether the terminal can show a whole drawing at once; where one begins and ends."""
_LEAVES = b"\x1b[?1049l"
_LINK = re.compile(r"\x1b\]8;[^\x1b]*\x1b\\")
"""What stands around an address, so that a terminal can follow it."""
_AFTER = re.compile(r"^(\x1b\[\?\d+[hl])+")


class Term:
    """The program with its terminal. Use as a context manager: whatever happens, the program ends with it.

    ``seen`` is called with the lines of the screen whenever something has come from the program. ``disk`` is how large
    a file may become, in bytes. Pages for browsers are served only with ``web``: they take half a second. Games are
    explained before they begin only with ``card``. A browser is opened only with ``browser``.
    """

    def __init__(
        self,
        *argv: object,
        seen: Callable[[list[str]], None] | None = None,
        disk: int | None = None,
        web: bool = False,
        card: bool = False,
        browser: bool = False,
        **env: str,
    ) -> None:
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self.screen)
        self._lines: list[str] = []
        self._seen = seen
        self._draws = False  # what is half drawn is not looked at
        self.output = b""
        """All that came since the program left the full screen."""
        main, sub = pty.openpty()
        fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._fd = main
        words = [*map(str, argv)]
        if argv[:1] in (("play",), ("resume",), ("evening",)) and not web:
            words.append("--no-web")
        if argv[:1] == ("play",) and not browser:
            words.append("--no-browser")
        if argv[:1] in (("play",), ("evening",)) and not card:
            words.append("--no-card")
        environment = {**os.environ, "TERM": "xterm-256color", "USER": "zoe", **env}
        self.process = started.launch(words, sub, environment, disk)
        os.close(sub)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the terminal, as a person does with its window."""
        self.screen.resize(rows, columns)
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process.send_signal(signal.SIGWINCH)

    def modes(self) -> list[object]:
        """Return the modes of the terminal, as stty shows them."""
        return termios.tcgetattr(self._fd)

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self._fd)
        self._fd = os.open(os.devnull, os.O_RDONLY)

    def __enter__(self) -> Term:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._fd)

    @property
    def lines(self) -> list[str]:
        # Not `screen.display`: to read the whole screen each time takes longer than all else here.
        self._lines = [self._lines[y] if y < len(self._lines) else "" for y in range(self.screen.lines)]
        for y in self.screen.dirty & set(range(self.screen.lines)):
            row = self.screen.buffer[y]
            self._lines[y] = "".join(row[x].data for x in range(self.screen.columns)).rstrip()
        self.screen.dirty.clear()
        return self._lines

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def _read(self, deadline: float) -> bool:
        """Take what the program has written meanwhile; ``False`` when it has closed the terminal."""
        left = deadline - monotonic()
        if left <= 0 or not select.select([self._fd], [], [], left)[0]:
            raise AssertionError(f"nothing more came; the screen is\n{self.text}")
        try:
            data = os.read(self._fd, 65536)
        except OSError:
            return False
        self.output += data
        if _CAN_SYNC in data:
            os.write(self._fd, b"\x1b[?2026;2$y")
        begins, ends = self.output.rfind(_BEGINS), self.output.rfind(_ENDS)
        self._draws = begins > ends
        if _LEAVES in data:
            self.screen.reset()  # what stood there before the full screen is not kept here
            self._stream.feed(data.split(_LEAVES)[-1])
        else:
            self._stream.feed(data)
        if self._seen is not None:
            self._seen(self.lines)
        return bool(data)

    def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until something holds; look at it whenever something has come."""
        deadline = monotonic() + PATIENCE_S
        while self._draws or not holds():
            assert self._read(deadline), f"the program has ended before {what or 'that'}; the screen is\n{self.text}"

    def catch_up(self) -> None:
        """Take what has come so far, so that the program does not wait for its terminal."""
        while select.select([self._fd], [], [], 0)[0] and self._read(monotonic() + PATIENCE_S):
            pass

    def shows(self, text: str) -> None:
        self.until(lambda: text in self.text, f"it showed {text!r}")

    def type(self, text: str, enter: bool = True) -> None:
        os.write(self._fd, (text + "\r" * enter).encode())

    def press(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def ends(self) -> tuple[int, str]:
        """Wait for the end of the program; its exit status, and what it has printed after the full screen."""
        deadline = monotonic() + PATIENCE_S
        while self._read(deadline):
            pass
        status = self.process.wait(PATIENCE_S)
        printed = self.output.split(_LEAVES)[-1].decode(errors="replace")
        return status, _LINK.sub("", _AFTER.sub("", printed)).replace("\r\n", "\n")


__all__ = ["COLUMNS", "ROWS", "Term"]
