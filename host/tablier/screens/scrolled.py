"""A text that may be longer than its place on the full screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text as Styled

Lines = Callable[[int], Sequence[Styled]]
"""Makes the lines of a text for a width in columns."""


class Scrolled:
    """The beginning of a page, or the end of a story, until somebody turns its pages."""

    def __init__(self, *, page: bool) -> None:
        self._page = page
        self._state: tuple[object, int] | None = None
        self._lines: Sequence[Styled] = ()
        self._height = 1
        self._away = 0
        """Lines scrolled away from there."""

    def lines(self, state: object, make: Lines, width: int, height: int) -> list[Styled]:
        """Return the lines that are shown. They are made anew where ``state`` or the width changes."""
        if self._page and (self._state is None or state != self._state[0]):
            self._away = 0
        if (state, width) != self._state:
            self._state, self._lines = (state, width), make(width)
        self._height = height
        self.scroll(0)
        top = self._away if self._page else self._most - self._away
        return list(self._lines[top : top + height])

    def turn(self, pages: int) -> None:
        """Scroll down by a number of pages."""
        self.scroll(pages * max(1, self._height - 1))

    def scroll(self, lines: int) -> None:
        """Scroll down by a number of lines."""
        self._away = max(0, min(self._most, self._away + (lines if self._page else -lines)))

    def end(self) -> None:
        """Go back to where the text is shown from."""
        self._away = 0

    @property
    def _most(self) -> int:
        return max(0, len(self._lines) - self._height)


__all__ = ["Lines", "Scrolled"]
