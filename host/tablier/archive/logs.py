"""Add the ended games of a log to an archive.

A log is known by the hash of its first entry, and how far it was read by the number and the hash of its last one. So
to add it again adds what is new, changes what was taken back and played anew since, and refuses a log that went
another way: a copy in which other games were played.

Such a copy can be added beside the other one when that is asked for. It is a source of its own, named by the first
entry that the other does not have, and of the games that both have it counts none again.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update

from tablier import waiting
from tablier.archive.database import Archive, ArchiveError, upsert
from tablier.archive.ended import EndedGame, Player, Result, moment
from tablier.archive.errors import ArchiveUnsound
from tablier.archive.facts import FactRow, facts_in
from tablier.archive.keeping import ClubWriter, owner_of, source_of, sources_of
from tablier.archive.tables import ADDED, CHAIN, GAME, SOURCE
from tablier.course.chance import Sources
from tablier.games import GAMES, title_of
from tablier.games.core.questions import doubt
from tablier.judge.audit import examine
from tablier.judge.redaction import record
from tablier.log.chain import Entry, LogError, LogUnsound
from tablier.log.fold import GameInfo, compare_names
from tablier.log.people import Names
from tablier.log.store import Log
from tablier.play.logged import is_hello
from tablier.record import RecordError, replay
from tablier.texts import Failure, Json, Text

_SHORT = 1
"""Bytes of each entry's hash that are kept to find where a log forks; that it does is told by the whole hash of the
last entry. With one byte, the entry after the first that is another is named once in 256 times."""


@dataclass
class Added:
    """The outcome of adding a log."""

    club: str
    new: list[int] = field(default_factory=list)
    """The games that came in, by their numbers in the log."""
    changed: list[int] = field(default_factory=list)
    """Those that were in the archive otherwise: they were reopened, or their people were merged."""
    removed: list[int] = field(default_factory=list)
    """Those whose end was taken back, and that go on."""
    same: list[int] = field(default_factory=list)
    elsewhere: list[int] = field(default_factory=list)
    """Those that count with another copy of the log."""
    running: list[int] = field(default_factory=list)
    refused: list[Text] = field(default_factory=list)
    """A sentence for each game that does not verify."""
    renamed: int = 0
    """The people who have another name in the log than they had in the archive."""
    merged: int = 0
    """Those who are somebody else in the log by now."""
    forgotten: int = 0
    """Those whose names were forgotten in the log."""
    namesakes: list[str] = field(default_factory=list)
    """The names that people of another log of the club have, too, who are counted apart."""
    played_as: list[Text] = field(default_factory=list)
    """A sentence for each of the people who played under another name than the one by which the archive knows them."""
    older: bool = False
    """The log is an older copy of what was added: there is nothing new in it."""
    names_stay: bool = False
    """True if names that were changed or forgotten are still in the archive's files, since another program reads
    them."""


def add_log(archive: Archive, path: str | os.PathLike[str], club: str, *, copy: bool = False) -> Added:
    """Add the ended games of a log to an archive, in one transaction, as games of a club.

    :param copy: add also a copy of a log that forks from what was added before.

    Raise :class:`LogError` for a log that is not whole, :class:`ArchiveError` for one that forks from what was added
    before or that belongs to another club; nothing is changed then.
    """
    added = Added(club)
    with Log.read(path) as log:
        with log.snapshot():
            found = _read(archive, log, added)
        if found.entries:
            with archive.writing(club) as (connection, number):
                # Not before it is this one's turn: what another has written cannot have newer names then.
                names_went = _add(connection, number, log, found, log.names(), added, copy=copy)
            added.names_stay = names_went and not archive.empty_wal()
    return added


def check_log(path: str | os.PathLike[str]) -> None:
    """Raise :class:`LogError` for a log that no archive takes."""
    with Log.read(path) as log, log.snapshot():
        _read(None, log, Added(""))


class _Found(NamedTuple):
    """The contents of a log."""

    entries: list[Entry]
    games: list[EndedGame]
    """Those that have ended and verify, and that the archive may not have as they are."""
    known: dict[int, list[Json]]
    """The seats of those that are in the archive and to which no entry was added since, by their numbers."""
    not_installed: set[int]
    """Those that have ended and whose rules are not installed: if the archive has them, they stay as they are."""


def _add(connection: Connection, club: int, log: Log, found: _Found, names: Names, added: Added, *, copy: bool) -> bool:
    """Bring the games of a log in the archive to what they are in the log, and note in ``added`` what came of each.

    Return True if a name went.
    """
    entries, root = found.entries, bytes.fromhex(found.entries[0].hash)
    source = source_of(connection, club, root)
    if source.club != club:
        raise ArchiveError(
            "{path} was added as a log of {club}; add it as theirs, or take it out first ('tablier archive remove"
            " {path}'); 'tablier archive rename' gives a club another name",
            path=log.path,
            club=owner_of(connection, source),
        )
    copies = sources_of(connection, root)
    source = _source_among(copies, entries)
    since = source.since
    if fork := _fork(connection, source.id, entries, source.entries, source.head):
        if not copy:
            raise _forked(log, fork, source.entries, source.head)
        since, source = fork, source_of(connection, club, bytes.fromhex(entries[fork - 1].hash))
    elif _is_older(log, len(entries), source):
        added.older = True
        return False
    keeping = ClubWriter(connection, club)
    stored, before = keeping.seated(source.id), keeping.states(source.id)
    if found.known.keys() - before.keys():
        raise ArchiveError("{path} was taken out of the archive meanwhile; run the command again", path=log.path)
    seats = {number: [_player(seat, names) for seat in seats] for number, seats in found.known.items()}
    coming: list[tuple[EndedGame, list[FactRow]]] = []
    theirs = _games_of(connection, [each.id for each in copies if each.id != source.id])
    added.elsewhere = [game.number for game in found.games if (game.number, game.began) in theirs]
    for game in (_named(game, names) for game in found.games if (game.number, game.began) not in theirs):
        if before.get(game.number) == game.state:
            seats[game.number] = [seat.player for seat in game.seats]
            continue
        try:
            coming.append((game, facts_in(game)))
        except Failure as error:  # a part of a game from elsewhere
            added.refused.append(_left_out(game.number, game.kind, error.text))
            continue
        (added.changed if game.number in before else added.new).append(game.number)
    others = {number: them for number, them in seats.items() if [it.key for it in them] != stored[number]}
    added.same = sorted(seats.keys() - others.keys())
    added.removed = sorted(before.keys() - {game.number for game in found.games} - seats.keys() - found.not_installed)
    keeping.remove(source.id, [*added.changed, *added.removed])
    added.changed = sorted({*added.changed, *others})
    keeping.name(player for players in seats.values() for player in players)
    keeping.name(seat.player for game, _ in coming for seat in game.seats)
    keeping.reseat(source.id, others)
    keeping.add(source.id, coming)
    keeping.finish()
    added.namesakes = keeping.namesakes(key for keys in keeping.seated(source.id).values() for key in keys)
    left = before.keys() - {*added.same, *added.changed, *added.removed}
    here = {key for number, keys in stored.items() if number not in left for key in keys}
    added.merged = sum(names.one(key) != key for key in here)
    added.renamed, added.forgotten = len(keeping.renamed), len(keeping.forgotten)
    if len(entries) > source.entries and not left:  # those are looked at again next time
        _keep_place(connection, source.id, entries, source.entries)
    _note_added(connection, source.id, log, root, since)
    return keeping.names_went


def _source_among(copies: Sequence[Any], entries: Sequence[Entry]) -> Any:
    """Return the row of the log that these entries are of, among those of its copies."""
    heads = [each for each in copies if each.since <= len(entries)]
    return next(each for each in heads if entries[each.since - 1].hash == each.origin.hex())


def _is_older(log: Log, entries: int, source: Any) -> bool:
    """Return True for a copy of a log from before it was added last: with fewer entries, or as many and fewer changes
    beside them."""
    if entries != source.entries or source.change is None:
        return bool(entries < source.entries)
    changes = log.changes()
    return len(changes) < source.changes and source.change not in changes


def _games_of(connection: Connection, sources: Sequence[int]) -> set[tuple[int, int]]:
    """Return the games of some sources, each by its number and the time of its beginning, which copies of a log share
    for the games that they share."""
    found = select(GAME.c.number, GAME.c.began).where(GAME.c.source.in_(sources))
    return {(row.number, row.began) for row in connection.execute(found)}


def _fork(connection: Connection, source: int, entries: Sequence[Entry], read: int, head: bytes | None) -> int | None:
    """Return the number of the first entry that is not the one that was read before; ``None`` if there is none."""
    if head is None or _goes_on(entries, read, head):
        return None
    rows = connection.execute(select(CHAIN.c.hashes).where(CHAIN.c.source == source).order_by(CHAIN.c.after))
    known = b"".join(hashes for (hashes,) in rows)
    for entry in entries[:read]:
        short = known[_SHORT * (entry.n - 1) : _SHORT * entry.n]
        if bytes.fromhex(entry.hash)[:_SHORT] != short or (entry.n == read and entry.hash != head.hex()):
            return entry.n
    return None


def _forked(log: Log, fork: int, read: int, head: bytes) -> ArchiveUnsound:
    """Return the error for a log of which the archive has another copy."""
    return ArchiveUnsound(
        "{path}: entry {n} is not the one that was added before: games were played in two copies of this log. The"
        " archive has the other one, up to entry {read}, whose head is {head}; to count the games of both, each once:"
        " 'tablier archive add {word} --copy'; to have this one instead: 'tablier archive remove {word}', then add it"
        " again",
        path=log.path,
        word=shlex.quote(str(log.path)),
        n=fork,
        read=read,
        head=head.hex(),
    )


def _note_added(connection: Connection, source: int, log: Log, root: bytes, since: int) -> None:
    """Note which file was added, and when."""
    changes = log.changes()
    last = {
        "file": log.path.name,
        "at": round(waiting.date() * 1e6),
        "changes": len(changes),
        "change": changes[-1] if changes else None,
    }
    new = upsert(connection, ADDED).values(source=source, root=root, since=since, **last)
    connection.execute(new.on_conflict_do_update(index_elements=["source"], set_=last))


def _keep_place(connection: Connection, source: int, entries: Sequence[Entry], read: int) -> None:
    """Keep how far the log was read."""
    hashes = b"".join(bytes.fromhex(entry.hash)[:_SHORT] for entry in entries[read:])
    connection.execute(insert(CHAIN).values(source=source, after=read, hashes=hashes))
    last = {"entries": len(entries), "head": bytes.fromhex(entries[-1].hash)}
    connection.execute(update(SOURCE).where(SOURCE.c.id == source).values(last))


def _read(archive: Archive | None, log: Log, added: Added) -> _Found:
    """Return what a log holds; note in ``added`` why some of its games do not count.

    Every entry is verified. Games that the archive has are not run again if no entry was added to them: up to the
    last entry that was read then, the log is the very one that was verified. Raise :class:`LogError` for a log that is
    not whole.
    """
    log.verify()
    entries = list(log.entries())
    by_game: dict[int | None, list[Entry]] = {}
    for entry in entries:
        by_game.setdefault(entry.game, []).append(entry)
    before = _before(archive, entries) if archive else _Before(0, frozenset())
    same = {game for game in before.games if game in by_game and by_game[game][-1].n <= before.entries}
    report = examine(entries, same)
    wrong = {each.game: each.reason for each in report.by_game if each.reason}
    if report.problems and (problems := _problems_without(entries, wrong)):
        raise LogUnsound("{path}: {why}", path=log.path, why=problems[0])
    for game, reason in wrong.items():
        added.refused.append(_left_out(game, by_game[game][0].body.get("game"), reason))
    found = _Found(entries, [], {}, set())
    names = log.names()
    infos = log.games(but=wrong)
    added.played_as, _ = compare_names(infos)
    for info in infos:
        if info.ended is not None and info.game not in GAMES:
            found.not_installed.add(info.id)
        if info.id in same:
            found.known[info.id] = info.seats
        elif info.abandoned:
            continue
        elif info.ended is None:
            added.running.append(info.id)
        elif info.id in found.not_installed:
            added.refused.append(_left_out(info.id, info.game, Text("its rules are not installed")))
        elif any(former is None for _, former in info.renamed):
            added.refused.append(_left_out(info.id, info.game, Text("nothing says under which names it was played")))
        else:
            try:
                found.games.append(ended_game(log, info, by_game[info.id], names))
            except (LogError, RecordError) as error:
                added.refused.append(_left_out(info.id, info.game, error.text))
    return found


def _problems_without(entries: Sequence[Entry], wrong: Container[int | None]) -> list[Text]:
    """Return the faults outside any game that do not come from games that are wrong, as from an evening of theirs."""
    rest = [entry for entry in entries if entry.game is None or entry.game not in wrong]
    return examine(rest, {entry.game for entry in rest}).problems


def _left_out(number: int | None, game: object, why: Text) -> Text:
    """Return the sentence for a game that is not added. ``game``: the name of its rules, if its heading says one."""
    about = {"number": number, "why": why}
    if not isinstance(game, str):
        return Text("game {number} was left out: {why}", about)
    return Text("game {number} ({game}) was left out: {why}", about | {"game": title_of(game)})


class _Before(NamedTuple):
    """The part of a log that an archive has."""

    entries: int
    """Up to this entry the log is the one that was added."""
    games: frozenset[int]


def _before(archive: Archive, entries: Sequence[Entry]) -> _Before:
    """Return what an archive has of a log; nothing where the log is not the one that was added."""
    if entries:
        with archive.reading() as connection:
            copies = sources_of(connection, bytes.fromhex(entries[0].hash))
            source = _source_among(copies, entries) if copies else None
            if source and source.head and _goes_on(entries, source.entries, source.head):
                numbers = connection.scalars(select(GAME.c.number).where(GAME.c.source == source.id))
                return _Before(source.entries, frozenset(numbers))
    return _Before(0, frozenset())


def _goes_on(entries: Sequence[Entry], read: int, head: bytes) -> bool:
    """Return True if entries follow the one that was read last."""
    return read <= len(entries) and entries[read - 1].hash == head.hex()


def ended_game(log: Log, info: GameInfo, entries: Sequence[Entry], names: Names) -> EndedGame:
    """Return a game of a log as an archive holds it.

    Raise :class:`LogError` or :class:`RecordError` where its moves cannot be played.
    """
    told, _ = record(log, info)
    position = replay(replace(told, result=None))
    head, outcome = entries[0].body, info.outcome
    assert info.ended is not None and outcome is not None
    return EndedGame(
        number=info.id,
        kind=info.game,
        options=told.options,
        moves=told.moves,
        seats=tuple(
            Result(_player(body, names), float(outcome.scores[at - 1]), at in outcome.winners)
            for at, body in enumerate(info.seats, 1)
        ),
        ending=position.rules.ending(position.state) or "",
        began=_moment(info.started),
        ended=_moment(info.ended),
        evening=info.evening,
        series=head.get("series"),
        practice=head["practice"],
        sources=Sources.read(head),
        table=_table(entries),
        margins={
            entry.body["board"]: tuple(entry.body["margins"])
            for entry in entries
            if is_hello(entry) and "margins" in entry.body
        },
        stand_ins=info.stand_ins,
    )


def _player(seat: Json, names: Names) -> Player:
    """Return who had a seat when its game began."""
    if "person" in seat:
        return _person(seat["person"], names)
    if seat.get("simulated"):
        return Player.program("simulated", seat["name"])
    return Player.program("bot", seat["source"])


def _person(id: str, names: Names) -> Player:
    person = names.one(id)
    return Player(person, names.known.get(person))


def _named(game: EndedGame, names: Names) -> EndedGame:
    """Return a game with its people as they are named, and merged, by now."""
    seats = (
        seat._replace(player=_person(seat.player.key, names)) if seat.player.is_person else seat for seat in game.seats
    )
    return replace(game, seats=tuple(seats))


def _moment(at: str) -> int:
    """Return a time of the log in microseconds since 1970."""
    return moment(datetime.fromisoformat(at))


def _table(entries: Iterable[Entry]) -> dict[str, int]:
    """Return what the table of a game went through: how often it was found (again), with resets, and what was lost."""
    went: Counter[str] = Counter()
    boots: set[str] = set()
    for entry in entries:
        body = entry.body
        if entry.kind in ("gap", "aborted", "void", "fault", "warning", "dispute"):
            went[entry.kind] += 1
        elif is_hello(entry):
            went["hello"] += 1
            went["reset"] += bool(boots) and body["boot"] not in boots
            boots.add(body["boot"])
        elif entry.kind == "table" and body["event"] == "landed":
            went["landed"] += 1
            went["doubtful"] += doubt(body["confidence"], body["doubts"]) is not None
    return {what: times for what, times in sorted(went.items()) if times}
