"""A full screen without a terminal, and somebody who asks it for moves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from msgspec import convert
from shown import text
from textual.pilot import Pilot

from tablier import messages
from tablier.games import rules_of
from tablier.games.core import Position
from tablier.screens.full import Full
from tablier.screens.summary import LogName
from tablier.texts import Json

Script = Callable[[Pilot[None]], Awaitable[None]]


class Port:
    """Asks Anne for moves of D.21, or both players for a choice in secret. Nobody is behind it."""

    def __init__(self, moves: tuple[str, ...] = ("c3-c4", "c2-b2"), *, secret: bool = False) -> None:
        self.moves, self.secret = moves, secret
        self.replies: list[Json] = []
        self.commands: list[Json] = []
        self.id = 1
        self.changed = False
        """True once a move has been played on the board."""

    def update(self, viewer: int | None = 1) -> Json:
        position: Position[Any] = Position(rules_of("d21", 2))
        if self.changed:
            position.push(position.rules.parse("p1 c2-b2"))
        mine = {"moves": list(self.moves), "may_pass": False, "waits": True}
        question = {"id": self.id, "kind": "turn", "what": "turn", "seats": [1], "text": {"text": "Go.", "args": {}}}
        return {
            "game": 1,
            "rules": "d21",
            "options": {},
            "seats": [{"name": name, "place": 0, "source": "screen"} for name in ("Anne", "Bernard")],
            "viewer": viewer,
            "ply": self.id - 1,
            "to_move": [1],
            "last": None,
            "fell": [],
            "view": position.rules.view(position.state, 1),
            "question": {**question, "waiting": [1], "secret": self.secret, **({"mine": mine} if viewer else {})},
            "news": [
                {"n": n + 1, "kind": "said", "turn": f"p{n}", "text": {"text": f"News {n}.", "args": {}}}
                for n in range(40)
            ],
            "practice": False,
            "over": None,
            "now": 0.0,
        }

    def watch(self, viewers: Any, deliver: Any) -> Any:
        self.viewers, self.deliver = viewers, deliver
        self.send()
        return lambda: None

    def send(self) -> None:
        updates = [convert(self.update(viewer), messages.Update) for viewer in self.viewers]
        self.deliver(messages.Updates(game=1, updates=updates))

    def command(self, body: Json) -> None:
        self.commands.append(body)

    def reply(self, body: Json) -> None:
        self.replies.append(body)


def run(
    port: Port, script: Script, here: tuple[int, ...] = (1,), size: tuple[int, int] = (80, 24), **options: Any
) -> Full:
    """Run a full screen while somebody uses it, and leave it."""
    screen = Full(here, LogName("the log"), **options)

    async def shown() -> None:
        async with screen.app.run_test(size=size) as pilot:
            await script(pilot)
            screen.leave()

    screen.app.run = lambda: asyncio.run(shown())  # type: ignore[assignment, method-assign, misc]
    screen.run(port)
    return screen


async def until(pilot: Pilot[None], shown: str) -> None:
    """Wait until the screen shows something."""
    while shown not in text(pilot):
        await pilot.pause(0.01)


__all__ = ["Port", "Script", "run", "until"]
