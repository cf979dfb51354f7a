"""A server of pages on a free port, in this process or by its command, and what a browser would do with it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Any

import httpx
from tests.pieces import Assembly

from tablier.web.hosts import Hosts
from tablier.web.serving import Door, Server
from tablier.web.site import Site


class Served:
    """A log's pages at an address."""

    def __init__(
        self, log: Path, *, door: Door | None = None, hosts: Hosts | None = None, archive: str | None = None
    ) -> None:
        door = door or Door(port=0)
        self.listener = door.listen()
        self.port: int = self.listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.listener.listen(512)
        self._began = threading.Event()
        self._log, self._door, self._hosts, self._archive = log, door, hosts or door.hosts(), archive
        self._thread = threading.Thread(target=self._run, name="pages", daemon=True)
        self._thread.start()
        assert self._began.wait(20)

    def _run(self) -> None:
        async def serve() -> None:
            self.loop = asyncio.get_running_loop()
            told = self._door.addresses(self.listener)[:2]
            self.site = Site(
                self._log, secure=self._door.secure, hosts=self._hosts, addresses=told, archive=self._archive
            )
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
        sent = {"origin": self.address, **headers}
        # No certificates are read, which takes longer than all else that a browser does here.
        return httpx.Client(base_url=self.address, headers=sent, timeout=20, verify=False)


@contextmanager
def served(log: Path, **more: Any) -> Iterator[Served]:
    pages = Served(log, **more)
    try:
        yield pages
    finally:
        pages.close()


@contextmanager
def command(log: Path, *options: str, files: int | None = None) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run ``tablier web``; yield it with what it says. ``files``: how many it may have open at first."""
    words = [sys.executable, "-m", "tablier.cli.main", "web", "--log", str(log), *options]
    limit = (files or 0, getrlimit(RLIMIT_NOFILE)[1])
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=None if files is None else lambda: setrlimit(RLIMIT_NOFILE, limit),
    ) as program:
        assert program.stdout is not None
        said = []
        try:
            for line in program.stdout:
                said.append(line.strip())
                if "Ctrl-C" in line:
                    break
            yield program, said
        finally:
            program.kill()


class Stream:
    """A stream of events, read as far as it is waited for."""

    def __init__(self, browser: httpx.Client, topics: str = "public", **asked: str) -> None:
        self._context = browser.stream("GET", "/events", params={"topics": topics, **asked})
        self.response = self._context.__enter__()
        self._lines = self.response.iter_lines()
        self.raw: list[str] = []
        """Everything that has come."""
        self._browser, self._key, self._said = browser, "", time.monotonic()
        self.names: list[list[str]] = []
        """The channels of which it says something at once, each with its topic."""
        self.events: list[Any] = []
        """All that has come that says something, with states put together."""
        self._pieces: dict[tuple[str, str], Assembly] = {}

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        self._context.__exit__(None, None, None)

    def next(self) -> Any:
        """Wait for an event that says something; return it with its state, put together."""
        for line in self._lines:
            self.raw.append(line)
            if line.startswith("data: "):
                event = json.loads(line.removeprefix("data: "))
                if "names" not in event and "beat" not in event:
                    kept = self._pieces.setdefault((event["topic"], event["name"]), Assembly())
                    self.events.append({**event, "state": kept.take(event)})
                    return self.events[-1]
                if "names" in event:
                    self.names, self._key = event["names"], event["stream"]
                elif time.monotonic() - self._said > 5:  # a page says that it is there
                    self._said = time.monotonic()
                    self._browser.post("/here", json={"stream": self._key})
        raise AssertionError("the stream has ended")

    def is_there(self) -> bool:
        """Say that the page is there; return False where the stream has ended."""
        return bool(self._browser.post("/here", json={"stream": self._key}).json()["here"])

    def beat(self) -> None:
        """Wait until the stream says that it is there."""
        for line in self._lines:
            self.raw.append(line)
            if line == 'data: {"beat":true}':
                return

    def wait(self, name: str, holds: Any = lambda state: True) -> Any:
        """Wait until a channel says a state like this; return its event."""
        while True:
            event = self.next()
            if event["name"] == name and event["state"] is not None and holds(event["state"]):
                return event


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


__all__ = ["Served", "Stream", "command", "served", "until"]
