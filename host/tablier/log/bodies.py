"""The bodies of entries, declared once: what each kind of entry holds, with exact types.

A log is read back as strictly as a message of the wire: no field is missing, none is unknown, ``true`` is not ``1``,
hexadecimal is lower-case and as long as it must be, a time is a time. The events of the table have the fields, with
the ranges, that :mod:`tablier_fw.wire` declares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, lru_cache
from struct import calcsize
from types import GenericAlias
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct

from tablier.log import evenings, replies
from tablier.log.chain import Entry
from tablier.texts import JOINS, Text, TextError
from tablier_fw import result, wire


class Type(NamedTuple):
    """A kind of value."""

    says: str
    """A description of the allowed values, for people."""
    allows: Callable[[Any], bool]
    form: Any = None
    """The same as a type of msgspec, where there is one."""


def _whole(low: int, high: int) -> Type:
    return Type(
        f"a number from {low} to {high}",
        lambda value: type(value) is int and low <= value <= high,
        Annotated[int, Meta(ge=low, le=high)],
    )


def _hex(least: int, most: int | None = None, unit: int = 1) -> Type:
    """``least`` to ``most`` units of a number of bytes each, in hexadecimal."""
    most = least if most is None else most
    form = re.compile(f"(?:[0-9a-f]{{{2 * unit}}}){{{least},{most}}}")
    says = f"{unit * least} to {unit * most} bytes"
    if least == most:
        form = re.compile(f"[0-9a-f]{{{2 * unit * least}}}")  # a third of the time
        says = f"{unit * least} bytes"
    return Type(
        f"{says} in lower-case hexadecimal",
        lambda value: isinstance(value, str) and form.fullmatch(value) is not None,
        Annotated[str, Meta(pattern=rf"^{form.pattern}\Z")],
    )


def _word(*words: str) -> Type:
    return Type(" or ".join(words), lambda value: isinstance(value, str) and value in words, Literal[words])


def _list(of: Type) -> Type:
    return Type(
        f"a list, each {of.says}",
        lambda value: isinstance(value, list) and all(map(of.allows, value)),
        None if of.form is None else GenericAlias(list, of.form),
    )


FIRST_YEAR, LAST_YEAR = 1970, 2199
"""The years of a log's times: no clock that is right says another, and calendars end somewhere."""


def nearest_time(time: str) -> str:
    """Return a time that a log can hold, as near as can be to one that a clock or a table says, right or wrong."""
    year = datetime.fromisoformat(time).year
    if year < FIRST_YEAR:
        return f"{FIRST_YEAR}-01-01T00:00:00.000+00:00"
    return f"{LAST_YEAR}-12-31T23:59:59.999+00:00" if year > LAST_YEAR else time


def _time(form: str, says: str) -> Type:
    pattern = re.compile(form, re.ASCII)

    def allows(value: Any) -> bool:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            return False
        try:
            return FIRST_YEAR <= datetime.fromisoformat(value).year <= LAST_YEAR
        except ValueError:
            return False

    return Type(f"{says}, of {FIRST_YEAR} to {LAST_YEAR}", allows)


