"""The codec of the wire: frames and the table of messages. One piece of code for both sides.

Runs on CPython and MicroPython. A frame is one line of printable ASCII::

    "!" base64( kind u8 | boot 8 bytes | run 8 bytes | payload | CRC-32 u32 ) "\\n"

All numbers are little-endian; the CRC is over everything before it. ``firmware/PROTOCOL.md`` documents the bytes with
worked frames. The messages are declared once, in :data:`MESSAGES`; encoding, decoding, the document's tables and the
comparison of both sides at hello follow from there.
"""

import struct
from binascii import a2b_base64, b2a_base64, crc32
from hashlib import sha256

PROTOCOL = 1
"""Raised by one whenever a message changes its meaning or its bytes."""

MAX_PAYLOAD = 192
START = 0x21  # "!"
END = 0x0A
HEADER = 17  # kind, boot, run
MIN_LINE = 2 + (HEADER + 4 + 2) // 3 * 4
MAX_LINE = 2 + (HEADER + MAX_PAYLOAD + 4 + 2) // 3 * 4
NO_ID = b"\0\0\0\0\0\0\0\0"
"""Stands in a hello for the id that its sender cannot know yet."""

# What a message is for, because the classes fail differently.
HELLO, EVENT, STATE, TELEMETRY = "hello", "event", "state", "telemetry"
TO_TABLE, TO_HOST = "host → table", "table → host"


class WireError(ValueError):
    """A line that is no frame, or a payload that is not what its message says."""


class Message:
    """One kind of message: its code, its fields, and the only way to write and read its payload.

    ``fields`` are pairs (name, ``struct`` format); the last may be ``("…", "*")``, the rest of the payload as bytes.
    """

    def __init__(self, code: int, name: str, way: str, group: str, fields: tuple, doc: str):
        self.code = code
        self.name = name
        self.way = way
        self.group = group
        self.fields = fields
        self.doc = doc
        self.names = tuple([field[0] for field in fields])
        self.tail = bool(fields) and fields[-1][1] == "*"
        fixed = fields[:-1] if self.tail else fields
        self.format = "<" + "".join([field[1] for field in fixed])
        self.size = struct.calcsize(self.format)

    def encode(self, *values) -> bytes:  # type: ignore[no-untyped-def]
        """The payload for the values of all fields, in order. Raises :class:`WireError` when it gets too long."""
        if self.tail:
            payload = struct.pack(self.format, *values[:-1]) + values[-1]
        else:
            payload = struct.pack(self.format, *values)
        if len(payload) > MAX_PAYLOAD:
            raise WireError("payload of " + str(len(payload)) + " bytes; at most " + str(MAX_PAYLOAD))
        return payload

    def decode(self, payload: bytes) -> tuple:
        """The values of all fields, in order. Raises :class:`WireError` for a payload of another length."""
        if len(payload) < self.size or (len(payload) > self.size and not self.tail):
            raise WireError(self.name + " of " + str(len(payload)) + " bytes")
        values = struct.unpack(self.format, payload[: self.size])
        return values + (bytes(payload[self.size :]),) if self.tail else values

    def declaration(self) -> str:
        """The one line on which the comparison of both sides is built."""
        fields = [name + ":" + code for name, code in self.fields]
        return " ".join([str(self.code), self.name, self.group] + fields)


_EVENT = (("number", "I"), ("time", "Q"))
_QUESTION = (("id", "I"),)

# fmt: off
HOST_HELLO = Message(0x01, "host_hello", TO_TABLE, HELLO, (
    ("protocol", "H"), ("schema", "I"), ("entropy", "16s"), ("version", "*")),
    "The host is there. Understood by every version: these fields never change.")
TABLE_HELLO = Message(0x02, "table_hello", TO_HOST, HELLO, (
    ("protocol", "H"), ("schema", "I"), ("board", "8s"), ("abilities", "H"), ("cause", "B"), ("last", "I"),
    ("acked", "I"), ("version", "*")),
    "The table is there; sent at boot, then once a second until greeted, and as the answer to every hello of a host."
    " `last` is the number of its latest event, `acked` that of the last one that a host has called durable."
    " Understood by every version: these fields never change.")
SERVICE = Message(0x03, "service", TO_TABLE, HELLO, (),
    "Restarts the table into its service mode: the prompt of its MicroPython, to put other firmware on it. Taken from"
    " whoever said hello last, of any version; answered by `serving`. Understood by every version.")
SERVING = Message(0x04, "serving", TO_HOST, HELLO, (("refusal", "B"),),
    "The answer to `service`. Without a refusal the table leaves the line now, and what it had not sent is lost."
    " Understood by every version.")

ACK = Message(0x10, "ack", TO_TABLE, EVENT, (("number", "I"),),
    "Every event up to this number is durable in the log.")
