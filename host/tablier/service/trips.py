"""The round trips of a table's line, one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from tablier.table.client import Client
from tablier.table.unusable import TableError
from tablier_fw import wire

PINGS = 200
_LATE_S = 1.0
"""The seconds after which a ping counts as lost."""


@dataclass(frozen=True)
class Trips:
    """The round trips of pings."""

    median_ms: float
    p99_ms: float
    lost: int
    count: int


class Pongs:
    """Counts the answers to pings. A context manager; the client's ``trace`` is shown them all the same."""

    def __init__(self, client: Client) -> None:
        self.count = 0
        self._client = client
        self._trace = client.trace

    def __enter__(self) -> Pongs:
        self._client.trace = self._show
        return self

    def __exit__(self, *error: object) -> None:
        self._client.trace = self._trace

    def _show(self, came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        self.count += came and message is wire.PONG
        if self._trace is not None:
            self._trace(came, message, values)


def measure(client: Client, poll: Callable[[float], object], count: int = PINGS) -> Trips:
    """Time pings, each sent when the one before was answered. ``poll`` lets at most its seconds pass at the client.
    Raise :class:`TableError` where too many are lost."""
    clock, lost = client.clock, 0
    trips: list[float] = []
    with Pongs(client) as pongs:
        while len(trips) + lost < count and lost <= count // 20:
            before, asked = pongs.count, clock.now()
            client.send(wire.PING, int(asked * 1e6))
            while pongs.count == before and clock.now() < asked + _LATE_S:
                poll(_LATE_S / 2)
            if pongs.count > before:
                trips.append((clock.now() - asked) * 1000)
            else:
                lost += 1
    if len(trips) + lost < count:
        raise TableError(
            "{port}: {lost} of {count} pings were not answered within a second each",
            port=client.port,
            lost=lost,
            count=len(trips) + lost,
        )
    return Trips(median(trips), quantiles(trips, n=100)[98], lost, count)


__all__ = ["PINGS", "Pongs", "Trips", "measure"]
