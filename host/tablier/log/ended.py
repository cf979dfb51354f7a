"""A row for each game that is over, beside the chain, so that no list has to read all entries.

A row follows from the entries of its game. It is written in the transaction of the entry that ends the game, and
removed in that of any later one that could change it; a game without a row is read from its entries. So nothing is lost
with the table, and ``verify`` refuses a row that does not follow.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from tablier.log import deciding, fold
from tablier.log.chain import canonical, decoded
from tablier.log.deciding import StandIn
from tablier.log.fold import GameInfo
from tablier.log.people import Names
from tablier.texts import TextError

CHANGING = frozenset((*fold.KINDS, "move", *deciding.KINDS)) - {"game", "evening"}
"""The kinds of entries from which a row follows."""


class _Ended(NamedTuple):
    """The content of a row, without the seats."""

    game: str
    options: dict[str, Any]
    started: str
    ended: str
    moves: int
    result: dict[str, Any]
    evening: int
    stand_ins: tuple[StandIn, ...]


_INFO = msgspec.json.Decoder(_Ended)
_SEATS = msgspec.json.Decoder(list[dict[str, Any]])


def row_of(info: GameInfo) -> tuple[int, str, str]:
    """Return the row of a game that is over, whose seats are as its entry has them."""
    said = [info.game, info.options, info.started, info.ended, info.moves, info.result, info.evening]
    return info.id, canonical([*said, [list(each) for each in info.stand_ins]]), canonical(info.seats)


def put(db: sqlite3.Connection, infos: Iterable[GameInfo]) -> None:
    """Write the rows of games that are over."""
    db.executemany("INSERT OR REPLACE INTO ended VALUES (?, ?, ?)", [row_of(info) for info in infos])


def remove(db: sqlite3.Connection, game: int) -> None:
    """Remove the row of a game that may change, if it has one."""
    db.execute("DELETE FROM ended WHERE game = ?", (game,))


def read(db: sqlite3.Connection, names: Names, where: str = "", *values: object) -> Iterator[GameInfo]:
    """Yield the games that have a row, in the order in which they began. Raise ``ValueError`` for a row that says
    nothing."""
    known: dict[str, list[dict[str, Any]]] = {}  # by their text: the same people play several games
    for game, info, seats in db.execute(f"SELECT game, info, seats FROM ended {where} ORDER BY game", values):
        try:
            told = decoded(_INFO, info)
            if seats not in known:
                sit: list[dict[str, Any]] = decoded(_SEATS, seats)
                known[seats] = fold.named(sit, names)
        except (ValueError, KeyError) as error:
            raise TextError("what it says of game {game} is damaged ({error})", game=game, error=error) from None
        at = [dict(seat) for seat in known[seats]]
        yield GameInfo(
            game,
            told.game,
            told.options,
            at,
            told.started,
            told.ended,
            told.moves,
            told.result,
            told.evening,
            told.stand_ins,
        )


def check(db: sqlite3.Connection, follow: Callable[[], Iterable[GameInfo]]) -> None:
    """Raise ``ValueError`` for a row that does not follow. ``follow`` returns all games, read from their entries."""
    rows = {row[0]: row for row in db.execute("SELECT game, info, seats FROM ended")}
    follows = {info.id: info for info in follow()} if rows else {}
    for game, row in rows.items():
        info = follows.get(game)
        if info is None or info.ended is None or row != row_of(info):
            raise TextError("what it says of game {game} does not follow from its entries", game=game)
