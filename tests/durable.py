"""Holds every conductor of the tests to the promise: durable, then acknowledged, then shown, then asked.

:func:`witnessed` gives each conductor a client that looks into the log's file, by a connection of its own, before it
acknowledges an event or asks the table for anything, and looks there before each update is delivered. What the session
was fed by then must stand in the file.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import pytest

from tablier import messages
from tablier.log.chain import SINCE, canonical
from tablier.log.connection import connect
from tablier.log.store import Log
from tablier.log.storing import unpack_body
from tablier.play.audience import Delivered, Watcher
from tablier.play.game import Conductor
from tablier.texts import Json
from tablier_fw import wire


class ScreenFails(Exception):
    """Raised by the screens of tests that are meant to fail. Whatever else a screen raises fails its test."""


class Witness:
    """Compare the entries of a game in its log file with those that must be there."""

    def __init__(self, conductor: Conductor, failures: list[Exception]) -> None:
        self._conductor = conductor
        self._failures = failures
        self._log, self._game = conductor.log, conductor.game
        self._own = self._log._connect is connect
        # Another SQLite in this process must not touch the file: closing it would drop the locks of the first.
        self._db = self._log._db
        if self._own:
            address = f"{self._log.path.resolve().as_uri()}?mode=ro"
            self._db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        self._seen = 0
        self._entries: Counter[str] = Counter()
        """The entries of the game, as they are compared."""
        self._asks: set[int] = set()
        self._moves = 0
        self._ends = 0
        self._cursors: dict[str, int] = {}
        """By boot: the last event in the file."""
        self._elsewhere: dict[str, int] = {}
        """By boot: the last event that an entry says is not in this log."""
        self._acknowledged: dict[str, int] = {}
        self._fed: list[str] = []
        self._shown = 0
        """The question that was shown last."""
        self._read()
        # A test may begin in a position that no entry tells of.
        self._untold = 0 if conductor.session.in_prelude else conductor.session.ply - self._moves
        self._acknowledged.update(self._cursors)  # by the run before; the client's hello says so to the table
        self._watch(conductor)

    def close(self) -> None:
        """Leave the file to its log: the last to close it moves the ``-wal`` into it."""
        if self._own:
            self._db.close()

    def _watch(self, conductor: Conductor) -> None:
        feed, fails, close = conductor.session.feed, conductor._audience._fails, self._log.close

        def closing() -> None:
            self.close()
            close()

        self._log.close = closing  # type: ignore[method-assign]
        if conductor.client is not None:
            conductor.client = conductor._table.client = Durable(conductor.client, self)  # type: ignore[assignment]

        def fed(kind: str, body: Json, boot: str | None = None) -> Any:
            items = feed(kind, body, boot)  # what it declines is not for the log
            self._fed.append(_key(kind, body))
            return items

        def delivering(watcher: Watcher, message: Delivered) -> bool:
            self.shown()
            if not hasattr(watcher.deliver, "guarded"):
                watcher.deliver = self._guarded(watcher.deliver)
            return fails(watcher, message)

        conductor.session.feed = fed  # type: ignore[method-assign]
        conductor._audience._fails = delivering  # type: ignore[method-assign]

    def _guarded(self, deliver: Callable[[Delivered], None]) -> Callable[[Delivered], None]:
        """Keep what a screen raises: the game continues without it, but the test must not."""

        def guarded(message: Delivered) -> None:
            for update in message.updates if isinstance(message, messages.Updates) else ():
                self._shown = update.question.id if update.question else 0
            try:
                deliver(message)
            except ScreenFails:
                raise
            except Exception as error:
                self._failures.append(error)
                raise

        guarded.guarded = True  # type: ignore[attr-defined]
        return guarded

    # -- what must hold --------------------------------------------------------------------------------------------

    def acknowledged(self, boot: str, number: int) -> None:
        """An event may be acknowledged now."""
        self._durable("acknowledged")
        last = self._cursors.get(boot, 0)
        assert number <= last, f"event {number} is acknowledged, and the log ends with {last}"
        self._acknowledged[boot] = max(number, self._acknowledged.get(boot, 0))

    def shown(self) -> None:
        """An update may be shown now."""
        self._durable("shown")
        self._all_acknowledged("shown")

    def asked(self, message: wire.Message, values: tuple[Any, ...]) -> None:
        """The table may be asked for this now."""
        self._durable("asked")
        self._all_acknowledged("asked")
        session = self._conductor.session
        if wire.slot_of(message, message.encode(*values)) == wire.QUESTION_SLOT and session.question is not None:
            assert values[0] == session.id, f"question {values[0]} is asked while {session.id} is open"
            viewers = bool(self._conductor._audience._watchers)
            assert self._shown == values[0] or not viewers, f"question {values[0]} is asked before it is shown"

    def _durable(self, what: str) -> None:
        self._read()
        session = self._conductor.session
        for key in self._fed:
            assert self._entries[key], f"{what} before it is durable: {key}"
        self._fed.clear()
        assert session.question is None or session.id in self._asks, f"{what} before question {session.id} is durable"
        stand = self._moves + self._untold
        assert session.in_prelude or session.ply == stand, f"{what}: {session.ply} moves, and {stand} stand in the log"
        assert not session.over or self._ends, f"{what} before the end is durable"

    def _all_acknowledged(self, what: str) -> None:
        client = self._conductor.client
        if client is None or client.boot is None:
            return
        last, acknowledged = self._cursors.get(client.boot, 0), self._acknowledged.get(client.boot, 0)
        acknowledged = max(acknowledged, self._elsewhere.get(client.boot, 0))
        assert last == acknowledged, f"{what} before event {last} is acknowledged; so far {acknowledged} are"

    def _read(self) -> None:
        """Read on in the file, or, where the log is on a disk of the test's own, what is committed there."""
        assert self._own or not self._db.in_transaction
        rows = self._db.execute(
            "SELECT n, game, kind, body, boot, number FROM entry WHERE n > ? ORDER BY n", (self._seen,)
        ).fetchall()
        for n, game, kind, text, boot, number in rows:
            self._seen = n
            if boot is not None:
                self._cursors[boot] = number
                if kind == SINCE:
                    self._elsewhere[boot] = number
            if game != self._game:
                continue
            body = json.loads(unpack_body(text))
            self._entries[_key(kind, body)] += 1
            if kind == "ask":
                self._asks.add(body["id"])
            elif kind == "move":
                self._moves += 1
            elif kind == "takeback":
                self._moves = body["to"]
            elif kind == "end":
                self._ends += 1