STRING = Type("a string", lambda value: isinstance(value, str), str)
BOOL = Type("true or false", lambda value: type(value) is bool, bool)
OBJECT = Type("an object", lambda value: isinstance(value, dict), dict)
NUMBER = Type("a number", lambda value: type(value) in (int, float))
COUNT = _whole(0, (1 << 32) - 1)
ID = _whole(1, wire.MAX_ID)
SEAT = _whole(1, wire.PLACES)
ANY_SEAT = _whole(0, wire.PLACES)
"""A seat, or 0 for the person who keeps the log."""
SEATS = _list(SEAT)
SEAT_NAME = _word(*(f"p{seat}" for seat in range(1, wire.PLACES + 1)))
_BEAMS = calcsize(dict(result.FIELDS)["margins"])
_PERCENT = Type("0 to 100 or null", lambda value: value is None or (type(value) is int and 0 <= value <= 100))
MARGINS = Type(
    f"a list of {_BEAMS}, each {_PERCENT.says}",
    lambda value: isinstance(value, list) and len(value) == _BEAMS and all(map(_PERCENT.allows, value)),
)
LOST = Type("a number or null", lambda value: value is None or COUNT.allows(value))
PERSON = _hex(8)
SALT, NONCE, BOARD, BOOT, HASH = _hex(16), _hex(16), _hex(8), _hex(8), _hex(32)
SCORES = Type(
    "an object of numbers by seat",
    lambda value: isinstance(value, dict) and all(SEAT_NAME.allows(k) and NUMBER.allows(v) for k, v in value.items()),
)
LOGGED = _time(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", "a time such as 2026-01-31T20:15:00.000000Z")
"""The time at which an entry was logged."""
HEARD = _time(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", "a time such as 2026-01-31T20:15:00.000+00:00")
"""The time of an event at the table."""

Fields = Mapping[str, Type]
"""The fields of an object. A name that ends in ``?`` may be missing."""


def misfit(value: object, fields: Fields, where: str = "") -> str:
    """Return what is wrong with an object; an empty string if nothing is."""
    if not isinstance(value, dict):
        return f"{where or 'its body'} is {_shown(value)}; allowed: an object"
    known, wrong = 0, ""
    for name, type_ in fields.items():
        key = name.rstrip("?")
        if key in value:
            known += 1
            if not wrong and not type_.allows(value[key]):
                wrong = f"{where}{key} is {_shown(value[key])}; allowed: {type_.says}"
        elif name == key and not wrong:
            wrong = f"the field {where}{key} is missing"
    if known < len(value):
        unknown = min(value.keys() - {name.rstrip("?") for name in fields})
        return f"there is no field {where}{_shown(unknown)}"
    return wrong


class Shape(Struct, frozen=True):
    """Fields, in a form in which most objects are found to have them in a tenth of the time of :func:`misfit`."""

    struct: type[Struct]
    """Has all fields, those as anything whose type msgspec does not have."""
    others: tuple[tuple[str, Callable[[Any], bool]], ...]
    """Those."""

    @staticmethod
    def of(fields: Fields) -> Shape:
        forms: list[Any] = []
        others = []
        for name, (_, allows, form) in fields.items():
            key = name.rstrip("?")
            forms.append((key, Any if form is None else form, *([None] if name != key else [])))
            if form is None:
                others.append((key, allows))
        return Shape(msgspec.defstruct("Shape", forms, forbid_unknown_fields=True, kw_only=True), tuple(others))

    def fits(self, value: Mapping[str, Any]) -> bool:
        """Return True if nothing is wrong with an object."""
        try:
            msgspec.convert(value, self.struct)
        except msgspec.ValidationError:
            return False
        return not self.others or all(allows(value[key]) for key, allows in self.others if key in value)


def _is_argument(value: object) -> bool:
    """Return whether a value is what :meth:`tablier.texts.Text.to_json` makes of an argument."""
    if isinstance(value, list):
        return all(map(_is_argument, value))
    if not isinstance(value, dict):
        return isinstance(value, str | int | float)
    form = next((form for key, form in _FORMS.items() if key in value), TEMPLATE)
    return not misfit(value, form)


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a huge number"
    return text if len(text) <= 60 else f"{text[:60]}…"


_ARGUMENTS = Type(
    "an object of arguments", lambda value: isinstance(value, dict) and all(map(_is_argument, value.values()))
)
_LISTED = Type("a list of arguments", lambda value: isinstance(value, list) and _is_argument(value))
TEMPLATE: Fields = {"text": STRING, "args": _ARGUMENTS, "context?": STRING, "one?": STRING}
"""A text, also of a number of things, in both its forms."""
_FORMS: dict[str, Fields] = {
    "seat": {"seat": ANY_SEAT},
    "list": {"list": _LISTED, "join": _word(*JOINS)},
    "move": {"actor": STRING, "move": STRING},
}
"""By the key that tells them apart: arguments of a text that are no text themselves."""
TEXT = Type("a template with its arguments", lambda value: not misfit(value, TEMPLATE))


def _object(fields: Fields) -> Type:
    return Type("an object with " + ", ".join(fields), lambda value: not misfit(value, fields))


# -- the table's events -------------------------------------------------------------------------------------------


def _of_wire(field: tuple[Any, ...]) -> Type:
    """Return the type of a field of a message as it is logged: bytes in hexadecimal."""
    _, form, low, high, least, most, _ = field
    if form[0] == "*":
        return _hex(least, most, calcsize("<" + form[1:]))
    if form[-1] == "s":
        return _hex(int(form[:-1]))
    return _whole(low, (1 << 8 * calcsize("<" + form)) - 1 if high is None else high)


HELLO: Fields = {
    "event": STRING,
    "board": BOARD,
    "boot": BOOT,
    "version": STRING,
    "by_claim?": TEXT,
    "port?": STRING,
    "margins?": MARGINS,
}
"""``margins``: by beam, as the table's last self-test has measured it."""
_SALTED = (wire.TALLIED, wire.PICKED)
EVENTS: dict[str, Fields] = {
    message.name: {
        "event": STRING,
        "time": HEARD,
        **{field[0]: _of_wire(field) for field in message.fields if field[0] not in ("number", "time")},
        **({"salt?": SALT} if message in _SALTED else {}),
    }
    for message in wire.MESSAGES
    if message.group == wire.EVENT and message.way == wire.TO_HOST
}
"""The fields of every event by its name."""

# -- all kinds of entries --------------------------------------------------------------------------------------------

_PLACED: Fields = {"place": _whole(0, wire.PLACES), "source": STRING}
_NAMED: Fields = {"name": STRING, **_PLACED, "simulated?": STRING}
_PERSONAL: Fields = {"person": PERSON, "named": HASH, **_PLACED}
BY_PEOPLE = ("table", "screen")
"""The sources of a seat that a person has, unless one at the table is simulated."""
SEATED = Type(
    "the seat of a person (person, named, place, source)"
    " or of a bot or a simulated person (name, place, source, simulated)",
    lambda value: not misfit(value, _PERSONAL if isinstance(value, dict) and "person" in value else _NAMED),
)
"""A seat with which a game begins."""
SEATED_BY_ID = Type(
    SEATED.says,
    lambda value: (
        SEATED.allows(value) and ("person" in value) == (value["source"] in BY_PEOPLE and "simulated" not in value)
    ),
)
"""A seat whose person is named by id: names stand beside the chain."""
_SECONDS = Type("0 to 60 seconds", lambda value: NUMBER.allows(value) and 0 <= value <= 60)
VERSIONS: Fields = {"rules": COUNT, "script": COUNT}
_MOVE: Fields = {"text": STRING, "by": STRING, "chance?": _word("host"), "salt?": SALT}
"""``chance``: what decided the part of a seat's move that its seat does not, as how a card lands without an arena."""
END: Fields = {"scores": SCORES, "winners": _list(SEAT_NAME), "unrevealed?": COUNT}
KINDS: dict[str, Fields] = {
    "game": {
        "game": STRING,
        "options": OBJECT,
        "seats": _list(SEATED_BY_ID),
        "schema": COUNT,
        "versions": _object(VERSIONS),
        "practice": BOOL,
        "evening?": COUNT,
        "series?": COUNT,
        "prelude?": Type("true", lambda value: value is True),
        "chance?": _object({"dice": _list(STRING), "bag": STRING, "version": COUNT}),
    },
    "seed": {"seed": HASH, "heading": HASH},
    "run": {"run": BOOT},
    "sits": {"seat": SEAT, "source": STRING, "by": ANY_SEAT, "why?": TEXT, "person?": PERSON},
    "contribution": {"id": ID, "bytes": NONCE},
    "gap": {"boot": BOOT, "after": COUNT, "lost": LOST},
    "void": {"id": ID, "why": STRING, "seats?": SEATS},
    "request": {"to": COUNT, "seat": SEAT},
    "correction": {"at": COUNT, "move": STRING, "seat": ANY_SEAT},
    "dispute": {"at": COUNT, "text": STRING, "seat": ANY_SEAT},
    "mistake": {"seat": SEAT},
    "pause": {"seat": ANY_SEAT, "ends?": Type("true", lambda value: value is True)},
    "call": {"seat": SEAT},
    "elapsed": {"id": ID},
    "shown": {"another?": Type("true", lambda value: value is True)},
    "ask": {"id": ID, "what": STRING, "seats": SEATS},
    "prelude": _MOVE,
    "begins": {"options": OBJECT},
    "move": _MOVE,
    "takeback": {"to": COUNT, "by": ANY_SEAT, "agreed": SEATS},
    "end": END,
    evenings.ABANDONED: {},
    "aborted": {"id": ID, "rolls?": COUNT},
    "source": {"dice": _list(STRING), "bag": STRING},
    "note": {"kind": _word("judge"), **TEMPLATE},
    "warning": {"what": STRING, "why": TEXT, "boot?": BOOT, "counts?": _list(COUNT)},
    "reveal": {"by": STRING},
    "since": {"lost?": COUNT, "rolls?": COUNT},
    "ids": {"to": COUNT},
    "evening": {"evening": COUNT, "table": STRING, "quiet_s?": _SECONDS, "pace_s?": _SECONDS},
    "came": {"evening": COUNT, "person": PERSON, "place": _whole(0, wire.PLACES)},
    "went": {"evening": COUNT, "person": PERSON},
    "key": {"evening": COUNT, "person": PERSON},
    "organiser": {"evening": COUNT, "person": PERSON, "on": BOOL},
    "door": {"evening": COUNT, "open": BOOL},
    "series": {"evening": COUNT, "series": COUNT, "games": _list(STRING), "wins": COUNT, "count": COUNT},
    "closed": {"evening": COUNT, "ends?": Type("true", lambda value: value is True)},
}
"""The fields of every kind of entry, but for those of :data:`_VARIED` and of replies (:mod:`tablier.log.replies`)."""


OF_NO_GAME = frozenset(("ids", *evenings.KINDS))
"""The kinds of entries that belong to no game; all others belong to one."""
_OF_EVENTS = ("fault", "since", "table")


def _table(body: Mapping[str, Any]) -> Fields | None:
    event = body.get("event")
    return HELLO if event == "hello" else EVENTS.get(event) if isinstance(event, str) else None


def _fault(body: Mapping[str, Any]) -> Fields:
    said: Fields = {"what": STRING, "why": TEXT}
    if "payload" in body:
        return {**said, "code": _whole(0, 255), "payload": _hex(0, wire.MAX_PAYLOAD)}
    event = body.get("event")
    fields = (_table(event) if isinstance(event, dict) else None) or {}
    return {**said, "event": _object(fields), "heard?": HEARD}


_VARIED: dict[str, Callable[[Mapping[str, Any]], Fields | None]] = {"table": _table, "fault": _fault}


@cache
def _shape_of(kind: str) -> Shape:
    """Return the shape of a kind, which is made when the first such entry is looked at: most programs read none."""
    return Shape.of(KINDS[kind])


_is_logged = lru_cache(64)(LOGGED.allows)
"""Remembers times: the entries of a transaction have the same."""


def check(entry: Entry) -> None:
    """Raise ``ValueError``, saying what is wrong, for an entry that no program of this version writes."""
    if type(entry.at) is not str or not _is_logged(entry.at):
        raise TextError("is dated {at}; allowed: {says}", at=_shown(entry.at), says=LOGGED.says)
    kind, body = entry.kind, entry.body
    if kind in replies.KINDS:
        wrong = replies.misfit(kind, body)
    elif kind in KINDS and _shape_of(kind).fits(body):
        wrong = ""
    else:
        fields = _VARIED[kind](body) if kind in _VARIED else KINDS.get(kind)
        wrong = None if fields is None else misfit(body, fields)
    if wrong is None:
        event = _shown(body.get("event", ""))
        raise TextError("is of no known kind: {kind} {event}", kind=_shown(kind), event=event)
    if wrong:
        raise TextError("is not what this program writes: {wrong}", wrong=wrong)
    if entry.boot is not None or kind in _OF_EVENTS:
        _check_boot(entry)
    if (kind in OF_NO_GAME) != (entry.game is None):
        raise wrong_game(entry)


def wrong_game(entry: Entry) -> TextError:
    """Return the error of an entry that is of a game and must not be, or the other way round."""
    return TextError("is {kind} of game {game}", kind=entry.kind, game=str(entry.game))


def _check_boot(entry: Entry) -> None:
    """Raise ``ValueError`` unless an entry comes from an event of a table where its kind says so, and only there."""
    comes = entry.kind in ("fault", "since") or (entry.kind == "table" and entry.body["event"] != "hello")
    if comes != (entry.boot is not None):
        raise TextError(Text("has no number of an event") if comes else Text("has the number of an event"))
    if entry.boot is not None and not BOOT.allows(entry.boot):
        raise TextError("comes from boot {boot}; allowed: {says}", boot=_shown(entry.boot), says=BOOT.says)
