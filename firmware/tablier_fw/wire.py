"""The codec of the wire: frames and the table of messages. One piece of code for both sides.

Runs on CPython and MicroPython. A frame is one line of printable ASCII::

    "!" base64( kind u8 | boot 8 bytes | run 8 bytes | payload | CRC-32 u32 ) "\\n"

All numbers are little-endian; the CRC is over everything before it. ``firmware/PROTOCOL.md`` documents the bytes with
worked frames. The messages are declared once, in :data:`MESSAGES`, each field with its range; encoding, decoding,
refusing, the document's tables and the fuzzer follow from there.
"""

import struct
import sys
from binascii import a2b_base64, b2a_base64, crc32
from hashlib import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAJOR = 2
"""Raised whenever a message changes its meaning or its bytes. Both sides must have the same."""
MINOR = 5
"""Raised whenever a field or a message is added. The two sides need not have the same."""

_ROOMY = sys.platform != "rp2"  # a Pico has no room for what only people, tests and documents ask for

MAX_PAYLOAD = 192
START = 0x21  # "!"
END = 0x0A
HEADER = 17  # kind, boot, run
MAX_BODY = HEADER + MAX_PAYLOAD + 4
MIN_LINE = 2 + (HEADER + 4 + 2) // 3 * 4
MAX_LINE = 2 + (MAX_BODY + 2) // 3 * 4
NO_ID = b"\0\0\0\0\0\0\0\0"
"""Stands in a hello for the id or the challenge that its sender cannot know yet."""

# What a message is for, because the classes fail differently.
HELLO, EVENT, STATE, TELEMETRY, PRIVATE = "hello", "event", "state", "telemetry", "private"
TO_TABLE, TO_HOST = "host → table", "table → host"
_CLASSES = (HELLO, EVENT, STATE, TELEMETRY, EVENT, STATE, TELEMETRY, PRIVATE)

# -- what both sides must agree on ---------------------------------------------------------------------

PLACES = 6
ALL_PLACES = 0x3F
BUTTONS = ("minus", "plus", "a", "b")
"""In the order of their bits; ``a`` means no, ``b`` means yes."""
MINUS, PLUS, A, B = 0, 1, 2, 3

CAN_SERVE, CAN_CHOOSE, CAN_WINDOW, CAN_POLL, CAN_MENU, CAN_TALLY, CAN_WATCH = 1, 2, 4, 8, 16, 32, 64
CAN_CHECK, CAN_SOUND, CAN_PEEK, CAN_CALL, CAN_HIDE = 128, 256, 512, 1024, 2048
CAN_ROLL, CAN_GIVE, CAN_TUMBLE = 4096, 8192, 16384
WILL_SERVE, QUESTION_OPEN, CANNOT_SERVE, STRANGER = 0, 1, 2, 3
"""In ``serving``, the refusal: none; a question is open; there is no such mode; not the table's challenge."""

KEEPS, ASKS_STILL, CANNOT_KEEP = 0, 1, 2
"""In ``kept``, the refusal: none; a question is open; it is no result, or there is nowhere to keep it."""

CALL = 1
"""Flag of every question: the places may call."""
FIRST = 2
"""Flag of a poll: the first yes ends it."""
SECRET, QUIET = 2, 4
"""Flags of a menu: its labels are colours and its walk is nobody's business; the walk is not reported."""
MARK = 2
"""Flag of a tally: dice are marked before they are told."""
VEIL = 4
"""Flag of a tally: it is secret, and its dice begin at random faces."""
NOBODY, EVERYBODY = 0, 7
"""Audiences of a roll besides the places 1 to 6, of which each sees it under its own hood."""
MEASURE = 2
"""Flag of a check: the sensors are measured first."""

SHORT, RANGE, RULE, OLD, UNKNOWN, UNDUE = 1, 2, 3, 4, 5, 6
"""Why a message is refused, as ``refused`` says it."""
_WRONG = ("", "is cut off", "is out of its range", "does not go with the others")
NO_FIELD = 0xFF

