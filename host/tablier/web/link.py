"""A connection to the keeper in asyncio: requests, their answers, and what the keeper says by itself."""

from __future__ import annotations

import asyncio
import socket
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import cast

from msgspec import convert

from tablier.keeper import protocol
from tablier.keeper.address import process_of
from tablier.keeper.client import NO_ANSWER, Answer, KeeperError, KeeperGone, check_listener, refusal_of
from tablier.keeper.protocol import line_of
from tablier.keeper.silence import GIVEN_UP_S, Silence, silent_text
from tablier.messages import Notice, Sent, learn
from tablier.texts import Json, Text

_LINE = 1 << 24
"""The most bytes of a message: the first update of a long game brings all its news."""
_ANSWER_S = 30.0


class KeeperLink:
    """One connection; :meth:`open` makes it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._numbers = count(1)
        self._calls: dict[int, asyncio.Future[Json]] = {}
        self.on_notice: Callable[[Notice], None] = lambda notice: None
        """Called with what the keeper says by itself."""
        self.lost = asyncio.Event()
        """Set when the connection has ended, from whichever side."""
        self.on_silence: Callable[[Text | None], None] = lambda text: None
        """Called with what people are told when the keeper has not answered for a while, and with ``None`` when it
        answers again."""
        self._silence = Silence(time.monotonic())
        self._process = process_of(cast(socket.socket, writer.get_extra_info("socket")))
        self._reading = asyncio.create_task(self._read())
        self._looking = asyncio.create_task(self._look_at_silence())

    @classmethod
    async def open(cls, address: Path, token: str | None = None, *, passive: bool = False) -> KeeperLink:
        """Connect and say hello. Raise :class:`KeeperError`, and ``OSError`` where no keeper listens."""
        reader, writer = await asyncio.open_unix_connection(str(address), limit=_LINE)
        try:
            check_listener(cast(socket.socket, writer.get_extra_info("socket")), address)
        except KeeperError:
            writer.close()
            raise
        link = cls(reader, writer)
        try:
            await link.call("hello", protocol.hello(token, passive=passive))
        except BaseException:
            await link.close()
            raise
        return link

    async def call(self, method: str, params: Json | None = None) -> Json:
        """Send a request and return its result. Raise :class:`KeeperError`."""
        if self.lost.is_set() or self._writer.is_closing():  # a write has failed, and its reader has not heard yet
            raise KeeperGone()
        number = next(self._numbers)
        answered = self._calls[number] = asyncio.get_running_loop().create_future()
        try:
            self._writer.write(line_of(protocol.request(number, method, params or {})))
            async with asyncio.timeout(_ANSWER_S):  # wait_for() of Python 3.11 can lose that its task is cancelled
                answer = await answered
        except TimeoutError:
            raise KeeperError(NO_ANSWER) from None
        finally:
            self._calls.pop(number, None)
        if "error" in answer:
            raise refusal_of(answer)
        result: Json = answer["result"]
        return result

    async def ask(self, kind: type[Answer], method: str, params: Json | None = None) -> Answer:
        """Send a request and return its result, of some kind. Raise :class:`KeeperError`."""
        learn(kind)
        return convert(await self.call(method, params), kind)

    async def close(self) -> None:
        """End the connection."""
        self._reading.cancel()
        self._end()
        with suppress(OSError):
            await asyncio.shield(self._writer.wait_closed())  # a server that ends while it waits ends all the same

    async def _read(self) -> None:
        try:
            while line := await self._reader.readline():
                if self._silence.hear(time.monotonic()):
                    self.on_silence(None)
                self._take(protocol.heard(line))
        except (OSError, ValueError):
            pass  # it is gone, or what it says is not the protocol
        finally:
            self._end()

    async def _look_at_silence(self) -> None:
        while True:
            await asyncio.sleep(self._silence.wait(time.monotonic()))
            now = time.monotonic()
            if self._silence.asks(now):
                self._writer.write(line_of(protocol.request(next(self._numbers), "ping", {})))
            elif self._silence.tells(now):
                self.on_silence(silent_text(self._process, self._silence.seconds(now)))
            if (seconds := self._silence.seconds(now)) >= GIVEN_UP_S:
                for call in self._calls.values():
                    if not call.done():
                        call.set_exception(KeeperError(silent_text(self._process, seconds)))

    def _take(self, message: Notice | Json) -> None:
        if isinstance(message, Sent):
            try:
                self.on_notice(message)
            except Exception:  # of a game's drawing, say: other games and pages go on
                traceback.print_exc()
            return
        if message["id"] is None:  # before its end it says why
            waiting = list(self._calls.values())
        else:
            waiting = [self._calls[message["id"]]] if message["id"] in self._calls else []
        for call in waiting:
            if not call.done():
                call.set_result(message)

    def _end(self) -> None:
        if self.lost.is_set():
            return
        self.lost.set()
        self._looking.cancel()
        self._writer.close()
        for call in self._calls.values():
            if not call.done():
                call.set_exception(KeeperGone())


__all__ = ["KeeperLink"]
