"""The interface between the firmware and a board: ``pico/board`` is a Pico's, ``board_sim`` the simulated table's.

All time, entropy, inputs and outputs of the table come from here. There is no module of this name: the two boards
have what stands here, and the type checker compares them.

Everything is called from the main loop; nothing may be called in an interrupt, because nothing here is made to be
broken off in the middle. Hardware that cannot wait (samples of the buttons, edges of the beams, pixels) is served by
PIO and DMA, which the methods only read and feed.

*Allocates* means that a call may take memory from the heap. A turn of the loop in which nothing is said, heard, pressed
or thrown must not, or collections of garbage would come for nothing; the calls it makes are marked "Does not allocate."
"""

from collections.abc import Callable
from typing import Any, Protocol

from tablier_fw.equipment import Equipment

class Examiner(Protocol):
    """Measures the sensors for the self-test. Each call takes up to 10 ms, and may allocate."""

    def begin(self) -> None:
        """Take the sensors away from the rest of the table: nothing is felt until :meth:`end`."""

    def end(self) -> None:
        """Give the sensors back."""

    def dark(self, lit: list[int]) -> tuple[int, int]:
        """Look for light from elsewhere with all emitters off.

        Add to ``lit``, by beam (0–7), how many samples saw light. Return how many were taken, and 1 if an impact was
        felt meanwhile, else 0.
        """

    def broken(self, percent: int) -> int:
        """Return the beams, by bit, that read broken with this percentage of their light."""

    def floor(self) -> tuple[int, int]:
        """Return the reflections at offer and pile: 0–65535, as the converter reads them."""

class Debouncer(Protocol):
    """Finds presses: :class:`tablier_fw.buttons.Buttons`, or a board's own that follows the same rules."""

    @property
    def stable(self) -> int:
        """Bit ``(place - 1) * 4 + button`` is set while that button counts as pressed."""

    @property
    def settled(self) -> bool:
        """True while no contact bounces."""

    def sample(self, raw: int, /) -> int:
        """Take a sample and return the buttons that became pressed by it. Does not allocate."""

