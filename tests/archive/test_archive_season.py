"""A season of a club in an archive: what its people threw by hand is found in the figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.archive.season import CLUBS, GAMES, play

from sample import sample
from tablier.archive.database import Archive
from tablier.archive.fairness import throws_needed
from tablier.archive.logs import add_log
from tablier.archive.questions import Scope, ask
from tablier.log import Log
from tablier.play.audit import audit


def dice_of(where: Path) -> dict[str, tuple[object, ...]]:
    """What is said of the dice that were thrown by hand, by club."""
    with Archive.open(where) as archive:
        (answer,) = ask(archive, "dice", Scope(game="struggle"))
    rows = [dict(zip((column.key for column in answer.columns), row, strict=True)) for row in answer.rows]
    return {row["club"]: (row["n"], row["face"], row["verdict"]) for row in rows if row["source"] == "by hand"}


def test_a_loaded_die_is_found_in_what_was_entered_and_a_fair_one_is_not_accused(tmp_path: Path) -> None:
    """The last face comes up in half of the throws; in `make thorough` in a fifth, as the report says that it sees."""
    share, evenings = sample((0.5, 1), (0.2, 10))
    loaded, fair = replace(CLUBS[1], six=share), CLUBS[2]
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        for club in (loaded, fair):
            play(tmp_path / f"{club.name}.db", club, evenings, ["struggle"], 5)
            add_log(archive, tmp_path / f"{club.name}.db", club.name)
    found = dice_of(tmp_path / "archive.db")
    thrown, face, verdict = found[loaded.name]
    assert isinstance(thrown, int) and thrown > throws_needed(6, share)
    assert (face, verdict) == ("A", "not fair")
    assert found[fair.name][2] == "–"


@pytest.mark.parametrize("game", GAMES)
def test_a_game_of_a_season_is_one_that_could_have_been(game: str, tmp_path: Path) -> None:
    play(tmp_path / "log.db", CLUBS[0], 1, [game], 2)
    with Log.read(tmp_path / "log.db") as log:
        assert audit(log.entries()).games == 1
        assert log.game(1).ended
