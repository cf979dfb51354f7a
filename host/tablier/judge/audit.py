"""The audit: every game of a log, run through the session again.

The chain of a log shows that nothing was changed afterwards; the audit shows that what stands there follows from what
came in. Each input is fed to a session, which refuses what cannot be, as it does in play; the entries that follow from
it must be the very ones of the log. So a move that nobody made, a choice that was not bound before others were open,
and chance that no source gave are found. One game that does not follow leaves the others standing.

Only games that were played with the rules and the script of this program are run again; those of other versions are
refused, so that nobody switches a check off by claiming one.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec

from tablier.course.chance import VERSION, Sources
from tablier.course.declined import Declined
from tablier.course.entries import INPUTS, OUTPUTS, SCHEMA, Body, Item, events_text, rolls_text
from tablier.course.seats import Seat, may_practise
from tablier.course.session import Session
from tablier.games import GAMES, rules_of, script_of, versions_of
from tablier.games.core import Position, Rules, RulesError
from tablier.log.bodies import check
from tablier.log.boots import Boot, Boots
from tablier.log.chain import OF_ENTRY, Entry, canonical, digest_of, entries_text, same_json
from tablier.log.evenings import ABANDONED, FOLDED, Evenings, NotDueError
from tablier.log.fold import GameInfo, compare_names
from tablier.table.refusals import unusable
from tablier.texts import Json, Text, TextError, all_of, counted, text_of

_IMPOSSIBLE = (*(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError),)
"""Errors that rules and scripts raise for input that no program of ours would give them."""
_BESIDE = frozenset(("reveal", "warning"))
"""Kinds of entries that stand beside a game: nothing follows from them."""
_INPUTS = frozenset(INPUTS)
_EXACT = frozenset(("ask", "move", "prelude"))
"""Kinds whose fields have one type each (:data:`tablier.log.bodies.KINDS`): equal bodies of them have the same text."""


class AuditError(TextError):
    """An entry of a log does not follow from what came before; the text names it and says what is wrong."""


@dataclass
class GameReport:
    """The audit's findings on one game."""

    game: int | None
    problem: Text | None = None
    """The first inconsistency and its entry; ``None`` if everything follows."""
    why: Text | None = None
    """The problem without the number of the game, where it names that."""
    unchecked: Text | None = None
    """A sentence on what could not be checked; ``None`` if everything was."""
    summary: Json = field(default_factory=dict)
    """The facts that an honest log states in one way only: versions, names, sources, moves and who made them, results,
    commitments that were opened, and counts."""

    @property
    def reason(self) -> Text | None:
        """Return the problem without the number of the game."""
        return self.why or self.problem

    def fail(self, why: Text) -> None:
        """Note the first inconsistency of the game."""
        self.why = why
        self.problem = Text("game {game}: {why}", {"game": self.game, "why": why})

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
    latest: Boot | None = None
    """The boot of a table that was played at last."""

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
            events_text(self.missing_events),
            rolls_text(self.missing_rolls),
        ]
        lost = [text for text, n in zip(counts, (self.missing_events, self.missing_rolls), strict=True) if n]
        about = {"entries": entries_text(entries), "missing": all_of(lost)}
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
    between, each = Between(), Each()
    games: dict[int | None, list[Entry]] = {}
    for entry in entries:
        between.take(entry, each.fault(entry))
        if entry.kind == "game":
            games[entry.game] = []
        if entry.game in games:
            games[entry.game].append(entry)
    return between.report(
        GameReport(number, between.wrong[number]) if number in between.wrong else examine_game(group)
        for number, group in games.items()
        if number not in but
    )


