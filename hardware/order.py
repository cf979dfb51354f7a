"""Order sheets: what to buy for one table and for several, as CSV that shops and spreadsheets read."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from hardware import arena, bill, sheets

TABLES = (1, 5)
PLYWOOD = {
    sheets.WHOLE: "plywood 3 mm, cut",
    sheets.REMAINDER: "plywood 3 mm, remainder, cut",
    sheets.COUPON: "plywood 3 mm, coupon, cut",
}
"""The name of each kind of sheet in the bill."""


def files() -> dict[str, str]:
    """Return the order sheets: name → content."""
    found = {}
    for tables in TABLES:
        name = "one table" if tables == 1 else f"{tables} tables"
        found[f"parts, {name}.csv"] = parts(tables)
        found[f"boards, {name}.csv"] = boards(tables)
        found[f"panels, {name}.csv"] = panels(tables)
    return found


def quantity(part: bill.Part, tables: int) -> float:
    """Return how many items of a part's number are bought for so many tables."""
    needed = part.quantity * (1 if part.once else tables)
    return math.ceil(needed / part.pack - 1e-9) if part.pack != 1 else needed


def cost(tables: int) -> float:
    """Return the estimated cost of the parts of so many tables."""
    return sum(quantity(part, tables) * part.price for part in bill.read().parts)


def parts(tables: int) -> str:
    """Return the parts of so many tables as CSV."""
    listed = bill.read()
    rows: list[list[str]] = [
        [
            "part",
            "number",
            "maker",
            "items",
            "unit",
            f"each, {listed.currency}",
            f"in all, {listed.currency}",
            "alternates",
        ]
    ]
    for part in listed.parts:
        count = quantity(part, tables)
        unit = f"{part.pack:g} {part.unit}".strip() if part.pack != 1 else part.unit
        rows.append(
            [part.name, part.number, part.maker, f"{count:g}", unit, f"{part.price:.2f}", f"{count * part.price:.2f}",
             "; ".join(part.alternates)]
        )  # fmt: skip
    rows.append(["sum, estimated", "", "", "", "", "", f"{cost(tables):.2f}", f"prices as of {listed.date}"])
    return _csv(rows)


def boards(tables: int) -> str:
    """Return the circuit boards of so many tables as CSV. What a board maker asks for stands with their archives."""
    listed = bill.read()
    parts = {part.name: part for part in listed.parts}
    rows = [["board", "needed", "ordered", "mm", "archive", f"in all, {listed.currency}"]]
    for name, board in arena.read()["board"].items():
        part = parts[f"circuit board: {name}"]
        width, height = board["outline"]
        packs = quantity(part, tables)
        needed, ordered = part.quantity * tables, packs * part.pack
        rows.append(
            [
                name,
                f"{needed:g}",
                f"{ordered:g}",
                f"{width:g} × {height:g}",
                f"boards/{name}.zip",
                f"{packs * part.price:.2f}",
            ]
        )
    return _csv([*rows, _sum(rows)])


def panels(tables: int) -> str:
    """Return the sheets to have cut for so many tables as CSV."""
    data, listed = arena.read(), bill.read()
    parts = {part.name: part for part in listed.parts}
    rows = [["file", "sheets", "mm", "material", f"in all, {listed.currency}"]]
    for sheet in sheets.sheets(data):
        size = f"{sheet.size[0]:g} × {sheet.size[1]:g} × {data['tray']['sheet']:g}"
        part = parts[PLYWOOD[sheet.kind]]
        count = 1 if part.once else tables
        cut = f"{count * part.price:.2f}"
        rows.append([f"cut/{sheet.name}.dxf", str(count), size, "birch plywood, both faces sanded", cut])
    return _csv([*rows, _sum(rows)])


def _sum(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the last row of a sheet: the sum of its last column, and of when the prices are."""
    *_, last = zip(*rows[1:], strict=True)
    note = f"sum, estimated, prices as of {bill.read().date}"
    return [note, *[""] * (len(rows[0]) - 2), f"{sum(float(cell) for cell in last):.2f}"]


def _csv(rows: list[list[str]]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows(rows)
    return stream.getvalue()
