"""The host's end of the wire: one client holds one port, by exclusive lock, and speaks to one board.

It says nothing but hello until it has heard a valid hello; takes events strictly in order and once; sends desired
state again until the table holds it; finds the board again when it comes back under another name or another boot.
Nothing here waits but :meth:`Client.poll`, and that by the clock it was given.
"""

from __future__ import annotations

import errno
import os
import re
import select
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import serial

from tablier.printable import printable
from tablier.table import refusals
from tablier.table.clock import Clock
from tablier.table.fit import Fit, needed
from tablier.table.ports import find_board
from tablier.texts import Failure, Text
from tablier_fw import wire, words
from tablier_fw.system import TESTED
from tablier_fw.version import __version__

HELLO_S = 0.3
PING_S = 1.0
SILENT_S = 2.0
"""Without a frame for so long the client says hello again."""
GREETING_S = 5.0
"""The seconds that a table may take to answer the first hello."""
STATUS_S = 0.5
"""The seconds that the first status may take after the hello; a table says it at once."""
RESEND_S = 0.15
SEARCH_S = 0.2
_ROUGH_S = 1.0  # how far a status may be off as a clock, until a ping is answered
_READ = 4096
_PINGS = 64  # pings whose answers may be on their way
AHEAD_S = 5.0
"""The seconds that an event's time may lie ahead of the table's clock, as far as that is known."""


class TableError(Failure):
    """The table cannot be used; the text is one line: which port, what was seen, what to do."""


@dataclass(frozen=True)
class TableEvent:
    """An event of the table, in order, not acknowledged yet. ``values`` holds its fields by name."""

    boot: str
    number: int
    message: wire.Message
    values: dict[str, Any]
    time: float
    """The time of the event, in the clock's seconds."""


@dataclass(frozen=True)
class Walked:
    """A place's position in its menu; may be lost."""

    question: int
    place: int
    option: int


@dataclass(frozen=True)
class Told:
    """Something that the self-test asks for; may be lost."""

    message: wire.Message
    values: dict[str, Any]


@dataclass(frozen=True)
class Unfit:
    """Something that the table says and that cannot be: a fault of the table, or of a kind that only a newer host
    knows. An event (``number`` is not 0) is made durable and acknowledged like any other, or those after it never
    come; what it says is not used."""

    boot: str
    number: int
    what: str
    """The name of the message."""
    why: Text
    """The reason why it cannot be true."""
    code: int = 0
    payload: bytes = b""
    """The bytes of an event that no message has."""
    event: TableEvent | None = None
    """An event whose bytes are sound."""


@dataclass(frozen=True)
class Refused:
    """The table does not take what it was told. It is said once, and what was refused is not sent again."""

    message: wire.Message
    why: Text
    """Which field, what it holds, what is allowed."""


@dataclass
class _Wanted:
    """Desired state of a slot."""

    message: wire.Message
    payload: bytes
    sent: float
    refused: bool = False


@dataclass(frozen=True)
class Rebooted:
    """The table has another boot id than before: what it had not sent is lost, and every open question is void.

    Commitments are bound to a boot, so the client sends no question, no word for a place and no tune to another boot
    than the one it was wanted for. Whoever asked asks again.
    """

    boot: str
    before: str | None
    lost: int | None = None
    """The number of events of earlier boots that no host has called durable; ``None`` where nobody knows."""


@dataclass(frozen=True)
class Unplugged:
    """The port is gone."""


@dataclass(frozen=True)
class Plugged:
    """The table answers again."""

    port: str


Incoming = TableEvent | Unfit | Refused | Walked | Told | Rebooted | Unplugged | Plugged


