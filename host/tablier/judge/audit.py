"""The audit: every game of a log, run through the session again.

The chain of a log shows that nothing was changed afterwards; the audit shows that what stands there follows from what
came in. Each input is fed to a session, which refuses what cannot be, as it does in play; the entries that follow from
it must be the very ones of the log. So a move that nobody made, a choice that was not bound before others were open,
and chance that no source gave are found. One game that does not follow leaves the others standing.

A game is run again whole when it was played with the rules and the script of this program. Of one that was played with
others that were released, the moves, their chance, the commitments and the result are checked all the same; that its
questions were not compared is said. Versions that were never released are refused, so that nobody switches a check off
by claiming one.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablier.course import chance as sources_of_chance
from tablier.course.asides import MISTAKE
from tablier.course.chance import HOST, ROLL, TALLY, VERSION, HostSeed, Sources
from tablier.course.declined import Declined
from tablier.course.entries import CORRECTED, INPUTS, OUTPUTS, SCHEMA, Body, Item
from tablier.course.seats import AT_TABLE, Seat, may_practise, seated
from tablier.course.session import Session
from tablier.games import GAMES, game_class, released_scripts, script_of, versions_of
from tablier.games.core import TABLE, Move, Position, Rules, RulesError
from tablier.games.core.prelude import Prelude
from tablier.games.core.questions import Rolled, Script, Tallied
from tablier.log import Entry, GameInfo
from tablier.log.bodies import check
from tablier.log.boots import Boots
from tablier.log.chain import canonical, digest_of
from tablier.log.evenings import FOLDED, Evenings, NotDueError
from tablier.log.fold import compare_names
from tablier.record import Record, result_of
from tablier.table.refusals import unusable
from tablier.texts import Json, Text, TextError, all_of, counted, text_of
from tablier_fw import rolls, wire

_IMPOSSIBLE = (*(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),)
"""Errors that rules and scripts raise for input that no program of ours would give them."""
_OF_GAME = "game {game}: {why}"
_BESIDE = ("reveal", "warning")
"""Kinds of entries that stand beside a game: nothing follows from them."""


class AuditError(TextError):
    """An entry of a log does not follow from what came before; the text names it and says what is wrong."""


@dataclass
class GameReport:
    """The audit's findings on one game."""

    game: int | None
    problem: Text | None = None
    """The first inconsistency and its entry; ``None`` if everything follows."""
    unchecked: Text | None = None
    """A sentence on what could not be checked; ``None`` if everything was."""
    summary: Json = field(default_factory=dict)
    """The facts that an honest log states in one way only: versions, names, sources, moves and who made them, results,
    commitments that were opened, and counts."""

    @property
    def reason(self) -> Text | None:
        """Return the problem without the number of the game."""
        if self.problem is None or self.problem.template != _OF_GAME:
            return self.problem
        why: Text = self.problem.args["why"]
        return why

    @property
    def whole(self) -> bool:
        """Return whether everything was checked and follows."""
        return not (self.problem or self.unchecked)


