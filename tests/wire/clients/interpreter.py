"""A codec that reads ``firmware/protocol.json`` while it runs, written from ``firmware/PROTOCOL.md`` alone.

Nothing of Tablier is imported. Values are those of the file's vectors: bytes in hexadecimal, a ``u64`` as text, a row
as a list. A declaration that was changed makes another codec, so tests can ask whether the vectors notice the change.
"""

from __future__ import annotations

import base64
import re
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tests.wire.clients.declared import RANGE, RULE, SHORT, WIDTHS, Json, bounds, runs, width

OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda one, other: one + other,
    "&": lambda one, other: one & other,
    "|": lambda one, other: one | other,
    ">>": lambda one, other: one >> other,
    "==": lambda one, other: int(one == other),
    "!=": lambda one, other: int(one != other),
    "<": lambda one, other: int(one < other),
    "<=": lambda one, other: int(one <= other),
    "and": lambda one, other: int(bool(one) and bool(other)),
    "or": lambda one, other: int(bool(one) or bool(other)),
}


class Fault(ValueError):
    """What is wrong with a payload first: the number of the field, and the reason."""

    def __init__(self, field: int, reason: int) -> None:
        super().__init__(f"field {field}: reason {reason}")
        self.field, self.reason = field, reason


class Frame(NamedTuple):
    code: int
    boot: bytes
    run: bytes
    payload: bytes


def evaluate(test: Any, values: Json, index: int = 0) -> int:
    """Return the value of a rule, or of a slot, for the values of a message."""
    if isinstance(test, int):
        return test
    if isinstance(test, str):
        return index if test == "i" else int(values[test])
    operator, *operands = test
    if operator == "count":
        return len(values[operands[0]])
    if operator == "max":
        return max(values[operands[0]], default=0)
    if operator == "byte":
        return bytes.fromhex(values[operands[0]])[evaluate(operands[1], values, index)]
    if operator == "at":
        return int(operands[0][evaluate(operands[1], values, index)])
    if operator == "all":
        return int(all(evaluate(operands[1], values, at) for at in range(operands[0])))
    one, other = (evaluate(operand, values, index) for operand in operands)
    return OPERATORS[operator](one, other)


class Message:
    """A message as it is declared."""

    def __init__(self, declared: Json) -> None:
        self.name, self.code = declared["name"], declared["code"]
        self.way, self.kind = declared["way"], declared["class"]
        self.fields = declared["fields"]
        self._slot = declared.get("slot")
        self._abilities, self._needs = declared["abilities"], declared["needs"]
        self._runs = list(runs(declared))
        numbers = {field["name"]: number for number, field in enumerate(self.fields)}
        self._rules = [(numbers[rule["field"]], rule["test"]) for rule in declared["rules"]]

    def decode(self, payload: bytes) -> Json:
        """Return the values of all fields. Raise :class:`Fault`."""
        values: Json = {field["name"]: field["default"] for field in self.fields if "default" in field}
        at = 0
        for run in self._runs:
            if run.later and len(payload) <= at:
                break
            end = at
            for number, field in run.fields:
                end += width(field)
                if len(payload) < end:
                    raise Fault(number, SHORT)
            for number, field in run.fields:
                part = payload[at : at + width(field)]
                at += len(part)
                values[field["name"]] = _value(number, field, part)
            if run.row:
                number, field = run.row
                values[field["name"]], at = _row(number, field, payload, at)
        broken = self.broken(values)
        if broken is not None:
            raise Fault(broken, RULE)
        return values

    def broken(self, values: Json) -> int | None:
        """Return the number of the field that the first broken rule refuses; None where all rules hold."""
        return next((number for number, test in self._rules if not evaluate(test, values)), None)

    def needs(self, values: Json) -> list[str]:
        """Return the abilities that a table must have to take these values, as far as a codec can know."""
        judged = [need["ability"] for need in self._needs if "test" in need and evaluate(need["test"], values)]
        return [*self._abilities, *judged]

    def encode(self, values: Json) -> bytes:
        """Return the payload of the values of all fields. Raise :class:`Fault`."""
        payload = b""
        for field in self.fields:
            value = values[field["name"]]
            if field["type"] == "bytes":
                payload += bytes.fromhex(value)
            elif field["type"] != "row":
                payload += int(value).to_bytes(width(field), "little")
            else:
                payload += bytes((len(value),))
                for unit in value:
                    numbers = unit if isinstance(unit, list) else [unit]
                    for code, each in zip(field["unit"], numbers, strict=True):
                        payload += each.to_bytes(WIDTHS[code], "little")
        self.decode(payload)
        return payload

    def slot(self, values: Json) -> int:
        """Return the slot that these values fill."""
        return evaluate(self._slot, values)

    def revision(self, payload: bytes) -> int:
        """Return the revision of a slot that holds this payload."""
        return zlib.crc32(payload, self.code) or 1