class Each:
    """Checks of each entry of a log, from any of them on: it depends on little of what came before."""

    def __init__(self, *latest: Entry | None) -> None:
        """``latest``: the last entries ``ids`` and ``ask`` before."""
        self._ids = self._asked = 0  # reserved, and asked, up to here
        for entry in latest:
            if entry is not None:
                self.fault(entry)

    def fault(self, entry: Entry) -> ValueError | None:
        """Return what is wrong with an entry, ``None`` if nothing is."""
        try:
            check(entry)
        except ValueError as error:
            return error
        kind, body = entry.kind, entry.body
        if kind == "ids":
            if body["to"] <= self._ids:
                return TextError("takes ids up to {to}, which are taken already", to=body["to"])
            self._ids = body["to"]
        elif kind == "ask":
            if not self._asked < (id := body["id"]) <= self._ids:
                text = "asks a question with the id {id}, after {asked} and up to {ids}"
                return _DisputedError(text, id=id, asked=self._asked, ids=self._ids)
            self._asked = id
        return None


_OF_OTHERS = frozenset((*FOLDED, "contribution", "gap", "table", "warning"))


def concerns_others(entry: Entry) -> bool:
    """Return True if checks between the entries look at one."""
    return entry.kind in _OF_OTHERS or entry.boot is not None or entry.game is None


class Between:
    """Checks between the entries of a log, whatever game they belong to.

    Feed it in order every entry, or of entries of whose order the chain has been checked those that
    :func:`concerns_others` names and those with a fault.
    """

    def __init__(self) -> None:
        self.games: set[int | None] = set()
        """Those that have begun."""
        self.wrong: dict[int | None, Text] = {}
        """By game: what is wrong with the first of its entries that cannot follow."""
        self._problems: list[Text] = []
        self._disputed: dict[int | None, Text] = {}
        self._order, self._boots = _Order(), Boots()

    def take(self, entry: Entry, fault: ValueError | None) -> None:
        """Take an entry. ``fault``: what :meth:`Each.fault` has found."""
        self._boots.take(entry)
        if entry.kind == "game":
            self.games.add(entry.game)
        try:
            if fault is not None:
                raise fault
            self._order.check(entry)
            if entry.game is not None and entry.game not in self.games:
                raise TextError("is of game {game}, which has not begun", game=entry.game)
        except ValueError as error:
            problem = OF_ENTRY.of(n=entry.n, why=text_of(error))
            if entry.game not in self.games:
                self._problems.append(problem)
            elif isinstance(error, _DisputedError) or (isinstance(error, TextError) and entry.game in self._disputed):
                self._disputed.setdefault(entry.game, problem)
            else:
                self.wrong.setdefault(entry.game, problem)

    def report(self, games: Iterable[GameReport]) -> Report:
        """Return what was found, with the findings on the games, in order."""
        report = Report(list(games), self._problems)
        # An earlier game may have got wrong what later ones are blamed for, unless that one is wrong itself.
        if not any(found.problem for found in report.by_game):
            for found in report.by_game:
                found.problem = self._disputed.get(found.game)
        report.missing = self._boots.gaps()
        report.missing_events, report.missing_rolls = self._boots.missing
        report.lost_events = self._boots.lost
        report.latest = self._boots.latest
        return report


class _DisputedError(TextError):
    """An entry does not fit to those of other games, and it need not be the one that is wrong."""


class _Order:
    """Checks between the entries of a log, whatever game they belong to."""

    def __init__(self) -> None:
        self._evenings = Evenings()
        self._numbers: dict[str, int] = {}  # boot → number of its last event

    def check(self, entry: Entry) -> None:
        """Raise ``ValueError`` for an entry that cannot follow those before."""
        body = entry.body
        if entry.kind in FOLDED:
            self._fold(entry)
        if entry.boot is not None and entry.number is not None:
            self._numbers[entry.boot] = entry.number
        if entry.kind == "gap" and body["after"] != self._numbers.get(body["boot"], 0):
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


