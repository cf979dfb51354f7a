"""The buttons: 24 of them on four 74HC165, shifted in a thousand times a second by a state machine of PIO 0.

Wires: CLK on BUTTONS_CLOCK, SH/LD on BUTTONS_LOAD, QH of the last chip on BUTTONS_DATA.

A DMA channel puts the samples into a ring that holds 64 ms of them, so a slow tick loses none. The spare inputs of the
chain are wired to a fixed pattern: a sample without it is no sample, and the chain counts as unplugged.
"""

from array import array

import rp2
from machine import Pin
from uctypes import addressof

from tablier_fw import pins
from tablier_fw.buttons import SAMPLES
from tablier_fw.pico import fast, programs

_FROM_MACHINE = 0x50200028  # the FIFO of PIO 0 from its third machine
_MACHINE = 2
_DREQ = 6  # PIO 0 has a word from its third machine
_SIZE = 64  # samples; a power of two
_BITS = 8  # log2 of the ring's bytes
_ENDLESS = 0xFFFFFFFF  # a month and a half of samples


def _aligned(size: int):  # type: ignore[no-untyped-def]
    """Memory that begins at a multiple of its size, as the DMA's ring wants it."""
    memory = bytearray(2 * size)
    start = -addressof(memory) % size
    return memoryview(memory)[start : start + size]


class Chain:
    def __init__(self) -> None:
        self._ring = _aligned(4 * _SIZE)
        self._start = addressof(self._ring)
        good = 0
        for bit in range(8):  # the first of the pattern to come out is the lowest bit of the sample's last byte
            good |= (pins.PATTERN >> (7 - bit) & 1) << bit
        self._good = good
        self._state = array("i", [0, -1, 0, _SIZE - 1, SAMPLES])
        self.unplugged = False
        """Whether the last sample did not show the fixed pattern."""
        self._dma = rp2.DMA()
        self._machine = rp2.StateMachine(
            _MACHINE,
            programs.buttons,
            freq=programs.BUTTONS_HZ,
            in_base=Pin(pins.BUTTONS_DATA, Pin.IN, Pin.PULL_UP),
            sideset_base=Pin(pins.BUTTONS_CLOCK),
        )
        ctrl = self._dma.pack_ctrl(size=2, inc_read=False, ring_size=_BITS, ring_sel=True, treq_sel=_DREQ, bswap=False)
        self._dma.config(read=_FROM_MACHINE, write=self._ring, count=_ENDLESS, ctrl=ctrl, trigger=True)
        self._machine.active(1)

    def next(self) -> int:
        """The buttons of the next sample that tells something, 1 while pressed; -1 when there is none.

        Does not allocate.
        """
        head = (self._dma.write - self._start) >> 2
        while True:
            sample = fast.scan(self._ring, self._state, head & (_SIZE - 1), self._good)
            self.unplugged = sample == -2 or (self.unplugged and sample == -1)
            if sample != -2:
                return sample
