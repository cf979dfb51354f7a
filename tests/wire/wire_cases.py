"""What must hold for the codec, wherever it runs: every ``case_…`` runs in CPython and in the MicroPython VM.

Plain Python that both understand; no imports beyond what the firmware has.
"""

import struct
from binascii import b2a_base64, crc32, hexlify
from hashlib import sha256

from tablier_fw import rolls, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

BOOT = b"\x01\x02\x03\x04\x05\x06\x07\x08"
RUN = b"\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8"

PING_LINE = b"!MQECAwQFBgcIoaKjpKWmp6gBAAAAAAAAAAg6XRk=\n"
"""A ping at host time 1, written down by hand: the code, boot, run, u64, and the CRC-32 of these 25 bytes."""


def fails(action: "Callable[[], object]", *words: str) -> bool:
    """Return True if an action raises a WireError with these words."""
    try:
        action()
    except wire.WireError as error:
        for word in words:
            assert word in str(error), (word, str(error))
        return True
    return False


class Noise:
    """Repeatable noise, equal on every Python: what it makes can be compared between them."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def below(self, limit: int) -> int:
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % limit

    def bytes(self, count: int) -> "bytes":
        return bytes([self.below(256) for _ in range(count)])


def number_in(width: int, low: int, high: "int | None", noise: Noise) -> int:
    """A number in a range, often at its edges."""
    if high is None:
        high = (1 << 8 * width) - 1
    edge = noise.below(4)
    if edge < 2:
        return (low, high)[edge]
    if high - low < 1 << 20:
        return low + noise.below(high - low + 1)
    return low + int.from_bytes(noise.bytes(width), "little") % (high - low + 1)


def units_in(form: str, count: int, low: "int | tuple[int, ...]", high: "Any", noise: Noise) -> bytes:
    """Return units of a row, or bytes of a string."""
    row = b""
    for _ in range(count):
        for at in range(len(form)):
            least = low[at] if isinstance(low, tuple) else low
            most = high[at] if isinstance(high, tuple) else high
            row += struct.pack("<" + form[at], number_in(struct.calcsize("<" + form[at]), least, most, noise))
    return row


def value_in(field: "tuple[Any, ...]", noise: Noise) -> "Any":
    """A value that a field's declaration allows."""
    _, form, low, high, least, most, _ = field
    if form[0] == "*":
        count = number_in(1, least, min(most, wire.MAX_PAYLOAD // struct.calcsize("<" + form[1:])), noise)
        return units_in(form[1:], count, low, high, noise)
    if form[-1] == "s":
        return units_in("B", int(form[:-1]), low, high, noise)
    return number_in(struct.calcsize("<" + form), low, high, noise)


def values_in(message: wire.Message, noise: Noise) -> "list[Any]":
    """Values of all fields that the declaration of a message allows, its rules included."""
    values = [value_in(field, noise) for field in message.fields]
    if message is wire.SCENE:
        values[1] = units_in("BBB", wire.GROUPS[values[0]], 0, message.fields[1][3], noise)
    elif message is wire.CHOICE:
        places = values[2]
        values[3] &= ~places
        every = (1 << len(values[6])) - 1
        values[4] = bytes([1 + noise.below(every) if places >> place & 1 else 0 for place in range(wire.PLACES)])
    elif message is wire.WINDOW:
        values[3] &= ~values[2]
        values[2] = values[2] or ~values[3] & wire.ALL_PLACES or 1
        values[3] &= ~values[2]
    elif message is wire.MENU:
        if not values[1] & wire.SECRET:
            values[5] = bytes([min(label, 12) for label in values[5]])
        values[3] = 0 if values[1] & wire.SECRET else values[3] % len(values[5])
        values[4] = values[4] & (1 << len(values[5])) - 1 or 1
    elif message is wire.TALLY:
        given = values[5][: values[3] - 1 + bool(values[1] & wire.MARK)]
        values[5] = bytes([face % len(values[4]) for face in given])
    return values


def stuffed(body: bytes) -> bytes:
    """The line of a body, with its checksum; independent of :func:`wire.frame`."""
    body = body + crc32(body).to_bytes(4, "little")
    return b"!" + b2a_base64(body)[:-1]


# -- frames ------------------------------------------------------------------------------------------------


def case_a_frame_is_what_the_document_says() -> None:
    line = wire.frame(wire.PING, BOOT, RUN, struct.pack("<Q", 1))
    assert line == PING_LINE, line
    message, boot, run, payload = wire.unframe(line[:-1])
    assert message is wire.PING
    assert (boot, run, payload) == (BOOT, RUN, b"\1\0\0\0\0\0\0\0")
    assert wire.PING.decode(payload) == (1,)


def case_every_message_makes_the_round_trip() -> None:
    noise = Noise(1)
    for message in wire.MESSAGES:
        for _ in range(5):
            values = tuple(values_in(message, noise))
            payload = message.encode(*values)
            line = wire.frame(message, BOOT, RUN, payload)
            assert len(line) <= wire.MAX_LINE
            assert line[-1] == wire.END and line.find(b"\n") == len(line) - 1
            assert min(line[:-1]) >= 0x20 and max(line) < 0x7F
            got, boot, run, again = wire.unframe(line[:-1])
            assert got is message and boot == BOOT and run == RUN and again == payload
            assert message.decode(again) == values, (message.name, values)


def case_every_code_and_name_is_used_once() -> None:
    assert len(wire.BY_CODE) == len(wire.MESSAGES)
    assert len({message.name for message in wire.MESSAGES}) == len(wire.MESSAGES)


def case_the_longest_payload_fits_and_a_longer_one_is_refused() -> None:
    payload = bytes(wire.MAX_PAYLOAD)
    line = wire.frame(wire.PING, BOOT, RUN, payload)
    assert len(line) == wire.MAX_LINE
    found: list[bytes] = []
    wire.Splitter().feed(line, found)
    assert found == [line[:-1]] and wire.unframe(line[:-1])[3] == payload
    assert fails(lambda: wire.unframe(wire.frame(wire.PING, BOOT, RUN, payload + b"\0")[:-1]), "too long")


def case_a_field_of_a_later_minor_version_has_a_default() -> None:
    fields = (
        wire.field("old", "B", 1, 2),
        wire.field("new", "H", 1, 500, default=7),
        wire.field("row", "*B", 0, 3, 0, 4, b"\2"),
    )
    later = wire.Message(0x7F, "later", wire.TO_TABLE, fields)
    assert later.decode(b"\1") == (1, 7, b"\2")
    assert later.decode(b"\1\5\0") == (1, 5, b"\2")
    assert later.decode(b"\1\5\0\1\3") == (1, 5, b"\3")
    assert later.pack(1, 5, b"\3\3") == b"\1\5\0\2\3\3"
    assert later.fault(b"\1\5") == 0x101 and later.fault(b"\1\0\0") == 0x102
    assert later.fault(b"\1\5\0\1") == 0x201 and later.fault(b"\1\5\0\1\4") == 0x202


def case_what_is_no_frame_is_refused() -> None:
    assert fails(lambda: wire.unframe(b""), "start mark")
    assert fails(lambda: wire.unframe(PING_LINE[1:-1]), "start mark")
    assert fails(lambda: wire.unframe(b"!MQEC"), "too short")
    assert fails(lambda: wire.unframe(b"!MQECA"), "base64")
    assert fails(lambda: wire.unframe(b"!"), "too short")
    message, boot, run, payload = wire.unframe(stuffed(b"\x7f" + BOOT + RUN + b"?"))
    assert (message.code, message.name, message.group, boot, run, payload) == (127, "", wire.PRIVATE, BOOT, RUN, b"?")
    message, _, _, payload = wire.unframe(stuffed(b"\x1f" + BOOT + RUN + b"\5\0\0\0" + bytes(8) + b"?"))
    assert (message.group, message.decode(payload)) == (wire.EVENT, (5, 0))
    assert wire.unframe(stuffed(b"\x31" + BOOT + RUN))[3] == b""
    assert fails(lambda: wire.unframe(stuffed(b"\x31" + BOOT + RUN[:-1])), "too short")


def case_no_flipped_bit_goes_unnoticed() -> None:
    line = PING_LINE[:-1]
    for bit in range(len(line) * 8):
        flipped = bytearray(line)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            got = wire.unframe(bytes(flipped))
        except wire.WireError:
            continue
        assert got == wire.unframe(line), bit  # the two last bits of base64 carry nothing


# -- the splitter ------------------------------------------------------------------------------------------


def split(*pieces: bytes) -> "list[bytes]":
    splitter = wire.Splitter()
    found: list[bytes] = []
    for piece in pieces:
        splitter.feed(piece, found)
    return found


def case_the_splitter_finds_frames_between_anything() -> None:
    line = PING_LINE[:-1]
    assert split(PING_LINE + PING_LINE) == [line, line]
    assert split(b"MPY: soft reboot\r\n>>> " + PING_LINE + b"garbage\n" + PING_LINE) == [line, line]
    assert split(PING_LINE[:20] + PING_LINE) == [line]  # half a frame costs only itself
    assert split(PING_LINE[20:] + PING_LINE) == [line]
    assert split(b"\0\n\n\n" + PING_LINE) == [line]
    assert split(b"!" * 1000 + PING_LINE) == [line]


def case_pieces_make_no_difference() -> None:
    stream = b"noise" + PING_LINE + PING_LINE[:9] + PING_LINE + b"!" + b"A" * 400 + PING_LINE + b"B" * 900 + PING_LINE
    whole = split(stream)
    assert whole == [PING_LINE[:-1]] * 4
    for size in (1, 2, 3, 7, 64, 300):
        assert split(*[stream[i : i + size] for i in range(0, len(stream), size)]) == whole, size


def case_a_line_that_is_too_long_is_dropped_and_not_kept() -> None:
    splitter = wire.Splitter()
    found: list[bytes] = []
    for _ in range(50):
        splitter.feed(b"!" + b"A" * 999, found)
    assert found == [] and splitter.dropped == 1 and splitter.overlong
    assert len(splitter._rest) < wire.MAX_LINE
    splitter.feed(PING_LINE, found)
    assert found == [PING_LINE[:-1]]


def case_a_line_is_counted_once_however_it_comes() -> None:
    long = b"!" + b"A" * 2000
    for stream, dropped in (
        (long + b"\n" + PING_LINE, 1),
        (long + PING_LINE + PING_LINE, 1),  # the end of the long line is a frame
        (long + b"\n" + long + b"\n" + PING_LINE, 2),
        (b"x" * 285 + b"\n" + PING_LINE, 1),
        (b"x" * 286 + b"\n" + PING_LINE, 1),
        (b"\r\n\r\n" + PING_LINE, 2),
    ):
        for size in (1, 7, 64, 285, 286, 287, 300, 5000):
            splitter = wire.Splitter()
            found: list[bytes] = []
            for at in range(0, len(stream), size):
                splitter.feed(stream[at : at + size], found)
            assert splitter.dropped == dropped and not splitter.overlong, (stream[-60:], size, splitter.dropped)
            assert found == [PING_LINE[:-1]] * stream.count(PING_LINE), (stream[-60:], size)


# -- what both sides must agree on ---------------------------------------------------------------------------


def case_a_revision_tells_contents_apart() -> None:
    payload = wire.WATCH.encode(7, 0, 3)
    assert wire.revision(wire.WATCH, payload) == wire.revision(wire.WATCH, bytes(payload))
    assert wire.revision(wire.WATCH, payload) != wire.revision(wire.WATCH, wire.WATCH.encode(8, 0, 3))
    assert wire.revision(wire.IDLE, b"\1\0\0\0") != wire.revision(wire.TONE, b"\1\0\0\0")
    assert wire.revision(wire.WATCH, payload) == 0x2F67F52F  # CRC-32 from 0x27 over 07 00 00 00 00 03


def case_no_content_has_the_revision_of_none() -> None:
    payload = b"\xbc\x0a\xd9\x6d"  # found by running CRC-32 backwards: from 0x21 its checksum is 0
    assert crc32(payload, wire.IDLE.code) == 0
    assert wire.revision(wire.IDLE, payload) == 1


def case_the_commitment_is_the_documented_hash() -> None:
    board, boot, nonce = bytes(range(8)), bytes(range(8, 16)), bytes(range(16, 32))
    bound = wire.commitment(board, boot, 258, 3, 2, nonce, 1)
    preimage = b"tablier choice\0\0" + b"\2\0" + board + boot + b"\2\1\0\0" + b"\3\2" + nonce + b"\1"
    assert len(preimage) == 57
    assert hexlify(bound) == b"af7850ec0c4a80683048e9d335d16f711cb813881aba185d32d6f70ba9e33463"
    assert bound == sha256(preimage).digest()
    others = [
        wire.commitment(boot, boot, 258, 3, 2, nonce, 1),
        wire.commitment(board, board, 258, 3, 2, nonce, 1),
        wire.commitment(board, boot, 259, 3, 2, nonce, 1),
        wire.commitment(board, boot, 258, 4, 2, nonce, 1),
        wire.commitment(board, boot, 258, 3, 1, nonce, 1),
        wire.commitment(board, boot, 258, 3, 2, bytes(16), 1),
        wire.commitment(board, boot, 258, 3, 2, nonce, 0),
    ]
    assert len(set(others)) == 7 and bound not in others


RANGES = struct.pack("<8H", 6, 6, 6, 6, 6, 25, 24, 65535)


def rolled(ranges: bytes = RANGES, nonce: bytes = bytes(range(16, 32))) -> "list[int]":
    """Return the outcomes of a roll."""
    return rolls.outcomes(bytes(range(8)), bytes(range(8, 16)), 258, 3, ranges, nonce, bytes(range(32, 48)))


def case_the_commitment_of_a_roll_is_the_documented_hash() -> None:
    board, boot, nonce = bytes(range(8)), bytes(range(8, 16)), bytes(range(16, 32))
    ranges = struct.pack("<2H", 6, 25)
    bound = rolls.commitment(board, boot, 258, 3, ranges, nonce)
    preimage = b"tablier roll\0\0\0\0" + b"\2\0" + board + boot + b"\2\1\0\0" + b"\3"
    preimage += sha256(b"\6\0\x19\0").digest() + nonce
    assert len(preimage) == 87
    assert bound == sha256(preimage).digest()
    others = [
        rolls.commitment(boot, boot, 258, 3, ranges, nonce),
        rolls.commitment(board, board, 258, 3, ranges, nonce),
        rolls.commitment(board, boot, 259, 3, ranges, nonce),
        rolls.commitment(board, boot, 258, 0, ranges, nonce),
        rolls.commitment(board, boot, 258, 3, ranges + ranges, nonce),
        rolls.commitment(board, boot, 258, 3, ranges, bytes(16)),
    ]
    assert len(set(others)) == 6 and bound not in others


def case_the_outcomes_of_a_roll_are_the_documented_ones() -> None:
    """Derived again as the document says it, byte by byte."""
    ranges = (6, 6, 6, 6, 6, 25, 24, 65535)
    head = b"tablier outcome\0" + b"\2\0" + bytes(range(16)) + b"\2\1\0\0" + b"\3"
    head += sha256(struct.pack("<8H", *ranges)).digest() + bytes(range(16, 48))
    assert len(head) == 103
    words = list(struct.unpack("<8I", sha256(head + bytes(4)).digest()))
    assert rolled() == [words[at] % ranges[at] for at in range(8)] == [3, 0, 2, 4, 0, 22, 1, 34803]


def case_a_word_of_the_short_last_round_is_passed_over() -> None:
    """Rounds of 65175 leave 65146 words over; with this nonce, found by search, word 37 is one of them."""
    ranges, nonce = struct.pack("<40H", *[65175] * 40), bytes((205,)) + bytes(15)
    head = b"tablier outcome\0" + b"\2\0" + bytes(range(16)) + b"\2\1\0\0" + b"\3"
    head += sha256(ranges).digest() + nonce + bytes(range(32, 48))
    words: list[int] = []
    for counter in range(6):
        words += struct.unpack("<8I", sha256(head + struct.pack("<I", counter)).digest())
    assert [at for at, word in enumerate(words) if word >= 65175 * 65898] == [37]
    assert rolled(ranges=ranges, nonce=nonce) == [word % 65175 for word in words[:37] + words[38:41]]
    assert rolls.outcomes(bytes(8), bytes(8), 1, 0, b"\1\0" * 40, bytes(16), bytes(16)) == [0] * 40


# -- the same on every Python ----------------------------------------------------------------------------------


def fingerprint() -> "tuple[int, int, int]":
    """A number that differs when this codec does anything differently somewhere else."""
    noise, total = Noise(7), wire.MAJOR
    splitter = wire.Splitter()
    found: list[bytes] = []
    for _ in range(150):
        message = wire.MESSAGES[noise.below(len(wire.MESSAGES))]
        values = values_in(message, noise)
        sent = bytearray(wire.frame(message, noise.bytes(8), noise.bytes(8), message.encode(*values)))
        kind = noise.below(5)
        if kind == 0:
            sent[noise.below(len(sent))] ^= 1 << noise.below(8)
        elif kind == 1:
            sent = sent[: noise.below(len(sent))]
        elif kind == 2:
            sent = bytearray(noise.bytes(noise.below(40))) + sent
        total = crc32(bytes(sent), total)
        at = noise.below(len(sent) + 1)
        splitter.feed(bytes(sent[:at]), found)
        splitter.feed(bytes(sent[at:]), found)
    for line in found:
        try:
            message, boot, run, payload = wire.unframe(line)
            total = crc32(repr((message.name, boot, run, payload, message.decode(payload))).encode(), total)
            total = crc32(str(wire.revision(message, payload)).encode(), total)
        except wire.WireError as error:
            total = crc32(str(error).encode(), total)
    return total, len(found), splitter.dropped


CASES = sorted([name for name in globals() if name.startswith("case_")])
