"""A game whose seats are played by a test, and browsers that look on with all that comes to them kept."""

from __future__ import annotations

import json
import re
import threading
from contextlib import ExitStack
from typing import Any

from evenings import enter, key_of
from served import Served, Stream

from replying import PlayedGame, begin, game_of
from tablier.keeper.client import Link

NAMES = ("Anne", "Bernard", "Christine")


class Reader(Stream):
    """A browser's stream that is read beside the test."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._heard = threading.Condition()
        self.states: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            while True:
                event = self.next()
                with self._heard:
                    self.states[event["name"]] = event["state"]
                    self._heard.notify_all()
        except Exception:
            return  # the test closes it

    def until(self, name: str, ply: int) -> None:
        """Wait until a channel has come as far as this move."""
        with self._heard:
            assert self._heard.wait_for(lambda: (self.states.get(name) or {}).get("ply", -1) >= ply, 20), (name, ply)

    def until_event(self, name: str, after: int) -> None:
        """Wait until a channel has said something, after the first events."""
        with self._heard:
            assert self._heard.wait_for(lambda: any(each["name"] == name for each in self.events[after:]), 20)

    @property
    def text(self) -> str:
        """Return all that has come, without what stands between words: tags of a drawing among it."""
        return marks("".join([*self.raw, json.dumps(self.events)]))


def marks(text: str) -> str:
    """Return letters and digits alone."""
    return re.sub(r"<[^>]*>|[^0-9A-Za-z]", "", text)


class Game(PlayedGame):
    """A game whose three seats are played here, while a spectator and two browsers with a seat each look on."""

    def __init__(self, pages: Served, link: Link, stack: ExitStack, game: str) -> None:
        begun = begin(link, game, NAMES)
        super().__init__(game_of(link, begun), (1, 2, 3), None)
        self.readers: dict[int | None, Reader] = {}
        for viewer in (None, 2, 3):
            browser = stack.enter_context(pages.browser())
            if viewer is not None:
                enter(browser, key_of(begun, viewer))
            self.readers[viewer] = reader = Reader(browser, "public,mine,table,phone")
            stack.enter_context(reader)

    def settle(self) -> None:
        """Wait until all readers have the position that stands."""
        ply = self.updates[None]["ply"]
        for viewer, reader in self.readers.items():
            reader.until(f"game-{self.number}", ply)
            if viewer is not None:
                reader.until(f"{self.number}-{viewer}", ply)

    def told(self, viewer: int | None) -> str:
        """Return all that a browser got of this game."""
        own = (f"game-{self.number}", f"board-{self.number}", f"{self.number}-")
        reader = self.readers[viewer]
        raw = [line for line in reader.raw if any(f'"name":"{name}' in line for name in own)]
        return "".join([*raw, *(json.dumps(each) for each in reader.events if each["name"].startswith(own))])

    def choose(self, seat: int, which: int) -> Any:
        """Have a seat reply with one of its moves, by its number."""
        return self.reply(seat, lambda moves, may_pass: moves[which % len(moves)])

    def to_a_choice(self) -> None:
        """Play until seats choose in secret."""
        self.play(lambda update: update["question"] and update["question"]["kind"] == "choice")
