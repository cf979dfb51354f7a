"""Measure the sensors for the self-test: the light that a beam needs, stray light, the floor's reflection.

Wires: as in ``sensors`` and ``floor``, whose pins it borrows.

The emitters are dimmed by PWM. It is so fast that diodes, receivers and comparators see the mean of it: the receivers
follow light within about a microsecond (47 kΩ and the diode's capacitance), the emitters in nearly as much. So a beam
that is clear while its emitter shines for half of the time can do without half of its light. Switching takes some tens
of the 500 ns of a period, so the figure is right within a few percent.
"""

from time import sleep_us

from machine import PWM, Pin, mem32

from tablier_fw import pins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tablier_fw.pico.floor import Floor
    from tablier_fw.pico.sensors import Sensors

_DIM_HZ = 2_000_000
_SETTLE_US = 150
"""Longer than anything in the way of the light takes: PWM, diode, receiver, comparator."""
_LOOKS = 5
_LOOK_US = 20
_DARK_LOOKS = 20
_DARK_US = 500
"""So often and so far apart it is looked at in the dark: 10 ms, a swing of lamps on mains of 50 Hz; they shine twice a
period."""
_CLEAR_US = 10
_INPUTS = 0xD0000004
_FULL = 65535


class Examiner:
    def __init__(self, sensors: "Sensors", floor: "Floor") -> None:
        self._sensors = sensors
        self._floor = floor
        self._emitters: list = []

    def begin(self) -> None:
        """Take over the sensors until :meth:`end`, and darken all emitters."""
        self._sensors.stop()
        self._emitters = [PWM(Pin(pin), freq=_DIM_HZ, duty_u16=0) for pin in (pins.EMIT_LOW, pins.EMIT_RIM)]
        self._latch = Pin(pins.IMPACT)
        self._clear = Pin(pins.IMPACT_CLEAR, Pin.OUT, value=0)
        self._unlatch()

    def end(self) -> None:
        """Give the sensors back. Their first sample may still be a mixture."""
        for emitter in self._emitters:
            emitter.duty_u16(0)
            emitter.deinit()
        self._emitters = []
        self._sensors.start()
        sleep_us(_SETTLE_US)
        self._sensors.skip()

    def dark(self, lit: list) -> tuple:
        """Sample for 10 ms without light, and count in ``lit`` the samples in which each receiver saw some.

        Return the number of samples, and whether an impact was felt since the last call.
        """
        for _ in range(_DARK_LOOKS):
            sleep_us(_DARK_US)
            seen = ~self._inputs() & 0xFF
            beam = 0
            while seen:
                lit[beam] += seen & 1
                seen >>= 1
                beam += 1
        hit = self._latch.value()
        self._unlatch()
        return _DARK_LOOKS, hit

    def broken(self, percent: int) -> int:
        """Return the beams that read broken, even once, at a percentage of their light."""
        for emitter in self._emitters:
            emitter.duty_u16(_FULL * percent // 100)
        sleep_us(_SETTLE_US)
        broken = 0
        for _ in range(_LOOKS):
            broken |= self._inputs()
            sleep_us(_LOOK_US)
        for emitter in self._emitters:
            emitter.duty_u16(0)
        return broken & 0xFF

    def floor(self) -> tuple:
        """Return the reflections of offer and pile, 0–65535."""
        self._floor.measure()
        return tuple(self._floor.seen)

    def _unlatch(self) -> None:
        self._clear.value(1)
        sleep_us(_CLEAR_US)
        self._clear.value(0)

    @staticmethod
    def _inputs() -> int:
        """Return the receivers, a bit for each beam, high while broken, and above them the impact latch."""
        return mem32[_INPUTS] >> pins.BEAM_LOW_1 & 0x1FF
