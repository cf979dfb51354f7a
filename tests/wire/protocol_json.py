"""``firmware/protocol.json``: what a client of the wire can be generated from, and checked against.

Declarations with their rules, constants, hashes, times, limits, and vectors: payloads and lines with the values in
them, revisions, what is refused and why, streams of bytes with the frames in them, commitments, rolls, seals, sessions.
``python -m tests.protocol_tables`` writes it. Bytes are hexadecimal, a u64 is a string of its decimal digits, a row is
a list of its units. In sessions every value is the text that PROTOCOL.md prints.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from tests.sessions import SESSIONS
from tests.sessions import stored as session
from tests.wire.bends import bent_needs, bent_rules
from tests.wire.clients.interpreter import Message
from tests.wire.declarations import Json, declare, field_of, plain, since, stored
from tests.wire.edges import at_bounds, at_tests, beyond_bounds, cut, size_of
from tests.wire.numbers_in_sources import LIMITS, TIMES, constant, milliseconds

from tablier.table.abilities import needed
from tablier_fw import colours, rolls, seal, wire, words

BOARD, BOOT = bytes.fromhex("e6614103e7452d2f"), bytes.fromhex("0102030405060708")
RUN, LOG = bytes.fromhex("a1a2a3a4a5a6a7a8"), bytes.fromhex("0123456789abcdef")
CHALLENGE = bytes.fromhex("c1c2c3c4c5c6c7c8")
NONCE, CONTRIBUTION = bytes(range(0x10, 0x20)), bytes(range(0x20, 0x30))
QUESTION = 258
ROLLS = ((6, 6, 6, 6, 6, 25, 24, 23), (65175,) * 40)
NONCES = (NONCE, bytes.fromhex("3d11") + bytes(14))

# -- rules ---------------------------------------------------------------------------------------------------------

GRAMMAR: Json = {
    "text": "A test is a list: an operator, then its operands. An operand is a number, the name of a field of the"
    " message, or another such list. Results are whole numbers with a sign, of 32 bits at least; 0 is false. A rule"
    " holds where its test is true. A slot is written in the same way.",
    "operators": {
        **dict.fromkeys(("+", "&", "|", ">>", "==", "!=", "<", "<="), "of two numbers, as in C"),
        "and": "1 where both operands are true, else 0",
        "or": "1 where at least one operand is true, else 0",
        "count": "of a field that is a row: how many units it has",
        "max": "of a field that is a row of one number a unit: the greatest; 0 of an empty row",
        "byte": "of a field of bytes, and an index from 0: that byte",
        "at": "of a list of numbers, and an index from 0: that number",
        "all": "of a count, and a test: 1 where the test is true for each 'i' from 0 and below the count, else 0; in"
        " this test 'i' is an operand",
    },
}
"""What must hold between the fields of a message, for programs."""

_SECRET: list[Any] = ["!=", ["&", "flags", wire.SECRET], 0]
_MARK: list[Any] = ["!=", ["&", "flags", wire.MARK], 0]
_EITHER: list[Any] = ["==", ["&", "places", "outside"], 0]
TESTS: dict[tuple[str, str], list[Any]] = {
    ("scene", "pixels"): ["==", ["count", "pixels"], ["at", list(wire.GROUPS), "group"]],
    ("choice", "outside"): _EITHER,
    ("choice", "allowed"): [
        "all",
        wire.PLACES,
        [
            "and",
            ["==", ["!=", ["byte", "allowed", "i"], 0], ["&", [">>", "places", "i"], 1]],
            ["==", [">>", ["byte", "allowed", "i"], ["count", "colours"]], 0],
        ],
    ],
    ("window", "outside"): _EITHER,
    ("window", "places"): ["!=", ["|", "places", "outside"], 0],
    ("menu", "start"): ["and", ["<", "start", ["count", "labels"]], ["or", ["==", _SECRET, 0], ["==", "start", 0]]],
    ("menu", "open"): ["==", [">>", "open", ["count", "labels"]], 0],
    ("menu", "labels"): ["or", _SECRET, ["<=", ["max", "labels"], wire.MAX_OPTIONS]],
    ("tally", "given"): [
        "or",
        ["==", ["count", "given"], 0],
        [
            "and",
            ["<", ["max", "given"], ["count", "colours"]],
            ["<", ["count", "given"], ["+", "dice", _MARK]],
        ],
    ],
}

QUESTIONS = [message.name for message in wire.MESSAGES if wire.slot_of(message, bytes(99)) == wire.QUESTION_SLOT]

CLASSES = {
    wire.HELLO: "both sides meet, whatever their versions; neither kept nor repeated by a rule of its own",
    wire.EVENT: "to the host: numbered, kept in the journal, repeated until acknowledged; 'ack' goes the other way",
    wire.STATE: "to the table: fills a slot, and is repeated until the table holds it or has refused it",
    wire.TELEMETRY: "may be lost",
    wire.PRIVATE: "for experiments; no version of the protocol gives it a meaning",
}
"""What the classes of messages are for."""

_WHERE = [("tag", 16), ("major", 2), ("board", 8), ("boot", 8)]
_ROLLED = [*_WHERE, ("question", 4), ("place", 1), ("ranges", 32), ("nonce", 16)]
HASHES: dict[str, tuple[bytes, list[tuple[str, int | list[int]]], str]] = {
    "commitment": (
        wire.COMMITMENT_TAG,
        [*_WHERE, ("question", 4), ("place", 1), ("seat", 1), ("nonce", 16), ("choice", 1)],
        "binds a choice",
    ),
    "roll": (rolls.ROLL_TAG, [*_ROLLED], "binds a roll; 'ranges' is the SHA-256 of all ranges, u16 each"),
    "outcomes": (
        rolls.OUTCOME_TAG,
        [*_ROLLED, ("contribution", 16), ("counter", 4)],
        "eight words (u32) for each counter from 0 on; one of 2^32 - 2^32 mod n or more is passed over, any other is"
        " the outcome modulo n",
    ),
    "seal": (seal.TAG, [*_WHERE], "the seal of a boot in which nothing has happened"),
    "link": (
        b"",
        [("seal", 32), ("code", 1), ("number", 4), ("question", 4), ("place", 1), ("said", [36, 32, 17])],
        "the next seal; 'said' is of 'committed' its commitment and its roll (u32), of 'revealed' its nonce and the"
        " host's contribution, of 'opened' its nonce and its choice",
    ),
}
"""What SHA-256 is taken of: the tag, the parts with their bytes, what for."""

NEEDS: dict[tuple[str, str], list[Any]] = {
    **{(name, "call"): ["!=", ["&", "flags", wire.CALL], 0] for name in QUESTIONS},
    ("menu", "secret menu"): ["!=", ["&", "flags", wire.SECRET | wire.QUIET], 0],
    ("tally", "given tally"): ["or", ["!=", ["&", "flags", wire.VEIL], 0], ["!=", ["count", "given"], 0]],
}
"""By message and ability: which contents need an ability that the message alone does not, in the same way."""

SLOTS: dict[str, Any] = {
    "scene": "group",
    "outside": ["+", wire.OUTSIDE_SLOT - 1, "place"],
    "contribution": wire.OUTSIDE_SLOT,
    "tone": wire.TONE_SLOT,
}
"""The slot that a state message fills, in the same way; the question's where it is not named here."""

