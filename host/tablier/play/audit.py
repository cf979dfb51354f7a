"""The audit: every game of a log, run through the session again.

The chain of a log shows that nothing was changed afterwards; the audit shows that what stands there follows from what
came in. Each input is fed to a session, and the entries that follow from it must be the very ones of the log. So a move
that nobody made, a choice that was not bound before others were open, and chance that no source gave are found.

A game is audited by the schema under which it began. Of games from before the session only the choices can be checked
(:mod:`tablier.play.audit1`); what else could not be is named.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from tablier.games.core import Position, RulesError
from tablier.log import Entry
from tablier.play.audit1 import AuditError, FirstSchema
from tablier.play.chance import ROLL, VERSION, Sources
from tablier.play.conductor import INPUTS, SCHEMA, versions_of
from tablier.play.scripts import script_of
from tablier.play.session import Body, Declined, Item, Seat, Session
from tablier.record import Record

_OUTPUTS = ("ask", "prelude", "begins", "move", "takeback", "aborted", "end")
_IGNORED = ("reveal", "since", "ids", "fault")


@dataclass
class Report:
    """What an audit found."""

    games: int = 0
    """How many were run again as a whole."""
    choices: int = 0
    """How many secret choices were opened as they were bound."""
    rolls: int = 0
    """How many rolls of a table were revealed as they were bound."""
    aborted: int = 0
    """How many rolls a table had committed to and did not reveal."""
    unchecked: list[str] = field(default_factory=list)
    """What could not be checked, a sentence each."""


def audit(entries: Iterable[Entry]) -> Report:
    """Run every game again. Raise :class:`AuditError` naming the first entry that does not follow."""
    games: dict[int | None, list[Entry]] = {}
    schema = 1
    report = Report()
    for entry in entries:
        if entry.kind == "schema":
            if entry.body["from"] != schema or entry.body["to"] <= schema:
                raise AuditError(f"entry {entry.n}: a migration {entry.body} of a log of schema {schema}")
            schema = entry.body["to"]
        if entry.kind == "game":
            games[entry.game] = [entry]
            if (claimed := entry.body.get("schema", 1)) != schema:
                raise AuditError(
                    f"entry {entry.n}: game {entry.game} claims schema {claimed}, in a log of schema {schema}"
                )
        elif entry.game in games:
            games[entry.game].append(entry)
    for number, group in games.items():
        try:
            _audit_game(number, group, report)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            if isinstance(error, AuditError):
                raise
            raise AuditError(f"game {number}: not what this program writes ({error!r})") from None
    return report


def _audit_game(number: int | None, entries: list[Entry], report: Report) -> None:
    body = entries[0].body
    schema = body.get("schema", 1)
    if schema == 1:
        first = FirstSchema(body)
        for entry in entries[1:]:
            first.take(entry)
        first.end()
        report.choices += first.sound
        report.unchecked.append(f"game {number} is of schema 1: its moves and its chance were not run again")
        return
    if schema > SCHEMA:
        report.unchecked.append(f"game {number} is of schema {schema}, newer than this program")
        return
    if body.get("chance", {}).get("version", VERSION) != VERSION:
        version = body["chance"]["version"]
        report.unchecked.append(f"game {number} draws by version {version} of rolls and tallies: it was not run again")
        return
    if body["versions"] != versions_of(body["game"]):
        report.unchecked.append(f"game {number} was played with versions {body['versions']}: it was not run again")
        return
    _Rerun(entries).run()
    report.games += 1
    report.choices += sum(entry.body.get("event") == "opened" for entry in entries)
    report.rolls += sum(entry.kind in ("prelude", "move") and entry.body["by"] == ROLL for entry in entries)
    report.aborted += sum(entry.kind == "aborted" for entry in entries)


class _Supply:
    """Ids and salts as the log has them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._ids = deque(entry.body["id"] for entry in entries if entry.kind == "ask")
        self._salts = deque(entry.body["salt"] for entry in entries if entry.kind == "move" and "salt" in entry.body)

    def question_id(self) -> int:
        return int(self._ids.popleft()) if self._ids else 0

    def salt(self) -> str:
        return str(self._salts.popleft()) if self._salts else ""


