"""The keeper's protocol, which ``PROTOCOL.md`` beside this file describes: each request decoded into a typed value
before anything else sees it.

JSON-RPC 2.0, one line a message. :func:`decode` returns a :class:`Request`, or raises :class:`Refusal`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from tablier.bots.fingerprint import fingerprint
from tablier.course import seats
from tablier.games.core import shown
from tablier.play import requests
from tablier.play.requests import RequestError, parsed, typed
from tablier.table.settings import LIGHTS, VOLUMES
from tablier.texts import Failure, Json, Text
from tablier_fw.version import __version__

VERSION = 1
"""Raised whenever a message changes its meaning."""
PEOPLE = 20
"""The most people of an evening."""
LINE_MAX = 1 << 16
"""The most bytes of a request, with its newline."""

UNREADABLE, INVALID, UNKNOWN, WRONG = -32700, -32600, -32601, -32602
"""JSON-RPC's own codes: no JSON, no request, no such method, wrong parameters."""
REFUSED, FORBIDDEN, STALE = 1, 2, 3
"""What the keeper says: it cannot be done now; not by this connection; keeper and client are of two versions."""

GameNumber = Annotated[int, Meta(ge=1, le=1 << 31, description="the number of a game")]
EveningNumber = Annotated[int, Meta(ge=1, le=1 << 31, description="the number of an evening")]
Place = Annotated[int, Meta(ge=0, le=6, description="a place from 1 to 6, or 0 for none")]
SeatNumber = Annotated[int, Meta(ge=1, le=6, description="a seat from 1 to 6")]
KnownNews = Annotated[int, Meta(ge=0, le=1 << 31, description="a number from 0 to 2147483648")]
Viewer = Annotated[SeatNumber | None, Meta(description="a seat from 1 to 6, or null for a spectator")]
Id = Annotated[int, Meta(ge=0, le=1 << 31, description="a whole number from 0")]
Words = requests.Words
Name = Annotated[str, Meta(min_length=1, max_length=4096, description="1 to 4096 printable characters")]
"""Of a file, or of a program with its arguments."""
Key = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="16 bytes in lower-case hexadecimal")]
Token = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="32 bytes in lower-case hexadecimal")]
Code = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="32 digits 0-9 and a-f")]
Seconds = Annotated[float, Meta(ge=0, le=60, description="0 to 60 seconds")]


Volume = Annotated[Annotated[int, Meta(ge=VOLUMES[0], le=VOLUMES[1])] | None, Meta(description="1 to 3")]
Light = Annotated[Annotated[int, Meta(ge=LIGHTS[0], le=LIGHTS[1])] | None, Meta(description="25 to 100 percent")]


class Refusal(Failure):
    """A request that is not carried out. Nothing has changed."""

    def __init__(self, code: int, text: Text | str, /, *, id: int | None = None, **args: Any) -> None:
        super().__init__(text, **args)
        self.code = code
        self.id = id


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a method."""


class Hello(Params, frozen=True, kw_only=True):
    """Say who one is: the first request of a connection. ``token``: the operator's; ``beside``: it only passes on what
    happens, so the keeper does not stay for it; ``code``: the fingerprint of Tablier's code, which has to be the
    keeper's."""

    protocol: int
    version: Words
    token: Token | None = None
    beside: bool = False
    code: Code | None = None

    def __post_init__(self) -> None:
        requests.check_printable(self, "version")


class Nothing(Params, frozen=True, kw_only=True):
    """No parameters."""


class Overview(Params, frozen=True, kw_only=True):
    """List what is open. ``follow``: say so again whenever that changes."""

    follow: bool = False


class Seat(Params, frozen=True, kw_only=True):
    """A seat of a game that is to begin."""

    name: Words
    source: Name
    place: Place = 0
    simulated: str = ""

    def __post_init__(self) -> None:
        requests.check_printable(self, "name", "source", "simulated")

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


class Play(Params, frozen=True, kw_only=True):
    """Begin a game."""

    game: Words
    seats: Annotated[list[Seat], Meta(min_length=1, max_length=6, description="1 to 6 seats")]
    options: dict[str, Any] = {}
    chance: Chance | None = None
    practice: bool = False
    table: Table = Table()


