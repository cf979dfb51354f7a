"""The entrance to an evening: coming in by its code, and waiting for somebody who lets in."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict

from tablier import messages
from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import WRONG
from tablier.messages import Asking, Entry, Known
from tablier.screens.phrases import KEEPER_GONE
from tablier.texts import Json, Text
from tablier.web.doors import Refused
from tablier.web.link import KeeperLink
from tablier.web.links import KeeperLinks
from tablier.web.shares import Client

GUESSES, GUESSES_S = 5, 60.0
"""How many wrong codes a client may try, and in how many seconds. The keeper counts those of all together."""
_CLIENTS = 1000
"""The most clients whose wrong codes are counted."""
ASKING, OF_CLIENT = 8, 2
"""The most who wait to be let in, of all and of a client: each has one of the keeper's connections."""
DECIDE_S = 15.0
"""How long a request waits for a decision, before its page asks again."""
_GONE_S = 25.0
"""After so long without a question somebody who waits is taken to be gone."""

TURNED_AWAY = Text("You were not let in.")
_NO_CODE = Text("A code has four letters.")


class _Asking:
    """Somebody who waits to be let in."""

    def __init__(self, link: KeeperLink, client: Client) -> None:
        self.link = link
        self.client = client
        self.asked = time.monotonic()
        """When its page was there for certain."""
        self.waits = 0
        """How many requests wait for the decision."""
        self._decided: messages.LetIn | messages.TurnedAway | None = None
        self._settled = asyncio.Event()
        link.on_notice = self._hear

    def _hear(self, notice: messages.Notice) -> None:
        if isinstance(notice, messages.LetIn | messages.TurnedAway):
            self._decided = notice
            self._settled.set()

    @property
    def settled(self) -> bool:
        """Return whether somebody has decided, or nobody can any longer."""
        return self._settled.is_set() or self.link.lost.is_set()

    async def decision(self) -> messages.LetIn | messages.TurnedAway | None:
        """Wait for a while; return ``None`` where nobody has decided. Raise :class:`KeeperGone`."""
        self.waits += 1
        waiting = [asyncio.create_task(each.wait()) for each in (self._settled, self.link.lost)]
        try:
            await asyncio.wait(waiting, timeout=DECIDE_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.waits -= 1
            self.asked = time.monotonic()
            for each in waiting:
                each.cancel()
        if self._decided is None and self.link.lost.is_set():
            raise KeeperGone()
        return self._decided


class Entrance:
    """Passes codes and wishes on to the keeper."""

    def __init__(self, links: KeeperLinks) -> None:
        self._links = links
        self._wrong: OrderedDict[Client, list[float]] = OrderedDict()
        self._asking: dict[str, _Asking] = {}

    async def known(self, client: Client, code: str) -> Known:
        """Return whom the log knows, for somebody who has the code. Raise :class:`Refused`."""
        try:
            async with self._links.probe() as link:
                return await self._check(link, client, code)
        except KeeperError:
            raise Refused(503, KEEPER_GONE) from None

    async def join(self, client: Client, code: str, name: str) -> Entry | str:
        """Have somebody come in; return a key, or by what :meth:`decision` says what has come of it. Raise
        :class:`Refused`."""
        return await self._ask(client, code, Entry, "join", {"code": code, "name": name, "by": "phone"})

    async def ask_screen(self, client: Client, name: str) -> str:
        """Have a screen ask to be let in; return by what :meth:`decision` says what has come of it. Raise
        :class:`Refused`."""
        asked = await self._ask(client, None, Asking, "ask_screen", {"name": name} if name else {})
        assert isinstance(asked, str)
        return asked

    async def decision(self, wish: str) -> messages.LetIn | None:
        """Wait for a while until a wish is decided on; return ``None`` where it is not. Raise :class:`Refused`."""
        asking = self._asking.get(wish)
        if asking is None:
            raise Refused(409, TURNED_AWAY)
        try:
            decided = await asking.decision()
        except KeeperGone:
            await self._forget(wish)
            raise Refused(503, KEEPER_GONE) from None
        if isinstance(decided, messages.TurnedAway):
            await self._forget(wish)
            raise Refused(409, TURNED_AWAY)
        return decided

    async def sweep(self) -> None:
        """Let go of those who wait and whose pages are gone."""
        now = time.monotonic()
        for wish, asking in list(self._asking.items()):
            if not asking.waits and now - asking.asked >= _GONE_S:
                await self._forget(wish)

    async def close(self) -> None:
        for wish in list(self._asking):
            await self._forget(wish)

    # -- how it is done ----------------------------------------------------------------------------------------------

    async def _ask(
        self, client: Client, code: str | None, kind: type[Entry | Asking], method: str, params: Json
    ) -> Entry | str:
        """Ask the keeper; keep the connection where somebody has to decide."""
        clients = [each.client for each in self._asking.values() if not each.settled]
        if clients.count(client) >= OF_CLIENT or len(clients) >= ASKING:
            raise Refused(503, "Too many wait to be let in ({count}).", count=len(clients))
        async with self._links.probing:
            try:
                link = await self._links.open()
            except (OSError, KeeperError):
                raise Refused(503, KEEPER_GONE) from None
            asking = _Asking(link, client)
            try:
                if code is not None:
                    await self._check(link, client, code)
                answer = await link.ask(kind, method, params)
            except KeeperGone:
                await link.close()
                raise Refused(503, KEEPER_GONE) from None
            except KeeperError as error:
                await link.close()
                raise Refused(400 if error.code == WRONG else 409, error.text) from None
            except BaseException:
                await link.close()
                raise
        if isinstance(answer, Entry) and answer.key is not None:
            await link.close()
            return answer
        wish = secrets.token_hex(16)
        self._asking[wish] = asking
        return wish

    async def _check(self, link: KeeperLink, client: Client, code: str) -> Known:
        """Return whom the log knows, if a code is right; count it if not. Raise :class:`Refused`."""
        now = time.monotonic()
        wrong = [each for each in self._wrong.pop(client, ()) if now < each + GUESSES_S]
        try:
            if len(wrong) >= GUESSES:
                seconds = int(wrong[0] + GUESSES_S - now) + 1
                raise Refused(429, "Too many wrong codes were tried here; wait {seconds} s.", seconds=seconds)
            try:
                return await link.ask(Known, "known", {"code": code})
            except KeeperGone:
                raise Refused(503, KEEPER_GONE) from None
            except KeeperError as error:
                if error.code == WRONG:
                    raise Refused(400, _NO_CODE) from None
                wrong.append(now)
                raise Refused(403, error.text) from None
        finally:
            if wrong:
                self._wrong[client] = wrong
            while len(self._wrong) > _CLIENTS:
                self._wrong.popitem(last=False)

    async def _forget(self, wish: str) -> None:
        asking = self._asking.pop(wish, None)
        if asking is not None:
            await asking.link.close()


__all__ = ["DECIDE_S", "GUESSES", "Entrance"]
