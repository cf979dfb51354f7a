"""The log itself: appending, reading, verifying."""

from __future__ import annotations

import gc
import os
import secrets
from bisect import bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from string import hexdigits
from typing import Any

from tablier import waiting
from tablier.log import deciding, ended, evening_rows, fold
from tablier.log.bodies import OF_NO_GAME
from tablier.log.chain import (
    COLUMNS,
    GENESIS,
    SINCE,
    START,
    Entry,
    LogError,
    LogUnsound,
    Point,
    damaged_by,
    entries_text,
    link,
    read_canonical,
)
from tablier.log.checking import bad_entry, check_last, check_pages, checked, hash_of, order_after, verify
from tablier.log.connection import Connect, connect, empty_wal, snapshot, transaction
from tablier.log.deciding import Decisions, StandIn
from tablier.log.errors import explain_errors
from tablier.log.evening_rows import Rows
from tablier.log.evenings import FOLDED, Evening, Evenings, resolve_merges
from tablier.log.files import beside, size_of
from tablier.log.fold import GameInfo, Place
from tablier.log.making import copy
from tablier.log.migrations import HEADINGS
from tablier.log.opening import Opened, open_reader, open_writer
from tablier.log.people import Names, Person, Taken, bind
from tablier.log.storing import CHANGED, PART_BYTES, Body, pack_body, pack_hash, pack_time, read_entry
from tablier.log.unchecked import Check
from tablier.log.writing import losses, note_writer, remove_note
from tablier.texts import Text, TextError, counted, text_of
from tablier.usual import log_option

Item = tuple[int | None, str, dict[str, Any]]
"""An item to append: the id of a game or ``None``, a kind, a body."""

_INSERT = f"INSERT INTO entry ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_MERGE = "UPDATE person SET name = NULL, into_id = ? WHERE ? IN (id, into_id)"
_NAMED = """INSERT INTO person (id, name) VALUES (?, ?)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, into_id = NULL"""
_IDS_AT_ONCE = 100  # so that asking a question costs no commit of its own
_AT_ONCE = 500  # values of a statement
_INFOS = 256  # games that a writer remembers
_CHECKED_AT_ONCE = 256  # entries: nothing of the log is held while these are looked at
_LEAP = 1 << 16
_CHECKS = 2  # something else may have ended the first
_SALT_BYTES = 16
_CHANGE_BYTES = 8
RECENT = 10_000
"""Entries that :meth:`Log.check_recent` looks at."""
_FEW = 1000
"""Up to this number of games without a row (:mod:`tablier.log.ended`) each is read by itself."""
_FIRST_ID_MAX = 1 << 29  # the wire has 30 bits for an id