class Durable:
    """A client that acknowledges and asks for nothing before it is durable."""

    def __init__(self, client: Any, witness: Witness) -> None:
        self.__dict__.update(_client=client, _witness=witness)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._client, name, value)

    def acknowledge(self, event: Any) -> None:
        if event.number:
            self._witness.acknowledged(event.boot, event.number)
        self._client.acknowledge(event)

    def want(self, message: wire.Message, *values: Any) -> None:
        self._witness.asked(message, values)
        self._client.want(message, *values)


def _key(kind: str, body: Json) -> str:
    """Return an entry as it is compared: without its salt, which the session adds."""
    said = body["event"] if kind == "fault" and "event" in body else body
    bare = {key: value for key, value in said.items() if key != "salt"}
    return f"{kind} {canonical(bare if said is body else {**body, 'event': bare})}"


@contextmanager
def witnessed(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Give every conductor a witness. At the end raise what screens have raised."""
    begin = Conductor.__init__
    witnesses: WeakSet[Witness] = WeakSet()  # one lasts as long as its conductor, whose clock has files open
    failures: list[Exception] = []

    def init(self: Conductor, log: Log, *args: Any, **more: Any) -> None:
        begin(self, log, *args, **more)
        witnesses.add(Witness(self, failures))

    patch.setattr(Conductor, "__init__", init)
    try:
        yield
    finally:
        for witness in list(witnesses):
            witness.close()
    if failures:
        raise failures[0]
