"""The widgets of the full screen: a title, the board, the news, a question, an input line.

A frame shows its contents and passes on typed lines; its owner decides what to show, and to whom. It keeps no history
and no clipboard: the next person at the screen must not find what was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.clipboard import DummyClipboard
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import AnyFormattedText, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.formatted_text.utils import fragment_list_to_text
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    ConditionalContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    UIContent,
    UIControl,
    VSplit,
    Window,
)
from prompt_toolkit.layout.dimension import Dimension
from prompt_toolkit.layout.processors import ConditionalProcessor, Processor, Transformation, TransformationInput
from prompt_toolkit.styles import Style
from prompt_toolkit.widgets import TextArea

from tablier.screens.paper import wrapped
from tablier.texts import Text

BOARD_WIDTH = 78
_STYLE = Style.from_dict(
    {
        "title": "reverse",
        "news": "",
        "old": "ansibrightblack",
        "note": "ansiyellow",
        "question": "bold ansicyan",
        "mine": "bold ansigreen",
        "hint": "ansibrightblack",
        "strong": "bold ansiyellow",
        "error": "ansired",
    }
)


@dataclass(frozen=True)
class Contents:
    """The contents of a frame, read at each drawing. A page, if any, covers the board."""

    title: Callable[[], str]
    board: Callable[[], AnyFormattedText]
    story: Callable[[int], Sequence[tuple[str, str]]]
    """The news, as lines of a style and a text, wrapped to so many columns."""
    question: Callable[[], str]
    prompt: Callable[[], tuple[str, str]]
    """Style and text of what stands before the line to type in."""
    hint: Callable[[str, int], Sequence[tuple[str, str]]]
    """At most two lines of so many columns about what is being typed, as a style and a text."""
    page: Callable[[int], Sequence[AnyFormattedText] | None] = lambda width: None
    """A page to be read instead of the board and the story, as lines of so many columns."""


_KEYS = ":help  :rules  :back  :quit "
_NARROW = Text("{count} columns show all ", {"count": BOARD_WIDTH + 2})
"""Said in the place of the keys where the board is cut."""
_MASK = 8


class _Mask(Processor):
    """Hide a typed secret and its length, which could tell it."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        length = len(transformation_input.document.text)
        shown = fragment_list_to_text(transformation_input.fragments)
        prompt = len(shown) - length
        mask = [("", "•" * _MASK)] if length else []
        return Transformation(
            [*_until(transformation_input.fragments, prompt), *mask],
            source_to_display=lambda at: at if at <= prompt else prompt + _MASK,
        )


def _until(fragments: StyleAndTextTuples, end: int) -> StyleAndTextTuples:
    """Return the first characters of styled text."""
    kept: StyleAndTextTuples = []
    for style, text, *_ in fragments:
        kept.append((style, text[:end]))
        end -= len(text)
        if end <= 0:
            break
    return kept


