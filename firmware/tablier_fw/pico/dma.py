"""DMA for the drivers: addresses, and rings in memory that a channel writes for ever."""

import rp2
from uctypes import addressof

TO_PIO0, FROM_PIO0, FROM_PIO1 = 0x50200010, 0x50200020, 0x50300020
"""The FIFOs of the first state machine of a block; the others follow, four bytes each."""
MICROSECONDS = 0x40054028
"""The lower half of the timer that ``ticks_us`` tells."""
PACE_TO_PIO0, PACE_FROM_PIO0, PACE_FROM_PIO1, UNPACED = 0, 4, 12, 63
"""What a channel waits for before each word: room in a FIFO or a word from one, of the first machine of a block."""
_MOST = 0xFFFFFFFF
"""The most transfers of a channel at one start; none is endless. At 4 kHz these end after 12.4 days
(RP2040 datasheet, 2.5.1.2)."""


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

    def chain(self, source: int, pace: int, then: int) -> None:
        """Make the channel write one word of a register at each start, then start the channel ``then``."""
        self._config(self._dma, source, pace, 1, then)

    def start(self) -> None:
        self._dma.active(1)

    def head(self) -> int:
        """Return the index of the word that is written next. Do not allocate."""
        return (self._dma.write - self._start) >> 2 & self.mask  # type: ignore[attr-defined]

    def _config(self, channel: rp2.DMA, source: int, pace: int, count: int, then: int) -> None:
        ctrl = channel.pack_ctrl(
            size=2,
            inc_read=False,
            ring_size=self._size_bits,
            ring_sel=True,
            treq_sel=pace,
            bswap=False,
            chain_to=then,
        )
        channel.config(read=source, write=self.words, count=count, ctrl=ctrl)


class EndlessRing(Ring):
    """A ring that two channels fill in turn: where the transfers of one end, it starts the other."""

    def __init__(self, bits: int) -> None:
        super().__init__(bits)
        self._other = rp2.DMA()

    def run(self, source: int, pace: int) -> None:
        """Write each word of a register from now on."""
        count = _MOST & ~self.mask  # whole rounds: each channel ends at the beginning of the ring
        self._config(self._dma, source, pace, count, self._other.channel)  # type: ignore[attr-defined]
        self._config(self._other, source, pace, count, self.channel)
        self.start()

    def head(self) -> int:
        """Return the index of the word that is written next. Do not allocate."""
        # The channel that waits for its turn stands at the beginning.
        return super().head() + ((self._other.write - self._start) >> 2) & self.mask  # type: ignore[attr-defined]