def _value(number: int, field: Json, part: bytes) -> Any:
    low, high = field.get("range", (0, None))
    if field["type"] == "bytes":
        if high is not None and any(not low <= byte <= high for byte in part):
            raise Fault(number, RANGE)
        return part.hex()
    value = int.from_bytes(part, "little")
    if high is not None and not low <= value <= high:
        raise Fault(number, RANGE)
    return str(value) if field["type"] == "u64" else value


def _row(number: int, field: Json, payload: bytes, at: int) -> tuple[list[Any], int]:
    if len(payload) <= at:
        raise Fault(number, SHORT)
    count, at = payload[at], at + 1
    least, most = field["count"]
    if not least <= count <= most:
        raise Fault(number, RANGE)
    if len(payload) < at + count * width(field):
        raise Fault(number, SHORT)
    units: list[Any] = []
    for _ in range(count):
        numbers = []
        for code in field["unit"]:
            numbers.append(int.from_bytes(payload[at : at + WIDTHS[code]], "little"))
            at += WIDTHS[code]
        if any(not low <= numbers[which] <= high for which, low, high in bounds(field)):
            raise Fault(number, RANGE)
        units.append(numbers[0] if len(numbers) == 1 else numbers)
    return units, at


class Codec:
    """All messages of a version, by ``name`` and by ``code``, and the frames that carry them."""

    def __init__(self, document: Json) -> None:
        self.messages = {declared["name"]: Message(declared) for declared in document["messages"]}
        self.by_code = {message.code: message for message in self.messages.values()}
        self._constants = document["constants"]

    def frame(self, code: int, boot: bytes, run: bytes, payload: bytes) -> bytes:
        """Return the line of a frame, newline included."""
        body = bytes((code,)) + boot + run + payload
        line = base64.b64encode(body + zlib.crc32(body).to_bytes(4, "little"))
        return bytes((self._constants["start"],)) + line + bytes((self._constants["end"],))

    def unframe(self, line: bytes) -> Frame | None:
        """Return the frame of a line that begins with its mark and has the right length; None if it is no frame."""
        symbols = re.sub(rb"[^A-Za-z0-9+/=]", b"", line[1:])
        if len(symbols) % 4 or not re.fullmatch(rb"[^=]*={0,2}", symbols):
            return None
        body = base64.b64decode(symbols)
        body, crc = body[:-4], body[-4:]
        header = self._constants["header"]
        if not header <= len(body) <= header + self._constants["max_payload"]:
            return None
        if zlib.crc32(body).to_bytes(4, "little") != crc:
            return None
        return Frame(body[0], body[1:9], body[9:17], body[header:])


class Stream:
    """Find frames in a stream of bytes; ``bad`` is what a table would count."""

    def __init__(self, codec: Codec, constants: Json) -> None:
        self._codec, self._constants = codec, constants
        self._rest = b""
        self.bad = 0

    def take(self, data: bytes) -> Iterator[Frame]:
        """Yield the frames that these bytes end."""
        mark, end = (bytes((self._constants[name],)) for name in ("start", "end"))
        *lines, self._rest = (self._rest + data).split(end)
        for line in lines:
            start = line.rfind(mark)
            size = len(line) - start + 1
            fits = start >= 0 and self._constants["min_line"] <= size <= self._constants["max_line"]
            if line and (start or not fits):
                self.bad += 1
            if fits:
                frame = self._codec.unframe(line[start:])
                self.bad += frame is None
                if frame:
                    yield frame
