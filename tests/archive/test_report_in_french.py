"""What the archive answers is written as its reader writes days and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tablier.archive.questions import Answer, Column
from tablier.cli.stats import _print_tables
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


def test_no_line_of_a_note_begins_with_what_belongs_to_the_word_before(
    french: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    columns = (Column("n", Text("throws", context="column")),)
    notes = tuple(Text("x" * long + " «\u00a0minimum\u00a0» et la suite") for long in range(60, 80))
    _print_tables([Answer("k", Text("Evenings"), columns, [(1,)], notes)])
    lines = capsys.readouterr().out.splitlines()
    assert any("suite" in line for line in lines) and not any(line.startswith(("»", "minimum")) for line in lines)
