"""A server of pages on a free port, in this process, and what a browser would do with it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tablier.web.serving import Door, Server
from tablier.web.site import Site


class Served:
    """A log's pages at an address."""

    def __init__(self, log: Path, *, names: tuple[str, ...] = ("localhost",)) -> None:
        door = Door(port=0)
        self.listener = door.listen()
        self.port: int = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.listener.listen(512)
        self._began = threading.Event()
        self._log, self._door, self._names = log, door, names
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)
        self._thread.start()
        assert self._began.wait(20)

    def _run(self) -> None:
        async def serve() -> None:
            self.loop = asyncio.get_running_loop()
            self.site = Site(self._log, names=self._names)
            self.server = Server(self.site, self._door)
            self.site.on_ready = self._began.set
            await self.server.serve(sockets=[self.listener])

        asyncio.run(serve())

    def close(self) -> None:
        self.server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
        self.listener.close()

    def browser(self, **headers: str) -> httpx.Client:
        """Return a browser of its own: it keeps its cookie, and says from which page it asks."""
        return httpx.Client(base_url=self.address, headers={"origin": self.address, **headers}, timeout=20)


@contextmanager
def served(log: Path, **more: Any) -> Iterator[Served]:
    pages = Served(log, **more)
    try:
        yield pages
    finally:
        pages.close()


class Stream:
    """A stream of events, read as far as it is waited for."""

    def __init__(self, browser: httpx.Client, topics: str = "public") -> None:
        self._context = browser.stream("GET", "/events", params={"topics": topics})
        self.response = self._context.__enter__()
        self._lines = self.response.iter_lines()
        self.raw: list[str] = []
        """Everything that has come."""

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(None, None, None)

    def next(self) -> Any:
        """Wait for an event that says something."""
        for line in self._lines:
            self.raw.append(line)
            if line.startswith("data: "):
                event = json.loads(line.removeprefix("data: "))
                if "names" not in event:
                    return event
        raise AssertionError("the stream has ended")

    def wait(self, name: str, holds: Any = lambda state: True) -> Any:
        """Wait until a channel says a state like this; return its event."""
        while True:
            event = self.next()
            if event["name"] == name and event["state"] is not None and holds(event["state"]):
                return event


__all__ = ["Served", "Stream", "served"]