@dataclass
class Report:
    """The findings of an audit."""

    by_game: list[GameReport] = field(default_factory=list)
    problems: list[Text] = field(default_factory=list)
    """Faults of entries outside any game."""
    missing: list[Text] = field(default_factory=list)
    """A sentence for each row of a table's events, and of its rolls, that is not in the log."""
    played_as: list[Text] = field(default_factory=list)
    """A sentence for each of the people who have played under another name."""
    missing_events: int = 0
    missing_rolls: int = 0
    lost_events: int = 0
    """The events that went with restarts of tables: they had not been taken, which is no fault of the log."""

    @property
    def games(self) -> int:
        """Return how many games were run again as a whole."""
        return sum(game.whole for game in self.by_game)

    @property
    def choices(self) -> int:
        """Return how many secret choices were opened as they were bound."""
        return sum(len(game.summary.get("choices", ())) for game in self.by_game)

    @property
    def rolls(self) -> int:
        """Return how many rolls of a table were revealed as they were bound."""
        return sum(len(game.summary.get("rolls", ())) for game in self.by_game)

    @property
    def aborted(self) -> int:
        """Return how many rolls a table had committed to and did not reveal."""
        return sum(game.summary.get("aborted", 0) for game in self.by_game)

    @property
    def unchecked(self) -> list[Text]:
        """Return what could not be checked, a sentence each."""
        return [*(game.unchecked for game in self.by_game if game.unchecked), *self.missing]

    def check_names(self, games: Iterable[GameInfo]) -> None:
        """Compare the names of people with those that their games were played under."""
        self.played_as, missing = compare_names(games)
        self.problems += missing

    def headline(self, entries: int) -> Text:
        """Return what was found in one line, without its full stop: whatever is missing is in it."""
        counts = [
            counted(self.missing_events, "{count} event", "{count} events"),
            counted(self.missing_rolls, "{count} roll", "{count} rolls"),
        ]
        lost = [text for text, n in zip(counts, (self.missing_events, self.missing_rolls), strict=True) if n]
        about = {"entries": counted(entries, "{count} entry", "{count} entries"), "missing": all_of(lost)}
        if lost:
            found = Text("{entries}, in order; missing: {missing} of a table", about)
        elif self.wrong or self.unchecked:
            found = Text("{entries}, in order", about)
        else:
            found = Text("{entries}, whole and in order", about)
        one = "{found}; {count} event went with a restart of a table"
        many = "{found}; {count} events went with restarts of a table"
        return counted(self.lost_events, one, many, found=found) if self.lost_events else found

    @property
    def wrong(self) -> list[Text]:
        """Return all that does not follow, a sentence each."""
        return [*self.problems, *(game.problem for game in self.by_game if game.problem)]


def audit(entries: Iterable[Entry]) -> Report:
    """Run every game again. Raise :class:`AuditError` for the first that does not follow."""
    report = examine(entries)
    if report.wrong:
        raise AuditError(report.wrong[0])
    return report


def examine(entries: Iterable[Entry], but: Container[int | None] = ()) -> Report:
    """Run every game again and return what was found. Raise nothing, whatever the entries hold.

    :param but: games to leave out, such as those that were examined when the log was as far as their last entries.
    """
    report = Report()
    games: dict[int | None, list[Entry]] = {}
    wrong: dict[int | None, Text] = {}
    disputed: dict[int | None, Text] = {}
    order, boots = _Order(), Boots()
    for entry in entries:
        boots.take(entry)
        if entry.kind == "game":
            games[entry.game] = []
        try:
            check(entry)
            order.check(entry)
            if entry.game is not None and entry.game not in games:
                raise TextError("is of game {game}, which has not begun", game=entry.game)
        except ValueError as error:
            problem = Text("entry {n} {why}", {"n": entry.n, "why": text_of(error)})
            if entry.game not in games:
                report.problems.append(problem)
            elif isinstance(error, _DisputedError) or (isinstance(error, TextError) and entry.game in disputed):
                disputed.setdefault(entry.game, problem)
            else:
                wrong.setdefault(entry.game, problem)
        if entry.game in games:
            games[entry.game].append(entry)
    for number, group in games.items():
        if number in but:
            continue
        found = GameReport(number, wrong.get(number))
        if not found.problem:
            _examine_game(found, group)
        report.by_game.append(found)
    _settle(report, disputed)
    report.missing = boots.gaps()
    report.missing_events, report.missing_rolls = boots.missing
    report.lost_events = boots.lost
    return report


def _settle(report: Report, disputed: Mapping[int | None, Text]) -> None:
    """Blame games for what an earlier game may have got wrong, unless that one is wrong itself."""
    if not any(found.problem for found in report.by_game):
        for found in report.by_game:
            found.problem = disputed.get(found.game)


class _DisputedError(TextError):
    """An entry does not fit to those of other games, and it need not be the one that is wrong."""


