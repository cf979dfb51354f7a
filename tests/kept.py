"""A keeper in this process, and connections to it, for tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tablier.bots import thinking
from tablier.bots.thinking import Forker, Processes
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.server import Server
from tablier.log.store import Log
from tablier.messages import Opened
from warm import CopyingPopen


@contextmanager
def kept(path: Path, **options: Any) -> Iterator[Server]:
    """Keep a log in a thread, until the end of the block."""
    ready, made, processes = threading.Event(), [], Processes()
    if thinking.Forker is Forker:  # a thread of this process may import something when the first bot is asked
        processes.start()
    else:
        CopyingPopen.commands.load()  # a keeper that did that itself would be silent for seconds

    def keep() -> None:
        try:
            with Log.open(path) as log:
                made.append(Server(log, stays=True, thinking=processes, **options))
                ready.set()
                made[0].run()
            made[0].hang_up()
        finally:
            ready.set()

    thread = threading.Thread(target=keep, name="keeper", daemon=True)
    thread.start()
    ready.wait()
    (server,) = made
    try:
        yield server
    finally:
        server.end()
        thread.join()


@contextmanager
def linked(path: Path, *, operator: bool = True) -> Iterator[Link]:
    """A connection to the keeper of a log."""
    link = Link(address_of(path), read_token(path) if operator else None)
    try:
        yield link
    finally:
        with suppress(KeeperError):
            link.close()


def entries(begun: Any) -> dict[int, Any]:
    """By seat of a game that the operator has begun: with what its person enters."""
    people, keys = begun["people"], begun["enter"]
    return {
        int(seat): {"evening": begun["evening"], "person": person, "key": keys[person]}
        for seat, person in people.items()
        if person in keys
    }


def opened(link: Link, method: str, **params: Any) -> GameLink:
    """Begin a game, or go on with one, and sit at every seat of a screen."""
    game = link.ask(Opened, method, params)
    return GameLink(link, game.game, entries_of(game))
