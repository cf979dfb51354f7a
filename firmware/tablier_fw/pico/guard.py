"""The cause of a start, the number of failed starts since power-on, and the watchdog.

State that must survive a reset is in the watchdog's scratch registers, not in flash. MicroPython uses the upper four,
this firmware the lower four.
"""

import machine
from machine import WDT, Pin, mem32

from tablier_fw import pins
from tablier_fw.wire import LOST_UNKNOWN

POWER, BUTTON, WATCHDOG, ERROR = 1, 2, 3, 4
"""Causes of a start: power-on, the reset button, a hang, an unexpected error."""

BAD_BOOTS = 3
"""Failed starts in a row after which the firmware is not started, and the REPL stays free for a repair."""
GOOD_MS = 10_000
"""Time after which a start counts as good."""
WATCHDOG_MS = 4000
"""Longer than a host that does not read can block a write."""

_SCRATCH = 0x4005800C
_REASON = 0x40058008
_BY_TIMER = 1
_CHIP_RESET = 0x40064008
_BY_RUN_PIN = 1 << 16
_MARK = 0x7AB1  # in the upper half of a register that is ours: anything else is what power-on left there
_BAD, _ERROR, _SERVE, _LOST = 0, 1, 2, 3


def _load(register: int) -> int:
    value = mem32[_SCRATCH + 4 * register]
    return value & 0xFFFF if value >> 16 & 0xFFFF == _MARK else 0


def _survived(register: int) -> bool:
    """Return True if a register was written before a reset, False after power-on."""
    return mem32[_SCRATCH + 4 * register] >> 16 & 0xFFFF == _MARK


def _store(register: int, value: int) -> None:
    mem32[_SCRATCH + 4 * register] = _MARK << 16 | value


class Guard:
    """Counts of failed starts, and the watchdog; make one at the start."""

    def __init__(self) -> None:
        self.bad_boots = _load(_BAD)
        """The number of failed starts before this one."""
        self.called = _load(_SERVE) == 1
        """True if this start is for the service mode."""
        self.cause = self._cause()
        self.lost = _load(_LOST) if _survived(_LOST) else LOST_UNKNOWN
        """The number of events of earlier boots that no host has called durable."""
        self._watchdog: WDT | None = None
        _store(_ERROR, 0)
        _store(_SERVE, 0)
        if not self.called:
            _store(_BAD, min(self.bad_boots + 1, 0xFF))

    @staticmethod
    def _cause() -> int:
        if _load(_ERROR):
            return ERROR
        if mem32[_REASON] & _BY_TIMER:
            return WATCHDOG
        if machine.reset_cause() == machine.PWRON_RESET and not mem32[_CHIP_RESET] & _BY_RUN_PIN:
            return POWER
        return BUTTON

    def gives_up(self) -> bool:
        """Return True after too many failed starts: the firmware must not run."""
        return self.bad_boots >= BAD_BOOTS

    def mark_good(self) -> None:
        """Count this start as good."""
        self.bad_boots = 0
        _store(_BAD, 0)

    def watch(self) -> None:
        """Start the watchdog, which must then be fed. It cannot be stopped."""
        if self._watchdog is None:
            self._watchdog = WDT(timeout=WATCHDOG_MS)

    @staticmethod
    def remember(lost: int) -> None:
        """Keep over a reset the number of events that no host has called durable."""
        _store(_LOST, lost)

    def feed(self) -> None:
        if self._watchdog is not None:
            self._watchdog.feed()

    def enter_service(self) -> None:
        """Restart in the service mode. The start counts as good: a host can ask for this only after one that lasted."""
        self.mark_good()
        _store(_SERVE, 1)
        machine.reset()

    @staticmethod
    def note_error() -> None:
        """Have the next start know that this one ended by an error."""
        _store(_ERROR, 1)


def forgive() -> None:
    """Forget failed starts and the request for the service mode, so that the next start runs the table."""
    _store(_BAD, 0)
    _store(_SERVE, 0)


def service_pressed() -> bool:
    """Return True if the service button is pressed."""
    return not Pin(pins.SERVICE, Pin.IN, Pin.PULL_UP).value()
