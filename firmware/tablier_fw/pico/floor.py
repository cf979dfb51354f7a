"""The two reflectance sensors in the floor of the arena: they tell only empty from occupied.

Wires: phototransistors on FLOOR_OFFER and FLOOR_PILE, which pull the voltage down the more they see; their emitters
on EMIT_FLOOR. POWER_MODE is high, so that the Pico's own regulator disturbs the readings less.

The reading with the emitters on, less the one with them off, is the card's reflection, whatever the room's light. In
play it is measured in steps, and a state is reported when two measurements agree; the self-test reads the figures.
"""

from time import sleep_us

from machine import ADC, Pin

from tablier_fw import pins, result

STEP_MS = 8
"""The time between two steps of measuring during play; after four of them it is known what lies there."""
_SETTLE_US = 100
_READINGS = 5
_PLACES = 2


class Floor:
    def __init__(self) -> None:
        self._emitters = Pin(pins.EMIT_FLOOR, Pin.OUT, value=0)
        self._sensors = [ADC(Pin(pins.FLOOR_OFFER)), ADC(Pin(pins.FLOOR_PILE))]
        self.seen = [0, 0]
        """The reflections of offer and pile when they were measured last, of 65535."""
        self.occupied = [False, False]
        self.thresholds = result.thresholds(None)
        """Above which reflection a place becomes occupied, and below which empty."""
        self.changed = 0
        """The places, by bit, that have become occupied or empty by a :meth:`step`; who takes note of it clears it."""
        self._next = 0
        self._differs = 0  # places that the latest step found otherwise: so they are if the next one does too

    def step(self) -> None:
        """Measure one place, in turn. Takes 0.25 ms. Does not allocate."""
        place = self._next
        self._next = 1 - place
        sensor = self._sensors[place]
        dark = sensor.read_u16()
        self._emitters.value(1)
        sleep_us(_SETTLE_US)
        lit = sensor.read_u16()
        self._emitters.value(0)
        self._judge(place, dark - lit)

    def _judge(self, place: int, seen: int) -> None:
        bit = 1 << place
        if self._full(place, seen) == self.occupied[place]:
            self._differs &= ~bit
        elif self._differs & bit:
            self._differs &= ~bit
            self.occupied[place] = not self.occupied[place]
            self.changed |= bit
        else:
            self._differs |= bit

    def _full(self, place: int, seen: int) -> bool:
        """Return True if a reflection is that of a card, not of the bare floor."""
        full, empty = self.thresholds[place]
        return bool(seen > (empty if self.occupied[place] else full))

    def measure(self) -> None:
        """Measure both places at once, more exactly. Takes 1 ms."""
        dark = [self._read(sensor) for sensor in self._sensors]
        self._emitters.value(1)
        sleep_us(_SETTLE_US)
        lit = [self._read(sensor) for sensor in self._sensors]
        self._emitters.value(0)
        for place in range(_PLACES):
            self.seen[place] = max(0, dark[place] - lit[place])

    @staticmethod
    def _read(sensor: ADC) -> int:
        """Return the median of a few readings."""
        return sorted([sensor.read_u16() for _ in range(_READINGS)])[_READINGS // 2]