def examine_game(entries: list[Entry], *, moves: bool = True) -> GameReport:
    """Run one game again, and return what was found. Raise nothing.

    :param entries: all of the game, in order, each of which can stand in a log.
    :param moves: have the moves in the summary.
    """
    report, head = GameReport(entries[0].game), entries[0].body
    try:
        if head["schema"] != SCHEMA:
            raise AuditError("entry {n}: unknown schema of a game: {schema}", n=entries[0].n, schema=head["schema"])
        report.summary = _summary(entries, moves=moves)
        if head["game"] not in GAMES:
            about = {"id": report.game, "game": repr(head["game"])}
            report.unchecked = Text("game {id} is of {game}, which is not installed", about)
            return report
        _check_versions(entries[0])
        _Rerun(entries).run()
    except AuditError as error:
        report.problem = error.text
    except RulesError as error:
        report.fail(text_of(error))
    except _IMPOSSIBLE as error:
        report.fail(Text("it is not what this program writes ({error})", {"error": repr(error)}))
    return report


def _check_versions(head: Entry) -> None:
    """Raise :class:`AuditError` for a game of another version of its rules, its script or the draws of a table."""
    game, played = (
        head.body["game"],
        {**head.body["versions"], "draws": head.body.get("chance", {}).get("version", VERSION)},
    )
    now = {**versions_of(game), "draws": VERSION}
    for what, version in played.items():
        if version != now[what]:
            text = "entry {n}: version {version} of the {what} of {game}; this program has {now}"
            raise AuditError(text, n=head.n, version=version, what=what, game=game, now=now[what])


def _summary(entries: Sequence[Entry], *, moves: bool) -> Json:
    """Return what the entries of a game say, as far as an honest log cannot say it otherwise."""
    head = entries[0].body
    bound: dict[Any, str] = {}
    asked, aborted = 0, 0
    choices: list[list[Any]] = []
    revealed: list[list[Any]] = []
    count = dict.fromkeys(_COUNTED, 0)
    for entry in entries:
        kind, body = entry.kind, entry.body
        if kind in _MOST:
            continue
        if kind == "ask":
            asked = body["id"]
        elif kind in _BINDING:
            event = body["event"]
            if event in ("locked", "committed"):
                bound[body["id"], body.get("place"), body.get("seat")] = body["commitment"]
            elif event in ("opened", "revealed") and body["id"] == asked:
                key = body["id"], body.get("place"), body.get("seat")
                (choices if event == "opened" else revealed).append([*key, bound.get(key), body["nonce"]])
        elif kind == "aborted":
            aborted += body.get("rolls", 1)
        elif kind in count:
            count[kind] += 1
    return {
        "game": head["game"],
        "names": [seat.name for seat in map(Seat.read, head["seats"])],
        "sources of seats": [seat["source"] for seat in head["seats"]],
        "sources of chance": head.get("chance"),
        "options": head["options"],
        "practice": head["practice"],
        "evening": [head.get("evening"), head.get("series")],
        "versions": head["versions"],
        "moves": _told_moves(entries) if moves else [],
        "results": [entry.body for entry in entries if entry.kind == "end"],
        "choices": sorted(choices, key=msgspec.json.encode),
        "rolls": sorted(revealed, key=msgspec.json.encode),
        "aborted": aborted,
        "elsewhere": [[entry.boot, entry.number, entry.body] for entry in entries if entry.kind == "since"],
        **{name: count[kind] for kind, name in _COUNTED.items()},
    }


def _told_moves(entries: Iterable[Entry]) -> list[list[Any]]:
    return [
        [entry.kind, *(entry.body.get(key) for key in ("text", "by", "chance", "to"))]
        for entry in entries
        if entry.kind in ("prelude", "move", "takeback")
    ]


_BINDING = ("table", "commitment", "opening")
_MADE = ("prelude", "move")
_MOST = frozenset(("move", "reply"))
"""Kinds of most entries; a summary counts none of them."""
_COUNTED = {"gap": "gaps", "fault": "faults"}


def _at(entry: Entry, error: RulesError | Declined) -> AuditError:
    return AuditError("entry {n}: {why}", n=entry.n, why=error.text)


def _rules_of(head: Entry) -> Rules[Any]:
    """Return the rules of a game, with all that its heading says found to be possible. Raise :class:`AuditError`."""
    body = head.body
    seats = [Seat.read(seat) for seat in body["seats"]]
    try:
        rules = _rules_again(body["game"], len(seats), canonical(body["options"]))
        Sources.read(body).check(rules, [seat.at_table for seat in seats])
    except RulesError as error:
        raise _at(head, error) from None
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


