"""Payloads that stand at the edges of what a message's declaration allows, and just beyond them.

They are found from the declarations alone, so that a field or a rule that is added has them, too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any

from tests.wire.clients.interpreter import Message as Interpreted
from tests.wire.declarations import Json, plain
from tests.wire.wire_cases import Noise, value_in, values_in

from tablier_fw import wire

Values = tuple[Any, ...]
Bound = tuple[int, int, int]
"""A field, the number in its unit (``COUNT``: how many units), and the value at the bound."""
COUNT = -1


def numbers_of(field: Values) -> list[tuple[str, int, int]]:
    """Return the numbers of a field, of a unit of a row, or the byte of a string: type, least, greatest."""
    _, form, low, high, *_ = field
    codes = form[1:] if form[0] == "*" else "B" if form[-1] == "s" else form
    lows = low if isinstance(low, tuple) else (low,) * len(codes)
    highs = high if isinstance(high, tuple) else (high,) * len(codes)
    full = [_full(code) for code in codes]
    return [
        (code, at, top if most is None else most) for code, at, most, top in zip(codes, lows, highs, full, strict=True)
    ]


def _full(code: str) -> int:
    return int((1 << 8 * struct.calcsize("<" + code)) - 1)


# -- at the bounds -------------------------------------------------------------------------------------------------


def bounds_of(message: wire.Message) -> set[Bound]:
    """Return all bounds of a message; a string of any bytes has none."""
    found = set()
    for index, field in enumerate(message.fields):
        _, form, _, _, least, most, _ = field
        for number, (code, low, high) in enumerate(numbers_of(field)):
            if form[-1] != "s" or (low, high) != (0, _full(code)):
                found |= {(index, number, low), (index, number, high)}
        if form[0] == "*":
            found |= {(index, COUNT, least), (index, COUNT, most)}
    return found


def touched(message: wire.Message, values: Values) -> set[Bound]:
    """Return where each number of these values stands; some of these are bounds."""
    found: set[Bound] = set()
    for index, ((_, form, *_), value) in enumerate(zip(message.fields, values, strict=True)):
        if form[0] == "*":
            units = list(struct.iter_unpack("<" + form[1:], value))
            found |= {(index, number, each) for unit in units for number, each in enumerate(unit)}
            found.add((index, COUNT, len(units)))
        elif form[-1] == "s":
            found |= {(index, 0, byte) for byte in value}
        else:
            found.add((index, 0, value))
    return found


def at_bounds(message: wire.Message) -> Iterator[Values]:
    """Yield values that stand at every bound of a message; few, so each at many bounds.

    The last of them break a rule: no others stand at these bounds.
    """
    noise, left = Noise(message.code + 1), bounds_of(message)
    for lawful in (True, False):
        for _ in range(40):
            drawn = [_drawn(message, noise, lawful) for _ in range(12 if left else 0)]
            best = max(drawn, key=lambda values: len(left & touched(message, values)), default=())
            if drawn and left & touched(message, best):
                left -= touched(message, best)
                yield best
    assert not left, f"{message.name}: nothing was found that stands at {sorted(left)}"


def _drawn(message: wire.Message, noise: Noise, lawful: bool) -> Values:
    """Return values within all ranges, often at their ends, that break no rule.

    Where they need not be lawful one field, or one byte, may be another.
    """
    values = values_in(message, noise)
    if not lawful:
        index = noise.below(len(values))
        other = value_in(message.fields[index], noise)
        if isinstance(other, bytes) and len(other) == len(values[index]) and noise.below(2):
            at = noise.below(len(other)) if other else 0
            other = values[index][:at] + other[at : at + 1] + values[index][at + 1 :]
        values[index] = other
    return tuple(values)


# -- beyond them ---------------------------------------------------------------------------------------------------


def beyond_bounds(message: wire.Message, values: Values) -> Iterator[bytes]:
    """Yield payloads with one number out of its range each: next to it, or as far as its type goes."""
    for index, field in enumerate(message.fields):
        for other in _others(field):
            yield message.pack(*values[:index], other, *values[index + 1 :])


def _others(field: Values) -> Iterator[Any]:
    """Yield values out of a field's range. In a row, or a string, it is the first unit or the last that is wrong."""
    _, form, _, _, least, most, _ = field
    numbers = numbers_of(field)
    if form[0] not in "*" and form[-1] != "s":
        yield from _beyond(*numbers[0])
        return
    codes = "<" + "".join(code for code, *_ in numbers)
    good = [high for *_, high in numbers]
    size = int(form[:-1]) if form[-1] == "s" else max(least, 2)
    for at, number in enumerate(numbers):
        for value in _beyond(*number):
            bad = struct.pack(codes, *good[:at], value, *good[at + 1 :])
            rest = struct.pack(codes, *good) * (size - 1)
            yield from (bad + rest, rest + bad)
    if form[0] == "*":
        yield from (struct.pack(codes, *good) * count for count in (least - 1, most + 1) if 0 <= count <= 255)


def _beyond(code: str, low: int, high: int) -> list[int]:
    full = _full(code)
    return sorted({value for value in (low - 1, high + 1, full) if 0 <= value <= full and not low <= value <= high})


def cut(message: wire.Message, values: Values) -> Iterator[bytes]:
    """Yield payloads that end before a field's last byte."""
    for index in range(len(values)):
        yield message.pack(*values)[: size_of(message.fields[: index + 1], values) - 1]


def size_of(fields: Values, values: Values) -> int:
    """Return the bytes of the first fields of a payload."""
    sizes = [
        1 + len(value) if field[1][0] == "*" else struct.calcsize("<" + field[1])
        for field, value in zip(fields, values, strict=False)
    ]
    return sum(sizes)


# -- at the edges of tests -----------------------------------------------------------------------------------------


def at_tests(
    message: wire.Message,
    declared: Json,
    bends: Callable[[Json], Iterator[tuple[str, Json]]],
    judge: Callable[[Interpreted, Json], Any],
) -> Iterator[Values]:
    """Yield values within all ranges at which a declaration judges otherwise when it is wrong in a number or operator.

    ``bends`` makes these declarations; ``judge`` is what depends on the tests in them. Some of the values break a rule.
    """
    noise, right, chosen = Noise(message.code + 2), Interpreted(declared), []
    drawn: list[tuple[Values, Json]] = []
    for what, bent in bends(declared):
        wrong = Interpreted(bent)
        for at in range(20_000):
            if at == len(drawn):
                values = _drawn(message, noise, not at % 3)
                drawn.append((values, plain(message, values)))
            if _judged(judge, wrong, drawn[at][1]) != judge(right, drawn[at][1]):
                break
        else:
            raise AssertionError(f"{what}: nothing was found that is judged otherwise")
        if at not in chosen:
            chosen.append(at)
            yield drawn[at][0]


def _judged(judge: Callable[[Interpreted, Json], Any], message: Interpreted, values: Json) -> Any:
    try:
        return judge(message, values)
    except (IndexError, ValueError) as error:
        return str(error)
