"""Whole games by pipes, where the terminal can do nothing: no colours, no cursor, no letters but ASCII."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from room import SHORT

from sample import sample
from tablier.cli.main import main
from tablier.log.store import Log

NAMES = ("Zoë", "Éric", "Bob", "Ann")
COUNTS = {"dilemma": 3, "roudalon": 4}
KINDS: dict[str, dict[str, str]] = {
    "pipe": {},
    "dumb": {"TERM": "dumb"},
    "colourless": {"NO_COLOR": "1"},
    "C": {"LANG": "C"},
    "all": {"TERM": "dumb", "NO_COLOR": "1", "LANG": "C"},
}
_LOCALE = ("LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "TERM")


def played(game: str, env: dict[str, str], folder: Path) -> str:
    """Play a game at the line console, by what its hints say, and return what was printed."""
    options = [f"--option={key}={value}" for key, value in SHORT[game].items()]
    seats = [f"--seat={name}={'random' if at else 'screen'}" for at, name in enumerate(NAMES[: COUNTS.get(game, 2)])]
    command = [sys.executable, "-m", "tablier.cli.main", "play", game, "--pace", "0", *options, *seats]
    kept = {name: value for name, value in os.environ.items() if name not in _LOCALE}
    done = subprocess.run(
        [*command, "--log", str(folder / "log.db")],
        input=b"hint\n\n" * 400,  # an empty line plays what the hint says
        capture_output=True,
        env={**kept, "LANG": "C.UTF-8", "TERM": "xterm-256color", "TABLIER_PORTS": str(folder / "ports"), **env},
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("game", "kind"), sample([("roudalon", "all")], [(game, kind) for game in SHORT for kind in KINDS])
)
def test_a_whole_game_is_played_by_pipes(
    game: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, path = played(game, KINDS[kind], tmp_path), tmp_path / "log.db"
    assert "Hint: " in text and "Final scores:" in text and "Logged as game 1" in text
    assert "\x1b" not in text and text.isascii() == (kind in ("dumb", "C", "all"))
    assert all(len(line) <= 80 for line in text.split("\n") if str(path) not in line)
    with Log.read(path) as log:
        log.verify()
        assert log.game(1).ended is not None and log.game(1).names[0] == "Zoë", "the log has the name as it was given"
    record = tmp_path / "record.json"
    assert main(["log", "export", "1", "--log", str(path), "--out", str(record)]) == 0
    assert main(["replay", str(record)]) == 0 and main(["log", "verify", "--log", str(path)]) == 0
    assert '"terminal": true' in capsys.readouterr().out
