"""The line screen: print a game line by line, and play by typing lines. No terminal is needed.

Where several seats share it, a secret is shown only after its seat has typed its name, and wiped from a terminal when
the seat has decided.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from tablier.games import drawing_of, title_of
from tablier.games.core import moves_text
from tablier.games.core.drawing import HEIGHT
from tablier.messages import Evening, Taken, Told, Update
from tablier.play.connections import Connection, Hinted
from tablier.printable import ascii_only, linked, printable
from tablier.screens.commands import BOARD, CARD, HELP, LOOKED_UP, PRINTING, READ_MAX, RULES, SPOKEN, read_bare
from tablier.screens.model import PACE_S, Action, Model, send
from tablier.screens.paper import board, rules_page, wrapped
from tablier.screens.signs import write_ascii
from tablier.screens.status_pages import LookUp
from tablier.screens.summary import LogName
from tablier.screens.turn import Aloud
from tablier.texts import Failure, Text, render

if TYPE_CHECKING:
    from tablier.games.core.drawing import Canvas
    from tablier.screens.replay import Played
    from tablier.texts import Json

_WIDTH = 80
"""Columns of a screen that does not say how many it has."""
_BELOW = 8
"""Lines of a screen for the question below a board, and what is typed."""
_WIPE = "\033[2J\033[3J\033[H"
_INDENT = "  "
_MORE = Text("Enter: more, q: back> ")
_END = None
"""In the queue: the end of what is typed."""


class Lines(Protocol):
    """What lines are read from, as from standard input."""

    def readline(self, size: int, /) -> str: ...

    def isatty(self) -> bool: ...

    def fileno(self) -> int: ...


class Line:
    """A line screen with its seats; without any it only prints."""

    def __init__(
        self,
        here: Sequence[int],
        log: LogName,
        lines: Lines | None = None,
        out: TextIO | None = None,
        *,
        repeats: bool = False,
        explains: bool = False,
        spoken: bool = False,
        pace_s: float = PACE_S,
        read: Callable[[int], Played] | None = None,
        look_up: LookUp | None = None,
    ) -> None:
        """``lines`` and ``out`` replace standard input and output. ``explains``: a card is printed before the game
        begins. ``spoken``: boards are said in sentences. ``pace_s``: the seconds that bots take for a move at first.
        ``repeats``: at the end somebody at the terminal is asked for another game, see :attr:`another`. ``read``
        replays a game of the log when it is over. ``look_up`` returns what a page of :data:`LOOKED_UP` says now.
        """
        self._model = Model(here, log)
        self._model.explains, self._model.pace_s, self._model.prints = explains, pace_s, True
        self._lines: Lines = sys.stdin if lines is None else lines
        self._out = sys.stdout if out is None else out
        if ascii_only():
            write_ascii(self._out)
        self._model.repeats = repeats and bool(self._model.here) and self._at_terminal()
        self._spoken = spoken
        self._read_game = read
        self._look_up = look_up
        self._inbox: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._connection: Connection | None = None
        self.told_end = False
        """True once the result of the game was printed here."""
        self._told: set[object] = set()  # the keys of the sayings that were printed
        self._asked: object = None
        self._drawn: object = None  # the question for which the board was printed last
        self._aloud = Aloud()
        self._now = False  # what is asked next follows on what happened before this screen came
        self._typed: deque[str | None] = deque()
        """Lines that were not taken yet. What a program or a file types waits until something is asked."""
        self._reader = threading.Thread(target=self._read, name="lines", daemon=True)
        self._taken = threading.Semaphore(0)  # one line is read at a time
        self._unread: list[str] = []  # the lines of a page that had no room yet
        self._prompted = False  # a prompt stands in the line, and nothing was typed there yet
        self._slipped = False  # a line was refused, and nothing was typed since
        self._waits = False  # a reply was sent, and nothing has come since
        self._begun = self._secret_shown = self._left = self._ended = False
        self.ended_by = 0
        """The signal that has ended it."""

    def run(self, connection: Connection) -> str | None:
        """Tell the game and play in it until it is over; return its summary, or ``None`` when it was stopped before."""
        self._connection = connection
        leave = connection.watch(self._model.viewers, lambda message: self._inbox.put(("message", message)))
        if self._model.here or self._at_terminal():  # commands can be typed in any case
            self._reader.start()
        try:
            with self._signals():
                while not self._left:
                    self._step(*self._inbox.get())
        finally:
            leave()
        return self._model.summary

    @property
    def abandons(self) -> bool:
        """Return whether somebody here has stopped the game for good."""
        return self._model.abandons

    @property
    def another(self) -> bool:
        """Return whether somebody here wants another game with the same players."""
        return self._model.another

    @property
    def pace_s(self) -> float:
        """Return the seconds that bots take for a move now."""
        return self._model.pace_s

    def leave(self) -> None:
        """End :meth:`run`; call from any thread."""
        self._inbox.put(("leave", None))

    def stops(self, stops: bool) -> None:
        """Say whether the game stops when this screen is left."""
        self._model.stops = stops

    def tell_address(self, address: str) -> None:
        """Say where browsers find the game; call from any thread."""
        self._inbox.put(("say", partial(self._model.tell_address, address)))

    def tell_evening(self, notice: Told | Evening) -> None:
        """Say who comes and goes, and by which code; call from any thread."""
        self._inbox.put(("say", partial(self._model.tell_evening, notice)))

    def _at_terminal(self) -> bool:
        """Return True if somebody can type here. In the background reading would stop the program (SIGTTIN)."""
        if not (self._lines.isatty() and self._out.isatty()):
            return False
        try:
            return os.tcgetpgrp(self._lines.fileno()) == os.getpgrp()
        except OSError:  # a terminal that controls no session: nobody is stopped there
            return True

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Stop the game on a signal."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(number: int, frame: FrameType | None) -> None:
            asks = number == signal.SIGINT and self._lines.isatty()
            self.ended_by = 0 if asks else number
            self._inbox.put(("interrupt" if asks else "stop", None))

        numbers = (signal.SIGTERM, signal.SIGHUP, *((signal.SIGINT,) if self._model.here else ()))
        before = {number: signal.signal(number, stop) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def untaken(self) -> list[str]:
        """Return the lines that were read and not taken, when this has been left and nothing follows from its lines."""
        if self._reader.ident is None:
            return []
        self._taken.release()
        self._reader.join()
        while not self._inbox.empty():
            what, value = self._inbox.get()
            if what == "line":
                self._typed.append(value)
        return [line for line in self._typed if line is not _END]

    def _read(self) -> None:
        while line := self._lines.readline(READ_MAX):
            self._inbox.put(("line", line.rstrip("\n")))
            self._taken.acquire()
            while line and not line.endswith("\n"):  # of one that is too long the rest is for nobody
                line = self._lines.readline(READ_MAX)
        self._inbox.put(("line", _END))

    def _step(self, what: str, value: Any) -> None:
        model = self._model
        if what == "message":
            self._do(model.take(value))
            if isinstance(value, Taken) and self._secret_shown:  # who has gone may have looked at it
                self._wipe()
            if isinstance(value, Hinted):
                self._advise()
            else:
                self._waits = False
                self._show()
        elif what == "leave":
            self._left = True
        elif what == "say":
            value()
            if model.ready:
                self._show()
        elif what == "stop":
            self._do(model.stop())
        elif what == "interrupt":
            self._out.write("\n")
            self._prompted = False
            self._do(model.quit())
            if not self._left:
                self._ask()
        else:
            self._typed.append(value)
        while self._typed and not self._left and self._takes_lines():
            line = self._typed.popleft()
            self._taken.release()
            if line is _END:
                if model.here:
                    self._do(model.stop())
            else:
                self._take_line(line)

    def _takes_lines(self) -> bool:
        if not self._model.ready:
            return False
        waits = self._waits or self._model.thinking
        return self._lines.isatty() or (not waits and self._model.asked is not None) or self._model.quitting

    def _take_line(self, line: str) -> None:
        if not self._lines.isatty():  # nobody has seen it being typed
            self._out.write(f"{'' if self._model.hidden else printable(line)}\n")
        self._prompted = False
        if self._secret_shown:
            self._wipe()
        unread, self._unread = self._unread, []
        if unread and (not line.strip() or read_bare(line.strip(), PRINTING) in (":quit", ":back")):
            self._print_page([] if line.strip() else unread)
            if not self._unread:
                self._ask(again=True)
            return
        slipped, self._slipped = self._slipped, False
        if slipped and not line.strip() and (self._model.asked is not None or self._model.quitting):
            self._asked = None
            self._ask()
            return
        actions = self._model.accept(line)
        self._do(actions)
        if self._model.ready and not self._left:
            self._show_page()
            self._tell()
            if not self._unread:
                self._ask(again=not actions)

    def _show(self) -> None:
        """Print a message."""
        if not self._begun:
            self._begin(self._model.latest)
        prompted = self._prompted
        again = self._tell()
        again = again or (prompted and not self._prompted)
        if self._model.over is not None:
            self._tell_end()
            if self._model.repeats:
                self._ask()
                return
            self._left = not self._model.shown_at_table
            if not self._left and self._at_terminal():
                self._say_that_it_ends()
        else:
            self.told_end, self._model.lookback = False, None
            self._ask(again)

    def _tell_end(self) -> None:
        """Print the result, once; have the game at hand to be looked back at."""
        if self.told_end:
            return
        self.told_end = True
        if self._read_game is not None:
            from tablier.screens.history import Lookback

            with suppress(Failure):  # the log is somewhere else: the end is printed without it
                self._model.lookback = Lookback(self._read_game(self._model.latest.game))
        self._out.write("\n")
        for line in (self._model.summary or "").splitlines():
            indent = line[: len(line) - len(line.lstrip(" "))]
            self._print(line.lstrip(" "), indent)

    def _say_that_it_ends(self) -> None:
        if not self._ended:
            self._ended = True
            self._print(
                str(Text("The table shows the end for a minute, or until somebody confirms it. Enter leaves.")), "* "
            )
        self._read_aloud()

    def _do(self, actions: Sequence[Action]) -> None:
        assert self._connection is not None
        self._waits = self._waits or any(action.body.get("command") != "hint" for action in actions)
        self._left = send(actions, self._connection) or self._left

    # -- what is printed -------------------------------------------------------------------------------------------

    def _begin(self, update: Update) -> None:
        self._begun = True
        players = [seat.name for seat in update.seats]
        args = {"title": title_of(self._model.rules.name), "game": update.game, "players": players}
        self._print(str(Text("{title}, game {game}: {players}.", args)), "")
        self._recap(update)
        if self._model.page == CARD:
            self._show_page()

    def _recap(self, update: Update) -> None:
        """Print in one paragraph what happened before this screen came; what is asked next is marked as new."""
        before = [saying for saying in self._model.sayings if saying.turn is not None]
        turns = [turn for turn in self._model.turns if turn.style != "note"]
        if update.last is None or not turns:  # what was dealt or drawn before the first move is news
            return
        self._told.update(saying.key for saying in before)
        args = {"moves": moves_text(update.ply), "last": " ".join(turns[-1].moves)}
        self._print(str(Text("So far: {moves}. The last turn: {last}", args)), "* ")
        self._now = True

    def _marked(self, question: str) -> str:
        """Return a question, after a recap with a mark that it is what is asked now."""
        now, self._now = self._now, False
        return str(Text("Now: {question}", {"question": question})) if now else question

    def _tell(self) -> bool:
        """Print the news; return True if a typed line was refused."""
        for saying in self._model.sayings:
            if saying.key not in self._told:
                self._told.add(saying.key)
                self._print(saying.text, "* " if saying.style == "note" else "  ")
        error, self._model.error = self._model.error, ""
        if self._model.confirmation:
            self._print(self._model.confirmation)
        if error:
            self._print(error)
            self._model.dismiss()  # a hint above it is not what Enter plays
            self._slipped = True
            self._secret_shown = self._secret_shown or self._model.private  # it may quote what was typed in secret
        return bool(error)

    def _ask(self, again: bool = False) -> None:
        """Print board and question if a seat here is asked something new; ``again``: print an old prompt again."""
        model = self._model
        if model.over is not None and model.repeats:
            self._print_past()
            self._print(model.question, "")
            for _, text in model.hint("", self._width - len(_INDENT)):
                self._print(text)
            self._prompt(model.prompt[1])
            return
        if model.asked is None and not model.quitting:
            self._asked = self._drawn = None
            if self._at_terminal():
                self._read_aloud()
            return
        key = (model.question_key, model.quitting)
        if key != self._asked:
            self._break_prompt()
            self._asked = key
            if not model.must_confirm and not model.quitting and model.question_key != self._drawn:
                self._drawn = model.question_key
                self._print_board()
                self._secret_shown = model.private
            self._print(self._marked(model.question), "")
            for _, text in model.hint("", self._width - len(_INDENT)):
                self._print(text)
        elif not again or model.thinking:
            return
        self._prompt(model.prompt[1])

    def _prompt(self, text: str) -> None:
        """Print what stands before the line to type in; a page that was being read is left."""
        self._unread = []
        self._out.write(printable(text))
        self._out.flush()
        self._prompted = True

    def _break_prompt(self) -> None:
        """Leave the line of a prompt, before something else is printed."""
        if self._prompted:
            self._prompted = False
            self._out.write("\n")

    def _read_aloud(self) -> None:
        """Print what people at the table are asked, and who is awaited alone."""
        question = self._model.asks_aloud
        if question is not None:
            for text, first in zip(self._aloud.hear(question, self._model.names), ("? ", "  "), strict=False):
                self._print(self._marked(text), first)

    @property
    def _terminal(self) -> tuple[int, int] | None:
        """Return columns and lines of the terminal, ``None`` where there is none, or it does not say."""
        if not self._out.isatty():
            return None
        try:
            columns, lines = os.get_terminal_size(self._out.fileno())
        except OSError:
            return None
        return columns, lines

    @property
    def _size(self) -> tuple[int, int]:
        """Return the columns of the terminal, and the lines that it has for a board."""
        columns, lines = self._terminal or (_WIDTH, HEIGHT + _BELOW)
        return columns or _WIDTH, lines - _BELOW

    @property
    def _width(self) -> int:
        """Return the columns of the terminal."""
        return self._size[0]

    def _advise(self) -> None:
        """Print a hint, if its question is still open."""
        if self._model.advice and not self._model.thinking:
            for line in self._model.advice_lines:
                self._print(line)
            self._ask(again=True)

    def _print_past(self) -> None:
        """Print the board after the move at which somebody looks back, and what was told of it."""
        lookback = self._model.lookback
        if lookback is None or lookback.at is None:
            return
        self._print_drawn(lookback.view(), lookback.canvas(*self._size))
        for text in (str(lookback.title), *lookback.story()[-1:]):
            self._print(text)

    def _print_board(self, *, wished: bool = False) -> None:
        self._print_drawn(self._model.view, self._model.canvas(*self._size), wished=wished)

    def _print_drawn(self, view: Json, canvas: Canvas, *, wished: bool = False) -> None:
        """Print a board, in sentences to those who listen; with dots of braille only where it is ``wished`` for."""
        rules, names = self._model.rules, self._model.names
        says = drawing_of(rules.name).spoken if self._spoken else None
        if says is None:
            canvas = replace(canvas, dots=wished)
            self._out.write(f"\n{board(rules, view, names, self._width, canvas, colour=False)}\n\n")
        else:
            for text in says(rules, view, names):
                self._print(render(text))

    def _show_page(self) -> None:
        page, self._model.page = self._model.page, ""
        if page == RULES:
            self._print_page(rules_page(self._model.rules.name, self._width, colour=False).splitlines())
        elif page in (BOARD, SPOKEN):
            self._spoken = self._spoken != (page == SPOKEN)
            self._print_board(wished=page == BOARD)
            self._secret_shown = self._model.private
        elif page == CARD:
            for head, paragraphs in self._model.card(keys=False):
                self._print(head, "")
                for text in paragraphs:
                    self._print(text)
        elif page in LOOKED_UP and self._look_up is not None:
            for looked_up in self._look_up(page):
                self._print(str(looked_up))
        elif page == HELP:
            for section in self._model.help():
                for text in section:
                    self._print(text)

    def _print_page(self, lines: list[str]) -> None:
        """Print lines; in a terminal as many as it shows, and ask whether to print more."""
        rows = self._terminal[1] if self._terminal and self._lines.isatty() else 0
        room = rows - 1 if rows > 1 else len(lines)
        for line in lines[:room]:
            self._out.write(f"{line}\n")
        if lines[room:]:
            self._prompt(str(_MORE))
            self._unread = lines[room:]
        self._out.flush()

    def _wipe(self) -> None:
        self._secret_shown, self._drawn = False, None
        if self._out.isatty():
            self._out.write(_WIPE)

    def _print(self, text: str, first: str = _INDENT) -> None:
        self._break_prompt()
        lines = wrapped(text, self._width, first, " " * len(first))
        for line in linked(printable(text), lines) if self._out.isatty() and not ascii_only() else lines:
            self._out.write(line + "\n")
        self._out.flush()


__all__ = ["Line"]
