"""Forging logs: every single edit of one, several at random, and what an honest audit may let pass.

A forger changes, drops, repeats and moves entries and rebuilds the chain of hashes over what is left, so that only the
audit can notice. An edit is dishonest when the audit's own summary changes.
"""

from __future__ import annotations

import importlib.util
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock

from msgspec.structs import astuple, replace

import replies
from forging import headed
from tablier.judge.audit import Report, examine
from tablier.log.chain import Entry, Order, canonical

ABSENT = object()
"""In the place of a value: the field is left out."""


class Edit(NamedTuple):
    at: int
    """Which entry, from 0."""
    what: str
    """``field``, ``heading`` (of a game, with its seed made to fit), ``column``, ``drop``, ``copy`` or ``move``."""
    path: tuple[Any, ...] = ()
    """Where in the body, or which column."""
    value: Any = None
    """What stands there instead; for a copy or a move: before which entry."""

    def __str__(self) -> str:
        value = "(absent)" if self.value is ABSENT else repr(self.value)[:60]
        return f"{self.what} {'.'.join(map(str, self.path))} {value}".strip()


HEX = set("0123456789abcdef")


def others(value: Any) -> Iterator[Any]:
    """Yield what a forger could write in the place of a value: others of its type, and of other types."""
    yield None
    if isinstance(value, bool):
        yield from (not value, int(value), str(value))
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 0, 10**30, float(value), str(value), bool(value), [value])
    elif isinstance(value, str):
        yield from ("", f"{value}x", 0)
        if value.upper() != value:
            yield value.upper()
        if len(value) >= 16 and set(value) <= HEX:
            yield from (f"{int(value[0], 16) ^ 1:x}{value[1:]}", value[:-2], value[::-1], f" {value}")
        elif value[:4].isdigit() and "T" in value:
            yield from (value.replace("T", " "), f"{int(value[:4]) + 1}{value[4:]}", "banana")
        elif value:
            yield value[:-1]
    elif isinstance(value, list):
        yield from ({}, [*value, *value[-1:]], [*value, 1], value[::-1], value[1:])
    elif isinstance(value, dict):
        yield from ([], {**value, "zz": 1}, {})
    elif value is None:
        yield from (0, "", False)


