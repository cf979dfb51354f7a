"""What a client of a game at a keeper hears, as JSON."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tests.heard import json_of

from tablier.keeper.client import GameLink
from tablier.play.connections import Message


class Seen:
    """What a client of a game hears, and a way to wait for it."""

    def __init__(self, game: GameLink, *viewers: int | None) -> None:
        self.game = game
        self.messages: list[Any] = []
        self._heard = threading.Condition()
        game.watch(viewers or (None,), self._take)

    def _take(self, message: Message) -> None:
        with self._heard:
            self.messages.append(json_of(message))
            self._heard.notify_all()

    def wait(self, holds: Callable[[list[Any]], Any], seconds: float = 20.0) -> Any:
        with self._heard:
            assert self._heard.wait_for(lambda: holds(self.messages), seconds), self.messages[-1:]
            return holds(self.messages)

    @property
    def updates(self) -> Any:
        """The latest updates, one for each viewer."""
        return self.wait(lambda seen: [each for each in seen if "updates" in each])[-1]["updates"]

    @property
    def latest(self) -> Any:
        """The latest update of the first viewer."""
        return self.updates[0]

    @property
    def texts(self) -> list[str]:
        return [news["text"]["text"] for each in self.messages for up in each.get("updates", ()) for news in up["news"]]
