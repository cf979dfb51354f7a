"""The order sheets: enough for one table and for five, and no more packs than that takes."""

from __future__ import annotations

import csv
import io
from functools import cache

import pytest

from hardware import arena, bill, order, sheets
from sample import each

files = cache(order.files)


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files()[name])))


@pytest.mark.parametrize("tables, name", each(2, [(5, "5 tables"), (1, "one table")]))
def test_there_is_enough_of_each_part_and_not_a_pack_too_many(tables: int, name: str) -> None:
    listed = {row["part"]: row for row in rows(f"parts, {name}.csv")}
    for part in bill.read().parts:
        got = float(listed[part.name]["items"]) * part.pack
        needed = part.quantity * (1 if part.once else tables)
        assert needed <= got < needed + part.pack
        assert listed[part.name]["alternates"]
    total = sum(float(row["in all, EUR"]) for row in listed.values() if row["number"])
    assert total == pytest.approx(float(listed["sum, estimated"]["in all, EUR"]), abs=0.01)
    assert bill.read().date in listed["sum, estimated"]["alternates"]


def test_five_tables_cost_less_than_five_times_one() -> None:
    assert order.cost(5) < 5 * order.cost(1)


@pytest.mark.parametrize("tables, name", each(2, [(5, "5 tables"), (1, "one table")]))
def test_panels_and_boards_are_those_of_the_table(tables: int, name: str) -> None:
    data = arena.read()
    panels = {row["file"]: row for row in rows(f"panels, {name}.csv") if row["sheets"]}
    wanted = {f"cut/{it.name}.dxf": (1 if it.name == "coupon" else tables, it.size) for it in sheets.sheets(data)}
    assert panels.keys() == wanted.keys()
    for file, (count, (width, height)) in wanted.items():
        assert int(panels[file]["sheets"]) == count
        assert panels[file]["mm"] == f"{width:g} × {height:g} × {data['tray']['sheet']:g}"
        assert float(panels[file]["in all, EUR"]) > 0
    boards = {row["board"]: row for row in rows(f"boards, {name}.csv") if row["needed"]}
    assert set(boards) == set(data["board"])
    for row in boards.values():
        assert int(row["needed"]) <= int(row["ordered"]) < int(row["needed"]) + 5


@pytest.mark.parametrize("tables, name", [(1, "one table"), (5, "5 tables")])
@pytest.mark.parametrize("kind", ["boards", "panels"])
def test_each_sheet_ends_with_its_sum_and_the_date_of_its_prices(kind: str, tables: int, name: str) -> None:
    *listed, last = rows(f"{kind}, {name}.csv")
    first, *_ = last.values()
    assert first == f"sum, estimated, prices as of {bill.read().date}"
    assert float(last["in all, EUR"]) == pytest.approx(sum(float(row["in all, EUR"]) for row in listed))
    prefix = {"boards": "circuit board", "panels": "plywood"}[kind]
    parts = [part for part in bill.read().parts if part.name.startswith(prefix)]
    assert float(last["in all, EUR"]) == pytest.approx(sum(order.quantity(it, tables) * it.price for it in parts))