LOCKED = Message(0x11, "locked", TO_HOST, EVENT, _EVENT + (("id", "I"), ("place", "B"), ("commitment", "32s")),
    "A place has locked its choice.")
OPENED = Message(0x12, "opened", TO_HOST, EVENT, _EVENT + (
    ("id", "I"), ("place", "B"), ("nonce", "16s"), ("choice", "B")),
    "What a place had locked; sent when every commitment of the question is there and durable.")
LANDED = Message(0x13, "landed", TO_HOST, EVENT, _EVENT + (
    ("id", "I"), ("index", "B"), ("landing", "B"), ("low", "B"), ("rim", "B"), ("impacts", "B"),
    ("confidence", "B"), ("doubts", "H")),
    "A landing, counted from 0 in its window: when (time of impact), the proposed class, the beams of each tier"
    " that it broke and that stayed broken (bit 0 is the first), impacts felt: more than one when the card bounced."
    " `confidence` is how likely it is, in percent, that this is one card and lies so; `doubts` is what speaks"
    " against it.")
DONE = Message(0x14, "done", TO_HOST, EVENT, _EVENT + (("id", "I"), ("place", "B"), ("missed", "B")),
    "A place throws no more in this window; with `missed` set, a card of its missed the arena.")
CLOSED = Message(0x15, "closed", TO_HOST, EVENT, _EVENT + (("id", "I"), ("reason", "B"), ("landings", "B")),
    "The window is closed; so many landings were felt in it.")
ANSWERED = Message(0x16, "answered", TO_HOST, EVENT, _EVENT + (("id", "I"), ("place", "B"), ("yes", "B")),
    "A place said yes or no.")
PICKED = Message(0x17, "picked", TO_HOST, EVENT, _EVENT + (("id", "I"), ("place", "B"), ("option", "B")),
    "A place confirmed an option of its menu, counted from 0.")
TALLIED = Message(0x18, "tallied", TO_HOST, EVENT, _EVENT + (
    ("id", "I"), ("place", "B"), ("kept", "B"), ("faces", "*")),
    "The faces (from 0) that a place entered, die by die; bit d of `kept` is set when die d is to be kept.")
PRESSED = Message(0x19, "pressed", TO_HOST, EVENT, _EVENT + (("id", "I"), ("place", "B"), ("button", "B")),
    "A press, while presses are watched.")
MOVED = Message(0x1A, "moved", TO_HOST, EVENT, _EVENT + (("id", "I"), ("index", "B")),
    "A landing of this window lies otherwise than it was told: the beams that it stayed in are clear again.")

SCENE = Message(0x20, "scene", TO_TABLE, STATE, (("group", "B"), ("pixels", "*")),
    "What a group of pixels shows: for each of its pixels effect, red, green, blue.")
IDLE = Message(0x21, "idle", TO_TABLE, STATE, _QUESTION,
    "No question is open.")
CHOICE = Message(0x22, "choice", TO_TABLE, STATE, _QUESTION + (
    ("places", "B"), ("outside", "B"), ("allowed", "6s"), ("colours", "*")),
    "These places choose in secret; places in `outside` are committed by the host. Byte p-1 of `allowed` is the set"
    " of options open to place p (bit 0 is the first option); `colours` has red, green, blue for each option.")
WINDOW = Message(0x23, "window", TO_TABLE, STATE, _QUESTION + (
    ("places", "B"), ("outside", "B"), ("quiet", "H"), ("guard", "H"), ("seen", "B")),
    "Landings are reported while these places may throw; the host speaks for those in `outside`. Closes when all are"
    " done or so many ms after the last landing, never within `guard` ms of one. `seen` landings of this window were"
    " logged before a restart of the table.")
POLL = Message(0x24, "poll", TO_TABLE, STATE, _QUESTION + (("places", "B"), ("first", "B")),
    "These places are asked a question that they answer with yes or no; with `first` set, the first yes ends it.")
MENU = Message(0x25, "menu", TO_TABLE, STATE, _QUESTION + (
    ("place", "B"), ("quiet", "B"), ("start", "B"), ("labels", "*")),
    "One place picks one of the options; `labels` has the number that its hood shows for each. With `quiet` set, the"
    " walk through them is not reported.")
TALLY = Message(0x26, "tally", TO_TABLE, STATE, _QUESTION + (
    ("place", "B"), ("dice", "B"), ("keep", "B"), ("colours", "*")),
    "One place enters so many dice; `colours` has red, green, blue for each face. With `keep` set it marks dice.")
WATCH = Message(0x27, "watch", TO_TABLE, STATE, _QUESTION + (("places", "B"),),
    "Every press at these places is reported; buttons count from 0: minus, plus, a, b.")
