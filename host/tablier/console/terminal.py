"""The full-screen console of a game: the board, what happened, what is asked, and a line to type in.

The game runs in a thread of its own and posts what is to be shown; only the screen's thread draws and reads keys.
Everything shown comes from a view: of the one seat that sits here, or of a spectator when several share the screen.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from importlib import import_module
from io import StringIO
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, FormattedText
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import TextArea

from tablier.console.common import printable
from tablier.console.lines import final_text
from tablier.games.core import Event, Position
from tablier.log import Log
from tablier.log.telling import sentence
from tablier.play.asking import WINDOW, Ask
from tablier.play.course import Seat
from tablier.play.desk import Desk, Misread, Prompt, TakeBack, read
from tablier.play.game import Setting, Stopped
from tablier.play.screen import Screen

_STYLE = Style.from_dict(
    {
        "title": "reverse",
        "news": "bold",
        "note": "italic ansiyellow",
        "question": "bold ansicyan",
        "mine": "bold ansigreen",
        "hint": "ansibrightblack",
        "error": "ansired",
    }
)
_KEPT = 200  # messages
_WIDTH = 78
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
        self._app = self._application()

    # -- what the game's thread posts ------------------------------------------------------------------------

    def run(self, setting: Setting, open_log: Callable[[], Log], game_of: Callable[[Log], int]) -> None:
        """Plays until the game is over and has been looked at. Raises what the game raised, and ``Stopped``."""
        self._setting = setting
        self._desk = setting.desk(self._ask_here)

        def game() -> None:
            try:
                with open_log() as log:
                    number = game_of(log)
                    self._title = f"{log.game(number).game.capitalize()} · game {number}"
                    setting.play(log, number, self, self._desk)
            except BaseException as error:
                self._failure = error
                self._leave()

        thread = threading.Thread(target=game, name="game", daemon=True)
        self._app.run(pre_run=thread.start)
        setting.stop()
        thread.join()
        if self._failure is not None and self._end is None:
            raise self._failure

    def _leave(self) -> None:
        loop = self._app.loop
        if loop is not None:
            loop.call_soon_threadsafe(lambda: self._app.is_running and self._app.exit())

    def _say(self, style: str, text: str) -> None:
        self._messages.append((style, printable(text)))
        self._app.invalidate()

    def asked(self, ask: Ask, position: Position[Any]) -> None:
        self._question = self._named(ask.text)
        self._draw(position)
        self._app.invalidate()

    def progressed(self, ask: Ask, event: str, seat: int) -> None:
        if ask.kind == WINDOW:
            if event == "landed":
                self._say("", "A card lands in the arena.")
            elif event == "done" and seat:
                self._say("", f"{self.names[seat - 1]} throws no more.")

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        for event in events:
            if event.audience is None or self._viewer in event.audience:
                self._say("news", sentence(event, self.names))
        self._draw(position)

    def noted(self, text: str) -> None:
        self._say("note", text)

    def over(self, position: Position[Any], head: str) -> None:
        self._end = position, head
        self._draw(position)
        self._question = "The game is over. Press Enter to leave."
        self._app.invalidate()

    def _ask_here(self, prompts: list[Prompt]) -> None:
        self._prompts = prompts
        self._error = ""
        self._app.invalidate()

    def summary(self, log: str) -> str:
        assert self._end is not None
        return final_text(self.names, *self._end, log)

    def _named(self, text: str) -> str:
        return printable(sentence(Event("", text), self.names))

    def _draw(self, position: Position[Any]) -> None:
        from rich.console import Console

        rules = position.rules
        view = rules.view(position.state, self._viewer)
        board = import_module(f"tablier.draw.{rules.name}").text(rules, view, self.names)
        out = StringIO()
        Console(file=out, width=_WIDTH, force_terminal=True, color_system="standard").print(board, end="")
        self._board = ANSI(out.getvalue())

    # -- the screen's own thread ---------------------------------------------------------------------------------

    def _application(self) -> Application[None]:
        self._input = TextArea(
            height=1,
            multiline=False,
            prompt=self._input_prompt,
            password=Condition(lambda: bool(self._prompts) and self._prompts[0].secret),
            accept_handler=self._accept,
        )
        keys = KeyBindings()

        @keys.add("c-c")
        @keys.add("c-d")
        def _(event: KeyPressEvent) -> None:
            self._stop()

        def shown(text: Callable[[], AnyFormattedText], style: str = "", **size: Any) -> Window:
            return Window(FormattedTextControl(text), style=style, always_hide_cursor=True, **size)

        body = HSplit(
            [
                shown(lambda: f" {self._title}", "class:title", height=1),
                shown(lambda: self._board, dont_extend_height=True),
                shown(self._message_text, height=Dimension(min=2, weight=1)),
                shown(self._question_text, height=Dimension(min=1, max=2), wrap_lines=True, dont_extend_height=True),
                self._input,
                shown(self._hint_text, height=1),
            ]
        )
        return Application(Layout(body, self._input), key_bindings=keys, style=_STYLE, full_screen=True)

    def _message_text(self) -> FormattedText:
        lines = list(self._messages)
        info = self._app.layout.container.get_children()[2]
        height = getattr(getattr(info, "render_info", None), "window_height", 4) or 4
        return FormattedText([(f"class:{style}" if style else "", text + "\n") for style, text in lines[-height:]])

    def _question_text(self) -> FormattedText:
        return FormattedText([("class:question", self._question)])

    def _input_prompt(self) -> FormattedText:
        if not self._prompts:
            return FormattedText([("class:hint", "… ")])
        return FormattedText([("class:mine", f"{printable(self.names[self._prompts[0].seat - 1])}> ")])

    def _hint_text(self) -> FormattedText:
        if self._error:
            return FormattedText([("class:error", self._error)])
        if self._end is not None:
            return FormattedText([("class:hint", "Enter to leave")])
        if not self._prompts:
            return FormattedText([("class:hint", "others are at it · help, back, quit")])
        prompt = self._prompts[0]
        if self._must_confirm(prompt):
            name = printable(self.names[prompt.seat - 1])
            return FormattedText([("class:hint", f"For {name} alone: the others look away, then press Enter")])
        return FormattedText([("class:hint", f"{prompt.hint} · help, back, quit")])

    def _must_confirm(self, prompt: Prompt) -> bool:
        return prompt.secret and self._confirmed != (prompt.question, prompt.seat)

    def _accept(self, buffer: Buffer) -> bool:
        text = buffer.text.strip()
        self._error = ""
        if self._end is not None:
            self._app.exit()
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
        return False  # empties the line

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
        if self._app.is_running:
            self._app.exit()
