"""The generated sections of ``firmware/PROTOCOL.md``: run ``python -m tests.protocol_tables`` to rewrite them.

A section stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. Tables follow from ``wire.MESSAGES`` and
``colours``; timing constants are read out of the sources, because most of the firmware runs on MicroPython only.
"""

from __future__ import annotations

import ast
import re
import struct
from binascii import crc32
from collections.abc import Callable, Iterator
from pathlib import Path

from tablier_fw import colours, wire

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "firmware" / "PROTOCOL.md"
SECTION = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

TYPES = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64"}

TIMES = (
    ("firmware/tablier_fw/table.py", "HELLO_MS", "table: one hello to the next, while nobody has greeted it"),
    ("host/tablier/table/client.py", "HELLO_S", "host: one hello to the next, until one is answered"),
    ("host/tablier/table/client.py", "GREETING_S", "host: a table that has not answered by then is given up"),
    ("host/tablier/table/client.py", "SILENT_S", "host: without a frame for so long it says hello again"),
    ("firmware/tablier_fw/table.py", "SILENT_MS", "table: without a frame for so long it says so on the ring"),
    ("firmware/tablier_fw/journal.py", "RESEND_MS", "table: events that are not acknowledged are sent again"),
    ("host/tablier/table/client.py", "RESEND_S", "host: state that the table does not hold is sent again"),
    ("firmware/tablier_fw/table.py", "STATUS_MS", "table: one status to the next"),
    ("host/tablier/table/client.py", "PING_S", "host: one ping to the next"),
    ("host/tablier/table/client.py", "SEARCH_S", "host: one look for a board that is gone to the next"),
    ("firmware/tablier_fw/scene.py", "FRAME_MS", "table: one picture of an animation to the next"),
    ("firmware/tablier_fw/landing.py", "SETTLE_MS", "table: from an impact to the landing's class, at least"),
    ("firmware/tablier_fw/landing.py", "LIMIT_MS", "table: from an impact to the landing's class, at most"),
    ("firmware/tablier_fw/landing.py", "FLIGHT_MS", "table: from a card's first beam to its impact, at most"),
    ("firmware/tablier_fw/landing.py", "FREE_MS", "table: a landing whose beams are clear for so long has moved"),
)
LIMITS = (
    ("firmware/tablier_fw/journal.py", "CAPACITY", "events that the journal holds"),
    ("firmware/tablier_fw/link.py", "OUT_MAX", "bytes that wait for a host that does not read"),
    ("firmware/tablier_fw/buttons.py", "PRESSED", "equal samples, one a millisecond, that make a press"),
    ("firmware/tablier_fw/buttons.py", "RELEASED", "equal samples that end it"),
    ("firmware/tablier_fw/wire.py", "MAX_PAYLOAD", "bytes of a payload"),
)

SECTIONS: dict[str, Callable[[], Iterator[str]]] = {}


def section(name: str) -> Callable[[Callable[[], Iterator[str]]], Callable[[], Iterator[str]]]:
    def register(lines: Callable[[], Iterator[str]]) -> Callable[[], Iterator[str]]:
        SECTIONS[name] = lines
        return lines

    return register


def table(head: str, rows: list[tuple[object, ...]]) -> Iterator[str]:
    yield head
    yield "|" + " --- |" * (head.count("|") - 1)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"


# -- messages ----------------------------------------------------------------------------------------------


def type_of(code: str) -> str:
    if code == "*":
        return "the rest"
    return f"{code[:-1]} bytes" if code.endswith("s") else TYPES[code]


def fields_of(message: wire.Message) -> Iterator[str]:
    if not message.fields:
        return iter(["It has no fields."])
    rows: list[tuple[object, ...]] = []
    offset = 0
    for name, code in message.fields:
        rows.append((offset, f"`{name}`", type_of(code)))
        offset += struct.calcsize("<" + code) if code != "*" else 0
    return table("| at | field | type |", rows)


def messages(group: str) -> Iterator[str]:
    for message in wire.MESSAGES:
        if message.group == group:
            yield f"### 0x{message.code:02x} `{message.name}`, {message.way}"
            yield ""
            yield message.doc
            yield ""
            yield from fields_of(message)
            yield ""


@section("hellos")
def _hellos() -> Iterator[str]:
    return messages(wire.HELLO)


@section("events")
def _events() -> Iterator[str]:
    return messages(wire.EVENT)


@section("states")
def _states() -> Iterator[str]:
    return messages(wire.STATE)


@section("telemetry")
def _telemetry() -> Iterator[str]:
    return messages(wire.TELEMETRY)


@section("schema")
def _schema() -> Iterator[str]:
    yield f"Protocol {wire.PROTOCOL} has the schema `0x{wire.SCHEMA:08x}`. Its first and its last line are:"
    yield ""
    yield "```text"
    yield wire.MESSAGES[0].declaration()
    yield wire.MESSAGES[-1].declaration()
    yield "```"


# -- numbers -----------------------------------------------------------------------------------------------


