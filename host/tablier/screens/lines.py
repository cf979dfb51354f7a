"""Standard input, line by line, for what follows one after the other: games, and what is typed between them."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tablier import messages, waiting
from tablier.interrupts import called_by_c
from tablier.screens.commands import READ_MAX
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.table.clock import Waker


News = messages.Evening | Text
"""How the evening stands, or what is to be said of it: who comes and goes, or that its keeper does not answer."""


_PROMPT = "> "
_INTERRUPT = signal.SIGURG
"""Has a line that is being typed make room for news. Where nobody expects it, it is ignored."""


_AGAIN_S = 0.1
"""How often a line that is being typed is asked to make room."""


class _Interrupted(Exception):
    """News has come while a line is typed."""


class Typed:
    """The lines that are typed, and the news of the evening. Nothing is read from standard input before somebody waits
    for it: a full screen reads the keys itself. At a terminal a line can be edited, completed, and fetched again."""

    def __init__(self) -> None:
        from tablier.table.clock import Waker

        self.complete: Callable[[str], Sequence[str]] = lambda begun: ()
        """Returns the lines that one being typed may become."""
        self._typing: int | None = None  # the thread that waits for a line which is edited
        self._begun = ""  # what had been typed of it when news came
        self.waker = Waker()
        self.ended = False
        self._news: deque[News] = deque()
        self._bytes = b""

    def tell(self, notice: messages.Notice) -> None:
        """Take news, in any thread."""
        if isinstance(notice, messages.Evening):
            self._news.append(notice)
            self._wake()

    def say(self, text: Text) -> None:
        """Take what is to be said, in any thread."""
        self._news.append(text)
        self._wake()

    def _wake(self) -> None:
        self.waker.wake()
        if self._typing is not None:
            waiting.beside(self._interrupt, "news")

    def _interrupt(self) -> None:
        """Have a line that is being typed make room for the news; again, where it was only about to be."""
        while (thread := self._typing) is not None and self._news:
            signal.pthread_kill(thread, _INTERRUPT)
            waiting.sleep(_AGAIN_S)

    def _repeat(self, signals: int) -> None:
        """Have each signal taken that came when readline was only about to wait: Python takes it when a wait ends."""
        with os.fdopen(signals, "rb", buffering=0) as numbers:
            while came := numbers.read(64):
                if came.strip(bytes([_INTERRUPT])):
                    waiting.sleep(_AGAIN_S)
                    if (thread := self._typing) is not None:
                        signal.pthread_kill(thread, _INTERRUPT)

    def next(self) -> tuple[str | None, News | None]:
        """Wait for a line or for news, and return it; neither at the end of the lines."""
        while True:
            if self._news:
                return None, self._news.popleft()
            line = self.line()
            if line is not None or self.ended:
                return line, None
            if not self._bytes and _can_edit():
                return self._edit()
            self.wait(self.waker)

    def more(self) -> bool:
        """Wait for a line that is not taken yet; return False at the end of the lines."""
        while b"\n" not in self._bytes and not self.ended:
            self.wait(self.waker)
        return bool(self._bytes)

    def ask(self) -> str | None:
        """Wait for a line and return it, ``None`` at the end of the lines."""
        while True:
            line, told = self.next()
            if told is None:
                return line

    def _edit(self) -> tuple[str | None, News | None]:
        """Return a line that was edited as the user's other programs have it edited, or news."""
        with self._edited():
            try:
                self._typing = threading.get_ident()
                if not self._news:  # else they came before they could interrupt
                    line = input(_PROMPT)
                    self._begun = ""
                    return line, None
            except _Interrupted:
                sys.stdout.write("\r\x1b[K")
            except EOFError:
                self.ended = True
                sys.stdout.write("\n")
                return None, None
        return None, self._news.popleft()

    @contextmanager
    def _edited(self) -> Iterator[None]:
        """Let a line be edited, from what was typed of it before, until news comes."""
        import readline
        import termios

        def interrupt(number: int, frame: object) -> None:
            if not (self._news and begun):
                return  # the line is not begun, or only another signal is to be taken
            if not termios.tcgetattr(sys.stdin.fileno())[3] & termios.ICANON:  # else the line is complete
                self._begun = readline.get_line_buffer()
                raise _Interrupted  # in a hook it is lost: _interrupt sends the next one soon

        @called_by_c
        def begin() -> None:
            readline.insert_text(self._begun)
            self._begun = ""
            begun.append(True)

        begun: list[bool] = []
        libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        readline.set_completer_delims("")  # a name may have any sign in it
        readline.set_completer(self._completion)
        readline.set_startup_hook(begin)
        before = signal.signal(_INTERRUPT, interrupt)
        signals, woken = os.pipe()
        os.set_blocking(woken, False)
        woken_before = signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        waiting.beside(lambda: self._repeat(signals), "signals")
        try:
            yield
        finally:
            self._typing = None
            signal.set_wakeup_fd(woken_before)
            os.close(woken)
            signal.signal(_INTERRUPT, before)
            readline.set_startup_hook(None)
            readline.set_completer(None)

    @called_by_c
    def _completion(self, begun: str, number: int) -> str | None:
        fits = self.complete(begun)
        return fits[number] if number < len(fits) else None

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
        """Wait for what is typed, or for the waker. Of a line only what is read of it is kept."""
        stdin = sys.stdin.fileno()
        ready, _, _ = select.select([stdin, waker], [], [])
        if waker in ready:
            waker.drain()
        if stdin in ready:
            data = os.read(stdin, 1 << 12)
            self.ended = not data
            whole, newline, begun = (self._bytes + data).rpartition(b"\n")
            self._bytes = whole + newline + begun[: 4 * READ_MAX]


def _can_edit() -> bool:
    """Return whether a line is typed at a terminal, in the thread that takes signals."""
    if not (sys.stdin is sys.__stdin__ and sys.stdout is sys.__stdout__ and sys.stdin and sys.stdout):
        return False
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        import readline  # noqa: F401
    except ImportError:  # a Python that was built without it
        return False
    return True


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
        """Stop reading; ``untaken`` returns the lines that were read and not taken, which are for the next reader.
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
