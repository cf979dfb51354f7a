"""The events of a boot of the table: taken strictly in order and once."""

from __future__ import annotations

from collections.abc import Callable

from tablier.table import refusals
from tablier.table.incoming import TableEvent, Unfit
from tablier.table.table_time import TableTime
from tablier.texts import Text
from tablier_fw import wire
from tablier_fw.version import __version__

Cursor = Callable[[str], int]
"""Returns the number of the last durable event of a boot."""


class Events:
    """The events that are still to come."""

    def __init__(self, cursor: Cursor, time: TableTime) -> None:
        self.next = 0
        """The number of the next event of this boot."""
        self.since = 0
        """The number of the last event of this boot that was durable before this client came."""
        self._cursor = cursor
        self._time = time

    def begin_boot(self) -> None:
        """Take events from the first."""
        self.next = 0

    def resume(self, boot: str, acked: int) -> bool:
        """Go on after what is durable, here or, as the table says, elsewhere; return False if that is known already."""
        taken = max(self._cursor(boot), acked)
        if taken < self.next:  # the caller has events already that are not durable yet
            return False
        # What another log has taken of this boot, since we last heard of it or before, is not ours to ask for.
        self.since = taken
        self.next = taken + 1
        return True

    def take(
        self, boot: str, number: int, message: wire.Message, payload: bytes, fault: int
    ) -> TableEvent | Unfit | None:
        """Return an event in its turn; ``None`` for any other, which comes again. ``fault``: its faulty field."""
        if number != self.next or not self._time.known:
            # A later one comes again, after those that are missing; so does one that came before the table's time.
            return None
        self.next += 1
        what = message.name or f"event 0x{message.code:02x}"
        if fault >= 0:
            return Unfit(boot, number, what, refusals.fault(message, payload, fault), message.code, payload)
        if not message.name:
            why = Text("this host (tablier {version}) does not know such an event", {"version": __version__})
            return Unfit(boot, number, what, why, message.code, payload)
        values = dict(zip(message.names, message.unpack(payload), strict=True))
        del values["number"]
        return TableEvent(boot, number, message, values, self._time.to_clock(values.pop("time")))
