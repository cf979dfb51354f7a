"""Clubs that add their logs to one archive at once, again and again, while all of it breaks; what must hold.

A club plays on while its clients run. One that fails is run again, as a club would. After each that has succeeded the
archive is read: its games are those that had ended when the log was as long as the archive says, that is at least as
long as before the client began, and all counts are those of the games there. Now and then a club takes a log out, of
which nothing is there then, and adds it again. In the end the archive is compared with one to which the logs were added
one after the other, in peace.
"""

from __future__ import annotations

import random
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeVar

import psycopg
from contents import contents
from postgres import Postgres
from sqlalchemy import Connection, func, select

from harness import Broken
from tablier.archive.correcting import remove_log, rename_club
from tablier.archive.database import Archive, ArchiveError
from tablier.archive.logs import _SHORT, add_log
from tablier.archive.summary import GAMES, LENGTH
from tablier.archive.tables import CHAIN, CLUB, GAME, SEAT, SOURCE, SUMMARY
from tablier.log.chain import Entry
from tablier.log.store import Log

from .client import CUT_AT, INTERRUPT, INTERRUPTED_S, KILL, KILL_AT, PEACE, Client, Deed, Ended
from .growing import Growing, ended_at

T = TypeVar("T")

ADDS, REMOVALS, KILLS, INTERRUPTS, CUTS, RESTARTS, REFUSED = (
    *("adds", "removals", "kills", "interrupts", "cuts", "restarts", "clients refused"),
)
ALL = (ADDS, REMOVALS, KILLS, INTERRUPTS, CUTS, RESTARTS, REFUSED)
_STATEMENTS = 30
"""The statements of an add of a game or two, with its commits."""
_SAID = re.compile(r"(\d+) (?:new game|changed|as before)")
_GONE = re.compile(
    r"tablier: [^\n]*: (?:the connection was lost|connection failed|connection is bad|no connection to)[^\n]*\n"
)
_OLDER = "nothing new; more of this log was added before"
_NOT_THERE = "this log is not in the archive"
_NAMES_STAY = "another program reads the archive: names"
_REMOVED = 0.2
"""How often a club takes out a log between adds."""
_TRIES = 200
_SHOWN = 300
_STEPS = 6
_GROWTHS = 3


@dataclass
class Told:
    """What has happened so far."""

    deeds: Counter[str] = field(default_factory=Counter)
    games: int = 0
    broken: list[str] = field(default_factory=list)
    """A sentence for each thing that is not as it must be."""


class Goal(NamedTuple):
    """How often things have to happen at least."""

    kills: int
    cuts: int = 0
    restarts: int = 0


