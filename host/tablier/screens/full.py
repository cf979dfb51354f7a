"""The full screen, for every game: the board, the news, the question and an input line.

Updates arrive in the conductor's thread and are handed over; only the screen's own thread draws and reads keys.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache

from prompt_toolkit.formatted_text import ANSI, AnyFormattedText

from tablier.play.connections import Connection
from tablier.printable import printable
from tablier.screens.frame import BOARD_WIDTH, Contents, Frame
from tablier.screens.model import HELP, Action, Model, send
from tablier.screens.paper import board, rules_page, wrapped
from tablier.screens.summary import LogName, scores_of
from tablier.texts import Json, Text

_KEYS = Text(
    "Suggestions stand below the line that you type; Tab completes it. PgUp, PgDn: older news. Enter while bots decide:"
    " skip the delay."
)
_TICK_S = 0.25
"""The seconds between two drawings of a time that runs out."""


class Full:
    """A full screen with its seats; without any it only shows."""

    def __init__(self, here: Sequence[int], log: LogName, *, evening: bool = False) -> None:
        """``evening``: Enter after the end means another game with the same people, see :attr:`another`."""
        self._model = Model(here, log)
        self._model.evening = evening
        self._connection: Connection | None = None
        self._key = self._model.key
        contents = Contents(
            title=lambda: printable(self._model.title),
            board=self._board,
            story=self._story,
            question=lambda: self._model.question,
            prompt=self._prompt,
            hint=self._hint,
            page=self._page,
        )
        self._frame = Frame(
            contents,
            lambda line: self._do(self._model.accept(line)),
            lambda: self._do(self._model.quit()),
            changed=self._model.changed,
            complete=self._model.complete,
            hidden=lambda: self._model.hidden,
        )

    def run(self, connection: Connection) -> str | None:
        """Show the game and play until it is over and the screen was left; return its summary.

        Return ``None`` when it was stopped before: by a person here, by SIGTERM or SIGHUP, or by :meth:`leave`.
        """
        self._connection = connection
        leave = connection.watch(self._model.viewers, self._deliver)
        try:
            self._frame.run(self._begin)
        except OSError:  # the terminal is gone
            self._do(self._model.stop())
        finally:
            leave()
        summary = self._model.summary
        if summary is None or self._model.stopped:
            return None
        last = " ".join(text for style, text in self._model.paragraphs[-3:] if style != "note")
        return "\n".join([*wrapped(last, 80), summary])

    @property
    def another(self) -> bool:
        """Return whether somebody here wants another game with the same people."""
        return self._model.another

    def leave(self) -> None:
        """Leave the screen; call from any thread."""
        self._frame.leave()

    def tell_address(self, address: str) -> None:
        """Show where browsers find the game; call from any thread."""
        self._call(lambda: self._model.tell_address(address))

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with suppress(ValueError):  # not the main thread: whoever runs this sees to signals
                loop.add_signal_handler(number, self._terminated)
        self._frame.app.create_background_task(self._tick())

    def _terminated(self) -> None:
        """End on a signal, and restore the terminal."""
        self._do(self._model.stop())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            if self._model.seconds_left is not None:
                self._frame.redraw()

    def _deliver(self, message: Json) -> None:
        self._call(lambda: self._take(message))

    def _call(self, work: Callable[[], None]) -> None:
        """Call something in the screen's own thread, and draw again."""
        loop = self._frame.app.loop
        if loop is None:
            self._draw_after(work)  # before the screen has begun: nobody else touches the model yet
            return
        with suppress(RuntimeError):  # the screen was left meanwhile
            loop.call_soon_threadsafe(self._draw_after, work)

    def _draw_after(self, work: Callable[[], None]) -> None:
        work()
        self._frame.redraw()

    def _take(self, message: Json) -> None:
        was_over = self._model.over
        self._do(self._model.take(message))
        if self._model.key != self._key:
            self._key = self._model.key
            self._frame.clear()
        over = self._model.over
        if over is not None and was_over is None:
            self._model.note(Text("Final scores: {scores}.", {"scores": scores_of(self._model.latest)}))
            args = {"game": self._model.latest["game"], "path": self._model.log.path, "head": over["head"]}
            self._model.note(Text("Logged as game {game} in {path}; the head of the log is {head}", args))

    def _do(self, actions: Sequence[Action]) -> None:
        assert self._connection is not None
        if send(actions, self._connection):
            self._frame.leave()
        self._frame.redraw()

    # -- what is drawn ---------------------------------------------------------------------------------------------

    def _board(self) -> AnyFormattedText:
        model = self._model
        if not model.ready:
            return ""
        canvas = model.canvas(BOARD_WIDTH, typed=self._frame.input.text)
        return ANSI(board(model.rules, model.view, model.names, BOARD_WIDTH, canvas))

    def _story(self, width: int) -> Sequence[tuple[str, str]]:
        return [(style, line) for style, text in self._model.paragraphs for line in wrapped(text, width, "· ", "  ")]

    def _prompt(self) -> tuple[str, str]:
        style, text = self._model.prompt
        return style, printable(text)

    def _hint(self, typed: str, width: int) -> Sequence[tuple[str, str]]:
        return [(style, line) for style, text in self._model.hint(typed, width) for line in wrapped(text, width)][:2]

    def _page(self, width: int) -> Sequence[AnyFormattedText] | None:
        if self._model.page == HELP:
            sections = self._model.help(_KEYS)
            return [
                line for texts in sections for line in (*(row for text in texts for row in wrapped(text, width)), "")
            ]
        return _lines(self._model.rules.name, width) if self._model.page else None


@lru_cache(maxsize=4)
def _lines(game: str, width: int) -> tuple[ANSI, ...]:
    return tuple(ANSI(line) for line in rules_page(game, width).splitlines())


__all__ = ["Full"]
