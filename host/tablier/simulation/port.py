"""The port of a simulated table: a pseudo-terminal with a name, a cable, and a line with faults.

The cable is that of a Pico with an adapter, which does not sense the voltage of the USB. A pulled cable and a computer
that sleeps with the port open are a *suspend* to it: nothing passes either way, and what it has handed over stays where
it is. DTR says whether a program has the port open, and stays as it was.
"""

from __future__ import annotations

import os
import pty
import termios
import tty
from collections.abc import Callable
from pathlib import Path

from tablier import waiting
from tablier.simulation.events import Events
from tablier.simulation.faults import Line

PIECE = 256
"""Bytes that the firmware is given at once: as many as the Pico's port holds."""
ROOM = 2048
"""Bytes that the port holds for a host that does not read."""
STUMP = 320
"""Bytes, the latest ones, that the port keeps of what is written while no program has it open."""
_GUARD_S = 5.0  # life's time after which a participant's bytes that never come are given up


class Port:
    """A pseudo-terminal that is plugged in and unplugged; each time it appears as ``<prefix>-<n>`` with the next n."""

    def __init__(self, events: Events, prefix: Path, *, unlimited: bool) -> None:
        """``unlimited``: read all that the host writes; else the host must wait while the table is full."""
        self._events = events
        self._prefix = prefix
        self._unlimited = unlimited
        self._master = self._slave = -1
        self._to_table = b""
        self._to_host = b""
        self._lines: tuple[Line, Line] | None = None
        self._written = 0
        self._suspended = False
        self.opened = True
        """True while DTR is set."""
        self.plugs = 0
        """The number of times it was plugged in."""
        self.sent = 0
        """Bytes that the pseudo-terminal was given since the host opened it."""
        self.on_read: Callable[[bytes], None] = lambda data: None
        """Called with what has come from the host."""
        self.on_sent: Callable[[bytes], None] = lambda data: None
        """Called with what the pseudo-terminal was given."""

    # -- the cable -----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Return the name of the port; it changes each time the port is plugged in."""
        return f"{self._prefix}-{self.plugs}"

    @property
    def plugged(self) -> bool:
        return self._master >= 0

    @property
    def awake(self) -> bool:
        """Return True while the cable is in and the computer does not sleep."""
        return self.plugged and not self._suspended

    def plug(self) -> None:
        """Put the cable in. The computer is awake, and a program opens the port."""
        if self.plugged:
            return
        self._suspended, self.opened = False, True
        self._appear()

    def unplug(self) -> None:
        """Pull the cable out; the table has power. Bytes on their way are lost."""
        self._suspended = True
        self._vanish()

    def reset_bus(self) -> None:
        """Let the computer find the table anew, as it may when it wakes. Bytes on their way are lost."""
        if self.plugged:
            self._vanish()
            self.plug()

    def suspend(self) -> None:
        """Let the computer sleep with its port open."""
        self._suspended = True

    def resume(self) -> None:
        """Wake the computer."""
        self._suspended = not self.plugged

    def set_dtr(self, on: bool) -> None:
        """Set or clear the line that says whether a program has the port open; a pseudo-terminal has none."""
        self.opened = on

    def _appear(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.plugs += 1
        link = Path(self.name)
        link.unlink(missing_ok=True)
        link.symlink_to(os.ttyname(self._slave))
        self._events.watch(self._master, self._readable)

    def _vanish(self) -> None:
        if not self.plugged:
            return
        self._events.forget(self._master)
        Path(self.name).unlink(missing_ok=True)
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        self._to_host = self._to_table = b""

    # -- from the host -------------------------------------------------------------------------------------

    @property
    def pending(self) -> bool:
        """True when bytes from the host wait for the table."""
        return bool(self._to_table) and self.awake

    def take(self) -> bytes:
        """Return the next bytes from the host, at most :data:`PIECE`, and remove them."""
        if not self.pending:
            return b""
        taken, self._to_table = self._to_table[:PIECE], self._to_table[PIECE:]
        return taken

    def clear_input(self) -> None:
        """Drop the bytes from the host, as a reset does."""
        self._to_table = b""

    def drain(self, written: int) -> None:
        """Read until the table has all ``written`` bytes that the host has written since it opened the port."""
        deadline = waiting.now() + _GUARD_S
        while self._written < written and self.plugged and waiting.now() < deadline:
            waiting.wait([self._master], (), 0.05)
            self._read()

    def start_over(self) -> None:
        """Drop the bytes in transit, which concern an earlier host, and count from 0 again."""
        self._read()
        if self.plugged:
            termios.tcflush(self._slave, termios.TCIFLUSH)
        self._to_host = b""
        self._written = self.sent = 0

    def _readable(self) -> None:
        if self._unlimited or len(self._to_table) < ROOM:
            self._read()

    def _read(self) -> None:
        try:
            data = os.read(self._master, 4096)
        except OSError:
            return
        self._written += len(data)
        data = self._lines[0].carry(data) if self._lines else data
        self._to_table += data
        if data:
            self.on_read(data)

    # -- to the host ---------------------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Return the number of bytes that can be sent before the port is full; none to a computer that sleeps."""
        if not self.awake:
            return 0
        return max(0, ROOM - len(self._to_host)) if self.opened else ROOM

    def send(self, data: bytes) -> None:
        """Take bytes for the host. Without a cable they are lost, and without a program that reads, all but the latest
        are."""
        if self.plugged:
            self._to_host += self._lines[1].carry(data) if self._lines else data
            if not self.opened:
                self._to_host = self._to_host[-STUMP:]

    def flush(self) -> None:
        """Give the pseudo-terminal as much as it takes; the rest stays until the host reads."""
        if not self._to_host or not self.awake or not self.opened:
            return
        try:
            count = os.write(self._master, self._to_host)
        except OSError:
            return
        sent, self._to_host = self._to_host[:count], self._to_host[count:]
        self.sent += count
        if sent:
            self.on_sent(sent)

    # -- faults of the line --------------------------------------------------------------------------------

    def spoil(self, options: dict[str, float]) -> None:
        """Set the faults of the line, options of :class:`Line`; without any, mend it."""
        there = {**options, "seed": options.get("seed", 0) + 1}
        self._lines = (Line(options), Line(there)) if options else None

    def faults(self) -> dict[str, dict[str, int]]:
        """Return the numbers of frames and faults by direction; nothing for a good line."""
        return {"to_table": self._lines[0].counts, "to_host": self._lines[1].counts} if self._lines else {}
