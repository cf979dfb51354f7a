"""What waits waits through one door, so that a test can stand behind it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import tablier
from kept import kept, linked
from tablier import waiting

HOST = Path(tablier.__file__).parent
MADE = {
    *(("threading", name) for name in ("Thread", "Timer", "Event", "Condition", "Semaphore", "Barrier")),
    *(("select", name) for name in ("select", "poll", "epoll", "kqueue")),
    *(("time", name) for name in ("sleep", "monotonic", "perf_counter")),
    ("selectors", "DefaultSelector"),
}
"""What waits, makes something that does, or tells when it has waited for long enough."""
SIGNAL = re.compile(r"(\w+) = waiting\.signal\(\)")
METHODS = ("wait", "communicate")
DOORS = ("waiting", "clock", "_clock", "_silence")
"""What waits through the door itself, or says how long to wait."""
ELSEWHERE = {
    "waiting.py": "the door",
    "archive/campaigns.py": "how long ago it wrote, which it does not wait for",
    "bots/bots.py": "a program is ended by a thread that outlives the keeper's loop",
    "bots/programs.py": "the end of a process that was killed, in the thread that ends it",
    "bots/sandbox.py": "in the process of a program",
    "bots/thinking.py": "in the processes in which bots think",
    "bots/workers.py": "in the processes of a campaign",
    "cli/signals.py": "how long ago a signal came",
    "cli/simulate.py": "how long a campaign took",
    "keeper/detached.py": "the end of a process that has said its last line",
    "log/unchecked.py": "the end of a process that was killed",
    "screens/following.py": "a connection's news, which its own thread takes",
    "screens/line.py": "a terminal, which another thread reads",
    "screens/lines.py": "a terminal",
    "screens/model.py": "the clock of a screen, which a test hands in",
    "screens/pictures.py": "what draws the pictures of a terminal",
    "screens/terminal.py": "a terminal's answers",
    "simulation": "a simulated table is a process with a clock of its own",
    "table/clock.py": "the clock, which passes on what it is asked for",
    "web": "the pages are served in asyncio's loop",
}
"""Files and rooms that wait past the door, each with its reason."""


def waits_of(file: Path) -> Iterator[str]:
    """Yield the calls by which a module waits past the door."""
    text = file.read_text(encoding="utf-8")
    doors, queues = {*DOORS, *SIGNAL.findall(text)}, "SimpleQueue" in text
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names if (node.module, each.name) in MADE)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            whose, name = ast.unparse(node.func.value), node.func.attr
            through = whose.rpartition(".")[2] in doors
            takes = queues and name == "get" and not node.args
            if (whose, name) in MADE or (not through and (name in METHODS or takes)):
                yield f"{whose}.{name}"


def test_every_room_waits_through_the_door() -> None:
    past: dict[str, list[str]] = {}
    for file in HOST.rglob("*.py"):
        inside = file.relative_to(HOST)
        if found := list(waits_of(file)):
            past.setdefault(inside.parts[0] if inside.parts[0] in ELSEWHERE else inside.as_posix(), []).extend(found)
    assert past.keys() == ELSEWHERE.keys(), past


class Noting(waiting.World):
    """The world, and how long was waited for signals in it."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def signal(self) -> waiting.Signal:
        world, signal = self, super().signal()

        class Noted:
            def set(self) -> None:
                signal.set()

            def wait(self, timeout: float) -> bool:
                world.waits.append(timeout)
                return signal.wait(timeout)

        return Noted()


def test_who_asks_the_keeper_waits_through_the_door(tmp_path: Path) -> None:
    with kept(tmp_path / "log.db"), linked(tmp_path / "log.db") as link, waiting.enter(Noting()) as world:
        assert link.call("list")["games"] == []
        assert world.waits == [0.5]