class _Order:
    """Checks between the entries of a log, whatever game they belong to."""

    def __init__(self) -> None:
        self._evenings = Evenings()
        self._ids = 0  # reserved up to here
        self._asked = 0
        self._numbers: dict[str, int] = {}  # boot → number of its last event

    def check(self, entry: Entry) -> None:
        """Raise ``ValueError`` for an entry that cannot follow those before."""
        body = entry.body
        if entry.kind in FOLDED:
            self._fold(entry)
        if entry.boot is not None and entry.number is not None:
            self._numbers[entry.boot] = entry.number
        if entry.kind == "ids":
            if body["to"] <= self._ids:
                raise TextError("takes ids up to {to}, which are taken already", to=body["to"])
            self._ids = body["to"]
        elif entry.kind == "ask":
            if not self._asked < body["id"] <= self._ids:
                raise _DisputedError(
                    "asks a question with the id {id}, after {asked} and up to {ids}",
                    id=body["id"],
                    asked=self._asked,
                    ids=self._ids,
                )
            self._asked = body["id"]
        elif entry.kind == "gap" and body["after"] != self._numbers.get(body["boot"], 0):
            last = self._numbers.get(body["boot"], 0)
            raise TextError(
                "is a gap after event {after} of boot {boot}, whose last one is {last}",
                after=body["after"],
                boot=body["boot"],
                last=last,
            )

    def _fold(self, entry: Entry) -> None:
        try:
            self._evenings.take(entry)
        except TextError as error:
            kind = _DisputedError if isinstance(error, NotDueError) else TextError
            raise kind("cannot follow: {why}", why=error.text) from None


def _examine_game(report: GameReport, entries: list[Entry]) -> None:
    head = entries[0].body
    try:
        if head["schema"] != SCHEMA:
            raise AuditError("entry {n}: unknown schema of a game: {schema}", n=entries[0].n, schema=head["schema"])
        report.summary = _summary(entries)
        if head["game"] not in GAMES:
            about = {"id": report.game, "game": repr(head["game"])}
            report.unchecked = Text("game {id} is of {game}, which is not installed", about)
            return
        now = versions_of(head["game"])
        played = [head["versions"], *(entry.body for entry in entries if entry.kind == "versions")]
        _check_versions(entries[0], played)
        if all(versions == now for versions in played):
            _Rerun(entries).run()
        else:
            _Replay(entries).run()
            text = "game {game} was played with versions {versions}, not {now}: its questions were not compared"
            report.unchecked = Text(text, {"game": report.game, "versions": _named(played), "now": _named([now])})
    except AuditError as error:
        report.problem = error.text
    except RulesError as error:
        report.problem = Text(_OF_GAME, {"game": report.game, "why": text_of(error)})
    except _IMPOSSIBLE as error:
        why = Text("it is not what this program writes ({error})", {"error": repr(error)})
        report.problem = Text(_OF_GAME, {"game": report.game, "why": why})


def _named(versions: Sequence[Body]) -> list[Text]:
    return [Text("{rules} of the rules and {script} of the script", each) for each in versions]


def _check_versions(head: Entry, played: Iterable[Body]) -> None:
    """Raise :class:`AuditError` for versions that no release has written."""
    game = head.body["game"]
    rules = game_class(game)
    for versions in played:
        known = {"rules": (rules.VERSION, *rules.RELEASED), "script": released_scripts(game)}
        for what, version in versions.items():
            if version not in known[what]:
                raise AuditError(
                    "entry {n}: there is no version {version} of the {what} of {game}",
                    n=head.n,
                    version=version,
                    what=what,
                    game=game,
                )
    version = head.body.get("chance", {}).get("version", VERSION)
    if version not in (VERSION, *sources_of_chance.RELEASED):
        raise AuditError("entry {n}: there is no version {version} of rolls and tallies", n=head.n, version=version)


def _summary(entries: Sequence[Entry]) -> Json:
    """Return what the entries of a game say, as far as an honest log cannot say it otherwise."""
    head = entries[0].body
    bound = {
        (entry.body["id"], entry.body.get("place"), entry.body.get("seat")): entry.body["commitment"]
        for entry in entries
        if entry.kind in ("table", "commitment") and entry.body["event"] in ("locked", "committed")
    }
    asked = 0
    choices: list[list[Any]] = []
    revealed: list[list[Any]] = []
    for entry in entries:
        body = entry.body
        if entry.kind == "ask":
            asked = body["id"]
        elif entry.kind in ("table", "opening") and body["event"] in ("opened", "revealed") and body["id"] == asked:
            key = body["id"], body.get("place"), body.get("seat")
            (choices if body["event"] == "opened" else revealed).append([*key, bound.get(key), body["nonce"]])
    return {
        "game": head["game"],
        "names": [seat.name for seat in map(Seat.read, head["seats"])],
        "sources of seats": [seat["source"] for seat in head["seats"]],
        "sources of chance": head.get("chance"),
        "options": head["options"],
        "practice": head["practice"],
        "evening": [head.get("evening"), head.get("series")],
        "versions": [head["versions"], *(entry.body for entry in entries if entry.kind == "versions")],
        "moves": [
            [entry.kind, *(entry.body.get(key) for key in ("text", "by", "chance", "to"))]
            for entry in entries
            if entry.kind in ("prelude", "move", "takeback")
        ],
        "results": [entry.body for entry in entries if entry.kind == "end"],
        "choices": sorted(choices, key=canonical),
        "rolls": sorted(revealed, key=canonical),
        "aborted": sum(entry.body.get("rolls", 1) for entry in entries if entry.kind == "aborted"),
        "elsewhere": [[entry.boot, entry.number, entry.body] for entry in entries if entry.kind == "since"],
        **{kind: sum(entry.kind == name for entry in entries) for kind, name in _COUNTED.items()},
    }


