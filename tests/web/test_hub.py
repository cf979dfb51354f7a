"""Streams of events."""

from __future__ import annotations

import asyncio
import json
from functools import partial

from msgspec import Struct

from tablier.languages import of_browser
from tablier.texts import ENGLISH, language, reading
from tablier.web.hub import Had, Hub, Outlet
from tablier.web.shares import Client
from tablier.web.states import NewsState

MUCH = 20


class Said(Struct):
    number: int


class Named(Struct):
    tag: str


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


def test_the_first_news_of_a_channel_are_new_to_a_page_that_was_there() -> None:
    """A page says what is new, and nothing of what there was before it came."""
    news = partial(NewsState, n=None, kind="told", turn=None, at=0, said="Bernard is here.", own=False, drops=[])
    channel, had = Hub().channel("public", "evening-1"), Had()
    told = []
    for state in range(3):
        channel.put(partial(Said, state), [news] if state else [])
        said = json.loads(channel.event(had).removeprefix(b"data: "))
        told.append((said["all"], len(said["news"])))
    channel.restart()
    channel.put(partial(Said, 3), [news])
    said = json.loads(channel.event(had).removeprefix(b"data: "))
    assert told == [(True, 0), (False, 1), (False, 1)]
    assert (said["all"], len(said["news"])) == (True, 1)


def test_an_event_that_was_made_for_one_reader_is_no_other_readers() -> None:
    channel = Hub().channel("public", "game-1")
    channel.put(lambda: Named(language().tag))
    for read in (ENGLISH, of_browser("fr"), ENGLISH):
        with reading(read):
            assert read.tag.encode() in channel.event(Had())
