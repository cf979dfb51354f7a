"""The line of a full screen in which people type. It keeps no history and no clipboard: the next person at the screen
must not find what was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import islice

from rich.cells import cell_len
from rich.text import Text as Styled

from tablier.printable import JOINERS
from tablier.screens.commands import LINE_MAX

MASK = 8
"""Signs in the place of a secret: they do not tell its length."""


def can_be_typed(character: str) -> bool:
    """Return whether a character can be part of a line: whether a joiner joins something is seen when all is there."""
    return character.isprintable() or character in JOINERS


class Editor:
    """A line that is typed, and the keys that change it."""

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0
        self._keys: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("left", "ctrl+b"), partial(self._move, -1)),
            **dict.fromkeys(("right", "ctrl+f"), partial(self._move, 1)),
            **dict.fromkeys(("ctrl+left", "alt+left", "alt+b"), partial(self._skip, -1)),
            **dict.fromkeys(("ctrl+right", "alt+right", "alt+f"), partial(self._skip, 1)),
            **dict.fromkeys(("home", "ctrl+a"), partial(self._jump, False)),
            **dict.fromkeys(("end", "ctrl+e"), partial(self._jump, True)),
            **dict.fromkeys(("backspace", "ctrl+h"), partial(self._delete, -1)),
            "delete": partial(self._delete, 1),
            **dict.fromkeys(("ctrl+w", "ctrl+backspace", "alt+backspace"), self._delete_word),
            "ctrl+u": partial(self._cut, False),
            "ctrl+k": partial(self._cut, True),
        }

    def put(self, text: str) -> None:
        """Set the line, with the cursor at its end."""
        self.text, self.cursor = text, len(text)

    def press(self, key: str) -> bool:
        """Do what a key does; return False if it does nothing here."""
        if key not in self._keys:
            return False
        self._keys[key]()
        return True

    def insert(self, typed: str) -> bool:
        """Insert the printable characters of a text, as far as there is room; return False if not all have any."""
        room = LINE_MAX - len(self.text)
        put = "".join(islice(filter(can_be_typed, typed), room + 1))
        fits, put = len(put) <= room, put[:room]
        self.text = self.text[: self.cursor] + put + self.text[self.cursor :]
        self.cursor += len(put)
        return fits

    def line(self, style: str, lead: str, width: int, *, hidden: bool) -> Styled:
        """Return the line as it is shown, after a few words; ``hidden``: without what is typed."""
        text, cursor = self.text, self.cursor
        if hidden:
            text, cursor = "•" * MASK if text else "", MASK if text else 0
        room, start = max(4, width - cell_len(lead) - 1), cursor
        while start and (room := room - cell_len(text[start - 1])) >= 0:
            start -= 1
        shown = Styled(lead, style)
        shown.append(text[start:cursor], "none")
        shown.append(text[cursor : cursor + 1] or " ", "reverse")
        return shown.append(text[cursor + 1 : cursor + 1 + width])

    def _word(self, step: int) -> int:
        """Return where the next word ends, or the last one begins."""
        at, end = self.cursor, 0 if step < 0 else len(self.text)
        passed = min(step, 0)  # of the two characters around a place
        while at != end and self.text[at + passed] == " ":
            at += step
        while at != end and self.text[at + passed] != " ":
            at += step
        return at

    def _move(self, step: int) -> None:
        self.cursor = max(0, min(len(self.text), self.cursor + step))

    def _skip(self, step: int) -> None:
        self.cursor = self._word(step)

    def _jump(self, end: bool) -> None:
        self.cursor = len(self.text) if end else 0

    def _delete(self, step: int) -> None:
        first, last = sorted((self.cursor, max(0, min(len(self.text), self.cursor + step))))
        self.text, self.cursor = self.text[:first] + self.text[last:], first

    def _delete_word(self) -> None:
        first = self._word(-1)
        self.text, self.cursor = self.text[:first] + self.text[self.cursor :], first

    def _cut(self, right: bool) -> None:
        if right:
            self.text = self.text[: self.cursor]
        else:
            self.text, self.cursor = self.text[self.cursor :], 0


__all__ = ["MASK", "Editor", "can_be_typed"]
