"""Put into words why the table refuses a message, and what is wrong with one of its own."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tablier.texts import NOT_ALLOWED, Json, Text, text_from
from tablier_fw import wire, words

Field = tuple[Any, ...]
"""A field as :func:`tablier_fw.wire.field` declares it."""


AHEAD_S = 5.0
"""The seconds that an event's time may lie ahead of the table's clock, as far as that is known."""


def range_of(field: Field) -> str:
    """Return what a field's declaration allows, in figures; empty where every value of its type is allowed."""
    _, form, low, high, least, most, _ = field
    if form[0] == "*":
        count = f"{least}" if least == most else f"{least}–{most}"
        units = [_between(code, *bounds) for code, *bounds in zip(form[1:], *_each(form[1:], low, high), strict=True)]
        if not any(units):
            return count
        return f"{count} of " + ", ".join(unit or "any" for unit in units)
    if form[-1] == "s":
        between = _between("B", low, high)
        return between and f"each {between}"
    return _between(form, low, high)


def _each(form: str, low: Any, high: Any) -> tuple[list[Any], list[Any]]:
    lows = list(low) if isinstance(low, tuple) else [low] * len(form)
    highs = list(high) if isinstance(high, tuple) else [high] * len(form)
    return lows, highs


def _between(code: str, low: int, high: int | None) -> str:
    full = (1 << 8 * struct.calcsize("<" + code)) - 1
    high = full if high is None else high
    return "" if not low and high >= full else f"{low}–{high}"


def refusal(message: wire.Message, payload: bytes, field: int, reason: int) -> Text:
    """Return why the table does not take a message: its field, what it holds, what is allowed."""
    name = message.names[field] if field < len(message.names) else ""
    if reason == wire.SHORT:
        return Text("{message}: its payload ends before {field}", {"message": message.name, "field": name})
    if reason == wire.OLD:
        return Text("{message}: a newer question was asked already", {"message": message.name})
    if reason == wire.UNKNOWN:
        return Text("{message}: the table's firmware does not know it", {"message": message.name})
    if reason == wire.UNDUE:
        return Text("{message}: the open question does not wait for it", {"message": message.name})
    rule = words.RULES.get((message.name, name))
    if not name or (reason != wire.RANGE and (reason != wire.RULE or rule is None)):
        return Text("{message}: refused for reason {reason}", {"message": message.name, "reason": reason})
    args = {"message": message.name, "field": name, "value": _value(message, payload, field, "–")}
    if reason == wire.RULE and rule is not None:
        return _against(rule, args)
    args["allowed"] = range_of(message.fields[field])
    return Text("{message}: {field} is {value}, which the table does not take; allowed: {allowed}", args)


def _against(rule: str, args: Json) -> Text:
    return Text("{message}: {field} is {value}; {rule}", {**args, "rule": Text(rule)})


def misfit(message: wire.Message, values: Sequence[Any], fault: int) -> Text:
    """Return why a message cannot hold these values, as :class:`wire.WireError` says with ``fault``."""
    if fault < 0:
        args = {"message": message.name, "most": wire.MAX_PAYLOAD}
        return Text("{message}: a payload has at most {most} bytes", args)
    field, reason = fault >> 8, fault & 0xFF
    name, value = message.names[field], values[field]
    args = {"message": message.name, "field": name, "value": value.hex() if isinstance(value, bytes) else value}
    if reason == wire.RULE and (rule := words.RULES.get((message.name, name))) is not None:
        return _against(rule, args)
    args["allowed"] = range_of(message.fields[field]) or _size_of(message.fields[field])
    return Text("{message}: {field} is {value}; allowed: {allowed}", args)


def _size_of(field: Field) -> str:
    """Return what the type of a field allows, in figures."""
    _, form, *_ = field
    return f"{form[:-1]} × 0–255" if form[-1] == "s" else f"0–{(1 << 8 * struct.calcsize('<' + form)) - 1}"


def fault(message: wire.Message, payload: bytes, fault: int) -> Text:
    """Return what is wrong with a message of the table, as :meth:`wire.Message.fault` has found it."""
    field, reason = fault >> 8, fault & 0xFF
    name = message.names[field]
    if reason == wire.SHORT:
        return Text("it ends before {field}", {"field": name})
    seen = _value(message, payload, field, "cut off")
    return NOT_ALLOWED.of(field=name, seen=seen, allowed=range_of(message.fields[field]))


def unusable(body: Json) -> Text | None:
    """Return what makes a logged fault of a message that no question need be known for: its payload, or a time too far
    ahead of when it was heard; ``None`` if nothing does. What is wrong with one that only a newer program knows is what
    the log says."""
    if "heard" in body:
        ahead = datetime.fromisoformat(body["event"]["time"]) - datetime.fromisoformat(body["heard"])
        late = ahead.total_seconds() > AHEAD_S and body["what"] == body["event"]["event"]
        return text_from(body["why"]) if late else None
    message, payload = wire.BY_CODE.get(body["code"]), bytes.fromhex(body["payload"])
    if message is None:
        return text_from(body["why"]) if body["what"] == f"event 0x{body['code']:02x}" else None
    found = message.fault(payload)
    return fault(message, payload, found) if found >= 0 and body["what"] == message.name else None


def _value(message: wire.Message, payload: bytes, field: int, missing: str) -> Any:
    """Return what a field holds, as text; ``missing`` if the payload ends before it."""
    try:
        value = message.unpack(payload)[field]
    except (IndexError, struct.error):
        return missing
    return value.hex() if isinstance(value, bytes) else value
