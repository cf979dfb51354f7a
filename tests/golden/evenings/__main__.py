"""First evenings: what somebody types who has never seen a game, and what the screen shows then.

    python -m tests.golden.evenings
    python -m tests.golden.evenings FOLDER fr     in a language, into a folder

writes, for each game, ``GAME-80x24.txt``, the start screen and the full screen (of Dilemma at 120 × 40, too), and
``GAME-plain.txt``, the line console. Read the difference as a newcomer would.
"""

from __future__ import annotations

import asyncio
import io
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from pathlib import Path
from queue import SimpleQueue
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests" / "screens"), str(ROOT / "tests")]  # where pytest finds what tests share, too

from room import SHORT, Room  # noqa: E402
from shown import text  # noqa: E402
from textual.pilot import Pilot  # noqa: E402

from ports import connect, work  # noqa: E402
from tablier.cli import home  # noqa: E402
from tablier.games.core.bots import Searching  # noqa: E402
from tablier.languages import find_language  # noqa: E402
from tablier.play.connections import Deliver  # noqa: E402
from tablier.screens.commands import WORDS  # noqa: E402
from tablier.screens.full import Full  # noqa: E402
from tablier.screens.line import Line  # noqa: E402
from tablier.screens.model import Model  # noqa: E402
from tablier.screens.replay import read_game  # noqa: E402
from tablier.screens.start import Offer, Start  # noqa: E402
from tablier.screens.summary import LogName  # noqa: E402
from tablier.texts import ENGLISH, Json, speak  # noqa: E402

FOLDER = Path(__file__).parent
EVENINGS = [("dilemma", (120, 40)), *((game, size) for game in SHORT for size in ((80, 24), None))]
"""Game and size of each; without a size, it is at the line console."""
NAMES = ("Zoe", "Bernard", "Christine", "Daniel")
SEATS = {"dilemma": 3, "struggle": 2, "dicke-daemonen": 2, "roudalon": 4, "d21": 2}


class Way:
    """The screen's way to a game that is conducted in the same thread, whenever it is given time."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._sender = connect(room.conductor, [1], operator=True)

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        leave = self._sender.watch(viewers, deliver)
        self.room.conductor.work()
        return leave

    def reply(self, body: Json) -> None:
        self._sender.reply(body)

    def command(self, body: Json) -> None:
        self._sender.command(body)


def path_of(game: str, size: tuple[int, int] | None) -> Path:
    """Return the file of an evening; without a size, of one at the line console."""
    return FOLDER / (f"{game}-plain.txt" if size is None else f"{game}-{size[0]}x{size[1]}.txt")


def evening(game: str, size: tuple[int, int] | None) -> str:
    """Return what is typed, and what the screen shows then, from the choice of the game to the next one; without a
    size, what the line console prints."""
    found: list[str] = []
    with _first(game) as (offer, log, room):
        if size is None:
            return _at_line(log, room)
        _start(offer, game, size, found)
        screen = Full([1], LogName("evening.db"), repeats=True, explains=True, read=partial(read_game, log))

        async def shown() -> None:
            async with screen.app.run_test(size=size) as pilot:
                await _play(pilot, screen, room, found)
                screen.leave()

        screen.app.run = lambda: asyncio.run(shown())  # type: ignore[assignment, method-assign, misc]
        screen.run(Way(room))
    return "\n".join(found) + "\n"


@contextmanager
def _first(game: str) -> Iterator[tuple[Offer, Path, Room]]:
    """Give what the start screen offers where nobody has played yet, and the log and the room of a first game."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"TERM": "xterm-256color", "LOGNAME": "zoe", "TABLIER_LOG": f"{folder}/log.db"}),
        patch("tablier.table.ports.candidates", list),
        patch("tablier.bots.bots.random.Random", _Seeded),
        patch.object(Searching, "SECONDS", inf),
    ):
        log, offer = Path(folder) / "log.db", home._offer()
        room = Room(log, game, NAMES[: SEATS[game]], [], practice=True, people=(1,))
        try:
            yield offer, log, room
        finally:
            room.close()


def _keep(found: list[str], what: str, pilot: Pilot[Any]) -> None:
    """Note what was typed, and what the screen shows now."""
    found.append(f"--- {what}")
    found.extend(line.rstrip() for line in text(pilot).rstrip("\n").split("\n"))


