"""The archive as Parquet files holds what the archive holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from contents import contents
from honest import in_evenings
from pyarrow import dataset

from tablier.archive.campaigns import add_campaign
from tablier.archive.database import Archive
from tablier.archive.logs import add_log
from tablier.archive.parquet import export
from tablier.bots.campaigns import Campaign
from tablier.bots.workers import Alone
from tablier.cli.main import main
from tablier.log.store import Log


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("parquet")
    in_evenings(folder)
    with Log.open(folder / "log.db") as log:
        anne = log.names().find("Anne")
        assert anne
        log.forget(anne)
    where = str(folder / "archive.db")
    with Archive.open(where, create=True) as archive:
        add_log(archive, folder / "log.db", "Beaune")
        add_campaign(archive, "simulated", Campaign("roudalon", {}, ("random",) * 4, tuple("ABCD"), 1), 7, Alone())
    return where


def test_every_game_and_seat_is_there_once(season: str, tmp_path: Path) -> None:
    with Archive.open(season) as archive:
        assert export(archive, tmp_path / "all") == 13
        known = {
            (club, source, game.number): game
            for (club, source), games in contents(archive)["games"].items()
            for game in games
        }
    games = dataset.dataset(tmp_path / "all" / "games", partitioning="hive").to_table().to_pylist()
    assert len(games) == len(known)
    for row in games:
        game = known[row["club"], row["source"], row["number"]]
        assert (row["game"], row["moves"], row["ending"]) == (game.kind, list(game.moves), game.ending)
        assert row["ended"].timestamp() * 1e6 == pytest.approx(game.ended)
        assert row["year"] == row["ended"].year
    seats = dataset.dataset(tmp_path / "all" / "seats", partitioning="hive").to_table().to_pylist()
    assert {
        (row["club"], row["source"], row["number"], row["seat"]): (row["name"], row["points"], row["won"])
        for row in seats
    } == {
        (*key, at): (seat.player.name, seat.points, seat.won)
        for key, game in known.items()
        for at, seat in enumerate(game.seats, 1)
    }
    assert None in {row["name"] for row in seats}, "Anne was forgotten"
    assert sorted(path.name for path in (tmp_path / "all" / "games").iterdir()) == ["game=d21", "game=roudalon"]


def test_an_earlier_export_is_replaced_when_asked_and_as_a_whole(
    season: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "all"
    words = ["archive", "export", "--parquet", str(folder), "--archive", season]
    (folder / "games" / "game=chess").mkdir(parents=True)
    assert main(words) == 2
    assert "--force" in capsys.readouterr().err
    with monkeypatch.context() as patch, Archive.open(season) as archive:
        patch.setattr("tablier.archive.parquet._AT_ONCE", 3)

        def fail(more: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            export(archive, folder, force=True, done=fail)
    assert [path.name for path in tmp_path.iterdir()] == ["all"], "nothing half-written is left"
    assert [path.name for path in folder.rglob("*")] == ["games", "game=chess"]
    assert main([*words, "--force"]) == 0
    assert sorted(path.name for path in folder.glob("*/*")) == [
        "game=d21",
        "game=d21",
        "game=roudalon",
        "game=roudalon",
    ]
    assert folder.stat().st_mode & 0o077 == 0, "the names of people are for nobody else"
    assert [path.name for path in tmp_path.iterdir()] == ["all"]


def test_what_is_no_export_is_never_replaced(season: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who types a folder of their own does not lose it."""
    home = tmp_path / "home"
    (home / "games").mkdir(parents=True)
    (home / "letter").write_text("kept")
    (tmp_path / "link").symlink_to(home)
    for name, said in (("home", "holds letter"), ("link", "is not a folder"), ("home/letter", "is not a folder")):
        words = ["archive", "export", "--parquet", str(tmp_path / name), "--force", "--archive", season]
        assert main(words) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert said in line
    assert (home / "letter").read_text() == "kept"
