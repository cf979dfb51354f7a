"""Serve a log's pages beside its keeper: ``python -m tablier.web.server LOG``, as ``tablier play`` starts it.

Say :data:`READY` and the addresses on standard output, or :data:`FAILED` and why. It ends when the keeper has ended,
and nothing has started it again.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit

from msgspec import structs

from tablier.keeper.address import FAILED, READY
from tablier.keeper.client import KeeperError
from tablier.keeper.detached import detach, say
from tablier.keeper.starting import join
from tablier.log.chain import LogError
from tablier.texts import Failure, text_of
from tablier.web.links import KeeperLinks
from tablier.web.noted import WebError, noted, port_of
from tablier.web.serving import Door, Server
from tablier.web.site import Site
from tablier.web.starting import LAN
from tablier.web.watch import Watch

GONE_S = 5.0
"""The seconds in which a screen may start a keeper again that has died."""
_FILES = 4096
"""How many files this process may have open, where the system allows that: each connection is one."""


def serve(
    log: Path,
    door: Door,
    *,
    stays: bool,
    ready: Callable[[Sequence[str]], None],
    connected: Callable[[], None] = lambda: None,
    archive: str | None = None,
) -> None:
    """Serve a log until that is interrupted, or its keeper is gone for good.

    :param stays: the keeper stays as long as this, and is started again with its games if it dies.
    :param ready: called with the addresses.
    :param connected: called once this server has connections of its own to the keeper.
    :param archive: shown, too.

    Raise :class:`WebError`, also when another keeper comes whose code is not this server's.
    """
    door.check()
    _allow_files()
    listener = door.listen(port_of(log))
    try:
        addresses = door.addresses(listener)
        with noted(log, addresses, yields=not stays) as withdraw:
            told, hosts = addresses[:2], door.hosts()
            site = Site(log, secure=door.secure, stays=stays, hosts=hosts, addresses=told, archive=archive)
            site.back = _Restart(log, site.links, site.watch) if stays else _Patience(site.watch)
            site.on_ready = connected
            server = Server(site, door, withdraw)
            listener.listen(512)
            ready(addresses)
            server.run(sockets=[listener])
            if (why := site.watch.refused) is not None:
                raise WebError("{path}: its pages are not served any more: {why}", path=log, why=why.text)
    finally:
        listener.close()


def _allow_files() -> None:
    now, most = getrlimit(RLIMIT_NOFILE)
    wanted = _FILES if most == RLIM_INFINITY else min(_FILES, most)
    if now != RLIM_INFINITY and now < wanted:
        with suppress(OSError, ValueError):
            setrlimit(RLIMIT_NOFILE, (wanted, most))


class _Patience:
    """Waits for a keeper that a screen may start again."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._since: float | None = None

    async def __call__(self) -> bool:
        now = time.monotonic()
        if self._watch.ready.is_set():  # it was there just now
            self._watch.ready.clear()
            self._since = now
        elif self._since is None:
            self._since = now
        return now - self._since < GONE_S


class _Restart:
    """Starts a keeper again that has died, with the games that were open."""

    def __init__(self, log: Path, links: KeeperLinks, watch: Watch) -> None:
        self._log = log
        self._links = links
        self._watch = watch

    async def __call__(self) -> bool:
        games = {game: structs.asdict(listed.times) for game, listed in self._watch.games.items()}
        with suppress(Failure, OSError):
            try:
                link = await asyncio.to_thread(join, self._log)
            except KeeperError as error:
                return not self._watch.is_refused(error)
            await self._links.operator()  # the keeper stays for this one
            for game, times in games.items():
                with suppress(Failure):
                    await self._links.operate("resume", {"game": game, "table": times})
            await asyncio.to_thread(link.close)
        return True


def main(argv: Sequence[str] | None = None) -> int:
    *options, path = sys.argv[1:] if argv is None else argv
    detach()
    try:
        serve(
            Path(path),
            Door(lan=LAN in options),
            stays=False,
            ready=lambda addresses: say(f"{READY} {' '.join(addresses)}"),
        )
    except (WebError, LogError, KeeperError, OSError) as error:
        say(f"{FAILED} {text_of(error)}")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
