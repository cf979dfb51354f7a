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


def test_what_is_said_while_a_stream_is_being_opened_is_in_it() -> None:
    """Between a request and the first event of its answer a game or an evening may begin."""

    async def first() -> bytes:
        hub = Hub()
        outlet = Outlet(hub, "", ["public"], Client(""))
        hub.channel("public", "evening-1").put(partial(Said, 1))
        hub.admit(outlet)
        return await anext(outlet.events())

    assert b'["public", "evening-1"]' in asyncio.run(first())
