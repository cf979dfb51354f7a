"""Streams of events for browsers: channels that hold the latest state, and outlets that send it.

A channel keeps what it last said, and its news: sentences that nobody may miss. An outlet is one stream of events. It
queues nothing: when it can send, it takes of what each channel says then the pieces that its page has not had, with the
news since those it has sent. A reader that is slow misses states in between, no news, and costs no memory.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import count

from msgspec import Struct, structs

from tablier.messages import encode
from tablier.texts import Language, Text, language, reading, render
from tablier.web.pieces import Pieces
from tablier.web.shares import Client, find_surplus
from tablier.web.states import Event, GameState, NewsState

NEWS_KEPT = 400
"""The most news that a channel remembers of earlier states, as much as a screen's story."""
BEAT_S = 1.0
"""The seconds of silence after which a stream says that it is there: ``source.js`` tells people when it hears nothing
for longer."""
SILENT_S = 25.0
"""The seconds after which a stream that holds something ends whose page has not said that it is there."""
_HOLDING = frozenset(("mine", "table"))
"""The topics of streams that hold something: a seat, or a place from which a hood can be seen."""

STREAMS, OF_BROWSER = 200, 3
"""The most streams at a time: of all, and of a browser, whose tabs share one."""


@dataclass
class Had:
    """What a page has of a channel."""

    news: int | None = None
    """How many news; ``None`` before the first event."""
    restarts: int = 0
    of: Pieces | None = None
    """By which the numbers are."""
    pieces: set[int] = field(default_factory=set)


class Channel:
    """One thing that pages are kept up to date about."""

    def __init__(self, hub: Hub, topic: str, name: str, browser: str | None) -> None:
        """``topic``: what pages ask for (``public``, ``mine``, ``phone``); ``name``: which channel of the topic, a page
        gets it with each event; ``browser``: the only browser that may have it, ``None`` for all."""
        self._hub = hub
        self.topic = topic
        self.name = name
        self.browser = browser
        self.closed = False
        self.version = 0
        self._state: Callable[[], Struct] | None = None
        self._since = 0.0
        self._news: list[Callable[[], NewsState]] = []
        self._told = 0
        """How many news there have been."""
        self._restarts = 0
        self._pieces: dict[Language, tuple[int, Pieces]] = {}
        """With the version that they were made for last."""
        self._made: dict[tuple[Language, int | None, bool, frozenset[int]], bytes] = {}
        """Events, by what they hold: one is made for all pages that have the same."""

    def put(self, state: Callable[[], Struct] | None, news: Sequence[Callable[[], NewsState]] = ()) -> None:
        """Say a new state, with its news; ``None``: this is gone, and stays so.

        Both are made when a page takes them: once for all pages of a language, and never if none does.
        """
        self._state = state
        self._news = [*self._news[-NEWS_KEPT:], *news]
        self._told += len(news)
        self.closed = state is None
        if self.closed:
            self._hub.channels.pop((self.topic, self.name, self.browser), None)
        self._since = time.monotonic()
        self.version += 1
        self._made.clear()
        self._hub.wake(self)

    def end(self, why: Text) -> None:
        """Say that nothing follows; what was said last of a game stands, with the reason."""
        if (last := self._state) is not None:

            def ended() -> Struct:
                state = last()
                assert isinstance(state, GameState)
                return structs.replace(state, ended=render(why))

            self.put(ended)

    def state(self) -> Struct | None:
        """Return what was said last, in the language of its reader."""
        return None if self._state is None else self._state()

    def restart(self) -> None:
        """Forget the news: they are about to come again from the first one."""
        self._news, self._told = [], 0
        self._restarts += 1

    def event(self, had: Had) -> bytes:
        """Return the event for a page, in the language of its reader, and take note of what the page has then."""
        sent = had.news if had.restarts == self._restarts else None
        pieces = self._cut()
        anew = had.of is not pieces
        used = pieces.used if pieces is not None else set()
        fresh = frozenset(used if anew else used - had.pieces)
        key = (language(), sent, anew, fresh)
        left = self._told - (sent or 0)
        if key not in self._made:
            event = Event(
                topic=self.topic,
                name=self.name,
                made=None if pieces is None else pieces.made,
                pieces={} if pieces is None else pieces.texts(fresh),
                anew=anew,
                all=sent is None,
                news=[news() for news in self._news[max(0, len(self._news) - left) :]],
            )
            self._made[key] = encode(event)[1:]
        had.news, had.restarts, had.of = self._told, self._restarts, pieces
        if anew:
            had.pieces = set(fresh)
        else:
            had.pieces |= fresh
        age = time.monotonic() - self._since
        return b'data: {"age":%.2f,' % age + self._made[key] + b"\n\n"

    def _cut(self) -> Pieces | None:
        """Return the pieces of what was said last, in the language of its reader; ``None``: it is gone."""
        if self._state is None:
            return None
        version, pieces = self._pieces.get(language(), (0, None))
        if pieces is None or version != self.version:
            text = encode(self._state()).decode()
            if pieces is None or pieces.full:
                pieces = Pieces(text)
            else:
                pieces.say(text)
            self._pieces[language()] = self.version, pieces
        return pieces


