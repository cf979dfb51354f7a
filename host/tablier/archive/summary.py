"""What games add up to: the numbers from which questions about many of them are answered.

Plain SQL over the rows of a million games takes up to a minute. So the games of a source are summed up in blocks of
:data:`BLOCK`, and questions add up blocks. Where a game comes, goes or changes, its block is counted anew from the rows
of its games.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    INTEGER,
    ColumnElement,
    Connection,
    FromClause,
    Select,
    String,
    bindparam,
    case,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    union_all,
)

from tablier.archive.tables import FACT, GAME, SEAT, SUMMARY

BLOCK = 1000
"""The games that are summed up together: more make a change slower, fewer a question about all of a million games."""

# What is summed up, beside the facts of games. ENDING and LENGTH for the game, the others for each player.
GAMES, POINTS = "games", "points"
"""n: games, total: those won; and n: seats, total: their points. A bot that has several seats has played a game once,
and has won it with any of them."""
AGAINST = "against"
"""value: the other player; total: 1 for a better rank than that one's, 1/2 for an equal one, and the mean of these
where one has several seats."""
BY_OTHERS = "by others"
"""Games in which somebody else decided for the player: they count for nothing else of the player's."""
LENGTH, ENDING = "length", "ending"


def count_anew(connection: Connection, source: int, numbers: Iterable[int]) -> None:
    """Count the blocks of a source anew in which some of its games are, or were."""
    for block in sorted({(number - 1) // BLOCK for number in numbers}):
        about = {"of": source, "block": block, "first": block * BLOCK + 1, "last": (block + 1) * BLOCK}
        connection.execute(_CLEAR, about)
        connection.execute(_COUNT, about)


def _rows(of: FromClause, *by: ColumnElement[Any], **given: Any) -> Select[Any]:
    """Return rows of the summary, of games of the block, grouped also by some columns; ``given``: ``what`` and ``n``,
    and where they are something ``player``, ``value`` and ``total``."""
    about = (of.c.month, of.c.kind, of.c.players)
    given = {"player": 0, "what": "", "value": "", "n": 0, "total": 0.0} | given
    rest = (
        each if isinstance(each, ColumnElement) else literal(each, SUMMARY.c[name].type) for name, each in given.items()
    )
    source, block = (bindparam(name, type_=INTEGER) for name in ("of", "block"))
    # A block has one club, and few months and kinds: grouped by these last, rows are sorted twice as fast.
    return select(func.min(of.c.club), source, block, *about, *rest).group_by(*by, *about)


_HERE = (GAME.c.source == bindparam("of")) & GAME.c.number.between(bindparam("first"), bindparam("last"))
_ABOUT = (GAME.c.club, GAME.c.month, GAME.c.kind, GAME.c.players)
_GAME = (GAME.c.source, GAME.c.number)


def _of_game(table: FromClause) -> ColumnElement[bool]:
    """Return the condition for rows of a game. With a bare number SQLite would look for them in the whole block."""
    return (table.c.source == GAME.c.source) & (table.c.number == GAME.c.number + 0)


def _statement() -> Any:
    """Return the statement that counts a block."""
    games = func.count()
    one, other = SEAT.alias("one"), SEAT.alias("other")
    mine = (
        select(
            *(*_ABOUT, SEAT.c.player),
            func.count().label("seats"),
            func.sum(SEAT.c.points).label("points"),
            func.max(case((SEAT.c.won, 1), else_=0)).label("won"),
        )
        .join(SEAT, _of_game(SEAT))
        .where(_HERE, SEAT.c.own)
        .group_by(*_GAME, SEAT.c.player)
        .cte("mine")
    )
    others = (
        select(*_ABOUT, SEAT.c.player)
        .join(SEAT, _of_game(SEAT))
        .where(_HERE, ~SEAT.c.own)
        .group_by(*_GAME, SEAT.c.player)
        .subquery()
    )
    ahead = case(
        (one.c.won & other.c.won, 0.5),
        (one.c.won, 1.0),
        (other.c.won, 0.0),
        (one.c.points > other.c.points, 1.0),
        (one.c.points == other.c.points, 0.5),
        else_=0.0,
    )
    pairs = (
        select(*(*_ABOUT, one.c.player), other.c.player.label("other"), func.avg(ahead).label("ahead"))
        .join(one, _of_game(one))
        .join(other, _of_game(other) & (other.c.player != one.c.player))
        .where(_HERE, one.c.own, other.c.own)
        .group_by(*_GAME, one.c.player, other.c.player)
        .subquery()
    )
    counted, total = func.sum(FACT.c.n), func.sum(FACT.c.total)
    seats, points, won = (func.sum(mine.c[name]) for name in ("seats", "points", "won"))
    player, rival, stood_aside = pairs.c.player, pairs.c.other, others.c.player
    ahead_of = func.sum(pairs.c.ahead)
    parts = (
        _rows(GAME, GAME.c.moves, what=LENGTH, value=cast(GAME.c.moves, String), n=games).where(_HERE),
        _rows(GAME, GAME.c.ending, what=ENDING, value=GAME.c.ending, n=games).where(_HERE),
        _rows(GAME, FACT.c.what, FACT.c.value, what=FACT.c.what, value=FACT.c.value, n=counted, total=total)
        .join(FACT, _of_game(FACT))
        .where(_HERE),
        _rows(mine, mine.c.player, player=mine.c.player, what=GAMES, n=games, total=won),
        _rows(mine, mine.c.player, player=mine.c.player, what=POINTS, n=seats, total=points),
        _rows(others, stood_aside, player=stood_aside, what=BY_OTHERS, n=games),
        _rows(pairs, player, rival, player=player, what=AGAINST, value=cast(rival, String), n=games, total=ahead_of),
    )
    return insert(SUMMARY).from_select(SUMMARY.columns.keys(), union_all(*parts))


_CLEAR = delete(SUMMARY).where(SUMMARY.c.source == bindparam("of"), SUMMARY.c.block == bindparam("block"))
_COUNT = _statement()