@section("groups")
def _groups() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for group, count in enumerate(wire.GROUPS):
        names = {wire.RING: "the ring, clockwise", wire.PUBLIC: "the public pixels of places 1–6"}
        rows.append((group, count, names.get(group, f"the hood of place {group - wire.HOOD + 1}")))
    return table("| group, and slot | pixels | what |", rows)


@section("limits")
def _limits() -> Iterator[str]:
    return table("| at most | of what |", [(constant(path, name), what) for path, name, what in LIMITS])


@section("times")
def _times() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for path, name, what in TIMES:
        value = constant(path, name)
        rows.append((f"{value:g} ms" if name.endswith("_MS") else f"{value * 1000:g} ms", what))
    return table("| how long | what |", rows)


@section("doubts")
def _doubts() -> Iterator[str]:
    rows: list[tuple[object, ...]] = [(bit, name, what) for bit, (name, what) in enumerate(wire.DOUBTS)]
    return table("| bit | doubt | what |", rows)


@section("colours")
def _colours() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for name, colour in vars(colours).items():
        if name.isupper():
            rows.append((f"`{name}`", ", ".join(map(str, colour)), f"`{bytes(colour).hex()}`"))
    return table("| name | red, green, blue | in a picture |", rows)


def constant(path: str, name: str) -> float:
    """The number that a source gives a name at its top level."""
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            targets = node.targets[0]
            names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for target, value in zip(names, values, strict=False):
                if isinstance(target, ast.Name) and target.id == name:
                    number = ast.literal_eval(value)
                    assert isinstance(number, int | float)
                    return number
    raise LookupError(f"{path} has no {name}")


# -- worked examples -----------------------------------------------------------------------------------------

BOARD = bytes.fromhex("e6614103e7452d2f")
BOOT = bytes.fromhex("0102030405060708")
RUN = bytes.fromhex("a1a2a3a4a5a6a7a8")
NONCE = bytes(range(0x10, 0x20))
QUESTION = 258

EXAMPLES: tuple[tuple[wire.Message, bytes, bytes, tuple[object, ...]], ...] = (
    (wire.HOST_HELLO, wire.NO_ID, RUN, (wire.PROTOCOL, wire.SCHEMA, bytes(range(16)), b"tablier 0.1.0")),
    (
        wire.TABLE_HELLO,
        BOOT,
        RUN,
        (wire.PROTOCOL, wire.SCHEMA, BOARD, 0, 1, 7, 5, b"0.1.0; MicroPython 1.28.0 on rp2"),
    ),
    (wire.SCENE, BOOT, RUN, (wire.PUBLIC, bytes([wire.STEADY, 8, 8, 16]) * 5 + bytes([wire.PULSE, 90, 0, 30]))),
    (wire.POLL, BOOT, wire.FIRST * (QUESTION, 0b000101, 1), RUN),
    (wire.ANSWERED, BOOT, RUN, (8, 61_250_000, QUESTION, 3, 1)),
    (wire.ACK, BOOT, RUN, (8,)),
    (wire.PING, BOOT, RUN, (61_300_000,)),
)


@section("frames")
def _frames() -> Iterator[str]:
    for message, boot, run, values in EXAMPLES:
        payload = message.encode(*values)
        body = bytes([message.code]) + boot + run + payload
        yield "```frame"
        yield f"message  {message.name}"
        for name, value in zip(message.names, values, strict=True):
            yield f"         {name} = {value.hex() if isinstance(value, bytes) else value}"
        yield f"code     {message.code:02x}"
        yield f"boot     {boot.hex()}"
        yield f"run      {run.hex()}"
        yield f"payload  {payload.hex()}"
        yield f"crc      {struct.pack('<I', crc32(body)).hex()}"
        yield f"line     {wire.frame(message, boot, run, payload)[:-1].decode()}"
        yield "```"
        yield ""


@section("commitment")
def _commitment() -> Iterator[str]:
    rows = (
        ("tag", wire.COMMITMENT_TAG),
        ("protocol", struct.pack("<H", wire.PROTOCOL)),
        ("board", BOARD),
        ("boot", BOOT),
        ("question", struct.pack("<I", QUESTION)),
        ("place", b"\3"),
        ("nonce", NONCE),
        ("choice", b"\1"),
    )
    yield "```commitment"
    for name, value in rows:
        yield f"{name:<9}{value.hex()}"
    yield f"sha256   {wire.commitment(BOARD, BOOT, QUESTION, 3, NONCE, 1).hex()}"
    yield "```"


# -- the document ---------------------------------------------------------------------------------------------


def renewed(text: str) -> str:
    """The document with its generated sections written anew."""

    def fill(match: re.Match[str]) -> str:
        return match[1] + "\n" + "\n".join(SECTIONS[match[2]]()).strip("\n") + "\n\n" + match[3]

    return SECTION.sub(fill, text)


def main() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    new = renewed(text)
    if new != text:
        DOCUMENT.write_text(new, encoding="utf-8")
    print(f"{DOCUMENT.relative_to(ROOT)}: {'rewritten' if new != text else 'up to date'}")


if __name__ == "__main__":
    main()
