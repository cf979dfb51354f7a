"""The full screen, for every game: the board, the news, the question and a line to type in.

Updates arrive in the conductor's thread and are handed over; only the screen's own thread draws and reads keys.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING

from tablier import waiting
from tablier.games import title_of
from tablier.messages import Evening, Told
from tablier.play.connections import Connection, Message, Reconnected
from tablier.printable import printable
from tablier.screens.commands import CARD, LOOKED_UP
from tablier.screens.console import Console
from tablier.screens.model import PACE_S, Action, Model, send
from tablier.screens.paper import wrapped
from tablier.screens.phrases import LOGGED
from tablier.screens.status_pages import LookUp
from tablier.screens.summary import LogName
from tablier.screens.terminal import kept_signals
from tablier.texts import Failure, Text

if TYPE_CHECKING:
    from tablier.screens.history import Lookback
    from tablier.screens.replay import Played


class Full:
    """A full screen with its seats; without any it only shows."""

    def __init__(
        self,
        here: Sequence[int],
        log: LogName,
        *,
        repeats: bool = False,
        explains: bool = False,
        pace_s: float = PACE_S,
        read: Callable[[int], Played] | None = None,
        look_up: LookUp | None = None,
        bell: bool = False,
    ) -> None:
        """``explains``: a card is read before the game begins. ``repeats``: at the end somebody is asked for another
        game, see :attr:`another`. ``pace_s``: the seconds that bots take for a move at first. ``read`` replays a game
        of the log, to look back at when it is over. ``look_up`` returns what a page of :data:`LOOKED_UP` says now.
        ``bell``: a bell and the window's title say whose turn it is.
        """
        self.model = Model(here, log)
        self.model.repeats, self.model.explains, self.model.pace_s = repeats, explains, pace_s
        self._connection: Connection | None = None
        self._key = self.model.key
        self._asked: int | None = None
        self._waited_for = False
        self._look_up = look_up
        self._looks_up = False
        self.looked_up: tuple[str, Sequence[Text]] = ("", ())
        """The page that was looked up last, and what it says."""
        self._read = read
        self._bell = bell
        self._left = False
        self.on_pictured: Callable[[bool], None] = lambda pictured: None
        """Called with :attr:`Model.pictured` when somebody here has changed it."""
        self.told_end = False
        """False: the result went with the screen, and is printed after it."""
        self.ended_by = 0
        """The signal that has ended it."""
        self._begun: tuple[asyncio.AbstractEventLoop, Context] | None = None
        self._waiting: deque[Callable[[], None]] = deque()
        """What other threads want done here."""
        self.app = Console(self)

    def run(self, connection: Connection) -> str | None:
        """Show the game and play until it is over and the screen was left; return its summary.

        Return ``None`` when it was stopped before: by a person here, by SIGTERM or SIGHUP, or by :meth:`leave`.
        """
        self._connection = connection
        leave = connection.watch(self.model.viewers, self._deliver)
        try:
            with kept_signals(self._signalled):
                self.app.run()
        finally:
            self._begun = None
            leave()
        if self.app.failure is not None:
            raise self.app.failure
        summary = self.model.summary
        if summary is None or self.model.stopped:
            return None
        last = " ".join(text for style, text in self.model.paragraphs[-3:] if style != "note")
        return "\n".join([*wrapped(last, min(80, self.app.size.width)), summary])

    @property
    def abandons(self) -> bool:
        """Return whether somebody here has stopped the game for good."""
        return self.model.abandons

    @property
    def another(self) -> bool:
        """Return whether somebody here wants another game with the same players."""
        return self.model.another

    @property
    def pace_s(self) -> float:
        """Return the seconds that bots take for a move now."""
        return self.model.pace_s

    def leave(self) -> None:
        """Leave the screen; call from any thread, also repeatedly or before it is shown."""
        self._left = True
        self._call(self.app.exit)

    def stops(self, stops: bool) -> None:
        """Say whether the game stops when this screen is left."""
        self.model.stops = stops

    def tell_address(self, address: str) -> None:
        """Show where browsers find the game; call from any thread."""
        self._call(partial(self.model.tell_address, address))

    def tell_evening(self, notice: Told | Evening) -> None:
        """Show who comes and goes, and by which code; call from any thread."""
        self._call(partial(self.model.tell_evening, notice))

    # -- in the screen's own thread ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take what has come before the screen was there."""
        loop = asyncio.get_running_loop()
        with suppress(ValueError, RuntimeError):  # not the main thread: the caller handles signals
            loop.add_signal_handler(signal.SIGINT, self.quit)
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._signalled, number)
        self._begun = (loop, copy_context())
        self._work()
        if self._left:
            self.app.exit()

    def accept(self, line: str) -> None:
        """Take a line that was entered."""
        pictured = self.model.pictured
        self.do(self.model.accept(line.strip()))
        if self.model.pictured != pictured:
            self.on_pictured(self.model.pictured)

    def quit(self) -> None:
        """Ask whether to stop, in an empty line: what stood there is no answer."""
        self.app.clear()
        self.do(self.model.quit())

    def _signalled(self, number: int, frame: object = None) -> None:
        """End on a signal; also on one that comes before the screen is there."""
        self.ended_by = number
        self._call(self.stop)

    def stop(self) -> None:
        """End at once: on a signal, or because the terminal is gone."""
        self.do(self.model.stop())

    def do(self, actions: Sequence[Action]) -> None:
        assert self._connection is not None
        if send(actions, self._connection):
            self.app.exit()
        self.app.redraw()

    def have_bots_wait(self) -> None:
        """Have bots wait while the card is read: else a short game may be over before it was."""
        reads = self.model.page == CARD
        if reads != self._waited_for and self._connection is not None:
            self._waited_for = reads
            self._connection.command({"command": "wait", "on": reads})

    def _deliver(self, message: Message) -> None:
        self._call(lambda: self._take(message))

    def _call(self, work: Callable[[], None]) -> None:
        """Call something in the screen's own thread, and draw again."""
        self._waiting.append(work)
        if self._begun is not None:
            loop, context = self._begun
            with suppress(RuntimeError):  # the screen was left meanwhile
                loop.call_soon_threadsafe(self._work, context=context)

    def _work(self) -> None:
        while self._waiting:
            self._waiting.popleft()()
        self.app.redraw()

    def _take(self, message: Message) -> None:
        was_over = self.model.over
        if isinstance(message, Reconnected):
            self._waited_for = False  # another keeper has the game, which nobody has told to wait
        self.do(self.model.take(message))
        self.have_bots_wait()
        if self.model.key != self._key:
            self._key = self.model.key
            self.app.clear()
        self._call_attention()
        over = self.model.over
        if over is None:
            self.model.lookback = None
        elif was_over is None:
            args = {"game": self.model.latest.game, "path": self.model.log.path}
            self.model.note(LOGGED.of(**args))
            if self._read is not None:
                waiting.beside(partial(self._replay, self._read, self.model.latest.game), "game that is looked at")

    def _call_attention(self) -> None:
        """Ring when somebody here is asked who was not asked before, and have the window's title say so."""
        model = self.model
        if not self._bell or model.asked == self._asked:
            return
        self._asked = model.asked
        if self._asked:
            self.app.bell()
        self.name_window()

    def name_window(self) -> None:
        """Have the window's title say whose turn it is, where that is wished."""
        if not self._bell or not self.model.ready:
            return
        whose = {"name": printable(self.model.names[self._asked - 1])} if self._asked else None
        self.app.name_window(str(Text("{name}: your turn", whose)) if whose else title_of(self.model.rules.name))

    def look_up(self) -> None:
        """Look up what the open page says, beside the screen."""
        page = self.model.page
        if page in LOOKED_UP and self._look_up is not None and not self._looks_up:
            self._looks_up = True
            waiting.beside(partial(self._find, self._look_up, page), "page")

    def _find(self, look_up: LookUp, page: str) -> None:
        found = look_up(page)
        self._call(lambda: self._show_found(page, found))

    def _show_found(self, page: str, found: Sequence[Text]) -> None:
        self.looked_up, self._looks_up = (page, found), False

    def _replay(self, read: Callable[[int], Played], game: int) -> None:
        """Read what can be looked back at, while the end is shown."""
        with suppress(Failure):  # the log is somewhere else, or cannot be read: the end is shown without it
            played = read(game)
            from tablier.screens.history import Lookback

            self._call(lambda: self._have(Lookback(played)))

    def _have(self, lookback: Lookback) -> None:
        """Have a game at hand to be looked back at, unless a take-back has opened it again."""
        if self.model.over is not None:
            self.model.lookback = lookback


__all__ = ["Full"]
