"""What the keeper's world is made of waits through one door, so that a test can stand behind it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import tablier

HOST = Path(tablier.__file__).parent
ROOMS = ("course", "judge", "play", "log", "table", "keeper", "bots")
WAITS = {("select", "select"), ("select", "poll"), ("time", "sleep"), ("time", "monotonic"), ("threading", "Thread")}
ELSEWHERE = {
    "bots/sandbox.py": "in the process of a program",
    "bots/thinking.py": "in the processes in which bots think",
    "bots/workers.py": "in the processes of a campaign",
    "bots/bots.py": "a program is ended by a thread that outlives the keeper's loop",
}


def waits_of(file: Path) -> set[tuple[str, str]]:
    """Return the calls by which a module waits past the door."""
    calls = [node.func for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = {
        (each.value.id, each.attr)
        for each in calls
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    }
    return named & WAITS


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_waits_through_the_door(room: str) -> None:
    past = {str(file.relative_to(HOST)): found for file in (HOST / room).rglob("*.py") if (found := waits_of(file))}
    assert past.keys() <= ELSEWHERE.keys(), past
