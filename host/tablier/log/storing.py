"""The form in which entries are stored: what follows from others, or stands in every body of a kind, is left out.

A row says exactly what :class:`~tablier.log.chain.Row` says, in half the bytes. Whatever has no short form is stored in
full, as in logs of earlier formats; a log may hold both.

- The time is the number of microseconds since 1970, to base 36.
- A body is the letter of one of :data:`FORMS`, and what stands in its holes, a line each.
- Of the hash only the first bytes are stored, but for the last entry of each transaction, the first of a log and every
  64th from there, and those that people's keys follow from. The others follow from the entries before; what is stored
  still tells which one was changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, NamedTuple

from tablier.log.chain import Entry, canonical, damaged_by, read_body
from tablier.texts import Text, TextError

FORMS = {
    "a": '{"by":"%s","text":"%s"}',
    "b": '{"by":"%s","chance":"%s","text":"%s"}',
    "c": '{"by":"%s","salt":"%s","text":"%s"}',
    "d": '{"id":%s,"seats":%s,"what":"%s"}',
    "e": '{"event":"played","id":%s,"move":"%s","seat":%s}',
    "f": '{"event":"played","id":%s,"move":%s,"seat":%s}',
    "g": '{"event":"played","id":%s,"move":"%s","salt":"%s","seat":%s}',
    "h": '{"event":"answered","id":%s,"seat":%s,"yes":%s}',
    "i": '{"event":"picked","id":%s,"option":%s,"seat":%s}',
    "j": '{"event":"thrown","id":%s,"rank":%s,"seat":%s}',
    "k": '{"event":"done","id":%s,"seat":%s}',
    "l": '{"commitment":"%s","event":"locked","id":%s,"seat":%s}',
    "m": '{"choice":%s,"event":"opened","id":%s,"nonce":"%s","seat":%s}',
    "n": '{"commitment":"%s","event":"locked","id":%s,"place":%s,"time":"%s"}',
    "o": '{"choice":%s,"event":"opened","id":%s,"nonce":"%s","place":%s,"time":"%s"}',
    "p": '{"confidence":%s,"doubts":%s,"event":"landed","id":%s,"impacts":%s,"index":%s,"landing":%s,"low":"%s",'
    '"rim":"%s","time":"%s"}',
    "q": '{"event":"done","id":%s,"missed":%s,"place":%s,"time":"%s"}',
    "r": '{"event":"closed","id":%s,"landings":%s,"reason":%s,"time":"%s"}',
    "s": '{"event":"answered","id":%s,"place":%s,"time":"%s","yes":%s}',
    "t": '{"event":"picked","id":%s,"option":%s,"place":%s,"time":"%s"}',
    "u": '{"event":"picked","id":%s,"option":%s,"place":%s,"salt":"%s","time":"%s"}',
    "v": '{"event":"tallied","faces":"%s","id":%s,"kept":%s,"place":%s,"time":"%s"}',
    "w": '{"button":%s,"event":"pressed","id":%s,"place":%s,"time":"%s"}',
    "x": '{"event":"moved","id":%s,"index":%s,"time":"%s"}',
    "y": '{"commitment":"%s","event":"committed","id":%s,"place":%s,"roll":%s,"time":"%s"}',
    "z": '{"event":"revealed","id":%s,"nonce":"%s","place":%s,"time":"%s"}',
    "A": '{"bytes":"%s","id":%s}',
    "B": '{"event":"called","id":%s,"place":%s,"time":"%s"}',
}
"""Canonical JSON with holes, of strings and of other values, by the letter that stands for it. None that was released
is ever changed or removed."""

PART_BYTES = 4
WHOLE_AMONG = 64
"""One of this many consecutive entries at least has its whole hash."""
_WHOLE_BYTES = 32
_OF_KEYS = ("evening", "game")
"""The kinds of entries whose hashes are asked for by themselves."""
_EPOCH = datetime(1970, 1, 1)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_SHORT_TIME = re.compile("[1-9a-z][0-9a-z]{,10}").fullmatch
_FIELD = re.compile(r'"(\w+)":("?)%s')
_EVENT = re.compile(r'"event":"(\w+)"')


class _Form(NamedTuple):
    letter: str
    template: str
    fields: tuple[tuple[str, bool], ...]
    """The fields with a hole, each with whether that is one of a string."""


def _forms() -> dict[tuple[str | None, ...], list[_Form]]:
    """Return the forms of bodies by their event and their fields: those with the most strings first."""
    forms: dict[tuple[str | None, ...], list[_Form]] = {}
    for letter, template in FORMS.items():
        fields = tuple((name, bool(quote)) for name, quote in _FIELD.findall(template))
        event = _EVENT.search(template)
        names = [name for name, _ in fields] + ["event"] * bool(event)
        forms.setdefault((event and event[1], *sorted(names)), []).append(_Form(letter, template, fields))
    return forms


_BY_FIELDS = _forms()


class Body(NamedTuple):
    text: str
    """Its canonical JSON."""
    stored: str


def pack_body(body: dict[str, Any]) -> Body:
    """Return the texts of a body. Raise ``TypeError`` or ``ValueError`` for one that is no JSON."""
    event = body.get("event")
    for form in _BY_FIELDS.get((event if type(event) is str else None, *sorted(body)), ()):
        values = []
        for name, quoted in form.fields:
            value = body[name]
            if type(value) is str:
                text = encode_basestring_ascii(value)
                values.append(text[1:-1] if quoted else text)
            elif quoted:
                break
            else:
                values.append(str(value) if type(value) is int else canonical(value))
        else:
            return Body(form.template % tuple(values), form.letter + "\n".join(values))
    text = canonical(body)
    return Body(text, text)


CHANGED = Text("is not what was written")
"""Said of an entry."""


def unpack_body(stored: str) -> str:
    """Return the canonical JSON of a body. Raise ``ValueError`` for what is stored in no form."""
    template = FORMS.get(stored[:1])
    if template is None:
        return stored
    try:
        return template % tuple(stored[1:].split("\n"))
    except TypeError:
        raise TextError(CHANGED) from None


@lru_cache(64)
def pack_time(time: str) -> str:
    """Return a time as it is stored."""
    try:
        if not _TIME.fullmatch(time):
            return time
        since = datetime.fromisoformat(time[:-1]) - _EPOCH
    except ValueError:
        return time
    number, digits = since // timedelta(microseconds=1), ""
    while number > 0:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or time


@lru_cache(64)
def unpack_time(stored: str) -> str:
    """Return the time that is stored, in full."""
    if not _SHORT_TIME(stored):
        return stored
    seconds, microseconds = divmod(int(stored, 36), 1_000_000)
    return f"{_second(seconds)}.{microseconds:06}Z"


@lru_cache(64)
def _second(seconds: int) -> str:
    """Return a whole second, counted from the beginning of 1970."""
    return (_EPOCH + timedelta(seconds=seconds)).isoformat()


def pack_hash(n: int, kind: str, digest: bytes, *, last: bool) -> bytes:
    """Return what is stored of an entry's hash. ``last``: nothing more is written with it."""
    return digest if last or n % WHOLE_AMONG == 1 or kind in _OF_KEYS else digest[:PART_BYTES]


def is_whole(digest: object) -> bool:
    """Return whether all of a hash is stored."""
    return type(digest) is bytes and len(digest) == _WHOLE_BYTES


def read_entry(values: Sequence[Any]) -> Entry:
    """Return the entry that is stored. Raise ``ValueError`` for values that say nothing."""
    n, game, at, kind, body, boot, number, digest = values
    try:
        return Entry(n, game, unpack_time(at), kind, read_body(unpack_body(body)), digest.hex(), boot, number)
    except (TypeError, AttributeError) as error:  # of a file that somebody made
        raise TextError(damaged_by(error)) from None
