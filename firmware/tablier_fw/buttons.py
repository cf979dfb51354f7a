"""Debouncing of 24 buttons at once, by counters that lie across the bits of three integers.

A button counts as changed after :data:`SAMPLES` equal samples in a row, so one chattering contact never holds up
another. The board takes a sample every millisecond.
"""

SAMPLES = 5
_ALL = 0xFFFFFF


class Buttons:
    def __init__(self, held: int = 0) -> None:
        self.stable = held & _ALL
        """Bit ``(place - 1) * 4 + button`` is set while that button counts as pressed. One that is held when all this
        begins was pressed for something else: it must be let go of first."""
        self.settled = True
        """Whether no button is on its way: the contacts are as they count."""
        self._c0 = 0
        self._c1 = 0
        self._c2 = 0

    def sample(self, raw: int) -> int:
        """Takes a sample and returns the buttons that became pressed by it. Does not allocate."""
        differs = (raw ^ self.stable) & _ALL
        if not differs:
            self._c0 = self._c1 = self._c2 = 0
            self.settled = True
            return 0
        c0, c1, c2 = self._c0, self._c1, self._c2
        self._c2 = (c2 ^ (c1 & c0)) & differs
        self._c1 = (c1 ^ c0) & differs
        self._c0 = ~c0 & differs
        changed = self._c0 & ~self._c1 & self._c2  # the counters that stand at five
        if changed:
            self.stable ^= changed
            self._c0 &= ~changed
            self._c2 &= ~changed
        self.settled = changed == differs
        return changed & self.stable
