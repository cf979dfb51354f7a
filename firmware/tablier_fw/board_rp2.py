"""The board layer of a Raspberry Pi Pico, real or emulated: the drivers, put together as the table wants them."""

import gc
from time import ticks_add, ticks_diff, ticks_ms, ticks_us

import machine
from machine import Pin, unique_id

from tablier_fw import pins, system
from tablier_fw.pico.chain import Chain
from tablier_fw.pico.noise import Noise
from tablier_fw.pico.pixels import Pixels
from tablier_fw.pico.port import Port

_TIGHT_MS = 10_000
"""A collection may be put off for so long. Measuring what is free would cost as much as collecting."""


class Board:
    abilities = 0

    def __init__(self) -> None:
        Pin(pins.POWER_MODE, Pin.OUT, value=1)
        self.port = Port()
        self.id = unique_id()
        self.system = system.name()
        self.cause = machine.reset_cause()
        self.buttons = 0
        self.edge_us = 0
        self.edge_ms = 0
        self.edge_line = 0
        self.edge_level = 0
        self._pixels = Pixels()
        self._chain = Chain()
        self._noise = Noise()
        self._sample = -1
        self._base = 0  # of now_us: moved on long before ticks_us wraps
        self._base_ticks = ticks_us()
        self._collected = ticks_ms()

    # -- time ------------------------------------------------------------------------------------------

    def wait(self, ms: int) -> None:
        """Sleeps until something comes in, at most so long; hands over the outputs first. Does not allocate."""
        if ticks_diff(ticks_us(), self._base_ticks) > 0x10000000:
            self.now_us()
        self._pixels.flush()
        until = ticks_add(ticks_ms(), ms)
        while not self._arrived() and not self.port.wait(1) and ticks_diff(until, ticks_ms()) > 0:
            self._pixels.flush()

    def _arrived(self) -> bool:
        """Whether a button tells something."""
        if self._sample < 0:
            self._sample = self._chain.next()
        return self._sample >= 0

    def now_ms(self) -> int:
        """Milliseconds, in the range that ``ticks_diff`` compares."""
        return ticks_ms()

    def ticks_us(self) -> int:
        return ticks_us()

    def now_us(self) -> int:
        """Microseconds since the start; does not wrap."""
        now = ticks_us()
        self._base += ticks_diff(now, self._base_ticks)
        self._base_ticks = now
        return self._base

    # -- inputs ----------------------------------------------------------------------------------------

    def next_sample(self) -> bool:
        """Moves :attr:`buttons` on to the next sample; False when there is none that tells anything."""
        if not self._arrived():
            return False
        self.buttons = self._sample
        self._sample = -1
        return True

    def next_edge(self) -> bool:
        """Moves on to the next edge of a beam or the impact latch; False when there is none."""
        return False

    # -- outputs ---------------------------------------------------------------------------------------

    def show(self, frame: bytearray) -> None:
        self._pixels.show(frame)

    def tone(self, hertz: int) -> None:
        pass

    # -- the port --------------------------------------------------------------------------------------

    def read(self) -> bytes:
        """What has come in since the last call."""
        return self.port.read()

    def write(self, data: bytes) -> int:
        """Takes what there is room for and returns how much that is."""
        return self.port.write(data)

    # -- entropy and memory ------------------------------------------------------------------------------

    def entropy(self, count: int) -> bytes:
        return self._noise.draw(count)

    def stir(self, seed: bytes) -> None:
        """Mixes the host's entropy in."""
        self._noise.stir(seed)

    def tight(self) -> bool:
        """Whether a collection cannot wait for an idle slot."""
        return ticks_diff(ticks_ms(), self._collected) > _TIGHT_MS

    def heap(self) -> tuple:
        """(used, free) bytes. Called after a collection."""
        self._collected = ticks_ms()
        return gc.mem_alloc(), gc.mem_free()
