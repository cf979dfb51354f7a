"""Frames of any values: in range, at the edges, out of range, longer, shorter, unknown."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from typing import Any

from tests.wire.wire_cases import Noise, values_in

from tablier_fw import wire


class Dice(random.Random, Noise):
    """Random numbers, also in the words of ``wire_cases``."""

    def below(self, limit: int) -> int:
        return self.randrange(limit)

    def bytes(self, count: int) -> bytes:
        return self.randbytes(count)


def payload_of(message: wire.Message, dice: Dice, fixed: Mapping[str, int | bytes] | None = None) -> bytes:
    """Return a payload of a message: as declared in half of the cases, else wrong in one way or two.

    ``fixed`` are fields that have these values unless they are made wrong.
    """
    values = values_in(message, dice)
    for name, value in (fixed or {}).items():
        if name in message.names:
            values[message.names.index(name)] = value
    way = dice.random()
    if way < 0.45 and message.fields:
        for _ in range(dice.randint(1, 2)):
            number = dice.randrange(len(message.fields))
            values[number] = _bent(message.fields[number], values[number], dice)
    payload = message.pack(*values)
    if way > 0.92:
        payload += dice.randbytes(dice.randint(1, 20))
    elif way > 0.84:
        payload = payload[: dice.randrange(len(payload) + 1)]
    elif way > 0.82:
        payload = dice.randbytes(dice.randrange(wire.MAX_PAYLOAD + 1))
    return payload[: wire.MAX_PAYLOAD]


def _bent(field: tuple[Any, ...], value: Any, dice: Dice) -> Any:
    """A value of a field's type, most often next to its range."""
    _, form, low, high, least, most, _ = field
    if form[0] == "*":
        unit = struct.calcsize("<" + form[1:])
        if dice.random() < 0.5 and value:
            bent = bytearray(value)
            bent[dice.randrange(len(bent))] = dice.choice((0, 1, 4, 12, 13, 14, 15, 16, 255, dice.randrange(256)))
            return bytes(bent)
        count = dice.choice((0, max(least - 1, 0), most + 1, dice.randrange(60)))
        return dice.randbytes(unit * min(count, wire.MAX_PAYLOAD // unit))
    if form[-1] == "s":
        bent = bytearray(value)
        bent[dice.randrange(len(bent))] = dice.randrange(256)
        return bytes(bent)
    most = (1 << 8 * struct.calcsize("<" + form)) - 1
    top = most if high is None else high
    return min(most, max(0, dice.choice((0, low, low - 1, top, top + 1, most, dice.randint(0, most)))))


def line_of(code: int, boot: bytes, run: bytes, payload: bytes) -> bytes:
    """A frame with a right checksum."""
    return wire.frame(wire.BY_CODE.get(code) or wire.unknown(code), boot, run, payload)
