"""The connections of one server to the keeper of its log: as a stranger, as a browser, as the operator."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Set
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from tablier.keeper.access import read_token
from tablier.keeper.address import address_of
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.messages import Notice
from tablier.texts import Json
from tablier.web.link import KeeperLink

_PROBES = 4
"""The most connections at a time that may turn out to have no right."""


class KeeperLinks:
    """Opens connections, and keeps one as the operator."""

    def __init__(self, log: Path, *, stays: bool = False) -> None:
        """``stays``: the keeper is to stay as long as the operator's connection does."""
        self._log = log
        self._stays = stays
        self.token = read_token(log)
        self._operator: KeeperLink | None = None
        self._lock = asyncio.Lock()
        self.probing = asyncio.Semaphore(_PROBES)
        """Held while a connection may turn out to have no right."""

    async def open(self) -> KeeperLink:
        """Connect without any right. Raise :class:`KeeperError`, and ``OSError`` where no keeper listens."""
        return await KeeperLink.open(address_of(self._log), passive=True)

    async def open_as_operator(self, *, stays: bool) -> KeeperLink:
        """Connect as the operator. ``stays``: the keeper stays as long as this. Raise as :meth:`open` does."""
        return await KeeperLink.open(address_of(self._log), self.token, passive=not stays)

    @asynccontextmanager
    async def probe(self) -> AsyncIterator[KeeperLink]:
        """Have a connection with no rights for a moment; few are open at a time. Raise :class:`KeeperError`."""
        async with self.probing:
            try:
                link = await self.open()
            except OSError:
                raise KeeperGone() from None
            try:
                yield link
            finally:
                await link.close()

    async def operator(self) -> KeeperLink:
        """Return the operator's connection. Raise :class:`KeeperError`."""
        async with self._lock:
            if self._operator is None or self._operator.lost.is_set():
                try:
                    self._operator = await self.open_as_operator(stays=self._stays)
                except OSError:
                    raise KeeperGone() from None
            return self._operator

    async def operate(self, method: str, params: Json | None = None) -> Json:
        """Send a request as the operator. Raise :class:`KeeperError`."""
        return await (await self.operator()).call(method, params)

    async def close(self) -> None:
        if self._operator is not None:
            await self._operator.close()


class Following:
    """An operator's connection for which the keeper does not stay, and what is followed over it: games or evenings, by
    number. Where the connection is lost, another one follows all of them again."""

    def __init__(
        self,
        links: KeeperLinks,
        hear: Callable[[Notice], None],
        follow: Callable[[KeeperLink, int], Awaitable[object]],
        forget: Callable[[int], None],
    ) -> None:
        """``hear`` is called with what the keeper says unasked; ``follow`` asks it for one number, and raises
        :class:`KeeperError` where that cannot be followed; ``forget`` drops one that is not open any more."""
        self._links = links
        self._hear, self._follow, self._forget = hear, follow, forget
        self._lock = asyncio.Lock()
        self.followed: dict[int, KeeperLink] = {}
        """What is not forgotten yet, with the latest connection by which it was followed."""
        self.link: KeeperLink | None = None
        """The latest connection; ``None`` before the first one."""

    async def catch_up(self, numbers: Set[int]) -> None:
        """Follow those of ``numbers`` that are not followed yet, and forget all others. While the keeper is gone, do
        nothing: the pages show that it is."""
        async with self._lock:
            with suppress(OSError, KeeperError):
                link = self.link
                if link is None or link.lost.is_set():
                    link = await self._links.open_as_operator(stays=False)
                    link.on_notice = self._hear
                self.link = link
                for number in self.followed.keys() - numbers:
                    del self.followed[number]
                    self._forget(number)
                for number in sorted(numbers):
                    if self.followed.get(number) is not link:
                        with suppress(KeeperError):  # it has just ended, or is a game without a table
                            await self._follow(link, number)
                            self.followed[number] = link

    async def close(self) -> None:
        """Close the connection."""
        if self.link is not None:
            await self.link.close()


__all__ = ["Following", "KeeperLinks"]
