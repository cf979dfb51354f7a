"""The picture of the full screen in the README: a game of Dicke Dämonen, as a terminal of 120 columns shows it.

    python -m tests.tools.pictures.console

It lies in ``host/pictures``; a test says when it is not what would be drawn now.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT / "tests" / "screens"), str(ROOT / "tests")]  # where pytest finds what tests share, too

from room import Room  # noqa: E402
from textual.pilot import Pilot  # noqa: E402

from tablier.play.connections import Message  # noqa: E402
from tablier.screens.full import Full  # noqa: E402
from tablier.screens.summary import LogName  # noqa: E402
from tablier.texts import Json  # noqa: E402

PATH = ROOT / "host" / "pictures" / "console.svg"
SIZE = (120, 36)
_GAME, _NAMES, _MOVES = "dicke-daemonen", ("Anne", "Bernard", "Christine"), 26
_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
"""Rich has browsers load a font from elsewhere."""


class Recorded(Room):
    """A game that keeps what its first screen was told."""

    def __init__(self, path: Path) -> None:
        self.told: list[Message] = []
        super().__init__(path, _GAME, _NAMES, [(1,)])

    def _take(self, screen: int, message: Message) -> None:
        self.told.append(message)
        super()._take(screen, message)


class Told:
    """A connection by which a screen is told again what another one was told."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    def watch(self, viewers: object, deliver: Callable[[Message], None]) -> Callable[[], None]:
        for message in self._messages:
            deliver(message)
        return lambda: None

    def command(self, body: Json) -> None:
        """Take no command: nobody types."""

    reply = command


def play() -> list[Message]:
    """Return what a screen is told of a game until Anne has a choice after some moves."""
    dice = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        room = Recorded(Path(folder) / "log.db")
        try:
            while (room.models[0].latest.ply < _MOVES) or not room.models[0].asked:
                room.type(dice.choice(list(room.models[0].lines())))
        finally:
            room.close()
        return room.told


def picture() -> str:
    """Return the picture as an SVG document."""
    screen = Full((1,), LogName("tablier.db"))
    drawn = []

    async def show() -> None:
        async with screen.app.run_test(size=SIZE) as pilot:
            await draw(pilot)
            screen.leave()

    async def draw(pilot: Pilot[None]) -> None:
        await pilot.pause()
        await pilot.press("enter")  # the card before the first question
        await pilot.pause()
        drawn.append(pilot.app.export_screenshot(title="tablier play dicke-daemonen", simplify=True))

    with patch.dict("os.environ", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}):
        screen.app.run = lambda: asyncio.run(show())  # type: ignore[assignment, method-assign, misc]
        screen.run(Told(play()))
    return _FONTS.sub("", drawn[0])


def main() -> None:
    PATH.write_text(picture(), encoding="utf-8", newline="\n")
    print(PATH.relative_to(ROOT))


if __name__ == "__main__":
    main()
