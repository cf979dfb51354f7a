"""``firmware/PROTOCOL.md`` says what the code does: tables are up to date, and its examples hold by themselves.

The worked frames and the commitment are checked with the standard library alone, as a reader would who writes another
implementation from the document.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
import zlib
from pathlib import Path

import pytest
from tests.protocol_tables import SECTION, SECTIONS, renewed
from tests.sessions import SESSIONS, play, stored
from tests.wire import declarations
from tests.wire.numbers_in_sources import TIMES

from tablier_fw import colours, wire

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "firmware" / "PROTOCOL.md").read_text(encoding="utf-8")

FRAMES = re.findall(r"```frame\n(.*?)```", TEXT, re.DOTALL)


def parts_of(example: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the lines of a worked example: (name → value, field → text)."""
    parts: dict[str, str] = {}
    fields: dict[str, str] = {}
    for line in example.splitlines():
        if line[0] == " ":
            name, _, text = line.strip().partition(" =")
            fields[name] = text.strip()
        else:
            name, value = line.split(maxsplit=1)
            parts[name] = value
    return parts, fields


def test_the_generated_sections_are_up_to_date() -> None:
    assert renewed(TEXT) == TEXT, "run: python -m tests.protocol_tables"


def test_every_section_is_there_once() -> None:
    assert sorted(re.findall(r"<!-- generated: ([\w-]+) -->", TEXT)) == sorted(SECTIONS)


def test_every_message_is_documented_once() -> None:
    headings = re.findall(r"^#### 0x([0-9a-f]{2}) `(\w+)`, (\w+ → \w+)(?:, since (2\.\d))?$", TEXT, re.MULTILINE)
    assert sorted((int(code, 16), name, way, since or "2.0") for code, name, way, since in headings) == [
        (message.code, message.name, message.way, declarations.since(message.name)) for message in wire.MESSAGES
    ]


def test_every_example_is_what_its_line_says() -> None:
    examples = re.findall(r"```line\n(!\S+)\n(\w+)(.*)\n```", TEXT)
    assert sorted(name for _, name, _ in examples) == sorted(message.name for message in wire.MESSAGES)
    for line, name, fields in examples:
        message, _, run, payload = wire.unframe(line.encode())
        shown = [value.hex() if isinstance(value, bytes) else str(value) for value in message.decode(payload)]
        assert name == message.name and run == bytes.fromhex("a1a2a3a4a5a6a7a8")
        assert fields.split() == [f"{it}={value}" for it, value in zip(message.names, shown, strict=True)]


def test_it_says_when_a_field_came() -> None:
    assert "- `given` is there since 2.1; a payload that ends before it means none." in TEXT
    assert "- `game` is there since 2.2; a payload that ends before it means 0." in TEXT
    assert "- **2.3**: fields `window.first`." in TEXT
    assert "- **2.4**: fields `scene.light`, `tone.volume`." in TEXT
    assert "- **2.1**: messages `committed`, `revealed`, `roll`, `contribution`; fields `tally.given`;" in TEXT


@pytest.mark.parametrize("example", FRAMES, ids=[parts_of(example)[0]["message"] for example in FRAMES])
def test_a_worked_frame_is_what_its_parts_say(example: str) -> None:
    parts, fields = parts_of(example)
    line = parts["line"]
    assert line[0] == "!"
    body = base64.b64decode(line[1:], validate=True)
    assert base64.b64encode(body).decode() == line[1:]
    assert body.hex() == parts["code"] + parts["boot"] + parts["run"] + parts["payload"] + parts["crc"]
    assert zlib.crc32(body[:-4]).to_bytes(4, "little") == body[-4:]
    # and so says the codec, back and forth
    message, boot, run, payload = wire.unframe(line.encode())
    assert message.name == parts["message"]
    values = message.decode(payload)
    shown = [value.hex() if isinstance(value, bytes) else str(value) for value in values]
    assert dict(zip(message.names, shown, strict=True)) == fields
    assert wire.frame(message, boot, run, message.encode(*values)).decode() == line + "\n"


