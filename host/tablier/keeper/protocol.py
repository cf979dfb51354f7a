"""The keeper's protocol, which ``PROTOCOL.md`` beside this file describes: JSON-RPC 2.0, one line a message.

What a method is called and takes, and who may use it, stands where it is carried out (:mod:`tablier.keeper.methods`).
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from tablier import messages
from tablier.bots.fingerprint import fingerprint
from tablier.course import seats
from tablier.log.replies import Words, check_printable
from tablier.texts import Failure, Json, Text
from tablier_fw.version import __version__

VERSION = 1
"""Raised whenever a message changes its meaning."""
LINE_MAX = 1 << 16
"""The most bytes of a request, with its newline."""

UNREADABLE, INVALID, UNKNOWN, WRONG = -32700, -32600, -32601, -32602
"""JSON-RPC's own codes: no JSON, no request, no such method, wrong parameters."""
REFUSED, FORBIDDEN, STALE = 1, 2, 3
"""What the keeper says: it cannot be done now; not by this connection; keeper and client are of two versions."""
NOT_OPEN = Text("evening {evening} is not open; open: {evenings}")
NO_EVENING = Text("no evening is open")

GameNumber = Annotated[int, Meta(ge=1, le=1 << 31, description="the number of a game")]
EveningNumber = Annotated[int, Meta(ge=1, le=1 << 31, description="the number of an evening")]
Place = Annotated[int, Meta(ge=0, le=6, description="a place from 1 to 6, or 0 for none")]
Key = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="16 bytes in lower-case hexadecimal")]
SeatNumber = Annotated[int, Meta(ge=1, le=6, description="a seat from 1 to 6")]
Count = Annotated[int, Meta(ge=1, le=1 << 20, description="a number from 1")]
Name = Annotated[str, Meta(min_length=1, max_length=4096, description="1 to 4096 printable characters")]
"""Of a file, or of a program with its arguments."""
Seconds = Annotated[float, Meta(ge=0, le=60, description="0 to 60 seconds")]


class Refusal(Failure):
    """A request that is not carried out. Nothing has changed."""

    def __init__(self, code: int, text: Text | str, /, *, id: int | None = None, **args: Any) -> None:
        super().__init__(text, **args)
        self.code = code
        self.id = id


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a method."""

    @property
    def speaker(self) -> int:
        """Return the seat that asks; 0 for none."""
        return int(getattr(self, "seat", 0))


class Nothing(Params, frozen=True, kw_only=True):
    """No parameters."""


class OfGame(Params, frozen=True, kw_only=True):
    """A game that is open."""

    game: GameNumber


class OfEvening(Params, frozen=True, kw_only=True):
    """An evening that is open."""

    evening: EveningNumber


class OfSeat(OfGame, frozen=True, kw_only=True):
    """A seat of a game."""

    seat: SeatNumber


class NewSeat(Params, frozen=True, kw_only=True):
    """A seat of a game that is to begin."""

    name: Words
    source: Name
    place: Place = 0
    simulated: str = ""

    def __post_init__(self) -> None:
        check_printable(self, "name", "source", "simulated")

    def seat(self) -> seats.Seat:
        """Return the seat as a game has it."""
        return seats.Seat(self.name, self.place, self.source, self.simulated)


class Table(Params, frozen=True, kw_only=True):
    """How a game is played at a table: at a port, or at a simulated one of its own."""

    port: Name | None = None
    virtual: bool = False
    quiet_s: Seconds | None = None
    pace_s: Seconds | None = None


class Chance(Params, frozen=True, kw_only=True):
    """Where dice come from, seat by seat, and what is drawn from a bag."""

    dice: list[Words]
    bag: Words


# -- what the keeper says ---------------------------------------------------------------------------------------------


def line_of(message: Json) -> bytes:
    """Return a message as it goes over the socket."""
    return messages.encode({"jsonrpc": "2.0", **message}) + b"\n"


class _Heard(Struct, frozen=True):
    """A line of a keeper, its parameters unread."""

    method: str = ""
    params: msgspec.Raw = msgspec.Raw()


_HEARD = msgspec.json.Decoder(_Heard)


def heard(line: bytes) -> messages.Notice | Json:
    """Return what a line of a keeper says: a notice, or the answer to a request."""
    said = _HEARD.decode(line)
    if said.method:
        kind = messages.NOTICES[said.method]
        messages.learn(kind)
        notice: messages.Notice = msgspec.json.decode(said.params, type=kind)
        return notice
    answer: Json = json.loads(line)
    return answer


def result(id: int, value: messages.Sent | Json) -> Json:
    """Return the answer to a request that was carried out."""
    return {"id": id, "result": value}


def refusal(error: Refusal) -> Json:
    """Return the answer to a request that was not."""
    return {"id": error.id, "error": {"code": error.code, "message": str(error), "data": error.text}}


def notice(params: messages.Notice) -> Json:
    """Return what the keeper says without having been asked."""
    return {"method": params.METHOD, "params": params}


def request(id: int, method: str, params: Json) -> Json:
    """Return a request."""
    return {"id": id, "method": method, "params": params}


def hello(token: str | None, *, passive: bool = False) -> Json:
    """Return the parameters of this version's hello."""
    said: Json = {"protocol": VERSION, "version": __version__, "code": fingerprint()}
    return {**said, **({"token": token} if token else {}), **({"passive": True} if passive else {})}
