"""The replies of screens, decoded once and exactly before anything else sees them.

A reply is a JSON object. Every field has one type and one range (``1`` is no ``"1"`` and no ``true``). An unknown field
is refused like a missing one. :func:`reply_of` returns one value a kind, or raises :class:`RequestError`, whose text
names the field, what it holds and what is allowed. :func:`parsed` and :func:`typed` do the same for any JSON text and
any declaration.
"""

from __future__ import annotations

import json
import math
import re
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct

from tablier.games.core import shown
from tablier.log.replies import REPLIES, AnyReply, SeatReply, tag_of
from tablier.messages import learn
from tablier.texts import NOT_ALLOWED, Json, TextError

_INTEGER_DIGITS = 400


class RequestError(TextError):
    """A request that cannot be read, or that its sender has no right to. Nothing has changed."""


def reply_of(body: object) -> SeatReply:
    """Return a reply. Raise :class:`RequestError`."""
    reply: SeatReply = typed(body, AnyReply)
    return reply


# -- decoding --------------------------------------------------------------------------------------------------------

T = TypeVar("T")
_WRONG = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<path>.*?)`)?", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_STEP = re.compile(r"\.(?P<name>\w+)|\[(?P<number>\d+)\]")


def parsed(line: bytes) -> object:
    """Return the JSON value that a line of text holds. Raise :class:`RequestError`.

    A doubled key is refused, and so is what JSON does not know but Python's decoder does: NaN, infinity.
    """
    try:
        return json.loads(
            line.decode(), object_pairs_hook=_once, parse_constant=_refuse, parse_int=_whole, parse_float=_finite
        )
    except RequestError:
        raise
    except UnicodeDecodeError as error:
        raise RequestError("byte {at} of this line is not UTF-8", at=error.start + 1) from None
    except RecursionError:
        raise RequestError("this line is nested too deeply") from None
    except ValueError as error:
        raise RequestError("this line is not JSON: {why}", why=str(error)) from None


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise RequestError("{field} stands twice", field=shown(next(name for name in names if names.count(name) > 1)))
    return found


def _refuse(constant: str) -> Any:
    raise RequestError("this line is not JSON: {seen} is not a number", seen=constant)


def _whole(digits: str) -> int:
    if len(digits) > _INTEGER_DIGITS:
        raise RequestError("a number of {count} digits is too long", count=len(digits))
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise RequestError("{seen} is too large a number", seen=digits[:40])
    return number


def typed(value: object, kind: Any, name: str = "this") -> Any:
    """Return a JSON value as the type that it has to be. Raise :class:`RequestError`.

    ``kind``: what :func:`msgspec.convert` takes; the description in a field's ``Meta`` says what is allowed there.
    ``name``: what an object without a tag of its own is called.
    """
    try:
        if not _is_whole(value):
            _check_characters(value, "")
        learn(kind)
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        raise _explained(str(error), value, kind, name) from None
    except RecursionError:
        raise RequestError("{name} is nested too deeply", name=name) from None


def _is_whole(value: object) -> bool:
    """Return whether a value is JSON of whole characters; false where that is not known."""
    try:
        msgspec.json.encode(value)
    except (ValueError, TypeError):
        return False
    return True


def _check_characters(value: object, field: str) -> None:
    """Refuse half of a surrogate pair, which JSON can escape: no UTF-8 can hold it."""
    if isinstance(value, str):
        if not value.isascii() and _HALF.search(value):
            raise RequestError("{field} is {seen}; allowed: whole characters", field=field or "text", seen=shown(value))
    elif isinstance(value, dict):
        for key, each in value.items():
            inner = f"{field}.{key if key.isidentifier() and len(key) <= 40 else shown(key)}".lstrip(".")
            _check_characters(key, inner)
            _check_characters(each, inner)
    elif isinstance(value, list):
        for at, each in enumerate(value):
            _check_characters(each, f"{field}[{at}]")


def _explained(error: str, value: Any, kind: Any, name: str) -> RequestError:
    """Return what is wrong with a value in our words: what was seen, where, and what is allowed."""
    found = _WRONG.fullmatch(error)
    assert found is not None
    what, path = found["what"], found["path"] or ""
    field = path.lstrip(".")
    for step in _STEP.finditer(path):
        kind = _inside(_oftag_of(kind, value), step)
        try:
            value = value[step["name"] or int(step["number"])]
        except (KeyError, IndexError, TypeError):
            break
    named = re.search(r"`(.*)`$", what, re.DOTALL)
    if what.startswith("printable") and named:
        kind, value = _inside(_oftag_of(kind, value), named[1]), value[named[1]]
        field = f"{field}.{named[1]}".lstrip(".")
    elif named and "field" in what:
        owner = _oftag_of(kind, value)
        tag = _tag_field(owner)
        said = (value.get(tag) if tag and isinstance(value, dict) else None) or field or name
        if "missing" in what and _tags(kind) and named[1] == tag:
            field = f"{field}.{named[1]}".lstrip(".")
            return _not_allowed(field, None, _tags(kind))
        lacks = "{name} lacks its field {field}" if "missing" in what else "{name} has no field {field}"
        return RequestError(lacks, name=said, field=shown(named[1]))
    if not field:
        return RequestError("a request is a JSON object, not {seen}", seen=shown(value))
    allowed = _allowed(kind) or what.removeprefix("Expected ").replace("`", "")
    if value in ("", [], {}):
        return RequestError("{field} is empty; allowed: {allowed}", field=field, allowed=allowed)
    return _not_allowed(field, value, allowed)