class Client:
    """Speaks to the table at a port.

    ``cursor(boot)`` returns the number of the last durable event of a boot. ``boot`` is the boot that the log knows
    last, ``None`` for a new game. ``log`` says whose ids the questions carry (8 bytes): another run with the same log
    finds them as the last one left them. Without one, what this run asks is its own.
    """

    def __init__(
        self,
        port: str,
        clock: Clock,
        cursor: Callable[[str], int],
        boot: str | None = None,
        *,
        log: bytes = wire.NO_ID,
    ) -> None:
        self.port = port
        self.clock = clock
        self.board: str | None = None
        self.version = ""
        self.warning: Text | None = None
        """A reason to distrust this table, though it can be used."""
        self.boot = boot
        self.status: dict[str, Any] = {}
        """The fields of the latest status."""
        self.trace: Callable[[bool, wire.Message, tuple[Any, ...]], None] | None = None
        """Is shown every frame of this host's run: whether it came in, its message, its fields."""
        self._cursor = cursor
        self._log = log
        self._run = os.urandom(8)
        self._challenge = wire.NO_ID
        self._left: set[str] = set()  # boots that the table has left: what still says it is of one is a late copy
        self.abilities = 0
        """The table's abilities, as bits."""
        self.lost: int | None = None
        """The number of events of earlier boots that no host has called durable; ``None`` if it cannot know."""
        self._serial: serial.Serial | None = None
        self._splitter = wire.Splitter()
        self._expected = 0  # number of the next event of this boot
        self.told = 0
        """The last event of this boot that the table was told this log has made durable, as of the first status."""
        self._described = False  # a status has come from this boot to this run
        self.since = 0
        """The number of the last event of this boot that was durable before this client came."""
        self._greeted = False
        self._told_plugged = False
        self._wanted: dict[int, _Wanted] = {}  # by slot
        self._once: dict[int, bytes] = {}  # code → payload of what was sent last that is no state
        self._pings: deque[int] = deque(maxlen=_PINGS)  # the host times of the latest pings
        self._fit = Fit()
        self.judges = True
        """True if reports are checked against the open questions here; a game's session does that itself."""
        self._faults: set[tuple[str, int]] = set()  # (boot, code) of the telemetry whose faults were told
        self._hello_at = 0.0
        self._again_at = 0.0  # when a hello may be answered at once again
        self._ping_at = 0.0
        self._heard_at = 0.0
        self._search_at = 0.0
        self._offsets: list[tuple[float, float]] = []  # (round trip, clock − table time), the latest few
        self._incoming: list[Incoming] = []
        self.bad_frames = 0
        self.unknown = 0
        """The number of messages that only a newer host knows."""
        self._garbage = False
        self._refusal: Text | None = None

    # -- the port --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the port and wait for the table's hello. Raise :class:`TableError`."""
        self._open(self.port)
        deadline = self.clock.now() + GREETING_S
        while not self._greeted:
            self._turn(deadline - self.clock.now())
            if self._refusal:
                self.close()
                raise TableError(self._refusal)
            if self._serial is None:
                raise TableError(
                    "{port}: the port went away while waiting for the table; plug it in again", port=self.port
                )
            if self.clock.now() >= deadline:
                self.close()
                raise TableError(self._silence())
        deadline = self.clock.now() + STATUS_S
        while self._log != wire.NO_ID and self._greeted and not self._described and self.clock.now() < deadline:
            self._turn(deadline - self.clock.now())

    def _silence(self) -> Text:
        args = {"port": self.port, "seconds": f"{GREETING_S:g}"}
        if self._garbage or self.bad_frames:
            return Text("{port}: what answers there is not a table of this kind; name its port with --port", args)
        return Text("{port}: no answer within {seconds} s; is it the table's port, and is the firmware on it?", args)

    def _open(self, port: str) -> None:
        try:
            self._serial = serial.Serial(port, 115200, timeout=0, write_timeout=1.0, exclusive=True)
        except OSError as error:  # pyserial's are OSErrors too
            raise TableError(unopenable(port, error)) from None
        self.port = port
        self._splitter = wire.Splitter()
        self._greeted = False
        self._hello_at = self.clock.now()
        self._heard_at = self.clock.now()
        self.clock.opened()

    def close(self) -> None:
        """Give the port back. The table goes on asking what it was asked."""
        self._greeted = False
        if self._serial is not None:
            self._serial.close()
            self._serial = None

    def _lost(self) -> None:
        self.close()
        self._search_at = self.clock.now() + SEARCH_S
        if self._told_plugged:
            self._told_plugged = False
            self._incoming.append(Unplugged())

    def _search(self) -> None:
        self._search_at = self.clock.now() + SEARCH_S
        if self.board is None:
            return
        port = find_board(self.board, self.port)
        if port is not None:
            try:
                self._open(port)
            except TableError:
                pass  # not ready yet: the next search tries again

    @property
    def connected(self) -> bool:
        """Return whether the table answers."""
        return self._greeted

    @property
    def settled(self) -> dict[str, Any] | None:
        """Return the latest status if nothing is on its way: all events are durable and acknowledged, and the table
        holds the question that it is to ask. Else return ``None``."""
        status, wanted = self.status, self._wanted.get(wire.QUESTION_SLOT)
        if not (self._greeted and self._described) or self.boot is None or wanted is None:
            return None
        last = self._cursor(self.boot)
        (held,) = struct.unpack_from("<I", status["held"], 4 * wire.QUESTION_SLOT)
        settled = status["number"] == status["acked"] == last and held == wire.revision(wanted.message, wanted.payload)
        return status if settled else None

    # -- what the host wants -----------------------------------------------------------------------------------

    def want(self, message: wire.Message, *values: Any) -> None:
        """Desired state: sent now, and again until the table holds it or refuses it."""
        payload = message.encode(*values)
        slot = wire.slot_of(message, payload)
        current = self._wanted.get(slot)
        if current is not None and (current.message, current.payload) == (message, payload):
            return
        wanted = self._wanted[slot] = _Wanted(message, payload, self.clock.now())
        if slot == wire.QUESTION_SLOT:
            self._fit.ask(message, message.unpack(payload))
            word = self._wanted.get(wire.OUTSIDE_SLOT)
            if word is not None and word.message is wire.CONTRIBUTION:
                del self._wanted[wire.OUTSIDE_SLOT]  # to a roll that is over: no other question takes it
        if self._greeted:
            self._send_wanted(wanted)

    def _send_wanted(self, wanted: _Wanted) -> None:
        if wanted.refused:
            return
        missing = needed(wanted.message, wanted.payload) & ~self.abilities
        if missing:
            args = {"message": wanted.message.name, "version": self.version, "missing": names_of(missing)}
            self._refuse(wanted, Text("{message}: the table's firmware ({version}) has no {missing}", args))
            return
        wanted.sent = self.clock.now()
        self._send(wanted.message, wanted.payload)

    def _refuse(self, wanted: _Wanted, why: Text) -> None:
        wanted.refused = True
        self._incoming.append(Refused(wanted.message, why))

    def require(self, abilities: int, what: str) -> None:
        """Raise :class:`TableError` when the table lacks one of these abilities, which ``what`` needs."""
        missing = abilities & ~self.abilities
        if missing:
            raise TableError(
                "{port}: {what} needs what the table's firmware ({version}) does not have: {missing}; put newer "
                "firmware on the table",
                port=self.port,
                what=what,
                version=self.version,
                missing=names_of(missing),
            )

    def acknowledge(self, event: TableEvent | Unfit) -> None:
        """Acknowledge an event, which is durable now."""
        if self._greeted and event.boot == self.boot and event.number:
            self._send(wire.ACK, wire.ACK.encode(event.number))

    # -- what comes in -------------------------------------------------------------------------------------------

    def poll(self, seconds: float) -> list[Incoming]:
        """Wait until something has come in, at most so long, and return it.

        Raises :class:`TableError` when the table comes back as one that cannot be used.
        """
        if not self._incoming:
            self._turn(seconds)
            if self._refusal:
                self.close()
                raise TableError(self._refusal)
        incoming, self._incoming = self._incoming, []
        return [self._judge(it) if isinstance(it, TableEvent) else it for it in incoming]

    def _judge(self, event: TableEvent) -> TableEvent | Unfit:
        """Return an event as it is handed out: only now everything is known that the caller has asked for."""
        why = self._fit.misfit(event.boot, event.message, event.values) if self.judges else None
        ahead = event.time - self.clock.now()
        if why is None and event.boot == self.boot and ahead > AHEAD_S:
            why = Text("its time lies {seconds} s ahead", {"seconds": round(ahead)})
        return Unfit(event.boot, event.number, event.message.name, why, event=event) if why is not None else event

    def _turn(self, seconds: float) -> None:
        """One round: what is due, then wait, then read."""
        now = self.clock.now()
        due = self._do_due(now)
        port = self._serial
        self.clock.wait(min(seconds, due - now), None if port is None else port.fileno())
        if port is not None and port is self._serial:
            self._read()

    def _do_due(self, now: float) -> float:
        """Send what is due; return when something is due next."""
        if self._serial is None:
            if now >= self._search_at:
                self._search()
            return self._search_at if self._serial is None else self._hello_at
        if self._greeted and now - self._heard_at >= SILENT_S:
            self._greeted = False
            self._hello_at = now
        if not self._greeted:
            if now >= self._hello_at:
                self._say_hello(now)
            return self._hello_at
        if now >= self._ping_at:
            self._ping_at = now + PING_S
            self.send(wire.PING, int(now * 1e6))
        return min(self._ping_at, self._heard_at + SILENT_S)

    def _say_hello(self, now: float) -> None:
        self._hello_at = now + HELLO_S
        version = f"tablier {__version__}".encode()
        hello = wire.HOST_HELLO.encode(wire.MAJOR, wire.MINOR, self._challenge, self._log, os.urandom(16), version)
        self._write(wire.frame(wire.HOST_HELLO, wire.NO_ID, self._run, hello))

    def send(self, message: wire.Message, *values: Any) -> None:
        """Send a frame once, whatever it says. Do nothing while the table does not answer."""
        payload = message.encode(*values)
        if self._greeted:
            self._once[message.code] = payload
            if message is wire.PING:
                self._pings.append(values[0])
            self._send(message, payload)

    def _send(self, message: wire.Message, payload: bytes) -> None:
        assert self.boot is not None
        if self.trace:
            self.trace(False, message, message.decode(payload))
        self._write(wire.frame(message, bytes.fromhex(self.boot), self._run, payload))

    def _write(self, line: bytes) -> None:
        if self._serial is None:
            return
        try:
            self._serial.write(line)
        except OSError:  # pyserial's timeout is one too
            self._lost()
        else:
            self.clock.wrote(len(line))

    def _read(self) -> None:
        assert self._serial is not None
        if not select.select([self._serial], [], [], 0)[0]:
            return
        try:
            data = os.read(self._serial.fileno(), _READ)
        except OSError:
            data = b""
        if not data:  # readable, but nothing there: the port was hung up
            self._lost()
            return
        self.clock.did_read(len(data))
        lines: list[bytes] = []
        self._splitter.feed(data, lines)
        self._garbage = self._garbage or self._splitter.dropped > 1
        for line in lines:
            try:
                message, boot, run, payload = wire.unframe(line)
                self._take(message, boot, run, payload)
            except wire.WireError:
                self.bad_frames += 1

    def _take(self, message: wire.Message, boot: bytes, run: bytes, payload: bytes) -> None:
        if message is wire.TABLE_HELLO:
            self._take_hello(boot.hex(), run, payload)
            return
        if not self._greeted or boot.hex() != self.boot or run != self._run:
            return  # a frame for somebody else: left from before, or of another boot
        self._heard_at = self.clock.now()
        fault = message.fault(payload)
        if message.way == wire.TO_TABLE:
            self.bad_frames += 1
        elif message.group == wire.EVENT:
            self._take_event(message, payload, fault)
        elif not message.name:
            self.unknown += 1
        elif fault >= 0:
            self._blame(message, refusals.fault(message, payload, fault))
        else:
            self._take_told(message, message.unpack(payload))
        if self.trace and fault < 0:
            self.trace(True, message, message.unpack(payload))

    def _take_told(self, message: wire.Message, values: tuple[Any, ...]) -> None:
        """Take telemetry in which no field is out of its range."""
        named = dict(zip(message.names, values, strict=True))
        if message is wire.STATUS:
            self._take_status(named)
        elif message is wire.CURSOR:
            why = self._fit.misfit(self.boot or "", message, named) if self.judges else None
            if why is not None:
                self._blame(message, why)
            else:
                self._incoming.append(Walked(*values))
        elif message in (wire.KEPT, wire.SENSED):
            self._incoming.append(Told(message, named))
        elif message is wire.PONG:
            self._take_pong(*values)
        elif message is wire.REFUSED:
            self._take_refused(**named)

    def _blame(self, message: wire.Message, why: Text) -> None:
        """Say once in a boot what is wrong with a kind of telemetry."""
        assert self.boot is not None
        if (self.boot, message.code) not in self._faults:
            self._faults.add((self.boot, message.code))
            self._incoming.append(Unfit(self.boot, 0, message.name, why))

    def _take_refused(self, code: int, slot: int, revision: int, field: int, reason: int) -> None:
        wanted = self._wanted.get(slot)
        if wanted is None or (wanted.message.code, wire.revision(wanted.message, wanted.payload)) != (code, revision):
            message, payload = wire.BY_CODE.get(code), self._once.get(code, b"")
            if message is None or code not in self._once or wire.revision(message, payload) != revision:
                return  # of what is not wanted any more
            del self._once[code]
            self._incoming.append(Refused(message, refusals.refusal(message, payload, field, reason)))
        elif not wanted.refused:
            wanted.refused = True
            why = refusals.refusal(wanted.message, wanted.payload, field, reason)
            self._incoming.append(Refused(wanted.message, why))

    def _take_hello(self, boot: str, run: bytes, payload: bytes) -> None:
        if boot in self._left or len(payload) < 2:
            return
        major = int.from_bytes(payload[:2], "little")
        fits = wire.TABLE_HELLO.fault(payload) < 0
        if major == wire.MAJOR and not fits:
            self.bad_frames += 1
            return
        version = wire.TABLE_HELLO.unpack(payload)[-1] if fits else b""
        self.version = printable(version.decode("utf-8", "replace"))
        self._refusal = _refusal(self.port, major, self.version)
        if self._refusal:
            return
        self.warning = _old_system(self.version)
        _, _, challenge, board, abilities, _, lost, _, acked, _ = wire.TABLE_HELLO.unpack(payload)
        if self.board not in (None, board.hex()):
            args = {"port": self.port, "found": board.hex(), "wanted": self.board}
            self._refusal = Text("{port}: this is table {found}, not {wanted}", args)
            return
        fresh, self._challenge = challenge != self._challenge, challenge
        if run != self._run:  # it does not listen to us yet
            if self._greeted and boot != self.boot:
                self._greeted = False
            now = self.clock.now()
            if not self._greeted and fresh and now >= self._again_at:
                self._again_at = now + HELLO_S
                self._say_hello(now)
            return
        self.abilities = abilities
        self.lost = None if lost == wire.LOST_UNKNOWN else lost
        self._heard_at = self.clock.now()
        self.board = board.hex()
        if boot != self.boot:
            if self.boot is not None:
                self._left.add(self.boot)
                self._incoming.append(Rebooted(boot, self.boot, self.lost))
                for slot in [slot for slot in self._wanted if slot >= len(wire.GROUPS)]:
                    del self._wanted[slot]
                for wanted in self._wanted.values():
                    wanted.refused = False  # it may be other firmware
            self.boot = boot
            self._described = False
            self._pings.clear()
            self._expected = 0
            self._offsets.clear()
        taken = max(self._cursor(boot), acked)
        if taken >= self._expected:  # else the caller has events already that are not durable yet
            # What another log has taken of this boot, since we last heard of it or before, is not ours to ask for.
            self.since = taken
            self._expected = taken + 1
            # A hello that nobody asked for can say so, too: the caller hears of it before the events that come after.
            self._greeted = self._greeted and acked <= self._cursor(boot)
        if not self._greeted:
            self._greeted = self._told_plugged = True
            self._incoming.append(Plugged(self.port))
            self._ping_at = self._heard_at
            # What the table still has in its journal and is durable already need not be sent again.
            self._send(wire.ACK, wire.ACK.encode(self._cursor(boot)))
            for wanted in self._wanted.values():
                self._send_wanted(wanted)

    def _take_event(self, message: wire.Message, payload: bytes, fault: int) -> None:
        number = int.from_bytes(payload[:4], "little")
        if fault >= 0 and number > wire.MAX_ID:  # that it is cut off, too, is said of a later field
            fault = wire.RANGE
        if fault >= 0 and not fault >> 8:  # without its number nobody knows which one it is
            self._blame(message, refusals.fault(message, payload, fault))
            return
        if number < self._expected:
            self._send(wire.ACK, wire.ACK.encode(self._cursor(self.boot or "")))
        elif number == self._expected and self._offsets:
            # A later one comes again, after those that are missing; so does one that came before the table's time.
            assert self.boot is not None
            self._expected += 1
            what = message.name or f"event 0x{message.code:02x}"
            if fault >= 0:
                why = refusals.fault(message, payload, fault)
                self._incoming.append(Unfit(self.boot, number, what, why, message.code, payload))
            elif not message.name:
                self.unknown += 1
                why = Text("this host (tablier {version}) does not know such an event", {"version": __version__})
                self._incoming.append(Unfit(self.boot, number, what, why, message.code, payload))
            else:
                values = dict(zip(message.names, message.unpack(payload), strict=True))
                del values["number"]
                time = self._clock_time(values.pop("time"))
                self._incoming.append(TableEvent(self.boot, number, message, values, time))

    def _take_status(self, status: dict[str, Any]) -> None:
        self.status = status
        if not self._described:
            self._described, self.told = True, status["told"]
        now = self.clock.now()
        if not self._offsets:
            self._offsets.append((_ROUGH_S, now - status["time"] / 1e6))
        held = struct.unpack(f"<{wire.SLOTS}I", status["held"])
        for slot, wanted in self._wanted.items():
            if held[slot] != wire.revision(wanted.message, wanted.payload) and now - wanted.sent >= RESEND_S:
                self._send_wanted(wanted)

    def _take_pong(self, asked: int, time: int) -> None:
        if asked not in self._pings:
            self._blame(wire.PONG, Text("nobody has asked at {time}", {"time": asked}))
            return
        now = self.clock.now()
        trip = now - asked / 1e6
        self._offsets = [*self._offsets[-7:], (trip, now - trip / 2 - time / 1e6)]

    def _clock_time(self, table_us: int) -> float:
        """Table time in the clock's seconds, by the ping with the shortest round trip."""
        if not self._offsets:
            return self.clock.now()
        return table_us / 1e6 + min(self._offsets)[1]