# -- declarations --------------------------------------------------------------------------------------------------


def messages() -> list[Json]:
    """Return the declarations with their words, rules, abilities and the versions that brought them."""
    declared = declare(wire.MESSAGES)
    for it, message in zip(declared, wire.MESSAGES, strict=True):
        it["since"] = since(message.name)
        it["text"] = words.MESSAGES[message.name]
        it["abilities"] = [name for bit, (name, _) in enumerate(words.ABILITIES) if message.ability >> bit & 1]
        for field in it["fields"]:
            if since(message.name, field["name"]) != it["since"]:
                field["since"] = since(message.name, field["name"])
        if message.group is wire.STATE:
            it["slot"] = SLOTS.get(message.name, wire.QUESTION_SLOT)
        it["rules"] = [
            {"field": name, "text": words.RULES[message.name, name], "test": TESTS[message.name, name]}
            for name in [message.names[index] for index, _ in message.rules]
        ]
        it["needs"] = list(needs(message))
        it |= {"changed": changed} if (changed := list(changes(message))) else {}
    return declared


def needs(message: wire.Message) -> Iterator[Json]:
    """Return the abilities that some contents of a message need; those that a host must judge have no test."""
    for name, _ in words.ABILITIES:
        if (message.name, name) in NEEDS:
            yield {"ability": name, "text": words.NEEDED[name], "test": NEEDS[message.name, name]}
    if message is wire.SCENE:
        yield {"ability": "peek", "text": words.NEEDED["peek"]}