_COUNTED = {"gaps": "gap", "faults": "fault"}


def _rules_of(head: Entry) -> Rules[Any]:
    """Return the rules of a game, with all that its heading says found to be possible. Raise :class:`AuditError`."""
    body = head.body
    seats = [Seat.read(seat) for seat in body["seats"]]
    try:
        rules = Record(body["game"], tuple(seat.name for seat in seats), (), body["options"]).rules()
        Sources.read(body).check(rules, [seat.at_table for seat in seats])
    except RulesError as error:
        raise AuditError("entry {n}: {why}", n=head.n, why=text_of(error)) from None
    if body["practice"] and not may_practise(seats):
        people = sum(seat.is_person for seat in seats)
        raise AuditError("entry {n}: a game with {people} people is not practice", n=head.n, people=people)
    if ("prelude" in body) != (rules.prelude() is not None):
        text = "entry {n}: with the options {options} {title} begins with a prelude, but here is none"
        if "prelude" in body:
            text = "entry {n}: with the options {options} {title} has no prelude, but here is one"
        raise AuditError(text, n=head.n, options=body["options"], title=rules.title)
    places = [seat.place for seat in seats if seat.place]
    if len(set(places)) < len(places) or any(seat.at_table and not seat.place for seat in seats):
        raise AuditError("entry {n}: seats without a place, or two at the same", n=head.n)
    return rules


def _check_seed(head: Entry, seed: Entry) -> None:
    """Raise :class:`AuditError` unless the seed was drawn for the game that this is."""
    if seed.body["heading"] != digest_of(head.body, seed.body["seed"]):
        raise AuditError(
            "entry {n}: this is not the heading that the seed was drawn for (entry {seed})", n=head.n, seed=seed.n
        )


