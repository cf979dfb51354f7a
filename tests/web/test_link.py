"""A server's connection to the keeper."""

from __future__ import annotations

import asyncio
import socket

import pytest

from tablier.web.link import KeeperLink


def test_who_is_cancelled_as_the_answer_comes_is_cancelled() -> None:
    """A server that was ended just as its keeper answered waited for ever."""

    async def ask() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            link = KeeperLink(*await asyncio.open_connection(sock=ours))
            asking = asyncio.create_task(link.call("ping"))
            await asyncio.sleep(0)
            link._take({"jsonrpc": "2.0", "id": 0, "result": {}})
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            ending = asyncio.create_task(link.close())
            await asyncio.sleep(0)
            ending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await ending
            await link.close()

    asyncio.run(ask())
