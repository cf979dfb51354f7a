"""Declarations of messages, each wrong in one number or operator: what the vectors of the wire must notice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.wire.clients.declared import WIDTHS, Json

INSTEAD = {
    "+": "&",
    "&": "|",
    "|": "&",
    ">>": "+",
    "<": "<=",
    "<=": "<",
    "==": "!=",
    "!=": "==",
    "and": "or",
    "or": "and",
}
Path = tuple[str | int, ...]


def bounds(field: Json) -> Iterator[tuple[Path, int, int]]:
    """Yield where the bounds of a field stand: path, least, and the greatest that its type could hold."""
    full = {code: (1 << 8 * size) - 1 for code, size in WIDTHS.items()} | {"bytes": 255}
    if "range" in field:
        yield ("range",), 0, full[field["type"]]
    for number, both in enumerate(field.get("ranges", ())):
        if both:
            yield ("ranges", number), 0, full[field["unit"][number]]
    if "count" in field:
        yield ("count",), 0, 255


def bent_bounds(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a message with each bound of its fields lower by one and higher by one, where that means something."""
    for number, field in enumerate(message["fields"]):
        for path, least, greatest in bounds(field):
            for end in (0, 1):
                for by in (-1, 1):
                    yield from _changed(message, ("fields", number, *path, end), by, least, greatest)


def bent_rules(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a message with each rule left out, each number in it changed by one, and each operator exchanged."""
    for number, rule in enumerate(message["rules"]):
        yield _with(message, ("rules", number, "test"), 1)
        yield from _bent_test(message, ("rules", number, "test"), rule["test"])


def bent_needs(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a message with each test of an ability that it needs changed in the same way."""
    for number, need in enumerate(message["needs"]):
        if "test" in need:
            yield _with(message, ("needs", number, "test"), 0)
            yield from _bent_test(message, ("needs", number, "test"), need["test"])


def bent_slot(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a message of desired state with the slot that it fills changed in the same way."""
    yield from _bent_test(message, ("slot",), message.get("slot", "none"))


def _bent_test(message: Json, path: Path, test: Any) -> Iterator[tuple[str, Json]]:
    if isinstance(test, int):
        for by in (-1, 1):
            yield from _changed(message, path, by, 0, 1 << 16)
    elif isinstance(test, list):
        if test[0] in INSTEAD:
            yield _with(message, (*path, 0), INSTEAD[test[0]])
        for number, operand in enumerate(test):
            yield from _bent_test(message, (*path, number), operand)


def bent_otherwise(message: Json) -> Iterator[tuple[str, Json]]:
    """Yield a message with each size and default changed by one, and each number of another width."""
    for number, field in enumerate(message["fields"]):
        if "size" in field:
            for by in (-1, 1):
                yield from _changed(message, ("fields", number, "size"), by, 1, 192)
        if isinstance(field.get("default"), int):
            for by in (-1, 1):
                yield from _changed(message, ("fields", number, "default"), by, 0, 255)
        widths = list(WIDTHS)
        for path, code in [
            (("type",), field["type"]),
            *((("unit", at), it) for at, it in enumerate(field.get("unit", ()))),
        ]:
            if code in widths:
                yield _with(message, ("fields", number, *path), widths[widths.index(code) - 1])


def _changed(message: Json, path: Path, by: int, least: int, greatest: int) -> Iterator[tuple[str, Json]]:
    value = _at(message, path) + by
    if least <= value <= greatest:
        yield _with(message, path, value)


def _with(message: Json, path: Path, value: Any) -> tuple[str, Json]:
    bent = json.loads(json.dumps(message))  # a copy in which no part stands in two places
    holder = _at(bent, path[:-1])
    what = f"{'.'.join(map(str, path))}: {holder[path[-1]]} → {value}"
    holder[path[-1]] = value
    return f"{message['name']} {what}", bent


def _at(message: Json, path: Path) -> Any:
    value: Any = message
    for part in path:
        value = value[part]
    return value
