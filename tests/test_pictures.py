"""The pictures of the README: one of each game, each as it would be drawn now, from a sound record."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tablier.games import GAMES
from tablier.record import replay
from tools.pictures import console, sheets
from tools.pictures.seats import ROWS

pictures = runpy.run_path(str(Path(__file__).parent / "tools" / "pictures" / "__main__.py"), run_name="pictures")
CURE = "If the change is meant, draw it again with: python -m tests.tools.pictures"


def test_there_is_one_picture_of_each_game_and_nothing_else() -> None:
    assert set(pictures["SHOWN"]) == set(GAMES)
    drawn = {path.name for path in pictures["PICTURES"].glob("*.svg")} - {console.PATH.name}
    assert drawn == {f"{game}.svg" for game in GAMES}, CURE
    assert {path.name for path in pictures["RECORDS"].iterdir()} == {f"{game}.json" for game in GAMES}


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_is_what_would_be_drawn_now(game: str) -> None:
    assert pictures["path_of"](game).read_text(encoding="utf-8") == pictures["picture"](game), CURE


@pytest.mark.parametrize("game", GAMES)
def test_a_picture_is_of_a_game_that_was_played_to_its_end(game: str) -> None:
    record = pictures["record_of"](game)
    position = replay(record)
    assert record.game == game and record.result is not None and position.is_over
    assert 0 < pictures["SHOWN"][game][0] <= position.ply


def test_the_picture_of_the_full_screen_is_what_would_be_drawn_now() -> None:
    assert console.PATH.read_text(encoding="utf-8") == console.picture(), f"{CURE}.console"


# -- two pages to lay beside a game -----------------------------------------------------------------------------


@pytest.mark.parametrize("game", ROWS)
def test_what_to_press_and_what_is_lit_fit_on_a_page_each(game: str) -> None:
    words, lights = (ElementTree.fromstring(page) for page in sheets.pages(game))
    told = " ".join("".join(text.itertext()) for text in words.iter("{http://www.w3.org/2000/svg}text"))
    for block in sheets.section(sheets.document(game))[1]:
        first, last = (re.sub(r"[`*|]", "", word).strip("-") for word in (block.split()[0], block.split()[-1]))
        assert first in told and last in told
    lowest = max(float(text.get("y", "0")) for text in words.iter("{http://www.w3.org/2000/svg}text"))
    assert lowest <= sheets.HEIGHT - sheets.MARGIN
    shown = ["".join(text.itertext()) for text in lights.iter("{http://www.w3.org/2000/svg}text")]
    for panel in lights.iter("{http://www.w3.org/2000/svg}rect"):
        if panel.get("rx"):
            assert float(panel.get("y", "0")) + float(panel.get("height", "0")) <= sheets.HEIGHT - sheets.MARGIN - 15
            assert float(panel.get("x", "0")) + float(panel.get("width", "0")) <= sheets.WIDTH - sheets.MARGIN + 1
    for text in lights.iter("{http://www.w3.org/2000/svg}text"):
        for span in text.iter("{http://www.w3.org/2000/svg}tspan"):
            left, size = float(span.get("x", "0")), float(text.get("font-size", "0"))
            edge = sheets.WIDTH / 2 - 5 if left < sheets.WIDTH / 2 else sheets.WIDTH - sheets.MARGIN
            assert left + 0.57 * size * len("".join(span.itertext()).strip()) <= edge, "runs past the edge of its panel"
    for number, row in enumerate(ROWS[game], 1):
        assert f"{number}. {row.words}" in [" ".join(text.split()) for text in shown], f"{CURE}.seats"


def test_what_does_not_fit_on_a_page_is_refused() -> None:
    with pytest.raises(sheets.TooLong, match="Long: the section 'The sheet' does not fit"):
        sheets.words_page("# Long\n\n## The sheet\n\n" + "word " * 3000)
