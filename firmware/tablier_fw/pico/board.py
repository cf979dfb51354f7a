"""The board layer of a Raspberry Pi Pico, real or emulated: all drivers behind the interface of ``board.pyi``."""

import gc
from time import sleep_ms, ticks_add, ticks_diff, ticks_ms, ticks_us

from machine import Pin, unique_id
from micropython import const
from uctypes import addressof

from tablier_fw import pins, result, system, wire
from tablier_fw.landing import FLOOR
from tablier_fw.pico import fast, store
from tablier_fw.pico.bare import NoArena
from tablier_fw.pico.buzzer import Buzzer
from tablier_fw.pico.chain import Chain
from tablier_fw.pico.floor import STEP_MS, Floor
from tablier_fw.pico.guard import GOOD_MS, Guard
from tablier_fw.pico.noise import Noise
from tablier_fw.pico.pixels import Pixels
from tablier_fw.pico.port import Port
from tablier_fw.pico.sensors import Sensors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.board import Debouncer, Examiner

# `const`, so that they need no names: MicroPython keeps names in pools that double. All names of the firmware fill six
# of them, and the next one would take 8 kB more, through which each collection goes.
_LITTLE = const(6 * 1024)
"""Bytes of garbage that are collected in an idle turn where nobody is kept waiting, …"""
_MUCH = const(24 * 1024)
"""… and where a place may press. To wait for more would spare collections, but MicroPython passes all garbage when it
looks for room: with 80 kB of it a turn of the loop takes twice as long."""
_PATIENCE = const(16 * 1024)
"""Bytes beyond the nursery that may be used up before garbage is collected in a busy turn."""
_ROOM = const(1024)
"""Bytes for which the first place is the nursery's begin: between what is loaded are smaller ones."""
_OFTEN = const(3)
"""Mask of the busy ticks after which the heap is looked at, every fourth: a look takes a tenth of a millisecond."""
_MEASURED = const(8)
"""Collections between two measurements of the free memory, at least. Measuring takes as long as collecting, so it is
never done while a place may press."""
_OUT_MS = const(50)
"""Time in which the USB sends what it was given."""
_OVERDUE_MS = 2 * STEP_MS
_CHORES_MS = const(500)
"""Time between two feedings of the watchdog."""
_LONG_US = const(60_000_000)
"""Longest time between two updates of the long clock. After the first minutes each allocates."""


