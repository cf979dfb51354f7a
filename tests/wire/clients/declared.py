"""Read ``firmware/protocol.json`` for the generators: the order of a payload's fields, and rules as code."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]
WIDTHS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
SHORT, RANGE, RULE = 1, 2, 3


class Run(NamedTuple):
    """Fields that are checked together: all must be there, then each in its range. ``later``: the payload may end
    before them."""

    later: bool
    fields: list[tuple[int, Json]]
    row: tuple[int, Json] | None
    """The row that follows."""


def runs(message: Json) -> Iterator[Run]:
    """Return how a payload is read: runs of numbers, each with the row behind it, if one follows."""
    later = False
    fields: list[tuple[int, Json]] = []
    for number, field in enumerate(message["fields"]):
        if "default" in field and fields:
            yield Run(later, fields, None)
            fields = []
        later = "default" in field
        if field["type"] == "row":
            yield Run(later, fields, (number, field))
            fields = []
        else:
            fields.append((number, field))
            if later:
                yield Run(later, fields, None)
                fields = []
    if fields:
        yield Run(later, fields, None)


def width(field: Json) -> int:
    """Return the bytes of a field that is no row, or of a row's unit."""
    if field["type"] == "row":
        return sum(WIDTHS[code] for code in field["unit"])
    return field["size"] if field["type"] == "bytes" else WIDTHS[field["type"]]


def bounds(field: Json) -> list[tuple[int, int, int]]:
    """Return the ranges of a row's unit that exclude something: (number in the unit, least, greatest)."""
    return [(at, *both) for at, both in enumerate(field.get("ranges", [])) if both]


def camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def bits_of(doc: Json, names: list[str]) -> int:
    """Return abilities as bits."""
    return sum(1 << bit for bit, ability in enumerate(doc["constants"]["abilities"]) if ability["name"] in names)


def needed(doc: Json, message: Json) -> tuple[int, list[tuple[int, Any]]]:
    """Return the abilities that a message needs as bits, and for each that only some contents need its bit and test."""
    some = [(bits_of(doc, [need["ability"]]), need["test"]) for need in message["needs"] if "test" in need]
    return bits_of(doc, message["abilities"]), some


class Rules:
    """Puts a rule into a language: ``leaf(what, field)`` is its text for ``value``, ``count``, ``max`` of a field,
    ``byte`` with an index; ``compare`` makes a number of a comparison."""

    def __init__(self, message: Json, leaf: Callable[..., str], compare: str, listed: Callable[[list[int], str], str]):
        self._fields = {field["name"]: field for field in message["fields"]}
        self._leaf, self._compare, self._listed = leaf, compare, listed

    def code(self, rule: Any, index: int = 0) -> str:
        if rule == "i":
            return str(index)
        if isinstance(rule, int):
            return str(rule)
        if isinstance(rule, str):
            return self._leaf("value", self._fields[rule])
        operator, *operands = rule
        if operator in ("count", "max"):
            return self._leaf(operator, self._fields[operands[0]])
        if operator == "byte":
            return self._leaf("byte", self._fields[operands[0]], self.code(operands[1], index))
        if operator == "at":
            return self._listed(operands[0], self.code(operands[1], index))
        if operator == "all":
            return "(" + " & ".join(self.code(operands[1], at) for at in range(operands[0])) + ")"
        one, other = (self.code(operand, index) for operand in operands)
        if operator in ("and", "or"):
            return f"({one} {'&' if operator == 'and' else '|'} {other})"
        if operator in ("+", "-", "&", "|", ">>"):
            return f"({one} {operator} {other})"
        return self._compare.format(f"{one} {operator} {other}")
