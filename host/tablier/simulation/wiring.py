"""The wiring of an emulated Pico's pins: the buttons, sensors and pixels of the table.

The pins come from the firmware's table, which a test compares with ``hardware/pins.toml``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rp2040py.external.ws2812 import Ws2812

from tablier.simulation.faults import Defects
from tablier.simulation.pico import Pico
from tablier_fw import pins, wire

BEAMS = 8
_FIRST = pins.BEAM_LOW_1
_SILENT_US = 20_000.0
"""A buzzer that has not moved for so long is silent: it sounds from 50 Hz."""
_LOUDER = (1 / 16, 1 / 4)
"""Between the shares of the time for which a buzzer is driven at the volumes 1, 2 and 3."""
_BITS = 32
_DARK = 3.2
"""The output of a floor sensor in the dark, in volts."""
_DIMMED_US = 5.0
"""An emitter that is switched faster than this, …"""
_PULSES = 3
"""… so often in a row, is not lit and dark, but dim: receivers see the mean."""


class Wiring:
    """The table's hardware. Its attributes are what people do to it, and see and hear of it."""

    def __init__(self) -> None:
        self.on_picture: Callable[[bytes], None] = lambda pixels: None
        """Called with red, green, blue of all pixels whenever they have been sent, changed or not."""
        self.pixels = bytes(3 * sum(wire.GROUPS))
        self.ambient = 0
        """Beams, by bit, whose receiver sees so much light from elsewhere that it cannot tell."""
        self.unplugged = False
        """True while the cable of the button chain is out."""
        self._defects = Defects()
        self._emitters = {pins.EMIT_LOW: _Emitter(), pins.EMIT_RIM: _Emitter()}
        self._buttons = 0
        self._serviced = False
        self._blocked = 0
        self._seen = 0
        self._shift = 0
        self._position = 0
        self._level = True
        self._ring: bytes = b""
        self._rise_us = -_SILENT_US
        self._period_us = self._driven_us = 0.0

    def attach(self, pico: Pico) -> None:
        """Wire everything up. Call once, before time moves."""
        self._pico = pico
        pico.watch(pins.BUTTONS_LOAD, self._load)
        pico.watch(pins.BUTTONS_CLOCK, self._clock)
        pico.watch(pins.EMIT_LOW, lambda on: self._emit(pins.EMIT_LOW, on))
        pico.watch(pins.EMIT_RIM, lambda on: self._emit(pins.EMIT_RIM, on))
        pico.watch(pins.IMPACT_CLEAR, self._clear)
        pico.watch(pins.BUZZER, self._buzz)
        pico.watch(pins.EMIT_FLOOR, lambda on: self._reflect())
        ring, places = Ws2812(pins.RING_DATA), Ws2812(pins.PLACES_DATA)
        ring.on_pixels, places.on_pixels = self._ring_shown, self._places_shown
        ring.attach(pico.chip)
        places.attach(pico.chip)
        pico.drive(pins.SERVICE, True)
        pico.drive(pins.IMPACT, False)
        pico.drive(pins.BUTTONS_DATA, True)
        for beam in range(BEAMS):
            pico.drive(_FIRST + beam, True)
        self.floor(False, False)

    # -- buttons: four 74HC165 -------------------------------------------------------------------------------

    @property
    def buttons(self) -> int:
        """The closed contacts: bit ``(place - 1) * 4 + button``."""
        return self._buttons

    @buttons.setter
    def buttons(self, closed: int) -> None:
        self._buttons = closed
        if not self._pico.driven(pins.BUTTONS_LOAD):
            self._load(False)  # the inputs show through while they are taken

    def _load(self, high: bool) -> None:
        if high:
            return
        word = ~self._buttons & 0xFFFFFF
        for bit in range(8):
            word |= (pins.PATTERN >> (7 - bit) & 1) << (24 + bit)
        self._shift, self._position = word, 0
        self._out()

    def _clock(self, high: bool) -> None:
        if high and self._pico.driven(pins.BUTTONS_LOAD):
            self._position += 1
            self._out()

    def _out(self) -> None:
        # What is shifted in behind the last input is low.
        level = self.unplugged or (self._position < _BITS and bool(self._shift >> self._position & 1))
        if level != self._level:
            self._level = level
            self._pico.drive(pins.BUTTONS_DATA, level)

    def service(self, pressed: bool) -> None:
        """Press or release the service button."""
        if pressed != self._serviced:
            self._serviced = pressed
            self._pico.drive(pins.SERVICE, not pressed)

    # -- beams and impacts -----------------------------------------------------------------------------------

    def block(self, beam: int, blocked: bool) -> None:
        """Block a beam, or clear it."""
        self._blocked = self._blocked | 1 << beam if blocked else self._blocked & ~(1 << beam)
        self._see()

    def shine(self, beams: int) -> None:
        """Shine stray light on the receivers of these beams, by bit."""
        self.ambient = beams
        self._see()

    def suffer(self, defects: Defects) -> None:
        """Apply defects from now on."""
        self._defects = defects
        self.unplugged = defects.loose
        self._out()
        self._see()
        self._reflect()

    def _emit(self, pin: int, on: bool) -> None:
        emitter = self._emitters[pin]
        before = emitter.level
        emitter.switch(on, self._pico.now)
        if emitter.level != before:
            self._see()

    def _see(self) -> None:
        levels = [self._emitters[pin].level for pin in (pins.EMIT_LOW,) * 4 + (pins.EMIT_RIM,) * 4]
        lit = sum((not self._defects.weak(beam, level)) << beam for beam, level in enumerate(levels))
        seen = lit & ~self._blocked | self.ambient
        changed, self._seen = seen ^ self._seen, seen
        for beam in range(BEAMS):
            if changed >> beam & 1:
                self._pico.drive(_FIRST + beam, not seen >> beam & 1)

    def impact(self) -> None:
        """Set the impact latch, unless it is just being cleared."""
        if not self._pico.driven(pins.IMPACT_CLEAR):
            self._pico.drive(pins.IMPACT, True)

    def _clear(self, high: bool) -> None:
        if high:
            self._pico.drive(pins.IMPACT, False)

    def floor(self, offer: bool, pile: bool, room: float = 0.0) -> None:
        """Set what lies on the two sensors in the floor, and the room's light that they see, in volts."""
        self._floor = (offer, pile, room)
        self._reflect()

    def _reflect(self) -> None:
        offer, pile, room = self._floor
        lit = self._pico.driven(pins.EMIT_FLOOR)
        for channel, occupied in enumerate((offer, pile)):
            light = room + self._defects.reflected(channel, occupied) * lit
            self._pico.measure(channel, max(0.0, _DARK - light))

    # -- what is seen and heard --------------------------------------------------------------------------------

    def _ring_shown(self, pixels: list[tuple[int, ...]]) -> None:
        self._ring = _flat(pixels)

    def _places_shown(self, pixels: list[tuple[int, ...]]) -> None:
        # The longer chain ends last: the picture is complete.
        picture = self._ring + _flat(pixels)
        if len(picture) == len(self.pixels):
            self.pixels = picture
            self.on_picture(picture)

    def _buzz(self, high: bool) -> None:
        if high:
            self._period_us = self._pico.now - self._rise_us
            self._rise_us = self._pico.now
        else:
            self._driven_us = self._pico.now - self._rise_us

    @property
    def hertz(self) -> int:
        """Return the frequency of the buzzer; 0 is silence."""
        if self._pico.now - self._rise_us > _SILENT_US or self._period_us > _SILENT_US:
            return 0
        return round(1e6 / self._period_us)

    @property
    def volume(self) -> int:
        """Return the volume of the buzzer, by the share of the time in which it is driven: 1 to 3; 0 is silence."""
        if not self.hertz:
            return 0
        share = self._driven_us / self._period_us
        return 1 + sum(share > least for least in _LOUDER)


class _Emitter:
    """An emitter, lit at level 1, or at the mean of a fast pulse."""

    def __init__(self) -> None:
        self.level = 0.0
        self._on_us = self._off_us = -_DIMMED_US
        self._quick = 0  # periods in a row that were that short

    @property
    def _pulsed(self) -> bool:
        return self._quick >= _PULSES

    def switch(self, on: bool, now: float) -> None:
        """Take a new level of the pin."""
        if on:
            period = now - self._on_us
            self._quick = self._quick + 1 if period < _DIMMED_US else 0
            self.level = (self._off_us - self._on_us) / period if self._pulsed else 1.0
            self._on_us = now
        else:
            self._off_us = now
            if not self._pulsed or now - self._on_us >= _DIMMED_US:
                self.level = 0.0


def _flat(pixels: list[Any]) -> bytes:
    return bytes(channel for pixel in pixels for channel in pixel)