class Resume(Params, frozen=True, kw_only=True):
    """Go on with a game."""

    game: GameNumber
    table: Table = Table()


class Someone(Params, frozen=True, kw_only=True):
    """Somebody who is there, at a place of the table, or at none."""

    name: Words
    place: Place = 0

    def __post_init__(self) -> None:
        requests.check_printable(self, "name")


class Begin(Params, frozen=True, kw_only=True):
    """Begin an evening. The port of ``table`` is ``null`` where it has none."""

    people: Annotated[list[Someone], Meta(max_length=PEOPLE, description="at most 20 people")] = []
    table: Table = Table()


class OfEvening(Params, frozen=True, kw_only=True):
    """An evening that is open."""

    evening: EveningNumber


class Come(OfEvening, frozen=True, kw_only=True):
    """Somebody comes, or changes the place."""

    name: Words
    place: Place = 0

    def __post_init__(self) -> None:
        requests.check_printable(self, "name")


class Go(OfEvening, frozen=True, kw_only=True):
    """Somebody goes."""

    name: Words


class Rota(OfEvening, frozen=True, kw_only=True):
    """Begin a series: ``wins``: the first to win so many has won it; ``count``: so many games are played."""

    games: Annotated[list[Words], Meta(min_length=1, max_length=20, description="1 to 20 names of games")]
    wins: Annotated[int, Meta(ge=0, le=99, description="0 to 99")] = 0
    count: Annotated[int, Meta(ge=0, le=99, description="0 to 99")] = 0


class Next(OfEvening, frozen=True, kw_only=True):
    """Play the next game with the people who are there. ``game``: its name; without one, that of the series."""

    game: Words | None = None
    options: dict[str, Any] = {}
    others: Annotated[list[Seat], Meta(max_length=6, description="at most 6 seats")] = []
    without: Annotated[list[Words], Meta(max_length=PEOPLE, description="at most 20 names")] = []
    chance: Chance | None = None
    practice: bool = False


class Follow(OfEvening, frozen=True, kw_only=True):
    """Be told of an evening; ``games``: watch its games, too, as a spectator."""

    games: bool = True


class OfGame(Params, frozen=True, kw_only=True):
    """A game that is open."""

    game: GameNumber


class Sit(OfGame, frozen=True, kw_only=True):
    """Take a seat, by its key."""

    seat: SeatNumber
    key: Key


class OfSeat(OfGame, frozen=True, kw_only=True):
    """A seat of a game."""

    seat: SeatNumber


class Watch(OfGame, frozen=True, kw_only=True):
    """Watch a game for some viewers: seats, and ``null`` for a spectator."""

    viewers: Annotated[list[Viewer], Meta(min_length=1, max_length=7, description="1 to 7 viewers")]
    since: Annotated[list[KnownNews], Meta(min_length=1, max_length=7, description="1 to 7 numbers")] | None = None
    """The number of the last news that each viewer knows; ``None`` for one that begins to watch."""


class Reply(OfGame, frozen=True, kw_only=True):
    """Reply to the open question for a seat."""

    reply: requests.AnyReply


class Again(OfGame, frozen=True, kw_only=True):
    """Look again at a move of a finished game. ``bot``: a built-in one; the best if none is named."""

    at: requests.Count
    bot: Words | None = None

    def __post_init__(self) -> None:
        requests.check_printable(self, "bot")


class Set(Params, frozen=True, kw_only=True):
    """Read how loud and how bright a table is, or set it; what is left out stays."""

    table: Annotated[
        str, Meta(pattern="^([0-9a-f]{16}|simulated)$", description="a board's 16 digits 0-9 and a-f, or simulated")
    ]
    volume: Volume = None
    mute: bool | None = None
    light: Light = None


class Say(OfGame, frozen=True, kw_only=True):
    """A tester's verb, for a simulated table."""

    verb: Words

    def __post_init__(self) -> None:
        requests.check_printable(self, "verb")


class Look(OfGame, frozen=True, kw_only=True):
    """Follow the lights of a game's table, or no more; ``line``: also the frames on its line."""

    on: bool = True
    line: bool = False


class Lean(OfGame, frozen=True, kw_only=True):
    """Lean over the hood of a place; 0: lean back."""

    place: Place


