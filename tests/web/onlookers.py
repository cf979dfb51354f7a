"""A game whose seats are played by a test, and browsers that look on with all that comes to them kept."""

from __future__ import annotations

import re
import threading
from contextlib import ExitStack
from typing import Any

from evenings import enter, key_of
from msgspec import convert
from served import Served, Stream

from keeper.seen import Seen
from tablier.course.binding import Binder
from tablier.keeper.client import GameLink, Link, entries_of
from tablier.messages import Bind, Opened

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

    def until_more(self, lines: int) -> None:
        """Wait until more than these lines have come, and an event with them."""
        with self._heard:
            assert self._heard.wait_for(lambda: any(line.startswith("data: ") for line in self.raw[lines:]), 20)

    @property
    def text(self) -> str:
        """Return all that has come, without what stands between words: tags of a drawing among it."""
        return marks("".join(self.raw))


def marks(text: str) -> str:
    """Return letters and digits alone."""
    return re.sub(r"<[^>]*>|[^0-9A-Za-z]", "", text)


class Game:
    """A game whose three seats are played here, while a spectator and two browsers with a seat each look on."""

    def __init__(self, pages: Served, link: Link, stack: ExitStack, game: str, **options: Any) -> None:
        seats = [{"name": name, "source": "screen"} for name in NAMES]
        begun = link.call("play", {"game": game, "seats": seats, "options": options})
        self.number: int = begun["game"]
        self.link = GameLink(link, self.number, entries_of(convert(begun, Opened)))
        self.seen = Seen(self.link, 1, 2, 3, None)
        self.binders: dict[int, Binder] = {}
        self.readers: dict[int | None, Reader] = {}
        for viewer in (None, 2, 3):
            browser = stack.enter_context(pages.browser())
            if viewer is not None:
                enter(browser, key_of(begun, viewer))
            self.readers[viewer] = stack.enter_context(Reader(browser, "public,mine,table,phone"))

    @property
    def updates(self) -> dict[int | None, Any]:
        return {each["viewer"]: each for each in self.seen.updates}

    def settle(self) -> None:
        """Wait until all readers have the position that stands."""
        ply = self.updates[None]["ply"]
        for viewer, reader in self.readers.items():
            reader.until(f"game-{self.number}", ply)
            if viewer is not None:
                reader.until(f"{self.number}-{viewer}", ply)

    def told(self, viewer: int | None) -> str:
        """Return all that a browser got of this game."""
        own = (f'"name":"game-{self.number}"', f'"name":"board-{self.number}"', f'"name":"{self.number}-')
        return "".join(line for line in self.readers[viewer].raw if any(name in line for name in own))

    def reply(self, seat: int, pick: int = 0) -> Any:
        """Have a seat answer the open question, and wait until that is shown; return what was sent."""
        update = self.updates[seat]
        question, mine = update["question"], update["question"]["mine"]
        head: dict[str, Any] = {"id": question["id"], "seat": seat}
        if question["kind"] == "choice":
            self.binders[seat] = Binder()
            body = self.binders[seat].lock(
                convert(mine["bind"], Bind), question["id"], seat, question["options"].index(mine["moves"][pick])
            )
        elif question["kind"] == "poll":
            body = {**head, "event": "answered", "yes": False}
        elif question["kind"] == "menu":
            body = {**head, "event": "picked", "option": pick}
        else:
            moves = mine["moves"]
            body = {**head, "event": "played", "move": moves[pick % len(moves)] if moves else None}
        self._send(body)
        return body

    def open(self, seat: int) -> Any:
        """Open what a seat is bound to."""
        body = self.binders.pop(seat).open(self.updates[seat]["question"]["id"], seat)
        assert body is not None
        self._send(body)
        return body

    def _send(self, body: Any) -> None:
        before = len(self.seen.messages)
        self.link.reply(body)
        self.seen.wait(lambda told: len(told) > before and told)
        assert "refused" not in self.seen.messages[-1], self.seen.messages[-1]