LANDINGS = ("flat", "leaning", "rim", "outside")
"""Classes of a landing, as :data:`LANDED` numbers them."""
UNSEEN, UNFELT, HALF, BOTH, MASKED, CROWDED, HAND, RESTLESS, EMPTY = 1, 2, 4, 8, 16, 32, 64, 128, 256
CLOSE_DONE, CLOSE_QUIET = 0, 1

RING, PUBLIC, HOOD = 0, 1, 2
"""Groups of pixels; the hood of place p is group ``HOOD + p - 1``."""
GROUPS = (32, 6, 5, 5, 5, 5, 5, 5)
"""How many pixels each group has."""
RING_LEAST = 12
"""Pixels that a ring must have: five dice of a roll between their marks, and a gap."""
STEADY, BLINK, PULSE, CHASE = 0, 1, 2, 3
"""Effects of a pixel."""
BRIGHT = 255
"""A group's light where nothing is dimmed."""
DIMMEST = 63
"""The least light of a group, a quarter: what is dim because it says something (an eighth) is seen then, too."""
COLOURS = 15
"""How many colours a message can name: the last two of the palette are the firmware's alone."""

SOFT, LOUD = 1, 3
"""Volumes of a tune."""

SLOTS = 16
QUESTION_SLOT, OUTSIDE_SLOT, TONE_SLOT = 8, 9, 15
"""Slots of desired state: groups of pixels 0–7, the question 8, outside commitments of places 1–6 9–14, the tune 15."""
NO_SLOT = 0xFF
NO_REVISION = 0

FLAG_FULL = 1
"""In a status: the journal is full and input is refused."""
NO_CHAIN, NO_SAMPLES, NO_POWER = 1, 2, 4
"""Faults: the chain of the buttons does not answer; no sample of them comes; the supply gives no 5 V."""
FAULTS_SHIFT = 1
"""In a status, the faults stand in the flags from this bit on."""
LOST_UNKNOWN = 0xFFFFFFFF
"""In a hello: nothing is known of the boots before."""

MAX_ID = 0x3FFFFFFF
"""The greatest id of a question: a number that MicroPython need not put on the heap."""
MAX_TIME = (1 << 48) - 1
"""In µs: nine years."""
MAX_FACES = 20
MAX_OPTIONS = 12
MAX_RANGES = 40
"""Outcomes of one roll."""


class WireError(ValueError):
    """A line that is not a frame, or a payload that breaks its message's declaration.

    ``fault``: the number of the field and the reason, as :meth:`Message.fault` returns them; -1 where there are none.
    """

    def __init__(self, text: str, fault: int = -1):
        super().__init__(text)
        self.fault = fault


def within(data: "Any", where: int, records: "Any", size: int) -> int:
    """Return the first field, in the order of the records, with a value out of its range; -1 if none.

    ``where``: the first byte, bits 8–15 how many units there are, bits 16–23 the bytes of each. ``records``: eight
    bytes for each range: field, offset in the unit, bytes of the number, least, greatest (u32). ``size``: their
    bytes. A board may have a faster twin of this function. Does not allocate.
    """
    first = where & 0xFF
    stride = where >> 16
    end = first + stride * (where >> 8 & 0xFF)
    for record in range(0, size, 8):
        width = records[record + 2]
        low = records[record + 3]
        high = records[record + 4] | records[record + 5] << 8 | records[record + 6] << 16 | records[record + 7] << 24
        at = first + records[record + 1]
        while at < end:
            value = data[at]
            if width > 1:
                value |= data[at + 1] << 8
                if width > 2:
                    if data[at + 3] > 0x3F:
                        return records[record]
                    value |= data[at + 2] << 16 | data[at + 3] << 24
            if value < low or value > high:
                return records[record]
            at += stride
    return -1


def field(
    name: str,
    form: str,
    low: "int | tuple" = 0,
    high: "int | tuple | None" = None,
    least: int = 0,
    most: int = 255,
    default: "int | bytes | None" = None,
) -> tuple:
    """Declare a field.

    ``form`` is a format of ``struct`` for a number or for bytes (``6s``), or ``*`` and the formats of the
    numbers of a unit: a row of such units after a byte that says how many there are. ``low`` and ``high`` are the
    range of the number, of each byte, or (as tuples) of each number of a unit; ``least`` and ``most`` how many units
    there may be. ``default``: what a payload means that ends before this field. Only fields that were added by a
    minor version have one, and they come last.
    """
    return name, form, low, high, least, most, default


