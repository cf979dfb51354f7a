"""The full screen, for every game: the board, the news, the question and a line to type in.

Updates arrive in the conductor's thread and are handed over; only the screen's own thread draws and reads keys.
"""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from functools import lru_cache, partial
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text as Styled
from textual import events
from textual.app import SystemCommand
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.widget import Widget

from tablier.extras import command_to_add
from tablier.play.connections import Connection
from tablier.printable import ascii_only, printable
from tablier.screens.commands import CARD, FASTER, GAME, HELP, LOOKED_UP, SLOWER, TOO_LONG, Command
from tablier.screens.editor import Editor, can_be_typed
from tablier.screens.lookback import Lookback
from tablier.screens.model import HINT_LINES, PACE_S, Action, Model, Option, send
from tablier.screens.overview import LookUp
from tablier.screens.paper import board_lines, rules_page, wrapped
from tablier.screens.replay import Played
from tablier.screens.scrolled import Scrolled
from tablier.screens.story import Turn
from tablier.screens.summary import LogName, results, turning_lines
from tablier.screens.terminal import Driver, Program, first_line, kept_signals
from tablier.texts import Failure, Json, Text

if TYPE_CHECKING:
    from tablier.screens.abilities import Ability
    from tablier.screens.pictures import Showing

BOARD_WIDTH = 78
_HELP = Text("Tab completes, ↑ ↓ choose, Esc goes back; + and - change the pace of bots.")
_KEYS = (
    Text("F1 help  Ctrl-P commands  Ctrl-Q quit"),
    Text("F1 help  Ctrl-P commands"),
    Text("F1 help"),
)
"""What the first line says of keys, the most that fits."""
_CHOOSE = Text("Choose with ↑ ↓ and Enter:")
_PART = Text("(there are more)")
_LOOK = Text("← →: look back at the game")
_LOOKING = Text("← →: a move back or forward · Shift with it: ten · Home, End · Esc: the end")
_LOOKS_UP = Text("Looking it up …")
_BACK = "looking back"
"""Whose view it is when somebody looks back at a game."""
_PACE = {"+": FASTER, "-": SLOWER}
_LOOKS = {"left": -1, "right": 1, "shift+left": -10, "shift+right": 10, "home": -(1 << 30), "end": 1 << 30}
"""By key: how many moves further on it looks at a game that is over."""
_WINS = Text("wins")
_CURVE = 60
"""The most columns of a curve of points."""
_HANGING = 4
"""The columns by which what an option leads to is indented below a long one."""
_ROWS = 4
"""The rows from which on options stand in columns."""
_NARROW = Text("{count} columns show all", {"count": BOARD_WIDTH + 2})
"""Said in the place of the keys where the board is cut."""
_NO_PICTURES = Text("This terminal shows no pictures.")
_TICK_S = 0.25
"""The seconds between two drawings of a time that runs out."""
_WHEEL = 3
"""The lines that a turn of the mouse's wheel scrolls."""
_READABLE = 60
"""The columns from which on the rules can be read beside the board."""
_STORY_LINES = 2
"""The least lines of the news."""
_HINT_MOST = 4
"""The most lines below the line to type in, where neither the board nor the least of the news needs them."""
_STYLES = {
    "old": "bright_black",
    "note": "yellow",
    "question": "bold cyan",
    "mine": "bold green",
    "hint": "bright_black",
    "strong": "bold yellow",
    "error": "red",
    "chosen": "reverse",
    "heading": "bold",
}
WIDE = 110
"""The columns from which on the news stand beside the board."""
_SIDE = 40
"""The columns of the news in a terminal that is a little wider."""


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

    def tell_address(self, address: str) -> None:
        """Show where browsers find the game; call from any thread."""
        self._call(lambda: self.model.tell_address(address))

    # -- in the screen's own thread ----------------------------------------------------------------------------------

    def begin(self) -> None:
        """Take what has come before the screen was there."""
        loop = asyncio.get_running_loop()
        with suppress(ValueError, RuntimeError):  # not the main thread: whoever runs this sees to signals
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

    def _deliver(self, message: Json) -> None:
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

    def _take(self, message: Json) -> None:
        was_over = self.model.over
        if "again" in message:
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
            args = {"game": self.model.latest["game"], "path": self.model.log.path}
            self.model.note(Text("Logged as game {game} in {path}.", args))
            if self._read is not None:
                Thread(target=self._replay, args=(self._read, self.model.latest["game"]), daemon=True).start()

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
        self.app.name_window(str(Text("{name}: your turn", whose)) if whose else self.model.rules.title)

    def look_up(self) -> None:
        """Look up what the open page says, beside the screen."""
        page = self.model.page
        if page in LOOKED_UP and self._look_up is not None and not self._looks_up:
            self._looks_up = True
            Thread(target=self._find, args=(self._look_up, page), daemon=True).start()

    def _find(self, look_up: LookUp, page: str) -> None:
        found = look_up(page)
        self._call(lambda: self._show_found(page, found))

    def _show_found(self, page: str, found: Sequence[Text]) -> None:
        self.looked_up, self._looks_up = (page, found), False

    def _replay(self, read: Callable[[int], Played], game: int) -> None:
        """Read what can be looked back at, while the end is shown."""
        with suppress(Failure):  # the log is somewhere else, or cannot be read: the end is shown without it
            played = read(game)
            self._call(lambda: self._have(Lookback(played)))

    def _have(self, lookback: Lookback) -> None:
        """Have a game at hand to be looked back at, unless a take-back has opened it again."""
        if self.model.over is not None:
            self.model.lookback = lookback