def changes(message: wire.Message) -> Iterator[Json]:
    """Return how fields stood that a later version has changed: the last version, and the ability that tells."""
    for (name, field), ability in words.WIDENED.items():
        if name == message.name:
            now = {it["name"]: it for it in map(field_of, message.fields)}.get(field)
            for (major, minor), version in reversed(stored().items()):
                old = {it["name"]: it for it in version["messages"].get(name, {"fields": ()})["fields"]}.get(field)
                if major == wire.MAJOR and old is not None and old != now:
                    yield {"until": f"{major}.{minor}", "ability": ability, "field": old, "gone": now is None}
                    break


def constants() -> Json:
    """Return what else both sides agree on."""
    return {
        "start": wire.START,
        "end": wire.END,
        "header": wire.HEADER,
        "max_payload": wire.MAX_PAYLOAD,
        "min_line": wire.MIN_LINE,
        "max_line": wire.MAX_LINE,
        "places": wire.PLACES,
        "buttons": list(wire.BUTTONS),
        "slots": {"question": wire.QUESTION_SLOT, "outside": wire.OUTSIDE_SLOT, "tone": wire.TONE_SLOT, "none": 255},
        "groups": list(wire.GROUPS),
        "palette": [list(colour) for colour in colours.PALETTE],
        "colours": {
            name: [list(each) if isinstance(each, tuple) else each for each in colour]
            for name, colour in vars(colours).items()
            if name.isupper() and isinstance(colour, tuple) and name != "PALETTE"
        },
        "classes": [{"codes": [16 * n, 16 * n + 15], "class": name} for n, name in enumerate(wire._CLASSES)],
        "abilities": [{"name": name, "text": text} for name, text in words.ABILITIES],
        "reasons": {str(code): name for code, (name, _) in enumerate(words.REASONS) if code},
        "doubts": [name for name, _ in words.DOUBTS],
        "landings": list(wire.LANDINGS),
    }


def times() -> Iterator[Json]:
    """Return the times that both sides keep, in ms."""
    for path, name, text in TIMES:
        side, what = text.split(": ", 1)
        yield {"of": side, "what": what, "ms": round(milliseconds(path, name))}


def limits() -> Iterator[Json]:
    """Return the most of what there is."""
    for path, name, what in LIMITS:
        yield {"what": what, "most": constant(path, name)}


def hashes() -> Json:
    """Return what each hash is taken of: parts one behind the other, numbers little-endian."""
    told: Json = {}
    for name, (tag, parts, text) in HASHES.items():
        at, fields = 0, []
        for part, size in parts:
            fields.append({"at": at, "name": part, "bytes": size})
            at += size if isinstance(size, int) else 0
        told[name] = {"text": text, **({"tag": tag.hex()} if tag else {}), "parts": fields}
    return told


