"""An archive as Parquet files, for whatever reads these: DuckDB here, Spark on a cluster.

Two tables, ``games`` and ``seats``, each in a folder a game and a year (``game=dilemma/year=2026``), as Hive names it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pyarrow as pa
from pyarrow import dataset
from sqlalchemy import Connection, select

from tablier.archive.database import Archive, ArchiveError
from tablier.archive.ended import EndedGame, time_of
from tablier.archive.keeping import read_games
from tablier.archive.tables import CLUB, GAME, SOURCE
from tablier.log.chain import canonical

_TIME = pa.timestamp("us", tz="UTC")
_KEYS = [("game", pa.string()), ("year", pa.int16()), ("club", pa.string()), ("source", pa.string())]
GAMES = pa.schema(
    [
        *(*_KEYS, ("number", pa.int32()), ("began", _TIME), ("ended", _TIME), ("evening", pa.int32())),
        *(("series", pa.int32()), ("practice", pa.bool_()), ("players", pa.int8()), ("ending", pa.string())),
        *(("options", pa.string()), ("dice", pa.list_(pa.string())), ("bag", pa.string())),
        ("moves", pa.list_(pa.string())),
    ]
)
"""``source``: the hash that names the log or the campaign; ``options``: JSON; ``dice``: the source of each seat's."""
SEATS = pa.schema(
    [
        *(*_KEYS, ("number", pa.int32()), ("seat", pa.int8()), ("player", pa.string()), ("name", pa.string())),
        *(("points", pa.float64()), ("won", pa.bool_()), ("own", pa.bool_())),
    ]
)
"""``player``: unlike all others of the club; ``name``: null where it was forgotten; ``own``: false where
somebody else decided a move of the player."""
_TABLES = {"games": GAMES, "seats": SEATS}
"""By the names of their folders."""
_PARTS = dataset.partitioning(pa.schema(_KEYS[:2]), flavor="hive")
_AT_ONCE = 5000


def export(
    archive: Archive, folder: Path, *, force: bool = False, done: Callable[[int], object] = lambda n: None
) -> int:
    """Write an archive to a new folder and return how many games it holds. ``done`` gets how many more were written.

    Raise :class:`ArchiveError` for an archive without games, for a folder that is there, unless ``force`` says to
    replace it, and for one that holds anything but an export, in any case. It appears when all is written, and can be
    read by its owner alone.
    """
    folder = folder.absolute()
    if folder.exists():
        _check_old(folder, force)
    try:
        making = Path(mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise _failed(folder.parent, error) from error
    try:
        with archive.reading() as connection:
            games = _write(connection, making / "new", done)
        if not games:
            raise ArchiveError("{where} has no games; nothing was written", where=archive.where)
        if folder.exists():
            folder.rename(making / "old")
        (making / "new").rename(folder)
    except OSError as error:
        raise _failed(folder, error) from error
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return games


def _check_old(folder: Path, force: bool) -> None:
    """Raise :class:`ArchiveError` for a folder that may not be replaced."""
    if not folder.is_dir() or folder.is_symlink():
        raise ArchiveError("{folder} is there already, and is not a folder", folder=folder)
    if not force:
        raise ArchiveError("{folder} is there already; --force replaces it", folder=folder)
    try:
        others = sorted(each.name for each in folder.iterdir() if each.name not in _TABLES)
    except OSError as error:
        raise _failed(folder, error) from error
    if others:
        text = "{folder} holds {name}, which is not part of an export; name another folder"
        raise ArchiveError(text, folder=folder, name=others[0])


def _failed(where: Path, error: OSError) -> ArchiveError:
    return ArchiveError("{where}: {why}", where=where, why=os.strerror(error.errno) if error.errno else str(error))


def _write(connection: Connection, folder: Path, done: Callable[[int], object]) -> int:
    folder.mkdir(mode=0o700)
    written = part = 0
    every = _rows(connection)
    while batch := list(islice(every, _AT_ONCE)):
        games = [row for row, _ in batch]
        seats = [row for _, rows in batch for row in rows]
        for (name, schema), rows in zip(_TABLES.items(), (games, seats), strict=True):
            dataset.write_dataset(
                pa.Table.from_pylist(rows, schema=schema),
                folder / name,
                format="parquet",
                partitioning=_PARTS,
                basename_template=f"part-{part:05}-{{i}}.parquet",
                existing_data_behavior="overwrite_or_ignore",
            )
        part += 1
        written += len(batch)
        done(len(batch))
    return written


def _rows(connection: Connection) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Yield the row of each game with those of its seats, kind by kind, so that files are few and large."""
    sources = connection.execute(
        select(SOURCE.c.id, SOURCE.c.origin, CLUB.c.name).join(CLUB, CLUB.c.id == SOURCE.c.club).order_by(SOURCE.c.id)
    ).all()
    kinds = connection.execute(select(GAME.c.source, GAME.c.kind).distinct()).all()
    for kind in sorted({row.kind for row in kinds}):
        having = {row.source for row in kinds if row.kind == kind}
        for id, origin, club in sources:
            if id in having:
                for game in read_games(connection, (GAME.c.source == id) & (GAME.c.kind == kind)):
                    yield _row(game, club, origin.hex())


def _row(game: EndedGame, club: str, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    ended = time_of(game.ended)
    keys = {"game": game.kind, "year": ended.year, "club": club, "source": source, "number": game.number}
    row = {
        **keys,
        "began": time_of(game.began),
        "ended": ended,
        "evening": game.evening or None,
        "series": game.series,
        "practice": game.practice,
        "players": len(game.seats),
        "ending": game.ending,
        "options": canonical(game.options),
        "dice": list(game.sources.dice),
        "bag": game.sources.bag,
        "moves": list(game.moves),
    }
    seats = [
        {
            **keys,
            "seat": at,
            "player": it.player.key,
            "name": it.player.name,
            "points": it.points,
            "won": it.won,
            "own": game.is_own(at),
        }
        for at, it in enumerate(game.seats, 1)
    ]
    return row, seats
