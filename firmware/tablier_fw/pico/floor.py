"""The two reflectance sensors in the floor of the arena: they tell only empty from occupied.

Wires: phototransistors on FLOOR_OFFER and FLOOR_PILE, which pull the voltage down the more they see; their emitters
on EMIT_FLOOR. POWER_MODE is high, so that the Pico's own regulator disturbs the readings less.

What is seen with the emitters on less what is seen with them off is the card's own reflection, whatever the room's
light.
"""

from time import sleep_us

from machine import ADC, Pin

from tablier_fw import pins, result

_SETTLE_US = 100
_READINGS = 5


class Floor:
    def __init__(self) -> None:
        self._emitters = Pin(pins.EMIT_FLOOR, Pin.OUT, value=0)
        self._sensors = [ADC(Pin(pins.FLOOR_OFFER)), ADC(Pin(pins.FLOOR_PILE))]
        self.seen = [0, 0]
        """The reflections of offer and pile when they were measured last, of 65535."""
        self.occupied = [False, False]
        self.thresholds = result.thresholds(None)
        """Above which reflection a place becomes occupied, and below which empty."""

    def measure(self) -> None:
        """Measures both places. Takes a millisecond."""
        dark = [self._read(sensor) for sensor in self._sensors]
        self._emitters.value(1)
        sleep_us(_SETTLE_US)
        lit = [self._read(sensor) for sensor in self._sensors]
        self._emitters.value(0)
        for place in range(2):
            seen = self.seen[place] = max(0, dark[place] - lit[place])
            full, empty = self.thresholds[place]
            self.occupied[place] = seen > (empty if self.occupied[place] else full)

    @staticmethod
    def _read(sensor: ADC) -> int:
        """The median of a few readings."""
        return sorted([sensor.read_u16() for _ in range(_READINGS)])[_READINGS // 2]