# -- values --------------------------------------------------------------------------------------------------------

_OF = (9, 61_250_000, QUESTION)
_ALL_DARK = bytes(4 * wire.SLOTS)
EXAMPLES: dict[str, tuple[Any, ...]] = {
    "host_hello": (wire.MAJOR, wire.MINOR, CHALLENGE, LOG, bytes(range(16)), b"tablier 0.1.0"),
    "table_hello": (wire.MAJOR, wire.MINOR, CHALLENGE, BOARD, 0x7FFE, 1, 0, 7, 5, b"0.1.0; MicroPython 1.28.0 on rp2"),
    "service": (CHALLENGE,),
    "serving": (wire.QUESTION_OPEN,),
    "ack": (9,),
    "locked": (*_OF, 3, wire.commitment(BOARD, BOOT, QUESTION, 3, 2, NONCE, 1)),
    "opened": (*_OF, 3, NONCE, 1),
    "landed": (*_OF, 2, 1, 0b0010, 0, 1, 97, wire.CROWDED),
    "done": (*_OF, 3, 1),
    "closed": (*_OF, wire.CLOSE_QUIET, 3),
    "answered": (*_OF, 3, 1),
    "picked": (*_OF, 3, 11),
    "tallied": (*_OF, 3, 0b00101, bytes((5, 0, 5, 2, 1))),
    "pressed": (*_OF, 3, wire.B),
    "moved": (*_OF, 2),
    "called": (*_OF, 3),
    "committed": (*_OF, 3, rolls.commitment(BOARD, BOOT, QUESTION, 3, b"\6\0\6\0", NONCE), 4),
    "revealed": (*_OF, 3, NONCE),
    "scene": (wire.PUBLIC, bytes([colours.LAVENDER, 16, wire.STEADY]) * 5 + bytes([colours.ROSE, 90, wire.PULSE]), 128),
    "idle": (QUESTION, wire.CALL, 1),
    "choice": (QUESTION, 0, 0b000101, 0b000010, bytes((3, 0, 2, 0, 0, 0)), bytes((1, 2, 3, 0, 0, 0)), b"\x09\x04"),
    "window": (QUESTION, 0, 0b000101, 0b000010, 5000, 1000, 0),
    "poll": (QUESTION, wire.FIRST, 0b000101),
    "menu": (QUESTION, wire.CALL, 3, 1, 0b1011, bytes((1, 2, 3, 12))),
    "tally": (QUESTION, wire.MARK, 3, 5, bytes((3, 9, 6, 12, 13, 1)), b"\5"),
    "watch": (QUESTION, 0, 0b111111),
    "outside": (QUESTION, 2, 2, wire.commitment(BOARD, BOOT, QUESTION, 2, 2, NONCE, 0)),
    "tone": (QUESTION, struct.pack("<4H", 880, 120, 0, 60), 2),
    "check": (QUESTION, wire.MEASURE),
    "roll": (QUESTION, 0, 3, wire.EVERYBODY, struct.pack("<2H", 6, 6)),
    "contribution": (QUESTION, rolls.commitment(BOARD, BOOT, QUESTION, 3, b"\6\0\6\0", NONCE), CONTRIBUTION),
    "status": (61_300_000, _ALL_DARK, 9, 8, 0, 0b000100, 0, 90_000, 70_000, 2100, 190, 9000, 3, 0, 0, 0, 4, 4, 3, 1, 8),
    "ping": (61_300_000,),
    "pong": (61_300_000, 12_345_678),
    "cursor": (QUESTION, 3, 4),
    "keep": (b"",),
    "kept": (wire.KEEPS, b"\1\2\3"),
    "sensed": (QUESTION, 1, 1, 3, bytes([80] * 8), bytes(8), 1000, 60000, 2, 0b1000, 0),
    "refused": (wire.POLL.code, wire.QUESTION_SLOT, 0x0DDBA11, 2, wire.RANGE),
}
"""By message: values of all its fields, as somebody might send them."""


