"""The organiser's page: who is there, what is played, the door, the table."""

from __future__ import annotations

import json
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablier.bots.sources import default_bot
from tablier.games import GAMES, bots_of, game_class, plays_at_places, rules_of, title_of
from tablier.html.elements import tag
from tablier.texts import Json, Text, once_a_language, render, source_text
from tablier.web.browsers import Browsers
from tablier.web.layout import Frame
from tablier.web.words import COMMON, HOSTING, WISHES

SPARE = ("Ada", "Blaise", "Carl", "Dora", "Emmy", "Felix")
"""The names of bots that play for want of people."""


@once_a_language
def games() -> list[Json]:
    """Return what the page offers of each game: with how many players, of them at places of a table, and its bots."""
    return [
        {
            "name": name,
            "title": title_of(name),
            "counts": sorted(game_class(name).seat_counts),
            "places": [count for count in sorted(game_class(name).seat_counts) if _is_for_places(name, count)],
            "bots": [[level, str(source_text(level))] for level in bots_of(name)],
            "bot": default_bot(name),
        }
        for name in GAMES
    ]


def _is_for_places(name: str, seats: int) -> bool:
    with suppress(Exception):  # a game from elsewhere may need options
        return bool(plays_at_places(rules_of(name, seats, {})))
    return False


class HostPage:
    """Answers with the organiser's page. It holds nothing that not everybody may know."""

    def __init__(self, frame: Frame, browsers: Browsers) -> None:
        self._frame = frame
        self._browsers = browsers

    def routes(self) -> list[Route]:
        return [Route("/host", self.show, methods=["GET"])]

    async def show(self, request: Request) -> Response:
        known = {
            "games": games(),
            "spare": SPARE,
            "operator": bool(self._browsers.of(request).operator),
        }
        parts = [
            tag("h1", render(HOSTING["title"]), id="title", tabindex="-1"),
            tag("p", id="wrong", class_="hot", role="alert", hidden=True),
            tag("div", id="rooms", class_="rooms"),
            tag("dialog", id="dialog"),
            tag("div", id="known", hidden=True, data_known=json.dumps(known)),
        ]
        return self._frame.page(
            request,
            Text("Host"),
            *parts,
            script="host.js",
            styles=("host.css",),
            words=(COMMON, WISHES, HOSTING),
            kind="host-page",
        )


__all__ = ["HostPage"]
