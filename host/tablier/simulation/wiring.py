"""The wiring of an emulated Pico's pins: the buttons, sensors and pixels of the table.

The pins come from the firmware's table, which a test compares with ``hardware/pins.toml``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tablier.simulation.chip import Chip
from tablier.simulation.faults import Defects
from tablier_fw import pins, wire
from tablier_fw.equipment import Equipment

BEAMS = 8
_TIER = 4
_FIRST = pins.BEAM_LOW_1
_SILENT_US = 20_000.0
"""A buzzer that has not moved for so long is silent: it sounds from 50 Hz."""
_LOUDER = (1 / 16, 1 / 4)
"""Between the shares of the time for which a buzzer is driven at the volumes 1, 2 and 3."""
_SAMPLER = (0, 2)
"""The state machine that samples the buttons: its block and its number there."""
_DARK = 3.2
"""The output of a floor sensor in the dark, in volts."""


class Wiring:
    """The table's hardware, as far as it is there. Its attributes are what people do to it, and see and hear of it."""

    def __init__(self, equipment: Equipment | None = None) -> None:
        self.equipment = equipment or Equipment()
        self._places = self.equipment.pixels()
        self.on_picture: Callable[[bytes], None] = lambda pixels: None
        """Called with red, green, blue of all pixels whenever they have been sent, changed or not."""
        self.pixels = bytes(3 * sum(wire.GROUPS))
        self.ambient = 0
        """Beams, by bit, whose receiver sees so much light from elsewhere that it cannot tell."""
        self.unplugged = False
        """True while the cable of the button chain is out."""
        self._samples = True
        self._defects = Defects()
        self._buttons = 0
        self._serviced = False
        self._blocked = 0
        self._ring = self._chained = b""  # what ring and places were sent last
        self._rise_us = -_SILENT_US
        self._period_us = self._driven_us = 0.0

    def attach(self, pico: Chip) -> None:
        """Wire everything up. Call once, before time moves."""
        self._pico = pico
        self._shown: list[Callable[[], None]] = []
        pico.watch(pins.BUZZER, self._buzz)
        pico.drive(pins.SERVICE, True)
        if self.equipment.starter:
            pico.pixels(pins.RING_DATA, self._show)
        else:
            self._chain = pico.register(pins.BUTTONS_LOAD, pins.BUTTONS_CLOCK, pins.BUTTONS_DATA)
            pico.pixels(pins.RING_DATA, self._ring_shown)
            pico.pixels(pins.PLACES_DATA, self._places_shown)
            pico.drive(pins.POWER, True)
        if self.equipment.arena:
            self._attach_arena(pico)
        self._inputs()

    def _attach_arena(self, pico: Chip) -> None:
        self._shown = [
            pico.light(emitter, range(_FIRST + first, _FIRST + first + _TIER), partial(self._sees, first))
            for emitter, first in ((pins.EMIT_LOW, 0), (pins.EMIT_RIM, _TIER))
        ]
        pico.watch(pins.IMPACT_CLEAR, self._clear)
        pico.watch(pins.EMIT_FLOOR, lambda on: self._reflect())
        pico.drive(pins.IMPACT, False)
        self.floor(False, False)

    # -- buttons: four 74HC165 -------------------------------------------------------------------------------

    @property
    def buttons(self) -> int:
        """The closed contacts: bit ``(place - 1) * 4 + button``."""
        return self._buttons

    @buttons.setter
    def buttons(self, closed: int) -> None:
        self._buttons = closed
        self._inputs()

    def _inputs(self) -> None:
        if self.equipment.starter:
            for button in range(8):
                self._pico.drive(pins.STARTER_BUTTONS + button, not self._buttons >> button & 1)
            return
        word = ~self._buttons & 0xFFFFFF
        for bit in range(8):
            word |= (pins.PATTERN >> (7 - bit) & 1) << (24 + bit)
        self._chain(None if self.unplugged else word)

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
        if defects.still == self._samples:
            self._samples = not defects.still
            self._pico.run_machine(*_SAMPLER, self._samples)
        if not self.equipment.starter:
            self._pico.drive(pins.POWER, not defects.unfed)
        self._inputs()
        self._see()
        if self.equipment.arena:
            self._reflect()

    def _see(self) -> None:
        for show in self._shown:
            show()

    def _sees(self, first: int, level: float) -> int:
        """Return which receivers of a tier see light, by bit, where its emitters are as bright as this."""
        lit = sum((not self._defects.weak(first + beam, level)) << beam for beam in range(_TIER))
        return lit & ~(self._blocked >> first) | self.ambient >> first & (1 << _TIER) - 1

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

    # Both chains are sent at once, and the longer one ends last: then the picture is complete.

    def _ring_shown(self, pixels: bytes) -> None:
        self._ring = pixels
        if len(pixels) > len(self._chained):
            self._show(pixels + self._chained)

    def _places_shown(self, pixels: bytes) -> None:
        self._chained = pixels
        if len(pixels) >= len(self._ring):
            self._show(self._ring + pixels)

    def _show(self, pixels: bytes) -> None:
        if len(pixels) == 3 * len(self._places):
            picture = bytearray(len(self.pixels))
            for at, place in enumerate(self._places):
                picture[3 * place : 3 * place + 3] = pixels[3 * at : 3 * at + 3]
            self.pixels = bytes(picture)
            self.on_picture(self.pixels)

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
