"""What must hold for the codec, wherever it runs: every ``case_…`` runs in CPython and in the MicroPython VM.

Plain Python that both understand; no imports beyond what the firmware has.
"""

import struct
from binascii import b2a_base64, crc32, hexlify
from hashlib import sha256

from tablier_fw import wire

BOOT = b"\x01\x02\x03\x04\x05\x06\x07\x08"
RUN = b"\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8"

PING_LINE = b"!MQECAwQFBgcIoaKjpKWmp6gBAAAAAAAAAAg6XRk=\n"
"""A ping at host time 1, written down by hand: the code, boot, run, u64, and the CRC-32 of these 25 bytes."""


def fails(action, *words):
    """Whether an action raises a WireError that says these words."""
    try:
        action()
    except wire.WireError as error:
        for word in words:
            assert word in str(error), (word, str(error))
        return True
    return False


class Noise:
    """Repeatable noise, equal on every Python: what it makes can be compared between them."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 1103515245 + 12345) & 0x7FFFFFFF
        return (self.state >> 8) % limit

    def bytes(self, count):
        return bytes([self.below(256) for _ in range(count)])


def value_for(code, noise):
    """A value that a field of this format can have."""
    if code == "*":
        return noise.bytes(noise.below(30))
    if code.endswith("s"):
        return noise.bytes(int(code[:-1]))
    return int.from_bytes(noise.bytes(struct.calcsize("<" + code)), "little")


def stuffed(body):
    """The line of a body, with its checksum; independent of :func:`wire.frame`."""
    body = body + crc32(body).to_bytes(4, "little")
    return b"!" + b2a_base64(body)[:-1]


# -- frames ------------------------------------------------------------------------------------------------


def case_a_frame_is_what_the_document_says():
    line = wire.frame(wire.PING, BOOT, RUN, struct.pack("<Q", 1))
    assert line == PING_LINE, line
    message, boot, run, payload = wire.unframe(line[:-1])
    assert message is wire.PING
    assert (boot, run, payload) == (BOOT, RUN, b"\1\0\0\0\0\0\0\0")
    assert wire.PING.decode(payload) == (1,)


def case_every_message_makes_the_round_trip():
    noise = Noise(1)
    for message in wire.MESSAGES:
        for _ in range(5):
            values = tuple([value_for(code, noise) for _, code in message.fields])
            payload = message.encode(*values)
            line = wire.frame(message, BOOT, RUN, payload)
            assert len(line) <= wire.MAX_LINE
            assert line[-1] == wire.END and line.find(b"\n") == len(line) - 1
            assert min(line[:-1]) >= 0x20 and max(line) < 0x7F
            got, boot, run, again = wire.unframe(line[:-1])
            assert got is message and boot == BOOT and run == RUN and again == payload
            assert message.decode(again) == values, (message.name, values)


def case_every_code_and_name_is_used_once():
    assert len(wire.BY_CODE) == len(wire.MESSAGES)
    assert len({message.name for message in wire.MESSAGES}) == len(wire.MESSAGES)


def case_the_longest_payload_fits_and_a_longer_one_is_refused():
    longest = wire.MAX_PAYLOAD - wire.TONE.size
    payload = wire.TONE.encode(1, bytes(longest))
    line = wire.frame(wire.TONE, BOOT, RUN, payload)
    assert len(line) == wire.MAX_LINE
    found = []
    wire.Splitter().feed(line, found)
    assert found == [line[:-1]]
    assert fails(lambda: wire.TONE.encode(1, bytes(longest + 1)), "193")


def case_a_payload_of_another_length_is_refused():
    assert fails(lambda: wire.PING.decode(b"1234567"), "ping", "7")
    assert fails(lambda: wire.PING.decode(b"123456789"), "ping", "9")
    assert fails(lambda: wire.TONE.decode(b"123"), "tone", "3")
    assert wire.TONE.decode(b"\1\0\0\0") == (1, b"")


def case_what_is_no_frame_is_refused():
    assert fails(lambda: wire.unframe(b""), "start mark")
    assert fails(lambda: wire.unframe(PING_LINE[1:-1]), "start mark")
    assert fails(lambda: wire.unframe(b"!MQEC"), "too short")
    assert fails(lambda: wire.unframe(b"!MQECA"), "base64")
    assert fails(lambda: wire.unframe(b"!"), "too short")
    assert fails(lambda: wire.unframe(stuffed(b"\x7f" + BOOT + RUN)), "unknown message 127")
    assert wire.unframe(stuffed(b"\x31" + BOOT + RUN))[3] == b""
    assert fails(lambda: wire.unframe(stuffed(b"\x31" + BOOT + RUN[:-1])), "too short")


def case_no_flipped_bit_goes_unnoticed():
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


def split(*pieces):
    splitter, found = wire.Splitter(), []
    for piece in pieces:
        splitter.feed(piece, found)
    return found


def case_the_splitter_finds_frames_between_anything():
    line = PING_LINE[:-1]
    assert split(PING_LINE + PING_LINE) == [line, line]
    assert split(b"MPY: soft reboot\r\n>>> " + PING_LINE + b"garbage\n" + PING_LINE) == [line, line]
    assert split(PING_LINE[:20] + PING_LINE) == [line]  # half a frame costs only itself
    assert split(PING_LINE[20:] + PING_LINE) == [line]
    assert split(b"\0\n\n\n" + PING_LINE) == [line]
    assert split(b"!" * 1000 + PING_LINE) == [line]


def case_pieces_make_no_difference():
    stream = b"noise" + PING_LINE + PING_LINE[:9] + PING_LINE + b"!" + b"A" * 400 + PING_LINE + b"B" * 900 + PING_LINE
    whole = split(stream)
    assert whole == [PING_LINE[:-1]] * 4
    for size in (1, 2, 3, 7, 64, 300):
        assert split(*[stream[i : i + size] for i in range(0, len(stream), size)]) == whole, size


def case_a_line_that_is_too_long_is_dropped_and_not_kept():
    splitter, found = wire.Splitter(), []
    for _ in range(50):
        splitter.feed(b"!" + b"A" * 999, found)
    assert found == [] and splitter.dropped >= 49
    assert len(splitter._rest) < wire.MAX_LINE
    splitter.feed(PING_LINE, found)
    assert found == [PING_LINE[:-1]]


def case_dropped_counts_what_was_thrown_away():
    splitter = wire.Splitter()
    splitter.feed(PING_LINE * 3 + b"\n\n\n" + PING_LINE, [])  # empty lines fill packets
    assert splitter.dropped == 0
    splitter.feed(b"x" + PING_LINE, [])
    assert splitter.dropped == 1
    splitter.feed(b"!" + b"A" * 300 + b"\n", [])
    assert splitter.dropped == 2


# -- what both sides must agree on ---------------------------------------------------------------------------


def case_a_revision_tells_contents_apart():
    payload = wire.WATCH.encode(7, 3)
    assert wire.revision(wire.WATCH, payload) == wire.revision(wire.WATCH, bytes(payload))
    assert wire.revision(wire.WATCH, payload) != wire.revision(wire.WATCH, wire.WATCH.encode(8, 3))
    assert wire.revision(wire.IDLE, b"\1\0\0\0") != wire.revision(wire.TONE, b"\1\0\0\0")
    assert wire.revision(wire.WATCH, payload) == 0x9EEA89A3  # CRC-32 from 0x27 over 07 00 00 00 03


def case_no_content_has_the_revision_of_none():
    payload = b"\xbc\x0a\xd9\x6d"  # found by running CRC-32 backwards: from 0x21 its checksum is 0
    assert crc32(payload, wire.IDLE.code) == 0
    assert wire.revision(wire.IDLE, payload) == 1


def case_each_state_has_its_slot():
    assert [wire.slot_of(wire.SCENE, bytes([group]) + bytes(4)) for group in range(8)] == list(range(8))
    for message in (wire.IDLE, wire.CHOICE, wire.WINDOW, wire.POLL, wire.MENU, wire.TALLY, wire.WATCH):
        assert wire.slot_of(message, b"") == 8
    outside = [wire.slot_of(wire.OUTSIDE, wire.OUTSIDE.encode(1, place, bytes(32))) for place in range(1, 7)]
    assert outside == [9, 10, 11, 12, 13, 14]
    assert wire.slot_of(wire.TONE, b"\0\0\0\0") == 15


def case_what_has_no_slot_is_refused():
    assert fails(lambda: wire.slot_of(wire.SCENE, b""), "group")
    assert fails(lambda: wire.slot_of(wire.SCENE, b"\x08"), "group")
    for place in (0, 7, 255):
        payload = wire.OUTSIDE.encode(1, place, bytes(32))
        assert fails(lambda payload=payload: wire.slot_of(wire.OUTSIDE, payload), "place")
    assert fails(lambda: wire.slot_of(wire.OUTSIDE, bytes(3)), "outside")
    for message in wire.MESSAGES:
        if message.group is not wire.STATE:
            assert fails(lambda message=message: wire.slot_of(message, bytes(40)), message.name)


def case_the_commitment_is_the_documented_hash():
    board, boot, nonce = bytes(range(8)), bytes(range(8, 16)), bytes(range(16, 32))
    bound = wire.commitment(board, boot, 258, 3, nonce, 1)
    preimage = b"tablier choice\0\0" + b"\1\0" + board + boot + b"\2\1\0\0" + b"\3" + nonce + b"\1"
    assert len(preimage) == 56
    assert hexlify(bound) == b"83008db445f6edfde988c428fa869b9c3b038a3fb251a0bde19a5d8859beb00d"
    assert bound == sha256(preimage).digest()
    others = [
        wire.commitment(boot, boot, 258, 3, nonce, 1),
        wire.commitment(board, board, 258, 3, nonce, 1),
        wire.commitment(board, boot, 259, 3, nonce, 1),
        wire.commitment(board, boot, 258, 4, nonce, 1),
        wire.commitment(board, boot, 258, 3, bytes(16), 1),
        wire.commitment(board, boot, 258, 3, nonce, 0),
    ]
    assert len(set(others)) == 6 and bound not in others


# -- the same on every Python ----------------------------------------------------------------------------------


def fingerprint():
    """A number that differs when this codec does anything differently somewhere else."""
    noise, total = Noise(7), wire.SCHEMA
    splitter, found = wire.Splitter(), []
    for _ in range(150):
        message = wire.MESSAGES[noise.below(len(wire.MESSAGES))]
        values = [value_for(code, noise) for _, code in message.fields]
        line = bytearray(wire.frame(message, noise.bytes(8), noise.bytes(8), message.encode(*values)))
        kind = noise.below(5)
        if kind == 0:
            line[noise.below(len(line))] ^= 1 << noise.below(8)
        elif kind == 1:
            line = line[: noise.below(len(line))]
        elif kind == 2:
            line = noise.bytes(noise.below(40)) + line
        total = crc32(bytes(line), total)
        at = noise.below(len(line) + 1)
        splitter.feed(bytes(line[:at]), found)
        splitter.feed(bytes(line[at:]), found)
    for line in found:
        try:
            message, boot, run, payload = wire.unframe(line)
            total = crc32(repr((message.name, boot, run, payload, message.decode(payload))).encode(), total)
            total = crc32(str(wire.revision(message, payload)).encode(), total)
        except wire.WireError as error:
            total = crc32(str(error).encode(), total)
    return total, len(found), splitter.dropped


CASES = sorted([name for name in globals() if name.startswith("case_")])
