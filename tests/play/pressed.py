"""A game at a table whose places a test presses, message by message."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.firmware.raw import FakeTable

from tablier.log.store import Log
from tablier.play.game import Conductor
from tablier.play.logged import log_id
from tablier.table.client import Client
from tablier_fw import wire


class Table(FakeTable):
    """A table whose places a test presses, and which keeps what it hears."""

    def __init__(self) -> None:
        super().__init__()
        self.number = 0
        self.on("host_hello", lambda *_: self.hello())
        self.on("ping", lambda asked: self.send(wire.PONG, asked, 10**9))

    def acknowledged(self) -> int:
        """Return the last event that the host has called durable."""
        self.act()
        return max((values[0] for name, _, values in self.heard if name == "ack"), default=0)

    def asked(self) -> list[int]:
        """Return the ids of the menus that were asked."""
        self.act()
        return [values[0] for name, _, values in self.heard if name == "menu"]

    def pick(self, question: int, place: int, option: int) -> None:
        self.number += 1
        self.send(wire.PICKED, self.number, 10**9, question, place, option)


@contextmanager
def game_at(
    table: Table, log: Log, game: int, kind: Callable[..., Conductor] = Conductor
) -> Iterator[tuple[Conductor, Callable[[], None]]]:
    client = Client(table.port, table.clock, log.cursor, log=log_id(log))
    client.open()
    running = kind(log, game, table.clock, client)

    def turn() -> None:
        for _ in range(5):
            for incoming in client.poll(0.1):
                running.take(incoming)

    try:
        yield running, turn
    finally:
        running.close()
        client.close()
        table.close()