class Console(Program[None]):
    """The program that a full screen runs."""

    CSS = """
    CommandPalette { background: ansi_default; }
    CommandPalette > Vertical { margin: 2 0; }
    """

    def __init__(self, full: Full) -> None:
        self._play = Play(full)
        super().__init__(self._play)
        self._full = full
        self.failure: Exception | None = None
        """What has gone wrong while the screen was drawn."""

    def begin(self) -> None:
        self._full.begin()
        self.app_resume_signal.subscribe(self, lambda _: self._resume())
        if not _has_pictures():
            about = {"command": command_to_add("pictures")}
            self._full.model.no_picture = Text("Pictures are not installed: {command}", about)
            return
        self._full.model.no_picture = _NO_PICTURES
        self.ask()

    def ask(self) -> None:
        """Ask the terminal whether and how it shows pictures."""
        # By a colour kitty's protocol says which picture it is.
        colours = self.console.color_system == "truecolor" and not self.no_color
        if isinstance(self._driver, Driver) and colours and not ascii_only():
            from tablier.screens.abilities import ASK, Replies

            self._driver.ask(ASK, Replies(lambda ability: self.call_later(self.use, ability)))

    def _resume(self) -> None:
        """Bring back what the terminal has lost while the screen was suspended."""
        self._play.forget_picture()
        self._full.name_window()

    def use(self, ability: Ability | None) -> None:
        """Show the board as a picture from now on, in a terminal that can."""
        if ability is not None:
            self._full.model.no_picture = None
            self._play.use(ability)

    def send(self, text: str, at_end: str = "") -> None:
        """Write to the terminal what is no text of the screen; ``at_end``: what is to be written when it is left."""
        if isinstance(self._driver, Driver):
            self._driver.send(text, at_end)

    def redraw(self) -> None:
        """Draw the screen again."""
        self._play.redraw()

    def clear(self) -> None:
        """Empty the line: it belonged to an earlier question."""
        self._play.clear()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Return what the palette lists: every command, with its key."""
        for command in GAME:
            title = f"{command.name:9} {key_name(command.key):7}{command.does}"
            yield SystemCommand(title, "", partial(self._play.command, command))

    def name_window(self, title: str) -> None:
        """Give the terminal's window a title."""
        if isinstance(self._driver, Driver):
            self._driver.name_window(title)

    def lose_terminal(self) -> None:
        """End: nobody sees this screen any more."""
        self._full.stop()

    async def action_quit(self) -> None:
        if len(self.screen_stack) > 1:  # the palette stands before the question
            self.pop_screen()
        self._full.quit()

    def _fatal_error(self) -> None:
        """End with what has gone wrong: whoever runs the screen raises it, once the terminal is as it was."""
        self.failure = self._exception
        self._close_messages_no_wait()


