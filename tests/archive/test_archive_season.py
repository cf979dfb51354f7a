"""A season of a club in an archive: what its people threw by hand is found in the figures."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from contents import contents
from season import CLUBS, GAMES, play

from sample import each, sample, thorough
from tablier.archive.database import Archive
from tablier.archive.ended import EndedGame, Result
from tablier.archive.fairness import throws_needed
from tablier.archive.logs import add_log
from tablier.archive.questions import Scope, ask
from tablier.judge.audit import audit
from tablier.judge.redaction import record
from tablier.log.store import Log
from tablier.record import replay
from tablier.report.page import page as report


def dice_of(where: Path) -> dict[str, tuple[object, ...]]:
    """What is said of the dice that were thrown by hand, by club."""
    with Archive.open(where) as archive:
        (answer,) = ask(archive, "dice", Scope(game="struggle"))
    rows = answer.by_key
    return {row["club"]: (row["n"], row["face"], row["verdict"]) for row in rows if row["source"] == "tally"}


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
    assert (face, verdict) == ("A", "not_fair")
    assert found[fair.name][2] == "no_finding"


@thorough
def test_a_beam_that_gets_dusty_is_named(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        for club in (CLUBS[0], replace(CLUBS[2], dust=8)):
            play(tmp_path / "log.db", club, 6, ["roudalon"], 4)
            add_log(archive, tmp_path / "log.db", club.name)
            (tmp_path / "log.db").unlink()
        answers = {answer.key: answer for answer in ask(archive, "tables", Scope(club="Auxerre"))}
        page = report(archive, Scope())
    beams = answers["beams"]
    found = {(row["month"], beams.columns[3].shown(row["beam"])): row["margin"] for row in beams.by_key}
    assert found[202609, "beam rim 2 (east)"] == pytest.approx((0.49 + 0.41 + 0.33 + 0.25) / 4)
    assert found[202610, "beam rim 2 (east)"] == pytest.approx((0.17 + 0.09) / 2)
    assert found[202609, "beam low 1 (north)"] == found[202610, "beam low 1 (north)"] == 0.48
    assert '<th scope="row">beam rim 2 (east)</th><td class="number">37%</td><td class="number">13%</td>' in page
    heads = "".join(f'<th scope="col" class="number">{head}</th>' for head in ("2026-09", "2026-10", "in all"))
    assert f"{heads}</tr>" in page
    shown = '<td class="number">8</td><td class="number">4</td><td class="number">12</td>'
    assert f'<th scope="row">the table was found</th>{shown}' in page, "in two clubs"
    assert re.findall("In 2026-10, [^;]*;", page) == ["In 2026-10, beam rim 2 (east) had 13% to spare;"]


@thorough
@pytest.mark.parametrize("game", each(2, GAMES))
def test_a_game_of_a_season_is_one_that_could_have_been(game: str, tmp_path: Path) -> None:
    play(tmp_path / "log.db", CLUBS[0], 1, [game], 2)
    with Log.read(tmp_path / "log.db") as log:
        assert audit(log.entries()).games == 1
        info = log.game(1)
        told, missing = record(log, info)
    assert info.ended and not missing
    with Archive.open(tmp_path / "archive.db", create=True) as archive:
        add_log(archive, tmp_path / "log.db", "club")
        ((added,),) = contents(archive)["games"].values()
    assert {"scores": {seat: it.points for seat, it in seated(added)}, "winners": won(added)} == told.result
    assert [seat.player.name for seat in added.seats] == list(info.names)
    assert (added.moves, added.options) == (told.moves, told.options)
    position = replay(told)
    assert added.ending == position.rules.ending(position.state)


def seated(game: EndedGame) -> list[tuple[str, Result]]:
    return [(f"p{number}", seat) for number, seat in enumerate(game.seats, 1)]


def won(game: EndedGame) -> list[str]:
    return [number for number, seat in seated(game) if seat.won]