OUTSIDE = Message(0x28, "outside", TO_TABLE, STATE, _QUESTION + (("place", "B"), ("commitment", "32s")),
    "The host speaks for a place whose source is not at the table: its commitment in a choice; in a window, that it"
    " is done (the commitment is then zero).")
TONE = Message(0x29, "tone", TO_TABLE, STATE, _QUESTION + (("notes", "*"),),
    "A tune to play once: for each note Hz (u16, 0 is a rest) and ms (u16).")
CHECK = Message(0x2A, "check", TO_TABLE, STATE, _QUESTION + (("measure", "B"),),
    "The table tells by `sensed` what its sensors feel; nobody is asked. With `measure` set it first measures them, by"
    " dimming their lights, and feels nothing meanwhile.")

STATUS = Message(0x30, "status", TO_HOST, TELEMETRY, (
    ("time", "Q"), ("held", "64s"), ("number", "I"), ("acked", "I"), ("flags", "B"), ("taken", "B"), ("landings", "B"),
    ("heap_used", "I"), ("heap_free", "I"), ("loop_us", "I"), ("loops", "I"), ("collect_us", "I"),
    ("collections", "H"), ("bad_frames", "I"), ("resent", "I")),
    "What the table holds (the revision of each slot), and how it is: five times a second, and when a slot changes.")
PING = Message(0x31, "ping", TO_TABLE, TELEMETRY, (("host_time", "Q"),),
    "Asks for the table's clock.")
PONG = Message(0x32, "pong", TO_HOST, TELEMETRY, (("host_time", "Q"), ("time", "Q")),
    "The answer to a ping.")
CURSOR = Message(0x33, "cursor", TO_HOST, TELEMETRY, _QUESTION + (("place", "B"), ("option", "B")),
    "Where a place stands in its menu.")
KEEP = Message(0x34, "keep", TO_TABLE, TELEMETRY, (("result", "*"),),
    "Keeps a result of the self-test in place of the one that is kept; empty, it only asks for that one.")
KEPT = Message(0x35, "kept", TO_HOST, TELEMETRY, (("refusal", "B"), ("result", "*")),
    "The answer to `keep`: the result that is kept now; empty where there is none.")
SENSED = Message(0x36, "sensed", TO_HOST, TELEMETRY, (
    ("id", "I"), ("measured", "B"), ("broken", "B"), ("seen", "B"), ("margins", "8s"), ("blinded", "8s"),
    ("offer", "H"), ("pile", "H"), ("impacts", "B"), ("held", "I"), ("faults", "B")),
    "What the sensors feel, while a `check` is open: five times a second. `broken` are the beams that are broken now,"
    " `seen` those that were since it was asked; `impacts` are counted since then. Once `measured` is set, `margins`"
    " says of each beam how much of its light it can do without, and `blinded` for how much of the time it saw light"
    " from elsewhere, both in percent. `offer` and `pile` are the reflections of the floor; `held` are the buttons that"
    " count as pressed, four bits a place; bit 0 of `faults` says that the button chain does not answer.")
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
    STATUS,
    PING,
    PONG,
    CURSOR,
    KEEP,
    KEPT,
    SENSED,
)
BY_CODE = {message.code: message for message in MESSAGES}
SCHEMA = crc32("\n".join([message.declaration() for message in MESSAGES]).encode())
"""Equal on both sides when they mean the same by every frame."""

# -- frames ----------------------------------------------------------------------------------------


def frame(message: Message, boot: bytes, run: bytes, payload: bytes) -> bytes:
    """The line that carries a payload."""
    body = struct.pack("<B8s8s", message.code, boot, run) + payload
    return b"!" + b2a_base64(body + struct.pack("<I", crc32(body)))


def unframe(line: bytes) -> tuple:
    """(message, boot, run, payload) of a line without its newline. Raises :class:`WireError`.

    A code that this version does not know is an error too: at equal protocol versions it cannot come.
    """
    if not line or line[0] != START:
        raise WireError("no start mark")
    try:
        body = a2b_base64(line[1:])
    except ValueError:
        raise WireError("not base64") from None
    end = len(body) - 4
    if end < HEADER:
        raise WireError("too short")
    if struct.unpack_from("<I", body, end)[0] != crc32(memoryview(body)[:end]):
        raise WireError("bad checksum")
    message = BY_CODE.get(body[0])
    if message is None:
        raise WireError("unknown message " + str(body[0]))
    return message, body[1:9], body[9:17], body[17:end]


