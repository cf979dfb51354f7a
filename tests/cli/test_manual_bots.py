"""The manual's page for a bot's author: its bots play, and its tables name what a bot gets."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from sample import sample
from tablier.bots import bots, campaigns
from tablier.bots.campaigns import Campaign
from tablier.cli.main import main
from tablier.games import GAMES, game_class
from tablier.games.core.questions import bare

PAGE = (Path(__file__).parents[2] / "host" / "manual" / "bots.md").read_text(encoding="utf-8")
SEATS = {"dilemma": 3, "struggle": 3, "dicke-daemonen": 3, "roudalon": 4, "d21": 2}
GAMES_PLAYED = 12


def program(folder: Path, language: str, name: str) -> Path:
    """Save the page's bot of a language as the page says."""
    found = re.search(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
    assert found is not None
    path = folder / name
    path.write_text(found[1], encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(("language", "name"), [("python", "bot.py"), ("js", "bot.mjs")])
def test_a_bot_of_the_page_is_measured(
    tmp_path: Path, language: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if language == "js" and shutil.which("node") is None:
        pytest.skip("no Node here")
    out = tmp_path / "games.jsonl"
    (tmp_path / "bot").mkdir()
    bot = program(tmp_path / "bot", language, name)
    words = ["simulate", "roudalon", "--games", "2", "--seed", "4", "--out", str(out), "--jobs", "1", "--seats"]
    assert main([*words, f"Robot=bot:{bot}", "random", "greedy", "easy"]) == 0
    assert "p1 Robot" in capsys.readouterr().out
    records = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [record["players"][0] for record in records] == ["Robot", "Robot"]
    assert all(any(move.startswith("p1 ") for move in record["moves"]) for record in records)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bot_that_fails_ends_its_campaign(tmp_path: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    bot = tmp_path / "bot.py"
    program = "import sys\nsys.stdin.readline()\nprint('[1]', flush=True)\nsys.stdin.read()\n"
    bot.write_text(f"#!/usr/bin/env python3\n{program}")
    bot.chmod(0o755)
    words = ["simulate", "d21", "--games", "4", "--seed", "1", "--jobs", jobs, "--seats", f"Robot=bot:{bot}", "random"]
    assert main(words) == 2
    complaint = capsys.readouterr().err
    assert f"Robot (bot:{bot}) did not answer with" in complaint and "in game 1 of" in complaint
    assert "Traceback" not in complaint


def test_a_bot_that_is_missing_is_refused_before_anything_is_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "d21", "--seats", "bot:./missing", "random"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def tables(title: str) -> list[set[str]]:
    """Return the words in the first column of each table below a heading of the page."""
    section = re.split(r"^## ", PAGE, flags=re.M)
    text = next(each for each in section if each.startswith(f"{title}\n"))
    return [set(re.findall(r"^\| `([^`]+)`", block, re.M)) for block in text.split("\n\n") if block.startswith("| ")]


@pytest.mark.parametrize("game", sample(["dilemma", "d21"], list(GAMES)))
def test_the_tables_name_what_a_bot_gets(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: set[str] = set()
    verbs: set[str] = set()
    decide = bots.BotSeat._decide

    def noted(self: bots.BotSeat, asked: Any) -> Any:
        keys.update(asked.view)
        verbs.update(bare(move).split()[0] for move in asked.moves)
        return decide(self, asked)

    monkeypatch.setattr(bots.BotSeat, "_decide", noted)
    seats = SEATS[game]
    campaign = Campaign(game, {}, ("random",) * seats, tuple("ABCDEF"[:seats]), 5)
    for number in range(1, 3 if game == "d21" else GAMES_PLAYED):
        campaigns.play_one(campaign, number)
    found = tables(game_class(game).title)
    assert found[0] == keys
    if game == "d21":
        assert all(re.fullmatch("[a-j][0-9]+-[a-j][0-9]+|pass", verb) for verb in verbs)
    else:
        assert found[1] == verbs
