"""The trace of a keeper: on where an operator wants it, and never with what somebody keeps secret."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from queue import SimpleQueue

import pytest
from tests.heard import as_json

from kept import kept, linked, opened
from tablier.tracing import TRACE


def test_it_says_who_asks_for_what_and_what_becomes_durable(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    log = tmp_path / "log.db"
    with caplog.at_level(logging.DEBUG, "tablier"), kept(log), linked(log) as link:
        seats = [{"name": name, "source": "screen"} for name in ("Anne-Sophie", "Bernard")]
        game = opened(link, "play", game="d21", seats=seats)
        shown: SimpleQueue[object] = SimpleQueue()
        game.watch((1, 2, None), as_json(shown.put))
        shown.get(timeout=20)
        game.stop()
    said = [record.getMessage() for record in caplog.records if record.name.startswith("tablier.")]
    assert any(each.startswith("play: ") for each in said) and any(" are durable after " in each for each in said)
    token = (tmp_path / "log.db-token").read_text().strip()
    assert not [each for each in said if "Anne" in each or token in each]


@pytest.mark.parametrize("value", ["", "1"])
def test_it_is_written_only_where_the_environment_wants_it(tmp_path: Path, value: str) -> None:
    code = "from tablier.tracing import start_trace, tracer; start_trace(); tracer('keeper').debug('seen')"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, TRACE: value}, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, "tablier.keeper: seen" in done.stderr) == (0, bool(value))