class Season:
    """The clubs of an archive, and what they do to it."""

    def __init__(
        self,
        folder: Path,
        where: str,
        clubs: int,
        goal: Goal,
        seed: int,
        server: Postgres | None = None,
        jobs: int = 40,
    ) -> None:
        """Prepare a season of an archive that is not there yet.

        :param server: the archive's, if it is to be cut off and stopped.
        :param jobs: clients at a time.
        """
        self.folder = folder
        self.where = where
        self.goal = goal
        self.server = server
        self.jobs = Jobs(jobs)
        self.told = Told()
        self.start = threading.Barrier(clubs)
        self._dice = random.Random(seed)
        self._clubs = [Club(self, number, self._dice.getrandbits(32)) for number in range(1, clubs + 1)]
        self._lock = threading.Lock()
        self._troubled = 0.0
        """When a connection was cut last, or the server was down."""
        self.up = threading.Event()
        self.up.set()
        self.typical_s = 0.1
        """How long an add takes that succeeds."""
        self._over = threading.Event()

    def spend(self) -> Told:
        """Have all of it happen, and return it."""
        clubs = [threading.Thread(target=self._guarded, args=(club.spend,)) for club in self._clubs]
        work = (self._cut, self._restart) if self.server else ()
        troubles = [threading.Thread(target=self._guarded, args=(each,)) for each in work]
        for thread in (*clubs, *troubles):
            thread.start()
        for thread in clubs:
            thread.join()
        self._over.set()
        for thread in troubles:
            thread.join()
        if not self.told.broken:
            self._guarded(self._judge)
        return self.told

    def count(self, what: str) -> None:
        with self._lock:
            self.told.deeds[what] += 1

    def broken(self, what: str) -> None:
        with self._lock:
            self.told.broken.append(what)

    @property
    def enough(self) -> bool:
        """Return True when all that is to happen has happened, or something is broken."""
        deeds = self.told.deeds
        happened = deeds[KILLS] >= self.goal.kills and deeds[CUTS] >= self.goal.cuts
        return bool(self.told.broken) or (happened and deeds[RESTARTS] >= self.goal.restarts)

    def was_troubled(self, since: float) -> bool:
        """Return True if a client that ran since a moment may have lost its server."""
        return self._troubled >= since or not self.up.is_set()

    def read(self, ask: Callable[[Connection], T]) -> T:
        """Return what is asked of one state of the archive, however often the connection is cut."""
        began = monotonic()
        for _ in range(_TRIES):
            self.up.wait()
            try:
                with Archive.open(self.where) as archive, archive.reading() as connection:
                    return ask(connection)
            except ArchiveError as error:
                if not self.was_troubled(began):
                    raise Broken(f"the archive cannot be read: {error}") from error
        raise Broken("the archive could not be read")

    def trouble(self) -> None:
        self._troubled = monotonic()

    def _guarded(self, work: Callable[[], object]) -> None:
        try:
            work()
        except threading.BrokenBarrierError:  # another club could not begin
            pass
        except Exception as error:
            self.start.abort()
            self.up.set()
            self.broken(f"{type(error).__name__}: {error}")

    # -- troubles ------------------------------------------------------------------------------------

    def _cut(self) -> None:
        """Cut a connection, whichever, again and again, but not more often than adds succeed."""
        assert self.server is not None
        dice = random.Random(self._dice.random())
        before = 0
        while self.told.deeds[CUTS] < self.goal.cuts and not self._over.wait(dice.uniform(0.05, 0.5)):
            if self.told.deeds[ADDS] == before:
                continue
            before = self.told.deeds[ADDS]
            with suppress(psycopg.Error):
                found = self.server.sql(
                    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                )
                if found:
                    self.trouble()
                    (pid,) = dice.choice(found)
                    ((done,),) = self.server.sql(f"SELECT pg_terminate_backend({pid}, 1000)")
                    self.trouble()
                    if done:
                        self.count(CUTS)

    def _restart(self) -> None:
        """Stop the server as if it were killed, and start it, again and again."""
        assert self.server is not None
        dice = random.Random(self._dice.random())
        before = 0
        while self.told.deeds[RESTARTS] < self.goal.restarts and not self._over.wait(dice.uniform(0.2, 1.0)):
            if self.told.deeds[ADDS] < before + len(self._clubs):
                continue
            before = self.told.deeds[ADDS]
            self.up.clear()
            self.server.stop()
            self.server.start()
            self.trouble()
            self.up.set()
            self.count(RESTARTS)

    # -- the end -------------------------------------------------------------------------------------

    def _judge(self) -> None:
        """Compare the archive with one that came about in peace."""
        peaceful = self.folder / "peaceful.db"
        with Archive.open(peaceful, create=True) as archive:
            for club in self._clubs:
                for path in club.paths:
                    added = add_log(archive, path, club.name)
                    if added.refused or added.running:
                        self.broken(f"{path} does not verify: {added}")
            meant = contents(archive)
        with Archive.open(self.where) as archive:
            found = contents(archive)
        self.told.games = sum(map(len, found["games"].values()))
        for difference in differences(meant, found):
            self.broken(f"not as after adding in peace: {difference}")


