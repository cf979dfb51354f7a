"""The arena's sensors: eight infrared beams and the impact latch, sampled by a state machine of PIO 1.

Wires: receivers on BEAM_LOW_1 … BEAM_RIM_4, high while the beam is broken; the latch on IMPACT, cleared by
IMPACT_CLEAR; the emitters of the tiers on EMIT_LOW and EMIT_RIM.

The emitters are switched off for half of the time: a receiver that sees light then sees stray light, and its
beam is blind. Changes are written to memory with the time of the timer, by DMA, so a slow tick loses none.
"""

import rp2
from machine import Pin
from micropython import const

from tablier_fw import pins
from tablier_fw.landing import IMPACT, LIGHT
from tablier_fw.pico import dma, fast, programs

_MACHINE = const(4)  # the first of PIO 1
_BITS = const(8)  # log2 of the changes that the memory holds
_LIT_AGO = const(-39)
"""When the inputs were read with the emitters on, in µs from the moment the change was written down; …"""
_DARK_AGO = const(-3)
"""… and with the emitters off."""
_TICKS = const(0x3FFFFFFF)  # where ticks_us wraps
_BEAMS = const(0xFF)
_HIT = 1 << IMPACT


class Sensors:
    def __init__(self) -> None:
        self.ticks = 0
        self.line = 0
        self.level = 0
        self.blinded = 0
        """Beams, by bit, whose receiver sees light from elsewhere."""
        self._state = 0
        self._lit = 0
        self._dark = 0
        self._part = 0  # how far the change that was taken last has been looked at
        self._first = 0  # the line of the lowest bit of what follows
        self._changed = 0  # lines that are still to be told
        self._levels = 0
        self._tail = 0
        self._words = dma.Ring(_BITS)
        self._times = dma.Ring(_BITS)
        self._words.chain(dma.FROM_PIO1, dma.PACE_FROM_PIO1, self._times.channel)
        self._times.chain(dma.MICROSECONDS, dma.UNPACED, self._words.channel)
        for line in range(IMPACT):
            Pin(pins.BEAM_LOW_1 + line, Pin.IN, Pin.PULL_UP)  # no receiver: broken
        Pin(pins.IMPACT, Pin.IN, Pin.PULL_DOWN)
        self._machine = rp2.StateMachine(_MACHINE)
        self._words.start()
        self.start()

    def start(self) -> None:
        """Start sampling, also after :meth:`stop`."""
        self._machine.init(
            programs.sensors,
            freq=programs.SENSORS_HZ,
            in_base=Pin(pins.BEAM_LOW_1),
            set_base=Pin(pins.IMPACT_CLEAR),
            jmp_pin=Pin(pins.IMPACT),
        )
        self._machine.active(1)

    def stop(self) -> None:
        """Stop sampling and release the pins. Changes meanwhile are reported after the next start."""
        self._machine.active(0)

    def skip(self) -> None:
        """Skip to the latest change."""
        head = self._times.head()
        if head != self._tail:
            self._tail = head - 1 & self._words.mask

    def arrived(self) -> bool:
        """Return True if there is a change. Do not allocate."""
        return self._part > 0 or self._changed > 0 or self._times.head() != self._tail

    def next(self) -> bool:
        """Move on to the next edge: :attr:`line`, :attr:`level`, and :attr:`ticks` in µs. Return False if there is
        none.

        Does not allocate.
        """
        while not self._changed:
            if not self._look():
                return False
        changed = self._changed
        self._changed = changed & (changed - 1)
        line = 0
        while not changed >> line & 1:
            line += 1
        self.level = self._levels >> line & 1
        self.line = self._first + line
        return True

    def _look(self) -> bool:
        """Take the next of the three parts of a change: stray light, which decides what the beams mean; all inputs with
        the emitters on; and the impact latch again, with the emitters off."""
        part = self._part
        if part == 0:
            return self._take()
        if part == 1:
            state = self._lit
            self._first, self._part = 0, 2
        else:
            state = self._state & _BEAMS | self._dark & _HIT
            self.ticks = self.ticks + _DARK_AGO - _LIT_AGO & _TICKS
            self._part = 0
        self._changed = state ^ self._state
        self._state = self._levels = state
        return True

    def _take(self) -> bool:
        """Take a change from memory."""
        tail = self._tail
        if self._times.head() == tail:
            return False
        word = fast.peek(self._words.words, tail)
        self.ticks = fast.peek(self._times.words, tail) + _LIT_AGO & _TICKS
        self._tail = (tail + 1) & self._words.mask
        self._lit, self._dark = word >> 9, word & 0x1FF
        blinded = ~word & _BEAMS
        self._changed = blinded ^ self.blinded
        self.blinded = self._levels = blinded
        self._first, self._part = LIGHT, 1
        return True
