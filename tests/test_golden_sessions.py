"""The golden sessions: what a game asks and what follows has not changed unnoticed."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

golden: dict[str, Any] = runpy.run_path(str(Path(__file__).parent / "golden" / "sessions.py"), run_name="golden")
RENEW = "renew the sessions with: python -m tests.golden.sessions"


def test_there_is_a_session_for_each_game_and_script_and_nothing_else() -> None:
    assert sorted(path.stem for path in golden["FOLDER"].iterdir()) == sorted(golden["names"]()), RENEW


@pytest.mark.parametrize("name", golden["names"]())
def test_a_session_goes_as_it_went(name: str) -> None:
    lines = [json.loads(line) for line in golden["path_of"](name).read_text(encoding="utf-8").splitlines()]
    seen = []
    for number, line in enumerate(golden["again"](lines)):
        line = json.loads(json.dumps(line))
        if number == 0:
            assert line[1]["versions"] == lines[0][1]["versions"], f"another version than the recorded one: {RENEW}"
        assert line == lines[number], (
            f"line {number + 1}: what a game of this version asks or does has changed; raise the VERSION of its script"
            f" or rules, then {RENEW}"
        )
        seen.append(line)
    assert len(seen) == len(lines) > 10 and lines[-1][0] == "end"
