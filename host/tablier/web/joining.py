"""Joining by a code: for one use, a free seat, two minutes. Whoever redeems it has the seat, and all are told."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from msgspec import convert

from tablier.course.seats import AT_SCREEN
from tablier.keeper.client import KeeperError
from tablier.messages import Listing
from tablier.printable import printable
from tablier.texts import Text
from tablier.web.cookies import Seat
from tablier.web.doors import Refused
from tablier.web.hosts import is_loopback
from tablier.web.hub import Hub
from tablier.web.links import KeeperLinks
from tablier.web.qr import picture
from tablier.web.states import CodeState, JoinState

VALID_S = 120.0
"""The seconds for which a code holds."""
_SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""What a code is made of: nothing that looks like something else."""
_LENGTH = 8
_VOID = Text("This code was used or has expired: it is for one use within two minutes. Ask for another one.")
CODES_MAX = 24
"""The most codes that hold at a time."""


@dataclass(frozen=True)
class Code:
    """A code that holds."""

    seat: Seat
    name: str
    """The name of the seat's player, as pages show it."""
    address: str
    shown: bool
    """True if displays show it."""
    until: float


class Codes:
    """The codes that hold, of all games. They are known to this server alone: a new one has none."""

    def __init__(self, hub: Hub, links: KeeperLinks, addresses: Sequence[str] = ()) -> None:
        """``addresses``: where the pages are, as others are told; the last one is reached from farthest."""
        self._hub = hub
        self._links = links
        self.addresses = addresses
        self._codes: dict[str, Code] = {}

    async def make(self, seat: Seat, base: str, *, shown: bool) -> CodeState:
        """Return a code for a free seat; an older one for it holds no more. ``base``: the address of these pages where
        no other is known.

        Raise :class:`Refused` for a seat that somebody has.
        """
        name = await self._free(seat)
        for code in [code for code, each in self._codes.items() if each.seat == seat]:
            del self._codes[code]
        if len(self._codes) >= CODES_MAX:
            raise Refused(409, "Too many codes are open ({count}).", count=CODES_MAX)
        code = "".join(secrets.choice(_SIGNS) for _ in range(_LENGTH))
        loop = asyncio.get_running_loop()
        address = f"{self.addresses[-1] if self.addresses else base}seat#code={code}"
        self._codes[code] = Code(seat, name, address, shown, loop.time() + VALID_S)
        loop.call_later(VALID_S, self._expire)
        self._show()
        return self._told(code)

    async def redeem(self, text: str) -> tuple[Seat, str]:
        """Return the seat that a code is for, and its key, which is new. Raise :class:`Refused`."""
        self._expire()
        code = text.strip().upper().replace(" ", "").replace("-", "")
        held = self._codes.get(code)
        if held is None:
            raise Refused(403, _VOID)
        game, seat = held.seat
        await self._free(held.seat)
        if self._codes.pop(code, None) is None:  # it was redeemed meanwhile
            raise Refused(403, _VOID)
        try:
            given = await self._links.operate("source", {"game": game, "seat": seat, "source": AT_SCREEN})
        except KeeperError as error:
            self._codes[code] = held  # nobody has the seat by it
            raise Refused(409, error.text) from None
        self._show()
        return held.seat, given["key"]

    async def _free(self, seat: Seat) -> str:
        """Return the name of a seat that nobody has at a screen. Raise :class:`Refused`."""
        try:
            games = convert(await self._links.operate("list"), Listing).games
        except KeeperError as error:
            raise Refused(503, error.text) from None
        game = next((each for each in games if each.game == seat[0]), None)
        if game is None or not 1 <= seat[1] <= len(game.seats):
            raise Refused(404, "Game {game} has no seat {seat} now.", game=seat[0], seat=seat[1])
        if seat[1] in game.held:
            raise Refused(409, "Seat {seat} is not free: somebody plays it at a screen.", seat=seat[1])
        return printable(game.seats[seat[1] - 1].name)

    def _expire(self) -> None:
        now = asyncio.get_running_loop().time()
        old = [code for code, each in self._codes.items() if each.until <= now]
        for code in old:
            del self._codes[code]
        if old:
            self._show()

    def _show(self) -> None:
        """Have displays show the codes that are for all."""
        shown = [self._told(code) for code, each in self._codes.items() if each.shown]
        self._hub.channel("public", "join").put(JoinState(codes=shown))

    def _told(self, code: str) -> CodeState:
        held = self._codes[code]
        return CodeState(
            game=held.seat[0],
            seat=held.seat[1],
            name=held.name,
            code=code,
            address=held.address,
            left=held.until - asyncio.get_running_loop().time(),
            qr=None if is_loopback(urlsplit(held.address).hostname or "") else picture(held.address),
        )


__all__ = ["VALID_S", "Codes"]
