"""Signs that a terminal of ASCII alone does not show, and what stands for them."""

from __future__ import annotations

import codecs
from io import TextIOWrapper
from typing import TextIO
from unicodedata import normalize

from rich.cells import cell_len

from tablier.games.core.drawing import ASCII_SIGNS

_SIGNS = str.maketrans("▸│─▔▁↑↓←→↵•“”«»’▆▇×±µ", '>|--_^v<>=*""""\'||x~u')
"""By sign of a screen itself: what stands for it in ASCII, before :data:`ASCII_SIGNS`: ``place ! red`` would say that
it is not red. Boards come in their own signs."""
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
    return in_ascii(error.object[error.start : error.end]), error.end


def in_ascii(text: str) -> str:
    """Return a text in ASCII, each sign in as many columns as it had."""
    if text.isascii():
        return text
    return "".join(each if each.isascii() else _plain(each) for each in text.translate(_SIGNS).translate(ASCII_SIGNS))


def _plain(sign: str) -> str:
    letter = normalize("NFKD", sign)[0]
    return letter if letter.isascii() and cell_len(sign) == 1 else "?" * cell_len(sign)


__all__ = ["in_ascii", "write_ascii"]
