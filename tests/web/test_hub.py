"""Streams of events."""

from __future__ import annotations

import asyncio
from functools import partial

from msgspec import Struct

from tablier.web.hub import Hub, Outlet
from tablier.web.shares import Client

MUCH = 20


class Said(Struct):
    number: int


def test_a_stream_with_much_to_say_lets_others_have_their_turn() -> None:
    """Else a connection that is lost is written to again and again, and no other page gets anything meanwhile."""
    turns: list[int] = []

    async def others() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def stream() -> None:
        hub = Hub()
        for number in range(MUCH):
            hub.channel("public", f"game-{number}").put(partial(Said, number))
        outlet, said = Outlet(hub, "", ["public"], Client("")), 0
        beside = asyncio.create_task(others())
        async for event in outlet.events():
            said += event.count(b"data: ")
            if said == 1 + MUCH:
                outlet.end()
        beside.cancel()

    asyncio.run(stream())
    assert len(turns) >= MUCH - 1
