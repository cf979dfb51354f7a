"""What one server of one log is made of."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from tablier.keeper.client import KeeperError
from tablier.web.browsers import Browsers
from tablier.web.cookies import Cookies
from tablier.web.entrance import Entrance
from tablier.web.hosts import LOCAL, Hosts
from tablier.web.hub import Hub
from tablier.web.inside import Insides, door_of
from tablier.web.links import KeeperLinks
from tablier.web.reading import Reading
from tablier.web.shares import Turns
from tablier.web.table_viewers import Tables
from tablier.web.verifying import Verifying
from tablier.web.watch import Watch

_SWEEP_S = 2.0


async def _is_gone() -> bool:
    return False


class Site:
    """The parts of a server, put together. Each knows those alone that it is given here."""

    def __init__(
        self,
        log: Path,
        *,
        secure: bool = False,
        stays: bool = False,
        hosts: Hosts = LOCAL,
        addresses: Sequence[str] = (),
        archive: str | None = None,
    ) -> None:
        """
        :param secure: pages are served by https.
        :param stays: the keeper stays as long as this server does.
        :param hosts: by which this server may be asked for, besides the addresses at which it is reached.
        :param addresses: where the pages are, as others are told; the last one is reached from farthest.
        :param archive: the archive that is shown: a file or an address.
        """
        self.log = log
        self.hosts = hosts
        self.archive = archive
        self.hub = Hub()
        self.links = KeeperLinks(log, stays=stays)
        self.watch = Watch(self.hub, self.links)
        self.cookies = Cookies(self.links.token, secure=secure)
        self.entrance = Entrance(self.links)
        self.browsers = Browsers(self.hub, self.links, self.watch, self.cookies, door_of(addresses))
        self.tables = Tables(self.hub, self.links, self.watch)
        self.insides = Insides(self.hub, self.links, self.watch, addresses)
        self.turns = Turns()
        self.reading = Reading(log, self.turns)
        self.verifying = Verifying(log)
        self.back: Callable[[], Awaitable[bool]] = _is_gone
        """Called when the keeper is gone; returns whether to look for it again."""
        self.on_ready: Callable[[], None] = lambda: None
        """Called once this server has connections of its own to the keeper."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when the keeper is gone for good."""
        self._stays = stays

    async def run(self) -> None:
        """Follow the keeper until it is gone for good."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            if self._stays:
                try:
                    await self.links.operator()
                except KeeperError as error:  # the one that was there when this began has ended already
                    if self.watch.is_refused(error):
                        return
            await asyncio.to_thread(self.on_ready)
            await self.watch.run(self.back, self._catch_up)
        finally:
            sweeping.cancel()
            self.on_end()

    async def close(self) -> None:
        self.hub.close()
        await self.entrance.close()
        await self.browsers.close()
        await self.tables.close()
        await self.insides.close()
        await self.watch.close()
        await self.reading.close()
        await self.links.close()

    async def _catch_up(self) -> None:
        await self.browsers.connect()
        await self.tables.connect()
        await self.insides.connect()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_S)
            self.hub.sweep()
            await self.entrance.sweep()
            await self.browsers.sweep()
            await self.tables.sweep()


__all__ = ["Site"]
