"""The full-screen console of a game at a table: what the people at the keyboard are asked, and what they answer.

The game runs in a thread of its own and posts what is to be shown; only the screen's thread draws and reads keys.
Everything shown comes from a view: of the one seat that sits here, or of a spectator when several share the screen.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from prompt_toolkit.formatted_text import AnyFormattedText

from tablier.console.common import printable
from tablier.console.frame import Contents, Frame, board_of, named, wrapped
from tablier.console.lines import final_text
from tablier.games import game_class
from tablier.games.core import Event, Position
from tablier.log import Log
from tablier.play.asking import WINDOW, Ask
from tablier.play.course import Seat
from tablier.play.desk import Desk, Misread, Prompt, TakeBack, read
from tablier.play.game import Setting, Stopped
from tablier.play.screen import Screen

_KEPT = 200  # messages
_HELP = (
    "Type what the line below the question offers; the beginning of a word is enough.",
    "back    take the last move back (back 3: three moves)     quit   stop; 'tablier resume' goes on",
)


class Terminal(Screen):
    """Plays a game in a terminal, full screen."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self._seats = tuple(seats)
        self.names = [seat.name for seat in seats]
        here = [number for number, seat in enumerate(seats, 1) if seat.at_keyboard]
        self._viewer = here[0] if len(here) == 1 else None
        self._messages: deque[tuple[str, str]] = deque(maxlen=_KEPT)
        self._board: AnyFormattedText = ""
        self._title = "Setting the table …"
        self._question = ""
        self._prompts: list[Prompt] = []
        self._error = ""
        self._confirmed: tuple[int, int] | None = None  # (question, seat) that looks at the screen alone
        self._end: tuple[Position[Any], str] | None = None
        self._failure: BaseException | None = None
        self._setting: Setting | None = None
        self._desk: Desk | None = None
        contents = Contents(
            title=lambda: self._title,
            board=lambda: self._board,
            story=self._story,
            question=lambda: self._question,
            prompt=self._prompt,
            hint=self._hint,
        )
        self._frame = Frame(contents, self._accept, self._stop, changed=self._changed, hidden=self._hides)

    # -- what the game's thread posts ------------------------------------------------------------------------

    def run(self, setting: Setting, open_log: Callable[[], Log], game_of: Callable[[Log], int]) -> None:
        """Plays until the game is over and has been looked at. Raises what the game raised, and ``Stopped``."""
        self._setting = setting
        self._desk = setting.desk(self._ask_here)

        def game() -> None:
            try:
                with open_log() as log:
                    number = game_of(log)
                    self._title = f"{game_class(log.game(number).game).title} · game {number}"
                    setting.play(log, number, self, self._desk)
            except BaseException as error:
                self._failure = error
                self._frame.leave()

        thread = threading.Thread(target=game, name="game", daemon=True)
        self._frame.app.run(pre_run=thread.start)
        setting.stop()
        thread.join()
        if self._failure is not None and self._end is None:
            raise self._failure

    def _say(self, style: str, text: str) -> None:
        self._messages.append((style, printable(text)))
        self._frame.redraw()

    def asked(self, ask: Ask, position: Position[Any]) -> None:
        self._question = named(ask.text, self.names)
        self._draw(position)
        self._frame.redraw()

    def progressed(self, ask: Ask, event: str, seat: int) -> None:
        if ask.kind == WINDOW:
            if event == "landed":
                self._say("", "A card lands in the arena.")
            elif event == "done" and seat:
                self._say("", f"{self.names[seat - 1]} throws no more.")

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        for event in events:
            if event.audience is None or self._viewer in event.audience:
                self._say("news", named(event.text, self.names))
        self._draw(position)

    def noted(self, text: str) -> None:
        self._say("note", text)

    def over(self, position: Position[Any], head: str) -> None:
        self._end = position, head
        self._draw(position)
        self._question = "The game is over. Press Enter to leave."
        self._frame.redraw()

    def _ask_here(self, prompts: list[Prompt]) -> None:
        self._prompts = prompts
        self._error = ""
        self._frame.redraw()

    def summary(self, log: str) -> str:
        assert self._end is not None
        return final_text(self.names, *self._end, log)

    def _draw(self, position: Position[Any]) -> None:
        self._board = board_of(position.rules, position.rules.view(position.state, self._viewer), self.names)

    # -- the screen's own thread ---------------------------------------------------------------------------------

    def _story(self, width: int) -> Sequence[tuple[str, str]]:
        return [(style, line) for style, text in list(self._messages) for line in wrapped(text, width, rest="  ")]

    def _prompt(self) -> tuple[str, str]:
        if not self._prompts:
            return "hint", "… "
        return "mine", f"{printable(self.names[self._prompts[0].seat - 1])}> "

    def _hint(self, typed: str, width: int) -> Sequence[tuple[str, str]]:
        if self._error:
            return [("error", self._error)]
        if self._end is not None:
            return [("hint", "Enter to leave")]
        if not self._prompts:
            return [("hint", "others are at it · help, back, quit")]
        prompt = self._prompts[0]
        if self._must_confirm(prompt):
            name = printable(self.names[prompt.seat - 1])
            return [("strong", f"For {name} alone: the others look away, then press Enter")]
        return [("hint", f"{prompt.hint} · help, back, quit")]

    def _hides(self) -> bool:
        return bool(self._prompts) and self._prompts[0].secret

    def _must_confirm(self, prompt: Prompt) -> bool:
        return prompt.secret and self._confirmed != (prompt.question, prompt.seat)

    def _changed(self) -> None:
        self._error = ""

    def _accept(self, text: str) -> None:
        self._error = ""
        if self._end is not None:
            self._frame.app.exit()
        elif text in ("quit", "exit"):
            self._stop()
        elif text in ("help", "?"):
            for line in _HELP:
                self._say("note", line)
        elif text.split(" ")[0] == "back":
            self._take_back(text.removeprefix("back").strip() or "1")
        elif self._prompts:
            self._answer(self._prompts[0], text)
        elif text:
            self._error = "Nothing is asked here just now."

    def _answer(self, prompt: Prompt, text: str) -> None:
        if self._must_confirm(prompt):
            self._confirmed = (prompt.question, prompt.seat)
            return
        if not text:
            return
        try:
            answer = read(prompt, text)
        except Misread as error:
            self._error = "That is no answer here." if prompt.secret else str(error)
            return
        self._post(answer)

    def _take_back(self, count: str) -> None:
        if count.isdigit() and int(count) > 0:
            self._post(TakeBack(int(count)))
        else:
            self._error = f"back takes a number of moves, not {count!r}"

    def _post(self, answer: Any) -> None:
        assert self._desk is not None and self._setting is not None
        self._desk.answers.put(answer)
        self._setting.wake()

    def _stop(self) -> None:
        if self._end is None and self._failure is None:
            self._failure = Stopped()
        if self._frame.app.is_running:
            self._frame.app.exit()
