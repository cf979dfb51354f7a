"""Why the table refuses a message, and what of an event cannot be, in words."""

from __future__ import annotations

import struct
from typing import Any

from tablier_fw import wire, words

Field = tuple[Any, ...]
"""A field as :func:`tablier_fw.wire.field` declares it."""


def range_of(field: Field) -> str:
    """What a field's declaration allows, in words; empty where every value of its type is allowed."""
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


def refusal(message: wire.Message, payload: bytes, field: int, reason: int) -> str:
    """Return in one line why a message is not taken: its field, what it holds, what is allowed."""
    name = message.names[field] if field < len(message.names) else ""
    if reason == wire.SHORT:
        return f"{message.name}: its payload ends before {name}"
    if reason == wire.OLD:
        return f"{message.name}: a newer question was asked already"
    if reason == wire.UNKNOWN:
        return f"{message.name}: the table's firmware does not know it"
    if reason == wire.UNDUE:
        return f"{message.name}: the open question does not wait for it"
    if reason not in (wire.RANGE, wire.RULE) or not name:
        return f"{message.name}: refused for reason {reason}"
    try:
        value = message.unpack(payload)[field]
    except (IndexError, struct.error):
        value = "missing"
    seen = value.hex() if isinstance(value, bytes) else value
    if reason == wire.RULE:
        return f"{message.name}: {name} is {seen}; {words.RULES[message.name, name]}"
    return (
        f"{message.name}: {name} is {seen}, which the table does not take; allowed: {range_of(message.fields[field])}"
    )


def told(message: wire.Message, payload: bytes, fault: int) -> str:
    """Return in one line what is wrong with a message of the table, as :meth:`wire.Message.fault` has found it."""
    field, reason = fault >> 8, fault & 0xFF
    name = message.names[field]
    if reason == wire.SHORT:
        return f"it ends before {name}"
    try:
        value = message.unpack(payload)[field]
    except (IndexError, struct.error):
        value = "cut off"
    seen = value.hex() if isinstance(value, bytes) else value
    return f"{name} is {seen}; there is only {range_of(message.fields[field])}"