# -- vectors -------------------------------------------------------------------------------------------------------


@cache
def edges() -> dict[str, list[bytes]]:
    """Return for each message, by name, payloads at its bounds and at the edges of its rules; some break a rule."""
    found: dict[str, list[bytes]] = {}
    for declared, message in zip(messages(), wire.MESSAGES, strict=True):
        ruled = at_tests(message, declared, bent_rules, Message.broken)
        values = dict.fromkeys((*at_bounds(message), *ruled, *at_tests(message, declared, bent_needs, _needed)))
        found[message.name] = [message.pack(*it) for it in values]
    return found


def _needed(message: Message, values: Json) -> list[str] | None:
    return message.needs(values) if message.broken(values) is None else None


def payloads() -> Iterator[Json]:
    """Payloads of each message, each with its line: an example, then one or more at each bound, and at its rules."""
    for message in wire.MESSAGES:
        several = (message.encode(*example(message)), *edges()[message.name])
        for payload in (it for it in several if message.fault(it) < 0):
            values = message.unpack(payload)
            boot = wire.NO_ID if message is wire.HOST_HELLO else BOOT
            line = wire.frame(message, boot, RUN, payload)[:-1].decode()
            yield {
                "message": message.name,
                "values": plain(message, values),
                "payload": payload.hex(),
                "boot": boot.hex(),
                "run": RUN.hex(),
                "line": line,
            }


def decoded() -> Iterator[Json]:
    """Payloads of another minor version: longer than known, or ending before a later field."""
    for message in wire.MESSAGES:
        payload = message.encode(*example(message))
        yield {"message": message.name, "payload": payload.hex() + "0102", "values": plain(message, example(message))}
        later = [index for index, field in enumerate(message.fields) if field[6] is not None]
        for index in later:
            values = example(message)[:index]
            short = message.encode(*values, *(field[6] for field in message.fields[index:]))
            size = size_of(message.fields[index:], tuple(field[6] for field in message.fields[index:]))
            ended = short[: len(short) - size]
            yield {"message": message.name, "payload": ended.hex(), "values": plain(message, message.decode(ended))}


def example(message: wire.Message) -> tuple[Any, ...]:
    """Return values for all fields of a message; where the example ends before a later one, its default."""
    values: tuple[Any, ...] = message.decode(message.encode(*EXAMPLES[message.name]))
    return values


def faults() -> Iterator[Json]:
    """For each message: payloads that end within each field, hold a number beyond each bound, or break a rule."""
    for message in wire.MESSAGES:
        values = example(message)
        broken = (*cut(message, values), *beyond_bounds(message, values), *edges()[message.name])
        for payload in dict.fromkeys(broken):
            fault = message.fault(payload)
            if fault >= 0:
                told = {"field": fault >> 8, "reason": fault & 0xFF}
                yield {"message": message.name, "payload": payload.hex(), **told}


def abilities() -> Iterator[Json]:
    """Payloads of the messages to the table, with the abilities that it must have to take them."""
    for message in wire.MESSAGES:
        if message.way == wire.TO_TABLE:
            several = edges()[message.name] if any("test" in need for need in needs(message)) else ()
            for payload in (message.encode(*example(message)), *(it for it in several if message.fault(it) < 0)):
                bits = needed(message, payload)
                names = [name for bit, (name, _) in enumerate(words.ABILITIES) if bits >> bit & 1]
                yield {"message": message.name, "payload": payload.hex(), "abilities": names}


def revisions() -> Iterator[Json]:
    """Payloads of each state message, with slot and revision; last, one whose CRC is 0."""
    for message in wire.MESSAGES:
        if message.group is wire.STATE:
            several = edges()[message.name] if isinstance(SLOTS.get(message.name), str | list) else ()
            for payload in (message.encode(*example(message)), *(it for it in several if message.fault(it) < 0)):
                yield _revision(message, payload)
    yield _revision(wire.IDLE, bytes.fromhex("bc0ad96d"))


