"""Tables as CSV: for programs, and for spreadsheets as their reader's computer opens them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tablier.printable import printable
from tablier.texts import language

if TYPE_CHECKING:
    from tablier.archive.questions import Answer

Cell = str | int | float | None
_FORMULA = tuple("=+-@\t\r＝＋－＠")
"""How a text begins that a spreadsheet takes for a formula; the last four are the wide signs of Japanese keyboards."""


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as programs read them."""
    return _written([list(map(_cell, row)) for row in rows], ",")


def sheet_text(answer: Answer) -> str:
    """Return a table as a spreadsheet of the reader's language opens it by a click: numbers with its decimal sign, and
    a mark of UTF-8 at the beginning."""
    answer = answer.for_people
    comma = language().number("0.5") != "0.5"
    rows = [[_cell(str(column.head)) for column in answer.columns]]
    for row in answer.rows:
        cells: list[str] = []
        for column, cell in zip(answer.columns, row, strict=True):
            is_figure = isinstance(cell, float) or (isinstance(cell, int) and not column.key.startswith("month"))
            text = _cell(cell if is_figure else column.shown(cell))
            cells.append(text.replace(".", ",") if is_figure and comma else text)
        rows.append(cells)
    return "\ufeff" + _written(rows, ";" if comma else ",")


def _written(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n", delimiter=delimiter).writerows(rows)
    return lines.getvalue()


def _cell(cell: Cell) -> str:
    """Return a cell. An apostrophe stands before a text that a spreadsheet would evaluate: a name may be any text."""
    if type(cell) is int or type(cell) is float:
        return str(cell)
    if cell is None:
        return ""
    text = printable(str(cell))
    return f"'{text}" if isinstance(cell, str) and text.startswith(_FORMULA) else text


__all__ = ["csv_text", "sheet_text"]
