"""First evenings: what somebody types who has never seen a game, and what the full screen shows then.

    python -m tests.golden.evenings

writes ``GAME-80x24.txt`` and ``GAME-120x40.txt`` for each game. Read the difference as a newcomer would.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests" / "screens"), str(ROOT / "tests")]  # where pytest finds what tests share, too

from room import SHORT, Room  # noqa: E402
from shown import text  # noqa: E402
from textual.pilot import Pilot  # noqa: E402

from tablier.games.core.bots import Searching  # noqa: E402
from tablier.screens.full import Full  # noqa: E402
from tablier.screens.replay import read_game  # noqa: E402
from tablier.screens.summary import LogName  # noqa: E402
from tablier.texts import Json  # noqa: E402

FOLDER = Path(__file__).parent
SIZES = ((80, 24), (120, 40))
NAMES = ("Zoe", "Bernard", "Christine", "Daniel")
SEATS = {"dilemma": 3, "struggle": 2, "dicke-daemonen": 2, "roudalon": 4, "d21": 2}


class Way:
    """The screen's way to a game that is conducted in the same thread, whenever it is given time."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._sender = room.conductor.inbox.connect([1], operator=True)

    def watch(self, viewers: Sequence[int | None], deliver: Callable[[Json], None]) -> Callable[[], None]:
        leave: Callable[[], None] = self._sender.watch(viewers, deliver)
        self.room.conductor.work()
        return leave

    def reply(self, body: Json) -> None:
        self._sender.reply(body)

    def command(self, body: Json) -> None:
        self._sender.command(body)


def path_of(game: str, size: tuple[int, int]) -> Path:
    """Return the file of an evening."""
    return FOLDER / f"{game}-{size[0]}x{size[1]}.txt"


def evening(game: str, size: tuple[int, int]) -> str:
    """Return what is typed, and what the screen shows then, from the card to the next game."""
    found: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"TERM": "xterm-256color"}),
        patch("tablier.play.bots.random.Random", _Seeded),
        patch.object(Searching, "SECONDS", inf),
    ):
        log = Path(folder) / "log.db"
        room = Room(log, game, NAMES[: SEATS[game]], [], practice=True, people=(1,))
        screen = Full([1], LogName("the log"), repeats=True, explains=True, read=partial(read_game, log))

        async def shown() -> None:
            async with screen.app.run_test(size=size) as pilot:
                await _play(pilot, screen, room, found)
                screen.leave()

        screen.app.run = lambda: asyncio.run(shown())  # type: ignore[assignment, method-assign, misc]
        try:
            screen.run(Way(room))
        finally:
            room.close()
    return "\n".join(found) + "\n"


class _Seeded(random.Random):
    """Dice of a bot: the same in every run."""

    def __init__(self, seed: Any = 0) -> None:
        super().__init__(seed)


async def _play(pilot: Pilot[None], screen: Full, room: Room, found: list[str]) -> None:
    model, dice = screen.model, random.Random(3)

    async def settle() -> None:
        for _ in range(3):
            await pilot.pause()
            room.conductor.work()
        while model.thinking:
            await pilot.pause(0.01)
            room.conductor.work()
        await pilot.pause()

    def keep(what: str) -> None:
        found.append(f"--- {what}")
        found.extend(line.rstrip() for line in text(pilot).rstrip("\n").split("\n"))

    async def press(what: str, *keys: str) -> None:
        await pilot.press(*keys)
        await settle()
        keep(what)

    async def enter(line: str) -> None:
        await press(f"{line} ⏎", *line, "enter")

    await settle()
    keep("the game begins")
    await press("Enter", "enter")
    await press("F1", "f1")
    await press("Esc", "escape")
    await enter("xyzzy")
    await press("↓", "down")
    await press("Esc", "escape")
    await press("F3", "f3")
    await press("Enter", "enter")
    await enter("back")
    while model.over is None:
        lines = list(model.lines())
        if not lines:
            await settle()
            continue
        screen.accept("pass" if "pass" in lines and dice.random() < 0.5 else dice.choice(lines))
        await settle()
    while model.lookback is None:
        await pilot.pause(0.01)
    await settle()
    keep("the game goes on, and ends")
    await press("←", "left")
    await press("Esc", "escape")
    await enter("look")
    await press("→", "right")
    await press("Esc", "escape")
    await press("Enter", "enter")
    await press("Enter", "enter")
    found.append(f"--- another game: {'yes' if screen.another else 'no'}")


def main() -> None:
    """Write all evenings."""
    for game in SHORT:
        for size in SIZES:
            path_of(game, size).write_text(evening(game, size), encoding="utf-8")


if __name__ == "__main__":
    main()

__all__ = ["SIZES", "evening", "path_of"]
