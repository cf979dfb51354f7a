"""An ended game as an archive holds it: what everybody may know of it, without names."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from tablier.course.chance import Sources
from tablier.games.core import Position
from tablier.log.chain import canonical
from tablier.log.deciding import StandIn
from tablier.record import Record, replay
from tablier.texts import Json

KEY_MAX = 120
"""Characters of a player's key."""
_STATE_BYTES = 16
_COMMON = (
    b'{"chance":{"bag":"host","dice":["host","host","host","host"]},"moves":["p1 throw p2 duel p3 conflict peace p4'
    b' reach table dice roll keep draw p1 stake pass hold"],"options":{},"table":{"hello":1,"doubtful":1,"landed":1}}'
)
"""Text that bodies have in common: a third fewer bytes. Part of the format: never changed, only followed by another."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def time_of(moment: int) -> datetime:
    """Return a time that is given in microseconds since 1970 (UTC)."""
    return _EPOCH + timedelta(microseconds=moment)


def moment(time: datetime) -> int:
    """Return a time in microseconds since 1970 (UTC)."""
    return (time - _EPOCH) // timedelta(microseconds=1)


class Player(NamedTuple):
    """Somebody or something at a seat."""

    key: str
    """Unlike all others of the club: a person's id as the log has it, ``bot greedy``, or ``simulated Anne``. Of a name
    that is too long it has a digest."""
    name: str | None
    """``None`` for a person whose name was forgotten."""

    @property
    def is_person(self) -> bool:
        """Return True for somebody whom a log knows or knew by name, not a bot or a simulated person."""
        return " " not in self.key

    @classmethod
    def program(cls, sort: str, name: str) -> Player:
        """Return a player who is no person, of a sort such as ``bot``."""
        key = f"{sort} {name}"
        if len(key) > KEY_MAX:
            key = f"{sort} {blake2b(name.encode(errors='surrogatepass'), digest_size=_STATE_BYTES).hexdigest()}"
        return cls(key, name)


class Result(NamedTuple):
    """A seat of an ended game."""

    player: Player
    points: float
    won: bool


Margins = tuple[int | None, ...]
"""By beam: the percentage of its light that it can do without; ``None`` for one that was not measured."""


@dataclass(frozen=True)
class EndedGame:
    """A game of a log or a campaign that has ended."""

    number: int
    """In its log or campaign, from 1."""
    kind: str
    """The name of its rules."""
    options: Json
    moves: tuple[str, ...]
    """In the notation of records; without those at the end that stay secret."""
    seats: tuple[Result, ...]
    ending: str
    """The reason of its end, as one word of the game's own list."""
    began: int
    ended: int
    """Microseconds since 1970 (UTC)."""
    evening: int = 0
    series: int | None = None
    practice: bool = False
    sources: Sources = field(default_factory=Sources)
    """The sources of its dice and draws."""
    table: Mapping[str, int] = field(default_factory=dict)
    """The troubles of its table, such as resets and gaps, each with its number of times."""
    margins: Mapping[str, Margins] = field(default_factory=dict)
    """Those of its table's beams, by board; nothing of a table that was not tested."""
    stand_ins: tuple[StandIn, ...] = ()
    """What others than the players decided at their seats."""

    def is_own(self, seat: int) -> bool:
        """Return whether the player of a seat decided all of its moves."""
        return all(each.seat != seat for each in self.stand_ins)

    @cached_property
    def body(self) -> bytes:
        """Return what is stored of it beside its columns, as compressed JSON."""
        said: Json = {
            "options": self.options,
            "moves": list(self.moves),
            "chance": self.sources.to_json(),
            "table": dict(self.table),
        }
        if self.margins:
            said["margins"] = {board: list(margins) for board, margins in self.margins.items()}
        if self.stand_ins:
            said["stand_ins"] = [list(each) for each in self.stand_ins]
        packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _COMMON)
        return packer.compress(canonical(said).encode()) + packer.flush()

    @property
    def state(self) -> bytes:
        """Return a digest of all that is stored of it but its players: equal for equal games."""
        seats = [[float(seat.points), seat.won] for seat in self.seats]
        told = [self.kind, self.ending, self.began, self.ended, self.evening, self.series, self.practice, seats]
        return blake2b(canonical(told).encode() + self.body, digest_size=_STATE_BYTES).digest()

    def replayed(self) -> Position[Any]:
        """Return where its moves lead. Raise ``RecordError`` where they cannot be."""
        names = tuple(str(number) for number in range(1, len(self.seats) + 1))
        return replay(Record(self.kind, names, self.moves, self.options))


class Body(NamedTuple):
    """The contents of a stored body."""

    options: Json
    moves: tuple[str, ...]
    sources: Sources
    table: dict[str, int]
    margins: dict[str, Margins]
    stand_ins: tuple[StandIn, ...]


def read_body(body: bytes) -> Body:
    """Return what :attr:`EndedGame.body` has stored. Raise ``ValueError`` for anything else."""
    try:
        unpacker = zlib.decompressobj(-15, zdict=_COMMON)
        said = json.loads(unpacker.decompress(body) + unpacker.flush())
        margins = {board: tuple(found) for board, found in said.get("margins", {}).items()}
        stand_ins = tuple(StandIn(seat, tuple(by), *rest) for seat, by, *rest in said.get("stand_ins", ()))
        return Body(said["options"], tuple(said["moves"]), Sources.read(said), said["table"], margins, stand_ins)
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError(f"not the body of a game ({error!r})") from error
