"""A few starts of the campaign, each ended in another way."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sample import sample

from .campaign import CLOSE, EVENING, FULL, LINE, NO_LOG, START, TERMINATE, Case, run

CASES = [
    Case(START, TERMINATE, "d21", 0.0, drawn=True),
    Case(FULL, NO_LOG, "roudalon", 0, "a folder"),
    *sample([], [Case(LINE, TERMINATE, "dilemma", 0.2), Case(EVENING, CLOSE, "d21", 1.2)]),
]


@pytest.mark.long
def test_however_it_is_ended_nothing_is_left_behind() -> None:
    with ThreadPoolExecutor(len(CASES)) as pool:
        assert [wrong for found in pool.map(run, CASES) for wrong in found] == []