def _has_pictures() -> bool:
    """Return whether the extra ``pictures`` is installed."""
    return all(find_spec(name) is not None for name in ("resvg_py", "textual_image"))


class Play(Widget, can_focus=True):
    """A game, drawn as a whole: no drawing mixes what one seat may see with what another one may."""

    DEFAULT_CSS = "Play { width: 1fr; height: 1fr; }"

    def __init__(self, full: Full) -> None:
        super().__init__()
        self._full = full
        self._model = full.model
        self._story, self._page = Scrolled(page=False), Scrolled(page=True)
        self.editor = Editor()
        self._showing: Showing | None = None
        """What shows the board as a picture, in a terminal that can."""
        self._chosen: int | None = None
        """The number of the option that is pointed at."""
        self._listed: list[tuple[range, range, int]] = []
        """Where each option stands on the screen: rows, columns, and its number."""
        self._keys: dict[str, Callable[[], None]] = {
            "escape": self._back,
            "pageup": partial(self._turn, -1),
            "pagedown": partial(self._turn, 1),
            "up": partial(self._choose, -1),
            "down": partial(self._choose, 1),
            **{command.key: partial(self.command, command) for command in GAME if command.key != "ctrl+q"},
            "tab": self._complete,
            **dict.fromkeys(("enter", "ctrl+j"), self._enter),
        }

    def on_mount(self) -> None:
        self.set_interval(_TICK_S, self._tick)

    def on_resize(self) -> None:
        self.redraw()
        if self._showing is not None:  # cells may have another size, too
            self._full.app.ask()

    def on_unmount(self) -> None:
        if self._showing is not None:
            self._showing.close()

    def use(self, ability: Ability) -> None:
        """Show the board as a picture, in a terminal that can."""
        from tablier.screens.pictures import Showing

        if self._showing is None:
            self._showing = Showing(self, self._full.app.send, self._lose_pictures)
        self._showing.ability = ability
        self.redraw()

    def _lose_pictures(self, why: Text) -> None:
        """Show the board in characters from now on."""
        self._showing, self._model.no_picture = None, why
        self.redraw()

    def forget_picture(self) -> None:
        """Have the board painted again: the terminal has lost its picture."""
        if self._showing is not None:
            self._showing.forget()
        self.redraw()

    def redraw(self) -> None:
        """Draw again. Beside a picture only what stands around it: the picture would be sent each time."""
        if self._showing is not None:
            width, height = self.size
            self._lines(width, height)
            columns, rows = self._showing.cells
            if not self._showing.place() and rows:
                beside = Region(columns, 1, width - columns, rows)
                self.refresh(Region(0, 0, width, 1), beside, Region(0, rows + 1, width, height - rows - 1))
                return
        self.refresh()

    # -- what is typed -----------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        # Not bindings: those are looked at after keys that were typed since.
        before, fits = self.editor.text, True
        lookback = self._lookback
        if event.key in _LOOKS and lookback is not None and not before and not self._model.page:
            self._chosen = None
            self._model.changed()
            lookback.step(_LOOKS[event.key])
        elif event.character in _PACE and not before and self._model.ready and not self._model.page:
            self._full.accept(_PACE[event.character])
        elif event.key in self._keys:
            self._keys[event.key]()
        elif event.character is not None and can_be_typed(event.character):
            fits = self.editor.insert(event.character)
        elif not self.editor.press(event.key):
            return
        event.stop()
        event.prevent_default()
        if self.editor.text != before:
            self._chosen = 0 if event.key == "enter" and self.editor.text else None
            if self.editor.text:
                self._model.changed()
        if not fits:
            self._model.refuse(TOO_LONG)
        self._full.have_bots_wait()
        self.redraw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        fits = self.editor.insert(first_line(event.text))
        self._model.changed()
        if not fits:
            self._model.refuse(TOO_LONG)
        self.redraw()

    def on_mouse_scroll_up(self) -> None:
        self._read.scroll(-_WHEEL)
        self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self._read.scroll(_WHEEL)
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Choose what somebody points at; what is chosen already is taken."""
        for rows, columns, number in self._listed:
            if event.y in rows and event.x in columns:
                if number == self._chosen:
                    self._enter()
                else:
                    self._chosen = number
                self.redraw()

    def command(self, command: Command) -> None:
        """Do what a command does; where it takes more, begin its line. What stands before the game is left first."""
        model = self._model
        model.changed()
        model.quitting = False
        if command.page:
            model.page = "" if model.page == command.page or not model.ready else command.page
            self._full.look_up()
        else:
            model.page = ""
            if not command.whole and model.ready:
                self.editor.put(f"{command.name} ")
            else:
                self._full.accept(command.name)
        self._full.have_bots_wait()
        self.redraw()

    def _enter(self) -> None:
        line = self.editor.text
        if not line and self._chosen is None and self._model.over is not None and self._options:
            self._chosen = 0  # not taken at once: Enter may have been meant for a bot's delay
            return
        if self._chosen is not None:
            option = self._options[self._chosen]
            line, self._chosen = option.line, None
            if not option.whole:
                self.editor.put(line)
                self._chosen = 0
                return
        self.editor.put("")
        self._story.end()
        self._full.accept(line)

    def _choose(self, step: int) -> None:
        """Point at the next thing that can be chosen; where there is nothing, scroll."""
        count = len(self._options)
        if count:
            start = -1 if step > 0 else count
            self._chosen = ((start if self._chosen is None else self._chosen) + step) % count
        else:
            self._read.scroll(step)

    @property
    def _options(self) -> list[Option]:
        return self._model.options(self.editor.text) if self._model.ready else []

    @property
    def _lookback(self) -> Lookback | None:
        """Return the game that can be looked back at."""
        lookback = self._model.lookback
        return lookback if lookback is not None and lookback.possible else None

    def _back(self) -> None:
        """Leave an offer to quit, a page, or a line that was begun: whatever stands open last. An error was read."""
        self._model.changed()
        if self._model.quitting:
            self._model.quitting = False
        elif self._model.page:
            self._model.page = ""
        elif self._chosen is not None:
            self._chosen = None
        elif self._lookback is not None and self._model.looks and not self.editor.text:
            self._lookback.end()
        elif self.editor.text:
            self.editor.put("")
        else:
            self._model.dismiss()

    def _turn(self, pages: int) -> None:
        self._read.turn(pages)

    def clear(self) -> None:
        """Empty the line, and choose nothing."""
        self.editor.put("")
        self._chosen = None

    def _complete(self) -> None:
        self.editor.put(self._model.complete(self.editor.text))

    @property
    def _read(self) -> Scrolled:
        """Return what is read now."""
        return self._page if self._model.page else self._story

    def _tick(self) -> None:
        self._full.look_up()
        if self._model.seconds_left is not None:
            self.redraw()

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def render(self) -> Styled:
        return Styled("\n", no_wrap=True, end="").join(self._lines(*self.size))

    def _lines(self, width: int, height: int) -> list[Styled]:
        """Return the lines of the screen."""
        if self._showing is not None:
            self._showing.begin()
        model, inner = self._model, max(20, width - 2)
        asked = [Styled(line, _STYLES["question"]) for line in wrapped(model.question, inner)[:2]]
        style, lead = model.prompt
        prompt = self.editor.line(_STYLES[style], printable(lead), width, hidden=model.hidden)
        hints = model.hint(self.editor.text, inner)
        hint = [Styled(line, _STYLES[style]) for style, text in hints for line in wrapped(text, inner)]
        if self._lookback is not None and not self.editor.text and not model.error and not model.page:
            about = [Styled(str(_LOOKING), _STYLES["hint"])]
            hint = about if self._model.looks else [*hint[:1], Styled(str(_LOOK), _STYLES["hint"])]
        room = max(0, height - 1 - len(asked) - 1)
        most = self._hint_lines(width, room, len(hint))
        below = [*asked, prompt, *_filled(_shortened(hint, most, inner), most)]
        room = max(0, room - most)
        title = model.title
        if self._lookback is not None and self._model.looks:
            title = str(self._lookback.title)
        lines = [_title(title, width), *_filled(self._middle(width, room), room), *below]
        for line in lines:
            line.truncate(width)
        return lines

    def _hint_lines(self, width: int, room: int, wanted: int) -> int:
        """Return how many lines a hint gets below the line to type in, of those that it shares with the middle."""
        for lines in range(min(wanted, _HINT_MOST), HINT_LINES, -1):
            if self._fits(width, room - lines):
                return lines
        return HINT_LINES

    def _fits(self, width: int, room: int) -> bool:
        """Return whether the middle has room for the board and the least of the news."""
        model = self._model
        if not model.ready or self._showing is not None:  # a picture is made smaller
            return room > 0
        canvas = model.canvas(*_board_size(width, room), self.editor.text)
        board = board_lines(model.rules, model.view, model.names, canvas)
        return len(board) + (0 if _side(width) else _STORY_LINES) <= room

    def _middle(self, width: int, room: int) -> list[Styled]:
        """Return the lines between the title and the question."""
        model, self._listed = self._model, []
        if not model.ready:
            return []
        side = _side(width)
        options = self._options
        if self._chosen is not None and self._chosen >= len(options):
            self._chosen = len(options) - 1 if options else None
        beside = side and (model.page in (HELP, CARD) or side >= _READABLE)
        if model.page and not beside:
            return self._paged(width, room)
        left = width - side
        chosen = options[self._chosen].line if self._chosen is not None else self.editor.text
        cells = _board_size(width, room)
        if not side:
            shown = self._list(options, room // 2, room, 0, width) if self._chosen is not None else self._end(width)
            most = max(1, room - max(_STORY_LINES, len(shown)))
            drawn, told = self._board(cells, Size(width, cells.height), most, chosen)
            drawn = _cut(drawn, most)
            if self._chosen is not None:
                return [*_filled(drawn, room - len(shown))[: room - len(shown)], *shown]
            if shown:
                news = self._news(told, max(20, width - 2), room - len(drawn) - len(shown))
                return [*_filled([*drawn, *news], room - len(shown)), *shown]
            return [*drawn, *self._news(told, max(20, width - 2), room - len(drawn))]
        drawn, told = self._board(cells, cells, room, chosen)
        if model.page:
            right = self._paged(side - 2, room)
        else:
            shown = self._list(options, room // 2, room, left + 1, side - 1) or self._end(side - 2)
            news = self._news(told, side - 2, room - len(shown))
            right = [*_filled(news, room - len(shown)), *shown]
        return _beside(_cut(drawn, room), right, left, room)

    def _news(self, told: tuple[Turn, ...], width: int, room: int) -> list[Styled]:
        """Return the end of the story, or what somebody has scrolled to."""
        return self._story.lines((told, room), partial(_told, told, room), width, room)

    def _board(self, cells: Size, for_picture: Size, most: int, chosen: str) -> tuple[list[Styled], tuple[Turn, ...]]:
        """Return the board and the story: as they are, or at the move at which somebody looks back.

        ``cells`` is the room for a board in characters, ``for_picture`` that for a picture, of which ``most`` lines
        are free. Where there is a picture the board is empty lines, before which it stands.
        """
        model, lookback = self._model, self._lookback
        viewer: object
        if lookback is None or not model.looks:
            viewer, view, told = model.viewer, model.view, tuple(model.turns)
            canvas = model.canvas(*cells, chosen)
        else:
            viewer, view, told = _BACK, lookback.view(), tuple(Turn("", (text,)) for text in lookback.story())
            canvas = lookback.canvas(*cells)
        if self._showing is not None and model.pictured and not canvas.thrown:  # cards in the air no picture has
            rows = self._showing.rows(viewer, model.rules, view, model.names, canvas.last, for_picture, most)
            if rows:
                return _filled([], rows), told
        return board_lines(model.rules, view, model.names, canvas), told

    def _end(self, width: int) -> list[Styled]:
        """Return the standings of a game that is over with the course of each player's points, and its turning
        points."""
        if self._model.over is None or self._model.looks:
            return []
        played = self._lookback.played if self._lookback is not None else None
        standings = results(self._model.latest)
        names = max(cell_len(name) for name, _, _ in standings)
        points = max(cell_len(score) for _, score, _ in standings)
        lines = []
        for seat, (name, score, won) in enumerate(standings, 1):
            line = Styled(
                f" {name}{' ' * (names - cell_len(name))}  {score:>{points}} ", _STYLES["mine"] if won else ""
            )
            line.append(f"{_WINS if won else ' ' * len(str(_WINS))}  ")
            if played is not None:
                line.append(played.curve(seat, max(0, min(_CURVE, width - line.cell_len - 1))), _STYLES["note"])
            lines.append(line)
        turning = [Styled(f" {line}") for text in turning_lines(played) for line in wrapped(text, width - 2, "", "  ")]
        return [Styled(), *lines, *turning]

    def _paged(self, width: int, room: int) -> list[Styled]:
        page = self._model.page
        state = (page, self._full.looked_up) if page in LOOKED_UP else page
        return self._page.lines(state, self._paper, min(width - 1, BOARD_WIDTH), room)

    def _list(self, options: Sequence[Option], most: int, bottom: int, left: int, width: int) -> list[Styled]:
        """Return the options as lines that end at a row of the middle, column by column, and note where they stand."""
        if not options:
            return []
        longest = max(cell_len(option.line) for option in options)
        whole = longest + 4 + max(cell_len(option.leads) for option in options)
        cell = min(width, whole)
        if whole > width and (lines := self._wrapped(options, most - 1, bottom, left, width, longest)):
            return lines
        rows = max(1, min(most - 1, len(options), max(_ROWS, -(-len(options) // max(1, width // cell)))))
        columns = max(1, min(width // cell, -(-len(options) // rows)))
        page = rows * columns
        first = (self._chosen or 0) // page * page
        top = 1 + bottom - rows  # the title stands above
        lines = [Styled() for _ in range(min(rows, len(options) - first))]
        for number, option in enumerate(options[first : first + page], first):
            line = Styled(f" {printable(option.line)}{' ' * (longest - cell_len(option.line) + 2)}")
            line.append(printable(option.leads), "" if number == self._chosen else _STYLES["hint"])
            line.truncate(cell - 1, overflow="ellipsis", pad=True)
            if number == self._chosen:
                line.stylize(_STYLES["chosen"])
            column, row = divmod(number - first, rows)
            at = left + column * cell
            self._listed.append((range(top + row, top + row + 1), range(at, at + cell), number))
            lines[row].append_text(line).append(" ")
        more = len(options) - page
        head = Styled(f" {_CHOOSE}", _STYLES["hint"])
        return [head.append(f" {_PART}" if more > 0 else ""), *lines]

    def _wrapped(
        self, options: Sequence[Option], most: int, bottom: int, left: int, width: int, longest: int
    ) -> list[Styled]:
        """Return the options one below the other, each with all that it leads to, and note where they stand; nothing
        if that takes more lines than ``most``. The names of options take ``longest`` columns at most."""
        rest = " " * (longest + 3 if 2 * longest < width else _HANGING)
        found = []
        for number, option in enumerate(options):
            label = f" {printable(option.line)}{' ' * (longest - cell_len(option.line) + 2)}"
            lines = [Styled(line) for line in wrapped(option.leads, width - 1, label, rest)]
            for row, line in enumerate(lines):
                if number == self._chosen:
                    line.truncate(width - 1, pad=True)
                    line.stylize(_STYLES["chosen"])
                else:
                    line.stylize(_STYLES["hint"], 0 if row else len(label))
            found.append(lines)
        if sum(map(len, found)) > most:
            return []
        top = 1 + bottom - sum(map(len, found))  # the title stands above
        for number, lines in enumerate(found):
            self._listed.append((range(top, top + len(lines)), range(left, left + width), number))
            top += len(lines)
        return [Styled(f" {_CHOOSE}", _STYLES["hint"]), *(line for lines in found for line in lines)]

    def _paper(self, width: int) -> list[Styled]:
        """Return the page that is being read."""
        if self._model.page == CARD:
            head = [Styled(self._model.rules.title, _STYLES["heading"])]
            return [*head, *(line for section in self._model.card(keys=True) for line in _section(*section, width))]
        if self._model.page in LOOKED_UP:
            page, texts = self._full.looked_up
            told = texts if page == self._model.page else [_LOOKS_UP]
            return [Styled(line) for text in told for line in wrapped(str(text), width, "", "  ")]
        if self._model.page != HELP:
            return _rules(self._model.rules.name, width)
        sections = ((line for text in texts for line in wrapped(text, width)) for texts in self._model.help(_HELP))
        return [Styled(line) for lines in sections for line in (*lines, "")]


def _section(head: str, paragraphs: Sequence[str], width: int) -> list[Styled]:
    """Return a heading and its paragraphs, below an empty line."""
    lines = [Styled(line) for text in paragraphs for line in wrapped(text, width)]
    return [Styled(), Styled(head, _STYLES["heading"]), *lines]


def _cut(lines: list[Styled], most: int) -> list[Styled]:
    """Return the lines of a board, as many as there may be; where some are left out, the last line says so."""
    if len(lines) <= most:
        return lines
    said = Text("… {count} more lines of the board", {"count": len(lines) - most + 1})
    return [*lines[: most - 1], Styled(str(said), _STYLES["hint"])]


def _filled(lines: list[Styled], count: int) -> list[Styled]:
    """Return the lines, and empty ones up to their number."""
    return [*lines, *(Styled() for _ in range(count - len(lines)))]


def _side(width: int) -> int:
    """Return the columns beside the board, 0 in a narrow terminal."""
    return 0 if width < WIDE else min(_READABLE + 10, width - BOARD_WIDTH - 2, max(_SIDE, width // 3))


def _board_size(width: int, room: int) -> Size:
    """Return the room for a board in characters, of the lines between the title and the question."""
    side = _side(width)
    return Size(width - side - 2, room) if side else Size(BOARD_WIDTH, room - max(_STORY_LINES, room // 4))


def _shortened(lines: list[Styled], most: int, width: int) -> list[Styled]:
    """Return the first lines of a hint; where some are left out, the last one ends with a sign of it."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1].copy()
    last.truncate(width - 2)
    last.rstrip()
    return [*lines[: most - 1], last.append(" …")]


