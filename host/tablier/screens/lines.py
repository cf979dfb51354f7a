"""Standard input, line by line, for what follows one after the other: games, and what is typed between them."""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tablier import messages
from tablier.screens.commands import READ_MAX
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.table.clock import Waker


News = messages.Evening | Text
"""How the evening stands, or what is to be said of a keeper that does not answer."""


class Typed:
    """The lines that are typed, and the news of the evening. Nothing is read from standard input before somebody waits
    for it: a full screen reads the keys itself."""

    def __init__(self) -> None:
        from tablier.table.clock import Waker

        self.waker = Waker()
        self.ended = False
        self._news: deque[News] = deque()
        self._bytes = b""

    def tell(self, notice: messages.Notice) -> None:
        """Take news, in any thread."""
        if isinstance(notice, messages.Evening):
            self._news.append(notice)
            self.waker.wake()

    def tell_silence(self, text: Text) -> None:
        """Take what is to be said of a keeper that does not answer, or answers again, in any thread."""
        self._news.append(text)
        self.waker.wake()

    def next(self) -> tuple[str | None, News | None]:
        """Wait for a line or for news, and return it; neither at the end of the lines."""
        while True:
            if self._news:
                return None, self._news.popleft()
            line = self.line()
            if line is not None or self.ended:
                return line, None
            self.wait(self.waker)

    def line(self) -> str | None:
        """Return a line that was typed already."""
        line, newline, rest = self._bytes.partition(b"\n")
        if not newline and not (self.ended and line):
            return None
        self._bytes = rest
        return line.decode("utf-8", "replace")

    def put_back(self, lines: Sequence[str]) -> None:
        """Have lines that were read, and not taken, come first again."""
        self._bytes = "".join(f"{line}\n" for line in lines).encode() + self._bytes

    def wait(self, waker: Waker) -> None:
        """Wait for what is typed, or for the waker. Of a line no more is kept than is read of it."""
        stdin = sys.stdin.fileno()
        ready, _, _ = select.select([stdin, waker], [], [])
        if waker in ready:
            waker.drain()
        if stdin in ready:
            data = os.read(stdin, 1 << 12)
            self.ended = not data
            whole, newline, begun = (self._bytes + data).rpartition(b"\n")
            self._bytes = whole + newline + begun[: 4 * READ_MAX]


class Lent:
    """Standard input, for as long as a line screen shows a game."""

    def __init__(self, typed: Typed) -> None:
        from tablier.table.clock import Waker

        self._typed = typed
        self._waker = Waker()
        self._returned = False

    def readline(self, size: int, /) -> str:
        """Return a line with its end, however long it is; an empty text at the end of the lines, or of the loan."""
        while not self._returned:
            line = self._typed.line()
            if line is not None:
                return line + "\n"
            if self._typed.ended:
                break
            self._typed.wait(self._waker)
        return ""

    def give_back(self, untaken: Callable[[], Sequence[str]]) -> None:
        """Read no more; ``untaken`` returns the lines that were read and not taken, which are for the next reader.
        In a terminal they are dropped: they were typed while the game was still shown."""
        self._returned = True
        self._waker.wake()
        lines = untaken()
        if not self.isatty():
            self._typed.put_back(lines)

    def isatty(self) -> bool:
        return sys.stdin.isatty()

    def fileno(self) -> int:
        return sys.stdin.fileno()


__all__ = ["Lent", "Typed"]