def _revision(message: wire.Message, payload: bytes) -> Json:
    slot, revision = wire.slot_of(message, payload), wire.revision(message, payload)
    return {"message": message.name, "payload": payload.hex(), "slot": slot, "revision": revision}


PING_A = wire.frame(wire.PING, BOOT, RUN, wire.PING.encode(1))
PING_B = wire.frame(wire.PING, BOOT, RUN, wire.PING.encode(2))
SHORTEST, LONGEST = (wire.frame(wire.unknown(0x7F), BOOT, RUN, bytes(size)) for size in (0, wire.MAX_PAYLOAD))
STREAMS: tuple[tuple[str, bytes], ...] = (
    ("two frames", PING_A + PING_B),
    ("a prompt before a frame", b"MPY: soft reboot\r\n>>> " + PING_A),
    ("half a frame before a whole one, on one line", PING_A[:20] + PING_B),
    ("half a frame on a line of its own", PING_A[:20] + b"\n" + PING_B),
    ("empty lines between frames", b"\n\n" + PING_A + b"\n\n\n" + PING_B),
    ("a carriage return before the newline", PING_A[:-1] + b"\r\n"),
    ("characters outside base64 within a frame", PING_A[:9] + b"-_ \x00\xff" + PING_A[9:]),
    ("a flipped bit", PING_A[:12] + bytes((PING_A[12] ^ 1,)) + PING_A[13:] + PING_B),
    ("padding that is missing", PING_A[:-2].rstrip(b"=") + b"\n" + PING_B),
    ("too short for any frame", b"!AAAA\n" + PING_A),
    ("long enough for a line, not for a body", b"!" + b"=" * 30 + b"\n" + PING_A),
    ("longer than any frame", b"!" + b"A" * 300 + b"\n" + PING_A),
    ("no newline for long", b"x" * 1000 + b"\n" + PING_A),
    ("a frame at the end of a line that is longer than any", b"x" * 1000 + PING_A),
    ("noise before a line that is no frame", b"noise" + PING_A[:12] + bytes((PING_A[12] ^ 1,)) + PING_A[13:] + PING_B),
    ("a carriage return alone on a line", b"\r\n" + PING_A),
    ("the shortest frame", SHORTEST + PING_A),
    ("the longest frame", LONGEST + PING_A),
    ("as long as the longest frame, and a character more", LONGEST[:9] + b" " + LONGEST[9:] + PING_A),
)
"""Bytes as they may come in."""


def streams() -> Iterator[Json]:
    """Streams of bytes, the frames in them, and how many bad frames a receiver counts."""
    for what, data in STREAMS:
        splitter = wire.Splitter()
        found: list[bytes] = []
        splitter.feed(data, found)
        good, bad = [], splitter.dropped
        for line in found:
            try:
                message, boot, run, payload = wire.unframe(line)
                good.append(wire.frame(message, boot, run, payload)[:-1].decode())
            except wire.WireError:
                bad += 1
        yield {"what": what, "bytes": data.hex(), "frames": good, "bad": bad}


def commitments() -> Iterator[Json]:
    """Yield examples of commitments to choices."""
    for place, seat, choice in ((3, 2, 1), (1, 0, 0), (6, 255, 2)):
        yield {
            "major": wire.MAJOR,
            "board": BOARD.hex(),
            "boot": BOOT.hex(),
            "question": QUESTION,
            "place": place,
            "seat": seat,
            "nonce": NONCE.hex(),
            "choice": choice,
            "commitment": wire.commitment(BOARD, BOOT, QUESTION, place, seat, NONCE, choice).hex(),
        }


