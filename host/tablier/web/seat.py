"""A person's page: what a phone, a tablet or a computer shows of the seat, and between games."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tablier.course.seats import AT_TABLE
from tablier.games import words_of
from tablier.html.elements import tag
from tablier.screens.paper import rules_page
from tablier.texts import Failure, Text, render
from tablier.web.doors import Refused, queries
from tablier.web.layout import Frame
from tablier.web.words import BETWEEN, COMMON, JOINING, SEAT

_COLUMNS = 64
"""The width of the rules, which a page may break further."""


class SeatPages:
    """Answers for seats: the page, and the rules."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def routes(self) -> list[Route]:
        return [
            Route("/seat", self.seat, methods=["GET"]),
            Route("/rules", self.rules, methods=["GET"]),
        ]

    async def seat(self, request: Request) -> Response:
        parts = [
            tag("h1", id="title", tabindex="-1"),
            tag("div", id="which"),
            tag("section", id="asked", tabindex="-1", aria_live="polite", aria_label=render(SEAT["asked"])),
            tag("section", id="between", class_="card", hidden=True),
            tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
            tag("section", id="hand", class_="hand", aria_label=render(SEAT["hand"])),
            tag("section", id="choose", class_="choose", aria_label=render(SEAT["choose"])),
            tag("section", id="story", class_="story", aria_label=render(COMMON["story"])),
            tag("section", id="more", class_="more", aria_label=render(SEAT["more"])),
            tag("section", id="join", class_="card", hidden=True, aria_label=render(JOINING["come_in"])),
            tag("dialog", id="dialog"),
        ]
        return self._frame.page(
            request,
            Text("Seat"),
            *parts,
            script="seat.js",
            styles=("seat.css",),
            words=(COMMON, SEAT, JOINING, BETWEEN),
            kind="seat-page",
        )

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