def _start(offer: Offer, game: str, size: tuple[int, int], found: list[str]) -> None:
    """Choose a game and its players at the start screen."""
    app, chosen = Start(offer), next(each for each in offer.games if each.name == game)

    async def choose() -> None:
        async with app.run_test(size=size) as pilot:
            _keep(found, "tablier", pilot)
            await pilot.press(*["down"] * offer.games.index(chosen), "enter")
            _keep(found, f"{chosen.title} ⏎", pilot)
            fewer = len(chosen.seats) - SEATS[game]
            if fewer:  # the last line is: one player less
                await pilot.press("up", *["enter"] * fewer)
                _keep(found, f"↑ {'⏎ ' * fewer}".rstrip(), pilot)
                await pilot.press("down")
            await pilot.press("enter")

    asyncio.run(choose())
    found.append(f"--- tablier {' '.join(app.return_value or ())}")


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

    async def press(what: str, *keys: str) -> None:
        await pilot.press(*keys)
        await settle()
        _keep(found, what, pilot)

    async def enter(line: str) -> None:
        await press(f"{line} ⏎", *line, "enter")

    await settle()
    _keep(found, "the game begins", pilot)
    await press("Enter", "enter")
    await press("F1", "f1")
    await press("Esc", "escape")
    await enter("xyzzy")
    await press("↓", "down")
    await press("Esc", "escape")
    await press("F3", "f3")
    await press("Enter", "enter")
    await enter(_typed("back"))
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
    _keep(found, "the game goes on, and ends", pilot)
    await press("←", "left")
    await press("Esc", "escape")
    await enter(_typed("look"))
    await press("→", "right")
    await press("Esc", "escape")
    await press("Enter", "enter")
    await press("Enter", "enter")
    found.append(f"--- another game: {'yes' if screen.another else 'no'}")


class _Terminal(io.StringIO):
    """A terminal at which lines are typed; what is typed shows among what is printed."""

    def __init__(self) -> None:
        super().__init__()
        self._typed: SimpleQueue[str | None] = SimpleQueue()

    def isatty(self) -> bool:
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        line = self._typed.get()
        return "" if line is None else f"{line}\n"

    def type(self, line: str | None) -> None:
        """Type a line; ``None`` closes the terminal."""
        if line is not None:
            self.write(f"{line}\n")
        self._typed.put(line)


class _Inbox(SimpleQueue[tuple[str, Any]]):
    """What reaches a line console: what the conductor says first, then the next typed line."""

    def __init__(self, room: Room, terminal: _Terminal, lines: Iterator[str], model: Model) -> None:
        self._room, self._terminal, self._typed, self._model = room, terminal, lines, model

    def get(self, block: bool = True, timeout: float | None = None) -> tuple[str, Any]:
        while self.empty():
            wait = work(self._room.conductor)
            if not self.empty():
                break
            if self._model.thinking:
                self._room.conductor.clock.wait(wait, None)
                continue
            self._terminal.type(next(self._typed, None))
            break
        return super().get()


def _at_line(log: Path, room: Room) -> str:
    """Return what the line console prints, and what is typed there."""
    terminal = _Terminal()
    screen = Line(
        [1], LogName("evening.db"), terminal, terminal, repeats=True, explains=True, read=partial(read_game, log)
    )
    screen._inbox = _Inbox(room, terminal, _lines(screen._model), screen._model)
    screen.run(Way(room))
    terminal.type(None)
    return f"{terminal.getvalue()}--- another game: {'yes' if screen.another else 'no'}\n"


def _lines(model: Model) -> Iterator[str]:
    """Yield what is typed at a line console."""
    dice = random.Random(3)
    yield from map(_typed, ("help", "xyzzy", "hint", "", "back"))
    while model.over is None:
        lines = list(model.lines())
        yield "" if not lines else "pass" if "pass" in lines and dice.random() < 0.5 else dice.choice(lines)
    yield from map(_typed, ("look", "", "", "back", "quit", "again"))


def _typed(word: str) -> str:
    """Return a word of a prompt as the reader types it."""
    return str(WORDS.get(word, word))


def main(argv: Sequence[str]) -> None:
    """Write all evenings."""
    folder, language = FOLDER, "en"
    if argv:
        folder, language = Path(argv[0]), argv[1]
        folder.mkdir(parents=True, exist_ok=True)
    speak(find_language(language) or ENGLISH)
    for game, size in EVENINGS:
        (folder / path_of(game, size).name).write_text(evening(game, size), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

__all__ = ["EVENINGS", "evening", "path_of"]