def rolled() -> Iterator[Json]:
    """Yield examples of rolls: commitments and outcomes."""
    for ranges, nonce in zip(ROLLS, NONCES, strict=True):
        packed = struct.pack(f"<{len(ranges)}H", *ranges)
        yield {
            "major": wire.MAJOR,
            "board": BOARD.hex(),
            "boot": BOOT.hex(),
            "question": QUESTION,
            "place": 3,
            "ranges": list(ranges),
            "nonce": nonce.hex(),
            "commitment": rolls.commitment(BOARD, BOOT, QUESTION, 3, packed, nonce).hex(),
            "contribution": CONTRIBUTION.hex(),
            "outcomes": rolls.outcomes(BOARD, BOOT, QUESTION, 3, packed, nonce, CONTRIBUTION),
        }


def seals() -> Iterator[Json]:
    """A chain: each link's seal is of the one before."""
    head = seal.begin(BOARD, BOOT)
    yield {"board": BOARD.hex(), "boot": BOOT.hex(), "seal": head.hex(), "picture": list(seal.picture(head))}
    links = (
        (wire.COMMITTED, 1, 3, EXAMPLES["committed"][4] + struct.pack("<I", 1)),
        (wire.REVEALED, 2, 3, NONCE + CONTRIBUTION),
        (wire.OPENED, 5, 3, NONCE + b"\1"),
    )
    for message, number, place, said in links:
        head = seal.link(head, message.code, number, QUESTION, place, said)
        yield {
            "message": message.name,
            "number": number,
            "question": QUESTION,
            "place": place,
            "said": said.hex(),
            "seal": head.hex(),
            "picture": list(seal.picture(head)),
        }


def steps(name: str) -> Iterator[Json]:
    """A recorded session: lines with what they hold, and notes of what people do."""
    lines = session(name).splitlines()
    for line, after in pairwise([*lines, ""]):
        if line.startswith("          "):
            continue
        ms, way, text = line.split(None, 2)
        if way == "#":
            yield {"ms": int(ms), "note": text}
        else:
            message, *fields = (after if text.startswith("!") else text.removesuffix(" …")).split()
            said = dict(field.split("=", 1) for field in fields)
            step = {"ms": int(ms), "way": "to table" if way == ">" else "to host", "message": message, "values": said}
            yield step | ({"line": text} if text.startswith("!") else {})


def document() -> Json:
    return {
        "about": __doc__.split("\n\n")[1].replace("\n", " ").replace("``", "'"),
        "version": {"major": wire.MAJOR, "minor": wire.MINOR},
        "constants": constants(),
        "classes": CLASSES,
        "grammar": GRAMMAR,
        "messages": messages(),
        "hashes": hashes(),
        "times": list(times()),
        "limits": list(limits()),
        "vectors": {
            "payloads": list(payloads()),
            "decoded": list(decoded()),
            "faults": list(faults()),
            "revisions": list(revisions()),
            "abilities": list(abilities()),
            "streams": list(streams()),
            "commitments": list(commitments()),
            "rolls": list(rolled()),
            "seals": list(seals()),
        },
        "sessions": {name: list(steps(name)) for name in SESSIONS},
    }


def text() -> str:
    """Return the file: one line for each message, vector and step."""
    return "\n".join(_lines(document(), 0)) + "\n"


def _lines(value: Any, depth: int) -> Iterator[str]:
    pad = " " * depth
    flat = json.dumps(value, ensure_ascii=False)
    deep = isinstance(value, dict | list) and value and depth < 3 and len(flat) > 110
    if not deep:
        yield pad + flat
        return
    items = value.items() if isinstance(value, dict) else [(None, it) for it in value]
    yield pad + ("{" if isinstance(value, dict) else "[")
    for number, (key, it) in enumerate(items, 1):
        first, *rest = _lines(it, depth + 1)
        name = f"{json.dumps(key)}: " if key is not None else ""
        block = [pad + " " + name + first.strip(), *rest]
        block[-1] += "," if number < len(value) else ""
        yield from block
    yield pad + ("}" if isinstance(value, dict) else "]")
