"""Signs that a terminal of ASCII alone does not show, and what stands for them."""

from __future__ import annotations

from typing import TextIO
from unicodedata import normalize

from rich.cells import cell_len

from tablier.games.core.drawing import ASCII_SIGNS
from tablier.printable import ascii_only

_SIGNS = str.maketrans("│─▔▁↑↓←→↵•“”’▆▇", '|--_^v<>~*""\'||')
"""By sign of a screen itself: what stands for it in ASCII."""


class Ascii:
    """A stream of text to which everything is written in ASCII."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        self._stream.write(in_ascii(text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def shown_on(stream: TextIO) -> TextIO | Ascii:
    """Return the stream; one that writes to it in ASCII where the terminal shows nothing else."""
    return Ascii(stream) if ascii_only() else stream


def in_ascii(text: str) -> str:
    """Return a text in ASCII, each sign in as many columns as it had."""
    if text.isascii():
        return text
    return "".join(each if each.isascii() else _plain(each) for each in text.translate(ASCII_SIGNS).translate(_SIGNS))


def _plain(sign: str) -> str:
    letter = normalize("NFKD", sign)[0]
    return letter if letter.isascii() and cell_len(sign) == 1 else "?" * cell_len(sign)


__all__ = ["Ascii", "in_ascii", "shown_on"]
