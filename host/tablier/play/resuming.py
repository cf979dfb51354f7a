"""Resuming: a game taken up where its log stands, by feeding its entries to a new session."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import Any

from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.entries import INPUTS, SCHEMA, Body
from tablier.course.session import Session
from tablier.games.core import Position
from tablier.games.core.questions import Choice, ScriptOf
from tablier.log import Entry, GameInfo, Log, LogError
from tablier.log.bodies import check
from tablier.log.chain import SINCE
from tablier.log.fold import standing
from tablier.play.change import Change
from tablier.play.committing import Committer
from tablier.play.logged import is_hello, position_after, seats_after, seats_of
from tablier.table.refusals import unusable
from tablier.texts import Text

_MOVES = ("move", "takeback")
_LAST = ("game", *_MOVES)
"""What is asked after the last of these is open, or was answered since; all that was asked before is over."""
_REQUESTS = ("request", "correction", "dispute", "mistake", "pause", "call", "shown", "sits")
_PASSING = (
    "ask",
    "reply",
    "commitment",
    "opening",
    "move",
    "takeback",
    "request",
    "correction",
    "dispute",
    "pause",
    "note",
)
"""What means nothing any more after another of :data:`_LAST`: moves are read for themselves."""


class _LogSupply:
    """Ids and salts: those of the log while it is fed, new ones after it."""

    def __init__(self, log: Log, game: int) -> None:
        self._log = log
        self._game = game
        self.replayed: deque[int] = deque()

    def question_id(self) -> int:
        return self.replayed.popleft() if self.replayed else self._log.next_id(self._game)

    def salt(self) -> str:
        return os.urandom(16).hex()


class Resumption:
    """A logged game that is taken up, at its beginning or later.

    ``versions``: those of the rules and the script with which it is played; ``None`` where they are a test's own. Raise
    ``LogError`` for a game that cannot be resumed.
    """

    def __init__(self, log: Log, info: GameInfo, versions: Body | None) -> None:
        self.info = info
        self.supply = _LogSupply(log, info.id)
        self._log = log
        self._versions = versions
        self._all = list(log.entries(info.id))
        self._entries = self._read()
        self.sources = Sources.read(self._entries[0].body)

    def session(self, script: ScriptOf, quiet_s: float, position: Position[Any] | None) -> Session:
        """Return a session at the last move, or at ``position``, that nothing has been fed to."""
        body = self._entries[0].body
        # Until the first move a prelude is fed again, over or not.
        try:
            moves = standing(self._all)
        except ValueError as error:
            raise LogError("{path}: {error}", path=self._log.path, error=error) from None
        begun = position is not None or any(entry.kind in _MOVES for entry in self._entries)
        prelude = body.get("prelude", False) and not begun
        info = self.info._replace(options=body["options"]) if prelude else self.info
        self._first = (
            Position(position.rules) if position else position_after(info._replace(options=body["options"]), ())
        )
        if body.get("prelude", False) and (before := self._first.rules.prelude()) is not None:
            self._first = Position(before)
        session = Session(
            position or position_after(info, moves),
            seats_of(self.info),
            script,
            self.supply,
            prelude=prelude,
            practice=body.get("practice", False),
            sources=self.sources,
            quiet_s=quiet_s,
            unusable=unusable,
        )
        session.seat_now(seats_after(self.info, self._entries))
        return session

    def _read(self) -> list[Entry]:
        """Return the entries of the game, but for those of questions before the last move, which are over: a game may
        have thousands. Raise ``LogError`` unless all are such as this program writes."""
        lasting, latest = list[Entry](), list[Entry]()
        for entry in self._all:
            if self._versions is not None:
                self._check_readable(entry)
            if entry.kind in _LAST:
                lasting += [each for each in latest if each.kind not in _PASSING]
                latest = []
            latest.append(entry)
        return lasting + latest

    def _check_readable(self, entry: Entry) -> None:
        """Raise ``LogError`` unless an entry is such as this program writes."""
        where = f"{self._log.path}: game {self.info.id}"
        if entry.kind == "game" and (schema := entry.body.get("schema")) != SCHEMA:
            text = "{where} has schema {schema}, which this version cannot resume"
            raise LogError(text, where=where, schema=repr(schema))
        try:
            check(entry)
        except ValueError as error:
            raise LogError("{where}: entry {n} {error}", where=where, n=entry.n, error=error) from None
        if entry.kind == "game" and entry.body["versions"] != self._versions:
            text = "{where} was played by another version of its rules or its script; only that one can resume it"
            raise LogError(text, where=where)

    def recall(self, game: Committer) -> Iterator[None]:
        """Tell again what was told before, some of it at a time."""
        entries, self._all = self._all, []
        yield from game.teller.recall(entries, self._first)

    def resume(self, game: Committer, change: Change) -> None:
        """Feed the session all that came in since the last move; add what is still to be logged. All must have been
        recalled."""
        session, entries, table = game.session, self._entries, game.table
        self._entries = []
        last = max(n for n, entry in enumerate(entries) if entry.kind in _LAST)
        asks = [n for n, entry in enumerate(entries) if n > last and entry.kind == "ask"]
        asked = [int(entries[n].body["id"]) for n in asks]
        begun = asks[0] if asked else len(entries)
        settled = [entry.body for entry in entries[:begun] if entry.kind == "source"]
        session.seat_now(seats_after(self.info, entries[:begun]))
        if settled:
            session.sources = Sources(tuple(settled[-1]["dice"]), settled[-1]["bag"])
        session.unrevealed = game.unrevealed = sum(
            entry.kind == "aborted" and "rolls" not in entry.body for entry in entries[:begun]
        )
        for entry in entries[:begun]:
            if entry.kind not in (*_REQUESTS, SINCE):  # what they have changed is so from the beginning
                self._settle(game, entry)
        client = table.client
        if client is not None and table.known is None and client.boot is not None:
            session.feed("table", table.hello(client.boot))
        game.teller.resumes()
        self.supply.replayed.extend(asked)
        if session.over and self.info.ended:  # people may have been asked whether moves are taken back
            for entry in entries[last + 1 :]:
                self._settle(game, entry)
            if session.question is not None:
                self._name_run(game, change)
            return
        if asked:
            session.begin()
            if not session.over:
                for entry in entries[begun:]:
                    self._settle(game, entry)
                self._unbind(game, change)
        else:
            self._name_run(game, change)  # first: a choice that is asked at once is bound to it
            change.begin()

    def _settle(self, game: Committer, entry: Entry) -> None:
        """Feed the session an entry of the log."""
        if is_hello(entry):
            game.table.known = entry.body
        if entry.kind in INPUTS:
            try:
                game.session.feed(entry.kind, entry.body, entry.boot)  # what follows is in the log, and was told
            except Declined:
                pass  # of a question that is over

    def _name_run(self, game: Committer, change: Change) -> None:
        """Name this run of the host, which choices without a table are bound to."""
        if game.table.client is None:
            change.feed("run", {"run": os.urandom(8).hex()})

    def _unbind(self, game: Committer, change: Change) -> None:
        """Have everybody choose again where a choice was lost with the last run of the host. Screens still hold what
        they have bound; so without a table that run stays the one to which the open choice is bound."""
        session, at_table = game.session, game.table.client is not None
        if not isinstance(session.question, Choice):
            self._name_run(game, change)
            return
        seats = session.seats
        if at_table:
            lost = any(not seats[seat - 1].at_table for seat in session.open.locked)
        else:
            lost = any(seats[seat - 1].is_bot and seat not in session.open.opened for seat in session.open.locked)
        if lost:
            self._name_run(game, change)
            text = Text("A choice was lost when the program restarted; everyone chooses again.")
            game.void(change, text, Text("a choice was lost when the host restarted"))
