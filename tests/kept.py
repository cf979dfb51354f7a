"""A keeper in this process, and connections to it, for tests."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.heard import by_method

from tablier.bots.thinking import Processes
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.client import GameLink, KeeperError, Link, entries_of
from tablier.keeper.server import Server
from tablier.log import Log
from tablier.messages import Opened


@contextmanager
def kept(path: Path, **options: Any) -> Iterator[Server]:
    """Keep a log in a thread, until the end of the block."""
    ready, made, thinking = threading.Event(), [], Processes()
    thinking.start()  # here: a thread of this process may import something when the first bot is asked

    def keep() -> None:
        try:
            with Log.open(path) as log:
                made.append(Server(log, stays=True, thinking=thinking, **options))
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


def finish(link: Link, game: int, seat: int) -> None:
    """Play the first move that there is, again and again, until the game is over. Who is connected holds the seat."""
    updates: queue.SimpleQueue[Any] = queue.SimpleQueue()
    link.listen(game, by_method(lambda method, params: updates.put((method, params))))
    link.call("watch", {"game": game, "viewers": [seat]})
    done = 0
    while True:
        method, params = updates.get(timeout=30)
        if method != "updates":
            continue
        (update,) = params["updates"]
        if update["over"] is not None:
            return
        question = update["question"]
        if question and question.get("mine", {}).get("waits") and question["id"] != done:
            done = question["id"]
            reply = {"event": "played", "id": done, "seat": seat, "move": question["mine"]["moves"][0]}
            link.send("reply", {"game": game, "reply": reply}, lambda answer: None)