class Splitter:
    """Finds lines in a stream of bytes that may hold anything.

    A start mark always begins a new line, so half a line costs nothing but itself. Whatever lies between a newline
    and the next start mark is ignored; a line longer or shorter than any frame is dropped, and an empty one means
    nothing: a side may fill its packets with newlines. How the stream is cut into pieces makes no difference to what
    is found.
    """

    def __init__(self) -> None:
        self._rest = b""
        self.dropped = 0
        """Pieces thrown away so far."""

    def feed(self, data: bytes, found: list) -> None:
        """Appends every complete line (start mark included, newline not) that is as long as frames are."""
        size = len(data)
        if not self._rest and MIN_LINE <= size <= MAX_LINE and data.find(b"\n") == size - 1 and not data.rfind(b"!"):
            found.append(data[:-1])  # one line and nothing else
            return
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
            if end > begin and (start != begin or not fits):
                self.dropped += 1
            begin = end + 1
        if begin:
            rest = rest[begin:]
        if len(rest) >= MAX_LINE:
            start = rest.rfind(b"!")
            rest = rest[start:] if start >= 0 and len(rest) - start < MAX_LINE else b""
            self.dropped += 1
        self._rest = rest


# -- what both sides must agree on ---------------------------------------------------------------------

PLACES = 6
BUTTONS = ("minus", "plus", "a", "b")
"""In the order of their bits; ``a`` means no, ``b`` means yes."""
MINUS, PLUS, A, B = 0, 1, 2, 3

CAN_SERVE = 1
"""In a hello, among the abilities: the table has a service mode."""
WILL_SERVE, QUESTION_OPEN, CANNOT_SERVE = 0, 1, 2
"""In ``serving``, the refusal: none; a question is open; there is no such mode."""

KEEPS, ASKS_STILL, CANNOT_KEEP = 0, 1, 2
"""In ``kept``, the refusal: none; a question is open; it is no result, or there is nowhere to keep it."""

LANDINGS = ("flat", "leaning", "rim", "outside")
"""Classes of a landing, as :data:`LANDED` numbers them."""
UNSEEN, UNFELT, HALF, BOTH, MASKED, CROWDED, HAND, RESTLESS, EMPTY = 1, 2, 4, 8, 16, 32, 64, 128, 256
DOUBTS = (
    ("unseen", "no beam was broken on its way: a knock, or a card that slipped through"),
    ("unfelt", "no impact of its own was felt"),
    ("half", "one tier only saw it: it may have struck the rim and gone outside"),
    ("both", "both tiers stay broken: it leans out over the rim, or hangs in from it"),
    ("masked", "some beams could not tell: broken already, or lit from elsewhere"),
    ("crowded", "another one came in at the same time: what is whose is a guess"),
    ("hand", "something that is no card was in the beams"),
    ("restless", "it was still moving when it was told"),
    ("empty", "the floor is empty"),
)
"""What may speak against a landing's class, as the bits of its `doubts` mean it, from bit 0."""
CLOSE_DONE, CLOSE_QUIET = 0, 1

RING, PUBLIC, HOOD = 0, 1, 2
"""Groups of pixels; the hood of place p is group ``HOOD + p - 1``."""
GROUPS = (32, 6, 5, 5, 5, 5, 5, 5)
"""How many pixels each group has."""
STEADY, BLINK, PULSE, CHASE = 0, 1, 2, 3
"""Effects of a pixel."""

SLOTS = 16
QUESTION_SLOT, OUTSIDE_SLOT, TONE_SLOT = 8, 9, 15
"""Slots of desired state: groups of pixels 0–7, the question 8, outside commitments of places 1–6 9–14, the tune 15."""
NO_REVISION = 0

FLAG_FULL = 1
"""In a status: the journal is full and input is refused."""


def slot_of(message: Message, payload: bytes) -> int:
    """The slot that a state message fills. Raises :class:`WireError` when it names none, and for other messages."""
    if message.group is not STATE:
        raise WireError(message.name + " is no state")
    if message is SCENE:
        slot = payload[0] if payload else SLOTS
        if slot >= len(GROUPS):
            raise WireError("no such group of pixels")
        return slot
    if message is TONE:
        return TONE_SLOT
    if message is OUTSIDE:
        place = OUTSIDE.decode(payload)[1]
        if not 1 <= place <= PLACES:
            raise WireError("no such place")
        return OUTSIDE_SLOT + place - 1
    return QUESTION_SLOT


def revision(message: Message, payload: bytes) -> int:
    """The revision of a slot's content: equal contents have equal revisions, whoever sent them and when."""
    return crc32(payload, message.code) or 1


COMMITMENT_TAG = b"tablier choice\0\0"


def commitment(board: bytes, boot: bytes, question: int, place: int, nonce: bytes, choice: int) -> bytes:
    """SHA-256 that binds a place to a choice. The preimage has 56 bytes whatever is chosen:

    tag 16 | protocol u16 | board 8 | boot 8 | question u32 | place u8 | nonce 16 | choice u8
    """
    head = struct.pack("<16sH8s8sIB", COMMITMENT_TAG, PROTOCOL, board, boot, question, place)
    return sha256(head + nonce + bytes((choice,))).digest()
