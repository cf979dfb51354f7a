"""A seat: what a phone, a tablet or a computer shows of it, and how one comes to have it."""

from __future__ import annotations

from dataclasses import replace

from msgspec import to_builtins
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tablier.course.seats import AT_TABLE
from tablier.games import words_of
from tablier.html.elements import tag
from tablier.screens.paper import rules_page
from tablier.texts import Failure, Text, render
from tablier.web.browsers import Browsers
from tablier.web.doors import NEEDS_OPERATOR, Refused, fields, queries, read_json
from tablier.web.joining import Codes
from tablier.web.layout import Frame
from tablier.web.words import COMMON, SEAT

_COLUMNS = 64
"""The width of the rules, which a page may break further."""


class SeatPages:
    """Answers for seats: the page, the rules, codes with which a phone joins."""

    def __init__(self, frame: Frame, browsers: Browsers, codes: Codes) -> None:
        self._frame = frame
        self._browsers = browsers
        self._codes = codes

    def routes(self) -> list[Route]:
        return [
            Route("/seat", self.seat, methods=["GET"]),
            Route("/rules", self.rules, methods=["GET"]),
            Route("/code", self.code, methods=["POST"]),
            Route("/join", self.join, methods=["POST"]),
        ]

    async def seat(self, request: Request) -> Response:
        parts = [
            tag("h1", id="title", tabindex="-1"),
            tag("div", id="which"),
            tag("section", id="asked", tabindex="-1", aria_live="polite", aria_label=render(SEAT["asked"])),
            tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
            tag("section", id="hand", class_="hand", aria_label=render(SEAT["hand"])),
            tag("section", id="choose", class_="choose", aria_label=render(SEAT["choose"])),
            tag("section", id="story", class_="story", aria_label=render(COMMON["story"])),
            tag("section", id="more", class_="more", aria_label=render(SEAT["more"])),
            tag("section", id="join", class_="join", aria_label=render(SEAT["join"])),
            tag("dialog", id="dialog"),
        ]
        return self._frame.page(
            request,
            Text("Seat"),
            *parts,
            script="seat.js",
            styles=("seat.css",),
            words=(COMMON, SEAT),
            kind="seat-page",
        )

    async def code(self, request: Request) -> Response:
        """Make a code for a seat, as the operator asks."""
        body = await read_json(request)
        fields(body, ("game", "seat"), ("show",))
        if not self._browsers.of(request).operator:
            raise Refused(403, NEEDS_OPERATOR)
        game, number, shown = body["game"], body["seat"], body.get("show", True)
        if type(game) is not int or type(number) is not int or not isinstance(shown, bool):
            raise Refused(400, "A code is for a game and a seat, shown or not.")
        return JSONResponse(to_builtins(await self._codes.make((game, number), str(request.base_url), shown=shown)))

    async def join(self, request: Request) -> Response:
        """Exchange a code for the cookie of its seat."""
        browser, body = self._browsers.of(request), await read_json(request)
        fields(body, ("code",))
        if not isinstance(body["code"], str):
            raise Refused(400, "A code is a text.")
        (game, number), key = await self._codes.redeem(body["code"][:100])
        browser = replace(browser, seats={**browser.seats, (game, number): key})
        response = JSONResponse({"game": game, "seat": number})
        self._browsers.keep(response, browser)
        return response

    async def rules(self, request: Request) -> Response:
        """Return the rules of a game: how its moves are typed, then the rules for people."""
        asked = queries(request, "game", "source")
        name, place = asked.get("game", ""), asked.get("source", "")
        if place not in ("", AT_TABLE):
            raise Refused(400, "source is {seen}; allowed: {allowed}", seen=repr(place[:20]), allowed=[AT_TABLE])
        try:
            words, whole = words_of(name), rules_page(name, _COLUMNS, colour=False)
        except Failure as error:
            raise Refused(404, error.text) from None
        typed = (words.help_at_table if place == AT_TABLE else ()) or words.help
        return PlainTextResponse("\n\n".join([*map(render, typed), whole]))


__all__ = ["SeatPages"]