def test_the_worked_commitment_is_the_hash_of_its_parts() -> None:
    (example,) = re.findall(r"```commitment\n(.*?)```", TEXT, re.DOTALL)
    *parts, (_, bound) = [line.split() for line in example.splitlines()]
    preimage = bytes.fromhex("".join(value for _, value in parts))
    assert hashlib.sha256(preimage).hexdigest() == bound
    offset = 0
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", TEXT.split("\n## Commitments")[1].split("\n## Rolls")[0], re.MULTILINE)
    for (at, size), (_, value) in zip(rows, parts, strict=True):
        assert (int(at), int(size)) == (offset, len(value) // 2)
        offset += len(value) // 2
    assert offset == len(preimage) == 57


@pytest.mark.parametrize("number", [0, 1])
def test_a_worked_roll_is_derived_from_its_parts(number: int) -> None:
    """As a reader does it: hashes, words, and what is passed over."""
    example = re.findall(r"```roll\n(.*?)```", TEXT, re.DOTALL)[number]
    parts = dict(line.split(maxsplit=1) for line in example.splitlines())
    ranges = [int(word) for word in parts["of"].split()]
    assert hashlib.sha256(struct.pack(f"<{len(ranges)}H", *ranges)).hexdigest() == parts["ranges"]
    ids = "".join(parts[name] for name in ("major", "board", "boot", "question", "place", "ranges", "nonce"))
    committed = bytes.fromhex(parts["tag"] + ids)
    assert len(committed) == 87 and hashlib.sha256(committed).hexdigest() == parts["commitment"]
    head = b"tablier outcome\0" + bytes.fromhex(ids + parts["contribution"])
    assert len(head) == 103
    words: list[int] = []
    for counter in range(len(ranges)):
        words += struct.unpack("<8I", hashlib.sha256(head + struct.pack("<I", counter)).digest())
    outcomes: list[int] = []
    passed: list[int] = []
    for at, word in enumerate(words[: len(ranges) + 1]):
        if len(outcomes) == len(ranges):
            break
        count = ranges[len(outcomes)]
        if word >= 2**32 - 2**32 % count:
            passed.append(at)
        else:
            outcomes.append(word % count)
    assert outcomes == [int(word) for word in parts["outcomes"].split()]
    assert passed == ([], [29])[number]
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", TEXT.split("\n## Rolls")[1].split("\n## The seal")[0], re.MULTILINE)
    assert [int(at) for at, _ in rows] == [sum(int(size) for _, size in rows[:n]) for n in range(len(rows))]
    assert sum(int(size) for _, size in rows) == 107


def test_the_worked_seal_is_a_chain_of_hashes() -> None:
    """As a reader does it: hash after hash, and three bits a pixel."""
    (example,) = re.findall(r"```seal\n(.*?)```", TEXT, re.DOTALL)
    begin, *links, picture = [line.split() for line in example.splitlines()]
    head = b"tablier seal\0\0\0\0" + bytes.fromhex("0200" + "e6614103e7452d2f" + "0102030405060708")
    sealed = hashlib.sha256(head).digest()
    assert len(head) == 34 and begin == ["begin", sealed.hex()]
    assert [name for name, *_ in links[::2]] == ["committed", "revealed", "opened"]
    for (_, ids, said), (after,) in zip(links[::2], links[1::2], strict=True):
        sealed = hashlib.sha256(sealed + bytes.fromhex(ids + said)).digest()
        assert after == sealed.hex()
    bits = f"{int.from_bytes(sealed, 'big'):0256b}"
    assert picture == ["picture", *(str(int(bits[at : at + 3], 2)) for at in range(0, 96, 3))]


def test_the_numbers_of_a_line_are_those_of_the_code() -> None:
    assert f"A frame has {wire.MIN_LINE} to {wire.MAX_LINE} bytes" in TEXT
    assert f"0–{wire.MAX_PAYLOAD} | payload" in TEXT
    assert f"in {wire.SLOTS} **slots**" in TEXT


def test_no_time_that_can_be_noticed_is_left_out() -> None:
    """Those of landings are in ``firmware/LANDINGS.md``."""
    told = {(path, name) for path, name, _ in TIMES}
    firmware = ROOT / "firmware" / "tablier_fw"
    sources = [
        *firmware.glob("*.py"),
        *firmware.glob("questions/*.py"),
        *(ROOT / "host" / "tablier" / "table").glob("*.py"),
    ]
    for source in sources:
        path = source.relative_to(ROOT).as_posix()
        for name in re.findall(r"^([A-Z][A-Z_]*_(?:MS|S)) = ", source.read_text(encoding="utf-8"), re.MULTILINE):
            assert (path, name) in told or source.stem == "landing", (path, name)


def test_colours_go_by_the_names_of_the_code() -> None:
    prose = re.sub(SECTION, "", TEXT)
    named = set(re.findall(r"`([A-Z_]{4,})`", prose)) - {"TIOCEXCL"}
    assert named == {name for name, look in vars(colours).items() if name.isupper() and isinstance(look, tuple)} - {
        "PALETTE"
    }


def test_every_place_that_the_document_points_to_is_there() -> None:
    anchors = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    }
    links = re.findall(r"\]\(#([^)]+)\)", TEXT)
    assert links and set(links) <= anchors
    for path in re.findall(r"`((?:firmware|hardware|host|tests)/[\w/.]+)`", TEXT):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize("name", SESSIONS)
def test_the_firmware_plays_a_documented_session_byte_for_byte(name: str) -> None:
    assert play(name) == stored(name), "run: python -m tests.sessions && python -m tests.protocol_tables"
