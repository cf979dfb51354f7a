"""Boards, rules and wrapped lines for a screen. The rules are the README of the game's folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from tablier.games import drawing_of, game_of, title_of
from tablier.games.core import Rules
from tablier.games.core.drawing import Canvas
from tablier.languages import in_language
from tablier.printable import link_pieces, printable
from tablier.texts import Json, Text

if TYPE_CHECKING:
    from rich.text import Text as Styled  # lists of games do without it

_UNBROKEN = {0xA0: 0xE0A0, 0x202F: 0xE0AF}
"""What stands for spaces at which no line is broken, where lines are broken at every space: of private use."""
_NARROW = re.compile("[ -~\u00a0-\u02ff\u2010-\u2027\u202f\u2212\u2605]*")
"""Characters of one column, which most texts have alone."""
_SPACES = {letter: space for space, letter in _UNBROKEN.items()}


def board(
    rules: Rules[Any],
    view: Json,
    names: Sequence[str],
    width: int,
    canvas: Canvas | None = None,
    *,
    colour: bool = True,
) -> str:
    """Return the board of a view for a terminal of a width in columns."""
    canvas = canvas or Canvas.of_terminal(width)
    return _drawn(drawing_of(rules.name).board(rules, view, names, canvas), width, colour)


def board_lines(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas) -> list[Styled]:
    """Return the lines of the board of a view, with their styles."""
    return list(drawing_of(rules.name).board(rules, view, names, canvas).split("\n", allow_blank=True))


def rules_page(game: str, width: int, *, colour: bool = True) -> str:
    """Return the rules of a game for a terminal of a width in columns. Raise ``OptionError``."""
    text = rules_text(game)
    if text is None:
        return f"{Text('{game} comes without a text of its rules.', {'game': title_of(game)})}\n"
    return markdown_page(text, width, colour=colour)


def markdown_page(text: str, width: int, *, colour: bool = True) -> str:
    """Return a text of Markdown for a terminal of a width in columns."""
    from rich.markdown import Markdown

    kept = Markdown(text.translate(_UNBROKEN), hyperlinks=False)
    return _drawn(kept, width, colour).translate(_SPACES) + "\n"


def rules_text(game: str) -> str | None:
    """Return the rules of a game as Markdown; ``None`` where it comes without. Raise ``OptionError``."""
    package = game_of(game).rules.__module__.rpartition(".")[0]
    readme = in_language(files(package), "README.md") if package else None
    return readme.read_text(encoding="utf-8") if readme is not None and readme.is_file() else None


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return the text, escaped, in lines of at most ``width`` columns; ``first`` and ``rest`` indent them.

    A word longer than a line, such as a path, continues on the next.
    """
    said = printable(text)
    if (found := _wrapped_between(said, width, first, rest)) is not None:
        return found
    lines, line = [], first
    whole = width - _columns(rest)
    room = width - _columns(first)
    for word in said.split(" "):
        glue, columns = " " if line not in (first, rest) else "", _columns(word)
        if glue and columns + 1 > room:
            lines.append(line)
            line, room, glue = rest, whole, ""
        while columns > room - len(glue) and len(head := _beginning(word, room - len(glue))) < len(word):
            lines.append(line + glue + head)
            word = word[len(head) :]
            columns = _columns(word)
            line, room, glue = rest, whole, ""
        line += glue + word
        room -= len(glue) + columns
    return [*lines, line]


def _wrapped_between(said: str, width: int, first: str, rest: str) -> list[str] | None:
    """Return what :func:`wrapped` does, for most texts in a sixth of the time; ``None`` for one with characters of
    other widths, and where a line does not end between two words with one space."""
    if said.startswith(" ") or not all(each.isascii() or _NARROW.fullmatch(each) for each in (said, first, rest)):
        return None
    lines, indent, begins = [], first, 0
    while len(said) - begins > (room := width - len(indent)):
        ends = said.rfind(" ", begins, begins + room + 1)
        if ends <= begins or said[ends - 1] == " " or said[ends + 1 : ends + 2] == " ":
            return None
        lines.append(indent + said[begins:ends])
        indent, begins = rest, ends + 1
    return [*lines, indent + said[begins:]]


def _columns(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def styled_lines(text: str, width: int, first: str = "", rest: str = "", style: str = "") -> list[Styled]:
    """Return what :func:`wrapped` does, with a style; addresses in it can be followed."""
    from rich.style import Style
    from rich.text import Text as Styled

    found = []
    for pieces in link_pieces(printable(text), wrapped(text, width, first, rest)):
        line = Styled(style=style)
        for piece, to in pieces:
            line.append(piece, Style(link=to) if to else None)
        found.append(line)
    return found


def _beginning(word: str, room: int) -> str:
    """Return as much of a word as fits the columns, at least one character."""
    end = next((n for n in range(1, len(word)) if cell_len(word[: n + 1]) > room), len(word))
    return word[:end]


def _drawn(what: Any, width: int, colour: bool) -> str:
    from rich.console import Console

    out, system = StringIO(), "auto" if colour else None
    console = Console(file=out, width=width, force_terminal=colour, color_system=system, legacy_windows=False)  # type: ignore[arg-type]
    console.print(what, end="")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


def cut_line(line: Styled, width: int) -> Styled:
    """Cut a line that is longer than a width between two of its words, with a sign of it; return it."""
    if line.cell_len > width:
        line.truncate(width - 1)
        end = line.plain.rfind(" ") + 1
        if line.plain[:end].strip() and end < len(line):
            line.right_crop(len(line) - end)
        line.append("…")
    return line


__all__ = ["board", "board_lines", "cut_line", "rules_page", "styled_lines", "wrapped"]