class _Replayed:
    """Ids and salts as the log has them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._ids = deque(entry.body["id"] for entry in entries if entry.kind == "ask")
        self._salts = deque(
            entry.body["salt"] for entry in entries if entry.kind in ("prelude", "move") and "salt" in entry.body
        )

    def question_id(self) -> int:
        return int(self._ids.popleft()) if self._ids else 0

    def salt(self) -> str:
        return str(self._salts.popleft()) if self._salts else ""


class _Rerun:
    """A game that is run again: each input is fed to a session, which is compared with what follows in the log."""

    def __init__(self, entries: list[Entry]) -> None:
        self._head = entries[0]
        self._entries = deque(entry for entry in entries[1:] if entry.kind not in _BESIDE)
        body = self._head.body
        rules = _rules_of(self._head)
        self._session = Session(
            Position(rules),
            [Seat.read(seat) for seat in body["seats"]],
            script_of(body["game"])[0],
            _Replayed(entries),
            prelude="prelude" in body,
            practice=body["practice"],
            sources=Sources.read(body),
            unusable=unusable,
        )
        self._begun = False

    def run(self) -> None:
        """Raise :class:`AuditError` for the first entry that does not follow."""
        last = self._head
        while self._entries:
            last = self._entries.popleft()
            self._step(last)
        if self._session.due:
            raise AuditError("entry {n}: a {due} should follow, and the log ends", n=last.n, due=self._session.due)

    def _step(self, entry: Entry) -> None:
        session = self._session
        try:
            if not self._begun and entry.kind in OUTPUTS:
                self._begun = True
                self._entries.appendleft(entry)
                self._expect(session.begin().items, entry)
                return
            if entry.kind not in INPUTS:
                text = "entry {n}: a {kind} that does not follow from what came in"
                if entry.kind in OUTPUTS:
                    text = "entry {n}: a {kind} that does not follow from what came in: {what}"
                raise AuditError(text, n=entry.n, kind=entry.kind, what=_text(entry.body))
            if entry.kind == "seed":
                _check_seed(self._head, entry)
            effects = session.feed(entry.kind, entry.body, entry.boot)
        except Declined as error:
            raise AuditError("entry {n}: {why}", n=entry.n, why=text_of(error)) from None
        if effects.taken != [(entry.kind, entry.body)]:
            raise AuditError("entry {n}: a secret without a salt, or a salt without a secret", n=entry.n)
        self._expect(effects.items, entry)

    def _expect(self, items: list[Item], cause: Entry) -> None:
        for kind, body in items:
            if not self._entries:
                raise AuditError(
                    "entry {n}: {kind} {what} should follow, and the log ends", n=cause.n, kind=kind, what=_text(body)
                )
            entry = self._entries.popleft()
            if entry.kind != kind or canonical(entry.body) != canonical(body):
                raise AuditError(
                    "entry {n}: {kind} {what} should stand there, not {seen} {seen_what}",
                    n=entry.n,
                    kind=kind,
                    what=_text(body),
                    seen=entry.kind,
                    seen_what=_text(entry.body),
                )


class _Replay:
    """A game that was played with another version: its moves by the rules, its chance, its commitments, its result.

    What was asked is not compared: another script asked it.
    """

    def __init__(self, entries: list[Entry]) -> None:
        self._head, self._entries = entries[0], entries[1:]
        self._rules = _rules_of(self._head)
        self._seats = self._first_seats = tuple(Seat.read(seat) for seat in self._head.body["seats"])
        self._sources = Sources.read(self._head.body)
        self._position = self._first()
        self._stood: dict[int, str] = {}  # moves that were taken back, by how many stood before each
        self._drawing: tuple[tuple[int, Any], Script] | None = None  # where what is entered begins, and what is asked
        self._seed: HostSeed | None = None
        self._unrevealed = 0
        self._board = self._boot = b""
        self._due: list[Item] = []  # what must come next of what the rules say
        self._aside = False  # what is entered now is not what the table's next move comes from
        self._forget(0, ())

    def _first(self) -> Position[Any]:
        before = self._rules.prelude()
        return self._rules_position() if before is None else Position(before)

    def _rules_position(self) -> Position[Any]:
        return Position(self._rules.conducted())

    def _forget(self, id: int, seats: Sequence[int]) -> None:
        """Another question is open: what was bound for the last one is not."""
        self._id, self._asked = id, seats
        self._locked: dict[int, str] = {}
        self._opened: set[int] = set()
        self._bound = self._added = ""
        self._drawn: str | None = None

    def run(self) -> None:
        """Raise :class:`AuditError` for the first entry that cannot be."""
        last = self._head
        for last in self._entries:
            if last.kind in _BESIDE:
                continue
            try:
                if self._due and last.kind != "note":
                    kind, body = self._due.pop(0)
                    if (last.kind, canonical(last.body)) != (kind, canonical(body)):
                        raise TextError(
                            "{kind} {what} should stand there, not {seen}", kind=kind, what=_text(body), seen=last.kind
                        )
                    self._settle(last)
                elif last.kind != "note":
                    self._step(last)
            except RulesError as error:
                raise AuditError("entry {n}: {why}", n=last.n, why=text_of(error)) from None
            except AuditError:
                raise
            except ValueError as error:
                raise AuditError("entry {n}: {why}", n=last.n, why=text_of(error)) from None
        if self._due:
            raise AuditError("entry {n}: {kind} should follow, and the log ends", n=last.n, kind=self._due[0][0])

    def _settle(self, entry: Entry) -> None:
        if entry.kind == "begins":
            prelude = self._position.rules
            assert isinstance(prelude, Prelude)
            self._position = Position(prelude.begun(self._position.state)).conducted()

    def _step(self, entry: Entry) -> None:
        body, event = entry.body, entry.body.get("event")
        if self._seed is None and entry.kind != "seed":
            raise TextError("the host's seed must stand before all that could depend on it")
        if entry.kind == "seed":
            if self._seed is not None:
                raise TextError("a second seed for the same game")
            _check_seed(self._head, entry)
            self._seed = HostSeed(bytes.fromhex(body["seed"]))
        elif entry.kind == "versions":
            if not self._position.ply or isinstance(self._position.rules, Prelude):
                self._position = self._first()  # what is settled before the first move is settled again
        elif entry.kind in ("move", "prelude"):
            self._move(entry)
        elif entry.kind == "takeback":
            if isinstance(self._position.rules, Prelude) or not 0 <= body["to"] <= self._position.ply:
                raise TextError("takes back to move {to} of {ply}", to=body["to"], ply=self._position.ply)
            while self._position.ply > body["to"]:
                ply = self._position.ply - 1
                self._stood[ply] = str(self._position.pop())
        elif entry.kind == "ask":
            self._forget(body["id"], body["seats"])
            self._aside = body["what"] == MISTAKE
        elif entry.kind == "sits":
            if body["seat"] > len(self._seats):
                raise TextError("there is no seat {seat}", seat=body["seat"])
            self._seats = seated(self._seats, self._first_seats, body["seat"], body["source"])
        elif entry.kind == "run":
            self._boot = bytes.fromhex(body["run"])
        elif event == "hello":
            self._board, self._boot = bytes.fromhex(body["board"]), bytes.fromhex(body["boot"])
        elif entry.kind == "aborted":
            self._unrevealed += "rolls" not in body
        elif entry.kind == "source":
            self._sources = Sources(tuple(body["dice"]), body["bag"])
        elif entry.kind in ("gap", "void", "since"):
            self._forget(self._id, ())
        elif entry.kind == "contribution" and body["id"] == self._id:
            self._added = body["bytes"]
        elif entry.kind in ("begins", "end"):
            raise TextError("a {kind} that does not follow from what came in", kind=entry.kind)
        elif entry.kind in ("table", "commitment", "opening") and body["id"] == self._id:
            self._hear(entry)

    # -- moves -----------------------------------------------------------------------------------------------

    def _move(self, entry: Entry) -> None:
        position, body = self._position, entry.body
        rules, state = position.rules, position.state
        if (entry.kind == "prelude") != isinstance(rules, Prelude):
            raise TextError("a {kind} is not possible here", kind=entry.kind)
        if position.to_move == (TABLE,):
            self._check_chance(body["text"], body["by"])
        self._check_completion(rules.parse(body["text"]), body)
        move = position.parse_push(body["text"])
        if move.actor and body["by"] not in (self._source(move.actor), CORRECTED):
            raise TextError(
                "a move by {by}, but {source} has this seat", by=repr(body["by"]), source=repr(self._source(move.actor))
            )
        if rules.secret(state, move, position.state) != ("salt" in body):
            raise TextError("a secret move without a salt, or an open one with one")
        if position.is_over and isinstance(rules, Prelude):
            self._due = [("begins", {"options": rules.settled(position.state)})]
        elif position.is_over:
            unrevealed = {"unrevealed": self._unrevealed} if self._unrevealed else {}
            self._due = [("end", {**result_of(position), **unrevealed})]

    def _source(self, seat: int) -> str:
        return self._seats[seat - 1].source

    def _check_completion(self, move: Move, body: Body) -> None:
        """Raise ``ValueError`` unless the part of a seat's move that chance decides is what the seed gives."""
        rules = self._position.rules
        arena = any(seat.at_table for seat in self._seats)
        completed = sources_of_chance.is_completed(rules, move, arena=arena)
        if completed != ("chance" in body):
            raise TextError("{move} does not say whether chance decided a part of it", move=repr(str(move)))
        assert self._seed is not None
        if completed and self._seed.complete(self._position, rules.attempt(move)) != move:
            raise TextError("{move} is not what the host's seed gives here", move=repr(str(move)))

    def _check_chance(self, text: str, by: str) -> None:
        """Raise ``ValueError`` unless a move of the table is what its source gave."""
        position = self._position
        rules, state = position.rules, position.state
        if not rules.chance(state):
            expected, source = None, ""
        elif by == CORRECTED:  # it stands as it was, or people say what their own dice showed
            draw = rules.draw(state)
            own = (draw.dice or draw.secret) and self._sources.of(draw) == TALLY
            if not own and self._stood.get(position.ply) != text:
                raise TextError("{text} is an outcome that was corrected to another", text=repr(text))
            return
        else:
            source = self._sources.of(rules.draw(state))
            assert self._seed is not None
            expected = str(self._seed.draw(position)) if source == HOST else self._drawn
            self._drawn = None
            if expected != text:
                raise TextError(
                    "{text} is not what its source, {source}, gave: {expected}",
                    text=repr(text),
                    source=source,
                    expected=repr(expected),
                )
        if by not in ((source,) if source else (HOST, AT_TABLE, CORRECTED)):
            raise TextError("a move by {by} that comes from {source}", by=repr(by), source=repr(source or HOST))

    # -- what was bound -----------------------------------------------------------------------------------------

    def _hear(self, entry: Entry) -> None:
        body, event = entry.body, entry.body["event"]
        if entry.kind == "table" and entry.boot != self._boot.hex():
            raise TextError("an event of another table, or of another boot of it")
        place = body.get("place", 0)
        seat = body.get("seat") or next((n for n, it in enumerate(self._seats, 1) if place and it.place == place), 0)
        if event == "locked":
            if self._opened or seat in self._locked:
                raise TextError("bound to a choice when another was open, or a second time")
            self._locked[seat] = body["commitment"]
        elif event == "opened":
            self._open(seat, body)
        elif event == "committed":
            if self._bound:
                raise TextError("the table has committed to this roll already")
            self._bound = body["commitment"]
        elif event == "revealed":
            self._reveal(body)
        elif event == "tallied" and self._position.to_move == (TABLE,) and not self._aside:
            faces = tuple(bytes.fromhex(body["faces"]))
            kept = tuple(die for die in range(len(faces)) if body["kept"] >> die & 1)
            self._draw(Tallied(seat, faces, kept))

    def _open(self, seat: int, body: Body) -> None:
        unbound = [other for other in self._asked if other not in self._locked]
        if unbound or seat not in self._locked or seat in self._opened:
            raise TextError("a choice is opened that is not bound, or before all are, or a second time")
        self._opened.add(seat)
        nonce, place = bytes.fromhex(body["nonce"]), self._seats[seat - 1].place
        board, boot = self._board or bytes(8), self._boot or bytes(8)
        found = wire.commitment(board, boot, self._id, place, seat, nonce, body["choice"]).hex()
        if found != self._locked[seat]:
            raise TextError("a false opening")

    def _reveal(self, body: Body) -> None:
        if not self._bound or not self._added:
            raise TextError("a roll is revealed before the host has contributed to it")
        position = self._position
        if position.to_move != (TABLE,):
            raise TextError("a roll where the table has nothing to roll")
        ranges = position.rules.draw(position.state).ranges
        packed = struct.pack(f"<{len(ranges)}H", *ranges)
        nonce, place = bytes.fromhex(body["nonce"]), body["place"]
        if rolls.commitment(self._board, self._boot, self._id, place, packed, nonce).hex() != self._bound:
            raise TextError("a false opening of a roll")
        added = bytes.fromhex(self._added)
        numbers = rolls.outcomes(self._board, self._boot, self._id, place, packed, nonce, added)
        self._draw(Rolled(0, tuple(numbers)))

    def _draw(self, reply: Rolled | Tallied) -> None:
        """Note which move of the table follows from a roll or a tally."""
        position = self._position
        source = self._sources.of(position.rules.draw(position.state))
        if source == HOST or (source == ROLL) != isinstance(reply, Rolled):
            raise TextError("chance comes from {source} here", source=source)
        where = position.ply, position.state
        if self._drawing is None or self._drawing[0] != where:
            script = sources_of_chance.script(position, source, [it.at_table for it in self._seats])
            next(script)
            self._drawing = where, script
        try:
            self._drawing[1].send(reply)
        except StopIteration as end:
            (drawn,) = end.value
            self._drawn, self._drawing = str(drawn), None


def _text(body: Body) -> str:
    return str(body.get("text") or {key: value for key, value in body.items() if key != "salt"})


__all__ = ["AuditError", "GameReport", "Report", "audit", "examine"]