def _records(index: int, form: str, offset: int, lows: "int | tuple", highs: "int | tuple | None") -> bytes:
    """Return the ranges of a field or of a unit as records for :func:`within`; leave out those that exclude nothing."""
    packed = b""
    if form[-1:] == "s":
        form = "B" * int(form[:-1])
    for number in range(len(form)):
        width = struct.calcsize("<" + form[number])
        full = (1 << 8 * width) - 1
        low = lows[number] if isinstance(lows, tuple) else lows
        high = highs[number] if isinstance(highs, tuple) else highs
        if high is None:
            high = full
        if low or high < full:
            if width == 8:  # only its upper two bytes are limited
                packed += struct.pack("<BBBBI", index, offset + 6, 2, 0, high >> 48)
            else:
                packed += struct.pack("<BBBBI", index, offset, width, low, high)
        offset += width
    return packed


def _parts(fields: tuple, ranged: bool) -> tuple:
    """Return the fields as runs of numbers, each with the row of units that follows, if any.

    Each part: number of its first field, of the one after its run, the run's format, size and ranges; unit, least,
    most and ranges of the row, or None; default. Without ranges it can be written and read, but not checked.
    """
    parts: list = []
    first = 0
    form, records = "<", b""
    for index in range(len(fields)):
        _, code, low, high, least, most, default = fields[index]
        if default is not None and first < index:
            parts.append((first, index, form, struct.calcsize(form), records, None, None))
            first, form, records = index, "<", b""
        row = None
        last = index
        if code[0] == "*":
            row = (
                struct.calcsize("<" + code[1:]),
                least,
                most,
                _records(index, code[1:], 0, low, high) if ranged else b"",
            )
        else:
            if ranged:
                records += _records(index, code, struct.calcsize(form), low, high)
            form += code
            last += 1
        if row or default is not None or last == len(fields):
            parts.append((first, last, form, struct.calcsize(form), records, row, default))
            first, form, records = index + 1, "<", b""
    return tuple(parts)


