"""A text that may be longer than its place on the full screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text as Styled

Lines = Callable[[int], Sequence[Styled]]
"""Makes the lines of a text for a width in columns."""


class Scrolled:
    """A text that is shown from one of its lines on, until somebody turns its pages."""

    def __init__(self) -> None:
        self._about: object = None
        self._state: object = None
        self._lines: Sequence[Styled] = ()
        self._height = 1
        self._home = 0
        """The line at the top as long as nobody scrolls."""
        self._away = 0
        """Lines scrolled down from there."""

    def lines(
        self, about: object, state: object, make: Lines, width: int, height: int, home: int | None = 0
    ) -> list[Styled]:
        """Return the lines that are shown.

        ``about``: what is read; another text is shown from its ``home`` on, the line that stands at the top (``None``:
        as far down as there are lines). The lines are made anew where ``state`` or the width changes.
        """
        if about != self._about:
            self._about, self._away = about, 0
        if (about, state, width) != self._state:
            self._state, self._lines = (about, state, width), make(width)
        self._height = height
        self._home = self._most if home is None else min(home, self._most)
        self.scroll(0)
        top = self._home + self._away
        return list(self._lines[top : top + height])

    @property
    def below(self) -> int:
        """Return how many lines stand below those that are shown."""
        return self._most - self._home - self._away

    def turn(self, pages: int) -> None:
        """Scroll down by a number of pages."""
        self.scroll(pages * max(1, self._height - 1))

    def scroll(self, lines: int) -> None:
        """Scroll down by a number of lines."""
        self._away = max(-self._home, min(self._most - self._home, self._away + lines))

    def end(self) -> None:
        """Go back to where the text is shown from."""
        self._away = 0

    @property
    def _most(self) -> int:
        return max(0, len(self._lines) - self._height)


__all__ = ["Lines", "Scrolled"]
