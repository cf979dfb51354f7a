"""What every emulator of a Pico offers: its time, its pins, its USB cable, its resets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from tablier.texts import Failure


class PicoError(Failure):
    """The emulated Pico cannot be started, or a wait for its firmware failed."""


class Chip(ABC):
    """An emulated Pico. Everything happens in the caller's thread, and its time moves only in :meth:`run_until`."""

    def __init__(self) -> None:
        self.on_data: Callable[[bytes], None] = lambda data: None
        """Called with what the firmware sends."""
        self.connected_us: list[float] = []
        """The times at which the Pico was found at the USB, once a boot."""
        self.resets_us: list[float] = []
        """The times at which it reset itself."""

    # -- time --------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def now(self) -> float:
        """Return the emulated µs since power-on; a reset does not change it."""

    @abstractmethod
    def run_until(self, us: float) -> None:
        """Let emulated time pass until a time in µs."""

    @abstractmethod
    def at(self, us: float, action: Callable[[], None]) -> None:
        """Do something at that time exactly, between two instructions."""

    # -- the USB cable -----------------------------------------------------------------------------------

    @abstractmethod
    def write(self, data: bytes) -> None:
        """Queue bytes for the firmware; they go in as time passes."""

    @property
    @abstractmethod
    def pending(self) -> int:
        """Return the number of bytes still to go in."""

    @abstractmethod
    def open(self) -> None:
        """Open the port, as a program does. It is open at the start."""

    @abstractmethod
    def close(self) -> None:
        """Close the port: the Pico sees that, and its output is not read."""

    @abstractmethod
    def sleep(self) -> None:
        """Let the computer sleep with its port open."""

    @abstractmethod
    def unplug(self) -> None:
        """Pull the cable out. The Pico has power, and sees what it sees where the computer sleeps."""

    @abstractmethod
    def wake(self) -> None:
        """Wake the computer again."""

    @abstractmethod
    def plug(self) -> None:
        """Put the cable in: the computer resets the bus, finds the Pico, and a program opens the port."""

    @abstractmethod
    def hang(self, hangs: bool) -> None:
        """Keep the port open without reading, or read again."""

    # -- the pins ------------------------------------------------------------------------------------------

    @abstractmethod
    def drive(self, gpio: int, level: bool) -> None:
        """Drive an input from outside."""

    @abstractmethod
    def watch(self, gpio: int, listener: Callable[[bool], None]) -> None:
        """Call back whenever the level of a pin changes; a pin that is not driven counts as low."""

    @abstractmethod
    def driven(self, gpio: int) -> bool:
        """Return whether the Pico drives this pin high."""

    @abstractmethod
    def measure(self, channel: int, volts: float) -> None:
        """Lay a voltage on an analogue input, counted from GP26."""

    @abstractmethod
    def register(self, load: int, clock: int, data: int) -> Callable[[int | None], None]:
        """Wire shift registers to these pins. Return how to set their inputs; ``None`` unplugs them."""

    @abstractmethod
    def pixels(self, gpio: int, listener: Callable[[bytes], None]) -> None:
        """Wire a chain of WS2812 to a pin; call back with red, green, blue of all whenever they have been sent."""

    @abstractmethod
    def light(self, gpio: int, receivers: Sequence[int], sees: Callable[[float], int]) -> Callable[[], None]:
        """Wire an emitter and the receivers that it shines on, low where they see light.

        ``sees`` tells which of them do, by bit, while the emitter is as bright as this, 0 to 1. Return what to call
        when that has changed.
        """

    @abstractmethod
    def run_machine(self, block: int, number: int, runs: bool) -> None:
        """Stop a state machine of the PIO, or let it run on."""

    # -- resets ----------------------------------------------------------------------------------------------

    @abstractmethod
    def stall(self) -> None:
        """Hang the firmware: the processor sleeps and no interrupt wakes it. Only a reset ends that, such as the
        watchdog's."""

    @abstractmethod
    def reset(self) -> None:
        """Press the reset button."""

    @abstractmethod
    def power_cycle(self) -> None:
        """Switch the table off and on."""
