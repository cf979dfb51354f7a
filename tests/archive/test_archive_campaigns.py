"""Simulated games in an archive: the same as without, once each, however often it is stopped."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from adding import CAMPAIGN
from contents import contents

from sample import sample
from tablier.archive import campaigns
from tablier.archive.campaigns import add_campaign
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.ended import EndedGame
from tablier.bots.campaigns import Campaign, Outcome, play_one
from tablier.bots.workers import Alone
from tablier.cli.main import main


def games_of(where: str) -> list[EndedGame]:
    with Archive.open(where) as archive:
        games: list[EndedGame]
        (games,) = contents(archive)["games"].values()
    return games


def test_it_holds_the_games_that_are_played_without_it(where: str) -> None:
    with Archive.open(where, create=True) as archive:
        tally, before = add_campaign(archive, "here", CAMPAIGN, 12, Alone())
    assert (len(tally.lengths), before) == (12, 0)
    for game in games_of(where):
        alone = play_one(CAMPAIGN, game.number)
        assert game.moves == alone.record.moves
        assert [seat.points for seat in game.seats] == list(alone.scores)
        assert [seat.won for seat in game.seats] == [at in alone.winners for at in (1, 2, 3, 4)]
        assert [seat.player.name for seat in game.seats] == ["random", "greedy", "easy", "random"]


class Stop(BaseException):
    """As an interrupt."""


@pytest.mark.parametrize("seconds", sample([10], [0, 10]))
def test_a_campaign_that_was_stopped_goes_on_where_it_was(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int
) -> None:
    monkeypatch.setattr("tablier.archive.campaigns._AT_ONCE", 4)
    monkeypatch.setattr("tablier.archive.campaigns._SECONDS", seconds)
    done: list[Outcome] = []
    there: list[int] = []

    def stop(outcome: Outcome) -> None:
        done.append(outcome)
        if len(done) == 10:
            raise Stop

    with Archive.open(where, create=True) as archive, pytest.raises(Stop):
        add_campaign(
            archive, "here", CAMPAIGN, 12, Alone(), stop, lambda: there.append(campaigns.games_of(archive, CAMPAIGN))
        )
    assert there == [8 if seconds else 9], "two transactions of four, or one a game"
    assert [game.number for game in games_of(where)] == list(range(1, 11)), "all that were played"
    with Archive.open(where, create=True) as archive:
        workers = Alone()
        assert add_campaign(archive, "here", CAMPAIGN, 12, workers)[1] == 10
        assert add_campaign(archive, "here", CAMPAIGN, 12, workers)[1] == 12
        now = contents(archive)
    with Archive.open(tmp_path / "whole.db", create=True) as archive:
        add_campaign(archive, "here", CAMPAIGN, 12, Alone())
        whole = contents(archive)
    assert [game.moves for game in games_of(where)] == [game.moves for game in games_of(str(tmp_path / "whole.db"))]
    assert now["summary"] == whole["summary"]


@pytest.mark.parametrize(("number", "seed"), [(signal.SIGINT, "7"), (signal.SIGTERM, "7"), (signal.SIGINT, None)])
def test_an_interrupt_keeps_what_was_played_and_says_how_the_others_come_in(
    number: signal.Signals,
    seed: str | None,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["simulate", "roudalon", "--jobs", "1", "--archive", str(tmp_path / "a.db"), "--club", "here"]
    played = campaigns.keep_one

    def interrupted(campaign: Campaign, moment: int, at: int) -> campaigns.Kept:
        if at == 4:
            signal.raise_signal(number)
        return played(campaign, moment, at)

    with monkeypatch.context() as patch:
        patch.setattr(campaigns, "keep_one", interrupted)
        patch.setattr("tablier.bots.workers._MOST", 1)
        assert main([*words, "--games", "5", *(["--seed", seed] if seed else [])]) == 128 + number
    (line,) = capsys.readouterr().err.splitlines()
    again = re.fullmatch(
        r"tablier: interrupted: 3 games are in the archive, of 5; run the same command (again|with --seed (\d+))"
        " for the others",
        line,
    )
    assert again and (again[2] is None) == (seed is not None)
    assert main([*words, "--games", "5", "--seed", seed or again[2]]) == 0
    assert capsys.readouterr().out.startswith("3 games were in the archive\nLe Roudalon: 2 games")


def test_two_programs_play_one_campaign_at_once(where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablier.archive.campaigns._AT_ONCE", 4)

    done: list[Outcome] = []

    def other(outcome: Outcome) -> None:
        done.append(outcome)
        if len(done) == 6:
            with Archive.open(where, create=True) as archive:
                assert add_campaign(archive, "here", CAMPAIGN, 10, Alone())[1] == 4

    with Archive.open(where, create=True) as archive:
        assert len(add_campaign(archive, "here", CAMPAIGN, 12, Alone(), other)[0].lengths) == 12
        both = contents(archive)
    with Archive.open(tmp_path / "whole.db", create=True) as archive:
        add_campaign(archive, "here", CAMPAIGN, 12, Alone())
        assert contents(archive)["summary"] == both["summary"]
    assert [game.number for game in games_of(where)] == list(range(1, 13))


def test_a_campaign_is_one_club_s(where: str) -> None:
    with Archive.open(where, create=True) as archive:
        add_campaign(archive, "Sim", CAMPAIGN, 1, Alone())
        with pytest.raises(ArchiveError, match="as those of Sim; continue with --club=Sim, or choose another --seed"):
            add_campaign(archive, "Other", CAMPAIGN, 2, Alone())
        assert {club for club, *_ in contents(archive)["sources"]} == {"Sim"}


def test_the_command_says_what_was_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "simulate",
        "roudalon",
        "--seed",
        "7",
        "--jobs",
        "1",
        "--archive",
        str(tmp_path / "a.db"),
        "--club",
        "here",
    ]
    assert main([*words, "--games", "3"]) == 0
    assert "3 games with seed 7" in capsys.readouterr().out
    assert main([*words, "--games", "5"]) == 0
    assert capsys.readouterr().out.startswith("3 games were in the archive\nLe Roudalon: 2 games with seed 7")
    assert main([*words, "--games", "5"]) == 0
    assert capsys.readouterr().out == "5 games were in the archive\n"


def test_an_archive_without_a_club_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "d21", "--archive", str(tmp_path / "a.db")]) == 2
    assert "--club" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
