"""The board layer of the simulated table: everything goes through one call to the program that runs the VM.

``host.call("wait", …)`` hands over what is to be sent, lit and sounded, and returns when something comes in or the
time is up. Texts only, because the VM's bridge carries no bytes::

    out: <ms to wait> <1: give me bytes> <Hz> <volume> <base64 to send or -> <hex of the frame or ->
    in:  <now µs> <room for sending> <buttons> <base64 received or -> [<µs>,<line>,<level> …]

Bit 24 of the buttons is the service button; bit 25 says that the chain does not answer, bit 26 that nothing samples it,
bit 27 that the supply gives no 5 V.

``host.call("identity", "")`` says once who this board is: ``<board id> <cause> <events lost> <budget> <abilities>``;
``host.call("equipment", "")`` says what there is of a table, as its file does.

The self-test has calls of its own, ``examine`` and ``keep``.
"""

import gc
from binascii import a2b_base64, b2a_base64, hexlify, unhexlify
from time import ticks_diff

import host

from tablier_fw import equipment, result, system, wire
from tablier_fw.buttons import STILL_MS, Buttons
from tablier_fw.scene import paint, tint

_SERVICE, _LOOSE, _STILL, _DARK = 1 << 24, 1 << 25, 1 << 26, 1 << 27
_COLLECT_MS = 2000
"""Least time between two collections, which run in idle slots, …"""
_SHORT = 40_000
"""… unless at most this number of bytes is free."""


