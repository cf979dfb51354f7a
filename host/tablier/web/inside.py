"""The evenings as the operator sees them, with codes and wishes: for the operator's browsers alone."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from tablier import messages
from tablier.keeper.client import KeeperError
from tablier.web.hub import Hub
from tablier.web.link import KeeperLink
from tablier.web.links import KeeperLinks
from tablier.web.watch import Watch, said_evening

TOPIC = "host"
"""Of the channels, which only browsers of the operator may have."""


def door_of(addresses: Sequence[str]) -> str:
    """Return where people come in, of addresses the one that is reached from farthest: the last; empty without any."""
    return f"{addresses[-1]}in" if addresses else ""


class Insides:
    """Follows all evenings as the operator."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, addresses: Sequence[str] = ()) -> None:
        """``addresses``: where the pages are, as others are told; the last one is reached from farthest."""
        self._hub = hub
        self._links = links
        self._watch = watch
        self._addresses = addresses
        self._link: KeeperLink | None = None
        self._followed: set[int] = set()
        self._lock = asyncio.Lock()

    async def connect(self) -> None:
        """Follow the evenings that have begun since, also at another keeper."""
        if self._links.token is None:
            return
        async with self._lock:
            with suppress(OSError, KeeperError):  # the pages are told that the keeper is gone
                link = await self._links.renewed(self._link, self._hear)
                if link is not self._link:
                    self._followed.clear()
                    self._link = link
                evenings = set(self._watch.evenings)
                for gone in self._followed - evenings:
                    self._hub.channel(TOPIC, f"evening-{gone}").put(None)
                self._followed &= evenings
                for evening in sorted(evenings - self._followed):
                    with suppress(KeeperError):  # it has just ended
                        await link.call("follow", {"evening": evening, "games": False})
                        self._followed.add(evening)

    async def close(self) -> None:
        if self._link is not None:
            await self._link.close()

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.Evening):
            told = partial(said_evening, notice, door_of(self._addresses))
            self._hub.channel(TOPIC, f"evening-{notice.evening}").put(told)


__all__ = ["TOPIC", "Insides", "door_of"]
