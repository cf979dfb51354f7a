"""``python -m tests.tools.bench.streams ADDRESS``: pages that read their streams, in a process of their own.

It reads from its input one line of JSON, the topics and the cookie of each page. For each state of a game it prints
``[page, channel, ply, time]``; for each further line of its input the bytes that each page has got.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.pieces import Assembly

_PATIENCE_S = 20


class Streams:
    """The other end: pages, and when each has had each move."""

    def __init__(self, address: str, pages: Sequence[tuple[str, str]]) -> None:
        """``pages``: the topics of each, and its cookie."""
        words = [sys.executable, "-m", "tests.tools.bench.streams", address]
        at = Path(__file__).parents[3]
        self._program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=at)
        self._had: dict[tuple[int, str, int], float] = {}
        self._bytes: list[int] | None = None
        self._heard = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()
        self._say(pages)
        self.bytes()  # they have begun

    def had(self, page: int, channel: str, ply: int) -> float:
        """Wait until a page has a move; return when it had it."""
        key = page, channel, ply
        with self._heard:
            assert self._heard.wait_for(lambda: key in self._had, _PATIENCE_S), key
            return self._had[key]

    def bytes(self) -> list[int]:
        """Return the bytes that have come to each page."""
        with self._heard:
            self._bytes = None
            self._say(None)
            assert self._heard.wait_for(lambda: self._bytes is not None, _PATIENCE_S) and self._bytes is not None
            return self._bytes

    def close(self) -> None:
        assert self._program.stdin is not None
        self._program.stdin.close()
        self._program.wait(_PATIENCE_S)

    def _say(self, line: object) -> None:
        assert self._program.stdin is not None
        self._program.stdin.write(json.dumps(line) + "\n")
        self._program.stdin.flush()

    def _read(self) -> None:
        assert self._program.stdout is not None
        for line in self._program.stdout:
            told: Any = json.loads(line)
            with self._heard:
                if isinstance(told, dict):
                    self._bytes = told["bytes"]
                else:
                    page, channel, ply, at = told
                    self._had.setdefault((page, channel, ply), at)
                self._heard.notify_all()


@contextmanager
def streams(address: str, pages: Sequence[tuple[str, str]]) -> Iterator[Streams]:
    """Have pages read their streams until the end of the block."""
    opened = Streams(address, pages)
    try:
        yield opened
    finally:
        opened.close()


async def _follow(port: int, page: int, topics: str, cookie: str, counts: list[int]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    head = f"GET /events?topics={topics} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
    writer.write(head.encode())
    kept: dict[str, Assembly] = {}
    while line := await reader.readline():
        at = time.time()
        counts[page] += len(line)
        if not line.startswith(b"data: "):
            continue
        event = json.loads(line[6:])
        if "name" not in event:
            continue
        state = kept.setdefault(f"{event['topic']} {event['name']}", Assembly()).take(event)
        if isinstance(state, dict) and "ply" in state:
            print(json.dumps([page, event["name"], state["ply"], at]), flush=True)


async def _read_all(port: int) -> None:
    loop = asyncio.get_running_loop()
    pages: list[tuple[str, str]] = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    counts = [0] * len(pages)
    tasks = [
        asyncio.create_task(_follow(port, page, topics, cookie, counts)) for page, (topics, cookie) in enumerate(pages)
    ]
    while not all(counts):  # each has begun
        await asyncio.sleep(0.01)
    while await loop.run_in_executor(None, sys.stdin.readline):
        print(json.dumps({"bytes": counts}), flush=True)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(_read_all(int(sys.argv[1].rstrip("/").rpartition(":")[2])))