class Board:
    paint = staticmethod(paint)
    tint = staticmethod(tint)
    within = staticmethod(wire.within)

    def __init__(self) -> None:
        self.system = system.name()
        board, cause, lost, budget, abilities = host.call("identity", "").split(" ")
        self.id = unhexlify(board)
        self.cause = int(cause)
        self.lost = int(lost)
        """The number of events of earlier boots that no host has called durable; ``LOST_UNKNOWN`` after power-on."""
        self.abilities = int(abilities)
        self.equipment = equipment.read(host.call("equipment", ""))
        self.budget = int(budget)
        """Steps of work in one turn of the main loop."""
        self.heard = False
        """True while :meth:`read` has something to return."""
        self.touched = True
        """True while :meth:`next_sample` or :meth:`next_edge` may have news: here there is always a sample."""
        self.buttons = 0  # and more, from bit 24 on
        self.edge_us = 0
        self.edge_ms = 0
        self.edge_line = 0
        self.edge_level = 0
        self._edges: list = []
        self._sampled_ms = -1
        self._alive_ms = 0  # when the buttons were sampled last
        self._now = 0
        self._room = 0
        self._tx = b""
        self._rx = b""
        self._frame: bytearray | None = None
        self._hertz = 0
        self._volume = 0
        self._collected_ms = 0
        self.wait(0)

    def wait(self, ms: int) -> None:
        """Hand over the outputs, then sleep until something comes in, at most ``ms``.

        Does not sleep while earlier input has not been taken, nor take more bytes, which a Pico's port would not
        either.
        """
        if self.heard or self._edges:
            ms = 0
        sent = b2a_base64(self._tx).decode().strip() if self._tx else "-"
        lit = hexlify(bytes(self._frame)).decode() if self._frame is not None else "-"
        said = "%d %d %d %d %s %s" % (ms, not self.heard, self._hertz, self._volume, sent, lit)
        answer = host.call("wait", said).split(" ")
        self._tx = b""
        self._frame = None
        self._now = int(answer[0])
        self._room = int(answer[1])
        buttons = int(answer[2])
        if buttons != self.buttons:
            self.buttons = buttons
            self._sampled_ms = -1  # what has moved is sampled at once
        if not buttons & _STILL:
            self._alive_ms = self.now_ms()
        if answer[3] != "-":
            self._rx = a2b_base64(answer[3])
            self.heard = True
        for edge in answer[4:]:
            self._edges.append([int(part) for part in edge.split(",")])

    def now_ms(self) -> int:
        """Return the ms since the start, in the range that ``ticks_diff`` compares."""
        return self._now // 1000 & 0x3FFFFFFF

    def ticks_us(self) -> int:
        return self._now & 0x3FFFFFFF

    def now_us(self) -> int:
        """Return the µs since the start; does not wrap."""
        return self._now

    def read(self) -> bytes:
        """Return what has come in since the last call."""
        data = self._rx
        if data:
            self._rx = b""
            self.heard = False
        return data

    def write(self, data: "bytes | memoryview") -> int:
        """Take what there is room for, and return the number of bytes taken."""
        taken = data[: self._room]
        self._tx += bytes(taken)
        self._room -= len(taken)
        return len(taken)

    def next_sample(self) -> bool:
        """Move :attr:`buttons` on to the next sample, one a millisecond; return False when there is none."""
        now = self.now_ms()
        if now == self._sampled_ms or self.buttons & _STILL:
            return False
        self._sampled_ms = now
        return True

    def debouncer(self) -> Buttons:
        """Return what finds the presses in :attr:`buttons`."""
        return Buttons(self.buttons, self.equipment.buttons())

    def service_pressed(self) -> bool:
        """Return True while the service button is pressed. Does not allocate."""
        return self.buttons & _SERVICE != 0

    def faults(self) -> int:
        faults = wire.NO_CHAIN if self.buttons & _LOOSE else 0
        if ticks_diff(self.now_ms(), self._alive_ms) >= STILL_MS:
            faults |= wire.NO_SAMPLES
        if self.buttons & _DARK:
            faults |= wire.NO_POWER
        return faults

    def next_edge(self) -> bool:
        """Move on to the next edge of a beam or the impact latch; return False when there is none."""
        if not self._edges:
            return False
        self.edge_us, self.edge_line, self.edge_level = self._edges.pop(0)
        self.edge_ms = self.edge_us // 1000 & 0x3FFFFFFF
        return True

    @staticmethod
    def remember(lost: int) -> None:
        """Keep over a reset the number of events that no host has called durable, up to 65535."""
        host.call("remember", str(lost))

    def examiner(self) -> "Examiner":
        return Examiner()

    def load_result(self) -> bytes:
        """Return the stored result of the self-test."""
        return unhexlify(host.call("keep", ""))

    def save_result(self, data: bytes) -> bool:
        """Store a result; return False if it is invalid."""
        if result.unpack(data) is None:
            return False
        host.call("keep", hexlify(data).decode())
        return True

    @staticmethod
    def long_us(edge_us: int) -> int:
        """Return the time of an edge on the clock of :meth:`now_us`."""
        return edge_us

    def show(self, frame: bytearray) -> None:
        self._frame = frame

    def tone(self, hertz: int, volume: int) -> None:
        self._hertz = hertz
        self._volume = volume

    def entropy(self, count: int) -> bytes:
        return unhexlify(host.call("entropy", str(count)))

    def stir(self, seed: bytes) -> None:
        """Do nothing: the program that runs the VM draws from the system's entropy."""

    def enter_service(self) -> None:
        """Restart into the service mode, ``service_sim``. Does not return."""
        host.call("service", "")

    def must_collect(self, busy: bool, calm: int) -> bool:
        """Return True if garbage must be collected now; see the twin in ``pico/board``."""
        if calm and ticks_diff(self.now_ms(), self._collected_ms) >= _COLLECT_MS:
            return True
        return gc.mem_free() < _SHORT

    def heap(self) -> tuple:
        """Return the bytes used and free after the latest collection."""
        self._collected_ms = self.now_ms()
        return gc.mem_alloc(), gc.mem_free()


class Examiner:
    """Measures the sensors for the self-test; see its twin in ``pico.examiner``."""

    @staticmethod
    def _ask(what: str) -> list:
        return [int(part) for part in host.call("examine", what).split(" ")]

    def begin(self) -> None:
        self._ask("dark")

    def end(self) -> None:
        pass

    def dark(self, lit: list) -> tuple:
        seen, hit = self._ask("dark")
        for beam in range(8):
            lit[beam] += seen >> beam & 1
        return 1, hit

    def broken(self, percent: int) -> int:
        return self._ask("light %d" % percent)[0]

    def floor(self) -> tuple:
        return tuple(self._ask("floor"))
