"""The printed values, texts and revision of boards: compare them with the data, write them into routed boards.

None of it is copper, so a board whose resistor has another value need not be routed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hardware.boards.kicad import MIDDLE
from hardware.boards.model import Board

_VALUE = re.compile(r'(\(fp_text value )"((?:[^"\\]|\\.)*)"')
_TEXT = re.compile(r'(?m)^(  \(gr_text )"((?:[^"\\]|\\.)*)"( \(at ([-\d.]+) ([-\d.]+))')
_REVISION = re.compile(r'(?m)^(    \((rev|date) )"([^"]*)"')


def printed(board: Board, file: str) -> tuple[str, list[str]]:
    """Return a board's file with the data's values, texts and revision, and what it had instead, in words."""
    found: list[str] = []
    values = {part.ref: part.value for part in board.parts}
    texts: dict[tuple[float, float], str] = {
        _at(MIDDLE[0] + x, MIDDLE[1] - y): text["text"] for text in board.texts for x, y in [text["at"]]
    }
    rules = {"rev": str(board.rules["revision"]), "date": str(board.rules["date"])}

    def differs(what: str, has: str, wants: str) -> str:
        if has != wants:
            found.append(f"{board.name}: {what} is printed {has!r}; the data say {wants!r}")
        return wants

    def value(block: str) -> str:
        reference = re.search(r'\(fp_text reference "([^"]*)"', block)
        if reference is None or reference[1] not in values:
            return block
        ref = reference[1]
        return _VALUE.sub(lambda it: f'{it[1]}"{differs(ref, it[2], values[ref])}"', block, count=1)

    def text(match: re.Match[str]) -> str:
        wants = texts.get(_at(float(match[4]), float(match[5])), match[2])
        return f'{match[1]}"{differs("a text", match[2], wants)}"{match[3]}'

    made = "".join(value(block) for block in _blocks(file))
    made = _TEXT.sub(text, made)
    made = _REVISION.sub(lambda it: f'{it[1]}"{differs(it[2], it[3], rules[it[2]])}"', made)
    return made, found


def faults(board: Board) -> list[str]:
    """Return what a board's file prints otherwise than the data say."""
    return printed(board, board.file.read_text(encoding="utf-8"))[1]


def write(board: Board) -> list[str]:
    """Write the data's prints into a board's file; return what has changed, in words."""
    made, found = printed(board, board.file.read_text(encoding="utf-8"))
    if found:
        board.file.write_text(made, encoding="utf-8")
    return found


def _blocks(file: str) -> Iterator[str]:
    """Yield a file in pieces, each footprint a piece."""
    yield from re.split(r"(?m)^(?=  \(footprint )", file)


def _at(x: float, y: float) -> tuple[float, float]:
    return round(x, 2), round(y, 2)
