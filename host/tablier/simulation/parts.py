"""Parts at the pins of an emulated Pico: what reacts faster than anybody outside can be asked.

``rp2040js.mjs`` has the same, in the language of its emulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

_BITS = 32
_DIMMED_US = 5.0
"""An emitter that is switched faster than this, …"""
_PULSES = 3
"""… so often in a row, is not lit and dark, but dim: receivers see the mean."""


class Pins(Protocol):
    """The pins of a Pico, as parts see them."""

    @property
    def now(self) -> float:
        """Return the emulated µs since power-on."""

    def drive(self, gpio: int, level: bool) -> None:
        """Drive an input from outside."""

    def watch(self, gpio: int, listener: Callable[[bool], None]) -> None:
        """Call back whenever the level of a pin changes."""

    def driven(self, gpio: int) -> bool:
        """Return whether the Pico drives this pin high."""


class ShiftRegister:
    """Four 74HC165 in a chain: they take their inputs while load is low."""

    def __init__(self, pico: Pins, load: int, clock: int, data: int) -> None:
        self._pico, self._load, self._data = pico, load, data
        self._word: int | None = 0
        self._taken = self._position = 0
        self._level: bool | None = None
        pico.watch(load, lambda high: None if high else self._take())
        pico.watch(clock, self._clocked)
        self._take()

    def set(self, word: int | None) -> None:
        """Set the inputs, the first one lowest; ``None`` while the chain is unplugged."""
        self._word = word
        if self._pico.driven(self._load):
            self._out()
        else:
            self._take()  # the inputs show through while they are taken

    def _take(self) -> None:
        if self._word is not None:
            self._taken = self._word
        self._position = 0
        self._out()

    def _clocked(self, high: bool) -> None:
        if high and self._pico.driven(self._load):
            self._position += 1
            self._out()

    def _out(self) -> None:
        # What is shifted in behind the last input is low.
        level = self._word is None or (self._position < _BITS and bool(self._taken >> self._position & 1))
        if level != self._level:
            self._level = level
            self._pico.drive(self._data, level)


class Light:
    """An emitter and the receivers that it shines on, whose outputs are low where they see light."""

    def __init__(self, pico: Pins, pin: int, receivers: Sequence[int], sees: Callable[[float], int]) -> None:
        """``sees`` tells which receivers see light, by bit, where the emitter is as bright as this: 0 to 1."""
        self._pico, self._receivers, self._sees = pico, receivers, sees
        self._level = 0.0
        self._on_us = self._off_us = -_DIMMED_US
        self._quick = 0  # periods in a row that were that short
        self._seen: int | None = None
        pico.watch(pin, self._switch)
        self.show()

    def show(self) -> None:
        """Look anew at what the receivers see."""
        seen = self._sees(self._level)
        changed = -1 if self._seen is None else seen ^ self._seen
        self._seen = seen
        for index, pin in enumerate(self._receivers):
            if changed >> index & 1:
                self._pico.drive(pin, not seen >> index & 1)

    @property
    def _pulsed(self) -> bool:
        return self._quick >= _PULSES

    def _switch(self, on: bool) -> None:
        before, now = self._level, self._pico.now
        if on:
            period = now - self._on_us
            self._quick = self._quick + 1 if period < _DIMMED_US else 0
            self._level = (self._off_us - self._on_us) / period if self._pulsed else 1.0
            self._on_us = now
        else:
            self._off_us = now
            if not self._pulsed or now - self._on_us >= _DIMMED_US:
                self._level = 0.0
        if self._level != before:
            self.show()
