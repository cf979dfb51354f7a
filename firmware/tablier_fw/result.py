"""The stored result of self-test and calibration: one record of a fixed form, in the table's flash.

Both sides import this. The host fills the record and judges it (``tablier.service.diagnosis``); the firmware stores it
and reads only the floor's thresholds. ``firmware/SELFTEST.md`` documents the fields.
"""

import struct
from binascii import crc32

VERSION = 1
"""Raised whenever the fields change. A record of another version counts as none."""

UNKNOWN = 0xFF
"""Stands in a field of one byte for what was not tried."""
UNMEASURED = 0xFFFF
"""The same in a field of two."""

FIELDS = (
    ("version", "B"),
    ("board", "8s"),
    ("measured", "I"),  # when, in seconds since 1970: the part that needs nobody, …
    ("guided", "I"),  # … the part that needs people, …
    ("calibrated", "I"),  # … and the floor; 0 is never
    ("measured_by", "12s"),  # by which firmware
    ("guided_by", "12s"),
    # what the table has measured by itself
    ("margins", "8s"),  # of each beam, in percent
    ("blinded", "8s"),  # of each beam, in percent of the time
    ("offer_bare", "H"),  # reflections of the empty floor, …
    ("pile_bare", "H"),
    ("impacts", "B"),  # felt in a second in which nothing happened
    ("held", "I"),  # buttons that counted as pressed, four bits a place
    ("faults", "B"),  # of the buttons: wire.NO_CHAIN, wire.NO_SAMPLES
    # what people have seen and done
    ("parts", "B"),  # which of the parts below were done
    ("dark", "9s"),  # pixels that are dark or wrong, a bit for each, in the order of the chains
    ("hoods", "6s"),  # by hood: the place that saw it, 0 for nobody
    ("dead", "I"),  # buttons that were not heard, or heard as others
    ("unseen", "B"),  # beams through which a card was moved, and which did not notice
    ("offer_card", "H"),  # … and with a card on it
    ("pile_card", "H"),
    ("felt", "B"),  # whether a card that fell was felt
    ("heard", "B"),  # whether the buzzer was heard
    # where the floor's thresholds lie; 0 where it was not calibrated
    ("offer_full", "H"),
    ("offer_empty", "H"),
    ("pile_full", "H"),
    ("pile_empty", "H"),
)
PIXELS, BUTTONS, HOODS, BEAMS, FLOOR, IMPACT, BUZZER = 1, 2, 4, 8, 16, 32, 64
"""The parts that need people, as the bits of ``parts`` mean them."""

_NAMES = tuple([name for name, _ in FIELDS])
_FORMAT = "<" + "".join([code for _, code in FIELDS])
SIZE = struct.calcsize(_FORMAT) + 4

FULL, EMPTY = 12_000, 8_000
"""A place on the floor becomes occupied above the first reflection (of 65535), empty below the second, until it is
calibrated. Computed for the floor as it is drawn: white cards a millimetre above the sensors give about 22000, the bare
floor about 3000."""


def new(board: bytes) -> dict:
    """Return a record of no tests."""
    record: dict = {}
    for name, code in FIELDS:
        record[name] = bytes(int(code[:-1])) if code.endswith("s") else 0
    record["version"] = VERSION
    record["board"] = board
    for name in ("margins", "blinded", "hoods"):
        record[name] = bytes([UNKNOWN]) * len(record[name])
    for name in ("offer_bare", "pile_bare", "offer_card", "pile_card"):
        record[name] = UNMEASURED
    for name in ("impacts", "felt", "heard"):
        record[name] = UNKNOWN
    return record


def pack(record: dict) -> bytes:
    body = struct.pack(_FORMAT, *[record[name] for name in _NAMES])
    return body + struct.pack("<I", crc32(body))


def unpack(data: bytes) -> "dict | None":
    """Return the fields of a record by name, or None if it is not a record of this version."""
    if len(data) != SIZE or data[0] != VERSION or struct.unpack("<I", data[-4:])[0] != crc32(data[:-4]):
        return None
    return dict(zip(_NAMES, struct.unpack(_FORMAT, data[:-4])))


def thresholds(record: "dict | None") -> list:
    """Return the floor's thresholds: [[full, empty] of the offer, [full, empty] of the pile]."""
    found = []
    for place in ("offer", "pile"):
        full = record[place + "_full"] if record else 0
        found.append([full, record[place + "_empty"]] if record and full else [FULL, EMPTY])
    return found
