"""The campaigns of the Makefile start outside pytest, too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("campaign", ["chance", "crash", "fuzz", "soak", "bench.tournament"])
def test_a_campaign_says_what_it_takes(campaign: str) -> None:
    root = Path(__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-m", f"tests.{campaign}", "--help"], cwd=root, capture_output=True, text=True
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("usage:")
