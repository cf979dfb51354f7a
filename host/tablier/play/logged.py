"""The games of a log and the tables they were played at, before any of them is conducted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablier.course.asides import ANOTHER, SEEN
from tablier.course.chance import Sources
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat, seated, sits
from tablier.games.core import Position
from tablier.log.chain import Entry
from tablier.log.fold import GameInfo, kept
from tablier.log.people import Names
from tablier.log.store import Log
from tablier.record import Record, replay


class Logged:
    """A game as its log has it: its entries, read once, and what they say of its seats, its chance and its table."""

    def __init__(self, log: Log, game: int) -> None:
        self.info = log.game(game)
        self.entries = list(log.entries(game))
        self.sources = Sources.read(self.entries[0].body)
        self.hello = _last_hello(self.entries)
        """The body of the latest hello of the game's table; ``None`` where none is logged."""

    @property
    def boot(self) -> str | None:
        """Return the boot of the table that the game knows last."""
        return None if self.hello is None else self.hello["boot"]

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the seats with their present sources."""
        return seats_after(self.info, self.entries)


def seats_of(info: GameInfo) -> tuple[Seat, ...]:
    """Return the seats with which a logged game began."""
    return tuple(Seat.read(seat) for seat in info.seats)


def seats_after(info: GameInfo, entries: Iterable[Entry]) -> tuple[Seat, ...]:
    """Return the seats of a logged game with their sources after these entries."""
    first = seats = seats_of(info)
    for entry in entries:
        if sits(entry.kind, entry.body, len(first)):
            seats = seated(seats, first, entry.body["seat"], entry.body["source"])
    return seats


def holders(info: GameInfo, entries: Iterable[Entry], names: Names) -> dict[int, str]:
    """Return the person who has each seat at a screen, or has left it to a bot there; none for the others."""
    own = {seat: body["person"] for seat, body in enumerate(info.seats, 1) if "person" in body}
    found = {seat: person for seat, person in own.items() if info.seats[seat - 1]["source"] == AT_SCREEN}
    for entry in entries:
        if not sits(entry.kind, entry.body, len(info.seats)):
            continue
        seat, source = entry.body["seat"], entry.body["source"]
        if source == AT_SCREEN:
            named, back = entry.body.get("person"), found.get(seat) if entry.body["by"] else None
            person = names.one(named) if named else back or own.get(seat)
            found |= {seat: person} if person else {}
        elif source == AT_TABLE:
            found.pop(seat, None)
    return found


def left_at(info: GameInfo, entries: Iterable[Entry], seat: int) -> int | None:
    """Return how many of the moves that stand were made before a person left a seat to the bot that has it now;
    ``None`` where none has left it."""
    ply, left, first = 0, None, seats_of(info)
    now = first[seat - 1]
    for entry in entries:
        if entry.kind == "move":
            ply += 1
        elif entry.kind == "takeback":
            ply = kept(entry, ply)
            left = None if left is None else min(left, ply)
        elif sits(entry.kind, entry.body, len(first)) and entry.body["seat"] == seat:
            before, now = now, seated(first, first, seat, entry.body["source"])[seat - 1]
            if now.is_bot and not before.is_bot:
                left = ply
    return left


def position_of(log: Log, info: GameInfo) -> Position[Any]:
    """Return where the moves of a logged game have led. Raise ``RecordError``."""
    return position_after(info, log.moves(info.id))


def position_after(info: GameInfo, moves: Sequence[str]) -> Position[Any]:
    """Return where these moves of a logged game lead. Raise ``RecordError``."""
    return replay(Record(info.game, tuple(info.names), tuple(moves), info.options), conducted=True)


class Unfinished:
    """The games of a log that can be resumed. Each entry is read once, however often they are asked for."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._game = 0
        self._read = 0
        """The number of the entry up to which that game was read."""
        self._asked: Any = None
        """What is asked after its end and was not declined."""

    def games(self) -> list[int]:
        """Return those that have not ended, and the latest one if somebody wants to take moves back after its end and
        others were not heard yet."""
        open, last = self._log.open_games(), self._log.last_game
        return [*open, last] if last and last not in open and self._asks_after_the_end(last) else open

    def _asks_after_the_end(self, game: int) -> bool:
        if game != self._game:
            ends = [entry.n for entry in self._log.entries(game, "end", "takeback")]
            if not ends:  # abandoned
                return False
            self._game, self._read, self._asked = game, ends[-1], None  # what was asked before is over
        last = self._log.last_entry
        for entry in self._log.entries(game, after=self._read):
            if entry.kind in ("end", "takeback"):
                self._asked = None
            elif entry.kind == "ask" and entry.body["what"] not in (SEEN, ANOTHER):
                self._asked = entry.body["id"]
            elif self._asked is not None and _declines(entry.body, self._asked):
                self._asked = None
        self._read = last
        return self._asked is not None


def _declines(body: Mapping[str, Any], asked: object) -> bool:
    return body.get("id") == asked and body.get("yes") in (False, 0)


def unfinished(log: Log) -> list[int]:
    """Return the games that can be resumed: see :meth:`Unfinished.games`."""
    return Unfinished(log).games()


def last_table(log: Log, game: int) -> tuple[str, str] | None:
    """Return board and port of the table that a game was played at last; ``None`` where it is gone with its program."""
    return table_in(_last_hello(log.arrivals(game)))


def table_in(hello: Mapping[str, Any] | None) -> tuple[str, str] | None:
    """Return board and port of a table, from its hello; ``None`` where it is gone with its program."""
    return (hello["board"], hello["port"]) if hello is not None and "port" in hello else None


def _last_hello(entries: Iterable[Entry]) -> dict[str, Any] | None:
    hellos = [entry.body for entry in entries if is_hello(entry)]
    return hellos[-1] if hellos else None


def log_id(log: Log) -> bytes:
    """Return what tells a log's questions from those of every other log: a part of the hash of its first entry."""
    return bytes.fromhex(next(log.entries()).hash)[:8]


def is_hello(entry: Entry) -> bool:
    """Return whether a table was found, or found again."""
    return entry.kind == "table" and entry.body["event"] == "hello"