def now() -> str:
    """This moment as entries say it."""
    return datetime.fromtimestamp(waiting.date(), UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Log:
    """An open log; :meth:`open` and :meth:`read` make one.

    It belongs to the thread that opened it. Everything raises :class:`LogError` when the file fails, and
    ``ValueError`` when it is asked for what cannot be; nothing is written then.
    """

    def __init__(self, path: Path, opened: Opened, clock: Callable[[], str], connect: Connect) -> None:
        self.path = path
        self._opened = opened
        self._db = opened.db
        self._clock = clock
        self._connect = connect
        self._known: tuple[int, bytes, int] | None = None  # what _tail() returns, while it is certain
        self._cursor: tuple[str, int] | None = None  # the one written last, while it is certain
        self._folded: tuple[Evenings, int] | None = None  # evenings after this entry: a writer's, or without rows
        self._names: Names | None = None  # as they stand, in a log that nobody else writes to
        self._infos: dict[int, GameInfo] = {}  # of such a log: games asked for, of which nothing was logged since
        self._rowless: set[int] = set()  # of such a log: games of which something is logged, and which have no row
        self._decisions: dict[int, tuple[Decisions, int]] = {}  # of such games, those of the entries up to this number
        self._next_id = 1
        self._ids_taken = 0
        self._check: Check | None = None  # of what was not checked when it was opened
        self._checks = 0  # how often that was begun
        self._damage: LogError | None = None  # what that has found

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        clock: Callable[[], str] = now,
        connect: Connect = connect,
        later: bool = False,
        told: Callable[[Text], object] = lambda text: None,
    ) -> Log:
        """Open the log of this path for reading and writing; make it if it is missing and ``create`` says so.

        Nobody else can open it for writing until :meth:`close` or the end of this process. A log that was not closed,
        because its writer died, is verified first; with ``later`` as far as is quick, and the rest by a process beside:
        see :meth:`work`. ``told`` is called with what people wait for. ``connect`` opens the files.
        """
        path = Path(path)
        log = cls(path, open_writer(path, create, connect, later=later, told=told), clock, connect)
        try:
            log._check_tail()
            if log._opened.unchecked:
                log._begin_check()
            else:
                log._keep_all_ended()
                log._keep_all_evenings()
        except BaseException:
            log.close()
            raise
        return log

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, connect: Connect = connect) -> Log:
        """Open the log of this path read-only, whether somebody writes to it or not."""
        path = Path(path)
        return cls(path, open_reader(path, connect), now, connect)

    def close(self) -> None:
        """Let others write. Closing twice does nothing."""
        self._end_check()
        self._opened.close()

    # -- a check beside ------------------------------------------------------------------------------

    @property
    def files(self) -> list[int]:
        """Return the descriptors that are readable when :meth:`work` has something to do."""
        return [] if self._check is None else [self._check.fileno()]

    def work(self) -> None:
        """Take what the check beside has found, if there is one. Raise :class:`LogError` when that is damage: nothing
        more can be written then."""
        if self._check is None:
            return
        damage = self._check.work()
        if self._check.passed:
            with explain_errors(self.path):
                self._opened.trust()
        if damage is not None:
            self._damage = LogUnsound(damage)
        if damage is not None or self._check.over:
            self._end_check()
        self._check_writable()
        if self._check is None and self._opened.unchecked and self._checks < _CHECKS:
            with suppress(LogError):  # no reason to stop now: the next opening checks
                self._begin_check()

    def _begin_check(self) -> None:
        self._checks += 1
        with explain_errors(self.path):
            self._check = Check(self.path, self._opened.real)

    def _end_check(self) -> None:
        if self._check is not None:
            self._check.close()
            self._check = None

    def _check_writable(self) -> None:
        """Raise :class:`LogError` for a log in which nothing may be written."""
        if self._damage is not None:
            raise self._damage
        if not self._opened.writable:
            raise LogError("{path}: opened for reading only", path=self.path)

    def note_listener(self, address: Path | None) -> os.stat_result:
        """Note beside the log where its keeper listens, or that it does not any more; return what the lock is, which
        tells this log from any copy."""
        with explain_errors(self.path):
            return self._opened.note_listener(address)

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- writing -------------------------------------------------------------------------------------

    def begin_game(
        self,
        game: str,
        options: dict[str, Any],
        seats: list[dict[str, Any]],
        *,
        items: Sequence[Item] = (),
        **more: Any,
    ) -> int:
        """Log that a game begins and return its id.

        :param game: the name of its rules.
        :param seats: one a seat, first seat first: ``{"name": "Anne", "place": 1, "source": "table"}``.
        :param items: kinds and bodies that become durable with it; their game is this one.
        :param more: what else its entry says.
        """
        number = self._tail()[2] + 1
        body = {"game": game, "options": options, "seats": seats, **more}
        begins: list[Item] = [(number, "game", body)]
        if more.get("evening") is not None:
            self._check_evening(begins)
        self._write([*begins, *((number, kind, each) for _, kind, each in items)], None)
        return number

    # -- evenings ------------------------------------------------------------------------------------

    def begin_evening(self, table: str, present: Sequence[tuple[str, int]], **paces: float) -> int:
        """Log that an evening begins, and who is there, as (person, place); return its number.

        :param paces: ``quiet_s`` and ``pace_s`` of all its games, where they are not as usual.
        """
        number = self._evenings().last + 1
        came = [{"evening": number, "person": person, "place": place} for person, place in present]
        self._change(("evening", {"evening": number, "table": table, **paces}), *(("came", body) for body in came))
        return number

    def come(self, evening: int, person: str, place: int) -> None:
        """Log that somebody came to an evening, or changed the place."""
        self._change(("came", {"evening": evening, "person": person, "place": place}))

    def go(self, evening: int, person: str) -> None:
        """Log that somebody went."""
        self._change(("went", {"evening": evening, "person": person}))

    def give_key(self, evening: int, person: str) -> None:
        """Log that somebody's key is given anew: the one before holds no longer."""
        self._change(("key", {"evening": evening, "person": person}))

    def set_organiser(self, evening: int, person: str, *, on: bool) -> None:
        """Log that somebody is an organiser of an evening from now on, or no longer."""
        self._change(("organiser", {"evening": evening, "person": person, "on": on}))

    def set_door(self, evening: int, *, opens: bool) -> None:
        """Log that the door of an evening is opened or closed."""
        self._change(("door", {"evening": evening, "open": opens}))

    def begin_series(self, evening: int, games: Sequence[str], wins: int = 0, count: int = 0) -> int:
        """Log that a series begins, to a number of wins or of a number of games; return its number. It ends an earlier
        one."""
        number = self._evenings().last_series + 1
        body = {"evening": evening, "series": number, "games": list(games), "wins": wins, "count": count}
        self._change(("series", body))
        return number

    def close_evening(self, evening: int) -> None:
        """Log that an evening was ended."""
        self._change(("closed", {"evening": evening}))

    def reopen_evening(self, evening: int) -> None:
        """Log that an evening that was ended is open again: one of its games is resumed."""
        self._change(("closed", {"evening": evening, "ends": True}))

    def _change(self, *items: tuple[str, dict[str, Any]]) -> None:
        """Log entries of an evening. Raise ``ValueError`` for those that cannot be."""
        changes: list[Item] = [(None, kind, body) for kind, body in items]
        self._check_evening(changes)
        self._write(changes, None)

    def _check_evening(self, items: Sequence[Item]) -> None:
        """Raise ``ValueError`` for items that cannot follow the evenings as they stand."""
        standing = self._evenings().copy()
        for game, kind, body in items:
            standing.take(Entry(self._tail()[0] + 1, game, "", kind, body, ""))

    # -- tables --------------------------------------------------------------------------------------

    def settings(self, board: str) -> dict[str, int]:
        """Return what is set for a table, by name; nothing for a table that nobody has set."""
        with explain_errors(self.path):
            return dict(self._db.execute("SELECT name, value FROM setting WHERE board = ? ORDER BY name", (board,)))

    def keep_settings(self, board: str, settings: Mapping[str, int]) -> None:
        """Keep settings of a table; durable on return. They belong to no game, and are no entries."""
        rows = [(board, name, int(value)) for name, value in settings.items()]
        with self._beside_the_chain():
            self._db.executemany("INSERT OR REPLACE INTO setting VALUES (?, ?, ?)", rows)

    # -- people --------------------------------------------------------------------------------------

    def names(self) -> Names:
        """Return the names of people, as they stand."""
        if self._names is not None:
            return self._names
        with explain_errors(self.path):
            people = self._db.execute("SELECT id, name, into_id FROM person ORDER BY rowid")
            names = Names(people, self._db.execute("SELECT id, name, salt FROM played_as"))
        if self._opened.writable and not self._db.in_transaction:  # in one they may still change, or not be kept
            self._names = names
        return names

    def person(self, name: str) -> str:
        """Return the id of a person, which is made for a new one; durable on return. Case, and blanks around a name, do
        not tell people apart."""
        if (known := self.names().find(name)) is not None:
            return known
        id = new_person()
        self._name("INSERT INTO person (name, id) VALUES (?, ?)", _given(name), id)
        return id

    def bind(self, person: str) -> str:
        """Return what the entry of a game holds of a person's present name (``named``); durable on return. So it shows
        when the game's results are somebody else's by name later."""
        name = self.names().known[_known(self.names(), person)]
        with explain_errors(self.path):
            found = self._db.execute("SELECT salt FROM played_as WHERE id = ? AND name = ?", (person, name)).fetchone()
        salt = found[0] if found else os.urandom(_SALT_BYTES).hex()
        if not found:
            self._name("INSERT INTO played_as (id, name, salt) VALUES (?, ?, ?)", person, name, salt)
        return bind(name, salt)

    def rename(self, person: str, name: str) -> None:
        """Give a person another name. Raise ``ValueError`` for one that somebody else has."""
        names = self.names()
        other = names.find(name)
        if other not in (None, _known(names, person)):
            raise TextError("{name} is somebody else's name; merge the two, or choose another", name=_given(name))
        self._name("UPDATE person SET name = ? WHERE id = ?", _given(name), person)

    def language_of(self, person: str) -> str:
        """Return the tag of the language in which a person reads; empty where that is not known."""
        with explain_errors(self.path):
            found = self._db.execute("SELECT language FROM person WHERE id = ?", (person,)).fetchone()
        return (found and found[0]) or ""

    def keep_language(self, person: str, tag: str) -> None:
        """Keep in which language a person reads."""
        self._name("UPDATE person SET language = ? WHERE id = ?", tag, _known(self.names(), person))

    def merge(self, person: str, into: str) -> None:
        """Merge a person into another one, in every game so far. Raise ``ValueError`` where they are two."""
        names = self.names()
        if _known(names, person) == _known(names, into):
            raise TextError("{name} cannot be merged into the same person", name=names.of(person))
        for info in (each for each in self.games() if each.is_played):
            if {person, into} <= {seat.get("person") for seat in info.seats}:
                text = "{name} and {other} are two: both have played game {game}"
                raise TextError(text, name=names.of(person), other=names.of(into), game=info.id)
        self._check_away(names, person, into)
        self._name(_MERGE, into, person)

    def take(self, other: Log, people: Iterable[str] | None = None) -> list[Taken]:
        """Make people of another log known by the ids that they have there; all at once, durable on return.

        Those who are that person there, or have the same name here and another id, become that person here, as by
        :meth:`merge`. Names stay as they are here, spelled or forgotten.

        :param people: ids of the other log; without it, everybody who has a name there.

        Raise ``ValueError`` for this log and copies of it that know nobody else, and where somebody cannot be merged.
        """
        theirs, games = other.names(), self.games()
        known = self.origin == other.origin != "" and all(id in self.names() for id in theirs.known)
        if known or self.path.samefile(other.path):
            raise TextError("{path} is this log, or a copy of it; its people are known here", path=other.path)
        taken: list[Taken] = []
        with self._beside_the_chain():
            for id in theirs.known if people is None else dict.fromkeys(people):
                taken += self._take(_known(theirs, id), other, theirs, games)
        return taken

    def _take(self, id: str, other: Log, theirs: Names, games: Iterable[GameInfo]) -> list[Taken]:
        """:meth:`take` one person of another log, within a transaction. ``games``: those of this log."""
        names, name = self.names(), theirs.known[id]
        one, new = names.one(id), id not in names
        if not new and one not in names.known:
            return [Taken(name, None, False)]
        into = id if new or (one in theirs and theirs.one(one) == id) else one  # merged both ways, the other log counts
        people = dict.fromkeys(names.one(each) for each in theirs.ids(id) if each in names)
        if new and (namesake := names.find(name)) is not None:
            if namesake not in people:
                self._check_same(names, namesake, other, theirs, name)
            people = dict.fromkeys((namesake, *people))
        same = [each for each in people if each in names.known and each != into]
        self._check_one(names, list(dict.fromkeys((*same, one))), other, name, games)
        self._db.executemany(_MERGE, ((into, each) for each in same))
        if into == id and (same or new):
            spelled = names.known.get(same[0] if new and same else one, name)
            self._db.execute(_NAMED, (id, spelled))
        taken = [Taken(name, names.known[each], True) for each in same]
        if into != id:
            return [*taken, Taken(name, names.known[one], False, apart=True)]
        return taken or [Taken(name, None if new else names.known[one], new)]

    def _check_same(self, names: Names, person: str, other: Log, theirs: Names, name: str) -> None:
        """Raise ``ValueError`` where a person here is not the one of another log who has the same name."""
        if person not in theirs:
            return
        about = {"name": names.of(person), "there": name, "path": other.path}
        if theirs.one(person) not in theirs.known:
            raise TextError(
                "the name of {name} here was forgotten in {path}, where somebody else is called {there}; rename {name}"
                " here first",
                **about,
            )
        text = "{name} here is {other} in {path}, who is not {name} there; rename one of them first"
        raise TextError(text, other=theirs.of(person), **about)

    def _check_one(self, names: Names, people: Sequence[str], other: Log, name: str, games: Iterable[GameInfo]) -> None:
        """Raise ``ValueError`` where people here cannot become one of another log."""
        if len(people) < 2:
            return
        for info in (each for each in games if each.is_played):
            played = {names.one(seat["person"]) for seat in info.seats if "person" in seat}
            if len(both := [names.of(each) for each in people if each in played]) > 1:
                text = "{one} and {two} cannot both be {name} of {path}: both have played game {game}"
                raise TextError(text, one=both[0], two=both[1], name=name, path=other.path, game=info.id)
        self._check_away(names, *people)

    def forget(self, person: str) -> None:
        """Forget the names of a person, also those of earlier games: no byte of them is in the file or its ``-wal``
        afterwards, nor what opens the hashes of them in entries. Copies keep them."""
        names = self.names()
        _known(names, person)
        self._check_away(names, person)
        self._empty_wal()  # while it is not too late to say so
        with self._beside_the_chain():
            for id in names.ids(person):
                self._db.execute("UPDATE person SET name = NULL, language = NULL WHERE id = ?", (id,))
                self._db.execute("DELETE FROM played_as WHERE id = ?", (id,))
        self._empty_wal()

    def _name(self, statement: str, *values: str | None) -> None:
        with self._beside_the_chain():
            self._db.execute(statement, values)

    @contextmanager
    def _beside_the_chain(self, *, follows: bool = False) -> Iterator[None]:
        """Open a transaction on the tables outside the chain. ``follows``: what is written follows from the entries,
        and is no change."""
        self._check_writable()
        self._forget_names()
        try:
            with explain_errors(self.path), transaction(self._db):
                yield
                if not follows:
                    self._db.execute("INSERT INTO change (id) VALUES (?)", (os.urandom(_CHANGE_BYTES),))
        finally:
            self._forget_names()

    def changes(self) -> list[bytes]:
        """Return a random id for each change of what stands beside the entries (people, settings), the first one first.

        Of two copies of a log, the one whose ids begin with all of the other's is the later one.
        """
        with explain_errors(self.path):
            return [id for (id,) in self._db.execute("SELECT id FROM change ORDER BY n")]

    def _forget_names(self) -> None:
        """Have names read anew."""
        self._names = None
        self._infos.clear()

    def _empty_wal(self) -> None:
        """Leave no name in the ``-wal`` that is no longer one."""
        if self._opened.unchecked:
            raise LogError("{path}: was not closed, and is being checked; try again soon", path=self.path)
        with explain_errors(self.path):
            remove_note(self._db)  # which must not stand in the file alone
            emptied = empty_wal(self._db)
            note_writer(self._db, lost=False)
            if not emptied:
                text = "{path}: another program reads it, so that names stay in {wal}; end that one and try again"
                raise LogError(text, path=self.path, wal=beside(self.path, "-wal").name)

    def _check_away(self, names: Names, *people: str) -> None:
        """Raise ``ValueError`` while one of these people is at an evening."""
        for evening in self.open_evenings():
            for person in people:
                if person in evening.present:
                    text = "{name} is at evening {evening}; end it first ('tablier evening{log}', then :end)"
                    about = {"name": names.of(person), "evening": evening.number, "log": log_option(self.path)}
                    raise TextError(text, **about)

    def append(self, game: int | None, kind: str, body: dict[str, Any], cursor: tuple[str, int] | None = None) -> int:
        """:meth:`append_all` of one entry; return its number."""
        return self.append_all([(game, kind, body)], cursor)[0]

    def append_all(self, items: Sequence[Item], cursor: tuple[str, int] | None = None) -> list[int]:
        """Log all items in one transaction, durable on return, and return the numbers of their entries.

        :param cursor: the boot (hexadecimal) and the number of the event of the table that these entries come from;
            kept with the first of them. It must be the one after :meth:`cursor` of that boot: so no event is logged
            twice, and none is left out. Only an entry of kind ``since`` leaves some out, and says so.
        """
        games = self._tail()[2]
        for game, kind, body in items:
            if game is not None and not (type(game) is int and 1 <= game <= games):
                raise ValueError(f"there is no game {game!r} in this log; it has {games}")
            if not isinstance(kind, str) or kind in ("", "game"):
                raise ValueError(f"an entry of kind {kind!r} cannot be appended; a game begins with begin_game")
            if not isinstance(body, dict):
                raise ValueError(f"the body of an entry is a dict, not {body!r}")
        if cursor is not None:
            if not items:
                raise ValueError("a cursor is kept with the entry of its event, but there is none")
            self._check_cursor(*cursor, jumps=items[0][1] == SINCE)
        return self._write(items, cursor)

    def _check_cursor(self, boot: str, number: int, *, jumps: bool) -> None:
        if not boot or boot.strip("0123456789abcdef") or type(number) is not int:
            raise ValueError(f"({boot!r}, {number!r}) is no cursor; one is a boot in lower-case hexadecimal, a number")
        last = self.cursor(boot)
        if number <= last or (number > last + 1 and not jumps):
            raise ValueError(f"event {number} of boot {boot} cannot follow event {last}, the last one logged")

    def _write(self, items: Sequence[Item], cursor: tuple[str, int] | None, playing: int | None = None) -> list[int]:
        self._check_writable()
        first, head, games = self._tail()
        at, end = self._clock(), first + len(items)
        short = pack_time(at)
        boot, number = cursor or (None, None)
        rows, new = [], []
        for n, (game, kind, body) in enumerate(items, first + 1):
            text, stored = _packed(body)
            head = link(head, (n, game, at, kind, text, boot, number))
            if kind in FOLDED:
                new.append(Entry(n, game, at, kind, read_canonical(text), head.hex(), boot, number))
            part = pack_hash(n, kind, head, last=n == end)
            rows.append((n, game, short, kind, stored, boot, number, part))
            games += kind == "game"
            boot = number = None
        changed: dict[int, bool] = {}  # games whose rows may change, with whether they have ended
        for game, kind, _ in items:
            self._infos.pop(game, None)  # type: ignore[arg-type]
            if game is not None and kind in ended.CHANGING:
                changed[game] = kind == "end"
        evenings: dict[int, int] = {}
        with suppress(LogUnsound, KeyError):  # none follows, or the game is begun only now
            evenings = {game: self._evening_of(game) for game, over in changed.items() if over}
        standing: Evenings | None = None
        with suppress(LogUnsound):
            standing = self._evenings() if new or self._folded is not None else None
        self._known = self._cursor = self._folded = None  # until the commit is known to have happened
        try:
            with explain_errors(self.path), transaction(self._db):
                self._db.executemany(_INSERT, rows)
                if new:
                    standing = self._keep_evenings(standing, new)
                for game in changed:
                    self._keep_ended(game, evenings.get(game))
        except BaseException as error:
            self._known = None
            for game in changed:
                self._rowless.discard(game)
                self._decisions.pop(game, None)
            if not isinstance(error, LogError):
                raise
            raise LogError("{error}; {kept}", error=error, kept=self._kept(items, playing)) from error
        if not self._opened.in_place():
            raise LogError(
                "{path}: moved or deleted while it was open, or its -wal was; what was logged since then is lost",
                path=self.path,
            )
        self._cursor = cursor
        self._known = end, head, games
        if standing is not None:
            self._folded = standing, end
        return list(range(first + 1, end + 1))

    def _keep_evenings(self, standing: Evenings | None, entries: Sequence[Entry]) -> Evenings | None:
        """Keep the evenings as they stand after these entries, within their transaction, and return them. Of a log
        whose evenings cannot be, nothing is kept: who asks for them is told why."""
        try:
            if standing is not None:
                for entry in entries:
                    standing.take(entry)
                evening_rows.put(self._db, standing, entries[-1].n)
                standing.shelve(Rows(self.path, self._db))
                return standing
        except (AttributeError, KeyError, LogUnsound, TypeError, ValueError):
            pass
        evening_rows.clear(self._db)
        return None

    def _keep_all_evenings(self) -> None:
        """Keep the evenings, in a log in which they were not kept so far."""
        with suppress(LogError, ValueError):  # of a log that cannot be: who asks for them is told
            if self._shelf() is None and (standing := self._evenings()).changed:
                with self._beside_the_chain(follows=True):
                    evening_rows.clear(self._db)
                    evening_rows.put(self._db, standing, self._tail()[0])
                standing.shelve(Rows(self.path, self._db))

    def _keep_ended(self, game: int, evening: int | None) -> None:
        """Keep what lists say of a game that has ended, in an evening; without one, no longer what they said."""
        if evening is not None:
            with suppress(LogUnsound):  # an error says why where it is asked for
                info = self._read_game(game, evening)
                if info.ended is not None:
                    ended.put(self._db, [info])
                    self._rowless.discard(game)
                    return
        if game not in self._rowless:
            ended.remove(self._db, game)
            self._rowless.add(game)

    def _keep_all_ended(self) -> None:
        """Keep what lists say of the games that have ended, in a log in which nothing was kept so far."""
        none = "SELECT NOT EXISTS (SELECT 1 FROM ended) AND EXISTS (SELECT 1 FROM entry WHERE {} AND kind = 'end')"
        with explain_errors(self.path):
            if not self._db.execute(none.format(HEADINGS)).fetchone()[0]:
                return
        with suppress(LogError):  # of a log that cannot be: who asks for its games is told
            infos = self._read_games()
            with self._beside_the_chain(follows=True):
                ended.put(self._db, (info for info in infos if info.ended is not None))

    def _kept(self, items: Sequence[Item], playing: int | None) -> Text:
        """Return how far the game got that could not be written on, and how to resume it."""
        game = items[-1][0] or playing
        if any(kind == "game" for _, kind, _ in items):
            return Text("the game was not begun")
        try:
            info = None if game is None else self.game(game)
            if info is None:
                count = self._tail()[0]
                return counted(count, "the {count} entry before is kept", "the {count} entries before are kept")
        except LogError:
            return Text("what was logged before is kept")
        one, many = "game {game} is kept with {count} move", "game {game} is kept with {count} moves"
        kept = counted(info.moves, one, many, game=info.id)
        if info.ended:
            return kept
        about = {"kept": kept, "game": info.id, "log": log_option(self.path)}
        return Text("{kept}; 'tablier resume {game}{log}' resumes it", about)

    def next_id(self, game: int | None = None) -> int:
        """Return a number for an interaction: greater than every one returned before in the life of the file.

        :param game: what it is for; an error names it.

        The first is drawn at random, so that an answer which a table still holds for another log fits none of ours.
        """
        if self._next_id > self._ids_taken:
            last = self._last_ids()
            taken = last.body.get("to") if last else secrets.randbelow(_FIRST_ID_MAX)
            if type(taken) is not int:
                assert last is not None
                raise self._bad(last.n, CHANGED)
            self._write([(None, "ids", {"to": taken + _IDS_AT_ONCE})], None, game)
            self._next_id, self._ids_taken = taken + 1, taken + _IDS_AT_ONCE
        self._next_id += 1
        return self._next_id - 1

    def leap_ids(self) -> None:
        """Reserve no number that :meth:`next_id` can have returned to somebody whose entries this log has lost."""
        last = self._last_ids()
        taken = (last.body["to"] if last else secrets.randbelow(_FIRST_ID_MAX)) + _LEAP
        self._write([(None, "ids", {"to": taken})], None)
        self._next_id, self._ids_taken = taken + 1, taken

    # -- reading -------------------------------------------------------------------------------------

    @property
    def head(self) -> str:
        """Return the hash of the last entry, in hexadecimal. Who knows it can tell if anything before is missing."""
        return self._tail()[1].hex()

    @property
    def origin(self) -> str:
        """Return the hash of the first entry, in hexadecimal, by which a log and its copies are known; empty for an
        empty log."""
        return "".join(entry.hash for entry in self._entries("WHERE n = 1"))

    def cursor(self, boot: str) -> int:
        """Return the number of the last event of this boot that is in the log; 0 if none is."""
        if self._cursor and self._cursor[0] == boot:
            return self._cursor[1]
        with explain_errors(self.path):
            row = self._db.execute("SELECT max(number) FROM entry WHERE boot = ?", (boot,)).fetchone()
        return row[0] or 0

    def entries(self, game: int | None = None, *kinds: str, after: int = 0) -> Iterator[Entry]:
        """Return all entries, or those of a game, first to last, as they were when the first was asked for.

        :param kinds: read only those of these kinds; without any, all.
        :param after: read only those with a higher number.
        """
        last = self._tail()[0]
        where, values = "WHERE n > ? AND n <= ?", [after, last]
        if game is not None:
            where, values = f"{where} AND game = ?", [*values, game]
        if kinds:
            where = f"{where} AND kind IN ({', '.join('?' * len(kinds))})"
            if game is None and not after and set(kinds) <= set(FOLDED) | set(fold.KINDS):
                where = f"{where} AND {HEADINGS}"  # else it would read every entry
        yield from self._entries(where, *values, *kinds)

    def with_more(self, games: Iterable[int | None], after: int) -> set[int | None]:
        """Return those of some games that have entries after a number."""
        later = "SELECT 1 FROM entry WHERE game = ? AND n > ? LIMIT 1"
        with explain_errors(self.path), snapshot(self._db):
            return {game for game in games if self._db.execute(later, (game, after)).fetchone()}

    def arrivals(self, game: int) -> Iterator[Entry]:
        """Return the entries with which a game's table was found, or found again."""
        yield from self._entries("WHERE game = ? AND kind = 'table' AND number IS NULL", game)

    def events(self, boot: str, after: int = 0, most: int = -1, *, latest_first: bool = False) -> Iterator[Entry]:
        """Return the entries of a table's boot, by the numbers of its events.

        :param after: leave out those up to this event.
        :param most: read at most this many.
        """
        order = "DESC" if latest_first else "ASC"
        yield from self._rows(f"WHERE boot = ? AND number > ? ORDER BY number {order} LIMIT ?", boot, after, most)

    def _last_ids(self) -> Entry | None:
        """Return the last entry that has reserved numbers of interactions. It is no game's, so an index finds it."""
        where = "WHERE game IS NULL AND kind = 'ids' ORDER BY n DESC LIMIT 1"
        return next(self._rows(where), None)

    def _entries(self, where: str, *values: object) -> Iterator[Entry]:
        last = 0
        for entry in self._rows(f"{where} ORDER BY n", *values):
            if entry.n <= last:  # else the pages of a file that somebody made could lead in a circle for ever
                raise self._bad(entry.n, Text("is there twice"))
            last = entry.n
            yield entry

    def _rows(self, rest: str, *values: object) -> Iterator[Entry]:
        with explain_errors(self.path):
            for row in self._db.execute(f"SELECT {COLUMNS} FROM entry {rest}", values):
                try:
                    entry = read_entry(row)
                except ValueError as error:
                    raise self._bad(row[0], text_of(error)) from None
                yield entry

    def _bad(self, n: object, what: Text) -> LogUnsound:
        return bad_entry(self.path, n, what)

    def moves(self, game: int) -> list[str]:
        """Return the moves of a game that were not taken back, in their notation. No such game: no moves."""
        try:
            return fold.standing(self._entries("WHERE game = ? AND kind IN ('move', 'takeback')", game))
        except ValueError as error:
            raise LogUnsound("{path}: {error}", path=self.path, error=error) from None

    def games(self, but: Collection[int | None] = ()) -> list[GameInfo]:
        """Return every game, in the order in which they began. ``but``: games to leave out, whatever they hold."""
        with explain_errors(self.path), snapshot(self._db), uncollected():
            kept = {info.id: info for info in self._ended() if info.id not in but}
            others = [game for game in range(1, self.last_game + 1) if game not in kept and game not in but]
            if len(others) > _FEW:
                infos = self._read_games({*kept, *but})
            else:
                begun = self._beginnings() if others else ()
                infos = [self._read_game(game, self._evening_of(game, begun)) for game in others]
            return sorted([*kept.values(), *map(self._named, infos)])

    def some_games(self, numbers: Iterable[int]) -> dict[int, GameInfo]:
        """Return games of the log by their numbers. Only these are read, however many others there are."""
        with explain_errors(self.path), snapshot(self._db):
            found: dict[int, GameInfo] = {}
            wanted = sorted(set(numbers))
            for at in range(0, len(wanted), _AT_ONCE):
                some = wanted[at : at + _AT_ONCE]
                found |= {info.id: info for info in self._ended(f"WHERE game IN ({', '.join('?' * len(some))})", *some)}
            others = [game for game in wanted if game not in found]
            return found | {game: self._named(self._read_game(game, self._evening_of(game))) for game in others}

    def _named(self, info: GameInfo) -> GameInfo:
        return info._replace(seats=fold.named(info.seats, self.names()))

    def _ended(self, where: str = "", *values: object) -> list[GameInfo]:
        """Return the games of which a row is kept."""
        try:
            return list(ended.read(self._db, self.names(), where, *values))
        except ValueError as error:
            raise LogUnsound("{path}: {error}", path=self.path, error=error) from None

    def _read_games(self, but: Container[int | None] = ()) -> list[GameInfo]:
        """Return games from their entries, with seats as these have them."""
        with explain_errors(self.path), snapshot(self._db), uncollected():
            entries = (entry for entry in self._entries(f"WHERE {HEADINGS}") if entry.kind in fold.KINDS)
            return self._games_of(entries, self._moves("NOT INDEXED WHERE kind = 'move'"), but=but)

    def _read_game(self, game: int, evening: int) -> GameInfo:
        """Return a game from its entries, with seats as these have them."""
        marks = ", ".join("?" * len(fold.KINDS))
        with explain_errors(self.path), snapshot(self._db):
            entries = self._entries(f"WHERE game = ? AND kind IN ({marks})", game, *fold.KINDS)
            return self._games_of(entries, self._moves("WHERE game = ? AND kind = 'move'", game), evening)[0]

    def _games_of(
        self,
        entries: Iterable[Entry],
        moves: dict[int | None, fold.Moves],
        evening: int | None = None,
        *,
        but: Container[int | None] = (),
    ) -> list[GameInfo]:
        try:
            return fold.games_of(entries, moves, evening, decided=self._decided, but=but)
        except ValueError as error:
            raise LogUnsound("{path}: {error}", path=self.path, error=error) from None

    def _decided(self, game: int, seats: Sequence[Mapping[str, Any]]) -> tuple[StandIn, ...]:
        """Return who decided in a game. In a log that nobody else writes to only entries that are new are read."""
        decisions, last = self._decisions.get(game) or (Decisions(seats), 0)
        self._decisions.pop(game, None)  # until all entries could be taken
        new = self._tail()[0]
        for entry in self.entries(game, *deciding.KINDS, after=last):
            decisions.take(entry)
        if self._opened.writable:
            self._decisions[game] = decisions, new
        return decisions.stand_ins

    def _moves(self, where: str, *values: object) -> dict[int | None, fold.Moves]:
        """Return the moves of games, by game: out of an index, without reading them."""
        counts = f"SELECT game, count(*), min(n), max(n) FROM entry {where} GROUP BY game"
        return {
            game: fold.Moves(count, first, last, partial(self._numbers_of_moves, game))
            for game, count, first, last in self._db.execute(counts, values)
        }

    def _numbers_of_moves(self, game: int | None) -> list[int]:
        where = "WHERE game IS ? AND kind = 'move' ORDER BY n"
        return [n for (n,) in self._db.execute(f"SELECT n FROM entry {where}", (game,))]

    def game(self, id: int | None = None) -> GameInfo:
        """One game; the latest if none is named. Raise :class:`LogError` when it is not there.

        However many games there are, only this one is read.
        """
        last = self._tail()[2]
        if not last:
            raise LogError("{path}: no game was played yet", path=self.path)
        id = last if id is None else id
        if not 1 <= id <= last:
            raise LogError(
                "{path}: there is no game {id}; the games are 1 to {games}", path=self.path, id=id, games=last
            )
        if id in self._infos:
            return self._infos[id]
        with explain_errors(self.path), snapshot(self._db):
            kept = self._ended("WHERE game = ?", id)
            info = kept[0] if kept else self._named(self._read_game(id, self._evening_of(id)))
        if self._opened.writable:
            self._infos[id] = info
            if len(self._infos) > _INFOS:
                del self._infos[next(iter(self._infos))]
        return info

    def games_after(self, n: int) -> list[int]:
        """Return the games of which an entry with a higher number is, in the order in which they began."""
        with explain_errors(self.path):
            found = self._db.execute("SELECT DISTINCT game FROM entry WHERE n > ? AND +game IS NOT NULL", (n,))
            return sorted(game for (game,) in found)

    def _evening_of(self, game: int, begun: Sequence[int] | None = None) -> int:
        """Return the number of a game's evening. Of a reader's log only what counts evenings is read. ``begun``:
        :meth:`_beginnings`, where they are known."""
        if self._folded is not None or self._opened.writable:
            return self._evenings().of_game(game)
        named = "SELECT n, json_extract(body, '$.evening') FROM entry WHERE game = ? AND kind = 'game'"
        with explain_errors(self.path), snapshot(self._db):
            if (shelf := self._shelf()) is not None and (number := shelf.of_game(game)) is not None:
                return number
            n, within = self._db.execute(named, (game,)).fetchone() or (0, None)
            if type(within) is int:
                return within
            return bisect_right(self._beginnings() if begun is None else begun, n)

    def _beginnings(self) -> list[int]:
        """Return the numbers of the entries that have begun evenings, as a game did that names none."""
        begun = f"""SELECT n FROM entry WHERE {HEADINGS} AND (kind = 'evening' AND game IS NULL
            OR kind = 'game' AND json_type(body, '$.evening') IS NULL) ORDER BY n"""
        return [n for (n,) in self._db.execute(begun)]

    @property
    def last_entry(self) -> int:
        """Return the number of the latest entry; 0 if there is none."""
        return self._tail()[0]

    @property
    def last_game(self) -> int:
        """Return the number of the latest game; 0 if none has begun."""
        return self._tail()[2]

    def open_games(self) -> list[int]:
        """Return the games that have not ended, in the order in which they began."""
        return self._evenings().open_games

    @property
    def last_evening(self) -> int:
        """Return the number of the latest evening; 0 if none has begun."""
        return self._evenings().last

    def evenings(self, first: int = 1, last: int | None = None) -> list[Evening]:
        """Return the evenings, in the order in which they began: those with the numbers from ``first`` to ``last``.

        Only these are read, however many others there are.
        """
        names = self.names()
        with explain_errors(self.path), snapshot(self._db), uncollected():
            shelf = self._shelf()
            until = self.last_evening if last is None else last
            if shelf is not None:
                return [resolve_merges(each, names) for each in shelf.between(first, until)]
            return [resolve_merges(each, names) for each in self._evenings().all if first <= each.number <= until]

    def open_evenings(self) -> list[Evening]:
        """Return the evenings that are open until somebody ends them, in the order in which they began."""
        names = self.names()
        found = [each for each in self._evenings().all if each.ended is None and not each.alone]
        return [resolve_merges(each, names) for each in sorted(found)]

    def evening(self, number: int) -> Evening:
        """Return an evening, which must have begun."""
        with explain_errors(self.path), snapshot(self._db):
            found = self._evenings().look_at(number)
        if found is None:
            raise ValueError(f"there is no evening {number} in this log")
        return resolve_merges(found, self.names())

    def moved(self, evening: int) -> list[Entry]:
        """Return the entries of who came to an evening and went, in order."""
        with explain_errors(self.path), snapshot(self._db):
            shelf = self._shelf()
            first, last = (1, self.last_entry) if shelf is None else shelf.entries(evening)
            where = f"WHERE n BETWEEN ? AND ? AND {HEADINGS} AND kind IN ('came', 'went') AND game IS NULL"
            return [each for each in self._entries(where, first, last) if each.body.get("evening") == evening]

    def _shelf(self) -> Rows | None:
        """Return the evenings by their rows; ``None`` where these do not stand for all entries."""
        with explain_errors(self.path), snapshot(self._db):
            return Rows(self.path, self._db) if evening_rows.is_complete(self._db) else None

    def _evenings(self) -> Evenings:
        """Return the evenings as they stand, with those that are live. Without rows all entries are read: once, and
        later only those that are new."""
        if self._folded is not None and self._folded[1] == self._tail()[0]:
            return self._folded[0]
        with explain_errors(self.path), snapshot(self._db):
            if (shelf := self._shelf()) is None:
                return self._fold()
            standing = Evenings(shelf)
            for each in shelf.live():
                standing.put(each)
            if self._opened.writable:  # nobody else writes
                self._folded = standing, self._tail()[0]
        return standing

    def _fold(self) -> Evenings:
        """Return the evenings as entries say. They are kept, and only entries that are new are read."""
        standing, last = self._folded or (Evenings(), 0)
        if last == (new := self._tail()[0]):
            return standing
        self._folded = None  # until all entries could be taken
        with uncollected():
            for entry in self._entries(f"WHERE n > ? AND n <= ? AND {HEADINGS}", last, new):
                if entry.kind not in FOLDED:
                    continue
                try:
                    standing.take(entry)
                except ValueError as error:
                    text = "{path}: entry {n} cannot follow: {why}"
                    raise LogUnsound(text, path=self.path, n=entry.n, why=text_of(error)) from None
                except (AttributeError, KeyError, TypeError) as error:
                    raise self._bad(entry.n, damaged_by(error)) from None
        self._folded = standing, new
        return standing

    def people(self, games: Sequence[GameInfo] | None = None) -> list[Person]:
        """Return everybody who has a name, in the order in which they were first named. ``games``: all of the log,
        where somebody has read them."""
        with explain_errors(self.path), snapshot(self._db):
            games = self.games() if games is None else games
            return fold.people_of(games, self.names(), self._came(), self._began)

    def _came(self) -> list[Place]:
        """Return where each of those who came to an evening has sat last of all evenings, as entries name them. Their
        bodies are read by SQLite: there may be as many as games."""
        came = f"""SELECT max(n), json_extract(body, '$.person'), json_extract(body, '$.place') FROM entry
            WHERE {HEADINGS} AND kind = 'came' AND game IS NULL AND json_extract(body, '$.place') > 0 GROUP BY 2"""
        return [Place(*row) for row in self._db.execute(came)]

    def _began(self, game: int) -> int:
        """Return the number of the entry with which a game began."""
        begun: int = self._db.execute("SELECT min(n) FROM entry WHERE game = ?", (game,)).fetchone()[0]
        return begun

    # -- copying it ----------------------------------------------------------------------------------

    def backup(self, out: str | os.PathLike[str], *, force: bool = False) -> tuple[int, str]:
        """Copy the log as it stands to a file, verified; return the number of its entries and its head. ``force``: an
        earlier copy of this log is replaced, and nothing else.

        It may be written to meanwhile, by another process too. Raise :class:`LogError`; there is no copy then.
        """
        if force:
            self._check_earlier(Path(out))
        lost = self._opened.alone
        count, head = copy(self.path, self._db, Path(out), self._connect, force=force, lost=lost)
        return count, head.hex()

    def _check_earlier(self, out: Path) -> None:
        """Raise :class:`LogError` for a file that holds anything but entries of this log: nobody would have them."""
        if not out.is_file() or not size_of(out):
            return
        only = Text("--force replaces nothing but an earlier copy of this log; name another file")
        try:
            with Log.read(out, connect=self._connect) as there:
                head, count, origin = there.head, there.last_entry, there.origin
        except LogError as error:
            raise LogError("{why}: {only}", why=error.text, only=only) from None
        if self.entry_with(head) is not None:
            return
        about = {"out": out, "count": entries_text(count), "only": only}
        if origin != self.origin:
            raise LogError("{out}: a copy of another log, with {count}; {only}", **about)
        raise LogError("{out}: it has entries that this log does not have ({count}); {only}", **about)

    # -- is it whole? --------------------------------------------------------------------------------

    def verify(self, head: str | None = None) -> int:
        """Check every byte that says something; return the number of entries.

        Raises :class:`LogError` naming the first entry that is missing, changed or out of place. That the end is
        missing shows only against a ``head`` that somebody kept: the log must hold an entry with that hash.
        """
        wanted = None if head is None else self._digest(head)
        with explain_errors(self.path), snapshot(self._db):
            count, _ = verify(self.path, self._db)
            self._check_head(wanted, count)
            self._check_ended()
        return count

    def _check_ended(self) -> None:
        try:
            ended.check(self._db, self._read_games)
        except ValueError as error:
            raise LogUnsound("{path}: the list of games is damaged: {error}", path=self.path, error=error) from None
        before, self._folded = self._folded, None
        try:
            evening_rows.check(self._db, self._fold)
        except ValueError as error:
            raise LogUnsound("{path}: the list of evenings is damaged: {error}", path=self.path, error=error) from None
        finally:
            self._folded = before

    def _check_head(self, wanted: bytes | None, count: int) -> None:
        if wanted is not None and self._entry_with(wanted) is None:
            raise LogUnsound(
                "{path}: no entry has the head {wanted}; the end of the log is missing, or the head is of another"
                " log; this one ends with entry {count}",
                path=self.path,
                wanted=wanted.hex(),
                count=count,
            )

    def checked(self, after: int, most: int) -> Iterator[Entry]:
        """Yield ``most`` entries or fewer after a number, each checked as :meth:`verify` does: stretch by stretch, and
        with :meth:`verify_pages`, that comes to the same. Raise :class:`LogError`."""
        with explain_errors(self.path), snapshot(self._db):
            digest = hash_of(self._db, after) if after else GENESIS
            if digest is None:
                raise self._bad(after, Text("is missing, or does not follow"))
            order, point = order_after(self._db, after), Point(after, digest)
        while most:
            with explain_errors(self.path), snapshot(self._db):
                entries = list(checked(self.path, self._db, order, point, min(most, _CHECKED_AT_ONCE)))
            if not entries:
                return
            yield from entries
            most -= len(entries)
            point = Point(entries[-1].n, bytes.fromhex(entries[-1].hash))

    def check_recent(self) -> None:
        """Check the last :data:`RECENT` entries as :meth:`verify` does, and of a shorter log also its pages and lists,
        which is quick enough beside a list. Raise :class:`LogError`."""
        with explain_errors(self.path), snapshot(self._db):
            after = max(0, self._tail()[0] - RECENT)
            for _ in self.checked(after, RECENT):
                pass
            if not after:
                check_pages(self.path, self._db)
                self._check_ended()

    def verify_pages(self, head: str | None = None) -> None:
        """Check what :meth:`checked` does not: the file's pages, and that it holds the head. Raise
        :class:`LogError`."""
        wanted = None if head is None else self._digest(head)
        with explain_errors(self.path):
            check_pages(self.path, self._db)
            self._check_head(wanted, self.last_entry)
            self._check_ended()

    def latest(self, kind: str, until: int) -> Entry | None:
        """Return the last entry of a kind up to a number, but for one that stands in a game and can be of none, or the
        other way round."""
        where = f"WHERE kind = ? AND n <= ? AND game IS {'' if kind in OF_NO_GAME else 'NOT '}NULL"
        return next(self._rows(f"{where} ORDER BY n DESC LIMIT 1", kind, until), None)

    def entry_with(self, head: str) -> int | None:
        """Return the number of the entry with this hash (0 for that of an empty log), or ``None``."""
        with explain_errors(self.path):
            return self._entry_with(self._digest(head))

    def _entry_with(self, digest: bytes) -> int | None:
        if digest == GENESIS:
            return 0
        found = self._db.execute("SELECT n FROM entry WHERE hash IN (?, ?)", (digest, digest[:PART_BYTES])).fetchall()
        return next((n for (n,) in found if hash_of(self._db, n) == digest), None)

    def _digest(self, head: str) -> bytes:
        head = head.strip()
        if len(head) != 64 or head.strip(hexdigits):
            raise LogError("{path}: a head is 64 hexadecimal digits, not {head}", path=self.path, head=repr(head[:80]))
        return bytes.fromhex(head)

    @property
    def losses(self) -> list[Text]:
        """Return what may be missing in this log, a sentence without its full stop each, because its ``-wal`` was."""
        with explain_errors(self.path):
            return losses(self._db, now=self._opened.alone)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Have everything that is read in the block be of one moment, also while another process writes.

        Meanwhile no name can be forgotten: keep it short.
        """
        with explain_errors(self.path), snapshot(self._db):
            yield

    def _tail(self) -> tuple[int, bytes, int]:
        """Number and hash of the last entry, and the id of the last game."""
        if self._known is not None:
            return self._known
        with explain_errors(self.path):
            last = self._db.execute("SELECT n FROM entry ORDER BY n DESC LIMIT 1").fetchone()
            n, head = (last[0], hash_of(self._db, last[0])) if last else START
            row = self._db.execute(
                f"SELECT game FROM entry WHERE {HEADINGS} AND kind = 'game' ORDER BY n DESC LIMIT 1"
            ).fetchone()
        game = row[0] if row else 0
        if type(head) is not bytes or type(game) is not int:
            raise self._bad(n, CHANGED)
        known = n, head, game
        if self._opened.writable:  # nobody else writes
            self._known = known
        return known

    def _check_tail(self) -> None:
        """Raise unless the last entry is whole: nothing is to be built on one that is not."""
        with explain_errors(self.path):
            if check_last(self._db) is None:
                last = self._db.execute("SELECT max(n) FROM entry").fetchone()[0]
                raise self._bad(last, CHANGED)


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage while many entries are read, which are none: that would take as long again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _packed(body: dict[str, Any]) -> Body:
    try:
        return pack_body(body)
    except (TypeError, RecursionError) as error:
        raise ValueError(f"the body of an entry is JSON: {error}") from None


def new_person() -> str:
    """Return the id of somebody who is new."""
    return os.urandom(8).hex()


def _given(name: str) -> str:
    """Return a name as it is kept."""
    if not name.strip():
        raise TextError("the name of a person is empty")
    return name.strip()


def _known(names: Names, person: str) -> str:
    """Return the id of a person who has a name. Raise ``ValueError`` for any other."""
    if person not in names.known:
        raise TextError("there is no person {person} in this log, or the name was forgotten", person=person)
    return person