class Order(Struct, frozen=True, kw_only=True):
    """A command to a game."""

    game: int
    command: requests.Command


METHODS: Mapping[str, type[Params]] = {
    "hello": Hello,
    "ping": Nothing,
    "list": Overview,
    "play": Play,
    "resume": Resume,
    "sit": Sit,
    "rise": OfSeat,
    "watch": Watch,
    "reply": Reply,
    "again": Again,
    "evening": Begin,
    "come": Come,
    "go": Go,
    "series": Rota,
    "next": Next,
    "another": OfEvening,
    "close": OfEvening,
    "follow": Follow,
    "table": OfGame,
    "settings": Set,
    "lights": Look,
    "lean": Lean,
    "tester": Say,
    "quit": Nothing,
}
"""The parameters of each method; besides there are the commands of :mod:`tablier.play.requests`, with a game each."""
COMMANDS = requests.COMMANDS
NAMES = (*METHODS, *COMMANDS)


class Request(Struct, frozen=True):
    """A request as it is carried out."""

    id: int
    method: str
    params: Params | Order


class _Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: str
    id: Id
    params: dict[str, Any] = {}


def decode(line: bytes) -> Request:
    """Return a request. Raise :class:`Refusal`, with the request's number where that can be read."""
    try:
        value = parsed(line)
    except RequestError as error:
        raise Refusal(UNREADABLE, error.text) from None
    named = value.get("id") if isinstance(value, dict) else None
    id = named if type(named) is int and 0 <= named <= 1 << 31 else None
    try:
        envelope: _Envelope = typed(value, _Envelope, "a request")
    except RequestError as error:
        raise Refusal(INVALID, error.text, id=id) from None
    method, params = envelope.method, envelope.params
    if method not in NAMES:
        raise Refusal(
            UNKNOWN, "there is no method {seen}; methods: {methods}", id=id, seen=shown(method), methods=list(NAMES)
        )
    try:
        return Request(envelope.id, method, _params(method, params, envelope.id))
    except RequestError as error:
        raise Refusal(WRONG, error.text, id=id) from None


def _params(method: str, params: Json, id: int) -> Params | Order:
    if method in METHODS:
        found: Params = typed(params, METHODS[method], method)
        return found
    rest = {key: value for key, value in params.items() if key != "game"}
    for key in ("command", "n"):
        if key in rest:
            raise RequestError("{name} has no field {field}", name=method, field=repr(key))
    game = typed({"game": params["game"]} if "game" in params else {}, OfGame, method).game
    if method == "hint":
        rest["n"] = 1  # the keeper numbers the hints of a game itself
    return Order(game=game, command=typed({"command": method, **rest}, COMMANDS[method], method))


# -- what the keeper says ---------------------------------------------------------------------------------------------


def line_of(message: Json) -> bytes:
    """Return a message as it goes over the socket."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def result(id: int, value: Json) -> Json:
    """Return the answer to a request that was carried out."""
    return {"id": id, "result": value}


def refusal(error: Refusal) -> Json:
    """Return the answer to a request that was not."""
    return {"id": error.id, "error": {"code": error.code, "message": str(error), "data": error.text.to_json()}}


def notice(method: str, params: Json) -> Json:
    """Return what the keeper says without having been asked."""
    return {"method": method, "params": params}


def request(id: int, method: str, params: Json) -> Json:
    """Return a request."""
    return {"id": id, "method": method, "params": params}


def hello(token: str | None, *, beside: bool = False) -> Json:
    """Return the parameters of this version's hello."""
    said: Json = {"protocol": VERSION, "version": __version__, "code": fingerprint()}
    return {**said, **({"token": token} if token else {}), **({"beside": True} if beside else {})}


__all__ = [
    "COMMANDS",
    "LINE_MAX",
    "METHODS",
    "NAMES",
    "Again",
    "Begin",
    "Come",
    "Follow",
    "Go",
    "Hello",
    "Lean",
    "Look",
    "Next",
    "OfEvening",
    "OfGame",
    "OfSeat",
    "Order",
    "Overview",
    "Params",
    "Play",
    "Refusal",
    "Reply",
    "Request",
    "Resume",
    "Rota",
    "Say",
    "Set",
    "Sit",
    "Table",
    "Watch",
    "decode",
]
