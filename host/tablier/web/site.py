"""What the parts of the server share: the log, the keeper, the channels, the browsers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request

from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.client import KeeperError
from tablier.texts import Json
from tablier.web.browsers import Browsers, operator_key
from tablier.web.hub import Hub
from tablier.web.joining import Codes
from tablier.web.link import KeeperLink
from tablier.web.looking import Tables
from tablier.web.reading import Reading
from tablier.web.shares import Turns
from tablier.web.verifying import Verifying
from tablier.web.watch import Watch

_PROBES = 4
"""The most connections at a time that only look whether a key holds."""


async def _is_gone() -> bool:
    return False


@dataclass(eq=False)
class Site:
    """One server of one log."""

    log: Path
    secure: bool = False
    """True where pages are served by https."""
    stays: bool = False
    """True where the keeper is to stay as long as this server does."""
    back: Callable[[], Awaitable[bool]] = _is_gone
    """Called when the keeper is gone; returns whether to look for it again."""
    on_end: Callable[[], None] = lambda: None
    """Called when the keeper is gone for good."""
    on_ready: Callable[[], None] = lambda: None
    """Called once this server has connections of its own to the keeper."""
    names: tuple[str, ...] = ("localhost",)
    """The names by which this server may be asked for, besides the addresses at which it is reached."""
    addresses: tuple[str, ...] = ()
    """Where the pages are, as others are told: the last one is reached from farthest."""
    archive: str | None = None
    """The archive that is shown: a file or an address."""
    hub: Hub = field(default_factory=Hub)

    def __post_init__(self) -> None:
        self.token = read_token(self.log)
        self.operator = operator_key(self.token) if self.token else ""
        self.browsers = Browsers(self)
        self.tables = Tables(self)
        self.codes = Codes(self)
        self.watch = Watch(self)
        self.turns = Turns()
        self.reading = Reading(self.log, self.turns)
        self.verifying = Verifying(self.log)
        self._link: KeeperLink | None = None
        self._lock = asyncio.Lock()
        self.probing = asyncio.Semaphore(_PROBES)
        """Held by whoever has a connection that may turn out to have no right."""

    @property
    def address(self) -> Path:
        """Where the keeper listens now. Raise ``OSError`` where none does."""
        return address_of(self.log)

    async def operate(self, method: str, params: Json | None = None) -> Json:
        """Send a request as the operator. Raise :class:`KeeperError`."""
        return await (await self.operator_link()).call(method, params)

    @asynccontextmanager
    async def probe(self) -> AsyncIterator[KeeperLink]:
        """Have a connection with no rights for a moment; few have one at a time. Raise :class:`KeeperError`."""
        async with self.probing:
            try:
                link = await KeeperLink.open(self.address, beside=True)
            except OSError:
                raise KeeperError("the keeper is gone") from None
            try:
                yield link
            finally:
                await link.close()

    async def operator_link(self) -> KeeperLink:
        """Return the operator's connection. Raise :class:`KeeperError`."""
        async with self._lock:
            if self._link is None or self._link.lost.is_set():
                try:
                    self._link = await KeeperLink.open(self.address, self.token, beside=not self.stays)
                except OSError:
                    raise KeeperError("the keeper is gone") from None
            return self._link

    async def run(self) -> None:
        """Follow the keeper until it is gone for good."""
        sweeping = asyncio.create_task(self._sweep())
        try:
            if self.stays:
                try:
                    await self.operator_link()
                except KeeperError as error:  # the one that was there when this began has ended already
                    if self.watch.is_refused(error):
                        return
            await asyncio.to_thread(self.on_ready)
            await self.watch.run(self._back)
        finally:
            sweeping.cancel()
            self.on_end()

    async def close(self) -> None:
        self.hub.close()
        await self.browsers.close()
        await self.tables.close()
        await self.watch.close()
        await self.reading.close()
        if self._link is not None:
            await self._link.close()

    async def _back(self) -> bool:
        return await self.back()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(5)
            await self.browsers.sweep()
            await self.tables.sweep()


def site_of(request: Request) -> Site:
    """Return the server that has got a request."""
    site: Site = request.app.state.site
    return site


__all__ = ["Site", "site_of"]
