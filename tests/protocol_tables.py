"""The generated sections of ``firmware/PROTOCOL.md``: run ``python -m tests.protocol_tables`` to rewrite them, and
those of the keeper's document (:mod:`tests.keeper_tables`) and the types of the pages' scripts
(:mod:`tests.page_types`).

A section stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``. Tables follow from ``wire.MESSAGES`` and
``colours``; timing constants are read out of the sources, because most of the firmware runs on MicroPython only.
"""

from __future__ import annotations

import re
import struct
from binascii import crc32
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from tests import keeper_tables, page_types
from tests.wire import protocol_json
from tests.wire.declarations import Json, field_of, numbered, since, stored
from tests.wire.numbers_in_sources import LIMITS, TIMES, constant, milliseconds
from tests.wire.protocol_json import BOARD, BOOT, CONTRIBUTION, GRAMMAR, NONCE, NONCES, QUESTION, ROLLS, RUN, example

from tablier.table.refusals import range_of
from tablier_fw import colours, rolls, seal, wire, words

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "firmware" / "PROTOCOL.md"
MACHINE = ROOT / "firmware" / "protocol.json"
SECTION = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)

TYPES = {"B": "u8", "H": "u16", "I": "u32", "Q": "u64"}

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


def form_of(form: str) -> str:
    """The type of a field."""
    if form[0] == "*":
        unit = " ".join(TYPES[code] for code in form[1:])
        return "count u8, then as many bytes" if form == "*B" else f"count u8, then as many units of {unit}"
    return f"{form[:-1]} bytes" if form.endswith("s") else TYPES[form]


def fields_of(message: wire.Message) -> Iterator[str]:
    if not message.fields:
        yield "It has no fields."
        return
    rows: list[tuple[object, ...]] = []
    offset: int | None = 0
    for number, field in enumerate(message.fields):
        name, form = field[:2]
        rows.append((number, offset if offset is not None else "then", f"`{name}`", form_of(form), range_of(field)))
        if offset is not None:
            offset = None if form[0] == "*" else offset + struct.calcsize("<" + form)
    yield from table("| field | at | name | type | range |", rows)
    if message.rules:
        yield ""
        for number, _ in message.rules:
            name = message.names[number]
            yield f"- `{name}`: {words.RULES[message.name, name]}."


def history_of(message: wire.Message) -> Iterator[str]:
    """Since when fields are there, and which ranges have grown."""
    before: dict[str, Json] = {}
    for (major, minor), version in stored().items():
        if (major, minor) < (wire.MAJOR, wire.MINOR) and message.name in version["messages"]:
            before |= {it["name"]: it | {"until": minor} for it in version["messages"][message.name]["fields"]}
    for field in message.fields:
        if field[6] is not None:
            default = field[6] if isinstance(field[6], int) else "none"
            brought = since(message.name, field[0])
            yield f"- `{field[0]}` is there since {brought}; a payload that ends before it means {default}."
    for name, field in before.items():
        now = {it["name"]: it for it in map(field_of, message.fields)}.get(name)
        if now is None:
            yield f"- Until {wire.MAJOR}.{field['until']}, `{name}` stood here; tables with the ability take it still."
    for (of, name), ability in words.WIDENED.items():
        if of == message.name and name in message.names:
            yield f"- The range of `{name}` grew with the ability *{ability}*."


def line_of(message: wire.Message) -> Iterator[str]:
    """An example: the line, and what it holds."""
    boot = wire.NO_ID if message is wire.HOST_HELLO else BOOT
    values = example(message)
    yield "```line"
    yield wire.frame(message, boot, RUN, message.encode(*values))[:-1].decode()
    shown = [value.hex() if isinstance(value, bytes) else value for value in values]
    yield " ".join([message.name, *(f"{name}={value}" for name, value in zip(message.names, shown, strict=True))])
    yield "```"


