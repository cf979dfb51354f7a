"""The campaigns of the Makefile start outside pytest, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sample import sample, thorough


@pytest.mark.parametrize(
    "campaign",
    ["chance", "clubs", "crash", "evening", "fuzz", "soak", "terminals", "tools.bench.tournament"][:: sample(7, 1)],
)
def test_a_campaign_says_what_it_takes(campaign: str) -> None:
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-m", f"tests.{campaign}", "--help"], cwd=root, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("usage:")


@thorough
def test_a_campaign_keeps_no_game_and_no_file_of_it() -> None:
    # Outside pytest, whose witness of every conductor keeps what it has seen until a test ends.
    count = (
        "import gc, sys; from pathlib import Path; sys.path.append('tests'); from tests.crash import campaigns\n"
        "def files(): gc.collect(); return len(list(Path('/dev/fd').iterdir()))\n"
        "before = files(); campaigns.stop_points('struggle', 2, 61); print(files() - before)"
    )
    root = Path(__file__).parents[1]
    run = subprocess.run([sys.executable, "-c", count], cwd=root, capture_output=True, text=True, check=True)
    assert run.stdout == "0\n", "a whole campaign runs out of files"