def differences(meant: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return a sentence for each part of an archive that is not as it is meant to be."""
    return [f"{what}: {_difference(part, found[what])}" for what, part in meant.items() if part != found[what]]


def _difference(meant: Any, found: Any) -> str:
    """Return the first few things in which two parts of archives differ."""
    if isinstance(meant, dict):
        meant, found = set(map(repr, meant.items())), set(map(repr, found.items()))
    parts = {"missing": sorted(map(str, meant - found)), "too many": sorted(map(str, found - meant))}
    return ", ".join(f"{len(those)} {how} such as {those[0][:_SHOWN]}" for how, those in parts.items() if those)


class Jobs:
    """Places for clients that run at a time."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._places = threading.Semaphore(count)
        self._door = threading.Lock()

    def take(self, count: int) -> None:
        """Wait until ``count`` places are free, and take them: all at once, so that none waits for others."""
        with self._door:
            for _ in range(count):
                self._places.acquire()

    def leave(self, count: int) -> None:
        self._places.release(count)


class Attempt(NamedTuple):
    """A client that adds a log."""

    path: Path
    length: int
    """The log's entries before it began."""
    began: float
    client: Client


class Club:
    """A club with a log, or two."""

    def __init__(self, season: Season, number: int, seed: int) -> None:
        self.name = f"Club {number}"
        self._season = season
        self._dice = random.Random(seed)
        self._folder = season.folder / f"club{number}"
        self._folder.mkdir()
        self.paths = [self._folder / f"log{log}.db" for log in range(1 + (number % 3 == 0))]
        self._numbers = count(1)
        self._read: Counter[Path] = Counter()
        """How much of a log was in the archive when it was read last."""
        self._deeds = [KILL, KILL, KILL_AT, KILL_AT, INTERRUPT, PEACE, PEACE]
        if season.server:
            self._deeds += [CUT_AT, CUT_AT]

    def spend(self) -> None:
        """Play and add until the season is over, and add all of it once more."""
        logs = [Growing(path, self._dice) for path in self.paths]
        self._season.start.wait()
        while not self._season.enough:
            paths = [path for path in self.paths for _ in range(self._dice.choice((1, 2, 2)))]
            attempts = self._begin_all(paths[: self._season.jobs.count])
            self._finish(attempts, logs)
            for log in logs:
                log.grow()
            if self._dice.random() < _REMOVED:
                self._take_out(self._dice.choice(self.paths))
        for log in logs:
            log.close()
        for path in self.paths:
            self._finish(self._begin_all([path]), [])

    def _begin_all(self, paths: Sequence[Path]) -> list[Attempt]:
        self._season.jobs.take(len(paths))
        return [self._begin(path, self._deed()) for path in paths]

    def _begin(self, path: Path, deed: Deed) -> Attempt:
        with Log.read(path) as log:
            length = log.entry_with(log.head) or 0
        said = self._folder / f"said{next(self._numbers)}"
        return Attempt(path, length, monotonic(), Client(words(path, self.name, self._season.where), said, deed))

    def _deed(self) -> Deed:
        what = self._dice.choice(self._deeds)
        if what in (KILL, INTERRUPT):
            return Deed(what, self._dice.uniform(0, 1.2 * self._season.typical_s))
        return Deed(what, self._dice.randint(1, _STATEMENTS))

    def _finish(self, attempts: Sequence[Attempt], logs: Sequence[Growing]) -> None:
        """Play on while clients run; run each again until it succeeds, and look then at what is in the archive."""
        with ThreadPoolExecutor(len(attempts)) as pool:
            ending = [pool.submit(attempt.client.live) for attempt in attempts]
            for _ in range(_GROWTHS):
                for log in logs:
                    log.grow()
            ends = [each.result() for each in ending]
        self._season.jobs.leave(len(attempts))
        for attempt, ended in zip(attempts, ends, strict=True):
            for _ in range(_TRIES):
                if self._succeeded(attempt, ended):
                    break
                self._season.up.wait()
                self._season.jobs.take(1)
                attempt = self._begin(attempt.path, Deed())
                ended = attempt.client.live()
                self._season.jobs.leave(1)
            else:
                raise Broken(f"{self.name} cannot add {attempt.path}: {ended}")
            self._look(attempt, ended.out)

    def _take_out(self, path: Path) -> None:
        """Take a log out of the archive. Raise :class:`Broken` if something of it is there then."""
        for tried in range(_TRIES):
            self._season.jobs.take(1)
            said, deed = self._folder / f"said{next(self._numbers)}", Deed() if tried else self._deed()
            client = Client(["archive", "remove", str(path), "--archive", self._season.where], said, deed)
            ended = client.live()
            self._season.jobs.leave(1)
            if tried and ended.status == 2 and _NOT_THERE in ended.err:  # it was killed after it had committed
                break
            if _NAMES_STAY in ended.err:
                ended = ended._replace(err="")
            if self._succeeded(Attempt(path, 0, client.began, client), ended, REMOVALS):
                break
            self._season.up.wait()
        else:
            raise Broken(f"{self.name} cannot take out {path}: {ended}")
        with Log.read(path) as log:
            first = next(log.entries())
        if (held := self._season.read(lambda connection: holding(connection, self.name, first))).entries:
            raise Broken(f"{path} was taken out, and {held} is there")
        self._read[path] = 0

    def _succeeded(self, attempt: Attempt, ended: Ended, what: str = ADDS) -> bool:
        """Return whether an attempt has succeeded, and count how it ended. Raise :class:`Broken` if it may not."""
        deed, season = attempt.client.deed.what, self._season
        if attempt.client.hung:
            raise Broken(f"{self.name}: a client has not ended {INTERRUPTED_S:g} seconds after Ctrl-C")
        if ended.status == 0 and not ended.err:
            season.count(what)
            season.typical_s += (monotonic() - attempt.began - season.typical_s) / 10
            return True
        if ended.status == -signal.SIGKILL and deed in (KILL, KILL_AT):
            season.count(KILLS)
        elif ended.status == -signal.SIGINT and deed == INTERRUPT:
            season.count(INTERRUPTS)
        elif self._is_refusal(ended) and (deed == CUT_AT or season.was_troubled(attempt.began)):
            season.count(REFUSED)
            if deed == CUT_AT:
                season.count(CUTS)
        else:
            raise Broken(f"{self.name}: a client, {attempt.client.deed}, has {ended}")
        return False

    def _is_refusal(self, ended: Ended) -> bool:
        """Return True for a status and one line that say that the server is gone, or the connection."""
        return (ended.status, ended.out) == (2, "") and bool(_GONE.fullmatch(ended.err))

    def _look(self, attempt: Attempt, said: str) -> None:
        """Raise :class:`Broken` unless the archive holds what a client has said that it added."""
        with Log.read(attempt.path) as log:
            entries = list(log.entries())
        held = self._season.read(lambda connection: holding(connection, self.name, entries[0]))
        if held.entries < max(attempt.length, self._read[attempt.path]):
            raise Broken(f"{attempt.path}: {held.entries} entries are in the archive; {attempt.length} were added")
        self._read[attempt.path] = held.entries
        if held.games != ended_at(entries, held.entries):
            raise Broken(f"{attempt.path}: games {held.games} are in the archive by entry {held.entries}")
        sizes = {len(ended_at(entries, last)) for last in range(attempt.length, held.entries + 1)}
        if _OLDER not in said and sum(map(int, _SAID.findall(said))) not in sizes:
            raise Broken(f"{attempt.path}: {said!r}, but {sizes} games had ended")
        if held.wrong:
            raise Broken(f"{self.name}: {'; '.join(held.wrong)}")


class Holding(NamedTuple):
    """What an archive has of a log."""

    entries: int
    games: set[int]
    wrong: list[str]
    """What does not add up."""


def kill_points(folder: Path, where: str, seed: int, every: int = 1) -> int:
    """Kill a client before statements of an add by which games come, go and change; return how many were killed.

    Raise :class:`Broken` where an archive is left that is neither as before nor as after.
    """
    path, peaceful = folder / "log.db", folder / "peaceful.db"
    log = Growing(path, random.Random(seed))
    states = []
    for state in range(2):
        for _ in range(_STEPS):
            log.grow()
        if state:
            log.close()
        for each in (peaceful,) if state else (peaceful, where):
            with Archive.open(each, create=True) as archive:
                add_log(archive, path, "Club 1")
        with Archive.open(peaceful) as archive:
            states.append(contents(archive))
    for killed, statement in enumerate(count(1, every)):
        client = Client(words(path, "Club 1", where), folder / f"said{statement}", Deed(KILL_AT, statement))
        ended = client.ended()
        with Archive.open(where) as archive:
            left = contents(archive)
        if left not in (states if ended.status else states[1:]):
            wrong = "; ".join(differences(states[-1], left))
            raise Broken(f"killed before statement {statement} ({ended}), an add leaves half of what it adds: {wrong}")
        if ended.status == 0:
            return killed
        if ended.status != -signal.SIGKILL:
            raise Broken(f"killed before statement {statement}, a client has {ended}")
    raise AssertionError


def correction_points(folder: Path, where: str, seed: int, every: int = 1) -> int:
    """Kill clients before statements by which logs are taken out and a club is renamed; return how many were killed.

    Raise :class:`Broken` where an archive is left that is neither as before nor as after.
    """
    paths = [folder / f"correct{number}.db" for number in range(2)]
    for number, path in enumerate(paths):
        log = Growing(path, random.Random(seed + number))
        for _ in range(_STEPS):
            log.grow()
        log.close()
    peaceful = folder / "corrected.db"
    for each in (peaceful, where):
        with Archive.open(each, create=True) as archive:
            for path in paths:
                add_log(archive, path, "Club 1")
    corrections: list[tuple[list[str], Callable[[Archive], object]]] = [
        (["remove", str(paths[0])], lambda archive: remove_log(archive, paths[0])),
        (["rename", "Club 1", "Club 2"], lambda archive: rename_club(archive, "Club 1", "Club 2")),
        (["remove", str(paths[1])], lambda archive: remove_log(archive, paths[1])),
    ]
    killed = 0
    for command, correct in corrections:
        with Archive.open(peaceful, create=True) as archive:
            before = contents(archive)
            correct(archive)
            after = contents(archive)
        for statement in count(1, every):
            said = folder / f"said-{command[0]}-{killed}"
            client = Client(["archive", *command, "--archive", where], said, Deed(KILL_AT, statement))
            ended = client.ended()
            with Archive.open(where) as archive:
                state = contents(archive)
            killed += ended.status == -signal.SIGKILL
            if state == after:
                break
            if state != before or ended.status != -signal.SIGKILL:
                wrong = "; ".join(differences(before, state))
                raise Broken(f"{command[0]} before statement {statement} ({ended}) leaves half of its work: {wrong}")
    return killed


def begin_together(folder: Path, where: str, seed: int, clients: int) -> None:
    """Have clients add one log at once to an archive that is not there yet.

    Raise :class:`Broken` unless each succeeds, and one alone adds the games.
    """
    path = folder / "together.db"
    if not path.exists():
        Growing(path, random.Random(seed)).close()
    said = [folder / f"said{number}" for number in range(clients)]
    running = [Client(words(path, "Club 1", where), each) for each in said]
    ends = [client.ended() for client in running]
    new = sum("1 new game" in ended.out for ended in ends)
    if new != 1 or any(ended.status or ended.err for ended in ends):
        raise Broken(f"of clients that begin an archive at once, {new} have added its game: {ends}")


def words(path: Path, club: str, where: str) -> list[str]:
    """Return the command that adds a club's log to an archive."""
    return ["archive", "add", str(path), "--club", club, "--to", where]


def holding(connection: Connection, club: str, first: Entry) -> Holding:
    """Return what an archive holds of a club's log with this first entry."""
    source = connection.execute(select(SOURCE).where(SOURCE.c.origin == bytes.fromhex(first.hash))).one_or_none()
    if source is None:
        return Holding(0, set(), [])
    games = set(connection.scalars(select(GAME.c.number).where(GAME.c.source == source.id)))

    def total(what: Any, table: Any, *where: Any) -> int:
        return int(connection.scalar(select(func.coalesce(what, 0)).select_from(table).where(*where)) or 0)

    def summed(what: str) -> int:
        return total(func.sum(SUMMARY.c.n), SUMMARY, SUMMARY.c.club == source.club, SUMMARY.c.what == what)

    theirs = select(SOURCE.c.id).where(SOURCE.c.club == source.club)
    pairs = {
        "games and those that are counted": (total(func.count(), GAME, GAME.c.club == source.club), summed(LENGTH)),
        "seats and those that are counted": (total(func.count(), SEAT, SEAT.c.source.in_(theirs)), summed(GAMES)),
        "entries and their hashes": (
            _SHORT * source.entries,
            total(func.sum(func.length(CHAIN.c.hashes)), CHAIN, CHAIN.c.source == source.id),
        ),
    }
    name = connection.scalar(select(CLUB.c.name).where(CLUB.c.id == source.club))
    wrong = [f"{what} differ: {one}, {other}" for what, (one, other) in pairs.items() if one != other]
    return Holding(source.entries, games, wrong if name == club else [*wrong, f"the log is {name}'s"])
