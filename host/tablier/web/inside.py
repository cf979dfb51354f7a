"""The evenings as the operator sees them, with codes and wishes: for the operator's browsers alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tablier import messages
from tablier.web.hub import Hub
from tablier.web.link import KeeperLink
from tablier.web.links import Following, KeeperLinks
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
        self._following = Following(links, self._hear, self._follow, self._forget)

    async def connect(self) -> None:
        """Follow the evenings that have begun since, also at another keeper."""
        if self._links.token is not None:
            await self._following.catch_up(self._watch.evenings.keys())

    async def close(self) -> None:
        await self._following.close()

    @staticmethod
    async def _follow(link: KeeperLink, evening: int) -> None:
        await link.call("follow", {"evening": evening, "games": False})

    def _forget(self, evening: int) -> None:
        self._hub.channel(TOPIC, f"evening-{evening}").put(None)

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.Evening):
            told = partial(said_evening, notice, door_of(self._addresses))
            self._hub.channel(TOPIC, f"evening-{notice.evening}").put(told)


__all__ = ["TOPIC", "Insides", "door_of"]