@lru_cache(64)
def _rules_again(game: str, seats: int, options: str) -> Rules[Any]:
    """Return the rules of a game: what they have parsed is known in the next game with the same."""
    return rules_of(game, seats, json.loads(options))


def _check_seed(head: Entry, seed: Entry) -> None:
    """Raise :class:`AuditError` unless the seed was drawn for the game that this is."""
    if seed.body["heading"] != digest_of(head.body, seed.body["seed"]):
        raise AuditError(
            "entry {n}: this is not the heading that the seed was drawn for (entry {seed})", n=head.n, seed=seed.n
        )


class _Replayed:
    """Ids and salts as the log has them."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._ids: list[int] = []
        self._salts: list[str] = []
        for entry in entries:
            kind = entry.kind
            if kind == "ask":
                self._ids.append(entry.body["id"])
            elif kind in _MADE and "salt" in entry.body:
                self._salts.append(entry.body["salt"])
        self._ids.reverse()
        self._salts.reverse()

    def question_id(self) -> int:
        return self._ids.pop() if self._ids else 0

    def salt(self) -> str:
        return self._salts.pop() if self._salts else ""


class _Rerun:
    """A game that is run again: each input is fed to a session, which is compared with what follows in the log."""

    def __init__(self, entries: list[Entry]) -> None:
        self._head = entries[0]
        self._entries = deque([entry for entry in entries[1:] if entry.kind not in _BESIDE])
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
        last, entries = self._head, self._entries
        while entries:
            last = entries.popleft()
            self._step(last)
        if self._session.due:
            raise AuditError("entry {n}: a {due} should follow, and the log ends", n=last.n, due=self._session.due)

    def _step(self, entry: Entry) -> None:
        session = self._session
        kind, body = entry.kind, entry.body
        try:
            if not self._begun and kind in OUTPUTS:
                self._begun = True
                self._entries.appendleft(entry)
                self._expect(session.begin().items, entry)
                return
            if kind == ABANDONED:
                if self._entries:
                    text = "entry {n}: a {kind} in a game that was abandoned"
                    raise AuditError(text, n=self._entries[0].n, kind=self._entries[0].kind)
                return
            if kind not in _INPUTS:
                text = "entry {n}: a {kind} that does not follow from what came in"
                if kind in OUTPUTS:
                    text = "entry {n}: a {kind} that does not follow from what came in: {what}"
                raise AuditError(text, n=entry.n, kind=kind, what=_text(body))
            if kind == "seed":
                _check_seed(self._head, entry)
            effects = session.feed(kind, body, entry.boot)
        except Declined as error:
            raise _at(entry, error) from None
        if effects.taken != [(kind, body)]:
            raise AuditError("entry {n}: a secret without a salt, or a salt without a secret", n=entry.n)
        self._expect(effects.items, entry)

    def _expect(self, items: list[Item], cause: Entry) -> None:
        entries = self._entries
        for kind, body in items:
            if not entries:
                raise AuditError(
                    "entry {n}: {kind} {what} should follow, and the log ends", n=cause.n, kind=kind, what=_text(body)
                )
            entry = entries.popleft()
            same = entry.body == body if kind in _EXACT else same_json(entry.body, body)
            if entry.kind != kind or not same:
                raise AuditError(
                    "entry {n}: {kind} {what} should stand there, not {seen} {seen_what}",
                    n=entry.n,
                    kind=kind,
                    what=_text(body),
                    seen=entry.kind,
                    seen_what=_text(entry.body),
                )


def _text(body: Body) -> str:
    return str(body.get("text") or {key: value for key, value in body.items() if key != "salt"})


__all__ = [
    "AuditError",
    "Between",
    "Each",
    "GameReport",
    "Report",
    "audit",
    "concerns_others",
    "examine",
    "examine_game",
]
