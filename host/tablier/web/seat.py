"""A person's page: what a phone, a tablet or a computer shows of the seat, and between games."""

from __future__ import annotations

import asyncio
import json

from markdown_it import MarkdownIt
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.games import GAMES, title_of, words_of
from tablier.html.elements import Markup, tag
from tablier.screens.paper import rules_text
from tablier.texts import Failure, Text, once_a_language, render
from tablier.web.doors import Refused, queries
from tablier.web.layout import Frame
from tablier.web.words import BETWEEN, COMMON, JOINING, SEAT, WISHES

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
for _kind in ("link_open", "link_close", "image"):  # what the rules link to and their pictures are not served
    _MARKDOWN.add_render_rule(_kind, lambda *args: "")


@once_a_language
def _known() -> str:
    """Return the games that there are, as JSON: names, titles and aims."""
    return json.dumps([[name, title_of(name), render(words_of(name).aim)] for name in GAMES], ensure_ascii=False)


@once_a_language
def _rules(name: str) -> tuple[Markup, Markup]:
    """Return a game's aim and a turn, and its rules at length. Raise :class:`Failure`."""
    words, text = words_of(name), rules_text(name)
    summary = [tag("p", render(each)) for each in (words.aim, words.turn) if render(each)]
    whole = tag("h1", title_of(name)) if text is None else Markup(_MARKDOWN.render(text))
    return tag("div", *summary, class_="card"), whole


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
            tag("section", id="ending", class_="card", hidden=True, aria_label=render(BETWEEN["look_back"])),
            tag("section", id="board", class_="board", aria_label=render(COMMON["board"])),
            tag(
                "div",
                tag("section", id="beside", class_="beside", aria_label=render(SEAT["beside"])),
                tag("div", id="own", class_="own", hidden=True),
                tag("section", id="hand", class_="hand", aria_label=render(SEAT["hand"])),
                tag("section", id="plain", class_="plain", aria_label=render(SEAT["choices"])),
                tag("section", id="choose", class_="choose", aria_label=render(SEAT["choose"])),
                tag("section", id="more", class_="more", aria_label=render(SEAT["more"])),
                tag("p", id="told", role="status", hidden=True),
                tag("section", id="wishes", class_="card", hidden=True),
                tag("div", id="listed", class_="listed"),
                tag("section", id="story", class_="story", aria_label=render(COMMON["story"])),
                id="play",
            ),
            tag("section", id="join", class_="card", hidden=True, aria_label=render(JOINING["come_in"])),
            tag("dialog", id="dialog"),
            tag("div", id="known", hidden=True, data_known=_known()),
        ]
        return self._frame.page(
            request,
            Text("Seat"),
            *parts,
            script="seat.js",
            styles=("seat.css",),
            words=(COMMON, WISHES, SEAT, JOINING, BETWEEN),
            kind="seat-page",
            links_last=True,
        )

    async def rules(self, request: Request) -> Response:
        """Return the rules of a game: its aim and a turn, then the rules at length."""
        name = queries(request, "game").get("game", "")
        try:
            parts = await asyncio.to_thread(_rules, name)  # others are served while Markdown is read
        except Failure as error:
            raise Refused(404, error.text) from None
        return self._frame.page(request, title_of(name), *parts, kind="rules")


__all__ = ["SeatPages"]
