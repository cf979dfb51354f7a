"""Browsers that have come in, each with a connection to the keeper of its own.

Nothing is lent on the word of this server alone: the keeper checks each key, and a person let in anew by another
device is out here. A browser finds the seats of its people by itself, in whatever game their evening plays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from contextlib import suppress

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from tablier import messages
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import REFUSED
from tablier.names import same_name
from tablier.screens.phrases import STOPPED
from tablier.texts import Json, Text, render
from tablier.web.cookies import Browser, Cookies, InEvening
from tablier.web.doors import Refused
from tablier.web.hub import Channel, Hub
from tablier.web.link import KeeperLink
from tablier.web.links import KeeperLinks
from tablier.web.saying import say
from tablier.web.shares import Client
from tablier.web.states import TakenState
from tablier.web.watch import Watch, said_evening

VISITS = 40
"""The most browsers that are in at a time: each has one of the keeper's connections."""
_WAITING_MAX = 200
"""The most browsers with keys that open nothing now."""
_NOT_IN = Text("this browser is not in an evening that is open")


class Browsers:
    """The browsers with open pages or rights, each with a connection to the keeper of its own if it is in."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, cookies: Cookies, address: str) -> None:
        self._hub = hub
        self._links = links
        self._watch = watch
        self._cookies = cookies
        self._address = address
        self._visits: dict[str, Visit] = {}

    @property
    def operator(self) -> str:
        """The key that makes a browser the operator's."""
        return self._cookies.operator

    def of(self, request: Request) -> Browser:
        """Return the browser of a request."""
        return self._cookies.read(request.headers.get("cookie", ""))

    def known(self, cookie: str) -> Client | None:
        """Return the client that a cookie proves: the operator, or a browser that the keeper has let in; ``None`` for
        one that proves nothing."""
        browser = self._cookies.read(cookie)
        if browser.operator:
            return Client("operator", has_right=True)
        visit = self._visits.get(browser.id)
        return Client(browser.id, has_right=True) if visit is not None and visit.is_in else None

    async def keep(self, response: Response, browser: Browser, before: Browser) -> None:
        """Have a browser keep what it has shown, which it is from now on, and no longer what it was before."""
        now = self._cookies.give(response, browser)
        await self._end(before.id)
        await self.visit(now)

    async def visit(self, browser: Browser) -> Visit | None:
        """Return the connection of a browser; ``None`` for one that has shown nothing.

        Raise :class:`Refused` where too many are in.
        """
        if not browser.is_in:
            return None
        visit = self._visits.get(browser.id)
        if visit is None:
            if sum(each.connected for each in self._visits.values()) >= VISITS:
                raise Refused(503, "Too many players are connected ({count}).", count=VISITS)
            visit = self._visits[browser.id] = Visit(self._hub, self._links, self._watch, self._address, browser)
            for id in [id for id, each in self._visits.items() if not each.connected][:-_WAITING_MAX]:
                await self._end(id)
        visit.used = time.monotonic()
        await visit.connect()
        return visit

    async def sweep(self) -> None:
        """Let go of browsers that have been silent for a while, and have the others come in where that has failed."""
        for id, visit in list(self._visits.items()):
            heard = [outlet.heard for outlet in self._hub.outlets if outlet.browser == id and outlet.holds]
            visit.used = max(visit.used, *heard) if heard else visit.used
            if self._hub.is_silent(visit.used):
                await self._end(id)
            else:
                visit.try_again()

    async def _end(self, browser: str) -> None:
        """Let go of a browser here; its cookie keeps its keys."""
        visit = self._visits.pop(browser, None)
        if visit is not None:
            await visit.close()

    async def connect(self) -> None:
        """Have all browsers come in where they are not, also after the keeper has died and is back."""
        for visit in list(self._visits.values()):
            await visit.connect()

    async def close(self) -> None:
        for visit in self._visits.values():
            await visit.close()


