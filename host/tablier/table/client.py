"""The host's end of the wire: one client holds one port, by exclusive lock, and speaks to one board.

It says nothing but hello until it has heard a valid hello; takes events strictly in order and once; sends desired
state again until the table holds it; finds the board again when it comes back under another name or another boot.
Nothing here waits but :meth:`Client.poll`, and that by the clock it was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tablier.table import refusals
from tablier.table.abilities import names_of, needed
from tablier.table.clock import Clock
from tablier.table.events import Cursor, Events
from tablier.table.greeting import Greeting, Hello, read_hello
from tablier.table.health import faults_of
from tablier.table.incoming import (
    Ailing,
    Incoming,
    Plugged,
    Rebooted,
    TableEvent,
    Told,
    Unfit,
    Unplugged,
    Walked,
)
from tablier.table.open_port import OpenPort
from tablier.table.ports import find_board
from tablier.table.table_time import TableTime
from tablier.table.unusable import TableError, incompatible, outdated, silent
from tablier.table.wanted import Wanted
from tablier.texts import Text
from tablier.tracing import tracer
from tablier_fw import wire
from tablier_fw.equipment import STARTER_PLACES, Equipment

PING_S = 1.0
SILENT_S = 2.0
"""Without a frame for so long, though the table was asked for one, it does not answer: the client says so, and says
hello again."""
REOPEN_S = 4.0
"""Silent for so long, though it was asked, the table's port is opened anew: one may be stuck after a sleep."""
GREETING_S = 5.0
"""The seconds that a table may take to answer the first hello."""
STATUS_S = 0.5
"""The seconds that the first status may take after the hello; a table says it at once."""
SEARCH_S = 0.2


_TRACER = tracer("table")


