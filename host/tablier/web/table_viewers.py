"""Browsers that look at tables. Each has a connection to the keeper of its own, so that the keeper knows who leans over
a hood, and what lies under it goes to that browser and no other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from functools import partial

from msgspec import structs

from tablier import messages
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.texts import Json
from tablier.web.hub import Hub
from tablier.web.link import KeeperLink
from tablier.web.links import Following, KeeperLinks
from tablier.web.states import LightsState, LineState, LyingCard, PileState
from tablier.web.watch import Watch

TOPIC = "table"
_PILE_S = 0.4
"""The seconds between two looks at the cards in the arena, at the least."""
_LINE = 40
"""The most frames of the line that a page shows."""
_OF_CARDS = frozenset(("land", "throw", "slide", "take", "clear"))
"""The verbs after which the cards lie otherwise."""


class Tables:
    """The browsers that look at tables."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch) -> None:
        self._hub = hub
        self._links = links
        self._watch = watch
        self._lookers: dict[str, Looker] = {}

    async def look(self, browser: str) -> Looker:
        """Have a browser told of all tables of open games."""
        if browser not in self._lookers:
            self._lookers[browser] = Looker(self._hub, self._links, self._watch, browser)
        await self._lookers[browser].connect()
        return self._lookers[browser]

    async def connect(self) -> None:
        """Follow the tables of games that have begun since, also at another keeper."""
        for looker in list(self._lookers.values()):
            await looker.connect()

    async def sweep(self) -> None:
        """Forget browsers that have stopped looking."""
        for browser, looker in list(self._lookers.items()):
            streams = [each for each in self._hub.outlets if each.browser == browser and TOPIC in each.topics]
            if not streams and looker.is_idle():
                del self._lookers[browser]
                await looker.close()

    async def close(self) -> None:
        for looker in self._lookers.values():
            await looker.close()


class Looker:
    """One browser that looks at tables: a connection to the keeper, and channels for each table."""

    def __init__(self, hub: Hub, links: KeeperLinks, watch: Watch, browser: str) -> None:
        self._hub = hub
        self._watch = watch
        self._browser = browser
        self._following = Following(links, self._hear, self._follow, self._forget)
        self._lined: set[int] = set()
        self._lines: dict[int, list[messages.Frame]] = {}
        self._piles: dict[int, list[LyingCard]] = {}
        self._look_at: dict[int, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._used = self._now()

    def is_idle(self) -> bool:
        """Return whether the browser has asked for nothing just now: its stream may be about to come."""
        return self._now() - self._used > 10.0

    async def connect(self) -> None:
        """Follow what is open and not followed yet."""
        self._used = self._now()
        await self._following.catch_up(self._watch.games.keys())

    async def do(self, game: int, body: Json) -> Json:
        """Do what a page asks for at a table. Raise :class:`KeeperError`."""
        await self.connect()
        if (link := self._following.link) is None:
            raise KeeperGone()
        if "lean" in body:
            return await link.call("lean", {"game": game, "place": body["lean"]})
        if "line" in body:
            (self._lined.add if body["line"] else self._lined.discard)(game)
            return await link.call("lights", {"game": game, "line": bool(body["line"])})
        answer = await link.call("tester", {"game": game, "verb": body["verb"]})
        if body["verb"].split()[0] in _OF_CARDS:
            await self._look(game)
        return {key: answer[key] for key in ("pace", "port") if key in answer}

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self._following.close()
        for game in self._following.followed:
            self._forget(game)

    async def _follow(self, link: KeeperLink, game: int) -> None:
        await link.call("lights", {"game": game, "line": game in self._lined})

    def _forget(self, game: int) -> None:
        for name in (f"{game}", f"pile-{game}", f"line-{game}"):
            self._hub.channel(TOPIC, name, self._browser).put(None)
        self._lines.pop(game, None)
        self._piles.pop(game, None)

    def _hear(self, notice: messages.Notice) -> None:
        match notice:
            case messages.Lights(game=game):
                lights = structs.asdict(notice)
                state = LightsState(**{name: lights[name] for name in LightsState.__struct_fields__})
                self._hub.channel(TOPIC, f"{game}", self._browser).put(lambda: state)
                if state.simulated and self._now() >= self._look_at.get(game, 0.0):
                    self._look_at[game] = self._now() + _PILE_S
                    self._later(self._look(game))
            case messages.Line(game=game, frames=frames):
                self._lines[game] = [*self._lines.get(game, []), *frames][-_LINE:]
                self._hub.channel(TOPIC, f"line-{game}", self._browser).put(
                    partial(LineState, frames=self._lines[game])
                )

    async def _look(self, game: int) -> None:
        """Look which cards lie in the arena, and beside it."""
        with suppress(KeeperError):
            assert self._following.link is not None
            pile = (await self._following.link.call("tester", {"game": game, "verb": "pile"}))["cards"]
            cards = [LyingCard(how=card["how"], tag=card["tag"], time=card["time"]) for card in pile]
            if cards != self._piles.get(game):
                self._piles[game] = cards
                self._hub.channel(TOPIC, f"pile-{game}", self._browser).put(partial(PileState, cards=cards))

    def _later(self, what: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


__all__ = ["TOPIC", "Looker", "Tables"]
