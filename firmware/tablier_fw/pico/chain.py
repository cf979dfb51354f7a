"""The buttons, sampled 4000 times a second by a state machine of PIO 0: 24 on four 74HC165, or a starter's eight.

Wires: CLK on BUTTONS_CLOCK, SH/LD on BUTTONS_LOAD, QH of the last chip on BUTTONS_DATA; of a starter, its buttons from
STARTER_BUTTONS on, each to ground.

A DMA channel puts the samples into a ring that holds 64 ms of them, so a slow tick loses none. The spare inputs of the
chain are wired to a fixed pattern: a sample without it is discarded, and the chain counts as unplugged. A starter has
no chain; its state machine adds the pattern.

What :class:`tablier_fw.buttons.Buttons` does in Python with a sample a millisecond, viper code does here with four: a
press counts half a millisecond after the first of three samples of it, and only a press takes a turn of the main loop.
"""

from array import array
from time import ticks_diff, ticks_ms

import rp2
from machine import Pin
from micropython import const

from tablier_fw import pins
from tablier_fw.buttons import STILL_MS
from tablier_fw.pico import dma, fast, programs

_MACHINE = const(2)  # of PIO 0
_STABLE = const(2)  # where things stand in the state of the scan
_BOUNCING = const(9)
_BAD = const(10)
_AT_PINS = const(8)  # the buttons of a starter
_BITS = const(8)  # log2 of the samples that the memory holds


class Chain:
    def __init__(self, there: int = 0xFFFFFF, starter: bool = False) -> None:
        """``there``: the buttons that count at all."""
        good = 0
        for bit in range(8):  # the first of the pattern to come out is the lowest bit of the sample's last byte
            good |= (pins.PATTERN >> (7 - bit) & 1) << bit
        self._good = good
        self._state = array("i", [0, (1 << _BITS) - 1, 0, there] + 7 * [0])  # see :func:`tablier_fw.pico.plain.scan`
        self.settled = True
        """True while no contact bounces."""
        self.stopped = False
        """Whether no sample has come for :data:`~tablier_fw.buttons.STILL_MS`."""
        self._head = -1
        self._fresh = False  # a sample has come since :meth:`watch`
        self._fresh_ms: int = ticks_ms()  # type: ignore[assignment]
        self._ring = dma.EndlessRing(_BITS)
        self._ring.run(dma.FROM_PIO0 + 4 * _MACHINE, dma.PACE_FROM_PIO0 + _MACHINE)
        self._machine = self._sample_pins(good) if starter else self._sample_chain()
        self._machine.active(1)

    @staticmethod
    def _sample_chain() -> rp2.StateMachine:
        return rp2.StateMachine(
            _MACHINE,
            programs.buttons,
            freq=programs.BUTTONS_HZ,
            in_base=Pin(pins.BUTTONS_DATA, Pin.IN, Pin.PULL_UP),
            sideset_base=Pin(pins.BUTTONS_CLOCK),
        )

    @staticmethod
    def _sample_pins(good: int) -> rp2.StateMachine:
        for button in range(_AT_PINS):
            Pin(pins.STARTER_BUTTONS + button, Pin.IN, Pin.PULL_UP)
        machine = rp2.StateMachine(
            _MACHINE, programs.starter_buttons, freq=programs.BUTTONS_HZ, in_base=Pin(pins.STARTER_BUTTONS)
        )
        machine.put(good << 16 | 0xFFFF)  # the pattern, behind 16 buttons that nobody presses
        machine.exec("pull()")
        machine.exec("mov(y, osr)")
        return machine

    @property
    def stable(self) -> int:
        """Bit ``(place - 1) * 4 + button`` is set while that button counts as pressed."""
        return self._state[_STABLE]

    @property
    def unplugged(self) -> bool:
        """True if the last sample did not show the fixed pattern."""
        return bool(self._state[_BAD])

    @staticmethod
    def sample(pressed: int) -> int:
        """Return what :meth:`next` has returned: it is debounced."""
        return pressed

    def next(self) -> int:
        """Return the buttons that became pressed next, all by one sample; 0 if there are none. Does not allocate."""
        head = self._ring.head()
        if head != self._head:
            self._head = head
            self._fresh = True
        pressed: int = fast.scan(self._ring.words, self._state, head, self._good)
        self.settled = not self._state[_BOUNCING]
        return pressed

    def watch(self) -> None:
        """Find out whether samples still come. Call it a few times a second. Does not allocate.

        That :meth:`next` finds the head of the ring where it was proves nothing: a turn may take a whole round.
        """
        now: int = ticks_ms()  # type: ignore[assignment]
        if self._fresh:
            self._fresh = False
            self._fresh_ms = now
        self.stopped = ticks_diff(now, self._fresh_ms) >= STILL_MS
