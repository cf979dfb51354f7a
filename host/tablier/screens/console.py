"""The program that shows a full screen: keys, the mouse, the terminal's window and its pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from rich.text import Text as Styled
from textual import events
from textual.app import SystemCommand
from textual.command import CommandPalette, Hit, Hits
from textual.geometry import Region
from textual.screen import Screen
from textual.system_commands import SystemCommandsProvider
from textual.widget import Widget

from tablier.extras import command_to_add
from tablier.printable import ascii_only
from tablier.screens.commands import FASTER, GAME, SLOWER, TOO_LONG, Command
from tablier.screens.editor import Editor, can_be_typed
from tablier.screens.model import Model
from tablier.screens.sheet import Sheet
from tablier.screens.terminal import Driver, Program, first_line
from tablier.texts import Text

if TYPE_CHECKING:
    from tablier.screens.abilities import Ability

_PACE = {"+": FASTER, "-": SLOWER}
_LOOKS = {"left": -1, "right": 1, "shift+left": -10, "shift+right": 10, "home": -(1 << 30), "end": 1 << 30}
"""By key: how many moves further on it looks at a game that is over."""
_NO_PICTURES = Text("This terminal shows no pictures.")
_TICK_S = 0.25
"""The seconds between two drawings of a time that runs out."""
_WHEEL = 3
"""The lines that a turn of the mouse's wheel scrolls."""


class Found(SystemCommandsProvider):
    """The commands that the palette finds, or a line that there is none: Textual's own is in English."""

    async def search(self, query: str) -> Hits:
        """Yield the commands that a text means."""
        found = False
        async for hit in super().search(query):
            found = True
            yield hit
        if not found:
            yield Hit(0, str(Text("There is no such command.")), lambda: None)


class Driven(Protocol):
    """What a full screen does when somebody here says so, by a key or a line."""

    @property
    def model(self) -> Model: ...

    @property
    def app(self) -> Console: ...

    @property
    def looked_up(self) -> tuple[str, Sequence[Text]]: ...

    def begin(self) -> None: ...

    def accept(self, line: str) -> None: ...

    def quit(self) -> None: ...

    def stop(self) -> None: ...

    def have_bots_wait(self) -> None: ...

    def name_window(self) -> None: ...

    def look_up(self) -> None: ...


class Console(Program[None]):
    """The program that a full screen runs."""

    CSS = """
    CommandPalette { background: ansi_default; }
    CommandPalette > Vertical { margin: 2 0; }
    """
    COMMANDS = {Found}

    def __init__(self, full: Driven) -> None:
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
        width = max(len(command.said) for command in GAME) + 1
        for command in GAME:
            title = f"{command.said:{width}} {key_name(command.key):7}{command.does}"
            yield SystemCommand(title, "", partial(self._play.command, command))

    def name_window(self, title: str) -> None:
        """Give the terminal's window a title."""
        if isinstance(self._driver, Driver):
            self._driver.name_window(title)

    def lose_terminal(self) -> None:
        """End: nobody sees this screen any more."""
        self._full.stop()

    def action_command_palette(self) -> None:
        """Show the palette, which Textual has in English alone."""
        if not CommandPalette.is_open(self):  # type: ignore[arg-type]
            self.push_screen(CommandPalette(placeholder=str(Text("Search for commands…")), id="--command-palette"))

    async def action_quit(self) -> None:
        if len(self.screen_stack) > 1:  # the palette stands before the question
            self.pop_screen()
        self._full.quit()

    def _fatal_error(self) -> None:
        """End with what has gone wrong: the caller raises it, once the terminal is as it was."""
        self.failure = self._exception
        self._close_messages_no_wait()


def _has_pictures() -> bool:
    """Return whether the extra ``pictures`` is installed."""
    return all(find_spec(name) is not None for name in ("resvg_py", "textual_image"))


