"""Signs that a terminal of ASCII alone does not show, and what stands for them."""

from __future__ import annotations

import codecs
import re
from io import TextIOWrapper
from typing import TextIO
from unicodedata import normalize

from rich.cells import cell_len

from tablier.games.core.drawing import ASCII_SIGNS

_SIGNS = str.maketrans("▸│─▔▁↑↓←→↵•“”«»’▆▇×±µ", '>|--_^v<>=*""""\'||x~u')
"""By sign of a screen itself: what stands for it in ASCII, before :data:`ASCII_SIGNS`: ``place ! red`` would say that
it is not red. Boards come in their own signs."""
_TWO = {
    "ä": "ae",
    "ö": "oe",
    "ü": "ue",
    "Ä": "Ae",
    "Ö": "Oe",
    "Ü": "Ue",
    "ß": "ss",
    "œ": "oe",
    "Œ": "Oe",
    "æ": "ae",
    "Æ": "Ae",
}
"""Letters that are two in ASCII, where a line has a column to spare."""
_ONE = str.maketrans("ßœŒæÆøØłŁđĐı", "soOaAoOlLdDi")
"""Letters that :func:`unicodedata.normalize` takes for signs of their own, where there is room for one."""
_WIDE = re.compile(f"[{''.join(_TWO)}]")
_ROW = re.compile(r"[^\n\x1b]+(?:\x1b\[[\d;]*m[^\n\x1b]*)*")
"""What stands in one line, with its colours."""
_COLUMNS = 79
"""The columns that a printed line may take."""
_FREE = "\0"
"""A column behind a printed line."""
_ERRORS = "tablier.signs"
"""The name that :mod:`codecs` has for :func:`in_ascii`."""


def write_ascii(stream: TextIO) -> None:
    """Have all that is written to a stream from now on written in ASCII; one that writes to memory keeps its signs."""
    if isinstance(stream, TextIOWrapper):
        codecs.register_error(_ERRORS, _encode)
        stream.reconfigure(encoding="ascii", errors=_ERRORS)


def _encode(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text, start = error.object, error.start
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    free = max(0, _COLUMNS - (end - text.rfind("\n", 0, start) - 1))
    return in_ascii(f"{text[start:end]}{_FREE * free}").replace(_FREE, ""), end


def in_ascii(text: str) -> str:
    """Return a text in ASCII, each line and column in as many columns as it had."""
    if text.isascii():
        return text
    text = _ROW.sub(_spell_out, text).translate(_SIGNS).translate(ASCII_SIGNS).translate(_ONE)
    return "".join(each if each.isascii() else _plain(each) for each in text)


def _spell_out(row: re.Match[str]) -> str:
    """Return a line in which letters are two that are so in ASCII, as long as spaces behind them make room."""
    said, at = row[0], 0
    while (letter := _WIDE.search(said, at)) is not None:
        spare = min(
            (found for found in (said.find(gap, letter.end()) for gap in ("  ", _FREE)) if found >= 0), default=-1
        )
        if spare < 0:
            break
        said = f"{said[: letter.start()]}{_TWO[letter[0]]}{said[letter.end() : spare]}{said[spare + 1 :]}"
        at = letter.start() + 2
    return said


def _plain(sign: str) -> str:
    letter = normalize("NFKD", sign)[0]
    return letter if letter.isascii() and cell_len(sign) == 1 else "?" * cell_len(sign)


__all__ = ["in_ascii", "write_ascii"]