def _not_allowed(field: str, value: object, allowed: object) -> RequestError:
    return RequestError(NOT_ALLOWED.of(field=field, seen=shown(value), allowed=allowed))


def _members(kind: Any) -> list[Any]:
    """Return the structs that a type may be."""
    if get_origin(kind) is Annotated:
        return _members(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return [member for each in get_args(kind) for member in _members(each)]
    return [kind] if isinstance(kind, type) and issubclass(kind, Struct) else []


def _tag_field(kind: Any) -> str:
    return (kind.__struct_config__.tag_field or "") if isinstance(kind, type) and issubclass(kind, Struct) else ""


def _tags(kind: Any) -> list[str]:
    """Return the tags of a union."""
    members = _members(kind)
    return [tag_of(each) for each in members] if len(members) > 1 else []


def _oftag_of(kind: Any, value: Any) -> Any:
    """Return the struct of a union that a value's tag names, else the first."""
    members = _members(kind)
    for each in members:
        if len(members) > 1 and isinstance(value, dict) and value.get(_tag_field(each)) == tag_of(each):
            return each
    return members[0] if members else kind


def _inside(kind: Any, step: re.Match[str] | str) -> Any:
    """Return the type of a field of a struct, or of what is in a list."""
    name = step if isinstance(step, str) else step["name"]
    if name is not None and isinstance(kind, type) and issubclass(kind, Struct):
        if name == _tag_field(kind):
            return Annotated[str, Meta(description=" or ".join(_siblings(kind)))]
        return next((each.type for each in msgspec.structs.fields(kind) if each.encode_name == name), None)
    if get_origin(kind) is Annotated:
        return _inside(get_args(kind)[0], step)
    return get_args(kind)[0] if get_origin(kind) is list else None


def _siblings(kind: type[Struct]) -> list[str]:
    """Return the tags of a struct's kind: those of all that have its tag's field."""
    return [tag_of(each) for each in REPLIES.values() if _tag_field(each) == _tag_field(kind)]


def _allowed(kind: Any) -> str:
    """Return what a type's declaration says is allowed; an empty string if it says nothing."""
    said = [
        each.description for each in getattr(kind, "__metadata__", ()) if isinstance(each, Meta) and each.description
    ]
    if said:
        return said[0] or ""
    if get_origin(kind) in (Union, UnionType):
        each = ["null" if member is NoneType else _allowed(member) for member in get_args(kind)]
        return " or ".join(each) if all(each) else ""
    return ""