class _Rerun:
    def __init__(self, entries: list[Entry]) -> None:
        head, self._entries = entries[0], deque(entry for entry in entries[1:] if entry.kind not in _IGNORED)
        body = head.body
        seats = [Seat.read(seat) for seat in body["seats"]]
        sources = Sources.read(body)
        try:
            rules = Record(body["game"], tuple(seat.name for seat in seats), (), body["options"]).rules()
            sources.check(rules, [seat.at_table for seat in seats])
        except RulesError as error:
            raise AuditError(f"entry {head.n}: {error}") from None
        people = sum(seat.is_person for seat in seats)
        if body["practice"] and people > 1:
            raise AuditError(f"entry {head.n}: a game with {people} people is not practice")
        prelude = body.get("prelude", False)
        if prelude != (rules.prelude() is not None):
            why = "has no prelude, but here is one" if prelude else "begins with a prelude, but here is none"
            raise AuditError(f"entry {head.n}: with the options {body['options']} {rules.title} {why}")
        self._boots: set[str] = set()
        self._session = Session(
            Position(rules),
            seats,
            script_of(body["game"])[0],
            _Supply(entries),
            prelude=prelude,
            practice=body["practice"],
            sources=sources,
        )
        self._begun = False

    def run(self) -> None:
        while self._entries:
            self._step(self._entries.popleft())

    def _step(self, entry: Entry) -> None:
        session = self._session
        if entry.kind == "note":
            return
        if not self._begun and entry.kind in _OUTPUTS:
            self._begun = True
            self._entries.appendleft(entry)
            self._expect(session.begin(), entry)
            return
        if entry.kind not in INPUTS:
            raise AuditError(f"entry {entry.n}: a {entry.kind} that does not follow from what came in{_what(entry)}")
        self._check_source(entry)
        try:
            items = session.feed(entry.kind, entry.body)
        except Declined as error:
            if not (entry.kind == "table" and self._entries and self._entries[0].kind == "void"):
                raise AuditError(f"entry {entry.n}: {error}") from None
            return
        self._expect(items, entry)

    def _check_source(self, entry: Entry) -> None:
        """Check that an event comes from the table that the game is played at, a reply from a seat that is not."""
        session, body = self._session, entry.body
        if entry.kind == "seed" and session.chance is not None:
            raise AuditError(f"entry {entry.n}: a second seed for the same game")
        if entry.kind == "table" and body["event"] == "hello":
            self._boots.add(body["boot"])
        elif entry.kind == "table":
            if entry.boot is None or entry.boot != session.boot.hex():
                raise AuditError(f"entry {entry.n}: an event of another table, or of another boot of it")
        elif entry.kind in ("reply", "commitment", "opening") and session.seats[body["seat"] - 1].at_table:
            raise AuditError(f"entry {entry.n}: a reply of a seat that sits at the table")
        if body.get("event") == "committed" and body["id"] == session.id and session.bound:
            raise AuditError(f"entry {entry.n}: the table commits a second time to the same roll")
        if entry.kind == "opening" or body.get("event") == "opened":
            unbound = [seat for seat in session.waiting if session.id == body["id"]]
            if unbound:
                raise AuditError(f"entry {entry.n}: a choice is opened, but p{unbound[0]} is not bound yet")

    def _expect(self, items: list[Item], cause: Entry) -> None:
        for kind, body in items:
            entry = self._next_output()
            if entry is None:
                raise AuditError(f"entry {cause.n}: {kind} {_text(body)} should follow, and the log ends")
            if (entry.kind, entry.body) != (kind, body):
                raise AuditError(
                    f"entry {entry.n}: {kind} {_text(body)} should stand there, not {entry.kind} {_text(entry.body)}"
                )

    def _next_output(self) -> Entry | None:
        while self._entries:
            entry = self._entries.popleft()
            if entry.kind != "note" or entry.body.get("kind") == "judge":
                return entry
        return None


def _what(entry: Entry) -> str:
    return f": {_text(entry.body)}" if entry.kind in _OUTPUTS else ""


def _text(body: Body) -> str:
    return str(body.get("text") or {key: value for key, value in body.items() if key != "salt"})


__all__ = ["AuditError", "Report", "audit"]