class Frame:
    """The screen, without what it shows.

    ``accept`` gets each line that is entered, ``changed`` is called while one is typed, and ``complete`` returns the
    line that Tab makes of it.
    """

    def __init__(
        self,
        contents: Contents,
        accept: Callable[[str], None],
        stop: Callable[[], None],
        *,
        changed: Callable[[], None] = lambda: None,
        complete: Callable[[str], str] = lambda text: text,
        hidden: Callable[[], bool] = lambda: False,
    ) -> None:
        self._left = False
        self._contents = contents
        self._accept = accept
        self._complete = complete
        self._story = _Scrolled(
            lambda width: [[_styled(line)] for line in contents.story(max(20, width - 1))], page=False
        )
        self._page = _Scrolled(lambda _: contents.page(BOARD_WIDTH), page=True)
        self.input = TextArea(
            height=1,
            multiline=False,
            history=DummyHistory(),
            input_processors=[ConditionalProcessor(_Mask(), Condition(hidden))],
            accept_handler=self._entered,
            prompt=lambda: [_styled(contents.prompt())],
        )
        self.input.buffer.on_text_changed += lambda _: changed()
        self.app: Application[None] = Application(
            Layout(self._body(), self.input),
            key_bindings=self._keys(stop),
            clipboard=DummyClipboard(),
            style=_STYLE,
            full_screen=True,
        )

    def redraw(self) -> None:
        """Draw the screen again; call from any thread."""
        self.app.invalidate()

    def clear(self) -> None:
        """Empty the line: it belonged to an earlier question."""
        self.input.buffer.reset()

    def run(self, begin: Callable[[], None]) -> None:
        """Show the screen until it is left; call ``begin`` in its loop first. Raise ``OSError``."""

        def begun() -> None:
            begin()
            if self._left:
                self._exit()

        self.app.run(pre_run=begun)

    def leave(self) -> None:
        """Leave the screen; call from any thread, also repeatedly or before it is shown."""
        self._left = True  # before the look at the loop: one that begins meanwhile looks at this
        loop = self.app.loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._exit)

    def _exit(self) -> None:
        if self.app.future is not None and not self.app.future.done():
            self.app.exit()

    def _entered(self, buffer: Buffer) -> bool:
        self._story.away = 0
        self._accept(buffer.text.strip())
        return False  # empties the line

    def _keys(self, stop: Callable[[], None]) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        @keys.add("c-d")
        def _(event: KeyPressEvent) -> None:
            stop()

        @keys.add("pageup")
        def _(event: KeyPressEvent) -> None:
            self._turn(-1)

        @keys.add("pagedown")
        def _(event: KeyPressEvent) -> None:
            self._turn(1)

        @keys.add("tab")
        def _(event: KeyPressEvent) -> None:
            buffer = self.input.buffer
            text = self._complete(buffer.text)
            if text != buffer.text:
                buffer.text = text
                buffer.cursor_position = len(text)

        return keys

    def _turn(self, pages: int) -> None:
        (self._page if self._page.open else self._story).turn(pages)

    def _body(self) -> HSplit:
        contents = self._contents

        def shown(text: Callable[[], AnyFormattedText], style: str = "", **size: Any) -> Window:
            return Window(FormattedTextControl(text), style=style, always_hide_cursor=True, **size)

        def keys() -> str:
            return _KEYS if self._columns >= BOARD_WIDTH else str(_NARROW)

        reading = Condition(lambda: self._page.open)
        title = VSplit(
            [
                shown(lambda: f" {contents.title()}", height=1),
                shown(keys, height=1, width=lambda: Dimension.exact(len(keys()))),
            ],
            style="class:title",
        )
        question = shown(
            lambda: [("class:question", "\n".join(wrapped(contents.question(), self._columns)))],
            height=Dimension(min=1, max=2),
            dont_extend_height=True,
        )
        return HSplit(
            [
                title,
                ConditionalContainer(Window(self._page, height=Dimension(min=2, weight=1)), reading),
                ConditionalContainer(shown(contents.board, dont_extend_height=True), ~reading),
                ConditionalContainer(Window(self._story, height=Dimension(min=2, weight=1)), ~reading),
                question,
                self.input,
                shown(self._hint, height=2),
            ]
        )

    @property
    def _columns(self) -> int:
        return self.app.output.get_size().columns - 2

    def _hint(self) -> StyleAndTextTuples:
        lines = self._contents.hint(self.input.text, self._columns)
        return [_styled((style, f"{text}\n")) for style, text in lines]


class _Scrolled(UIControl):
    """A text that may be longer than its window: show the beginning of a page, else the end."""

    def __init__(self, lines: Callable[[int], Sequence[AnyFormattedText] | None], *, page: bool) -> None:
        self._lines = lines
        self._page = page
        self._height = 1
        self.away = 0
        """Lines scrolled away from there."""

    @property
    def open(self) -> bool:
        """Return True if there is a text; if not, the next one is shown from its beginning."""
        if self._lines(BOARD_WIDTH) is not None:
            return True
        self.away = 0
        return False

    def turn(self, pages: int) -> None:
        """Scroll down by a number of pages."""
        self.away = max(0, self.away + (pages if self._page else -pages) * max(1, self._height - 1))

    def create_content(self, width: int, height: int | None) -> UIContent:
        lines = self._lines(width) or ()
        self._height = height or 1
        most = max(0, len(lines) - self._height)
        self.away = min(self.away, most)
        top = self.away if self._page else most - self.away
        shown = [to_formatted_text(line) for line in lines[top : top + self._height]]
        return UIContent(lambda number: shown[number], len(shown), show_cursor=False)


def _styled(line: tuple[str, str]) -> tuple[str, str]:
    style, text = line
    return f"class:{style}" if style else "", text
