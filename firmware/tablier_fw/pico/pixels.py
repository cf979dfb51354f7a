"""The pixels: two chains of WS2812, each fed by a state machine of PIO 0 and a DMA channel.

Wires: data of the ring on RING_DATA, data of the places on PLACES_DATA, both through a level shifter to 5 V. A
starter has one strip on RING_DATA, with the places behind the ring. What is not there has no pixels: what stands behind
it moves up.

The current is capped group by group, never jointly: what lights up under one hood must not dim what others see.
"""

from array import array
from time import ticks_diff, ticks_us

import rp2
from machine import Pin

from tablier_fw import pins, wire
from tablier_fw.pico import dma, fast, programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.equipment import Equipment

CHANNEL_MA = 20
"""What one colour of one pixel draws when fully on."""
RING_MA, PUBLIC_MA, HOOD_MA = 1000, 60, 150
"""Most that the ring, one public pixel, one hood may draw: 2.3 A in all, whatever the host asks for."""
STARTER_RING_MA, STARTER_PUBLIC_MA, STARTER_HOOD_MA = 150, 20, 65
"""The same of a starter: 320 mA in all, because a USB 2 port gives 500, of which the Pico takes up to 120 and 60 dark
pixels 60."""
_PIXEL_US, _PAUSE_US = 30, 300  # the time of a pixel, and the pause after which a chain shows what it got


def _groups(equipment: "Equipment") -> array:
    """Return for each capped group the pixels that are there, those that are not, the limit of the sum of channels."""
    full, table = wire.GROUPS[wire.RING], []
    ring_ma, public_ma, hood_ma = RING_MA, PUBLIC_MA, HOOD_MA
    if equipment.starter:
        ring_ma, public_ma, hood_ma = STARTER_RING_MA, STARTER_PUBLIC_MA, STARTER_HOOD_MA
    groups = [(equipment.ring, full - equipment.ring, ring_ma)]
    for count, most in ((1, public_ma), (wire.GROUPS[wire.HOOD], hood_ma)):
        for place in range(wire.PLACES):
            groups.append((count, 0, most) if equipment.places >> place & 1 else (0, count, 0))
    for there, missing, most in groups:
        table += [there, missing, most * 255 // CHANNEL_MA]
    return array("H", table)


class Pixels:
    def __init__(self, equipment: "Equipment") -> None:
        self._groups = _groups(equipment)
        count, ring = len(equipment.pixels()), equipment.ring
        self._words = array("I", [0] * count)
        words = memoryview(self._words)
        if equipment.starter:
            self._chains = [self._chain(0, pins.RING_DATA, words)]
        else:
            self._chains = [
                self._chain(0, pins.RING_DATA, words[:ring]),
                self._chain(1, pins.PLACES_DATA, words[ring:]),
            ]
        self._frame_us = max([len(each) for _, each in self._chains]) * _PIXEL_US + _PAUSE_US
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
        if frame is None or ticks_diff(ticks_us(), self._sent_us) < self._frame_us:
            return
        self._frame = None
        self._sent_us = ticks_us()
        self.dimmed = fast.pack(frame, self._words, self._groups, len(self._groups) // 3)
        for channel, words in self._chains:
            channel.read = words
            channel.active(1)

    def dark(self) -> None:
        self.show(bytearray(3 * sum(wire.GROUPS)))