class Board(Protocol):
    # -- what it is ------------------------------------------------------------------------------------

    id: bytes
    """Eight bytes that no other board has."""
    system: str
    """What the firmware runs on: name and version of the interpreter and its platform."""
    abilities: int
    """``wire.CAN_…`` of what only some boards can do."""
    cause: int
    """Why it started: 1 power, 2 reset button, 3 watchdog, 4 an error."""
    lost: int
    """The number of events of earlier boots that no host has called durable; ``LOST_UNKNOWN`` after power-on."""
    equipment: Equipment
    """What is there of a table."""
    budget: int
    """Steps of work in one turn of the main loop, at least 1. The loops of two boards differ in nothing else."""

    @property
    def paint(self) -> Callable[[Any, Any, Any, Any], int]:
        """Compute a frame: :func:`tablier_fw.scene.paint` or a faster twin. Does not allocate."""

    @property
    def tint(self) -> Callable[[Any, int, Any, Any], int]:
        """Colour the host's pixels: :func:`tablier_fw.scene.tint` or a faster twin. Does not allocate."""

    @property
    def within(self) -> Callable[[Any, int, Any, int], int]:
        """Check ranges: :func:`tablier_fw.wire.within` or a faster twin. Does not allocate."""

    # -- time ------------------------------------------------------------------------------------------

    def now_ms(self) -> int:
        """Return the time in ms, as ``time.ticks_diff`` compares it: it wraps at 2^30. Does not allocate."""

    def ticks_us(self) -> int:
        """Return the time in µs, as ``time.ticks_diff`` compares it: it wraps at 2^30. Does not allocate."""

    def now_us(self) -> int:
        """Return the µs since the start; does not wrap. Allocates once a number is longer than 30 bits."""

    def wait(self, ms: int) -> None:
        """Hand over the outputs, then sleep until something comes in, at most ``ms``.

        Called once a turn, after all services have run: a watchdog may be fed here. Returns at once while something
        that came in has not been taken; 0 does not sleep. Does not allocate, except once a minute.
        """

    # -- the line --------------------------------------------------------------------------------------

    @property
    def heard(self) -> bool:
        """True while :meth:`read` has something to return, or at least to take from the port."""

    def read(self) -> bytes:
        """Return what has come in, or a part of it, which may be empty. Never waits. Allocates."""

    def write(self, data: bytes | memoryview) -> int:
        """Take what there is room for, and return the number of bytes taken: 0 and up. Never waits. Allocates."""

    # -- inputs ----------------------------------------------------------------------------------------

    touched: bool
    """True while :meth:`next_sample` or :meth:`next_edge` may have news."""
    buttons: int
    """The latest sample, for :meth:`Debouncer.sample`: bit ``(place - 1) * 4 + button`` is a button's."""
    edge_us: int
    """Of the latest edge: when, in µs like :meth:`ticks_us`, …"""
    edge_ms: int
    """… in ms like :meth:`now_ms`, …"""
    edge_line: int
    """… of what: a beam 0–7, ``landing.IMPACT``, or ``landing.FLOOR`` and ``landing.LIGHT`` plus a number, …"""
    edge_level: int
    """… and whether it is now broken, felt, occupied or lit (1) or not (0)."""

    def next_sample(self) -> bool:
        """Move :attr:`buttons` on to the next sample, at least one a millisecond; return False when there is none.

        Samples without news may be left out. A stall of 20 ms loses none. Does not allocate.
        """

    def debouncer(self) -> Debouncer:
        """Return what finds presses in the samples."""

    def next_edge(self) -> bool:
        """Move on to the next edge, in order of time; return False when there is none. Does not allocate."""

    def faults(self) -> int:
        """Return ``wire.NO_CHAIN``, ``NO_SAMPLES`` and ``NO_POWER``, those that are true, or 0. Does not allocate."""

    def long_us(self, edge_us: int) -> int:
        """Return the time of an edge of the last minutes on the clock of :meth:`now_us`. Allocates."""

    # -- outputs ---------------------------------------------------------------------------------------

    def show(self, frame: bytearray) -> None:
        """Light the pixels: red, green, blue of each, 0–255. The frame may be changed afterwards only by the next
        :attr:`paint`. Does not allocate."""

    def tone(self, hertz: int, volume: int) -> None:
        """Sound a frequency at a volume of 1 to 3 until the next call; 0 Hz is silence."""

    # -- chance and memory -----------------------------------------------------------------------------

    def entropy(self, count: int) -> bytes:
        """Return ``count`` random bytes, fit for secrets and different at each boot. Allocates."""

    def stir(self, seed: bytes) -> None:
        """Mix in a host's entropy, and start the watchdog: there is a host now."""

    def must_collect(self, busy: bool, calm: int) -> bool:
        """Return True if the main loop must collect garbage now.

        ``busy``: the turn that just ended had work. ``calm``: 0 after such a turn and while a contact bounces, 1 while
        a place that is asked may press, 2 otherwise. Does not allocate after a turn without work.
        """

    def heap(self) -> tuple[int, int]:
        """Return the bytes used and free, after a collection. Allocates."""

    def remember(self, count: int) -> None:
        """Keep over a reset the number of events that no host has called durable, 0–65535. Does not allocate."""

    # -- self-test and service -------------------------------------------------------------------------

    def examiner(self) -> Examiner:
        """Return the examiner of the sensors, which only a table with an arena has. Allocates."""

    def load_result(self) -> bytes:
        """Return the stored result of the self-test, empty when there is none. Allocates."""

    def save_result(self, data: bytes) -> bool:
        """Store a result over power cuts; return False if it is invalid or there is nowhere to store it.

        Everything may stop for as long as flash is written: only while nothing is asked. Allocates.
        """

    def service_pressed(self) -> bool:
        """Return True while the service button is pressed. Does not allocate."""

    def enter_service(self) -> None:
        """Darken the table and start again in the service mode. Called only with ``CAN_SERVE``; does not return."""
