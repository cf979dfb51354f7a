"""DMA for the drivers: addresses, and rings in memory that a channel writes for ever."""

import rp2
from uctypes import addressof

TO_PIO0, FROM_PIO0, FROM_PIO1 = 0x50200010, 0x50200020, 0x50300020
"""The FIFOs of the first state machine of a block; the others follow, four bytes each."""
MICROSECONDS = 0x40054028
"""The lower half of the timer that ``ticks_us`` tells."""
PACE_TO_PIO0, PACE_FROM_PIO0, PACE_FROM_PIO1, UNPACED = 0, 4, 12, 63
"""What a channel waits for before each word: room in a FIFO or a word from one, of the first machine of a block."""
ENDLESS = 0xFFFFFFFF


class Ring:
    """A ring of words in memory that a DMA channel fills."""

    def __init__(self, bits: int) -> None:
        size = 4 << bits
        self._memory = bytearray(2 * size)
        start = -addressof(self._memory) % size  # the channel wraps at multiples of the ring's size
        self.words = memoryview(self._memory)[start : start + size]
        self.mask = (1 << bits) - 1
        self._start = addressof(self.words)
        self._size_bits = bits + 2
        self._dma = rp2.DMA()
        self.channel: int = self._dma.channel  # type: ignore[attr-defined]

    def run(self, source: int, pace: int, count: int = ENDLESS, then: int = -1, start: bool = True) -> None:
        """Make the channel write ``count`` words of a register at each start, then start the channel ``then``."""
        ctrl = self._dma.pack_ctrl(
            size=2,
            inc_read=False,
            ring_size=self._size_bits,
            ring_sel=True,
            treq_sel=pace,
            bswap=False,
            chain_to=then if then >= 0 else self.channel,
        )
        self._dma.config(read=source, write=self.words, count=count, ctrl=ctrl, trigger=start)

    def start(self) -> None:
        self._dma.active(1)

    def head(self) -> int:
        """Return the index of the word that is written next. Do not allocate."""
        return (self._dma.write - self._start) >> 2 & self.mask  # type: ignore[attr-defined]
