"""A client in another language, written from the protocol's document alone, watches a game and plays duels."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from installed import needs
from kept import kept
from tablier.judge.audit import audit
from tablier.log.store import Log
from tablier_fw.version import __version__

CLIENT = Path(__file__).with_name("client.mjs")


@needs("node")
def test_a_client_in_javascript_plays_a_game_with_duels(log: Path) -> None:
    with kept(log):
        done = subprocess.run(
            ["node", str(CLIENT), __version__],
            env={**os.environ, "TABLIER_LOG": str(log)},
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
    assert "a duel." in done.stdout and "won by " in done.stdout
    with Log.read(log) as read:
        result = read.game().result
        assert result is not None
        names = [read.game().names[int(seat[1:]) - 1] for seat in result["winners"]]
        assert f"won by {', '.join(names)} " in done.stdout
        assert audit(read.entries()).games == 1
