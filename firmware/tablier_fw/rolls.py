"""Shared chance: the commitment of a table before a roll, and the outcomes derived from both sides' bytes.

Runs on CPython and MicroPython. ``firmware/PROTOCOL.md`` documents the preimages, with vectors.
"""

import struct
from hashlib import sha256

from tablier_fw import wire

ROLL_TAG = b"tablier roll\0\0\0\0"
OUTCOME_TAG = b"tablier outcome\0"
TUMBLE_MS = 1000
"""Least time for which a roll tumbles before the table commits."""
STAND_MS = 2000
"""Least time for which an outcome and the sign of an abandoned roll are shown."""


def _head(tag: bytes, board: bytes, boot: bytes, question: int, place: int, ranges: bytes, nonce: bytes) -> bytes:
    """Return the common head of both preimages: 87 bytes, for any number of ranges.

    tag 16 | major version u16 | board 8 | boot 8 | question u32 | place u8 | SHA-256 of the ranges 32 | nonce 16
    """
    head = struct.pack("<16sH8s8sIB", tag, wire.MAJOR, board, boot, question, place)
    return head + sha256(ranges).digest() + nonce


def commitment(board: bytes, boot: bytes, question: int, place: int, ranges: bytes, nonce: bytes) -> bytes:
    """Return the SHA-256 that binds a table to the nonce of a roll. ``ranges``: u16 each, as the message has them."""
    return sha256(_head(ROLL_TAG, board, boot, question, place, ranges, nonce)).digest()


def outcomes(
    board: bytes, boot: bytes, question: int, place: int, ranges: bytes, nonce: bytes, contribution: bytes
) -> list:
    """Return the outcomes: for each range a number from 0 to one below it, all equally likely.

    The words are those of SHA-256 over the head, the contribution and a counter u32 from 0: eight u32 a hash. A word
    in the last, shorter round of a range is skipped.
    """
    head = _head(OUTCOME_TAG, board, boot, question, place, ranges, nonce) + contribution
    rolled: list = []
    counter = at = 0
    block = b""
    while 2 * len(rolled) < len(ranges):
        if at == len(block):
            block = sha256(head + struct.pack("<I", counter)).digest()
            counter += 1
            at = 0
        word = struct.unpack_from("<I", block, at)[0]
        at += 4
        count = struct.unpack_from("<H", ranges, 2 * len(rolled))[0]
        if word < 0x100000000 - 0x100000000 % count:
            rolled.append(word % count)
    return rolled