class Message:
    """One kind of message: its code, its fields, and the only way to write, check and read its payload.

    ``rules`` say what the ranges cannot: each is the number of the field that is refused, and a function of the values
    of all fields that says whether it may stay. ``ability`` is what a table must be able to do to take this message.
    What messages and rules mean is in ``words``.
    """

    fields: tuple = ()
    names: tuple = ()
    rules: tuple = ()
    ability = 0

    def __init__(self, code: int, name: str, way: str, fields: tuple, rules: tuple = (), ability: int = 0):
        self.code = code
        self.name = name
        self.way = way
        self.group = _CLASSES[code >> 4 & 7]
        if rules:
            self.rules = rules
        if _ROOMY:
            self.fields = fields
            self.names = tuple([it[0] for it in fields])
            self.ability = ability
        self._parts = _parts(fields, _ROOMY or way is TO_TABLE) if fields else ()
        self.form = ""
        """The format of the whole payload for ``struct``; empty where it has rows."""
        if not [it for it in self._parts if it[5]]:
            self.form = "<" + "".join([it[2][1:] for it in self._parts])

    def fault(self, payload: bytes, within: "Callable" = within) -> int:
        """Return the first fault of a payload: 256 times the number of the field, plus the reason; -1 if it has none.

        In this order: the numbers up to the next row of
        units must be there, then be in their ranges; then the same for the row; after all fields come the rules.
        ``within`` may be a faster twin.
        """
        base, end = 0, len(payload)
        for first, last, form, size, records, row, default in self._parts:
            if default is not None and end <= base:
                break
            if end < base + size:
                return self._lacking(first, form, end - base) << 8 | SHORT
            if records:
                index = within(payload, base | 1 << 8 | size << 16, records, len(records))
                if index >= 0:
                    return index << 8 | RANGE
            base += size
            if row:
                unit, least, most, records = row
                if end <= base:
                    return last << 8 | SHORT
                count = payload[base]
                if not least <= count <= most:
                    return last << 8 | RANGE
                base += 1
                if end < base + count * unit:
                    return last << 8 | SHORT
                if records and within(payload, base | count << 8 | unit << 16, records, len(records)) >= 0:
                    return last << 8 | RANGE
                base += count * unit
        if self.rules:
            values = self.unpack(payload)
            for index, holds in self.rules:
                if not holds(*values):
                    return index << 8 | RULE
        return -1

    @staticmethod
    def _lacking(first: int, form: str, size: int) -> int:
        """Return the first field of a part that a payload of this size lacks, or has only in part."""
        run, digits = "<", ""
        for code in form[1:]:
            digits += code
            if code.isdigit():
                continue
            run, digits = run + digits, ""
            if struct.calcsize(run) > size:
                break
            first += 1
        return first

    def unpack(self, payload: bytes) -> tuple:
        """Return the values of all fields of a payload in which :meth:`fault` found nothing; rows as bytes.

        Bytes after the last known field are ignored.
        """
        if self.form and len(self._parts) == 1:
            return struct.unpack_from(self.form, payload)
        return self._unpack_parts(payload)

    def _unpack_parts(self, payload: bytes) -> tuple:
        values: tuple = ()
        base = 0
        for _, _, form, size, _, row, default in self._parts:
            if default is not None and len(payload) <= base:
                values += (default,)
                continue
            values += struct.unpack_from(form, payload, base)
            base += size
            if row:
                end = base + 1 + payload[base] * row[0]
                values += (bytes(payload[base + 1 : end]),)
                base = end
        return values

    def decode(self, payload: bytes) -> tuple:
        """Return the values of all fields, as :meth:`unpack`. Raise :class:`WireError` for a payload with a fault."""
        fault = self.fault(payload)
        if fault >= 0:
            raise WireError(self.name + ": " + self.names[fault >> 8] + " " + _WRONG[fault & 0xFF], fault)
        return self.unpack(payload)

    def pack(self, *values: "Any") -> bytes:
        """Return the payload for the values of all fields, in order, unchecked."""
        return struct.pack(self.form, *values) if self.form else self._pack_parts(values)

    def _pack_parts(self, values: tuple) -> bytes:
        payload = b""
        for first, last, form, _, _, row, _ in self._parts:
            payload += struct.pack(form, *values[first:last])
            if row:
                payload += bytes((len(values[last]) // row[0],)) + values[last]
        return payload

    def encode(self, *values: "Any") -> bytes:
        """Return the payload, as :meth:`pack`. Raise :class:`WireError` for values out of their ranges.

        Fields that a minor version added may be left out: they have defaults.
        """
        values += tuple([it[6] for it in self.fields[len(values) :] if it[6] is not None])
        if len(values) != len(self.fields):
            raise WireError(self.name + " has " + str(len(self.fields)) + " fields, not " + str(len(values)))
        for index in range(len(values)):
            value = values[index]
            name, form, _, _, _, most, _ = self.fields[index]
            if form[0] == "*":
                unit = struct.calcsize("<" + form[1:])
                wrong = len(value) % unit or len(value) > most * unit
            elif form[-1] == "s":
                wrong = len(value) != int(form[:-1])
            else:
                wrong = not 0 <= value < 1 << 8 * struct.calcsize("<" + form)
            if wrong:
                raise WireError(self.name + ": " + name + " " + _WRONG[RANGE], index << 8 | RANGE)
        payload = self.pack(*values)
        self.decode(payload)
        if len(payload) > MAX_PAYLOAD:
            raise WireError("payload of " + str(len(payload)) + " bytes; at most " + str(MAX_PAYLOAD))
        return payload


_EVENT = (field("number", "I", 1, MAX_ID), field("time", "Q", 0, MAX_TIME))
_ID = field("id", "I", 1, MAX_ID)
_PLACE = field("place", "B", 1, PLACES)
_OF = _EVENT + (_ID, _PLACE)
_STARTER = field("place", "B", 0, PLACES)
_PLACES = field("places", "B", 0, ALL_PLACES)
_OUTSIDE = field("outside", "B", 0, ALL_PLACES)
_INDEX = field("index", "B", 0, 254)
_VERSION = field("version", "*B", most=96)


def _question(flags: int) -> tuple:
    """Return the fields that every question begins with."""
    return _ID, field("flags", "B", 0, flags)


def _allowed(places: int, allowed: bytes, count: int) -> bool:
    """Return True if exactly the asked places have options, and all options exist."""
    for place in range(PLACES):
        if bool(allowed[place]) != bool(places >> place & 1) or allowed[place] >> count:
            return False
    return True


def _given(_id: int, flags: int, _place: int, dice: int, faces: bytes, given: bytes) -> bool:
    """Return True if all given faces exist and a die is left to enter or to mark."""
    return not given or (max(given) < len(faces) and len(given) < dice + bool(flags & MARK))


# fmt: off
HOST_HELLO = Message(0x01, "host_hello", TO_TABLE, (
    field("major", "H"), field("minor", "H"), field("challenge", "8s"), field("log", "8s"), field("entropy", "16s"),
    _VERSION))
TABLE_HELLO = Message(0x02, "table_hello", TO_HOST, (
    field("major", "H"), field("minor", "H"), field("challenge", "8s"), field("board", "8s"), field("abilities", "I"),
    field("cause", "B"), field("lost", "I"), field("last", "I", 0, MAX_ID), field("acked", "I", 0, MAX_ID), _VERSION))
SERVICE = Message(0x03, "service", TO_TABLE, (field("challenge", "8s"),),
    ability=CAN_SERVE)
SERVING = Message(0x04, "serving", TO_HOST, (field("refusal", "B", 0, STRANGER),))

ACK = Message(0x10, "ack", TO_TABLE, (field("number", "I", 0, MAX_ID),))
LOCKED = Message(0x11, "locked", TO_HOST, _OF + (field("commitment", "32s"),))
OPENED = Message(0x12, "opened", TO_HOST, _OF + (field("nonce", "16s"), field("choice", "B", 0, 2)))
LANDED = Message(0x13, "landed", TO_HOST, _EVENT + (
    _ID, _INDEX, field("landing", "B", 0, 2), field("low", "B", 0, 15), field("rim", "B", 0, 15),
    field("impacts", "B"), field("confidence", "B", 0, 100), field("doubts", "H")))
DONE = Message(0x14, "done", TO_HOST, _OF + (field("missed", "B", 0, 1),))
CLOSED = Message(0x15, "closed", TO_HOST, _EVENT + (_ID, field("reason", "B", 0, 1), field("landings", "B")))
ANSWERED = Message(0x16, "answered", TO_HOST, _OF + (field("yes", "B", 0, 1),))
PICKED = Message(0x17, "picked", TO_HOST, _OF + (field("option", "B", 0, MAX_OPTIONS - 1),))
TALLIED = Message(0x18, "tallied", TO_HOST, _OF + (
    field("kept", "B", 0, 31), field("faces", "*B", 0, MAX_FACES - 1, 1, 5)))
PRESSED = Message(0x19, "pressed", TO_HOST, _OF + (field("button", "B", 0, 3),))
MOVED = Message(0x1A, "moved", TO_HOST, _EVENT + (_ID, _INDEX))
CALLED = Message(0x1B, "called", TO_HOST, _OF)
COMMITTED = Message(0x1C, "committed", TO_HOST, _EVENT + (
    _ID, _STARTER, field("commitment", "32s"), field("roll", "I", default=0)))
REVEALED = Message(0x1D, "revealed", TO_HOST, _EVENT + (_ID, _STARTER, field("nonce", "16s")))

SCENE = Message(0x20, "scene", TO_TABLE, (
    field("group", "B", 0, len(GROUPS) - 1), field("pixels", "*BBB", 0, (COLOURS - 1, 255, CHASE), 5, 32),
    field("light", "B", DIMMEST, BRIGHT, default=BRIGHT)),
    ((1, lambda *v: len(v[1]) == 3 * GROUPS[v[0]]),))
IDLE = Message(0x21, "idle", TO_TABLE, _question(CALL) + (field("game", "B", 0, 1, default=0),))
CHOICE = Message(0x22, "choice", TO_TABLE, _question(CALL) + (
    field("places", "B", 1, ALL_PLACES), _OUTSIDE, field("allowed", "6s", 0, 7), field("seats", "6s"),
    field("colours", "*B", 1, COLOURS - 1, 1, 3)),
    ((3, lambda *v: not v[2] & v[3]), (4, lambda *v: _allowed(v[2], v[4], len(v[6])))),
    CAN_CHOOSE)
WINDOW = Message(0x23, "window", TO_TABLE, _question(CALL) + (
    _PLACES, _OUTSIDE, field("quiet", "H", 100, 60000), field("guard", "H", 0, 60000), field("seen", "B", 0, 254),
    field("first", "B", 0, GROUPS[RING] - 1, default=0)),
    ((3, lambda *v: not v[2] & v[3]), (2, lambda *v: v[2] | v[3])),
    CAN_WINDOW)
POLL = Message(0x24, "poll", TO_TABLE, _question(CALL | FIRST) + (field("places", "B", 1, ALL_PLACES),),
    ability=CAN_POLL)
MENU = Message(0x25, "menu", TO_TABLE, _question(CALL | SECRET | QUIET) + (
    _PLACE, field("start", "B", 0, MAX_OPTIONS - 1), field("open", "H", 1, (1 << MAX_OPTIONS) - 1),
    field("labels", "*B", 1, COLOURS - 1, 1, MAX_OPTIONS)),
    ((3, lambda *v: v[3] < len(v[5]) and not (v[1] & SECRET and v[3])), (4, lambda *v: not v[4] >> len(v[5])),
     (5, lambda *v: v[1] & SECRET or max(v[5]) <= 12)),
    CAN_MENU)
TALLY = Message(0x26, "tally", TO_TABLE, _question(CALL | MARK | VEIL) + (
    _PLACE, field("dice", "B", 1, 5), field("colours", "*B", 1, COLOURS - 1, 1, MAX_FACES),
    field("given", "*B", 0, MAX_FACES - 1, 0, 5, b"")),
    ((5, _given),),
    CAN_TALLY)
WATCH = Message(0x27, "watch", TO_TABLE, _question(CALL) + (field("places", "B", 1, ALL_PLACES),),
    ability=CAN_WATCH)
OUTSIDE = Message(0x28, "outside", TO_TABLE, (_ID, _PLACE, field("seat", "B"), field("commitment", "32s")))
TONE = Message(0x29, "tone", TO_TABLE, (_ID, field("notes", "*HH", (0, 1), (10000, 10000), 1, 40),
    field("volume", "B", SOFT, LOUD, default=LOUD)),
    ability=CAN_SOUND)
CHECK = Message(0x2A, "check", TO_TABLE, _question(CALL | MEASURE),
    ability=CAN_CHECK)
ROLL = Message(0x2B, "roll", TO_TABLE, _question(CALL) + (
    _STARTER, field("audience", "B", NOBODY, EVERYBODY), field("ranges", "*H", 1, 0xFFFF, 1, MAX_RANGES)),
    ability=CAN_ROLL | CAN_TUMBLE)
CONTRIBUTION = Message(0x2C, "contribution", TO_TABLE, (_ID, field("commitment", "32s"), field("bytes", "16s")),
    ability=CAN_ROLL)

STATUS = Message(0x30, "status", TO_HOST, (
    field("time", "Q", 0, MAX_TIME), field("held", "64s"), field("number", "I", 0, MAX_ID),
    field("acked", "I", 0, MAX_ID), field("flags", "B"), field("taken", "B", 0, ALL_PLACES), field("landings", "B"),
    field("heap_used", "I"), field("heap_free", "I"), field("loop_us", "I"), field("loops", "I"),
    field("collect_us", "I"), field("collections", "H"), field("bad_frames", "I"), field("unknown", "I"),
    field("resent", "I"), field("begun", "I", default=0), field("revealed", "I", default=0),
    field("acknowledged", "I", default=0), field("abandoned", "I", default=0),
    field("told", "I", 0, MAX_ID, default=0), field("places", "B", 1, ALL_PLACES, default=ALL_PLACES),
    field("ring", "B", RING_LEAST, GROUPS[RING], default=GROUPS[RING]), field("arena", "B", 0, 1, default=1),
    field("starter", "B", 0, 1, default=0)))
PING = Message(0x31, "ping", TO_TABLE, (field("host_time", "Q"),))
PONG = Message(0x32, "pong", TO_HOST, (field("host_time", "Q"), field("time", "Q", 0, MAX_TIME)))
CURSOR = Message(0x33, "cursor", TO_HOST, (_ID, _PLACE, field("option", "B", 0, MAX_OPTIONS - 1)))
KEEP = Message(0x34, "keep", TO_TABLE, (field("result", "*B", most=160),))
KEPT = Message(0x35, "kept", TO_HOST, (field("refusal", "B", 0, CANNOT_KEEP), field("result", "*B", most=160)))
SENSED = Message(0x36, "sensed", TO_HOST, (
    _ID, field("measured", "B", 0, 1), field("broken", "B"), field("seen", "B"), field("margins", "8s"),
    field("blinded", "8s"), field("offer", "H"), field("pile", "H"), field("impacts", "B"),
    field("held", "I", 0, 0xFFFFFF), field("faults", "B")))
REFUSED = Message(0x37, "refused", TO_HOST, (
    field("code", "B"), field("slot", "B"), field("revision", "I"), field("field", "B"),
    field("reason", "B", SHORT, 255)))
# fmt: on

MESSAGES = (
    HOST_HELLO,
    TABLE_HELLO,
    SERVICE,
    SERVING,
    ACK,
    LOCKED,
    OPENED,
    LANDED,
    DONE,
    CLOSED,
    ANSWERED,
    PICKED,
    TALLIED,
    PRESSED,
    MOVED,
    CALLED,
    COMMITTED,
    REVEALED,
    SCENE,
    IDLE,
    CHOICE,
    WINDOW,
    POLL,
    MENU,
    TALLY,
    WATCH,
    OUTSIDE,
    TONE,
    CHECK,
    ROLL,
    CONTRIBUTION,
    STATUS,
    PING,
    PONG,
    CURSOR,
    KEEP,
    KEPT,
    SENSED,
    REFUSED,
)
BY_CODE = {message.code: message for message in MESSAGES}
if not _ROOMY:
    # The collector's stack of marks is short: what a wide module keeps for nothing may cost a second round of marking.
    for _name in ("field", "_records", "_parts", "_question", "_EVENT", "_OF", "MESSAGES", "BUTTONS", "LANDINGS"):
        del globals()[_name]
    del _ID, _PLACE, _PLACES, _STARTER, _OUTSIDE, _INDEX, _VERSION

# -- frames ----------------------------------------------------------------------------------------


def frame(message: Message, boot: bytes, run: bytes, payload: bytes) -> bytes:
    """Return the line that carries a payload."""
    body = struct.pack("<B8s8s", message.code, boot, run) + payload
    size = len(body)
    line = bytearray(2 + (size + 4 + 2) // 3 * 4)
    write_body(line, 0, memoryview(bytearray(body + bytes(4))), size)
    return bytes(line)


def write_body(line: bytearray, at: int, body: memoryview, size: int) -> int:
    """Write the line that carries a body of this size to ``line`` from the byte ``at`` on; return its end.

    ``body``: code, boot, run and payload, and room for four bytes more.
    """
    _add_checksum(body, size)
    text = b2a_base64(body[: size + 4])  # type: ignore[arg-type]
    line[at] = START
    line[at + 1 : at + 1 + len(text)] = text
    return at + 1 + len(text)


def _add_checksum(body: memoryview, size: int) -> None:
    struct.pack_into("<I", body, size, crc32(body[:size]))


def unframe(line: bytes) -> tuple:
    """Return (message, boot, run, payload) of a line without its newline. Raise :class:`WireError`.

    An unknown code gives a message without a name, with only the fields that all messages of its class have.
    """
    if not line or line[0] != START:
        raise WireError("no start mark")
    try:
        body = a2b_base64(memoryview(line)[1:])  # type: ignore[arg-type]
    except ValueError:
        raise WireError("not base64") from None
    end = len(body) - 4
    if end < HEADER:
        raise WireError("too short")
    if end > HEADER + MAX_PAYLOAD:
        raise WireError("too long")
    if struct.unpack_from("<I", body, end)[0] != crc32(memoryview(body)[:end]):
        raise WireError("bad checksum")
    return BY_CODE.get(body[0]) or unknown(body[0]), body[1:9], body[9:17], body[17:end]


def unknown(code: int) -> Message:
    """Return a placeholder for a message that this version does not know."""
    return Message(code, "", "", _EVENT if _ROOMY and _CLASSES[code >> 4 & 7] is EVENT else ())


class Splitter:
    """Find lines in a stream of arbitrary bytes.

    A start mark always begins a new line, so a broken line costs only itself. Bytes between a newline and the next
    start mark are ignored; a line longer or shorter than any frame is dropped. An empty line is ignored: a side may
    fill its packets with newlines. The result does not depend on how the stream is cut into pieces.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.dropped = 0
        """Lines thrown away so far, in whole or in part."""
        self.overlong = False
        """True while a line that is longer than any frame comes in; it is counted already."""

    def feed(self, data: bytes, found: list) -> None:
        """Append every complete line of a frame's length (with start mark, without newline) to the list."""
        size = len(data)
        if (
            not self._rest
            and MIN_LINE <= size <= MAX_LINE
            and data.find(b"\n") == size - 1
            and not data.rfind(b"!")
            and not self.overlong
        ):
            found.append(data[:-1])  # one line and nothing else
        else:
            self._cut(data, found)

    def _cut(self, data: bytes, found: list) -> None:
        rest = self._rest + data if self._rest else data
        begin = 0
        while True:
            end = rest.find(b"\n", begin)
            if end < 0:
                break
            start = rest.rfind(b"!", begin, end)
            fits = start >= 0 and MIN_LINE <= end + 1 - start <= MAX_LINE
            if fits:
                found.append(rest[start:end])
            if end > begin and (start != begin or not fits) and not self.overlong:
                self.dropped += 1
            self.overlong = False
            begin = end + 1
        if begin:
            rest = rest[begin:]
        if len(rest) >= MAX_LINE:
            start = rest.rfind(b"!")
            rest = rest[start:] if start >= 0 and len(rest) - start < MAX_LINE else b""
            if not self.overlong:
                self.dropped += 1
                self.overlong = True
        self._rest = rest


def slot_of(message: Message, payload: bytes) -> int:
    """Return the slot that a state message fills; ``NO_SLOT`` if it names none, and for other messages."""
    if message.group is not STATE or not message.name:
        return NO_SLOT
    if message is SCENE:
        return payload[0] if payload and payload[0] < len(GROUPS) else NO_SLOT
    if message is TONE:
        return TONE_SLOT
    if message is CONTRIBUTION:
        return OUTSIDE_SLOT
    if message is OUTSIDE:
        place = payload[4] if len(payload) > 4 else 0
        return OUTSIDE_SLOT + place - 1 if 1 <= place <= PLACES else NO_SLOT
    return QUESTION_SLOT


def revision(message: Message, payload: bytes) -> int:
    """Return the revision of a slot's content: a hash of it."""
    return crc32(payload, message.code) or 1


COMMITMENT_TAG = b"tablier choice\0\0"


def commitment(board: bytes, boot: bytes, question: int, place: int, seat: int, nonce: bytes, choice: int) -> bytes:
    """Return the SHA-256 that binds a place to a choice. The preimage always has 57 bytes:

    tag 16 | major version u16 | board 8 | boot 8 | question u32 | place u8 | seat u8 | nonce 16 | choice u8
    """
    head = struct.pack("<16sH8s8sIBB", COMMITMENT_TAG, MAJOR, board, boot, question, place, seat)
    return sha256(head + nonce + bytes((choice,))).digest()
