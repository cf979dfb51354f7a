"""A simulated table in virtual time with a client at its port, and the words in which the tests speak of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from tests.firmware.raw import RawHost

from tablier.simulation.clock import VirtualClock
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.tester import Tester
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.events import Cursor
from tablier.table.incoming import Incoming, TableEvent
from tablier.texts import Json
from tablier_fw import colours, wire
from tablier_fw.equipment import Equipment

SEED = 1
LOG = b"the log!"

DARK = "000000"
PENDING, TAKEN, REFUSED = (bytes(c).hex() for c in (colours.PENDING, colours.TAKEN, colours.REFUSED))
READY = bytes(colours.READY).hex()


def lit(colour: str) -> bool:
    return colour != DARK


class Asking(Client):
    """Remembers what it has asked for last in each slot."""

    def __init__(
        self, port: str, clock: Clock, cursor: Cursor, boot: str | None = None, *, log: bytes = wire.NO_ID
    ) -> None:
        super().__init__(port, clock, cursor, boot, log=log)
        self.requests: dict[int, tuple[wire.Message, bytes]] = {}

    def want(self, message: wire.Message, *values: Any) -> None:
        payload = message.encode(*values)
        self.requests[wire.slot_of(message, payload)] = message, payload
        super().want(message, *values)


class Desk:
    """``run`` lets table time pass; what comes in is kept in ``seen``, and events are acknowledged while ``acking``.

    The log is ``cursors``: the number of the last durable event by boot.
    """

    def __init__(
        self,
        seed: int = SEED,
        *,
        open: bool = True,
        board: str | None = None,
        equipment: Equipment | None = None,
    ) -> None:
        self.table = SimulatedTable(virtual=True, seed=seed, board=board, equipment=equipment)
        self.tester = self.table.tester
        self.acking = True
        self.cursors: dict[str, int] = defaultdict(int)
        self.seen: list[Incoming] = []
        self._next_id = 0
        self._joined: list[Tester] = []
        self.client = self.new_client()
        if open:
            self.client.open()
            self.run(0.05)

    def new_client(self, boot: str | None = None, *, log: bytes = LOG) -> Asking:
        """Another run of the host; the one before is gone without a word."""
        for tester in self._joined:
            tester.close()
        tester = Tester(self.table.control)
        tester.join()
        self._joined = [tester]
        self.clock = VirtualClock(tester)
        port = self.table.port
        assert port is not None
        self.client = Asking(port, self.clock, self.cursors.__getitem__, boot, log=log)
        return self.client

    def close(self) -> None:
        self.client.close()
        for tester in self._joined:
            tester.close()
        self.table.close()

    # -- time --------------------------------------------------------------------------------------------------

    def run(self, seconds: float = 0.3) -> list[TableEvent]:
        """Let time pass and return the events that came."""
        start, end = len(self.seen), self.clock.now() + seconds
        while True:
            self._take(self.client.poll(max(0.0, end - self.clock.now())))
            if self.clock.now() >= end - 1e-6:
                return [it for it in self.seen[start:] if isinstance(it, TableEvent)]

    def _take(self, incoming: list[Incoming]) -> None:
        for it in incoming:
            self.seen.append(it)
            if isinstance(it, TableEvent) and self.acking:
                assert it.number == self.cursors[it.boot] + 1, f"event {it.number} after {self.cursors[it.boot]}"
                self.cursors[it.boot] = it.number
                self.client.acknowledge(it)

    def run_until(self, condition: Callable[[], bool], seconds: float = 10.0, step: float = 0.02) -> None:
        """Let time pass until something is so; fail when it is not within these seconds."""
        end = self.clock.now() + seconds
        while not condition():
            assert self.clock.now() < end, f"not within {seconds} s"
            self.run(step)

    # -- the host's side ----------------------------------------------------------------------------------------

    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def ask(self, message: wire.Message, *values: object) -> int:
        """Ask a question under the next id and return the id."""
        self.client.want(message, self.new_id(), *values)
        self.run(0.05)
        return self._next_id

    def events(self, name: str | None = None) -> list[TableEvent]:
        events = [it for it in self.seen if isinstance(it, TableEvent)]
        return [it for it in events if name is None or it.message.name == name]

    def values(self, name: str) -> list[Json]:
        return [it.values for it in self.events(name)]

    def ack_all(self) -> None:
        """Make durable what came while nothing was acknowledged."""
        for it in self.events():
            if it.number > self.cursors[it.boot]:
                self.cursors[it.boot] = it.number
                self.client.acknowledge(it)

    def status(self, seconds: float = 0.25) -> Json:
        """A fresh status."""
        self.run(seconds)
        return self.client.status

    def trace(self) -> list[tuple[bool, wire.Message, tuple[Any, ...]]]:
        """Return a list to which every frame is added from now on: whether it came in, its message, its fields."""
        frames: list[tuple[bool, wire.Message, tuple[Any, ...]]] = []
        self.client.trace = lambda inward, message, values: frames.append((inward, message, values))
        return frames

    def ids(self) -> tuple[bytes, bytes]:
        """Return the ids of the board and of its boot, which commitments are bound to."""
        board, boot = self.client.board, self.client.boot
        assert board is not None and boot is not None
        return bytes.fromhex(board), bytes.fromhex(boot)

    def holds(self, slot: int) -> bool:
        """Return True if the table reports that a slot holds what the host wants."""
        message, payload = self.client.requests[slot]
        held: bytes = self.client.status["held"][4 * slot : 4 * slot + 4]
        return int.from_bytes(held, "little") == wire.revision(message, payload)

    # -- the table's side ------------------------------------------------------------------------------------------

    def press(self, place: int, *buttons: str) -> list[TableEvent]:
        """Presses buttons one after another, each in 0.2 s; returns the events that came of it."""
        start = len(self.seen)
        for button in buttons:
            self.tester.press(place, button)
            self.run(0.2)
        return [it for it in self.seen[start:] if isinstance(it, TableEvent)]

    def pixels(self, group: str) -> list[str]:
        pixels: list[str] = self.tester.pixels()[group]
        return pixels

    def public(self, place: int) -> str:
        return self.pixels("public")[place - 1]

    def film(self, group: str, pixel: int, seconds: float = 2.2, step: float = 0.02) -> list[str]:
        """The colours of a pixel over time."""
        colours = []
        for _ in range(round(seconds / step)):
            self.run(step)
            colours.append(self.pixels(group)[pixel])
        return colours


class DeskHost(RawHost):
    """A host of its own at a desk's table."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.table)
        self.desk = desk


def steady(desk: Desk, place: int) -> list[str]:
    """The hood in the half of a second in which everything is lit."""
    desk.run_until(lambda: 50 < desk.clock.now() * 1000 % 1024 < 450, 2)
    return desk.pixels(f"hood{place}")
