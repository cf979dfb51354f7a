"""Shares: who has how much of what there is a fixed number of, and who makes room for others.

Connections, streams and requests are counted by *client*: the operator, a browser whose seat the keeper has confirmed,
or else an address. Where nothing is left, the client that has most makes room; so one client alone shuts nobody out,
and what the operator and the players need is theirs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

OWN_ROOM = 8
"""How many connections and streams a client with a right has before they are counted against it."""


@dataclass(frozen=True)
class Client:
    """By what requests are counted."""

    name: str
    """``operator``, the number of a browser, or an address."""
    has_right: bool = False
    """True for the operator, and for a browser with a seat."""


def find_surplus(
    held: Iterable[T], newcomer: Client, client: Callable[[T], Client], order: Callable[[T], Any]
) -> T | None:
    """Return which of ``held`` makes room for one more of ``newcomer``'s: the lowest in ``order`` of those of the
    client that has most. Return ``None`` when nobody has more than its own room."""
    held = list(held)
    counts = Counter(client(each) for each in held)
    counts[newcomer] += 1
    beyond = {who: count - OWN_ROOM if who.has_right else count for who, count in counts.items()}
    most = max(beyond[client(each)] for each in held) if held else 0
    return min((each for each in held if beyond[client(each)] == most), key=order) if most > 0 else None


CURRENT: ContextVar[Client] = ContextVar("client")
"""Whose request is being answered."""
_SERVER = Client("")
"""Of what the server does for nobody in particular."""


class Turns:
    """Has each client do one thing at a time of what takes long, so that everybody waits for few things of others."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Client, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self) -> AsyncIterator[None]:
        """Wait until nothing else is done for the client whose request this is."""
        lock = self._locks.setdefault(CURRENT.get(_SERVER), asyncio.Lock())
        async with lock:
            yield


__all__ = ["CURRENT", "OWN_ROOM", "Client", "Turns", "find_surplus"]