class Outlet:
    """One stream of events, for one browser."""

    def __init__(self, hub: Hub, browser: str, topics: Collection[str], client: Client) -> None:
        self._hub = hub
        self.number = next(hub.numbers)
        self.browser = browser
        self.client = client
        self.language = language()
        self.topics = frozenset(topics)
        self.key = secrets.token_hex(8)
        """By which its page says that it is there."""
        self.heard = time.monotonic()
        """When its page was there for certain."""
        self._due: dict[Channel, None] = {}
        self._had: dict[Channel, Had] = {}
        self._wake = asyncio.Event()
        self.ended = False

    @property
    def holds(self) -> bool:
        """Return whether this holds something that a page which is not there any more must not hold."""
        return bool(self.topics & _HOLDING)

    def wants(self, channel: Channel) -> bool:
        return channel.topic in self.topics and channel.browser in (None, self.browser)

    def take(self, channel: Channel) -> None:
        """Send what this channel says, as soon as that can be."""
        self._due[channel] = None
        self._wake.set()

    def end(self) -> None:
        self.ended = True
        self._wake.set()

    async def events(self) -> AsyncIterator[bytes]:
        """Yield events until the stream ends; the first says of what there is something to tell."""
        self._due = dict.fromkeys(each for each in self._hub.channels.values() if self.wants(each))
        names = [[channel.topic, channel.name] for channel in self._due]
        yield b"retry: 1000\ndata: %s\n\n" % json.dumps({"names": names, "stream": self.key}).encode()
        while not self.ended:
            events = []
            while self._due and not self.ended:
                channel = next(iter(self._due))
                del self._due[channel]
                try:
                    with reading(self.language):
                        events.append(channel.event(self._had.setdefault(channel, Had())))
                except Exception:  # of one game: it takes no page away from the others
                    traceback.print_exc()
                    continue
                if channel.closed:
                    del self._had[channel]
                await asyncio.sleep(0)  # others have their turn
            if events:
                yield b"".join(events)
            self._wake.clear()
            if self._due or self.ended:
                continue
            try:
                async with asyncio.timeout(BEAT_S):
                    await self._wake.wait()
            except TimeoutError:
                yield b'data: {"beat":true}\n\n'


class Hub:
    """All channels and outlets."""

    def __init__(self) -> None:
        self.channels: dict[tuple[str, str, str | None], Channel] = {}
        self.outlets: set[Outlet] = set()
        self.numbers = count()
        """Of outlets: the oldest has the lowest."""

    def channel(self, topic: str, name: str, browser: str | None = None) -> Channel:
        """Return a channel, which is made where there is none."""
        key = (topic, name, browser)
        if key not in self.channels:
            self.channels[key] = Channel(self, topic, name, browser)
        return self.channels[key]

    def admit(self, outlet: Outlet) -> None:
        """Begin to send to an outlet. Where there are too many, another one ends: the oldest of the same browser, which
        is perhaps of a tab that was closed, or of the client that has most."""
        own = [each for each in self.outlets if each.browser == outlet.browser]
        over = sorted(own, key=lambda each: each.number)[: max(0, len(own) - OF_BROWSER + 1)]
        if not over and len(self.outlets) >= STREAMS:
            surplus = find_surplus(self.outlets, outlet.client, lambda each: each.client, lambda each: each.number)
            over = [surplus or outlet]
        self.outlets.add(outlet)
        for each in over:
            each.end()
            self.outlets.discard(each)

    def hear(self, key: str) -> bool:
        """Take note that the page of a stream is there; return False where there is no such stream."""
        heard = [outlet for outlet in self.outlets if outlet.key == key]
        for outlet in heard:
            outlet.heard = time.monotonic()
        return bool(heard)

    @staticmethod
    def is_silent(since: float) -> bool:
        """Return whether a page that was there for certain then is taken to be gone now."""
        return time.monotonic() - since >= SILENT_S

    def sweep(self) -> None:
        """End streams that hold something whose pages are gone: a phone out of the network closes nothing."""
        for outlet in [each for each in self.outlets if each.holds]:
            if self.is_silent(outlet.heard):
                outlet.end()
                self.outlets.discard(outlet)

    def drop(self, browser: str, topic: str) -> None:
        """Close the channels of a topic that only one browser has."""
        for channel in [each for each in self.channels.values() if (each.browser, each.topic) == (browser, topic)]:
            channel.put(None)

    def wake(self, channel: Channel) -> None:
        for outlet in self.outlets:
            if outlet.wants(channel):
                outlet.take(channel)

    def close(self) -> None:
        """End all streams."""
        for outlet in self.outlets:
            outlet.end()


__all__ = ["NEWS_KEPT", "Channel", "Had", "Hub", "Outlet"]
