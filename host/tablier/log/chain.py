"""Entries of the log, and the chain that holds them together."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from json import JSONDecodeError, JSONEncoder, loads
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from tablier.texts import Failure, Text, TextError, Unsound, counted

T = TypeVar("T")
_NO_OBJECT = Text("is damaged (its body is no object)")
GENESIS = bytes(32)
"""Stands for the hash before the first entry."""


class Point(NamedTuple):
    """An entry of a chain: all that comes before it follows from its hash."""

    n: int
    hash: bytes


START = Point(0, GENESIS)
"""The point before the first entry."""


SINCE = "since"
"""The kind of an entry whose cursor says up to which event a boot of the table has been logged elsewhere."""


class LogError(Failure):
    """A log that cannot be opened, read or written; the text is one line: file, what, what to do."""


def damaged_by(error: Exception) -> Text:
    """Return what is said of an entry that gives an error when it is read."""
    return Text("is damaged ({error})", {"error": str(error)})


OF_ENTRY = Text("entry {n} {why}")


def entries_text(count: int) -> Text:
    """Return a number of entries."""
    return counted(count, "{count} entry", "{count} entries")


class LogUnsound(LogError, Unsound):
    """A log that is not what was written."""


class Entry(Struct, frozen=True, gc=False):
    """One thing that happened."""

    n: int
    """The number of the entry, from 1, without gaps."""
    game: int | None
    at: str
    """The time of logging: UTC, ISO 8601, to the microsecond."""
    kind: str
    body: dict[str, Any]
    hash: str
    """In hexadecimal, as far as it is stored (:mod:`tablier.log.storing`)."""
    boot: str | None = None
    """With ``number``: it comes from event ``number`` of that boot of the table."""
    number: int | None = None


class Row(NamedTuple):
    """An entry with the text of its body, as the chain hashes it."""

    n: int
    game: int | None
    at: str
    kind: str
    body: str
    """The canonical JSON of the body."""
    boot: str | None
    """With ``number`` the cursor: the entry comes from event ``number`` of that boot of the table."""
    number: int | None


Columns = tuple[int, int | None, str, str, str, str | None, int | None]
"""Those of a :class:`Row`, or one."""


def _refuse_float(text: str) -> float:
    raise ValueError(text)


_decode = msgspec.json.Decoder().decode
_decode_exactly = msgspec.json.Decoder(float_hook=_refuse_float).decode
"""Leaves floats to Python, which spells some otherwise."""
_encode = msgspec.json.Encoder(order="sorted").encode


def read_body(text: str) -> dict[str, Any]:
    """Return the body whose JSON is given. Raise ``TypeError`` or ``ValueError`` where it is none."""
    try:
        body = _decode(text)
    except (ValueError, TypeError, RecursionError):
        return _read_slowly(text)
    if type(body) is not dict:
        raise TextError(_NO_OBJECT)
    return body


def read_canonical(text: str) -> dict[str, Any]:
    """Return the body whose canonical JSON is given. Raise ``TypeError`` or ``ValueError`` where it is none: where a
    key stands there twice, say."""
    try:
        body: dict[str, Any] = _decode_exactly(text)
    except (ValueError, TypeError, RecursionError):
        body = _read_slowly(text)
        same = _is_spelt(body, text)
    else:
        if type(body) is not dict:
            raise TextError(_NO_OBJECT)
        if "\\" in text or "\x7f" in text or not text.isascii():
            same = _is_spelt(body, text)
        else:
            same = _encode(body) == text.encode()
    if not same:
        raise TextError("is not written as a log writes it")
    return body


def _is_spelt(body: dict[str, Any], text: str) -> bool:
    """Return whether a text is the canonical JSON of a body."""
    try:
        return canonical(body) == text
    except (ValueError, RecursionError):  # no number, or nested too deeply
        return False


def _read_slowly(text: str) -> dict[str, Any]:
    """Return a body as Python reads it: what is no JSON to others, and floats."""
    try:
        body = loads(text)
    except (JSONDecodeError, RecursionError) as error:
        raise TypeError(error) from None
    if not isinstance(body, dict):
        raise TextError(_NO_OBJECT)
    return body


def decoded(decoder: msgspec.json.Decoder[T], text: str) -> T:
    """Return what the JSON of a row beside the chain says. Raise ``ValueError`` where it is none of that kind."""
    try:
        return decoder.decode(text)
    except msgspec.DecodeError:  # also of half a pair of surrogates, as a name from a command line may have
        return msgspec.convert(loads(text), decoder.type)


COLUMNS = ", ".join((*Row._fields, "hash"))
"""The columns of a stored entry, as SQL lists them."""


class Order:
    """Checks between the entries of a log, whatever they say: a chain can be forged as a whole, but what no log
    holds is refused all the same."""

    def __init__(self, games: int = 0, last_of: Callable[[str | None], int] = lambda boot: 0) -> None:
        """For the entries after some: ``games`` have begun in those, and ``last_of`` returns the number of the last
        event of a boot in them."""
        self._games = games
        self._last_of = last_of
        self._cursors: dict[str | None, int] = {}

    def check(self, kind: str, game: int | None, boot: str | None, number: int | None) -> None:
        """Raise ``ValueError`` for an entry that cannot follow those that were checked before."""
        begins = kind == "game"
        games = self._games = self._games + begins
        if (begins and game != games) or (game is not None and not 1 <= game <= games):
            raise TextError("is of game {game}, but {games} have begun", game=str(game), games=games)
        if number is not None:
            last = self._cursors[boot] if boot in self._cursors else self._last_of(boot)
            if number <= last or (number > last + 1 and kind != SINCE):
                text = "is event {number} of boot {boot}, out of order"
                raise TextError(text, number=number, boot=str(boot))
            self._cursors[boot] = number


canonical = JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
"""The one JSON text of a value: ASCII, keys sorted, no spaces. Raises ``TypeError`` or ``ValueError`` for others."""


def same_json(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return True if two values that were read from JSON, or could be, have the same text: ``1`` is not ``true``."""
    return one == other and _encode(one) == _encode(other)


def digest_of(head: dict[str, Any], seed: str) -> str:
    """Return the SHA-256 of a seed and the entry with which its game begins."""
    return sha256(bytes.fromhex(seed) + canonical(head).encode()).hexdigest()


def _json(column: object) -> str:
    # An encoder of its own for each column would take a tenth of the time of a move.
    if type(column) is str:
        return encode_basestring_ascii(column)
    return str(column) if type(column) is int else "null" if column is None else canonical(column)


def link(previous: bytes, row: Columns) -> bytes:
    """Return the hash of a row that follows an entry with the hash ``previous``.

    It is SHA-256 of the previous hash (32 bytes) and the text ``[n,game,at,kind,body]``, canonical JSON in which the
    body stands byte for byte as it is stored; an entry with a cursor has ``[boot,number]`` as a sixth element. Raises
    ``TypeError`` when a column has a type that none of JSON's is.
    """
    n, game, at, kind, body, boot, number = row
    event = "" if boot is None and number is None else f",[{_json(boot)},{_json(number)}]"
    if type(n) is type(game) is int and type(at) is type(kind) is str:  # as of nearly all
        text = f"[{n},{game},{encode_basestring_ascii(at)},{encode_basestring_ascii(kind)},{body}{event}]"
    else:
        text = f"[{_json(n)},{_json(game)},{_json(at)},{_json(kind)},{body}{event}]"
    return sha256(previous + text.encode()).digest()