_SYSTEM = re.compile(r"MicroPython ((\d+)\.(\d+)\S*) on rp2$")


def _old_system(version: str) -> Text | None:
    """Return a warning if the MicroPython that a Pico's hello names is older than the tested one.

    The one that runs the simulated table is pinned with this package.
    """
    system = _SYSTEM.search(version)
    if system is None or (int(system[2]), int(system[3])) >= TESTED:
        return None
    tested = ".".join(map(str, TESTED))
    args = {"found": system[1], "tested": tested}
    return Text("its Pico runs MicroPython {found}; put {tested} on it, with which this firmware is tested", args)


def _refusal(port: str, major: int, version: str) -> Text | None:
    """Return why a table of that version cannot be used, with the stale side and the cure; ``None`` if it can."""
    if major == wire.MAJOR:
        return None
    firmware = Text("the table's firmware ({version})" if version else "the table's firmware", {"version": version})
    here = Text("this host (tablier {version})", {"version": __version__})
    cure = "the firmware is stale; put this version's firmware on the table"
    if major > wire.MAJOR:
        cure = "the host is stale; install a newer tablier"
    args = {"port": port, "firmware": firmware, "theirs": major, "host": here, "ours": wire.MAJOR, "cure": Text(cure)}
    return Text("{port}: {firmware} speaks version {theirs} of the wire, {host} {ours}: {cure}", args)


def names_of(abilities: int) -> list[str]:
    """Return the names of abilities that are given as bits."""
    known = [name for bit, (name, _) in enumerate(words.ABILITIES) if abilities >> bit & 1]
    return known or ["what this host does not know either"]


def unopenable(port: str, error: OSError) -> Text:
    """Return why a port could not be opened, and what to do about it."""
    number = error.errno
    args = {"port": port or "''", "why": os.strerror(number) if number else ""}
    if number == errno.ENOENT:
        return Text("{port}: there is no such port; 'tablier table list' shows the tables that are plugged in", args)
    if number == errno.EACCES:
        return Text("{port}: no permission to open this port; are you in the group that owns it (often dialout)?", args)
    if number in (errno.EBUSY, errno.EAGAIN):
        return Text("{port}: another program holds this port; end it, or name another port", args)
    why = Text("this is not a serial port ({why})" if number else "this is not a serial port", args)
    return Text("{port}: {why}; 'tablier table list' shows the ports of tables", {**args, "why": why})