class Play(Widget, can_focus=True):
    """The keys and the mouse of a full screen."""

    DEFAULT_CSS = "Play { width: 1fr; height: 1fr; }"

    def __init__(self, full: Driven) -> None:
        super().__init__()
        self._full = full
        self._model = full.model
        self.editor = Editor()
        self.sheet = Sheet(self._model, self.editor, lambda: full.looked_up)
        self._keys: dict[str, Callable[[], None]] = {
            "escape": self._back,
            "pageup": lambda: self.sheet.read.turn(-1),
            "pagedown": lambda: self.sheet.read.turn(1),
            "up": partial(self._choose, -1),
            "down": partial(self._choose, 1),
            **{command.key: partial(self.command, command) for command in GAME if command.key != "ctrl+q"},
            "tab": lambda: self.editor.put(self._model.complete(self.editor.text)),
            **dict.fromkeys(("enter", "ctrl+j"), self._enter),
        }

    def on_mount(self) -> None:
        self.set_interval(_TICK_S, self._tick)

    def on_resize(self) -> None:
        self.redraw()
        if self.sheet.showing is not None:  # cells may have another size, too
            self._full.app.ask()

    def on_unmount(self) -> None:
        if self.sheet.showing is not None:
            self.sheet.showing.close()

    def use(self, ability: Ability) -> None:
        """Show the board as a picture, in a terminal that can."""
        from tablier.screens.pictures import Showing

        if self.sheet.showing is None:
            self.sheet.showing = Showing(self, self.redraw, self._full.app.send, self._lose_pictures)
        self.sheet.showing.ability = ability
        self.redraw()

    def _lose_pictures(self, why: Text) -> None:
        """Show the board in characters from now on."""
        self.sheet.showing, self._model.no_picture = None, why
        self.redraw()

    def forget_picture(self) -> None:
        """Have the board painted again: the terminal has lost its picture."""
        if self.sheet.showing is not None:
            self.sheet.showing.forget()
        self.redraw()

    def redraw(self) -> None:
        """Draw again. Beside a picture only what stands around it: the picture would be sent each time."""
        if self.sheet.showing is not None:
            width, height = self.size
            self.sheet.lines(width, height)
            columns, rows = self.sheet.showing.cells
            if not self.sheet.showing.place() and rows:
                beside = Region(columns, 1, width - columns, rows)
                self.refresh(Region(0, 0, width, 1), beside, Region(0, rows + 1, width, height - rows - 1))
                return
        self.refresh()

    # -- what is typed -----------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        # Not bindings: those are looked at after keys that were typed since.
        before, fits = self.editor.text, True
        lookback = self.sheet.lookback
        if event.key in _LOOKS and lookback is not None and not before and not self._model.page:
            self.sheet.chosen = None
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
            self.sheet.chosen = 0 if event.key == "enter" and self.editor.text else None
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
        self.sheet.read.scroll(-_WHEEL)
        self.redraw()

    def on_mouse_scroll_down(self) -> None:
        self.sheet.read.scroll(_WHEEL)
        self.redraw()

    def on_click(self, event: events.Click) -> None:
        """Choose what somebody points at; what is chosen already is taken."""
        for rows, columns, number in self.sheet.listed:
            if event.y in rows and event.x in columns:
                if number == self.sheet.chosen:
                    self._enter()
                else:
                    self.sheet.chosen = number
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
                self.editor.put(f"{command.said} ")
            else:
                self._full.accept(command.name)
        self._full.have_bots_wait()
        self.redraw()

    def _enter(self) -> None:
        line = self.editor.text
        if not line and self.sheet.chosen is None and self._model.over is not None and self.sheet.options:
            self.sheet.chosen = 0  # not taken at once: Enter may have been meant for a bot's delay
            return
        if self.sheet.chosen is not None:
            option = self.sheet.options[self.sheet.chosen]
            line, self.sheet.chosen = option.line, None
            if not option.whole:
                self.editor.put(line)
                self.sheet.chosen = 0
                return
        self.editor.put("")
        self.sheet.story.end()
        self._full.accept(line)

    def _choose(self, step: int) -> None:
        """Point at the next thing that can be chosen; where there is nothing, scroll."""
        count = len(self.sheet.options)
        if count:
            start = -1 if step > 0 else count
            self.sheet.chosen = ((start if self.sheet.chosen is None else self.sheet.chosen) + step) % count
        else:
            self.sheet.read.scroll(step)

    def _back(self) -> None:
        """Leave an offer to quit, a page, or a line that was begun: whatever stands open last. An error was read."""
        self._model.changed()
        if self._model.quitting:
            self._model.quitting = False
        elif self._model.page:
            self._model.page = ""
        elif self.sheet.chosen is not None:
            self.sheet.chosen = None
        elif self.sheet.lookback is not None and self._model.looks and not self.editor.text:
            self.sheet.lookback.end()
        elif self.editor.text:
            self.editor.put("")
        else:
            self._model.dismiss()

    def clear(self) -> None:
        """Empty the line, and choose nothing."""
        self.editor.put("")
        self.sheet.chosen = None

    def _tick(self) -> None:
        self._full.look_up()
        if self._model.seconds_left is not None:
            self.redraw()

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def render(self) -> Styled:
        return Styled("\n", no_wrap=True, end="").join(self.sheet.lines(*self.size))


def key_name(key: str) -> str:
    """Return a key as keyboards write it."""
    return "-".join(part.capitalize() for part in key.split("+"))


__all__ = ["Console", "Play"]
