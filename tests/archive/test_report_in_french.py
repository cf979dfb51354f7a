"""What the archive answers is written as its reader writes days and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tablier.archive.questions import Column
from tablier.languages import find_language
from tablier.report import plots
from tablier.texts import ENGLISH, Text, speak


@pytest.fixture
def french() -> Iterator[None]:
    found = find_language("fr")
    assert found is not None
    speak(found)
    yield
    speak(ENGLISH)


def test_days_and_whole_numbers_are_written_as_in_french(french: None) -> None:
    assert Column("day", Text("day", context="column")).shown("2026-11-28") == "28/11/2026"
    assert Column("n", Text("throws", context="column")).shown(3033) == "3\u202f033"


def test_the_axes_of_a_plot_are_written_as_in_french(french: None) -> None:
    row = plots.Interval("Anne", 0.0, 0.5, 1.0, "")
    drawn = str(plots.intervals("k", Text("plot"), [row], Text("games won")))
    labels = re.findall(r"<text[^>]*>([^<]*)<", drawn)
    assert "0,2" in [each.strip() for each in labels]
