"""A seat has one colour, on boards, curves, plots and pages alike, which can be read in the light and in the dark."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from tablier.games.core.drawing import DARK, GROUND, SEATS, SEATS_DARK
from tablier.html.boards import style
from tablier.report.plots import lines
from tablier.texts import Text
from tablier.web.curve import curve

NAMES = ["Anne", "Bernard", "Christine", "David", "Emma", "Felix"]
POINTS = [[0.0] * 6, [float(seat) for seat in range(6)], [6.0] * 6]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_one_file_has_the_list() -> None:
    root = Path(str(files("tablier")))
    found = [
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if path.suffix in (".py", ".css", ".js") and sum(each in path.read_text(encoding="utf-8") for each in SEATS) > 3
    ]
    assert found == ["games/core/drawing.py"]


def test_a_curve_and_a_plot_have_no_colour_of_their_own() -> None:
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    series = [(name, [row[at] for row in POINTS]) for at, name in enumerate(NAMES)]
    for drawn in (curve(POINTS, NAMES), str(lines("plot", Text("Points"), series, Text("moves"), Text("points")))):
        assert drawn and set(re.findall(r"--seat-(\d)", drawn)) == set("123456")
        assert not re.findall(r'(?:fill|stroke)="#\w+"', drawn)


def test_pages_have_these_colours_in_the_light_and_in_the_dark() -> None:
    light, _, dark = style().partition("@media")
    for part, colours, ground in ((light, SEATS, GROUND), (dark, tuple(SEATS_DARK.values()), DARK[GROUND])):
        assert tuple(re.findall(r"--seat-\d: (#\w+);", part)) == colours
        for colour in colours:
            low, high = sorted((luminance(colour), luminance(ground)))
            assert (high + 0.05) / (low + 0.05) >= 4.5
    assert tuple(re.findall(r"\.seat\d \{ --seat: (#\w+); \}", light)) == SEATS