class Board:
    abilities = wire.CAN_SERVE
    paint = staticmethod(fast.paint)
    """Computes frames; see :func:`tablier_fw.scene.paint`."""
    tint = staticmethod(fast.tint)
    """Colours the host's pixels; see :func:`tablier_fw.scene.tint`."""
    within = staticmethod(fast.within)
    """Checks ranges in payloads; see :func:`tablier_fw.wire.within`."""
    budget = 1
    """Steps of work in one turn of the main loop: more would keep a press waiting."""

    def __init__(self, guard: Guard, nursery: int) -> None:
        """``nursery``: the bytes at the bottom of the heap that are free after the first collection."""
        Pin(pins.POWER_MODE, Pin.OUT, value=1)
        self.port = Port()
        self.read = self.port.read
        """Returns what had come in when :meth:`wait` returned, or a part of it."""
        self.write = self.port.write
        """Takes what there is room for, and returns the number of bytes taken."""
        self.id = unique_id()
        self.system = system.name()
        self.cause = guard.cause
        self.lost = guard.lost
        """The number of events of earlier boots that no host has called durable; ``LOST_UNKNOWN`` after power-on."""
        self.remember = guard.remember
        """Keeps over a reset the number of events that no host has called durable, up to 65535."""
        self.equipment = store.load_equipment()
        arena = self.equipment.arena
        self.floor: Floor | NoArena = Floor() if arena else NoArena()
        self._use_result()
        self.heard = False
        """True while :attr:`read` has something to return, or at least to take from the USB."""
        self.touched = False
        """True while :meth:`next_sample` or :meth:`next_edge` may have news."""
        self.buttons = 0
        self.edge_us = 0
        self.edge_ms = 0
        self.edge_line = 0
        self.edge_level = 0
        self._guard = guard
        self._pixels = Pixels(self.equipment)
        self._chain = Chain(self.equipment.buttons(), self.equipment.starter)
        self._service = Pin(pins.SERVICE, Pin.IN, Pin.PULL_UP)
        self._sensors: Sensors | NoArena = Sensors() if arena else NoArena()
        self._power = None if self.equipment.starter else Pin(pins.POWER, Pin.IN)
        self._buzzer = Buzzer()
        self._noise = Noise()
        self._pressed = 0
        self._felt = False
        self._floor_ms: int = ticks_ms()  # type: ignore[assignment]
        self._long_us = 0
        self._long_ticks = ticks_us()
        self._started = ticks_ms()
        self._chores_ms: int = ticks_ms()  # type: ignore[assignment]
        self._lasting = False
        self._unmeasured = _MEASURED
        self._calm = 2
        self._size = gc.mem_alloc() + gc.mem_free()
        self._use = (self._size, 0)
        self._nursery = nursery
        self._bottom = 0
        self._used = 0
        self._busy = 0

    # -- time ------------------------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        """Hand over the outputs, then sleep until something comes in, at most ``ms``. Allocates once a minute.

        Called once a loop, after all services have run. With 0 it does not look for input at all.
        """
        begun: int = ticks_ms()  # type: ignore[assignment]
        if ticks_diff(begun, self._floor_ms) >= _OVERDUE_MS:  # the host, or a hand, keeps the table busy
            self._floor_ms = begun
            self.floor.step()
        if not ms:
            self.touched = self._felt = True  # unknown, and found out by the caller
            return
        if ticks_diff(begun, self._chores_ms) >= _CHORES_MS:
            self._chores_ms = begun
            self._do_chores()
        nap = 0  # what has come during the turn waits for no sleep
        while True:
            self._pixels.flush()
            self.heard = self.port.arrived(nap)
            if self._arrived() or self.heard:
                return
            # While a contact bounces each sample is taken as it comes; otherwise the processor sleeps in between.
            nap = 1 if ms > 1 and self._chain.settled else 0
            now: int = ticks_ms()  # type: ignore[assignment]
            if ticks_diff(now, begun) >= ms:
                return
            if ticks_diff(now, self._floor_ms) >= STEP_MS:
                self._floor_ms = now
                self.floor.step()

    def _do_chores(self) -> None:
        """Feed the watchdog, because all services have run; keep the long clock; mark a start as good; watch the
        buttons."""
        self._guard.feed()
        self._chain.watch()
        if ticks_diff(ticks_us(), self._long_ticks) > _LONG_US:
            self.now_us()
        if not self._lasting and ticks_diff(ticks_ms(), self._started) >= GOOD_MS:
            self._lasting = True
            self._guard.mark_good()

    def _arrived(self) -> bool:
        """Return True if a button or a sensor has news."""
        if not self._pressed:
            self._pressed = self._chain.next()
        self._felt = self._sensors.arrived()
        self.touched = self._pressed > 0 or self._felt or self.floor.changed > 0
        return self.touched

    if TYPE_CHECKING:

        def now_ms(self) -> int: ...

        def ticks_us(self) -> int: ...

    else:
        now_ms = staticmethod(ticks_ms)
        ticks_us = staticmethod(ticks_us)

    def now_us(self) -> int:
        """Return the µs since the start; does not wrap."""
        now = ticks_us()
        self._long_us += ticks_diff(now, self._long_ticks)
        self._long_ticks = now
        return self._long_us

    # -- inputs ----------------------------------------------------------------------------------------

    def next_sample(self) -> bool:
        """Move :attr:`buttons` on to the next buttons that became pressed; return False when there are none."""
        pressed = self.buttons = self._pressed or self._chain.next()
        self._pressed = 0
        return pressed > 0

    def debouncer(self) -> "Debouncer":
        """Return the chain: it debounces what it samples."""
        return self._chain

    def next_edge(self) -> bool:
        """Move on to the next edge of a beam, the impact latch or the floor; return False when there is none."""
        sensors = self._sensors
        if not self._felt or not sensors.next():
            return self._next_on_floor()
        self.edge_us = sensors.ticks
        age: int = ticks_diff(ticks_us(), sensors.ticks)
        self.edge_ms = ticks_add(ticks_ms(), -(age // 1000))  # type: ignore[assignment]
        self.edge_line = sensors.line
        self.edge_level = sensors.level
        return True

    def _next_on_floor(self) -> bool:
        floor = self.floor
        if not floor.changed:
            return False
        assert isinstance(floor, Floor)
        place = 0 if floor.changed & 1 else 1
        floor.changed &= ~(1 << place)
        self.edge_us = ticks_us()  # type: ignore[assignment]
        self.edge_ms = ticks_ms()  # type: ignore[assignment]
        self.edge_line = FLOOR + place
        self.edge_level = int(floor.occupied[place])
        return True

    def long_us(self, edge_us: int) -> int:
        """Return the time of a recent edge on the clock of :meth:`now_us`. An edge itself has only the lower 30 bits:
        longer numbers would be on the heap."""
        now = self.now_us()
        return now - ticks_diff(self._long_ticks, edge_us)

    def faults(self) -> int:
        chain = self._chain
        faults = (wire.NO_CHAIN if chain.unplugged else 0) | (wire.NO_SAMPLES if chain.stopped else 0)
        power = self._power
        return faults | wire.NO_POWER if power and not power.value() else faults

    # -- self-test and calibration ----------------------------------------------------------------------------

    def examiner(self) -> "Examiner":
        """Return the examiner of the sensors. Its module is dropped, so that it takes memory only while in use."""
        import sys

        import tablier_fw.pico.examiner as module

        del sys.modules["tablier_fw.pico.examiner"]
        assert isinstance(self._sensors, Sensors) and isinstance(self.floor, Floor)
        return module.Examiner(self._sensors, self.floor)

    def load_result(self) -> bytes:
        """Return the stored result of the self-test."""
        return store.load()

    def save_result(self, data: bytes) -> bool:
        """Store a result; return False if it is invalid or the flash refuses it. Everything stops meanwhile."""
        if result.unpack(data) is None or not store.save(data):
            return False
        self._use_result()
        return True

    def _use_result(self) -> None:
        self.floor.thresholds = result.thresholds(result.unpack(store.load()))

    # -- outputs ---------------------------------------------------------------------------------------

    def show(self, frame: bytearray) -> None:
        self._pixels.show(frame)

    def tone(self, hertz: int, volume: int) -> None:
        self._buzzer.sound(hertz, volume)

    def service_pressed(self) -> bool:
        """Return True while the service button is pressed. Does not allocate."""
        return not self._service.value()

    # -- the end -----------------------------------------------------------------------------------------

    def enter_service(self) -> None:
        """Darken the table and restart in the service mode. Does not return."""
        self.tone(0, 0)
        sleep_ms(_OUT_MS)
        self._pixels.dark()
        sleep_ms(_OUT_MS)
        self._guard.enter_service()

    # -- entropy and memory ------------------------------------------------------------------------------

    def entropy(self, count: int) -> bytes:
        return self._noise.draw(count)

    def stir(self, seed: bytes) -> None:
        """Mix in the host's entropy, and start the watchdog: there is a host now."""
        self._noise.stir(seed)
        self._guard.watch()

    def must_collect(self, busy: bool, calm: int) -> bool:
        """Return True if garbage must be collected now. Does not allocate after a tick that was not ``busy``.

        ``calm``: 0 while a contact bounces, 1 while a place may press, 2 otherwise.
        """
        self._calm = calm
        if not busy:
            return calm > 0 and self._used > (_LITTLE if calm > 1 else _MUCH)
        self._busy = self._busy + 1 & _OFTEN
        if self._busy:
            return False
        # A new object takes the first free place: the higher it lies, the more has been used up.
        used = self._used = id([]) - self._bottom
        return used > self._nursery + _PATIENCE

    def collect(self) -> int:
        """Collect garbage, and now and then measure the free memory; return the µs that took."""
        begun = ticks_us()
        gc.collect()
        self._bottom = addressof(bytearray(_ROOM))
        self._used = 0
        self._unmeasured += 1
        if self._calm > 1 and self._unmeasured >= _MEASURED:
            self._unmeasured = 0
            free = gc.mem_free()
            self._use = (self._size - free, free)
        return ticks_diff(ticks_us(), begun)

    def heap(self) -> tuple:
        """Return the bytes used and free after a recent collection."""
        return self._use
