"""The games of a log and the tables they were played at, before any of them is conducted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablier.games.core import Position
from tablier.log import Entry, GameInfo, Log
from tablier.play.asides import SEEN
from tablier.play.seats import Seat
from tablier.record import Record, replay


def seats_of(info: GameInfo) -> tuple[Seat, ...]:
    """Return the seats with which a logged game is played."""
    return tuple(Seat.read(seat) for seat in info.seats)


def position_of(log: Log, info: GameInfo) -> Position[Any]:
    """Return where the moves of a logged game have led. Raise ``RecordError``."""
    return position_after(info, log.moves(info.id))


def position_after(info: GameInfo, moves: Sequence[str]) -> Position[Any]:
    """Return where these moves of a logged game lead. Raise ``RecordError``."""
    return replay(Record(info.game, tuple(info.names), tuple(moves), info.options), conducted=True)


def unfinished(log: Log) -> list[GameInfo]:
    """Return the games that can be resumed: those that have not ended, and the latest one if somebody wants to take
    moves back after its end and others were not heard yet."""
    games = log.games()
    return [info for info in games if info.ended is None or (info is games[-1] and _asks_after_the_end(log, info))]


def _asks_after_the_end(log: Log, info: GameInfo) -> bool:
    asked: Any = None
    for entry in log.entries(info.id):
        if entry.kind in ("end", "takeback"):
            asked = None
        elif entry.kind == "ask" and entry.body["what"] != SEEN:
            asked = entry.body["id"]
        elif asked is not None and entry.body.get("id") == asked and entry.body.get("yes") in (False, 0):
            asked = None
    return asked is not None


def last_boot(log: Log, game: int) -> str | None:
    """Return the boot of the table that a game's log knows last."""
    hellos = [entry.body["boot"] for entry in log.entries(game) if is_hello(entry)]
    return hellos[-1] if hellos else None


def last_table(log: Log, game: int) -> tuple[str, str] | None:
    """Return board and port of the table that a game was played at last; ``None`` where it is gone with its program."""
    hellos = [entry.body for entry in log.entries(game) if is_hello(entry)]
    return (hellos[-1]["board"], hellos[-1]["port"]) if hellos and "port" in hellos[-1] else None


def log_id(log: Log) -> bytes:
    """Return what tells a log's questions from those of every other log: a part of the hash of its first entry."""
    return bytes.fromhex(next(log.entries()).hash)[:8]


def is_hello(entry: Entry) -> bool:
    """Return whether a table was found, or found again."""
    return entry.kind == "table" and entry.body["event"] == "hello"
