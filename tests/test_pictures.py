"""The pictures of the README: one of each game, each as it would be drawn now, from a sound record."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from tablier.games import GAMES
from tablier.record import replay

pictures = runpy.run_path(str(Path(__file__).parent / "pictures" / "__main__.py"), run_name="pictures")
CURE = "If the change is meant, draw it again with: python -m tests.pictures"


def test_there_is_one_picture_of_each_game_and_nothing_else() -> None:
    assert set(pictures["SHOWN"]) == set(GAMES)
    assert {path.name for path in pictures["PICTURES"].glob("*.svg")} == {f"{game}.svg" for game in GAMES}, CURE
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
