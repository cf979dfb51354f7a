"""A seat has one colour, on boards, curves and pages alike."""

from __future__ import annotations

import re
from importlib.resources import files

from tablier.games.core.drawing import SEATS


def test_the_table_page_has_the_colours_of_the_boards() -> None:
    style = (files("tablier.web") / "pages" / "table.css").read_text(encoding="utf-8")
    found = dict(re.findall(r"\.seat(\d) \{ --seat: (#\w+); \}", style))
    assert [found[str(seat)] for seat in range(1, 7)] == list(SEATS)
