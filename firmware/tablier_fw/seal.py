"""The seal: a chain of hashes over all rolls and openings of a boot, and the picture that shows it.

Runs on CPython and MicroPython. ``firmware/PROTOCOL.md`` documents the preimages, with vectors.
"""

import struct
from hashlib import sha256

from tablier_fw import wire

TAG = b"tablier seal\0\0\0\0"
PIXELS = 32
"""Three bits each: the first 96 of the 256."""


def begin(board: bytes, boot: bytes) -> bytes:
    """Return the seal of a boot in which nothing was rolled or opened."""
    return sha256(struct.pack("<16sH8s8s", TAG, wire.MAJOR, board, boot)).digest()


def link(seal: bytes, code: int, number: int, question: int, place: int, said: bytes) -> bytes:
    """Return the seal after another event: the SHA-256 of

    the seal before 32 | code of the message u8 | number of the event u32 | question u32 | place u8 | content

    The content is, in a ``committed``, the commitment 32 and the number of the roll u32; in a ``revealed``, the nonce
    16 and the host's contribution 16; in an ``opened``, the nonce 16 and the choice u8. Other events do not change the
    seal.
    """
    return sha256(seal + struct.pack("<BIIB", code, number, question, place) + said).digest()


def picture(seal: bytes) -> list:
    """Return a number from 0 to 7 for each pixel of the ring: the first 96 bits, three each, the highest first."""
    pixels = []
    for at in range(0, 3 * PIXELS // 8, 3):  # three bytes are eight pixels
        bits = seal[at] << 16 | seal[at + 1] << 8 | seal[at + 2]
        pixels += [bits >> shift & 7 for shift in range(21, -1, -3)]
    return pixels