def _message(message: wire.Message) -> Callable[[], Iterator[str]]:
    def lines() -> Iterator[str]:
        brought = since(message.name)
        later = f", since {brought}" if brought != f"{wire.MAJOR}.0" else ""
        yield f"#### 0x{message.code:02x} `{message.name}`, {message.way}{later}"
        yield ""
        yield words.MESSAGES[message.name]
        yield ""
        yield from fields_of(message)
        history = list(history_of(message))
        if history:
            yield ""
            yield from history
        yield ""
        yield from line_of(message)

    return lines


for _it in wire.MESSAGES:
    section(f"message-{_it.name.replace('_', '-')}")(_message(_it))


@section("changes")
def _changes() -> Iterator[str]:
    """Return the changes of each minor version, from the stored declarations."""
    for minor in range(1, wire.MINOR + 1):
        version = f"{wire.MAJOR}.{minor}"
        messages = [f"`{it.name}`" for it in wire.MESSAGES if since(it.name) == version]
        fields = [
            f"`{it.name}.{name}`"
            for it in wire.MESSAGES
            for name in it.names
            if since(it.name, name) == version and since(it.name) != version
        ]
        known = stored()[wire.MAJOR, minor - 1]["numbered"]["abilities"]
        names = stored().get((wire.MAJOR, minor), {}).get("numbered", numbered())["abilities"]
        abilities = [f"*{name}*" for name in names[len(known) :]]
        said = [("messages", messages), ("fields", fields), ("abilities", abilities)]
        yield f"- **{version}**: " + "; ".join(f"{what} {', '.join(which)}" for what, which in said if which) + "."


@section("reasons")
def _reasons() -> Iterator[str]:
    rows: list[tuple[object, ...]] = [(code, name, what) for code, (name, what) in enumerate(words.REASONS) if code]
    return table("| reason | name | what |", rows)


@section("abilities")
def _abilities() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for bit, (name, what) in enumerate(words.ABILITIES):
        needed = [f"`{message.name}`" for message in wire.MESSAGES if message.ability >> bit & 1]
        rows.append((bit, name, what, words.NEEDED.get(name) or " ".join(needed)))
    return table("| bit | ability | what | needed for |", rows)


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
        rows.append((f"{milliseconds(path, name):g} ms", what))
    return table("| how long | what |", rows)


@section("grammar")
def _grammar() -> Iterator[str]:
    rows: list[tuple[object, ...]] = [
        (f"`{name}`".replace("|", "\\|"), what.replace("'", "`")) for name, what in GRAMMAR["operators"].items()
    ]
    return table("| operator | value |", rows)


@section("doubts")
def _doubts() -> Iterator[str]:
    rows: list[tuple[object, ...]] = [(bit, name, what) for bit, (name, what) in enumerate(words.DOUBTS)]
    return table("| bit | doubt | what |", rows)


@section("colours")
def _colours() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for name, colour in vars(colours).items():
        if name.isupper() and isinstance(colour, tuple) and name != "PALETTE":
            several = isinstance(colour[0], tuple)
            for n, one in enumerate(colour if several else (colour,)):
                which = f"`{name}`, {n}" if several else f"`{name}`"
                rows.append((which, ", ".join(map(str, one)), f"`{bytes(one).hex()}`"))
    return table("| name | red, green, blue | in a picture |", rows)


@section("palette")
def _palette() -> Iterator[str]:
    rows: list[tuple[object, ...]] = []
    for index, colour in enumerate(colours.PALETTE):
        name = next(name for name, value in vars(colours).items() if value is index or value == index)
        rows.append((index, name.lower(), ", ".join(map(str, colour))))
    return table("| index | name | red, green, blue |", rows)


# -- worked examples -----------------------------------------------------------------------------------------