class Client:
    """Speaks to the table at a port.

    ``cursor(boot)`` returns the number of the last durable event of a boot. ``boot`` is the boot that the log knows
    last, ``None`` for a new game. ``log`` says whose ids the questions carry (8 bytes): another run with the same log
    finds them as the last one left them. Without one, what this run asks is its own.
    """

    def __init__(
        self, port: str, clock: Clock, cursor: Cursor, boot: str | None = None, *, log: bytes = wire.NO_ID
    ) -> None:
        self.port = port
        self.clock = clock
        self.board: str | None = None
        self.version = ""
        self.minor = wire.MINOR
        """The minor version of the wire that the table speaks."""
        self.abilities = 0
        """The table's abilities, as bits."""
        self.cause = 0
        """The cause of the table's last start, one of ``CAUSES`` in :mod:`tablier.table.health`."""
        self.warning: Text | None = None
        """A reason to distrust this table, though it can be used."""
        self.boot = boot
        self.lost: int | None = None
        """The number of events of earlier boots that no host has called durable; ``None`` if it cannot know."""
        self.status: dict[str, Any] = {}
        """The fields of the latest status, and the ``cause`` of the start."""
        self.told = 0
        """The last event of this boot that the table was told this log has made durable, as of the first status."""
        self.trace: Callable[[bool, wire.Message, tuple[Any, ...]], None] | None = None
        """Is shown every frame of this host's run: whether it came in, its message, its fields."""
        self.bad_frames = 0
        self.unknown = 0
        """The number of messages that only a newer host knows."""
        self._cursor = cursor
        self._has_log = log != wire.NO_ID
        self._open_port: OpenPort | None = None
        self._greeting = Greeting(log)
        self._left: set[str] = set()  # boots that the table has left: what still says it is of one is a late copy
        self._time = TableTime(clock)
        self._events = Events(cursor, self._time)
        self._wanted = Wanted(clock, self._send_state, lambda refused: self._incoming.append(refused))
        self._ailing = 0  # the faults of the latest status
        self._faults: set[tuple[str, int]] = set()  # (boot, code) of the telemetry whose faults were told
        self._greeted = False
        self._described = False  # a status has come from this boot to this run
        self._told_plugged = False
        self._ping_at = 0.0
        self._heard_at = 0.0
        self._unanswered_at: float | None = None
        """When the table was first asked for a frame since the last one came: while this program itself stood still, as
        where the computer slept, nobody asked, and the table is not to blame."""
        self._search_at = 0.0
        self._deadline = 0.0
        self.due = 0.0
        """The time by :attr:`clock` at which :meth:`poll` is to be called at the latest."""
        self._incoming: list[Incoming] = []
        self._refusal: Text | None = None

    # -- the port --------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the port and wait for the table's hello. Raise :class:`TableError`."""
        self.begin()
        while not self.ready(GREETING_S):
            pass

    def begin(self) -> None:
        """Open the port; then :meth:`ready` says when the table has answered. Raise :class:`TableError`."""
        self._open(self.port)
        self._deadline = self.clock.now() + GREETING_S

    @property
    def ready_by(self) -> float:
        """Return until when the table may take to be :meth:`ready`."""
        return self._deadline

    def ready(self, seconds: float | None) -> bool:
        """Wait at most so long, or take what has come in the wait that is over; return whether the table has said who
        it is, and how it stands. Raise :class:`TableError` when it does not, or cannot be used."""
        greeted = self._greeted
        if self._is_ready():
            return True
        self._turn(None if seconds is None else min(seconds, self._deadline - self.clock.now()))
        if self._refusal:
            self.close()
            raise TableError(self._refusal)
        if self._open_port is None:
            raise TableError("{port}: the port went away while waiting for the table; plug it in again", port=self.port)
        if self._greeted != greeted:  # a table that restarts meanwhile is greeted again
            self._deadline = self.clock.now() + (STATUS_S if self._greeted else GREETING_S)
        elif not self._greeted and self.clock.now() >= self._deadline:
            garbage = self._open_port.garbage or self.bad_frames > 0
            self.close()
            raise TableError(silent(self.port, GREETING_S, garbage=garbage))
        return self._is_ready()

    def _is_ready(self) -> bool:
        return self._greeted and (not self._has_log or self._described or self.clock.now() >= self._deadline)

    def _open(self, port: str) -> None:
        self._open_port = OpenPort(port, self.clock)
        self.port = port
        _TRACER.debug("port %s is opened", port)
        self._greeted = False
        self._greeting.due = self.clock.now()
        self._hear()

    def close(self) -> None:
        """Give the port back. The table keeps its open question."""
        self._greeted = False
        if self._open_port is not None:
            self._open_port.close()
            self._open_port = None

    def _lost(self) -> None:
        self.close()
        self._search_at = self.clock.now() + SEARCH_S
        self._tell_unplugged()

    def _tell_unplugged(self) -> None:
        """Tell once that the table does not answer, until it does again."""
        if self._told_plugged:
            self._told_plugged = False
            _TRACER.debug("the table at %s does not answer", self.port)
            self._incoming.append(Unplugged())

    def _hear(self) -> None:
        """Take note that the table has said something."""
        self._heard_at, self._unanswered_at = self.clock.now(), None

    def _expect(self, now: float) -> None:
        """Take note that the table was asked for something."""
        if self._unanswered_at is None:
            self._unanswered_at = now

    @property
    def _silent_at(self) -> float:
        """Return when the table is given up as silent."""
        if self._unanswered_at is None:
            return math.inf
        return max(self._heard_at + SILENT_S, self._unanswered_at + SILENT_S - PING_S)

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

    def fileno(self) -> int | None:
        """Return the descriptor that is readable when something comes from the table; ``None`` while it is away."""
        return None if self._open_port is None else self._open_port.fileno()

    @property
    def connected(self) -> bool:
        """Return whether the table answers."""
        return self._greeted

    @property
    def equipment(self) -> Equipment:
        """Return what there is of the table, by its latest status; all before the first one."""
        status = self.status
        if not status:
            return Equipment()
        places, arena = status["places"], bool(status["arena"])
        starter = bool(status["starter"]) and not arena and not places & ~STARTER_PLACES
        return Equipment(places, status["ring"], arena, starter)

    @property
    def since(self) -> int:
        """Return the number of the last event of this boot that was durable before this client came."""
        return self._events.since

    @property
    def settled(self) -> dict[str, Any] | None:
        """Return the latest status if nothing is on its way: all events are durable and acknowledged, and the table
        holds the question that it is to ask. Else return ``None``."""
        status = self.status
        if not (self._greeted and self._described) or self.boot is None or not self._wanted.asks(status["held"]):
            return None
        return status if status["number"] == status["acked"] == self._cursor(self.boot) else None

    # -- what goes out -----------------------------------------------------------------------------------------

    def want(self, message: wire.Message, *values: Any) -> None:
        """Desired state: sent now, and again until the table holds it or refuses it."""
        payload = message.encode(*values)
        state = self._wanted.want(message, payload)
        if state is None:
            return
        if self._greeted:
            self._wanted.send(state)

    def asked(self, group: int) -> bytes | None:
        """Return what a group of pixels was last asked to show, three bytes a pixel: colour, brightness, effect."""
        state = self._wanted.states.get(group)
        if state is None or state.message is not wire.SCENE:
            return None
        pixels: bytes = state.message.decode(state.payload)[1]
        return pixels

    def _send_state(self, message: wire.Message, payload: bytes) -> Text | None:
        """Send desired state; return why the table cannot take it, ``None`` if it can."""
        missing = needed(message, payload) & ~self.abilities
        if missing:
            args = {"message": message.name, "version": self.version, "missing": names_of(missing)}
            return Text("{message}: the table's firmware ({version}) has no {missing}", args)
        self._send(message, payload)
        return None

    def send(self, message: wire.Message, *values: Any) -> None:
        """Send a frame once, whatever it says. Do nothing while the table does not answer."""
        payload = message.encode(*values)
        if self._greeted:
            self._wanted.keep(message, payload)
            if message is wire.PING:
                self._time.expect_pong(values[0])
            self._send(message, payload)

    def acknowledge(self, event: TableEvent | Unfit) -> None:
        """Acknowledge an event, which is durable now."""
        if self._greeted and event.boot == self.boot and event.number:
            self._send(wire.ACK, wire.ACK.encode(event.number))

    def _acknowledge_durable(self) -> None:
        """Have the table send nothing again that is durable already."""
        self._send(wire.ACK, wire.ACK.encode(self._cursor(self.boot or "")))

    def _send(self, message: wire.Message, payload: bytes) -> None:
        assert self.boot is not None
        if self.trace:
            self.trace(False, message, message.decode(payload))
        self._write(wire.frame(message, bytes.fromhex(self.boot), self._greeting.run, payload))

    def _write(self, line: bytes) -> None:
        if self._open_port is None:
            return
        try:
            self._open_port.write(line)
        except OSError:
            self._lost()

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

    # -- what is due ---------------------------------------------------------------------------------------------

    def prepare(self, seconds: float) -> tuple[float, int | None]:
        """Do what is due, and return for what to wait by :attr:`clock`: at most so long, and for which descriptor.

        When that wait is over, :meth:`poll` or :meth:`ready` takes what has come, without seconds."""
        now = self.clock.now()
        self.due = self._do_due(now)
        return min(seconds, self.due - now), self.fileno()

    @property
    def has_incoming(self) -> bool:
        """Return whether :meth:`poll` would not wait."""
        return bool(self._incoming)

    def poll(self, seconds: float | None) -> list[Incoming]:
        """Wait until something has come in, at most so long, and return it; ``None``: the wait is over.

        Raises :class:`TableError` when the table comes back as one that cannot be used.
        """
        if seconds is None or not self._incoming:
            self._turn(seconds)
            if self._refusal:
                self.close()
                raise TableError(self._refusal)
        incoming, self._incoming = self._incoming, []
        return [self._judge(it) if isinstance(it, TableEvent) else it for it in incoming]

    def _judge(self, event: TableEvent) -> TableEvent | Unfit:
        """Return an event as it is handed out: only now everything is known that the caller has asked for."""
        ahead = event.time - self.clock.now()
        if event.boot != self.boot or ahead <= refusals.AHEAD_S:
            return event
        why = Text("its time lies {seconds} s ahead", {"seconds": round(ahead)})
        return Unfit(event.boot, event.number, event.message.name, why, event=event)

    def _turn(self, seconds: float | None) -> None:
        """One round: what is due, then wait, then read; ``None``: the wait is over."""
        if seconds is not None:
            self.clock.wait(*self.prepare(seconds))
        port = self._open_port
        if port is not None:
            self._read(port)
        if port is not None and port is self._open_port and self.clock.now() >= self._silent_at:
            if self._greeted:
                self._greeted, self._greeting.due = False, self.clock.now()
            self._tell_unplugged()

    def _do_due(self, now: float) -> float:
        """Send what is due; return when something is due next."""
        if self._open_port is None:
            if now >= self._search_at:
                self._search()
            return self._search_at if self._open_port is None else self._greeting.due
        if not self._greeted:
            if self.board is not None and self._unanswered_at is not None and now >= self._unanswered_at + REOPEN_S:
                self.close()
                self._search()
                return self._search_at if self._open_port is None else self._greeting.due
            if now >= self._greeting.due:
                self._write(self._greeting.say(now))
                self._expect(now)
            return self._greeting.due
        if now >= self._ping_at:
            self._ping_at = now + PING_S
            self.send(wire.PING, int(now * 1e6))
            self._expect(now)
        return min(self._ping_at, self._silent_at)

    # -- what comes in -------------------------------------------------------------------------------------------

    def _read(self, port: OpenPort) -> None:
        try:
            lines = port.read()
        except OSError:
            self._lost()
            return
        for line in lines:
            try:
                message, boot, run, payload = wire.unframe(line)
                self._take(message, boot, run, payload)
            except wire.WireError:
                self.bad_frames += 1

    def _take(self, message: wire.Message, boot: bytes, run: bytes, payload: bytes) -> None:
        if message is wire.TABLE_HELLO:
            self._take_hello(boot, run, payload)
            return
        if not self._greeted or boot.hex() != self.boot or run != self._greeting.run:
            return  # a frame for somebody else: left from before, or of another boot
        self._hear()
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
            self._incoming.append(Walked(*values))
        elif message in (wire.KEPT, wire.SENSED):
            self._incoming.append(Told(message, named))
        elif message is wire.PONG:
            if not self._time.take_pong(*values):
                self._blame(message, Text("nobody has asked at {time}", {"time": values[0]}))
        elif message is wire.REFUSED:
            self._wanted.take_refusal(*values)

    def _blame(self, message: wire.Message, why: Text) -> None:
        """Say once in a boot what is wrong with a kind of telemetry."""
        assert self.boot is not None
        if (self.boot, message.code) not in self._faults:
            self._faults.add((self.boot, message.code))
            self._incoming.append(Unfit(self.boot, 0, message.name, why))

    def _take_event(self, message: wire.Message, payload: bytes, fault: int) -> None:
        assert self.boot is not None
        number = int.from_bytes(payload[:4], "little")
        if fault >= 0 and number > wire.MAX_ID:  # that it is cut off, too, is said of a later field
            fault = wire.RANGE
        if fault >= 0 and not fault >> 8:  # without its number nobody knows which one it is
            self._blame(message, refusals.fault(message, payload, fault))
        elif number < self._events.next:
            self._acknowledge_durable()
        else:
            event = self._events.take(self.boot, number, message, payload, fault)
            if event is not None:
                self.unknown += fault < 0 and not message.name
                self._incoming.append(event)

    def _take_status(self, status: dict[str, Any]) -> None:
        self.status = {**status, "cause": self.cause}
        faults = faults_of(status)
        if faults != self._ailing:
            self._incoming.append(Ailing(self._ailing, faults))
            self._ailing = faults
        if not self._described:
            self._described, self.told = True, status["told"]
        self._time.take_status(status["time"])
        self._wanted.send_again(status["held"])

    # -- hellos --------------------------------------------------------------------------------------------------

    def _take_hello(self, boot: bytes, run: bytes, payload: bytes) -> None:
        if boot.hex() in self._left or len(payload) < 2:
            return
        major, hello = int.from_bytes(payload[:2], "little"), read_hello(boot, payload)
        if hello is None and major == wire.MAJOR:
            self.bad_frames += 1
            return
        self.version = hello.version if hello else ""
        self._refusal = incompatible(self.port, major, self.version)
        if hello is None or self._refusal:
            return
        self.warning = outdated(self.version)
        if self.board not in (None, hello.board):
            args = {"port": self.port, "found": hello.board, "wanted": self.board}
            self._refusal = Text("{port}: this is table {found}, not {wanted}", args)
            return
        fresh = self._greeting.hear(hello.challenge)
        if run == self._greeting.run:
            self._greet(hello)
            return
        # It does not listen to us yet.
        self._greeted = self._greeted and hello.boot == self.boot
        if fresh and not self._greeted and (answer := self._greeting.answer(self.clock.now())):
            self._write(answer)

    def _greet(self, hello: Hello) -> None:
        """Take up the link with a table that listens to this run."""
        self.board, self.abilities, self.lost = hello.board, hello.abilities, hello.lost
        self.cause = hello.cause
        self.minor = hello.minor
        self._hear()
        if hello.boot != self.boot:
            self._begin_boot(hello.boot)
        if self._events.resume(hello.boot, hello.acked):
            # A hello that nobody asked for can say so, too: the caller hears of it before the events that come after.
            self._greeted = self._greeted and hello.acked <= self._cursor(hello.boot)
        if not self._greeted:
            self._greeted = self._told_plugged = True
            _TRACER.debug("the table at %s answers, in boot %s", self.port, hello.boot)
            self._incoming.append(Plugged())
            self._ping_at = self._heard_at
            self._acknowledge_durable()
            self._wanted.send_all()

    def _begin_boot(self, boot: str) -> None:
        if self.boot is not None:
            self._left.add(self.boot)
            self._incoming.append(Rebooted(boot, self.boot, self.lost))
            self._wanted.begin_boot()
        self.boot = boot
        self._described = False
        self._time.begin_boot()
        self._events.begin_boot()
