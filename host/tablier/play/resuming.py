"""Resuming: a game taken up where its log stands, by feeding its entries to a new session."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from typing import Any

from tablier.course.chance import Sources
from tablier.course.declined import Declined
from tablier.course.entries import INPUTS, SCHEMA, Body
from tablier.course.session import Made, Session
from tablier.games.core import Position
from tablier.games.core.questions import Choice, ScriptOf
from tablier.log.bodies import check
from tablier.log.chain import SINCE, Entry, LogError
from tablier.log.fold import standing
from tablier.log.store import Log
from tablier.play.change import Change
from tablier.play.logged import Logged, position_after, seats_after, seats_of
from tablier.play.telling import made_again, resumed
from tablier.table.refusals import unusable
from tablier.texts import Text

_MOVES = ("move", "takeback")
_LAST = ("game", *_MOVES)
"""What is asked after the last of these is open, or was answered since; all that was asked before is over."""
_REQUESTS = ("request", "correction", "dispute", "mistake", "pause", "call", "shown", "sits")
_PASSING = (*_MOVES, "ask", "reply", "commitment", "opening", "request", "correction", "dispute", "pause", "note")
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

    def __init__(self, log: Log, logged: Logged, versions: Body | None) -> None:
        self.info = logged.info
        self.supply = _LogSupply(log, self.info.id)
        self.sources = logged.sources
        self.hello = logged.hello
        """The body of the latest hello of the game's table, also of the one that is greeted now."""
        self._log = log
        self._versions = versions
        self._all = logged.entries
        self._entries = self._read()
        self.unrevealed = 0
        """The number of rolls that the table had not revealed when the open question was asked."""
        self.first: Position[Any]
        """The position from which on the game is told again, that of its prelude where it has one."""

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
        self.first = (
            Position(position.rules) if position else position_after(info._replace(options=body["options"]), ())
        )
        if body.get("prelude", False) and (before := self.first.rules.prelude()) is not None:
            self.first = Position(before)
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
        if self._versions is not None:
            for entry in self._all:
                self._check_readable(entry)
        last = max(at for at, entry in enumerate(self._all) if entry.kind in _LAST)
        lasting = [entry for entry in self._all[:last] if entry.kind not in _PASSING]
        self._last = len(lasting)
        return lasting + self._all[last:]

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

    def made(self) -> Iterator[Made]:
        """Return what was made before, to be told again."""
        entries, self._all = self._all, []
        return made_again(entries, self.first)

    def resume(self, session: Session, change: Change, greeting: Body | None, *, at_table: bool) -> None:
        """Feed the session all that came in since the last move; add what is still to be logged.

        ``greeting``: the table's hello, logged where the log knows of no table yet.
        """
        entries, self._entries, last = self._entries, [], self._last
        asks = [n for n, entry in enumerate(entries) if n > last and entry.kind == "ask"]
        asked = [int(entries[n].body["id"]) for n in asks]
        begun = asks[0] if asked else len(entries)
        settled = [entry.body for entry in entries[:begun] if entry.kind == "source"]
        session.seat_now(seats_after(self.info, entries[:begun]))
        if settled:
            session.sources = Sources(tuple(settled[-1]["dice"]), settled[-1]["bag"])
        session.unrevealed = self.unrevealed = sum(
            entry.kind == "aborted" and "rolls" not in entry.body for entry in entries[:begun]
        )
        for entry in entries[:begun]:
            if entry.kind not in (*_REQUESTS, SINCE):  # what they have changed is so from the beginning
                _settle(session, entry)
        if self.hello is None and greeting is not None:
            self.hello = greeting
            change.feed("table", greeting)
        if session.position.ply:
            change.note("resumed", resumed(session.position.ply))
        self.supply.replayed.extend(asked)
        if session.over and self.info.ended:  # people may have been asked whether moves are taken back
            for entry in entries[last + 1 :]:
                _settle(session, entry)
            if session.question is not None and not at_table:
                _name_run(change)
            return
        if asked:
            session.begin()
            if not session.over:
                for entry in entries[begun:]:
                    _settle(session, entry)
                _unbind(session, change, at_table=at_table)
        else:
            if not at_table:
                _name_run(change)  # first: a choice that is asked at once is bound to it
            change.begin()


def _settle(session: Session, entry: Entry) -> None:
    """Feed the session an entry of the log."""
    if entry.kind in INPUTS:
        try:
            session.feed(entry.kind, entry.body, entry.boot)  # what follows is in the log, and was told
        except Declined:
            pass  # of a question that is over


def _name_run(change: Change) -> None:
    """Name this run of the host, which choices without a table are bound to."""
    change.feed("run", {"run": os.urandom(8).hex()})


def _unbind(session: Session, change: Change, *, at_table: bool) -> None:
    """Have everybody choose again where a choice was lost with the last run of the host. Screens still hold what they
    have bound; so without a table that run stays the one to which the open choice is bound."""
    seats, open = session.seats, session.open
    chooses = isinstance(session.question, Choice)
    if at_table:
        lost = chooses and any(not seats[seat - 1].at_table for seat in open.locked)
    else:
        lost = chooses and any(seats[seat - 1].is_bot and seat not in open.opened for seat in open.locked)
    if not at_table and (lost or not chooses):
        _name_run(change)
    if lost:
        text = Text("A choice was lost when the program restarted; everyone chooses again.")
        change.void(text, Text("a choice was lost when the host restarted"))