def _beside(left: Sequence[Styled], right: Sequence[Styled], width: int, rows: int) -> list[Styled]:
    """Return the lines of two columns, of which the first one has a width."""
    found = []
    for number in range(rows):
        line = left[number].copy() if number < len(left) else Styled()
        line.truncate(width - 1, pad=True)
        line.append("│", _STYLES["hint"]).append(" ")
        found.append(line.append_text(right[number]) if number < len(right) else line)
    return found


def _title(title: str, columns: int) -> Styled:
    """Return the first line: the game, and as many of the keys as there is room for; where the board is cut, that is
    said first, in the place of the title's end."""
    parts = printable(title).split(" · ")
    lefts = [f" {' · '.join(parts[:kept])}" for kept in range(len(parts), 0, -1)]
    narrow = [(left, _NARROW) for left in lefts] if columns < BOARD_WIDTH else []
    wide = [(left, keys) for left in lefts for keys in (_KEYS[-1:] if narrow else _KEYS)]
    for left, right in (*narrow, *wide):
        room = columns - cell_len(left) - cell_len(str(right)) - 1
        if room >= 2:
            return Styled(f"{left}{' ' * room}{right} ", "reverse")
    line = Styled(lefts[0], "reverse")
    line.truncate(columns, overflow="ellipsis", pad=True)
    return line


def key_name(key: str) -> str:
    """Return a key as keyboards write it."""
    return "-".join(part.capitalize() for part in key.split("+"))


def _told(turns: Sequence[Turn], room: int, width: int) -> list[Styled]:
    """Return the story: each move on a line of its own, if what has not been read yet fits the room so."""
    read = max((number for number, turn in enumerate(turns, 1) if turn.style == "old"), default=0)
    apart = sum(len(_turn_lines(turn, width, apart=True)) for turn in turns[read:]) <= room
    return [line for turn in turns for line in _turn_lines(turn, width, apart=apart)]


def _turn_lines(turn: Turn, width: int, *, apart: bool) -> list[Styled]:
    texts = turn.moves if apart else (" ".join(turn.moves),)
    return [
        Styled(line, _STYLES.get(turn.style, ""))
        for number, text in enumerate(texts)
        for line in wrapped(text, width, "  " if number else "· ", "  ")
    ]


def _from_ansi(text: str) -> list[Styled]:
    return [Styled.from_ansi(line) for line in text.splitlines()]


@lru_cache(maxsize=4)
def _rules(game: str, width: int) -> list[Styled]:
    return _from_ansi(rules_page(game, width))


__all__ = ["BOARD_WIDTH", "Console", "Full", "Play"]
