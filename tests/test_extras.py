"""What playing needs is what is installed without extras; where an extra is missing, the command says which."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from without_extras import WITHOUT


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command where no extra is installed."""
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *words],
        env={**os.environ, "TABLIER_LOG": str(tmp_path / "log.db")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )


def test_playing_needs_no_extra(tmp_path: Path) -> None:
    """A game at a simulated table is played without extras from the wheel."""
    play = ["play", "struggle", "--no-table", "--plain", "--pace", "0", "--seat", "Anne=random", "--seat", "Bob=random"]
    for command in (play, ["log", "verify"], ["simulate", "d21", "--games", "1", "--jobs", "1"], ["layout", "--list"]):
        done = run(tmp_path, *command)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["table", "deploy", "--port", "/dev/null"], "deploy"),
        (["table", "service", "--port", "/dev/null"], "deploy"),
        (["table", "emulate"], "emulate"),
        (["simulate", "d21", "--dask", "tcp://127.0.0.1:8786"], "cluster"),
        (["archive", "list"], "archive"),
        (["report", "--out", "season.html"], "archive"),
    ],
)
def test_a_missing_extra_is_named(tmp_path: Path, command: list[str], extra: str) -> None:
    done = run(tmp_path, *command)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith(f"is not installed: pip install 'tablier[{extra}]'")