def within(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield every place in a JSON value with everything that can be written there."""
    for other in others(value):
        if canonical(other) != canonical(value):
            yield path, other
    if isinstance(value, dict):
        for key, each in value.items():
            yield (*path, key), ABSENT
            yield from within(each, (*path, key))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from within(each, (*path, number))


CLAIMS = ("schema", "versions", "practice", "prelude")
"""What a heading claims that nobody could tell by the entries if it were believed."""
KINDS = ("note", "fault", "table", "reveal", "move", "aborted", "warning", "zz")


def edits(entries: Sequence[Entry]) -> Iterator[Edit]:
    """Yield every single edit of a log."""
    dice = random.Random(1)
    for at, entry in enumerate(entries):
        for path, value in within(entry.body):
            if path:
                yield Edit(at, "field", path, value)
            if entry.kind == "game" and path and (path[0] in CLAIMS or path == ("chance", "version")):
                yield Edit(at, "heading", path, value)
        yield Edit(at, "field", ("zz",), 1)
        yield from (Edit(at, "column", ("kind",), kind) for kind in KINDS if kind != entry.kind)
        yield from (Edit(at, "column", ("at",), time) for time in others(entry.at) if isinstance(time, str))
        yield from (Edit(at, "column", ("game",), game) for game in (None, 0, 1, 2) if game != entry.game)
        if entry.boot is not None:
            assert entry.number is not None
            yield from (Edit(at, "column", ("boot",), boot) for boot in others(entry.boot) if isinstance(boot, str))
            yield from (Edit(at, "column", ("number",), n) for n in (entry.number - 1, entry.number + 1, 0))
            yield Edit(at, "column", ("boot", "number"), None)
        yield Edit(at, "drop")
        yield from (Edit(at, "copy", (), to) for to in {at, len(entries), dice.randrange(len(entries))})
        yield from (Edit(at, "move", (), to) for to in {max(0, at - 1), dice.randrange(len(entries))} if to != at)


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a JSON value with another one at a place in it."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, list):
        if not isinstance(key, int) or key >= len(value):
            return value
        return [*value[:key], _put(value[key], tuple(rest), new), *value[key + 1 :]]
    if not isinstance(value, dict):
        return value
    if not rest and new is ABSENT:
        return {name: each for name, each in value.items() if name != key}
    return {**value, key: _put(value.get(key, {}), tuple(rest), new)}


def edited(entries: Sequence[Entry], edit: Edit) -> list[Entry]:
    """Return a log with an edit in it, numbered anew."""
    found = list(entries)
    at = edit.at % len(found)
    entry = found[at]
    if edit.what == "field":
        body = _put(entry.body, edit.path, edit.value)
        found[at] = replace(entry, body=body)
    elif edit.what == "heading" and entry.kind == "game":
        found = headed(found, lambda head: _put(head, edit.path, edit.value), entry.game)  # of any game, or of none
    elif edit.what == "heading":
        pass  # another edit has moved it
    elif edit.what == "column":
        found[at] = replace(entry, **dict.fromkeys(edit.path, edit.value))
    else:
        if edit.what != "copy":
            del found[at]
        if edit.what != "drop":
            found.insert(edit.value, entry)
    return [entry if entry.n == n else replace(entry, n=n) for n, entry in enumerate(found, 1)]


class Judge(NamedTuple):
    """The judge that ``log verify`` makes of a log's entries."""

    order: Callable[[], Order] = Order
    examine: Callable[[Sequence[Entry]], Report] = examine


AS_IT_IS = Judge()


def without(module: str, old: str, new: str) -> Judge:
    """Return the judge with a piece of its code replaced, which stands there once."""
    judges = ("tablier.log.chain", "tablier.course.session", "tablier.judge.audit")
    names = [module, *(name for name in judges if name != module)]
    fresh: dict[str, ModuleType] = {}
    with mock.patch.dict(sys.modules):
        for name in names:
            spec = importlib.util.find_spec(name)
            assert spec is not None and spec.origin is not None
            source = Path(spec.origin).read_text(encoding="utf-8")
            if name == module:
                assert source.count(old) == 1, f"{module}: {source.count(old)} times: {old}"
                source = source.replace(old, new)
            if name == "tablier.log.chain" and name != module:
                continue
            made = importlib.util.module_from_spec(spec)
            sys.modules[name] = fresh[name] = made
            exec(compile(source, spec.origin, "exec"), made.__dict__)
    order = fresh["tablier.log.chain"].Order if module == "tablier.log.chain" else Order
    return Judge(order, fresh["tablier.judge.audit"].examine)


def judged(entries: Sequence[Entry], judge: Judge = AS_IT_IS) -> str | None:
    """Return the audit's summary of a log; ``None`` for one that ``log verify`` does not call whole."""
    order = judge.order()
    try:
        for entry in entries:
            order.check(entry.kind, entry.game, entry.boot, entry.number)
    except ValueError:
        return None
    report = judge.examine(entries)
    if report.wrong or report.unchecked:
        return None
    return canonical([game.summary for game in report.by_game])


def is_cut(forged: Sequence[Entry], entries: Sequence[Entry]) -> bool:
    """Return whether a log is only cut at its end, which a head shows and nothing else can."""
    return len(forged) < len(entries) and all(
        astuple(a)[1:5] == astuple(b)[1:5] for a, b in zip(forged, entries, strict=False)
    )


# -- what may pass -------------------------------------------------------------------------------------------------

Named = Callable[[Entry, Edit, "Story"], bool]


class Story:
    """The course of each question of a log."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._asked: list[tuple[int, int]] = []
        self.opened: set[tuple[int, int, int]] = set()
        self.answered: set[int] = set()
        self.paused = {entry.body["id"] for entry in entries if entry.kind == "ask" and entry.body["what"] == "paused"}
        for entry in entries:
            if entry.kind == "ask":
                self._asked.append((entry.n, entry.body["id"]))
            elif entry.body.get("event") in (replies.OPENED, replies.REVEALED):
                self.opened.add(self.whose(entry))
            if entry.kind in ("table", "reply", "commitment", "void") and "id" in entry.body:
                self.answered.add(entry.body["id"])

    @staticmethod
    def whose(entry: Entry) -> tuple[int, int, int]:
        """Return question, seat and place of what is bound or opened."""
        return entry.body["id"], entry.body.get("seat", 0), entry.body.get("place", 0)

    def is_void(self, entry: Entry) -> bool:
        """Return whether something was bound that was never opened."""
        if entry.kind == "contribution":
            return entry.body["id"] not in {id for id, _, _ in self.opened}
        return entry.body.get("event") in (replies.LOCKED, replies.COMMITTED) and self.whose(entry) not in self.opened

    def is_free(self, entry: Entry, edit: Edit) -> bool:
        """Return whether an entry was only moved past what has nothing to do with it: nothing else that was said of the
        same question, and no seed."""
        if edit.what != "move":
            return False
        low, high = sorted((edit.at, edit.value))
        passed = [it for it in self._entries[low : high + 1] if it is not entry and it.game == entry.game]
        same = [it for it in passed if it.body.get("id", 0) == entry.body.get("id", -1)]
        alike = all(it.body.get("event") == entry.body.get("event") for it in same)
        return alike and "seed" not in {it.kind for it in (entry, *passed)}

    def is_in_window(self, entry: Entry, edit: Edit) -> bool:
        """Return whether what a seat said at a window was only moved past what others said there, and what landed."""
        if edit.what != "move" or entry.body.get("event") not in (replies.DONE, replies.THROWN):
            return False
        low, high = sorted((edit.at, edit.value))
        passed = [it for it in self._entries[low : high + 1] if it is not entry and it.game == entry.game]
        same = [it.body for it in passed if it.body.get("id", 0) == entry.body["id"]]
        by = entry.body.get("seat"), entry.body.get("place")
        said = [body for body in same if body.get("event") in (replies.DONE, replies.THROWN)]
        others = all((body.get("seat"), body.get("place")) != by for body in said)
        return others and all(body in said or body.get("event") == replies.LANDED for body in same)

    def can_meet(self, edit: Edit) -> bool:
        """Return whether people could have met as an edited log says: nobody at another's place, nobody who goes or
        plays without being there, no game in a series that is over or when another is due, nothing after the end."""
        here: dict[int, dict[str, int]] = {}
        begun = 0
        rota: dict[int, tuple[list[str], int]] = {}  # what is left of a series at most, and how many wins it takes
        won: Counter[tuple[int, str]] = Counter()
        seats: dict[int | None, tuple[int, list[str]]] = {}  # of the games of a series
        for entry in edited(self._entries, edit):
            body = entry.body
            if entry.kind == "evening" or (entry.kind == "game" and "evening" not in body):  # which begins one
                begun += 1
                here[begun] = {}
            elif entry.kind == "series":
                turns = body["games"] * (body["count"] or 100)
                rota[body["series"]] = turns[: body["count"] or None], body["wins"]
            elif entry.kind in ("came", "went", "closed", "game") and "evening" in body:
                if body["evening"] not in here:
                    return False
                there = here[body["evening"]]
                if entry.kind == "came":
                    there[body["person"]] = body["place"]
                    places = [place for place in there.values() if place]
                    if len(places) > len(set(places)):
                        return False
                elif entry.kind == "went" and there.pop(body["person"], None) is None:
                    return False
                elif entry.kind == "closed":
                    del here[body["evening"]]
                elif entry.kind == "game":
                    people = [seat.get("person") or seat["name"] for seat in body["seats"]]
                    if not {seat["person"] for seat in body["seats"] if "person" in seat} <= there.keys():
                        return False
                    if "series" in body:
                        left, wins = rota[body["series"]]
                        enough = wins and any(n >= wins for (number, _), n in won.items() if number == body["series"])
                        if enough or left[:1] != [body["game"]]:
                            return False
                        seats[entry.game] = body["series"], people
            elif entry.kind == "end" and entry.game in seats:
                number, people = seats[entry.game]
                rota[number] = rota[number][0][1:], rota[number][1]
                won.update((number, people[int(seat[1:]) - 1]) for seat in body["winners"])
        return True

    def open_at(self, n: int) -> int:
        """Return the id of the question that is open before an entry."""
        return max(((at, id) for at, id in self._asked if at < n), default=(0, 0))[1]

    def is_late(self, entry: Entry) -> bool:
        return entry.kind == "table" and entry.body.get("id", 0) != self.open_at(entry.n)


BESIDE = ("reveal", "warning", "dispute", "correction", "request")
NAMED: dict[str, Named] = {
    "a clock may be set: only the form of a time is checked": lambda entry, edit, story: (
        edit.path == ("at",) or edit.path[-1:] == ("time",)
    ),
    "random bytes that hide a secret from whoever has its hash": lambda entry, edit, story: (
        edit.path[-1:] == ("salt",) and edit.value is not ABSENT
    ),
    "what firmware the table says it has": lambda entry, edit, story: edit.path == ("version",),
    "where the table was plugged in, for whoever resumes": lambda entry, edit, story: edit.path == ("port",),
    "how many events were lost is only known to the table": lambda entry, edit, story: edit.path == ("lost",),
    "words for people; nothing follows from them": lambda entry, edit, story: (
        entry.kind in ("void", "sits") and edit.path[:1] in (("why",), ("seats",))
    ),
    "who said that a seat changes hands": lambda entry, edit, story: entry.kind == "sits" and edit.path == ("by",),
    "who paused the game": lambda entry, edit, story: entry.kind == "pause" and edit.path == ("seat",),
    "a seat that changes hands and decides nothing after it": lambda entry, edit, story: (
        entry.kind == "sits" and edit.what == "copy"
    ),
    "beside the game: nothing follows from it": lambda entry, edit, story: entry.kind in BESIDE,
    "it came when its question was over: nothing follows from it": lambda entry, edit, story: story.is_late(entry),
    "what the sensors saw; whose card it is and how it lies is claimed and checked": lambda e, edit, story: (
        e.body.get("event") in ("landed", "moved", "closed") and edit.path[:1] not in (("id",), ("event",))
    ),
    "of a fault only the reason is judged again: it is used for nothing": lambda entry, edit, story: (
        entry.kind == "fault" and edit.path[:1] in (("event",), ("heard",))
    ),
    "bound, and made void before it was opened: nobody can check it": lambda entry, edit, story: story.is_void(entry),
    "another contribution that leads to the same dice: only the table's seal tells": lambda entry, edit, story: (
        entry.kind == "contribution" and edit.path == ("bytes",)
    ),
    "a board to which nothing was bound": lambda entry, edit, story: edit.path == ("board",),
    "an answer that decided nothing: another did, or the clock": lambda entry, edit, story: (
        entry.body.get("event") in (replies.ANSWERED, replies.DONE) and (edit.what == "drop" or edit.path == ("id",))
    ),
    "who of them says that a paused game goes on, or not": lambda entry, edit, story: (
        edit.path == ("seat",) and entry.body.get("event") == replies.ANSWERED and entry.body["id"] in story.paused
    ),
    "a run of the host to which no choice was bound": lambda entry, edit, story: entry.kind == "run",
    "who throws first at a window, and who has finished first": lambda entry, edit, story: story.is_in_window(
        entry, edit
    ),
    "moved past what has nothing to do with it": lambda entry, edit, story: story.is_free(entry, edit),
    "ids are reserved; nobody knows how far": lambda entry, edit, story: entry.kind == "ids",
    "who comes, goes, sits where and ends an evening is said by people": lambda entry, edit, story: (
        entry.kind in ("came", "went", "closed") and story.can_meet(edit)
    ),
    "how long a series is to be is said by people": lambda entry, edit, story: (
        entry.kind == "series" and edit.path[:1] in (("games",), ("wins",), ("count",)) and story.can_meet(edit)
    ),
    "the name of an evening's table, for whoever goes on with it": lambda entry, edit, story: (
        entry.kind == "evening" and edit.path == ("table",)
    ),
    "a question that nobody answered may have any free id": lambda entry, edit, story: (
        entry.kind == "ask" and edit.path == ("id",) and entry.body["id"] not in story.answered
    ),
}
"""The short list: what may be edited without the audit noticing, each with the reason."""


def reason(entry: Entry, edit: Edit, story: Story) -> str | None:
    """Return why an edit may pass; ``None`` if it may not."""
    return next((why for why, may in NAMED.items() if may(entry, edit, story)), None)


class Found(NamedTuple):
    tried: int
    refused: int
    named: Counter[str]
    wrong: list[str]
    """Edits that pass and are dishonest, or that nothing on the short list explains."""


def try_edits(
    entries: Sequence[Entry], chosen: Sequence[Edit], judge: Judge = AS_IT_IS, *, stop: bool = False
) -> Found:
    """Try single edits of an honest log. ``stop``: at the first that is wrong."""
    honest, story = judged(entries, judge), Story(entries)
    assert honest is not None, "an honest log is refused"
    refused, named, wrong = 0, Counter[str](), []
    for edit in chosen:
        forged = edited(entries, edit)
        found = judged(forged, judge)
        entry = entries[edit.at]
        if found is None:
            refused += 1
        elif is_cut(forged, entries):
            named["the end is cut off, which only a head shows"] += 1
        elif found == honest and (why := reason(entry, edit, story)):
            named[why] += 1
        else:
            told = "dishonest" if found != honest else "not on the short list"
            wrong.append(f"entry {entry.n} ({entry.kind} {entry.body.get('event', '')}): {edit}: {told}")
            if stop:
                break
    return Found(len(chosen), refused, named, wrong)


def try_forgeries(entries: Sequence[Entry], seed: int, count: int, every: Sequence[Edit]) -> Found:
    """Try logs of several edits each. What changes nothing of the summary may pass."""
    honest, dice = judged(entries), random.Random(seed)
    refused, named, wrong = 0, Counter[str](), []
    # Edits that pass by themselves, among others: a log of five that are refused at once shows little.
    mild = [edit for edit in dice.sample(every, min(len(every), count)) if judged(edited(entries, edit)) is not None]
    for _ in range(count):
        several = [dice.choice(mild if mild and dice.random() < 0.6 else every) for _ in range(dice.randint(2, 5))]
        forged = list(entries)
        for edit in several:
            if forged:
                forged = edited(forged, edit)
        found = judged(forged)
        if found is None:
            refused += 1
        elif found == honest or is_cut(forged, entries):
            named["honest"] += 1
        else:
            wrong.append("; ".join(f"{edit.at + 1}: {edit}" for edit in several))
    return Found(count, refused, named, wrong)
