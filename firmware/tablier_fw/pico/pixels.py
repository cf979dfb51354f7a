"""The pixels: two chains of WS2812, each fed by a state machine of PIO 0 and a DMA channel.

Wires: data of the ring on RING_DATA, data of the places on PLACES_DATA, both through a level shifter to 5 V.

The current is capped group by group, never jointly: what lights up under one hood must not dim what others see.
"""

from array import array
from time import ticks_diff, ticks_us

import rp2
from machine import Pin

from tablier_fw import pins, wire
from tablier_fw.pico import dma, fast, programs

CHANNEL_MA = 20
"""What one colour of one pixel draws when fully on."""
RING_MA, PUBLIC_MA, HOOD_MA = 1000, 60, 150
"""Most that the ring, one public pixel, one hood may draw: 2.3 A in all, whatever the host asks for."""

_FRAME_US = 36 * 30 + 300  # the longer chain, and the pause after which its pixels show what they got


def _groups() -> array:
    """Return for each capped group its number of pixels and the limit of the sum of its channels."""
    ring, publics, *hoods = wire.GROUPS
    table = [ring, RING_MA * 255 // CHANNEL_MA]
    for _ in range(publics):
        table += [1, PUBLIC_MA * 255 // CHANNEL_MA]
    for hood in hoods:
        table += [hood, HOOD_MA * 255 // CHANNEL_MA]
    return array("H", table)


class Pixels:
    def __init__(self) -> None:
        self._groups = _groups()
        self._words = array("I", [0] * sum(wire.GROUPS))
        ring = wire.GROUPS[wire.RING]
        self._chains = [
            self._chain(0, pins.RING_DATA, memoryview(self._words)[:ring]),
            self._chain(1, pins.PLACES_DATA, memoryview(self._words)[ring:]),
        ]
        self._frame: bytearray | None = None
        self._sent_us = ticks_us()
        self.dimmed = 0
        """How many groups of the last frame were over their current."""

    @staticmethod
    def _chain(number: int, pin: int, words: memoryview) -> tuple:
        out = Pin(pin)
        machine = rp2.StateMachine(number, programs.pixels, freq=programs.PIXELS_HZ, set_base=out, out_base=out)
        machine.active(1)
        channel = rp2.DMA()
        ctrl = channel.pack_ctrl(size=2, inc_write=False, treq_sel=dma.PACE_TO_PIO0 + number, bswap=False)
        channel.config(write=dma.TO_PIO0 + 4 * number, count=len(words), ctrl=ctrl)
        return channel, words

    def show(self, frame: bytearray) -> None:
        """Send a frame as soon as the chains are free: now or with the next :meth:`flush`."""
        self._frame = frame
        self.flush()

    def flush(self) -> None:
        """Send the frame that waits, if any. Does not allocate."""
        frame = self._frame
        if frame is None or ticks_diff(ticks_us(), self._sent_us) < _FRAME_US:
            return
        self._frame = None
        self._sent_us = ticks_us()
        self.dimmed = fast.pack(frame, self._words, self._groups, len(self._groups) >> 1)
        for channel, words in self._chains:
            channel.read = words
            channel.active(1)

    def dark(self) -> None:
        self.show(bytearray(3 * sum(wire.GROUPS)))