class Visit:
    """One browser that is in: one connection to the keeper, a channel for each evening and for each seat."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, address: str, browser: Browser) -> None:
        self._hub = hub
        self._links = links
        self._watch = watch
        self._address = address
        self._browser = browser
        self._link: KeeperLink | None = None
        self._people = dict(browser.people)
        """Those of its keys that may hold."""
        self._screens = dict(browser.screens)
        self._entered: set[int] = set()
        self._listed: set[int] = set()
        """Those of them that the keeper has listed."""
        self._over: set[int] = set()
        """The evenings that were not open."""
        self._told: dict[int, messages.Evening] = {}
        self._watched: dict[int, set[int]] = {}
        """By game: the seats that are watched for."""
        self._lock = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.used = time.monotonic()

    @property
    def connected(self) -> bool:
        """Return whether it has a connection to the keeper."""
        return self._link is not None

    @property
    def is_in(self) -> bool:
        """Return whether the keeper has let it in."""
        return bool(self._entered)

    def find(self, code: str, name: str) -> InEvening | None:
        """Return who of this browser is called so, in the evening that a code opens."""
        for number, told in self._told.items():
            if told.inside is not None and told.inside.code == code and number in self._entered:
                for person in told.here:
                    if same_name(person.name) == same_name(name) and (number, person.person) in self._people:
                        return number, person.person
        return None

    async def connect(self) -> None:
        """Come in where that is not done: also after the keeper has died and is back."""
        async with self._lock:
            if self._link is not None and self._link.lost.is_set():
                self._link = None
                for each in (self._entered, self._listed, self._told, self._watched):
                    each.clear()
            self._listed |= self._entered & self._watch.evenings.keys()
            for number in sorted(self._listed - self._watch.evenings.keys()):
                self._end_evening(number)
            if due := self._due():
                async with self._links.probing:  # most keys of strangers are none
                    with suppress(OSError, KeeperError):  # the pages are told that the keeper is gone
                        if self._link is None:
                            self._link = await self._links.open()
                            self._link.on_notice = self._hear
                        for number in due:
                            await self._enter(self._link, number)
            if not self._entered and self._link is not None:
                await self._link.close()
                self._link = None

    def try_again(self) -> None:
        """Do once more what the keeper has not answered: it may have been silent for a while."""
        if self._lock.locked():
            return
        if self._due():
            self._later(self.connect())
        for number, told in self._told.items():
            if (
                number in self._entered
                and told.game is not None
                and self._watched.get(told.game, set()) != self._own(told)
            ):
                self._later(self._follow(number))

    async def call(self, method: str, params: Json) -> Json:
        """Send a request of this browser. Raise :class:`KeeperError`."""
        await self.connect()
        if self._link is None:
            raise KeeperError(_NOT_IN, code=REFUSED)
        try:
            return await self._link.call(method, params)
        except KeeperGone:
            if self._entered or self._due():
                raise
            raise KeeperError(_NOT_IN, code=REFUSED) from None  # the last key was put out, and the connection ended

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._link is not None:
            await self._link.close()
        self._hub.drop(self._browser.id, "mine")

    # -- coming in ---------------------------------------------------------------------------------------------------

    def _due(self) -> list[int]:
        """Return the evenings into which it may come and is not."""
        numbers = {number for number, _ in self._people} | self._screens.keys()
        return sorted(numbers - self._entered - (self._over - self._watch.evenings.keys()))

    async def _enter(self, link: KeeperLink, number: int) -> None:
        """Come into an evening. Raise :class:`KeeperError` where the keeper has not answered."""
        try:
            await link.call("follow", {"evening": number, "games": False})
        except KeeperError as error:
            if not error.is_refusal:
                raise
            self._over.add(number)
            return
        asked: list[tuple[str, Json]] = [
            (person, {"person": person, "key": key, "by": "phone"})
            for (of, person), key in self._people.items()
            if of == number
        ]
        asked += [("", {"screen": key}) for of, key in self._screens.items() if of == number]
        for person, shown in asked:
            try:
                await link.call("enter", {"evening": number, **shown})
            except KeeperError as error:
                if not error.is_refusal:
                    raise
                self._lose(number, person, error.text)
        if self._is_due_in(number):
            self._entered.add(number)
            self._over.discard(number)
            if number in self._told:
                self._show_evening(number)

    def _is_due_in(self, number: int) -> bool:
        """Return whether a key of it opens an evening, as far as that is known."""
        return bool(self._browser.operator) or number in self._screens or any(of == number for of, _ in self._people)

    def _lose(self, number: int, person: str, why: Text) -> None:
        """Let go of a key that opens nothing any longer; the empty ``person`` stands for a screen."""
        if person:
            self._people.pop((number, person), None)
        else:
            self._screens.pop(number, None)
        if not self._is_due_in(number):
            self._entered.discard(number)
            self._evening_channel(number).put(None)
            self._hub.channel("mine", f"out-{number}", self._browser.id).put(lambda: TakenState(taken=render(why)))

    def _end_evening(self, number: int) -> None:
        """Take note that an evening is over, which stands here as it was told last."""
        self._entered.discard(number)
        self._listed.discard(number)
        self._over.add(number)
        told = self._told.pop(number, None)
        if told is not None:
            self._put_evening(structs.replace(told, ended=True))

    # -- what the keeper says ----------------------------------------------------------------------------------------

    def _hear(self, notice: messages.Notice) -> None:
        match notice:
            case messages.Evening(evening=number):
                self._told[number] = notice
                if number in self._entered:
                    self._show_evening(number)
            case messages.Updates(game=game, updates=updates):
                for update in updates:
                    if update.viewer is not None:
                        said = say(update)
                        self._seat_channel(game, update.viewer).put(said.state, said.news)
            case messages.Ended(game=game, why=why):
                for seat in self._watched.pop(game, set()):
                    self._seat_channel(game, seat).end(STOPPED if why is None else why)
            case messages.Taken(evening=number, person=person, why=why) if person:
                self._lose(number, person, why)
            case messages.Taken(game=game, seat=seat):
                self._watched.get(game, set()).discard(seat)
                self._seat_channel(game, seat).put(None)

    def _show_evening(self, number: int) -> None:
        told = self._told[number]
        if told.ended:
            self._end_evening(number)
            return
        self._put_evening(told)
        if told.game is not None:
            self._later(self._follow(number))

    def _put_evening(self, told: messages.Evening) -> None:
        you = [each.person for each in told.here if (told.evening, each.person) in self._people]
        self._evening_channel(told.evening).put(lambda: structs.replace(said_evening(told, self._address), you=you))

    def _own(self, told: messages.Evening) -> set[int]:
        """Return the seats of its people in the open game of an evening."""
        return {seat for seat, person in enumerate(told.seats, 1) if (told.evening, person) in self._people}

    async def _follow(self, number: int) -> None:
        """Watch the open game of an evening for the seats of its people."""
        async with self._lock:
            told = self._told.get(number)
            if told is not None and told.game is not None:
                await self._watch_for(told.game, self._own(told))

    async def _watch_for(self, game: int, own: set[int]) -> None:
        link = self._link
        if link is None or not own or self._watched.get(game) == own:
            return
        self._watched[game] = own
        for seat in own:
            self._seat_channel(game, seat).restart()
        try:
            await link.call("watch", {"game": game, "viewers": sorted(own)})
        except KeeperError:  # it has just ended, or its seats have changed again
            self._watched.pop(game, None)

    def _seat_channel(self, game: int, seat: int) -> Channel:
        return self._hub.channel("mine", f"{game}-{seat}", self._browser.id)

    def _evening_channel(self, number: int) -> Channel:
        return self._hub.channel("mine", f"evening-{number}", self._browser.id)

    def _later(self, what: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


__all__ = ["Browsers", "Visit"]
