"""Whether the computer begins USB frames, by their number. It stands still while the bus is dead.

Here is arithmetic alone; :mod:`tablier_fw.pico.port` reads the number from the chip.
"""

COUNT = 0x800
"""Frames are counted from 0 and begin anew after this many, one each millisecond (RP2040 datasheet, 4.1.4: SOF_RD)."""
_LATE = 1
"""Frames that may seem to be missing since the last one. After 3 ms without one MicroPython learns of the suspend."""


_TICKS = 0x3FFFFFFF
"""Where the clock of MicroPython begins anew."""


class Frames:
    def __init__(self, now: int) -> None:
        self.stood = True
        """True once the number has stood still, until the caller resets it."""
        self._alive = False
        self._number = -1  # not looked at yet
        self._seen: int = now  # when the number was seen to have moved

    def come(self, number: int, now: int) -> bool:
        """Return True if frames come, from the number of the last one and the time in ms. Do not allocate.

        A number that stands still for a moment says nothing while frames come, and nothing new once they have not: two
        looks within a millisecond must not take a dead bus for one that is alive.
        """
        if self._number < 0:
            self._number = number
            self._seen = now
        passed = now - self._seen & _TICKS
        if number == self._number:
            if self._alive and passed > _LATE:
                self._alive = False
                self.stood = True
            return self._alive
        missing = passed - number + self._number & COUNT - 1
        self._number = number
        self._seen = now
        self._alive = not _LATE < missing < COUNT - 1  # which is one too many
        if not self._alive:
            self.stood = True
        return self._alive
