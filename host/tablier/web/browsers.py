"""Browsers with seats, each with a connection to the keeper of its own.

Nothing is lent on the word of this server alone: the keeper checks each key, and a seat that was taken again is dropped
here.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from tablier import messages
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import REFUSED
from tablier.messages import Listing
from tablier.screens.phrases import STOPPED
from tablier.texts import Json, Text, render
from tablier.web.cookies import SEATS_MAX, Browser, Cookies, Seat
from tablier.web.doors import Refused
from tablier.web.hub import Channel, Hub
from tablier.web.link import KeeperLink
from tablier.web.links import KeeperLinks
from tablier.web.saying import say
from tablier.web.shares import Client
from tablier.web.states import TakenState
from tablier.web.watch import Watch

SITTINGS = 40
"""The most browsers with seats in open games: each has one of the keeper's connections."""
_WAITING_MAX = 200
"""The most browsers that wait for a game of theirs to be open again."""
_LOST_MAX = 1000
"""The most browsers that are known to have lost a seat; a key that holds no more is refused in any case."""
_GIVEN_MAX = 200
"""The most browsers that were given seats of a next game and have not asked for anything since."""


class Browsers:
    """The browsers with open pages or seats, each with a connection to the keeper of its own if it has seats."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, cookies: Cookies) -> None:
        self._hub = hub
        self._links = links
        self._watch = watch
        self._cookies = cookies
        self._sittings: dict[str, Sitting] = {}
        self._lost: OrderedDict[str, set[tuple[Seat, str]]] = OrderedDict()
        """By browser: the seats that were taken again, with the keys that hold no more."""
        self._given: OrderedDict[str, dict[Seat, str]] = OrderedDict()
        """By browser: the seats of a next game, with their keys, until its cookie has them."""

    @property
    def operator(self) -> str:
        """The key that makes a browser the operator's."""
        return self._cookies.operator

    def of(self, request: Request) -> Browser:
        """Return the browser of a request."""
        return self._of(request.headers.get("cookie", ""))

    def known(self, cookie: str) -> Client | None:
        """Return the client that a cookie proves: the operator, or a browser with a seat that the keeper has confirmed;
        ``None`` for one that proves nothing."""
        browser = self._of(cookie)
        if browser.operator:
            return Client("operator", has_right=True)
        sitting = self._sittings.get(browser.id)
        confirmed = sitting is not None and any(sitting.holds_with(*each) for each in browser.seats.items())
        return Client(browser.id, has_right=True) if confirmed else None

    def _of(self, cookie: str) -> Browser:
        """Return the browser of a cookie, with what it was given and lost since."""
        browser = self._cookies.read(cookie)
        lost = self._lost.get(browser.id, set())
        seats = {**browser.seats, **self._given.get(browser.id, {})}
        return replace(browser, seats={seat: key for seat, key in seats.items() if (seat, key) not in lost})

    def keep(self, response: Response, browser: Browser) -> None:
        """Have a browser keep what it has shown."""
        self._given.pop(browser.id, None)
        self._cookies.give(response, browser)

    def is_given(self, browser: str, seat: Seat | None = None) -> bool:
        """Return whether a browser has a seat, or any, that its cookie does not have yet."""
        given = self._given.get(browser, {})
        return bool(given) if seat is None else seat in given

    async def sit(self, browser: Browser) -> Sitting | None:
        """Return the connection of a browser's seats; ``None`` for one that has none, or whose keys hold no more.

        Raise :class:`Refused` where too many have seats.
        """
        if not browser.seats:
            return None
        sitting = self._sittings.get(browser.id)
        if sitting is None:
            if sum(each.connected for each in self._sittings.values()) >= SITTINGS:
                raise Refused(503, "Too many players are connected ({count}).", count=SITTINGS)
            for id in [id for id, each in self._sittings.items() if not each.connected][:-_WAITING_MAX]:
                await self._end(id)
            sitting = self._sittings[browser.id] = Sitting(
                self._hub, self._links, self._watch, browser.id, self._drop, self.is_given
            )
        await sitting.take(browser.seats)
        if not sitting.holds:
            await self._end(browser.id)
            return None
        return sitting

    async def pass_on(self, game: int, names: Sequence[str], keys: Mapping[str, str]) -> list[int]:
        """Give the seats of a game that has just begun to the browsers that played under the same names before, of
        two to the one that played last, and return these seats.

        ``names``: of all seats; ``keys``: of those at screens, by the numbers of their seats.
        """
        given = []
        for number, key in keys.items():
            seat = (game, int(number))
            name = names[seat[1] - 1]
            fit = [id for id, each in self._sittings.items() if each.name == name and self._has_page(id)]
            if fit:
                id = max(fit, key=lambda id: self._sittings[id].latest)
                self._give(id, seat, key)
                await self._sittings[id].take({seat: key})
                given.append(seat[1])
        return given

    def _give(self, browser: str, seat: Seat, key: str) -> None:
        """Give a browser a seat, which its cookie has once its page has asked for that."""
        seats = self._given.setdefault(browser, {})
        seats[seat] = key
        while len(seats) > SEATS_MAX:
            del seats[min(seats)]
        while len(self._given) > _GIVEN_MAX:
            self._given.popitem(last=False)

    def _drop(self, browser: str, seat: Seat, key: str) -> None:
        """Drop a seat that was taken again: its key in the cookie opens nothing here."""
        self._lost.setdefault(browser, set()).add((seat, key))
        while len(self._lost) > _LOST_MAX:
            self._lost.popitem(last=False)

    async def sweep(self) -> None:
        """Let go of the seats of browsers that have been silent for a while."""
        for id, sitting in list(self._sittings.items()):
            heard = [outlet.heard for outlet in self._hub.outlets if outlet.browser == id and outlet.holds]
            sitting.used = max(sitting.used, *heard) if heard else sitting.used
            if self._hub.is_silent(sitting.used):
                await self._end(id)

    def _has_page(self, browser: str) -> bool:
        """Return whether a browser has a page open that listens."""
        return any(outlet.browser == browser for outlet in self._hub.outlets)

    async def _end(self, browser: str) -> None:
        """Let go of a browser's seats here; its cookie keeps them."""
        sitting = self._sittings.pop(browser, None)
        if sitting is not None:
            await sitting.close()

    async def connect(self) -> None:
        """Have all seats sit down again where they do not."""
        for sitting in list(self._sittings.values()):
            await sitting.connect()

    async def close(self) -> None:
        for sitting in self._sittings.values():
            await sitting.close()