@section("frames")
def _frames() -> Iterator[str]:
    for message, boot, run in ((wire.PING, BOOT, RUN),):
        values = example(message)
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
        ("major", struct.pack("<H", wire.MAJOR)),
        ("board", BOARD),
        ("boot", BOOT),
        ("question", struct.pack("<I", QUESTION)),
        ("place", b"\3"),
        ("seat", b"\2"),
        ("nonce", NONCE),
        ("choice", b"\1"),
    )
    yield "```commitment"
    for name, value in rows:
        yield f"{name:<9}{value.hex()}"
    yield f"sha256   {wire.commitment(BOARD, BOOT, QUESTION, 3, 2, NONCE, 1).hex()}"
    yield "```"


@section("roll")
def _roll() -> Iterator[str]:
    for ranges, nonce in zip(ROLLS, NONCES, strict=True):
        packed = struct.pack(f"<{len(ranges)}H", *ranges)
        rows = (
            ("tag", rolls.ROLL_TAG),
            ("major", struct.pack("<H", wire.MAJOR)),
            ("board", BOARD),
            ("boot", BOOT),
            ("question", struct.pack("<I", QUESTION)),
            ("place", b"\3"),
            ("ranges", sha256(packed).digest()),
            ("nonce", nonce),
        )
        yield "```roll"
        yield f"of            {' '.join(map(str, ranges))}"
        for name, value in rows:
            yield f"{name:<14}{value.hex()}"
        yield f"commitment    {rolls.commitment(BOARD, BOOT, QUESTION, 3, packed, nonce).hex()}"
        yield f"contribution  {CONTRIBUTION.hex()}"
        rolled = rolls.outcomes(BOARD, BOOT, QUESTION, 3, packed, nonce, CONTRIBUTION)
        yield f"outcomes      {' '.join(map(str, rolled))}"
        yield "```"
        yield ""


@section("seal")
def _seal() -> Iterator[str]:
    """A roll that was committed to and revealed, and an opening."""
    packed = struct.pack(f"<{len(ROLLS[0])}H", *ROLLS[0])
    bound = rolls.commitment(BOARD, BOOT, QUESTION, 3, packed, NONCE)
    sealed = seal.begin(BOARD, BOOT)
    yield "```seal"
    yield f"begin      {sealed.hex()}"
    for message, number, question, said in (
        (wire.COMMITTED, 1, QUESTION, bound + struct.pack("<I", 1)),
        (wire.REVEALED, 2, QUESTION, NONCE + CONTRIBUTION),
        (wire.OPENED, 5, QUESTION + 1, NONCE + b"\1"),
    ):
        sealed = seal.link(sealed, message.code, number, question, 3, said)
        yield f"{message.name:<11}{struct.pack('<BIIB', message.code, number, question, 3).hex()} {said.hex()}"
        yield f"           {sealed.hex()}"
    yield f"picture    {' '.join(map(str, seal.picture(sealed)))}"
    yield "```"


def _session(name: str) -> Callable[[], Iterator[str]]:
    def lines() -> Iterator[str]:
        yield "```session"
        yield from (ROOT / "tests" / "wire" / "sessions" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        yield "```"

    return lines


section("session-duel")(_session("duel"))


# -- the document ---------------------------------------------------------------------------------------------


def renewed(text: str, sections: Mapping[str, Callable[[], Iterator[str]]] = SECTIONS) -> str:
    """The document with its generated sections written anew."""

    def fill(match: re.Match[str]) -> str:
        return match[1] + "\n" + "\n".join(sections[match[2]]()).strip("\n") + "\n\n" + match[3]

    return SECTION.sub(fill, text)


def main() -> None:
    made = {MACHINE: protocol_json.text(), page_types.TYPES: page_types.text()}
    for document, sections in ((DOCUMENT, SECTIONS), (keeper_tables.DOCUMENT, keeper_tables.SECTIONS)):
        made[document] = renewed(document.read_text(encoding="utf-8"), sections)
    for path, text in made.items():
        new = not path.exists() or path.read_text(encoding="utf-8") != text
        if new:
            path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {'written anew' if new else 'up to date'}")


if __name__ == "__main__":
    main()
