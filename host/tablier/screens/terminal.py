"""The terminal of the full screen, for Textual: reached by standard output, and left in order when it goes away."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, TextIO, TypeVar

from textual import events
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.driver import Driver as AnyDriver
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.widget import Widget

from tablier.printable import ascii_only
from tablier.screens.commands import LINE_MAX
from tablier.screens.editor import can_be_typed
from tablier.screens.signs import in_ascii

if TYPE_CHECKING:
    from tablier.screens.abilities import Replies

R = TypeVar("R")

_TYPED_AT_ONCE = 60
"""The most characters that can have been typed where they come at a time."""
_POLL_S = 0.1
"""How long the driver's thread waits for keys before it looks whether it is to end, in seconds."""
_KEEP_TITLE, _OLD_TITLE = "\x1b[22;0t", "\x1b[23;0t"
_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_CHANGED = (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH, signal.SIGTTIN, signal.SIGTTOU)


class Output:
    """A terminal's stream. What the terminal does not show is replaced; once it is gone, nothing is written."""

    def __init__(self, stream: TextIO, gone: Callable[[], None]) -> None:
        self._stream = stream
        self._ascii = ascii_only()
        self._gone = gone
        self._lost = False

    def write(self, text: str) -> None:
        shown = in_ascii(text) if self._ascii else text
        self._try(lambda: self._stream.buffer.write(shown.encode(self._stream.encoding, "replace")))

    def flush(self) -> None:
        self._try(self._stream.buffer.flush)

    def fileno(self) -> int:
        return self._stream.fileno()

    def _try(self, work: Callable[[], object]) -> None:
        if self._lost:
            return
        try:
            work()
        except OSError:
            self._lost = True
            self._gone()


class Driver(LinuxDriver):
    """The driver: Textual's own writes to standard error, and spins or fails when the terminal goes away."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        stdout = sys.__stdout__
        assert stdout is not None, "a full screen is opened where standard output is a terminal"
        self._file: Any = Output(stdout, self._lose)
        self._named = False
        self._replies: Replies | None = None
        self._at_end = ""
        self._shows = False

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return columns and lines of the terminal itself: COLUMNS and LINES say what they were once."""
        try:
            columns, lines = os.get_terminal_size(self.fileno)
        except OSError:
            columns, lines = 0, 0
        return columns or 80, lines or 24

    def _lose(self) -> None:
        """Tell the app that the terminal is gone; in any thread."""
        assert isinstance(self._app, Program)
        self._app.call_later(self._app.lose_terminal)

    def name_window(self, title: str) -> None:
        """Give the terminal's window a title, until the terminal is restored."""
        if self._shows:
            self.write(f"{'' if self._named else _KEEP_TITLE}\x1b]0;{title}\x07")
            self._named = True

    def ask(self, question: str, replies: Replies) -> None:
        """Ask the terminal something; its replies are taken out of what is typed."""
        self._replies = replies
        self.write(question)

    def send(self, text: str, at_end: str) -> None:
        """Write something beside the screen, unless the terminal was restored meanwhile; before it is restored, write
        ``at_end``, in place of an earlier one."""
        if self._shows:
            self.write(text)
            self._at_end = at_end

    def start_application_mode(self) -> None:
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._shows = True

    def stop_application_mode(self) -> None:
        """Restore the terminal."""
        self._shows = False
        if self._at_end:
            self.write(self._at_end)
            self._at_end = ""
        if self._named:
            self.write(_OLD_TITLE)
            self._named = False
        super().stop_application_mode()

    def _sigtstp_application(self, *_: object) -> None:
        """Stop as other programs do: where nobody could continue this one, the system continues it at once."""
        self.suspend_application_mode()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        self._must_signal_resume = True
        self.resume_application_mode()

    def _sigcont_application(self, *_: object) -> None:
        """Do nothing: what was stopped continues where it stood."""

    def run_input_thread(self) -> None:
        """Pass on what is typed, until the screen or the terminal is closed."""
        parser, decode = XTermParser(self._debug), getincrementaldecoder("utf-8")("replace").decode
        while not self.exit_event.is_set():
            ready, _, _ = select.select([self.fileno], [], [], _POLL_S)
            if ready:
                try:
                    data = os.read(self.fileno, 4096)
                except OSError:
                    data = b""
                if not data:
                    self._lose()
                    return
                typed = self._typed(decode(data))
            else:
                typed = "" if self._replies is None else self._replies.release()
            for event in _pasted(parser.feed(typed)) if typed else ():  # an empty text would end the parser
                self.process_message(event)
            for event in parser.tick():
                self.process_message(event)

    def _typed(self, data: str) -> str:
        """Return what was typed of what has come."""
        return data if self._replies is None else self._replies.without(data)


def _pasted(come: Iterable[Message]) -> Iterator[Message]:
    """Yield what a terminal has sent at a time, with what nobody types so fast as one event: a signal need not wait
    until thousands of keys were drawn. At most the longest line of it is kept, and a character by which that is
    seen to be too long.
    """
    typed: list[events.Key] = []
    for event in (*come, None):
        if isinstance(event, events.Key) and event.character and can_be_typed(event.character):
            typed.append(event)
            continue
        if len(typed) > _TYPED_AT_ONCE:
            text = "".join(key.character or "" for key in typed[: LINE_MAX + 1])
            yield events.Paste(text)
        else:
            yield from typed
        typed = []
        if isinstance(event, events.Paste):
            yield events.Paste(first_line(event.text))
        elif event is not None:
            yield event


def first_line(text: str) -> str:
    """Return the first line of a text that was pasted, as far as one can be seen to be too long."""
    return text[: 2 * LINE_MAX].partition("\n")[0].partition("\r")[0][: LINE_MAX + 1]


class Program(App[R], inherit_bindings=False):
    """A program that fills the terminal, in its own colours, with one widget that draws all of it."""

    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q,ctrl+c,ctrl+d", "quit", priority=True),
        Binding("ctrl+z", "suspend_process", priority=True),
    ]

    def __init__(self, whole: Widget) -> None:
        super().__init__(ansi_color=True)  # at once: what NO_COLOR takes away depends on it
        self._whole = whole
        self.theme = "ansi-dark"

    def get_driver_class(self) -> type[AnyDriver]:
        return Driver

    def compose(self) -> ComposeResult:
        yield self._whole

    def on_mount(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.screen.refresh(layout=True))
        self._whole.focus()
        self.begin()

    def begin(self) -> None:
        """Do what is to be done once the widget is there."""

    def lose_terminal(self) -> None:
        """End: nobody sees this any more."""
        self.exit()

    def action_suspend_process(self) -> None:
        """Suspend the program, and what has started it: a shell waits for all of them."""
        self._suspend_signal()
        os.kill(0, signal.SIGTSTP)


@contextmanager
def kept_signals(ended: Callable[[int, object], None] | None = None) -> Iterator[None]:
    """Put the handlers back that a screen replaces; ``ended`` is called for signals that end it, until it has handlers
    of its own."""
    numbers = (*_CHANGED, *_ENDING)
    before = {number: signal.getsignal(number) for number in numbers}
    if ended is not None and threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            signal.signal(number, ended)
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)


__all__ = ["Driver", "Output", "Program", "first_line", "kept_signals"]