class Sitting:
    """The seats of one browser: one connection to the keeper, and a channel for each seat."""

    def __init__(
        self,
        hub: Hub,
        links: KeeperLinks,
        watch: Watch,
        browser: str,
        drop: Callable[[str, Seat, str], None],
        is_given: Callable[[str, Seat], bool],
    ) -> None:
        """
        :param drop: called with a seat that somebody else has now, and the key that holds no more.
        :param is_given: called to find out whether the browser's cookie lacks a seat.
        """
        self._hub = hub
        self._links = links
        self._watch = watch
        self._browser = browser
        self._drop = drop
        self._is_given = is_given
        self._link: KeeperLink | None = None
        self._keys: dict[Seat, str] = {}
        self._held: set[Seat] = set()
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.latest = 0
        """The number of the latest game in which it has a seat."""
        self.name = ""
        """The name of that seat."""
        self.used = time.monotonic()

    async def take(self, seats: Mapping[Seat, str]) -> None:
        """Sit down for all these seats, and watch for them."""
        self.used = time.monotonic()
        for seat, key in seats.items():
            if self._keys.get(seat) != key:
                self._keys[seat] = key
                self._held.discard(seat)
        await self.connect()

    async def connect(self) -> None:
        """Sit down where that is not done: also after the keeper has died and is back."""
        async with self._lock:
            if self._link is not None and self._link.lost.is_set():
                self._link = None
                self._held.clear()
            if any(seat[0] in self._watch.games for seat in set(self._keys) - self._held):
                async with self._links.probing:  # most keys of strangers are none
                    with suppress(OSError, KeeperError):  # the pages are told that the keeper is gone
                        if self._link is None:
                            self._link = await self._links.open()
                            self._link.on_notice = self._hear
                        await self._sit(self._link)
            if not self._held and self._link is not None:
                await self._link.close()
                self._link = None

    @property
    def connected(self) -> bool:
        """Return whether it has a connection to the keeper."""
        return self._link is not None

    @property
    def holds(self) -> bool:
        """Return whether a key of it may hold: of a game that is not open nobody can tell."""
        return bool(self._keys)

    def holds_with(self, seat: Seat, key: str) -> bool:
        """Return whether it has a seat with this key, which the keeper has confirmed."""
        return seat in self._held and hmac.compare_digest(self._keys.get(seat, ""), key)

    async def call(self, method: str, params: Json) -> Json:
        """Send a request of this browser. Raise :class:`KeeperError`."""
        await self.connect()
        if self._link is None:
            raise KeeperError("no game is open in which this browser has a seat", code=REFUSED)
        return await self._link.call(method, params)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._link is not None:
            await self._link.close()
        self._hub.drop(self._browser, "mine")

    async def _sit(self, link: KeeperLink) -> None:
        open = {each.game for each in (await link.ask(Listing, "list")).games}
        for game in sorted({game for game, _ in set(self._keys) - self._held} & open):
            for seat in sorted(seat for seat in set(self._keys) - self._held if seat[0] == game):
                try:
                    await link.call("sit", {"game": game, "seat": seat[1], "key": self._keys[seat]})
                except KeeperGone:
                    raise
                except KeeperError as error:
                    self._forget(seat, error.text)
                else:
                    self._held.add(seat)
            viewers = sorted(seat for of, seat in self._held if of == game)
            if viewers:
                for viewer in viewers:
                    self._channel((game, viewer)).restart()
                await link.call("watch", {"game": game, "viewers": viewers})

    def _channel(self, seat: Seat) -> Channel:
        return self._hub.channel("mine", f"{seat[0]}-{seat[1]}", self._browser)

    def _forget(self, seat: Seat, why: Text) -> None:
        """Let go of a seat that somebody else has now."""
        self._drop(self._browser, seat, self._keys.pop(seat))
        self._channel(seat).put(TakenState(game=seat[0], viewer=seat[1], taken=render(why)))

    def _hear(self, notice: messages.Notice) -> None:
        match notice:
            case messages.Updates(game=game, updates=updates):
                for update in updates:
                    if update.viewer is not None:
                        self._show(game, update, update.viewer)
            case messages.Ended(game=game, why=why):
                for seat in [seat for seat in self._held if seat[0] == game]:
                    self._held.discard(seat)
                    self._channel(seat).end(render(STOPPED if why is None else why))
                self._later(self.connect())  # which lets go of the connection where no seat is left
            case messages.Taken(game=game, seat=number, why=why):
                taken = (game, number)
                self._held.discard(taken)
                if taken in self._keys:
                    self._forget(taken, why)
                self._later(self.connect())

    def _show(self, game: int, update: messages.Update, seat: int) -> None:
        said = say(update)
        if game >= self.latest:
            self.latest, self.name = game, update.seats[seat - 1].name
        keep = self._is_given(self._browser, (game, seat))
        self._channel((game, seat)).put(structs.replace(said.state, keep=keep), said.news)

    def _later(self, what: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


__all__ = ["Browsers", "Sitting"]
