"""Debounce 24 buttons at once, with counters spread over the bits of three integers.

A press counts after :data:`PRESSED` equal samples: a single one may be a spike. Then the button is locked until it was
open for :data:`RELEASED` samples in a row, longer than a contact bounces. No button delays another. The board takes a
sample every millisecond. A Pico has a faster way with the same rules: :mod:`tablier_fw.pico.chain`.
"""

PRESSED = 2
RELEASED = 5
STILL_MS = 1000
"""Without a sample for so long the sampling counts as stopped."""
_ALL = 0xFFFFFF


class Buttons:
    def __init__(self, held: int = 0, there: int = _ALL) -> None:
        """``there``: the buttons that count at all."""
        self.stable = held & there
        """Bit ``(place - 1) * 4 + button`` is set while that button counts as pressed. One that is held when all this
        begins was pressed for something else: it must be let go of first."""
        self.settled = True
        """True while no contact bounces."""
        self._there = there
        self._c0 = 0
        self._c1 = 0
        self._c2 = 0

    def sample(self, raw: int) -> int:
        """Take a sample and return the buttons that became pressed by it. Do not allocate."""
        stable = self.stable
        differs = (raw ^ stable) & self._there
        if not differs:
            self._c0 = self._c1 = self._c2 = 0
            self.settled = True
            return 0
        c0, c1, c2 = self._c0, self._c1, self._c2
        self._c2 = c2 = (c2 ^ (c1 & c0)) & differs
        self._c1 = c1 = (c1 ^ c0) & differs
        self._c0 = c0 = ~c0 & differs
        # The counters of open buttons that stand at two, and those of pressed ones that stand at five.
        changed = c1 & ~c0 & ~stable | c2 & c0 & ~c1 & stable
        if changed:
            self.stable = stable ^ changed
            self._c0 = c0 & ~changed
            self._c1 = c1 & ~changed
            self._c2 = c2 & ~changed
        self.settled = changed == differs
        return changed & ~stable
