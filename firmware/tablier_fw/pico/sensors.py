"""The arena's sensors: eight infrared beams and the impact latch, sampled by a state machine of PIO 1.

Wires: receivers on BEAM_LOW_1 … BEAM_RIM_4, high while the beam is broken; the latch on IMPACT, cleared by
IMPACT_CLEAR; the emitters of the tiers on EMIT_LOW and EMIT_RIM.

The emitters are switched off for half of the time: a receiver that sees light then sees it from elsewhere, and its
beam cannot tell anything. Changes are written to memory with the time of the timer, by DMA, so a slow tick loses none.
"""

import rp2
from machine import Pin

from tablier_fw import pins
from tablier_fw.landing import IMPACT
from tablier_fw.pico import dma, programs

_MACHINE = 4  # the first of PIO 1
_BITS = 8  # log2 of the changes that the memory holds
_LIT_AGO, _DARK_AGO = -39, -3
"""When the inputs were read, in µs from the moment the change was written down."""
_TICKS = 0x3FFFFFFF  # where ticks_us wraps
_BEAMS = 0xFF
_HIT = 1 << IMPACT


class Sensors:
    def __init__(self) -> None:
        self.ticks = 0
        self.line = 0
        self.level = 0
        self.blinded = 0
        """Beams, by bit, whose receiver sees light from elsewhere."""
        self._state = 0
        self._edges: list = []
        self._tail = 0
        self._words = dma.Ring(_BITS)
        self._times = dma.Ring(_BITS)
        self._words.run(dma.FROM_PIO1, dma.PACE_FROM_PIO1, 1, self._times.channel, start=False)
        self._times.run(dma.MICROSECONDS, dma.UNPACED, 1, self._words.channel, start=False)
        for line in range(IMPACT):
            Pin(pins.BEAM_LOW_1 + line, Pin.IN, Pin.PULL_UP)  # no receiver: broken
        Pin(pins.IMPACT, Pin.IN, Pin.PULL_DOWN)
        self._machine = rp2.StateMachine(_MACHINE)
        self._words.start()
        self.start()

    def start(self) -> None:
        """Begins to feel, or again after :meth:`stop`."""
        self._machine.init(
            programs.sensors,
            freq=programs.SENSORS_HZ,
            in_base=Pin(pins.BEAM_LOW_1),
            set_base=Pin(pins.IMPACT_CLEAR),
            jmp_pin=Pin(pins.IMPACT),
        )
        self._machine.active(1)

    def stop(self) -> None:
        """Leaves the pins to whoever measures by other means. What has changed meanwhile is told after the start."""
        self._machine.active(0)

    def skip(self) -> None:
        """Forgets how the beams have come to be as they are: only the latest change is told."""
        head = self._times.head()
        if head != self._tail:
            self._tail = head - 1 & self._words.mask

    def arrived(self) -> bool:
        """Whether there is a change. Does not allocate."""
        return bool(self._edges) or self._times.head() != self._tail

    def next(self) -> bool:
        """Moves on to the next edge: :attr:`line`, :attr:`level`, and :attr:`ticks` in µs. False when there is none."""
        while not self._edges:
            if self._times.head() == self._tail:
                return False
            self._decode()
        self.ticks, self.line, self.level = self._edges.pop(0)
        return True

    def _decode(self) -> None:
        """Takes a change from memory. The impact is read twice in it, the beams count while they are lit."""
        at = 4 * self._tail
        self._tail = (self._tail + 1) & self._words.mask
        word = int.from_bytes(self._words.words[at : at + 4], "little")
        time = int.from_bytes(self._times.words[at : at + 4], "little")
        lit, dark = word >> 9, word & 0x1FF
        self.blinded = ~dark & _BEAMS
        self._compare(lit, time + _LIT_AGO & _TICKS)
        self._compare(lit & _BEAMS | dark & _HIT, time + _DARK_AGO & _TICKS)

    def _compare(self, state: int, ticks: int) -> None:
        changed = state ^ self._state
        self._state = state
        line = 0
        while changed:
            if changed & 1:
                self._edges.append((ticks, line, state >> line & 1))
            changed >>= 1
            line += 1
