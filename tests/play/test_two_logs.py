"""One table, plugged in and never restarted, at which games of two logs are played in turn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sample import sample
from tablier.log.store import Log
from tablier.simulation.simulated import SimulatedTable

GAME = sample(["d21", "--option", "max_plies=4"], ["roudalon"])
SEATS = [
    word for name in ("Anne", "Bernard", "Christine", "Daniel")[: sample(2, 4)] for word in ("--seat", f"{name}=people")
]


def test_each_log_takes_what_is_its_own(tmp_path: Path) -> None:
    with SimulatedTable(virtual=True, seed=4) as table:
        for name in ("one", "two", "one"):
            path = str(tmp_path / name)
            command = [sys.executable, "-m", "tablier.cli.main", "play", *GAME, "--virtual", *SEATS]
            command += ["--port", table.first_port, "--log", path]
            played = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            assert played.returncode == 0, played.stderr
    for name, games in (("one", 2), ("two", 1)):
        with Log.read(tmp_path / name) as log:
            log.verify()
            assert [game.ended is not None for game in log.games()] == [True] * games
