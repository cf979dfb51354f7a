"""The board layer of a Raspberry Pi Pico, real or emulated: the drivers, put together as the table wants them."""

import gc
from time import sleep_ms, ticks_add, ticks_diff, ticks_ms, ticks_us

from machine import Pin, unique_id

from tablier_fw import pins, result, system, wire
from tablier_fw.landing import FLOOR
from tablier_fw.pico import fast, store
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
    from tablier_fw.board import Examiner

_LITTLE = 16 * 1024
"""Where nobody is kept waiting, so much garbage is collected."""
_PATIENCE = 16 * 1024
"""When the nursery is used up garbage is collected in the next idle slot, or when so many bytes more are used up. To go
on above it would spare collections, but each turn of the loop would take twice as long, and a collection too."""
_OFTEN = 3
"""That is looked at after every fourth busy tick: it takes a tenth of a millisecond."""
_MEASURED = 8
"""After so many collections, at least, it is measured how much memory is free, which takes as long again: never while
somebody may press."""
_OUT_MS = 50
"""What was handed to the USB is out by then."""
_CHORES_MS = 500
"""So often the watchdog is fed."""
_LONG_US = 60_000_000
"""So often, at least, the long clock is moved on. After the first minutes that takes memory."""


class Board:
    abilities = wire.CAN_SERVE
    paint = staticmethod(fast.paint)
    """How frames are computed; see :func:`tablier_fw.scene.paint`."""
    tint = staticmethod(fast.tint)
    """How the host's pixels are coloured; see :func:`tablier_fw.scene.tint`."""
    within = staticmethod(fast.within)
    """How payloads are checked; see :func:`tablier_fw.wire.within`."""
    budget = 1
    """Steps of work in one turn of the main loop: more would keep a press waiting."""

    def __init__(self, guard: Guard, nursery: int) -> None:
        """``nursery``: so many bytes at the bottom of the heap are free after the first collection."""
        Pin(pins.POWER_MODE, Pin.OUT, value=1)
        self.port = Port()
        self.read = self.port.read
        """What had come in when :meth:`wait` returned, or a part of it."""
        self.write = self.port.write
        """Takes what there is room for and returns how much that is."""
        self.id = unique_id()
        self.system = system.name()
        self.cause = guard.cause
        self.lost = guard.lost
        """How many events of boots before this one no host has called durable; ``LOST_UNKNOWN`` after power-on."""
        self.remember = guard.remember
        """Keeps over a reset how many events no host has called durable, up to 65535."""
        self.floor = Floor()
        self._use_kept()
        self.heard = False
        """Whether :attr:`read` has something to return, or at least to take from the USB."""
        self.touched = False
        """Whether :meth:`next_sample` or :meth:`next_edge` has something to tell."""
        self.buttons = 0
        self.edge_us = 0
        self.edge_ms = 0
        self.edge_line = 0
        self.edge_level = 0
        self._guard = guard
        self._pixels = Pixels()
        self._chain = Chain()
        self._sensors = Sensors()
        self._buzzer = Buzzer()
        self._noise = Noise()
        self._sample = -1
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
        """Sleeps until something comes in, at most so long; hands over the outputs first. Allocates once a minute.

        Called once a loop, after all services have run. With 0 it does not even look whether something has.
        """
        if not ms:
            self.touched = self._felt = True  # for all that is known
            return
        begun: int = ticks_ms()  # type: ignore[assignment]
        if ticks_diff(begun, self._chores_ms) >= _CHORES_MS:
            self._chores_ms = begun
            self._do_chores()
        # While a button is on its way each sample is taken as it comes; otherwise the processor sleeps in between.
        nap = 0 if ms < 2 else 1
        while True:
            self._pixels.flush()
            self.heard = self.port.arrived(nap)
            if self._arrived() or self.heard:
                return
            now: int = ticks_ms()  # type: ignore[assignment]
            if ticks_diff(now, begun) >= ms:
                return
            if ticks_diff(now, self._floor_ms) >= STEP_MS:
                self._floor_ms = now
                self.floor.step()

    def _do_chores(self) -> None:
        """What is due now and then: the watchdog is fed, because all services have run."""
        self._guard.feed()
        if ticks_diff(ticks_us(), self._long_ticks) > _LONG_US:
            self.now_us()
        if not self._lasting and ticks_diff(ticks_ms(), self._started) >= GOOD_MS:
            self._lasting = True
            self._guard.good()

    def _arrived(self) -> bool:
        """Whether a button or a sensor tells something."""
        if self._sample < 0:
            self._sample = self._chain.next()
        self._felt = self._sensors.arrived()
        self.touched = self._sample >= 0 or self._felt or self.floor.changed > 0
        return self.touched

    if TYPE_CHECKING:

        def now_ms(self) -> int: ...

        def ticks_us(self) -> int: ...

    else:
        now_ms = staticmethod(ticks_ms)
        ticks_us = staticmethod(ticks_us)

    def now_us(self) -> int:
        """Microseconds since the start; does not wrap."""
        now = ticks_us()
        self._long_us += ticks_diff(now, self._long_ticks)
        self._long_ticks = now
        return self._long_us

    # -- inputs ----------------------------------------------------------------------------------------

    def next_sample(self) -> bool:
        """Moves :attr:`buttons` on to the next sample; False when there is none that tells anything."""
        if self._sample < 0:
            self._sample = self._chain.next()
        if self._sample < 0:
            return False
        self.buttons = self._sample
        self._sample = -1
        return True

    def next_edge(self) -> bool:
        """Moves on to the next edge of a beam, the impact latch or the floor; False when there is none."""
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
        place = 0 if floor.changed & 1 else 1
        floor.changed &= ~(1 << place)
        self.edge_us = ticks_us()  # type: ignore[assignment]
        self.edge_ms = ticks_ms()  # type: ignore[assignment]
        self.edge_line = FLOOR + place
        self.edge_level = int(floor.occupied[place])
        return True

    def long_us(self, edge_us: int) -> int:
        """The time of an edge, not long ago, on the clock of :meth:`now_us`: the edges themselves have only as much of
        it as a number holds that is not on the heap."""
        now = self.now_us()
        return now - ticks_diff(self._long_ticks, edge_us)

    def faults(self) -> int:
        """What is wrong with the inputs: bits 0–7 beams that light from elsewhere blinds, bit 8 no button chain."""
        return self._sensors.blinded | self._chain.unplugged << 8

    # -- self-test and calibration ----------------------------------------------------------------------------

    def examiner(self) -> "Examiner":
        """What measures the sensors; takes memory only while it is needed."""
        import sys

        import tablier_fw.pico.examiner as module

        del sys.modules["tablier_fw.pico.examiner"]
        return module.Examiner(self._sensors, self.floor, self._chain)

    def kept(self) -> bytes:
        """The result of the self-test that is kept."""
        return store.load()

    def keep(self, data: bytes) -> bool:
        """Keeps a result, unless it is none. Everything stops for as long as it takes."""
        if result.unpack(data) is None or not store.save(data):
            return False
        self._use_kept()
        return True

    def _use_kept(self) -> None:
        self.floor.thresholds = result.thresholds(result.unpack(store.load()))

    # -- outputs ---------------------------------------------------------------------------------------

    def show(self, frame: bytearray) -> None:
        self._pixels.show(frame)

    def tone(self, hertz: int) -> None:
        self._buzzer.sound(hertz)

    # -- the end -----------------------------------------------------------------------------------------

    def serve(self) -> None:
        """Darkens the table and starts again, in the service mode. Does not return."""
        self.tone(0)
        sleep_ms(_OUT_MS)
        self._pixels.dark()
        sleep_ms(_OUT_MS)
        self._guard.serve()

    # -- entropy and memory ------------------------------------------------------------------------------

    def entropy(self, count: int) -> bytes:
        return self._noise.draw(count)

    def stir(self, seed: bytes) -> None:
        """Mixes the host's entropy in. There is a host: from now on the watchdog sees to it that the table runs."""
        self._noise.stir(seed)
        self._guard.watch()

    def littered(self, busy: bool, calm: int) -> bool:
        """Whether to collect garbage now, after a tick that was busy or not. Does not allocate after one that was not.

        ``calm``: 0 while a contact is on its way, 1 while somebody may press, 2 while nobody does.
        """
        self._calm = calm
        if not busy:
            return calm > 0 and self._used > (_LITTLE if calm > 1 else self._nursery)
        self._busy = self._busy + 1 & _OFTEN
        if self._busy:
            return False
        # New objects take the first free place: the higher they are, the more has been used up.
        used = self._used = id([]) - self._bottom
        return used > self._nursery + _PATIENCE

    def collect(self) -> int:
        """Collects garbage, and measures now and then what is free; returns how many µs that took."""
        begun = ticks_us()
        gc.collect()
        self._bottom = id([])
        self._used = 0
        self._unmeasured += 1
        if self._calm > 1 and self._unmeasured >= _MEASURED:
            self._unmeasured = 0
            free = gc.mem_free()
            self._use = (self._size - free, free)
        return ticks_diff(ticks_us(), begun)

    def heap(self) -> tuple:
        """(used, free) bytes, after a collection not long ago."""
        return self._use
